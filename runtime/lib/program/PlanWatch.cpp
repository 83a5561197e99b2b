//===- PlanWatch.cpp - What several devices of a program use --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device does its own work in order. What two devices use, or a device and
// the host, the host orders: those are few, and only they cost waits.
//
//===----------------------------------------------------------------------===//
#include "program/Planner.h"

using namespace goldy;
using namespace goldy::rt;

Named goldy::rt::namedBy(const goldy_program &L, const program::Slot &S) {
  Named N;
  if (const program::View *V = std::get_if<program::View>(&S)) {
    N.Memory = L.memory(V->Memory);
    N.Offset = static_cast<uint64_t>(V->Offset);
    N.Bytes = static_cast<uint64_t>(V->Length);
  } else if (const program::InputSlot *I =
                 std::get_if<program::InputSlot>(&S)) {
    N.Input = static_cast<uint32_t>(I->Which);
    // Where a word says how long it is, nothing is known before a run.
    if (!L.Inputs[N.Input].Length)
      N.Bytes = static_cast<uint64_t>(L.Inputs[N.Input].Bytes);
  } else {
    N.Memory = L.intsMemory();
    N.Bytes = uint64_t(L.Ints) * 8;
  }
  return N;
}

//===-- Moves -------------------------------------------------------------===//

/// The device whose buffer it is; NoIndex: the host's.
static uint32_t ownerOf(const goldy_program &L, const Named &N) {
  return N.Input != NoIndex ? static_cast<uint32_t>(L.Inputs[N.Input].Device)
                            : L.Memories[N.Memory].Device;
}

static bool mayReach(const goldy_program &L, const Named &N, uint32_t Device) {
  if (N.Input != NoIndex || ownerOf(L, N) == Device)
    return ownerOf(L, N) == Device;
  return L.Memories[N.Memory].of(0).Host != nullptr;
}

uint32_t goldy::rt::moveDevice(const program::ProgramDesc &Desc,
                               const goldy_program &L, const program::Move &M) {
  Named Src = namedBy(L, M.Src), Dst = namedBy(L, M.Dst);
  uint32_t Any = Desc.Devices.empty() ? NoIndex : 0;
  for (bool Host : {false, true})
    for (uint32_t D : {ownerOf(L, Src), ownerOf(L, Dst), Any})
      if (D != NoIndex && (L.Devices[D]->facts().Threads > 0) == Host &&
          mayReach(L, Src, D) && mayReach(L, Dst, D))
        return D;
  return NoIndex;
}

//===-- Watching ----------------------------------------------------------===//

WatchFinder::WatchFinder(const program::ProgramDesc &Desc, goldy_program &L)
    : Desc(Desc), L(L), MemoryUser(Desc.Memories.size() + 1, Nobody),
      InputUser(Desc.Inputs.size(), Nobody),
      MemoryWatch(MemoryUser.size(), NoIndex),
      InputWatch(InputUser.size(), NoIndex) {}

void WatchFinder::note(uint32_t &Who, uint32_t Device) {
  if (Who == Nobody)
    Who = Device;
  else if (Who != Device)
    Who = Several;
}

void WatchFinder::useMemory(Number Memory, uint32_t Device) {
  note(MemoryUser[L.memory(Memory)], Device);
}

void WatchFinder::use(const program::Slot &S, uint32_t Device) {
  Named N = namedBy(L, S);
  if (N.Input != NoIndex) {
    note(InputUser[N.Input], Device);
    // Also work that the caller started on the input's own device.
    note(InputUser[N.Input],
         static_cast<uint32_t>(Desc.Inputs[N.Input].Device));
  } else {
    useMemory(N.Memory, Device);
  }
}

void WatchFinder::submit(const program::Submit &S) {
  uint32_t D = static_cast<uint32_t>(S.Device);
  for (const program::Slot &X : S.Slots)
    use(X, D);
  for (const program::FixedMemory &F : S.Fixed)
    useMemory(F.Where.Memory, D);
  for (const program::Part &X : S.Parts)
    if (const program::Words *W = std::get_if<program::Words>(&X))
      useMemory(W->Where.Memory, D);
}

void WatchFinder::steps(const std::vector<program::Step> &List) {
  for (const program::Step &S : List) {
    if (const program::Submit *X = std::get_if<program::Submit>(&S.Kind))
      submit(*X);
    if (const program::Move *M = std::get_if<program::Move>(&S.Kind)) {
      // Where the device turns out not to borrow, the host moves the bytes.
      uint32_t D = moveDevice(Desc, L, *M);
      bool OnHost = D == NoIndex || L.Devices[D]->facts().Threads == 0;
      for (const program::Slot *End : {&M->Src, &M->Dst}) {
        if (D != NoIndex)
          use(*End, D);
        if (OnHost)
          use(*End, Host);
      }
    }
    if (const program::Loop *X = std::get_if<program::Loop>(&S.Kind)) {
      if (X->Stop)
        use(X->Stop->Where, Host);
      steps(X->Body);
    }
  }
}

void WatchFinder::run() {
  steps(Desc.Steps);
  uint32_t Ints = L.intsMemory();
  if (MemoryUser[Ints] != Nobody)
    MemoryUser[Ints] = Several; // the host reads and writes them
  std::vector<Watched> &List = L.Plan.Watches;
  for (uint32_t M = 0; M < MemoryUser.size(); ++M)
    if (MemoryUser[M] == Several || MemoryUser[M] == Host) {
      MemoryWatch[M] = static_cast<uint32_t>(List.size());
      List.push_back({M, NoIndex});
    }
  for (uint32_t I = 0; I < InputUser.size(); ++I)
    if (InputUser[I] == Several || InputUser[I] == Host) {
      InputWatch[I] = static_cast<uint32_t>(List.size());
      List.push_back({NoIndex, I});
      L.Plan.WatchesInputs = true;
    }
  L.Plan.IntsWatch = MemoryWatch[Ints];
}

uint32_t WatchFinder::of(const Named &N) const {
  return N.Input != NoIndex ? InputWatch[N.Input] : MemoryWatch[N.Memory];
}
