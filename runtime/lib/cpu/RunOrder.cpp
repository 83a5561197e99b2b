//===- RunOrder.cpp - Runs that share memory, one after another -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runs in progress are a list through the callers' stacks.
//
//===----------------------------------------------------------------------===//
#include "cpu/RunOrder.h"

#include "core/Parts.h"
#include "cpu/HostMemory.h"

using namespace goldy::rt;

namespace {
/// Bytes of the host that a part touches in a run.
struct Range {
  uintptr_t First, End;
  bool Written;
};
} // namespace

static Range rangeOf(const Part &P, size_t Use, const RunInput &Input) {
  MemoryUse U = P.Uses[Use];
  if (P.Kind == PartKind::Copy)
    U.Offset = offsetOf(P, Use, Input);
  const HostMemory &M = *reinterpret_cast<HostMemory *>(
      static_cast<uintptr_t>(memoryOf(U, Input)));
  uintptr_t Base = reinterpret_cast<uintptr_t>(M.data());
  return {Base + U.Offset, Base + std::min(U.Offset + U.Bytes, M.size()),
          U.Written};
}

/// Calls `Meets` with the range of each use until it holds.
template <class F>
static bool anyRange(const SubmissionDesc &Desc, const RunInput &Input,
                     F Meets) {
  for (const Part &P : Desc.Parts)
    for (size_t U = 0; U < P.Uses.size(); ++U)
      if (Meets(rangeOf(P, U, Input)))
        return true;
  return false;
}

bool RunOrder::conflict(const Turn &A, const Turn &B) {
  return anyRange(A.Desc, A.Input, [&](const Range &Mine) {
    return anyRange(B.Desc, B.Input, [&](const Range &Theirs) {
      return (Mine.Written || Theirs.Written) && Mine.First < Theirs.End &&
             Theirs.First < Mine.End;
    });
  });
}

bool RunOrder::mustWait(const Turn &T) {
  for (const Turn *Other = T.Earlier; Other; Other = Other->Earlier)
    if (mustWaitFor(T, *Other))
      return true;
  return false;
}

/// Of an earlier one.
bool RunOrder::mustWaitFor(const Turn &T, const Turn &Other) {
  if (Other.Thread == T.Thread || !conflict(T, Other))
    return false;
  for (const Turn *W = T.Earlier; W; W = W->Earlier)
    if (W->Thread == Other.Thread && waitsForThread(*W, T.Thread))
      return false;
  return true;
}

/// It waits until a run of the thread has ended.
bool RunOrder::waitsForThread(const Turn &T, std::thread::id Thread) {
  for (const Turn *E = T.Waits ? T.Earlier : nullptr; E; E = E->Earlier)
    if (mustWaitFor(T, *E) &&
        (E->Thread == Thread || waitsForThread(*E, Thread)))
      return true;
  return false;
}

/// Enters a run behind all others; it may become the only one instead.
void RunOrder::enlist(Turn &T) {
  std::unique_lock<std::mutex> Guard(Lock);
  for (uint64_t Now = State.load(std::memory_order_acquire);
       (Now & Who) != Listed; Now = State.load(std::memory_order_acquire)) {
    if ((Now & Who) == Nobody && takeAlone(T))
      return;
    // The one whose turn `Now` is, if there is any: those before it took
    // themselves out before they left.
    Turn *First = Alone.load(std::memory_order_acquire);
    if (First && (Now & Who) == One &&
        State.compare_exchange_strong(Now, Now - One + Listed,
                                      std::memory_order_acq_rel))
      Latest = First;
  }
  T.Earlier = Latest;
  Latest->Later = &T;
  Latest = &T;
  ++Waiting;
  T.Waits = true;
  Ended.wait(Guard, [&] { return !mustWait(T); });
  T.Waits = false;
  --Waiting;
}

uint64_t RunOrder::leaveList(Turn &T) {
  std::lock_guard<std::mutex> Guard(Lock);
  (T.Later ? T.Later->Earlier : Latest) = T.Earlier;
  if (T.Earlier)
    T.Earlier->Later = T.Later;
  if (Waiting)
    Ended.notify_all();
  uint64_t Added = OneRun - (Latest ? 0 : Listed);
  return (State.fetch_add(Added, std::memory_order_acq_rel) + Added) / OneRun;
}
