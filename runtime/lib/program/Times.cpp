//===- Times.cpp - When a run's parts began and ended ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "program/Times.h"

#include "program/Loaded.h"

using namespace goldy::rt;

void ProgramTimes::clear() {
  Pending.clear();
  PendingOf.clear();
  Spans.clear();
  LeftOut = 0;
}

void ProgramTimes::add(const TimedSpan &S) {
  if (Spans.size() < MostKept)
    Spans.push_back(S);
  else
    ++LeftOut;
}

Status ProgramTimes::fetch(const Started &W) {
  if (W.Prepared == NoIndex) {
    add({W.Step, NoIndex, NoIndex, NoIndex, W.Move});
    return Status();
  }
  const PreparedSubmission &S = L.Submissions[W.Prepared];
  GOLDY_TRY(S.Device->wait(W.Point, UINT64_MAX));
  GOLDY_TRY(S.Device->times(S.Id, W.Point, Fetched));
  const PartTime *Next = Fetched.data();
  uint32_t Step = W.Step;
  for (const SubmitPlan &X : elements(L.Plan.Submits, W.Submits)) {
    for (uint32_t N = X.Names.First; N < X.Names.end(); ++N)
      add({Step, L.Plan.PartNames[N].Part, N, X.Device, *Next++});
    ++Step;
  }
  return Status();
}

Status ProgramTimes::fetchFirst() {
  GOLDY_TRY(fetch(Pending.front()));
  if (uint32_t Prepared = Pending.front().Prepared; Prepared != NoIndex)
    --PendingOf[Prepared];
  Pending.pop_front();
  return Status();
}

Status ProgramTimes::beforeStart(uint32_t Prepared) {
  if (PendingOf.size() <= Prepared)
    PendingOf.resize(L.Submissions.size());
  while (PendingOf[Prepared] >= TimedRunsKept)
    GOLDY_TRY(fetchFirst());
  return Status();
}

void ProgramTimes::started(uint32_t Step, Range Submits, uint32_t Prepared,
                           uint64_t Point) {
  if (!L.Submissions[Prepared].Device->facts().Clock)
    return;
  Pending.push_back({Step, Submits, Prepared, Point, {}});
  ++PendingOf[Prepared];
}

void ProgramTimes::moved(uint32_t Step, PartTime Time) {
  Pending.push_back({Step, {}, NoIndex, 0, Time});
}

Status ProgramTimes::finish() {
  while (!Pending.empty())
    GOLDY_TRY(fetchFirst());
  return Status();
}

const std::string &ProgramTimes::placeOf(const TimedSpan &S) {
  std::string &Text = Places[{S.Step, S.Part}];
  if (Text.empty()) {
    Text = L.Plan.placeOf(S.Step);
    if (S.Part != NoIndex)
      Text += ".parts[" + std::to_string(S.Part) + "]";
  }
  return Text;
}
