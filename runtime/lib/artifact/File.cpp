//===- File.cpp - The bytes of a file, mapped or borrowed -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX.
//
//===----------------------------------------------------------------------===//
#include "artifact/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace goldy::rt;

static Status ioError(const std::string &Path, const char *What) {
  return Status(GOLDY_IO, "`" + Path + "`: " + What);
}

namespace {
/// Closed when it goes.
struct Handle {
  int Number;
  ~Handle() {
    if (Number >= 0)
      close(Number);
  }
};
} // namespace

Status File::map(const std::string &Path, std::unique_ptr<File> &Out) {
  // Not blocking: a pipe without a writer is refused, not waited for.
  Handle From{open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat Facts;
  if (From.Number < 0 || fstat(From.Number, &Facts) != 0)
    return ioError(Path, std::strerror(errno));
  if (!S_ISREG(Facts.st_mode))
    return ioError(Path, S_ISDIR(Facts.st_mode) ? "is a directory"
                                                : "is not a regular file");
  size_t Size = static_cast<size_t>(Facts.st_size);
  if (Size == 0)
    return Status(GOLDY_INVALID_ARTIFACT, "`" + Path + "`: the file is empty");
  std::unique_ptr<File> Made(new File({}, true));
  void *Base = mmap(nullptr, Size, PROT_READ, MAP_PRIVATE, From.Number, 0);
  if (Base == MAP_FAILED)
    return ioError(Path, std::strerror(errno));
  Made->Bytes = {static_cast<const std::byte *>(Base), Size};
  Out = std::move(Made);
  return Status();
}

std::unique_ptr<File> File::borrow(std::span<const std::byte> Bytes) {
  return std::unique_ptr<File>(new File(Bytes, false));
}

File::~File() {
  if (Mapped && !Bytes.empty())
    munmap(const_cast<std::byte *>(Bytes.data()), Bytes.size());
}
