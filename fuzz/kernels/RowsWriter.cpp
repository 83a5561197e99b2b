//===- RowsWriter.cpp - Kernels whose groups walk over rows ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RowsWriter.h"

#include "Generator.h"

namespace goldy::fuzz {

void RowsWriter::signature() {
  // Multiples of eight: docs/fuzzing.md.
  Items = R.pick<unsigned>({256, 256, 256, 128, 128, 64, 32, 192, 512, 72});
  line("use goldy::gpu;\n");
  line("#[goldy::compute(workgroup_size = [" + std::to_string(Items) +
       ", 1, 1])]");
  open("fn k(long_f: &[f32], long_g: &[f32], long_u: &[u32], four_rows: &mut "
       "[f32], out_u: &mut [u32], out_f: &mut [f32], few: u32, some: u32)");
  line("let mut s = gpu::workgroup_array::<f32, " + std::to_string(Items) +
       ">();");
  line("let l = gpu::local_id().x;");
  line("let wid = gpu::workgroup_id().x;");
  line("let own = gpu::global_id().x;");
  std::string N = number(Items);
  line("let cols = " +
       R.pick<std::string>({"some", "some", "few * 100u32", "few * " + N,
                            number(4 * Items), N, number(2 * Items + 17),
                            "some + " + number(3 * Items)}) +
       ";");
  line("let base = wid * cols;");
}

void RowsWriter::state() {
  for (unsigned N = 1 + R.below(3); N > 0; --N) {
    Floats.push_back(fresh("f"));
    line("let mut " + Floats.back() + ": f32 = " +
         R.pick<const char *>({"0.0", "0.0", "1.0", "f32::NEG_INFINITY",
                               "l as f32", "long_g[own]"}) +
         ";");
  }
  for (unsigned N = R.below(3); N > 0; --N) {
    Ints.push_back(fresh("a"));
    line("let mut " + Ints.back() + ": u32 = " +
         R.pick<const char *>({"0u32", "l", "few", "long_u[own]"}) + ";");
  }
}

std::string RowsWriter::read() {
  std::string At = R.chance(80)   ? Place
                   : R.chance(50) ? Place + " + " + number(1 + R.below(40))
                                  : Place + " - l";
  return R.pick<std::string>({"long_f[", "long_f[", "long_g["}) + At + "]";
}

std::string RowsWriter::term() {
  std::string X = read();
  if (!Group.empty() && R.chance(50))
    return "(" + X + R.pick<const char *>({" - ", " * ", " + "}) +
           R.pick(Group) + ")";
  switch (R.below(6)) {
  case 0:
    return X + " * " + X;
  case 1:
    return X + " * " + read();
  case 2:
    return "gpu::abs(" + X + ")";
  case 3:
    return "gpu::select(" + X + " < 0.0, 0.5, " + X + ")";
  default:
    return X;
  }
}

/// Work-items that leave the loop or the trip apart.
void RowsWriter::leaves() {
  line("if " +
       R.pick<std::string>({read() + " < -1.5", "long_u[" + Place + "] == 7u32",
                            "l > some", R.pick(Floats) + " > 30.0"}) +
       R.pick<const char *>({" { break; }", " { continue; }"}));
}

void RowsWriter::step(const std::string &Counter) {
  std::string V = R.pick(Floats);
  switch (R.below(Ints.empty() ? 8 : 10)) {
  case 0:
    return line(V + " = gpu::max(" + V + ", " + term() + ");");
  case 1:
    return line(V + " = gpu::fma(" + read() + ", " + term() + ", " + V + ");");
  case 2:
    return line(V + " = " + V + " * 0.5 + " + term() + ";");
  case 3:
    return line(V + " += " + R.pick(Floats) + ";");
  case 4:
  case 5: {
    open("if " + Counter + " < " + number(4 * Items));
    std::string Row = "four_rows[wid * " + number(4 * Items) + " + ";
    std::string E = R.chance(50) ? term() : term() + " - " + V;
    line(Row + Counter + "]" + (R.chance(30) ? " *= " : " = ") + E + ";");
    return close();
  }
  case 8:
    return line(R.pick(Ints) + " += long_u[" + Place + "];");
  case 9:
    return line(R.pick(Ints) + " = " + R.pick(Ints) + " * 5u32 ^ long_u[" +
                Place + "];");
  default:
    return line(V + " += " + term() + ";");
  }
}

void RowsWriter::loop() {
  std::string C = fresh("c"), N = number(Items);
  std::string Counter = C;
  bool ByTrip = R.chance(35), Own = R.chance(15);
  if (Own)
    line("let mut " + C + " = l;");
  if (Own)
    open("while " + C + " < cols");
  else if (ByTrip)
    open("for " + C + " in 0u32.." +
         R.pick<std::string>({"few", "few + 1u32", "4u32", "some % 12u32"}));
  else
    open("for " + C + " in (l..cols).step_by(" + N + ")");
  if (ByTrip) {
    Counter = C + " * " + N + " + l";
    Place = "wid * few * " + N + " + " + Counter;
  } else {
    Place = "base + " + C;
  }
  if (!Own && R.chance(12))
    leaves();
  for (unsigned Steps = 1 + R.below(3); Steps > 0; --Steps)
    step(Counter);
  if (Own)
    line(C + " += " + N + ";");
  close();
}

/// By halves, as far as the group is a power of two.
void RowsWriter::tree() {
  std::string V = R.pick(Floats), K = fresh("k");
  bool Most = R.chance(40);
  line("s[l] = " + V + ";");
  line("gpu::workgroup_barrier();");
  line("let mut " + K + " = " + number(Items / 2) + ";");
  open("while " + K + " > 0u32");
  open("if l < " + K);
  line(Most ? "s[l] = gpu::max(s[l], s[l + " + K + "]);"
            : "s[l] += s[l + " + K + "];");
  close();
  line("gpu::workgroup_barrier();");
  line(K + " = " + K + " >> 1u32;");
  close();
  Group.push_back(fresh("m"));
  std::string From = R.pick<const char *>({"s[0]", "s[0]", "1.0 / s[0]"});
  line("let " + Group.back() + " = " + From + ";");
  line("gpu::workgroup_barrier();");
}

void RowsWriter::results() {
  std::string U = "0u32", F = Floats[0];
  for (const std::string &V : Ints)
    U = "(" + U + " * 5u32 ^ " + V + ")";
  for (size_t N = 1; N < Floats.size(); ++N)
    U = "(" + U + " * 3u32 ^ gpu::to_bits(" + Floats[N] + "))";
  for (const std::string &G : Group)
    F += " + " + G;
  line("out_u[own] = " + U + ";");
  line("out_f[own] = " + F + ";");
}

std::string RowsWriter::run() {
  signature();
  state();
  for (unsigned Loops = 1 + R.below(3); Loops > 0; --Loops) {
    loop();
    if (R.chance(45))
      tree();
  }
  results();
  close();
  return std::move(Out);
}

std::string generateRowsKernel(uint64_t Seed) { return RowsWriter(Seed).run(); }

} // namespace goldy::fuzz
