//===- Expr.h - Expressions as text, with what nesting needs ----*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_SLANG_EXPR_H
#define GOLDYC_LIB_TARGET_SLANG_EXPR_H

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace goldy::slang {

/// Binding strength of Slang's operators, weakest first.
enum class Prec : uint8_t {
  Assign,
  Choice,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relation,
  Shift,
  Sum,
  Product,
  Unary,
  Postfix,
  Atom
};

/// The memory that an expression reads or a statement writes.
struct Touched {
  bool Buffers = false; ///< any: two parameters may name one view
  bool Group = false;   ///< workgroup arrays
  std::set<uint32_t> Slots;
  void add(const Touched &O) {
    Buffers |= O.Buffers;
    Group |= O.Group;
    Slots.insert(O.Slots.begin(), O.Slots.end());
  }
  bool meets(const Touched &O) const {
    for (uint32_t S : Slots)
      if (O.Slots.count(S))
        return true;
    return (Buffers && O.Buffers) || (Group && O.Group);
  }
  bool any() const { return Buffers || Group || !Slots.empty(); }
};

struct Expr {
  std::string Text;
  Prec Strength = Prec::Atom;
  Touched Reads;
  std::string Negated; ///< a better negation than `!(…)`, if any
  Prec NegatedStrength = Prec::Atom;
  std::string LoadedFrom; ///< the place, when this is one load and no more
  /// The expression is `LoadedFrom op By`: an update of that place.
  std::string Updates, UpdateOp, UpdateBy;
  bool Braces = false; ///< `{…}`: an initialiser only

  /// The text as an operand that must bind at least as tightly.
  std::string as(Prec AtLeast) const {
    return Strength < AtLeast ? "(" + Text + ")" : Text;
  }
};

Expr atom(std::string Text);
/// `L op R`, left-associative.
Expr binary(std::string_view Operator, Prec P, const Expr &L, const Expr &R);
Expr prefix(std::string_view Operator, const Expr &E);
Expr call(std::string_view Function, std::initializer_list<const Expr *> Args);
Expr negation(const Expr &E);

} // namespace goldy::slang

#endif
