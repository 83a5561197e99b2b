//===- Slangc.cpp - Slang's own compiler, if it is there
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Slangc.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace goldy::test {

const char *slangCompiler() {
  const char *Path = std::getenv("GOLDY_SLANGC");
  return Path && *Path ? Path : nullptr;
}

/// Keeps all but OpSourceContinued, OpSource and OpSourceExtension.
static std::vector<uint32_t> withoutSource(const std::vector<uint32_t> &In) {
  if (In.size() < 5)
    return {};
  std::vector<uint32_t> Out(In.begin(), In.begin() + 5);
  for (size_t At = 5; At < In.size();) {
    uint32_t Count = In[At] >> 16, Opcode = In[At] & 0xffff;
    if (Count == 0 || At + Count > In.size())
      return {};
    if (Opcode < 2 || Opcode > 4)
      Out.insert(Out.end(), In.begin() + At, In.begin() + At + Count);
    At += Count;
  }
  return Out;
}

static std::string slurp(const std::filesystem::path &File) {
  std::ifstream In(File, std::ios::binary);
  return {std::istreambuf_iterator<char>(In), {}};
}

std::vector<uint32_t> slangToSpirv(const char *Slangc, const std::string &Text,
                                   const std::string &Entry, std::string &Log) {
  namespace fs = std::filesystem;
  fs::path Dir =
      fs::temp_directory_path() / ("goldy-slangc-" + std::to_string(getpid()));
  fs::create_directories(Dir);
  std::ofstream(Dir / "a.slang") << Text;
  std::string Command = std::string(Slangc) + " " + (Dir / "a.slang").string() +
                        " -target spirv -O0 -fp-mode precise "
                        "-fvk-use-scalar-layout -fvk-use-entrypoint-name "
                        "-stage compute -entry " +
                        Entry + " -o " + (Dir / "a.spv").string() + " > " +
                        (Dir / "log").string() + " 2>&1";
  int Result = std::system(Command.c_str());
  Log = slurp(Dir / "log");
  std::string Bytes = slurp(Dir / "a.spv");
  fs::remove_all(Dir);
  if (Result != 0)
    return {};
  std::vector<uint32_t> Words(Bytes.size() / 4);
  std::memcpy(Words.data(), Bytes.data(), Words.size() * 4);
  return withoutSource(Words);
}

} // namespace goldy::test
