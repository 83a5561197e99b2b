//===- CudaOpened.h - A device on the fake CUDA driver --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a kernel and a buffer, and parts of submissions that use them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_RUNTIME_CUDAOPENED_H
#define GOLDY_UNITTESTS_RUNTIME_CUDAOPENED_H

#include "FakeCudaDriver.h"

#include <catch2/catch.hpp>

using namespace goldy::rt;

/// An open device with a kernel and one buffer of 1024 bytes.
struct Opened {
  std::vector<uint8_t> File = goldy::cts::deviceKernels().bytes();
  goldy::Result<goldy::Device> D = goldy::Device::open("cuda");
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(File);
  goldy::Result<goldy::Kernel> K = goldy::Kernel::create(*D, *A, "saxpy");
  goldy::Result<goldy::Buffer> B = D->buffer(1024);

  Driver &driver() { return *D->get()->Driver; }
  MemoryId memory() { return B->get()->Memory->Id; }

  SubmissionDesc launch(goldy_grid_t Grid) {
    goldy_argument_t Args[3] = {{B->get(), 0, 16, 0, nullptr},
                                {B->get(), 64, 16, 0, nullptr},
                                {nullptr, 0, 0, 0, nullptr}};
    goldy_launch Bound;
    SubmissionDesc Desc;
    Status S = bindLaunch(*K->get()->Loaded, Args, Grid, Bound, Desc);
    CHECK(S.ok());
    return Desc;
  }
  Part fill(uint64_t Offset, uint64_t Bytes, uint8_t Value = 1) {
    Part P;
    P.Kind = PartKind::Fill;
    P.Value = Value;
    P.Uses = {{memory(), Offset, Bytes, true}};
    return P;
  }
  Part copy(uint64_t From, uint64_t To, uint64_t Bytes) {
    Part P;
    P.Kind = PartKind::Copy;
    P.Uses = {{memory(), From, Bytes, false}, {memory(), To, Bytes, true}};
    return P;
  }
};

/// The little-endian word at a byte of a "kernel … at HEX" line's block.
inline uint32_t wordAt(const std::string &Line, size_t Byte) {
  std::string Hex = Line.substr(Line.rfind(' ') + 1).substr(2 * Byte, 8);
  uint32_t Word = 0;
  for (size_t I = 0; I < 4; ++I)
    Word |= static_cast<uint32_t>(std::stoul(Hex.substr(2 * I, 2), nullptr, 16))
            << 8 * I;
  return Word;
}

inline constexpr size_t WordA = 32, BaseY = 52,
                        GroupsY = 64; // of saxpy's block

#endif
