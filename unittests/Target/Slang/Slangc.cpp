//===- Slangc.cpp - Slang's own compiler, if it is there ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Slangc.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace goldy::test {

SlangLibrary *slangForTests() {
  if (!std::getenv("GOLDY_SLANG_PATH")) {
    std::error_code Error;
    std::filesystem::path Here = std::filesystem::current_path(Error);
    std::filesystem::current_path(GOLDY_SOURCE_DIR, Error);
    std::vector<std::string> Found = slangLibraryCandidates();
    if (!Found.empty())
      ::setenv("GOLDY_SLANG_PATH", std::filesystem::absolute(Found[0]).c_str(),
               1);
    std::filesystem::current_path(Here, Error);
  }
  DiagSink Sink;
  SlangLibrary *Slang = SlangLibrary::get(Sink);
  if (!Slang && std::getenv("GOLDY_REQUIRE_SLANG"))
    FAIL("GOLDY_REQUIRE_SLANG is set: " << Sink.diagnostics()[0].Message);
  if (!Slang)
    WARN("not run: " << Sink.diagnostics()[0].Message);
  return Slang;
}

std::vector<uint32_t> slangToSpirv(SlangLibrary &Slang, const std::string &Text,
                                   const std::string &Entry, std::string &Log) {
  SlangRequest Request;
  Request.Sources = {{"a.slang", Text}};
  Request.Entries = {Entry};
  SlangResult R = Slang.compile(Request);
  for (const SlangMessage &M : R.Messages)
    Log += std::to_string(M.Line) + ": " + M.Text + "\n";
  if (!R.Good)
    return {};
  std::vector<uint32_t> Words(R.Code[0].size() / 4);
  for (size_t I = 0; I < Words.size() * 4; ++I)
    Words[I / 4] |= static_cast<uint32_t>(R.Code[0][I]) << (8 * (I % 4));
  return Words;
}

} // namespace goldy::test
