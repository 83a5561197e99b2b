//===- Expr.cpp - Expressions as text
//--------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

namespace goldy::slang {

Expr atom(std::string Text) {
  Expr E;
  E.Text = std::move(Text);
  return E;
}

Expr binary(std::string_view Operator, Prec P, const Expr &L, const Expr &R) {
  Expr E;
  Prec Tighter = static_cast<Prec>(static_cast<uint8_t>(P) + 1);
  E.Text = L.as(P);
  E.Text += ' ';
  E.Text += Operator;
  E.Text += ' ';
  // Slang reads `f(x) * *(int*)(p)` as the declaration of a pointer.
  bool Pointer = Operator == "*" && R.Text.starts_with("*");
  // It reads `a < b >> (c)` as the use of a generic.
  bool Generic = Operator == "<" && R.Strength < Prec::Postfix &&
                 R.Text.find('>') != std::string::npos;
  E.Text += Pointer || Generic ? "(" + R.Text + ")" : R.as(Tighter);
  E.Strength = P;
  E.Reads = L.Reads;
  E.Reads.add(R.Reads);
  return E;
}

Expr prefix(std::string_view Operator, const Expr &E) {
  Expr Result;
  // `- -x` and `-(-x)`, never `--x`.
  bool Sign = !E.Text.empty() && E.Text[0] == Operator[0];
  Result.Text =
      std::string(Operator) + (Sign ? "(" + E.Text + ")" : E.as(Prec::Unary));
  Result.Strength = Prec::Unary;
  Result.Reads = E.Reads;
  return Result;
}

Expr call(std::string_view Function, std::initializer_list<const Expr *> Args) {
  Expr E;
  E.Text = std::string(Function) + "(";
  bool First = true;
  for (const Expr *A : Args) {
    E.Text += (First ? "" : ", ") + A->Text;
    E.Reads.add(A->Reads);
    First = false;
  }
  E.Text += ")";
  E.Strength = Prec::Postfix;
  return E;
}

Expr negation(const Expr &E) {
  if (E.Negated.empty())
    return prefix("!", E);
  Expr Result;
  Result.Text = E.Negated;
  Result.Strength = E.NegatedStrength;
  Result.Reads = E.Reads;
  Result.Negated = E.Text;
  Result.NegatedStrength = E.Strength;
  return Result;
}

} // namespace goldy::slang
