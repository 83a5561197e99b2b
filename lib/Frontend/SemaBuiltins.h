//===- SemaBuiltins.h - The closed list of built-in functions
//---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row a name. The row says how the call is typed and lowered, so that a
// new function of a known kind is one more row.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FRONTEND_SEMABUILTINS_H
#define GOLDYC_FRONTEND_SEMABUILTINS_H

#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

namespace goldy::sema {

enum class BuiltinKind : uint8_t {
  // Not functions of values.
  Id,          ///< gpu::global_id() …: UInt3; Opcode has the components
  GroupSize,   ///< the constant gpu::workgroup_size()
  SharedArray, ///< gpu::workgroup_array::<T, N>()
  Barrier,
  Assume,
  Debug,
  Atomic,      ///< Opcode(resource, index, values …)
  Collective,  ///< Opcode(value, scratch)
  Softmax,     ///< Opcode(buffer, base, count, scratch)
  UniformLoad, ///< Opcode(workgroup array, index)
  // Elementwise on scalars and vectors of one type.
  Plain, ///< Opcode itself, all operands and the result of one type
  Fract,
  Sign,
  Clamp,
  Step,
  Mix,
  Smoothstep,
  BitCount, ///< Opcode, u32 result
  Rotate,   ///< Opcode, u32 amount
  Powi,     ///< Opcode, i32 exponent
  ToBits,
  FromBits,
  // Of vectors.
  Length,
  Distance,
  Dot,
  Cross,
  Normalize,
  Select, ///< scalar condition, any value
  // Refused by name, with Code and Help.
  Later, ///< not supported yet
  Refused
};

/// What a function's operands may be (their scalar, for elementwise ones).
enum class Domain : uint8_t { Any, Float, Signed, Numeric, Integer };

struct Builtin {
  std::string_view Name;
  BuiltinKind Kind;
  uint8_t Arguments; ///< with the receiver, if called as a method
  Domain Operands = Domain::Any;
  Op Opcode = Op::Add;
  diag::Code Code = diag::None;
  std::string_view Help = "";
  /// A function of values, which may be called as a method.
  bool isMethod() const {
    return Kind >= BuiltinKind::Plain && Kind <= BuiltinKind::Select;
  }
};

/// Whether a scalar is of the domain.
bool domainHolds(Domain Operands, TypeId T);
/// Row of a name in the table; negative if there is none.
int findBuiltin(std::string_view Name);
const Builtin &builtin(uint32_t Row);
/// Names for suggestions: all, or those that may be methods.
std::vector<std::string> builtinNames(bool MethodsOnly);
/// Named constants: `gpu::PI`, `f32::MAX` …; by scope (`gpu`, `f32`) and name.
struct NamedConstant {
  std::string_view Scope, Name;
  TypeId Type;
  uint64_t Bits;
};
const NamedConstant *findNamedConstant(std::string_view Scope,
                                       std::string_view Name);
std::vector<std::string> namedConstantsOf(std::string_view Scope);

} // namespace goldy::sema

#endif
