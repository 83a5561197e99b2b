//===- Uniformity.cpp - What is the same for every work-item
//----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything starts as uniform and walks over the function mark what is not,
// until nothing changes; marks are never taken back, so that ends. Divergence
// of control has three sources: a branch on a varying condition, an exit taken
// under divergent control (all that follows, up to where the exit joins, is
// then reached by a part of the group), and a loop that some work-items leave
// earlier than others (its whole body is). A call is analysed in the callee,
// once for each pattern of varying arguments.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Uniformity.h"

#include "goldyc/Analysis/Structure.h"

#include <map>

namespace goldy {
namespace {

/// Is control uniform, and if not, the statement that split it.
struct Control {
  bool Divergent = false;
  InstId Cause;
};

/// An exit taken under divergent control that has not joined yet.
struct PendingExit {
  InstId Target; ///< invalid: return
  bool Continue = false;
  InstId Cause;
};
using PendingExits = std::vector<PendingExit>;

/// How a parameter of the analysed function behaves.
enum class ParamFacts : uint8_t { Uniform, Varying };
using Facts = std::vector<ParamFacts>;

/// Shared by the analysis of a kernel and of the helpers it calls.
struct Context {
  const Module &M;
  std::array<uint32_t, 3> WorkgroupSize;
  Among Whom = Among::Group;
  std::map<std::pair<uint32_t, Facts>, bool> ReturnVaries = {};
};

class Analyser {
public:
  Analyser(Context &C, const Function &F, Facts Params, InstId Shared = {})
      : C(C), F(F), Params(std::move(Params)), Shared(Shared) {}

  void run() {
    do {
      Changed = false;
      walk(F.Body, {});
    } while (Changed);
  }
  Uniformity result() const;
  bool returnVaries() const { return ReturnVaries; }

private:
  PendingExits walk(BlockId B, Control Ctl);
  PendingExits visit(InstId I, Control Ctl);
  PendingExits visitIf(InstId I, Control Ctl);
  PendingExits visitLoop(InstId I, Control Ctl);
  PendingExits visitBlock(InstId I, Control Ctl);
  PendingExits visitExit(InstId I, Control Ctl);
  void visitStore(InstId I, Control Ctl);
  void visitLoad(InstId I);
  void visitCall(InstId I);
  void visitValue(InstId I);
  void visitReturn(InstId I, Control Ctl);

  bool varies(ValueId V) const;
  InstId causeOf(ValueId V) const { return Cause[V] ? Cause[V] : V; }
  void markVarying(InstId I, InstId Why);
  void markLoop(InstId Loop, InstId Why);
  void markSlot(SlotId S, InstId Why);
  /// The first varying index of a place or guard of an access, if any.
  ValueId varyingIndex(InstId I) const;

  Context &C;
  const Function &F;
  Facts Params; ///< scalars: their value; resources: what is read from them
  const InstId Shared; ///< a branch that is uniform by decree
  SideMap<Inst, bool> Varying{false}, Diverged{false};
  SideMap<Inst, InstId> Cause, SplitBy, LoopSplitBy;
  SideMap<Slot, InstId> SlotCause;
  bool ReturnVaries = false;
  bool Changed = false;
};

bool Analyser::varies(ValueId V) const {
  const Inst &I = F.Insts[V];
  if (I.Opcode == Op::ParamValue)
    return Params[I.Imm] == ParamFacts::Varying;
  if (I.Opcode == Op::LoopVar)
    return varies(F.operand(I.Target, 0));
  return Varying[V];
}

void Analyser::markVarying(InstId I, InstId Why) {
  if (Varying[I])
    return;
  Varying.set(I, true);
  Cause.set(I, Why);
  Changed = true;
}

void Analyser::markLoop(InstId Loop, InstId Why) {
  if (LoopSplitBy[Loop])
    return;
  LoopSplitBy.set(Loop, Why);
  Changed = true;
}

void Analyser::markSlot(SlotId S, InstId Why) {
  if (SlotCause[S])
    return;
  SlotCause.set(S, Why);
  Changed = true;
}

PendingExits Analyser::walk(BlockId B, Control Ctl) {
  PendingExits Pending;
  for (InstId I : F.Blocks[B].Insts) {
    Control Here = Ctl;
    if (!Here.Divergent && !Pending.empty())
      Here = {true, Pending.front().Cause};
    if (Here.Divergent && !Diverged[I]) {
      Diverged.set(I, true);
      SplitBy.set(I, Here.Cause);
      Changed = true;
    }
    PendingExits Inner = visit(I, Here);
    Pending.insert(Pending.end(), Inner.begin(), Inner.end());
  }
  return Pending;
}

PendingExits Analyser::visit(InstId I, Control Ctl) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If:
    return visitIf(I, Ctl);
  case Op::Loop:
  case Op::For:
    return visitLoop(I, Ctl);
  case Op::Block:
    return visitBlock(I, Ctl);
  case Op::Break:
  case Op::Continue:
    return visitExit(I, Ctl);
  case Op::Return:
    visitReturn(I, Ctl);
    return visitExit(I, Ctl);
  case Op::Store:
    visitStore(I, Ctl);
    return {};
  case Op::Load:
    visitLoad(I);
    return {};
  case Op::Call:
    visitCall(I);
    return {};
  default:
    if (isAtomic(N.Opcode) || N.Opcode == Op::LaneExchange)
      markVarying(I, I);
    else if (isPure(N.Opcode))
      visitValue(I);
    return {};
  }
}

PendingExits Analyser::visitIf(InstId I, Control Ctl) {
  if (!Ctl.Divergent && I != Shared && varies(F.operand(I, 0)))
    Ctl = {true, I};
  PendingExits Pending = walk(F.Insts[I].Blocks[0], Ctl);
  if (BlockId Else = F.Insts[I].Blocks[1]) {
    PendingExits Other = walk(Else, Ctl);
    Pending.insert(Pending.end(), Other.begin(), Other.end());
  }
  return Pending;
}

PendingExits Analyser::visitBlock(InstId I, Control Ctl) {
  PendingExits Pending = walk(F.Insts[I].Blocks[0], Ctl);
  std::erase_if(Pending, [&](const PendingExit &E) { return E.Target == I; });
  return Pending;
}

PendingExits Analyser::visitLoop(InstId I, Control Ctl) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::For)
    for (ValueId Bound : F.operands(I))
      if (varies(Bound))
        markLoop(I, I);
  if (!Ctl.Divergent && LoopSplitBy[I])
    Ctl = {true, LoopSplitBy[I]};
  PendingExits Pending = walk(N.Blocks[0], Ctl);
  std::erase_if(Pending, [&](const PendingExit &E) {
    return E.Target == I && E.Continue;
  });
  if (N.Blocks[1]) {
    const std::vector<InstId> &Last = F.Blocks[N.Blocks[1]].Insts;
    walk(N.Blocks[1], Ctl);
    if (!Last.empty() && F.Insts[Last.back()].Opcode == Op::BreakIf &&
        varies(F.operand(Last.back(), 0)))
      markLoop(I, Last.back());
  }
  if (!Pending.empty())
    markLoop(I, Pending.front().Cause);
  std::erase_if(Pending, [&](const PendingExit &E) { return E.Target == I; });
  return Pending;
}

PendingExits Analyser::visitExit(InstId I, Control Ctl) {
  if (!Ctl.Divergent)
    return {};
  const Inst &N = F.Insts[I];
  return {{N.Target, N.Opcode == Op::Continue, Ctl.Cause}};
}

void Analyser::visitReturn(InstId I, Control Ctl) {
  std::span<const ValueId> Operands = F.operands(I);
  if (Operands.empty() || ReturnVaries ||
      !(Ctl.Divergent || varies(Operands[0])))
    return;
  ReturnVaries = true;
  Changed = true;
}

ValueId Analyser::varyingIndex(InstId I) const {
  for (const PathElement &E : F.Places[F.Insts[I].Where].Path)
    if (E.isDynamic() && varies(E.Index))
      return E.Index;
  ValueId Guard = F.guard(I);
  return Guard && varies(Guard) ? Guard : ValueId();
}

void Analyser::visitStore(InstId I, Control Ctl) {
  SlotId S = F.slotOf(I);
  if (!S)
    return;
  if (varies(F.operand(I, 0)))
    markSlot(S, causeOf(F.operand(I, 0)));
  else if (ValueId Index = varyingIndex(I))
    markSlot(S, causeOf(Index));
  else if (Ctl.Divergent)
    markSlot(S, Ctl.Cause);
}

void Analyser::visitLoad(InstId I) {
  PlaceBase Base = F.Places[F.Insts[I].Where].Base;
  if (ValueId Index = varyingIndex(I))
    return markVarying(I, causeOf(Index));
  if (Base.Kind == BaseKind::Slot && SlotCause[SlotId(Base.Index)])
    return markVarying(I, SlotCause[SlotId(Base.Index)]);
  bool Shared = Base.Kind == BaseKind::Workgroup ||
                (Base.Kind == BaseKind::Param &&
                 Params[Base.Index] == ParamFacts::Varying);
  if (Shared)
    markVarying(I, I);
}

void Analyser::visitValue(InstId I) {
  const Inst &N = F.Insts[I];
  if (C.Whom == Among::Group
          ? (N.Opcode == Op::GlobalId || N.Opcode == Op::LocalId) &&
                C.WorkgroupSize[N.Imm] != 1
          : (N.Opcode == Op::GlobalId || N.Opcode == Op::WorkgroupId) &&
                N.Imm == 0)
    return markVarying(I, I);
  for (ValueId V : F.operands(I))
    if (varies(V))
      return markVarying(I, causeOf(V));
}

bool helperReturnVaries(Context &C, FuncId Callee, const Facts &Params) {
  std::pair<uint32_t, Facts> Key{Callee.index(), Params};
  std::map<std::pair<uint32_t, Facts>, bool>::iterator Known =
      C.ReturnVaries.find(Key);
  if (Known != C.ReturnVaries.end())
    return Known->second;
  Analyser A(C, C.M.Functions[Callee], Params);
  A.run();
  return C.ReturnVaries[Key] = A.returnVaries();
}

void Analyser::visitCall(InstId I) {
  const Inst &N = F.Insts[I];
  Facts Inner;
  InstId Why = I;
  for (ValueId V : F.operands(I)) {
    bool Vary = varies(V);
    if (F.Insts[V].Opcode == Op::Ref) {
      PlaceBase Base = F.Places[F.Insts[V].Where].Base;
      Vary = Base.Kind == BaseKind::Workgroup ||
             Params[Base.Index] == ParamFacts::Varying;
    } else if (Vary && Why == I) {
      Why = causeOf(V);
    }
    Inner.push_back(Vary ? ParamFacts::Varying : ParamFacts::Uniform);
  }
  if (helperReturnVaries(C, N.Callee, Inner))
    markVarying(I, Why);
}

Uniformity Analyser::result() const {
  Uniformity U;
  for (uint32_t K = 0; K < F.Insts.size(); ++K) {
    InstId I(K);
    bool Placed = opInfo(F.Insts[I].Opcode).Effects != Effect::Leaf;
    U.Value.set(I, F.Insts[I].Type != types::Void && !varies(I));
    U.Reached.set(I, Placed && !Diverged[I]);
    bool Meets = opInfo(F.Insts[I].Opcode).Effects == Effect::Sync;
    if (Diverged[I] && (Meets || F.Insts[I].Type == types::Void))
      U.Cause.set(I, SplitBy[I]);
    else if (varies(I))
      U.Cause.set(I, causeOf(I));
  }
  for (uint32_t K = 0; K < F.Slots.size(); ++K)
    U.SlotUniform.set(SlotId(K), !SlotCause[SlotId(K)]);
  return U;
}

void markWritten(const Module &M, const Function &F, std::vector<bool> &Out,
                 std::map<uint32_t, std::vector<bool>> &Known) {
  Out.assign(F.Params.size(), false);
  forEachInst(F, [&](InstId I) {
    const Inst &N = F.Insts[I];
    bool Writes = N.Opcode == Op::Store ||
                  (isAtomic(N.Opcode) && N.Opcode != Op::AtomicLoad);
    if (Writes && F.Places[N.Where].Base.Kind == BaseKind::Param)
      Out[F.Places[N.Where].Base.Index] = true;
    if (N.Opcode == Op::WorkgroupSoftmax)
      Out[F.Places[F.Insts[F.operand(I, 0)].Where].Base.Index] = true;
    if (N.Opcode != Op::Call)
      return;
    if (!Known.count(N.Callee.index())) {
      std::vector<bool> Inner;
      markWritten(M, M.Functions[N.Callee], Inner, Known);
      Known[N.Callee.index()] = Inner;
    }
    const std::vector<bool> &Inner = Known[N.Callee.index()];
    for (uint32_t K = 0; K < N.NumOperands; ++K) {
      const Inst &Arg = F.Insts[F.operand(I, K)];
      if (Inner[K] && Arg.Opcode == Op::Ref &&
          F.Places[Arg.Where].Base.Kind == BaseKind::Param)
        Out[F.Places[Arg.Where].Base.Index] = true;
    }
  });
}

} // namespace

std::vector<bool> writtenParams(const Module &M, const Function &F) {
  std::vector<bool> Written;
  std::map<uint32_t, std::vector<bool>> Known;
  markWritten(M, F, Written, Known);
  return Written;
}

Uniformity analyseUniformity(const Module &M, const Function &F, Among Whom,
                             InstId Shared) {
  // A helper by itself may be called with anything, anywhere.
  bool Kernel = F.Kind == FuncKind::Kernel;
  Context C{M, Kernel ? F.WorkgroupSize : std::array<uint32_t, 3>{2, 2, 2},
            Whom};
  std::vector<bool> Written = writtenParams(M, F);
  Facts Params;
  for (size_t K = 0; K < F.Params.size(); ++K)
    Params.push_back(Kernel && !Written[K] ? ParamFacts::Uniform
                                           : ParamFacts::Varying);
  Analyser A(C, F, std::move(Params), Shared);
  A.run();
  return A.result();
}

} // namespace goldy
