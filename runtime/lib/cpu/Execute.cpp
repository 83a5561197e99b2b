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

#include "core/RunTimes.h"
#include "cpu/DebugLog.h"
#include "cpu/FloatState.h"
#include "cpu/Scratch.h"

using namespace goldy::rt;

namespace {

constexpr float ChunkNs = 20000, ProbeNs = 10000;

/// One launch as its threads see it.
struct Launch {
  HostImage &Image;
  const std::byte *Block;
  goldy_group_range Grid;
  void *CallerScratch;
  std::thread::id Caller = std::this_thread::get_id();
  std::atomic<int32_t> Failure{0};

  /// A kernel is code from a file: it has no type record before its entry,
  /// which the sanitizer of indirect calls would read.
#if defined(__clang__)
  __attribute__((no_sanitize("function")))
#endif
  void
  call(uint64_t First, uint64_t End, void *Scratch) {
    goldy_group_range Range = Grid;
    Range.first = First;
    Range.end = End;
    if (int32_t Code = Image.Entry(Block, &Range, Scratch))
      Failure.store(Code, std::memory_order_relaxed);
  }
  void eat(RangeSource &Source, void *Scratch) {
    for (uint64_t First, End; Source.next(First, End);)
      call(First, End, Scratch);
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

void learn(HostImage &Image, uint64_t Ns, uint64_t Groups) {
  float New = static_cast<float>(Ns) / static_cast<float>(Groups);
  float Old = Image.GroupNs.load(std::memory_order_relaxed);
  float Mean = Old > 0 ? (Old + New) / 2 : New;
  Image.GroupNs.store(std::max(Mean, 1e-3f), std::memory_order_relaxed);
}

/// Runs groups from 0 on, doubling, until the cost is known; returns how many.
uint64_t probe(Launch &L, uint64_t Total) {
  uint64_t Done = 0, Step = 1, Start = steadyNs(), Ns = 0;
  while (Done < Total && static_cast<float>(Ns) < ProbeNs) {
    uint64_t N = std::min(Step, Total - Done);
    L.call(Done, Done + N, L.CallerScratch);
    Done += N;
    Step *= 2;
    Ns = steadyNs() - Start;
  }
  learn(L.Image, Ns, Done);
  return Done;
}

void runShared(Pool &Threads, Launch &L, uint64_t First, uint64_t Total) {
  float Cost = L.Image.GroupNs.load(std::memory_order_relaxed);
  uint64_t Left = Total - First;
  constexpr unsigned ChunksPerThread = 8;
  uint64_t Least = static_cast<uint64_t>(
      std::min(ChunkNs / Cost, static_cast<float>(uint64_t(1) << 62)));
  uint64_t Even = Left / (uint64_t(Threads.threads()) * ChunksPerThread);
  uint64_t Chunk = std::clamp<uint64_t>(std::max(Least, Even), 1, Left);
  RangeSource Source(First, Total, Chunk);
  uint64_t Start = steadyNs();
  uint64_t Helped = std::min<uint64_t>(Threads.threads(), Source.chunks());
  Threads.run(Source, Launch::help, &L);
  learn(L.Image, (steadyNs() - Start) * Helped, Left);
}

/// Runs a launch that is expected to be small: an eighth of it first, and the
/// rest inline too if that bears the expectation out. What a group costs may
/// change with the arguments, so each launch looks at the clock once.
void runSmall(Pool &Threads, Launch &L, uint64_t Total) {
  uint64_t First = std::max<uint64_t>(Total / 8, 1), Start = steadyNs();
  L.call(0, First, L.CallerScratch);
  uint64_t Ns = steadyNs() - Start;
  learn(L.Image, Ns, First);
  float Rest = static_cast<float>(Ns) / static_cast<float>(First) *
               static_cast<float>(Total - First);
  if (Rest < 2 * ChunkNs)
    L.call(First, Total, L.CallerScratch);
  else
    runShared(Threads, L, First, Total);
}

} // namespace

/// `gpu::debug` where nobody listens.
static void ignoreValue(void *, const uint32_t *, uint32_t, uint32_t,
                        const uint64_t *) {}

/// All groups, with the kernel's float state.
static void runAll(Pool &Threads, Launch &L, uint64_t Total) {
  KernelFloatState State;
  float Cost = L.Image.GroupNs.load(std::memory_order_relaxed);
  if (Threads.threads() == 1 || Total == 1) {
    L.call(0, Total, L.CallerScratch);
  } else if (Cost > 0 && Cost * static_cast<float>(Total) < 2 * ChunkNs) {
    runSmall(Threads, L, Total);
  } else {
    uint64_t Done = Cost > 0 ? 0 : probe(L, Total);
    if (Done < Total)
      runShared(Threads, L, Done, Total);
  }
}

/// On the caller alone: findings come in one order.
static Status executeWatched(HostImage &Image, const std::byte *Block,
                             const std::array<uint32_t, 3> &Groups,
                             void *Scratch, const Listeners &To) {
  DebugLog Log;
  Sanitizer Books(*Image.Watched, Block, Groups);
  goldy_host_services Services{To.Debug.Call ? DebugLog::add : ignoreValue,
                               &Log, Sanitizer::watch, &Books};
  Launch L{
      Image,
      Block,
      {{Groups[0], Groups[1], Groups[2]}, sizeof Services, 0, 0, &Services},
      Scratch};
  {
    KernelFloatState State;
    L.call(0, uint64_t(Groups[0]) * Groups[1] * Groups[2], Scratch);
  }
  if (To.Debug.Call)
    Log.print(Image.Name, To.Debug);
  return Books.finish(To.Finding);
}

Status goldy::rt::executeLaunch(Pool &Threads, HostImage &Image,
                                const std::byte *Block,
                                const std::array<uint32_t, 3> &Groups,
                                const Listeners &To) {
  uint64_t Total = uint64_t(Groups[0]) * Groups[1] * Groups[2];
  ScratchLease Scratch(Image.ScratchBytes);
  if (!Scratch.ok())
    return Status(GOLDY_OUT_OF_MEMORY,
                  "kernel `" + Image.Name + "`: no memory for " +
                      std::to_string(Image.ScratchBytes) + " bytes of scratch");
  if (Image.Watched)
    return executeWatched(Image, Block, Groups, Scratch.data(), To);
  const DebugListener &Debug = To.Debug;
  DebugLog Log;
  goldy_host_services Services{DebugLog::add, &Log, nullptr, nullptr};
  Launch L{Image,
           Block,
           {{Groups[0], Groups[1], Groups[2]},
            0,
            0,
            0,
            Debug.Call ? &Services : nullptr},
           Scratch.data()};
  runAll(Threads, L, Total);
  if (Debug.Call)
    Log.print(Image.Name, Debug);
  if (int32_t Code = L.Failure.load())
    return Status(GOLDY_INTERNAL, "kernel `" + Image.Name + "` returned " +
                                      std::to_string(Code));
  return Status();
}
