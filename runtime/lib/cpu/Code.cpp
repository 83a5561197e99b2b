//===- Code.cpp - Host code in executable memory --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX.
//
//===----------------------------------------------------------------------===//
#include "cpu/Code.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace goldy::rt;

Status Code::load(std::span<const std::byte> Blob, uint64_t Entry, Code &Out,
                  goldy_host_kernel &OutKernel) {
  size_t Page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t Bytes = (Blob.size() + Page - 1) / Page * Page;
  void *Base = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Base == MAP_FAILED)
    return Status(GOLDY_OUT_OF_MEMORY,
                  "no memory for " + std::to_string(Bytes) + " bytes of code");
  Out.Base = Base;
  Out.Bytes = Bytes;
  Out.Size = Blob.size();
  constexpr int Trap = 0xcc;
  std::memset(Base, Trap, Bytes);
  std::memcpy(Base, Blob.data(), Blob.size());
  if (mprotect(Base, Bytes, PROT_READ | PROT_EXEC) != 0)
    return Status(GOLDY_UNAVAILABLE,
                  std::string("the system refuses executable memory: ") +
                      std::strerror(errno));
  char *Start = static_cast<char *>(Base) + Entry;
  OutKernel = reinterpret_cast<goldy_host_kernel>(Start);
  return Status();
}

Status Code::show(const std::string &Name, const ImageDebug &Debug) {
  const SymbolsAsked &Asked = symbolsAsked();
  if (!Debug.Object.empty())
    Debugger =
        DebuggerEntry::add(placedObject(Debug.Object, Debug.Addresses, Base));
  else if (Asked.Gdb)
    Debugger = DebuggerEntry::add(symbolObject(Name, code()));
  return Asked.Perf ? writePerfMap(Name, code()) : Status();
}

Code::~Code() {
  Debugger.reset(); // before its code is gone
  if (Base)
    munmap(Base, Bytes);
}
