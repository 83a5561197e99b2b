//===- Source.cpp - Source files, spans, line and column numbers
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/Source.h"

#include <algorithm>

using namespace goldy;

namespace {

constexpr std::string_view ByteOrderMark = "\xEF\xBB\xBF";

bool isContinuation(char C) {
  return (static_cast<unsigned char>(C) & 0xC0) == 0x80;
}

std::vector<uint32_t> lineStarts(std::string_view Text) {
  std::vector<uint32_t> Starts{0};
  for (size_t I = 0; I < Text.size(); ++I) {
    bool LoneCR =
        Text[I] == '\r' && (I + 1 == Text.size() || Text[I + 1] != '\n');
    if (Text[I] == '\n' || LoneCR)
      Starts.push_back(static_cast<uint32_t>(I + 1));
  }
  return Starts;
}

/// Length of the well-formed UTF-8 sequence at the front, 0 if there is none.
size_t sequenceLength(std::string_view S) {
  unsigned char Lead = static_cast<unsigned char>(S[0]);
  if (Lead < 0x80)
    return 1;
  size_t Length = Lead >= 0xF0 ? 4 : Lead >= 0xE0 ? 3 : 2;
  if (Lead < 0xC2 || Lead > 0xF4 || S.size() < Length)
    return 0;
  for (size_t I = 1; I < Length; ++I)
    if (!isContinuation(S[I]))
      return 0;
  unsigned char Second = static_cast<unsigned char>(S[1]);
  bool Overlong =
      (Lead == 0xE0 && Second < 0xA0) || (Lead == 0xF0 && Second < 0x90);
  bool Surrogate = Lead == 0xED && Second >= 0xA0;
  bool TooLarge = Lead == 0xF4 && Second >= 0x90;
  return Overlong || Surrogate || TooLarge ? 0 : Length;
}

} // namespace

Span Span::to(Span O) const {
  if (!isValid() || O.File != File)
    return isValid() ? *this : O;
  return {File, std::min(Begin, O.Begin), std::max(End, O.End)};
}

FileId SourceManager::add(std::string Name, std::string Text) {
  // Views of a text stay good when files are added: it is never held inside
  // the string itself.
  Text.reserve(sizeof(std::string));
  SourceFile F;
  F.Name = std::move(Name);
  F.Text = std::move(Text);
  F.LineStarts = lineStarts(F.Text);
  return Files.push(std::move(F));
}

std::string_view SourceManager::text(Span S) const {
  if (!S.isValid())
    return {};
  std::string_view T = Files[S.File].Text;
  size_t Begin = std::min<size_t>(S.Begin, T.size());
  size_t End = std::clamp<size_t>(S.End, Begin, T.size());
  return T.substr(Begin, End - Begin);
}

LineColumn SourceManager::lineColumn(FileId F, uint32_t Offset) const {
  const SourceFile &File = Files[F];
  Offset = std::min(Offset, static_cast<uint32_t>(File.Text.size()));
  std::vector<uint32_t>::const_iterator Next =
      std::upper_bound(File.LineStarts.begin(), File.LineStarts.end(), Offset);
  uint32_t Line = static_cast<uint32_t>(Next - File.LineStarts.begin());
  std::string_view Before = std::string_view(File.Text).substr(
      File.LineStarts[Line - 1], Offset - File.LineStarts[Line - 1]);
  if (Line == 1 && Before.starts_with(ByteOrderMark))
    Before.remove_prefix(ByteOrderMark.size());
  uint32_t Column = 1;
  for (char C : Before)
    Column += !isContinuation(C);
  return {Line, Column};
}

std::string_view SourceManager::line(FileId F, uint32_t Line) const {
  const SourceFile &File = Files[F];
  if (Line == 0 || Line > File.LineStarts.size())
    return {};
  size_t Begin = File.LineStarts[Line - 1];
  size_t End =
      Line < File.LineStarts.size() ? File.LineStarts[Line] : File.Text.size();
  std::string_view L = std::string_view(File.Text).substr(Begin, End - Begin);
  while (!L.empty() && (L.back() == '\n' || L.back() == '\r'))
    L.remove_suffix(1);
  if (Line == 1 && L.starts_with(ByteOrderMark))
    L.remove_prefix(ByteOrderMark.size());
  return L;
}

bool goldy::isValidUtf8(std::string_view Text, size_t &BadOffset) {
  for (size_t I = 0; I < Text.size();) {
    size_t Length = sequenceLength(Text.substr(I));
    if (Length == 0) {
      BadOffset = I;
      return false;
    }
    I += Length;
  }
  return true;
}
