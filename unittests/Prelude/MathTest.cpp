//===- MathTest.cpp - The published functions are what they were
//-----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the interpreter, over every exponent and some significands of each:
// results lie within the bounds that the functions' comments state, special
// values are C's, and a digest of all bits is the published one. A sequence may
// change only as a change of the language; the digest changes with it.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Builder.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/ExpandMath.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

using namespace goldy;

namespace {

/// A kernel `o[i] = f(x[i], y[i])`, run over the arguments' bits.
std::vector<uint32_t> run(Op O, std::vector<uint32_t> X,
                          std::vector<uint32_t> Y) {
  Module M;
  Function K;
  K.Name = "k";
  K.Kind = FuncKind::Kernel;
  TypeId Second = O == Op::Powi ? types::I32 : types::F32;
  for (TypeId T : {types::F32, Second, types::F32}) {
    Param P;
    P.Kind = ParamKind::Buffer;
    P.Type = T;
    P.Acc = Access::ReadWrite;
    P.Name = std::string(1, "xyo"[K.Params.size()]);
    K.Params.push_back(P);
  }
  Builder B(M, K);
  K.Body = B.newBlock();
  B.setBlock(K.Body);
  ValueId I = B.id(Op::GlobalId, 0);
  std::vector<ValueId> Args;
  for (uint32_t P = 0; P < opInfo(O).MinOperands; ++P)
    Args.push_back(B.load(B.place({BaseKind::Param, P}, {{I, 0}})));
  ValueId V = B.opTyped(O, types::F32, Args);
  B.store(B.place({BaseKind::Param, 2}, {{I, 0}}), V);
  M.Functions.push(std::move(K));
  expandPublished(M);
  std::vector<uint32_t> Out(X.size());
  std::vector<InterpArgument> Bound(3);
  Bound[0].Bytes = std::as_writable_bytes(std::span(X));
  Bound[1].Bytes = std::as_writable_bytes(std::span(Y));
  Bound[2].Bytes = std::as_writable_bytes(std::span(Out));
  std::optional<InterpFault> Fault =
      interpret(M, M.kernels().front(), {uint32_t(X.size()), 1, 1}, Bound);
  INFO((Fault ? Fault->Message : ""));
  REQUIRE(!Fault);
  return Out;
}

std::vector<uint32_t> arguments() {
  std::vector<uint32_t> Bits;
  uint32_t Word = 1;
  for (uint32_t Top = 0; Top < 512; ++Top)
    for (uint32_t K = 0; K < 8; ++K) {
      Word = Word * 1664525 + 1013904223;
      uint32_t Low = K == 0 ? 0 : K == 1 ? 0x7fffff : Word >> 9;
      Bits.push_back(Top << 23 | Low);
    }
  return Bits;
}

uint32_t digest(const std::vector<uint32_t> &Words) {
  uint32_t H = 2166136261;
  for (uint32_t W : Words)
    for (unsigned B = 0; B < 32; B += 8)
      H = (H ^ (W >> B & 0xff)) * 16777619;
  return H;
}

double value(uint32_t Bits) {
  return Bits & 0x7f800000 ? double(std::bit_cast<float>(Bits))
                           : (Bits >> 31 ? -0.0 : 0.0);
}

/// In units in the last place; 1e9 for a result of the wrong kind.
double errorOf(uint32_t Bits, double Want) {
  if (std::isnan(Want))
    return Bits == 0x7fc00000 ? 0 : 1e9;
  double Got = double(std::bit_cast<float>(Bits)), Size = std::fabs(Want);
  if (std::isnan(Got) || std::signbit(Got) != std::signbit(Want))
    return 1e9;
  if (Got == 0)
    return Size < 0x1p-126 ? 0 : (Size - 0x1p-126) * 0x1p149;
  if (std::isinf(Got))
    return Size >= 0x1.ffffffp127 ? 0 : 1e9;
  int Exponent = std::max(std::ilogb(Size), -126);
  return std::fabs(Got - Want) / std::ldexp(1.0, Exponent - 23);
}

struct Row {
  Op O;
  double (*Reference)(double, double);
  double Bound;
  uint32_t Digest;
};
#define FN(OP, C, BOUND, DIGEST)                                               \
  {Op::OP, [](double X, double Y) { return double(C); }, BOUND, DIGEST}
const Row Rows[] = {
    FN(Exp, std::exp(X), 0.89, 0x3a2f1fe5),
    FN(Exp2, std::exp2(X), 0.89, 0x8c064326),
    FN(ExpM1, std::expm1(X), 1.14, 0xe9411a13),
    FN(Log, std::log(X), 0.84, 0x5a251806),
    FN(Log2, std::log2(X), 0.82, 0x54657457),
    FN(Log10, std::log10(X), 0.73, 0x34b7da3f),
    FN(Ln1p, std::log1p(X), 0.94, 0xffa2446c),
    FN(Sin, std::sin(X), 1.05, 0xc6749b03),
    FN(Cos, std::cos(X), 1.04, 0xadaa53e8),
    FN(Tan, std::tan(X), 1.56, 0xfa9666c3),
    FN(Asin, std::asin(X), 1.12, 0xd061202b),
    FN(Acos, std::acos(X), 1.10, 0x6a164698),
    FN(Atan, std::atan(X), 1.32, 0x8fc12651),
    FN(Sinh, std::sinh(X), 1.28, 0xb13bc24d),
    FN(Cosh, std::cosh(X), 0.95, 0x29243a39),
    FN(Tanh, std::tanh(X), 1.97, 0x4ae09380),
    FN(Erf, std::erf(X), 1.18, 0xa9fb2034),
    FN(Rsqrt, 1 / std::sqrt(X), 1.00, 0x93224391),
    FN(Pow, std::pow(X, Y), 0.93, 0xe833138c),
    FN(Atan2, std::atan2(X, Y), 1.54, 0xbf0c9c66),
    FN(Powi, std::pow(X, Y), 0.92, 0x271dae9),
};
#undef FN

} // namespace

TEST_CASE("published functions keep their bounds and their bits") {
  std::vector<uint32_t> X = arguments(), Y = X;
  // Exponents and angles of all sizes, in another order than the arguments.
  for (uint32_t I = 0; I < Y.size(); ++I)
    Y[I] = X[(I * 1237 + 11) % X.size()];
  for (const Row &R : Rows) {
    std::vector<uint32_t> Second = Y;
    if (R.O == Op::Powi)
      for (uint32_t I = 0; I < Y.size(); ++I)
        Second[I] = uint32_t(int32_t(Y[I]) >> I % 32);
    std::vector<uint32_t> Out = run(R.O, X, Second);
    INFO(opInfo(R.O).Mnemonic);
    double Worst = 0;
    uint32_t At = 0;
    for (uint32_t I = 0; I < X.size(); ++I) {
      double Other =
          R.O == Op::Powi ? double(int32_t(Second[I])) : value(Second[I]);
      double E = errorOf(Out[I], R.Reference(value(X[I]), Other));
      if (E > Worst)
        Worst = E, At = I;
    }
    INFO("worst at " << std::hex << X[At] << ", " << Second[At] << ": "
                     << Out[At]);
    CHECK(Worst <= R.Bound);
    CHECK(digest(Out) == R.Digest);
  }
}
