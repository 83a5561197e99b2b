//===- Streams.cpp - Streams and events -----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream is a list of things to do, done one for each question that is asked
// about it, so that callers see work under way.
//
//===----------------------------------------------------------------------===//
#include "State.h"

using namespace fake;

void FakeStream::step() {
  if (Work.empty())
    return;
  std::function<void()> First = std::move(Work.front());
  Work.pop_front();
  First();
}

void FakeStream::finish() {
  while (!Work.empty())
    step();
}

void FakeEvent::ask(FakeStream &S) {
  In = &S;
  ++Pending;
}

void FakeEvent::pass() {
  --Pending;
  AtNs = state().ClockNs += EventNs;
}

static std::vector<FakeStream *> &streams() {
  static std::vector<FakeStream *> Of;
  return Of;
}

void fake::finishStreams(Context Owner) {
  for (FakeStream *S : streams())
    if (S->Alive && S->Owner == Owner)
      S->finish();
}

namespace goldy::rt::cuda {

Result cuStreamCreate(Stream *Out, unsigned Flags) {
  FAKE_CALL(cuStreamCreate, Context, true);
  if (Flags & ~StreamNonBlocking)
    violation("unknown flags");
  streams().push_back(&make<FakeStream>(Out));
  return Success;
}

Result cuStreamQuery(Stream S) {
  FAKE_CALL(cuStreamQuery, Context, true);
  FakeStream &Of = get<FakeStream>(S);
  if (!state().Held)
    Of.step();
  return Of.Work.empty() ? Success : NotReady;
}

Result cuStreamSynchronize(Stream S) {
  FAKE_CALL(cuStreamSynchronize, Context, true);
  get<FakeStream>(S).finish();
  trimPools(currentContext());
  return Success;
}

Result cuStreamDestroy_v2(Stream S) {
  Call C("cuStreamDestroy_v2", Needs::Context, false);
  FakeStream &Gone = get<FakeStream>(S);
  Gone.finish();
  died(Gone);
  return C.result();
}

Result cuEventCreate(Event *Out, unsigned Flags) {
  FAKE_CALL(cuEventCreate, Context, true);
  if (Flags & ~(EventBlockingSync | EventDisableTiming))
    violation("unknown flags");
  make<FakeEvent>(Out).Measures = !(Flags & EventDisableTiming);
  return Success;
}

Result cuEventDestroy_v2(Event E) {
  Call C("cuEventDestroy_v2", Needs::Context, false);
  FakeEvent &Gone = get<FakeEvent>(E);
  if (Gone.Pending && C.result() == Success)
    violation("the stream has not come to it yet");
  died(Gone);
  return C.result();
}

Result cuEventRecord(Event E, Stream S) {
  FAKE_CALL(cuEventRecord, Context, true);
  FakeEvent &Mark = get<FakeEvent>(E);
  FakeStream &In = get<FakeStream>(S);
  Mark.ask(In);
  In.Work.push_back([&Mark] { Mark.pass(); });
  return Success;
}

Result cuEventQuery(Event E) {
  FAKE_CALL(cuEventQuery, Context, true);
  FakeEvent &Mark = get<FakeEvent>(E);
  if (!Mark.In)
    violation("the event was never recorded");
  if (Mark.Pending && !state().Held)
    Mark.In->step();
  return Mark.Pending ? NotReady : Success;
}

Result cuEventSynchronize(Event E) {
  FAKE_CALL(cuEventSynchronize, Context, true);
  FakeEvent &Mark = get<FakeEvent>(E);
  if (!Mark.In)
    violation("the event was never recorded");
  while (Mark.Pending)
    Mark.In->step();
  return Success;
}

/// As the driver does it, in the precision of a float.
Result cuEventElapsedTime(float *Milliseconds, Event Start, Event End) {
  FAKE_CALL(cuEventElapsedTime, Context, true);
  const FakeEvent &From = get<FakeEvent>(Start), &To = get<FakeEvent>(End);
  if (!From.In || !To.In || From.Pending || To.Pending)
    violation("an event that has not come to pass");
  if (!From.Measures || !To.Measures)
    violation("an event that measures no time");
  if (To.AtNs < From.AtNs)
    violation("the end is before the start");
  *Milliseconds = static_cast<float>(double(To.AtNs - From.AtNs) / 1e6);
  return Success;
}

} // namespace goldy::rt::cuda
