//===- FuseRules.cpp - When stages may be one kernel ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launched one by one, all work-items of a stage are through before the next
// stage begins. In one kernel a work-item runs ahead of others. That changes
// nothing if what a stage writes is touched by other stages only where the same
// work-item touches it. Within a stage everything is as before.
//
//===----------------------------------------------------------------------===//
#include "FusePlan.h"

#include "goldyc/Analysis/Ranges.h"
#include "goldyc/Analysis/Structure.h"
#include "goldyc/Verify/Verify.h"

#include <algorithm>

using namespace goldy;

namespace {

// --- Accesses

/// One statement that touches a resource.
struct Touch {
  uint32_t Stage = 0, Param = 0;
  bool Writes = false;
  /// Of the leading indices; nothing: not known.
  std::optional<std::vector<IdIndex>> Form;
  Span Where;
  InstId At;
};

class Touches {
public:
  explicit Touches(const FusePlan &P);
  const std::vector<Touch> &of(uint32_t Param) const { return Of[Param]; }

private:
  void visit(InstId I);
  void add(InstId I, uint32_t Param, bool Writes,
           std::optional<std::vector<IdIndex>> Form) {
    Of[Param].push_back(
        {P.stageOf(I), Param, Writes, std::move(Form), F.Insts[I].Loc, I});
  }
  std::optional<std::vector<IdIndex>> formOf(const Place &Where) const;

  const FusePlan &P;
  const Function &F;
  LaunchShape Shape;
  std::vector<std::vector<Touch>> Of;
};

Touches::Touches(const FusePlan &P)
    : P(P), F(P.Fused), Shape(P.shape()), Of(P.Params.size()) {
  forEachInst(F, [&](InstId I) { visit(I); });
}

std::optional<std::vector<IdIndex>> Touches::formOf(const Place &Where) const {
  std::vector<IdIndex> Form;
  for (size_t K = 0; K < leadingIndices(F, Where.Base); ++K) {
    std::optional<IdIndex> Index = idIndexOf(F, Where.Path[K], Shape);
    if (!Index)
      return std::nullopt;
    Form.push_back(std::move(*Index));
  }
  return Form;
}

void Touches::visit(InstId I) {
  const Inst &N = F.Insts[I];
  if (accessesPlace(N.Opcode) &&
      F.Places[N.Where].Base.Kind == BaseKind::Param) {
    const Place &Where = F.Places[N.Where];
    add(I, Where.Base.Index, opInfo(N.Opcode).Effects == Effect::Write,
        formOf(Where));
    return;
  }
  if (!takesResources(N.Opcode) || isPure(N.Opcode))
    return;
  for (ValueId V : F.operands(I))
    if (F.Insts[V].Opcode == Op::Ref) {
      const PlaceBase &Base = F.Places[F.Insts[V].Where].Base;
      if (Base.Kind == BaseKind::Param)
        add(I, Base.Index, true, std::nullopt);
    }
}

// --- Messages

FusionRejection rejection(FusionReason Reason, const Touch &A, const Touch &B,
                          std::string Why) {
  bool Ordered = A.Stage <= B.Stage;
  const Touch &First = Ordered ? A : B, &Second = Ordered ? B : A;
  return {Reason,      First.Stage,  Second.Stage,
          First.Where, Second.Where, std::move(Why)};
}

FusionRejection rejection(const FusePlan &P, FusionReason Reason,
                          uint32_t Stage, std::string Why) {
  uint32_t Earlier = Stage ? Stage - 1 : 0;
  return {Reason,
          Earlier,
          Stage,
          P.R.Stages[Earlier].Loc,
          P.R.Stages[Stage].Loc,
          std::move(Why)};
}

std::string quoted(std::string_view Name) {
  return "`" + std::string(Name) + "`";
}

// --- Memory that stages share

class SharedRule {
public:
  SharedRule(FusePlan &P, const Touches &All, FusedKernel &Out)
      : P(P), All(All), Out(Out), Shape(P.shape()), Facts(P.M, P.Fused) {}
  MaybeRejection check(uint32_t Param);

private:
  bool isOwned(const Touch &T);
  bool isCovered(const Touch &T, const GridIndex &Grid);
  std::vector<FusionNumber> boundsOf(unsigned Axis) const;
  std::optional<FusionNumber> numberOf(ValueId V) const;
  bool fits(const FusionNumber &Width, const FusionNumber &Height);
  bool isMissingAxes(const Touch &T) const;
  FusionRejection refuse(const Touch &Bad);

  FusePlan &P;
  const Touches &All;
  FusedKernel &Out;
  LaunchShape Shape;
  Ranges Facts;
};

std::optional<FusionNumber> SharedRule::numberOf(ValueId V) const {
  const Inst &N = P.Fused.Insts[V];
  if (N.Opcode == Op::Const)
    return FusionNumber{N.Imm, 0};
  if (N.Opcode == Op::ParamValue && N.Type == types::U32)
    return FusionNumber{std::nullopt, P.Params[N.Imm].Argument};
  return std::nullopt;
}

/// What the global id is certainly below where Facts stand.
std::vector<FusionNumber> SharedRule::boundsOf(unsigned Axis) const {
  std::vector<FusionNumber> Bounds;
  for (const RangeFact &Fact : Facts.facts()) {
    if (!Fact.Strict || P.Fused.typeOf(Fact.A) != types::U32)
      continue;
    std::optional<IdIndex> Form = idIndexOf(P.Fused, Fact.A, Shape);
    std::optional<FusionNumber> Bound = numberOf(Fact.B);
    if (Bound && Form && isGlobalId(*Form, Axis))
      Bounds.push_back(*Bound);
  }
  if (!Shape.ManyGroups[Axis])
    Bounds.push_back({Shape.WorkgroupSize[Axis], 0});
  return Bounds;
}

/// Notes what has to hold when the kernel is run.
bool SharedRule::fits(const FusionNumber &Width, const FusionNumber &Height) {
  if (Width.Bits && Height.Bits)
    return *Width.Bits * *Height.Bits <= uint64_t(1) << 32;
  std::pair<FusionNumber, FusionNumber> Pair(Width, Height);
  if (std::find(Out.Fits.begin(), Out.Fits.end(), Pair) == Out.Fits.end())
    Out.Fits.push_back(Pair);
  return true;
}

/// `x < width` and `y` below something, so that the index is of one work-item.
bool SharedRule::isCovered(const Touch &T, const GridIndex &Grid) {
  Facts.moveTo(T.At);
  FusionNumber Width{Grid.Width, 0};
  for (uint32_t K = 0; K < P.Params.size() && !Grid.Width; ++K)
    if (Grid.WidthName == "p" + std::to_string(K))
      Width.Argument = P.Params[K].Argument;
  if (!Grid.Width && !Grid.WidthName.starts_with("p"))
    return false;
  std::vector<FusionNumber> Inner = boundsOf(Grid.Inner);
  bool Within =
      std::any_of(Inner.begin(), Inner.end(), [&](const FusionNumber &Bound) {
        return Bound == Width ||
               (Bound.Bits && Width.Bits && *Bound.Bits <= *Width.Bits);
      });
  std::vector<FusionNumber> Outer = boundsOf(Grid.Outer);
  return Within && !Outer.empty() && fits(Width, Outer.front());
}

/// No other work-item touches the element.
bool SharedRule::isOwned(const Touch &T) {
  if (!T.Form)
    return false;
  if (isOwn(*T.Form, Shape))
    return true;
  if (T.Form->size() != 1)
    return false;
  std::optional<GridIndex> Grid = gridIndexOf(T.Form->front(), Shape);
  return Grid && isCovered(T, *Grid);
}

bool severalStages(const std::vector<Touch> &Of) {
  return std::any_of(Of.begin(), Of.end(), [&](const Touch &T) {
    return T.Stage != Of.front().Stage;
  });
}

/// The index is made of ids, but not of all that tell work-items apart.
bool SharedRule::isMissingAxes(const Touch &T) const {
  if (!T.Form)
    return false;
  unsigned Axes = 0, Spread = 0;
  for (const IdIndex &Index : *T.Form)
    Axes |= Index.axes();
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Spread |= Shape.isSpread(Axis) ? 1u << Axis : 0;
  return Axes && (Spread & ~Axes);
}

/// Names the access of another stage that it cannot stand beside.
FusionRejection SharedRule::refuse(const Touch &Bad) {
  const std::vector<Touch> &Of = All.of(Bad.Param);
  auto Beside = [&](bool Written) {
    return std::find_if(Of.begin(), Of.end(), [&](const Touch &T) {
      return T.Stage != Bad.Stage && (T.Writes || Bad.Writes || !Written);
    });
  };
  std::vector<Touch>::const_iterator Other = Beside(true);
  if (Other == Of.end())
    Other = Beside(false);
  bool Rank = isMissingAxes(Bad);
  std::string What = quoted(P.kernel(Bad.Stage).Name) +
                     (Bad.Writes ? " writes " : " reads ") +
                     quoted(P.nameIn(Bad.Stage, Bad.Param));
  std::string Whose = quoted(P.kernel(Other->Stage).Name);
  const char *Does = Other->Writes ? " writes it" : " reads it";
  std::string Why =
      Rank ? What +
                 " at fewer id axes than its grid has, so several "
                 "work-items share an element, and " +
                 Whose + Does
      : isOwned(Bad)
          ? What + " at an index at which another work-item of " + Whose + Does
          : What +
                " at an index that is not certainly its own work-item's, "
                "and " +
                Whose + Does;
  return rejection(Rank ? FusionReason::GridRank : FusionReason::Dependence,
                   Bad, *Other, std::move(Why));
}

MaybeRejection SharedRule::check(uint32_t Param) {
  const std::vector<Touch> &Of = All.of(Param);
  if (Of.empty() || !severalStages(Of))
    return std::nullopt;
  bool Written = std::any_of(Of.begin(), Of.end(),
                             [](const Touch &T) { return T.Writes; });
  if (!Written) {
    P.Shared.insert(Param);
    return std::nullopt;
  }
  std::vector<Touch>::const_iterator Own = std::find_if(
      Of.begin(), Of.end(), [&](const Touch &T) { return isOwned(T); });
  for (const Touch &T : Of)
    if (Own == Of.end() || T.Form != Own->Form || !isOwned(T))
      return refuse(T);
  P.Shared.insert(Param);
  return std::nullopt;
}

// --- Memory that must not be shared

/// What the stages say they do with one argument: that is what decides whether
/// views of one launch may overlap.
struct ArgumentUse {
  std::set<uint32_t> Stages;
  bool Written = false;
  StageParam First; ///< that writes, or else that has it
};

class ApartRule {
public:
  ApartRule(const FusePlan &P, FusedKernel &Out);
  MaybeRejection check();

private:
  MaybeRejection check(uint32_t A, uint32_t B) const;

  const FusePlan &P;
  FusedKernel &Out;
  std::map<uint32_t, ArgumentUse> Uses;
};

ApartRule::ApartRule(const FusePlan &P, FusedKernel &Out) : P(P), Out(Out) {
  for (const FusedParam &Each : P.Params)
    for (const StageParam &O : Each.Origins) {
      const Param &Declared = P.Stages[O.Stage].Params[O.Param];
      if (Declared.Kind == ParamKind::Scalar)
        continue;
      ArgumentUse &Use = Uses[Each.Argument];
      bool Writes = Declared.Acc != Access::Read;
      if (Use.Stages.empty() || (Writes && !Use.Written))
        Use.First = O;
      Use.Stages.insert(O.Stage);
      Use.Written |= Writes;
    }
}

std::string described(const FusePlan &P, const StageParam &O) {
  return quoted(P.Stages[O.Stage].Params[O.Param].Name) + " of " +
         quoted(P.kernel(O.Stage).Name);
}

MaybeRejection ApartRule::check(uint32_t A, uint32_t B) const {
  if (!P.R.MayOverlap || !P.R.MayOverlap(A, B))
    return std::nullopt;
  StageParam X = Uses.at(A).First, Y = Uses.at(B).First;
  if (Y.Stage < X.Stage)
    std::swap(X, Y);
  return FusionRejection{FusionReason::Overlap,
                         X.Stage,
                         Y.Stage,
                         P.R.Stages[X.Stage].Loc,
                         P.R.Stages[Y.Stage].Loc,
                         described(P, X) + " and " + described(P, Y) +
                             " may overlap in memory, and one of them is "
                             "written"};
}

/// Two arguments of one and the same stage may be one view as they might
/// before.
MaybeRejection ApartRule::check() {
  for (std::map<uint32_t, ArgumentUse>::iterator A = Uses.begin();
       A != Uses.end(); ++A)
    for (std::map<uint32_t, ArgumentUse>::iterator B = std::next(A);
         B != Uses.end(); ++B) {
      bool OneStage =
          A->second.Stages.size() == 1 && A->second.Stages == B->second.Stages;
      if (OneStage || (!A->second.Written && !B->second.Written))
        continue;
      if (MaybeRejection Bad = check(A->first, B->first))
        return Bad;
      Out.Apart.emplace_back(A->first, B->first);
    }
  return std::nullopt;
}

/// One argument that stages bind as different kinds or types of resource.
MaybeRejection checkTwice(const FusePlan &P, const Touches &All) {
  std::map<uint32_t, uint32_t> Known;
  for (uint32_t K = 0; K < P.Params.size(); ++K) {
    if (P.Fused.Params[K].Kind == ParamKind::Scalar || All.of(K).empty())
      continue;
    auto [It, New] = Known.try_emplace(P.Params[K].Argument, K);
    if (New)
      continue;
    const Touch &A = All.of(It->second).front(), &B = All.of(K).front();
    auto Writes = [](const Touch &T) { return T.Writes; };
    if (std::any_of(All.of(K).begin(), All.of(K).end(), Writes) ||
        std::any_of(All.of(It->second).begin(), All.of(It->second).end(),
                    Writes))
      return rejection(FusionReason::Overlap, A, B,
                       quoted(P.nameIn(A.Stage, A.Param)) + " of " +
                           quoted(P.kernel(A.Stage).Name) + " and " +
                           quoted(P.nameIn(B.Stage, B.Param)) + " of " +
                           quoted(P.kernel(B.Stage).Name) +
                           " are one buffer with elements of different types");
  }
  return std::nullopt;
}

/// What is printed comes by work-item, and then in the order of each.
MaybeRejection checkPrints(const FusePlan &P) {
  std::optional<Touch> First;
  MaybeRejection Bad;
  forEachInst(P.Fused, [&](InstId I) {
    if (P.Fused.Insts[I].Opcode != Op::Debug)
      return;
    Touch Here;
    Here.Stage = P.stageOf(I);
    Here.Where = P.Fused.Insts[I].Loc;
    if (!First)
      First = Here;
    else if (First->Stage != Here.Stage && !Bad)
      Bad = rejection(FusionReason::Dependence, *First, Here,
                      quoted(P.kernel(First->Stage).Name) + " and " +
                          quoted(P.kernel(Here.Stage).Name) +
                          " print, and it would come in another order");
  });
  return Bad;
}

} // namespace

MaybeRejection goldy::checkAccesses(FusePlan &P, FusedKernel &Out) {
  if (MaybeRejection Bad = checkPrints(P))
    return Bad;
  Touches All(P);
  if (MaybeRejection Bad = checkTwice(P, All))
    return Bad;
  SharedRule Rule(P, All, Out);
  for (uint32_t K = 0; K < P.Params.size(); ++K)
    if (MaybeRejection Bad = Rule.check(K))
      return Bad;
  return ApartRule(P, Out).check();
}

// --- Stages by themselves

static MaybeRejection checkStage(const FusePlan &P, uint32_t Stage) {
  const Function &K = P.kernel(Stage), &First = P.kernel(0);
  if (P.R.Stages[Stage].Opaque || K.WordsBinding)
    return rejection(P, FusionReason::NoDefinition, Stage,
                     quoted(K.Name) + (K.WordsBinding
                                           ? " names its resources as words"
                                           : " has no retained definition"));
  for (const Param &Each : K.Params)
    if (Each.bound() == ParamKind::Tensor)
      return rejection(P, FusionReason::TensorBinding, Stage,
                       quoted(Each.Name) + " of " + quoted(K.Name) +
                           " is a tensor");
  if (K.WorkgroupSize != First.WorkgroupSize)
    return rejection(P, FusionReason::WorkgroupSize, Stage,
                     quoted(First.Name) + " and " + quoted(K.Name) +
                         " have different workgroup sizes");
  if (P.R.Stages[Stage].Grid != P.R.Stages[0].Grid)
    return rejection(P, FusionReason::Grid, Stage,
                     "the grids of " + quoted(First.Name) + " and " +
                         quoted(K.Name) + " are not certainly equal");
  return std::nullopt;
}

MaybeRejection goldy::checkStages(const FusePlan &P) {
  for (uint32_t Stage = 0; Stage < P.R.Stages.size(); ++Stage)
    if (MaybeRejection Bad = checkStage(P, Stage))
      return Bad;
  return std::nullopt;
}

// --- The fused kernel

MaybeRejection goldy::checkFused(const FusePlan &P) {
  uint32_t Last = static_cast<uint32_t>(P.R.Stages.size() - 1);
  size_t Bindings = 0;
  for (const Param &Each : P.Fused.Params)
    Bindings += Each.Kind != ParamKind::Scalar;
  if (Bindings > MaxFusedBindings)
    return rejection(P, FusionReason::BindingLimit, Last,
                     "the stages bind " + std::to_string(Bindings) +
                         " buffers, and a fused kernel may bind " +
                         std::to_string(MaxFusedBindings));
  uint64_t Bytes = workgroupBytes(P.M, P.Fused);
  if (Bytes > MaxFusedWorkgroupBytes)
    return rejection(P, FusionReason::WorkgroupMemory, Last,
                     "the stages use " + std::to_string(Bytes) +
                         " bytes of workgroup memory, and a fused kernel may "
                         "use " +
                         std::to_string(MaxFusedWorkgroupBytes));
  Module One;
  One.Types = P.M.Types;
  One.Tables = P.M.Tables;
  One.Specs = P.M.Specs;
  One.Functions.push(P.Fused);
  DiagSink Diags;
  if (verify(std::move(One), Diags))
    return std::nullopt;
  // Merging made a buffer written that barriers rely on.
  return rejection(P, FusionReason::Dependence, Last,
                   Diags.diagnostics().front().Message);
}
