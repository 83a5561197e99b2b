//===- Blob.cpp - Flat position-independent code from an object
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Blob.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELFObjectFile.h"

#include <cstring>

using namespace goldy;
using namespace llvm;
using namespace llvm::object;

namespace {

constexpr uint64_t SectionAlign = 64;

class BlobBuilder {
public:
  BlobBuilder(ELF64LEObjectFile &Object, StringRef Entry, Blob &Out,
              BlobError &Error)
      : Object(Object), Entry(Entry), Out(Out), Error(Error) {}

  bool run() {
    if (!placeAll(/*Code=*/true) || !placeAll(/*Code=*/false))
      return false;
    for (const SectionRef &S : Object.sections())
      if (!relocate(S))
        return false;
    return findEntry();
  }

private:
  bool fail(BlobError::Kind K, std::string Text) {
    Error = {K, std::move(Text)};
    return false;
  }
  bool failed(llvm::Error E) {
    return fail(BlobError::Kind::Object, toString(std::move(E)));
  }

  bool placeAll(bool Code) {
    for (const SectionRef &S : Object.sections()) {
      uint64_t Flags = ELFSectionRef(S).getFlags();
      bool Executable = Flags & ELF::SHF_EXECINSTR;
      if (!(Flags & ELF::SHF_ALLOC) || S.getSize() == 0 || Executable != Code)
        continue;
      if (!place(S, Flags))
        return false;
    }
    return true;
  }

  bool place(const SectionRef &S, uint64_t Flags) {
    Expected<StringRef> Name = S.getName();
    if (!Name)
      return failed(Name.takeError());
    if ((Flags & ELF::SHF_WRITE) || S.isBSS())
      return fail(BlobError::Kind::Section, Name->str());
    if (*Name == ".eh_frame")
      return true; // unwinding tables have no reader in a blob
    Expected<StringRef> Contents = S.getContents();
    if (!Contents)
      return failed(Contents.takeError());
    uint64_t At =
        (Out.Bytes.size() + SectionAlign - 1) / SectionAlign * SectionAlign;
    Out.Bytes.resize(At);
    Out.Bytes.insert(Out.Bytes.end(), Contents->bytes_begin(),
                     Contents->bytes_end());
    Out.Placed[S.getIndex()] = At;
    return true;
  }

  bool relocate(const SectionRef &Table) {
    Expected<section_iterator> To = Table.getRelocatedSection();
    if (!To)
      return failed(To.takeError());
    if (*To == Object.section_end() || !Out.Placed.count((*To)->getIndex()))
      return true;
    for (const RelocationRef &R : Table.relocations())
      if (!apply(R, Out.Placed[(*To)->getIndex()]))
        return false;
    return true;
  }

  bool apply(const RelocationRef &R, uint64_t SectionStart) {
    uint64_t Type = R.getType();
    if (Type != ELF::R_X86_64_PC32 && Type != ELF::R_X86_64_PLT32) {
      SmallString<32> Name;
      R.getTypeName(Name);
      return fail(BlobError::Kind::Relocation, std::string(Name));
    }
    symbol_iterator Symbol = R.getSymbol();
    uint64_t Target = 0;
    if (Symbol == Object.symbol_end() || !addressOf(*Symbol, Target))
      return false;
    Expected<int64_t> Addend = ELFRelocationRef(R).getAddend();
    if (!Addend)
      return failed(Addend.takeError());
    uint64_t At = SectionStart + R.getOffset();
    int64_t Distance =
        static_cast<int64_t>(Target) + *Addend - static_cast<int64_t>(At);
    if (At + 4 > Out.Bytes.size() || Distance != static_cast<int32_t>(Distance))
      return fail(BlobError::Kind::Relocation, "out of reach");
    for (unsigned I = 0; I < 4; ++I)
      Out.Bytes[At + I] = static_cast<uint8_t>(Distance >> (8 * I));
    return true;
  }

  bool addressOf(const SymbolRef &S, uint64_t &Address) {
    Expected<section_iterator> Section = S.getSection();
    if (!Section)
      return failed(Section.takeError());
    Expected<StringRef> Name = S.getName();
    if (!Name)
      return failed(Name.takeError());
    Expected<uint64_t> Value = S.getValue();
    if (!Value)
      return failed(Value.takeError());
    if (*Section == Object.section_end())
      return fail(BlobError::Kind::Symbol, Name->str());
    std::map<uint64_t, uint64_t>::iterator At =
        Out.Placed.find((*Section)->getIndex());
    if (At == Out.Placed.end())
      return fail(BlobError::Kind::Symbol, Name->str());
    Address = At->second + *Value;
    return true;
  }

  bool findEntry() {
    for (const SymbolRef &S : Object.symbols()) {
      Expected<StringRef> Name = S.getName();
      if (!Name)
        return failed(Name.takeError());
      Expected<SymbolRef::Type> Type = S.getType();
      if (!Type)
        return failed(Type.takeError());
      if (*Type == SymbolRef::ST_Function && *Name == Entry)
        return addressOf(S, Out.EntryOffset);
    }
    return fail(BlobError::Kind::Symbol, Entry.str());
  }

  ELF64LEObjectFile &Object;
  StringRef Entry;
  Blob &Out;
  BlobError &Error;
};

} // namespace

bool goldy::makeBlob(std::span<const char> Object, std::string_view Entry,
                     Blob &Out, BlobError &Error) {
  MemoryBufferRef Buffer(StringRef(Object.data(), Object.size()), "kernel");
  Expected<ELF64LEObjectFile> File = ELF64LEObjectFile::create(Buffer);
  if (!File) {
    Error = {BlobError::Kind::Object, toString(File.takeError())};
    return false;
  }
  return BlobBuilder(*File, StringRef(Entry.data(), Entry.size()), Out, Error)
      .run();
}

DebugObject goldy::makeDebugObject(std::span<const char> Object,
                                   const Blob &Flat) {
  DebugObject Debug;
  Debug.Bytes.assign(Object.begin(), Object.end());
  ELF::Elf64_Ehdr Header;
  std::memcpy(&Header, Object.data(), sizeof Header);
  for (const auto &[Section, Offset] : Flat.Placed) {
    uint64_t At = Header.e_shoff + Section * Header.e_shentsize +
                  offsetof(ELF::Elf64_Shdr, sh_addr);
    std::memcpy(Debug.Bytes.data() + At, &Offset, sizeof Offset);
    Debug.Addresses.push_back(static_cast<uint32_t>(At));
  }
  return Debug;
}
