//===- TaskList.h - A prepared submission on the CPU ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts are done one after another by the caller. Words of the run go into a
// copy of a part's block: runs may overlap. A thread keeps the memory of such
// copies, so a run allocates nothing once the thread is warm.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_TASKLIST_H
#define GOLDY_RUNTIME_CPU_TASKLIST_H

#include "core/RunTimes.h"
#include "cpu/Execute.h"
#include "cpu/RunOrder.h"

namespace goldy::rt {

/// Ids of memories are HostMemory objects, those of images HostImage objects.
class TaskList {
public:
  /// GOLDY_UNSUPPORTED for a part that the CPU does not have.
  static Status make(SubmissionDesc Desc, std::unique_ptr<TaskList> &Out);

  /// What is the same for all runs of a device.
  struct Context {
    Pool &Threads;
    RunOrder &Order;
    const Listeners &To;
  };
  /// All parts, up to the first that fails.
  Status run(const Context &C, const RunInput &Input, uint64_t &Point);
  Status times(uint64_t Point, std::vector<PartTime> &Out) const {
    return Times ? Times->find(Point, Out) : noTimes(Point);
  }

private:
  explicit TaskList(SubmissionDesc Desc);
  std::span<const Slot> slots(uint32_t Part) const {
    if (Desc.Slots.empty())
      return {};
    return {Desc.Slots.data() + FirstSlot[Part],
            Desc.Slots.data() + FirstSlot[Part + 1]};
  }
  Status runLone(const Context &C, RunOrder::Turn &Turn, uint64_t &Point);
  Status runParts(const Context &C, const RunInput &Input, RunOrder::Turn &Turn,
                  uint64_t &Point);
  Status runTimed(const Context &C, const RunInput &Input, RunOrder::Turn &Turn,
                  uint64_t &Point);
  Status runPart(const Context &C, uint32_t Number, const RunInput &Input);
  /// Whether each launch sets the float state: what the caller gave runs
  /// between them, in the caller's state.
  bool changesState(const Context &C) const {
    return Calls || C.To.Debug.Call || C.To.Finding.Call;
  }
  Status launch(const Context &C, uint32_t Number, const RunInput &Input);
  Status call(uint32_t Number, const RunInput &Input);

  SubmissionDesc Desc; ///< its slots by part
  /// Of each part, then ends; empty without slots.
  std::vector<uint32_t> FirstSlot;
  bool Calls = false;              ///< there are host functions
  bool Lone = false;               ///< one launch, the same in each run
  LaunchCount Untimed{0};          ///< of that launch
  std::unique_ptr<RunTimes> Times; ///< of a timed one
};

} // namespace goldy::rt

#endif
