//===- GraphUpdate.cpp - What a run changes in a graph --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A node is set only if what it holds differs. Launches under way keep what
// they were started with. A node whose update failed is set again by the next
// run.
//
//===----------------------------------------------------------------------===//
#include "core/Parts.h"
#include "cuda/GraphBuilder.h"

#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

namespace {

class Updater {
public:
  Updater(Device &D, const SubmissionDesc &Desc, const PartSources &From,
          const RunInput &Input, ReadyGraph &To, bool &Fits)
      : D(D), Desc(Desc), From(From), Input(Input), To(To), Fits(Fits) {}

  Status launch(VariableLaunch &V) {
    const Part &P = Desc.Parts[V.Part];
    if (V.Known && holds(P, V))
      return Status();
    size_t Pieces = 0;
    eachPieceOf(P, Input, From.MaxGroups, [&](const GridPiece &) { ++Pieces; });
    Fits = Pieces == V.Nodes.size();
    if (!Fits)
      return Status();
    writeWords(P, V.Slots, Input, V.Block.data());
    V.Known = false;
    size_t Next = 0;
    Status Set;
    eachPieceOf(P, Input, From.MaxGroups, [&](const GridPiece &Piece) {
      void *Value = nullptr;
      KernelNodeParams Params =
          launchOf(P, Piece, From.Image(P.Image), V.Block, Value);
      if (Set.ok())
        Set = setKernel(V.Nodes[Next++], Params);
    });
    V.Known = Set.ok();
    return Set;
  }

  Status move(VariableMove &M) {
    const Part &P = Desc.Parts[M.Part];
    DevicePointer Into = 0, Out = 0;
    placesOf(P, From, Input, Into, Out);
    if (M.Known && M.Into == Into && M.Out == Out)
      return Status();
    M.Known = false;
    GOLDY_TRY(set(P, M, Into, Out));
    M.Into = Into;
    M.Out = Out;
    M.Known = Fits;
    return Status();
  }

private:
  bool holds(const Part &P, const VariableLaunch &V) const {
    for (const Slot &S : V.Slots)
      if (std::memcmp(&V.Block[S.Offset], &Input.Words[S.Word], S.Bytes) != 0)
        return false;
    std::array<uint32_t, 3> Groups = groupsOf(P, Input);
    return !hasGridWords(P) ||
           std::memcmp(&V.Block[P.BaseOffset + GroupsInBlock], Groups.data(),
                       sizeof Groups) == 0;
  }

  Status setKernel(GraphNode Node, const KernelNodeParams &Params) {
    return D.check(D.cu().GraphExecKernelNodeSetParams(To.Work, Node, &Params),
                   "cuGraphExecKernelNodeSetParams");
  }

  /// Memory of another kind than a node's, as what is borrowed from the host,
  /// is an invalid value.
  Status fitted(Result R, const char *Call) {
    Fits = R != InvalidValue;
    return Fits ? D.check(R, Call) : Status();
  }

  Status set(const Part &P, const VariableMove &M, DevicePointer Into,
             DevicePointer Out) {
    if (P.Kind == PartKind::Fill) {
      MemsetNodeParams Params = fillOf(P, Into);
      return fitted(D.cu().GraphExecMemsetNodeSetParams(To.Work, M.Node,
                                                        &Params, D.context()),
                    "cuGraphExecMemsetNodeSetParams");
    }
    if (M.ByKernel) {
      CopyBlock Block;
      void *Value = nullptr;
      KernelNodeParams Params;
      GOLDY_TRY(
          From.Copies.launch(Into, Out, P.Uses[0].Bytes, Block, Value, Params));
      return setKernel(M.Node, Params);
    }
    Copy3D Params = copyOf(P, Into, Out);
    return fitted(D.cu().GraphExecMemcpyNodeSetParams(To.Work, M.Node, &Params,
                                                      D.context()),
                  "cuGraphExecMemcpyNodeSetParams");
  }

  Device &D;
  const SubmissionDesc &Desc;
  const PartSources &From;
  const RunInput &Input;
  ReadyGraph &To;
  bool &Fits;
};

} // namespace

Status cuda::updateGraph(Device &D, const SubmissionDesc &Desc,
                         const PartSources &From, const RunInput &Input,
                         ReadyGraph &To, bool &Fits) {
  Fits = true;
  To.Current = false;
  Updater U(D, Desc, From, Input, To, Fits);
  for (VariableLaunch &V : To.Launches) {
    GOLDY_TRY(U.launch(V));
    if (!Fits)
      return Status();
  }
  for (VariableMove &M : To.Moves) {
    GOLDY_TRY(U.move(M));
    if (!Fits)
      return Status();
  }
  std::copy_n(Input.Words.begin(), To.Words.size(), To.Words.begin());
  To.Current = true;
  return Status();
}
