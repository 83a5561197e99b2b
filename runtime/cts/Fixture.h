//===- Fixture.h - What conformance cases share ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand-made artifact and one of its kernels on the case's device.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_FIXTURE_H
#define GOLDY_RUNTIME_CTS_FIXTURE_H

#include "Suite.h"
#include "TestArtifact.h"

namespace goldy::cts {

struct Fixture {
  /// `Kernel` is one of deviceKernels() or shapeKernels().
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

/// Launches and waits until it is done.
void runAndWait(Check &C, goldy_kernel_t *K,
                const std::vector<goldy_argument_t> &A, goldy_grid_t Grid);

/// The buffer's bytes as numbers; zeros after a failure.
template <class T> std::vector<T> contents(Check &C, const goldy_buffer_t *B) {
  std::vector<T> Out(goldy_buffer_size(B) / sizeof(T));
  C.ok(goldy_buffer_read(B, 0, Out.data(), Out.size() * sizeof(T)), "read");
  return Out;
}
template <class T>
void fill(Check &C, goldy_buffer_t *B, const std::vector<T> &Data) {
  C.ok(goldy_buffer_write(B, 0, Data.data(), Data.size() * sizeof(T)), "write");
}
/// Notes the first element that differs.
template <class T>
bool same(Check &C, const std::vector<T> &Got, const std::vector<T> &Want,
          const std::string &What) {
  if (Got == Want) // no words for each of them
    return true;
  if (!C.that(Got.size() == Want.size(), What + ": another number of elements"))
    return false;
  for (size_t I = 0; I < Got.size(); ++I)
    if (!C.that(Got[I] == Want[I], What + "[" + std::to_string(I) + "] is " +
                                       std::to_string(Got[I]) + ", not " +
                                       std::to_string(Want[I])))
      return false;
  return true;
}

std::vector<Case> apiCases();        // Cases.cpp
std::vector<Case> memoryCases();     // MemoryCases.cpp
std::vector<Case> launchCases();     // LaunchCases.cpp
std::vector<Case> shapeCases();      // ShapeCases.cpp
std::vector<Case> submissionCases(); // SubmissionCases.cpp
std::vector<Case> runCases();        // RunCases.cpp
std::vector<Case> timeCases();       // TimeCases.cpp
std::vector<Case> faultCases();      // FaultCases.cpp
std::vector<Case> deviceCases();     // DeviceCases.cpp

} // namespace goldy::cts

#endif
