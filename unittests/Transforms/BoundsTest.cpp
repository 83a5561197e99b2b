//===- BoundsTest.cpp - Hostile indices, before and after the bounds pass
//---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel runs in the interpreter as the program means it and after the
// passes for two kinds of target, over all triples of hostile numbers and
// several lengths. The interpreter stops at an access out of range that has no
// guard, so a check that was wrongly dropped shows even where it does no harm.
// Loops give up after some repetitions: what counts is which indices they try.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>

using namespace goldy;

namespace {

using Words = std::vector<uint32_t>;

/// fn k(x: &[u32], o: &mut [u32], a: u32, b: u32, c: u32), groups of 8.
Module kernelOf(const std::string &Body) {
  SourceManager SM;
  DiagSink Diags;
  FileId File = SM.add(
      "t.goldy", "use goldy::gpu;\n"
                 "#[goldy::compute(workgroup_size = [8, 1, 1])]\n"
                 "fn k(x: &[u32], o: &mut [u32], a: u32, b: u32, c: u32) {\n"
                 "let i = gpu::global_id().x;\nlet mut s = 0u32;\n"
                 "let mut t = 0u32;\n" +
                     Body + "\no[i] = s;\n}\n");
  ast::Ast Tree = parseFile(SM, File, Diags);
  std::optional<Module> M = lowerToIR(SM, Tree, {}, Diags);
  for (const Diagnostic &D : Diags.diagnostics())
    UNSCOPED_INFO(SM.lineColumn(File, D.Where.Begin).Line << D.Message);
  REQUIRE(M);
  return std::move(*M);
}

Module legal(const Module &Definition, const char *Arch) {
  Module M = Definition;
  DiagSink Diags;
  Fuel Fuel;
  const Capabilities &Caps = *capabilitiesFor(Arch);
  PassContext Context{Diags, Caps, Fuel};
  REQUIRE(runPasses(M, legalisationPasses(Caps, 2), Context));
  return M;
}

struct Case {
  uint32_t A, B, C;
  uint32_t LengthX, LengthO;
};

struct Outcome {
  Words O;
  std::string Fault;
  friend bool operator==(const Outcome &, const Outcome &) = default;
};

Outcome execute(const Module &M, const Case &C) {
  Outcome R;
  Words X;
  for (uint32_t K = 0; K < C.LengthX; ++K)
    X.push_back(K * 5 % 23);
  R.O.assign(C.LengthO, 0xcdcdcdcd);
  std::vector<InterpArgument> Args(5);
  Args[0].Bytes = std::as_writable_bytes(std::span(X));
  Args[1].Bytes = std::as_writable_bytes(std::span(R.O));
  Args[2].Bits = C.A;
  Args[3].Bits = C.B;
  Args[4].Bits = C.C;
  std::optional<InterpFault> Fault =
      interpret(M, M.kernels()[0], {3, 1, 1}, Args, {100000});
  if (Fault)
    R.Fault = Fault->Message;
  return R;
}

void check(const std::string &Body) {
  constexpr uint32_t Hostile[] = {
      0, 1, 3, 24, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff};
  Module Definition = kernelOf(Body);
  Module Host = legal(Definition, "x86-64-v3");
  Module Ptx = legal(Definition, "sm_80");
  for (uint32_t A : Hostile)
    for (uint32_t B : Hostile)
      for (uint32_t C : Hostile)
        for (auto [X, O] :
             {std::pair(64u, 24u), {64u, 64u}, {5u, 20u}, {0u, 3u}}) {
          Case At{A, B, C, X, O};
          Outcome Expected = execute(Definition, At);
          Outcome OnHost = execute(Host, At), OnPtx = execute(Ptx, At);
          if (Expected == OnHost && Expected == OnPtx)
            continue;
          INFO("a " << A << " b " << B << " c " << C << " lengths " << X << " "
                    << O << "\n"
                    << moduleText(Host));
          REQUIRE(Expected.Fault == "");
          REQUIRE(OnHost.Fault == "");
          REQUIRE(OnPtx.Fault == "");
          REQUIRE(Expected.O == OnHost.O);
          REQUIRE(Expected.O == OnPtx.O);
        }
  SUCCEED();
}

/// Gives up after some repetitions.
const std::string Limit = "if t >= 12 { break; }\nt += 1;\n";

} // namespace

TEST_CASE("the interpreter notices a check that is missing") {
  Module M = kernelOf("s = x[i + a];");
  M.Bounds = BoundsMode::Unchecked;
  Module Host = legal(M, "x86-64-v3");
  CHECK(execute(Host, {1, 0, 0, 64, 24}).Fault == "");
  CHECK(execute(Host, {64, 0, 0, 64, 24}).Fault != "");
}

TEST_CASE("offsets and strides that wrap") {
  check("for k in 0..c {" + Limit +
        "s += x[a + k * b]; s = s ^ x[i * b + k + a]; o[k + a] = s; }");
  check("for k in 0..b {" + Limit +
        "s += x[i * a + k]; s = s ^ x[(i * a + k) * c]; }");
}

TEST_CASE("signed indices below zero") {
  check("let n = a as i32;\nfor k in n..(b as i32) {" + Limit +
        "s += x[(c as i32) + k]; s = s ^ x[(i as i32) - k]; o[k] = s; }");
  check("for d in -2..=2 { let v = (i as i32) + d;\n"
        "if v >= 0 && v < (a as i32) { s += x[v * (b as i32) + (c as i32)];\n"
        "s = s ^ x[v]; } }");
  check("let v = (i as i32) - 4;\ns = x[v] + x[v * (a as i32)] + "
        "x[(v + (b as i32)) / 2] + x[(v + (c as i32)) >> 1] + x[v % 7];");
}

TEST_CASE("differences") {
  check("for k in 0..a {" + Limit +
        "s += x[a - 1 - k] + x[i - k]; s = s ^ x[k - i]; s += x[b - k]; }");
  check("s = x[i - a] + x[i - 3] + x[i + 5 - b] + x[a - i] + x[i * 2 - c];");
}

TEST_CASE("inclusive ranges and steps to the type's end") {
  check("for k in a..=b {" + Limit +
        "s += x[k]; o[k] = s; }\n"
        "t = 0;\nfor k in (a..b).step_by(3) {" +
        Limit +
        "s += x[k + c]; }\n"
        "t = 0;\nfor k in (b..=u32::MAX).step_by(7) {" +
        Limit + "s = s ^ x[k]; }");
}

TEST_CASE("ranges that are loaded") {
  check("let lo = x[i];\nlet hi = x[i + 1];\nfor k in lo..hi {" + Limit +
        "s += x[k * a + b]; o[k] = s; s = s ^ x[x[k]]; }");
}

TEST_CASE("assumptions that do not hold") {
  check("gpu::assume(a < x.len());\ngpu::assume(b < a);\ns = x[a] + x[b];\n"
        "for k in 0..b {" +
        Limit +
        "s += x[k]; }\n"
        "let j = x[i];\ngpu::assume(j < c);\ngpu::assume(c <= x.len());\n"
        "s += x[j];\nfor k in 0..3u32 { s += x[j] * k; o[j] = s; }");
  check("gpu::assume(o.len() <= x.len());\nif i < o.len() { s = x[i];\n"
        "gpu::assume(i + a < x.len()); s += x[i + a] + x[i + a] * x[i + a]; }");
}

TEST_CASE("a large body is copied in pieces") {
  check("#[unroll]\nfor q in 0..60u32 { if i + q < a { let mut v = x[i + q * "
        "b];\n"
        "if v > 9 { v = x[q + c]; } s += v; } s = s ^ (s << 3) ^ q; }");
}

TEST_CASE("variables and conditions") {
  check("let mut k = a;\nwhile k < b {" + Limit + "s += x[k]; k += c; }");
  check("if i >= a { return; }\ns = x[i];\nif i + b < c { s += x[i + b]; "
        "o[i + b] = s; }");
  check("let mut k = 4u32;\nloop {" + Limit +
        "s += x[i + k]; k = (k + a) >> 1; if k == b { break; } o[k] = s; }");
}

TEST_CASE("quotients, masks and choices") {
  check("for k in 0..4u32 { s += x[gpu::min(i + a, b)] + x[(i * a) % b] + "
        "x[(i + a) >> (c & 31)]; s = s ^ x[(i + a + k) / c] ^ x[(i | a) & b] ^ "
        "x[gpu::max(i, k) + gpu::select(a < b, c, k)]; }");
}

TEST_CASE("arrays of the group and of the work-item") {
  check("let mut w = [1u32, 2, 3, 4, 5, 6, 7, 8];\nfor k in 0..c {" + Limit +
        "w[a + k] = k; s += w[k] + w[b - k]; }");
}

TEST_CASE("barriers in copied bodies") {
  SourceManager SM;
  DiagSink Diags;
  FileId File = SM.add("t.goldy", R"(use goldy::gpu;
#[goldy::compute(workgroup_size = [8, 1, 1])]
fn k(x: &[u32], o: &mut [u32], a: u32, b: u32, c: u32) {
    let mut w = gpu::workgroup_array::<u32, 8>();
    let l = gpu::local_id().x;
    let mut s = 0u32;
    let n = b % 5;
    for k in 0..n {
        w[l] = x[gpu::global_id().x * a + k + c];
        gpu::workgroup_barrier();
        let mut h = 4u32;
        while h > 0 {
            if l < h {
                w[l] += w[l + h];
            }
            gpu::workgroup_barrier();
            h = h >> 1;
        }
        s += w[0];
        gpu::workgroup_barrier();
    }
    o[gpu::global_id().x + a] = s;
}
)");
  ast::Ast Tree = parseFile(SM, File, Diags);
  std::optional<Module> M = lowerToIR(SM, Tree, {}, Diags);
  REQUIRE(M);
  Module Host = legal(*M, "x86-64-v3");
  REQUIRE(verify(Host, Diags));
  for (uint32_t A : {0u, 1u, 2u, 0x20000000u, 0xffffffffu})
    for (uint32_t B : {0u, 3u, 4u, 0xffffffffu})
      for (uint32_t C : {0u, 17u, 0xfffffff0u})
        for (uint32_t Length : {0u, 30u, 64u}) {
          Case At{A, B, C, Length, 40};
          CHECK(execute(*M, At) == execute(Host, At));
        }
}
