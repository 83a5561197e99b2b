//===- LoadRules.cpp - Refusals of load and run ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptions that break a rule by themselves are schemas/program/Check.cpp's.
//
//===----------------------------------------------------------------------===//
#include "program/LoadRules.h"

#include "program/Check.h"

using namespace goldy;
using namespace goldy::rt;

namespace {

enum class RuleClass : uint8_t { Invalid, Refused, Memory, Lost };

struct RuleText {
  const char *Number;
  RuleClass Class;
  const char *Sentence;
};

constexpr RuleText Rules[] = {
#define LOAD_RULE(Name, Number, Class, Sentence)                               \
  {Number, RuleClass::Class, Sentence},
#include "program/LoadRules.def"
#undef LOAD_RULE
};

goldy_code_t codeOf(RuleClass C) {
  switch (C) {
  case RuleClass::Invalid:
    return GOLDY_INVALID_ARGUMENT;
  case RuleClass::Refused:
    return GOLDY_UNSUPPORTED;
  case RuleClass::Memory:
    return GOLDY_OUT_OF_MEMORY;
  case RuleClass::Lost:
    return GOLDY_LOST;
  }
  return GOLDY_INTERNAL;
}

std::string message(const std::string &Where, const std::string &What,
                    const char *Number, const char *Sentence) {
  return Where + (Where.empty() ? "" : ": ") + What + "; rule " + Number +
         ": " + Sentence;
}

} // namespace

Status goldy::rt::broken(LoadRule R, const std::string &Where,
                         const std::string &What) {
  const RuleText &T = Rules[static_cast<size_t>(R)];
  return Status(codeOf(T.Class), message(Where, What, T.Number, T.Sentence));
}

Status goldy::rt::broken(LoadRule R, const std::string &Where,
                         const Status &Why) {
  const RuleText &T = Rules[static_cast<size_t>(R)];
  return Status(Why.code(),
                message(Where, Why.message(), T.Number, T.Sentence));
}

Status goldy::rt::brokenHole(const std::string &Where, uint64_t Value) {
  const program::RuleInfo &R = program::ruleInfo(program::Rule::HoleBits);
  return Status(GOLDY_INVALID_ARGUMENT,
                message(Where,
                        "the value " + std::to_string(Value) + " over set bits",
                        R.Number, R.Sentence));
}

std::string goldy::rt::onDevice(const std::string &Place,
                                const std::string &Device) {
  return Place + ", device `" + Device + "`";
}
