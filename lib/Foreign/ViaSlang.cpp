//===- ViaSlang.cpp - Slang's compiler as a second implementation ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is goldyc's own and bit-exact by construction, so what Slang's
// compiler says against it concerns the kernel as a whole.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Foreign/ViaSlang.h"

#include "Opaque.h"

using namespace goldy;
using namespace goldy::foreign;

static std::optional<Image> fromSpirv(const std::vector<uint8_t> &Code,
                                      const Module &M, const Function &F,
                                      unsigned OptLevel, DiagSink &Diags) {
  std::string Why = "it is no SPIR-V";
  std::optional<SpirvModule> Binary = SpirvModule::read(wordsOf(Code));
  std::optional<Image> I;
  if (Binary) {
    cleanModule(*Binary, F.Name);
    I = makeSpirvImage(*Binary, abiLayout(M, F), OptLevel, Why);
  }
  if (!I)
    Diags.report(diag::G1021, F.Loc)
        << "the SPIR-V that Slang's compiler made of `" << F.Name
        << "` is not valid: " << Why;
  return I;
}

static std::optional<Image> fromPtx(std::vector<uint8_t> Code, const Module &M,
                                    const Function &F, const std::string &Arch,
                                    const std::string &Entry) {
  uint64_t Bytes = 0;
  for (const WorkgroupArray &A : F.WorkgroupArrays)
    Bytes += M.Types.layout(A.Type).Size;
  Image I;
  I.Arch = Arch;
  I.Format = "ptx";
  I.Bytes = std::move(Code);
  I.Entry = Entry;
  I.WorkgroupBytes = static_cast<uint32_t>(Bytes);
  return I;
}

std::optional<Image> goldy::compileSlangEntry(const std::string &Text,
                                              const std::string &Entry,
                                              const Module &M, FuncId Kernel,
                                              const std::string &Arch,
                                              const EmitOptions &Options,
                                              DiagSink &Diags) {
  const Function &F = M.Functions[Kernel];
  bool Ptx = Arch.starts_with("sm_");
  if (Ptx && nvrtcLibrary().empty())
    return Diags.report(diag::G1012, Span())
               .help("install NVIDIA's CUDA toolkit, or name the library with "
                     "the variable `GOLDY_NVRTC_PATH`")
           << "PTX of `" << F.Name
           << "` by way of Slang needs NVRTC, which was not found";
  SlangLibrary *Slang = SlangLibrary::get(Diags);
  if (!Slang)
    return std::nullopt;
  SlangRequest R;
  R.Sources = {{Entry + ".slang", Text}};
  R.Entries = {Entry};
  R.Output = Ptx ? SlangOutput::Ptx : SlangOutput::Spirv;
  R.Arch = Arch;
  SlangResult Result = Slang->compile(R);
  if (!Result.Good || Result.Code.empty()) {
    std::string Said = "nothing";
    for (const SlangMessage &Message : Result.Messages)
      if (Message.Level == Severity::Error) {
        Said = "line " + std::to_string(Message.Line) + ": " + Message.Text;
        break;
      }
    return Diags.report(diag::G1000, F.Loc)
               .help("use `--via=own`; `--emit=slang-entry` shows the text")
           << "Slang's compiler refuses kernel `" << F.Name << "`: " << Said;
  }
  if (Ptx)
    return fromPtx(std::move(Result.Code[0]), M, F, Arch, Entry);
  return fromSpirv(Result.Code[0], M, F, Options.OptLevel, Diags);
}
