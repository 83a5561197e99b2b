//===- StateWriter.cpp - Items and expressions of kernels with state ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "StateWriter.h"

#include "Generator.h"

namespace goldy::fuzz {

void StateWriter::signature() {
  struct Shape {
    unsigned X, Y, Z;
  };
  Shape G = R.pick<Shape>({{128, 1, 1},
                           {256, 1, 1},
                           {64, 1, 1},
                           {64, 1, 1},
                           {32, 1, 1},
                           {40, 1, 1},
                           {20, 1, 1},
                           {16, 8, 1},
                           {16, 16, 1},
                           {64, 4, 1},
                           {8, 4, 2},
                           {5, 3, 2},
                           {12, 3, 1},
                           {1, 1, 1},
                           {32, 2, 1},
                           {1, 64, 1}});
  X = G.X, Y = G.Y, Z = G.Z, Size = X * Y * Z;
  line("#[goldy::compute(workgroup_size = [" + std::to_string(X) + ", " +
       std::to_string(Y) + ", " + std::to_string(Z) + "], nondeterministic)]");
  std::string U = R.pick<const char *>({"u32", "u32", "u32", "u8", "u16"});
  std::string F = R.pick<const char *>({"f32", "f32", "f32", "gpu::f16"});
  std::string O = R.pick<const char *>({"u32", "u32", "u32", "u16"});
  open("fn k(long_u: &[" + U + "], long_f: &[" + F +
       "], four: &mut [u32], four_again: &[u32], four_rows: &mut [f32], "
       "out_u: &mut [" +
       O + "], out_f: &mut [f32], few: u32, some: u32)");
}

void StateWriter::names() {
  std::string N = std::to_string(Size);
  line("let mut s = gpu::workgroup_array::<u32, " + N + ">();");
  line("let mut sf = gpu::workgroup_array::<f32, " + N + ">();");
  if (Histogram)
    line("let mut h = gpu::workgroup_array::<u32, 16>();");
  line("let lx = gpu::local_id().x;");
  line("let ly = gpu::local_id().y;");
  line("let wid = gpu::workgroup_id().x;");
  line("let lid = (gpu::local_id().z * " + number(Y) + " + ly) * " + number(X) +
       " + lx;");
  line("let base = wid * " + number(Size) + ";");
  bool Flat = Y * Z == 1 && R.chance(50);
  line(Flat ? "let own = gpu::global_id().x;" : "let own = base + lid;");
  line("let gx = gpu::global_id().x;");
}

void StateWriter::state() {
  for (unsigned N = 1 + R.below(4); N > 0; --N) {
    Ints.push_back(fresh("a"));
    line("let mut " + Ints.back() + ": u32 = " +
         R.pick<const char *>(
             {"0u32", "own", "lx * 3u32", "few", "long_u[own]", "lid"}) +
         ";");
  }
  for (unsigned N = 1 + R.below(3); N > 0; --N) {
    Floats.push_back(fresh("f"));
    line("let mut " + Floats.back() + ": f32 = " +
         R.pick<const char *>(
             {"0.0", "lx as f32", "long_f[own]", "1.5", "f32::NEG_INFINITY"}) +
         ";");
  }
  for (unsigned N = R.below(3); N > 0; --N) {
    Bools.push_back(fresh("b"));
    line("let mut " + Bools.back() + " = " +
         R.pick<const char *>({"false", "true", "lx > few", "own < some"}) +
         ";");
  }
  PrivateInts = R.pick<unsigned>({0, 0, 3, 5});
  PrivateFloats = R.pick<unsigned>({0, 0, 4, 9});
  if (PrivateInts)
    line("let mut p = [0u32; " + std::to_string(PrivateInts) + "];");
  if (PrivateFloats)
    line("let mut pf = [0.0f32; " + std::to_string(PrivateFloats) + "];");
}

/// Each value that the item has kept goes into what it writes.
void StateWriter::results() {
  std::string U = "0u32", F = "0.0";
  for (const std::string &V : Ints)
    U = "(" + U + " * 5u32 ^ " + V + ")";
  for (unsigned N = 0; N < PrivateInts; ++N)
    U = "(" + U + " * 3u32 ^ p[" + number(N) + "])";
  for (const std::string &V : Bools)
    U = "(" + U + " * 7u32 ^ (" + V + " as u32))";
  for (size_t N = 1; N < Floats.size(); ++N)
    U = "(" + U + " ^ gpu::to_bits(" + Floats[N] + "))";
  for (unsigned N = 0; N < PrivateFloats; ++N)
    F = "(" + F + " + pf[" + number(N) + "])";
  line("out_u[own] = " + U + ";");
  line("out_f[own] = " + Floats[0] + (PrivateFloats ? " - " + F : "") + ";");
}

std::string StateWriter::helper() {
  return R.pick<const char *>(
      {"fn turn(a: u32, b: u32) -> u32 {\n    if a % 3u32 == 0u32 { return b; "
       "}\n    a ^ (b >> 1u32)\n}\n\n",
       "fn turn(a: u32, b: u32) -> u32 {\n    let mut r = a;\n    while r > b "
       "% 7u32 + 9u32 { r = r / 5u32; }\n    r + b\n}\n\n",
       "fn turn(a: u32, b: u32) -> u32 {\n    for i in 0u32..4u32 {\n        "
       "if (a >> i) % 2u32 == 1u32 { return b + i; }\n    }\n    a * b\n}"
       "\n\n"});
}

std::string StateWriter::run() {
  line("use goldy::gpu;\n");
  Out += helper();
  Histogram = R.chance(30);
  Again = R.chance(50);
  Budget = 12 + R.below(26);
  signature();
  names();
  state();
  const std::vector<std::string> Ends = Ints, FloatEnds = Floats;
  bool Early = R.chance(25);
  if (Early)
    line("if own >= " + R.pick<std::string>({"some", "few * 30u32"}) +
         " { return; }");
  for (unsigned N = 3 + R.below(5); N > 0 && Budget > 0; --N)
    statement(Early ? Flow::Items : Flow::Group);
  Ints = Ends, Floats = FloatEnds;
  if (Histogram && !Early) {
    line("gpu::workgroup_barrier();");
    line(variable() + " += h[lid % 16u32];");
  }
  results();
  close();
  return std::move(Out);
}

// --- Expressions

std::string StateWriter::atom(Same S) {
  std::vector<std::string> From{
      number(R.pick<uint32_t>({0, 1, 2, 3, 5, 7, 16, 31, 64, 1000})), "few",
      "some", "wid"};
  From.insert(From.end(), Uniforms.begin(), Uniforms.end());
  if (S == Same::PerItem) {
    for (unsigned Twice = 0; Twice < 2; ++Twice) {
      From.insert(From.end(), {"lx", "ly", "lid", "gx", "own"});
      From.insert(From.end(), Ints.begin(), Ints.end());
    }
    From.insert(From.end(), Counters.begin(), Counters.end());
  }
  return R.pick(From);
}

/// An element near the item's own, or far from it, or of the whole group.
std::string StateWriter::neighbour() {
  std::string N = number(Size);
  switch (R.below(11)) {
  case 0:
    return "own + " + number(R.pick<uint32_t>({1, 3, 8, 17}));
  case 1:
    return "own * " + number(2 + R.below(3)) + " + " + atom(Same::InGroup);
  case 2:
    return "base + " + N + " - lid";
  case 3:
    return number(R.pick<uint32_t>({0, 40, 100})) + " - lx";
  case 4:
    return "base + lx";
  case 5:
    return "wid * " + N + " + " + atom(Same::InGroup);
  case 6:
    return atom(Same::InGroup) + " % 50u32";
  case 7:
    return "base + ly * 3u32 + " + atom(Same::InGroup);
  case 8:
    return "gx - " + atom(Same::InGroup);
  default:
    return "own";
  }
}

std::string StateWriter::index() {
  return R.chance(65)   ? neighbour()
         : R.chance(50) ? "(" + integer(1) + ") % 300u32"
                        : integer(1);
}

std::string StateWriter::operation() {
  return R.pick<const char *>(
      {" + ", " + ", " - ", " * ", " ^ ", " & ", " | "});
}

std::string StateWriter::integer(unsigned Depth, Same S) {
  if (Depth == 0 || R.chance(25))
    return atom(S);
  std::string A = integer(Depth - 1, S), B = integer(Depth - 1, S);
  bool Own = S == Same::PerItem;
  switch (R.below(16)) {
  case 0:
    return "(" + A + " >> " + R.pick<std::string>({"1u32", "3u32", "few"}) +
           ")";
  case 1:
    return "(" + A + R.pick<const char *>({" / ", " % "}) +
           (R.chance(50) ? number(2 + R.below(9)) : "(" + B + " | few)") + ")";
  case 2:
  case 3:
    return Own ? "long_u[" + index() + "]" : "long_u[" + A + "]";
  case 4:
    return "gpu::" + R.pick<std::string>({"min", "max"}) + "(" + A + ", " + B +
           ")";
  case 5:
    return "gpu::select(" + condition(Depth - 1, S) + ", " + A + ", " + B + ")";
  case 9:
    return "(((" + A + " as i32) " +
           R.pick<std::string>({">> 2u32", "/ 3i32", "% 5i32"}) + ") as u32)";
  case 8:
    if (Own && Shared)
      return R.chance(70) ? "s[" + A + " % " + number(Size) + "]"
                          : "gpu::to_bits(sf[" + A + "])";
    return "(" + A + " ^ " + B + ")";
  case 6:
    return Own && PrivateInts ? "p[" + A + " % " + number(PrivateInts) + "]"
                              : "turn(" + A + ", " + B + ")";
  case 7:
    return Own ? R.pick<std::string>({"(" + floatAtom() + " as u32)",
                                      "gpu::to_bits(" + floatAtom() + ")",
                                      Again ? "four_again[own * 4u32 + 1u32]"
                                            : "four[own * 4u32 + 2u32]"})
               : A;
  default:
    return "(" + A + operation() + B + ")";
  }
}

std::string StateWriter::floatAtom() {
  std::vector<std::string> From{"0.0",         "1.0",        "0.5",
                                "-3.25",       "1e-30",      "(few as f32)",
                                "(lx as f32)", "long_f[own]"};
  for (unsigned Twice = 0; Twice < 3; ++Twice)
    From.insert(From.end(), Floats.begin(), Floats.end());
  return R.pick(From);
}

std::string StateWriter::floating(unsigned Depth) {
  if (Depth == 0 || R.chance(20))
    return floatAtom();
  std::string A = floating(Depth - 1), B = floating(Depth - 1);
  switch (R.below(12)) {
  case 0:
  case 1:
    return "gpu::" + R.pick<std::string>({"min", "max"}) + "(" + A + ", " + B +
           ")";
  case 2:
    return "gpu::select(" + A + R.pick<const char *>({" < ", " > ", " >= "}) +
           B + ", " + A + ", " + B + ")";
  case 3:
    return "gpu::" + R.pick<std::string>({"abs", "sqrt", "floor"}) + "(" + A +
           ")";
  case 4:
    return "(" + integer(Depth - 1) + " as f32)";
  case 5:
  case 6:
    return "long_f[" + index() + "]";
  case 7:
    return PrivateFloats
               ? "pf[" + integer(1) + " % " + number(PrivateFloats) + "]"
               : "(-" + A + ")";
  case 8:
    return "gpu::fma(" + A + ", " + B + ", " + floatAtom() + ")";
  default:
    return "(" + A + R.pick<const char *>({" + ", " - ", " * ", " / "}) + B +
           ")";
  }
}

/// A place of a workgroup array that no other work-item has; some are outside.
std::string StateWriter::ownPlace() {
  std::string N = number(Size);
  switch (R.below(8)) {
  case 0:
    return number(Size - 1) + " - lid";
  case 1:
    return "lid + " + atom(Same::InGroup);
  case 2:
    return "(lid + " + number(R.below(Size)) + ") % " + N;
  case 3:
    return "lid * 2u32";
  case 4:
    return "lid ^ 1u32";
  default:
    return "lid";
  }
}

/// A comparison that cuts the items of a group in two.
std::string StateWriter::edge() {
  switch (R.below(5)) {
  case 0:
    return "own < " +
           R.pick<std::string>({"few * 9u32", "some", "100u32", "300u32"});
  case 1:
    return "lx < " + integer(1, Same::InGroup);
  case 2:
    return "own + " + atom(Same::InGroup) + " < few * 20u32";
  case 3:
    return "lx >= " + atom(Same::InGroup);
  default:
    return "ly == " + atom(Same::InGroup);
  }
}

std::string StateWriter::condition(unsigned Depth, Same S) {
  if (S == Same::PerItem && !Bools.empty() && R.chance(20))
    return R.pick<const char *>({"", "!"}) + R.pick(Bools) +
           (R.chance(50) ? "" : " && " + edge());
  if (S == Same::PerItem && R.chance(30))
    return edge();
  if (S == Same::PerItem && R.chance(15))
    return floating(Depth) + R.pick<const char *>({" < ", " >= ", " != "}) +
           floatAtom();
  std::string A = integer(Depth, S);
  if (R.chance(10))
    return "(" + A + " as i32) < (" + integer(Depth, S) + " as i32)";
  if (R.chance(40))
    return A + " % " + number(R.pick<uint32_t>({2, 3, 5, 7})) +
           " == " + number(R.below(2));
  return A + R.pick<const char *>({" < ", " >= ", " != ", " > "}) +
         integer(Depth, S);
}

std::string generateStateKernel(uint64_t Seed) {
  return StateWriter(Seed).run();
}

} // namespace goldy::fuzz
