//===- Places.cpp - Rules on places and memory accesses
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V30 the path fits the base and gives the place's type · V31 indices are u32
// or i32 · V32 types of loaded, stored and exchanged values · V33 what the base
// admits · V34 places of `len` and of arguments name a whole resource.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

namespace goldy::verifier {
namespace {

class PlaceChecker {
public:
  PlaceChecker(const Module &M, const Function &F, Reporter &R)
      : M(M), F(F), R(R) {}

  bool run() {
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      checkInst(InstId(N));
    for (uint32_t N = 0; Good && N < F.Blocks.size(); ++N)
      checkTexels(F.Blocks[BlockId(N)]);
    return Good;
  }

private:
  void checkInst(InstId I);
  void checkWhole(InstId I, const Place &P);
  void checkAccess(InstId I, const Place &P);
  void checkBase(InstId I, const Place &P);
  void checkTypes(InstId I, const Place &P);
  void checkAtomic(InstId I, const Place &P);
  bool checkPath(InstId I, const Place &P);
  bool storesImage(InstId I) const;
  bool sameTexel(InstId A, InstId B) const;
  void checkTexels(const Block &B);

  void complain(unsigned Rule, InstId I, const std::string &Text) {
    R.rule(Rule, F, I) << Text;
    Good = false;
  }
  bool isResource(const PlaceBase &B) const {
    return B.Kind == BaseKind::Param &&
           F.Params[B.Index].Kind != ParamKind::Scalar;
  }

  const Module &M;
  const Function &F;
  Reporter &R;
  bool Good = true;
};

void PlaceChecker::checkInst(InstId I) {
  const Inst &N = F.Insts[I];
  bool Whole = N.Opcode == Op::Len || N.Opcode == Op::Ref;
  bool Access = accessesPlace(N.Opcode);
  if ((Whole || Access) != N.Where.isValid())
    return complain(30, I, "it has a place exactly if it accesses one");
  if (Whole)
    checkWhole(I, F.Places[N.Where]);
  else if (Access)
    checkAccess(I, F.Places[N.Where]);
}

void PlaceChecker::checkWhole(InstId I, const Place &P) {
  if (!P.Path.empty() ||
      (!isResource(P.Base) && P.Base.Kind != BaseKind::Workgroup))
    complain(34, I, "it names no whole buffer or workgroup array");
}

bool PlaceChecker::checkPath(InstId I, const Place &P) {
  for (const PathElement &E : P.Path) {
    if (!E.isDynamic())
      continue;
    TypeId T = F.typeOf(E.Index);
    if (T != types::U32 && T != types::I32) {
      complain(31, I, "an index is neither `u32` nor `i32`");
      return false;
    }
  }
  TypeId T = placeType(M, F, P);
  if (T && T == P.Type)
    return true;
  complain(30, I, "its path does not fit");
  return false;
}

void PlaceChecker::checkAccess(InstId I, const Place &P) {
  if (!checkPath(I, P))
    return;
  checkBase(I, P);
  if (isAtomic(F.Insts[I].Opcode))
    checkAtomic(I, P);
  else
    checkTypes(I, P);
}

void PlaceChecker::checkBase(InstId I, const Place &P) {
  Op O = F.Insts[I].Opcode;
  bool Reads = O != Op::Store;
  bool Writes = O != Op::Load && O != Op::WorkgroupUniformLoad;
  if (P.Base.Kind == BaseKind::Table && Writes)
    return complain(33, I, "a table is read only");
  if (P.Base.Kind != BaseKind::Param)
    return;
  const Param &Own = F.Params[P.Base.Index];
  if (Own.Kind == ParamKind::Scalar)
    return complain(33, I, "`" + Own.Name + "` is a scalar");
  if (Reads && Own.Acc == Access::Write)
    complain(33, I, "`" + Own.Name + "` is write only");
  if (Writes && Own.Acc == Access::Read)
    complain(33, I, "`" + Own.Name + "` is read only");
}

bool PlaceChecker::storesImage(InstId I) const {
  const Inst &N = F.Insts[I];
  if (N.Opcode != Op::Store)
    return false;
  const PlaceBase &Base = F.Places[N.Where].Base;
  return Base.Kind == BaseKind::Param &&
         F.Params[Base.Index].Kind == ParamKind::Image;
}

/// Both store into images.
bool PlaceChecker::sameTexel(InstId A, InstId B) const {
  const Place &P = F.Places[F.Insts[A].Where], &Q = F.Places[F.Insts[B].Where];
  return P.Base == Q.Base && P.Path[0] == Q.Path[0] && P.Path[1] == Q.Path[1] &&
         F.guard(A) == F.guard(B);
}

/// An image takes an element as a whole. Where vectors are scalars that is four
/// stores under one guard, in order, without one into another element between.
void PlaceChecker::checkTexels(const Block &B) {
  constexpr uint32_t Floats = 4;
  InstId Last;
  uint32_t Next = 0;
  for (InstId I : B.Insts) {
    if (!storesImage(I))
      continue;
    const std::vector<PathElement> &Path = F.Places[F.Insts[I].Where].Path;
    bool Fits = Path.size() == 2
                    ? Next == 0
                    : !Path[2].isDynamic() && Path[2].Member == Next &&
                          (Next == 0 || sameTexel(Last, I));
    if (!Fits)
      return complain(33, I, "an element of an image is written whole");
    Last = I;
    Next = Path.size() == 2 ? 0 : (Next + 1) % Floats;
  }
  if (Next)
    complain(33, Last, "an element of an image is written whole");
}

/// True if a value of the type holds a narrow member, which no value can.
bool holdsNarrow(const TypeTable &Types, TypeId T) {
  if (Types.isStorageOnly(T))
    return true;
  for (uint32_t N = 0; N < Types.memberCount(T); ++N) {
    if (holdsNarrow(Types, Types.memberType(T, N)))
      return true;
    if (Types.kind(T) != TypeKind::Struct)
      break;
  }
  return false;
}

void PlaceChecker::checkTypes(InstId I, const Place &P) {
  const Inst &N = F.Insts[I];
  TypeId Expected = TypeTable::valueType(P.Type);
  if (M.Types.memberCount(P.Type) && holdsNarrow(M.Types, P.Type))
    return complain(32, I,
                    "an aggregate with narrow members is read by member");
  if (N.Opcode != Op::Store && N.Type != Expected)
    complain(32, I,
             "its result is `" + M.Types.name(N.Type) + "`, not `" +
                 M.Types.name(Expected) + "`");
  if (N.Opcode != Op::Store)
    return;
  if (N.Type != types::Void)
    complain(22, I, "a store has no value");
  if (F.typeOf(F.operand(I, 0)) != Expected)
    complain(32, I,
             "it stores `" + M.Types.name(F.typeOf(F.operand(I, 0))) +
                 "` where `" + M.Types.name(Expected) + "` is");
}

void PlaceChecker::checkAtomic(InstId I, const Place &P) {
  const Inst &N = F.Insts[I];
  bool FloatAdd = N.Opcode == Op::AtomicAdd && P.Type == types::F32 &&
                  (F.Nondeterministic || F.Kind == FuncKind::Helper);
  if (P.Type != types::U32 && P.Type != types::I32 && !FloatAdd)
    return complain(32, I, "atomics act on `u32` and `i32` elements");
  bool Buffer = P.Base.Kind == BaseKind::Param &&
                (F.Params[P.Base.Index].Kind == ParamKind::Buffer ||
                 F.Params[P.Base.Index].Kind == ParamKind::Tensor);
  if (!Buffer && P.Base.Kind != BaseKind::Workgroup)
    complain(33, I, "atomics act on buffers and workgroup arrays");
  if (N.Type != (N.Opcode == Op::AtomicStore ? TypeId(types::Void) : P.Type))
    complain(22, I, "its result does not have the element's type");
  for (ValueId V : F.arguments(I))
    if (F.typeOf(V) != P.Type)
      complain(32, I, "an operand does not have the element's type");
}

} // namespace

bool checkPlaces(const Module &M, const Function &F, Reporter &R) {
  return PlaceChecker(M, F, R).run();
}

} // namespace goldy::verifier
