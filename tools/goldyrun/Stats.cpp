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

using namespace goldyrun;

uint64_t Times::at(double Share) const {
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

std::string goldyrun::statsText(const Session &S, const Times &T) {
  goldy::Grid G = S.grid();
  uint64_t Bytes = S.args().bytesTouched();
  std::string Out = std::string("kernel ") + S.kernel().name + ", image " +
                    S.kernel().arch + ", device " + S.device().name + " (" +
                    S.device().description + ")\n";
  Out += "groups " + std::to_string(G.X) + " x " + std::to_string(G.Y) + " x " +
         std::to_string(G.Z) + ", runs " + std::to_string(T.Ns.size()) + "\n";
  Out += "wall time in us: min " + microseconds(T.at(0)) + ", median " +
         microseconds(T.at(0.5)) + ", p95 " + microseconds(T.at(0.95)) + "\n";
  Out += "buffers " + std::to_string(Bytes) + " bytes, " +
         rate(Bytes, T.at(0.5)) + " GB/s at the median\n";
  return Out;
}

std::string goldyrun::statsJson(const Session &S, const Times &T) {
  goldy::Grid G = S.grid();
  uint64_t Bytes = S.args().bytesTouched();
  goldy::schema::JsonWriter J;
  J.open('{');
  J.text("kernel", S.kernel().name);
  J.text("image", S.kernel().arch);
  J.text("device", S.device().name);
  J.text("description", S.device().description);
  J.number("threads", S.device().threads);
  J.open("groups", '[', true);
  for (uint32_t N : {G.X, G.Y, G.Z}) {
    J.separate();
    J.raw(std::to_string(N));
  }
  J.close(']');
  J.number("runs", T.Ns.size());
  J.open("wall_us", '{', true);
  J.key("min");
  J.raw(microseconds(T.at(0)));
  J.key("median");
  J.raw(microseconds(T.at(0.5)));
  J.key("p95");
  J.raw(microseconds(T.at(0.95)));
  J.close('}');
  J.number("bytes", Bytes);
  J.key("gigabytes_per_second");
  J.raw(rate(Bytes, T.at(0.5)));
  J.close('}');
  return J.take();
}
