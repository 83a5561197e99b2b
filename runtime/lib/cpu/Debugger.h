//===- Debugger.h - What debuggers and profilers learn of code ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code in anonymous pages has no file, so a debugger is handed an ELF object in
// memory, by the list that gdb and lldb read (gdb's manual, "JIT Compilation
// Interface"): the debug information of an artifact that has some, and with
// GOLDY_SYMBOLS=gdb an object of one symbol for any other code.
// GOLDY_SYMBOLS=perf writes the code's place and name into /tmp/perf-PID.map,
// where perf looks for them. Without either nothing is done or kept.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CPU_DEBUGGER_H
#define GOLDY_RUNTIME_CPU_DEBUGGER_H

#include "core/Status.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace goldy::rt {

/// An entry of the debuggers' list; its destructor takes it off.
class DebuggerEntry {
public:
  /// `Object` is an ELF object whose addresses are those of memory.
  static std::unique_ptr<DebuggerEntry> add(std::vector<std::byte> Object);
  ~DebuggerEntry();
  DebuggerEntry(const DebuggerEntry &) = delete;
  DebuggerEntry &operator=(const DebuggerEntry &) = delete;

private:
  struct Listed;
  DebuggerEntry() = default;
  std::vector<std::byte> Object;
  std::unique_ptr<Listed> Own;
};

/// A copy of an image's debug object, with `Address` added to each 64-bit word
/// at an offset of `Words`, all of which lie inside.
std::vector<std::byte> placedObject(std::span<const std::byte> Object,
                                    std::span<const uint32_t> Words,
                                    const void *Address);

/// An ELF object that names the function at `Code`.
std::vector<std::byte> symbolObject(const std::string &Name,
                                    std::span<const std::byte> Code);

/// What GOLDY_SYMBOLS asks for, read once: a list of `gdb` and `perf`.
struct SymbolsAsked {
  bool Gdb = false, Perf = false;
  std::string Unknown; ///< the first other word; empty: there is none
};
const SymbolsAsked &symbolsAsked();
/// GOLDY_INVALID_ARGUMENT for another word.
Status checkSymbols();

/// Adds a line to perf's map of this process. GOLDY_UNAVAILABLE if it cannot be
/// written.
Status writePerfMap(const std::string &Name, std::span<const std::byte> Code);

} // namespace goldy::rt

#endif
