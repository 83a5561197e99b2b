//===- Target.h - What every emitter takes and gives
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All targets have one shape. An emitter takes one kernel, verified and
// legalised for its capabilities (Slang text: the definition), and gives an
// Image or a diagnostic. It transcribes; semantics were decided in Legalise.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_TARGET_H
#define GOLDYC_TARGET_TARGET_H

#include "goldyc/IR/WatchSites.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Target/DebugSources.h"
#include "goldyc/Verify/Verify.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

/// What a debugger reads beside host code: the relocatable object that the code
/// was cut from, whose code sections have their place in the code for an
/// address.
struct DebugObject {
  std::vector<uint8_t> Bytes;
  /// Bytes from the start, ascending: 64-bit words to which whoever loads the
  /// code adds its address.
  std::vector<uint32_t> Addresses;
};

/// Host code for debuggers: one work-item's group, work-item by work-item, and
/// that work-item in code which nothing optimised (schemas/goldy_host_abi.h).
struct ItemCode {
  std::vector<uint8_t> Bytes;
  uint64_t EntryOffset = 0;
  uint64_t ScratchBytes = 0;
  DebugObject Debug;
};

/// One kernel compiled for one architecture.
struct Image {
  std::string Arch;   ///< "x86-64-v3", "vulkan1.3", "sm_80"
  std::string Format; ///< "x86-blob", "spirv", "ptx"
  std::vector<uint8_t> Bytes;
  std::string Entry;        ///< symbol (SPIR-V, PTX)
  uint64_t EntryOffset = 0; ///< host blob: entry's byte offset
  uint64_t ScratchBytes =
      0; ///< host: workgroup memory + contexts a thread needs
  uint32_t WorkgroupBytes = 0;    ///< static workgroup memory
  uint32_t PushConstantBytes = 0; ///< SPIR-V: what is pushed
  bool BlockBehindAddress =
      false; ///< SPIR-V: the push constant is the block's address
  /// SPIR-V: elements of the array of word blocks at set 0, binding 0, by which
  /// buffers are reached; 0: by their addresses.
  uint32_t WordBindings = 0;
  /// Threads of a group that is dispatched, and the kernel's groups along x for
  /// which it stands: the kernel's workgroup size if that is one.
  std::array<uint32_t, 3> Threads{};
  uint32_t GroupsAtOnce = 1;
  std::vector<uint8_t> Switches;     ///< DeviceSwitch that it reads, sorted
  std::vector<std::string> Features; ///< device features needed, sorted
  /// Host: what its `ir::watch` operations stand for, by number, and which
  /// findings were asked for (SanitizeBits); 0: it is not watched.
  std::vector<WatchSite> Sites;
  uint8_t Sanitize = 0;
  DebugObject Debug;            ///< host, -g
  std::optional<ItemCode> Item; ///< host, -g
};

struct EmitOptions {
  unsigned OptLevel = 2;
  /// SPIR-V: "vulkan1.1" reaches buffers by an array of word blocks, anything
  /// else by addresses.
  std::string_view Arch = "";
  /// -g: debug information of host code; null: none.
  const DebugSources *Debug = nullptr;
  /// PTX: groups of one warp that have barriers share a block.
  bool PacksWarps = false;
};

} // namespace goldy

#endif
