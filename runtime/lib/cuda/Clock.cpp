//===- Clock.cpp - The device's clock on the host's -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/Clock.h"

#include <cmath>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

Status cuda::spanNs(Device &D, const OwnedEvent &From, const OwnedEvent &To,
                    uint64_t &Out) {
  float Milliseconds = 0;
  GOLDY_TRY(
      D.check(D.cu().EventElapsedTime(&Milliseconds, From.Handle, To.Handle),
              "cuEventElapsedTime"));
  double Ns = std::round(static_cast<double>(Milliseconds) * 1e6);
  Out = Ns > 0 ? static_cast<uint64_t>(Ns) : 0;
  return Status();
}

Status cuda::makeTimedEvent(Device &D, OwnedEvent &E) {
  if (E.Handle)
    return Status();
  return D.check(D.cu().EventCreate(&E.Handle, 0), "cuEventCreate");
}

Clock::~Clock() {
  Last.reset();
  if (Beside)
    D.cu().StreamDestroy(Beside);
}

Status Clock::open() {
  if (Beside)
    return Status();
  return D.check(D.cu().StreamCreate(&Beside, StreamNonBlocking),
                 "cuStreamCreate");
}

/// Returns when `E` is done, or is not on its way.
Status Clock::mark(const OwnedEvent &E) {
  GOLDY_TRY(D.check(D.cu().EventRecord(E.Handle, Beside), "cuEventRecord"));
  Status S = D.check(D.cu().EventSynchronize(E.Handle), "cuEventSynchronize");
  if (!S.ok())
    (void)D.check(D.cu().StreamSynchronize(Beside), "cuStreamSynchronize");
  return S;
}

Status Clock::base(std::shared_ptr<const Base> &Out) {
  constexpr int64_t Second = 1000000000, MostToFollow = 10 * Second;
  std::lock_guard<std::mutex> Lock(Mutex);
  int64_t Age = Last ? static_cast<int64_t>(Now() - Last->HostNs) : INT64_MAX;
  if (Age >= Second) {
    GOLDY_TRY(open());
    std::shared_ptr<Base> New = std::make_shared<Base>(D.cu());
    GOLDY_TRY(makeTimedEvent(D, New->At));
    GOLDY_TRY(Age < MostToFollow ? follow(*New) : look(*New));
    Last = std::move(New);
  }
  Out = Last;
  return Status();
}

/// Of several looks the one with the least between its two times stays.
Status Clock::look(Base &B) {
  constexpr int Looks = 8;
  OwnedEvent Other(D.cu());
  GOLDY_TRY(makeTimedEvent(D, Other));
  uint64_t Least = UINT64_MAX;
  for (int N = 0; N < Looks; ++N) {
    uint64_t Before = Now();
    GOLDY_TRY(mark(Other));
    uint64_t Half = (Now() - Before) / 2;
    if (Half >= Least)
      continue;
    Least = Half;
    B.HostNs = Before + Half;
    std::swap(B.At.Handle, Other.Handle);
  }
  return Status();
}

Status Clock::follow(Base &B) {
  uint64_t Since = 0;
  GOLDY_TRY(mark(B.At));
  GOLDY_TRY(spanNs(D, Last->At, B.At, Since));
  B.HostNs = Last->HostNs + Since;
  return Status();
}
