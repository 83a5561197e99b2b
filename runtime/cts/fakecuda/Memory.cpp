//===- Memory.cpp - Device memory, pools and pinned host memory -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An address of the device is one of the host; nothing but this library follows
// it.
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace fake;

namespace {

constexpr std::align_val_t Align{256};
constexpr int Rubbish = 0xCD;

struct Allocation {
  uint64_t Bytes = 0;
  Context Owner = nullptr;
  FakePool *From = nullptr; ///< null: not of a pool
  FakeStream *In = nullptr; ///< that it is ordered in
  bool FreeAsked = false;
};
std::map<DevicePointer, Allocation> Live;
std::map<const std::byte *, uint64_t> Pinned;
constexpr uint64_t PageBytes = 4096;
/// Registered memory of the host, by its first page; its device address is its
/// own.
struct Registration {
  uint64_t End;        ///< of its last page
  DevicePointer First; ///< of its own bytes
};
std::map<DevicePointer, Registration> Registered;

DevicePointer take(uint64_t Bytes, FakePool *From, FakeStream *In) {
  void *Memory = ::operator new(std::max<uint64_t>(Bytes, 1), Align);
  std::memset(Memory, Rubbish, Bytes);
  DevicePointer At = reinterpret_cast<uintptr_t>(Memory);
  Live[At] = {Bytes, currentContext(), From, In, false};
  return At;
}

void give(DevicePointer At) {
  ::operator delete(reinterpret_cast<void *>(static_cast<uintptr_t>(At)),
                    Align);
  Live.erase(At);
}

/// The allocation that begins at `At`, to be freed.
Allocation &toFree(DevicePointer At) {
  std::map<DevicePointer, Allocation>::iterator Found = Live.find(At);
  if (Found == Live.end())
    violation("no allocation begins there");
  if (Found->second.Owner != currentContext())
    violation("memory of another context");
  if (Found->second.FreeAsked)
    violation("memory that was freed already");
  Found->second.FreeAsked = true;
  return Found->second;
}

} // namespace

size_t fake::aliveAllocations() { return Live.size() + Pinned.size(); }

bool fake::isRegistered(DevicePointer At) {
  // The fake device's memory is the host's too, so it can lie in a registered
  // page: whose the bytes are is what tells.
  std::map<DevicePointer, Allocation>::iterator After = Live.upper_bound(At);
  if (After == Live.begin())
    return false;
  DevicePointer First = std::prev(After)->first;
  std::map<DevicePointer, Registration>::iterator Found =
      Registered.find(First / PageBytes * PageBytes);
  return Found != Registered.end() && Found->second.First == First &&
         At < Found->second.End;
}

std::byte *fake::bytesOf(DevicePointer At) {
  return reinterpret_cast<std::byte *>(static_cast<uintptr_t>(At));
}

void fake::checkRange(DevicePointer At, uint64_t Bytes, const FakeStream *By) {
  std::map<DevicePointer, Allocation>::iterator After = Live.upper_bound(At);
  if (After == Live.begin())
    violation("an address that no memory has");
  const auto &[Start, A] = *std::prev(After);
  if (At - Start > A.Bytes || Bytes > A.Bytes - (At - Start))
    violation(std::to_string(Bytes) + " bytes at byte " +
              std::to_string(At - Start) + " of memory of " +
              std::to_string(A.Bytes) + " bytes");
  if (A.Owner != currentContext())
    violation("memory of another context");
  if (A.In && By && A.In != By)
    violation("memory that is ordered in another stream");
}

/// Nothing may be asked of memory once its end was asked for.
static void checkUse(DevicePointer At, uint64_t Bytes, const FakeStream *By) {
  checkRange(At, Bytes, By);
  if (std::prev(Live.upper_bound(At))->second.FreeAsked)
    violation("memory that was freed");
}

bool fake::isPinned(const void *At, uint64_t Bytes) {
  const std::byte *B = static_cast<const std::byte *>(At);
  std::map<const std::byte *, uint64_t>::iterator After = Pinned.upper_bound(B);
  if (After == Pinned.begin())
    return false;
  const auto &[Start, Size] = *std::prev(After);
  uint64_t Offset = static_cast<uint64_t>(B - Start);
  return Offset <= Size && Bytes <= Size - Offset;
}

static std::vector<FakePool *> &pools() {
  static std::vector<FakePool *> Of;
  return Of;
}

static void trim(FakePool &P, uint64_t Keep) {
  if (P.Kept <= Keep)
    return;
  deviceOf(P.Owner).Used -= P.Kept - Keep;
  P.Kept = Keep;
}

void fake::trimPools(Context C) {
  for (FakePool *P : pools())
    if (P->Alive && P->Owner == C)
      trim(*P, P->Threshold);
}

namespace goldy::rt::cuda {

Result cuMemPoolCreate(Pool *Out, const PoolProps *Props) {
  FAKE_CALL(cuMemPoolCreate, Context, true);
  PoolProps Zero{};
  bool Rest =
      std::memcmp(Props->Reserved, Zero.Reserved, sizeof Zero.Reserved) == 0 &&
      !Props->Security && Props->HandleTypes == 0 && Props->MaxSize == 0 &&
      Props->Usage == 0;
  if (Props->AllocationType != PoolPinned ||
      Props->LocationType != PoolOnDevice || !Rest)
    violation("properties that this driver does not know");
  if (Props->LocationId != currentDevice().Number)
    violation("memory of another device");
  if (!currentDevice().Pools)
    violation("the device has no memory pools");
  pools().push_back(&make<FakePool>(Out));
  return Success;
}

Result cuMemPoolSetAttribute(Pool P, int Attribute, void *Value) {
  FAKE_CALL(cuMemPoolSetAttribute, Context, true);
  if (Attribute != PoolReleaseThreshold)
    violation("an attribute that this driver does not know");
  std::memcpy(&get<FakePool>(P).Threshold, Value, sizeof(uint64_t));
  return Success;
}

Result cuMemPoolTrimTo(Pool P, size_t Keep) {
  FAKE_CALL(cuMemPoolTrimTo, Context, true);
  trim(get<FakePool>(P), Keep);
  return Success;
}

Result cuMemPoolDestroy(Pool P) {
  Call C("cuMemPoolDestroy", Needs::Context, false);
  FakePool &Gone = get<FakePool>(P);
  if (Gone.Live && C.result() == Success)
    violation(std::to_string(Gone.Live) + " allocations of it are alive");
  trim(Gone, 0);
  died(Gone);
  return C.result();
}

Result cuMemAllocFromPoolAsync(DevicePointer *Out, size_t Bytes, Pool P,
                               Stream S) {
  FAKE_CALL(cuMemAllocFromPoolAsync, Context, true);
  FakePool &From = get<FakePool>(P);
  FakeStream &In = get<FakeStream>(S);
  if (Bytes == 0)
    return InvalidValue;
  if (Bytes > DeviceBytes - currentDevice().Used)
    return OutOfMemory;
  *Out = take(Bytes, &From, &In);
  ++From.Live;
  currentDevice().Used += Bytes;
  return Success;
}

/// In a lost context nothing waits.
Result cuMemFreeAsync(DevicePointer At, Stream S) {
  Call C("cuMemFreeAsync", Needs::Context, false);
  FakeStream &In = get<FakeStream>(S);
  Allocation &A = toFree(At);
  if (!A.From)
    violation("memory that is not of a pool");
  --A.From->Live;
  auto End = [At, From = A.From, Bytes = A.Bytes] {
    if (From->Alive)
      From->Kept += Bytes;
    else
      deviceOf(From->Owner).Used -= Bytes;
    give(At);
  };
  if (C.result() == Success)
    In.Work.push_back(End);
  else
    End();
  return C.result();
}

Result cuMemAlloc_v2(DevicePointer *Out, size_t Bytes) {
  FAKE_CALL(cuMemAlloc_v2, Context, true);
  if (Bytes == 0)
    return InvalidValue;
  if (Bytes > DeviceBytes - currentDevice().Used)
    return OutOfMemory;
  *Out = take(Bytes, nullptr, nullptr);
  currentDevice().Used += Bytes;
  return Success;
}

/// Waits for all work of the context first.
Result cuMemFree_v2(DevicePointer At) {
  Call C("cuMemFree_v2", Needs::Context, false);
  Allocation &A = toFree(At);
  if (A.From)
    violation("memory of a pool");
  finishStreams(A.Owner);
  currentDevice().Used -= A.Bytes;
  give(At);
  return C.result();
}

Result cuMemHostAlloc(void **Out, size_t Bytes, unsigned Flags) {
  FAKE_CALL(cuMemHostAlloc, Context, true);
  if (Bytes == 0 || Flags)
    violation("no bytes, or flags that this driver does not know");
  *Out = ::operator new(Bytes, Align);
  std::memset(*Out, Rubbish, Bytes);
  Pinned[static_cast<std::byte *>(*Out)] = Bytes;
  return Success;
}

Result cuMemFreeHost(void *P) {
  Call C("cuMemFreeHost", Needs::Context, false);
  if (!Pinned.erase(static_cast<std::byte *>(P)))
    violation("no pinned memory begins there");
  ::operator delete(P, Align);
  return C.result();
}

/// A page of the host is registered once.
Result cuMemHostRegister_v2(void *P, size_t Bytes, unsigned Flags) {
  FAKE_CALL(cuMemHostRegister_v2, Context, true);
  if (!P || Bytes == 0 || Flags != HostRegisterDeviceMap)
    violation("no memory, or flags that this driver does not know");
  DevicePointer First = reinterpret_cast<uintptr_t>(P);
  DevicePointer Page = First / PageBytes * PageBytes;
  uint64_t End = (First + Bytes + PageBytes - 1) / PageBytes * PageBytes;
  for (const auto &[Other, R] : Registered)
    if (Other < End && Page < R.End)
      return HostMemoryRegistered;
  Registered[Page] = {End, First};
  Live[First] = {Bytes, currentContext(), nullptr, nullptr, false};
  return Success;
}

Result cuMemHostUnregister(void *P) {
  Call C("cuMemHostUnregister", Needs::Context, false);
  DevicePointer First = reinterpret_cast<uintptr_t>(P);
  std::map<DevicePointer, Registration>::iterator Found =
      Registered.find(First / PageBytes * PageBytes);
  if (Found == Registered.end() || Found->second.First != First)
    violation("no registered memory begins there");
  Registered.erase(Found);
  Live.erase(First);
  return C.result();
}

Result cuMemHostGetDevicePointer_v2(DevicePointer *Out, void *P,
                                    unsigned Flags) {
  FAKE_CALL(cuMemHostGetDevicePointer_v2, Context, true);
  if (Flags)
    violation("flags must be 0");
  *Out = reinterpret_cast<uintptr_t>(P);
  if (!isRegistered(*Out))
    violation("memory that is not registered");
  return Success;
}

Result cuMemsetD8Async(DevicePointer To, unsigned char Value, size_t Bytes,
                       Stream S) {
  FAKE_CALL(cuMemsetD8Async, Context, true);
  FakeStream &In = get<FakeStream>(S);
  if (Bytes == 0)
    violation("no bytes");
  checkUse(To, Bytes, &In);
  In.Work.push_back([=, &In] {
    checkRange(To, Bytes, &In);
    std::memset(bytesOf(To), Value, Bytes);
  });
  return Success;
}

Result cuMemcpyHtoDAsync_v2(DevicePointer To, const void *From, size_t Bytes,
                            Stream S) {
  FAKE_CALL(cuMemcpyHtoDAsync_v2, Context, true);
  FakeStream &In = get<FakeStream>(S);
  checkUse(To, Bytes, &In);
  if (!isPinned(From, Bytes))
    violation("host memory that is not pinned");
  In.Work.push_back([=, &In] {
    checkRange(To, Bytes, &In);
    if (!isPinned(From, Bytes))
      violation("pinned memory that was freed before it was copied");
    std::memcpy(bytesOf(To), From, Bytes);
  });
  return Success;
}

Result cuMemcpyDtoHAsync_v2(void *To, DevicePointer From, size_t Bytes,
                            Stream S) {
  FAKE_CALL(cuMemcpyDtoHAsync_v2, Context, true);
  FakeStream &In = get<FakeStream>(S);
  checkUse(From, Bytes, &In);
  if (!isPinned(To, Bytes))
    violation("host memory that is not pinned");
  In.Work.push_back([=, &In] {
    checkRange(From, Bytes, &In);
    if (!isPinned(To, Bytes))
      violation("pinned memory that was freed before it was copied to");
    std::memcpy(To, bytesOf(From), Bytes);
  });
  return Success;
}

} // namespace goldy::rt::cuda
