//===- HeaderNames.cpp - Names and types in generated headers -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The keyword list holds those that a Rust identifier can be spelled like.
//
//===----------------------------------------------------------------------===//
#include "HeaderNames.h"

#include <algorithm>
#include <set>

using namespace goldy;

static constexpr std::string_view Keywords[] = {
    "alignas",   "alignof",      "and",      "and_eq",       "asm",
    "auto",      "bitand",       "bitor",    "bool",         "case",
    "catch",     "char",         "class",    "co_await",     "co_return",
    "co_yield",  "compl",        "concept",  "const_cast",   "consteval",
    "constexpr", "constinit",    "decltype", "default",      "delete",
    "double",    "dynamic_cast", "explicit", "export",       "float",
    "friend",    "goto",         "inline",   "int",          "long",
    "mutable",   "namespace",    "new",      "noexcept",     "not",
    "not_eq",    "nullptr",      "operator", "or",           "or_eq",
    "private",   "protected",    "public",   "register",     "requires",
    "restrict",  "short",        "signed",   "sizeof",       "static_assert",
    "switch",    "template",     "this",     "thread_local", "throw",
    "typedef",   "typeid",       "typename", "union",        "unsigned",
    "using",     "void",         "volatile", "wchar_t",      "xor",
    "xor_eq"};

std::string goldy::headerName(std::string_view Name) {
  bool Keyword = std::find(std::begin(Keywords), std::end(Keywords), Name) !=
                 std::end(Keywords);
  return std::string(Name) + (Keyword ? "_" : "");
}

std::string goldy::plainName(std::string Path) {
  for (size_t At = Path.find("::"); At != Path.npos; At = Path.find("::"))
    Path.replace(At, 2, "_");
  return Path;
}

static bool isOfModule(const program::ProgramTemplate &P) {
  return P.Name.find("::") != P.Name.npos;
}

static bool givesWay(const std::vector<program::ProgramTemplate> &All,
                     const program::ProgramTemplate &P,
                     const std::string &Name) {
  return std::any_of(
      All.begin(), All.end(), [&](const program::ProgramTemplate &Q) {
        return plainName(Q.Name) == Name &&
               std::pair(isOfModule(Q), &Q) < std::pair(isOfModule(P), &P);
      });
}

std::string goldy::programHeaderName(
    const std::vector<program::ProgramTemplate> &All,
    const program::ProgramTemplate &P,
    const std::function<bool(const std::string &)> &IsTaken) {
  std::string Name = plainName(P.Name);
  while (IsTaken(Name) || givesWay(All, P, Name))
    Name += '_';
  return Name;
}

std::string goldy::scalarInC(program::Scalar S) {
  static constexpr TypeKind Kinds[] = {
      TypeKind::Bool, TypeKind::U32, TypeKind::I32, TypeKind::F32,
      TypeKind::U64,  TypeKind::I64, TypeKind::U8,  TypeKind::I8,
      TypeKind::U16,  TypeKind::I16, TypeKind::F16, TypeKind::BF16};
  return std::string(scalarInC(Kinds[static_cast<size_t>(S)]));
}

Module goldy::withPlainNames(const Module &M) {
  Module Out = M;
  std::set<std::string> Taken;
  auto Rename = [&](const std::string &Path, std::string &Name, bool OfModule) {
    if ((Path.find("::") != Path.npos) != OfModule)
      return;
    Name = plainName(std::move(Name));
    while (!Taken.insert(Name).second)
      Name += '_';
  };
  // The file's own names stay; those of modules give way.
  for (bool OfModule : {false, true}) {
    for (uint32_t I = 0; I < M.Types.structCount(); ++I)
      Rename(M.Types.structure(StructId(I)).Name,
             Out.Types.structure(StructId(I)).Name, OfModule);
    for (FuncId K : M.kernels())
      Rename(M.Functions[K].Name, Out.Functions[K].Name, OfModule);
  }
  return Out;
}

std::string goldy::typeInCpp(const TypeTable &Types, TypeId T) {
  const Type &Node = Types[T];
  if (Node.Kind == TypeKind::Vector || Node.Kind == TypeKind::Array)
    return "std::array<" + typeInCpp(Types, Node.Element) + ", " +
           std::to_string(Node.Count) + ">";
  if (Node.Kind == TypeKind::Struct)
    return headerName(Types.structure(Node.Struct).Name);
  return std::string(scalarInC(Node.Kind));
}

std::string goldy::declarationInC(const TypeTable &Types, TypeId T,
                                  const std::string &Name,
                                  const std::string &StructPrefix) {
  std::string Counts;
  while (Types[T].Kind == TypeKind::Vector ||
         Types[T].Kind == TypeKind::Array) {
    Counts += "[" + std::to_string(Types[T].Count) + "]";
    T = Types[T].Element;
  }
  const Type &Node = Types[T];
  std::string Core = Node.Kind == TypeKind::Struct
                         ? StructPrefix + Types.structure(Node.Struct).Name
                         : std::string(scalarInC(Node.Kind));
  return Core + " " + Name + Counts;
}

std::string goldy::docLines(std::string_view Doc, std::string_view Prefix) {
  std::string Out;
  while (!Doc.empty()) {
    size_t End = std::min(Doc.find('\n'), Doc.size());
    std::string_view Line = Doc.substr(0, End);
    Doc.remove_prefix(std::min(End + 1, Doc.size()));
    size_t First = Line.find_first_not_of(" \t\r");
    Line.remove_prefix(First == Line.npos ? Line.size() : First);
    // A backslash at the end would swallow the next line.
    while (!Line.empty() && (Line.back() == '\\' || Line.back() == '\r'))
      Line.remove_suffix(1);
    Out += std::string(Prefix) + (Line.empty() ? "" : " ") + std::string(Line) +
           "\n";
  }
  return Out;
}
