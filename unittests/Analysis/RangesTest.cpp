//===- RangesTest.cpp - What is known of an integer where it is used
//--------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intervals by hand, and what must not be concluded.
//
//===----------------------------------------------------------------------===//
#include "TextKernel.h"

#include "goldyc/Analysis/Ranges.h"

using namespace goldy;
using namespace goldy::test;

namespace {
const PlaceBase X{BaseKind::Param, 0}, Y{BaseKind::Param, 1};
const Interval AllU{0, UINT32_MAX};
} // namespace

TEST_CASE("intervals of operations") {
  TextKernel K(R"(
    let lx: u32 = gpu::local_id().x;
    let ly: u32 = gpu::local_id().y;
    let row: u32 = ly * 64u32;
    let flat: u32 = row + lx;
    let mask: u32 = n & 15u32;
    let rem: u32 = n % 10u32;
    let shr: u32 = n >> 28u32;
    let div: u32 = n / 65536u32;
    let below: u32 = lx - 1u32;
    let wrap: u32 = n + 1u32;
    let least: u32 = gpu::min(n, 7u32);
    let signed_rem: i32 = m % 8i32;
    let most: i32 = gpu::max(m, 0i32);
    let back: u32 = most as u32;
    let far: u32 = m as u32;
    let ones: u32 = gpu::count_ones(n);
    let c: bool = n == 1u32;
    let bit: u32 = c as u32;
    let chosen: u32 = gpu::select(c, lx, 100u32);
    let either: u32 = mask | 32u32;
    let product: u32 = mask * rem;
    y[0u32] = flat;)");
  Ranges R(K.M, K.kernel());
  R.moveTo(K.find(Op::Store));
  auto Of = [&](const char *Name) { return R.rangeOf(K[Name]); };
  CHECK(Of("lx") == Interval{0, 63});
  CHECK(Of("flat") == Interval{0, 127});
  CHECK(Of("mask") == Interval{0, 15});
  CHECK(Of("rem") == Interval{0, 9});
  CHECK(Of("shr") == Interval{0, 15});
  CHECK(Of("div") == Interval{0, 65535});
  CHECK(Of("below") == AllU);
  CHECK(Of("wrap") == AllU);
  CHECK(Of("least") == Interval{0, 7});
  CHECK(Of("signed_rem") == Interval{-7, 7});
  CHECK(Of("most") == Interval{0, INT32_MAX});
  CHECK(Of("back") == Interval{0, INT32_MAX});
  CHECK(Of("far") == AllU);
  CHECK(Of("ones") == Interval{0, 32});
  CHECK(Of("bit") == Interval{0, 1});
  CHECK(Of("chosen") == Interval{0, 100});
  CHECK(Of("either") == Interval{0, 63});
  CHECK(Of("product") == Interval{0, 135});
}

TEST_CASE("conditions around a statement") {
  TextKernel K(R"(
    let i: u32 = gpu::global_id().x;
    let len: u32 = y.len();
    let c: bool = i < len;
    let d: bool = m >= 0i32;
    let e: bool = c & d;
    if e {
        let lim: i32 = len as i32;
        let f: bool = m < lim;
        if f {
            y[0u32] = i;
        }
        y[1u32] = i;
    } else {
        y[2u32] = i;
    }
    let g: bool = i > 100u32;
    let h: bool = n == 9u32;
    let o: bool = g | h;
    if o {
        return;
    }
    y[3u32] = i;)");
  Ranges R(K.M, K.kernel());
  ValueId I = K["i"];
  ValueId SignedIndex;
  for (uint32_t N = 0; N < K.kernel().Insts.size(); ++N)
    if (K.kernel().Insts[InstId(N)].Opcode == Op::ParamValue &&
        K.kernel().Insts[InstId(N)].Type == types::I32)
      SignedIndex = InstId(N);
  R.moveTo(K.find(Op::Store, 0));
  CHECK(R.isBelowLength(I, Y));
  CHECK_FALSE(R.isBelowLength(I, X));
  CHECK(R.isBelowLength(SignedIndex, Y));
  R.moveTo(K.find(Op::Store, 1));
  CHECK(R.isBelowLength(I, Y));
  CHECK_FALSE(R.isBelowLength(SignedIndex, Y));
  CHECK(R.rangeOf(SignedIndex) == Interval{0, INT32_MAX});
  R.moveTo(K.find(Op::Store, 2));
  CHECK_FALSE(R.isBelowLength(I, Y));
  R.moveTo(K.find(Op::Store, 3));
  CHECK(R.rangeOf(I) == Interval{0, 100});
  CHECK_FALSE(R.isBelowLength(I, Y));
}

TEST_CASE("chains of relations") {
  TextKernel K(R"(
    let i: u32 = gpu::global_id().x;
    let len: u32 = y.len();
    let a: bool = n <= len;
    if a {
        for j in 3u32..n {
            y[0u32] = j;
            let down: u32 = j - 3u32;
            let half: u32 = j / 2u32;
            let over: u32 = j + 1u32;
            y[1u32] = down;
        }
        for q in 0u32..=n {
            y[2u32] = q;
        }
    })");
  Ranges R(K.M, K.kernel());
  R.moveTo(K.find(Op::Store, 1));
  CHECK(R.isBelowLength(K["j"], Y));
  CHECK(R.isBelowLength(K["down"], Y));
  CHECK(R.isBelowLength(K["half"], Y));
  CHECK_FALSE(R.isBelowLength(K["over"], Y));
  R.moveTo(K.find(Op::Store, 2));
  CHECK_FALSE(R.isBelowLength(K["q"], Y));
}

TEST_CASE("a loop of one block proves nothing in the other") {
  TextKernel K(R"(
    let i: u32 = gpu::global_id().x;
    let len: u32 = y.len();
    'l: loop {
        let c: bool = i >= len;
        if c {
            continue 'l;
        }
        y[0u32] = i;
    } continuing {
        y[1u32] = i;
        ir::break_if(true);
    })");
  Ranges R(K.M, K.kernel());
  R.moveTo(K.find(Op::Store, 0));
  CHECK(R.isBelowLength(K["i"], Y));
  R.moveTo(K.find(Op::Store, 1));
  CHECK_FALSE(R.isBelowLength(K["i"], Y));
}

TEST_CASE("variables lie within what is stored into them") {
  TextKernel K(R"(
    let mut h: u32;
    let mut up: i32;
    let mut down: u32;
    let mut late: u32;
    let mut free: u32;
    let c: bool = m > 0i32;
    h = 128u32;
    up = 3i32;
    down = 7u32;
    free = 1u32;
    loop {
        let a: u32 = h;
        let b: i32 = up;
        let d: u32 = down;
        let e: u32 = late;
        let f: u32 = free;
        late = 1u32;
        if c {
            break;
        }
        y[0u32] = a;
        let a2: u32 = a >> 1u32;
        h = a2;
        let some: bool = b < m;
        if some {
            let b2: i32 = b + 1i32;
            up = b2;
        }
        let more: bool = d > 0u32;
        if more {
            let d2: u32 = d - 1u32;
            down = d2;
        }
        let f2: u32 = f + 1u32;
        free = f2;
    })");
  Ranges R(K.M, K.kernel());
  R.moveTo(K.find(Op::Store, 5));
  CHECK(R.rangeOf(K["a"]) == Interval{0, 128});
  CHECK(R.rangeOf(K["b"]) == Interval{3, INT32_MAX});
  CHECK(R.rangeOf(K["d"]) == Interval{0, 7});
  // Read before it is written; wraps.
  CHECK(R.rangeOf(K["e"]) == AllU);
  CHECK(R.rangeOf(K["f"]) == AllU);
}

TEST_CASE("an assumption counts once it is trusted") {
  TextKernel K(R"(
    let v: u32 = x[n];
    let c: bool = v < 10u32;
    gpu::assume(c);
    y[v] = n;)");
  Ranges R(K.M, K.kernel());
  InstId Assume = K.find(Op::Assume), Store = K.find(Op::Store);
  R.moveTo(Store);
  CHECK(R.rangeOf(K["v"]) == AllU);
  R.trust(Assume, true);
  R.moveTo(Store);
  CHECK(R.rangeOf(K["v"]) == Interval{0, 9});
  R.moveTo(Assume);
  CHECK(R.rangeOf(K["v"]) == AllU);
}

TEST_CASE("the number after") {
  TextKernel K(R"(
    let len: u32 = y.len();
    let xlen: u32 = x.len();
    let c: bool = n < len;
    let d: bool = len < xlen;
    let e: bool = c & d;
    if e {
        let after: u32 = n + 1u32;
        let second: u32 = n + 2u32;
        y[n] = after;
    })");
  Ranges R(K.M, K.kernel());
  R.moveTo(K.find(Op::Store));
  CHECK(R.isBelowLength(K["after"], X));
  CHECK(!R.isBelowLength(K["after"], Y));
  CHECK(R.isLessEqual(K["after"], K["len"]));
  CHECK(!R.isBelowLength(K["second"], X));
}

TEST_CASE("below the number before") {
  TextKernel K(R"(
    let c: bool = n < 10u32;
    for k in 0u32..n {
        let last: u32 = n - 1u32;
        let other: u32 = n - 2u32;
        y[k] = last;
    })");
  Ranges R(K.M, K.kernel());
  R.moveTo(K.find(Op::Store));
  CHECK(R.isLessEqual(K["k"], K["last"]));
  CHECK(!R.isLess(K["k"], K["last"]));
  CHECK(!R.isLessEqual(K["k"], K["other"]));
}
