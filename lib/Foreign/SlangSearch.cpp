//===- SlangSearch.cpp - Where other compilers' libraries lie -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slang comes inside two Python wheels, so it is looked for in Python
// environments: `.venv` of the current directory, then the one that `python3`
// on PATH belongs to, by its name as found and by where its links lead.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Foreign/SlangLibrary.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace goldy;
namespace fs = std::filesystem;

namespace {

std::string variable(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

/// Files of a directory whose names begin so, the greatest name first.
std::vector<std::string> filesWithPrefix(const fs::path &Dir,
                                         std::string_view Prefix) {
  std::vector<std::string> Found;
  std::error_code Error;
  for (const fs::directory_entry &E : fs::directory_iterator(Dir, Error)) {
    std::error_code Unreadable;
    if (E.path().filename().string().starts_with(Prefix) &&
        E.is_regular_file(Unreadable))
      Found.push_back(E.path().string());
  }
  std::sort(Found.rbegin(), Found.rend());
  return Found;
}

void addEnvironment(const fs::path &Root, std::vector<std::string> &To) {
  std::vector<fs::path> Libraries;
  std::error_code Error;
  for (const fs::directory_entry &E :
       fs::directory_iterator(Root / "lib", Error))
    if (E.path().filename().string().starts_with("python3"))
      Libraries.push_back(E.path());
  std::sort(Libraries.rbegin(), Libraries.rend());
  for (const fs::path &Library : Libraries)
    for (const char *Packages : {"site-packages", "dist-packages"})
      for (const char *Wheel : {"slangtorch/bin", "slangpy"})
        for (std::string &File : filesWithPrefix(Library / Packages / Wheel,
                                                 "libslang-compiler.so"))
          if (std::find(To.begin(), To.end(), File) == To.end())
            To.push_back(std::move(File));
}

std::optional<fs::path> interpreterOnPath() {
  std::string Path = variable("PATH");
  for (size_t At = 0; At <= Path.size();) {
    size_t End = std::min(Path.find(':', At), Path.size());
    fs::path Candidate = fs::path(Path.substr(At, End - At)) / "python3";
    std::error_code Error;
    if (End > At && fs::exists(Candidate, Error))
      return Candidate;
    At = End + 1;
  }
  return std::nullopt;
}

} // namespace

std::vector<std::string> goldy::slangLibraryCandidates() {
  std::string Given = variable("GOLDY_SLANG_PATH");
  if (!Given.empty()) {
    std::error_code Error;
    if (!fs::is_directory(Given, Error))
      return {Given};
    std::vector<std::string> Found =
        filesWithPrefix(Given, "libslang-compiler.so");
    return Found.empty() ? std::vector<std::string>{Given} : Found;
  }
  std::vector<std::string> Found;
  addEnvironment(".venv", Found);
  if (std::optional<fs::path> Python = interpreterOnPath()) {
    addEnvironment(Python->parent_path().parent_path(), Found);
    std::error_code Error;
    fs::path Real = fs::canonical(*Python, Error);
    if (!Error)
      addEnvironment(Real.parent_path().parent_path(), Found);
  }
  return Found;
}

std::string goldy::nvrtcLibrary() {
  std::string Given = variable("GOLDY_NVRTC_PATH");
  std::error_code Error;
  if (!Given.empty() && !fs::is_directory(Given, Error))
    return fs::exists(Given, Error) ? Given : "";
  std::vector<fs::path> Dirs;
  if (!Given.empty()) {
    Dirs = {Given};
  } else {
    for (const char *Name : {"CUDA_HOME", "CUDA_PATH"})
      if (std::string Root = variable(Name); !Root.empty())
        Dirs.push_back(Root);
    Dirs.push_back("/usr/local/cuda");
  }
  for (const fs::path &Dir : Dirs)
    for (const char *Under : {"", "lib64", "lib"})
      for (const std::string &File :
           filesWithPrefix(Dir / Under, "libnvrtc.so."))
        return File;
  return "";
}
