//===- Options.h - What a command line of goldyc asks for
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line is read once into this plain record; everything after it
// depends on the record alone. Nothing is order-sensitive, except that among
// equal options with one value the last wins.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_DRIVER_OPTIONS_H
#define GOLDYC_DRIVER_OPTIONS_H

#include "goldyc/Analysis/LaneRemarks.h"
#include "goldyc/IR/IR.h"
#include "goldyc/IR/WatchSites.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Transforms/Coarsen.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace goldy {

/// Exit codes of the tools.
enum ExitCode : int {
  ExitSuccess = 0,
  ExitInputErrors = 1,
  ExitBadUsage = 2,
  ExitInternalError = 3,
  ExitMissing = 4 ///< a needed library or device
};

enum class EmitKind : uint8_t {
  Artifact,
  Lanes,
  Slang,
  SlangEntry,
  Spirv,
  SpirvAsm,
  Ptx,
  LlvmIr,
  Asm,
  Obj,
  Header,
  CHeader,
  Embed,
  Meta,
  Ast,
  Ir,
  Report,
  ReportJson,
  Deps,
  ProgramText
};

/// What of an input a kind is made from.
enum class EmitUnit : uint8_t {
  Input,   ///< one output an input
  Program, ///< one a program
  Kernel,  ///< one a kernel
  Image    ///< one a kernel and architecture
};

struct EmitKindInfo {
  EmitKind Kind;
  std::string_view Name;   ///< for --emit
  std::string_view Suffix; ///< of the output's file
  EmitUnit Unit;
  bool ToStdout; ///< without -o and --out-dir
};
const std::vector<EmitKindInfo> &emitKinds();
const EmitKindInfo &emitKindInfo(EmitKind K);

enum class FuseMode : uint8_t {
  Auto, ///< from -O1 on
  Off,
  Report ///< as Auto, with remarks
};
enum class DiagFormat : uint8_t { Text, Json, Sarif };
enum class ColorMode : uint8_t { Auto, Always, Never };
enum class TimeReport : uint8_t { None, Text, Json };

struct DriverOptions {
  std::vector<std::string> Inputs;
  std::vector<std::string> SearchDirs; ///< -I, in order
  // Targets are architectures as in Capabilities: "x86-64-v3", "vulkan1.3",
  // "sm_80", each once, in the order asked for.
  std::vector<std::string> Archs;
  bool TargetsGiven = false;
  std::vector<EmitKind> Kinds; ///< each once
  std::string Output, OutDir;
  std::vector<std::string> Kernels, Programs;
  /// --device-map: devices for the steps of programs that name none.
  std::vector<std::string> DeviceMap;
  bool Check = false;
  std::vector<std::pair<std::string, std::string>> Defines, Specs;
  /// --bake KERNEL:PARAM=VALUE.
  struct Bake {
    std::string Kernel, Param, Value;
  };
  std::vector<Bake> Bakes;
  // Depfiles.
  bool DepsOnly = false, DepsToo = false, PhonyDeps = false;
  std::string DepFile;
  std::vector<std::string> DepTargets;
  // Compilation.
  unsigned OptLevel = 2;
  BoundsMode Bounds = BoundsMode::Checked;
  FloatMode Floats = FloatMode::Strict;
  /// --coarsen: 1, 2, 4, 8 or CoarsenByCost
  uint32_t ItemsPerThread = CoarsenByCost;
  /// Whether `coarsen` runs: the rule of cost is no matter of -O0.
  bool coarsens() const {
    return ItemsPerThread == CoarsenByCost ? OptLevel > 0 : ItemsPerThread > 1;
  }
  FuseMode Fuse = FuseMode::Auto;
  bool fuses() const {
    return Fuse != FuseMode::Off && OptLevel > 0 && !Sanitize;
  }
  /// Variants of kernels for the arguments of programs.
  bool specialises() const { return OptLevel > 0 && !Sanitize; }
  uint8_t Sanitize = 0; ///< SanitizeBits; then targets are the host's
  /// Level of the passes: copies of watched statements would be told apart by
  /// nobody, and cost the code generator much.
  unsigned passLevel() const { return Sanitize ? 0 : OptLevel; }
  bool RemarkFuse = false, RemarkSpecialise = false; ///< -R
  bool RemarkVectorise = false;
  /// -Rvectorise=TOPIC: only these; empty: all that -Rvectorise says.
  std::vector<LaneTopic> VectoriseTopics;
  bool DebugInfo = false; ///< -g
  /// --remap-path-prefix, in order.
  std::vector<std::pair<std::string, std::string>> PathPrefixes;
  bool ViaSlang = false; ///< SPIR-V and PTX through Slang's compiler
  // Diagnostics.
  WarningOptions Warnings;
  unsigned ErrorLimit = 20;
  DiagFormat Format = DiagFormat::Text;
  ColorMode Color = ColorMode::Auto;
  bool VerifyDiagnostics = false;
  // Inspection.
  std::vector<std::string> Prints, Explains;
  std::vector<std::string> PrintBefore, PrintAfter;
  bool PrintChanged = false, VerifyEach = false;
  std::string StopAfter;
  uint64_t Fuel = ~uint64_t(0);
  std::optional<std::string> SaveTemps; ///< directory, empty: the outputs'
  std::string DumpDir;
  TimeReport Times = TimeReport::None;
  // Others.
  unsigned Jobs = 0; ///< 0: one thread a core
  bool Validate = false;
  bool Version = false, VersionJson = false, Help = false;
};

/// Reads a command line without the program's name. Response files are
/// expanded here. Problems are reported (07xx); options are complete only if
/// the sink has no errors afterwards.
DriverOptions parseOptions(const std::vector<std::string> &Args,
                           DiagSink &Diags);

/// The option list for --help.
std::string optionsHelp();

/// The architectures that a target name stands for; empty if unknown.
std::vector<std::string> archsOfTarget(std::string_view Target);
/// All names for --target, with a description each.
struct TargetName {
  std::string_view Name, Doc;
};
const std::vector<TargetName> &targetNames();

bool isHostArch(std::string_view Arch);
bool isSpirvArch(std::string_view Arch);
bool isPtxArch(std::string_view Arch);

} // namespace goldy

#endif
