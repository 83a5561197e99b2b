//===- Scenario.cpp - A session of the runtime that touches everything ----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel has tensors, so that a launch makes a layout table.
//
//===----------------------------------------------------------------------===//
#include "Scenario.h"

#include "TestArtifact.h"

using namespace goldy::rt;

Session::~Session() {
  goldy_launch_destroy(Launch);
  goldy_launch_destroy(Timed);
  goldy_buffer_destroy(X);
  goldy_buffer_destroy(Y);
  goldy_kernel_destroy(Kernel);
  goldy_artifact_destroy(File);
}

Status goldy::rt::taken(goldy_status_t S) {
  if (!S)
    return Status();
  Status Copy(goldy_status_code(S), goldy_status_message(S));
  goldy_status_destroy(S);
  return Copy;
}

const std::vector<uint8_t> &goldy::rt::scenarioFile() {
  static const std::vector<uint8_t> Bytes = goldy::cts::shapeKernels().bytes();
  return Bytes;
}

/// No copies of statuses: there may be no memory for them.
#define PLAY(Call)                                                             \
  do {                                                                         \
    if (goldy_status_t Played = (Call))                                        \
      return Played;                                                           \
  } while (0)

/// Through a mapping.
static goldy_status_t fillMapped(goldy_buffer_t *B) {
  void *Data = nullptr;
  PLAY(goldy_buffer_map(B, &Data));
  for (uint32_t I = 0; I < 16; ++I)
    static_cast<uint32_t *>(Data)[I] = I;
  return goldy_buffer_unmap(B);
}

goldy_status_t goldy::rt::playScenario(goldy_device_t *Device, Session &S) {
  const std::vector<uint8_t> &Bytes = scenarioFile();
  PLAY(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                  GOLDY_LOAD_TRUSTED, &S.File));
  PLAY(goldy_kernel_create(Device, S.File, "gather", &S.Kernel));
  PLAY(goldy_buffer_create(Device, 64, &S.X));
  PLAY(goldy_buffer_create(Device, 64, &S.Y));
  PLAY(fillMapped(S.X));
  uint32_t Data[16] = {1, 2, 3};
  PLAY(goldy_buffer_write(S.Y, 0, Data, sizeof Data));
  const goldy_tensor_view_t Turned{2, 0, {4, 4}, {1, 4}},
      Straight{2, 0, {4, 4}, {4, 1}};
  goldy_argument_t Args[2] = {{S.X, 0, 16, 0, &Turned},
                              {S.Y, 0, 16, 0, &Straight}};
  uint64_t Point = 0;
  PLAY(goldy_launch_create(S.Kernel, Args, 2, {{1, 1, 1}}, &S.Launch));
  PLAY(goldy_launch_submit(S.Launch, &Point));
  PLAY(goldy_launch_submit(S.Launch, &Point));
  PLAY(goldy_launch_create_timed(S.Kernel, Args, 2, {{1, 1, 1}}, &S.Timed));
  PLAY(goldy_launch_submit(S.Timed, &Point));
  PLAY(goldy_device_wait(Device, Point, GOLDY_FOREVER));
  goldy_time_span_t Span{};
  PLAY(goldy_launch_time(S.Timed, Point, &Span));
  Args[0].view = &Straight;
  PLAY(goldy_kernel_launch(S.Kernel, Args, 2, {{1, 1, 1}}, &Point));
  PLAY(goldy_device_wait(Device, Point, GOLDY_FOREVER));
  return goldy_buffer_read(S.Y, 0, Data, sizeof Data);
}
