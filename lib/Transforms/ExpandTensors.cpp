//===- ExpandTensors.cpp - Tensors become their parents' elements
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor parameter becomes the buffer of its parent, and a logical index the
// parent's element: the index is taken apart over the shape, last axis first,
// and each coordinate is multiplied by its axis' stride. Guards stand already
// (bounds runs before), as `index < len`; here the length becomes a word of the
// layout. Indices out of range give some element number that the guard keeps
// from being used, so nothing here needs to be safe for them, division by an
// extent of zero apart, which the language defines.
//
// *What a contract is worth.* Its rank leaves out the axes that are not there:
// rank 1 is `offset + i * stride` for every kind of view, ranks 2 and 3 divide
// by their own extents only. Exact extents are constants. Axes of one name
// read the extent of the first of them, so quotients by it are shared.
//
// *The contiguous path.* All layout words are computed once, on top. A body
// that is small enough exists twice, chosen there by one uniform test: where
// every tensor is contiguous, an index is used as it is, and what follows sees
// plain neighbours in memory. Otherwise, and in large bodies, each tensor of
// rank 2 or more chooses at each access.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

#include "goldyc/Analysis/Structure.h"

#include <algorithm>
#include <map>

namespace goldy {
namespace {

constexpr uint32_t MaxRank = 4;
/// Words of the layout (docs/ABI.md).
constexpr uint32_t RankWord = 0, NumelWord = 1, FlagsWord = 3, ShapeWord = 4,
                   StrideWord = 8;
/// Bodies of at most so many instructions are doubled.
constexpr size_t MaxDoubledInsts = 2000;

class TensorRewriter : public PassRewriter {
public:
  TensorRewriter(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context) {
    for (const Param &P : Src.Params)
      HasTensors |= P.Kind == ParamKind::Tensor;
    // All of a function's tensors or none: half expanded it means nothing.
    if (HasTensors)
      HasTensors = spend();
    for (Param &P : Dst.Params)
      if (HasTensors && P.Kind == ParamKind::Tensor) {
        P.Kind = ParamKind::Buffer;
        P.ExpandedFrom = ParamKind::Tensor;
      }
    Facts.resize(Src.Params.size());
  }
  Function expand();

protected:
  InstId visit(InstId I) override;

private:
  /// Layout words of one tensor, computed on top of the function.
  struct TensorFacts {
    bool Used = false; ///< some element is accessed
    ValueId Rank, Numel, Offset, Contiguous;
    ValueId Shape[MaxRank], Stride[MaxRank];
  };

  bool isTensor(const PlaceBase &Base) const {
    return HasTensors && Base.Kind == BaseKind::Param &&
           Src.Params[Base.Index].Kind == ParamKind::Tensor;
  }
  /// The tensor that operand 0, a Ref, names; -1 if it names none.
  int tensorOf(InstId I) const;
  uint32_t rankOf(uint32_t P) const;
  ValueId word(uint32_t P, uint32_t Number);
  ValueId extent(uint32_t P, uint32_t Axis);
  ValueId numel(uint32_t P);
  bool sameShape(uint32_t P, uint32_t Q) const;
  void computeFacts(uint32_t P);
  void markUsed();

  ValueId element(uint32_t P, ValueId Index);
  ValueId compute(uint32_t P, ValueId Index);
  ValueId strided(uint32_t P, ValueId Index);
  ValueId chosen(uint32_t P, ValueId Index);
  ValueId dim(uint32_t P, ValueId Axis);
  InstId access(InstId I);

  bool isWorthDoubling() const;
  ValueId allContiguous();
  void doubled(ValueId Contiguous);

  bool HasTensors = false;
  bool PlainIndices = false;   ///< within the copy for contiguous tensors
  bool NoneContiguous = false; ///< within the other, if there is one tensor
  std::vector<TensorFacts> Facts;
  struct Found {
    ValueId Element;
    BlockId In;
  };
  /// By parameter and index, the last element computed.
  std::map<std::pair<uint32_t, uint32_t>, Found> Elements;
};

// --- Layout words

int TensorRewriter::tensorOf(InstId I) const {
  const PlaceBase &Base = Src.Places[Src.Insts[Src.operand(I, 0)].Where].Base;
  return isTensor(Base) ? static_cast<int>(Base.Index) : -1;
}

/// The contract's rank, else the greatest.
uint32_t TensorRewriter::rankOf(uint32_t P) const {
  const std::optional<std::vector<ContractDim>> &C = Src.Params[P].Contract;
  return C ? static_cast<uint32_t>(C->size()) : MaxRank;
}

ValueId TensorRewriter::word(uint32_t P, uint32_t Number) {
  ValueId Operands[] = {B.ref({BaseKind::Param, P}), B.u32(Number)};
  return B.opTyped(Op::LayoutWord, types::U32, Operands);
}

/// Equal names are equal extents: all read the first that has the name.
ValueId TensorRewriter::extent(uint32_t P, uint32_t Axis) {
  const std::optional<std::vector<ContractDim>> &C = Src.Params[P].Contract;
  if (C && Axis >= C->size())
    return B.u32(1);
  if (!C || (*C)[Axis].Form == ContractDim::Kind::Any)
    return word(P, ShapeWord + Axis);
  const ContractDim &D = (*C)[Axis];
  if (D.Form == ContractDim::Kind::Exact)
    return B.u32(D.Extent);
  for (uint32_t Q = 0; Q <= P; ++Q) {
    const std::optional<std::vector<ContractDim>> &Other =
        Src.Params[Q].Contract;
    for (uint32_t A = 0; Other && A < Other->size(); ++A)
      if ((*Other)[A] == D)
        return word(Q, ShapeWord + A);
  }
  return word(P, ShapeWord + Axis);
}

/// True if the contracts make the two shapes equal.
bool TensorRewriter::sameShape(uint32_t P, uint32_t Q) const {
  const std::optional<std::vector<ContractDim>> &A = Src.Params[P].Contract,
                                                &C = Src.Params[Q].Contract;
  if (!A || !C || *A != *C)
    return false;
  for (const ContractDim &D : *A)
    if (D.Form == ContractDim::Kind::Any)
      return false;
  return true;
}

ValueId TensorRewriter::numel(uint32_t P) {
  const std::optional<std::vector<ContractDim>> &C = Src.Params[P].Contract;
  if (C && C->empty())
    return B.u32(1);
  if (C && C->size() == 1)
    return extent(P, 0);
  uint64_t Product = C ? 1 : 0;
  for (uint32_t A = 0; C && A < C->size(); ++A) {
    bool Exact = (*C)[A].Form == ContractDim::Kind::Exact;
    Product = Exact && Product ? Product * (*C)[A].Extent : 0;
    if (Product > 0xffffffffu)
      Product = 0; // never bound: a view has fewer elements
  }
  if (Product)
    return B.u32(static_cast<uint32_t>(Product));
  for (uint32_t Q = 0; Q < P; ++Q)
    if (sameShape(P, Q))
      return word(Q, NumelWord);
  return word(P, NumelWord);
}

void TensorRewriter::computeFacts(uint32_t P) {
  TensorFacts &T = Facts[P];
  T.Rank = Src.Params[P].Contract ? B.u32(rankOf(P)) : word(P, RankWord);
  T.Numel = numel(P);
  for (uint32_t A = 0; A < MaxRank; ++A)
    T.Shape[A] = extent(P, A);
  if (!T.Used)
    return;
  ValueId Self = B.ref({BaseKind::Param, P});
  T.Offset = B.opTyped(Op::TensorOffset, types::U32, {{Self}});
  if (rankOf(P) == 0)
    return;
  ValueId Bit = B.op(Op::And, {word(P, FlagsWord), B.u32(1)});
  T.Contiguous = B.op(Op::Ne, {Bit, B.u32(0)});
  for (uint32_t A = 0; A < rankOf(P); ++A)
    T.Stride[A] = word(P, StrideWord + A);
}

void TensorRewriter::markUsed() {
  forEachInst(Src, [&](InstId I) {
    const Inst &N = Src.Insts[I];
    if (accessesPlace(N.Opcode) && isTensor(Src.Places[N.Where].Base))
      Facts[Src.Places[N.Where].Base.Index].Used = true;
  });
}

// --- Indices

/// The parent's element, the index taken apart over the shape.
ValueId TensorRewriter::strided(uint32_t P, ValueId Index) {
  const TensorFacts &T = Facts[P];
  ValueId At = T.Offset, Rest = Index;
  for (uint32_t A = rankOf(P); A-- > 1;) {
    ValueId Whole = B.op(Op::Div, {Rest, T.Shape[A]});
    ValueId Coordinate =
        B.op(Op::Sub, {Rest, B.op(Op::Mul, {Whole, T.Shape[A]})});
    At = B.op(Op::Add, {At, B.op(Op::Mul, {Coordinate, T.Stride[A]})});
    Rest = Whole;
  }
  if (rankOf(P) == 0)
    return At;
  return B.op(Op::Add, {At, B.op(Op::Mul, {Rest, T.Stride[0]})});
}

/// The same, with a branch for contiguous views.
ValueId TensorRewriter::chosen(uint32_t P, ValueId Index) {
  SlotId Element = B.slot("", types::U32);
  InstId If = B.createIf(Facts[P].Contiguous, true);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[If].Blocks[0]);
  B.store(B.slotPlace(Element), B.op(Op::Add, {Facts[P].Offset, Index}));
  B.setBlock(Dst.Insts[If].Blocks[1]);
  B.store(B.slotPlace(Element), strided(P, Index));
  B.setBlock(Outer);
  return B.load(B.slotPlace(Element));
}

/// An element that is read and written in one block is found once.
ValueId TensorRewriter::element(uint32_t P, ValueId Index) {
  Found &Last = Elements[{P, Index.index()}];
  if (!Last.Element || Last.In != B.block())
    Last = {compute(P, Index), B.block()};
  return Last.Element;
}

ValueId TensorRewriter::compute(uint32_t P, ValueId Index) {
  if (Dst.typeOf(Index) != types::U32)
    Index = B.cast(Index, types::U32);
  if (rankOf(P) == 0)
    return Facts[P].Offset;
  if (PlainIndices)
    return B.op(Op::Add, {Facts[P].Offset, Index});
  return rankOf(P) == 1 || NoneContiguous ? strided(P, Index)
                                          : chosen(P, Index);
}

/// 1 beyond the rank, as the layout has it for axes below 4.
ValueId TensorRewriter::dim(uint32_t P, ValueId Axis) {
  const Inst &N = Dst.Insts[Axis];
  if (N.Opcode == Op::Const)
    return N.Imm < MaxRank ? Facts[P].Shape[N.Imm] : B.u32(1);
  ValueId Result = B.u32(1);
  for (uint32_t A = 0; A < rankOf(P); ++A)
    Result =
        B.select(B.op(Op::Eq, {Axis, B.u32(A)}), Facts[P].Shape[A], Result);
  return Result;
}

InstId TensorRewriter::access(InstId I) {
  const Place &Old = Src.Places[Src.Insts[I].Where];
  std::vector<PathElement> Path = mapPath(Old.Path);
  ValueId Index = Path[0].isDynamic() ? Path[0].Index : B.u32(Path[0].Member);
  Path[0] = {element(Old.Base.Index, Index), 0};
  ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
  return copyAccess(I, B.place(Old.Base, std::move(Path)), Guard);
}

InstId TensorRewriter::visit(InstId I) {
  const Inst &N = Src.Insts[I];
  if (accessesPlace(N.Opcode) && isTensor(Src.Places[N.Where].Base))
    return access(I);
  if (N.Opcode == Op::Len && isTensor(Src.Places[N.Where].Base))
    return Facts[Src.Places[N.Where].Base.Index].Numel;
  bool Fact = N.Opcode == Op::Dim || N.Opcode == Op::Rank;
  int P = Fact ? tensorOf(I) : -1;
  if (P < 0)
    return copy(I);
  return N.Opcode == Op::Rank
             ? Facts[static_cast<uint32_t>(P)].Rank
             : dim(static_cast<uint32_t>(P), map(Src.operand(I, 1)));
}

// --- The contiguous copy

bool TensorRewriter::isWorthDoubling() const {
  size_t Count = 0;
  forEachInst(Src, [&](InstId) { ++Count; });
  return Count <= MaxDoubledInsts;
}

/// Invalid if no element is accessed through a layout.
ValueId TensorRewriter::allContiguous() {
  ValueId All;
  for (const TensorFacts &T : Facts)
    if (T.Contiguous)
      All = All ? B.op(Op::And, {All, T.Contiguous}) : T.Contiguous;
  return All;
}

/// The body twice. The second copy has slots of its own, so that what is known
/// of a slot in one copy does not spoil the other.
void TensorRewriter::doubled(ValueId Contiguous) {
  InstId If = B.createIf(Contiguous, true);
  BlockId Outer = B.block();
  B.setBlock(Dst.Insts[If].Blocks[0]);
  PlainIndices = true;
  copyBlock(Src.Body);
  PlainIndices = false;
  NoneContiguous =
      std::count_if(Facts.begin(), Facts.end(), [](const TensorFacts &T) {
        return T.Contiguous.isValid();
      }) == 1;
  uint32_t FirstPlace = Dst.Places.size(), FirstSlot = Dst.Slots.size();
  for (const Slot &S : Src.Slots)
    Dst.Slots.push(S);
  B.setBlock(Dst.Insts[If].Blocks[1]);
  copyBlock(Src.Body);
  for (uint32_t P = FirstPlace; P < Dst.Places.size(); ++P) {
    PlaceBase &Base = Dst.Places[PlaceId(P)].Base;
    bool Copied = Base.Kind == BaseKind::Slot && Base.Index < Src.Slots.size();
    if (Copied)
      Base.Index += FirstSlot;
  }
  B.setBlock(Outer);
}

Function TensorRewriter::expand() {
  Dst.Body = B.newBlock();
  B.setBlock(Dst.Body);
  markUsed();
  B.setLoc(Src.Loc);
  for (uint32_t P = 0; HasTensors && P < Src.Params.size(); ++P)
    if (Src.Params[P].Kind == ParamKind::Tensor)
      computeFacts(P);
  ValueId Contiguous = isWorthDoubling() ? allContiguous() : ValueId();
  if (Contiguous)
    doubled(Contiguous);
  else
    copyBlock(Src.Body);
  return std::move(Dst);
}

class ExpandTensorsPass : public Pass {
public:
  std::string_view name() const override { return "expand-tensors"; }
  PassResult run(Module &M, PassContext &Context) override {
    bool Changed = false;
    for (Function &F : M.Functions) {
      TensorRewriter R(M, F, Context);
      if (!R.changed())
        continue;
      F = R.expand();
      Changed = true;
    }
    return Changed ? PassResult::Changed : PassResult::Unchanged;
  }
};

} // namespace

std::unique_ptr<Pass> createExpandTensorsPass() {
  return std::make_unique<ExpandTensorsPass>();
}

} // namespace goldy
