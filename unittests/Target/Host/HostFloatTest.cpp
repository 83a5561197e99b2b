//===- HostFloatTest.cpp - Bits of float operations at every level
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Subnormals and signed zeros go through selects, comparisons and identities
// that a code generator likes to fold: once as vectors and once as scalars.
//
//===----------------------------------------------------------------------===//
#include "HostRun.h"

#include <catch2/catch.hpp>

using namespace goldy;
using namespace goldy::test;

namespace {
const Words Edges = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
                     0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x3f800000,
                     0xbf800000, 0x3f000000, 0x3effffff, 0x3fc00000, 0x40200000,
                     0xc0200000, 0x4b000001, 0x4affffff, 0x4f000000, 0xcf000000,
                     0x4f7fffff, 0x4f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                     0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345,
                     0x1f800000, 0x20000000};

/// `v` of every pair of edges, as vectors; of pair `p` alone, as scalars.
void check(const std::string &Expression, const Defines &D = {}) {
  std::string Head = "use goldy::gpu;\nconst ONE: f32 = 3.0;\nconst ZERO: f32 "
                     "= 4.0;\n#[goldy::compute(workgroup_size = [64, "
                     "1, 1])]\nfn k(x: &[f32], y: &mut [u32], p: u32) {\n"
                     "let i = gpu::global_id().x;\n";
  uint32_t N = static_cast<uint32_t>(Edges.size());
  std::string Vector =
      Head + "let a = x[i % 32]; let b = x[i / 32]; let v = " + Expression +
      "; y[i] = v.to_bits(); }";
  std::string Scalar =
      Head + "let a = x[p % 32]; let b = x[p / 32]; let v = " + Expression +
      "; y[i] = v.to_bits(); }";
  INFO(Expression);
  checkKernel(Vector, {N * N / 64, 1, 1},
              {buffer(Edges), buffer(Words(N * N)), scalar(0)}, {2, 0}, D);
  for (uint32_t P : {2u, 67u, 95u, 160u, 33u, 800u})
    checkKernel(Scalar, {1, 1, 1},
                {buffer(Edges), buffer(Words(64)), scalar(P)}, {2, 0}, D);
}
} // namespace

TEST_CASE("choices keep the bits that comparisons flush") {
  check("if b < a { b } else { a }");
  check("if b > a { b } else { a }");
  check("if a < 0.0 { -a } else { a }");
  check("if a == b { a } else { b }");
  check("a.min(b)");
  check("a.max(b)");
  check("a.abs().copysign(b)");
}

TEST_CASE("identities flush") {
  check("a * 1.0");
  check("a + -0.0");
  check("a - 0.0");
  check("1e-40 * 1.0 + a");
  check("{ let mut t = a; for k in 0..2 { t = t * (1.0 + 0.0 * k as f32); } t "
        "}");
}

TEST_CASE("identities flush wherever the constant comes from") {
  const Defines D = {{"ONE", "1.0"}, {"ZERO", "-0.0"}};
  check("a * ONE", D);
  check("a + ZERO", D);
  check("{ let mut t = a; #[unroll] for k in 1..3 { t = t * (k as f32 - (k - "
        "1) as f32); } t }");
  check("{ let mut t = a; #[unroll] for k in 0..2 { t = t + -(k as f32) * "
        "0.0; } t }");
  check("{ let mut one = 3.0; for k in 0..2 { one = one - 1.0; } a * one }");
  check("{ let mut c = [1.0, -0.0]; a * c[0] + c[1] }");
  check("{ let mut t = a; for k in 0..p % 2 + 1 { t = t * 1.0 + -0.0; } t }");
}

TEST_CASE("arithmetic and rounding") {
  for (const char *E :
       {"a + b", "a - b", "a * b", "a / b", "a.sqrt()", "a.floor()", "a.ceil()",
        "a.trunc()", "a.round()", "a.round_even()", "gpu::fma(a, b, a)",
        "a % b", "-(a + b)", "a.fract()", "a as i32 as f32", "a as u32 as f32"})
    check(E);
}
