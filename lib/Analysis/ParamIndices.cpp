//===- ParamIndices.cpp - At which ids a kernel touches its buffers -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/ParamIndices.h"

#include "goldyc/Analysis/OwnIndex.h"

using namespace goldy;

namespace {

class Collector {
public:
  explicit Collector(const Function &F) : F(F), All(F.Params.size()) {
    Shape.WorkgroupSize = F.WorkgroupSize;
  }

  std::vector<ParamIndices> run() {
    for (const Block &B : F.Blocks)
      for (InstId I : B.Insts)
        visit(F.Insts[I], I);
    std::vector<ParamIndices> Out;
    for (const Seen &S : All)
      Out.push_back(judge(S));
    return Out;
  }

private:
  /// What was seen of one parameter; no indices: no two are alike.
  struct Seen {
    bool Any = false;
    std::optional<std::vector<IdIndex>> Indices;
  };

  void visit(const Inst &N, InstId I) {
    if (accessesPlace(N.Opcode))
      access(F.Places[N.Where]);
    else if (N.Opcode == Op::Call || isCollective(N.Opcode))
      for (ValueId V : F.operands(I))
        if (F.Insts[V].Opcode == Op::Ref &&
            F.Places[F.Insts[V].Where].Base.Kind == BaseKind::Param)
          give(F.Places[F.Insts[V].Where].Base.Index, std::nullopt);
  }

  void access(const Place &P) {
    if (P.Base.Kind != BaseKind::Param)
      return;
    size_t Count = leadingIndices(F, P.Base);
    if (Count == 0)
      return;
    std::optional<std::vector<IdIndex>> Indices = std::vector<IdIndex>();
    for (size_t N = 0; N < Count && Indices; ++N) {
      std::optional<IdIndex> One = idIndexOf(F, P.Path[N], Shape);
      if (One)
        Indices->push_back(std::move(*One));
      else
        Indices = std::nullopt;
    }
    give(P.Base.Index, std::move(Indices));
  }

  void give(uint32_t Param, std::optional<std::vector<IdIndex>> Indices) {
    Seen &S = All[Param];
    if (!S.Any)
      S.Indices = std::move(Indices);
    else if (S.Indices != Indices)
      S.Indices = std::nullopt;
    S.Any = true;
  }

  /// Work-items are told apart along the axes of the indices only.
  LaunchShape along(unsigned Axes) const {
    LaunchShape Some = Shape;
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      if (!(Axes & 1u << Axis)) {
        Some.ManyGroups[Axis] = false;
        Some.WorkgroupSize[Axis] = 1;
      }
    return Some;
  }

  ParamIndices judge(const Seen &S) const {
    if (!S.Any)
      return {};
    if (!S.Indices)
      return {IndexForm::Other, 0};
    unsigned Axes = 0;
    for (const IdIndex &Index : *S.Indices)
      Axes |= Index.axes();
    LaunchShape Some = along(Axes);
    uint8_t Bits = static_cast<uint8_t>(Axes);
    if (isOwn(*S.Indices, Some))
      return {IndexForm::Own, Bits};
    if (S.Indices->size() == 1 && gridIndexOf(S.Indices->front(), Some))
      return {IndexForm::Plane, Bits};
    return {IndexForm::Other, 0};
  }

  const Function &F;
  LaunchShape Shape;
  std::vector<Seen> All;
};

} // namespace

std::vector<ParamIndices> goldy::paramIndices(const Function &Kernel) {
  return Collector(Kernel).run();
}
