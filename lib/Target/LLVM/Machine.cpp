//===- Machine.cpp - LLVM target machines, passes and code emission
//---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Target/LLVM/Machine.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace llvm;

namespace goldy {

/// Sets an option of the process, if this LLVM has it.
template <class T> static void setOption(StringRef Name, T To) {
  StringMap<cl::Option *> &Options = cl::getRegisteredOptions();
  StringMap<cl::Option *>::iterator Option = Options.find(Name);
  if (Option != Options.end())
    static_cast<cl::opt<T> *>(Option->second)->setValue(To);
}

/// CodeGenPrepare looks at all blocks of a function again after each change of
/// a branch, but in functions that it takes for huge only at those which have
/// changed. A thousand stores under masks took four times as long for it.
static void setCommonOptions() { setOption("cgpp-huge-func", 0u); }

static void registerX86() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
}

static void registerNVPTX() {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  // Shared memory has addresses of 32 bits; no interface but this option says
  // so. Without it they are extended to 64, which is right but longer.
  setOption("nvptx-short-ptr", true);
}

static void registerBackend(LLVMBackend Backend) {
  static std::once_flag Common, X86, NVPTX;
  std::call_once(Common, setCommonOptions);
  if (Backend == LLVMBackend::X86)
    std::call_once(X86, registerX86);
  else
    std::call_once(NVPTX, registerNVPTX);
}

/// Bytes. A short loop takes up to a third longer where it straddles what a
/// machine fetches at once.
static constexpr unsigned LoopAlignment = 32;

std::unique_ptr<TargetMachine> createMachine(const MachineOptions &O,
                                             std::string &Error) {
  registerBackend(O.Backend);
  const Target *T = TargetRegistry::lookupTarget(O.Triple, Error);
  if (!T)
    return nullptr;
  TargetOptions Options;
  Options.AllowFPOpFusion = FPOpFusion::Strict;
  Options.TrapUnreachable = false;
  if (O.Backend == LLVMBackend::X86)
    Options.LoopAlignment = LoopAlignment;
  std::optional<Reloc::Model> Relocations;
  if (O.PositionIndependent)
    Relocations = Reloc::PIC_;
  CodeGenOptLevel Level = O.Debugged        ? CodeGenOptLevel::None
                          : O.OptLevel >= 3 ? CodeGenOptLevel::Aggressive
                                            : CodeGenOptLevel::Default;
  std::unique_ptr<TargetMachine> TM(T->createTargetMachine(
      O.Triple, O.Cpu, O.Features, Options, Relocations, std::nullopt, Level));
  if (!TM)
    Error = "no target machine for " + O.Triple;
  return TM;
}

static FunctionPassManager shortPasses(unsigned OptLevel, bool Gpu) {
  FunctionPassManager P;
  P.addPass(SROAPass(SROAOptions::ModifyCFG));
  if (OptLevel == 0)
    return P;
  P.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  P.addPass(SimplifyCFGPass());
  LoopPassManager Rotate;
  Rotate.addPass(LoopRotatePass(/*EnableHeaderDuplication=*/true));
  P.addPass(createFunctionToLoopPassAdaptor(std::move(Rotate)));
  LoopPassManager Hoist;
  Hoist.addPass(LICMPass(LICMOptions()));
  P.addPass(createFunctionToLoopPassAdaptor(std::move(Hoist),
                                            /*UseMemorySSA=*/true));
  P.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  P.addPass(DCEPass());
  P.addPass(SimplifyCFGPass());
  if (Gpu) // its backend joins neighbours at aligned places
    P.addPass(InferAlignmentPass());
  return P;
}

/// What passes over functions ask for.
struct Passes::Analyses {
  explicit Analyses(TargetMachine &TM) : PB(&TM) {
    PB.registerModuleAnalyses(MAM);
    PB.registerCGSCCAnalyses(CGAM);
    PB.registerFunctionAnalyses(FAM);
    PB.registerLoopAnalyses(LAM);
    PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  }
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;
};

Passes::Passes(Module &M, TargetMachine &TM)
    : M(M), Gpu(TM.getTargetTriple().isNVPTX()),
      A(std::make_unique<Analyses>(TM)) {}
Passes::~Passes() = default;

void Passes::runShort(unsigned OptLevel) {
  FunctionPassManager P = shortPasses(OptLevel, Gpu);
  for (Function &F : M)
    if (!F.isDeclaration())
      P.run(F, A->FAM);
}

namespace {
struct ReduceSome : PassInfoMixin<ReduceSome> {
  explicit ReduceSome(function_ref<bool(const Loop &)> Worth) : Worth(Worth) {}
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &AR, LPMUpdater &U) {
    return Worth(L) ? LoopStrengthReducePass().run(L, AM, AR, U)
                    : PreservedAnalyses::all();
  }
  function_ref<bool(const Loop &)> Worth;
};
} // namespace

void Passes::reduceLoops(Function &Fn, function_ref<bool(const Loop &)> Worth) {
  A->FAM.clear(Fn, Fn.getName());
  LoopPassManager Reduce;
  Reduce.addPass(ReduceSome(Worth));
  FunctionPassManager P;
  P.addPass(createFunctionToLoopPassAdaptor(std::move(Reduce)));
  P.run(Fn, A->FAM);
}

namespace {
/// Keeps what the backend reports as an error instead of printing it.
struct CollectErrors final : DiagnosticHandler {
  explicit CollectErrors(std::string &Text) : Text(Text) {}
  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (DI.getSeverity() != DS_Error)
      return true;
    raw_string_ostream OS(Text);
    DiagnosticPrinterRawOStream Printer(OS);
    DI.print(Printer);
    return true;
  }
  std::string &Text;
};
} // namespace

/// Adds the backend's passes; true if it cannot write the file. Whether loops
/// are strength-reduced is an option of the process, read here alone.
static bool addBackend(legacy::PassManager &PM, TargetMachine &TM,
                       raw_pwrite_stream &OS, bool Assembly) {
  static std::mutex OneAtATime;
  std::lock_guard<std::mutex> Lock(OneAtATime);
  setOption("disable-lsr", TM.getTargetTriple().isX86());
  return TM.addPassesToEmitFile(PM, OS, nullptr,
                                Assembly ? CodeGenFileType::AssemblyFile
                                         : CodeGenFileType::ObjectFile);
}

bool emitMachineCode(Module &M, TargetMachine &TM, bool Assembly,
                     SmallVectorImpl<char> &Out, std::string &Error) {
  Error.clear();
  M.getContext().setDiagnosticHandler(std::make_unique<CollectErrors>(Error));
  raw_svector_ostream OS(Out);
  legacy::PassManager PM;
  if (addBackend(PM, TM, OS, Assembly)) {
    Error = "the backend cannot write this kind of file";
    return false;
  }
  PM.run(M);
  M.getContext().setDiagnosticHandler(std::make_unique<DiagnosticHandler>());
  return Error.empty();
}

std::string llvmText(const Module &M) {
  std::string Text;
  raw_string_ostream OS(Text);
  M.print(OS, nullptr);
  return Text;
}

} // namespace goldy
