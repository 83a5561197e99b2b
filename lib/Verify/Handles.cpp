//===- Handles.cpp - Rules on handles, placement and scopes
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V10 handles are in range · V11 operands point backwards · V12 every placed
// instruction and every block has exactly one place · V13 handles grow in
// program order · V14 a value is used where it is visible · V15 (G0656)
// statements nest at most 1000 deep.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

namespace goldy::verifier {
namespace {

bool isLeaf(const Inst &I) { return opInfo(I.Opcode).Effects == Effect::Leaf; }

class HandleChecker {
public:
  HandleChecker(const Module &M, const Function &F, Reporter &R)
      : M(M), F(F), R(R) {}

  bool run() {
    if (!F.Blocks.contains(F.Body)) {
      R.rule(10, &F, F.Loc) << "the function has no body";
      return false;
    }
    for (uint32_t N = 0; N < F.Places.size(); ++N)
      checkPlace(F.Places[PlaceId(N)]);
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      checkInst(InstId(N));
    for (const Block &B : F.Blocks)
      for (InstId I : B.Insts)
        if (!F.Insts.contains(I))
          complain(10, "a block holds an instruction that is not there");
    return Good && checkPlacement();
  }

private:
  void complain(unsigned Rule, InstId I, const std::string &Text) {
    R.rule(Rule, F, I) << Text;
    Good = false;
  }
  void complain(unsigned Rule, const std::string &Text) {
    R.rule(Rule, &F, F.Loc) << Text;
    Good = false;
  }
  bool baseInRange(PlaceBase B) const {
    switch (B.Kind) {
    case BaseKind::Param:
      return B.Index < F.Params.size();
    case BaseKind::Workgroup:
      return B.Index < F.WorkgroupArrays.size();
    case BaseKind::Slot:
      return B.Index < F.Slots.size();
    case BaseKind::Table:
      return B.Index < M.Tables.size();
    }
    return false;
  }
  void checkPlace(const Place &P) {
    if (!baseInRange(P.Base) || !M.Types.contains(P.Type))
      complain(10, "a place has a base or type that is not there");
    for (const PathElement &E : P.Path)
      if (E.isDynamic() && !F.Insts.contains(E.Index))
        complain(10, "a place has an index that is not there");
  }
  void checkInst(InstId I);
  void checkReferences(InstId I);
  bool checkPlacement();
  bool tooDeep(InstId I) {
    R.sink().report(diag::G0656, F.Insts[I].Loc)
        << "statements in `" << F.Name << "` are nested more than "
        << MaxNesting << " levels deep";
    return false;
  }

  const Module &M;
  const Function &F;
  Reporter &R;
  bool Good = true;
};

void HandleChecker::checkInst(InstId I) {
  const Inst &N = F.Insts[I];
  if (static_cast<unsigned>(N.Opcode) >= NumOps)
    return complain(10, "an instruction has no operation");
  uint64_t End = uint64_t(N.FirstOperand) + N.NumOperands;
  if (End > F.OperandPool.size())
    return complain(10, I, "operands lie outside the pool");
  if (!M.Types.contains(N.Type) || N.Name >= F.Names.size())
    return complain(10, I, "type or name is not there");
  if ((N.Flags & FlagGuarded) && N.NumOperands == 0)
    return complain(20, I, "the guard is missing");
  for (ValueId V : F.operands(N)) {
    if (!F.Insts.contains(V))
      complain(10, I, "an operand is not there");
    else if (V >= I)
      complain(11, I, "an operand does not come before it");
  }
  checkReferences(I);
}

void HandleChecker::checkReferences(InstId I) {
  const Inst &N = F.Insts[I];
  auto Missing = [](auto &Arena, auto Handle) {
    return Handle.isValid() && !Arena.contains(Handle);
  };
  if (Missing(F.Places, N.Where) || Missing(F.Blocks, N.Blocks[0]) ||
      Missing(F.Blocks, N.Blocks[1]) || Missing(F.Insts, N.Target) ||
      Missing(F.Insts, N.Var) || Missing(M.Functions, N.Callee))
    return complain(10, I, "it refers to something that is not there");
  if (N.Target && N.Target >= I)
    complain(11, I, "its target does not come before it");
  if (N.Where)
    for (const PathElement &E : F.Places[N.Where].Path)
      if (E.isDynamic() && E.Index >= I)
        complain(11, I, "an index does not come before it");
}

/// Walks the tree of blocks without recursion, so that a cycle or a deep nest
/// cannot exhaust the stack.
bool HandleChecker::checkPlacement() {
  SideMap<Inst, bool> Placed{false};
  SideMap<Block, bool> Owned{false};
  struct Frame {
    BlockId Block;
    unsigned Depth;
    size_t Next = 0;
  };
  std::vector<Frame> Stack{{F.Body, 0}};
  Owned.set(F.Body, true);
  uint32_t Latest = 0;
  while (!Stack.empty()) {
    Frame &Top = Stack.back();
    if (Top.Next == F.Blocks[Top.Block].Insts.size()) {
      Stack.pop_back();
      continue;
    }
    InstId I = F.Blocks[Top.Block].Insts[Top.Next++];
    if (Placed[I] || isLeaf(F.Insts[I])) {
      complain(12, I, "it is placed twice, or is a leaf in a block");
      return false;
    }
    Placed.set(I, true);
    if (I.index() < Latest)
      complain(13, I, "its handle is smaller than that of what stands before");
    Latest = I.index();
    unsigned Depth = Top.Depth + 1;
    for (unsigned N = 2; N-- > 0;) {
      BlockId Inner = F.Insts[I].Blocks[N];
      if (!Inner)
        continue;
      if (Owned[Inner]) {
        complain(12, I, "its block belongs to something else");
        return false;
      }
      Owned.set(Inner, true);
      Stack.push_back({Inner, Depth});
      if (Depth > MaxNesting)
        return tooDeep(I);
    }
  }
  for (uint32_t N = 0; N < F.Insts.size(); ++N)
    if (!Placed[InstId(N)] && !isLeaf(F.Insts[InstId(N)]))
      complain(12, InstId(N), "it is in no block");
  return Good;
}

/// Walks with the set of visible values; the nesting is bounded by V15.
class ScopeChecker {
public:
  ScopeChecker(const Function &F, Reporter &R) : F(F), R(R) {
    for (uint32_t N = 0; N < F.Insts.size(); ++N)
      Visible.set(InstId(N), isLeaf(F.Insts[InstId(N)]) &&
                                 F.Insts[InstId(N)].Opcode != Op::LoopVar);
  }
  bool run() {
    walk(F.Body);
    return Good;
  }

private:
  void walk(BlockId B);
  void walkInner(InstId I);
  void use(InstId I, ValueId V) {
    if (Visible[V])
      return;
    R.rule(14, F, I) << "it uses " << describe(F, V)
                     << ", which is not visible here";
    Good = false;
  }

  const Function &F;
  Reporter &R;
  SideMap<Inst, bool> Visible{false};
  bool Good = true;
};

void ScopeChecker::walk(BlockId B) {
  for (InstId I : F.Blocks[B].Insts) {
    const Inst &N = F.Insts[I];
    for (ValueId V : F.operands(N))
      use(I, V);
    if (N.Where)
      for (const PathElement &E : F.Places[N.Where].Path)
        if (E.isDynamic())
          use(I, E.Index);
    walkInner(I);
    Visible.set(I, true);
  }
  for (InstId I : F.Blocks[B].Insts)
    Visible.set(I, false);
}

void ScopeChecker::walkInner(InstId I) {
  const Inst &N = F.Insts[I];
  bool OwnVar = N.Var && F.Insts[N.Var].Opcode == Op::LoopVar;
  if (OwnVar)
    Visible.set(N.Var, true);
  for (BlockId Inner : N.Blocks)
    if (Inner)
      walk(Inner);
  if (OwnVar)
    Visible.set(N.Var, false);
}

} // namespace

bool checkHandles(const Module &M, const Function &F, Reporter &R) {
  return HandleChecker(M, F, R).run();
}

bool checkScopes(const Module &M, const Function &F, Reporter &R) {
  return ScopeChecker(F, R).run();
}

} // namespace goldy::verifier
