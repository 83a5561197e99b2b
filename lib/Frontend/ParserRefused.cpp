//===- ParserRefused.cpp - What Rust has and kernels have not -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each construct is read as far as Rust's grammar takes it, muted, so that it
// gives one error that spans the user's own text, and parsing goes on behind
// it.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

#include <map>
#include <utility>

using namespace goldy;
using namespace goldy::parse;

namespace {

using RefusedTable = std::map<std::string_view, RefusedName>;

constexpr std::string_view IntegerHelp =
    "use `u32` or `i32`; indices and lengths are `u32`";
constexpr std::string_view ArrayHelp =
    "use a private array `[f32; 16]`, `gpu::workgroup_array::<f32, 256>()`, or "
    "a buffer parameter";
constexpr std::string_view MissingHelp =
    "return a plain value; a missing one is a flag or a special number";
constexpr std::string_view PointerHelp =
    "nothing is allocated: pass values, and buffers as `&[T]` or `&mut [T]`";
constexpr std::string_view TextHelp = "kernels handle numbers and bools";
constexpr std::string_view StdHelp =
    "use the functions of `gpu::` and the types of the language";

const RefusedTable &typeTable() {
  static const RefusedTable Table = {
      {"usize", {diag::G0415, IntegerHelp}},
      {"isize", {diag::G0415, IntegerHelp}},
      {"u128", {diag::G0415, "the widest integers are `u64` and `i64`"}},
      {"i128", {diag::G0415, "the widest integers are `u64` and `i64`"}},
      {"f64", {diag::G0415, "use `f32`: devices differ in the rules of `f64`"}},
      {"f128", {diag::G0415, "use `f32`"}},
      {"f16",
       {diag::G0415,
        "`gpu::f16` is an element type of buffers; compute in `f32`"}},
      {"char", {diag::G0415, "use `u32`"}},
      {"str", {diag::G0407, TextHelp}},
      {"String", {diag::G0416, TextHelp}},
      {"Vec", {diag::G0416, ArrayHelp}},
      {"VecDeque", {diag::G0416, ArrayHelp}},
      {"HashMap", {diag::G0416, ArrayHelp}},
      {"HashSet", {diag::G0416, ArrayHelp}},
      {"BTreeMap", {diag::G0416, ArrayHelp}},
      {"BTreeSet", {diag::G0416, ArrayHelp}},
      {"Option", {diag::G0416, MissingHelp}},
      {"Result", {diag::G0416, MissingHelp}},
      {"Box", {diag::G0416, PointerHelp}},
      {"Rc", {diag::G0416, PointerHelp}},
      {"Arc", {diag::G0416, PointerHelp}},
      {"Cow", {diag::G0416, PointerHelp}},
      {"Cell", {diag::G0416, "use `let mut`"}},
      {"RefCell", {diag::G0416, "use `let mut`"}},
      {"Mutex", {diag::G0416, "use `gpu::atomic_add` and its kin"}},
      {"RwLock", {diag::G0416, "use `gpu::atomic_add` and its kin"}},
      {"AtomicU32",
       {diag::G0416, "use `gpu::atomic_add(buf, i, v)` on a `&mut [u32]`"}},
      {"AtomicI32",
       {diag::G0416, "use `gpu::atomic_add(buf, i, v)` on a `&mut [i32]`"}},
      {"Range", {diag::G0409, "pass the two ends"}},
      {"Iterator", {diag::G0426, "loop over indices"}},
      {"std", {diag::G0416, StdHelp}},
  };
  return Table;
}

const RefusedTable &valueTable() {
  static const RefusedTable Table = {
      {"std", {diag::G0416, StdHelp}},
      {"core", {diag::G0416, StdHelp}},
      {"alloc", {diag::G0416, ArrayHelp}},
      {"Some", {diag::G0416, MissingHelp}},
      {"None", {diag::G0416, MissingHelp}},
      {"Ok", {diag::G0416, MissingHelp}},
      {"Err", {diag::G0416, MissingHelp}},
  };
  return Table;
}

const RefusedName *find(const RefusedTable &Table, std::string_view Name) {
  RefusedTable::const_iterator I = Table.find(Name);
  return I == Table.end() ? nullptr : &I->second;
}

std::string_view macroHelp(std::string_view Name) {
  static const std::map<std::string_view, std::string_view> Table = {
      {"vec", "write a private array, as in `[0.0; 16]`"},
      {"println", "print values while debugging with `gpu::debug(x)`"},
      {"print", "print values while debugging with `gpu::debug(x)`"},
      {"eprintln", "print values while debugging with `gpu::debug(x)`"},
      {"dbg", "print values while debugging with `gpu::debug(x)`"},
      {"format", "kernels have no strings"},
      {"assert", "guard with `if`, or state a fact with `gpu::assume(cond)`"},
      {"assert_eq",
       "guard with `if`, or state a fact with `gpu::assume(cond)`"},
      {"debug_assert",
       "guard with `if`, or state a fact with `gpu::assume(cond)`"},
  };
  std::map<std::string_view, std::string_view>::const_iterator I =
      Table.find(Name);
  if (I != Table.end())
    return I->second;
  if (Name == "panic" || Name == "unreachable" || Name == "todo" ||
      Name == "unimplemented")
    return "a kernel cannot panic: leave it with `return`, or write an error "
           "code to a buffer";
  return "write the code itself, or a helper function";
}

} // namespace

const RefusedName *parse::refusedType(std::string_view Name) {
  return find(typeTable(), Name);
}
const RefusedName *parse::refusedValue(std::string_view First) {
  return find(valueTable(), First);
}

const std::vector<std::string> &parse::languageTypes() {
  static const std::vector<std::string> Names = {
      "bool",    "u32",          "i32",    "f32",       "u64",
      "i64",     "u8",           "i8",     "u16",       "i16",
      "bf16",    "Float2",       "Float3", "Float4",    "Int2",
      "Int3",    "Int4",         "UInt2",  "UInt3",     "UInt4",
      "BufRO",   "Scattered",    "Tensor", "TensorMut", "TensorWrite",
      "Uniform", "DirectSpatial"};
  return Names;
}

bool parse::isLanguageType(std::string_view Name) {
  const std::vector<std::string> &Names = languageTypes();
  return std::find(Names.begin(), Names.end(), Name) != Names.end();
}

bool Parser::refuseValuePath(const Path &P) {
  std::string_view First = P.Segments[0].Text;
  if (GpuStructs.contains(First) || ConstNames.contains(First) ||
      ModNames.contains(First))
    return false;
  const RefusedName *R = refusedValue(First);
  bool Type = P.Segments.size() > 1 || is(Tok::LBrace);
  if (!R && Type)
    R = refusedType(First);
  if (!R)
    return false;
  std::string Text;
  for (const Ident &S : P.Segments)
    Text += (Text.empty() ? "" : "::") + std::string(S.Text);
  report(R->Code, P.Where).help(std::string(R->Help))
      << "`" << Text << "` is not part of the language";
  return true;
}

ExprId Parser::refuseClosure() {
  uint32_t Begin = cur().Begin;
  acceptWord("async");
  acceptWord("move");
  if (!accept(Tok::OrOr)) {
    if (!expect(Tok::Or, "`move` stands before a closure"))
      return errorExpr(Begin);
    while (!is(Tok::Or) && !atEnd() && !isCloser(cur().Kind) && !is(Tok::Semi))
      jump(isOpener(cur().Kind) ? afterGroup(Pos) : Pos + 1);
    if (!expect(Tok::Or, "a closure's parameters end with `|`"))
      return errorExpr(Begin);
  }
  {
    Mute Quiet(*this);
    size_t FirstRange = Ranges.size();
    if (accept(Tok::Arrow))
      parseType();
    if (!Panicking)
      parseExpr();
    flushRanges(FirstRange);
  }
  bool Broken = Panicking;
  Panicking = false;
  report(diag::G0401, from(Begin)).help("write a helper `fn` and call it")
      << "closures are not part of the language";
  Panicking = Broken;
  return errorExpr(Begin);
}

/// At the `!` behind a macro's name.
ExprId Parser::refuseMacro(uint32_t Begin, std::string_view Name) {
  advance();
  jump(afterGroup(Pos));
  report(diag::G0402, from(Begin)).help(std::string(macroHelp(Name)))
      << "macro `" << Name << "!` is not part of the language";
  return errorExpr(Begin);
}

ExprId Parser::refuseReference() {
  uint32_t Begin = cur().Begin;
  advance();
  bool Mutable = acceptWord("mut");
  unsigned Before = Diags->errorCount();
  parseUnary();
  if (Diags->errorCount() != Before) // `&x[1..3]`, `&*p`: one mistake
    return errorExpr(Begin);
  report(diag::G0403, from(Begin))
          .help("pass a resource by its name and other values by value")
      << (Mutable ? "`&mut`" : "`&`")
      << " is not part of the language: there are no references to values";
  return errorExpr(Begin);
}

ExprId Parser::refuseDeref() {
  uint32_t Begin = cur().Begin;
  Span Star = here();
  advance();
  unsigned Before = Diags->errorCount();
  parseUnary();
  if (Diags->errorCount() != Before)
    return errorExpr(Begin);
  report(diag::G0404, from(Begin))
          .help("leave the `*` out: a parameter's name is its value")
          .fix(Star, "")
      << "dereference is not part of the language";
  return errorExpr(Begin);
}

ExprId Parser::refuseUnaryPlus() {
  uint32_t Begin = cur().Begin;
  bool Increment = Pos > 0 && L.Tokens[Pos - 1].Kind == Tok::Plus &&
                   L.Tokens[Pos - 1].End == Begin;
  Span Where = Increment ? span(L.Tokens[Pos - 1]).to(here()) : here();
  advance();
  bool Prefix = is(Tok::Plus) && cur().Begin == Begin + 1;
  if (Prefix)
    advance();
  {
    DiagBuilder D = report(diag::G0120, Prefix ? from(Begin) : Where);
    if (Increment || Prefix)
      D.help("write `x += 1`") << "`++` is not part of the language";
    else
      D.help("leave the sign out") << "unary `+` is not part of the language";
  }
  if (beginsExpr(cur()) && !cur().StartsLine)
    parseUnary();
  return errorExpr(Begin);
}

/// `let pattern = value` where a condition stands.
ExprId Parser::refuseLetCondition() {
  uint32_t Begin = cur().Begin;
  advance();
  std::string_view Kind;
  skipPattern(Kind);
  if (!Panicking && accept(Tok::Eq)) {
    Mute Quiet(*this);
    Heads Scope(*this, true);
    parseBinary(ComparePrecedence);
  }
  SawLet = true;
  bool Broken = std::exchange(Panicking, false);
  report(diag::G0418, from(Begin))
          .help("write a plain condition, or `match` on an integer")
      << "`let` in a condition is not part of the language";
  Panicking = Broken;
  return errorExpr(Begin);
}

/// `<T as Trait>::name`.
ExprId Parser::refuseQualifiedPath() {
  uint32_t Begin = cur().Begin;
  unsigned Level = 0;
  do {
    Level += is(Tok::Lt);
    Level -= std::min<unsigned>(Level, is(Tok::Gt) + 2 * is(Tok::Shr));
    jump(isOpener(cur().Kind) ? afterGroup(Pos) : Pos + 1);
  } while (Level > 0 && !atEnd() && !is(Tok::Semi) && !isCloser(cur().Kind));
  while (is(Tok::PathSep) && peek().Kind == Tok::Ident) {
    advance();
    advance();
  }
  report(diag::G0411, from(Begin)).help("call the helper by its name")
      << "`<T as Trait>` paths are not part of the language";
  return errorExpr(Begin);
}

ExprId Parser::refuseAsync() {
  if (peek().Kind == Tok::Or || peek().Kind == Tok::OrOr)
    return refuseClosure();
  uint32_t Begin = cur().Begin;
  Span Where = here();
  advance();
  acceptWord("move");
  if (is(Tok::LBrace))
    jump(afterGroup(Pos));
  report(diag::G0412, Where)
          .help("order dispatches with a "
                "`#[goldy::program]`")
      << "`async` is not part of the language";
  return errorExpr(Begin);
}

/// The block itself is an ordinary one.
ExprId Parser::parseUnsafeBlock() {
  report(diag::G0413, here())
          .help("leave `unsafe` out: all accesses are "
                "defined")
      << "`unsafe` is not part of the language";
  advance();
  return parseBlockExpr();
}

/// `(first, …)`: at the comma.
ExprId Parser::refuseTupleRest(ExprId First, size_t Close) {
  uint32_t Begin = beginOf(First);
  {
    Mute Quiet(*this);
    size_t FirstRange = Ranges.size();
    while (!Panicking && accept(Tok::Comma) && Pos < Close)
      parseExpr();
    flushRanges(FirstRange);
  }
  Panicking = false;
  jump(Close + 1);
  report(diag::G0405, from(Begin))
          .help("use several variables, or a vector such as `gpu::float2`")
      << "tuples are not part of the language";
  return errorExpr(Begin);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Skips a pattern to the token that ends it and says what kind it is.
std::vector<Ident> Parser::skipPattern(std::string_view &Kind) {
  bool Mutable = acceptWord("mut");
  size_t Start = Pos, I = Pos;
  Tok First = cur().Kind;
  Tok Next = peek().Kind;
  bool Literal = First == Tok::Int || First == Tok::Float ||
                 First == Tok::Minus || First == Tok::Str ||
                 First == Tok::Char || isWord("true") || isWord("false");
  Kind = First == Tok::LParen                          ? "tuple"
         : First == Tok::LBracket                      ? "slice"
         : First == Tok::And || First == Tok::AndAnd   ? "reference"
         : isWord("ref") || isWord("box")              ? "reference"
         : Next == Tok::At                             ? "binding"
         : Next == Tok::LBrace                         ? "struct"
         : Next == Tok::LParen || Next == Tok::PathSep ? "enum"
         : Literal                                     ? "literal"
         : Mutable                                     ? "`mut`"
                                                       : "destructuring";
  std::vector<Ident> Names;
  size_t GroupEnd = 0;
  for (;; ++I) {
    const Token &T = L.Tokens[I];
    Tok After = T.Kind == Tok::End ? Tok::End : L.Tokens[I + 1].Kind;
    bool Outside = I >= GroupEnd;
    if (T.Kind == Tok::End || T.Kind == Tok::Semi)
      break;
    if (Outside &&
        (T.Kind == Tok::Eq || T.Kind == Tok::Colon || T.Kind == Tok::Comma ||
         T.Kind == Tok::FatArrow || T.Kind == Tok::Or || isCloser(T.Kind) ||
         isWord(T, "in") || isWord(T, "if")))
      break;
    if (Outside && isOpener(T.Kind))
      GroupEnd = afterGroup(I);
    bool Name = T.Kind == Tok::Ident && !isRustKeyword(text(T)) &&
                text(T) != "_" && After != Tok::LParen &&
                After != Tok::LBrace && After != Tok::PathSep &&
                After != Tok::Colon && text(T)[0] >= 'a';
    if (Name)
      Names.push_back(Ident{text(T), span(T)});
  }
  if (I == Start) {
    syntaxError("a name", "");
    return {};
  }
  jump(I);
  return Names;
}

void Parser::reportPattern(Span Where, std::string_view Kind) {
  std::string_view Help =
      Kind == "literal" ? "write a name here, and compare it with `if`"
      : Kind == "`mut`" ? "copy the name into a `let mut` of the body"
                        : "bind one name, and read its fields or elements in "
                          "further `let`s";
  report(diag::G0406, Where).help(std::string(Help))
      << Kind << " patterns are not part of the language";
}
