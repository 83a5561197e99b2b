//===- SpirvCheck.cpp - SPIR-V from files that nobody vouches for ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The validator first: after it, instructions have the operands that their
// opcodes say, ids are defined, and the walk below need not look at lengths.
//
//===----------------------------------------------------------------------===//
#include "core/SpirvCheck.h"

#include <spirv-tools/libspirv.hpp>
#include <spirv/unified1/spirv.hpp11>

#include <cstring>
#include <map>

using namespace goldy::rt;

namespace {

using Words = std::vector<uint32_t>;

class InterfaceCheck {
public:
  InterfaceCheck(const Kernel &K, const Image &I, const Words &Code)
      : K(K), I(I), Code(Code) {}

  /// Why the interface is not the artifact's; empty if it is.
  std::string run() {
    for (size_t At = 5; At < Code.size(); At += Code[At] >> 16) {
      std::string Why = instruction(&Code[At]);
      if (!Why.empty())
        return Why;
    }
    return Entries == 1 ? "" : std::to_string(Entries) + " entry points";
  }

private:
  std::string instruction(const uint32_t *W) {
    switch (static_cast<spv::Op>(W[0] & 0xffff)) {
    case spv::Op::OpEntryPoint:
      return entry(W);
    case spv::Op::OpExecutionMode:
      return mode(W);
    case spv::Op::OpVariable:
      return variable(static_cast<spv::StorageClass>(W[3]));
    case spv::Op::OpMemberDecorate:
      if (static_cast<spv::Decoration>(W[3]) == spv::Decoration::Offset)
        Offsets[{W[1], W[2]}] = W[4];
      return "";
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      Bytes[W[1]] = W[2] / 8;
      return "";
    case spv::Op::OpTypeStruct:
      Members[W[1]] = Words(W + 2, W + (W[0] >> 16));
      return "";
    case spv::Op::OpTypePointer:
      if (static_cast<spv::StorageClass>(W[2]) ==
          spv::StorageClass::PushConstant)
        return pushed(W[3]);
      return "";
    default:
      return "";
    }
  }

  std::string entry(const uint32_t *W) {
    ++Entries;
    size_t Room = ((W[0] >> 16) - 3) * 4;
    const char *Name = reinterpret_cast<const char *>(W + 3);
    std::string_view Text(Name, strnlen(Name, Room));
    if (Text != I.Entry)
      return "its entry point is `" + std::string(Text) + "`, not `" + I.Entry +
             "`";
    return static_cast<spv::ExecutionModel>(W[1]) ==
                   spv::ExecutionModel::GLCompute
               ? ""
               : "its entry point is no compute shader";
  }

  std::string mode(const uint32_t *W) const {
    if (static_cast<spv::ExecutionMode>(W[2]) != spv::ExecutionMode::LocalSize)
      return "";
    const std::array<uint32_t, 3> &Size = K.threadsOf(I);
    bool Same = W[3] == Size[0] && W[4] == Size[1] && W[5] == Size[2];
    return Same ? "" : "its workgroup size is not the kernel's";
  }

  static std::string variable(spv::StorageClass Class) {
    switch (Class) {
    case spv::StorageClass::Input:
    case spv::StorageClass::Workgroup:
    case spv::StorageClass::Private:
    case spv::StorageClass::Function:
    case spv::StorageClass::PushConstant:
      return "";
    default:
      return "it declares variables that the parameter block does not have";
    }
  }

  /// A pointer into the push constants: to a scalar of them, or to the whole,
  /// a struct of scalars.
  std::string pushed(uint32_t Type) {
    if (Bytes.count(Type))
      return "";
    if (!Members.count(Type))
      return "its push constants are not a struct of scalars";
    uint32_t Number = 0;
    for (uint32_t Member : Members[Type]) {
      if (!Bytes.count(Member))
        return "its push constants are not a struct of scalars";
      if (uint64_t(Offsets[{Type, Number++}]) + Bytes[Member] >
          I.PushConstantBytes)
        return "it reads push constants past those that are pushed";
    }
    return "";
  }

  const Kernel &K;
  const Image &I;
  const Words &Code;
  unsigned Entries = 0;
  std::map<uint32_t, uint32_t> Bytes; ///< of scalar types
  std::map<uint32_t, Words> Members;  ///< of struct types
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Offsets;
};

std::string invalidity(const Words &Code) {
  std::string Why;
  spvtools::SpirvTools Tools(SPV_ENV_VULKAN_1_3);
  Tools.SetMessageConsumer([&Why](spv_message_level_t Level, const char *,
                                  const spv_position_t &, const char *Message) {
    if (Level <= SPV_MSG_ERROR && Why.empty())
      Why = Message;
  });
  bool Valid = Tools.Validate(Code);
  return Valid ? "" : Why.empty() ? "the validator refuses it" : Why;
}

} // namespace

Status goldy::rt::checkSpirv(const Kernel &K, const Image &I) {
  Words Code(I.Code.size() / 4);
  std::memcpy(Code.data(), I.Code.data(), Code.size() * 4);
  std::string Why = invalidity(Code);
  if (Why.empty())
    Why = InterfaceCheck(K, I, Code).run();
  return Why.empty() ? Status()
                     : Status(GOLDY_INVALID_ARTIFACT,
                              "kernel `" + K.Name + "`: its SPIR-V: " + Why);
}
