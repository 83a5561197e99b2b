//===- Execute.cpp - Running one launch on the CPU ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches that are expected to take less than two chunks run inline.
//
//===----------------------------------------------------------------------===//
#include "cpu/Execute.h"

#include "cpu/DebugLog.h"
#include "cpu/FloatState.h"
#include "cpu/Scratch.h"
#include "cpu/Ticks.h"

using namespace goldy::rt;

namespace {

/// To wake a thread costs its caller some microseconds, and it comes some tens
/// later; one that is awake comes within one.
constexpr float WorthWakingNs = 60000, WorthSharingNs = 5000, ChunkNs = 1500,
                ProbeNs = 10000;

/// One launch as its threads see it.
struct Launch {
  HostImage &Image;
  const std::byte *Block;
  const std::array<uint32_t, 3> &Groups;
  const goldy_host_services *Services;
  uint32_t ServicesBytes;
  void *CallerScratch;
  std::thread::id Caller{}; ///< of a shared one
  std::atomic<int32_t> Failure{0};
  std::atomic<uint64_t> Busy{0}; ///< ticks of all threads of a shared one

  void call(uint64_t First, uint64_t End, void *Scratch) {
    goldy_group_range Range{{Groups[0], Groups[1], Groups[2]},
                            ServicesBytes,
                            First,
                            End,
                            Services,
                            0};
    if (int32_t Code = callKernel(Image.Entry, Block, Range, Scratch))
      Failure.store(Code, std::memory_order_relaxed);
  }
  void callItem(const ItemImage &I, uint64_t Group, uint32_t Number,
                void *Scratch) {
    goldy_group_range Range{{Groups[0], Groups[1], Groups[2]},
                            ServicesBytes,
                            Group,
                            Group + 1,
                            Services,
                            Number};
    if (int32_t Code = callKernel(I.Entry, Block, Range, Scratch))
      Failure.store(Code, std::memory_order_relaxed);
  }
  void eat(RangeSource &Source, void *Scratch) {
    uint64_t Start = ticks();
    for (uint64_t First, End; Source.next(First, End);)
      call(First, End, Scratch);
    Busy.fetch_add(ticks() - Start, std::memory_order_relaxed);
  }
  static void help(void *Context, RangeSource &Source) {
    Launch &L = *static_cast<Launch *>(Context);
    if (std::this_thread::get_id() == L.Caller)
      return L.eat(Source, L.CallerScratch);
    ScratchLease Scratch(L.Image.ScratchBytes);
    if (!Scratch.ok())
      return;
    KernelFloatState State;
    L.eat(Source, Scratch.data());
  }
};

void learn(HostImage &Image, float Ns, uint64_t Groups) {
  float New = Ns / static_cast<float>(Groups);
  float Old = Image.GroupNs.load(std::memory_order_relaxed);
  float Mean = Old > 0 ? (Old + New) / 2 : New;
  Mean = std::max(Mean, 1e-3f);
  Image.GroupNs.store(Mean, std::memory_order_relaxed);
  Image.ShortGroups.store(static_cast<uint64_t>(WorthSharingNs / Mean),
                          std::memory_order_relaxed);
}

/// Runs groups from 0 on, doubling, until the cost is known; returns how many.
uint64_t probe(Launch &L, uint64_t Total) {
  uint64_t Done = 0, Step = 1, Start = ticks();
  float Ns = 0;
  while (Done < Total && Ns < ProbeNs) {
    uint64_t N = std::min(Step, Total - Done);
    L.call(Done, Done + N, L.CallerScratch);
    Done += N;
    Step *= 2;
    Ns = nsSince(Start);
  }
  learn(L.Image, Ns, Done);
  return Done;
}

bool pays(Pool &Threads, float Ns) {
  if (Ns >= WorthWakingNs)
    return true;
  return Ns >= WorthSharingNs && (Threads.awake() || Threads.manyShort(Ns));
}

void runShared(Pool &Threads, Launch &L, uint64_t First, uint64_t Total) {
  float Cost = L.Image.GroupNs.load(std::memory_order_relaxed);
  constexpr unsigned ChunksPerThread = 4;
  float Groups =
      std::min(ChunkNs / Cost, static_cast<float>(uint64_t(1) << 62));
  RangeSource Source(First, Total,
                     std::max<uint64_t>(static_cast<uint64_t>(Groups), 1),
                     uint64_t(Threads.threads()) * ChunksPerThread);
  L.Caller = std::this_thread::get_id();
  Threads.run(Source, Launch::help, &L);
  learn(L.Image,
        static_cast<float>(L.Busy.load(std::memory_order_relaxed)) /
            ticksPerNs(),
        Total - First);
}

/// Runs a launch that is expected to be small: an eighth of it first, and the
/// rest inline too if that bears the expectation out. What a group costs may
/// change with the arguments, so each launch looks at the clock unless it has
/// those of the one before. A few groups that are expected to be over at once
/// are not divided.
void runSmall(Pool &Threads, Launch &L, uint64_t Total, float Expected,
              LaunchCount *Untimed) {
  constexpr uint64_t FewGroups = 16;
  constexpr uint32_t Granted = 15;
  bool AtOnce = Expected < WorthSharingNs, Few = AtOnce && Total < FewGroups;
  if (AtOnce && Untimed && takeUntimed(*Untimed))
    return L.call(0, Total, L.CallerScratch);
  uint64_t First = Few ? Total : std::max<uint64_t>(Total / 8, 1);
  uint64_t Start = ticks();
  L.call(0, First, L.CallerScratch);
  float Ns = nsSince(Start);
  float Rest =
      Ns / static_cast<float>(First) * static_cast<float>(Total - First);
  if (Rest >= WorthWakingNs) {
    learn(L.Image, Ns, First);
    runShared(Threads, L, First, Total);
    return;
  }
  if (First < Total) { // the first ones may be the cheap ones
    L.call(First, Total, L.CallerScratch);
    Ns = nsSince(Start);
  }
  learn(L.Image, Ns, Total);
  if (Untimed && Ns < WorthSharingNs)
    Untimed->store(Granted, std::memory_order_relaxed);
}

} // namespace

/// `gpu::debug` where nobody listens.
static void ignoreValue(void *, const uint32_t *, uint32_t, uint32_t,
                        const uint64_t *) {}

static void runAll(Pool &Threads, Launch &L, uint64_t Total,
                   LaunchCount *Untimed = nullptr) {
  if (Threads.threads() == 1 || Total == 1)
    return L.call(0, Total, L.CallerScratch);
  float Cost = L.Image.GroupNs.load(std::memory_order_relaxed);
  float Expected = Cost * static_cast<float>(Total);
  if (Cost > 0) {
    if (pays(Threads, Expected))
      runShared(Threads, L, 0, Total);
    else
      runSmall(Threads, L, Total, Expected, Untimed);
    return;
  }
  uint64_t Done = probe(L, Total);
  Cost = L.Image.GroupNs.load(std::memory_order_relaxed);
  if (Done < Total && pays(Threads, Cost * static_cast<float>(Total - Done)))
    runShared(Threads, L, Done, Total);
  else if (Done < Total)
    L.call(Done, Total, L.CallerScratch);
}

/// On the caller alone: findings come in one order.
static Status executeWatched(HostImage &Image, const std::byte *Block,
                             const std::array<uint32_t, 3> &Groups,
                             void *Scratch, const Listeners &To) {
  DebugLog Log;
  Sanitizer Books(*Image.Watched, Block, Groups);
  goldy_host_services Services{To.Debug.Call ? DebugLog::add : ignoreValue,
                               &Log, Sanitizer::watch, &Books};
  Launch L{Image, Block, Groups, &Services, sizeof Services, Scratch};
  {
    KernelFloatState State;
    L.call(0, uint64_t(Groups[0]) * Groups[1] * Groups[2], Scratch);
  }
  if (To.Debug.Call)
    Log.print(Image.Name, To.Debug);
  return Books.finish(To.Finding);
}

/// All groups in order, that of the item by the item's code if the grid has it.
static Status runItem(Launch &L, const ItemImage &I,
                      const std::array<uint32_t, 3> &Groups, uint64_t Total) {
  ScratchLease Scratch(I.ScratchBytes);
  if (!Scratch.ok())
    return Status(GOLDY_OUT_OF_MEMORY, "no memory for " +
                                           std::to_string(I.ScratchBytes) +
                                           " bytes of scratch");
  KernelFloatState State;
  uint64_t Group = 0, Number = 0;
  bool Inside = true;
  for (int A = 2; A >= 0; --A) {
    uint32_t Size = I.WorkgroupSize[A];
    Inside &= I.Item[A] / Size < Groups[A];
    Group = Group * Groups[A] + I.Item[A] / Size;
    Number = Number * Size + I.Item[A] % Size;
  }
  if (!Inside)
    return L.call(0, Total, L.CallerScratch), Status();
  if (Group)
    L.call(0, Group, L.CallerScratch);
  L.callItem(I, Group, static_cast<uint32_t>(Number), Scratch.data());
  if (Group + 1 < Total)
    L.call(Group + 1, Total, L.CallerScratch);
  return Status();
}

[[gnu::noinline]] Status goldy::rt::kernelFailed(const HostImage &Image,
                                                 int32_t Code) {
  return Status(GOLDY_INTERNAL,
                "kernel `" + Image.Name + "` returned " + std::to_string(Code));
}

static Status failureOf(const Launch &L) {
  int32_t Code = L.Failure.load(std::memory_order_relaxed);
  return Code ? kernelFailed(L.Image, Code) : Status();
}

[[gnu::noinline]] Status goldy::rt::noScratch(const HostImage &Image) {
  return Status(GOLDY_OUT_OF_MEMORY,
                "kernel `" + Image.Name + "`: no memory for " +
                    std::to_string(Image.ScratchBytes) + " bytes of scratch");
}

/// A launch that somebody listens to or that has an item of its own.
[[gnu::noinline]] static Status
executeTold(Pool &Threads, HostImage &Image, const std::byte *Block,
            const std::array<uint32_t, 3> &Groups, void *Scratch,
            const Listeners &To) {
  if (Image.Watched && !Image.Item) // a debugger's run is not watched
    return executeWatched(Image, Block, Groups, Scratch, To);
  uint64_t Total = uint64_t(Groups[0]) * Groups[1] * Groups[2];
  const DebugListener &Debug = To.Debug;
  DebugLog Log;
  goldy_host_services Services{DebugLog::add, &Log, nullptr, nullptr};
  Launch L{Image, Block, Groups, Debug.Call ? &Services : nullptr, 0, Scratch};
  if (Image.Item) {
    GOLDY_TRY(runItem(L, *Image.Item, Groups, Total));
  } else {
    KernelFloatState State;
    runAll(Threads, L, Total);
  }
  if (Debug.Call)
    Log.print(Image.Name, Debug);
  return failureOf(L);
}

[[gnu::noinline]] static Status
executeDivided(Pool &Threads, HostImage &Image, const std::byte *Block,
               const std::array<uint32_t, 3> &Groups, uint64_t Total,
               void *Scratch, LaunchCount *Untimed) {
  Launch L{Image, Block, Groups, nullptr, 0, Scratch};
  runAll(Threads, L, Total, Untimed);
  return failureOf(L);
}

/// One that cannot be divided is a call and little more.
static inline Status executePlain(Pool &Threads, HostImage &Image,
                                  const std::byte *Block,
                                  const std::array<uint32_t, 3> &Groups,
                                  void *Scratch, LaunchCount *Untimed) {
  uint64_t Total = uint64_t(Groups[0]) * Groups[1] * Groups[2];
  if (Threads.threads() > 1 && Total > 1)
    return executeDivided(Threads, Image, Block, Groups, Total, Scratch,
                          Untimed);
  Launch L{Image, Block, Groups, nullptr, 0, Scratch};
  L.call(0, Total, Scratch);
  return failureOf(L);
}

Status goldy::rt::executeLaunch(Pool &Threads, HostImage &Image,
                                const std::byte *Block,
                                const std::array<uint32_t, 3> &Groups,
                                const Listeners &To, bool HasState,
                                LaunchCount *Untimed) {
  ScratchLease Scratch(Image.ScratchBytes);
  if (!Scratch.ok())
    return noScratch(Image);
  if (Image.Watched || Image.Item || To.Debug.Call)
    return executeTold(Threads, Image, Block, Groups, Scratch.data(), To);
  if (HasState)
    return executePlain(Threads, Image, Block, Groups, Scratch.data(), Untimed);
  KernelFloatState State;
  return executePlain(Threads, Image, Block, Groups, Scratch.data(), Untimed);
}
