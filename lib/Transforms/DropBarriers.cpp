//===- DropBarriers.cpp - Barriers that order nothing ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier orders what the group did since the one before it and what it does
// until the next. If no part of memory (the buffers together, or one workgroup
// array) is touched on both sides and stored to on one, it orders nothing, and
// the two phases become one. So where a reduction ends and the next one begins
// one barrier is left of two, and none where the kernel ends after the last.
//
// Barriers of the kernel's body and of branches in it are looked at; a loop's
// phases go round, and stay. When the kernel begins, the group stores zeros to
// its arrays.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <algorithm>
#include <map>
#include <set>

namespace goldy {
namespace {

/// A part of memory: the buffers, or a workgroup array.
using Part = uint32_t;
constexpr Part Buffers = 0, FirstArray = 1;

/// What the group does in a phase, or in a piece of one.
struct Accesses {
  std::set<Part> Touched, Stored;
  bool Unknown = false; ///< anything
  void add(const Accesses &A) {
    Touched.insert(A.Touched.begin(), A.Touched.end());
    Stored.insert(A.Stored.begin(), A.Stored.end());
    Unknown |= A.Unknown;
  }
  bool isNothing() const { return !Unknown && Touched.empty(); }
};

bool meet(const std::set<Part> &A, const std::set<Part> &B) {
  return std::any_of(A.begin(), A.end(), [&](Part P) { return B.count(P); });
}

bool needOrder(const Accesses &A, const Accesses &B) {
  if (A.isNothing() || B.isNothing())
    return false;
  return A.Unknown || B.Unknown || meet(A.Stored, B.Touched) ||
         meet(A.Touched, B.Stored);
}

Accesses anything() {
  Accesses A;
  A.Unknown = true;
  return A;
}

class BarrierDropper : public PassRewriter {
public:
  BarrierDropper(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    bool Any = false;
    forEachInst(Src,
                [&](InstId I) { Any |= Src.Insts[I].Opcode == Op::Barrier; });
    if (!Any)
      return;
    Accesses Zeros;
    for (Part P = 0; P < Src.WorkgroupArrays.size(); ++P)
      Zeros.Stored.insert(FirstArray + P);
    Zeros.Touched = Zeros.Stored;
    plan(Src.Body, Zeros, {});
  }

protected:
  InstId visit(InstId I) override {
    return Dropped[I] && spend() ? InstId() : copy(I);
  }

private:
  bool isMeeting(InstId I) const {
    Op O = Src.Insts[I].Opcode;
    return opInfo(O).Effects == Effect::Sync && !exchangesLanes(O);
  }
  /// True if the statement neither accesses memory nor meets.
  bool isQuiet(InstId I) const {
    Op O = Src.Insts[I].Opcode;
    return !Src.Insts[I].Blocks[0] && !accessesPlace(O) && !isMeeting(I) &&
           O != Op::Call;
  }
  bool hasMeeting(InstId I) const;
  Accesses accessesOf(InstId I) const;
  const Accesses &allOf(InstId I) const;
  void plan(BlockId B, Accesses Before, const Accesses &After);
  void planBranches(InstId If, const Accesses &Before, const Accesses &After);
  Accesses until(const std::vector<InstId> &Insts, size_t From,
                 const Accesses &After) const;

  SideMap<Inst, bool> Dropped{false};
  mutable std::map<InstId, Accesses> Known; ///< of statements with blocks
};

bool BarrierDropper::hasMeeting(InstId I) const {
  bool Found = isMeeting(I);
  forEachWithin(Src, I, [&](InstId X) { Found |= isMeeting(X); });
  return Found;
}

/// Blocks in it aside.
Accesses BarrierDropper::accessesOf(InstId I) const {
  const Inst &N = Src.Insts[I];
  Accesses A;
  if (N.Opcode == Op::Call || isCollective(N.Opcode))
    return anything();
  if (!accessesPlace(N.Opcode))
    return A;
  const PlaceBase &Base = Src.Places[N.Where].Base;
  if (Base.Kind == BaseKind::Slot || Base.Kind == BaseKind::Table)
    return A;
  Part P = Base.Kind == BaseKind::Param ? Buffers : FirstArray + Base.Index;
  A.Touched = {P};
  if (N.Opcode == Op::Store || isAtomic(N.Opcode))
    A.Stored = {P};
  return A;
}

const Accesses &BarrierDropper::allOf(InstId I) const {
  auto [At, New] = Known.try_emplace(I);
  if (!New)
    return At->second;
  Accesses &A = At->second = accessesOf(I);
  forEachWithin(Src, I, [&](InstId X) {
    if (!isQuiet(X))
      A.add(accessesOf(X));
  });
  return A;
}

/// What may follow in the same phase: up to a barrier that is certain, and
/// behind it nothing. A statement that holds one is passed over as a whole.
Accesses BarrierDropper::until(const std::vector<InstId> &Insts, size_t From,
                               const Accesses &After) const {
  Accesses A;
  for (size_t N = From; N < Insts.size(); ++N) {
    if (isQuiet(Insts[N]))
      continue;
    if (isMeeting(Insts[N])) {
      if (Src.Insts[Insts[N]].Opcode != Op::Barrier)
        A.add(accessesOf(Insts[N]));
      return A;
    }
    A.add(allOf(Insts[N]));
  }
  A.add(After);
  return A;
}

/// `Before` and `After`: of the phases in which the block begins and ends.
void BarrierDropper::plan(BlockId B, Accesses Before, const Accesses &After) {
  const std::vector<InstId> &Insts = Src.Blocks[B].Insts;
  for (size_t N = 0; N < Insts.size(); ++N) {
    InstId I = Insts[N];
    if (isQuiet(I))
      continue;
    if (Src.Insts[I].Opcode == Op::Barrier) {
      bool Drop = !needOrder(Before, until(Insts, N + 1, After));
      Dropped.set(I, Drop);
      if (!Drop)
        Before = {};
      continue;
    }
    if (isMeeting(I)) {
      Before = accessesOf(I);
      continue;
    }
    if (hasMeeting(I))
      planBranches(I, Before, until(Insts, N + 1, After));
    Before.add(allOf(I));
  }
}

void BarrierDropper::planBranches(InstId If, const Accesses &Before,
                                  const Accesses &After) {
  if (Src.Insts[If].Opcode != Op::If)
    return;
  for (BlockId Inner : Src.Insts[If].Blocks)
    if (Inner)
      plan(Inner, Before, After);
}

class DropBarriersPass : public Pass {
public:
  std::string_view name() const override { return "drop-barriers"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<BarrierDropper>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createDropBarriersPass() {
  return std::make_unique<DropBarriersPass>();
}

} // namespace goldy
