//===- Program.h - The compiler's form of a program -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `#[goldy::program]` between its text and its description: buffers by
// handle, steps in order, every number an expression over parameters and loop
// variables. Expressions are hash-consed and folded as they are made, so two
// that have one handle are equal on every run; that is how grids are compared.
// A program belongs to a module, whose kernels its dispatches name; kernels may
// be added to the module and dispatches changed to them at any time before the
// description is built (Build.h).
//
// Everything is a plain value. Locations are the user's own statement; nothing
// depends on them.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_PROGRAMDESC_PROGRAM_H
#define GOLDYC_PROGRAMDESC_PROGRAM_H

#include "goldyc/IR/IR.h"

#include <map>
#include <tuple>
#include <variant>

namespace goldy::prog {

//===-- Expressions -------------------------------------------------------===//

enum class ExprOp : uint8_t {
  Const,  ///< `Bits`
  Param,  ///< the program's scalar parameter `Index`
  Var,    ///< the loop variable `Index`, in Program::Vars
  Length, ///< elements of the program's buffer parameter `Index`
  Add,    ///< and those below: the language's operation on `L` and `R`
  Sub,
  Mul,
  Div,
  Rem,
  Shl, ///< `R` of any integer type
  Shr,
  And,
  Or,
  Xor,
  Min,
  Max,
  Cast ///< of `L` to `Type`, between integers
};

/// `Type` is a scalar type; floats and bools are constants and parameters only.
/// Operations are on integers, with the language's rules (wrapping, division by
/// zero, shifts).
struct Expr {
  ExprOp Op = ExprOp::Const;
  TypeId Type = types::U32;
  uint64_t Bits = 0; ///< Const: the type's bits, zero above them
  uint32_t Index = 0;
  Handle<Expr> L, R;
  Span Loc; ///< where it was first written; no part of what it is
};
using ExprId = Handle<Expr>;

/// The expressions of one program, each once.
class ExprTable {
public:
  ExprId constant(TypeId Type, uint64_t Bits, Span Loc = {});
  ExprId u32(uint32_t Value) { return constant(types::U32, Value); }
  ExprId param(uint32_t Index, TypeId Type, Span Loc = {});
  ExprId var(uint32_t Index, TypeId Type, Span Loc = {});
  ExprId length(uint32_t Param, Span Loc = {});
  /// Add to Max on operands of one type (shifts: the right one any integer).
  /// Folds constants, and `x + 0`, `x - 0`, `x * 1`, `x * 0`, `x / 1`, `x << 0`
  /// and the like; constants of commutative operations go to the right.
  ExprId binary(ExprOp Op, ExprId L, ExprId R, Span Loc = {});
  ExprId cast(ExprId Value, TypeId To, Span Loc = {});

  const Expr &operator[](ExprId E) const { return Nodes[E]; }
  uint32_t size() const { return Nodes.size(); }
  /// The bits of a constant.
  std::optional<uint64_t> constantBits(ExprId E) const;
  bool isConstant(ExprId E, uint64_t Bits) const;
  /// The expression mentions the loop variable.
  bool uses(ExprId E, uint32_t Var) const;

private:
  ExprId intern(Expr E);
  std::optional<ExprId> fold(ExprOp Op, ExprId L, ExprId R, Span Loc);
  std::optional<ExprId> identity(ExprOp Op, ExprId L, ExprId R);
  using Key =
      std::tuple<uint8_t, uint32_t, uint64_t, uint32_t, uint32_t, uint32_t>;
  Arena<Expr> Nodes;
  std::map<Key, ExprId> Known;
};

//===-- Parameters and buffers --------------------------------------------===//

enum class BufferKind : uint8_t {
  Input,     ///< a parameter of the program
  Temporary, ///< contents undefined at the start of a run
  Owned      ///< the program's memory, kept over runs, at first zero
};

struct Buffer {
  std::string Name;
  BufferKind Kind = BufferKind::Input;
  TypeId Element; ///< in the module's types; also narrow types and structs
  ExprId Count;   ///< elements, u32; Input: its Length
  Access Acc = Access::ReadWrite; ///< Input: what the program may do
  uint32_t Param = 0;             ///< Input: in Program::Params
  bool TwoCopies = false;         ///< Owned
  bool Uniform = false;           ///< Input: one value, for `&P` of kernels
  uint32_t Device = 0;            ///< where it lies, in Program::Devices
  Span Loc;
};
using BufferId = Handle<Buffer>;

struct Parameter {
  std::string Name;
  TypeId Type;     ///< of the scalar, or the element type of the buffer
  BufferId Buffer; ///< invalid: a scalar
  Span Loc;
};

struct LoopVar {
  std::string Name; ///< empty for `_`
  TypeId Type = types::I32;
  Span Loc;
};

//===-- Steps -------------------------------------------------------------===//

/// One argument of a kernel or of a host function.
struct Argument {
  BufferId Buffer; ///< valid: the buffer, whole
  ExprId Value;    ///< else the value, of the parameter's type
  Span Loc;
};

/// How many work-items or groups.
struct Grid {
  enum class Kind : uint8_t {
    Items, ///< `.over_*`: work-items; groups are rounded up
    Groups ///< `.groups`
  } Form = Kind::Items;
  std::array<ExprId, 3> Size; ///< u32, all valid; a 0 does nothing
  uint32_t Rank = 1;          ///< axes that were written, 1 to 3
  Span Loc;
};

struct Dispatch {
  FuncId Kernel;              ///< in the module
  std::vector<Argument> Args; ///< one a parameter of the kernel
  Grid Over;
  uint32_t Device = 0; ///< who runs it, in Program::Devices
  Span Loc;            ///< the call
};

/// `Count` elements from one buffer to another of the same element type.
struct Copy {
  BufferId Src;
  ExprId SrcOffset; ///< elements, u32, as Count and DstOffset
  BufferId Dst;
  ExprId DstOffset;
  ExprId Count;
  uint32_t Device = 0; ///< who makes it
  Span Loc;
};

/// A call of a function that the embedding program gives by name when it loads
/// the program.
struct HostCall {
  std::string Name;
  std::vector<Argument> Args;
  uint32_t Device = 0; ///< a device whose memory the host reaches
  Span Loc;
};

/// Ends a loop when the low byte of element `Index` of `Flag` is 0; read before
/// each trip.
struct StopFlag {
  BufferId Flag;
  ExprId Index; ///< u32
};

struct Step;

/// `for Var in Lo..Hi`, `Lo..=Hi`, `.step_by(By)`: bounds are read once, never
/// wrap.
struct Loop {
  uint32_t Var = 0; ///< in Program::Vars
  ExprId Lo, Hi;    ///< of the variable's type
  bool Inclusive = false;
  ExprId By; ///< any integer, read without sign, 0 as 1
  std::optional<StopFlag> Stop;
  std::vector<Step> Body;
  Span Loc;
};

/// `Then` when in this run the two inputs of each pair of `Apart` share no byte
/// and the two u32 of each pair of `Fits` have a product of at most 2^32, else
/// `Else`; both have the same results where they may be chosen.
struct Choice {
  std::vector<std::pair<BufferId, BufferId>> Apart;
  std::vector<std::pair<ExprId, ExprId>> Fits;
  std::vector<Step> Then, Else;
  Span Loc;
};

struct Step {
  std::variant<Dispatch, Copy, HostCall, Loop, Choice> Kind;
};

//===-- The program -------------------------------------------------------===//

struct Program {
  std::string Name, Doc;
  std::vector<std::string> Devices; ///< at least one
  std::vector<Parameter> Params;
  Arena<Buffer> Buffers; ///< those of parameters first, in their order
  ExprTable Exprs;
  std::vector<LoopVar> Vars;
  std::vector<Step> Steps;
  Span Loc;
};

/// One expression as the language writes it, with the fewest brackets; what is
/// nested more than eight deep as `…`, as operands may be shared over and over.
std::string exprText(const Program &P, ExprId E);

/// The program as indented text: each step in one line with kernel, arguments
/// and grid. For messages, tests and --emit=ir; never read back.
std::string programText(const Program &P, const Module &M);

/// Calls `Visit` for every step in order, those of loops and choices after the
/// loop or choice itself.
template <class F> void forEachStep(std::vector<Step> &Steps, F Visit) {
  for (Step &Next : Steps) {
    Visit(Next);
    if (Loop *L = std::get_if<Loop>(&Next.Kind)) {
      forEachStep(L->Body, Visit);
    } else if (Choice *C = std::get_if<Choice>(&Next.Kind)) {
      forEachStep(C->Then, Visit);
      forEachStep(C->Else, Visit);
    }
  }
}
template <class F> void forEachStep(const std::vector<Step> &Steps, F Visit) {
  for (const Step &Next : Steps) {
    Visit(Next);
    if (const Loop *L = std::get_if<Loop>(&Next.Kind)) {
      forEachStep(L->Body, Visit);
    } else if (const Choice *C = std::get_if<Choice>(&Next.Kind)) {
      forEachStep(C->Then, Visit);
      forEachStep(C->Else, Visit);
    }
  }
}

/// Calls `Visit(BufferId)` for each buffer that the step itself names; of a
/// loop its flag.
template <class F> void forEachBuffer(const Step &S, F Visit) {
  auto Arguments = [&](const std::vector<Argument> &Args) {
    for (const Argument &A : Args)
      if (A.Buffer)
        Visit(A.Buffer);
  };
  if (const Dispatch *D = std::get_if<Dispatch>(&S.Kind))
    return Arguments(D->Args);
  if (const HostCall *H = std::get_if<HostCall>(&S.Kind))
    return Arguments(H->Args);
  if (const Copy *C = std::get_if<Copy>(&S.Kind)) {
    Visit(C->Src);
    Visit(C->Dst);
  } else if (const Loop *L = std::get_if<Loop>(&S.Kind); L && L->Stop) {
    Visit(L->Stop->Flag);
  }
}

} // namespace goldy::prog

#endif
