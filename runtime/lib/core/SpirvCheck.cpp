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
#include <set>

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
      return variable(W);
    case spv::Op::OpDecorate:
      decorate(W);
      return "";
    case spv::Op::OpConstant:
      Constants[W[2]] = W[3];
      return "";
    case spv::Op::OpTypeArray:
      Arrays[W[1]] = {W[2], W[3]};
      return "";
    case spv::Op::OpTypeRuntimeArray:
      RuntimeArrays[W[1]] = W[2];
      return "";
    case spv::Op::OpTypeImage:
      Pictures.insert(W[1]);
      return "";
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
      Pointees[W[1]] = W[3];
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

  std::string variable(const uint32_t *W) {
    switch (static_cast<spv::StorageClass>(W[3])) {
    case spv::StorageClass::Input:
    case spv::StorageClass::Workgroup:
    case spv::StorageClass::Private:
    case spv::StorageClass::Function:
    case spv::StorageClass::PushConstant:
      return "";
    case spv::StorageClass::StorageBuffer:
      return areBindings(W[2], Pointees[W[1]]) ? "" : Foreign;
    case spv::StorageClass::UniformConstant:
      return isPicture(W[2], Pointees[W[1]]) ? "" : Foreign;
    default:
      return Foreign;
    }
  }

  void decorate(const uint32_t *W) {
    spv::Decoration D = static_cast<spv::Decoration>(W[2]);
    if (D == spv::Decoration::DescriptorSet)
      Sets[W[1]] = W[3];
    if (D == spv::Decoration::Binding)
      Numbers[W[1]] = W[3];
  }

  /// The array of word blocks: of the length that the image states.
  bool areBindings(uint32_t Variable, uint32_t Type) {
    auto Array = Arrays.find(Type);
    if (!I.WordBindings || Array == Arrays.end() || Sets[Variable] != 0 ||
        Numbers[Variable] != 0)
      return false;
    auto [Element, Length] = Array->second;
    const Words &Block = Members[Element];
    return Constants[Length] == I.WordBindings && Block.size() == 1 &&
           Bytes[RuntimeArrays[Block[0]]] == 4;
  }

  /// A storage image at the number of an image parameter.
  bool isPicture(uint32_t Variable, uint32_t Type) {
    uint32_t Number = Numbers[Variable];
    return !I.WordBindings && Sets[Variable] == 0 && Pictures.count(Type) &&
           Number < K.Params.size() &&
           K.Params[Number].Kind == GOLDY_PARAM_IMAGE;
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

  static constexpr const char *Foreign =
      "it declares variables that the parameter block does not have";
  const Kernel &K;
  const Image &I;
  const Words &Code;
  unsigned Entries = 0;
  std::map<uint32_t, uint32_t> Bytes; ///< of scalar types
  std::map<uint32_t, Words> Members;  ///< of struct types
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> Offsets;
  std::map<uint32_t, uint32_t> Sets, Numbers; ///< of variables
  std::map<uint32_t, uint32_t> Constants;     ///< the first word of each
  std::map<uint32_t, uint32_t> Pointees;      ///< of pointer types
  std::map<uint32_t, uint32_t> RuntimeArrays; ///< element type
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> Arrays; ///< and length
  std::set<uint32_t> Pictures;                              ///< image types
};

/// Code without addresses runs on devices of Vulkan 1.1.
std::string invalidity(const Words &Code, bool InWords) {
  std::string Why;
  spvtools::SpirvTools Tools(InWords ? SPV_ENV_VULKAN_1_1 : SPV_ENV_VULKAN_1_3);
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
  std::string Why = invalidity(Code, I.WordBindings != 0);
  if (Why.empty())
    Why = InterfaceCheck(K, I, Code).run();
  return Why.empty() ? Status()
                     : Status(GOLDY_INVALID_ARTIFACT,
                              "kernel `" + K.Name + "`: its SPIR-V: " + Why);
}
