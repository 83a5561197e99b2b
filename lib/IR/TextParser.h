//===- TextParser.h - Reads IR text
//----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text is data from anyone. The parser resolves every name itself and
// builds only handles that lead somewhere; what a name may not do where it
// stands (a barrier in a helper, mixed operand types) is the verifier's
// matter. It stops at the first error: the text is made by machines, and a
// wrong line makes the rest meaningless. All functions return false after
// they reported why.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_IR_TEXTPARSER_H
#define GOLDYC_LIB_IR_TEXTPARSER_H

#include "TextLexer.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

#include <map>

namespace goldy {

/// Tokens, diagnostics and what both parts of the parser need.
class TextCursor {
public:
  TextCursor(const SourceManager &SM, FileId File, DiagSink &Diags);
  const TextToken &token() const { return Token; }
  const TextToken &peek() const { return Ahead; }
  void advance();
  bool at(std::string_view S) const { return Token.is(S); }
  bool atWord() const { return Token.Form == TextToken::Kind::Word; }
  /// Consumes the symbol or word if it is next.
  bool accept(std::string_view S);
  bool expect(std::string_view S);
  bool expectWord(std::string &Out, const char *What);
  /// `a::b::c`, joined.
  bool expectPath(std::string &Out, const char *What);
  /// A number without suffix.
  bool expectCount(uint64_t &Out, uint64_t Max, const char *What);
  /// Reports "expected …, found …" at the current token.
  bool expected(std::string_view What);
  DiagBuilder error(diag::Code C, Span Where) {
    return Diags->report(C, Where);
  }
  DiagBuilder error(diag::Code C) { return error(C, Token.Where); }

private:
  TextLexer Lexer;
  TextToken Token, Ahead;
  DiagSink *Diags;
};

/// A literal's number without its sign: digits and the type its suffix names.
struct TextLiteral {
  std::string_view Digits;
  TypeId Type; ///< invalid: no suffix
  bool Hex = false;
};
TextLiteral splitLiteral(std::string_view Text);
/// The bits of a literal with a suffix; false if they do not fit the type.
bool literalBits(const TextLiteral &L, bool Negative, uint64_t &Bits);

/// Module level: attributes, structs, tables, signatures.
class TextModuleParser {
public:
  TextModuleParser(const SourceManager &SM, FileId File, DiagSink &Diags)
      : C(SM, File, Diags) {}
  bool parse();
  bool type(TypeId &Out) { return typeAt(Out, 0); }

  TextCursor C;
  Module M;

private:
  friend class TextBodyParser;
  bool header();
  bool item();
  bool structure();
  bool field(StructType &S);
  bool table();
  bool specConstant();
  bool function(std::string Doc);
  bool computeAttribute(Function &F);
  bool computeArgument(Function &F);
  bool contract(Param &P);
  bool paramAttribute(Param &P);
  bool param(Function &F);
  bool paramType(Param &P);
  bool resourceType(Param &P);
  bool typeAt(TypeId &Out, unsigned Depth);
  bool arrayType(TypeId &Out, unsigned Depth);
  bool gpuType(TypeId &Out);
  bool checkType(TypeId T, Span Where);
  uint64_t leafCount(TypeId T) const;

  std::map<std::string, StructId, std::less<>> Structs;
  std::map<std::string, TableId, std::less<>> Tables;
  std::map<std::string, FuncId, std::less<>> Functions;
  /// Scalars, arrays counted as one, under each struct: bounds the work that
  /// a layout costs.
  std::vector<uint64_t> StructLeaves;
};

/// Parses `{ … }` of `F`, whose signature is complete.
bool parseBody(TextModuleParser &P, Function &F);
/// A literal or `f32::NAN` and the like, as type and bits. Returns false
/// without a report, consuming nothing, when none stands here; `Bad` is set
/// when one does but is wrong (reported).
bool parseLiteral(TextCursor &C, TypeId &T, uint64_t &Bits, bool &Bad);

} // namespace goldy

#endif
