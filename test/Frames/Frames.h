//===- Frames.h - Random frames of a program ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one run of a program is given: values and the contents of buffers, drawn
// by the seed and the number of the run alone, so that every side gets the
// same, on every machine.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TEST_FRAMES_FRAMES_H
#define GOLDYC_TEST_FRAMES_FRAMES_H

#include "goldy/frame.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace frames {

/// How a parameter is drawn: `n=0..300` a whole number or float of the range,
/// both ends in it; `x=n`, `x=2*n`, `x=40`, `x=0..9` a buffer of as many
/// elements; `y=&x` the same buffer as `x`. What is not named: 0..64, a buffer
/// 0..300.
struct Spec {
  double Lo = 0, Hi = 64;
  std::string Named; ///< of buffers: `Lo` times this parameter's value
  std::string Alias; ///< of buffers: the other one
};
using Specs = std::map<std::string, Spec>;

/// Adds `NAME=SPEC`. `Why` says what is wrong.
bool addSpec(const std::string &Text, Specs &Out, std::string &Why);

/// A parameter of the program, as the artifact has it.
struct Parameter {
  std::string Name;
  bool IsBuffer = false;
  goldy_type_kind_t Kind = GOLDY_TYPE_U32; ///< of the scalar, or the element
  uint64_t Stride = 4;                     ///< buffers: bytes an element
  size_t Device = 0; ///< buffers: whose they are, of the program's devices
};
std::vector<Parameter> parametersOf(const goldy::ProgramTemplate &T);

/// One value a parameter.
struct Given {
  uint64_t Bits = 0;
  std::vector<std::byte> Bytes;
  std::optional<size_t> Alias; ///< the parameter whose buffer it is
};
using Frame = std::vector<Given>;

/// False with the reason if a spec names what is not there.
bool drawFrame(const std::vector<Parameter> &Params, const Specs &How,
               uint64_t Seed, uint64_t Run, Frame &Out, std::string &Why);

} // namespace frames

#endif
