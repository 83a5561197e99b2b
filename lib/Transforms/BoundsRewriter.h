//===- BoundsRewriter.h - Guards and copies from a bounds plan
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the checked mode an access whose index is open gets a guard: the index
// below the buffer's length or the array's extent, and not negative where that
// is not implied. An access that is certainly out of range becomes a zero or
// nothing. In the unchecked mode the program promises. Either way `assume` has
// done its work and goes.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TRANSFORMS_BOUNDSREWRITER_H
#define GOLDYC_LIB_TRANSFORMS_BOUNDSREWRITER_H

#include "BoundsPlan.h"
#include "RewritePass.h"

#include <set>

namespace goldy {

class BoundsRewriter : public PassRewriter {
public:
  /// `WithRegions`: copies are made, not guards alone.
  BoundsRewriter(Module &M, const Function &Src, PassContext &Context,
                 bool WithRegions);

protected:
  InstId visit(InstId I) override;

private:
  InstId guardAccess(InstId I);
  InstId withoutAccess(InstId I);
  InstId uniformLoad(InstId I, ValueId Guard);
  ValueId condition(const AccessIndex &A);
  ValueId both(ValueId A, ValueId C) {
    return A && C ? B.op(Op::And, {A, C}) : A ? A : C;
  }

  const BoundsRegion *regionAt(InstId I) const;
  bool isPiece(InstId I) const;
  void emitRegion(const BoundsRegion &R);
  void emitCopies(ValueId Test, const BoundsRegion &R,
                  const std::vector<InstId> &Statements);
  ValueId testOf(const BoundsRegion &R);
  /// The value at the place where the builder stands, made there if need be.
  ValueId available(ValueId V);
  void copyStatements(const std::vector<InstId> &Statements);
  void renewSlots(const std::vector<InstId> &Statements);
  std::vector<InstId> statementsOf(const BoundsRegion &R) const;

  Structure Where;
  Ranges Known;
  BoundsPlan Plan;
  std::vector<bool> Unchecked; ///< per index: covered where we stand
  std::set<InstId> Done;       ///< statements that a region has taken along
  std::vector<const BoundsRegion *> Begun;
  bool InChecked = false; ///< within a copy that keeps its checks
  std::map<ValueId, ValueId> Again;
  const BoundsRegion *InPieces = nullptr; ///< the body's, if in pieces
  ValueId PieceTest;
  std::set<InstId> PiecesBegun;
};

} // namespace goldy

#endif
