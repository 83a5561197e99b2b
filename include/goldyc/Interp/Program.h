//===- Program.h - The oracle of programs ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a program by the letter of the language ("Programs"): step after step,
// each kernel by the oracle of kernels, every expression computed when its step
// is reached, from parameters and loop variables. Nothing is prepared, shared
// between steps or ordered by anything but the text. A temporary holds other
// rubbish in every run, so a program that reads one before it wrote it shows.
// No code is shared with what builds descriptions, nor with the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_INTERP_PROGRAM_H
#define GOLDYC_INTERP_PROGRAM_H

#include "goldyc/Interp/Interp.h"
#include "goldyc/ProgramDesc/Program.h"

#include <map>

namespace goldy {

/// A function of the embedding program; not 0 ends the run at its step. The
/// arguments are in the order of the call: buffers whole, values by their bits.
using InterpHostFunction =
    std::function<int(std::span<const InterpArgument> Arguments)>;

/// A program with the memory that it owns. The module, which must be
/// well-formed, and the program outlive it.
class ProgramOracle {
public:
  ProgramOracle(const Module &M, const prog::Program &P);

  /// Gives `gpu::host_call` its functions, by name.
  void setHostFunction(const std::string &Name, InterpHostFunction Function);

  /// One run, over one argument a parameter of the program, as for `interpret`.
  /// Run n, counted from 0 and including those that failed, uses copy n mod 2
  /// of what has two. After a fault the buffers hold what was written until
  /// then. The step limit is each launch's, and for the trips of the run's
  /// loops.
  std::optional<InterpFault> run(std::span<const InterpArgument> Arguments,
                                 const InterpOptions &Options = {});

private:
  const Module &M;
  const prog::Program &P;
  std::map<std::string, InterpHostFunction> HostFunctions;
  /// By buffer, for those that the program owns: its copies.
  std::vector<std::vector<std::vector<std::byte>>> Owned;
  uint64_t Runs = 0;
};

} // namespace goldy

#endif
