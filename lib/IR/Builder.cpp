//===- Builder.cpp - Appends instructions to a function
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Builder.h"

using namespace goldy;

InstId Builder::append(Inst I, std::span<const ValueId> Operands) {
  I.FirstOperand = static_cast<uint32_t>(F.OperandPool.size());
  I.NumOperands = static_cast<uint32_t>(Operands.size());
  // The operands may be a view of the pool itself.
  std::vector<ValueId> Copy(Operands.begin(), Operands.end());
  F.OperandPool.insert(F.OperandPool.end(), Copy.begin(), Copy.end());
  if (!I.Loc.isValid())
    I.Loc = Loc;
  bool Placed = opInfo(I.Opcode).Effects != Effect::Leaf;
  InstId Result = F.Insts.push(I);
  if (Placed) {
    assert(Current && "no block to append to");
    F.Blocks[Current].Insts.push_back(Result);
  }
  return Result;
}

// --- Leaves

ValueId Builder::constant(TypeId T, uint64_t Bits) {
  ValueId &Known = Constants[{T.index(), Bits}];
  if (Known)
    return Known;
  Inst I;
  I.Opcode = Op::Const;
  I.Type = T;
  I.Imm = Bits;
  Known = append(I, {});
  return Known;
}

ValueId Builder::zero(TypeId T) {
  uint32_t Count = M.Types.memberCount(T);
  if (Count == 0)
    return constant(T, 0);
  std::vector<ValueId> Members;
  for (uint32_t I = 0; I < Count; ++I)
    Members.push_back(zero(M.Types.memberType(T, I)));
  return construct(T, Members);
}

ValueId Builder::param(uint32_t Index) {
  assert(Index < F.Params.size() && F.Params[Index].Kind == ParamKind::Scalar &&
         "not a scalar parameter");
  ValueId &Known = Params[Index];
  if (Known)
    return Known;
  Inst I;
  I.Opcode = Op::ParamValue;
  I.Type = F.Params[Index].Type;
  I.Imm = Index;
  Known = append(I, {});
  return Known;
}

ValueId Builder::leaf(Op O, TypeId T, uint64_t Imm) {
  ValueId &Known = Leaves[{static_cast<uint32_t>(O), Imm}];
  if (Known)
    return Known;
  Inst I;
  I.Opcode = O;
  I.Type = T;
  I.Imm = Imm;
  Known = append(I, {});
  return Known;
}

ValueId Builder::specConst(SpecId S) {
  return leaf(Op::SpecConst, M.Specs[S].Type, S.index());
}

ValueId Builder::deviceSwitch(uint32_t Number) {
  return leaf(Op::DeviceSwitch, types::Bool, Number);
}

ValueId Builder::ref(PlaceBase Base) {
  ValueId &Known = Refs[{static_cast<uint32_t>(Base.Kind), Base.Index}];
  if (Known)
    return Known;
  Place P;
  P.Base = Base;
  P.Type = baseType(M, F, Base);
  Inst I;
  I.Opcode = Op::Ref;
  I.Where = F.Places.push(std::move(P));
  Known = append(I, {});
  return Known;
}

// --- Values

ValueId Builder::id(Op O, uint32_t Axis) {
  assert(O >= Op::GlobalId && O <= Op::WorkgroupSize && Axis < 3);
  return opTyped(O, types::U32, {}, Axis);
}

ValueId Builder::len(PlaceBase Base) {
  Place P;
  P.Base = Base;
  P.Type = baseType(M, F, Base);
  Inst I;
  I.Opcode = Op::Len;
  I.Type = types::U32;
  I.Where = F.Places.push(std::move(P));
  return append(I, {});
}

ValueId Builder::op(Op O, std::initializer_list<ValueId> Operands) {
  return op(O, std::span<const ValueId>(Operands.begin(), Operands.size()));
}

ValueId Builder::op(Op O, std::span<const ValueId> Operands) {
  TypeRule Rule = opInfo(O).Rule;
  assert(Rule != TypeRule::Special && !Operands.empty());
  TypeId T =
      Rule == TypeRule::Compare ? types::Bool : F.typeOf(Operands.front());
  return opTyped(O, T, Operands);
}

ValueId Builder::opTyped(Op O, TypeId T, std::span<const ValueId> Operands,
                         uint64_t Imm) {
  Inst I;
  I.Opcode = O;
  I.Type = T;
  I.Imm = Imm;
  return append(I, Operands);
}

ValueId Builder::cast(ValueId V, TypeId To) {
  ValueId Operands[] = {V};
  return opTyped(Op::Cast, To, Operands);
}

ValueId Builder::select(ValueId C, ValueId A, ValueId B) {
  ValueId Operands[] = {C, A, B};
  return opTyped(Op::Select, F.typeOf(A), Operands);
}

ValueId Builder::construct(TypeId T, std::span<const ValueId> Members) {
  assert(M.Types.memberCount(T) == Members.size());
  return opTyped(Op::Construct, T, Members);
}

ValueId Builder::extract(ValueId Aggregate, uint32_t Member) {
  TypeId T = F.typeOf(Aggregate);
  assert(Member < M.Types.memberCount(T));
  ValueId Operands[] = {Aggregate};
  return opTyped(Op::Extract, M.Types.memberType(T, Member), Operands, Member);
}

// --- Memory

SlotId Builder::slot(std::string Name, TypeId T) {
  return F.Slots.push({std::move(Name), T, Loc});
}

WorkgroupId Builder::workgroupArray(std::string Name, TypeId ArrayType) {
  return F.WorkgroupArrays.push({std::move(Name), ArrayType, Loc});
}

PlaceId Builder::place(PlaceBase Base, std::vector<PathElement> Path) {
  Place P;
  P.Base = Base;
  P.Path = std::move(Path);
  P.Type = placeType(M, F, P);
  assert(P.Type && "path does not fit its base");
  return F.Places.push(std::move(P));
}

static Inst memoryInst(Op O, TypeId T, PlaceId P, bool Guarded) {
  Inst I;
  I.Opcode = O;
  I.Type = T;
  I.Where = P;
  I.Flags = Guarded ? FlagGuarded : 0;
  return I;
}

ValueId Builder::load(PlaceId P, ValueId Guard) {
  std::vector<ValueId> Operands;
  if (Guard)
    Operands.push_back(Guard);
  return append(memoryInst(Op::Load, TypeTable::valueType(F.Places[P].Type), P,
                           Guard.isValid()),
                Operands);
}

InstId Builder::store(PlaceId P, ValueId V, ValueId Guard) {
  std::vector<ValueId> Operands{V};
  if (Guard)
    Operands.push_back(Guard);
  return append(memoryInst(Op::Store, types::Void, P, Guard.isValid()),
                Operands);
}

ValueId Builder::atomic(Op O, PlaceId P, std::span<const ValueId> Operands,
                        ValueId Guard) {
  assert(isAtomic(O));
  std::vector<ValueId> All(Operands.begin(), Operands.end());
  if (Guard)
    All.push_back(Guard);
  TypeId T = O == Op::AtomicStore ? types::Void : F.Places[P].Type;
  return append(memoryInst(O, T, P, Guard.isValid()), All);
}

ValueId Builder::uniformLoad(PlaceId P) {
  return append(memoryInst(Op::WorkgroupUniformLoad,
                           TypeTable::valueType(F.Places[P].Type), P, false),
                {});
}

InstId Builder::barrier() { return opTyped(Op::Barrier, types::Void, {}); }

// --- Control

InstId Builder::createIf(ValueId Cond, bool WithElse) {
  Inst I;
  I.Opcode = Op::If;
  I.Blocks[0] = newBlock();
  if (WithElse)
    I.Blocks[1] = newBlock();
  ValueId Operands[] = {Cond};
  return append(I, Operands);
}

InstId Builder::createLoop(bool WithContinuing) {
  Inst I;
  I.Opcode = Op::Loop;
  I.Blocks[0] = newBlock();
  if (WithContinuing)
    I.Blocks[1] = newBlock();
  return append(I, {});
}

InstId Builder::createFor(ValueId Lo, ValueId Hi, uint64_t Step, bool Inclusive,
                          uint32_t Unroll) {
  assert(Step >= 1);
  Inst I;
  I.Opcode = Op::For;
  I.Imm = Step;
  I.Flags = Inclusive ? FlagInclusive : 0;
  I.Unroll = Unroll;
  I.Blocks[0] = newBlock();
  ValueId Operands[] = {Lo, Hi};
  InstId For = append(I, Operands);
  Inst V;
  V.Opcode = Op::LoopVar;
  V.Type = F.typeOf(Lo);
  V.Target = For;
  InstId Var = append(V, {});
  F.Insts[For].Var = Var;
  return For;
}

InstId Builder::createBlock() {
  Inst I;
  I.Opcode = Op::Block;
  I.Blocks[0] = newBlock();
  return append(I, {});
}

InstId Builder::breakTo(InstId Target) {
  Inst I;
  I.Opcode = Op::Break;
  I.Target = Target;
  return append(I, {});
}

InstId Builder::continueTo(InstId Target) {
  Inst I;
  I.Opcode = Op::Continue;
  I.Target = Target;
  return append(I, {});
}

InstId Builder::breakIf(ValueId Cond) {
  ValueId Operands[] = {Cond};
  return opTyped(Op::BreakIf, types::Void, Operands);
}

InstId Builder::ret(ValueId V) {
  std::vector<ValueId> Operands;
  if (V)
    Operands.push_back(V);
  return opTyped(Op::Return, types::Void, Operands);
}

ValueId Builder::call(FuncId Callee, std::span<const ValueId> Args) {
  Inst I;
  I.Opcode = Op::Call;
  I.Callee = Callee;
  I.Type = M.Functions[Callee].ReturnType;
  return append(I, Args);
}

InstId Builder::assume(ValueId Cond) {
  ValueId Operands[] = {Cond};
  return opTyped(Op::Assume, types::Void, Operands);
}

void Builder::setName(InstId I, std::string_view Name) {
  if (Name.empty())
    return;
  F.Names.emplace_back(Name);
  F.Insts[I].Name = static_cast<uint32_t>(F.Names.size() - 1);
}
