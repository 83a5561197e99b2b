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
};

/// A function's body, with both braces.
struct NamedBody {
  std::string Name; ///< of the function
  Span NameAt, Body;
};

struct NameTable {
  std::vector<NamedLocal> Locals;
  std::vector<NamedBody> Bodies;
};

/// The name of a slot whose stores mark an expanded call where a debugger is to
/// see it: 1 before the helper's statements, at the call's place, 0 behind
/// them.
inline constexpr std::string_view CallMark = "<call>";

} // namespace goldy

#endif
