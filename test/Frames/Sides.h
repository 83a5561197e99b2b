//===- Sides.h - What runs a program: a device, or the oracle -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TEST_FRAMES_SIDES_H
#define GOLDYC_TEST_FRAMES_SIDES_H

#include "Frames.h"

#include <memory>

namespace frames {

/// What a run left: whether it was refused at a step, and the bytes of every
/// buffer, by parameter.
struct Outcome {
  bool Refused = false;
  std::string Message; ///< of the refusal
  std::vector<std::vector<std::byte>> Buffers;
};

/// One side runs all frames in their order, several of them at once if the
/// device does.
class Side {
public:
  explicit Side(std::string Name) : Name(std::move(Name)) {}
  virtual ~Side() = default;
  /// Starts a run in slot `Slot`, whose last run was finished. False: `Why`.
  virtual bool start(size_t Slot, const Frame &F, std::string &Why) = 0;
  /// What the run of the slot left, once it is done.
  virtual bool finish(size_t Slot, Outcome &Out, std::string &Why) = 0;
  const std::string Name;
};

/// `Name`: "cpu", "vulkan", "cuda", each with `.ARCH` and `.THREADS` after it;
/// several with `+` between them, for the program's devices in turn.
std::unique_ptr<Side> deviceSide(const std::string &Name,
                                 const goldy::Artifact &A,
                                 const goldy::ProgramTemplate &T,
                                 const std::vector<Parameter> &Params,
                                 size_t Slots, std::string &Why);

/// The interpreter on the program's source.
std::unique_ptr<Side> oracleSide(const std::string &File,
                                 const std::string &Program,
                                 const std::vector<Parameter> &Params,
                                 size_t Slots, std::string &Why);

} // namespace frames

#endif
