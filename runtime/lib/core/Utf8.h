//===- Utf8.h - Is this text UTF-8? ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As RFC 3629 has it: no overlong forms, no surrogates, at most U+10FFFF.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_UTF8_H
#define GOLDY_RUNTIME_CORE_UTF8_H

#include <cstdint>
#include <string_view>

namespace goldy::rt {

inline bool isUtf8(std::string_view Text) {
  size_t I = 0, N = Text.size();
  auto Byte = [&](size_t At) { return static_cast<uint8_t>(Text[At]); };
  while (I < N) {
    uint8_t Lead = Byte(I);
    if (Lead < 0x80) {
      ++I;
      continue;
    }
    size_t Length = Lead >= 0xf0 ? 4 : Lead >= 0xe0 ? 3 : 2;
    if (Lead < 0xc2 || Lead > 0xf4 || N - I < Length)
      return false;
    uint32_t Point = Lead & (0x7fu >> Length);
    for (size_t K = 1; K < Length; ++K) {
      if ((Byte(I + K) & 0xc0) != 0x80)
        return false;
      Point = Point << 6 | (Byte(I + K) & 0x3f);
    }
    bool Surrogate = Point >= 0xd800 && Point < 0xe000;
    if (Point > 0x10ffff || Surrogate || (Length == 3 && Point < 0x800) ||
        (Length == 4 && Point < 0x10000))
      return false;
    I += Length;
  }
  return true;
}

} // namespace goldy::rt

#endif
