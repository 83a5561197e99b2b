//===- GraphBuilder.cpp - A submission's parts as a graph -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each memory the accesses that a later part may have to wait for are kept;
// a write takes the place of those that it covers, since what waits for it
// waits for them too. In a timed submission a part stands between two nodes
// that record events, and what waits for it waits for the second.
//
//===----------------------------------------------------------------------===//
#include "cuda/GraphBuilder.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

ReadyGraph::~ReadyGraph() {
  if (Work)
    Cu.GraphExecDestroy(Work);
  if (Plan)
    Cu.GraphDestroy(Plan);
}

KernelNodeParams cuda::launchOf(const Part &P, const GridPiece &Piece,
                                const Code &C, std::vector<std::byte> &Block,
                                void *&Value) {
  std::memcpy(&Block[P.BaseOffset], Piece.Base.data(), sizeof Piece.Base);
  Value = Block.data();
  KernelNodeParams Params{};
  Params.Kernel = C.Entry;
  std::copy(Piece.Groups.begin(), Piece.Groups.end(), Params.Grid);
  std::copy(C.Threads.begin(), C.Threads.end(), Params.Block);
  Params.Params = &Value;
  return Params;
}

static CopyEnd endOf(DevicePointer At, uint64_t Bytes) {
  CopyEnd E{};
  E.MemoryType = MemoryTypeDevice;
  E.Device = At;
  E.Pitch = Bytes;
  E.Height = 1;
  return E;
}

namespace {

/// Puts parts into the graph, in order.
class Builder {
public:
  Builder(Device &D, const SubmissionDesc &Desc, const PartSources &From,
          const RunEvents *Timed, ReadyGraph &To)
      : D(D), Desc(Desc), From(From), Timed(Timed), To(To) {}

  Status part(uint32_t Number) {
    const Part &P = Desc.Parts[Number];
    order(P);
    if (Timed) {
      GOLDY_TRY(stamp(2 * Number));
      After.assign(1, To.Stamps.back());
    }
    GraphNode Last = nullptr;
    GOLDY_TRY(place(Number, Last));
    if (Timed) {
      if (Last)
        After.assign(1, Last);
      GOLDY_TRY(stamp(2 * Number + 1));
      Last = To.Stamps.back();
    }
    if (Last)
      done(P, Last);
    return Status();
  }

private:
  struct Access {
    uint64_t Offset, End;
    bool Written;
    GraphNode Node;
  };

  /// The nodes that `P` waits for.
  void order(const Part &P) {
    After.clear();
    for (const MemoryUse &U : P.Uses)
      for (const Access &A : Open[U.Memory])
        if ((A.Written || U.Written) && U.Offset < A.End &&
            A.Offset < U.Offset + U.Bytes)
          After.push_back(A.Node);
    std::sort(After.begin(), After.end());
    After.erase(std::unique(After.begin(), After.end()), After.end());
  }

  /// `P` became `Node`.
  void done(const Part &P, GraphNode Node) {
    for (const MemoryUse &U : P.Uses) {
      std::vector<Access> &List = Open[U.Memory];
      uint64_t End = U.Offset + U.Bytes;
      if (U.Written)
        std::erase_if(List, [&](const Access &A) {
          return A.Node != Node && U.Offset <= A.Offset && A.End <= End;
        });
      if (U.Bytes)
        List.push_back({U.Offset, End, U.Written, Node});
    }
  }

  /// Records the event of that number behind After.
  Status stamp(size_t Number) {
    GraphNode Node = nullptr;
    GOLDY_TRY(D.check(D.cu().GraphAddEventRecordNode(
                          &Node, To.Plan, After.data(), After.size(),
                          Timed->Stamps[Number]->Handle),
                      "cuGraphAddEventRecordNode"));
    To.Stamps.push_back(Node);
    return Status();
  }

  /// `Last` stays as it is when there is nothing to do.
  Status place(uint32_t Number, GraphNode &Last) {
    const Part &P = Desc.Parts[Number];
    switch (P.Kind) {
    case PartKind::Launch:
      return launch(Number, Last);
    case PartKind::Fill:
      return P.Uses[0].Bytes ? fill(P, Last) : Status();
    case PartKind::Copy:
      return P.Uses[0].Bytes ? copy(P, Last) : Status();
    case PartKind::Call:
    case PartKind::Words:
      break;
    }
    return Status(GOLDY_INTERNAL, "a part of an unknown kind");
  }

  /// Pieces of a grid stand side by side; what waits for all of them waits for
  /// an empty node behind them.
  Status launch(uint32_t Number, GraphNode &Last) {
    const Part &P = Desc.Parts[Number];
    VariableLaunch V{Number, {}, {}, P.Block, true};
    std::copy_if(Desc.Slots.begin(), Desc.Slots.end(),
                 std::back_inserter(V.Slots),
                 [&](const Slot &L) { return L.Part == Number; });
    for (const GridPiece &Piece : P.Pieces) {
      void *Value = nullptr;
      KernelNodeParams Params =
          launchOf(P, Piece, From.Image(P.Image), V.Block, Value);
      GraphNode Node = nullptr;
      GOLDY_TRY(D.check(D.cu().GraphAddKernelNode(&Node, To.Plan, After.data(),
                                                  After.size(), &Params),
                        "cuGraphAddKernelNode"));
      V.Nodes.push_back(Node);
    }
    Last = V.Nodes.front();
    if (V.Nodes.size() > 1)
      GOLDY_TRY(D.check(D.cu().GraphAddEmptyNode(&Last, To.Plan, V.Nodes.data(),
                                                 V.Nodes.size()),
                        "cuGraphAddEmptyNode"));
    if (!V.Slots.empty())
      To.Variables.push_back(std::move(V));
    return Status();
  }

  Status fill(const Part &P, GraphNode &Last) {
    const MemoryUse &U = P.Uses[0];
    MemsetNodeParams Params{};
    Params.To = From.Address(U.Memory) + U.Offset;
    Params.Value = P.Value;
    Params.ElementBytes = 1;
    Params.Width = U.Bytes;
    Params.Height = 1;
    return D.check(D.cu().GraphAddMemsetNode(&Last, To.Plan, After.data(),
                                             After.size(), &Params,
                                             D.context()),
                   "cuGraphAddMemsetNode");
  }

  Status copy(const Part &P, GraphNode &Last) {
    const MemoryUse &Source = P.Uses[0], &Sink = P.Uses[1];
    DevicePointer Out = From.Address(Source.Memory) + Source.Offset;
    DevicePointer Into = From.Address(Sink.Memory) + Sink.Offset;
    if (CopyKernel::takes(Into, Out, Source.Bytes)) {
      CopyBlock Block;
      void *Value = nullptr;
      KernelNodeParams Params;
      GOLDY_TRY(
          From.Copies.launch(Into, Out, Source.Bytes, Block, Value, Params));
      if (Params.Kernel)
        return D.check(D.cu().GraphAddKernelNode(&Last, To.Plan, After.data(),
                                                 After.size(), &Params),
                       "cuGraphAddKernelNode");
    }
    return copyNode(Into, Out, Source.Bytes, Last);
  }

  Status copyNode(DevicePointer Into, DevicePointer Out, uint64_t Bytes,
                  GraphNode &Last) {
    Copy3D Params{};
    Params.From = endOf(Out, Bytes);
    Params.To = endOf(Into, Bytes);
    Params.WidthBytes = Bytes;
    Params.Height = Params.Depth = 1;
    return D.check(D.cu().GraphAddMemcpyNode(&Last, To.Plan, After.data(),
                                             After.size(), &Params,
                                             D.context()),
                   "cuGraphAddMemcpyNode");
  }

  Device &D;
  const SubmissionDesc &Desc;
  const PartSources &From;
  const RunEvents *Timed;
  ReadyGraph &To;
  std::map<MemoryId, std::vector<Access>> Open;
  std::vector<GraphNode> After; ///< of the part at hand
};

} // namespace

Status cuda::buildGraph(Device &D, const SubmissionDesc &Desc,
                        const PartSources &From, const RunEvents *Timed,
                        std::unique_ptr<ReadyGraph> &Out) {
  std::unique_ptr<ReadyGraph> G = std::make_unique<ReadyGraph>(D.cu());
  GOLDY_TRY(D.check(D.cu().GraphCreate(&G->Plan, 0), "cuGraphCreate"));
  Builder B(D, Desc, From, Timed, *G);
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    GOLDY_TRY(B.part(N));
  GOLDY_TRY(D.check(D.cu().GraphInstantiate(&G->Work, G->Plan, 0),
                    "cuGraphInstantiateWithFlags"));
  GOLDY_TRY(D.check(D.cu().GraphUpload(G->Work, D.stream()), "cuGraphUpload"));
  Out = std::move(G);
  return Status();
}
