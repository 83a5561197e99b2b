//===- SplitRegisters.h - Very wide vectors by register ---------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes vectors of many registers apart operation by operation: it loads
// all of a row before it uses any of it, and stores in an order of its own.
// Registers run out, and memory is not walked in order.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_SPLITREGISTERS_H
#define GOLDYC_LIB_TARGET_HOST_SPLITREGISTERS_H

namespace llvm {
class Function;
}

namespace goldy {

/// Metadata of what the emitter makes for a region: between two instructions
/// that have the same there is no barrier.
inline constexpr char LaneRegionMark[] = "goldy.region";

/// Metadata of a variable of the kernel.
inline constexpr char VariableMark[] = "goldy.variable";

/// Metadata of a variable that `keepInMemory` keeps there.
inline constexpr char KeptMark[] = "goldy.kept";

/// Variables of vectors of `Registers` registers of `Lanes` elements or more
/// stay in memory, whatever passes run, until `splitRegisters`. True if there
/// are such.
bool keepInMemory(llvm::Function &Fn, unsigned Lanes, unsigned Registers);

/// Does what is written for vectors of more than `Few` registers of `Lanes`
/// elements by four registers after the other, and stores in order; of `All`,
/// as many as there are, or more, in a loop where that can be.
void splitRegisters(llvm::Function &Fn, unsigned Lanes, unsigned Few,
                    unsigned All);

} // namespace goldy

#endif
