//===- RowsWriter.h - Kernels whose groups walk over rows -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops of a group over a row of memory, its work-items a step of the group
// apart: sums, maxima and what is written on the way, as reductions, norms and
// softmax have them, with trees between the loops. Little else stands in the
// way, so that the host's plans of whole rows and wide vectors are met.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_ROWSWRITER_H
#define GOLDY_FUZZ_KERNELS_ROWSWRITER_H

#include "SourceText.h"

#include <string>
#include <vector>

namespace goldy::fuzz {

class RowsWriter : SourceText {
public:
  explicit RowsWriter(uint64_t Seed) : SourceText(Seed) {}
  std::string run();

private:
  void signature();
  void state();
  void loop();
  void step(const std::string &Place);
  void leaves();
  void tree();
  void results();
  std::string read();
  std::string term();

  unsigned Items = 1; ///< of a group
  std::string Place;  ///< of the element that a trip reads
  std::vector<std::string> Ints, Floats;
  std::vector<std::string> Group; ///< f32 that the whole group knows
};

} // namespace goldy::fuzz

#endif
