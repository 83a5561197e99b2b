//===- Operands.cpp - Rules on operands and results
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V20 number of operands · V21 operand types by the operation's rule · V22 the
// result's type · V23 constants and other leaves · V24 numbers of components
// and members · V25 guards · V26 arguments of calls · V27 values have value
// types · V28 workgroup and scratch of collectives.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <algorithm>
#include <bit>

namespace goldy::verifier {
namespace {

class OperandChecker {
public:
  OperandChecker(const Module &M, FuncId Id, Reporter &R)
      : M(M), Id(Id), F(M.Functions[Id]), R(R) {}

  bool run() {
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      checkInst(InstId(N));
    return Good;
  }

private:
  void checkInst(InstId I);
  bool checkCount(InstId I);
  void checkValues(InstId I);
  void checkRule(InstId I);
  void checkSpecial(InstId I);
  void checkLeaf(InstId I);
  void checkLayoutFact(InstId I);
  void checkDebug(InstId I);
  void checkWatch(InstId I);
  void checkLanes(InstId I);
  void checkPowi(InstId I);
  void checkReduction(InstId I);
  void checkSoftmax(InstId I);
  /// The parameter that operand N, a Ref, names; null if it names none.
  const Param *resource(InstId I, unsigned N) const;
  bool isScratch(InstId I, unsigned N, TypeId Element) const;
  bool groupCombines(InstId I);
  void checkCast(InstId I);
  void checkConstruct(InstId I);
  void checkExtract(InstId I);
  void checkCall(InstId I);
  void checkArgument(InstId I, const Param &P, ValueId Arg);
  void checkRefArgument(InstId I, const Param &P, const PlaceBase &Base);

  void complain(unsigned Rule, InstId I, const std::string &Text) {
    R.rule(Rule, F, I) << Text;
    Good = false;
  }
  std::string name(TypeId T) const { return "`" + M.Types.name(T) + "`"; }
  TypeId typeOf(InstId I, unsigned N) const {
    return F.typeOf(F.operand(I, N));
  }
  /// A unary conversion from one type to another.
  void expect(InstId I, TypeId Operand, TypeId Result) {
    if (typeOf(I, 0) != Operand)
      complain(21, I, "its operand is not " + name(Operand));
    expectResult(I, Result);
  }
  void expectResult(InstId I, TypeId T) {
    if (F.Insts[I].Type != T)
      complain(22, I,
               "its result is " + name(F.Insts[I].Type) + ", not " + name(T));
  }
  void expectBool(InstId I) {
    if (typeOf(I, 0) != types::Bool)
      complain(21, I, "its condition is not `bool`");
  }

  const Module &M;
  FuncId Id;
  const Function &F;
  Reporter &R;
  bool Good = true;
};

bool OperandChecker::checkCount(InstId I) {
  const Inst &N = F.Insts[I];
  const OpInfo &Info = opInfo(N.Opcode);
  bool Guarded = N.Flags & FlagGuarded;
  bool Memory =
      N.Opcode == Op::Load || N.Opcode == Op::Store || isAtomic(N.Opcode);
  if (Guarded && (!Memory || F.typeOf(F.operands(N).back()) != types::Bool)) {
    complain(25, I, "a guard is a `bool` on a memory access");
    return false;
  }
  size_t Count = N.NumOperands - (Guarded ? 1 : 0);
  if (Count < Info.MinOperands || Count > Info.MaxOperands) {
    complain(20, I, "it has " + std::to_string(Count) + " operands");
    return false;
  }
  return true;
}

void OperandChecker::checkValues(InstId I) {
  const Inst &N = F.Insts[I];
  if (M.Types.isStorageOnly(N.Type))
    complain(27, I, "narrow types are no value types");
  for (ValueId V : F.operands(N))
    if (F.typeOf(V) == types::Void &&
        !(takesResources(N.Opcode) && F.Insts[V].Opcode == Op::Ref))
      complain(27, I, "an operand has no value");
}

void OperandChecker::checkInst(InstId I) {
  bool Before = Good;
  Good = true;
  if (checkCount(I))
    checkValues(I);
  if (Good && opInfo(F.Insts[I].Opcode).Rule != TypeRule::Special)
    checkRule(I);
  else if (Good)
    checkSpecial(I);
  Good &= Before;
}

void OperandChecker::checkRule(InstId I) {
  const Inst &N = F.Insts[I];
  const TypeTable &T = M.Types;
  TypeRule Rule = opInfo(N.Opcode).Rule;
  TypeId First = typeOf(I, 0);
  TypeId Scalar = T.scalarOf(First);
  // A shift takes any integers as its amounts, of the same length if a vector.
  if (Rule == TypeRule::Shift) {
    TypeId Amount = typeOf(I, 1);
    bool Lengths = T.memberCount(Amount) == 0 ||
                   T.memberCount(Amount) == T.memberCount(First);
    if (!T.isInteger(Scalar) || !T.isInteger(T.scalarOf(Amount)) || !Lengths)
      complain(21, I, "it shifts integers by integers");
    return expectResult(I, First);
  }
  for (ValueId V : F.operands(N))
    if (F.typeOf(V) != First)
      return complain(21, I,
                      "its operands are " + name(First) + " and " +
                          name(F.typeOf(V)));
  bool Integer = T.isInteger(Scalar), Float = T.isFloat(Scalar);
  bool Fits = Rule == TypeRule::SameArith   ? Integer || Float
              : Rule == TypeRule::SameInt   ? Integer
              : Rule == TypeRule::SameBits  ? Integer || First == types::Bool
              : Rule == TypeRule::SameFloat ? Float
                                            : T.isScalar(First);
  if (!Fits || (isOrder(N.Opcode) && First == types::Bool))
    return complain(21, I, "it does not take " + name(First));
  if (N.Opcode == Op::Abs && Integer && !T.isSigned(Scalar))
    return complain(21, I, "it takes signed integers and floats");
  expectResult(I, Rule == TypeRule::Compare ? TypeId(types::Bool) : First);
}

void OperandChecker::checkSpecial(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::Const:
  case Op::ParamValue:
  case Op::Ref:
  case Op::LoopVar:
  case Op::SpecConst:
    return checkLeaf(I);
  case Op::GlobalId:
  case Op::LocalId:
  case Op::WorkgroupId:
  case Op::NumWorkgroups:
  case Op::WorkgroupSize:
    if (N.Opcode == Op::WorkgroupSize && F.Kind == FuncKind::Kernel)
      complain(24, I, "a kernel knows its group size: it is a literal there");
    if (N.Imm > 2)
      complain(24, I, "ids have the components 0, 1 and 2");
    return expectResult(I, types::U32);
  case Op::Len:
    return expectResult(I, types::U32);
  case Op::Select:
    expectBool(I);
    if (typeOf(I, 1) != typeOf(I, 2))
      complain(21, I, "its values have different types");
    return expectResult(I, typeOf(I, 1));
  case Op::ToBits:
  case Op::NumberBits:
    return expect(I, types::F32, types::U32);
  case Op::FromBits:
    return expect(I, types::U32, types::F32);
  case Op::RawFloatToInt:
    return expect(I, types::F32, types::I32);
  case Op::CountOnes:
  case Op::LeadingZeros:
  case Op::TrailingZeros:
    if (!M.Types.isInteger(typeOf(I, 0)))
      complain(21, I, "it takes an integer");
    return expectResult(I, types::U32);
  case Op::Cast:
    return checkCast(I);
  case Op::Construct:
    return checkConstruct(I);
  case Op::Extract:
    return checkExtract(I);
  case Op::Call:
    return checkCall(I);
  case Op::Dim:
  case Op::Rank:
  case Op::LayoutWord:
  case Op::TensorOffset:
    return checkLayoutFact(I);
  case Op::Powi:
    return checkPowi(I);
  case Op::WorkgroupSum:
  case Op::WorkgroupMax:
  case Op::WorkgroupMin:
    return checkReduction(I);
  case Op::WorkgroupSoftmax:
    return checkSoftmax(I);
  case Op::DeviceSwitch:
    return expectResult(I, types::Bool);
  case Op::Debug:
    return checkDebug(I);
  case Op::Watch:
    return checkWatch(I);
  case Op::LaneExchange:
  case Op::LaneFirst:
    return checkLanes(I);
  case Op::If:
  case Op::BreakIf:
  case Op::Assume:
    expectBool(I);
    return expectResult(I, types::Void);
  case Op::Load:
  case Op::Store:
  case Op::WorkgroupUniformLoad:
    return; // Places.cpp
  default:
    if (!isAtomic(N.Opcode))
      expectResult(I, types::Void);
  }
}

void OperandChecker::checkLanes(InstId I) {
  ValueId Lanes = F.operand(I, 1);
  uint64_t Most = F.Insts[I].Opcode == Op::LaneFirst ? 32 : 16;
  bool Literal = F.isConst(Lanes) && typeOf(I, 1) == types::U32;
  if (!Literal || !std::has_single_bit(F.Insts[Lanes].Imm) ||
      F.Insts[Lanes].Imm > Most)
    complain(24, I,
             "its second operand is a literal power of two to " +
                 std::to_string(Most));
  if (M.Types.bits(typeOf(I, 0)) != 32)
    complain(21, I, "it exchanges words");
  expectResult(I, typeOf(I, 0));
}

const Param *OperandChecker::resource(InstId I, unsigned N) const {
  const Inst &Named = F.Insts[F.operand(I, N)];
  if (Named.Opcode != Op::Ref || !Named.Where)
    return nullptr;
  const PlaceBase &Base = F.Places[Named.Where].Base;
  return Base.Kind == BaseKind::Param ? &F.Params[Base.Index] : nullptr;
}

void OperandChecker::checkLayoutFact(InstId I) {
  const Inst &N = F.Insts[I];
  const Param *P = resource(I, 0);
  bool Extent = N.Opcode == Op::Dim && P && P->bound() == ParamKind::Image;
  if (!P || (P->bound() != ParamKind::Tensor && !Extent))
    return complain(21, I, "it names no tensor parameter");
  if (N.NumOperands > 1 && typeOf(I, 1) != types::U32)
    return complain(21, I, "its number is not `u32`");
  ValueId Word = N.Opcode == Op::LayoutWord ? F.operand(I, 1) : ValueId();
  if (Word && (!F.isConst(Word) || F.Insts[Word].Imm > 11))
    complain(24, I, "a layout has the words 0 to 11");
  expectResult(I, types::U32);
}

void OperandChecker::checkDebug(InstId I) {
  for (ValueId V : F.operands(I))
    if (!M.Types.isScalar(F.typeOf(V)) || F.typeOf(V) != typeOf(I, 0))
      complain(21, I, "it prints a scalar");
  expectResult(I, types::Void);
}

void OperandChecker::checkWatch(InstId I) {
  if (!F.isConst(F.operand(I, 0)) || typeOf(I, 0) != types::U32)
    complain(24, I, "its first operand, the site, is a literal `u32`");
  for (ValueId V : F.operands(I))
    if (TypeId T = F.typeOf(V);
        T != types::U32 && T != types::I32 && T != types::Bool)
      complain(21, I, "it passes words");
  expectResult(I, types::Void);
}

void OperandChecker::checkPowi(InstId I) {
  if (M.Types.scalarOf(typeOf(I, 0)) != types::F32 ||
      typeOf(I, 1) != types::I32)
    complain(21, I, "it takes an `f32` and an `i32`");
  expectResult(I, typeOf(I, 0));
}

bool OperandChecker::isScratch(InstId I, unsigned N, TypeId Element) const {
  const Inst &Named = F.Insts[F.operand(I, N)];
  if (Named.Opcode != Op::Ref || !Named.Where)
    return false;
  const PlaceBase &Base = F.Places[Named.Where].Base;
  if (Base.Kind != BaseKind::Workgroup)
    return false;
  TypeId Array = baseType(M, F, Base);
  return M.Types.memberType(Array, 0) == Element &&
         M.Types.memberCount(Array) >= F.WorkgroupSize[0];
}

/// A row of a power of two work-items.
bool OperandChecker::groupCombines(InstId I) {
  const std::array<uint32_t, 3> &Size = F.WorkgroupSize;
  if (std::has_single_bit(Size[0]) && Size[1] == 1 && Size[2] == 1)
    return true;
  complain(28, I, "its workgroup is no row of a power of two work-items");
  return false;
}

void OperandChecker::checkReduction(InstId I) {
  TypeId T = typeOf(I, 0);
  if (T != types::U32 && T != types::I32 && T != types::F32)
    return complain(21, I, "it combines `u32`, `i32` or `f32`");
  if (groupCombines(I) && !isScratch(I, 1, T))
    complain(28, I,
             "its scratch is no workgroup array of " + name(T) +
                 " for every work-item");
  expectResult(I, T);
}

void OperandChecker::checkSoftmax(InstId I) {
  const Param *P = resource(I, 0);
  bool Indexed =
      P && (P->Kind == ParamKind::Buffer || P->Kind == ParamKind::Tensor);
  if (!Indexed || P->Type != types::F32 || P->Acc != Access::ReadWrite)
    return complain(21, I, "it names no buffer or tensor of `f32` to rewrite");
  if (typeOf(I, 1) != types::U32 || typeOf(I, 2) != types::U32)
    return complain(21, I, "its base and count are not `u32`");
  if (groupCombines(I) && !isScratch(I, 3, types::F32))
    complain(28, I,
             "its scratch is no workgroup array of `f32` for every work-item");
  expectResult(I, types::Void);
}

void OperandChecker::checkLeaf(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Opcode == Op::Ref)
    return expectResult(I, types::Void);
  if (!M.Types.isScalar(N.Type) && N.Opcode != Op::ParamValue)
    return complain(23, I, "it is no scalar");
  uint32_t Bits = M.Types.bits(N.Type);
  if (N.Opcode == Op::Const &&
      ((N.Type == types::Bool && N.Imm > 1) || (Bits < 64 && N.Imm >> Bits)))
    return complain(23, I, "the constant does not fit its type");
  if (N.Opcode == Op::ParamValue &&
      (N.Imm >= F.Params.size() || F.Params[N.Imm].Kind != ParamKind::Scalar ||
       F.Params[N.Imm].Type != N.Type))
    complain(23, I, "there is no scalar parameter of this number and type");
  if (N.Opcode == Op::SpecConst &&
      (N.Imm >= M.Specs.size() ||
       M.Specs[SpecId(static_cast<uint32_t>(N.Imm))].Type != N.Type))
    complain(23, I,
             "there is no specialisation constant of this number and type");
}

void OperandChecker::checkCast(InstId I) {
  TypeId From = typeOf(I, 0), To = F.Insts[I].Type;
  if (!M.Types.isScalar(From) || !M.Types.isScalar(To))
    return complain(21, I, "it converts scalars");
  bool ToBool = To == types::Bool && From != types::Bool;
  bool BoolToFloat = From == types::Bool && To == types::F32;
  if (ToBool || BoolToFloat)
    complain(21, I,
             "there is no conversion from " + name(From) + " to " + name(To));
}

void OperandChecker::checkConstruct(InstId I) {
  const Inst &N = F.Insts[I];
  uint32_t Members = M.Types.memberCount(N.Type);
  if (Members == 0 || Members != N.NumOperands)
    return complain(20, I, "it does not have one operand a member");
  for (uint32_t K = 0; K < Members; ++K)
    if (typeOf(I, K) != M.Types.memberType(N.Type, K))
      return complain(21, I,
                      "member " + std::to_string(K) + " is " +
                          name(typeOf(I, K)) + ", not " +
                          name(M.Types.memberType(N.Type, K)));
}

void OperandChecker::checkExtract(InstId I) {
  const Inst &N = F.Insts[I];
  if (N.Imm >= M.Types.memberCount(typeOf(I, 0)))
    return complain(24, I, "there is no member of this number");
  expectResult(I,
               M.Types.memberType(typeOf(I, 0), static_cast<uint32_t>(N.Imm)));
}

void OperandChecker::checkCall(InstId I) {
  const Inst &N = F.Insts[I];
  if (!N.Callee || N.Callee >= Id ||
      M.Functions[N.Callee].Kind != FuncKind::Helper)
    return complain(26, I, "it calls no helper that stands before it");
  const Function &Callee = M.Functions[N.Callee];
  if (Callee.Params.size() != N.NumOperands)
    return complain(26, I,
                    "`" + Callee.Name + "` takes " +
                        std::to_string(Callee.Params.size()) + " arguments");
  expectResult(I, Callee.ReturnType);
  for (uint32_t K = 0; K < N.NumOperands; ++K)
    checkArgument(I, Callee.Params[K], F.operand(I, K));
}

void OperandChecker::checkArgument(InstId I, const Param &P, ValueId Arg) {
  const Inst &A = F.Insts[Arg];
  if (P.Kind == ParamKind::Scalar) {
    if (A.Type != P.Type)
      complain(26, I,
               "the argument for `" + P.Name + "` is not " + name(P.Type));
    return;
  }
  if (A.Opcode != Op::Ref || !A.Where)
    return complain(26, I,
                    "the argument for `" + P.Name + "` names no resource");
  checkRefArgument(I, P, F.Places[A.Where].Base);
}

void OperandChecker::checkRefArgument(InstId I, const Param &P,
                                      const PlaceBase &Base) {
  auto Wrong = [&](const char *What) {
    complain(26, I, "the argument for `" + P.Name + "` " + What);
  };
  if (Base.Kind == BaseKind::Workgroup) {
    TypeId Array = F.WorkgroupArrays[WorkgroupId(Base.Index)].Type;
    if (!P.Workgroup || M.Types.memberType(Array, 0) != P.Type)
      Wrong("is a workgroup array of another type");
    return;
  }
  if (Base.Kind != BaseKind::Param)
    return Wrong("is neither a parameter nor a workgroup array");
  const Param &Own = F.Params[Base.Index];
  if (Own.Kind != P.Kind || Own.Type != P.Type || Own.Workgroup != P.Workgroup)
    return Wrong("is a resource of another type");
  bool Reads = P.Acc != Access::Write, Writes = P.Acc != Access::Read;
  if ((Reads && Own.Acc == Access::Write) ||
      (Writes && Own.Acc == Access::Read))
    Wrong("does not admit the helper's accesses");
}

} // namespace

bool checkOperands(const Module &M, FuncId F, Reporter &R) {
  return OperandChecker(M, F, R).run();
}

} // namespace goldy::verifier
