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

bool conflict(const MemoryUse &A, const MemoryUse &B) {
  return A.Memory == B.Memory && (A.Written || B.Written) && A.Bytes &&
         B.Bytes && A.Offset < B.Offset + B.Bytes &&
         B.Offset < A.Offset + A.Bytes;
}

/// Bytes from one block behind an address to the next.
uint64_t farBytes(uint64_t BlockBytes) {
  constexpr uint64_t Align = 64;
  return (BlockBytes + Align - 1) / Align * Align;
}

/// Turns parts into commands.
class Recorder {
public:
  /// `Queries`, if there are any, get begin and end of each part.
  Recorder(const Api &Vk, VkCommandBuffer C, const Allocation &Pattern,
           VkQueryPool Queries, uint32_t Parts)
      : Vk(Vk), C(C), Pattern(Pattern), Queries(Queries) {
    if (Queries)
      Vk.CmdResetQueryPool(C, Queries, 0, 2 * Parts);
  }

  /// `Block` is the launch's parameter block, whose base words are changed;
  /// `Far` its place in memory, if its image takes an address; `Set` its
  /// buffers, if it takes them as words.
  void part(const Part &P, std::span<std::byte> Block, const Allocation *Far,
            uint64_t FarOffset, VkDescriptorSet Set,
            const LaunchImages *Images) {
    // What came before is done when a part that waits for it begins.
    bool Waits = order(P) || NextQuery == 0;
    stamp(Waits ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT
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
    }
    stamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
  }
  void finish() { fullBarrier(Vk, C); }

private:
  void stamp(VkPipelineStageFlagBits Stage) {
    if (Queries)
      Vk.CmdWriteTimestamp(C, Stage, Queries, NextQuery++);
  }

  /// Whether the part waits for earlier ones.
  bool order(const Part &P) {
    bool Waits =
        std::any_of(P.Uses.begin(), P.Uses.end(), [&](const MemoryUse &Use) {
          return std::any_of(
              Open.begin(), Open.end(),
              [&](const MemoryUse &Before) { return conflict(Use, Before); });
        });
    if (Waits) {
      deviceBarrier(Vk, C);
      Open.clear();
    }
    Open.insert(Open.end(), P.Uses.begin(), P.Uses.end());
    return Waits;
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
  uint32_t NextQuery = 0;
  VkPipeline Bound = VK_NULL_HANDLE;
  std::vector<MemoryUse> Open; ///< since the last barrier
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
  Pool.free(R.Blocks);
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
  if (!isFixed())
    return Status();
  Recordings.emplace_back(D);
  return record(Recordings[0], {},
                VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
}

/// The parameter block of part `Number` with the run's words in place.
static std::vector<std::byte> blockOf(const SubmissionDesc &Desc,
                                      uint32_t Number,
                                      std::span<const uint64_t> Words) {
  std::vector<std::byte> Block = Desc.Parts[Number].Block;
  for (const Slot &S : Desc.Slots)
    if (S.Part == Number)
      std::memcpy(&Block[S.Offset], &Words[S.Word], S.Bytes);
  return Block;
}

Status Submission::record(Recording &R, std::span<const uint64_t> Words,
                          VkCommandBufferUsageFlags Usage) {
  uint64_t Bytes = farBlockBytes(), Offset = 0;
  if (Bytes && !R.Blocks)
    GOLDY_TRY(Pool.allocate(MemoryKind::Upload, Bytes, R.Blocks));
  std::vector<std::vector<std::byte>> Block;
  std::vector<VkDescriptorSet> Sets(Desc.Parts.size(), VK_NULL_HANDLE);
  GOLDY_TRY(R.Sets.reset(Desc.Parts));
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    Block.push_back(blockOf(Desc, N, Words));
    const Pipeline *Image = object<Pipeline>(P.Image);
    if (P.Kind == PartKind::Launch && Image->WordBindings)
      GOLDY_TRY(R.Sets.make(P, *Image, Block[N], R.Blocks, Pattern, Sets[N]));
  }
  D.giveBack(R.Work);
  R.Work = Commands();
  GOLDY_TRY(makeQueries(R));
  GOLDY_TRY(D.begin(R.Work, Usage));
  Recorder To(D.vk(), R.Work.Buffer, Pattern, R.Queries,
              static_cast<uint32_t>(Desc.Parts.size()));
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    std::map<uint32_t, std::unique_ptr<LaunchImages>>::const_iterator Own =
        Images.find(N);
    To.part(P, Block[N], &R.Blocks, Offset, Sets[N],
            Own == Images.end() ? nullptr : Own->second.get());
    Offset += farBytes(P);
  }
  To.finish();
  return D.end(R.Work);
}

Status Submission::makeQueries(Recording &R) {
  if (!Desc.Timed || R.Queries)
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
  if (!Desc.Slots.empty() || !R.Point)
    GOLDY_TRY(record(R, Words, 0));
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
  GOLDY_TRY(readTicks(D, Of->Queries, Ticks));
  Out.clear();
  for (size_t N = 0; N < Desc.Parts.size(); ++N) {
    uint64_t Begin = Time.steadyNs(Ticks[2 * N], Of->StartedNs);
    uint64_t End = Time.steadyNs(Ticks[2 * N + 1], Of->StartedNs);
    Out.push_back({std::min(Begin, End), End});
  }
  return Status();
}
