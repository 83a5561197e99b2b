//===- FaultsTest.cpp - Every call of a driver may fail -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One session, repeated with the n-th call of its driver failing, for every n
// and every way to fail: the status is the one of that call and names it,
// everything made is released, and the same objects work once the cause is
// gone.
//
//===----------------------------------------------------------------------===//
#include "Scenario.h"

#include "core/LayoutTables.h"
#include "null/FaultyDriver.h"

#include <catch2/catch.hpp>

#include <string>

using namespace goldy::rt;

namespace {

/// A device around a driver that can be made to fail.
struct FaultyDevice {
  explicit FaultyDevice(const char *Name) {
    std::unique_ptr<Driver> Real;
    for (const DriverEntry &E : driverEntries())
      if (E.Name == std::string(Name))
        REQUIRE(E.Open({}, Real).ok());
    Faults = std::make_shared<FaultyDriver>(std::move(Real));
    Device = {Faults, std::make_shared<LayoutTables>()};
  }
  std::shared_ptr<FaultyDriver> Faults;
  goldy_device Device;
};

/// The session with a fault, then again without.
void playWithFault(FaultyDevice &D, uint64_t N, goldy_code_t Code) {
  {
    Session S;
    D.Faults->failAt(N, Code);
    Status Failure = taken(playScenario(&D.Device, S));
    INFO("call " << N << ": " << Failure.message());
    REQUIRE(D.Faults->failed().has_value());
    CHECK(Failure.code() == Code);
    CHECK(Failure.message().find(callName(*D.Faults->failed())) == 0);
    if (Code == GOLDY_LOST && S.X) { // and stays so
      char Byte = 0;
      CHECK(taken(goldy_buffer_read(S.X, 0, &Byte, 1)).code() == GOLDY_LOST);
      CHECK(taken(goldy_device_wait(&D.Device, 0, 0)).code() == GOLDY_LOST);
    }
  }
  CHECK(D.Faults->alive() == 0);
  D.Faults->failAt(0, GOLDY_OK);
  Session S;
  CHECK(taken(playScenario(&D.Device, S)).ok());
}

} // namespace

TEST_CASE("every call of a driver may fail, and nothing is left behind") {
  for (const char *Name : {"null", "cpu"}) {
    FaultyDevice D(Name);
    D.Faults->failAt(0, GOLDY_OK);
    {
      Session S;
      REQUIRE(taken(playScenario(&D.Device, S)).ok());
    }
    uint64_t Calls = D.Faults->calls();
    CHECK(Calls >= 15);
    for (goldy_code_t Code :
         {GOLDY_OUT_OF_MEMORY, GOLDY_LOST, GOLDY_TIMEOUT, GOLDY_INTERNAL})
      for (uint64_t N = 1; N <= Calls; ++N)
        playWithFault(D, N, Code);
  }
}

TEST_CASE("the n-th allocation, image or submission fails") {
  FaultyDevice D("null");
  for (DriverCall Kind :
       {DriverCall::Allocate, DriverCall::LoadImage, DriverCall::Prepare,
        DriverCall::Run, DriverCall::Wait})
    for (uint64_t N = 1;; ++N) {
      Session S;
      D.Faults->failAt(N, GOLDY_OUT_OF_MEMORY, Kind);
      Status Failure = taken(playScenario(&D.Device, S));
      INFO(callName(Kind) << " " << N);
      if (!D.Faults->failed()) {
        CHECK(Failure.ok());
        CHECK(N > 1);
        break;
      }
      CHECK(Failure.code() == GOLDY_OUT_OF_MEMORY);
      CHECK(Failure.message() ==
            std::string(callName(Kind)) + ": made to fail");
    }
  CHECK(D.Faults->alive() == 0);
}

TEST_CASE("a lost device leaves others alone") {
  FaultyDevice Lost("cpu"), Other("cpu");
  Session S, T;
  Lost.Faults->failAt(1, GOLDY_LOST, DriverCall::Run);
  Status First = taken(playScenario(&Lost.Device, S));
  CHECK(First.message() == "run: made to fail");
  CHECK(taken(playScenario(&Other.Device, T)).ok());
  uint64_t Point = 0;
  CHECK(taken(goldy_launch_submit(S.Launch, &Point)).message() ==
        "run: the device was lost at run");
}

TEST_CASE("a mapping whose call failed is as it was before") {
  FaultyDevice D("null");
  goldy_buffer_t *B = nullptr;
  void *Data = nullptr;
  REQUIRE_FALSE(goldy_buffer_create(&D.Device, 64, &B));
  D.Faults->failAt(1, GOLDY_OUT_OF_MEMORY, DriverCall::Map);
  CHECK(taken(goldy_buffer_map(B, &Data)).code() == GOLDY_OUT_OF_MEMORY);
  CHECK(Data == nullptr);
  REQUIRE_FALSE(goldy_buffer_map(B, &Data));
  D.Faults->failAt(1, GOLDY_OUT_OF_MEMORY, DriverCall::Unmap);
  CHECK(taken(goldy_buffer_unmap(B)).code() == GOLDY_OUT_OF_MEMORY);
  CHECK(taken(goldy_buffer_map(B, &Data)).message() ==
        "the buffer is mapped already");
  REQUIRE_FALSE(goldy_buffer_unmap(B));
  goldy_buffer_destroy(B);
}
