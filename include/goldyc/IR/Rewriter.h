//===- Rewriter.h - Rebuilds a function, instruction by instruction
//---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes are copies with changes. A rewriter walks the source in program order
// and builds the result; the default copies. A pass overrides `visit` and, for
// the instructions it cares about, builds something else and returns the value
// that stands for the old one. Handles of the result grow in program order
// again, so the backward-reference rule holds by construction.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_REWRITER_H
#define GOLDYC_IR_REWRITER_H

#include "goldyc/IR/Builder.h"

namespace goldy {

class Rewriter {
public:
  /// `Src` is not modified; the result is taken with `run`.
  Rewriter(Module &M, const Function &Src);
  virtual ~Rewriter() = default;
  /// Rebuilds the whole function (signature, slots, workgroup arrays copied).
  Function run();

protected:
  /// What replaces a placed instruction of the source: build with `B` and
  /// return the new value (or the new instruction; invalid when removed).
  /// The default is `copy(I)`.
  virtual InstId visit(InstId I) { return copy(I); }
  /// Copies one instruction with mapped operands; control instructions copy
  /// their blocks through `visit`.
  InstId copy(InstId I);
  /// Called by `copy` before it copies block number `Which` of a control
  /// instruction: for passes that keep state along the way.
  virtual void enterBlock(InstId Owner, unsigned Which) {}
  /// Copies the source block's instructions into the builder's block.
  void copyBlock(BlockId Src);
  /// The new value of an old one (leaves are made on demand).
  ValueId map(ValueId Old);
  void setMapping(InstId Old, InstId New) { Mapping.set(Old, New); }
  PlaceId mapPlace(PlaceId Old);
  /// From now on accesses of an old slot become accesses of this new one.
  void setSlot(SlotId Old, SlotId New) { SlotMapping.set(Old, New); }
  /// Slots and workgroup arrays are copied first, with equal indices.

  Module &M;
  const Function &Src;
  Function Dst;
  Builder B;

private:
  SideMap<Inst, InstId> Mapping;
  SideMap<Slot, SlotId> SlotMapping; ///< unset: the equal index
};

/// Deep-copies one kernel with the helpers it reaches into a module of its own.
Module extractKernel(const Module &M, FuncId Kernel);

} // namespace goldy

#endif
