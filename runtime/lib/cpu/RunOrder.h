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
// host function starts does not wait for the run that called it.
//
// A run that is alone takes and leaves its turn by one atomic operation each,
// which also counts points; it takes no lock and allocates nothing. The second
// one that comes enters the first into the list of runs and itself behind it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_RUNORDER_H
#define GOLDY_RUNTIME_CPU_RUNORDER_H

#include "core/Driver.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace goldy::rt {

class RunOrder {
public:
  /// A run in progress, from its turn on until `end`, or until this goes if it
  /// fails. Waits for its turn.
  class Turn {
  public:
    /// `Desc` and `Input` outlive this. Memories are HostMemory objects.
    Turn(RunOrder &Order, const SubmissionDesc &Desc, const RunInput &Input);
    ~Turn() {
      if (!Ended)
        Order.leave(*this);
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    /// The run is done; gives its point.
    uint64_t end() {
      Ended = true;
      return Order.leave(*this);
    }

  private:
    friend class RunOrder;
    RunOrder &Order;
    const SubmissionDesc &Desc;
    const RunInput &Input;
    const std::thread::id Thread = std::this_thread::get_id();
    Turn *Earlier = nullptr, *Later = nullptr;
    bool Ended = false;
  };

  /// Runs that ended, failed ones too: the last point.
  uint64_t ended() const { return State.load() / OneRun; }

private:
  static bool mustWait(const Turn &T);
  static bool conflict(const Turn &A, const Turn &B);
  bool takeAlone(Turn &T);
  void enlist(Turn &T);
  uint64_t leave(Turn &T);

  /// Runs that ended, times OneRun, and who runs. No value comes twice.
  static constexpr uint64_t Nobody = 0, One = 1, Listed = 2, Who = 3,
                            OneRun = 4;
  std::atomic<uint64_t> State{0};
  /// The one, from just after it is One until just before it is not.
  std::atomic<Turn *> Alone{nullptr};
  std::mutex Lock; ///< of all below
  std::condition_variable Ended;
  Turn *Latest = nullptr;
  unsigned Waiting = 0;
};

} // namespace goldy::rt

#endif
