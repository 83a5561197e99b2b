//===- ParserAttributes.cpp - #[…], #![…] and cfg -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes of the language keep their arguments; those that Rust knows and
// kernels ignore keep only their name; any other is an error, as a misspelt
// `#[goldy::compute]` must not pass in silence. `cfg` is decided here: `goldy`
// is set, everything else is not.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

using namespace goldy;
using namespace goldy::parse;

namespace {

std::string pathText(const Path &P) {
  std::string S;
  for (const Ident &I : P.Segments)
    S += (S.empty() ? "" : "::") + std::string(I.Text);
  return S;
}

bool isIgnored(std::string_view First) {
  static const NameSet Names = {
      "allow",      "warn",     "deny",         "forbid",
      "expect",     "derive",   "repr",         "inline",
      "doc",        "must_use", "cold",         "cfg_attr",
      "deprecated", "rustfmt",  "clippy",       "rustc",
      "test",       "ignore",   "should_panic", "no_mangle",
      "feature",    "no_std",   "no_main",      "recursion_limit"};
  return Names.contains(First);
}

const std::vector<std::string> &ownAttributes() {
  static const std::vector<std::string> Names = {
      "goldy::compute", "goldy::gpu", "goldy::program", "goldy::spec",
      "unroll",         "tensor",     "two_copies",     "on"};
  return Names;
}

} // namespace

/// cfg's predicate at token `I`; leaves `I` behind it.
bool Parser::cfgPredicate(size_t &I, size_t Close, bool &NamesGoldy) {
  if (I >= Close || L.Tokens[I].Kind != Tok::Ident)
    return false;
  std::string_view Word = text(L.Tokens[I++]);
  if (I < Close && L.Tokens[I].Kind == Tok::Eq) { // key = "value"
    I += 2;
    return false;
  }
  if (I >= Close || L.Tokens[I].Kind != Tok::LParen) {
    NamesGoldy |= Word == "goldy";
    return Word == "goldy";
  }
  size_t Inner = I + 1, InnerClose = partner(I);
  I = afterGroup(I);
  bool All = true, Any = false;
  while (Inner < InnerClose) {
    size_t Before = Inner;
    bool Value = cfgPredicate(Inner, InnerClose, NamesGoldy);
    All &= Value;
    Any |= Value;
    if (Inner < InnerClose &&
        (L.Tokens[Inner].Kind == Tok::Comma || Inner == Before))
      ++Inner;
  }
  return Word == "not" ? !Any : Word == "any" ? Any : Word == "all" && All;
}

bool Parser::evaluateCfg(size_t Open, size_t Close, bool &NamesGoldy) {
  size_t I = Open + 1;
  return cfgPredicate(I, Close, NamesGoldy);
}

void Parser::parseAttributeArgs(Attribute &At) {
  size_t Close = partner(Pos);
  advance();
  while (Pos < Close) {
    AttributeArg Arg;
    uint32_t Begin = cur().Begin;
    if (is(Tok::Ident) &&
        (peek().Kind == Tok::Eq || peek().Kind == Tok::Comma ||
         peek().Kind == Tok::RParen)) {
      Arg.Key = Ident{text(), here()};
      advance();
      if (accept(Tok::Eq))
        Arg.Value = parseExpr();
    } else {
      Arg.Value = parseExpr();
    }
    Arg.Where = from(Begin);
    At.Args.push_back(Arg);
    if (Panicking)
      return;
    if (Pos < Close && !expect(Tok::Comma, "arguments are separated by `,`"))
      return;
  }
  jump(Close + 1);
}

bool Parser::knownAttribute(const Attribute &At) {
  std::string Name = pathText(At.Name);
  if (isIgnored(At.Name.Segments[0].Text))
    return true;
  for (const std::string &Own : ownAttributes())
    if (Own == Name)
      return true;
  DiagBuilder D = report(diag::G0115, At.Name.Where);
  D << "unknown attribute `" << Name << "`";
  std::string Guess = "goldy::" + Name;
  std::optional<std::string> Near = nearest(Name, ownAttributes());
  if (!Near)
    Near = nearest(Guess, ownAttributes());
  if (Near)
    D.help("did you mean `#[" + *Near + "]`?").fix(At.Name.Where, *Near);
  else
    D.help("attributes of the language are `goldy::compute`, `goldy::gpu`, "
           "`goldy::program`, `goldy::spec`, `unroll`, `tensor`, `two_copies` "
           "and `on`");
  return false;
}

/// One `#[…]` or `#![…]` at the current `#`. `Present` turns false by a cfg.
/// False after a syntax error.
bool Parser::parseAttribute(std::vector<Attribute> &Out, bool &Present,
                            bool &SkipLoud, bool Inner) {
  Attribute At;
  uint32_t Begin = cur().Begin;
  advance();
  if (Inner)
    advance();
  At.Inner = Inner;
  if (!is(Tok::LBracket)) {
    syntaxError("`[`", "attributes are `#[name]` or `#[name(arguments)]`");
    return false;
  }
  size_t Close = partner(Pos);
  advance();
  if (!parsePathSegments(At.Name, true))
    return false;
  std::string_view First = At.Name.Segments[0].Text;
  if (First == "cfg" && is(Tok::LParen)) {
    bool NamesGoldy = false;
    if (!evaluateCfg(Pos, Close, NamesGoldy)) {
      Present = false;
      SkipLoud |= !NamesGoldy;
    }
    jump(Close + 1);
    return true;
  }
  bool Known = knownAttribute(At);
  if (!Known || isIgnored(First) || Inner) {
    jump(Close + 1);
  } else {
    bool Saved = InAttribute;
    InAttribute = true;
    size_t FirstRange = Ranges.size();
    if (is(Tok::LParen))
      parseAttributeArgs(At);
    flushRanges(FirstRange);
    InAttribute = Saved;
    if (!Panicking && Pos != Close)
      syntaxError("`]`", "an attribute's arguments stand in parentheses");
    if (Panicking)
      return false;
    jump(Close + 1);
  }
  At.Where = from(Begin);
  if (Known)
    Out.push_back(std::move(At));
  return true;
}

/// Behind a run of `#` and `!` that begin no attribute: one mistake.
size_t Parser::afterStrayMarks() const {
  size_t I = Pos + 1;
  auto Stray = [this](size_t At) {
    Tok Next = L.Tokens[At + 1].Kind;
    return (L.Tokens[At].Kind == Tok::Pound || L.Tokens[At].Kind == Tok::Not) &&
           Next != Tok::LBracket &&
           !(Next == Tok::Not && L.Tokens[At + 2].Kind == Tok::LBracket);
  };
  while (L.Tokens[I].Kind != Tok::End && Stray(I))
    ++I;
  return I;
}

bool Parser::parseAttributes(std::vector<Attribute> &Out, bool &SkipLoud) {
  bool Present = true;
  while (is(Tok::Pound) && !Panicking) {
    if (peek().Kind == Tok::Not && peek(2).Kind == Tok::LBracket) {
      parseInnerAttribute(nullptr);
      continue;
    }
    size_t AfterAttribute =
        peek().Kind == Tok::LBracket ? afterGroup(Pos + 1) : afterStrayMarks();
    if (!parseAttribute(Out, Present, SkipLoud, false)) {
      Panicking = false; // the attribute is lost, what follows is not
      jump(std::max(Pos, AfterAttribute));
    }
  }
  return Present;
}

void Parser::parseInnerAttribute(std::vector<Attribute> *Out) {
  std::vector<Attribute> Dropped;
  bool Present = true, Loud = false;
  size_t After = afterGroup(Pos + 2);
  parseAttribute(Out ? *Out : Dropped, Present, Loud, true);
  Panicking = false;
  jump(After);
}

/// Attributes of the language stand where they mean something.
void Parser::checkPlaces(std::vector<Attribute> &Attributes, Place P) {
  struct Rule {
    std::string_view Name;
    Place Where;
    std::string_view Text;
  };
  static constexpr Rule Rules[] = {
      {"goldy::compute", Place::Function, "a function"},
      {"goldy::program", Place::Function, "a function"},
      {"goldy::gpu", Place::Struct, "a struct"},
      {"goldy::spec", Place::Const, "a constant"},
      {"unroll", Place::For, "a `for` loop"},
      {"tensor", Place::Param, "a parameter"},
      {"two_copies", Place::Let, "a `let` of a program"},
      {"on", Place::Param, "a parameter or a `let` of a program"},
  };
  for (const Attribute &At : Attributes)
    for (const Rule &R : Rules)
      if (R.Where != P && R.Name == pathText(At.Name) &&
          !(R.Name == "on" && P == Place::Let))
        report(diag::G0115, At.Where).help("move it there, or remove it")
            << "attribute `" << R.Name << "` belongs before " << R.Text;
}
