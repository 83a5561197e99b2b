//===- FuseForward.cpp - Values from stage to stage in registers ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of an element that the work-item has stored or loaded itself is that
// value: nobody else touches the element meanwhile, and the rules have made
// sure that no other parameter names it. The value is what a store and a load
// would give: narrowed to the element, and zero where the index is out of
// range. f16 and bf16 elements stay in memory: their narrowing has no operation
// of its own.
//
// A temporary vanishes if nothing else is done with it. A load that no store
// certainly comes before reads a variable then, at first zero; it stands for
// what was undefined or is the value of a store under another condition.
//
//===----------------------------------------------------------------------===//
#include "FusePlan.h"
#include "RewritePass.h"

#include "goldyc/Analysis/Ranges.h"

#include <algorithm>
#include <memory>

using namespace goldy;

namespace {

/// Parameter, whether the index is signed, and its form.
using ElementKey =
    std::tuple<uint32_t, bool, std::map<IdIndex::Product, uint32_t>>;

struct KnownElement {
  ValueId Value; ///< in the result
  uint32_t Stage = 0;
};

/// What was found on the way, by parameter.
struct Findings {
  std::set<uint32_t> Crossed; ///< a load became a value of another stage
  std::set<uint32_t> Missed;  ///< a load of what another stage touched stays
  std::set<uint32_t> Unknown; ///< a load that nothing comes before for certain
  std::set<uint32_t> Written;
  std::set<uint32_t> Otherwise; ///< touched by more than plain loads and stores
  std::set<std::pair<uint32_t, bool>> Signs; ///< of the indices
  /// An index that is out of range as i32 may be in range as u32.
  bool isMixed(uint32_t Param) const {
    return Signs.contains({Param, false}) && Signs.contains({Param, true});
  }
};

class OwnForwarder : public Rewriter {
public:
  OwnForwarder(const FusePlan &P, std::set<uint32_t> Vanished,
               std::set<uint32_t> NeedSlot)
      : Rewriter(P.M, P.Fused), P(P), Facts(P.M, P.Fused),
        Vanished(std::move(Vanished)), NeedSlot(std::move(NeedSlot)) {
    collect(Src.Body);
  }
  Findings Found;

protected:
  InstId visit(InstId I) override;
  void enterBlock(InstId Owner, unsigned Which) override {
    if (Which == 1)
      Known = AtEntry[Owner];
  }

private:
  using State = std::map<ElementKey, KnownElement>;
  std::optional<uint32_t> sharedParam(InstId I) const;
  bool isPlain(InstId I, uint32_t Param) const;
  std::optional<ElementKey> keyOf(InstId I, uint32_t Param);
  const std::set<uint32_t> &collect(BlockId Block);
  void forget(uint32_t Param);
  void start();
  InstId visitControl(InstId I);
  InstId visitLoad(InstId I, uint32_t Param);
  InstId visitStore(InstId I, uint32_t Param);
  ValueId stored(InstId I, uint32_t Param);
  ValueId narrowed(ValueId V, TypeId Element);
  bool isInRange(InstId I, uint32_t Param);
  ValueId inRange(InstId I, uint32_t Param);
  PlaceBase base(uint32_t Param) const { return {BaseKind::Param, Param}; }

  const FusePlan &P;
  Ranges Facts;
  std::set<uint32_t> Vanished, NeedSlot;
  std::map<uint32_t, SlotId> SlotOf;
  bool Started = false;
  State Known;
  SideMap<Inst, State> AtEntry;
  SideMap<Block, std::set<uint32_t>> Changes; ///< parameters written within
  std::map<uint32_t, uint32_t> FirstStage;    ///< that touched a parameter
};

std::optional<uint32_t> OwnForwarder::sharedParam(InstId I) const {
  const Inst &N = Src.Insts[I];
  if (!accessesPlace(N.Opcode))
    return std::nullopt;
  const PlaceBase &Base = Src.Places[N.Where].Base;
  if (Base.Kind != BaseKind::Param || !P.Shared.contains(Base.Index))
    return std::nullopt;
  return Base.Index;
}

bool isForwardable(const TypeTable &Types, TypeId Element) {
  TypeKind K = Types.kind(Element);
  return K != TypeKind::F16 && K != TypeKind::BF16 &&
         (Types.isScalar(Element) || Types.isStorageOnly(Element));
}

/// A whole scalar element.
bool OwnForwarder::isPlain(InstId I, uint32_t Param) const {
  const Inst &N = Src.Insts[I];
  return (N.Opcode == Op::Load || N.Opcode == Op::Store) &&
         Src.Places[N.Where].Path.size() == 1 &&
         Src.Params[Param].Kind == ParamKind::Buffer &&
         isForwardable(M.Types, Src.Params[Param].Type);
}

std::optional<ElementKey> OwnForwarder::keyOf(InstId I, uint32_t Param) {
  const PathElement &E = Src.Places[Src.Insts[I].Where].Path[0];
  std::optional<IdIndex> Form = idIndexOf(Src, E, P.shape());
  if (!Form)
    return std::nullopt;
  bool Signed = E.isDynamic() && Src.typeOf(E.Index) == types::I32;
  Found.Signs.emplace(Param, Signed);
  return ElementKey{Param, Signed, std::move(Form->Sum)};
}

// --- What is known where

const std::set<uint32_t> &OwnForwarder::collect(BlockId Block) {
  std::set<uint32_t> Written;
  for (InstId I : Src.Blocks[Block].Insts) {
    if (opInfo(Src.Insts[I].Opcode).Effects == Effect::Write)
      if (std::optional<uint32_t> Param = sharedParam(I))
        Written.insert(*Param);
    for (BlockId Inner : Src.Insts[I].Blocks)
      if (Inner) {
        const std::set<uint32_t> &More = collect(Inner);
        Written.insert(More.begin(), More.end());
      }
  }
  Changes.set(Block, std::move(Written));
  return Changes[Block];
}

void OwnForwarder::forget(uint32_t Param) {
  std::erase_if(Known, [&](const State::value_type &E) {
    return std::get<0>(E.first) == Param;
  });
}

InstId OwnForwarder::visitControl(InstId I) {
  const Inst &N = Src.Insts[I];
  bool Loop = isLoop(N.Opcode);
  auto ForgetChanges = [&] {
    for (BlockId Inner : N.Blocks)
      if (Inner)
        for (uint32_t Param : Changes[Inner])
          forget(Param);
  };
  if (Loop)
    ForgetChanges();
  AtEntry.set(I, Known);
  InstId New = copy(I);
  Known = AtEntry[I];
  AtEntry.set(I, {});
  ForgetChanges();
  return New;
}

// --- Accesses

/// Variables of temporaries are zero before the first stage.
void OwnForwarder::start() {
  Started = true;
  for (uint32_t Param : NeedSlot) {
    TypeId T = TypeTable::valueType(Src.Params[Param].Type);
    SlotOf[Param] = B.slot(Src.Params[Param].Name, T);
    B.store(B.slotPlace(SlotOf[Param]), B.zero(T));
  }
}

InstId OwnForwarder::visitLoad(InstId I, uint32_t Param) {
  std::optional<ElementKey> Key = keyOf(I, Param);
  uint32_t Stage = P.stageOf(I);
  State::iterator It = Key ? Known.find(*Key) : Known.end();
  if (It != Known.end()) {
    if (It->second.Stage != Stage)
      Found.Crossed.insert(Param);
    return It->second.Value;
  }
  Found.Unknown.insert(Param);
  if (FirstStage.try_emplace(Param, Stage).first->second != Stage)
    Found.Missed.insert(Param);
  InstId New = Vanished.contains(Param) ? B.load(B.slotPlace(SlotOf.at(Param)))
                                        : copy(I);
  if (Key)
    Known[*Key] = {New, Stage};
  return New;
}

/// The value as a load of the element gives it.
ValueId OwnForwarder::narrowed(ValueId V, TypeId Element) {
  uint32_t Bits = M.Types.bits(Element);
  if (!M.Types.isStorageOnly(Element) || Bits >= 32)
    return V;
  if (!M.Types.isSigned(Element))
    return B.op(Op::And, {V, B.u32((uint32_t(1) << Bits) - 1)});
  ValueId Amount = B.u32(32 - Bits);
  return B.op(Op::Shr, {B.op(Op::Shl, {V, Amount}), Amount});
}

bool OwnForwarder::isInRange(InstId I, uint32_t Param) {
  const PathElement &E = Src.Places[Src.Insts[I].Where].Path[0];
  if (M.Bounds == BoundsMode::Unchecked)
    return true;
  if (!E.isDynamic())
    return false;
  Facts.moveTo(I);
  if (!Vanished.contains(Param))
    return Facts.isBelowLength(E.Index, base(Param));
  return Src.typeOf(E.Index) == types::U32 &&
         Facts.isLess(E.Index, P.Lengths.at(Param));
}

ValueId OwnForwarder::inRange(InstId I, uint32_t Param) {
  const PathElement &E = Src.Places[Src.Insts[I].Where].Path[0];
  ValueId Index = E.isDynamic() ? map(E.Index) : B.u32(E.Member);
  ValueId Length =
      Vanished.contains(Param) ? map(P.Lengths.at(Param)) : B.len(base(Param));
  if (Dst.typeOf(Index) == types::U32)
    return B.op(Op::Lt, {Index, Length});
  ValueId Below = B.op(Op::Lt, {B.cast(Index, types::U32), Length});
  return B.op(Op::And, {B.op(Op::Ge, {Index, B.i32(0)}), Below});
}

ValueId OwnForwarder::stored(InstId I, uint32_t Param) {
  ValueId V = narrowed(map(Src.operand(I, 0)), Src.Params[Param].Type);
  if (isInRange(I, Param))
    return V;
  return B.select(inRange(I, Param), V, B.zero(Dst.typeOf(V)));
}

InstId OwnForwarder::visitStore(InstId I, uint32_t Param) {
  std::optional<ElementKey> Key = keyOf(I, Param);
  uint32_t Stage = P.stageOf(I);
  FirstStage.try_emplace(Param, Stage);
  Found.Written.insert(Param);
  forget(Param);
  InstId New;
  ValueId V;
  if (Key)
    V = stored(I, Param);
  if (!Vanished.contains(Param))
    New = copy(I);
  else if (NeedSlot.contains(Param))
    New = B.store(B.slotPlace(SlotOf.at(Param)), V);
  if (Key)
    Known[*Key] = {V, Stage};
  return New;
}

InstId OwnForwarder::visit(InstId I) {
  if (!Started)
    start();
  const Inst &N = Src.Insts[I];
  if (N.Blocks[0])
    return visitControl(I);
  if (N.Opcode == Op::Len) {
    const PlaceBase &Base = Src.Places[N.Where].Base;
    if (Base.Kind == BaseKind::Param && Vanished.contains(Base.Index))
      return map(P.Lengths.at(Base.Index));
  }
  std::optional<uint32_t> Param = sharedParam(I);
  if (!Param)
    return copy(I);
  if (isPlain(I, *Param))
    return N.Opcode == Op::Load ? visitLoad(I, *Param) : visitStore(I, *Param);
  Found.Otherwise.insert(*Param);
  FirstStage.try_emplace(*Param, P.stageOf(I));
  if (opInfo(N.Opcode).Effects == Effect::Write)
    forget(*Param);
  return copy(I);
}

// --- Temporaries

std::set<uint32_t> vanishing(const FusePlan &P, const Findings &F) {
  std::set<uint32_t> Result;
  for (const std::pair<const uint32_t, ValueId> &E : P.Lengths) {
    uint32_t Param = E.first;
    bool Carried = P.temporary(Param)->Carried && F.Unknown.contains(Param);
    if (P.Shared.contains(Param) && F.Written.contains(Param) &&
        !F.Otherwise.contains(Param) && !F.isMixed(Param) && !Carried)
      Result.insert(Param);
  }
  return Result;
}

/// Removes parameters and renumbers the others.
void removeParams(FusePlan &P, const std::set<uint32_t> &Gone) {
  std::vector<uint32_t> Number;
  std::vector<Param> Params;
  std::vector<FusedParam> Records;
  for (uint32_t K = 0; K < P.Params.size(); ++K) {
    Number.push_back(static_cast<uint32_t>(Params.size()));
    if (Gone.contains(K))
      continue;
    Params.push_back(P.Fused.Params[K]);
    Records.push_back(P.Params[K]);
  }
  P.Fused.Params = std::move(Params);
  P.Params = std::move(Records);
  for (Inst &I : P.Fused.Insts)
    if (I.Opcode == Op::ParamValue)
      I.Imm = Number[I.Imm];
  for (Place &Where : P.Fused.Places)
    if (Where.Base.Kind == BaseKind::Param)
      Where.Base.Index = Number[Where.Base.Index];
}

/// Scalars that only lengths of temporaries were added for.
std::set<uint32_t> uselessLengths(const FusePlan &P) {
  std::set<uint32_t> Useless;
  for (uint32_t K = 0; K < P.Params.size(); ++K)
    if (P.Params[K].Origins.empty())
      Useless.insert(K);
  for (const Inst &I : P.Fused.Insts)
    if (I.Opcode == Op::ParamValue)
      Useless.erase(static_cast<uint32_t>(I.Imm));
  return Useless;
}

void clean(FusePlan &P) {
  Module One;
  One.Types = P.M.Types;
  One.Tables = P.M.Tables;
  One.Specs = P.M.Specs;
  FuncId F = One.Functions.push(std::move(P.Fused));
  DiagSink Diags;
  Fuel Unlimited;
  PassContext Context{Diags, *capabilitiesFor("vulkan1.3"), Unlimited};
  Context.KeepsSlots = P.R.KeepsSlots;
  runPasses(One, {"dce"}, Context);
  P.Fused = std::move(One.Functions[F]);
}

} // namespace

void goldy::forwardValues(FusePlan &P, FusedKernel &Out) {
  OwnForwarder First(P, {}, {});
  Function Result = First.run();
  std::set<uint32_t> Gone = vanishing(P, First.Found);
  if (!Gone.empty()) {
    std::set<uint32_t> NeedSlot;
    std::set_intersection(Gone.begin(), Gone.end(), First.Found.Unknown.begin(),
                          First.Found.Unknown.end(),
                          std::inserter(NeedSlot, NeedSlot.end()));
    Result = OwnForwarder(P, Gone, NeedSlot).run();
  }
  P.Fused = std::move(Result);
  for (uint32_t Param : First.Found.Crossed)
    if (!First.Found.Missed.contains(Param) &&
        !First.Found.Otherwise.contains(Param))
      Out.Forwarded.insert(Out.Forwarded.end(), P.Params[Param].Origins.begin(),
                           P.Params[Param].Origins.end());
  for (uint32_t Param : Gone) {
    uint32_t Argument = P.Params[Param].Argument;
    Out.Vanished.push_back(Argument);
    std::erase_if(Out.Apart, [&](const std::pair<uint32_t, uint32_t> &A) {
      return A.first == Argument || A.second == Argument;
    });
  }
  clean(P);
  removeParams(P, Gone);
  removeParams(P, uselessLengths(P));
}
