//===- FoldAgreesTest.cpp - Folder and interpreter, bit by bit
//-------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two are written apart, one in integers and one in doubles: where they
// agree on all pairs of edge values and on random ones, both are believed.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Builder.h"
#include "goldyc/IR/Fold.h"
#include "goldyc/Interp/Interp.h"

#include <catch2/catch.hpp>
#include <random>

using namespace goldy;

namespace {

const std::vector<uint64_t> Edges = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff,
    0x00800000, 0x80800000, 0x00800001, 0x80800001, 0x00ffffff, 0x01000000,
    0x33800000, 0x33800001, 0x337fffff, 0x34000000, 0x3effffff, 0x3f000000,
    0xbf000000, 0x3f7fffff, 0xbf7fffff, 0x3f800000, 0xbf800000, 0x3f800001,
    0x3fc00000, 0x40000000, 0x40200000, 0x40400000, 0x4affffff, 0x4b000000,
    0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000,
    0xcf000001, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0xdf000000,
    0x5f800000, 0x7e800000, 0x7f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
    0xff800000, 0x7f800001, 0x7fc00000, 0xffc00000, 0x7fffffff, 0xffffffff,
    2,          3,          31,         32,         33,         63,
    64,         0x0000ffff, 0x00010000, 0xfffffffe};

/// Random bits of all magnitudes, many of them near the borders of f32.
uint64_t randomBits(std::mt19937_64 &Generator, bool Wide) {
  uint64_t Word = Generator();
  if (Wide)
    return Word >> (Generator() % 64);
  uint32_t Exponents[] = {0, 1, 2, 126, 127, 128, 150, 151, 253, 254, 255};
  uint32_t Low = static_cast<uint32_t>(Word);
  switch (Generator() % 4) {
  case 0:
    return (Low & 0x807fffffu) | Exponents[Word >> 40 & 7] << 23;
  case 1:
    return Low >> (Word >> 40 & 31);
  case 2: // long runs of equal bits
    return (Low & 0xff800000u) | ((1u << (Word >> 40 & 23)) - 1);
  default:
    return Low;
  }
}

struct Case {
  Op Opcode;
  TypeId Operand, Second, Result;
  unsigned Count;
};

/// `r[i] = op(a[i], b[i], c[i])`
Module kernelOf(const Case &K) {
  Module M;
  Function F;
  F.Name = "k";
  F.Kind = FuncKind::Kernel;
  F.Params.push_back(
      {"r", ParamKind::Buffer, K.Result, Access::ReadWrite, false, Span()});
  for (unsigned I = 0; I < 3; ++I)
    F.Params.push_back({std::string(1, static_cast<char>('a' + I)),
                        ParamKind::Buffer, I == 1 ? K.Second : K.Operand,
                        Access::Read, false, Span()});
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  ValueId Id = B.id(Op::GlobalId, 0);
  auto At = [&](uint32_t Param) {
    return B.place({BaseKind::Param, Param}, {{Id, 0}});
  };
  std::vector<ValueId> Operands;
  for (unsigned I = 0; I < K.Count; ++I)
    Operands.push_back(B.load(At(I + 1)));
  B.store(At(0), B.opTyped(K.Opcode, K.Result, Operands));
  M.Functions.push(std::move(F));
  return M;
}

std::vector<std::byte> packed(const std::vector<uint64_t> &Bits,
                              unsigned Size) {
  std::vector<std::byte> Out(Bits.size() * Size);
  for (size_t I = 0; I < Bits.size(); ++I)
    for (unsigned B = 0; B < Size; ++B)
      Out[I * Size + B] = static_cast<std::byte>(Bits[I] >> (8 * B) & 0xff);
  return Out;
}

bool isWide(TypeId T) { return T == types::U64 || T == types::I64; }

void fill(const Case &K, std::vector<uint64_t> (&Inputs)[3]) {
  std::mt19937_64 Generator(7);
  bool Wide = isWide(K.Operand);
  for (uint64_t A : Edges)
    for (uint64_t B : Edges) {
      Inputs[0].push_back(Wide ? A << 32 | B : A);
      Inputs[1].push_back(Wide ? B << 32 | (A & 0x80000001) : B);
      Inputs[2].push_back(Edges[Generator() % Edges.size()]);
    }
  for (int I = 0; I < 20000; ++I)
    for (std::vector<uint64_t> &Input : Inputs)
      Input.push_back(randomBits(Generator, Wide));
  for (size_t I = 0; I < Inputs[0].size(); ++I) {
    if (K.Operand == types::Bool)
      Inputs[0][I] &= 1;
    if (K.Second == types::Bool)
      Inputs[1][I] &= 1;
    if (!isWide(K.Second))
      Inputs[1][I] &= 0xffffffffu;
  }
}

void agree(const Case &K) {
  INFO(opInfo(K.Opcode).Name << " on " << TypeTable().name(K.Operand) << " to "
                             << TypeTable().name(K.Result));
  std::vector<uint64_t> Inputs[3];
  fill(K, Inputs);
  uint32_t Count = static_cast<uint32_t>(Inputs[0].size());
  unsigned Sizes[4] = {isWide(K.Result) ? 8u : 4u, isWide(K.Operand) ? 8u : 4u,
                       isWide(K.Second) ? 8u : 4u, isWide(K.Operand) ? 8u : 4u};
  std::vector<std::byte> Buffers[4];
  Buffers[0].resize(Count * Sizes[0]);
  std::vector<InterpArgument> Arguments;
  for (unsigned I = 0; I < 4; ++I) {
    if (I > 0)
      Buffers[I] = packed(Inputs[I - 1], Sizes[I]);
    Arguments.push_back({0, Buffers[I]});
  }
  Module M = kernelOf(K);
  std::optional<InterpFault> Fault =
      interpret(M, FuncId(0), {Count, 1, 1}, Arguments);
  REQUIRE_FALSE(Fault);
  for (uint32_t I = 0; I < Count; ++I) {
    uint64_t Operands[3] = {Inputs[0][I], Inputs[1][I], Inputs[2][I]};
    std::optional<uint64_t> Folded =
        foldScalar(K.Opcode, K.Operand, K.Result,
                   std::span<const uint64_t>(Operands, K.Count));
    uint64_t Ran = 0;
    for (unsigned B = 0; B < Sizes[0]; ++B)
      Ran |= static_cast<uint64_t>(Buffers[0][I * Sizes[0] + B]) << (8 * B);
    if (!Folded || *Folded != Ran) {
      INFO(std::hex << Operands[0] << " " << Operands[1] << " " << Operands[2]
                    << " folds to " << Folded.value_or(0) << ", runs to "
                    << Ran);
      CHECK(Folded == Ran);
      return;
    }
  }
  SUCCEED();
}

} // namespace

TEST_CASE("folder and interpreter agree on floats") {
  using namespace types;
  for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::Min, Op::Max,
               Op::Copysign})
    agree({O, F32, F32, F32, 2});
  for (Op O : {Op::Neg, Op::Abs, Op::Sqrt, Op::Floor, Op::Ceil, Op::Trunc,
               Op::Round, Op::RoundEven, Op::CanonNan, Op::Flush})
    agree({O, F32, F32, F32, 1});
  for (Op O : {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge})
    agree({O, F32, F32, Bool, 2});
  agree({Op::Fma, F32, F32, F32, 3});
  agree({Op::ToBits, F32, F32, U32, 1});
}

TEST_CASE("folder and interpreter agree on integers") {
  using namespace types;
  for (TypeId T : {U32, I32, U64, I64}) {
    for (Op O : {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Rem, Op::Min, Op::Max,
                 Op::And, Op::Or, Op::Xor, Op::MulHi})
      agree({O, T, T, T, 2});
    for (Op O : {Op::Shl, Op::Shr, Op::RotateLeft, Op::RotateRight})
      for (TypeId Amount : {U32, I32, U64})
        agree({O, T, Amount, T, 2});
    for (Op O : {Op::Neg, Op::Abs, Op::Not, Op::ReverseBits})
      agree({O, T, T, T, 1});
    for (Op O : {Op::CountOnes, Op::LeadingZeros, Op::TrailingZeros})
      agree({O, T, T, U32, 1});
    for (Op O : {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge})
      agree({O, T, T, Bool, 2});
  }
  for (Op O : {Op::And, Op::Or, Op::Xor, Op::Eq, Op::Ne})
    agree({O, Bool, Bool, Bool, 2});
  agree({Op::Not, Bool, Bool, Bool, 1});
}

TEST_CASE("folder and interpreter agree on casts") {
  using namespace types;
  for (TypeId From : {Bool, U32, I32, U64, I64, F32})
    for (TypeId To : {U32, I32, U64, I64, F32})
      agree({Op::Cast, From, From, To, 1});
}
