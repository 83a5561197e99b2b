//===- Bounds.cpp - The rule on indices becomes explicit guards
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the checked mode an access whose index is not certainly in range gets a
// guard: the index below the buffer's length or the array's extent, and not
// negative where that is not implied. An access that is certainly out of range
// becomes a zero or nothing. In the unchecked mode the program promises. Either
// way promises made by `assume` have done their work and go.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Ranges.h"

namespace goldy {
namespace {

/// What is known of one index.
enum class IndexState : uint8_t { Inside, Outside, Unknown };

class BoundsRewriter : public PassRewriter {
public:
  BoundsRewriter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context), Known(M, Src) {}

protected:
  InstId visit(InstId I) override;

private:
  InstId guardAccess(InstId I);
  InstId withoutAccess(InstId I);
  IndexState stateOf(const PathElement &E, const PlaceBase &Base,
                     uint64_t Extent) const;
  ValueId condition(const PathElement &E, const PlaceBase &Base,
                    uint64_t Extent);
  ValueId both(ValueId A, ValueId C) {
    return A && C ? B.op(Op::And, {A, C}) : A ? A : C;
  }

  Ranges Known;
};

/// Calls `Visit(element, extent)` for every index of a path; the extent of a
/// buffer, which only its length knows, is 0.
template <class Fn>
void forEachIndex(const Module &M, const Function &F, const Place &P,
                  Fn Visit) {
  bool Buffer = P.Base.Kind == BaseKind::Param &&
                F.Params[P.Base.Index].Kind != ParamKind::Uniform;
  TypeId T = baseType(M, F, P.Base);
  for (size_t K = 0; K < P.Path.size(); ++K) {
    const PathElement &E = P.Path[K];
    if (Buffer && K == 0) {
      Visit(E, uint64_t(0));
      continue;
    }
    if (M.Types.kind(T) == TypeKind::Array)
      Visit(E, uint64_t(M.Types.memberCount(T)));
    T = M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
  }
}

InstId BoundsRewriter::visit(InstId I) {
  Op O = Src.Insts[I].Opcode;
  if (O == Op::Assume && spend())
    return {};
  bool Access = O == Op::Load || O == Op::Store || isAtomic(O);
  return Access && M.Bounds == BoundsMode::Checked ? guardAccess(I) : copy(I);
}

InstId BoundsRewriter::guardAccess(InstId I) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  Known.moveTo(I);
  std::vector<std::pair<PathElement, uint64_t>> Open;
  bool Outside = false;
  forEachIndex(M, Src, P, [&](const PathElement &E, uint64_t Extent) {
    IndexState S = stateOf(E, P.Base, Extent);
    Outside |= S == IndexState::Outside;
    if (S == IndexState::Unknown)
      Open.push_back({E, Extent});
  });
  if ((!Outside && Open.empty()) || !spend())
    return copy(I);
  if (Outside)
    return withoutAccess(I);
  ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
  for (const auto &[E, Extent] : Open)
    Guard = both(Guard, condition(E, P.Base, Extent));
  return copyAccess(I, mapPlace(Src.Insts[I].Where), Guard);
}

InstId BoundsRewriter::withoutAccess(InstId I) {
  TypeId T = Src.Insts[I].Type;
  return T == types::Void ? InstId() : B.zero(T);
}

IndexState BoundsRewriter::stateOf(const PathElement &E, const PlaceBase &Base,
                                   uint64_t Extent) const {
  if (!E.isDynamic())
    return Extent ? IndexState::Inside : IndexState::Unknown;
  if (!Extent)
    return Known.isBelowLength(E.Index, Base) ? IndexState::Inside
                                              : IndexState::Unknown;
  Interval R = Known.rangeOf(E.Index);
  int64_t Last = static_cast<int64_t>(Extent) - 1;
  if (R.within(0, Last))
    return IndexState::Inside;
  return R.Hi < 0 || R.Lo > Last ? IndexState::Outside : IndexState::Unknown;
}

ValueId BoundsRewriter::condition(const PathElement &E, const PlaceBase &Base,
                                  uint64_t Extent) {
  ValueId Index = E.isDynamic() ? map(E.Index) : B.u32(E.Member);
  bool Signed = Dst.typeOf(Index) == types::I32;
  ValueId Bits = Signed ? B.cast(Index, types::U32) : Index;
  // Extents are below 2^31: a negative index is above them as a u32.
  if (Extent)
    return B.op(Op::Lt, {Bits, B.u32(static_cast<uint32_t>(Extent))});
  ValueId Below = B.op(Op::Lt, {Bits, B.len(Base)});
  if (!Signed || Known.rangeOf(E.Index).Lo >= 0)
    return Below;
  return both(B.op(Op::Ge, {Index, B.i32(0)}), Below);
}

class BoundsPass : public Pass {
public:
  std::string_view name() const override { return "bounds"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<BoundsRewriter>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createBoundsPass() {
  return std::make_unique<BoundsPass>();
}

} // namespace goldy
