//===- Collect.cpp - Which jobs and outputs a command line means ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Collect.h"

#include "CheckReport.h"
#include "Depfile.h"
#include "Emitters.h"
#include "goldyc/Driver/Driver.h"
#include "goldyc/Frontend/Parser.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Support/Sha256.h"
#include "program/Text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

using namespace goldy;
using namespace goldy::driver;
namespace fs = std::filesystem;

namespace {

bool hasKind(const DriverOptions &O, EmitKind K) {
  return std::find(O.Kinds.begin(), O.Kinds.end(), K) != O.Kinds.end();
}

bool fits(EmitKind K, std::string_view Arch) {
  switch (K) {
  case EmitKind::Spirv:
  case EmitKind::SpirvAsm:
    return isSpirvArch(Arch);
  case EmitKind::Ptx:
    return isPtxArch(Arch);
  case EmitKind::LlvmIr:
    return isHostArch(Arch) || isPtxArch(Arch);
  default:
    return isHostArch(Arch);
  }
}

std::string_view usualArch(EmitKind K) {
  return K == EmitKind::Ptx                                ? "sm_80"
         : K == EmitKind::Spirv || K == EmitKind::SpirvAsm ? "vulkan1.3"
                                                           : "x86-64-v3";
}

bool isReport(EmitKind K) {
  return K == EmitKind::Report || K == EmitKind::ReportJson;
}

std::vector<std::string> archsOfReport(const DriverOptions &O) {
  if (O.TargetsGiven)
    return O.Archs;
  return {std::string(usualArch(EmitKind::Report))};
}

bool needsImages(const DriverOptions &O) {
  return hasKind(O, EmitKind::Artifact) || hasKind(O, EmitKind::Embed) ||
         hasKind(O, EmitKind::Meta);
}

/// What changes the result, in one order whatever the command line's was.
std::string flagsText(const DriverOptions &O) {
  std::string S = "-O" + std::to_string(O.OptLevel) + " --bounds=" +
                  (O.Bounds == BoundsMode::Checked ? "checked" : "unchecked");
  if (O.Floats == FloatMode::Fast)
    S += " --fp=fast";
  if (O.ItemsPerThread != CoarsenByCost)
    S += " --coarsen=" + std::to_string(O.ItemsPerThread);
  S += O.Fuse == FuseMode::Off ? " --fuse=off" : "";
  S += O.ViaSlang ? " --via=slang" : "";
  std::string Kinds;
  for (auto [Bit, Name] :
       {std::pair(SanitizeBounds, ",bounds"), std::pair(SanitizeRace, ",race"),
        std::pair(SanitizeUninit, ",uninit")})
    Kinds += O.Sanitize & Bit ? Name : "";
  S += Kinds.empty() ? "" : " --sanitize=" + Kinds.substr(1);
  S += O.DebugInfo ? " -g" : "";
  std::map<std::string, std::string> Defines;
  for (const std::pair<std::string, std::string> &D : O.Defines)
    Defines[D.first] = D.second;
  for (const std::pair<const std::string, std::string> &D : Defines)
    S += " -D" + D.first + "=" + D.second;
  for (const std::string &Device : O.DeviceMap)
    S += (&Device == &O.DeviceMap[0] ? " --device-map=" : ",") + Device;
  std::map<std::string, std::string> Values;
  for (const std::pair<std::string, std::string> &Spec : O.Specs)
    Values["--spec=" + Spec.first] = Spec.second;
  for (const DriverOptions::Bake &B : O.Bakes)
    Values["--bake=" + B.Kernel + ":" + B.Param] = B.Value;
  for (const std::pair<const std::string, std::string> &Value : Values)
    S += " " + Value.first + "=" + Value.second;
  return S;
}

std::string asString(const std::vector<uint8_t> &Bytes) {
  return std::string(Bytes.begin(), Bytes.end());
}

} // namespace

std::vector<std::string> driver::archsOfKind(EmitKind K, const DriverOptions &O,
                                             DiagSink &Diags) {
  if (!O.TargetsGiven)
    return {std::string(usualArch(K))};
  std::vector<std::string> Fitting;
  for (const std::string &Arch : O.Archs)
    if (fits(K, Arch))
      Fitting.push_back(Arch);
  if (Fitting.empty())
    Diags.report(diag::G0707, Span())
            .help("add a target such as `" +
                  std::string(isPtxArch(usualArch(K)) ? "ptx" : usualArch(K)) +
                  "`")
        << "`--emit=" << emitKindInfo(K).Name
        << "` is not made for any target of `--target`";
  return Fitting;
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

namespace {

class Planner {
public:
  Planner(const CompileUnit &Unit, const DriverOptions &O, DiagSink &Diags)
      : Unit(Unit), O(O) {
    if (!O.StopAfter.empty())
      planStopped();
    else if (!O.Check)
      planKinds(Diags);
    if (O.StopAfter.empty())
      planRemarks();
  }

  std::vector<KernelJob> jobs() const {
    std::vector<KernelJob> All;
    for (FuncId K : Unit.Kernels)
      for (KernelJob Job : PerKernel) {
        Job.Unit = &Unit;
        Job.Kernel = K;
        All.push_back(std::move(Job));
      }
    return All;
  }

private:
  /// What the vectoriser did is known where host code is made; where none is
  /// asked for, that much of it is done all the same.
  void planRemarks() {
    if (O.RemarkVectorise) {
      bool Host = std::any_of(
          PerKernel.begin(), PerKernel.end(),
          [](const KernelJob &Job) { return isHostArch(Job.Arch); });
      for (const std::string &Arch : O.Archs)
        if (!Host && isHostArch(Arch))
          at(Arch);
    }
    for (KernelJob &Job : PerKernel)
      Job.WantRemarks =
          isHostArch(Job.Arch) &&
          (O.RemarkVectorise ||
           std::any_of(Job.Kinds.begin(), Job.Kinds.end(), isReport));
  }

  void planKinds(DiagSink &Diags) {
    if (needsImages(O)) {
      at("");
      for (const std::string &Arch : imageArchs(Unit, O))
        at(Arch).WantImage = true;
    }
    for (EmitKind K : O.Kinds) {
      if (emitKindInfo(K).Unit == EmitUnit::Image)
        for (const std::string &Arch : archsOfKind(K, O, Diags))
          at(Arch).Kinds.push_back(K);
      else if (K == EmitKind::Slang)
        at("").Kinds.push_back(K);
      else if (K == EmitKind::SlangEntry)
        at("slang").Kinds.push_back(K);
      else if (isReport(K))
        for (const std::string &Arch : archsOfReport(O))
          at(Arch).Kinds.push_back(K);
    }
    if (hasKind(O, EmitKind::Header) || hasKind(O, EmitKind::CHeader))
      at("");
  }

  KernelJob &at(const std::string &Arch) {
    for (KernelJob &Job : PerKernel)
      if (Job.Arch == Arch)
        return Job;
    PerKernel.emplace_back();
    PerKernel.back().Arch = Arch;
    return PerKernel.back();
  }
  void planStopped() {
    bool FrontEnd = O.StopAfter == "parse" || O.StopAfter == "lower" ||
                    O.StopAfter == "verify";
    if (FrontEnd)
      return;
    if (!O.TargetsGiven)
      at("x86-64-v3");
    else
      for (const std::string &Arch : O.Archs)
        at(Arch);
  }

  const CompileUnit &Unit;
  const DriverOptions &O;
  std::vector<KernelJob> PerKernel;
};

} // namespace

std::vector<KernelJob> driver::planJobs(const CompileUnit &Unit,
                                        const DriverOptions &O,
                                        DiagSink &Diags) {
  return Planner(Unit, O, Diags).jobs();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

std::string UnitCollector::inDirectory(const std::string &Name) const {
  return O.OutDir.empty() ? Name : (fs::path(O.OutDir) / Name).string();
}

bool UnitCollector::severalArchs(EmitKind K) const {
  std::vector<std::string_view> Archs;
  for (const KernelJob &Job : Jobs)
    if (std::find(Job.Kinds.begin(), Job.Kinds.end(), K) != Job.Kinds.end() &&
        std::find(Archs.begin(), Archs.end(), Job.Arch) == Archs.end())
      Archs.push_back(Job.Arch);
  return Archs.size() > 1;
}

std::string UnitCollector::destination(const EmitKindInfo &Info,
                                       const std::string &Kernel,
                                       const std::string &Arch) const {
  if (!O.Output.empty())
    return O.Output;
  if (Info.ToStdout && O.OutDir.empty())
    return "-";
  std::string Name = Unit.Stem;
  if (!Kernel.empty() && Unit.Kernels.size() > 1)
    Name += "." + fileStemOf(Kernel);
  if (!Arch.empty() && severalArchs(Info.Kind))
    Name += "." + Arch;
  return inDirectory(Name + "." + std::string(Info.Suffix));
}

std::vector<uint8_t> UnitCollector::artifact() {
  return writeArtifact(artifactInput());
}

/// What the file says of a site's place.
static void setPlace(const SourceManager &SM, SitePlace &Site) {
  Site.File = "?";
  if (!Site.Loc.isValid())
    return;
  LineColumn At = SM.lineColumn(Site.Loc.File, Site.Loc.Begin);
  Site.File = SM.file(Site.Loc.File).Name;
  Site.Line = At.Line;
  Site.Column = At.Column;
  Site.Text = SM.line(Site.Loc.File, At.Line);
}

ArtifactInput UnitCollector::artifactInput() {
  ArtifactInput In;
  In.Definition = &**Unit.Definition;
  In.Programs = Unit.Templates;
  for (FuncId K : Unit.Kernels) {
    KernelRecord Record;
    Record.Kernel = K;
    Record.SpecsFixed = O.ViaSlang;
    Record.Internal = K >= Unit.FirstInternal;
    Record.FusionId = Unit.FusedKernels[K].Id;
    Record.Origins = Unit.FusedKernels[K].Origins;
    for (size_t I = 0; I < Jobs.size(); ++I) {
      if (Jobs[I].Kernel != K)
        continue;
      const KernelResult &R = Results[I];
      if (Jobs[I].Arch.empty()) {
        Record.DefinitionText = R.DefinitionText;
        Record.CanonicalSlang = R.CanonicalSlang;
        Record.UniformRead = R.UniformRead;
        Record.Dependence = R.Dependence;
        Record.Baked = Unit.Baked[K];
      } else if (Jobs[I].WantImage && R.Code) {
        Record.Images.push_back(*R.Code);
        for (WatchSite &Site : Record.Images.back().Sites) {
          setPlace(SM, Site);
          for (SitePlace &Call : Site.Calls)
            setPlace(SM, Call);
        }
      }
    }
    In.Kernels.push_back(std::move(Record));
  }
  In.Sources.push_back({Unit.Path == "-"
                            ? std::string("<stdin>")
                            : fs::path(Unit.Path).filename().string(),
                        Sha256::of(SM.file(Unit.File).Text)});
  for (FileId File : Unit.moduleFiles())
    In.Sources.push_back({fs::path(SM.file(File).Name).filename().string(),
                          Sha256::of(SM.file(File).Text)});
  if (Unit.Opaque)
    addSourcesRead(In);
  In.CompilerVersion = compilerVersion();
  In.Flags = flagsText(O);
  In.Fp = (*Unit.Definition)->Floats == FloatMode::Fast ? FpMode::Fast
                                                        : FpMode::Strict;
  return In;
}

/// What the other compiler read by itself.
void UnitCollector::addSourcesRead(ArtifactInput &In) const {
  for (const std::string &Name : Unit.Opaque->FilesRead) {
    std::ifstream File(Name, std::ios::binary);
    std::string Text{std::istreambuf_iterator<char>(File), {}};
    In.Sources.push_back(
        {fs::path(Name).filename().string(), Sha256::of(Text)});
  }
}

/// Programs are no part of IR text: they stand behind it as comments.
std::string UnitCollector::irText() const {
  const Module &M = **Unit.Definition;
  std::string Text = O.Kernels.empty() || Unit.Kernels.size() != 1
                         ? moduleText(M)
                         : moduleText(extractKernel(M, Unit.Kernels[0]));
  for (const prog::Program &P : Unit.Programs) {
    std::istringstream Lines(prog::programText(P, M));
    Text += '\n';
    for (std::string Line; std::getline(Lines, Line);)
      Text += "// " + Line + '\n';
  }
  return Text;
}

std::string UnitCollector::inputText(EmitKind K) {
  switch (K) {
  case EmitKind::Artifact:
    return asString(artifact());
  case EmitKind::Embed: {
    std::vector<uint8_t> Bytes = artifact();
    return embedC(Bytes, identifierFrom(Unit.Stem) + "_gdy");
  }
  case EmitKind::Header:
    return cppHeader(artifactInput(), Unit.Stem);
  case EmitKind::CHeader:
    return cHeader(artifactInput(), Unit.Stem);
  case EmitKind::Meta:
    return metaJson(artifactInput());
  case EmitKind::Report:
  case EmitKind::ReportJson:
    return reportText(K);
  case EmitKind::Ast: {
    std::ostringstream Out;
    if (Unit.Tree)
      printAst(Out, *Unit.Tree);
    return Out.str();
  }
  default:
    return irText();
  }
}

std::string UnitCollector::reportText(EmitKind K) const {
  std::vector<KernelChecks> Kernels;
  for (size_t I = 0; I < Jobs.size(); ++I)
    if (std::find(Jobs[I].Kinds.begin(), Jobs[I].Kinds.end(), K) !=
        Jobs[I].Kinds.end())
      Kernels.push_back({(*Unit.Definition)->Functions[Jobs[I].Kernel].Name,
                         Jobs[I].Arch, &Results[I].Bounds,
                         &Results[I].Coarsening,
                         Results[I].Lanes ? &*Results[I].Lanes : nullptr});
  ProgramNotes Programs{Unit.FuseRemarks, Unit.VariantRemarks};
  return K == EmitKind::Report
             ? checkReportHtml(SM, Unit.Stem, Kernels, Programs)
             : checkReportJson(SM, Kernels, Programs);
}

void UnitCollector::collectKind(EmitKind K, OutputSet &Out) {
  const EmitKindInfo &Info = emitKindInfo(K);
  auto Add = [&](const std::string &Kernel, const std::string &Arch,
                 std::string Bytes) {
    Made.push_back(destination(Info, Kernel, Arch));
    Out.add(Made.back(), std::move(Bytes));
  };
  if (Info.Unit == EmitUnit::Input)
    return Add("", "", inputText(K));
  if (Info.Unit == EmitUnit::Program)
    return collectPrograms(Out);
  for (size_t I = 0; I < Jobs.size(); ++I)
    for (const Product &P : Results[I].Products)
      if (P.Kind == K)
        Add((*Unit.Definition)->Functions[Jobs[I].Kernel].Name, Jobs[I].Arch,
            P.Bytes);
}

/// One file a program: `sort.gdyt`, or `sort.NAME.gdyt` if there are several.
void UnitCollector::collectPrograms(OutputSet &Out) {
  const EmitKindInfo &Info = emitKindInfo(EmitKind::ProgramText);
  auto Add = [&](const std::string &Name, std::string Text) {
    bool Standard = O.Output.empty() && O.OutDir.empty();
    Made.push_back(!O.Output.empty() ? O.Output
                   : Standard        ? "-"
                                     : inDirectory(Unit.Stem + Name + "." +
                                                   std::string(Info.Suffix)));
    Out.add(Made.back(), std::move(Text));
  };
  if (Unit.Text)
    return Add("", *Unit.Text);
  for (const program::ProgramTemplate &T : Unit.Templates)
    Add(Unit.Templates.size() > 1 ? "." + fileStemOf(T.Name) : "",
        program::toText(T));
}

/// --stop-after: the phase's result, on standard output unless named.
void UnitCollector::collectStopped(OutputSet &Out) {
  std::string Text;
  if (O.StopAfter == "parse")
    Text = inputText(EmitKind::Ast);
  else if (O.StopAfter == "lower")
    Text = Unit.LoweredText;
  else if (O.StopAfter == "verify")
    Text = irText();
  for (const KernelResult &R : Results)
    Text += R.Stopped;
  Out.add(O.Output.empty() ? "-" : O.Output, std::move(Text));
}

void UnitCollector::collectTemps(OutputSet &Out) {
  if (!O.SaveTemps)
    return;
  fs::path Dir = !O.SaveTemps->empty() ? fs::path(*O.SaveTemps)
                 : !O.OutDir.empty()   ? fs::path(O.OutDir)
                 : O.Output.empty() || O.Output == "-"
                     ? fs::path()
                     : fs::path(O.Output).parent_path();
  for (const KernelResult &R : Results)
    for (const DumpFile &F : R.Temps)
      Out.add((Dir / F.Name).string(), F.Bytes);
}

/// The make rule of this unit: beside the output, or into the shared file.
void UnitCollector::collectDeps(OutputSet &Out, std::string &SharedDeps) {
  bool Kind = hasKind(O, EmitKind::Deps);
  if (!O.DepsOnly && !O.DepsToo && !Kind)
    return;
  std::vector<std::string> Targets = O.DepTargets;
  if (Targets.empty() && !O.DepsOnly)
    for (const std::string &Name : Made)
      if (Name != "-")
        Targets.push_back(Name);
  if (Targets.empty())
    Targets.push_back(inDirectory(Unit.Stem + ".gdy"));
  std::vector<std::string> Read;
  if (Unit.Path != "-")
    Read.push_back(Unit.Path);
  if (Unit.Opaque)
    Read.insert(Read.end(), Unit.Opaque->FilesRead.begin(),
                Unit.Opaque->FilesRead.end());
  for (FileId File : Unit.moduleFiles())
    Read.push_back(SM.file(File).Name);
  std::string Rule =
      makeRule(Targets, Read, O.PhonyDeps, !O.DepTargets.empty());
  if (!O.DepFile.empty()) {
    SharedDeps += Rule;
    return;
  }
  if (O.DepsOnly || Kind) {
    Out.add(O.DepsOnly || O.Kinds.size() == 1
                ? destination(emitKindInfo(EmitKind::Deps), "", "")
                : inDirectory(Unit.Stem + ".d"),
            std::move(Rule));
    return;
  }
  fs::path Name = O.Output.empty() || O.Output == "-"
                      ? fs::path(inDirectory(Unit.Stem + ".gdy"))
                      : fs::path(O.Output);
  Out.add(Name.replace_extension(".d").string(), std::move(Rule));
}

void UnitCollector::collect(OutputSet &Out, std::string &SharedDeps) {
  if (!O.StopAfter.empty())
    return collectStopped(Out);
  if (!O.Check && !O.DepsOnly && !O.VerifyDiagnostics) {
    for (EmitKind K : O.Kinds)
      if (K != EmitKind::Deps)
        collectKind(K, Out);
    collectTemps(Out);
  }
  if (!O.VerifyDiagnostics)
    collectDeps(Out, SharedDeps);
}
