//===- TaskList.cpp - A prepared submission on the CPU --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/TaskList.h"

#include "core/Parts.h"
#include "cpu/FloatState.h"
#include "cpu/HostMemory.h"
#include "cpu/Undetermined.h"

using namespace goldy::rt;

template <class T, class Id> static T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}

namespace {

/// A copy of a block in memory of the thread's. A host function may start runs
/// on its thread, so copies nest.
class BlockCopy {
public:
  explicit BlockCopy(const std::vector<std::byte> &Of) {
    if (Depth == Kept.size())
      Kept.emplace_back();
    Kept[Depth] = Of;
    Bytes = Kept[Depth].data();
    ++Depth;
  }
  ~BlockCopy() { --Depth; }
  BlockCopy(const BlockCopy &) = delete;
  BlockCopy &operator=(const BlockCopy &) = delete;

  std::byte *data() const { return Bytes; }

private:
  static thread_local std::vector<std::vector<std::byte>> Kept;
  static thread_local size_t Depth; ///< of Kept in use
  std::byte *Bytes;
};
thread_local std::vector<std::vector<std::byte>> BlockCopy::Kept;
thread_local size_t BlockCopy::Depth = 0;

} // namespace

/// Among themselves the slots of a part keep their order.
TaskList::TaskList(SubmissionDesc Given) : Desc(std::move(Given)) {
  for (const Part &P : Desc.Parts)
    Calls |= P.Kind == PartKind::Call;
  if (Desc.Timed)
    Times = std::make_unique<RunTimes>();
  Lone = Desc.Parts.size() == 1 && Desc.Slots.empty() && !Desc.Timed &&
         Desc.Parts[0].Kind == PartKind::Launch &&
         !hasGridWords(Desc.Parts[0]) &&
         !object<HostImage>(Desc.Parts[0].Image)->Watched;
  if (Desc.Slots.empty())
    return;
  FirstSlot.resize(Desc.Parts.size() + 2);
  for (const Slot &S : Desc.Slots)
    ++FirstSlot[S.Part + 2];
  for (size_t N = 2; N < FirstSlot.size(); ++N)
    FirstSlot[N] += FirstSlot[N - 1];
  std::vector<Slot> ByPart(Desc.Slots.size());
  for (const Slot &S : Desc.Slots)
    ByPart[FirstSlot[S.Part + 1]++] = S;
  Desc.Slots = std::move(ByPart);
}

Status TaskList::make(SubmissionDesc Desc, std::unique_ptr<TaskList> &Out) {
  for (const Part &P : Desc.Parts)
    if (P.Kind == PartKind::Words)
      return refuseHostParts(Desc, "cpu");
  Out.reset(new TaskList(std::move(Desc)));
  return Status();
}

/// What becomes of a part's status. Findings about a launch do not stop the
/// run, as later parts may have some too: the first ones wait in `Found`.
static Status took(uint32_t Part, const RunInput &Input, Status S,
                   Status &Found) {
  bool Finding = S.code() == GOLDY_FINDINGS;
  if (S.ok() || (Finding && !Found.ok()))
    return Status();
  if (Input.FailedPart)
    *Input.FailedPart = Part;
  if (!Finding)
    return S;
  Found = std::move(S);
  return Status();
}

/// The same as runParts, without asking what there is.
Status TaskList::runLone(const Context &C, RunOrder::Turn &Turn,
                         uint64_t &Point) {
  const Part &P = Desc.Parts.front();
  Status S = executeLaunch(C.Threads, *object<HostImage>(P.Image),
                           P.Block.data(), P.Groups, C.To, true, &Untimed);
  if (S.ok())
    Point = Turn.end();
  return S;
}

Status TaskList::run(const Context &C, const RunInput &Input, uint64_t &Point) {
  RunOrder::Turn Turn(C.Order, Desc, Input);
  if (changesState(C))
    return runParts(C, Input, Turn, Point);
  KernelFloatState State;
  if (Lone && !Undetermined::any() && !Input.FailedPart)
    return runLone(C, Turn, Point);
  return runParts(C, Input, Turn, Point);
}

Status TaskList::runParts(const Context &C, const RunInput &Input,
                          RunOrder::Turn &Turn, uint64_t &Point) {
  if (Desc.Timed)
    return runTimed(C, Input, Turn, Point);
  Status Found;
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    GOLDY_TRY(took(N, Input, runPart(C, N, Input), Found));
  Point = Turn.end();
  return Found;
}

Status TaskList::runTimed(const Context &C, const RunInput &Input,
                          RunOrder::Turn &Turn, uint64_t &Point) {
  std::vector<PartTime> Each(Desc.Parts.size());
  Status Found;
  for (uint32_t N = 0; N < Each.size(); ++N) {
    Each[N].BeginNs = steadyNs();
    GOLDY_TRY(took(N, Input, runPart(C, N, Input), Found));
    Each[N].EndNs = steadyNs();
  }
  Point = Turn.end();
  Times->keep(Point, std::move(Each));
  return Found;
}

static std::byte *bytesOf(const MemoryUse &U, const RunInput &Input) {
  return object<HostMemory>(memoryOf(U, Input))->data();
}

static uint64_t addressOf(const std::byte *At) {
  return reinterpret_cast<uintptr_t>(At);
}

/// A part that nobody watches has written what it may write.
static void wrote(const Part &P, const RunInput &Input) {
  if (!Undetermined::any())
    return;
  Undetermined &U = Undetermined::memory();
  for (const MemoryUse &M : P.Uses)
    if (const HostMemory *Of =
            M.Written ? object<HostMemory>(memoryOf(M, Input)) : nullptr)
      U.clear(addressOf(Of->data()) + M.Offset,
              std::min(M.Bytes, Of->size() - std::min(M.Offset, Of->size())));
}

static void fill(const Part &P, const RunInput &Input) {
  const MemoryUse &U = P.Uses[0];
  if (U.Bytes)
    std::memset(bytesOf(U, Input) + U.Offset, P.Value, U.Bytes);
  wrote(P, Input);
}

static void copy(const Part &P, const RunInput &Input) {
  const MemoryUse &From = P.Uses[0], &To = P.Uses[1];
  if (!From.Bytes)
    return;
  std::byte *Dst = bytesOf(To, Input) + offsetOf(P, 1, Input);
  const std::byte *Src = bytesOf(From, Input) + offsetOf(P, 0, Input);
  std::memcpy(Dst, Src, From.Bytes);
  Undetermined::memory().copy(addressOf(Src), addressOf(Dst), From.Bytes);
}

Status TaskList::runPart(const Context &C, uint32_t Number,
                         const RunInput &Input) {
  const Part &P = Desc.Parts[Number];
  switch (P.Kind) {
  case PartKind::Fill:
    fill(P, Input);
    return Status();
  case PartKind::Copy:
    copy(P, Input);
    return Status();
  case PartKind::Launch:
    return launch(C, Number, Input);
  case PartKind::Call:
    return call(Number, Input);
  case PartKind::Words:
    break;
  }
  return Status(GOLDY_INTERNAL, "unknown part");
}

Status TaskList::launch(const Context &C, uint32_t Number,
                        const RunInput &Input) {
  const Part &P = Desc.Parts[Number];
  HostImage &Image = *object<HostImage>(P.Image);
  if (!Image.Watched)
    wrote(P, Input);
  if (slots(Number).empty() && !hasGridWords(P))
    return executeLaunch(C.Threads, Image, P.Block.data(), P.Groups, C.To,
                         !changesState(C));
  std::array<uint32_t, 3> Groups = groupsOf(P, Input);
  if (!Groups[0] || !Groups[1] || !Groups[2])
    return Status();
  BlockCopy Block(P.Block);
  writeWords(P, slots(Number), Input, Block.data());
  return executeLaunch(C.Threads, Image, Block.data(), Groups, C.To,
                       !changesState(C));
}

Status TaskList::call(uint32_t Number, const RunInput &Input) {
  const Part &P = Desc.Parts[Number];
  BlockCopy Block(P.Block);
  writeWords(P, slots(Number), Input, Block.data());
  int Result = P.Function(P.User, Block.data());
  wrote(P, Input);
  if (!Result)
    return Status();
  bool IsCode = Result >= GOLDY_INVALID_ARGUMENT && Result <= GOLDY_FINDINGS;
  return Status(IsCode ? static_cast<goldy_code_t>(Result) : GOLDY_INTERNAL,
                "the host function `" + P.Name + "` returned " +
                    std::to_string(Result));
}
