//===- Run.cpp - The steps of a run ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of one device takes effect in the order in which it is started. Between
// devices, and before the host reads or writes what work uses, the host waits
// for the last point that matters.
//
//===----------------------------------------------------------------------===//
#include "program/Run.h"

#include "core/RunTimes.h"
#include "cpu/Findings.h"
#include "cpu/Undetermined.h"
#include "program/Derived.h"

#include <algorithm>
#include <cstring>

using namespace goldy;
using namespace goldy::rt;

//===-- Places and failures -----------------------------------------------===//

std::string Runner::place(uint32_t Step, uint32_t Part) const {
  std::string Text = P.placeOf(Step);
  return Part == NoIndex ? Text : Text + ".parts[" + std::to_string(Part) + "]";
}

std::string Runner::place(uint32_t Step, uint32_t Part, uint32_t Device) const {
  return onDevice(place(Step, Part), L.deviceName(Device));
}

Status Runner::failed(uint32_t Step, uint32_t Device, const Status &Why,
                      uint32_t Part) const {
  std::string Where = Step == NoIndex ? "device `" + L.deviceName(Device) + "`"
                                      : place(Step, Part, Device);
  return broken(Why.code() == GOLDY_LOST ? LoadRule::RunLost
                                         : LoadRule::WorkFailed,
                Where, Why);
}

//===-- Waits -------------------------------------------------------------===//

Status Runner::wait(uint32_t Device, uint64_t Point) {
  if (Point <= S.Reached[Device])
    return Status();
  GOLDY_TRY(L.Devices[Device]->wait(Point, GOLDY_FOREVER));
  S.Reached[Device] = Point;
  return Status();
}

/// One point a device, from `First` on in `Points`.
Status Runner::waitAll(const std::vector<uint64_t> &Points, size_t First) {
  for (uint32_t D = 0; D < L.Devices.size(); ++D)
    if (Status W = wait(D, Points[First + D]); !W.ok())
      return failed(NoIndex, D, W);
  return Status();
}

/// Where two inputs may be one buffer, work that names one uses the other:
/// all work that was started.
Status Runner::waitAliased(uint32_t But) {
  for (uint32_t D = 0; D < L.Devices.size() && !S.Distinct; ++D)
    if (D != But)
      if (Status W = wait(D, S.Last[D]); !W.ok())
        return failed(NoIndex, D, W);
  return Status();
}

Status Runner::waitFor(uint32_t Watch, bool Writes, uint32_t But) {
  if (P.Watches[Watch].Input != NoIndex)
    GOLDY_TRY(waitAliased(But));
  size_t Count = L.Devices.size();
  const std::vector<uint64_t> &Points =
      (Writes ? S.Used : S.Wrote)[copyOf(Watch)];
  for (uint32_t D = 0; D < Count; ++D)
    if (D != But)
      if (Status W = wait(D, Points[Watch * Count + D]); !W.ok())
        return failed(NoIndex, D, W);
  return Status();
}

//===-- The run -----------------------------------------------------------===//

namespace {
/// The run's thread, while it runs.
class Running {
public:
  explicit Running(RunState &S) : S(S) {
    S.Running = std::this_thread::get_id();
  }
  ~Running() { S.Running = std::thread::id(); }

private:
  RunState &S;
};
} // namespace

Status Runner::run() {
  if (S.Running.load() == std::this_thread::get_id())
    return broken(LoadRule::OwnRun, "", "this thread runs the program");
  std::lock_guard<std::mutex> Lock(S.Mutex);
  Running Mark(S);
  return locked();
}

Status Runner::locked() {
  GOLDY_TRY(checkFrame());
  GOLDY_TRY(waitBefore());
  GOLDY_TRY(checkLengths());
  Status Result = takeInputs();
  if (Result.ok()) {
    start();
    Result = steps(0, static_cast<uint32_t>(P.Steps.size()));
    tellEnds();
    if (Result.ok())
      Result = std::move(Found);
  }
  returnInputs();
  return Result;
}

void Runner::tellEnds() {
  for (uint32_t D = 0; D < L.Devices.size(); ++D)
    if (S.Ends[D]) {
      if (Request.Ends)
        Request.Ends[Request.EndCount] = {D, S.Ends[D]};
      ++Request.EndCount;
    }
}

Status Runner::steps(uint32_t First, uint32_t End) {
  for (uint32_t I = First, Next = 0; I < End; I = Next) {
    const StepPlan &X = P.Steps[I];
    Next = X.Next;
    switch (X.Kind) {
    case StepKind::Submit:
      if (const SubmitPlan &S = P.Submits[X.Which]; isJoined(S)) {
        const JoinPlan &J = P.Joins[S.Join];
        GOLDY_TRY(joined(I, J));
        Next = I + J.Submits.Count;
        break;
      }
      GOLDY_TRY(submit(I, X.Which));
      break;
    case StepKind::Stage:
      GOLDY_TRY(stage(I, P.Stages[X.Which]));
      break;
    case StepKind::Loop:
      GOLDY_TRY(loop(I, P.Loops[X.Which]));
      break;
    }
  }
  return Status();
}

//===-- Loops -------------------------------------------------------------===//

Status Runner::loop(uint32_t Step, const LoopPlan &X) {
  if (X.Trips.isInt())
    GOLDY_TRY(waitInts());
  Number Trips = number(X.Trips);
  for (Number T = 0; T < Trips; ++T) {
    bool Goes = true;
    GOLDY_TRY(flag(Step, X, Goes));
    if (!Goes)
      break;
    if (X.Trip != NoIndex) {
      if (P.IntsWatch != NoIndex)
        GOLDY_TRY(waitFor(P.IntsWatch, true));
      Ints[X.Trip] = static_cast<uint64_t>(T);
    }
    GOLDY_TRY(derived(Step, X));
    GOLDY_TRY(steps(Step + 1, P.Steps[Step].Next));
  }
  return Status();
}

/// Each sees those before it.
Status Runner::derived(uint32_t Step, const LoopPlan &X) {
  if (!X.Derived.empty() && P.IntsWatch != NoIndex)
    GOLDY_TRY(waitFor(P.IntsWatch, true));
  std::span<const uint64_t> All(Ints, L.Ints);
  for (size_t I = 0; I < X.Derived.size(); ++I) {
    const program::DerivedInt &D = X.Derived[I];
    program::Evaluation E = program::evaluate(D, All);
    if (!E.ok())
      return broken(LoadRule::RunDerived,
                    place(Step) + ".derived[" + std::to_string(I) + "]",
                    program::evaluationError(D, E, All));
    Ints[D.Word] = E.Value;
  }
  return Status();
}

Status Runner::flag(uint32_t Step, const LoopPlan &X, bool &Goes) {
  if (X.FlagWatch == NoIndex)
    return Status();
  if (X.FlagAt >= bytesOf(X.Flag))
    return broken(LoadRule::RunFlag, place(Step) + ".flag",
                  "byte " + std::to_string(X.FlagAt) + " of " +
                      std::to_string(bytesOf(X.Flag)));
  GOLDY_TRY(waitFor(X.FlagWatch, false));
  determinedFlag(Step, X);
  std::byte Flag{};
  GOLDY_TRY(readBytes(X.Flag, X.FlagAt, std::span(&Flag, 1)));
  Goes = Flag != std::byte();
  return Status();
}

/// A flag that holds nothing yet is a finding of --sanitize=uninit.
void Runner::determinedFlag(uint32_t Step, const LoopPlan &X) {
  Undetermined &U = Undetermined::memory();
  if (!U.any())
    return;
  uint64_t Address = hostAddress(X.Flag, X.FlagAt);
  Undetermined::Stretch Since = U.find(Address, Address ? 1 : 0);
  if (!Since)
    return;
  std::string Text =
      place(Step) + ".flag: the flag of the loop is undetermined";
  uint32_t Device = 0;
  if (X.Flag.Input == NoIndex && L.Memories[X.Flag.Memory].Device != NoIndex)
    Device = L.Memories[X.Flag.Memory].Device;
  L.Devices[Device]->tellFinding(
      Findings::withNote("error: " + Text, *Since.Where));
  U.clear(Address, 1);                          // told once
  (void)putAside(Status(GOLDY_FINDINGS, Text)); // findings wait for the end
}

//===-- Submissions -------------------------------------------------------===//

/// Evaluates the words; those of inputs alone only if an address is another.
Status Runner::freshWords(uint32_t Step, uint64_t &Evaluated,
                          const SubmitPlan &X) {
  if (Evaluated != S.InputVersion) {
    GOLDY_TRY(words(Step, X.Device, X.Words));
    Evaluated = S.InputVersion;
    return Status();
  }
  for (const OneIntWord &W : elements(P.OneInts, X.OneInts))
    if (!oneInt(W)) // told in the order of the words
      return words(Step, X.Device, X.Words);
  for (uint32_t I : elements(P.Changing, X.Changing))
    GOLDY_TRY(word(Step, X.Device, I));
  return Status();
}

/// The words of a step, and what they must keep; waits for what the step uses.
Status Runner::evaluate(uint32_t Step, uint32_t Which) {
  const SubmitPlan &X = P.Submits[Which];
  if (X.ReadsInts)
    GOLDY_TRY(waitInts());
  GOLDY_TRY(freshWords(Step, S.Evaluated[Which], X));
  for (const CopyCheck &C : elements(P.Copies, X.Copies))
    GOLDY_TRY(copy(Step, X.Words.First, C));
  for (const GridCheck &G : elements(P.Grids, X.Grids))
    GOLDY_TRY(grid(Step, X, G));
  for (const ViewCheck &V : elements(P.Views, X.Views))
    GOLDY_TRY(view(Step, X, V));
  for (const ShareCheck &C : elements(P.Shares, X.Shares))
    GOLDY_TRY(share(Step, X, C));
  if (!S.Distinct)
    for (const ShareCheck &C : elements(P.InputShares, X.InputShares))
      GOLDY_TRY(share(Step, X, C));
  for (const WatchedUse &U : elements(P.Uses, X.Uses))
    GOLDY_TRY(waitFor(U.Which, U.Written, X.Device));
  if (P.WatchesInputs)
    GOLDY_TRY(waitAliased(X.Device));
  return Status();
}

Status Runner::submit(uint32_t Step, uint32_t Which) {
  const SubmitPlan &X = P.Submits[Which];
  GOLDY_TRY(evaluate(Step, Which));
  uint64_t Point = 0;
  GOLDY_TRY(start(Step, X, Point));
  note(X, Point);
  return Status();
}

/// Starts what was prepared of `Submits`, the steps from `Step` on.
Status Runner::run(uint32_t Step, Range Submits, uint32_t Prepared,
                   const RunInput &Input, uint64_t &Point) {
  const PreparedSubmission &Work = L.Submissions[Prepared];
  if (!L.Times)
    return Work.Device->run(Work.Id, Input, Point);
  GOLDY_TRY(L.Times->beforeStart(Prepared));
  Status R = Work.Device->run(Work.Id, Input, Point);
  if (R.ok() || R.code() == GOLDY_FINDINGS) // the work is done
    L.Times->started(Step, Submits, Prepared, Point);
  return R;
}

Status Runner::start(uint32_t Step, const SubmitPlan &X, uint64_t &Point) {
  Driver &Device = *L.Devices[X.Device];
  uint32_t Prepared = X.Prepared[Copy];
  if (X.Join != NoIndex)
    if (Status R = prepareSeparate(X, Prepared); !R.ok())
      return failed(Step, X.Device, R);
  if (Prepared == NoIndex) {
    Point = Device.lastPoint();
    return Status();
  }
  uint32_t Part = NoIndex;
  RunInput Input{std::span(S.Table).subspan(X.Words.First, X.Words.Count),
                 S.InputMemories[X.Device], &Part};
  Range Submits{static_cast<uint32_t>(&X - P.Submits.data()), 1};
  Status R = run(Step, Submits, Prepared, Input, Point);
  if (R.ok())
    return R;
  return putAside(failed(Step, X.Device, R, X.OwnParts ? Part : NoIndex));
}

Status Runner::putAside(Status Failure) {
  if (Failure.code() != GOLDY_FINDINGS)
    return Failure;
  if (Found.ok())
    Found = std::move(Failure);
  return Status();
}

void Runner::noteEnd(uint32_t Device, bool NamesCopies, uint64_t Point) {
  S.Ends[Device] = S.Last[Device] = Point;
  if (NamesCopies)
    S.OfCopies[Copy][Device] = Point;
}

void Runner::note(const SubmitPlan &X, uint64_t Point) {
  noteEnd(X.Device, X.NamesCopies, Point);
  if (X.StepPoint != NoIndex && Frame.step_points)
    Frame.step_points[X.StepPoint] = {X.Device, Point};
  for (const WatchedUse &U : elements(P.Uses, X.Uses)) {
    size_t At = U.Which * L.Devices.size() + X.Device;
    S.Used[copyOf(U.Which)][At] = Point;
    if (U.Written)
      S.Wrote[copyOf(U.Which)][At] = Point;
  }
}

//===-- Moves that the host does ------------------------------------------===//

uint64_t Runner::hostAddress(const Named &N, uint64_t At) const {
  At += N.Offset;
  if (N.Input != NoIndex) {
    const Memory &M = *S.Inputs[N.Input];
    return M.Device->facts().Threads ? M.Device->address(M.Id) + At : 0;
  }
  const ProgramMemory &M = L.Memories[N.Memory];
  if (const std::byte *Host = M.of(Copy).Host)
    return reinterpret_cast<uintptr_t>(Host) + At;
  const Driver &Device = *L.Devices[M.Device];
  return Device.facts().Threads
             ? Device.address(M.of(Copy).On[M.Device]->Id) + At
             : 0;
}

Status Runner::readBytes(const Named &N, uint64_t At,
                         std::span<std::byte> Out) {
  At += N.Offset;
  if (N.Input != NoIndex) {
    const Memory &M = *S.Inputs[N.Input];
    return M.Device->read(M.Id, At, Out);
  }
  const ProgramMemory &M = L.Memories[N.Memory];
  if (M.of(Copy).Host) {
    std::memcpy(Out.data(), M.of(Copy).Host + At, Out.size());
    return Status();
  }
  return L.Devices[M.Device]->read(M.of(Copy).On[M.Device]->Id, At, Out);
}

Status Runner::writeBytes(const Named &N, uint64_t At,
                          std::span<const std::byte> From) {
  At += N.Offset;
  if (N.Input != NoIndex) {
    const Memory &M = *S.Inputs[N.Input];
    return M.Device->write(M.Id, At, From);
  }
  const ProgramMemory &M = L.Memories[N.Memory];
  if (M.of(Copy).Host) {
    std::memcpy(M.of(Copy).Host + At, From.data(), From.size());
    return Status();
  }
  return L.Devices[M.Device]->write(M.of(Copy).On[M.Device]->Id, At, From);
}

Status Runner::stage(uint32_t Step, const StagePlan &X) {
  if (X.ReadsInts)
    GOLDY_TRY(waitInts());
  GOLDY_TRY(words(Step, 0, X.Words));
  GOLDY_TRY(copy(Step, X.Words.First, X.Ends));
  for (const WatchedUse &U : elements(P.Uses, X.Uses))
    GOLDY_TRY(waitFor(U.Which, U.Written));
  uint64_t Begin = L.Times ? steadyNs() : 0;
  GOLDY_TRY(moveBytes(Step, X));
  if (L.Times)
    L.Times->moved(Step, {Begin, steadyNs()});
  return Status();
}

Status Runner::moveBytes(uint32_t Step, const StagePlan &X) {
  const CopyCheck &C = X.Ends;
  uint64_t Src = startOf(X.Words.First, C.Src),
           Dst = startOf(X.Words.First, C.Dst);
  for (uint64_t Done = 0; Done < C.Length;) {
    uint64_t Now = std::min<uint64_t>(C.Length - Done, S.Staging.size());
    std::span<std::byte> Bytes = std::span(S.Staging).first(Now);
    Status R = readBytes(C.Src.Where, Src + Done, Bytes);
    if (R.ok())
      R = writeBytes(C.Dst.Where, Dst + Done, Bytes);
    if (!R.ok())
      return broken(R.code() == GOLDY_LOST ? LoadRule::RunLost
                                           : LoadRule::WorkFailed,
                    place(Step), R);
    Done += Now;
  }
  uint64_t From = hostAddress(C.Src.Where, Src),
           To = hostAddress(C.Dst.Where, Dst);
  if (From && To)
    Undetermined::memory().copy(From, To, C.Length);
  return Status();
}
