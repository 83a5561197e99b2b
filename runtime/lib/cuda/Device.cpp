//===- Device.cpp - An open CUDA device: context, stream, points ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The primary context is the one that the CUDA runtime and other libraries of
// the process use, so that memory can be shared with them; it is only retained
// here, and its flags are left as they are.
//
//===----------------------------------------------------------------------===//
#include "cuda/Device.h"

#include "core/RunTimes.h"
#include "cuda/Result.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

Status Device::open(std::shared_ptr<const Api> Cu, PhysicalDevice Physical,
                    std::unique_ptr<Device> &Out) {
  std::unique_ptr<Device> D(new Device(std::move(Cu), std::move(Physical)));
  GOLDY_TRY(D->create());
  Out = std::move(D);
  return Status();
}

Status Device::create() {
  constexpr size_t MostIdle = 256;
  Idle.reserve(MostIdle); // giving back must not need memory
  Context Retained = nullptr;
  GOLDY_TRY(check(cu().PrimaryCtxRetain(&Retained, Physical.Handle),
                  "cuDevicePrimaryCtxRetain"));
  Primary = Retained;
  GOLDY_CUDA_ENTER(*this);
  return check(cu().StreamCreate(&Queue, StreamNonBlocking), "cuStreamCreate");
}

Device::~Device() {
  if (!Primary)
    return;
  {
    Current Entered(*this);
    drain();
    Waiting.clear();
    Idle.clear();
    if (Queue)
      cu().StreamDestroy(Queue);
  }
  cu().PrimaryCtxRelease(Physical.Handle);
}

OwnedEvent::~OwnedEvent() {
  if (Handle)
    Cu.EventDestroy(Handle);
}

Status Device::check(Result R, const char *Call) noexcept {
  if (!losesDevice(R))
    return fromResult(R, Call);
  std::lock_guard<std::mutex> Lock(LostMutex);
  if (!Lost) {
    LostResult = R;
    LostCall = Call;
    Lost = true;
  }
  return fromResult(LostResult, LostCall);
}

Status Device::lost() const noexcept {
  if (!Lost)
    return Status();
  std::lock_guard<std::mutex> Lock(LostMutex);
  return fromResult(LostResult, LostCall);
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Status Device::takeEvent(std::shared_ptr<OwnedEvent> &Out) {
  {
    std::lock_guard<std::mutex> Lock(PointMutex);
    if (!Idle.empty()) {
      Out = std::move(Idle.back());
      Idle.pop_back();
      return Status();
    }
  }
  Out = std::make_shared<OwnedEvent>(*Table);
  return check(
      cu().EventCreate(&Out->Handle, EventDisableTiming | EventBlockingSync),
      "cuEventCreate");
}

/// Puts an event behind the last point. Holds QueueMutex.
Status Device::markLast() {
  {
    std::lock_guard<std::mutex> Lock(PointMutex);
    if (!Unmarked)
      return Status();
  }
  std::shared_ptr<OwnedEvent> Done;
  GOLDY_TRY(takeEvent(Done));
  std::lock_guard<std::mutex> Lock(PointMutex);
  if (!Unmarked) { // somebody has seen it reached meanwhile
    giveBack(std::move(Done));
    return Status();
  }
  // The place before the record: an event on its way is not let go.
  Waiting.push_back({Last, Done});
  Status S = check(cu().EventRecord(Done->Handle, Queue), "cuEventRecord");
  if (S.ok())
    Unmarked = false;
  else
    Waiting.pop_back();
  return S;
}

/// Without taking memory. Holds PointMutex.
void Device::giveBack(std::shared_ptr<OwnedEvent> Done) {
  if (Idle.size() < Idle.capacity())
    Idle.push_back(std::move(Done));
}

Status Device::mark() {
  std::lock_guard<std::mutex> Lock(QueueMutex);
  return markLast();
}

Status Device::submit(const std::function<Status()> &Start, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(QueueMutex);
  GOLDY_TRY(lost());
  GOLDY_TRY(markLast());
  GOLDY_TRY(Start());
  std::lock_guard<std::mutex> PointLock(PointMutex);
  Point = ++Last;
  Unmarked = true;
  return Status();
}

uint64_t Device::reached() {
  std::lock_guard<std::mutex> Lock(PointMutex);
  while (!Waiting.empty()) {
    Pending &First = Waiting.front();
    Result R = cu().EventQuery(First.Done->Handle);
    if (R != Success) {
      if (R != NotReady)
        (void)check(R, "cuEventQuery");
      return Reached;
    }
    Reached = std::max(Reached, First.Point);
    // A waiter may still hold the event.
    if (First.Done.use_count() == 1)
      giveBack(std::move(First.Done));
    Waiting.pop_front();
  }
  if (Unmarked)
    if (Result R = askStream(); R != Success && R != NotReady)
      (void)check(R, "cuStreamQuery");
  return Reached;
}

/// Whether the stream is at its end, and so past all points. Holds PointMutex.
Result Device::askStream() {
  Result R = cu().StreamQuery(Queue);
  if (R != Success)
    return R;
  for (; !Waiting.empty(); Waiting.pop_front())
    if (Waiting.front().Done.use_count() == 1)
      giveBack(std::move(Waiting.front().Done));
  Reached = Last;
  Unmarked = false;
  return Success;
}

/// Null if the point has none. Holds PointMutex.
std::shared_ptr<OwnedEvent> Device::eventOf(uint64_t Point) const {
  if (Waiting.empty() || Point < Waiting.front().Point ||
      Point > Waiting.back().Point)
    return nullptr;
  return Waiting[Point - Waiting.front().Point].Done;
}

/// Whether `Point` is reached; `Call` is what was asked.
Result Device::ask(uint64_t Point, const char *&Call) {
  std::unique_lock<std::mutex> Lock(PointMutex);
  std::shared_ptr<OwnedEvent> Done = eventOf(Point);
  if (!Done && (!Unmarked || Point < Last))
    return Success;
  Call = Done ? "cuEventQuery" : "cuStreamQuery";
  if (!Done)
    return askStream();
  Lock.unlock();
  return cu().EventQuery(Done->Handle);
}

/// Sleeps until the event of `Point`, if it has one.
Status Device::sleep(uint64_t Point) {
  std::unique_lock<std::mutex> Lock(PointMutex);
  std::shared_ptr<OwnedEvent> Done = eventOf(Point);
  Lock.unlock();
  return Done ? check(cu().EventSynchronize(Done->Handle), "cuEventSynchronize")
              : Status();
}

/// Asks at first without a pause, then letting others run, then in intervals
/// that are a small share of what was waited for already: a thread that sleeps
/// in the driver wakes up to 300 µs late, which is nothing only after a while.
Status Device::poll(uint64_t Point, uint64_t TimeoutNs) {
  constexpr uint64_t BusyNs = 100000, AwakeNs = 2000000, PatientNs = 100000000;
  constexpr uint64_t Share = 64, LongestPauseNs = 1000000;
  uint64_t Start = steadyNs();
  for (;;) {
    const char *Call = "";
    Result R = ask(Point, Call);
    if (R != NotReady)
      return check(R, Call);
    uint64_t Spent = steadyNs() - Start;
    if (TimeoutNs != UINT64_MAX && Spent >= TimeoutNs)
      return notReached(Call, Point, TimeoutNs);
    if (Spent < BusyNs)
      continue;
    // What others put into the stream from here on is not waited for.
    GOLDY_TRY(mark());
    if (Spent < AwakeNs)
      std::this_thread::yield();
    else if (TimeoutNs != UINT64_MAX || Spent < PatientNs)
      std::this_thread::sleep_for(std::chrono::nanoseconds(
          std::min({Spent / Share, LongestPauseNs, TimeoutNs - Spent})));
    else
      GOLDY_TRY(sleep(Point));
  }
}

Status Device::wait(uint64_t Point, uint64_t TimeoutNs) {
  GOLDY_TRY(poll(Point, TimeoutNs));
  collect();
  return lost();
}

//===----------------------------------------------------------------------===//
// Later
//===----------------------------------------------------------------------===//

/// Without memory to keep the action the work before it is waited for.
void Device::defer(Action Body) {
  uint64_t Point = lastPoint();
  if (Point > reached() && !Lost) {
    if (Later.add(Point, Body))
      return;
    (void)check(cu().StreamSynchronize(Queue), "cuStreamSynchronize");
  }
  Body();
}

void Device::collect() { Later.run(reached()); }

void Device::drain() {
  // A lost device has nothing left to wait for.
  if (Queue)
    (void)check(cu().StreamSynchronize(Queue), "cuStreamSynchronize");
  Later.run(UINT64_MAX);
}
