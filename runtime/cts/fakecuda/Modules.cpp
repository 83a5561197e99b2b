//===- Modules.cpp - PTX --------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the text the version, the target and the entries' parameters and sizes are
// read; that is what decides whether a driver takes it.
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <regex>

using namespace fake;

namespace {

/// The PTX version that came with a driver: 7.4 with CUDA 11.4, 8.0 with 12.0.
std::pair<int, int> ptxOf(int Version) {
  return {Version / 1000 - 4, Version % 1000 / 10};
}

struct Log {
  char *Text = nullptr;
  size_t Bytes = 0;
};

Log logOf(unsigned NumOptions, const JitOption *Options, void **Values) {
  Log L;
  for (unsigned N = 0; N < NumOptions; ++N)
    if (Options[N] == JitErrorLog)
      L.Text = static_cast<char *>(Values[N]);
    else if (Options[N] == JitErrorLogBytes)
      L.Bytes = reinterpret_cast<size_t>(Values[N]);
    else
      violation("an option that this driver does not know");
  if (!L.Text != !L.Bytes)
    violation("half a buffer for the compiler's messages");
  return L;
}

goldy::rt::cuda::Result refuse(const Log &L, goldy::rt::cuda::Result R,
                               const std::string &Why) {
  if (L.Text)
    std::snprintf(L.Text, L.Bytes, "ptxas fatal   : %s\n", Why.c_str());
  return R;
}

goldy::rt::cuda::Result judge(const std::string &Text, const Log &L) {
  std::smatch M;
  if (!std::regex_search(Text, M, std::regex("\\.version (\\d+)\\.(\\d+)")))
    return refuse(L, InvalidPtx, "Missing .version directive");
  std::pair<int, int> Wants{std::stoi(M[1]), std::stoi(M[2])};
  std::pair<int, int> Has = ptxOf(state().Version);
  if (Wants > Has)
    return refuse(L, UnsupportedPtxVersion,
                  "Unsupported .version " + M[1].str() + "." + M[2].str() +
                      "; current version is '" + std::to_string(Has.first) +
                      "." + std::to_string(Has.second) + "'");
  if (!std::regex_search(Text, M, std::regex("\\.target sm_(\\d+)(a?)")))
    return refuse(L, InvalidPtx, "Missing .target directive");
  int Target = std::stoi(M[1]),
      Own = 10 * currentDevice().Major + currentDevice().Minor;
  if (Target > Own || (M[2].length() && Target != Own))
    return NoBinaryForGpu;
  return Success;
}

} // namespace

namespace goldy::rt::cuda {

Result cuModuleLoadDataEx(Module *Out, const void *Text, unsigned NumOptions,
                          JitOption *Options, void **Values) {
  FAKE_CALL(cuModuleLoadDataEx, Context, true);
  Log L = logOf(NumOptions, Options, Values);
  std::string Source = static_cast<const char *>(Text);
  if (Result R = judge(Source, L); R != Success)
    return R;
  make<FakeModule>(Out).Text = std::move(Source);
  return Success;
}

Result cuModuleUnload(Module M) {
  Call C("cuModuleUnload", Needs::Context, false);
  FakeModule &Gone = get<FakeModule>(M);
  if (Gone.Running)
    violation("a launch of it is under way");
  died(Gone);
  return C.result();
}

/// `.entry NAME( .param .align 8 .b8 NAME_param_0[BYTES] ) .reqntid X, Y, Z`
Result cuModuleGetFunction(Function *Out, Module M, const char *Name) {
  FAKE_CALL(cuModuleGetFunction, Context, true);
  FakeModule &In = get<FakeModule>(M);
  size_t At = In.Text.find(std::string(".entry ") + Name + "(");
  if (At == In.Text.npos)
    return NotFound;
  std::string Head = In.Text.substr(At, In.Text.find('{', At) - At);
  std::smatch Bytes, Size;
  bool Known =
      std::regex_search(Head, Bytes,
                        std::regex("\\.b8\\s+[\\w$]+\\[(\\d+)\\]")) &&
      std::regex_search(
          Head, Size, std::regex("\\.reqntid\\s+(\\d+),\\s*(\\d+),\\s*(\\d+)"));
  if (!Known)
    violation("an entry that does not take one block by value, or does not "
              "state its size");
  // Functions live as long as their module and count for nothing.
  static std::vector<std::unique_ptr<FakeFunction>> All;
  FakeFunction &F = *All.emplace_back(std::make_unique<FakeFunction>());
  F.Kind = FakeFunction::KindName;
  F.Owner = currentContext();
  F.In = &In;
  F.Name = Name;
  F.BlockBytes = std::stoul(Bytes[1]);
  for (int A = 0; A < 3; ++A)
    F.Workgroup[A] = static_cast<unsigned>(std::stoul(Size[A + 1]));
  *Out = reinterpret_cast<Function>(&F);
  return Success;
}

} // namespace goldy::rt::cuda
