//===- Code.h - A kernel made ready to run
//---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoder turns a kernel and its arguments into a flat list of steps, with
// helpers expanded at their calls. A work-item's state is a frame of 64-bit
// cells: a scalar value takes one, an aggregate one for each scalar in it, in
// order; variables are cells too. Workgroup arrays and tables have cells of
// their own; only buffers are bytes in the language's layout.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_INTERP_CODE_H
#define GOLDYC_LIB_INTERP_CODE_H

#include "goldyc/Interp/Interp.h"

#include <map>
#include <memory>

namespace goldy::interp {

enum class Do : uint8_t {
  Evaluate, ///< Dst = evaluate(Opcode, Kind, A, B, C)
  Checked,  ///< ditto, after the promise of a legalised operation held
  Convert,  ///< Dst = A from Kind to ToKind
  Copy,     ///< Count cells from A to Dst
  Dim,      ///< Dst = extent of tensor Extra along axis A
  Id,       ///< Dst = component Count of the id that Opcode names
  Load,     ///< Dst… from access Extra
  Store,    ///< A… to access Extra
  Atomic,   ///< Dst = Opcode on access Extra with A, B
  Debug,    ///< the cells A, B, C, Dst, the first Count of them
  Barrier,
  Collective, ///< Dst = tree of Opcode over the items' A; scratch of Count
              ///< cells from shared cell B. Exchanges of lanes: A of another
              ///< item, found by Count
  Jump,       ///< to Extra
  JumpIf,     ///< to Extra if A
  JumpUnless, ///< to Extra unless A
  ForBegin,   ///< Dst = A, or to Extra if the range A..B is empty
  ForNext,    ///< Dst += Step and to Extra, if that stays below B
  End
};

struct Step {
  Do What = Do::End;
  Op Opcode = Op::Const;
  TypeKind Kind = TypeKind::Void, ToKind = TypeKind::Void;
  bool Inclusive = false;
  uint32_t Dst = 0, A = 0, B = 0, C = 0; ///< cells
  uint32_t Extra = 0;                    ///< target or access
  uint64_t Count = 0;                    ///< Copy: cells; ForNext: step
  Span Where;
};

/// One index of an access.
struct Index {
  uint32_t Cell = 0;
  bool IsSigned = false;
  uint64_t Stride = 0;   ///< bytes or cells
  uint64_t Extent = 0;   ///< the index must stay below
  uint32_t Tensor = ~0u; ///< a logical index of this tensor
};

/// A scalar within the accessed value.
struct Leaf {
  uint64_t Offset = 0; ///< bytes or cells from the value's start
  TypeKind Kind = TypeKind::U32;
};

enum class Space : uint8_t { Bytes, Frame, Shared };

struct Access {
  Space Where = Space::Frame;
  std::byte *Bytes = nullptr;      ///< Space::Bytes
  const uint64_t *Table = nullptr; ///< constant tables (Space::Shared)
  uint64_t Constant = 0;
  std::vector<Index> Indices;
  std::vector<Leaf> Leaves;
  bool Guarded = false;
  uint32_t Guard = 0; ///< cell
  /// Out of range gives zero or nothing; else it is a fault.
  bool Forgiving = true;
};

struct Code {
  std::vector<Step> Steps;
  std::vector<Access> Accesses;
  std::vector<InterpTensor> Tensors;
  std::vector<uint64_t> Frame; ///< initial contents: constants, parameters
  /// First cell and count of each variable, zeroed for every work-item.
  std::vector<std::pair<uint32_t, uint32_t>> Variables;
  uint64_t SharedCells = 0;
  std::vector<std::unique_ptr<std::vector<uint64_t>>> Tables;
  bool HasBarrier = false;
};

/// Word `Number` (0 to 11) of the tensor's layout; its offset is zero there.
uint64_t layoutWord(const InterpTensor &T, uint64_t Number);

/// What is wrong with the tensor by its parameter's contract, empty if nothing.
/// `Symbols` holds the extents of the names met so far: a name's extent is that
/// of the first axis that has it.
std::string contractFault(const Param &P, const InterpTensor &T,
                          std::map<std::string, uint64_t> &Symbols);

/// Decodes; empty with a fault if the kernel cannot be run.
std::optional<Code> decode(const Module &M, const Function &Kernel,
                           std::span<const InterpArgument> Arguments,
                           InterpFault &Why);

/// Runs the whole grid.
std::optional<InterpFault> runGrid(const Code &C, const Function &Kernel,
                                   std::array<uint32_t, 3> Groups,
                                   const InterpOptions &Options);

} // namespace goldy::interp

#endif
