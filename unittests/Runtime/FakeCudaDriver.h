//===- FakeCudaDriver.h - Tests on the fake CUDA driver -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points the runtime at the fake driver for a scope, with its controls.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_RUNTIME_FAKECUDADRIVER_H
#define GOLDY_UNITTESTS_RUNTIME_FAKECUDADRIVER_H

#include "FakeCuda.h"
#include "TestArtifact.h"
#include "core/Objects.h"
#include "goldy/goldy.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

/// What GOLDY_CUDA_LIBRARY is during a scope.
class CudaLibrary {
public:
  explicit CudaLibrary(const char *Path) {
    if (const char *Old = std::getenv("GOLDY_CUDA_LIBRARY"))
      Before = Old;
    setenv("GOLDY_CUDA_LIBRARY", Path, 1);
  }
  ~CudaLibrary() {
    if (Before.empty())
      unsetenv("GOLDY_CUDA_LIBRARY");
    else
      setenv("GOLDY_CUDA_LIBRARY", Before.c_str(), 1);
  }

private:
  std::string Before;
};

/// The fake driver with one device of capability 9.0 and CUDA 12.4, or others.
class FakeCuda {
public:
  explicit FakeCuda(const char *Devices = "9.0", int Version = 12040)
      : Library(dlopen(path().c_str(), RTLD_NOW | RTLD_LOCAL)) {
    reset();
    call<decltype(fakeCudaSetUp)>("fakeCudaSetUp")(Devices, Version);
  }
  ~FakeCuda() {
    reset();
    call<decltype(fakeCudaSetUp)>("fakeCudaSetUp")("9.0", 12040);
  }
  void reset() { call<decltype(fakeCudaReset)>("fakeCudaReset")(); }
  void fail(int Nth, int Result, const char *Symbol = nullptr) {
    call<decltype(fakeCudaFail)>("fakeCudaFail")(Nth, Result, Symbol);
  }
  int calls() { return call<decltype(fakeCudaCalls)>("fakeCudaCalls")(); }
  std::string failed() {
    return call<decltype(fakeCudaFailed)>("fakeCudaFailed")();
  }
  void hold(bool Held) { call<decltype(fakeCudaHold)>("fakeCudaHold")(Held); }
  void pass(uint64_t Ns) { call<decltype(fakeCudaPass)>("fakeCudaPass")(Ns); }
  void around(void (*Enter)(), void (*Leave)()) {
    call<decltype(fakeCudaAround)>("fakeCudaAround")(Enter, Leave);
  }
  size_t alive() { return call<decltype(fakeCudaAlive)>("fakeCudaAlive")(); }
  size_t kernels() {
    return call<decltype(fakeCudaKernels)>("fakeCudaKernels")();
  }
  /// Lines that begin with `Start`.
  std::vector<std::string> lines(const std::string &Start = "") {
    std::vector<std::string> Out;
    size_t Count = call<decltype(fakeCudaLineCount)>("fakeCudaLineCount")();
    for (size_t N = 0; N < Count; ++N) {
      std::string Line = call<decltype(fakeCudaLine)>("fakeCudaLine")(N);
      if (Line.rfind(Start, 0) == 0)
        Out.push_back(Line);
    }
    return Out;
  }

private:
  template <class F> F *call(const char *Name) {
    return reinterpret_cast<F *>(dlsym(Library, Name));
  }
  /// Beside the program's folder, wherever the build has been moved to.
  static std::string path() {
    std::string Program(4096, '\0');
    ssize_t Length = readlink("/proc/self/exe", Program.data(), Program.size());
    Program.resize(Length > 0 ? static_cast<size_t>(Length) : 0);
    return Program.substr(0, Program.rfind('/')) +
           "/../lib/libgoldy-fake-cuda.so";
  }
  CudaLibrary Pointed{path().c_str()};
  void *Library;
};

/// CUresults that tests put in.
inline constexpr int CudaOutOfMemory = 2, CudaIllegalAddress = 700,
                     CudaLaunchTimeout = 702, CudaNoCompiler = 221;

#endif
