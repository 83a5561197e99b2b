//===- TextParser.cpp - Reads IR text: tokens, types, signatures
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextParser.h"
#include "TextNames.h"
#include "goldyc/IR/Text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

using namespace goldy;

namespace {

constexpr unsigned MaxTypeNesting = 32;
constexpr uint64_t MaxTypeBytes = uint64_t(1) << 32;
constexpr uint64_t MaxStructLeaves = 4096;
constexpr uint32_t MaxTypes = 1u << 14;
constexpr uint32_t MaxSpecs = 1000; ///< the SpecIds of a module's constants

struct ScalarWord {
  std::string_view Name;
  TypeId Type;
};
constexpr ScalarWord ScalarWords[] = {
    {"bool", types::Bool}, {"u32", types::U32}, {"i32", types::I32},
    {"f32", types::F32},   {"u64", types::U64}, {"i64", types::I64},
    {"u8", types::U8},     {"i8", types::I8},   {"u16", types::U16},
    {"i16", types::I16},
};

std::string quoted(std::string_view Text) {
  return "`" + std::string(Text) + "`";
}

std::string describe(const TextToken &T) {
  switch (T.Form) {
  case TextToken::Kind::End:
    return "the end of the text";
  case TextToken::Kind::Doc:
    return "a doc comment";
  default:
    return quoted(T.Text);
  }
}

} // namespace

// --- Cursor

TextCursor::TextCursor(const SourceManager &SM, FileId File, DiagSink &Diags)
    : Lexer(File, SM.file(File).Text), Diags(&Diags) {
  Token = Lexer.next();
  Ahead = Lexer.next();
}

void TextCursor::advance() {
  Token = Ahead;
  Ahead = Lexer.next();
}

bool TextCursor::accept(std::string_view S) {
  if (!Token.is(S))
    return false;
  advance();
  return true;
}

bool TextCursor::expected(std::string_view What) {
  if (Token.Form == TextToken::Kind::Bad)
    return error(diag::G0901)
           << "unknown character " << quoted(Token.Text) << " in IR text";
  return error(diag::G0902)
         << "expected " << What << ", found " << describe(Token);
}

bool TextCursor::expect(std::string_view S) {
  return accept(S) || expected(quoted(S));
}

bool TextCursor::expectWord(std::string &Out, const char *What) {
  if (!atWord() || isReservedWord(Token.Text))
    return expected(What);
  Out = Token.Text;
  advance();
  return true;
}

bool TextCursor::expectPath(std::string &Out, const char *What) {
  if (!expectWord(Out, What))
    return false;
  std::string Part;
  while (at("::") && Ahead.Form == TextToken::Kind::Word) {
    advance();
    if (!expectWord(Part, What))
      return false;
    Out += "::" + Part;
  }
  return true;
}

bool TextCursor::expectCount(uint64_t &Out, uint64_t Max, const char *What) {
  if (Token.Form != TextToken::Kind::Number)
    return expected(What);
  const char *End = Token.Text.data() + Token.Text.size();
  std::from_chars_result R = std::from_chars(Token.Text.data(), End, Out);
  bool Large = R.ec == std::errc::result_out_of_range;
  if (R.ptr != End && !Large)
    return expected(What);
  if (Large || Out > Max)
    return error(diag::G0906)
           << quoted(Token.Text) << " is out of range, the most is " << Max;
  advance();
  return true;
}

// --- Literals

TextLiteral goldy::splitLiteral(std::string_view Text) {
  TextLiteral L;
  L.Hex = Text.starts_with("0x");
  L.Digits = Text.substr(L.Hex ? 2 : 0);
  for (const ScalarWord &S : ScalarWords) {
    bool Suffix = S.Type.index() >= types::U32.index() &&
                  S.Type.index() <= types::I64.index() &&
                  !(L.Hex && S.Type == types::F32);
    if (Suffix && L.Digits.ends_with(S.Name)) {
      L.Digits.remove_suffix(S.Name.size());
      L.Type = S.Type;
      return L;
    }
  }
  return L;
}

static bool floatBits(std::string_view Digits, bool Negative, uint64_t &Bits) {
  float F = 0;
  const char *End = Digits.data() + Digits.size();
  std::from_chars_result R = std::from_chars(Digits.data(), End, F);
  if (Digits.empty() || R.ptr != End || R.ec != std::errc())
    return false;
  Bits = std::bit_cast<uint32_t>(F) ^ (Negative ? 0x80000000u : 0u);
  return true;
}

bool goldy::literalBits(const TextLiteral &L, bool Negative, uint64_t &Bits) {
  if (L.Type == types::F32)
    return floatBits(L.Digits, Negative, Bits);
  const char *End = L.Digits.data() + L.Digits.size();
  std::from_chars_result R =
      std::from_chars(L.Digits.data(), End, Bits, L.Hex ? 16 : 10);
  if (L.Digits.empty() || R.ptr != End || R.ec != std::errc())
    return false;
  bool Wide = L.Type == types::U64 || L.Type == types::I64;
  bool Signed = L.Type == types::I32 || L.Type == types::I64;
  uint64_t Max = Wide ? ~uint64_t(0) : 0xffffffffu;
  if (Signed)
    Max = (Max >> 1) + (Negative ? 1 : 0);
  if (Bits > Max || (Negative && !Signed))
    return false;
  if (Negative)
    Bits = Wide ? 0 - Bits : (0 - Bits) & 0xffffffffu;
  return true;
}

static bool parseNumber(TextCursor &C, TypeId &T, uint64_t &Bits, bool &Bad) {
  Span Start = C.token().Where;
  bool Negative = C.accept("-");
  Span Where = Start.to(C.token().Where);
  TextLiteral L = splitLiteral(C.token().Text);
  Bad = true;
  if (!L.Type)
    return C.error(diag::G0902, Where)
           << "the literal " << quoted(C.token().Text) << " has no type suffix";
  if (!literalBits(L, Negative, Bits))
    return C.error(diag::G0906, Where)
           << quoted((Negative ? "-" : "") + std::string(C.token().Text))
           << " does not fit its type";
  C.advance();
  T = L.Type;
  Bad = false;
  return true;
}

/// `f32::NAN`, `f32::INFINITY`, `f32::from_bits(0x7fc00001)`. Bits with a
/// suffix are the operand of an operation, and no literal.
static bool parseFloatName(TextCursor &C, uint64_t &Bits, bool &Bad) {
  static constexpr std::pair<std::string_view, uint32_t> Known[] = {
      {"INFINITY", 0x7f800000u},
      {"NEG_INFINITY", 0xff800000u},
      {"NAN", 0x7fc00000u},
  };
  C.advance();
  Bad = true;
  if (!C.expect("::"))
    return false;
  for (const auto &[Name, Value] : Known)
    if (C.accept(Name)) {
      Bits = Value;
      Bad = false;
      return true;
    }
  if (!C.expect("from_bits") || !C.expect("("))
    return false;
  TextLiteral L = splitLiteral(C.token().Text);
  L.Type = types::U32;
  if (C.token().Form != TextToken::Kind::Number || !literalBits(L, false, Bits))
    return C.expected("the bits of an f32");
  C.advance();
  Bad = !C.expect(")");
  return !Bad;
}

bool goldy::parseLiteral(TextCursor &C, TypeId &T, uint64_t &Bits, bool &Bad) {
  Bad = false;
  const TextToken &Token = C.token();
  if (Token.Form == TextToken::Kind::Number ||
      (C.at("-") && C.peek().Form == TextToken::Kind::Number))
    return parseNumber(C, T, Bits, Bad);
  if (C.at("true") || C.at("false")) {
    T = types::Bool;
    Bits = C.at("true");
    C.advance();
    return true;
  }
  if (!C.at("f32") || !C.peek().is("::"))
    return false;
  T = types::F32;
  return parseFloatName(C, Bits, Bad);
}

// --- Types

uint64_t TextModuleParser::leafCount(TypeId T) const {
  TypeKind K = M.Types.kind(T);
  if (K == TypeKind::Struct)
    return StructLeaves[M.Types[T].Struct.index()];
  if (K == TypeKind::Array)
    return leafCount(M.Types[T].Element);
  return 1;
}

/// Refuses types whose layout would be too large to compute or address.
bool TextModuleParser::checkType(TypeId T, Span Where) {
  const Type &N = M.Types[T];
  if (M.Types.size() > MaxTypes)
    return C.error(diag::G0907, Where) << "too many types";
  if (N.Kind != TypeKind::Array)
    return true;
  uint64_t Stride = M.Types.stride(N.Element);
  if (N.Count == 0)
    return C.error(diag::G0906, Where) << "an array needs an element";
  if (Stride > MaxTypeBytes / N.Count)
    return C.error(diag::G0907, Where) << "the type describes more than 4 GiB";
  return true;
}

bool TextModuleParser::arrayType(TypeId &Out, unsigned Depth) {
  Span Start = C.token().Where;
  TypeId Element;
  uint64_t Count = 0;
  if (!C.expect("[") || !typeAt(Element, Depth + 1) || !C.expect(";") ||
      !C.expectCount(Count, 0xffffffffu, "an element count"))
    return false;
  Span Where = Start.to(C.token().Where);
  if (!C.expect("]"))
    return false;
  Out = M.Types.array(Element, static_cast<uint32_t>(Count));
  return checkType(Out, Where);
}

bool TextModuleParser::gpuType(TypeId &Out) {
  C.advance();
  if (!C.expect("::"))
    return false;
  std::string_view Name = C.token().Text;
  static constexpr ScalarWord Stems[] = {{"Float", types::F32},
                                         {"Int", types::I32},
                                         {"UInt", types::U32},
                                         {"Bool", types::Bool}};
  Out = Name == "f16" ? types::F16 : Name == "bf16" ? types::BF16 : TypeId();
  for (const ScalarWord &S : Stems) {
    uint32_t Count =
        Name.empty() ? 0 : static_cast<uint32_t>(Name.back() - '0');
    if (Name.size() == S.Name.size() + 1 && Name.starts_with(S.Name) &&
        Count >= 2 && Count <= 4)
      Out = M.Types.vector(S.Type, Count);
  }
  if (!Out)
    return C.error(diag::G0903)
           << "unknown type " << quoted("gpu::" + std::string(Name));
  C.advance();
  return true;
}

bool TextModuleParser::typeAt(TypeId &Out, unsigned Depth) {
  if (Depth > MaxTypeNesting)
    return C.error(diag::G0907) << "the type is nested too deeply";
  if (C.at("["))
    return arrayType(Out, Depth);
  if (C.at("gpu") && C.peek().is("::"))
    return gpuType(Out);
  Span Where = C.token().Where;
  std::string Name;
  if (!C.expectPath(Name, "a type"))
    return false;
  for (const ScalarWord &S : ScalarWords)
    if (S.Name == Name) {
      Out = S.Type;
      return true;
    }
  auto Found = Structs.find(Name);
  if (Found == Structs.end())
    return C.error(diag::G0903, Where) << "unknown type " << quoted(Name);
  Out = M.Types.structType(Found->second);
  return true;
}

// --- Items

bool goldy::isIRText(std::string_view Text) {
  if (Text.size() > 0xfffffffeu)
    return false;
  TextLexer Lexer(FileId(0), Text);
  for (std::string_view Expected : {"#", "!", "[", "goldy", "::", "ir"})
    if (!Lexer.next().is(Expected))
      return false;
  TextToken After = Lexer.next();
  return After.is("]") || After.is("(");
}

bool TextModuleParser::header() {
  for (std::string_view S : {"#", "!", "[", "goldy", "::", "ir"})
    if (!C.expect(S))
      return false;
  if (C.accept("(")) {
    while (!C.at(")")) {
      if (C.accept("legal"))
        M.Level = IRLevel::Legal;
      else if (C.accept("unchecked"))
        M.Bounds = BoundsMode::Unchecked;
      else if (C.accept("fast"))
        M.Floats = FloatMode::Fast;
      else
        return C.expected("`legal`, `unchecked` or `fast`");
      if (!C.at(")") && !C.expect(","))
        return false;
    }
    C.advance();
  }
  return C.expect("]");
}

bool TextModuleParser::field(StructType &S) {
  StructField Field;
  Field.Where = C.token().Where;
  if (!C.expectWord(Field.Name, "a field") || !C.expect(":") ||
      !type(Field.Type))
    return false;
  for (const StructField &Other : S.Fields)
    if (Other.Name == Field.Name)
      return C.error(diag::G0904, Field.Where)
             << "field " << quoted(Field.Name) << " is declared twice";
  S.Fields.push_back(std::move(Field));
  return C.at("}") || C.expect(",");
}

bool TextModuleParser::structure() {
  StructType S;
  C.advance();
  S.Where = C.token().Where;
  Span Where = S.Where;
  if (!C.expectPath(S.Name, "a struct's name") || !C.expect("{"))
    return false;
  uint64_t Leaves = 0, Bytes = 0;
  while (!C.at("}")) {
    if (!field(S))
      return false;
    TypeId T = S.Fields.back().Type;
    Leaves += leafCount(T);
    Bytes += M.Types.layout(T).Size;
    if (Leaves > MaxStructLeaves || Bytes > MaxTypeBytes)
      return C.error(diag::G0907, Where)
             << "struct " << quoted(S.Name) << " describes too much";
  }
  C.advance();
  if (S.Fields.empty())
    return C.error(diag::G0906, Where)
           << "struct " << quoted(S.Name) << " needs a field";
  std::string Name = S.Name;
  if (!Structs.emplace(Name, StructId(M.Types.structCount())).second)
    return C.error(diag::G0904, Where)
           << "struct " << quoted(Name) << " is declared twice";
  StructLeaves.push_back(Leaves);
  M.Types.addStruct(std::move(S));
  return true;
}

bool TextModuleParser::table() {
  ConstTable T;
  C.advance();
  T.Loc = C.token().Where;
  if (!C.expectPath(T.Name, "a table's name") || !C.expect(":") ||
      !type(T.Type))
    return false;
  if (M.Types.kind(T.Type) != TypeKind::Array ||
      !M.Types.isScalar(M.Types[T.Type].Element))
    return C.error(diag::G0905, T.Loc)
           << "table " << quoted(T.Name) << " must be an array of scalars";
  uint32_t Count = M.Types[T.Type].Count;
  if (!C.expect("=") || !C.expect("["))
    return false;
  while (!C.at("]")) {
    TypeId Element;
    uint64_t Bits = 0;
    bool Bad = false;
    Span Where = C.token().Where;
    if (!parseLiteral(C, Element, Bits, Bad))
      return Bad ? false : C.expected("a literal");
    if (Element != M.Types[T.Type].Element)
      return C.error(diag::G0905, Where)
             << "expected " << quoted(M.Types.name(M.Types[T.Type].Element))
             << ", found " << quoted(M.Types.name(Element));
    T.Bits.push_back(Bits);
    if (!C.at("]") && !C.expect(","))
      return false;
  }
  C.advance();
  if (T.Bits.size() != Count)
    return C.error(diag::G0906, T.Loc)
           << "table " << quoted(T.Name) << " has " << T.Bits.size()
           << " elements, its type says " << Count;
  if (!Tables.emplace(T.Name, TableId(M.Tables.size())).second)
    return C.error(diag::G0904, T.Loc)
           << "table " << quoted(T.Name) << " is declared twice";
  M.Tables.push(std::move(T));
  return C.expect(";");
}

/// After `#[goldy::spec]`, at `const`.
bool TextModuleParser::specConstant() {
  SpecConstant S;
  bool Bad = false;
  TypeId Found;
  if (!C.expect("const"))
    return false;
  S.Loc = C.token().Where;
  if (!C.expectPath(S.Name, "a constant's name") || !C.expect(":") ||
      !type(S.Type) || !C.expect("="))
    return false;
  Span Where = C.token().Where;
  if (!parseLiteral(C, Found, S.Default, Bad))
    return Bad ? false : C.expected("a literal");
  if (Found != S.Type)
    return C.error(diag::G0905, Where)
           << "expected " << quoted(M.Types.name(S.Type)) << ", found "
           << quoted(M.Types.name(Found));
  bool Taken = Tables.count(S.Name) != 0;
  for (const SpecConstant &Other : M.Specs)
    Taken |= Other.Name == S.Name;
  if (Taken)
    return C.error(diag::G0904, S.Loc)
           << "constant " << quoted(S.Name) << " is declared twice";
  if (M.Specs.size() >= MaxSpecs)
    return C.error(diag::G0907, S.Loc) << "too many specialisation constants";
  M.Specs.push(std::move(S));
  return C.expect(";");
}

bool TextModuleParser::computeArgument(Function &F) {
  if (C.accept("nondeterministic")) {
    F.Nondeterministic = true;
    return true;
  }
  if (C.accept("binding")) {
    F.WordsBinding = true;
    return C.expect("=") && C.expect("words");
  }
  if (!C.expect("workgroup_size") || !C.expect("=") || !C.expect("["))
    return false;
  for (uint32_t &Extent : F.WorkgroupSize) {
    uint64_t Count = 0;
    if (!C.expectCount(Count, 0xffffffffu, "a number"))
      return false;
    Extent = static_cast<uint32_t>(Count);
    if (!C.at("]") && !C.expect(","))
      return false;
  }
  return C.expect("]");
}

/// After `#[goldy::`.
bool TextModuleParser::computeAttribute(Function &F) {
  F.Kind = FuncKind::Kernel;
  if (!C.expect("compute") || !C.expect("("))
    return false;
  while (!C.at(")")) {
    if (!computeArgument(F))
      return false;
    if (!C.at(")") && !C.expect(","))
      return false;
  }
  C.advance();
  return C.expect("]");
}

bool TextModuleParser::resourceType(Param &P) {
  struct Known {
    std::string_view Name;
    ParamKind Kind;
    Access Acc;
  };
  static constexpr Known All[] = {
      {"Scattered", ParamKind::Buffer, Access::Write},
      {"Tensor", ParamKind::Tensor, Access::Read},
      {"TensorMut", ParamKind::Tensor, Access::ReadWrite},
      {"TensorWrite", ParamKind::Tensor, Access::Write},
      {"DirectSpatial", ParamKind::Image, Access::Write},
  };
  if (!C.at("gpu") || !C.peek().is("::"))
    return type(P.Type);
  TextCursor Saved = C;
  C.advance();
  C.advance();
  for (const Known &K : All)
    if (C.accept(K.Name)) {
      P.Kind = K.Kind;
      P.Acc = K.Acc;
      return C.expect("<") && type(P.Type) && C.expect(">");
    }
  C = Saved;
  return type(P.Type);
}

bool TextModuleParser::paramType(Param &P) {
  if (!C.accept("&"))
    return resourceType(P);
  if (C.accept("mut"))
    P.Acc = Access::ReadWrite;
  if (!C.accept("[")) {
    P.Kind = ParamKind::Uniform;
    return type(P.Type);
  }
  P.Kind = ParamKind::Buffer;
  return type(P.Type) && C.expect("]");
}

/// After `#[tensor(`.
bool TextModuleParser::contract(Param &P) {
  if (!C.expect("shape") || !C.expect("=") || !C.expect("["))
    return false;
  P.Contract.emplace();
  while (!C.at("]")) {
    ContractDim D;
    if (C.token().Form == TextToken::Kind::Number) {
      uint64_t Extent = 0;
      if (!C.expectCount(Extent, 0xffffffffu, "an extent"))
        return false;
      D.Form = ContractDim::Kind::Exact;
      D.Extent = static_cast<uint32_t>(Extent);
    } else if (!C.accept("_")) {
      if (!C.atWord())
        return C.expected("an extent, a name or `_`");
      D.Form = ContractDim::Kind::Symbol;
      D.Name = C.token().Text;
      C.advance();
    }
    P.Contract->push_back(std::move(D));
    if (!C.at("]") && !C.expect(","))
      return false;
  }
  C.advance();
  return C.expect(")");
}

/// After `#`.
bool TextModuleParser::paramAttribute(Param &P) {
  if (!C.expect("["))
    return false;
  if (C.accept("tensor")) {
    if (!C.expect("(") || !contract(P))
      return false;
  } else if (C.accept("expanded")) {
    if (!C.expect("("))
      return false;
    P.ExpandedFrom = C.at("image") ? ParamKind::Image : ParamKind::Tensor;
    if (!C.expect(C.at("image") ? "image" : "tensor") || !C.expect(")"))
      return false;
  } else {
    if (!C.expect("workgroup"))
      return false;
    P.Workgroup = true;
  }
  return C.expect("]");
}

bool TextModuleParser::param(Function &F) {
  Param P;
  while (C.accept("#"))
    if (!paramAttribute(P))
      return false;
  P.Loc = C.token().Where;
  if (!C.expectWord(P.Name, "a parameter") || !C.expect(":") || !paramType(P))
    return false;
  F.Params.push_back(std::move(P));
  return C.at(")") || C.expect(",");
}

/// After the attribute, at `fn`.
bool TextModuleParser::function(std::string Doc) {
  Function F;
  F.Doc = std::move(Doc);
  if (C.accept("#")) {
    if (!C.expect("[") || !C.expect("goldy") || !C.expect("::") ||
        !computeAttribute(F))
      return false;
  }
  if (!C.expect("fn"))
    return false;
  F.Loc = C.token().Where;
  if (!C.expectPath(F.Name, "a function's name") || !C.expect("("))
    return false;
  while (!C.at(")"))
    if (!param(F))
      return false;
  C.advance();
  if (C.accept("->") && !type(F.ReturnType))
    return false;
  if (!parseBody(*this, F))
    return false;
  if (!Functions.emplace(F.Name, FuncId(M.Functions.size())).second)
    return C.error(diag::G0904, F.Loc)
           << "function " << quoted(F.Name) << " is declared twice";
  M.Functions.push(std::move(F));
  return true;
}

bool TextModuleParser::item() {
  std::string Doc;
  bool HasDoc = false;
  while (C.token().Form == TextToken::Kind::Doc) {
    Doc += (HasDoc ? "\n" : "") + std::string(C.token().Text);
    HasDoc = true;
    C.advance();
  }
  if (C.at("const"))
    return table();
  if (C.at("#")) {
    // `#[goldy::gpu]` stands before a struct, `#[goldy::spec]` before a
    // constant, anything else before a kernel.
    TextCursor Saved = C;
    C.advance();
    bool IsStruct = C.accept("[") && C.accept("goldy") && C.accept("::") &&
                    C.accept("gpu") && C.accept("]");
    if (IsStruct)
      return C.at("struct") ? structure() : C.expected("`struct`");
    C = Saved;
    C.advance();
    if (C.accept("[") && C.accept("goldy") && C.accept("::") &&
        C.accept("spec") && C.accept("]"))
      return specConstant();
    C = Saved;
  } else if (!C.at("fn")) {
    return C.expected("`fn`, `const` or an attribute");
  }
  return function(std::move(Doc));
}

bool TextModuleParser::parse() {
  if (!header())
    return false;
  while (C.token().Form != TextToken::Kind::End)
    if (!item())
      return false;
  return true;
}

std::optional<Module> goldy::parseIRText(const SourceManager &SM, FileId File,
                                         DiagSink &Diags) {
  const std::string &Text = SM.file(File).Text;
  size_t Bad = 0;
  if (!isValidUtf8(Text, Bad)) {
    uint32_t At = static_cast<uint32_t>(Bad);
    return Diags.report(diag::G0901, Span{File, At, At + 1})
           << "the text is not valid UTF-8";
  }
  TextModuleParser P(SM, File, Diags);
  if (!P.parse())
    return std::nullopt;
  return std::move(P.M);
}
