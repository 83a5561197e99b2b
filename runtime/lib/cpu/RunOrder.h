//===- RunOrder.h - Runs that share memory, one after another -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Callers run their own work, so two of them may be at it at once. A run that
// touches memory which an earlier one writes, or writes what an earlier one
// touches, waits for it; others run side by side. Runs only ever wait for
// earlier ones, so none waits for ever. A lone caller takes an uncontended lock
// and allocates nothing.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_RUNORDER_H
#define GOLDY_RUNTIME_CPU_RUNORDER_H

#include "core/Driver.h"

#include <condition_variable>
#include <mutex>

namespace goldy::rt {

class RunOrder {
public:
  /// A run in progress, from its turn on until this ends. Waits for its turn.
  class Turn {
  public:
    /// `Desc` outlives this.
    Turn(RunOrder &Order, const SubmissionDesc &Desc);
    ~Turn();
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;

  private:
    friend class RunOrder;
    RunOrder &Order;
    const SubmissionDesc &Desc;
    Turn *Earlier = nullptr, *Later = nullptr;
  };

private:
  static bool mustWait(const Turn &T);

  std::mutex Lock; ///< of all below
  std::condition_variable Ended;
  Turn *Latest = nullptr;
  unsigned Waiting = 0;
};

} // namespace goldy::rt

#endif
