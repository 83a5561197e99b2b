//===- IR.h - The kernel IR
//-------------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// # The language of the IR
//
// A module holds types, structs and functions: kernels and helpers. A function
// owns arenas of instructions, places, slots and blocks; all references are
// 32-bit handles. The IR is structured: a block is a list of instructions, and
// control instructions hold blocks. There is no control-flow graph and no phi.
//
// *Values.* An instruction with a type other than Void is a value, named by
// its own handle. Leaves (constants, scalar parameters, loop variables) sit in
// no block. Every other instruction is placed exactly once. A value may be
// used by later instructions of its own block and of blocks nested in those;
// it is evaluated where it stands. Pure instructions have no effect and read
// nothing that changes, so an emitter may schedule them anywhere between their
// operands and their uses. An instruction's operands have smaller handles than
// it has itself, and handles grow in program order: passes rebuild functions
// (see Rewriter.h) rather than patching them.
//
// *Memory.* A place is a base and a path. Bases: a resource parameter, a
// workgroup array, a slot (a private local variable), a constant table. The
// path's first element indexes a buffer or array; then indices, field and
// component numbers. Load, Store and the atomics act on places in program
// order. Mutable locals are slots to the end; emitters promote them.
// An index may be u32 or i32; a negative one is out of range. Out of range
// reads give zero, writes do nothing, in every memory space, in the checked
// mode. After legalisation that rule is explicit: FlagGuarded says that the
// last operand is a bool without which the access does not take place (a
// load then gives zero), and an unguarded access is in range by construction.
//
// *Control.* If, Loop, For, Block hold blocks. Break and Continue name the
// instruction they leave or repeat. A barrier stands in uniform control flow
// only (Verify checks). Helpers are expanded by the inline pass; they hold no
// barriers.
//
// *Scalars.* The meaning of each operation is that of the kernel language:
// integers wrap, divisors may be zero, floats are rounded to nearest even,
// arithmetic reads subnormals as zero and flushes them, and an arithmetic NaN
// is 0x7fc00000 wherever its bits can be seen. Legalise makes explicit what a
// target lacks.
//
// Odd choices and rejected alternatives: docs/IR-Rationale.md. Text form and
// reference: docs/IR.md.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_IR_IR_H
#define GOLDYC_IR_IR_H

#include "goldyc/IR/Type.h"
#include "goldyc/Support/Handle.h"
#include "goldyc/Support/Source.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

enum class Op : uint8_t {
#define OP(NAME, MNEMONIC, MIN, MAX, EFFECT, RULE, FLOATS, DOC) NAME,
#include "goldyc/IR/Ops.def"
};

enum class Effect : uint8_t { Leaf, Pure, Read, Write, Sync, Control };
enum class TypeRule : uint8_t {
  SameArith,
  SameInt,
  SameBits,
  SameFloat,
  Compare,
  Shift,
  Special
};

/// What an operation makes of subnormals and NaNs; Ops.def tells.
enum class FloatUse : uint8_t { Bits, Number, Reads, Rounds, Near, Passes };

/// Static facts of an operation, from Ops.def.
struct OpInfo {
  std::string_view Name, Mnemonic;
  uint16_t MinOperands, MaxOperands;
  Effect Effects;
  TypeRule Rule;
  FloatUse Floats;
  std::string_view Doc;
};
const OpInfo &opInfo(Op O);
inline constexpr unsigned NumOps = 0
#define OP(NAME, MNEMONIC, MIN, MAX, EFFECT, RULE, FLOATS, DOC) +1
#include "goldyc/IR/Ops.def"
    ;
inline bool isPure(Op O) { return opInfo(O).Effects <= Effect::Pure; }
/// Reads any NaN operand as the canonical one.
inline bool takesAnyNan(Op O) {
  FloatUse Use = opInfo(O).Floats;
  return Use != FloatUse::Bits && Use != FloatUse::Passes;
}
/// Reads a subnormal operand as the zero of its sign.
inline bool readsSubnormalsAsZero(Op O) {
  FloatUse Use = opInfo(O).Floats;
  return Use == FloatUse::Reads || Use == FloatUse::Rounds;
}
/// Its f32 result is rounded: no subnormal, and a NaN of it the canonical one.
inline bool roundsFloats(Op O) {
  FloatUse Use = opInfo(O).Floats;
  return Use == FloatUse::Rounds || Use == FloatUse::Near;
}
/// Its f32 result is an operand, maybe with another sign.
inline bool passesFloatsOn(Op O) {
  return opInfo(O).Floats == FloatUse::Passes;
}
inline bool isComparison(Op O) { return O >= Op::Eq && O <= Op::Ge; }
/// A comparison but for == and !=.
inline bool isOrder(Op O) { return O >= Op::Lt && O <= Op::Ge; }
inline bool isLoop(Op O) { return O == Op::Loop || O == Op::For; }
/// Always leaves the block that it ends.
inline bool isExit(Op O) {
  return O == Op::Break || O == Op::Continue || O == Op::Return;
}
/// Values of other work-items: forms of one target's code, as legal ones are.
inline bool exchangesLanes(Op O) {
  return O == Op::LaneExchange || O == Op::LaneFirst;
}
inline bool isAtomic(Op O) {
  return O >= Op::AtomicLoad && O <= Op::AtomicCompareExchange;
}
/// Functions whose meaning is a sequence of the prelude.
inline bool isPublished(Op O) { return O >= Op::Rsqrt && O <= Op::Powi; }
/// Sum, max, min and softmax of a group.
inline bool isCollective(Op O) {
  return O >= Op::WorkgroupSum && O <= Op::WorkgroupSoftmax;
}
/// True if an operand may be a Ref, the name of a resource.
inline bool takesResources(Op O) {
  return O == Op::Call || O == Op::Dim || O == Op::Rank || isCollective(O) ||
         O == Op::LayoutWord || O == Op::TensorOffset;
}
/// True if the instruction's place is an element that it reads or writes.
inline bool accessesPlace(Op O) {
  return O == Op::Load || O == Op::Store || isAtomic(O) ||
         O == Op::WorkgroupUniformLoad;
}

struct Inst;
using InstId = Handle<Inst>;
using ValueId = InstId; ///< an InstId whose instruction has a type
struct Block;
using BlockId = Handle<Block>;
struct Place;
using PlaceId = Handle<Place>;
struct Slot;
using SlotId = Handle<Slot>;
struct WorkgroupArray;
using WorkgroupId = Handle<WorkgroupArray>;
struct Function;
using FuncId = Handle<Function>;
struct ConstTable;
using TableId = Handle<ConstTable>;

enum class BaseKind : uint8_t { Param, Workgroup, Slot, Table };

/// What a place starts from: parameter number or handle index in `Index`.
struct PlaceBase {
  BaseKind Kind = BaseKind::Slot;
  uint32_t Index = 0;
  friend bool operator==(const PlaceBase &, const PlaceBase &) = default;
};

/// One step of a path: a dynamic index (a value) or a constant member number
/// (struct field, vector component, or constant array index).
struct PathElement {
  ValueId Index;       ///< valid: dynamic index into a buffer or array
  uint32_t Member = 0; ///< else the member's number
  bool isDynamic() const { return Index.isValid(); }
  friend bool operator==(const PathElement &, const PathElement &) = default;
};

struct Place {
  PlaceBase Base;
  std::vector<PathElement> Path;
  TypeId Type; ///< of the value at the place
};

enum InstFlags : uint8_t {
  FlagGuarded = 1,   ///< memory: the last operand is the guard (bool)
  FlagInclusive = 2, ///< For: `lo..=hi`
};

/// For.Unroll: 0 none, UnrollFull all, else the factor.
inline constexpr uint32_t UnrollFull = 0xffffffffu;

struct Inst {
  Op Opcode = Op::Const;
  uint8_t Flags = 0;
  TypeId Type = types::Void;
  uint32_t FirstOperand = 0; ///< into Function::OperandPool
  uint32_t NumOperands = 0;  ///< guard included
  uint64_t Imm = 0;
  PlaceId Where;       ///< memory operations, Len, Ref
  BlockId Blocks[2];   ///< control operations
  InstId Target;       ///< Break, Continue; LoopVar's For
  InstId Var;          ///< For: its LoopVar
  FuncId Callee;       ///< Call
  uint32_t Unroll = 0; ///< For and Loop
  uint32_t Name = 0;   ///< index into Function::Names, 0 for none
  Span Loc;            ///< the user's own expression or statement
};

struct Block {
  std::vector<InstId> Insts;
};

struct Slot {
  std::string Name; ///< may be empty
  TypeId Type;
  Span Loc;
};

/// `Type` is an Array type.
struct WorkgroupArray {
  std::string Name;
  TypeId Type;
  Span Loc;
};

/// A module-level constant array, read only.
struct ConstTable {
  std::string Name;
  TypeId Type; ///< Array of scalars
  std::vector<uint64_t> Bits;
  Span Loc;
};

/// A constant that is fixed when an image is loaded: SPIR-V's SpecId `Id`, a
/// value baked at compile time elsewhere. `SpecConst` leaves name it by number.
struct SpecConstant {
  std::string Name;
  TypeId Type; ///< a scalar
  uint64_t Default = 0;
  Span Loc;
};
using SpecId = Handle<SpecConstant>;

/// How a parameter is bound and indexed. A place based on a Buffer or Tensor
/// starts with one index (a tensor's is logical, row-major over its shape), on
/// an Image with two (x, then y), on a Uniform with none.
enum class ParamKind : uint8_t { Scalar, Buffer, Tensor, Uniform, Image };
enum class Access : uint8_t { Read, Write, ReadWrite };

/// One axis of a tensor's shape contract.
struct ContractDim {
  enum class Kind : uint8_t { Any, Exact, Symbol } Form = Kind::Any;
  uint32_t Extent = 0; ///< Exact
  std::string Name;    ///< Symbol: equal names are equal extents
  friend bool operator==(const ContractDim &, const ContractDim &) = default;
};

struct Param {
  std::string Name;
  ParamKind Kind = ParamKind::Scalar;
  TypeId Type; ///< scalar type, or the element type of the resource
  Access Acc = Access::Read;
  /// Helpers: the parameter is a workgroup array (`Type` its element).
  bool Workgroup = false;
  Span Loc;
  /// Tensor: the shape contract, if it has one (as many axes as its rank).
  std::optional<std::vector<ContractDim>> Contract = std::nullopt;
  /// Set when a Tensor or Image became a Buffer, the parent's elements, indexed
  /// by element of the parent: what the caller binds. Such accesses have been
  /// guarded by the pass that made them; LayoutWord and TensorOffset still name
  /// the parameter.
  std::optional<ParamKind> ExpandedFrom = std::nullopt;
  ParamKind bound() const { return ExpandedFrom.value_or(Kind); }
};

enum class FuncKind : uint8_t { Kernel, Helper };

struct Function {
  std::string Name;
  FuncKind Kind = FuncKind::Helper;
  std::vector<Param> Params;
  TypeId ReturnType = types::Void;
  std::array<uint32_t, 3> WorkgroupSize{1, 1, 1};
  bool Nondeterministic = false;
  bool WordsBinding = false; ///< `binding = words`
  Arena<Inst> Insts;
  Arena<Place> Places;
  Arena<Slot> Slots;
  Arena<WorkgroupArray> WorkgroupArrays;
  Arena<Block> Blocks;
  std::vector<ValueId> OperandPool;
  std::vector<std::string> Names{std::string()};
  BlockId Body;
  std::string Doc; ///< the kernel's doc comment
  Span Loc;        ///< the name in its declaration

  std::span<const ValueId> operands(const Inst &I) const {
    return {OperandPool.data() + I.FirstOperand, I.NumOperands};
  }
  std::span<const ValueId> operands(InstId I) const {
    return operands(Insts[I]);
  }
  ValueId operand(InstId I, unsigned N) const { return operands(I)[N]; }
  TypeId typeOf(ValueId V) const { return Insts[V].Type; }
  std::string_view nameOf(InstId I) const { return Names[Insts[I].Name]; }
  /// The guard, if the access has one.
  ValueId guard(InstId I) const {
    const Inst &N = Insts[I];
    return N.Flags & FlagGuarded ? operands(N).back() : ValueId();
  }
  /// Operands without the guard.
  std::span<const ValueId> arguments(InstId I) const {
    std::span<const ValueId> S = operands(I);
    return Insts[I].Flags & FlagGuarded ? S.first(S.size() - 1) : S;
  }
  bool isConst(ValueId V) const { return Insts[V].Opcode == Op::Const; }
  /// The slot that the statement reads or writes, or a part of; else invalid.
  SlotId slotOf(InstId I) const {
    PlaceId P = Insts[I].Where;
    bool Slot = P && Places[P].Base.Kind == BaseKind::Slot;
    return Slot ? SlotId(Places[P].Base.Index) : SlotId();
  }
  /// The slot that the statement reads or writes as a whole; else invalid.
  SlotId wholeSlotOf(InstId I) const {
    SlotId S = slotOf(I);
    return S && Places[Insts[I].Where].Path.empty() ? S : SlotId();
  }
};

enum class BoundsMode : uint8_t { Checked, Unchecked };

/// Strict: the same bits everywhere. Fast: the program gave that up; a target
/// may contract, reassociate and use its own functions.
enum class FloatMode : uint8_t { Strict, Fast };

/// Definition: as the language means it. Legal: after Legalise for one target;
/// guards are explicit, aggregates are gone, raw operations may occur.
enum class IRLevel : uint8_t { Definition, Legal };

struct Module {
  TypeTable Types;
  Arena<Function> Functions; ///< helpers before their callers
  Arena<ConstTable> Tables;
  Arena<SpecConstant> Specs; ///< in declaration order, which is their SpecId
  IRLevel Level = IRLevel::Definition;
  BoundsMode Bounds = BoundsMode::Checked;
  FloatMode Floats = FloatMode::Strict;

  FuncId find(std::string_view Name) const;
  std::vector<FuncId> kernels() const;
};

/// Number of path elements that select an element of the base: it has the
/// base's type already. Buffers and tensors 1, images 2, the rest none.
size_t leadingIndices(const Function &F, const PlaceBase &B);

/// The type at the base of a place: element type of a buffer (its path starts
/// with an index), array type of a workgroup array, the slot's or table's type.
TypeId baseType(const Module &M, const Function &F, const PlaceBase &B);
/// Recomputes a place's type from its base and path; invalid if the path does
/// not fit.
TypeId placeType(const Module &M, const Function &F, const Place &P);

/// A place flattened to bytes: Constant + Σ value(Index) * Stride, each index
/// with the extent it must stay below (a buffer's is its run-time length:
/// `Extent` 0 there). What emitters address memory with.
struct FlatPlace {
  uint64_t Constant = 0;
  struct Term {
    ValueId Index;
    uint64_t Stride;
    uint64_t Extent;
  };
  std::vector<Term> Terms;
};
FlatPlace flatten(const Module &M, const Function &F, const Place &P);

/// One entry of the parameter block (docs/FORMATS: kernel ABI): a C struct in
/// declaration order, natural alignment.
struct AbiEntry {
  uint32_t Offset = 0; ///< bytes from the block's start
  uint32_t Size =
      0; ///< buffer 16 {u64 address, u32 length, u32 zero}; tensor: the
         ///< parent's 16, then {u32 offset, u32 zero}; uniform 8 (address);
         ///< image 16 {u64 address, u32 width, u32 height}; scalar 4 or 8
};
struct AbiLayout {
  std::vector<AbiEntry> Params;   ///< one a parameter
  uint32_t LayoutTableOffset = 0; ///< u64 address of the layout table
  /// 3 x u32: number of the launch's first group by axis (a grid beyond a
  /// device's limit is launched in pieces); then 3 x u32: groups of the whole
  /// grid by axis.
  uint32_t BaseWordsOffset = 0;
  uint32_t countWordsOffset() const { return BaseWordsOffset + 12; }
  uint32_t Size = 0; ///< whole block, multiple of 8
};
AbiLayout abiLayout(const Module &M, const Function &Kernel);

} // namespace goldy

#endif
