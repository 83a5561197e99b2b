//===- TimeCases.cpp - Conformance cases: times of runs -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How long something takes is not looked at, what comes before what is.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include "core/Objects.h"

using namespace goldy::cts;
using namespace goldy::rt;

static MemoryUse use(goldy_buffer_t *B, uint64_t Offset, uint64_t Bytes,
                     bool Written) {
  return {B->Memory->Id, Offset, Bytes, Written};
}

/// One run of a timed submission, waited for.
static bool timedRun(Check &C, Driver &D, SubmissionId Id,
                     std::vector<PartTime> &Out, uint64_t &Point) {
  return C.ok(D.run(Id, {}, Point).release(), "run") &&
         C.ok(D.wait(Point, GOLDY_FOREVER).release(), "wait") &&
         C.ok(D.times(Id, Point, Out).release(), "times");
}

// A fill and a copy of what it wrote: one after the other, each with its time;
// the last runs' times stay, an older one's goes.
static void submissionsAreTimed(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(1 << 20), *B = F.buffer(1 << 20);
  if (!F.Good)
    return;
  Driver &D = *C.Device->Driver;
  SubmissionDesc Desc;
  Part Fill, Copy;
  Fill.Kind = PartKind::Fill;
  Fill.Uses = {use(A, 0, 1 << 20, true)};
  Copy.Kind = PartKind::Copy;
  Copy.Uses = {use(A, 0, 1 << 20, false), use(B, 0, 1 << 20, true)};
  Desc.Parts = {Fill, Copy};
  Desc.Timed = true;
  SubmissionId Id{};
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return;
  std::vector<std::pair<uint64_t, std::vector<PartTime>>> Runs(TimedRunsKept +
                                                               1);
  for (auto &[Point, Times] : Runs) {
    if (!timedRun(C, D, Id, Times, Point) ||
        !C.that(Times.size() == 2, "a time for each part"))
      break;
    C.that(Times[0].BeginNs <= Times[0].EndNs &&
               Times[0].EndNs <= Times[1].BeginNs &&
               Times[1].BeginNs <= Times[1].EndNs,
           "the copy begins when the fill has ended");
  }
  std::vector<PartTime> Again;
  for (size_t I = 1; I < Runs.size(); ++I) {
    C.ok(D.times(Id, Runs[I].first, Again).release(), "times of a kept run");
    C.that(Again.size() == 2 && Again[1].EndNs == Runs[I].second[1].EndNs,
           "the same times again");
    C.that(Runs[I - 1].second[1].EndNs <= Again[0].BeginNs,
           "a run begins when the one before it has ended");
  }
  C.refused(D.times(Id, Runs[0].first, Again).release(), GOLDY_INVALID_ARGUMENT,
            "no times of point");
  D.releaseSubmission(Id);
}

static void launchesAreTimed(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *X = F.buffer(4), *Y = F.buffer(4);
  if (!F.Good)
    return;
  goldy_argument_t Args[3] = {view(X, 1), view(Y, 1), word(0)};
  goldy_launch_t *Timed = nullptr, *Plain = nullptr, *Empty = nullptr;
  uint64_t Point = 0;
  goldy_time_span_t Span{1, 1};
  if (C.ok(goldy_launch_create_timed(F.Kernel, Args, 3, {{1, 1, 1}}, &Timed),
           "timed launch") &&
      C.ok(goldy_launch_create_timed(F.Kernel, Args, 3, {{0, 1, 1}}, &Empty),
           "empty launch") &&
      C.ok(goldy_launch_create(F.Kernel, Args, 3, {{1, 1, 1}}, &Plain),
           "launch")) {
    C.ok(goldy_launch_submit(Empty, &Point), "submit");
    C.ok(goldy_launch_time(Empty, Point, &Span), "time of nothing");
    C.that(Span.begin_ns == 0 && Span.end_ns == 0, "nothing takes no time");
    C.ok(goldy_launch_submit(Timed, &Point), "submit");
    C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
    C.ok(goldy_launch_time(Timed, Point, &Span), "time");
    C.that(Span.begin_ns <= Span.end_ns, "the end is not before the begin");
    C.refused(goldy_launch_time(Timed, Point + 1, &Span),
              GOLDY_INVALID_ARGUMENT, "no times of point");
    C.refused(goldy_launch_time(Plain, Point, &Span), GOLDY_INVALID_ARGUMENT,
              "not timed");
  }
  goldy_launch_destroy(Timed);
  goldy_launch_destroy(Plain);
  goldy_launch_destroy(Empty);
}

std::vector<Case> goldy::cts::timeCases() {
  return {{"submissions-are-timed", submissionsAreTimed},
          {"launches-are-timed", launchesAreTimed}};
}
