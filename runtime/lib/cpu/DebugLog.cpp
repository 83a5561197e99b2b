//===- DebugLog.cpp - What kernels print ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/DebugLog.h"

#include "goldy/goldy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <new>
#include <string_view>

using namespace goldy::rt;

static constexpr size_t MostRecords = size_t(1) << 20;

static std::string floatText(uint32_t Bits) {
  float Value = std::bit_cast<float>(Bits);
  if (std::isnan(Value))
    return "nan";
  char Text[32];
  return std::string(Text, std::to_chars(Text, Text + sizeof Text, Value).ptr);
}

static std::string scalarText(uint32_t Kind, uint64_t Bits) {
  switch (Kind) {
  case GOLDY_TYPE_BOOL:
    return Bits ? "true" : "false";
  case GOLDY_TYPE_I32:
    return std::to_string(static_cast<int32_t>(Bits));
  case GOLDY_TYPE_F32:
    return floatText(static_cast<uint32_t>(Bits));
  case GOLDY_TYPE_I64:
    return std::to_string(static_cast<int64_t>(Bits));
  default:
    return std::to_string(Bits);
  }
}

void DebugLog::add(void *Log, const uint32_t *Id, uint32_t Kind, uint32_t Count,
                   const uint64_t *Bits) {
  DebugLog &To = *static_cast<DebugLog *>(Log);
  Record R{{Id[0], Id[1], Id[2]}, Kind, std::min(Count, 4u), {}};
  std::copy_n(Bits, R.Count, R.Bits.begin());
  std::lock_guard Guard(To.Lock);
  if (To.Records.size() == MostRecords || !To.keep(R))
    ++To.Dropped;
}

/// Called by a kernel, through which no exception may go.
bool DebugLog::keep(const Record &R) noexcept {
  try {
    Records.push_back(R);
    return true;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

void DebugLog::print(const std::string &Kernel, const DebugListener &To) {
  try {
    printAll(Kernel, To);
  } catch (const std::bad_alloc &) {
    // The launch is done all the same.
    constexpr std::string_view Line =
        "more values were left out: no memory left";
    To.Call(To.User, Line.data(), Line.size());
  }
}

void DebugLog::printAll(const std::string &Kernel, const DebugListener &To) {
  // Equal keys stay in the order in which they were recorded.
  std::multimap<std::array<uint32_t, 3>, const Record *> Sorted;
  for (const Record &R : Records)
    Sorted.emplace(std::array{R.Id[2], R.Id[1], R.Id[0]}, &R);
  for (const auto &[Key, Entry] : Sorted) {
    const Record &R = *Entry;
    std::string Line = Kernel + " [" + std::to_string(R.Id[0]) + ", " +
                       std::to_string(R.Id[1]) + ", " +
                       std::to_string(R.Id[2]) + "]: ";
    Line += R.Count > 1 ? "(" : "";
    for (uint32_t N = 0; N < R.Count; ++N)
      Line += (N ? ", " : "") + scalarText(R.Kind, R.Bits[N]);
    Line += R.Count > 1 ? ")" : "";
    To.Call(To.User, Line.data(), Line.size());
  }
  if (Dropped == 0)
    return;
  std::string Line =
      Kernel + ": " + std::to_string(Dropped) + " more values were left out";
  To.Call(To.User, Line.data(), Line.size());
}
