//===- Compare.cpp - Comparing results with expectations ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are compared as the scalars they are made of; for structs, word by
// word.
//
//===----------------------------------------------------------------------===//
#include "Compare.h"

#include "Print.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace goldyrun;
namespace npy = goldy::npy;

/// Floats as integers in their order, both zeros 0.
static int64_t ordered(uint32_t Bits) {
  int64_t Magnitude = Bits & 0x7fffffff;
  return Bits >> 31 ? -Magnitude : Magnitude;
}

static bool isNan(uint32_t Bits) { return (Bits & 0x7fffffff) > 0x7f800000; }

bool goldyrun::floatsAgree(uint32_t Got, uint32_t Want, const Tolerance &T) {
  if (Got == Want)
    return true;
  bool Loose = T.MaxUlp || T.Relative || T.Absolute;
  if (!Loose)
    return false;
  if (isNan(Got) || isNan(Want))
    return isNan(Got) && isNan(Want);
  uint64_t Steps =
      static_cast<uint64_t>(std::llabs(ordered(Got) - ordered(Want)));
  if (T.MaxUlp && Steps <= T.MaxUlp)
    return true;
  double G = std::bit_cast<float>(Got), W = std::bit_cast<float>(Want);
  if ((!T.Relative && !T.Absolute) || std::isinf(G) || std::isinf(W))
    return false;
  return std::fabs(G - W) <=
         T.Absolute.value_or(0) + T.Relative.value_or(0) * std::fabs(W);
}

namespace {

/// Two arrays of one type, seen as units of one scalar each.
struct Units {
  npy::DType Type; ///< of a unit
  uint64_t Count;
  const std::byte *Got, *Want;

  bool agree(uint64_t I, const Tolerance &T) const {
    const std::byte *G = Got + I * Type.Size, *W = Want + I * Type.Size;
    if (std::memcmp(G, W, Type.Size) == 0)
      return true;
    if (Type == npy::floatType(4)) {
      uint32_t A, B;
      std::memcpy(&A, G, 4);
      std::memcpy(&B, W, 4);
      return floatsAgree(A, B, T);
    }
    bool Integer = Type.Form == npy::Kind::Int || Type.Form == npy::Kind::UInt;
    return Integer && T.Absolute &&
           std::fabs(asDouble(G) - asDouble(W)) <= *T.Absolute;
  }
  double asDouble(const std::byte *At) const {
    uint64_t Bits = 0;
    std::memcpy(&Bits, At, Type.Size);
    if (Type.Form == npy::Kind::UInt)
      return static_cast<double>(Bits);
    unsigned Unused = static_cast<unsigned>(64 - 8 * Type.Size);
    return static_cast<double>(static_cast<int64_t>(Bits << Unused) >> Unused);
  }
};

} // namespace

static Exit compareArrays(const std::string &Name, const npy::Array &Got,
                          const npy::Array &Want, const Tolerance &T) {
  if (Got.Data.size() != Want.Data.size())
    return fail(Exit::Input,
                quoted(Name) + ": got " + std::to_string(Got.count()) +
                    " elements, expected " + std::to_string(Want.count()));
  bool Struct = Got.Type.Form == npy::Kind::Struct;
  bool ByWords = Struct && Got.Data.size() % 4 == 0;
  Units U{Struct ? npy::uintType(ByWords ? 4 : 1) : Got.Type, 0,
          Got.Data.data(), Want.Data.data()};
  U.Count = Got.Data.size() / U.Type.Size;
  uint64_t Different = 0, First = 0;
  for (uint64_t I = U.Count; I-- > 0;)
    if (!U.agree(I, T)) {
      ++Different;
      First = I;
    }
  if (Different == 0)
    return Exit::Ok;
  std::string Place =
      Struct ? (ByWords ? " word " : " byte ") + std::to_string(First)
             : indexText(First, Got.Shape);
  uint64_t At = First * U.Type.Size;
  return fail(Exit::Input, quoted(Name) + Place + ": got " +
                               scalarText(U.Type, &Got.Data[At], true) +
                               ", expected " +
                               scalarText(U.Type, &Want.Data[At], true) + " (" +
                               std::to_string(Different) + " of " +
                               std::to_string(U.Count) + " differ)");
}

static Exit compareOne(const Assignment &E, const Arguments &Args,
                       const Tolerance &T) {
  const Bound *B = nullptr;
  GOLDYRUN_TRY(Args.findBuffer("--expect", E.first, B));
  std::string Why;
  std::optional<goldy::ValueSpec> Spec = goldy::parseValueSpec(E.second, Why);
  if (Spec &&
      (Spec->Form == goldy::ValueSpec::Kind::Number ||
       Spec->Form == goldy::ValueSpec::Kind::Alias || !Spec->Views.empty()))
    return fail(Exit::Usage, "`--expect " + E.first +
                                 "`: expected @FILE.npy or a generated buffer");
  std::optional<npy::Array> Want;
  if (Spec)
    Want = goldy::makeArray(*Spec, Why);
  uint64_t Count = 0;
  if (Want)
    Why = adopt(*Want, B->Info.type, Count);
  if (!Why.empty())
    return fail(Exit::Input, "`--expect " + E.first + "`: " + Why);
  npy::Array Got;
  GOLDYRUN_TRY(Args.read(*B, Got));
  return compareArrays(E.first, Got, *Want, T);
}

Exit goldyrun::compareAll(const Options &O, const Arguments &Args) {
  Tolerance T{O.MaxUlp, O.RelativeTolerance, O.AbsoluteTolerance};
  Exit Worst = Exit::Ok;
  for (const Assignment &E : O.Expect)
    if (Exit X = compareOne(E, Args, T); X != Exit::Ok)
      Worst = X;
  return Worst;
}
