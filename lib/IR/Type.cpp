//===- Type.cpp - IR types and the one layout
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Type.h"

#include <algorithm>

using namespace goldy;

TypeTable::TypeTable() {
  for (uint32_t K = 0; K < types::NumScalars; ++K) {
    Type T;
    T.Kind = static_cast<TypeKind>(K);
    Types.push(T);
  }
}

TypeId TypeTable::intern(Type T) {
  for (uint32_t I = types::NumScalars; I < Types.size(); ++I)
    if (Types[TypeId(I)] == T)
      return TypeId(I);
  return Types.push(T);
}

TypeId TypeTable::vector(TypeId Element, uint32_t Count) {
  Type T;
  T.Kind = TypeKind::Vector;
  T.Element = Element;
  T.Count = Count;
  return intern(T);
}

TypeId TypeTable::array(TypeId Element, uint32_t Count) {
  Type T;
  T.Kind = TypeKind::Array;
  T.Element = Element;
  T.Count = Count;
  return intern(T);
}

TypeId TypeTable::structType(StructId S) {
  Type T;
  T.Kind = TypeKind::Struct;
  T.Struct = S;
  return intern(T);
}

StructId TypeTable::addStruct(StructType S) {
  return Structs.push(std::move(S));
}

bool TypeTable::isScalar(TypeId T) const {
  TypeKind K = kind(T);
  return K >= TypeKind::Bool && K <= TypeKind::I64;
}

bool TypeTable::isInteger(TypeId T) const {
  TypeKind K = kind(T);
  return K == TypeKind::U32 || K == TypeKind::I32 || K == TypeKind::U64 ||
         K == TypeKind::I64;
}

bool TypeTable::isSigned(TypeId T) const {
  TypeKind K = kind(T);
  return K == TypeKind::I32 || K == TypeKind::I64 || K == TypeKind::I8 ||
         K == TypeKind::I16;
}

bool TypeTable::isFloat(TypeId T) const { return kind(T) == TypeKind::F32; }

bool TypeTable::isStorageOnly(TypeId T) const {
  TypeKind K = kind(T);
  return K >= TypeKind::U8 && K <= TypeKind::BF16;
}

TypeId TypeTable::valueType(TypeId T) {
  if (T == types::U8 || T == types::U16)
    return types::U32;
  if (T == types::I8 || T == types::I16)
    return types::I32;
  if (T == types::F16 || T == types::BF16)
    return types::F32;
  return T;
}

uint32_t TypeTable::bits(TypeId T) const {
  switch (kind(T)) {
  case TypeKind::U8:
  case TypeKind::I8:
    return 8;
  case TypeKind::U16:
  case TypeKind::I16:
  case TypeKind::F16:
  case TypeKind::BF16:
    return 16;
  case TypeKind::U64:
  case TypeKind::I64:
    return 64;
  default:
    return 32;
  }
}

TypeId TypeTable::scalarOf(TypeId T) const {
  return kind(T) == TypeKind::Vector ? Types[T].Element : T;
}

uint32_t TypeTable::memberCount(TypeId T) const {
  switch (kind(T)) {
  case TypeKind::Vector:
  case TypeKind::Array:
    return Types[T].Count;
  case TypeKind::Struct:
    return static_cast<uint32_t>(Structs[Types[T].Struct].Fields.size());
  default:
    return 0;
  }
}

TypeId TypeTable::memberType(TypeId T, uint32_t Index) const {
  if (kind(T) == TypeKind::Struct)
    return Structs[Types[T].Struct].Fields[Index].Type;
  return Types[T].Element;
}

Layout TypeTable::layout(TypeId T) const {
  switch (kind(T)) {
  case TypeKind::Void:
    return {0, 1};
  case TypeKind::Vector:
  case TypeKind::Array: {
    Layout E = layout(Types[T].Element);
    return {E.Size * Types[T].Count, E.Align};
  }
  case TypeKind::Struct: {
    Layout L{0, 1};
    for (const StructField &F : Structs[Types[T].Struct].Fields) {
      Layout E = layout(F.Type);
      L.Size = (L.Size + E.Align - 1) / E.Align * E.Align + E.Size;
      L.Align = std::max(L.Align, E.Align);
    }
    L.Size = (L.Size + L.Align - 1) / L.Align * L.Align;
    return L;
  }
  default:
    return {bits(T) / 8, bits(T) / 8};
  }
}

uint64_t TypeTable::memberOffset(TypeId T, uint32_t Index) const {
  if (kind(T) != TypeKind::Struct)
    return stride(Types[T].Element) * Index;
  uint64_t Offset = 0;
  const std::vector<StructField> &Fields = Structs[Types[T].Struct].Fields;
  for (uint32_t I = 0; I <= Index; ++I) {
    Layout E = layout(Fields[I].Type);
    Offset = (Offset + E.Align - 1) / E.Align * E.Align;
    if (I < Index)
      Offset += E.Size;
  }
  return Offset;
}

uint64_t TypeTable::stride(TypeId T) const { return layout(T).Size; }

std::string TypeTable::name(TypeId T) const {
  static constexpr std::string_view Scalars[] = {
      "()", "bool", "u32", "i32", "f32",      "u64",      "i64",
      "u8", "i8",   "u16", "i16", "gpu::f16", "gpu::bf16"};
  const Type &N = Types[T];
  switch (N.Kind) {
  case TypeKind::Vector: {
    std::string_view Stem = kind(N.Element) == TypeKind::F32   ? "gpu::Float"
                            : kind(N.Element) == TypeKind::I32 ? "gpu::Int"
                            : kind(N.Element) == TypeKind::U32 ? "gpu::UInt"
                                                               : "gpu::Bool";
    return std::string(Stem) + std::to_string(N.Count);
  }
  case TypeKind::Array:
    return "[" + name(N.Element) + "; " + std::to_string(N.Count) + "]";
  case TypeKind::Struct:
    return Structs[N.Struct].Name;
  default:
    return std::string(Scalars[static_cast<unsigned>(N.Kind)]);
  }
}
