//===- MemForward.cpp - Loads of slots become the value stored
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows scalar slots along the structure: what a slot holds is known after a
// store or load of it and forgotten after a statement that may store into it.
// At the head of a loop all that the loop stores is forgotten. Wants scalarise
// before; enables folding and dce.
//
// Loads of shared memory are reused too. Memory comes in parts that never
// overlap: the buffers together, and each workgroup array. A load stays known
// as long as neither of two things may have changed its element:
//
//   A store of the work-item itself. Two parameters may name the same view, so
//   a store forgets the loads of every buffer, but for those whose element is
//   certainly another one: plain buffers, elements of one size, and indices
//   that are equal sums but for the constant (LinearIndex.h). Views that are
//   not the same do not overlap if one of them is written, and in views that
//   are, equal indices are equal elements and others are apart.
//
//   Stores of other work-items. They may be seen after a barrier only, as
//   anything else is a race, which promises nothing. Barriers stand in uniform
//   control flow: those of the group pass the same ones, and between two of
//   them all run the same phase of the kernel. A load and what another one
//   stored before the barrier of an earlier phase are in order already; so a
//   barrier forgets the parts that a store of the phase just left may have
//   reached, by any path and in any order, and no others. A load before such
//   a store may have raced with it, while a load behind the barrier does not.
//
// An atomic forgets everything. On the host a value that lives across a barrier
// is in memory anyway, one element a work-item: there a barrier forgets all.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/LinearIndex.h"
#include "goldyc/Analysis/Structure.h"

#include <map>
#include <set>

namespace goldy {
namespace {

/// What a load of shared memory depends on: part, size of the element and
/// products of the first index, its constant, then base, path and guard. In
/// this order, so that what a store leaves alone is a range.
using LoadKey = std::vector<uint64_t>;

/// A part of memory: the buffers, or a workgroup array.
using Part = uint32_t;
constexpr Part Buffers = 0, FirstArray = 1, Tables = UINT32_MAX;

/// What the statements of a block may change.
struct Effects {
  std::set<uint32_t> Slots;
  std::set<Part> Stored;
  bool Barrier = false, Everything = false;
  void add(const Effects &E) {
    Slots.insert(E.Slots.begin(), E.Slots.end());
    Stored.insert(E.Stored.begin(), E.Stored.end());
    Barrier |= E.Barrier;
    Everything |= E.Everything;
  }
};

/// What is known where the rewriter stands, as values of the result.
struct State {
  std::map<uint32_t, ValueId> Slots;
  std::map<LoadKey, ValueId> Loads;
  std::set<Part> Stored; ///< in the phase that the group is in, by anyone

  void forget(Part P) {
    Loads.erase(Loads.lower_bound({P}), Loads.lower_bound({uint64_t(P) + 1}));
  }
  void forgetOthers(const LoadKey &Store);
  void passBarrier(bool Everything);
};

/// A store to an element of a comparable base: `Store` is the beginning of the
/// keys of all elements with the same products, then the constant.
void State::forgetOthers(const LoadKey &Store) {
  LoadKey First = Store, Last = Store;
  First.pop_back();
  LoadKey End = First;
  ++End.back();
  ++Last.back();
  Loads.erase(Loads.lower_bound({Store[0]}), Loads.lower_bound(First));
  Loads.erase(Loads.lower_bound(Store), Loads.lower_bound(Last));
  Loads.erase(Loads.lower_bound(End), Loads.lower_bound({Store[0] + 1}));
}

void State::passBarrier(bool Everything) {
  for (Part P : Stored)
    forget(P);
  if (Everything)
    Loads.erase(Loads.begin(), Loads.lower_bound({Tables}));
  Stored.clear();
}

class Forwarder : public PassRewriter {
public:
  Forwarder(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Indices(Dst) {
    collectEffects(Src.Body);
  }

protected:
  InstId visit(InstId I) override;
  void enterBlock(InstId Owner, unsigned Which) override;

private:
  const Effects &collectEffects(BlockId B);
  Effects effectsOf(InstId I) const;
  std::set<Part> allParts() const;
  Part partOf(const PlaceBase &B) const;
  bool isComparable(const Place &P) const;
  LoadKey beginningOf(const Place &P);
  InstId visitControl(InstId I);
  InstId visitSlot(InstId I, uint32_t Slot);
  InstId visitShared(InstId I);
  LoadKey keyOf(InstId Load);
  void store(InstId I);
  void forget(const Effects &E);
  /// The slot that a place is as a whole, if it is a scalar one.
  std::optional<uint32_t> wholeSlot(InstId I) const {
    const Place &P = Src.Places[Src.Insts[I].Where];
    if (P.Base.Kind != BaseKind::Slot || !P.Path.empty() ||
        !M.Types.isScalar(P.Type) || Src.guard(I))
      return std::nullopt;
    return P.Base.Index;
  }
  bool isSlotAccess(InstId I) const {
    return Src.Places[Src.Insts[I].Where].Base.Kind == BaseKind::Slot;
  }
  bool isHost() const { return Context.Caps.Target == TargetKind::Host; }

  State Known;
  SideMap<Inst, State> AtEntry;
  SideMap<Block, Effects> Changes; ///< of a block, directly or below
  LinearIndices Indices;           ///< of the result
};

// --- Effects

std::set<Part> Forwarder::allParts() const {
  std::set<Part> All;
  for (uint32_t N = 0; N <= Src.WorkgroupArrays.size(); ++N)
    All.insert(N);
  return All;
}

Part Forwarder::partOf(const PlaceBase &B) const {
  if (B.Kind == BaseKind::Table)
    return Tables;
  return B.Kind == BaseKind::Workgroup ? FirstArray + B.Index : Buffers;
}

/// What a statement changes, blocks in it aside.
Effects Forwarder::effectsOf(InstId I) const {
  const Inst &N = Src.Insts[I];
  Effects E;
  E.Everything = isAtomic(N.Opcode) || N.Opcode == Op::Call ||
                 N.Opcode == Op::WorkgroupSoftmax;
  E.Barrier =
      opInfo(N.Opcode).Effects == Effect::Sync && !exchangesLanes(N.Opcode);
  if (N.Opcode == Op::Call || N.Opcode == Op::WorkgroupSoftmax)
    E.Stored = allParts();
  else if (isCollective(N.Opcode))
    E.Stored = {partOf(Src.Places[Src.Insts[Src.operand(I, 1)].Where].Base)};
  else if (N.Opcode == Op::Store && isSlotAccess(I))
    E.Slots = {Src.Places[N.Where].Base.Index};
  else if (N.Opcode == Op::Store || isAtomic(N.Opcode))
    E.Stored = {partOf(Src.Places[N.Where].Base)};
  return E;
}

const Effects &Forwarder::collectEffects(BlockId B) {
  Effects E;
  for (InstId I : Src.Blocks[B].Insts) {
    E.add(effectsOf(I));
    for (BlockId Inner : Src.Insts[I].Blocks)
      if (Inner)
        E.add(collectEffects(Inner));
  }
  Changes.set(B, std::move(E));
  return Changes[B];
}

/// After statements that may have run, in any order.
void Forwarder::forget(const Effects &E) {
  for (uint32_t S : E.Slots)
    Known.Slots.erase(S);
  for (Part P : E.Stored)
    Known.forget(P);
  if (E.Everything)
    Known.Loads.erase(Known.Loads.begin(), Known.Loads.lower_bound({Tables}));
  // Not certain to have passed it: what was stored before stays so.
  std::set<Part> Stored = Known.Stored;
  if (E.Barrier)
    Known.passBarrier(isHost());
  Known.Stored = std::move(Stored);
  Known.Stored.insert(E.Stored.begin(), E.Stored.end());
}

// --- Control

void Forwarder::enterBlock(InstId Owner, unsigned Which) {
  if (Which == 1)
    Known = AtEntry[Owner];
}

InstId Forwarder::visitControl(InstId I) {
  const Inst &N = Src.Insts[I];
  bool Loop = isLoop(N.Opcode);
  for (BlockId Inner : N.Blocks)
    if (Inner && Loop)
      forget(Changes[Inner]);
  AtEntry.set(I, Known);
  InstId New = copy(I);
  Known = AtEntry[I];
  AtEntry.set(I, {});
  for (BlockId Inner : N.Blocks) {
    if (!Inner)
      continue;
    // A branch that never comes back leaves what follows as it was, but for
    // what others may have stored there.
    const Effects &E = Changes[Inner];
    if (N.Opcode != Op::If || fallsThrough(Src, Inner))
      forget(E);
    else
      Known.Stored.insert(E.Stored.begin(), E.Stored.end());
  }
  return New;
}

// --- Slots

InstId Forwarder::visitSlot(InstId I, uint32_t Slot) {
  if (Src.Insts[I].Opcode == Op::Store) {
    InstId New = copy(I);
    Known.Slots[Slot] = map(Src.operand(I, 0));
    return New;
  }
  std::map<uint32_t, ValueId>::iterator Found = Known.Slots.find(Slot);
  if (Found != Known.Slots.end() && spend())
    return Found->second;
  return Known.Slots[Slot] = copy(I);
}

// --- Shared memory

/// True if elements of the base are told apart by their first index: plain
/// buffers and workgroup arrays, not what is indexed by a layout.
bool Forwarder::isComparable(const Place &P) const {
  if (P.Base.Kind != BaseKind::Param || P.Path.empty())
    return !P.Path.empty();
  const Param &Bound = Src.Params[P.Base.Index];
  return Bound.Kind == ParamKind::Buffer && !Bound.ExpandedFrom &&
         !Src.WordsBinding;
}

/// The key up to the constant of the first index, or to the part alone.
LoadKey Forwarder::beginningOf(const Place &P) {
  LoadKey Key{partOf(P.Base)};
  if (!isComparable(P)) {
    Key.push_back(0);
    return Key;
  }
  bool IsBuffer = P.Base.Kind == BaseKind::Param;
  Key.push_back(IsBuffer ? M.Types.stride(baseType(M, Src, P.Base)) : 1);
  PathElement First = P.Path[0];
  if (First.isDynamic())
    First.Index = map(First.Index);
  LinearIndex Index = Indices.ofElement(First);
  Key.push_back(Index.Products.size());
  for (const LinearIndex::Product &Product : Index.Products)
    Key.insert(Key.end(), {Product.Name, Product.Factor});
  Key.push_back(Index.Constant);
  return Key;
}

LoadKey Forwarder::keyOf(InstId Load) {
  const Place &P = Src.Places[Src.Insts[Load].Where];
  LoadKey Key = beginningOf(P);
  Key.insert(Key.end(), {uint64_t(P.Base.Kind), P.Base.Index});
  for (size_t N = isComparable(P) ? 1 : 0; N < P.Path.size(); ++N) {
    const PathElement &E = P.Path[N];
    Key.push_back(E.isDynamic());
    Key.push_back(E.isDynamic() ? map(E.Index).index() : E.Member);
  }
  if (ValueId Guard = Src.guard(Load))
    Key.push_back(map(Guard).index());
  return Key;
}

void Forwarder::store(InstId I) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  if (isComparable(P))
    Known.forgetOthers(beginningOf(P));
  else
    Known.forget(partOf(P.Base));
  Known.Stored.insert(partOf(P.Base));
}

InstId Forwarder::visitShared(InstId I) {
  Op O = Src.Insts[I].Opcode;
  if (O == Op::Load && !isSlotAccess(I)) {
    ValueId &Earlier = Known.Loads[keyOf(I)];
    if (Earlier && spend())
      return Earlier;
    // Copying does not touch the table, so the reference stays good.
    return Earlier = copy(I);
  }
  if (O == Op::Store && !isSlotAccess(I))
    store(I);
  else if (O == Op::Barrier || O == Op::WorkgroupUniformLoad)
    Known.passBarrier(isHost());
  else if (!isPure(O))
    forget(effectsOf(I));
  return copy(I);
}

InstId Forwarder::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Blocks[0])
    return visitControl(I);
  bool Plain = N.Opcode == Op::Load || N.Opcode == Op::Store;
  if (std::optional<uint32_t> Slot = Plain ? wholeSlot(I) : std::nullopt)
    return visitSlot(I, *Slot);
  return visitShared(I);
}

class MemForwardPass : public Pass {
public:
  std::string_view name() const override { return "mem-forward"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<Forwarder>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createMemForwardPass() {
  return std::make_unique<MemForwardPass>();
}

} // namespace goldy
