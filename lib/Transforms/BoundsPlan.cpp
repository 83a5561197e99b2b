//===- BoundsPlan.cpp - Which accesses are checked
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the host a group's work-items are a loop, so a test for the group pays
// for any check; elsewhere a work-item makes the test itself, and it pays for
// checks in loops and for many checks.
//
//===----------------------------------------------------------------------===//
#include "BoundsPlan.h"

#include "goldyc/Analysis/Extents.h"

#include <algorithm>
#include <set>

namespace goldy {
namespace {

/// Statements that are copied, tests and assumptions of a region, at most.
constexpr size_t MaxRegion = 1 << 12, MaxTests = 24;
/// A body that is copied as a whole if it can be in pieces, and a piece.
constexpr size_t MaxWhole = 512, MaxPiece = 64;
/// Checks outside of loops that a test must save to pay for a work-item's own
/// making of it: it is a few operations where a check is a comparison.
constexpr size_t ChecksPerTest = 4;

/// True if the pass for images guards the first indices.
bool isGuardedBefore(const Function &F, const PlaceBase &Base) {
  if (Base.Kind != BaseKind::Param)
    return false;
  const Param &P = F.Params[Base.Index];
  return P.Kind == ParamKind::Image || P.ExpandedFrom;
}

/// Calls `Visit(element, extent)` for every index of a path that is to be
/// checked here; the extent of a buffer, which only its length knows, is 0.
template <class Fn>
void forEachIndex(const Module &M, const Function &F, const Place &P,
                  Fn Visit) {
  size_t Leading = leadingIndices(F, P.Base);
  TypeId T = baseType(M, F, P.Base);
  for (size_t K = 0; K < P.Path.size(); ++K) {
    const PathElement &E = P.Path[K];
    if (K < Leading) {
      if (!isGuardedBefore(F, P.Base))
        Visit(E, uint64_t(0));
      continue;
    }
    if (M.Types.kind(T) == TypeKind::Array)
      Visit(E, uint64_t(M.Types.memberCount(T)));
    T = M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
  }
}

class Planner {
public:
  Planner(const Module &M, const Function &F, const Capabilities &Caps)
      : M(M), F(F), Caps(Caps), Known(M, F), Where(F) {}

  BoundsPlan run(bool WithRegions);

private:
  void collect();
  IndexState stateOf(const AccessIndex &A) const;
  bool isOpen(unsigned N) const {
    return Plan.Indices[N].State == IndexState::Open && !Covered[N];
  }

  void planBody();
  void planLoops(BlockId B);
  void planAssumptions();
  bool planLoop(InstId Loop);
  bool planFrom(InstId Assume);
  BoundsRegion attempt(const BoundsRegion &Region);
  BoundsRegion attemptWith(BoundsRegion Region,
                           const std::vector<InstId> &Assumes);
  void cover(BoundsRegion &Region, unsigned N);
  void addTest(BoundsRegion &Region, BoundTest Test) const;
  std::vector<InstId> assumptionsIn(const BoundsRegion &Region) const;
  void addPieces(BlockId B, const BoundsRegion &Whole,
                 std::vector<InstId> &Pieces) const;
  bool accept(BoundsRegion Region);
  bool isFrugal() const { return Caps.Target != TargetKind::Host; }
  bool isIn(const BoundsRegion &Region, InstId I) const;
  bool isInLoop(InstId I) const;
  bool isCopied(InstId I) const;
  size_t sizeOf(const BoundsRegion &Region) const;
  size_t checksIn(const BoundsRegion &Region) const;
  bool hasBarrier(const BoundsRegion &Region) const;
  template <class Fn>
  void forEachIn(const BoundsRegion &Region, Fn Visit) const;

  const Module &M;
  const Function &F;
  const Capabilities &Caps;
  Ranges Known;
  Structure Where;
  BoundsPlan Plan;
  std::vector<bool> Covered;
};

// --- Every index

IndexState Planner::stateOf(const AccessIndex &A) const {
  if (!A.Element.isDynamic())
    return A.Extent ? IndexState::Inside : IndexState::Open;
  ValueId Index = A.Element.Index;
  if (!A.Extent)
    return Known.isBelowLength(Index, A.Base) ? IndexState::Inside
                                              : IndexState::Open;
  Interval R = Known.rangeOf(Index);
  int64_t Last = static_cast<int64_t>(A.Extent) - 1;
  if (R.within(0, Last))
    return IndexState::Inside;
  return R.Hi < 0 || R.Lo > Last ? IndexState::Outside : IndexState::Open;
}

void Planner::collect() {
  forEachInst(F, [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    if (!accessesPlace(O))
      return;
    const Place &P = F.Places[F.Insts[I].Where];
    unsigned First = static_cast<unsigned>(Plan.Indices.size()), Count = 0;
    forEachIndex(M, F, P, [&](const PathElement &E, uint64_t Extent) {
      if (Count == 0)
        Known.moveTo(I);
      AccessIndex A{I, Count++, E, P.Base, Extent, IndexState::Open};
      A.State = stateOf(A);
      Plan.Indices.push_back(A);
    });
    if (Count)
      Plan.IndicesOf.set(I, {First, Count});
  });
  Covered.resize(Plan.Indices.size());
}

// --- Regions

template <class Fn>
void Planner::forEachIn(const BoundsRegion &Region, Fn Visit) const {
  bool Started = false;
  for (InstId I : F.Blocks[Where.blockOf(Region.Entry.At)].Insts) {
    Started |= I == Region.Entry.At;
    if (!Started)
      continue;
    Visit(I);
    forEachWithin(F, I, Visit);
    if (!Region.ToEnd)
      return;
  }
}

bool Planner::isIn(const BoundsRegion &Region, InstId I) const {
  if (!Region.Pieces.empty())
    return std::any_of(
        Region.Pieces.begin(), Region.Pieces.end(), [&](InstId Piece) {
          return isIn(BoundsRegion{{Piece}, {}, false, {}, {}, {}}, I);
        });
  BlockId Block = Where.blockOf(Region.Entry.At);
  while (I && Where.blockOf(I) != Block)
    I = Where.parentOf(I);
  return I && (Region.ToEnd ? I >= Region.Entry.At : I == Region.Entry.At);
}

size_t Planner::sizeOf(const BoundsRegion &Region) const {
  size_t Size = 0;
  forEachIn(Region, [&](InstId) { ++Size; });
  return Size;
}

/// Comparisons that the region saves: components of an element share one.
size_t Planner::checksIn(const BoundsRegion &Region) const {
  std::set<std::array<uint32_t, 3>> Checks;
  for (unsigned N : Region.Covered) {
    const AccessIndex &A = Plan.Indices[N];
    Checks.insert({A.Base.Index, A.Element.Index.index(), A.Element.Member});
  }
  return Checks.size();
}

bool Planner::hasBarrier(const BoundsRegion &Region) const {
  bool Found = false;
  forEachIn(Region, [&](InstId I) {
    Found |= opInfo(F.Insts[I].Opcode).Effects == Effect::Sync;
  });
  return Found;
}

bool Planner::isInLoop(InstId I) const {
  for (InstId P = Where.parentOf(I); P; P = Where.parentOf(P))
    if (isLoop(F.Insts[P].Opcode))
      return true;
  return false;
}

/// In a region that begins at an assumption.
bool Planner::isCopied(InstId I) const {
  return std::any_of(
      Plan.Regions.begin(), Plan.Regions.end(),
      [&](const BoundsRegion &R) { return !R.Entry.PerGroup && isIn(R, I); });
}

/// Assumptions whose conditions can be had where the region begins.
std::vector<InstId> Planner::assumptionsIn(const BoundsRegion &Region) const {
  std::vector<InstId> Result;
  BoundTerms Terms;
  UpperBounds Finder(M, F, Known, Where, Terms, Region.Entry);
  forEachIn(Region, [&](InstId I) {
    if (F.Insts[I].Opcode == Op::Assume &&
        (I == Region.Entry.At || Finder.isAvailable(F.operand(I, 0))))
      Result.push_back(I);
  });
  return Result;
}

/// Keeps the tests of a limit that no other implies.
void Planner::addTest(BoundsRegion &Region, BoundTest Test) const {
  auto Implies = [&](const BoundTest &A, const BoundTest &B) {
    return A.Limit == B.Limit && Plan.Terms.isBelow(B.Upper, A.Upper);
  };
  for (const BoundTest &Old : Region.Tests)
    if (Implies(Old, Test))
      return;
  std::erase_if(Region.Tests,
                [&](const BoundTest &Old) { return Implies(Test, Old); });
  Region.Tests.push_back(Test);
}

/// Covers an index if it is inside by what the region assumes, or if a test
/// can say so that is not false whatever happens.
void Planner::cover(BoundsRegion &Region, unsigned N) {
  const AccessIndex &A = Plan.Indices[N];
  Known.moveTo(A.Access);
  if (stateOf(A) == IndexState::Inside)
    return Region.Covered.push_back(N);
  BoundsPlan::Stay &Why = Plan.Stays[N];
  Why.Reason = CheckReason::Limits;
  if (Region.Tests.size() >= MaxTests)
    return;
  Why.Reason = CheckReason::Unbounded;
  ParamKind Kind = A.Extent ? ParamKind::Buffer : F.Params[A.Base.Index].Kind;
  if (Kind != ParamKind::Buffer && Kind != ParamKind::Tensor)
    return;
  BoundTerms &Terms = Plan.Terms;
  UpperBounds Finder(M, F, Known, Where, Terms, Region.Entry);
  std::optional<BoundId> Upper = A.Element.isDynamic()
                                     ? Finder.of(A.Element.Index)
                                     : Terms.constant(A.Element.Member);
  if (!Upper) {
    Why.Cause = Finder.unbounded();
    return;
  }
  Why.Reason = CheckReason::PastEnd;
  BoundId Limit = A.Extent ? Terms.constant(static_cast<uint32_t>(A.Extent))
                           : Terms.length(firstOfLength(F, A.Base.Index));
  if (Terms.isBelow(Limit, *Upper))
    return;
  Region.Covered.push_back(N);
  if (!A.Extent || Terms[*Upper].Most >= A.Extent)
    addTest(Region, {*Upper, Limit});
}

BoundsRegion Planner::attemptWith(BoundsRegion Region,
                                  const std::vector<InstId> &Assumes) {
  for (InstId I : Assumes) {
    Known.trust(I, true);
    Region.Assumes.push_back(I);
  }
  for (unsigned N = 0; N < Plan.Indices.size(); ++N)
    if (isOpen(N) && isIn(Region, Plan.Indices[N].Access))
      cover(Region, N);
  for (InstId I : Assumes)
    Known.trust(I, false);
  return Region;
}

static size_t costOf(const BoundsRegion &R) {
  return R.Tests.size() + R.Assumes.size();
}

/// With those assumptions that help: they cover more, or are no dearer than
/// the tests that they replace.
BoundsRegion Planner::attempt(const BoundsRegion &Region) {
  BoundsRegion Plain = attemptWith(Region, {});
  std::vector<InstId> Assumes = assumptionsIn(Region);
  if (Assumes.empty() || Assumes.size() > MaxTests)
    return Plain;
  BoundsRegion Best = attemptWith(Region, Assumes);
  for (size_t K = Assumes.size(); K-- > 0;) {
    std::vector<InstId> Fewer = Best.Assumes;
    std::erase(Fewer, Assumes[K]);
    BoundsRegion Less = attemptWith(Region, Fewer);
    if (Less.Covered.size() == Best.Covered.size() &&
        costOf(Less) < costOf(Best))
      Best = std::move(Less);
  }
  bool Better = Best.Covered.size() > Plain.Covered.size() ||
                costOf(Best) <= costOf(Plain);
  return Better ? Best : Plain;
}

bool Planner::accept(BoundsRegion Region) {
  if (Region.Covered.empty())
    return false;
  if (Region.Pieces.empty() && sizeOf(Region) > MaxRegion) {
    for (unsigned N : Region.Covered)
      Plan.Stays[N].Reason = CheckReason::Limits;
    return false;
  }
  for (unsigned N : Region.Covered)
    Covered[N] = true;
  Plan.Regions.push_back(std::move(Region));
  return true;
}

/// Small statements with blocks that hold covered accesses.
void Planner::addPieces(BlockId B, const BoundsRegion &Whole,
                        std::vector<InstId> &Pieces) const {
  for (InstId I : F.Blocks[B].Insts) {
    if (!F.Insts[I].Blocks[0])
      continue;
    BoundsRegion Piece;
    Piece.Entry = {I};
    bool Needed = std::any_of(
        Whole.Covered.begin(), Whole.Covered.end(),
        [&](unsigned N) { return isIn(Piece, Plan.Indices[N].Access); });
    if (Needed && sizeOf(Piece) <= MaxPiece) {
      Pieces.push_back(I);
      continue;
    }
    for (BlockId Inner : F.Insts[I].Blocks)
      if (Needed && Inner)
        addPieces(Inner, Whole, Pieces);
  }
}

void Planner::planBody() {
  if (F.Blocks[F.Body].Insts.empty())
    return;
  BoundsRegion Region;
  Region.Entry = {F.Blocks[F.Body].Insts.front(), true, isFrugal()};
  Region.ToEnd = true;
  size_t Size = sizeOf(Region);
  Region = attempt(Region);
  if (Size > MaxWhole) {
    BoundsRegion InPieces;
    InPieces.Entry = Region.Entry;
    InPieces.ToEnd = true;
    addPieces(F.Body, Region, InPieces.Pieces);
    if (!InPieces.Pieces.empty())
      InPieces = attempt(InPieces);
    if (InPieces.Covered.size() == Region.Covered.size())
      Region = std::move(InPieces);
  }
  bool Pays =
      Caps.Target == TargetKind::Host ||
      checksIn(Region) >= ChecksPerTest * costOf(Region) ||
      std::any_of(Region.Covered.begin(), Region.Covered.end(),
                  [&](unsigned N) { return isInLoop(Plan.Indices[N].Access); });
  if (Pays)
    accept(std::move(Region));
  else
    for (unsigned N : Region.Covered)
      Plan.Stays[N].Reason = CheckReason::NotRepeated;
}

bool Planner::planLoop(InstId Loop) {
  BoundsRegion Region;
  Region.Entry = {Loop, false, isFrugal()};
  return !hasBarrier(Region) && accept(attempt(Region));
}

void Planner::planLoops(BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    Op O = F.Insts[I].Opcode;
    if (isLoop(O) && planLoop(I))
      continue;
    for (BlockId Inner : F.Insts[I].Blocks)
      if (Inner)
        planLoops(Inner);
  }
}

/// Worth it for several checks, or one that is repeated.
bool Planner::planFrom(InstId Assume) {
  BoundsRegion Region;
  Region.Entry = {Assume, false, isFrugal()};
  Region.ToEnd = true;
  if (isCopied(Assume) || hasBarrier(Region))
    return false;
  Region = attempt(Region);
  bool Repeated = std::any_of(
      Region.Covered.begin(), Region.Covered.end(), [&](unsigned N) {
        return Where.parentOf(Plan.Indices[N].Access) != Where.parentOf(Assume);
      });
  return (Region.Covered.size() > 1 || Repeated) && accept(std::move(Region));
}

void Planner::planAssumptions() {
  std::vector<InstId> Assumes;
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Opcode == Op::Assume)
      Assumes.push_back(I);
  });
  for (InstId I : Assumes)
    planFrom(I);
}

BoundsPlan Planner::run(bool WithRegions) {
  collect();
  bool Any = std::any_of(
      Plan.Indices.begin(), Plan.Indices.end(),
      [](const AccessIndex &A) { return A.State == IndexState::Open; });
  if (Any && WithRegions && F.Kind == FuncKind::Kernel) {
    planBody();
    planAssumptions();
    planLoops(F.Body);
  }
  return std::move(Plan);
}

} // namespace

BoundsPlan planBounds(const Module &M, const Function &F,
                      const Capabilities &Caps, bool WithRegions) {
  return Planner(M, F, Caps).run(WithRegions);
}

} // namespace goldy
