//===- Code.cpp - PTX that is ready to run --------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/Code.h"

#include <algorithm>
#include <cstdint>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

/// Of one kernel's parameters in PTX below version 8.1.
static constexpr uint32_t MostBlockBytes = 4096;

static Status overLimit(const Kernel &K, const std::string &What,
                        uint64_t Limit) {
  return Status(GOLDY_LIMIT, "kernel `" + K.Name + "`: " + What +
                                 ", the device's limit is " +
                                 std::to_string(Limit));
}

static Status checkLimits(const PhysicalDevice &P, const Kernel &K,
                          const std::array<uint32_t, 3> &Threads) {
  if (K.BlockSize > MostBlockBytes)
    return overLimit(
        K, "its parameter block has " + std::to_string(K.BlockSize) + " bytes",
        MostBlockBytes);
  uint64_t Items = 1;
  for (int A = 0; A < 3; ++A) {
    Items *= Threads[A];
    if (Threads[A] > P.MaxWorkgroup[A])
      return overLimit(K,
                       "its workgroup has " + std::to_string(Threads[A]) +
                           " work-items along " + "xyz"[A],
                       P.MaxWorkgroup[A]);
  }
  if (Items > P.MaxWorkItems)
    return overLimit(
        K, "its workgroup has " + std::to_string(Items) + " work-items",
        P.MaxWorkItems);
  return Status();
}

/// The driver's compiler has written up to the first zero.
static std::string logText(const std::string &Log) {
  std::string Text = Log.substr(0, Log.find('\0'));
  while (!Text.empty() && (Text.back() == '\n' || Text.back() == ' '))
    Text.pop_back();
  return Text;
}

static Status loadModule(Device &D, const Image &I, Module &Out) {
  std::string Text(reinterpret_cast<const char *>(I.Code.data()),
                   I.Code.size());
  std::string Log(8192, '\0');
  JitOption Options[] = {JitErrorLog, JitErrorLogBytes};
  void *Values[] = {Log.data(), reinterpret_cast<void *>(Log.size())};
  Module Loaded = nullptr;
  Result R = D.cu().ModuleLoadDataEx(&Loaded, Text.c_str(), 2, Options, Values);
  Status S = D.check(R, "cuModuleLoadDataEx");
  if (S.ok()) {
    Out = Loaded;
    return S;
  }
  std::string Said = logText(Log);
  return Said.empty() ? std::move(S)
                      : Status(S.code(), S.message() + ": " + Said);
}

Code::~Code() {
  if (Loaded)
    Cu.ModuleUnload(Loaded);
}

Status cuda::loadCode(Device &D, const Kernel &K, const Image &I,
                      std::unique_ptr<Code> &Out) {
  GOLDY_TRY(checkLimits(D.physical(), K, K.threadsOf(I)));
  std::unique_ptr<Code> C = std::make_unique<Code>(D.cu());
  C->Threads = K.threadsOf(I);
  Status S = loadModule(D, I, C->Loaded);
  if (S.ok())
    S = D.check(D.cu().ModuleGetFunction(&C->Entry, C->Loaded, I.Entry.c_str()),
                "cuModuleGetFunction");
  if (!S.ok())
    return Status(S.code(), "kernel `" + K.Name + "`, image " + I.Arch + ": " +
                                S.message());
  Out = std::move(C);
  return S;
}
