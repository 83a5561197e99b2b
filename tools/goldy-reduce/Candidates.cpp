//===- Candidates.cpp - Ways to make a source text smaller ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Candidates.h"

#include "goldyc/Frontend/Parser.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Support/Diag.h"

#include <algorithm>
#include <tuple>

using namespace goldy;

namespace goldy::reduce {
namespace {

class Collector {
public:
  explicit Collector(const std::string &Text) : Text(Text) {}

  std::vector<Edit> run() {
    SourceManager SM;
    DiagSink Diags;
    FileId File = SM.add("input", Text);
    if (!isIRText(Text)) {
      ast::Ast Parsed = parseFile(SM, File, Diags);
      Tree = &Parsed;
      if (!Parsed.Incomplete)
        fromTree();
    }
    fromLines();
    std::sort(Edits.begin(), Edits.end(), [](const Edit &A, const Edit &B) {
      return std::make_tuple(saving(B), A.Begin, A.End, A.Text) <
             std::make_tuple(saving(A), B.Begin, B.End, B.Text);
    });
    return std::move(Edits);
  }

private:
  static uint64_t saving(const Edit &E) {
    return E.End - E.Begin - E.Text.size();
  }
  std::string_view at(Span S) const {
    return std::string_view(Text).substr(S.Begin, S.End - S.Begin);
  }
  void replace(uint32_t Begin, uint32_t End, std::string With) {
    if (Begin < End && With.size() < End - Begin)
      Edits.push_back({Begin, End, std::move(With)});
  }
  void replace(Span S, std::string_view With) {
    replace(S.Begin, S.End, std::string(With));
  }
  /// A member of a list goes together with the comma that follows.
  void removeMember(uint32_t Begin, uint32_t End) {
    while (End < Text.size() &&
           std::string_view(" \n,").find(Text[End]) != std::string_view::npos)
      if (Text[End++] == ',')
        break;
    replace(Begin, End, "");
  }

  void fromTree();
  void fromItem(const ast::Item &I);
  void fromBlock(const ast::BlockNode &B);
  void fromExpr(const ast::Expr &E);
  void fromControl(const ast::Expr &E);
  void fromLines();

  const std::string &Text;
  const ast::Ast *Tree = nullptr;
  std::vector<Edit> Edits;
};

/// From its attributes' first character.
uint32_t beginOf(const ast::Item &I) {
  uint32_t Begin = I.Where.Begin;
  for (const ast::Attribute &A : I.Attributes)
    Begin = std::min(Begin, A.Where.Begin);
  return Begin;
}

void Collector::fromTree() {
  for (const ast::Item &I : Tree->Items)
    fromItem(I);
  for (uint32_t N = 0; N < Tree->Blocks.size(); ++N)
    fromBlock((*Tree)[ast::BlockId(N)]);
  for (uint32_t N = 0; N < Tree->Exprs.size(); ++N)
    fromExpr((*Tree)[ast::ExprId(N)]);
}

void Collector::fromItem(const ast::Item &I) {
  replace(beginOf(I), I.Where.End, "");
  for (const ast::FieldNode &F : I.Fields)
    removeMember(F.Where.Begin, F.Where.End);
  for (const ast::ParamNode &P : I.Params)
    removeMember(P.Where.Begin, P.Where.End);
}

/// Runs of statements: all, halves, quarters, … single ones.
void Collector::fromBlock(const ast::BlockNode &B) {
  size_t Count = B.Stmts.size();
  for (size_t Run = Count; Run > 0; Run /= 2)
    for (size_t First = 0; First + Run <= Count; First += Run)
      replace((*Tree)[B.Stmts[First]].Where.Begin,
              (*Tree)[B.Stmts[First + Run - 1]].Where.End, "");
}

void Collector::fromControl(const ast::Expr &E) {
  for (ast::BlockId Body : {E.Body, E.Then, E.Else})
    if (Body) {
      replace(E.Where, at((*Tree)[Body].Where));
      if (Body == E.Else)
        replace((*Tree)[E.Then].Where.End, (*Tree)[Body].Where.End, "");
    }
  for (const ast::MatchArm &A : E.Arms) {
    removeMember(A.Where.Begin, A.Where.End);
    if (A.Body)
      replace(E.Where, at((*Tree)[A.Body].Where));
  }
  if (E.RangeHi)
    replace((*Tree)[E.RangeHi].Where, "1");
}

void Collector::fromExpr(const ast::Expr &E) {
  if (E.Where.Begin >= E.Where.End)
    return;
  fromControl(E);
  for (ast::ExprId Kid : E.Kids)
    if (Kid)
      replace(E.Where, at((*Tree)[Kid].Where));
  bool Jump =
      E.Form == ast::ExprForm::Break || E.Form == ast::ExprForm::Continue ||
      E.Form == ast::ExprForm::Return || E.Form == ast::ExprForm::Assign;
  if (Jump)
    return;
  for (const char *Literal : {"0", "1", "0.0", "1.0", "true", "false"})
    replace(E.Where, Literal);
}

void Collector::fromLines() {
  std::vector<uint32_t> Starts{0};
  for (uint32_t At = 0; At < Text.size(); ++At)
    if (Text[At] == '\n' && At + 1 < Text.size())
      Starts.push_back(At + 1);
  Starts.push_back(static_cast<uint32_t>(Text.size()));
  size_t Count = Starts.size() - 1;
  for (size_t Run = Count / 2; Run > 0; Run /= 2)
    for (size_t First = 0; First + Run <= Count; First += Run)
      replace(Starts[First], Starts[First + Run], "");
}

} // namespace

std::vector<Edit> candidates(const std::string &Text) {
  return Collector(Text).run();
}

std::string edited(const std::string &Text, const Edit &E) {
  return Text.substr(0, E.Begin) + E.Text + Text.substr(E.End);
}

} // namespace goldy::reduce
