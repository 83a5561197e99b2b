//===- FuseCase.cpp - Launches, one by one and fused ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FuseCase.h"

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Rewriter.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <random>

using namespace goldy;
using namespace goldy::fusetest;

using Buffers = std::map<std::string, std::vector<std::byte>>;

Module fusetest::compile(const std::string &Text) {
  SourceManager SM;
  DiagSink Diags;
  FileId File = SM.add("t.goldy", "use goldy::gpu;\n" + Text);
  ast::Ast Tree = parseFile(SM, File, Diags);
  std::optional<Module> M = lowerToIR(SM, Tree, {}, Diags);
  for (const Diagnostic &D : Diags.diagnostics())
    UNSCOPED_INFO(SM.lineColumn(File, D.Where.Begin).Line << D.Message);
  INFO(Text);
  REQUIRE(M);
  return std::move(*M);
}

std::vector<std::byte> fusetest::randomBytes(size_t Count, uint32_t Seed) {
  static constexpr uint32_t Edges[] = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
      0x3f800000, 0xbf800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0xffc00000, 0x7f800001, 0x7fabcdef, 0xff812345, 0x40490fdb, 0x33800000};
  std::mt19937 Random(Seed);
  std::vector<std::byte> Bytes(Count * 4);
  for (size_t K = 0; K < Count; ++K) {
    uint32_t Word = Random();
    if (Word % 3 == 0)
      Word = Edges[Random() % std::size(Edges)];
    else if (Word % 3 == 1)
      Word = 0x3f000000 + Random() % 0x1000000;
    std::memcpy(&Bytes[K * 4], &Word, 4);
  }
  return Bytes;
}

namespace {

/// Numbers of the names, in alphabetical order, scalars first.
std::vector<std::string> namesOf(const Chain &C) {
  std::vector<std::string> Names;
  for (const std::pair<const std::string, uint64_t> &S : C.Scalars)
    Names.push_back(S.first);
  for (const Buffers::value_type &B : C.Buffers)
    Names.push_back(B.first);
  return Names;
}

uint32_t numberOf(const std::vector<std::string> &Names,
                  const std::string &Name) {
  std::vector<std::string>::const_iterator It =
      std::find(Names.begin(), Names.end(), Name);
  REQUIRE(It != Names.end());
  return static_cast<uint32_t>(It - Names.begin());
}

void launch(const Module &M, FuncId Kernel, const Chain &C,
            const std::vector<std::string> &Arguments, Buffers &Memory) {
  std::vector<InterpArgument> Args;
  for (const std::string &Name : Arguments) {
    InterpArgument A;
    if (C.Scalars.contains(Name))
      A.Bits = C.Scalars.at(Name);
    else
      A.Bytes = Memory.at(Name);
    Args.push_back(A);
  }
  InterpOptions Options;
  Options.StepLimit = 1'000'000;
  std::optional<InterpFault> Fault =
      interpret(M, Kernel, C.Groups, Args, Options);
  INFO((Fault ? Fault->Message : ""));
  REQUIRE(!Fault);
}

Module legal(const Module &M, FuncId Kernel, const char *Arch) {
  Module One = extractKernel(M, Kernel);
  DiagSink Diags;
  Fuel Unlimited;
  const Capabilities &Caps = *capabilitiesFor(Arch);
  PassContext Context{Diags, Caps, Unlimited};
  REQUIRE(runPasses(One, legalisationPasses(Caps, 2), Context));
  std::string Why;
  bool Good = isWellFormed(One, Why);
  INFO(Why);
  REQUIRE(Good);
  return One;
}

/// Whether the kernel may run with these numbers.
bool isAllowed(const FusedKernel &K, const Chain &C) {
  std::vector<std::string> Names = namesOf(C);
  auto ValueOf = [&](const FusionNumber &N) {
    return N.Bits ? *N.Bits : C.Scalars.at(Names[N.Argument]);
  };
  for (const std::pair<FusionNumber, FusionNumber> &F : K.Fits)
    if (ValueOf(F.first) * ValueOf(F.second) > uint64_t(1) << 32)
      return false;
  return true;
}

} // namespace

FusionRequest fusetest::requestOf(const Module &M, const Chain &C) {
  std::vector<std::string> Names = namesOf(C);
  FusionRequest R;
  for (const Launch &L : C.Launches) {
    FusionStage S;
    S.Kernel = M.find(L.Kernel);
    REQUIRE(S.Kernel);
    for (const std::string &Argument : L.Arguments)
      S.Arguments.push_back(numberOf(Names, Argument));
    R.Stages.push_back(std::move(S));
  }
  for (const std::pair<const std::string, std::string> &T : C.Temporaries) {
    FusionTemporary New;
    New.Argument = numberOf(Names, T.first);
    New.Length = numberOf(Names, T.second);
    New.Carried = C.Carried;
    R.Temporaries.push_back(New);
  }
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    R.ManyGroups[Axis] = C.Groups[Axis] > 1;
  return R;
}

std::variant<FusedKernel, FusionRejection>
fusetest::checkChain(Module &M, const Chain &C) {
  std::variant<FusedKernel, FusionRejection> Result =
      fuseKernels(M, requestOf(M, C));
  const FusedKernel *Fused = std::get_if<FusedKernel>(&Result);
  if (!Fused || !isAllowed(*Fused, C))
    return Result;
  Buffers Expected = C.Buffers;
  for (const Launch &L : C.Launches)
    launch(M, M.find(L.Kernel), C, L.Arguments, Expected);
  std::vector<std::string> Names = namesOf(C), Arguments;
  for (const FusedParam &P : Fused->Params)
    Arguments.push_back(Names[P.Argument]);
  INFO(moduleText(M));
  std::vector<std::pair<std::string, Module>> Forms;
  Forms.emplace_back("definition", extractKernel(M, Fused->Kernel));
  for (const char *Arch : {"x86-64-v3", "vulkan1.3", "sm_80"})
    Forms.emplace_back(Arch, legal(M, Fused->Kernel, Arch));
  for (const std::pair<std::string, Module> &Form : Forms) {
    Buffers Got = C.Buffers;
    launch(Form.second, Form.second.kernels().front(), C, Arguments, Got);
    for (uint32_t Gone : Fused->Vanished)
      Got[Names[Gone]] = Expected[Names[Gone]];
    for (const Buffers::value_type &B : Expected) {
      INFO(Form.first << ": " << B.first);
      CHECK(Got[B.first] == B.second);
    }
  }
  return Result;
}
