//===- ParserModules.cpp - The files of a program
//---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file and, breadth first, the files that its `mod` items name. All share
// one tree, so later stages number expressions of all files in one way; each
// item knows its module.
//
//===----------------------------------------------------------------------===//
#include "ParserImpl.h"

using namespace goldy;
using namespace goldy::parse;

namespace {

/// First segments of paths that mean something already.
constexpr std::string_view LanguagePaths[] = {
    "gpu", "goldy", "ir",  "std", "core", "alloc", "f32", "u32", "i32",
    "u64", "i64",   "f64", "u8",  "i8",   "u16",   "i16", "bool"};

class ProgramReader {
public:
  ProgramReader(const SourceManager &SM, const ModuleFinder &Finder,
                DiagSink &Diags)
      : SM(SM), Finder(Finder), Diags(Diags) {}

  Ast read(FileId File) {
    Tree.File = Tree.Modules[0].File = File;
    parse(File, 0);
    for (size_t I = 0; I < Tree.Items.size(); ++I)
      if (Tree.Items[I].Form == ItemForm::Mod && !Full)
        open(I);
    return std::move(Tree);
  }

private:
  void parse(FileId File, uint32_t Module) {
    Tree = Parser(SM, File, Diags, std::move(Tree), Module).run();
  }
  std::string pathOf(const Item &I) const {
    const std::string &Outer = Tree.Modules[I.Module].Path;
    return Outer + (Outer.empty() ? "" : "::") + std::string(I.Name.Text);
  }
  bool isNamed(const std::string &Path) const {
    for (const ModuleNode &M : Tree.Modules)
      if (M.Path == Path)
        return true;
    return false;
  }
  bool closesCycle(const Item &I, FileId File);
  void missing(const Item &I, const std::vector<std::string> &Tried);
  void open(size_t Index);

  const SourceManager &SM;
  const ModuleFinder &Finder;
  DiagSink &Diags;
  Ast Tree;
  bool Full = false;
};

void ProgramReader::missing(const Item &I,
                            const std::vector<std::string> &Tried) {
  DiagBuilder D = Diags.report(diag::G0730, I.Name.Where);
  D << "there is no file for module `" << I.Name.Text << '`';
  std::string List;
  for (const std::string &Place : Tried)
    List += (List.empty() ? "" : ", ") + Place;
  D.help(Tried.empty()
             ? "modules are files beside the one that names them"
             : "looked for " + List + "; `-I DIR` adds a directory to look in");
}

/// Reports a file that contains itself, by way of the modules around `I`.
bool ProgramReader::closesCycle(const Item &I, FileId File) {
  for (uint32_t M = I.Module;; M = Tree.Modules[M].Parent) {
    if (Tree.Modules[M].File == File) {
      DiagBuilder D = Diags.report(diag::G0621, I.Name.Where);
      D << "`mod " << I.Name.Text << ";` includes `" << SM.file(File).Name
        << "` in itself";
      for (uint32_t On = I.Module; On != M; On = Tree.Modules[On].Parent)
        D.note(Tree.Modules[On].Where, "by way of this");
      D.help("move what both files need into a third one");
      return true;
    }
    if (M == 0)
      return false;
  }
}

void ProgramReader::open(size_t Index) {
  const Item I = Tree.Items[Index]; // the list of items grows
  std::string Path = pathOf(I);
  if (I.Name.Text.empty() || isNamed(Path))
    return; // a second `mod` of one name is reported as such
  if (std::find(std::begin(LanguagePaths), std::end(LanguagePaths),
                I.Name.Text) != std::end(LanguagePaths)) {
    Diags.report(diag::G0202, I.Name.Where).help("give the file another name")
        << "module `" << I.Name.Text << "` would hide a name of the language";
    return;
  }
  std::vector<std::string> Tried;
  std::optional<FileId> File =
      Finder(Tree.Modules[I.Module].File, I.Name.Text, Tried);
  if (!File)
    return missing(I, Tried);
  if (closesCycle(I, *File))
    return;
  if (Tree.Modules.size() >= MaxModules) {
    Full = true;
    Diags.report(diag::G0619, I.Name.Where)
            .help("name each file in one place only")
        << "the program has more than " << MaxModules << " modules";
    return;
  }
  uint32_t Module = static_cast<uint32_t>(Tree.Modules.size());
  Tree.Modules.push_back({std::move(Path), *File, I.Module, I.Where});
  Tree.Items[Index].Opens = Module;
  parse(*File, Module);
}

} // namespace

Ast goldy::parseProgram(const SourceManager &SM, FileId File,
                        const ModuleFinder &Finder, DiagSink &Diags) {
  return ProgramReader(SM, Finder, Diags).read(File);
}

Ast goldy::parseFile(const SourceManager &SM, FileId File, DiagSink &Diags) {
  ModuleFinder Nothing = [](FileId, std::string_view,
                            std::vector<std::string> &) {
    return std::optional<FileId>();
  };
  return parseProgram(SM, File, Nothing, Diags);
}
