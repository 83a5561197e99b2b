//===- CheckDerived.cpp - Rules of derived ints and lengths ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An expression that keeps these rules is evaluated in a bounded number of
// words, so evaluation needs no memory of its own.
//
//===----------------------------------------------------------------------===//
#include "program/Checker.h"

using namespace goldy::program;

std::optional<Checker::ExpressionFault>
Checker::expressionFault(const Expression &E, Number Words) {
  if (E.size() > limits::ExpressionNodes)
    return {{Rule::ExpressionLimit, Place::NoIndex,
             std::to_string(E.size()) + " nodes"}};
  size_t Waiting = 0;
  for (size_t I = 0; I < E.size(); ++I) {
    if (const Apply *A = std::get_if<Apply>(&E[I])) {
      size_t Takes = A->What == Op::Cast ? 1 : 2;
      if (Waiting < Takes)
        return {{Rule::ExpressionForm, I,
                 "an operation on " + std::to_string(Takes) +
                     " values where there are " + std::to_string(Waiting)}};
      Waiting -= Takes;
    } else if (const IntWord *W = std::get_if<IntWord>(&E[I])) {
      if (W->Word < 0 || W->Word >= Words)
        return {{Rule::IntRange, I,
                 "int " + std::to_string(W->Word) + " of " +
                     std::to_string(Words)}};
    }
    if (++Waiting > limits::ExpressionDepth)
      return {{Rule::ExpressionLimit, I,
               std::to_string(Waiting) + " values that wait"}};
  }
  if (Waiting == 1)
    return std::nullopt;
  return {{Rule::ExpressionForm, Place::NoIndex,
           std::to_string(Waiting) + " values at its end"}};
}

bool Checker::derived(const std::vector<DerivedInt> &List, const Place &Loop) {
  for (size_t I = 0; I < List.size(); ++I) {
    Place At{&Loop, "derived", I};
    const DerivedInt &D = List[I];
    if (D.Word < 0 || D.Word >= P.Ints)
      return fail(Rule::DerivedWord, {&At, "word"},
                  "int " + std::to_string(D.Word) + " of " +
                      std::to_string(P.Ints));
    if (std::optional<ExpressionFault> F = expressionFault(D.Is, P.Ints))
      return fail(F->Broken, {&At, "is", F->Node}, F->What);
  }
  return true;
}

bool Checker::lengths() {
  for (size_t I = 0; I < P.Inputs.size(); ++I) {
    if (!P.Inputs[I].Length)
      continue;
    const Length &L = *P.Inputs[I].Length;
    Place At{nullptr, "inputs", I}, Here{&At, "length"};
    if (L.Word < 0 || L.Word >= P.Ints)
      return fail(Rule::LengthWord, {&Here, "word"},
                  "int " + std::to_string(L.Word) + " of " +
                      std::to_string(P.Ints));
    if (L.Stride < 1)
      return fail(Rule::LengthWord, {&Here, "stride"},
                  std::to_string(L.Stride) + " bytes");
  }
  return true;
}
