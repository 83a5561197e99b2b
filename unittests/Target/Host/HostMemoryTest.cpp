//===- HostMemoryTest.cpp - Addresses, guards, atomics
//----------------------===//
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
std::string kernel(const std::string &Body, const std::string &Head = "") {
  return "use goldy::gpu;\n" + Head +
         "#[goldy::compute(workgroup_size = [40, 1, 1])]\n"
         "fn k(x: &[u32], y: &mut [u32], n: u32, j: i32) {\n"
         "    let i = gpu::global_id().x;\n" +
         Body + "\n}\n";
}

void check(const std::string &Body, uint32_t J = 3) {
  std::string Text = kernel(Body);
  INFO(Text);
  checkKernel(
      Text, {4, 1, 1},
      {buffer(words(150, 7)), buffer(words(170, 8)), scalar(5), scalar(J)});
}
} // namespace

TEST_CASE("neighbours wrap at both ends") {
  check("y[i] = x[i - 1] + x[i + 1];");
  check("y[i - 3] = x[i - 7];");
  check("y[i + n] = x[i * 2 - 1];");
  check("y[i - 1] = x[n - i];");
  check("let k = i as i32 - j; y[k] = x[k + 1] + x[k - 30];");
  check("y[i] = x[i - n] ^ x[i + 4294967290];");
  check("if x[i] % 2 == 0 { y[i - 2] = x[i - 5]; }");
}

TEST_CASE("strided, gathered and uniform accesses") {
  check("y[i * 3] = x[i * 2];");
  check("y[x[i] % 170] = 5;");
  check("y[i] = x[x[i] % 160];");
  check("y[i] = x[n] + x[n + 200] + y[169];");
  check("if i < 100 { y[n] = 77; } y[200 + n] = 3;");
  check("y[i] = x[j];", 0xffffffffu);
  check("y[i % 16 + 16 * (i / 16)] = x[(i / 4) * 2];");
  check("if i == 17 { y[n] = x[i]; }");
}

TEST_CASE("rows and columns of a linear index") {
  for (const char *N : {"n", "(n * 9)", "(n + 11)", "(n - 5)", "(n - 6)"})
    check(std::string("y[i] = (i / ") + N + ") * 1000 + i % " + N +
          " + x[i / " + N + "];");
}

TEST_CASE("two parameters may name one buffer") {
  std::string Text = kernel("y[i] = x[i] + 1; y[i] += x[i]; y[i] = x[i] * 3;");
  checkKernel(Text, {4, 1, 1},
              {buffer(words(160, 7)), sameAs(0), scalar(5), scalar(3)});
}

TEST_CASE("struct elements") {
  std::string Text = R"(use goldy::gpu;
#[goldy::gpu]
struct P { a: f32, v: gpu::Float3, b: bool, w: [u32; 3] }
#[goldy::compute(workgroup_size = [20, 1, 1])]
fn k(p: &[P], y: &mut [u32], q: &mut [P]) {
    let i = gpu::global_id().x;
    let k = i % 3;
    y[i] = p[i].w[k] + p[i].v.y.to_bits();
    if p[i].b { q[i].w[2 - k] = i; } else { q[i].v.x = p[i + 1].a; }
    q[i].b = p[i].w[1] > 100;
})";
  checkKernel(Text, {3, 1, 1},
              {buffer(words(8 * 50, 7)), buffer(words(60, 8)),
               buffer(words(8 * 55, 9))});
}

TEST_CASE("private arrays") {
  check("let mut p = [0; 7]; for k in 0..n + 2 { p[k] = x[i + k]; } let mut s "
        "= 0; for k in 0..n + 2 { s = s * 3 + p[(k * 2 + i) % 7]; } y[i] = s;");
  check("let mut p = [1, 2, 3, 4]; if x[i] % 2 == 0 { p[i % 4] = 9; p[1] = 8; "
        "} y[i] = p[0] + p[1] * 10 + p[2] * 100 + p[3] * 1000 + p[i];");
  check("let mut p = [0; 300]; for k in 0..300 { p[k] = k * i; } y[i] = "
        "p[x[i] % 301];");
  check("let mut p = [0; 6]; for k in 0..6 { p[k] = k * n; } y[i] = p[n] + "
        "p[i % 6];");
}

TEST_CASE("atomics come in lane order") {
  check("let o = gpu::atomic_add(y, n, i); y[100 + i] = 1;");
  check("y[10 + i] = gpu::atomic_add(y, n, 2);");
  check("gpu::atomic_add(y, x[i] % 64, 1);");
  check("if x[i] % 3 == 0 { gpu::atomic_min(y, x[i] % 9, x[i]); gpu::atomic_max"
        "(y, 20 + x[i] % 9, x[i]); }");
  check("gpu::atomic_and(y, i / 8, x[i]); gpu::atomic_or(y, 50 + i / 8, x[i]); "
        "gpu::atomic_xor(y, 100 + i / 8, x[i]);");
  check("y[20 + i] = gpu::atomic_exchange(y, i / 16, i);");
  check("y[20 + i] = gpu::atomic_compare_exchange(y, i / 16, y[16], i);");
  check("gpu::atomic_store(y, i, x[i]); y[i] = gpu::atomic_load(y, i) + "
        "gpu::atomic_load(y, 1000 + n);");
  check("gpu::atomic_add(y, i * 1000, 1);");
}

TEST_CASE("atomics on workgroup memory") {
  check(
      "let mut h = gpu::workgroup_array::<u32, 16>(); gpu::atomic_add(h, x[i] "
      "% 17, 1); gpu::workgroup_barrier(); let l = gpu::local_id().x; if l < "
      "16 { gpu::atomic_add(y, l, h[l]); }");
  check("let mut h = gpu::workgroup_array::<i32, 4>(); gpu::atomic_min(h, i % "
        "3, x[i] as i32); gpu::atomic_max(h, 3, x[i] as i32); "
        "gpu::workgroup_barrier(); y[i] = h[gpu::local_id().x] as u32;");
}
