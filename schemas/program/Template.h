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

/// A kernel as an image for one of the template's devices.
struct TemplateImage {
  Number Device = 0;  ///< in ProgramTemplate::Devices
  std::string Kernel; ///< its name in the artifact
  bool operator==(const TemplateImage &) const = default;
};

/// An input that a caller gives by name.
struct NamedInput {
  std::string Name;  ///< unique among the inputs
  Number Device = 0; ///< in ProgramTemplate::Devices
  Number Bytes = 0;  ///< that it has at least; 0 or more
  bool operator==(const NamedInput &) const = default;
};

struct ProgramTemplate {
  std::string Name;
  /// What the devices are called in `--device-map` and messages; unique.
  std::vector<std::string> Devices;
  std::vector<Memory> Memories;
  std::vector<TemplateImage> Images;
  std::vector<NamedInput> Inputs;
  /// The names of the run's ints, one a word. An empty name is a word that only
  /// the program itself uses.
  std::vector<std::string> Ints;
  std::vector<Step> Steps;
  bool operator==(const ProgramTemplate &) const = default;
};

/// The description of `T` on devices of the archs `Archs`, one for each of the
/// template's devices, with `Binaries`, one for each of its images. Both spans
/// have those lengths.
ProgramDesc instantiate(const ProgramTemplate &T,
                        std::span<const std::string> Archs,
                        std::span<const std::string_view> Binaries);

} // namespace goldy::program

#endif
