//===- Boundary.h - What stands between C and C++ -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No exception leaves the library: the standard library's own (out of memory)
// become a status here.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_BOUNDARY_H
#define GOLDY_RUNTIME_CORE_BOUNDARY_H

#include "core/Status.h"

#include <exception>
#include <new>

namespace goldy::rt {

/// Runs the body of a C function that can fail.
template <class Body> goldy_status_t guarded(Body B) noexcept {
  try {
    return B().release();
  } catch (const std::bad_alloc &) {
    return outOfMemoryStatus();
  } catch (const std::exception &E) {
    return Status(GOLDY_INTERNAL, E.what()).release();
  }
}

inline Status nullArgument(const char *Name) {
  return Status(GOLDY_INVALID_ARGUMENT,
                std::string("`") + Name + "` must not be NULL");
}

} // namespace goldy::rt

/// Refuses a NULL in a required parameter.
#define GOLDY_NEEDS(Pointer)                                                   \
  do {                                                                         \
    if (!(Pointer))                                                            \
      return ::goldy::rt::nullArgument(#Pointer);                              \
  } while (0)

#endif
