//===- Expressions.cpp - Random expressions of a wanted type --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every expression is in parentheses where precedence could matter: precedence
// is the parser's own tests' business. Literals carry their type.
//
//===----------------------------------------------------------------------===//
#include "KernelWriter.h"

#include <cstdio>

namespace goldy::fuzz {

bool isInteger(std::string_view T) {
  return T == "u32" || T == "i32" || T == "u64" || T == "i64";
}
bool isSigned(std::string_view T) { return T == "i32" || T == "i64"; }
bool isVector(std::string_view T) { return T.starts_with("gpu::"); }
TypeName componentOf(std::string_view T) {
  return T.starts_with("gpu::F")   ? "f32"
         : T.starts_with("gpu::I") ? "i32"
                                   : "u32";
}
unsigned lengthOf(std::string_view T) {
  return static_cast<unsigned>(T.back() - '0');
}

static std::string hex(uint64_t Bits) {
  char Text[24];
  std::snprintf(Text, sizeof Text, "0x%llx",
                static_cast<unsigned long long>(Bits));
  return Text;
}

TypeName KernelWriter::scalarType() {
  if (has(Wide) && R.chance(15))
    return R.pick<const char *>({"u64", "i64"});
  return R.pick<const char *>(
      {"u32", "u32", "i32", "f32", "f32", "f32", "bool"});
}

TypeName KernelWriter::valueType() {
  if (has(Vectors) && R.chance(15))
    return std::string("gpu::") +
           R.pick<const char *>({"Float", "Float", "Int", "UInt"}) +
           R.pick<const char *>({"2", "3", "4"});
  if (!Structs.empty() && R.chance(8))
    return R.pick(Structs).Name;
  if (R.chance(8))
    return std::string("[") + R.pick<const char *>({"u32", "f32", "i32"}) +
           "; 4]";
  return scalarType();
}

std::vector<const Variable *> KernelWriter::inScope(const TypeName &T,
                                                    bool Mutable) const {
  std::vector<const Variable *> Found;
  for (const Variable &V : Scope)
    if (V.Type == T && (!Mutable || V.Mutable))
      Found.push_back(&V);
  return Found;
}

std::string KernelWriter::literal(const TypeName &T) {
  if (T == "bool")
    return R.chance(50) ? "true" : "false";
  if (T == "f32") {
    if (R.chance(35)) // compilers fold these
      return R.pick<const char *>(
          {"0.0f32", "(-0.0f32)", "1.0f32", "(-1.0f32)", "2.0f32", "0.5f32",
           "f32::from_bits(0x80000000u32)", "f32::from_bits(0xbf800000u32)"});
    if (R.chance(50))
      return R.pick<const char *>(
          {"0.0f32", "1.0f32", "0.5f32", "2.0f32", "3.25f32", "1.0e-38f32",
           "16777216.0f32", "1.5e38f32", "0.1f32", "4294967296.0f32",
           "f32::INFINITY", "f32::NEG_INFINITY", "f32::NAN", "f32::MAX",
           "f32::MIN_POSITIVE", "f32::EPSILON"});
    uint32_t Edge = R.pick<uint32_t>(
        {0x80000000u, 0x00000001u, 0x007fffffu, 0x807fffffu, 0x00800000u,
         0x00800001u, 0x7f7fffffu, 0xff800000u, 0x7fc12345u, 0xffa00001u,
         0x4f000000u, 0xcf000001u, 0x4b7fffffu, 0x3effffffu});
    return "f32::from_bits(" + hex(R.chance(60) ? Edge : R.next() >> 32) +
           "u32)";
  }
  bool Is64 = T == "u64" || T == "i64";
  uint64_t Edges[] = {0, 1, 2, 3, 7, 31, 32, 33, 255, 65535, 0x7fffffff};
  uint64_t V = R.chance(70) ? Edges[R.below(11)] : R.next() >> 33;
  if (Is64 && R.chance(40))
    V = R.next() >> 1;
  if (T == "u32" && R.chance(20))
    return hex(0xffffffffu - R.below(3)) + "u32";
  if (T == "u32" && R.chance(15)) // a float's zero and ones
    return R.pick<const char *>(
        {"0u32", "0x80000000u32", "0x3f800000u32", "0xbf800000u32"});
  if (T == "u64" && R.chance(15))
    return R.pick<const char *>({"0x8000000000000000u64",
                                 "0x3ff0000000000000u64",
                                 "0xbff0000000000000u64"});
  if (isSigned(T))
    return R.chance(12)   ? T + "::MIN"
           : R.chance(40) ? "(-" + std::to_string(V) + T + ")"
                          : std::to_string(V) + T;
  return std::to_string(V) + T;
}

std::string KernelWriter::leaf(const TypeName &T) {
  std::vector<const Variable *> Known = inScope(T, false);
  if (!Known.empty() && R.chance(75))
    return R.pick(Known)->Name;
  std::string Member = R.chance(30) ? memberRead(T) : "";
  return Member.empty() ? literal(T) : Member;
}

/// A field, component or array element of something in scope.
std::string KernelWriter::memberRead(const TypeName &T) {
  std::vector<std::string> Found;
  for (const Variable &V : Scope) {
    if (V.Type.starts_with("[" + T))
      Found.push_back(V.Name + "[" + index(0) + "]");
    if (isVector(V.Type) && componentOf(V.Type) == T)
      Found.push_back(V.Name + "." + "xyzw"[R.below(lengthOf(V.Type))]);
    for (const Struct &S : Structs)
      if (S.Name == V.Type)
        for (const Field &F : S.Fields)
          if (F.Type == T)
            Found.push_back(V.Name + "." + F.Name);
  }
  return Found.empty() ? "" : R.pick(Found);
}

std::string KernelWriter::index(unsigned Depth) {
  if (Depth == 0 || R.chance(50)) {
    std::vector<const Variable *> Known =
        inScope(R.chance(70) ? "u32" : "i32", false);
    if (!Known.empty())
      return R.pick(Known)->Name;
    return std::to_string(R.below(6)) + "u32";
  }
  std::string I = expr(R.chance(70) ? "u32" : "i32", Depth - 1);
  return R.chance(60) ? "((" + I + " as u32) % 70u32)" : I;
}

std::string KernelWriter::element(const TypeName &T, unsigned Depth) {
  std::vector<const Indexed *> Found;
  for (const std::vector<Indexed> *Set : {&Inputs, &Tables, &Group})
    for (const Indexed &I : *Set)
      if (I.Readable && I.Element == T && !(InHelper && Set != &Tables))
        Found.push_back(&I);
  if (Found.empty())
    return leaf(T);
  return R.pick(Found)->Name + "[" + index(Depth) + "]";
}

std::string KernelWriter::dynamic(const TypeName &T, unsigned Depth) {
  std::vector<const Variable *> Known = inScope(T, false);
  if (Known.empty())
    return T == "bool" ? "(seed > 3u32)" : "(seed as " + T + ")";
  std::string V = R.pick(Known)->Name;
  if (Depth == 0 || R.chance(50))
    return V;
  if (T == "bool")
    return "(" + V + R.pick<const char *>({" & ", " | ", " ^ "}) +
           expr(T, Depth - 1) + ")";
  if (T == "f32")
    return "(" + V + R.pick<const char *>({" + ", " - ", " * ", " / "}) +
           expr(T, Depth - 1) + ")";
  return "(" + V + R.pick<const char *>({" + ", " - ", " * ", " ^ "}) +
         expr(T, Depth - 1) + ")";
}

std::string KernelWriter::integer(const TypeName &T, unsigned Depth) {
  std::string A = expr(T, Depth - 1);
  switch (R.below(14)) {
  case 0:
  case 1:
  case 2:
    return "(" + A +
           R.pick<const char *>({" + ", " - ", " * ", " & ", " | ", " ^ "}) +
           expr(T, Depth - 1) + ")";
  case 3:
  case 4:
    return "(" + A + R.pick<const char *>({" / ", " % "}) +
           (R.chance(70) ? dynamic(T, Depth - 1)
                         : std::to_string(1 + R.below(9)) + T) +
           ")";
  case 5:
  case 6:
    return "(" + A + R.pick<const char *>({" << ", " >> "}) +
           (R.chance(60) ? dynamic(R.chance(50) ? "u32" : T, Depth - 1)
                         : std::to_string(R.below(32)) + "u32") +
           ")";
  case 7:
    return "(!" + A + ")";
  case 8:
    return "gpu::" + std::string(R.pick<const char *>({"min", "max"})) + "(" +
           A + ", " + expr(T, Depth - 1) + ")";
  case 9:
    return R.chance(50) ? "gpu::mul_hi(" + A + ", " + expr(T, Depth - 1) + ")"
                        : "gpu::reverse_bits(" + A + ")";
  case 10:
    return "gpu::" +
           std::string(R.pick<const char *>({"rotate_left", "rotate_right"})) +
           "(" + A + ", " + expr("u32", Depth - 1) + ")";
  case 11:
    if (isSigned(T))
      return R.chance(50) ? "gpu::abs(" + A + ")"
                          : "(-(" + dynamic(T, Depth - 1) + "))";
    return A;
  case 12:
    if (T == "u32")
      return "gpu::" +
             std::string(R.pick<const char *>(
                 {"count_ones", "leading_zeros", "trailing_zeros"})) +
             "(" + expr(has(Wide) && R.chance(30) ? "u64" : "u32", Depth - 1) +
             ")";
    return A;
  default:
    if (T == "u32" && R.chance(40))
      return "gpu::to_bits(" + expr("f32", Depth - 1) + ")";
    return cast(T, Depth);
  }
}

std::string KernelWriter::cast(const TypeName &T, unsigned Depth) {
  std::vector<const char *> From{"u32", "i32", "f32", "bool"};
  if (has(Wide)) {
    From.push_back("u64");
    From.push_back("i64");
  }
  TypeName F = R.pick(From);
  if (T == "f32" && F == "bool")
    F = "u32";
  return "(" + dynamic(F, Depth - 1) + " as " + T + ")";
}

std::string KernelWriter::floating(unsigned Depth) {
  std::string A = expr("f32", Depth - 1);
  switch (R.below(has(Math) ? 14 : 12)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return "(" + A + R.pick<const char *>({" + ", " - ", " * "}) +
           expr("f32", Depth - 1) + ")";
  case 4:
    return "(" + A + R.pick<const char *>({" / ", " % "}) +
           expr("f32", Depth - 1) + ")";
  case 5:
    return "gpu::fma(" + A + ", " + expr("f32", Depth - 1) + ", " +
           expr("f32", Depth - 1) + ")";
  case 6:
    return "gpu::" +
           std::string(R.pick<const char *>({"floor", "ceil", "trunc", "round",
                                             "round_even", "fract", "sqrt",
                                             "abs", "sign"})) +
           "(" + A + ")";
  case 7:
    return "gpu::" +
           std::string(R.pick<const char *>({"min", "max", "copysign"})) + "(" +
           A + ", " + expr("f32", Depth - 1) + ")";
  case 8:
    return "(-" + A + ")";
  case 9:
    return "f32::from_bits(" + expr("u32", Depth - 1) + ")";
  case 10:
    return "gpu::clamp(" + A + ", " + expr("f32", Depth - 1) + ", " +
           expr("f32", Depth - 1) + ")";
  case 11:
    return cast("f32", Depth);
  case 12:
    return "gpu::" +
           std::string(R.pick<const char *>(
               {"exp", "exp2", "exp_m1", "log", "log2", "log10", "ln_1p",
                "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
                "cosh", "tanh", "erf"})) +
           "(" + A + ")";
  default:
    if (R.chance(20))
      return "gpu::powi(" + A + ", " + dynamic("i32", Depth - 1) + ")";
    return "gpu::" + std::string(R.pick<const char *>({"pow", "atan2"})) + "(" +
           A + ", " + expr("f32", Depth - 1) + ")";
  }
}

std::string KernelWriter::boolean(unsigned Depth) {
  switch (R.below(6)) {
  case 0:
    return "(" + expr("bool", Depth - 1) +
           R.pick<const char *>(
               {" && ", " || ", " & ", " | ", " ^ ", " == ", " != "}) +
           expr("bool", Depth - 1) + ")";
  case 1:
    return "(!" + expr("bool", Depth - 1) + ")";
  default: {
    TypeName T = scalarType();
    if (T == "bool")
      T = "f32";
    return "(" + expr(T, Depth - 1) +
           R.pick<const char *>(
               {" < ", " <= ", " > ", " >= ", " == ", " != "}) +
           expr(T, Depth - 1) + ")";
  }
  }
}

std::string KernelWriter::vectorValue(const TypeName &T, unsigned Depth) {
  TypeName C = componentOf(T);
  std::vector<const Variable *> Known = inScope(T, false);
  if (!Known.empty() && R.chance(40))
    return R.pick(Known)->Name;
  if (Depth > 0 && R.chance(50)) {
    bool Scalar = R.chance(30);
    std::string A = expr(T, Depth - 1);
    std::string B = expr(Scalar ? C : T, Depth - 1);
    if (C == "f32" && R.chance(20))
      return "gpu::" +
             std::string(R.pick<const char *>({"floor", "sqrt", "abs"})) + "(" +
             A + ")";
    return "(" + A + R.pick<const char *>({" + ", " - ", " * "}) + B + ")";
  }
  std::string Name = "gpu::";
  for (char Letter : T.substr(5))
    Name += static_cast<char>(Letter >= 'A' && Letter <= 'Z' ? Letter + 32
                                                             : Letter);
  Name += "(";
  for (unsigned N = 0; N < lengthOf(T); ++N)
    Name += (N ? ", " : "") + expr(C, Depth ? Depth - 1 : 0);
  return Name + ")";
}

std::string KernelWriter::aggregate(const TypeName &T, unsigned Depth) {
  std::vector<const Variable *> Known = inScope(T, false);
  if (!Known.empty() && R.chance(60))
    return R.pick(Known)->Name;
  unsigned Less = Depth ? Depth - 1 : 0;
  if (T[0] == '[') {
    TypeName E = T.substr(1, T.find(';') - 1);
    if (R.chance(30))
      return "[" + expr(E, Less) + "; 4]";
    std::string Text = "[";
    for (unsigned N = 0; N < 4; ++N)
      Text += (N ? ", " : "") + expr(E, Less);
    return Text + "]";
  }
  for (const Struct &S : Structs) {
    if (S.Name != T)
      continue;
    std::string Text = T + " { ";
    for (const Field &F : S.Fields)
      Text += F.Name + ": " + expr(F.Type, Less) + ", ";
    return Text + "}";
  }
  return literal(T);
}

std::string KernelWriter::helperCall(const TypeName &T, unsigned Depth) {
  std::vector<const Helper *> Found;
  for (const Helper &H : Helpers)
    if (H.Result == T)
      Found.push_back(&H);
  if (Found.empty())
    return leaf(T);
  const Helper &H = *R.pick(Found);
  std::string Text = H.Name + "(";
  for (size_t N = 0; N < H.Params.size(); ++N)
    Text += (N ? ", " : "") + expr(H.Params[N], Depth - 1);
  return Text + ")";
}

std::string KernelWriter::choice(const TypeName &T, unsigned Depth) {
  bool Constants = R.chance(40);
  std::string C = expr("bool", Depth - 1);
  std::string A = Constants ? literal(T) : expr(T, Depth - 1);
  std::string B = Constants || R.chance(20) ? literal(T) : expr(T, Depth - 1);
  if ((T == "f32" || isInteger(T)) && R.chance(15))
    return "(match " + dynamic("u32", Depth - 1) + " % 3u32 { 0 => " + A +
           ", 1 => " + B + ", _ => " + literal(T) + " })";
  if (R.chance(50))
    return "gpu::select(" + C + ", " + A + ", " + B + ")";
  return "(if " + C + " { " + A + " } else { " + B + " })";
}

std::string KernelWriter::expr(const TypeName &T, unsigned Depth) {
  if (isVector(T))
    return vectorValue(T, Depth);
  if (T[0] == '[' || T[0] == 'S')
    return aggregate(T, Depth);
  if (Depth == 0 || R.chance(15))
    return leaf(T);
  if (R.chance(12))
    return element(T, Depth - 1);
  if (R.chance(6))
    return helperCall(T, Depth);
  if (R.chance(12))
    return choice(T, Depth);
  if (T == "f32")
    return floating(Depth);
  return T == "bool" ? boolean(Depth) : integer(T, Depth);
}

std::string KernelWriter::uniform(const TypeName &T) {
  std::vector<std::string> Found;
  for (const Variable &V : Scope)
    if (V.Uniform && V.Type == T)
      Found.push_back(V.Name);
  if (T == "u32")
    Found.push_back("gpu::workgroup_id().x");
  return Found.empty() ? literal(T) : R.pick(Found);
}

} // namespace goldy::fuzz
