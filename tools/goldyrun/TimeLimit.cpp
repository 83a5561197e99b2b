//===- TimeLimit.cpp - Work that may take too long ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TimeLimit.h"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

using namespace goldyrun;

namespace {
std::atomic<bool> IsBehind{false};

/// Shared with the thread, which may outlive the caller's interest.
struct Progress {
  std::mutex Mutex;
  std::condition_variable Changed;
  bool Done = false;
  std::exception_ptr Thrown;
};
} // namespace

static void work(Progress &P, const std::function<void()> &Work) {
  std::exception_ptr Thrown;
  try {
    Work();
  } catch (...) {
    Thrown = std::current_exception();
  }
  std::lock_guard<std::mutex> Lock(P.Mutex);
  P.Thrown = Thrown;
  P.Done = true;
  P.Changed.notify_all();
}

bool goldyrun::finishesWithin(Seconds Most, std::function<void()> Work) {
  constexpr std::chrono::milliseconds Grace(200);
  std::shared_ptr<Progress> P = std::make_shared<Progress>();
  std::thread Worker([P, Work = std::move(Work)] { work(*P, Work); });
  std::unique_lock<std::mutex> Lock(P->Mutex);
  bool Done = P->Changed.wait_for(Lock, Most + Grace, [&] { return P->Done; });
  Lock.unlock();
  if (!Done) {
    Worker.detach();
    leaveBehind();
    return false;
  }
  Worker.join();
  if (P->Thrown)
    std::rethrow_exception(P->Thrown);
  return true;
}

void goldyrun::leaveBehind() { IsBehind = true; }

int goldyrun::leave(int Code) {
  if (IsBehind) {
    std::fflush(nullptr);
    std::_Exit(Code);
  }
  return Code;
}
