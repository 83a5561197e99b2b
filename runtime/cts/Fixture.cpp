//===- Fixture.cpp - What conformance cases share -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure to make something is a failure of the case.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

#include <string_view>

using namespace goldy::cts;

static TestArtifact artifactWith(std::string_view Kernel) {
  return Kernel == "saxpy" || Kernel == "probe" ? deviceKernels()
                                                : shapeKernels();
}

Fixture::Fixture(Check &C, const char *Kernel)
    : C(C), File(artifactWith(Kernel).bytes()) {
  if (C.ok(goldy_artifact_load_memory(File.data(), File.size(),
                                      GOLDY_LOAD_TRUSTED, &Artifact),
           "load"))
    Good = C.ok(goldy_kernel_create(C.Device, Artifact, Kernel, &this->Kernel),
                "kernel");
}

Fixture::~Fixture() {
  goldy_kernel_destroy(Kernel);
  goldy_artifact_destroy(Artifact);
  for (goldy_buffer_t *B : Buffers)
    goldy_buffer_destroy(B);
}

goldy_buffer_t *Fixture::buffer(uint64_t Bytes) {
  goldy_buffer_t *B = nullptr;
  Good &= C.ok(goldy_buffer_create(C.Device, Bytes, &B), "buffer");
  Buffers.push_back(B);
  return B;
}

goldy_argument_t goldy::cts::view(goldy_buffer_t *B, uint64_t Length,
                                  uint64_t Offset) {
  return {B, Offset, Length, 0, nullptr};
}

goldy_argument_t goldy::cts::word(uint64_t Bits) {
  return {nullptr, 0, 0, Bits, nullptr};
}

void goldy::cts::runAndWait(Check &C, goldy_kernel_t *K,
                            const std::vector<goldy_argument_t> &A,
                            goldy_grid_t Grid) {
  uint64_t Point = 0;
  if (C.ok(goldy_kernel_launch(K, A.data(), A.size(), Grid, &Point), "launch"))
    C.ok(goldy_device_wait(C.Device, Point, GOLDY_FOREVER), "wait");
}
