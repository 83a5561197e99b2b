//===- ParserExpressions.cpp - Operators, postfixes, literals -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rust's precedence, from loose to tight:
//   assignment (right) · ranges (none) · || · && · comparisons (none) · | · ^ ·
//   & · << >> · + - · * / % · as · unary - ! · calls, indices, members
// A range is built as a node of its own and waits in `Ranges` until a `for`
// head or an index claims it; what nobody claimed is refused at the end of the
// statement.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include <optional>

using namespace goldy;
using namespace goldy::parse;

namespace {

struct Operator {
  BinaryOp Op;
  unsigned Precedence;
};

std::optional<Operator> binaryOperator(Tok K) {
  switch (K) {
  case Tok::OrOr:
    return Operator{BinaryOp::LogicalOr, 1};
  case Tok::AndAnd:
    return Operator{BinaryOp::LogicalAnd, 2};
  case Tok::EqEq:
    return Operator{BinaryOp::Eq, ComparePrecedence};
  case Tok::Ne:
    return Operator{BinaryOp::Ne, ComparePrecedence};
  case Tok::Lt:
    return Operator{BinaryOp::Lt, ComparePrecedence};
  case Tok::Le:
    return Operator{BinaryOp::Le, ComparePrecedence};
  case Tok::Gt:
    return Operator{BinaryOp::Gt, ComparePrecedence};
  case Tok::Ge:
    return Operator{BinaryOp::Ge, ComparePrecedence};
  case Tok::Or:
    return Operator{BinaryOp::Or, 4};
  case Tok::Caret:
    return Operator{BinaryOp::Xor, 5};
  case Tok::And:
    return Operator{BinaryOp::And, 6};
  case Tok::Shl:
    return Operator{BinaryOp::Shl, 7};
  case Tok::Shr:
    return Operator{BinaryOp::Shr, 7};
  case Tok::Plus:
    return Operator{BinaryOp::Add, 8};
  case Tok::Minus:
    return Operator{BinaryOp::Sub, 8};
  case Tok::Star:
    return Operator{BinaryOp::Mul, 9};
  case Tok::Slash:
    return Operator{BinaryOp::Div, 9};
  case Tok::Percent:
    return Operator{BinaryOp::Rem, 9};
  default:
    return std::nullopt;
  }
}

std::optional<BinaryOp> compoundOperator(Tok K) {
  switch (K) {
  case Tok::PlusEq:
    return BinaryOp::Add;
  case Tok::MinusEq:
    return BinaryOp::Sub;
  case Tok::StarEq:
    return BinaryOp::Mul;
  case Tok::SlashEq:
    return BinaryOp::Div;
  case Tok::PercentEq:
    return BinaryOp::Rem;
  case Tok::CaretEq:
    return BinaryOp::Xor;
  case Tok::AndEq:
    return BinaryOp::And;
  case Tok::OrEq:
    return BinaryOp::Or;
  case Tok::ShlEq:
    return BinaryOp::Shl;
  case Tok::ShrEq:
    return BinaryOp::Shr;
  default:
    return std::nullopt;
  }
}

unsigned digitValue(char C) {
  return C <= '9' ? static_cast<unsigned>(C - '0')
                  : static_cast<unsigned>((C | 0x20) - 'a') + 10;
}

/// The value of an integer literal's digits; false if beyond 64 bits.
bool integerValue(const NumberParts &N, uint64_t &Value) {
  Value = 0;
  for (char C : N.Digits) {
    unsigned D = C == '_' ? 0 : digitValue(C);
    if (C == '_')
      continue;
    if (Value > (~uint64_t(0) - D) / N.Base)
      return false;
    Value = Value * N.Base + D;
  }
  return true;
}

} // namespace

ExprId Parser::newExpr(ExprForm Form, uint32_t Begin) {
  Expr E;
  E.Form = Form;
  E.Where = Span{File, Begin, Begin};
  Heights.push_back(1);
  return A.Exprs.push(std::move(E));
}

ExprId Parser::errorExpr(uint32_t Begin) {
  ExprId E = newExpr(ExprForm::Error, Begin);
  A.Exprs[E].Where = from(Begin);
  return E;
}

ExprId Parser::done(ExprId Id) {
  Expr &E = A.Exprs[Id];
  E.Where = from(E.Where.Begin);
  unsigned Height =
      std::max({tallest(E.Kids), heightOf(E.Name), tallest(E.GenericTypes),
                tallest(E.GenericExprs), heightOf(E.Type), heightOf(E.Body),
                heightOf(E.Then), heightOf(E.Else)});
  Height = std::max({Height, heightOf(E.RangeLo), heightOf(E.RangeHi),
                     heightOf(E.Step), heightOf(E.FlagBuffer),
                     heightOf(E.FlagIndex)});
  for (const MatchArm &Arm : E.Arms)
    Height = std::max(Height, heightOf(Arm.Body));
  if (++Height > MaxNesting) {
    Span Where = E.Where;
    E = Expr();
    E.Where = Where;
    Height = 1;
    tooDeep(Where);
  }
  Heights[Id.index()] = static_cast<uint16_t>(Height);
  return Id;
}

void Parser::flushRanges(size_t From) {
  for (size_t I = From; I < Ranges.size(); ++I) {
    Expr &R = A.Exprs[Ranges[I]];
    R.Form = ExprForm::Error;
    report(diag::G0409, R.Where)
            .help("ranges stand in the head of a `for` and in `match` arms")
        << "a range is not a value of the language";
  }
  Ranges.resize(std::min(From, Ranges.size()));
}

bool Parser::beginsExpr(const Token &T) const {
  switch (T.Kind) {
  case Tok::Ident: {
    static const NameSet Not = {
        "as",   "else",  "in",   "mut",    "where", "pub", "use", "mod",
        "impl", "trait", "enum", "struct", "type",  "ref", "dyn", "fn"};
    return !Not.contains(text(T));
  }
  case Tok::RawIdent:
  case Tok::Label:
  case Tok::Int:
  case Tok::Float:
  case Tok::Str:
  case Tok::Char:
  case Tok::LParen:
  case Tok::LBracket:
  case Tok::LBrace:
  case Tok::Minus:
  case Tok::Not:
  case Tok::Star:
  case Tok::And:
  case Tok::AndAnd:
  case Tok::Or:
  case Tok::OrOr:
    return true;
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

ExprId Parser::parseExprIn(bool NoStructs) {
  Heads Scope(*this, NoStructs);
  return parseExpr();
}

ExprId Parser::parseExpr() {
  if (is(Tok::DotDot) || is(Tok::DotDotEq))
    return parseRangeFrom(ExprId());
  return parseExprFrom(parseUnary());
}

/// Continues an expression whose first operand has been read.
ExprId Parser::parseExprFrom(ExprId Left) {
  Left = parseBinaryFrom(Left, 1);
  if (!Panicking &&
      (is(Tok::DotDot) || is(Tok::DotDotEq) || is(Tok::DotDotDot)))
    Left = parseRangeFrom(Left);
  std::optional<BinaryOp> Compound = compoundOperator(cur().Kind);
  if (Panicking || (!Compound && !is(Tok::Eq)))
    return Left;
  ExprId E = newExpr(ExprForm::Assign, beginOf(Left));
  A.Exprs[E].OpWhere = here();
  A.Exprs[E].Compound = Compound.has_value();
  if (Compound)
    A.Exprs[E].Binary = *Compound;
  advance();
  Mute Quiet(*this, A.Exprs[Left].Form == ExprForm::Error);
  Nest Level(*this);
  if (Level.tooDeep()) {
    tooDeep(here());
    return errorExpr(beginOf(Left));
  }
  ExprId Right = parseExpr();
  A.Exprs[E].Kids = {Left, Right};
  return done(E);
}

ExprId Parser::parseRangeFrom(ExprId Left) {
  ExprId E = newExpr(ExprForm::Range, Left ? beginOf(Left) : cur().Begin);
  A.Exprs[E].OpWhere = here();
  A.Exprs[E].Inclusive = !is(Tok::DotDot);
  if (is(Tok::DotDotDot))
    report(diag::G0110, here()).fix(here(), "..=")
        << "expected `..=`, found `...`";
  advance();
  ExprId Right;
  if (beginsExpr(cur()) && !(NoStruct && is(Tok::LBrace)))
    Right = parseBinary(1);
  A.Exprs[E].Kids = {Left, Right};
  Ranges.push_back(E);
  return done(E);
}

ExprId Parser::parseBinary(unsigned MinPrecedence) {
  return parseBinaryFrom(parseUnary(), MinPrecedence);
}

ExprId Parser::parseBinaryFrom(ExprId Left, unsigned MinPrecedence) {
  bool Compared = false;
  while (!Panicking) {
    if (isWord("as") && MinPrecedence <= CastPrecedence) {
      Left = parseCast(Left);
      continue;
    }
    std::optional<Operator> Op = binaryOperator(cur().Kind);
    if (!Op || Op->Precedence < MinPrecedence)
      return Left;
    bool Compare = Op->Precedence == ComparePrecedence;
    bool Chained = Compare && Compared;
    if (Chained)
      report(diag::G0112, here())
              .help("write `a < b && b < c`, or parentheses around one "
                    "comparison")
          << "comparison operators cannot be chained";
    Compared |= Compare;
    ExprId E = newExpr(ExprForm::Binary, beginOf(Left));
    A.Exprs[E].Binary = Op->Op;
    A.Exprs[E].OpWhere = here();
    advance();
    ExprId Right = parseBinary(Op->Precedence + 1);
    A.Exprs[E].Kids = {Left, Right};
    Left = done(E);
    if (Chained)
      A.Exprs[E].Form = ExprForm::Error;
  }
  return Left;
}

ExprId Parser::parseCast(ExprId Left) {
  ExprId E = newExpr(ExprForm::Cast, beginOf(Left));
  A.Exprs[E].OpWhere = here();
  advance();
  bool Scalar = is(Tok::Ident) && isLanguageType(text()) &&
                (peek().Kind == Tok::Lt || peek().Kind == Tok::Shl);
  TypeNodeId Type;
  if (Scalar) {
    TypeNode T;
    T.Form = TypeForm::Named;
    T.Name.Segments.push_back(Ident{text(), here()});
    T.Where = T.Name.Where = here();
    advance();
    report(diag::G0118, here())
            .help("put the cast into parentheses: `(… as " +
                  std::string(T.Name.Segments[0].Text) + ") " +
                  std::string(text()) + " …`")
        << "`" << text() << "` after a cast starts type arguments in Rust";
    Type = pushType(std::move(T));
  } else {
    Type = parseType();
  }
  A.Exprs[E].Type = Type;
  A.Exprs[E].Kids = {Left};
  done(E);
  if (A.Types[Type].Form == TypeForm::Error)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

ExprId Parser::parseUnary() {
  Nest Level(*this);
  if (Level.tooDeep()) {
    tooDeep(here());
    return errorExpr(cur().Begin);
  }
  switch (cur().Kind) {
  case Tok::Minus:
    return parsePrefix(UnaryOp::Neg);
  case Tok::Not:
    return parsePrefix(UnaryOp::Not);
  case Tok::Star:
    return refuseDeref();
  case Tok::And:
  case Tok::AndAnd:
    return refuseReference();
  case Tok::Plus:
    return refuseUnaryPlus();
  default:
    return parsePostfixFrom(parsePrimary());
  }
}

ExprId Parser::parsePrefix(UnaryOp Op) {
  ExprId E = newExpr(ExprForm::Unary, cur().Begin);
  A.Exprs[E].Unary = Op;
  A.Exprs[E].OpWhere = here();
  advance();
  ExprId Kid = parseUnary();
  A.Exprs[E].Kids = {Kid};
  return done(E);
}

//===----------------------------------------------------------------------===//
// Postfixes
//===----------------------------------------------------------------------===//

ExprId Parser::parsePostfixFrom(ExprId E) {
  while (!Panicking) {
    if (is(Tok::Dot)) {
      E = parseMember(E);
    } else if (is(Tok::LBracket)) {
      E = parseIndex(E);
    } else if (is(Tok::LParen)) {
      E = parseCall(E);
    } else if (is(Tok::Question)) {
      Span Where = here();
      uint32_t Begin = beginOf(E);
      advance();
      bool Choice = (is(Tok::Ident) && !isRustKeyword(text())) ||
                    is(Tok::Int) || is(Tok::Float);
      report(diag::G0414, Where)
              .help(Choice ? "write `if a { b } else { c }`"
                           : "test the condition with `if`")
          << (Choice ? "`a ? b : c`" : "`?`") << " is not part of the language";
      if (Choice)
        panic();
      E = errorExpr(Begin);
    } else {
      break;
    }
  }
  return E;
}

/// Methods that make an iterator.
bool Parser::refuseIteratorMethod(const Ident &Name) {
  static const NameSet Names = {"iter",   "iter_mut", "into_iter",
                                "chunks", "windows",  "chunks_exact"};
  if (InForHead || !Names.contains(Name.Text) || !is(Tok::LParen))
    return false;
  report(diag::G0426, Name.Where)
          .help("loop over indices: `for i in 0..x.len() { … x[i] … }`")
      << "iterators are not part of the language";
  return true;
}

ExprId Parser::parseMember(ExprId Base) {
  uint32_t Begin = beginOf(Base);
  advance();
  if (is(Tok::Int) || is(Tok::Float)) {
    Span Where = here();
    advance();
    report(diag::G0405, Where)
            .help("vectors have `.x`, `.y`, `.z` and `.w`, arrays `[0]`")
        << "tuple fields are not part of the language";
    return errorExpr(Begin);
  }
  if (isWord("await")) {
    Span Where = here();
    advance();
    report(diag::G0412, Where)
            .help("leave `.await` out: a call gives its value at once")
        << "`.await` is not part of the language";
    return errorExpr(Begin);
  }
  ExprId E = newExpr(ExprForm::Field, Begin);
  A.Exprs[E].OpWhere = here();
  Ident Member = parseName("a field or method");
  A.Exprs[E].Member = Member;
  A.Exprs[E].Kids = {Base};
  if (Panicking)
    return errorExpr(Begin);
  if (is(Tok::PathSep)) {
    advance();
    std::vector<TypeNodeId> Types;
    std::vector<ExprId> Exprs;
    if (!is(Tok::Lt) && !is(Tok::Shl))
      syntaxError("`<`", "");
    else
      parseGenericArgs(Types, Exprs);
    A.Exprs[E].GenericTypes = std::move(Types);
    A.Exprs[E].GenericExprs = std::move(Exprs);
    if (!Panicking && !is(Tok::LParen))
      syntaxError("`(`", "");
    if (Panicking)
      return errorExpr(Begin);
  }
  // In the head of a `for`, a method of a range that we do not have.
  ExprId Inner = Base;
  while (A.Exprs[Inner].Form == ExprForm::Paren)
    Inner = A.Exprs[Inner].Kids[0];
  bool OfRange = InForHead && A.Exprs[Inner].Form == ExprForm::Range &&
                 Member.Text != "step_by" && Member.Text != "while_flag";
  bool Refused =
      A.Exprs[Base].Form == ExprForm::Error || refuseIteratorMethod(Member);
  if (is(Tok::LParen)) {
    Mute Consequence(*this, Refused || OfRange);
    A.Exprs[E].Form = ExprForm::MethodCall;
    parseArguments(E);
  }
  done(E);
  if (Refused)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

ExprId Parser::parseIndex(ExprId Base) {
  ExprId E = newExpr(ExprForm::Index, beginOf(Base));
  size_t Close = partner(Pos);
  Span Open = here();
  advance();
  ExprId Index = parseExprIn(false);
  if (!Panicking && Pos != Close)
    syntaxError("`]`", "an index is one integer: `x[i]`");
  if (Panicking)
    return errorExpr(beginOf(Base));
  advance();
  A.Exprs[E].OpWhere = Open.to(span(L.Tokens[Close]));
  A.Exprs[E].Kids = {Base, Index};
  done(E);
  if (A.Exprs[Index].Form == ExprForm::Range) {
    std::erase(Ranges, Index);
    A.Exprs[Index].Form = ExprForm::Error;
    A.Exprs[E].Form = ExprForm::Error;
    report(diag::G0409, A.Exprs[E].OpWhere)
            .help("pass the whole buffer and an offset, and read `x[base + i]`")
        << "slicing by a range is not part of the language";
  }
  return E;
}

/// Arguments up to the bracket that closes the current one, added to E's kids.
void Parser::parseArguments(ExprId E) {
  size_t Close = partner(Pos);
  Heads Inside(*this, false);
  advance();
  while (!Panicking && Pos < Close) {
    ExprId Kid = parseExpr();
    A.Exprs[E].Kids.push_back(Kid);
    if (!Panicking && Pos < Close)
      expect(Tok::Comma, "arguments are separated by `,`");
  }
  if (!Panicking)
    jump(Close + 1);
}

ExprId Parser::parseCall(ExprId Callee) {
  ExprForm Form = A.Exprs[Callee].Form;
  if (Form == ExprForm::Name) {
    bool Saved = InHostCall;
    const std::vector<Ident> &Segments = A.Exprs[Callee].Name.Segments;
    InHostCall = Segments.back().Text == "host_call";
    Mute Consequence(*this, Segments.back().Text == "printf");
    A.Exprs[Callee].Form = ExprForm::Call;
    A.Exprs[Callee].OpWhere = A.Exprs[Callee].Name.Where;
    parseArguments(Callee);
    InHostCall = Saved;
    return done(Callee);
  }
  uint32_t Begin = beginOf(Callee);
  ExprId E = newExpr(ExprForm::Error, Begin);
  Span Where = here();
  {
    Mute Consequence(*this, Form == ExprForm::Error);
    parseArguments(E);
  }
  if (Form != ExprForm::Error)
    report(diag::G0425, A.Exprs[Callee].Where.to(Where))
            .help("functions are called by their name")
        << "this expression cannot be called: there are no function values";
  return errorExpr(Begin);
}

//===----------------------------------------------------------------------===//
// Primaries
//===----------------------------------------------------------------------===//

ExprId Parser::parsePrimary() {
  switch (cur().Kind) {
  case Tok::Int:
  case Tok::Float:
    return parseNumber();
  case Tok::LParen:
    return parseParen();
  case Tok::LBracket:
    return parseBracket();
  case Tok::LBrace:
  case Tok::Label:
    if (startsBlockLike())
      return parseBlockLike();
    break;
  case Tok::Or:
  case Tok::OrOr:
    return refuseClosure();
  case Tok::Lt:
    return refuseQualifiedPath();
  case Tok::RawIdent:
  case Tok::PathSep:
    return parsePathExpr();
  case Tok::Ident:
    return isRustKeyword(text()) ? parseKeyword() : parsePathExpr();
  case Tok::Str:
  case Tok::Char: {
    ExprId E = newExpr(ExprForm::Error, cur().Begin);
    bool Str = is(Tok::Str);
    Span Where = here();
    if (Str && InHostCall) {
      A.Exprs[E].Form = ExprForm::Str;
      A.Exprs[E].Digits = text().substr(1, text().size() - 2);
      advance();
      return done(E);
    }
    advance();
    report(Str ? diag::G0407 : diag::G0408, Where)
            .help(Str ? "kernels handle numbers and bools"
                      : "write the character's number")
        << (Str ? "strings are" : "characters are")
        << " not part of the language";
    return done(E);
  }
  case Tok::Pound: {
    std::vector<Attribute> Attributes;
    bool Loud = false;
    uint32_t Begin = cur().Begin;
    parseAttributes(Attributes, Loud);
    report(diag::G0115, from(Begin))
        << "attributes stand before items, parameters and statements";
    return parsePrimary();
  }
  default:
    break;
  }
  uint32_t Begin = cur().Begin;
  syntaxError("an expression", expressionHelp());
  return errorExpr(Begin);
}

/// What to do at a token that starts no expression.
std::string_view Parser::expressionHelp() const {
  Tok Before = Pos > 0 ? L.Tokens[Pos - 1].Kind : Tok::End;
  if (is(Tok::Dot) && peek().Kind == Tok::Int)
    return "a number starts with a digit: `0.5`";
  if (is(Tok::Eq) && (Before == Tok::EqEq || Before == Tok::Ne))
    return "comparisons are `==` and `!=`";
  if (is(Tok::Gt) && Before == Tok::Lt)
    return "unequal is `!=`";
  if (is(Tok::At) || is(Tok::Dollar))
    return "kernels have no such operator";
  if (isCloser(cur().Kind) || is(Tok::Semi) || is(Tok::Comma))
    return "a value is missing before it";
  return "";
}

ExprId Parser::parseNumber() {
  if (!is(Tok::Int) && !is(Tok::Float)) {
    syntaxError("a number", "");
    return errorExpr(cur().Begin);
  }
  ExprId Id = newExpr(ExprForm::Int, cur().Begin);
  Expr &E = A.Exprs[Id];
  NumberParts N = splitNumber(text());
  E.OpWhere = here();
  E.Digits = N.Digits;
  E.Suffix = N.Suffix;
  while (!E.Suffix.empty() && E.Suffix.front() == '_')
    E.Suffix.remove_prefix(1);
  if (N.IsFloat || is(Tok::Float))
    E.Form = ExprForm::Float;
  else
    E.IntOverflow = !integerValue(N, E.IntValue);
  bool Faulty = NextFault > 0 && NextFault <= L.Faults.size() &&
                L.Faults[NextFault - 1].Token == Pos;
  advance();
  done(Id);
  if (Faulty)
    A.Exprs[Id].Form = ExprForm::Error;
  return Id;
}

ExprId Parser::parseParen() {
  uint32_t Begin = cur().Begin;
  size_t Close = partner(Pos);
  Heads Inside(*this, false);
  advance();
  if (Pos == Close) { // the unit value
    ExprId E = newExpr(ExprForm::Block, Begin);
    advance();
    BlockNode Empty;
    Empty.Where = from(Begin);
    BlockHeights.push_back(0);
    A.Exprs[E].Body = A.Blocks.push(std::move(Empty));
    return done(E);
  }
  ExprId E = newExpr(ExprForm::Paren, Begin);
  ExprId Kid = parseExpr();
  A.Exprs[E].Kids = {Kid};
  if (!Panicking && is(Tok::Comma))
    return refuseTupleRest(E, Close);
  if (!Panicking && Pos != Close)
    syntaxError("`)`", "");
  if (Panicking)
    return errorExpr(Begin);
  advance();
  done(E);
  if (A.Exprs[Kid].Form == ExprForm::Error)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}

ExprId Parser::parseBracket() {
  ExprId E = newExpr(ExprForm::ArrayLit, cur().Begin);
  size_t Close = partner(Pos);
  Heads Inside(*this, false);
  advance();
  while (!Panicking && Pos < Close) {
    ExprId Kid = parseExpr();
    A.Exprs[E].Kids.push_back(Kid);
    if (Panicking || Pos == Close)
      break;
    bool First = A.Exprs[E].Kids.size() == 1;
    if (First && accept(Tok::Semi)) {
      A.Exprs[E].Form = ExprForm::ArrayRepeat;
      ExprId Count = parseExpr();
      A.Exprs[E].Kids.push_back(Count);
      if (!Panicking && Pos != Close)
        syntaxError("`]`", "an array is `[value; count]`");
      break;
    }
    expect(Tok::Comma, "elements are separated by `,`");
  }
  if (Panicking)
    return errorExpr(beginOf(E));
  jump(Close + 1);
  return done(E);
}

ExprId Parser::parseKeyword() {
  std::string_view Word = text();
  uint32_t Begin = cur().Begin;
  if (Word == "true" || Word == "false") {
    ExprId E = newExpr(ExprForm::Bool, Begin);
    A.Exprs[E].IntValue = Word == "true";
    A.Exprs[E].OpWhere = here();
    advance();
    return done(E);
  }
  if (startsBlockLike())
    return parseBlockLike();
  if (Word == "break" || Word == "continue" || Word == "return")
    return parseJump();
  if (Word == "move")
    return refuseClosure();
  if (Word == "async")
    return refuseAsync();
  if (Word == "let")
    return refuseLetCondition();
  if (Word == "self" || Word == "Self" || Word == "super" || Word == "crate")
    return parsePathExpr();
  static const NameSet Reserved = {"yield",  "do",    "try",   "box",
                                   "static", "const", "become"};
  if (!Reserved.contains(Word)) {
    syntaxError("an expression",
                Word == "else" ? "`else` follows the `}` of an `if`" : "");
    return errorExpr(Begin);
  }
  std::string_view Help =
      Word == "do"      ? "write `loop { …; if !again { break; } }`"
      : Word == "yield" ? "store the value into a buffer"
      : Word == "box"   ? "nothing is allocated: use the value itself"
      : Word == "try"   ? "test each condition with `if`"
      : Word == "const" || Word == "static" ? "write a `const` item of the file"
                                            : "write `return`";
  report(diag::G0430, here()).help(std::string(Help))
      << "`" << Word << "` is not part of the language";
  panic();
  return errorExpr(Begin);
}

/// `name<f32, 256>(` without the `::` that Rust wants.
bool Parser::missingTurbofish() const {
  if (!is(Tok::Lt))
    return false;
  for (size_t I = 1; I < 24; ++I) {
    const Token &T = peek(I);
    bool Inside = T.Kind == Tok::Ident || T.Kind == Tok::Int ||
                  T.Kind == Tok::PathSep || T.Kind == Tok::Comma;
    if (T.Kind == Tok::Gt)
      return I > 1 && peek(I + 1).Kind == Tok::LParen;
    if (!Inside)
      return false;
  }
  return false;
}

ExprId Parser::parsePathExpr() {
  uint32_t Begin = cur().Begin;
  if (isWord("_") && !InAttribute) {
    advance();
    report(diag::G0110, from(Begin)) << "expected a value, found `_`";
    return errorExpr(Begin);
  }
  unsigned Errors = Diags->errorCount();
  Path P;
  if (!parsePathSegments(P, false))
    return errorExpr(Begin);
  bool Refused = Diags->errorCount() != Errors;
  if (is(Tok::Not) && (isOpener(peek().Kind)) && !peek(0).StartsLine)
    return refuseMacro(Begin, P.Segments.back().Text);
  Refused |= refuseValuePath(P);
  if (!Refused && missingTurbofish()) {
    Span Where = here();
    report(diag::G0114, Where)
            .fix(Span{File, Where.Begin, Where.Begin}, "::")
            .help("write `" + std::string(P.Segments.back().Text) + "::<…>(…)`")
        << "type arguments in an expression need `::`";
    parseGenericArgs(P.GenericTypes, P.GenericExprs);
  }
  ExprId E = newExpr(ExprForm::Name, Begin);
  A.Exprs[E].OpWhere = P.Where;
  A.Exprs[E].Name = std::move(P);
  if (Refused)
    A.Exprs[E].Form = ExprForm::Error;
  done(E);
  if (!is(Tok::LBrace) || Panicking)
    return E;
  if (!NoStruct)
    return parseStructLit(E);
  bool Literal = (peek().Kind == Tok::Ident && peek(2).Kind == Tok::Colon);
  if (!Literal)
    return E;
  report(diag::G0113, A.Exprs[E].Where).help("put the literal into parentheses")
      << "a struct literal cannot stand in the head of a statement";
  return parseStructLit(E);
}

/// One `name: value` or `name`; false at `..base`.
bool Parser::parseStructField(ExprId E) {
  if (is(Tok::DotDot)) {
    Span Where = here();
    advance();
    if (beginsExpr(cur())) {
      Mute Quiet(*this);
      parseExpr();
    }
    report(diag::G0423, Where).help("list every field")
        << "`..base` in a struct literal is not part of the language";
    A.Exprs[E].Form = ExprForm::Error;
    return false;
  }
  std::vector<Attribute> Attributes;
  bool Loud = false;
  bool Present = parseAttributes(Attributes, Loud);
  Ident Name = parseName("a field's name");
  if (Panicking)
    return false;
  ExprId Value;
  if (accept(Tok::Colon)) {
    Value = parseExpr();
  } else {
    Value = newExpr(ExprForm::Name, Name.Where.Begin);
    Expr &V = A.Exprs[Value];
    V.Where = V.OpWhere = V.Name.Where = Name.Where;
    V.Name.Segments.push_back(Name);
  }
  if (Present) {
    A.Exprs[E].FieldNames.push_back(Name);
    A.Exprs[E].Kids.push_back(Value);
  }
  return true;
}

ExprId Parser::parseStructLit(ExprId E) {
  bool Refused = A.Exprs[E].Form == ExprForm::Error;
  A.Exprs[E].Form = ExprForm::StructLit;
  size_t Close = partner(Pos);
  Heads Inside(*this, false);
  advance();
  while (!Panicking && Pos < Close) {
    if (!parseStructField(E) || Panicking)
      break;
    if (Pos < Close)
      expect(Tok::Comma, "fields are separated by `,`");
  }
  Refused |= A.Exprs[E].Form == ExprForm::Error;
  if (!Panicking)
    jump(Close + 1);
  done(E);
  if (Refused || Panicking)
    A.Exprs[E].Form = ExprForm::Error;
  return E;
}
