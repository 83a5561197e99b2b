//===- SemaTypes.cpp - Types from their syntax
//------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of scalars, vectors and structs; arrays with constant lengths; and the
// type names that are refused, each with the form to use instead.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

#include <algorithm>
#include <array>

using namespace goldy;
using namespace goldy::sema;

namespace {

constexpr uint64_t MaxBytes = uint64_t(1) << 30;
constexpr uint64_t MaxPrivateBytes = 64 * 1024;

struct NamedType {
  std::string_view Name;
  TypeId Type;
};
constexpr NamedType Scalars[] = {{"u32", types::U32}, {"i32", types::I32},
                                 {"u64", types::U64}, {"i64", types::I64},
                                 {"f32", types::F32}, {"bool", types::Bool}};
constexpr NamedType VectorStems[] = {
    {"Float", types::F32}, {"Int", types::I32}, {"UInt", types::U32}};

/// Types of buffer elements only; the floats are of `gpu::`.
constexpr NamedType StorageTypes[] = {
    {"u8", types::U8},   {"i8", types::I8},   {"u16", types::U16},
    {"i16", types::I16}, {"f16", types::F16}, {"bf16", types::BF16}};

TypeId storageTypeByName(const ast::Path &P) {
  std::string_view Gpu = gpuName(P), Name = P.Segments.back().Text;
  if (Gpu.empty() && P.Segments.size() != 1)
    return TypeId();
  for (const NamedType &S : StorageTypes)
    if (S.Name == Name && Gpu.empty() != Name.ends_with("f16"))
      return S.Type;
  return TypeId();
}

/// A storage type where a value is wanted.
TypeId refuseStorageType(Context &C, TypeId Storage, Span Where) {
  std::string Value = C.typeName(TypeTable::valueType(Storage));
  C.error(diag::G0467, Where)
          .help("use `" + Value + "`: a load of a `" + C.typeName(Storage) +
                "` gives it, and a store takes it")
      << '`' << C.typeName(Storage) << "` is a type of buffer elements only";
  return TypeId();
}

std::vector<std::string> typeNames(const Context &C) {
  std::vector<std::string> Names = namesOf(C, C.StructNames);
  for (const NamedType &S : Scalars)
    Names.emplace_back(S.Name);
  return Names;
}

/// Types of parameters only.
constexpr std::string_view ResourceTypes[] = {
    "BufRO",  "Scattered", "Uniform",    "DirectSpatial",
    "Tensor", "TensorMut", "TensorWrite"};

std::vector<std::string> gpuTypeNames() {
  std::vector<std::string> Names{"f16", "bf16"};
  Names.insert(Names.end(), std::begin(ResourceTypes), std::end(ResourceTypes));
  for (const NamedType &S : VectorStems)
    for (char N : {'2', '3', '4'})
      Names.push_back(std::string(S.Name) + N);
  return Names;
}

TypeId gpuType(Context &C, const ast::TypeNode &T, std::string_view Name) {
  if (TypeId V = vectorTypeByName(C, Name))
    return V;
  std::string Shown = "gpu::" + std::string(Name);
  if (std::find(std::begin(ResourceTypes), std::end(ResourceTypes), Name) !=
      std::end(ResourceTypes)) {
    C.error(diag::G0312, T.Where)
            .help(
                "take it as a parameter, `x: &[f32]`; read and write elements")
        << '`' << Shown << "` names a resource, not the type of a value";
    return TypeId();
  }
  DiagBuilder D = C.error(diag::G0201, T.Where);
  D << "there is no type `" << Shown << '`';
  suggest(D, Name, T.Name.Segments.back().Where, gpuTypeNames(),
          "vectors are `gpu::Float2` to `gpu::UInt4`");
  return TypeId();
}

TypeId namedType(Context &C, const ast::TypeNode &T) {
  const ast::Path &P = T.Name;
  if (TypeId Storage = storageTypeByName(P))
    return refuseStorageType(C, Storage, T.Where);
  if (std::string_view Gpu = gpuName(P); !Gpu.empty())
    return gpuType(C, T, Gpu);
  std::string Shown = pathText(P);
  std::string_view Name = P.Segments.back().Text;
  bool Single = P.Segments.size() == 1;
  if (TypeId S = Single ? scalarTypeByName(Name) : TypeId())
    return S;
  if (const uint32_t *Index = findItem(C, C.StructNames, Shown))
    return structType(C, *Index);
  if (reportHidden(C, Shown, T.Where))
    return TypeId();
  DiagBuilder D = C.error(diag::G0201, T.Where);
  D << "there is no type `" << Shown << '`';
  std::vector<std::string> OfGpu = gpuTypeNames();
  if (std::find(OfGpu.begin(), OfGpu.end(), Name) != OfGpu.end())
    D.help("write `gpu::" + std::string(Name) + "`")
        .fix(P.Where, "gpu::" + std::string(Name));
  else
    suggest(D, Shown, P.Where, typeNames(C),
            "types are `u32`, `i32`, `u64`, `i64`, `f32`, `bool`, vectors, "
            "arrays and "
            "`#[goldy::gpu]` structs");
  return TypeId();
}

/// Size in bytes, or something above MaxBytes if it is larger.
uint64_t boundedSize(const TypeTable &Types, TypeId T) {
  if (Types.kind(T) != TypeKind::Array)
    return Types.layout(T).Size;
  uint64_t Element = boundedSize(Types, Types[T].Element);
  return Element > MaxBytes ? Element : Element * Types[T].Count;
}

TypeId arrayType(Context &C, const ast::TypeNode &T) {
  TypeId Element = resolveValueType(C, T.Element);
  std::optional<uint32_t> Count =
      resolveCount(C, T.Count, "the length of an array");
  if (!Element || !Count)
    return TypeId();
  TypeId Array = C.M.Types.array(Element, *Count);
  if (boundedSize(C.M.Types, Array) <= MaxBytes)
    return Array;
  C.error(diag::G0615, T.Where).help("shorten it, or use a buffer")
      << "this array is larger than 1 GiB";
  return TypeId();
}

TypeId refuseReference(Context &C, const ast::TypeNode &T) {
  C.error(diag::G0452, T.Where)
          .help("pass the value itself; a helper returns what it changes, and "
                "buffers are passed as `&[T]` or `&mut [T]`")
      << "a reference is refused here: only buffers are passed by reference";
  return TypeId();
}

unsigned deepestField(const Context &C, const StructType &S) {
  unsigned Deepest = 0;
  for (const StructField &F : S.Fields) {
    TypeId T = F.Type;
    while (T && C.M.Types.kind(T) == TypeKind::Array)
      T = C.M.Types[T].Element;
    if (!T || C.M.Types.kind(T) != TypeKind::Struct)
      continue;
    const std::string &Name = C.M.Types.structure(C.M.Types[T].Struct).Name;
    Deepest = std::max(Deepest, C.Structs[C.StructNames.at(Name)].Depth);
  }
  return Deepest;
}

/// The field types of a struct, all of them checked.
bool fieldTypes(Context &C, const ast::Item &Item, StructType &S) {
  bool Ok = true;
  for (const ast::FieldNode &F : Item.Fields) {
    TypeId T = resolveValueType(C, F.Type);
    Ok &= T.isValid();
    for (const StructField &Other : S.Fields)
      if (Other.Name == F.Name.Text) {
        C.error(diag::G0202, F.Name.Where).note(Other.Where, "first here")
            << "field `" << F.Name.Text << "` is declared twice";
        Ok = false;
      }
    S.Fields.push_back({std::string(F.Name.Text), T, F.Name.Where});
  }
  return Ok;
}

} // namespace

bool sema::isOversized(const Context &C, TypeId T) {
  return boundedSize(C.M.Types, T) > MaxPrivateBytes;
}

TypeId sema::scalarTypeByName(std::string_view Name) {
  for (const NamedType &S : Scalars)
    if (S.Name == Name)
      return S.Type;
  return TypeId();
}

TypeId sema::vectorTypeByName(Context &C, std::string_view Name) {
  for (const NamedType &S : VectorStems)
    if (Name.size() == S.Name.size() + 1 && Name.starts_with(S.Name) &&
        Name.back() >= '2' && Name.back() <= '4')
      return C.M.Types.vector(S.Type, static_cast<uint32_t>(Name.back() - '0'));
  return TypeId();
}

TypeId sema::structType(Context &C, uint32_t Index) {
  if (C.Structs[Index].State == ResolveState::Done)
    return C.Structs[Index].Type;
  if (C.Structs[Index].State == ResolveState::Failed)
    return TypeId();
  const ast::Item &Item = *C.Structs[Index].Item;
  if (C.Structs[Index].State == ResolveState::Active) {
    C.error(diag::G0209, Item.Name.Where)
            .help("hold an index into a buffer of `" +
                  std::string(Item.Name.Text) + "` instead")
        << "struct `" << Item.Name.Text << "` contains itself";
    C.Structs[Index].State = ResolveState::Failed;
    return TypeId();
  }
  if (!checkItemDepth(C, C.ItemDepth, Item.Name)) {
    C.Structs[Index].State = ResolveState::Failed;
    return TypeId();
  }
  InModuleOf Inside(C, Item);
  C.Structs[Index].State = ResolveState::Active;
  ++C.ItemDepth;
  StructType S{qualifiedName(C, Item), {}, Item.Name.Where};
  bool Ok = fieldTypes(C, Item, S);
  --C.ItemDepth;
  unsigned Depth = 1 + deepestField(C, S);
  Ok = Ok && checkItemDepth(C, Depth, Item.Name);
  C.Structs[Index].Depth = Depth;
  if (S.Fields.empty()) {
    C.error(diag::G0217, Item.Name.Where).help("give it at least one field")
        << "struct `" << Item.Name.Text << "` has no fields";
    Ok = false;
  }
  if (!Ok || C.Structs[Index].State == ResolveState::Failed) {
    C.Structs[Index].State = ResolveState::Failed;
    return TypeId();
  }
  C.Structs[Index].Type =
      C.M.Types.structType(C.M.Types.addStruct(std::move(S)));
  C.Structs[Index].State = ResolveState::Done;
  return C.Structs[Index].Type;
}

TypeId sema::resolveType(Context &C, ast::TypeNodeId Id) {
  const ast::TypeNode &T = C.Tree[Id];
  switch (T.Form) {
  case ast::TypeForm::Named:
    return namedType(C, T);
  case ast::TypeForm::Array:
    return arrayType(C, T);
  case ast::TypeForm::Reference:
    return refuseReference(C, T);
  case ast::TypeForm::Slice:
    C.error(diag::G0312, T.Where)
            .help("take it as a parameter, `x: &[f32]`, or use `[T; N]`")
        << "`[T]` is a buffer, not the type of a value";
    return TypeId();
  case ast::TypeForm::Unit:
    return types::Void;
  case ast::TypeForm::Error:
    return TypeId();
  }
  return TypeId();
}

TypeId sema::resolveValueType(Context &C, ast::TypeNodeId Id) {
  TypeId T = resolveType(C, Id);
  if (T != types::Void)
    return T;
  C.error(diag::G0220, C.Tree[Id].Where).help("leave it out")
      << "`()` holds no value";
  return TypeId();
}

TypeId sema::resolveElementType(Context &C, ast::TypeNodeId Id) {
  TypeId T = resolveType(C, Id);
  if (!T)
    return T;
  TypeKind K = C.M.Types.kind(T);
  if (K != TypeKind::Array && K != TypeKind::Void)
    return T;
  C.error(diag::G0220, C.Tree[Id].Where)
          .help("put the array into a `#[goldy::gpu]` struct")
      << "`" << C.typeName(T)
      << "` cannot be an element: expected a scalar, a vector or a struct";
  return TypeId();
}

TypeId sema::resolveBufferElement(Context &C, ast::TypeNodeId Id) {
  const ast::TypeNode &T = C.Tree[Id];
  TypeId Storage =
      T.Form == ast::TypeForm::Named ? storageTypeByName(T.Name) : TypeId();
  return Storage ? Storage : resolveElementType(C, Id);
}

std::optional<uint32_t> sema::resolveCount(Context &C, ast::ExprId E,
                                           std::string_view What) {
  MustKnowValues Known(C);
  if (!inferConstant(C, E, TypeId()))
    return std::nullopt;
  TypeId T = C.ExprType[E];
  Span Where = C[E].Where;
  if (!C.M.Types.isInteger(T)) {
    C.error(diag::G0300, Where).help("write an integer, or convert: `N as u32`")
        << What << " is an integer, found `" << C.typeName(T) << '`';
    return std::nullopt;
  }
  std::optional<uint64_t> Bits = constantBits(C, E);
  if (!Bits)
    return std::nullopt; // a constant that failed, reported there
  bool Negative = C.M.Types.isSigned(T) && signedValue(T, *Bits) < 0;
  if (Negative || *Bits == 0) {
    C.error(diag::G0221, Where).help("write a number of at least 1")
        << What << " is at least 1, found " << signedValue(T, *Bits);
    return std::nullopt;
  }
  if (*Bits > UINT32_MAX) {
    C.error(diag::G0221, Where).help("counts are 32-bit: write a smaller one")
        << What << " is at most 4294967295, found " << *Bits;
    return std::nullopt;
  }
  return static_cast<uint32_t>(*Bits);
}
