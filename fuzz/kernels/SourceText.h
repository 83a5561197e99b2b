//===- SourceText.h - Lines and blocks of a kernel's text -------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the writers of all families share: indented lines, blocks in braces,
// and names that are used once.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_SOURCETEXT_H
#define GOLDY_FUZZ_KERNELS_SOURCETEXT_H

#include "Random.h"

#include <string>

namespace goldy::fuzz {

class SourceText {
protected:
  explicit SourceText(uint64_t Seed) : R(Seed) {}

  void line(const std::string &Text) {
    Out += std::string(4 * Indent, ' ') + Text + "\n";
  }
  /// A block begins; without a head it stands alone.
  void open(const std::string &Head) {
    line(Head + (Head.empty() ? "{" : " {"));
    ++Indent;
  }
  void close(const std::string &After = "") {
    --Indent;
    line("}" + After);
  }
  std::string fresh(const char *Stem) { return Stem + std::to_string(Names++); }
  static std::string number(uint32_t N) { return std::to_string(N) + "u32"; }

  Random R;
  std::string Out;
  unsigned Indent = 0;

private:
  unsigned Names = 0;
};

} // namespace goldy::fuzz

#endif
