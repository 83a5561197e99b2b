//===- Difference.cpp - Where two arrays differ ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements whose bytes are equal are equal; only others are looked into.
//
//===----------------------------------------------------------------------===//
#include "Difference.h"

#include "Print.h"

#include <cstring>

using namespace goldyrun;
namespace npy = goldy::npy;

namespace {

/// A scalar within an element.
struct Leaf {
  const npy::DType *Type = nullptr;
  uint64_t Offset = 0; ///< bytes from the element's start
  std::string Path;
};

/// Finds the first scalar of `T`, `Offset` bytes into both elements, that
/// differs.
bool findLeaf(const npy::DType &T, uint64_t Offset, const std::byte *Got,
              const std::byte *Want, Leaf &Out) {
  if (T.Form != npy::Kind::Struct) {
    Out = {&T, Offset, ""};
    return std::memcmp(Got + Offset, Want + Offset, T.Size) != 0;
  }
  for (const npy::Field &F : T.Fields) {
    uint64_t Count = F.Type.Size ? fieldBytes(F) / F.Type.Size : 0;
    for (uint64_t I = 0; I < Count; ++I)
      if (findLeaf(F.Type, Offset + F.Offset + I * F.Type.Size, Got, Want,
                   Out)) {
        Out.Path = "." + F.Name + indexText(I, F.Shape) + Out.Path;
        return true;
      }
  }
  return false;
}

uint64_t bitsAt(const std::byte *At, const npy::DType &T) {
  uint64_t Bits = 0;
  std::memcpy(&Bits, At, T.Size <= sizeof Bits ? T.Size : sizeof Bits);
  return Bits;
}

FirstDifference describe(uint64_t Element, const Leaf &L, const npy::Array &Got,
                         const npy::Array &Want) {
  const std::byte *G = &Got.Data[Element * Got.Type.Size + L.Offset];
  const std::byte *W = &Want.Data[Element * Got.Type.Size + L.Offset];
  return {Element, indexText(Element, Got.Shape) + L.Path, *L.Type,
          bitsAt(G, *L.Type), bitsAt(W, *L.Type)};
}

} // namespace

Difference goldyrun::differenceOf(const npy::Array &Got,
                                  const npy::Array &Want) {
  Difference D;
  uint64_t Size = Got.Type.Size;
  D.Elements = Size ? Got.Data.size() / Size : 0;
  for (uint64_t I = 0; I < D.Elements; ++I) {
    const std::byte *G = &Got.Data[I * Size], *W = &Want.Data[I * Size];
    Leaf L;
    if (std::memcmp(G, W, Size) == 0 || !findLeaf(Got.Type, 0, G, W, L))
      continue;
    if (D.Different++ == 0)
      D.First = describe(I, L, Got, Want);
  }
  return D;
}
