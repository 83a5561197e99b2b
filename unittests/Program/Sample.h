//===- Sample.h - A description that uses everything ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests take the sample and break one thing.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_PROGRAM_SAMPLE_H
#define GOLDY_UNITTESTS_PROGRAM_SAMPLE_H

#include "program/Check.h"

#include <functional>

namespace goldy::program {

/// Two devices, every kind of memory, slot, part, leaf and step; keeps every
/// rule on `sampleMachine()`.
ProgramDesc sample();
/// The same steps with everything that a template adds; keeps every rule.
ProgramTemplate sampleTemplate();
Machine sampleMachine();

/// The step at a path of numbers: `stepAt(P, {1, 0})` is steps[1].body[0].
Step &stepAt(ProgramDesc &P, std::initializer_list<size_t> Path);
Submit &submitAt(ProgramDesc &P, std::initializer_list<size_t> Path);
Move &moveAt(ProgramDesc &P, std::initializer_list<size_t> Path);
Loop &loopAt(ProgramDesc &P, std::initializer_list<size_t> Path);

/// Breaks the sample by `Spoil`; requires that the check finds `Broken` and
/// that the message starts with `Start`. With the sample's machine, and without
/// unless the rule needs one.
void refuses(Rule Broken, const std::string &Start,
             const std::function<void(ProgramDesc &)> &Spoil);
/// The same with a spoiled machine.
void refusesOn(Rule Broken, const std::string &Start,
               const std::function<void(Machine &)> &Spoil);

} // namespace goldy::program

#endif
