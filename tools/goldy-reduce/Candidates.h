//===- Candidates.h - Ways to make a source text smaller ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is parsed, and each candidate replaces one range of it: items, runs
// of statements, fields, parameters and match arms go; control statements
// become their bodies; expressions become one of their operands or a literal.
// Nothing is known about types: a candidate that no longer compiles is for the
// caller's test to refuse. A text that does not parse, and IR text, has only
// runs of lines.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TOOLS_GOLDY_REDUCE_CANDIDATES_H
#define GOLDYC_TOOLS_GOLDY_REDUCE_CANDIDATES_H

#include <cstdint>
#include <string>
#include <vector>

namespace goldy::reduce {

/// Bytes [Begin, End) become Text, which is no longer than they are.
struct Edit {
  uint32_t Begin = 0, End = 0;
  std::string Text;
};

/// Larger savings first, in an order that depends on the text alone.
std::vector<Edit> candidates(const std::string &Text);

std::string edited(const std::string &Text, const Edit &E);

} // namespace goldy::reduce

#endif
