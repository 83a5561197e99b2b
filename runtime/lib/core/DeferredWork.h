//===- DeferredWork.h - What waits until a device is past a point ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For drivers of devices that work on while the host does: what pending work
// uses is destroyed when that work is done.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_DEFERREDWORK_H
#define GOLDY_RUNTIME_CORE_DEFERREDWORK_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>
#include <type_traits>

namespace goldy::rt {

/// A call for later. It holds plain values only, so that keeping it needs no
/// memory of its own.
class Action {
public:
  Action() = default;
  template <class F> explicit Action(F Body) {
    static_assert(sizeof(F) <= Room && std::is_trivially_copyable_v<F>);
    new (Values) F(Body);
    Call = [](std::byte *At) { (*reinterpret_cast<F *>(At))(); };
  }
  void operator()() { Call(Values); }

private:
  static constexpr size_t Room = 48;
  alignas(std::max_align_t) std::byte Values[Room] = {};
  void (*Call)(std::byte *At) = nullptr;
};

/// May be used from several threads at once; actions may add others.
class DeferredWork {
public:
  /// Keeps an action until `Point` is reached. False, and nothing is kept, when
  /// there is no memory for it.
  bool add(uint64_t Point, const Action &Body) noexcept {
    try {
      std::lock_guard<std::mutex> Lock(Mutex);
      Waiting.push_back({Point, Body});
      return true;
    } catch (const std::bad_alloc &) {
      return false;
    }
  }
  bool empty() {
    std::lock_guard<std::mutex> Lock(Mutex);
    return Waiting.empty();
  }
  /// Runs what waits for points up to `Reached`, in the order in which it was
  /// added; what stands behind an action that is not due waits with it.
  void run(uint64_t Reached) {
    Action Next;
    while (take(Reached, Next))
      Next();
  }

private:
  struct Due {
    uint64_t Point = 0;
    Action Body;
  };
  bool take(uint64_t Reached, Action &Out) {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (Waiting.empty() || Waiting.front().Point > Reached)
      return false;
    Out = Waiting.front().Body;
    Waiting.pop_front();
    return true;
  }

  std::mutex Mutex; ///< of Waiting
  std::deque<Due> Waiting;
};

} // namespace goldy::rt

#endif
