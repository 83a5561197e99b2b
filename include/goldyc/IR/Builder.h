//===- Builder.h - Appends instructions to a function
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A builder appends to one block at a time. Constants and parameters are
// hash-consed per function. Nothing is folded here: the IR holds what the
// caller asked for. Types are computed by the operation's rule from Ops.def;
// operands must fit it (asserted).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_BUILDER_H
#define GOLDYC_IR_BUILDER_H

#include "goldyc/IR/IR.h"

#include <initializer_list>
#include <map>

namespace goldy {

class Builder {
public:
  Builder(Module &M, Function &F) : M(M), F(F) {}
  Module &module() { return M; }
  Function &function() { return F; }

  BlockId newBlock() { return F.Blocks.push({}); }
  void setBlock(BlockId B) { Current = B; }
  BlockId block() const { return Current; }
  /// Location given to the instructions that follow.
  void setLoc(Span S) { Loc = S; }
  Span loc() const { return Loc; }

  // --- Leaves
  ValueId constant(TypeId T, uint64_t Bits);
  ValueId u32(uint32_t V) { return constant(types::U32, V); }
  ValueId i32(int32_t V) {
    return constant(types::I32, static_cast<uint32_t>(V));
  }
  ValueId f32Bits(uint32_t Bits) { return constant(types::F32, Bits); }
  ValueId boolean(bool B) { return constant(types::Bool, B); }
  /// Zero of any type: a constant, or a Construct placed in the block.
  ValueId zero(TypeId T);
  ValueId param(uint32_t Index);
  ValueId ref(PlaceBase Base);
  ValueId specConst(SpecId S);
  ValueId deviceSwitch(uint32_t Number);

  // --- Values
  ValueId id(Op O, uint32_t Axis); ///< GlobalId … WorkgroupSize
  ValueId len(PlaceBase Base);
  /// An operation whose result type follows from its rule (all but Special).
  ValueId op(Op O, std::initializer_list<ValueId> Operands);
  ValueId op(Op O, std::span<const ValueId> Operands);
  /// An operation with a stated result type.
  ValueId opTyped(Op O, TypeId T, std::span<const ValueId> Operands,
                  uint64_t Imm = 0);
  ValueId cast(ValueId V, TypeId To);
  ValueId select(ValueId C, ValueId A, ValueId B);
  ValueId construct(TypeId T, std::span<const ValueId> Members);
  ValueId extract(ValueId Aggregate, uint32_t Member);

  // --- Memory
  SlotId slot(std::string Name, TypeId T);
  WorkgroupId workgroupArray(std::string Name, TypeId ArrayType);
  /// Computes the place's type.
  PlaceId place(PlaceBase Base, std::vector<PathElement> Path = {});
  PlaceId slotPlace(SlotId S) { return place({BaseKind::Slot, S.index()}); }
  /// A narrow element widens.
  ValueId load(PlaceId P, ValueId Guard = {});
  ValueId uniformLoad(PlaceId P); ///< WorkgroupUniformLoad
  InstId store(PlaceId P, ValueId V, ValueId Guard = {});
  ValueId atomic(Op O, PlaceId P, std::span<const ValueId> Operands,
                 ValueId Guard = {});
  InstId barrier();

  // --- Control. The blocks are created empty; fill them with setBlock.
  InstId createIf(ValueId Cond, bool WithElse);
  InstId createLoop(bool WithContinuing);
  /// The loop variable is `F.Insts[Result].Var`.
  InstId createFor(ValueId Lo, ValueId Hi, uint64_t Step, bool Inclusive,
                   uint32_t Unroll = 0);
  InstId createBlock();
  InstId breakTo(InstId Target);
  InstId continueTo(InstId Target);
  InstId breakIf(ValueId Cond);
  InstId ret(ValueId V = {});
  ValueId call(FuncId Callee, std::span<const ValueId> Args);
  InstId assume(ValueId Cond);

  void setName(InstId I, std::string_view Name);

  /// Lowest level: appends any instruction (placed unless a leaf).
  InstId append(Inst I, std::span<const ValueId> Operands);

private:
  Module &M;
  Function &F;
  BlockId Current;
  Span Loc;
  std::map<std::pair<uint32_t, uint64_t>, ValueId> Constants;
  ValueId leaf(Op O, TypeId T, uint64_t Imm);

  std::map<uint32_t, ValueId> Params;
  std::map<std::pair<uint32_t, uint64_t>, ValueId> Leaves;
  std::map<std::pair<uint32_t, uint32_t>, ValueId> Refs;
};

} // namespace goldy

#endif
