//===- Control.cpp - Control flow as Slang text
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Printer.h"

#include <fmt/format.h>

namespace goldy::slang {

Sequence Printer::block(BlockId B, bool MayGuard) {
  Sequence Inner, *Outer = Out;
  std::vector<InstId> OuterKept;
  std::swap(OuterKept, Kept);
  Out = &Inner;
  Inner.MayGuard = MayGuard;
  for (InstId I : F.Blocks[B].Insts) {
    if (Failed || Inner.Ends)
      break;
    inst(I);
  }
  Kept = std::move(OuterKept);
  Out = Outer;
  return Inner;
}

/// The block does nothing but leave `Loop`.
bool Printer::isBreakOf(BlockId B, InstId Loop) const {
  const std::vector<InstId> &Insts = F.Blocks[B].Insts;
  return Insts.size() == 1 && F.Insts[Insts[0]].Opcode == Op::Break &&
         F.Insts[Insts[0]].Target == Loop;
}

/// An exit at the very start of a loop's body is the loop's condition.
bool Printer::becomesGuard(InstId I) {
  const Inst &N = F.Insts[I];
  if (!Out->MayGuard || Out->Statements != 0 || Out->Guard)
    return false;
  InstId Loop = Around.back().Inst;
  bool Then = isBreakOf(N.Blocks[0], Loop);
  bool Else = N.Blocks[1] && isBreakOf(N.Blocks[1], Loop);
  if (Then == Else || (Then && N.Blocks[1]))
    return false;
  Expr Condition = use(F.operand(I, 0));
  Out->Guard = Then ? Condition : negation(Condition);
  if (Then)
    return true;
  flush(U.Writes[I]);
  Sequence Rest = block(N.Blocks[0]);
  splice(Rest, 0);
  Out->Statements += Rest.Statements;
  Out->Ends = Rest.Ends;
  return true;
}

void Printer::ifElse(InstId I) {
  const Inst &N = F.Insts[I];
  if (becomesGuard(I))
    return;
  Expr Condition = use(F.operand(I, 0));
  flush(U.Writes[I]);
  Sequence Then = block(N.Blocks[0]), Else;
  if (N.Blocks[1])
    Else = block(N.Blocks[1]);
  if (Then.Statements == 0 && Else.Statements == 0)
    return;
  bool First = Out->Statements == 0;
  if (Then.Statements == 0 && Else.Statements != 0) {
    Condition = negation(Condition);
    std::swap(Then, Else);
  }
  line(fmt::format("if ({}) {{", Condition.Text));
  splice(Then);
  if (Else.Statements == 0) {
    statement("}");
  } else if (Else.OnlyIf) {
    Else.Lines[0].Text.insert(0, "} else ");
    splice(Else, 0);
    ++Out->Statements;
  } else {
    line("} else {");
    splice(Else);
    statement("}");
  }
  Out->OnlyIf = First;
  Out->Ends = Then.Ends && Else.Ends;
}

void Printer::exit(InstId Target, bool Continue) {
  bool Body = Continue && U.NeedsBodyLoop[Target];
  Out->Ends = true;
  Breakable *To = nullptr;
  for (Breakable &B : Around)
    if (B.Inst == Target && B.Body == Body)
      To = &B;
  if (!To) {
    Failed = true; // the verifier admits no such exit
    return;
  }
  if (To == &Around.back())
    return statement(Continue && !Body ? "continue;" : "break;");
  if (To->Label.empty()) {
    std::string_view Own = F.nameOf(Target);
    To->Label = Local.take(Body          ? "next"
                           : Own.empty() ? "outer"
                                         : std::string(Own));
  }
  statement(fmt::format("break {};", To->Label));
}

void Printer::printLoop(std::string Header, const std::string &Label,
                        const Sequence &Body) {
  if (!Label.empty())
    line(Label + ":");
  line(Header + " {");
  splice(Body);
  statement("}");
}

/// The statements of a Loop or For that repeat. `Around` holds the loop.
Sequence Printer::loopBody(InstId I) {
  const Inst &N = F.Insts[I];
  if (!U.NeedsBodyLoop[I])
    return block(N.Blocks[0], N.Opcode == Op::Loop);
  Around.push_back({I, true, ""});
  Sequence Inner = block(N.Blocks[0]);
  std::string Label = Around.back().Label;
  Around.pop_back();
  if (!Inner.Ends)
    Inner.Lines.push_back({0, "break;"});
  Sequence Body, *Outer = Out;
  Out = &Body;
  printLoop("while (true)", Label, Inner);
  Out = Outer;
  return Body;
}

void Printer::loop(InstId I) {
  const Inst &N = F.Insts[I];
  flush(U.Writes[I]);
  Around.push_back({I, false, ""});
  Sequence Body = loopBody(I);
  if (N.Blocks[1] && !Failed) {
    Sequence Tail = block(N.Blocks[1]);
    if (!Body.Ends)
      Body.Lines.insert(Body.Lines.end(), Tail.Lines.begin(), Tail.Lines.end());
  }
  std::string Label = Around.back().Label;
  Around.pop_back();
  std::string Header = "while (true)";
  if (Body.Guard)
    Header = fmt::format("while ({})", negation(*Body.Guard).Text);
  printLoop(Header, Label, Body);
}

/// True when no trip's increment can pass the type's largest value.
static bool cannotWrap(const Module &M, const Function &F, const Inst &N,
                       ValueId Hi) {
  if (N.Imm == 1 && !(N.Flags & FlagInclusive))
    return true;
  if (!F.isConst(Hi))
    return false;
  bool Wide = M.Types.bits(F.typeOf(Hi)) == 64;
  uint64_t Bits = F.Insts[Hi].Imm, Most = Wide ? ~uint64_t(0) : 0xffffffffu;
  if (M.Types.isSigned(F.typeOf(Hi)))
    Bits ^= Most / 2 + 1; // orders signed words as unsigned ones
  return Bits <= Most && N.Imm <= Most - Bits;
}

std::string Printer::forHeader(InstId I) {
  const Inst &N = F.Insts[I];
  ValueId LoId = F.operand(I, 0), HiId = F.operand(I, 1);
  TypeId T = F.typeOf(LoId);
  std::string Type = typeText(T, N.Loc);
  bool Inclusive = N.Flags & FlagInclusive, Signed = M.Types.isSigned(T);
  std::string_view Unsigned = isWide(LoId) ? "uint64_t" : "uint";
  std::string_view Suffix = integerSuffix(M.Types.kind(T));
  std::string_view Less = Inclusive ? "<=" : "<";
  std::string_view Own = F.nameOf(N.Var);
  auto Step = [&](const std::string &Name) {
    return N.Imm == 1 ? Name + "++"
                      : fmt::format("{} += {}{}", Name, N.Imm, Suffix);
  };
  if (cannotWrap(M, F, N, HiId)) {
    Expr Lo = use(LoId), Hi = use(HiId);
    if (Hi.Reads.any()) { // read once, before the loop
      declare(HiId, Hi);
      Hi = Values[HiId];
    }
    std::string Name = Local.take(Own.empty() ? "k" : Own);
    Values.set(N.Var, atom(Name));
    return fmt::format("for ({} {} = {}; {} {} {}; {})", Type, Name, Lo.Text,
                       Name, Less, Hi.as(Prec::Shift), Step(Name));
  }
  // Another trip follows if what is left has room for a step.
  Expr Lo = useAtom(LoId), Hi = useAtom(HiId);
  std::string Name = Local.take(Own.empty() ? "k" : Own);
  std::string More = Local.take(Name + "_more");
  Values.set(N.Var, atom(Name));
  statement(fmt::format("bool {} = {} {} {};", More, Lo.Text, Less, Hi.Text));
  std::string Left = Signed
                         ? fmt::format("{}({} - {})", Unsigned, Hi.Text, Name)
                         : fmt::format("{} - {}", Hi.Text, Name);
  return fmt::format("for ({} {} = {}; {}; {} = {} {} {}{}, {})", Type, Name,
                     Lo.Text, More, More, Left, Inclusive ? ">=" : ">", N.Imm,
                     isWide(LoId) ? "ull" : "u", Step(Name));
}

void Printer::forLoop(InstId I) {
  const Inst &N = F.Insts[I];
  std::string Header = forHeader(I);
  flush(U.Writes[I]);
  Around.push_back({I, false, ""});
  Sequence Body = loopBody(I);
  std::string Label = Around.back().Label;
  Around.pop_back();
  if (N.Unroll == UnrollFull && Label.empty())
    line("[unroll]");
  printLoop(Header, Label, Body);
}

/// A labelled block: a loop that runs once.
void Printer::breakable(InstId I) {
  flush(U.Writes[I]);
  Around.push_back({I, false, ""});
  Sequence Body = block(F.Insts[I].Blocks[0]);
  std::string Label = Around.back().Label;
  Around.pop_back();
  if (!Body.Ends)
    Body.Lines.push_back({0, "break;"});
  printLoop("while (true)", Label, Body);
}

} // namespace goldy::slang
