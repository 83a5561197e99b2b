//===- RunWords.cpp - Words of a run, and what they must keep -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the recipes of a step, and refuses the step before any of it has
// started.
//
//===----------------------------------------------------------------------===//
#include "program/Run.h"

#include "core/Checked.h"
#include "program/Numbers.h"

using namespace goldy;
using namespace goldy::rt;

/// Words of the ints are 64 bits of memory; a number has the low 63.
Number Runner::intAt(uint32_t Word) const { return program::wrap(Ints[Word]); }

Number Runner::number(const PlanValue &V) const {
  return V.isInt() ? intAt(V.Word) : V.Constant[Copy];
}

//===-- Words -------------------------------------------------------------===//

Status Runner::words(uint32_t Step, uint32_t Device, Range Words) {
  for (uint32_t I = Words.First; I < Words.end(); ++I)
    GOLDY_TRY(word(Step, Device, I));
  return Status();
}

Status Runner::word(uint32_t Step, uint32_t Device, uint32_t Number) {
  const WordPlan &W = P.Words[Number];
  switch (W.Kind) {
  case WordKind::Block:
    return block(Step, Device, W, S.Table[Number]);
  case WordKind::Sum:
    return sum(Step, W, S.Table[Number]);
  case WordKind::Int:
    S.Table[Number] = static_cast<uint64_t>(intAt(W.Input));
    break;
  }
  return Status();
}

/// False if the value meets a set bit.
bool Runner::oneInt(const OneIntWord &W) {
  Number Sum = program::wrapMulAdd(W.Sum, intAt(W.Int), W.Factor);
  uint64_t Word = (static_cast<uint64_t>(Sum) >> W.Shift & W.Mask) << W.Place;
  S.Table[W.Word] = (W.Bits | Word) + W.Address;
  return !(W.Bits & Word);
}

Status Runner::block(uint32_t Step, uint32_t Device, const WordPlan &W,
                     uint64_t &Out) {
  uint64_t Bits = W.Bits[Copy];
  for (const HolePlan &H : elements(P.Holes, W.List)) {
    Number Sum = H.Sum[Copy];
    for (const IntTerm &T : elements(P.Terms, H.Terms))
      Sum = program::wrapMulAdd(Sum, intAt(T.Word), T.Factor);
    uint64_t Word = program::holeWord(Sum, 0, H.Shift, H.Bits);
    if (Bits & (Word << H.Place))
      return brokenHole(place(Step, W.Part, Device) + ", byte " +
                            std::to_string(W.At + H.Place / 8) +
                            " of its parameters",
                        Word);
    Bits |= Word << H.Place;
  }
  Out = Bits + (W.Input != NoIndex ? S.InputAddresses[Device][W.Input]
                                   : W.Address[Copy]);
  return Status();
}

Status Runner::sum(uint32_t Step, const WordPlan &W, uint64_t &Out) {
  Number Sum = 0;
  for (const IntTerm &T : elements(P.Terms, W.List)) {
    std::optional<Number> Next = program::exactMul(
        T.Word == NoIndex ? T.Value : intAt(T.Word), T.Factor);
    Next = Next ? program::exactAdd(Sum, *Next) : Next;
    if (!Next)
      return broken(LoadRule::RunOffset, place(Step, W.Part),
                    W.Source ? "the source's offset"
                             : "the destination's offset");
    Sum = *Next;
  }
  Out = static_cast<uint64_t>(Sum);
  return Status();
}

//===-- Checks ------------------------------------------------------------===//

Reached Runner::reached(const SubmitPlan &X, const ViewCheck &V) const {
  Reached R{V.Offset, V.Length};
  if (V.OffsetWord != NoIndex) {
    const WordPlan &W = P.Words[X.Words.First + V.OffsetWord];
    R.Offset = S.Table[X.Words.First + V.OffsetWord] -
               (W.Input != NoIndex ? S.InputAddresses[X.Device][W.Input]
                                   : W.Address[Copy]);
  }
  if (V.LengthWord != NoIndex)
    R.Length = static_cast<uint32_t>(S.Table[X.Words.First + V.LengthWord]);
  return R;
}

Status Runner::view(uint32_t Step, const SubmitPlan &X, const ViewCheck &V) {
  Reached R = reached(X, V);
  uint64_t Bytes = bytesOf(V.Where);
  if (viewFits(V, R, Bytes))
    return Status();
  return broken(LoadRule::RunView, place(Step, V.Part, X.Device),
                viewFault(V, R, Bytes));
}

Status Runner::share(uint32_t Step, const SubmitPlan &X, const ShareCheck &C) {
  if (identity(C.A.Where) != identity(C.B.Where) ||
      !viewsShare(C.A, reached(X, C.A), C.B, reached(X, C.B)))
    return Status();
  return broken(LoadRule::RunViewsShare, place(Step, C.A.Part, X.Device),
                shareFault(C.A, C.B));
}

uint64_t Runner::startOf(uint32_t FirstWord, const EndPlan &E) const {
  return E.Word == NoIndex ? E.Start : S.Table[FirstWord + E.Word];
}

Status Runner::end(uint32_t Step, const CopyCheck &C, const EndPlan &E,
                   uint64_t Start) const {
  // A negative one is past every end.
  if (rangeFits(Start, C.Length, bytesOf(E.Where)))
    return Status();
  return broken(LoadRule::RunEnd, place(Step, C.Part),
                std::to_string(C.Length) + " bytes from byte " +
                    std::to_string(static_cast<int64_t>(Start)) + " of " +
                    std::to_string(bytesOf(E.Where)) + " of the " +
                    (&E == &C.Src ? "source" : "destination"));
}

Status Runner::copy(uint32_t Step, uint32_t FirstWord, const CopyCheck &C) {
  uint64_t Src = startOf(FirstWord, C.Src), Dst = startOf(FirstWord, C.Dst);
  GOLDY_TRY(end(Step, C, C.Src, Src));
  GOLDY_TRY(end(Step, C, C.Dst, Dst));
  if (!overlap(C, Src, Dst))
    return Status();
  return broken(LoadRule::RunOverlap, place(Step, C.Part),
                std::to_string(C.Length) + " bytes from byte " +
                    std::to_string(Src) + " of the source to byte " +
                    std::to_string(Dst) + " of the same buffer");
}

/// The buffer that a name stands for in this run.
const void *Runner::identity(const Named &N) const {
  if (N.Input != NoIndex)
    return S.Inputs[N.Input].get();
  const MemoryCopy &M = L.Memories[N.Memory].of(Copy);
  return M.Host ? static_cast<const void *>(M.Host) : &M;
}

bool Runner::overlap(const CopyCheck &C, uint64_t Src, uint64_t Dst) const {
  if (!C.Length || identity(C.Src.Where) != identity(C.Dst.Where))
    return false;
  Src += C.Src.Where.Offset;
  Dst += C.Dst.Where.Offset;
  return Src < Dst + C.Length && Dst < Src + C.Length;
}

Status Runner::grid(uint32_t Step, const SubmitPlan &X, const GridCheck &G) {
  std::array<Number, 3> Groups, Threads;
  for (size_t D = 0; D < 3; ++D) {
    Groups[D] = number(G.Groups[D]);
    Threads[D] = number(G.Threads[D]);
  }
  std::string Why = gridFault(Groups, Threads, number(G.Shared), G.Group);
  if (Why.empty())
    return Status();
  return broken(LoadRule::RunGrid, place(Step, G.Part, X.Device), Why);
}
