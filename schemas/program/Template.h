//===- Template.h - A program before its devices are known ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A template is a description whose images are kernel names and whose devices
// are names without an arch. Everything else is the same on every device: the
// parameter block has one layout, and a launch counts groups of the kernel's
// own size. Once devices are chosen, and with them an image of each kernel, it
// becomes a ProgramDesc.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_TEMPLATE_H
#define GOLDY_SCHEMAS_PROGRAM_TEMPLATE_H

#include "program/Program.h"

#include <span>
#include <string_view>

namespace goldy::program {

//===-- Types -------------------------------------------------------------===//

/// A scalar as it is stored: `Bool` is a word of 4 bytes, 0 is false.
enum class Scalar : uint8_t {
  Bool,
  U32,
  I32,
  F32,
  U64,
  I64,
  U8,
  I8,
  U16,
  I16,
  F16,
  BF16
};

/// 2 to 4 components of a scalar of 4 bytes.
struct VectorType {
  Number Element = 0; ///< in ProgramTemplate::Types, before this one
  Number Count = 0;
  bool operator==(const VectorType &) const = default;
};

/// 1 to 2^32 - 1 elements.
struct ArrayType {
  Number Element = 0; ///< in ProgramTemplate::Types, before this one
  Number Count = 0;
  bool operator==(const ArrayType &) const = default;
};

struct TypeField {
  std::string Name; ///< unique in the struct
  Number Type = 0;  ///< in ProgramTemplate::Types, before the struct
  bool operator==(const TypeField &) const = default;
};

/// 1 field or more, each at the next multiple of its alignment.
struct StructType {
  std::string Name;
  std::vector<TypeField> Fields;
  bool operator==(const StructType &) const = default;
};

/// The type of an input's elements. Types nest at most 16 deep.
using ElementType = std::variant<Scalar, VectorType, ArrayType, StructType>;

/// The layout rule of buffers (docs/ABI.md): a scalar is aligned to its size, a
/// vector to its component, arrays and structs to the most that they hold.
struct TypeLayout {
  Number Size = 0;    ///< bytes of one value
  Number Align = 1;   ///< bytes
  Number Stride = 0;  ///< bytes from one element to the next
  unsigned Depth = 0; ///< of a scalar 0
};

/// The layout of each of `Types`, or as many as keep the rule of types (P61).
std::vector<TypeLayout> layoutsOf(std::span<const ElementType> Types);

/// The language's name of one of `Types`, which keep P61: `f32`, `gpu::Float3`,
/// `[f32; 4]`, `P`.
std::string typeName(std::span<const ElementType> Types, Number Type);

//===-- Images, inputs, ints ----------------------------------------------===//

/// A kernel as an image for one of the template's devices.
struct TemplateImage {
  Number Device = 0; ///< in ProgramTemplate::Devices
  /// Its name in the artifact. Empty: the table of host functions that load is
  /// given (CallbacksMark).
  std::string Kernel;
  bool operator==(const TemplateImage &) const = default;
};

/// `Slice` is any number of elements, `Uniform` is one. `Sized` is a temporary:
/// it has no name, and whoever runs the program brings memory of that size with
/// any content.
enum class InputForm : uint8_t { Slice, Uniform, Sized };

struct NamedInput {
  std::string Name;  ///< unique among inputs and ints; empty of a Sized one
  Number Device = 0; ///< in ProgramTemplate::Devices
  InputForm Form = InputForm::Slice;
  /// In ProgramTemplate::Types; none: bytes of which nothing is known.
  std::optional<Number> Type;
  Access How = Access::ReadWrite; ///< what the program does with it
  Number Bytes = 0;               ///< that it has at least; 0 or more
  std::optional<Number> Size;     ///< Sized: the word that holds its bytes
  bool operator==(const NamedInput &) const = default;
};

/// A word that a caller gives by name, of a type of 4 or 8 bytes. Words hold
/// bool as 0 or 1, i32 extended by its sign, u32 and the bits of f32 by zeros.
struct NamedInt {
  std::string Name; ///< unique among inputs and ints
  Scalar Type = Scalar::U32;
  bool operator==(const NamedInt &) const = default;
};

/// A word that only the program itself uses; 0 until something is stored.
struct HiddenInt {
  bool operator==(const HiddenInt &) const = default;
};

/// Elements of the buffer that the run brings for an input: a slice with a
/// type. At most 2^32 - 1.
struct LengthInt {
  Number Input = 0; ///< in ProgramTemplate::Inputs
  bool operator==(const LengthInt &) const = default;
};

/// 1 if the buffers that the run brings for two inputs share a byte, else 0.
struct OverlapInt {
  Number A = 0, B = 0; ///< in ProgramTemplate::Inputs
  bool operator==(const OverlapInt &) const = default;
};

/// What the frame writes into a word of the ints.
using TemplateInt = std::variant<NamedInt, HiddenInt, LengthInt, OverlapInt>;

/// Where the user wrote a step or a part of one, for messages about it.
struct StepOrigin {
  std::string Place; ///< "steps[2].body[0].parts[1]"
  std::string Where; ///< "mlp.goldy:12:5"
  bool operator==(const StepOrigin &) const = default;
};

struct ProgramTemplate {
  std::string Name;
  /// What the devices are called in `--device-map` and messages; unique.
  std::vector<std::string> Devices;
  std::vector<ElementType> Types;
  std::vector<Memory> Memories;
  std::vector<TemplateImage> Images;
  std::vector<NamedInput> Inputs;
  std::vector<TemplateInt> Ints; ///< one a word of the run's ints
  /// Hidden words that are computed when the frame is written, in this order,
  /// from words that the frame writes and from those before.
  std::vector<DerivedInt> Derived;
  std::vector<Step> Steps;
  std::vector<StepOrigin> Origins; ///< of any of them, in any order
  bool operator==(const ProgramTemplate &) const = default;
};

/// Where the user wrote what `Message` is about, which begins with a place of a
/// step, or empty: the origin of the innermost part that the place lies in.
std::string_view originOf(const ProgramTemplate &T, std::string_view Message);

/// The description of `T` on devices of the archs `Archs`, one for each of the
/// template's devices, with `Binaries`, one for each of its images; the binary
/// of an image of host functions is not read. Both spans have those lengths,
/// and `T` keeps the rules of templates.
ProgramDesc instantiate(const ProgramTemplate &T,
                        std::span<const std::string> Archs,
                        std::span<const std::string_view> Binaries);

} // namespace goldy::program

#endif
