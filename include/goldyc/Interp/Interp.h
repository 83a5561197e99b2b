//===- Interp.h - The oracle: runs IR by the letter of the language -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel of either IR level over a grid, one work-item after the other
// up to each barrier, and shares no code with the constant folder or any
// emitter: what it computes is what every target must compute, bit for bit.
// A promise that the program or a pass made and broke (an unguarded access out
// of range, a machine division by zero, a barrier that part of a group
// reaches) is a fault here and not whatever a device would do.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_INTERP_INTERP_H
#define GOLDYC_INTERP_INTERP_H

#include "goldyc/IR/IR.h"

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace goldy {

/// A view of a tensor's parent, in elements. Axes from `Rank` on have extent 1
/// and stride 0.
struct InterpTensor {
  uint32_t Rank = 0;
  uint64_t Offset = 0;
  std::array<uint64_t, 4> Shape{1, 1, 1, 1}, Strides{0, 0, 0, 0};
  uint64_t numel() const; ///< all ones if it is more
  /// The parent's element for a logical index below `numel`.
  uint64_t element(uint64_t Index) const;
  /// Logical neighbours are neighbours in the parent.
  bool isContiguous() const;
};

/// One argument, in the order of the kernel's parameters.
struct InterpArgument {
  /// Scalars: the bits, zero-extended; bool 0 or 1.
  uint64_t Bits = 0;
  /// Buffers and uniform blocks: the elements in the language's layout (bool:
  /// 32-bit words). Borrowed and written in place; two arguments may name the
  /// same bytes. A buffer's length is its bytes divided by the stride.
  std::span<std::byte> Bytes;
  /// Tensors: what is seen of `Bytes`; without it all elements, along one axis.
  std::optional<InterpTensor> Tensor = std::nullopt;
  /// Images: width and height; the bytes are the elements, row after row.
  std::array<uint32_t, 2> Extent{};
};

struct InterpOptions {
  /// Loop repetitions that the whole launch may take; 0 for no limit.
  uint64_t StepLimit = 0;
  /// Gets each value of `gpu::debug`, "kernel [x, y, z]: value", after the run:
  /// by work-item, z before y before x, and in the order of each. May be empty.
  std::function<void(const std::string &)> Debug = nullptr;
};

/// Why a run was refused or stopped.
struct InterpFault {
  enum class Kind : uint8_t {
    Argument,    ///< the arguments do not fit the kernel
    Unsupported, ///< a construct the interpreter does not run yet
    Fault        ///< a promise was broken while running
  };
  Kind Form = Kind::Fault;
  std::string Message; ///< lower case, no full stop
  Span Where;          ///< the instruction's place, if it has one
};

/// Runs `Kernel` over `Groups` workgroups. The module must be well-formed
/// (Verify). Empty on success; after a fault the buffers hold what was written
/// until then. The host's floating point state is saved and restored.
std::optional<InterpFault> interpret(const Module &M, FuncId Kernel,
                                     std::array<uint32_t, 3> Groups,
                                     std::span<const InterpArgument> Arguments,
                                     const InterpOptions &Options = {});

} // namespace goldy

#endif
