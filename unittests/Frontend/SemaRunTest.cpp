//===- SemaRunTest.cpp - What lowered kernels compute
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test runs one work-item on the interpreter; expectations are worked out
// by hand from the language.
//
//===----------------------------------------------------------------------===//
#include "SemaHelper.h"

#include <catch2/catch.hpp>

using namespace goldy;

using Words = std::vector<uint32_t>;

static Words firstWords(const std::vector<uint32_t> &All, size_t Count) {
  return Words(All.begin(), All.begin() + static_cast<long>(Count));
}

/// The first words of `o` after the body ran.
static Words wordsOf(const std::string &Body, size_t Count,
                     const std::string &Items = "") {
  RunResult R = runKernel(inKernel(Body, Items));
  INFO(R.Fault);
  REQUIRE(R.Fault.empty());
  return firstWords(R.O, Count);
}

static std::vector<float> floatsOf(const std::string &Body, size_t Count,
                                   const std::string &Items = "") {
  RunResult R = runKernel(inKernel(Body, Items));
  INFO(R.Fault);
  REQUIRE(R.Fault.empty());
  std::vector<float> Out(Count);
  std::memcpy(Out.data(), R.F.data(), Count * 4);
  return Out;
}

TEST_CASE("an assignment evaluates its value before its index") {
  CHECK(wordsOf("let mut i = 0u32; o[{ i += 1; i }] = { i = i * 10 + 2; i };",
                4) == Words{100, 101, 102, 2});
}

TEST_CASE(
    "operands are evaluated left to right, and a let holds the value now") {
  CHECK(wordsOf("let mut a = 1u32; o[0] = a + { a = 5; a }; "
                "let b = a; a = 7; o[1] = b; o[2] = a;",
                3) == Words{6, 5, 7});
}

TEST_CASE("a compound assignment reads its place after its value") {
  CHECK(wordsOf("let mut a = 1u32; a += { a = 10; 3 }; o[0] = a;", 1) ==
        Words{13});
}

TEST_CASE("logical operators skip what is not needed") {
  CHECK(wordsOf("let mut c = 0u32; "
                "let a = n > 5 && { c += 1; true }; "
                "let b = n < 5 || { c += 10; true }; "
                "let d = n < 5 && { c += 100; n == 3 }; "
                "o[0] = c; o[1] = a as u32; o[2] = b as u32; o[3] = d as u32;",
                4) == Words{100, 0, 1, 1});
}

TEST_CASE("blocks, branches and matches have values") {
  CHECK(wordsOf("o[0] = if n > 5 { 1 } else if n > 2 { 2 } else { 3 }; "
                "o[1] = { let a = 4; a * a }; "
                "o[2] = match n { 0 => 7, 1 | 2 => 8, 3..=9 => 9, _ => 10 }; "
                "o[3] = match n > 2 { true => 1, false => 0 }; "
                "o[4] = match n as i32 - 5 { i32::MIN..=-1 => 1, 0.. 4 => 2, "
                "_ => 3 };",
                5) == Words{2, 16, 9, 1, 1});
}

TEST_CASE("a branch that does not come back leaves the value to the other") {
  CHECK(wordsOf("let a = if n > 5 { return; } else { 4 }; o[0] = a; "
                "loop { o[1] = match n { 3 => { break; } _ => 6 }; }",
                2) == Words{4, 101});
}

TEST_CASE("loops leave and repeat what their labels name") {
  CHECK(wordsOf("let mut s = 0u32; "
                "'a: for i in 0..10u32 { "
                "  let mut j = 0; "
                "  while true { if j == 2 { continue 'a; } "
                "    if i == 3 { break 'a; } s += 1; j += 1; } } "
                "o[0] = s; "
                "'b: { o[1] = 1; if n == 3 { break 'b; } o[1] = 2; } "
                "let mut k = 0; loop { k += 1; if k < 4 { continue; } break; } "
                "o[2] = k;",
                3) == Words{6, 1, 4});
}

TEST_CASE(
    "ranges read their ends once, include the last by ..= and never wrap") {
  CHECK(wordsOf("let mut e = 3u32; let mut c = 0u32; "
                "for i in 0..e { e = 100; c += 1; } o[0] = c; c = 0; "
                "for i in 4294967293..=4294967295u32 { c += 1; } o[1] = c; "
                "c = 0; for i in 5..2u32 { c += 1; } o[2] = c; "
                "c = 0; for i in (0..=9u32).step_by(3) { c = c * 10 + i; } "
                "o[3] = c;",
                4) == Words{3, 3, 0, 369});
}

TEST_CASE("a computed step counts as a constant one does") {
  CHECK(wordsOf("let mut c = 0u32; "
                "for i in (0..10u32).step_by(n) { if i == 6 { continue; } "
                "  c = c * 10 + i; } o[0] = c; c = 0; "
                "for i in (0..=9u32).step_by(n) { c = c * 10 + i; } o[1] = c; "
                "c = 0; for i in (4294967290..=4294967295u32).step_by(n + 1) { "
                "  c += 1; } o[2] = c; c = 0; "
                "for i in (-5i32..6).step_by(n) { c = c * 16 + (i + 5) as u32; "
                "  if i == 1 { break; } } o[3] = c; c = 0; "
                "for i in (7..7u32).step_by(n) { c += 1; } o[4] = c;",
                5) == Words{39, 369, 2, 0x36, 0});
}

TEST_CASE("helpers take values and buffers and return early") {
  const char *Items =
      "fn at(x: &[u32], i: u32) -> u32 { if i > 2 { return 9; } x[i] } "
      "fn put(x: &mut [u32], i: u32, v: u32) { x[i] = v; } "
      "fn twice(mut a: u32) -> u32 { a *= 2; a } ";
  CHECK(wordsOf("let mut s = gpu::workgroup_array::<u32, 4>(); "
                "put(s, 1, 5); put(o, 3, twice(at(s, 1))); "
                "o[0] = at(o, 1) + at(o, 5); o[1] = s.len() + o.len();",
                4, Items) == Words{110, 12, 102, 10});
}

TEST_CASE("structs are values, arrays in them answer to component names") {
  const char *Items = "#[goldy::gpu] struct Q { m: [f32; 3], c: u32 } "
                      "#[goldy::gpu] struct P { q: Q, b: bool } "
                      "fn make(c: u32) -> P { P { b: c > 2, q: Q { c: c, m: "
                      "[1.0, 2.0, 3.0] } } } ";
  CHECK(floatsOf("let mut p = make(n); f[0] = p.q.m.z; p.q.m.x += 4.0; "
                 "f[1] = p.q.m[n - 3]; let q = p.q; f[2] = q.m[1]; "
                 "f[3] = if p.b { 1.0 } else { 0.0 }; f[4] = q.c as f32;",
                 5, Items) == std::vector<float>{3, 5, 2, 1, 3});
}

TEST_CASE("vectors work by component, also beside a scalar") {
  CHECK(floatsOf("let a = gpu::float3(1.0, 2.0, 3.0); let b = a.zyx * 2.0; "
                 "let mut c = 12.0 / a - b; c.y *= 10.0; c += 1.0; "
                 "f[0] = c.x; f[1] = c.y; f[2] = c.z; f[3] = a.dot(b); "
                 "f[4] = gpu::cross(a, b).y; f[5] = (-a).x + a[2]; "
                 "f[6] = gpu::float2(3.0, 4.0).length();",
                 7) == std::vector<float>{7, 21, 3, 20, 16, 2, 5});
}

TEST_CASE("the stated sequences of clamp, mix, step, smoothstep, sign, fract") {
  CHECK(
      floatsOf("f[0] = (5.0).clamp(0.0, 2.0); f[1] = gpu::mix(1.0, 3.0, 0.25); "
               "f[2] = gpu::step(1.0, 0.5); f[3] = gpu::step(0.5, 0.5); "
               "f[4] = gpu::smoothstep(0.0, 2.0, 1.0); f[5] = (-2.5).sign(); "
               "f[6] = (-2.75).fract(); f[7] = (0.0).sign();",
               8) == std::vector<float>{2, 1.5f, 0, 1, 0.5f, -1, -0.75f, 0});
}

TEST_CASE("bit functions give u32 and rotations take it") {
  CHECK(
      wordsOf("o[0] = (n as i32).count_ones(); o[1] = (0u32).leading_zeros(); "
              "o[2] = (8u32).trailing_zeros(); o[3] = n.rotate_left(33); "
              "o[4] = (1.5).to_bits(); "
              "o[5] = f32::from_bits(0x40000000) as u32; "
              "o[6] = (0x80000000u32).mul_hi(6); o[7] = n.reverse_bits();",
              8) == Words{2, 32, 3, 6, 0x3fc00000, 2, 3, 0xc0000000});
}

TEST_CASE("casts saturate, truncate and count bools") {
  CHECK(wordsOf("o[0] = (-1.5) as u32; o[1] = 3.99 as u32; o[2] = 1e20 as u32; "
                "o[3] = -1i32 as u32; o[4] = (n == 3) as u32; "
                "o[5] = (n as f32 / 2.0) as i32 as u32;",
                6) == Words{0, 3, 0xffffffff, 0xffffffff, 1, 1});
}

TEST_CASE("bools compare and combine without short circuit") {
  CHECK(wordsOf("let t = n == 3; let u = n == 4; o[0] = (t == u) as u32; "
                "o[1] = (u < t) as u32; o[2] = (t & !u) as u32; "
                "o[3] = (t ^ u) as u32; o[4] = (t >= u) as u32; "
                "o[5] = (t <= u) as u32; let mut w = t; w &= u; "
                "o[6] = w as u32;",
                7) == Words{0, 1, 1, 1, 1, 0, 0});
}

TEST_CASE("literals round once, straight to f32, and keep subnormals") {
  RunResult R = runKernel(
      inKernel("f[0] = 1e-45; f[1] = 1.00000017881393432617187499; "
               "f[2] = 1.17549421e-38; f[3] = -0.0; f[4] = 16777217.0; "
               "f[5] = 1e-60; f[6] = 1_000.5_0; f[7] = 2.;"));
  REQUIRE(R.Fault.empty());
  CHECK(R.F == Words{1, 0x3f800001, 0x007fffff, 0x80000000, 0x4b800000, 0,
                     0x447a2000, 0x40000000});
}

TEST_CASE("integer literals take their type from use, else i32") {
  CHECK(wordsOf("let a = 4000000000; o[0] = a / 2; let b = -7; p[0] = b % 3; "
                "o[1] = (7 / 2) as u32; o[2] = (-7 >> 1) as u32; "
                "let mut c = 0; c = c - 1; o[3] = c; "
                "o[4] = 0xffff_ffff >> 28; o[5] = 1 << 31 >> 30u32;",
                6) == Words{2000000000, 3, 0xfffffffc, 0xffffffff, 15, 2});
}

TEST_CASE("private arrays take any index, and one outside reads zero") {
  CHECK(wordsOf("let mut a = [7u32; 40]; a[n] = 1; a[40 + n] = 2; "
                "o[0] = a[n]; o[1] = a[39]; o[2] = a[n * 100]; "
                "o[3] = [1, 2, 3][n - 1]; let b = a; a[n] = 4; o[4] = b[n]; "
                "o[5] = a.len(); let i = -1; o[6] = a[i];",
                7) == Words{1, 7, 0, 3, 1, 40, 0});
}

TEST_CASE("variables declared without a value get it in each branch") {
  CHECK(wordsOf("let a; if n > 2 { a = 5; } else { a = 6; } o[0] = a; "
                "let b: u32; loop { if n == 3 { b = 1; break; } } o[1] = b;",
                2) == Words{5, 1});
}

TEST_CASE("constants stand in any order and -D replaces them") {
  std::string Items =
      "const A: u32 = B * 2 + C as u32; const B: u32 = 1 << 3; "
      "const C: f32 = -0.0; const T: bool = B == 8 && !(A < B); ";
  std::string Body = "let x = [A; B]; o[0] = A; o[1] = x.len(); "
                     "o[2] = T as u32; f[0] = C;";
  RunResult R = runKernel(inKernel(Body, Items));
  REQUIRE(R.Fault.empty());
  CHECK(firstWords(R.O, 3) == Words{16, 8, 1});
  CHECK(R.F[0] == 0x80000000);
  SemaOptions Options;
  Options.Defines = {{"B", "0x1_0"}, {"C", "2.5"}, {"T", "false"}};
  R = runKernel(inKernel(Body, Items), 8, Options);
  REQUIRE(R.Fault.empty());
  CHECK(firstWords(R.O, 3) == Words{34, 16, 0});
  CHECK(R.F[0] == 0x40200000);
}

TEST_CASE("the receiver of len is evaluated, and counts by its type") {
  CHECK(wordsOf("let mut c = 0u32; o[0] = { c += 1; [1, 2, 3] }.len(); "
                "o[1] = c; o[2] = [[1.5; 4]; 2].len();",
                3) == Words{3, 1, 2});
}

TEST_CASE("literals with the suffix f32 need no point") {
  CHECK(floatsOf("f[0] = 1f32; f[1] = -5f32; f[2] = 1.5e1_f32 * 2f32;", 3) ==
        std::vector<float>{1, -5, 30});
}

TEST_CASE("values of branches may be vectors, arrays and structs") {
  const char *Items = "#[goldy::gpu] struct P { a: [u32; 2], v: gpu::Int2 } ";
  CHECK(
      wordsOf("let p = if n > 1 { P { a: [1, 2], v: gpu::int2(3, -4) } } "
              "else { P { a: [0, 0], v: gpu::int2(0, 0) } }; "
              "let q = gpu::select(n > 5, p, P { v: p.v.yx, a: [p.a[1], 9] }); "
              "let r = match n { 1 => [1u32, 1], _ => q.a }; "
              "o[0] = p.a[n - 2]; o[1] = q.v.x as u32; o[2] = r[0] + r[n - 2];",
              3, Items) == Words{2, 0xfffffffc, 11});
}

TEST_CASE("constant expressions in braces give lengths") {
  CHECK(wordsOf("let s = gpu::workgroup_array::<f32, { N * 2 }>(); "
                "let r = gpu::workgroup_array::<f32, N>(); "
                "let a: [u32; { N }] = [7; N as u32 * 1]; "
                "o[0] = s.len() * 100 + r.len(); o[1] = a[3] + a.len();",
                2, "const N: u32 = 4; ") == Words{804, 11});
}

TEST_CASE("atomics return the old value") {
  CHECK(wordsOf("let a = gpu::atomic_add(o, 0, 5); "
                "gpu::atomic_exchange(o, 1, a); "
                "gpu::atomic_compare_exchange(o, 2, 102, n); "
                "gpu::atomic_store(o, 3, gpu::atomic_load(o, 0)); "
                "gpu::atomic_max(o, 4, 7); gpu::atomic_xor(o, 5, 1);",
                6) == Words{105, 100, 3, 105, 104, 104});
}
