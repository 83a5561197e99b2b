//===- NoMemoryTest.cpp - The n-th allocation of the library fails --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of its own, for it replaces operator new. One session is repeated
// with the n-th allocation failing, until none does: each time a status says
// that no memory was left, nothing ends the process, and the next session
// works. Only the calling thread's allocations fail.
//
//===----------------------------------------------------------------------===//
#include "CudaOpened.h"
#include "Scenario.h"

#include "core/Boundary.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <unistd.h>

using namespace goldy::rt;

static thread_local uint64_t LeftUntilFailure = 0; ///< 0: none fails
static thread_local bool HasFailed = false;

static void *allocate(size_t Bytes) noexcept {
  if (LeftUntilFailure && --LeftUntilFailure == 0) {
    HasFailed = true;
    return nullptr;
  }
  return std::malloc(Bytes ? Bytes : 1);
}

void *operator new(size_t Bytes) {
  if (void *Memory = allocate(Bytes))
    return Memory;
  throw std::bad_alloc();
}
void *operator new(size_t Bytes, const std::nothrow_t &) noexcept {
  return allocate(Bytes);
}
void *operator new[](size_t Bytes) { return ::operator new(Bytes); }
void *operator new[](size_t Bytes, const std::nothrow_t &Tag) noexcept {
  return ::operator new(Bytes, Tag);
}
void operator delete(void *Memory) noexcept { std::free(Memory); }
void operator delete[](void *Memory) noexcept { std::free(Memory); }
void operator delete(void *Memory, size_t) noexcept { std::free(Memory); }
void operator delete[](void *Memory, size_t) noexcept { std::free(Memory); }

namespace {

struct Outcome {
  goldy_code_t Code = GOLDY_OK;
  std::string Message;
};

/// The first failure of a session from opening a device to closing it, without
/// allocations of its own while they may fail.
goldy_status_t play(const char *DeviceName) {
  goldy_device_t *Device = nullptr;
  if (goldy_status_t S = goldy_device_create(DeviceName, nullptr, &Device))
    return S;
  goldy_status_t First = nullptr;
  {
    Session S;
    First = playScenario(Device, S);
  }
  goldy_device_destroy(Device);
  return First;
}

/// `Body` with its N-th allocation failing; false if it has fewer.
template <class Body> bool failing(uint64_t N, Body B, Outcome &Out) {
  HasFailed = false;
  LeftUntilFailure = N;
  goldy_status_t S = B();
  LeftUntilFailure = 0;
  Out = {goldy_status_code(S), goldy_status_message(S)};
  goldy_status_destroy(S);
  return HasFailed;
}

/// Repeats `Body` until none of its allocations fails; how many it has.
template <class Body> uint64_t sweep(Body B) {
  uint64_t Statuses = 0;
  for (uint64_t N = 1;; ++N) {
    Outcome O;
    bool Failed = failing(N, B, O);
    INFO("allocation " << N << ": " << O.Message);
    if (!Failed) {
      CHECK(O.Code == GOLDY_OK);
      CHECK(Statuses > N / 2);
      return N - 1;
    }
    // Some can be done without: a thread less, a value not printed.
    CHECK((O.Code == GOLDY_OUT_OF_MEMORY || O.Code == GOLDY_OK));
    Statuses += O.Code != GOLDY_OK;
    if (O.Code != GOLDY_OK)
      CHECK(O.Message.find("no memory") != std::string::npos);
  }
}

} // namespace

TEST_CASE("each allocation of a session may fail") {
  scenarioFile();
  for (const char *Name : {"null", "cpu"}) {
    INFO(Name);
    REQUIRE(play(Name) == nullptr);
    CHECK(sweep([&] { return play(Name); }) > 50);
    CHECK(play(Name) == nullptr);
  }
}

/// The fake driver's own allocations do not fail.
static thread_local uint64_t LeftOutside = 0;
static void enterFake() { LeftOutside = std::exchange(LeftUntilFailure, 0); }
static void leaveFake() { LeftUntilFailure = LeftOutside; }

TEST_CASE("each allocation of a session on CUDA may fail") {
  scenarioFile();
  for (const char *Devices : {"9.0", "9.0!"}) {
    FakeCuda Fake(Devices);
    Fake.around(enterFake, leaveFake);
    REQUIRE(play("cuda") == nullptr);
    size_t Left = 0;
    CHECK(sweep([&] {
            goldy_status_t S = play("cuda");
            Left += Fake.alive();
            return S;
          }) > 50);
    CHECK(Left == 0);
    CHECK(play("cuda") == nullptr);
    Fake.around(nullptr, nullptr);
  }
}

/// Three runs, each with its word, and a wait; how many were started.
static goldy_status_t runThrice(Driver &D, SubmissionId Id, size_t &Started) {
  return guarded([&]() -> Status {
    uint64_t Point = 0;
    for (uint64_t Word : {1, 2, 3}) {
      GOLDY_TRY(D.run(Id, {&Word, 1}, Point));
      ++Started;
    }
    return D.wait(Point, GOLDY_FOREVER);
  });
}

/// A launch in `Groups` groups along y with a word, and other parts behind it.
static SubmissionDesc described(Opened &O, uint32_t Groups, bool Timed,
                                bool Others) {
  SubmissionDesc Desc = O.launch({{1, Groups, 1}});
  Desc.Slots = {{0, WordA, 4, 0}};
  Desc.Words = 1;
  Desc.Timed = Timed;
  if (Others) {
    Desc.Parts.push_back(O.fill(0, 16));
    Desc.Parts.push_back(O.copy(0, 64, 16));
  }
  return Desc;
}

/// What was started runs and has a point, what was not has none, and the next
/// run is whole.
static goldy_status_t runFailing(FakeCuda &Fake, uint32_t Groups, bool Timed,
                                 bool Others) {
  uint64_t N = std::exchange(LeftUntilFailure, 0), Point = 0, Word = 9;
  Opened O;
  Driver &D = O.driver();
  SubmissionDesc Desc = described(O, Groups, Timed, Others);
  size_t Kernels = Desc.Parts[0].Pieces.size(), Started = 0;
  SubmissionId Id{};
  Fake.reset();
  REQUIRE(D.prepare(std::move(Desc), Id).ok());
  LeftUntilFailure = N;
  goldy_status_t S = runThrice(D, Id, Started);
  LeftUntilFailure = 0;
  CHECK(D.lastPoint() == Started);
  CHECK(D.wait(D.lastPoint(), GOLDY_FOREVER).ok());
  CHECK(Fake.lines("kernel").size() == Started * Kernels);
  CHECK(D.run(Id, {&Word, 1}, Point).ok());
  CHECK(D.wait(Point, GOLDY_FOREVER).ok());
  std::vector<std::string> Ran = Fake.lines("kernel");
  REQUIRE(Ran.size() == (Started + 1) * Kernels);
  for (size_t K = Started * Kernels; K < Ran.size(); ++K)
    CHECK(wordAt(Ran[K], WordA) == 9);
  D.releaseSubmission(Id);
  return S;
}

TEST_CASE("runs on CUDA whose allocations fail") {
  FakeCuda Fake;
  Fake.around(enterFake, leaveFake);
  for (uint32_t Groups : {1, 70000})
    for (bool Timed : {false, true})
      for (bool Others : {false, true})
        CHECK(sweep([&] { return runFailing(Fake, Groups, Timed, Others); }) >
              1);
  Fake.around(nullptr, nullptr);
  CHECK(Fake.alive() == 0);
}

TEST_CASE("the status names the call that had no memory") {
  goldy_device_t *Device = nullptr;
  goldy_buffer_t *Buffer = nullptr;
  REQUIRE_FALSE(goldy_device_create("cpu", nullptr, &Device));
  Outcome O;
  REQUIRE(
      failing(1, [&] { return goldy_buffer_create(Device, 64, &Buffer); }, O));
  CHECK(O.Code == GOLDY_OUT_OF_MEMORY);
  CHECK(O.Message == "goldy_buffer_create: no memory left");
  CHECK(Buffer == nullptr);
  goldy_device_destroy(Device);
}

static size_t openHandles() {
  std::filesystem::directory_iterator All("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(All), end(All)));
}

TEST_CASE("a file is closed whatever fails") {
  std::string Path = std::filesystem::temp_directory_path() /
                     ("goldy-no-memory-" + std::to_string(getpid()) + ".gdy");
  std::FILE *F = std::fopen(Path.c_str(), "wb");
  REQUIRE(F);
  const std::vector<uint8_t> &Bytes = scenarioFile();
  REQUIRE(std::fwrite(Bytes.data(), 1, Bytes.size(), F) == Bytes.size());
  REQUIRE(std::fclose(F) == 0);
  size_t Before = openHandles();
  sweep([&] {
    goldy_artifact_t *A = nullptr;
    goldy_status_t S =
        goldy_artifact_load_file(Path.c_str(), GOLDY_LOAD_TRUSTED, &A);
    goldy_artifact_destroy(A);
    return S;
  });
  CHECK(openHandles() == Before);
  std::filesystem::remove(Path);
}
