//===- Print.cpp - --print, --explain, --version --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All lists come from the tables that the compiler itself works with.
//
//===----------------------------------------------------------------------===//
#include "Print.h"

#include "goldyc/Artifact/Writer.h"
#include "goldyc/Driver/Driver.h"
#include "goldyc/Driver/Pipeline.h"
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Target/Slang/Emit.h"
#include "goldyc/Transforms/Pass.h"

#include <algorithm>
#include <fmt/ostream.h>

using namespace goldy;

namespace {

void printTargets(std::ostream &Out) {
  for (const TargetName &T : targetNames())
    fmt::print(Out, "{:<12} {}\n", T.Name, T.Doc);
}

void printPasses(std::ostream &Out) {
  for (const PassEntry &P : allPasses())
    fmt::print(Out, "{:<18} {}\n", P.Name, P.Doc);
}

void printPipeline(std::ostream &Out, const DriverOptions &O) {
  for (const Stage &S : pipelineStages()) {
    fmt::print(Out, "{}: {}\n", S.Name, S.Why);
    if (!S.Freezes.empty())
      fmt::print(Out, "  from here on: {}\n", S.Freezes);
    if (S.Name != "passes")
      continue;
    for (const std::string &Arch : O.Archs) {
      fmt::print(Out, "  {}:", Arch);
      for (std::string_view P :
           legalisationPasses(*capabilitiesFor(Arch), O.passLevel(),
                              O.coarsens(), O.Sanitize != 0))
        fmt::print(Out, " {}", P);
      fmt::print(Out, "\n");
    }
  }
}

void printWarnings(std::ostream &Out) {
  std::vector<std::pair<std::string_view, std::string_view>> Names;
  for (const DiagInfo &I : allDiagInfos())
    if (!I.Name.empty())
      Names.emplace_back(I.Name, I.Title);
  std::sort(Names.begin(), Names.end());
  for (const std::pair<std::string_view, std::string_view> &N : Names)
    fmt::print(Out, "{:<20} {}\n", N.first, N.second);
}

void printOps(std::ostream &Out) {
  static constexpr std::string_view Effects[] = {"leaf",  "pure", "read",
                                                 "write", "sync", "control"};
  static constexpr std::string_view Rules[] = {
      "same-arith", "same-int", "same-bits", "same-float",
      "compare",    "shift",    "special"};
  for (unsigned I = 0; I < NumOps; ++I) {
    const OpInfo &Op = opInfo(static_cast<goldy::Op>(I));
    fmt::print(Out, "{:<22} {:<24} {:<8} {:<10} {}\n", Op.Name, Op.Mnemonic,
               Effects[static_cast<unsigned>(Op.Effects)],
               Rules[static_cast<unsigned>(Op.Rule)], Op.Doc);
  }
}

void printLimits(std::ostream &Out, const DriverOptions &O) {
  fmt::print(Out, "nesting of expressions, blocks and types: {}\n", MaxNesting);
  fmt::print(Out, "work-items of a group: 1024, at most 64 in z\n");
  for (const std::string &Arch : O.Archs)
    fmt::print(Out, "workgroup memory on {}: {} bytes\n", Arch,
               capabilitiesFor(Arch)->MaxWorkgroupBytes);
  fmt::print(Out, "input: less than 4 GiB\n");
}

void printOne(const std::string &What, const DriverOptions &O,
              std::ostream &Out) {
  if (What == "targets")
    printTargets(Out);
  else if (What == "passes")
    printPasses(Out);
  else if (What == "pipeline")
    printPipeline(Out, O);
  else if (What == "warnings")
    printWarnings(Out);
  else if (What == "ops")
    printOps(Out);
  else if (What == "slang")
    Out << goldySlangText();
  else
    printLimits(Out, O);
}

void explain(const std::string &Text, std::ostream &Out, DiagSink &Diags) {
  std::vector<std::string> Names;
  for (const DiagInfo &I : allDiagInfos()) {
    Names.push_back(diagCodeName(I.Code));
    if (Names.back() != Text)
      continue;
    fmt::print(Out, "{}: {}\n\n{}\n", Text, I.Title, I.Explain);
    if (!I.Name.empty())
      fmt::print(Out,
                 "\nThis is a warning: -Wno-{0} turns it off, -Werror={0} "
                 "makes it an error.\n",
                 I.Name);
    return;
  }
  Diags.report(diag::G0713, Span()).help("codes look like `G0412`")
      << "there is no code `" << Text << "`";
}

void printVersion(const DriverOptions &O, std::ostream &Out) {
  if (!O.VersionJson) {
    fmt::print(Out, "goldyc {}\nartifact format {}, kernel ABI {}\n",
               compilerVersion(), ArtifactFormatVersion, KernelAbiVersion);
    return;
  }
  fmt::print(Out,
             "{{\"name\": \"goldyc\", \"version\": \"{}\", "
             "\"artifact_format\": {}, \"kernel_abi\": {}}}\n",
             compilerVersion(), ArtifactFormatVersion, KernelAbiVersion);
}

} // namespace

bool driver::answerQuestions(const DriverOptions &O, std::ostream &Out,
                             DiagSink &Diags) {
  if (O.Help)
    Out << optionsHelp();
  if (O.Version)
    printVersion(O, Out);
  for (const std::string &Code : O.Explains)
    explain(Code, Out, Diags);
  for (const std::string &What : O.Prints)
    printOne(What, O, Out);
  return O.Help || O.Version || !O.Explains.empty() || !O.Prints.empty();
}
