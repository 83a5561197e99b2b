//===- Derived.cpp - Computing derived ints -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words of 64 bits stand for values of every domain. A 32-bit domain computes
// on 64 bits and keeps the low half; a 64-bit one relies on two's complement.
//
//===----------------------------------------------------------------------===//
#include "program/Derived.h"

#include "program/Check.h"
#include "program/Fields.h"
#include "program/Numbers.h"

#include <algorithm>
#include <array>

using namespace goldy::program;

//===-- Exact -------------------------------------------------------------===//

static std::optional<Number> exactShift(Op What, Number A, Number B) {
  if (B < 0 || B > 62)
    return std::nullopt;
  if (What == Op::Shr)
    return A >> B;
  // 2^62 is no number, but -2^62 is -1 times it.
  if (B == 62)
    return A == 0    ? std::optional<Number>(0)
           : A == -1 ? std::optional<Number>(NumberMin)
                     : std::nullopt;
  return exactMul(A, Number(1) << B);
}

static Number ceilDiv(Number A, Number B) {
  return A / B + (A % B != 0 && (A < 0) == (B < 0));
}

/// Quotients of numbers of 63 bits have 64 at most: -2^62 / -1.
static Number divide(Op What, Number A, Number B) {
  if (B == 0)
    return What == Op::Mod ? 0 : A;
  return What == Op::Div ? A / B : What == Op::Mod ? A % B : ceilDiv(A, B);
}

static std::optional<Number> bitOrOrder(Op What, Number A, Number B) {
  switch (What) {
  case Op::And:
    return A & B;
  case Op::Or:
    return A | B;
  case Op::Xor:
    return A ^ B;
  case Op::Min:
    return std::min(A, B);
  case Op::Max:
    return std::max(A, B);
  case Op::Eq:
    return A == B;
  case Op::Lt:
    return A < B;
  default:
    return A; // Cast
  }
}

static std::optional<Number> exact(Op What, Number A, Number B) {
  switch (What) {
  case Op::Add:
    return exactAdd(A, B);
  case Op::Sub:
    return exactAdd(A, -B);
  case Op::Mul:
    return exactMul(A, B);
  case Op::Div:
  case Op::DivCeil:
  case Op::Mod:
    return divide(What, A, B);
  case Op::Shl:
  case Op::Shr:
    return exactShift(What, A, B);
  default:
    return bitOrOrder(What, A, B);
  }
}

//===-- Wrapping ----------------------------------------------------------===//

static uint64_t convert(Domain To, uint64_t X) {
  switch (To) {
  case Domain::U32:
    return static_cast<uint32_t>(X);
  case Domain::I32:
    return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(X)));
  default:
    return X;
  }
}

static uint64_t unsignedDivide(Op What, uint64_t A, uint64_t B) {
  if (B == 0)
    return What == Op::Mod ? 0 : A;
  return What == Op::Div   ? A / B
         : What == Op::Mod ? A % B
                           : A / B + (A % B != 0);
}

static uint64_t signedDivide(Op What, int64_t A, int64_t B) {
  if (B == -1) // MIN / -1 does not fit
    return What == Op::Mod ? 0 : 0 - static_cast<uint64_t>(A);
  return static_cast<uint64_t>(divide(What, A, B));
}

static uint64_t shift(Op What, Domain In, uint64_t A, uint64_t B) {
  bool Wide = In == Domain::U64 || In == Domain::I64;
  B &= Wide ? 63 : 31;
  if (What == Op::Shl)
    return A << B;
  bool Signed = In == Domain::I32 || In == Domain::I64;
  return Signed ? static_cast<uint64_t>(static_cast<int64_t>(A) >> B) : A >> B;
}

static uint64_t wrapping(Apply O, uint64_t A, uint64_t B) {
  bool Signed = O.In == Domain::I32 || O.In == Domain::I64;
  int64_t SA = static_cast<int64_t>(A), SB = static_cast<int64_t>(B);
  switch (O.What) {
  case Op::Add:
    return A + B;
  case Op::Sub:
    return A - B;
  case Op::Mul:
    return A * B;
  case Op::Div:
  case Op::DivCeil:
  case Op::Mod:
    return Signed ? signedDivide(O.What, SA, SB) : unsignedDivide(O.What, A, B);
  case Op::Shl:
  case Op::Shr:
    return shift(O.What, O.In, A, B);
  case Op::Min:
    return (Signed ? SB < SA : B < A) ? B : A;
  case Op::Max:
    return (Signed ? SB > SA : B > A) ? B : A;
  case Op::Lt:
    return Signed ? SA < SB : A < B;
  default:
    return static_cast<uint64_t>(*bitOrOrder(O.What, SA, SB));
  }
}

std::optional<uint64_t> goldy::program::applyOp(Apply O, uint64_t A,
                                                uint64_t B) {
  if (O.In != Domain::Exact)
    return convert(O.In, wrapping(O, convert(O.In, A), convert(O.In, B)));
  Number X = static_cast<Number>(A), Y = static_cast<Number>(B);
  if (!isNumber(X) || !isNumber(Y))
    return std::nullopt;
  std::optional<Number> R = exact(O.What, X, Y);
  if (!R || !isNumber(*R))
    return std::nullopt;
  return static_cast<uint64_t>(*R);
}

//===-- Expressions -------------------------------------------------------===//

namespace {

/// The values that wait for their operation.
struct Stack {
  std::array<uint64_t, limits::ExpressionDepth> Values;
  size_t Count = 0;
  uint64_t pop() { return Values[--Count]; }
  void push(uint64_t V) { Values[Count++] = V; }
};

/// What the failing node met, for a message.
struct Met {
  uint64_t A = 0, B = 0;
};

Evaluation walk(const DerivedInt &D, std::span<const uint64_t> Ints, Met &At) {
  Stack S;
  for (size_t I = 0; I < D.Is.size(); ++I) {
    if (const Fixed *F = std::get_if<Fixed>(&D.Is[I])) {
      S.push(static_cast<uint64_t>(F->Value));
      continue;
    }
    if (const IntWord *W = std::get_if<IntWord>(&D.Is[I])) {
      S.push(Ints[static_cast<size_t>(W->Word)]);
      continue;
    }
    Apply O = std::get<Apply>(D.Is[I]);
    At.B = O.What == Op::Cast ? 0 : S.pop();
    At.A = S.pop();
    std::optional<uint64_t> R = applyOp(O, At.A, At.B);
    if (!R)
      return {0, I};
    S.push(*R);
  }
  return {S.pop(), Evaluation::NoNode};
}

} // namespace

Evaluation goldy::program::evaluate(const DerivedInt &D,
                                    std::span<const uint64_t> Ints) {
  Met At;
  return walk(D, Ints, At);
}

std::string goldy::program::evaluationError(const DerivedInt &D,
                                            const Evaluation &E,
                                            std::span<const uint64_t> Ints) {
  Met At;
  walk(D, Ints, At);
  Apply O = std::get<Apply>(D.Is[E.Failed]);
  std::string What = D.Origin.empty()
                         ? "the expression of int " + std::to_string(D.Word)
                         : "`" + D.Origin + "`";
  What += ": `" +
          std::string(Enumerators<Op>::Names[static_cast<size_t>(O.What)]) +
          "` of " + std::to_string(static_cast<Number>(At.A));
  if (O.What != Op::Cast)
    What += " and " + std::to_string(static_cast<Number>(At.B));
  bool Shift = O.What == Op::Shl || O.What == Op::Shr;
  return What + (Shift ? " is not exact in 63 bits, or shifts by no amount of "
                         "0 to 62"
                       : " is not exact in 63 bits");
}
