//===- Status.cpp - Success, or a code and a message ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of codes is the one place that knows names and remedies.
//
//===----------------------------------------------------------------------===//
#include "core/Status.h"

#include <cstdio>
#include <new>

using namespace goldy::rt;

namespace {
struct CodeFacts {
  const char *Name;
  goldy_remedy_t Remedy;
};
constexpr CodeFacts Codes[] = {
    {"ok", GOLDY_REMEDY_NONE},
    {"invalid argument", GOLDY_REMEDY_FIX},
    {"invalid artifact", GOLDY_REMEDY_FIX},
    {"not found", GOLDY_REMEDY_FIX},
    {"unsupported", GOLDY_REMEDY_FIX},
    {"over a limit", GOLDY_REMEDY_FIX},
    {"untrusted", GOLDY_REMEDY_FIX},
    {"unavailable", GOLDY_REMEDY_FIX},
    {"input/output error", GOLDY_REMEDY_RETRY},
    {"out of memory", GOLDY_REMEDY_RETRY},
    {"timeout", GOLDY_REMEDY_RETRY},
    {"device lost", GOLDY_REMEDY_RESTART},
    {"internal error", GOLDY_REMEDY_RESTART},
    {"findings", GOLDY_REMEDY_FIX},
};
constexpr unsigned NumCodes = sizeof Codes / sizeof Codes[0];
static_assert(NumCodes == GOLDY_FINDINGS + 1);
} // namespace

goldy_status_t goldy::rt::outOfMemoryStatus() {
  static goldy_status Shared{GOLDY_OUT_OF_MEMORY, {}, "no memory left"};
  return &Shared;
}

NoMemoryStatus::NoMemoryStatus(const char *Call) noexcept
    : Status{GOLDY_OUT_OF_MEMORY, {}, Text} {
  std::snprintf(Text, sizeof Text, "%s: no memory left", Call);
}

Status::Status(goldy_code_t Code, std::string Message)
    : Impl(new(std::nothrow) goldy_status{Code, std::move(Message), nullptr}) {
  if (!Impl)
    Impl = outOfMemoryStatus();
}

goldy_code_t goldy_status_code(goldy_status_t S) {
  return S ? S->Code : GOLDY_OK;
}

const char *goldy_status_message(goldy_status_t S) {
  if (!S)
    return "";
  return S->Shared ? S->Shared : S->Message.c_str();
}

void goldy_status_destroy(goldy_status_t S) {
  if (S && !S->Shared)
    delete S;
}

/// In C an enumeration holds any number.
#if defined(__clang__)
#define GOLDY_ANY_CODE __attribute__((no_sanitize("enum")))
#else
#define GOLDY_ANY_CODE
#endif

GOLDY_ANY_CODE const char *goldy_code_name(goldy_code_t Code) {
  unsigned Number = static_cast<unsigned>(Code);
  return Number < NumCodes ? Codes[Number].Name : "unknown code";
}

GOLDY_ANY_CODE goldy_remedy_t goldy_code_remedy(goldy_code_t Code) {
  unsigned Number = static_cast<unsigned>(Code);
  return Number < NumCodes ? Codes[Number].Remedy : GOLDY_REMEDY_RESTART;
}
