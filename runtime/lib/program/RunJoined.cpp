//===- RunJoined.cpp - Submit steps that were prepared as one -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run sees no difference to steps that are started one by one: where one of
// them is refused, those before it are started as they would have been.
//
//===----------------------------------------------------------------------===//
#include "program/Run.h"

using namespace goldy;
using namespace goldy::rt;

/// The first run that needs it prepares the step; the description stays for the
/// other copy.
Status Runner::prepareSeparate(const SubmitPlan &X, uint32_t &Number) {
  JoinedStep &J = L.JoinedSteps[X.Joined];
  size_t C = X.NamesCopies ? Copy : 0;
  Number = J.Prepared[C];
  if (Number != NoIndex || J.Desc[C].Parts.empty())
    return Status();
  if (L.Submissions.size() == L.Submissions.capacity())
    L.Submissions.reserve(2 * L.Submissions.size() + 16);
  const std::shared_ptr<Driver> &Device = L.Devices[X.Device];
  SubmissionId Id{};
  GOLDY_TRY(Device->prepare(SubmissionDesc(J.Desc[C]), Id));
  Number = J.Prepared[C] = static_cast<uint32_t>(L.Submissions.size());
  L.Submissions.emplace_back(Device, Id);
  return Status();
}

/// Starts the first `Count` of them, whose words are there.
Status Runner::startSeparately(uint32_t Step, const JoinPlan &X,
                               uint32_t Count) {
  for (uint32_t I = 0; I < Count; ++I) {
    const SubmitPlan &One = P.Submits[X.Submits.First + I];
    uint64_t Point = 0;
    GOLDY_TRY(start(Step + I, One, Point));
    note(One, Point);
  }
  return Status();
}

/// The words of all, if nothing else is to be looked at. False: they are to be
/// evaluated step by step, which tells what is wrong with which.
bool Runner::evaluateAll(uint32_t Step, const JoinPlan &X) {
  bool LooksAtInputs = X.All.InputShares.Count || P.WatchesInputs;
  if (!X.Plain || (LooksAtInputs && !S.Distinct))
    return false;
  if (X.All.ReadsInts && !waitInts().ok())
    return false;
  uint64_t &Evaluated = S.EvaluatedJoins[P.Submits[X.Submits.First].Join];
  return freshWords(Step, Evaluated, X.All).ok();
}

Status Runner::joined(uint32_t Step, const JoinPlan &X) {
  if (evaluateAll(Step, X))
    return startJoined(Step, X);
  for (uint32_t I = 0; I < X.Submits.Count; ++I) {
    Status R = evaluate(Step + I, X.Submits.First + I);
    if (R.ok())
      continue;
    GOLDY_TRY(startSeparately(Step, X, I));
    return R;
  }
  return startJoined(Step, X);
}

Status Runner::startJoined(uint32_t Step, const JoinPlan &X) {
  uint32_t FailedPart = NoIndex;
  RunInput Input{std::span(S.Table).subspan(X.Words.First, X.Words.Count),
                 S.InputMemories[X.Device], &FailedPart};
  uint64_t Point = 0;
  Status R = run(Step, X.Submits, X.Prepared[Copy], Input, Point);
  if (R.code() == GOLDY_FINDINGS) { // the work is done
    GOLDY_TRY(putAside(joinedFailed(Step, X, FailedPart, R)));
    R = Status();
  }
  if (R.ok())
    noteEnd(X.Device, X.NamesCopies, Point);
  else if (FailedPart != NoIndex)
    return joinedFailed(Step, X, FailedPart, R);
  else
    return startSeparately(Step, X, X.Submits.Count);
  return Status();
}

/// The device did the parts before `Part` within the call.
Status Runner::joinedFailed(uint32_t Step, const JoinPlan &X, uint32_t Part,
                            const Status &Why) {
  for (const SubmitPlan &One : elements(P.Submits, X.Submits)) {
    if (Part < One.Parts)
      return failed(Step, X.Device, Why, One.OwnParts ? Part : NoIndex);
    note(One, L.Devices[X.Device]->lastPoint());
    Part -= One.Parts;
    ++Step;
  }
  return failed(Step, X.Device, Why);
}
