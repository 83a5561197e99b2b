//===- program.hpp - Program descriptions in C++ --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An owner of a description, and short ways to write the structures of
// program.h, which has the contracts. A structure that a function here gives
// points to the lists that it was made of: use it before they end.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_PROGRAM_HPP
#define GOLDY_PROGRAM_HPP

#include "goldy/goldy.hpp"
#include "goldy/program.h"

#include <vector>

namespace goldy {

/// A number, a word of the ints, or a leaf.
struct ProgramValue : goldy_program_value_t {
  ProgramValue(int64_t Number = 0)
      : ProgramValue(GOLDY_VALUE_FIXED, Number, 0, nullptr) {}
  static ProgramValue intWord(int64_t Word) {
    return {GOLDY_VALUE_INT, Word, 0, nullptr};
  }
  static ProgramValue address(int64_t Memory, int64_t Device) {
    return {GOLDY_VALUE_ADDRESS, Memory, Device, nullptr};
  }
  static ProgramValue handle(int64_t Memory) {
    return {GOLDY_VALUE_HANDLE, Memory, 0, nullptr};
  }
  static ProgramValue entry(int64_t Image, const char *Name) {
    return {GOLDY_VALUE_ENTRY, Image, 0, Name};
  }
  static ProgramValue ready(int64_t Rail) {
    return {GOLDY_VALUE_READY, Rail, 0, nullptr};
  }

private:
  ProgramValue(goldy_program_value_kind_t Kind, int64_t Number, int64_t Device,
               const char *Name)
      : goldy_program_value_t{Kind, Number, Device, Name} {}
};

inline goldy_program_term_t times(ProgramValue V, int64_t Factor) {
  return {V, Factor};
}
inline goldy_program_sum_t sum(std::span<const goldy_program_term_t> Terms) {
  return {Terms.data(), Terms.size()};
}
inline goldy_program_data_t
data(std::string_view Bytes, std::span<const goldy_program_hole_t> Holes = {}) {
  return {Bytes.data(), Bytes.size(), Holes.data(), Holes.size()};
}
inline goldy_program_slot_t memorySlot(goldy_program_view_t V) {
  return {GOLDY_SLOT_MEMORY, V, 0};
}
inline goldy_program_slot_t inputSlot(int64_t Input) {
  return {GOLDY_SLOT_INPUT, {}, Input};
}
inline goldy_program_slot_t intsSlot() { return {GOLDY_SLOT_INTS, {}, 0}; }

/// Nodes of derived ints.
namespace node {
inline goldy_program_node_t number(int64_t Number) {
  return {GOLDY_NODE_NUMBER, Number, GOLDY_OP_ADD, GOLDY_DOMAIN_EXACT};
}
inline goldy_program_node_t word(int64_t Word) {
  return {GOLDY_NODE_INT, Word, GOLDY_OP_ADD, GOLDY_DOMAIN_EXACT};
}
inline goldy_program_node_t
op(goldy_program_op_t Op, goldy_program_domain_t Domain = GOLDY_DOMAIN_EXACT) {
  return {GOLDY_NODE_OP, 0, Op, Domain};
}
} // namespace node

class ProgramDesc {
public:
  static Result<ProgramDesc> create() {
    return made([](goldy_program_desc_t **Out) {
      return goldy_program_desc_create(Out);
    });
  }
  static Result<ProgramDesc> decode(std::string_view Bytes) {
    return made([&](goldy_program_desc_t **Out) {
      return goldy_program_desc_decode(Bytes.data(), Bytes.size(), Out);
    });
  }
  static Result<ProgramDesc> parse(std::string_view Text) {
    return made([&](goldy_program_desc_t **Out) {
      return goldy_program_desc_parse(Text.data(), Text.size(), Out);
    });
  }
  /// For the functions of program.h that build.
  goldy_program_desc_t *get() const { return Impl.get(); }
  /// The view lasts until the next call for bytes or text.
  Result<std::string_view> bytes() {
    goldy_text_t T{};
    Status S(goldy_program_desc_encode(get(), &T));
    return given(std::move(S), T);
  }
  Result<std::string_view> text() {
    goldy_text_t T{};
    Status S(goldy_program_desc_print(get(), &T));
    return given(std::move(S), T);
  }
  Status check() const { return Status(goldy_program_desc_check(get(), {})); }
  Status check(const goldy_program_machine_t &Machine) const {
    return Status(goldy_program_desc_check(get(), &Machine));
  }
  friend bool operator==(const ProgramDesc &A, const ProgramDesc &B) {
    return goldy_program_desc_equal(A.get(), B.get());
  }

private:
  friend class ProgramTemplate;
  explicit ProgramDesc(goldy_program_desc_t *P) : Impl(P) {}
  template <class Make> static Result<ProgramDesc> made(Make M) {
    goldy_program_desc_t *P = nullptr;
    Status S(M(&P));
    return S.ok() ? Result<ProgramDesc>(ProgramDesc(P))
                  : Result<ProgramDesc>(std::move(S));
  }
  static Result<std::string_view> given(Status S, goldy_text_t T) {
    return S.ok() ? Result<std::string_view>(std::string_view(T.data, T.size))
                  : Result<std::string_view>(std::move(S));
  }
  detail::Owner<goldy_program_desc_t, goldy_program_desc_destroy> Impl;
};

class ProgramTemplate {
public:
  static Result<ProgramTemplate> decode(std::string_view Bytes) {
    goldy_program_template_t *T = nullptr;
    Status S(goldy_program_template_decode(Bytes.data(), Bytes.size(), &T));
    return made(std::move(S), T);
  }
  static Result<ProgramTemplate> parse(std::string_view Text) {
    goldy_program_template_t *T = nullptr;
    Status S(goldy_program_template_parse(Text.data(), Text.size(), &T));
    return made(std::move(S), T);
  }
  /// Program `Name` of `A`; null: the only one.
  static Result<ProgramTemplate> open(const Artifact &A, const char *Name) {
    goldy_program_template_t *T = nullptr;
    Status S(goldy_program_template_open(A.get(), Name, &T));
    return made(std::move(S), T);
  }
  goldy_program_template_t *get() const { return Impl.get(); }
  goldy_template_info_t info() const {
    return goldy_program_template_info(get());
  }
  /// Of the inputs, ints and devices that a caller sees, by number.
  goldy_input_info_t input(size_t I) const {
    return goldy_program_template_input(get(), I);
  }
  goldy_int_info_t intInfo(size_t I) const {
    return goldy_program_template_int(get(), I);
  }
  const char *device(size_t I) const {
    return goldy_program_template_device(get(), I);
  }
  /// The view lasts until the next call for bytes or text.
  Result<std::string_view> bytes() {
    goldy_text_t T{};
    Status S(goldy_program_template_encode(get(), &T));
    return ProgramDesc::given(std::move(S), T);
  }
  Result<std::string_view> text() {
    goldy_text_t T{};
    Status S(goldy_program_template_print(get(), &T));
    return ProgramDesc::given(std::move(S), T);
  }
  /// For the devices `Devices`, with kernels of `A`.
  Result<ProgramDesc>
  instantiate(const Artifact &A,
              std::span<goldy_device_t *const> Devices) const {
    return ProgramDesc::made([&](goldy_program_desc_t **Out) {
      return goldy_program_instantiate(Impl.get(), A.get(), Devices.data(),
                                       Devices.size(), Out);
    });
  }

private:
  explicit ProgramTemplate(goldy_program_template_t *T) : Impl(T) {}
  static Result<ProgramTemplate> made(Status S, goldy_program_template_t *T) {
    return S.ok() ? Result<ProgramTemplate>(ProgramTemplate(T))
                  : Result<ProgramTemplate>(std::move(S));
  }
  detail::Owner<goldy_program_template_t, goldy_program_template_destroy> Impl;
};

/// A description on the devices of a machine (goldy_program_load).
class Program {
public:
  /// `Trusted`: images may be machine code. `Timed`: runs leave their times.
  static Result<Program>
  load(const ProgramDesc &Desc, const goldy_program_machine_t &Machine,
       bool Trusted, std::span<const goldy_program_callback_t> Callbacks = {},
       bool Timed = false) {
    uint32_t Flags = (Trusted ? uint32_t(GOLDY_LOAD_TRUSTED) : 0) |
                     (Timed ? uint32_t(GOLDY_PROGRAM_TIMED) : 0);
    goldy_program_options_t Options{sizeof Options, Flags, Callbacks.data(),
                                    Callbacks.size()};
    goldy_program_t *P = nullptr;
    Status S(goldy_program_load(Desc.get(), &Machine, &Options, &P));
    return S.ok() ? Result<Program>(Program(P)) : Result<Program>(std::move(S));
  }
  goldy_program_t *get() const { return Impl.get(); }
  goldy_program_counts_t counts() const { return goldy_program_counts(get()); }

  /// One line a step; lasts as long as the program.
  Result<std::string_view> plan() {
    goldy_text_t T{};
    Status S(goldy_program_plan(get(), &T));
    return S.ok() ? Result<std::string_view>(std::string_view(T.data, T.size))
                  : Result<std::string_view>(std::move(S));
  }

  /// `Ends` has room for as many points as devices; how many it took.
  Result<size_t> run(const goldy_program_frame_t &Frame,
                     std::span<const goldy_program_point_t> Waits = {},
                     goldy_program_point_t *Ends = nullptr) {
    size_t Count = 0;
    Status S(goldy_program_run(get(), &Frame, Waits.data(), Waits.size(), Ends,
                               &Count));
    return S.ok() ? Result<size_t>(Count) : Result<size_t>(std::move(S));
  }
  Status wait(goldy_program_point_t Point, uint64_t TimeoutNs = GOLDY_FOREVER) {
    return Status(goldy_program_wait(get(), Point, TimeoutNs));
  }

  /// Of the last run, in the order in which its work was started
  /// (goldy_program_times).
  Result<std::vector<goldy_program_time_t>> times() {
    std::vector<goldy_program_time_t> Out;
    for (size_t Count = 0;;) {
      Status S(
          goldy_program_times(get(), Out.data(), Out.size(), &Count, nullptr));
      if (!S.ok())
        return Result<std::vector<goldy_program_time_t>>(std::move(S));
      bool Whole = Count <= Out.size();
      Out.resize(Count);
      if (Whole)
        return Result<std::vector<goldy_program_time_t>>(std::move(Out));
    }
  }

private:
  explicit Program(goldy_program_t *P) : Impl(P) {}
  detail::Owner<goldy_program_t, goldy_program_destroy> Impl;
};

} // namespace goldy

#endif
