//===- Collect.h - Which jobs and outputs a command line means ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between the front end and the emitters: from kinds, targets and kernels to a
// list of jobs, and from the jobs' results to named outputs in a fixed order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_COLLECT_H
#define GOLDYC_LIB_DRIVER_COLLECT_H

#include "Output.h"
#include "goldyc/Artifact/Writer.h"
#include "goldyc/Driver/Pipeline.h"

namespace goldy::driver {

/// The architectures that a per-image kind is made for. Empty with G0707 if
/// --target asks for none that fit.
std::vector<std::string> archsOfKind(EmitKind K, const DriverOptions &O,
                                     DiagSink &Diags);

/// All jobs of a unit, kernel by kernel. Empty for kinds that need none.
std::vector<KernelJob> planJobs(const CompileUnit &Unit, const DriverOptions &O,
                                DiagSink &Diags);

/// Outputs of one unit from its results (in the order of `planJobs`).
class UnitCollector {
public:
  UnitCollector(const SourceManager &SM, const CompileUnit &Unit,
                const DriverOptions &O, std::span<const KernelJob> Jobs,
                std::span<KernelResult> Results)
      : SM(SM), Unit(Unit), O(O), Jobs(Jobs), Results(Results) {}
  /// Adds all outputs, make rules and kept intermediates.
  void collect(OutputSet &Out, std::string &SharedDeps);

private:
  std::string inDirectory(const std::string &Name) const;
  std::string destination(const EmitKindInfo &Info, const std::string &Kernel,
                          const std::string &Arch) const;
  void collectKind(EmitKind K, OutputSet &Out);
  void collectPrograms(OutputSet &Out);
  std::string inputText(EmitKind K);
  std::string irText() const;
  std::string reportText(EmitKind K) const;
  ArtifactInput artifactInput();
  void addSourcesRead(ArtifactInput &In) const;
  std::vector<uint8_t> artifact();
  void collectStopped(OutputSet &Out);
  void collectDeps(OutputSet &Out, std::string &SharedDeps);
  void collectTemps(OutputSet &Out);
  bool severalArchs(EmitKind K) const;

  const SourceManager &SM;
  const CompileUnit &Unit;
  const DriverOptions &O;
  std::span<const KernelJob> Jobs;
  std::span<KernelResult> Results;
  std::vector<std::string> Made; ///< names of this unit's outputs
};

} // namespace goldy::driver

#endif
