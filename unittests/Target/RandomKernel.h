//===- RandomKernel.h - Random kernels that end ------------------*- C++
//-*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions made of random nests of If, Loop, For and Block with exits over
// any number of levels, arithmetic on all scalar types, accesses in and out of
// range to buffers, private arrays and workgroup memory, and atomics. One
// work-item runs them, so nothing depends on a schedule; every loop counts its
// trips, so they end. The generator is a fixed one: a seed gives its kernel
// for ever.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_RANDOMKERNEL_H
#define GOLDYC_UNITTESTS_TARGET_RANDOMKERNEL_H

#include "goldyc/IR/Builder.h"

namespace goldy::test {

/// Kernel `k` with a `&mut` buffer of each scalar and of some narrow types, and
/// the scalar `n: u32`.
class RandomKernel {
public:
  static Module make(uint32_t Seed, unsigned Depth) {
    Module M;
    Function F;
    F.Name = "k";
    F.Kind = FuncKind::Kernel;
    F.Params = {buffer("u", types::U32),
                buffer("s", types::I32),
                buffer("f", types::F32),
                buffer("w", types::U64),
                buffer("z", types::I64),
                buffer("b", types::U8),
                buffer("c", types::I16),
                buffer("h", types::F16),
                Param()};
    F.Params.back().Name = "n";
    F.Params.back().Type = types::U32;
    RandomKernel(M, F, Seed).body(Depth);
    M.Functions.push(std::move(F));
    return M;
  }

private:
  RandomKernel(Module &M, Function &F, uint32_t Seed)
      : F(F), B(M, F), State(Seed * 2 + 1) {
    F.Body = B.newBlock();
    B.setBlock(F.Body);
    for (TypeId T : Kinds)
      Locals.push_back(B.slot("v", T));
    Array = B.slot("t", M.Types.array(types::F32, 6));
    Shared = B.workgroupArray("g", M.Types.array(types::I32, 9));
    for (uint32_t N = 0; N < 5; ++N)
      B.store(B.slotPlace(Locals[N]),
              B.load(element({BaseKind::Param, N}, B.u32(N))));
    for (uint32_t N = 0; N < 6; ++N)
      B.store(element({BaseKind::Slot, Array.index()}, B.u32(N)), B.f32Bits(0));
  }
  static constexpr TypeId Kinds[] = {types::U32, types::I32, types::F32,
                                     types::U64, types::I64};
  static uint32_t numberOf(TypeId T) {
    uint32_t N = 0;
    while (Kinds[N] != T)
      ++N;
    return N;
  }
  bool isWide(TypeId T) const { return T == types::U64 || T == types::I64; }
  /// A buffer whose elements are such values, narrow ones at times.
  PlaceBase bufferOf(uint32_t N) {
    bool Narrow = N < 3 && next(3) == 0;
    return {BaseKind::Param, Narrow ? N + 5 : N};
  }
  static Param buffer(std::string Name, TypeId T) {
    Param P;
    P.Name = std::move(Name);
    P.Kind = ParamKind::Buffer;
    P.Type = T;
    P.Acc = Access::ReadWrite;
    return P;
  }

  uint32_t next(uint32_t Below) {
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(State >> 33) % Below;
  }
  PlaceId element(PlaceBase Base, ValueId Index) {
    PathElement E;
    E.Index = Index;
    return B.place(Base, {E});
  }
  ValueId value(TypeId T, unsigned Depth = 2) {
    uint32_t N = numberOf(T);
    switch (next(Depth ? 7 : 3)) {
    case 0:
      return T == types::F32 ? B.f32Bits(0x3f000000u + (next(9) << 20))
                             : B.constant(T, literal(T));
    case 1:
    case 2:
      return B.load(B.slotPlace(Locals[N]));
    case 3:
      return B.load(element(bufferOf(N), index(Depth - 1)));
    case 4:
      return B.select(condition(Depth - 1), value(T, Depth - 1),
                      value(T, Depth - 1));
    default:
      return T == types::F32 ? real(Depth - 1) : integer(T, Depth - 1);
    }
  }
  uint64_t literal(TypeId T) {
    if (isWide(T) && next(3) == 0)
      return (uint64_t(1) << (30 + next(34))) - next(2);
    return next(12);
  }
  ValueId integer(TypeId T, unsigned Depth) {
    static constexpr Op Ops[] = {Op::Add, Op::Sub, Op::Mul, Op::Div,
                                 Op::Rem, Op::And, Op::Or,  Op::Xor,
                                 Op::Shl, Op::Shr, Op::Min, Op::Max};
    if (next(5) == 0) {
      static constexpr TypeId Others[] = {types::U32, types::I32, types::U64,
                                          types::I64};
      TypeId From = Others[next(4)];
      ValueId V = value(From, Depth);
      return From == T ? B.op(Op::Not, {V}) : B.cast(V, T);
    }
    if (next(8) == 0)
      return B.cast(value(types::F32, Depth), T);
    if (next(8) == 0)
      return unary(T, Depth);
    ValueId L = value(T, Depth), R = value(T, Depth);
    return B.op(Ops[next(12)], {L, R});
  }
  ValueId unary(TypeId T, unsigned Depth) {
    ValueId V[] = {value(T, Depth)};
    switch (next(4)) {
    case 0:
      return B.op(Op::ReverseBits, V);
    case 1:
      return B.op(Op::MulHi, {V[0], value(T, Depth)});
    case 2:
      return B.op(Op::RotateLeft, {V[0], value(types::U32, Depth)});
    default: {
      static constexpr Op Counts[] = {Op::CountOnes, Op::LeadingZeros,
                                      Op::TrailingZeros};
      ValueId N = B.opTyped(Counts[next(3)], types::U32, V);
      return T == types::U32 ? N : B.cast(N, T);
    }
    }
  }
  ValueId real(unsigned Depth) {
    static constexpr Op Ops[] = {Op::Add, Op::Sub, Op::Mul,
                                 Op::Div, Op::Min, Op::Max};
    if (next(6) == 0)
      return B.cast(value(Kinds[next(2) * 3 + next(2)], Depth), types::F32);
    ValueId L = value(types::F32, Depth);
    if (next(6) == 0)
      return B.op(Op::Neg, {L});
    return B.op(Ops[next(6)], {L, value(types::F32, Depth)});
  }
  ValueId condition(unsigned Depth = 1) {
    static constexpr Op Ops[] = {Op::Eq, Op::Ne, Op::Lt,
                                 Op::Le, Op::Gt, Op::Ge};
    TypeId T = Kinds[next(5)];
    ValueId L = value(T, Depth);
    return B.op(Ops[next(6)], {L, value(T, Depth)});
  }
  /// Mostly within the buffers, sometimes far beyond or negative.
  ValueId index(unsigned Depth = 1) {
    if (next(4) == 0)
      return value(next(2) ? types::I32 : types::U32, Depth);
    return B.op(Op::And, {value(types::U32, Depth), B.u32(15)});
  }

  void access() {
    uint32_t N = next(5);
    TypeId T = F.Slots[Locals[N]].Type;
    switch (next(6)) {
    case 0:
    case 1:
      B.store(B.slotPlace(Locals[N]), value(T));
      return;
    case 2: {
      ValueId V = value(types::F32);
      B.store(element({BaseKind::Slot, Array.index()}, index()), V);
      return;
    }
    case 3:
      B.store(B.slotPlace(Locals[2]),
              B.load(element({BaseKind::Slot, Array.index()}, index())));
      return;
    case 4: {
      static constexpr Op Ops[] = {Op::AtomicAdd, Op::AtomicMax, Op::AtomicXor,
                                   Op::AtomicExchange};
      ValueId V[] = {value(types::I32)};
      PlaceBase Where{BaseKind::Workgroup, Shared.index()};
      if (next(2))
        Where = {BaseKind::Param, 1};
      B.store(B.slotPlace(Locals[1]),
              B.atomic(Ops[next(4)], element(Where, index()), V));
      return;
    }
    default: {
      ValueId V = value(T);
      B.store(element(bufferOf(N), index()), V);
      return;
    }
    }
  }
  /// Leaves or repeats something around, over any number of levels.
  bool exit() {
    if (next(8) == 0 && !Fixed) {
      B.ret();
      return true;
    }
    if (Nest.size() <= Fixed)
      return false;
    size_t Which = Fixed + next(static_cast<uint32_t>(Nest.size() - Fixed));
    InstId To = Nest[Which];
    if (F.Insts[To].Opcode != Op::Block && next(2))
      B.continueTo(To);
    else
      B.breakTo(To);
    return true;
  }
  /// Fills a block; nothing follows an exit.
  void fill(BlockId Block, unsigned Depth) {
    BlockId Outer = B.block();
    B.setBlock(Block);
    body(Depth);
    B.setBlock(Outer);
  }
  void body(unsigned Depth) {
    for (unsigned N = 1 + next(4); N > 0; --N) {
      unsigned Kind = next(Depth == 0 ? 2 : 7);
      if (Kind == 1 && next(3) == 0 && exit())
        return;
      if (Kind <= 1)
        access();
      else if (Kind == 2)
        loop(Depth);
      else if (Kind == 3)
        counted(Depth);
      else if (Kind == 4)
        labelled(Depth);
      else
        branch(Depth);
    }
  }
  void branch(unsigned Depth) {
    InstId I = B.createIf(condition(), next(2));
    fill(F.Insts[I].Blocks[0], Depth - 1);
    if (F.Insts[I].Blocks[1])
      fill(F.Insts[I].Blocks[1], Depth - 1);
  }
  void labelled(unsigned Depth) {
    InstId I = B.createBlock();
    Nest.push_back(I);
    fill(F.Insts[I].Blocks[0], Depth - 1);
    Nest.pop_back();
  }
  void counted(unsigned Depth) {
    ValueId Lo = B.u32(next(3)),
            Hi = B.op(Op::And, {value(types::U32), B.u32(7)});
    InstId I = B.createFor(Lo, Hi, 1 + next(3), next(2));
    Nest.push_back(I);
    fill(F.Insts[I].Blocks[0], Depth - 1);
    Nest.pop_back();
  }
  void loop(unsigned Depth) {
    SlotId Trips = B.slot("trips", types::U32);
    B.store(B.slotPlace(Trips), B.u32(0));
    InstId I = B.createLoop(next(2));
    BlockId Outer = B.block();
    Nest.push_back(I);
    B.setBlock(F.Insts[I].Blocks[0]);
    ValueId Next = B.op(Op::Add, {B.load(B.slotPlace(Trips)), B.u32(1)});
    B.store(B.slotPlace(Trips), Next);
    InstId Stop = B.createIf(B.op(Op::Gt, {Next, B.u32(3 + next(4))}), false);
    B.setBlock(F.Insts[Stop].Blocks[0]);
    B.breakTo(I);
    B.setBlock(F.Insts[I].Blocks[0]);
    body(Depth - 1);
    if (BlockId Tail = F.Insts[I].Blocks[1]) {
      size_t OuterFixed = Fixed;
      Fixed = Nest.size(); // nothing may leave a continuing block
      B.setBlock(Tail);
      for (unsigned N = next(3); N > 0; --N)
        access();
      if (next(2))
        B.breakIf(condition());
      Fixed = OuterFixed;
    }
    Nest.pop_back();
    B.setBlock(Outer);
  }

  Function &F;
  Builder B;
  uint64_t State;
  std::vector<SlotId> Locals;
  SlotId Array;
  WorkgroupId Shared;
  std::vector<InstId> Nest;
  size_t Fixed = 0; ///< exits go to Nest[Fixed] and further in only
};

} // namespace goldy::test

#endif
