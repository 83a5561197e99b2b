//===- Layout.cpp - Kernel types and NumPy types --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing is converted but bool bytes to words: a file of another type is
// refused, since a silent cast would hide a wrong argument.
//
//===----------------------------------------------------------------------===//
#include "Layout.h"

using namespace goldyrun;
namespace npy = goldy::npy;

std::optional<goldy::Scalar> goldyrun::scalarOf(const goldy_type_t *T) {
  using goldy::Scalar;
  switch (goldy_type_kind(T)) {
  case GOLDY_TYPE_BOOL:
    return Scalar::Bool;
  case GOLDY_TYPE_U32:
    return Scalar::U32;
  case GOLDY_TYPE_I32:
    return Scalar::I32;
  case GOLDY_TYPE_F32:
    return Scalar::F32;
  case GOLDY_TYPE_U64:
    return Scalar::U64;
  case GOLDY_TYPE_I64:
    return Scalar::I64;
  case GOLDY_TYPE_U8:
    return Scalar::U8;
  case GOLDY_TYPE_I8:
    return Scalar::I8;
  case GOLDY_TYPE_U16:
    return Scalar::U16;
  case GOLDY_TYPE_I16:
    return Scalar::I16;
  case GOLDY_TYPE_F16:
    return Scalar::F16;
  case GOLDY_TYPE_BF16:
    return Scalar::BF16;
  default:
    return std::nullopt;
  }
}

static npy::DType structType(const goldy_type_t *T) {
  npy::DType D{npy::Kind::Struct, goldy_type_stride(T), {}};
  for (uint32_t I = 0; I < goldy_type_count(T); ++I) {
    goldy_field_t F = goldy_type_field(T, I);
    ElementForm E = elementForm(F.type);
    D.Fields.push_back({F.name, E.Type, E.Axes, F.offset});
  }
  return D;
}

ElementForm goldyrun::elementForm(const goldy_type_t *T) {
  ElementForm E;
  while (const goldy_type_t *Part = goldy_type_element(T)) {
    E.Axes.push_back(goldy_type_count(T));
    T = Part;
  }
  std::optional<goldy::Scalar> S = scalarOf(T);
  E.Type = S ? goldy::scalarDType(*S) : structType(T);
  return E;
}

std::string goldyrun::typeName(const goldy_type_t *T) {
  if (std::optional<goldy::Scalar> S = scalarOf(T))
    return std::string(goldy::scalarName(*S));
  std::string Count = std::to_string(goldy_type_count(T));
  const goldy_type_t *Part = goldy_type_element(T);
  switch (goldy_type_kind(T)) {
  case GOLDY_TYPE_VECTOR:
    return (goldy_type_kind(Part) == GOLDY_TYPE_F32   ? "gpu::Float"
            : goldy_type_kind(Part) == GOLDY_TYPE_I32 ? "gpu::Int"
                                                      : "gpu::UInt") +
           Count;
  case GOLDY_TYPE_ARRAY:
    return "[" + typeName(Part) + "; " + Count + "]";
  default:
    return goldy_type_name(T);
  }
}

static void widenBools(npy::Array &A) {
  std::vector<std::byte> Words(A.Data.size() * 4);
  for (size_t I = 0; I < A.Data.size(); ++I)
    Words[4 * I] = A.Data[I] != std::byte(0) ? std::byte(1) : std::byte(0);
  A.Data = std::move(Words);
  A.Type = npy::uintType(4);
}

static std::string shapeText(const std::vector<uint64_t> &Shape) {
  std::string S = "(";
  for (size_t I = 0; I < Shape.size(); ++I)
    S += (I ? ", " : "") + std::to_string(Shape[I]);
  return S + (Shape.size() == 1 ? ",)" : ")");
}

std::string goldyrun::adopt(npy::Array &A, const goldy_type_t *T,
                            uint64_t &OutCount) {
  ElementForm E = elementForm(T);
  bool Words = scalarOf(T) == goldy::Scalar::Bool;
  if (Words && A.Type == npy::boolType())
    widenBools(A);
  bool RawBfloat = scalarOf(T) == goldy::Scalar::BF16 &&
                   A.Type == npy::DType{npy::Kind::Opaque, 2, {}};
  if (!(A.Type == E.Type) && !RawBfloat)
    return "expected elements of NumPy type " + npy::descr(E.Type) + " for `" +
           typeName(T) + "`, got " + npy::descr(A.Type);
  size_t Axes = E.Axes.size();
  if (A.Shape.size() < Axes ||
      !std::equal(E.Axes.begin(), E.Axes.end(), A.Shape.end() - Axes))
    return "expected the last axes " + shapeText(E.Axes) + " for `" +
           typeName(T) + "`, got shape " + shapeText(A.Shape);
  OutCount = 1;
  for (size_t I = 0; I + Axes < A.Shape.size(); ++I)
    OutCount *= A.Shape[I];
  return "";
}
