//===- RunOrder.h - Runs that share memory, one after another -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callers run their own work, so two of them may be at it at once. A run that
// touches memory which an earlier one writes, or writes what an earlier one
// touches, waits for it; others run side by side. Memory is compared by where
// it lies, so a run meets memory under the name of a borrow too. Runs only ever
// wait for earlier ones of other threads, so none waits for ever: a run that a
// host function starts does not wait for the run that called it. A lone caller
// takes an uncontended lock and allocates nothing.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_RUNORDER_H
#define GOLDY_RUNTIME_CPU_RUNORDER_H

#include "core/Driver.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace goldy::rt {

class RunOrder {
public:
  /// A run in progress, from its turn on until this ends. Waits for its turn.
  class Turn {
  public:
    /// `Desc` and `Input` outlive this. Memories are HostMemory objects.
    Turn(RunOrder &Order, const SubmissionDesc &Desc, const RunInput &Input);
    ~Turn();
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    friend class RunOrder;
    RunOrder &Order;
    const SubmissionDesc &Desc;
    const RunInput &Input;
    const std::thread::id Thread = std::this_thread::get_id();
    Turn *Earlier = nullptr, *Later = nullptr;
  };

private:
  static bool mustWait(const Turn &T);
  static bool conflict(const Turn &A, const Turn &B);

  std::mutex Lock; ///< of all below
  std::condition_variable Ended;
  Turn *Latest = nullptr;
  unsigned Waiting = 0;
};

} // namespace goldy::rt

#endif
