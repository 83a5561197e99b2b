//===- Loaded.h - A loaded program ----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What load made on the devices, each thing owned by an object that returns
// it, the plan, and what is kept from run to run. Members are in the order in
// which they are made: submissions go first, then images, then memory.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_LOADED_H
#define GOLDY_RUNTIME_PROGRAM_LOADED_H

#include "core/Objects.h"
#include "cpu/HostMemory.h"
#include "goldy/program.h"
#include "program/Times.h"

#include <atomic>
#include <mutex>
#include <thread>

namespace goldy::rt {

/// One copy of a memory of the program.
struct MemoryCopy {
  std::unique_ptr<HostMemory> Own; ///< host memory that the program made
  std::byte *Host = nullptr;       ///< where the host sees it; null: nowhere
  /// As memory of each device that names it; null: none does.
  std::vector<std::unique_ptr<Memory>> On;
};

struct ProgramMemory {
  uint64_t Bytes = 0;
  uint32_t Same = NoIndex;   ///< an earlier one that is the same area of a rail
  uint32_t Device = NoIndex; ///< whose it is; NoIndex: the host's
  std::vector<MemoryCopy> Copies; ///< one or two
  MemoryCopy &of(size_t Copy) { return Copies[Copies.size() == 2 ? Copy : 0]; }
  const MemoryCopy &of(size_t Copy) const {
    return Copies[Copies.size() == 2 ? Copy : 0];
  }
};

/// A host function that was given to load.
struct Callback {
  std::string Name;
  HostFunction Function = nullptr;
  void *User = nullptr;
};

/// A rail's end that was given to load.
struct RailEnd {
  int64_t Id = 0;
  std::array<uint64_t, 3> Bytes{};
  std::array<std::byte *, 3> Areas{};
  HostFunction Ready = nullptr;
  void *User = nullptr;
};

struct ProgramImage {
  uint32_t Device = 0;
  bool Callbacks = false;  ///< stands for the host functions given to load
  std::vector<char> Bytes; ///< holes filled; what Kernel.File looks at
  LoadedKernel Kernel;
};

struct PreparedSubmission {
  std::shared_ptr<Driver> Device;
  SubmissionId Id{};
  PreparedSubmission(std::shared_ptr<Driver> Device, SubmissionId Id)
      : Device(std::move(Device)), Id(Id) {}
  PreparedSubmission(PreparedSubmission &&O) noexcept
      : Device(std::move(O.Device)), Id(O.Id) {}
  PreparedSubmission &operator=(PreparedSubmission &&) = delete;
  ~PreparedSubmission() {
    if (Device)
      Device->releaseSubmission(Id);
  }
};

/// A submit step that was joined with others, as a submission of its own: for
/// runs that want its point, or that end within its neighbours.
struct JoinedStep {
  ByCopy<SubmissionDesc> Desc;                 ///< one, or one a copy
  ByCopy<uint32_t> Prepared{NoIndex, NoIndex}; ///< at the first such run
};

/// What runs leave for later ones.
struct RunState {
  std::mutex Mutex;                       ///< a run holds it
  std::atomic<std::thread::id> Running{}; ///< the thread of the run
  uint64_t Runs = 0;
  std::vector<uint64_t> Table;                 ///< the words of a run
  std::vector<std::byte> Staging;              ///< of moves that the host does
  std::vector<std::shared_ptr<Memory>> Inputs; ///< while it runs
  // Of inputs: by device and input, as the device's steps name them.
  std::vector<std::vector<MemoryId>> InputMemories;
  std::vector<std::vector<uint64_t>> InputAddresses;
  std::vector<uint64_t> InputBytes;
  bool Distinct = false;           ///< no two inputs are one buffer
  uint64_t InputVersion = 1;       ///< changes whenever an address does
  std::vector<uint64_t> Evaluated; ///< by submission: the version of its words
  std::vector<uint64_t> EvaluatedJoins; ///< by join: of all words at once
  /// By watched thing and device, for each copy: points of the last work that
  /// wrote it, and that used it.
  ByCopy<std::vector<uint64_t>> Wrote, Used;
  /// By device: the last point of the run; of any run; that the host has seen
  /// reached; and of each of the last two runs, the last on their copies.
  std::vector<uint64_t> Ends, Last, Reached;
  ByCopy<std::vector<uint64_t>> OfCopies;
};

} // namespace goldy::rt

struct goldy_program {
  std::mutex PlanMutex;
  std::string PlanText; ///< made at the first goldy_program_plan
  std::vector<std::shared_ptr<goldy::rt::Driver>> Devices;
  std::vector<goldy::rt::Callback> Callbacks;
  std::vector<goldy::rt::RailEnd> Rails;
  std::vector<goldy::program::Input> Inputs;
  uint32_t Ints = 0; ///< words
  /// The description's memories, then the ints.
  std::vector<goldy::rt::ProgramMemory> Memories;
  std::vector<std::unique_ptr<goldy::rt::ProgramImage>> Images;
  std::vector<goldy::rt::PreparedSubmission> Submissions;
  /// By SubmitPlan::Joined; runs prepare them, one at a time.
  std::vector<goldy::rt::JoinedStep> JoinedSteps;
  goldy::rt::Plan Plan;
  goldy::rt::RunState State;
  /// Of a program that is timed; under State.Mutex.
  std::unique_ptr<goldy::rt::ProgramTimes> Times;

  /// The memory that stands for memory `M`.
  uint32_t memory(int64_t M) const {
    uint32_t Same = Memories[static_cast<size_t>(M)].Same;
    return Same == goldy::rt::NoIndex ? static_cast<uint32_t>(M) : Same;
  }
  uint32_t intsMemory() const {
    return static_cast<uint32_t>(Memories.size()) - 1;
  }
  uint64_t *ints(size_t Copy) {
    return reinterpret_cast<uint64_t *>(Memories.back().of(Copy).Host);
  }
  const std::string &deviceName(size_t Device) const {
    return Devices[Device]->facts().Name;
  }
  /// The caller's handle and frames.
  std::atomic<uint32_t> Owners{1};
  /// Memory for inputs that frames serve, by input: frames share it, since runs
  /// of a program take place one after another.
  std::mutex ServedGuard;
  std::vector<std::shared_ptr<goldy::rt::Memory>> Served;

  /// Ends one ownership; the last one waits for the work of all runs and
  /// destroys the program.
  void release() {
    if (--Owners == 0)
      delete this;
  }
  ~goldy_program();
};

namespace goldy::rt {

/// One line a step.
std::string planText(const goldy_program &L);

} // namespace goldy::rt

#endif
