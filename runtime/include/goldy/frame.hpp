//===- frame.hpp - Running programs by name, in C++ -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C++20 over frame.h, as goldy.hpp over goldy.h.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_FRAME_HPP
#define GOLDY_FRAME_HPP

#include "goldy/frame.h"
#include "goldy/program.hpp"

#include <bit>
#include <concepts>

namespace goldy {

/// What runs of a loaded program are given, by name. The program outlives it.
class Frame {
public:
  static Result<Frame> create(const ProgramTemplate &T, const Program &P,
                              std::span<goldy_device_t *const> Devices) {
    goldy_frame_t *F = nullptr;
    Status S(goldy_frame_create(T.get(), P.get(), Devices.data(),
                                Devices.size(), &F));
    return S.ok() ? Result<Frame>(Frame(F)) : Result<Frame>(std::move(S));
  }

  Status set(const char *Name, const Buffer &B) {
    size_t Index = 0;
    Status S(goldy_frame_find_input(get(), Name, &Index));
    return S.ok() ? setInput(Index, B.get()) : std::move(S);
  }
  /// `Value` is of the int's own type: bool, or a number of 4 or 8 bytes.
  template <class T>
    requires(std::integral<T> || std::same_as<T, float>)
  Status set(const char *Name, T Value) {
    size_t Index = 0;
    Status S(goldy_frame_find_int(get(), Name, &Index));
    return S.ok() ? setInt(Index, Value) : std::move(S);
  }
  /// By number, as the template counts them.
  Status setInput(size_t Index, goldy_buffer_t *B) {
    return Status(goldy_frame_set_input(get(), Index, B));
  }
  Status setInt(size_t Index, goldy_type_kind_t Type, uint64_t Bits) {
    return Status(goldy_frame_set_int(get(), Index, Type, Bits));
  }
  template <class T>
    requires(std::integral<T> || std::same_as<T, float>)
  Status setInt(size_t Index, T Value) {
    if constexpr (std::same_as<T, float>)
      return setInt(Index, GOLDY_TYPE_F32, std::bit_cast<uint32_t>(Value));
    else
      return setInt(Index, kindOf<T>(), static_cast<uint64_t>(Value));
  }

  /// Starts a run; `wait` waits for its work.
  Status run(std::span<const goldy_program_point_t> Waits = {}) {
    return Status(
        goldy_frame_run(get(), Waits.data(), Waits.size(), nullptr, nullptr));
  }
  Status wait(uint64_t TimeoutNs = GOLDY_FOREVER) {
    return Status(goldy_frame_wait(get(), TimeoutNs));
  }
  goldy_frame_t *get() const { return Impl.get(); }

private:
  template <class T> static constexpr goldy_type_kind_t kindOf() {
    if (std::same_as<T, bool>)
      return GOLDY_TYPE_BOOL;
    static_assert(std::same_as<T, bool> || sizeof(T) == 4 || sizeof(T) == 8);
    bool Signed = std::signed_integral<T>;
    if (sizeof(T) == 4)
      return Signed ? GOLDY_TYPE_I32 : GOLDY_TYPE_U32;
    return Signed ? GOLDY_TYPE_I64 : GOLDY_TYPE_U64;
  }
  explicit Frame(goldy_frame_t *F) : Impl(F) {}
  detail::Owner<goldy_frame_t, goldy_frame_destroy> Impl;
};

} // namespace goldy

#endif
