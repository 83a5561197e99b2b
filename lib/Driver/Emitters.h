//===- Emitters.h - From a legal module to bytes, by kind -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_EMITTERS_H
#define GOLDYC_LIB_DRIVER_EMITTERS_H

#include "goldyc/Driver/Pipeline.h"

namespace goldy::driver {

/// Canonical Slang of a module that holds one kernel.
std::optional<std::string> canonicalSlang(const VerifiedModule &M,
                                          DiagSink &Diags);

/// Makes what the job wants for its architecture from the legal module.
bool emitForArch(const KernelJob &Job, const VerifiedModule &Legal,
                 const DriverOptions &O, KernelResult &R, DiagSink &Diags);

/// Runs the validator of the image's format over it, if there is one on this
/// machine. False with a diagnostic if it refuses.
bool validateImage(const Image &I, const std::string &Name, DiagSink &Diags);

} // namespace goldy::driver

#endif
