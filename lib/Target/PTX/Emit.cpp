//===- Emit.cpp - PTX text of one kernel ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Target/PTX/Emit.h"

#include "Lower.h"
#include "Registers.h"

#include "goldyc/Target/LLVM/Machine.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Target/TargetMachine.h"

using namespace goldy;

namespace {

/// The entry's symbol. PTX reserves its opcodes and knows letters, digits and
/// `_` only: the prefix keeps `add` apart, other bytes are written as
/// hexadecimal.
std::string entryName(std::string_view Kernel) {
  static const char Digits[] = "0123456789abcdef";
  std::string Name = "goldy_";
  for (unsigned char C : Kernel) {
    if (C < 0x80 && C != ':') {
      Name += static_cast<char>(C);
      continue;
    }
    Name += '$';
    Name += Digits[C >> 4];
    Name += Digits[C & 15];
  }
  return Name;
}

struct Compilation {
  llvm::LLVMContext Context;
  llvm::Module Out{"goldy", Context};
  std::unique_ptr<llvm::TargetMachine> Machine;
  std::string Entry;
  uint32_t WorkgroupBytes = 0, Beside = 1;
};

/// The lowest PTX version that has all we use; drivers since CUDA 11.
std::string_view featuresOf(std::string_view Arch) {
  return Arch == "sm_90a" ? "+ptx80" : "+ptx70";
}

bool createMachine(Compilation &C, std::string_view Arch, unsigned OptLevel,
                   DiagSink &Diags) {
  if (Arch != "sm_80" && Arch != "sm_90a")
    return Diags.report(diag::G0680, Span())
           << "there is no PTX code for `" << Arch << "`";
  MachineOptions Options;
  Options.Backend = LLVMBackend::NVPTX;
  Options.Triple = "nvptx64-nvidia-cuda";
  Options.Cpu = Arch;
  Options.Features = featuresOf(Arch);
  Options.OptLevel = OptLevel;
  std::string Error;
  C.Machine = goldy::createMachine(Options, Error);
  if (!C.Machine)
    return Diags.report(diag::G0680, Span()) << "no PTX code: " << Error;
  C.Out.setTargetTriple(Options.Triple);
  C.Out.setDataLayout(C.Machine->createDataLayout());
  return true;
}

/// The kernel as optimised LLVM IR.
bool lower(Compilation &C, const VerifiedModule &M, FuncId Kernel,
           std::string_view Arch, const EmitOptions &Options, DiagSink &Diags) {
  if (!createMachine(C, Arch, Options.OptLevel, Diags))
    return false;
  const Function &F = M->Functions[Kernel];
  C.Entry = entryName(F.Name);
  C.Beside = Options.PacksWarps ? ptx::groupsOfBlock(F) : 1;
  ptx::Lowering L(*M, F, C.Beside, C.Out, Diags);
  if (!L.run(C.Entry))
    return false;
  C.WorkgroupBytes = L.workgroupBytes();
  assert(!llvm::verifyModule(C.Out, &llvm::errs()) && "broken LLVM IR");
  Passes(C.Out, *C.Machine).runShort(Options.OptLevel);
  L.limitRegisters();
  return true;
}

} // namespace

std::optional<Image> goldy::emitPtx(const VerifiedModule &M, FuncId Kernel,
                                    std::string_view Arch,
                                    const EmitOptions &Options,
                                    DiagSink &Diags) {
  Compilation C;
  if (!lower(C, M, Kernel, Arch, Options, Diags))
    return std::nullopt;
  llvm::SmallVector<char, 0> Text;
  std::string Error;
  if (!emitMachineCode(C.Out, *C.Machine, /*Assembly=*/true, Text, Error))
    return Diags.report(diag::G0680, M->Functions[Kernel].Loc)
           << "LLVM cannot make PTX code: " << Error;
  Image I;
  I.Arch = Arch;
  I.Format = "ptx";
  I.Bytes.assign(Text.begin(), Text.end());
  I.Entry = C.Entry;
  I.WorkgroupBytes = C.WorkgroupBytes;
  I.GroupsAtOnce = C.Beside;
  return I;
}

std::optional<std::string> goldy::emitPtxLLVM(const VerifiedModule &M,
                                              FuncId Kernel,
                                              std::string_view Arch,
                                              const EmitOptions &Options,
                                              DiagSink &Diags) {
  Compilation C;
  if (!lower(C, M, Kernel, Arch, Options, Diags))
    return std::nullopt;
  return llvmText(C.Out);
}
