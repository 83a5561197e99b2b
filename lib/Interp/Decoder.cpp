//===- Decoder.cpp - Makes a kernel ready to run
//---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `Instance` is one function at one place: the kernel, or a helper at one
// of its calls. Arguments of a helper are the caller's cells and resources
// themselves, since values never change once they are there.
//
//===----------------------------------------------------------------------===//
#include "Code.h"

#include <algorithm>
#include <map>

namespace goldy::interp {
namespace {

constexpr uint64_t MaxFrameCells = uint64_t(1) << 22;
constexpr uint64_t MaxSharedCells = uint64_t(1) << 24;
constexpr size_t MaxSteps = size_t(1) << 24;
constexpr unsigned MaxCalls = 64;

/// What a parameter of an instance stands for.
struct BoundParam {
  uint32_t Cell = 0;                        ///< scalars and other values
  const InterpArgument *Argument = nullptr; ///< buffers, uniform blocks
  ParamKind Kind = ParamKind::Scalar;
  TypeId Type;
  /// Workgroup array (or variable) of a caller passed on.
  bool IsCells = false;
  Space Where = Space::Shared;
  const uint64_t *Table = nullptr;
  uint64_t FirstCell = 0, Extent = 0;
  uint32_t Tensor = ~0u; ///< tensors, expanded ones too: number in the code
};

struct Instance {
  explicit Instance(const Function &F) : F(F) {}
  const Function &F;
  SideMap<Inst, uint32_t> Cell{~0u};
  std::vector<BoundParam> Params;
  std::vector<uint32_t> SlotCell;
  std::vector<uint64_t> WorkgroupCell;
  uint32_t ResultCell = 0;
  std::vector<uint32_t> Returns; ///< jumps to the instance's end
};

/// Jumps waiting for the end or the repetition of a control statement.
struct Open {
  InstId Inst;
  std::vector<uint32_t> Breaks, Continues;
};

class Decoder {
public:
  Decoder(const Module &M, InterpFault &Why) : M(M), Why(Why) {}
  bool run(const Function &Kernel, std::span<const InterpArgument> Arguments);
  Code C;

private:
  // Layout in cells
  uint64_t cells(TypeId T) const;
  uint64_t memberCell(TypeId T, uint32_t Member) const;
  void leaves(TypeId T, bool InBytes, uint64_t At,
              std::vector<Leaf> &Out) const;

  bool fail(InterpFault::Kind K, std::string Message, Span Where);
  bool unsupported(std::string What, Span Where);
  bool allocate(uint64_t Count, uint32_t &First);
  uint32_t constantCell(uint64_t Bits);
  bool bindKernel(Instance &I, std::span<const InterpArgument> Arguments);
  bool bindParam(Instance &I, const InterpArgument &A, uint32_t Index);
  bool bindTensor(const Param &P, const InterpArgument &A, uint32_t &Number);
  bool layoutFact(Instance &I, InstId Id);
  bool declare(Instance &I);
  bool body(Instance &I);
  bool block(Instance &I, BlockId B);
  bool instruction(Instance &I, InstId Id);
  bool control(Instance &I, InstId Id);
  bool synchronise(Instance &I, InstId Id);
  bool collective(Instance &I, InstId Id);
  bool lanes(Instance &I, InstId Id);
  void emitBarrier();
  bool pure(Instance &I, InstId Id);
  bool elementwise(Instance &I, InstId Id);
  bool memory(Instance &I, InstId Id);
  bool construct(Instance &I, InstId Id);
  bool extract(Instance &I, InstId Id);
  bool length(Instance &I, InstId Id);
  bool call(Instance &I, InstId Id);
  bool bindArgument(Instance &Caller, Instance &Callee, ValueId V);
  bool ifStatement(Instance &I, InstId Id);
  bool loopStatement(Instance &I, InstId Id);
  bool forStatement(Instance &I, InstId Id);
  bool jump(Instance &I, InstId Id);
  bool value(Instance &I, ValueId V, uint32_t &Cell);
  bool newValue(Instance &I, InstId Id, uint32_t &Cell);

  bool access(Instance &I, InstId Id, uint32_t &Out);
  bool imageIndex(Instance &I, const Place &P, Access &A);
  bool dim(Instance &I, InstId Id);
  bool debug(Instance &I, InstId Id);
  bool base(Instance &I, const PlaceBase &B, Access &A, TypeId &T,
            bool &IndexesBuffer, uint64_t &Length, Span Where);
  bool pathStep(Instance &I, const PathElement &E, TypeId &T, Access &A,
                bool IndexesBuffer, uint64_t Length);
  /// The tensor that a place is based on; ~0u if on none.
  uint32_t tensorOf(const Instance &I, const PlaceBase &B) const;

  uint32_t emit(Step S) {
    S.Where = Where;
    C.Steps.push_back(S);
    return static_cast<uint32_t>(C.Steps.size() - 1);
  }
  uint32_t emitJump(Do What, uint32_t Cell = 0, uint32_t Target = 0) {
    Step S;
    S.What = What;
    S.A = Cell;
    S.Extra = Target;
    return emit(S);
  }
  uint32_t here() const { return static_cast<uint32_t>(C.Steps.size()); }
  void land(const std::vector<uint32_t> &Jumps, uint32_t At) {
    for (uint32_t J : Jumps)
      C.Steps[J].Extra = At;
  }
  void copy(uint32_t Dst, uint32_t Src, uint64_t Count);

  const Module &M;
  InterpFault &Why;
  std::vector<Open> Opened;
  std::map<std::string, uint64_t> Symbols; ///< of contracts, with their extent
  Span Where;
  unsigned CallDepth = 0;
};

bool Decoder::fail(InterpFault::Kind K, std::string Message, Span At) {
  Why = {K, std::move(Message), At};
  return false;
}

bool Decoder::unsupported(std::string What, Span At) {
  return fail(InterpFault::Kind::Unsupported,
              What + " is not supported by the interpreter", At);
}

// --- Layout in cells

uint64_t Decoder::cells(TypeId T) const {
  uint32_t Count = M.Types.memberCount(T);
  switch (M.Types.kind(T)) {
  case TypeKind::Vector:
  case TypeKind::Array:
    return std::min(Count * cells(M.Types[T].Element), MaxSharedCells + 1);
  case TypeKind::Struct: {
    uint64_t Sum = 0;
    for (uint32_t I = 0; I < Count; ++I)
      Sum += cells(M.Types.memberType(T, I));
    return std::min(Sum, MaxSharedCells + 1);
  }
  default:
    return 1;
  }
}

uint64_t Decoder::memberCell(TypeId T, uint32_t Member) const {
  if (M.Types.kind(T) != TypeKind::Struct)
    return Member * cells(M.Types[T].Element);
  uint64_t At = 0;
  for (uint32_t I = 0; I < Member; ++I)
    At += cells(M.Types.memberType(T, I));
  return At;
}

void Decoder::leaves(TypeId T, bool InBytes, uint64_t At,
                     std::vector<Leaf> &Out) const {
  uint32_t Count = M.Types.memberCount(T);
  if (Count == 0) {
    Out.push_back({At, M.Types.kind(T)});
    return;
  }
  for (uint32_t I = 0; I < Count; ++I)
    leaves(M.Types.memberType(T, I), InBytes,
           At + (InBytes ? M.Types.memberOffset(T, I) : memberCell(T, I)), Out);
}

bool Decoder::allocate(uint64_t Count, uint32_t &First) {
  if (Count > MaxFrameCells - C.Frame.size())
    return fail(InterpFault::Kind::Unsupported,
                "the kernel's values take more memory than the interpreter "
                "gives a work-item",
                Where);
  First = static_cast<uint32_t>(C.Frame.size());
  C.Frame.resize(C.Frame.size() + Count);
  return true;
}

void Decoder::copy(uint32_t Dst, uint32_t Src, uint64_t Count) {
  if (Count == 0)
    return;
  Step S;
  S.What = Do::Copy;
  S.Dst = Dst;
  S.A = Src;
  S.Count = Count;
  emit(S);
}

// --- Parameters and declarations

/// Takes the view in; every element that it reaches must be the parent's.
bool Decoder::bindTensor(const Param &P, const InterpArgument &A,
                         uint32_t &Number) {
  uint64_t Length = A.Bytes.size() / M.Types.stride(P.Type);
  InterpTensor T;
  if (A.Tensor) {
    T = *A.Tensor;
  } else {
    T.Rank = 1;
    T.Shape[0] = Length;
    T.Strides[0] = 1;
  }
  uint64_t Last = T.Offset;
  for (unsigned Axis = 0; Axis < 4; ++Axis)
    Last += (T.Shape[Axis] - 1) * T.Strides[Axis];
  if (T.Rank > 4 || T.numel() > 0xffffffffu ||
      (T.numel() != 0 && Last >= Length))
    return fail(InterpFault::Kind::Argument,
                "the view of `" + P.Name + "` reaches beyond its parent of " +
                    std::to_string(Length) + " elements",
                P.Loc);
  Number = static_cast<uint32_t>(C.Tensors.size());
  C.Tensors.push_back(T);
  std::string Broken = contractFault(P, T, Symbols);
  return Broken.empty() || fail(InterpFault::Kind::Argument,
                                "parameter `" + P.Name + "`: " + Broken, P.Loc);
}

bool Decoder::bindParam(Instance &I, const InterpArgument &A, uint32_t Index) {
  const Param &P = I.F.Params[Index];
  BoundParam B;
  B.Kind = P.Kind;
  B.Type = P.Type;
  switch (P.Kind) {
  case ParamKind::Scalar:
    if (cells(P.Type) != 1)
      return unsupported("parameter `" + P.Name + "` of an aggregate type",
                         P.Loc);
    if (!allocate(1, B.Cell))
      return false;
    C.Frame[B.Cell] = A.Bits;
    break;
  case ParamKind::Buffer:
  case ParamKind::Tensor:
  case ParamKind::Uniform: {
    uint64_t Stride = M.Types.stride(P.Type);
    bool Fits = P.Kind == ParamKind::Uniform ? A.Bytes.size() == Stride
                                             : A.Bytes.size() % Stride == 0;
    if (!Fits)
      return fail(InterpFault::Kind::Argument,
                  "`" + P.Name + "` has " + std::to_string(A.Bytes.size()) +
                      " bytes, expected " +
                      (P.Kind == ParamKind::Buffer ? "a whole number of "
                                                     "elements of "
                                                   : "one value of ") +
                      std::to_string(Stride) + " bytes",
                  P.Loc);
    if (A.Bytes.size() / Stride > 0xffffffffu)
      return fail(InterpFault::Kind::Argument,
                  "`" + P.Name + "` has more than 2^32 - 1 elements", P.Loc);
    B.Argument = &A;
    if (P.bound() == ParamKind::Tensor && !bindTensor(P, A, B.Tensor))
      return false;
    break;
  }
  case ParamKind::Image:
    if (A.Bytes.size() !=
        uint64_t(A.Extent[0]) * A.Extent[1] * M.Types.stride(P.Type))
      return fail(InterpFault::Kind::Argument,
                  "`" + P.Name + "` has " + std::to_string(A.Bytes.size()) +
                      " bytes, which is no image of its extents",
                  P.Loc);
    B.Argument = &A;
    break;
  }
  I.Params.push_back(B);
  return true;
}

bool Decoder::bindKernel(Instance &I,
                         std::span<const InterpArgument> Arguments) {
  if (Arguments.size() != I.F.Params.size())
    return fail(InterpFault::Kind::Argument,
                "`" + I.F.Name + "` takes " +
                    std::to_string(I.F.Params.size()) + " arguments, found " +
                    std::to_string(Arguments.size()),
                I.F.Loc);
  for (uint32_t N = 0; N < Arguments.size(); ++N)
    if (!bindParam(I, Arguments[N], N))
      return false;
  return true;
}

bool Decoder::declare(Instance &I) {
  for (const Slot &S : I.F.Slots) {
    uint32_t First = 0;
    uint64_t Count = cells(S.Type);
    if (!allocate(Count, First))
      return false;
    I.SlotCell.push_back(First);
    C.Variables.push_back({First, static_cast<uint32_t>(Count)});
  }
  for (const WorkgroupArray &W : I.F.WorkgroupArrays) {
    uint64_t Count = cells(W.Type);
    if (Count > MaxSharedCells - C.SharedCells)
      return fail(InterpFault::Kind::Unsupported,
                  "workgroup array `" + W.Name + "` is too large", W.Loc);
    I.WorkgroupCell.push_back(C.SharedCells);
    C.SharedCells += Count;
  }
  return true;
}

bool Decoder::run(const Function &Kernel,
                  std::span<const InterpArgument> Arguments) {
  for (const ConstTable &T : M.Tables)
    C.Tables.push_back(std::make_unique<std::vector<uint64_t>>(T.Bits));
  Instance I(Kernel);
  if (!bindKernel(I, Arguments) || !body(I))
    return false;
  Step S;
  S.What = Do::End;
  emit(S);
  return true;
}

bool Decoder::body(Instance &I) {
  if (!declare(I) || !block(I, I.F.Body))
    return false;
  land(I.Returns, here());
  return true;
}

// --- Values

uint32_t Decoder::constantCell(uint64_t Bits) {
  C.Frame.push_back(Bits);
  return static_cast<uint32_t>(C.Frame.size() - 1);
}

bool Decoder::value(Instance &I, ValueId V, uint32_t &Cell) {
  const Inst &N = I.F.Insts[V];
  Cell = I.Cell[V];
  if (Cell != ~0u)
    return true;
  switch (N.Opcode) {
  case Op::Const:
    Cell = constantCell(N.Imm);
    break;
  case Op::ParamValue:
    Cell = I.Params[N.Imm].Cell;
    break;
  case Op::DeviceSwitch: // the sequences, which every device may take
    Cell = constantCell(0);
    break;
  case Op::SpecConst:
    Cell = constantCell(M.Specs[SpecId(static_cast<uint32_t>(N.Imm))].Default);
    break;
  default:
    return fail(InterpFault::Kind::Fault, "a value is used before it is made",
                N.Loc);
  }
  I.Cell.set(V, Cell);
  return true;
}

bool Decoder::newValue(Instance &I, InstId Id, uint32_t &Cell) {
  if (!allocate(cells(I.F.Insts[Id].Type), Cell))
    return false;
  I.Cell.set(Id, Cell);
  return true;
}

bool Decoder::block(Instance &I, BlockId B) {
  for (InstId Id : I.F.Blocks[B].Insts) {
    Where = I.F.Insts[Id].Loc;
    if (C.Steps.size() > MaxSteps)
      return fail(InterpFault::Kind::Unsupported,
                  "the kernel is too large for the interpreter", Where);
    if (!instruction(I, Id))
      return false;
  }
  return true;
}

bool Decoder::instruction(Instance &I, InstId Id) {
  switch (opInfo(I.F.Insts[Id].Opcode).Effects) {
  case Effect::Leaf:
    return true;
  case Effect::Pure:
    return pure(I, Id);
  case Effect::Read:
    return memory(I, Id);
  case Effect::Write:
    return I.F.Insts[Id].Opcode == Op::Call    ? call(I, Id)
           : I.F.Insts[Id].Opcode == Op::Debug ? debug(I, Id)
           : I.F.Insts[Id].Opcode == Op::Watch ? true // nobody is told
                                               : memory(I, Id);
  case Effect::Sync:
    return synchronise(I, Id);
  case Effect::Control:
    return control(I, Id);
  }
  return true;
}

bool Decoder::synchronise(Instance &I, InstId Id) {
  C.HasBarrier = true;
  switch (I.F.Insts[Id].Opcode) {
  case Op::WorkgroupUniformLoad:
    emitBarrier();
    return memory(I, Id) && (emitBarrier(), true);
  case Op::WorkgroupSum:
  case Op::WorkgroupMax:
  case Op::WorkgroupMin:
    return collective(I, Id);
  case Op::LaneExchange:
  case Op::LaneFirst:
    return lanes(I, Id);
  default:
    emitBarrier();
    return true;
  }
}

void Decoder::emitBarrier() {
  Step S;
  S.What = Do::Barrier;
  emit(S);
}

bool Decoder::collective(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  const PlaceBase &Scratch =
      I.F.Places[I.F.Insts[I.F.operand(Id, 1)].Where].Base;
  Step S;
  S.What = Do::Collective;
  S.Opcode = N.Opcode;
  S.Kind = M.Types.kind(N.Type);
  S.B = static_cast<uint32_t>(I.WorkgroupCell[Scratch.Index]);
  S.Count = cells(I.F.WorkgroupArrays[WorkgroupId(Scratch.Index)].Type);
  return value(I, I.F.operand(Id, 0), S.A) && newValue(I, Id, S.Dst) &&
         (emit(S), true);
}

bool Decoder::lanes(Instance &I, InstId Id) {
  Step S;
  S.What = Do::Collective;
  S.Opcode = I.F.Insts[Id].Opcode;
  S.Count = I.F.Insts[I.F.operand(Id, 1)].Imm;
  return value(I, I.F.operand(Id, 0), S.A) && newValue(I, Id, S.Dst) &&
         (emit(S), true);
}

bool Decoder::pure(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  switch (N.Opcode) {
  case Op::GlobalId:
  case Op::LocalId:
  case Op::WorkgroupId:
  case Op::NumWorkgroups:
  case Op::WorkgroupSize: {
    Step S;
    S.What = Do::Id;
    S.Opcode = N.Opcode;
    S.Count = N.Imm;
    return newValue(I, Id, S.Dst) && (emit(S), true);
  }
  case Op::Len:
    return length(I, Id);
  case Op::Dim:
  case Op::Rank:
  case Op::LayoutWord:
  case Op::TensorOffset:
    return layoutFact(I, Id);
  case Op::Construct:
    return construct(I, Id);
  case Op::Extract:
    return extract(I, Id);
  default:
    return elementwise(I, Id);
  }
}

/// Scalar operations, repeated for each scalar of a vector (Select: of any
/// value). Operands of one scalar are used for all.
bool Decoder::elementwise(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  if (isPublished(N.Opcode)) // it has no meaning but its sequence
    return unsupported('`' + std::string(opInfo(N.Opcode).Mnemonic) +
                           "` without its sequence (expand-math)",
                       N.Loc);
  std::span<const ValueId> Operands = I.F.operands(Id);
  bool IsSelect = N.Opcode == Op::Select;
  TypeId First = I.F.typeOf(Operands[0]);
  Step S;
  S.Opcode = N.Opcode;
  S.Kind = M.Types.kind(M.Types.scalarOf(First));
  S.ToKind = M.Types.kind(M.Types.scalarOf(N.Type));
  bool Promised = N.Opcode >= Op::RawDiv && N.Opcode <= Op::RawFloatToInt;
  S.What = N.Opcode == Op::Cast ? Do::Convert
           : Promised           ? Do::Checked
                                : Do::Evaluate;
  uint32_t Base[3] = {0, 0, 0};
  uint64_t Advance[3] = {0, 0, 0};
  for (size_t K = 0; K < Operands.size() && K < 3; ++K) {
    if (!value(I, Operands[K], Base[K]))
      return false;
    Advance[K] = cells(I.F.typeOf(Operands[K])) > 1;
  }
  uint32_t Dst = 0;
  if (!newValue(I, Id, Dst))
    return false;
  uint64_t Count = cells(N.Type);
  for (uint32_t L = 0; L < Count; ++L) {
    S.Dst = Dst + L;
    S.A = Base[0] + static_cast<uint32_t>(Advance[0] * L);
    S.B = Base[1] + static_cast<uint32_t>(Advance[1] * L);
    S.C = Base[2] + static_cast<uint32_t>(Advance[2] * L);
    if (IsSelect && C.Steps.size() > MaxSteps)
      return unsupported("a choice between values this large", N.Loc);
    emit(S);
  }
  return true;
}

bool Decoder::construct(Instance &I, InstId Id) {
  uint32_t Dst = 0;
  if (!newValue(I, Id, Dst))
    return false;
  for (ValueId V : I.F.operands(Id)) {
    uint32_t Cell = 0;
    if (!value(I, V, Cell))
      return false;
    uint64_t Count = cells(I.F.typeOf(V));
    copy(Dst, Cell, Count);
    Dst += static_cast<uint32_t>(Count);
  }
  return true;
}

/// A member is a part of its aggregate's cells.
bool Decoder::extract(Instance &I, InstId Id) {
  ValueId Of = I.F.operand(Id, 0);
  uint32_t Cell = 0;
  if (!value(I, Of, Cell))
    return false;
  uint32_t Member = static_cast<uint32_t>(I.F.Insts[Id].Imm);
  Cell += static_cast<uint32_t>(memberCell(I.F.typeOf(Of), Member));
  I.Cell.set(Id, Cell);
  return true;
}

bool Decoder::length(Instance &I, InstId Id) {
  Access A;
  TypeId T;
  bool IndexesBuffer = false;
  uint64_t Length = 0;
  const Inst &N = I.F.Insts[Id];
  if (!base(I, I.F.Places[N.Where].Base, A, T, IndexesBuffer, Length, N.Loc))
    return false;
  if (!IndexesBuffer)
    Length = M.Types.memberCount(T);
  I.Cell.set(Id, constantCell(Length));
  return true;
}

bool Decoder::layoutFact(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  const Inst &Named = I.F.Insts[I.F.operand(Id, 0)];
  uint32_t Number = tensorOf(I, I.F.Places[Named.Where].Base);
  if (Number == ~0u)
    return dim(I, Id);
  const InterpTensor &T = C.Tensors[Number];
  if (N.Opcode == Op::Dim) {
    Step S;
    S.What = Do::Dim;
    S.Extra = Number;
    return value(I, I.F.operand(Id, 1), S.A) && newValue(I, Id, S.Dst) &&
           (emit(S), true);
  }
  uint64_t Bits = N.Opcode == Op::Rank ? T.Rank
                  : N.Opcode == Op::TensorOffset
                      ? T.Offset
                      : layoutWord(T, I.F.Insts[I.F.operand(Id, 1)].Imm);
  I.Cell.set(Id, constantCell(Bits));
  return true;
}

// --- Memory

uint32_t Decoder::tensorOf(const Instance &I, const PlaceBase &B) const {
  return B.Kind == BaseKind::Param ? I.Params[B.Index].Tensor : ~0u;
}

/// Where a base lies, its type and, for what a path's first index selects
/// elements of, its length.
bool Decoder::base(Instance &I, const PlaceBase &B, Access &A, TypeId &T,
                   bool &IndexesBuffer, uint64_t &Length, Span At) {
  T = baseType(M, I.F, B);
  switch (B.Kind) {
  case BaseKind::Workgroup:
    A.Where = Space::Shared;
    A.Constant = I.WorkgroupCell[B.Index];
    return true;
  case BaseKind::Slot:
    A.Where = Space::Frame;
    A.Constant = I.SlotCell[B.Index];
    return true;
  case BaseKind::Table:
    A.Where = Space::Shared;
    A.Table = C.Tables[B.Index]->data();
    return true;
  case BaseKind::Param:
    break;
  }
  const BoundParam &P = I.Params[B.Index];
  if (P.IsCells) {
    A.Where = P.Where;
    A.Table = P.Table;
    A.Constant = P.FirstCell;
    IndexesBuffer = true;
    Length = P.Extent;
    return true;
  }
  if (!P.Argument)
    return fail(InterpFault::Kind::Fault, "the place is no memory", At);
  A.Where = Space::Bytes;
  A.Bytes = P.Argument->Bytes.data();
  IndexesBuffer = P.Kind == ParamKind::Buffer || P.Kind == ParamKind::Tensor;
  Length = P.Kind == ParamKind::Tensor
               ? C.Tensors[P.Tensor].numel()
               : P.Argument->Bytes.size() / M.Types.stride(P.Type);
  return true;
}

bool Decoder::pathStep(Instance &I, const PathElement &E, TypeId &T, Access &A,
                       bool IndexesBuffer, uint64_t Length) {
  bool InBytes = A.Where == Space::Bytes;
  TypeId Element =
      IndexesBuffer ? T : M.Types.memberType(T, E.isDynamic() ? 0 : E.Member);
  if (!E.isDynamic() && !IndexesBuffer) {
    A.Constant +=
        InBytes ? M.Types.memberOffset(T, E.Member) : memberCell(T, E.Member);
    T = Element;
    return true;
  }
  Index X;
  X.Stride = InBytes ? M.Types.stride(Element) : cells(Element);
  X.Extent = IndexesBuffer ? Length : M.Types.memberCount(T);
  if (E.isDynamic()) {
    X.IsSigned = M.Types.isSigned(I.F.typeOf(E.Index));
    if (!value(I, E.Index, X.Cell))
      return false;
  } else {
    X.Cell = constantCell(E.Member);
  }
  A.Indices.push_back(X);
  T = Element;
  return true;
}

/// x below the width, y below the height; rows follow one another.
bool Decoder::imageIndex(Instance &I, const Place &P, Access &A) {
  const std::array<uint32_t, 2> &Extent =
      I.Params[P.Base.Index].Argument->Extent;
  uint64_t Stride = M.Types.stride(I.F.Params[P.Base.Index].Type);
  for (size_t Axis = 0; Axis < 2; ++Axis) {
    const PathElement &E = P.Path[Axis];
    Index X;
    X.Stride = Axis == 0 ? Stride : Stride * Extent[0];
    X.Extent = Extent[Axis];
    X.IsSigned = E.isDynamic() && M.Types.isSigned(I.F.typeOf(E.Index));
    if (!E.isDynamic())
      X.Cell = constantCell(E.Member);
    else if (!value(I, E.Index, X.Cell))
      return false;
    A.Indices.push_back(X);
  }
  return true;
}

/// An image's width or height.
bool Decoder::dim(Instance &I, InstId Id) {
  const Inst &Ref = I.F.Insts[I.F.operand(Id, 0)];
  const PlaceBase &Base = I.F.Places[Ref.Where].Base;
  const Inst &Axis = I.F.Insts[I.F.operand(Id, 1)];
  bool Known = I.F.Params[Base.Index].bound() == ParamKind::Image &&
               Axis.Opcode == Op::Const && Axis.Imm < 2;
  if (!Known)
    return unsupported("this extent", I.F.Insts[Id].Loc);
  I.Cell.set(Id, constantCell(I.Params[Base.Index].Argument->Extent[Axis.Imm]));
  return true;
}

bool Decoder::debug(Instance &I, InstId Id) {
  Step S;
  S.What = Do::Debug;
  S.Kind = M.Types.kind(I.F.typeOf(I.F.operand(Id, 0)));
  uint32_t *Cells[] = {&S.A, &S.B, &S.C, &S.Dst};
  for (ValueId V : I.F.operands(Id))
    if (!value(I, V, *Cells[S.Count++]))
      return false;
  emit(S);
  return true;
}

bool Decoder::access(Instance &I, InstId Id, uint32_t &Out) {
  const Inst &N = I.F.Insts[Id];
  const Place &P = I.F.Places[N.Where];
  Access A;
  TypeId T;
  bool IndexesBuffer = false;
  uint64_t Length = 0;
  if (!base(I, P.Base, A, T, IndexesBuffer, Length, N.Loc))
    return false;
  size_t First = 0;
  bool Image = P.Base.Kind == BaseKind::Param &&
               I.F.Params[P.Base.Index].Kind == ParamKind::Image;
  if (Image) {
    if (!imageIndex(I, P, A))
      return false;
    First = 2;
  }
  for (size_t K = First; K < P.Path.size(); ++K)
    if (!pathStep(I, P.Path[K], T, A, IndexesBuffer && K == 0, Length))
      return false;
  bool Logical = P.Base.Kind == BaseKind::Param &&
                 I.Params[P.Base.Index].Kind == ParamKind::Tensor;
  if (Logical)
    A.Indices.front().Tensor = tensorOf(I, P.Base);
  if (cells(T) > MaxFrameCells)
    return unsupported("a value this large", N.Loc);
  leaves(T, A.Where == Space::Bytes, 0, A.Leaves);
  A.Guarded = N.Flags & FlagGuarded;
  if (A.Guarded && !value(I, I.F.guard(Id), A.Guard))
    return false;
  A.Forgiving =
      M.Level == IRLevel::Definition && M.Bounds == BoundsMode::Checked;
  Out = static_cast<uint32_t>(C.Accesses.size());
  C.Accesses.push_back(std::move(A));
  return true;
}

bool Decoder::memory(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  Step S;
  S.Opcode = N.Opcode;
  bool Loads = N.Opcode == Op::Load || N.Opcode == Op::WorkgroupUniformLoad;
  S.What = Loads ? Do::Load : N.Opcode == Op::Store ? Do::Store : Do::Atomic;
  if (!access(I, Id, S.Extra))
    return false;
  const std::vector<Leaf> &Leaves = C.Accesses[S.Extra].Leaves;
  bool Word = Leaves.size() == 1 && Leaves[0].Kind <= TypeKind::I64;
  if (S.What == Do::Atomic && !Word)
    return unsupported("an atomic operation on this type", N.Loc);
  S.Kind = Leaves[0].Kind;
  std::span<const ValueId> Operands = I.F.arguments(Id);
  if (Operands.size() > 0 && !value(I, Operands[0], S.A))
    return false;
  if (Operands.size() > 1 && !value(I, Operands[1], S.B))
    return false;
  if (N.Type != types::Void && !newValue(I, Id, S.Dst))
    return false;
  const Access &A = C.Accesses[S.Extra];
  bool Plain = A.Where == Space::Frame && A.Indices.empty() && !A.Guarded;
  uint32_t Variable = static_cast<uint32_t>(A.Constant);
  if (Plain && S.What == Do::Load)
    copy(S.Dst, Variable, Leaves.size());
  else if (Plain && S.What == Do::Store)
    copy(Variable, S.A, Leaves.size());
  else
    emit(S);
  return true;
}

// --- Calls

bool Decoder::bindArgument(Instance &Caller, Instance &Callee, ValueId V) {
  const Inst &N = Caller.F.Insts[V];
  BoundParam B;
  const Param &P = Callee.F.Params[Callee.Params.size()];
  B.Kind = P.Kind;
  B.Type = P.Type;
  if (N.Opcode != Op::Ref) {
    if (!value(Caller, V, B.Cell))
      return false;
    Callee.Params.push_back(B);
    return true;
  }
  const PlaceBase &Base = Caller.F.Places[N.Where].Base;
  if (Base.Kind == BaseKind::Param) {
    Callee.Params.push_back(Caller.Params[Base.Index]);
    return true;
  }
  Access A;
  TypeId T;
  bool IndexesBuffer = false;
  if (!base(Caller, Base, A, T, IndexesBuffer, B.Extent, N.Loc))
    return false;
  B.IsCells = true;
  B.Where = A.Where;
  B.Table = A.Table;
  B.FirstCell = A.Constant;
  B.Extent = M.Types.memberCount(T);
  Callee.Params.push_back(B);
  return true;
}

bool Decoder::call(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  const Function &Callee = M.Functions[N.Callee];
  std::span<const ValueId> Arguments = I.F.operands(Id);
  if (CallDepth >= MaxCalls || Arguments.size() != Callee.Params.size())
    return fail(InterpFault::Kind::Fault,
                "`" + Callee.Name + "` cannot be called like this", N.Loc);
  Instance Inner(Callee);
  for (ValueId V : Arguments)
    if (!bindArgument(I, Inner, V))
      return false;
  if (N.Type != types::Void && !newValue(I, Id, Inner.ResultCell))
    return false;
  ++CallDepth;
  bool Good = body(Inner);
  --CallDepth;
  return Good;
}

// --- Control

bool Decoder::control(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  switch (N.Opcode) {
  case Op::If:
    return ifStatement(I, Id);
  case Op::Loop:
    return loopStatement(I, Id);
  case Op::For:
    return forStatement(I, Id);
  case Op::Block: {
    Opened.push_back({Id, {}, {}});
    bool Good = block(I, N.Blocks[0]);
    land(Opened.back().Breaks, here());
    Opened.pop_back();
    return Good;
  }
  case Op::Assume:
    return true; // a promise: changes nothing
  default:
    return jump(I, Id);
  }
}

bool Decoder::ifStatement(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  uint32_t Cond = 0;
  if (!value(I, I.F.operand(Id, 0), Cond))
    return false;
  uint32_t ToElse = emitJump(Do::JumpUnless, Cond);
  if (!block(I, N.Blocks[0]))
    return false;
  if (!N.Blocks[1]) {
    land({ToElse}, here());
    return true;
  }
  uint32_t ToEnd = emitJump(Do::Jump);
  land({ToElse}, here());
  if (!block(I, N.Blocks[1]))
    return false;
  land({ToEnd}, here());
  return true;
}

bool Decoder::loopStatement(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  uint32_t Top = here();
  Opened.push_back({Id, {}, {}});
  if (!block(I, N.Blocks[0]))
    return false;
  land(Opened.back().Continues, here());
  if (N.Blocks[1] && !block(I, N.Blocks[1]))
    return false;
  emitJump(Do::Jump, 0, Top);
  land(Opened.back().Breaks, here());
  Opened.pop_back();
  return true;
}

bool Decoder::forStatement(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  Step S;
  S.What = Do::ForBegin;
  S.Kind = M.Types.kind(I.F.typeOf(I.F.operand(Id, 0)));
  S.Inclusive = N.Flags & FlagInclusive;
  if (!value(I, I.F.operand(Id, 0), S.A) ||
      !value(I, I.F.operand(Id, 1), S.B) || !newValue(I, N.Var, S.Dst))
    return false;
  uint32_t Begin = emit(S);
  Opened.push_back({Id, {}, {}});
  if (!block(I, N.Blocks[0]))
    return false;
  land(Opened.back().Continues, here());
  S.What = Do::ForNext;
  S.Count = N.Imm;
  S.Extra = Begin + 1;
  emit(S);
  land({Begin}, here());
  land(Opened.back().Breaks, here());
  Opened.pop_back();
  return true;
}

bool Decoder::jump(Instance &I, InstId Id) {
  const Inst &N = I.F.Insts[Id];
  uint32_t Cell = 0;
  if (N.Opcode == Op::Return) {
    if (N.NumOperands && !value(I, I.F.operand(Id, 0), Cell))
      return false;
    if (N.NumOperands)
      copy(I.ResultCell, Cell, cells(I.F.typeOf(I.F.operand(Id, 0))));
    I.Returns.push_back(emitJump(Do::Jump));
    return true;
  }
  if (N.Opcode == Op::BreakIf) {
    if (Opened.empty() || !value(I, I.F.operand(Id, 0), Cell))
      return fail(InterpFault::Kind::Fault, "a jump leaves nothing", N.Loc);
    Opened.back().Breaks.push_back(emitJump(Do::JumpIf, Cell));
    return true;
  }
  for (size_t K = Opened.size(); K-- > 0;)
    if (Opened[K].Inst == N.Target) {
      std::vector<uint32_t> &List =
          N.Opcode == Op::Break ? Opened[K].Breaks : Opened[K].Continues;
      List.push_back(emitJump(Do::Jump));
      return true;
    }
  return fail(InterpFault::Kind::Fault, "a jump leaves nothing", N.Loc);
}

} // namespace

std::optional<Code> decode(const Module &M, const Function &Kernel,
                           std::span<const InterpArgument> Arguments,
                           InterpFault &Why) {
  Decoder D(M, Why);
  if (!D.run(Kernel, Arguments))
    return std::nullopt;
  return std::move(D.C);
}

} // namespace goldy::interp
