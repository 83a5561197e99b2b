//===- Submission.cpp - A prepared submission as a graph ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/Submission.h"

#include <algorithm>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

/// Writes the run's words into a parameter block.
static void fill(std::vector<std::byte> &Block, const std::vector<Slot> &Slots,
                 std::span<const uint64_t> Words) {
  for (const Slot &S : Slots)
    std::memcpy(&Block[S.Offset], &Words[S.Word], S.Bytes);
}

static bool holds(const std::vector<std::byte> &Block,
                  const std::vector<Slot> &Slots,
                  std::span<const uint64_t> Words) {
  return std::all_of(Slots.begin(), Slots.end(), [&](const Slot &S) {
    return std::memcmp(&Block[S.Offset], &Words[S.Word], S.Bytes) == 0;
  });
}

Status Submission::prepare() {
  const Part *P = Desc.Parts.size() == 1 ? &Desc.Parts[0] : nullptr;
  Alone =
      P && P->Kind == PartKind::Launch && P->Pieces.size() == 1 && !Desc.Timed;
  return Alone ? Status() : build();
}

Status Submission::build() {
  if (!Desc.Timed)
    return buildGraph(D, Desc, From, nullptr, Built);
  RunEvents &First = Runs.next();
  GOLDY_TRY(First.make(D, Desc.Parts.size()));
  return buildGraph(D, Desc, From, &First, Built);
}

Status Submission::update(VariableLaunch &V, std::span<const uint64_t> Words) {
  const Part &P = Desc.Parts[V.Part];
  if (V.Known && holds(V.Block, V.Slots, Words))
    return Status();
  fill(V.Block, V.Slots, Words);
  V.Known = false;
  for (size_t N = 0; N < V.Nodes.size(); ++N) {
    void *Value = nullptr;
    KernelNodeParams Params =
        launchOf(P, P.Pieces[N], From.Image(P.Image), V.Block, Value);
    GOLDY_TRY(D.check(
        D.cu().GraphExecKernelNodeSetParams(Built->Work, V.Nodes[N], &Params),
        "cuGraphExecKernelNodeSetParams"));
  }
  V.Known = true;
  return Status();
}

Status Submission::launchAlone(std::span<const uint64_t> Words) {
  const Part &P = Desc.Parts[0];
  std::vector<std::byte> Block = P.Block;
  fill(Block, Desc.Slots, Words);
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

Status Submission::run(std::span<const uint64_t> Words, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Alone) {
    GOLDY_TRY(D.submit([&] { return launchAlone(Words); }, Point));
    Alone = false;
    return Status();
  }
  if (!Built)
    GOLDY_TRY(build());
  for (VariableLaunch &V : Built->Variables)
    GOLDY_TRY(update(V, Words));
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
