//===- DebuggerTest.cpp - What debuggers are handed -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/Debugger.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <elf.h>

using namespace goldy::rt;

// As gdb's manual has it.
extern "C" {
struct test_code_entry {
  test_code_entry *next, *prev;
  const char *file;
  uint64_t size;
};
struct test_descriptor {
  uint32_t version, action;
  test_code_entry *relevant, *first;
};
extern test_descriptor __jit_debug_descriptor;
}

namespace {

std::vector<std::byte> bytes(const char *Text) {
  const std::byte *At = reinterpret_cast<const std::byte *>(Text);
  return {At, At + std::strlen(Text)};
}

/// The texts on the list, first to last; checks that the links agree.
std::string listed() {
  std::string All;
  const test_code_entry *Before = nullptr;
  for (const test_code_entry *E = __jit_debug_descriptor.first; E;
       E = E->next) {
    CHECK(E->prev == Before);
    All += std::string(E->file, E->size) + ' ';
    Before = E;
  }
  return All;
}

} // namespace

TEST_CASE("the list of objects holds those that live") {
  REQUIRE(listed() == "");
  CHECK(__jit_debug_descriptor.version == 1);
  std::unique_ptr<DebuggerEntry> A = DebuggerEntry::add(bytes("a"));
  std::unique_ptr<DebuggerEntry> B = DebuggerEntry::add(bytes("b"));
  std::unique_ptr<DebuggerEntry> C = DebuggerEntry::add(bytes("c"));
  CHECK(listed() == "c b a ");
  CHECK(__jit_debug_descriptor.action == 1);
  CHECK(__jit_debug_descriptor.relevant == __jit_debug_descriptor.first);
  B.reset();
  CHECK(__jit_debug_descriptor.action == 2);
  CHECK(listed() == "c a ");
  C.reset();
  CHECK(listed() == "a ");
  A.reset();
  CHECK(listed() == "");
}

TEST_CASE("words of an object get the code's address") {
  uint64_t Words[4] = {1, 2, 3, 4};
  uint32_t At[] = {8, 24};
  std::vector<std::byte> Placed =
      placedObject(std::as_bytes(std::span(Words)), At,
                   reinterpret_cast<const void *>(uintptr_t(0x1000)));
  uint64_t Read[4];
  REQUIRE(Placed.size() == sizeof Read);
  std::memcpy(Read, Placed.data(), sizeof Read);
  CHECK(Read[0] == 1);
  CHECK(Read[1] == 0x1002);
  CHECK(Read[2] == 3);
  CHECK(Read[3] == 0x1004);
}

TEST_CASE("an object of one symbol") {
  static const std::byte Code[40]{};
  std::vector<std::byte> Object = symbolObject("flow [x86-64-v4]", Code);
  Elf64_Ehdr Header;
  std::memcpy(&Header, Object.data(), sizeof Header);
  REQUIRE(std::memcmp(Header.e_ident, ELFMAG, SELFMAG) == 0);
  std::vector<Elf64_Shdr> Sections(Header.e_shnum);
  std::memcpy(Sections.data(), Object.data() + Header.e_shoff,
              Sections.size() * sizeof(Elf64_Shdr));
  auto Text = [&](uint64_t At) {
    return std::string(reinterpret_cast<const char *>(Object.data()) + At);
  };
  uint64_t Names = Sections[Header.e_shstrndx].sh_offset;
  std::string All;
  for (const Elf64_Shdr &S : Sections) {
    All += Text(Names + S.sh_name) + ' ';
    if (S.sh_type != SHT_NOBITS)
      CHECK(S.sh_offset + S.sh_size <= Object.size());
  }
  CHECK(All == " .text .symtab .strtab .shstrtab ");
  CHECK(Sections[1].sh_addr == reinterpret_cast<uintptr_t>(Code));
  CHECK(Sections[1].sh_size == sizeof Code);
  Elf64_Sym Symbol;
  REQUIRE(Sections[2].sh_size == 2 * sizeof Symbol);
  std::memcpy(&Symbol, Object.data() + Sections[2].sh_offset + sizeof Symbol,
              sizeof Symbol);
  CHECK(Text(Sections[3].sh_offset + Symbol.st_name) == "flow [x86-64-v4]");
  CHECK(Symbol.st_size == sizeof Code);
}
