//===- Submission.cpp - A prepared submission as command buffers ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts take effect in order, but only those that share memory with a write
// wait for each other: one barrier stands before a part that conflicts with one
// since the last barrier. The end of every submission orders it before the next
// one and shows its writes to the host.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Submission.h"

#include "core/Checked.h"
#include "core/RunTimes.h"
#include "vulkan/Result.h"
#include "vulkan/Transfer.h"

#include <algorithm>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

std::vector<std::byte> vk::fillPattern() {
  std::vector<std::byte> Bytes(4 * 256);
  for (size_t I = 0; I < Bytes.size(); ++I)
    Bytes[I] = static_cast<std::byte>(I / 4);
  return Bytes;
}

namespace {

template <class T, class Id> T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}

/// Finds the parts that need a barrier before them.
class Hazards {
public:
  /// Whether `P` shares memory, of which it or the other writes, with a part
  /// since the last that waited.
  bool next(const Part &P) {
    bool Waits = std::any_of(P.Uses.begin(), P.Uses.end(),
                             [&](const MemoryUse &U) { return meets(U); });
    if (Waits)
      Open.clear();
    for (const MemoryUse &U : P.Uses)
      Open[U.Memory].push_back(U);
    return Waits;
  }

private:
  bool meets(const MemoryUse &A) const {
    auto Of = Open.find(A.Memory);
    return Of != Open.end() &&
           std::any_of(Of->second.begin(), Of->second.end(),
                       [&](const MemoryUse &B) {
                         return (A.Written || B.Written) && A.Bytes &&
                                B.Bytes && A.Offset < B.Offset + B.Bytes &&
                                B.Offset < A.Offset + A.Bytes;
                       });
  }
  std::map<MemoryId, std::vector<MemoryUse>> Open;
};

/// Bytes from one block behind an address to the next.
uint64_t farBytes(uint64_t BlockBytes) {
  constexpr uint64_t Align = 64;
  return (BlockBytes + Align - 1) / Align * Align;
}

/// Turns parts into commands.
class Recorder {
public:
  /// `Queries`, if there are any, get begin and end of each part.
  /// `KernelsOnly`: no part copies anything.
  Recorder(const Api &Vk, VkCommandBuffer C, const Allocation &Pattern,
           VkQueryPool Queries, uint32_t Parts, bool KernelsOnly)
      : Vk(Vk), C(C), Pattern(Pattern), Queries(Queries),
        KernelsOnly(KernelsOnly) {
    if (Queries)
      Vk.CmdResetQueryPool(C, Queries, 0, 2 * Parts);
  }

  /// `Waits`: for an earlier part. `Block` is the launch's parameter block,
  /// whose base words are changed; `Far` its place in memory, if its image
  /// takes an address; `Set` its buffers, if it takes them as words.
  void part(const Part &P, bool Waits, std::span<std::byte> Block,
            const Allocation *Far, uint64_t FarOffset, VkDescriptorSet Set,
            const LaunchImages *Images) {
    if (Waits && KernelsOnly)
      kernelBarrier(Vk, C);
    else if (Waits)
      deviceBarrier(Vk, C);
    // What came before is done when a part that waits for it begins.
    stamp(Waits || NextQuery == 0 ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
                                  : VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    switch (P.Kind) {
    case PartKind::Launch:
      if (Images)
        Images->copyIn(C, object<Pipeline>(P.Image)->Layout);
      launch(P, Block, Far, FarOffset, Set);
      if (Images)
        Images->copyOut(C);
      break;
    case PartKind::Fill:
      fill(P.Uses[0], P.Value);
      break;
    case PartKind::Copy:
      copy(P.Uses[0], P.Uses[1]);
      break;
    case PartKind::Call:
    case PartKind::Words:
      break; // prepare refused them
    }
    stamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  }
  void finish() { fullBarrier(Vk, C); }

private:
  void stamp(VkPipelineStageFlagBits Stage) {
    if (Queries)
      Vk.CmdWriteTimestamp(C, Stage, Queries, NextQuery++);
  }

  void launch(const Part &P, std::span<std::byte> Block, const Allocation *Far,
              uint64_t FarOffset, VkDescriptorSet Set) {
    const Pipeline &Image = *object<Pipeline>(P.Image);
    if (Bound != Image.Handle)
      Vk.CmdBindPipeline(C, VK_PIPELINE_BIND_POINT_COMPUTE, Image.Handle);
    Bound = Image.Handle;
    if (Set)
      Vk.CmdBindDescriptorSets(C, VK_PIPELINE_BIND_POINT_COMPUTE, Image.Layout,
                               0, 1, &Set, 0, nullptr);
    uint64_t Address = 0;
    const void *Pushed = Block.data();
    if (Image.BlockBehindAddress)
      Pushed = &Address;
    for (const GridPiece &Piece : P.Pieces) {
      std::memcpy(&Block[P.BaseOffset], Piece.Base.data(), sizeof Piece.Base);
      if (Image.BlockBehindAddress) {
        Address = Image.WordBindings
                      ? uint64_t(firstBlockWord(*Far, FarOffset)) << 32 |
                            (Image.WordBindings - 1)
                      : Far->address() + FarOffset;
        std::memcpy(Far->mapped() + FarOffset, Block.data(), Block.size());
        FarOffset += farBytes(Block.size());
      }
      Vk.CmdPushConstants(C, Image.Layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          Image.PushBytes, Pushed);
      Vk.CmdDispatch(C, Piece.Groups[0], Piece.Groups[1], Piece.Groups[2]);
    }
  }

  void copyBytes(VkBuffer From, uint64_t FromOffset, VkBuffer To,
                 uint64_t ToOffset, uint64_t Bytes) {
    if (Bytes == 0)
      return;
    VkBufferCopy Region{FromOffset, ToOffset, Bytes};
    Vk.CmdCopyBuffer(C, From, To, 1, &Region);
  }

  void copy(const MemoryUse &From, const MemoryUse &To) {
    const Allocation &A = object<BufferMemory>(From.Memory)->Piece;
    const Allocation &B = object<BufferMemory>(To.Memory)->Piece;
    copyBytes(A.buffer(), A.Offset + From.Offset, B.buffer(),
              B.Offset + To.Offset, From.Bytes);
  }

  /// Vulkan fills words; the bytes before and after them are copies.
  void fill(const MemoryUse &Use, uint8_t Value) {
    const Allocation &A = object<BufferMemory>(Use.Memory)->Piece;
    uint64_t First = A.Offset + Use.Offset, End = First + Use.Bytes;
    uint64_t Words = std::min((First + 3) / 4 * 4, End);
    uint64_t Tail = std::max(End / 4 * 4, Words);
    uint64_t Source = Pattern.Offset + 4 * Value;
    copyBytes(Pattern.buffer(), Source, A.buffer(), First, Words - First);
    if (Tail > Words)
      Vk.CmdFillBuffer(C, A.buffer(), Words, Tail - Words, 0x01010101u * Value);
    copyBytes(Pattern.buffer(), Source, A.buffer(), Tail, End - Tail);
  }

  const Api &Vk;
  VkCommandBuffer C;
  const Allocation &Pattern;
  VkQueryPool Queries;
  bool KernelsOnly;
  uint32_t NextQuery = 0;
  VkPipeline Bound = VK_NULL_HANDLE;
};

/// Of the blocks of all pieces of a launch whose image takes an address.
uint64_t farBytes(const Part &P) {
  if (P.Kind != PartKind::Launch ||
      !object<Pipeline>(P.Image)->BlockBehindAddress)
    return 0;
  return P.Pieces.size() * farBytes(P.Block.size());
}

} // namespace

Submission::~Submission() {
  for (Recording &R : Recordings)
    release(R);
}

void Submission::release(Recording &R) {
  D.giveBack(R.Work);
  Pool.free(R.Far);
  if (R.Queries)
    D.vk().DestroyQueryPool(D.handle(), R.Queries, nullptr);
}

uint64_t Submission::farBlockBytes() const {
  uint64_t Bytes = 0;
  for (const Part &P : Desc.Parts)
    Bytes += farBytes(P);
  return Bytes;
}

/// Runs follow one another on the device's queue, so they share the images.
Status Submission::makeImages() {
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    bool HasImages = !P.Images.empty() && object<Pipeline>(P.Image)->Images;
    if (!HasImages)
      continue;
    Images[N] = std::make_unique<LaunchImages>(D);
    GOLDY_TRY(Images[N]->make(P.Images, object<Pipeline>(P.Image)->SetLayout));
  }
  return Status();
}

Status Submission::prepare() {
  GOLDY_TRY(makeImages());
  if (Desc.Timed)
    GOLDY_TRY(Time.start());
  plan();
  if (!isFixed())
    return Status();
  Recording &R = Recordings.emplace_back(D);
  GOLDY_TRY(fillBlocks(R, {}));
  return record(R, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
}

void Submission::plan() {
  Hazards Before;
  uint64_t Offset = 0;
  for (const Part &P : Desc.Parts) {
    Waits.push_back(Before.next(P));
    FarOffsets.push_back(Offset);
    Offset += farBytes(P);
  }
  for (const Slot &S : Desc.Slots)
    Places.push_back(placeOf(S));
}

Submission::SlotPlace Submission::placeOf(const Slot &S) const {
  const Pipeline &Image = *object<Pipeline>(Desc.Parts[S.Part].Image);
  if (Image.WordBindings) {
    auto Touches = [&](uint32_t Address) {
      return S.Offset < Address + 8 && Address < S.Offset + S.Bytes;
    };
    if (std::any_of(Image.AddressOffsets.begin(), Image.AddressOffsets.end(),
                    Touches) ||
        Touches(Image.LayoutTableOffset))
      return SlotPlace::Sets;
  }
  return Image.BlockBehindAddress ? SlotPlace::Memory : SlotPlace::Commands;
}

/// Makes the blocks with `Words` in place, and the sets that they name.
Status Submission::fillBlocks(Recording &R, std::span<const uint64_t> Words) {
  if (uint64_t Bytes = farBlockBytes(); Bytes && !R.Far)
    GOLDY_TRY(Pool.allocate(MemoryKind::Upload, Bytes, R.Far));
  R.Blocks.resize(Desc.Parts.size());
  R.PartSets.assign(Desc.Parts.size(), VK_NULL_HANDLE);
  GOLDY_TRY(R.Sets.reset(Desc.Parts));
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    R.Blocks[N] = Desc.Parts[N].Block;
  for (const Slot &S : Desc.Slots)
    std::memcpy(&R.Blocks[S.Part][S.Offset], &Words[S.Word], S.Bytes);
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    const Pipeline *Image = object<Pipeline>(P.Image);
    if (P.Kind == PartKind::Launch && Image->WordBindings)
      GOLDY_TRY(
          R.Sets.make(P, *Image, R.Blocks[N], R.Far, Pattern, R.PartSets[N]));
  }
  R.Words.assign(Words.begin(), Words.end());
  return Status();
}

Status Submission::record(Recording &R, VkCommandBufferUsageFlags Usage) {
  R.Recorded = false;
  D.giveBack(R.Work);
  R.Work = Commands();
  GOLDY_TRY(makeQueries(R));
  GOLDY_TRY(D.begin(R.Work, Usage));
  bool KernelsOnly =
      Images.empty() &&
      std::all_of(Desc.Parts.begin(), Desc.Parts.end(),
                  [](const Part &P) { return P.Kind == PartKind::Launch; });
  Recorder To(D.vk(), R.Work.Buffer, Pattern, R.Queries,
              static_cast<uint32_t>(Desc.Parts.size()), KernelsOnly);
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    std::map<uint32_t, std::unique_ptr<LaunchImages>>::const_iterator Own =
        Images.find(N);
    To.part(Desc.Parts[N], Waits[N], R.Blocks[N], &R.Far, FarOffsets[N],
            R.PartSets[N], Own == Images.end() ? nullptr : Own->second.get());
  }
  To.finish();
  GOLDY_TRY(D.end(R.Work));
  R.Recorded = true;
  return Status();
}

void Submission::writeSlot(Recording &R, const Slot &S, uint64_t Word) const {
  const Part &P = Desc.Parts[S.Part];
  std::memcpy(&R.Blocks[S.Part][S.Offset], &Word, S.Bytes);
  if (!object<Pipeline>(P.Image)->BlockBehindAddress)
    return;
  uint64_t Step = farBytes(P.Block.size());
  std::byte *At = R.Far.mapped() + FarOffsets[S.Part] + S.Offset;
  for (size_t Piece = 0; Piece < P.Pieces.size(); ++Piece, At += Step)
    std::memcpy(At, &Word, S.Bytes);
}

Status Submission::update(Recording &R, std::span<const uint64_t> Words) {
  bool NewCommands = !R.Recorded, NewSets = !R.Recorded;
  for (size_t N = 0; N < Desc.Slots.size(); ++N) {
    const Slot &S = Desc.Slots[N];
    if (NewSets || R.Words[S.Word] == Words[S.Word])
      continue;
    writeSlot(R, S, Words[S.Word]);
    NewCommands |= Places[N] != SlotPlace::Memory;
    NewSets |= Places[N] == SlotPlace::Sets;
  }
  if (NewSets) {
    R.Recorded = false;
    GOLDY_TRY(fillBlocks(R, Words));
  }
  std::copy(Words.begin(), Words.end(), R.Words.begin());
  return NewCommands ? record(R, 0) : Status();
}

Status Submission::makeQueries(Recording &R) {
  if (!Desc.Timed || R.Queries || Desc.Parts.empty())
    return Status();
  VkQueryPoolCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  Info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  Info.queryCount = static_cast<uint32_t>(2 * Desc.Parts.size());
  return D.check(D.vk().CreateQueryPool(D.handle(), &Info, nullptr, &R.Queries),
                 "vkCreateQueryPool");
}

Status Submission::run(std::span<const uint64_t> Words, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (isFixed())
    return D.submit(Recordings[0].Work.Buffer, Point);
  return runRecorded(Words, Point);
}

/// The oldest that no pending run uses; of timed ones, as many stay as
/// promised.
Submission::Recording &Submission::freeRecording() {
  uint64_t Reached = D.reached();
  Recording *Free = nullptr;
  bool Enough = !Desc.Timed || Recordings.size() >= TimedRunsKept;
  for (Recording &R : Recordings)
    if (Enough && R.Point <= Reached && (!Free || R.Point < Free->Point))
      Free = &R;
  return Free ? *Free : Recordings.emplace_back(D);
}

Status Submission::runRecorded(std::span<const uint64_t> Words,
                               uint64_t &Point) {
  Recording &R = freeRecording();
  GOLDY_TRY(update(R, Words));
  R.StartedNs = steadyNs();
  GOLDY_TRY(D.submit(R.Work.Buffer, Point));
  R.Point = Point;
  return Status();
}

Status Submission::times(uint64_t Point, std::vector<PartTime> &Out) {
  std::lock_guard<std::mutex> Lock(Mutex);
  const Recording *Of = nullptr;
  for (const Recording &R : Recordings)
    if (Desc.Timed && Point && R.Point == Point)
      Of = &R;
  if (!Of || D.reached() < Point)
    return noTimes(Point);
  std::vector<uint64_t> Ticks(2 * Desc.Parts.size());
  if (Of->Queries)
    GOLDY_TRY(readTicks(D, Of->Queries, Ticks));
  Out.clear();
  for (size_t N = 0; N < Desc.Parts.size(); ++N) {
    uint64_t Begin = Time.steadyNs(Ticks[2 * N], Of->StartedNs);
    uint64_t End = Time.steadyNs(Ticks[2 * N + 1], Of->StartedNs);
    Out.push_back({std::min(Begin, End), End});
  }
  return Status();
}
