//===- Emit.cpp - Host code of one kernel
//-----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plan lanes, transcribe them, run the short passes, generate an object in
// memory, flatten it. The result needs nothing from outside: a call that LLVM
// makes up (memset, floorf) is an error here, not at load time.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Target/Host/Emit.h"

#include "BackendCost.h"
#include "Blob.h"
#include "DeadStores.h"
#include "Emitter.h"
#include "NanTests.h"
#include "NearAddresses.h"
#include "SplitMasks.h"
#include "SplitRegisters.h"
#include "StoredVectors.h"
#include "goldyc/Target/LLVM/Machine.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace goldy;

namespace {

constexpr std::string_view ArchPrefix = "x86-64-v";
constexpr const char *Triple = "x86_64-unknown-linux-gnu";

/// 1..4, or 0 for anything else.
unsigned levelOf(std::string_view Arch) {
  if (Arch.size() != ArchPrefix.size() + 1 || !Arch.starts_with(ArchPrefix))
    return 0;
  char Digit = Arch.back();
  return Digit >= '1' && Digit <= '4' ? Digit - '0' : 0;
}

struct HostJob {
  const Module &M;
  const Function &F;
  std::string_view Arch;
  const EmitOptions &Options;
  DiagSink &Diags;

  bool reportBlob(const BlobError &E) const {
    switch (E.What) {
    case BlobError::Kind::Symbol:
      return Diags.report(diag::G0670, F.Loc)
             << "host code of kernel `" << F.Name << "` for `" << Arch
             << "` would call `" << E.Text << "`";
    case BlobError::Kind::Relocation:
    case BlobError::Kind::Section:
      return Diags.report(diag::G0671, F.Loc)
             << "host code of kernel `" << F.Name << "` for `" << Arch
             << "` is not position-independent: `" << E.Text << "`";
    case BlobError::Kind::Object:
      break;
    }
    return Diags.report(diag::G0674, F.Loc)
           << "code generation for kernel `" << F.Name << "` and `" << Arch
           << "` failed: " << E.Text;
  }

  bool checkPlan(const LanePlan &Plan) const {
    if (Plan.Refused.empty())
      return true;
    return Diags.report(diag::G0672,
                        Plan.RefusedAt ? F.Insts[Plan.RefusedAt].Loc : F.Loc)
           << "kernel `" << F.Name
           << "` cannot be split at its barriers: " << Plan.Refused;
  }

  std::unique_ptr<llvm::TargetMachine> machine(bool Debugged) const {
    MachineOptions Machine;
    Machine.Triple = Triple;
    Machine.Cpu = levelOf(Arch) == 1 ? "x86-64" : std::string(Arch);
    Machine.PositionIndependent = true;
    Machine.OptLevel = Options.OptLevel;
    Machine.Debugged = Debugged;
    std::string Error;
    std::unique_ptr<llvm::TargetMachine> TM = createMachine(Machine, Error);
    if (!TM)
      reportMachine(Error);
    return TM;
  }

  void prepare(llvm::Module &LM, const llvm::TargetMachine &TM) const {
    LM.setTargetTriple(Triple);
    LM.setDataLayout(TM.createDataLayout());
  }

  bool reportMachine(std::string_view Text) const {
    return reportBlob({BlobError::Kind::Object, std::string(Text)});
  }
};

void setBytes(Image &I, const void *Data, size_t Size) {
  const auto *Bytes = static_cast<const uint8_t *>(Data);
  I.Bytes.assign(Bytes, Bytes + Size);
}

bool finish(const HostJob &Job, llvm::Module &LM, llvm::TargetMachine &TM,
            HostOutput Output, Image &Result) {
  if (Output == HostOutput::LLVMIR) {
    std::string Text = llvmText(LM);
    setBytes(Result, Text.data(), Text.size());
    return true;
  }
  llvm::SmallVector<char, 0> Object;
  std::string Error;
  if (!emitMachineCode(LM, TM, Output == HostOutput::Assembly, Object, Error))
    return Job.reportMachine(Error);
  if (Output != HostOutput::Blob) {
    setBytes(Result, Object.data(), Object.size());
    return true;
  }
  Blob Flat;
  BlobError Why;
  if (!makeBlob({Object.data(), Object.size()}, Result.Entry, Flat, Why))
    return Job.reportBlob(Why);
  Result.Bytes = std::move(Flat.Bytes);
  Result.EntryOffset = Flat.EntryOffset;
  if (Job.Options.Debug)
    Result.Debug = makeDebugObject({Object.data(), Object.size()}, Flat);
  return true;
}

/// What steps from trip to trip in such a kernel's loops stands in straight
/// code, a few addresses for many loads.
bool sharesAddresses(const LanePlan &Plan) {
  for (const LaneVersion &V : Plan.Versions)
    if (!V.Near.empty())
      return true;
  return false;
}

/// All that happens between the emitter and the backend.
void optimise(const HostJob &Job, const LanePlan &Plan, llvm::Module &LM,
              llvm::TargetMachine &TM) {
  llvm::Function &Fn = *LM.getFunction(Job.F.Name);
  bool Wide = Plan.Width > Plan.Machine;
  unsigned Registers = hostLanes(Job.Arch).Registers;
  bool Kept = Wide && Job.Options.OptLevel > 0 &&
              keepInMemory(Fn, Plan.Machine, Registers);
  Passes P(LM, TM);
  P.runShort(Job.Options.OptLevel);
  if (Job.Options.OptLevel == 0)
    return;
  if (!Job.F.WorkgroupArrays.empty())
    takeStoredVectors(Fn);
  if (Kept && !Job.Options.Debug) // debuggers show arrays
    dropDeadStores(Fn, Fn.getArg(2));
  if (sharesAddresses(Plan))
    shareNearAddresses(Fn);
  if (levelOf(Job.Arch) >= 4 && Wide)
    splitMasks(Fn, Plan.Machine);
  if (Wide)
    splitRegisters(Fn, Plan.Machine, Registers / 4, Registers);
  if (Plan.hasStreams())
    testNansTogether(Fn);
  hideProducts(Fn);
  if (!sharesAddresses(Plan))
    P.reduceLoops(Fn, hasSteps);
}

const char *formatOf(HostOutput Output) {
  switch (Output) {
  case HostOutput::Blob:
    return "x86-blob";
  case HostOutput::Object:
    return "x86-object";
  case HostOutput::Assembly:
    return "x86-assembly";
  case HostOutput::LLVMIR:
    return "llvm-ir";
  }
  return "";
}

} // namespace

LaneMachine goldy::hostLanes(std::string_view Arch) {
  switch (levelOf(Arch)) {
  case 4:
    return {16, 32};
  case 3:
    return {8, 16};
  default:
    return {4, 16, false};
  }
}

std::optional<Image> goldy::emitHost(const VerifiedModule &VM, FuncId Kernel,
                                     std::string_view Arch, HostOutput Output,
                                     const EmitOptions &Options,
                                     DiagSink &Diags) {
  const Module &M = *VM;
  const Function &F = M.Functions[Kernel];
  HostJob Job{M, F, Arch, Options, Diags};
  unsigned Level = levelOf(Arch);
  if (Level == 0)
    return Diags.report(diag::G0675, F.Loc)
           << "host level `" << Arch
           << "` is unknown; expected `x86-64-v1` to `x86-64-v4`";
  LanePlan Plan = planLanes(M, F, hostLanes(Arch));
  if (!Job.checkPlan(Plan))
    return std::nullopt;
  std::unique_ptr<llvm::TargetMachine> TM = Job.machine(/*Debugged=*/false);
  if (!TM)
    return std::nullopt;
  llvm::LLVMContext Context;
  llvm::Module LM(F.Name, Context);
  Job.prepare(LM, *TM);
  std::optional<HostDebug> Lines;
  if (Options.Debug)
    Lines.emplace(M, F, *Options.Debug, LM, /*Optimised=*/true);
  HostEmitter Emitter(M, F, Plan, Level, LM, Diags, Lines ? &*Lines : nullptr);
  if (!Emitter.run(F.Name))
    return std::nullopt;
  if (Lines)
    Lines->finish();
  assert(!llvm::verifyModule(LM, &llvm::errs()) && "malformed LLVM IR");
  optimise(Job, Plan, LM, *TM);

  Image Result;
  Result.Arch = Arch;
  Result.Format = formatOf(Output);
  Result.Entry = F.Name;
  Result.ScratchBytes = Emitter.scratch().Total;
  Result.WorkgroupBytes =
      static_cast<uint32_t>(Emitter.scratch().WorkgroupBytes);
  if (!finish(Job, LM, *TM, Output, Result))
    return std::nullopt;
  return Result;
}

std::optional<ItemCode> goldy::emitHostItem(const VerifiedModule &VM,
                                            FuncId Kernel,
                                            std::string_view Arch,
                                            const EmitOptions &Options,
                                            DiagSink &Diags) {
  const Module &M = *VM;
  const Function &F = M.Functions[Kernel];
  HostJob Job{M, F, Arch, Options, Diags};
  LanePlan Plan = planLanes(M, F, 1, /*PerItem=*/true);
  if (!Job.checkPlan(Plan))
    return std::nullopt;
  std::unique_ptr<llvm::TargetMachine> TM = Job.machine(/*Debugged=*/true);
  if (!TM)
    return std::nullopt;
  llvm::LLVMContext Context;
  llvm::Module LM(F.Name, Context);
  Job.prepare(LM, *TM);
  HostDebug Lines(M, F, *Options.Debug, LM, /*Optimised=*/false);
  HostEmitter Emitter(M, F, Plan, levelOf(Arch), LM, Diags, &Lines);
  if (!Emitter.runItem(F.Name))
    return std::nullopt;
  Lines.finish();
  assert(!llvm::verifyModule(LM, &llvm::errs()) && "malformed LLVM IR");
  Image Made;
  Made.Entry = F.Name;
  if (!finish(Job, LM, *TM, HostOutput::Blob, Made))
    return std::nullopt;
  return ItemCode{std::move(Made.Bytes), Made.EntryOffset,
                  Emitter.scratch().Total, std::move(Made.Debug)};
}

std::string goldy::nativeHostArch() {
  llvm::StringMap<bool> Features = llvm::sys::getHostCPUFeatures();
  auto All = [&](std::initializer_list<const char *> Names) {
    for (const char *Name : Names)
      if (!Features.lookup(Name))
        return false;
    return true;
  };
  unsigned Level = 1;
  if (All({"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "sahf"}))
    Level = 2;
  if (Level == 2 && All({"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt",
                         "movbe", "xsave"}))
    Level = 3;
  if (Level == 3 &&
      All({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    Level = 4;
  return std::string(ArchPrefix) + std::to_string(Level);
}
