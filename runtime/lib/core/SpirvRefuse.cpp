//===- SpirvRefuse.cpp - A build without the SPIR-V validator -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cannot be checked is not loaded.
//
//===----------------------------------------------------------------------===//
#include "core/SpirvCheck.h"

using namespace goldy::rt;

Status goldy::rt::checkSpirv(const Kernel &K, const Image &) {
  return Status(GOLDY_UNTRUSTED,
                "kernel `" + K.Name +
                    "`: this build has no SPIR-V validator, and the artifact "
                    "was not loaded with GOLDY_LOAD_TRUSTED");
}
