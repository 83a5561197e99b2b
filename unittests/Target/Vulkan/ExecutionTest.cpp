//===- ExecutionTest.cpp - SPIR-V on a device against the interpreter
//------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel runs on the interpreter, from its definition, and on the Vulkan
// device, from SPIR-V at -O0 and -O2 and, where Slang's library is found, from
// slang-entry text; every bit of every buffer must agree.
// Floats come from all bit patterns, with many subnormals, infinities and
// NaNs among them. Without a device there is nothing to check.
//
//===----------------------------------------------------------------------===//
#include "../RandomKernel.h"
#include "../Slang/Slangc.h"
#include "VulkanHost.h"

#include "goldyc/Foreign/ViaSlang.h"
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Target/SPIRV/Emit.h"
#include "goldyc/Target/Slang/Emit.h"
#include "goldyc/Transforms/Pass.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

using namespace goldy;
using namespace goldy::test;

namespace {

VulkanHost *device() {
  static std::unique_ptr<VulkanHost> Host = VulkanHost::open();
  if (!Host && std::getenv("GOLDY_REQUIRE_VULKAN"))
    FAIL("GOLDY_REQUIRE_VULKAN is set, and there is no Vulkan 1.3 device");
  if (!Host)
    WARN("no Vulkan 1.3 device: not run");
  return Host.get();
}

void explain(const DiagSink &Sink) {
  for (const Diagnostic &D : Sink.diagnostics())
    UNSCOPED_INFO(D.Message);
}

VerifiedModule definition(const std::string &Source) {
  SourceManager SM;
  DiagSink Sink;
  FileId File = SM.add("t.goldy", "use goldy::gpu;\n" + Source);
  ast::Ast Tree = parseFile(SM, File, Sink);
  std::optional<Module> M;
  if (!Sink.hasErrors())
    M = lowerToIR(SM, Tree, SemaOptions(), Sink);
  explain(Sink);
  REQUIRE(M);
  std::optional<VerifiedModule> V = verify(std::move(*M), Sink);
  explain(Sink);
  REQUIRE(V);
  return std::move(*V);
}

VerifiedModule legal(const VerifiedModule &V, std::string_view Arch,
                     unsigned OptLevel) {
  Module M = extractKernel(*V, V->kernels()[0]);
  DiagSink Sink;
  Fuel Rewrites;
  PassContext Context{Sink, *capabilitiesFor(Arch), Rewrites};
  bool Legal =
      runPasses(M, legalisationPasses(Context.Caps, OptLevel), Context);
  std::optional<VerifiedModule> L;
  if (Legal)
    L = verify(std::move(M), Sink);
  explain(Sink);
  REQUIRE(L);
  return std::move(*L);
}

Image compile(const VerifiedModule &V, unsigned OptLevel) {
  VerifiedModule L = legal(V, "vulkan1.3", OptLevel);
  DiagSink Sink;
  EmitOptions Options;
  Options.OptLevel = OptLevel;
  std::optional<Image> I = emitSpirv(L, L->kernels()[0], Options, Sink);
  explain(Sink);
  REQUIRE(I);
  return *I;
}

/// The same by way of Slang text and Slang's compiler.
Image compileSlang(const VerifiedModule &V) {
  VerifiedModule L = legal(V, "slang", 2);
  DiagSink Sink;
  std::optional<SlangEntry> E = emitSlangEntry(L, L->kernels()[0], Sink);
  std::optional<Image> I;
  if (E)
    I = compileSlangEntry(E->Text, E->Entry, *L, L->kernels()[0], "vulkan1.3",
                          EmitOptions(), Sink);
  explain(Sink);
  REQUIRE(I);
  return *I;
}

/// Words of every kind: small integers, any bits, special floats.
class Data {
public:
  uint32_t word() {
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t Any = static_cast<uint32_t>(State >> 32);
    switch (State >> 20 & 7) {
    case 0:
      return Any & 0x807fffffu; // subnormal
    case 1:
      return 0x7f800000u | (Any & 0x80000003u); // infinity, NaN
    case 2:
      return Any & 0x80000000u;
    case 3:
      return Any & 31;
    case 4:
    case 5:
      return 0x3f000000u + (Any & 0x80ffffffu);
    default:
      return Any;
    }
  }

private:
  uint64_t State = 1;
};

Argument bufferOf(size_t Elements, size_t Stride, Data &From) {
  Argument A;
  A.Length = static_cast<uint32_t>(Elements);
  A.Bytes.resize(Elements * Stride);
  for (size_t At = 0; At + 4 <= A.Bytes.size(); At += 4) {
    uint32_t W = From.word();
    std::memcpy(A.Bytes.data() + At, &W, 4);
  }
  return A;
}
Argument wordOf(uint32_t Word) {
  Argument A;
  A.IsBuffer = false;
  A.Word = Word;
  return A;
}

/// Runs the interpreter on a copy of the arguments.
std::vector<Argument> expected(const VerifiedModule &V,
                               std::vector<Argument> Arguments,
                               std::array<uint32_t, 3> Groups) {
  std::vector<InterpArgument> Given(Arguments.size());
  for (size_t N = 0; N < Arguments.size(); ++N) {
    Given[N].Bits = Arguments[N].Word;
    Given[N].Bytes = Arguments[N].Bytes;
  }
  std::optional<InterpFault> Fault =
      interpret(*V, V->kernels()[0], Groups, Given);
  if (Fault)
    UNSCOPED_INFO(Fault->Message);
  REQUIRE_FALSE(Fault);
  return Arguments;
}

/// Reports the first word that differs.
void sameWords(const std::string &Param, const std::vector<std::byte> &Got,
               const std::vector<std::byte> &Wanted) {
  for (size_t At = 0; At + 4 <= Got.size(); At += 4) {
    uint32_t Is, Should;
    std::memcpy(&Is, Got.data() + At, 4);
    std::memcpy(&Should, Wanted.data() + At, 4);
    if (Is == Should)
      continue;
    INFO("parameter " << Param << ", word " << At / 4 << std::hex << ": got 0x"
                      << Is << ", expected 0x" << Should);
    CHECK(Is == Should);
    return;
  }
}

/// The module's only kernel; buffers of `Elements`, scalars 7, 8, …
void agrees(const VerifiedModule &V, size_t Elements,
            std::array<uint32_t, 3> Groups, bool Slang) {
  VulkanHost *Host = device();
  if (!Host)
    return;
  const Function &F = V->Functions[V->kernels()[0]];
  Data From;
  std::vector<Argument> Arguments;
  for (const Param &P : F.Params)
    Arguments.push_back(
        P.Kind == ParamKind::Scalar
            ? wordOf(P.Type == types::F32 ? 0x3fc00000u
                                          : 7 + uint32_t(Arguments.size()))
            : bufferOf(Elements, V->Types.stride(P.Type), From));
  std::vector<Argument> Wanted = expected(V, Arguments, Groups);
  std::vector<std::pair<std::string, Image>> Images = {{"-O0", compile(V, 0)},
                                                       {"-O2", compile(V, 2)}};
  if (Slang && slangForTests())
    Images.push_back({"Slang", compileSlang(V)});
  for (const auto &[How, I] : Images) {
    INFO(How);
    std::vector<Argument> Got = Arguments;
    Host->run(I, abiLayout(*V, F), Got, Groups);
    for (size_t N = 0; N < Got.size(); ++N)
      sameWords(F.Params[N].Name, Got[N].Bytes, Wanted[N].Bytes);
  }
}
void agrees(const std::string &Source, size_t Elements,
            std::array<uint32_t, 3> Groups) {
  agrees(definition(Source), Elements, Groups, true);
}

} // namespace

TEST_CASE("vulkan: saxpy") {
  for (size_t Size : {1u, 255u, 256u, 257u, 5000u})
    agrees(R"(
#[goldy::compute(workgroup_size = [256, 1, 1])]
fn saxpy(x: &[f32], y: &mut [f32], a: f32) {
    let i = gpu::global_id().x;
    if i < y.len() { y[i] = a * x[i] + y[i]; }
}
)",
           Size, {uint32_t(Size + 255) / 256, 1, 1});
}

TEST_CASE("vulkan: float operations on all kinds of bits") {
  agrees(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(a: &[f32], b: &[f32], c: &[f32], add: &mut [f32], mul: &mut [f32], div: &mut [f32], fma: &mut [f32],
     root: &mut [f32], rem: &mut [f32], low: &mut [f32], neg: &mut [f32], less: &mut [u32], int: &mut [i32]) {
    let i = gpu::global_id().x;
    let x = a[i];
    let y = b[i];
    add[i] = x + y - c[i];
    mul[i] = x * y;
    div[i] = x / y;
    fma[i] = x.mul_add(y, c[i]);
    root[i] = x.abs().sqrt();
    rem[i] = x % y;
    low[i] = x.min(y).max(c[i]);
    neg[i] = -x + (x * 1.0) + (y + -0.0) + x.floor() + y.round() + c[i].round_even().fract();
    less[i] = (x < y) as u32 + 2 * (x == y) as u32 + 4 * (x != y) as u32 + 8 * (if x < 0.0 { -x } else { x }).to_bits();
    int[i] = x as i32 + (y as u32) as i32 + (int[i] as f32) as i32;
}
)",
         20000, {313, 1, 1});
}

TEST_CASE("vulkan: integer operations on all kinds of bits") {
  agrees(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(a: &[u32], b: &[u32], c: &[i32], d: &[i32], u: &mut [u32], s: &mut [i32], n: u32) {
    let i = gpu::global_id().x;
    let x = a[i];
    let y = b[i];
    let p = c[i];
    let q = d[i];
    u[i] = x / y + x % y + (x << y) + (x >> y) + x.min(y) + x.max(y).rotate_left(y) + x.rotate_right(n)
         + x.count_ones() + x.leading_zeros() + y.trailing_zeros() + x.reverse_bits() + x.mul_hi(y);
    s[i] = p / q + p % q + (p << q) + (p >> q) + p.min(q) + p.max(q) + p.abs() - -q + p.mul_hi(q)
         + (!p ^ q & p | n as i32) + p.leading_zeros() as i32 + (p < q) as i32;
}
)",
         10000, {157, 1, 1});
}

TEST_CASE("vulkan: 64-bit integers on all kinds of bits") {
  agrees(R"(
#[goldy::gpu]
struct E { key: u32, count: u64, low: [i64; 2] }
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(a: &[u64], b: &[u64], f: &[f32], u: &mut [u64], s: &mut [i64], w: &mut [u32], e: &mut [E], n: u64, m: i64) {
    let mut t = gpu::workgroup_array::<u64, 64>();
    let i = gpu::global_id().x;
    let l = gpu::local_id().x;
    let x = a[i];
    let y = b[i] >> (a[i] % 61);
    let p = x as i64;
    let q = y as i64 - m;
    t[l] = x ^ n;
    gpu::workgroup_barrier();
    u[i] = x / y + x % y + (x << y) + (x >> y) + x.min(y) + x.max(y).rotate_left(y as u32) + x.rotate_right(n as u32)
         + x.reverse_bits() + x.mul_hi(b[i]) + t[63 - l] * n;
    s[i] = p / q + p % q + (p << q) + (p >> q) + p.min(q) + p.max(q) + p.abs() - -q + p.mul_hi(q) + (!p ^ q & p | m);
    w[i] = x.count_ones() + x.leading_zeros() * 65 + y.trailing_zeros() * 4225 + (p < q) as u32 + (x <= y) as u32;
    w[i] ^= (x as f32).to_bits() ^ (p as f32).to_bits().rotate_left(7) ^ (y as f32).to_bits() ^ (f[i] as u64 >> 13) as u32;
    let mut r = [0i64; 3];
    for j in (0u64..=y % 9).step_by(2) { r[j as u32 % 3] += j as i64 * p; }
    e[i].count += f[i] as u64 + r[0] as u64;
    e[i].low[l % 2] -= f[i] as i64 + r[i % 3] + e[i].key as i64;
}
)",
         20000, {313, 1, 1});
}

TEST_CASE("vulkan: narrow elements") {
  agrees(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(a: &mut [u8], b: &mut [i8], c: &mut [u16], d: &mut [i16], h: &mut [gpu::f16], g: &mut [gpu::bf16],
     x: &[f32], w: &mut [u32], z: &mut [u32]) {
    let i = gpu::global_id().x;
    w[i] = h[i].to_bits() + a[i] + c[i];
    z[i] = g[i].to_bits() ^ (b[i] + d[i]) as u32;
    if i % 3 != 0 {
        a[i] += 7;
        b[i] -= 7;
        c[i] = x[i].to_bits();
        d[i] *= 3;
        h[i] = x[i];
        g[i] = x[i] * 1.5;
    }
}
)",
         20000, {313, 1, 1});
}

TEST_CASE("vulkan: a tree sum in workgroup memory") {
  agrees(R"(
#[goldy::compute(workgroup_size = [256, 1, 1])]
fn tree(x: &[f32], out: &mut [f32]) {
    let mut s = gpu::workgroup_array::<f32, 256>();
    let l = gpu::local_id().x;
    s[l] = x[gpu::global_id().x];
    gpu::workgroup_barrier();
    let mut w = 1;
    while w < 256 {
        if l % (2 * w) == 0 { s[l] += s[l + w]; }
        gpu::workgroup_barrier();
        w *= 2;
    }
    if l == 0 { out[gpu::workgroup_id().x] = s[0]; }
}
)",
         3000, {12, 1, 1});
}

TEST_CASE("vulkan: buffers are exchanged over a barrier") {
  agrees(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(y: &mut [u32]) {
    let i = gpu::global_id().x;
    let base = gpu::workgroup_id().x * 64;
    for r in 0..10 {
        let v = y[base + (i + r) % 64];
        gpu::workgroup_barrier();
        y[i] = v * 3 + r;
        gpu::workgroup_barrier();
    }
}
)",
         640, {10, 1, 1});
}

TEST_CASE("vulkan: atomics, a histogram in workgroup memory and beyond") {
  agrees(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &[u32], h: &mut [u32], m: &mut [i32]) {
    let mut s = gpu::workgroup_array::<u32, 100>();
    let i = gpu::global_id().x;
    let l = gpu::local_id().x;
    gpu::atomic_add(s, x[i] % 101, 1);
    gpu::atomic_max(m, x[i] % 13, x[i] as i32);
    gpu::atomic_xor(h, 999999, 1);
    gpu::workgroup_barrier();
    gpu::atomic_add(h, l, s[l]);
    if l < 36 { gpu::atomic_or(h, l + 64, s[l + 64]); }
}
)",
         700, {10, 1, 1});
}

TEST_CASE("vulkan: divergent loops with every exit") {
  agrees(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &[u32], y: &mut [u32], z: &mut [i32], m: i32) {
    let i = gpu::global_id().x;
    let mut n = x[i] % 1000 + 1;
    let mut steps = 0;
    while n != 1 && steps < 300 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    y[i] = steps;
    'rows: for r in 0..20 {
        for q in (-3..=m).step_by(3) {
            if (q as u32 + r) % 7 == x[i] % 5 { continue 'rows; }
            if r * r == i % 400 { break 'rows; }
            z[i] += q * r as i32;
        }
    }
    's: {
        loop {
            steps += 7;
            if steps % 5 == 0 { break 's; }
            if steps % 3 == 0 { break; }
        }
        z[i] ^= 1;
    }
    if steps > 100 { return; }
    for k in 4294967290u32..=4294967295 { y[i] += k / (i + 1); }
}
)",
         3000, {47, 1, 1});
}

TEST_CASE("vulkan: structs, private arrays, bools, ids in three dimensions") {
  agrees(R"(
#[goldy::gpu]
struct P { a: f32, v: gpu::Float3, p: [f32; 3], b: u32, on: bool }
#[goldy::compute(workgroup_size = [4, 4, 2])]
fn k(x: &[P], y: &mut [f32], f: &mut [bool], u: &mut [u32]) {
    let g = gpu::global_id();
    let n = gpu::num_workgroups();
    let i = (g.z * n.y * 4 + g.y) * n.x * 4 + g.x;
    let e = x[i];
    let mut t = [0.0; 6];
    t[e.b % 8] = e.a;
    t[i % 6] = e.v.y + e.p[i % 4] + x[i + 1].v.z;
    y[i] = t[0] + t[1] + t[2] + t[3] + t[4] + t[5];
    f[i] = e.on ^ f[i];
    u[i] = gpu::local_id().z * 100 + gpu::workgroup_id().y * 10 + f[i] as u32;
}
)",
         300, {3, 2, 2});
}

TEST_CASE("vulkan: random kernels") {
  for (uint32_t Seed = 0; Seed < 60; ++Seed) {
    INFO("seed " << Seed);
    DiagSink Sink;
    std::optional<VerifiedModule> V = verify(RandomKernel::make(Seed, 4), Sink);
    explain(Sink);
    REQUIRE(V);
    agrees(*V, 16, {1, 1, 1}, Seed % 10 == 0);
  }
}
