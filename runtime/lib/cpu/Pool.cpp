//===- Pool.cpp - Threads that share ranges of work -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A job lives on its caller's stack: workers join it under the mutex while it
// is listed, and the caller leaves only after unlisting it and seeing the last
// helper gone.
//
//===----------------------------------------------------------------------===//
#include "cpu/Pool.h"

#include "cpu/Ticks.h"

#include <chrono>
#include <exception>
#include <immintrin.h>

using namespace goldy::rt;

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> Guard(Mutex);
    Stop = true;
  }
  Wake.notify_all();
  for (std::thread &W : Workers)
    W.join();
}

void Pool::start() {
  try {
    Workers.reserve(Threads - 1);
    while (Workers.size() + 1 < Threads)
      Workers.emplace_back([this] { work(); });
  } catch (const std::exception &) {
    // The system gives no more threads or memory: those there are do the work.
  }
}

void Pool::list(Job &J) {
  std::lock_guard<std::mutex> Guard(Mutex);
  J.Before = Newest;
  (Newest ? Newest->After : Oldest) = &J;
  Newest = &J;
  Listed.fetch_add(1, std::memory_order_release);
}

void Pool::unlist(Job &J) {
  std::lock_guard<std::mutex> Guard(Mutex);
  (J.Before ? J.Before->After : Oldest) = J.After;
  (J.After ? J.After->Before : Newest) = J.Before;
}

Pool::Job *Pool::openJob() {
  for (Job *J = Oldest; J; J = J->After)
    if (J->Active.load(std::memory_order_relaxed) < J->MaxHelpers &&
        !J->Source.empty())
      return J;
  return nullptr;
}

static constexpr float LookNs = 50000;

bool Pool::manyShort(float Ns) {
  uint64_t Now = ticks();
  uint64_t Before = LastShort.exchange(Now, std::memory_order_relaxed);
  float Sum = ShortNs.load(std::memory_order_relaxed);
  float Since = static_cast<float>(Now - Before) / ticksPerNs();
  bool Follows = Now > Before && Since < LookNs + Ns;
  Sum = (Follows ? Sum : 0) + Ns;
  bool Many = Sum > 2 * LookNs;
  ShortNs.store(Many ? 0 : Sum, std::memory_order_relaxed);
  return Many;
}

/// For a short while, without the mutex.
Pool::Job *Pool::lookForJob(Lock &Guard) {
  uint64_t Seen = Listed.load(std::memory_order_relaxed);
  uint64_t Start = ticks();
  Job *J = nullptr;
  Looking.fetch_add(1, std::memory_order_relaxed);
  while (!J && !Stop) {
    Guard.unlock();
    while (Listed.load(std::memory_order_acquire) == Seen &&
           nsSince(Start) < LookNs)
      for (int I = 0; I < 4; ++I)
        _mm_pause();
    Guard.lock();
    uint64_t Now = Listed.load(std::memory_order_relaxed);
    if (Now == Seen)
      break;
    Seen = Now;
    J = openJob();
  }
  Looking.fetch_sub(1, std::memory_order_relaxed);
  return J;
}

void Pool::help(Job &J, Lock &Guard) {
  J.Active.fetch_add(1, std::memory_order_relaxed);
  Guard.unlock();
  J.Run(J.Context, J.Source);
  Guard.lock();
  if (!J.Source.empty())
    J.MaxHelpers = 0; // this thread cannot help, nor can others like it
  // After the last decrement the caller may destroy the job.
  if (J.Active.fetch_sub(1, std::memory_order_release) == 1)
    Done.notify_all();
}

/// One that is woken and comes too late looks too: more may come.
void Pool::work() {
  Lock Guard(Mutex);
  while (!Stop) {
    Job *J = openJob();
    if (!J)
      J = lookForJob(Guard);
    if (J)
      help(*J, Guard);
    else if (!Stop)
      Wake.wait(Guard);
  }
}

void Pool::waitForHelpers(Job &J) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds Patience(20);
  Clock::time_point Until = Clock::now() + Patience;
  while (J.Active.load(std::memory_order_acquire) != 0 && Clock::now() < Until)
    for (int I = 0; I < 16; ++I)
      _mm_pause();
  if (J.Active.load(std::memory_order_acquire) == 0)
    return;
  Lock Guard(Mutex);
  Done.wait(Guard,
            [&] { return J.Active.load(std::memory_order_acquire) == 0; });
}

void Pool::run(RangeSource &Source, Body Run, void *Context) {
  uint64_t Chunks = Source.chunks();
  unsigned Helpers = static_cast<unsigned>(
      std::min<uint64_t>(Threads - 1, Chunks ? Chunks - 1 : 0));
  if (Helpers == 0)
    return Run(Context, Source);
  std::call_once(Started, [this] { start(); });
  Job J{Source, Run, Context, Helpers};
  list(J);
  // Workers that look see it; one that gives up looks once more first.
  for (unsigned I = Looking.load(std::memory_order_relaxed); I < Helpers; ++I)
    Wake.notify_one();
  Run(Context, Source);
  unlist(J);
  waitForHelpers(J);
}
