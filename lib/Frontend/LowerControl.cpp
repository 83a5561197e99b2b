//===- LowerControl.cpp - Statements, branches, loops
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that branches join goes through a slot. `while` is a loop that a
// leading branch leaves; `match` is a chain of branches; a step that is no
// constant makes a `for` a loop with the step in its continuing block.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"

#include <utility>

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

// --- Blocks and statements

ValueId Lower::blockValue(ast::BlockId Block) {
  const ast::BlockNode &Node = C.Tree[Block];
  uint32_t OuterEnd = std::exchange(NameEnd, Node.Where.End);
  for (ast::StmtId S : Node.Stmts)
    if (!Dead)
      statement(S);
  ValueId Result = Node.Tail && !Dead ? value(Node.Tail) : ValueId();
  NameEnd = OuterEnd;
  return Result;
}

void Lower::statement(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  if (Node.Form == ast::StmtForm::Let)
    let(S);
  else if (Node.Form == ast::StmtForm::Expr)
    value(Node.Value);
}

void Lower::let(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  uint32_t Index = C.LetLocal[S];
  if (Node.Wildcard) {
    if (Node.Value)
      value(Node.Value);
    return;
  }
  const Local &L = Info.Locals[Index];
  if (L.Kind == LocalKind::WorkgroupArray) {
    B.setLoc(L.Where);
    WorkgroupId W =
        B.workgroupArray(std::string(L.Name), M.Types.array(L.Final, L.Extent));
    Locals[Index] = {Storage::Memory, {}, {BaseKind::Workgroup, W.index()}};
    return;
  }
  NameBegin = Node.Where.End;
  if (!Node.Value) {
    bindValue(Index, ValueId());
    return;
  }
  if (isLongRepeat(Node.Value)) {
    bindValue(Index, ValueId());
    repeatInto({Locals[Index].Base, {}}, Node.Value);
    return;
  }
  if (!L.Mutable && isTableName(C.strip(Node.Value))) {
    Locals[Index] = {Storage::Memory, {}, baseOf(C.strip(Node.Value))};
    return;
  }
  uint32_t Before = F.Insts.size();
  ValueId V = value(Node.Value);
  if (!V)
    return;
  bool IsNew = V.index() >= Before && F.Insts[V].Name == 0 &&
               opInfo(F.Insts[V].Opcode).Effects != Effect::Leaf;
  if (IsNew && !needsSlot(L))
    B.setName(V, L.Name);
  NameBegin = Node.Where.End; // statements within the value are behind it
  bindValue(Index, V);
}

// --- Branches

bool Lower::arm(BlockId Into, SlotId Result,
                const std::function<ValueId()> &Make) {
  BlockId Outer = B.block();
  B.setBlock(Into);
  ValueId V = Make();
  bool Live = !Dead;
  if (Live && Result)
    B.store(B.slotPlace(Result), V);
  B.setBlock(Outer);
  Dead = false;
  return Live;
}

SlotId Lower::joinSlot(ast::ExprId E) {
  TypeId T = typeOf(E);
  at(E);
  return T && T != types::Void ? B.slot("", T) : SlotId();
}

ValueId Lower::joined(SlotId Result, bool Live) {
  Dead = !Live;
  return Live && Result ? B.load(B.slotPlace(Result)) : ValueId();
}

ValueId Lower::ifValue(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool HasElse = X.Else || X.Kids.size() > 1;
  ValueId Cond = value(X.Kids[0]);
  if (!Cond)
    return Cond;
  SlotId Result = joinSlot(E);
  InstId If = B.createIf(Cond, HasElse);
  BlockId Then = F.Insts[If].Blocks[0], Else = F.Insts[If].Blocks[1];
  bool Live = arm(Then, Result, [&] { return blockValue(X.Then); });
  if (HasElse)
    Live |= arm(Else, Result,
                [&] { return X.Else ? blockValue(X.Else) : value(X.Kids[1]); });
  atEnd(E);
  return joined(Result, Live || !HasElse);
}

ValueId Lower::matchesOne(const ast::Pattern &P, TypeId T, ValueId Of) {
  uint64_t Lo = *constantBits(C, P.Lo);
  if (T == types::Bool)
    return Lo ? Of : B.op(Op::Not, {Of});
  if (!P.Hi)
    return B.op(Op::Eq, {Of, B.constant(T, Lo)});
  ValueId FromLo = B.op(Op::Ge, {Of, B.constant(T, Lo)});
  ValueId Hi = B.constant(T, *constantBits(C, P.Hi));
  ValueId ToHi = B.op(P.Inclusive ? Op::Le : Op::Lt, {Of, Hi});
  return B.op(Op::And, {FromLo, ToHi});
}

/// Whether an arm takes the value; invalid if it takes every value.
ValueId Lower::matches(ast::ExprId E, const ast::MatchArm &Arm, ValueId Of) {
  ValueId Any;
  for (const ast::Pattern &P : Arm.Alternatives) {
    if (P.Wildcard)
      return ValueId();
    at(E); // tests stand where the value is, arms are what is taken
    ValueId One = matchesOne(P, typeOf(C[E].Kids[0]), Of);
    Any = Any ? B.op(Op::Or, {Any, One}) : One;
  }
  return Any;
}

ValueId Lower::matchValue(ast::ExprId E) {
  const ast::Expr &X = C[E];
  ValueId Of = value(X.Kids[0]);
  if (!Of)
    return Of;
  SlotId Result = joinSlot(E);
  BlockId Outer = B.block(), Here = Outer;
  bool Live = false;
  for (const ast::MatchArm &Arm : X.Arms) {
    B.setBlock(Here);
    bool IsLast = &Arm == &X.Arms.back();
    ValueId Cond = IsLast ? ValueId() : matches(E, Arm, Of);
    if (!Cond) {
      Live |= arm(Here, Result, [&] { return value(Arm.Body); });
      break;
    }
    at(E);
    InstId If = B.createIf(Cond, true);
    BlockId Then = F.Insts[If].Blocks[0];
    Here = F.Insts[If].Blocks[1];
    Live |= arm(Then, Result, [&] { return value(Arm.Body); });
  }
  B.setBlock(Outer);
  atEnd(E);
  return joined(Result, Live);
}

ValueId Lower::blockExpr(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (!X.Label)
    return blockValue(X.Body);
  at(E);
  InstId Block = B.createBlock();
  JumpInst[E] = Block;
  bool Live = arm(F.Insts[Block].Blocks[0], SlotId(),
                  [&] { return blockValue(X.Body); });
  Dead = !Live && !LiveBreak.count(E);
  return ValueId();
}

// --- Loops

uint32_t Lower::unrollOf(ast::ExprId E) {
  const ast::Expr &X = C[E];
  if (X.Unroll == ast::UnrollKind::None)
    return 0;
  if (X.Unroll == ast::UnrollKind::Full)
    return UnrollFull;
  return static_cast<uint32_t>(*constantBits(C, X.UnrollFactor));
}

void Lower::loopBody(ast::ExprId E, InstId Loop, BlockId Into) {
  JumpInst[E] = Loop;
  arm(Into, SlotId(), [&] { return blockValue(C[E].Body); });
}

void Lower::whileLoop(ast::ExprId E) {
  at(E);
  InstId Loop = B.createLoop(false);
  F.Insts[Loop].Unroll = unrollOf(E);
  JumpInst[E] = Loop;
  arm(F.Insts[Loop].Blocks[0], SlotId(), [&] {
    ValueId Cond = value(C[E].Kids[0]);
    if (!Cond)
      return ValueId();
    at(C[E].Kids[0]);
    InstId If = B.createIf(B.op(Op::Not, {Cond}), false);
    arm(F.Insts[If].Blocks[0], SlotId(), [&] {
      B.breakTo(Loop);
      return ValueId();
    });
    return blockValue(C[E].Body);
  });
}

void Lower::endlessLoop(ast::ExprId E) {
  at(E);
  InstId Loop = B.createLoop(false);
  F.Insts[Loop].Unroll = unrollOf(E);
  loopBody(E, Loop, F.Insts[Loop].Blocks[0]);
  Dead = !LiveBreak.count(E);
}

void Lower::forLoop(ast::ExprId E) {
  const ast::Expr &X = C[E];
  ValueId Lo = value(X.RangeLo);
  ValueId Hi = value(X.RangeHi);
  if (!Lo || !Hi)
    return;
  uint64_t Step = 1;
  if (X.Step) {
    std::optional<uint64_t> Known = constantBits(C, X.Step);
    if (!Known) {
      ValueId V = value(X.Step);
      if (V)
        steppedLoop(E, Lo, Hi, V);
      return;
    }
    Step = *Known;
  }
  at(E);
  InstId For = B.createFor(Lo, Hi, Step, X.Inclusive, unrollOf(E));
  uint32_t Index = C.ForLocal[E];
  if (!X.VarWildcard)
    B.setName(F.Insts[For].Var, X.Var.Text);
  Locals[Index] = {Storage::Value, F.Insts[For].Var, {}};
  arm(F.Insts[For].Blocks[0], SlotId(), [&] {
    showCounter(E, F.Insts[For].Var);
    return ValueId();
  });
  loopBody(E, For, F.Insts[For].Blocks[0]);
}

void Lower::showCounter(ast::ExprId E, ValueId V) {
  const ast::Expr &X = C[E];
  NameBegin = C.Tree[X.Body].Where.Begin;
  uint32_t OuterEnd = std::exchange(NameEnd, C.Tree[X.Body].Where.End);
  if (!X.VarWildcard)
    show(C.ForLocal[E], V);
  NameEnd = OuterEnd;
}

/// if lo < hi { i = lo; loop { body } continuing { i += step; break_if } },
/// where the distance left, unsigned, tells whether a step is still inside.
void Lower::steppedLoop(ast::ExprId E, ValueId Lo, ValueId Hi, ValueId Step) {
  const ast::Expr &X = C[E];
  at(E);
  TypeId T = F.typeOf(Lo);
  bool Wide = M.Types.bits(T) == 64 || M.Types.bits(F.typeOf(Step)) == 64;
  TypeId Unsigned = Wide ? types::U64 : types::U32;
  auto As = [&](ValueId V, TypeId To) {
    return F.typeOf(V) == To ? V : B.cast(V, To);
  };
  ValueId Distance = As(Step, Unsigned), Stride = As(Distance, T);
  ValueId Any = B.op(X.Inclusive ? Op::Le : Op::Lt, {Lo, Hi});
  InstId If = B.createIf(Any, false);
  arm(F.Insts[If].Blocks[0], SlotId(), [&] {
    SlotId Counter = B.slot(std::string(X.Var.Text), T);
    B.store(B.slotPlace(Counter), Lo);
    InstId Loop = B.createLoop(true);
    F.Insts[Loop].Unroll = unrollOf(E);
    JumpInst[E] = Loop;
    arm(F.Insts[Loop].Blocks[0], SlotId(), [&] {
      ValueId Now = B.load(B.slotPlace(Counter));
      B.setName(Now, X.Var.Text);
      Locals[C.ForLocal[E]] = {Storage::Value, Now, {}};
      showCounter(E, Now);
      return blockValue(X.Body);
    });
    arm(F.Insts[Loop].Blocks[1], SlotId(), [&] {
      at(E);
      ValueId Now = B.load(B.slotPlace(Counter));
      ValueId Left = B.op(Op::Sub, {Hi, Now});
      if (T == types::I32)
        Left = B.cast(Left, types::U32); // not extended by its sign
      Left = As(Left, Unsigned);
      B.store(B.slotPlace(Counter), B.op(Op::Add, {Now, Stride}));
      B.breakIf(B.op(X.Inclusive ? Op::Lt : Op::Le, {Left, Distance}));
      return ValueId();
    });
    return ValueId();
  });
}

// --- Jumps

void Lower::jump(ast::ExprId E) {
  ast::ExprId Target = C.JumpTarget[E];
  at(E);
  if (C[E].Form == ExprForm::Break) {
    B.breakTo(JumpInst[Target]);
    LiveBreak.insert(Target);
  } else {
    B.continueTo(JumpInst[Target]);
  }
  Dead = true;
}

void Lower::returnValue(ast::ExprId E) {
  const ast::Expr &X = C[E];
  ValueId V;
  if (!X.Kids.empty())
    V = value(X.Kids[0]);
  if (Dead)
    return;
  at(E);
  B.ret(Info.Return == types::Void ? ValueId() : V);
  Dead = true;
}
