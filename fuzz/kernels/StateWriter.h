//===- StateWriter.h - Kernels that keep state across barriers ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel is a group at work: variables, private arrays and workgroup
// arrays that live over barriers, exchanges, trees and scans written by hand,
// loops that the whole group runs around them, rows that a group walks over,
// windows, and work-items that leave loops, blocks or the kernel early. The
// values are u32 and f32 alone; the other family has the types.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FUZZ_KERNELS_STATEWRITER_H
#define GOLDY_FUZZ_KERNELS_STATEWRITER_H

#include "SourceText.h"

#include <string>
#include <vector>

namespace goldy::fuzz {

class StateWriter : SourceText {
public:
  explicit StateWriter(uint64_t Seed) : SourceText(Seed) {}
  std::string run();

private:
  /// Who runs a statement: the whole group, which may meet barriers, or items.
  enum class Flow : uint8_t { Group, Items };
  /// Who computes the same value.
  enum class Same : uint8_t { InGroup, PerItem };

  // --- Items
  void signature();
  void names();
  void state();
  void results();
  std::string helper();

  // --- Statements
  void block(Flow F);
  void statement(Flow F);
  void itemStatement();
  void groupStatement();
  void declare();
  void assign();
  void assignFloat();
  void privateElement();
  void ownElement();
  void ownAtomic();
  void ifStatement(Flow F);
  void matchStatement();
  void groupLoop();
  void groupEndlessLoop();
  void itemLoop();
  void endlessLoop();
  void labelledBlock(Flow F);
  void leave();
  void decide();
  void countDown();
  void window();
  void row();
  void readPhase();
  void exchange();
  void exchangeFloat();
  void fillShared(const std::string &Array, bool Float);
  void tree();
  void treeOfLevels(const std::string &S, unsigned Half);
  void treeNode(const std::string &S, const std::string &D);
  void scan();
  void collective();
  void groupReturn();

  // --- Expressions
  std::string integer(unsigned Depth, Same S = Same::PerItem);
  std::string floating(unsigned Depth);
  std::string condition(unsigned Depth, Same S = Same::PerItem);
  std::string edge();
  std::string atom(Same S);
  std::string floatAtom();
  std::string index();
  std::string neighbour();
  std::string ownPlace();
  std::string variable() { return R.pick(Ints); }
  std::string operation();

  /// A name that `leave` may use; a block can only be broken out of.
  struct Exit {
    std::string Name;
    bool Block;
  };

  unsigned Budget = 0;                    ///< statements left
  unsigned Nesting = 0;                   ///< of loops
  unsigned X = 1, Y = 1, Z = 1, Size = 1; ///< of a group
  unsigned PrivateInts = 0, PrivateFloats = 0;
  bool Histogram = false;
  /// Reads what it writes through another parameter; such values may not decide
  /// on barriers, so the group has no blocks that work-items leave.
  bool Again = false;
  bool Shared = false; ///< workgroup arrays can be read
  std::vector<std::string> Ints, Floats, Bools; ///< to be assigned, in scope
  std::vector<std::string> Uniforms; ///< read alone, the same in the group
  std::vector<std::string> Counters; ///< read alone
  std::vector<Exit> Exits;
};

} // namespace goldy::fuzz

#endif
