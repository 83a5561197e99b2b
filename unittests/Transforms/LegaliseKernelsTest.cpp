//===- LegaliseKernelsTest.cpp - Definition and legal form agree *- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole kernels in the language: the interpreter runs the definition and what
// the passes made of it for every architecture, unoptimised and optimised, on
// the same arguments; every buffer must hold the same bytes.
//
//===----------------------------------------------------------------------===//
#include "LegaliseTest.h"

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/Pass.h"

using namespace goldy;
using namespace goldy::test;

namespace {

constexpr uint32_t Elements = 192;

/// Buffers a, b (f32), u (u32), v (i32), f (bool), then the outputs of the same
/// types, then scalars n and s.
constexpr const char *Signature = R"(use goldy::gpu;
fn lerp(a: f32, b: f32, t: f32) -> f32 { if t <= 0.0 { return a; } a + (b - a) * t }
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(a: &[f32], b: &[f32], u: &[u32], v: &[i32], f: &[bool], o: &mut [f32], p: &mut [u32],
     q: &mut [i32], g: &mut [bool], n: u32, s: f32) {
    let mut w = gpu::workgroup_array::<f32, 64>();
    let mut flags = gpu::workgroup_array::<bool, 64>();
    let i = gpu::global_id().x;
    let l = gpu::local_id().x;
)";

struct Buffers {
  std::vector<std::vector<uint32_t>> Words;
  explicit Buffers(uint32_t Seed) {
    Random R;
    for (uint32_t N = 0; N < Seed; ++N)
      R.word();
    for (unsigned N = 0; N < 9; ++N) {
      std::vector<uint32_t> Data;
      for (uint32_t E = 0; E < Elements; ++E)
        Data.push_back(N < 2 ? pick(R, floatEdges(), R.real())
                             : pick(R, integerEdges(), R.word()));
      if (N == 4 || N == 8)
        for (uint32_t &Flag : Data)
          Flag = Flag % 3 == 0 ? 0 : Flag;
      Words.push_back(Data);
    }
  }
  static uint32_t pick(Random &R, const std::vector<uint32_t> &Edges,
                       uint32_t Other) {
    return R.word() % 2 ? Edges[R.word() % Edges.size()] : Other;
  }
  std::vector<InterpArgument> arguments() {
    std::vector<InterpArgument> Args;
    for (std::vector<uint32_t> &W : Words) {
      InterpArgument A;
      A.Bytes = std::as_writable_bytes(std::span(W));
      Args.push_back(A);
    }
    InterpArgument N, S;
    N.Bits = 100;
    S.Bits = 0x3fb504f3u;
    Args.push_back(N);
    Args.push_back(S);
    return Args;
  }
};

Module frontEnd(const std::string &Body) {
  SourceManager SM;
  DiagSink Diags;
  FileId File = SM.add("k.goldy", Signature + Body + "}\n");
  ast::Ast Tree = parseFile(SM, File, Diags);
  std::optional<Module> M;
  if (!Diags.hasErrors())
    M = lowerToIR(SM, Tree, SemaOptions(), Diags);
  std::ostringstream Text;
  for (const Diagnostic &D : Diags.diagnostics())
    renderText(Text, SM, D, false);
  INFO(Text.str());
  REQUIRE(M);
  return std::move(*M);
}

Buffers run(const Module &M, uint32_t Seed) {
  Buffers Data(Seed);
  std::vector<InterpArgument> Args = Data.arguments();
  std::optional<InterpFault> Fault =
      interpret(M, M.kernels()[0], {3, 1, 1}, Args);
  INFO((Fault ? Fault->Message : ""));
  REQUIRE_FALSE(Fault);
  return Data;
}

Module legalised(Module M, const Capabilities &Caps, unsigned OptLevel) {
  DiagSink Diags;
  Fuel Unlimited;
  PassContext Context{Diags, Caps, Unlimited};
  PassObserver Observer;
  Observer.VerifyEach = true;
  REQUIRE(runPasses(M, legalisationPasses(Caps, OptLevel), Context, Observer));
  return M;
}

/// 64-bit operations that the table lacks must be gone.
void checkWide(const Module &M, const Capabilities &Caps) {
  const Function &F = M.Functions[M.kernels()[0]];
  for (const Inst &I : F.Insts) {
    if (!isPure(I.Opcode) || I.NumOperands == 0 || I.Opcode == Op::Select)
      continue;
    TypeId From = F.typeOf(F.operands(I)[0]);
    bool Wide = M.Types.bits(From) == 64, Float = I.Type == types::F32;
    Op O = I.Opcode;
    bool Bits = (O >= Op::CountOnes && O <= Op::ReverseBits) || O == Op::Min ||
                O == Op::Max;
    bool Rotates = O == Op::RotateLeft || O == Op::RotateRight;
    bool Lacks = (Bits && !Caps.WideBits) || (Rotates && !Caps.Rotates) ||
                 (O == Op::MulHi && !Caps.WideMulHi) ||
                 (O == Op::Cast && Float && !Caps.WideToFloat);
    bool FromFloat =
        O == Op::Cast && From == types::F32 && M.Types.bits(I.Type) == 64;
    INFO(opInfo(O).Name);
    CHECK_FALSE(((Wide && Lacks) || FromFloat));
  }
}

void compare(const std::string &Body) {
  Module M = frontEnd(Body);
  std::vector<Buffers> Wanted;
  for (uint32_t Seed = 0; Seed < 4; ++Seed)
    Wanted.push_back(run(M, Seed));
  forEachTarget([&](const Capabilities &Caps) {
    for (unsigned OptLevel : {0u, 2u}) {
      Module Legal = legalised(M, Caps, OptLevel);
      INFO(Caps.Arch << " -O" << OptLevel);
      checkWide(Legal, Caps);
      for (uint32_t Seed = 0; Seed < 4; ++Seed) {
        Buffers Got = run(Legal, Seed);
        for (size_t N = 0; N < Got.Words.size(); ++N)
          for (uint32_t E = 0; E < Elements; ++E)
            if (Got.Words[N][E] != Wanted[Seed].Words[N][E])
              FAIL("buffer " << N << ", element " << E << ": "
                             << hex(Got.Words[N][E]) << ", expected "
                             << hex(Wanted[Seed].Words[N][E]));
      }
    }
  });
}

} // namespace

TEST_CASE("saxpy") { compare("if i < o.len() { o[i] = s * a[i] + b[i]; }"); }

TEST_CASE("every exact float operation") {
  compare(R"(
    let x = a[i];
    let y = b[i];
    let mut r = x / y + x.sqrt() - x % y;
    r = gpu::fma(x, y, r) + x.min(y) * x.max(y);
    o[i] = r;
    p[i] = (x * y).to_bits() ^ (x - y).floor().to_bits() ^ x.ceil().to_bits();
    q[i] = x.round() as i32 ^ y.round_even() as i32 ^ x.trunc() as i32;
    g[i] = x < y || x == y && !(x > s);
)");
}

TEST_CASE("NaNs through choices, signs and locals") {
  compare(R"(
    let x = a[i];
    let mut m = x - x;
    if f[i] { m = b[i]; }
    let c = if x < 0.0 { -x } else { x };
    let d = if b[i] < x { b[i] } else { x };
    o[i] = if f[i] { -(m + s) } else { m.abs() };
    p[i] = c.to_bits() + d.to_bits() * 3 + (-m).to_bits() * 5 + x.copysign(m).to_bits() * 7;
)");
}

TEST_CASE("identities by literal, by a loop, after unrolling") {
  compare(R"(
    let x = a[i];
    let mut one = 1.0;
    let mut y = b[i];
    for t in 0..3 { y = y * one; }
    #[unroll]
    for t in 0..2 { y = y * (t as f32) + -0.0; }
    one = one * x;
    o[i] = x * 1.0 + y;
    p[i] = (x * 1.0).to_bits() ^ (x + -0.0).to_bits() * 3 ^ (x - 0.0).to_bits() * 5;
    q[i] = ((x / 1.0).to_bits() ^ (one / -1.0).to_bits()) as i32;
    g[i] = (x * -1.0).to_bits() == 0x80000000;
)");
}

TEST_CASE("integers") {
  compare(R"(
    let x = u[i];
    let y = v[i];
    p[i] = x / (y as u32) + x % u[i ^ 1] + (x << x) + (x >> 7) + x.rotate_left(x >> 3)
         + x.count_ones() + y.leading_zeros() + x.trailing_zeros() + x.mul_hi(y as u32);
    q[i] = y / (x as i32) - y % v[i ^ 1] + (y >> x) + y.abs() + y.min(v[i ^ 2]) + y / -1
         + y.mul_hi(x as i32) + y.reverse_bits() + y % 10;
    o[i] = x as f32 + y as f32;
    g[i] = (a[i] as u32) > 7 && (b[i] as i32) < y;
)");
}

TEST_CASE("64-bit integers") {
  compare(R"(
    let x = ((u[i] as u64) << 32) | u[i ^ 1] as u64;
    let y = ((u[i ^ 3] as u64) << 32) | u[i ^ 2] as u64;
    let small = y >> (u[i ^ 5] % 66);
    let s64 = x as i64;
    let t64 = (y as i64) >> (u[i] % 64);
    let mut h = x / small + x % small * 3 + (x << y) * 5 + (x >> small) * 7 + x.min(y) + x.max(small);
    h ^= x.rotate_left(u[i]) + x.rotate_right(u[i ^ 7]) + x.mul_hi(y) + x.reverse_bits() * 9;
    let mut z = s64 / t64 + s64 % t64 * 3 + (s64 >> y) * 5 + s64.min(t64) - s64.max(t64) + s64.abs() - -t64;
    z ^= s64.mul_hi(t64) + s64 / -7 + s64 % 1000000007 + s64.rotate_left(33);
    let c = x.count_ones() + x.leading_zeros() * 65 + small.trailing_zeros() * 4225 + s64.leading_zeros();
    p[i] = h as u32 ^ (h >> 32) as u32 ^ c ^ (x as f32).to_bits() ^ (small as f32).to_bits() * 3;
    q[i] = z as i32 ^ (z >> 32) as i32 ^ (s64 as f32).to_bits() as i32 ^ ((a[i] as u64 * 5 + b[i] as i64 as u64) >> 3) as i32;
    o[i] = t64 as f32;
    g[i] = x < small || s64 >= t64;
)");
}

TEST_CASE("bools in every memory") {
  compare(R"(
    flags[l] = f[i] && g[i];
    let before = flags[l ^ 1];
    gpu::workgroup_barrier();
    let mut any = false;
    let mut t = 0;
    while t < 64 {
        if flags[t] { any = true; break; }
        t += 1;
    }
    g[i] = any ^ flags[l ^ 1];
    q[i] = before as i32 * 0 + f[i] as i32;
    p[i] = gpu::select(any, 1, 2) + g[i] as u32;
)");
}

TEST_CASE("a tree sum in workgroup memory") {
  compare(R"(
    w[l] = if i < n { a[i] } else { 0.0 };
    gpu::workgroup_barrier();
    let mut step = 32;
    while step > 0 {
        if l < step { w[l] = w[l] + w[l + step]; }
        gpu::workgroup_barrier();
        step = step / 2;
    }
    o[i] = w[0] * lerp(s, b[i], 0.25);
)");
}

TEST_CASE("out of range, early returns, nested exits") {
  compare(R"(
    if i > 150 { return; }
    o[i + 60] = a[i + 60] + b[v[i]];
    q[v[i]] = 7;
    'outer: for x in 0..4 {
        for y in 0..4 {
            if x * y == (i & 7) { break 'outer; }
            if y > x { continue 'outer; }
            p[i] += x * 16 + y;
        }
    }
)");
}
