//===- ParserTokens.cpp - Brackets, token steps and recovery --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before anything is parsed every bracket is paired with its partner. A file
// whose brackets do not pair gets exactly one error about that, and only the
// items before the fault are parsed. Afterwards recovery is a walk over whole
// groups: it cannot leave the block that it recovers in.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include <utility>

using namespace goldy;
using namespace goldy::parse;

//===----------------------------------------------------------------------===//
// Reporting
//===----------------------------------------------------------------------===//

DiagBuilder Parser::report(diag::Code C, Span Where) {
  // A syntax error in a silent part must not swallow the mistake that the part
  // belongs to.
  if (!Muted && (!Panicking || SilentPanic)) {
    SilentPanic = false;
    return Diags->report(C, Where);
  }
  Nowhere.clear();
  return Nowhere.report(C, Where);
}

void Parser::panic() {
  if (!Panicking) {
    PanicPos = Pos;
    SilentPanic = Muted > 0;
  }
  Panicking = true;
}

/// Said even where consequences of another mistake stay silent: what is nested
/// deeper is not read, so that mistake may never come to be reported.
void Parser::tooDeep(Span Where) {
  unsigned Silenced = std::exchange(Muted, 0);
  report(diag::G0109, Where)
          .help("name parts of the expression with `let`, or move inner blocks "
                "into helper functions")
      << "nesting is deeper than " << MaxNesting << " levels";
  Muted = Silenced;
  panic();
}

std::string Parser::found() const {
  const Token &T = cur();
  if (T.Kind == Tok::End)
    return "end of file";
  std::string_view S = text(T);
  if (T.Kind == Tok::Ident && isRustKeyword(S))
    return "keyword `" + std::string(S) + "`";
  if (S.size() > 40)
    return std::string(tokenName(T.Kind));
  return "`" + std::string(S) + "`";
}

void Parser::syntaxError(std::string_view Expected, std::string_view Context) {
  {
    DiagBuilder D = report(diag::G0110, here());
    D << "expected " << Expected << ", found " << found();
    if (!Context.empty())
      D.help(std::string(Context));
  }
  panic();
}

//===----------------------------------------------------------------------===//
// Token steps
//===----------------------------------------------------------------------===//

/// Reports the faults of the current token and passes over invalid ones.
void Parser::settle() {
  for (;;) {
    while (NextFault < L.Faults.size() && L.Faults[NextFault].Token < Pos)
      ++NextFault;
    for (; NextFault < L.Faults.size() && L.Faults[NextFault].Token == Pos;
         ++NextFault) {
      const LexFault &F = L.Faults[NextFault];
      DiagBuilder D = report(F.Code, Span{File, F.Begin, F.End});
      D << F.Message;
      if (!F.Help.empty())
        D.help(F.Help);
    }
    if (cur().Kind != Tok::Invalid)
      return;
    ++Pos;
  }
}

void Parser::advance() {
  if (atEnd())
    return;
  PrevEnd = cur().End;
  ++Pos;
  settle();
}

void Parser::jump(size_t Index) {
  if (Index == Pos)
    return;
  Pos = Index;
  if (Pos > 0)
    PrevEnd = L.Tokens[Pos - 1].End;
  settle();
}

bool Parser::accept(Tok K) {
  if (!is(K))
    return false;
  advance();
  return true;
}

bool Parser::acceptWord(std::string_view W) {
  if (!isWord(W))
    return false;
  advance();
  return true;
}

bool Parser::expect(Tok K, std::string_view Context) {
  if (accept(K))
    return true;
  syntaxError("`" + std::string(tokenName(K)) + "`", Context);
  return false;
}

void Parser::takeHalf(Tok Rest) {
  Token &T = L.Tokens[Pos];
  PrevEnd = ++T.Begin;
  T.Kind = Rest;
  T.StartsLine = false;
}

//===----------------------------------------------------------------------===//
// Brackets
//===----------------------------------------------------------------------===//

namespace {
Tok closerOf(Tok Opener) {
  return Opener == Tok::LParen     ? Tok::RParen
         : Opener == Tok::LBracket ? Tok::RBracket
                                   : Tok::RBrace;
}
} // namespace

/// Columns before the first character of the line that holds `Offset`.
uint32_t Parser::indentation(uint32_t Offset) const {
  uint32_t Begin = Offset;
  while (Begin > 0 && Source[Begin - 1] != '\n' && Source[Begin - 1] != '\r')
    --Begin;
  uint32_t I = Begin;
  while (I < Source.size() && (Source[I] == ' ' || Source[I] == '\t'))
    ++I;
  return I - Begin;
}

/// The first `{` ending its line whose `}` starts a line with less
/// indentation: the likelier culprit when a brace is missing. ~0 if none.
size_t Parser::suspiciousOpener() const {
  for (size_t I = 0; I < L.Tokens.size(); ++I) {
    if (L.Tokens[I].Kind != Tok::LBrace || Partner[I] <= I || Partner[I] == ~0u)
      continue;
    const Token &Close = L.Tokens[Partner[I]];
    if (Close.StartsLine &&
        indentation(Close.Begin) < indentation(L.Tokens[I].Begin))
      return I;
  }
  return ~size_t(0);
}

void Parser::reportUnclosed(size_t Opener) {
  std::string Name(tokenName(L.Tokens[Opener].Kind));
  std::string Closer(tokenName(closerOf(L.Tokens[Opener].Kind)));
  uint32_t End = static_cast<uint32_t>(Source.size());
  DiagBuilder D = report(diag::G0107, Span{File, End, End});
  D << "unclosed `" << Name << "`: the file ends where `" << Closer
    << "` is expected";
  D.note(span(L.Tokens[Opener]), "the unclosed `" + Name + "` is here");
  size_t Suspect = suspiciousOpener();
  if (Suspect != ~size_t(0))
    D.note(span(L.Tokens[Suspect]),
           "by its indentation this `{` may be the one that is not closed");
}

/// Cuts the tokens before the item that starts at `ItemStart`.
void Parser::truncate(size_t ItemStart) {
  A.Incomplete = true;
  Token End;
  End.Begin = End.End = L.Tokens[ItemStart].Begin;
  End.StartsLine = true;
  L.Tokens.resize(ItemStart);
  L.Tokens.push_back(End);
  Partner.resize(ItemStart + 1, ~0u);
}

void Parser::matchBrackets() {
  Partner.assign(L.Tokens.size(), ~0u);
  std::vector<size_t> Open;
  size_t ItemStart = 0, AfterBrace = 0;
  for (size_t I = 0; I < L.Tokens.size(); ++I) {
    Tok K = L.Tokens[I].Kind;
    if (isOpener(K)) {
      Open.push_back(I);
      if (Open.size() <= MaxNesting)
        continue;
      tooDeep(span(L.Tokens[I]));
      Panicking = false;
      return truncate(ItemStart);
    }
    if (K == Tok::Semi && Open.empty())
      ItemStart = I + 1;
    if (!isCloser(K))
      continue;
    if (Open.empty()) {
      report(diag::G0108, span(L.Tokens[I]))
              .help("remove it, or open its bracket before")
          << "unexpected `" << tokenName(K) << "`: nothing is open here";
      // What follows the last whole item was meant to be inside it.
      return truncate(AfterBrace);
    }
    size_t O = Open.back();
    if (closerOf(L.Tokens[O].Kind) != K) {
      report(diag::G0108, span(L.Tokens[I]))
              .note(span(L.Tokens[O]),
                    "this `" + std::string(tokenName(L.Tokens[O].Kind)) +
                        "` is still open")
          << "mismatched `" << tokenName(K) << "`: expected `"
          << tokenName(closerOf(L.Tokens[O].Kind)) << "` first";
      return truncate(ItemStart);
    }
    Open.pop_back();
    Partner[O] = static_cast<uint32_t>(I);
    Partner[I] = static_cast<uint32_t>(O);
    if (Open.empty() && K == Tok::RBrace)
      ItemStart = AfterBrace = I + 1;
  }
  if (L.Unterminated) {
    const LexFault &F = L.Faults.back();
    DiagBuilder D = report(F.Code, Span{File, F.Begin, F.End});
    D << F.Message;
    if (!F.Help.empty())
      D.help(F.Help);
    return truncate(ItemStart);
  }
  if (Open.empty())
    return;
  reportUnclosed(Open.back());
  truncate(ItemStart);
}

/// Collects the names that the file declares: they decide what a name between
/// `<` and `>` is, and which types a signature may use.
void Parser::prescan() {
  bool Gpu = false;
  for (size_t I = 0; I + 1 < L.Tokens.size(); ++I) {
    const Token &T = L.Tokens[I], &Next = L.Tokens[I + 1];
    if (T.Kind == Tok::Pound && Next.Kind == Tok::LBracket) {
      for (size_t J = I + 2; J < partner(I + 1); ++J)
        Gpu |= isWord(L.Tokens[J], "gpu") && J == I + 4;
      I = partner(I + 1);
      continue;
    }
    if (isOpener(T.Kind)) {
      I = partner(I);
      continue;
    }
    if (T.Kind != Tok::Ident || Next.Kind != Tok::Ident)
      continue;
    if (text(T) == "const")
      ConstNames.insert(text(Next));
    else if (text(T) == "mod")
      ModNames.insert(text(Next));
    else if (text(T) == "struct" && Gpu)
      GpuStructs.insert(text(Next));
    Gpu = Gpu && text(T) == "pub";
  }
}

//===----------------------------------------------------------------------===//
// Recovery
//===----------------------------------------------------------------------===//

bool Parser::startsStatement(const Token &T) const {
  static const NameSet Words = {"let",   "if",    "for",      "while", "loop",
                                "match", "break", "continue", "return"};
  return T.Kind == Tok::Ident && Words.contains(text(T));
}

bool Parser::startsItem(const Token &T) const {
  static const NameSet Words = {"fn",     "struct", "const",  "use",   "mod",
                                "pub",    "impl",   "trait",  "enum",  "static",
                                "extern", "type",   "unsafe", "async", "union"};
  return T.Kind == Tok::Pound ||
         (T.Kind == Tok::Ident && Words.contains(text(T)));
}

/// Goes to the start of the next statement of the block that closes at
/// `Close`; `Start` is where the broken statement began.
void Parser::resync(size_t Start, size_t Close) {
  size_t Failed = std::max(PanicPos, Start), I = Start;
  Panicking = false;
  while (I < Close) {
    const Token &T = L.Tokens[I];
    if (I >= Failed && I > Start && T.StartsLine && startsStatement(T))
      break;
    if (T.Kind == Tok::Semi && I >= Failed) {
      ++I;
      break;
    }
    if (!isOpener(T.Kind)) {
      ++I;
      continue;
    }
    bool Brace = T.Kind == Tok::LBrace;
    I = afterGroup(I);
    if (Brace && I > Failed && L.Tokens[I].StartsLine &&
        !isWord(L.Tokens[I], "else"))
      break;
  }
  jump(std::min(I, Close));
}

/// Goes behind the next comma of the group that closes at `Close`.
void Parser::resyncList(size_t Close) {
  size_t I = std::min(Pos, Close);
  Panicking = false;
  while (I < Close && L.Tokens[I].Kind != Tok::Comma)
    I = isOpener(L.Tokens[I].Kind) ? afterGroup(I) : I + 1;
  jump(I < Close ? I + 1 : Close);
}

void Parser::resyncItem(size_t Start) {
  size_t Failed = std::max(PanicPos, Start), I = Start;
  Panicking = false;
  while (L.Tokens[I].Kind != Tok::End) {
    const Token &T = L.Tokens[I];
    if (I >= Failed && I > Start && T.StartsLine && startsItem(T))
      break;
    bool Ends = T.Kind == Tok::Semi || T.Kind == Tok::LBrace;
    I = isOpener(T.Kind) ? afterGroup(I) : I + 1;
    if (Ends && I > Failed)
      break;
  }
  jump(I);
}
