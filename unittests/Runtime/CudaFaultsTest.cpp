//===- CudaFaultsTest.cpp - Every call of CUDA may fail -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run from opening to closing the device is repeated on the fake driver with
// the n-th call that can fail failing, for every n: the status says so, what
// was made is destroyed, host memory stays, and the device opens again. The
// fake driver ends the process at any use of what is gone.
//
//===----------------------------------------------------------------------===//
#include "FakeCudaDriver.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace goldy::rt;

namespace {

struct Objects {
  goldy_device_t *Device = nullptr;
  goldy_artifact_t *File = nullptr;
  goldy_kernel_t *Kernel = nullptr;
  goldy_buffer_t *Buffer = nullptr;
  SubmissionId Prepared{}, Timed{}, Changing{};
  std::vector<char> Host = std::vector<char>(4096);
  MemoryId Borrowed{};
  ~Objects() {
    for (SubmissionId Id : {Prepared, Timed, Changing})
      if (Id != SubmissionId{})
        Device->Driver->releaseSubmission(Id);
    if (Borrowed != MemoryId{})
      Device->Driver->release(Borrowed);
    goldy_buffer_destroy(Buffer);
    goldy_kernel_destroy(Kernel);
    goldy_artifact_destroy(File);
    goldy_device_destroy(Device);
  }
};

Status take(goldy_status_t S) {
  Status Copy =
      S ? Status(goldy_status_code(S), goldy_status_message(S)) : Status();
  goldy_status_destroy(S);
  return Copy;
}

constexpr uint64_t BufferBytes = uint64_t(9) << 20; // more than two stages
constexpr uint64_t CopyBytes = uint64_t(2) << 20;

/// Launch in pieces with a word, fill and copy: every kind of node.
SubmissionDesc allKinds(const Objects &O) {
  goldy_argument_t Args[3] = {{O.Buffer, 0, 16, 0, nullptr},
                              {O.Buffer, 64, 16, 0, nullptr},
                              {nullptr, 0, 0, 0, nullptr}};
  goldy_launch Bound;
  SubmissionDesc Desc;
  Status S = bindLaunch(*O.Kernel->Loaded, Args, {{1, 70000, 1}}, Bound, Desc);
  CHECK(S.ok());
  MemoryId M = O.Buffer->Memory->Id;
  Part Fill, Copy;
  Fill.Kind = PartKind::Fill;
  Fill.Uses = {{M, 0, 64, true}};
  Copy.Kind = PartKind::Copy;
  Copy.Uses = {{M, 0, 64, false}, {M, 128, 64, true}};
  Desc.Parts.push_back(Fill);
  Desc.Parts.push_back(Copy);
  Copy.Uses = {{M, 128, CopyBytes, false},
               {M, 257 + CopyBytes, CopyBytes, true}};
  Desc.Parts.push_back(Copy); // by a kernel
  Desc.Slots = {{0, 32, 4, 0}};
  Desc.Words = 1;
  return Desc;
}

/// Each node takes something from the run: a grid, a memory, ends of copies.
SubmissionDesc changingKinds(const Objects &O) {
  SubmissionDesc Desc = allKinds(O);
  Desc.Parts[0].Pieces.clear();
  Desc.Parts[0].GroupWords[1] = 0;
  Desc.Parts[1].Uses[0].RunMemory = 0;
  Desc.Parts[2].SrcWord = Desc.Parts[3].DstWord = 0;
  Desc.Memories = 1;
  return Desc;
}

Status workChanging(Objects &O) {
  Driver &D = *O.Device->Driver;
  uint64_t Point = 0;
  GOLDY_TRY(D.borrow(O.Host.data(), O.Host.size(), O.Borrowed));
  GOLDY_TRY(D.prepare(changingKinds(O), O.Changing));
  for (MemoryId M : {O.Buffer->Memory->Id, O.Borrowed})
    for (uint64_t Word : {1, 2, 0, 70000})
      GOLDY_TRY(D.run(O.Changing, {{&Word, 1}, {&M, 1}}, Point));
  return D.wait(Point, GOLDY_FOREVER);
}

/// Opens, computes, reads; the first status that is a failure.
Status work(Objects &O, const std::vector<uint8_t> &Bytes,
            std::vector<std::byte> &Host) {
  uint64_t Point = 0;
  GOLDY_TRY(take(goldy_device_create("cuda", nullptr, &O.Device)));
  GOLDY_TRY(take(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                            GOLDY_LOAD_TRUSTED, &O.File)));
  GOLDY_TRY(take(goldy_kernel_create(O.Device, O.File, "saxpy", &O.Kernel)));
  GOLDY_TRY(take(goldy_buffer_create(O.Device, BufferBytes, &O.Buffer)));
  GOLDY_TRY(take(goldy_buffer_write(O.Buffer, 0, Host.data(), Host.size())));
  Driver &D = *O.Device->Driver;
  GOLDY_TRY(D.prepare(allKinds(O), O.Prepared));
  for (uint64_t Word : {1, 2}) {
    uint64_t Words[1] = {Word};
    GOLDY_TRY(D.run(O.Prepared, {Words, {}}, Point));
  }
  SubmissionDesc Timed = allKinds(O);
  Timed.Timed = true;
  GOLDY_TRY(D.prepare(std::move(Timed), O.Timed));
  uint64_t Word = 3;
  GOLDY_TRY(D.run(O.Timed, {{&Word, 1}, {}}, Point));
  GOLDY_TRY(D.wait(Point, GOLDY_FOREVER));
  std::vector<PartTime> Times;
  GOLDY_TRY(D.times(O.Timed, Point, Times));
  CHECK(Times.size() == 4);
  GOLDY_TRY(workChanging(O));
  void *Mapped = nullptr;
  GOLDY_TRY(take(goldy_buffer_map(O.Buffer, &Mapped)));
  static_cast<char *>(Mapped)[BufferBytes - 1] = 7;
  GOLDY_TRY(take(goldy_buffer_unmap(O.Buffer)));
  GOLDY_TRY(take(goldy_buffer_read(O.Buffer, 0, Host.data(), Host.size())));
  CHECK(Host[0] == std::byte(0));
  CHECK(Host[200] == std::byte(0x11));
  CHECK(Host[BufferBytes - 1] == std::byte(7));
  return Status();
}

/// All calls on a lost device give the first one's answer, which `Message` ends
/// with.
void staysLost(const Objects &O, const std::string &Message) {
  uint64_t Point = 0;
  char Byte = 0;
  auto Again = [&](goldy_status_t S) {
    CHECK(goldy_status_code(S) == GOLDY_LOST);
    CHECK(Message.find(goldy_status_message(S)) != std::string::npos);
    goldy_status_destroy(S);
  };
  goldy_buffer_t *More = nullptr;
  Again(goldy_buffer_create(O.Device, 16, &More));
  Again(goldy_device_wait(O.Device, 0, GOLDY_FOREVER));
  if (O.Buffer) {
    Again(goldy_buffer_read(O.Buffer, 0, &Byte, 1));
    Again(goldy_buffer_write(O.Buffer, 0, &Byte, 1));
  }
  uint64_t Word = 0;
  if (O.Prepared != SubmissionId{})
    Again(O.Device->Driver->run(O.Prepared, {{&Word, 1}, {}}, Point).release());
  if (O.Timed != SubmissionId{})
    Again(O.Device->Driver->run(O.Timed, {{&Word, 1}, {}}, Point).release());
}

Status workFailing(FakeCuda &Fake, int N, int With) {
  static const std::vector<uint8_t> Bytes = goldy::cts::deviceKernels().bytes();
  Fake.reset();
  Fake.fail(N, With);
  std::vector<std::byte> Host(BufferBytes, std::byte(0x11));
  Status S;
  {
    Objects O;
    S = work(O, Bytes, Host);
    if (S.code() == GOLDY_LOST && O.Device)
      staysLost(O, S.message());
  }
  CHECK(Host.back() != std::byte(0xCD));
  CHECK(Fake.alive() == 0);
  return S;
}

} // namespace

TEST_CASE("every call of CUDA may run out of memory, or lose the device") {
  for (const char *Devices : {"9.0", "9.0!"}) {
    FakeCuda Fake(Devices);
    REQUIRE(workFailing(Fake, 0, 0).ok());
    int Calls = Fake.calls(), Failed = 0;
    REQUIRE(Calls > 40);
    for (int N = 1; N <= Calls; ++N) {
      Status S = workFailing(Fake, N, CudaOutOfMemory);
      INFO("call " << N << ", " << Fake.failed() << ": " << S.message());
      CHECK((S.code() == GOLDY_OUT_OF_MEMORY || S.ok()));
      Failed += !S.ok();
      std::string Call = Fake.failed().substr(0, Fake.failed().find("_v2"));
      // A pool is asked a second time; questions about what is done are asked
      // again later, and what closes the device has nobody to tell.
      const std::string Quiet[] = {"", "cuMemAllocFromPoolAsync",
                                   "cuEventQuery", "cuStreamQuery",
                                   "cuStreamSynchronize"};
      if (S.ok())
        CHECK(std::count(std::begin(Quiet), std::end(Quiet), Call) == 1);
      else
        CHECK(S.message().find(Call) != std::string::npos);
    }
    CHECK(Failed > Calls / 2);
    for (int With : {CudaIllegalAddress, CudaLaunchTimeout})
      for (int N = 1; N <= Calls; ++N) {
        Status S = workFailing(Fake, N, With);
        INFO("call " << N << ", " << Fake.failed() << ": " << S.message());
        // Questions that time decides may be asked less often.
        // What closes the device has nobody to tell.
        if (Fake.failed().empty() || Fake.failed() == "cuStreamSynchronize") {
          CHECK(S.ok());
          continue;
        }
        CHECK(S.code() == GOLDY_LOST);
      }
    CHECK(workFailing(Fake, 0, 0).ok());
  }
}

TEST_CASE("a lost CUDA device leaves other devices alone") {
  FakeCuda Fake("9.0,8.0");
  std::vector<uint8_t> Bytes = goldy::cts::deviceKernels().bytes();
  std::vector<std::byte> Host(BufferBytes, std::byte(0x11));
  Objects Lost;
  REQUIRE(work(Lost, Bytes, Host).ok());
  goldy::Result<goldy::Device> Other = goldy::Device::open("cuda:1");
  REQUIRE(Other.ok());
  Fake.fail(1, CudaIllegalAddress, "cuGraphLaunch");
  uint64_t Word = 0, Point = 0;
  Status S = Lost.Device->Driver->run(Lost.Prepared, {{&Word, 1}, {}}, Point);
  CHECK(S.code() == GOLDY_LOST);
  CHECK(S.message() ==
        "cuGraphLaunch: a kernel used an illegal address (CUresult 700)");
  staysLost(Lost, S.message());
  std::vector<float> Data{1, 2, 3}, Got(3);
  goldy::Result<goldy::Buffer> B = Other->bufferOf(Data);
  REQUIRE(B.ok());
  CHECK(B->read(std::span<float>(Got)).ok());
  CHECK(Got == Data);
}
