//===- LoadMemory.cpp - The memory of a loaded program --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of the host, which is that of CPU devices, of kind `host`, of the ints
// and of rails, is borrowed by each device that names it. Other memory is its
// device's alone.
//
//===----------------------------------------------------------------------===//
#include "program/Load.h"

#include "core/Checked.h"
#include "program/Numbers.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace goldy;
using namespace goldy::rt;
using program::Place;

Status goldy::rt::refusedBy(const goldy_program &L, uint32_t Device,
                            LoadRule Rule, const std::string &At,
                            const Status &Why) {
  if (Why.code() == GOLDY_OUT_OF_MEMORY)
    Rule = LoadRule::MemoryMade;
  if (Why.code() == GOLDY_LOST)
    Rule = LoadRule::LoadLost;
  return broken(Rule, "`" + L.deviceName(Device) + "`: " + At, Why);
}

//===-- Making ------------------------------------------------------------===//

/// The CPU's memory is the host's.
static bool isHost(const goldy_program &L, uint32_t Device) {
  return L.Devices[Device]->facts().Threads > 0;
}

static Status allocateOn(goldy_program &L, uint32_t D, uint64_t Bytes,
                         std::unique_ptr<Memory> &Out) {
  std::unique_ptr<Memory> M = std::make_unique<Memory>();
  M->Device = L.Devices[D];
  M->Bytes = Bytes;
  GOLDY_TRY(M->Device->allocate(Bytes, M->Id));
  Out = std::move(M);
  return Status();
}

static Status borrowOn(goldy_program &L, uint32_t D, std::byte *Host,
                       uint64_t Bytes, std::unique_ptr<Memory> &Out) {
  std::unique_ptr<Memory> M = std::make_unique<Memory>();
  M->Device = L.Devices[D];
  M->Bytes = Bytes;
  GOLDY_TRY(M->Device->borrow(Host, std::max<uint64_t>(Bytes, 1), M->Id));
  Out = std::move(M);
  return Status();
}

static bool onHostsOnly(const goldy_program &L) {
  for (uint32_t D = 0; D < L.Devices.size(); ++D)
    if (!isHost(L, D))
      return false;
  return true;
}

/// Devices map pages, and a page once: the memory has its pages to itself.
static Status makeHost(const goldy_program &L, uint64_t Bytes,
                       MemoryCopy &Out) {
  constexpr uint64_t Page = 4096;
  std::optional<uint64_t> Room = std::max<uint64_t>(Bytes, 1);
  if (!onHostsOnly(L))
    Room = checkedAlign(*Room, Page);
  Room = Room ? checkedAdd(*Room, onHostsOnly(L) ? 0 : Page) : Room;
  Out.Own = Room ? HostMemory::create(*Room) : nullptr;
  if (!Out.Own)
    return Status(GOLDY_OUT_OF_MEMORY,
                  "no memory for " + std::to_string(Bytes) + " bytes");
  Out.Host = Out.Own->data();
  if (!onHostsOnly(L))
    Out.Host += -reinterpret_cast<uintptr_t>(Out.Host) % Page;
  return Status();
}

/// Host memory that the device borrows. A device that does not borrow has it
/// among its own, where nobody can tell the difference.
static Status makeBorrowed(goldy_program &L, uint32_t D, uint64_t Bytes,
                           MemoryCopy &Out) {
  GOLDY_TRY(makeHost(L, Bytes, Out));
  Status S = borrowOn(L, D, Out.Host, Bytes, Out.On[D]);
  if (S.ok() || isHost(L, D) || S.code() == GOLDY_LOST)
    return S;
  Out.Host = nullptr;
  Out.Own.reset();
  return allocateOn(L, D, Bytes, Out.On[D]);
}

static Status makeCopy(goldy_program &L, const program::Alloc &A,
                       MemoryCopy &Out) {
  uint32_t D = static_cast<uint32_t>(A.Device);
  uint64_t Bytes = static_cast<uint64_t>(A.Bytes);
  uint64_t Most = L.Devices[D]->facts().MaxBufferBytes;
  if (Bytes > Most)
    return Status(GOLDY_LIMIT, "memory of " + std::to_string(Bytes) +
                                   " bytes, the device's limit is " +
                                   std::to_string(Most));
  if (isHost(L, D) || A.Kind == program::MemoryKind::Host)
    return makeBorrowed(L, D, Bytes, Out);
  return allocateOn(L, D, Bytes, Out.On[D]);
}

static Status makeAlloc(goldy_program &L, const program::Alloc &A,
                        const Place &At, ProgramMemory &Out) {
  Out.Device = static_cast<uint32_t>(A.Device);
  Out.Bytes = static_cast<uint64_t>(A.Bytes);
  for (MemoryCopy &C : Out.Copies)
    if (Status S = makeCopy(L, A, C); !S.ok())
      return refusedBy(L, Out.Device, LoadRule::MemoryMade, At.text(), S);
  return Status();
}

/// Numbers of memories by where they lie.
using RailAreas = std::map<std::byte *, uint32_t>;

static void nameRail(const goldy_program &L, const program::Rail &R,
                     RailAreas &Areas, ProgramMemory &Out) {
  const RailEnd &End = *findRail(L, R.Id);
  size_t Area = static_cast<size_t>(R.Which);
  Out.Bytes = End.Bytes[Area];
  Out.Copies[0].Host = End.Areas[Area];
  uint32_t Own = static_cast<uint32_t>(L.Memories.size()) - 1;
  uint32_t First = Areas.try_emplace(End.Areas[Area], Own).first->second;
  if (First != Own)
    Out.Same = First;
}

/// Room for a memory in `Copies` copies, and for what each device makes of it.
static ProgramMemory &addMemory(goldy_program &L, size_t Copies) {
  ProgramMemory &M = L.Memories.emplace_back();
  M.Copies.resize(Copies);
  for (MemoryCopy &C : M.Copies)
    C.On.resize(L.Devices.size());
  return M;
}

static Status makeInts(goldy_program &L) {
  ProgramMemory &Ints = addMemory(L, 2);
  Ints.Bytes = uint64_t(L.Ints) * 8;
  for (MemoryCopy &C : Ints.Copies)
    if (Status S = makeHost(L, Ints.Bytes, C); !S.ok())
      return broken(LoadRule::MemoryMade, "ints", S);
  return Status();
}

Status goldy::rt::makeMemories(const program::ProgramDesc &Desc,
                               goldy_program &L) {
  RailAreas Areas;
  L.Memories.reserve(Desc.Memories.size() + 1);
  for (size_t I = 0; I < Desc.Memories.size(); ++I) {
    const program::Alloc *A = std::get_if<program::Alloc>(&Desc.Memories[I]);
    bool Two = A && A->Count == program::Copies::Two;
    ProgramMemory &M = addMemory(L, Two ? 2 : 1);
    if (A)
      GOLDY_TRY(makeAlloc(L, *A, {nullptr, "memory", I}, M));
    else
      nameRail(L, std::get<program::Rail>(Desc.Memories[I]), Areas, M);
  }
  return makeInts(L);
}

Status goldy::rt::reachMemory(goldy_program &L, uint32_t M, uint32_t D,
                              const Place &At) {
  for (MemoryCopy &C : L.Memories[M].Copies) {
    if (C.On[D])
      continue;
    if (!C.Host)
      return broken(
          LoadRule::MemoryReached, "`" + L.deviceName(D) + "`: " + At.text(),
          "memory " + std::to_string(M) + " is of `" +
              L.deviceName(L.Memories[M].Device) + "`; move its bytes");
    if (Status S = borrowOn(L, D, C.Host, L.Memories[M].Bytes, C.On[D]);
        !S.ok())
      return refusedBy(L, D, LoadRule::MemoryReached, At.text(), S);
  }
  return Status();
}

//===-- Leaves ------------------------------------------------------------===//

const RailEnd *goldy::rt::findRail(const goldy_program &L, int64_t Id) {
  for (const RailEnd &R : L.Rails)
    if (R.Id == Id)
      return &R;
  return nullptr;
}

/// What a driver calls a memory: on `D`, else on its own device, else on the
/// first that names it; 0 if none does.
static uint64_t handleOf(const goldy_program &L, uint32_t M, size_t Copy,
                         uint32_t D) {
  const ProgramMemory &Of = L.Memories[M];
  const MemoryCopy &C = Of.of(Copy);
  for (uint32_t Candidate : {D, Of.Device})
    if (Candidate < C.On.size() && C.On[Candidate])
      return static_cast<uint64_t>(C.On[Candidate]->Id);
  for (const std::unique_ptr<Memory> &On : C.On)
    if (On)
      return static_cast<uint64_t>(On->Id);
  return 0;
}

static uint64_t entryWord(const goldy_program &L, const program::Entry &E) {
  const ProgramImage &I = *L.Images[static_cast<size_t>(E.Image)];
  if (I.Callbacks)
    return reinterpret_cast<uintptr_t>(findCallback(L, E.Name)->Function);
  return static_cast<uint64_t>(I.Kernel.Id);
}

uint64_t goldy::rt::leafWord(const goldy_program &L, const program::Leaf &Leaf,
                             size_t Copy, uint32_t D) {
  if (const program::Address *A = std::get_if<program::Address>(&Leaf)) {
    uint32_t On = static_cast<uint32_t>(A->On);
    return L.Devices[On]->address(memoryOn(L, L.memory(A->Memory), On, Copy));
  }
  if (const program::Handle *H = std::get_if<program::Handle>(&Leaf))
    return handleOf(L, L.memory(H->Memory), Copy, D);
  if (const program::Entry *E = std::get_if<program::Entry>(&Leaf))
    return entryWord(L, *E);
  return reinterpret_cast<uintptr_t>(
      findRail(L, std::get<program::Ready>(Leaf).Rail)->Ready);
}

Status goldy::rt::fillLeaves(const goldy_program &L,
                             const program::Data<program::Leaf> &X, size_t Copy,
                             uint32_t D, const Place &At, std::span<char> Out) {
  std::copy(X.Bytes.begin(), X.Bytes.end(), Out.begin());
  for (size_t I = 0; I < X.Holes.size(); ++I) {
    const program::Hole<program::Leaf> &H = X.Holes[I];
    Place Here{&At, "holes", I};
    Number Sum = 0;
    for (const program::Term<program::Leaf> &T : H.Terms) {
      GOLDY_TRY(checkLeaf(L, T.What, Here));
      Sum = program::wrapMulAdd(
          Sum, static_cast<Number>(leafWord(L, T.What, Copy, D)), T.Factor);
    }
    uint64_t Word = program::holeWord(Sum, H.Add, H.Shift, H.Bits);
    if (!program::fillHole(
            Out.subspan(static_cast<size_t>(H.At), program::widthBytes(H.Bits)),
            Word))
      return brokenHole(Here.text(), Word);
  }
  return Status();
}

//===-- First bytes -------------------------------------------------------===//

static Status writeInit(const program::Alloc &A, goldy_program &L,
                        ProgramMemory &M, size_t Copy, const Place &At) {
  std::vector<char> Bytes(A.Init.Bytes.size());
  GOLDY_TRY(
      fillLeaves(L, A.Init, Copy, M.Device, {&At, "init"}, std::span(Bytes)));
  MemoryCopy &C = M.of(Copy);
  if (C.Host) {
    std::memcpy(C.Host, Bytes.data(), Bytes.size());
    return Status();
  }
  Status S = L.Devices[M.Device]->write(C.On[M.Device]->Id, 0,
                                        std::as_bytes(std::span(Bytes)));
  return S.ok() ? Status()
                : refusedBy(L, M.Device, LoadRule::MemoryMade, At.text(), S);
}

Status goldy::rt::writeInits(const program::ProgramDesc &Desc,
                             goldy_program &L) {
  for (size_t I = 0; I < Desc.Memories.size(); ++I) {
    const program::Alloc *A = std::get_if<program::Alloc>(&Desc.Memories[I]);
    if (!A || A->Init.Bytes.empty())
      continue;
    for (size_t Copy = 0; Copy < L.Memories[I].Copies.size(); ++Copy)
      GOLDY_TRY(writeInit(*A, L, L.Memories[I], Copy, {nullptr, "memory", I}));
  }
  return Status();
}
