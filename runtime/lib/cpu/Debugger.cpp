//===- Debugger.cpp - What debuggers and profilers learn of code ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POSIX; ELF.
//
//===----------------------------------------------------------------------===//
#include "cpu/Debugger.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <mutex>
#include <string_view>
#include <unistd.h>

using namespace goldy::rt;

// The interface's own names. Another library of the process may define them
// too: then there is one list of both.
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry;
  jit_code_entry *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version;
  uint32_t action_flag; // 1: added, 2: about to go
  jit_code_entry *relevant_entry;
  jit_code_entry *first_entry;
};
[[gnu::weak, gnu::used,
  gnu::visibility("default")]] jit_descriptor __jit_debug_descriptor = {
    1, 0, nullptr, nullptr};
/// A debugger stops here and reads the descriptor.
[[gnu::weak, gnu::used, gnu::noinline, gnu::visibility("default")]] void
__jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
}

struct DebuggerEntry::Listed : jit_code_entry {};

static std::mutex &listLock() {
  static std::mutex Lock;
  return Lock;
}

static void tell(uint32_t Action, jit_code_entry *Entry) {
  __jit_debug_descriptor.action_flag = Action;
  __jit_debug_descriptor.relevant_entry = Entry;
  __jit_debug_register_code();
}

std::unique_ptr<DebuggerEntry>
DebuggerEntry::add(std::vector<std::byte> Object) {
  std::unique_ptr<DebuggerEntry> E(new DebuggerEntry());
  E->Object = std::move(Object);
  E->Own = std::make_unique<Listed>();
  std::lock_guard<std::mutex> Hold(listLock());
  jit_code_entry *First = __jit_debug_descriptor.first_entry;
  E->Own->next_entry = First;
  E->Own->prev_entry = nullptr;
  E->Own->symfile_addr = reinterpret_cast<const char *>(E->Object.data());
  E->Own->symfile_size = E->Object.size();
  if (First)
    First->prev_entry = E->Own.get();
  __jit_debug_descriptor.first_entry = E->Own.get();
  tell(1, E->Own.get());
  return E;
}

DebuggerEntry::~DebuggerEntry() {
  std::lock_guard<std::mutex> Hold(listLock());
  if (Own->prev_entry)
    Own->prev_entry->next_entry = Own->next_entry;
  else
    __jit_debug_descriptor.first_entry = Own->next_entry;
  if (Own->next_entry)
    Own->next_entry->prev_entry = Own->prev_entry;
  tell(2, Own.get());
}

std::vector<std::byte>
goldy::rt::placedObject(std::span<const std::byte> Object,
                        std::span<const uint32_t> Words, const void *Address) {
  std::vector<std::byte> Placed(Object.begin(), Object.end());
  for (uint32_t At : Words) {
    uint64_t Word;
    std::memcpy(&Word, Placed.data() + At, sizeof Word);
    Word += reinterpret_cast<uintptr_t>(Address);
    std::memcpy(Placed.data() + At, &Word, sizeof Word);
  }
  return Placed;
}

namespace {

/// Sections: none, the code, symbols, names of symbols, names of sections.
struct SymbolFile {
  static constexpr char SectionNames[] = "\0.text\0.symtab\0.strtab\0.shstrtab";
  Elf64_Ehdr Header{};
  Elf64_Shdr Sections[5]{};
  Elf64_Sym Symbols[2]{};
  char Names[sizeof SectionNames]{};
};

} // namespace

std::vector<std::byte>
goldy::rt::symbolObject(const std::string &Name,
                        std::span<const std::byte> Code) {
  SymbolFile F;
  std::memcpy(F.Header.e_ident, ELFMAG, SELFMAG);
  F.Header.e_ident[EI_CLASS] = ELFCLASS64;
  F.Header.e_ident[EI_DATA] = ELFDATA2LSB;
  F.Header.e_ident[EI_VERSION] = EV_CURRENT;
  F.Header.e_type = ET_REL;
  F.Header.e_machine = EM_X86_64;
  F.Header.e_version = EV_CURRENT;
  F.Header.e_shoff = offsetof(SymbolFile, Sections);
  F.Header.e_ehsize = sizeof F.Header;
  F.Header.e_shentsize = sizeof(Elf64_Shdr);
  F.Header.e_shnum = 5;
  F.Header.e_shstrndx = 4;
  std::memcpy(F.Names, SymbolFile::SectionNames, sizeof F.Names);
  auto Set = [&](int N, uint32_t NameAt, uint32_t Type, uint64_t At,
                 uint64_t Size) -> Elf64_Shdr & {
    F.Sections[N].sh_name = NameAt;
    F.Sections[N].sh_type = Type;
    F.Sections[N].sh_offset = At;
    F.Sections[N].sh_size = Size;
    F.Sections[N].sh_addralign = 8;
    return F.Sections[N];
  };
  Elf64_Shdr &Text = Set(1, 1, SHT_NOBITS, 0, Code.size());
  Text.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  Text.sh_addr = reinterpret_cast<uintptr_t>(Code.data());
  Elf64_Shdr &Symbols =
      Set(2, 7, SHT_SYMTAB, offsetof(SymbolFile, Symbols), sizeof F.Symbols);
  Symbols.sh_link = 3;
  Symbols.sh_info = 1;
  Symbols.sh_entsize = sizeof(Elf64_Sym);
  Set(3, 15, SHT_STRTAB, sizeof F, Name.size() + 2);
  Set(4, 23, SHT_STRTAB, offsetof(SymbolFile, Names), sizeof F.Names);
  F.Symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, 0, Code.size()};
  std::vector<std::byte> Object(sizeof F + Name.size() + 2);
  std::memcpy(Object.data(), &F, sizeof F);
  std::memcpy(Object.data() + sizeof F + 1, Name.data(), Name.size());
  return Object;
}

static SymbolsAsked parseSymbols(std::string_view List) {
  SymbolsAsked Asked;
  while (!List.empty()) {
    std::string_view Word = List.substr(0, List.find(','));
    List.remove_prefix(std::min(Word.size() + 1, List.size()));
    if (Word == "gdb")
      Asked.Gdb = true;
    else if (Word == "perf")
      Asked.Perf = true;
    else if (Asked.Unknown.empty())
      Asked.Unknown = Word;
  }
  return Asked;
}

const SymbolsAsked &goldy::rt::symbolsAsked() {
  static const SymbolsAsked Asked = [] {
    const char *Text = std::getenv("GOLDY_SYMBOLS");
    return parseSymbols(Text ? Text : "");
  }();
  return Asked;
}

Status goldy::rt::checkSymbols() {
  const std::string &Unknown = symbolsAsked().Unknown;
  return Unknown.empty()
             ? Status()
             : Status(GOLDY_INVALID_ARGUMENT,
                      "GOLDY_SYMBOLS names `" + Unknown +
                          "`; it takes `gdb`, `perf` or `gdb,perf`");
}

Status goldy::rt::writePerfMap(const std::string &Name,
                               std::span<const std::byte> Code) {
  std::string Path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::lock_guard<std::mutex> Hold(listLock());
  std::FILE *Map = std::fopen(Path.c_str(), "a");
  bool Written = Map && std::fprintf(Map, "%" PRIxPTR " %zx %s\n",
                                     reinterpret_cast<uintptr_t>(Code.data()),
                                     Code.size(), Name.c_str()) >= 0;
  Written = Map && std::fclose(Map) == 0 && Written;
  return Written
             ? Status()
             : Status(GOLDY_UNAVAILABLE,
                      "GOLDY_SYMBOLS asks for `perf`, and its map `" + Path +
                          "` cannot be written: " + std::strerror(errno) +
                          "; make room for it or leave `perf` out");
}
