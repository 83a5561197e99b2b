//===- TextBody.cpp - Reads IR text: statements and operations
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation a statement, so an operand is a literal or a name and nothing
// recurses but blocks. A name means a value, or a resource that a place starts
// from; which one it is decides between the forms that look alike (`p.x` is a
// load from a variable, but a component of a value).
//
//===----------------------------------------------------------------------===//
#include "TextNames.h"
#include "TextParser.h"
#include "goldyc/IR/Builder.h"

#include <algorithm>

namespace goldy {
namespace {

constexpr unsigned MaxBlockNesting = 200;
constexpr size_t MaxPath = 64;
constexpr uint64_t MaxMembers = 0xffff;
constexpr uint32_t MaxPool = 1u << 28;

std::string quoted(std::string_view Text) {
  return "`" + std::string(Text) + "`";
}

/// What a name stands for.
struct Binding {
  bool IsPlace = false;
  ValueId Value;  ///< if not a place
  PlaceBase Base; ///< if a place
};

/// Operations written `name(a, b)`; empty for the rest.
std::optional<Op> callForm(std::string_view Name) {
  for (unsigned I = 0; I < NumOps; ++I) {
    Op O = static_cast<Op>(I);
    const OpInfo &Info = opInfo(O);
    bool Plain = Info.Effects == Effect::Pure || Info.Effects == Effect::Sync ||
                 O == Op::BreakIf || O == Op::Assume;
    if (Plain && Info.Mnemonic == Name)
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

/// `gpu::atomic_add`, `ir::atomic_add_if`, `ir::load_if`, `ir::store_if`.
struct MemoryForm {
  Op Opcode;
  bool Guarded;
};
std::optional<MemoryForm> memoryForm(std::string_view Name) {
  if (Name == "ir::load_if")
    return MemoryForm{Op::Load, true};
  if (Name == "ir::store_if")
    return MemoryForm{Op::Store, true};
  bool Guarded = Name.starts_with("ir::") && Name.ends_with("_if");
  std::string Plain(Name);
  if (Guarded)
    Plain = "gpu::" + std::string(Name.substr(4, Name.size() - 7));
  for (unsigned I = 0; I < NumOps; ++I)
    if (isAtomic(static_cast<Op>(I)) &&
        opInfo(static_cast<Op>(I)).Mnemonic == Plain)
      return MemoryForm{static_cast<Op>(I), Guarded};
  return std::nullopt;
}

} // namespace

class BodyParser {
public:
  BodyParser(ModuleParser &P, Function &F)
      : P(P), C(P.C), M(P.M), F(F), B(P.M, F) {}
  bool run();

private:
  using Result = InstId; ///< invalid after a report

  // Names
  bool bind(const std::string &Name, Span Where, Binding What);
  const Binding *lookUp(std::string_view Name) const;
  bool bindParams();
  void leaveScope(size_t Depth);

  // Statements
  bool block(BlockId Into, unsigned Depth, std::string *VarName = nullptr,
             Span VarWhere = {}, InstId Var = {});
  bool statement(unsigned Depth);
  bool declaration();
  bool declareMutable();
  bool workgroupArray(const std::string &Name, Span Where);
  bool control(unsigned Depth);
  bool ifStatement(unsigned Depth);
  bool loopStatement(unsigned Depth);
  bool forStatement(unsigned Depth);
  bool blockStatement(unsigned Depth);
  bool jump();
  bool effect();
  bool placeStatement();
  bool unrollAttribute();
  bool findTarget(bool IsContinue, InstId &Target);
  void enclose(InstId I) { Enclosing.push_back({Label, I}), Label.clear(); }

  // Operations: append, and return the instruction
  Result operation(TypeId Declared);
  Result wordOperation(TypeId Declared);
  Result pathOperation(TypeId Declared);
  Result callOperation(Op O, TypeId Declared);
  Result idOperation(Op O);
  Result memoryOperation(MemoryForm Form);
  Result helperCall(const std::string &Name, Span Where);
  Result placeOperation(const Binding &What);
  Result member(ValueId Of);
  Result afterOperand(ValueId First, TypeId Declared);
  Result unary(Op O);
  Result arrayConstruct(TypeId Declared);
  Result structConstruct(std::string_view Name, TypeId Declared);
  Result vectorConstruct(std::string_view Name, TypeId Declared);
  Result construct(TypeId Declared, const std::vector<ValueId> &Members,
                   Span Where);
  TypeId resultType(Op O, std::span<const ValueId> Operands,
                    TypeId Declared) const;

  // Parts
  bool operand(ValueId &Out);
  bool operandAfterName(std::string_view Name, Span Where, ValueId &Out);
  bool arguments(std::vector<ValueId> &Out, std::string_view Close,
                 bool AllowResources);
  bool placeBase(Binding &Out);
  bool path(const Binding &What, std::vector<PathElement> &Out, bool &IsLen);
  bool pathStep(TypeId T, bool IsBuffer, PathElement &Out);
  bool memberName(TypeId T, uint32_t &Member);
  bool completePlace(const Binding &What, PlaceId &Out, bool &IsLen);
  bool plainNumber() const {
    return C.token().Form == TextToken::Kind::Number &&
           !splitLiteral(C.token().Text).Type;
  }
  Result specConst();

  ModuleParser &P;
  TextCursor &C;
  Module &M;
  Function &F;
  Builder B;
  std::map<std::string, Binding, std::less<>> Names;
  std::vector<std::string> Scope; ///< visible local names, in order
  struct Enclosure {
    std::string Label;
    InstId Inst;
  };
  std::vector<Enclosure> Enclosing;
  std::string Label;   ///< written before the next control statement
  uint32_t Unroll = 0; ///< ditto
  bool AtTop = true;   ///< variables may be declared
};

// --- Names

bool BodyParser::bind(const std::string &Name, Span Where, Binding What) {
  if (P.Tables.count(Name) || !Names.emplace(Name, What).second)
    return C.error(diag::G0904, Where)
           << quoted(Name) << " is already defined here";
  Scope.push_back(Name);
  return true;
}

const Binding *BodyParser::lookUp(std::string_view Name) const {
  auto Found = Names.find(Name);
  return Found == Names.end() ? nullptr : &Found->second;
}

void BodyParser::leaveScope(size_t Depth) {
  for (; Scope.size() > Depth; Scope.pop_back())
    Names.erase(Scope.back());
}

bool BodyParser::bindParams() {
  for (const auto &[Name, Id] : P.Tables)
    Names.emplace(Name, Binding{true, {}, {BaseKind::Table, Id.index()}});
  for (uint32_t I = 0; I < F.Params.size(); ++I) {
    Binding What;
    What.IsPlace = F.Params[I].Kind != ParamKind::Scalar;
    What.Base = {BaseKind::Param, I};
    if (!bind(F.Params[I].Name, F.Params[I].Loc, What))
      return false;
  }
  return true;
}

// --- Statements

bool BodyParser::run() {
  F.Body = B.newBlock();
  return bindParams() && block(F.Body, 0);
}

bool BodyParser::block(BlockId Into, unsigned Depth, std::string *VarName,
                       Span VarWhere, InstId Var) {
  if (Depth > MaxBlockNesting)
    return C.error(diag::G0907) << "blocks are nested too deeply";
  size_t Start = Scope.size();
  BlockId Outer = B.block();
  if (!C.expect("{"))
    return false;
  B.setBlock(Into);
  if (VarName && !bind(*VarName, VarWhere, {false, Var, {}}))
    return false;
  while (!C.at("}"))
    if (!statement(Depth))
      return false;
  C.advance();
  leaveScope(Start);
  B.setBlock(Outer);
  return true;
}

bool BodyParser::statement(unsigned Depth) {
  if (F.OperandPool.size() > MaxPool)
    return C.error(diag::G0907) << "the function holds too many operands";
  B.setLoc(C.token().Where);
  AtTop = Depth == 0;
  if (C.at("let"))
    return declaration();
  bool Control = C.at("if") || C.at("loop") || C.at("for") || C.at("{") ||
                 C.at("#") || C.token().Form == TextToken::Kind::Label;
  if (Control)
    return control(Depth);
  if (C.at("break") || C.at("continue") || C.at("return"))
    return jump() && C.expect(";");
  return effect() && C.expect(";");
}

bool BodyParser::workgroupArray(const std::string &Name, Span Where) {
  TypeId Element;
  uint64_t Count = 0;
  C.advance();
  for (std::string_view S : {"gpu", "::", "workgroup_array", "::", "<"})
    if (!C.expect(S))
      return false;
  if (!P.type(Element) || !C.expect(",") ||
      !C.expectCount(Count, 0xffffffffu, "an element count"))
    return false;
  for (std::string_view S : {">", "(", ")"})
    if (!C.expect(S))
      return false;
  TypeId T = M.Types.array(Element, static_cast<uint32_t>(Count));
  if (!P.checkType(T, Where))
    return false;
  uint32_t Index = B.workgroupArray(Name, T).index();
  return bind(Name, Where, {true, {}, {BaseKind::Workgroup, Index}});
}

/// After `let mut`.
bool BodyParser::declareMutable() {
  Span Where = C.token().Where;
  std::string Name;
  TypeId T;
  if (!AtTop)
    return C.error(diag::G0908, Where)
           << "variables are declared at the top level of the function";
  if (!C.expectWord(Name, "a name"))
    return false;
  if (C.at("="))
    return workgroupArray(Name, Where);
  if (!C.expect(":") || !P.type(T))
    return false;
  uint32_t Index = B.slot(Name, T).index();
  return bind(Name, Where, {true, {}, {BaseKind::Slot, Index}});
}

bool BodyParser::declaration() {
  C.advance();
  if (C.accept("mut"))
    return declareMutable() && C.expect(";");
  Span Where = C.token().Where;
  std::string Name;
  TypeId Declared;
  if (!C.expectWord(Name, "a name") || !C.expect(":") || !P.type(Declared) ||
      !C.expect("="))
    return false;
  Span OperationWhere = C.token().Where;
  Result I = operation(Declared);
  if (!I)
    return false;
  TypeId Found = F.Insts[I].Type;
  if (Found == types::Void)
    return C.error(diag::G0908, OperationWhere)
           << "the operation gives no value to name " << quoted(Name);
  if (Found != Declared)
    return C.error(diag::G0905, OperationWhere)
           << quoted(Name) << " is declared as "
           << quoted(M.Types.name(Declared)) << ", but the operation gives "
           << quoted(M.Types.name(Found));
  if (!isNumberedName(Name))
    B.setName(I, Name);
  return bind(Name, Where, {false, I, {}}) && C.expect(";");
}

bool BodyParser::unrollAttribute() {
  for (std::string_view S : {"#", "[", "unroll"})
    if (!C.expect(S))
      return false;
  Unroll = UnrollFull;
  if (C.accept("(")) {
    uint64_t Factor = 0;
    if (!C.expectCount(Factor, UnrollFull - 1, "a factor") || !C.expect(")"))
      return false;
    Unroll = static_cast<uint32_t>(Factor);
  }
  return C.expect("]");
}

bool BodyParser::control(unsigned Depth) {
  Label.clear();
  Unroll = 0;
  if (C.token().Form == TextToken::Kind::Label) {
    Label = C.token().Text;
    C.advance();
    if (!C.expect(":"))
      return false;
  }
  if (C.at("#") && !unrollAttribute())
    return false;
  if (C.at("loop"))
    return loopStatement(Depth);
  if (C.at("for"))
    return forStatement(Depth);
  if (Unroll)
    return C.expected("`for` or `loop`");
  if (C.at("{"))
    return blockStatement(Depth);
  return C.at("if") && Label.empty() ? ifStatement(Depth)
                                     : C.expected("`for`, `loop` or `{`");
}

bool BodyParser::ifStatement(unsigned Depth) {
  ValueId Cond;
  C.advance();
  if (!operand(Cond))
    return false;
  InstId If = B.createIf(Cond, false);
  if (!block(F.Insts[If].Blocks[0], Depth + 1))
    return false;
  if (!C.accept("else"))
    return true;
  BlockId Else = B.newBlock();
  F.Insts[If].Blocks[1] = Else;
  return block(Else, Depth + 1);
}

bool BodyParser::loopStatement(unsigned Depth) {
  C.advance();
  InstId Loop = B.createLoop(false);
  F.Insts[Loop].Unroll = Unroll;
  enclose(Loop);
  if (!block(F.Insts[Loop].Blocks[0], Depth + 1))
    return false;
  if (C.accept("continuing")) {
    BlockId Continuing = B.newBlock();
    F.Insts[Loop].Blocks[1] = Continuing;
    if (!block(Continuing, Depth + 1))
      return false;
  }
  Enclosing.pop_back();
  return true;
}

bool BodyParser::forStatement(unsigned Depth) {
  C.advance();
  Span VarWhere = C.token().Where;
  std::string Var;
  ValueId Lo, Hi;
  if (!C.expectWord(Var, "a loop variable") || !C.expect("in"))
    return false;
  bool Stepped = C.accept("(");
  if (!operand(Lo))
    return false;
  bool Inclusive = C.accept("..=");
  if (!Inclusive && !C.expect(".."))
    return false;
  if (!operand(Hi))
    return false;
  uint64_t Step = 1;
  if (Stepped) {
    for (std::string_view S : {")", ".", "step_by", "("})
      if (!C.expect(S))
        return false;
    if (!C.expectCount(Step, ~uint64_t(0), "a step"))
      return false;
    if (Step == 0)
      return C.error(diag::G0906, VarWhere) << "the step must not be 0";
    if (!C.expect(")"))
      return false;
  }
  InstId For = B.createFor(Lo, Hi, Step, Inclusive, Unroll);
  InstId VarId = F.Insts[For].Var;
  if (!isNumberedName(Var))
    B.setName(VarId, Var);
  enclose(For);
  bool Good = block(F.Insts[For].Blocks[0], Depth + 1, &Var, VarWhere, VarId);
  Enclosing.pop_back();
  return Good;
}

bool BodyParser::blockStatement(unsigned Depth) {
  InstId I = B.createBlock();
  enclose(I);
  bool Good = block(F.Insts[I].Blocks[0], Depth + 1);
  Enclosing.pop_back();
  return Good;
}

/// The named enclosing statement, or the innermost loop without a label.
bool BodyParser::findTarget(bool IsContinue, InstId &Target) {
  bool Named = C.token().Form == TextToken::Kind::Label;
  std::string_view Wanted = C.token().Text;
  for (size_t I = Enclosing.size(); I-- > 0;) {
    bool IsLoop = F.Insts[Enclosing[I].Inst].Opcode != Op::Block;
    if (Named ? Enclosing[I].Label != Wanted : !IsLoop)
      continue;
    if (IsContinue && !IsLoop)
      return C.error(diag::G0908)
             << quoted(Wanted) << " is a block, only loops continue";
    Target = Enclosing[I].Inst;
    if (Named)
      C.advance();
    return true;
  }
  if (Named)
    return C.error(diag::G0908)
           << "no enclosing statement has the label " << quoted(Wanted);
  return C.error(diag::G0908) << "there is no enclosing loop";
}

bool BodyParser::jump() {
  if (C.accept("return")) {
    ValueId Value;
    if (!C.at(";") && !operand(Value))
      return false;
    B.ret(Value);
    return true;
  }
  bool IsContinue = C.at("continue");
  InstId Target;
  C.advance();
  if (!findTarget(IsContinue, Target))
    return false;
  if (IsContinue)
    B.continueTo(Target);
  else
    B.breakTo(Target);
  return true;
}

/// A store, or an operation without a value.
bool BodyParser::effect() {
  if (!C.atWord())
    return C.expected("a statement");
  Span Where = C.token().Where;
  bool IsCall = C.peek().is("(") || C.peek().is("::");
  if (!IsCall)
    return placeStatement();
  Result I = pathOperation(TypeId());
  if (!I)
    return false;
  if (F.Insts[I].Type != types::Void)
    return C.error(diag::G0908, Where)
           << "the operation's value needs a name: `let v: "
           << M.Types.name(F.Insts[I].Type) << " = …`";
  return true;
}

bool BodyParser::placeStatement() {
  Binding What;
  PlaceId Where;
  ValueId Value;
  bool IsLen = false;
  if (!placeBase(What) || !completePlace(What, Where, IsLen))
    return false;
  if (IsLen)
    return C.error(diag::G0908) << "a length cannot be stored to";
  if (!C.expect("=") || !operand(Value))
    return false;
  B.store(Where, Value);
  return true;
}

// --- Operations

BodyParser::Result BodyParser::operation(TypeId Declared) {
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

BodyParser::Result BodyParser::wordOperation(TypeId Declared) {
  if (C.peek().is("(") || C.peek().is("::"))
    return pathOperation(Declared);
  std::string_view Name = C.token().Text;
  Span Where = C.token().Where;
  if (C.peek().is("{")) {
    C.advance();
    return structConstruct(Name, Declared);
  }
  const Binding *What = lookUp(Name);
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
BodyParser::Result BodyParser::pathOperation(TypeId Declared) {
  Span Where = C.token().Where;
  if (C.at("ir") && C.peek().is("::")) {
    TextCursor Saved = C;
    C.advance();
    C.advance();
    bool Spec = C.at("spec");
    C = Saved;
    if (Spec) {
      Result V = specConst();
      return V ? afterOperand(V, Declared) : V;
    }
  }
  std::string Name;
  if (!C.expectPath(Name, "an operation"))
    return {};
  if (C.at("{"))
    return structConstruct(Name, Declared);
  bool Builtin = Name.starts_with("gpu::") || Name.starts_with("ir::") ||
                 Name.starts_with("f32::");
  if (!Builtin)
    return helperCall(Name, Where);
  for (Op O : {Op::GlobalId, Op::LocalId, Op::WorkgroupId, Op::NumWorkgroups})
    if (opInfo(O).Mnemonic == Name + "()")
      return idOperation(O);
  if (std::optional<MemoryForm> Form = memoryForm(Name))
    return memoryOperation(*Form);
  if (std::optional<Op> O = callForm(Name))
    return callOperation(*O, Declared);
  if (Name.starts_with("gpu::float") || Name.starts_with("gpu::int") ||
      Name.starts_with("gpu::uint") || Name.starts_with("gpu::bool"))
    return vectorConstruct(Name, Declared);
  return C.error(diag::G0903, Where) << "unknown operation " << quoted(Name);
}

BodyParser::Result BodyParser::idOperation(Op O) {
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
TypeId BodyParser::resultType(Op O, std::span<const ValueId> Operands,
                              TypeId Declared) const {
  const OpInfo &Info = opInfo(O);
  if (Info.Effects == Effect::Sync || Info.Effects == Effect::Control)
    return types::Void;
  switch (O) {
  case Op::Select:
    return F.typeOf(Operands[1]);
  case Op::ToBits:
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

BodyParser::Result BodyParser::callOperation(Op O, TypeId Declared) {
  std::vector<ValueId> Operands;
  Span Where = C.token().Where;
  if (!C.expect("(") || !arguments(Operands, ")", false))
    return {};
  const OpInfo &Info = opInfo(O);
  if (Operands.size() < Info.MinOperands || Operands.size() > Info.MaxOperands)
    return C.error(diag::G0902, Where)
           << quoted(Info.Mnemonic) << " takes " << Info.MinOperands
           << " operands, found " << Operands.size();
  return B.opTyped(O, resultType(O, Operands, Declared), Operands);
}

BodyParser::Result BodyParser::memoryOperation(MemoryForm Form) {
  std::vector<ValueId> Operands;
  ValueId Guard;
  Binding What;
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
  if (Form.Opcode == Op::Store)
    return B.store(Where, Operands[0], Guard);
  return B.atomic(Form.Opcode, Where, Operands, Guard);
}

BodyParser::Result BodyParser::helperCall(const std::string &Name, Span Where) {
  auto Found = P.Functions.find(Name);
  if (Found == P.Functions.end())
    return C.error(diag::G0903, Where) << "unknown function " << quoted(Name);
  std::vector<ValueId> Arguments;
  if (!C.expect("(") || !arguments(Arguments, ")", true))
    return {};
  return B.call(Found->second, Arguments);
}

BodyParser::Result BodyParser::placeOperation(const Binding &What) {
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

BodyParser::Result BodyParser::member(ValueId Of) {
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

BodyParser::Result BodyParser::afterOperand(ValueId First, TypeId Declared) {
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

BodyParser::Result BodyParser::unary(Op O) {
  ValueId V;
  C.advance();
  if (!operand(V))
    return {};
  ValueId Operands[] = {V};
  return B.opTyped(O, F.typeOf(V), Operands);
}

BodyParser::Result BodyParser::construct(TypeId Declared,
                                         const std::vector<ValueId> &Members,
                                         Span Where) {
  if (!Declared || M.Types.memberCount(Declared) != Members.size())
    return C.error(diag::G0905, Where)
           << quoted(Declared ? M.Types.name(Declared) : "()") << " has "
           << (Declared ? M.Types.memberCount(Declared) : 0)
           << " members, found " << Members.size();
  return B.construct(Declared, Members);
}

BodyParser::Result BodyParser::arrayConstruct(TypeId Declared) {
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
BodyParser::Result BodyParser::structConstruct(std::string_view Name,
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
BodyParser::Result BodyParser::vectorConstruct(std::string_view Name,
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

BodyParser::Result BodyParser::specConst() {
  TypeId T;
  uint64_t Number = 0;
  for (std::string_view S : {"ir", "::", "spec", "::", "<"})
    if (!C.expect(S))
      return {};
  if (!P.type(T) || !C.expect(">") || !C.expect("(") ||
      !C.expectCount(Number, 0xffffffffu, "a constant's number") ||
      !C.expect(")"))
    return {};
  Inst I;
  I.Opcode = Op::SpecConst;
  I.Type = T;
  I.Imm = Number;
  return B.append(I, {});
}

// --- Parts

bool BodyParser::operandAfterName(std::string_view Name, Span Where,
                                  ValueId &Out) {
  const Binding *What = lookUp(Name);
  if (!What)
    return C.error(diag::G0903, Where) << "unknown name " << quoted(Name);
  if (What->IsPlace)
    return C.error(diag::G0908, Where)
           << quoted(Name) << " is no value: load it first";
  Out = What->Value ? What->Value : B.param(What->Base.Index);
  return true;
}

bool BodyParser::operand(ValueId &Out) {
  TypeId T;
  uint64_t Bits = 0;
  bool Bad = false;
  bool Parenthesis = C.accept("(");
  if (parseLiteral(C, T, Bits, Bad)) {
    Out = B.constant(T, Bits);
  } else if (Bad) {
    return false;
  } else if (C.at("ir") && C.peek().is("::")) {
    Result V = specConst();
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
bool BodyParser::arguments(std::vector<ValueId> &Out, std::string_view Close,
                           bool AllowResources) {
  while (!C.at(Close)) {
    const Binding *What = C.atWord() ? lookUp(C.token().Text) : nullptr;
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

bool BodyParser::placeBase(Binding &Out) {
  if (!C.atWord())
    return C.expected("a variable or resource");
  const Binding *What = lookUp(C.token().Text);
  if (!What)
    return C.error(diag::G0903) << "unknown name " << quoted(C.token().Text);
  if (!What->IsPlace)
    return C.error(diag::G0908)
           << quoted(C.token().Text) << " is a value, not a place in memory";
  Out = *What;
  C.advance();
  return true;
}

bool BodyParser::memberName(TypeId T, uint32_t &Member) {
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
bool BodyParser::pathStep(TypeId T, bool IsBuffer, PathElement &Out) {
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

bool BodyParser::path(const Binding &What, std::vector<PathElement> &Out,
                      bool &IsLen) {
  TypeId T = baseType(M, F, What.Base);
  bool IsBuffer = What.Base.Kind == BaseKind::Param &&
                  F.Params[What.Base.Index].Kind != ParamKind::Uniform;
  bool NeedsIndex = IsBuffer;
  while (C.at(".") || C.at("[")) {
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
    NeedsIndex = false;
    Out.push_back(E);
  }
  if (NeedsIndex)
    return C.error(diag::G0908) << "a buffer must be indexed";
  return true;
}

bool BodyParser::completePlace(const Binding &What, PlaceId &Out, bool &IsLen) {
  std::vector<PathElement> Path;
  if (!path(What, Path, IsLen))
    return false;
  if (!IsLen)
    Out = B.place(What.Base, std::move(Path));
  return true;
}

bool parseBody(ModuleParser &P, Function &F) { return BodyParser(P, F).run(); }

} // namespace goldy
