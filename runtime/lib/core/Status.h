//===- Status.h - Success, or a code and a message ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inside the library a Status is returned by value and must be looked at; at
// the C boundary it is released to the caller. Making one never fails: when
// memory is short the shared out-of-memory status is used.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_STATUS_H
#define GOLDY_RUNTIME_CORE_STATUS_H

#include "goldy/goldy.h"

#include <string>
#include <utility>

struct goldy_status {
  goldy_code_t Code;
  std::string Message;
  /// Instead of `Message`, of a status that nobody owns and destroying leaves
  /// alone.
  const char *Shared = nullptr;
};

namespace goldy::rt {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(goldy_code_t Code, std::string Message);
  Status(Status &&O) noexcept : Impl(std::exchange(O.Impl, nullptr)) {}
  Status &operator=(Status &&O) noexcept {
    std::swap(Impl, O.Impl);
    return *this;
  }
  ~Status() {
    if (Impl)
      goldy_status_destroy(Impl);
  }
  bool ok() const { return !Impl; }
  goldy_code_t code() const { return goldy_status_code(Impl); }
  std::string message() const { return goldy_status_message(Impl); }
  /// Gives the status to a C caller.
  goldy_status_t release() && { return std::exchange(Impl, nullptr); }

private:
  goldy_status_t Impl = nullptr;
};

/// The status that needs no memory, for whoever knows no better one.
goldy_status_t outOfMemoryStatus();

/// The same with the name of a call, made beforehand; lives as long as the
/// process.
class NoMemoryStatus {
public:
  explicit NoMemoryStatus(const char *Call) noexcept;
  goldy_status_t get() { return &Status; }

private:
  char Text[96];
  goldy_status Status;
};

} // namespace goldy::rt

/// Returns from the enclosing function when `Call` fails.
#define GOLDY_TRY(Call)                                                        \
  do {                                                                         \
    if (::goldy::rt::Status TryStatus = (Call); !TryStatus.ok())               \
      return TryStatus;                                                        \
  } while (0)

#endif
