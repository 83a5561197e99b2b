//===- Report.cpp - Errors and exit codes of goldyrun ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that prints errors.
//
//===----------------------------------------------------------------------===//
#include "Report.h"

#include "goldyc/Support/Diag.h"

#include <algorithm>
#include <cstdio>

using namespace goldyrun;

Exit goldyrun::fail(Exit Code, const std::string &Message,
                    const std::string &Help) {
  std::fprintf(stderr, "goldyrun: error: %s\n", Message.c_str());
  if (!Help.empty())
    std::fprintf(stderr, "goldyrun: help: %s\n", Help.c_str());
  return Code;
}

static Exit exitFor(goldy_code_t Code) {
  switch (Code) {
  case GOLDY_UNAVAILABLE:
    return Exit::Missing;
  case GOLDY_LOST:
  case GOLDY_INTERNAL:
    return Exit::Internal;
  default:
    return Exit::Input;
  }
}

Exit goldyrun::fail(const goldy::Status &S, const std::string &Help) {
  std::string Message = S.message();
  if (S.code() == GOLDY_FINDINGS) // they have been told one by one
    Message.resize(std::min(Message.size(), Message.find("; first: ")));
  return fail(exitFor(S.code()), Message, Help);
}

std::string goldyrun::quoted(const std::string &Name) {
  return "`" + Name + "`";
}

std::string goldyrun::didYouMean(const std::string &Name,
                                 const std::vector<std::string> &Known) {
  std::optional<std::string> Near = goldy::nearest(Name, Known);
  return Near ? "did you mean " + quoted(*Near) + "?" : "";
}
