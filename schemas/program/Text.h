//===- Text.h - Descriptions as text --------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text form (`.gdyt`) for people and tests. It begins with a line
// `#![goldy::program(3)]` or `#![goldy::template(3)]`; then the fields follow
// as `name: value`, in the order of Fields.h and with commas between. Printing
// and parsing are inverse. docs/programs.md shows the notation.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_TEXT_H
#define GOLDY_SCHEMAS_PROGRAM_TEXT_H

#include "program/Program.h"
#include "program/Template.h"

#include <string_view>

namespace goldy::program {

inline constexpr std::string_view ProgramHeader = "#![goldy::program(",
                                  TemplateHeader = "#![goldy::template(";

/// Ends with a line end.
std::string toText(const ProgramDesc &P);
std::string toText(const ProgramTemplate &T);

/// Parses; checks no rule. On failure false, `Out` is unspecified and `Why`
/// says what is wrong and where: "line 3, column 9, memory[0].bytes: …"
/// (columns in bytes, from 1). Keeps the limits of fromBytes.
bool fromText(std::string_view Text, ProgramDesc &Out, std::string &Why);
bool fromText(std::string_view Text, ProgramTemplate &Out, std::string &Why);

} // namespace goldy::program

#endif
