//===- DevicesVerb.cpp - goldyrun devices ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every driver of the build, opened if it can be.
//
//===----------------------------------------------------------------------===//
#include "Verbs.h"

#include "JsonWriter.h"

#include <cstdio>

using namespace goldyrun;

namespace {
struct Line {
  std::string Name, Description;
  bool Available;
};
} // namespace

static Line describe(const goldy_driver_info_t &Driver) {
  if (!Driver.available)
    return {Driver.name, Driver.description, false};
  goldy::Result<goldy::Device> D = goldy::Device::open(Driver.name);
  if (!D)
    return {Driver.name, D.status().message(), false};
  return {Driver.name, D->info().description, true};
}

Exit goldyrun::devicesVerb(const Options &O) {
  goldy::schema::JsonWriter J;
  std::string Text;
  J.open('[');
  for (size_t I = 0; I < goldy_driver_count(); ++I) {
    Line L = describe(goldy_driver_info(I));
    J.separate();
    J.open('{', true);
    J.text("name", L.Name);
    J.boolean("available", L.Available);
    J.text("description", L.Description);
    J.close('}');
    Text += L.Name + (L.Available ? ": " : ": unavailable: ") + L.Description +
            "\n";
  }
  J.close(']');
  std::fputs(O.Json ? J.take().c_str() : Text.c_str(), stdout);
  return std::fflush(stdout) == 0 ? Exit::Ok
                                  : fail(Exit::Input, "cannot write to stdout");
}
