//===- FuseCompose.cpp - Stages behind one another ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A return ends its stage: at the top of a stage it becomes a branch around the
// rest, deeper it leaves a block around the stage. Stages often do all they do
// under one condition, `if i < n`; where the next stage's is certainly the same
// value, its statements go to the end of the same branch, so that the values of
// the first are at hand.
//
//===----------------------------------------------------------------------===//
#include "BodyCopier.h"
#include "FusePlan.h"
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Transforms/Bake.h"

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
  for (uint32_t K = 0; K <= Kernel.index(); ++K)
    One.Functions.push(M.Functions[FuncId(K)]);
  for (uint32_t K = 0; K < Kernel.index(); ++K)
    if (One.Functions[FuncId(K)].Kind == FuncKind::Kernel)
      One.Functions[FuncId(K)] = Function();
  return One;
}

// --- Composing

/// Statements under a condition, behind others that nobody else sees.
struct Guarded {
  std::span<const InstId> Before, Under;
  ValueId Condition;
  bool Holds = true; ///< the statements run if the condition is this
};

/// A branch at the end of what has been composed, still open.
struct OpenBranch {
  std::string Name; ///< of the condition; empty: not comparable
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
        FirstArray(FirstArray) {}

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
  void copyStatements(std::span<const InstId> Insts, size_t Depth);
  std::optional<Guarded> guarded(std::span<const InstId> Insts) const;
  bool isUnseen(InstId I) const;
  bool isReturn(BlockId Block) const;
  bool hasDeepReturn(std::span<const InstId> Insts) const;
  std::string nameOf(const Guarded &G) const;
  ValueId condition(const Guarded &G);

  Composition &C;
  const std::vector<uint32_t> &ParamOf;
  uint32_t FirstArray;
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
  return N.Opcode == Op::Store &&
         Src.Places[N.Where].Base.Kind == BaseKind::Slot;
}

std::optional<Guarded>
StageCopier::guarded(std::span<const InstId> Insts) const {
  for (size_t K = 0; K < Insts.size(); ++K) {
    const Inst &N = Src.Insts[Insts[K]];
    if (isUnseen(Insts[K]))
      continue;
    if (N.Opcode != Op::If || N.Blocks[1])
      return std::nullopt;
    ValueId Condition = Src.operand(Insts[K], 0);
    if (isReturn(N.Blocks[0]))
      return Guarded{Insts.first(K), Insts.subspan(K + 1), Condition, false};
    if (K + 1 == Insts.size())
      return Guarded{Insts.first(K), Src.Blocks[N.Blocks[0]].Insts, Condition};
    return std::nullopt;
  }
  return std::nullopt;
}

/// True if a return would not be made a branch around the rest.
bool StageCopier::hasDeepReturn(std::span<const InstId> Insts) const {
  if (std::optional<Guarded> G = guarded(Insts))
    return hasDeepReturn(G->Under);
  bool Deep = false;
  for (InstId I : Insts)
    for (BlockId Inner : Src.Insts[I].Blocks)
      if (Inner)
        forEachInst(Src, Inner, [&](InstId N) {
          Deep |= Src.Insts[N].Opcode == Op::Return;
        });
  return Deep;
}

/// `!(a >= b)` of integers is `a < b`.
std::optional<Op> opposite(Op O) {
  switch (O) {
  case Op::Eq:
    return Op::Ne;
  case Op::Ne:
    return Op::Eq;
  case Op::Lt:
    return Op::Ge;
  case Op::Ge:
    return Op::Lt;
  case Op::Gt:
    return Op::Le;
  case Op::Le:
    return Op::Gt;
  default:
    return std::nullopt;
  }
}

std::optional<Op> oppositeOf(const Function &F, const Module &M, ValueId V) {
  std::optional<Op> O = opposite(F.Insts[V].Opcode);
  if (!O || M.Types.isFloat(F.typeOf(F.operand(V, 0))))
    return std::nullopt;
  return O;
}

std::string StageCopier::nameOf(const Guarded &G) const {
  auto Param = [&](uint32_t P) { return ParamOf[P]; };
  std::optional<Op> Other = oppositeOf(Src, C.P.M, G.Condition);
  if (G.Holds || !Other) {
    std::string Name = launchName(Src, G.Condition, true, Param);
    return G.Holds || Name.empty() ? Name : "!" + Name;
  }
  // The name that the opposite comparison of the same operands would have.
  std::string Name = launchName(Src, G.Condition, true, Param);
  std::string From(opInfo(Src.Insts[G.Condition].Opcode).Name);
  if (Name.empty())
    return Name;
  return "(" + std::string(opInfo(*Other).Name) + Name.substr(1 + From.size());
}

ValueId StageCopier::condition(const Guarded &G) {
  ValueId V = map(G.Condition);
  if (G.Holds)
    return V;
  if (std::optional<Op> Other = oppositeOf(Src, C.P.M, G.Condition)) {
    ValueId Operands[] = {map(Src.operand(G.Condition, 0)),
                          map(Src.operand(G.Condition, 1))};
    return B.op(*Other, Operands);
  }
  return B.op(Op::Not, {V});
}

/// Statements before a condition wait until it is known which branch they come
/// to: nobody sees them outside it.
void StageCopier::copyWaiting() {
  for (std::span<const InstId> Insts : std::exchange(Waiting, {}))
    copyAll(Insts);
}

void StageCopier::copyStatements(std::span<const InstId> Insts, size_t Depth) {
  std::optional<Guarded> G = guarded(Insts);
  if (!G) {
    C.Chain.resize(Depth);
    copyWaiting();
    copyAll(Insts);
    return;
  }
  BlockId Outer = B.block();
  std::string Name = nameOf(*G);
  Waiting.push_back(G->Before);
  if (Depth == C.Chain.size() || Name.empty() || C.Chain[Depth].Name != Name) {
    C.Chain.resize(Depth);
    copyWaiting();
    InstId If = B.createIf(condition(*G), false);
    C.Chain.push_back({Name, B.function().Insts[If].Blocks[0]});
  }
  B.setBlock(C.Chain[Depth].Then);
  copyStatements(G->Under, Depth + 1);
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
    runPasses(One, {"inline", "dce", "mem-forward", "fold", "cse", "dce"},
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
