//===- Verbs.h - The verbs of goldyrun ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a verb.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_VERBS_H
#define GOLDYRUN_VERBS_H

#include "Options.h"

namespace goldyrun {

Exit runVerb(const Options &O);     // RunVerb.cpp
Exit benchVerb(const Options &O);   // BenchVerb.cpp
Exit infoVerb(const Options &O);    // FileVerbs.cpp
Exit verifyVerb(const Options &O);  // FileVerbs.cpp
Exit devicesVerb(const Options &O); // DevicesVerb.cpp
Exit diffVerb(const Options &O);    // DiffVerb.cpp

} // namespace goldyrun

#endif
