//===- ValueSpec.h - PARAM=VALUE on the command line
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What may stand after `PARAM=`: a number or bool, `@file.npy`, a generated
// buffer (`f32[16,4]=0`, `f32[16]:iota`, `f32[1024]:random:SEED`,
// `u32[3]=1,2,3`), or `&other` for the buffer of another parameter; each of the
// last three with view suffixes, `[transpose=1,0]`. Parsing is apart from
// making the data, so that all arguments can be checked before anything is
// read. Shared by goldyrun and goldy-interp; needs nothing but the standard
// library.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_SUPPORT_VALUESPEC_H
#define GOLDYC_SUPPORT_VALUESPEC_H

#include "goldyc/Support/Npy.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

/// Element types by the language's names.
enum class Scalar : uint8_t {
  Bool,
  U8,
  I8,
  U16,
  I16,
  U32,
  I32,
  U64,
  I64,
  F16,
  BF16,
  F32
};
std::optional<Scalar> scalarNamed(std::string_view Name);
std::string_view scalarName(Scalar S);
/// Bytes of one element in a buffer (bool: one 32-bit word).
uint32_t scalarBytes(Scalar S);
/// The NumPy type that an element is saved as (bool: uint32, bf16: uint16).
npy::DType scalarDType(Scalar S);

/// The bits of a number written in decimal (exponents allowed), hex, or as
/// `nan`, `inf`, `-inf`, `true`, `false`; a decimal rounds once, to nearest
/// even. Empty, with `Why`, when it is no number of that type or out of its
/// range.
std::optional<uint64_t> scalarFromText(std::string_view Text, Scalar S,
                                       std::string &Why);

/// One suffix of `@x.npy` or `&x`.
struct ViewStep {
  enum class Kind : uint8_t { Transpose, Narrow, Broadcast, Offset };
  Kind Form = Kind::Transpose;
  /// Transpose: the axes. Narrow: axis, start, length. Broadcast: the new
  /// shape, KeepAxis for `_`. Offset: elements.
  std::vector<uint64_t> Numbers;
  static constexpr uint64_t KeepAxis = ~uint64_t(0);
};

struct ValueSpec {
  enum class Kind : uint8_t {
    Number, ///< `Text`: number, true or false
    File,   ///< `Text`: the path; `Views`
    Fill,   ///< `Items[0]` in every element
    List,   ///< `Items`, as many as elements
    Iota,   ///< 0, 1, 2, …
    Random, ///< `Seed`
    Alias   ///< `Text`: the other parameter; `Views`
  };
  Kind Form = Kind::Number;
  std::string Text;
  Scalar Element = Scalar::F32; ///< generated buffers
  std::vector<uint64_t> Shape;  ///< ditto
  std::vector<std::string> Items;
  uint64_t Seed = 0;
  std::vector<ViewStep> Views;
};

/// Reads the text after `PARAM=`. On failure `Why` says what is wrong, lower
/// case, no full stop.
std::optional<ValueSpec> parseValueSpec(std::string_view Text,
                                        std::string &Why);
/// Splits `PARAM=VALUE`; empty when there is no name before a `=`.
std::optional<std::pair<std::string, std::string>>
splitAssignment(std::string_view Text);

/// The elements of a File, Fill, List, Iota or Random (views not applied). A
/// bool buffer comes as 32-bit words. Floats of Random are
/// `(next >> 8) * 2^-23 - 1` over PCG32 (XSH-RR, state from the seed, stream
/// 54); integers take the raw word (its low bits if narrower).
std::optional<npy::Array> makeArray(const ValueSpec &S, std::string &Why);

/// A strided view over an array, in elements.
struct StridedView {
  uint64_t Offset = 0;
  std::vector<uint64_t> Shape, Strides;
};
/// The view's elements in C order, copied out of its parent's bytes. The view
/// lies within them.
std::vector<std::byte> elementsInOrder(const StridedView &V,
                                       std::span<const std::byte> Parent,
                                       uint64_t ElementBytes);
/// The whole array as a view.
StridedView wholeView(const std::vector<uint64_t> &Shape);
/// Applies the suffixes in order; false with `Why` if one does not fit.
bool applyViews(const std::vector<ViewStep> &Steps, StridedView &V,
                std::string &Why);

/// A list of up to three positive numbers: `--over=N[,M[,K]]`. Missing ones
/// are 1; zeros are allowed.
std::optional<std::array<uint64_t, 3>> parseGrid(std::string_view Text,
                                                 std::string &Why);

/// Integer code for the narrow floats: round to nearest even, overflow to
/// infinity, NaN to sign | 0x7e00 (0x7fc0).
uint16_t halfFromFloatBits(uint32_t Bits);
uint16_t bfloatFromFloatBits(uint32_t Bits);

} // namespace goldy

#endif
