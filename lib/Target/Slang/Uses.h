//===- Uses.h - What the printer must know beforehand -----------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over a function before it is printed: how often and where values
// are used, what control statements write, where each slot is declared, and
// which loops need a body that `continue` can leave.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_SLANG_USES_H
#define GOLDYC_LIB_TARGET_SLANG_USES_H

#include "Expr.h"

#include "goldyc/IR/IR.h"

namespace goldy::slang {

struct Uses {
  SideMap<Inst, uint32_t> Count{0};
  SideMap<Inst, bool> OtherBlock{false}; ///< used outside its own block
  SideMap<Inst, Touched> Writes;         ///< with everything inside
  /// Slots to declare in front of a placed instruction, in slot order.
  SideMap<Inst, std::vector<SlotId>> DeclareBefore;
  /// The instruction is a store that may stand as the slot's declaration.
  SideMap<Inst, bool> Declares{false};
  SideMap<Inst, bool> NeedsBodyLoop{false};
  /// Ids that the function or its callees read, by Op - Op::GlobalId.
  bool Ids[4] = {false, false, false, false};
};

/// What each function, by its handle, does to the caller's memory.
struct Effects {
  Touched Reads, Writes;
  bool Ids[4] = {false, false, false, false};
};
std::vector<Effects> moduleEffects(const Module &M);

Uses analyseUses(const Module &M, const Function &F,
                 const std::vector<Effects> &Callees);

/// What an access at `P` touches.
Touched touchedBy(const Function &F, const Place &P);

} // namespace goldy::slang

#endif
