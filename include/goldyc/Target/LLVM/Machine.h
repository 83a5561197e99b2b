//===- Machine.h - LLVM target machines, passes and code emission
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the targets that generate code through LLVM share: registering a
// backend on first use, making a target machine, the short pass list, and
// emitting an object or text into memory. Emitters build modules that are
// already in the shape they want: the passes only promote locals, remove
// repeated work and move invariant code. No pass here may recognise idioms,
// unroll, vectorise or touch floating point.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TARGET_LLVM_MACHINE_H
#define GOLDYC_TARGET_LLVM_MACHINE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm {
class Function;
class Loop;
class Module;
class TargetMachine;
} // namespace llvm

namespace goldy {

enum class LLVMBackend : uint8_t { X86, NVPTX };

struct MachineOptions {
  LLVMBackend Backend = LLVMBackend::X86;
  std::string Triple;
  std::string Cpu;
  std::string Features;
  bool PositionIndependent = false;
  unsigned OptLevel = 2; ///< 0..3; 0 still selects good instructions
  bool Debugged = false; ///< nothing is optimised at all
};

/// A target machine, or null with `Error` set when this LLVM lacks the
/// backend or does not know the triple. Contraction of floats is off.
/// Thread-safe.
std::unique_ptr<llvm::TargetMachine> createMachine(const MachineOptions &O,
                                                   std::string &Error);

/// Passes over the functions of one module, which share what they ask of the
/// machine.
class Passes {
public:
  /// Both outlive this.
  Passes(llvm::Module &M, llvm::TargetMachine &TM);
  ~Passes();

  /// Runs sroa, early-cse, simplifycfg, loop-rotate, licm, dce; at OptLevel 0
  /// only sroa.
  void runShort(unsigned OptLevel);

  /// Gives the loops of `Fn` that `Worth` names variables that step from trip
  /// to trip in place of products of their counters. `Fn` may have changed.
  void reduceLoops(llvm::Function &Fn,
                   llvm::function_ref<bool(const llvm::Loop &)> Worth);

private:
  struct Analyses;
  llvm::Module &M;
  bool Gpu;
  std::unique_ptr<Analyses> A;
};

/// Generates code into memory: an object file, or assembly text. False with
/// `Error` set when the backend cannot, or reported an error on the way. The
/// backend reduces loops itself, but for X86, where `Passes` does.
bool emitMachineCode(llvm::Module &M, llvm::TargetMachine &TM, bool Assembly,
                     llvm::SmallVectorImpl<char> &Out, std::string &Error);

/// The module as LLVM IR text.
std::string llvmText(const llvm::Module &M);

} // namespace goldy

#endif
