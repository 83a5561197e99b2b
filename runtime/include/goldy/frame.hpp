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

/// A number with its type, for an int of a program.
struct Word {
  goldy_type_kind_t Type;
  uint64_t Bits;
  template <std::same_as<bool> T> Word(T B) : Type(GOLDY_TYPE_BOOL), Bits(B) {}
  Word(float F) : Type(GOLDY_TYPE_F32), Bits(std::bit_cast<uint32_t>(F)) {}
  /// An integer of 4 or 8 bytes.
  template <std::integral T>
    requires(sizeof(T) == 4 || sizeof(T) == 8)
  Word(T N) : Type(kindOf<T>()), Bits(static_cast<uint64_t>(N)) {}

private:
  template <class T> static constexpr goldy_type_kind_t kindOf() {
    if (sizeof(T) == 4)
      return std::signed_integral<T> ? GOLDY_TYPE_I32 : GOLDY_TYPE_U32;
    return std::signed_integral<T> ? GOLDY_TYPE_I64 : GOLDY_TYPE_U64;
  }
};

/// A view that is to be a whole buffer.
struct WholeView {
  View V;
  uint64_t Bytes;
  template <class T>
  WholeView(ViewOf<T> V) : V(V), Bytes(V.Length * sizeof(T)) {}
};

/// What runs of a loaded program are given, by name. Keeps the program.
class Frame {
public:
  static Result<Frame> create(const ProgramTemplate &T, const Program &P,
                              std::span<goldy_device_t *const> Devices) {
    goldy_frame_t *F = nullptr;
    Status S(goldy_frame_create(T.get(), P.get(), Devices.data(),
                                Devices.size(), &F));
    return S.ok() ? Result<Frame>(Frame(F)) : Result<Frame>(std::move(S));
  }
  /// Program `Name` of `A`, loaded on `Devices`; null: the only one. Its code
  /// is run: the artifact is trusted.
  static Result<Frame> load(const Artifact &A, const char *Name,
                            std::span<goldy_device_t *const> Devices) {
    goldy_frame_t *F = nullptr;
    Status S(
        goldy_frame_load(A.get(), Name, Devices.data(), Devices.size(), &F));
    return S.ok() ? Result<Frame>(Frame(F)) : Result<Frame>(std::move(S));
  }

  Status set(const char *Name, const Buffer &B) {
    size_t Index = 0;
    Status S(goldy_frame_find_input(get(), Name, &Index));
    return S.ok() ? Status(goldy_frame_set_input(get(), Index, B.get()))
                  : std::move(S);
  }
  Status set(const char *Name, Word W) {
    size_t Index = 0;
    Status S(goldy_frame_find_int(get(), Name, &Index));
    return S.ok() ? setInt(Index, W) : std::move(S);
  }
  /// By number, as the template counts them.
  Status setInput(size_t Index, goldy_buffer_t *B) {
    return Status(goldy_frame_set_input(get(), Index, B));
  }
  Status setInput(size_t Index, WholeView W) {
    return Status(
        goldy_frame_set_view(get(), Index, W.V.Handle, W.V.Offset, W.Bytes));
  }
  Status setInt(size_t Index, Word W) {
    return Status(goldy_frame_set_int(get(), Index, W.Type, W.Bits));
  }

  /// Starts a run; `wait` waits for its work.
  Status run(std::span<const goldy_program_point_t> Waits = {}) {
    return Status(
        goldy_frame_run(get(), Waits.data(), Waits.size(), nullptr, nullptr));
  }
  /// Sets all inputs and ints, in the template's order, and runs.
  Status run(std::initializer_list<WholeView> Inputs,
             std::initializer_list<Word> Ints) {
    size_t Number = 0;
    for (const WholeView &W : Inputs)
      if (Status S = setInput(Number++, W); !S.ok())
        return S;
    Number = 0;
    for (Word W : Ints)
      if (Status S = setInt(Number++, W); !S.ok())
        return S;
    return run();
  }
  Status wait(uint64_t TimeoutNs = GOLDY_FOREVER) {
    return Status(goldy_frame_wait(get(), TimeoutNs));
  }
  goldy_frame_t *get() const { return Impl.get(); }

private:
  explicit Frame(goldy_frame_t *F) : Impl(F) {}
  detail::Owner<goldy_frame_t, goldy_frame_destroy> Impl;
};

} // namespace goldy

#endif
