//===- Text.h - IR text: printing and parsing
//-------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// IR text is the kernel language under the header `#![goldy::ir]`: every type
// is written, nothing is inferred or folded, one operation a `let`, `ir::op`
// for what the language lacks. print(parse(print(M))) == print(M), and the
// parsed module equals the printed one up to locations. The grammar is in
// docs/IR.md. Unlike the language it is parsed by its own small parser.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_TEXT_H
#define GOLDYC_IR_TEXT_H

#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

#include <functional>
#include <optional>
#include <ostream>

namespace goldy {

/// Annotations: text put as a comment after an instruction's line (empty:
/// none), and lines before a block; used by --emit=lanes.
struct TextOptions {
  std::function<std::string(const Function &, InstId)> Comment;
};
void printModule(std::ostream &Out, const Module &M,
                 const TextOptions &Options = {});
void printFunction(std::ostream &Out, const Module &M, const Function &F,
                   const TextOptions &Options = {});
std::string moduleText(const Module &M);
/// One instruction, for messages.
std::string instText(const Module &M, const Function &F, InstId I);

/// True when the text starts with the IR header.
bool isIRText(std::string_view Text);
/// Never asserts on any input; the module is well-formed (see Verify) only if
/// this succeeds and the verifier agrees.
std::optional<Module> parseIRText(const SourceManager &SM, FileId File,
                                  DiagSink &Diags);

} // namespace goldy

#endif
