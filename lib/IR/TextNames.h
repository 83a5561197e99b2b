//===- TextNames.h - The names of a function's values in IR text
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every name printed in a function is unique in it. Resources come first and
// keep their names if they can; named values follow in program order, with a
// number appended where a name is taken; unnamed values are v0, v1, … A value
// whose own name has that shape counts as unnamed, so that numbering is the
// same when the text is parsed and printed again.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_IR_TEXTNAMES_H
#define GOLDYC_LIB_IR_TEXTNAMES_H

#include "goldyc/IR/IR.h"

#include <map>
#include <set>

namespace goldy {

/// True for `v0`, `v12` …: a value without a name of its own.
bool isNumberedName(std::string_view Name);
/// True for words that the text form gives a meaning.
bool isReservedWord(std::string_view Name);

/// The names of types. Structs of one name (a pass made a second one) get a
/// number appended.
class TextTypeNames {
public:
  explicit TextTypeNames(const TypeTable &Types);
  const std::string &structure(StructId S) const { return Structs[S.index()]; }
  std::string name(TypeId T) const;

private:
  const TypeTable &Types;
  std::vector<std::string> Structs;
};

class TextNames {
public:
  TextNames(const Module &M, const Function &F);
  const std::string &value(InstId I) const { return Values[I]; }
  const std::string &slot(uint32_t Index) const { return Slots[Index]; }
  const std::string &workgroup(uint32_t Index) const {
    return Workgroups[Index];
  }
  const std::string &param(uint32_t Index) const { return Params[Index]; }
  /// `'l0` for an instruction that some Break or Continue names, else empty.
  const std::string &label(InstId I) const { return Labels[I]; }

private:
  std::string unique(std::string_view Wanted);
  void nameBlock(const Function &F, BlockId B);
  void nameValue(const Function &F, InstId I);

  SideMap<Inst, std::string> Values, Labels;
  SideMap<Inst, bool> Targeted{false};
  std::vector<std::string> Params, Slots, Workgroups;
  std::set<std::string, std::less<>> Used;
  std::map<std::string, uint32_t> NextSuffix; ///< the last that was tried
  uint32_t NextNumber = 0, NextLabel = 0;
};

} // namespace goldy

#endif
