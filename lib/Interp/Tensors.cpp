//===- Tensors.cpp - Views of tensors by the letter of the language
//--------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Code.h"

using namespace goldy;

uint64_t InterpTensor::numel() const {
  uint64_t Product = 1;
  for (uint64_t Extent : Shape)
    if (__builtin_mul_overflow(Product, Extent, &Product))
      return ~uint64_t(0);
  return Product;
}

/// Row-major: the last axis moves fastest.
uint64_t InterpTensor::element(uint64_t Index) const {
  uint64_t At = Offset;
  for (unsigned Axis = 4; Axis-- > 0;) {
    At += Index % Shape[Axis] * Strides[Axis];
    Index /= Shape[Axis];
  }
  return At;
}

bool InterpTensor::isContiguous() const {
  uint64_t Dense = 1;
  for (unsigned Axis = Rank; Axis-- > 0;) {
    if (Shape[Axis] != 1 && Strides[Axis] != Dense)
      return numel() == 0;
    Dense *= Shape[Axis];
  }
  return true;
}

uint64_t interp::layoutWord(const InterpTensor &T, uint64_t Number) {
  if (Number >= 8)
    return T.Strides[Number - 8];
  if (Number >= 4)
    return T.Shape[Number - 4];
  const uint64_t First[] = {T.Rank, T.numel(), 0, T.isContiguous()};
  return First[Number];
}

/// `[2, 3, 8]`.
static std::string shapeText(const InterpTensor &T) {
  std::string Text;
  for (unsigned Axis = 0; Axis < T.Rank; ++Axis)
    Text += (Axis ? ", " : "") + std::to_string(T.Shape[Axis]);
  return "[" + Text + "]";
}

std::string interp::contractFault(const Param &P, const InterpTensor &T,
                                  std::map<std::string, uint64_t> &Symbols) {
  if (!P.Contract)
    return "";
  std::string Got = ", got shape " + shapeText(T);
  if (P.Contract->size() != T.Rank)
    return "expected rank " + std::to_string(P.Contract->size()) + Got;
  for (unsigned Axis = 0; Axis < T.Rank; ++Axis) {
    const ContractDim &D = (*P.Contract)[Axis];
    uint64_t Wanted = D.Extent;
    if (D.Form == ContractDim::Kind::Any)
      continue;
    if (D.Form == ContractDim::Kind::Symbol)
      Wanted = Symbols.try_emplace(D.Name, T.Shape[Axis]).first->second;
    if (T.Shape[Axis] != Wanted)
      return "expected extent " + std::to_string(Wanted) + " along axis " +
             std::to_string(Axis) + Got;
  }
  return "";
}
