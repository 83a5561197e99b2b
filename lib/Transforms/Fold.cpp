//===- Fold.cpp - Constants and identities
//----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations on constants become constants, and integer, bool and selection
// identities hold whatever the operands are. Floats have no identities here:
// `x * 1.0` and `x + -0.0` flush subnormals, so they stay. In the legal form
// float arithmetic is that of one target and is not folded at all. Branches on
// constants are replaced by what they choose, guards on constants vanish.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Fold.h"

#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <bit>
#include <optional>

namespace goldy {
namespace {

class Folder : public PassRewriter {
public:
  Folder(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    forEachInst(Src, [&](InstId I) {
      if (Src.Insts[I].Opcode == Op::Break)
        Left.set(Src.Insts[I].Target, true);
    });
  }

protected:
  InstId visit(InstId I) override;

private:
  using Operands = std::vector<ValueId>;
  std::optional<uint64_t> constantOf(ValueId V) const {
    const Inst &I = Dst.Insts[V];
    return I.Opcode == Op::Const ? std::optional<uint64_t>(I.Imm)
                                 : std::nullopt;
  }
  bool isConstant(ValueId V, uint64_t Bits) const {
    std::optional<uint64_t> C = constantOf(V);
    return C && *C == Bits;
  }
  const Inst *definedBy(ValueId V, Op O) const {
    return Dst.Insts[V].Opcode == O ? &Dst.Insts[V] : nullptr;
  }
  uint64_t ones(TypeId T) const {
    return T == types::Bool        ? 1
           : M.Types.bits(T) == 64 ? ~uint64_t(0)
                                   : 0xffffffffu;
  }
  ValueId replaced(ValueId V) { return spend() ? V : ValueId(); }
  ValueId constant(TypeId T, uint64_t Bits) {
    return spend() ? B.constant(T, Bits) : ValueId();
  }

  /// True behind an exit that a chosen branch or an opened block ended in.
  bool isBehindExit() const {
    const std::vector<InstId> &Insts = Dst.Blocks[B.block()].Insts;
    if (Insts.empty())
      return false;
    return isExit(Dst.Insts[Insts.back()].Opcode);
  }
  InstId foldIf(InstId I);
  InstId foldFor(InstId I);
  InstId foldBlock(InstId I);
  InstId foldGuard(InstId I);
  ValueId foldTable(InstId I);
  ValueId foldPure(InstId I);
  bool mayEvaluate(const Inst &N, const Operands &V) const;
  ValueId simplify(const Inst &N, const Operands &V);
  ValueId simplifyAddSub(const Inst &N, ValueId A, ValueId C);
  ValueId simplifyMul(const Inst &N, ValueId A, ValueId C);
  ValueId simplifyDivRem(const Inst &N, ValueId A, ValueId C);
  ValueId simplifyBits(const Inst &N, ValueId A, ValueId C);
  ValueId simplifyXor(const Inst &N, ValueId A, ValueId C);
  ValueId simplifyShift(const Inst &N, ValueId A, ValueId C);
  ValueId simplifyCompare(const Inst &N, ValueId A, ValueId C);
  ValueId simplifySelect(const Inst &N, const Operands &V);
  ValueId simplifyNot(ValueId A);
  ValueId simplifyCast(const Inst &N, ValueId A);

  SideMap<Inst, bool> Left{false}; ///< some Break leaves the statement
};

InstId Folder::visit(InstId I) {
  if (isBehindExit())
    return {};
  const Inst &N = Src.Insts[I];
  switch (N.Opcode) {
  case Op::If:
    return foldIf(I);
  case Op::For:
    return foldFor(I);
  case Op::Block:
    return foldBlock(I);
  default:
    if (N.Flags & FlagGuarded)
      return foldGuard(I);
    if (N.Opcode == Op::Load)
      if (ValueId V = foldTable(I))
        return V;
    if (!isPure(N.Opcode) || N.NumOperands == 0)
      return copy(I);
    ValueId V = foldPure(I);
    return V ? V : copy(I);
  }
}

// --- Statements

InstId Folder::foldIf(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId Cond = map(Src.operand(I, 0));
  if (std::optional<uint64_t> C = constantOf(Cond); C && spend()) {
    if (BlockId Taken = N.Blocks[*C ? 0 : 1])
      copyBlock(Taken);
    return {};
  }
  bool EmptyElse = N.Blocks[1] && Src.Blocks[N.Blocks[1]].Insts.empty();
  bool EmptyThen = Src.Blocks[N.Blocks[0]].Insts.empty() && N.Blocks[1];
  if (!(EmptyElse || EmptyThen) || !spend())
    return copy(I);
  if (!EmptyElse)
    Cond = B.op(Op::Not, {Cond});
  InstId New = B.createIf(Cond, false);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[New].Blocks[0]);
  copyBlock(N.Blocks[EmptyElse ? 0 : 1]);
  B.setBlock(Outer);
  return New;
}

InstId Folder::foldFor(InstId I) {
  const Inst &N = Src.Insts[I];
  ValueId Lo = map(Src.operand(I, 0)), Hi = map(Src.operand(I, 1));
  std::optional<uint64_t> A = constantOf(Lo), C = constantOf(Hi);
  if (!A || !C)
    return copy(I);
  uint64_t Bounds[] = {*A, *C};
  std::optional<uint64_t> Any =
      foldScalar(N.Flags & FlagInclusive ? Op::Le : Op::Lt, Dst.typeOf(Lo),
                 types::Bool, Bounds);
  return Any && !*Any && spend() ? InstId() : copy(I);
}

InstId Folder::foldBlock(InstId I) {
  if (Left[I] || !spend())
    return copy(I);
  copyBlock(Src.Insts[I].Blocks[0]);
  return {};
}

InstId Folder::foldGuard(InstId I) {
  std::optional<uint64_t> C = constantOf(map(Src.guard(I)));
  if (!C || !spend())
    return copy(I);
  if (*C)
    return copyAccess(I, mapPlace(Src.Insts[I].Where), {});
  TypeId T = Src.Insts[I].Type;
  return T == types::Void ? InstId() : B.zero(T);
}

/// An element of a constant table at a constant index.
ValueId Folder::foldTable(InstId I) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  if (P.Base.Kind != BaseKind::Table || P.Path.size() != 1)
    return {};
  const PathElement &E = P.Path[0];
  std::optional<uint64_t> Index =
      E.isDynamic() ? constantOf(map(E.Index)) : E.Member;
  const ConstTable &T = M.Tables[TableId(P.Base.Index)];
  return Index && *Index < T.Bits.size() ? constant(P.Type, T.Bits[*Index])
                                         : ValueId();
}

// --- Values

/// Float operations in the legal form mean what the target does; those that
/// only move or inspect bits mean the same everywhere.
bool Folder::mayEvaluate(const Inst &N, const Operands &V) const {
  if (!M.Types.isScalar(N.Type))
    return false;
  bool Float = N.Type == types::F32;
  for (ValueId Operand : V) {
    if (!constantOf(Operand))
      return false;
    Float |= Dst.typeOf(Operand) == types::F32;
  }
  if (!Float || M.Level == IRLevel::Definition)
    return true;
  switch (N.Opcode) {
  case Op::ToBits:
  case Op::FromBits:
  case Op::Select:
  case Op::CanonNan:
  case Op::Flush:
    return true;
  default:
    return false;
  }
}

ValueId Folder::foldPure(InstId I) {
  const Inst &N = Src.Insts[I];
  Operands V = mapAll(Src.operands(I));
  if (!mayEvaluate(N, V))
    return M.Types.isScalar(N.Type) ? simplify(N, V) : ValueId();
  std::vector<uint64_t> Bits;
  for (ValueId Operand : V)
    Bits.push_back(*constantOf(Operand));
  TypeId OperandType = Dst.typeOf(V[N.Opcode == Op::Select ? 1 : 0]);
  std::optional<uint64_t> Result =
      foldScalar(N.Opcode, OperandType, N.Type, Bits);
  return Result ? constant(N.Type, *Result) : simplify(N, V);
}

ValueId Folder::simplify(const Inst &N, const Operands &V) {
  bool Whole = M.Types.isInteger(N.Type) || N.Type == types::Bool;
  switch (N.Opcode) {
  case Op::Add:
  case Op::Sub:
    return Whole ? simplifyAddSub(N, V[0], V[1]) : ValueId();
  case Op::Mul:
    return Whole ? simplifyMul(N, V[0], V[1]) : ValueId();
  case Op::Div:
  case Op::Rem:
    return Whole ? simplifyDivRem(N, V[0], V[1]) : ValueId();
  case Op::And:
  case Op::Or:
    return simplifyBits(N, V[0], V[1]);
  case Op::Xor:
    return simplifyXor(N, V[0], V[1]);
  case Op::Min:
  case Op::Max:
    return Whole && V[0] == V[1] ? replaced(V[0]) : ValueId();
  case Op::Shl:
  case Op::Shr:
  case Op::RawShl:
  case Op::RawShr:
    return simplifyShift(N, V[0], V[1]);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
    return simplifyCompare(N, V[0], V[1]);
  case Op::Select:
    return simplifySelect(N, V);
  case Op::Not:
    return simplifyNot(V[0]);
  case Op::Cast:
    return simplifyCast(N, V[0]);
  case Op::ToBits:
    if (const Inst *Bits = definedBy(V[0], Op::FromBits))
      return replaced(Dst.operands(*Bits)[0]);
    return {};
  default:
    return {};
  }
}

ValueId Folder::simplifyAddSub(const Inst &N, ValueId A, ValueId C) {
  if (isConstant(C, 0))
    return replaced(A);
  if (N.Opcode == Op::Sub)
    return A == C ? constant(N.Type, 0) : ValueId();
  if (isConstant(A, 0))
    return replaced(C);
  // (x + c) + d is x + (c + d): sums wrap, so the order does not matter.
  std::optional<uint64_t> Outer = constantOf(C);
  const Inst *Inner = definedBy(A, Op::Add);
  if (!Outer || !Inner)
    return {};
  std::optional<uint64_t> Part = constantOf(Dst.operands(*Inner)[1]);
  if (!Part || !spend())
    return {};
  ValueId X = Dst.operands(*Inner)[0];
  return B.op(Op::Add,
              {X, B.constant(N.Type, (*Part + *Outer) & ones(N.Type))});
}

ValueId Folder::simplifyMul(const Inst &N, ValueId A, ValueId C) {
  if (isConstant(A, 0) || isConstant(C, 0))
    return constant(N.Type, 0);
  if (isConstant(C, 1))
    return replaced(A);
  return isConstant(A, 1) ? replaced(C) : ValueId();
}

ValueId Folder::simplifyDivRem(const Inst &N, ValueId A, ValueId C) {
  std::optional<uint64_t> Divisor = constantOf(C);
  bool Div = N.Opcode == Op::Div;
  if (!Divisor)
    return {};
  if (*Divisor == 1)
    return Div ? replaced(A) : constant(N.Type, 0);
  if (*Divisor == 0)
    return Div ? replaced(A) : constant(N.Type, 0);
  if (M.Types.isSigned(N.Type) || !std::has_single_bit(*Divisor) || !spend())
    return {};
  if (!Div)
    return B.op(Op::And, {A, B.constant(N.Type, *Divisor - 1)});
  uint32_t Shift = static_cast<uint32_t>(std::countr_zero(*Divisor));
  return B.op(M.Level == IRLevel::Legal ? Op::RawShr : Op::Shr,
              {A, B.constant(N.Type, Shift)});
}

ValueId Folder::simplifyBits(const Inst &N, ValueId A, ValueId C) {
  bool And = N.Opcode == Op::And;
  uint64_t Neutral = And ? ones(N.Type) : 0, Absorbing = ones(N.Type) - Neutral;
  if (A == C || isConstant(C, Neutral))
    return replaced(A);
  if (isConstant(A, Neutral))
    return replaced(C);
  if (isConstant(A, Absorbing) || isConstant(C, Absorbing))
    return constant(N.Type, Absorbing);
  return {};
}

ValueId Folder::simplifyXor(const Inst &N, ValueId A, ValueId C) {
  if (A == C)
    return constant(N.Type, 0);
  if (isConstant(C, 0))
    return replaced(A);
  if (isConstant(A, 0))
    return replaced(C);
  bool Flip = N.Type == types::Bool && isConstant(C, 1);
  return Flip && spend() ? B.op(Op::Not, {A}) : ValueId();
}

ValueId Folder::simplifyShift(const Inst &N, ValueId A, ValueId C) {
  std::optional<uint64_t> Amount = constantOf(C);
  uint32_t Width = M.Types.bits(N.Type);
  return Amount && *Amount % Width == 0 ? replaced(A) : ValueId();
}

ValueId Folder::simplifyCompare(const Inst &N, ValueId A, ValueId C) {
  TypeId T = Dst.typeOf(A);
  if (T == types::F32 || !M.Types.isScalar(T))
    return {};
  bool OrEqual = N.Opcode == Op::Eq || N.Opcode == Op::Le || N.Opcode == Op::Ge;
  if (A == C)
    return constant(types::Bool, OrEqual);
  if (T == types::Bool && (isConstant(C, 0) || isConstant(C, 1))) {
    bool Same = (N.Opcode == Op::Eq) == isConstant(C, 1);
    if (Same)
      return replaced(A);
    return spend() ? B.op(Op::Not, {A}) : ValueId();
  }
  if (M.Types.isSigned(T) || !isConstant(C, 0))
    return {};
  if (N.Opcode == Op::Lt || N.Opcode == Op::Ge)
    return constant(types::Bool, N.Opcode == Op::Ge);
  return {};
}

ValueId Folder::simplifySelect(const Inst &N, const Operands &V) {
  if (std::optional<uint64_t> C = constantOf(V[0]))
    return replaced(V[*C ? 1 : 2]);
  if (V[1] == V[2])
    return replaced(V[1]);
  if (N.Type != types::Bool)
    return {};
  bool Holds = isConstant(V[1], 1), Fails = isConstant(V[2], 0);
  if (Holds && Fails)
    return replaced(V[0]);
  if ((Fails || V[2] == V[0]) && spend())
    return B.op(Op::And, {V[0], V[1]});
  if ((Holds || V[1] == V[0]) && spend())
    return B.op(Op::Or, {V[0], V[2]});
  return {};
}

ValueId Folder::simplifyNot(ValueId A) {
  if (const Inst *Inner = definedBy(A, Op::Not))
    return replaced(Dst.operands(*Inner)[0]);
  Op O = Dst.Insts[A].Opcode;
  if (!isComparison(O))
    return {};
  ValueId X = Dst.operand(A, 0), Y = Dst.operand(A, 1);
  // With NaN a float comparison and its opposite both fail.
  bool Ordered = O != Op::Eq && O != Op::Ne;
  if ((Dst.typeOf(X) == types::F32 && Ordered) || !spend())
    return {};
  static constexpr Op Opposite[] = {Op::Ne, Op::Eq, Op::Ge,
                                    Op::Gt, Op::Le, Op::Lt};
  return B.op(Opposite[unsigned(O) - unsigned(Op::Eq)], {X, Y});
}

ValueId Folder::simplifyCast(const Inst &N, ValueId A) {
  if (Dst.typeOf(A) == N.Type)
    return replaced(A);
  const Inst *Inner = definedBy(A, Op::Cast);
  if (!Inner)
    return {};
  ValueId X = Dst.operands(*Inner)[0];
  bool RoundTrip = Dst.typeOf(X) == N.Type && M.Types.isInteger(N.Type) &&
                   M.Types.isInteger(Inner->Type) &&
                   M.Types.bits(Inner->Type) >= M.Types.bits(N.Type);
  return RoundTrip ? replaced(X) : ValueId();
}

class FoldPass : public Pass {
public:
  std::string_view name() const override { return "fold"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<Folder>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createFoldPass() { return std::make_unique<FoldPass>(); }

} // namespace goldy
