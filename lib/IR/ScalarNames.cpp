//===- ScalarNames.cpp - Scalars in languages of C's kin
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/ScalarNames.h"

std::string_view goldy::scalarInC(TypeKind K) {
  switch (K) {
  case TypeKind::F32:
    return "float";
  case TypeKind::Bool:
  case TypeKind::U32:
    return "uint32_t";
  case TypeKind::I32:
    return "int32_t";
  case TypeKind::U64:
    return "uint64_t";
  case TypeKind::I64:
    return "int64_t";
  case TypeKind::U8:
    return "uint8_t";
  case TypeKind::I8:
    return "int8_t";
  case TypeKind::I16:
    return "int16_t";
  case TypeKind::U16:
  case TypeKind::F16:
  case TypeKind::BF16:
    return "uint16_t";
  default:
    return "";
  }
}
