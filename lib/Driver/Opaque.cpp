//===- Opaque.cpp - Inputs in other languages -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their front end is another compiler, and so is the code generator: a job
// takes what the front end made, or asks for PTX.
//
//===----------------------------------------------------------------------===//
#include "Emitters.h"

#include "goldyc/Target/SPIRV/Emit.h"
#include "goldyc/Target/Slang/Emit.h"

#include <algorithm>
#include <filesystem>

using namespace goldy;
namespace fs = std::filesystem;

bool goldy::isOpaqueInput(std::string_view Path) {
  fs::path Suffix = fs::path(Path).extension();
  return Suffix == ".slang" || Suffix == ".comp";
}

bool goldy::runOpaqueFrontEnd(SourceManager &SM, CompileUnit &Unit,
                              const DriverOptions &O, DiagSink &Diags) {
  OpaqueOptions Options;
  if (fs::path(Unit.Path).extension() == ".comp")
    Options.Language = OpaqueLanguage::Glsl;
  Options.Directory = fs::path(Unit.Path).parent_path().string();
  Options.Macros = O.Defines;
  Options.OptLevel = O.OptLevel;
  Options.Prelude = goldySlangText();
  Unit.Opaque = readOpaque(SM, Unit.File, Options, Diags);
  if (!Unit.Opaque)
    return false;
  Unit.Definition = verify(Unit.Opaque->Kernels, Diags);
  if (!Unit.Definition)
    return false;
  for (FuncId K : (*Unit.Definition)->kernels()) {
    const std::string &Name = (*Unit.Definition)->Functions[K].Name;
    if (O.Kernels.empty() ||
        std::find(O.Kernels.begin(), O.Kernels.end(), Name) != O.Kernels.end())
      Unit.Kernels.push_back(K);
  }
  return true;
}

bool driver::checkOpaqueKinds(const CompileUnit &Unit, const DriverOptions &O,
                              DiagSink &Diags) {
  auto Refuse = [&](const std::string &What) {
    Diags.report(diag::G1022, Span())
            .help("use `--emit=artifact`, `spirv`, `spirv-asm`, `ptx`, "
                  "`header`, `cheader`, `embed`, `meta` or `deps`")
        << "`" << What << "` needs a definition, and the kernels of `"
        << Unit.Path << "` are opaque";
  };
  for (EmitKind K : O.Kinds)
    for (EmitKind Needs :
         {EmitKind::Lanes, EmitKind::Slang, EmitKind::SlangEntry,
          EmitKind::LlvmIr, EmitKind::Asm, EmitKind::Obj, EmitKind::Ast,
          EmitKind::Ir})
      if (K == Needs)
        Refuse("--emit=" + std::string(emitKindInfo(K).Name));
  if (!O.StopAfter.empty())
    Refuse("--stop-after=" + O.StopAfter);
  for (const DriverOptions::Bake &B : O.Bakes)
    if (Unit.Opaque->Kernels.find(B.Kernel).isValid())
      Refuse("--bake " + B.Kernel + ":" + B.Param);
  return !Diags.hasErrors();
}

std::vector<std::string> driver::imageArchs(const CompileUnit &Unit,
                                            const DriverOptions &O) {
  if (Unit.Opaque && !O.TargetsGiven)
    return {"vulkan1.3"};
  return O.Archs;
}

bool driver::emitOpaque(const KernelJob &Job, const DriverOptions &O,
                        KernelResult &R, DiagSink &Diags) {
  const OpaqueUnit &Unit = *Job.Unit->Opaque;
  const Function &F = Unit.Kernels.Functions[Job.Kernel];
  const OpaqueKernel &K = Unit.Code[Job.Kernel.index()];
  if (O.SaveTemps && !K.Wrapper.empty() && Job.Arch.empty())
    R.Temps.push_back(
        {Job.Unit->Stem + "." + F.Name + ".wrapper.slang", K.Wrapper});
  if (Job.Arch.empty()) // no definition, no canonical text
    return true;
  if (!isPtxArch(Job.Arch) && Job.Arch != "vulkan1.3")
    return Diags.report(diag::G1006, F.Loc)
               .help("use `--target=spirv`, or write the kernel in a `.goldy` "
                     "file")
           << "kernel `" << F.Name << "` is opaque: it has no code for "
           << Job.Arch;
  if (isSpirvArch(Job.Arch))
    R.Code = K.Spirv;
  else
    R.Code = opaquePtx(Unit, Job.Kernel, Job.Arch, Diags);
  if (!R.Code)
    return false;
  for (EmitKind Kind : Job.Kinds)
    R.Products.push_back(
        {Kind, Kind == EmitKind::SpirvAsm
                   ? disassembleSpirv(*R.Code)
                   : std::string(R.Code->Bytes.begin(), R.Code->Bytes.end())});
  if (!O.Validate)
    return true;
  return validateImage(*R.Code, Job.Unit->Stem + ", " + Job.Arch, Diags);
}
