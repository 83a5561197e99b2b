//===- LanesTiles.h - Registers of a vector beside rows in step -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass of rows in step may be several registers wide: what a row loads for
// all its lanes is then loaded once for all of these registers, as what a
// register loads is for all rows. A matrix product of 4 rows by 2 registers
// loads 6 times for 8 products, one of 8 rows 9 times. Private to Analysis.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ANALYSIS_LANESTILES_H
#define GOLDYC_LIB_ANALYSIS_LANESTILES_H

#include "LanesRegions.h"

namespace goldy {

/// What the loops that rows of a region run in step do, each statement as often
/// as it is repeated. The estimate behind the registers of a pass.
class PassWork {
public:
  /// An access or operation in a loop whose trips come to `Weight`.
  void add(const Function &F, const LanePlan &Plan, InstId I, double Weight);
  void addLoop(double Weight) { Ends += Weight; }

  /// Cycles for one register of one row, in passes of `Rows` rows and
  /// `Registers` registers. `Sums`: each of them goes on with the last trip's.
  double cycles(unsigned Rows, unsigned Registers, bool Sums) const;

private:
  /// By whether each row does it, and whether each register does.
  struct Counts {
    double Of[2][2] = {};
    double total(unsigned Rows, unsigned Registers) const;
  };
  Counts Memory, Floats, Others;
  double Ends = 0;
};

/// Which regions of a group of several rows may have vectors of several
/// registers.
class WideRegions {
public:
  WideRegions(const Module &M, const Function &F, const Structure &S,
              const LanePlan &Plan);
  /// The most registers that a vector of the region may be, a power of two.
  unsigned most(uint32_t Region) const;

private:
  const Module &M;
  const Function &F;
  const LanePlan &Plan;
  unsigned Most = 1;
  LaneShapes Widest; ///< of vectors of that many registers
};

} // namespace goldy

#endif
