//===- Prelude.cpp - Lowers the embedded sources once
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prelude that does not compile is a fault of ours, found by the first test
// that uses it: the process ends with the diagnostics.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Prelude/Prelude.h"

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"

#include <cassert>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>

using namespace goldy;

namespace {

Module lower(std::string_view Name, std::string_view Text) {
  SourceManager SM;
  DiagSink Diags;
  FileId File = SM.add(std::string(Name), std::string(Text));
  ast::Ast Tree = parseFile(SM, File, Diags);
  SemaOptions Options;
  Options.IsPrelude = true;
  std::optional<Module> M;
  if (!Diags.hasErrors())
    M = lowerToIR(SM, Tree, Options, Diags);
  if (M)
    return std::move(*M);
  std::cerr << "internal error: the prelude does not compile\n";
  for (const Diagnostic &D : Diags.diagnostics())
    renderText(std::cerr, SM, D, /*Color=*/false);
  std::abort();
}

/// Its locations mean nothing outside its own source manager.
Module withoutLocations(Module M) {
  for (Function &F : M.Functions) {
    F.Loc = Span();
    for (Inst &I : F.Insts)
      I.Loc = Span();
    for (Slot &S : F.Slots)
      S.Loc = Span();
  }
  return M;
}

} // namespace

const Module &goldy::exactPrelude() {
  static const Module M =
      withoutLocations(lower("<prelude>/exact.goldy", exactPreludeText()));
  return M;
}

const Module &goldy::mathPrelude() {
  static const Module M =
      withoutLocations(lower("<prelude>/math.goldy", mathPreludeText()));
  return M;
}

namespace {

/// `math.goldy` by its functions: each from its `fn` at the start of a line to
/// the brace that closes it there. The rest is imports and constants.
class MathText {
public:
  MathText() {
    std::string_view Text = mathPreludeText();
    for (size_t At = 0; At < Text.size();) {
      size_t End = Text.find('\n', At);
      std::string_view Line = Text.substr(At, End - At);
      if (Line.starts_with("fn ")) {
        End = Text.find("\n}\n", At) + 2;
        std::string_view Name = Line.substr(3, Line.find('(') - 3);
        Functions.push_back({Name, Text.substr(At, End + 1 - At)});
      } else if (!Line.starts_with("//") && !Line.empty()) {
        Head += Line;
        Head += '\n';
      }
      At = End + 1;
    }
  }

  /// A text that holds `Name` and what it calls, in the file's order.
  std::string alone(std::string_view Name) const {
    std::vector<bool> Needed(Functions.size(), false);
    need(Name, Needed);
    std::string Text = Head;
    for (size_t I = 0; I < Functions.size(); ++I)
      if (Needed[I])
        Text += Functions[I].Text;
    return Text;
  }

private:
  struct Piece {
    std::string_view Name, Text;
  };

  void need(std::string_view Name, std::vector<bool> &Needed) const {
    size_t I = 0;
    while (I < Functions.size() && Functions[I].Name != Name)
      ++I;
    if (I == Functions.size() || Needed[I])
      return;
    Needed[I] = true;
    std::string_view Text = Functions[I].Text;
    for (size_t At = Text.find('('); At != Text.npos;
         At = Text.find('(', At + 1)) {
      size_t First = At;
      while (First > 0 && isWord(Text[First - 1]))
        --First;
      bool Plain = First == 0 || Text[First - 1] != ':';
      if (Plain && First < At)
        need(Text.substr(First, At - First), Needed);
    }
  }

  static bool isWord(char C) {
    return C == '_' || (C >= 'a' && C <= 'z') || (C >= '0' && C <= '9');
  }

  std::string Head;
  std::vector<Piece> Functions; ///< in the file's order
};

} // namespace

const Module &goldy::mathFunction(std::string_view Name) {
  static const MathText Text;
  static std::map<std::string, Module, std::less<>> Known;
  static std::mutex Mutex;
  std::lock_guard<std::mutex> Lock(Mutex);
  auto Found = Known.find(Name);
  if (Found == Known.end())
    Found = Known
                .emplace(Name, withoutLocations(lower("<prelude>/math.goldy",
                                                      Text.alone(Name))))
                .first;
  return Found->second;
}

const Module &goldy::collectivesPrelude() {
  static const Module M = withoutLocations(
      lower("<prelude>/collectives.goldy", collectivesPreludeText()));
  return M;
}
