//===- LaunchTest.cpp - What a launch on the CPU leaves to its caller -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of its own: in a process that has one thread launches take another
// way, so each case comes twice, the second time beside a thread that rests.
// The kernels' code is in bytes here, in the place of saxpy's.
//
//===----------------------------------------------------------------------===//
#include "TestArtifact.h"
#include "core/Objects.h"
#include "cpu/FloatState.h"
#include "cpu/ReadyLaunch.h"
#include "cpu/RunOrder.h"

#include <catch2/catch.hpp>

#include <bit>
#include <fstream>
#include <future>
#include <sys/resource.h>
#include <unistd.h>
#include <xmmintrin.h>

using namespace goldy::rt;

namespace {

/// mov rax, [rdi + 16]; stmxcsr [rax]; movss xmm0, [rdi + 32];
/// mulss xmm0, xmm0; xor eax, eax; ret: y[0] = the state; a * a is not exact.
const std::vector<uint8_t> TellsState = {
    0x48, 0x8b, 0x47, 0x10, 0x0f, 0xae, 0x18, 0xf3, 0x0f, 0x10,
    0x47, 0x20, 0xf3, 0x0f, 0x59, 0xc0, 0x31, 0xc0, 0xc3};
/// For each group: y[group] = where the thread's stack lies, then about a
/// microsecond: mov r8, [rdi + 16]; mov rcx, [rsi + 16]; 1: cmp rcx, [rsi +
/// 24]; jae 3f; mov [r8 + 4 * rcx], esp; mov eax, 4000; 2: dec eax; jnz 2b; inc
/// rcx; jmp 1b; 3: xor eax, eax; ret
const std::vector<uint8_t> TellsThread = {
    0x4c, 0x8b, 0x47, 0x10, 0x48, 0x8b, 0x4e, 0x10, 0x48, 0x3b, 0x4e, 0x18,
    0x73, 0x12, 0x41, 0x89, 0x24, 0x88, 0xb8, 0xa0, 0x0f, 0x00, 0x00, 0xff,
    0xc8, 0x75, 0xfc, 0x48, 0xff, 0xc1, 0xeb, 0xe8, 0x31, 0xc0, 0xc3};
/// mov rax, [rdi + 16]; mov dword [rdx + 4092], 5; mov ecx, edx; and ecx, 63;
/// add ecx, [rdx + 4092]; mov [rax], ecx; xor eax, eax; ret: y[0] = 5 if there
/// is scratch memory and it is aligned.
const std::vector<uint8_t> UsesScratch = {
    0x48, 0x8b, 0x47, 0x10, 0xc7, 0x82, 0xfc, 0x0f, 0,    0,
    5,    0,    0,    0,    0x89, 0xd1, 0x83, 0xe1, 0x3f, 0x03,
    0x8a, 0xfc, 0x0f, 0,    0,    0x89, 0x08, 0x31, 0xc0, 0xc3};
/// mov eax, 7; ret
const std::vector<uint8_t> Fails = {0xb8, 7, 0, 0, 0, 0xc3};

void ok(goldy_status_t S) {
  INFO(goldy_status_message(S));
  bool Good = !S;
  goldy_status_destroy(S);
  REQUIRE(Good);
}

/// saxpy, or code in its place, over 256 floats.
struct Opened {
  goldy::cts::TestArtifact Source = goldy::cts::testKernels();
  std::vector<uint8_t> File;
  goldy_device_t *Device = nullptr;
  goldy_artifact_t *Artifact = nullptr;
  goldy_kernel_t *Kernel = nullptr;
  goldy_buffer_t *X = nullptr, *Y = nullptr;
  goldy_argument_t Arguments[3] = {};
  std::vector<goldy_launch_t *> Launches;
  uint32_t N;

  explicit Opened(const std::vector<uint8_t> &Code = {}, uint32_t Threads = 1,
                  uint32_t N = 256, uint64_t ScratchBytes = 0)
      : N(N) {
    if (!Code.empty())
      Source.Blobs[0] = Code;
    Source.Root.kernels[0]->images[0]->scratch_bytes = ScratchBytes;
    File = Source.bytes();
    goldy_device_options_t O{};
    O.size = sizeof O;
    O.threads = Threads;
    ok(goldy_device_create("cpu", &O, &Device));
    ok(goldy_artifact_load_memory(File.data(), File.size(), GOLDY_LOAD_TRUSTED,
                                  &Artifact));
    ok(goldy_kernel_create(Device, Artifact, "saxpy", &Kernel));
    ok(goldy_buffer_create(Device, 4 * N, &X));
    ok(goldy_buffer_create(Device, 4 * N, &Y));
    Arguments[0] = {X, 0, N, 0, nullptr};
    Arguments[1] = {Y, 0, N, 0, nullptr};
    Arguments[2] = {nullptr, 0, 0, std::bit_cast<uint32_t>(0.1f), nullptr};
  }
  ~Opened() {
    for (goldy_launch_t *L : Launches)
      goldy_launch_destroy(L);
    goldy_buffer_destroy(X);
    goldy_buffer_destroy(Y);
    goldy_kernel_destroy(Kernel);
    goldy_artifact_destroy(Artifact);
    goldy_device_destroy(Device);
  }
  Opened(const Opened &) = delete;
  goldy_launch_t *launch(goldy_grid_t Grid = {{1, 1, 1}}) {
    goldy_launch_t *L = nullptr;
    ok(goldy_launch_create(Kernel, Arguments, 3, Grid, &L));
    Launches.push_back(L);
    return L;
  }
  Driver &driver() { return *Device->Driver; }
  uint32_t firstWord() {
    uint32_t Word = 0;
    ok(goldy_buffer_read(Y, 0, &Word, 4));
    return Word;
  }
  /// `Parts` launches in one submission, which the driver knows.
  SubmissionDesc described(goldy_launch &Keep, size_t Parts) {
    SubmissionDesc D;
    REQUIRE(bindLaunch(*Kernel->Loaded, Arguments, {{1, 1, 1}}, Keep, D).ok());
    D.Parts.resize(Parts, D.Parts[0]);
    return D;
  }
};

/// In a process of one thread, then beside another one.
template <class F> void inBothKinds(F Case) {
  Case();
  std::promise<void> Over;
  std::thread Rests([Wait = Over.get_future()] { Wait.wait(); });
  CHECK_FALSE(hasOneThread());
  Case();
  Over.set_value();
  Rests.join();
}

constexpr uint32_t KernelState = KernelFloatState::AllMasked |
                                 KernelFloatState::FlushToZero |
                                 KernelFloatState::SubnormalsAreZero;
/// That operations set; a launch sees those of launches before it in its run.
constexpr uint32_t Flags = 0x3f;
/// Plain; flags set; rounding up and to zero; the kernel's own, without and
/// with flags; a trap on division by zero.
constexpr uint32_t CallerStates[] = {0x1f80, 0x1fbf,          0x5f80, 0x7fa0,
                                     0x9fc0, 0x9fc0u | 0x21u, 0x1d80};

/// `Run` from each state, which it finds changed since the call before.
template <class F> void fromEachState(Opened &O, F Run) {
  uint32_t Mine = _mm_getcsr();
  for (uint32_t State : CallerStates) {
    _mm_setcsr(State);
    goldy_status_t S = Run();
    uint32_t After = _mm_getcsr();
    _mm_setcsr(Mine);
    ok(S);
    CHECK(After == State);
    CHECK((O.firstWord() & ~Flags) == KernelState);
  }
}

/// Bytes of the process.
rlim_t addressSpace() {
  rlim_t Pages = 0;
  std::ifstream("/proc/self/statm") >> Pages;
  return Pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

} // namespace

TEST_CASE("a launch has the kernel's float state, its caller the caller's") {
  inBothKinds([] {
    for (uint32_t Threads : {1u, 2u}) {
      Opened O(TellsState, Threads);
      goldy_launch_t *One = O.launch();
      uint64_t Point = 0;
      fromEachState(O, [&] { return goldy_launch_submit(One, &Point); });
      fromEachState(O, [&] { return goldy_device_wait(O.Device, Point, 0); });
      fromEachState(O, [&] {
        return goldy_kernel_launch(O.Kernel, O.Arguments, 3, {{1, 1, 1}},
                                   &Point);
      });
      goldy_launch Keep;
      SubmissionId Id{};
      SubmissionDesc Desc = O.described(Keep, 3);
      Desc.Slots = {{1, 32, 4, 0}};
      Desc.Words = 1;
      REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
      uint64_t Word = std::bit_cast<uint32_t>(0.3f);
      fromEachState(O, [&] {
        return O.driver().run(Id, {{&Word, 1}, {}}, Point).release();
      });
      O.driver().releaseSubmission(Id);
    }
  });
}

TEST_CASE("a kernel that fails: its words, its part, no point, the state") {
  inBothKinds([] {
    Opened O(Fails);
    goldy_launch_t *One = O.launch();
    goldy_launch Keep;
    SubmissionId Single{}, Several{};
    REQUIRE(O.driver().prepare(O.described(Keep, 1), Single).ok());
    REQUIRE(O.driver().prepare(O.described(Keep, 3), Several).ok());
    uint64_t Point = 99;
    uint32_t Part = 77;
    auto FailsIn = [&](auto Run) {
      uint32_t Mine = _mm_getcsr();
      uint64_t Before = O.driver().lastPoint();
      _mm_setcsr(0x5f80);
      goldy_status_t S = Run();
      uint32_t After = _mm_getcsr();
      _mm_setcsr(Mine);
      CHECK(After == 0x5f80);
      CHECK(goldy_status_code(S) == GOLDY_INTERNAL);
      CHECK(goldy_status_message(S) ==
            std::string("kernel `saxpy` returned 7"));
      goldy_status_destroy(S);
      CHECK(Point == 99);
      CHECK(O.driver().lastPoint() == Before + 1);
    };
    FailsIn([&] { return goldy_launch_submit(One, &Point); });
    FailsIn([&] {
      return goldy_kernel_launch(O.Kernel, O.Arguments, 3, {{1, 1, 1}}, &Point);
    });
    for (SubmissionId Id : {Single, Several}) {
      FailsIn([&] { return O.driver().run(Id, {}, Point).release(); });
      FailsIn(
          [&] { return O.driver().run(Id, {{}, {}, &Part}, Point).release(); });
      CHECK(Part == 0);
      Part = 77;
      O.driver().releaseSubmission(Id);
    }
  });
}

TEST_CASE("launches that a host function starts, within a run") {
  inBothKinds([] {
    Opened O(TellsState);
    struct Inner {
      Opened &O;
      goldy_launch_t *Launch;
      uint64_t Points[2] = {};
      uint32_t State = 0;
      static int call(void *User, const void *) {
        Inner &I = *static_cast<Inner *>(User);
        I.State = _mm_getcsr();
        ok(goldy_launch_submit(I.Launch, &I.Points[0]));
        ok(goldy_kernel_launch(I.O.Kernel, I.O.Arguments, 3, {{1, 1, 1}},
                               &I.Points[1]));
        ok(goldy_device_wait(I.O.Device, I.Points[1], 0));
        return _mm_getcsr() == I.State ? 0 : 1;
      }
    } I{O, O.launch()};
    goldy_launch Keep;
    SubmissionDesc Desc = O.described(Keep, 2);
    Part &Call = Desc.Parts.emplace_back();
    Call.Kind = PartKind::Call;
    Call.Function = Inner::call;
    Call.User = &I;
    Call.Name = "inner";
    Desc.Parts.push_back(Desc.Parts[0]);
    SubmissionId Id{};
    REQUIRE(O.driver().prepare(std::move(Desc), Id).ok());
    uint64_t Point = 0, Before = O.driver().lastPoint();
    fromEachState(O, [&] { return O.driver().run(Id, {}, Point).release(); });
    CHECK(I.State == CallerStates[std::size(CallerStates) - 1]);
    CHECK(I.Points[0] == Point - 2);
    CHECK(I.Points[1] == Point - 1);
    CHECK(Point == Before + 3 * std::size(CallerStates));
    O.driver().releaseSubmission(Id);
    // Nothing is left behind: the next one is alone again.
    ok(goldy_launch_submit(I.Launch, &Point));
    CHECK(Point == Before + 3 * std::size(CallerStates) + 1);
  });
}

TEST_CASE("threads that submit one launch: each run, one after another") {
  constexpr uint32_t Callers = 4, Runs = 3000;
  for (uint32_t Groups : {1u, 3u}) { // with 3, two threads might share one
    Opened O({}, 2);
    std::vector<float> Ones(O.N, 1);
    ok(goldy_buffer_write(O.X, 0, Ones.data(), 4 * O.N));
    O.Arguments[2].word = std::bit_cast<uint32_t>(1.0f);
    goldy_launch_t *One = O.launch({{Groups, 1, 1}});
    std::atomic<uint32_t> Wrong{0};
    std::vector<std::thread> Threads;
    for (uint32_t T = 0; T < Callers; ++T)
      Threads.emplace_back([&, T] {
        uint32_t Mine = CallerStates[T];
        _mm_setcsr(Mine);
        uint64_t Before = 0, Point = 0;
        for (uint32_t R = 0; R < Runs; ++R) {
          goldy_status_t S =
              R % 8 ? goldy_launch_submit(One, &Point)
                    : goldy_kernel_launch(O.Kernel, O.Arguments, 3,
                                          {{Groups, 1, 1}}, &Point);
          Wrong += S != nullptr || Point <= Before ||
                   goldy_device_wait(O.Device, Point, 0) != nullptr;
          Before = Point;
        }
        Wrong += (_mm_getcsr() & ~Flags) != (Mine & ~Flags);
      });
    for (std::thread &T : Threads)
      T.join();
    CHECK(Wrong == 0);
    CHECK(O.driver().lastPoint() == Callers * Runs);
    std::vector<float> Y(O.N);
    ok(goldy_buffer_read(O.Y, 0, Y.data(), 4 * O.N));
    CHECK(Y == std::vector<float>(O.N, float(Callers * Runs)));
  }
}

TEST_CASE("scratch memory of launches: there, or the launch says it is not") {
  inBothKinds([] {
    for (uint32_t Groups : {1u, 64u})
      for (bool Enough : {true, false}) {
        Opened O(UsesScratch, 2, 256, Enough ? 4096 : uint64_t(1) << 30);
        goldy_launch_t *One = O.launch({{Groups, 1, 1}});
        goldy_launch Keep;
        SubmissionId Several{};
        REQUIRE(O.driver().prepare(O.described(Keep, 3), Several).ok());
        uint64_t Point = 99;
        uint32_t Part = 77;
        auto Check = [&](auto Run) {
          const uint32_t Before = 1;
          ok(goldy_buffer_write(O.Y, 0, &Before, 4));
          rlimit Was{}, Less{};
          getrlimit(RLIMIT_AS, &Was);
          Less = Was;
          Less.rlim_cur = addressSpace() + (rlim_t(1) << 29);
          if (!Enough)
            setrlimit(RLIMIT_AS, &Less);
          goldy_status_t S = Run();
          setrlimit(RLIMIT_AS, &Was);
          if (Enough) {
            ok(S);
            CHECK(O.firstWord() == 5);
            return;
          }
          CHECK(goldy_status_code(S) == GOLDY_OUT_OF_MEMORY);
          CHECK(goldy_status_message(S) ==
                std::string("kernel `saxpy`: no memory for 1073741824 bytes "
                            "of scratch"));
          goldy_status_destroy(S);
          CHECK(Point == 99);
        };
        for (int Twice = 0; Twice < 2; ++Twice) {
          Check([&] { return goldy_launch_submit(One, &Point); });
          Check([&] {
            return goldy_kernel_launch(O.Kernel, O.Arguments, 3,
                                       {{Groups, 1, 1}}, &Point);
          });
          Check([&] {
            return O.driver().run(Several, {{}, {}, &Part}, Point).release();
          });
          CHECK(Part == (Enough ? 77 : 0));
        }
        O.driver().releaseSubmission(Several);
      }
  });
}

// What short ones cost says that they go untimed, a long one does not.
TEST_CASE("a long launch is shared after short ones of its kernel") {
  constexpr uint32_t Long = 20000, StackBytes = 1 << 16;
  for (bool Once : {true, false}) {
    Opened O(TellsThread, 2, Long);
    auto Launch = [&](goldy_launch_t *Prepared, uint32_t Groups) {
      uint64_t Point = 0;
      ok(Once ? goldy_kernel_launch(O.Kernel, O.Arguments, 3, {{Groups, 1, 1}},
                                    &Point)
              : goldy_launch_submit(Prepared, &Point));
    };
    goldy_launch_t *Few = O.launch({{2, 1, 1}}),
                   *Many = O.launch({{Long, 1, 1}});
    bool Shared = false;
    for (int Tries = 0; Tries < 10 && !Shared; ++Tries) {
      for (int I = 0; I < 4; ++I)
        Launch(Few, 2);
      Launch(Many, Long);
      std::vector<uint32_t> At(Long);
      ok(goldy_buffer_read(O.Y, 0, At.data(), 4 * Long));
      for (uint32_t A : At)
        Shared |= std::max(A, At[0]) - std::min(A, At[0]) > StackBytes;
    }
    CHECK(Shared);
  }
}

TEST_CASE("launches that go without a look at the clock are counted") {
  LaunchCount Some{2}, Always{AlwaysUntimed};
  CHECK(takeUntimed(Some));
  CHECK(takeUntimed(Some));
  CHECK_FALSE(takeUntimed(Some));
  CHECK_FALSE(takeUntimed(Some));
  for (int I = 0; I < 3; ++I)
    CHECK(takeUntimed(Always));
  CHECK(Always == AlwaysUntimed);
}
