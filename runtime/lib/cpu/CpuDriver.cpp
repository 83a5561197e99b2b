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
#include "core/RunTimes.h"
#include "cpu/CpuLevel.h"
#include "cpu/Execute.h"
#include "cpu/HostMemory.h"
#include "cpu/RunOrder.h"

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

/// Puts the slots of a part together; among themselves they keep their order.
void orderSlots(SubmissionDesc &Desc) {
  std::vector<std::pair<uint32_t, size_t>> Order;
  for (size_t I = 0; I < Desc.Slots.size(); ++I)
    Order.push_back({Desc.Slots[I].Part, I});
  std::sort(Order.begin(), Order.end());
  std::vector<Slot> Slots;
  for (const auto &[Part, I] : Order)
    Slots.push_back(Desc.Slots[I]);
  Desc.Slots = std::move(Slots);
}

struct Prepared {
  SubmissionDesc Desc;
  RunTimes Times;
};

class CpuDriver final : public Driver {
public:
  CpuDriver(DeviceFacts Facts, DebugListener Debug)
      : Facts(std::move(Facts)), Threads(this->Facts.Threads), Debug(Debug) {}

  const DeviceFacts &facts() const override { return Facts; }

  Status allocate(uint64_t Bytes, MemoryId &Out) override {
    std::unique_ptr<HostMemory> M = HostMemory::create(Bytes);
    if (!M)
      return Status(GOLDY_OUT_OF_MEMORY, "no memory for a buffer of " +
                                             std::to_string(Bytes) + " bytes");
    Out = idOf<MemoryId>(M.release());
    return Status();
  }
  void release(MemoryId Memory) override { delete object<HostMemory>(Memory); }
  uint64_t address(MemoryId Memory) const override {
    return reinterpret_cast<uintptr_t>(object<HostMemory>(Memory)->data());
  }
  Status write(MemoryId Memory, uint64_t Offset,
               std::span<const std::byte> Data) override {
    if (!Data.empty())
      std::memcpy(bytes(Memory) + Offset, Data.data(), Data.size());
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
    Out = idOf<ImageId>(Image.release());
    return Status();
  }
  void releaseImage(ImageId Image) override { delete object<HostImage>(Image); }

  Status prepare(SubmissionDesc Desc, SubmissionId &Out) override {
    orderSlots(Desc);
    Out = idOf<SubmissionId>(new Prepared{std::move(Desc), {}});
    return Status();
  }
  void releaseSubmission(SubmissionId Submission) override {
    delete object<Prepared>(Submission);
  }
  Status times(SubmissionId Submission, uint64_t Point,
               std::vector<PartTime> &Out) override {
    return object<Prepared>(Submission)->Times.find(Point, Out);
  }

  Status run(SubmissionId Submission, std::span<const uint64_t> Words,
             uint64_t &Point) override {
    Prepared &P = *object<Prepared>(Submission);
    RunOrder::Turn Turn(Order, P.Desc);
    if (P.Desc.Timed)
      return runTimed(P, Words, Point);
    for (uint32_t I = 0; I < P.Desc.Parts.size(); ++I)
      GOLDY_TRY(runPart(P.Desc, I, Words));
    Point = Points.fetch_add(1) + 1;
    return Status();
  }

  uint64_t lastPoint() const override { return Points.load(); }
  Status wait(uint64_t, uint64_t) override { return Status(); }

private:
  Status runTimed(Prepared &P, std::span<const uint64_t> Words,
                  uint64_t &Point) {
    std::vector<PartTime> Times(P.Desc.Parts.size());
    for (uint32_t I = 0; I < Times.size(); ++I) {
      Times[I].BeginNs = steadyNs();
      GOLDY_TRY(runPart(P.Desc, I, Words));
      Times[I].EndNs = steadyNs();
    }
    Point = Points.fetch_add(1) + 1;
    P.Times.keep(Point, std::move(Times));
    return Status();
  }

  static std::byte *bytes(MemoryId Memory) {
    return object<HostMemory>(Memory)->data();
  }

  Status runPart(const SubmissionDesc &Desc, uint32_t Number,
                 std::span<const uint64_t> Words) {
    const Part &P = Desc.Parts[Number];
    const MemoryUse *U = P.Uses.data();
    switch (P.Kind) {
    case PartKind::Fill:
      std::memset(bytes(U[0].Memory) + U[0].Offset, P.Value, U[0].Bytes);
      return Status();
    case PartKind::Copy:
      std::memcpy(bytes(U[1].Memory) + U[1].Offset,
                  bytes(U[0].Memory) + U[0].Offset, U[0].Bytes);
      return Status();
    case PartKind::Launch:
      return launch(Desc, Number, Words);
    }
    return Status(GOLDY_INTERNAL, "unknown part");
  }

  /// Words of the run go into a copy of the block: runs may overlap. A thread
  /// starts one after the other and keeps the memory of the copy.
  Status launch(const SubmissionDesc &Desc, uint32_t Number,
                std::span<const uint64_t> Words) {
    const Part &P = Desc.Parts[Number];
    HostImage &Image = *object<HostImage>(P.Image);
    if (Desc.Slots.empty())
      return executeLaunch(Threads, Image, P.Block.data(), P.Groups, Debug);
    static thread_local std::vector<std::byte> Block;
    Block = P.Block;
    auto S = std::lower_bound(
        Desc.Slots.begin(), Desc.Slots.end(), Number,
        [](const Slot &A, uint32_t Part) { return A.Part < Part; });
    for (; S != Desc.Slots.end() && S->Part == Number; ++S)
      std::memcpy(&Block[S->Offset], &Words[S->Word], S->Bytes);
    return executeLaunch(Threads, Image, Block.data(), P.Groups, Debug);
  }

  DeviceFacts Facts;
  Pool Threads;
  RunOrder Order;
  DebugListener Debug;
  std::atomic<uint64_t> Points{0};
};

std::vector<std::string> archesToTake(const DeviceOptions &Options) {
  if (!Options.Arch.empty())
    return {Options.Arch};
  std::vector<std::string> Arches;
  for (unsigned Level = cpuLevel(); Level >= 1; --Level)
    Arches.push_back(levelName(Level));
  return Arches;
}

Status checkArch(const std::string &Arch) {
  for (unsigned Level = 1; Level <= 4; ++Level)
    if (Arch == levelName(Level))
      return Level <= cpuLevel()
                 ? Status()
                 : Status(GOLDY_UNSUPPORTED, "this machine is " +
                                                 levelName(cpuLevel()) +
                                                 " and cannot run " + Arch);
  return Status(GOLDY_UNSUPPORTED, "the cpu device has no arch `" + Arch +
                                       "`; it has x86-64-v1 to x86-64-v4");
}

} // namespace

Status goldy::rt::openCpu(const DeviceOptions &Options,
                          std::unique_ptr<Driver> &Out) {
  if (Options.Ordinal != 0)
    return Status(GOLDY_UNAVAILABLE, "there is one cpu device, `cpu`");
  if (!Options.Arch.empty())
    GOLDY_TRY(checkArch(Options.Arch));
  DeviceFacts F;
  F.Name = "cpu";
  F.Threads = Options.Threads
                  ? Options.Threads
                  : std::max(1u, std::thread::hardware_concurrency());
  F.Arches = archesToTake(Options);
  F.Description = levelName(cpuLevel()) + ", " + std::to_string(F.Threads) +
                  (F.Threads == 1 ? " thread" : " threads");
  F.MaxBufferBytes = uint64_t(1) << 46;
  F.MaxGroups = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  F.MaxWorkgroupBytes = 1 << 20;
  F.Clock = true;
  Out = std::make_unique<CpuDriver>(
      std::move(F), DebugListener{Options.Debug, Options.DebugUser});
  return Status();
}
