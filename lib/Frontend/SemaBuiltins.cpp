//===- SemaBuiltins.cpp - The closed list of built-in functions
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, and the named constants beside it. Values of float constants are
// given by their bits, rounded to nearest.
//
//===----------------------------------------------------------------------===//
#include "SemaBuiltins.h"

using namespace goldy;
using namespace goldy::sema;

namespace {

using K = BuiltinKind;
using D = Domain;

constexpr std::string_view SubgroupHelp =
    "use `gpu::workgroup_array` and `gpu::workgroup_barrier`: results must not "
    "depend on a device's subgroup width";
constexpr std::string_view FlatHelp =
    "use the 1-D form, in a workgroup of size [N, 1, 1]";

constexpr Builtin math(std::string_view Name, Op O, uint8_t Arguments = 1) {
  return {Name, K::Plain, Arguments, D::Float, O};
}
constexpr Builtin refused(std::string_view Name, diag::Code Code,
                          std::string_view Help) {
  return {Name, K::Refused, 0, D::Any, Op::Add, Code, Help};
}
constexpr Builtin atomic(std::string_view Name, uint8_t Arguments, Op O) {
  return {Name, K::Atomic, Arguments, D::Integer, O};
}

constexpr Builtin Table[] = {
    {"global_id", K::Id, 0, D::Any, Op::GlobalId},
    {"local_id", K::Id, 0, D::Any, Op::LocalId},
    {"workgroup_id", K::Id, 0, D::Any, Op::WorkgroupId},
    {"num_workgroups", K::Id, 0, D::Any, Op::NumWorkgroups},
    {"workgroup_size", K::GroupSize, 0},
    {"workgroup_array", K::SharedArray, 0},
    {"workgroup_barrier", K::Barrier, 0},
    {"assume", K::Assume, 1},
    {"debug", K::Debug, 1},
    atomic("atomic_load", 2, Op::AtomicLoad),
    atomic("atomic_store", 3, Op::AtomicStore),
    atomic("atomic_add", 3, Op::AtomicAdd),
    atomic("atomic_min", 3, Op::AtomicMin),
    atomic("atomic_max", 3, Op::AtomicMax),
    atomic("atomic_and", 3, Op::AtomicAnd),
    atomic("atomic_or", 3, Op::AtomicOr),
    atomic("atomic_xor", 3, Op::AtomicXor),
    atomic("atomic_exchange", 3, Op::AtomicExchange),
    atomic("atomic_compare_exchange", 4, Op::AtomicCompareExchange),
    {"abs", K::Plain, 1, D::Signed, Op::Abs},
    {"min", K::Plain, 2, D::Numeric, Op::Min},
    {"max", K::Plain, 2, D::Numeric, Op::Max},
    {"sqrt", K::Plain, 1, D::Float, Op::Sqrt},
    {"fma", K::Plain, 3, D::Float, Op::Fma},
    {"mul_add", K::Plain, 3, D::Float, Op::Fma},
    {"floor", K::Plain, 1, D::Float, Op::Floor},
    {"ceil", K::Plain, 1, D::Float, Op::Ceil},
    {"trunc", K::Plain, 1, D::Float, Op::Trunc},
    {"round", K::Plain, 1, D::Float, Op::Round},
    {"round_even", K::Plain, 1, D::Float, Op::RoundEven},
    {"copysign", K::Plain, 2, D::Float, Op::Copysign},
    {"reverse_bits", K::Plain, 1, D::Integer, Op::ReverseBits},
    {"mul_hi", K::Plain, 2, D::Integer, Op::MulHi},
    {"fract", K::Fract, 1, D::Float},
    {"sign", K::Sign, 1, D::Float},
    {"clamp", K::Clamp, 3, D::Numeric},
    {"step", K::Step, 2, D::Float},
    {"mix", K::Mix, 3, D::Float},
    {"smoothstep", K::Smoothstep, 3, D::Float},
    {"count_ones", K::BitCount, 1, D::Integer, Op::CountOnes},
    {"leading_zeros", K::BitCount, 1, D::Integer, Op::LeadingZeros},
    {"trailing_zeros", K::BitCount, 1, D::Integer, Op::TrailingZeros},
    {"rotate_left", K::Rotate, 2, D::Integer, Op::RotateLeft},
    {"rotate_right", K::Rotate, 2, D::Integer, Op::RotateRight},
    {"to_bits", K::ToBits, 1, D::Float, Op::ToBits},
    {"length", K::Length, 1, D::Float},
    {"distance", K::Distance, 2, D::Float},
    {"dot", K::Dot, 2, D::Float},
    {"cross", K::Cross, 2, D::Float},
    {"normalize", K::Normalize, 1, D::Float},
    {"select", K::Select, 3},
    math("rsqrt", Op::Rsqrt),
    math("exp", Op::Exp),
    math("exp2", Op::Exp2),
    math("exp_m1", Op::ExpM1),
    math("log", Op::Log),
    math("ln", Op::Log),
    math("log2", Op::Log2),
    math("log10", Op::Log10),
    math("ln_1p", Op::Ln1p),
    math("pow", Op::Pow, 2),
    math("powf", Op::Pow, 2),
    {"powi", K::Powi, 2, D::Float, Op::Powi},
    math("sin", Op::Sin),
    math("cos", Op::Cos),
    math("tan", Op::Tan),
    math("asin", Op::Asin),
    math("acos", Op::Acos),
    math("atan", Op::Atan),
    math("atan2", Op::Atan2, 2),
    math("sinh", Op::Sinh),
    math("cosh", Op::Cosh),
    math("tanh", Op::Tanh),
    math("erf", Op::Erf),
    {"workgroup_sum", K::Collective, 2, D::Numeric, Op::WorkgroupSum},
    {"workgroup_max", K::Collective, 2, D::Numeric, Op::WorkgroupMax},
    {"workgroup_min", K::Collective, 2, D::Numeric, Op::WorkgroupMin},
    {"workgroup_softmax_in_place", K::Softmax, 4, D::Float,
     Op::WorkgroupSoftmax},
    {"workgroup_uniform_load", K::UniformLoad, 2, D::Any,
     Op::WorkgroupUniformLoad},
    refused("words", diag::G0459,
            "mark the kernel `binding = words` and take its buffers as "
            "parameters"),
    refused("printf", diag::G0459, "use `gpu::debug(x)`"),
    refused("println", diag::G0459, "use `gpu::debug(x)`"),
    // The last two stand for all names of their family.
    refused("subgroup_*", diag::G0457, SubgroupHelp),
    refused("*_2d", diag::G0458, FlatHelp),
};

constexpr NamedConstant Constants[] = {
    {"f32", "INFINITY", types::F32, 0x7f800000},
    {"f32", "NEG_INFINITY", types::F32, 0xff800000},
    {"f32", "NAN", types::F32, 0x7fc00000},
    {"f32", "MAX", types::F32, 0x7f7fffff},
    {"f32", "MIN", types::F32, 0xff7fffff},
    {"f32", "MIN_POSITIVE", types::F32, 0x00800000},
    {"f32", "EPSILON", types::F32, 0x34000000},
    {"u32", "MAX", types::U32, 0xffffffff},
    {"u32", "MIN", types::U32, 0},
    {"i32", "MAX", types::I32, 0x7fffffff},
    {"i32", "MIN", types::I32, 0x80000000},
    {"u64", "MAX", types::U64, ~uint64_t(0)},
    {"u64", "MIN", types::U64, 0},
    {"i64", "MAX", types::I64, ~uint64_t(0) >> 1},
    {"i64", "MIN", types::I64, uint64_t(1) << 63},
    {"gpu", "PI", types::F32, 0x40490fdb},
    {"gpu", "TAU", types::F32, 0x40c90fdb},
    {"gpu", "E", types::F32, 0x402df854},
};

} // namespace

int sema::findBuiltin(std::string_view Name) {
  if (Name.starts_with("subgroup_"))
    Name = "subgroup_*";
  else if (Name.starts_with("workgroup_") && Name.ends_with("_2d"))
    Name = "*_2d";
  for (const Builtin &B : Table)
    if (B.Name == Name)
      return static_cast<int>(&B - Table);
  return -1;
}

const Builtin &sema::builtin(uint32_t Row) { return Table[Row]; }

std::vector<std::string> sema::builtinNames(bool MethodsOnly) {
  std::vector<std::string> Names;
  for (const Builtin &B : Table)
    if (MethodsOnly ? B.isMethod() : B.Kind != BuiltinKind::Refused)
      Names.emplace_back(B.Name);
  return Names;
}

const NamedConstant *sema::findNamedConstant(std::string_view Scope,
                                             std::string_view Name) {
  for (const NamedConstant &C : Constants)
    if (C.Scope == Scope && C.Name == Name)
      return &C;
  return nullptr;
}

std::vector<std::string> sema::namedConstantsOf(std::string_view Scope) {
  std::vector<std::string> Names;
  for (const NamedConstant &C : Constants)
    if (C.Scope == Scope)
      Names.emplace_back(C.Name);
  return Names;
}
