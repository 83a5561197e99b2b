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

#include "core/Parts.h"

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

bool cuda::needsRun(const Part &P) {
  if (P.Kind == PartKind::Launch)
    return hasGridWords(P); // addresses are words
  return isMoved(P, 0) || isMoved(P, 1) ||
         std::any_of(P.Uses.begin(), P.Uses.end(),
                     [](const MemoryUse &U) { return U.RunMemory != NoIndex; });
}

void cuda::placesOf(const Part &P, const PartSources &From,
                    const RunInput &Input, DevicePointer &Into,
                    DevicePointer &Out) {
  auto At = [&](size_t Use) {
    uint64_t Offset =
        P.Kind == PartKind::Copy ? offsetOf(P, Use, Input) : P.Uses[Use].Offset;
    return From.Address(memoryOf(P.Uses[Use], Input)) + Offset;
  };
  Into = At(P.Uses.size() - 1);
  Out = P.Kind == PartKind::Copy ? At(0) : 0;
}

MemsetNodeParams cuda::fillOf(const Part &P, DevicePointer Into) {
  MemsetNodeParams Params{};
  Params.To = Into;
  Params.Value = P.Value;
  Params.ElementBytes = 1;
  Params.Width = P.Uses[0].Bytes;
  Params.Height = 1;
  return Params;
}

Copy3D cuda::copyOf(const Part &P, DevicePointer Into, DevicePointer Out) {
  Copy3D Params{};
  Params.WidthBytes = P.Uses[0].Bytes;
  Params.From = endOf(Out, Params.WidthBytes);
  Params.To = endOf(Into, Params.WidthBytes);
  Params.Height = Params.Depth = 1;
  return Params;
}

namespace {

/// Puts parts into the graph, in order.
class Builder {
public:
  Builder(Device &D, const SubmissionDesc &Desc, const PartSources &From,
          const RunEvents *Timed, const RunInput *Input, ReadyGraph &To)
      : D(D), Desc(Desc), From(From), Timed(Timed), Input(Input), To(To) {}

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
    if (!To.Apart) {
      if (Before)
        After.push_back(Before);
      return;
    }
    for (size_t I = 0; I < P.Uses.size(); ++I) {
      MemoryUse U = reachOf(P, I);
      for (const Access &A : Open[nameOf(U)])
        if ((A.Written || U.Written) && U.Offset < A.End &&
            A.Offset < U.Offset + U.Bytes)
          After.push_back(A.Node);
    }
    std::sort(After.begin(), After.end());
    After.erase(std::unique(After.begin(), After.end()), After.end());
  }

  /// `P` became `Node`.
  void done(const Part &P, GraphNode Node) {
    Before = Node;
    for (size_t I = 0; I < P.Uses.size(); ++I) {
      MemoryUse U = reachOf(P, I);
      std::vector<Access> &List = Open[nameOf(U)];
      uint64_t End = U.Offset + U.Bytes;
      // An end that moves may leave bytes of its reach as they are, but waits
      // for all of it.
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
      return P.Uses[0].Bytes ? fill(Number, Last) : Status();
    case PartKind::Copy:
      return P.Uses[0].Bytes ? copy(Number, Last) : Status();
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
    if (Input)
      writeWords(P, V.Slots, *Input, V.Block.data());
    Status Placed;
    eachPieceOf(P, Input ? *Input : RunInput(), From.MaxGroups,
                [&](const GridPiece &Piece) {
                  if (Placed.ok())
                    Placed = place(P, Piece, V);
                });
    GOLDY_TRY(std::move(Placed));
    if (!V.Nodes.empty())
      Last = V.Nodes.front();
    if (V.Nodes.size() > 1)
      GOLDY_TRY(D.check(D.cu().GraphAddEmptyNode(&Last, To.Plan, V.Nodes.data(),
                                                 V.Nodes.size()),
                        "cuGraphAddEmptyNode"));
    if (!V.Slots.empty() || hasGridWords(P))
      To.Launches.push_back(std::move(V));
    return Status();
  }

  Status place(const Part &P, const GridPiece &Piece, VariableLaunch &V) {
    void *Value = nullptr;
    KernelNodeParams Params =
        launchOf(P, Piece, From.Image(P.Image), V.Block, Value);
    GraphNode Node = nullptr;
    GOLDY_TRY(D.check(D.cu().GraphAddKernelNode(&Node, To.Plan, After.data(),
                                                After.size(), &Params),
                      "cuGraphAddKernelNode"));
    V.Nodes.push_back(Node);
    return Status();
  }

  Status fill(uint32_t Number, GraphNode &Last) {
    const Part &P = Desc.Parts[Number];
    VariableMove M{Number, nullptr, false};
    placesOf(P, From, Input ? *Input : RunInput(), M.Into, M.Out);
    MemsetNodeParams Params = fillOf(P, M.Into);
    GOLDY_TRY(
        D.check(D.cu().GraphAddMemsetNode(&Last, To.Plan, After.data(),
                                          After.size(), &Params, D.context()),
                "cuGraphAddMemsetNode"));
    return keep(M, Last);
  }

  Status copy(uint32_t Number, GraphNode &Last) {
    const Part &P = Desc.Parts[Number];
    VariableMove M{Number, nullptr, false};
    placesOf(P, From, Input ? *Input : RunInput(), M.Into, M.Out);
    uint64_t Bytes = P.Uses[0].Bytes;
    bool Varies = needsRun(P);
    if (Varies ? CopyKernel::mayTake(Bytes)
               : CopyKernel::takes(M.Into, M.Out, Bytes)) {
      CopyBlock Block;
      void *Value = nullptr;
      KernelNodeParams Params;
      GOLDY_TRY(From.Copies.launch(M.Into, M.Out, Bytes, Block, Value, Params));
      M.ByKernel = Params.Kernel != nullptr;
      if (M.ByKernel)
        GOLDY_TRY(
            D.check(D.cu().GraphAddKernelNode(&Last, To.Plan, After.data(),
                                              After.size(), &Params),
                    "cuGraphAddKernelNode"));
    }
    if (!M.ByKernel) {
      Copy3D Params = copyOf(P, M.Into, M.Out);
      GOLDY_TRY(
          D.check(D.cu().GraphAddMemcpyNode(&Last, To.Plan, After.data(),
                                            After.size(), &Params, D.context()),
                  "cuGraphAddMemcpyNode"));
    }
    return keep(M, Last);
  }

  Status keep(VariableMove &M, GraphNode Node) {
    M.Node = Node;
    if (needsRun(Desc.Parts[M.Part]))
      To.Moves.push_back(M);
    return Status();
  }

  Device &D;
  const SubmissionDesc &Desc;
  const PartSources &From;
  const RunEvents *Timed;
  const RunInput *Input;
  ReadyGraph &To;
  std::map<std::pair<uint32_t, MemoryId>, std::vector<Access>> Open;
  GraphNode Before = nullptr;   ///< of the last part that became a node
  std::vector<GraphNode> After; ///< of the part at hand
};

} // namespace

Status cuda::buildGraph(Device &D, const SubmissionDesc &Desc,
                        const PartSources &From, const RunEvents *Timed,
                        const RunInput *Input, bool Apart,
                        std::unique_ptr<ReadyGraph> &Out) {
  std::unique_ptr<ReadyGraph> G = std::make_unique<ReadyGraph>(D.cu());
  G->Apart = Apart;
  GOLDY_TRY(D.check(D.cu().GraphCreate(&G->Plan, 0), "cuGraphCreate"));
  Builder B(D, Desc, From, Timed, Input, *G);
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    GOLDY_TRY(B.part(N));
  GOLDY_TRY(D.check(D.cu().GraphInstantiate(&G->Work, G->Plan, 0),
                    "cuGraphInstantiateWithFlags"));
  GOLDY_TRY(D.check(D.cu().GraphUpload(G->Work, D.stream()), "cuGraphUpload"));
  G->Words.resize(Desc.Words);
  if (Input) {
    std::copy_n(Input->Words.begin(), G->Words.size(), G->Words.begin());
    G->Current = true;
  }
  Out = std::move(G);
  return Status();
}
