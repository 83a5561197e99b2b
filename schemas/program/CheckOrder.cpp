//===- CheckOrder.cpp - Rules that keep work in order ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps are ordered by the memory that they name. Work that follows an address
// reaches memory that no list shows, so an address or handle may stand only
// where the step names the memory behind it.
//
//===----------------------------------------------------------------------===//
#include "program/Checker.h"

#include <algorithm>

using namespace goldy::program;

static uint64_t key(const ProgramDesc &P, Number Device, Number Memory) {
  return static_cast<uint64_t>(Device) * P.Memories.size() +
         static_cast<uint64_t>(Memory);
}

void Checker::nameMemory(const View &V, bool Fixes) {
  Naming &N = Names[static_cast<size_t>(V.Memory)];
  N.Named = StepNumber;
  if (!coversWhole(V))
    return;
  N.Whole = StepNumber;
  if (!Fixes)
    return;
  N.Fixed = StepNumber;
  FixedWhole.insert(key(P, Now->Device, V.Memory));
}

static bool hasTwo(const Memory &M) {
  const Alloc *A = std::get_if<Alloc>(&M);
  return A && A->Count == Copies::Two;
}

/// The sizes of memories may not be known yet here (Init): no view is looked
/// at.
bool Checker::address(const Address &A, const Place &At) {
  std::string What = "the address of memory " + std::to_string(A.Memory);
  size_t M = static_cast<size_t>(A.Memory), D = static_cast<size_t>(A.On);
  if (Where == Context::Image)
    return fail(Rule::ImageLeaf, At, What);
  if (Where == Context::Trips)
    return fail(Rule::TripsAddress, At, What);
  if (Where == Context::Init && !hasTwo(P.Memories[Owner]) &&
      hasTwo(P.Memories[M]))
    return fail(Rule::LeafCopies, At, What + ", which has two copies");
  if (Where == Context::Step &&
      (A.On != Now->Device || Names[M].Fixed != StepNumber))
    return fail(Rule::AddressFixed, At,
                What + (A.On != Now->Device
                            ? " on device " + std::to_string(A.On)
                            : ", which the step does not fix whole"));
  return !On || !On->Devices[D].HandleOnly ||
         fail(Rule::HandleOnly, At,
              What + " on `" + On->Devices[D].Name +
                  "`, which names memory by handle only");
}

bool Checker::handle(const Handle &H, const Place &At) {
  std::string What = "the handle of memory " + std::to_string(H.Memory);
  size_t M = static_cast<size_t>(H.Memory);
  if (Where == Context::Image)
    return fail(Rule::ImageLeaf, At, What);
  if (Where == Context::Init)
    return hasTwo(P.Memories[Owner]) || !hasTwo(P.Memories[M]) ||
           fail(Rule::LeafCopies, At, What + ", which has two copies");
  if (Where == Context::Step)
    return Names[M].Whole == StepNumber ||
           fail(Rule::HandleNamed, At,
                What + ", which the step does not name whole");
  const View *V = LoopFlag ? std::get_if<View>(&LoopFlag->Where) : nullptr;
  return (V && V->Memory == H.Memory && coversWhole(*V)) ||
         fail(Rule::TripsHandle, At,
              What + ", which the loop's flag does not name whole");
}

/// Keeps which other memories the first bytes of one point to.
void Checker::notePointers(size_t Memory, const Data<Leaf> &Init) {
  std::vector<size_t> &List = Others[Memory];
  for (const Hole<Leaf> &H : Init.Holes)
    for (const Term<Leaf> &T : H.Terms) {
      if (const Address *A = std::get_if<Address>(&T.What))
        List.push_back(static_cast<size_t>(A->Memory));
      if (const Handle *N = std::get_if<Handle>(&T.What))
        List.push_back(static_cast<size_t>(N->Memory));
    }
  std::ranges::sort(List);
  List.erase(std::unique(List.begin(), List.end()), List.end());
  std::erase(List, Memory);
}

bool Checker::namesPointers(Number Memory, const Place &At) {
  size_t M = static_cast<size_t>(Memory);
  if (Names[M].Pointers == StepNumber)
    return true;
  Names[M].Pointers = StepNumber;
  PointerWork += Others[M].size();
  if (PointerWork > limits::Pointers)
    return fail(Rule::WorkLimit, At,
                "more than " + std::to_string(limits::Pointers) + " times");
  for (size_t Other : Others[M])
    if (Names[Other].Whole != StepNumber)
      return fail(Rule::InitNamed, At,
                  "memory " + std::to_string(M) + " points to memory " +
                      std::to_string(Other) +
                      ", which the step does not name whole");
  return true;
}

bool Checker::submitOrder(const Submit &S, const Place &At) {
  for (size_t I = 0; I < S.Slots.size(); ++I)
    if (const View *V = std::get_if<View>(&S.Slots[I]))
      if (!namesPointers(V->Memory, {&At, "slots", I}))
        return false;
  for (size_t I = 0; I < S.Fixed.size(); ++I)
    if (!namesPointers(S.Fixed[I].Where.Memory, {&At, "fixed", I}))
      return false;
  for (size_t I = 0; I < S.Parts.size(); ++I)
    if (const Words *W = std::get_if<Words>(&S.Parts[I]))
      if (!namesPointers(W->Where.Memory, {&At, "parts", I}))
        return false;
  return true;
}

/// After all steps: every address in first bytes has a submit behind it.
bool Checker::initAddresses() {
  for (size_t M = 0; M < P.Memories.size(); ++M) {
    const Alloc *A = std::get_if<Alloc>(&P.Memories[M]);
    Place At{nullptr, "memory", M}, Init{&At, "init"};
    for (size_t I = 0; A && I < A->Init.Holes.size(); ++I)
      for (const Term<Leaf> &T : A->Init.Holes[I].Terms) {
        const Address *X = std::get_if<Address>(&T.What);
        if (X && !FixedWhole.contains(key(P, X->On, X->Memory)))
          return fail(Rule::InitFixed, {&Init, "holes", I},
                      "the address of memory " + std::to_string(X->Memory) +
                          " on device " + std::to_string(X->On) +
                          ", where no submit fixes it whole");
      }
  }
  return true;
}
