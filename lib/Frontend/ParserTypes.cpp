//===- ParserTypes.cpp - Types, paths and type arguments ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A name between `<` and `>` may be a type or a constant. The file's own
// constants are known (prescan); otherwise a name in capitals is a constant.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include <utility>

#include <algorithm>

using namespace goldy;
using namespace goldy::parse;

TypeNodeId Parser::parseType() {
  TypeNode T;
  uint32_t Begin = cur().Begin;
  Nest Level(*this);
  if (Level.tooDeep())
    tooDeep(here());
  else
    parseTypeInner(T);
  T.Where = from(Begin);
  if (Panicking)
    T.Form = TypeForm::Error;
  return pushType(std::move(T));
}

TypeNodeId Parser::errorType(Span Where) {
  TypeNode T;
  T.Where = Where;
  return pushType(std::move(T));
}

TypeNodeId Parser::pushType(TypeNode T) {
  unsigned Height =
      1 + std::max({heightOf(T.Element), heightOf(T.Count), heightOf(T.Name)});
  if (Height > MaxNesting) {
    tooDeep(T.Where);
    T = TypeNode();
    Height = 1;
  }
  TypeHeights.push_back(static_cast<uint16_t>(Height));
  return A.Types.push(std::move(T));
}

void Parser::parseTypeInner(TypeNode &T) {
  if (is(Tok::And) || is(Tok::AndAnd))
    parseReferenceType(T);
  else if (is(Tok::LBracket))
    parseBracketType(T);
  else if (is(Tok::LParen))
    parseParenType(T);
  else if (!parseRefusedType())
    parseNamedType(T);
}

void Parser::parseReferenceType(TypeNode &T) {
  T.Form = TypeForm::Reference;
  if (is(Tok::AndAnd))
    takeHalf(Tok::And);
  else
    advance();
  if (is(Tok::Label)) {
    if (!LifetimesReported)
      report(diag::G0410, here()).help("leave the lifetime out")
          << "lifetime `" << text() << "` is not part of the language";
    LifetimesReported = true;
    advance();
  }
  T.Mutable = acceptWord("mut");
  T.Element = parseType();
  if (A.Types[T.Element].Form == TypeForm::Error)
    T.Form = TypeForm::Error;
}

void Parser::parseBracketType(TypeNode &T) {
  size_t Close = partner(Pos);
  advance();
  T.Element = parseType();
  T.Form = TypeForm::Slice;
  if (!Panicking && accept(Tok::Semi)) {
    T.Form = TypeForm::Array;
    Heads Inside(*this, false);
    size_t FirstRange = Ranges.size();
    T.Count = parseExpr();
    flushRanges(FirstRange);
  }
  if (Panicking)
    return;
  if (Pos != Close)
    return syntaxError("`]`", "array types are `[f32; 16]`, slices `[f32]`");
  advance();
  if (A.Types[T.Element].Form == TypeForm::Error)
    T.Form = TypeForm::Error;
}

void Parser::parseParenType(TypeNode &T) {
  size_t Open = Pos, Close = partner(Pos);
  advance();
  if (Pos == Close) {
    advance();
    T.Form = TypeForm::Unit;
    return;
  }
  TypeNodeId Inner = parseType();
  if (Panicking)
    return;
  if (Pos == Close) {
    advance();
    T = A.Types[Inner];
    return;
  }
  jump(Close + 1);
  report(diag::G0405, from(L.Tokens[Open].Begin))
          .help("use a vector such as `gpu::Float2` or a `#[goldy::gpu]` "
                "struct")
      << "tuple types are not part of the language";
}

/// Skips `A + 'b + C<D>` behind `dyn` or `impl`.
void Parser::skipBounds() {
  Mute Quiet(*this);
  std::vector<Ident> *Saved = HostTypes;
  HostTypes = nullptr;
  do {
    if (is(Tok::Label)) {
      advance();
      continue;
    }
    accept(Tok::Question);
    if (is(Tok::LParen)) {
      jump(afterGroup(Pos));
      continue;
    }
    TypeNode Bound;
    parseNamedType(Bound);
    if (is(Tok::LParen))
      jump(afterGroup(Pos));
    if (accept(Tok::Arrow))
      parseType();
  } while (!Panicking && accept(Tok::Plus));
  HostTypes = Saved;
}

/// `dyn`, `impl`, pointers, function types, `!`, `_`, `<T as X>::Y`.
bool Parser::parseRefusedType() {
  uint32_t Begin = cur().Begin;
  if (isWord("dyn") || isWord("impl")) {
    std::string_view Word = text();
    advance();
    skipBounds();
    report(diag::G0411, from(Begin))
            .help("write one helper for each type and choose with `if`")
        << "`" << Word << "` types are not part of the language";
    return true;
  }
  if (is(Tok::Star) && (isWord(peek(), "const") || isWord(peek(), "mut"))) {
    advance();
    advance();
    {
      Mute Quiet(*this);
      parseType();
    }
    report(diag::G0425, from(Begin))
            .help("take the buffer as `&[T]` or `&mut [T]` and index it")
        << "raw pointers are not part of the language";
    return true;
  }
  if (isWord("fn") || isWord("for") || isWord("extern") || isWord("unsafe")) {
    while (!is(Tok::LParen) && !atEnd() && !isCloser(cur().Kind))
      advance();
    if (is(Tok::LParen))
      jump(afterGroup(Pos));
    {
      Mute Quiet(*this);
      if (accept(Tok::Arrow))
        parseType();
    }
    report(diag::G0425, from(Begin)).help("call a helper by its name")
        << "function types are not part of the language";
    return true;
  }
  if (is(Tok::Not)) {
    advance();
    report(diag::G0425, from(Begin)).help("leave the return type out")
        << "the never type `!` is not part of the language";
    return true;
  }
  if (isWord("_")) {
    advance();
    report(diag::G0428, from(Begin))
            .help("leave the type of a `let` out to have it inferred")
        << "`_` is not accepted as a type";
    return true;
  }
  if (is(Tok::Lt)) {
    refuseQualifiedPath();
    return true;
  }
  return false;
}

/// Remembers a type of the signature that only the host can know.
void Parser::noteHostType(const Path &P) {
  if (!HostTypes)
    return;
  std::string_view First = P.Segments[0].Text, Last = P.Segments.back().Text;
  if (First == "gpu" || First == "goldy" || ModNames.contains(First))
    return;
  bool Single = P.Segments.size() == 1;
  if (Single && (isLanguageType(Last) || GpuStructs.contains(Last)))
    return;
  if (Single && nearest(Last, languageTypes()))
    return; // a misspelling, not a type of the host
  HostTypes->push_back(P.Segments.back());
}

void Parser::parseNamedType(TypeNode &T) {
  if (!is(Tok::Ident) && !is(Tok::RawIdent) && !is(Tok::PathSep))
    return syntaxError("a type", "");
  {
    // What a refused type is made of is part of the same mistake.
    bool Refused = refusedType(text()) && !GpuStructs.contains(text()) &&
                   peek().Kind == Tok::Lt;
    Mute Consequence(*this, Refused);
    if (!parsePathSegments(T.Name, true) && !Refused)
      return;
  }
  std::string_view First = T.Name.Segments[0].Text;
  std::string_view Last = T.Name.Segments.back().Text;
  T.Form = TypeForm::Named;
  bool OfStd = First == "std" || First == "core" || First == "alloc";
  const RefusedName *R =
      T.Name.Segments.size() == 1 || OfStd ? refusedType(Last) : nullptr;
  if (R && GpuStructs.contains(Last))
    R = nullptr;
  if (!R && OfStd)
    R = refusedType("std");
  if (!R)
    return noteHostType(T.Name);
  T.Form = TypeForm::Error;
  bool Broken = std::exchange(Panicking, false);
  report(R->Code, T.Name.Where).help(std::string(R->Help))
      << "`" << (OfStd ? "std::" : "") << Last
      << "` is not a type of the language";
  Panicking = Broken;
}

/// `a::b::c`, with type arguments by `::<…>`, or `<…>` where a type stands.
bool Parser::parsePathSegments(Path &P, bool InType) {
  uint32_t Begin = cur().Begin;
  accept(Tok::PathSep);
  for (;;) {
    if (is(Tok::RawIdent)) {
      report(diag::G0116, here()).help("choose a name that is no keyword")
          << "raw identifier `" << text() << "` is not accepted";
      P.Segments.push_back(Ident{text().substr(2), here()});
    } else if (is(Tok::Ident)) {
      P.Segments.push_back(Ident{text(), here()});
    } else {
      syntaxError("a name", "");
      return false;
    }
    bool Self =
        isWord("self") || isWord("Self") || isWord("super") || isWord("crate");
    if (Self)
      report(diag::G0427, here())
              .help("functions and types are named directly, those of "
                    "`mod blur;` as `blur::name`")
          << "`" << text() << "` is not part of the language";
    if (!Self && isRustKeyword(text()) && !isWord("_")) {
      syntaxError("a name", "");
      return false;
    }
    advance();
    if (InType && (is(Tok::Lt) || is(Tok::Shl)))
      parseGenericArgs(P.GenericTypes, P.GenericExprs);
    if (Panicking || !is(Tok::PathSep))
      break;
    advance();
    if (is(Tok::Lt) || is(Tok::Shl)) {
      parseGenericArgs(P.GenericTypes, P.GenericExprs);
      if (Panicking || !accept(Tok::PathSep))
        break;
    }
  }
  P.Where = from(Begin);
  return !Panicking;
}

bool Parser::closeAngle() {
  if (accept(Tok::Gt))
    return true;
  if (is(Tok::Shr))
    takeHalf(Tok::Gt);
  else if (is(Tok::Ge))
    takeHalf(Tok::Eq);
  else if (is(Tok::ShrEq))
    takeHalf(Tok::Ge);
  else
    return false;
  return true;
}

/// As names of constants are written.
static bool isInCapitals(std::string_view Name) {
  return std::all_of(Name.begin(), Name.end(), [](char C) {
    return (C >= 'A' && C <= 'Z') || (C >= '0' && C <= '9') || C == '_';
  });
}

/// Index of the last segment of the path at the current token.
size_t Parser::lastSegment() const {
  size_t I = Pos;
  while (L.Tokens[I].Kind == Tok::Ident &&
         L.Tokens[I + 1].Kind == Tok::PathSep &&
         L.Tokens[I + 2].Kind == Tok::Ident)
    I += 2;
  return I;
}

bool Parser::startsConstArgument() const {
  const Token &T = cur();
  if (T.Kind == Tok::Int || T.Kind == Tok::Float || T.Kind == Tok::Minus ||
      T.Kind == Tok::LBrace || T.Kind == Tok::LParen || isWord("true") ||
      isWord("false"))
    return true;
  if (T.Kind != Tok::Ident)
    return false;
  std::string_view Name = text();
  if (ModNames.contains(Name) && peek().Kind == Tok::PathSep)
    return isInCapitals(text(L.Tokens[lastSegment()]));
  if (ConstNames.contains(Name))
    return true;
  if (isLanguageType(Name) || GpuStructs.contains(Name) || Name.size() < 1)
    return false;
  return isInCapitals(Name) && Name != "_" && peek().Kind != Tok::PathSep &&
         peek().Kind != Tok::Lt;
}

/// At `<`: types and constants up to the `>`.
void Parser::parseGenericArgs(std::vector<TypeNodeId> &Types,
                              std::vector<ExprId> &Exprs) {
  if (is(Tok::Shl))
    takeHalf(Tok::Lt);
  else
    advance();
  Heads Inside(*this, false);
  while (!Panicking && !is(Tok::Gt) && !is(Tok::Shr) && !is(Tok::Ge)) {
    if (is(Tok::Label))
      advance(); // lifetimes are refused where they are declared
    else if (is(Tok::Ident) && peek().Kind == Tok::Eq) { // Item = T
      advance();
      advance();
      parseType();
    } else if (startsConstArgument())
      Exprs.push_back(parseBinary(SumPrecedence));
    else
      Types.push_back(parseType());
    if (Panicking || !accept(Tok::Comma))
      break;
  }
  if (!Panicking && !closeAngle())
    syntaxError("`>`", "type arguments end with `>`");
}
