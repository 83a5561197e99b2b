//===- Template.cpp - A program before its devices are known --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists stand in the same order in both forms, so numbers stay as they are.
//
//===----------------------------------------------------------------------===//
#include "program/Template.h"

#include <cassert>

using namespace goldy::program;

ProgramDesc
goldy::program::instantiate(const ProgramTemplate &T,
                            std::span<const std::string> Archs,
                            std::span<const std::string_view> Binaries) {
  assert(Archs.size() == T.Devices.size() && "one arch a device");
  assert(Binaries.size() == T.Images.size() && "one binary an image");
  ProgramDesc P;
  P.Devices.assign(Archs.begin(), Archs.end());
  P.Memories = T.Memories;
  for (size_t I = 0; I < T.Images.size(); ++I)
    P.Images.push_back({T.Images[I].Device, {std::string(Binaries[I]), {}}});
  for (const NamedInput &In : T.Inputs)
    P.Inputs.push_back({In.Device, In.Bytes});
  P.Ints = static_cast<Number>(T.Ints.size());
  P.Steps = T.Steps;
  return P;
}
