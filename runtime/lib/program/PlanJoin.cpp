//===- PlanJoin.cpp - Submissions of a plan, and joined ones --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To start a submission costs a device microseconds, whatever is in it, so
// submit steps that follow one another on a device become one. Nothing between
// them can be seen: no function of the host runs, the host waits for nothing,
// and nobody else uses what they use. A run that wants the points of steps, or
// that is refused at one of them, takes the steps one by one
// (docs/decisions/0038-joined-steps.md).
//
//===----------------------------------------------------------------------===//
#include "program/Planner.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::rt;
using program::Place;

template <class T> static uint32_t sizeOf(const std::vector<T> &List) {
  return static_cast<uint32_t>(List.size());
}

/// A submission without parts is none: it is where its device is.
Status Planner::prepare(uint32_t Device, SubmissionDesc Given,
                        uint32_t &Number) {
  if (Given.Parts.empty())
    return Status();
  if (L.Submissions.size() == L.Submissions.capacity())
    L.Submissions.reserve(2 * L.Submissions.size() + 16);
  SubmissionId Id{};
  GOLDY_TRY(L.Devices[Device]->prepare(std::move(Given), Id));
  Number = sizeOf(L.Submissions);
  L.Submissions.emplace_back(L.Devices[Device], Id);
  return Status();
}

/// Prepares what was described last, and ends its step.
Status Planner::prepareNow(const Place &At) {
  for (size_t C = 0; C < (Now.NamesCopies ? 2 : 1); ++C)
    if (Status S =
            prepare(Now.Device, std::move(Described[C]), Now.Prepared[C]);
        !S.ok())
      return refusedBy(L, Now.Device, LoadRule::PartTaken, At.text(), S);
  if (!Now.NamesCopies)
    Now.Prepared[1] = Now.Prepared[0];
  P.Submits.push_back(Now);
  return Status();
}

static bool calls(const SubmissionDesc &Desc) {
  return std::any_of(Desc.Parts.begin(), Desc.Parts.end(),
                     [](const Part &P) { return P.Kind == PartKind::Call; });
}

/// Whether the step that was described last joins those that wait.
bool Planner::joins() const {
  /// A device begins with the first part when the last one is known.
  constexpr uint32_t MostParts = 1024;
  if (Waiting.empty() || WaitingParts + Now.Parts > MostParts)
    return false;
  const SubmitPlan &First = P.Submits[Waiting[0].Which];
  bool Watched = First.Uses.Count || Now.Uses.Count;
  bool WaitsForInts =
      P.IntsWatch != NoIndex && Now.ReadsInts && !First.ReadsInts;
  return First.Device == Now.Device && !Watched && !WaitsForInts &&
         !calls(Described[0]) && !calls(Waiting[0].Desc[0]);
}

/// Ends the step that was described last; it is prepared with its neighbours.
Status Planner::prepareLater(uint32_t Step) {
  if (!joins())
    GOLDY_TRY(prepareWaiting());
  Waiting.push_back({Step, sizeOf(P.Submits), std::move(Described)});
  WaitingParts += Now.Parts;
  P.Submits.push_back(Now);
  return Status();
}

static void shift(uint32_t &Word, uint32_t By) {
  if (Word != NoIndex)
    Word += By;
}

/// Adds the parts of a submission whose words are those from `Shift` on.
static void append(SubmissionDesc &To, const SubmissionDesc &From,
                   uint32_t Shift) {
  uint32_t FirstPart = sizeOf(To.Parts);
  for (const Part &P : From.Parts) {
    Part &Q = To.Parts.emplace_back(P);
    shift(Q.SrcWord, Shift);
    shift(Q.DstWord, Shift);
    for (uint32_t &Word : Q.GroupWords)
      shift(Word, Shift);
  }
  for (const Slot &S : From.Slots)
    To.Slots.push_back({S.Part + FirstPart, S.Offset, S.Bytes, S.Word + Shift});
  To.Words = Shift + From.Words;
  To.Memories = From.Memories;
  To.Timed = From.Timed;
}

Status Planner::prepareJoined(JoinPlan &J) {
  for (size_t C = 0; C < (J.NamesCopies ? 2 : 1); ++C) {
    SubmissionDesc All;
    All.Parts.reserve(WaitingParts);
    for (const WaitingStep &W : Waiting) {
      const SubmitPlan &S = P.Submits[W.Which];
      append(All, W.Desc[S.NamesCopies ? C : 0], S.Words.First - J.Words.First);
    }
    GOLDY_TRY(prepare(J.Device, std::move(All), J.Prepared[C]));
  }
  if (!J.NamesCopies)
    J.Prepared[1] = J.Prepared[0];
  return Status();
}

Status Planner::prepareSeparately() {
  for (WaitingStep &W : Waiting) {
    SubmitPlan &X = P.Submits[W.Which];
    for (size_t C = 0; C < (X.NamesCopies ? 2 : 1); ++C)
      if (Status S = prepare(X.Device, std::move(W.Desc[C]), X.Prepared[C]);
          !S.ok())
        return refusedBy(L, X.Device, LoadRule::PartTaken, P.placeOf(W.Step),
                         S);
    if (!X.NamesCopies)
      X.Prepared[1] = X.Prepared[0];
  }
  return Status();
}

/// Prepares the steps that wait: as one if they are several. What a device says
/// against one of them is told of that one.
Status Planner::prepareGroup() {
  if (Waiting.size() < 2 || !WaitingParts)
    return prepareSeparately();
  const SubmitPlan &First = P.Submits[Waiting.front().Which],
                   &Last = P.Submits[Waiting.back().Which];
  JoinPlan J;
  J.Device = First.Device;
  J.Submits = {Waiting.front().Which, sizeOf(Waiting)};
  J.Words = {First.Words.First, Last.Words.end() - First.Words.First};
  J.All.Device = J.Device;
  J.All.Words = J.Words;
  J.All.Changing = {First.Changing.First,
                    Last.Changing.end() - First.Changing.First};
  J.All.OneInts = {First.OneInts.First,
                   Last.OneInts.end() - First.OneInts.First};
  for (const WaitingStep &W : Waiting) {
    const SubmitPlan &X = P.Submits[W.Which];
    J.NamesCopies |= X.NamesCopies;
    J.All.ReadsInts |= X.ReadsInts;
    J.All.InputShares.Count += X.InputShares.Count;
    J.Plain &=
        !X.Copies.Count && !X.Grids.Count && !X.Views.Count && !X.Shares.Count;
  }
  if (Status S = prepareJoined(J);
      S.code() == GOLDY_OUT_OF_MEMORY || S.code() == GOLDY_LOST)
    return refusedBy(L, J.Device, LoadRule::PartTaken,
                     P.placeOf(Waiting.front().Step), S);
  else if (!S.ok())
    return prepareSeparately();
  for (WaitingStep &W : Waiting) {
    SubmitPlan &X = P.Submits[W.Which];
    X.Join = sizeOf(P.Joins);
    X.Joined = sizeOf(L.JoinedSteps);
    L.JoinedSteps.push_back({std::move(W.Desc), {NoIndex, NoIndex}});
  }
  P.Joins.push_back(J);
  return Status();
}

Status Planner::prepareWaiting() {
  Status S = prepareGroup();
  Waiting.clear();
  WaitingParts = 0;
  return S;
}
