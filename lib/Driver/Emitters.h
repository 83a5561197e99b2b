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

/// --via=slang, and the job's architecture is one that Slang's compiler has.
bool goesThroughSlang(const KernelJob &Job, const DriverOptions &O);

/// Makes what the job wants for its architecture from the legal module.
bool emitForArch(const KernelJob &Job, const VerifiedModule &Legal,
                 const DriverOptions &O, KernelResult &R, DiagSink &Diags);

/// Makes the code of one work-item beside the image in `R`, for -g.
bool emitItem(const KernelJob &Job, const VerifiedModule &Legal,
              const DriverOptions &O, KernelResult &R, DiagSink &Diags);

/// Runs the validator of the image's format over it, if there is one on this
/// machine. False with a diagnostic if it refuses.
bool validateImage(const Image &I, const std::string &Name, DiagSink &Diags);

/// Refuses kinds and phases that need a definition.
bool checkOpaqueKinds(const CompileUnit &Unit, const DriverOptions &O,
                      DiagSink &Diags);
/// What a job of an opaque kernel makes.
bool emitOpaque(const KernelJob &Job, const DriverOptions &O, KernelResult &R,
                DiagSink &Diags);
/// The architectures that images are made for: those of --target; without it
/// an opaque kernel has the one that all its forms have.
std::vector<std::string> imageArchs(const CompileUnit &Unit,
                                    const DriverOptions &O);

} // namespace goldy::driver

#endif
