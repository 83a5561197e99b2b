//===- Types.cpp - Rules on types, tables and signatures
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V1 types are finite and of bearable size · V2 names · V3 parameters and
// results · V5 constant tables · V6 slots and workgroup arrays.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <algorithm>
#include <set>

namespace goldy::verifier {
namespace {

/// Bytes of one type, and steps that a walk over it takes.
constexpr uint64_t MaxTypeBytes = uint64_t(1) << 31;
constexpr uint64_t MaxTypeNodes = 1 << 16;

class TypeChecker {
public:
  TypeChecker(const Module &M, Reporter &R) : M(M), R(R) {}

  bool run() {
    for (uint32_t I = 0; I < M.Types.size(); ++I)
      Good &= measure(TypeId(I), 0).Ok;
    return Good;
  }

private:
  struct Measure {
    bool Done = false, Active = false, Ok = true;
    uint64_t Bytes = 4, Nodes = 1;
  };

  Measure measure(TypeId T, unsigned Depth);
  void measureMembers(TypeId T, Measure &Result, unsigned Depth);
  void add(Measure &Result, TypeId Member, uint64_t Count, unsigned Depth);
  void complain(Measure &Result, Span Where, std::string Text) {
    if (Result.Ok)
      R.rule(1, nullptr, Where) << Text;
    Result.Ok = false;
  }
  Span spanOf(TypeId T) const {
    const Type &Ty = M.Types[T];
    return Ty.Kind == TypeKind::Struct &&
                   Ty.Struct.index() < M.Types.structCount()
               ? M.Types.structure(Ty.Struct).Where
               : Span();
  }

  const Module &M;
  Reporter &R;
  SideMap<Type, Measure> Known;
  bool Good = true;
};

TypeChecker::Measure TypeChecker::measure(TypeId T, unsigned Depth) {
  if (Known[T].Done)
    return Known[T];
  Measure Result;
  if (Known[T].Active || Depth > 200) {
    complain(Result, spanOf(T), "a type contains itself or nests too deeply");
    return Result;
  }
  Known.at(T).Active = true;
  measureMembers(T, Result, Depth);
  if (Result.Bytes > MaxTypeBytes || Result.Nodes > MaxTypeNodes)
    complain(Result, spanOf(T), "a type is larger than 2 GiB");
  Result.Done = true;
  Known.set(T, Result);
  return Result;
}

void TypeChecker::add(Measure &Result, TypeId Member, uint64_t Count,
                      unsigned Depth) {
  Measure Inner = measure(Member, Depth + 1);
  Result.Ok &= Inner.Ok;
  // Alignment adds at most four bytes a member.
  Result.Bytes =
      std::min(Result.Bytes + (Inner.Bytes + 4) * Count, MaxTypeBytes + 1);
  Result.Nodes = std::min(Result.Nodes + Inner.Nodes, MaxTypeNodes + 1);
}

void TypeChecker::measureMembers(TypeId T, Measure &Result, unsigned Depth) {
  const Type &Ty = M.Types[T];
  auto Known = [&](TypeId Member) {
    bool Fits = M.Types.contains(Member) && Member != types::Void;
    if (!Fits)
      complain(Result, spanOf(T), "a type has a member without a type");
    return Fits;
  };
  if (Ty.Kind == TypeKind::Vector) {
    bool Component = Ty.Element == types::U32 || Ty.Element == types::I32 ||
                     Ty.Element == types::F32;
    if (!Component || Ty.Count < 2 || Ty.Count > 4)
      complain(Result, {},
               "a vector has 2 to 4 components of type `f32`, `i32` or `u32`");
    Result.Bytes = 16;
  } else if (Ty.Kind == TypeKind::Array && Known(Ty.Element)) {
    if (Ty.Count == 0)
      complain(Result, {}, "an array has at least one element");
    add(Result, Ty.Element, Ty.Count, Depth);
  } else if (Ty.Kind == TypeKind::Struct) {
    if (Ty.Struct.index() >= M.Types.structCount())
      return complain(Result, {}, "a struct type has no declaration");
    const StructType &S = M.Types.structure(Ty.Struct);
    if (S.Fields.empty())
      complain(Result, S.Where, "struct `" + S.Name + "` has no fields");
    for (const StructField &Field : S.Fields)
      if (Known(Field.Type))
        add(Result, Field.Type, 1, Depth);
  }
}

bool checkTables(const Module &M, Reporter &R) {
  bool Good = true;
  for (const ConstTable &T : M.Tables) {
    bool Fits = M.Types.contains(T.Type) &&
                M.Types.kind(T.Type) == TypeKind::Array &&
                M.Types.isScalar(M.Types.memberType(T.Type, 0)) &&
                M.Types.memberCount(T.Type) == T.Bits.size();
    if (!Fits)
      R.rule(5, nullptr, T.Loc)
          << "table `" << T.Name
          << "` is not an array of scalars with a value for each element";
    Good &= Fits;
  }
  return Good;
}

class SignatureChecker {
public:
  SignatureChecker(const Module &M, const Function &F, Reporter &R)
      : M(M), F(F), R(R) {}

  bool run() {
    for (const Param &P : F.Params)
      checkParam(P);
    if (!M.Types.contains(F.ReturnType) || M.Types.isStorageOnly(F.ReturnType))
      complain(3, F.Loc, "the result has no value type");
    else if (isKernel() && F.ReturnType != types::Void)
      complain(3, F.Loc, "a kernel returns no value");
    for (uint32_t Size : F.WorkgroupSize)
      if (Size == 0)
        complain(3, F.Loc, "the workgroup size is zero along an axis");
    for (const Slot &S : F.Slots)
      if (!isValueType(S.Type))
        complain(6, S.Loc, "slot `" + S.Name + "` has no value type");
    for (const WorkgroupArray &A : F.WorkgroupArrays)
      checkArray(A);
    return Good;
  }

private:
  bool isKernel() const { return F.Kind == FuncKind::Kernel; }
  bool isValueType(TypeId T) const {
    return M.Types.contains(T) && T != types::Void && !M.Types.isStorageOnly(T);
  }
  void complain(unsigned Rule, Span Where, const std::string &Text) {
    R.rule(Rule, &F, Where) << Text;
    Good = false;
  }
  void checkParam(const Param &P) {
    bool Known = M.Types.contains(P.Type) && P.Type != types::Void;
    bool Scalar = P.Kind == ParamKind::Scalar;
    bool Aggregate = Known && M.Types.memberCount(P.Type) != 0;
    // A helper takes vectors, arrays and structs by value.
    if (!Known || (Scalar && M.Types.isStorageOnly(P.Type)) ||
        (Scalar && Aggregate && isKernel()))
      complain(3, P.Loc,
               "parameter `" + P.Name + "` has a type that cannot be passed");
    if (P.Kind == ParamKind::Uniform && (!isKernel() || P.Acc != Access::Read))
      complain(3, P.Loc,
               "uniform block `" + P.Name + "` is a kernel's and read only");
    bool IsFloat4 = Known && M.Types.kind(P.Type) == TypeKind::Vector &&
                    M.Types[P.Type].Element == types::F32 &&
                    M.Types[P.Type].Count == 4;
    if (P.Kind == ParamKind::Image && (!IsFloat4 || P.Acc != Access::Write))
      complain(3, P.Loc,
               "image `" + P.Name + "` is no writable `gpu::Float4` image");
    if (P.Workgroup && (isKernel() || P.Kind != ParamKind::Buffer))
      complain(3, P.Loc,
               "parameter `" + P.Name +
                   "`: only a helper's buffer may stand for a workgroup array");
    checkShape(P);
  }
  /// What is known of a tensor's shape, and of what an expanded one was.
  void checkShape(const Param &P) {
    if (P.Contract && (!isKernel() || P.bound() != ParamKind::Tensor))
      complain(3, P.Loc,
               "parameter `" + P.Name +
                   "`: only a kernel's tensor has a shape");
    else if (P.Contract && P.Contract->size() > 4)
      complain(3, P.Loc,
               "parameter `" + P.Name + "` has a shape of more than 4 axes");
    bool Bound = P.ExpandedFrom == ParamKind::Tensor ||
                 P.ExpandedFrom == ParamKind::Image;
    if (P.ExpandedFrom &&
        (!Bound || !isKernel() || P.Kind != ParamKind::Buffer))
      complain(3, P.Loc,
               "parameter `" + P.Name +
                   "` is no buffer of a kernel that stands for a resource");
  }
  void checkArray(const WorkgroupArray &A) {
    if (!isKernel())
      complain(6, A.Loc, "a helper owns no workgroup array");
    if (!isValueType(A.Type) || M.Types.kind(A.Type) != TypeKind::Array)
      complain(6, A.Loc, "workgroup array `" + A.Name + "` has no array type");
  }

  const Module &M;
  const Function &F;
  Reporter &R;
  bool Good = true;
};

} // namespace

bool checkTypes(const Module &M, Reporter &R) {
  return TypeChecker(M, R).run() && checkTables(M, R);
}

bool checkSignatures(const Module &M, Reporter &R) {
  bool Good = true;
  std::set<std::string_view> Names;
  for (const Function &F : M.Functions) {
    if (F.Name.empty() || !Names.insert(F.Name).second) {
      R.rule(2, nullptr, F.Loc)
          << "function `" << F.Name << "` has no name of its own";
      Good = false;
    }
    Good &= SignatureChecker(M, F, R).run();
  }
  return Good;
}

uint64_t scalarCount(const TypeTable &Types, TypeId T) {
  uint32_t Members = Types.memberCount(T);
  if (Members == 0)
    return 1;
  if (Types.kind(T) != TypeKind::Struct)
    return Members * scalarCount(Types, Types.memberType(T, 0));
  uint64_t Sum = 0;
  for (uint32_t I = 0; I < Members; ++I)
    Sum += scalarCount(Types, Types.memberType(T, I));
  return Sum;
}

} // namespace goldy::verifier
