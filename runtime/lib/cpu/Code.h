//===- Code.h - Host code in executable memory ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A blob is copied into pages that are then made read-execute; no page is ever
// writable and executable at once.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_CODE_H
#define GOLDY_RUNTIME_CPU_CODE_H

#include "artifact/Artifact.h"
#include "core/Status.h"
#include "cpu/Debugger.h"
#include "goldy_host_abi.h"

#include <cstddef>
#include <span>

namespace goldy::rt {

class Code {
public:
  Code() = default;
  Code(Code &&O) noexcept
      : Base(std::exchange(O.Base, nullptr)), Bytes(O.Bytes), Size(O.Size),
        Debugger(std::move(O.Debugger)) {}
  Code &operator=(Code &&) = delete;
  ~Code();
  /// `Entry` is a byte offset within the blob.
  static Status load(std::span<const std::byte> Blob, uint64_t Entry, Code &Out,
                     goldy_host_kernel &OutKernel);
  /// Tells debuggers of the code, and profilers if they are to know: by its
  /// debug object, or by its name alone.
  /// Fails if the profiler's map cannot be written.
  Status show(const std::string &Name, const ImageDebug &Debug);

private:
  std::span<const std::byte> code() const {
    return {static_cast<const std::byte *>(Base), Size};
  }

  void *Base = nullptr;
  size_t Bytes = 0; ///< of the pages
  size_t Size = 0;  ///< of the code
  std::unique_ptr<DebuggerEntry> Debugger;
};

} // namespace goldy::rt

#endif
