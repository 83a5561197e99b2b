//===- ProgramFile.h - Files that hold a program description --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptions and templates of programs come as bytes (`.gdyp`) or as text
// (`.gdyt`); what the file begins with decides.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_PROGRAMFILE_H
#define GOLDYRUN_PROGRAMFILE_H

#include "Options.h"

#include "goldy/program.hpp"
#include "program/Template.h"

#include <variant>

namespace goldyrun {

using ProgramFile =
    std::variant<goldy::ProgramDesc, goldy::program::ProgramTemplate>;

/// Reads FILE if it holds a program; else `Out` stays empty and no more than
/// stdin, into `Stdin`, was read.
Exit readProgram(const Options &O, std::vector<unsigned char> &Stdin,
                 std::optional<ProgramFile> &Out);

/// Checks a program, on the devices of `--devices` if they are given, and
/// prints what the file holds.
Exit verifyProgram(const Options &O, const ProgramFile &P);

/// The text form.
Exit programText(const Options &O, ProgramFile &P, std::string &Out);

} // namespace goldyrun

#endif
