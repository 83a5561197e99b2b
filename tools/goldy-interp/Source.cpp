//===- Source.cpp - A .goldy file as kernels and programs -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Source.h"
#include "Input.h"
#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/Support/ValueSpec.h"

#include <filesystem>

using namespace goldy;
namespace fs = std::filesystem;

/// `NAME.goldy` beside the file that asks, then in the directories of -I.
static ModuleFinder finderOf(SourceManager &SM, const CommandLine &Line) {
  return [&SM, &Line](FileId From, std::string_view Name,
                      std::vector<std::string> &Tried) {
    fs::path Leaf = std::string(Name) + ".goldy";
    std::vector<fs::path> Places{fs::path(SM.file(From).Name).parent_path()};
    Places.insert(Places.end(), Line.SearchDirs.begin(), Line.SearchDirs.end());
    for (const fs::path &Place : Places) {
      Tried.push_back((Place / Leaf).string());
      std::string Why;
      std::optional<std::string> Text = readWhole(Tried.back(), Why);
      if (Text)
        return std::optional<FileId>(SM.add(Tried.back(), std::move(*Text)));
    }
    return std::optional<FileId>();
  };
}

std::optional<Definitions> goldy::readSource(FileId File,
                                             const CommandLine &Line,
                                             SourceManager &SM,
                                             DiagSink &Diags) {
  ast::Ast Tree = parseProgram(SM, File, finderOf(SM, Line), Diags);
  if (Tree.Incomplete)
    return std::nullopt;
  SemaOptions Options;
  Options.Defines = Line.Defines;
  Options.Bounds = Line.Unchecked ? BoundsMode::Unchecked : BoundsMode::Checked;
  for (const std::string &Text : Line.Specs)
    if (std::optional<std::pair<std::string, std::string>> Parts =
            splitAssignment(Text))
      Options.Specs.push_back(*Parts);
  Definitions Out;
  std::optional<Module> M = lowerToIR(SM, Tree, Options, Diags, &Out.Programs);
  if (!M || Diags.hasErrors())
    return std::nullopt;
  Out.Kernels = std::move(*M);
  return Out;
}
