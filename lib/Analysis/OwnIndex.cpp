//===- OwnIndex.cpp - Indices as sums over the ids of a work-item ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/OwnIndex.h"

#include "goldyc/Analysis/Extents.h"

#include <algorithm>

namespace goldy {

// --- Names

namespace {

/// Longer names are not worth comparing: such a value has none.
constexpr size_t MaxName = 400;
constexpr unsigned MaxNameDepth = 16;

class Namer {
public:
  Namer(const Function &F, bool WithIds,
        const std::function<uint32_t(uint32_t)> &Param)
      : F(F), WithIds(WithIds), Param(Param) {}

  std::string of(ValueId V, unsigned Depth = MaxNameDepth) const {
    const Inst &N = F.Insts[V];
    switch (N.Opcode) {
    case Op::Const:
      return "c" + std::to_string(N.Type.index()) + ":" + std::to_string(N.Imm);
    case Op::ParamValue:
      return "p" + std::to_string(number(static_cast<uint32_t>(N.Imm)));
    case Op::SpecConst:
      return "s" + std::to_string(N.Imm);
    case Op::NumWorkgroups:
      return "n" + std::to_string(N.Imm);
    case Op::Len:
      return lengthOf(F.Places[N.Where].Base);
    case Op::GlobalId:
    case Op::LocalId:
    case Op::WorkgroupId:
      return WithIds
                 ? std::string(opInfo(N.Opcode).Name) + std::to_string(N.Imm)
                 : std::string();
    default:
      return ofOperation(V, Depth);
    }
  }

private:
  uint32_t number(uint32_t P) const { return Param ? Param(P) : P; }
  std::string lengthOf(const PlaceBase &Base) const {
    if (Base.Kind != BaseKind::Param)
      return std::string();
    return "l" + std::to_string(number(Base.Index));
  }
  std::string ofOperation(ValueId V, unsigned Depth) const {
    const Inst &N = F.Insts[V];
    if (opInfo(N.Opcode).Effects != Effect::Pure || Depth == 0 ||
        takesResources(N.Opcode) || N.Where || N.NumOperands == 0)
      return std::string();
    std::string Name = "(" + std::string(opInfo(N.Opcode).Name) + " " +
                       std::to_string(N.Type.index()) + " " +
                       std::to_string(N.Imm);
    for (ValueId Operand : F.operands(V)) {
      std::string Inner = of(Operand, Depth - 1);
      if (Inner.empty() || Name.size() + Inner.size() > MaxName)
        return std::string();
      Name += " " + Inner;
    }
    return Name + ")";
  }

  const Function &F;
  bool WithIds;
  const std::function<uint32_t(uint32_t)> &Param;
};

} // namespace

std::string launchName(const Function &F, ValueId V, bool WithIds,
                       const std::function<uint32_t(uint32_t)> &Param) {
  return Namer(F, WithIds, Param).of(V);
}

// --- Sums

namespace {

using Product = IdIndex::Product;
using MaybeIndex = std::optional<IdIndex>;

bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }

void add(IdIndex &To, const Product &P, uint32_t Factor) {
  uint32_t &Sum = To.Sum[P];
  Sum += Factor;
  if (Sum == 0)
    To.Sum.erase(P);
}

class Former {
public:
  Former(const Function &F, const LaunchShape &Shape) : F(F), Shape(Shape) {}
  MaybeIndex of(ValueId V, unsigned Depth = MaxDepth) const;

private:
  /// A form with more products, or made in more steps, is not followed.
  static constexpr size_t MaxProducts = 16;
  static constexpr unsigned MaxDepth = 24;
  MaybeIndex ofId(Op O, uint32_t Axis) const;
  MaybeIndex ofBinary(ValueId V, unsigned Depth) const;
  MaybeIndex product(const IdIndex &X, const IdIndex &Y) const;
  MaybeIndex uniform(ValueId V) const;

  const Function &F;
  const LaunchShape &Shape;
};

/// Along an axis of one group the id in the group is the global one, and along
/// one with groups of one work-item the group's is.
MaybeIndex Former::ofId(Op O, uint32_t Axis) const {
  bool Groups = Shape.ManyGroups[Axis], Items = Shape.WorkgroupSize[Axis] > 1;
  bool Zero = O == Op::GlobalId  ? !Groups && !Items
              : O == Op::LocalId ? !Items
                                 : !Groups;
  if (Zero)
    return IdIndex();
  IdIndex::Id Of = O == Op::GlobalId || !Groups || !Items ? IdIndex::Id::Global
                   : O == Op::LocalId                     ? IdIndex::Id::Local
                                                          : IdIndex::Id::Group;
  return IdIndex{{{Product{Of, Axis, {}}, 1}}};
}

MaybeIndex Former::uniform(ValueId V) const {
  std::string Name = launchName(F, V, false);
  if (Name.empty())
    return std::nullopt;
  return IdIndex{{{Product{IdIndex::Id::None, 0, {Name}}, 1}}};
}

MaybeIndex Former::product(const IdIndex &X, const IdIndex &Y) const {
  IdIndex Result;
  for (const auto &[P, PFactor] : X.Sum)
    for (const auto &[Q, QFactor] : Y.Sum) {
      if (P.Of != IdIndex::Id::None && Q.Of != IdIndex::Id::None)
        return std::nullopt;
      Product Both = P.Of != IdIndex::Id::None ? P : Q;
      Both.Factors = P.Factors;
      Both.Factors.insert(Both.Factors.end(), Q.Factors.begin(),
                          Q.Factors.end());
      std::sort(Both.Factors.begin(), Both.Factors.end());
      add(Result, Both, PFactor * QFactor);
    }
  return Result;
}

MaybeIndex Former::ofBinary(ValueId V, unsigned Depth) const {
  Op O = F.Insts[V].Opcode;
  MaybeIndex X = of(F.operand(V, 0), Depth - 1);
  MaybeIndex Y = of(F.operand(V, 1), Depth - 1);
  if (!X || !Y)
    return std::nullopt;
  if (O == Op::Mul)
    return product(*X, *Y);
  if (O == Op::Shl) {
    ValueId Amount = F.operand(V, 1);
    if (!F.isConst(Amount))
      return uniform(V);
    return product(
        *X, IdIndex{{{Product(), uint32_t(1) << (F.Insts[Amount].Imm & 31)}}});
  }
  for (const auto &[P, Factor] : Y->Sum)
    add(*X, P, O == Op::Sub ? 0u - Factor : Factor);
  return X;
}

MaybeIndex Former::of(ValueId V, unsigned Depth) const {
  const Inst &N = F.Insts[V];
  if (!isWord(N.Type) || Depth == 0)
    return std::nullopt;
  MaybeIndex Result;
  switch (N.Opcode) {
  case Op::Const: {
    IdIndex Constant;
    add(Constant, Product(), static_cast<uint32_t>(N.Imm));
    return Constant;
  }
  case Op::GlobalId:
  case Op::LocalId:
  case Op::WorkgroupId:
    return ofId(N.Opcode, static_cast<uint32_t>(N.Imm));
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Shl:
    Result = ofBinary(V, Depth);
    break;
  case Op::Cast:
    Result = isWord(F.typeOf(F.operand(V, 0))) ? of(F.operand(V, 0), Depth - 1)
                                               : uniform(V);
    break;
  default:
    Result = uniform(V);
  }
  if (Result && Result->Sum.size() > MaxProducts)
    return std::nullopt;
  return Result;
}

/// `group * size + local` is the global id.
void joinIds(IdIndex &Index, const LaunchShape &Shape) {
  std::vector<std::pair<Product, uint32_t>> Locals;
  for (const auto &[P, Factor] : Index.Sum)
    if (P.Of == IdIndex::Id::Local)
      Locals.emplace_back(P, Factor);
  for (const auto &[P, Factor] : Locals) {
    Product Group = P, Global = P;
    Group.Of = IdIndex::Id::Group;
    Global.Of = IdIndex::Id::Global;
    std::map<Product, uint32_t>::iterator It = Index.Sum.find(Group);
    if (It == Index.Sum.end() ||
        It->second != Factor * Shape.WorkgroupSize[P.Axis])
      continue;
    Index.Sum.erase(It);
    Index.Sum.erase(P);
    add(Index, Global, Factor);
  }
}

} // namespace

unsigned IdIndex::axes() const {
  unsigned Axes = 0;
  for (const auto &[P, Factor] : Sum)
    if (P.Of != Id::None)
      Axes |= 1u << P.Axis;
  return Axes;
}

std::optional<IdIndex> idIndexOf(const Function &F, ValueId V,
                                 const LaunchShape &Shape) {
  MaybeIndex Index = Former(F, Shape).of(V);
  if (Index)
    joinIds(*Index, Shape);
  return Index;
}

std::optional<IdIndex> idIndexOf(const Function &F, const PathElement &E,
                                 const LaunchShape &Shape) {
  if (E.isDynamic())
    return idIndexOf(F, E.Index, Shape);
  IdIndex Constant;
  add(Constant, Product(), E.Member);
  return Constant;
}

/// The axis that alone tells the index of one work-item from another's.
static std::optional<unsigned> tellingAxis(const IdIndex &Index) {
  std::optional<unsigned> Axis;
  for (const auto &[P, Factor] : Index.Sum) {
    if (P.Of == IdIndex::Id::None)
      continue;
    if (Axis || P.Of != IdIndex::Id::Global || !P.Factors.empty() ||
        Factor % 2 == 0)
      return std::nullopt;
    Axis = P.Axis;
  }
  return Axis;
}

static unsigned spreadAxes(const LaunchShape &Shape) {
  unsigned Spread = 0;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Spread |= Shape.isSpread(Axis) ? 1u << Axis : 0;
  return Spread;
}

bool isOwn(std::span<const IdIndex> Indices, const LaunchShape &Shape) {
  unsigned Spread = spreadAxes(Shape), Told = 0;
  for (const IdIndex &Index : Indices)
    if (std::optional<unsigned> Axis = tellingAxis(Index))
      Told |= 1u << *Axis;
  return Told == Spread;
}

bool isGlobalId(const IdIndex &Index, unsigned Axis) {
  return Index == IdIndex{{{Product{IdIndex::Id::Global, Axis, {}}, 1}}};
}

std::optional<GridIndex> gridIndexOf(const IdIndex &Index,
                                     const LaunchShape &Shape) {
  GridIndex Grid;
  unsigned Inner = 0, Outer = 0, Axes = 0;
  for (const auto &[P, Factor] : Index.Sum) {
    if (P.Of == IdIndex::Id::None)
      continue;
    if (P.Of != IdIndex::Id::Global || P.Factors.size() > 1 ||
        (P.Factors.size() == 1 && Factor != 1))
      return std::nullopt;
    Axes |= 1u << P.Axis;
    if (P.Factors.empty() && Factor == 1) {
      ++Inner;
      Grid.Inner = P.Axis;
      continue;
    }
    ++Outer;
    Grid.Outer = P.Axis;
    if (P.Factors.empty())
      Grid.Width = Factor;
    else
      Grid.WidthName = P.Factors.front();
  }
  if (Inner != 1 || Outer != 1 || Axes != spreadAxes(Shape))
    return std::nullopt;
  return Grid;
}

} // namespace goldy
