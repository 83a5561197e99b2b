//===- InferFlow.cpp - Variables declared without a value
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `let x;` gets its value later, on every way to each of its reads, and only
// once unless it is `mut`. The walk carries the set of variables that have a
// value; where two ways meet only what both have set counts.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::sema;

void Infer::Flow::join(const Flow &Other) {
  if (Other.Unreachable)
    return;
  if (Unreachable) {
    *this = Other;
    return;
  }
  Perhaps.insert(Other.Perhaps.begin(), Other.Perhaps.end());
  std::set<uint32_t> Both;
  std::set_intersection(Assigned.begin(), Assigned.end(),
                        Other.Assigned.begin(), Other.Assigned.end(),
                        std::inserter(Both, Both.end()));
  Assigned = std::move(Both);
}

void Infer::readDeferred(ast::ExprId E, uint32_t L) {
  const Local &V = F->Locals[L];
  if (!V.Deferred || Now.Unreachable || Now.Assigned.count(L) ||
      E == WholeTarget)
    return;
  C.error(diag::G0331, C[E].Where)
          .note(V.Where, "declared here without a value")
      << '`' << V.Name << "` may be read before it has a value";
  Now.Assigned.insert(L); // told once
}

void Infer::assignedTwice(ast::ExprId Target, uint32_t L) {
  const Local &V = F->Locals[L];
  if (!V.Mutable)
    C.error(diag::G0309, C[Target].Where)
            .note(V.Where, "write `let mut " + std::string(V.Name) + "` here")
            .fix({V.Where.File, V.Where.Begin, V.Where.Begin}, "mut ")
        << '`' << V.Name << "` may be assigned twice, and is not `mut`";
}

void Infer::assignDeferred(ast::ExprId Target) {
  const NameRef &N = C.Names[Target];
  if (N.Form != NameRef::Local || !F->Locals[N.Index].Deferred)
    return;
  if (!Now.Unreachable && Now.Perhaps.count(N.Index))
    assignedTwice(Target, N.Index);
  Now.Assigned.insert(N.Index);
  Now.Perhaps.try_emplace(N.Index, Target);
}

void Infer::repeat(const Jump &J) {
  if (Now.Unreachable)
    return;
  for (auto [L, Target] : Now.Perhaps)
    if (!J.AtEntry.Perhaps.count(L) && F->Locals[L].LoopDepth < J.LoopDepth)
      assignedTwice(Target, L);
}

void Infer::leaveByBreak(Jump &J) {
  if (J.AtBreaks)
    J.AtBreaks->join(Now);
  else
    J.AtBreaks = Now;
}
