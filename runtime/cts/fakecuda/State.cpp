//===- State.cpp - Calls, faults, contexts and devices --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include "cuda/Result.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace fake;

namespace {

thread_local const char *Calling = nullptr;

/// A thread's contexts, innermost last.
struct ContextStack {
  std::vector<Context> Of;
  ~ContextStack() {
    if (!Of.empty())
      violation("a thread ends with a context that it pushed");
  }
};
thread_local ContextStack Contexts;

struct FakeContext : Object {
  static constexpr const char *KindName = "a context";
  int Device = 0;
};

std::map<Context, size_t> Alive;

std::vector<Device> parseDevices(const char *Text) {
  std::vector<Device> Out;
  for (const char *At = Text; *At;) {
    Device D;
    D.Number = static_cast<int>(Out.size());
    char *End = nullptr;
    D.Major = static_cast<int>(std::strtol(At, &End, 10));
    D.Minor =
        *End == '.' ? static_cast<int>(std::strtol(End + 1, &End, 10)) : 0;
    for (; *End == '-' || *End == '!'; ++End)
      (*End == '-' ? D.Closed : D.Pools) = *End == '-';
    At = *End == ',' ? End + 1 : End;
    if (*End && *End != ',')
      violation("GOLDY_FAKE_CUDA_DEVICES is not a list of capabilities");
    Out.push_back(D);
  }
  return Out;
}

/// What is alive when the process ends was forgotten.
struct Leaks {
  ~Leaks() {
    if (fakeCudaAlive())
      violation(std::to_string(fakeCudaAlive()) +
                " objects are alive at the end of the process");
  }
} AtExit;

} // namespace

State &fake::state() {
  static State *S = [] {
    State *New = new State;
    const char *Devices = std::getenv("GOLDY_FAKE_CUDA_DEVICES");
    const char *Version = std::getenv("GOLDY_FAKE_CUDA_VERSION");
    New->Devices = parseDevices(Devices ? Devices : "9.0");
    if (Version)
      New->Version = std::atoi(Version);
    New->Held = std::getenv("GOLDY_FAKE_CUDA_HOLD") != nullptr;
    return New;
  }();
  return *S;
}

void fake::violation(const std::string &What) {
  std::fprintf(stderr, "fake CUDA driver: %s: %s\n",
               Calling ? Calling : "outside of calls", What.c_str());
  std::abort();
}

const char *fake::currentCall() { return Calling; }

void fake::note(std::string Line) { state().Lines.push_back(std::move(Line)); }

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Call::Call(const char *Symbol, Needs N, bool CanFail)
    : Lock(state().Mutex), Before(Calling) {
  State &S = state();
  if (S.Enter)
    S.Enter();
  Calling = Symbol;
  if (N != Needs::Nothing && !S.Started)
    violation("cuInit was not called");
  Device *D = N == Needs::Context ? &currentDevice() : nullptr;
  if (D && D->Sticky != Success) {
    R = D->Sticky;
    return;
  }
  bool Counts = CanFail && (S.FailSymbol.empty() || S.FailSymbol == Symbol);
  S.Calls += CanFail;
  if (!Counts || S.FailIn == 0 || --S.FailIn > 0)
    return;
  S.Failed = Symbol;
  R = S.FailWith;
  if (!D || !losesDevice(R))
    return;
  // What is under way ends with the device.
  finishStreams(D->Primary);
  D->Sticky = R;
}

Call::~Call() {
  Calling = Before;
  if (state().Leave)
    state().Leave();
}

Context fake::currentContext() {
  if (Contexts.Of.empty())
    violation("no context is current");
  Context C = Contexts.Of.back();
  if (!reinterpret_cast<FakeContext *>(C)->Alive)
    violation("the current context was destroyed");
  return C;
}

Device &fake::deviceOf(Context C) {
  return state().Devices[reinterpret_cast<FakeContext *>(C)->Device];
}
Device &fake::currentDevice() { return deviceOf(currentContext()); }

void fake::born(Object &O) { ++Alive[O.Owner]; }
/// Objects outlive their destruction, so that a use after it is seen; here a
/// leak checker finds them.
static void bury(Object &O) {
  static std::vector<Object *> &Graves = *new std::vector<Object *>;
  Graves.push_back(&O);
  O.Alive = false;
}
void fake::died(Object &O) {
  bury(O);
  --Alive[O.Owner];
}
size_t fake::aliveObjects(Context Owner) { return Alive[Owner]; }

//===----------------------------------------------------------------------===//
// Controls
//===----------------------------------------------------------------------===//

void fakeCudaReset() {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  State &S = state();
  S.Calls = S.FailIn = 0;
  S.FailSymbol.clear();
  S.Failed.clear();
  S.Lines.clear();
  S.Kernels = 0;
  S.Held = false;
  for (Device &D : S.Devices)
    D.Sticky = Success;
}

void fakeCudaSetUp(const char *Devices, int Version) {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  if (fakeCudaAlive())
    violation("the devices change while something is alive");
  if (Devices)
    state().Devices = parseDevices(Devices);
  if (Version)
    state().Version = Version;
}

void fakeCudaFail(int Nth, int Result, const char *Symbol) {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  state().FailIn = Nth;
  state().FailWith = static_cast<goldy::rt::cuda::Result>(Result);
  state().FailSymbol = Symbol ? Symbol : "";
}

int fakeCudaCalls() { return state().Calls; }
const char *fakeCudaFailed() { return state().Failed.c_str(); }

void fakeCudaHold(bool Held) {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  state().Held = Held;
}

void fakeCudaPass(uint64_t Ns) {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  state().ClockNs += Ns;
}

void fakeCudaAround(void (*Enter)(), void (*Leave)()) {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  state().Enter = Enter;
  state().Leave = Leave;
}

size_t fakeCudaAlive() {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  size_t Sum = aliveAllocations();
  for (const auto &[Owner, Count] : Alive)
    Sum += Count;
  for (const Device &D : state().Devices)
    Sum += static_cast<size_t>(D.Retained);
  return Sum;
}

size_t fakeCudaKernels() {
  std::lock_guard<std::recursive_mutex> Lock(state().Mutex);
  return state().Kernels;
}

size_t fakeCudaLineCount() { return state().Lines.size(); }
const char *fakeCudaLine(size_t Number) {
  return Number < state().Lines.size() ? state().Lines[Number].c_str() : "";
}

//===----------------------------------------------------------------------===//
// The driver and its devices
//===----------------------------------------------------------------------===//

namespace goldy::rt::cuda {

Result cuDriverGetVersion(int *Version) {
  FAKE_CALL(cuDriverGetVersion, Nothing, true);
  *Version = state().Version;
  return Success;
}

Result cuInit(unsigned Flags) {
  FAKE_CALL(cuInit, Nothing, true);
  if (Flags)
    violation("flags must be 0");
  if (state().Devices.empty())
    return NoDevice;
  state().Started = true;
  return Success;
}

static Device &device(DeviceOrdinal D) {
  if (D < 0 || static_cast<size_t>(D) >= state().Devices.size())
    violation("there is no such device");
  return state().Devices[D];
}

Result cuDeviceGetCount(int *Count) {
  FAKE_CALL(cuDeviceGetCount, Init, true);
  *Count = static_cast<int>(state().Devices.size());
  return Success;
}

Result cuDeviceGet(DeviceOrdinal *Out, int Number) {
  FAKE_CALL(cuDeviceGet, Init, true);
  device(Number);
  *Out = Number;
  return Success;
}

Result cuDeviceGetName(char *Out, int Bytes, DeviceOrdinal D) {
  FAKE_CALL(cuDeviceGetName, Init, true);
  device(D);
  std::snprintf(Out, static_cast<size_t>(Bytes), "Fake GPU %d", D);
  return Success;
}

Result cuDeviceTotalMem_v2(size_t *Out, DeviceOrdinal D) {
  FAKE_CALL(cuDeviceTotalMem_v2, Init, true);
  device(D);
  *Out = DeviceBytes;
  return Success;
}

Result cuDeviceGetAttribute(int *Out, Attribute A, DeviceOrdinal Number) {
  FAKE_CALL(cuDeviceGetAttribute, Init, true);
  const fake::Device &D = device(Number);
  const std::map<int, int> Values = {
      {MaxThreadsPerBlock, 1024},
      {MaxBlockDimX, 1024},
      {MaxBlockDimX + 1, 1024},
      {MaxBlockDimX + 2, 64},
      {MaxGridDimX, 0x7fffffff},
      {MaxGridDimX + 1, MaxGridYZ},
      {MaxGridDimX + 2, MaxGridYZ},
      {MaxSharedMemoryPerBlock, 49152},
      {ComputeMode, D.Closed ? ComputeProhibited : 0},
      {CapabilityMajor, D.Major},
      {CapabilityMinor, D.Minor},
      {MemoryPoolsSupported, D.Pools}};
  std::map<int, int>::const_iterator Found = Values.find(A);
  if (Found == Values.end())
    violation("attribute " + std::to_string(A) + " is unknown here");
  *Out = Found->second;
  return Success;
}

Result cuDevicePrimaryCtxRetain(Context *Out, DeviceOrdinal Number) {
  FAKE_CALL(cuDevicePrimaryCtxRetain, Init, true);
  fake::Device &D = device(Number);
  if (D.Closed)
    return DeviceUnavailable;
  if (D.Retained++ == 0) {
    FakeContext *C = new FakeContext;
    C->Kind = FakeContext::KindName;
    C->Device = Number;
    D.Primary = reinterpret_cast<Context>(C);
    D.Sticky = Success;
  }
  *Out = D.Primary;
  return Success;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal Number) {
  FAKE_CALL(cuDevicePrimaryCtxRelease_v2, Init, false);
  fake::Device &D = device(Number);
  if (D.Retained == 0)
    violation("released more often than retained");
  if (--D.Retained)
    return Success;
  if (aliveObjects(D.Primary))
    violation(std::to_string(aliveObjects(D.Primary)) +
              " objects are alive in the context");
  bury(*reinterpret_cast<FakeContext *>(D.Primary));
  return Success;
}

Result cuCtxPushCurrent_v2(Context C) {
  FAKE_CALL(cuCtxPushCurrent_v2, Init, false);
  if (!C || !reinterpret_cast<FakeContext *>(C)->Alive)
    violation("not a context");
  Contexts.Of.push_back(C);
  return Success;
}

Result cuCtxPopCurrent_v2(Context *Out) {
  FAKE_CALL(cuCtxPopCurrent_v2, Init, false);
  *Out = currentContext();
  Contexts.Of.pop_back();
  return Success;
}

} // namespace goldy::rt::cuda
