//===- RandomProgramTest.cpp - Random structured programs
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels made of random nests of If, Loop and Block with every exit that the
// structured form admits, loads, stores and atomics with and without guards.
// Each must pass the validator, unoptimised and optimised. The generator is a
// fixed one, so a failure repeats.
//
//===----------------------------------------------------------------------===//
#include "SpirvTest.h"

using namespace goldy;
using namespace goldy::test;

namespace {

class Generator {
public:
  Generator(Kernel &K, uint32_t Seed) : K(K), B(K.B), State(Seed * 2 + 1) {
    A = B.slot("a", types::U32);
    X = B.slot("x", types::F32);
    Table = B.slot("t", K.M.Types.array(types::F32, 8));
    Shared = B.workgroupArray("s", K.M.Types.array(types::I32, 100));
  }
  void statements(unsigned Depth) {
    for (unsigned N = 1 + next(4); N > 0 && !Closed; --N)
      statement(Depth);
  }

private:
  struct Around {
    InstId Inst;
    bool IsLoop;
    bool Continuing;
  };

  uint32_t next(uint32_t Below) {
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(State >> 33) % Below;
  }
  ValueId integer() {
    switch (next(4)) {
    case 0:
      return B.u32(next(100));
    case 1:
      return B.param(1);
    case 2:
      return K.gid();
    default:
      return B.load(B.slotPlace(A));
    }
  }
  ValueId real() {
    ValueId V = B.load(B.slotPlace(X));
    return next(2) ? B.op(Op::Add, {V, B.load(K.at(2, integer()), inside())})
                   : B.op(Op::Mul, {V, B.f32Bits(0x3f000000)});
  }
  ValueId condition() {
    return next(2) ? B.op(Op::Lt, {integer(), integer()})
                   : B.op(Op::Le, {real(), real()});
  }
  ValueId inside() { return B.op(Op::Lt, {integer(), B.param(1)}); }
  ValueId maybeGuard() { return next(2) ? inside() : ValueId(); }
  PlaceId tableAt(ValueId I) {
    PathElement E;
    E.Index = B.op(Op::And, {I, B.u32(7)});
    return B.place({BaseKind::Slot, Table.index()}, {E});
  }

  void access() {
    switch (next(6)) {
    case 0:
      B.store(B.slotPlace(A), B.op(Op::Add, {integer(), integer()}));
      return;
    case 1:
      B.store(B.slotPlace(X), real());
      return;
    case 2: {
      ValueId V = real();
      B.store(tableAt(integer()), V, maybeGuard());
      return;
    }
    case 3:
      B.store(B.slotPlace(X), B.load(tableAt(integer()), maybeGuard()));
      return;
    case 4: {
      ValueId V[] = {integer()};
      B.store(B.slotPlace(A),
              B.atomic(Op::AtomicMax, K.at(0, integer()), V, maybeGuard()));
      return;
    }
    default: {
      ValueId V = B.cast(integer(), types::I32);
      ValueId Lane = B.op(Op::And, {integer(), B.u32(63)});
      B.store(K.inGroup(Shared, Lane), V, maybeGuard());
      return;
    }
    }
  }

  /// Some exit that is allowed here, if any is.
  void exit() {
    bool InContinuing = false, Switch = false;
    for (const Around &N : Nest)
      InContinuing |= N.Continuing;
    for (size_t N = Nest.size(); N-- > 0 && !Nest[N].Continuing;) {
      if (next(2)) {
        if (!Nest[N].IsLoop && Switch)
          continue;
        if (Nest[N].IsLoop && next(2))
          B.continueTo(Nest[N].Inst);
        else
          B.breakTo(Nest[N].Inst);
        Closed = true;
        return;
      }
      Switch = true;
      if (Nest[N].IsLoop)
        break;
    }
    if (!InContinuing && next(3) == 0) {
      B.ret();
      Closed = true;
    }
  }

  void inner(BlockId Block, unsigned Depth) {
    K.in(Block, [&] {
      statements(Depth - 1);
      Closed = false;
    });
  }
  void branch(unsigned Depth) {
    InstId I = B.createIf(condition(), next(2));
    inner(K.F.Insts[I].Blocks[0], Depth);
    if (K.F.Insts[I].Blocks[1])
      inner(K.F.Insts[I].Blocks[1], Depth);
  }
  void loop(unsigned Depth) {
    InstId I = B.createLoop(next(2));
    Nest.push_back({I, true, false});
    inner(K.F.Insts[I].Blocks[0], Depth);
    Nest.back().Continuing = true;
    if (K.F.Insts[I].Blocks[1])
      K.in(K.F.Insts[I].Blocks[1], [&] {
        statements(Depth - 1);
        if (!Closed && next(2))
          B.breakIf(condition());
        Closed = false;
      });
    Nest.pop_back();
  }
  void labelled(unsigned Depth) {
    InstId I = B.createBlock();
    Nest.push_back({I, false, false});
    inner(K.F.Insts[I].Blocks[0], Depth);
    Nest.pop_back();
  }
  void statement(unsigned Depth) {
    unsigned Kind = next(Depth == 0 ? 2 : 6);
    if (Kind == 0)
      return access();
    if (Kind == 1)
      return next(3) ? access() : exit();
    if (Kind == 2)
      return loop(Depth);
    if (Kind == 3)
      return labelled(Depth);
    branch(Depth);
  }

  Kernel &K;
  Builder &B;
  uint64_t State;
  SlotId A, X, Table;
  WorkgroupId Shared;
  std::vector<Around> Nest;
  bool Closed = false;
};

} // namespace

TEST_CASE("random structured programs pass the validator") {
  for (uint32_t Seed = 0; Seed < 200; ++Seed) {
    INFO("seed " << Seed);
    Kernel K({buffer("y", types::U32, Access::ReadWrite),
              scalar("n", types::U32), buffer("x", types::F32, Access::Read)});
    Generator(K, Seed).statements(5);
    CHECK_FALSE(K.emit(Seed % 4).Bytes.empty());
  }
}
