//===- Recorder.cpp - Parts of submissions as commands --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Recorder.h"

#include "vulkan/Submission.h"
#include "vulkan/Transfer.h"

using namespace goldy::rt;
using namespace goldy::rt::vk;

template <class T, class Id> static T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}

std::array<uint64_t, 3> vk::maxGroups(const Device &D) {
  const uint32_t *Most =
      D.physical().Properties.limits.maxComputeWorkGroupCount;
  return {Most[0], Most[1], Most[2]};
}

Recorder::Recorder(Device &D, VkCommandBuffer C, const Allocation &Pattern,
                   VkQueryPool Queries, uint32_t Parts, bool KernelsOnly,
                   const RunInput &Input)
    : D(D), Vk(D.vk()), C(C), Pattern(Pattern), Queries(Queries),
      KernelsOnly(KernelsOnly), Input(Input) {
  if (Queries)
    Vk.CmdResetQueryPool(C, Queries, 0, 2 * Parts);
}

void Recorder::part(const Part &P, bool Waits, const LaunchPlace &Place) {
  if (Waits && KernelsOnly)
    kernelBarrier(Vk, C);
  else if (Waits)
    deviceBarrier(Vk, C);
  // What came before is done when a part that waits for it begins.
  stamp(Waits || NextQuery == 0 ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
                                : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
  switch (P.Kind) {
  case PartKind::Launch:
    launch(P, Place);
    break;
  case PartKind::Fill:
    fill(P);
    break;
  case PartKind::Copy:
    copy(P);
    break;
  case PartKind::Call:
  case PartKind::Words:
    break; // prepare refused them
  }
  stamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
}

void Recorder::finish() { fullBarrier(Vk, C); }

void Recorder::stamp(VkPipelineStageFlagBits Stage) {
  if (Queries)
    Vk.CmdWriteTimestamp(C, Stage, Queries, NextQuery++);
}

void Recorder::launch(const Part &P, const LaunchPlace &Place) {
  const Pipeline &Image = *object<Pipeline>(P.Image);
  if (Place.Images)
    Place.Images->copyIn(C, Image.Layout);
  if (Bound != Image.Handle)
    Vk.CmdBindPipeline(C, VK_PIPELINE_BIND_POINT_COMPUTE, Image.Handle);
  Bound = Image.Handle;
  if (Place.Set)
    Vk.CmdBindDescriptorSets(C, VK_PIPELINE_BIND_POINT_COMPUTE, Image.Layout, 0,
                             1, &Place.Set, 0, nullptr);
  for (uint32_t N = 0; N < Place.Indirect; ++N) {
    push(Image, Place, N);
    Vk.CmdDispatchIndirect(C, Place.Far->buffer(),
                           Place.Far->Offset + Place.GroupsOffset +
                               N * IndirectStep);
  }
  uint32_t Next = 0;
  auto Dispatch = [&](const GridPiece &Piece) {
    std::memcpy(&Place.Block[P.BaseOffset], Piece.Base.data(),
                sizeof Piece.Base);
    if (Image.BlockBehindAddress)
      std::memcpy(Place.Far->mapped() + Place.FarOffset +
                      Next * farStep(Place.Block.size()),
                  Place.Block.data(), Place.Block.size());
    push(Image, Place, Next++);
    Vk.CmdDispatch(C, Piece.Groups[0], Piece.Groups[1], Piece.Groups[2]);
  };
  if (!Place.Indirect)
    eachPieceOf(P, Input, maxGroups(D), Dispatch);
  if (Place.Images)
    Place.Images->copyOut(C);
}

/// The block, or where the block of that piece lies.
void Recorder::push(const Pipeline &Image, const LaunchPlace &Place,
                    uint32_t Piece) {
  uint64_t Address = 0;
  const void *Pushed = Place.Block.data();
  if (Image.BlockBehindAddress) {
    uint64_t Offset = Place.FarOffset + Piece * farStep(Place.Block.size());
    Address = Image.WordBindings
                  ? uint64_t(firstBlockWord(*Place.Far, Offset)) << 32 |
                        (Image.WordBindings - 1)
                  : Place.Far->address() + Offset;
    Pushed = &Address;
  }
  Vk.CmdPushConstants(C, Image.Layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                      Image.PushBytes, Pushed);
}

void Recorder::copyBytes(VkBuffer From, uint64_t FromOffset, VkBuffer To,
                         uint64_t ToOffset, uint64_t Bytes) {
  if (Bytes == 0)
    return;
  VkBufferCopy Region{FromOffset, ToOffset, Bytes};
  Vk.CmdCopyBuffer(C, From, To, 1, &Region);
}

void Recorder::copy(const Part &P) {
  const Allocation &A = object<BufferMemory>(memoryOf(P.Uses[0], Input))->Piece;
  const Allocation &B = object<BufferMemory>(memoryOf(P.Uses[1], Input))->Piece;
  copyBytes(A.buffer(), A.Offset + offsetOf(P, 0, Input), B.buffer(),
            B.Offset + offsetOf(P, 1, Input), P.Uses[0].Bytes);
}

/// Vulkan fills words; the bytes before and after them are copies.
void Recorder::fill(const Part &P) {
  const MemoryUse &Use = P.Uses[0];
  const Allocation &A = object<BufferMemory>(memoryOf(Use, Input))->Piece;
  uint64_t First = A.Offset + Use.Offset, End = First + Use.Bytes;
  uint64_t Words = std::min((First + 3) / 4 * 4, End);
  uint64_t Tail = std::max(End / 4 * 4, Words);
  uint64_t Source = Pattern.Offset + 4 * P.Value;
  copyBytes(Pattern.buffer(), Source, A.buffer(), First, Words - First);
  if (Tail > Words)
    Vk.CmdFillBuffer(C, A.buffer(), Words, Tail - Words, 0x01010101u * P.Value);
  copyBytes(Pattern.buffer(), Source, A.buffer(), Tail, End - Tail);
}
