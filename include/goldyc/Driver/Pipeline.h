//===- Pipeline.h - The stages of a compilation, in order
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two steps. `runFrontEnd` takes one input to its verified definition.
// `runKernelJob` takes one kernel of it to one architecture and gives what was
// asked for there. Jobs share nothing but the definition, which they only
// read, so they may run on any threads in any order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_DRIVER_PIPELINE_H
#define GOLDYC_DRIVER_PIPELINE_H

#include "goldyc/Analysis/LaneRemarks.h"
#include "goldyc/Analysis/ParamIndices.h"
#include "goldyc/Driver/Options.h"
#include "goldyc/Foreign/Opaque.h"
#include "goldyc/Frontend/Ast.h"
#include "goldyc/ProgramDesc/Program.h"
#include "goldyc/Target/Target.h"
#include "goldyc/Transforms/BoundsReport.h"
#include "goldyc/Transforms/Coarsen.h"
#include "goldyc/Transforms/Fuse.h"
#include "goldyc/Verify/Verify.h"

#include "program/Template.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

/// A stage and why it stands where it does. `Freezes`: what holds from here
/// to the end, or empty.
struct Stage {
  std::string_view Name, Why, Freezes;
};
std::span<const Stage> pipelineStages();

/// Time spent, by stage or pass, in order of first use.
struct StageTimes {
  struct Entry {
    std::string Name;
    double Seconds = 0;
    uint64_t Runs = 0;
  };
  std::vector<Entry> Entries;
  void add(std::string_view Name, double Seconds, uint64_t Runs = 1);
  void add(const StageTimes &Other);
};

/// One input on its way.
struct CompileUnit {
  std::string Path; ///< as on the command line, "-" for standard input
  std::string Stem; ///< base name without suffix, "stdin" for "-"
  FileId File;
  const SourceManager *Sources = nullptr; ///< that `File` is in
  std::optional<ast::Ast> Tree;           ///< none for IR text
  std::string LoweredText;                ///< --stop-after=lower: IR text
  /// Of a file in another language: the definition has parameters only.
  std::optional<OpaqueUnit> Opaque;
  std::optional<VerifiedModule> Definition;
  /// -g: the definition with every variable in a slot, and their names.
  std::optional<Module> WithNames;
  NameTable Names;
  std::vector<FuncId> Kernels;           ///< those selected, in source order
  std::vector<std::string> ProgramNames; ///< all of the file
  std::vector<prog::Program> Programs;   ///< those selected
  std::vector<program::ProgramTemplate> Templates; ///< of `Programs`
  std::optional<std::string> Text; ///< of a description, as it is printed
  /// --bake, per kernel and parameter.
  SideMap<Function, std::vector<std::optional<uint64_t>>> Baked;
  /// What became of the steps of programs, for -R and reports.
  std::vector<Diagnostic> FuseRemarks, VariantRemarks;
  /// Of fused kernels, for artifacts.
  struct Fused {
    std::string Id;
    std::vector<std::string> Origins; ///< by parameter
  };
  SideMap<Function, Fused> FusedKernels;
  /// How a kernel was made for a program, for -g.
  struct MadeFrom {
    FuncId Original; ///< that was copied; invalid: `Stages` were fused
    std::vector<std::optional<uint64_t>> Values; ///< baked, by parameter
    FusionRequest Stages;
  };
  SideMap<Function, MadeFrom> Made;
  /// Functions from here on were made for programs: copies, fused ones,
  /// variants.
  FuncId FirstInternal;
  StageTimes Times;
  /// The files that `mod` items led to, each once, as they were first named.
  std::vector<FileId> moduleFiles() const;
};

/// The kernel's name in names of files: `blur.rows` for `blur::rows`.
std::string fileStemOf(std::string_view Kernel);

/// Parses, lowers and verifies; files of modules are added to `SM`. False if
/// there were errors (in `Diags`) or `StopAfter` ended the way before the
/// definition.
bool runFrontEnd(SourceManager &SM, CompileUnit &Unit, const DriverOptions &O,
                 DiagSink &Diags);

/// True for inputs whose kernels another compiler must compile, by suffix.
bool isOpaqueInput(std::string_view Path);
/// The same for those: their kernels are compiled here to SPIR-V, as only that
/// compiler can say whether they are right. Files that its messages name are
/// added to `SM`.
bool runOpaqueFrontEnd(SourceManager &SM, CompileUnit &Unit,
                       const DriverOptions &O, DiagSink &Diags);

/// One kernel for one architecture, "slang" (the bit-exact Slang text) or ""
/// (what comes from the definition itself).
struct KernelJob {
  const CompileUnit *Unit = nullptr;
  FuncId Kernel;
  std::string Arch;
  std::vector<EmitKind> Kinds; ///< per-kernel and per-image kinds wanted here
  bool WantImage = false;      ///< for an artifact or its description
  bool WantRemarks = false;    ///< of the vectoriser
};

/// A text or binary that a job made besides its image.
struct Product {
  EmitKind Kind = EmitKind::Ir;
  std::string Bytes;
};
/// A file for --dump-dir or --save-temps: name without directory.
struct DumpFile {
  std::string Name, Bytes;
};
struct KernelResult {
  bool Good = false;
  std::optional<Image> Code;
  std::vector<Product> Products;
  std::string Stopped;                  ///< --stop-after a pass: IR text
  std::string DefinitionText;           ///< Arch ""
  std::string CanonicalSlang;           ///< Arch ""
  std::vector<bool> UniformRead;        ///< Arch ""
  std::vector<ParamIndices> Dependence; ///< Arch ""
  std::string Printed;                  ///< --print-before, -after, -changed
  std::vector<DumpFile> Dumps, Temps;
  std::vector<Diagnostic> Diagnostics;
  BoundsReport Bounds; ///< Report, ReportJson
  CoarsenReport Coarsening;
  std::optional<LaneReport> Lanes; ///< WantRemarks, of host architectures
  StageTimes Times;
};
KernelResult runKernelJob(const KernelJob &Job, const DriverOptions &O);

} // namespace goldy

#endif
