//===- Type.h - IR types and the one layout
//--------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types are hash-consed per module: equal types have equal handles, and the
// scalars have the same handles in every module (`types::F32`). The layout is
// one on every target: scalars 4 bytes (8 for 64-bit, 1 or 2 for the narrow
// storage types), bool one 32-bit word, vectors packed and aligned to their
// component, structs C-like.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_TYPE_H
#define GOLDYC_IR_TYPE_H

#include "goldyc/Support/Handle.h"
#include "goldyc/Support/Source.h"

#include <string>
#include <vector>

namespace goldy {

enum class TypeKind : uint8_t {
  Void,
  Bool,
  U32,
  I32,
  F32,
  U64,
  I64,
  // Storage only: element types of buffers, never of values.
  U8,
  I8,
  U16,
  I16,
  F16,
  BF16,
  Vector,
  Array,
  Struct
};

struct StructType;
using StructId = Handle<StructType>;
struct Type;
using TypeId = Handle<Type>;

struct Type {
  TypeKind Kind = TypeKind::Void;
  TypeId Element;     ///< Vector, Array
  uint32_t Count = 0; ///< Vector 2..4, Array length
  StructId Struct;    ///< Struct
  friend bool operator==(const Type &, const Type &) = default;
};

struct StructField {
  std::string Name;
  TypeId Type;
  Span Where;
};
struct StructType {
  std::string Name;
  std::vector<StructField> Fields;
  Span Where;
};

/// Handles of the scalar types, the same in every module.
namespace types {
inline constexpr TypeId Void{0}, Bool{1}, U32{2}, I32{3}, F32{4}, U64{5},
    I64{6}, U8{7}, I8{8}, U16{9}, I16{10}, F16{11}, BF16{12};
inline constexpr uint32_t NumScalars = 13;
} // namespace types

/// Size, alignment and array stride in bytes.
struct Layout {
  uint64_t Size = 0;
  uint32_t Align = 1;
};

class TypeTable {
public:
  TypeTable();
  TypeId vector(TypeId Element, uint32_t Count);
  TypeId array(TypeId Element, uint32_t Count);
  TypeId structType(StructId S);
  StructId addStruct(StructType S);
  const Type &operator[](TypeId T) const { return Types[T]; }
  const StructType &structure(StructId S) const { return Structs[S]; }
  StructType &structure(StructId S) { return Structs[S]; }
  uint32_t size() const { return Types.size(); }
  uint32_t structCount() const { return Structs.size(); }
  bool contains(TypeId T) const { return Types.contains(T); }

  TypeKind kind(TypeId T) const { return Types[T].Kind; }
  bool isScalar(TypeId T) const;  ///< Bool … I64 (not Void, not storage-only)
  bool isInteger(TypeId T) const; ///< U32 I32 U64 I64
  bool isSigned(TypeId T) const;  ///< I32 I64 (and I8, I16)
  bool isFloat(TypeId T) const;   ///< F32
  bool isStorageOnly(TypeId T) const; ///< U8 … BF16
  /// The type a load of a `T` gives and a store of it takes: narrow storage
  /// types widen to u32, i32 or f32, the rest are their own.
  static TypeId valueType(TypeId T);
  uint32_t bits(TypeId T) const; ///< of a scalar; Bool is 32 (its storage)
  /// The scalar under vectors (not arrays or structs).
  TypeId scalarOf(TypeId T) const;
  /// Members of a Vector, Array or Struct; 0 for scalars.
  uint32_t memberCount(TypeId T) const;
  TypeId memberType(TypeId T, uint32_t Index) const;
  Layout layout(TypeId T) const;
  /// Byte offset of a member within its aggregate.
  uint64_t memberOffset(TypeId T, uint32_t Index) const;
  /// Distance between elements of an array or buffer of `T`.
  uint64_t stride(TypeId T) const;
  /// As the language writes it: `f32`, `gpu::Float3`, `[f32; 4]`, `P`.
  std::string name(TypeId T) const;

private:
  TypeId intern(Type T);
  Arena<Type> Types;
  Arena<StructType> Structs;
};

} // namespace goldy

#endif
