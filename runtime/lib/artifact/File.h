//===- File.h - The bytes of a file, mapped or borrowed -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is mapped, so code and texts are not copied and files beyond 4 GiB
// work. Platform code is in File.cpp alone.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_ARTIFACT_FILE_H
#define GOLDY_RUNTIME_ARTIFACT_FILE_H

#include "core/Status.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace goldy::rt {

class File {
public:
  /// Maps a regular file; GOLDY_IO names the path and the reason.
  static Status map(const std::string &Path, std::unique_ptr<File> &Out);
  /// Memory of the caller's, which outlives the object.
  static std::unique_ptr<File> borrow(std::span<const std::byte> Bytes);
  ~File();
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  std::span<const std::byte> bytes() const { return Bytes; }

private:
  File(std::span<const std::byte> Bytes, bool Mapped)
      : Bytes(Bytes), Mapped(Mapped) {}
  std::span<const std::byte> Bytes;
  bool Mapped;
};

} // namespace goldy::rt

#endif
