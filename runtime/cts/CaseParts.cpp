//===- CaseParts.cpp - Parts of submissions for conformance cases
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CaseParts.h"

using namespace goldy::rt;

namespace goldy::cts {

MemoryUse use(goldy_buffer_t *B, uint64_t Offset, uint64_t Bytes,
              bool Written) {
  return {B->Memory->Id, Offset, Bytes, Written};
}

bool runOnce(Check &C, Driver &D, SubmissionDesc Desc,
             std::span<const uint64_t> Words) {
  SubmissionId Id{};
  uint64_t Point = 0;
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return false;
  bool Good = C.ok(D.run(Id, {Words, {}}, Point).release(), "run") &&
              C.that(Point <= D.lastPoint(), "point") &&
              C.ok(D.wait(Point, GOLDY_FOREVER).release(), "wait");
  D.releaseSubmission(Id);
  return Good;
}

Part fillPart(goldy_buffer_t *B, uint64_t Offset, uint64_t Bytes,
              uint8_t Value) {
  Part P;
  P.Kind = PartKind::Fill;
  P.Value = Value;
  P.Uses = {use(B, Offset, Bytes, true)};
  return P;
}

Part copyPart(goldy_buffer_t *From, uint64_t FromOffset, goldy_buffer_t *To,
              uint64_t ToOffset, uint64_t Bytes) {
  Part P;
  P.Kind = PartKind::Copy;
  P.Uses = {use(From, FromOffset, Bytes, false),
            use(To, ToOffset, Bytes, true)};
  return P;
}

Part launchPart(Check &C, const Fixture &F,
                const std::vector<goldy_argument_t> &Args, goldy_grid_t Grid,
                goldy_launch &Keep) {
  SubmissionDesc Bound;
  if (C.ok(bindLaunch(*F.Kernel->Loaded, Args, Grid, Keep, Bound).release(),
           "bind"))
    return Bound.Parts[0];
  return Part();
}

MemoryUse brought(uint32_t Number, uint64_t Offset, uint64_t Bytes,
                  bool Written) {
  return {MemoryId{}, Offset, Bytes, Written, Number};
}

} // namespace goldy::cts
