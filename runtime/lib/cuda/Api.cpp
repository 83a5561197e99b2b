//===- Api.cpp - The functions of the CUDA driver -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The version is asked for before the rest of the table is filled, so that an
// old driver is called old rather than incomplete.
//
//===----------------------------------------------------------------------===//
#include "cuda/Api.h"

#include "cuda/Result.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

std::string cuda::versionText(int Version) {
  return std::to_string(Version / 1000) + "." +
         std::to_string(Version % 1000 / 10);
}

static Status openLibrary(void *&Out) {
  const char *Asked = std::getenv("GOLDY_CUDA_LIBRARY");
  const char *Name = Asked && *Asked ? Asked : "libcuda.so.1";
  Out = dlopen(Name, RTLD_NOW | RTLD_LOCAL);
  if (Out)
    return Status();
  std::string Which = std::string("the CUDA driver `") + Name + "` ";
  if (Name == Asked)
    return Status(GOLDY_UNAVAILABLE,
                  Which +
                      "(GOLDY_CUDA_LIBRARY) cannot be opened: " + dlerror());
  return Status(GOLDY_UNAVAILABLE,
                Which + "was not found; install NVIDIA's driver");
}

static Status fill(void *Library, Api &Table) {
#define GOLDY_CUDA_LOAD(Name, Symbol, Params)                                  \
  Table.Name =                                                                 \
      reinterpret_cast<decltype(Table.Name)>(dlsym(Library, #Symbol));         \
  if (!Table.Name)                                                             \
    return Status(GOLDY_UNAVAILABLE,                                           \
                  "the CUDA driver has no function `" #Symbol "`");
  GOLDY_CUDA_FUNCTIONS(GOLDY_CUDA_LOAD)
#undef GOLDY_CUDA_LOAD
  return Status();
}

Status Api::load(std::shared_ptr<const Api> &Out) {
  std::shared_ptr<Api> Table = std::make_shared<Api>();
  void *Library = nullptr;
  GOLDY_TRY(openLibrary(Library));
  Status Filled = fill(Library, *Table);
  if (Table->DriverGetVersion)
    GOLDY_TRY(fromResult(Table->DriverGetVersion(&Table->Version),
                         "cuDriverGetVersion"));
  if (Table->Version && Table->Version < LeastVersion)
    return Status(GOLDY_UNAVAILABLE,
                  "the CUDA driver is of CUDA " + versionText(Table->Version) +
                      ", at least " + versionText(LeastVersion) +
                      " is needed; install a newer driver of NVIDIA's");
  GOLDY_TRY(std::move(Filled));
  GOLDY_TRY(fromResult(Table->Init(0), "cuInit"));
  Out = std::move(Table);
  return Status();
}
