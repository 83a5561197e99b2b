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

/// From which size on a kernel is as fast as a copy node or faster, which loses
/// half of its rate where one end is no multiple of 256; shifted: the ends are
/// not equally far from a multiple of 16. Measured on an H200
/// (docs/devices.md).
static constexpr uint64_t LeastBytes = uint64_t(2) << 20,
                          LeastShiftedBytes = uint64_t(256) << 10;

/// An entry before and behind what moves a vector: `ENTRY` is its name, the
/// thread's number is in %d4, its ends are in %d7 and %d8.
static constexpr const char *Head = R"(
.visible .entry ENTRY(.param .align 8 .b8 ENTRY_param_0[32])
.reqntid 256, 1, 1
{
  .reg .pred %p<6>;
  .reg .b16 %h<3>;
  .reg .b32 %r<32>;
  .reg .b64 %d<18>;
  ld.param.u64 %d1, [ENTRY_param_0];
  ld.param.u64 %d2, [ENTRY_param_0+8];
  ld.param.u64 %d3, [ENTRY_param_0+16];
  ld.param.u32 %r1, [ENTRY_param_0+24];
  ld.param.u32 %r2, [ENTRY_param_0+28];
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
)";
static constexpr const char *Tail = R"(EDGES:
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

static constexpr const char *StraightName = "goldyrt_copy",
                            *ShiftedName = "goldyrt_copy_shifted";
static constexpr const char *StraightVector =
    R"(  ld.global.cs.v4.u32 {%r5, %r6, %r7, %r8}, [%d7];
  st.global.cs.v4.u32 [%d8], {%r5, %r6, %r7, %r8};
)";
/// Loads the two vectors that hold the 16 bytes: each holds one of them at
/// least, so neither lies outside of the memory. The eight words are moved by
/// two, by one, and by bits.
static constexpr const char *ShiftedVector = R"(  and.b64 %d16, %d7, -16;
  cvt.u32.u64 %r5, %d7;
  ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%d16];
  ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%d16+16];
  and.b32 %r14, %r5, 8;
  setp.ne.u32 %p4, %r14, 0;
  and.b32 %r14, %r5, 4;
  setp.ne.u32 %p5, %r14, 0;
  selp.b32 %r6, %r8, %r6, %p4;
  selp.b32 %r7, %r9, %r7, %p4;
  selp.b32 %r8, %r10, %r8, %p4;
  selp.b32 %r9, %r11, %r9, %p4;
  selp.b32 %r10, %r12, %r10, %p4;
  selp.b32 %r11, %r13, %r11, %p4;
  selp.b32 %r6, %r7, %r6, %p5;
  selp.b32 %r7, %r8, %r7, %p5;
  selp.b32 %r8, %r9, %r8, %p5;
  selp.b32 %r9, %r10, %r9, %p5;
  selp.b32 %r10, %r11, %r10, %p5;
  shl.b32 %r15, %r5, 3;
  and.b32 %r15, %r15, 24;
  shf.r.wrap.b32 %r16, %r6, %r7, %r15;
  shf.r.wrap.b32 %r17, %r7, %r8, %r15;
  shf.r.wrap.b32 %r18, %r8, %r9, %r15;
  shf.r.wrap.b32 %r19, %r9, %r10, %r15;
  st.global.v4.u32 [%d8], {%r16, %r17, %r18, %r19};
)";

static std::string entry(const std::string &Name, const char *Vector) {
  std::string Text = std::string(Head) + Vector + Tail;
  const std::string Placeholder = "ENTRY";
  for (size_t At = 0; (At = Text.find(Placeholder, At)) != Text.npos;)
    Text.replace(At, Placeholder.size(), Name);
  return Text;
}

static std::string moduleText() {
  return ".version 7.0\n.target sm_80\n.address_size 64\n" +
         entry(StraightName, StraightVector) +
         entry(ShiftedName, ShiftedVector);
}

static_assert(sizeof(CopyBlock) == 32);

CopyKernel::~CopyKernel() {
  if (Loaded)
    D.cu().ModuleUnload(Loaded);
}

bool CopyKernel::takes(DevicePointer To, DevicePointer From, uint64_t Bytes) {
  bool IsShifted = (To - From) % VectorBytes != 0;
  return Bytes >= (IsShifted ? LeastShiftedBytes : LeastBytes);
}

/// Copies that are aligned in some runs only lose less by the kernel than ones
/// that are shifted lose by a node.
bool CopyKernel::mayTake(uint64_t Bytes) { return Bytes >= LeastShiftedBytes; }

/// A driver without a compiler keeps its copy nodes.
Status CopyKernel::load() {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Tried)
    return Status();
  if (!Loaded) {
    std::string Text = moduleText();
    Module New = nullptr;
    Status S = D.check(
        D.cu().ModuleLoadDataEx(&New, Text.c_str(), 0, nullptr, nullptr),
        "cuModuleLoadDataEx");
    Tried = S.code() == GOLDY_UNSUPPORTED;
    if (!S.ok())
      return Tried ? Status() : std::move(S);
    Loaded = New;
  }
  GOLDY_TRY(D.check(D.cu().ModuleGetFunction(&Straight, Loaded, StraightName),
                    "cuModuleGetFunction"));
  GOLDY_TRY(D.check(D.cu().ModuleGetFunction(&Shifted, Loaded, ShiftedName),
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
  Out.Kernel = Block.From % VectorBytes ? Shifted : Straight;
  std::fill(std::begin(Out.Grid), std::end(Out.Grid), 1);
  std::fill(std::begin(Out.Block), std::end(Out.Block), 1);
  Out.Grid[0] = static_cast<unsigned>((Vectors + Threads - 1) / Threads);
  Out.Block[0] = Threads;
  Out.Params = &Value;
  return Status();
}
