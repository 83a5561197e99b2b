//===- Fixture.h - What conformance cases share ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hand-made artifact and one of its kernels on the case's device.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_FIXTURE_H
#define GOLDY_RUNTIME_CTS_FIXTURE_H

#include "Suite.h"
#include "TestArtifact.h"

namespace goldy::cts {

struct Fixture {
  Fixture(Check &C, const char *Kernel);
  ~Fixture();
  /// Destroyed with the fixture.
  goldy_buffer_t *buffer(uint64_t Bytes);

  Check &C;
  std::vector<uint8_t> File;
  goldy_artifact_t *Artifact = nullptr;
  goldy_kernel_t *Kernel = nullptr;
  std::vector<goldy_buffer_t *> Buffers;
  bool Good = false; ///< everything was made
};

/// A buffer argument; `Offset` in bytes.
goldy_argument_t view(goldy_buffer_t *B, uint64_t Length, uint64_t Offset = 0);
/// A scalar argument.
goldy_argument_t word(uint64_t Bits);

// SubmissionCases.cpp: below the C interface, what programs use.
void submissionsFillAndCopy(Check &C);
void submissionsTakeWords(Check &C);

} // namespace goldy::cts

#endif
