//===- Build.h - From the compiler's form to a description ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way of a program, in order: `checkProgram` on what the user wrote;
// `addCopyKernels`, as kernels are compiled with the others; passes that change
// steps; `placeBuffers`, for programs over several devices; `buildTemplate`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_PROGRAMDESC_BUILD_H
#define GOLDYC_PROGRAMDESC_BUILD_H

#include "goldyc/ProgramDesc/Program.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Support/Source.h"
#include "program/Template.h"

namespace goldy::prog {

/// What constants show to be wrong: copies past an end or onto themselves,
/// flags outside their buffer, too many steps (errors); temporaries that are
/// read before anything wrote them (a warning). False after an error.
bool checkProgram(const Program &P, const Module &M, DiagSink &Diags);

/// The unit in which elements of a type are copied by a kernel: 1, 2, 4 or 8
/// bytes, its alignment.
uint32_t copyUnit(const Module &M, TypeId Element);

/// Adds to the module, at most once each, the kernels for those copies of the
/// program whose count is no constant: `gpu::copy_u32` and its like.
void addCopyKernels(const Program &P, Module &M);
/// The kernel for copies in units of `Unit` bytes; invalid if it was not added.
FuncId findCopyKernel(const Module &M, uint32_t Unit);
bool isCopyKernel(const Function &F);

/// Puts the steps of a program that names no devices on devices of these names,
/// in turn; buffers stay on the first. At least one name.
void spreadOverDevices(Program &P, const std::vector<std::string> &Names);

/// Gives each buffer that steps of another device use a mirror there, and
/// copies between the two wherever the content that a step needs lies on
/// another device. Afterwards a step's buffers lie on its device, but for
/// copies of whole buffers between devices.
void placeBuffers(Program &P, const Module &M);

/// For --sanitize=uninit, before buffers are placed: adds kernels to the module
/// and to the program first steps that tell of each temporary that it is
/// undetermined.
void tellUndetermined(Program &P, Module &M);

/// The template of the program, whose buffers are placed; it keeps the rules of
/// templates. Temporaries of equal size whose lives do not meet share storage.
/// With the sources, each step's place in them is kept.
program::ProgramTemplate buildTemplate(const Program &P, const Module &M,
                                       const SourceManager *SM = nullptr);

} // namespace goldy::prog

#endif
