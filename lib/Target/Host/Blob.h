//===- Blob.h - Flat position-independent code from an object
//---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_BLOB_H
#define GOLDYC_LIB_TARGET_HOST_BLOB_H

#include "goldyc/Target/Target.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

struct Blob {
  std::vector<uint8_t> Bytes;
  uint64_t EntryOffset = 0;
  std::map<uint64_t, uint64_t> Placed; ///< number of a section to its offset
};

/// What kept an object from becoming a blob.
struct BlobError {
  enum class Kind : uint8_t { Symbol, Relocation, Section, Object };
  Kind What = Kind::Object;
  std::string Text; ///< the symbol, relocation or section
};

/// Places .text at 0 and read-only data behind it, each section aligned to 64,
/// and applies PC-relative 32-bit relocations between them. Refuses undefined
/// symbols, every other relocation, and writable data.
bool makeBlob(std::span<const char> Object, std::string_view Entry, Blob &Out,
              BlobError &Error);

/// The object itself, for debuggers: sections that are in the blob get their
/// offset for an address, and the words that say so are listed. Relocations are
/// left to the reader, which applies them as it does to any object.
DebugObject makeDebugObject(std::span<const char> Object, const Blob &Flat);

} // namespace goldy

#endif
