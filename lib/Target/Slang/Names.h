//===- Names.h - Identifiers and literals in Slang text ---------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's names are kept where Slang allows it. A name that is taken, or
// that Slang or this text needs for itself, gets a number: `x`, `x_1`, `x_2`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_SLANG_NAMES_H
#define GOLDYC_LIB_TARGET_SLANG_NAMES_H

#include "goldyc/IR/Type.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace goldy::slang {

/// The names that are taken in one scope and all outside it.
class Names {
public:
  Names();
  /// A free name made from `Wanted` (or from "v" if that is empty); it is
  /// taken from now on. Bytes that are no identifier characters become `_`.
  std::string take(std::string_view Wanted);
  /// The same for a struct's name.
  std::string takeType(std::string_view Wanted);

private:
  std::set<std::string, std::less<>> Taken;
  std::map<std::string, unsigned> LastSuffix; ///< that was tried
};

/// A struct field: only keywords need another name.
std::string fieldName(std::string_view Wanted);

/// The literal when Slang reads the same bits from it, else `asfloat(0x…u)`.
std::string floatLiteral(uint32_t Bits);
/// `asfloat(0x…u)` always.
std::string floatBits(uint32_t Bits);
/// An integer constant of its type, `-5ll`; for bool `true` or `false`.
std::string integerLiteral(TypeKind K, uint64_t Bits);
/// What a literal of the type ends in.
std::string_view integerSuffix(TypeKind K);

} // namespace goldy::slang

#endif
