//===- CaseList.cpp - All conformance cases -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order in which a new driver would make them pass.
//
//===----------------------------------------------------------------------===//
#include "Fixture.h"

using namespace goldy::cts;

const std::vector<Case> &goldy::cts::allCases() {
  static const std::vector<Case> Cases = [] {
    std::vector<Case> All;
    for (std::vector<Case> (*Some)() :
         {memoryCases, apiCases, launchCases, shapeCases, submissionCases,
          runCases, timeCases, faultCases, deviceCases})
      for (const Case &C : Some())
        All.push_back(C);
    return All;
  }();
  return Cases;
}
