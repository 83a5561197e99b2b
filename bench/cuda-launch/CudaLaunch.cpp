//===- CudaLaunch.cpp - Launch and wait beside the driver's own calls -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One group of saxpy, and chains of 100 and 1,000 of them, started and waited
// for: by CUDA's calls, by a prepared launch of this runtime, by one that is
// bound anew.
//
//===----------------------------------------------------------------------===//
#include "../ReplayProgram.h"
#include "TestArtifact.h"
#include "core/Objects.h"
#include "cuda/Api.h"
#include "goldy/goldy.hpp"

#include <cstdio>
#include <cstring>

using namespace goldy;
using namespace goldy::bench;
namespace cu = goldy::rt::cuda;

namespace {

constexpr uint32_t Elements = 256, ChainLength = 100;
constexpr uint32_t OffsetOfA = 32; ///< of saxpy's block

using bench::need;
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
  cu::GraphExec One = nullptr, Chain = nullptr, Many = nullptr;
  std::vector<cu::GraphNode> Nodes; ///< of Many
  uint32_t Turn = 0;

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
    Nodes.clear();
    Many = graph(Replay::Launches);
  }

  ~Raw() {
    for (cu::GraphExec E : {One, Chain, Many})
      Cu->GraphExecDestroy(E);
    for (cu::Graph G : Plans)
      Cu->GraphDestroy(G);
    Cu->ModuleUnload(Code);
    Cu->StreamDestroy(Queue);
    Cu->CtxPopCurrent(&Primary);
    Cu->PrimaryCtxRelease(0);
  }

  cu::GraphExec graph(uint32_t Length) {
    cu::Graph &G = Plans.emplace_back();
    cu::GraphExec E = nullptr;
    need(Cu->GraphCreate(&G, 0), "cuGraphCreate");
    cu::KernelNodeParams P = params();
    cu::GraphNode Before = nullptr;
    for (uint32_t N = 0; N < Length; ++N) {
      cu::GraphNode Node = nullptr;
      need(Cu->GraphAddKernelNode(&Node, G, &Before, N ? 1 : 0, &P),
           "cuGraphAddKernelNode");
      Before = Node;
      Nodes.push_back(Node);
    }
    need(Cu->GraphInstantiate(&E, G, 0), "cuGraphInstantiateWithFlags");
    need(Cu->GraphUpload(E, Queue), "cuGraphUpload");
    return E;
  }

  cu::KernelNodeParams params() {
    return {Saxpy, {1, 1, 1}, {Elements, 1, 1}, 0, &Params[0], nullptr};
  }

  /// Sets every tenth node of Many, then runs it.
  void runChanged() {
    ++Turn;
    std::memcpy(&Block[OffsetOfA], &Turn, 4);
    cu::KernelNodeParams P = params();
    for (uint32_t N = Turn % Replay::ChangeEach; N < Nodes.size();
         N += Replay::ChangeEach)
      need(Cu->GraphExecKernelNodeSetParams(Many, Nodes[N], &P),
           "cuGraphExecKernelNodeSetParams");
    run(Many);
  }

  void launch() {
    need(Cu->LaunchKernel(Saxpy, 1, 1, 1, Elements, 1, 1, 0, Queue, Params,
                          nullptr),
         "cuLaunchKernel");
    need(Cu->StreamSynchronize(Queue), "cuStreamSynchronize");
  }
  void run(cu::GraphExec E) {
    need(Cu->GraphLaunch(E, Queue), "cuGraphLaunch");
    started();
    need(Cu->StreamSynchronize(Queue), "cuStreamSynchronize");
  }
};

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
  Replay Many(Driver, Desc, OffsetOfA);
  ReplayProgram AsProgram(D, X, Y, File, "saxpy", "sm_80", Elements);
  ReplayProgram AsSteps(D, X, Y, File, "saxpy", "sm_80", Elements,
                        StepsOf::Each);
  Desc.Parts.resize(ChainLength, Desc.Parts[0]);
  rt::SubmissionDesc Words = Desc;
  for (uint32_t N = 0; N < ChainLength; ++N)
    Words.Slots.push_back({N, OffsetOfA, 4, 0});
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
    std::span<const uint64_t> Given(&Word, Id == WithWords ? 1 : 0);
    need(Driver.run(Id, {Given, {}}, Point), "run");
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
  constexpr uint32_t Rounds = 300;
  measure("1,000 launches and the wait for them",
          {{"a graph, cuStreamSynchronize", [&] { R.run(R.Many); }, {}},
           {"a prepared submission", [&] { Many.run(); }, {}},
           {"a program", [&] { AsProgram.run(); }, {}},
           {"a program of 1,000 steps", [&] { AsSteps.run(); }, {}}},
          Rounds);
  measure(
      "… every tenth word changed",
      {{"nodes set, a graph, cuStreamSynchronize", [&] { R.runChanged(); }, {}},
       {"a prepared submission", [&] { Many.runChanged(); }, {}},
       {"a program", [&] { AsProgram.runChanged(); }, {}},
       {"a program of 1,000 steps", [&] { AsSteps.runChanged(); }, {}}},
      Rounds);
  Driver.releaseSubmission(Chain);
  Driver.releaseSubmission(WithWords);
  goldy_launch_destroy(Prepared);
  return 0;
}
