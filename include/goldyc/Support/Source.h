//===- Source.h - Source files, spans, line and column numbers ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A span is a half-open byte range of one file. Lines and columns are
// computed on demand: columns count characters (code points) from 1, a tab is
// one, a byte order mark none; "\n", "\r\n" and a lone "\r" end a line.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_SUPPORT_SOURCE_H
#define GOLDYC_SUPPORT_SOURCE_H

#include "goldyc/Support/Handle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

struct SourceFile;
using FileId = Handle<SourceFile>;

/// Half-open byte range [Begin, End) of one file; no file means "no place".
struct Span {
  FileId File;
  uint32_t Begin = 0;
  uint32_t End = 0;
  bool isValid() const { return File.isValid(); }
  /// The smallest span that holds both (of one file; else `*this`).
  Span to(Span O) const;
  friend bool operator==(const Span &, const Span &) = default;
};

/// A place for people: both from 1.
struct LineColumn {
  uint32_t Line = 0;
  uint32_t Column = 0;
};

/// One input, whole in memory. `Text` never changes after `add`.
struct SourceFile {
  std::string Name; ///< as the user wrote it, or "<stdin>"
  std::string Text;
  std::vector<uint32_t> LineStarts; ///< byte offset of each line's start
};

/// Owns all inputs of one compilation.
class SourceManager {
public:
  /// Takes a file's text. Texts of 4 GiB and more must be refused before.
  FileId add(std::string Name, std::string Text);
  const SourceFile &file(FileId F) const { return Files[F]; }
  std::string_view text(Span S) const;
  LineColumn lineColumn(FileId F, uint32_t Offset) const;
  /// The line's text without its end-of-line characters; Line from 1.
  std::string_view line(FileId F, uint32_t Line) const;
  uint32_t size() const { return Files.size(); }

private:
  Arena<SourceFile> Files;
};

/// True when the text is well-formed UTF-8; else the first bad byte's offset
/// in `BadOffset`.
bool isValidUtf8(std::string_view Text, size_t &BadOffset);

} // namespace goldy

#endif
