//===- Control.cpp - Structured control flow
//-------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR is structured and so is SPIR-V; each form maps to one construct:
//
//   If     selection
//   Loop   loop; Blocks[1] is the continue construct, its break_if the
//          conditional back edge
//   Block  switch with a default only, the one breakable non-loop construct
//
// SPIR-V allows an exit only to the innermost loop's merge or continue target
// and to the innermost switch's merge. Everything after a terminator is dead
// and left out; a merge block that nothing reaches ends in OpUnreachable.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

namespace goldy::spirv {

using enum spv::Op;

void Emitter::block(BlockId Block) {
  for (InstId I : F.Blocks[Block].Insts) {
    if (!isLive())
      return;
    statement(I);
  }
}

void Emitter::statement(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If:
    return ifElse(I);
  case Op::Loop:
    return loop(I);
  case Op::Block:
    return breakable(I);
  case Op::Break:
    return breakTo(I);
  case Op::Continue:
    return continueTo(I);
  case Op::BreakIf:
    return breakIf(I);
  case Op::Return:
    return returnFrom(I);
  case Op::Assume:
    return;
  case Op::Barrier:
    return barrier();
  case Op::LaneExchange:
  case Op::LaneFirst:
    Values.set(I, lanes(I));
    return;
  case Op::For:
  case Op::Call:
    unsupported(I);
    return;
  default:
    break;
  }
  bool Whole = N.Opcode == Op::WorkgroupUniformLoad;
  if (Whole)
    barrier();
  Id Result = isPure(N.Opcode) ? pure(I) : memory(I);
  if (Whole)
    barrier();
  if (!Result)
    Failed = true;
  else if (N.Type != types::Void)
    Values.set(I, Result);
}

/// Opens a merge block. Nothing is emitted into one that nothing reaches; but
/// within a continuing block it stays open, as that must arrive at its back
/// edge.
void Emitter::merge(Id Label, bool Reached) {
  C.label(Label);
  Dead = !Reached;
  if (Reached)
    return;
  for (const Construct &Here : Constructs)
    if (Here.InContinuing)
      return;
  C.unreachable();
}

/// Ends a block of a construct: goes to `To` if the block is open. True if
/// that happens in a run.
bool Emitter::leave(Id To) {
  bool Live = isLive();
  if (C.isOpen())
    C.branch(To);
  return Live;
}

void Emitter::ifElse(InstId I) {
  const Inst &N = F.Insts[I];
  Id Condition = operand(I, 0);
  if (!Condition)
    return;
  Id Then = B.newId(), Merge = B.newId();
  Id Else = N.Blocks[1] ? B.newId() : Merge;
  C.selectionMerge(Merge);
  C.branchIf(Condition, Then, Else);
  bool Reached = Else == Merge;
  for (unsigned Arm = 0; Arm < (N.Blocks[1] ? 2u : 1u); ++Arm) {
    C.label(Arm ? Else : Then);
    Dead = false;
    block(N.Blocks[Arm]);
    if (Failed)
      return;
    Reached |= leave(Merge);
  }
  merge(Merge, Reached);
}

void Emitter::loop(InstId I) {
  const Inst &N = F.Insts[I];
  Id Header = B.newId(), Start = B.newId();
  Id Continue = B.newId(), Merge = B.newId();
  C.branch(Header);
  C.label(Header);
  C.loopMerge(Merge, Continue);
  C.branch(Start);
  C.label(Start);
  Constructs.push_back({I, true, Header, Merge, Continue});
  block(N.Blocks[0]);
  if (Failed)
    return;
  Constructs.back().ContinueReached |= leave(Continue);
  C.label(Continue);
  Constructs.back().InContinuing = true;
  Dead = !Constructs.back().ContinueReached;
  if (N.Blocks[1])
    block(N.Blocks[1]);
  bool Reached = Constructs.back().MergeReached;
  Constructs.pop_back();
  if (Failed)
    return;
  leave(Header);
  merge(Merge, Reached);
}

void Emitter::breakable(InstId I) {
  Id Start = B.newId(), Merge = B.newId();
  C.selectionMerge(Merge);
  C.enter(B.u32(0), Start);
  C.label(Start);
  Constructs.push_back({I, false, 0, Merge, 0});
  block(F.Insts[I].Blocks[0]);
  bool Reached = Constructs.back().MergeReached;
  Constructs.pop_back();
  if (Failed)
    return;
  Reached |= leave(Merge);
  merge(Merge, Reached);
}

void Emitter::unstructured(InstId I) {
  Diags.report(diag::G0682, F.Insts[I].Loc)
          .help("this comes from the passes before the emitter, not from the "
                "kernel")
      << "`" << opInfo(F.Insts[I].Opcode).Mnemonic
      << "` leaves more than the innermost construct, vulkan1.3 code needs "
         "structured exits";
  Failed = true;
}

Emitter::Construct *Emitter::exitTarget(InstId Target, bool Continue) {
  bool AnyInside = false, LoopInside = false;
  for (size_t N = Constructs.size(); N-- > 0;) {
    Construct &Here = Constructs[N];
    if (Here.InContinuing)
      return nullptr;
    if (Here.Inst == Target) {
      bool Allowed = Here.IsLoop ? !LoopInside : !AnyInside && !Continue;
      return Allowed ? &Here : nullptr;
    }
    AnyInside = true;
    LoopInside |= Here.IsLoop;
  }
  return nullptr;
}

void Emitter::breakTo(InstId I) {
  Construct *To = exitTarget(F.Insts[I].Target, false);
  if (!To)
    return unstructured(I);
  To->MergeReached = true;
  C.branch(To->Merge);
}

void Emitter::continueTo(InstId I) {
  Construct *To = exitTarget(F.Insts[I].Target, true);
  if (!To)
    return unstructured(I);
  To->ContinueReached = true;
  C.branch(To->Continue);
}

void Emitter::breakIf(InstId I) {
  Id Condition = operand(I, 0);
  if (!Condition)
    return;
  if (Constructs.empty() || !Constructs.back().InContinuing)
    return unstructured(I);
  Construct &Loop = Constructs.back();
  Loop.MergeReached = true;
  C.branchIf(Condition, Loop.Merge, Loop.Header);
}

void Emitter::returnFrom(InstId I) {
  for (const Construct &Here : Constructs)
    if (Here.InContinuing)
      return unstructured(I);
  if (F.Insts[I].NumOperands != 0) {
    unsupported(I);
    return;
  }
  C.ret();
}

} // namespace goldy::spirv
