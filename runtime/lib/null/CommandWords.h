//===- CommandWords.h - The command words of the null device --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the words that NullDriver.h lists. They come from memory that anything
// may have written, so each is checked.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_NULL_COMMANDWORDS_H
#define GOLDY_RUNTIME_NULL_COMMANDWORDS_H

#include "core/Driver.h"

namespace goldy::rt {

class CommandWords {
public:
  enum class Kind : uint8_t { End, Note, Fill };
  struct Command {
    Kind What = Kind::End;
    uint64_t Number = 0; ///< of a Note
    MemoryUse Where;     ///< of a Fill: bytes within a use of the part
    uint8_t Value = 0;
  };

  /// `Bytes` and `Uses`, of which the first is where the words lie, outlive
  /// this.
  CommandWords(std::span<const std::byte> Bytes,
               std::span<const MemoryUse> Uses)
      : Bytes(Bytes), Uses(Uses) {}
  /// GOLDY_INVALID_ARGUMENT names the word and its byte.
  Status next(Command &Out);

private:
  Status refuse(const std::string &Why) const;
  Status take(uint64_t &Out);
  Status fill(Command &Out);

  std::span<const std::byte> Bytes;
  std::span<const MemoryUse> Uses;
  uint64_t At = 0, Start = 0; ///< of the next word, of the command
};

} // namespace goldy::rt

#endif
