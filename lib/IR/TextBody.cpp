//===- TextBody.cpp - Reads IR text: statements
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "TextBody.h"
#include "TextNames.h"

using namespace goldy;

/// What the verifier admits.
constexpr unsigned MaxBlockNesting = 1000;
constexpr uint32_t MaxPool = 1u << 28;

static std::string quoted(std::string_view Text) {
  return "`" + std::string(Text) + "`";
}

// --- Names

bool TextBodyParser::bind(const std::string &Name, Span Where,
                          TextBinding What) {
  if (P.Tables.count(Name) || !Names.emplace(Name, What).second)
    return C.error(diag::G0904, Where)
           << quoted(Name) << " is already defined here";
  Scope.push_back(Name);
  return true;
}

const TextBinding *TextBodyParser::lookUp(std::string_view Name) const {
  auto Found = Names.find(Name);
  return Found == Names.end() ? nullptr : &Found->second;
}

void TextBodyParser::leaveScope(size_t Depth) {
  for (; Scope.size() > Depth; Scope.pop_back())
    Names.erase(Scope.back());
}

bool TextBodyParser::bindParams() {
  for (const auto &[Name, Id] : P.Tables)
    Names.emplace(Name, TextBinding{true, {}, {BaseKind::Table, Id.index()}});
  for (uint32_t I = 0; I < F.Params.size(); ++I) {
    TextBinding What;
    What.IsPlace = F.Params[I].Kind != ParamKind::Scalar;
    What.Base = {BaseKind::Param, I};
    if (!bind(F.Params[I].Name, F.Params[I].Loc, What))
      return false;
  }
  return true;
}

// --- Statements

bool TextBodyParser::run() {
  F.Body = B.newBlock();
  return bindParams() && block(F.Body, 0);
}

bool TextBodyParser::block(BlockId Into, unsigned Depth, std::string *VarName,
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

bool TextBodyParser::statement(unsigned Depth) {
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

bool TextBodyParser::workgroupArray(const std::string &Name, Span Where) {
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
bool TextBodyParser::declareMutable() {
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

bool TextBodyParser::declaration() {
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

bool TextBodyParser::unrollAttribute() {
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

bool TextBodyParser::control(unsigned Depth) {
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

bool TextBodyParser::ifStatement(unsigned Depth) {
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

bool TextBodyParser::loopStatement(unsigned Depth) {
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

bool TextBodyParser::forStatement(unsigned Depth) {
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

bool TextBodyParser::blockStatement(unsigned Depth) {
  InstId I = B.createBlock();
  enclose(I);
  bool Good = block(F.Insts[I].Blocks[0], Depth + 1);
  Enclosing.pop_back();
  return Good;
}

/// The named enclosing statement, or the innermost loop without a label.
bool TextBodyParser::findTarget(bool IsContinue, InstId &Target) {
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

bool TextBodyParser::jump() {
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
bool TextBodyParser::effect() {
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

bool TextBodyParser::placeStatement() {
  TextBinding What;
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

bool goldy::parseBody(TextModuleParser &P, Function &F) {
  return TextBodyParser(P, F).run();
}
