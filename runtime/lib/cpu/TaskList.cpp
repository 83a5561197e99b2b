//===- TaskList.cpp - A prepared submission on the CPU --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/TaskList.h"

#include "cpu/HostMemory.h"

using namespace goldy::rt;

template <class T, class Id> static T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}

namespace {

/// A copy of a block; a long one in memory of the thread's. A host function may
/// start runs on its thread, so copies nest.
class BlockCopy {
public:
  explicit BlockCopy(const std::vector<std::byte> &Of) {
    if (Of.size() > sizeof Short)
      keep(Of);
    else if (!Of.empty())
      std::memcpy(Short, Of.data(), Of.size());
  }
  ~BlockCopy() {
    if (Bytes != Short)
      --Depth;
  }
  BlockCopy(const BlockCopy &) = delete;
  BlockCopy &operator=(const BlockCopy &) = delete;

  std::byte *data() const { return Bytes; }

private:
  void keep(const std::vector<std::byte> &Of);

  static thread_local std::vector<std::vector<std::byte>> Kept;
  static thread_local size_t Depth; ///< of Kept in use
  alignas(16) std::byte Short[256];
  std::byte *Bytes = Short;
};
thread_local std::vector<std::vector<std::byte>> BlockCopy::Kept;
thread_local size_t BlockCopy::Depth = 0;

void BlockCopy::keep(const std::vector<std::byte> &Of) {
  if (Depth == Kept.size())
    Kept.emplace_back();
  Kept[Depth] = Of;
  Bytes = Kept[Depth].data();
  ++Depth;
}

} // namespace

TaskList::TaskList(const Context &C, SubmissionDesc Given)
    : C(C), Desc(std::move(Given)) {
  for (const Part &P : Desc.Parts)
    Calls |= P.Kind == PartKind::Call;
  if (Desc.Timed)
    Times = std::make_unique<RunTimes>();
  if (!Desc.Slots.empty())
    sortSlots();
  prepareLaunches();
}

void TaskList::prepareLaunches() {
  if (Desc.Parts.size() > 1) {
    Each = std::vector<ReadyLaunch>(Desc.Parts.size());
    Ready = Each.data();
  }
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    if (const Part &P = Desc.Parts[N]; P.Kind == PartKind::Launch)
      Ready[N].prepare(P, C.Threads, slots(N).empty() && !hasGridWords(P),
                       isHeard());
  Lone = Desc.Parts.size() == 1 && First.isFixed() && !Desc.Timed;
}

/// Among themselves the slots of a part keep their order.
void TaskList::sortSlots() {
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

Status TaskList::make(const Context &C, SubmissionDesc Desc,
                      std::unique_ptr<TaskList> &Out) {
  for (const Part &P : Desc.Parts)
    if (P.Kind == PartKind::Words)
      return refuseHostParts(Desc, "cpu");
  Out.reset(new TaskList(C, std::move(Desc)));
  return Status();
}

Status TaskList::runOnce(const Context &C, SubmissionDesc &Desc,
                         uint64_t &Point) {
  static constexpr RunInput Nothing{};
  HostImage &Image = *object<HostImage>(Desc.Parts.front().Image);
  TaskList Tasks(C, std::move(Desc));
  LaunchCount &Untimed = Tasks.First.untimed();
  bool Short = Tasks.First.isShort(Image);
  if (Short)
    Untimed.store(Image.UntimedOnce.load(std::memory_order_relaxed),
                  std::memory_order_relaxed);
  Status S = Tasks.run(Nothing, Point);
  if (Short)
    Image.UntimedOnce.store(Untimed.load(std::memory_order_relaxed),
                            std::memory_order_relaxed);
  Desc = std::move(Tasks.Desc);
  return S;
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

[[gnu::cold]] Status TaskList::loneFailed(int32_t Code,
                                          const RunInput &Input) const {
  if (Input.FailedPart)
    *Input.FailedPart = 0;
  return kernelFailed(*object<HostImage>(Desc.Parts.front().Image), Code);
}

Status TaskList::runInTurn(const RunInput &Input, uint64_t &Point) {
  RunOrder::Turn Turn(C.Order, Desc, Input);
  if (Lone && !Undetermined::any() && Ready->goesAtOnce())
    if (ScratchLease Scratch(Ready->scratchBytes()); Scratch.ok()) {
      if (int32_t Code = callLone(Scratch.data()))
        return loneFailed(Code, Input);
      Point = Turn.end();
      return Status();
    }
  if (changesState())
    return runParts(Input, Turn, Point);
  KernelFloatState State;
  return runParts(Input, Turn, Point);
}

Status TaskList::runParts(const RunInput &Input, RunOrder::Turn &Turn,
                          uint64_t &Point) {
  if (Desc.Timed)
    return runTimed(Input, Turn, Point);
  Status Found;
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    GOLDY_TRY(took(N, Input, runPart(N, Input), Found));
  Point = Turn.end();
  return Found;
}

Status TaskList::runTimed(const RunInput &Input, RunOrder::Turn &Turn,
                          uint64_t &Point) {
  std::vector<PartTime> Each(Desc.Parts.size());
  Status Found;
  for (uint32_t N = 0; N < Each.size(); ++N) {
    Each[N].BeginNs = steadyNs();
    GOLDY_TRY(took(N, Input, runPart(N, Input), Found));
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

Status TaskList::runPart(uint32_t Number, const RunInput &Input) {
  const Part &P = Desc.Parts[Number];
  switch (P.Kind) {
  case PartKind::Fill:
    fill(P, Input);
    return Status();
  case PartKind::Copy:
    copy(P, Input);
    return Status();
  case PartKind::Launch:
    return launch(Number, Input);
  case PartKind::Call:
    return call(Number, Input);
  case PartKind::Words:
    break;
  }
  return Status(GOLDY_INTERNAL, "unknown part");
}

static Status callReady(const ReadyLaunch &R, const HostImage &Image,
                        const std::byte *Block) {
  ScratchLease Scratch(R.scratchBytes());
  if (!Scratch.ok())
    return noScratch(Image);
  int32_t Code = R.call(Block, Scratch.data());
  return Code ? kernelFailed(Image, Code) : Status();
}

Status TaskList::launch(uint32_t Number, const RunInput &Input) {
  const Part &P = Desc.Parts[Number];
  ReadyLaunch &R = Ready[Number];
  HostImage &Image = *object<HostImage>(P.Image);
  bool HasState = !changesState();
  if (!Image.Watched)
    wrote(P, Input);
  if (R.isFixed()) {
    if (HasState && R.goesAtOnce())
      return callReady(R, Image, P.Block.data());
    return executeLaunch(C.Threads, Image, P.Block.data(), P.Groups, C.To,
                         HasState, &R.untimed());
  }
  std::array<uint32_t, 3> Groups = groupsOf(P, Input);
  if (!Groups[0] || !Groups[1] || !Groups[2])
    return Status();
  BlockCopy Block(P.Block);
  writeWords(P, slots(Number), Input, Block.data());
  if (HasState && R.neverDivided() && !hasGridWords(P))
    return callReady(R, Image, Block.data());
  return executeLaunch(C.Threads, Image, Block.data(), Groups, C.To, HasState);
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
