//===- Trace.cpp - When host and device did what --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times in the file are microseconds since the earliest span.
//
//===----------------------------------------------------------------------===//
#include "Trace.h"

#include "JsonWriter.h"

#include <algorithm>
#include <cstdio>

using namespace goldyrun;

void Trace::host(std::string Name, uint64_t BeginNs, uint64_t EndNs) {
  Spans.push_back({Host, std::move(Name), {}, BeginNs, EndNs});
}

size_t Trace::trackOf(const std::string &Device) {
  size_t At =
      static_cast<size_t>(std::ranges::find(Devices, Device) - Devices.begin());
  if (At == Devices.size())
    Devices.push_back(Device);
  return Host + 1 + At;
}

void Trace::parts(const Session &S, const std::string &Run, const RunTime &R) {
  for (const PartSpan &P : R.Parts) {
    const PartFacts &Of = S.facts().Parts[P.Part];
    Span &X = Spans.emplace_back();
    X.Track = Of.Device == "host" ? Host : trackOf(Of.Device);
    X.Name = Of.Name;
    X.Details = {{"run", Run}, {"step", Of.Place}};
    if (!Of.Where.empty())
      X.Details.emplace_back("source", Of.Where);
    X.BeginNs = P.Span.begin_ns;
    X.EndNs = P.Span.end_ns;
  }
}

void Trace::run(const Session &S, uint64_t Number, const RunTime &R) {
  std::string Name = "run " + std::to_string(Number);
  host(Name, R.StartNs, R.DoneNs);
  host("submit", R.StartNs, R.SubmittedNs);
  if (S.facts().IsProgram)
    return parts(S, Name, R);
  goldy::Grid G = S.facts().Grid;
  size_t Track = trackOf(S.facts().Device);
  if (R.Device && R.Device->end_ns)
    Spans.push_back(
        {Track,
         S.facts().Name,
         {{"run", Name + ", groups " + std::to_string(G.X) + " x " +
                      std::to_string(G.Y) + " x " + std::to_string(G.Z)}},
         R.Device->begin_ns,
         R.Device->end_ns});
}

static void track(goldy::schema::JsonWriter &J, size_t Number,
                  const std::string &Name) {
  J.separate();
  J.open('{', true);
  J.text("name", "thread_name");
  J.text("ph", "M");
  J.number("pid", 1);
  J.number("tid", Number);
  J.open("args", '{');
  J.text("name", Name);
  J.close('}');
  J.close('}');
}

static std::string microseconds(uint64_t Ns) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%llu.%03u",
                static_cast<unsigned long long>(Ns / 1000),
                static_cast<unsigned>(Ns % 1000));
  return Text;
}

std::string Trace::json() const {
  uint64_t First = UINT64_MAX;
  for (const Span &S : Spans)
    First = std::min(First, S.BeginNs);
  goldy::schema::JsonWriter J;
  J.open('{');
  J.text("displayTimeUnit", "ns");
  J.open("traceEvents", '[');
  track(J, Host, "host");
  for (size_t I = 0; I < Devices.size(); ++I)
    track(J, Host + 1 + I, "device " + Devices[I]);
  for (const Span &S : Spans) {
    J.separate();
    J.open('{', true);
    J.text("name", S.Name);
    J.text("cat", S.Track == Host ? "host" : "device");
    J.text("ph", "X");
    J.number("pid", 1);
    J.number("tid", S.Track);
    J.key("ts");
    J.raw(microseconds(S.BeginNs - First));
    J.key("dur");
    J.raw(microseconds(S.EndNs - S.BeginNs));
    if (!S.Details.empty()) {
      J.open("args", '{');
      for (const auto &[Key, Text] : S.Details)
        J.text(Key, Text);
      J.close('}');
    }
    J.close('}');
  }
  J.close(']');
  J.close('}');
  return J.take() + "\n";
}

Exit Trace::write(const std::string &Path) const {
  std::string Text = json();
  bool Good = false;
  if (std::FILE *F = std::fopen(Path.c_str(), "wb")) {
    Good = std::fwrite(Text.data(), 1, Text.size(), F) == Text.size();
    Good = std::fclose(F) == 0 && Good;
  }
  return Good ? Exit::Ok
              : fail(Exit::Input, "`--trace`: cannot write " + quoted(Path));
}
