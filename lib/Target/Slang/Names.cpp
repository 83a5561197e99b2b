//===- Names.cpp - Identifiers and literals in Slang text
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Names.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace goldy::slang {

static constexpr std::string_view Keywords[] = {
    "struct",  "class",     "enum",     "let",       "var",      "func",
    "typedef", "typealias", "if",       "else",      "for",      "while",
    "do",      "switch",    "case",     "default",   "break",    "continue",
    "return",  "discard",   "true",     "false",     "none",     "nullptr",
    "this",    "This",      "operator", "new",       "throw",    "try",
    "catch",   "defer",     "no_diff",  "spirv_asm", "functype", "sizeof",
    "void",    "bool",      "int",      "uint",      "float",    "half",
    "double",  "float2",    "float3",   "float4",    "int2",     "int3",
    "int4",    "uint2",     "uint3",    "uint4",     "bool2",    "bool3",
    "bool4",   "uint64_t",  "int64_t",  "static",    "const",    "groupshared"};

/// Before a parameter these are no type: as names of anything else they do.
static constexpr std::string_view Modifiers[] = {"in",
                                                 "out",
                                                 "inout",
                                                 "uniform",
                                                 "public",
                                                 "private",
                                                 "internal",
                                                 "export",
                                                 "extern",
                                                 "inline",
                                                 "precise",
                                                 "snorm",
                                                 "unorm",
                                                 "row_major",
                                                 "column_major",
                                                 "nointerpolation",
                                                 "linear",
                                                 "sample",
                                                 "noperspective",
                                                 "centroid",
                                                 "shared",
                                                 "volatile",
                                                 "globallycoherent",
                                                 "layout",
                                                 "override",
                                                 "each",
                                                 "expand",
                                                 "dynamic_uniform",
                                                 "point",
                                                 "line",
                                                 "triangle",
                                                 "lineadj",
                                                 "triangleadj",
                                                 "require",
                                                 "vertices",
                                                 "primitives",
                                                 "payload",
                                                 "highp",
                                                 "mediump",
                                                 "lowp",
                                                 "restrict",
                                                 "readonly",
                                                 "writeonly",
                                                 "coherent"};

/// What the printed text itself refers to.
static constexpr std::string_view Functions[] = {
    "cs_main",
    "abs",
    "min",
    "max",
    "sqrt",
    "fma",
    "floor",
    "ceil",
    "trunc",
    "asuint",
    "asfloat",
    "countbits",
    "reversebits",
    "firstbithigh",
    "firstbitlow",
    "select",
    "fmod",
    "clamp",
    "lerp",
    "step",
    "dot",
    "cross",
    "length",
    "normalize",
    "distance",
    "exp",
    "log",
    "exp2",
    "log2",
    "pow",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "frac",
    "round",
    "sign",
    "saturate",
    "smoothstep",
    "mul",
    "mad",
    "any",
    "all",
    "isnan",
    "isinf",
    "BufRO",
    "Scattered",
    "ThreadId",
    "DirectSpatial",
    "RWTexture2D",
    "GroupThreadId",
    "GroupId",
    "AllMemoryBarrierWithGroupSync"};

Names::Names() {
  for (std::string_view Name : Keywords)
    Taken.emplace(Name);
  for (std::string_view Name : Functions)
    Taken.emplace(Name);
}

static std::string sanitised(std::string_view Wanted) {
  std::string Base;
  for (char C : Wanted) {
    bool Good = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
                (C >= '0' && C <= '9') || C == '_';
    Base += Good ? C : '_';
  }
  if (Base.empty())
    Base = "v";
  if (Base[0] >= '0' && Base[0] <= '9')
    Base.insert(0, 1, '_');
  return Base;
}

std::string fieldName(std::string_view Wanted) {
  std::string Name = sanitised(Wanted);
  for (std::string_view Keyword : Keywords)
    if (Name == Keyword)
      return Name + "_1";
  return Name;
}

std::string Names::takeType(std::string_view Wanted) {
  for (std::string_view Modifier : Modifiers)
    if (Wanted == Modifier)
      Taken.emplace(Wanted);
  return take(Wanted);
}

std::string Names::take(std::string_view Wanted) {
  std::string Base = sanitised(Wanted);
  // Ours all start so; a user's `goldy_add` must not meet a helper.
  if (Base.starts_with("goldy") || Base.starts_with("_goldy") ||
      Base.starts_with("Interlocked"))
    Base.insert(0, "u_");
  std::string Name = Base;
  // Lower numbers were tried before: names are never given back.
  for (unsigned &N = LastSuffix[Base]; !Taken.insert(Name).second;)
    Name = fmt::format("{}_{}", Base, ++N);
  return Name;
}

std::string floatBits(uint32_t Bits) {
  return fmt::format("asfloat(0x{:08x}u)", Bits);
}

/// Exact means: the shortest decimal of the f32 is also the shortest of the
/// same number as f64, so a reader of either width gets the number itself.
std::string floatLiteral(uint32_t Bits) {
  float Value = std::bit_cast<float>(Bits);
  bool Normal = std::fpclassify(Value) == FP_NORMAL || Bits == 0;
  if (!Normal)
    return floatBits(Bits);
  char Short[64], Long[64];
  std::to_chars_result S = std::to_chars(Short, Short + sizeof Short, Value);
  std::to_chars_result L =
      std::to_chars(Long, Long + sizeof Long, static_cast<double>(Value));
  std::string Text(Short, S.ptr);
  if (Text != std::string(Long, L.ptr))
    return floatBits(Bits);
  if (Text.find_first_of(".e") == Text.npos)
    Text += ".0";
  return Text;
}

static std::string intLiteral(int32_t Value) {
  // The positive number would not fit before its sign is applied.
  if (Value == INT32_MIN)
    return "int(0x80000000u)";
  return std::to_string(Value);
}

std::string integerLiteral(TypeKind K, uint64_t Bits) {
  switch (K) {
  case TypeKind::Bool:
    return Bits ? "true" : "false";
  case TypeKind::I32:
    return intLiteral(static_cast<int32_t>(Bits));
  case TypeKind::U64:
    return std::to_string(Bits) + "ull";
  case TypeKind::I64:
    if (Bits == uint64_t(1) << 63)
      return "int64_t(0x8000000000000000ull)";
    return std::to_string(static_cast<int64_t>(Bits)) + "ll";
  default:
    return std::to_string(static_cast<uint32_t>(Bits)) + "u";
  }
}

std::string_view integerSuffix(TypeKind K) {
  return K == TypeKind::U64   ? "ull"
         : K == TypeKind::I64 ? "ll"
         : K == TypeKind::I32 ? ""
                              : "u";
}

} // namespace goldy::slang
