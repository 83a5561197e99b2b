//===- SpirvModule.h - SPIR-V taken apart and put together ------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module that another compiler made, as instructions in the sections that
// the format prescribes. What is read is checked for form only (lengths); its
// meaning is the validator's matter.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_FOREIGN_SPIRVMODULE_H
#define GOLDYC_LIB_FOREIGN_SPIRVMODULE_H

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace goldy::foreign {

using Id = uint32_t;
using Words = std::vector<uint32_t>;

struct Instruction {
  spv::Op Opcode = spv::Op::OpNop;
  Words Operands; ///< the words after the first: type and result included

  bool is(spv::Op O) const { return Opcode == O; }
  Id resultType() const; ///< 0: none
  Id result() const;     ///< 0: none
};

/// In the order of the file.
enum class Section : uint8_t {
  Capabilities,
  Extensions,
  Imports,
  MemoryModel,
  EntryPoints,
  ExecutionModes,
  Debug,
  Annotations,
  Globals, ///< types, constants, variables
  Functions
};

class SpirvModule {
public:
  /// Nothing if the words are no SPIR-V.
  static std::optional<SpirvModule> read(std::span<const uint32_t> From);
  Words write() const;

  std::vector<Instruction> &operator[](Section S) {
    return Sections[static_cast<size_t>(S)];
  }
  const std::vector<Instruction> &operator[](Section S) const {
    return Sections[static_cast<size_t>(S)];
  }
  Id newId() { return Bound++; }
  uint32_t version() const { return Version; }
  void atLeastVersion(uint32_t V) { Version = std::max(Version, V); }

  /// The instruction that defines an id outside of functions; null if none.
  const Instruction *global(Id I) const;
  bool hasCapability(spv::Capability C) const;
  void addCapability(spv::Capability C);
  /// The value of a decoration of an id (0 if it has no operand).
  std::optional<uint32_t> decoration(Id Target, spv::Decoration D) const;
  std::optional<uint32_t> memberDecoration(Id Struct, uint32_t Member,
                                           spv::Decoration D) const;
  std::string name(Id Target) const;
  std::string memberName(Id Struct, uint32_t Member) const;

private:
  uint32_t Version = 0, Generator = 0, Bound = 1;
  std::array<std::vector<Instruction>, 10> Sections;
};

/// The text that starts at an operand.
std::string literalText(std::span<const uint32_t> Operands);
/// `Text` as operands.
Words literalWords(std::string_view Text);

} // namespace goldy::foreign

#endif
