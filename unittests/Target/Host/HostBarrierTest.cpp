//===- HostBarrierTest.cpp - Regions, contexts, workgroup memory
//------------===//
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
std::string kernel(const std::string &Body, const std::string &Size) {
  return "use goldy::gpu;\n#[goldy::compute(workgroup_size = " + Size +
         ")]\nfn k(x: &[f32], y: &mut [f32], n: u32) {\n" + Body + "\n}\n";
}

void check(const std::string &Body, const std::string &Size,
           std::array<uint32_t, 3> Groups = {3, 1, 1}) {
  std::string Text = kernel(Body, Size);
  INFO(Text);
  checkKernel(Text, Groups,
              {buffer(floats(1000, 3)), buffer(floats(1200, 4)), scalar(5)});
}
} // namespace

TEST_CASE("a tree sum by hand") {
  for (const char *Size : {"64", "256", "16", "8", "1"})
    check("let mut s = gpu::workgroup_array::<f32, 256>(); let l = "
          "gpu::local_id().x; s[l] = x[gpu::global_id().x]; "
          "gpu::workgroup_barrier(); let mut d = gpu::workgroup_size().x / 2; "
          "while d > 0 { if l < d { s[l] += s[l + d]; } "
          "gpu::workgroup_barrier(); d = d / 2; } if l == 0 { "
          "y[gpu::workgroup_id().x] = s[0]; }",
          std::string("[") + Size + ", 1, 1]");
}

TEST_CASE("a transpose through a tile") {
  for (const char *Size : {"[16, 16, 1]", "[8, 8, 1]", "[5, 5, 1]"}) {
    std::string T =
        std::string(Size).substr(1, std::string(Size).find(',') - 1);
    check("let mut t = gpu::workgroup_array::<f32, 289>(); let l = "
          "gpu::local_id(); let w = gpu::workgroup_id(); let a = (w.y * " +
              T + " + l.y) * 31 + w.x * " + T +
              " + l.x; t[l.y * 17 + l.x] = x[a]; "
              "gpu::workgroup_barrier(); let b = (w.x * " +
              T + " + l.y) * 31 + w.y * " + T +
              " + l.x; y[b] = t[l.x * 17 + l.y];",
          Size, {2, 2, 1});
  }
}

TEST_CASE("a tiled matrix product") {
  check(R"(let mut a = gpu::workgroup_array::<f32, 64>();
    let mut b = gpu::workgroup_array::<f32, 64>();
    let l = gpu::local_id(); let g = gpu::global_id();
    let mut acc = 0.0;
    for t in 0..3 {
        a[l.y * 8 + l.x] = x[g.y * 24 + t * 8 + l.x];
        b[l.y * 8 + l.x] = x[(t * 8 + l.y) * 16 + g.x];
        gpu::workgroup_barrier();
        for k in 0..8 { acc += a[l.y * 8 + k] * b[k * 8 + l.x]; }
        gpu::workgroup_barrier();
    }
    if g.x < 15 { y[g.y * 16 + g.x] = acc; })",
        "[8, 8, 1]", {2, 3, 1});
}

TEST_CASE("values that outlive a region") {
  check(R"(let mut s = gpu::workgroup_array::<f32, 48>();
    let l = gpu::local_id().x; let i = gpu::global_id().x;
    let v = x[i] * 3.0; let big = v > 0.5; let mut acc = v;
    s[l] = v;
    gpu::workgroup_barrier();
    if big { acc += s[47 - l]; } else { acc -= 1.0; }
    gpu::workgroup_barrier();
    s[l] = acc;
    gpu::workgroup_barrier();
    let w = s[(l * 7) % 48];
    y[i] = if big { acc + w } else { v - w };)",
        "[48, 1, 1]");
}

TEST_CASE("private arrays across barriers") {
  check(R"(let mut s = gpu::workgroup_array::<f32, 20>();
    let l = gpu::local_id().x; let i = gpu::global_id().x;
    let mut p = [0.0; 5];
    for k in 0..n { p[k] = x[i + k]; }
    s[l] = p[l % 5];
    gpu::workgroup_barrier();
    p[(l + 1) % 5] = s[19 - l];
    gpu::workgroup_barrier();
    let mut t = 0.0;
    for k in 0..n { t += p[k] * p[(k + l) % 5]; }
    y[i] = t;)",
        "[20, 1, 1]");
}

TEST_CASE("uniform control around barriers") {
  check(R"(let mut s = gpu::workgroup_array::<f32, 32>();
    let l = gpu::local_id().x; let i = gpu::global_id().x;
    let mut r = 0; let mut acc = 0.0;
    loop {
        if r >= n { break; }
        r += 1;
        if r == 2 { continue; }
        s[l] = x[i] + acc;
        gpu::workgroup_barrier();
        let other = s[(l + r) % 32];
        gpu::workgroup_barrier();
        if other > 0.0 { acc += other; }
        if gpu::workgroup_id().x == 1 && r == 3 { break; }
    }
    y[i] = acc + r as f32;)",
        "[32, 1, 1]");
}

TEST_CASE("lanes that return after the last barrier") {
  check(R"(let mut s = gpu::workgroup_array::<f32, 40>();
    let l = gpu::local_id().x; let i = gpu::global_id().x;
    if n == 5 {
        s[l] = x[i];
        gpu::workgroup_barrier();
        if s[39 - l] < 0.0 { return; }
        y[i] = 1.0;
    }
    y[i] += s[l];
    if l % 4 == 0 { return; }
    y[i] += 2.0;)",
        "[40, 1, 1]");
  check(R"(let mut s = gpu::workgroup_array::<f32, 40>();
    let l = gpu::local_id().x; let i = gpu::global_id().x;
    for r in 0..3 {
        'a: {
            s[l] = x[i + r];
            gpu::workgroup_barrier();
            if s[(l * 3) % 40] < 0.0 { break 'a; }
            y[i] += 1.0;
        }
        gpu::workgroup_barrier();
        y[i] += s[39 - l];
        gpu::workgroup_barrier();
    })",
        "[40, 1, 1]");
}

TEST_CASE("workgroup arrays start as zeros in every group") {
  check(R"(let mut s = gpu::workgroup_array::<f32, 70>();
    let l = gpu::local_id().x;
    y[gpu::global_id().x] = s[69 - l];
    gpu::workgroup_barrier();
    s[l * 2] = 1.0;)",
        "[35, 1, 1]");
}

TEST_CASE("rows and planes of a group") {
  check(R"(let mut s = gpu::workgroup_array::<f32, 60>();
    let l = gpu::local_id();
    let at = (l.z * 4 + l.y) * 5 + l.x;
    let i = gpu::workgroup_id().x * 60 + at;
    let row = l.y * 10 + l.z;
    s[at] = x[i];
    gpu::workgroup_barrier();
    if row % 3 == 1 { y[i] = s[59 - at]; } else { y[i] = row as f32; })",
        "[5, 4, 3]");
}
