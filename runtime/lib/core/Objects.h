//===- Objects.h - What the C interface's objects hold --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects keep what they need alive by shared ownership: a launch its kernel
// and the memory of its buffers, those their device. The C handles are these
// structs.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_OBJECTS_H
#define GOLDY_RUNTIME_CORE_OBJECTS_H

#include "core/Driver.h"

#include <atomic>
#include <memory>

namespace goldy::rt {

/// Device memory; the last owner releases it.
struct Memory {
  std::shared_ptr<Driver> Device;
  MemoryId Id{};
  uint64_t Bytes = 0;
  ~Memory() {
    if (Id != MemoryId{})
      Device->release(Id);
  }
};

class LayoutTables;

/// A kernel with the image that was chosen for its device.
struct LoadedKernel {
  std::shared_ptr<Driver> Device;
  std::shared_ptr<LayoutTables> Layouts; ///< the device's
  std::shared_ptr<const Artifact> File;
  const Kernel *Definition = nullptr; ///< in `File`
  const Image *Chosen = nullptr;      ///< in `File`
  std::string PassedOver; ///< better images and why the device refused them
  ImageId Id{};
  ~LoadedKernel() {
    if (Id != ImageId{})
      Device->releaseImage(Id);
  }
};

} // namespace goldy::rt

struct goldy_device {
  std::shared_ptr<goldy::rt::Driver> Driver;
  std::shared_ptr<goldy::rt::LayoutTables> Layouts;
};

struct goldy_device_list {
  std::vector<goldy::rt::DeviceListing> Devices;
};

struct goldy_buffer {
  enum class Mapping : uint8_t { None, Changing, Mapped };
  std::shared_ptr<goldy::rt::Memory> Memory;
  std::atomic<Mapping> State{Mapping::None};
};

struct goldy_artifact {
  std::shared_ptr<const goldy::rt::Artifact> File;
};

struct goldy_kernel {
  std::shared_ptr<goldy::rt::LoadedKernel> Loaded;
};

struct goldy_launch {
  std::shared_ptr<goldy::rt::LoadedKernel> Kernel;
  std::vector<std::shared_ptr<goldy::rt::Memory>> Memories;
  bool Empty = false; ///< a grid with a zero: submits do nothing
  bool Timed = false;
  goldy::rt::SubmissionId Id{};
  ~goldy_launch() {
    if (Id != goldy::rt::SubmissionId{})
      Kernel->Device->releaseSubmission(Id);
  }
};

namespace goldy::rt {

/// The images that `Device` runs, best first.
std::vector<const Image *> imagesFor(const Kernel &K,
                                     const DeviceFacts &Device);

/// Loads the best image of `L.Definition` that the device does not refuse as
/// unsupported: its driver may be older than the code. Machine code is loaded
/// from trusted files only.
Status loadKernel(LoadedKernel &L, std::span<const goldy_spec_value_t> Specs);

/// What a view's byte offset is a multiple of. Kernels move vectors of 8 and 16
/// bytes, and as much of a uniform block, by one access (docs/ABI.md).
uint64_t viewAlign(const Param &P);

/// Checks arguments and grid of a launch and fills `Out`: its memories and its
/// part, which is added to a description. All rules of goldy_launch_create.
Status bindLaunch(const LoadedKernel &Kernel,
                  std::span<const goldy_argument_t> Arguments,
                  goldy_grid_t Grid, goldy_launch &Out, SubmissionDesc &Desc);
/// The same for a part that is new, or empty again (OnceRoom).
Status bindPart(const LoadedKernel &Kernel,
                std::span<const goldy_argument_t> Arguments, goldy_grid_t Grid,
                goldy_launch &Out, Part &P);

/// A thread's room for a launch that is made, run and dropped: it keeps the
/// memory of the vectors. One at a time; a second one gets new room.
class OnceRoom {
public:
  OnceRoom();
  ~OnceRoom();
  OnceRoom(const OnceRoom &) = delete;
  OnceRoom &operator=(const OnceRoom &) = delete;

  goldy_launch Launch;
  SubmissionDesc Desc; ///< one part, which is empty
};

} // namespace goldy::rt

#endif
