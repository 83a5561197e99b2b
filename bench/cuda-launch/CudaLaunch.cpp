//===- CudaLaunch.cpp - Launch and wait beside the driver's own calls -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One group of saxpy, and a chain of 100 of them, started and waited for: by
// CUDA's calls, by a prepared launch of this runtime, by one that is bound
// anew. Rounds of all ways in turn; printed are each way's median and the
// median of its ratio to the driver's calls within a round.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "core/Objects.h"
#include "cuda/Api.h"
#include "goldy/goldy.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace goldy;
namespace cu = goldy::rt::cuda;

namespace {

constexpr uint32_t Elements = 256, ChainLength = 100, Rounds = 2000;

[[noreturn]] void stop(const char *What, const std::string &Why) {
  std::fprintf(stderr, "goldy-cuda-launch: %s: %s\n", What, Why.c_str());
  std::exit(1);
}

template <class T> T need(Result<T> R, const char *What) {
  if (!R.ok())
    stop(What, R.status().message());
  return std::move(*R);
}
void need(rt::Status S, const char *What) {
  if (!S.ok())
    stop(What, S.message());
}
void need(goldy_status_t S, const char *What) {
  if (S)
    stop(What, goldy_status_message(S));
}
void need(cu::Result R, const char *What) {
  if (R != cu::Success)
    stop(What, std::to_string(R));
}

/// The same work by the driver's calls.
struct Raw {
  std::shared_ptr<const cu::Api> Cu;
  cu::Context Primary = nullptr;
  cu::Stream Queue = nullptr;
  cu::Module Code = nullptr;
  cu::Function Saxpy = nullptr;
  std::vector<std::byte> Block;
  void *Params[1] = {};
  std::vector<cu::Graph> Plans;
  cu::GraphExec One = nullptr, Chain = nullptr;

  Raw(const cts::TestArtifact &Source, std::vector<std::byte> Launch)
      : Block(std::move(Launch)) {
    need(cu::Api::load(Cu), "library");
    need(Cu->PrimaryCtxRetain(&Primary, 0), "cuDevicePrimaryCtxRetain");
    need(Cu->CtxPushCurrent(Primary), "cuCtxPushCurrent");
    need(Cu->StreamCreate(&Queue, cu::StreamNonBlocking), "cuStreamCreate");
    const std::vector<uint8_t> &Ptx = Source.Blobs[Source.Blobs.size() - 2];
    std::string Text(Ptx.begin(), Ptx.end());
    need(Cu->ModuleLoadDataEx(&Code, Text.c_str(), 0, nullptr, nullptr),
         "cuModuleLoadDataEx");
    need(Cu->ModuleGetFunction(&Saxpy, Code, "goldy_saxpy"),
         "cuModuleGetFunction");
    Params[0] = Block.data();
    One = graph(1);
    Chain = graph(ChainLength);
  }

  ~Raw() {
    for (cu::GraphExec E : {One, Chain})
      Cu->GraphExecDestroy(E);
    for (cu::Graph G : Plans)
      Cu->GraphDestroy(G);
    Cu->ModuleUnload(Code);
    Cu->StreamDestroy(Queue);
    Cu->CtxPopCurrent(&Primary);
    Cu->PrimaryCtxRelease(0);
  }

  cu::GraphExec graph(uint32_t Nodes) {
    cu::Graph &G = Plans.emplace_back();
    cu::GraphExec E = nullptr;
    need(Cu->GraphCreate(&G, 0), "cuGraphCreate");
    cu::KernelNodeParams P{Saxpy, {1, 1, 1},  {Elements, 1, 1},
                           0,     &Params[0], nullptr};
    cu::GraphNode Before = nullptr;
    for (uint32_t N = 0; N < Nodes; ++N) {
      cu::GraphNode Node = nullptr;
      need(Cu->GraphAddKernelNode(&Node, G, &Before, N ? 1 : 0, &P),
           "cuGraphAddKernelNode");
      Before = Node;
    }
    need(Cu->GraphInstantiate(&E, G, 0), "cuGraphInstantiateWithFlags");
    need(Cu->GraphUpload(E, Queue), "cuGraphUpload");
    return E;
  }

  void launch() {
    need(Cu->LaunchKernel(Saxpy, 1, 1, 1, Elements, 1, 1, 0, Queue, Params,
                          nullptr),
         "cuLaunchKernel");
    need(Cu->StreamSynchronize(Queue), "cuStreamSynchronize");
  }
  void run(cu::GraphExec E) {
    need(Cu->GraphLaunch(E, Queue), "cuGraphLaunch");
    need(Cu->StreamSynchronize(Queue), "cuStreamSynchronize");
  }
};

struct Way {
  const char *Name;
  std::function<void()> Do;
  std::vector<double> Us;
};

double median(std::vector<double> V) {
  std::nth_element(V.begin(), V.begin() + V.size() / 2, V.end());
  return V[V.size() / 2];
}

/// The first way is what the others are compared with.
void measure(const char *Title, std::vector<Way> Ways) {
  using Clock = std::chrono::steady_clock;
  for (uint32_t R = 0; R < Rounds + 100; ++R)
    for (Way &W : Ways) {
      Clock::time_point Start = Clock::now();
      W.Do();
      std::chrono::duration<double, std::micro> Spent = Clock::now() - Start;
      if (R >= 100)
        W.Us.push_back(Spent.count());
    }
  std::printf("%s\n", Title);
  for (const Way &W : Ways) {
    std::vector<double> Ratios;
    for (uint32_t R = 0; R < Rounds; ++R)
      Ratios.push_back(W.Us[R] / Ways[0].Us[R]);
    std::printf("  %-44s %8.2f us  x %.3f\n", W.Name, median(W.Us),
                median(Ratios));
  }
}

} // namespace

int main() {
  cts::TestArtifact Source = cts::deviceKernels();
  std::vector<uint8_t> File = Source.bytes();
  Device D = need(Device::open("cuda"), "device");
  Artifact A = need(Artifact::load(File), "artifact");
  Kernel K = need(Kernel::create(D, A, "saxpy"), "kernel");
  Buffer X = need(D.buffer(4 * Elements), "buffer");
  Buffer Y = need(D.buffer(4 * Elements), "buffer");
  goldy_argument_t Args[3] = {{X.get(), 0, Elements, 0, nullptr},
                              {Y.get(), 0, Elements, 0, nullptr},
                              {nullptr, 0, 0, 0x3f800000, nullptr}};
  goldy_grid_t Grid{{1, 1, 1}};
  goldy_launch_t *Prepared = nullptr;
  need(goldy_launch_create(K.get(), Args, 3, Grid, &Prepared), "launch");

  rt::Driver &Driver = *D.get()->Driver;
  goldy_launch Bound;
  rt::SubmissionDesc Desc;
  need(rt::bindLaunch(*K.get()->Loaded, Args, Grid, Bound, Desc), "bind");
  std::vector<std::byte> Block = Desc.Parts[0].Block;
  Desc.Parts.resize(ChainLength, Desc.Parts[0]);
  rt::SubmissionDesc Words = Desc;
  for (uint32_t N = 0; N < ChainLength; ++N)
    Words.Slots.push_back({N, 32, 4, 0});
  Words.Words = 1;
  rt::SubmissionId Chain{}, WithWords{};
  need(Driver.prepare(std::move(Desc), Chain), "prepare");
  need(Driver.prepare(std::move(Words), WithWords), "prepare");

  Raw R(Source, std::move(Block));
  std::printf("%s: %s\n", D.info().name, D.info().description);
  auto Wait = [&](uint64_t Point) {
    need(goldy_device_wait(D.get(), Point, GOLDY_FOREVER), "wait");
  };
  uint64_t Point = 0, Word = 0;
  auto Run = [&](rt::SubmissionId Id) {
    need(Driver.run(Id, {&Word, 1}, Point), "run");
    need(Driver.wait(Point, GOLDY_FOREVER), "wait");
  };
  measure(
      "one launch and the wait for it",
      {{"cuLaunchKernel, cuStreamSynchronize", [&] { R.launch(); }, {}},
       {"a graph of one node, cuStreamSynchronize", [&] { R.run(R.One); }, {}},
       {"goldy_launch_submit, goldy_device_wait",
        [&] {
          need(goldy_launch_submit(Prepared, &Point), "submit");
          Wait(Point);
        },
        {}},
       {"goldy_kernel_launch, goldy_device_wait",
        [&] {
          need(goldy_kernel_launch(K.get(), Args, 3, Grid, &Point), "launch");
          Wait(Point);
        },
        {}}});
  measure("a chain of 100 launches and the wait for it",
          {{"a graph, cuStreamSynchronize", [&] { R.run(R.Chain); }, {}},
           {"a prepared submission", [&] { Run(Chain); }, {}},
           {"one whose 100 words are as before", [&] { Run(WithWords); }, {}},
           {"one whose 100 words change",
            [&] {
              ++Word;
              Run(WithWords);
            },
            {}}});
  Driver.releaseSubmission(Chain);
  Driver.releaseSubmission(WithWords);
  goldy_launch_destroy(Prepared);
  return 0;
}
