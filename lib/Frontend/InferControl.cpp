//===- InferControl.cpp - Types of statements and control flow
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks, lets, branches, loops and jumps. What never comes back has the type
// Never, which fits any expectation.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

uint32_t Infer::declareLocal(Local L) {
  uint32_t Index = static_cast<uint32_t>(F->Locals.size());
  enterScope(L.Name, Index);
  F->Locals.push_back(std::move(L));
  return Index;
}

/// The type of a join: its expectation, unless nothing arrives there.
static Ty joined(const TypeVars &Vars, Ty Expected, bool AllNever) {
  if (AllNever)
    return Vars.never();
  return Vars.kind(Expected) == TyKind::Open ? Vars.error() : Expected;
}

// --- Blocks and statements

Ty Infer::inferBlock(ast::BlockId B, Ty Expected) {
  const ast::BlockNode &Node = C.Tree[B];
  size_t Mark = Scope.size();
  ++Depth;
  bool Diverges = false;
  for (ast::StmtId S : Node.Stmts)
    Diverges |= inferStmt(S);
  Ty Result = C.Vars.known(types::Void);
  if (Node.Tail)
    Result = coerce(Node.Tail, Expected);
  else if (!Diverges && !C.Vars.unify(Result, Expected))
    missingValue(B, Expected);
  --Depth;
  leaveScope(Mark);
  return Diverges ? C.Vars.never() : Result;
}

/// A block whose value is wanted ends without one.
void Infer::missingValue(ast::BlockId B, Ty Expected) {
  const ast::BlockNode &Node = C.Tree[B];
  Span End = Node.Where;
  End.Begin = End.End > End.Begin ? End.End - 1 : End.Begin;
  DiagBuilder D = C.error(diag::G0324, End);
  D << "this block ends without its value of type `" << C.Vars.name(Expected)
    << '`';
  bool DropsValue = !Node.Stmts.empty() &&
                    C.Tree[Node.Stmts.back()].Form == ast::StmtForm::Expr &&
                    C.Tree[Node.Stmts.back()].Semicolon &&
                    C[C.Tree[Node.Stmts.back()].Value].Form != ExprForm::Assign;
  if (DropsValue)
    D.note(C.Tree[Node.Stmts.back()].Where,
           "without the `;` this is the block's value");
  else
    D.help("end it with the value, without `;`");
}

bool Infer::inferStmt(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  if (Node.Form == ast::StmtForm::Let)
    return inferLet(S);
  if (Node.Form != ast::StmtForm::Expr)
    return false;
  Discarded = C.strip(Node.Value);
  Ty T = Node.Semicolon ? infer(Node.Value)
                        : coerce(Node.Value, C.Vars.known(types::Void));
  return C.Vars.kind(T) == TyKind::Never;
}

bool Infer::inferLet(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  for (const ast::Attribute &A : Node.Attributes)
    if (pathText(A.Name) == "two_copies" || pathText(A.Name) == "on")
      refuse(diag::G0229, A.Where,
             "`" + pathText(A.Name) + "` belongs to programs",
             "leave it out: a kernel's variables live in one work-item");
  if (Node.Value && letSharedArray(S))
    return false;
  Local L;
  L.Name = Node.Name.Text;
  L.Where = Node.Name.Where;
  L.Mutable = Node.Mutable;
  L.Deferred = !Node.Value;
  L.LoopDepth = LoopDepth;
  L.Type = Node.Type ? C.Vars.known(resolveType(C, Node.Type)) : C.Vars.open();
  bool Diverges = false;
  if (Node.Value) {
    Assigned = C.strip(Node.Value);
    if (Node.Wildcard)
      Discarded = Assigned;
    bool BadType = Node.Type && C.Vars.isError(L.Type);
    bool Consequence = BadType && resourceOf(Node.Value).has_value();
    Ty T = Consequence ? C.Vars.error() : coerce(Node.Value, L.Type);
    Diverges = C.Vars.kind(T) == TyKind::Never;
    if (Diverges || C.Vars.isError(T))
      C.Vars.unify(L.Type, C.Vars.kind(L.Type) == TyKind::Open ? T : L.Type);
    if (C.Vars.kind(L.Type) == TyKind::Open)
      L.Type = C.Vars.error();
    if (!Node.Wildcard && !C.Vars.isError(T) &&
        C.Vars.knownType(L.Type) == types::Void)
      L.Type = refuse(diag::G0300, C[Node.Value].Where,
                      "expected a value, found `()`",
                      "leave out `let " + std::string(L.Name) + " =`");
  }
  if (!Node.Wildcard)
    C.LetLocal.set(S, declareLocal(std::move(L)));
  return Diverges;
}

/// `let mut s = gpu::workgroup_array::<T, N>();`
bool Infer::letSharedArray(ast::StmtId S) {
  const ast::Stmt &Node = C.Tree[S];
  ast::ExprId Call = C.strip(Node.Value);
  if (C[Call].Form != ExprForm::Call)
    return false;
  int Row = findBuiltin(gpuName(C[Call].Name));
  if (Row < 0 ||
      builtin(static_cast<uint32_t>(Row)).Kind != BuiltinKind::SharedArray)
    return false;
  if (!F->IsKernel || Depth != 1 || Node.Wildcard) {
    infer(Node.Value);
    Local L;
    L.Name = Node.Name.Text;
    L.Type = C.Vars.error();
    if (!Node.Wildcard)
      C.LetLocal.set(S, declareLocal(std::move(L)));
    return true;
  }
  sharedArray(S, Call);
  return true;
}

void Infer::sharedArray(ast::StmtId S, ast::ExprId Call) {
  const ast::Stmt &Node = C.Tree[S];
  const ast::Path &P = C[Call].Name;
  Local L;
  L.Name = Node.Name.Text;
  L.Where = Node.Name.Where;
  L.Kind = LocalKind::WorkgroupArray;
  L.Mutable = Node.Mutable;
  L.Type = C.Vars.error();
  if (P.GenericTypes.size() != 1 || P.GenericExprs.size() != 1 ||
      !C[Call].Kids.empty()) {
    refuse(diag::G0305, C[Call].Where,
           "a workgroup array is made with its element type and its length",
           "write `gpu::workgroup_array::<f32, 256>()`");
  } else {
    TypeId Element = resolveElementType(C, P.GenericTypes[0]);
    std::optional<uint32_t> N =
        resolveCount(C, P.GenericExprs[0], "the length of a workgroup array");
    L.Extent = N.value_or(1);
    constexpr uint64_t MaxBytes = uint64_t(1) << 30;
    if (Element && N && C.M.Types.layout(Element).Size * *N > MaxBytes) {
      C.error(diag::G0615, C[Call].Where).help("shorten it, or use a buffer")
          << "this workgroup array is larger than 1 GiB";
      Element = TypeId();
    }
    if (Element && N)
      L.Type = C.Vars.known(Element);
  }
  if (Node.Type && resolveType(C, Node.Type))
    refuse(diag::G0300, C.Tree[Node.Type].Where,
           "a workgroup array has no type to write",
           "leave out the type after `:`");
  C.LetLocal.set(S, declareLocal(std::move(L)));
}

// --- Branches

Ty Infer::inferIf(ast::ExprId E, Ty Expected) {
  const ast::Expr &X = C[E];
  coerce(X.Kids[0], C.Vars.known(types::Bool));
  bool HasElse = X.Else || X.Kids.size() > 1;
  Flow Before = Now;
  if (!HasElse) {
    Ty T = inferBlock(X.Then, C.Vars.open());
    Now.join(Before);
    return withoutElse(E, T, Expected);
  }
  Ty A = inferBlock(X.Then, Expected);
  std::swap(Now, Before);
  Ty B = X.Else ? inferBlock(X.Else, Expected) : coerce(X.Kids[1], Expected);
  Now.join(Before);
  return joined(C.Vars, Expected,
                C.Vars.kind(A) == TyKind::Never &&
                    C.Vars.kind(B) == TyKind::Never);
}

Ty Infer::withoutElse(ast::ExprId E, Ty Then, Ty Expected) {
  Ty Void = C.Vars.known(types::Void);
  if (C.Vars.isError(Then))
    return Then;
  if (C.Vars.unify(Then, Void) && C.Vars.unify(Void, Expected))
    return Void;
  std::string What = C.Vars.unify(Then, Void)
                         ? "expected `" + C.Vars.name(Expected) + "`"
                         : "but its block ends with a value of type `" +
                               C.Vars.name(Then) + "`";
  return refuse(diag::G0325, C[E].Where,
                "an `if` without `else` has no value, " + What,
                "add an `else` with the other value");
}

Ty Infer::inferMatch(ast::ExprId E, Ty Expected) {
  const ast::Expr &X = C[E];
  Ty Of = infer(X.Kids[0]);
  bool AllNever = true;
  Flow Before = Now;
  std::optional<Flow> After;
  for (const ast::MatchArm &Arm : X.Arms) {
    Now = Before;
    for (const ast::Pattern &P : Arm.Alternatives) {
      if (P.Lo)
        coerce(P.Lo, Of);
      if (P.Hi)
        coerce(P.Hi, Of);
    }
    Ty T = coerce(Arm.Body, Expected);
    AllNever &= C.Vars.kind(T) == TyKind::Never;
    if (After)
      After->join(Now);
    else
      After = Now;
  }
  if (After)
    Now = *After;
  later(&Infer::checkMatch, E);
  return joined(C.Vars, Expected, AllNever && !X.Arms.empty());
}

Ty Infer::inferBlockExpr(ast::ExprId E, Ty Expected) {
  const ast::Expr &X = C[E];
  if (!X.Label)
    return inferBlock(X.Body, Expected);
  Ty Void = C.Vars.known(types::Void);
  Jumps.push_back({X.Label, E, false});
  Ty T = inferBlock(X.Body, Void);
  if (Jumps.back().AtBreaks)
    Now.join(*Jumps.back().AtBreaks);
  Jumps.pop_back();
  if (!C.Vars.unify(Void, Expected)) {
    mismatch(E, Expected, Void);
    return C.Vars.error();
  }
  return C.HasBreak[E] ? Void : T;
}

// --- Loops

/// An endless loop is left by its breaks only, the others from their head.
void Infer::loopBody(ast::ExprId E) {
  Flow Before = Now;
  ++LoopDepth;
  Jumps.push_back({C[E].Label, E, true, LoopDepth, Now});
  inferBlock(C[E].Body, C.Vars.known(types::Void));
  --LoopDepth;
  repeat(Jumps.back());
  std::optional<Flow> AtBreaks = std::move(Jumps.back().AtBreaks);
  Jumps.pop_back();
  if (C[E].Form != ExprForm::Loop)
    Now.join(Before);
  else
    Now.Unreachable = true;
  if (AtBreaks)
    Now.join(*AtBreaks);
}

void Infer::unrollFactor(const ast::Expr &X) {
  if (X.UnrollFactor)
    resolveCount(C, X.UnrollFactor, "the factor of `unroll`");
}

Ty Infer::inferWhile(ast::ExprId E) {
  coerce(C[E].Kids[0], C.Vars.known(types::Bool));
  unrollFactor(C[E]);
  loopBody(E);
  return C.Vars.known(types::Void);
}

Ty Infer::inferLoop(ast::ExprId E) {
  unrollFactor(C[E]);
  loopBody(E);
  return C.HasBreak[E] ? C.Vars.known(types::Void) : C.Vars.never();
}

Ty Infer::inferFor(ast::ExprId E) {
  const ast::Expr &X = C[E];
  Ty Lo = X.RangeLo ? infer(X.RangeLo) : C.Vars.error();
  Ty Hi = X.RangeHi ? infer(X.RangeHi) : C.Vars.error();
  if (!C.Vars.unify(Lo, Hi)) {
    mismatch(X.RangeHi, Lo, Hi);
    Lo = C.Vars.error();
  }
  if (X.Step) {
    Ty Step = infer(X.Step);
    if (C[C.strip(X.Step)].Form == ExprForm::Int)
      C.Vars.unify(Step, C.Vars.known(types::U32));
  }
  unrollFactor(X);
  later(&Infer::checkFor, E);
  size_t Mark = Scope.size();
  Local L;
  L.Name = X.Var.Text;
  L.Where = X.Var.Where;
  L.Type = C.Vars.isError(Hi) ? Hi : Lo;
  uint32_t Index = declareLocal(std::move(L));
  C.ForLocal.set(E, Index);
  if (X.VarWildcard)
    leaveScope(Mark);
  loopBody(E);
  leaveScope(Mark);
  return C.Vars.known(types::Void);
}

// --- Jumps

Ty Infer::inferJump(ast::ExprId E) {
  const ast::Expr &X = C[E];
  bool IsBreak = X.Form == ExprForm::Break;
  std::string_view Word = IsBreak ? "break" : "continue";
  for (ast::ExprId Kid : X.Kids)
    infer(Kid);
  for (size_t I = Jumps.size(); I-- > 0;) {
    const Jump &J = Jumps[I];
    bool Fits = X.Label ? J.Label && J.Label->Text == X.Label->Text : J.IsLoop;
    if (!Fits)
      continue;
    if (!IsBreak && !J.IsLoop)
      return refuse(diag::G0228, X.Where,
                    "`continue` names a block, not a loop",
                    "`break` leaves a block");
    C.JumpTarget.set(E, J.Target);
    if (IsBreak) {
      C.HasBreak.set(J.Target, true);
      leaveByBreak(Jumps[I]);
    } else {
      repeat(Jumps[I]);
    }
    afterJump();
    return C.Vars.never();
  }
  if (X.Label)
    refuse(diag::G0228, X.Label->Where,
           "there is no label `" + std::string(X.Label->Text) +
               "` around this `" + std::string(Word) + "`",
           "write `" + std::string(X.Label->Text) + ":` before the loop");
  else
    refuse(diag::G0228, X.Where, "`" + std::string(Word) + "` outside a loop",
           "`return` leaves the function");
  return C.Vars.never();
}

Ty Infer::inferReturn(ast::ExprId E) {
  const ast::Expr &X = C[E];
  Ty Expected = F->Return ? C.Vars.known(F->Return) : C.Vars.error();
  if (!X.Kids.empty()) {
    ReturnValue = X.Kids[0];
    coerce(X.Kids[0], Expected);
  } else if (!C.Vars.unify(C.Vars.known(types::Void), Expected))
    refuse(diag::G0324, X.Where,
           "`return` without its value of type `" + C.Vars.name(Expected) + "`",
           "write `return value;`");
  afterJump();
  return C.Vars.never();
}
