//===- Oracle.h - The interpreter as one of the devices of diff -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter is a program of its own, goldy-interp, which runs the
// definition of a kernel that an artifact keeps, and programs from source; it
// is started with the same arguments and leaves its results in files of a
// temporary folder.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_ORACLE_H
#define GOLDYRUN_ORACLE_H

#include "Session.h"

namespace goldyrun {

/// That --source names the source of the artifact's programs, byte for byte: an
/// artifact keeps no program as it was written.
Exit checkProgramSource(const Options &O, const Source &From);

/// Runs `O` on the interpreter; a program from its source, which was checked.
/// `Checked` is an open session of the same run on any device, which has judged
/// the arguments; `From` is what was read for it. `Out` gets what the written
/// ones hold, in the order of the parameters. Exit::Missing without the
/// program. All runs together may take the time limit of each; `Exceeded` says
/// that an error is that they took longer.
Exit runOracle(const Options &O, const Session &Checked, const Source &From,
               std::vector<goldy::npy::Array> &Out, bool &Exceeded);

} // namespace goldyrun

#endif
