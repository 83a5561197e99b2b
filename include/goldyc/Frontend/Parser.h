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

#include <functional>
#include <optional>
#include <ostream>

namespace goldy {

/// Finds the text of module `Name` that file `From` asks for: the file, added
/// to the source manager, or nothing and the places that were tried.
using ModuleFinder = std::function<std::optional<FileId>(
    FileId From, std::string_view Name, std::vector<std::string> &Tried)>;

/// Modules of one program, at most.
inline constexpr size_t MaxModules = 1024;

/// Nesting of expressions, blocks and types beyond this is refused (01xx).
inline constexpr unsigned MaxNesting = 256;

/// Parses a file and every module that it names, one tree for all. A file that
/// two modules name is part of the program twice, as Rust has it.
ast::Ast parseProgram(const SourceManager &SM, FileId File,
                      const ModuleFinder &Finder, DiagSink &Diags);

/// Parses one file, whose `mod` items find nothing. Always returns a tree;
/// errors are in `Diags` and their nodes are Error nodes. Recovers at statement
/// and item boundaries, so one run reports many independent errors. Never
/// crashes on any bytes.
ast::Ast parseFile(const SourceManager &SM, FileId File, DiagSink &Diags);

/// The tree as indented text (--emit=ast).
void printAst(std::ostream &Out, const ast::Ast &Tree);

} // namespace goldy

#endif
