//===- EntryTest.cpp - The bit-exact form of Slang text
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SlangTest.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("entry: block, modes, addresses and guards") {
  std::string Text = entry(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn copy(x: &[u32], y: &mut [u32], n: u32) {
    let i = gpu::global_id().x;
    y[i] = x[i] + n;
}
)");
  CHECK(Text == R"(struct GoldyParams {
    uint64_t x;
    uint goldy_len_x;
    uint goldy_zero_x;
    uint64_t y;
    uint goldy_len_y;
    uint goldy_zero_y;
    uint n;
    uint64_t goldy_layouts;
    uint goldy_base_x;
    uint goldy_base_y;
    uint goldy_base_z;
    uint goldy_count_x;
    uint goldy_count_y;
    uint goldy_count_z;
};
[[vk::push_constant]] GoldyParams goldy;

[shader("compute")]
[numthreads(64, 1, 1)]
void goldy_kernel_copy(uint3 goldy_lid : SV_GroupThreadID, uint3 goldy_group : SV_GroupID, uint goldy_index : SV_GroupIndex) {
    uint3 goldy_wid = goldy_group + uint3(goldy.goldy_base_x, goldy.goldy_base_y, goldy.goldy_base_z);
    uint3 goldy_gid = goldy_wid * uint3(64u, 1u, 1u) + goldy_lid;
    uint i = goldy_gid.x;
    uint t0 = 0u;
    if (i < goldy.goldy_len_x) {
        t0 = *(uint*)(goldy.x + uint64_t(i) * 4u);
    }
    if (i < goldy.goldy_len_y) {
        *(uint*)(goldy.y + uint64_t(i) * 4u) = t0 + goldy.n;
    }
}
)");
}

TEST_CASE("entry: float arithmetic is out of reach of Slang's folding") {
  std::string Text = entry(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &mut [f32]) {
    x[0] = (x[1] + x[3]) * 0.1 - x[2];
    x[3] = -x[4];
}
)");
  INFO(Text);
  for (const char *Part : {"OpExecutionMode $goldy_kernel_k 4462 32;",
                           "OpDecorate %r NoContraction;", "goldy_add(",
                           "goldy_mul(", "goldy_sub(", "goldy_flush("})
    CHECK(has(Text, Part));
  CHECK_FALSE(has(Text, " * 0.1"));
  CHECK_FALSE(has(Text, " + 0.0"));
}

TEST_CASE("entry: workgroup memory is cleared before the kernel starts") {
  std::string Text = entry(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &mut [i32]) {
    let mut s = gpu::workgroup_array::<i32, 100>();
    let l = gpu::local_id().x;
    gpu::atomic_add(s, l % 7, 3);
    gpu::workgroup_barrier();
    x[l] = s[l];
}
)");
  INFO(Text);
  CHECK(has(Text, "groupshared int s[100];"));
  CHECK(has(Text, "s[goldy_i] = 0;\n    }\n    AllMemoryBarrier"));
  CHECK(has(Text, "InterlockedAdd(s["));
}

TEST_CASE("entry: a block beyond the push constants lies behind its address") {
  std::string Text = entry(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(a: &[u32], b: &[u32], c: &[u32], d: &[u32], e: &[u32], f: &[u32], g: &mut [u32]) {
    g[0] = a[0] + f[1];
}
)");
  CHECK(has(Text, "[[vk::push_constant]] GoldyPush goldy_push;"));
  CHECK(
      has(Text, "    GoldyParams* goldy = (GoldyParams*)goldy_push.params;\n"));
}

TEST_CASE("entry: a definition is refused") {
  VerifiedModule V = definition(R"(
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(x: &mut [f32]) { x[0] = 1.0; }
)");
  DiagSink Sink;
  CHECK_FALSE(emitSlangEntry(V, V->kernels()[0], Sink));
  REQUIRE(Sink.errorCount() == 1);
  CHECK(Sink.diagnostics()[0].Code == diag::G0685);
}
