//===- AddOnce.h - Functions that the compiler makes and names ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_ADDONCE_H
#define GOLDYC_LIB_TRANSFORMS_ADDONCE_H

#include "goldyc/IR/Text.h"

#include <sstream>

namespace goldy {

/// Adds the function, or finds the one that is the same word for word. Another
/// function of its name, such as a user's, makes it give up the name for one
/// with `_` behind.
inline FuncId addOnce(Module &M, Function F) {
  auto TextOf = [&](const Function &Of) {
    std::ostringstream Out;
    printFunction(Out, M, Of);
    return std::move(Out).str();
  };
  while (FuncId Known = M.find(F.Name)) {
    if (TextOf(M.Functions[Known]) == TextOf(F))
      return Known;
    F.Name += '_';
  }
  return M.Functions.push(std::move(F));
}

} // namespace goldy

#endif
