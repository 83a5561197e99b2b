//===- JoinAccesses.cpp - Components of one element move together ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalarise leaves one access a component. Those of one element of a buffer or
// workgroup array of vectors, of 8 or 16 bytes, become one access of the whole:
// loads of at least half of the components where the first one stands, stores
// of all where the last one stands, unless something between may touch the same
// memory. Accesses under one guard stay under it. The vectors live from their
// load to the extracts, or from the construct to the store; nothing else is
// done with them. Wants cse before, which makes equal guards one value.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/IR/VectorMemory.h"

#include <algorithm>

namespace goldy {
namespace {

/// Accesses of one element by component; invalid where there is none.
struct Run {
  Op Opcode;
  PlaceBase Base;
  PathElement Index;
  ValueId Guard;
  TypeId Vector;
  std::array<InstId, 4> Members;
  InstId First, Last;
  bool Joined = false;
};

class AccessJoiner : public PassRewriter {
public:
  AccessJoiner(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    for (const Inst &I : Src.Insts)
      if (I.Opcode == Op::ToBits || I.Opcode == Op::NumberBits)
        WantsBits.set(Src.operands(I)[0], true);
    for (const Block &B : Src.Blocks)
      scan(B);
    for (Run &R : Runs)
      R.Joined = isWorthwhile(R) && spend();
  }

protected:
  InstId visit(InstId I) override;

private:
  using OpenRuns = std::vector<uint32_t>;
  void scan(const Block &B);
  void access(InstId I, OpenRuns &Open);
  std::optional<Run> startOf(InstId I) const;
  TypeId vectorAt(const Place &P) const;
  bool movesAsWord(InstId I) const;
  bool isWorthwhile(const Run &R) const;
  InstId load(const Run &R);
  InstId store(const Run &R);
  PlaceId whole(const Run &R);

  std::vector<Run> Runs;
  SideMap<Inst, uint32_t> RunOf{~0u};
  SideMap<Inst, bool> WantsBits{false};
};

/// Two parameters may name one view; arrays are apart.
bool mayMeet(const PlaceBase &A, const PlaceBase &B) {
  return A.Kind == B.Kind && (A.Kind == BaseKind::Param || A.Index == B.Index);
}

bool isPlain(Op O) { return O == Op::Load || O == Op::Store; }

/// The element's type if the place is a component of one that may move whole.
TypeId AccessJoiner::vectorAt(const Place &P) const {
  if (P.Path.size() != 2 || P.Path[1].isDynamic())
    return {};
  TypeId T = baseType(M, Src, P.Base);
  if (P.Base.Kind == BaseKind::Workgroup)
    T = M.Types[T].Element;
  else if (P.Base.Kind != BaseKind::Param || !Context.Caps.VectorBuffers ||
           Src.Params[P.Base.Index].Kind != ParamKind::Buffer)
    return {};
  return movesWhole(M.Types, T) ? T : TypeId();
}

bool AccessJoiner::movesAsWord(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (!Context.Caps.BitsAsWords)
    return false;
  return N.Opcode == Op::Load
             ? WantsBits[I]
             : Src.Insts[Src.operand(I, 0)].Opcode == Op::FromBits;
}

/// A run of this access alone, if it may be part of one.
std::optional<Run> AccessJoiner::startOf(InstId I) const {
  const Inst &N = Src.Insts[I];
  const Place &P = Src.Places[N.Where];
  TypeId T = isPlain(N.Opcode) ? vectorAt(P) : TypeId();
  if (!T || movesAsWord(I))
    return std::nullopt;
  Run R{N.Opcode, P.Base, P.Path[0], Src.guard(I), T, {}, I, I};
  R.Members[P.Path[1].Member] = I;
  return R;
}

void AccessJoiner::access(InstId I, OpenRuns &Open) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  if (P.Base.Kind == BaseKind::Slot || P.Base.Kind == BaseKind::Table)
    return;
  std::optional<Run> Own = startOf(I);
  uint32_t Joined = ~0u;
  std::erase_if(Open, [&](uint32_t N) {
    Run &R = Runs[N];
    bool Same = Own && R.Opcode == Own->Opcode && R.Base == Own->Base &&
                R.Index == Own->Index && R.Guard == Own->Guard;
    if (Same && Joined == ~0u && !R.Members[P.Path[1].Member]) {
      R.Members[P.Path[1].Member] = R.Last = I;
      RunOf.set(I, Joined = N);
      return false;
    }
    bool BothLoad = R.Opcode == Op::Load && Src.Insts[I].Opcode == Op::Load;
    return !BothLoad && mayMeet(R.Base, P.Base);
  });
  if (!Own || Joined != ~0u)
    return;
  RunOf.set(I, static_cast<uint32_t>(Runs.size()));
  Open.push_back(static_cast<uint32_t>(Runs.size()));
  Runs.push_back(*Own);
}

/// Runs of one block; control, barriers and atomics end all that are open.
void AccessJoiner::scan(const Block &B) {
  OpenRuns Open;
  for (InstId I : B.Insts) {
    const Inst &N = Src.Insts[I];
    if (isPlain(N.Opcode))
      access(I, Open);
    else if (!isPure(N.Opcode))
      Open.clear();
  }
}

bool AccessJoiner::isWorthwhile(const Run &R) const {
  uint32_t Count = M.Types.memberCount(R.Vector);
  uint32_t There = static_cast<uint32_t>(
      std::count_if(R.Members.begin(), R.Members.end(),
                    [](InstId I) { return I.isValid(); }));
  return R.Opcode == Op::Store ? There == Count
                               : There >= 2 && There * 2 >= Count;
}

PlaceId AccessJoiner::whole(const Run &R) {
  PathElement Index = R.Index;
  if (Index.isDynamic())
    Index.Index = map(Index.Index);
  return B.place(R.Base, {Index});
}

InstId AccessJoiner::load(const Run &R) {
  ValueId V = B.load(whole(R), R.Guard ? map(R.Guard) : ValueId());
  for (uint32_t K = 0; K < R.Members.size(); ++K)
    if (R.Members[K]) {
      ValueId Part = B.extract(V, K);
      B.setName(Part, Src.nameOf(R.Members[K]));
      setMapping(R.Members[K], Part);
    }
  return {};
}

InstId AccessJoiner::store(const Run &R) {
  std::vector<ValueId> Parts;
  for (uint32_t K = 0; K < M.Types.memberCount(R.Vector); ++K)
    Parts.push_back(map(Src.operand(R.Members[K], 0)));
  return B.store(whole(R), B.construct(R.Vector, Parts),
                 R.Guard ? map(R.Guard) : ValueId());
}

InstId AccessJoiner::visit(InstId I) {
  if (RunOf[I] == ~0u || !Runs[RunOf[I]].Joined)
    return copy(I);
  const Run &R = Runs[RunOf[I]];
  bool Load = R.Opcode == Op::Load;
  if (I != (Load ? R.First : R.Last))
    return {};
  return Load ? load(R) : store(R);
}

class JoinAccessesPass : public Pass {
public:
  std::string_view name() const override { return "join-accesses"; }
  PassResult run(Module &M, PassContext &Context) override {
    if (!Context.Caps.VectorMemory)
      return PassResult::Unchanged;
    return rewriteFunctions<AccessJoiner>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createJoinAccessesPass() {
  return std::make_unique<JoinAccessesPass>();
}

} // namespace goldy
