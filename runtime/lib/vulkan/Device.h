//===- Device.h - An open Vulkan device: queue, timeline, commands --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parts of the driver share: the device's functions, its one queue and
// its points, command buffers to borrow, and work that waits until the device
// is past a point. Once a call has seen the device lost, all later ones say so.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_DEVICE_H
#define GOLDY_RUNTIME_VULKAN_DEVICE_H

#include "core/DeferredWork.h"
#include "core/WaitPhases.h"
#include "vulkan/Points.h"
#include "vulkan/Survey.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <new>
#include <type_traits>

namespace goldy::rt::vk {

/// A command buffer with its own pool, so that recording needs no lock.
struct Commands {
  VkCommandPool Pool = VK_NULL_HANDLE;
  VkCommandBuffer Buffer = VK_NULL_HANDLE;
};

class Device {
public:
  static Status open(std::shared_ptr<Instance> I, PhysicalDevice Physical,
                     std::unique_ptr<Device> &Out);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const Api &vk() const { return Vk; }
  VkDevice handle() const { return Handle; }
  const PhysicalDevice &physical() const { return Physical; }

  /// A result as a status; remembers that the device is lost.
  Status check(VkResult R, const char *Call);

  /// Starts recorded commands; `Point` is reached when they are done.
  Status submit(VkCommandBuffer Buffer, uint64_t &Point);
  uint64_t lastPoint() const { return Last.load(); }
  /// The greatest point that is known to be reached; 0 once the device is lost.
  uint64_t reached();
  Status wait(uint64_t Point, uint64_t TimeoutNs);

  /// An empty command buffer, begun with `Usage`.
  Status begin(Commands &Out, VkCommandBufferUsageFlags Usage);
  Status end(const Commands &C);
  /// Takes back what no pending work uses.
  void giveBack(Commands C);

  /// Runs `Action` once all work submitted so far is done: at once, at a later
  /// call, or when the device is closed. Never fails: without memory to keep it
  /// the call waits for that work.
  template <class F> void later(F Body) { defer(Action(Body)); }
  /// Runs what has become due.
  void collect();
  /// Waits for all work that was started, whatever fails; other threads may
  /// start more afterwards.
  void idle();
  /// Waits for all work, then runs everything that waited for it.
  void drain();

private:
  Device(std::shared_ptr<Instance> I, PhysicalDevice Physical)
      : Owner(std::move(I)), Physical(std::move(Physical)), Vk(Owner->Vk) {}
  Status create();
  Status makePoints();
  /// None, if there is none.
  Commands takeIdle();
  bool isLost() const { return LostAt.load() != nullptr; }
  Status lost() const;
  /// Remembers that the device is lost; needs no memory.
  void note(CallResult R);
  Status check(CallResult R) { return check(R.Result, R.Call); }
  bool polled(uint64_t Point, uint64_t Ns);
  WaitPhases phases() const;
  Status waitUnreached(uint64_t Point, uint64_t TimeoutNs);
  void defer(Action Body);

  std::shared_ptr<Instance> Owner;
  PhysicalDevice Physical;
  Api Vk;
  VkDevice Handle = VK_NULL_HANDLE;
  VkQueue Queue = VK_NULL_HANDLE;
  std::unique_ptr<Points> Timeline;
  std::atomic<const char *> LostAt{nullptr}; ///< the call that saw it
  std::atomic<uint64_t> Last{0};
  std::atomic<uint64_t> LastLongNs{0}; ///< of the waits beyond the first poll
  std::mutex QueueMutex;               ///< of Queue, and the order of points
  std::mutex CommandsMutex;            ///< of Idle
  std::vector<Commands> Idle;
  DeferredWork Later;
};

/// Commands for one use: given back when the work submitted by then is done.
class OwnedCommands {
public:
  explicit OwnedCommands(Device &D) : D(D) {}
  ~OwnedCommands() {
    D.later([Owner = &D, C = C] { Owner->giveBack(C); });
  }
  OwnedCommands(const OwnedCommands &) = delete;
  OwnedCommands &operator=(const OwnedCommands &) = delete;
  Status begin(VkCommandBufferUsageFlags Usage) { return D.begin(C, Usage); }
  Status end() { return D.end(C); }
  VkCommandBuffer buffer() const { return C.Buffer; }

private:
  Device &D;
  Commands C;
};

} // namespace goldy::rt::vk

#endif
