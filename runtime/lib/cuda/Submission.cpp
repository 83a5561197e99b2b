//===- Submission.cpp - A prepared submission as a graph ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edge stands between two parts only if they share bytes of which one is
// written. For each memory the accesses that a later part may have to wait for
// are kept; a write takes the place of those that it covers, since what waits
// for it waits for them too.
//
//===----------------------------------------------------------------------===//
#include "cuda/Submission.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>

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

/// A piece's launch. The driver copies `Block`, whose base words are written,
/// within the call; `Value` must live as long.
static KernelNodeParams launchOf(const Part &P, const GridPiece &Piece,
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

/// Puts parts into the graph, in order.
class Submission::Builder {
public:
  explicit Builder(Submission &S) : S(S), D(S.D) {}

  Status part(uint32_t Number) {
    const Part &P = S.Desc.Parts[Number];
    order(P);
    switch (P.Kind) {
    case PartKind::Launch:
      return launch(Number);
    case PartKind::Fill:
      return fill(P);
    case PartKind::Copy:
      return copy(P);
    }
    return Status(GOLDY_INTERNAL, "a part of an unknown kind");
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

  /// Pieces of a grid stand side by side; what waits for all of them waits for
  /// an empty node behind them.
  Status launch(uint32_t Number) {
    const Part &P = S.Desc.Parts[Number];
    Variable V{Number, {}, {}, P.Block, true};
    std::copy_if(S.Desc.Slots.begin(), S.Desc.Slots.end(),
                 std::back_inserter(V.Slots),
                 [&](const Slot &L) { return L.Part == Number; });
    for (const GridPiece &Piece : P.Pieces) {
      void *Value = nullptr;
      KernelNodeParams Params =
          launchOf(P, Piece, S.Image(P.Image), V.Block, Value);
      GraphNode Node = nullptr;
      GOLDY_TRY(D.check(D.cu().GraphAddKernelNode(&Node, S.Plan, After.data(),
                                                  After.size(), &Params),
                        "cuGraphAddKernelNode"));
      V.Nodes.push_back(Node);
    }
    GraphNode Last = V.Nodes.front();
    if (V.Nodes.size() > 1)
      GOLDY_TRY(D.check(D.cu().GraphAddEmptyNode(&Last, S.Plan, V.Nodes.data(),
                                                 V.Nodes.size()),
                        "cuGraphAddEmptyNode"));
    done(P, Last);
    if (!V.Slots.empty())
      S.Variables.push_back(std::move(V));
    return Status();
  }

  Status fill(const Part &P) {
    const MemoryUse &U = P.Uses[0];
    if (U.Bytes == 0)
      return Status();
    MemsetNodeParams Params{};
    Params.To = S.Address(U.Memory) + U.Offset;
    Params.Value = P.Value;
    Params.ElementBytes = 1;
    Params.Width = U.Bytes;
    Params.Height = 1;
    GraphNode Node = nullptr;
    GOLDY_TRY(
        D.check(D.cu().GraphAddMemsetNode(&Node, S.Plan, After.data(),
                                          After.size(), &Params, D.context()),
                "cuGraphAddMemsetNode"));
    done(P, Node);
    return Status();
  }

  Status copy(const Part &P) {
    const MemoryUse &From = P.Uses[0], &To = P.Uses[1];
    if (From.Bytes == 0)
      return Status();
    Copy3D Params{};
    Params.From = endOf(S.Address(From.Memory) + From.Offset, From.Bytes);
    Params.To = endOf(S.Address(To.Memory) + To.Offset, To.Bytes);
    Params.WidthBytes = From.Bytes;
    Params.Height = Params.Depth = 1;
    GraphNode Node = nullptr;
    GOLDY_TRY(
        D.check(D.cu().GraphAddMemcpyNode(&Node, S.Plan, After.data(),
                                          After.size(), &Params, D.context()),
                "cuGraphAddMemcpyNode"));
    done(P, Node);
    return Status();
  }

  Submission &S;
  Device &D;
  std::map<MemoryId, std::vector<Access>> Open;
  std::vector<GraphNode> After; ///< of the part at hand
};

Submission::~Submission() { unbuild(); }

void Submission::unbuild() {
  if (Work)
    D.cu().GraphExecDestroy(Work);
  if (Plan)
    D.cu().GraphDestroy(Plan);
  Work = nullptr;
  Plan = nullptr;
  Variables.clear();
}

Status Submission::prepare() {
  const Part *P = Desc.Parts.size() == 1 ? &Desc.Parts[0] : nullptr;
  Alone = P && P->Kind == PartKind::Launch && P->Pieces.size() == 1;
  return Alone ? Status() : build();
}

Status Submission::build() {
  GOLDY_TRY(D.check(D.cu().GraphCreate(&Plan, 0), "cuGraphCreate"));
  Builder B(*this);
  for (uint32_t N = 0; N < Desc.Parts.size(); ++N)
    GOLDY_TRY(B.part(N));
  GOLDY_TRY(D.check(D.cu().GraphInstantiate(&Work, Plan, 0),
                    "cuGraphInstantiateWithFlags"));
  return D.check(D.cu().GraphUpload(Work, D.stream()), "cuGraphUpload");
}

Status Submission::update(Variable &V, std::span<const uint64_t> Words) {
  const Part &P = Desc.Parts[V.Part];
  if (V.Known && holds(V.Block, V.Slots, Words))
    return Status();
  fill(V.Block, V.Slots, Words);
  V.Known = false;
  for (size_t N = 0; N < V.Nodes.size(); ++N) {
    void *Value = nullptr;
    KernelNodeParams Params =
        launchOf(P, P.Pieces[N], Image(P.Image), V.Block, Value);
    GOLDY_TRY(
        D.check(D.cu().GraphExecKernelNodeSetParams(Work, V.Nodes[N], &Params),
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
  KernelNodeParams L = launchOf(P, P.Pieces[0], Image(P.Image), Block, Value);
  return D.check(D.cu().LaunchKernel(L.Kernel, L.Grid[0], L.Grid[1], L.Grid[2],
                                     L.Block[0], L.Block[1], L.Block[2], 0,
                                     D.stream(), L.Params, nullptr),
                 "cuLaunchKernel");
}

Status Submission::run(std::span<const uint64_t> Words, uint64_t &Point) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Alone) {
    GOLDY_TRY(D.submit([&] { return launchAlone(Words); }, Point));
    Alone = false;
    return Status();
  }
  if (!Work) {
    Status S = build();
    if (!S.ok()) {
      unbuild();
      return S;
    }
  }
  for (Variable &V : Variables)
    GOLDY_TRY(update(V, Words));
  return D.submit(
      [&] {
        return D.check(D.cu().GraphLaunch(Work, D.stream()), "cuGraphLaunch");
      },
      Point);
}
