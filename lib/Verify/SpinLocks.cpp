//===- SpinLocks.cpp - Loops that wait for other work-items
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warning, V66. Work-items of a group make no independent progress, so a loop
// that only another one can end may hang. A loop is such a wait if every exit
// hangs on an atomic in it that asks whether somebody wrote: a load, an
// exchange, or a compare-exchange against a value from before the loop. One
// that expects what the loop itself has just read is the usual retry of an
// update, of which one always succeeds. A plain read asks so too, of memory
// that the kernel may write but this loop does not, at an index that stays the
// same.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "goldyc/Analysis/Structure.h"

#include <algorithm>

namespace goldy::verifier {
namespace {

class WaitFinder {
public:
  WaitFinder(const Function &F, const Structure &Where, InstId Loop)
      : F(F), Where(Where), Loop(Loop) {}

  /// The access that the loop waits for, if it is a wait.
  InstId run() {
    bool EveryExitWaits = true, Any = false;
    forEachWithin(F, Loop, [&](InstId I) {
      noteStore(I);
      noteWrite(I);
    });
    auto Exit = [&](InstId I) {
      if (!leavesLoop(I))
        return;
      Any = true;
      EveryExitWaits &= waits(I);
    };
    forEachWithin(F, Loop, Exit);
    return Any && EveryExitWaits ? Waited : InstId();
  }

private:
  bool inLoop(InstId I) const {
    for (BlockId B : F.Insts[Loop].Blocks)
      if (B && Where.contains(B, I))
        return true;
    return false;
  }
  bool leavesLoop(InstId I) const {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::Return)
      return true;
    if (N.Opcode == Op::BreakIf)
      return Where.parentOf(I) == Loop;
    bool Jumps = N.Opcode == Op::Break || N.Opcode == Op::Continue;
    return Jumps && !inLoop(N.Target) &&
           (N.Target != Loop || N.Opcode == Op::Break);
  }
  void noteStore(InstId I) {
    if (F.Insts[I].Opcode == Op::Store && F.slotOf(I))
      Stores.at(F.slotOf(I)).push_back(I);
  }

  void noteWrite(InstId I) {
    const Inst &N = F.Insts[I];
    Effect E = opInfo(N.Opcode).Effects;
    Meets |= E == Effect::Sync || N.Opcode == Op::Call;
    if (E == Effect::Write && N.Where)
      Written.push_back(F.Places[N.Where].Base);
  }
  /// A read of what only another work-item changes while the loop runs.
  bool polls(const Inst &N) const {
    const Place &P = F.Places[N.Where];
    bool Shared = P.Base.Kind == BaseKind::Workgroup ||
                  (P.Base.Kind == BaseKind::Param &&
                   F.Params[P.Base.Index].Acc != Access::Read);
    if (!Shared || Meets ||
        std::find(Written.begin(), Written.end(), P.Base) != Written.end())
      return false;
    for (const PathElement &E : P.Path)
      if (E.isDynamic() && changes(E.Index))
        return false;
    return true;
  }

  bool waits(InstId Exit) {
    Found = InstId();
    Ends = false;
    Seen = SideMap<Inst, bool>{false};
    reason(Exit);
    if (Found && !Ends)
      Waited = Found;
    return Found && !Ends;
  }
  /// What decides that `I` is reached, and what it takes.
  void reason(InstId I) {
    for (ValueId V : F.operands(I))
      value(V);
    for (InstId P = Where.parentOf(I); P && P != Loop; P = Where.parentOf(P))
      if (F.Insts[P].Opcode == Op::If)
        value(F.operand(P, 0));
  }
  void value(ValueId V) {
    const Inst &N = F.Insts[V];
    if (opInfo(N.Opcode).Effects == Effect::Leaf || Seen[V] || !inLoop(V))
      return;
    Seen.set(V, true);
    if (N.Opcode == Op::AtomicCompareExchange && changes(F.operand(V, 0)))
      Ends = true;
    else if (N.Opcode == Op::AtomicLoad || N.Opcode == Op::AtomicExchange ||
             N.Opcode == Op::AtomicCompareExchange)
      Found = V;
    else if (N.Opcode == Op::Load && F.slotOf(V))
      variable(F.slotOf(V));
    else if (N.Opcode == Op::Load && polls(N))
      Found = V;
    else
      for (ValueId Operand : F.operands(V))
        value(Operand);
  }
  /// A variable that the loop changes for other reasons than an atomic, such as
  /// a counter, may end it.
  void variable(SlotId S) {
    for (InstId Store : Stores[S]) {
      InstId Before = Found;
      Found = InstId();
      reason(Store);
      Ends |= !Found;
      Found = Found ? Found : Before;
    }
  }
  /// True if the value is computed or read within the loop.
  bool changes(ValueId V) const {
    return opInfo(F.Insts[V].Opcode).Effects != Effect::Leaf && inLoop(V);
  }

  const Function &F;
  const Structure &Where;
  InstId Loop, Waited, Found;
  bool Ends = false;              ///< the loop's own work can end it
  std::vector<PlaceBase> Written; ///< in the loop
  bool Meets = false; ///< the loop waits for the group, or calls a helper
  SideMap<Inst, bool> Seen{false};
  SideMap<Slot, std::vector<InstId>> Stores;
};

} // namespace

void warnOfSpinLocks(const Function &F, Reporter &R) {
  Structure Where(F);
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Opcode != Op::Loop)
      return;
    if (InstId Waited = WaitFinder(F, Where, I).run())
      R.sink().report(diag::G0566, F.Insts[Waited].Loc)
              .help("let each work-item do its part without waiting: add with "
                    "an atomic, or split the kernel where all must be done")
          << "this loop waits for another work-item, which may never get to "
             "run";
  });
}

} // namespace goldy::verifier
