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
// failure that passes is a failure, as is a name that no case has. A device
// that this machine lacks skips the suite, unless it is named as one that must
// run.
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
  /// Why the device runs no kernel: what looks at their results is unsupported.
  const char *RunsNoKernel = nullptr;
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
  bool SeesKernels = false; ///< looks at what a kernel wrote
};
/// CaseList.cpp names them.
const std::vector<Case> &allCases();

/// Runs all cases, or the one called `Only`, a line each; the number of
/// failures.
int runSuite(const Registration &R, std::ostream &Out,
             const std::string &Only = "");

/// A registration's program: `--list` prints the names of the cases,
/// `--case=NAME` runs one. Its exit status: 0, 1 after a failure, 2 for a wrong
/// command line. A device that is unavailable is skipped with the reason, and a
/// failure if the variable GOLDY_REQUIRE_<DEVICE> is set.
int suiteMain(const Registration &R, int Count, char **Arguments);

} // namespace goldy::cts

#endif
