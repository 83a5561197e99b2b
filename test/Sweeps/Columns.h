//===- Columns.h - Who computes the operations ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column of the table: a device, one arch of it, or the interpreter.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_TEST_SWEEPS_COLUMNS_H
#define GOLDY_TEST_SWEEPS_COLUMNS_H

#include "Operations.h"

#include "goldy/goldy.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace goldy::sweep {

class Column {
public:
  virtual ~Column() = default;
  /// Makes kernel `op_<Name>` ready; an operation with `Reads` gets the
  /// patterns in place of the edges. Why it failed; empty on success.
  virtual std::string prepare(const std::string &Name, bool Patterns) = 0;
  /// Fills `Out` with elements of `Bytes` bytes from sample `First` on. Why it
  /// failed; empty on success.
  virtual std::string run(uint32_t First, uint32_t Bytes,
                          std::span<std::byte> Out) = 0;
  /// What the device is, for the report.
  virtual std::string description() const = 0;

  std::string Name;
  uint64_t Limit = ~0ull; ///< samples an operation at most
};

/// An open device. `Arch` null: the best that the artifact has.
Result<std::unique_ptr<Column>> openColumn(const char *Device, const char *Arch,
                                           const Artifact &Kernels);
/// goldy-interp's interpreter on the definitions in the artifact.
std::unique_ptr<Column> interpreterColumn(const Artifact &Kernels);

} // namespace goldy::sweep

#endif
