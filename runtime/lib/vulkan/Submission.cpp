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

#include "core/RunTimes.h"
#include "vulkan/Recorder.h"

using namespace goldy::rt;
using namespace goldy::rt::vk;

std::vector<std::byte> vk::fillPattern() {
  std::vector<std::byte> Bytes(4 * 256);
  for (size_t I = 0; I < Bytes.size(); ++I)
    Bytes[I] = static_cast<std::byte>(I / 4);
  return Bytes;
}

template <class T, class Id> static T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}

uint64_t BufferMemory::nextSerial() {
  static std::atomic<uint64_t> Last{0};
  return ++Last;
}

MemoryRange vk::rangeOf(MemoryId Memory) {
  const BufferMemory &M = *object<BufferMemory>(Memory);
  uint64_t First =
      M.Borrowed ? reinterpret_cast<uintptr_t>(M.Borrowed) : M.Piece.address();
  return {First, First + M.Bytes};
}

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
  fits(R, {});
  GOLDY_TRY(fillBlocks(R, {}));
  return record(R, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, {});
}

void Submission::plan() {
  Hazards Before;
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    Waits.push_back(Before.next(P));
    if (P.Kind == PartKind::Launch) {
      if (hasGridWords(P))
        Grids.push_back(N);
      continue;
    }
    for (uint32_t Word : {P.SrcWord, P.DstWord})
      if (Word != NoIndex)
        Moved.push_back(Word);
    for (const MemoryUse &U : P.Uses)
      if (U.RunMemory != NoIndex)
        InCommands.push_back(U.RunMemory);
  }
  for (const Slot &S : Desc.Slots)
    Places.push_back(placeOf(S));
}

/// A grid from words whose block lies in memory is not part of the commands.
bool Submission::isIndirect(uint32_t Number) const {
  const Part &P = Desc.Parts[Number];
  return hasGridWords(P) && object<Pipeline>(P.Image)->BlockBehindAddress;
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

/// Whether there is room for the pieces of the run's grids; notes how much is
/// needed if not.
bool Submission::fits(Recording &R, const RunInput &Input) const {
  bool Fits = !R.Pieces.empty();
  if (!Fits) {
    for (const Part &P : Desc.Parts)
      R.Pieces.push_back(static_cast<uint32_t>(P.Pieces.size()));
  }
  for (uint32_t N : Grids) {
    uint32_t Needed = 0;
    eachPieceOf(Desc.Parts[N], Input, maxGroups(D),
                [&](const GridPiece &) { ++Needed; });
    Fits &= Needed <= R.Pieces[N];
    R.Pieces[N] = std::max({R.Pieces[N], Needed, 1u});
  }
  return Fits;
}

/// Lays out the blocks behind addresses, each with the groups of its indirect
/// dispatches behind it.
Status Submission::makeRoom(Recording &R) {
  uint64_t Bytes = 0;
  R.FarOffsets.clear();
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    R.FarOffsets.push_back(Bytes);
    if (P.Kind != PartKind::Launch ||
        !object<Pipeline>(P.Image)->BlockBehindAddress)
      continue;
    Bytes += R.Pieces[N] * farStep(P.Block.size());
    if (hasGridWords(P))
      Bytes += farStep(R.Pieces[N] * IndirectStep);
  }
  if (R.Far && R.Far.Bytes >= Bytes)
    return Status();
  Pool.free(R.Far);
  return Bytes ? Pool.allocate(MemoryKind::Upload, Bytes, R.Far) : Status();
}

/// Makes the blocks with the run's words in place, and the sets that they name.
Status Submission::fillBlocks(Recording &R, const RunInput &Input) {
  R.Recorded = false;
  GOLDY_TRY(makeRoom(R));
  R.Blocks.resize(Desc.Parts.size());
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    R.Blocks[N] = Desc.Parts[N].Block;
  for (const Slot &S : Desc.Slots)
    std::memcpy(&R.Blocks[S.Part][S.Offset], &Input.Words[S.Word], S.Bytes);
  GOLDY_TRY(makeSets(R, Input));
  for (uint32_t N : Grids)
    writeGrid(R, N, Input);
  return Status();
}

Status Submission::makeSets(Recording &R, const RunInput &Input) {
  R.PartSets.assign(Desc.Parts.size(), VK_NULL_HANDLE);
  GOLDY_TRY(R.Sets.reset(Desc.Parts));
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    const Pipeline *Image = object<Pipeline>(P.Image);
    if (P.Kind != PartKind::Launch || !Image->WordBindings)
      continue;
    std::vector<MemoryUse> Uses = P.Uses;
    for (MemoryUse &U : Uses) {
      U.Memory = memoryOf(U, Input);
      U.Bytes =
          std::min(U.Bytes, object<BufferMemory>(U.Memory)->Bytes - U.Offset);
    }
    GOLDY_TRY(
        R.Sets.make(Uses, *Image, R.Blocks[N], R.Far, Pattern, R.PartSets[N]));
  }
  return Status();
}

Status Submission::record(Recording &R, VkCommandBufferUsageFlags Usage,
                          const RunInput &Input) {
  R.Recorded = false;
  D.giveBack(R.Work);
  R.Work = Commands();
  GOLDY_TRY(makeQueries(R));
  GOLDY_TRY(D.begin(R.Work, Usage));
  bool KernelsOnly =
      Images.empty() &&
      std::all_of(Desc.Parts.begin(), Desc.Parts.end(),
                  [](const Part &P) { return P.Kind == PartKind::Launch; });
  Recorder To(D, R.Work.Buffer, Pattern, R.Queries,
              static_cast<uint32_t>(Desc.Parts.size()), KernelsOnly, Input);
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N) {
    const Part &P = Desc.Parts[N];
    LaunchPlace Place{R.Blocks[N], &R.Far,        R.FarOffsets[N], 0,
                      0,           R.PartSets[N], nullptr};
    if (P.Kind == PartKind::Launch && isIndirect(N)) {
      Place.Indirect = R.Pieces[N];
      Place.GroupsOffset =
          R.FarOffsets[N] + R.Pieces[N] * farStep(P.Block.size());
    }
    if (auto Own = Images.find(N); Own != Images.end())
      Place.Images = Own->second.get();
    To.part(P, R.Apart ? Waits[N] : N > 0, Place);
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
  uint64_t Step = farStep(P.Block.size());
  std::byte *At = R.Far.mapped() + R.FarOffsets[S.Part] + S.Offset;
  for (size_t Piece = 0; Piece < R.Pieces[S.Part]; ++Piece, At += Step)
    std::memcpy(At, &Word, S.Bytes);
}

/// The groups go into the block; if it lies in memory, a block for each piece
/// and the piece's groups go there.
void Submission::writeGrid(Recording &R, uint32_t Number,
                           const RunInput &Input) const {
  const Part &P = Desc.Parts[Number];
  std::vector<std::byte> &Block = R.Blocks[Number];
  writeWords(P, {}, Input, Block.data());
  if (!isIndirect(Number))
    return;
  std::byte *Far = R.Far.mapped() + R.FarOffsets[Number];
  uint64_t Step = farStep(Block.size()), Next = 0;
  std::byte *Groups = Far + R.Pieces[Number] * Step;
  std::memset(Groups, 0, R.Pieces[Number] * IndirectStep);
  eachPieceOf(P, Input, maxGroups(D), [&](const GridPiece &Piece) {
    std::memcpy(&Block[P.BaseOffset], Piece.Base.data(), sizeof Piece.Base);
    std::memcpy(Far + Next * Step, Block.data(), Block.size());
    std::memcpy(Groups + Next * IndirectStep, Piece.Groups.data(),
                sizeof Piece.Groups);
    ++Next;
  });
}

/// Whether commands that are recorded are for other ends of copies or for other
/// memories.
bool Submission::commandsDiffer(const Recording &R,
                                const RunInput &Input) const {
  if (R.Apart != Brought.apart())
    return true;
  for (uint32_t Word : Moved)
    if (R.Words[Word] != Input.Words[Word])
      return true;
  for (uint32_t M : InCommands)
    if (R.Serials[M] != object<BufferMemory>(Input.Memories[M])->Serial)
      return true;
  return false;
}

void Submission::writeChanged(Recording &R, const RunInput &Input,
                              bool &NewCommands, bool &NewSets) const {
  if (std::equal(R.Words.begin(), R.Words.end(), Input.Words.begin(),
                 Input.Words.end()))
    return;
  for (size_t N = 0; N < Desc.Slots.size(); ++N) {
    const Slot &S = Desc.Slots[N];
    if (R.Words[S.Word] == Input.Words[S.Word])
      continue;
    writeSlot(R, S, Input.Words[S.Word]);
    NewCommands |= Places[N] != SlotPlace::Memory;
    NewSets |= Places[N] == SlotPlace::Sets;
  }
  for (uint32_t N : Grids) {
    auto Changed = [&](uint32_t Word) {
      return Word != NoIndex && R.Words[Word] != Input.Words[Word];
    };
    const std::array<uint32_t, 3> &Words = Desc.Parts[N].GroupWords;
    if (std::none_of(Words.begin(), Words.end(), Changed))
      continue;
    writeGrid(R, N, Input);
    NewCommands |= !isIndirect(N);
  }
}

Status Submission::update(Recording &R, const RunInput &Input) {
  bool NewSets = !fits(R, Input) || !R.Recorded;
  bool NewCommands = NewSets || commandsDiffer(R, Input);
  if (!NewSets)
    writeChanged(R, Input, NewCommands, NewSets);
  if (NewSets)
    GOLDY_TRY(fillBlocks(R, Input));
  R.Words.assign(Input.Words.begin(), Input.Words.end());
  R.Serials.resize(Desc.Memories);
  for (uint32_t M : InCommands)
    R.Serials[M] = object<BufferMemory>(Input.Memories[M])->Serial;
  R.Apart = Brought.apart();
  return NewCommands ? record(R, 0, Input) : Status();
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

Status Submission::run(const RunInput &Input, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (isFixed())
    return D.submit(Recordings[0].Work.Buffer, Point);
  Brought.look(Input.Memories);
  return runRecorded(Input, Point);
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

Status Submission::runRecorded(const RunInput &Input, uint64_t &Point) {
  Recording &R = freeRecording();
  GOLDY_TRY(update(R, Input));
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
