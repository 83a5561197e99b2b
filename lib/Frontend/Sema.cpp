//===- Sema.cpp - The stages of analysis, in order
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names first, then types and constants on demand, then bodies; lowering only
// when the whole file is free of errors.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

using namespace goldy;
using namespace goldy::sema;

/// Structs and constants that nothing uses are checked as well.
static void resolveItems(Context &C) {
  for (uint32_t I = 0; I < C.Structs.size(); ++I)
    structType(C, I);
  for (uint32_t I = 0; I < C.Consts.size(); ++I)
    evaluateConst(C, I);
}

static void inferBodies(Context &C) {
  for (uint32_t I = 0; I < C.Functions.size() && !C.Diags.atLimit(); ++I)
    if (C.Functions[I].Item->Body)
      C.Functions[I].IsProgram ? inferProgram(C, I) : inferBody(C, I);
}

/// Kernels in source order, each after the helpers it needs; then the helpers
/// that no kernel reached.
static void lowerAll(Context &C) {
  for (bool Kernels : {true, false})
    for (uint32_t I = 0; I < C.Functions.size(); ++I)
      if (C.Functions[I].IsKernel == Kernels && !C.Functions[I].IsProgram &&
          C.Functions[I].Instances.empty())
        lowerFunction(C, I, 0);
}

std::optional<Module> goldy::lowerToIR(const SourceManager &SM,
                                       const ast::Ast &Tree,
                                       const SemaOptions &Options,
                                       DiagSink &Diags,
                                       std::vector<prog::Program> *Programs) {
  if (Tree.Incomplete)
    return std::nullopt;
  Context C(SM, Tree, Options, Diags);
  C.M.Bounds = Options.Bounds;
  collectItems(C);
  bindDefines(C);
  bindSpecs(C);
  resolveItems(C);
  declareSpecs(C);
  resolveSignatures(C);
  inferBodies(C);
  checkRecursion(C);
  checkSchedules(C);
  if (Diags.hasErrors())
    return std::nullopt;
  lowerAll(C);
  for (uint32_t I = 0; Programs && I < C.Functions.size(); ++I)
    if (C.Functions[I].IsProgram)
      Programs->push_back(lowerProgram(C, I));
  return std::move(C.M);
}
