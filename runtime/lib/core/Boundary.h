//===- Boundary.h - What stands between C and C++ -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No exception leaves the library: the standard library's own (out of memory)
// become a status here, which names the call and needs no memory.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_BOUNDARY_H
#define GOLDY_RUNTIME_CORE_BOUNDARY_H

#include "core/Status.h"

#include <exception>
#include <new>

namespace goldy::rt {

/// Of the C function whose body has this type.
template <class Body>
[[gnu::cold, gnu::noinline]] NoMemoryStatus &noMemory(const char *Call) {
  static NoMemoryStatus NoMemory(Call);
  return NoMemory;
}

/// What an exception of the standard library says.
inline goldy_status_t unexpected(const char *Call, const char *What,
                                 NoMemoryStatus &NoMemory) noexcept {
  try {
    return Status(GOLDY_INTERNAL, std::string(Call) + ": " + What).release();
  } catch (const std::exception &) {
    return NoMemory.get();
  }
}

/// Runs the body of a C function that can fail; `Call` is its name.
template <class Body>
goldy_status_t guarded(Body B,
                       const char *Call = __builtin_FUNCTION()) noexcept {
  try {
    goldy_status_t S = B().release();
    if (!S) [[likely]]
      return S;
    return S == outOfMemoryStatus() ? noMemory<Body>(Call).get() : S;
  } catch (const std::bad_alloc &) {
    return noMemory<Body>(Call).get();
  } catch (const std::exception &E) {
    return unexpected(Call, E.what(), noMemory<Body>(Call));
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
