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
#include "core/Objects.h"
#include "cpu/Sanitizer.h"
#include "goldy/program.h"
#ifdef GOLDY_HAS_VULKAN
#include "VulkanAround.h"
#include "VulkanOlder.h"
#endif

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

static constexpr const char DescriptionText[] = R"(#![goldy::program(3)]
devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: host, bytes: 64,
                 init: { bytes: hex"00000000 00000000", holes: [{ at: 0, width: W64, terms: [Handle 0 * 1] }] } }],
images: [{ device: 0, binary: "bytes that are too long for a short string" }],
steps: [])";

/// Adds a loop with a submit whose launch has a long name.
static goldy_status_t buildLoop(goldy_program_desc_t *P) {
  goldy_program_value_t One{GOLDY_VALUE_FIXED, 1, 0, nullptr};
  goldy_program_loop_t Loop{One, 0, 0, nullptr, 0};
  goldy_program_slot_t Slot{GOLDY_SLOT_MEMORY, {0, 0, 64}, 0};
  goldy_program_ref_t Ref{0, 0, GOLDY_USE_WRITE};
  goldy_program_launch_t Launch{0,
                                "a function whose name is not short",
                                {"12345678", 8, nullptr, 0},
                                &Ref,
                                1,
                                {One, One, One},
                                {One, One, One},
                                {GOLDY_VALUE_FIXED, 0, 0, nullptr}};
  goldy_status_t S = goldy_program_desc_begin_loop(P, &Loop);
  S = S ? S : goldy_program_desc_begin_submit(P, 0);
  S = S ? S : goldy_program_desc_add_slot(P, &Slot, nullptr);
  S = S ? S : goldy_program_desc_add_fixed(P, {0, 0, 64}, GOLDY_READ);
  S = S ? S : goldy_program_desc_add_launch(P, &Launch);
  S = S ? S : goldy_program_desc_end_submit(P);
  return S ? S : goldy_program_desc_end_loop(P);
}

/// Text, building, bytes, the check.
static goldy_status_t playDescription() {
  goldy_program_desc_t *P = nullptr, *Q = nullptr;
  goldy_text_t Text{};
  goldy_status_t S =
      goldy_program_desc_parse(DescriptionText, sizeof DescriptionText - 1, &P);
  S = S ? S : buildLoop(P);
  S = S ? S : goldy_program_desc_encode(P, &Text);
  S = S ? S : goldy_program_desc_decode(Text.data, Text.size, &Q);
  S = S ? S : goldy_program_desc_print(Q, &Text);
  S = S ? S : goldy_program_desc_check(Q, nullptr);
  goldy_program_desc_destroy(P);
  goldy_program_desc_destroy(Q);
  return S;
}

TEST_CASE("each allocation for a description may fail") {
  Outcome O;
  failing(0, playDescription, O);
  REQUIRE(O.Message == "");
  CHECK(sweep(playDescription) > 30);
}

/// A driver's own allocations do not fail.
static thread_local uint64_t LeftOutside = 0;
static void enterDriver() { LeftOutside = std::exchange(LeftUntilFailure, 0); }
static void leaveDriver() { LeftUntilFailure = LeftOutside; }

TEST_CASE("each allocation of a session on CUDA may fail") {
  scenarioFile();
  for (const char *Devices : {"9.0", "9.0!"}) {
    FakeCuda Fake(Devices);
    Fake.around(enterDriver, leaveDriver);
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

/// Of a session whose call fails: which allocation after that fails too.
static FakeCuda *FailingCalls = nullptr;
static uint64_t FailsAfterwards = 0;
static void leaveFailedCall() {
  leaveDriver();
  if (FailsAfterwards && !FailingCalls->failed().empty())
    LeftUntilFailure = std::exchange(FailsAfterwards, 0);
}

/// The N-th call gives `With`, and the K-th allocation behind it fails.
static goldy_code_t playFailing(FakeCuda &Fake, int N, int With, uint64_t K) {
  Fake.reset();
  Fake.fail(N, With);
  FailsAfterwards = K;
  goldy_status_t S = play("cuda");
  LeftUntilFailure = FailsAfterwards = 0;
  goldy_code_t Code = goldy_status_code(S);
  goldy_status_destroy(S);
  return Code;
}

// The words may be lost, not what is told by them.
TEST_CASE("a call of CUDA fails, and then there is no memory to say so") {
  scenarioFile();
  FakeCuda Fake;
  FailingCalls = &Fake;
  Fake.around(enterDriver, leaveFailedCall);
  REQUIRE(playFailing(Fake, 0, 0, 0) == GOLDY_OK);
  int Calls = Fake.calls();
  for (int N = 1; N <= Calls; ++N)
    for (uint64_t K = 1; K <= 6; ++K) {
      INFO("call " << N << ", allocation " << K);
      playFailing(Fake, N, CudaIllegalAddress, K);
      CHECK(Fake.alive() == 0);
      goldy_code_t Code = playFailing(Fake, N, CudaOutOfMemory, K);
      CHECK((Code == GOLDY_OUT_OF_MEMORY || Code == GOLDY_OK));
      CHECK(Fake.alive() == 0);
    }
  Fake.around(nullptr, nullptr);
}

/// Three runs, each with its word, and a wait; how many were started.
static goldy_status_t runThrice(Driver &D, SubmissionId Id, size_t &Started) {
  return guarded([&]() -> Status {
    uint64_t Point = 0;
    for (uint64_t Word : {1, 2, 3}) {
      GOLDY_TRY(D.run(Id, {{&Word, 1}, {}}, Point));
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
  CHECK(D.run(Id, {{&Word, 1}, {}}, Point).ok());
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
  Fake.around(enterDriver, leaveDriver);
  for (uint32_t Groups : {1, 70000})
    for (bool Timed : {false, true})
      for (bool Others : {false, true})
        CHECK(sweep([&] { return runFailing(Fake, Groups, Timed, Others); }) >
              1);
  Fake.around(nullptr, nullptr);
  CHECK(Fake.alive() == 0);
}

#ifdef GOLDY_HAS_VULKAN
/// Every allocation of a session on the Vulkan device, used as `Version`.
static void sweepVulkan(const char *Version, const char *Without) {
  INFO("as " << Version << " without " << Without);
  VulkanOlder As(Version, Without);
  VulkanAround Calls(enterDriver, leaveDriver);
  // The instance is made once, and the device measured.
  goldy_status_t Missing = play("vulkan");
  if (goldy_status_code(Missing) == GOLDY_UNAVAILABLE) {
    WARN(goldy_status_message(Missing));
    REQUIRE(!std::getenv("GOLDY_REQUIRE_VULKAN"));
    goldy_status_destroy(Missing);
    return;
  }
  REQUIRE(Missing == nullptr);
  CHECK(sweep([&] {
          goldy_status_t S = play("vulkan");
          CHECK(Calls.alive() == 0);
          return S;
        }) > 50);
  CHECK(play("vulkan") == nullptr);
}

TEST_CASE("each allocation of a session on Vulkan may fail") {
  scenarioFile();
  sweepVulkan("1.3", "");
  sweepVulkan("1.3", "mappedBuffers");
  sweepVulkan("1.1", "");
  sweepVulkan("1.1", "VK_KHR_timeline_semaphore,mappedBuffers");
}

/// y += a x with the words 1, 2, 3 for a, on an open device: what was started
/// is whole, and the next run as well.
static goldy_status_t runWords(goldy_device_t *Device, const char *Name) {
  uint64_t N = std::exchange(LeftUntilFailure, 0);
  Session S;
  const std::vector<uint8_t> Bytes = std::strcmp(Name, "far") == 0
                                         ? goldy::cts::shapeKernels().bytes()
                                         : goldy::cts::deviceKernels().bytes();
  REQUIRE_FALSE(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                           GOLDY_LOAD_TRUSTED, &S.File));
  REQUIRE_FALSE(goldy_kernel_create(Device, S.File, Name, &S.Kernel));
  REQUIRE_FALSE(goldy_buffer_create(Device, 64, &S.X));
  REQUIRE_FALSE(goldy_buffer_create(Device, 64, &S.Y));
  float One[16], Sum = 0;
  std::fill(std::begin(One), std::end(One), 1.0f);
  REQUIRE_FALSE(goldy_buffer_write(S.X, 0, One, sizeof One));
  goldy_argument_t Args[3] = {{S.X, 0, 16, 0, nullptr},
                              {S.Y, 0, 16, 0, nullptr},
                              {nullptr, 0, 0, 0, nullptr}};
  goldy_launch Bound;
  SubmissionDesc Desc;
  REQUIRE(bindLaunch(*S.Kernel->Loaded, Args, {{1, 1, 1}}, Bound, Desc).ok());
  constexpr uint32_t OffsetOfA = 32;
  Desc.Slots = {{0, OffsetOfA, 4, 0}};
  Desc.Words = 1;
  Driver &D = *Device->Driver;
  SubmissionId Id{};
  REQUIRE(D.prepare(std::move(Desc), Id).ok());
  LeftUntilFailure = N;
  goldy_status_t First = guarded([&]() -> Status {
    uint64_t Point = 0;
    for (float A : {1.0f, 2.0f, 3.0f}) {
      uint64_t Word = std::bit_cast<uint32_t>(A);
      GOLDY_TRY(D.run(Id, {{&Word, 1}, {}}, Point));
      Sum += A;
    }
    return D.wait(Point, GOLDY_FOREVER);
  });
  LeftUntilFailure = 0;
  uint64_t Point = 0, Five = std::bit_cast<uint32_t>(5.0f);
  CHECK(D.run(Id, {{&Five, 1}, {}}, Point).ok());
  CHECK(D.wait(Point, GOLDY_FOREVER).ok());
  REQUIRE_FALSE(goldy_buffer_read(S.Y, 0, One, sizeof One));
  CHECK(One[3] == Sum + 5);
  D.releaseSubmission(Id);
  return First;
}

TEST_CASE("runs on Vulkan whose allocations fail") {
  VulkanAround Calls(enterDriver, leaveDriver);
  for (const char *Version : {"1.3", "1.1"})
    for (const char *Without : {"", "VK_KHR_timeline_semaphore"})
      for (const char *Kernel : {"saxpy", "far"}) {
        INFO(Kernel << " as " << Version << " without " << Without);
        VulkanOlder As(Version, Without);
        goldy_device_t *Device = nullptr;
        goldy_status_t S = goldy_device_create("vulkan", nullptr, &Device);
        goldy_status_destroy(S);
        if (Device) {
          CHECK(sweep([&] { return runWords(Device, Kernel); }) > 1);
          goldy_device_destroy(Device);
          CHECK(Calls.alive() == 0);
        }
      }
}
#endif

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

TEST_CASE("what a sanitizer found before it had no memory left is told") {
  WatchedCode Code;
  Code.Name = "k";
  Code.WorkgroupSize = {2, 1, 1};
  Code.Kinds = SanitizeBounds | SanitizeRace;
  Code.Sites.resize(2);
  Code.Sites[0].What = WatchSite::Kind::Assume;
  Code.Sites[1].What = WatchSite::Kind::Write;
  Code.Sites[1].In = WatchSite::Memory::Workgroup;
  Code.Sites[1].Bytes = 4;
  std::byte Block[32] = {};
  Sanitizer S(Code, Block, {1, 1, 1});
  uint32_t Word = 0;
  Sanitizer::watch(&S, 0, 0, 0, &Word);
  LeftUntilFailure = 1;
  Sanitizer::watch(&S, 0, 0, 1, &Word);
  LeftUntilFailure = 0;
  std::string Heard;
  auto Hear = [](void *To, const char *Text, size_t Size) {
    static_cast<std::string *>(To)->append(Text, Size);
  };
  CHECK(S.finish({Hear, &Heard}).code() == GOLDY_OUT_OF_MEMORY);
  CHECK(Heard.find("this does not hold for work-item [0, 0, 0]") != Heard.npos);
}
