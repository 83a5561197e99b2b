//===- Verify.cpp - The stages of the verifier
//------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each stage relies on the earlier ones, so a function that fails one is not
// looked at by the next. Rules on the program come last, on sound IR only.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Verify/Verify.h"

#include "Rules.h"

namespace goldy {
namespace verifier {

static diag::Code codeOf(unsigned Rule) {
  static constexpr diag::Code Codes[] = {diag::G0500, diag::G0510, diag::G0520,
                                         diag::G0530, diag::G0540, diag::G0550};
  return Codes[Rule / 10];
}

DiagBuilder Reporter::rule(unsigned Number, const Function *F, Span Where) {
  DiagBuilder D = Diags.report(codeOf(Number), Where);
  D << "V" << Number << ": ";
  if (F)
    D << "in `" << F->Name << "`: ";
  return D;
}

DiagBuilder Reporter::rule(unsigned Number, const Function &F, InstId I) {
  DiagBuilder D = rule(Number, &F, F.Insts[I].Loc);
  D << describe(F, I) << ": ";
  return D;
}

std::string describe(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  std::string Text = "`";
  Text += opInfo(N.Opcode).Mnemonic;
  Text += "` (%" + std::to_string(I.index());
  if (N.Name && N.Name < F.Names.size())
    Text += " `" + F.Names[N.Name] + "`";
  return Text + ")";
}

/// V36: a kernel that adds floats by atomics, itself or in a helper, says so.
static bool checkFloatAtomics(const Module &M, Reporter &R) {
  std::vector<bool> Adds(M.Functions.size(), false);
  bool Good = true;
  for (uint32_t N = 0; N < M.Functions.size(); ++N) {
    const Function &F = M.Functions[FuncId(N)];
    for (const Inst &I : F.Insts)
      if ((I.Opcode == Op::AtomicAdd && I.Type == types::F32) ||
          (I.Opcode == Op::Call && Adds[I.Callee.index()]))
        Adds[N] = true;
    if (!Adds[N] || F.Kind == FuncKind::Helper || F.Nondeterministic)
      continue;
    R.rule(36, &F, F.Loc) << "it adds floats by atomics and is not marked "
                             "`nondeterministic`";
    Good = false;
  }
  return Good;
}

/// All structural rules; the limits guard against values too large to walk.
static bool checkStructure(const Module &M, Reporter &R) {
  if (!checkTypes(M, R) || !checkSignatures(M, R))
    return false;
  bool Good = true;
  for (const Function &F : M.Functions)
    Good &= checkHandles(M, F, R) && checkScopes(M, F, R);
  if (!Good)
    return false;
  for (uint32_t N = 0; N < M.Functions.size(); ++N) {
    const Function &F = M.Functions[FuncId(N)];
    bool Typed = checkOperands(M, FuncId(N), R);
    Typed &= checkPlaces(M, F, R);
    Good &= Typed;
    Good &= checkControl(M, F, R);
    Good &= checkLevel(M, F, R);
  }
  return Good && checkFloatAtomics(M, R);
}

static bool checkProgram(const Module &M, Reporter &R) {
  bool Good = true;
  for (const Function &F : M.Functions)
    Good &= checkLimits(M, F, R);
  if (!Good)
    return false;
  for (const Function &F : M.Functions)
    if (F.Kind == FuncKind::Kernel)
      Good &= checkBarriers(M, F, R);
  if (M.Level == IRLevel::Definition)
    for (const Function &F : M.Functions)
      warnOfSpinLocks(F, R);
  return Good;
}

} // namespace verifier

std::optional<VerifiedModule> verify(Module M, DiagSink &Diags) {
  verifier::Reporter R(Diags);
  if (!verifier::checkStructure(M, R) || !verifier::checkProgram(M, R))
    return std::nullopt;
  return VerifiedModule(std::move(M));
}

bool isWellFormed(const Module &M, std::string &Why) {
  DiagSink Diags;
  verifier::Reporter R(Diags);
  if (verifier::checkStructure(M, R))
    return true;
  Why = Diags.diagnostics().empty() ? std::string("unknown rule")
                                    : Diags.diagnostics().front().Message;
  return false;
}

} // namespace goldy
