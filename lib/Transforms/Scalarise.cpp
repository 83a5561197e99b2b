//===- Scalarise.cpp - Aggregates become scalars
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of vector, array or struct type becomes the list of its leaves, in
// order; construct and extract vanish, everything else happens leaf by leaf. A
// slot of such a type becomes one slot a leaf. An array within it that is
// somewhere indexed by a computed value stays an array, of scalars: an array of
// structs becomes one array a field. Wants calls expanded (does so itself if
// there are any) and constant indices folded before; enables value forwarding.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Transforms/Inline.h"

#include <map>

namespace goldy {
namespace {

using MemberPath = std::vector<uint32_t>;

/// Stands in a path for "some element of an array that stays an array".
constexpr uint32_t AnyElement = 0xffffffffu;

/// The value of an index if it is constant, of either integer type.
std::optional<int64_t> constantIndex(const Function &F, const PathElement &E) {
  if (!E.isDynamic())
    return E.Member;
  const Inst &I = F.Insts[E.Index];
  if (I.Opcode != Op::Const)
    return std::nullopt;
  return I.Type == types::I32 ? int64_t(static_cast<int32_t>(I.Imm))
                              : int64_t(I.Imm);
}

void collectLeaves(const TypeTable &Types, TypeId T, MemberPath &Path,
                   std::vector<MemberPath> &Out) {
  uint32_t Members = Types.memberCount(T);
  if (Members == 0)
    return Out.push_back(Path);
  for (uint32_t K = 0; K < Members; ++K) {
    Path.push_back(K);
    collectLeaves(Types, Types.memberType(T, K), Path, Out);
    Path.pop_back();
  }
}

/// Which arrays inside slots are indexed by computed values. A node is a path
/// of members with AnyElement for every array on the way.
class DynamicArrays {
public:
  DynamicArrays(const Module &M, const Function &F) {
    forEachInst(F, [&](InstId I) {
      if (F.Insts[I].Where)
        note(M, F, F.Places[F.Insts[I].Where]);
    });
  }
  bool contains(SlotId S, const MemberPath &Node) const {
    return Nodes.count({S.index(), Node}) != 0;
  }

private:
  void note(const Module &M, const Function &F, const Place &P) {
    if (P.Base.Kind != BaseKind::Slot)
      return;
    MemberPath Node;
    TypeId T = F.Slots[SlotId(P.Base.Index)].Type;
    for (const PathElement &E : P.Path) {
      bool Array = M.Types.kind(T) == TypeKind::Array;
      if (Array && !constantIndex(F, E))
        Nodes[{P.Base.Index, Node}] = true;
      Node.push_back(Array ? AnyElement : E.Member);
      T = M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
    }
  }
  std::map<std::pair<uint32_t, MemberPath>, bool> Nodes;
};

class Scalariser : public PassRewriter {
public:
  Scalariser(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Dynamic(M, Src) {
    Changed = hasAggregates();
  }

protected:
  InstId visit(InstId I) override;

private:
  using Values = std::vector<ValueId>;
  bool isAggregate(TypeId T) const { return M.Types.memberCount(T) != 0; }
  bool hasAggregates() const;
  const std::vector<MemberPath> &leafPaths(TypeId T);
  Values leavesOf(ValueId V) {
    return isAggregate(Src.typeOf(V)) ? Leaves[V] : Values{map(V)};
  }
  InstId setLeaves(InstId I, Values V);
  InstId construct(InstId I);
  InstId extract(InstId I);
  InstId elementwise(InstId I);
  InstId selectLeaves(InstId I);
  InstId load(InstId I);
  InstId store(InstId I);

  /// The place of one leaf, invalid if a constant index is out of range.
  PlaceId leafPlace(const Place &P, const MemberPath &Leaf);
  PlaceId slotLeafPlace(const Place &P, const MemberPath &Leaf);
  PlaceBase slotFor(SlotId Old, const MemberPath &Key, TypeId T);

  DynamicArrays Dynamic;
  SideMap<Inst, Values> Leaves;
  std::map<uint32_t, std::vector<MemberPath>> PathsOf;
  std::map<std::pair<uint32_t, MemberPath>, SlotId> NewSlots;
};

bool Scalariser::hasAggregates() const {
  bool Any = false;
  for (const Slot &S : Src.Slots)
    Any |= isAggregate(S.Type);
  for (const Inst &I : Src.Insts)
    Any |= isAggregate(I.Type);
  return Any;
}

const std::vector<MemberPath> &Scalariser::leafPaths(TypeId T) {
  std::vector<MemberPath> &Paths = PathsOf[T.index()];
  MemberPath Path;
  if (Paths.empty())
    collectLeaves(M.Types, T, Path, Paths);
  return Paths;
}

/// Records the leaves of an aggregate; a scalar is its only leaf.
InstId Scalariser::setLeaves(InstId I, Values V) {
  if (!isAggregate(Src.Insts[I].Type))
    return V.front();
  Leaves.set(I, std::move(V));
  return {};
}

InstId Scalariser::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Construct)
    return construct(I);
  if (N.Opcode == Op::Extract)
    return extract(I);
  if (N.Opcode == Op::Load || N.Opcode == Op::WorkgroupUniformLoad)
    return load(I);
  if (N.Opcode == Op::Store)
    return store(I);
  if (!isAggregate(N.Type))
    return copy(I);
  return N.Opcode == Op::Select ? selectLeaves(I) : elementwise(I);
}

InstId Scalariser::construct(InstId I) {
  Values All;
  for (ValueId V : Src.operands(I)) {
    Values Part = leavesOf(V);
    All.insert(All.end(), Part.begin(), Part.end());
  }
  return setLeaves(I, std::move(All));
}

InstId Scalariser::extract(InstId I) {
  ValueId Whole = Src.operand(I, 0);
  const Values &All = Leaves[Whole];
  size_t Skip = 0;
  for (uint32_t K = 0; K < Src.Insts[I].Imm; ++K)
    Skip += leafPaths(M.Types.memberType(Src.typeOf(Whole), K)).size();
  size_t Count = leafPaths(Src.Insts[I].Type).size();
  return setLeaves(I, Values(All.begin() + Skip, All.begin() + Skip + Count));
}

InstId Scalariser::selectLeaves(InstId I) {
  Values A = leavesOf(Src.operand(I, 1)), C = leavesOf(Src.operand(I, 2));
  ValueId Cond = map(Src.operand(I, 0));
  Values Result;
  for (size_t K = 0; K < A.size(); ++K)
    Result.push_back(B.select(Cond, A[K], C[K]));
  return setLeaves(I, std::move(Result));
}

InstId Scalariser::elementwise(InstId I) {
  const Inst &N = Src.Insts[I];
  TypeId Scalar = M.Types.scalarOf(N.Type);
  std::vector<Values> Operands;
  for (ValueId V : Src.operands(I))
    Operands.push_back(leavesOf(V));
  Values Result;
  for (uint32_t K = 0; K < M.Types.memberCount(N.Type); ++K) {
    Values Each;
    // The amount of a vector's shift may be one scalar for all.
    for (const Values &V : Operands)
      Each.push_back(V.size() == 1 ? V[0] : V[K]);
    Result.push_back(B.opTyped(N.Opcode, Scalar, Each, N.Imm));
  }
  return setLeaves(I, std::move(Result));
}

InstId Scalariser::load(InstId I) {
  const Inst &N = Src.Insts[I];
  const Place &P = Src.Places[N.Where];
  ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
  Values Result;
  for (const MemberPath &Leaf : leafPaths(P.Type)) {
    PlaceId Where = leafPlace(P, Leaf);
    if (!Where) {
      TypeId T = P.Type;
      for (uint32_t Member : Leaf)
        T = M.Types.memberType(T, Member);
      Result.push_back(B.zero(T));
      continue;
    }
    bool Whole = !isAggregate(N.Type);
    Result.push_back(Whole                  ? copyAccess(I, Where, Guard)
                     : N.Opcode == Op::Load ? B.load(Where, Guard)
                                            : B.uniformLoad(Where));
  }
  return setLeaves(I, std::move(Result));
}

InstId Scalariser::store(InstId I) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
  Values All = leavesOf(Src.operand(I, 0));
  const std::vector<MemberPath> &Paths = leafPaths(P.Type);
  for (size_t K = 0; K < Paths.size(); ++K)
    if (PlaceId Where = leafPlace(P, Paths[K]))
      B.store(Where, All[K], Guard);
  return {};
}

PlaceId Scalariser::leafPlace(const Place &P, const MemberPath &Leaf) {
  if (P.Base.Kind == BaseKind::Slot)
    return slotLeafPlace(P, Leaf);
  std::vector<PathElement> Path = mapPath(P.Path);
  for (uint32_t Member : Leaf)
    Path.push_back({{}, Member});
  return B.place(P.Base, std::move(Path));
}

PlaceId Scalariser::slotLeafPlace(const Place &P, const MemberPath &Leaf) {
  std::vector<PathElement> Path = P.Path;
  for (uint32_t Member : Leaf)
    Path.push_back({{}, Member});
  SlotId Old(P.Base.Index);
  TypeId T = Src.Slots[Old].Type;
  MemberPath Node, Key;
  std::vector<PathElement> Kept;
  for (const PathElement &E : Path) {
    bool Array = M.Types.kind(T) == TypeKind::Array;
    std::optional<int64_t> Index = constantIndex(Src, E);
    if (Array && Index && (*Index < 0 || *Index >= M.Types.memberCount(T)))
      return {};
    if (Array && Dynamic.contains(Old, Node)) {
      Kept.push_back(Index ? PathElement{{}, static_cast<uint32_t>(*Index)}
                           : PathElement{map(E.Index), 0});
      Key.push_back(AnyElement);
    } else {
      Key.push_back(static_cast<uint32_t>(*Index));
    }
    Node.push_back(Array ? AnyElement : E.Member);
    T = M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
  }
  return B.place(slotFor(Old, Key, T), std::move(Kept));
}

/// The slot for one leaf of an old one: its scalar inside the arrays that stay.
PlaceBase Scalariser::slotFor(SlotId Old, const MemberPath &Key, TypeId T) {
  if (Key.empty())
    return {BaseKind::Slot, Old.index()};
  SlotId &New = NewSlots[{Old.index(), Key}];
  if (New)
    return {BaseKind::Slot, New.index()};
  std::string Name = Src.Slots[Old].Name;
  std::vector<uint32_t> Extents;
  TypeId Level = Src.Slots[Old].Type;
  for (uint32_t K : Key) {
    if (K == AnyElement)
      Extents.push_back(M.Types.memberCount(Level));
    else
      Name += "_" + std::to_string(K);
    Level = M.Types.memberType(Level, K == AnyElement ? 0 : K);
  }
  for (size_t K = Extents.size(); K-- > 0;)
    T = M.Types.array(T, Extents[K]);
  New = Dst.Slots.push({std::move(Name), T, Src.Slots[Old].Loc});
  return {BaseKind::Slot, New.index()};
}

class ScalarisePass : public Pass {
public:
  std::string_view name() const override { return "scalarise"; }
  PassResult run(Module &M, PassContext &Context) override {
    bool Inlined = inlineCalls(M);
    PassResult R = rewriteFunctions<Scalariser>(M, Context);
    for (Function &F : M.Functions)
      removeUnusedSlots(F);
    return Inlined ? PassResult::Changed : R;
  }
};

} // namespace

std::unique_ptr<Pass> createScalarisePass() {
  return std::make_unique<ScalarisePass>();
}

} // namespace goldy
