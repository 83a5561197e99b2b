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

#include <chrono>
#include <exception>
#include <immintrin.h>

using namespace goldy::rt;

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
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

Pool::Job *Pool::openJob() {
  for (Job *J : Jobs)
    if (J->Active.load(std::memory_order_relaxed) < J->MaxHelpers &&
        !J->Source.empty())
      return J;
  return nullptr;
}

void Pool::work() {
  std::unique_lock<std::mutex> Lock(Mutex);
  for (;;) {
    Job *J = nullptr;
    Wake.wait(Lock, [&] { return Stop || (J = openJob()); });
    if (Stop)
      return;
    J->Active.fetch_add(1, std::memory_order_relaxed);
    Lock.unlock();
    J->Run(J->Context, J->Source);
    Lock.lock();
    if (!J->Source.empty())
      J->MaxHelpers = 0; // this thread cannot help, nor can others like it
    // After the last decrement the caller may destroy the job.
    if (J->Active.fetch_sub(1, std::memory_order_release) == 1)
      Done.notify_all();
  }
}

void Pool::waitForHelpers(Job &J) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds Patience(20);
  Clock::time_point Until = Clock::now() + Patience;
  while (J.Active.load(std::memory_order_acquire) != 0 && Clock::now() < Until)
    for (int I = 0; I < 16; ++I)
      _mm_pause();
  std::unique_lock<std::mutex> Lock(Mutex);
  Done.wait(Lock,
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
  std::list<Job *>::iterator Listed;
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Listed = Jobs.insert(Jobs.end(), &J);
  }
  for (unsigned I = 0; I < Helpers; ++I)
    Wake.notify_one();
  Run(Context, Source);
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    Jobs.erase(Listed);
  }
  waitForHelpers(J);
}
