//===- Sanitizer.h - What a watched launch is found at --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that was compiled with --sanitize tells each access, barrier and
// assumption before it happens (schemas/goldy_host_abi.h). The judgement is
// about what the language orders, not about what happened to come first: the
// work-items of a group are unordered between two barriers, groups always. So
// one thread is enough, and a launch has the same findings at every run.
//
// docs/Sanitizers.md says what is found and how it reads.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_SANITIZER_H
#define GOLDY_RUNTIME_CPU_SANITIZER_H

#include "artifact/Artifact.h"
#include "cpu/DebugLog.h"
#include "cpu/Findings.h"
#include "cpu/Shadow.h"

#include <array>
#include <optional>
#include <span>

namespace goldy::rt {

/// What watched code means: facts of a kernel and one of its images.
struct WatchedCode {
  std::string Name;                   ///< of the kernel
  std::vector<Param> Params;          ///< their types are not looked at
  std::vector<uint64_t> ElementBytes; ///< of each, 0 for scalars
  std::array<uint32_t, 3> WorkgroupSize{};
  uint32_t LayoutTableOffset = 0;
  uint8_t Kinds = 0; ///< SanitizeBits
  std::vector<WatchSite> Sites;

  static WatchedCode of(const Kernel &K, const Image &I);
};

/// The books of one launch.
class Sanitizer {
public:
  /// `Code` and `Block` outlive this. Throws std::bad_alloc.
  Sanitizer(const WatchedCode &Code, const std::byte *Block,
            const std::array<uint32_t, 3> &Groups);
  /// goldy_host_services::watch, `Self` a Sanitizer.
  static void watch(void *Self, uint64_t Group, uint32_t Item, uint32_t Site,
                    const uint32_t *Words);
  /// When all groups are done: tells what was found. GOLDY_FINDINGS if that is
  /// anything; GOLDY_OUT_OF_MEMORY if the books could not be kept to the end.
  Status finish(const DebugListener &To);

private:
  /// Where a resource lies, read from the parameter block.
  struct Resource {
    uint64_t Address = 0, ElementBytes = 0;
    uint32_t Length = 0; ///< elements of the parent; an image's width
    uint32_t Height = 0;
    uint32_t Offset = 0; ///< tensor: elements
    uint32_t Shape[4] = {}, Strides[4] = {}, Rank = 0, Count = 0;
    bool Tensor = false, Image = false;
    bool Meets = false; ///< memory that the launch writes lies in it
  };
  void take(uint64_t Group, uint32_t Item, uint32_t Number,
            const uint32_t *Words);
  Resource read(const Param &P, uint64_t ElementBytes, const std::byte *Block,
                const std::byte *Table) const;
  void findShared();

  void startGroup(uint64_t Group);
  void endGroup();
  void arrive(const AccessRecord &Now, const WatchSite &S);
  void access(const AccessRecord &Now, const WatchSite &S,
              const uint32_t *Words);
  /// False after a finding.
  bool inRange(const AccessRecord &Now, const WatchSite &S,
               const uint32_t *Words);
  uint64_t limitOf(const WatchSite &S, size_t Index) const;
  uint64_t byteOf(const WatchSite &S, const uint32_t *Words) const;
  uint64_t elementOf(const Resource &R, uint32_t Index) const;
  void copied(const WatchSite &S, uint64_t Count);
  void determined(const AccessRecord &Now, const WatchSite &S, uint64_t Byte,
                  const uint32_t *Words);
  /// The same of a parameter's memory.
  void determinedIn(const AccessRecord &Now, const WatchSite &S,
                    uint64_t Address, const uint32_t *Words);
  void ordered(AccessRecord Now, const WatchSite &S, uint64_t Byte,
               const uint32_t *Words);

  bool asks(unsigned Bits) const { return Code.Kinds & Bits; }
  std::string itemText(const AccessRecord &R) const;
  std::string groupText(uint64_t Group) const;

  const WatchedCode &Code;
  const std::array<uint32_t, 3> Groups;
  std::vector<Resource> Resources;
  Shadow Buffers{true}, Arrays{false};
  Findings Found;
  bool OutOfMemory = false;
  // Of the group that runs.
  std::optional<uint64_t> Group;
  std::vector<uint32_t> Epochs;       ///< by work-item
  std::vector<AccessRecord> Barriers; ///< who came first, by epoch
  uint32_t LastCollective = 0;        ///< epoch that it began
  bool AnyMark = false;
  std::vector<uint32_t> Marks; ///< by byte: collective's site plus 1
};

} // namespace goldy::rt

#endif
