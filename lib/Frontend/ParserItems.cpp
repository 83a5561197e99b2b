//===- ParserItems.cpp - use, const, struct, fn, mod ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file may serve a Rust host too, so what only the host needs is skipped
// with the warning `host-item`. Whether a function is such an item shows in
// its signature alone: it is read with reports held back, and they are
// delivered only if the function is for kernels after all.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::parse;

namespace {
bool hasAttribute(const Item &I, std::string_view First,
                  std::string_view Second = "") {
  for (const Attribute &At : I.Attributes) {
    const std::vector<Ident> &S = At.Name.Segments;
    if (S[0].Text == First &&
        (Second.empty() || (S.size() == 2 && S[1].Text == Second)))
      return true;
  }
  return false;
}

std::string_view trimmed(std::string_view S) {
  while (!S.empty() && (S.front() == ' ' || S.front() == '\t'))
    S.remove_prefix(1);
  while (!S.empty() &&
         (S.back() == ' ' || S.back() == '\t' || S.back() == '\r'))
    S.remove_suffix(1);
  return S;
}
} // namespace

Parser::Parser(const SourceManager &SM, FileId File, DiagSink &Diags, Ast Tree,
               uint32_t Module)
    : File(File), Source(SM.file(File).Text), Diags(&Diags),
      Nowhere(WarningOptions(), 0), A(std::move(Tree)), Module(Module) {
  // What other files hold is never part of an expression of this one.
  Heights.resize(A.Exprs.size());
  BlockHeights.resize(A.Blocks.size());
  TypeHeights.resize(A.Types.size());
}

Ast Parser::run() {
  size_t Bad = 0;
  if (!isValidUtf8(Source, Bad)) {
    uint32_t At = static_cast<uint32_t>(Bad);
    bool Utf16 =
        Source.substr(0, 2) == "\xFF\xFE" || Source.substr(0, 2) == "\xFE\xFF";
    report(diag::G0101, Span{File, At, At + 1})
            .help(Utf16 ? "this looks like UTF-16: save the file as UTF-8"
                        : "kernel files are UTF-8 text")
        << "the file is not UTF-8: byte "
        << static_cast<unsigned>(static_cast<unsigned char>(Source[Bad]))
        << " at offset " << Bad;
    A.Incomplete = true;
    return std::move(A);
  }
  L = lex(Source);
  matchBrackets();
  prescan();
  settle();
  while (!atEnd() && !Diags->atLimit())
    parseItem();
  A.Incomplete |= !atEnd();
  return std::move(A);
}

Ident Parser::parseName(std::string_view What) {
  Ident Name{text(), here()};
  if (is(Tok::RawIdent)) {
    report(diag::G0116, here()).help("choose a name that is no keyword")
        << "raw identifier `" << text() << "` is not accepted";
    Name.Text.remove_prefix(2);
  } else if (!is(Tok::Ident) || (cur().StartsLine && isRustKeyword(text()))) {
    syntaxError(What, "");
    return Ident{std::string_view(), here()};
  } else if (isRustKeyword(text())) {
    report(diag::G0119, here()).help("choose another name")
        << "keyword `" << text() << "` cannot be " << What;
  }
  advance();
  return Name;
}

/// Doc comments between the item's first token and the current one.
void Parser::takeDocs(Item &I, size_t Start) {
  auto First = std::lower_bound(
      L.Docs.begin(), L.Docs.end(), Start,
      [](const DocComment &D, size_t T) { return D.Token < T; });
  for (; First != L.Docs.end() && First->Token <= Pos; ++First) {
    std::string_view Rest = First->Text;
    while (!Rest.empty()) {
      size_t End = std::min(Rest.find('\n'), Rest.size());
      std::string_view Line = trimmed(Rest.substr(0, End));
      Rest.remove_prefix(std::min(End + 1, Rest.size()));
      I.Doc += (I.Doc.empty() ? "" : "\n") + std::string(Line);
    }
  }
}

void Parser::parseItem() {
  size_t Start = Pos;
  if (is(Tok::Pound) && peek().Kind == Tok::Not &&
      peek(2).Kind == Tok::LBracket)
    return parseInnerAttribute(&A.InnerAttributes);
  Item I;
  uint32_t Begin = cur().Begin;
  bool SkipLoud = false;
  unsigned Before = Diags->errorCount();
  bool Present = parseAttributes(I.Attributes, SkipLoud);
  if (atEnd() && Diags->errorCount() != Before)
    return; // what stands here was told
  if (atEnd()) {
    report(diag::G0123, from(Begin))
            .help("remove it, or write its item behind it")
        << "this attribute stands before nothing";
    return;
  }
  takeDocs(I, Start);
  if (!Present) {
    Begin = cur().Begin;
    skipItem(Pos);
    if (SkipLoud)
      report(diag::G0440, from(Begin))
          << "item under a `cfg` that kernels do not set is skipped";
    return;
  }
  parseItemBody(I);
  if (Panicking) {
    resyncItem(Start);
    I.Form = ItemForm::Error;
  }
  I.Where = from(Begin);
  I.Module = Module;
  A.Items.push_back(std::move(I));
}

/// `fn` behind any of its qualifiers.
bool Parser::looksLikeFunction() const {
  size_t I = Pos;
  for (; L.Tokens[I].Kind == Tok::Ident || L.Tokens[I].Kind == Tok::Str; ++I) {
    if (isWord(L.Tokens[I], "fn"))
      return true;
    static const NameSet Qualifiers = {"const", "async", "unsafe", "extern"};
    if (L.Tokens[I].Kind == Tok::Ident &&
        !Qualifiers.contains(text(L.Tokens[I])))
      return false;
  }
  return false;
}

void Parser::parseItemBody(Item &I) {
  bool Public = acceptWord("pub");
  if (Public && is(Tok::LParen))
    jump(afterGroup(Pos));
  if (is(Tok::Semi)) {
    Span First = here();
    while (accept(Tok::Semi)) {
    }
    report(diag::G0110, First).help("remove the `;`")
        << "expected an item, found `;`";
    return;
  }
  if (looksLikeFunction())
    parseFunction(I);
  else if (isWord("use"))
    parseUse(I, Public);
  else if (isWord("const"))
    parseConst(I);
  else if (isWord("struct"))
    parseStruct(I);
  else if (isWord("mod"))
    parseMod(I);
  else if (!parseItemKeyword(I))
    syntaxError("an item", "a kernel file holds `use`, `const`, `struct`, `fn` "
                           "and `mod name;`");
}

/// Items of Rust that are skipped or refused.
bool Parser::parseItemKeyword(Item &I) {
  bool UnsafeImpl = isWord("unsafe") && isWord(peek(), "impl");
  if (isWord("impl") || UnsafeImpl) {
    uint32_t Begin = cur().Begin;
    skipItem(Pos);
    I.Form = ItemForm::HostOnly;
    I.HostWhat = "impl";
    report(diag::G0440, Span{File, Begin, Begin + 4})
        << "`impl` block is skipped: only the host can use it";
    return true;
  }
  for (std::string_view Word : {"trait", "enum", "static", "extern", "type",
                                "union", "unsafe", "auto", "macro"})
    if (isWord(Word) && !(Word == "union" && peek().Kind != Tok::Ident)) {
      refuseItem(I, Word);
      return true;
    }
  bool Macro = is(Tok::Ident) && peek().Kind == Tok::Not;
  if (!Macro)
    return false;
  uint32_t Begin = cur().Begin;
  std::string_view Name = text();
  skipItem(Pos);
  report(diag::G0402, Span{File, Begin, L.Tokens[Pos - 1].End})
          .help("put host macros under `#[cfg(not(goldy))]`")
      << "macro `" << Name << "!` is not part of the language";
  return true;
}

void Parser::refuseItem(Item &I, std::string_view Word) {
  uint32_t Begin = cur().Begin;
  Span Keyword = here();
  if (peek().Kind == Tok::Ident)
    I.Name = Ident{text(peek()), span(peek())};
  skipItem(Pos);
  diag::Code Code = Word == "trait" ? diag::G0411 : diag::G0419;
  std::string Help = Word == "static" ? "write `const`"
                     : Word == "enum"
                         ? "use `u32` constants and `match` on them"
                     : Word == "type"  ? "write the type itself"
                     : Word == "trait" ? "write one helper for each type"
                                       : std::string("a kernel needs none");
  report(Code, I.Name.Where.isValid() ? Keyword.to(I.Name.Where)
                                      : Span{File, Begin, Keyword.End})
          .help(Help + "; what only the host needs goes under "
                       "`#[cfg(not(goldy))]`")
      << "`" << Word << "` items are not part of the language";
}

/// Goes behind the item at `Start` whatever it is: to its `;` or behind the
/// `{…}` that ends it.
void Parser::skipItem(size_t Start) {
  size_t I = Start;
  bool Equals = false;
  while (L.Tokens[I].Kind != Tok::End) {
    Tok K = L.Tokens[I].Kind;
    if (isCloser(K))
      break;
    Equals |= K == Tok::Eq;
    I = isOpener(K) ? afterGroup(I) : I + 1;
    bool MacroBody = K == Tok::LParen && I >= 2 && Start + 2 < I &&
                     L.Tokens[Start + 1].Kind == Tok::Not &&
                     L.Tokens[I].Kind != Tok::Semi;
    if (K == Tok::Semi || (K == Tok::LBrace && !Equals) || MacroBody)
      break;
  }
  jump(I);
}

void Parser::hostItem(Item &I, std::string_view What, std::string Why) {
  I.Form = ItemForm::HostOnly;
  I.HostWhat = What;
  report(diag::G0440, I.Name.Where)
          .help("put it under `#[cfg(not(goldy))]` to skip it silently")
      << What << " `" << I.Name.Text << "` is skipped: " << Why;
}

void Parser::parseUse(Item &I, bool Public) {
  Span Keyword = here();
  size_t Start = Pos;
  advance();
  I.Form = ItemForm::Use;
  size_t End = Pos;
  while (L.Tokens[End].Kind != Tok::Semi && L.Tokens[End].Kind != Tok::End)
    End = isOpener(L.Tokens[End].Kind) ? afterGroup(End) : End + 1;
  bool Gpu = End == Pos + 3 && isWord("goldy") && peek().Kind == Tok::PathSep &&
             isWord(peek(2), "gpu");
  if (!Public && Gpu) {
    parsePathSegments(I.UsePath, false);
    expect(Tok::Semi, "");
    return;
  }
  if (L.Tokens[End].Kind == Tok::End) {
    jump(End);
    return syntaxError("`;`", "an import is `use goldy::gpu;`");
  }
  bool OfGpu = isWord("goldy") || isWord("gpu");
  skipItem(Start);
  I.Form = ItemForm::HostOnly;
  I.HostWhat = "use";
  report(diag::G0440, Keyword.to(span(L.Tokens[Pos - 1])))
          .help(OfGpu ? "kernels import with `use goldy::gpu;` and write "
                        "`gpu::name`"
                      : "put it under `#[cfg(not(goldy))]` to skip it silently")
      << (Public ? "`pub use`" : "`use` of another path")
      << " is skipped: only the host can use it";
}

void Parser::parseMod(Item &I) {
  Span Keyword = here();
  advance();
  I.Form = ItemForm::Mod;
  I.Name = parseName("a module name");
  if (!is(Tok::LBrace)) {
    expect(Tok::Semi, "a module is `mod name;` and stands in `name.goldy`");
    return;
  }
  jump(afterGroup(Pos));
  I.Form = ItemForm::Error;
  report(diag::G0419, Keyword.to(I.Name.Where))
          .help("write `mod " + std::string(I.Name.Text) +
                ";` and put its items into `" + std::string(I.Name.Text) +
                ".goldy`")
      << "modules with a body are not part of the language";
}

void Parser::parseConst(Item &I) {
  advance();
  I.Form = ItemForm::Const;
  checkPlaces(I.Attributes, Place::Const);
  I.Name = parseName("a constant's name");
  if (I.Name.Text == "_")
    report(diag::G0119, I.Name.Where).help("name it, or leave it out")
        << "a constant needs a name";
  if (Panicking)
    return;
  if (accept(Tok::Colon))
    I.Type = parseType();
  else
    report(diag::G0121, I.Name.Where)
            .help("write `const " + std::string(I.Name.Text) + ": u32 = …;`")
        << "constant `" << I.Name.Text << "` has no type";
  if (!I.Type)
    I.Type = errorType(I.Name.Where);
  if (Panicking || !expect(Tok::Eq, "a constant has a value: `= 4;`"))
    return;
  {
    Mute Consequence(*this, A.Types[I.Type].Form == TypeForm::Error);
    size_t FirstRange = Ranges.size();
    I.Value = parseExpr();
    flushRanges(FirstRange);
  }
  if (!Panicking)
    expect(Tok::Semi, "");
}

void Parser::refuseGenerics(std::string_view What) {
  Span Where = here();
  unsigned Level = 0;
  do {
    Level += is(Tok::Lt) + 2 * is(Tok::Shl);
    Level -= std::min<unsigned>(Level, is(Tok::Gt) + 2 * is(Tok::Shr));
    if (isOpener(cur().Kind))
      jump(afterGroup(Pos));
    else
      advance();
  } while (Level > 0 && !atEnd() && !is(Tok::LBrace) && !is(Tok::Semi));
  report(diag::G0410, Where.to(Span{File, PrevEnd, PrevEnd}))
          .help("write one " + std::string(What) + " for each type")
      << "generic " << What << "s are not part of the language";
}

void Parser::parseStruct(Item &I) {
  checkPlaces(I.Attributes, Place::Struct);
  size_t Start = Pos;
  advance();
  I.Form = ItemForm::Struct;
  I.Name = parseName("a struct's name");
  if (Panicking)
    return;
  if (!hasAttribute(I, "goldy", "gpu")) {
    skipItem(Start);
    return hostItem(I, "struct", "it is not marked `#[goldy::gpu]`");
  }
  if (is(Tok::Lt)) {
    refuseGenerics("struct");
    I.Form = ItemForm::Error;
    skipItem(Pos);
    return;
  }
  if (is(Tok::LParen)) {
    skipItem(Pos);
    I.Form = ItemForm::Error;
    report(diag::G0405, I.Name.Where)
            .help("name the fields: `struct " + std::string(I.Name.Text) +
                  " { a: f32 }`")
        << "tuple structs are not part of the language";
    return;
  }
  if (!is(Tok::LBrace))
    return syntaxError("`{`", "a struct lists its fields in braces");
  parseFields(I);
}

void Parser::parseFields(Item &I) {
  size_t Close = partner(Pos);
  advance();
  while (Pos < Close) {
    FieldNode F;
    uint32_t Begin = cur().Begin;
    std::vector<Attribute> Attributes;
    bool Loud = false;
    bool Present = parseAttributes(Attributes, Loud);
    checkPlaces(Attributes, Place::Field);
    if (acceptWord("pub") && is(Tok::LParen))
      jump(afterGroup(Pos));
    F.Name = parseName("a field's name");
    if (!Panicking && accept(Tok::Colon))
      F.Type = parseType();
    else if (!Panicking)
      report(diag::G0121, F.Name.Where)
              .help("write `" + std::string(F.Name.Text) + ": f32`")
          << "field `" << F.Name.Text << "` has no type";
    F.Where = from(Begin);
    if (!Panicking && Pos < Close)
      expect(Tok::Comma, "fields are separated by `,`");
    if (!F.Type)
      F.Type = errorType(F.Where);
    if (Present && !F.Name.Text.empty())
      I.Fields.push_back(F);
    if (Panicking)
      resyncList(Close);
  }
  jump(Close + 1);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void Parser::parseQualifiers() {
  while (!isWord("fn")) {
    Span Where = here();
    std::string_view Word = text();
    advance();
    if (Word == "extern" && is(Tok::Str))
      advance();
    diag::Code Code = Word == "async"    ? diag::G0412
                      : Word == "unsafe" ? diag::G0413
                                         : diag::G0422;
    report(Code, Where).help("leave `" + std::string(Word) + "` out")
        << "`" << Word << " fn` is not part of the language";
  }
  advance();
}

bool Parser::parseSelfParam() {
  size_t I = 0;
  while (peek(I).Kind == Tok::And || peek(I).Kind == Tok::Label ||
         isWord(peek(I), "mut"))
    ++I;
  if (!isWord(peek(I), "self"))
    return false;
  Span Where = span(peek(I));
  jump(Pos + I + 1);
  if (accept(Tok::Colon))
    parseType();
  report(diag::G0427, Where).help("pass the value as a named parameter")
      << "`self` is not part of the language: there are no methods";
  return true;
}

void Parser::parseParam(Item &I) {
  ParamNode P;
  uint32_t Begin = cur().Begin;
  bool Loud = false;
  bool Present = parseAttributes(P.Attributes, Loud);
  checkPlaces(P.Attributes, Place::Param);
  if (parseSelfParam())
    return;
  bool Plain = is(Tok::RawIdent) ||
               (is(Tok::Ident) &&
                (peek().Kind == Tok::Colon || peek().Kind == Tok::Comma ||
                 peek().Kind == Tok::RParen));
  std::vector<Ident> Bound;
  if (isWord("mut") && peek().Kind == Tok::Ident) {
    P.Mutable = true;
    advance();
    P.Name = parseName("a parameter's name");
  } else if (Plain) {
    P.Name = parseName("a parameter's name");
  } else {
    std::string_view Kind;
    Bound = skipPattern(Kind);
    if (!Panicking)
      reportPattern(from(Begin), Kind);
  }
  if (Panicking)
    return;
  bool NoName = P.Name.Text.empty();
  if (accept(Tok::Colon)) {
    Mute Quiet(*this, NoName);
    P.Type = parseType();
  } else {
    if (!NoName)
      report(diag::G0121, P.Name.Where)
              .help("write `" + std::string(P.Name.Text) + ": u32`")
          << "parameter `" << P.Name.Text << "` has no type";
  }
  P.Where = from(Begin);
  if (NoName || !P.Type)
    P.Type = errorType(P.Where);
  if (!Present)
    return;
  if (!NoName)
    I.Params.push_back(P);
  for (const Ident &Name : Bound) {
    P.Name = Name;
    I.Params.push_back(P);
  }
}

void Parser::parseParams(Item &I) {
  size_t Close = partner(Pos);
  advance();
  while (Pos < Close) {
    parseParam(I);
    if (!Panicking && Pos < Close)
      expect(Tok::Comma, "parameters are separated by `,`");
    if (Panicking)
      resyncList(Close);
  }
  jump(Close + 1);
}

void Parser::skipWhere() {
  if (!isWord("where"))
    return;
  report(diag::G0410, here()).help("remove the clause")
      << "`where` clauses are not part of the language";
  while (!is(Tok::LBrace) && !is(Tok::Semi) && !atEnd())
    jump(isOpener(cur().Kind) ? afterGroup(Pos) : Pos + 1);
}

/// Everything before the body. `Refused`: generic, so that its types mean
/// nothing and the body is not looked at.
void Parser::parseSignature(Item &I, bool &Refused) {
  parseQualifiers();
  I.Name = parseName("a function's name");
  if (Panicking)
    return;
  if (is(Tok::Lt)) {
    Refused = peek().Kind != Tok::Label;
    refuseGenerics("function");
    LifetimesReported = true;
  }
  Mute Quiet(*this, Refused);
  if (!is(Tok::LParen)) {
    report(diag::G0125, here()).help("write `fn name(x: f32) -> f32 { … }`")
        << "expected the parameters of `" << I.Name.Text << "`, found "
        << found();
    return panic();
  }
  parseParams(I);
  if (accept(Tok::Arrow))
    I.ReturnType = parseType();
  if (!Panicking)
    skipWhere();
}

void Parser::parseFunction(Item &I) {
  checkPlaces(I.Attributes, Place::Function);
  I.Form = ItemForm::Function;
  bool Refused = false;
  LifetimesReported = false;
  std::vector<Ident> Types;
  DiagSink *Real = Diags;
  DiagSink Held(WarningOptions(), 0);
  if (!hasAttribute(I, "goldy")) {
    HostTypes = &Types;
    Diags = &Held;
  }
  parseSignature(I, Refused);
  HostTypes = nullptr;
  Diags = Real;
  if (!Panicking && !Refused && !Types.empty()) {
    skipItem(Pos);
    return hostItem(I, "function",
                    "its signature has the host's type `" +
                        std::string(Types[0].Text) + "`");
  }
  for (const Diagnostic &D : Held.diagnostics())
    Diags->deliver(D);
  if (Panicking)
    return;
  if (!is(Tok::LBrace)) {
    report(diag::G0125, I.Name.Where)
        << "function `" << I.Name.Text << "` has no body";
    if (!accept(Tok::Semi))
      panic();
    I.Form = ItemForm::Error;
    return;
  }
  if (Refused) {
    I.Form = ItemForm::Error;
    return jump(afterGroup(Pos));
  }
  I.Body = parseBlock();
}
