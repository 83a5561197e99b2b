//===- CopyKernel.cpp - Large copies within a graph -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/CopyKernel.h"

#include <algorithm>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

static constexpr uint32_t Threads = 256, VectorBytes = 16;

/// Below this a copy is over before its rate shows.
static constexpr uint64_t LeastBytes = uint64_t(1) << 20;

static constexpr const char *Name = "goldyrt_copy";
static constexpr const char *Text = R"(.version 7.0
.target sm_80
.address_size 64

.visible .entry goldyrt_copy(.param .align 8 .b8 goldyrt_copy_param_0[32])
.reqntid 256, 1, 1
{
  .reg .pred %p<4>;
  .reg .b16 %h<3>;
  .reg .b32 %r<9>;
  .reg .b64 %d<16>;
  ld.param.u64 %d1, [goldyrt_copy_param_0];
  ld.param.u64 %d2, [goldyrt_copy_param_0+8];
  ld.param.u64 %d3, [goldyrt_copy_param_0+16];
  ld.param.u32 %r1, [goldyrt_copy_param_0+24];
  ld.param.u32 %r2, [goldyrt_copy_param_0+28];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d2, %d2;
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %tid.x;
  mul.wide.u32 %d4, %r3, 256;
  cvt.u64.u32 %d5, %r4;
  add.s64 %d4, %d4, %d5;
  setp.ge.u64 %p1, %d4, %d3;
  @%p1 bra EDGES;
  shl.b64 %d6, %d4, 4;
  add.s64 %d7, %d2, %d6;
  add.s64 %d8, %d1, %d6;
  ld.global.cs.v4.u32 {%r5, %r6, %r7, %r8}, [%d7];
  st.global.cs.v4.u32 [%d8], {%r5, %r6, %r7, %r8};
EDGES:
  setp.ge.u64 %p1, %d4, 16;
  @%p1 bra DONE;
  cvt.u64.u32 %d9, %r1;
  setp.lt.u64 %p2, %d4, %d9;
  sub.s64 %d10, %d4, %d9;
  add.s64 %d11, %d2, %d10;
  add.s64 %d12, %d1, %d10;
  @%p2 ld.global.u8 %h1, [%d11];
  @%p2 st.global.u8 [%d12], %h1;
  cvt.u64.u32 %d9, %r2;
  setp.lt.u64 %p3, %d4, %d9;
  shl.b64 %d13, %d3, 4;
  add.s64 %d13, %d13, %d4;
  add.s64 %d14, %d2, %d13;
  add.s64 %d15, %d1, %d13;
  @%p3 ld.global.u8 %h2, [%d14];
  @%p3 st.global.u8 [%d15], %h2;
DONE:
  ret;
}
)";

static_assert(sizeof(CopyBlock) == 32);

CopyKernel::~CopyKernel() {
  if (Loaded)
    D.cu().ModuleUnload(Loaded);
}

bool CopyKernel::takes(DevicePointer To, DevicePointer From, uint64_t Bytes) {
  return Bytes >= LeastBytes && (To - From) % VectorBytes == 0;
}

/// A driver without a compiler keeps its copy nodes.
Status CopyKernel::load() {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Tried)
    return Status();
  if (!Loaded) {
    Module New = nullptr;
    Status S = D.check(D.cu().ModuleLoadDataEx(&New, Text, 0, nullptr, nullptr),
                       "cuModuleLoadDataEx");
    Tried = S.code() == GOLDY_UNSUPPORTED;
    if (!S.ok())
      return Tried ? Status() : std::move(S);
    Loaded = New;
  }
  GOLDY_TRY(D.check(D.cu().ModuleGetFunction(&Entry, Loaded, Name),
                    "cuModuleGetFunction"));
  Tried = true;
  return Status();
}

Status CopyKernel::launch(DevicePointer To, DevicePointer From, uint64_t Bytes,
                          CopyBlock &Block, void *&Value,
                          KernelNodeParams &Out) {
  GOLDY_TRY(load());
  uint64_t Before = (VectorBytes - To % VectorBytes) % VectorBytes;
  uint64_t Vectors = (Bytes - Before) / VectorBytes;
  Block = {To + Before, From + Before, Vectors, static_cast<uint32_t>(Before),
           static_cast<uint32_t>((Bytes - Before) % VectorBytes)};
  Value = &Block;
  Out = {};
  Out.Kernel = Entry;
  std::fill(std::begin(Out.Grid), std::end(Out.Grid), 1);
  std::fill(std::begin(Out.Block), std::end(Out.Block), 1);
  Out.Grid[0] = static_cast<unsigned>((Vectors + Threads - 1) / Threads);
  Out.Block[0] = Threads;
  Out.Params = &Value;
  return Status();
}
