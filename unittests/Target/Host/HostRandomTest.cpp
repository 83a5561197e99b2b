//===- HostRandomTest.cpp - Random kernels against the interpreter
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels without data races and without endless loops: each work-item writes
// its own element, loops count to a small bound, workgroup memory is written
// at the own index and read after a barrier, barriers stand under conditions
// on parameters and loop counters only. Everything else is chance: nesting,
// divergence, exits to any enclosing label, indices in and out of range.
//
//===----------------------------------------------------------------------===//
#include "HostRun.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::test;

namespace {

class Generator {
public:
  Generator(uint32_t Seed, bool Barriers) : State(Seed * 2654435761u + 12345) {
    static const char *const Sizes[] = {"[64, 1, 1]", "[16, 4, 1]", "[5, 3, 2]",
                                        "[1, 1, 1]",  "[20, 1, 1]", "[8, 8, 1]",
                                        "[33, 1, 1]", "[4, 4, 4]"};
    static const unsigned Counts[] = {64, 64, 30, 1, 20, 64, 33, 64};
    unsigned Which = below(8);
    Group = Counts[Which];
    Text = std::string("use goldy::gpu;\n#[goldy::compute(workgroup_size = ") +
           Sizes[Which] +
           ")]\nfn k(x: &[u32], y: &mut [u32], n: u32, m: u32) {\n";
    if (Barriers)
      line("let mut s = gpu::workgroup_array::<u32, " + std::to_string(Group) +
           ">();");
    line("let t = gpu::local_id(); let z = gpu::workgroup_size();");
    line("let l = (t.z * z.y + t.y) * z.x + t.x;");
    line("let i = gpu::workgroup_id().x * " + std::to_string(Group) + " + l;");
    line("let mut p = [n, i, 3, l, 5];");
    for (unsigned V = 0; V < NumVars; ++V)
      line("let mut v" + std::to_string(V) + " = " + leaf() + ";");
    for (unsigned Part = 0; Part < 3; ++Part) {
      if (Barriers)
        barrierPart(Part);
      else
        statements(3);
    }
    if (chance(3))
      line("if " + condition() + " { return; }");
    line("y[i] = v0 + v1 * 3 + v2 * 5 + v3 * 7 + p[n % 5] + p[v0 % 6];");
    Text += "}\n";
  }
  std::string Text;
  unsigned Group;

private:
  static constexpr unsigned NumVars = 4;
  uint32_t State;
  unsigned Depth = 0, Labels = 0;
  std::vector<std::string> Loops, Blocks;

  uint32_t next() {
    State = State * 1664525u + 1013904223u;
    return State >> 8;
  }
  unsigned below(unsigned N) { return next() % N; }
  bool chance(unsigned N) { return below(N) == 0; }
  void line(const std::string &S) { Text += "    " + S + "\n"; }
  std::string var() { return "v" + std::to_string(below(NumVars)); }

  std::string leaf() {
    switch (below(8)) {
    case 0:
      return "i";
    case 1:
      return "n";
    case 2:
      return "t.y";
    case 3:
      return "t.x";
    case 4:
      return std::to_string(below(40));
    default:
      return "x[" + std::string(chance(2) ? "i" : "n") + "]";
    }
  }
  std::string expression(unsigned Levels = 2) {
    if (Levels == 0)
      return chance(2) ? var() : leaf();
    std::string A = expression(Levels - 1), B = expression(Levels - 1);
    static const char *const Ops[] = {"+", "-", "*", "^", "&", "|", "/", "%"};
    if (B.find_first_not_of("0123456789()<>*-+^&|/% ") == std::string::npos)
      B = var(); // constant divisors and shifts are checked when compiling
    switch (below(16)) {
    case 0:
      return "x[" + A + " % 290]";
    case 1:
      return "(" + A + " << " + B + ")";
    case 2:
      return "(" + A + " >> (" + B + " % 5))";
    case 3:
      return A + ".min(" + B + ")";
    case 4:
      return "(if " + condition() + " { " + A + " } else { " + B + " })";
    case 5:
      return "((" + A + " as f32 * 0.37 - " + B + " as f32) as i32 as u32)";
    case 6:
      return "p[" + A + " % 6]";
    case 7:
      return "x[i + " + std::to_string(below(5)) + " - 2]";
    case 8:
      return "y[i]";
    default:
      return "(" + A + " " + Ops[below(8)] + " " + B + ")";
    }
  }
  std::string condition() {
    static const char *const Ops[] = {"<", "<=", ">", ">=", "==", "!="};
    if (chance(4))
      return std::string("n ") + Ops[below(6)] + " m";
    std::string Mod = std::to_string(2 + below(5));
    return "(" + expression(1) + ") % " + Mod + " " + Ops[below(6)] + " " +
           std::to_string(below(4));
  }

  void statements(unsigned Count) {
    for (unsigned N = 0; N < Count; ++N)
      statement();
  }
  void braces(unsigned Count) {
    ++Depth;
    statements(Count);
    --Depth;
    line("}");
  }

  void statement() {
    unsigned Kind = below(Depth >= 3 ? 6 : 14);
    switch (Kind) {
    case 0:
    case 1:
    case 2:
      line(var() + " = " + expression() + ";");
      return;
    case 3:
      line("y[i] = " + expression() + ";");
      return;
    case 4:
      line("p[" + std::string(chance(2) ? "n" : var()) +
           " % 5] = " + expression(1) + ";");
      return;
    case 5:
      exit();
      return;
    case 6:
    case 7:
    case 8:
      line("if " + condition() + " {");
      braces(1 + below(2));
      if (chance(2)) {
        line("else {");
        braces(1 + below(2));
      }
      return;
    case 9:
    case 10:
    case 11:
      loop();
      return;
    case 12:
      line("for k" + std::to_string(Labels++) + " in 0..(" + expression(1) +
           ") % 5 {");
      braces(1 + below(3));
      return;
    default:
      block();
      return;
    }
  }

  void loop() {
    std::string N = std::to_string(Labels++);
    line("let mut c" + N + " = 0;");
    line("let b" + N + " = (" + (chance(2) ? "n" : expression(1)) + ") % 6;");
    line("'l" + N + ": while c" + N + " < b" + N + " { c" + N + " += 1;");
    Loops.push_back("'l" + N);
    braces(1 + below(3));
    Loops.pop_back();
    if (chance(2))
      line(var() + " += c" + N + ";");
  }

  void block() {
    std::string N = "'l" + std::to_string(Labels++);
    line(N + ": {");
    Blocks.push_back(N);
    braces(1 + below(3));
    Blocks.pop_back();
  }

  void exit() {
    std::string What;
    if (!Loops.empty() && chance(2))
      What = (chance(2) ? "break " : "continue ") + Loops[below(Loops.size())];
    else if (!Blocks.empty())
      What = "break " + Blocks[below(Blocks.size())];
    else if (chance(4) && !Uniform)
      What = "return";
    else
      return;
    line("if " + condition() + " { " + (chance(2) ? var() + " += 1; " : "") +
         What + "; }");
  }

  bool Uniform = false; ///< within control that holds a barrier
  void barrierPart(unsigned Part) {
    Uniform = true;
    std::string K = "r" + std::to_string(Part);
    unsigned Kind = below(3);
    if (Kind == 0)
      line("if n > m {");
    else if (Kind == 1)
      line("for " + K + " in 0..n % 4 {");
    else
      line("{ let " + K + " = n;");
    std::vector<std::string> NoLoops, NoBlocks;
    Loops.swap(NoLoops);
    Blocks.swap(NoBlocks);
    statements(below(4));
    line("s[l] = " + expression(1) + ";");
    line("gpu::workgroup_barrier();");
    statements(below(3));
    line(var() + " = s[(l + " + (Kind == 0 ? std::string("3") : K) + ") % " +
         std::to_string(Group) + "] + s[" + var() + " % " +
         std::to_string(Group + 1) + "];");
    line("gpu::workgroup_barrier();");
    statements(below(4));
    line("}");
    Loops.swap(NoLoops);
    Blocks.swap(NoBlocks);
    statements(below(2));
    Uniform = Part < 2;
  }
};

void check(uint32_t Seed, bool Barriers) {
  Generator G(Seed, Barriers);
  INFO("seed " << Seed << "\n" << G.Text);
  size_t N = G.Group * 3 - G.Group / 3;
  checkKernel(G.Text, {3, 1, 1},
              {buffer(words(280, Seed)), buffer(words(N, Seed + 1)),
               scalar(Seed % 11), scalar(4)},
              Seed % 4 == 0 ? std::vector<unsigned>{0}
                            : std::vector<unsigned>{2});
}

} // namespace

TEST_CASE("random kernels") {
  for (uint32_t Seed = 0; Seed < 8; ++Seed)
    check(Seed, false);
}

TEST_CASE("random kernels with barriers") {
  for (uint32_t Seed = 0; Seed < 8; ++Seed)
    check(Seed, true);
}

TEST_CASE("many random kernels", "[.long]") {
  for (uint32_t Seed = 100; Seed < 600; ++Seed) {
    check(Seed, false);
    check(Seed, true);
  }
}
