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
// wait for earlier ones of other threads. A run that a host function starts
// does not wait for the run that called it, nor for one whose thread waits for
// that one: it could not go on before both have ended. So none waits for ever.
//
// A run that is alone takes and leaves its turn by one atomic operation each,
// which also counts points; it takes no lock and allocates nothing. In a
// process that has one thread these are plain loads and stores. The second run
// that comes enters the first into the list of runs and itself behind it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_RUNORDER_H
#define GOLDY_RUNTIME_CPU_RUNORDER_H

#include "core/Driver.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace goldy::rt {

/// No other thread is there, nor comes but by what this one does. False where
/// the C library does not tell.
inline bool hasOneThread() {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

class RunOrder {
public:
  /// A run in progress, from its turn on until `end`, or until this goes if it
  /// fails. Waits for its turn.
  class Turn {
  public:
    /// `Desc` and `Input` outlive this. Memories are HostMemory objects.
    Turn(RunOrder &Order, const SubmissionDesc &Desc, const RunInput &Input)
        : Order(Order), Desc(Desc), Input(Input) {
      if (!Order.takeAlone(*this))
        Order.enlist(*this);
    }
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
    bool Waits = false; ///< under Lock
  };

  /// Whether a run needs no turn: nobody else is there who could come, and it
  /// starts neither threads nor runs.
  bool needsNoTurn() const {
    return hasOneThread() &&
           (State.load(std::memory_order_relaxed) & Who) == Nobody;
  }
  /// A run that needed no turn is done; gives its point.
  uint64_t endWithoutTurn() {
    uint64_t Next = State.load(std::memory_order_relaxed) + OneRun;
    State.store(Next, std::memory_order_release);
    return Next / OneRun;
  }

  /// Runs that ended, failed ones too: the last point.
  uint64_t ended() const { return State.load() / OneRun; }

private:
  static bool mustWait(const Turn &T);
  static bool mustWaitFor(const Turn &T, const Turn &Other);
  static bool waitsForThread(const Turn &T, std::thread::id Thread);
  static bool conflict(const Turn &A, const Turn &B);
  bool takeAlone(Turn &T) {
    uint64_t Now = State.load(std::memory_order_relaxed);
    while ((Now & Who) == Nobody)
      if (change(Now, Now + One)) {
        Alone.store(&T, std::memory_order_release);
        return true;
      }
    return false;
  }
  void enlist(Turn &T);
  /// Gives the number of runs that ended.
  uint64_t leave(Turn &T) {
    uint64_t Now = State.load(std::memory_order_relaxed);
    if ((Now & Who) == One && Alone.load(std::memory_order_relaxed) == &T) {
      Alone.store(nullptr, std::memory_order_relaxed);
      uint64_t Next = Now - One + OneRun;
      if (change(Now, Next))
        return Next / OneRun;
    }
    return leaveList(T);
  }
  /// State becomes `To` if it is `Now`, else that becomes what it is.
  bool change(uint64_t &Now, uint64_t To) {
    if (!hasOneThread())
      return State.compare_exchange_strong(Now, To, std::memory_order_acq_rel,
                                           std::memory_order_relaxed);
    State.store(To, std::memory_order_release);
    return true;
  }
  uint64_t leaveList(Turn &T);

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
