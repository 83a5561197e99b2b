//===- SubmissionCases.cpp - Conformance cases: prepared submissions ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts in order, and words of the run in slots.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include "core/Objects.h"

#include <cstring>

using namespace goldy::cts;
using namespace goldy::rt;

static MemoryUse use(goldy_buffer_t *B, uint64_t Offset, uint64_t Bytes,
                     bool Written) {
  return {B->Memory->Id, Offset, Bytes, Written};
}

static bool runOnce(Check &C, Driver &D, SubmissionDesc Desc,
                    std::span<const uint64_t> Words) {
  SubmissionId Id{};
  uint64_t Point = 0;
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return false;
  bool Good = C.ok(D.run(Id, Words, Point).release(), "run") &&
              C.that(Point <= D.lastPoint(), "point") &&
              C.ok(D.wait(Point, GOLDY_FOREVER).release(), "wait");
  D.releaseSubmission(Id);
  return Good;
}

// Fill bytes 2..5 of a with 0x5a, then copy a's bytes 0..7 to b's 8..15.
void goldy::cts::submissionsFillAndCopy(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(16), *B = F.buffer(16);
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Part Fill, Copy;
  Fill.Kind = PartKind::Fill;
  Fill.Value = 0x5a;
  Fill.Uses = {use(A, 2, 4, true)};
  Copy.Kind = PartKind::Copy;
  Copy.Uses = {use(A, 0, 8, false), use(B, 8, 8, true)};
  Desc.Parts = {Fill, Copy};
  if (!runOnce(C, *C.Device->Driver, std::move(Desc), {}))
    return;
  unsigned char Got[16];
  C.ok(goldy_buffer_read(B, 0, Got, 16), "read");
  const unsigned char Want[16] = {0, 0, 0,    0,    0,    0,    0, 0,
                                  0, 0, 0x5a, 0x5a, 0x5a, 0x5a, 0, 0};
  C.that(std::memcmp(Got, Want, 16) == 0, "bytes");
}

// saxpy with its scalar `a` from the run: y = 3 * 5 + 1, then 4 * 5 + 16.
void goldy::cts::submissionsTakeWords(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *X = F.buffer(4), *Y = F.buffer(4);
  if (!F.Good)
    return;
  float Five = 5, Value = 1;
  C.ok(goldy_buffer_write(X, 0, &Five, 4), "write");
  C.ok(goldy_buffer_write(Y, 0, &Value, 4), "write");
  goldy_argument_t Args[3] = {view(X, 1), view(Y, 1), word(0)};
  for (float A : {3.0f, 4.0f}) {
    goldy_launch Bound;
    SubmissionDesc Desc;
    if (!C.ok(bindLaunch(*F.Kernel->Loaded, Args, {{1, 1, 1}}, Bound, Desc)
                  .release(),
              "bind"))
      return;
    constexpr uint32_t OffsetOfA = 32;
    Desc.Slots = {{0, OffsetOfA, 4, 1}};
    Desc.Words = 2;
    uint64_t Words[2] = {0xdead, 0};
    std::memcpy(&Words[1], &A, 4);
    if (!runOnce(C, *C.Device->Driver, std::move(Desc), Words))
      return;
  }
  C.ok(goldy_buffer_read(Y, 0, &Value, 4), "read");
  C.that(Value == 36, "y = " + std::to_string(Value) + ", expected 36");
}
