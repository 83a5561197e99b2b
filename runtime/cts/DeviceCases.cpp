//===- DeviceCases.cpp - Conformance cases: devices and threads
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices know nothing of each other; one device is used by many threads at
// once.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include "core/Objects.h"

#include <algorithm>
#include <functional>
#include <thread>

using namespace goldy::cts;

/// y = 2 x + y on `Device`, from making everything to reading; without a note
/// of its own.
static void computes(Check &C, goldy_device_t *Device, float X, float Y) {
  Check Own(C.DeviceName, Device);
  {
    Fixture F(Own, "saxpy");
    goldy_buffer_t *Bx = F.buffer(4000), *By = F.buffer(4000);
    if (F.Good) {
      fill(Own, Bx, std::vector<float>(1000, X));
      fill(Own, By, std::vector<float>(1000, Y));
      runAndWait(Own, F.Kernel,
                 {view(Bx, 1000), view(By, 1000), word(0x40000000)},
                 {{4, 1, 1}});
      same(Own, contents<float>(Own, By), std::vector<float>(1000, 2 * X + Y),
           "y");
    }
  }
  C.that(Own.failure().empty(), Own.failure());
}

static void devicesStandAlone(Check &C) {
  std::vector<goldy_device_t *> Others(3);
  for (goldy_device_t *&D : Others)
    if (!C.ok(goldy_device_create(C.DeviceName, nullptr, &D), "device"))
      return;
  for (goldy_device_t *&D : Others) {
    computes(C, D, 3, 4);
    computes(C, C.Device, 5, 6);
    goldy_device_destroy(D);
    computes(C, C.Device, 7, 8);
  }
}

static void devicesOpenAgain(Check &C) {
  for (int I = 0; I < 8; ++I) {
    goldy_device_t *D = nullptr;
    if (!C.ok(goldy_device_create(C.DeviceName, nullptr, &D), "device"))
      return;
    if (I % 4 == 0)
      computes(C, D, 1, 2);
    goldy_device_destroy(D);
  }
}

// The handle of a device goes first; what was made from it still works.
static void objectsOutliveTheirDevice(Check &C) {
  goldy_device_t *D = nullptr;
  if (!C.ok(goldy_device_create(C.DeviceName, nullptr, &D), "device"))
    return;
  Check Own(C.DeviceName, D);
  {
    Fixture F(Own, "saxpy");
    goldy_buffer_t *B = F.buffer(64);
    goldy_argument_t A[3] = {view(B, 8), view(B, 8, 32), word(0)};
    goldy_launch_t *L = nullptr;
    if (F.Good)
      Own.ok(goldy_launch_create(F.Kernel, A, 3, {{1, 1, 1}}, &L), "launch");
    goldy_device_destroy(D);
    uint64_t Point = 0;
    if (L)
      Own.ok(goldy_launch_submit(L, &Point), "submit");
    float Value = 5;
    if (B) {
      Own.ok(goldy_buffer_write(B, 60, &Value, 4), "write");
      Own.ok(goldy_buffer_read(B, 60, &Value, 4), "read");
    }
    goldy_launch_destroy(L);
  }
  C.that(Own.failure().empty(), Own.failure());
}

static void inThreads(Check &C, unsigned Count,
                      void (*Body)(Check &C, unsigned Number)) {
  std::vector<Check> Checks(Count, Check(C.DeviceName, C.Device));
  std::vector<std::thread> Threads;
  for (unsigned I = 0; I < Count; ++I)
    Threads.emplace_back([&, I] { Body(Checks[I], I); });
  for (std::thread &T : Threads)
    T.join();
  for (const Check &One : Checks)
    C.that(One.failure().empty(), One.failure());
}

// Every object is made, used and destroyed by many threads at once.
static void threadsMakeEverything(Check &C) {
  inThreads(C, 8, [](Check &Own, unsigned I) {
    for (int Round = 0; Round < 10; ++Round)
      computes(Own, Own.Device, static_cast<float>(I),
               static_cast<float>(Round));
  });
}

// One launch, submitted by all of them: no submit is lost and none overtakes
// another half way.
static void threadsShareALaunch(Check &C) {
  static goldy_launch_t *Shared;
  constexpr unsigned Threads = 6, Times = 50;
  Fixture F(C, "saxpy");
  goldy_buffer_t *X = F.buffer(4000), *Y = F.buffer(4000);
  goldy_argument_t A[3] = {view(X, 1000), view(Y, 1000), word(0x3f800000)};
  if (!F.Good ||
      !C.ok(goldy_launch_create(F.Kernel, A, 3, {{4, 1, 1}}, &Shared),
            "launch"))
    return;
  fill(C, X, std::vector<float>(1000, 1));
  inThreads(C, Threads, [](Check &Own, unsigned) {
    for (unsigned I = 0; I < Times; ++I) {
      uint64_t Point = 0;
      if (Own.ok(goldy_launch_submit(Shared, &Point), "submit") && I % 8 == 0)
        Own.ok(goldy_device_wait(Own.Device, Point, GOLDY_FOREVER), "wait");
    }
    if (goldy_status_t S = goldy_device_wait(Own.Device, 1, GOLDY_FOREVER))
      Own.ok(S, "wait");
  });
  uint64_t Point = 0;
  C.ok(goldy_launch_submit(Shared, &Point), "submit");
  C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
  goldy_launch_destroy(Shared);
  same(C, contents<float>(C, Y), std::vector<float>(1000, Threads * Times + 1),
       "y");
}

// Devices of their own, opened by threads at once.
static void threadsOpenDevices(Check &C) {
  inThreads(C, 4, [](Check &Own, unsigned) {
    goldy_device_t *D = nullptr;
    if (Own.ok(goldy_device_create(Own.DeviceName, nullptr, &D), "device"))
      computes(Own, D, 2, 3);
    goldy_device_destroy(D);
  });
}

/// Makes `ids` of a file that was changed.
static goldy_status_t
makeSpoiled(Check &C,
            const std::function<void(goldy::schema::KernelT &)> &Spoil) {
  TestArtifact Source = shapeKernels();
  Source.Spoil = [&](goldy::schema::ArtifactT &R) { Spoil(*R.kernels[0]); };
  std::vector<uint8_t> File = Source.bytes();
  goldy_artifact_t *A = nullptr;
  goldy_kernel_t *K = nullptr;
  if (!C.ok(goldy_artifact_load_memory(File.data(), File.size(),
                                       GOLDY_LOAD_TRUSTED, &A),
            "load"))
    return nullptr;
  goldy_status_t S = goldy_kernel_create(C.Device, A, "ids", &K);
  goldy_kernel_destroy(K);
  goldy_artifact_destroy(A);
  return S;
}

// The file is valid, and this device is not the one for it.
static void kernelsThatDoNotFit(Check &C) {
  using goldy::schema::KernelT;
  C.refused(makeSpoiled(C, [](KernelT &K) { K.images.clear(); }),
            GOLDY_UNSUPPORTED, "kernel `ids` has no image for device `");
  constexpr uint32_t MostInFiles = 1 << 20;
  uint32_t Most = C.Device->Driver->facts().MaxWorkgroupBytes;
  goldy_status_t S = makeSpoiled(C, [&](KernelT &K) {
    K.workgroup_bytes = std::min(Most + 1, MostInFiles);
    for (auto &I : K.images)
      I->workgroup_bytes = K.workgroup_bytes;
  });
  if (Most < MostInFiles)
    C.refused(S, GOLDY_LIMIT,
              std::to_string(Most + 1) +
                  " bytes of workgroup memory, the device's "
                  "limit is ");
  else
    C.ok(S, "kernel with as much workgroup memory as a file may ask for");
}

std::vector<Case> goldy::cts::deviceCases() {
  return {{"devices-stand-alone", devicesStandAlone, true},
          {"devices-open-again", devicesOpenAgain, true},
          {"objects-outlive-their-device", objectsOutliveTheirDevice},
          {"kernels-that-do-not-fit", kernelsThatDoNotFit},
          {"threads-make-everything", threadsMakeEverything, true},
          {"threads-share-a-launch", threadsShareALaunch, true},
          {"threads-open-devices", threadsOpenDevices, true}};
}
