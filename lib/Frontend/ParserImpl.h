//===- ParserImpl.h - The parser's state and productions ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over a token list whose brackets were matched before
// (ParserTokens.cpp), so recovery can always skip whole groups and never loses
// track of the block it is in. Three rules keep messages few and true:
//
//   * After a syntax error the parser is `Panicking`: it reports nothing until
//     the statement or item loop has found the next start (resync).
//   * A refused construct is one error; what it consists of is parsed muted.
//   * Recursion is bounded by MaxNesting, and so is the height of every tree,
//     which is what later stages recurse over.
//
// Files: ParserTokens (brackets, recovery), ParserItems, ParserAttributes,
// ParserTypes, ParserStatements (blocks, control), ParserExpressions,
// ParserRefused (closures, macros, patterns and the tables of names).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_PARSERIMPL_H
#define GOLDYC_FRONTEND_PARSERIMPL_H

#include "goldyc/Frontend/Lexer.h"
#include "goldyc/Frontend/Parser.h"

#include <algorithm>
#include <set>

namespace goldy::parse {

using namespace goldy::ast;

using NameSet = std::set<std::string_view>;

/// Levels of binary operators that other rules refer to (the whole table is in
/// ParserExpressions.cpp): type arguments hold operators above shifts only.
inline constexpr unsigned ComparePrecedence = 3, SumPrecedence = 8,
                          CastPrecedence = 10;

/// A name of Rust that kernels do not have, and what to use.
struct RefusedName {
  diag::Code Code;
  std::string_view Help;
};
/// Types: usize, f64, Vec, Option … null if the name is not refused.
const RefusedName *refusedType(std::string_view Name);
/// Value paths: std::…, Some, None, Vec::new …
const RefusedName *refusedValue(std::string_view FirstSegment);
/// Scalars, storage types and the types of `gpu::`.
bool isLanguageType(std::string_view Name);
const std::vector<std::string> &languageTypes();

class Parser {
public:
  /// Adds the file to a tree, as its module `Module`.
  Parser(const SourceManager &SM, FileId File, DiagSink &Diags, Ast Tree,
         uint32_t Module);
  Ast run();

private:
  // --- Tokens (ParserTokens.cpp) -----------------------------------------
  const Token &cur() const { return L.Tokens[Pos]; }
  const Token &peek(size_t N = 1) const {
    size_t I = Pos + N;
    return L.Tokens[I < L.Tokens.size() ? I : L.Tokens.size() - 1];
  }
  std::string_view text(const Token &T) const {
    return Source.substr(T.Begin, T.End - T.Begin);
  }
  std::string_view text() const { return text(cur()); }
  bool is(Tok K) const { return cur().Kind == K; }
  bool isWord(std::string_view W) const { return isWord(cur(), W); }
  bool isWord(const Token &T, std::string_view W) const {
    return T.Kind == Tok::Ident && text(T) == W;
  }
  bool atEnd() const { return is(Tok::End); }
  Span span(const Token &T) const { return Span{File, T.Begin, T.End}; }
  Span here() const { return span(cur()); }
  /// From a token's begin to the end of the last token taken.
  Span from(uint32_t Begin) const {
    return Span{File, Begin, PrevEnd > Begin ? PrevEnd : Begin};
  }
  void advance();
  void jump(size_t Index);
  void settle();
  bool accept(Tok K);
  bool acceptWord(std::string_view W);
  bool expect(Tok K, std::string_view Context);
  /// Cuts `>>`, `>=`, `&&`, `||` in two and takes the first half.
  void takeHalf(Tok Rest);
  size_t partner(size_t Index) const { return Partner[Index]; }
  size_t afterGroup(size_t Index) const { return Partner[Index] + 1; }
  bool isOpener(Tok K) const {
    return K == Tok::LParen || K == Tok::LBracket || K == Tok::LBrace;
  }
  bool isCloser(Tok K) const {
    return K == Tok::RParen || K == Tok::RBracket || K == Tok::RBrace;
  }
  void matchBrackets();
  void reportUnclosed(size_t Opener);
  size_t suspiciousOpener() const;
  uint32_t indentation(uint32_t Offset) const;
  void truncate(size_t ItemStart);
  void prescan();
  std::string found() const;

  // --- Reporting and recovery --------------------------------------------
  DiagBuilder report(diag::Code C, Span Where);
  /// Reports "expected …, found …" at the current token and panics.
  void syntaxError(std::string_view Expected, std::string_view Context);
  void panic();
  void tooDeep(Span Where);
  void resync(size_t Start, size_t Close);
  void resyncList(size_t Close);
  void resyncItem(size_t Start);
  bool startsStatement(const Token &T) const;
  bool startsItem(const Token &T) const;

  /// Silences reports while it lives.
  struct Mute {
    Parser &P;
    bool On;
    explicit Mute(Parser &P, bool On = true) : P(P), On(On) { P.Muted += On; }
    ~Mute() { P.Muted -= On; }
  };
  /// Counts a level of nesting.
  struct Nest {
    Parser &P;
    explicit Nest(Parser &P) : P(P) { ++P.Depth; }
    ~Nest() { --P.Depth; }
    bool tooDeep() const { return P.Depth > MaxNesting; }
  };
  /// Sets the struct-literal restriction for a scope.
  struct Heads {
    Parser &P;
    bool Saved;
    Heads(Parser &P, bool NoStruct) : P(P), Saved(P.NoStruct) {
      P.NoStruct = NoStruct;
    }
    ~Heads() { P.NoStruct = Saved; }
  };

  // --- Items (ParserItems.cpp) ------------------------------------------
  void parseItem();
  void parseItemBody(Item &I);
  void takeDocs(Item &I, size_t Start);
  bool parseItemKeyword(Item &I);
  void parseUse(Item &I, bool Public);
  void parseMod(Item &I);
  void parseConst(Item &I);
  void parseStruct(Item &I);
  void parseFields(Item &I);
  void parseFunction(Item &I);
  void parseSignature(Item &I, bool &Refused);
  void parseQualifiers();
  void parseParams(Item &I);
  void parseParam(Item &I);
  bool parseSelfParam();
  void refuseGenerics(std::string_view What);
  void skipWhere();
  void skipItem(size_t Start);
  void hostItem(Item &I, std::string_view What, std::string Why);
  void refuseItem(Item &I, std::string_view Keyword);
  bool looksLikeFunction() const;
  Ident parseName(std::string_view What);

  // --- Attributes (ParserAttributes.cpp) ---------------------------------
  enum class Place : uint8_t {
    Item,
    Const,
    Struct,
    Function,
    Param,
    Field,
    Let,
    For,
    Other
  };
  /// False if a `cfg` says that the thing is not there; `SkipLoud` then says
  /// whether a warning is due.
  bool parseAttributes(std::vector<Attribute> &Out, bool &SkipLoud);
  void parseInnerAttribute(std::vector<Attribute> *Out);
  bool parseAttribute(std::vector<Attribute> &Out, bool &Present,
                      bool &SkipLoud, bool Inner);
  void parseAttributeArgs(Attribute &A);
  bool evaluateCfg(size_t Open, size_t Close, bool &NamesGoldy);
  bool cfgPredicate(size_t &I, size_t Close, bool &NamesGoldy);
  bool knownAttribute(const Attribute &A);
  void checkPlaces(std::vector<Attribute> &Attributes, Place P);
  size_t afterStrayMarks() const;

  // --- Types (ParserTypes.cpp) -------------------------------------------
  TypeNodeId parseType();
  void parseTypeInner(TypeNode &T);
  TypeNodeId errorType(Span Where);
  TypeNodeId pushType(TypeNode T);
  void parseReferenceType(TypeNode &T);
  void parseBracketType(TypeNode &T);
  void parseParenType(TypeNode &T);
  void parseNamedType(TypeNode &T);
  bool parseRefusedType();
  void noteHostType(const Path &P);
  void skipBounds();
  bool parsePathSegments(Path &P, bool InType);
  void parseGenericArgs(std::vector<TypeNodeId> &Types,
                        std::vector<ExprId> &Exprs);
  size_t lastSegment() const;
  bool startsConstArgument() const;
  bool closeAngle();

  // --- Statements and control (ParserStatements.cpp) ----------------------
  BlockId parseBlock();
  void parseStatement(BlockNode &B, size_t Close);
  void parseLet(BlockNode &B, std::vector<Attribute> Attributes);
  void parseLetRest(Stmt &S, bool Quiet);
  void parseExprStatement(BlockNode &B, size_t Close,
                          const std::vector<Attribute> &Attributes);
  void finishExprStatement(BlockNode &B, ExprId E, uint32_t Begin, size_t Close,
                           bool BlockLike);
  void expectSemicolon(ExprId E);
  void skipStatement(size_t Close);
  bool parseNestedItem(BlockNode &B);
  void bindErrors(BlockNode &B, const std::vector<Ident> &Names);
  void applyUnroll(ExprId E, const std::vector<Attribute> &Attributes);
  bool startsBlockLike() const;
  ExprId parseBlockLike();
  ExprId parseLabelled();
  ExprId parseIf();
  ExprId parseElse();
  ExprId parseCondition();
  ExprId parseLoop();
  ExprId parseWhile();
  ExprId parseFor();
  bool takeForHead(ExprId For, ExprId Head);
  bool takeForMethod(ExprId For, ExprId Head);
  bool refuseIterator(ExprId Head);
  std::vector<Ident> parseForVar(ExprId For, std::string_view &Kind);
  ExprId parseMatch();
  void parseArm(ExprId Match, size_t Close, bool &Refused);
  bool parsePatterns(MatchArm &Arm);
  bool parsePattern(Pattern &P);
  bool refusePattern();
  ExprId parsePatternBound();
  ExprId parseBlockExpr();
  ExprId parseJump();

  // --- Expressions (ParserExpressions.cpp) --------------------------------
  ExprId newExpr(ExprForm Form, uint32_t Begin);
  ExprId errorExpr(uint32_t Begin);
  /// Closes a node: its span ends at the last token, its height is checked.
  ExprId done(ExprId E);
  ExprId parseExpr();
  ExprId parseExprFrom(ExprId Left);
  ExprId parseExprIn(bool NoStructs);
  ExprId parseRangeFrom(ExprId Left);
  ExprId parseBinary(unsigned MinPrecedence);
  ExprId parseBinaryFrom(ExprId Left, unsigned MinPrecedence);
  ExprId parseCast(ExprId Left);
  ExprId parseUnary();
  ExprId parsePrefix(UnaryOp Op);
  ExprId parsePostfixFrom(ExprId E);
  ExprId parseMember(ExprId E);
  bool refuseIteratorMethod(const Ident &Name);
  ExprId parseIndex(ExprId E);
  ExprId parseCall(ExprId E);
  ExprId parsePrimary();
  ExprId parseKeyword();
  ExprId parseNumber();
  ExprId parseParen();
  ExprId parseBracket();
  ExprId parsePathExpr();
  ExprId parseStructLit(ExprId E);
  bool parseStructField(ExprId E);
  void parseArguments(ExprId E);
  bool beginsExpr(const Token &T) const;
  std::string_view expressionHelp() const;
  bool missingTurbofish() const;
  void flushRanges(size_t From);
  uint32_t beginOf(ExprId E) const { return A.Exprs[E].Where.Begin; }
  unsigned heightOf(ExprId E) const { return E ? Heights[E.index()] : 0; }
  unsigned heightOf(BlockId B) const { return B ? BlockHeights[B.index()] : 0; }
  unsigned heightOf(TypeNodeId T) const {
    return T ? TypeHeights[T.index()] : 0;
  }
  template <class Id> unsigned tallest(const std::vector<Id> &Ids) const {
    unsigned H = 0;
    for (Id I : Ids)
      H = std::max(H, heightOf(I));
    return H;
  }
  unsigned heightOf(const Path &P) const {
    return std::max(tallest(P.GenericTypes), tallest(P.GenericExprs));
  }

  // --- Refused constructs (ParserRefused.cpp) ------------------------------
  ExprId refuseClosure();
  ExprId refuseMacro(uint32_t Begin, std::string_view Name);
  ExprId refuseReference();
  ExprId refuseDeref();
  ExprId refuseUnaryPlus();
  ExprId refuseLetCondition();
  ExprId refuseQualifiedPath();
  ExprId refuseAsync();
  ExprId parseUnsafeBlock();
  ExprId refuseTupleRest(ExprId First, size_t Close);
  bool refuseValuePath(const Path &P);
  /// Skips a refused pattern up to `Stop` words or tokens; gives the names it
  /// would have bound.
  std::vector<Ident> skipPattern(std::string_view &Kind);
  void reportPattern(Span Where, std::string_view Kind);

  FileId File;
  std::string_view Source;
  DiagSink *Diags;
  DiagSink Nowhere;
  TokenList L;
  std::vector<uint32_t> Partner;
  size_t Pos = 0;
  size_t NextFault = 0;
  uint32_t PrevEnd = 0;
  bool Panicking = false;
  size_t PanicPos = 0;
  unsigned Muted = 0;
  bool SilentPanic = false; ///< nothing was said about the current panic
  unsigned Depth = 0;
  bool NoStruct = false;
  bool InAttribute = false;
  bool LifetimesReported = false;
  bool SawLet = false; ///< the condition being read holds a refused `let`
  bool InHostCall = false;
  bool InForHead = false; ///< there an iterator is refused as a whole
  Ast A;
  uint32_t Module;
  std::vector<uint16_t> Heights, BlockHeights, TypeHeights;
  std::vector<ExprId> Ranges; ///< Range nodes that nobody has claimed yet
  NameSet ValueLabels;        ///< labels of a refused `break 'a value`
  NameSet ConstNames, GpuStructs, ModNames;
  /// Set while a signature without goldy attribute is read.
  std::vector<Ident> *HostTypes = nullptr;
};

} // namespace goldy::parse

#endif
