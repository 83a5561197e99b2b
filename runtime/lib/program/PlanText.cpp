//===- PlanText.cpp - A plan to be read -----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line a step: what it is on which device, what a run computes for it, and
// why the host may wait before it.
//
//===----------------------------------------------------------------------===//
#include "program/Loaded.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::rt;

namespace {

class PlanWriter {
public:
  explicit PlanWriter(const goldy_program &L) : L(L), P(L.Plan) {}

  std::string text() {
    for (uint32_t I = 0; I < P.Steps.size(); ++I)
      Text += P.placeOf(I) + ": " + step(I) + "\n";
    return std::move(Text);
  }

private:
  static std::string counted(size_t N, const char *One) {
    return std::to_string(N) + " " + One + (N == 1 ? "" : "s");
  }
  std::string named(const Named &N) const {
    if (N.Input != NoIndex)
      return "input " + std::to_string(N.Input);
    return N.Memory == L.intsMemory() ? "the ints"
                                      : "memory " + std::to_string(N.Memory);
  }
  /// What the step waits for if work of others is under way.
  std::string waits(Range Uses, bool ReadsInts) const {
    std::string Out;
    if (ReadsInts && P.IntsWatch != NoIndex)
      Out += "; waits for what writes the ints";
    for (const WatchedUse &U : elements(P.Uses, Uses)) {
      const Watched &W = P.Watches[U.Which];
      Named N;
      N.Memory = W.Memory;
      N.Input = W.Input;
      Out += "; waits for what other devices " +
             std::string(U.Written ? "do with " : "write of ") + named(N);
    }
    return Out;
  }

  std::string submit(const SubmitPlan &X) const {
    size_t Checks = size_t(X.Copies.Count) + X.Grids.Count + X.Views.Count +
                    X.Shares.Count + X.InputShares.Count;
    std::string Out = X.StepPoint == NoIndex ? "move" : "submit";
    Out += " on device " + std::to_string(X.Device) + " `" +
           L.deviceName(X.Device) + "`, ";
    const ByCopy<uint32_t> &Prepared =
        X.Join == NoIndex ? X.Prepared : P.Joins[X.Join].Prepared;
    Out += X.Parts == 0                 ? "nothing to do"
           : Prepared[0] == Prepared[1] ? "prepared once"
                                        : "prepared for each copy";
    if (X.Join != NoIndex)
      Out += " with its neighbours (" +
             counted(P.Joins[X.Join].Submits.Count, "step") + ")";
    return Out + ", " + counted(X.Words.Count, "word") + ", " +
           counted(Checks, "check") + waits(X.Uses, X.ReadsInts);
  }
  std::string stage(const StagePlan &X) const {
    return "move by the host from " + named(X.Ends.Src.Where) + " to " +
           named(X.Ends.Dst.Where) + ", " + std::to_string(X.Ends.Length) +
           " bytes" + waits(X.Uses, X.ReadsInts);
  }
  std::string loop(const LoopPlan &X) const {
    std::string Out = "loop";
    if (!X.Trips.isInt())
      Out +=
          " of " +
          counted(static_cast<size_t>(std::max<Number>(X.Trips.Constant[0], 0)),
                  "trip");
    if (X.Trip != NoIndex)
      Out += ", trips in int " + std::to_string(X.Trip);
    if (!X.Derived.empty())
      Out += ", " + counted(X.Derived.size(), "derived int");
    if (X.FlagWatch != NoIndex)
      Out += ", flag in " + named(X.Flag) + " read before each trip";
    return Out + waits({}, X.Trips.isInt());
  }
  std::string step(uint32_t I) const {
    const StepPlan &S = P.Steps[I];
    switch (S.Kind) {
    case StepKind::Submit:
      return submit(P.Submits[S.Which]);
    case StepKind::Stage:
      return stage(P.Stages[S.Which]);
    case StepKind::Loop:
      return loop(P.Loops[S.Which]);
    }
    return "";
  }

  const goldy_program &L;
  const Plan &P;
  std::string Text;
};

} // namespace

std::string goldy::rt::planText(const goldy_program &L) {
  return PlanWriter(L).text();
}
