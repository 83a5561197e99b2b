//===- HoistLoads.cpp - Loads come before stores to other elements --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small loop that loads, computes and stores is, copied out, a chain: two
// parameters may be one view, so a target's compiler keeps each load behind the
// store before it, and a work-item waits for memory once a repetition. Here a
// load moves up in front of a store of its block if their elements are
// certainly different ones (LinearIndex.h), with the pure values that its index
// is made of. So all repetitions' loads are under way together.
//
// Elements differ if they are of different arrays, or if their indices do:
// plain buffers and arrays with elements of one size, as views that are not the
// same do not overlap. Nothing moves past a barrier, an atomic or a statement
// with blocks, and only loads that are certain to be in range move.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/LinearIndex.h"

#include <algorithm>

namespace goldy {
namespace {

/// Loads that may move in front of one store: they stay in registers; and
/// statements that are looked at for them.
constexpr unsigned MostLoads = 32;
constexpr size_t MostStatements = 1 << 11;

class LoadHoister : public PassRewriter {
public:
  LoadHoister(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Where(Src), Indices(Src) {
    for (uint32_t B = 0; B < Src.Blocks.size(); ++B)
      for (size_t N = 0; N < Src.Blocks[BlockId(B)].Insts.size(); ++N)
        Position.set(Src.Blocks[BlockId(B)].Insts[N], N);
  }

protected:
  InstId visit(InstId I) override {
    if (Done[I])
      return {};
    if (isStore(I))
      hoistBefore(I);
    return copy(I);
  }

private:
  const Place &placeOf(InstId I) const {
    return Src.Places[Src.Insts[I].Where];
  }
  bool isSlotAccess(InstId I) const { return Src.slotOf(I).isValid(); }
  bool isStore(InstId I) const {
    return Src.Insts[I].Opcode == Op::Store && !isSlotAccess(I);
  }
  bool isMovable(InstId I) const {
    return Src.Insts[I].Opcode == Op::Load && !isSlotAccess(I) &&
           !Src.guard(I) && !Done[I];
  }
  bool endsSearch(InstId I) const;
  void hoistBefore(InstId Store);
  bool isIndexed(const Place &P) const;
  bool differ(InstId Load, InstId Store);
  bool isPureFrom(ValueId V, InstId Store, unsigned Depth) const;
  bool isNear(ValueId V, InstId Store) const {
    return opInfo(Src.Insts[V].Opcode).Effects != Effect::Leaf && V > Store &&
           Where.blockOf(V) == Where.blockOf(Store) && !Done[V];
  }
  void move(InstId I, InstId Store);

  Structure Where;
  LinearIndices Indices;
  SideMap<Inst, size_t> Position{0}; ///< in its block
  SideMap<Inst, bool> Done{false};   ///< stands further up already
};

bool LoadHoister::endsSearch(InstId I) const {
  const OpInfo &Info = opInfo(Src.Insts[I].Opcode);
  if (Info.Effects == Effect::Sync)
    return !exchangesLanes(Src.Insts[I].Opcode);
  return Info.Effects == Effect::Control ||
         (Info.Effects == Effect::Write && Src.Insts[I].Opcode != Op::Store);
}

void LoadHoister::hoistBefore(InstId Store) {
  const std::vector<InstId> &Insts = Src.Blocks[Where.blockOf(Store)].Insts;
  std::vector<InstId> Crossed{Store};
  unsigned Moved = 0;
  size_t End = std::min(Insts.size(), Position[Store] + MostStatements);
  for (size_t N = Position[Store] + 1; N < End && Moved < MostLoads; ++N) {
    InstId I = Insts[N];
    if (endsSearch(I))
      return;
    if (isStore(I))
      Crossed.push_back(I);
    if (!isMovable(I))
      continue;
    bool Free = std::all_of(Crossed.begin(), Crossed.end(),
                            [&](InstId S) { return differ(I, S); });
    bool Pure =
        std::all_of(placeOf(I).Path.begin(), placeOf(I).Path.end(),
                    [&](const PathElement &E) {
                      return !E.isDynamic() || isPureFrom(E.Index, Store, 16);
                    });
    if (!Free || !Pure || !spend())
      continue;
    move(I, Store);
    ++Moved;
  }
}

/// True if the first index alone tells elements apart.
bool LoadHoister::isIndexed(const Place &P) const {
  if (P.Path.empty())
    return false;
  if (P.Base.Kind != BaseKind::Param)
    return true;
  const Param &Bound = Src.Params[P.Base.Index];
  return Bound.Kind == ParamKind::Buffer && !Bound.ExpandedFrom &&
         !Src.WordsBinding;
}

bool LoadHoister::differ(InstId Load, InstId Store) {
  const Place &L = placeOf(Load), &S = placeOf(Store);
  if (L.Base.Kind == BaseKind::Table || L.Base.Kind != S.Base.Kind)
    return true;
  if (L.Base.Kind == BaseKind::Workgroup && L.Base != S.Base)
    return true;
  if (!isIndexed(L) || !isIndexed(S))
    return false;
  if (L.Base.Kind == BaseKind::Param &&
      M.Types.stride(baseType(M, Src, L.Base)) !=
          M.Types.stride(baseType(M, Src, S.Base)))
    return false;
  return neverEqual(Indices.ofElement(L.Path[0]), Indices.ofElement(S.Path[0]));
}

/// True if the value is there in front of the store, or pure up to such ones.
bool LoadHoister::isPureFrom(ValueId V, InstId Store, unsigned Depth) const {
  if (!isNear(V, Store))
    return true;
  if (Depth == 0 || !isPure(Src.Insts[V].Opcode))
    return false;
  std::span<const ValueId> Operands = Src.operands(V);
  return std::all_of(Operands.begin(), Operands.end(), [&](ValueId Operand) {
    return isPureFrom(Operand, Store, Depth - 1);
  });
}

/// A load, or a value that its index is made of.
void LoadHoister::move(InstId I, InstId Store) {
  for (ValueId V : Src.operands(I))
    if (isNear(V, Store))
      move(V, Store);
  if (accessesPlace(Src.Insts[I].Opcode))
    for (const PathElement &E : placeOf(I).Path)
      if (E.isDynamic() && isNear(E.Index, Store))
        move(E.Index, Store);
  Span Loc = B.loc();
  B.setLoc(Src.Insts[I].Loc);
  copy(I);
  B.setLoc(Loc);
  Done.set(I, true);
}

class HoistLoadsPass : public Pass {
public:
  std::string_view name() const override { return "hoist-loads"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<LoadHoister>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createHoistLoadsPass() {
  return std::make_unique<HoistLoadsPass>();
}

} // namespace goldy
