//===- Numbers.h - Arithmetic on numbers of 63 bits -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kinds of sum exist. An offset's is exact: a product or a partial sum that
// 63 bits do not hold is none. A hole's wraps modulo 2^63.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_NUMBERS_H
#define GOLDY_SCHEMAS_PROGRAM_NUMBERS_H

#include "program/Program.h"

#include <span>

namespace goldy::program {

inline bool isNumber(int64_t X) { return X >= NumberMin && X <= NumberMax; }

inline std::optional<Number> exactAdd(Number A, Number B) {
  int64_t R;
  if (__builtin_add_overflow(A, B, &R) || !isNumber(R))
    return std::nullopt;
  return R;
}

inline std::optional<Number> exactMul(Number A, Number B) {
  int64_t R;
  if (__builtin_mul_overflow(A, B, &R) || !isNumber(R))
    return std::nullopt;
  return R;
}

/// The number that is equal to `X` modulo 2^63: bit 62 is the sign.
inline Number wrap(uint64_t X) { return static_cast<int64_t>(X << 1) >> 1; }

/// `Sum` + `X` * `Factor`, wrapping.
inline Number wrapMulAdd(Number Sum, Number X, Number Factor) {
  return wrap(static_cast<uint64_t>(Sum) +
              static_cast<uint64_t>(X) * static_cast<uint64_t>(Factor));
}

/// Bits of the word that a hole takes for `Sum`, the wrapped sum of its terms.
inline uint64_t holeWord(Number Sum, Number Add, Number Shift, Width Bits) {
  uint64_t Word =
      static_cast<uint64_t>(wrapMulAdd(Sum, Add, 1)) >> (Shift & 63);
  return Bits == Width::W32 ? Word & 0xffffffff : Word;
}

inline size_t widthBytes(Width Bits) { return Bits == Width::W32 ? 4 : 8; }

/// ORs the low bytes of `Word`, as many as `Into` has, into little-endian
/// bytes. False, and nothing is written, if a set bit meets a set bit.
inline bool fillHole(std::span<char> Into, uint64_t Word) {
  uint64_t Old = 0;
  for (size_t I = 0; I < Into.size(); ++I)
    Old |= uint64_t(static_cast<unsigned char>(Into[I])) << (8 * I);
  if (Old & Word)
    return false;
  for (size_t I = 0; I < Into.size(); ++I)
    Into[I] = static_cast<char>((Old | Word) >> (8 * I));
  return true;
}

} // namespace goldy::program

#endif
