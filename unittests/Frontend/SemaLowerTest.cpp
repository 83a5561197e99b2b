//===- SemaLowerTest.cpp - The IR that kernels become
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Golden IR text of small kernels: what is a value, what a slot, what a place.
//
//===----------------------------------------------------------------------===//
#include "SemaHelper.h"

#include <catch2/catch.hpp>

using namespace goldy;

/// Lowers, and checks that the text parses back to itself.
static std::string irOf(const std::string &Text, SemaOptions Options = {}) {
  Lowered L(Text, Options);
  INFO(L.rendered());
  REQUIRE(L.M);
  std::string Whole = moduleText(*L.M);
  DiagSink Diags;
  FileId File = L.SM.add("t.ir", Whole);
  std::optional<Module> Again = parseIRText(L.SM, File, Diags);
  REQUIRE(Again);
  CHECK(moduleText(*Again) == Whole);
  return L.ir();
}

TEST_CASE("saxpy") {
  CHECK(irOf("use goldy::gpu;\n"
             "#[goldy::compute(workgroup_size = [256, 1, 1])]\n"
             "fn saxpy(x: &[f32], y: &mut [f32], a: f32) {\n"
             "    let i = gpu::global_id().x;\n"
             "    if i < y.len() {\n"
             "        y[i] = a * x[i] + y[i];\n"
             "    }\n"
             "}\n") == "#[goldy::compute(workgroup_size = [256, 1, 1])]\n"
                       "fn saxpy(x: &[f32], y: &mut [f32], a: f32) {\n"
                       "    let i: u32 = gpu::global_id().x;\n"
                       "    let v0: u32 = y.len();\n"
                       "    let v1: bool = i < v0;\n"
                       "    if v1 {\n"
                       "        let v2: f32 = x[i];\n"
                       "        let v3: f32 = a * v2;\n"
                       "        let v4: f32 = y[i];\n"
                       "        let v5: f32 = v3 + v4;\n"
                       "        y[i] = v5;\n"
                       "    }\n"
                       "}\n");
}

TEST_CASE("cheap conditions are joined without a branch, others are not") {
  CHECK(irOf("fn f(x: &[u32], a: u32, b: u32) -> bool { "
             "a < b && b < x.len() || a < b && x[a] > 1 }") ==
        "fn f(x: &[u32], a: u32, b: u32) -> bool {\n"
        "    let mut s: bool;\n"
        "    let mut s_1: bool;\n"
        "    let v0: bool = a < b;\n"
        "    let v1: u32 = x.len();\n"
        "    let v2: bool = b < v1;\n"
        "    let v3: bool = v0 & v2;\n"
        "    s = v3;\n"
        "    let v4: bool = !v3;\n"
        "    if v4 {\n"
        "        let v5: bool = a < b;\n"
        "        s_1 = v5;\n"
        "        if v5 {\n"
        "            let v6: u32 = x[a];\n"
        "            let v7: bool = v6 > 1u32;\n"
        "            s_1 = v7;\n"
        "        }\n"
        "        let v8: bool = s_1;\n"
        "        s = v8;\n"
        "    }\n"
        "    let v9: bool = s;\n"
        "    return v9;\n"
        "}\n");
}

TEST_CASE("a helper exists for each kind of memory that its buffers are") {
  std::string Text = irOf(
      "fn first(x: &[u32]) -> u32 { x[0] } "
      "#[goldy::compute(workgroup_size = [4, 1, 1])] fn k(o: &mut [u32]) { "
      "let mut s = gpu::workgroup_array::<u32, 4>(); "
      "o[0] = first(o) + first(s) + first(s); }");
  CHECK(Text == "fn first(x: &[u32]) -> u32 {\n"
                "    let v0: u32 = x[0u32];\n"
                "    return v0;\n"
                "}\n"
                "\n"
                "fn first_w0(#[workgroup] x: &[u32]) -> u32 {\n"
                "    let v0: u32 = x[0u32];\n"
                "    return v0;\n"
                "}\n"
                "\n"
                "#[goldy::compute(workgroup_size = [4, 1, 1])]\n"
                "fn k(o: &mut [u32]) {\n"
                "    let mut s = gpu::workgroup_array::<u32, 4>();\n"
                "    let v0: u32 = first(o);\n"
                "    let v1: u32 = first_w0(s);\n"
                "    let v2: u32 = v0 + v1;\n"
                "    let v3: u32 = first_w0(s);\n"
                "    let v4: u32 = v2 + v3;\n"
                "    o[0u32] = v4;\n"
                "}\n");
}

TEST_CASE("nothing behind a jump is lowered") {
  CHECK(irOf("fn f(a: u32) -> u32 { if a > 1 { return 1; a; } "
             "loop { break; } return a; 3 }") ==
        "fn f(a: u32) -> u32 {\n"
        "    let v0: bool = a > 1u32;\n"
        "    if v0 {\n"
        "        return 1u32;\n"
        "    }\n"
        "    'l0: loop {\n"
        "        break 'l0;\n"
        "    }\n"
        "    return a;\n"
        "}\n");
}

TEST_CASE("places are paths, constant indices of arrays are members") {
  CHECK(irOf("#[goldy::gpu] struct P { v: gpu::Float3, a: [f32; 3] } "
             "fn f(p: &mut [P], i: i32) { p[i].a[2] = p[1].v.y; "
             "p[i].a[i] += p[0].a.x; }") == "#[goldy::gpu]\n"
                                            "struct P {\n"
                                            "    v: gpu::Float3,\n"
                                            "    a: [f32; 3],\n"
                                            "}\n"
                                            "\n"
                                            "fn f(p: &mut [P], i: i32) {\n"
                                            "    let v0: f32 = p[1u32].v.y;\n"
                                            "    p[i].a[2] = v0;\n"
                                            "    let v1: f32 = p[0u32].a[0];\n"
                                            "    let v2: f32 = p[i].a[i];\n"
                                            "    let v3: f32 = v2 + v1;\n"
                                            "    p[i].a[i] = v3;\n"
                                            "}\n");
}

TEST_CASE("a long repeated array is filled by a loop") {
  CHECK(irOf("fn f(i: u32) -> f32 { let mut a = [0.5; 100]; a[i] }") ==
        "fn f(i: u32) -> f32 {\n"
        "    let mut a: [f32; 100];\n"
        "    for v0 in 0u32..100u32 {\n"
        "        a[v0] = 0.5f32;\n"
        "    }\n"
        "    let v1: f32 = a[i];\n"
        "    return v1;\n"
        "}\n");
}

TEST_CASE("loops keep their unroll request") {
  Lowered L("fn f() { #[unroll] for i in 0..4 { } #[unroll(4)] for i in 0..8 "
            "{ } for i in 0..2 { } }");
  REQUIRE(L.M);
  const Function &F = L.M->Functions[L.M->find("f")];
  std::vector<uint32_t> Unroll;
  for (const Inst &I : F.Insts)
    if (I.Opcode == Op::For)
      Unroll.push_back(I.Unroll);
  CHECK(Unroll == std::vector<uint32_t>{UnrollFull, 4, 0});
}

TEST_CASE("the prelude calls raw operations by name") {
  SemaOptions Options;
  Options.IsPrelude = true;
  CHECK(irOf("fn div(a: i32, b: i32) -> i32 { ir::raw_div(a, b) } "
             "fn trunc(x: f32) -> i32 { ir::raw_to_int(ir::flush(x)) } "
             "fn quiet(x: f32) -> f32 { ir::canon_nan(x) } "
             "fn shl(a: u32) -> u32 { ir::raw_shl(a, 3) | ir::raw_rem(a, 7) }",
             Options) == "fn div(a: i32, b: i32) -> i32 {\n"
                         "    let v0: i32 = ir::raw_div(a, b);\n"
                         "    return v0;\n"
                         "}\n"
                         "\n"
                         "fn trunc(x: f32) -> i32 {\n"
                         "    let v0: f32 = ir::flush(x);\n"
                         "    let v1: i32 = ir::raw_to_int(v0);\n"
                         "    return v1;\n"
                         "}\n"
                         "\n"
                         "fn quiet(x: f32) -> f32 {\n"
                         "    let v0: f32 = ir::canon_nan(x);\n"
                         "    return v0;\n"
                         "}\n"
                         "\n"
                         "fn shl(a: u32) -> u32 {\n"
                         "    let v0: u32 = ir::raw_shl(a, 3u32);\n"
                         "    let v1: u32 = ir::raw_rem(a, 7u32);\n"
                         "    let v2: u32 = v0 | v1;\n"
                         "    return v2;\n"
                         "}\n");
}
