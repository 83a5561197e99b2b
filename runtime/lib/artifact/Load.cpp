//===- Load.cpp - Verifying a file: frame, FlatBuffer, provenance ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Order of checks: the frame's sizes, the FlatBuffer's own verifier with a cap
// on tables, versions, the file's size, then types, then kernels. The schema
// has no vectors of strings: every element the verifier visits is a table and
// counts against the cap, so shared sub-objects cannot make it run long.
// Programs come last, since their kernels must be there.
//
//===----------------------------------------------------------------------===//
#include "artifact/Loader.h"

#include "ArtifactJson.h"
#include "core/Checked.h"
#include "core/Utf8.h"

#include <cstring>

using namespace goldy::rt;

Status goldy::rt::invalid(std::string Message) {
  return Status(GOLDY_INVALID_ARTIFACT, std::move(Message));
}

Status goldy::rt::overLimit(const std::string &What, uint64_t Size,
                            uint64_t Limit) {
  return Status(GOLDY_LIMIT, What + ": " + std::to_string(Size) +
                                 ", the limit is " + std::to_string(Limit));
}

Status Loader::charge(uint64_t NameBytes) {
  if (NameBytes > NameBudget)
    return Status(GOLDY_LIMIT, "names and docs: more than " +
                                   std::to_string(limits::AllNameBytes) +
                                   " bytes, the limit");
  NameBudget -= NameBytes;
  return Status();
}

Status Loader::name(const flatbuffers::String *S, const char *What,
                    std::string &Name) {
  if (!S || S->size() == 0)
    return invalid(std::string(What) + " has no name");
  if (S->size() > limits::NameBytes)
    return overLimit(std::string(What) + "'s name in bytes", S->size(),
                     limits::NameBytes);
  for (char C : S->string_view())
    if (static_cast<unsigned char>(C) < 0x20 || C == 0x7f)
      return invalid(std::string(What) + "'s name holds a control character");
  if (!isUtf8(S->string_view()))
    return invalid(std::string(What) + "'s name is not UTF-8");
  GOLDY_TRY(charge(S->size()));
  Name = S->str();
  return Status();
}

Status Loader::text(const flatbuffers::String *S, const char *What,
                    uint64_t Most) {
  if (!S)
    return Status();
  if (S->size() > Most)
    return overLimit(std::string(What) + " in bytes", S->size(), Most);
  if (!isUtf8(S->string_view()))
    return invalid(std::string(What) + " is not UTF-8");
  return charge(S->size());
}

Status Loader::blob(const schema::Blob &B, const std::string &What,
                    std::span<const std::byte> &View) {
  if (B.size() == 0)
    return B.offset() == 0 ? Status()
                           : invalid(What + ": an empty blob with an offset");
  if (B.offset() % 64 != 0)
    return invalid(What + ": the blob's offset " + std::to_string(B.offset()) +
                   " is not a multiple of 64");
  if (B.offset() < TablesEnd || !rangeFits(B.offset(), B.size(), Bytes.size()))
    return invalid(What + ": the blob of " + std::to_string(B.size()) +
                   " bytes at " + std::to_string(B.offset()) +
                   " lies outside the file's blob area");
  View = Bytes.subspan(B.offset(), B.size());
  return Status();
}

Status Loader::tables() {
  if (Bytes.size() > limits::FileBytes)
    return overLimit("the file in bytes", Bytes.size(), limits::FileBytes);
  if (Bytes.size() < 12 || std::memcmp(&Bytes[8], "GDYA", 4) != 0)
    return invalid("not a goldy artifact: the mark `GDYA` is missing");
  uint32_t Prefix;
  std::memcpy(&Prefix, Bytes.data(), 4);
  TablesEnd = uint64_t(Prefix) + 4;
  if (TablesEnd > Bytes.size())
    return invalid("truncated: the tables take " + std::to_string(TablesEnd) +
                   " bytes, the file has " + std::to_string(Bytes.size()));
  if (TablesEnd > limits::TableBytes)
    return overLimit("the tables in bytes", TablesEnd, limits::TableBytes);
  const std::byte *Base = Bytes.data();
  if (reinterpret_cast<uintptr_t>(Base) % alignof(uint64_t) != 0) {
    Out.AlignedTables.resize((TablesEnd + 7) / 8);
    std::memcpy(Out.AlignedTables.data(), Base, TablesEnd);
    Base = reinterpret_cast<const std::byte *>(Out.AlignedTables.data());
  }
  const uint8_t *Data = reinterpret_cast<const uint8_t *>(Base);
  flatbuffers::Verifier Verifier(Data, TablesEnd, 64, limits::Tables);
  if (!schema::VerifySizePrefixedArtifactBuffer(Verifier))
    return invalid("the tables are damaged or of more than " +
                   std::to_string(limits::Tables) + " parts");
  Root = schema::GetSizePrefixedArtifact(Data);
  Out.Root = Root;
  return Status();
}

Status Loader::provenance() {
  uint32_t Version = Root->format_version();
  if (Version < LeastFormatVersion || Version > NewestFormatVersion)
    return invalid("the file's format version is " + std::to_string(Version) +
                   "; this library reads " +
                   std::to_string(LeastFormatVersion) + " to " +
                   std::to_string(NewestFormatVersion));
  if (Root->kernel_abi_version() != KernelAbiVersion)
    return invalid("the file's kernel ABI version is " +
                   std::to_string(Root->kernel_abi_version()) +
                   "; this library speaks " + std::to_string(KernelAbiVersion));
  if (Root->file_size() != Bytes.size())
    return invalid("the file has " + std::to_string(Bytes.size()) +
                   " bytes and says " + std::to_string(Root->file_size()) +
                   ": truncated or damaged");
  if (Root->fp_mode() > schema::FpMode::MAX ||
      Root->bounds_mode() > schema::BoundsMode::MAX)
    return invalid("unknown float or bounds mode");
  GOLDY_TRY(text(Root->compiler_version(), "the compiler's version",
                 limits::NameBytes));
  GOLDY_TRY(text(Root->flags(), "the list of flags", limits::FlagBytes));
  if (!Root->sources())
    return Status();
  for (const schema::Source *S : *Root->sources()) {
    std::string Ignored;
    GOLDY_TRY(name(S->name(), "a source", Ignored));
  }
  return Status();
}

Status Loader::run() {
  GOLDY_TRY(tables());
  GOLDY_TRY(provenance());
  GOLDY_TRY(types());
  GOLDY_TRY(kernels());
  return programs();
}

Status goldy::rt::loadArtifact(std::unique_ptr<File> Backing, bool Trusted,
                               std::shared_ptr<const Artifact> &Out) {
  std::shared_ptr<Artifact> A = std::make_shared<Artifact>();
  A->Backing = std::move(Backing);
  A->Trusted = Trusted;
  GOLDY_TRY(Loader(*A).run());
  Out = std::move(A);
  return Status();
}

const Kernel *Artifact::find(std::string_view Name) const {
  for (const Kernel &K : Kernels)
    if (K.Name == Name)
      return &K;
  return nullptr;
}

const goldy::program::ProgramTemplate *
Artifact::findProgram(std::string_view Name) const {
  for (const program::ProgramTemplate &P : Programs)
    if (P.Name == Name)
      return &P;
  return nullptr;
}

const std::string &Artifact::json() const {
  std::call_once(JsonOnce, [this] {
    Json = schema::artifactJson(*static_cast<const schema::Artifact *>(Root),
                                Programs);
  });
  return Json;
}
