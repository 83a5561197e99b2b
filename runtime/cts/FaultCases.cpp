//===- FaultCases.cpp - Conformance cases: what a device cannot do --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Faults that every device can be brought to without a driver of our own. The
// others are in unittests/Runtime, by driver (docs/Faults.md).
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include "core/Objects.h"

using namespace goldy::cts;
using namespace goldy::rt;

// Beyond the limit by a byte, and by all that a number holds; the device is as
// good as before.
static void buffersTooLarge(Check &C) {
  Fixture F(C, "saxpy");
  uint64_t Most = goldy_device_info(C.Device).max_buffer_bytes;
  for (uint64_t Bytes : {Most + 1, UINT64_MAX - 63, UINT64_MAX}) {
    goldy_buffer_t *B = nullptr;
    C.refused(goldy_buffer_create(C.Device, Bytes, &B), GOLDY_LIMIT,
              "a buffer of " + std::to_string(Bytes) +
                  " bytes, the device's limit is " + std::to_string(Most));
    C.that(!B, "no half-made buffer");
  }
  goldy_buffer_t *Small = F.buffer(64);
  if (!Small)
    return;
  std::vector<unsigned char> Zeros(64);
  same(C, contents<unsigned char>(C, Small), Zeros, "byte ");
}

// A wait may end before the work; then it says so by name, and the next one,
// which has the time, succeeds.
static void waitsEndInTime(Check &C) {
  constexpr uint64_t Bytes = uint64_t(16) << 20;
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(Bytes);
  if (!F.Good)
    return;
  Part Fill;
  Fill.Kind = PartKind::Fill;
  Fill.Uses = {{B->Memory->Id, 0, Bytes, true}};
  SubmissionDesc Desc;
  Desc.Parts.assign(20, Fill);
  Driver &D = *C.Device->Driver;
  SubmissionId Id{};
  uint64_t Point = 0;
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return;
  C.ok(D.run(Id, {}, Point).release(), "run");
  for (uint64_t TimeoutNs : {0, 1000}) {
    goldy_status_t S = goldy_device_wait(C.Device, Point, TimeoutNs);
    if (!S)
      continue; // it was quick
    C.refused(S, GOLDY_TIMEOUT,
              ": point " + std::to_string(Point) + " was not reached in " +
                  std::to_string(TimeoutNs) + " ns");
  }
  C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
  C.ok(goldy_device_wait(C.Device, Point, 0), "wait for what is done");
  D.releaseSubmission(Id);
}

std::vector<Case> goldy::cts::faultCases() {
  return {{"buffers-too-large", buffersTooLarge},
          {"waits-end-in-time", waitsEndInTime}};
}
