//===- TextOperations.cpp - Reads IR text: operations and places
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextBody.h"

#include <algorithm>

using namespace goldy;

constexpr size_t MaxPath = 64;
constexpr uint64_t MaxMembers = 0xffff;

static std::string quoted(std::string_view Text) {
  return "`" + std::string(Text) + "`";
}

namespace {

/// Operations written `name(a, b)`; empty for the rest.
std::optional<Op> callForm(std::string_view Name) {
  for (unsigned I = 0; I < NumOps; ++I) {
    Op O = static_cast<Op>(I);
    const OpInfo &Info = opInfo(O);
    bool Plain = Info.Effects == Effect::Pure || Info.Effects == Effect::Sync ||
                 O == Op::BreakIf || O == Op::Assume || O == Op::Debug ||
                 O == Op::Watch;
    if (Plain && O != Op::WorkgroupUniformLoad && Info.Mnemonic == Name)
      return O;
  }
  return std::nullopt;
}

std::optional<Op> binaryForm(const TextToken &T) {
  if (T.Form != TextToken::Kind::Symbol)
    return std::nullopt;
  for (unsigned I = 0; I < NumOps; ++I) {
    Op O = static_cast<Op>(I);
    const OpInfo &Info = opInfo(O);
    if (Info.Effects == Effect::Pure && Info.MinOperands == 2 &&
        Info.Mnemonic == T.Text)
      return O;
  }
  return std::nullopt;
}

std::optional<TextMemoryForm> memoryForm(std::string_view Name) {
  if (Name == "ir::load_if")
    return TextMemoryForm{Op::Load, true};
  if (Name == "ir::store_if")
    return TextMemoryForm{Op::Store, true};
  if (Name == opInfo(Op::WorkgroupUniformLoad).Mnemonic)
    return TextMemoryForm{Op::WorkgroupUniformLoad, false};
  bool Guarded = Name.starts_with("ir::") && Name.ends_with("_if");
  std::string Plain(Name);
  if (Guarded)
    Plain = "gpu::" + std::string(Name.substr(4, Name.size() - 7));
  for (unsigned I = 0; I < NumOps; ++I)
    if (isAtomic(static_cast<Op>(I)) &&
        opInfo(static_cast<Op>(I)).Mnemonic == Plain)
      return TextMemoryForm{static_cast<Op>(I), Guarded};
  return std::nullopt;
}

} // namespace

// --- Operations

TextBodyParser::Result TextBodyParser::operation(TypeId Declared) {
  if (C.at("-") && C.peek().Form != TextToken::Kind::Number)
    return unary(Op::Neg);
  if (C.at("!"))
    return unary(Op::Not);
  if (C.at("["))
    return arrayConstruct(Declared);
  TypeId T;
  uint64_t Bits = 0;
  bool Bad = false;
  bool BitsOperation = false;
  if (C.at("f32") && C.peek().is("::")) {
    // `f32::from_bits(v)` is an operation unless bare bits stand inside.
    TextCursor Saved = C;
    C.advance();
    C.advance();
    BitsOperation = C.accept("from_bits") && C.accept("(") && !plainNumber();
    C = Saved;
  }
  if (!BitsOperation) {
    if (parseLiteral(C, T, Bits, Bad))
      return afterOperand(B.constant(T, Bits), Declared);
    if (Bad)
      return {};
  }
  if (!C.atWord()) {
    C.expected("an operation");
    return {};
  }
  return wordOperation(Declared);
}

TextBodyParser::Result TextBodyParser::wordOperation(TypeId Declared) {
  if (C.peek().is("(") || C.peek().is("::"))
    return pathOperation(Declared);
  std::string_view Name = C.token().Text;
  Span Where = C.token().Where;
  if (C.peek().is("{")) {
    C.advance();
    return structConstruct(Name, Declared);
  }
  const TextBinding *What = lookUp(Name);
  if (What && What->IsPlace) {
    C.advance();
    return placeOperation(*What);
  }
  ValueId First;
  C.advance();
  if (!operandAfterName(Name, Where, First))
    return {};
  if (C.at(".") || C.at("["))
    return member(First);
  return afterOperand(First, Declared);
}

/// `gpu::…`, `ir::…`, or a helper's name, then `(`.
TextBodyParser::Result TextBodyParser::pathOperation(TypeId Declared) {
  Span Where = C.token().Where;
  if (C.at("ir") && C.peek().is("::")) {
    TextCursor Saved = C;
    C.advance();
    C.advance();
    bool Spec = C.at("spec"), Switch = C.at("device_switch");
    C = Saved;
    if (Spec || Switch) {
      Result V = Spec ? specConst() : deviceSwitch();
      return V ? afterOperand(V, Declared) : V;
    }
  }
  std::string Name;
  if (!C.expectPath(Name, "an operation"))
    return {};
  if (C.at("{"))
    return structConstruct(Name, Declared);
  if (const TextBinding *Table = lookUp(Name); Table && Table->IsPlace)
    return placeOperation(*Table);
  bool Builtin = Name.starts_with("gpu::") || Name.starts_with("ir::") ||
                 Name.starts_with("f32::");
  if (!Builtin)
    return helperCall(Name, Where);
  for (Op O : {Op::GlobalId, Op::LocalId, Op::WorkgroupId, Op::NumWorkgroups,
               Op::WorkgroupSize})
    if (opInfo(O).Mnemonic == Name + "()")
      return idOperation(O);
  if (std::optional<TextMemoryForm> Form = memoryForm(Name))
    return memoryOperation(*Form);
  if (std::optional<Op> O = callForm(Name))
    return callOperation(*O, Declared);
  if (Name.starts_with("gpu::float") || Name.starts_with("gpu::int") ||
      Name.starts_with("gpu::uint") || Name.starts_with("gpu::bool"))
    return vectorConstruct(Name, Declared);
  return C.error(diag::G0903, Where) << "unknown operation " << quoted(Name);
}

TextBodyParser::Result TextBodyParser::idOperation(Op O) {
  for (std::string_view S : {"(", ")", "."})
    if (!C.expect(S))
      return {};
  for (uint32_t Axis = 0; Axis < 3; ++Axis)
    if (C.accept(std::string_view("xyz").substr(Axis, 1)))
      return B.id(O, Axis);
  C.expected("`x`, `y` or `z`");
  return {};
}

/// The type that the operation gives, by its rule; the declared one where
/// that is free.
TypeId TextBodyParser::resultType(Op O, std::span<const ValueId> Operands,
                                  TypeId Declared) const {
  const OpInfo &Info = opInfo(O);
  if (O == Op::WorkgroupSum || O == Op::WorkgroupMax || O == Op::WorkgroupMin ||
      O == Op::Powi || exchangesLanes(O))
    return F.typeOf(Operands[0]);
  if (Info.Effects == Effect::Sync || Info.Effects == Effect::Control ||
      O == Op::Debug || O == Op::Watch)
    return types::Void;
  switch (O) {
  case Op::Select:
    return F.typeOf(Operands[1]);
  case Op::Dim:
  case Op::Rank:
  case Op::LayoutWord:
  case Op::TensorOffset:
  case Op::ToBits:
  case Op::NumberBits:
  case Op::CountOnes:
  case Op::LeadingZeros:
  case Op::TrailingZeros:
    return types::U32;
  case Op::FromBits:
    return types::F32;
  case Op::RawFloatToInt:
    return types::I32;
  default:
    break;
  }
  if (Info.Rule == TypeRule::Compare)
    return types::Bool;
  if (Info.Rule != TypeRule::Special && !Operands.empty())
    return F.typeOf(Operands[0]);
  return Declared ? Declared : types::Void;
}

TextBodyParser::Result TextBodyParser::callOperation(Op O, TypeId Declared) {
  std::vector<ValueId> Operands;
  Span Where = C.token().Where;
  if (!C.expect("(") || !arguments(Operands, ")", takesResources(O)))
    return {};
  const OpInfo &Info = opInfo(O);
  if (Operands.size() < Info.MinOperands || Operands.size() > Info.MaxOperands)
    return C.error(diag::G0902, Where)
           << quoted(Info.Mnemonic) << " takes " << Info.MinOperands
           << " operands, found " << Operands.size();
  return B.opTyped(O, resultType(O, Operands, Declared), Operands);
}

TextBodyParser::Result TextBodyParser::memoryOperation(TextMemoryForm Form) {
  std::vector<ValueId> Operands;
  ValueId Guard;
  TextBinding What;
  PlaceId Where;
  bool IsLen = false;
  if (!C.expect("("))
    return {};
  if (Form.Guarded && (!operand(Guard) || !C.expect(",")))
    return {};
  Span PlaceWhere = C.token().Where;
  if (!placeBase(What) || !completePlace(What, Where, IsLen))
    return {};
  if (IsLen)
    return C.error(diag::G0908, PlaceWhere) << "a length is no place";
  if (C.accept(",")) {
    if (!arguments(Operands, ")", false))
      return {};
  } else if (!C.expect(")")) {
    return {};
  }
  const OpInfo &Info = opInfo(Form.Opcode);
  if (Operands.size() != Info.MinOperands)
    return C.error(diag::G0902, PlaceWhere)
           << quoted(Info.Mnemonic) << " takes " << Info.MinOperands
           << " operands beside its place, found " << Operands.size();
  if (Form.Opcode == Op::Load)
    return B.load(Where, Guard);
  if (Form.Opcode == Op::WorkgroupUniformLoad)
    return B.uniformLoad(Where);
  if (Form.Opcode == Op::Store)
    return B.store(Where, Operands[0], Guard);
  return B.atomic(Form.Opcode, Where, Operands, Guard);
}

TextBodyParser::Result TextBodyParser::helperCall(const std::string &Name,
                                                  Span Where) {
  auto Found = P.Functions.find(Name);
  if (Found == P.Functions.end())
    return C.error(diag::G0903, Where) << "unknown function " << quoted(Name);
  std::vector<ValueId> Arguments;
  if (!C.expect("(") || !arguments(Arguments, ")", true))
    return {};
  return B.call(Found->second, Arguments);
}

TextBodyParser::Result TextBodyParser::placeOperation(const TextBinding &What) {
  std::vector<PathElement> Path;
  bool IsLen = false;
  if (!path(What, Path, IsLen))
    return {};
  if (IsLen)
    return B.len(What.Base);
  PlaceId Where = B.place(What.Base, std::move(Path));
  if (!C.at(";"))
    return C.error(diag::G0908)
           << "a load stands alone: name its value and use that";
  return B.load(Where);
}

TextBodyParser::Result TextBodyParser::member(ValueId Of) {
  TypeId T = F.typeOf(Of);
  PathElement E;
  Span Where = C.token().Where;
  if (!pathStep(T, false, E))
    return {};
  if (E.isDynamic())
    return C.error(diag::G0908, Where)
           << "a value's member has a constant number";
  return B.extract(Of, E.Member);
}

TextBodyParser::Result TextBodyParser::afterOperand(ValueId First,
                                                    TypeId Declared) {
  if (C.accept("as")) {
    TypeId To;
    if (!P.type(To))
      return {};
    return B.cast(First, To);
  }
  std::optional<Op> O = binaryForm(C.token());
  if (!O) {
    C.expected("an operator or `as`");
    return {};
  }
  C.advance();
  ValueId Second;
  if (!operand(Second))
    return {};
  ValueId Operands[] = {First, Second};
  return B.opTyped(*O, resultType(*O, Operands, Declared), Operands);
}

TextBodyParser::Result TextBodyParser::unary(Op O) {
  ValueId V;
  C.advance();
  if (!operand(V))
    return {};
  ValueId Operands[] = {V};
  return B.opTyped(O, F.typeOf(V), Operands);
}

TextBodyParser::Result
TextBodyParser::construct(TypeId Declared, const std::vector<ValueId> &Members,
                          Span Where) {
  if (!Declared || M.Types.memberCount(Declared) != Members.size())
    return C.error(diag::G0905, Where)
           << quoted(Declared ? M.Types.name(Declared) : "()") << " has "
           << (Declared ? M.Types.memberCount(Declared) : 0)
           << " members, found " << Members.size();
  return B.construct(Declared, Members);
}

TextBodyParser::Result TextBodyParser::arrayConstruct(TypeId Declared) {
  std::vector<ValueId> Members;
  Span Where = C.token().Where;
  ValueId First;
  C.advance();
  if (!operand(First))
    return {};
  if (C.accept(";")) {
    uint64_t Count = 0;
    if (!C.expectCount(Count, MaxMembers, "an element count") || !C.expect("]"))
      return {};
    Members.assign(Count, First);
  } else {
    Members.push_back(First);
    if (C.accept(",") ? !arguments(Members, "]", false) : !C.expect("]"))
      return {};
  }
  bool IsArray = Declared && M.Types.kind(Declared) == TypeKind::Array;
  return construct(IsArray ? Declared : TypeId(), Members, Where);
}

/// At the `{` after the struct's name.
TextBodyParser::Result TextBodyParser::structConstruct(std::string_view Name,
                                                       TypeId Declared) {
  Span Where = C.token().Where;
  bool IsStruct = Declared && M.Types.kind(Declared) == TypeKind::Struct;
  if (!IsStruct || M.Types.name(Declared) != Name)
    return C.error(diag::G0905, Where)
           << "the declared type is not " << quoted(Name);
  std::vector<ValueId> Members;
  C.advance();
  while (!C.at("}")) {
    uint32_t Member = 0;
    ValueId V;
    Span FieldWhere = C.token().Where;
    if (!memberName(Declared, Member))
      return {};
    if (Member != Members.size())
      return C.error(diag::G0908, FieldWhere)
             << "fields stand in the order of their declaration";
    if (!C.expect(":") || !operand(V) || (!C.at("}") && !C.expect(",")))
      return {};
    Members.push_back(V);
  }
  C.advance();
  return construct(Declared, Members, Where);
}

/// After `gpu::float3` and the like.
TextBodyParser::Result TextBodyParser::vectorConstruct(std::string_view Name,
                                                       TypeId Declared) {
  std::vector<ValueId> Members;
  Span Where = C.token().Where;
  if (!C.expect("(") || !arguments(Members, ")", false))
    return {};
  bool IsVector = Declared && M.Types.kind(Declared) == TypeKind::Vector;
  std::string Maker = IsVector ? M.Types.name(Declared) : std::string();
  std::transform(Maker.begin(), Maker.end(), Maker.begin(), [](char Letter) {
    return static_cast<char>(Letter >= 'A' && Letter <= 'Z' ? Letter | 32
                                                            : Letter);
  });
  if (Maker != Name)
    return C.error(diag::G0905, Where)
           << "the declared type is not what " << quoted(Name) << " makes";
  return construct(Declared, Members, Where);
}

TextBodyParser::Result TextBodyParser::specConst() {
  TypeId T;
  uint64_t Number = 0;
  for (std::string_view S : {"ir", "::", "spec", "::", "<"})
    if (!C.expect(S))
      return {};
  if (!P.type(T) || !C.expect(">") || !C.expect("(") ||
      !C.expectCount(Number, 0xffffffffu, "a constant's number") ||
      !C.expect(")"))
    return {};
  if (Number >= P.M.Specs.size() ||
      P.M.Specs[SpecId(static_cast<uint32_t>(Number))].Type != T)
    return C.error(diag::G0903)
           << "there is no specialisation constant " << Number << " of type "
           << quoted(P.M.Types.name(T));
  return B.specConst(SpecId(static_cast<uint32_t>(Number)));
}

/// `ir::device_switch(N)`.
TextBodyParser::Result TextBodyParser::deviceSwitch() {
  uint64_t Number = 0;
  for (std::string_view S : {"ir", "::", "device_switch", "("})
    if (!C.expect(S))
      return {};
  if (!C.expectCount(Number, 999, "a switch's number") || !C.expect(")"))
    return {};
  return B.deviceSwitch(static_cast<uint32_t>(Number));
}

// --- Parts

bool TextBodyParser::operandAfterName(std::string_view Name, Span Where,
                                      ValueId &Out) {
  const TextBinding *What = lookUp(Name);
  if (!What)
    return C.error(diag::G0903, Where) << "unknown name " << quoted(Name);
  if (What->IsPlace)
    return C.error(diag::G0908, Where)
           << quoted(Name) << " is no value: load it first";
  Out = What->Value ? What->Value : B.param(What->Base.Index);
  return true;
}

bool TextBodyParser::operand(ValueId &Out) {
  TypeId T;
  uint64_t Bits = 0;
  bool Bad = false;
  bool Parenthesis = C.accept("(");
  if (parseLiteral(C, T, Bits, Bad)) {
    Out = B.constant(T, Bits);
  } else if (Bad) {
    return false;
  } else if (C.at("ir") && C.peek().is("::")) {
    TextCursor Saved = C;
    C.advance();
    C.advance();
    bool Switch = C.at("device_switch");
    C = Saved;
    Result V = Switch ? deviceSwitch() : specConst();
    if (!V)
      return false;
    Out = V;
  } else {
    if (!C.atWord())
      return C.expected("a value");
    std::string_view Name = C.token().Text;
    Span Where = C.token().Where;
    C.advance();
    if (!operandAfterName(Name, Where, Out))
      return false;
  }
  return !Parenthesis || C.expect(")");
}

/// Operands up to and with the closing symbol; appended to `Out`.
bool TextBodyParser::arguments(std::vector<ValueId> &Out,
                               std::string_view Close, bool AllowResources) {
  while (!C.at(Close)) {
    const TextBinding *What = C.atWord() ? lookUp(C.token().Text) : nullptr;
    ValueId V;
    if (AllowResources && What && What->IsPlace) {
      V = B.ref(What->Base);
      C.advance();
    } else if (!operand(V)) {
      return false;
    }
    Out.push_back(V);
    if (Out.size() > MaxMembers)
      return C.error(diag::G0907) << "too many operands";
    if (!C.at(Close) && !C.expect(","))
      return false;
  }
  C.advance();
  return true;
}

bool TextBodyParser::placeBase(TextBinding &Out) {
  if (!C.atWord())
    return C.expected("a variable or resource");
  Span Where = C.token().Where;
  std::string Name;
  if (!C.expectPath(Name, "a variable or resource"))
    return false;
  const TextBinding *What = lookUp(Name);
  if (!What)
    return C.error(diag::G0903, Where) << "unknown name " << quoted(Name);
  if (!What->IsPlace)
    return C.error(diag::G0908, Where)
           << quoted(Name) << " is a value, not a place in memory";
  Out = *What;
  return true;
}

bool TextBodyParser::memberName(TypeId T, uint32_t &Member) {
  TypeKind K = M.Types.kind(T);
  std::string_view Name = C.token().Text;
  uint32_t Count = M.Types.memberCount(T);
  for (uint32_t I = 0; C.atWord() && I < Count; ++I) {
    bool Match =
        K == TypeKind::Struct
            ? M.Types.structure(M.Types[T].Struct).Fields[I].Name == Name
            : K == TypeKind::Vector &&
                  Name == std::string_view("xyzw").substr(I, 1);
    if (Match) {
      Member = I;
      C.advance();
      return true;
    }
    if (K == TypeKind::Array)
      break;
  }
  return C.error(diag::G0903)
         << quoted(M.Types.name(T)) << " has no member " << quoted(Name);
}

/// `.x`, `[3]` (a member's number) or `[i]` (a value).
bool TextBodyParser::pathStep(TypeId T, bool IsBuffer, PathElement &Out) {
  if (C.accept("."))
    return memberName(T, Out.Member);
  Span Where = C.token().Where;
  if (!C.expect("["))
    return false;
  TypeKind K = M.Types.kind(T);
  if (!IsBuffer && K != TypeKind::Array)
    return C.error(diag::G0908, Where)
           << quoted(M.Types.name(T)) << " has no elements to index";
  if (plainNumber()) {
    uint64_t Number = 0;
    uint64_t Max = IsBuffer ? 0xffffffffu : M.Types.memberCount(T) - 1;
    if (!C.expectCount(Number, Max, "an index"))
      return false;
    Out.Member = static_cast<uint32_t>(Number);
  } else if (!operand(Out.Index)) {
    return false;
  }
  return C.expect("]");
}

bool TextBodyParser::path(const TextBinding &What,
                          std::vector<PathElement> &Out, bool &IsLen) {
  TypeId T = baseType(M, F, What.Base);
  size_t Leading = leadingIndices(F, What.Base);
  while (C.at(".") || C.at("[")) {
    bool NeedsIndex = Out.size() < Leading;
    if (Out.empty() && C.at(".") && C.peek().is("len")) {
      TextCursor Saved = C;
      C.advance();
      C.advance();
      IsLen = C.accept("(");
      if (IsLen)
        return C.expect(")");
      C = Saved;
    }
    if (Out.size() >= MaxPath)
      return C.error(diag::G0907) << "the place's path is too long";
    if (NeedsIndex && C.at("."))
      return C.error(diag::G0908) << "a buffer is indexed first";
    PathElement E;
    if (!pathStep(T, NeedsIndex, E))
      return false;
    if (!NeedsIndex)
      T = M.Types.memberType(T, E.Member);
    Out.push_back(E);
  }
  if (Out.size() < Leading)
    return C.error(diag::G0908) << "a buffer must be indexed";
  return true;
}

bool TextBodyParser::completePlace(const TextBinding &What, PlaceId &Out,
                                   bool &IsLen) {
  std::vector<PathElement> Path;
  if (!path(What, Path, IsLen))
    return false;
  if (!IsLen)
    Out = B.place(What.Base, std::move(Path));
  return true;
}
