//===- ProgramDesc.h - A description being built --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Open loops and the open submit are values of their own until they end, so
// nothing points into a list that grows.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_PROGRAMDESC_H
#define GOLDY_RUNTIME_PROGRAM_PROGRAMDESC_H

#include "core/Status.h"
#include "goldy/program.h"
#include "program/Check.h"

struct goldy_program_desc {
  goldy::program::ProgramDesc Desc;
  std::vector<goldy::program::Loop> Loops; ///< open, outermost first
  std::optional<goldy::program::Submit> Submit;
  std::string Text; ///< what encode or print gave last

  /// Where a step is added.
  std::vector<goldy::program::Step> &steps() {
    return Loops.empty() ? Desc.Steps : Loops.back().Body;
  }
};

namespace goldy::rt {

/// The status of a broken rule.
Status refusal(const program::Refusal &R);
/// The facts of opened devices and rails that the check asks for.
Status machineOf(const program::ProgramDesc &P,
                 const goldy_program_machine_t &M, program::Machine &Out);
/// GOLDY_INVALID_ARGUMENT while a submit or a loop is open.
Status needsClosed(const goldy_program_desc &D);

} // namespace goldy::rt

#endif
