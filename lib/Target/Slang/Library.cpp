//===- Library.cpp - What canonical text refers to
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// goldy.slang, and behind it the functions of the prelude's math.goldy, printed
// like any helper: `goldy_exp` and so on.
//
//===----------------------------------------------------------------------===//
#include "Printer.h"

#include "goldyc/Prelude/Prelude.h"

#include <fmt/format.h>

namespace goldy {
namespace slang {
namespace {

std::string functionText(const Module &M, const Instance &Which, Shared &S,
                         const std::vector<Effects> &All) {
  DiagSink Diags;
  Printer P(M, Which, Form::Canonical, S, {}, All, Diags);
  std::optional<std::vector<Line>> Lines = P.body();
  assert(Lines && "a published function has no Slang form");
  const Function &F = M.Functions[Which.Function];
  std::string Params;
  for (uint32_t N = 0; N < F.Params.size(); ++N)
    Params +=
        (N ? ", " : "") + declared(M, S, F.Params[N].Type, P.paramName(N));
  return fmt::format("{} {}({}) {{\n{}}}\n\n", declared(M, S, F.ReturnType, ""),
                     Which.Name, Params, joined(*Lines, 1));
}

std::string mathText(const Module &M) {
  Shared S;
  std::vector<Effects> All = moduleEffects(M);
  std::string Text = "// --- Published functions: math.goldy\n\n";
  for (uint32_t I = 0; I < M.Functions.size(); ++I) {
    const Function &F = M.Functions[FuncId(I)];
    Instance Which{FuncId(I), std::vector<std::string>(F.Params.size()),
                   "goldy_" + F.Name};
    S.Instances[instanceKey(FuncId(I), Which.Bound)] = Which.Name;
    Text += functionText(M, Which, S, All);
  }
  return Text;
}

} // namespace
} // namespace slang

std::string_view goldySlangText() {
  static const std::string Text =
      std::string(slang::libraryHead()) + "\n" + slang::mathText(mathPrelude());
  return Text;
}

} // namespace goldy
