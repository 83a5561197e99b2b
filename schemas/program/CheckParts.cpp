//===- CheckParts.cpp - Indices, views, holes, values, offsets ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules of what stands in many places of a description. Numbers are known to
// have 63 bits, so a sum of two is one of 64.
//
//===----------------------------------------------------------------------===//
#include "program/Checker.h"

#include "program/Numbers.h"

#include <algorithm>

using namespace goldy::program;

bool Checker::index(Number N, size_t Count, const char *List, const Place &At) {
  if (N >= 0 && static_cast<uint64_t>(N) < Count)
    return true;
  return fail(Rule::IndexRange, At,
              std::to_string(N) + " is not one of the " +
                  std::to_string(Count) + " " + List);
}

bool Checker::size(Number N, const Place &At) {
  return N >= 0 ||
         fail(Rule::NegativeSize, At, "the size " + std::to_string(N));
}

//===-- Memory ------------------------------------------------------------===//

std::optional<Number> Checker::memoryBytes(Number Memory) const {
  const program::Memory &M = P.Memories[static_cast<size_t>(Memory)];
  if (const Alloc *A = std::get_if<Alloc>(&M))
    return A->Bytes;
  const Rail &R = std::get<Rail>(M);
  if (!On)
    return std::nullopt;
  return RailEnds.at(R.Id)->Bytes[static_cast<size_t>(R.Which)];
}

std::optional<Number> Checker::slotBytes(const Slot &S) const {
  if (const View *V = std::get_if<View>(&S))
    return V->Length;
  if (std::holds_alternative<IntsSlot>(S))
    return P.Ints * 8;
  return std::nullopt;
}

bool Checker::coversWhole(const View &V) const {
  std::optional<Number> Bytes = memoryBytes(V.Memory);
  return V.Offset == 0 && (!Bytes || V.Length == *Bytes);
}

bool Checker::view(const View &V, const Place &At) {
  if (!index(V.Memory, P.Memories.size(), "memories", {&At, "memory"}) ||
      !size(V.Length, {&At, "length"}))
    return false;
  std::optional<Number> Bytes = memoryBytes(V.Memory);
  if (V.Offset >= 0 && V.Offset + V.Length <= Bytes.value_or(NumberMax))
    return true;
  return fail(Rule::ViewRange, At,
              std::to_string(V.Length) + " bytes from byte " +
                  std::to_string(V.Offset) + " of memory " +
                  std::to_string(V.Memory) +
                  (Bytes ? ", which has " + std::to_string(*Bytes) : ""));
}

bool Checker::slot(const Slot &S, const Place &At) {
  if (const View *V = std::get_if<View>(&S))
    return view(*V, At);
  if (const InputSlot *I = std::get_if<InputSlot>(&S))
    return index(I->Which, P.Inputs.size(), "inputs", At);
  return true;
}

//===-- Leaves and values -------------------------------------------------===//

bool Checker::leaf(const Leaf &L, const Place &At) {
  if (const Address *A = std::get_if<Address>(&L))
    return index(A->Memory, P.Memories.size(), "memories", At) &&
           index(A->On, P.Devices.size(), "devices", At) && address(*A, At);
  if (const Handle *H = std::get_if<Handle>(&L))
    return index(H->Memory, P.Memories.size(), "memories", At) &&
           handle(*H, At);
  if (const Ready *R = std::get_if<Ready>(&L))
    return !On || RailEnds.contains(R->Rail) ||
           fail(Rule::RailGiven, At,
                "ready of rail " + std::to_string(R->Rail));
  const Entry &E = std::get<Entry>(L);
  if (!index(E.Image, P.Images.size(), "images", At))
    return false;
  if (Where != Context::Image || static_cast<size_t>(E.Image) < Owner)
    return true;
  return fail(Rule::EntryOrder, At,
              "an entry of image " + std::to_string(E.Image) + " in image " +
                  std::to_string(Owner));
}

bool Checker::value(const Value &V, const Place &At) {
  if (const Leaf *L = std::get_if<Leaf>(&V))
    return leaf(*L, At);
  const IntWord *I = std::get_if<IntWord>(&V);
  if (!I || (I->Word >= 0 && I->Word < P.Ints))
    return true;
  return fail(Rule::IntRange, At,
              "int " + std::to_string(I->Word) + " of " +
                  std::to_string(P.Ints));
}

//===-- Holes -------------------------------------------------------------===//

template <class T> bool Checker::holeShapes(const Data<T> &D, const Place &At) {
  std::vector<std::pair<Number, size_t>> Order; // first byte, hole
  for (size_t I = 0; I < D.Holes.size(); ++I) {
    const Hole<T> &H = D.Holes[I];
    Place Here{&At, "holes", I};
    Number End = H.At + static_cast<Number>(widthBytes(H.Bits));
    if (H.At < 0 || static_cast<uint64_t>(End) > D.Bytes.size())
      return fail(Rule::HoleRange, Here,
                  std::to_string(widthBytes(H.Bits)) + " bytes at byte " +
                      std::to_string(H.At) + " of " +
                      std::to_string(D.Bytes.size()));
    if (H.Shift < 0 || H.Shift > 62)
      return fail(Rule::HoleShift, Here, "shift " + std::to_string(H.Shift));
    Order.push_back({H.At, I});
  }
  std::ranges::sort(Order);
  for (size_t I = 1; I < Order.size(); ++I) {
    const Hole<T> &Before = D.Holes[Order[I - 1].second];
    if (Before.At + static_cast<Number>(widthBytes(Before.Bits)) >
        Order[I].first)
      return fail(Rule::HoleOverlap, {&At, "holes", Order[I].second},
                  "shares byte " + std::to_string(Order[I].first) +
                      " with holes[" + std::to_string(Order[I - 1].second) +
                      "]");
  }
  return true;
}

template <class T> bool Checker::holes(const Data<T> &D, const Place &At) {
  if (!holeShapes(D, At))
    return false;
  for (size_t I = 0; I < D.Holes.size(); ++I) {
    Place Here{&At, "holes", I};
    for (size_t K = 0; K < D.Holes[I].Terms.size(); ++K)
      if (!holeTerm(D.Holes[I].Terms[K].What, {&Here, "terms", K}))
        return false;
  }
  return true;
}
template bool Checker::holes(const Data<Leaf> &, const Place &);
template bool Checker::holes(const Data<Value> &, const Place &);

/// The wrapped sum of constant terms; none if a term is not constant.
static std::optional<Number>
constantSum(const std::vector<Term<Value>> &Terms) {
  Number Sum = 0;
  for (const Term<Value> &T : Terms) {
    const Fixed *F = std::get_if<Fixed>(&T.What);
    if (!F)
      return std::nullopt;
    Sum = wrapMulAdd(Sum, F->Value, T.Factor);
  }
  return Sum;
}
static std::optional<Number> constantSum(const std::vector<Term<Leaf>> &Terms) {
  return Terms.empty() ? std::optional<Number>(0) : std::nullopt;
}

namespace {
/// Finds the first hole of constants that meets a set bit.
class ConstantHoles {
public:
  explicit ConstantHoles(const ProgramDesc &P) : P(P) {}

  std::optional<Refusal> run() {
    for (size_t I = 0; I < P.Images.size(); ++I)
      in(P.Images[I].Binary, {nullptr, "images", I}, "binary");
    for (size_t I = 0; I < P.Memories.size(); ++I)
      if (const Alloc *A = std::get_if<Alloc>(&P.Memories[I]))
        in(A->Init, {nullptr, "memory", I}, "init");
    steps(P.Steps, {nullptr, "steps"});
    return std::move(Found);
  }

private:
  template <class T>
  void in(const Data<T> &D, const Place &Up, const char *Field) {
    Place At{&Up, Field};
    for (size_t I = 0; I < D.Holes.size() && !Found; ++I) {
      const Hole<T> &H = D.Holes[I];
      std::optional<Number> Sum = constantSum(H.Terms);
      if (!Sum)
        continue;
      std::string Word =
          D.Bytes.substr(static_cast<size_t>(H.At), widthBytes(H.Bits));
      uint64_t Value = holeWord(*Sum, H.Add, H.Shift, H.Bits);
      if (!fillHole(Word, Value))
        refuse(Value, Place{&At, "holes", I}.text());
    }
  }
  void refuse(uint64_t Value, const std::string &Where) {
    const RuleInfo &R = ruleInfo(Rule::HoleBits);
    Found = Refusal{Rule::HoleBits, Where,
                    Where + ": the value " + std::to_string(Value) +
                        " over set bits; rule " + R.Number + ": " + R.Sentence};
  }
  void steps(const std::vector<Step> &List, const Place &Field) {
    for (size_t I = 0; I < List.size() && !Found; ++I) {
      Place At{Field.Up, Field.Field, I};
      if (const Loop *L = std::get_if<Loop>(&List[I].Kind))
        steps(L->Body, {&At, "body"});
      if (const Submit *S = std::get_if<Submit>(&List[I].Kind))
        parts(*S, At);
    }
  }
  void parts(const Submit &S, const Place &Step) {
    for (size_t I = 0; I < S.Parts.size(); ++I) {
      Place At{&Step, "parts", I};
      if (const Launch *L = std::get_if<Launch>(&S.Parts[I]))
        in(L->Params, At, "params");
      if (const Fill *F = std::get_if<Fill>(&S.Parts[I]))
        in(F->Params, At, "params");
    }
  }

  const ProgramDesc &P;
  std::optional<Refusal> Found;
};
} // namespace

std::optional<Refusal>
goldy::program::checkConstantHoles(const ProgramDesc &P) {
  return ConstantHoles(P).run();
}

//===-- Offsets -----------------------------------------------------------===//

SumState goldy::program::sumOffset(const Offset &O, Number &Sum) {
  for (const Term<Value> &T : O)
    if (!std::holds_alternative<Fixed>(T.What))
      return SumState::ReadsInt;
  Sum = 0;
  for (const Term<Value> &T : O) {
    std::optional<Number> Product =
        exactMul(std::get<Fixed>(T.What).Value, T.Factor);
    std::optional<Number> Next = Product ? exactAdd(Sum, *Product) : Product;
    if (!Next)
      return SumState::Past;
    Sum = *Next;
  }
  return SumState::Constant;
}

bool Checker::offset(const Offset &O, const Place &At) {
  for (size_t I = 0; I < O.size(); ++I) {
    Place Here{At.Up, At.Field, I};
    if (std::holds_alternative<Leaf>(O[I].What))
      return fail(Rule::OffsetLeaf, Here, "a leaf among the terms");
    if (!value(O[I].What, Here))
      return false;
  }
  return true;
}

bool Checker::constantOffset(const Offset &O, const Place &At,
                             std::optional<Number> &Out) {
  Number Sum = 0;
  SumState State = sumOffset(O, Sum);
  if (State == SumState::Past)
    return fail(Rule::OffsetExact, At, "the sum of the terms");
  if (State == SumState::Constant)
    Out = Sum;
  return true;
}
