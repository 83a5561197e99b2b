//===- Report.h - Where messages go ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_REPORT_H
#define GOLDYC_LIB_DRIVER_REPORT_H

#include "goldyc/Driver/Options.h"

#include <ostream>

namespace goldy::driver {

/// Prints all messages of a run in the format asked for, and in text form how
/// many there were.
void printDiagnostics(std::ostream &Err, const SourceManager &SM,
                      const DriverOptions &O,
                      const std::vector<Diagnostic> &All);

/// The exit code that the messages ask for (see Driver.def); the gravest wins.
int exitCodeOf(const std::vector<Diagnostic> &All);

/// Compares with the `//~` comments of the inputs; reports what differs
/// (G0740, G0741) into `Diags`.
void verifyDiagnostics(const SourceManager &SM,
                       const std::vector<Diagnostic> &All, DiagSink &Diags);

} // namespace goldy::driver

#endif
