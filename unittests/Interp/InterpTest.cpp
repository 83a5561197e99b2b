//===- InterpTest.cpp - The oracle against values by hand
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Interp/Interp.h"
#include "goldyc/IR/Text.h"

#include <bit>
#include <catch2/catch.hpp>

using namespace goldy;

namespace {

Module parsed(const std::string &Text) {
  SourceManager SM;
  FileId File = SM.add("test.goldy", Text);
  DiagSink Diags;
  std::optional<Module> M = parseIRText(SM, File, Diags);
  for (const Diagnostic &D : Diags.diagnostics())
    UNSCOPED_INFO(SM.lineColumn(File, D.Where.Begin).Line << ": " << D.Message);
  REQUIRE(M);
  return std::move(*M);
}

using Words = std::vector<uint32_t>;

InterpArgument buffer(Words &W) {
  return {0, std::as_writable_bytes(std::span(W))};
}
InterpArgument scalar(uint64_t Bits) { return {Bits, {}}; }
uint32_t bitsOf(float F) { return std::bit_cast<uint32_t>(F); }

std::string run(const Module &M, std::array<uint32_t, 3> Groups,
                std::vector<InterpArgument> Arguments, uint64_t Limit = 0) {
  std::optional<InterpFault> Why =
      interpret(M, M.kernels()[0], Groups, Arguments, {Limit});
  return Why ? Why->Message : "";
}

/// A kernel of one work-item over the words `x` (u32) and `y` (u32).
std::string kernel(const std::string &Body, const std::string &Head = "",
                   const std::string &Level = "") {
  return "#![goldy::ir" + Level + "]\n" + Head +
         "#[goldy::compute(workgroup_size = [1, 1, 1])]\n"
         "fn k(x: &mut [u32], y: &mut [u32]) {\n" +
         Body + "}\n";
}

/// The f32 result of `operation` on `a` and `b`, by bits.
uint32_t floatResult(const std::string &Operation, uint32_t A, uint32_t B = 0,
                     uint32_t C = 0) {
  Module M = parsed("#![goldy::ir]\n"
                    "#[goldy::compute(workgroup_size = [1, 1, 1])]\n"
                    "fn k(r: &mut [f32], a: f32, b: f32, c: f32) {\n"
                    "    let v: f32 = " +
                    Operation + ";\n    r[0] = v;\n}\n");
  Words R{0xdeadbeef};
  REQUIRE(run(M, {1, 1, 1}, {buffer(R), scalar(A), scalar(B), scalar(C)}) ==
          "");
  return R[0];
}

} // namespace

TEST_CASE("a published function is refused before its sequence is in place") {
  Module M = parsed("#![goldy::ir]\n"
                    "#[goldy::compute(workgroup_size = [1, 1, 1])]\n"
                    "fn k(r: &mut [f32], a: f32) {\n"
                    "    let v: f32 = gpu::exp(a);\n    r[0] = v;\n}\n");
  Words R{0};
  CHECK(run(M, {1, 1, 1}, {buffer(R), scalar(0)}) ==
        "`gpu::exp` without its sequence (expand-math) is not supported by the "
        "interpreter");
}

TEST_CASE("saxpy over a ragged end") {
  Module M = parsed(R"(#![goldy::ir]
#[goldy::compute(workgroup_size = [4, 1, 1])]
fn saxpy(x: &[f32], y: &mut [f32], a: f32) {
    let i: u32 = gpu::global_id().x;
    let v0: u32 = y.len();
    let v1: bool = i < v0;
    if v1 {
        let v2: f32 = x[i];
        let v3: f32 = a * v2;
        let v4: f32 = y[i];
        let v5: f32 = v3 + v4;
        y[i] = v5;
    }
}
)");
  Words X, Y;
  for (int I = 0; I < 7; ++I) {
    X.push_back(bitsOf(static_cast<float>(I)));
    Y.push_back(bitsOf(1.0f));
  }
  CHECK(run(M, {2, 1, 1}, {buffer(X), buffer(Y), scalar(bitsOf(2.0f))}) == "");
  for (int I = 0; I < 7; ++I)
    CHECK(Y[I] == bitsOf(2.0f * static_cast<float>(I) + 1.0f));
}

TEST_CASE("out of range reads give zero and writes do nothing") {
  // x has 2 elements: x[2], x[-1] read zero; y[7] and y[-1] are not written.
  Module M = parsed(kernel(R"(
    let v0: u32 = x[2u32];
    y[0] = v0;
    let v1: u32 = x[-1i32];
    y[1] = v1;
    y[7u32] = 5u32;
    y[-1i32] = 5u32;
    let v2: u32 = gpu::atomic_add(x[9u32], 1u32);
    y[2] = v2;
    let v3: u32 = x[1u32];
    y[3] = v3;
)"));
  Words X{10, 20}, Y{9, 9, 9, 9};
  CHECK(run(M, {1, 1, 1}, {buffer(X), buffer(Y)}) == "");
  CHECK(Y == Words{0, 0, 0, 20});
}

TEST_CASE("a promise that is broken is a fault") {
  Words X{1}, Y{0};
  auto Fault = [&](const std::string &Body, const std::string &Level) {
    return run(parsed(kernel(Body, "", Level)), {1, 1, 1},
               {buffer(X), buffer(Y)}, 100);
  };
  CHECK(Fault("y[1] = 1u32;", "(unchecked)") ==
        "an access that was promised to be in range is not in work-item "
        "(0, 0, 0)");
  CHECK(Fault("ir::store_if(false, y[1], 1u32);", "(legal)") == "");
  CHECK(Fault("let v0: u32 = ir::raw_div(1u32, 0u32);", "(legal)") ==
        "a machine division by zero in work-item (0, 0, 0)");
  CHECK(Fault("let v0: i32 = ir::raw_to_int(3e9f32);", "(legal)") ==
        "a machine conversion of a float out of range in work-item (0, 0, 0)");
  CHECK(Fault("loop { }", "") == "the limit of loop repetitions is reached in "
                                 "work-item (0, 0, 0)");
}

TEST_CASE("control statements") {
  // Collatz steps of 27 are 111; the sum of odd j below 10 without 5 is 20.
  Module M = parsed(kernel(R"(
    let mut n: u32;
    let mut steps: u32;
    let mut sum: u32;
    n = 27u32;
    'outer: loop {
        let a: u32 = n;
        let b: bool = a == 1u32;
        if b {
            break 'outer;
        }
        let even: u32 = a & 1u32;
        let c: bool = even == 0u32;
        if c {
            let h: u32 = a / 2u32;
            n = h;
        } else {
            let t: u32 = a * 3u32;
            let u: u32 = t + 1u32;
            n = u;
        }
    } continuing {
        let s: u32 = steps;
        let s1: u32 = s + 1u32;
        steps = s1;
    }
    'each: for j in 0u32..10u32 {
        'skip: {
            let odd: u32 = j & 1u32;
            let e: bool = odd == 1u32;
            if e {
                break 'skip;
            }
            continue 'each;
        }
        let five: bool = j == 5u32;
        if five {
            continue 'each;
        }
        let s: u32 = sum;
        let s1: u32 = s + j;
        sum = s1;
    }
    let r0: u32 = steps;
    let r1: u32 = sum;
    y[0] = r0;
    y[1] = r1;
)"));
  Words X{0}, Y{0, 0};
  CHECK(run(M, {1, 1, 1}, {buffer(X), buffer(Y)}) == "");
  CHECK(Y == Words{111, 20});
}

TEST_CASE("ranges end at the type's maximum without wrapping") {
  Module M = parsed(kernel(R"(
    let mut n: u32;
    for i in 4294967294u32..=4294967295u32 {
        let a: u32 = n;
        let b: u32 = a + 1u32;
        n = b;
    }
    for i in (2147483640i32..2147483647i32).step_by(5) {
        let a: u32 = n;
        let b: u32 = a + 16u32;
        n = b;
    }
    for i in 3i32..-3i32 {
        n = 0u32;
    }
    for i in -1i32..=-1i32 {
        let a: u32 = n;
        let b: u32 = a + 256u32;
        n = b;
    }
    for i in 0u32..0u32 {
        n = 0u32;
    }
    let r: u32 = n;
    y[0] = r;
)"));
  Words X{0}, Y{0};
  CHECK(run(M, {1, 1, 1}, {buffer(X), buffer(Y)}, 100) == "");
  CHECK(Y[0] == 2 + 2 * 16 + 256);
}

TEST_CASE("a tree sum meets at its barriers") {
  Module M = parsed(R"(#![goldy::ir]
#[goldy::compute(workgroup_size = [8, 1, 1])]
fn tree(x: &[u32], y: &mut [u32]) {
    let mut s = gpu::workgroup_array::<u32, 8>();
    let mut stride: u32;
    let l: u32 = gpu::local_id().x;
    let g: u32 = gpu::workgroup_id().x;
    let i: u32 = gpu::global_id().x;
    let v: u32 = x[i];
    s[l] = v;
    stride = 4u32;
    gpu::workgroup_barrier();
    'more: loop {
        let w: u32 = stride;
        let z: bool = w == 0u32;
        if z {
            break 'more;
        }
        let low: bool = l < w;
        if low {
            let j: u32 = l + w;
            let a: u32 = s[l];
            let b: u32 = s[j];
            let c: u32 = a + b;
            s[l] = c;
        }
        gpu::workgroup_barrier();
        let half: u32 = w >> 1u32;
        stride = half;
    }
    let first: bool = l == 0u32;
    if first {
        let r: u32 = s[0];
        y[g] = r;
    }
}
)");
  Words X, Y{0, 0};
  for (uint32_t I = 0; I < 16; ++I)
    X.push_back(I);
  CHECK(run(M, {2, 1, 1}, {buffer(X), buffer(Y)}) == "");
  CHECK(Y == Words{28, 92});
}

TEST_CASE("a barrier that part of the group reaches is a fault") {
  Module M = parsed(R"(#![goldy::ir]
#[goldy::compute(workgroup_size = [2, 1, 1])]
fn k() {
    let l: u32 = gpu::local_id().x;
    let z: bool = l == 0u32;
    if z {
        gpu::workgroup_barrier();
    }
}
)");
  CHECK(run(M, {1, 1, 1}, {}) == "a barrier that only part of the group "
                                 "reaches in work-item (0, 0, 0)");
}

TEST_CASE("helpers, structs and bools") {
  // The struct is 8 words: a, v.xyz, n[2], flag, tail.
  Module M = parsed(R"(#![goldy::ir]
#[goldy::gpu]
struct P {
    a: u32,
    v: gpu::UInt3,
    n: [u32; 2],
    flag: bool,
    tail: u32,
}

fn pick(#[workgroup] s: &mut [u32], b: &[P], i: u32) -> gpu::UInt2 {
    let y: u32 = b[i].v.y;
    let z: bool = y == 0u32;
    if z {
        let zero: gpu::UInt2 = gpu::uint2(0u32, 0u32);
        return zero;
    }
    let w: u32 = s[1];
    let r: gpu::UInt2 = gpu::uint2(y, w);
    return r;
}

#[goldy::compute(workgroup_size = [1, 1, 1])]
fn k(p: &mut [P], y: &mut [u32]) {
    let mut s = gpu::workgroup_array::<u32, 4>();
    s[1] = 77u32;
    let e: P = p[0u32];
    p[1u32] = e;
    let missing: P = p[2u32];
    let m: u32 = missing.tail;
    y[4] = m;
    let r: gpu::UInt2 = pick(s, p, 0u32);
    let r0: u32 = r.x;
    let r1: u32 = r.y;
    y[0] = r0;
    y[1] = r1;
    let d: gpu::UInt2 = r + r;
    let d1: u32 = d.y;
    y[2] = d1;
    let one: u32 = p[0u32].n[1u32];
    y[3] = one;
}
)");
  Words P{1, 2, 3, 4, 5, 6, 0x100, 8, 0, 0, 0, 0, 0, 0, 0, 0};
  Words Y{0, 0, 0, 0, 9};
  CHECK(run(M, {1, 1, 1}, {buffer(P), buffer(Y)}) == "");
  CHECK(Y == Words{3, 77, 154, 6, 0});
  // The copied bool is stored as 1.
  CHECK(Words(P.begin() + 8, P.end()) == Words{1, 2, 3, 4, 5, 6, 1, 8});
}

TEST_CASE("arithmetic rounds to 24 bits and then flushes") {
  const uint32_t Least = 0x00800000; // 2^-126
  const uint32_t Subnormal = 0x007fffff;
  CHECK(floatResult("a + b", Subnormal, Subnormal) == 0);
  CHECK(floatResult("a + b", 0x80000001, 0x80000001) == 0x80000000);
  CHECK(floatResult("a + b", Least, 0x80800001) == 0x80000000);
  CHECK(floatResult("a * b", Least, bitsOf(0.5f)) == 0);
  // 2^-126 (1 - 2^-24) is below 2^-126 after rounding to 24 bits: zero, where
  // IEEE and a flush after it would give 2^-126.
  CHECK(floatResult("a * b", Least, 0x3f7fffff) == 0);
  CHECK(floatResult("a * b", 0x3f800001, 0x00800000) == 0x00800001);
  // (1 + 2^-23) (1 - 2^-24) 2^-126 lies above it.
  CHECK(floatResult("a * b", 0x00800001, 0x3f7fffff) == Least);
  CHECK(floatResult("gpu::fma(a, b, c)", Least, 0x3f7fffff, 0) == 0);
  CHECK(floatResult("a / b", bitsOf(1.0f), bitsOf(3.0f)) == 0x3eaaaaab);
  CHECK(floatResult("a / b", 0x7f7fffff, Subnormal) == 0x7f800000);
  CHECK(floatResult("a / b", 0, 0x80000000) == 0x7fc00000);
  CHECK(floatResult("gpu::sqrt(a)", bitsOf(-1.0f)) == 0x7fc00000);
  CHECK(floatResult("gpu::sqrt(a)", 0x80000000) == 0x80000000);
  CHECK(floatResult("gpu::sqrt(a)", bitsOf(2.0f)) == 0x3fb504f3);
  CHECK(floatResult("a + b", 0x7f800001, 0) == 0x7fc00000);
  CHECK(floatResult("a % b", bitsOf(-5.5f), bitsOf(2.0f)) == bitsOf(-1.5f));
  CHECK(floatResult("a % b", bitsOf(-4.0f), bitsOf(2.0f)) == 0x80000000);
  CHECK(floatResult("a % b", bitsOf(1.0f), 0x7f800000) == bitsOf(1.0f));
}

TEST_CASE("fma rounds once") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: with c = -(1 + 2^-11) only 2^-24 stays.
  CHECK(floatResult("gpu::fma(a, b, c)", 0x3f800800, 0x3f800800, 0xbf801000) ==
        0x33800000);
  // 1 + 2^-24 + 2^-50 is above the tie: up, although 53 bits show a tie.
  CHECK(floatResult("gpu::fma(a, b, c)", 0x33800001, bitsOf(1.0f),
                    bitsOf(1.0f)) == 0x3f800001);
  CHECK(floatResult("gpu::fma(a, b, c)", 0x33800000, bitsOf(1.0f),
                    bitsOf(1.0f)) == 0x3f800000);
  // 2^60 plus a product far below half its last place, of either sign.
  CHECK(floatResult("gpu::fma(a, b, c)", 0x0d800000, bitsOf(1.0f),
                    0x5d800001) == 0x5d800001);
}

TEST_CASE("copies keep their bits") {
  CHECK(floatResult("gpu::min(a, b)", 0x7f800001, bitsOf(1.0f)) ==
        bitsOf(1.0f));
  CHECK(floatResult("gpu::min(a, b)", bitsOf(1.0f), 0x7f800001) ==
        bitsOf(1.0f));
  CHECK(floatResult("gpu::min(a, b)", 0x7f800001, 0x7f800002) == 0x7f800002);
  CHECK(floatResult("gpu::max(a, b)", 0x00000001, 0x80000000) == 0x00000001);
  CHECK(floatResult("gpu::max(a, b)", 0x80000000, 0x00000001) == 0x80000000);
  CHECK(floatResult("-a", 0x7f800001) == 0xff800001);
  CHECK(floatResult("gpu::abs(a)", 0x80000001) == 0x00000001);
  CHECK(floatResult("gpu::copysign(a, b)", 0x00000003, 0xff800001) ==
        0x80000003);
  CHECK(floatResult("gpu::floor(a)", bitsOf(-0.5f)) == bitsOf(-1.0f));
  CHECK(floatResult("gpu::floor(a)", 0x80000001) == 0x80000000);
  CHECK(floatResult("gpu::ceil(a)", bitsOf(-0.5f)) == 0x80000000);
  CHECK(floatResult("gpu::round(a)", bitsOf(2.5f)) == bitsOf(3.0f));
  CHECK(floatResult("gpu::round(a)", bitsOf(-0.5f)) == bitsOf(-1.0f));
  CHECK(floatResult("gpu::round(a)", 0x3effffff) == 0);
  CHECK(floatResult("gpu::round_even(a)", bitsOf(2.5f)) == bitsOf(2.0f));
  CHECK(floatResult("gpu::round_even(a)", bitsOf(-1.5f)) == bitsOf(-2.0f));
  CHECK(floatResult("gpu::trunc(a)", 0xff800001) == 0x7fc00000);
}

TEST_CASE("integers wrap, divide by zero and shift modulo the width") {
  Module M = parsed(kernel(R"(
    let a: i32 = -2147483648i32 / -1i32;
    let b: i32 = -2147483648i32 % -1i32;
    let c: i32 = -7i32 / 2i32;
    let d: i32 = -7i32 % 2i32;
    let e: u32 = 7u32 / 0u32;
    let f: u32 = 7u32 % 0u32;
    let g: i32 = -8i32 >> 33u32;
    let h: u32 = 1u32 << 35i32;
    let i: u32 = gpu::mul_hi(4294967295u32, 4294967295u32);
    let j: u32 = gpu::rotate_right(1u32, 33u32);
    let k: u32 = -1.5f32 as u32;
    let l: i32 = 3e9f32 as i32;
    let m: i32 = f32::NAN as i32;
    let n: f32 = 16777217u32 as f32;
    let o: u32 = gpu::leading_zeros(0u32);
    let p: u64 = -1i32 as u64;
    let q: u64 = p * p;
    let r: u32 = q as u32;
    let au: u32 = a as u32;
    let bu: u32 = b as u32;
    let cu: u32 = c as u32;
    let du: u32 = d as u32;
    let gu: u32 = g as u32;
    let lu: u32 = l as u32;
    let mu: u32 = m as u32;
    let nu: u32 = gpu::to_bits(n);
    y[0] = au;
    y[1] = bu;
    y[2] = cu;
    y[3] = du;
    y[4] = e;
    y[5] = f;
    y[6] = gu;
    y[7] = h;
    y[8] = i;
    y[9] = j;
    y[10] = k;
    y[11] = lu;
    y[12] = mu;
    y[13] = nu;
    y[14] = o;
    y[15] = r;
)"));
  Words X{0}, Y(16, 0xdeadbeef);
  CHECK(run(M, {1, 1, 1}, {buffer(X), buffer(Y)}) == "");
  CHECK(Y == Words{0x80000000, 0, 0xfffffffd, 0xffffffff, 7, 0, 0xfffffffc, 8,
                   0xfffffffe, 0x80000000, 0, 0x7fffffff, 0,
                   bitsOf(16777216.0f), 32, 1});
}

TEST_CASE("atomics give the old value") {
  Module M = parsed(kernel(R"(
    let a: u32 = gpu::atomic_add(x[0], 5u32);
    let b: u32 = gpu::atomic_compare_exchange(x[0], 15u32, 1u32);
    let c: u32 = gpu::atomic_compare_exchange(x[0], 15u32, 2u32);
    let d: u32 = gpu::atomic_max(x[0], 9u32);
    let e: u32 = gpu::atomic_exchange(x[0], 3u32);
    let f: u32 = gpu::atomic_load(x[0]);
    y[0] = a;
    y[1] = b;
    y[2] = c;
    y[3] = d;
    y[4] = e;
    y[5] = f;
)"));
  Words X{10}, Y(6, 0);
  CHECK(run(M, {1, 1, 1}, {buffer(X), buffer(Y)}) == "");
  CHECK(Y == Words{10, 15, 1, 1, 9, 3});
}

TEST_CASE("narrow elements widen and narrow") {
  // Elements in words, low bytes first: h = 1.0, NaN with payload; b = 255,
  // -128.
  Module M = parsed(R"(#![goldy::ir]
#[goldy::compute(workgroup_size = [1, 1, 1])]
fn k(h: &mut [gpu::f16], g: &mut [gpu::bf16], b: &mut [i8], y: &mut [u32]) {
    let h0: f32 = h[0];
    let h1: f32 = h[1];
    let b0: i32 = b[1];
    let w0: u32 = gpu::to_bits(h0);
    let w1: u32 = gpu::to_bits(h1);
    let w2: u32 = b0 as u32;
    y[0] = w0;
    y[1] = w1;
    y[2] = w2;
    h[0] = 65519.0f32;
    h[1] = 65520.0f32;
    h[2] = 3.0517578e-5f32;
    h[3] = 8.9406967e-8f32;
    h[4] = -1.0004883f32;
    h[5] = f32::from_bits(0xff800001);
    g[0] = 1.00390625f32;
    g[1] = f32::from_bits(0x00000001);
    b[0] = 300i32;
}
)");
  Words H{0x7c013c00, 0, 0}, G{0}, B{0x000080ff}, Y{0, 0, 0};
  CHECK(run(M, {1, 1, 1}, {buffer(H), buffer(G), buffer(B), buffer(Y)}) == "");
  CHECK(Y == Words{0x3f800000, 0x7f802000, 0xffffff80});
  // 1.5 places of 2^-24 tie to 2; 1 + 2^-11 ties to 1.
  CHECK(H == Words{0x7c007bff, 0x00020200, 0xfe00bc00});
  CHECK(G == Words{0x00003f80});
  CHECK(B == Words{0x0000802c});
}

TEST_CASE("arguments that do not fit are refused") {
  Module M = parsed(kernel(""));
  Words X{1};
  CHECK(run(M, {1, 1, 1}, {buffer(X)}) == "`k` takes 2 arguments, found 1");
  CHECK(run(M, {1, 1, 1},
            {buffer(X), {0, std::as_writable_bytes(std::span(X)).first(3)}}) ==
        "`y` has 3 bytes, expected a whole number of elements of 4 bytes");
}
