//===- UniformityTest.cpp - What is the same for every work-item
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, slots, places of control, and the causes that notes point at.
//
//===----------------------------------------------------------------------===//
#include "TextKernel.h"

#include "goldyc/Analysis/Uniformity.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("sources of values") {
  TextKernel K(R"(
    let mut s = gpu::workgroup_array::<u32, 64>();
    let gid: u32 = gpu::global_id().x;
    let lid: u32 = gpu::local_id().y;
    let flat: u32 = gpu::local_id().z;
    let flatg: u32 = gpu::global_id().z;
    let group: u32 = gpu::workgroup_id().x;
    let groups: u32 = gpu::num_workgroups().x;
    let len: u32 = y.len();
    let sum: u32 = group + n;
    let mix: u32 = group + gid;
    let constant: u32 = x[sum];
    let gathered: u32 = x[mix];
    let written: u32 = y[sum];
    y[gid] = written;
    let shared: u32 = s[sum];
    let old: u32 = gpu::atomic_add(y[0u32], 1u32);)");
  Uniformity U = analyseUniformity(K.M, K.kernel());
  for (const char *Name :
       {"flat", "flatg", "group", "groups", "len", "sum", "constant"}) {
    INFO(Name);
    CHECK(U.Value[K[Name]]);
    CHECK_FALSE(U.Cause[K[Name]].isValid());
  }
  for (const char *Name :
       {"gid", "lid", "mix", "gathered", "written", "shared", "old"}) {
    INFO(Name);
    CHECK_FALSE(U.Value[K[Name]]);
  }
  CHECK(U.Cause[K["mix"]] == K["gid"]);
  CHECK(U.Cause[K["gathered"]] == K["gid"]);
  CHECK(U.Cause[K["written"]] == K["written"]);
}

TEST_CASE("slots through control flow") {
  TextKernel K(R"(
    let mut u: u32;
    let mut v: u32;
    let mut w: u32;
    u = 0u32;
    v = 0u32;
    w = 0u32;
    let gid: u32 = gpu::global_id().x;
    let c: bool = n == 3u32;
    if c {
        u = 1u32;
    }
    let d: bool = gid == 3u32;
    if d {
        v = 1u32;
    }
    w = gid;
    let lu: u32 = u;
    let lv: u32 = v;
    let lw: u32 = w;)");
  Uniformity U = analyseUniformity(K.M, K.kernel());
  CHECK(U.Value[K["lu"]]);
  CHECK_FALSE(U.Value[K["lv"]]);
  CHECK(U.Cause[K["lv"]] == K.find(Op::If, 1));
  CHECK_FALSE(U.Value[K["lw"]]);
  CHECK(U.Cause[K["lw"]] == K["gid"]);
  CHECK(U.SlotUniform[SlotId(0)]);
  CHECK_FALSE(U.SlotUniform[SlotId(1)]);
  CHECK_FALSE(U.Reached[K.find(Op::Store, 4)]);
  CHECK(U.Reached[K.find(Op::Store, 5)]);
}

TEST_CASE("a loop left by some earlier is divergent as a whole") {
  TextKernel K(R"(
    let mut count: u32;
    count = 0u32;
    let gid: u32 = gpu::global_id().x;
    'l: loop {
        let before: u32 = count;
        let next: u32 = before + 1u32;
        count = next;
        let c: bool = before == gid;
        if c {
            break 'l;
        }
    }
    let after: u32 = count;
    y[0u32] = after;)");
  Uniformity U = analyseUniformity(K.M, K.kernel());
  CHECK_FALSE(U.Value[K["before"]]);
  CHECK_FALSE(U.Value[K["after"]]);
  CHECK_FALSE(U.Reached[K["before"]]);
  // Behind the loop all are together again.
  CHECK(U.Reached[K["after"]]);
}

TEST_CASE("uniform loops stay uniform") {
  TextKernel K(R"(
    let mut count: u32;
    count = 0u32;
    for i in 0u32..n {
        let twice: u32 = i + i;
        count = twice;
    }
    loop {
        let now: u32 = count;
    } continuing {
        let c: bool = n == 1u32;
        ir::break_if(c);
    }
    let gid: u32 = gpu::global_id().x;
    for j in gid..n {
        let inner: u32 = j + 1u32;
    })");
  Uniformity U = analyseUniformity(K.M, K.kernel());
  CHECK(U.Value[K["twice"]]);
  CHECK(U.Value[K["now"]]);
  CHECK(U.Reached[K["now"]]);
  CHECK_FALSE(U.Value[K["inner"]]);
  CHECK_FALSE(U.Reached[K["inner"]]);
}

TEST_CASE("exits join where they lead") {
  TextKernel K(R"(
    let gid: u32 = gpu::global_id().x;
    let c: bool = gid == 3u32;
    let d: bool = n == 3u32;
    'b: {
        if c {
            break 'b;
        }
        let skipped: u32 = n + 1u32;
    }
    let joined: u32 = n + 2u32;
    'l: for i in 0u32..n {
        if c {
            continue 'l;
        }
        let partial: u32 = i + 3u32;
    }
    if d {
        return;
    }
    let all: u32 = n + 4u32;
    if c {
        return;
    }
    let rest: u32 = n + 5u32;)");
  Uniformity U = analyseUniformity(K.M, K.kernel());
  CHECK_FALSE(U.Reached[K["skipped"]]);
  CHECK(U.Reached[K["joined"]]);
  CHECK_FALSE(U.Reached[K["partial"]]);
  CHECK(U.Reached[K["all"]]);
  CHECK_FALSE(U.Reached[K["rest"]]);
}

TEST_CASE("helpers are looked into") {
  TextKernel K(R"(
    let gid: u32 = gpu::global_id().x;
    let a: u32 = plus(n, 1u32);
    let b: u32 = plus(n, gid);
    let c: u32 = pick(gid);
    let d: u32 = pick(n);
    let e: u32 = own();
    let f: u32 = read(x, n);
    let g: u32 = read(y, n);
    write(y, n);)",
               R"(
fn plus(a: u32, b: u32) -> u32 {
    let r: u32 = a + b;
    return r;
}
fn pick(a: u32) -> u32 {
    let c: bool = a == 0u32;
    if c {
        return 1u32;
    }
    return 2u32;
}
fn own() -> u32 {
    let r: u32 = gpu::local_id().x;
    return r;
}
fn read(p: &[u32], i: u32) -> u32 {
    let r: u32 = p[i];
    return r;
}
fn write(p: &mut [u32], i: u32) {
    p[i] = i;
}
)");
  Uniformity U = analyseUniformity(K.M, K.kernel());
  CHECK(U.Value[K["a"]]);
  CHECK_FALSE(U.Value[K["b"]]);
  CHECK(U.Cause[K["b"]] == K["gid"]);
  CHECK_FALSE(U.Value[K["c"]]);
  CHECK(U.Value[K["d"]]);
  CHECK_FALSE(U.Value[K["e"]]);
  CHECK(U.Value[K["f"]]);
  CHECK_FALSE(U.Value[K["g"]]);
  CHECK(writtenParams(K.M, K.kernel()) ==
        std::vector<bool>{false, true, false, false});
}
