//===- Rules.h - What the verifier's files share
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structural rules run in stages; each may rely on what the earlier ones
// found right: types and signatures of the whole module, then for each function
// handles and scopes, then operands, places, control and the level's forms.
// No stage may assert or recurse without bound, however broken the module is.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_VERIFY_RULES_H
#define GOLDYC_LIB_VERIFY_RULES_H

#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

namespace goldy::verifier {

/// Reports violations of numbered rules.
class Reporter {
public:
  explicit Reporter(DiagSink &Diags) : Diags(Diags) {}
  /// Starts the message of a violated rule: "V12: in `f`: …". The text follows
  /// by `<<`.
  DiagBuilder rule(unsigned Number, const Function *F, Span Where);
  /// Ditto about one instruction of a function: names it too.
  DiagBuilder rule(unsigned Number, const Function &F, InstId I);
  DiagSink &sink() { return Diags; }

private:
  DiagSink &Diags;
};

/// "`load` (%12 `x`)" as far as the instruction can be named.
std::string describe(const Function &F, InstId I);

// Each returns true if nothing was found.
bool checkTypes(const Module &M, Reporter &R);                       // V1 V5
bool checkSignatures(const Module &M, Reporter &R);                  // V2 V3 V6
bool checkHandles(const Module &M, const Function &F, Reporter &R);  // V10-V13
bool checkScopes(const Module &M, const Function &F, Reporter &R);   // V14 V15
bool checkOperands(const Module &M, FuncId F, Reporter &R);          // V20-V29
bool checkPlaces(const Module &M, const Function &F, Reporter &R);   // V30-V39
bool checkControl(const Module &M, const Function &F, Reporter &R);  // V40-V49
bool checkLevel(const Module &M, const Function &F, Reporter &R);    // V50-V59
bool checkBarriers(const Module &M, const Function &F, Reporter &R); // V60
bool checkLimits(const Module &M, const Function &F, Reporter &R);   // V61-V64

/// V66, a warning: definitions only.
void warnOfSpinLocks(const Function &F, Reporter &R);

/// Numbers that a value of the type holds, saturating; checked types only.
uint64_t scalarCount(const TypeTable &Types, TypeId T);

/// Control statements nest at most so deep.
inline constexpr unsigned MaxNesting = 1000;
/// Numbers in one private value.
inline constexpr uint64_t MaxPrivateScalars = 16384;

} // namespace goldy::verifier

#endif
