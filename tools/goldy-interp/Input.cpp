//===- Input.cpp - Text from a file or an artifact ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Input.h"
#include "artifact_generated.h"
#include "goldyc/IR/Text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace goldy;

std::optional<std::string> goldy::readWhole(const std::string &Path,
                                            std::string &Why) {
  std::error_code Error;
  if (std::filesystem::is_directory(Path, Error)) {
    Why = "is a directory";
    return std::nullopt;
  }
  std::ifstream In(Path, std::ios::binary);
  std::ostringstream Out;
  if (In && In.peek() != std::ifstream::traits_type::eof())
    Out << In.rdbuf();
  if (In.bad() || !In.is_open()) {
    Why = std::string("cannot be read: ") + std::strerror(errno);
    return std::nullopt;
  }
  return std::move(Out).str();
}

/// The retained definition within the artifact's bytes.
static std::optional<std::string> definitionIn(const std::string &Bytes,
                                               const std::string &Kernel,
                                               std::string &Why) {
  // The tables are size-prefixed; the blobs lie behind them.
  uint32_t Prefix = 0;
  std::memcpy(&Prefix, Bytes.data(), sizeof Prefix);
  uint64_t Tables = uint64_t(Prefix) + sizeof Prefix;
  flatbuffers::Verifier V(reinterpret_cast<const uint8_t *>(Bytes.data()),
                          std::min<uint64_t>(Tables, Bytes.size()));
  if (!schema::VerifySizePrefixedArtifactBuffer(V)) {
    Why = "is a malformed artifact";
    return std::nullopt;
  }
  const schema::Artifact *A = schema::GetSizePrefixedArtifact(Bytes.data());
  uint32_t Count = A->kernels() ? A->kernels()->size() : 0;
  for (uint32_t I = 0; I < Count; ++I) {
    const schema::Kernel *K = A->kernels()->Get(I);
    bool Chosen = Kernel.empty() ? Count == 1 : K->name()->str() == Kernel;
    if (!Chosen)
      continue;
    uint64_t Offset = K->definition()->offset(), Size = K->definition()->size();
    if (Size != 0 && Offset <= Bytes.size() && Size <= Bytes.size() - Offset)
      return Bytes.substr(Offset, Size);
    Why = "holds no definition of `" + K->name()->str() + "`";
    return std::nullopt;
  }
  Why = Kernel.empty() ? "holds " + std::to_string(Count) + " kernels, name one"
                       : "holds no kernel `" + Kernel + "`";
  return std::nullopt;
}

std::optional<FileId> goldy::readInput(const std::string &Path,
                                       const std::string &Kernel,
                                       SourceManager &SM, std::string &Why) {
  std::optional<std::string> Bytes = readWhole(Path, Why);
  if (!Bytes)
    return std::nullopt;
  bool IsArtifact = Bytes->size() >= 12 && Bytes->compare(8, 4, "GDYA") == 0;
  if (IsArtifact)
    Bytes = definitionIn(*Bytes, Kernel, Why);
  if (!Bytes)
    return std::nullopt;
  if (Bytes->size() >= 0xffffffffu) {
    Why = "is larger than 4 GiB";
    return std::nullopt;
  }
  if (!isIRText(*Bytes) && !Path.ends_with(".goldy")) {
    Why =
        "is neither a .goldy file, nor IR text (`goldyc --emit=ir` makes it), "
        "nor an artifact";
    return std::nullopt;
  }
  return SM.add(Path, std::move(*Bytes));
}
