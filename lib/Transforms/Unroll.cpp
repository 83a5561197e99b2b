//===- Unroll.cpp - Repeats the bodies of marked loops
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#[unroll]` with constant bounds copies the body once a repetition, with the
// variable a constant. `#[unroll(n)]` splits an exclusive range where a
// multiple of n repetitions ends: a loop of n copies, then a loop for the rest.
// A `break` leaves a Block around all copies, a `continue` one around its own
// copy. What would grow too much, or has no exclusive form, stays a loop: the
// mark is a wish. `[x; n]` of a local variable is a loop that nobody marked: it
// is unrolled where all other indices of the variable become constant too, so
// that arrays whose loops are unrolled end in registers.
//
// The pass `unroll-small` does the same, where the target gains by it
// (Capabilities), for loops without a mark: few repetitions that are known,
// elements of memory in the body, no barrier, and not much code. A GPU then has
// the loads of all repetitions under way together, and what a later loop reads
// again is still in registers. `#[unroll(1)]` keeps a loop; so does a copy that
// has its checks (bounds), which is the one that does not run.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <algorithm>
#include <optional>

namespace goldy {
namespace {

/// Instructions that one loop may become, and a function may grow to.
constexpr uint64_t MaxUnrolled = 1 << 14, MaxFunction = 1 << 18;
/// Without a mark: repetitions, and instructions of a loop and a function.
constexpr uint64_t MaxSmallTrips = 32, MaxSmall = 1 << 12,
                   MaxSmallFunction = 1 << 13;
/// Elements that registers may hold: arrays beyond stay in memory.
constexpr uint64_t MaxFilled = 256;

class Unroller : public PassRewriter {
public:
  Unroller(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    forEachInst(Src, [&](InstId I) {
      const Inst &N = Src.Insts[I];
      if (N.Opcode == Op::Break)
        HasBreak.set(N.Target, true);
      if (N.Opcode == Op::Continue)
        HasContinue.set(N.Target, true);
    });
    forEachInst(Src, [&](InstId I) { noteIndices(I); });
  }

protected:
  InstId visit(InstId I) override;
  /// 0: the loop stays. Else as Inst::Unroll.
  virtual uint32_t wanted(InstId For) const {
    uint32_t Mark = Src.Insts[For].Unroll;
    return Mark < 2 ? 0 : Mark;
  }
  /// How often a loop with known bounds runs.
  std::optional<uint64_t> tripsOf(InstId For) const {
    std::optional<Range> R = constantRange(For);
    return R ? std::optional(R->count(Src.Insts[For].Imm)) : std::nullopt;
  }
  uint64_t bodySize(InstId For) const {
    return 1 + sizeOf(Src.Insts[For].Blocks[0]);
  }

private:
  /// The bounds of a range as exclusive ones, in the type's own order.
  struct Range {
    int64_t Lo = 0, Hi = 0;
    uint64_t count(uint64_t Step) const {
      return Lo < Hi ? (uint64_t(Hi - Lo) - 1) / Step + 1 : 0;
    }
  };
  std::optional<int64_t> constantOf(ValueId V) const;
  ValueId constant(TypeId T, int64_t Value);
  std::optional<Range> constantRange(InstId For) const;
  bool becomesConstant(ValueId V);
  bool willUnroll(InstId For) const;
  void noteIndices(InstId I);
  bool isFill(InstId For) const;
  uint64_t weightOf(InstId I) const;
  uint64_t sizeOf(BlockId B) const;
  uint64_t copies(InstId For) const;
  bool fits(uint64_t Copies, InstId For) const {
    return Copies <= MaxUnrolled / bodySize(For) &&
           Dst.Insts.size() < MaxFunction;
  }
  bool unrollFully(InstId For);
  bool splitsByFma(InstId For, uint64_t Copies);
  bool unrollWhereFused(InstId For);
  bool unrollBy(InstId For, uint32_t Factor);
  ValueId exclusiveEnd(InstId For);
  ValueId splitPoint(ValueId Lo, ValueId Hi, uint64_t Stride);
  void emitCopies(InstId For, ValueId Lo, ValueId Split, uint32_t Factor);
  void emitRest(InstId For, ValueId Split, ValueId Hi);
  void copyBody(InstId For, ValueId Var);
  void openOuter(InstId For);
  void closeOuter(InstId For);

  bool Fused = false; ///< in code for devices with an fma
  SideMap<Inst, bool> HasBreak{false}, HasContinue{false};
  /// What a `break` or `continue` of an unrolled loop leaves now.
  SideMap<Inst, InstId> BreakTo, ContinueTo;
  SideMap<Inst, BlockId> Outside;
  SideMap<Inst, std::optional<bool>> Constant; ///< what becomesConstant said
  SideMap<Slot, bool> Computed{false};         ///< some index stays computed
};

InstId Unroller::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Break && BreakTo[N.Target])
    return B.breakTo(BreakTo[N.Target]);
  if (N.Opcode == Op::Continue && ContinueTo[N.Target])
    return B.breakTo(ContinueTo[N.Target]);
  if (N.Opcode == Op::For && N.Unroll < 2 && isFill(I) && unrollFully(I))
    return {};
  uint32_t Factor = N.Opcode == Op::For ? wanted(I) : 0;
  if (Factor == 0)
    return copy(I);
  bool Done = Factor == UnrollFull ? unrollFully(I) : unrollBy(I, Factor);
  return Done ? InstId() : copy(I);
}

/// 64-bit constants only far from the ends, where ranges cannot overflow.
std::optional<int64_t> Unroller::constantOf(ValueId V) const {
  constexpr int64_t Far = int64_t(1) << 60;
  const Inst &I = Src.Insts[V];
  if (I.Opcode != Op::Const)
    return std::nullopt;
  int64_t C = I.Type == types::I32 ? int64_t(static_cast<int32_t>(I.Imm))
                                   : static_cast<int64_t>(I.Imm);
  bool Wraps = I.Type == types::U64 && C < 0;
  return Wraps || C < -Far || C > Far ? std::nullopt : std::optional(C);
}

ValueId Unroller::constant(TypeId T, int64_t Value) {
  uint64_t Bits = static_cast<uint64_t>(Value);
  return B.constant(T, M.Types.bits(T) == 64 ? Bits : uint32_t(Bits));
}

std::optional<Unroller::Range> Unroller::constantRange(InstId For) const {
  std::optional<int64_t> Lo = constantOf(Src.operand(For, 0));
  std::optional<int64_t> Hi = constantOf(Src.operand(For, 1));
  if (!Lo || !Hi)
    return std::nullopt;
  return Range{*Lo, *Hi + (Src.Insts[For].Flags & FlagInclusive ? 1 : 0)};
}

/// A constant once all marked loops are unrolled: what the next fold sees
/// through, pure operations on constants and on variables of such loops.
bool Unroller::becomesConstant(ValueId V) {
  if (std::optional<bool> Seen = Constant[V])
    return *Seen;
  const Inst &N = Src.Insts[V];
  bool Result = N.Opcode == Op::Const;
  if (N.Opcode == Op::LoopVar)
    Result = willUnroll(N.Target);
  else if (opInfo(N.Opcode).Effects == Effect::Pure && N.NumOperands != 0) {
    std::span<const ValueId> Operands = Src.operands(V);
    Result = std::all_of(Operands.begin(), Operands.end(),
                         [&](ValueId O) { return becomesConstant(O); });
  }
  Constant.set(V, Result);
  return Result;
}

bool Unroller::willUnroll(InstId For) const {
  const Inst &N = Src.Insts[For];
  std::optional<Range> R = constantRange(For);
  return N.Unroll == UnrollFull && R &&
         R->count(N.Imm) <= MaxUnrolled / bodySize(For);
}

void Unroller::noteIndices(InstId I) {
  const Inst &N = Src.Insts[I];
  if (!N.Where || Src.Places[N.Where].Base.Kind != BaseKind::Slot)
    return;
  const Place &P = Src.Places[N.Where];
  for (const PathElement &E : P.Path) {
    bool Fills = E.isDynamic() && Src.Insts[E.Index].Opcode == Op::LoopVar &&
                 isFill(Src.Insts[E.Index].Target);
    if (E.isDynamic() && !Fills && !becomesConstant(E.Index))
      Computed.set(SlotId(P.Base.Index), true);
  }
}

/// A loop that stores one value to all elements of an array whose indices are
/// constant otherwise.
bool Unroller::isFill(InstId For) const {
  const Inst &N = Src.Insts[For];
  const std::vector<InstId> &Body = Src.Blocks[N.Blocks[0]].Insts;
  std::optional<Range> R = constantRange(For);
  if (Body.size() != 1 || Src.Insts[Body[0]].Opcode != Op::Store || !R ||
      R->count(N.Imm) > MaxFilled)
    return false;
  const Place &P = Src.Places[Src.Insts[Body[0]].Where];
  return P.Base.Kind == BaseKind::Slot && !P.Path.empty() &&
         P.Path.back().Index == N.Var && !Computed[SlotId(P.Base.Index)];
}

/// Instructions that one becomes: exact sequences are long, where the target
/// has no exact operation.
uint64_t Unroller::weightOf(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (N.Opcode == Op::Fma && !Context.Caps.FusedFma && !Fused)
    return Context.Caps.FmaByDoubles ? 20 : 190;
  bool Quotient = N.Opcode == Op::NearQuotient ||
                  (N.Opcode == Op::Div && N.Type == types::F32);
  if (Quotient && !Context.Caps.ExactDiv)
    return 90;
  return N.Opcode == Op::Sqrt && !Context.Caps.ExactSqrt ? 130 : 1;
}

/// Instructions that the block becomes, inner loops unrolled.
uint64_t Unroller::sizeOf(BlockId B) const {
  uint64_t Size = 0;
  for (InstId I : Src.Blocks[B].Insts) {
    Size += weightOf(I);
    for (BlockId Inner : Src.Insts[I].Blocks)
      if (Inner)
        Size += sizeOf(Inner) * copies(I);
  }
  return Size;
}

/// How often the body of a statement will be there.
uint64_t Unroller::copies(InstId I) const {
  const Inst &N = Src.Insts[I];
  uint32_t Factor = N.Opcode == Op::For ? wanted(I) : 0;
  if (Factor == 0)
    return 1;
  uint64_t Wanted =
      Factor == UnrollFull ? tripsOf(I).value_or(1) : uint64_t(Factor) + 1;
  return Wanted <= MaxUnrolled / bodySize(I) ? Wanted : 1;
}

bool Unroller::unrollFully(InstId For) {
  std::optional<Range> R = constantRange(For);
  uint64_t Step = Src.Insts[For].Imm;
  if (R && splitsByFma(For, R->count(Step)) && spend())
    return unrollWhereFused(For);
  if (!R || !fits(R->count(Step), For) || !spend())
    return false;
  openOuter(For);
  TypeId T = Src.typeOf(Src.Insts[For].Var);
  for (uint64_t K = 0; K < R->count(Step); ++K)
    copyBody(For, constant(T, R->Lo + int64_t(K * Step)));
  closeOuter(For);
  return true;
}

/// A loop that is too much only because each fma is a long sequence where the
/// device has none of its own, which is not known before the image is loaded.
bool Unroller::splitsByFma(InstId For, uint64_t Copies) {
  if (Fused || Context.Caps.FusedFma || !Context.Caps.DeviceSwitches ||
      M.Floats == FloatMode::Fast || fits(Copies, For))
    return false;
  bool Meets = false;
  forEachInst(Src, Src.Insts[For].Blocks[0], [&](InstId I) {
    Meets |= opInfo(Src.Insts[I].Opcode).Effects == Effect::Sync;
  });
  Fused = true;
  bool Fits = fits(Copies, For);
  Fused = false;
  return Fits && !Meets;
}

/// Both: copies for devices with an fma, and with sums that make one with known
/// operands no other, and the loop for others. Legalise knows the condition.
bool Unroller::unrollWhereFused(InstId For) {
  auto Has = [&](DeviceSwitch S) {
    return B.deviceSwitch(static_cast<uint32_t>(S));
  };
  ValueId Fuses = Has(DeviceSwitch::Fma), Adds = Has(DeviceSwitch::Sums);
  InstId If = B.createIf(B.op(Op::And, {Fuses, Adds}), true);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[If].Blocks[0]);
  Fused = true;
  if (!unrollFully(For))
    copy(For);
  Fused = false;
  B.setBlock(Dst.Insts[If].Blocks[1]);
  copy(For);
  B.setBlock(Outer);
  return true;
}

/// The first value past the range, invalid if that may not exist.
ValueId Unroller::exclusiveEnd(InstId For) {
  ValueId Hi = Src.operand(For, 1);
  if (!(Src.Insts[For].Flags & FlagInclusive))
    return map(Hi);
  TypeId T = Src.typeOf(Hi);
  std::optional<int64_t> C = constantOf(Hi);
  bool Last = C && ((T == types::I32 && *C == INT32_MAX) ||
                    (T == types::U32 && *C == UINT32_MAX));
  return !C || Last ? ValueId() : constant(T, *C + 1);
}

/// Lo + (Hi - Lo) / Stride * Stride, or Lo where the range is empty.
ValueId Unroller::splitPoint(ValueId Lo, ValueId Hi, uint64_t Stride) {
  TypeId T = Dst.typeOf(Lo);
  TypeId Unsigned = M.Types.bits(T) == 64 ? types::U64 : types::U32;
  ValueId Length = B.op(Op::Sub, {Hi, Lo});
  if (T != Unsigned)
    Length = B.cast(Length, Unsigned);
  ValueId Rest = B.op(Op::Rem, {Length, B.constant(Unsigned, Stride)});
  if (T != Unsigned)
    Rest = B.cast(Rest, T);
  ValueId Any = B.op(Op::Lt, {Lo, Hi});
  return B.select(Any, B.op(Op::Sub, {Hi, Rest}), Lo);
}

bool Unroller::unrollBy(InstId For, uint32_t Factor) {
  uint64_t Stride = Src.Insts[For].Imm * Factor;
  bool Fits = Src.Insts[For].Imm < (1u << 31) && Stride < (1u << 31) &&
              fits(Factor, For);
  ValueId Hi = Fits ? exclusiveEnd(For) : ValueId();
  if (!Hi || !spend())
    return false;
  ValueId Lo = map(Src.operand(For, 0));
  ValueId Split = splitPoint(Lo, Hi, Stride);
  openOuter(For);
  emitCopies(For, Lo, Split, Factor);
  emitRest(For, Split, Hi);
  closeOuter(For);
  return true;
}

void Unroller::emitCopies(InstId For, ValueId Lo, ValueId Split,
                          uint32_t Factor) {
  uint64_t Step = Src.Insts[For].Imm;
  InstId New = B.createFor(Lo, Split, Step * Factor, false);
  ValueId Var = Dst.Insts[New].Var;
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[New].Blocks[0]);
  for (uint32_t K = 0; K < Factor; ++K) {
    ValueId Offset = B.constant(Dst.typeOf(Var), K * Step);
    copyBody(For, K ? B.op(Op::Add, {Var, Offset}) : Var);
  }
  B.setBlock(Outer);
}

/// The last repetitions, fewer than the factor, as a plain loop.
void Unroller::emitRest(InstId For, ValueId Split, ValueId Hi) {
  InstId New = B.createFor(Split, Hi, Src.Insts[For].Imm, false);
  setMapping(For, New);
  setMapping(Src.Insts[For].Var, Dst.Insts[New].Var);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[New].Blocks[0]);
  copyBlock(Src.Insts[For].Blocks[0]);
  B.setBlock(Outer);
}

void Unroller::copyBody(InstId For, ValueId Var) {
  setMapping(Src.Insts[For].Var, Var);
  BlockId Outer = B.block();
  if (HasContinue[For]) {
    InstId Block = B.createBlock();
    ContinueTo.set(For, Block);
    B.setBlock(Dst.Insts[Block].Blocks[0]);
  }
  copyBlock(Src.Insts[For].Blocks[0]);
  ContinueTo.set(For, {});
  B.setBlock(Outer);
}

void Unroller::openOuter(InstId For) {
  Outside.set(For, B.block());
  if (!HasBreak[For])
    return;
  InstId Block = B.createBlock();
  BreakTo.set(For, Block);
  B.setBlock(Dst.Insts[Block].Blocks[0]);
}

void Unroller::closeOuter(InstId For) {
  BreakTo.set(For, {});
  B.setBlock(Outside[For]);
}

/// Loops that are small enough as they are.
class SmallUnroller : public Unroller {
public:
  SmallUnroller(Module &M, const Function &Src, PassContext &Context)
      : Unroller(M, Src, Context) {}

protected:
  uint32_t wanted(InstId For) const override;

private:
  bool gains(InstId For) const;
};

/// True if the body accesses elements of memory, and nothing in it has to stay
/// as often as it is there.
bool SmallUnroller::gains(InstId For) const {
  bool Elements = false, Stays = false;
  forEachInst(Src, Src.Insts[For].Blocks[0], [&](InstId I) {
    const Inst &N = Src.Insts[I];
    if (N.Opcode == Op::Load || N.Opcode == Op::Store)
      Elements |= !Src.Places[N.Where].Path.empty();
    Stays |= N.Opcode == Op::Loop || opInfo(N.Opcode).Effects == Effect::Sync;
    Stays |= N.Opcode == Op::For && !wanted(I);
  });
  return Elements && !Stays;
}

uint32_t SmallUnroller::wanted(InstId For) const {
  std::optional<uint64_t> Trips = tripsOf(For);
  if (Src.Insts[For].Unroll != 0 || !Trips || *Trips > MaxSmallTrips ||
      Dst.Insts.size() > MaxSmallFunction || !gains(For))
    return 0;
  return *Trips * bodySize(For) <= MaxSmall ? UnrollFull : 0;
}

class UnrollPass : public Pass {
public:
  std::string_view name() const override { return "unroll"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<Unroller>(M, Context);
  }
};

class UnrollSmallPass : public Pass {
public:
  std::string_view name() const override { return "unroll-small"; }
  PassResult run(Module &M, PassContext &Context) override {
    return Context.Caps.UnrollsSmall
               ? rewriteFunctions<SmallUnroller>(M, Context)
               : PassResult::Unchanged;
  }
};

} // namespace

std::unique_ptr<Pass> createUnrollPass() {
  return std::make_unique<UnrollPass>();
}

std::unique_ptr<Pass> createUnrollSmallPass() {
  return std::make_unique<UnrollSmallPass>();
}

} // namespace goldy
