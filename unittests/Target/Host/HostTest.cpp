//===- HostTest.cpp - Host code against the interpreter
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostRun.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::test;

namespace {

const char *Saxpy = R"(#![goldy::ir]
#[goldy::compute(workgroup_size = [256, 1, 1])]
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
)";

} // namespace

TEST_CASE("saxpy of every length") {
  for (uint32_t N : {0u, 1u, 15u, 16u, 17u, 255u, 256u, 257u, 1000u})
    checkKernel(
        Saxpy, {(N + 255) / 256, 1, 1},
        {buffer(floats(N, 1)), buffer(floats(N, 2)), floatScalar(2.5f)});
}

TEST_CASE("a shorter input reads as zero") {
  checkKernel(
      Saxpy, {2, 1, 1},
      {buffer(floats(300, 1)), buffer(floats(400, 2)), floatScalar(2.5f)});
}
