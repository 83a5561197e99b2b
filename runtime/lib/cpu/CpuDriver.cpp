//===- CpuDriver.cpp - The CPU device -------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is host memory, an image is a blob in executable memory, a run does
// its parts one after another within the call: the caller is one of the
// threads that work on it, and its point is reached on return.
//
//===----------------------------------------------------------------------===//
#include "cpu/CpuLevel.h"
#include "cpu/HostMemory.h"
#include "cpu/TaskList.h"
#include "cpu/Undetermined.h"

#include <algorithm>
#include <cstring>

using namespace goldy::rt;

namespace {

template <class T, class Id> T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}
template <class Id, class T> Id idOf(T *Object) {
  return static_cast<Id>(reinterpret_cast<uintptr_t>(Object));
}

/// A copy that several threads share if it is large. Pages that nobody has
/// touched come to be where the thread is that writes them first, so they are
/// spread as the threads are.
struct SharedCopy {
  static constexpr uint64_t Block = uint64_t(1) << 20, LargeBlocks = 4;
  std::byte *To;
  std::span<const std::byte> From;

  void run(Pool &Threads) {
    uint64_t Blocks = (From.size() + Block - 1) / Block;
    RangeSource Source(0, Blocks, Blocks < LargeBlocks ? LargeBlocks : 1);
    Threads.run(Source, copy, this);
  }
  static void copy(void *Context, RangeSource &Source) {
    const SharedCopy &C = *static_cast<SharedCopy *>(Context);
    for (uint64_t First, End; Source.next(First, End);) {
      uint64_t At = First * Block;
      uint64_t Bytes = std::min((End - First) * Block, C.From.size() - At);
      std::memcpy(C.To + At, C.From.data() + At, Bytes);
    }
  }
};

class CpuDriver final : public Driver {
public:
  CpuDriver(DeviceFacts Facts, const DeviceOptions &Options)
      : Facts(std::move(Facts)), Threads(this->Facts.Threads),
        To{{Options.Debug, Options.DebugUser},
           {Options.Finding, Options.FindingUser}},
        Item(Options.DebugItem) {}

  const DeviceFacts &facts() const override { return Facts; }

  Status allocate(uint64_t Bytes, MemoryId &Out) override {
    std::unique_ptr<HostMemory> M = HostMemory::create(Bytes);
    if (!M)
      return Status(GOLDY_OUT_OF_MEMORY, "no memory for a buffer of " +
                                             std::to_string(Bytes) + " bytes");
    Out = idOf<MemoryId>(M.release());
    return Status();
  }
  /// Runs are over when they return, so release has nothing to wait for.
  Status borrow(void *Host, uint64_t Bytes, MemoryId &Out) override {
    std::unique_ptr<HostMemory> M = HostMemory::borrow(Host, Bytes);
    if (!M)
      return Status(GOLDY_OUT_OF_MEMORY, "no memory to borrow a buffer");
    Out = idOf<MemoryId>(M.release());
    return Status();
  }
  void release(MemoryId Memory) override { delete object<HostMemory>(Memory); }
  uint64_t address(MemoryId Memory) const override {
    return reinterpret_cast<uintptr_t>(object<HostMemory>(Memory)->data());
  }
  Status write(MemoryId Memory, uint64_t Offset,
               std::span<const std::byte> Data) override {
    SharedCopy{bytes(Memory) + Offset, Data}.run(Threads);
    Undetermined::memory().clear(address(Memory) + Offset, Data.size());
    return Status();
  }
  Status read(MemoryId Memory, uint64_t Offset,
              std::span<std::byte> Data) override {
    if (!Data.empty())
      std::memcpy(Data.data(), bytes(Memory) + Offset, Data.size());
    return Status();
  }
  Status map(MemoryId Memory, void *&Out) override {
    Out = bytes(Memory);
    return Status();
  }
  Status unmap(MemoryId) override { return Status(); }

  Status loadImage(const Kernel &K, const Image &I, ImageId &Out) override {
    std::unique_ptr<HostImage> Image = std::make_unique<HostImage>();
    GOLDY_TRY(Code::load(I.Code, I.EntryOffset, Image->Memory, Image->Entry));
    Image->ScratchBytes = I.ScratchBytes;
    Image->Name = K.Name;
    if (I.Sanitize)
      Image->Watched = std::make_unique<WatchedCode>(WatchedCode::of(K, I));
    std::string Shown = K.Name + " [" + I.Arch + "]";
    if (Item) {
      GOLDY_TRY(loadItem(K, I, Shown, Image->Item));
      // A debugger stops in the item's code only.
      GOLDY_TRY(Image->Memory.show(Shown, {}));
    } else {
      GOLDY_TRY(Image->Memory.show(Shown, I.Debug));
    }
    Out = idOf<ImageId>(Image.release());
    return Status();
  }
  void releaseImage(ImageId Image) override { delete object<HostImage>(Image); }

  Status prepare(SubmissionDesc Desc, SubmissionId &Out) override {
    std::unique_ptr<TaskList> Tasks;
    GOLDY_TRY(TaskList::make({Threads, Order, To}, std::move(Desc), Tasks));
    Out = idOf<SubmissionId>(Tasks.release());
    return Status();
  }
  void releaseSubmission(SubmissionId Submission) override {
    delete object<TaskList>(Submission);
  }
  Status times(SubmissionId Submission, uint64_t Point,
               std::vector<PartTime> &Out) override {
    return object<TaskList>(Submission)->times(Point, Out);
  }
  Status run(SubmissionId Submission, const RunInput &Input,
             uint64_t &Point) override {
    return object<TaskList>(Submission)->run(Input, Point);
  }

  Status runOnce(SubmissionDesc &Desc, uint64_t &Point) override {
    return TaskList::runOnce({Threads, Order, To}, Desc, Point);
  }

  void tellFinding(const std::string &Text) override {
    if (To.Finding.Call)
      To.Finding.Call(To.Finding.User, Text.data(), Text.size());
  }

  uint64_t lastPoint() const override { return Order.ended(); }
  bool isReached(uint64_t Point) const override {
    return Point <= Order.ended();
  }
  Status wait(uint64_t, uint64_t) override { return Status(); }

private:
  Status loadItem(const Kernel &K, const Image &I, const std::string &Shown,
                  std::unique_ptr<ItemImage> &Out) {
    if (I.Item.Code.empty())
      return Status(GOLDY_NOT_FOUND, "kernel `" + K.Name +
                                         "` has no code for one work-item in "
                                         "its image `" +
                                         I.Arch +
                                         "`: compile it with goldyc -g");
    Out = std::make_unique<ItemImage>();
    GOLDY_TRY(
        Code::load(I.Item.Code, I.Item.EntryOffset, Out->Memory, Out->Entry));
    GOLDY_TRY(Out->Memory.show(Shown, I.Item.Debug));
    Out->ScratchBytes = I.Item.ScratchBytes;
    Out->Item = *Item;
    Out->WorkgroupSize = K.WorkgroupSize;
    return Status();
  }

  static std::byte *bytes(MemoryId Memory) {
    return object<HostMemory>(Memory)->data();
  }

  DeviceFacts Facts;
  Pool Threads;
  RunOrder Order;
  Listeners To;
  std::optional<std::array<uint32_t, 3>> Item; ///< DeviceOptions::DebugItem
};

std::vector<std::string> archesToTake(const DeviceOptions &Options,
                                      unsigned Best) {
  if (!Options.Arch.empty())
    return {Options.Arch};
  std::vector<std::string> Arches;
  for (unsigned Level = Best; Level >= 1; --Level)
    Arches.push_back(levelName(Level));
  return Arches;
}

Status checkArch(const std::string &Arch, unsigned Best) {
  for (unsigned Level = 1; Level <= 4; ++Level)
    if (Arch == levelName(Level))
      return Level <= Best ? Status()
                           : Status(GOLDY_UNSUPPORTED,
                                    "this machine is " + levelName(Best) +
                                        " and cannot run " + Arch);
  return Status(GOLDY_UNSUPPORTED, "the cpu device has no arch `" + Arch +
                                       "`; it has x86-64-v1 to x86-64-v4");
}

} // namespace

Status goldy::rt::openCpu(const DeviceOptions &Options,
                          std::unique_ptr<Driver> &Out) {
  if (Options.Ordinal != 0)
    return Status(GOLDY_UNAVAILABLE, "there is one cpu device, `cpu`");
  unsigned Level = 0;
  GOLDY_TRY(levelToUse(Level));
  GOLDY_TRY(checkSymbols());
  if (!Options.Arch.empty())
    GOLDY_TRY(checkArch(Options.Arch, Level));
  DeviceFacts F;
  F.Name = "cpu";
  F.Threads = Options.Threads
                  ? Options.Threads
                  : std::max(1u, std::thread::hardware_concurrency());
  F.Arches = archesToTake(Options, Level);
  F.Description = levelName(Level) + ", " + std::to_string(F.Threads) +
                  (F.Threads == 1 ? " thread" : " threads");
  F.MaxBufferBytes = uint64_t(1) << 46;
  F.MaxGroups = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  F.MaxWorkgroupBytes = 1 << 20;
  F.Clock = true;
  Out = std::make_unique<CpuDriver>(std::move(F), Options);
  return Status();
}
