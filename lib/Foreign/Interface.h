//===- Interface.h - What a shader binds ------------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_FOREIGN_INTERFACE_H
#define GOLDYC_LIB_FOREIGN_INTERFACE_H

#include "SpirvModule.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

#include <functional>

namespace goldy::foreign {

struct BoundBuffer {
  Id Variable = 0, Struct = 0; ///< the block type that it points to
  uint32_t Set = 0, Binding = 0;
  std::string Name;
  Access Acc = Access::ReadWrite;
  TypeId Element;
};
struct PushedScalar {
  uint32_t Member = 0, Offset = 0;
  std::string Name;
  Id Type = 0;
  TypeId Scalar;
};
struct ShaderInterface {
  std::vector<BoundBuffer> Buffers;  ///< by set and binding
  std::vector<PushedScalar> Scalars; ///< by offset
  Id PushVariable = 0;               ///< 0: none
};

/// Reads it from the module; refuses by name what has no place in the ABI.
std::optional<ShaderInterface>
readInterface(const SpirvModule &M, TypeTable &Types, const Function &F,
              const std::function<Span(std::string_view)> &PlaceOf,
              DiagSink &Diags);

} // namespace goldy::foreign

#endif
