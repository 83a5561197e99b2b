//===- SemaErrorTest.cpp - What analysis refuses, and how it says so
//--------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row a fault: the place and code of every finding, the exact message and
// the text that it points at. A row has all findings of its text, so it also
// says that nothing follows from the fault.
//
//===----------------------------------------------------------------------===//
#include "SemaHelper.h"

#include <catch2/catch.hpp>

#include <set>

using namespace goldy;

namespace {

struct Case {
  std::string Text, Findings, Message, Guilty;
  std::vector<std::pair<std::string, std::string>> Defines = {};
  bool IsPrelude = false;
};

std::string kernel(const std::string &Body, const std::string &Items = "") {
  return Items +
         "#[goldy::compute(workgroup_size = [64, 1, 1])]\n"
         "fn k(x: &[f32], w: gpu::Scattered<f32>, o: &mut [u32], n: u32) {\n" +
         Body + "\n}\n";
}

const std::vector<Case> Cases = {
    {kernel("o[0] = j2;"), "3:8 G0200", "there is no name `j2` here", "j2"},
    {kernel("o[0] = nn;"), "3:8 G0200", "there is no name `nn` here", "nn"},
    {kernel("o[0] = min(1, 2);"), "3:8 G0213", "there is no function `min`",
     "min"},
    {kernel("o[0] = gpu::MAX;"), "3:8 G0200", "there is no name `gpu::MAX`",
     "gpu::MAX"},
    {kernel("let a: Float3 = gpu::float3(1.0, 1.0, 1.0);"), "3:8 G0201",
     "there is no type `Float3`", "Float3"},
    {kernel("let a: gpu::Float5 = 1;"), "3:8 G0201",
     "there is no type `gpu::Float5`", "gpu::Float5"},
    {"fn f(a: P2) -> u32 { 1 }", "1:4 G0440",
     "function `f` is skipped: its signature has the host's type `P2`", "f"},
    {"const A: u32 = 1;\nfn A() { }", "2:4 G0202", "`A` is declared twice",
     "A"},
    {"fn f(a: u32, a: f32) { }", "1:14 G0202",
     "parameter `a` is declared twice", "a"},
    {kernel("let p = P { a: 1, a: 2 };", "#[goldy::gpu] struct P { a: u32 }\n"),
     "4:19 G0202", "field `a` is given twice", "a"},
    {"#[goldy::compute]\nfn k(o: &mut [u32]) { }", "1:1 G0204",
     "kernel `k` states no `workgroup_size`", "#[goldy::compute]"},
    {"#[goldy::compute(workgroup_size = 64)]\nfn k(o: &mut [u32]) { }",
     "1:18 G0205", "`workgroup_size` is a list of three numbers",
     "workgroup_size = 64"},
    {"#[goldy::compute(workgroup_size = [32, 32, 2])]\nfn k(o: &mut [u32]) { "
     "}",
     "1:35 G0206",
     "workgroup of 32 x 32 x 2 = 2048 work-items, at most 1024 are possible",
     "[32, 32, 2]"},
    {"#[goldy::compute(workgroup_size = [2, 1, 128])]\nfn k(o: &mut [u32]) { "
     "}",
     "1:35 G0206", "workgroup extent z is 128, at most 64 is possible",
     "[2, 1, 128]"},
    {"#[goldy::compute(workgroup_size = [64, 1, 1], nondeterminstic)]\nfn "
     "k(o: &mut [u32]) { }",
     "1:47 G0207", "`goldy::compute` has no argument `nondeterminstic`",
     "nondeterminstic"},
    {"#[goldy::compute(64)]\nfn k(o: &mut [u32]) { }", "1:18 G0207",
     "arguments of `goldy::compute` have names", "64"},
    {"const A: u32 = B;\nconst B: u32 = A + 1;", "1:7 G0208",
     "constant `A` depends on itself", "A"},
    {"#[goldy::gpu] struct P { q: Q }\n#[goldy::gpu] struct Q { p: [P; 2] }",
     "1:22 G0209", "struct `P` contains itself", "P"},
    {"const SIZE: u32 = 1;",
     "0:0 G0210",
     "`-D SIZZE`: there is no constant `SIZZE`",
     "",
     {{"SIZZE", "2"}}},
    {"const SIZE: u32 = 1;",
     "0:0 G0211",
     "`-D SIZE=-2`: `-2` is not a value of type `u32`",
     "",
     {{"SIZE", "-2"}}},
    {"fn a(n: u32) -> u32 { b(n) }\nfn b(n: u32) -> u32 { if n == 0 { return "
     "0; } a(n - 1) }",
     "2:47 G0212", "recursion is refused: `a` calls `b` calls `a`", "a(n - 1)"},
    {kernel("o[0] = gpu::mim(1, 2);"), "3:8 G0213",
     "there is no function `gpu::mim`", "gpu::mim"},
    {kernel("o[0] = twice(n);", "fn twise(n: u32) -> u32 { n }\n"), "4:8 G0213",
     "there is no function `twice`", "twice"},
    {kernel("let p = P(1);", "#[goldy::gpu] struct P { a: u32 }\n"),
     "4:9 G0213", "there is no function `P`", "P"},
    {kernel("let v = gpu::Float2(1.0, 2.0);"), "3:9 G0213",
     "there is no function `gpu::Float2`", "gpu::Float2"},
    {kernel("o[0] = p(n).cuont;", "#[goldy::gpu] struct P { count: u32 }\nfn "
                                  "p(n: u32) -> P { P { count: n } }\n"),
     "5:13 G0214", "struct `P` has no field `cuont`", "cuont"},
    {kernel("o[0] = gpu::float2(1.0, 2.0).z as u32;"), "3:30 G0214",
     "`gpu::Float2` has no component `z`", "z"},
    {kernel("o[0] = n.x;"), "3:10 G0214", "`u32` has no field `x`", "x"},
    {kernel("o[0] = n.leading_ones();"), "3:10 G0215",
     "`u32` has no method `leading_ones`", "leading_ones"},
    {kernel("o[0] = o.size();"), "3:10 G0215", "`o` has no method `size`",
     "size"},
    {kernel("o[0] = n.wrapping_add(1);"), "3:10 G0215",
     "`u32` has no method `wrapping_add`", "wrapping_add"},
    {kernel("k(x, w, o, n);"), "3:1 G0216",
     "kernel `k` cannot be called from here", "k"},
    {"#[goldy::gpu]\nstruct P { }", "2:8 G0217", "struct `P` has no fields",
     "P"},
    {"#[goldy::compute(workgroup_size = [1, 1, 1])]\nfn k(o: &mut [u32]) -> "
     "u32 { 1 }",
     "2:24 G0218", "kernel `k` returns a value", "u32"},
    {"#[goldy::compute(workgroup_size = [1, 1, 1])]\nfn k(v: gpu::Float2) { "
     "}",
     "2:9 G0219",
     "kernel parameter `v` has type `gpu::Float2`; kernels take scalars, "
     "buffers and blocks",
     "gpu::Float2"},
    {"fn f(x: &[[f32; 4]]) { }", "1:11 G0220",
     "`[f32; 4]` cannot be an element: expected a scalar, a vector or a "
     "struct",
     "[f32; 4]"},
    {kernel("let a = [0; 0];"), "3:13 G0221",
     "the length of an array is at least 1, found 0", "0"},
    {"const A: gpu::Float2 = 1.0;", "1:10 G0222",
     "constant `A` has type `gpu::Float2`, expected a scalar or an array of "
     "scalars",
     "gpu::Float2"},
    {"const A: u32 = gpu::min(1, 2);", "1:16 G0223",
     "this is not a constant expression", "gpu::min(1, 2)"},
    {kernel("let a = [0; n];"), "3:13 G0223", "`n` is no constant", "n"},
    {kernel("if n > 1 { let s = gpu::workgroup_array::<f32, 4>(); }"),
     "3:20 G0224",
     "a workgroup array is declared by a `let` at the top level of a kernel",
     "gpu::workgroup_array::<f32, 4>()"},
    {"fn f() { gpu::workgroup_barrier(); }", "1:10 G0225",
     "a barrier cannot stand in a helper", "gpu::workgroup_barrier()"},
    {kernel("o[0] = ir::raw_div(n, 2);"), "3:8 G0226",
     "`ir::raw_div` belongs to the prelude only", "ir::raw_div"},
    {"#[goldy::compute(workgroup_size = [1, 1, 1])]\nfn k(o: &mut [u32]) { }",
     "1:1 G0227",
     "the prelude holds helpers only, not kernels",
     "#[goldy::compute(workgroup_size = [1, 1, 1])]",
     {},
     true},
    {kernel("break;"), "3:1 G0228", "`break` outside a loop", "break"},
    {kernel("loop { 'a: { continue 'a; } }"), "3:14 G0228",
     "`continue` names a block, not a loop", "continue 'a"},
    {kernel("'a: loop { break 'b; }"), "3:18 G0228",
     "there is no label `'b` around this `break`", "'b"},
    {kernel("for i in (0..n).while_flag(o, 1) { }"), "3:1 G0229",
     "`.while_flag` belongs to programs",
     "for i in (0..n).while_flag(o, 1) { }"},
    {kernel("o[0] = host(n);", "fn host(n: Device) -> u32 { 1 }\n"),
     "1:4 G0440, 4:8 G0230",
     "function `host` is skipped: its signature has the host's type `Device`",
     "host"},
    {kernel("o[0] = 1.5;"), "3:8 G0300", "expected `u32`, found `f32`", "1.5"},
    {kernel("let a: f32 = 1;"), "3:14 G0300", "expected `f32`, found `integer`",
     "1"},
    {kernel("if n { }"), "3:4 G0300", "expected `bool`, found `u32`", "n"},
    {kernel("o[0] = x[0];"), "3:8 G0300", "expected `u32`, found `f32`",
     "x[0]"},
    {kernel("o[0] = n + x[0];"), "3:8 G0301",
     "cannot apply `+` to `u32` and `f32`", "n + x[0]"},
    {kernel("o[0] = n + 1.0;"), "3:8 G0301",
     "cannot apply `+` to `u32` and `f32`", "n + 1.0"},
    {kernel("o[0] = (x[0] & x[1]) as u32;"), "3:9 G0301",
     "cannot apply `&` to `f32` and `f32`", "x[0] & x[1]"},
    {kernel("o[0] = -n;"), "3:8 G0302", "cannot apply `-` to `u32`", "-n"},
    {kernel("o[0] = -1 as u32;"), "3:8 G0302", "cannot apply `-` to `u32`",
     "-1"},
    {kernel("let a = !1.5;"), "3:9 G0302", "cannot apply `!` to `f32`", "!1.5"},
    {kernel("o[0] = gpu::min(1);"), "3:8 G0305",
     "`gpu::min` takes 2 arguments, found 1", "gpu::min(1)"},
    {kernel("o[0] = n.min();"), "3:8 G0305", "`.min` takes 1 argument, found 0",
     "n.min()"},
    {kernel("o[0] = o[1.5];"), "3:10 G0306",
     "an index is `u32` or `i32`, found `f32`", "1.5"},
    {kernel("o[0] = o[gpu::float2(1.0, 2.0)];"), "3:10 G0306",
     "an index is `u32` or `i32`, found `gpu::Float2`",
     "gpu::float2(1.0, 2.0)"},
    {kernel("o[0] = n[0];"), "3:8 G0307", "`u32` cannot be indexed", "n"},
    {kernel("gpu::min(1, 2) = 3;"), "3:1 G0308", "this cannot be assigned to",
     "gpu::min(1, 2)"},
    {kernel("gpu::PI = 3.0;"), "3:1 G0308", "this cannot be assigned to",
     "gpu::PI"},
    {kernel("let a = 1; a += 1;"), "3:12 G0309",
     "cannot assign to `a`, which is not `mut`", "a"},
    {kernel("n = 1;"), "3:1 G0309", "cannot assign to `n`, which is not `mut`",
     "n"},
    {kernel("let a; a = 1; a = 2;"), "3:15 G0309",
     "`a` may be assigned twice, and is not `mut`", "a"},
    {kernel("for i in 0..n { let a = i; i = a; }"), "3:28 G0309",
     "cannot assign to `i`, which is not `mut`", "i"},
    {kernel("x[0] = 1.0;"), "3:1 G0310",
     "`x` is read-only and cannot be written", "x"},
    {kernel("o[0] = w[0] as u32;"), "3:8 G0311",
     "`w` is write-only and cannot be read", "w"},
    {kernel("w[0] += 1.0;"), "3:1 G0311",
     "`w` is write-only and cannot be read", "w"},
    {kernel("let y = x;"), "3:9 G0312", "`x` is a buffer, not a value", "x"},
    {kernel("let a: u32 = 4294967296;"), "3:14 G0313",
     "literal `4294967296` does not fit `u32`", "4294967296"},
    {kernel("let a = 2147483648;"), "3:9 G0313",
     "literal `2147483648` does not fit `i32`", "2147483648"},
    {kernel("let a = -2147483649;"), "3:9 G0313",
     "literal `-2147483649` does not fit `i32`", "-2147483649"},
    {kernel("let a = 1e39;"), "3:9 G0313", "literal `1e39` does not fit `f32`",
     "1e39"},
    {kernel("o[0] = n / 0;"), "3:12 G0314", "the divisor is zero", "0"},
    {kernel("o[0] %= 2 - 2;"), "3:9 G0314", "the divisor is zero", "2 - 2"},
    {kernel("o[0] = n << 32;"), "3:13 G0315",
     "shift of `u32` by 32, expected 0 to 31", "32"},
    {kernel("o[0] = n >> -1;"), "3:13 G0315",
     "shift of `u32` by -1, expected 0 to 31", "-1"},
    {kernel("let a = true as f32;"), "3:9 G0316",
     "`bool` cannot be converted `as f32`", "true as f32"},
    {kernel("let a = gpu::float2(1.0, 2.0) as u32;"), "3:9 G0316",
     "`gpu::Float2` cannot be converted `as u32`",
     "gpu::float2(1.0, 2.0) as u32"},
    {kernel("let p = P { a: 1 };",
            "#[goldy::gpu] struct P { a: u32, b: u32, c: u32 }\n"),
     "4:9 G0317", "struct literal `P` lacks `b`, `c`", "P { a: 1 }"},
    {kernel("match n { 0..=9 => { } 11 => { } }"), "3:1 G0318",
     "this `match` has no arm for `10`", "match"},
    {kernel("match x[0] { _ => { } }"), "3:7 G0319",
     "`match` works on integers and bools, found `f32`", "x[0]"},
    {kernel("match n { 5..5 => { } _ => { } }"), "3:11 G0319",
     "this range holds nothing", "5..5"},
    {kernel("match n { 0..=5 => { } 3 | 4 => { } _ => { } }"), "3:24 G0320",
     "this arm is never reached: earlier arms take its values", "3 | 4 => { }"},
    {kernel("let a = -(-2147483647 - 1);"), "3:9 G0321",
     "constant expression wraps: `-` at the least `i32`", "-(-2147483647 - 1)"},
    {kernel("o[0] = gpu::atomic_add(o, 1, 1);"), "3:8 G0322",
     "which work-item gets which old value of `gpu::atomic_add` depends on "
     "the schedule",
     "gpu::atomic_add(o, 1, 1)"},
    {kernel("for i in 0.0..1.0 { }"), "3:10 G0323",
     "the bounds of a `for` are integers, found `f32`", "0.0"},
    {kernel("for i in (0..n).step_by(0) { }"), "3:25 G0323",
     "a step is at least 1, found 0", "0"},
    {kernel("for i in (0..n).step_by(-1) { }"), "3:25 G0323",
     "a step is at least 1, found -1", "-1"},
    {"fn f(n: u32) -> u32 { n + 1; }", "1:30 G0324",
     "this block ends without its value of type `u32`", "}"},
    {"fn f(n: u32) -> u32 { return; }", "1:23 G0324",
     "`return` without its value of type `u32`", "return"},
    {kernel("let a = if n > 1 { 2 };"), "3:9 G0325",
     "an `if` without `else` has no value, but its block ends with a value "
     "of type `integer`",
     "if n > 1 { 2 }"},
    {kernel("let a;"), "3:5 G0326", "the type of `a` is not known", "a"},
    {kernel("o[0] = gpu::sqrt(4) as u32;"), "3:18 G0327",
     "`gpu::sqrt` takes `f32`, found `integer`", "4"},
    {kernel("o[0] = gpu::length(1.0) as u32;"), "3:20 G0327",
     "`gpu::length` takes a float vector, found `f32`", "1.0"},
    {kernel("gpu::atomic_add(n, 0, 1);"), "3:17 G0328",
     "`gpu::atomic_add` works on a buffer or workgroup array, found `u32`",
     "n"},
    {kernel("gpu::atomic_min(w, 0, 1.0);"), "3:17 G0328",
     "`gpu::atomic_min` works on `u32` and `i32`, found `f32`", "w"},
    {"#[goldy::compute(workgroup_size = [1, 1, 1])]\nfn k(f: &mut [f32]) { "
     "gpu::atomic_add(f, 0, 1.0); }",
     "2:23 G0330",
     "`gpu::atomic_add` on `f32` depends on the order of work-items: the "
     "kernel must be marked `nondeterministic`",
     "gpu::atomic_add(f, 0, 1.0)"},
    {kernel("let a: u32; o[0] = a;"), "3:20 G0331",
     "`a` may be read before it has a value", "a"},
    {kernel("let a: u32; if n > 1 { a = 1; } o[0] = a;"), "3:40 G0331",
     "`a` may be read before it has a value", "a"},
    {kernel("let mut s = gpu::workgroup_array::<u32, 32>();\nlet v = "
            "gpu::workgroup_sum::<32>(n, s);"),
     "4:9 G0333", "`gpu::workgroup_sum::<32>` in a workgroup of 64 work-items",
     "gpu::workgroup_sum::<32>(n, s)"},
    {"#[goldy::compute(workgroup_size = [48, 1, 1])]\nfn k() { let mut s = "
     "gpu::workgroup_array::<u32, 48>(); let v = gpu::workgroup_sum(1, s); }",
     "2:65 G0340",
     "`gpu::workgroup_sum` takes a workgroup of a power of two, found 48",
     "gpu::workgroup_sum(1, s)"},
    {kernel("let v = gpu::workgroup_max(n, o);"), "3:31 G0341",
     "the scratch of `gpu::workgroup_max` is a workgroup array, found the "
     "buffer `o`",
     "o"},
    {kernel("let mut s = gpu::workgroup_array::<u32, 64>();\no[0] = 1 + "
            "gpu::workgroup_min(n, s);"),
     "4:12 G0342",
     "`gpu::workgroup_min` is the whole value of a `let` or of an assignment, "
     "not a part of an expression",
     "gpu::workgroup_min(n, s)"},
    {kernel("o[0] = gpu::workgroup_uniform_load(o, 0);"), "3:36 G0341",
     "`gpu::workgroup_uniform_load` reads a workgroup array, found the buffer "
     "`o`",
     "o"},
    {"fn f(a: &mut u32) { }", "1:9 G0452",
     "parameter `a` is a reference: only buffers are passed by reference",
     "&mut u32"},
    {kernel("o[0] = n as u8;"), "3:13 G0454", "`as u8` is refused", "u8"},
    {kernel("o[0] = n as bool;"), "3:13 G0454", "`as bool` is refused", "bool"},
    {kernel("let v = gpu::float2(1.0, 2.0); o[0] = v[n] as u32;"), "3:39 G0455",
     "a vector's component is not chosen by a computed index", "v[n]"},
    {kernel("let v = gpu::float2(1.0, 2.0); o[0] = v[2] as u32;"), "3:39 G0455",
     "`gpu::Float2` has 2 components", "v[2]"},
    {kernel("o[0] = gpu::subgroup_add(n);"), "3:8 G0457",
     "`gpu::subgroup_add` is not part of the language", "gpu::subgroup_add"},
    {kernel("o[0] = gpu::workgroup_sum_2d(n, o);"), "3:8 G0458",
     "`gpu::workgroup_sum_2d` is not part of the language",
     "gpu::workgroup_sum_2d"},
    {kernel("gpu::printf(n);"), "3:1 G0459",
     "`gpu::printf` is not part of the language", "gpu::printf"},
    {kernel("let mut v = gpu::float3(1.0, 1.0, 1.0); v.xy = gpu::float2(0.0, "
            "0.0);"),
     "3:41 G0462", "`.xy` cannot be assigned to", "v.xy"},
    {kernel("let v = gpu::float2(1.0, 1.0); if v == v { }"), "3:35 G0463",
     "`gpu::Float2` values cannot be compared", "v == v"},
    {"fn f(x: gpu::bf16) { }", "1:9 G0467",
     "`gpu::bf16` is a type of buffer elements only", "gpu::bf16"},
    {kernel("o[0] = gpu::exp(1) as u32;"), "3:17 G0327",
     "`gpu::exp` takes `f32`, found `integer`", "1"},
    {kernel("o[0] = (1.0).powi(2.0) as u32;"), "3:19 G0300",
     "expected `i32`, found `f32`", "2.0"},
    {"fn f(#[tensor(shape = [4])] x: &[f32]) { }", "1:6 G0361",
     "`x` is no tensor and has no shape", "#[tensor(shape = [4])]"},
    {"#[goldy::compute(workgroup_size = [1, 1, 1])]\n"
     "fn k(#[tensor] x: gpu::Tensor<f32>) { }",
     "2:6 G0360", "this contract states no `shape`", "#[tensor]"},
    {"#[goldy::spec]\nconst WIDE: u64 = 5;", "2:7 G0343",
     "specialisation constant `WIDE` has type `u64`, expected `u32`, `i32`, "
     "`f32` or `bool`",
     "WIDE"},
    {"fn f(x: gpu::Uniform<f32>) { }", "1:9 G0219",
     "helper parameter `x` is a uniform block", "gpu::Uniform<f32>"},
    {"fn f(x: gpu::DirectSpatial<u32>) { }", "1:28 G0220",
     "image `x` of `u32`: images hold `gpu::Float4`", "u32"},
    {"mod blur;\nfn f() -> u32 { blur::g(1) }", "1:5 G0730",
     "there is no file for module `blur`", "blur"},
    {"const T: [u32; 2] = [1];", "1:21 G0300", "expected 2 elements, found 1",
     "[1]"},
    {kernel("let a = [0; 16385];"), "3:5 G0615",
     "this value is larger than the 64 KiB that a work-item may hold", "a"},
    {kernel("let s = gpu::workgroup_array::<u64, 200000000>();"), "3:9 G0615",
     "this workgroup array is larger than 1 GiB",
     "gpu::workgroup_array::<u64, 200000000>()"},
};

Lowered lowered(const Case &C) {
  SemaOptions Options;
  Options.Defines = C.Defines;
  Options.IsPrelude = C.IsPrelude;
  return Lowered(C.Text, Options);
}

} // namespace

TEST_CASE("each fault is told once, at its own construct") {
  for (const Case &C : Cases) {
    Lowered L = lowered(C);
    INFO(C.Text);
    CHECK(L.findings() == C.Findings);
    CHECK(L.message() == C.Message);
    CHECK(L.guilty() == C.Guilty);
    CHECK(L.M.has_value() == !L.Diags.hasErrors());
    for (const Diagnostic &D : L.Diags.diagnostics())
      CHECK(!D.Notes.empty());
  }
}

TEST_CASE("every code of names, types and limits is told by some text") {
  std::set<std::string> Told;
  for (const Case &C : Cases) {
    Lowered L = lowered(C);
    for (const Diagnostic &D : L.Diags.diagnostics())
      Told.insert(diagCodeName(D.Code));
  }
  for (const DiagInfo &I : allDiagInfos()) {
    std::string Name = diagCodeName(I.Code);
    bool Ours = (Name >= "G0200" && Name < "G0400") ||
                (Name >= "G0450" && Name < "G0500") ||
                (Name >= "G0600" && Name < "G0650");
    INFO(Name);
    // Those that take several files or large ones are tested elsewhere.
    static const std::set<std::string> Elsewhere = {"G0611", "G0618", "G0619",
                                                    "G0621"};
    CHECK((!Ours || Told.count(Name) || Elsewhere.count(Name)));
  }
}

TEST_CASE("a match of very many arms is a limit") {
  std::string Arms;
  for (int I = 0; I < 256; ++I)
    Arms += std::to_string(I) + " => {} ";
  Lowered L(kernel("match n { " + Arms + "_ => {} }"));
  CHECK(L.findings() == "3:1 G0618");
  CHECK(L.message() == "a `match` of 257 arms, at most 256 are supported");
}

TEST_CASE("chains of items have a limit, and long ones do no harm") {
  auto Chain = [](int Count, bool Backwards, auto Link, std::string Last) {
    std::string Text = Backwards ? Last : "";
    for (int I = 0; I < Count; ++I)
      Text += Link(Backwards ? Count - 1 - I : I);
    return Text + (Backwards ? "" : Last);
  };
  auto Name = [](int I) { return std::to_string(I); };
  auto Const = [&](int I) {
    return "const A" + Name(I) + ": u32 = A" + Name(I + 1) + " + 1;\n";
  };
  auto Struct = [&](int I) {
    return "#[goldy::gpu] struct A" + Name(I) + " { a: A" + Name(I + 1) +
           " }\n";
  };
  auto Helper = [&](int I) {
    return "fn a" + Name(I) + "() -> u32 { a" + Name(I + 1) + "() }\n";
  };
  for (int Count : {100, 30000})
    for (bool Backwards : {false, true}) {
      std::string N = Name(Count);
      Lowered C(Chain(Count, Backwards, Const, "const A" + N + ": u32 = 1;\n"));
      Lowered S(Chain(Count, Backwards, Struct,
                      "#[goldy::gpu] struct A" + N + " { a: u32 }\n"));
      Lowered F(
          Chain(Count, Backwards, Helper, "fn a" + N + "() -> u32 { 1 }\n"));
      bool Fits = Count == 100;
      INFO(Count << Backwards);
      // Resolved one after the other, constants need no depth.
      CHECK(C.Diags.errorCount() == (Fits || Backwards ? 0 : 1));
      CHECK(F.Diags.errorCount() == (Fits ? 0 : 1));
      CHECK(S.Diags.errorCount() == (Fits ? 0 : 1));
    }
}

TEST_CASE("messages say what to do") {
  CHECK(Lowered(kernel("o[0] = gpu::mim(1, 2);")).rendered() ==
        "t.goldy:3:8: error[G0213]: there is no function `gpu::mim`\n"
        "   |\n"
        " 3 | o[0] = gpu::mim(1, 2);\n"
        "   |        ^^^^^^^^\n"
        "note: did you mean `gpu::min`?\n");
  CHECK(Lowered(kernel("let a = 1; a = 2;")).rendered() ==
        "t.goldy:3:12: error[G0309]: cannot assign to `a`, which is not "
        "`mut`\n"
        "   |\n"
        " 3 | let a = 1; a = 2;\n"
        "   |            ^\n"
        "t.goldy:3:5: note: write `let mut a` here\n"
        "   |\n"
        " 3 | let a = 1; a = 2;\n"
        "   |     ^\n");
}

TEST_CASE("ten faults in one file are ten findings") {
  Lowered L(kernel("o[0] = a1;\no[1] = b2;\nx[0] = 1.0;\nlet c = n / 0;\n"
                   "let d: f32 = n;\nif n { }\nbreak;\ngpu::foo();\n"
                   "let e = n << 40;\nlet f = w[0];"));
  CHECK(L.Diags.errorCount() == 10);
}

TEST_CASE("names in error stay silent at their uses") {
  CHECK(Lowered(kernel("let a = nowhere; let b = a + 1; o[0] = b * 2.0;"))
            .findings() == "3:9 G0200");
  CHECK(
      Lowered(kernel("let v = gpu::subgroup_sum(1.0); o[0] = v; f(v).x = v[0];",
                     "fn f(a: i7) -> i7 { a }\n"))
          .findings() == "1:9 G0201, 1:16 G0201, 4:9 G0457");
  CHECK(Lowered("const A: u32 = B; const B: u32 = zz; const C: u32 = A + B; "
                "fn f() -> u32 { let a = [1; C]; a[0] }")
            .findings() == "1:34 G0200");
}

TEST_CASE("warnings do not stop lowering, and constants wrap") {
  Lowered L(kernel("o[0] = 4294967295 + 2;"));
  CHECK(L.findings() == "3:8 G0321");
  CHECK(L.M.has_value());
}

TEST_CASE("a variable without mut is assigned once, also by loops") {
  CHECK(Lowered(kernel("let a; for i in 0..n { a = i; }")).findings() ==
        "3:24 G0309");
  CHECK(Lowered(kernel("let a; loop { if n > 1 { a = 1; continue; } break; }"))
            .findings() == "3:26 G0309");
  CHECK(Lowered(kernel("let a; loop { if n > 1 { a = 1; break; } }"))
            .findings() == "");
  CHECK(
      Lowered(kernel("for i in 0..n { let a; a = i; o[0] = a; }")).findings() ==
      "");
  CHECK(Lowered(kernel("let a; match n { 0 => a = 1, 1 => { return; } "
                       "_ => a = 2 } o[0] = a;"))
            .findings() == "");
  CHECK(
      Lowered(kernel("let a; 'b: { if n > 1 { break 'b; } a = 1; } o[0] = a;"))
          .findings() == "3:53 G0331");
  CHECK(Lowered(kernel("let a: u32; if n > 1 && { a = 2; true } { } o[0] = a;"))
            .findings() == "3:52 G0331");
}

TEST_CASE("unused things are fine") {
  Lowered L("const A: u32 = 1; #[goldy::gpu] struct P { a: u32 } "
            "fn f(a: u32) -> u32 { let b = 1; 2 } " +
            kernel("let s = gpu::workgroup_array::<f32, 4>(); let a = n;"));
  CHECK(L.findings() == "");
  REQUIRE(L.M);
  CHECK(L.M->find("f").isValid());
}

TEST_CASE("an atomic's dropped result needs no warning") {
  CHECK(Lowered(kernel("gpu::atomic_add(o, 0, 1); let _ = gpu::atomic_sub;"))
            .findings() == "3:35 G0200");
  CHECK(Lowered(kernel("let _ = gpu::atomic_or(o, 0, 1); "
                       "let a = gpu::atomic_load(o, 0);"))
            .findings() == "");
  CHECK(Lowered("#[goldy::compute(workgroup_size = [1, 1, 1], "
                "nondeterministic)] fn k(o: &mut [u32]) { "
                "o[0] = gpu::atomic_add(o, 1, 1); }")
            .findings() == "");
}

TEST_CASE("a helper's atomic is judged by the kernels that reach it") {
  std::string Helper =
      "fn f(o: &mut [u32]) -> u32 { gpu::atomic_add(o, 0, 1) }\n";
  std::string Strict = "#[goldy::compute(workgroup_size = [1, 1, 1])] fn a(o: "
                       "&mut [u32]) { o[1] = f(o); }\n";
  std::string Loose = "#[goldy::compute(workgroup_size = [1, 1, 1], "
                      "nondeterministic)] fn b(o: &mut [u32]) { o[1] = f(o); }";
  CHECK(Lowered(Helper + Loose).findings() == "");
  CHECK(Lowered(Helper + Strict + Loose).findings() == "1:30 G0322");
  CHECK(Lowered(Helper).findings() == "1:30 G0322");
}
