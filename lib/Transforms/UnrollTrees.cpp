//===- UnrollTrees.cpp - Trees over a group become straight code ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group sums, or takes a maximum, level by level:
//
//   let mut k = 128;
//   while k > 0 { if l < k { s[l] += s[l + k]; } barrier(); k >>= 1; }
//
// Loops like this one, around a barrier, with a choice between work-items that
// hangs on how far the loop is, become one copy of the body a trip. There the
// choice compares ids with constants, so a target that runs work-items as lanes
// knows which of them take part (LanePlan::Regions). `for` loops with constant
// bounds are treated alike.
//
// A while loop's counter is a variable that has a constant before the loop and
// one store in it, at the loop's own level, of an expression over itself as it
// is there; the one exit asks such an expression too. Trips are counted by
// running both. The copies count no more: the counter gets its value where the
// loop is left, and at exits to statements around it.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/IR/Fold.h"

#include <optional>

namespace goldy {
namespace {

/// Levels that a tree may have, instructions of all its copies, and of the
/// function.
constexpr unsigned MaxTrips = 16, MaxCopies = 768, MaxGrown = 1 << 13;
/// Operations from a counter to what is asked of it.
constexpr unsigned MaxDepth = 8;

/// A loop with a counter whose values are known.
struct Tree {
  InstId Loop;
  SlotId Counter;              ///< invalid: a For
  InstId Exit;                 ///< the If around the break
  InstId Step;                 ///< the store to the counter
  std::vector<uint64_t> Trips; ///< the counter's value at each trip's start
  uint64_t Last = 0;           ///< and where the loop is left
};

class TreeFinder {
public:
  explicit TreeFinder(const Function &F) : F(F) {}

  /// `Before` are the statements of the loop's block that precede it.
  std::optional<Tree> find(InstId Loop, std::span<const InstId> Before) const {
    if (!meetsHere(Loop))
      return std::nullopt;
    Tree T;
    T.Loop = Loop;
    bool Known =
        F.Insts[Loop].Opcode == Op::For ? rangeOf(T) : countOf(T, Before);
    if (!Known || T.Trips.empty() || !dividesItems(T) ||
        T.Trips.size() * sizeOf(Loop) > MaxCopies)
      return std::nullopt;
    return T;
  }

private:
  unsigned sizeOf(InstId Loop) const {
    unsigned Size = 1;
    forEachInst(F, F.Insts[Loop].Blocks[0], [&](InstId) { ++Size; });
    return Size;
  }

  /// A barrier stands in the loop, and in no loop within.
  bool meetsHere(InstId Loop) const {
    bool Meets = false, Nested = false;
    for (InstId I : F.Blocks[F.Insts[Loop].Blocks[0]].Insts) {
      const Inst &N = F.Insts[I];
      Meets |= N.Opcode == Op::Barrier;
      forEachWithin(F, I, [&](InstId Inner) {
        Op O = F.Insts[Inner].Opcode;
        Nested |=
            opInfo(O).Effects == Effect::Sync || isLoop(O) || O == Op::Return;
      });
      Nested |= isLoop(N.Opcode);
    }
    return Meets && !Nested;
  }

  // --- For
  bool rangeOf(Tree &T) const {
    const Inst &N = F.Insts[T.Loop];
    ValueId Lo = F.operand(T.Loop, 0), Hi = F.operand(T.Loop, 1);
    TypeId Type = F.typeOf(Lo);
    if (N.Unroll != 0 || !F.isConst(Lo) || !F.isConst(Hi) || exits(T.Loop) ||
        (Type != types::U32 && Type != types::I32))
      return false;
    auto Wide = [&](ValueId V) {
      uint32_t Bits = static_cast<uint32_t>(F.Insts[V].Imm);
      return Type == types::I32 ? int64_t(static_cast<int32_t>(Bits))
                                : int64_t(Bits);
    };
    if (N.Imm == 0 || N.Imm > UINT32_MAX)
      return false;
    int64_t End = Wide(Hi) + (N.Flags & FlagInclusive ? 1 : 0);
    for (int64_t V = Wide(Lo); V < End; V += static_cast<int64_t>(N.Imm)) {
      if (T.Trips.size() == MaxTrips)
        return false;
      T.Trips.push_back(static_cast<uint32_t>(V));
    }
    return true;
  }
  bool exits(InstId Loop) const {
    bool Any = false;
    forEachInst(F, F.Insts[Loop].Blocks[0], [&](InstId I) {
      Any |= F.Insts[I].Target == Loop && F.Insts[I].Opcode != Op::LoopVar;
    });
    return Any;
  }

  // --- While
  SlotId slotOf(InstId I, Op O) const {
    return F.Insts[I].Opcode == O ? F.wholeSlotOf(I) : SlotId();
  }

  bool countOf(Tree &T, std::span<const InstId> Before) const {
    if (!F.Insts[T.Loop].Blocks[1] && findExit(T) && findCounter(T))
      if (std::optional<uint64_t> First = valueBefore(T.Counter, Before))
        return run(T, *First);
    return false;
  }

  /// One break, alone under a choice at the loop's own level; no continue.
  bool findExit(Tree &T) const {
    unsigned Exits = 0;
    forEachInst(F, F.Insts[T.Loop].Blocks[0],
                [&](InstId I) { Exits += F.Insts[I].Target == T.Loop; });
    for (InstId I : F.Blocks[F.Insts[T.Loop].Blocks[0]].Insts) {
      const Inst &N = F.Insts[I];
      if (N.Opcode != Op::If || N.Blocks[1])
        continue;
      const std::vector<InstId> &Taken = F.Blocks[N.Blocks[0]].Insts;
      if (Taken.size() == 1 && F.Insts[Taken[0]].Opcode == Op::Break &&
          F.Insts[Taken[0]].Target == T.Loop)
        T.Exit = I;
    }
    return T.Exit && Exits == 1;
  }

  /// The one variable that the exit hangs on.
  bool findCounter(Tree &T) const {
    SlotId Asked = onlySlot(T, F.operand(T.Exit, 0), MaxDepth);
    if (!Asked)
      return false;
    unsigned Stores = 0;
    forEachInst(F, F.Insts[T.Loop].Blocks[0], [&](InstId I) {
      bool Writes = F.Insts[I].Opcode == Op::Store && F.slotOf(I) == Asked;
      Stores += Writes ? 1 : 0;
    });
    for (InstId I : F.Blocks[F.Insts[T.Loop].Blocks[0]].Insts)
      if (slotOf(I, Op::Store) == Asked)
        T.Step = I;
    T.Counter = Asked;
    return Stores == 1 && T.Step &&
           onlySlot(T, F.operand(T.Step, 0), MaxDepth) == Asked;
  }

  /// The slot that an expression over constants and loads of it has. What was
  /// loaded before the loop is another value.
  SlotId onlySlot(const Tree &T, ValueId V, unsigned Depth) const {
    if (SlotId S = slotOf(V, Op::Load))
      return V > T.Loop ? S : SlotId();
    if (!isPure(F.Insts[V].Opcode) || Depth == 0)
      return SlotId();
    SlotId Found;
    for (ValueId Operand : F.operands(V)) {
      if (F.isConst(Operand))
        continue;
      SlotId S = onlySlot(T, Operand, Depth - 1);
      if (!S || (Found && S != Found))
        return SlotId();
      Found = S;
    }
    return Found;
  }

  std::optional<uint64_t> valueBefore(SlotId Counter,
                                      std::span<const InstId> Before) const {
    for (size_t N = Before.size(); N-- > 0;) {
      if (slotOf(Before[N], Op::Store) == Counter) {
        ValueId V = F.operand(Before[N], 0);
        return F.isConst(V) ? std::optional(F.Insts[V].Imm) : std::nullopt;
      }
      bool Writes = false;
      forEachWithin(F, Before[N], [&](InstId I) {
        Writes |= slotOf(I, Op::Store) == Counter;
      });
      if (Writes)
        return std::nullopt;
    }
    return std::nullopt;
  }

  /// The value of an expression over the counter, which `Next` is once the
  /// step has been done.
  std::optional<uint64_t> valueOf(const Tree &T, ValueId V, uint64_t Now,
                                  std::optional<uint64_t> Next) const {
    const Inst &N = F.Insts[V];
    if (F.isConst(V))
      return N.Imm;
    if (N.Opcode == Op::Load)
      return V < T.Step ? std::optional(Now) : Next;
    std::vector<uint64_t> Bits;
    for (ValueId Operand : F.operands(V)) {
      std::optional<uint64_t> O = valueOf(T, Operand, Now, Next);
      if (!O)
        return std::nullopt;
      Bits.push_back(*O);
    }
    return Bits.empty()
               ? std::nullopt
               : foldScalar(N.Opcode, F.typeOf(F.operand(V, 0)), N.Type, Bits);
  }

  bool run(Tree &T, uint64_t Now) const {
    while (T.Trips.size() <= MaxTrips) {
      std::optional<uint64_t> Next =
          valueOf(T, F.operand(T.Step, 0), Now, std::nullopt);
      std::optional<uint64_t> Leaves =
          valueOf(T, F.operand(T.Exit, 0), Now, Next);
      if (!Next || !Leaves)
        return false;
      if (*Leaves) {
        T.Last = T.Exit < T.Step ? Now : *Next;
        // What stands before the exit runs once more.
        T.Trips.push_back(Now);
        return T.Trips.size() > 1;
      }
      T.Trips.push_back(Now);
      Now = *Next;
    }
    return false;
  }

  // --- What the copies are for
  /// Work-items differ in a choice that hangs on the counter.
  bool dividesItems(const Tree &T) const {
    bool Divides = false;
    forEachInst(F, F.Insts[T.Loop].Blocks[0], [&](InstId I) {
      if (F.Insts[I].Opcode != Op::If || I == T.Exit)
        return;
      bool Id = false, Count = false;
      look(T, F.operand(I, 0), MaxDepth, Id, Count);
      Divides |= Id && Count;
    });
    return Divides;
  }
  void look(const Tree &T, ValueId V, unsigned Depth, bool &Id,
            bool &Count) const {
    const Inst &N = F.Insts[V];
    Id |= N.Opcode == Op::LocalId || N.Opcode == Op::GlobalId;
    Count |= T.Counter ? slotOf(V, Op::Load) == T.Counter
                       : N.Opcode == Op::LoopVar && N.Target == T.Loop;
    if (isPure(N.Opcode) && Depth != 0)
      for (ValueId Operand : F.operands(V))
        look(T, Operand, Depth - 1, Id, Count);
  }

  const Function &F;
};

class TreeUnroller : public PassRewriter {
public:
  TreeUnroller(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Finder(Src) {
    noteBlock(Src.Body);
  }

protected:
  InstId visit(InstId I) override {
    if (Now.Loop && Now.Counter)
      if (std::optional<InstId> Known = inTree(I))
        return *Known;
    Op O = Src.Insts[I].Opcode;
    if (isLoop(O) && Trees[I].Loop && Dst.Insts.size() < MaxGrown && spend()) {
      unroll(Trees[I]);
      return InstId();
    }
    return copy(I);
  }

private:
  void noteBlock(BlockId B) {
    const std::vector<InstId> &List = Src.Blocks[B].Insts;
    for (size_t N = 0; N < List.size(); ++N) {
      const Inst &I = Src.Insts[List[N]];
      if (isLoop(I.Opcode))
        if (std::optional<Tree> T =
                Finder.find(List[N], std::span(List).first(N)))
          Trees.set(List[N], *T);
      for (BlockId Inner : I.Blocks)
        if (Inner)
          noteBlock(Inner);
    }
  }

  bool accesses(InstId I) const {
    const Inst &N = Src.Insts[I];
    if (N.Opcode != Op::Load && N.Opcode != Op::Store)
      return false;
    const PlaceBase &Base = Src.Places[N.Where].Base;
    return Base.Kind == BaseKind::Slot && SlotId(Base.Index) == Now.Counter;
  }
  /// What becomes of the statements that count.
  std::optional<InstId> inTree(InstId I) {
    if (I == Now.Exit || I == Now.Step)
      return InstId();
    uint64_t Here = I > Now.Step ? After : Value;
    if (accesses(I))
      return B.constant(Src.typeOf(I), Here);
    Op O = Src.Insts[I].Opcode;
    if (O == Op::Break || O == Op::Continue) // to a statement around the loop
      storeCounter(Here);
    return std::nullopt;
  }

  void storeCounter(uint64_t Bits) {
    TypeId Type = Src.typeOf(Src.operand(Now.Step, 0));
    B.store(B.slotPlace(Now.Counter), B.constant(Type, Bits));
  }

  void unroll(const Tree &T) {
    Tree Outer = std::exchange(Now, T);
    if (T.Counter)
      unrollWhile(T);
    else
      for (uint64_t V : T.Trips) {
        ValueId Var = Src.Insts[T.Loop].Var;
        setMapping(Var, B.constant(Src.typeOf(Var), V));
        copyBlock(Src.Insts[T.Loop].Blocks[0]);
      }
    Now = Outer;
  }

  void unrollWhile(const Tree &T) {
    const std::vector<InstId> &Body =
        Src.Blocks[Src.Insts[T.Loop].Blocks[0]].Insts;
    for (size_t N = 0; N < T.Trips.size(); ++N) {
      bool Leaves = N + 1 == T.Trips.size();
      Value = T.Trips[N];
      After = Leaves ? T.Last : T.Trips[N + 1];
      for (InstId I : Body) {
        if (Leaves && I == T.Exit)
          break;
        B.setLoc(Src.Insts[I].Loc);
        if (InstId New = visit(I))
          setMapping(I, New);
      }
    }
    storeCounter(T.Last);
  }

  TreeFinder Finder;
  SideMap<Inst, Tree> Trees;
  Tree Now; ///< the tree whose body is copied
  uint64_t Value = 0, After = 0;
};

class UnrollTreesPass : public Pass {
public:
  std::string_view name() const override { return "unroll-trees"; }
  PassResult run(Module &M, PassContext &Context) override {
    return Context.KeepsSlots ? PassResult::Unchanged
                              : rewriteFunctions<TreeUnroller>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createUnrollTreesPass() {
  return std::make_unique<UnrollTreesPass>();
}

} // namespace goldy
