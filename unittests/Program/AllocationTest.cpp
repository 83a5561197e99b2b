//===- AllocationTest.cpp - Memory that load and run ask for --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's own operator new counts, and fails on demand.
//
//===----------------------------------------------------------------------===//
#include "LoadFixture.h"

#include "goldy/frame.h"
#include "program/Loaded.h"
#include "program/TemplateObject.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>
#include <thread>

using namespace goldy;
using namespace goldy::rt;
using Words = std::vector<uint64_t>;
using Buffer = std::unique_ptr<goldy_buffer>;

static thread_local uint64_t Allocations = 0, LeftUntilFailure = 0;

void *operator new(size_t Bytes, const std::nothrow_t &) noexcept {
  ++Allocations;
  if (LeftUntilFailure && --LeftUntilFailure == 0)
    return nullptr;
  return std::malloc(Bytes ? Bytes : 1);
}
void *operator new(size_t Bytes) {
  if (void *P = ::operator new(Bytes, std::nothrow))
    return P;
  throw std::bad_alloc();
}
void operator delete(void *P) noexcept { std::free(P); }
void operator delete(void *P, size_t) noexcept { std::free(P); }

/// Everything that a run on the CPU does.
static const std::string Everything = R"(devices: ["x86-64-v1"],
memory: [Alloc { device: 0, kind: device, bytes: 64, init: hex"01", copies: Two },
         Alloc { device: 0, kind: host, bytes: 64,
                 init: { bytes: hex"00000000 00000000", holes: [{ at: 0, width: W64, terms: [Handle 1 * 1] }] } }],
images: [{ device: 0, binary: "saxpy" }, { device: 0, binary: "GDYC" }, { device: 0, binary: "probe" }],
inputs: [{ device: 0, bytes: 64, length: { word: 1, stride: 32 } }, { device: 0, bytes: 64 }], ints: 5,
steps: [
  Submit { device: 0, parts: [Copy { src: 0, dst: 1, length: 64 }, Copy { src: 2, dst: 1, dst_offset: [8 * 1], length: 8 }],
           slots: [Input 0, Memory { memory: 0, offset: 0, length: 64 }, Ints] },
  Loop { trips: int 0, trip: 2, flag: { slot: Memory { memory: 0, offset: 0, length: 64 }, at: 0 },
         derived: [{ word: 3, is: [int 2, 4, mul] }], body: [
    Submit { device: 0, parts: [Launch { image: 0, name: "saxpy",
      params: { bytes: hex"00000000 00000000 04000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000",
                holes: [{ at: 16, width: W64, terms: [int 3 * 1] }, { at: 24, width: W32, terms: [int 1 * 1] }] },
      refs: [{ slot: 0, at: 0, use: read }, { slot: 1, at: 16, use: write }],
      groups: [int 0, 1, 1], threads: [256, 1, 1] },
      Launch { image: 1, name: "f", params: { bytes: hex"00000000 00000000", holes: [{ at: 0, width: W32, terms: [int 2 * 1] }] },
               groups: [1, 1, 1], threads: [1, 1, 1] }], slots: [Input 0, Input 1] },
    Submit { device: 0, parts: [Copy { src: 0, dst: 1, dst_offset: [int 2 * 8], length: 8 }], slots: [Input 0, Input 1] },
    Submit { device: 0, parts: [Copy { src: 0, src_offset: [int 2 * 8], dst: 1, length: 8 }], slots: [Input 0, Input 1] },
    Move { src: Ints, src_offset: [8 * 1], dst: Input 1, dst_offset: [int 2 * 8], length: 8 },
  ] },
  Move { src: Input 1, dst: Memory { memory: 1, offset: 0, length: 64 }, length: 64 },
])";

/// The same without what GPUs do not do, calls of the host.
static std::string withoutCalls() {
  std::string Text = Everything;
  const std::string Image = ", { device: 0, binary: \"GDYC\" }";
  Text.erase(Text.find(Image), Image.size());
  size_t Call = Text.find(",\n      Launch { image: 1");
  return Text.erase(Call, Text.find("], slots:", Call) - Call);
}

namespace {
struct Setting {
  TestDevice Cpu;
  TestProgram P;
  Buffer In = Cpu.bufferOf(Words{1, 2, 3, 4, 5, 6, 7, 8}), Out = Cpu.buffer(64),
         Other = Cpu.buffer(128);
  goldy_program_desc Desc;
  goldy_program_point_t Points[4];
  bool AsksPoints = false; ///< of the steps, which then are not joined
  int64_t Ints[2] = {3, 2};

  explicit Setting(const std::string &Name = "cpu")
      : Cpu(Name), Desc(described(Name == "cpu" ? Everything : withoutCalls(),
                                  {Cpu.Arch})) {
    P.Callbacks = {{"f", [](void *, const void *) { return 0; }, nullptr}};
  }
  goldy_status_t load() {
    goldy_device_t *Device = &Cpu.Device;
    goldy_program_machine_t M{&Device, 1, nullptr, 0};
    goldy_program_options_t O{sizeof O, GOLDY_LOAD_TRUSTED, P.Callbacks.data(),
                              1};
    return goldy_program_load(&Desc, &M, &O, &P.P);
  }
  goldy_status_t run(bool Swap) {
    goldy_buffer_t *Inputs[] = {In.get(), Swap ? Other.get() : Out.get()};
    goldy_program_frame_t F{Inputs, 2, Ints, 2, AsksPoints ? Points : nullptr,
                            4};
    goldy_program_point_t End;
    size_t Count = 0;
    return goldy_program_run(P.P, &F, nullptr, 0, &End, &Count);
  }
};
} // namespace

TEST_CASE("runs allocate nothing from the second one on") {
  Setting S;
  S.AsksPoints = GENERATE(false, true);
  REQUIRE(S.load() == nullptr);
  REQUIRE(S.P.P->Plan.Joins.size() == 1);
  goldy_status_t First = S.run(false);
  INFO(goldy_status_message(First));
  REQUIRE(First == nullptr);
  for (int N = 0; N < 4; ++N) {
    S.Ints[0] = 3 + N % 2;
    uint64_t Before = Allocations;
    goldy_status_t Run = S.run(N % 2);
    uint64_t Took = Allocations - Before;
    CHECK(Run == nullptr);
    CHECK(Took == 0);
  }
}

// What the driver's own library takes by other means is not counted. Where
// descriptors name memory, refs that move are other commands, recorded anew.
TEST_CASE("runs on every device allocate nothing once they are warm") {
  bool AsksPoints = GENERATE(false, true);
  for (const std::string &Name : workingDevices()) {
    if (Name == "vulkan1.1")
      continue;
    INFO(Name);
    Setting S(Name);
    S.AsksPoints = AsksPoints;
    Told Loaded(S.load());
    REQUIRE(Loaded.Message == "");
    constexpr int Cold = 6;
    for (int N = 0; N < 2 * Cold; ++N) {
      uint64_t Before = Allocations;
      goldy_status_t Run = S.run(N % 2);
      uint64_t Took = Allocations - Before;
      Told Ran(Run);
      CHECK(Ran.Message == "");
      if (N >= Cold)
        CHECK(Took == 0);
      REQUIRE(
          S.Cpu.driver().wait(S.Cpu.driver().lastPoint(), GOLDY_FOREVER).ok());
    }
  }
}

/// For frames of the same program.
static program::ProgramTemplate framed() {
  program::ProgramTemplate T;
  T.Name = "p";
  T.Devices = {"device"};
  T.Types = {program::Scalar::F32};
  for (const char *Name : {"x", "y"})
    T.Inputs.push_back({Name,
                        0,
                        program::InputForm::Slice,
                        0,
                        program::Access::ReadWrite,
                        64,
                        {}});
  // Word 2 is the loop's, so the run does not read what the frame derives.
  T.Ints = {program::NamedInt{"n", program::Scalar::I32},
            program::NamedInt{"length", program::Scalar::I32},
            program::HiddenInt{}, program::HiddenInt{}, program::LengthInt{0}};
  T.Derived = {{2,
                {program::IntWord{4}, program::Fixed{4},
                 program::Apply{program::Op::Mul, program::Domain::Exact}},
                "x.len() * 4"}};
  return T;
}

TEST_CASE("runs of a frame allocate nothing from the second one on") {
  Setting S;
  REQUIRE(S.load() == nullptr);
  goldy_program_template Object(framed());
  goldy_device_t *Device = &S.Cpu.Device;
  goldy_frame_t *F = nullptr;
  REQUIRE(goldy_frame_create(&Object, S.P.P, &Device, 1, &F) == nullptr);
  CHECK(goldy_frame_set_input(F, 1, S.Out.get()) == nullptr);
  CHECK(goldy_frame_set_int(F, 1, GOLDY_TYPE_I32, 2) == nullptr);
  for (int N = 0; N < 5; ++N) {
    uint64_t Before = Allocations;
    goldy_status_t Set =
        goldy_frame_set_input(F, 0, N % 2 ? S.In.get() : S.Other.get());
    goldy_status_t Int = goldy_frame_set_int(F, 0, GOLDY_TYPE_I32,
                                             static_cast<uint64_t>(2 + N % 2));
    goldy_status_t Run = goldy_frame_run(F, nullptr, 0, nullptr, nullptr);
    goldy_status_t Wait = goldy_frame_wait(F, GOLDY_FOREVER);
    uint64_t Took = Allocations - Before;
    INFO(goldy_status_message(Run));
    CHECK((!Set && !Int && !Run && !Wait));
    if (N)
      CHECK(Took == 0);
  }
  goldy_frame_destroy(F);
}

/// Fails each allocation of `Body` in turn; `Judge` looks at the rest.
template <class Body, class Judge> static uint64_t sweep(Body B, Judge Looks) {
  for (uint64_t N = 1;; ++N) {
    LeftUntilFailure = N;
    goldy_status_t S = B();
    bool Failed = LeftUntilFailure == 0;
    LeftUntilFailure = 0;
    goldy_code_t Code = goldy_status_code(S);
    INFO("allocation " << N << ": " << goldy_status_message(S));
    CHECK((Code == GOLDY_OK || Code == GOLDY_OUT_OF_MEMORY));
    goldy_status_destroy(S);
    Looks(Code);
    if (!Failed)
      return N - 1;
  }
}

TEST_CASE("each allocation of a frame may fail, and the program lives on") {
  Setting S;
  REQUIRE(S.load() == nullptr);
  goldy_program_template Object(framed());
  goldy_device_t *Device = &S.Cpu.Device;
  goldy_frame_t *F = nullptr;
  uint64_t Count =
      sweep([&] { return goldy_frame_create(&Object, S.P.P, &Device, 1, &F); },
            [&](goldy_code_t Code) {
              CHECK((Code == GOLDY_OK) == (F != nullptr));
              goldy_frame_destroy(F);
              F = nullptr;
              REQUIRE(S.P.P->Owners == 1);
            });
  CHECK(Count > 5);
  CHECK(S.run(false) == nullptr);
}

TEST_CASE("each allocation of load may fail, and nothing is left behind") {
  Setting S;
  REQUIRE(S.load() == nullptr);
  goldy_program_destroy(S.P.P);
  S.P.P = nullptr;
  int64_t Buffers = S.Cpu.Faults->alive();
  uint64_t Count = sweep([&] { return S.load(); },
                         [&](goldy_code_t Code) {
                           CHECK((Code == GOLDY_OK) == (S.P.P != nullptr));
                           goldy_program_destroy(S.P.P);
                           S.P.P = nullptr;
                           CHECK(S.Cpu.Faults->alive() == Buffers);
                         });
  CHECK(Count > 50);
}

TEST_CASE(
    "each allocation of a first run may fail, and the next run is whole") {
  // A thread's first run asks for memory of its own.
  std::thread([] {
    Setting S;
    REQUIRE(S.load() == nullptr);
    sweep([&] { return S.run(false); }, [](goldy_code_t) {});
    CHECK(S.run(false) == nullptr);
  }).join();
}

TEST_CASE("a refusal whose words find no memory is a refusal without them") {
  Setting S;
  REQUIRE(S.load() == nullptr);
  S.Ints[1] = 1000;
  for (uint64_t N = 0; N < 20; ++N) {
    LeftUntilFailure = N;
    goldy_status_t Refused = S.run(false);
    LeftUntilFailure = 0;
    goldy_code_t Code = goldy_status_code(Refused);
    CHECK(
        (Code == GOLDY_INVALID_ARGUMENT || (N && Code == GOLDY_OUT_OF_MEMORY)));
    goldy_status_destroy(Refused);
  }
  S.Ints[1] = 2;
  CHECK(S.run(false) == nullptr);
}
