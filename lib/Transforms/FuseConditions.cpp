//===- FuseConditions.cpp - Conditions that stages may share --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FuseConditions.h"

#include "goldyc/Analysis/OwnIndex.h"

#include <algorithm>

using namespace goldy;

/// `!(a >= b)` of integers is `a < b`.
static Op opposite(Op O) {
  switch (O) {
  case Op::Eq:
    return Op::Ne;
  case Op::Ne:
    return Op::Eq;
  case Op::Lt:
    return Op::Ge;
  case Op::Ge:
    return Op::Lt;
  case Op::Gt:
    return Op::Le;
  default:
    return Op::Gt;
  }
}

std::string FuseConditions::nameOf(ValueId V) const {
  return launchName(F, V, true, [&](uint32_t P) { return ParamOf[P]; });
}

FuseCondition FuseConditions::one(ValueId V, bool Holds) const {
  FuseCondition X{V, Holds, std::nullopt, ""};
  Op O = F.Insts[V].Opcode;
  if (!isComparison(O) || M.Types.isFloat(F.typeOf(F.operand(V, 0)))) {
    X.Name = nameOf(V);
    if (!X.Name.empty() && !Holds)
      X.Name = "!" + X.Name;
    return X;
  }
  X.Comparison = O = Holds ? O : opposite(O);
  std::string A = nameOf(F.operand(V, 0)), B = nameOf(F.operand(V, 1));
  if (A.empty() || B.empty())
    return X;
  if (O == Op::Gt || O == Op::Ge) {
    O = O == Op::Gt ? Op::Lt : Op::Le;
    std::swap(A, B);
  }
  X.Name = std::string(opInfo(O).Name) + " " + A + " " + B;
  return X;
}

void FuseConditions::split(ValueId V, bool Holds,
                           std::vector<FuseCondition> &Named,
                           std::vector<FuseCondition> &Unnamed) const {
  const Inst &N = F.Insts[V];
  if (N.Type == types::Bool && N.Opcode == Op::Not)
    return split(F.operand(V, 0), !Holds, Named, Unnamed);
  if (N.Type == types::Bool && N.Opcode == (Holds ? Op::And : Op::Or)) {
    split(F.operand(V, 0), Holds, Named, Unnamed);
    return split(F.operand(V, 1), Holds, Named, Unnamed);
  }
  FuseCondition X = one(V, Holds);
  if (X.Name.empty())
    return Unnamed.push_back(std::move(X));
  auto Before = [](const FuseCondition &A, const FuseCondition &B) {
    return A.Name < B.Name;
  };
  std::vector<FuseCondition>::iterator At =
      std::lower_bound(Named.begin(), Named.end(), X, Before);
  if (At == Named.end() || At->Name != X.Name)
    Named.insert(At, std::move(X));
}
