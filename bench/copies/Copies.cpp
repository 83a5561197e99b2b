//===- Copies.cpp - Buffers written directly and through staging ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first Vulkan device, opened twice: as it is, and with kernels' data out
// of the host's sight. What a kernel pays for memory that the host sees is the
// last line.
//
//===----------------------------------------------------------------------===//
#include "../LaunchBench.h"
#include "TestArtifact.h"

using namespace goldy;
using namespace goldy::bench;

namespace {

Device open(const char *Without) {
  setenv("GOLDY_VULKAN_WITHOUT", Without, 1);
  Device D = need(Device::open("vulkan"), "device");
  unsetenv("GOLDY_VULKAN_WITHOUT");
  return D;
}

/// y = a x + y over two buffers.
struct Saxpy {
  static constexpr uint32_t Elements = 1 << 26;
  Device &D;
  Artifact A;
  Kernel K;
  Buffer X, Y;
  Saxpy(Device &D, std::span<const uint8_t> File)
      : D(D), A(need(Artifact::load(File), "artifact")),
        K(need(Kernel::create(D, A, "saxpy"), "kernel")),
        X(need(D.buffer(4 * uint64_t(Elements)), "buffer")),
        Y(need(D.buffer(4 * uint64_t(Elements)), "buffer")) {}
  void run() {
    uint64_t Point = 0;
    goldy_argument_t Args[3] = {{X.get(), 0, Elements, 0, nullptr},
                                {Y.get(), 0, Elements, 0, nullptr},
                                {nullptr, 0, 0, 0x3f800000, nullptr}};
    need(
        goldy_kernel_launch(K.get(), Args, 3, {{Elements / 256, 1, 1}}, &Point),
        "launch");
    need(goldy_device_wait(D.get(), Point, GOLDY_FOREVER), "wait");
  }
};

void copies(Device &Seen, Device &Staged, size_t Bytes) {
  std::vector<uint8_t> Data(Bytes, 7);
  Buffer A = need(Seen.buffer(Bytes), "buffer"),
         B = need(Staged.buffer(Bytes), "buffer");
  std::string Size = std::to_string(Bytes) + " bytes: ";
  uint32_t Rounds = Bytes > 1 << 20 ? 50 : 400;
  auto Write = [&](Buffer &To) {
    need(goldy_buffer_write(To.get(), 0, Data.data(), Bytes), "write");
  };
  auto Read = [&](Buffer &From) {
    need(goldy_buffer_read(From.get(), 0, Data.data(), Bytes), "read");
  };
  auto Make = [&](Device &D) { need(D.buffer(Bytes), "buffer"); };
  measure(
      (Size + "write").c_str(),
      {{"staged", [&] { Write(B); }, {}}, {"as it is", [&] { Write(A); }, {}}},
      Rounds);
  measure(
      (Size + "read").c_str(),
      {{"staged", [&] { Read(B); }, {}}, {"as it is", [&] { Read(A); }, {}}},
      Rounds);
  measure((Size + "make zeroed, release").c_str(),
          {{"out of sight", [&] { Make(Staged); }, {}},
           {"as it is", [&] { Make(Seen); }, {}}},
          Rounds);
}

} // namespace

int main() {
  Device Seen = open(""), Staged = open("mappedBuffers");
  std::printf("%s: %s\n", Seen.info().name, Seen.info().description);
  for (size_t Bytes : {4, 64, 256, 4096, 65536, 262144, 1 << 20, 16 << 20})
    copies(Seen, Staged, Bytes);
  if (std::string(Seen.info().description).find("software") !=
      std::string::npos)
    return 0;
  std::vector<uint8_t> File = cts::deviceKernels().bytes();
  Saxpy A(Seen, File), B(Staged, File);
  measure("saxpy over 2^26 elements",
          {{"out of sight", [&] { B.run(); }, {}},
           {"as it is", [&] { A.run(); }, {}}},
          200);
}
