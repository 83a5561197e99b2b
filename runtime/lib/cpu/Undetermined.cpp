//===- Undetermined.cpp - Bytes that hold nothing yet ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/Undetermined.h"

#include <algorithm>
#include <vector>

using namespace goldy::rt;

Undetermined &Undetermined::memory() {
  static Undetermined All;
  return All;
}

/// The first range that ends behind `Address`.
Undetermined::Map::iterator Undetermined::firstIn(uint64_t Address) {
  Map::iterator It = Ranges.upper_bound(Address);
  if (It != Ranges.begin() && std::prev(It)->second.End > Address)
    --It;
  return It;
}

void Undetermined::cut(uint64_t Address, uint64_t End) {
  Map::iterator It = firstIn(Address);
  while (It != Ranges.end() && It->first < End) {
    Range Rest = It->second;
    if (It->first < Address) {
      It->second.End = Address;
      ++It;
    } else {
      It = Ranges.erase(It);
    }
    if (Rest.End > End) {
      Ranges[End] = std::move(Rest);
      return;
    }
  }
}

void Undetermined::mark(uint64_t Address, uint64_t Bytes,
                        std::shared_ptr<const WatchSite> Where) {
  if (!Bytes)
    return;
  std::lock_guard Guard(Lock);
  cut(Address, Address + Bytes);
  Ranges[Address] = {Address + Bytes, std::move(Where)};
  changed();
}

void Undetermined::clear(uint64_t Address, uint64_t Bytes) {
  if (!any() || !Bytes)
    return;
  std::lock_guard Guard(Lock);
  cut(Address, Address + Bytes);
  changed();
}

void Undetermined::copy(uint64_t From, uint64_t To, uint64_t Bytes) {
  if (!any() || !Bytes)
    return;
  std::lock_guard Guard(Lock);
  std::vector<std::pair<uint64_t, Range>> Moved;
  for (Map::iterator It = firstIn(From);
       It != Ranges.end() && It->first < From + Bytes; ++It) {
    uint64_t First = std::max(It->first, From);
    uint64_t End = std::min(It->second.End, From + Bytes);
    Moved.push_back({First - From + To, {End - From + To, It->second.Where}});
  }
  cut(To, To + Bytes);
  for (std::pair<uint64_t, Range> &R : Moved)
    Ranges[R.first] = std::move(R.second);
  changed();
}

Undetermined::Stretch Undetermined::find(uint64_t Address, uint64_t Bytes) {
  if (!any() || !Bytes)
    return {};
  std::lock_guard Guard(Lock);
  Map::iterator It = firstIn(Address);
  if (It == Ranges.end() || It->first >= Address + Bytes)
    return {};
  return {std::max(It->first, Address),
          std::min(It->second.End, Address + Bytes), It->second.Where};
}
