//===- Bytes.h - Descriptions as bytes ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format, version 3. Four bytes of mark, `GDYP` for a description and
// `GDYT` for a template, four of version, little-endian, then the fields in the
// order of Fields.h:
//
//   number       7 bits a byte, low ones first, the top bit set on all but the
//                last byte, of (x << 1) ^ (x >> 63); the shortest form
//   text, bytes  their count, as 7-bit bytes without the sign, then they
//   list         the count of elements, likewise, then they
//   array        its elements
//   enumeration  one byte, the number
//   sum          one byte, the alternative's number, then its fields
//   Value        a sum of five: Fixed, Int, and in place of Leaf with its
//                alternatives these as 2 to 5
//   optional     one byte, 0 or 1, then the value if 1
//
// Nothing may follow. Each description has one form only: equal descriptions
// are equal bytes, and other bytes are other descriptions or none.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_BYTES_H
#define GOLDY_SCHEMAS_PROGRAM_BYTES_H

#include "program/Program.h"
#include "program/Template.h"

#include <string_view>

namespace goldy::program {

inline constexpr uint32_t FormatVersion = 3;
inline constexpr std::string_view ProgramMark = "GDYP", TemplateMark = "GDYT";

/// Numbers are of 63 bits, and loops nest at most MaxDecodedNesting deep.
std::string toBytes(const ProgramDesc &P);
std::string toBytes(const ProgramTemplate &T);

/// Decodes; checks no rule. On failure false, `Out` is unspecified and `Why`
/// says what is wrong and where: "byte 40, steps[2].body[0].device: …". Takes
/// time and memory in proportion to `Bytes`; a list longer than the bytes that
/// follow is refused at its count.
bool fromBytes(std::string_view Bytes, ProgramDesc &Out, std::string &Why);
bool fromBytes(std::string_view Bytes, ProgramTemplate &Out, std::string &Why);

/// Elements of all lists of a description that the readers take, a limit of
/// memory.
inline constexpr uint64_t MaxElements = uint64_t(1) << 24;

/// Deeper loops are refused by both readers, so no walk over a description runs
/// out of stack. One more than the rules allow.
inline constexpr unsigned MaxDecodedNesting = 17;

} // namespace goldy::program

#endif
