//===- MemoryCases.cpp - Conformance cases: memory
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every size and offset that a driver may round, pack or stage.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include "core/Objects.h"

using namespace goldy::cts;

static void buffersAreZeroed(Check &C) {
  for (uint64_t Bytes : {0u, 1u, 64u, 100u, 3000000u}) {
    Fixture F(C, "saxpy");
    goldy_buffer_t *B = F.buffer(Bytes);
    std::vector<char> Got(Bytes, 'x');
    C.ok(goldy_buffer_read(B, 0, Got.data(), Bytes), "read");
    C.that(goldy_buffer_size(B) == Bytes, "size");
    C.that(Got == std::vector<char>(Bytes, 0), "not zero");
  }
}

static void buffersKeepBytes(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(8);
  C.ok(goldy_buffer_write(B, 2, "abc", 3), "write");
  char Got[8];
  C.ok(goldy_buffer_read(B, 0, Got, 8), "read");
  C.that(std::string(Got, 8) == std::string("\0\0abc\0\0\0", 8), "bytes");
}

static void buffersRefuseRanges(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(8);
  char Data[16] = {};
  C.refused(goldy_buffer_write(B, 1, Data, 8), GOLDY_INVALID_ARGUMENT,
            "8 bytes at 1");
  C.refused(goldy_buffer_read(B, UINT64_MAX, Data, 2), GOLDY_INVALID_ARGUMENT,
            "do not fit");
  C.refused(goldy_buffer_create(C.Device, UINT64_MAX, &B), GOLDY_LIMIT,
            "limit");
}

static void buffersMap(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(64);
  void *Data = nullptr;
  if (!C.ok(goldy_buffer_map(B, &Data), "map"))
    return;
  C.that(reinterpret_cast<uintptr_t>(Data) % 64 == 0, "alignment");
  C.refused(goldy_buffer_map(B, &Data), GOLDY_INVALID_ARGUMENT,
            "mapped already");
  static_cast<char *>(Data)[5] = 7;
  C.ok(goldy_buffer_unmap(B), "unmap");
  C.refused(goldy_buffer_unmap(B), GOLDY_INVALID_ARGUMENT, "not mapped");
  char Got = 0;
  C.ok(goldy_buffer_read(B, 5, &Got, 1), "read");
  C.that(Got == 7, "bytes");
}

// Nothing to read, write, map or give to a kernel.
static void buffersOfNoBytes(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *None = F.buffer(0), *Other = F.buffer(0), *Y = F.buffer(64);
  if (!F.Good)
    return;
  C.ok(goldy_buffer_write(None, 0, nullptr, 0), "write");
  C.ok(goldy_buffer_read(None, 0, nullptr, 0), "read");
  C.ok(goldy_buffer_write(Y, 64, nullptr, 0), "write at the end");
  C.ok(goldy_buffer_read(Y, 64, nullptr, 0), "read at the end");
  char Byte = 0;
  C.refused(goldy_buffer_write(None, 0, &Byte, 1), GOLDY_INVALID_ARGUMENT,
            "do not fit");
  void *Data = nullptr;
  C.ok(goldy_buffer_map(None, &Data), "map");
  C.ok(goldy_buffer_unmap(None), "unmap");
  runAndWait(C, F.Kernel, {view(None, 0), view(Other, 0), word(0)},
             {{1, 1, 1}});
  runAndWait(C, F.Kernel, {view(None, 0), view(None, 0), word(0)}, {{3, 1, 1}});
  runAndWait(C, F.Kernel, {view(Y, 0, 64), view(Y, 16), word(0)}, {{1, 1, 1}});
}

// Sizes around every power of two; none lies in another.
static void buffersAreApart(Check &C) {
  Fixture F(C, "saxpy");
  std::vector<goldy_buffer_t *> All;
  for (uint64_t Power = 1; Power <= 65536; Power *= 4)
    for (uint64_t Bytes : {Power - 1, Power, Power + 1})
      All.push_back(F.buffer(Bytes));
  if (!F.Good)
    return;
  goldy::rt::Driver &D = *C.Device->Driver;
  for (size_t I = 0; I < All.size(); ++I) {
    C.that(D.address(All[I]->Memory->Id) % 64 == 0,
           "buffer " + std::to_string(I) + " is not 64-byte aligned");
    std::vector<unsigned char> Own(goldy_buffer_size(All[I]),
                                   static_cast<unsigned char>(I + 1));
    fill(C, All[I], Own);
  }
  for (size_t I = 0; I < All.size(); ++I)
    same(C, contents<unsigned char>(C, All[I]),
         std::vector<unsigned char>(goldy_buffer_size(All[I]),
                                    static_cast<unsigned char>(I + 1)),
         "buffer " + std::to_string(I));
}

static std::vector<unsigned char> pattern(size_t Bytes, uint32_t Seed) {
  std::vector<unsigned char> Out(Bytes);
  for (unsigned char &B : Out) {
    Seed = Seed * 1664525 + 1013904223;
    B = static_cast<unsigned char>(Seed >> 24);
  }
  return Out;
}

// Writes and reads that start and end anywhere leave the rest alone.
static void buffersCopyAnywhere(Check &C) {
  Fixture F(C, "saxpy");
  constexpr size_t Size = 5000;
  goldy_buffer_t *B = F.buffer(Size);
  if (!F.Good)
    return;
  std::vector<unsigned char> Want = pattern(Size, 1);
  fill(C, B, Want);
  uint32_t Seed = 2;
  for (size_t Offset : {0u, 1u, 2u, 3u, 4u, 63u, 64u, 65u, 255u, 4095u})
    for (size_t Bytes : {0u, 1u, 2u, 3u, 5u, 8u, 61u, 64u, 129u, 900u}) {
      std::vector<unsigned char> Data = pattern(Bytes, Seed++);
      C.ok(goldy_buffer_write(B, Offset, Data.data(), Bytes), "write");
      std::copy(Data.begin(), Data.end(), Want.begin() + Offset);
      std::vector<unsigned char> Got(Bytes);
      C.ok(goldy_buffer_read(B, Offset, Got.data(), Bytes), "read");
      if (!same(C, Got, Data, "bytes at " + std::to_string(Offset)))
        return;
    }
  same(C, contents<unsigned char>(C, B), Want, "bytes");
}

// More than a staging area or a block of suballocated memory holds, from and to
// odd places.
static void buffersCopyMuch(Check &C) {
  Fixture F(C, "saxpy");
  constexpr size_t Size = 70 << 20, First = 3, Cut = 1000003;
  goldy_buffer_t *B = F.buffer(Size);
  if (!F.Good)
    return;
  std::vector<unsigned char> Data = pattern(Size - First, 7);
  C.ok(goldy_buffer_write(B, First, Data.data(), Data.size()), "write");
  std::vector<unsigned char> Got(Data.size() - Cut);
  C.ok(goldy_buffer_read(B, First + Cut, Got.data(), Got.size()), "read");
  Data.erase(Data.begin(), Data.begin() + Cut);
  C.that(Got == Data, "bytes of the second part");
  unsigned char Edge[4] = {9, 9, 9, 9};
  C.ok(goldy_buffer_read(B, 0, Edge, First), "read");
  C.that(Edge[0] == 0 && Edge[1] == 0 && Edge[2] == 0, "bytes before it");
}

// What was given back is zeroed when it is given out again.
static void buffersAreReused(Check &C) {
  for (uint32_t Round = 0; Round < 40; ++Round) {
    Fixture F(C, "saxpy");
    for (size_t Bytes : {size_t(1), size_t(4000), size_t(1) << (Round % 21)}) {
      goldy_buffer_t *B = F.buffer(Bytes);
      if (!F.Good || !same(C, contents<unsigned char>(C, B),
                           std::vector<unsigned char>(Bytes), "new byte"))
        return;
      fill(C, B, std::vector<unsigned char>(Bytes, 0xee));
    }
  }
}

// Several mappings at once; each sees and gives its own buffer's bytes, before
// and after a launch.
static void mapsSeeLaunches(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *X = F.buffer(4000), *Y = F.buffer(4000);
  void *Mx = nullptr, *My = nullptr;
  if (!F.Good || !C.ok(goldy_buffer_map(X, &Mx), "map") ||
      !C.ok(goldy_buffer_map(Y, &My), "map"))
    return;
  for (int I = 0; I < 1000; ++I) {
    static_cast<float *>(Mx)[I] = static_cast<float>(I);
    static_cast<float *>(My)[I] = 1;
  }
  C.ok(goldy_buffer_unmap(X), "unmap");
  C.ok(goldy_buffer_unmap(Y), "unmap");
  runAndWait(C, F.Kernel, {view(X, 1000), view(Y, 1000), word(0x40000000)},
             {{4, 1, 1}});
  if (!C.ok(goldy_buffer_map(Y, &My), "map"))
    return;
  for (int I = 0; I < 1000; ++I)
    C.that(static_cast<float *>(My)[I] == static_cast<float>(2 * I + 1),
           "element " + std::to_string(I));
  C.ok(goldy_buffer_unmap(Y), "unmap");
}

std::vector<Case> goldy::cts::memoryCases() {
  return {{"buffers-are-zeroed", buffersAreZeroed},
          {"buffers-keep-bytes", buffersKeepBytes},
          {"buffers-refuse-ranges", buffersRefuseRanges},
          {"buffers-map", buffersMap},
          {"buffers-of-no-bytes", buffersOfNoBytes},
          {"buffers-are-apart", buffersAreApart},
          {"buffers-copy-anywhere", buffersCopyAnywhere},
          {"buffers-copy-much", buffersCopyMuch},
          {"buffers-are-reused", buffersAreReused},
          {"maps-see-launches", mapsSeeLaunches, true}};
}
