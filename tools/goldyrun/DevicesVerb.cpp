//===- DevicesVerb.cpp - goldyrun devices ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every device of every driver of the build, or why there is none.
//
//===----------------------------------------------------------------------===//
#include "Verbs.h"

#include "JsonWriter.h"

#include <cstdio>

using namespace goldyrun;

namespace {
struct Line {
  std::string Name, Description, Unusable;
};
} // namespace

static void describe(size_t Driver, std::vector<Line> &Out) {
  goldy_driver_info_t Info = goldy_driver_info(Driver);
  if (!Info.available)
    return Out.push_back({Info.name, "", Info.description});
  goldy::Result<goldy::DeviceList> List = goldy::DeviceList::of(Driver);
  if (!List)
    return Out.push_back({Info.name, "", List.status().message()});
  if (List->size() == 0)
    Out.push_back({Info.name, "", "its driver has no device"});
  for (size_t I = 0; I < List->size(); ++I) {
    goldy_device_entry_t E = (*List)[I];
    Out.push_back({E.name, E.description, E.unusable ? E.unusable : ""});
  }
}

static std::string asText(const std::vector<Line> &Lines) {
  std::string Text;
  for (const Line &L : Lines) {
    Text += L.Name + ": ";
    if (!L.Unusable.empty())
      Text += "unavailable: ";
    Text += L.Description;
    if (!L.Description.empty() && !L.Unusable.empty())
      Text += ": ";
    Text += L.Unusable + "\n";
  }
  return Text;
}

static std::string asJson(const std::vector<Line> &Lines) {
  goldy::schema::JsonWriter J;
  J.open('[');
  for (const Line &L : Lines) {
    J.separate();
    J.open('{', true);
    J.text("name", L.Name);
    J.boolean("available", L.Unusable.empty());
    J.text("description", L.Description);
    if (!L.Unusable.empty())
      J.text("reason", L.Unusable);
    J.close('}');
  }
  J.close(']');
  return J.take();
}

Exit goldyrun::devicesVerb(const Options &O) {
  std::vector<Line> Lines;
  for (size_t I = 0; I < goldy_driver_count(); ++I)
    describe(I, Lines);
  std::fputs((O.Json ? asJson(Lines) : asText(Lines)).c_str(), stdout);
  return std::fflush(stdout) == 0 ? Exit::Ok
                                  : fail(Exit::Input, "cannot write to stdout");
}
