//===- Npy.h - NumPy's .npy files in and out
//-------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of plain little-endian data in C order, structured element types
// included. Object, string and date elements, Fortran order and big-endian
// files are refused by name. A header is data from anyone: lengths, nesting,
// sums and products are checked before anything is allocated. Needs nothing
// but the standard library: the compiler's tools and goldyrun share it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_SUPPORT_NPY_H
#define GOLDYC_SUPPORT_NPY_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy::npy {

/// NumPy's type letters that hold plain data: b1, i, u, f, c is refused, V is
/// opaque bytes (padding, or types of other packages such as bfloat16).
enum class Kind : uint8_t { Bool, Int, UInt, Float, Opaque, Struct };

struct Field;

/// An element type. `Size` is in bytes and is also the distance between two
/// elements of an array.
struct DType {
  Kind Form = Kind::Float;
  uint64_t Size = 4;
  std::vector<Field> Fields; ///< Struct, ascending offsets, paddings left out
  friend bool operator==(const DType &, const DType &);
};

/// A field of a structured type; `Shape` is empty for a single value.
struct Field {
  std::string Name;
  DType Type;
  std::vector<uint64_t> Shape;
  uint64_t Offset = 0; ///< bytes from the element's start
  friend bool operator==(const Field &, const Field &) = default;
};
inline bool operator==(const DType &A, const DType &B) {
  return A.Form == B.Form && A.Size == B.Size && A.Fields == B.Fields;
}

inline DType boolType() { return {Kind::Bool, 1, {}}; }
inline DType intType(uint64_t Size) { return {Kind::Int, Size, {}}; }
inline DType uintType(uint64_t Size) { return {Kind::UInt, Size, {}}; }
inline DType floatType(uint64_t Size) { return {Kind::Float, Size, {}}; }
/// Bytes that the field occupies (its shape included).
uint64_t fieldBytes(const Field &F);

/// An array in C order; `Data` holds exactly count() * Type.Size bytes.
struct Array {
  DType Type;
  std::vector<uint64_t> Shape; ///< empty: a single element
  std::vector<std::byte> Data;
  uint64_t count() const;
};

/// The type as NumPy writes it: `<f4`, `[('a', '<f4'), ('v', '<f4', (3,))]`.
/// Gaps between fields become opaque paddings.
std::string descr(const DType &T);

/// Decodes a whole file. On failure nothing is returned and `Why` says what
/// is wrong, lower case and without a full stop, to follow the file's name.
std::optional<Array> decode(std::span<const std::byte> File, std::string &Why);
std::optional<Array> readFile(const std::string &Path, std::string &Why);

/// The header of a file that holds this type and shape, 64-byte aligned.
std::string encodeHeader(const DType &T, std::span<const uint64_t> Shape);
/// Writes aside and renames, so that a failure leaves no partial file. `Data`
/// must hold exactly the elements of `Shape`.
bool writeFile(const std::string &Path, const DType &T,
               std::span<const uint64_t> Shape, std::span<const std::byte> Data,
               std::string &Why);

} // namespace goldy::npy

#endif
