//===- TaskList.h - A prepared submission on the CPU ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts are done one after another by the caller. Words of the run go into a
// copy of a part's block: runs may overlap. Such copies lie on the stack, long
// ones in memory that the thread keeps, so a run allocates nothing once the
// thread is warm.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_TASKLIST_H
#define GOLDY_RUNTIME_CPU_TASKLIST_H

#include "core/Parts.h"
#include "core/RunTimes.h"
#include "cpu/FloatState.h"
#include "cpu/ReadyLaunch.h"
#include "cpu/RunOrder.h"
#include "cpu/Undetermined.h"

namespace goldy::rt {

/// Ids of memories are HostMemory objects, those of images HostImage objects.
class TaskList {
public:
  /// What is the same for all runs of a device; outlives its lists.
  struct Context {
    Pool &Threads;
    RunOrder &Order;
    const Listeners &To;
  };
  /// GOLDY_UNSUPPORTED for a part that the CPU does not have.
  static Status make(const Context &C, SubmissionDesc Desc,
                     std::unique_ptr<TaskList> &Out);
  /// One launch without words, which `Desc` still is afterwards.
  static Status runOnce(const Context &C, SubmissionDesc &Desc,
                        uint64_t &Point);
  TaskList(const TaskList &) = delete;
  TaskList &operator=(const TaskList &) = delete;

  /// All parts, up to the first that fails. A launch that is alone costs little
  /// more than its call.
  [[gnu::always_inline]] Status run(const RunInput &Input, uint64_t &Point) {
    if (!Lone || !C.Order.needsNoTurn() || Undetermined::any() ||
        !Ready->goesAtOnce())
      return runInTurn(Input, Point);
    ScratchLease Scratch(Ready->scratchBytes());
    if (!Scratch.ok()) [[unlikely]]
      return runInTurn(Input, Point); // which says so
    int32_t Code = callLone(Scratch.data());
    uint64_t Done = C.Order.endWithoutTurn();
    if (Code) [[unlikely]]
      return loneFailed(Code, Input);
    Point = Done;
    return Status();
  }
  Status times(uint64_t Point, std::vector<PartTime> &Out) const {
    return Times ? Times->find(Point, Out) : noTimes(Point);
  }

private:
  TaskList(const Context &C, SubmissionDesc Desc);
  void sortSlots();
  void prepareLaunches();
  std::span<const Slot> slots(uint32_t Part) const {
    if (Desc.Slots.empty())
      return {};
    return {Desc.Slots.data() + FirstSlot[Part],
            Desc.Slots.data() + FirstSlot[Part + 1]};
  }
  int32_t callLone(void *Scratch) const noexcept {
    KernelFloatState State;
    return Ready->call(Desc.Parts.front().Block.data(), Scratch);
  }
  Status loneFailed(int32_t Code, const RunInput &Input) const;
  Status runInTurn(const RunInput &Input, uint64_t &Point);
  Status runParts(const RunInput &Input, RunOrder::Turn &Turn, uint64_t &Point);
  Status runTimed(const RunInput &Input, RunOrder::Turn &Turn, uint64_t &Point);
  Status runPart(uint32_t Number, const RunInput &Input);
  /// Somebody listens to launches.
  bool isHeard() const { return C.To.Debug.Call || C.To.Finding.Call; }
  /// Whether each launch sets the float state: what the caller gave runs
  /// between them, in the caller's state.
  bool changesState() const { return Calls || isHeard(); }
  Status launch(uint32_t Number, const RunInput &Input);
  Status call(uint32_t Number, const RunInput &Input);

  const Context C;
  SubmissionDesc Desc; ///< its slots by part
  /// Of each part, then ends; empty without slots.
  std::vector<uint32_t> FirstSlot;
  bool Calls = false;              ///< there are host functions
  bool Lone = false;               ///< one launch, the same in each run
  ReadyLaunch *Ready = &First;     ///< of each part that is a launch
  ReadyLaunch First;               ///< of one part
  std::vector<ReadyLaunch> Each;   ///< of more
  std::unique_ptr<RunTimes> Times; ///< of a timed one
};

} // namespace goldy::rt

#endif
