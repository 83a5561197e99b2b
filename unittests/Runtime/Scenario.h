//===- Scenario.h - A session of the runtime that touches everything ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tests of faults repeat: every C function that can fail, in an order that
// makes sense, up to the first that does.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_RUNTIME_SCENARIO_H
#define GOLDY_UNITTESTS_RUNTIME_SCENARIO_H

#include "core/Objects.h"
#include "goldy/goldy.h"

#include <cstdint>
#include <vector>

namespace goldy::rt {

/// What a session has made; destroyed with it.
struct Session {
  Session() = default;
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session();

  goldy_artifact_t *File = nullptr;
  goldy_kernel_t *Kernel = nullptr; ///< gather
  goldy_buffer_t *X = nullptr, *Y = nullptr;
  goldy_launch_t *Launch = nullptr, *Timed = nullptr;
};

/// Takes over a status of the C interface.
Status taken(goldy_status_t S);

/// The artifact's bytes; made once, and best before any fault is set.
const std::vector<uint8_t> &scenarioFile();

/// Loads, makes, maps, launches, waits and reads on `Device`; the first
/// failure.
/// Allocates nothing itself after the first call of scenarioFile().
goldy_status_t playScenario(goldy_device_t *Device, Session &S);

} // namespace goldy::rt

#endif
