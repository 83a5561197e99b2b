//===- LanesWords.cpp - Words for what a lane plan decides ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "LanesWords.h"

using namespace goldy;

const char *goldy::laneRowsText(RowsReason Why) {
  switch (Why) {
  case RowsReason::OneRow:
    return "groups have no more";
  case RowsReason::Shared:
    return "what they have in common is done once";
  case RowsReason::Waits:
    return "the sums of one would wait for themselves";
  case RowsReason::Registers:
    return "what the whole group keeps stays in registers";
  case RowsReason::NoLoop:
    return "no loop in which rows have something in common";
  case RowsReason::Enough:
    return "rows have little in common and enough of their own";
  case RowsReason::Leaves:
    return "work-items leave it early, or meet";
  case RowsReason::Ordered:
    return "atomics go lane by lane";
  case RowsReason::Array:
    return "a private array in memory";
  case RowsReason::Checked:
    return "a copy with checks";
  case RowsReason::Large:
    return "more would not fit in registers, or be too much code";
  }
  return "";
}

/// A value in the user's terms: names, numbers, operations on them.
static std::string nameText(const Function &F, ValueId V, unsigned Depth = 4) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::ParamValue)
    return F.Params[N.Imm].Name;
  if (N.Opcode == Op::Const)
    return std::to_string(N.Imm);
  if (std::string_view Name = F.nameOf(V); !Name.empty())
    return std::string(Name);
  std::string_view Word = opInfo(N.Opcode).Mnemonic;
  std::span<const ValueId> Ops = F.operands(V);
  if (N.Opcode == Op::Cast && Depth)
    return nameText(F, Ops[0], Depth - 1);
  if (Ops.size() != 2 || Depth == 0)
    return std::string(Word);
  return "(" + nameText(F, Ops[0], Depth - 1) + " " + std::string(Word) + " " +
         nameText(F, Ops[1], Depth - 1) + ")";
}

std::string goldy::laneTestText(const Function &F, const LaneTest &T) {
  std::string Text = std::to_string(T.Constant);
  for (const auto &[V, Factor] : T.Values) {
    Text += Factor < 0 ? " - " : " + ";
    if (Factor != 1 && Factor != -1)
      Text += std::to_string(Factor < 0 ? -Factor : Factor) + " * ";
    Text += nameText(F, V);
  }
  return Text + " >= 0";
}
