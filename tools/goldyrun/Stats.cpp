//===- Stats.cpp - Times of runs ------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GB/s counts every buffer once, read-write ones twice: what a kernel that
// touches each element once moves.
//
//===----------------------------------------------------------------------===//
#include "Stats.h"

#include "JsonWriter.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

using namespace goldyrun;

void Times::add(const RunTime &R) {
  Wall.push_back(R.DoneNs - R.StartNs);
  Host.push_back(R.SubmittedNs - R.StartNs);
  addDevice(R);
}

void Times::addDevice(const RunTime &R) {
  if (R.Device)
    Device.push_back(R.Device->end_ns - R.Device->begin_ns);
  for (const PartSpan &P : R.Parts) {
    if (Parts.size() <= P.Part)
      Parts.resize(P.Part + 1);
    Parts[P.Part].push_back(P.Span.end_ns - P.Span.begin_ns);
  }
}

/// The sorted times' element at `Share` of the way, 0 to 1.
static uint64_t at(const std::vector<uint64_t> &Ns, double Share) {
  std::vector<uint64_t> Sorted = Ns;
  std::sort(Sorted.begin(), Sorted.end());
  return Sorted[static_cast<size_t>(
      Share * static_cast<double>(Sorted.size() - 1) + 0.5)];
}

static std::string microseconds(uint64_t Ns) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.3f", static_cast<double>(Ns) / 1000);
  return Text;
}

static std::string rate(uint64_t Bytes, uint64_t Ns) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.3f",
                static_cast<double>(Bytes) / static_cast<double>(Ns ? Ns : 1));
  return Text;
}

static std::string timesText(const char *Name,
                             const std::vector<uint64_t> &Ns) {
  if (Ns.empty())
    return "";
  return std::string(Name) + " time in us: min " + microseconds(at(Ns, 0)) +
         ", median " + microseconds(at(Ns, 0.5)) + ", p95 " +
         microseconds(at(Ns, 0.95)) + "\n";
}

static void timesJson(goldy::schema::JsonWriter &J, const char *Name,
                      const std::vector<uint64_t> &Ns) {
  if (Ns.empty())
    return;
  J.open(Name, '{', true);
  J.key("min");
  J.raw(microseconds(at(Ns, 0)));
  J.key("median");
  J.raw(microseconds(at(Ns, 0.5)));
  J.key("p95");
  J.raw(microseconds(at(Ns, 0.95)));
  J.close('}');
}

static uint64_t sum(const std::vector<uint64_t> &Ns) {
  return std::accumulate(Ns.begin(), Ns.end(), uint64_t(0));
}

static std::string partsText(const WorkFacts &F, const Times &T) {
  std::string Out;
  for (size_t I = 0; I < T.Parts.size(); ++I) {
    const PartFacts &P = F.Parts[I];
    const std::vector<uint64_t> &Ns = T.Parts[I];
    Out += "  " + P.Place + " `" + P.Name + "` on " + P.Device +
           (P.Where.empty() ? "" : ", " + P.Where) + ": " +
           std::to_string(Ns.size()) + " x, min " + microseconds(at(Ns, 0)) +
           ", median " + microseconds(at(Ns, 0.5)) + ", p95 " +
           microseconds(at(Ns, 0.95)) + ", sum " + microseconds(sum(Ns)) + "\n";
  }
  return Out.empty() ? "" : "parts of steps in us:\n" + Out;
}

static void partsJson(goldy::schema::JsonWriter &J, const WorkFacts &F,
                      const Times &T) {
  if (T.Parts.empty())
    return;
  J.open("parts", '[');
  for (size_t I = 0; I < T.Parts.size(); ++I) {
    const PartFacts &P = F.Parts[I];
    J.separate();
    J.open('{', true);
    J.text("place", P.Place);
    J.text("name", P.Name);
    J.text("source", P.Where);
    J.text("device", P.Device);
    J.number("times", T.Parts[I].size());
    timesJson(J, "us", T.Parts[I]);
    J.key("sum_us");
    J.raw(microseconds(sum(T.Parts[I])));
    J.close('}');
  }
  J.close(']');
}

/// "groups 1 x 2 x 3", "submit steps 4".
static std::string sizeText(const WorkFacts &F) {
  if (F.IsProgram)
    return "submit steps " + std::to_string(F.Submits);
  return "groups " + std::to_string(F.Grid.X) + " x " +
         std::to_string(F.Grid.Y) + " x " + std::to_string(F.Grid.Z);
}

std::string goldyrun::statsText(const Session &S, const Times &T) {
  const WorkFacts &F = S.facts();
  uint64_t Bytes = S.args().bytesTouched();
  std::string Out = (F.IsProgram ? "program " : "kernel ") + F.Name +
                    ", image " + F.Image + ", device " + F.Device + " (" +
                    F.Description + ")\n";
  Out += sizeText(F) + ", runs " + std::to_string(T.Wall.size()) + "\n";
  Out += timesText("wall", T.Wall) + timesText("host", T.Host) +
         timesText("device", T.Device) + partsText(F, T);
  Out += "buffers " + std::to_string(Bytes) + " bytes, " +
         rate(Bytes, at(T.Wall, 0.5)) + " GB/s at the median";
  if (!T.Device.empty())
    Out += ", " + rate(Bytes, at(T.Device, 0.5)) + " on the device";
  Out += "\n";
  return Out;
}

static void groupsJson(goldy::schema::JsonWriter &J, goldy::Grid G) {
  J.open("groups", '[', true);
  for (uint32_t N : {G.X, G.Y, G.Z}) {
    J.separate();
    J.raw(std::to_string(N));
  }
  J.close(']');
}

std::string goldyrun::statsJson(const Session &S, const Times &T) {
  const WorkFacts &F = S.facts();
  uint64_t Bytes = S.args().bytesTouched();
  goldy::schema::JsonWriter J;
  J.open('{');
  J.text(F.IsProgram ? "program" : "kernel", F.Name);
  J.text("image", F.Image);
  J.text("device", F.Device);
  J.text("description", F.Description);
  J.number("threads", F.Threads);
  if (F.IsProgram)
    J.number("submits", F.Submits);
  else
    groupsJson(J, F.Grid);
  J.number("runs", T.Wall.size());
  timesJson(J, "wall_us", T.Wall);
  timesJson(J, "host_us", T.Host);
  timesJson(J, "device_us", T.Device);
  partsJson(J, F, T);
  J.number("bytes", Bytes);
  J.key("gigabytes_per_second");
  J.raw(rate(Bytes, at(T.Wall, 0.5)));
  if (!T.Device.empty()) {
    J.key("device_gigabytes_per_second");
    J.raw(rate(Bytes, at(T.Device, 0.5)));
  }
  J.close('}');
  return J.take();
}
