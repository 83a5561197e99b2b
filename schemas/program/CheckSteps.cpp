//===- CheckSteps.cpp - Rules of submissions, moves and loops -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A submission's slots and fixed memory are read before its parts, since what
// may stand in a part depends on them. Nesting and the number of steps were
// checked with the numbers.
//
//===----------------------------------------------------------------------===//
#include "program/Checker.h"

#include "program/Numbers.h"

#include <algorithm>

using namespace goldy::program;

bool Checker::steps(const std::vector<Step> &List, const Place &Field,
                    unsigned Nesting) {
  for (size_t I = 0; I < List.size(); ++I) {
    Place At{Field.Up, Field.Field, I};
    ++StepNumber;
    Where = Context::Step;
    const Step &S = List[I];
    bool Good = false;
    if (const Submit *X = std::get_if<Submit>(&S.Kind))
      Good = submit(*X, At);
    else if (const Move *M = std::get_if<Move>(&S.Kind))
      Good = move(*M, At);
    else
      Good = loop(std::get<Loop>(S.Kind), At, Nesting + 1);
    if (!Good)
      return false;
  }
  return true;
}

//===-- Loops -------------------------------------------------------------===//

bool Checker::flag(const Flag &F, const Place &At) {
  if (!slot(F.Where, {&At, "slot"}))
    return false;
  std::optional<Number> Bytes = slotBytes(F.Where);
  if (F.At >= 0 && F.At < Bytes.value_or(NumberMax))
    return true;
  return fail(Rule::FlagRange, At,
              "byte " + std::to_string(F.At) +
                  (Bytes ? " of " + std::to_string(*Bytes) : ""));
}

bool Checker::loop(const Loop &L, const Place &At, unsigned Nesting) {
  if (L.Stop && !flag(*L.Stop, {&At, "flag"}))
    return false;
  Where = Context::Trips;
  LoopFlag = L.Stop ? &*L.Stop : nullptr;
  if (!value(L.Trips, {&At, "trips"}))
    return false;
  if (L.Trip && (*L.Trip < 0 || *L.Trip >= P.Ints))
    return fail(Rule::TripRange, {&At, "trip"},
                "int " + std::to_string(*L.Trip) + " of " +
                    std::to_string(P.Ints));
  if (!derived(L.Derived, At))
    return false;
  return steps(L.Body, {&At, "body"}, Nesting);
}

//===-- Ends of copies and moves ------------------------------------------===//

bool Checker::endRange(End &E, Number Length) {
  if (!constantOffset(E.Terms, E.At, E.Start))
    return false;
  if (!E.Start)
    return true;
  std::optional<Number> Bytes = slotBytes(E.Where);
  if (*E.Start >= 0 && *E.Start + Length <= Bytes.value_or(NumberMax))
    return true;
  return fail(Rule::EndRange, E.At,
              std::to_string(Length) + " bytes from byte " +
                  std::to_string(*E.Start) +
                  (Bytes ? " of " + std::to_string(*Bytes) : ""));
}

/// The same buffer: with the byte of it that each slot starts at.
static bool sameBuffer(const ProgramDesc &P, const Slot &A, const Slot &B,
                       Number &StartA, Number &StartB) {
  if (A.index() != B.index())
    return false;
  if (const InputSlot *I = std::get_if<InputSlot>(&A))
    return *I == std::get<InputSlot>(B);
  const View *V = std::get_if<View>(&A);
  if (!V)
    return true; // the ints
  const View &W = std::get<View>(B);
  StartA = V->Offset;
  StartB = W.Offset;
  if (V->Memory == W.Memory)
    return true;
  // Two memories may be one area of one rail.
  const Memory &M = P.Memories[static_cast<size_t>(V->Memory)];
  return std::holds_alternative<Rail>(M) &&
         M == P.Memories[static_cast<size_t>(W.Memory)];
}

bool Checker::overlap(const End &Src, const End &Dst, Number Length) const {
  Number A = 0, B = 0;
  if (!Src.Start || !Dst.Start || Length == 0 ||
      !sameBuffer(P, Src.Where, Dst.Where, A, B))
    return false;
  // Within 65 bits at most: in-range ends of known slots are below 2^62, and
  // those of inputs start at 0.
  A += *Src.Start;
  B += *Dst.Start;
  return A < B + Length && B < A + Length;
}

bool Checker::ends(End &Src, End &Dst, Number Length, const Place &At) {
  if (Length < 0)
    return fail(Rule::CopyLength, {&At, "length"},
                "the length " + std::to_string(Length));
  if (!offset(Src.Terms, Src.At) || !offset(Dst.Terms, Dst.At) ||
      !endRange(Src, Length) || !endRange(Dst, Length))
    return false;
  return !overlap(Src, Dst, Length) ||
         fail(Rule::EndOverlap, At,
              std::to_string(Length) + " bytes from byte " +
                  std::to_string(*Src.Start) + " of the source to byte " +
                  std::to_string(*Dst.Start) + " of the same buffer");
}

bool Checker::move(const Move &M, const Place &At) {
  if (!slot(M.Src, {&At, "src"}) || !slot(M.Dst, {&At, "dst"}))
    return false;
  End Src{M.Src, M.SrcOffset, {&At, "src_offset"}, {}};
  End Dst{M.Dst, M.DstOffset, {&At, "dst_offset"}, {}};
  return ends(Src, Dst, M.Length, At);
}

//===-- Parts -------------------------------------------------------------===//

bool Checker::useSlot(Number Slot, bool Unordered, const Place &At) {
  if (Slot < 0 || static_cast<size_t>(Slot) >= Now->Slots.size())
    return fail(Rule::SlotNumber, At,
                "slot " + std::to_string(Slot) + " of " +
                    std::to_string(Now->Slots.size()));
  uint8_t &Use = SlotUse[static_cast<size_t>(Slot)];
  uint8_t How = Unordered ? 2 : 1;
  if (Use && Use != How)
    return fail(Rule::SlotUnordered, At,
                "slot " + std::to_string(Slot) +
                    " is used both unordered and in order");
  Use = How;
  return true;
}

bool Checker::refs(const std::vector<Ref> &Refs, const Data<Value> &D,
                   const Place &At) {
  std::vector<std::pair<Number, size_t>> Order; // first byte, ref
  for (size_t I = 0; I < Refs.size(); ++I) {
    const Ref &R = Refs[I];
    Place Here{&At, "refs", I};
    if (!useSlot(R.Slot, R.How == Use::Unordered, Here))
      return false;
    if (R.At < 0 || static_cast<uint64_t>(R.At) + 8 > D.Bytes.size())
      return fail(Rule::RefRange, Here,
                  "byte " + std::to_string(R.At) + " of " +
                      std::to_string(D.Bytes.size()));
    Order.push_back({R.At, I});
  }
  std::ranges::sort(Order);
  for (size_t I = 1; I < Order.size(); ++I)
    if (Order[I - 1].first + 8 > Order[I].first)
      return fail(Rule::RefOverlap, {&At, "refs", Order[I].second},
                  "shares byte " + std::to_string(Order[I].first) +
                      " with refs[" + std::to_string(Order[I - 1].second) +
                      "]");
  return true;
}

bool Checker::params(const Data<Value> &D, const std::vector<Ref> &Refs,
                     const Place &At) {
  Place Here{&At, "params"};
  if (D.Bytes.size() % 4 != 0)
    return fail(Rule::ParamWords, Here,
                std::to_string(D.Bytes.size()) + " bytes");
  return holes(D, Here) && refs(Refs, D, At);
}

bool Checker::imageDevice(Number Image, const Place &At) {
  if (!index(Image, P.Images.size(), "images", At))
    return false;
  Number Device = P.Images[static_cast<size_t>(Image)].Device;
  return Device == Now->Device ||
         fail(Rule::ImageDevice, At,
              "image " + std::to_string(Image) + " is for device " +
                  std::to_string(Device));
}

bool Checker::words(const Words &W, const Place &At) {
  return view(W.Where, {&At, "view"});
}

bool Checker::fill(const Fill &F, const Place &At) {
  Place Here{&At, "fill"};
  const Entry *E = std::get_if<Entry>(&F.Function);
  if (!E && !std::holds_alternative<Ready>(F.Function))
    return fail(Rule::FillFunction, Here, "an address or a handle");
  return leaf(F.Function, Here) && (!E || imageDevice(E->Image, Here)) &&
         params(F.Params, F.Refs, At);
}

bool Checker::copy(const Copy &C, const Place &At) {
  if (!useSlot(C.Src, false, {&At, "src"}) ||
      !useSlot(C.Dst, false, {&At, "dst"}))
    return false;
  End Src{Now->Slots[static_cast<size_t>(C.Src)],
          C.SrcOffset,
          {&At, "src_offset"},
          {}};
  End Dst{Now->Slots[static_cast<size_t>(C.Dst)],
          C.DstOffset,
          {&At, "dst_offset"},
          {}};
  return ends(Src, Dst, C.Length, At);
}

bool Checker::geometryRange(const std::array<Value, 3> &Sizes, Number Least,
                            Number Most, const Place &At, const char *Field) {
  for (size_t I = 0; I < 3; ++I) {
    const Fixed *F = std::get_if<Fixed>(&Sizes[I]);
    if (F && (F->Value < Least || F->Value > Most))
      return fail(Rule::Geometry, {&At, Field, I},
                  std::to_string(F->Value) + " is not " +
                      std::to_string(Least) + " to " + std::to_string(Most));
  }
  return true;
}

bool Checker::geometry(const Launch &L, const Place &At) {
  for (size_t I = 0; I < 3; ++I)
    if (!value(L.Groups[I], {&At, "groups", I}) ||
        !value(L.Threads[I], {&At, "threads", I}))
      return false;
  const Fixed *Shared = std::get_if<Fixed>(&L.Shared);
  if (!value(L.Shared, {&At, "shared"}))
    return false;
  if (Shared && (Shared->Value < 0 || Shared->Value > UINT32_MAX))
    return fail(Rule::Geometry, {&At, "shared"},
                std::to_string(Shared->Value) + " bytes of workgroup memory");
  return geometryRange(L.Groups, 0, UINT32_MAX, At, "groups") &&
         geometryRange(L.Threads, 1, 1024, At, "threads");
}

bool Checker::launch(const Launch &L, const Place &At) {
  return imageDevice(L.Image, {&At, "image"}) && params(L.Params, L.Refs, At) &&
         geometry(L, At);
}

bool Checker::part(const Part &X, const Place &At) {
  if (const Words *W = std::get_if<Words>(&X))
    return words(*W, At);
  if (const Fill *F = std::get_if<Fill>(&X))
    return fill(*F, At);
  if (const Copy *C = std::get_if<Copy>(&X))
    return copy(*C, At);
  return launch(std::get<Launch>(X), At);
}

//===-- Submissions -------------------------------------------------------===//

bool Checker::slotUses(const Submit &S, const Place &At) {
  for (size_t I = 0; I < S.Slots.size(); ++I)
    if (!SlotUse[I])
      return fail(Rule::SlotUnused, {&At, "slots", I}, "nothing names it");
  return true;
}

bool Checker::submit(const Submit &S, const Place &At) {
  Now = &S;
  SlotUse.assign(S.Slots.size(), 0);
  if (!index(S.Device, P.Devices.size(), "devices", {&At, "device"}))
    return false;
  for (size_t I = 0; I < S.Slots.size(); ++I) {
    if (!slot(S.Slots[I], {&At, "slots", I}))
      return false;
    if (const View *V = std::get_if<View>(&S.Slots[I]))
      nameMemory(*V, false);
  }
  for (size_t I = 0; I < S.Fixed.size(); ++I) {
    if (!view(S.Fixed[I].Where, {&At, "fixed", I}))
      return false;
    nameMemory(S.Fixed[I].Where, true);
  }
  for (size_t I = 0; I < S.Parts.size(); ++I)
    if (const Words *W = std::get_if<Words>(&S.Parts[I])) {
      if (!words(*W, {&At, "parts", I}))
        return false;
      nameMemory(W->Where, false);
    }
  for (size_t I = 0; I < S.Parts.size(); ++I)
    if (!part(S.Parts[I], {&At, "parts", I}))
      return false;
  bool Good = slotUses(S, At) && submitOrder(S, At);
  Now = nullptr;
  return Good;
}
