//===- Sema.h - Names, types, constants; lowering to IR
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_SEMA_H
#define GOLDYC_FRONTEND_SEMA_H

#include "goldyc/Frontend/Ast.h"
#include "goldyc/IR/NamedLocal.h"
#include "goldyc/ProgramDesc/Program.h"
#include "goldyc/Support/Diag.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace goldy {

struct SemaOptions {
  /// -D NAME=VALUE in command-line order.
  std::vector<std::pair<std::string, std::string>> Defines;
  /// --spec NAME=VALUE: defaults of specialisation constants.
  std::vector<std::pair<std::string, std::string>> Specs;
  BoundsMode Bounds = BoundsMode::Checked;
  /// The prelude: `ir::op(..)` names raw operations, helpers may be called
  /// like builtins, kernels are not required.
  bool IsPrelude = false;
  /// For debuggers: takes every body, and every variable that it names. Those
  /// that need no memory are then stored into a slot too, which nothing reads,
  /// and slots of variables have the variable's scope for their span.
  NameTable *Names = nullptr;
};

/// Resolves, types and lowers a whole file: every error is reported (many a
/// run), and the module is returned only if there was none. The result is at
/// level Definition: nothing legalised, helpers not inlined. `Programs`, if
/// given, takes the programs of the file in its order.
std::optional<Module> lowerToIR(const SourceManager &SM, const ast::Ast &Tree,
                                const SemaOptions &Options, DiagSink &Diags,
                                std::vector<prog::Program> *Programs = nullptr);

} // namespace goldy

#endif
