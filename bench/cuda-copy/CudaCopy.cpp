//===- CudaCopy.cpp - Copies beside the driver's own calls ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies from one piece of device memory to another, one behind the other:
// in a stream, as nodes of a graph, by the runtime's kernel as nodes of a
// graph, and as parts of a submission of this runtime, which chooses. Counted
// are bytes read and bytes written.
//
//===----------------------------------------------------------------------===//
#include "../LaunchBench.h"
#include "core/Driver.h"
#include "cuda/CopyKernel.h"
#include "goldy/goldy.hpp"

#include <cstdio>
#include <dlfcn.h>

using namespace goldy;
using namespace goldy::bench;
namespace cu = goldy::rt::cuda;

namespace {

using bench::need;
void need(cu::Result R, const char *What) {
  if (R != cu::Success)
    stop(What, std::to_string(R));
}

/// The driver's call, which this runtime does not need.
using CopyInStream = cu::Result (*)(cu::DevicePointer To,
                                    cu::DevicePointer From, size_t Bytes,
                                    cu::Stream S);
CopyInStream copyInStream() {
  void *Library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *Found = Library ? dlsym(Library, "cuMemcpyDtoDAsync_v2") : nullptr;
  if (!Found)
    stop("cuMemcpyDtoDAsync", "not found");
  return reinterpret_cast<CopyInStream>(Found);
}

/// Two pieces of memory and graphs of copies between them.
class Raw {
public:
  explicit Raw(uint64_t Most) {
    std::vector<cu::PhysicalDevice> All;
    need(cu::Api::load(Cu), "library");
    need(cu::surveyDevices(*Cu, All), "devices");
    need(cu::Device::open(Cu, All.at(0), D), "device");
    Entered.emplace(*D);
    Copies.emplace(*D);
    for (cu::DevicePointer *P : {&From, &To}) {
      need(Cu->MemAlloc(P, Most), "cuMemAlloc");
      need(Cu->MemsetD8Async(*P, 0, Most, D->stream()), "cuMemsetD8Async");
    }
    wait();
  }

  void wait() {
    need(Cu->StreamSynchronize(D->stream()), "cuStreamSynchronize");
  }
  void inStream(uint64_t Bytes, uint32_t Count) {
    for (uint32_t N = 0; N < Count; ++N)
      need(Copy(To, From, Bytes, D->stream()), "cuMemcpyDtoDAsync");
    wait();
  }
  /// `Count` copies, one behind the other.
  cu::GraphExec graph(uint64_t Bytes, uint32_t Count, bool ByKernel) {
    cu::Graph G = nullptr;
    cu::GraphExec E = nullptr;
    cu::GraphNode Before = nullptr;
    need(Cu->GraphCreate(&G, 0), "cuGraphCreate");
    for (uint32_t N = 0; N < Count; ++N)
      Before = ByKernel ? kernel(G, Before, Bytes) : node(G, Before, Bytes);
    need(Cu->GraphInstantiate(&E, G, 0), "cuGraphInstantiateWithFlags");
    need(Cu->GraphUpload(E, D->stream()), "cuGraphUpload");
    return E;
  }
  void run(cu::GraphExec E) {
    need(Cu->GraphLaunch(E, D->stream()), "cuGraphLaunch");
    wait();
  }

private:
  cu::GraphNode kernel(cu::Graph G, cu::GraphNode Before, uint64_t Bytes) {
    cu::CopyBlock Block;
    void *Value = nullptr;
    cu::KernelNodeParams P;
    need(Copies->launch(To, From, Bytes, Block, Value, P), "copy kernel");
    cu::GraphNode Node = nullptr;
    need(Cu->GraphAddKernelNode(&Node, G, &Before, Before ? 1 : 0, &P),
         "cuGraphAddKernelNode");
    return Node;
  }
  cu::GraphNode node(cu::Graph G, cu::GraphNode Before, uint64_t Bytes) {
    cu::Copy3D P{};
    P.From = {0,       0,       0,     0, cu::MemoryTypeDevice, nullptr, From,
              nullptr, nullptr, Bytes, 1};
    P.To = P.From;
    P.To.Device = To;
    P.WidthBytes = Bytes;
    P.Height = P.Depth = 1;
    cu::GraphNode Node = nullptr;
    need(Cu->GraphAddMemcpyNode(&Node, G, &Before, Before ? 1 : 0, &P,
                                D->context()),
         "cuGraphAddMemcpyNode");
    return Node;
  }

  CopyInStream Copy = copyInStream();
  std::shared_ptr<const cu::Api> Cu;
  std::unique_ptr<cu::Device> D;
  std::optional<cu::Current> Entered;
  std::optional<cu::CopyKernel> Copies;
  cu::DevicePointer From = 0, To = 0;
};

/// A submission of `Count` copies, the destination `Shift` bytes further on.
rt::SubmissionId prepare(rt::Driver &D, rt::MemoryId From, rt::MemoryId To,
                         uint64_t Bytes, uint32_t Count, uint64_t Shift) {
  rt::Part P;
  P.Kind = rt::PartKind::Copy;
  P.Uses = {{From, 0, Bytes, false}, {To, Shift, Bytes, true}};
  rt::SubmissionDesc Desc;
  Desc.Parts.assign(Count, P);
  rt::SubmissionId Id{};
  need(D.prepare(std::move(Desc), Id), "prepare");
  return Id;
}

double microseconds(const std::function<void()> &Do, uint32_t Count) {
  using Clock = std::chrono::steady_clock;
  constexpr int Rounds = 12;
  std::vector<double> Us;
  for (int R = 0; R < Rounds + 3; ++R) {
    Clock::time_point Start = Clock::now();
    Do();
    std::chrono::duration<double, std::micro> Spent = Clock::now() - Start;
    if (R >= 3)
      Us.push_back(Spent.count() / Count);
  }
  return median(Us);
}

void row(const char *Name, uint64_t Bytes, double Us) {
  std::printf("  %-34s %10.2f us  %6.2f TB/s\n", Name, Us,
              2e-6 * static_cast<double>(Bytes) / Us);
}

} // namespace

int main() {
  constexpr uint64_t Most = uint64_t(1) << 30, Work = uint64_t(1) << 33;
  std::unique_ptr<rt::Driver> D;
  need(rt::openCuda({}, D), "device");
  rt::MemoryId From{}, To{};
  need(D->allocate(Most, From), "memory");
  need(D->allocate(Most + 64, To), "memory");
  Raw R(Most);
  std::printf("%s\n", D->facts().Description.c_str());
  uint64_t Point = 0;
  auto Run = [&](rt::SubmissionId Id) {
    need(D->run(Id, {}, Point), "run");
    need(D->wait(Point, GOLDY_FOREVER), "wait");
  };
  for (uint64_t Bytes = 4096; Bytes <= Most; Bytes *= 4) {
    uint32_t Count =
        static_cast<uint32_t>(std::clamp<uint64_t>(Work / Bytes, 4, 256));
    std::printf("%llu KiB, %u copies\n",
                static_cast<unsigned long long>(Bytes >> 10), Count);
    row("cuMemcpyDtoDAsync", Bytes,
        microseconds([&] { R.inStream(Bytes, Count); }, Count));
    cu::GraphExec Nodes = R.graph(Bytes, Count, false);
    row("copy nodes", Bytes, microseconds([&] { R.run(Nodes); }, Count));
    cu::GraphExec Kernels = R.graph(Bytes, Count, true);
    row("nodes of the runtime's kernel", Bytes,
        microseconds([&] { R.run(Kernels); }, Count));
    for (uint64_t Shift : {0, 1, 16}) {
      rt::SubmissionId Id = prepare(*D, From, To, Bytes, Count, Shift);
      std::string Name = "submission, " + std::to_string(Shift) + " bytes on";
      row(Name.c_str(), Bytes, microseconds([&] { Run(Id); }, Count));
      D->releaseSubmission(Id);
    }
  }
  D->release(From);
  D->release(To);
  return 0;
}
