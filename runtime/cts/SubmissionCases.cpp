//===- SubmissionCases.cpp - Conformance cases: prepared submissions ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts in order, hazards between them, words of the run in slots, points. The
// order of parts is what the cases look at, so no part waits for the host.
//
//===----------------------------------------------------------------------===//
#include "CaseParts.h"

#include <cstring>

using namespace goldy::cts;
using namespace goldy::rt;

// Fill bytes 2..5 of a with 0x5a, then copy a's bytes 0..7 to b's 8..15.
static void submissionsFillAndCopy(Check &C) {
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
static void submissionsTakeWords(Check &C) {
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

// Any first and last byte, nothing beside them.
static void submissionsFillAnywhere(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(2000);
  if (!F.Good)
    return;
  std::vector<unsigned char> Want(2000);
  uint8_t Value = 1;
  for (uint64_t Offset : {0u, 1u, 2u, 3u, 4u, 7u, 64u, 333u, 1000u})
    for (uint64_t Bytes : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 63u, 65u, 1000u}) {
      SubmissionDesc Desc;
      Desc.Parts = {fillPart(B, Offset, Bytes, ++Value)};
      if (!runOnce(C, *C.Device->Driver, std::move(Desc), {}))
        return;
      std::fill_n(Want.begin() + static_cast<long>(Offset), Bytes, Value);
      if (!same(C, contents<unsigned char>(C, B), Want,
                std::to_string(Bytes) + " bytes from " +
                    std::to_string(Offset) + ": byte "))
        return;
    }
}

// Between buffers and within one, from any byte to any byte.
static void submissionsCopyAnywhere(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(1500), *B = F.buffer(1500);
  if (!F.Good)
    return;
  std::vector<unsigned char> From(1500), Want(1500);
  for (size_t I = 0; I < From.size(); ++I)
    From[I] = static_cast<unsigned char>(I * 7 + I / 256);
  fill(C, A, From);
  for (uint64_t FromAt : {0u, 1u, 2u, 3u, 64u, 401u})
    for (uint64_t ToAt : {0u, 1u, 2u, 3u, 64u, 700u})
      for (uint64_t Bytes : {1u, 3u, 4u, 5u, 60u, 257u}) {
        SubmissionDesc Desc;
        Desc.Parts = {copyPart(A, FromAt, B, ToAt, Bytes),
                      copyPart(B, ToAt, B, 1000 + FromAt % 4, Bytes)};
        if (!runOnce(C, *C.Device->Driver, std::move(Desc), {}))
          return;
        auto Source = From.begin() + static_cast<long>(FromAt);
        auto End = Source + static_cast<long>(Bytes);
        std::copy(Source, End, Want.begin() + static_cast<long>(ToAt));
        std::copy(Source, End,
                  Want.begin() + 1000 + static_cast<long>(FromAt % 4));
        if (!same(C, contents<unsigned char>(C, B), Want,
                  std::to_string(Bytes) + " bytes from " +
                      std::to_string(FromAt) + " to " + std::to_string(ToAt) +
                      ": byte "))
          return;
      }
}

struct CopyEnds {
  uint64_t From, To, Bytes;
};

/// Between two buffers of `All` bytes; nothing beside the copy changes.
static void copiesBetween(Check &C, uint64_t All,
                          const std::vector<CopyEnds> &Tries) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(All), *B = F.buffer(All);
  if (!F.Good)
    return;
  std::vector<unsigned char> From(All);
  for (size_t I = 0; I < All; ++I)
    From[I] = static_cast<unsigned char>(I * 2654435761u >> 24);
  fill(C, A, From);
  uint8_t Beside = 1;
  for (const CopyEnds &E : Tries) {
    SubmissionDesc Desc;
    Desc.Parts = {fillPart(B, 0, All, ++Beside),
                  copyPart(A, E.From, B, E.To, E.Bytes)};
    if (!runOnce(C, *C.Device->Driver, std::move(Desc), {}))
      return;
    std::vector<unsigned char> Want(All, Beside);
    auto Source = From.begin() + static_cast<long>(E.From);
    std::copy(Source, Source + static_cast<long>(E.Bytes),
              Want.begin() + static_cast<long>(E.To));
    if (!same(C, contents<unsigned char>(C, B), Want,
              std::to_string(E.Bytes) + " bytes from " +
                  std::to_string(E.From) + " to " + std::to_string(E.To) +
                  ": byte "))
      return;
  }
}

// Past the sizes from which a device may copy in another way: both ends equally
// far from a multiple of 16, and all other distances.
static void submissionsCopyMuch(Check &C) {
  constexpr uint64_t Much = uint64_t(33) << 20, Less = 300 << 10;
  copiesBetween(C, Much + 64, {{0, 0, Much}, {15, 31, Much + 3}});
  std::vector<CopyEnds> Tries;
  for (uint64_t Distance = 0; Distance < 16; ++Distance)
    for (uint64_t To : {16, 19})
      Tries.push_back({Distance, To, Less + Distance});
  copiesBetween(C, Less + 64, Tries);
}

static void submissionsOfNothing(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(64), *None = F.buffer(0);
  if (!F.Good)
    return;
  fill(C, A, std::vector<unsigned char>(64, 3));
  SubmissionDesc NoParts, NoBytes;
  NoBytes.Parts = {fillPart(A, 5, 0, 1), copyPart(A, 3, A, 9, 0),
                   fillPart(None, 0, 0, 1), copyPart(None, 0, A, 64, 0)};
  Driver &D = *C.Device->Driver;
  SubmissionDesc Timed;
  Timed.Timed = true;
  SubmissionId Id{};
  uint64_t Point = 0;
  std::vector<PartTime> Times(1);
  if (C.ok(D.prepare(std::move(Timed), Id).release(), "prepare")) {
    C.ok(D.run(Id, {}, Point).release(), "run");
    C.ok(D.wait(Point, GOLDY_FOREVER).release(), "wait");
    C.ok(D.times(Id, Point, Times).release(), "times");
    C.that(Times.empty(), "nothing has a time");
    D.releaseSubmission(Id);
  }
  runOnce(C, *C.Device->Driver, std::move(NoParts), {});
  runOnce(C, *C.Device->Driver, std::move(NoBytes), {});
  same(C, contents<unsigned char>(C, A), std::vector<unsigned char>(64, 3),
       "byte ");
}

// A chain in which each part needs the one before it: what comes out last went
// through all.
static void submissionsOfManyParts(Check &C) {
  constexpr uint32_t Links = 500;
  Fixture F(C, "saxpy");
  goldy_buffer_t *Chain = F.buffer(8 * (Links + 1));
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Desc.Parts.push_back(fillPart(Chain, 0, 8, 0xa5));
  for (uint32_t I = 0; I < Links; ++I) {
    Desc.Parts.push_back(copyPart(Chain, 8 * I, Chain, 8 * I + 8, 8));
    Desc.Parts.push_back(fillPart(Chain, 8 * I, 1, static_cast<uint8_t>(I)));
  }
  if (!runOnce(C, *C.Device->Driver, std::move(Desc), {}))
    return;
  std::vector<unsigned char> Want(8 * (Links + 1), 0xa5);
  for (uint32_t I = 0; I < Links; ++I)
    Want[8 * I] = static_cast<unsigned char>(I);
  same(C, contents<unsigned char>(C, Chain), Want, "byte ");
}

// Read after write, write after read, write after write, whole and in part,
// between fills, copies and launches.
static void submissionsKeepHazards(Check &C) {
  constexpr uint32_t N = 70000, Bytes = 4 * N;
  Fixture F(C, "saxpy");
  goldy_buffer_t *X = F.buffer(Bytes), *Y = F.buffer(Bytes),
                 *Z = F.buffer(Bytes);
  goldy_launch Sum, Again;
  if (!F.Good)
    return;
  constexpr uint32_t Two = 0x40000000;
  goldy_grid_t Grid{{(N + 255) / 256, 1, 1}};
  SubmissionDesc Desc;
  Desc.Parts = {
      fillPart(X, 0, Bytes, 0x7f),     // overwritten
      fillPart(X, 0, Bytes, 0),        // write after write
      fillPart(Y, 4, Bytes - 4, 0x40), // 3.0039215
      copyPart(Y, 4, X, 0, Bytes - 4), // read after write
      fillPart(Y, 0, Bytes, 0),        // write after read
      launchPart(C, F, {view(X, N), view(Y, N), word(Two)}, Grid, Sum),
      copyPart(Y, 0, Z, 0, Bytes),  // read after the launch's write
      fillPart(X, 0, Bytes / 2, 0), // write after the launch's read
      launchPart(C, F, {view(X, N), view(Z, N), word(Two)}, Grid, Again),
      fillPart(Y, 0, 4, 0)};
  if (!C.failure().empty() ||
      !runOnce(C, *C.Device->Driver, std::move(Desc), {}))
    return;
  float V = 0;
  const uint32_t Bits = 0x40404040;
  std::memcpy(&V, &Bits, 4);
  std::vector<float> WantX(N, V), WantY(N, 2 * V), WantZ(N, 4 * V);
  WantX[N - 1] = WantY[N - 1] = WantZ[N - 1] = WantY[0] = 0;
  for (uint32_t I = 0; I < N / 2; ++I) {
    WantX[I] = 0;
    WantZ[I] = 2 * V;
  }
  same(C, contents<float>(C, X), WantX, "x");
  same(C, contents<float>(C, Y), WantY, "y");
  same(C, contents<float>(C, Z), WantZ, "z");
}

// Prepared once, run many times with words of its own each time, nobody waits:
// a run's words never reach another. The address of x is a word as well.
static void takeWordsEachRun(Check &C, const char *Kernel) {
  constexpr uint32_t N = 1000, Runs = 60;
  Fixture F(C, Kernel);
  goldy_buffer_t *X[2] = {F.buffer(4 * N), F.buffer(4 * N)};
  goldy_buffer_t *Y = F.buffer(4 * N);
  goldy_launch Keep;
  if (!F.Good)
    return;
  fill(C, X[0], std::vector<float>(N, 1));
  fill(C, X[1], std::vector<float>(N, 100));
  Driver &D = *C.Device->Driver;
  SubmissionDesc Desc;
  Desc.Parts = {launchPart(C, F, {view(X[0], N), view(Y, N), word(0)},
                           {{4, 1, 1}}, Keep)};
  Desc.Parts[0].Uses.push_back(use(X[1], 0, 4 * N, false));
  Desc.Slots = {{0, 0, 8, 0}, {0, 32, 4, 1}};
  Desc.Words = 2;
  SubmissionId Id{};
  uint64_t Point = 0, Before = 0;
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return;
  float Sum = 0;
  for (uint32_t I = 0; I < Runs; ++I) {
    float A = static_cast<float>(I % 7 + 1);
    uint64_t Words[2] = {D.address(X[I % 2]->Memory->Id), 0};
    std::memcpy(&Words[1], &A, 4);
    C.ok(D.run(Id, {Words, {}}, Point).release(), "run");
    C.that(Point >= Before && Point <= D.lastPoint(), "a point goes back");
    Before = Point;
    Sum += A * (I % 2 ? 100.0f : 1.0f);
  }
  C.ok(D.wait(Point, GOLDY_FOREVER).release(), "wait");
  D.releaseSubmission(Id);
  same(C, contents<float>(C, Y), std::vector<float>(N, Sum), "y");
}

static void submissionsTakeWordsEachRun(Check &C) {
  takeWordsEachRun(C, "saxpy");
}
static void submissionsTakeWordsInMemory(Check &C) {
  takeWordsEachRun(C, "far");
}

// Runs of different submissions take effect in the order of their starts: each
// copies what the one before it left in the last byte to a byte of its own.
static void submissionsRunInOrder(Check &C) {
  constexpr uint32_t Kinds = 5, Rounds = 40;
  Fixture F(C, "saxpy");
  goldy_buffer_t *Log = F.buffer(Kinds * Rounds + 1);
  if (!F.Good)
    return;
  Driver &D = *C.Device->Driver;
  std::vector<SubmissionId> Ids(Kinds);
  for (uint32_t I = 0; I < Kinds; ++I) {
    SubmissionDesc Desc;
    Desc.Parts = {
        copyPart(Log, Kinds * Rounds, Log, I, 1),
        fillPart(Log, Kinds * Rounds, 1, static_cast<uint8_t>(I + 1))};
    if (!C.ok(D.prepare(std::move(Desc), Ids[I]).release(), "prepare"))
      return;
  }
  uint64_t Point = 0;
  for (uint32_t I = 0; I < Kinds * Rounds; ++I)
    C.ok(D.run(Ids[I % Kinds], {}, Point).release(), "run");
  C.ok(D.wait(Point, GOLDY_FOREVER).release(), "wait");
  for (SubmissionId Id : Ids)
    D.releaseSubmission(Id);
  std::vector<unsigned char> Got = contents<unsigned char>(C, Log);
  for (uint32_t I = 0; I < Kinds; ++I)
    C.that(Got[I] == (I ? I : Kinds),
           "byte " + std::to_string(I) + " is " + std::to_string(Got[I]));
  C.that(Got[Kinds * Rounds] == Kinds, "the last byte");
}

// The groups of `probe` from 2^28 on write from byte 2^32 on: 64 of them, in a
// buffer of 4 GiB and 1 KiB. The words below stay.
static void addressesPastFourGib(Check &C) {
  constexpr uint32_t First = 1u << 28, Groups = 64;
  Fixture F(C, "probe");
  goldy_buffer_t *Out = F.buffer(16 * (uint64_t(First) + Groups));
  if (!F.Good)
    return;
  goldy_argument_t Args[2] = {view(Out, 4 * (First + Groups)), word(0)};
  goldy_launch Bound;
  SubmissionDesc Desc;
  if (!C.ok(bindLaunch(*F.Kernel->Loaded, Args, {{First + Groups, 1, 1}}, Bound,
                       Desc)
                .release(),
            "bind"))
    return;
  Desc.Parts[0].Pieces = {{{First, 0, 0}, {Groups, 1, 1}}};
  if (!runOnce(C, *C.Device->Driver, std::move(Desc), {}))
    return;
  std::vector<uint32_t> Got(4 * (Groups + 1)), Low(4 * Groups);
  C.ok(goldy_buffer_read(Out, 16 * uint64_t(First - 1), Got.data(),
                         4 * Got.size()),
       "read");
  C.ok(goldy_buffer_read(Out, 0, Low.data(), 4 * Low.size()), "read");
  C.that(Low == std::vector<uint32_t>(4 * Groups, 0), "low words changed");
  C.that(Got[2] == 0 && Got[3] == 0, "the group before wrote");
  for (uint32_t G = 0; G < Groups; ++G)
    C.that(Got[4 * G + 6] == First + G && Got[4 * G + 7] == 1,
           "group " + std::to_string(First + G));
}

std::vector<Case> goldy::cts::submissionCases() {
  return {
      {"submissions-fill-and-copy", submissionsFillAndCopy},
      {"submissions-fill-anywhere", submissionsFillAnywhere},
      {"submissions-copy-anywhere", submissionsCopyAnywhere},
      {"submissions-copy-much", submissionsCopyMuch},
      {"submissions-of-nothing", submissionsOfNothing},
      {"submissions-of-many-parts", submissionsOfManyParts},
      {"submissions-run-in-order", submissionsRunInOrder},
      {"submissions-keep-hazards", submissionsKeepHazards, true},
      {"submissions-take-words", submissionsTakeWords, true},
      {"submissions-take-words-each-run", submissionsTakeWordsEachRun, true},
      {"submissions-take-words-in-memory", submissionsTakeWordsInMemory, true},
      {"addresses-past-4-gib", addressesPastFourGib, true}};
}
