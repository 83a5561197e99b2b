//===- Suite.h - One conformance suite for all drivers --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cases are written once, against the C interface and the Driver class.
// Each driver registers with its device's name and two lists, each entry with
// a reason: cases it does not support, and cases it is known to fail. A listed
// failure that passes is a failure, as is a name that no case has.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_SUITE_H
#define GOLDY_RUNTIME_CTS_SUITE_H

#include "core/Driver.h"

#include <ostream>
#include <string>
#include <vector>

namespace goldy::cts {

struct Exemption {
  const char *Case;
  const char *Reason;
};

struct Registration {
  const char *Device;
  std::vector<Exemption> Unsupported;
  std::vector<Exemption> ExpectedFailure;
};

/// What a case works with; the first failed check is kept.
class Check {
public:
  Check(const char *DeviceName, goldy_device_t *Device)
      : DeviceName(DeviceName), Device(Device) {}
  const char *const DeviceName;
  goldy_device_t *const Device;

  /// False, with the note kept, unless `Holds`.
  bool that(bool Holds, const std::string &Note);
  /// False unless the call succeeded; destroys the status.
  bool ok(goldy_status_t S, const char *Call);
  /// False unless the call failed with `Code` and a message that holds `Words`.
  bool refused(goldy_status_t S, goldy_code_t Code, const std::string &Words);
  const std::string &failure() const { return Failure; }

private:
  std::string Failure;
};

struct Case {
  const char *Name;
  void (*Run)(Check &C);
};
const std::vector<Case> &allCases();

/// Runs all cases, a line each; the number of failures.
int runSuite(const Registration &R, std::ostream &Out);

} // namespace goldy::cts

#endif
