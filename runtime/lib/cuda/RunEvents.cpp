//===- RunEvents.cpp - Events of a submission's last runs -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/RunEvents.h"

#include <algorithm>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

Status RunEvents::make(Device &D, size_t Parts) {
  if (Start)
    return Status();
  std::vector<std::unique_ptr<OwnedEvent>> New;
  for (size_t N = 0; N < 2 * Parts + 1; ++N) {
    New.push_back(std::make_unique<OwnedEvent>(D.cu()));
    GOLDY_TRY(makeTimedEvent(D, *New.back()));
  }
  Start = std::move(New.back());
  New.pop_back();
  Stamps = std::move(New);
  return Status();
}

Status RunEvents::read(Device &D, std::vector<PartTime> &Out) const {
  uint64_t Begin = 0;
  GOLDY_TRY(spanNs(D, Base->At, *Start, Begin));
  Begin += Base->HostNs;
  std::vector<PartTime> Times(Stamps.size() / 2);
  for (size_t N = 0; N < Times.size(); ++N) {
    PartTime &T = Times[N];
    GOLDY_TRY(spanNs(D, *Start, *Stamps[2 * N], T.BeginNs));
    GOLDY_TRY(spanNs(D, *Start, *Stamps[2 * N + 1], T.EndNs));
    T = {Begin + T.BeginNs, Begin + std::max(T.BeginNs, T.EndNs)};
  }
  Out = std::move(Times);
  return Status();
}

const RunEvents *RunRing::find(uint64_t Point) const {
  for (const RunEvents &R : Runs)
    if (Point && R.Point == Point)
      return &R;
  return nullptr;
}
