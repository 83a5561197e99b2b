//===- VulkanDriver.cpp - The Vulkan device -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids are pointers. What is released while work is pending is destroyed when
// that work is done.
//
//===----------------------------------------------------------------------===//
#include "core/Parts.h"
#include "cpu/HostMemory.h"
#include "vulkan/Neighbours.h"
#include "vulkan/PipelineCache.h"
#include "vulkan/Probe.h"
#include "vulkan/Result.h"
#include "vulkan/Submission.h"
#include "vulkan/Transfer.h"

#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

template <class T, class Id> T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}
template <class Id, class T> Id idOf(T *Object) {
  return static_cast<Id>(reinterpret_cast<uintptr_t>(Object));
}

/// A buffer's memory, and the host's copy of it while it is mapped.
struct OwnedMemory : BufferMemory {
  std::unique_ptr<HostMemory> Mirror;
};

class VulkanDriver final : public Driver {
public:
  VulkanDriver(std::unique_ptr<Device> Opened, DeviceFacts Given)
      : D(std::move(Opened)), Pool(*D), Bytes(*D, Pool), Time(*D), Cache(*D),
        Facts(std::move(Given)) {
    Facts.MaxBufferBytes = Pool.maxBytes();
  }
  ~VulkanDriver() override {
    D->drain();
    Pool.free(Pattern);
  }
  Status start() {
    std::vector<std::byte> Fill = fillPattern();
    GOLDY_TRY(Pool.allocate(MemoryKind::Buffer, Fill.size(), Pattern));
    GOLDY_TRY(Bytes.write(Pattern, 0, Fill));
    GOLDY_TRY(Cache.open());
    Exactness Exact;
    GOLDY_TRY(measureExactness(*D, Pool, Exact));
    Settings.RoundingUndeclared = Exact.RoundingUndeclared;
    for (uint32_t N = 0; N < NumSwitches; ++N)
      Settings.Constants.push_back(
          {FirstSwitchSpecId + N, Exact.Switches >> N & 1});
    if (D->physical().hasAddresses()) // no other image asks for lanes
      GOLDY_TRY(measureNeighbours(*D, Pool, Settings.Lanes));
    Facts.Description += ", exact: " + switchNames(Exact.Switches);
    if (Exact.RoundingUndeclared)
      Facts.Description += " (rounding undeclared)";
    if (Settings.Lanes.Width)
      Facts.Description +=
          ", subgroups: " + std::to_string(Settings.Lanes.Width);
    return Status();
  }

  const DeviceFacts &facts() const override { return Facts; }

  Status allocate(uint64_t Size, MemoryId &Out) override {
    D->collect();
    struct NewMemory {
      VulkanDriver &Of;
      std::unique_ptr<OwnedMemory> M = std::make_unique<OwnedMemory>();
      ~NewMemory() {
        if (M)
          Of.release(idOf<MemoryId>(M.release()));
      }
    } New{*this};
    New.M->Bytes = Size;
    Status S = Pool.allocate(MemoryKind::Buffer, Size, New.M->Piece);
    if (!S.ok())
      return Status(S.code(), "no memory for a buffer of " +
                                  std::to_string(Size) +
                                  " bytes: " + S.message());
    GOLDY_TRY(Bytes.zero(New.M->Piece, Size));
    Out = idOf<MemoryId>(New.M.release());
    return S;
  }
  Status borrow(void *Host, uint64_t Size, MemoryId &Out) override {
    D->collect();
    std::unique_ptr<OwnedMemory> M = std::make_unique<OwnedMemory>();
    M->Bytes = Size;
    M->Borrowed = Host;
    GOLDY_TRY(Pool.borrow(Host, Size, M->Piece));
    Out = idOf<MemoryId>(M.release());
    return Status();
  }
  void release(MemoryId Memory) override {
    OwnedMemory *M = object<OwnedMemory>(Memory);
    auto End = [this, M] {
      Pool.free(M->Piece);
      delete M;
    };
    if (M->Borrowed) {
      D->idle();
      End();
    } else {
      D->later(End);
    }
  }
  uint64_t address(MemoryId Memory) const override {
    return object<OwnedMemory>(Memory)->Piece.address();
  }
  Status write(MemoryId Memory, uint64_t Offset,
               std::span<const std::byte> Data) override {
    return Bytes.write(object<OwnedMemory>(Memory)->Piece, Offset, Data);
  }
  Status read(MemoryId Memory, uint64_t Offset,
              std::span<std::byte> Data) override {
    return Bytes.read(object<OwnedMemory>(Memory)->Piece, Offset, Data);
  }

  /// What the host cannot read at once is read into a mirror.
  Status map(MemoryId Memory, void *&Out) override {
    OwnedMemory &M = *object<OwnedMemory>(Memory);
    if (M.Piece.mapped() && M.Piece.Block->Cached) {
      Out = M.Piece.mapped();
      return Status();
    }
    std::unique_ptr<HostMemory> Mirror = HostMemory::create(M.Bytes);
    if (!Mirror)
      return Status(GOLDY_OUT_OF_MEMORY, "no memory on the host to map " +
                                             std::to_string(M.Bytes) +
                                             " bytes");
    GOLDY_TRY(Bytes.read(M.Piece, 0, {Mirror->data(), M.Bytes}));
    M.Mirror = std::move(Mirror);
    Out = M.Mirror->data();
    return Status();
  }
  Status unmap(MemoryId Memory) override {
    OwnedMemory &M = *object<OwnedMemory>(Memory);
    if (M.Mirror)
      GOLDY_TRY(Bytes.write(M.Piece, 0, {M.Mirror->data(), M.Bytes}));
    M.Mirror.reset();
    return Status();
  }

  Status loadImage(const Kernel &K, const Image &I, ImageId &Out) override {
    std::unique_ptr<Pipeline> P = std::make_unique<Pipeline>();
    GOLDY_TRY(makePipeline(*D, Cache.handle(), K, I, Settings, *P));
    Cache.used();
    Out = idOf<ImageId>(P.release());
    return Status();
  }
  void releaseImage(ImageId Image) override {
    Pipeline *P = object<Pipeline>(Image);
    D->later([this, P] {
      destroyPipeline(*D, *P);
      delete P;
    });
  }

  Status prepare(SubmissionDesc Desc, SubmissionId &Out) override {
    GOLDY_TRY(refuseHostParts(Desc, Facts.Name));
    std::unique_ptr<Submission> S =
        std::make_unique<Submission>(*D, Pool, Time, Pattern, std::move(Desc));
    GOLDY_TRY(S->prepare());
    Out = idOf<SubmissionId>(S.release());
    return Status();
  }
  void releaseSubmission(SubmissionId Id) override {
    Submission *S = object<Submission>(Id);
    D->later([S] { delete S; });
  }
  Status times(SubmissionId Id, uint64_t Point,
               std::vector<PartTime> &Out) override {
    return object<Submission>(Id)->times(Point, Out);
  }
  Status run(SubmissionId Id, const RunInput &Input, uint64_t &Point) override {
    D->collect();
    return object<Submission>(Id)->run(Input, Point);
  }

  uint64_t lastPoint() const override { return D->lastPoint(); }
  Status wait(uint64_t Point, uint64_t TimeoutNs) override {
    return D->wait(Point, TimeoutNs);
  }

private:
  std::unique_ptr<Device> D;
  MemoryPool Pool;
  Transfer Bytes;
  Clock Time;
  PipelineCache Cache;
  DeviceFacts Facts;
  Allocation Pattern;
  PipelineSettings Settings;
};

DeviceFacts factsOf(const PhysicalDevice &P, const DeviceOptions &Options) {
  const VkPhysicalDeviceLimits &L = P.Properties.limits;
  DeviceFacts F;
  F.Name =
      Options.Ordinal ? "vulkan:" + std::to_string(Options.Ordinal) : "vulkan";
  F.Description = P.description();
  F.Arches = {"vulkan1.1"};
  if (P.hasAddresses())
    F.Arches.insert(F.Arches.begin(), "vulkan1.3");
  if (!Options.Arch.empty())
    F.Arches = {Options.Arch};
  for (int D = 0; D < 3; ++D)
    F.MaxGroups[D] = L.maxComputeWorkGroupCount[D];
  F.MaxWorkgroupBytes = L.maxComputeSharedMemorySize;
  F.Clock = P.TimestampBits != 0;
  return F;
}

Status choose(const std::vector<PhysicalDevice> &All, uint32_t Ordinal,
              const PhysicalDevice *&Out) {
  size_t Usable = 0;
  std::string Why;
  for (const PhysicalDevice &P : All) {
    Usable += P.usable();
    if (!P.usable())
      Why += "; " + P.description() + ": " + P.Unusable;
  }
  if (Ordinal < Usable) {
    Out = &All[Ordinal];
    return Status();
  }
  std::string Text = Usable == 0   ? "no Vulkan device can be used"
                     : Usable == 1 ? "there is one Vulkan device, `vulkan`"
                                   : "there are " + std::to_string(Usable) +
                                         " Vulkan devices, `vulkan:0` to "
                                         "`vulkan:" +
                                         std::to_string(Usable - 1) + "`";
  return Status(GOLDY_UNAVAILABLE, Text + Why);
}

} // namespace

Status goldy::rt::openVulkan(const DeviceOptions &Options,
                             std::unique_ptr<Driver> &Out) {
  if (!Options.Arch.empty() && Options.Arch != "vulkan1.3" &&
      Options.Arch != "vulkan1.1")
    return Status(GOLDY_UNSUPPORTED, "the vulkan device has no arch `" +
                                         Options.Arch +
                                         "`; it has vulkan1.3 and vulkan1.1");
  Hidden Without;
  std::shared_ptr<Instance> I;
  std::vector<PhysicalDevice> All;
  const PhysicalDevice *Chosen = nullptr;
  GOLDY_TRY(getHidden(Without));
  GOLDY_TRY(getInstance(Without, I));
  GOLDY_TRY(surveyDevices(*I, Without, All));
  GOLDY_TRY(choose(All, Options.Ordinal, Chosen));
  if (Options.Arch == "vulkan1.3" && !Chosen->hasAddresses())
    return Status(GOLDY_UNSUPPORTED,
                  Chosen->description() +
                      ": it runs images of vulkan1.1 only; those of vulkan1.3 "
                      "need Vulkan 1.3, buffer addresses, the memory model and "
                      "64-bit integers");
  std::unique_ptr<Device> D;
  GOLDY_TRY(Device::open(std::move(I), *Chosen, D));
  std::unique_ptr<VulkanDriver> New =
      std::make_unique<VulkanDriver>(std::move(D), factsOf(*Chosen, Options));
  GOLDY_TRY(New->start());
  Out = std::move(New);
  return Status();
}

Status goldy::rt::listVulkan(std::vector<DeviceListing> &Out) {
  Hidden Without;
  std::shared_ptr<Instance> I;
  std::vector<PhysicalDevice> All;
  GOLDY_TRY(getHidden(Without));
  GOLDY_TRY(getInstance(Without, I));
  GOLDY_TRY(surveyDevices(*I, Without, All));
  for (size_t N = 0; N < All.size(); ++N)
    Out.push_back({All[N].usable() && N ? "vulkan:" + std::to_string(N)
                                        : std::string("vulkan"),
                   All[N].description(), All[N].Unusable});
  return Status();
}
