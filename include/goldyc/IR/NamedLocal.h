//===- NamedLocal.h - Names of a program, for debuggers
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_NAMEDLOCAL_H
#define GOLDYC_IR_NAMEDLOCAL_H

#include "goldyc/IR/IR.h"

namespace goldy {

/// A variable that the program names: a local, or a helper's parameter. The
/// slot that holds it has the span `Scope`, and so have the slots that its
/// parts became, named `x_1_0` for member 0 of its member 1.
struct NamedLocal {
  std::string Name;
  TypeId Type;
  /// From behind its declaration to the end of the block that holds it.
  Span Scope;
  Span Where; ///< the name in its declaration
  /// Of a helper's parameter its number, from 1; else 0.
  uint32_t Argument = 0;
};

/// A function's body, with both braces.
struct NamedBody {
  std::string Name; ///< of the function, as the program has it
  std::string Form; ///< and as the IR has it: arrays as arguments make forms
  Span NameAt, Body;
};

/// A buffer parameter's elements as the program has them; passes make words of
/// bools and of half floats.
struct NamedElements {
  Span Where; ///< the parameter's name
  TypeId Type;
};

struct NameTable {
  std::vector<NamedLocal> Locals;
  std::vector<NamedBody> Bodies;
  std::vector<NamedElements> Elements;
};

/// Begins the name of a slot whose stores mark an expanded call where a
/// debugger is to see it: 1 before the helper's statements, at the call's
/// place, 0 behind them. The function's name in the IR follows.
inline constexpr std::string_view CallMark = "<call>";

/// Behind the mark of a call, one store for each resource that the helper is
/// given: the slot's name is this and the parameter's name, its span that of
/// the name, and what is stored says which resource of the kernel it is.
inline constexpr std::string_view ArgumentMark = "<argument>";

/// A store's value behind an ArgumentMark: the parameter's number from 0, and a
/// parameter or workgroup array of the kernel.
struct ArgumentCode {
  uint32_t Number = 0;
  PlaceBase Base;

  uint32_t bits() const {
    return Number << 20 | uint32_t(Base.Kind == BaseKind::Workgroup) << 19 |
           Base.Index;
  }
  static ArgumentCode of(uint32_t Bits) {
    return {Bits >> 20,
            {Bits >> 19 & 1 ? BaseKind::Workgroup : BaseKind::Param,
             Bits & ((1u << 19) - 1)}};
  }
};

} // namespace goldy

#endif
