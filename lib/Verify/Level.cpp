//===- Level.cpp - Rules on the forms that a level admits
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V50 no raw operations in a definition. In the legal form: V51 kernels only ·
// V52 no Call, For or Assume · V53 values are scalars, slots scalars or arrays
// of scalars · V54 nothing follows an exit within its block.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/IR/VectorMemory.h"

namespace goldy::verifier {
namespace {

class LegalChecker {
public:
  LegalChecker(const Module &M, const Function &F, Reporter &R)
      : M(M), F(F), R(R) {}

  bool run() {
    if (F.Kind != FuncKind::Kernel) {
      R.rule(51, &F, F.Loc) << "a helper is left over";
      Good = false;
    }
    for (const Param &P : F.Params)
      if (P.Kind == ParamKind::Tensor) {
        R.rule(52, &F, P.Loc) << "tensor `" << P.Name << "` is not expanded";
        Good = false;
      }
    for (const Slot &S : F.Slots)
      if (!M.Types.isScalar(elementOf(S.Type))) {
        R.rule(53, &F, S.Loc) << "slot `" << S.Name << "` is an aggregate";
        Good = false;
      }
    for (const Inst &N : F.Insts)
      if (N.Opcode == Op::Store && N.NumOperands)
        Stored.set(F.operands(N)[0], true);
    for (const Block &B : F.Blocks)
      for (size_t N = 0; N < B.Insts.size(); ++N)
        checkInst(B.Insts[N], N + 1 == B.Insts.size());
    return Good;
  }

private:
  TypeId elementOf(TypeId T) const {
    while (M.Types.kind(T) == TypeKind::Array)
      T = M.Types.memberType(T, 0);
    return T;
  }
  /// A word of the image's entry in the block.
  bool isImageExtent(const Inst &Dim) const {
    if (Dim.NumOperands == 0)
      return false;
    const Inst &Named = F.Insts[F.operands(Dim)[0]];
    if (Named.Opcode != Op::Ref || !Named.Where)
      return false;
    const PlaceBase &Base = F.Places[Named.Where].Base;
    return Base.Kind == BaseKind::Param &&
           F.Params[Base.Index].bound() == ParamKind::Image;
  }
  /// A vector on its way between memory and its components.
  bool movesVector(InstId I) const {
    const Inst &N = F.Insts[I];
    return movesWhole(M.Types, N.Type) &&
           (N.Opcode == Op::Load || (N.Opcode == Op::Construct && Stored[I]));
  }
  void checkInst(InstId I, bool Last) {
    const Inst &N = F.Insts[I];
    if (N.Opcode == Op::Call || N.Opcode == Op::For || N.Opcode == Op::Assume)
      complain(52, I, "it has no place in the legal form");
    if ((N.Opcode == Op::Dim && !isImageExtent(N)) || N.Opcode == Op::Rank)
      complain(52, I, "it has no place in the legal form");
    if (N.Type != types::Void && !M.Types.isScalar(N.Type) && !movesVector(I))
      complain(53, I, "it is an aggregate value");
    if (isExit(N.Opcode) && !Last)
      complain(54, I, "something follows it in its block");
  }
  void complain(unsigned Rule, InstId I, const std::string &Text) {
    R.rule(Rule, F, I) << Text;
    Good = false;
  }

  const Module &M;
  const Function &F;
  Reporter &R;
  SideMap<Inst, bool> Stored{false};
  bool Good = true;
};

/// A word of a layout: expand-tensors makes them before the legal form.
bool readsLayout(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  if ((N.Opcode != Op::LayoutWord && N.Opcode != Op::TensorOffset) ||
      N.NumOperands == 0)
    return false;
  const Inst &Named = F.Insts[F.operand(I, 0)];
  if (Named.Opcode != Op::Ref || !Named.Where)
    return false;
  const PlaceBase &Base = F.Places[Named.Where].Base;
  return Base.Kind == BaseKind::Param && Base.Index < F.Params.size() &&
         F.Params[Base.Index].ExpandedFrom == ParamKind::Tensor;
}

bool checkDefinition(const Function &F, Reporter &R) {
  bool Good = true;
  forEachInst(F, [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    if (O < Op::RawDiv || readsLayout(F, I))
      return;
    R.rule(50, F, I) << "it belongs to the legal form";
    Good = false;
  });
  return Good;
}

} // namespace

bool checkLevel(const Module &M, const Function &F, Reporter &R) {
  if (M.Level == IRLevel::Legal)
    return LegalChecker(M, F, R).run();
  return checkDefinition(F, R);
}

} // namespace goldy::verifier
