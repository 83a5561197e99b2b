//===- Shadow.h - Who touched which bytes ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory in pages that are made when they are touched, in cells of a word, or
// of what the narrowest access of the page so far takes. Of plain reads, plain
// writes and atomic operations a cell knows the last one and one other that is
// unordered with it. That is enough: groups are told one after another, so if
// any earlier access is unordered with the next one, one of those kept is.
// Writes of equal values to equal bytes do not conflict.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_SHADOW_H
#define GOLDY_RUNTIME_CPU_SHADOW_H

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace goldy::rt {

/// One access; `Site` 0: none. Accesses are told group by group.
struct AccessRecord {
  uint64_t Group = 0;
  uint32_t Item = 0;  ///< linear, within the group
  uint32_t Epoch = 0; ///< barriers that the work-item has passed
  uint32_t Site = 0;  ///< its number plus 1
  uint32_t Value = 0; ///< writes: what and of which bytes; 0: unknown
};

class Shadow {
public:
  enum class Kind : uint8_t { Read, Write, Atomic };
  /// `Shared`: groups meet here; else each group has memory of its own.
  explicit Shadow(bool Shared) : Shared(Shared) {}

  /// An earlier access that is unordered with the new one and conflicts.
  struct Conflict {
    AccessRecord Earlier;
    Kind Was = Kind::Read;
    explicit operator bool() const { return Earlier.Site != 0; }
  };
  /// Notes an access of [Address, Address + Bytes); what it conflicts with, if
  /// anything. Throws std::bad_alloc.
  Conflict note(uint64_t Address, uint32_t Bytes, Kind K,
                const AccessRecord &Now);

private:
  struct Pair {
    AccessRecord Last, Other;
  };
  static constexpr unsigned PageShift = 10;
  struct Page {
    unsigned CellShift = 2;
    std::vector<Pair> Kinds[3]; ///< by Kind and cell; empty: none yet
  };
  Page &pageOf(uint64_t Address, unsigned CellShift);
  static void split(std::vector<Pair> &Cells, unsigned By);
  bool unordered(const AccessRecord &A, const AccessRecord &B) const;
  void add(Pair &P, const AccessRecord &Now) const;
  Conflict meet(const Page &P, size_t Cell, Kind K,
                const AccessRecord &Now) const;

  const bool Shared;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  uint64_t LastNumber = ~uint64_t(0);
  Page *Last = nullptr;
};

} // namespace goldy::rt

#endif
