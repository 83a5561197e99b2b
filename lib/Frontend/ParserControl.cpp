//===- ParserControl.cpp - if, match, loops and jumps ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a head or a pattern was refused the whole construct becomes an Error
// node: its body was still parsed, so that independent mistakes in it are
// found, but nobody asks for the names that the pattern did not bind.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

using namespace goldy;
using namespace goldy::parse;

bool Parser::startsBlockLike() const {
  if (is(Tok::LBrace) || (is(Tok::Label) && peek().Kind == Tok::Colon))
    return true;
  static const NameSet Words = {"if", "match", "loop", "while", "for"};
  if (is(Tok::Ident) && Words.contains(text()))
    return true;
  return isWord("unsafe") && peek().Kind == Tok::LBrace;
}

ExprId Parser::parseBlockLike() {
  Nest Level(*this);
  if (Level.tooDeep()) {
    tooDeep(here());
    return errorExpr(cur().Begin);
  }
  if (is(Tok::Label))
    return parseLabelled();
  if (is(Tok::LBrace))
    return parseBlockExpr();
  if (isWord("if"))
    return parseIf();
  if (isWord("match"))
    return parseMatch();
  if (isWord("loop"))
    return parseLoop();
  if (isWord("while"))
    return parseWhile();
  if (isWord("for"))
    return parseFor();
  return parseUnsafeBlock();
}

ExprId Parser::parseBlockExpr() {
  ExprId E = newExpr(ExprForm::Block, cur().Begin);
  BlockId Body = parseBlock();
  A.Exprs[E].Body = Body;
  return done(E);
}

ExprId Parser::parseLabelled() {
  Ident Label{text(), here()};
  uint32_t Begin = cur().Begin;
  advance();
  advance();
  bool Loop = isWord("loop") || isWord("while") || isWord("for");
  if (!Loop && !is(Tok::LBrace)) {
    report(diag::G0124, Label.Where)
            .help("labels stand before `loop`, `while`, `for` and blocks")
        << "label `" << Label.Text << "` stands before no loop or block";
    return startsBlockLike() ? parseBlockLike() : parseExpr();
  }
  ExprId E = parseBlockLike();
  A.Exprs[E].Label = Label;
  A.Exprs[E].Where.Begin = Begin;
  if (ValueLabels.erase(Label.Text))
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

/// The condition of `if` and `while`; sets SawLet.
ExprId Parser::parseCondition() {
  SawLet = false;
  ExprId C = parseExprIn(true);
  const Expr &Node = A.Exprs[C];
  if (Node.Form == ExprForm::Assign && !Node.Compound) {
    report(diag::G0122, Node.OpWhere)
            .help("compare with `==`")
            .fix(Node.OpWhere, "==")
        << "`=` in a condition assigns and has no value";
    A.Exprs[C].Form = ExprForm::Error;
  }
  return C;
}

ExprId Parser::parseIf() {
  ExprId E = newExpr(ExprForm::If, cur().Begin);
  A.Exprs[E].OpWhere = here();
  advance();
  ExprId Condition = parseCondition();
  bool Refused = SawLet;
  A.Exprs[E].Kids.push_back(Condition);
  if (Panicking)
    return errorExpr(beginOf(E));
  BlockId Then = parseBlock();
  A.Exprs[E].Then = Then;
  if (!Panicking && acceptWord("else")) {
    if (isWord("if")) {
      ExprId Else = parseElse();
      A.Exprs[E].Kids.push_back(Else);
    } else {
      BlockId Else = parseBlock();
      A.Exprs[E].Else = Else;
    }
  }
  done(E);
  if (Refused || Panicking)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

ExprId Parser::parseElse() {
  Nest Level(*this);
  if (!Level.tooDeep())
    return parseIf();
  tooDeep(here());
  return errorExpr(cur().Begin);
}

ExprId Parser::parseLoop() {
  ExprId E = newExpr(ExprForm::Loop, cur().Begin);
  A.Exprs[E].OpWhere = here();
  advance();
  BlockId Body = parseBlock();
  A.Exprs[E].Body = Body;
  return done(E);
}

ExprId Parser::parseWhile() {
  ExprId E = newExpr(ExprForm::While, cur().Begin);
  A.Exprs[E].OpWhere = here();
  advance();
  ExprId Condition = parseCondition();
  bool Refused = SawLet;
  A.Exprs[E].Kids.push_back(Condition);
  if (Panicking)
    return errorExpr(beginOf(E));
  BlockId Body = parseBlock();
  A.Exprs[E].Body = Body;
  done(E);
  if (Refused)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

//===----------------------------------------------------------------------===//
// for
//===----------------------------------------------------------------------===//

/// The loop variable; for a refused pattern its kind.
std::vector<Ident> Parser::parseForVar(ExprId For, std::string_view &Kind) {
  if (is(Tok::Ident) && isWord(peek(), "in")) {
    if (isWord("_")) {
      A.Exprs[For].VarWildcard = true;
      advance();
    } else {
      Ident Var = parseName("a loop variable's name");
      A.Exprs[For].Var = Var;
    }
    return {};
  }
  return skipPattern(Kind);
}

bool Parser::refuseIterator(ExprId Head) {
  const Expr &Node = A.Exprs[Head];
  if (Node.Form == ExprForm::Error)
    return false;
  DiagBuilder D = report(diag::G0426, Node.Where);
  D << "`for` loops over a range of integers, not over an iterator";
  if (Node.Form == ExprForm::MethodCall && Node.Member.Text == "rev")
    D.help("count upwards and compute the index: `let j = n - 1 - i;`");
  else
    D.help("write `for i in 0..x.len()` and read `x[i]`, with `.step_by(k)` "
           "for a stride");
  return false;
}

/// `.step_by(k)` and `.while_flag(buffer, index)` on a range in parentheses.
bool Parser::takeForMethod(ExprId For, ExprId Head) {
  const Expr Node = A.Exprs[Head];
  bool Step = Node.Member.Text == "step_by" && Node.Kids.size() == 2;
  bool Flag = Node.Member.Text == "while_flag" && Node.Kids.size() == 3;
  if (!Step && !Flag)
    return refuseIterator(Head);
  if (!takeForHead(For, Node.Kids[0]))
    return false;
  Expr &F = A.Exprs[For];
  if (Step ? F.Step.isValid() : F.FlagBuffer.isValid())
    return refuseIterator(Head);
  if (Step) {
    F.Step = Node.Kids[1];
  } else {
    F.FlagBuffer = Node.Kids[1];
    F.FlagIndex = Node.Kids[2];
  }
  return true;
}

bool Parser::takeForHead(ExprId For, ExprId Head) {
  ExprForm Form = A.Exprs[Head].Form;
  if (Form == ExprForm::Paren)
    return takeForHead(For, A.Exprs[Head].Kids[0]);
  if (Form == ExprForm::MethodCall)
    return takeForMethod(For, Head);
  if (Form != ExprForm::Range)
    return refuseIterator(Head);
  std::erase(Ranges, Head);
  const Expr Range = A.Exprs[Head];
  A.Exprs[Head].Form = ExprForm::Error; // its ends belong to the `for` now
  A.Exprs[Head].Kids.clear();
  if (!Range.Kids[0] || !Range.Kids[1]) {
    report(diag::G0426, Range.Where)
            .help("write both ends, or `loop` with `break`")
        << "the range of a `for` needs a start and an end";
    return false;
  }
  Expr &F = A.Exprs[For];
  F.RangeLo = Range.Kids[0];
  F.RangeHi = Range.Kids[1];
  F.Inclusive = Range.Inclusive;
  return true;
}

ExprId Parser::parseFor() {
  ExprId E = newExpr(ExprForm::For, cur().Begin);
  A.Exprs[E].OpWhere = here();
  advance();
  uint32_t PatternBegin = cur().Begin;
  std::string_view Kind;
  std::vector<Ident> Bound = parseForVar(E, Kind);
  Span PatternSpan = from(PatternBegin);
  if (!Panicking && !acceptWord("in"))
    syntaxError("`in`", "a loop is `for i in 0..n { … }`");
  if (Panicking)
    return errorExpr(beginOf(E));
  size_t FirstRange = Ranges.size();
  InForHead = true;
  ExprId Head = parseExprIn(true);
  InForHead = false;
  if (Panicking)
    return errorExpr(beginOf(E));
  bool Good = takeForHead(E, Head);
  if (!Good) { // what the head is made of is part of the same mistake
    Mute Quiet(*this);
    flushRanges(FirstRange);
  }
  if (Good && !Kind.empty()) {
    reportPattern(PatternSpan, Kind);
    Good = false;
  }
  BlockId Body = parseBlock();
  A.Exprs[E].Body = Body;
  done(E);
  if (!Good)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

//===----------------------------------------------------------------------===//
// match
//===----------------------------------------------------------------------===//

ExprId Parser::parseMatch() {
  ExprId E = newExpr(ExprForm::Match, cur().Begin);
  A.Exprs[E].OpWhere = here();
  advance();
  ExprId Scrutinee = parseExprIn(true);
  A.Exprs[E].Kids.push_back(Scrutinee);
  if (!Panicking && !is(Tok::LBrace))
    syntaxError("`{`", "a match is `match x { 0 => …, _ => … }`");
  if (Panicking)
    return errorExpr(beginOf(E));
  size_t Close = partner(Pos);
  bool Refused = false;
  Heads Inside(*this, false);
  advance();
  while (Pos < Close && !Diags->atLimit()) {
    parseArm(E, Close, Refused);
    if (!Panicking)
      continue;
    Refused = true;
    resyncList(Close);
  }
  jump(Close + 1);
  done(E);
  if (Refused)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

void Parser::parseArm(ExprId Match, size_t Close, bool &Refused) {
  MatchArm Arm;
  std::vector<Attribute> Attributes;
  bool Loud = false;
  bool Present = parseAttributes(Attributes, Loud);
  checkPlaces(Attributes, Place::Other);
  uint32_t Begin = cur().Begin;
  bool Good = false;
  {
    Mute Consequence(*this,
                     A.Exprs[A.Exprs[Match].Kids[0]].Form == ExprForm::Error);
    Good = parsePatterns(Arm);
  }
  if (Panicking)
    return;
  if (isWord("if")) {
    Span Guard = here();
    advance();
    {
      Mute Quiet(*this);
      parseExpr();
    }
    if (Good)
      report(diag::G0424, Guard).help("test the condition inside the arm")
          << "guards in `match` are not part of the language";
    Good = false;
  }
  if (Panicking || !expect(Tok::FatArrow, "an arm is `pattern => value,`"))
    return;
  bool BlockLike = startsBlockLike();
  ExprId Body = BlockLike ? parseBlockLike() : parseExpr();
  if (BlockLike && !Panicking && (is(Tok::Dot) || is(Tok::Question))) {
    Body = parseExprFrom(parsePostfixFrom(Body));
    BlockLike = false;
  }
  if (!Panicking && !accept(Tok::Comma) && Pos < Close && !BlockLike)
    syntaxError("`,`", "arms are separated by `,`");
  Arm.Body = Body;
  Arm.Where = Span{File, Begin, A.Exprs[Body].Where.End};
  Refused |= !Good;
  if (Present)
    A.Exprs[Match].Arms.push_back(std::move(Arm));
}

bool Parser::parsePatterns(MatchArm &Arm) {
  bool Good = true;
  accept(Tok::Or);
  do {
    Pattern P;
    Good &= parsePattern(P);
    Arm.Alternatives.push_back(P);
  } while (!Panicking && accept(Tok::Or));
  return Good;
}

/// A literal, a negated one, or the path of a constant.
ExprId Parser::parsePatternBound() {
  uint32_t Begin = cur().Begin;
  if (is(Tok::Minus)) {
    ExprId E = newExpr(ExprForm::Unary, Begin);
    A.Exprs[E].OpWhere = here();
    advance();
    ExprId Number = parseNumber();
    A.Exprs[E].Kids.push_back(Number);
    return done(E);
  }
  if (is(Tok::Int) || is(Tok::Float))
    return parseNumber();
  if (isWord("true") || isWord("false"))
    return parseKeyword();
  ExprId E = newExpr(ExprForm::Name, Begin);
  Path Name;
  parsePathSegments(Name, false);
  A.Exprs[E].Name = std::move(Name);
  return done(E);
}

bool Parser::refusePattern() {
  uint32_t Begin = cur().Begin;
  bool Binding = is(Tok::Ident) && peek().Kind != Tok::PathSep &&
                 peek().Kind != Tok::LParen && peek().Kind != Tok::LBrace;
  bool Str = is(Tok::Str), Char = is(Tok::Char);
  std::string_view Kind;
  skipPattern(Kind);
  if (Panicking)
    return false;
  if (Str || Char) {
    report(Str ? diag::G0407 : diag::G0408, from(Begin))
            .help("match on an integer, by its number")
        << (Str ? "strings are" : "characters are")
        << " not part of the language";
    return false;
  }
  if (!Binding) {
    reportPattern(from(Begin), Kind);
    return false;
  }
  report(diag::G0424, from(Begin))
          .help("write `_` and use the matched value itself; constants in "
                "patterns are items of this file")
      << "a pattern that binds a name is not part of the language";
  return false;
}

bool Parser::parsePattern(Pattern &P) {
  uint32_t Begin = cur().Begin;
  if (isWord("_")) {
    advance();
    P.Wildcard = true;
    P.Where = from(Begin);
    return true;
  }
  bool HalfOpen = is(Tok::DotDotEq) || is(Tok::DotDot);
  bool Bound = is(Tok::Int) || is(Tok::Float) || is(Tok::Minus) ||
               isWord("true") || isWord("false") ||
               (is(Tok::Ident) &&
                (ConstNames.contains(text()) || peek().Kind == Tok::PathSep) &&
                !isRustKeyword(text()) && !refusedValue(text()));
  if (!Bound && !HalfOpen)
    return refusePattern();
  if (Bound)
    P.Lo = parsePatternBound();
  if (is(Tok::DotDotEq) || is(Tok::DotDot) || is(Tok::DotDotDot)) {
    P.Inclusive = !is(Tok::DotDot);
    if (is(Tok::DotDotDot))
      report(diag::G0110, here()).fix(here(), "..=")
          << "expected `..=`, found `...`";
    advance();
    if (is(Tok::FatArrow) || is(Tok::Or) || isWord("if"))
      HalfOpen = true;
    else if (!Panicking)
      P.Hi = parsePatternBound();
  }
  P.Where = from(Begin);
  if (HalfOpen)
    report(diag::G0429, P.Where)
            .help("write both ends, as in `5..=u32::MAX`, or use `_`")
        << "half-open ranges in patterns are not part of the language";
  return !HalfOpen;
}

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

ExprId Parser::parseJump() {
  ExprForm Form = isWord("break")      ? ExprForm::Break
                  : isWord("continue") ? ExprForm::Continue
                                       : ExprForm::Return;
  ExprId E = newExpr(Form, cur().Begin);
  A.Exprs[E].OpWhere = here();
  advance();
  if (Form != ExprForm::Return && is(Tok::Label)) {
    A.Exprs[E].Label = Ident{text(), here()};
    advance();
  }
  if (Form == ExprForm::Continue || !beginsExpr(cur()) ||
      (NoStruct && is(Tok::LBrace)))
    return done(E);
  ExprId Value = parseExpr();
  if (Form == ExprForm::Return) {
    A.Exprs[E].Kids.push_back(Value);
    return done(E);
  }
  done(E);
  report(diag::G0421, A.Exprs[E].Where)
          .help("assign to a variable before the `break`")
      << "`break` with a value is not part of the language";
  if (A.Exprs[E].Label)
    ValueLabels.insert(A.Exprs[E].Label->Text);
  A.Exprs[E].Form = ExprForm::Error;
  return E;
}
