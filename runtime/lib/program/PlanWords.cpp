//===- PlanWords.cpp - Words of holes, refs and values --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block holds is known at load or is a word of the run. A ref is its
// buffer's address and eight bytes with their holes; a hole that is the address
// of a memory and nothing else leaks no other bits into it, and counts as a ref
// to all of that memory.
//
//===----------------------------------------------------------------------===//
#include "program/Planner.h"

#include "program/Numbers.h"

#include <algorithm>
#include <cstring>

using namespace goldy;
using namespace goldy::rt;
using program::Place;

template <class T> static uint32_t sizeOf(const std::vector<T> &List) {
  return static_cast<uint32_t>(List.size());
}

PlanValue Planner::value(const program::Value &V) {
  PlanValue Out;
  if (const program::IntWord *I = std::get_if<program::IntWord>(&V)) {
    Out.Word = static_cast<uint32_t>(I->Word);
    Now.ReadsInts = true;
  } else if (const program::Fixed *F = std::get_if<program::Fixed>(&V)) {
    Out.Constant = {F->Value, F->Value};
  } else {
    for (size_t C = 0; C < 2; ++C)
      Out.Constant[C] =
          program::wrap(leafWord(L, std::get<program::Leaf>(V), C, Now.Device));
  }
  return Out;
}

uint32_t Planner::addWord(const WordPlan &W) {
  P.Words.push_back(W);
  return sizeOf(P.Words) - 1 - PassFirst;
}

//===-- Holes -------------------------------------------------------------===//

/// The hole without one of its terms' addresses.
HolePlan Planner::holePlan(const ValueHole &H,
                           const program::Address *Without) {
  HolePlan Out;
  Out.Shift = static_cast<uint8_t>(H.Shift);
  Out.Bits = H.Bits;
  Out.Sum = {H.Add, H.Add};
  Out.Terms.First = sizeOf(P.Terms);
  for (const program::Term<program::Value> &T : H.Terms) {
    const program::Leaf *Leaf = std::get_if<program::Leaf>(&T.What);
    if (Leaf && std::get_if<program::Address>(Leaf) == Without && Without)
      continue;
    PlanValue V = value(T.What);
    if (V.isInt())
      P.Terms.push_back({V.Word, 0, T.Factor});
    for (size_t C = 0; C < 2 && !V.isInt(); ++C)
      Out.Sum[C] = program::wrapMulAdd(Out.Sum[C], V.Constant[C], T.Factor);
  }
  Out.Terms.Count = sizeOf(P.Terms) - Out.Terms.First;
  return Out;
}

Status Planner::constantHole(const HolePlan &H, std::span<char> Under,
                             size_t Copy, const Place &At) {
  uint64_t Word = program::holeWord(H.Sum[Copy], 0, H.Shift, H.Bits);
  return program::fillHole(Under, Word) ? Status()
                                        : brokenHole(At.text(), Word);
}

static uint64_t loadWord(const char *From, size_t Bytes) {
  uint64_t Word = 0;
  std::memcpy(&Word, From, Bytes);
  return Word;
}

static std::span<char> blockBytes(Part &P, size_t At, size_t Bytes) {
  return std::span(reinterpret_cast<char *>(P.Block.data()), P.Block.size())
      .subspan(At, Bytes);
}

/// Puts a word into the block, or a slot for it if runs change it.
void Planner::put(const WordPlan &W, uint32_t Bytes, Placed X, Part &Part) {
  X.At = W.At;
  X.Bytes = Bytes;
  X.Offset = W.Bits[Copy];
  if (W.List.Count || W.Input != NoIndex) {
    uint32_t Word = addWord(W);
    Out.Slots.push_back({sizeOf(Out.Parts), W.At, Bytes, Word});
    if (W.List.Count || W.Bits[0] != W.Bits[1])
      X.Word = Word;
    std::ranges::fill(blockBytes(Part, W.At, Bytes), 0);
  } else {
    uint64_t Word = W.Bits[Copy] + W.Address[Copy];
    std::memcpy(&Part.Block[W.At], &Word, Bytes);
  }
  Places.push_back(X);
}

/// The address of the term if the hole is one plain address and numbers.
static const program::Address *
plainAddress(const program::Hole<program::Value> &H) {
  const program::Address *Found = nullptr;
  size_t Leaves = 0;
  for (const program::Term<program::Value> &T : H.Terms)
    if (const program::Leaf *Leaf = std::get_if<program::Leaf>(&T.What)) {
      ++Leaves;
      Found = T.Factor == 1 ? std::get_if<program::Address>(Leaf) : nullptr;
    }
  return Leaves == 1 && H.Bits == program::Width::W64 && H.Shift == 0 ? Found
                                                                      : nullptr;
}

ByCopy<uint64_t> Planner::addressOf(const Named &N) const {
  ByCopy<uint64_t> Out;
  for (size_t C = 0; C < 2; ++C)
    Out[C] =
        L.Devices[Now.Device]->address(memoryOn(L, N.Memory, Now.Device, C)) +
        N.Offset;
  return Out;
}

Status Planner::addressHole(const ValueHole &H, const program::Address &A,
                            Part &Part) {
  Placed X;
  X.What = Placed::Kind::Address;
  X.Where.Memory = L.memory(A.Memory);
  X.Where.Bytes = L.Memories[X.Where.Memory].Bytes;
  for (size_t I = 0; I < Fixed.size(); ++I)
    X.Written |= Fixed[I].Memory == X.Where.Memory && FixedWritten[I];
  WordPlan W;
  W.Part = PartNumber;
  W.At = static_cast<uint32_t>(H.At);
  W.Address = addressOf(X.Where);
  HolePlan Rest = holePlan(H, &A);
  if (Rest.Terms.Count) {
    W.List = {sizeOf(P.Holes), 1};
    P.Holes.push_back(Rest);
  } else {
    for (size_t C = 0; C < 2; ++C)
      W.Bits[C] = static_cast<uint64_t>(Rest.Sum[C]);
  }
  put(W, 8, X, Part);
  return Status();
}

Status Planner::hole(const Values &D, size_t Number, Part &Part,
                     const Place &At) {
  const ValueHole &H = D.Holes[Number];
  size_t First = static_cast<size_t>(H.At);
  size_t Bytes = program::widthBytes(H.Bits);
  std::span<char> Under = blockBytes(Part, First, Bytes);
  const program::Address *A = plainAddress(H);
  if (A && loadWord(Under.data(), Bytes) == 0)
    return addressHole(H, *A, Part);
  HolePlan Plan = holePlan(H, nullptr);
  if (!Plan.Terms.Count)
    return constantHole(Plan, Under, Copy, {&At, "holes", Number});
  WordPlan W;
  W.Part = PartNumber;
  W.At = static_cast<uint32_t>(First);
  W.Bits.fill(loadWord(Under.data(), Bytes));
  W.List = {sizeOf(P.Holes), 1};
  P.Holes.push_back(Plan);
  put(W, static_cast<uint32_t>(Bytes), Placed(), Part);
  return Status();
}

//===-- Refs --------------------------------------------------------------===//

/// A ref and the holes that lie within its eight bytes.
Status Planner::ref(const Values &D, size_t Number, const program::Ref &R,
                    std::span<const size_t> Holes, Part &Part,
                    const Place &At) {
  Placed X;
  X.What = Placed::Kind::Ref;
  X.Ref = Number;
  X.Where = Slots[static_cast<size_t>(R.Slot)];
  X.Written = R.How != program::Use::Read;
  WordPlan W;
  W.Part = PartNumber;
  W.At = static_cast<uint32_t>(R.At);
  W.Input = X.Where.Input;
  if (W.Input == NoIndex)
    W.Address = addressOf(X.Where);
  ByCopy<std::array<char, 8>> Under;
  for (std::array<char, 8> &Bytes : Under)
    std::memcpy(Bytes.data(), &Part.Block[W.At], 8);
  W.List.First = sizeOf(P.Holes);
  for (size_t I : Holes) {
    const ValueHole &H = D.Holes[I];
    HolePlan Plan = holePlan(H, nullptr);
    size_t Place = static_cast<size_t>(H.At - R.At);
    Plan.Place = static_cast<uint8_t>(8 * Place);
    if (Plan.Terms.Count)
      P.Holes.push_back(Plan);
    for (size_t C = 0; C < 2 && !Plan.Terms.Count; ++C)
      GOLDY_TRY(constantHole(
          Plan, std::span(Under[C]).subspan(Place, program::widthBytes(H.Bits)),
          C, {&At, "holes", I}));
  }
  W.List.Count = sizeOf(P.Holes) - W.List.First;
  for (size_t C = 0; C < 2; ++C)
    W.Bits[C] = loadWord(Under[C].data(), 8);
  put(W, 8, X, Part);
  return Status();
}

//===-- Blocks ------------------------------------------------------------===//

/// Numbers of a list's elements, by the byte at which they stand.
template <class T> static std::vector<size_t> byPlace(const std::vector<T> &L) {
  std::vector<size_t> Order(L.size());
  for (size_t I = 0; I < L.size(); ++I)
    Order[I] = I;
  std::ranges::sort(Order, {}, [&](size_t I) { return L[I].At; });
  return Order;
}

Status Planner::leaves(const Values &D, const Place &At) const {
  for (size_t I = 0; I < D.Holes.size(); ++I)
    for (const program::Term<program::Value> &T : D.Holes[I].Terms)
      if (const program::Leaf *Leaf = std::get_if<program::Leaf>(&T.What))
        GOLDY_TRY(checkLeaf(L, *Leaf, {&At, "holes", I}));
  return Status();
}

/// Fills `Part.Block`, of `Bytes` bytes, and `Places`, in order.
Status Planner::block(const Values &D, const std::vector<program::Ref> &Refs,
                      size_t Bytes, Part &Part, const Place &Up) {
  Place At{&Up, "params"};
  GOLDY_TRY(leaves(D, At));
  Places.clear();
  Part.Block.assign(std::max(Bytes, D.Bytes.size()), std::byte());
  if (!D.Bytes.empty())
    std::memcpy(Part.Block.data(), D.Bytes.data(), D.Bytes.size());
  std::vector<size_t> Holes = byPlace(D.Holes);
  size_t Next = 0;
  // The holes before byte `End`, of which none reaches beyond it.
  auto Take = [&](Number End, size_t &First) -> Status {
    First = Next;
    for (; Next < Holes.size() && D.Holes[Holes[Next]].At < End; ++Next) {
      const ValueHole &H = D.Holes[Holes[Next]];
      if (H.At + static_cast<Number>(program::widthBytes(H.Bits)) > End)
        return broken(LoadRule::BlockAddress,
                      onDevice(Place{&At, "holes", Holes[Next]}.text(),
                               L.deviceName(Now.Device)),
                      "it reaches into or out of a ref's bytes");
    }
    return Status();
  };
  auto Loose = [&](size_t First) -> Status {
    for (size_t I = First; I < Next; ++I)
      GOLDY_TRY(hole(D, Holes[I], Part, At));
    return Status();
  };
  size_t First = 0;
  for (size_t I : byPlace(Refs)) {
    GOLDY_TRY(Take(Refs[I].At, First));
    GOLDY_TRY(Loose(First));
    GOLDY_TRY(Take(Refs[I].At + 8, First));
    GOLDY_TRY(ref(D, I, Refs[I], std::span(Holes).subspan(First, Next - First),
                  Part, At));
  }
  GOLDY_TRY(Take(program::NumberMax, First));
  return Loose(First);
}
