//===- Driver.cpp - One command line from start to exit code --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs are read and taken through the front end in order. Then all jobs of
// all inputs run on the threads of -j, each with a sink of its own; their
// messages are merged in the order of the plan, so the number of threads never
// shows. Outputs are written last, all or none.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Driver/Driver.h"

#include "Collect.h"
#include "Emitters.h"
#include "Input.h"
#include "Jobs.h"
#include "Output.h"
#include "Print.h"
#include "Programs.h"
#include "Remarks.h"
#include "Report.h"
#include "Values.h"
#include "goldyc/Analysis/Structure.h"
#include "goldyc/Driver/Pipeline.h"

#include <algorithm>
#include <filesystem>
#include <fmt/ostream.h>
#include <tuple>

using namespace goldy;
using namespace goldy::driver;
namespace fs = std::filesystem;

std::string_view goldy::compilerVersion() { return GOLDY_VERSION; }

namespace {

/// Refuses inputs that are no kernel sources, by suffix.
bool checkSuffix(const std::string &Path, DiagSink &Diags) {
  std::string Suffix = fs::path(Path).extension().string();
  std::error_code Unknown; // what cannot be looked at is read, and told then
  if (Path == "-" || Suffix == ".goldy" || isOpaqueInput(Path) ||
      isProgramText(Path) || fs::is_directory(Path, Unknown))
    return true;
  for (std::string_view Later : {".tosa", ".gdy"})
    if (Suffix == Later)
      return Diags.report(diag::G0702, Span())
             << "input `" << Path << "`: files of kind `" << Later
             << "` are not supported yet";
  return Diags.report(diag::G0708, Span())
             .help("kernel files end in `.goldy`, `.slang` or `.comp`")
         << "input `" << Path << "` has no known suffix";
}

class Compilation {
public:
  Compilation(const DriverOptions &O, std::ostream &Out, std::ostream &Err)
      : O(O), Out(Out), Err(Err), Diags(O.Warnings, O.ErrorLimit) {}
  int run();

private:
  void readInputs();
  void runFrontEnds();
  void merge(const std::vector<Diagnostic> &More) {
    for (const Diagnostic &D : More)
      Diags.deliver(D);
  }
  void mergeSorted(const std::vector<Diagnostic> &More);
  bool needsKernels() const;
  void checkKernels();

  void runKernelJobs();
  void writeDumps();
  void collect(OutputSet &Outputs);
  void writeOutputs();
  void printTimes();
  int finish();

  const DriverOptions &O;
  std::ostream &Out, &Err;
  DiagSink Diags;
  SourceManager SM;
  std::vector<CompileUnit> Units;
  std::vector<KernelJob> Jobs;
  std::vector<size_t> FirstJob; ///< of each unit, and the end
  std::vector<KernelResult> Results;
};

void Compilation::readInputs() {
  bool StdinRead = false;
  for (const std::string &Path : O.Inputs) {
    if (!checkSuffix(Path, Diags))
      continue;
    if (Path == "-" && std::exchange(StdinRead, true)) {
      Diags.report(diag::G0712, Span()).help("name it once")
          << "standard input `-` is named twice";
      continue;
    }
    std::optional<std::string> Text = readInput(Path, Diags);
    if (!Text)
      continue;
    CompileUnit Unit;
    Unit.Path = Path;
    Unit.Stem = Path == "-" ? "stdin" : fs::path(Path).stem().string();
    Unit.File = SM.add(Path == "-" ? "<stdin>" : Path, std::move(*Text));
    Units.push_back(std::move(Unit));
  }
}

/// In the order of the text, whichever stage found them.
void Compilation::mergeSorted(const std::vector<Diagnostic> &More) {
  std::vector<std::tuple<uint32_t, uint32_t, size_t>> Order;
  for (size_t I = 0; I < More.size(); ++I) {
    const Span &Where = More[I].Where;
    Order.emplace_back(Where.isValid() ? Where.File.index() + 1 : 0,
                       Where.Begin, I);
  }
  std::sort(Order.begin(), Order.end());
  for (const std::tuple<uint32_t, uint32_t, size_t> &Next : Order)
    Diags.deliver(More[std::get<2>(Next)]);
}

void Compilation::runFrontEnds() {
  for (CompileUnit &Unit : Units) {
    DiagSink Own(O.Warnings, O.ErrorLimit);
    if (isOpaqueInput(Unit.Path))
      runOpaqueFrontEnd(SM, Unit, O, Own);
    else if (isProgramText(Unit.Path))
      runTextFrontEnd(SM, Unit, O, Own);
    else
      runFrontEnd(SM, Unit, O, Own);
    mergeSorted(Own.diagnostics());
    if (Diags.atLimit())
      return;
  }
}

bool Compilation::needsKernels() const {
  bool FrontEndOnly = (O.Check && !O.RemarkVectorise) || O.DepsOnly ||
                      O.VerifyDiagnostics || O.StopAfter == "parse" ||
                      O.StopAfter == "lower" || O.StopAfter == "verify";
  return !FrontEndOnly &&
         std::any_of(O.Kinds.begin(), O.Kinds.end(), [](EmitKind K) {
           return K != EmitKind::Ast && K != EmitKind::Ir &&
                  K != EmitKind::Deps && K != EmitKind::ProgramText;
         });
}

/// Expanded or legalised: only the passes of that target know what follows.
static bool ofOneTarget(const Module &M) {
  bool Found = M.Level == IRLevel::Legal;
  for (const Function &F : M.Functions)
    forEachInst(F,
                [&](InstId I) { Found |= exchangesLanes(F.Insts[I].Opcode); });
  return Found;
}

void Compilation::checkKernels() {
  for (const CompileUnit &Unit : Units)
    if (Unit.Opaque)
      checkOpaqueKinds(Unit, O, Diags);
  std::vector<std::string> Known;
  for (const CompileUnit &Unit : Units)
    for (FuncId K : (*Unit.Definition)->kernels())
      Known.push_back((*Unit.Definition)->Functions[K].Name);
  for (const std::string &Name : O.Kernels) {
    if (std::find(Known.begin(), Known.end(), Name) != Known.end())
      continue;
    std::optional<std::string> Near = nearest(Name, Known);
    DiagBuilder D = Diags.report(diag::G0706, Span());
    D << "there is no kernel `" << Name << "`";
    if (Near)
      D.help("did you mean `" + *Near + "`?");
  }
  checkProgramNames(Units, O, Diags);
  bool AsText = std::find(O.Kinds.begin(), O.Kinds.end(),
                          EmitKind::ProgramText) != O.Kinds.end();
  for (const CompileUnit &Unit : Units)
    if (AsText && !Unit.Text && Unit.Templates.empty() && O.Programs.empty())
      Diags.report(diag::G1116, Span())
              .help("mark a function with `#[goldy::program]`")
          << "`" << SM.file(Unit.File).Name << "` defines no program";
  driver::resolveBakes(Units, O, Diags);
  for (const CompileUnit &Unit : Units)
    if (!Unit.Tree && !Unit.Opaque && !Unit.Text &&
        std::find(O.Kinds.begin(), O.Kinds.end(), EmitKind::Ast) !=
            O.Kinds.end())
      Diags.report(diag::G0707, Span()).help("use `--emit=ir`")
          << "`--emit=ast` needs source text, and `" << SM.file(Unit.File).Name
          << "` is IR text";
  for (const CompileUnit &Unit : Units)
    if (ofOneTarget(**Unit.Definition) && needsKernels())
      Diags.report(diag::G0734, Span())
              .help("start from what `--emit=ir` prints")
          << "`" << SM.file(Unit.File).Name
          << "` is IR text that was legalised for one target";
  for (const CompileUnit &Unit : Units)
    if (O.Kernels.empty() && O.Programs.empty() && Unit.Kernels.empty() &&
        Unit.Programs.empty() && needsKernels())
      Diags.report(diag::G0733, Span())
              .help("mark a function with `#[goldy::compute(workgroup_size = "
                    "[256, 1, 1])]`")
          << "`" << SM.file(Unit.File).Name << "` defines no kernel";
}

/// Front ends, then all jobs, so that usage errors come before long work.
void Compilation::runKernelJobs() {
  for (const CompileUnit &Unit : Units) {
    FirstJob.push_back(Jobs.size());
    std::vector<KernelJob> Own;
    bool Front = (O.Check && !O.RemarkVectorise) || O.DepsOnly ||
                 !Unit.Definition || (O.VerifyDiagnostics && !O.TargetsGiven);
    if (!Front)
      Own = planJobs(Unit, O, Diags);
    Jobs.insert(Jobs.end(), Own.begin(), Own.end());
  }
  FirstJob.push_back(Jobs.size());
  Results.resize(Jobs.size());
  if (Diags.hasErrors())
    return;
  runJobs(O.Jobs, Jobs.size(),
          [this](size_t I) { Results[I] = runKernelJob(Jobs[I], O); });
  for (const KernelResult &R : Results) {
    merge(R.Diagnostics);
    Err << R.Printed;
  }
  writeDumps();
}

/// --dump-dir is for looking at what went wrong: written in any case.
void Compilation::writeDumps() {
  if (O.DumpDir.empty() || !makeDirectory(O.DumpDir, Diags))
    return;
  OutputSet Dumps;
  for (const KernelResult &R : Results)
    for (const DumpFile &F : R.Dumps)
      Dumps.add((fs::path(O.DumpDir) / F.Name).string(), F.Bytes);
  Dumps.commit(Out, Diags);
}

void Compilation::collect(OutputSet &Outputs) {
  std::string SharedDeps;
  for (size_t I = 0; I < Units.size(); ++I) {
    size_t First = FirstJob[I], Count = FirstJob[I + 1] - First;
    UnitCollector(SM, Units[I], O, std::span(Jobs).subspan(First, Count),
                  std::span(Results).subspan(First, Count))
        .collect(Outputs, SharedDeps);
  }
  if (!SharedDeps.empty())
    Outputs.add(O.DepFile, SharedDeps);
}

void Compilation::writeOutputs() {
  OutputSet Outputs;
  collect(Outputs);
  size_t Named = 0;
  if (!O.Output.empty() && O.Output != "-")
    for (const OutputFile &F : Outputs.files())
      Named += F.Path == O.Output;
  if (Named > 1) {
    Diags.report(diag::G0705, Span())
            .help("choose one with `--kernel=NAME` and `--target=T`, or use "
                  "`--out-dir=DIR`")
        << "`-o " << O.Output << "` names one file, but there are " << Named
        << " outputs";
    return;
  }
  std::vector<std::string> Sources = O.Inputs;
  for (const CompileUnit &Unit : Units)
    for (FileId File : Unit.moduleFiles())
      Sources.push_back(SM.file(File).Name);
  if (!Outputs.check(Sources, Diags))
    return;
  for (const std::string &Dir :
       {O.OutDir, O.SaveTemps ? *O.SaveTemps : std::string()})
    if (!Dir.empty() && !makeDirectory(Dir, Diags))
      return;
  Outputs.commit(Out, Diags);
}

void Compilation::printTimes() {
  StageTimes All;
  for (const CompileUnit &Unit : Units)
    All.add(Unit.Times);
  for (const KernelResult &R : Results)
    All.add(R.Times);
  if (O.Times == TimeReport::Json) {
    std::string_view Separator = "[";
    for (const StageTimes::Entry &E : All.Entries) {
      fmt::print(Err,
                 "{}{{\"stage\": \"{}\", \"seconds\": {:.6f}, \"runs\": {}}}",
                 Separator, E.Name, E.Seconds, E.Runs);
      Separator = ", ";
    }
    fmt::print(Err, "{}]\n", All.Entries.empty() ? "[" : "");
    return;
  }
  fmt::print(Err, "{:<20} {:>10} {:>6}\n", "stage", "ms", "runs");
  for (const StageTimes::Entry &E : All.Entries)
    fmt::print(Err, "{:<20} {:>10.3f} {:>6}\n", E.Name, E.Seconds * 1000,
               E.Runs);
}

int Compilation::finish() {
  if (O.Times != TimeReport::None)
    printTimes();
  if (!O.VerifyDiagnostics) {
    std::vector<Diagnostic> All = Diags.diagnostics();
    auto Add = [&](bool Wanted, const std::vector<Diagnostic> &More) {
      if (Wanted)
        All.insert(All.end(), More.begin(), More.end());
    };
    for (const CompileUnit &Unit : Units) {
      Add(O.RemarkFuse, Unit.FuseRemarks);
      Add(O.RemarkSpecialise, Unit.VariantRemarks);
    }
    for (size_t I = 0; O.RemarkVectorise && I + 1 < FirstJob.size(); ++I) {
      size_t First = FirstJob[I], Count = FirstJob[I + 1] - First;
      Add(true, laneRemarks(Units[I], O, std::span(Jobs).subspan(First, Count),
                            std::span(Results).subspan(First, Count)));
    }
    printDiagnostics(Err, SM, O, All);
    return exitCodeOf(Diags.diagnostics());
  }
  DiagSink Differences(WarningOptions(), 0);
  verifyDiagnostics(SM, Diags.diagnostics(), Differences);
  printDiagnostics(Err, SM, O, Differences.diagnostics());
  return exitCodeOf(Differences.diagnostics());
}

int Compilation::run() {
  readInputs();
  if (Diags.hasErrors() || Units.empty())
    return finish();
  runFrontEnds();
  bool Complete =
      std::all_of(Units.begin(), Units.end(), [](const CompileUnit &U) {
        return U.Definition.has_value();
      });
  if (!Diags.hasErrors() && Complete)
    checkKernels();
  if (!Diags.hasErrors())
    runKernelJobs();
  if (!Diags.hasErrors())
    writeOutputs();
  return finish();
}

} // namespace

int goldy::runGoldyc(const std::vector<std::string> &Args, std::ostream &Out,
                     std::ostream &Err) {
  DiagSink Usage(WarningOptions(), 0);
  DriverOptions O = parseOptions(Args, Usage);
  bool Asked = !Usage.hasErrors() && answerQuestions(O, Out, Usage);
  if (!Asked && !Usage.hasErrors() && O.Inputs.empty())
    Usage.report(diag::G0704, Span()).help("`goldyc --help` lists all options")
        << "no input";
  if (Asked || Usage.hasErrors()) {
    Out.flush();
    if (!Out)
      Usage.report(diag::G0760, Span()) << "cannot write `standard output`";
    printDiagnostics(Err, SourceManager(), O, Usage.diagnostics());
    return exitCodeOf(Usage.diagnostics());
  }
  return Compilation(O, Out, Err).run();
}
