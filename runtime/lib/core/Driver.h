//===- Driver.h - What a device driver provides ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One Driver object is one open device: its memory, its images, its prepared
// submissions and its timeline. All launches go through prepared submissions,
// the shape that programs use: parts that run in order, slots where words of
// the run are written into a part before it starts, and points of the device's
// timeline that a run reaches. A lone launch is a submission of one part
// without slots. A run brings words and memories: words go into blocks, move
// the ends of copies and size grids; memories stand where a part names one by
// its number in the run.
//
// Drivers see valid input only: ids are theirs and alive, ranges lie inside
// their memory, pieces of grids keep the limits of `facts()`, blocks have the
// image's size. What words say is checked above as well: ends of copies lie in
// their memory, grids keep the limits of ids (Bind.cpp). All methods may be
// called from
// several threads at once; they report failures by Status and never abort.
//
// How to write one: runtime/lib/null/README.md.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_DRIVER_H
#define GOLDY_RUNTIME_CORE_DRIVER_H

#include "artifact/Artifact.h"
#include "core/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace goldy::rt {

/// What `goldy_device_create` asks for, checked.
struct DeviceOptions {
  uint32_t Ordinal = 0; ///< N of "vulkan:N"
  uint32_t Threads = 0; ///< 0: the driver chooses
  std::string Arch;     ///< take images of this arch only; empty: the best
  /// Gets what kernels print; null: nothing is collected. CPU only.
  void (*Debug)(void *User, const char *Line, size_t Size) = nullptr;
  void *DebugUser = nullptr;
  /// Gets what launches of watched code are found at. CPU only.
  void (*Finding)(void *User, const char *Text, size_t Size) = nullptr;
  void *FindingUser = nullptr;
  /// The work-item of each grid that runs in its own code. CPU only.
  std::optional<std::array<uint32_t, 3>> DebugItem;
};

struct DeviceFacts {
  std::string Name;                ///< "cpu", "vulkan:1"
  std::string Description;         ///< one line
  std::vector<std::string> Arches; ///< that it runs, best first; "*" is any
  uint32_t Threads = 0;            ///< CPU only
  uint64_t MaxBufferBytes = 0;
  std::array<uint64_t, 3> MaxGroups{}; ///< of one piece of a grid, per axis
  uint32_t MaxWorkgroupBytes = 0;
  bool Clock = false; ///< timed submissions are possible
};

/// Driver-made names; 0 is none.
enum class MemoryId : uint64_t {};
enum class ImageId : uint64_t {};
enum class SubmissionId : uint64_t {};

/// No word of the run, no memory of the run.
inline constexpr uint32_t NoIndex = UINT32_MAX;
/// As `MemoryUse::Bytes`: to the end of a memory, whatever it has. Not of fills
/// and copies.
inline constexpr uint64_t AllBytes = UINT64_MAX >> 1;

/// Bytes of a memory that a part touches: of `Memory`, which is the same in
/// each run, or of memory number `RunMemory` of those that a run brings.
/// Two that a run brings may be the same memory, or one that a part names;
/// what parts do with them takes effect in order then as well. Two that parts
/// name are different memory.
struct MemoryUse {
  MemoryId Memory{};
  uint64_t Offset = 0, Bytes = 0;
  bool Written = false;
  uint32_t RunMemory = NoIndex;
};

/// `Call` and `Words`: prepare refuses them as GOLDY_UNSUPPORTED where they do
/// not exist.
enum class PartKind : uint8_t {
  Launch,
  Fill,
  Copy,
  Call, ///< of a host function; CPU
  Words ///< command words of the device; null
};

/// Dispatched groups [Base, Base + Groups) of a grid, along each axis.
struct GridPiece {
  std::array<uint32_t, 3> Base{}, Groups{};
};
/// The grid in pieces of at most `Most` groups along each axis (at least 1), x
/// fastest. None of `Groups` is 0.
std::vector<GridPiece> splitGrid(std::array<uint32_t, 3> Groups,
                                 const std::array<uint64_t, 3> &Most);

/// A function of the host: 0, or why it failed as a goldy_code_t; any other
/// number is GOLDY_INTERNAL. `Block` is 8-byte aligned and its own to change.
/// It may start and wait for runs.
using HostFunction = int (*)(void *User, const void *Block);

/// An image argument: its elements lie in a memory, row after row.
struct ImageUse {
  uint32_t Param = 0; ///< its number, which is the descriptor's binding
  MemoryId Memory{};
  uint64_t Offset = 0;
  uint32_t Width = 0, Height = 0;
};

struct Part {
  PartKind Kind = PartKind::Launch;
  /// What is touched. Fill: one, written. Copy: source and destination, of
  /// equal length and disjoint. Launch: every resource in the order of the
  /// parameters, then the layout table if the kernel has tensors. Call: all
  /// that the function touches of the device. Words: where the command words
  /// are, then what they may touch.
  std::vector<MemoryUse> Uses;
  // Launch.
  ImageId Image{};
  std::array<uint32_t, 3>
      Groups{}; ///< the kernel's, of the whole grid; none is 0
  /// The grid as dispatches that keep the limits of facts(), in groups that
  /// stand for Image::GroupsAtOnce of the kernel's; at least one dispatch. They
  /// are one launch: nothing orders them.
  std::vector<GridPiece> Pieces;
  std::vector<std::byte> Block; ///< parameter block, addresses filled in
  uint32_t BaseOffset = 0; ///< in the block: three words for a piece's `Base`,
                           ///< then three for the whole grid's groups
  /// Words of the run that are the kernel's groups along an axis, in place of
  /// `Groups`; NoIndex: none. A 0 does nothing. With one of them there are no
  /// `Pieces`: the driver splits the grid and writes its groups into the block
  /// when the run starts.
  std::array<uint32_t, 3> GroupWords{NoIndex, NoIndex, NoIndex};
  uint32_t GroupsAtOnce = 1; ///< Image::GroupsAtOnce, for grids from words
  /// Images among the arguments, for devices that have images of their own;
  /// the block holds address, width and height, and `Uses` their bytes.
  std::vector<ImageUse> Images;
  // Fill.
  uint8_t Value = 0;
  // Copy.
  /// Words of the run that are added to the offset of an end; NoIndex: none.
  uint32_t SrcWord = NoIndex, DstWord = NoIndex;
  // Call, with `Block`.
  HostFunction Function = nullptr;
  void *User = nullptr;
  std::string Name; ///< for messages
};

/// Word `Word` of a run is written over `Bytes` (4 or 8) bytes of a part's
/// block, little-endian, before the part starts. The address of a memory that
/// a run brings is a word as any other.
struct Slot {
  uint32_t Part = 0;
  uint32_t Offset = 0;
  uint32_t Bytes = 4; ///< or 8
  uint32_t Word = 0;
};

struct SubmissionDesc {
  std::vector<Part> Parts; ///< take effect in this order
  std::vector<Slot> Slots;
  uint32_t Words = 0; ///< that a run supplies
  /// Runs leave their times (`times`). Ones that are not timed measure nothing.
  bool Timed = false;
  uint32_t Memories = 0; ///< that a run brings
};

/// What changes from run to run.
struct RunInput {
  std::span<const uint64_t> Words{}; ///< SubmissionDesc::Words of them
  /// SubmissionDesc::Memories of them; any value for one that no part uses.
  std::span<const MemoryId> Memories{};
  /// Where a driver that does parts within `run` tells which one failed; those
  /// before it were done. Not set when a run fails before its first part, and
  /// then nothing was done. Null: nobody asks.
  uint32_t *FailedPart = nullptr;
};

/// When a part of a run began and ended, in nanoseconds of the host's steady
/// clock, as near as the device can tell. A part that may run beside the one
/// before it begins when the device takes it up.
struct PartTime {
  uint64_t BeginNs = 0, EndNs = 0;
};
/// Runs of one submission whose times are kept at least.
inline constexpr size_t TimedRunsKept = 8;

/// What `times` says of a run that it knows nothing of.
Status noTimes(uint64_t Point);

/// GOLDY_TIMEOUT of a wait; `Call` is the call that was asked last.
Status notReached(const char *Call, uint64_t Point, uint64_t TimeoutNs);

class Driver {
public:
  virtual ~Driver() = default;
  virtual const DeviceFacts &facts() const = 0;

  /// Zeroed memory, 64-byte aligned; `Bytes` may be 0.
  virtual Status allocate(uint64_t Bytes, MemoryId &Out) = 0;
  /// `Bytes` (at least 1) of the host's memory as memory of this device, with
  /// the alignment that they have. They stay the caller's and are valid until
  /// `release`, which waits for the runs that were started. GOLDY_UNSUPPORTED
  /// where the device cannot reach them, GOLDY_OUT_OF_MEMORY where it has no
  /// room: then the caller copies.
  virtual Status borrow(void *Host, uint64_t Bytes, MemoryId &Out) = 0;
  virtual void release(MemoryId Memory) = 0;
  /// The device address of the memory's first byte, as blocks hold it.
  virtual uint64_t address(MemoryId Memory) const = 0;
  virtual Status write(MemoryId Memory, uint64_t Offset,
                       std::span<const std::byte> Data) = 0;
  virtual Status read(MemoryId Memory, uint64_t Offset,
                      std::span<std::byte> Data) = 0;
  /// Host pointer to all bytes, until `unmap`, which may be tried again after
  /// a failure; not nested.
  virtual Status map(MemoryId Memory, void *&Out) = 0;
  virtual Status unmap(MemoryId Memory) = 0;

  /// Makes code ready to run. `Image` is of an arch in facts().Arches and is
  /// alive for the call only.
  virtual Status loadImage(const Kernel &K, const Image &I, ImageId &Out) = 0;
  virtual void releaseImage(ImageId Image) = 0;

  /// Records a submission once. The caller keeps its memory and images until
  /// it is released.
  virtual Status prepare(SubmissionDesc Desc, SubmissionId &Out) = 0;
  /// Starts a run with all of its words and memories, which are read within
  /// the call. `Point` is reached when it is done. Runs started one after
  /// another take effect in that order; of runs that several threads start at
  /// once, those that share memory with a write do so one after another as
  /// well. The submission stays prepared until then. A second run allocates
  /// nothing.
  virtual Status run(SubmissionId Submission, const RunInput &Input,
                     uint64_t &Point) = 0;
  virtual void releaseSubmission(SubmissionId Submission) = 0;
  /// Prepares, runs and releases a submission that takes neither words nor
  /// memories. What is left of `Desc` is a launch as it was, or nothing.
  virtual Status runOnce(SubmissionDesc &Desc, uint64_t &Point);
  /// When the parts of the run that `Point` stands for began and ended; it is
  /// reached, and one of the last TimedRunsKept runs of a timed submission.
  /// GOLDY_INVALID_ARGUMENT otherwise.
  virtual Status times(SubmissionId Submission, uint64_t Point,
                       std::vector<PartTime> &Out) {
    (void)Submission, (void)Out;
    return noTimes(Point);
  }

  /// Tells a finding about a program to whom DeviceOptions::Finding names.
  virtual void tellFinding(const std::string &Text) { (void)Text; }

  /// The greatest point that a run has been given.
  virtual uint64_t lastPoint() const = 0;
  /// True if the work up to `Point` is done and that is known without asking
  /// the device.
  virtual bool isReached(uint64_t Point) const {
    (void)Point;
    return false;
  }
  /// GOLDY_TIMEOUT after `TimeoutNs`; `Point` is at most lastPoint().
  virtual Status wait(uint64_t Point, uint64_t TimeoutNs) = 0;
};

/// A device that a driver sees.
struct DeviceListing {
  std::string Name;        ///< that opens it
  std::string Description; ///< one line
  std::string Unusable;    ///< why it cannot be opened; empty if it can
};

/// A driver's way to open a device.
struct DriverEntry {
  const char *Name;
  const char *Description;
  /// Null for drivers that are not part of this build.
  Status (*Open)(const DeviceOptions &Options, std::unique_ptr<Driver> &Out);
  /// All devices, usable ones first; null for drivers of one device.
  Status (*List)(std::vector<DeviceListing> &Out);
};
/// Registry.cpp lists them.
std::span<const DriverEntry> driverEntries();

Status openCpu(const DeviceOptions &Options, std::unique_ptr<Driver> &Out);
Status openNull(const DeviceOptions &Options, std::unique_ptr<Driver> &Out);
Status openVulkan(const DeviceOptions &Options, std::unique_ptr<Driver> &Out);
Status listVulkan(std::vector<DeviceListing> &Out);
Status openCuda(const DeviceOptions &Options, std::unique_ptr<Driver> &Out);
Status listCuda(std::vector<DeviceListing> &Out);

} // namespace goldy::rt

#endif
