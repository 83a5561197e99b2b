//===- ApiTest.cpp - The C interface's edges ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the conformance suite, which needs a device, does not ask.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"

#include "core/Objects.h"
#include "cpu/CpuLevel.h"
#include "goldy/goldy.hpp"
#include "null/NullDriver.h"

#include <catch2/catch.hpp>

using namespace goldy;

TEST_CASE("every code has a name and a remedy") {
  CHECK(std::string(goldy_code_name(GOLDY_OUT_OF_MEMORY)) == "out of memory");
  CHECK(goldy_code_remedy(GOLDY_OK) == GOLDY_REMEDY_NONE);
  CHECK(goldy_code_remedy(GOLDY_LIMIT) == GOLDY_REMEDY_FIX);
  CHECK(goldy_code_remedy(GOLDY_TIMEOUT) == GOLDY_REMEDY_RETRY);
  CHECK(goldy_code_remedy(GOLDY_LOST) == GOLDY_REMEDY_RESTART);
  CHECK(std::string(goldy_code_name(goldy_code_t(1000))) == "unknown code");
  CHECK(std::string(goldy_status_message(nullptr)).empty());
  goldy_status_destroy(rt::outOfMemoryStatus());
  CHECK(goldy_status_code(rt::outOfMemoryStatus()) == GOLDY_OUT_OF_MEMORY);
}

TEST_CASE("devices by name") {
  CHECK(std::string(goldy_version()) == "0.1.0");
  CHECK(Device::open("cpu").ok());
  CHECK(Device::open("null").ok());
  CHECK(Device::open("cuda:4000").status().code() == GOLDY_UNAVAILABLE);
  CHECK(Device::open("vulkan:4000").status().code() == GOLDY_UNAVAILABLE);
  CHECK(Device::open("vulkan", {0, "sm_80"}).status().code() ==
        GOLDY_UNSUPPORTED);
  CHECK(Device::open("cqu").status().message() ==
        "there is no device `cqu`; devices are cpu, vulkan, cuda, null");
  CHECK(Device::open("cpu:x").status().code() == GOLDY_INVALID_ARGUMENT);
  CHECK(Device::open("cpu:1").status().code() == GOLDY_UNAVAILABLE);
  CHECK(Device::open("cpu", {2000, nullptr}).status().code() == GOLDY_LIMIT);
  CHECK(Device::open("cpu", {0, "sm_80"}).status().code() == GOLDY_UNSUPPORTED);
  CHECK(Device::open("cpu", {3, nullptr})->info().threads == 3);
  CHECK(Status(goldy_device_create(nullptr, nullptr, nullptr)).message() ==
        "`name` must not be NULL");
}

TEST_CASE("the level that is asked for is taken, or refused by name") {
  std::vector<uint8_t> File = cts::testKernels().bytes();
  Result<Artifact> A = Artifact::load(File);
  REQUIRE(A);
  Result<Device> V1 = Device::open("cpu", {0, "x86-64-v1"});
  REQUIRE(V1);
  CHECK(std::string(Kernel::create(*V1, *A, "saxpy")->info().arch) ==
        "x86-64-v1");
  if (rt::cpuLevel() >= 2) {
    Result<Device> V2 = Device::open("cpu", {0, "x86-64-v2"});
    REQUIRE(V2);
    CHECK(Kernel::create(*V2, *A, "saxpy").status().message() ==
          "kernel `saxpy` has no image for device `cpu`, which takes "
          "x86-64-v2; the file has x86-64-v1");
  }
  if (rt::cpuLevel() < 4)
    CHECK(Device::open("cpu", {0, "x86-64-v4"}).status().code() ==
          GOLDY_UNSUPPORTED);
}

TEST_CASE("a uniform read must not be written through another parameter") {
  cts::TestArtifact T = cts::testKernels();
  T.Spoil = [](schema::ArtifactT &R) {
    R.kernels[0]->params[0]->uniform_read = true;
  };
  std::vector<uint8_t> File = T.bytes();
  Result<Device> D = Device::open("null");
  Result<Artifact> A = Artifact::load(File);
  REQUIRE(A);
  Result<Kernel> K = Kernel::create(*D, *A, "saxpy");
  REQUIRE(K);
  Result<Buffer> B = D->buffer(64);
  Result<uint64_t> P =
      K->launch({1, 1, 1}, {B->view<float>(), B->view<float>(), 1.0f});
  CHECK(P.status().message() ==
        "kernel `saxpy`: parameters `x` and `y`: barriers rely on `x` not "
        "being written; bind different buffers");
}

TEST_CASE("the null device records what it is asked") {
  std::vector<uint8_t> File = cts::testKernels().bytes();
  Result<Device> D = Device::open("null");
  {
    Result<Artifact> A = Artifact::load(File);
    Result<Kernel> K = Kernel::create(*D, *A, "saxpy");
    REQUIRE(K);
    const float Data[4] = {1, 2, 3, 4};
    Result<Buffer> X = D->bufferOf(Data);
    Result<Buffer> Y = D->buffer(16);
    Result<uint64_t> P =
        K->launch(K->over(300), {X->view<float>(), Y->view<float>(), 2.0f});
    REQUIRE(P);
    CHECK(D->wait(*P).ok());
  }
  const rt::NullDriver &Null =
      static_cast<const rt::NullDriver &>(*D->get()->Driver);
  const std::vector<std::string> Want = {"load 1 saxpy x86-64-v1",
                                         "allocate 2 16",
                                         "write 2 0 16",
                                         "allocate 3 16",
                                         "prepare 4 1",
                                         "run 4",
                                         "launch saxpy 2 1 1",
                                         "discard 4",
                                         "wait 1",
                                         "release 3",
                                         "release 2",
                                         "unload 1"};
  CHECK(Null.record() == Want);
}

/// A device that cannot measure times.
class Clockless : public rt::NullDriver {
public:
  Clockless() : NullDriver(""), Without(NullDriver::facts()) {
    Without.Clock = false;
  }
  const rt::DeviceFacts &facts() const override { return Without; }

private:
  rt::DeviceFacts Without;
};

TEST_CASE("a device without a clock refuses to time, by name") {
  std::vector<uint8_t> File = cts::testKernels().bytes();
  Result<Artifact> A = Artifact::load(File);
  REQUIRE(A.ok());
  goldy_device Device{std::make_shared<Clockless>(), nullptr};
  goldy_kernel_t *Kernel = nullptr;
  goldy_buffer_t *Buffer = nullptr;
  goldy_launch_t *Launch = nullptr;
  REQUIRE_FALSE(goldy_kernel_create(&Device, A->get(), "probe", &Kernel));
  REQUIRE_FALSE(goldy_buffer_create(&Device, 64, &Buffer));
  goldy_argument_t Args[2] = {{Buffer, 0, 16, 0, nullptr},
                              {nullptr, 0, 0, 7, nullptr}};
  Status S(goldy_launch_create_timed(Kernel, Args, 2, {{1, 1, 1}}, &Launch));
  CHECK(S.code() == GOLDY_UNSUPPORTED);
  CHECK(S.message() ==
        "kernel `probe`: the device `null` cannot measure times; make a launch "
        "that is not timed and measure on the host");
  CHECK(Launch == nullptr);
  CHECK_FALSE(goldy_launch_create(Kernel, Args, 2, {{1, 1, 1}}, &Launch));
  goldy_launch_destroy(Launch);
  goldy_buffer_destroy(Buffer);
  goldy_kernel_destroy(Kernel);
}

/// A device on which a call comes between two halves of another.
class Between : public rt::NullDriver {
public:
  Between() : NullDriver("") {}
  rt::Status map(rt::MemoryId Memory, void *&Out) override {
    ask();
    return NullDriver::map(Memory, Out);
  }
  rt::Status unmap(rt::MemoryId Memory) override {
    ask();
    return NullDriver::unmap(Memory);
  }
  void ask() {
    void *Data = nullptr;
    Status Mapped(goldy_buffer_map(Buffer, &Data));
    Status Unmapped(goldy_buffer_unmap(Buffer));
    for (const Status *S : {&Mapped, &Unmapped})
      CHECK(S->message() ==
            "the buffer is being mapped or unmapped by another call");
    ++Asked;
  }
  goldy_buffer_t *Buffer = nullptr;
  int Asked = 0;
};

TEST_CASE("a mapping changes by one call at a time") {
  std::shared_ptr<Between> Driver = std::make_shared<Between>();
  goldy_device Device{Driver, nullptr};
  void *Data = nullptr;
  REQUIRE_FALSE(goldy_buffer_create(&Device, 64, &Driver->Buffer));
  CHECK_FALSE(goldy_buffer_map(Driver->Buffer, &Data));
  CHECK_FALSE(goldy_buffer_unmap(Driver->Buffer));
  CHECK_FALSE(goldy_buffer_map(Driver->Buffer, &Data));
  CHECK_FALSE(goldy_buffer_unmap(Driver->Buffer));
  CHECK(Driver->Asked == 4);
  goldy_buffer_destroy(std::exchange(Driver->Buffer, nullptr));
}
