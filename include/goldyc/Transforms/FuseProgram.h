//===- FuseProgram.h - Fusion and variants in programs --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatches that follow one another in a list of steps, on one device, are
// fused as far as the rules of Fuse.h go: from each dispatch on, as many as
// possible. Results never change. Inputs of a program may overlap when it runs;
// where that matters the fused steps are one branch of a Choice, which stands
// around no more of the program's own steps than it must, and the steps that
// are right in any case are the other.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_FUSEPROGRAM_H
#define GOLDYC_TRANSFORMS_FUSEPROGRAM_H

#include "goldyc/ProgramDesc/Program.h"
#include "goldyc/Transforms/Fuse.h"

#include <optional>
#include <string>
#include <vector>

namespace goldy {

/// Dispatches that became one.
struct FusedRegion {
  FuncId Kernel;
  std::string Id;             ///< FusedKernel::Id
  FusionRequest Request;      ///< that made it, without MayOverlap
  std::vector<FuncId> Stages; ///< the kernels, in order
  std::vector<Span> Where;    ///< the dispatches
  /// One a parameter of the kernel: `0:scale.n 1:bias.n`; empty for the length
  /// of a temporary.
  std::vector<std::string> Origins;
  std::vector<std::string> Forwarded; ///< `1:bias.x`
  std::vector<prog::BufferId> Vanished;
  /// Only in runs in which inputs are apart, and planes fit: what a Choice asks
  /// for.
  bool NeedsApart = false, NeedsFits = false;
};

/// Dispatches that follow one another and stay apart.
struct FusionStop {
  FuncId Earlier, Later;
  FusionRejection Why; ///< its stages count from where the attempt began
};

/// A dispatch that got a variant of its kernel.
struct VariantUse {
  FuncId Kernel, Variant;
  std::string Values;                        ///< `n = 100, factor = 0.5`
  std::vector<std::optional<uint64_t>> Bits; ///< the same, by parameter
  Span Where;
};

struct ProgramReport {
  std::vector<FusedRegion> Regions;
  std::vector<FusionStop> Stops;
  std::vector<VariantUse> Variants;
};

/// Regions of one dispatch aside, changes the program's steps and adds kernels
/// to the module.
void fuseProgram(prog::Program &P, Module &M, ProgramReport &Report);

/// Dispatches with constant scalars get variants of their kernels, at most 16
/// of each kernel: those that come first. Dispatches with equal constants share
/// one.
void specialiseProgram(prog::Program &P, Module &M, ProgramReport &Report);

} // namespace goldy

#endif
