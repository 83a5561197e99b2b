// Square roots by a program that asks its host after each step whether to go
// on: the host looks at how far the step went and clears the flag of the loop.
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
//
//   roots roots.gdy DEVICE TOLERANCE NUMBER…     DEVICE: cpu, vulkan, cuda
#include "goldy/frame.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void need(const goldy::Status &S) {
  if (S.ok())
    return;
  std::fprintf(stderr, "roots: %s\n", std::string(S.message()).c_str());
  std::exit(1);
}

template <class T> T need(goldy::Result<T> R) {
  if (!R)
    need(R.status());
  return std::move(*R);
}

/// The block of `gpu::host_call("judge", change, go, n, trip)`.
struct JudgeBlock {
  const float *Change;
  uint32_t ChangeLength, Pad0;
  uint32_t *Go;
  uint32_t GoLength, Pad1;
  uint32_t N, Trip;
};

int judge(void *User, const void *Block) {
  const JudgeBlock &B = *static_cast<const JudgeBlock *>(Block);
  float Most = 0;
  for (uint32_t I = 0; I < std::min(B.N, B.ChangeLength); ++I) {
    if (B.Change[I] != B.Change[I])
      return GOLDY_INVALID_ARGUMENT; // no root; the run fails at this step
    Most = std::max(Most, B.Change[I]);
  }
  std::printf("step %u: %g\n", B.Trip, Most);
  if (B.GoLength)
    B.Go[0] = Most > *static_cast<const float *>(User);
  return 0;
}

void solve(const char *File, float Tolerance, const char *DeviceName,
           std::vector<float> &X) {
  goldy::Device Gpu = need(goldy::Device::open(DeviceName));
  goldy::Device Host = need(goldy::Device::open("cpu"));
  goldy_device_t *Devices[] = {Gpu.get(), Host.get()};
  goldy::Artifact Artifact = need(goldy::Artifact::load(File));
  goldy::ProgramTemplate Template =
      need(goldy::ProgramTemplate::open(Artifact, "roots"));
  goldy::ProgramDesc Desc = need(Template.instantiate(Artifact, Devices));
  const goldy_program_callback_t Judge{"judge", judge, &Tolerance};
  goldy::Program Program = need(goldy::Program::load(
      Desc, {Devices, 2, nullptr, 0}, true, std::span(&Judge, 1)));
  goldy::Frame Frame = need(goldy::Frame::create(Template, Program, Devices));
  goldy::Buffer A = need(Gpu.bufferOf(X)), Roots = need(Gpu.bufferOf(X));
  need(Frame.set("a", A));
  need(Frame.set("x", Roots));
  need(Frame.set("n", static_cast<uint32_t>(X.size())));
  need(Frame.set("most", 20u));
  need(Frame.run());
  need(Frame.wait());
  need(Roots.read(std::span(X)));
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 5)
    return std::fputs("usage: roots roots.gdy DEVICE TOLERANCE NUMBER...\n",
                      stderr),
           2;
  std::vector<float> X;
  for (int I = 4; I < Argc; ++I)
    X.push_back(std::strtof(Argv[I], nullptr));
  solve(Argv[1], std::strtof(Argv[3], nullptr), Argv[2], X);
  for (float Root : X)
    std::printf("%.9g\n", Root);
  return 0;
}
