//===- State.h - What the fake CUDA driver keeps --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lock guards all. Objects are never freed, so that a handle that is used
// after its end is recognised.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_FAKECUDA_STATE_H
#define GOLDY_RUNTIME_CTS_FAKECUDA_STATE_H

#include "FakeCuda.h"

#include "cuda/Api.h"

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#define GOLDY_FAKE_DECLARE(Name, Symbol, Params)                               \
  extern "C" goldy::rt::cuda::Result Symbol Params;
namespace goldy::rt::cuda {
GOLDY_CUDA_FUNCTIONS(GOLDY_FAKE_DECLARE)
}
#undef GOLDY_FAKE_DECLARE

namespace fake {

using namespace goldy::rt::cuda;

/// Every object's kind, owner and life.
struct Object {
  const char *Kind;
  Context Owner;
  bool Alive = true;
};

struct Device {
  int Number = 0;
  int Major = 9, Minor = 0;
  bool Closed = false, Pools = true;
  int Retained = 0;
  Context Primary = nullptr;
  goldy::rt::cuda::Result Sticky = Success;
  uint64_t Used = 0; ///< bytes, what pools keep counted in
};

struct State {
  std::recursive_mutex Mutex;
  bool Started = false;
  int Version = 12040;
  std::vector<Device> Devices;
  std::vector<std::string> Lines;
  size_t Kernels = 0; ///< that ran
  bool Held = false;
  uint64_t ClockNs = 0; ///< of the devices
  void (*Enter)() = nullptr, (*Leave)() = nullptr;
  // Faults.
  int Calls = 0, FailIn = 0;
  goldy::rt::cuda::Result FailWith = Success;
  std::string FailSymbol, Failed;
};
State &state();

/// Ends the process: the caller broke a rule.
[[noreturn]] void violation(const std::string &What);
/// The symbol that is being called.
const char *currentCall();

inline constexpr uint64_t DeviceBytes = uint64_t(128) << 20;
/// Groups along y and z.
inline constexpr int MaxGridYZ = 65535;

enum class Needs { Nothing, Init, Context };

/// Stands at the start of every function: takes the lock, checks that the
/// driver is started and a context current, and gives the fault that is due.
class Call {
public:
  Call(const char *Symbol, Needs N, bool CanFail);
  ~Call();
  /// Success, or what the function must give without an effect.
  goldy::rt::cuda::Result result() const { return R; }

private:
  std::lock_guard<std::recursive_mutex> Lock;
  const char *Before;
  goldy::rt::cuda::Result R = Success;
};

/// The current context; the call needs one.
Context currentContext();
Device &deviceOf(Context C);
Device &currentDevice();

/// An object as its own type; checks that it is one, alive, and of the current
/// context.
template <class T, class Handle> T &get(Handle H) {
  T *O = reinterpret_cast<T *>(H);
  if (!O)
    violation(std::string("NULL instead of ") + T::KindName);
  if (std::string_view(O->Kind) != T::KindName)
    violation(std::string("not ") + T::KindName);
  if (!O->Alive)
    violation(std::string(T::KindName) + " that was destroyed");
  if (O->Owner != currentContext())
    violation(std::string(T::KindName) + " of another context");
  return *O;
}

/// Objects that live; by context and kind.
size_t aliveObjects(Context Owner);
void born(Object &O);
void died(Object &O);

template <class T, class Handle> T &make(Handle *Out) {
  if (!Out)
    violation("NULL to write a handle to");
  T *O = new T;
  O->Kind = T::KindName;
  O->Owner = currentContext();
  born(*O);
  *Out = reinterpret_cast<Handle>(O);
  return *O;
}

struct FakeStream : Object {
  static constexpr const char *KindName = "a stream";
  std::deque<std::function<void()>> Work;
  /// Does the first thing that is left, if there is one.
  void step();
  void finish();
};

/// Does all that the context's streams have left.
void finishStreams(Context Owner);

struct FakeEvent : Object {
  static constexpr const char *KindName = "an event";
  FakeStream *In = nullptr; ///< where it was recorded
  int Pending = 0;          ///< records that the stream has not got to
  bool Measures = false;
  uint64_t AtNs = 0; ///< when the stream got to it
  /// A record of it is put into `S`; it comes to pass.
  void ask(FakeStream &S);
  void pass();
};

struct FakePool : Object {
  static constexpr const char *KindName = "a memory pool";
  uint64_t Threshold = 0, Kept = 0;
  uint64_t Live = 0; ///< allocations whose end was not asked for
};

struct FakeModule : Object {
  static constexpr const char *KindName = "a module";
  std::string Text;
  int Running = 0; ///< launches that have not come to pass
};

struct FakeFunction : Object {
  static constexpr const char *KindName = "a function";
  FakeModule *In = nullptr;
  std::string Name;
  size_t BlockBytes = 0;
  std::array<unsigned, 3> Workgroup{};
};

/// The live allocation that holds all of the bytes; `By` uses them.
void checkRange(DevicePointer At, uint64_t Bytes, const FakeStream *By);
bool isPinned(const void *At, uint64_t Bytes);
/// Memory of the host that is registered.
bool isRegistered(DevicePointer At);
size_t aliveAllocations();
/// Pools give back what lies above their threshold.
void trimPools(Context C);
std::byte *bytesOf(DevicePointer At);

void note(std::string Line);

/// What the devices' clock counts.
inline constexpr uint64_t KernelNs = 5000, FillNs = 2000, CopyNs = 3000,
                          EventNs = 100;

} // namespace fake

/// Begins a function of the driver.
#define FAKE_CALL(Symbol, N, CanFail)                                          \
  fake::Call ThisCall(#Symbol, fake::Needs::N, CanFail);                       \
  if (ThisCall.result() != goldy::rt::cuda::Success)                           \
  return ThisCall.result()

#endif
