//===- CudaTimesTest.cpp - Times of timed submissions on CUDA -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fake driver's clock counts 5000 ns for a kernel, 2000 for a fill, 3000
// for a copy and 100 for an event, so that every time is known.
//
//===----------------------------------------------------------------------===//
#include "CudaOpened.h"

#include "cuda/Clock.h"

namespace {

uint64_t length(const PartTime &T) { return T.EndNs - T.BeginNs; }

/// A timed submission that is made, and released.
struct Timed {
  Timed(Opened &O, SubmissionDesc Desc) : D(O.driver()) {
    Desc.Timed = true;
    REQUIRE(D.prepare(std::move(Desc), Id).ok());
  }
  Timed(Opened &O, std::vector<Part> Parts)
      : Timed(O, SubmissionDesc{std::move(Parts), {}, 0, true}) {}
  ~Timed() { D.releaseSubmission(Id); }

  uint64_t run(std::span<const uint64_t> Words = {}) {
    uint64_t Point = 0;
    CHECK(D.run(Id, {Words, {}}, Point).ok());
    return Point;
  }
  std::vector<PartTime> times(uint64_t Point) {
    std::vector<PartTime> Out;
    CHECK(D.wait(Point, GOLDY_FOREVER).ok());
    CHECK(D.times(Id, Point, Out).ok());
    return Out;
  }

  Driver &D;
  SubmissionId Id{};
};

} // namespace

TEST_CASE("parts of a timed CUDA submission have the times of the device") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc = O.launch({{1, 70000, 1}}); // two pieces
  Desc.Parts.push_back(O.fill(0, 16));
  Desc.Parts.push_back(O.copy(0, 128, 16));
  Desc.Parts.push_back(O.fill(256, 0));
  Desc.Slots = {{0, 32, 4, 0}};
  Desc.Words = 1;
  Timed T(O, std::move(Desc));
  for (uint64_t Word : {7, 8}) {
    std::vector<PartTime> Got = T.times(T.run({&Word, 1}));
    REQUIRE(Got.size() == 4);
    CHECK(length(Got[0]) == 2 * 5000 + 100);
    CHECK(length(Got[1]) == 2000 + 100);
    CHECK(length(Got[2]) == 3000 + 100);
    CHECK(length(Got[3]) == 100);
    CHECK(Got[1].BeginNs - Got[0].EndNs == 100); // its own event
    CHECK(Got[2].BeginNs - Got[1].EndNs == 100);
  }
  CHECK(Fake.lines("set").size() == 2 * 2);
}

TEST_CASE("CUDA runs under way have events of their own") {
  FakeCuda Fake;
  Opened O;
  Timed T(O, {O.fill(0, 16)});
  Fake.hold(true);
  std::vector<uint64_t> Points;
  for (size_t N = 0; N < TimedRunsKept + 2; ++N)
    Points.push_back(T.run());
  std::vector<PartTime> None;
  CHECK(T.D.times(T.Id, Points.back(), None).code() == GOLDY_INVALID_ARGUMENT);
  Fake.hold(false);
  uint64_t Before = 0;
  for (size_t N = 2; N < Points.size(); ++N) {
    std::vector<PartTime> Got = T.times(Points[N]);
    CHECK(length(Got.at(0)) == 2100);
    CHECK(Before < Got[0].BeginNs);
    Before = Got[0].EndNs;
  }
  for (size_t N = 0; N < 2; ++N)
    CHECK(T.D.times(T.Id, Points[N], None).code() == GOLDY_INVALID_ARGUMENT);
}

TEST_CASE("a timed CUDA run that fails to start costs no times") {
  FakeCuda Fake;
  Opened O;
  Timed T(O, {O.fill(0, 16)});
  std::vector<uint64_t> Points;
  for (size_t N = 0; N < TimedRunsKept; ++N)
    Points.push_back(T.run());
  for (const char *Call :
       {"cuGraphExecEventRecordNodeSetEvent", "cuEventRecord", "cuGraphLaunch"})
    for (int N = 0; N < 3; ++N) {
      uint64_t Point = 0;
      CHECK(T.D.wait(Points.back(), GOLDY_FOREVER).ok());
      Fake.fail(1, CudaOutOfMemory, Call);
      Status S = T.D.run(T.Id, {}, Point);
      CHECK(S.code() == GOLDY_OUT_OF_MEMORY);
      CHECK(S.message().find(Call) == 0);
    }
  for (uint64_t Point : Points)
    CHECK(length(T.times(Point).at(0)) == 2100);
  CHECK(T.times(T.run()).size() == 1);
}

TEST_CASE("a submission that is not timed records no event in its graph") {
  FakeCuda Fake;
  Opened O;
  SubmissionDesc Desc;
  Desc.Parts = {O.fill(0, 16), O.fill(0, 16)};
  SubmissionId Id{};
  uint64_t Point = 0;
  std::vector<PartTime> None;
  REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
  CHECK(Fake.lines("graph").at(0) == "graph 2 nodes, 1 edges");
  CHECK(O.driver().run(Id, {}, Point).ok());
  CHECK(O.driver().wait(Point, GOLDY_FOREVER).ok());
  CHECK(O.driver().times(Id, Point, None).code() == GOLDY_INVALID_ARGUMENT);
  O.driver().releaseSubmission(Id);
}

static uint64_t HostNow;
static uint64_t hostNow() { return HostNow; }

TEST_CASE("the base of CUDA times is young, keeps order and follows the host") {
  using namespace goldy::rt::cuda;
  constexpr uint64_t Second = 1000000000;
  FakeCuda Fake;
  std::shared_ptr<const Api> Cu;
  std::vector<PhysicalDevice> All;
  std::unique_ptr<cuda::Device> D;
  REQUIRE(Api::load(Cu).ok());
  REQUIRE(surveyDevices(*Cu, All).ok());
  REQUIRE(cuda::Device::open(Cu, All.at(0), D).ok());
  Current Entered(*D);
  HostNow = 1000 * Second;
  {
    Clock C(*D, hostNow);
    std::shared_ptr<const Clock::Base> First, Same, Next, Fresh;
    REQUIRE(C.base(First).ok());
    CHECK(First->HostNs == HostNow);
    HostNow += Second / 2;
    REQUIRE(C.base(Same).ok());
    CHECK(Same == First);
    // The device's clock runs ahead: spans of its own are kept.
    HostNow += Second;
    Fake.pass(2 * Second);
    REQUIRE(C.base(Next).ok());
    CHECK(Next->HostNs >= First->HostNs + 2 * Second);
    CHECK(Next->HostNs < First->HostNs + 2 * Second + 1000);
    // A float has no nanoseconds of an hour.
    HostNow += 3600 * Second;
    Fake.pass(3600 * Second);
    REQUIRE(C.base(Fresh).ok());
    CHECK(Fresh->HostNs == HostNow);
  }
}
