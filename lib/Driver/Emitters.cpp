//===- Emitters.cpp - From a legal module to bytes, by kind ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Emitters.h"

#include "goldyc/Analysis/LaneRemarks.h"
#include "goldyc/Driver/Driver.h"
#include "goldyc/Foreign/ViaSlang.h"
#include "goldyc/Target/Host/Emit.h"
#include "goldyc/Target/PTX/Emit.h"
#include "goldyc/Target/SPIRV/Emit.h"
#include "goldyc/Target/Slang/Emit.h"

#include <algorithm>

using namespace goldy;

namespace {

std::string text(const Image &I) {
  return std::string(I.Bytes.begin(), I.Bytes.end());
}

bool wants(const KernelJob &Job, EmitKind K) {
  return std::find(Job.Kinds.begin(), Job.Kinds.end(), K) != Job.Kinds.end();
}

class ArchEmitter {
public:
  ArchEmitter(const KernelJob &Job, const VerifiedModule &M,
              const DriverOptions &O, KernelResult &R, DiagSink &Diags)
      : Job(Job), M(M), Kernel(M->kernels().front()), R(R), Diags(Diags) {
    Options.OptLevel = O.OptLevel;
    Options.Arch = Job.Arch;
    Options.PacksWarps = O.coarsens();
    if (!O.DebugInfo)
      return;
    Debug.Files = Job.Unit->Sources;
    Debug.Prefixes = O.PathPrefixes;
    Debug.Names = &Job.Unit->Names;
    Debug.Producer = "goldyc " + std::string(compilerVersion());
    Options.Debug = &Debug;
  }
  bool host();
  bool spirv();
  bool ptx();
  bool slangEntry();
  bool viaSlang();
  bool item();

private:
  bool hostText(EmitKind Kind, HostOutput Output);
  void product(EmitKind Kind, std::string Bytes) {
    R.Products.push_back({Kind, std::move(Bytes)});
  }

  const KernelJob &Job;
  const VerifiedModule &M;
  FuncId Kernel;
  DebugSources Debug; ///< for -g
  EmitOptions Options;
  KernelResult &R;
  DiagSink &Diags;
};

bool ArchEmitter::hostText(EmitKind Kind, HostOutput Output) {
  if (!wants(Job, Kind))
    return true;
  std::optional<Image> I =
      emitHost(M, Kernel, Job.Arch, Output, Options, Diags);
  if (I)
    product(Kind, text(*I));
  return I.has_value();
}

bool ArchEmitter::host() {
  const Function &F = M->Functions[Kernel];
  LaneMachine On = hostLanes(Job.Arch);
  if (wants(Job, EmitKind::Lanes))
    product(EmitKind::Lanes, lanesText(*M, Kernel, On));
  if (Job.WantRemarks)
    R.Lanes = laneReport(*M, F, planLanes(*M, F, On));
  bool Good = hostText(EmitKind::LlvmIr, HostOutput::LLVMIR) &&
              hostText(EmitKind::Asm, HostOutput::Assembly) &&
              hostText(EmitKind::Obj, HostOutput::Object);
  if (!Good || !Job.WantImage)
    return Good;
  R.Code = emitHost(M, Kernel, Job.Arch, HostOutput::Blob, Options, Diags);
  return R.Code.has_value();
}

bool ArchEmitter::item() {
  R.Code->Item = emitHostItem(M, Kernel, Job.Arch, Options, Diags);
  return R.Code->Item.has_value();
}

bool ArchEmitter::spirv() {
  std::optional<Image> I = emitSpirv(M, Kernel, Options, Diags);
  if (!I)
    return false;
  if (wants(Job, EmitKind::Spirv))
    product(EmitKind::Spirv, text(*I));
  if (wants(Job, EmitKind::SpirvAsm))
    product(EmitKind::SpirvAsm, disassembleSpirv(*I));
  R.Code = std::move(I);
  return true;
}

bool ArchEmitter::ptx() {
  if (wants(Job, EmitKind::LlvmIr)) {
    std::optional<std::string> Text =
        emitPtxLLVM(M, Kernel, Job.Arch, Options, Diags);
    if (!Text)
      return false;
    product(EmitKind::LlvmIr, std::move(*Text));
  }
  if (!Job.WantImage && !wants(Job, EmitKind::Ptx))
    return true;
  std::optional<Image> I = emitPtx(M, Kernel, Job.Arch, Options, Diags);
  if (!I)
    return false;
  if (wants(Job, EmitKind::Ptx))
    product(EmitKind::Ptx, text(*I));
  R.Code = std::move(I);
  return true;
}

bool ArchEmitter::slangEntry() {
  std::optional<SlangEntry> Entry = emitSlangEntry(M, Kernel, Diags);
  if (Entry)
    product(EmitKind::SlangEntry, Entry->Text);
  return Entry.has_value();
}

bool ArchEmitter::viaSlang() {
  bool Ptx = isPtxArch(Job.Arch);
  std::optional<SlangEntry> Entry = emitSlangEntry(
      M, Kernel, Diags, Ptx ? SlangEntryFor::Cuda : SlangEntryFor::Vulkan);
  std::optional<Image> I;
  if (Entry)
    I = compileSlangEntry(Entry->Text, Entry->Entry, *M, Kernel, Job.Arch,
                          Options, Diags);
  if (!I)
    return false;
  EmitKind Kind = Ptx ? EmitKind::Ptx : EmitKind::Spirv;
  if (wants(Job, Kind))
    product(Kind, text(*I));
  if (wants(Job, EmitKind::SpirvAsm))
    product(EmitKind::SpirvAsm, disassembleSpirv(*I));
  R.Code = std::move(I);
  return true;
}

} // namespace

std::optional<std::string> driver::canonicalSlang(const VerifiedModule &M,
                                                  DiagSink &Diags) {
  return emitSlang(M, M->kernels().front(), Diags);
}

bool driver::goesThroughSlang(const KernelJob &Job, const DriverOptions &O) {
  return O.ViaSlang && (Job.Arch == "vulkan1.3" || isPtxArch(Job.Arch));
}

bool driver::emitForArch(const KernelJob &Job, const VerifiedModule &Legal,
                         const DriverOptions &O, KernelResult &R,
                         DiagSink &Diags) {
  ArchEmitter E(Job, Legal, O, R, Diags);
  bool Good = goesThroughSlang(Job, O) ? E.viaSlang()
              : isHostArch(Job.Arch)   ? E.host()
              : isSpirvArch(Job.Arch)  ? E.spirv()
              : isPtxArch(Job.Arch)    ? E.ptx()
                                       : E.slangEntry();
  if (R.Code) {
    uint32_t Beside = R.Code->GroupsAtOnce; // by the target itself
    R.Code->Threads = Legal->Functions[Legal->kernels().front()].WorkgroupSize;
    R.Code->Threads[0] *= Beside;
    R.Code->GroupsAtOnce = R.Coarsening.GroupsAtOnce * Beside;
  }
  if (!Good || !O.Validate || !R.Code)
    return Good;
  return validateImage(*R.Code, Job.Unit->Stem + ", " + Job.Arch, Diags);
}

bool driver::emitItem(const KernelJob &Job, const VerifiedModule &Legal,
                      const DriverOptions &O, KernelResult &R,
                      DiagSink &Diags) {
  return ArchEmitter(Job, Legal, O, R, Diags).item();
}
