//===- LoadRules.h - Refusals of load and run -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is made only when a rule is broken: place, device, what stands
// there, the rule's number and sentence.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_LOADRULES_H
#define GOLDY_RUNTIME_PROGRAM_LOADRULES_H

#include "core/Status.h"

#include <cstdint>

namespace goldy::rt {

enum class LoadRule : uint8_t {
#define LOAD_RULE(Name, Number, Class, Sentence) Name,
#include "program/LoadRules.def"
#undef LOAD_RULE
};

/// The status of a broken rule, with the code of its class.
Status broken(LoadRule R, const std::string &Where, const std::string &What);

/// The same for something that a device refused: its code and words stay.
Status broken(LoadRule R, const std::string &Where, const Status &Why);

/// A hole's value over a set bit, rule P11.
Status brokenHole(const std::string &Where, uint64_t Value);

/// "steps[1], device `cpu`".
std::string onDevice(const std::string &Place, const std::string &Device);

} // namespace goldy::rt

#endif
