//===- SlangcTest.cpp - Slang's own compiler takes both forms
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs Slang's library, and the SPIR-V validator over what it gives (cleaned
// of what Debian's validator does not know). Without the library there is
// nothing to check.
//
//===----------------------------------------------------------------------===//
#include "Slangc.h"
#include "../RandomKernel.h"
#include "SlangTest.h"
#include "SpirvImage.h"

#include <spirv-tools/libspirv.hpp>

using namespace goldy;
using namespace goldy::test;

namespace {

void compile(SlangLibrary *Slangc, const std::string &Text) {
  std::string Entry = has(Text, "void cs_main(") ? "cs_main" : "goldy_kernel_k",
              Log, Why;
  std::vector<uint32_t> Raw = slangToSpirv(*Slangc, Text, Entry, Log);
  INFO(Text);
  INFO(Log);
  REQUIRE(Raw.size() > 5);
  std::optional<foreign::SpirvModule> Parts = foreign::SpirvModule::read(Raw);
  REQUIRE(Parts);
  foreign::cleanModule(*Parts, Entry);
  std::vector<uint32_t> Module = Parts->write();
  spvtools::SpirvTools Tools(SPV_ENV_VULKAN_1_3);
  Tools.SetMessageConsumer([&Why](spv_message_level_t, const char *,
                                  const spv_position_t &,
                                  const char *Message) { Why += Message; });
  spvtools::ValidatorOptions Options;
  Options.SetScalarBlockLayout(true);
  bool Valid = Tools.Validate(Module.data(), Module.size(), Options);
  INFO(Why);
  CHECK(Valid);
}

constexpr const char *Kernels[] = {
    R"(
#[goldy::gpu]
struct line { sample: f32, uniform: f32 }
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &[line], in_: &mut [f32]) {
    let centroid = x[gpu::global_id().x];
    let shared = centroid.sample + centroid.uniform;
    in_[0] = shared;
}
)",
    R"(
#[goldy::compute(workgroup_size = [256, 1, 1])]
fn k(x: &[f32], y: &mut [f32], a: f32) {
    let i = gpu::global_id().x;
    if i < y.len() { y[i] = a * x[i] + y[i]; }
}
)",
    R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(y: &mut [u32], n: u32, m: i32, on: bool) {
    let mut s = gpu::workgroup_array::<u32, 64>();
    let i = gpu::global_id().x;
    let mut c = 0;
    while c < n && on {
        c += 1;
        if c == 3 { continue; }
        if c > 10 { break; }
        gpu::atomic_max(s, c % 64, gpu::atomic_add(y, c, 1));
    }
    gpu::workgroup_barrier();
    'rows: for r in 0..n {
        for q in (0..=m).step_by(3) {
            if q == 7 { continue 'rows; }
            if q == 9 { break 'rows; }
            y[r] += q as u32 + s[gpu::local_id().x];
        }
    }
    's: {
        if i == 2 { break 's; }
        y[0] = i;
    }
    loop {
        c -= 1;
        if c == 0 { return; }
        for k in 0..=n { if k == c { continue; } y[k] = c; }
    }
}
)",
    R"(
#[goldy::gpu]
struct Color { r: f32, v: gpu::Float3, p: [f32; 2], alpha: u32, on: bool }
fn luma(c: Color) -> f32 { 0.25 * c.r + 0.5 * c.v.y }
fn sum(s: &[f32], from: u32) -> f32 { s[from] + s[from + 1] + gpu::global_id().x as f32 }
fn put(s: &mut [f32], at: u32, v: f32) { s[at] = v; }
#[goldy::compute(workgroup_size = [8, 8, 1])]
fn k(c: &[Color], y: &mut [f32], u: &mut [u32], z: &mut [i32]) {
    let mut s = gpu::workgroup_array::<f32, 64>();
    let i = gpu::global_id().x + gpu::num_workgroups().y;
    let mut t = [0.0; 4];
    t[i & 3] = luma(c[i]) % 3.0;
    t[4] = s[64];
    put(s, i, t[1]);
    y[i] = sum(y, i) + sum(s, i) + t[i & 3].mul_add(2.0, y[1]).sqrt() / y[2];
    u[i] = y[i] as u32 / u[0] + (u[1] << u[2]) + u[3].leading_zeros() + u[4].rotate_left(3);
    z[i] = y[i].round() as i32 % z[0] + z[1].mul_hi(z[2]) + (y[0].min(y[1]) < 1.0) as i32;
}
)",
    R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &[f32], y: &mut [f32], v: &mut [gpu::Float3], n: i32) {
    let i = gpu::global_id().x;
    let a = x[i];
    y[i] = a.exp() + a.exp2() + a.exp_m1() + a.ln() + a.log2() + a.log10() + a.ln_1p();
    y[i] += a.sin() + a.cos() + a.tan() + a.asin() + a.acos() + a.atan() + a.atan2(y[0]);
    y[i] += a.sinh() + a.cosh() + a.tanh() + a.erf() + a.rsqrt() + a.powf(y[1]) + gpu::powi(a, n);
    v[i] = v[i].exp();
}
)"};

} // namespace

TEST_CASE("Slang's compiler takes the entry form unchanged") {
  SlangLibrary *Slangc = slangForTests();
  if (!Slangc)
    return;
  for (const char *Source : Kernels)
    for (unsigned Level : {0u, 2u})
      compile(Slangc, entry(Source, Level));
}

TEST_CASE("Slang's compiler takes canonical text behind goldy.slang") {
  SlangLibrary *Slangc = slangForTests();
  if (!Slangc)
    return;
  for (const char *Source : Kernels)
    compile(Slangc, std::string(goldySlangText()) + canonical(Source));
}

TEST_CASE("random kernels have both forms of Slang text") {
  SlangLibrary *Slangc = slangForTests();
  for (uint32_t Seed = 0; Seed < 100; ++Seed) {
    INFO("seed " << Seed);
    DiagSink Sink;
    std::optional<VerifiedModule> V = verify(RandomKernel::make(Seed, 3), Sink);
    REQUIRE(V);
    CHECK(emitSlang(*V, FuncId(0), Sink));
    explain(Sink);
    std::string Text = legalEntry(*V, Seed % 2 * 2);
    if (Slangc && Seed % 20 == 0)
      compile(Slangc, Text);
  }
}
