//===- Main.cpp - goldyc: the compiler's command line
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work is in lib/Driver. Here stands only what a process needs: a fault of
// the compiler, however it shows, ends with a message and exit code 3.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Driver/Driver.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstring>
#include <iostream>
#include <unistd.h>

namespace {

void say(const char *Text) {
  // Nothing else is safe here; a message that does not go out is lost.
  [[maybe_unused]] ssize_t Written = ::write(2, Text, std::strlen(Text));
}

[[noreturn]] void endWithInternalError(const char *What) {
  say("goldyc: internal error: ");
  say(What);
  say("\n  this is a fault of the compiler: please report it with the input\n");
  ::_exit(goldy::ExitInternalError);
}

void onSignal(int Signal) {
  endWithInternalError(Signal == SIGSEGV   ? "invalid memory access"
                       : Signal == SIGABRT ? "aborted"
                       : Signal == SIGFPE  ? "arithmetic fault"
                                           : "fatal signal");
}

void onFatalError(void *, const char *Reason, bool) {
  endWithInternalError(Reason);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GOLDY_SANITIZERS_REPORT 1
#endif
#endif

void installHandlers() {
  llvm::install_fatal_error_handler(onFatalError);
  ::signal(SIGXFSZ,
           SIG_IGN); // a file that grows too large is an error of write
#ifndef GOLDY_SANITIZERS_REPORT
  static char Stack[1 << 16]; // a stack overflow needs another stack
  stack_t Alternate = {};
  Alternate.ss_sp = Stack;
  Alternate.ss_size = sizeof(Stack);
  ::sigaltstack(&Alternate, nullptr);
  struct sigaction Action = {};
  Action.sa_handler = onSignal;
  Action.sa_flags = SA_ONSTACK;
  for (int Signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    ::sigaction(Signal, &Action, nullptr);
#endif
}

} // namespace

int main(int Argc, char **Argv) {
  installHandlers();
  std::ios::sync_with_stdio(false);
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  return goldy::runGoldyc(Args, std::cout, std::cerr);
}
