//===- FuseCompose.cpp - Stages behind one another ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A return ends its stage: at the top of a stage it becomes a branch around the
// rest, deeper it leaves a block around the stage. Stages often do all they do
// under one condition, `if i < n`, or several; where the next stage has some of
// them, its statements go to the end of the same branches, so that the values
// of the first are at hand.
//
//===----------------------------------------------------------------------===//
#include "BodyCopier.h"
#include "FuseConditions.h"
#include "FusePlan.h"
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Transforms/Bake.h"

#include <algorithm>

using namespace goldy;

namespace {

// --- Preparing

/// The helpers and the one kernel, in a module of their own.
Module alone(const Module &M, FuncId Kernel) {
  Module One;
  One.Types = M.Types;
  One.Tables = M.Tables;
  One.Specs = M.Specs;
  One.Level = M.Level;
  One.Bounds = M.Bounds;
  One.Floats = M.Floats;
  // Helpers keep their numbers: they stand before all kernels that call them.
  for (uint32_t K = 0; K <= Kernel.index(); ++K) {
    const Function &F = M.Functions[FuncId(K)];
    bool Wanted = F.Kind == FuncKind::Helper || FuncId(K) == Kernel;
    One.Functions.push(Wanted ? F : Function());
  }
  return One;
}

// --- Composing

/// The statements of a block as some under a condition, behind others.
struct Guarded {
  std::span<const InstId> Before, Under;
  bool Seen = false; ///< others see what stands before
  ValueId Condition;
  bool Holds = true; ///< the statements run if the condition is this
};

/// A branch at the end of what has been composed, still open.
struct OpenBranch {
  std::string Name; ///< of the condition; empty: it has none
  BlockId Then;
};

struct Composition {
  FusePlan &P;
  Builder B;
  std::vector<OpenBranch> Chain; ///< from the outside
  explicit Composition(FusePlan &P) : P(P), B(P.M, P.Fused) {}
};

class StageCopier : public BodyCopier {
public:
  StageCopier(Composition &C, uint32_t Stage, uint32_t FirstArray)
      : BodyCopier(C.B, C.P.Stages[Stage]), C(C), ParamOf(C.P.ParamOf[Stage]),
        FirstArray(FirstArray), Conditions(C.P.M, Src, ParamOf) {}

  void run();

protected:
  ValueId mapParam(uint32_t Param) override { return B.param(ParamOf[Param]); }
  PlaceBase mapResource(uint32_t Param) override {
    return {BaseKind::Param, ParamOf[Param]};
  }
  PlaceBase mapWorkgroup(PlaceBase Base) override {
    return {BaseKind::Workgroup, FirstArray + Base.Index};
  }
  std::optional<InstId> replace(InstId I) override {
    if (Src.Insts[I].Opcode != Op::Return)
      return std::nullopt;
    return Exit ? B.breakTo(Exit) : InstId();
  }

private:
  void copyWaiting();
  void copyGuarded(const Guarded &G, size_t Depth);
  void copyStatements(std::span<const InstId> Insts, size_t Depth);
  std::optional<Guarded> guarded(std::span<const InstId> Insts) const;
  bool isUnseen(InstId I) const;
  bool isReturn(BlockId Block) const;
  bool hasDeepReturn(std::span<const InstId> Insts) const;
  size_t openBranches(std::vector<FuseCondition> Conditions, size_t Depth);
  ValueId rebuild(ValueId V);
  ValueId build(const FuseCondition &X);
  void copyUnder(const std::vector<FuseCondition> &Unnamed,
                 std::span<const InstId> Insts, size_t Depth);

  Composition &C;
  const std::vector<uint32_t> &ParamOf;
  uint32_t FirstArray;
  FuseConditions Conditions;
  InstId Exit; ///< what a return deep inside leaves
  std::vector<std::span<const InstId>> Waiting;
};

bool StageCopier::isReturn(BlockId Block) const {
  const std::vector<InstId> &Insts = Src.Blocks[Block].Insts;
  return Insts.size() == 1 && Src.Insts[Insts[0]].Opcode == Op::Return;
}

/// Effects of the statement end with the stage.
bool StageCopier::isUnseen(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (isPure(N.Opcode) || N.Opcode == Op::Load)
    return true;
  return N.Opcode == Op::Store && Src.slotOf(I);
}

std::optional<Guarded>
StageCopier::guarded(std::span<const InstId> Insts) const {
  bool Seen = false;
  for (size_t K = 0; K < Insts.size(); ++K) {
    const Inst &N = Src.Insts[Insts[K]];
    bool Branch = N.Opcode == Op::If && !N.Blocks[1];
    if (Branch && isReturn(N.Blocks[0]))
      return Guarded{Insts.first(K), Insts.subspan(K + 1), Seen,
                     Src.operand(Insts[K], 0), false};
    if (Branch && K + 1 == Insts.size())
      return Guarded{Insts.first(K), Src.Blocks[N.Blocks[0]].Insts, Seen,
                     Src.operand(Insts[K], 0), true};
    Seen |= !isUnseen(Insts[K]);
  }
  return std::nullopt;
}

/// True if a return would not be made a branch around the rest.
bool StageCopier::hasDeepReturn(std::span<const InstId> Insts) const {
  std::optional<Guarded> G = guarded(Insts);
  bool Deep = G && hasDeepReturn(G->Under);
  for (InstId I : G ? G->Before : Insts)
    forEachWithin(Src, I,
                  [&](InstId N) { Deep |= Src.Insts[N].Opcode == Op::Return; });
  return Deep;
}

/// Statements before a condition wait until it is known which branch they come
/// to: nobody sees them outside it.
void StageCopier::copyWaiting() {
  for (std::span<const InstId> Insts : std::exchange(Waiting, {}))
    copyAll(Insts);
}

/// Enters the branches of these conditions, those first that are open already.
/// Returns how many branches are around the statements then.
size_t StageCopier::openBranches(std::vector<FuseCondition> Conditions,
                                 size_t Depth) {
  auto Enter = [&](size_t Which) {
    B.setBlock(C.Chain[Depth++].Then);
    Conditions.erase(Conditions.begin() + static_cast<ptrdiff_t>(Which));
  };
  auto IsOpen = [&](const FuseCondition &X) {
    return X.Name == C.Chain[Depth].Name;
  };
  while (Depth < C.Chain.size()) {
    std::vector<FuseCondition>::iterator Open =
        std::find_if(Conditions.begin(), Conditions.end(), IsOpen);
    if (Open == Conditions.end())
      break;
    Enter(static_cast<size_t>(Open - Conditions.begin()));
  }
  C.Chain.resize(Depth);
  while (!Conditions.empty()) {
    InstId If = B.createIf(build(Conditions.front()), false);
    C.Chain.push_back(
        {Conditions.front().Name, B.function().Insts[If].Blocks[0]});
    Enter(0);
  }
  return Depth;
}

/// What the condition is made of stands in no block yet: it is made anew.
ValueId StageCopier::rebuild(ValueId V) {
  const Inst &N = Src.Insts[V];
  if (opInfo(N.Opcode).Effects == Effect::Leaf)
    return map(V);
  if (N.Opcode == Op::Len)
    return B.len(mapBase(Src.Places[N.Where].Base));
  std::vector<ValueId> Operands;
  for (ValueId Operand : Src.operands(V))
    Operands.push_back(rebuild(Operand));
  return B.opTyped(N.Opcode, N.Type, Operands, N.Imm);
}

ValueId StageCopier::build(const FuseCondition &X) {
  if (X.Comparison) {
    ValueId Operands[] = {rebuild(Src.operand(X.Value, 0)),
                          rebuild(Src.operand(X.Value, 1))};
    return B.op(*X.Comparison, Operands);
  }
  ValueId V = rebuild(X.Value);
  return X.Holds ? V : B.op(Op::Not, {V});
}

void StageCopier::copyUnder(const std::vector<FuseCondition> &Unnamed,
                            std::span<const InstId> Insts, size_t Depth) {
  ValueId All;
  for (const FuseCondition &X : Unnamed) {
    ValueId V = map(X.Value);
    if (!X.Holds)
      V = B.op(Op::Not, {V});
    All = All ? B.op(Op::And, {All, V}) : V;
  }
  InstId If = B.createIf(All, false);
  C.Chain.push_back({"", B.function().Insts[If].Blocks[0]});
  B.setBlock(C.Chain.back().Then);
  copyStatements(Insts, Depth + 1);
}

/// Branches of the conditions around what is under them, which end no sooner
/// than the statements do: what has to come before has been copied.
void StageCopier::copyGuarded(const Guarded &G, size_t Depth) {
  std::vector<FuseCondition> Named, Unnamed;
  Conditions.split(G.Condition, G.Holds, Named, Unnamed);
  Depth = openBranches(std::move(Named), Depth);
  if (Unnamed.empty())
    copyStatements(G.Under, Depth);
  else
    copyUnder(Unnamed, G.Under, Depth);
}

void StageCopier::copyStatements(std::span<const InstId> Insts, size_t Depth) {
  BlockId Outer = B.block();
  std::vector<FuseCondition> Named, Unnamed;
  std::optional<Guarded> G = guarded(Insts);
  while (G && !G->Seen && Unnamed.empty()) {
    Conditions.split(G->Condition, G->Holds, Named, Unnamed);
    Waiting.push_back(G->Before);
    Insts = G->Under;
    G = guarded(Insts);
  }
  Depth = openBranches(std::move(Named), Depth);
  copyWaiting();
  if (!Unnamed.empty()) {
    copyUnder(Unnamed, Insts, Depth);
  } else if (G) {
    copyAll(G->Before);
    copyGuarded(*G, Depth);
  } else {
    copyAll(Insts);
  }
  B.setBlock(Outer);
}

void StageCopier::run() {
  const std::vector<InstId> &Body = Src.Blocks[Src.Body].Insts;
  if (!hasDeepReturn(Body))
    return copyStatements(Body, 0);
  BlockId Outer = B.block();
  C.Chain.clear();
  Exit = B.createBlock();
  B.setBlock(B.function().Insts[Exit].Blocks[0]);
  copyStatements(Body, 0);
  C.Chain.clear();
  B.setBlock(Outer);
}

// --- Parameters

class Signature {
public:
  explicit Signature(FusePlan &P) : P(P) {}
  void build();

private:
  uint32_t paramFor(uint32_t Stage, uint32_t Param);

  FusePlan &P;
  std::map<uint32_t, std::vector<uint32_t>> Known; ///< by argument
};

Access both(Access A, Access B) { return A == B ? A : Access::ReadWrite; }

uint32_t Signature::paramFor(uint32_t Stage, uint32_t Param) {
  const goldy::Param &Own = P.Stages[Stage].Params[Param];
  uint32_t Argument = P.R.Stages[Stage].Arguments[Param];
  for (uint32_t K : Known[Argument]) {
    goldy::Param &Other = P.Fused.Params[K];
    if (Other.Kind != Own.Kind || Other.Type != Own.Type)
      continue;
    Other.Acc = both(Other.Acc, Own.Acc);
    P.Params[K].Origins.push_back({Stage, Param});
    return K;
  }
  uint32_t New = static_cast<uint32_t>(P.Params.size());
  P.Fused.Params.push_back(Own);
  P.Fused.Params.back().Name = "k" + std::to_string(Stage) + "_" + Own.Name;
  P.Params.push_back({Argument, {{Stage, Param}}});
  Known[Argument].push_back(New);
  return New;
}

void Signature::build() {
  for (uint32_t Stage = 0; Stage < P.Stages.size(); ++Stage) {
    const FusionStage &S = P.R.Stages[Stage];
    std::vector<uint32_t> &Numbers = P.ParamOf.emplace_back();
    for (uint32_t K = 0; K < P.Stages[Stage].Params.size(); ++K) {
      bool Baked = K < S.Baked.size() && S.Baked[K];
      Numbers.push_back(Baked ? FusePlan::NoParam : paramFor(Stage, K));
    }
  }
}

/// A length that is a parameter of no stage becomes one behind the others.
uint32_t lengthParam(FusePlan &P, const FusionTemporary &T, uint32_t Buffer) {
  for (uint32_t K = 0; K < P.Params.size(); ++K)
    if (P.Params[K].Argument == T.Length &&
        P.Fused.Params[K].Kind == ParamKind::Scalar &&
        P.Fused.Params[K].Type == types::U32)
      return K;
  Param New;
  New.Name = P.Fused.Params[Buffer].Name + "_len";
  New.Type = types::U32;
  New.Loc = P.Fused.Params[Buffer].Loc;
  P.Fused.Params.push_back(New);
  P.Params.push_back({T.Length, {}});
  return static_cast<uint32_t>(P.Params.size() - 1);
}

void addLengths(FusePlan &P, Builder &B) {
  uint32_t Count = static_cast<uint32_t>(P.Params.size());
  for (uint32_t K = 0; K < Count; ++K) {
    const FusionTemporary *T = P.temporary(K);
    if (!T)
      continue;
    P.Lengths[K] = T->LengthBits ? B.u32(static_cast<uint32_t>(*T->LengthBits))
                                 : B.param(lengthParam(P, *T, K));
  }
}

void addArrays(FusePlan &P, uint32_t Stage) {
  for (WorkgroupArray Array : P.Stages[Stage].WorkgroupArrays) {
    Array.Name = "k" + std::to_string(Stage) + "_" + Array.Name;
    P.Fused.WorkgroupArrays.push(std::move(Array));
  }
}

} // namespace

void goldy::prepareStages(FusePlan &P) {
  const Capabilities &Caps = *capabilitiesFor("vulkan1.3");
  for (const FusionStage &S : P.R.Stages) {
    Module One = alone(P.M, S.Kernel);
    bakeParameters(One.Functions[S.Kernel], S.Baked);
    DiagSink Diags;
    Fuel Unlimited;
    PassContext Context{Diags, Caps, Unlimited};
    Context.KeepsSlots = P.R.KeepsSlots;
    if (P.R.KeepsSlots)
      Context.Marks = CallMarks::Calls;
    runPasses(
        One,
        {"inline", "dce", "if-to-select", "mem-forward", "fold", "cse", "dce"},
        Context);
    // The other kernels are empty, and what the passes made of the types comes
    // behind those that were there.
    P.Stages.push_back(std::move(One.Functions[One.kernels().back()]));
    P.M.Types = std::move(One.Types);
  }
}

void goldy::composeStages(FusePlan &P) {
  const Function &First = P.Stages.front();
  P.Fused.Kind = FuncKind::Kernel;
  P.Fused.WorkgroupSize = First.WorkgroupSize;
  P.Fused.Loc = First.Loc;
  Signature(P).build();
  Composition C(P);
  addLengths(P, C.B);
  P.Fused.Body = C.B.newBlock();
  C.B.setBlock(P.Fused.Body);
  for (uint32_t Stage = 0; Stage < P.Stages.size(); ++Stage) {
    uint32_t FirstArray = P.Fused.WorkgroupArrays.size();
    addArrays(P, Stage);
    P.Fused.Nondeterministic |= P.Stages[Stage].Nondeterministic;
    StageCopier(C, Stage, FirstArray).run();
    P.Ends.push_back(P.Fused.Insts.size());
  }
}
