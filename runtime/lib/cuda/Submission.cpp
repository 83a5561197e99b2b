//===- Submission.cpp - A prepared submission as a graph ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/Submission.h"

#include "core/Parts.h"

#include <algorithm>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

Status Submission::prepare() {
  const Part *P = Desc.Parts.size() == 1 ? &Desc.Parts[0] : nullptr;
  Alone =
      P && P->Kind == PartKind::Launch && P->Pieces.size() == 1 && !Desc.Timed;
  bool Waits = std::any_of(Desc.Parts.begin(), Desc.Parts.end(), needsRun);
  return Alone || Waits ? Status() : build(nullptr);
}

/// Takes the place of the graph that there is.
Status Submission::build(const RunInput *Input) {
  const RunEvents *First = nullptr;
  if (Desc.Timed) {
    RunEvents &R = Runs.next();
    GOLDY_TRY(R.make(D, Desc.Parts.size()));
    First = &R;
  }
  std::unique_ptr<ReadyGraph> New;
  GOLDY_TRY(buildGraph(D, Desc, From, First, Input, Memories.apart(), New));
  std::swap(Built, New);
  if (ReadyGraph *Old = New.release())
    D.later([Old] { delete Old; });
  return Status();
}

/// Makes the graph hold what the run brings.
Status Submission::ready(const RunInput &Input) {
  Memories.look(Input.Memories);
  bool Fits = Built && Built->Apart == Memories.apart();
  if (!Fits)
    return build(&Input);
  bool Same =
      Built->Current && !Memories.changed() &&
      std::equal(Built->Words.begin(), Built->Words.end(), Input.Words.begin());
  if (Same)
    return Status();
  GOLDY_TRY(updateGraph(D, Desc, From, Input, *Built, Fits));
  return Fits ? Status() : build(&Input);
}

Status Submission::launchAlone(const RunInput &Input) {
  const Part &P = Desc.Parts[0];
  std::vector<std::byte> Block = P.Block;
  writeWords(P, Desc.Slots, Input, Block.data());
  void *Value = nullptr;
  KernelNodeParams L =
      launchOf(P, P.Pieces[0], From.Image(P.Image), Block, Value);
  return D.check(D.cu().LaunchKernel(L.Kernel, L.Grid[0], L.Grid[1], L.Grid[2],
                                     L.Block[0], L.Block[1], L.Block[2], 0,
                                     D.stream(), L.Params, nullptr),
                 "cuLaunchKernel");
}

Status Submission::launchGraph() {
  return D.check(D.cu().GraphLaunch(Built->Work, D.stream()), "cuGraphLaunch");
}

Status Submission::run(const RunInput &Input, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Alone) {
    GOLDY_TRY(D.submit([&] { return launchAlone(Input); }, Point));
    Alone = false;
    return Status();
  }
  GOLDY_TRY(ready(Input));
  return Desc.Timed ? runTimed(Point)
                    : D.submit([&] { return launchGraph(); }, Point);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

/// The graph records the events of `R` from now on.
Status Submission::stampWith(const RunEvents &R) {
  for (size_t N = 0; N < Built->Stamps.size(); ++N)
    GOLDY_TRY(D.check(D.cu().GraphExecEventRecordNodeSetEvent(
                          Built->Work, Built->Stamps[N], R.Stamps[N]->Handle),
                      "cuGraphExecEventRecordNodeSetEvent"));
  return Status();
}

/// A start that failed leaves no record of an event behind.
Status Submission::launchTimed(const RunEvents &R) {
  GOLDY_TRY(D.check(D.cu().EventRecord(R.Start->Handle, D.stream()),
                    "cuEventRecord"));
  Status S = launchGraph();
  if (!S.ok())
    (void)D.check(D.cu().StreamSynchronize(D.stream()), "cuStreamSynchronize");
  return S;
}

Status Submission::runTimed(uint64_t &Point) {
  RunEvents &R = Runs.next();
  GOLDY_TRY(R.make(D, Desc.Parts.size()));
  GOLDY_TRY(stampWith(R));
  GOLDY_TRY(Time.base(R.Base));
  GOLDY_TRY(D.submit([&] { return launchTimed(R); }, Point));
  Runs.started(Point);
  return Status();
}

Status Submission::times(uint64_t Point, std::vector<PartTime> &Out) {
  std::lock_guard<std::mutex> Lock(Mutex);
  const RunEvents *R = Runs.find(Point);
  if (!R || D.reached() < Point) {
    GOLDY_TRY(D.lost()); // which the question may have shown
    return noTimes(Point);
  }
  return R->read(D, Out);
}
