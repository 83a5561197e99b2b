//===- CoarsenPlan.h - Which kernels do several work-items a thread ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be coarsened, what is worth it, in which shape, and what of a body
// has to be copied as a whole.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_COARSENPLAN_H
#define GOLDYC_LIB_TRANSFORMS_COARSENPLAN_H

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Analysis/Uniformity.h"
#include "goldyc/Transforms/Coarsen.h"

namespace goldy {

/// Statements under `Root` that one work-item may do and another not: they are
/// copied as a whole.
class CoarsenParts {
public:
  CoarsenParts(const Function &F, const Uniformity &U, BlockId Root);
  bool operator[](InstId I) const { return Marked[I]; }
  /// Work-items may return one by one.
  bool wholeBody() const { return Body; }
  /// `I` stands in a statement that is copied as a whole.
  bool encloses(InstId I) const;

private:
  void mark(InstId I) {
    Changed |= !Marked[I];
    Marked.set(I, true);
  }
  void markBody() {
    Changed |= !Body;
    Body = true;
  }
  InstId targetOf(InstId I) const;
  void note(InstId I);

  const Function &F;
  const Uniformity &U;
  Structure Where;
  SideMap<Inst, bool> Marked{false};
  bool Body = false, Changed = false;
};

/// Sets the report's reason if no thread can do several work-items of `F`.
void findObstacle(const Function &F, CoarsenReport &R);

/// Sets the report's reason if several work-items of the statements under
/// `Root` are not worth their registers and code (docs/Coarsen.md).
void weigh(const Function &F, const Uniformity &U, const CoarsenParts &Parts,
           BlockId Root, CoarsenReport &R);

/// What a dispatched group does: groups of the kernel `Beside` each other along
/// x, `Items` times after each other.
struct CoarsenShape {
  uint32_t Items = 1, Beside = 1;
  uint32_t groups() const { return Items * Beside; }
};
/// Work-items of a thread by the rule of cost, of which all take the statements
/// under `Root`.
uint32_t itemsByCost(const Function &F, BlockId Root);
CoarsenShape shapeFor(const Function &F, uint32_t Asked);

/// Placed instructions under `Root`.
uint64_t placedUnder(const Function &F, BlockId Root);

} // namespace goldy

#endif
