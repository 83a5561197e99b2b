//===- BodyCopier.h - Copies statements into another function -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What expanding a call and putting kernels behind one another share: the
// statements of one function are appended where a builder of another stands,
// with fresh slots. What becomes of parameters, returns and calls is for the
// derived class to say.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_BODYCOPIER_H
#define GOLDYC_LIB_TRANSFORMS_BODYCOPIER_H

#include "goldyc/IR/Builder.h"

namespace goldy {

class BodyCopier {
public:
  /// Both functions belong to modules with the same types, tables and
  /// specialisation constants.
  BodyCopier(Builder &B, const Function &Src) : B(B), Src(Src) {}
  virtual ~BodyCopier() = default;

protected:
  /// Copies the block's statements; nothing behind a Return.
  void copyBlock(BlockId Block) { copyAll(Src.Blocks[Block].Insts); }
  void copyAll(std::span<const InstId> Insts);
  ValueId map(ValueId V);
  std::vector<ValueId> mapAll(std::span<const ValueId> Values);
  PlaceBase mapBase(PlaceBase Base);

  /// The value that a scalar parameter has.
  virtual ValueId mapParam(uint32_t Param) = 0;
  /// What a resource parameter names.
  virtual PlaceBase mapResource(uint32_t Param) = 0;
  virtual PlaceBase mapWorkgroup(PlaceBase Base) { return Base; }
  /// Statements that are not copied as they are: returns, calls and others that
  /// mean something else in the new place. Nothing: copy it.
  virtual std::optional<InstId> replace(InstId I) = 0;

  Builder &B;
  const Function &Src;

private:
  InstId copy(InstId I);
  InstId copyControl(InstId I);
  InstId copyPlain(InstId I);
  PlaceId mapPlace(PlaceId P);

  SideMap<Inst, InstId> Mapping;
  SideMap<Slot, SlotId> Slots;
};

} // namespace goldy

#endif
