//===- Device.h - An open CUDA device: context, stream, points ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parts of the driver share: the driver's functions, the device's
// primary context, one stream, the points of the timeline, and work that waits
// until the device is past a point. Points are events behind the runs of the
// stream; the newest has none until there is a need for one, as the stream's
// own end tells as much. Once a call has seen the device lost, that status is
// the answer of every later one.
//
// All methods but open, lost and lastPoint need the context to be current: the
// Driver's methods hold a Current.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_DEVICE_H
#define GOLDY_RUNTIME_CUDA_DEVICE_H

#include "core/DeferredWork.h"
#include "cuda/Survey.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

namespace goldy::rt::cuda {

/// An event of the driver's. The context is current when it is destroyed.
struct OwnedEvent {
  explicit OwnedEvent(const Api &Cu) : Cu(Cu) {}
  ~OwnedEvent();
  OwnedEvent(const OwnedEvent &) = delete;
  OwnedEvent &operator=(const OwnedEvent &) = delete;
  const Api &Cu;
  Event Handle = nullptr;
};

class Device {
public:
  static Status open(std::shared_ptr<const Api> Cu, PhysicalDevice Physical,
                     std::unique_ptr<Device> &Out);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Api &cu() const { return *Table; }
  Context context() const { return Primary; }
  Stream stream() const { return Queue; }
  const PhysicalDevice &physical() const { return Physical; }

  /// A result as a status; remembers that the device is lost. `Call` lives as
  /// long as the process.
  Status check(Result R, const char *Call) noexcept;
  /// What the call said that saw the device lost; success before that.
  Status lost() const noexcept;

  /// Runs `Start`, which puts work into the stream behind everything before it;
  /// `Point` is reached when it is done. If `Start` fails there is no point.
  Status submit(const std::function<Status()> &Start, uint64_t &Point);
  uint64_t lastPoint() const { return Last.load(); }
  /// The greatest point that is known to be reached.
  uint64_t reached();
  Status wait(uint64_t Point, uint64_t TimeoutNs);

  /// Runs `Action` once all work submitted so far is done: at once, at a later
  /// call, or when the device is closed.
  template <class F> void later(F Body) { defer(Action(Body)); }
  /// Runs what has become due.
  void collect();
  /// Waits for all work, then runs everything that waited for it.
  void drain();

private:
  struct Pending {
    uint64_t Point = 0;
    std::shared_ptr<OwnedEvent> Done;
  };
  /// In order; keeps the memory of the most that it held.
  class PendingQueue {
  public:
    bool empty() const { return Count == 0; }
    const Pending &operator[](size_t N) const {
      return Places[(First + N) % Places.size()];
    }
    Pending &front() { return Places[First]; }
    const Pending &front() const { return Places[First]; }
    const Pending &back() const { return (*this)[Count - 1]; }
    void push_back(Pending P) {
      if (Count == Places.size())
        grow();
      Places[(First + Count++) % Places.size()] = std::move(P);
    }
    void pop_front() {
      Places[First] = Pending();
      First = (First + 1) % Places.size();
      --Count;
    }
    void clear() {
      while (!empty())
        pop_front();
    }
    void pop_back() {
      --Count;
      Places[(First + Count) % Places.size()] = Pending();
    }

  private:
    void grow() {
      std::vector<Pending> More(std::max<size_t>(2 * Places.size(), 16));
      for (size_t N = 0; N < Count; ++N)
        More[N] = std::move(Places[(First + N) % Places.size()]);
      Places = std::move(More);
      First = 0;
    }
    std::vector<Pending> Places;
    size_t First = 0, Count = 0;
  };

  Device(std::shared_ptr<const Api> Cu, PhysicalDevice Physical)
      : Table(std::move(Cu)), Physical(std::move(Physical)) {}
  Status create();
  Status takeEvent(std::shared_ptr<OwnedEvent> &Out);
  void giveBack(std::shared_ptr<OwnedEvent> Done);
  std::shared_ptr<OwnedEvent> eventOf(uint64_t Point) const;
  Result askStream();
  Status mark();
  Status markLast();
  Result ask(uint64_t Point, const char *&Call);
  Status sleep(uint64_t Point);
  Status poll(uint64_t Point, uint64_t TimeoutNs);
  void defer(Action Body);

  std::shared_ptr<const Api> Table;
  PhysicalDevice Physical;
  Context Primary = nullptr;
  Stream Queue = nullptr;
  std::atomic<bool> Lost{false};
  Result LostResult = Success; ///< set before Lost, with LostCall
  const char *LostCall = "";
  mutable std::mutex LostMutex;
  std::atomic<uint64_t> Last{0};
  std::mutex QueueMutex; ///< of the order of points
  std::mutex PointMutex; ///< of what follows
  PendingQueue Waiting;  ///< points with an event, without a gap
  bool Unmarked = false; ///< Last has no event and may not be reached
  std::vector<std::shared_ptr<OwnedEvent>> Idle;
  uint64_t Reached = 0;
  DeferredWork Later;
};

/// Makes the device's context current for a scope and restores what was.
class Current {
public:
  explicit Current(Device &D)
      : D(D),
        Pushed(D.check(D.cu().CtxPushCurrent(D.context()), "cuCtxPushCurrent")),
        Good(Pushed.ok()) {}
  ~Current() {
    Context Was = nullptr;
    if (Good)
      D.cu().CtxPopCurrent(&Was);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  /// To be looked at once.
  Status status() { return std::move(Pushed); }

private:
  Device &D;
  Status Pushed;
  bool Good;
};

} // namespace goldy::rt::cuda

/// Enters the device's context, or returns why that fails.
#define GOLDY_CUDA_ENTER(D)                                                    \
  ::goldy::rt::cuda::Current Entered(D);                                       \
  GOLDY_TRY(Entered.status());                                                 \
  GOLDY_TRY((D).lost())

#endif
