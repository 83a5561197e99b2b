//===- Ints.cpp - The words of a template's ints --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Ints.h"

#include "program/Derived.h"

using namespace goldy;
using namespace goldy::prog;
using program::Expression;
using program::Number;

namespace {

constexpr Number NoWord = -1;
/// An operand with more nodes than this gets a word of its own: far below what
/// an expression may have, also in values that wait, of which these are 8.
constexpr size_t MostNodes = 16;

program::Scalar scalarOf(TypeId T) {
  return T == types::Bool  ? program::Scalar::Bool
         : T == types::U32 ? program::Scalar::U32
         : T == types::I32 ? program::Scalar::I32
         : T == types::F32 ? program::Scalar::F32
         : T == types::U64 ? program::Scalar::U64
                           : program::Scalar::I64;
}

program::Op opOf(ExprOp O) {
  switch (O) {
  case ExprOp::Add:
    return program::Op::Add;
  case ExprOp::Sub:
    return program::Op::Sub;
  case ExprOp::Mul:
    return program::Op::Mul;
  case ExprOp::Div:
    return program::Op::Div;
  case ExprOp::Rem:
    return program::Op::Mod;
  case ExprOp::Shl:
    return program::Op::Shl;
  case ExprOp::Shr:
    return program::Op::Shr;
  case ExprOp::And:
    return program::Op::And;
  case ExprOp::Or:
    return program::Op::Or;
  case ExprOp::Xor:
    return program::Op::Xor;
  case ExprOp::Min:
    return program::Op::Min;
  case ExprOp::Max:
    return program::Op::Max;
  default:
    return program::Op::Cast;
  }
}

/// The number that a constant's bits are, as words hold it.
Number numberOf(TypeId T, uint64_t Bits) {
  return T == types::I32 ? Number(static_cast<int32_t>(Bits))
                         : static_cast<Number>(Bits);
}

/// A constant of 64 bits may be no number of 63: then by halves.
Expression constantNodes(TypeId T, uint64_t Bits) {
  Number N = numberOf(T, Bits);
  bool Wide = T == types::U64
                  ? Bits > uint64_t(program::NumberMax)
                  : N < program::NumberMin || N > program::NumberMax;
  if (!Wide)
    return {fixed(N)};
  program::Domain In = domainOf(T);
  return {fixed(static_cast<Number>(Bits >> 32)), fixed(32),
          applied(program::Op::Shl, In),
          fixed(static_cast<Number>(Bits & 0xffffffffu)),
          applied(program::Op::Or, In)};
}

std::string keyOf(const Expression &Is) {
  std::string Key;
  for (const program::ExpressionNode &Node : Is) {
    if (const program::Fixed *F = std::get_if<program::Fixed>(&Node))
      Key += 'c' + std::to_string(F->Value);
    else if (const program::IntWord *W = std::get_if<program::IntWord>(&Node))
      Key += 'w' + std::to_string(W->Word);
    else {
      const program::Apply &A = std::get<program::Apply>(Node);
      Key += static_cast<char>('A' + static_cast<int>(A.What));
      Key += static_cast<char>('0' + static_cast<int>(A.In));
    }
  }
  return Key;
}

} // namespace

program::Domain prog::domainOf(TypeId T) {
  return T == types::I32   ? program::Domain::I32
         : T == types::U64 ? program::Domain::U64
         : T == types::I64 ? program::Domain::I64
                           : program::Domain::U32;
}

Ints::Ints(const Program &P, program::ProgramTemplate &T)
    : P(P), T(T), Params(P.Params.size(), NoWord),
      Lengths(P.Params.size(), NoWord), Inputs(P.Params.size(), NoWord),
      Vars(P.Vars.size(), NoWord) {
  for (uint32_t I = 0; I < P.Params.size(); ++I)
    if (!P.Params[I].Buffer)
      Params[I] = newWord(
          program::NamedInt{P.Params[I].Name, scalarOf(P.Params[I].Type)}, 0);
}

void Ints::setInput(uint32_t Param, Number Input) { Inputs[Param] = Input; }

Number Ints::newWord(program::TemplateInt What, uint32_t Level) {
  T.Ints.push_back(std::move(What));
  Levels.push_back(Level);
  return static_cast<Number>(T.Ints.size() - 1);
}

Number Ints::length(uint32_t Param) {
  if (Lengths[Param] == NoWord)
    Lengths[Param] = newWord(program::LengthInt{Inputs[Param]}, 0);
  return Lengths[Param];
}

Number Ints::overlap(Number A, Number B) {
  for (size_t I = 0; I < T.Ints.size(); ++I)
    if (T.Ints[I] == program::TemplateInt(program::OverlapInt{A, B}))
      return static_cast<Number>(I);
  return newWord(program::OverlapInt{A, B}, 0);
}

//===-- Expressions -------------------------------------------------------===//

std::string Ints::originOf(ExprId E) const { return exprText(P, E); }

Expression Ints::compute(const Expr &X) {
  Expression Is = nodes(X.L);
  if (X.R) {
    Expression Right = nodes(X.R);
    Is.insert(Is.end(), Right.begin(), Right.end());
  }
  Is.push_back(applied(opOf(X.Op), domainOf(X.Type)));
  return Is;
}

Number Ints::half(ExprId E, bool High) {
  Expression Is = nodes(E);
  if (High)
    Is.insert(Is.end(),
              {fixed(32), applied(program::Op::Shr, program::Domain::U64)});
  Is.push_back(applied(program::Op::Cast, program::Domain::U32));
  return derived(std::move(Is), originOf(E) + (High ? " >> 32" : ""));
}

/// The value of `Is`, which computes `E`, of words for its halves.
Expression Ints::joined(const Expression &Is, ExprId E) {
  Expression Low = Is, High = Is;
  Low.push_back(applied(program::Op::Cast, program::Domain::U32));
  High.insert(High.end(),
              {fixed(32), applied(program::Op::Shr, program::Domain::U64),
               applied(program::Op::Cast, program::Domain::U32)});
  program::Domain In = domainOf(P.Exprs[E].Type);
  return {program::IntWord{derived(std::move(High), originOf(E) + " >> 32")},
          fixed(32), applied(program::Op::Shl, In),
          program::IntWord{derived(std::move(Low), originOf(E))},
          applied(program::Op::Or, In)};
}

Expression Ints::nodes(ExprId E) {
  const Expr &X = P.Exprs[E];
  if (X.Op == ExprOp::Const)
    return constantNodes(X.Type, X.Bits);
  if (X.Op <= ExprOp::Length || Known.count(E))
    return {program::IntWord{word(E)}};
  if (std::map<ExprId, Expression>::iterator It = Joined.find(E);
      It != Joined.end())
    return It->second;
  Expression Is = compute(X);
  if (Is.size() <= MostNodes)
    return Is;
  if (X.Type == types::U64 || X.Type == types::I64)
    return Joined[E] = joined(Is, E);
  Number Word = derived(std::move(Is), originOf(E));
  Known[E] = Word;
  return {program::IntWord{Word}};
}

Number Ints::word(ExprId E) {
  const Expr &X = P.Exprs[E];
  if (X.Op == ExprOp::Param)
    return Params[X.Index];
  if (X.Op == ExprOp::Var)
    return variable(X.Index);
  if (X.Op == ExprOp::Length)
    return length(X.Index);
  std::map<ExprId, Number>::iterator It = Known.find(E);
  if (It != Known.end())
    return It->second;
  Number Word =
      derived(X.Op == ExprOp::Const ? nodes(E) : compute(X), originOf(E));
  Known[E] = Word;
  return Word;
}

program::Value Ints::value(ExprId E) {
  if (std::optional<uint64_t> Bits = P.Exprs.constantBits(E))
    return program::Fixed{numberOf(P.Exprs[E].Type, *Bits)};
  return program::IntWord{word(E)};
}

/// Words that a loop sets belong to the innermost loop that is read.
uint32_t Ints::levelOf(const Expression &Is) const {
  uint32_t Level = 0;
  for (const program::ExpressionNode &Node : Is)
    if (const program::IntWord *W = std::get_if<program::IntWord>(&Node))
      Level = std::max(Level, Levels[static_cast<size_t>(W->Word)]);
  return Level;
}

Number Ints::derived(Expression Is, std::string Origin) {
  auto [It, New] = Derived.try_emplace(keyOf(Is), NoWord);
  if (!New)
    return It->second;
  uint32_t Level = levelOf(Is);
  Number Word = It->second = newWord(program::HiddenInt{}, Level);
  std::vector<program::DerivedInt> &Into =
      Level ? Open[Level - 1].Derived : T.Derived;
  Into.push_back({Word, std::move(Is), std::move(Origin)});
  return Word;
}

/// Constants of 32 bits stay within 63 bits through one operation.
program::Value Ints::exact(ExprId E, const Expression &Tail) {
  if (Tail.empty())
    return value(E);
  Expression Is = nodes(E);
  Is.insert(Is.end(), Tail.begin(), Tail.end());
  if (P.Exprs[E].Op == ExprOp::Const) {
    program::Evaluation Done = program::evaluate({0, Is, ""}, {});
    if (Done.ok())
      return program::Fixed{static_cast<Number>(Done.Value)};
  }
  return program::IntWord{derived(std::move(Is), originOf(E))};
}

//===-- Loops -------------------------------------------------------------===//

/// `Hi - Lo`, one less of an empty range at most.
Expression Ints::distance(const Loop &L) {
  Expression Is = nodes(L.Hi), Lo = nodes(L.Lo);
  Is.insert(Is.end(), Lo.begin(), Lo.end());
  Is.push_back(applied(program::Op::Sub));
  Is.push_back(fixed(L.Inclusive ? -1 : 0));
  Is.push_back(applied(program::Op::Max));
  return Is;
}

/// A step that is computed is read without sign, and 0 as 1.
Expression Ints::step(const Loop &L) {
  Expression By = nodes(L.By);
  if (P.Exprs[L.By].Op == ExprOp::Const)
    return By;
  bool Wide = domainOf(P.Exprs[L.By].Type) >= program::Domain::U64;
  By.push_back(applied(program::Op::Cast,
                       Wide ? program::Domain::U64 : program::Domain::U32));
  By.push_back(fixed(1));
  By.push_back(applied(program::Op::Max));
  return By;
}

/// The distance over the step, rounded up; of an inclusive range rounded down,
/// and one trip more.
program::Value Ints::trips(const Loop &L) {
  bool One = P.Exprs.isConstant(L.By, 1);
  Expression By = step(L);
  Expression Is = distance(L);
  if (L.Inclusive) {
    Is.insert(Is.end(), By.begin(), By.end());
    Is.push_back(applied(program::Op::Add));
  }
  if (!One) {
    Is.insert(Is.end(), By.begin(), By.end());
    Is.push_back(
        applied(L.Inclusive ? program::Op::Div : program::Op::DivCeil));
  }
  bool Constant = P.Exprs[L.Lo].Op == ExprOp::Const &&
                  P.Exprs[L.Hi].Op == ExprOp::Const &&
                  P.Exprs[L.By].Op == ExprOp::Const;
  program::Evaluation Done;
  if (Constant)
    Done = program::evaluate({0, Is, ""}, {});
  if (Constant && Done.ok())
    return program::Fixed{static_cast<Number>(Done.Value)};
  if (One && !L.Inclusive && P.Exprs.isConstant(L.Lo, 0))
    return program::IntWord{word(L.Hi)};
  return program::IntWord{
      derived(std::move(Is),
              originOf(L.Lo) + (L.Inclusive ? "..=" : "..") + originOf(L.Hi))};
}

void Ints::enterLoop(const Loop &L) { Open.push_back({&L, {}, {}}); }

Number Ints::variable(uint32_t Var) {
  if (Vars[Var] != NoWord)
    return Vars[Var];
  size_t Depth = 0;
  while (Open[Depth].Of->Var != Var)
    ++Depth;
  const Loop &L = *Open[Depth].Of;
  Number Trip = newWord(program::HiddenInt{}, static_cast<uint32_t>(Depth + 1));
  Open[Depth].Trip = Trip;
  if (P.Exprs.isConstant(L.Lo, 0) && P.Exprs.isConstant(L.By, 1))
    return Vars[Var] = Trip;
  program::Domain In = domainOf(P.Vars[Var].Type);
  Expression Is = nodes(L.Lo), By = step(L);
  Is.push_back(program::IntWord{Trip});
  if (!P.Exprs.isConstant(L.By, 1)) {
    Is.insert(Is.end(), By.begin(), By.end());
    Is.push_back(applied(program::Op::Mul, In));
  }
  Is.push_back(applied(program::Op::Add, In));
  return Vars[Var] = derived(std::move(Is), P.Vars[Var].Name);
}

/// The steps of a choice come twice, and a loop among them too: the second one
/// sets words of its own.
void Ints::leaveLoop(program::Loop &Out) {
  uint32_t Level = static_cast<uint32_t>(Open.size());
  auto IsInner = [&](const auto &E) {
    return E.second != NoWord && Levels[static_cast<size_t>(E.second)] >= Level;
  };
  std::erase_if(Known, IsInner);
  std::erase_if(Joined,
                [&](const auto &J) { return levelOf(J.second) >= Level; });
  std::erase_if(Derived, IsInner);
  Vars[Open.back().Of->Var] = NoWord;
  Out.Trip = Open.back().Trip;
  Out.Derived = std::move(Open.back().Derived);
  Open.pop_back();
}
