//===- TextNames.cpp - The names of a function's values in IR text
//---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextNames.h"

#include <algorithm>
#include <iterator>

using namespace goldy;

bool goldy::isNumberedName(std::string_view Name) {
  return Name.size() > 1 && Name[0] == 'v' &&
         std::all_of(Name.begin() + 1, Name.end(),
                     [](char C) { return C >= '0' && C <= '9'; });
}

bool goldy::isReservedWord(std::string_view Name) {
  static constexpr std::string_view Words[] = {
      "as", "break", "const", "continue", "else", "false",  "fn",     "for",
      "if", "in",    "let",   "loop",     "mut",  "return", "struct", "true"};
  return std::binary_search(std::begin(Words), std::end(Words), Name);
}

/// Keeps what an identifier may hold.
static std::string sanitised(std::string_view Name) {
  std::string Out;
  for (char C : Name) {
    bool Good = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
                (C >= '0' && C <= '9') || C == '_' ||
                static_cast<signed char>(C) < 0;
    Out += Good ? C : '_';
  }
  if (Out.empty() || (Out[0] >= '0' && Out[0] <= '9'))
    Out.insert(Out.begin(), '_');
  if (Out == "_")
    Out = "__";
  if (isReservedWord(Out))
    Out += '_';
  return Out;
}

TextTypeNames::TextTypeNames(const TypeTable &Types) : Types(Types) {
  std::set<std::string, std::less<>> Used;
  for (uint32_t I = 0; I < Types.structCount(); ++I) {
    const std::string &Name = Types.structure(StructId(I)).Name;
    std::string Candidate = Name;
    for (uint32_t N = 1; !Used.insert(Candidate).second; ++N)
      Candidate = Name + "_" + std::to_string(N);
    Structs.push_back(Candidate);
  }
}

std::string TextTypeNames::name(TypeId T) const {
  const Type &N = Types[T];
  if (N.Kind == TypeKind::Struct)
    return Structs[N.Struct.index()];
  if (N.Kind == TypeKind::Array)
    return "[" + name(N.Element) + "; " + std::to_string(N.Count) + "]";
  return Types.name(T);
}

std::string TextNames::unique(std::string_view Wanted) {
  std::string Name = sanitised(Wanted);
  std::string Candidate = Name;
  // Lower numbers were tried before: names are never given back.
  for (uint32_t &N = NextSuffix[Name]; !Used.insert(Candidate).second;)
    Candidate = Name + "_" + std::to_string(++N);
  return Candidate;
}

TextNames::TextNames(const Module &M, const Function &F) {
  for (const ConstTable &T : M.Tables)
    Used.insert(T.Name);
  for (const SpecConstant &S : M.Specs)
    Used.insert(S.Name);
  for (const Param &P : F.Params)
    Params.push_back(unique(P.Name));
  for (const WorkgroupArray &W : F.WorkgroupArrays)
    Workgroups.push_back(unique(W.Name.empty() ? "shared" : W.Name));
  for (const Slot &S : F.Slots)
    Slots.push_back(unique(S.Name.empty() ? "s" : S.Name));
  for (const Inst &I : F.Insts)
    if (I.Target && F.Insts.contains(I.Target) && I.Opcode != Op::LoopVar)
      Targeted.set(I.Target, true);
  if (F.Blocks.contains(F.Body))
    nameBlock(F, F.Body);
}

void TextNames::nameBlock(const Function &F, BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    if (!F.Insts.contains(I))
      continue;
    const Inst &N = F.Insts[I];
    if (Targeted[I])
      Labels.set(I, "'l" + std::to_string(NextLabel++));
    if (N.Type != types::Void)
      nameValue(F, I);
    if (N.Var && F.Insts.contains(N.Var))
      nameValue(F, N.Var);
    for (BlockId Child : N.Blocks)
      if (Child && F.Blocks.contains(Child))
        nameBlock(F, Child);
  }
}

void TextNames::nameValue(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  std::string_view Own =
      N.Name < F.Names.size() ? std::string_view(F.Names[N.Name]) : "";
  if (!Own.empty() && !isNumberedName(Own)) {
    Values.set(I, unique(Own));
    return;
  }
  std::string Name;
  do
    Name = "v" + std::to_string(NextNumber++);
  while (!Used.insert(Name).second);
  Values.set(I, Name);
}
