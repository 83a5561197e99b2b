//===- PassManager.cpp - The registry and runner of passes
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes are known by name from Passes.def. With VerifyEach a pass that breaks
// a structural rule ends the process with the pass, the rule and the IR: that
// is never the user's fault.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Text.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <cstdio>
#include <cstdlib>

namespace goldy {

#define PASS(ID, NAME, DOC) std::unique_ptr<Pass> create##ID##Pass();
#include "goldyc/Transforms/Passes.def"

const std::vector<PassEntry> &allPasses() {
  static const std::vector<PassEntry> Entries = {
#define PASS(ID, NAME, DOC) {NAME, DOC, create##ID##Pass},
#include "goldyc/Transforms/Passes.def"
  };
  return Entries;
}

std::unique_ptr<Pass> createPass(std::string_view Name) {
  for (const PassEntry &E : allPasses())
    if (E.Name == Name)
      return E.Create();
  return nullptr;
}

/// Ends the process: a pass broke its own invariant.
static void checkAfter(std::string_view Name, const Module &M) {
  std::string Why;
  if (isWellFormed(M, Why))
    return;
  std::string Text = moduleText(M);
  std::fprintf(stderr, "internal error: after pass `%.*s`: %s\n%s\n",
               static_cast<int>(Name.size()), Name.data(), Why.c_str(),
               Text.c_str());
  std::abort();
}

bool runPasses(Module &M, const std::vector<std::string_view> &Names,
               PassContext &Context, const PassObserver &Observer) {
  for (std::string_view Name : Names) {
    std::unique_ptr<Pass> P = createPass(Name);
    if (!P)
      return Context.Diags.report(diag::G0590, Span())
             << "there is no pass `" << Name << "`";
    if (Observer.Before)
      Observer.Before(Name, M);
    if (P->run(M, Context) == PassResult::Failed)
      return false;
    if (Observer.VerifyEach)
      checkAfter(Name, M);
    if (Observer.After)
      Observer.After(Name, M);
  }
  return true;
}

} // namespace goldy
