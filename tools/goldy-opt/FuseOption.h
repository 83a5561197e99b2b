//===- FuseOption.h - --fuse of goldy-opt ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages as text: `scale(x, t, n, =40000000); bias(t, y, n, b)`. Arguments are
// any words, equal words the same buffer or value; `=` and hexadecimal digits
// are the bits of a constant. A temporary is `t:n`, with the argument that is
// its length or `=` and its bits, and `t:n:carried`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TOOLS_GOLDY_OPT_FUSEOPTION_H
#define GOLDYC_TOOLS_GOLDY_OPT_FUSEOPTION_H

#include "goldyc/Transforms/Fuse.h"

#include <iosfwd>

namespace goldy {

struct FuseOption {
  std::string Stages;
  std::vector<std::string> Temporaries;
  std::string Axes = "x"; ///< along which the grid has several groups
  std::vector<std::string> Overlaps; ///< `a:b`: may share bytes
};

/// Fuses and writes what came of it, one line a fact, to `Out`. False, with a
/// message there, if the text names what the module does not have; a rejection
/// is a result too.
bool runFuseOption(Module &M, const FuseOption &O, std::ostream &Out);

} // namespace goldy

#endif
