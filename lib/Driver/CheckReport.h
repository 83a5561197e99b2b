//===- CheckReport.h - --emit=report: which accesses are checked ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_CHECKREPORT_H
#define GOLDYC_LIB_DRIVER_CHECKREPORT_H

#include "goldyc/Analysis/LaneRemarks.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Support/Source.h"
#include "goldyc/Transforms/BoundsReport.h"
#include "goldyc/Transforms/Coarsen.h"

#include <span>
#include <string>
#include <vector>

namespace goldy::driver {

/// What became of one kernel for one architecture.
struct KernelChecks {
  std::string Kernel, Arch;
  const BoundsReport *Report = nullptr;
  const CoarsenReport *Coarsening = nullptr;
  const LaneReport *Lanes = nullptr; ///< host architectures
};

/// What became of the steps of a unit's programs.
struct ProgramNotes {
  std::span<const Diagnostic> Fusion, Variants;
};

/// A page of its own, all styles inside.
std::string checkReportHtml(const SourceManager &SM, const std::string &Title,
                            const std::vector<KernelChecks> &Kernels,
                            const ProgramNotes &Programs);
/// An array of objects: kernel, arch, lanes, accesses, assumptions; then, a
/// place of a program each, remarks. Fields as in docs/Bounds.md and
/// docs/Lanes.md.
std::string checkReportJson(const SourceManager &SM,
                            const std::vector<KernelChecks> &Kernels,
                            const ProgramNotes &Programs);

} // namespace goldy::driver

#endif
