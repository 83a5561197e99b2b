//===- CudaDriver.cpp - The CUDA device -----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids are pointers. Code and graphs that are released while work is pending are
// destroyed when that work is done; memory goes back in the stream's order.
//
//===----------------------------------------------------------------------===//
#include "core/Parts.h"
#include "cpu/HostMemory.h"
#include "cuda/Memory.h"
#include "cuda/Submission.h"
#include "cuda/Transfer.h"

using namespace goldy::rt;
using namespace goldy::rt::cuda;

namespace {

template <class T, class Id> T *object(Id I) {
  return reinterpret_cast<T *>(static_cast<uintptr_t>(I));
}
template <class Id, class T> Id idOf(T *Object) {
  return static_cast<Id>(reinterpret_cast<uintptr_t>(Object));
}

/// A buffer's memory, and the host's copy of it while it is mapped.
struct OwnedMemory {
  DevicePointer Piece = 0;
  uint64_t Bytes = 0;
  std::unique_ptr<HostMemory> Mirror;
  void *Borrowed = nullptr; ///< the host's memory that it is
};

MemoryRange rangeOf(MemoryId Memory) {
  const OwnedMemory &M =
      *reinterpret_cast<const OwnedMemory *>(static_cast<uintptr_t>(Memory));
  uint64_t First =
      M.Borrowed ? reinterpret_cast<uintptr_t>(M.Borrowed) : M.Piece;
  return {First, First + M.Bytes};
}

DevicePointer addressOf(MemoryId Memory) {
  return object<OwnedMemory>(Memory)->Piece;
}
const Code &codeOf(ImageId Image) { return *object<Code>(Image); }

/// What lives in the context, in the order in which it is made.
struct Contents {
  explicit Contents(Device &D) : Pool(D), Bytes(D), Time(D), Copies(D) {}
  DeviceMemory Pool;
  Transfer Bytes;
  Clock Time;
  CopyKernel Copies;
};

class CudaDriver final : public Driver {
public:
  CudaDriver(std::unique_ptr<Device> Opened, DeviceFacts Given)
      : D(std::move(Opened)), Facts(std::move(Given)) {}
  ~CudaDriver() override {
    Current Entered(*D);
    D->drain();
    In.reset();
  }
  Status start() {
    GOLDY_CUDA_ENTER(*D);
    In = std::make_unique<Contents>(*D);
    return In->Pool.open();
  }

  const DeviceFacts &facts() const override { return Facts; }

  Status allocate(uint64_t Size, MemoryId &Out) override {
    GOLDY_CUDA_ENTER(*D);
    D->collect();
    std::unique_ptr<OwnedMemory> M = std::make_unique<OwnedMemory>();
    M->Bytes = Size;
    Status S = In->Pool.allocate(Size, M->Piece);
    if (!S.ok())
      return Status(S.code(), "no memory for a buffer of " +
                                  std::to_string(Size) +
                                  " bytes: " + S.message());
    Out = idOf<MemoryId>(M.release());
    return S;
  }
  Status borrow(void *Host, uint64_t Size, MemoryId &Out) override {
    GOLDY_CUDA_ENTER(*D);
    std::unique_ptr<OwnedMemory> M = std::make_unique<OwnedMemory>();
    M->Bytes = Size;
    GOLDY_TRY(borrowHost(*D, Host, Size, M->Piece));
    M->Borrowed = Host;
    Out = idOf<MemoryId>(M.release());
    return Status();
  }
  void release(MemoryId Memory) override {
    Current Entered(*D);
    std::unique_ptr<OwnedMemory> M(object<OwnedMemory>(Memory));
    if (M->Borrowed)
      returnHost(*D, M->Borrowed);
    else
      In->Pool.free(M->Piece);
  }
  uint64_t address(MemoryId Memory) const override { return addressOf(Memory); }
  Status write(MemoryId Memory, uint64_t Offset,
               std::span<const std::byte> Data) override {
    GOLDY_CUDA_ENTER(*D);
    return In->Bytes.write(addressOf(Memory) + Offset, Data);
  }
  Status read(MemoryId Memory, uint64_t Offset,
              std::span<std::byte> Data) override {
    GOLDY_CUDA_ENTER(*D);
    return In->Bytes.read(addressOf(Memory) + Offset, Data);
  }

  /// The host sees a mirror, which goes back as a whole.
  Status map(MemoryId Memory, void *&Out) override {
    OwnedMemory &M = *object<OwnedMemory>(Memory);
    std::unique_ptr<HostMemory> Mirror = HostMemory::create(M.Bytes);
    if (!Mirror)
      return Status(GOLDY_OUT_OF_MEMORY,
                    "no memory on the host for a mapping of " +
                        std::to_string(M.Bytes) + " bytes");
    GOLDY_TRY(read(Memory, 0, {Mirror->data(), M.Bytes}));
    M.Mirror = std::move(Mirror);
    Out = M.Mirror->data();
    return Status();
  }
  Status unmap(MemoryId Memory) override {
    OwnedMemory &M = *object<OwnedMemory>(Memory);
    GOLDY_TRY(write(Memory, 0, {M.Mirror->data(), M.Bytes}));
    M.Mirror.reset();
    return Status();
  }

  Status loadImage(const Kernel &K, const Image &I, ImageId &Out) override {
    GOLDY_CUDA_ENTER(*D);
    std::unique_ptr<Code> C;
    GOLDY_TRY(loadCode(*D, K, I, C));
    Out = idOf<ImageId>(C.release());
    return Status();
  }
  void releaseImage(ImageId Image) override {
    Current Entered(*D);
    Code *C = object<Code>(Image);
    D->later([C] { delete C; });
  }

  Status prepare(SubmissionDesc Desc, SubmissionId &Out) override {
    GOLDY_TRY(refuseHostParts(Desc, Facts.Name));
    GOLDY_CUDA_ENTER(*D);
    std::unique_ptr<Submission> S = std::make_unique<Submission>(
        *D, In->Time, std::move(Desc),
        PartSources{addressOf, codeOf, In->Copies, Facts.MaxGroups}, rangeOf);
    GOLDY_TRY(S->prepare());
    Out = idOf<SubmissionId>(S.release());
    return Status();
  }
  void releaseSubmission(SubmissionId Id) override {
    Current Entered(*D);
    Submission *S = object<Submission>(Id);
    D->later([S] { delete S; });
  }
  Status run(SubmissionId Id, const RunInput &Input, uint64_t &Point) override {
    GOLDY_CUDA_ENTER(*D);
    return object<Submission>(Id)->run(Input, Point);
  }
  Status times(SubmissionId Id, uint64_t Point,
               std::vector<PartTime> &Out) override {
    GOLDY_CUDA_ENTER(*D);
    return object<Submission>(Id)->times(Point, Out);
  }

  uint64_t lastPoint() const override { return D->lastPoint(); }
  Status wait(uint64_t Point, uint64_t TimeoutNs) override {
    GOLDY_CUDA_ENTER(*D);
    return D->wait(Point, TimeoutNs);
  }

private:
  std::unique_ptr<Device> D;
  std::unique_ptr<Contents> In;
  DeviceFacts Facts;
};

DeviceFacts factsOf(const PhysicalDevice &P, int Version,
                    const DeviceOptions &Options) {
  DeviceFacts F;
  F.Name = Options.Ordinal ? "cuda:" + std::to_string(Options.Ordinal) : "cuda";
  F.Description = P.description(Version);
  F.Arches = P.arches(Version);
  if (!Options.Arch.empty())
    F.Arches = {Options.Arch};
  F.MaxBufferBytes = P.MemoryBytes;
  for (int A = 0; A < 3; ++A)
    F.MaxGroups[A] = P.MaxGroups[A];
  F.MaxWorkgroupBytes = P.MaxWorkgroupBytes;
  F.Clock = true;
  return F;
}

Status checkArch(const PhysicalDevice &P, int Version,
                 const std::string &Arch) {
  std::string Has;
  for (const std::string &Known : P.arches(Version)) {
    if (Arch.empty() || Arch == Known)
      return Status();
    Has += (Has.empty() ? "" : " and ") + Known;
  }
  return Status(GOLDY_UNSUPPORTED,
                "the cuda device has no arch `" + Arch + "`; it has " + Has);
}

Status choose(const std::vector<PhysicalDevice> &All, int Version,
              uint32_t Ordinal, const PhysicalDevice *&Out) {
  size_t Usable = 0;
  std::string Why;
  for (const PhysicalDevice &P : All) {
    Usable += P.usable();
    if (!P.usable())
      Why += "; " + P.description(Version) + ": " + P.Unusable;
  }
  if (Ordinal < Usable) {
    Out = &All[Ordinal];
    return Status();
  }
  std::string Text = Usable == 0   ? "no CUDA device can be used"
                     : Usable == 1 ? "there is one CUDA device, `cuda`"
                                   : "there are " + std::to_string(Usable) +
                                         " CUDA devices, `cuda:0` to `cuda:" +
                                         std::to_string(Usable - 1) + "`";
  return Status(GOLDY_UNAVAILABLE, Text + Why);
}

} // namespace

Status goldy::rt::openCuda(const DeviceOptions &Options,
                           std::unique_ptr<Driver> &Out) {
  std::shared_ptr<const Api> Cu;
  std::vector<PhysicalDevice> All;
  const PhysicalDevice *Chosen = nullptr;
  GOLDY_TRY(Api::load(Cu));
  int Version = Cu->Version;
  GOLDY_TRY(surveyDevices(*Cu, All));
  GOLDY_TRY(choose(All, Version, Options.Ordinal, Chosen));
  GOLDY_TRY(checkArch(*Chosen, Version, Options.Arch));
  std::unique_ptr<Device> D;
  GOLDY_TRY(Device::open(std::move(Cu), *Chosen, D));
  std::unique_ptr<CudaDriver> New = std::make_unique<CudaDriver>(
      std::move(D), factsOf(*Chosen, Version, Options));
  GOLDY_TRY(New->start());
  Out = std::move(New);
  return Status();
}

Status goldy::rt::listCuda(std::vector<DeviceListing> &Out) {
  std::shared_ptr<const Api> Cu;
  std::vector<PhysicalDevice> All;
  GOLDY_TRY(Api::load(Cu));
  GOLDY_TRY(surveyDevices(*Cu, All));
  for (size_t N = 0; N < All.size(); ++N)
    Out.push_back({All[N].usable() && N ? "cuda:" + std::to_string(N)
                                        : std::string("cuda"),
                   All[N].description(Cu->Version), All[N].Unusable});
  return Status();
}
