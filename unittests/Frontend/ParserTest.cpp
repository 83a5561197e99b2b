//===- ParserTest.cpp - The grammar, recovery and hostile input -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ParserHelper.h"

#include <catch2/catch.hpp>
#include <chrono>

using namespace goldy;

namespace {
/// The tree of one expression, without its surroundings.
std::string exprTree(const std::string &Text) {
  Parsed P("const X: u32 = " + Text + ";");
  CHECK(P.findings() == "");
  std::string Tree = P.tree(), Out;
  std::istringstream In(Tree);
  std::string Line;
  std::getline(In, Line);
  while (std::getline(In, Line))
    Out += Line.substr(2) + "\n";
  return Out;
}
/// Fully parenthesised.
std::string shape(const std::string &Text) {
  Parsed P("const X: u32 = " + Text + ";");
  CHECK(P.findings() == "");
  struct Render {
    const ast::Ast &T;
    std::string operator()(ast::ExprId Id) const {
      const ast::Expr &E = T[Id];
      static const char *Ops[] = {
          "+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
          ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
      switch (E.Form) {
      case ast::ExprForm::Binary:
        return "(" + (*this)(E.Kids[0]) + Ops[unsigned(E.Binary)] +
               (*this)(E.Kids[1]) + ")";
      case ast::ExprForm::Unary:
        return std::string("(") + (E.Unary == ast::UnaryOp::Neg ? "-" : "!") +
               (*this)(E.Kids[0]) + ")";
      case ast::ExprForm::Cast:
        return "(" + (*this)(E.Kids[0]) + " as " +
               std::string(T[E.Type].Name.Segments[0].Text) + ")";
      case ast::ExprForm::MethodCall:
        return (*this)(E.Kids[0]) + "." + std::string(E.Member.Text) + "()";
      case ast::ExprForm::Int:
        return std::to_string(E.IntValue) + std::string(E.Suffix);
      case ast::ExprForm::Float:
        return "f" + std::string(E.Digits) + std::string(E.Suffix);
      case ast::ExprForm::Name:
        return std::string(E.Name.Segments[0].Text);
      default:
        return "?";
      }
    }
  };
  return Render{P.Tree}(P.Tree.Items[0].Value);
}
} // namespace

TEST_CASE("precedence is Rust's") {
  CHECK(shape("a + b * c") == "(a+(b*c))");
  CHECK(shape("a - b - c") == "((a-b)-c)");
  CHECK(shape("a << b + c") == "(a<<(b+c))");
  CHECK(shape("a & b << c") == "(a&(b<<c))");
  CHECK(shape("a | b ^ c & d") == "(a|(b^(c&d)))");
  CHECK(shape("a & b == c") == "((a&b)==c)");
  CHECK(shape("a == b && c < d || e") == "(((a==b)&&(c<d))||e)");
  CHECK(shape("-a as u32 * b") == "(((-a) as u32)*b)");
  CHECK(shape("!a & b") == "((!a)&b)");
  CHECK(shape("-a.abs()") == "(-a.abs())");
  CHECK(shape("a as u32 as i32") == "((a as u32) as i32)");
  CHECK(shape("a && b == c") == "(a&&(b==c))");
}

TEST_CASE("numbers in every form") {
  CHECK(shape("1_000u32") == "1000u32");
  CHECK(shape("0xff_FF") == "65535");
  CHECK(shape("0o17") == "15");
  CHECK(shape("0b1010_1010u32") == "170u32");
  CHECK(shape("0x1f32") == "7986");
  CHECK(shape("2.") == "f2.");
  CHECK(shape("1e3") == "f1e3");
  CHECK(shape("1.5e-3_f32") == "f1.5e-3f32");
  CHECK(shape("1f32") == "f1f32");
  CHECK(shape("2.0.sqrt()") == "f2.0.sqrt()");
  CHECK(shape("1.max()") == "1.max()");
  CHECK(shape("18446744073709551615") == "18446744073709551615");
  Parsed Over("const X: u64 = 18446744073709551616;");
  CHECK(Over.Tree[Over.Tree.Items[0].Value].IntOverflow);
}

TEST_CASE("ranges and floats share a dot") {
  Parsed P =
      inKernel("for i in 1..n {} for i in 0..=2.max(3) {} "
               "for _ in (0..n).step_by(2) {} #[unroll(4)] for j in 0..4 {}");
  CHECK(P.findings() == "");
  CHECK(P.tree() ==
        "fn k\n  body\n"
        "    for i\n      from\n        int 1\n      to\n        name n\n      "
        "body\n"
        "    for i inclusive\n      from\n        int 0\n      to\n"
        "        method max\n          int 2\n          int 3\n      body\n"
        "    for _\n      from\n        int 0\n      to\n        name n\n"
        "      step\n        int 2\n      body\n"
        "    for j unroll(4)\n      from\n        int 0\n      to\n        int "
        "4\n"
        "      body\n");
}

TEST_CASE("block-like statements end themselves") {
  Parsed P = inKernel("if a { b(); } else { c(); } -d; match x { 0 | 1..=3 => "
                      "{} _ => e(), } loop { break; } 'o: while f { continue "
                      "'o; } { g } ");
  CHECK(P.findings() == "");
  const ast::BlockNode &B = P.Tree[P.Tree.Items[0].Body];
  CHECK(B.Stmts.size() == 5);
  REQUIRE(B.Tail.isValid());
  CHECK(P.Tree[B.Tail].Form == ast::ExprForm::Block);
  CHECK(P.Tree[P.Tree[B.Stmts[1]].Value].Form == ast::ExprForm::Unary);
}

TEST_CASE("values of blocks") {
  Parsed P = inKernel("let a = if c { 1 } else if d { 2 } else { 3 }; a");
  CHECK(P.findings() == "");
  Parsed Q = inKernel("while c {}");
  CHECK(!Q.Tree[Q.Tree.Items[0].Body].Tail.isValid());
  Parsed R = inKernel("match x { 0 => (), _ => return }");
  CHECK(R.findings() == "");
}

TEST_CASE("type arguments") {
  CHECK(exprTree("gpu::workgroup_array::<f32, 256>()") ==
        "call gpu::workgroup_array::<f32, 256>\n");
  CHECK(exprTree("gpu::workgroup_sum::<N>(v, s)") ==
        "call gpu::workgroup_sum::<N>\n  name v\n  name s\n");
  CHECK(exprTree("f::<{ 4 * N }>()").substr(0, 4) == "call");
  CHECK(exprTree("f::<4 * 8>()") == "call f::<4 * 8>\n");
  Parsed P(
      "fn f(x: gpu::BufRO<gpu::BufRO<f32>>, y: &mut [gpu::Float3], z: &[[f32; "
      "N]]) {}");
  CHECK(P.findings() == "");
  CHECK(P.tree() == "fn f\n  param x: gpu::BufRO<gpu::BufRO<f32>>\n  param y: "
                    "&mut [gpu::Float3]\n  param z: &[[f32; N]]\n  body\n");
}

TEST_CASE("items, attributes and docs") {
  Parsed P("#![allow(unused)]\n"
           "//! file\n"
           "use goldy::gpu;\nmod blur;\n"
           "#[goldy::spec] pub const TILE: u32 = 8;\n"
           "/// A point.\n#[goldy::gpu]\n#[derive(Clone, Copy)]\n"
           "pub struct P { pub a: f32, v: gpu::Float3, p: [f32; 3] }\n"
           "/** One.\n Two. */\n"
           "#[goldy::compute(workgroup_size = [8, 8, 1], nondeterministic, "
           "binding = words)]\n"
           "fn k(#[tensor(shape = [dim, _, 128])] x: gpu::Tensor<f32>, mut n: "
           "u32) { }\n"
           "#[goldy::program]\nfn p(n: u32) { #[two_copies] let s = "
           "gpu::buffer::<f32, 4>(); for i in (0..n).while_flag(s, 1) { "
           "k(s, i).over_1d(n); } gpu::host_call(\"done\", n); }\n");
  CHECK(P.findings() == "4:5 G0730"); // one file alone
  CHECK(P.Tree.InnerAttributes.size() == 1);
  REQUIRE(P.Tree.Items.size() == 6);
  CHECK(P.Tree.Items[3].Doc == "A point.");
  CHECK(P.Tree.Items[4].Doc == "One.\nTwo.");
  CHECK(P.tree().find("attribute tensor(shape = [dim, _, 128])") !=
        std::string::npos);
  CHECK(P.tree().find("attribute goldy::compute(workgroup_size = [8, 8, 1], "
                      "nondeterministic, binding = words)") !=
        std::string::npos);
  CHECK(P.tree().find("attribute two_copies") != std::string::npos);
  CHECK(P.tree().find("flag-index") != std::string::npos);
}

TEST_CASE("struct literals and heads") {
  CHECK(exprTree("P { a: 1, b, }") ==
        "struct P\n  a\n    int 1\n  b\n    name b\n");
  CHECK(inKernel("if (P { a: 1 }).a == x { }").findings() == "");
  CHECK(inKernel("for i in 0..n { } while x { } match x { _ => {} }")
            .findings() == "");
}

TEST_CASE("ten mistakes give ten errors") {
  std::string Text = "fn k() {\n";
  for (int I = 0; I < 5; ++I)
    Text += "  let a = 1 + ;\n  let b = (2 3);\n";
  CHECK(Parsed(Text + "}\n").Diags.errorCount() == 10);
  Text = "";
  for (int I = 0; I < 10; ++I)
    Text += "fn () {}\n";
  CHECK(Parsed(Text).Diags.errorCount() == 10);
}

TEST_CASE("recovery stays in its statement") {
  CHECK(inKernel("\nlet a = 1\nlet b = 2;\n").findings() == "2:10 G0111");
  CHECK(inKernel("\nif a b { c(; ); }\nlet = 3;\nlet x = 1;").findings() ==
        "2:6 G0110, 3:5 G0110");
  CHECK(inKernel("\nfoo(1 2, 3);\nbar(];\n").findings() == "3:5 G0108");
  CHECK(Parsed("fn a( { }\nfn b() { let ; }\n").findings() == "3:1 G0107");
  CHECK(Parsed("struct\nfn b() { let ; }\n").findings().find("2:14 G0110") !=
        std::string::npos);
}

TEST_CASE("unclosed brackets give one error that names the opening one") {
  Parsed P("fn k() {\n    if a {\n        b();\n}\n");
  CHECK(P.findings() == "5:1 G0107");
  REQUIRE(P.Diags.diagnostics()[0].Notes.size() == 2);
  CHECK(P.SM.lineColumn(P.Tree.File,
                        P.Diags.diagnostics()[0].Notes[1].Where.Begin)
            .Line == 2);
  CHECK(P.Tree.Incomplete);
  CHECK(Parsed("fn a() { let x = ; }\nfn b() {\n").findings() ==
        "3:1 G0107, 1:18 G0110");
  CHECK(Parsed("fn a() {} }").findings() == "1:11 G0108");
  CHECK(Parsed("fn a() { /* /* */ ").findings() == "1:10 G0103");
  CHECK(Parsed("fn a() { \"abc }").findings() == "1:10 G0104");
}

TEST_CASE("files of any bytes") {
  CHECK(Parsed("").findings() == "");
  CHECK(Parsed(" \r\n\t").findings() == "");
  CHECK(Parsed("\xEF\xBB\xBF").findings() == "");
  CHECK(Parsed("\xEF\xBB\xBFuse goldy::gpu;\r\nfn f() {\r\n let x = ;\r\n}")
            .findings() == "3:10 G0110");
  CHECK(Parsed("fn f() {}\xFF").findings() == "1:10 G0101");
  CHECK(Parsed(std::string("fn f() { \0\0 }", 13)).findings() == "1:10 G0102");
  CHECK(
      Parsed("fn f() { let x = 3 \xE2\x80\x94 2; }").findings().find("G0102") !=
      std::string::npos);
  std::string All;
  for (int I = 0; I < 256; ++I)
    All += static_cast<char>(I);
  CHECK(Parsed(All).Diags.errorCount() == 1);
}

TEST_CASE("nesting is bounded and hostile input is fast") {
  std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  constexpr size_t N = 300000;
  auto Repeat = [](std::string_view S, size_t Times) {
    std::string Out;
    for (size_t I = 0; I < Times; ++I)
      Out += S;
    return Out;
  };
  CHECK(Parsed(Repeat("(", N)).findings() == "1:257 G0109");
  CHECK(Parsed(Repeat("{", N)).Diags.errorCount() == 1);
  CHECK(inKernel("let a = " + Repeat("-", N) + "1;").Diags.errorCount() == 1);
  CHECK(inKernel("let a = " + Repeat("!&*", N / 4) + "1;").Diags.errorCount() ==
        1);
  CHECK(
      inKernel("let a = 1" + Repeat(" + 1", 100000) + ";").Diags.errorCount() ==
      1);
  CHECK(inKernel("let a = b" + Repeat(".c", 100000) + ";").Diags.errorCount() ==
        1);
  CHECK(inKernel(Repeat("if a {} else ", 100000) + "{}").Diags.errorCount() ==
        1);
  CHECK(inKernel("a" + Repeat(" = a", 100000) + ";").Diags.errorCount() == 1);
  CHECK(inKernel("let a: " + Repeat("&", 100000) + "u32;").Diags.errorCount() ==
        1);
  CHECK(inKernel(Repeat("return ", 100000) + "1;").Diags.errorCount() == 1);
  // The closure and the nesting are two faults.
  CHECK(inKernel("g(" + Repeat("|| ", 100000) + "1);").Diags.errorCount() == 2);
  CHECK(inKernel(Repeat("'a: ", 100000) + "{}").Diags.errorCount() >= 1);
  CHECK(inKernel("let a = " + Repeat("(", 200) + "1" + Repeat(")", 200) + ";")
            .findings() == "");
  CHECK(inKernel("let a = 1" + Repeat(" + 1", 200) + ";").findings() == "");
  CHECK(std::chrono::steady_clock::now() - Start < std::chrono::seconds(60));
}
