//===- Checked.h - Unsigned 64-bit arithmetic that cannot wrap ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every size, offset, sum and product that a file or a caller gives goes
// through these.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_CHECKED_H
#define GOLDY_RUNTIME_CORE_CHECKED_H

#include <cstdint>
#include <optional>

namespace goldy::rt {

inline std::optional<uint64_t> checkedAdd(uint64_t A, uint64_t B) {
  uint64_t R;
  if (__builtin_add_overflow(A, B, &R))
    return std::nullopt;
  return R;
}

inline std::optional<uint64_t> checkedMul(uint64_t A, uint64_t B) {
  uint64_t R;
  if (__builtin_mul_overflow(A, B, &R))
    return std::nullopt;
  return R;
}

/// The least multiple of `Align` (not 0) that is not below `A`.
inline std::optional<uint64_t> checkedAlign(uint64_t A, uint64_t Align) {
  std::optional<uint64_t> R = checkedAdd(A, Align - 1);
  if (!R)
    return std::nullopt;
  return *R - *R % Align;
}

/// True when [Offset, Offset + Size) lies in [0, End).
inline bool rangeFits(uint64_t Offset, uint64_t Size, uint64_t End) {
  return Offset <= End && Size <= End - Offset;
}

} // namespace goldy::rt

#endif
