//===- LanesShapes.cpp - How values vary over lanes
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An optimistic fixed point. Values start unknown, slots join their stores,
// control starts uniform; facts only get worse, so it ends. Divergence follows
// the header's "live lanes": below an If with a varying condition; in a loop
// that some lanes leave before others and wait at its end; after a divergent
// break or continue in the block or body that it leaves.
//
// One exception keeps loop counters scalar. Lanes that have left a loop do not
// see its stores. If all loads of the slot are in the loop, and the loop runs
// once for each run of the slot's scope, they do not read it either.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

#include <algorithm>
#include <bit>

using namespace goldy;

namespace {

/// Private arrays that all lanes may share; a region copies them whole.
constexpr uint32_t MaxUniformArray = 64;

class ShapeAnalysis {
public:
  ShapeAnalysis(const Module &M, const Function &F, const Structure &S,
                const SideMap<Slot, SlotScope> &Scopes, LaneScope Scope,
                unsigned Width)
      : M(M), F(F), S(S), Scopes(Scopes), Scope(Scope), Width(Width) {}

  LaneShapes run() {
    prepare();
    do {
      Changed = false;
      for (InstId I : Program)
        visit(I);
      for (uint32_t I = 0; I < F.Slots.size(); ++I)
        joinSlot(SlotId(I));
    } while (Changed);
    finish();
    return std::move(Result);
  }

private:
  // --- Structure
  void prepare() {
    forEachInst(F, [&](InstId I) {
      Order.set(I, static_cast<uint32_t>(Program.size()));
      Program.push_back(I);
    });
    for (size_t N = Program.size(); N-- > 0;) {
      InstId I = Program[N];
      uint32_t Last = std::max(End[I], Order[I]);
      End.set(I, Last);
      if (InstId P = S.parentOf(I))
        End.set(P, std::max(End[P], Last));
    }
    for (const Inst &N : F.Insts)
      if ((N.Opcode == Op::Store || isAtomic(N.Opcode)) &&
          F.Places[N.Where].Base.Kind == BaseKind::Param)
        Written.insert(Written.end(), F.Places[N.Where].Base.Index);
    if (Scope == LaneScope::Group && F.WorkgroupArrays.size())
      Settled = settledLoads(F);
    for (uint32_t I = 0; I < F.Insts.size(); ++I)
      if (opInfo(F.Insts[InstId(I)].Opcode).Effects == Effect::Leaf)
        setValue(InstId(I), leaf(F.Insts[InstId(I)]));
  }

  bool isWritten(uint32_t Param) const {
    return std::find(Written.begin(), Written.end(), Param) != Written.end();
  }

  // --- Divergence
  struct Exits {
    bool Leaves = false;  ///< a divergent break waits at the end
    bool Repeats = false; ///< a divergent continue waits
    /// Of statements that may run when some have left: those behind it.
    uint32_t FirstLeave = ~0u, FirstRepeat = ~0u;
  };

  /// True if lanes that entered block `Outer` and are still in it do not run
  /// `I`. Statements for which `Ignore` holds do not count as left.
  template <class Fn>
  bool divergentWithin(InstId I, BlockId Outer, const Fn &Ignore) const {
    BlockId B = S.blockOf(I);
    while (B != Outer) {
      InstId P = S.ownerOf(B);
      if (!P)
        return false;
      if (divergentAt(I, P, B, Ignore))
        return true;
      B = S.blockOf(P);
    }
    return false;
  }

  template <class Fn>
  bool divergentAt(InstId I, InstId P, BlockId B, const Fn &Ignore) const {
    const Inst &N = F.Insts[P];
    if (N.Opcode == Op::If)
      return Result.Divergent[P];
    const Exits &E = ExitsTo[P];
    bool InBody = B == N.Blocks[0];
    if (E.Repeats && InBody && E.FirstRepeat < Order[I])
      return true;
    if (!E.Leaves || Ignore(P))
      return false;
    return N.Opcode == Op::Loop || E.FirstLeave < Order[I];
  }

  void exit(InstId I) {
    const Inst &N = F.Insts[I];
    InstId T = N.Opcode == Op::BreakIf  ? S.parentOf(I)
               : N.Opcode == Op::Return ? InstId()
                                        : N.Target;
    auto None = [](InstId) { return false; };
    bool Divergent = N.Opcode == Op::BreakIf ? varies(F.operand(I, 0))
                                             : exitDiverges(I, T, None);
    if (!Divergent || Result.Divergent[I])
      return;
    Result.Divergent.set(I, true);
    Changed = true;
    if (!T)
      return;
    Exits &E = ExitsTo.at(T);
    bool Repeats = N.Opcode == Op::Continue;
    (Repeats ? E.Repeats : E.Leaves) = true;
    uint32_t &First = Repeats ? E.FirstRepeat : E.FirstLeave;
    First = std::min(First, Order[firstBehind(I, T)]);
  }

  /// What stands after this statement may run after the exit: loops within the
  /// target that hold the exit are repeated by those that stay.
  InstId firstBehind(InstId Exit, InstId Target) const {
    InstId First = Exit;
    for (InstId P = S.parentOf(Exit); P && P != Target; P = S.parentOf(P))
      if (F.Insts[P].Opcode == Op::Loop)
        First = P;
    return First;
  }

  template <class Fn>
  bool exitDiverges(InstId I, InstId T, const Fn &None) const {
    if (!T)
      return divergentWithin(I, F.Body, None);
    const Inst &Target = F.Insts[T];
    BlockId Inner =
        S.contains(Target.Blocks[0], I) ? Target.Blocks[0] : Target.Blocks[1];
    if (divergentWithin(I, Inner, None))
      return true;
    const Exits &E = ExitsTo[T];
    return Inner == Target.Blocks[0] && E.Repeats && E.FirstRepeat < Order[I];
  }

  // --- Slots
  bool partial(InstId Store, SlotId Slot) const {
    const SlotScope &Where = Scopes[Slot];
    return divergentWithin(Store, Where.Scope, [&](InstId Left) {
      return readsOnlyIn(Where, Left) && runsOnce(Left, Where.Scope);
    });
  }

  bool readsOnlyIn(const SlotScope &Where, InstId P) const {
    for (InstId A : Where.Accesses)
      if (F.Insts[A].Opcode == Op::Load &&
          (Order[A] < Order[P] || Order[A] > End[P]))
        return false;
    return true;
  }

  bool runsOnce(InstId P, BlockId Outer) const {
    for (BlockId B = S.blockOf(P); B != Outer; B = S.blockOf(S.ownerOf(B)))
      if (F.Insts[S.ownerOf(B)].Opcode == Op::Loop)
        return false;
    return true;
  }

  void joinSlot(SlotId Slot) {
    std::optional<LaneValue> Join =
        SlotKnown[Slot] ? std::optional(Result.OfSlot[Slot]) : std::nullopt;
    const SlotScope &Where = Scopes[Slot];
    if (!Where.WrittenFirst)
      Join = join(Join, uniform(MaxLaneAlign)); // starts as zero
    uint32_t Members = M.Types.memberCount(F.Slots[Slot].Type);
    bool Array = Members != 0;
    if (Members > MaxUniformArray)
      Join = LaneValue();
    for (InstId A : Where.Accesses)
      if (F.Insts[A].Opcode == Op::Store)
        Join = join(Join, contribution(A, Slot, Array));
    if (!Join || (SlotKnown[Slot] && *Join == Result.OfSlot[Slot]))
      return;
    SlotKnown.set(Slot, true);
    Result.OfSlot.set(Slot, *Join);
    Changed = true;
  }

  std::optional<LaneValue> contribution(InstId Store, SlotId Slot, bool Array) {
    if (partial(Store, Slot) || !uniformPlace(Store))
      return LaneValue();
    ValueId V = F.operand(Store, 0);
    if (!ValueKnown[V])
      return std::nullopt;
    LaneValue L = Result.Value[V];
    return Array && L.Shape != LaneShape::Uniform ? LaneValue() : L;
  }

  static std::optional<LaneValue> join(std::optional<LaneValue> A,
                                       std::optional<LaneValue> B) {
    if (!A || !B)
      return A ? A : B;
    if (A->Shape != B->Shape || A->Stride != B->Stride)
      return LaneValue();
    A->Align = std::min(A->Align, B->Align);
    return A;
  }

  // --- Values
  static LaneValue uniform(uint32_t Align = 1) {
    return {LaneShape::Uniform, 0, Align};
  }
  LaneValue strided(int64_t Stride, uint32_t Align) const {
    int32_t K = static_cast<int32_t>(static_cast<uint32_t>(Stride));
    if (K == 0)
      return uniform(Align);
    if (Scope != LaneScope::Vector)
      return LaneValue();
    return {LaneShape::Strided, K, Align};
  }
  static uint32_t alignOf(uint64_t Bits) {
    if ((Bits & 0xffffffffu) == 0)
      return MaxLaneAlign;
    return std::min(MaxLaneAlign,
                    1u << std::countr_zero(static_cast<uint32_t>(Bits)));
  }

  bool varies(ValueId V) const {
    return ValueKnown[V] && Result.Value[V].Shape != LaneShape::Uniform;
  }
  /// Indices and guard agree over the lanes.
  bool uniformPlace(InstId I) const {
    for (const PathElement &E : F.Places[F.Insts[I].Where].Path)
      if (E.isDynamic() && varies(E.Index))
        return false;
    ValueId Guard = F.guard(I);
    return !Guard || !varies(Guard);
  }

  void setValue(InstId I, LaneValue V) {
    if (ValueKnown[I] && Result.Value[I] == V)
      return;
    ValueKnown.set(I, true);
    Result.Value.set(I, V);
    Changed = true;
  }

  static LaneValue leaf(const Inst &N) {
    return uniform(N.Opcode == Op::Const ? alignOf(N.Imm) : 1);
  }

  void visit(InstId I) {
    const Inst &N = F.Insts[I];
    switch (N.Opcode) {
    case Op::If:
      diverge(I, varies(F.operand(I, 0)));
      return;
    case Op::Break:
    case Op::Continue:
    case Op::Return:
    case Op::BreakIf:
      exit(I);
      return;
    case Op::Store:
      if (F.Places[N.Where].Base.Kind == BaseKind::Slot && !Result.Partial[I] &&
          partial(I, SlotId(F.Places[N.Where].Base.Index))) {
        Result.Partial.set(I, true);
        Changed = true;
      }
      return;
    default:
      break;
    }
    if (N.Type == types::Void)
      return;
    if (std::optional<LaneValue> V = value(I, N))
      setValue(I, *V);
  }

  void diverge(InstId I, bool Now) {
    if (!Now || Result.Divergent[I])
      return;
    Result.Divergent.set(I, true);
    Changed = true;
  }

  /// Empty while an operand is unknown.
  std::optional<LaneValue> value(InstId I, const Inst &N) {
    for (ValueId V : F.operands(I))
      if (!ValueKnown[V])
        return std::nullopt;
    switch (N.Opcode) {
    case Op::LocalId:
    case Op::GlobalId:
      return id(N);
    case Op::WorkgroupId:
    case Op::NumWorkgroups:
    case Op::Len:
    case Op::Dim:
      return uniform();
    case Op::Load:
      return load(I, N);
    case Op::WorkgroupUniformLoad:
    case Op::WorkgroupSum:
    case Op::WorkgroupMax:
    case Op::WorkgroupMin:
      return uniform();
    default:
      return isPure(N.Opcode) ? pure(I, N) : LaneValue();
    }
  }

  LaneValue id(const Inst &N) const {
    uint32_t Size = F.WorkgroupSize[N.Imm];
    if (Size == 1)
      return uniform();
    if (Scope == LaneScope::Group)
      return LaneValue();
    if (Scope == LaneScope::Column)
      return N.Imm == 1 ? LaneValue() : uniform();
    if (N.Imm != 0)
      return uniform();
    uint32_t Align =
        N.Opcode == Op::LocalId ? Width : std::min(Width, alignOf(Size));
    return strided(1, Align);
  }

  std::optional<LaneValue> load(InstId I, const Inst &N) {
    const Place &P = F.Places[N.Where];
    for (const PathElement &E : P.Path)
      if (E.isDynamic() && !ValueKnown[E.Index])
        return std::nullopt;
    if (!uniformPlace(I))
      return LaneValue();
    switch (P.Base.Kind) {
    case BaseKind::Slot: {
      SlotId Slot(P.Base.Index);
      if (!SlotKnown[Slot])
        return std::nullopt;
      return Result.OfSlot[Slot];
    }
    case BaseKind::Table:
      return uniform();
    case BaseKind::Param:
      if (Scope == LaneScope::Group && isWritten(P.Base.Index))
        return LaneValue();
      return uniform();
    case BaseKind::Workgroup:
      return Scope == LaneScope::Group && !Settled[I] ? LaneValue() : uniform();
    }
    return LaneValue();
  }

  LaneValue pure(InstId I, const Inst &N) {
    bool Uniform = true;
    for (ValueId V : F.operands(I)) {
      if (Result.Value[V].Shape == LaneShape::Varying)
        return LaneValue();
      Uniform &= Result.Value[V].Shape == LaneShape::Uniform;
    }
    LaneValue L = affine(I, N);
    // Only indices are worth following, and those have 32 bits.
    if (!Uniform && M.Types.bits(N.Type) == 64)
      return LaneValue();
    if (Uniform && L.Shape != LaneShape::Uniform)
      return uniform();
    return L;
  }

  LaneValue of(InstId I, unsigned Operand) const {
    return Result.Value[F.operand(I, Operand)];
  }
  std::optional<uint32_t> constant(ValueId V) const {
    if (!F.isConst(V))
      return std::nullopt;
    return static_cast<uint32_t>(F.Insts[V].Imm);
  }

  /// Operands are scalars per vector.
  LaneValue affine(InstId I, const Inst &N) const {
    switch (N.Opcode) {
    case Op::Add:
    case Op::Sub:
      if (N.Type == types::F32)
        return LaneValue();
      return strided(of(I, 0).Stride + (N.Opcode == Op::Add ? of(I, 1).Stride
                                                            : -of(I, 1).Stride),
                     std::min(of(I, 0).Align, of(I, 1).Align));
    case Op::Neg:
      return N.Type == types::F32 ? LaneValue()
                                  : strided(-of(I, 0).Stride, of(I, 0).Align);
    case Op::Mul:
      return N.Type == types::F32 ? LaneValue() : product(I);
    case Op::Shl:
    case Op::RawShl:
      if (std::optional<uint32_t> By = constant(F.operand(I, 1)))
        return scaled(of(I, 0), uint32_t(1) << (*By & 31));
      return LaneValue();
    case Op::Cast:
      return integerCast(I, N) ? of(I, 0) : LaneValue();
    case Op::Select:
      if (of(I, 1).Shape == of(I, 2).Shape &&
          of(I, 0).Shape == LaneShape::Uniform)
        return *join(of(I, 1), of(I, 2));
      return LaneValue();
    default:
      return blockwise(I, N);
    }
  }

  bool integerCast(InstId I, const Inst &N) const {
    TypeId From = F.typeOf(F.operand(I, 0));
    return (From == types::U32 || From == types::I32) &&
           (N.Type == types::U32 || N.Type == types::I32);
  }

  LaneValue product(InstId I) const {
    LaneValue A = of(I, 0), B = of(I, 1);
    if (std::optional<uint32_t> C = constant(F.operand(I, 1)))
      return scaled(A, *C);
    if (std::optional<uint32_t> C = constant(F.operand(I, 0)))
      return scaled(B, *C);
    if (A.Shape != LaneShape::Uniform || B.Shape != LaneShape::Uniform)
      return LaneValue();
    return uniform(static_cast<uint32_t>(
        std::min<uint64_t>(MaxLaneAlign, uint64_t(A.Align) * B.Align)));
  }
  LaneValue scaled(LaneValue A, uint32_t C) const {
    uint64_t Align =
        std::min<uint64_t>(MaxLaneAlign, uint64_t(A.Align) * alignOf(C));
    return strided(A.Stride * static_cast<int64_t>(C),
                   static_cast<uint32_t>(Align));
  }

  /// A vector that starts at a multiple of its width stays within one block
  /// of that width: division and masking by multiples act on the block.
  LaneValue blockwise(InstId I, const Inst &N) const {
    if (F.operands(I).size() != 2 || F.typeOf(F.operand(I, 0)) != types::U32)
      return LaneValue();
    LaneValue A = of(I, 0), B = of(I, 1);
    if (A.Shape != LaneShape::Strided || A.Stride != 1 || A.Align < Width ||
        B.Shape != LaneShape::Uniform)
      return LaneValue();
    if ((N.Opcode == Op::Lt || N.Opcode == Op::Ge) && B.Align >= Width)
      return uniform();
    std::optional<uint32_t> C = constant(F.operand(I, 1));
    if (!C)
      return LaneValue();
    bool Multiple = *C != 0 && alignOf(*C) >= Width;
    switch (N.Opcode) {
    case Op::RawDiv:
    case Op::Div:
      return Multiple ? uniform() : LaneValue();
    case Op::RawRem:
    case Op::Rem:
      return Multiple ? strided(1, Width) : LaneValue();
    case Op::RawShr:
    case Op::Shr:
      return (1u << (*C & 31)) >= Width ? uniform() : LaneValue();
    case Op::And:
      if (((*C + 1) & *C) == 0 && *C >= Width - 1)
        return strided(1, Width);
      return alignOf(*C) >= Width ? uniform(alignOf(*C)) : LaneValue();
    default:
      return LaneValue();
    }
  }

  /// What stayed unknown is never computed or never written.
  void finish() {
    for (uint32_t I = 0; I < F.Insts.size(); ++I)
      if (!ValueKnown[InstId(I)])
        Result.Value.set(InstId(I), uniform());
    for (uint32_t I = 0; I < F.Slots.size(); ++I)
      if (!SlotKnown[SlotId(I)])
        Result.OfSlot.set(SlotId(I), uniform());
  }

  const Module &M;
  const Function &F;
  const Structure &S;
  const SideMap<Slot, SlotScope> &Scopes;
  LaneScope Scope;
  unsigned Width;
  LaneShapes Result;
  std::vector<InstId> Program;
  std::vector<uint32_t> Written;
  SideMap<Inst, uint32_t> Order{0}, End{0};
  SideMap<Inst, Exits> ExitsTo;
  SideMap<Inst, bool> ValueKnown{false}, Settled{false};
  SideMap<Slot, bool> SlotKnown{false};
  bool Changed = false;
};

} // namespace

LaneShapes goldy::shapesOfOneLane(const Function &F) {
  LaneShapes Shapes;
  LaneValue Uniform;
  Uniform.Shape = LaneShape::Uniform;
  for (uint32_t I = 0; I < F.Insts.size(); ++I)
    Shapes.Value.set(InstId(I), Uniform);
  for (uint32_t S = 0; S < F.Slots.size(); ++S)
    Shapes.OfSlot.set(SlotId(S), Uniform);
  return Shapes;
}

LaneShapes goldy::analyseLanes(const Module &M, const Function &F,
                               const Structure &S,
                               const SideMap<Slot, SlotScope> &Scopes,
                               LaneScope Scope, unsigned Width) {
  if (Scope == LaneScope::Vector && Width == 1)
    return shapesOfOneLane(F);
  return ShapeAnalysis(M, F, S, Scopes, Scope, Width).run();
}
