//===- Parser.h - Text to syntax tree
//---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_PARSER_H
#define GOLDYC_FRONTEND_PARSER_H

#include "goldyc/Frontend/Ast.h"
#include "goldyc/Support/Diag.h"

#include <ostream>

namespace goldy {

/// Nesting of expressions, blocks and types beyond this is refused (01xx).
inline constexpr unsigned MaxNesting = 256;

/// Parses one file. Always returns a tree; errors are in `Diags` and their
/// nodes are Error nodes. Recovers at statement and item boundaries, so one
/// run reports many independent errors. Never crashes on any bytes.
ast::Ast parseFile(const SourceManager &SM, FileId File, DiagSink &Diags);

/// The tree as indented text (--emit=ast).
void printAst(std::ostream &Out, const ast::Ast &Tree);

} // namespace goldy

#endif
