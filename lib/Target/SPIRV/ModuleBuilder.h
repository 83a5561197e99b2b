//===- ModuleBuilder.h - SPIR-V words, section by section --------*- C++
//-*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows the binary form. A module is one vector of words a
// section, concatenated at the end; types, constants and decorated types are
// hash-consed, so equal requests give equal ids. A function body has at most
// one open block: `label` opens it, only a terminator closes it, and nothing
// can be appended while none is open. Ids are given out in the order of the
// requests, so equal input gives equal words.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_SPIRV_MODULEBUILDER_H
#define GOLDYC_LIB_TARGET_SPIRV_MODULEBUILDER_H

#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace goldy::spirv {

using Id = uint32_t; ///< 0: none
using Words = std::vector<uint32_t>;

/// Appends one instruction to a section.
void append(Words &To, spv::Op Opcode, std::span<const uint32_t> Operands);
inline void append(Words &To, spv::Op Opcode,
                   std::initializer_list<uint32_t> Operands) {
  append(To, Opcode, std::span(Operands.begin(), Operands.size()));
}
/// A literal string as words: UTF-8, NUL-terminated, zero-padded.
Words literal(std::string_view Text);

/// Addressed: SPIR-V 1.6, buffers by 64-bit addresses, the Vulkan memory
/// model. Logical: SPIR-V 1.3 with nothing beyond Vulkan 1.1's core in its
/// header, and the GLSL450 memory model.
enum class ModuleForm : uint8_t { Addressed, Logical };

class ModuleBuilder {
public:
  explicit ModuleBuilder(ModuleForm Form = ModuleForm::Addressed)
      : Form(Form) {}
  Id newId() { return Bound++; }

  void capability(spv::Capability C);
  bool declares(spv::Capability C) const { return Declared.count(C) != 0; }
  void extension(std::string_view Name);
  /// The `GLSL.std.450` import.
  Id glsl();
  void name(Id Of, std::string_view Text);
  void memberName(Id Of, uint32_t Member, std::string_view Text);
  void decorate(Id Of, spv::Decoration D,
                std::initializer_list<uint32_t> Extra = {});
  void decorateMember(Id Of, uint32_t Member, spv::Decoration D,
                      std::initializer_list<uint32_t> Extra = {});

  // --- Types
  Id voidType() { return type(spv::Op::OpTypeVoid, {}); }
  Id boolType() { return type(spv::Op::OpTypeBool, {}); }
  Id intType(uint32_t Bits, bool Signed) {
    return type(spv::Op::OpTypeInt, {Bits, Signed ? 1u : 0u});
  }
  Id u32Type() { return intType(32, false); }
  /// 64 bits wide; declares the capability.
  Id longType(bool Signed);
  Id u64Type() { return longType(false); }
  bool isLong(Id Type) const {
    return Type == LongTypes[0] || Type == LongTypes[1];
  }
  Id f32Type() { return type(spv::Op::OpTypeFloat, {32}); }
  Id vectorType(Id Element, uint32_t Count) {
    return type(spv::Op::OpTypeVector, {Element, Count});
  }
  Id arrayType(Id Element, uint32_t Count) {
    return type(spv::Op::OpTypeArray, {Element, u32(Count)});
  }
  /// Two equal integers' result of the extended multiplications.
  Id pairType(Id Element) {
    return type(spv::Op::OpTypeStruct, {Element, Element});
  }
  Id pointerType(spv::StorageClass Class, Id To) {
    return type(spv::Op::OpTypePointer, {static_cast<uint32_t>(Class), To});
  }
  /// A two-dimensional storage image of four floats.
  Id imageType() {
    constexpr uint32_t Storage = 2;
    return type(spv::Op::OpTypeImage,
                {f32Type(), static_cast<uint32_t>(spv::Dim::Dim2D), 0, 0, 0,
                 Storage, static_cast<uint32_t>(spv::ImageFormat::Rgba32f)});
  }
  Id functionType(Id Result) { return type(spv::Op::OpTypeFunction, {Result}); }
  /// A `Block` struct with explicit offsets; a new type each time.
  struct Member {
    Id Type;
    uint32_t Offset;
    std::string_view Name;
  };
  Id blockType(std::span<const Member> Members, std::string_view Name);
  /// `{ uint words[]; }`, a `Block`.
  Id wordsType();

  // --- Constants
  Id constant(Id Type, uint32_t Word) {
    return type(spv::Op::OpConstant, {Type, Word}, true);
  }
  Id u32(uint32_t Value) { return constant(u32Type(), Value); }
  Id constant64(Id Type, uint64_t Value);
  Id u64(uint64_t Value) { return constant64(u64Type(), Value); }
  Id boolean(bool Value);
  /// A bool that is false unless the pipeline sets it.
  Id specFalse(uint32_t SpecId, std::string_view Name);
  Id null(Id Type) { return type(spv::Op::OpConstantNull, {Type}, true); }
  Id composite(Id Type, std::span<const Id> Members);
  /// A constant with a default that the consumer may replace; a new one each
  /// time. The caller decorates it with its SpecId.
  Id specConstant(Id Type, uint32_t Default);
  Id specBoolean(bool Default);

  // --- Module scope
  Id variable(spv::StorageClass Class, Id To, Id Initializer = 0);
  void entryPoint(Id Function, std::string_view Name);
  void executionMode(Id Function, spv::ExecutionMode Mode,
                     std::initializer_list<uint32_t> Extra = {});

  /// Header and sections in the order that the format prescribes. `Function`
  /// is the whole function section.
  Words finish(const Words &Function);

private:
  /// Hash-consed declaration; `Typed` puts the result id second.
  Id type(spv::Op Opcode, std::initializer_list<uint32_t> Operands,
          bool Typed = false) {
    return declare(Opcode, Words(Operands), Typed);
  }
  Id declare(spv::Op Opcode, const Words &Operands, bool Typed);

  ModuleForm Form;
  Id Bound = 1;
  Id LongTypes[2] = {0, 0}; ///< unsigned, signed
  Id Glsl = 0;
  std::set<spv::Capability> Declared;
  Words Extensions, Imports, EntryPoints, Modes, Names, Decorations, Globals;
  std::vector<Id> Interface; ///< what the entry point names
  std::map<std::pair<spv::Op, Words>, Id> Known;
  std::map<uint32_t, Id> SpecConstants; ///< by SpecId
};

/// The body of the one function: variables, what the entry block computes
/// before anything else, then the code.
class Body {
public:
  explicit Body(ModuleBuilder &M) : M(M) {}

  bool isOpen() const { return Open != 0; }
  Id block() const { return Open; } ///< the open block, 0 if none
  void label(Id Block);

  /// An instruction with a result, in the open block.
  Id value(spv::Op Opcode, Id Type, std::initializer_list<uint32_t> Operands) {
    return valueInto(Code, Opcode, Type, Operands);
  }
  Id value(spv::Op Opcode, Id Type, const Words &Operands) {
    return valueInto(Code, Opcode, Type, Operands);
  }
  /// Ditto at the head of the entry block: dominates everything.
  Id early(spv::Op Opcode, Id Type, std::initializer_list<uint32_t> Operands) {
    return valueInto(Prologue, Opcode, Type, Operands);
  }
  void effect(spv::Op Opcode, std::span<const uint32_t> Operands);
  void effect(spv::Op Opcode, std::initializer_list<uint32_t> Operands) {
    effect(Opcode, std::span(Operands.begin(), Operands.size()));
  }
  /// A function-scope variable of type `To`.
  Id variable(Id To);

  // --- Merges and terminators
  void selectionMerge(Id Merge);
  void loopMerge(Id Merge, Id Continue);
  void branch(Id To) { close(spv::Op::OpBranch, {To}); }
  void branchIf(Id Condition, Id Then, Id Else) {
    close(spv::Op::OpBranchConditional, {Condition, Then, Else});
  }
  /// A switch with a default only: a breakable block.
  void enter(Id Selector, Id To) { close(spv::Op::OpSwitch, {Selector, To}); }
  void ret() { close(spv::Op::OpReturn, {}); }
  void unreachable() { close(spv::Op::OpUnreachable, {}); }

  /// The function section: `Function` is its id, `Entry` its first label.
  Words finish(Id Function, Id FunctionType, Id Result, Id Entry) const;

private:
  Id valueInto(Words &To, spv::Op Opcode, Id Type,
               std::span<const uint32_t> Operands);
  Id valueInto(Words &To, spv::Op Opcode, Id Type,
               std::initializer_list<uint32_t> Operands) {
    return valueInto(To, Opcode, Type,
                     std::span(Operands.begin(), Operands.size()));
  }
  void close(spv::Op Opcode, std::initializer_list<uint32_t> Operands);

  ModuleBuilder &M;
  Id Open = 0;
  bool First = true; ///< the entry label is written by finish
  Words Variables, Prologue, Code;
};

} // namespace goldy::spirv

#endif
