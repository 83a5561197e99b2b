//===- Cases.cpp - Conformance cases: kernels and launches
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs and expected values stand in the cases; saxpy's inputs are small
// integers, so its results are exact.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include <cstring>
#include <functional>
#include <thread>
#include <xmmintrin.h>

using namespace goldy::cts;

static void deviceInfo(Check &C) {
  goldy_device_info_t I = goldy_device_info(C.Device);
  C.that(I.name && I.description && I.best_arch, "texts are missing");
  C.that(I.max_buffer_bytes >= 1 << 20 && I.max_groups[0] >= 65535,
         "limits are missing");
}

static void machineCodeNeedsTrust(Check &C) {
  std::vector<uint8_t> File = deviceKernels().bytes();
  goldy_artifact_t *A = nullptr;
  goldy_kernel_t *K = nullptr;
  if (!C.ok(goldy_artifact_load_memory(File.data(), File.size(), 0, &A),
            "load"))
    return;
  C.refused(goldy_kernel_create(C.Device, A, "saxpy", &K), GOLDY_UNTRUSTED,
            "`saxpy`");
  goldy_artifact_destroy(A);
}

/// Loads saxpy from an untrusted file after `Change` on its SPIR-V words.
static goldy_status_t
loadSpirv(Check &C,
          const std::function<void(std::vector<uint32_t> &)> &Change) {
  TestArtifact Source = deviceKernels();
  for (size_t Number : SaxpySpirvBlobs) {
    std::vector<uint8_t> &Blob = Source.Blobs[Number];
    std::vector<uint32_t> Words(Blob.size() / 4);
    std::memcpy(Words.data(), Blob.data(), Blob.size());
    Change(Words);
    std::memcpy(Blob.data(), Words.data(), Blob.size());
  }
  std::vector<uint8_t> File = Source.bytes();
  goldy_artifact_t *A = nullptr;
  goldy_kernel_t *K = nullptr;
  if (!C.ok(goldy_artifact_load_memory(File.data(), File.size(), 0, &A),
            "load"))
    return nullptr;
  goldy_status_t S = goldy_kernel_create(C.Device, A, "saxpy", &K);
  goldy_kernel_destroy(K);
  goldy_artifact_destroy(A);
  return S;
}

/// The last instruction of `Opcode`, which is there.
static uint32_t *find(std::vector<uint32_t> &Words, uint32_t Opcode) {
  uint32_t *Last = nullptr;
  for (size_t At = 5; At < Words.size(); At += Words[At] >> 16)
    if ((Words[At] & 0xffff) == Opcode)
      Last = &Words[At];
  return Last;
}

// SPIR-V of an untrusted file is valid and has the interface that the file
// states, or is refused before the driver sees it.
static void spirvIsChecked(Check &C) {
  using Code = std::vector<uint32_t>;
  constexpr uint32_t EntryPoint = 15, ExecutionMode = 16, MemberDecorate = 72,
                     Load = 61;
  C.ok(loadSpirv(C, [](Code &) {}), "kernel");
  auto Refuse = [&](const char *Words, std::function<void(Code &)> Change) {
    C.refused(loadSpirv(C, Change), GOLDY_INVALID_ARTIFACT, Words);
  };
  Refuse("`saxpy`: its SPIR-V: ", [](Code &W) { W[0] = 1; });
  Refuse("`saxpy`: its SPIR-V: ", [&](Code &W) { find(W, Load)[3] = 9999; });
  Refuse("its entry point is `lernel`, not `kernel`",
         [&](Code &W) { ++find(W, EntryPoint)[3]; });
  Refuse("its workgroup size is not the kernel's",
         [&](Code &W) { find(W, ExecutionMode)[3] = 128; });
  Refuse("past those that are pushed",
         [&](Code &W) { find(W, MemberDecorate)[4] = 200; });
}

static void kernelsAreFoundByName(Check &C) {
  Fixture F(C, "saxpy");
  goldy_kernel_t *K = nullptr;
  C.refused(goldy_kernel_create(C.Device, F.Artifact, "saxpi", &K),
            GOLDY_NOT_FOUND, "`saxpy`, `probe`");
  C.refused(goldy_kernel_create(C.Device, F.Artifact, nullptr, &K),
            GOLDY_INVALID_ARGUMENT, "several kernels");
  goldy_kernel_info_t I = goldy_kernel_info(F.Kernel);
  C.that(I.param_count == 3 && I.workgroup_size[0] == 256, "kernel info");
  goldy_param_info_t P = goldy_kernel_param(F.Kernel, 1);
  C.that(P.name == std::string("y") && P.kind == GOLDY_PARAM_BUFFER &&
             P.access == GOLDY_READ_WRITE &&
             goldy_type_kind(P.type) == GOLDY_TYPE_F32,
         "parameter info");
}

// y = 2 * i + 1 from x = i, y = 1, a = 2; one element past the end stays.
static void saxpyOfSize(Check &C, uint32_t N) {
  Fixture F(C, "saxpy");
  std::vector<float> X(N), Y(N + 1, 1.0f);
  for (uint32_t I = 0; I < N; ++I)
    X[I] = static_cast<float>(I % 4096);
  goldy_buffer_t *Bx = F.buffer(4 * uint64_t(N)), *By = F.buffer(4 * Y.size());
  if (!F.Good)
    return;
  C.ok(goldy_buffer_write(Bx, 0, X.data(), 4 * uint64_t(N)), "write");
  C.ok(goldy_buffer_write(By, 0, Y.data(), 4 * Y.size()), "write");
  runAndWait(C, F.Kernel, {view(Bx, N), view(By, N), word(0x40000000)},
             {{(N + 255) / 256, 1, 1}});
  C.ok(goldy_buffer_read(By, 0, Y.data(), 4 * Y.size()), "read");
  for (uint32_t I = 0; I < N; ++I)
    if (!C.that(Y[I] == 2 * X[I] + 1, "y[" + std::to_string(I) +
                                          "] = " + std::to_string(Y[I]) +
                                          ", n = " + std::to_string(N)))
      return;
  C.that(Y[N] == 1, "an element past the view was written");
}

static void launchesComputeSaxpy(Check &C) {
  for (uint32_t N : {0u, 1u, 255u, 256u, 257u, 1000003u})
    saxpyOfSize(C, N);
}

static void checkProbe(Check &C, const std::vector<uint32_t> &Out,
                       uint32_t Runs) {
  for (uint32_t G = 0; G < Out.size() / 4; ++G) {
    std::string At = " in group " + std::to_string(G);
    if (goldy_device_info(C.Device).threads) { // kernels run on the host
      C.that(Out[4 * G] == 0x9fc0, "float state" + At);
      C.that(Out[4 * G + 1] == 0, "scratch alignment" + At);
    }
    C.that(Out[4 * G + 2] == G, "group number" + At);
    C.that(Out[4 * G + 3] == Runs,
           "ran " + std::to_string(Out[4 * G + 3]) + " times" + At);
  }
}

// Each group writes MXCSR, scratch alignment, its number, and counts its runs;
// grids of 1 to 30 x 20 x 10 groups, short and long ones.
static void groupsRunOnceEach(Check &C) {
  for (goldy_grid_t Grid : {goldy_grid_t{{1, 1, 1}}, goldy_grid_t{{7, 5, 3}},
                            goldy_grid_t{{30, 20, 10}}})
    for (uint32_t Spin : {0u, 20000u}) {
      Fixture F(C, "probe");
      uint32_t Groups = Grid.groups[0] * Grid.groups[1] * Grid.groups[2];
      goldy_buffer_t *Out = F.buffer(16 * uint64_t(Groups));
      if (!F.Good)
        return;
      uint32_t Before = _mm_getcsr();
      constexpr uint32_t Runs = 3;
      for (uint32_t I = 0; I < Runs; ++I)
        runAndWait(C, F.Kernel, {view(Out, 4 * Groups), word(Spin)}, Grid);
      C.that(_mm_getcsr() == Before, "the caller's float state changed");
      std::vector<uint32_t> Got(4 * size_t(Groups));
      C.ok(goldy_buffer_read(Out, 0, Got.data(), 4 * Got.size()), "read");
      checkProbe(C, Got, Runs);
    }
}

static void manyCallersAtOnce(Check &C) {
  constexpr uint32_t Callers = 6, Groups = 500, Runs = 20;
  Fixture F(C, "probe");
  std::vector<goldy_buffer_t *> Outs;
  for (uint32_t I = 0; I < Callers; ++I)
    Outs.push_back(F.buffer(16 * Groups));
  if (!F.Good)
    return;
  std::vector<Check> Checks(Callers, Check(C.DeviceName, C.Device));
  std::vector<std::thread> Threads;
  for (uint32_t I = 0; I < Callers; ++I)
    Threads.emplace_back([&, I] {
      for (uint32_t R = 0; R < Runs; ++R)
        runAndWait(Checks[I], F.Kernel, {view(Outs[I], 4 * Groups), word(2000)},
                   {{Groups, 1, 1}});
    });
  for (std::thread &T : Threads)
    T.join();
  for (uint32_t I = 0; I < Callers; ++I) {
    C.that(Checks[I].failure().empty(), Checks[I].failure());
    std::vector<uint32_t> Got(4 * Groups);
    C.ok(goldy_buffer_read(Outs[I], 0, Got.data(), 4 * Got.size()), "read");
    checkProbe(C, Got, Runs);
  }
}

static void emptyGridsDoNothing(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(16);
  for (int D = 0; D < 3; ++D) {
    goldy_grid_t Grid{{1, 1, 1}};
    Grid.groups[D] = 0;
    runAndWait(C, F.Kernel, {view(B, 4), view(B, 4), word(0)}, Grid);
  }
}

static void gridsKeepLimits(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(16);
  goldy_argument_t A[3] = {view(B, 4), view(B, 4), word(0)};
  goldy_launch_t *L = nullptr;
  C.refused(goldy_launch_create(F.Kernel, A, 3, {{16777217, 1, 1}}, &L),
            GOLDY_LIMIT, "work-items along x");
  C.refused(goldy_launch_create(F.Kernel, A, 3, {{65536, UINT32_MAX, 2}}, &L),
            GOLDY_LIMIT, "2^48 groups");
}

static void argumentsAreChecked(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(64), *Big = F.buffer(64);
  goldy_launch_t *L = nullptr;
  goldy_grid_t One{{1, 1, 1}};
  auto Refuse = [&](goldy_argument_t X, goldy_argument_t Y, goldy_argument_t S,
                    goldy_code_t Code, const char *Words) {
    goldy_argument_t A[3] = {X, Y, S};
    C.refused(goldy_launch_create(F.Kernel, A, 3, One, &L), Code, Words);
  };
  goldy_argument_t Good[3] = {view(B, 4), view(Big, 4), word(0)};
  C.refused(goldy_launch_create(F.Kernel, Good, 2, One, &L),
            GOLDY_INVALID_ARGUMENT, "kernel `saxpy`: takes 3 arguments, got 2");
  Refuse(word(1), Good[1], Good[2], GOLDY_INVALID_ARGUMENT,
         "parameter `x`: is a buffer");
  Refuse(Good[0], Good[1], view(B, 1), GOLDY_INVALID_ARGUMENT,
         "parameter `a`: is a scalar");
  Refuse(view(B, 17), Good[1], Good[2], GOLDY_INVALID_ARGUMENT, "do not fit");
  Refuse(view(B, 1, 62), Good[1], Good[2], GOLDY_INVALID_ARGUMENT,
         "alignment 4");
  Refuse(view(B, 1, 64), Good[1], Good[2], GOLDY_INVALID_ARGUMENT,
         "do not fit");
  Refuse(view(B, uint64_t(1) << 32), Good[1], Good[2], GOLDY_LIMIT,
         "4294967295");
  Refuse(view(B, 4), view(B, 4, 4), Good[2], GOLDY_INVALID_ARGUMENT,
         "parameters `x` and `y`: their views overlap and `y` is written");
}

static void viewsMayBeShared(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(32);
  float Data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  C.ok(goldy_buffer_write(B, 0, Data, 32), "write");
  // The same view twice: y = y + y. Then disjoint halves: second += first.
  runAndWait(C, F.Kernel, {view(B, 4), view(B, 4), word(0x3f800000)},
             {{1, 1, 1}});
  runAndWait(C, F.Kernel, {view(B, 4), view(B, 4, 16), word(0x3f800000)},
             {{1, 1, 1}});
  C.ok(goldy_buffer_read(B, 0, Data, 32), "read");
  const float Want[8] = {2, 4, 6, 8, 7, 10, 13, 16};
  for (int I = 0; I < 8; ++I)
    C.that(Data[I] == Want[I], "element " + std::to_string(I));
}

static void otherDevicesAreRefused(Check &C) {
  Fixture F(C, "saxpy");
  goldy_device_t *Other = nullptr;
  goldy_buffer_t *B = nullptr;
  goldy_launch_t *L = nullptr;
  if (!C.ok(goldy_device_create(C.DeviceName, nullptr, &Other), "device"))
    return;
  C.ok(goldy_buffer_create(Other, 16, &B), "buffer");
  goldy_argument_t A[3] = {view(B, 4), view(F.buffer(16), 4), word(0)};
  C.refused(goldy_launch_create(F.Kernel, A, 3, {{1, 1, 1}}, &L),
            GOLDY_INVALID_ARGUMENT,
            "parameter `x`: the buffer belongs to another device");
  goldy_buffer_destroy(B);
  goldy_device_destroy(Other);
}

// Everything a launch needs is destroyed before it is submitted twice.
static void launchesKeepWhatTheyNeed(Check &C) {
  goldy_launch_t *L = nullptr;
  std::vector<uint8_t> File = deviceKernels().bytes();
  {
    Fixture F(C, "saxpy");
    goldy_argument_t A[3] = {view(F.buffer(64), 4), view(F.buffer(64), 4),
                             word(0)};
    C.ok(goldy_launch_create(F.Kernel, A, 3, {{1, 1, 1}}, &L), "launch");
  }
  uint64_t Point = 0;
  for (int I = 0; I < 2 && L; ++I)
    C.ok(goldy_launch_submit(L, &Point), "submit");
  C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
  goldy_launch_destroy(L);
}

static void unknownPointsAreRefused(Check &C) {
  C.refused(goldy_device_wait(C.Device, 1000, GOLDY_FOREVER),
            GOLDY_INVALID_ARGUMENT, "point 1000");
}

std::vector<Case> goldy::cts::apiCases() {
  return {
      {"device-info", deviceInfo},
      {"machine-code-needs-trust", machineCodeNeedsTrust},
      {"spirv-is-checked", spirvIsChecked},
      {"kernels-are-found-by-name", kernelsAreFoundByName},
      {"launches-compute-saxpy", launchesComputeSaxpy, true},
      {"groups-run-once-each", groupsRunOnceEach, true},
      {"many-callers-at-once", manyCallersAtOnce, true},
      {"empty-grids-do-nothing", emptyGridsDoNothing},
      {"grids-keep-limits", gridsKeepLimits},
      {"arguments-are-checked", argumentsAreChecked},
      {"views-may-be-shared", viewsMayBeShared, true},
      {"other-devices-are-refused", otherDevicesAreRefused},
      {"launches-keep-what-they-need", launchesKeepWhatTheyNeed},
      {"unknown-points-are-refused", unknownPointsAreRefused},
  };
}
