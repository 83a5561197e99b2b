//===- LoadTypes.cpp - Verifying a file: types and their layout -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one layout rule, so sizes and offsets are computed here and must be
// what the file says: scalars by their width, vectors packed and aligned to
// their component, arrays packed, structs as C lays them out.
//
//===----------------------------------------------------------------------===//
#include "artifact/Loader.h"
#include "core/Checked.h"

#include <algorithm>

using namespace goldy::rt;

static uint32_t scalarBytes(goldy::schema::TypeKind K) {
  using enum goldy::schema::TypeKind;
  switch (K) {
  case Bool:
  case U32:
  case I32:
  case F32:
    return 4;
  case U64:
  case I64:
    return 8;
  case U16:
  case I16:
  case F16:
  case BF16:
    return 2;
  case U8:
  case I8:
    return 1;
  default:
    return 0;
  }
}

Status Loader::types() {
  uint32_t Count = Root->types() ? Root->types()->size() : 0;
  if (Count > limits::Types)
    return overLimit("types", Count, limits::Types);
  Out.Types.resize(Count);
  for (uint32_t I = 0; I < Count; ++I)
    if (Status S = type(I); !S.ok())
      return Status(S.code(), "type " + std::to_string(I) + ": " + S.message());
  return Status();
}

Status Loader::type(uint32_t Number) {
  const schema::Type &T = *Root->types()->Get(Number);
  goldy_type &Type = Out.Types[Number];
  if (T.kind() == schema::TypeKind::Void || T.kind() > schema::TypeKind::MAX)
    return invalid("unknown kind " +
                   std::to_string(static_cast<int>(T.kind())));
  Type.Kind = static_cast<goldy_type_kind_t>(T.kind());
  bool Struct = T.kind() == schema::TypeKind::Struct;
  if (!Struct && (T.fields() || T.name()))
    return invalid("fields or a name on a type that is no struct");
  if (uint32_t Bytes = scalarBytes(T.kind())) {
    if (T.element() || T.count())
      return invalid("a scalar with elements");
    Type.Size = Type.Stride = Type.Align = Bytes;
  } else if (Struct) {
    GOLDY_TRY(structure(T, Type));
  } else {
    if (T.element() >= Number)
      return invalid("the element is not an earlier type");
    GOLDY_TRY(aggregate(T, Type));
  }
  if (Type.Depth > limits::TypeDepth)
    return overLimit("nesting", Type.Depth, limits::TypeDepth);
  if (Type.Size != T.size() || Type.Align != T.align() ||
      Type.Stride != T.stride())
    return invalid(
        "size, alignment or stride is not as the layout rule has it");
  return Status();
}

Status Loader::aggregate(const schema::Type &T, goldy_type &Type) {
  bool Vector = T.kind() == schema::TypeKind::Vector;
  const goldy_type &E = Out.Types[T.element()];
  if (Vector && (E.Depth != 0 || E.Size != 4 || T.count() < 2 || T.count() > 4))
    return invalid("a vector has 2 to 4 components of 4 bytes");
  if (T.count() == 0)
    return invalid("an array has one element or more");
  std::optional<uint64_t> Size = checkedMul(E.Stride, T.count());
  if (!Size || *Size > limits::FileBytes)
    return Status(GOLDY_LIMIT, "the array is larger than " +
                                   std::to_string(limits::FileBytes) +
                                   " bytes");
  Type.Element = &E;
  Type.Count = T.count();
  Type.Size = Type.Stride = *Size;
  Type.Align = E.Align;
  Type.Depth = E.Depth + 1;
  return Status();
}

Status Loader::structure(const schema::Type &T, goldy_type &Type) {
  if (T.element() || T.count())
    return invalid("a struct with elements");
  if (!T.fields() || T.fields()->size() == 0)
    return invalid("a struct without fields");
  GOLDY_TRY(name(T.name(), "a struct", Type.Name));
  uint32_t Own = static_cast<uint32_t>(&Type - Out.Types.data());
  std::vector<std::string_view> Names;
  uint64_t At = 0;
  Type.Fields.reserve(T.fields()->size());
  for (const schema::Field *F : *T.fields()) {
    goldy_type::Field Field;
    GOLDY_TRY(name(F->name(), "a field", Field.Name));
    const goldy_type *Part = typeAt(F->type(), Own);
    if (!Part)
      return invalid("field `" + Field.Name + "` is not of an earlier type");
    GOLDY_TRY(charge(Part->Name.size()));
    At = (At + Part->Align - 1) / Part->Align * Part->Align;
    if (At != F->offset())
      return invalid("field `" + Field.Name +
                     "` is not where the layout rule has it");
    Field.Type = Part;
    Field.Offset = At;
    At += Part->Size;
    if (At > limits::FileBytes)
      return overLimit("the struct in bytes", At, limits::FileBytes);
    Type.Align = std::max(Type.Align, Part->Align);
    Type.Depth = std::max(Type.Depth, Part->Depth + 1);
    Type.Fields.push_back(std::move(Field));
  }
  for (const goldy_type::Field &F : Type.Fields)
    Names.push_back(F.Name);
  std::sort(Names.begin(), Names.end());
  if (std::adjacent_find(Names.begin(), Names.end()) != Names.end())
    return invalid("two fields of one name");
  Type.Count = static_cast<uint32_t>(Type.Fields.size());
  Type.Size = Type.Stride = (At + Type.Align - 1) / Type.Align * Type.Align;
  return Status();
}
