//===- Programs.h - Programs of an input on their way ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_PROGRAMS_H
#define GOLDYC_LIB_DRIVER_PROGRAMS_H

#include "goldyc/Driver/Pipeline.h"

namespace goldy::driver {

/// Once the module is lowered: drops the programs that the command line does
/// not select, checks the others, adds the kernels that they need. False after
/// an error.
bool preparePrograms(CompileUnit &Unit, Module &M, const DriverOptions &O,
                     DiagSink &Diags);

/// Once the definition is verified and nothing changes steps any more: the
/// templates of the unit's programs.
bool buildPrograms(CompileUnit &Unit, const SourceManager &SM, DiagSink &Diags);

/// Whether a kernel is compiled: `--kernel` and `--program` name what is, or
/// all are.
bool isSelected(const CompileUnit &Unit, FuncId Kernel, const DriverOptions &O);

/// Reports each name of `--program` that no unit has a program for.
void checkProgramNames(std::span<const CompileUnit> Units,
                       const DriverOptions &O, DiagSink &Diags);

/// True for a description as text, by suffix.
bool isProgramText(std::string_view Path);
/// Reads one; the unit's definition is an empty module.
bool runTextFrontEnd(const SourceManager &SM, CompileUnit &Unit,
                     const DriverOptions &O, DiagSink &Diags);

} // namespace goldy::driver

#endif
