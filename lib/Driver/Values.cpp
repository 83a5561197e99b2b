//===- Values.cpp - Values given on the command line ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text becomes bits once the type that it must have is known.
//
//===----------------------------------------------------------------------===//
#include "Values.h"

#include "goldyc/Support/ValueSpec.h"

using namespace goldy;

namespace {

/// The bits of a scalar of type `T`; empty, with `Why`.
std::optional<uint64_t> bitsOf(TypeId T, const std::string &Text,
                               std::string &Why) {
  static constexpr std::pair<TypeId, Scalar> Kinds[] = {
      {types::Bool, Scalar::Bool}, {types::U32, Scalar::U32},
      {types::I32, Scalar::I32},   {types::F32, Scalar::F32},
      {types::U64, Scalar::U64},   {types::I64, Scalar::I64}};
  for (const auto &[Type, Kind] : Kinds)
    if (Type == T)
      return scalarFromText(Text, Kind, Why);
  Why = "the type takes no value";
  return std::nullopt;
}

void addNearest(DiagBuilder &D, const std::string &Name,
                const std::vector<std::string> &Known) {
  if (std::optional<std::string> Near = nearest(Name, Known))
    D.help("did you mean `" + *Near + "`?");
}

std::string written(const DriverOptions::Bake &B) {
  return "`--bake " + B.Kernel + ":" + B.Param + "=" + B.Value + "`: ";
}

class BakeResolver {
public:
  BakeResolver(std::vector<CompileUnit> &Units, DiagSink &Diags)
      : Units(Units), Diags(Diags) {}

  void resolve(const DriverOptions::Bake &B) {
    std::vector<std::string> Known;
    bool Found = false;
    for (CompileUnit &Unit : Units)
      for (FuncId K : (*Unit.Definition)->kernels()) {
        const Function &F = (*Unit.Definition)->Functions[K];
        Known.push_back(F.Name);
        if (F.Name != B.Kernel)
          continue;
        Found = true;
        bake(Unit, K, B);
      }
    if (Found)
      return;
    DiagBuilder D = Diags.report(diag::G0706, Span());
    D << written(B) << "there is no kernel `" << B.Kernel << '`';
    addNearest(D, B.Kernel, Known);
  }

private:
  void bake(CompileUnit &Unit, FuncId K, const DriverOptions::Bake &B) {
    const Function &F = (*Unit.Definition)->Functions[K];
    std::vector<std::string> Scalars;
    for (uint32_t I = 0; I < F.Params.size(); ++I) {
      const Param &P = F.Params[I];
      if (P.Kind == ParamKind::Scalar)
        Scalars.push_back(P.Name);
      if (P.Name == B.Param)
        return bakeParam(Unit, K, I, B);
    }
    DiagBuilder D = Diags.report(diag::G0714, Span());
    D << written(B) << "kernel `" << B.Kernel << "` has no parameter `"
      << B.Param << '`';
    addNearest(D, B.Param, Scalars);
  }

  void bakeParam(CompileUnit &Unit, FuncId K, uint32_t Index,
                 const DriverOptions::Bake &B) {
    const Function &F = (*Unit.Definition)->Functions[K];
    const Param &P = F.Params[Index];
    if (P.Kind != ParamKind::Scalar) {
      Diags.report(diag::G0714, Span())
              .note(P.Loc, "declared here")
              .help("bake scalars; a table that never changes is a `const`")
          << written(B) << '`' << B.Param << "` is no scalar";
      return;
    }
    std::string Why;
    std::optional<uint64_t> Bits = bitsOf(P.Type, B.Value, Why);
    std::vector<std::optional<uint64_t>> &Values = Unit.Baked.at(K);
    Values.resize(F.Params.size());
    if (!Bits || Values[Index]) {
      Diags.report(diag::G0703, Span())
          << written(B) << (Bits ? "two values given" : Why);
      return;
    }
    Values[Index] = Bits;
  }

  std::vector<CompileUnit> &Units;
  DiagSink &Diags;
};

} // namespace

void driver::setSpecs(Module &M, const DriverOptions &O, DiagSink &Diags) {
  for (const auto &[Name, Text] : O.Specs) {
    std::vector<std::string> Known;
    SpecConstant *Found = nullptr;
    for (SpecConstant &S : M.Specs) {
      Known.push_back(S.Name);
      if (S.Name == Name)
        Found = &S;
    }
    std::string Option = "`--spec " + Name + "=" + Text + "`: ";
    if (!Found) {
      DiagBuilder D = Diags.report(diag::G0210, Span());
      D << Option << "there is no specialisation constant `" << Name << '`';
      addNearest(D, Name, Known);
      continue;
    }
    std::string Why;
    if (std::optional<uint64_t> Bits = bitsOf(Found->Type, Text, Why))
      Found->Default = *Bits;
    else
      Diags.report(diag::G0211, Span()) << Option << Why;
  }
}

void driver::resolveBakes(std::vector<CompileUnit> &Units,
                          const DriverOptions &O, DiagSink &Diags) {
  BakeResolver Resolver(Units, Diags);
  for (const DriverOptions::Bake &B : O.Bakes)
    Resolver.resolve(B);
}
