//===- RandomKernel.cpp - Kernels to try passes on
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generator keeps the values that are visible, by type, and the statements
// that may be left. Slots are written at the start, so no read depends on what
// an unwritten slot holds.
//
//===----------------------------------------------------------------------===//
#include "RandomKernel.h"

#include "goldyc/IR/Builder.h"

#include <random>

namespace goldy::test {
namespace {

class Generator {
public:
  Generator(uint32_t Seed, bool Barriers) : Random(Seed), Barriers(Barriers) {}
  Module run();

private:
  uint32_t upTo(uint32_t Bound) { return Random() % Bound; }
  bool chance(uint32_t Percent) { return upTo(100) < Percent; }

  void declareTypes();
  void makeHelper(uint32_t Number);
  void makeKernel();
  void makeSlots();
  void fillSlots();

  void statements(unsigned Depth, unsigned Count);
  void statement(unsigned Depth);
  void control(unsigned Depth);
  void nested(BlockId Block, unsigned Depth);
  void ifStatement(unsigned Depth);
  void forStatement(unsigned Depth);
  void loopStatement(unsigned Depth);
  void exitStatement();
  void storeStatement();
  void callStatement();
  void atomicStatement();
  void barrierStatement();

  ValueId any(TypeId T);
  ValueId constant(TypeId T);
  ValueId make(TypeId T, unsigned Depth);
  ValueId makeInteger(TypeId T, unsigned Depth);
  ValueId makeFloat(unsigned Depth);
  ValueId makeBool(unsigned Depth);
  ValueId loadOf(TypeId T);
  PlaceId placeOf(TypeId T, bool Writable);
  ValueId index(uint32_t Extent);
  ValueId remember(ValueId V) {
    if (V && B->function().typeOf(V) != types::Void)
      Visible.push_back(V);
    return V;
  }

  Module M;
  std::mt19937 Random;
  std::optional<Builder> B;
  TypeId Pair, Float3, Array, Grid;
  std::vector<ValueId> Visible;
  struct Target {
    InstId I;
    bool Loop;
  };
  std::vector<Target> Targets;
  bool Barriers, InHelper = false;
  bool Ended = false; ///< the current block ends in an exit
};

void Generator::declareTypes() {
  StructType P{"P", {}, {}};
  Float3 = M.Types.vector(types::F32, 3);
  P.Fields = {{"a", types::U32, {}}, {"v", Float3, {}}, {"b", types::Bool, {}}};
  Pair = M.Types.structType(M.Types.addStruct(P));
  Array = M.Types.array(types::U32, 5);
  Grid = M.Types.array(M.Types.array(types::F32, 3), 2);
}

ValueId Generator::constant(TypeId T) {
  static constexpr uint32_t Words[] = {0,  1,  2,   3,          4,
                                       7,  31, 255, 0x7fffffff, 0x80000000,
                                       32, 64, 100, 0xffffffff, 0xfffffffe};
  static constexpr uint32_t Floats[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40490fdb, 0x00000001,
      0x80400000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f812345,
      0x00800000, 0x4b800000, 0xcf000000, 0x3eaaaaab};
  if (T == types::Bool)
    return B->boolean(chance(50));
  if (T == types::F32)
    return B->f32Bits(Floats[upTo(16)]);
  return B->constant(T, Words[upTo(15)]);
}

ValueId Generator::any(TypeId T) {
  std::vector<ValueId> Fitting;
  for (ValueId V : Visible)
    if (B->function().typeOf(V) == T)
      Fitting.push_back(V);
  if (Fitting.empty() || chance(15))
    return M.Types.isScalar(T) ? constant(T) : make(T, 1);
  return Fitting[upTo(static_cast<uint32_t>(Fitting.size()))];
}

/// Mostly inside, sometimes far outside or negative.
ValueId Generator::index(uint32_t Extent) {
  switch (upTo(6)) {
  case 0:
    return B->u32(upTo(Extent));
  case 1:
    return any(types::U32);
  case 2:
    return any(types::I32);
  case 3:
    return B->op(Op::And, {any(types::U32), B->u32(3)});
  default:
    return B->op(Op::Rem, {any(types::U32), B->u32(Extent)});
  }
}

PlaceId Generator::placeOf(TypeId T, bool Writable) {
  Function &F = B->function();
  auto Slot = [&](uint32_t N) { return PlaceBase{BaseKind::Slot, N}; };
  PlaceBase Read{BaseKind::Param, InHelper || Writable ? 1u : upTo(2)};
  if (InHelper)
    return B->place(Slot(T == types::U32 ? 0 : T == types::F32 ? 1 : 2));
  if (T == types::U32)
    switch (upTo(4)) {
    case 0:
      return B->place(Read, {{index(8), 0}});
    case 1:
      return B->place(Slot(3), {{index(5), 0}});
    case 2:
      return B->place(Slot(5), {{{}, 0}});
    default:
      return B->place(Slot(0));
    }
  if (T == types::F32)
    switch (upTo(4)) {
    case 0:
      return B->place({BaseKind::Param, 2}, {{index(8), 0}});
    case 1:
      return B->place(Slot(4), {{index(2), 0}, {index(3), 0}});
    case 2:
      return B->place(Slot(5), {{{}, 1}, {{}, upTo(3)}});
    default:
      return B->place(Slot(1));
    }
  if (T == types::Bool)
    return chance(50) ? B->place(Slot(2)) : B->place(Slot(5), {{{}, 2}});
  if (T == Float3)
    return B->place(Slot(5), {{{}, 1}});
  if (T == Pair)
    return B->place(Slot(5));
  if (T == Array)
    return B->place(Slot(3));
  return B->place(Slot(F.Slots.size() > 6 ? 6 : 0));
}

ValueId Generator::loadOf(TypeId T) { return B->load(placeOf(T, false)); }

ValueId Generator::makeInteger(TypeId T, unsigned Depth) {
  static constexpr Op Binary[] = {
      Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::And,        Op::Or,
      Op::Xor, Op::Min, Op::Max, Op::Shl, Op::Shr, Op::RotateLeft, Op::MulHi};
  static constexpr Op Counts[] = {Op::CountOnes, Op::LeadingZeros,
                                  Op::TrailingZeros};
  switch (upTo(12)) {
  case 0:
    return B->cast(any(T == types::U32 ? types::I32 : types::U32), T);
  case 1:
    return B->cast(any(types::F32), T);
  case 2:
    return B->cast(any(types::Bool), T);
  case 3:
    return B->select(any(types::Bool), any(T), any(T));
  case 4: {
    ValueId V[] = {any(T)};
    return T == types::U32 ? B->opTyped(Counts[upTo(3)], T, V)
                           : B->op(chance(50) ? Op::Abs : Op::Neg, {V[0]});
  }
  case 5:
    return B->op(Op::Not, {any(T)});
  case 6:
    if (T == types::U32 && !InHelper)
      return chance(50) ? B->id(chance(50) ? Op::GlobalId : Op::LocalId, 0)
                        : B->len({BaseKind::Param, upTo(3)});
    return B->op(Op::ReverseBits, {any(T)});
  case 7:
    if (T == types::U32) {
      ValueId V[] = {any(types::F32)};
      return B->opTyped(Op::ToBits, T, V);
    }
    [[fallthrough]];
  default:
    return B->op(Binary[upTo(14)], {any(T), any(T)});
  }
}

ValueId Generator::makeFloat(unsigned Depth) {
  static constexpr Op Binary[] = {Op::Add, Op::Sub, Op::Mul,      Op::Div,
                                  Op::Min, Op::Max, Op::Copysign, Op::Rem};
  static constexpr Op Unary[] = {Op::Neg,  Op::Abs,   Op::Sqrt,      Op::Floor,
                                 Op::Ceil, Op::Trunc, Op::RoundEven, Op::Round};
  switch (upTo(6)) {
  case 0:
    return B->cast(any(chance(50) ? types::U32 : types::I32), types::F32);
  case 1:
    return B->select(any(types::Bool), any(types::F32), any(types::F32));
  case 2:
    return B->op(Unary[upTo(8)], {any(types::F32)});
  case 3: {
    ValueId V[] = {any(types::U32)};
    return B->opTyped(Op::FromBits, types::F32, V);
  }
  default:
    return B->op(Binary[upTo(8)], {any(types::F32), any(types::F32)});
  }
}

ValueId Generator::makeBool(unsigned Depth) {
  static constexpr Op Compare[] = {Op::Eq, Op::Ne, Op::Lt,
                                   Op::Le, Op::Gt, Op::Ge};
  static constexpr Op Logic[] = {Op::And, Op::Or, Op::Xor};
  TypeId Operand = chance(40)   ? types::U32
                   : chance(50) ? types::I32
                                : types::F32;
  if (chance(25))
    return B->op(Logic[upTo(3)], {any(types::Bool), any(types::Bool)});
  if (chance(10))
    return B->op(Op::Not, {any(types::Bool)});
  return B->op(Compare[upTo(6)], {any(Operand), any(Operand)});
}

ValueId Generator::make(TypeId T, unsigned Depth) {
  if (T == types::Bool)
    return makeBool(Depth);
  if (T == types::F32)
    return makeFloat(Depth);
  if (M.Types.isScalar(T))
    return makeInteger(T, Depth);
  if (T == Float3 && chance(40) && Depth == 0)
    return B->op(chance(50) ? Op::Add : Op::Mul, {any(T), any(T)});
  if (Depth == 0 && chance(30))
    return B->select(any(types::Bool), any(T), any(T));
  std::vector<ValueId> Members;
  for (uint32_t K = 0; K < M.Types.memberCount(T); ++K)
    Members.push_back(any(M.Types.memberType(T, K)));
  return B->construct(T, Members);
}

void Generator::storeStatement() {
  static constexpr uint32_t Kinds = 5;
  const TypeId Types[Kinds] = {types::U32, types::F32, types::Bool, Pair,
                               Array};
  TypeId T = Types[upTo(InHelper ? 3 : Kinds)];
  ValueId V = any(T);
  B->store(placeOf(T, true), V);
}

void Generator::callStatement() {
  if (InHelper)
    return;
  ValueId Args[] = {any(types::U32), any(types::F32), any(types::Bool)};
  remember(B->call(FuncId(upTo(2)), Args));
}

void Generator::atomicStatement() {
  if (InHelper)
    return;
  static constexpr Op Ops[] = {Op::AtomicAdd, Op::AtomicMax, Op::AtomicXor};
  ValueId V[] = {any(types::U32)};
  PlaceId P = B->place({BaseKind::Param, 1}, {{index(8), 0}});
  remember(B->atomic(Ops[upTo(3)], P, V));
}

/// Sometimes under a condition that is the same for all.
void Generator::barrierStatement() {
  BlockId Outer = B->block();
  if (chance(30)) {
    InstId I =
        B->createIf(B->op(Op::Lt, {B->param(3), any(types::U32)}), false);
    B->setBlock(B->function().Insts[I].Blocks[0]);
  }
  PlaceBase Shared{BaseKind::Workgroup, 0};
  if (chance(70))
    B->store(B->place(Shared, {{index(8), 0}}), any(types::U32));
  B->barrier();
  ValueId V = B->load(B->place(Shared, {{index(8), 0}}));
  B->store(B->slotPlace(SlotId(0)), V);
  B->setBlock(Outer);
}

void Generator::nested(BlockId Block, unsigned Depth) {
  BlockId Outer = B->block();
  size_t Known = Visible.size();
  B->setBlock(Block);
  Ended = false;
  statements(Depth + 1, 1 + upTo(4));
  Ended = false;
  Visible.resize(Known);
  B->setBlock(Outer);
}

void Generator::ifStatement(unsigned Depth) {
  InstId I = B->createIf(any(types::Bool), chance(50));
  BlockId Then = B->function().Insts[I].Blocks[0];
  BlockId Else = B->function().Insts[I].Blocks[1];
  nested(Then, Depth);
  if (Else)
    nested(Else, Depth);
}

void Generator::forStatement(unsigned Depth) {
  // A few repetitions from anywhere, the ends of the type too.
  bool Signed = chance(40);
  TypeId T = Signed ? types::I32 : types::U32;
  uint64_t Step = chance(60) ? 1 : 1 + upTo(3);
  static constexpr uint32_t Starts[] = {0, 0, 0, 1, 0xfffffffc, 0x7ffffffc};
  ValueId Lo = chance(70) ? B->constant(T, Starts[upTo(6)]) : any(T);
  ValueId Few = B->op(Op::And, {any(T), B->constant(T, 3)});
  ValueId Hi =
      chance(60) ? B->op(Op::Add, {Lo, Few}) : B->op(Op::Max, {Lo, Few});
  if (B->function().isConst(Lo) && chance(60))
    Hi = B->constant(T, uint32_t(B->function().Insts[Lo].Imm + upTo(6)));
  bool LoopsFew =
      !B->function().isConst(Hi) && B->function().Insts[Hi].Opcode == Op::Add;
  bool Constant = B->function().isConst(Lo) && B->function().isConst(Hi);
  if (!LoopsFew && !Constant)
    Hi = B->op(Op::Add, {Lo, Few});
  uint32_t Unroll = chance(40) ? UnrollFull : chance(40) ? 2 + upTo(3) : 0;
  InstId I = B->createFor(Lo, Hi, Step, chance(30), Unroll);
  Visible.push_back(B->function().Insts[I].Var);
  Targets.push_back({I, true});
  nested(B->function().Insts[I].Blocks[0], Depth);
  Targets.pop_back();
  Visible.pop_back();
}

/// A loop with a counter of its own, tested first.
void Generator::loopStatement(unsigned Depth) {
  SlotId Counter = B->slot("count", types::U32);
  B->store(B->slotPlace(Counter), B->u32(0));
  bool Continuing = chance(50);
  InstId I = B->createLoop(Continuing);
  BlockId Outer = B->block();
  BlockId Body = B->function().Insts[I].Blocks[0];
  BlockId End = B->function().Insts[I].Blocks[1];
  B->setBlock(Body);
  ValueId Now = B->load(B->slotPlace(Counter));
  B->store(B->slotPlace(Counter), B->op(Op::Add, {Now, B->u32(1)}));
  InstId Test = B->createIf(B->op(Op::Ge, {Now, B->u32(1 + upTo(3))}), false);
  B->setBlock(B->function().Insts[Test].Blocks[0]);
  B->breakTo(I);
  B->setBlock(Outer);
  Targets.push_back({I, true});
  nested(Body, Depth);
  Targets.pop_back();
  if (!End)
    return;
  B->setBlock(End);
  B->store(placeOf(types::U32, true), any(types::U32));
  B->breakIf(any(types::Bool));
  B->setBlock(Outer);
}

void Generator::exitStatement() {
  if (Targets.empty() || chance(15)) {
    if (!InHelper)
      B->ret();
    else
      B->ret(any(types::U32));
  } else {
    Target T = Targets[upTo(static_cast<uint32_t>(Targets.size()))];
    if (T.Loop && chance(50))
      B->continueTo(T.I);
    else
      B->breakTo(T.I);
  }
  Ended = true;
}

void Generator::control(unsigned Depth) {
  switch (upTo(4)) {
  case 0:
    return forStatement(Depth);
  case 1:
    return loopStatement(Depth);
  case 2: {
    InstId I = B->createBlock();
    Targets.push_back({I, false});
    nested(B->function().Insts[I].Blocks[0], Depth);
    Targets.pop_back();
    return;
  }
  default:
    return ifStatement(Depth);
  }
}

void Generator::statement(unsigned Depth) {
  uint32_t Kind = upTo(20);
  if (Barriers && !InHelper && chance(Depth == 0 ? 15 : 2))
    return barrierStatement();
  if (Kind < 4 && Depth < 4)
    return control(Depth);
  if (Kind < 8)
    return storeStatement();
  if (Kind == 8 && Depth > 0)
    return exitStatement();
  if (Kind == 9)
    return callStatement();
  if (Kind == 10)
    return atomicStatement();
  const TypeId Types[] = {types::U32, types::I32, types::F32, types::Bool,
                          Float3,     Pair,       Array};
  TypeId T = Types[upTo(InHelper ? 4 : 7)];
  if (Kind < 14 && T != types::I32)
    remember(loadOf(T));
  else
    remember(make(T, 0));
  if (T == Float3 && !Visible.empty() &&
      B->function().typeOf(Visible.back()) == Float3)
    remember(B->extract(Visible.back(), upTo(3)));
}

void Generator::statements(unsigned Depth, unsigned Count) {
  for (unsigned K = 0; K < Count && !Ended; ++K)
    statement(Depth);
}

void Generator::fillSlots() {
  for (uint32_t K = 0; K < B->function().Slots.size(); ++K)
    B->store(B->slotPlace(SlotId(K)),
             B->zero(B->function().Slots[SlotId(K)].Type));
}

void Generator::makeHelper(uint32_t Number) {
  FuncId Id = M.Functions.push({});
  Function &F = M.Functions[Id];
  F.Name = "helper" + std::to_string(Number);
  F.ReturnType = types::U32;
  for (TypeId T : {types::U32, types::F32, types::Bool})
    F.Params.push_back({"p" + std::to_string(F.Params.size()),
                        ParamKind::Scalar,
                        T,
                        Access::Read,
                        false,
                        {}});
  B.emplace(M, F);
  F.Body = B->newBlock();
  B->setBlock(F.Body);
  B->slot("u", types::U32);
  B->slot("f", types::F32);
  B->slot("b", types::Bool);
  fillSlots();
  Visible = {B->param(0), B->param(1), B->param(2)};
  InHelper = true;
  statements(0, 6);
  B->ret(any(types::U32));
  InHelper = false;
  Visible.clear();
}

void Generator::makeKernel() {
  FuncId Id = M.Functions.push({});
  Function &F = M.Functions[Id];
  F.Name = "k";
  F.Kind = FuncKind::Kernel;
  F.WorkgroupSize = {4, 1, 1};
  auto Buffer = [&](const char *Name, TypeId T, Access A) {
    F.Params.push_back({Name, ParamKind::Buffer, T, A, false, {}});
  };
  Buffer("x", types::U32, Access::Read);
  Buffer("y", types::U32, Access::ReadWrite);
  Buffer("f", types::F32, Access::ReadWrite);
  F.Params.push_back(
      {"n", ParamKind::Scalar, types::U32, Access::Read, false, {}});
  F.Params.push_back(
      {"c", ParamKind::Scalar, types::F32, Access::Read, false, {}});
  B.emplace(M, F);
  F.Body = B->newBlock();
  B->setBlock(F.Body);
  B->slot("u", types::U32);
  B->slot("g", types::F32);
  B->slot("b", types::Bool);
  B->slot("a", Array);
  B->slot("m", Grid);
  B->slot("p", Pair);
  B->workgroupArray("s", M.Types.array(types::U32, 8));
  fillSlots();
  Visible = {B->param(3), B->param(4)};
  statements(0, 14);
  B->store(B->place({BaseKind::Param, 1}, {{B->id(Op::GlobalId, 0), 0}}),
           any(types::U32));
  B->store(B->place({BaseKind::Param, 2}, {{B->id(Op::GlobalId, 0), 0}}),
           any(types::F32));
}

Module Generator::run() {
  declareTypes();
  makeHelper(0);
  makeHelper(1);
  makeKernel();
  return std::move(M);
}

} // namespace

Module randomKernel(uint32_t Seed) { return Generator(Seed, false).run(); }
Module randomKernelWithBarriers(uint32_t Seed) {
  return Generator(Seed, true).run();
}

} // namespace goldy::test
