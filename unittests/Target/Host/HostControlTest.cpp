//===- HostControlTest.cpp - Control flow over lanes
//------------------------===//
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
/// A kernel over `x` and `y` (u32) whose statements are `Body`; `i` is the
/// global id.
std::string kernel(const std::string &Body, const char *Size = "[64, 1, 1]") {
  return std::string("use goldy::gpu;\n#[goldy::compute(workgroup_size = ") +
         Size +
         ")]\nfn k(x: &[u32], y: &mut [u32], n: u32) {\n"
         "    let i = gpu::global_id().x;\n" +
         Body + "\n}\n";
}

void check(const std::string &Body, const char *Size = "[64, 1, 1]") {
  std::string Text = kernel(Body, Size);
  INFO(Text);
  checkKernel(Text, {4, 1, 1},
              {buffer(words(250, 7)), buffer(words(300, 8)), scalar(19)});
}
} // namespace

TEST_CASE("divergent branches") {
  check("if x[i] % 3 == 0 { y[i] = x[i] + 1; }");
  check("if x[i] % 3 == 0 { y[i] = x[i] + 1; } else { y[i] = x[i] * 5; }");
  check("if x[i] % 3 == 0 { y[i] = 1; } else if x[i] % 3 == 1 "
        "{ if i % 2 == 0 { y[i] = 2; } else { y[2 * i] = 3; } }");
  check("let mut v = 7; if x[i] > 2000000000 { v = x[i] / 3; } y[i] = v;");
  check("if n > 20 { y[i] = 1; } else { if i < n { y[i] = 2; } }");
}

TEST_CASE("early returns") {
  check("if i >= n { return; } y[i] = x[i];");
  check("if x[i] % 2 == 0 { return; } y[i] = 1; if x[i] % 3 == 0 { return; } "
        "y[i] = 2; if i > 100 { return; } y[i] = y[i] + n;");
  check("if n == 19 { if i % 5 == 3 { return; } y[i] = 4; } y[i] += 1;");
  check("if n == 19 { return; } y[i] = 4;");
}

TEST_CASE("divergent loops") {
  check("let mut v = x[i] % 1000 + 1; let mut steps = 0; while v != 1 { if v % "
        "2 == 0 { v = v / 2; } else { v = 3 * v + 1; } steps += 1; } y[i] = "
        "steps;");
  check("let mut s = 0; for k in 0..x[i] % 17 { s += k * k; } y[i] = s;");
  check("let mut s = 0; for k in 0..n { if k > x[i] % 23 { break; } s += x[k]; "
        "} y[i] = s;");
  check("let mut s = 0; for k in 0..n { if (x[i] >> k) % 2 == 1 { continue; } "
        "s += k; } y[i] = s;");
  check("let mut s = 0; let mut k = 0; loop { k += 1; if k > n { break; } if "
        "x[k] % 4 == x[i] % 4 { continue; } s = s * 3 + k; if s % 7 == 2 { "
        "break; } } y[i] = s + k;");
}

TEST_CASE("breaks out of several loops") {
  check("let mut s = 0; 'a: for j in 0..n { for k in 0..5 { if j * k == x[i] % "
        "31 { break 'a; } if k == j { continue 'a; } if (x[i] + k) % 11 == 0 { "
        "break; } s += j + k; } s += 100; } y[i] = s;");
  check("let mut s = 0; 'a: { s += 1; if x[i] % 2 == 0 { break 'a; } s += 10; "
        "'b: { if x[i] % 3 == 0 { break 'a; } if x[i] % 5 == 0 { break 'b; } s "
        "+= 100; } s += 1000; } y[i] = s;");
  check("let mut s = 0; for j in 0..n { for k in 0..j { if (x[j] ^ x[i]) % 13 "
        "== k { y[i] = s; return; } s += k; } } y[i] = s + 7;");
  check("let mut s = 0; loop { loop { s += 1; if s > x[i] % 50 { return; } if "
        "s % 7 == 6 { break; } y[i] = s; } s += 2; }");
}

TEST_CASE("uniform loops in divergent branches") {
  check("if i % 3 != 1 { let mut s = 0; for k in 0..n { s += x[k] * (i + k); } "
        "y[i] = s; }");
  check("for j in 0..3 { if (x[i] >> j) % 2 == 0 { let mut s = j; for k in "
        "0..j + 2 { s = s * 5 + x[k]; } y[i] += s; } }");
  check("let mut c = 0; if x[i] % 2 == 0 { c = 5; while c > 0 { c -= 1; y[i] "
        "+= c; } } y[i] += c;");
}

TEST_CASE("loop values after the loop") {
  check("let mut k = 0; while k < 40 { if x[i] % 40 == k { break; } k += 1; } "
        "y[i] = k;");
  check("let mut t = 0; for j in 0..4 { let mut k = 0; while k < 9 { if "
        "(x[i] >> j) % 9 == k { break; } k += 1; } t = t * 10 + k; } y[i] = "
        "t;");
  check("let mut a = 1; let mut b = 2; for k in 0..n { let c = a; a = b; b = c "
        "+ x[i] % 5; if k > x[i] % 31 { a = 0; } } y[i] = a * 1000 + b;");
}

TEST_CASE("matches and short-circuit conditions") {
  check(
      "y[i] = match x[i] % 6 { 0 => 10, 1 | 2 => x[i], 3..=4 => n, _ => i };");
  check("if i < n && x[i] % 2 == 0 || x[n] > 5 && x[i] / (i + 1) > 3 { y[i] = "
        "9; }");
}

TEST_CASE("groups narrower than a vector") {
  for (const char *Size : {"[1, 1, 1]", "[2, 1, 1]", "[3, 4, 1]", "[5, 2, 3]",
                           "[20, 1, 1]", "[8, 8, 1]", "[100, 1, 1]"}) {
    check("let l = gpu::local_id(); let s = gpu::workgroup_size(); let at = "
          "((gpu::workgroup_id().x * s.z + l.z) * s.y + l.y) * s.x + l.x; let "
          "mut v = x[at] % 9; while v > 0 { v -= 1; y[at] = y[at] * 3 + l.y; "
          "}",
          Size);
    check("if i >= n { return; } y[i] = x[i] + gpu::local_id().y;",
          "[7, 1, 1]");
  }
}

TEST_CASE("grids of three dimensions in several ranges") {
  checkKernel(R"(use goldy::gpu;
#[goldy::compute(workgroup_size = [4, 2, 2])]
fn k(y: &mut [u32]) {
    let g = gpu::global_id();
    let w = gpu::workgroup_id();
    let c = gpu::num_workgroups();
    let at = (g.z * c.y * 2 + g.y) * c.x * 4 + g.x;
    y[at] = w.x * 100 + w.y * 10 + w.z + c.z * 1000;
})",
              {3, 5, 2}, {buffer(Words(3 * 5 * 2 * 16))});
}
