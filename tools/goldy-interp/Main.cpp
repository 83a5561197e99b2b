//===- Main.cpp - goldy-interp: runs kernels and programs on the oracle ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../goldyrun/Print.h"
#include "Arguments.h"
#include "Input.h"
#include "Options.h"
#include "Source.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Program.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Transforms/Collectives.h"
#include "goldyc/Transforms/ExpandMath.h"
#include "goldyc/Verify/Verify.h"

#include <iostream>

using namespace goldy;

namespace {

enum Exit { Good = 0, BadInput = 1, BadUsage = 2 };

int complain(int Code, const std::string &Message) {
  std::cerr << "goldy-interp: error: " << Message << '\n';
  return Code;
}

/// A kernel or a program of a file.
struct Chosen {
  std::optional<FuncId> Kernel;
  const prog::Program *Program = nullptr;
};

/// The one named, or the only program, or the only kernel.
std::optional<Chosen> choose(const Definitions &D, const std::string &Name,
                             std::string &Why) {
  std::vector<std::pair<std::string, Chosen>> All;
  for (const prog::Program &P : D.Programs)
    All.push_back({P.Name, {std::nullopt, &P}});
  size_t Programs = All.size();
  for (FuncId K : D.Kernels.kernels())
    All.push_back({D.Kernels.Functions[K].Name, {K, nullptr}});
  if (Name.empty() && (Programs == 1 || All.size() == 1))
    return All[0].second;
  std::vector<std::string> Names;
  for (const auto &[Known, What] : All) {
    if (Known == Name)
      return What;
    Names.push_back(Known);
  }
  if (Name.empty()) {
    Why = "the file holds " + std::to_string(All.size() - Programs) +
          " kernels" +
          (Programs ? " and " + std::to_string(Programs) + " programs" : "") +
          ", name one";
    return std::nullopt;
  }
  Why = "there is no kernel " + std::string(Programs ? "or program " : "") +
        "`" + Name + "`";
  if (std::optional<std::string> Near = nearest(Name, Names))
    Why += ", did you mean `" + *Near + "`?";
  return std::nullopt;
}

/// Gives a specialisation constant, `NAME=VALUE`, another value.
bool specialise(Module &M, const std::string &Text, std::string &Why) {
  std::optional<std::pair<std::string, std::string>> Parts =
      splitAssignment(Text);
  std::vector<std::string> Names;
  for (uint32_t I = 0; I < M.Specs.size(); ++I) {
    SpecId S(I);
    if (Parts && M.Specs[S].Name == Parts->first) {
      std::optional<Scalar> Type = scalarNamed(M.Types.name(M.Specs[S].Type));
      std::optional<uint64_t> Bits =
          Type ? scalarFromText(Parts->second, *Type, Why) : std::nullopt;
      M.Specs[S].Default = Bits.value_or(0);
      return Bits.has_value();
    }
    Names.push_back(M.Specs[S].Name);
  }
  if (!Parts) {
    Why = "expected NAME=VALUE";
    return false;
  }
  Why = "there is no specialisation constant of this name";
  if (std::optional<std::string> Near = nearest(Parts->first, Names))
    Why += ", did you mean `" + *Near + "`?";
  return false;
}

bool specialiseAll(Module &M, const CommandLine &Line, std::string &Why) {
  for (const std::string &Text : Line.Specs)
    if (!specialise(M, Text, Why)) {
      Why = "--spec " + Text + ": " + Why;
      return false;
    }
  return true;
}

/// Groups that cover the grid.
std::optional<std::array<uint32_t, 3>> gridOf(const CommandLine &Line,
                                              const Function &Kernel) {
  std::array<uint32_t, 3> Out{};
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    uint64_t Size = Kernel.WorkgroupSize[Axis];
    uint64_t Count = Line.Groups ? (*Line.Groups)[Axis]
                                 : ((*Line.Over)[Axis] + Size - 1) / Size;
    if (Count * Size > uint64_t(1) << 32)
      return std::nullopt;
    Out[Axis] = static_cast<uint32_t>(Count);
  }
  return Out;
}

void render(const SourceManager &SM, const DiagSink &Diags) {
  for (const Diagnostic &D : Diags.diagnostics())
    renderText(std::cerr, SM, D, false);
}

/// Prints and saves what the run left.
int giveBack(const CommandLine &Line, const Arguments &Bound) {
  std::string Why;
  for (const std::string &Param : Line.Prints) {
    std::optional<npy::Array> A = Bound.current(Param, Why);
    if (!A)
      return complain(BadInput, Why);
    std::cout << goldyrun::arrayText(Param, *A);
  }
  for (const std::string &Save : Line.Saves) {
    std::optional<std::pair<std::string, std::string>> Parts =
        splitAssignment(Save);
    if (!Parts)
      return complain(BadUsage,
                      "expected --save PARAM=FILE.npy, found `" + Save + "`");
    if (!Bound.save(Parts->first, Parts->second, Why))
      return complain(BadInput, Why);
  }
  return Good;
}

int complainOf(const InterpFault &Fault, const SourceManager &SM) {
  std::string At;
  if (Fault.Where.isValid()) {
    LineColumn Place = SM.lineColumn(Fault.Where.File, Fault.Where.Begin);
    At = SM.file(Fault.Where.File).Name + ":" + std::to_string(Place.Line) +
         ":" + std::to_string(Place.Column) + ": ";
  }
  return complain(BadInput, At + Fault.Message);
}

InterpOptions optionsOf(const CommandLine &Line) {
  InterpOptions Options = Line.Options;
  Options.Debug = [](const std::string &Said) { std::cerr << Said << '\n'; };
  return Options;
}

int runKernel(const CommandLine &Line, const Module &M, FuncId Kernel,
              const SourceManager &SM) {
  const Function &F = M.Functions[Kernel];
  if (!Line.Over && !Line.Groups)
    return complain(BadUsage, "exactly one of --over and --groups is needed");
  std::string Why;
  Arguments Bound(M, F);
  if (!Bound.bind(Line.Assignments, Why))
    return complain(BadInput, Why);
  std::optional<std::array<uint32_t, 3>> Groups = gridOf(Line, F);
  if (!Groups)
    return complain(BadInput, "the grid has more than 2^32 work-items on an "
                              "axis");
  InterpOptions Options = optionsOf(Line);
  for (uint64_t Run = 0; Run < Line.Runs; ++Run)
    if (std::optional<InterpFault> Fault =
            interpret(M, Kernel, *Groups, Bound.values(), Options))
      return complainOf(*Fault, SM);
  return giveBack(Line, Bound);
}

/// The program's parameters, as a kernel would have them.
Function signatureOf(const prog::Program &P) {
  Function F;
  F.Name = P.Name;
  for (const prog::Parameter &A : P.Params) {
    Param Out;
    Out.Name = A.Name;
    Out.Type = A.Type;
    Out.Kind = !A.Buffer                     ? ParamKind::Scalar
               : P.Buffers[A.Buffer].Uniform ? ParamKind::Uniform
                                             : ParamKind::Buffer;
    F.Params.push_back(Out);
  }
  return F;
}

int runProgram(const CommandLine &Line, const Module &M, const prog::Program &P,
               const SourceManager &SM) {
  if (Line.Over || Line.Groups)
    return complain(BadUsage, "`" + P.Name +
                                  "` is a program, which has grids of its own");
  std::string Why;
  Function Signature = signatureOf(P);
  Arguments Bound(M, Signature);
  if (!Bound.bind(Line.Assignments, Why))
    return complain(BadInput, Why);
  ProgramOracle Oracle(M, P);
  InterpOptions Options = optionsOf(Line);
  for (uint64_t Run = 0; Run < Line.Runs; ++Run)
    if (std::optional<InterpFault> Fault = Oracle.run(Bound.values(), Options))
      return complainOf(*Fault, SM);
  return giveBack(Line, Bound);
}

std::optional<Definitions> readDefinitions(FileId File, const CommandLine &Line,
                                           SourceManager &SM, DiagSink &Diags) {
  if (!isIRText(SM.file(File).Text))
    return readSource(File, Line, SM, Diags);
  std::optional<Module> M = parseIRText(SM, File, Diags);
  if (!M)
    return std::nullopt;
  return Definitions{std::move(*M), {}};
}

int run(const CommandLine &Line) {
  SourceManager SM;
  std::string Why;
  std::optional<FileId> File = readInput(Line.File, Line.Name, SM, Why);
  if (!File)
    return complain(BadInput, "`" + Line.File + "` " + Why);
  DiagSink Diags;
  std::optional<Definitions> D = readDefinitions(*File, Line, SM, Diags);
  std::optional<VerifiedModule> M;
  if (D)
    M = verify(std::move(D->Kernels), Diags);
  render(SM, Diags);
  if (!M)
    return BadInput;
  D->Kernels = std::move(*M).take();
  if (!specialiseAll(D->Kernels, Line, Why))
    return complain(BadInput, Why);
  expandSoftmax(D->Kernels);
  expandPublished(D->Kernels);
  std::optional<Chosen> What = choose(*D, Line.Name, Why);
  if (!What)
    return complain(BadInput, Why);
  return What->Program ? runProgram(Line, D->Kernels, *What->Program, SM)
                       : runKernel(Line, D->Kernels, *What->Kernel, SM);
}

} // namespace

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  if (Args.empty() || Args[0] == "--help") {
    (Args.empty() ? std::cerr : std::cout) << Usage;
    return Args.empty() ? BadUsage : Good;
  }
  CommandLine Line;
  std::string Why;
  if (!parseCommandLine(Args, Line, Why))
    return complain(BadUsage, Why);
  return run(Line);
}
