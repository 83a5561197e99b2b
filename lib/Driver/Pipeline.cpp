//===- Pipeline.cpp - The stages of a compilation, in order ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table below is the order that the functions below it follow; the passes
// in the middle are listed by `legalisationPasses`. --print=pipeline prints
// both.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Driver/Pipeline.h"

#include "Emitters.h"
#include "Input.h"
#include "Optimise.h"
#include "Programs.h"
#include "UniformReads.h"
#include "Values.h"
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/IR/Text.h"
#include "goldyc/ProgramDesc/Build.h"
#include "goldyc/Transforms/Bake.h"
#include "goldyc/Transforms/Collectives.h"
#include "goldyc/Transforms/Fuse.h"
#include "goldyc/Transforms/Inline.h"
#include "goldyc/Transforms/Pass.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <sstream>

using namespace goldy;

namespace {

constexpr Stage Stages[] = {
    {"parse", "text becomes a tree first, so that messages can quote it", ""},
    {"lower",
     "names and types are resolved while the tree is there, and the IR is "
     "built with nothing left to infer",
     "names and types resolved; constants fixed (after -D)"},
    {"verify",
     "before anything is rewritten, so that errors of the program are about "
     "the user's own statements and every later stage may trust the IR",
     "verified; uniformity of barriers known"},
    {"programs",
     "steps name verified kernels, and descriptions are made when no step "
     "changes any more",
     "steps of programs final"},
    {"definition",
     "the IR text is kept before any pass: it is what composition, other "
     "targets and readers start from",
     ""},
    {"slang",
     "canonical Slang shows the definition, not what passes made of it", ""},
    {"extract",
     "each kernel goes on alone with its helpers, so that kernels and targets "
     "are independent jobs",
     ""},
    {"passes",
     "per kernel and architecture, as the capabilities of the target decide "
     "what must be rewritten",
     "legal for the target; layout final"},
    {"verify-legal",
     "emitters take verified modules only, and a fault of a pass must not "
     "reach them",
     "names final"},
    {"emit", "the emitters transcribe what is left", ""},
    {"artifact",
     "when all images are there, in the order of the source, so that equal "
     "input gives equal bytes",
     ""},
};

class Timer {
public:
  Timer(StageTimes &Times, std::string_view Name)
      : Times(Times), Name(Name), Start(std::chrono::steady_clock::now()) {}
  ~Timer() {
    Times.add(Name, std::chrono::duration<double>(
                        std::chrono::steady_clock::now() - Start)
                        .count());
  }

private:
  StageTimes &Times;
  std::string_view Name;
  std::chrono::steady_clock::time_point Start;
};

} // namespace

std::span<const Stage> goldy::pipelineStages() { return Stages; }

void StageTimes::add(std::string_view Name, double Seconds, uint64_t Runs) {
  for (Entry &E : Entries)
    if (E.Name == Name) {
      E.Seconds += Seconds;
      E.Runs += Runs;
      return;
    }
  Entries.push_back({std::string(Name), Seconds, Runs});
}

void StageTimes::add(const StageTimes &Other) {
  for (const Entry &E : Other.Entries)
    add(E.Name, E.Seconds, E.Runs);
}

std::vector<FileId> CompileUnit::moduleFiles() const {
  std::vector<FileId> Files;
  for (size_t I = 1; Tree && I < Tree->Modules.size(); ++I) {
    FileId F = Tree->Modules[I].File;
    if (std::find(Files.begin(), Files.end(), F) == Files.end())
      Files.push_back(F);
  }
  return Files;
}

std::string goldy::fileStemOf(std::string_view Kernel) {
  std::string Stem(Kernel);
  for (size_t At = Stem.find("::"); At != Stem.npos; At = Stem.find("::"))
    Stem.replace(At, 2, ".");
  return Stem;
}

//===----------------------------------------------------------------------===//
// Front end
//===----------------------------------------------------------------------===//

namespace {

std::optional<Module> readIR(const SourceManager &SM, CompileUnit &Unit,
                             const DriverOptions &O, DiagSink &Diags) {
  Timer T(Unit.Times, "parse");
  std::optional<Module> M = parseIRText(SM, Unit.File, Diags);
  if (M && O.Bounds == BoundsMode::Unchecked)
    M->Bounds = BoundsMode::Unchecked;
  if (M && O.Floats == FloatMode::Fast)
    M->Floats = FloatMode::Fast;
  if (M)
    driver::setSpecs(*M, O, Diags);
  return M;
}

/// The definition once more, with a slot for every variable. What was to say
/// about the program has been said.
void readNames(const SourceManager &SM, CompileUnit &Unit, SemaOptions Sema,
               FloatMode Floats) {
  DiagSink Said{WarningOptions(), 0};
  Sema.Names = &Unit.Names;
  Unit.WithNames = lowerToIR(SM, *Unit.Tree, Sema, Said);
  if (Unit.WithNames)
    Unit.WithNames->Floats = Floats;
}

std::optional<Module> readSource(SourceManager &SM, CompileUnit &Unit,
                                 const DriverOptions &O, DiagSink &Diags) {
  {
    Timer T(Unit.Times, "parse");
    Unit.Tree = parseProgram(
        SM, Unit.File, driver::moduleFinder(SM, O.SearchDirs, Diags), Diags);
  }
  if (Unit.Tree->Incomplete || O.StopAfter == "parse")
    return std::nullopt;
  Timer T(Unit.Times, "lower");
  SemaOptions Sema;
  Sema.Defines = O.Defines;
  Sema.Specs = O.Specs;
  Sema.Bounds = O.Bounds;
  std::optional<Module> M =
      lowerToIR(SM, *Unit.Tree, Sema, Diags, &Unit.Programs);
  if (Diags.hasErrors())
    return std::nullopt;
  if (M)
    M->Floats = O.Floats;
  if (M && O.DebugInfo)
    readNames(SM, Unit, Sema, O.Floats);
  return M;
}

} // namespace

bool goldy::runFrontEnd(SourceManager &SM, CompileUnit &Unit,
                        const DriverOptions &O, DiagSink &Diags) {
  Unit.Sources = &SM;
  std::optional<Module> M = isIRText(SM.file(Unit.File).Text)
                                ? readIR(SM, Unit, O, Diags)
                                : readSource(SM, Unit, O, Diags);
  if (!M)
    return false;
  for (const prog::Program &P : Unit.Programs)
    Unit.ProgramNames.push_back(P.Name);
  Unit.FirstInternal = FuncId(M->Functions.size());
  if (!driver::preparePrograms(Unit, *M, O, Diags))
    return false;
  if (O.StopAfter == "lower") {
    Unit.LoweredText = moduleText(*M);
    return false;
  }
  Timer T(Unit.Times, "verify");
  Unit.Definition = verify(std::move(*M), Diags);
  if (!Unit.Definition)
    return false;
  if (!Unit.Programs.empty()) {
    M = std::move(*Unit.Definition).take();
    driver::optimisePrograms(Unit, *M, O);
    Unit.Definition = verify(std::move(*M), Diags);
  }
  if (!Unit.Definition)
    return false;
  for (FuncId K : (*Unit.Definition)->kernels())
    if (driver::isSelected(Unit, K, O))
      Unit.Kernels.push_back(K);
  return driver::buildPrograms(Unit, SM, Diags);
}

//===----------------------------------------------------------------------===//
// One kernel for one architecture
//===----------------------------------------------------------------------===//

namespace {

class JobRunner {
public:
  JobRunner(const KernelJob &Job, const DriverOptions &O)
      : Job(Job), O(O), Diags(O.Warnings, O.ErrorLimit) {}

  KernelResult run() {
    R.Good = Job.Unit->Opaque   ? driver::emitOpaque(Job, O, R, Diags)
             : Job.Arch.empty() ? runDefinition()
                                : runTarget();
    R.Diagnostics = Diags.diagnostics();
    R.Good &= !Diags.hasErrors();
    return std::move(R);
  }

private:
  std::string baseName() const {
    const Module &M = **Job.Unit->Definition;
    return Job.Unit->Stem + "." + fileStemOf(M.Functions[Job.Kernel].Name) +
           (Job.Arch.empty() ? "" : "." + Job.Arch);
  }
  Module extract() {
    Timer T(R.Times, "extract");
    return extractKernel(**Job.Unit->Definition, Job.Kernel);
  }
  bool runDefinition();
  bool runTarget();
  bool runItem(const Capabilities &Caps);
  std::optional<Module> withNames(FuncId Kernel) const;
  std::optional<Module> fusedWithNames(FuncId Kernel) const;
  bool runStage(Module &M, const Capabilities &Caps);
  PassObserver makeObserver();
  void observe(std::string_view Pass, const Module &M, bool After);
  std::optional<VerifiedModule> verifyLegal(Module M);

  const KernelJob &Job;
  const DriverOptions &O;
  DiagSink Diags;
  KernelResult R;
  std::vector<WatchSite> Sites;
  std::string LastText;
  unsigned PassNumber = 0;
  std::chrono::steady_clock::time_point PassStart;
};

bool asks(const std::vector<std::string> &Names, std::string_view Pass) {
  return std::find(Names.begin(), Names.end(), Pass) != Names.end() ||
         std::find(Names.begin(), Names.end(), "all") != Names.end();
}

/// A helper adds floats by atomics to a workgroup array of its caller.
bool addsFloatsToArrays(const Module &M) {
  for (const Function &F : M.Functions)
    for (const Inst &I : F.Insts)
      if (I.Opcode == Op::AtomicAdd && I.Type == types::F32) {
        const PlaceBase &Base = F.Places[I.Where].Base;
        if (Base.Kind == BaseKind::Param && F.Params[Base.Index].Workgroup)
          return true;
      }
  return false;
}

/// What is made from the definition: its text, canonical Slang, and which
/// buffers barriers rely on.
bool JobRunner::runDefinition() {
  Module M = extract();
  R.DefinitionText = moduleText(M);
  if (O.SaveTemps)
    R.Temps.push_back({baseName() + ".ir.goldy", R.DefinitionText});
  Module Inlined = M;
  inlineCalls(Inlined);
  const Function &Kernel = Inlined.Functions[Inlined.kernels().front()];
  R.UniformRead = driver::uniformReads(Kernel);
  R.Dependence = paramIndices(Kernel);
  if (prog::isCopyKernel(Kernel))
    R.UniformRead = {true, false, false}; // refused onto itself, as any copy
  expandCollectives(M);                   // Slang has no operator for them
  if (addsFloatsToArrays(M))
    inlineCalls(M); // an array that helpers add to has another type in Slang
  std::optional<VerifiedModule> Verified = verify(std::move(M), Diags);
  if (!Verified)
    return false;
  Timer T(R.Times, "slang");
  std::optional<std::string> Text = driver::canonicalSlang(*Verified, Diags);
  if (!Text)
    return false;
  R.CanonicalSlang = *Text;
  for (EmitKind K : Job.Kinds)
    R.Products.push_back({K, *Text});
  if (O.SaveTemps)
    R.Temps.push_back({baseName() + ".slang", *Text});
  return true;
}

void JobRunner::observe(std::string_view Pass, const Module &M, bool After) {
  const std::vector<std::string> &Names = After ? O.PrintAfter : O.PrintBefore;
  bool Print = asks(Names, Pass), Dump = After && !O.DumpDir.empty();
  bool Changed = After && O.PrintChanged;
  if (!Print && !Dump && !Changed)
    return;
  std::string Text = moduleText(M);
  if (Print || (Changed && Text != LastText))
    R.Printed += "// " + std::string(After ? "after " : "before ") +
                 std::string(Pass) + ": " + baseName() + "\n" + Text;
  if (Dump) {
    std::string Number = std::to_string(++PassNumber);
    R.Dumps.push_back({baseName() + "." + (Number.size() < 2 ? "0" : "") +
                           Number + "-" + std::string(Pass) + ".ir.goldy",
                       Text});
  }
  LastText = std::move(Text);
}

PassObserver JobRunner::makeObserver() {
  PassObserver Observer;
  Observer.VerifyEach = O.VerifyEach;
  Observer.Before = [this](std::string_view Pass, const Module &M) {
    observe(Pass, M, false);
    PassStart = std::chrono::steady_clock::now();
  };
  Observer.After = [this](std::string_view Pass, const Module &M) {
    R.Times.add(Pass, std::chrono::duration<double>(
                          std::chrono::steady_clock::now() - PassStart)
                          .count());
    observe(Pass, M, true);
  };
  return Observer;
}

/// The passes, up to the one of --stop-after if that is asked for.
bool JobRunner::runStage(Module &M, const Capabilities &Caps) {
  std::vector<std::string_view> Passes =
      legalisationPasses(Caps, O.passLevel(), O.coarsens(), O.Sanitize != 0);
  if (!O.StopAfter.empty()) {
    std::vector<std::string_view>::iterator Last =
        std::find(Passes.begin(), Passes.end(), O.StopAfter);
    if (Last != Passes.end())
      Passes.erase(Last + 1, Passes.end());
  }
  Fuel Fuel(O.Fuel);
  PassContext Context{Diags, Caps, Fuel};
  Context.ItemsPerThread = O.ItemsPerThread;
  Context.Coarsening = &R.Coarsening;
  R.Coarsening.Asked = O.ItemsPerThread;
  Context.Sanitize = O.Sanitize;
  Context.Sites = &Sites;
  if (O.Sanitize)
    Context.Marks = CallMarks::Calls; // taken away by `sanitize`
  for (EmitKind K : Job.Kinds)
    if (K == EmitKind::Report || K == EmitKind::ReportJson)
      Context.Bounds = &R.Bounds;
  if (O.PrintChanged)
    LastText = moduleText(M);
  return runPasses(M, Passes, Context, makeObserver());
}

std::optional<VerifiedModule> JobRunner::verifyLegal(Module M) {
  Timer T(R.Times, "verify-legal");
  std::string Why;
  if (!isWellFormed(M, Why)) {
    Diags.report(diag::G0781, Span())
        << "the passes broke `" << baseName() << "`: " << Why;
    return std::nullopt;
  }
  return verify(std::move(M), Diags);
}

bool JobRunner::runTarget() {
  uint32_t MaxBytes = capabilitiesFor(Job.Arch)->MaxWorkgroupBytes;
  const Capabilities &Caps =
      *capabilitiesFor(driver::goesThroughSlang(Job, O) ? "slang" : Job.Arch);
  Module M = extract();
  bakeParameters(M.Functions[M.kernels().front()], Job.Unit->Baked[Job.Kernel]);
  if (MaxBytes && !checkWorkgroupMemory(M, M.Functions[M.kernels().front()],
                                        Job.Arch, MaxBytes, Diags))
    return false;
  if (!runStage(M, Caps))
    return false;
  if (!O.StopAfter.empty()) {
    R.Stopped = moduleText(M);
    return true;
  }
  if (O.SaveTemps)
    R.Temps.push_back({baseName() + ".ir.goldy", moduleText(M)});
  std::optional<VerifiedModule> Legal = verifyLegal(std::move(M));
  if (!Legal)
    return false;
  bool Good;
  {
    Timer T(R.Times, "emit");
    Good = driver::emitForArch(Job, *Legal, O, R, Diags);
  }
  if (R.Code && !Sites.empty()) {
    R.Code->Sanitize = O.Sanitize;
    R.Code->Sites = std::move(Sites);
  }
  if (!Good)
    return false;
  return !O.DebugInfo || !isHostArch(Job.Arch) || !R.Code || runItem(Caps);
}

/// The kernel in a module of its own, where variables are slots: from the
/// definition with names, made as programs had it made. None of IR text and of
/// what a program's copies need.
std::optional<Module> JobRunner::withNames(FuncId Kernel) const {
  if (!Job.Unit->WithNames)
    return std::nullopt;
  const Module &All = *Job.Unit->WithNames;
  const std::string &Name = (*Job.Unit->Definition)->Functions[Kernel].Name;
  if (FuncId Same = All.find(Name))
    return extractKernel(All, Same);
  const CompileUnit::MadeFrom &Made = Job.Unit->Made[Kernel];
  if (!Made.Stages.Stages.empty())
    return fusedWithNames(Kernel);
  if (!Made.Original)
    return std::nullopt;
  std::optional<Module> M = withNames(Made.Original);
  if (M) {
    Function &F = M->Functions[M->kernels().front()];
    F.Name = Name;
    bakeParameters(F, Made.Values);
  }
  return M;
}

/// True if a launch of one is a launch of the other.
static bool sameSignature(const Module &M, const Function &A, const Module &N,
                          const Function &B) {
  return A.WorkgroupSize == B.WorkgroupSize &&
         std::equal(A.Params.begin(), A.Params.end(), B.Params.begin(),
                    B.Params.end(), [&](const Param &X, const Param &Y) {
                      return X.Name == Y.Name && X.Kind == Y.Kind &&
                             M.Types.name(X.Type) == N.Types.name(Y.Type);
                    });
}

/// Fused once more, from stages with names. Where variables in memory keep a
/// temporary from becoming registers, it is another kernel, and there is none.
std::optional<Module> JobRunner::fusedWithNames(FuncId Kernel) const {
  const Module &Definition = **Job.Unit->Definition;
  Module All = *Job.Unit->WithNames;
  FusionRequest R = Job.Unit->Made[Kernel].Stages;
  R.KeepsSlots = true;
  std::set<FuncId> Stages;
  for (FusionStage &S : R.Stages) {
    S.Kernel = All.find(Definition.Functions[S.Kernel].Name);
    // Of a kernel that comes twice, variables would have two places.
    if (!S.Kernel || !Stages.insert(S.Kernel).second)
      return std::nullopt;
  }
  std::variant<FusedKernel, FusionRejection> Result = fuseKernels(All, R);
  const FusedKernel *Fused = std::get_if<FusedKernel>(&Result);
  if (!Fused || !sameSignature(All, All.Functions[Fused->Kernel], Definition,
                               Definition.Functions[Kernel]))
    return std::nullopt;
  All.Functions[Fused->Kernel].Name = Definition.Functions[Kernel].Name;
  return extractKernel(All, Fused->Kernel);
}

/// Beside an image, for debuggers: the code of one work-item, from a definition
/// that keeps every variable, by the passes that only make it legal.
bool JobRunner::runItem(const Capabilities &Caps) {
  Timer T(R.Times, "item");
  std::optional<Module> Named = withNames(Job.Kernel);
  Module M = Named ? std::move(*Named)
                   : extractKernel(**Job.Unit->Definition, Job.Kernel);
  bakeParameters(M.Functions[M.kernels().front()], Job.Unit->Baked[Job.Kernel]);
  Fuel Unlimited;
  Capabilities Plain = Caps;
  Plain.Trees = false; // trees are for vectors
  PassContext Context{Diags, Plain, Unlimited};
  Context.KeepsSlots = true;
  Context.Marks = CallMarks::Arguments;
  if (!runPasses(M, legalisationPasses(Plain, 0), Context))
    return false;
  std::optional<VerifiedModule> Legal = verifyLegal(std::move(M));
  return Legal && driver::emitItem(Job, *Legal, O, R, Diags);
}

} // namespace

KernelResult goldy::runKernelJob(const KernelJob &Job, const DriverOptions &O) {
  return JobRunner(Job, O).run();
}
