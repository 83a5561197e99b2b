//===- SpecialiseProgram.cpp - Variants for the dispatches of programs ----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/FuseProgram.h"
#include "goldyc/Transforms/Specialise.h"

#include <algorithm>
#include <map>
#include <set>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// As many as one kernel is worth compiling for.
constexpr size_t MaxVariants = 16;

class Specialiser {
public:
  Specialiser(Program &P, Module &M, ProgramReport &Report)
      : P(P), M(M), Report(Report) {}
  void visit(Dispatch &D);

private:
  Program &P;
  Module &M;
  ProgramReport &Report;
  std::map<FuncId, std::set<FuncId>> Variants; ///< by their original
};

void Specialiser::visit(Dispatch &D) {
  std::vector<std::optional<uint64_t>> Values;
  std::string Text;
  for (size_t K = 0; K < D.Args.size(); ++K) {
    const Argument &A = D.Args[K];
    Values.push_back(A.Buffer ? std::nullopt : P.Exprs.constantBits(A.Value));
    if (Values.back())
      Text += (Text.empty() ? "" : ", ") +
              M.Functions[D.Kernel].Params[K].Name + " = " +
              exprText(P, A.Value);
  }
  std::set<FuncId> &Known = Variants[D.Kernel];
  FuncId Made = M.find(variantName(M.Functions[D.Kernel].Name, Values));
  if (Text.empty() || (Known.size() == MaxVariants && !Known.contains(Made)))
    return;
  FuncId Variant = specialise(M, D.Kernel, Values);
  Known.insert(Variant);
  Report.Variants.push_back(
      {D.Kernel, Variant, std::move(Text), std::move(Values), D.Loc});
  D.Kernel = Variant;
}

} // namespace

void goldy::specialiseProgram(Program &P, Module &M, ProgramReport &Report) {
  Specialiser S(P, M, Report);
  forEachStep(P.Steps, [&](prog::Step &Next) {
    if (Dispatch *D = std::get_if<Dispatch>(&Next.Kind))
      S.visit(*D);
  });
}
