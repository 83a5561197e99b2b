//===- SplitArrays.cpp - Workgroup arrays of scalars only -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup array of vectors or structs becomes one array for each scalar
// that an element holds: neighbours in the group then touch neighbours in
// memory, whatever the element's size, and emitters know scalars alone. An
// array within the element multiplies the length: `s[i].a[j]` is number
// `i * count + j` of its own array. Guards stand already (bounds runs before),
// so an index out of range is never used.
//
// Where the target moves 8 or 16 bytes at once, an array of vectors stays if
// its elements mostly move whole: join-accesses makes one access of each then.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/IR/VectorMemory.h"

#include <map>

namespace goldy {
namespace {

class ArraySplitter : public PassRewriter {
public:
  ArraySplitter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    countMoves();
    for (uint32_t I = 0; I < Src.WorkgroupArrays.size(); ++I)
      split(I);
  }

protected:
  InstId visit(InstId I) override;

private:
  /// The scalars that a type holds; those of one array count as one.
  void leaves(TypeId T, uint32_t Count, const std::string &Name,
              std::vector<WorkgroupArray> &Out) const;
  uint32_t leafCount(TypeId T) const;
  void split(uint32_t Array);
  void countMoves();
  void countMoves(const Block &B);
  bool holdsVectors(const PlaceBase &Base) const;
  bool staysWhole(uint32_t Array) const;
  bool isSplit(const PlaceBase &Base) const {
    return Base.Kind == BaseKind::Workgroup && !Parts[Base.Index].empty();
  }
  ValueId number(const PathElement &E);
  PlaceId scalarPlace(const Place &Old);

  /// Accesses of an array: of all components of an element in one block, and
  /// others. Atomics count among others whatever they touch.
  struct Moves {
    uint32_t Whole = 0, Apart = 0;
  };
  SideMap<WorkgroupArray, Moves> MovesOf;
  /// By old array, the new ones; empty where it stays.
  std::vector<std::vector<uint32_t>> Parts;
};

void ArraySplitter::leaves(TypeId T, uint32_t Count, const std::string &Name,
                           std::vector<WorkgroupArray> &Out) const {
  if (M.Types.kind(T) == TypeKind::Array)
    return leaves(M.Types[T].Element, Count * M.Types[T].Count, Name, Out);
  uint32_t Members = M.Types.memberCount(T);
  for (uint32_t N = 0; N < Members; ++N)
    leaves(M.Types.memberType(T, N), Count, Name + "_" + std::to_string(N),
           Out);
  if (Members == 0)
    Out.push_back({Name, M.Types.array(T, Count), {}});
}

uint32_t ArraySplitter::leafCount(TypeId T) const {
  if (M.Types.kind(T) == TypeKind::Array)
    return leafCount(M.Types[T].Element);
  uint32_t Members = M.Types.memberCount(T), Sum = Members == 0;
  for (uint32_t N = 0; N < Members; ++N)
    Sum += leafCount(M.Types.memberType(T, N));
  return Sum;
}

void ArraySplitter::countMoves() {
  if (Context.Caps.VectorMemory)
    for (const Block &B : Src.Blocks)
      countMoves(B);
}

void ArraySplitter::countMoves(const Block &B) {
  /// By array, kind and index: components seen.
  std::map<std::array<uint64_t, 4>, uint32_t> Seen;
  for (InstId I : B.Insts) {
    const Inst &N = Src.Insts[I];
    if (!N.Where || !accessesPlace(N.Opcode) ||
        !holdsVectors(Src.Places[N.Where].Base))
      continue;
    const Place &P = Src.Places[N.Where];
    const PathElement &E = P.Path[0], &Component = P.Path[1];
    bool Moves = N.Opcode == Op::Load || N.Opcode == Op::Store;
    if (!Moves || Component.isDynamic())
      ++MovesOf.at(WorkgroupId(P.Base.Index)).Apart;
    else
      Seen[{P.Base.Index, uint64_t(N.Opcode), E.isDynamic(),
            E.isDynamic() ? E.Index.index() : E.Member}] |= 1u
                                                            << Component.Member;
  }
  for (const auto &[Key, Components] : Seen) {
    WorkgroupId A(static_cast<uint32_t>(Key[0]));
    TypeId Element = M.Types[Src.WorkgroupArrays[A].Type].Element;
    bool All = Components == (1u << M.Types.memberCount(Element)) - 1;
    ++(All ? MovesOf.at(A).Whole : MovesOf.at(A).Apart);
  }
}

bool ArraySplitter::holdsVectors(const PlaceBase &Base) const {
  return Base.Kind == BaseKind::Workgroup &&
         movesWhole(M.Types,
                    M.Types[Src.WorkgroupArrays[WorkgroupId(Base.Index)].Type]
                        .Element);
}

bool ArraySplitter::staysWhole(uint32_t Array) const {
  const Moves &N = MovesOf[WorkgroupId(Array)];
  return holdsVectors({BaseKind::Workgroup, Array}) && N.Whole > N.Apart;
}

/// The first part takes the old one's number, so other arrays keep theirs.
void ArraySplitter::split(uint32_t Array) {
  const WorkgroupArray Old = Src.WorkgroupArrays[WorkgroupId(Array)];
  std::vector<uint32_t> &Own = Parts.emplace_back();
  if (M.Types.memberCount(M.Types[Old.Type].Element) == 0 ||
      staysWhole(Array) || !spend())
    return;
  std::vector<WorkgroupArray> New;
  leaves(Old.Type, 1, Old.Name, New);
  for (WorkgroupArray &Part : New) {
    Part.Loc = Old.Loc;
    if (Own.empty())
      Dst.WorkgroupArrays[WorkgroupId(Array)] = std::move(Part);
    Own.push_back(Own.empty()
                      ? Array
                      : Dst.WorkgroupArrays.push(std::move(Part)).index());
  }
}

ValueId ArraySplitter::number(const PathElement &E) {
  if (!E.isDynamic())
    return B.u32(E.Member);
  ValueId V = map(E.Index);
  ValueId Operands[] = {V};
  return Dst.typeOf(V) == types::U32
             ? V
             : B.opTyped(Op::Cast, types::U32, Operands);
}

PlaceId ArraySplitter::scalarPlace(const Place &Old) {
  TypeId T =
      M.Types[Src.WorkgroupArrays[WorkgroupId(Old.Base.Index)].Type].Element;
  ValueId Index = number(Old.Path[0]);
  uint32_t Part = 0;
  for (size_t E = 1; E < Old.Path.size(); ++E) {
    if (M.Types.kind(T) == TypeKind::Array) {
      ValueId First = B.op(Op::Mul, {Index, B.u32(M.Types[T].Count)});
      Index = B.op(Op::Add, {First, number(Old.Path[E])});
      T = M.Types[T].Element;
      continue;
    }
    for (uint32_t N = 0; N < Old.Path[E].Member; ++N)
      Part += leafCount(M.Types.memberType(T, N));
    T = M.Types.memberType(T, Old.Path[E].Member);
  }
  return B.place({BaseKind::Workgroup, Parts[Old.Base.Index][Part]},
                 {{Index, 0}});
}

InstId ArraySplitter::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (!N.Where || !isSplit(Src.Places[N.Where].Base))
    return copy(I);
  const Place &Old = Src.Places[N.Where];
  if (N.Opcode == Op::Len)
    return B.u32(
        M.Types[Src.WorkgroupArrays[WorkgroupId(Old.Base.Index)].Type].Count);
  ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
  return copyAccess(I, scalarPlace(Old), Guard);
}

class SplitArraysPass : public Pass {
public:
  std::string_view name() const override { return "split-arrays"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<ArraySplitter>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createSplitArraysPass() {
  return std::make_unique<SplitArraysPass>();
}

} // namespace goldy
