//===- ParserStatements.cpp - Blocks and statements -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in Rust, an expression that ends with a block (`if`, `match`, loops,
// blocks) at the start of a statement is the whole statement, unless a method
// call follows. Names that a refused statement would have bound are bound to
// an Error value, so that their uses stay silent.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

using namespace goldy;
using namespace goldy::parse;

BlockId Parser::parseBlock() {
  BlockNode B;
  uint32_t Begin = cur().Begin;
  if (!is(Tok::LBrace)) {
    syntaxError("`{`", "bodies stand in braces: `if a > b { … }`");
    B.Where = here();
    BlockHeights.push_back(0);
    return A.Blocks.push(std::move(B));
  }
  size_t Close = partner(Pos);
  Heads Inside(*this, false);
  advance();
  while (Pos < Close && !Diags->atLimit()) {
    size_t Start = Pos;
    parseStatement(B, Close);
    if (Panicking)
      resync(Start, Close);
  }
  jump(Close + 1);
  B.Where = from(Begin);
  unsigned Height = heightOf(B.Tail);
  for (StmtId S : B.Stmts)
    Height = std::max(
        {Height, heightOf(A.Stmts[S].Value), heightOf(A.Stmts[S].Type)});
  BlockHeights.push_back(static_cast<uint16_t>(Height));
  return A.Blocks.push(std::move(B));
}

void Parser::parseStatement(BlockNode &B, size_t Close) {
  if (accept(Tok::Semi))
    return;
  std::vector<Attribute> Attributes;
  uint32_t Begin = cur().Begin;
  bool Loud = false;
  bool Present = parseAttributes(Attributes, Loud);
  if (Pos >= Close) {
    if (!Attributes.empty())
      report(diag::G0123, from(Begin))
              .help("remove it, or write its statement behind it")
          << "this attribute stands before nothing";
    return;
  }
  if (!Present)
    return skipStatement(Close);
  size_t FirstRange = Ranges.size();
  if (isWord("let"))
    parseLet(B, std::move(Attributes));
  else if (!parseNestedItem(B))
    parseExprStatement(B, Close, Attributes);
  flushRanges(FirstRange);
}

/// A statement that a `cfg` took away.
void Parser::skipStatement(size_t Close) {
  size_t I = Pos;
  bool Control = startsBlockLike();
  while (I < Close && L.Tokens[I].Kind != Tok::Semi) {
    bool Brace = L.Tokens[I].Kind == Tok::LBrace;
    I = isOpener(L.Tokens[I].Kind) ? afterGroup(I) : I + 1;
    if (Control && Brace && !isWord(L.Tokens[I], "else"))
      return jump(I);
  }
  jump(std::min(I + 1, Close));
}

void Parser::bindErrors(BlockNode &B, const std::vector<Ident> &Names) {
  for (const Ident &Name : Names) {
    Stmt S;
    S.Form = StmtForm::Let;
    S.Where = S.Name.Where = Name.Where;
    S.Name = Name;
    S.Mutable = true;
    S.Value = errorExpr(Name.Where.Begin);
    B.Stmts.push_back(A.Stmts.push(std::move(S)));
  }
}

void Parser::parseLet(BlockNode &B, std::vector<Attribute> Attributes) {
  Stmt S;
  uint32_t Begin = cur().Begin;
  advance();
  checkPlaces(Attributes, Place::Let);
  S.Form = StmtForm::Let;
  S.Attributes = std::move(Attributes);
  uint32_t PatternBegin = cur().Begin;
  std::vector<Ident> Bound;
  bool Mut = isWord("mut") && peek().Kind == Tok::Ident;
  const Token &After = peek(Mut ? 2 : 1);
  bool Plain = (Mut || is(Tok::Ident) || is(Tok::RawIdent)) &&
               After.Kind != Tok::LParen && After.Kind != Tok::LBrace &&
               After.Kind != Tok::PathSep && After.Kind != Tok::At &&
               !isWord("ref") && !isWord("box");
  if (Plain) {
    S.Mutable = acceptWord("mut");
    S.Wildcard = isWord("_");
    if (S.Wildcard)
      advance();
    else
      S.Name = parseName("a variable's name");
  } else {
    std::string_view Kind;
    Bound = skipPattern(Kind);
    bool Else = false; // `let … else` is reported as what it is
    for (size_t I = Pos;
         L.Tokens[I].Kind != Tok::Semi && !isCloser(L.Tokens[I].Kind) &&
         L.Tokens[I].Kind != Tok::End;
         I = isOpener(L.Tokens[I].Kind) ? afterGroup(I) : I + 1)
      Else |=
          isWord(L.Tokens[I], "else") && L.Tokens[I - 1].Kind != Tok::RBrace;
    if (!Panicking && !Else)
      reportPattern(from(PatternBegin), Kind);
  }
  parseLetRest(S, !Plain);
  S.Where = from(Begin);
  if (!Plain)
    return bindErrors(B, Bound);
  if (!S.Name.Text.empty() || S.Wildcard)
    B.Stmts.push_back(A.Stmts.push(std::move(S)));
}

/// `: T = value;` behind the name. `Quiet`: the pattern was refused, and what
/// it takes apart is part of the same mistake.
void Parser::parseLetRest(Stmt &S, bool Quiet) {
  if (Panicking) {
    S.Value = errorExpr(cur().Begin);
    return;
  }
  {
    Mute Silence(*this, Quiet);
    if (accept(Tok::Colon))
      S.Type = parseType();
    bool BadType = S.Type && A.Types[S.Type].Form == TypeForm::Error;
    Mute Consequence(*this, BadType);
    if (!Panicking && accept(Tok::Eq))
      S.Value = parseExpr();
    if (BadType)
      S.Value = errorExpr(PrevEnd);
  }
  if (isWord("else")) {
    Span Else = here();
    advance();
    if (is(Tok::LBrace))
      jump(afterGroup(Pos));
    report(diag::G0417, Else)
            .help("test the condition with `if` and `return` first")
        << "`let … else` is not part of the language";
    S.Value = errorExpr(Else.Begin);
  }
  if (Panicking) {
    S.Value = errorExpr(cur().Begin);
    return;
  }
  expectSemicolon(S.Value);
  if (Panicking)
    S.Value = errorExpr(PrevEnd);
}

namespace {
/// What people of other languages write between or before names.
std::string_view foreignHelp(std::string_view Before, std::string_view Here) {
  static const NameSet Declarations = {"var",  "auto",   "float", "int",
                                       "uint", "double", "val",   "def"};
  if (Declarations.contains(Before))
    return "variables are declared by `let x = …;` or `let mut x = …;`";
  if (Here == "and" || Here == "or")
    return Here == "and" ? "write `&&`" : "write `||`";
  if (Here == ":")
    return "variables are declared by `let x = …;` or `let mut x = …;`";
  if (Here == "->")
    return "fields are read by `.`, as in `p.x`";
  if (Before == "goto")
    return "loops are left by `break`, functions by `return`";
  return Before == "not" ? "write `!`" : "statements end with `;`";
}
} // namespace

/// At the end of a statement whose expression is `E`.
void Parser::expectSemicolon(ExprId E) {
  if (accept(Tok::Semi))
    return;
  bool Next =
      cur().StartsLine || isCloser(cur().Kind) || startsStatement(cur());
  if (!Next) {
    bool Name = E && A.Exprs[E].Form == ExprForm::Name;
    bool Switch = E && is(Tok::LBrace) && A.Exprs[E].Form == ExprForm::Call &&
                  A.Exprs[E].Name.Segments[0].Text == "switch";
    if (Switch)
      return syntaxError("`;` or an operator",
                         "write `match x { 0 => …, _ => … }`");
    return syntaxError(
        "`;` or an operator",
        foreignHelp(Name ? A.Exprs[E].Name.Segments[0].Text : "", text()));
  }
  Span At{File, PrevEnd, PrevEnd};
  report(diag::G0111, At).fix(At, ";")
      << "missing `;` at the end of this statement";
}

/// Items of Rust inside a function.
bool Parser::parseNestedItem(BlockNode &B) {
  static const NameSet Words = {"struct", "use",    "impl", "trait", "enum",
                                "static", "extern", "type", "mod",   "pub"};
  bool Const = isWord("const") && peek().Kind == Tok::Ident;
  bool Item = looksLikeFunction() || Const ||
              (is(Tok::Ident) && Words.contains(text())) ||
              (isWord("macro_rules") && peek().Kind == Tok::Not);
  if (!Item)
    return false;
  Span Where = here();
  std::string_view Word = text();
  size_t NameAt = Pos + 1;
  while (isRustKeyword(text(L.Tokens[NameAt])))
    ++NameAt;
  Ident Name;
  if (L.Tokens[NameAt].Kind == Tok::Ident && Word != "use" && Word != "impl")
    Name = Ident{text(L.Tokens[NameAt]), span(L.Tokens[NameAt])};
  skipItem(Pos);
  report(diag::G0420, Name.Where.isValid() ? Where.to(Name.Where) : Where)
          .help("move it to the top of the file")
      << "`" << Word << "` inside a function is not part of the language";
  if (Const || Word == "static")
    bindErrors(B, {Name});
  else if (Name.Where.isValid()) {
    ast::Item Known;
    Known.Name = Name;
    Known.Where = Where;
    A.Items.push_back(std::move(Known));
  }
  return true;
}

void Parser::parseExprStatement(BlockNode &B, size_t Close,
                                const std::vector<Attribute> &Attributes) {
  uint32_t Begin = cur().Begin;
  bool BlockLike = startsBlockLike();
  ExprId E = BlockLike ? parseBlockLike() : parseExpr();
  if (BlockLike && !Panicking && (is(Tok::Dot) || is(Tok::Question))) {
    E = parseExprFrom(parsePostfixFrom(E));
    BlockLike = false;
  }
  applyUnroll(E, Attributes);
  if (Panicking)
    return;
  BlockLike |= A.Exprs[E].Form == ExprForm::Error &&
               L.Tokens[Pos - 1].Kind == Tok::RBrace;
  finishExprStatement(B, E, Begin, Close, BlockLike);
}

void Parser::finishExprStatement(BlockNode &B, ExprId E, uint32_t Begin,
                                 size_t Close, bool BlockLike) {
  Stmt S;
  S.Form = StmtForm::Expr;
  S.Value = E;
  S.Semicolon = accept(Tok::Semi);
  const Expr &Node = A.Exprs[E];
  bool NoValue =
      Node.Form == ExprForm::While || Node.Form == ExprForm::For ||
      (Node.Form == ExprForm::If && !Node.Else && Node.Kids.size() == 1);
  if (!S.Semicolon && Pos >= Close && !NoValue) {
    B.Tail = E;
    return;
  }
  bool Refused = Node.Form == ExprForm::Error && cur().StartsLine;
  if (!S.Semicolon && !BlockLike && !Refused && Pos < Close)
    expectSemicolon(E);
  if (Panicking)
    return;
  S.Where = from(Begin);
  B.Stmts.push_back(A.Stmts.push(std::move(S)));
}

void Parser::applyUnroll(ExprId E, const std::vector<Attribute> &Attributes) {
  bool For = A.Exprs[E].Form == ExprForm::For;
  std::vector<Attribute> Copy = Attributes;
  if (A.Exprs[E].Form != ExprForm::Error)
    checkPlaces(Copy, For ? Place::For : Place::Other);
  for (const Attribute &At : Attributes) {
    if (!For || At.Name.Segments[0].Text != "unroll")
      continue;
    Expr &Node = A.Exprs[E];
    Node.Unroll = At.Args.empty() ? UnrollKind::Full : UnrollKind::Factor;
    if (At.Args.empty())
      continue;
    if (At.Args.size() == 1 && At.Args[0].Value && At.Args[0].Key.Text.empty())
      Node.UnrollFactor = At.Args[0].Value;
    else if (At.Args.size() == 1 && !At.Args[0].Value) {
      ExprId Factor = newExpr(ExprForm::Name, At.Args[0].Key.Where.Begin);
      Expr &F = A.Exprs[Factor]; // a constant's name
      F.Name.Segments.push_back(At.Args[0].Key);
      F.Where = F.Name.Where = At.Args[0].Where;
      A.Exprs[E].UnrollFactor = Factor;
    } else {
      report(diag::G0115, At.Where).help("write `#[unroll]` or `#[unroll(4)]`")
          << "`unroll` takes one factor";
      Node.Unroll = UnrollKind::None;
    }
  }
}
