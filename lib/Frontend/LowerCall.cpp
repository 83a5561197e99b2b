//===- LowerCall.cpp - Calls of helpers and builtins
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions without an operation of their own are expanded to the sequence
// that the language states, each step rounded.
//
//===----------------------------------------------------------------------===//
#include "Lower.h"

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

static constexpr uint32_t OneBits = 0x3f800000, MinusOneBits = 0xbf800000,
                          TwoBits = 0x40000000, ThreeBits = 0x40400000;

const PlaceBase &Lower::resource(ast::ExprId E) const {
  return Locals[C.Names[C.strip(E)].Index].Base;
}

ValueId Lower::call(ast::ExprId E) {
  const CallTarget T = C.Calls[E];
  switch (T.Form) {
  case CallTarget::Function:
    return callFunction(E, T.Index);
  case CallTarget::Builtin:
    return callBuiltin(E, builtin(T.Index));
  case CallTarget::RawOp:
    return callRaw(E, T);
  case CallTarget::Length:
    return length(E);
  case CallTarget::Dim:
  case CallTarget::Rank:
    return shapeFact(E);
  case CallTarget::Vector: {
    std::vector<ValueId> Parts;
    if (!values(C[E].Kids, Parts))
      return ValueId();
    at(E);
    return B.construct(T.Type, Parts);
  }
  case CallTarget::None:
    break;
  }
  assert(false && "a call in error is not lowered");
  return ValueId();
}

ValueId Lower::callFunction(ast::ExprId E, uint32_t Callee) {
  const FunctionInfo &Of = C.Functions[Callee];
  std::vector<ValueId> Args;
  uint64_t CalleeMask = 0;
  for (uint32_t I = 0; I < Of.NumParams; ++I) {
    ast::ExprId Arg = C[E].Kids[I];
    if (Of.Locals[I].Kind != LocalKind::Resource) {
      Args.push_back(value(Arg));
      if (Dead)
        return ValueId();
      continue;
    }
    PlaceBase Base = resource(Arg);
    bool IsGroup =
        Base.Kind == BaseKind::Workgroup || F.Params[Base.Index].Workgroup;
    if (IsGroup && I < 64)
      CalleeMask |= uint64_t(1) << I;
    at(Arg);
    Args.push_back(B.ref(Base));
  }
  FuncId Id = lowerFunction(C, Callee, CalleeMask);
  at(E);
  ValueId Result = B.call(Id, Args);
  return F.typeOf(Result) == types::Void ? ValueId() : Result;
}

ValueId Lower::length(ast::ExprId E) {
  ast::ExprId Of = C[E].Kids[0];
  const NameRef &N = C.Names[C.strip(Of)];
  bool IsResource =
      N.Form == NameRef::Local && Info.Locals[N.Index].Kind != LocalKind::Value;
  if (!IsResource) {
    if (!isMemory(Of) && !value(Of))
      return ValueId();
    at(E);
    return B.u32(M.Types[typeOf(Of)].Count);
  }
  at(E);
  return B.len(resource(Of));
}

ValueId Lower::shapeFact(ast::ExprId E) {
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  std::vector<ValueId> Args;
  if (!values(std::span(Kids).subspan(1), Args))
    return ValueId();
  at(E);
  Args.insert(Args.begin(), B.ref(resource(Kids[0])));
  return B.opTyped(C.Calls[E].Raw, types::U32, Args);
}

ValueId Lower::callRaw(ast::ExprId E, const CallTarget &T) {
  std::vector<ValueId> Args;
  if (!values(C[E].Kids, Args))
    return ValueId();
  at(E);
  return B.opTyped(T.Raw, T.Type ? T.Type : F.typeOf(Args[0]), Args);
}

ValueId Lower::ids(const Builtin &K) {
  ValueId Axes[] = {B.id(K.Opcode, 0), B.id(K.Opcode, 1), B.id(K.Opcode, 2)};
  return B.construct(M.Types.vector(types::U32, 3), Axes);
}

/// A helper serves kernels of several sizes.
ValueId Lower::groupSize() {
  ValueId Axes[3];
  for (uint32_t A = 0; A < 3; ++A)
    Axes[A] = F.Kind == FuncKind::Kernel ? B.u32(F.WorkgroupSize[A])
                                         : B.id(Op::WorkgroupSize, A);
  return B.construct(M.Types.vector(types::U32, 3), Axes);
}

ValueId Lower::assume(ast::ExprId E) {
  ValueId V = value(C[E].Kids[0]);
  at(E);
  if (V)
    B.assume(V);
  return ValueId();
}

ValueId Lower::debug(ast::ExprId E) {
  ValueId V = value(C[E].Kids[0]);
  if (!V)
    return V;
  at(E);
  TypeId T = F.typeOf(V);
  bool IsVector = M.Types.kind(T) == TypeKind::Vector;
  for (uint32_t I = 0; I < (IsVector ? M.Types[T].Count : 1); ++I) {
    ValueId Part[] = {component(V, I)};
    B.opTyped(Op::Debug, types::Void, Part);
  }
  return ValueId();
}

ValueId Lower::atomic(ast::ExprId E, const Builtin &K) {
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  std::vector<ValueId> Args;
  if (!values(std::span(Kids).subspan(1), Args))
    return ValueId();
  at(E);
  PlaceId P = B.place(resource(Kids[0]), {{Args[0], 0}});
  ValueId Old = B.atomic(K.Opcode, P, std::span(Args).subspan(1));
  return K.Opcode == Op::AtomicStore ? ValueId() : Old;
}

// --- Whole-group operations

ValueId Lower::collective(ast::ExprId E, const Builtin &K) {
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  ValueId V = value(Kids[0]);
  if (!V)
    return V;
  at(E);
  ValueId Args[] = {V, B.ref(resource(Kids[1]))};
  return B.opTyped(K.Opcode, F.typeOf(V), Args);
}

ValueId Lower::softmax(ast::ExprId E) {
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  std::vector<ValueId> Range;
  if (!values(std::span(Kids).subspan(1, 2), Range))
    return ValueId();
  at(E);
  ValueId Args[] = {B.ref(resource(Kids[0])), Range[0], Range[1],
                    B.ref(resource(Kids[3]))};
  B.opTyped(Op::WorkgroupSoftmax, types::Void, Args);
  return ValueId();
}

ValueId Lower::uniformLoad(ast::ExprId E) {
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  ValueId Index = value(Kids[1]);
  if (!Index)
    return Index;
  at(E);
  return B.uniformLoad(B.place(resource(Kids[0]), {{Index, 0}}));
}

ValueId Lower::callBuiltin(ast::ExprId E, const Builtin &K) {
  at(E);
  switch (K.Kind) {
  case BuiltinKind::Id:
    return ids(K);
  case BuiltinKind::GroupSize:
    return groupSize();
  case BuiltinKind::Barrier:
    B.barrier();
    return ValueId();
  case BuiltinKind::Assume:
    return assume(E);
  case BuiltinKind::Debug:
    return debug(E);
  case BuiltinKind::Atomic:
    return atomic(E, K);
  case BuiltinKind::Collective:
    return collective(E, K);
  case BuiltinKind::Softmax:
    return softmax(E);
  case BuiltinKind::UniformLoad:
    return uniformLoad(E);
  case BuiltinKind::Length:
  case BuiltinKind::Distance:
  case BuiltinKind::Dot:
  case BuiltinKind::Cross:
  case BuiltinKind::Normalize:
  case BuiltinKind::Select:
    return vectorCall(E, K);
  default:
    return elementwiseCall(E, K);
  }
}

// --- Scalar functions, a component at a time

ValueId Lower::elementwiseCall(ast::ExprId E, const Builtin &K) {
  std::vector<ValueId> Args;
  if (!values(C[E].Kids, Args))
    return ValueId();
  at(E);
  return elementwise(typeOf(E), [&](uint32_t I) {
    std::vector<ValueId> Parts;
    for (ValueId V : Args)
      Parts.push_back(component(V, I));
    return scalarCall(K, Parts);
  });
}

ValueId Lower::scalarCall(const Builtin &K, std::span<const ValueId> A) {
  switch (K.Kind) {
  case BuiltinKind::Fract:
    return B.op(Op::Sub, {A[0], B.op(Op::Trunc, {A[0]})});
  case BuiltinKind::Sign:
    return sign(A[0]);
  case BuiltinKind::Clamp:
    return clamp(A[0], A[1], A[2]);
  case BuiltinKind::Step:
    return B.select(B.op(Op::Lt, {A[1], A[0]}), B.f32Bits(0),
                    B.f32Bits(OneBits));
  case BuiltinKind::Mix: {
    ValueId Span = B.op(Op::Sub, {A[1], A[0]});
    return B.op(Op::Add, {A[0], B.op(Op::Mul, {Span, A[2]})});
  }
  case BuiltinKind::Smoothstep:
    return smoothstep(A[0], A[1], A[2]);
  case BuiltinKind::BitCount:
  case BuiltinKind::ToBits:
    return B.opTyped(K.Opcode, types::U32, A);
  case BuiltinKind::Powi:
    return B.opTyped(K.Opcode, types::F32, A);
  default:
    return B.op(K.Opcode, A);
  }
}

/// x * 1.0 keeps the sign of zero and makes a NaN canonical.
ValueId Lower::sign(ValueId X) {
  ValueId Zero = B.f32Bits(0);
  ValueId Rest = B.op(Op::Mul, {X, B.f32Bits(OneBits)});
  ValueId Negative = B.op(Op::Lt, {X, Zero});
  ValueId NotPositive = B.select(Negative, B.f32Bits(MinusOneBits), Rest);
  ValueId Positive = B.op(Op::Gt, {X, Zero});
  return B.select(Positive, B.f32Bits(OneBits), NotPositive);
}

ValueId Lower::clamp(ValueId X, ValueId Lo, ValueId Hi) {
  ValueId Raised = B.op(Op::Max, {X, Lo});
  return B.op(Op::Min, {Raised, Hi});
}

ValueId Lower::smoothstep(ValueId Lo, ValueId Hi, ValueId X) {
  ValueId Above = B.op(Op::Sub, {X, Lo});
  ValueId Width = B.op(Op::Sub, {Hi, Lo});
  ValueId T =
      clamp(B.op(Op::Div, {Above, Width}), B.f32Bits(0), B.f32Bits(OneBits));
  ValueId Square = B.op(Op::Mul, {T, T});
  ValueId Twice = B.op(Op::Mul, {B.f32Bits(TwoBits), T});
  ValueId Slope = B.op(Op::Sub, {B.f32Bits(ThreeBits), Twice});
  return B.op(Op::Mul, {Square, Slope});
}

// --- Functions of vectors

ValueId Lower::dot(ValueId A, ValueId V) {
  uint32_t Count = M.Types[F.typeOf(A)].Count;
  ValueId Sum;
  for (uint32_t I = 0; I < Count; ++I) {
    ValueId Product = B.op(Op::Mul, {component(A, I), component(V, I)});
    Sum = Sum ? B.op(Op::Add, {Sum, Product}) : Product;
  }
  return Sum;
}

ValueId Lower::cross(TypeId T, ValueId A, ValueId V) {
  ValueId Parts[3];
  for (uint32_t I = 0; I < 3; ++I) {
    uint32_t Y = (I + 1) % 3, Z = (I + 2) % 3;
    ValueId Plus = B.op(Op::Mul, {component(A, Y), component(V, Z)});
    ValueId Minus = B.op(Op::Mul, {component(A, Z), component(V, Y)});
    Parts[I] = B.op(Op::Sub, {Plus, Minus});
  }
  return B.construct(T, Parts);
}

ValueId Lower::vectorCall(ast::ExprId E, const Builtin &K) {
  std::vector<ValueId> A;
  if (!values(C[E].Kids, A))
    return ValueId();
  at(E);
  switch (K.Kind) {
  case BuiltinKind::Select:
    return B.select(A[0], A[1], A[2]);
  case BuiltinKind::Dot:
    return dot(A[0], A[1]);
  case BuiltinKind::Cross:
    return cross(typeOf(E), A[0], A[1]);
  case BuiltinKind::Distance: {
    ValueId Way = arithmetic(Op::Sub, F.typeOf(A[0]), A[0], A[1]);
    return B.op(Op::Sqrt, {dot(Way, Way)});
  }
  case BuiltinKind::Normalize: {
    ValueId Length = B.op(Op::Sqrt, {dot(A[0], A[0])});
    return arithmetic(Op::Div, F.typeOf(A[0]), A[0], Length);
  }
  default:
    return B.op(Op::Sqrt, {dot(A[0], A[0])});
  }
}
