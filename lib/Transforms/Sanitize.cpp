//===- Sanitize.cpp - Tells the launch's sanitizer what the code does -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs when calls are expanded and before anything is moved, merged or guarded:
// each access is the user's own, at the user's own line. An `ir::watch` has an
// effect, so later passes keep it, and its place among the barriers.
//
// A barrier is told by each work-item as it arrives. A reduction synchronises
// twice: it is a barrier before it, and the watch behind it is one too that
// also leaves the scratch array undetermined. A watch that is there already is
// one of a program's temporary (ProgramDesc/Undetermined.cpp).
//
// A write tells its value too, as one word that is equal for equal bytes in
// memory: work-items may write the same to one place. Words are mixed one after
// another, so that values which differ in a simple way, as in signs, have
// different words.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/WatchSites.h"

#include "RewritePass.h"
#include "goldyc/IR/NamedLocal.h"
#include "goldyc/Prelude/Prelude.h"
#include "goldyc/ProgramDesc/Build.h"
#include "goldyc/Transforms/Inline.h"

#include <goldy_host_abi.h>

namespace goldy {
namespace {

/// Bytes from one workgroup array to the next are whole words.
uint64_t roundUp(uint64_t N) { return (N + 63) / 64 * 64; }

class SanitizeRewriter : public PassRewriter {
public:
  SanitizeRewriter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context),
        Sites(Context.Sites ? *Context.Sites : Unused) {
    uint64_t At = 0;
    for (const WorkgroupArray &A : Src.WorkgroupArrays) {
      ArrayAt.push_back(static_cast<uint32_t>(At));
      At += roundUp(M.Types.layout(A.Type).Size);
    }
  }

protected:
  InstId visit(InstId I) override;

private:
  bool asks(unsigned Bits) const { return Context.Sanitize & Bits; }
  WatchSite site(InstId I, WatchSite::Kind What) const;
  void watch(WatchSite Site, std::vector<ValueId> Words = {});
  bool callMark(InstId I);
  InstId temporary(InstId I);
  void barrier(InstId I);
  InstId reduction(InstId I);
  InstId uniformLoad(InstId I);
  void access(InstId I, WatchSite::Kind What);
  ValueId wordOf(ValueId V);
  ValueId storedWord(ValueId V, TypeId T);
  ValueId mixed(ValueId Word);
  void addWord(ValueId Word, ValueId &Sum);
  void addWords(ValueId V, ValueId &Sum);
  ValueId valueWord(ValueId V, TypeId T);
  bool isWatched(const Place &P) const;
  std::string nameOf(const PlaceBase &B) const;
  void setBase(const PlaceBase &B, WatchSite &Site) const;
  void step(const PathElement &E, TypeId &T, WatchSite &Site,
            std::vector<ValueId> &Words);
  void leadingIndex(const PathElement &E, TypeId Element, WatchSite &Site,
                    std::vector<ValueId> &Words);

  std::vector<WatchSite> Unused; ///< where nobody takes the table
  std::vector<WatchSite> &Sites;
  std::vector<uint32_t> ArrayAt; ///< of workgroup arrays
  std::vector<Span> Calls;       ///< around the place, the outermost first
};

WatchSite::Kind kindOf(Op O) {
  return O == Op::Store ? WatchSite::Kind::Write
         : isAtomic(O)  ? WatchSite::Kind::Atomic
                        : WatchSite::Kind::Read;
}

InstId SanitizeRewriter::visit(InstId I) {
  Op O = Src.Insts[I].Opcode;
  bool Orders = asks(SanitizeRace | SanitizeUninit);
  if (O == Op::Store && callMark(I))
    return {};
  if (O == Op::Watch && spend())
    return temporary(I);
  if (isCollective(O) && Orders && spend())
    return reduction(I);
  if (O == Op::WorkgroupUniformLoad && spend())
    return uniformLoad(I);
  if (O == Op::Barrier && Orders && spend())
    barrier(I);
  else if (O == Op::Assume && asks(SanitizeBounds) && spend())
    watch(site(I, WatchSite::Kind::Assume), {map(Src.operand(I, 0))});
  else if (accessesPlace(O) && isWatched(Src.Places[Src.Insts[I].Where]) &&
           spend())
    access(I, kindOf(O));
  return copy(I);
}

WatchSite SanitizeRewriter::site(InstId I, WatchSite::Kind What) const {
  WatchSite Site;
  Site.What = What;
  Site.Loc = Src.Insts[I].Loc;
  size_t Kept = std::min(Calls.size(), WatchSite::MostCalls);
  for (size_t N = 0; N < Kept; ++N)
    Site.Calls.emplace_back().Loc = Calls[Calls.size() - 1 - N];
  return Site;
}

void SanitizeRewriter::watch(WatchSite Site, std::vector<ValueId> Words) {
  std::vector<ValueId> Operands = {B.u32(static_cast<uint32_t>(Sites.size()))};
  Operands.insert(Operands.end(), Words.begin(), Words.end());
  B.opTyped(Op::Watch, types::Void, Operands);
  Sites.push_back(std::move(Site));
}

/// True if the store marks where a helper begins or ends.
bool SanitizeRewriter::callMark(InstId I) {
  const PlaceBase &Base = Src.Places[Src.Insts[I].Where].Base;
  if (Base.Kind != BaseKind::Slot ||
      !Src.Slots[SlotId(Base.Index)].Name.starts_with(CallMark))
    return false;
  if (Src.Insts[Src.operand(I, 0)].Imm)
    Calls.push_back(Src.Insts[I].Loc);
  else
    Calls.pop_back();
  return Changed = true;
}

/// Of a kernel that was made for a program's temporary, its only parameter; any
/// other is from text and means nothing.
InstId SanitizeRewriter::temporary(InstId I) {
  if (Src.Params.size() != 1 || Src.Params[0].Kind != ParamKind::Buffer)
    return {};
  WatchSite Site = site(I, WatchSite::Kind::Collective);
  Site.In = WatchSite::Memory::Param;
  Site.Name = Src.Params[0].Name;
  watch(std::move(Site));
  return {};
}

void SanitizeRewriter::barrier(InstId I) {
  watch(site(I, WatchSite::Kind::Barrier));
}

InstId SanitizeRewriter::reduction(InstId I) {
  barrier(I);
  InstId Result = copy(I);
  const PlaceBase &Scratch =
      Src.Places[Src.Insts[Src.operand(I, 1)].Where].Base;
  WatchSite After = site(I, WatchSite::Kind::Collective);
  setBase(Scratch, After);
  After.Name = nameOf(Scratch);
  After.Bytes =
      static_cast<uint32_t>(M.Types.layout(baseType(M, Src, Scratch)).Size);
  watch(std::move(After));
  return Result;
}

InstId SanitizeRewriter::uniformLoad(InstId I) {
  bool Orders = asks(SanitizeRace | SanitizeUninit);
  if (Orders)
    barrier(I);
  if (isWatched(Src.Places[Src.Insts[I].Where]))
    access(I, WatchSite::Kind::Read);
  InstId Result = copy(I);
  if (Orders)
    barrier(I);
  return Result;
}

// --- Accesses

/// Indices may be out of range anywhere; other work-items meet in buffers and
/// workgroup arrays; what is undetermined are scratch arrays and temporaries.
bool SanitizeRewriter::isWatched(const Place &P) const {
  bool Shared = P.Base.Kind == BaseKind::Workgroup ||
                (P.Base.Kind == BaseKind::Param &&
                 Src.Params[P.Base.Index].Kind != ParamKind::Uniform);
  if (Shared && asks(SanitizeRace | SanitizeUninit))
    return true;
  bool Indexed = false;
  for (const PathElement &E : P.Path)
    Indexed |= E.isDynamic();
  return Indexed && asks(SanitizeBounds);
}

std::string SanitizeRewriter::nameOf(const PlaceBase &Base) const {
  switch (Base.Kind) {
  case BaseKind::Param:
    return Src.Params[Base.Index].Name;
  case BaseKind::Workgroup:
    return Src.WorkgroupArrays[WorkgroupId(Base.Index)].Name;
  case BaseKind::Slot:
    return Src.Slots[SlotId(Base.Index)].Name;
  case BaseKind::Table:
    return M.Tables[TableId(Base.Index)].Name;
  }
  return "";
}

void SanitizeRewriter::setBase(const PlaceBase &Base, WatchSite &Site) const {
  bool Param = Base.Kind == BaseKind::Param;
  bool Workgroup = Base.Kind == BaseKind::Workgroup;
  Site.In = Param       ? WatchSite::Memory::Param
            : Workgroup ? WatchSite::Memory::Workgroup
                        : WatchSite::Memory::Private;
  Site.Base = Param ? Base.Index : Workgroup ? ArrayAt[Base.Index] : 0;
}

/// Of a buffer, tensor or image: its own length limits it.
void SanitizeRewriter::leadingIndex(const PathElement &E, TypeId Element,
                                    WatchSite &Site,
                                    std::vector<ValueId> &Words) {
  ValueId Index = E.isDynamic() ? map(E.Index) : B.u32(E.Member);
  Site.Indices.push_back(
      {M.Types.stride(Element), 0, Dst.typeOf(Index) == types::I32});
  Words.push_back(Index);
}

/// From `T` to its member.
void SanitizeRewriter::step(const PathElement &E, TypeId &T, WatchSite &Site,
                            std::vector<ValueId> &Words) {
  TypeId Member = M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
  if (E.isDynamic()) {
    ValueId Index = map(E.Index);
    Site.Indices.push_back({M.Types.stride(Member), M.Types.memberCount(T),
                            Dst.typeOf(Index) == types::I32});
    Words.push_back(Index);
    Site.Name += "[#]";
  } else {
    Site.Offset += M.Types.memberOffset(T, E.Member);
    if (M.Types.kind(T) == TypeKind::Struct)
      Site.Name +=
          "." + M.Types.structure(M.Types[T].Struct).Fields[E.Member].Name;
    else if (M.Types.kind(T) == TypeKind::Vector)
      Site.Name += std::string(".") + "xyzw"[E.Member];
    else
      Site.Name += "[" + std::to_string(E.Member) + "]";
  }
  T = Member;
}

/// A scalar of 32 bits, its bits.
ValueId SanitizeRewriter::wordOf(ValueId V) {
  TypeId T = Dst.typeOf(V);
  if (T != types::F32)
    return T == types::U32 ? V : B.cast(V, types::U32);
  ValueId Operands[] = {V};
  return B.opTyped(Op::ToBits, types::U32, Operands);
}

/// A value as a place of the narrow type `T` holds it.
ValueId SanitizeRewriter::storedWord(ValueId V, TypeId T) {
  ValueId Word = wordOf(V);
  if (T == types::F16 || T == types::BF16) {
    const Module &Exact = exactPrelude();
    FuncId Narrows =
        Exact.find(T == types::F16 ? "f16_from_f32" : "bf16_from_f32");
    ValueId Args[] = {Word};
    return expandCall(B, Exact, Exact.Functions[Narrows], Args);
  }
  return B.op(Op::And, {Word, B.u32((1u << M.Types.bits(T)) - 1)});
}

/// Every bit of the word decides about every bit of the result, of which no
/// two are the same: the finaliser of MurmurHash3, x86, 32 bits.
ValueId SanitizeRewriter::mixed(ValueId Word) {
  auto Fold = [&](uint32_t By) {
    Word = B.op(Op::Xor, {Word, B.op(Op::Shr, {Word, B.u32(By)})});
  };
  Fold(16);
  Word = B.op(Op::Mul, {Word, B.u32(0x85ebca6b)});
  Fold(13);
  Word = B.op(Op::Mul, {Word, B.u32(0xc2b2ae35)});
  Fold(16);
  return Word;
}

void SanitizeRewriter::addWord(ValueId Word, ValueId &Sum) {
  Sum = Sum ? B.op(Op::Add, {mixed(Sum), Word}) : Word;
}

/// Adds the words of a value to a number that tells different values apart.
void SanitizeRewriter::addWords(ValueId V, ValueId &Sum) {
  TypeId T = Dst.typeOf(V);
  if (!M.Types.isScalar(T)) {
    for (uint32_t N = 0; N < M.Types.memberCount(T); ++N)
      addWords(B.extract(V, N), Sum);
    return;
  }
  if (M.Types.bits(T) == 64) {
    addWord(B.cast(V, types::U32), Sum);
    V = B.cast(B.op(Op::Shr, {V, B.u32(32)}), types::U32);
  }
  addWord(wordOf(V), Sum);
}

/// What a write of `V` to a place of type `T` tells of the value.
ValueId SanitizeRewriter::valueWord(ValueId V, TypeId T) {
  if (M.Types.layout(T).Size > GOLDY_MOST_WATCHED_VALUE_BYTES)
    return B.u32(0);
  if (M.Types.isStorageOnly(T))
    return storedWord(V, T);
  ValueId Sum;
  addWords(V, Sum);
  return Sum;
}

void SanitizeRewriter::access(InstId I, WatchSite::Kind What) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  WatchSite Site = site(I, What);
  setBase(P.Base, Site);
  Site.Name = nameOf(P.Base);
  std::vector<ValueId> Words;
  TypeId T = baseType(M, Src, P.Base);
  size_t Leading = leadingIndices(Src, P.Base);
  for (size_t N = 0; N < Leading; ++N)
    leadingIndex(P.Path[N], T, Site, Words);
  if (Leading)
    Site.Name += Leading == 2 ? "[#, #]" : "[#]";
  for (size_t N = Leading; N < P.Path.size(); ++N)
    step(P.Path[N], T, Site, Words);
  Site.Bytes = static_cast<uint32_t>(M.Types.layout(T).Size);
  if (What == WatchSite::Kind::Write && asks(SanitizeRace))
    Words.push_back(valueWord(map(Src.operand(I, 0)), T));
  watch(std::move(Site), std::move(Words));
}

/// A kernel that was made for `gpu::copy`: its bytes may be undetermined, and
/// one of its work-items says which ones are moved.
PassResult tellCopy(Module &M, Function &F, PassContext &Context) {
  if (!(Context.Sanitize & SanitizeUninit) || !Context.Sites ||
      !Context.RewriteFuel.use())
    return PassResult::Unchanged;
  WatchSite Site;
  Site.What = WatchSite::Kind::Copy;
  Site.In = WatchSite::Memory::Param;
  Site.Base = 1;
  Site.Name = F.Params[1].Name;
  Builder B(M, F);
  B.setBlock(F.Body);
  InstId First =
      B.createIf(B.op(Op::Eq, {B.id(Op::GlobalId, 0), B.u32(0)}), false);
  B.setBlock(F.Insts[First].Blocks[0]);
  ValueId Words[] = {B.u32(static_cast<uint32_t>(Context.Sites->size())),
                     B.param(2)};
  B.opTyped(Op::Watch, types::Void, Words);
  Context.Sites->push_back(std::move(Site));
  return PassResult::Changed;
}

class SanitizePass : public Pass {
public:
  std::string_view name() const override { return "sanitize"; }
  PassResult run(Module &M, PassContext &Context) override {
    for (FuncId K : M.kernels())
      if (prog::isCopyKernel(M.Functions[K]))
        return tellCopy(M, M.Functions[K], Context);
    return rewriteFunctions<SanitizeRewriter>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createSanitizePass() {
  return std::make_unique<SanitizePass>();
}

} // namespace goldy
