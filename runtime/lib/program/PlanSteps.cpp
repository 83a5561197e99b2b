//===- PlanSteps.cpp - Submissions, moves and loops of a plan -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A move between buffers that one device reaches is a submission of one copy.
//
//===----------------------------------------------------------------------===//
#include "program/Planner.h"

#include "program/Numbers.h"

using namespace goldy;
using namespace goldy::rt;
using program::Place;

template <class T> static uint32_t sizeOf(const std::vector<T> &List) {
  return static_cast<uint32_t>(List.size());
}

std::string Plan::placeOf(uint32_t Step) const {
  const StepPlan &S = Steps[Step];
  std::string Text = S.Up == NoIndex ? "steps" : placeOf(S.Up) + ".body";
  return Text + "[" + std::to_string(S.Number) + "]";
}

Status Planner::run() {
  Watches.run();
  SeenUses.assign(P.Watches.size(), NoIndex);
  return steps(Desc.Steps, {nullptr, "steps"}, NoIndex);
}

Status Planner::steps(const std::vector<program::Step> &List,
                      const Place &Field, uint32_t Up) {
  for (size_t I = 0; I < List.size(); ++I) {
    uint32_t Number = sizeOf(P.Steps);
    StepPlan &S = P.Steps.emplace_back();
    S.Up = Up;
    S.Number = static_cast<uint32_t>(I);
    Status R = step(List[I], Number, {Field.Up, Field.Field, I});
    if (!R.ok()) {
      // What is wrong with an earlier step is told first.
      GOLDY_TRY(prepareWaiting());
      return R;
    }
    P.Steps[Number].Next = sizeOf(P.Steps);
  }
  return prepareWaiting();
}

Status Planner::step(const program::Step &S, uint32_t Number, const Place &At) {
  if (const program::Submit *X = std::get_if<program::Submit>(&S.Kind))
    return submit(*X, Number, At);
  GOLDY_TRY(prepareWaiting());
  if (const program::Loop *X = std::get_if<program::Loop>(&S.Kind))
    return loop(*X, Number, At);
  return move(std::get<program::Move>(S.Kind), Number, At);
}

//===-- Loops -------------------------------------------------------------===//

Status Planner::loop(const program::Loop &X, uint32_t Number, const Place &At) {
  P.Steps[Number].Kind = StepKind::Loop;
  P.Steps[Number].Which = sizeOf(P.Loops);
  LoopPlan Loop;
  if (const program::Leaf *Leaf = std::get_if<program::Leaf>(&X.Trips))
    GOLDY_TRY(checkLeaf(L, *Leaf, {&At, "trips"}));
  Now.Device = 0;
  Loop.Trips = value(X.Trips);
  if (X.Trip)
    Loop.Trip = static_cast<uint32_t>(*X.Trip);
  if (X.Stop) {
    Loop.Flag = namedBy(L, X.Stop->Where);
    Loop.FlagAt = static_cast<uint64_t>(X.Stop->At);
    Loop.FlagWatch = Watches.of(Loop.Flag);
  }
  Loop.Derived = X.Derived;
  P.Loops.push_back(std::move(Loop));
  return steps(X.Body, {&At, "body"}, Number);
}

//===-- What a submission names -------------------------------------------===//

void Planner::begin(uint32_t Device) {
  Now = SubmitPlan();
  Now.Device = Device;
  Now.Copies.First = sizeOf(P.Copies);
  Now.Grids.First = sizeOf(P.Grids);
  Now.Views.First = sizeOf(P.Views);
  Now.Shares.First = sizeOf(P.Shares);
  Now.InputShares.First = sizeOf(P.InputShares);
  Now.Uses.First = sizeOf(P.Uses);
  Now.Words.First = PassFirst = sizeOf(P.Words);
  Now.Names.First = sizeOf(P.PartNames);
  Slots.clear();
  Fixed.clear();
  FixedWritten.clear();
}

/// That work of the step uses `N`; once for each watched thing.
void Planner::use(const Named &N, bool Written) {
  if (N.Memory != NoIndex)
    Now.NamesCopies |= L.Memories[N.Memory].Copies.size() == 2;
  uint32_t Watch = Watches.of(N);
  if (Watch == NoIndex)
    return;
  uint32_t &Seen = SeenUses[Watch];
  if (Seen == NoIndex || Seen < Now.Uses.First) {
    Seen = sizeOf(P.Uses);
    P.Uses.push_back({Watch, false});
  }
  P.Uses[Seen].Written |= Written;
}

Status Planner::reach(const Named &N, const Place &At) {
  std::pair<uint32_t, uint32_t> Other(Now.Device, N.Input);
  if (N.Input != NoIndex && L.Inputs[N.Input].Device != Now.Device &&
      BorrowedInputs.insert(Other).second)
    P.Borrowed.push_back(Other);
  if (N.Memory != NoIndex)
    return reachMemory(L, N.Memory, Now.Device, At);
  return Status();
}

/// Slots, fixed memory and command words, on the step's device.
Status Planner::reachAll(const program::Submit &X, const Place &At) {
  for (size_t I = 0; I < X.Slots.size(); ++I) {
    Slots.push_back(namedBy(L, X.Slots[I]));
    GOLDY_TRY(reach(Slots.back(), {&At, "slots", I}));
  }
  for (size_t I = 0; I < X.Fixed.size(); ++I) {
    Fixed.push_back(namedBy(L, X.Fixed[I].Where));
    FixedWritten.push_back(X.Fixed[I].How == program::Access::ReadWrite);
    GOLDY_TRY(reach(Fixed.back(), {&At, "fixed", I}));
    use(Fixed.back(), FixedWritten.back());
  }
  for (size_t I = 0; I < X.Parts.size(); ++I)
    if (const program::Words *W = std::get_if<program::Words>(&X.Parts[I])) {
      GOLDY_TRY(reach(namedBy(L, W->Where), {&At, "parts", I}));
      use(namedBy(L, W->Where), false);
    }
  return Status();
}

MemoryUse Planner::useOf(const Named &N, bool Written) const {
  MemoryUse U;
  U.Offset = N.Offset;
  U.Bytes = N.Input == NoIndex ? N.Bytes : AllBytes;
  U.Written = Written;
  if (N.Input != NoIndex)
    U.RunMemory = N.Input;
  else
    U.Memory = memoryOn(L, N.Memory, Now.Device, Copy);
  return U;
}

//===-- Submissions -------------------------------------------------------===//

namespace {
/// The sizes of the lists that a pass over a submission adds to.
struct Sizes {
  explicit Sizes(const Plan &P)
      : Words(P.Words.size()), Holes(P.Holes.size()), Terms(P.Terms.size()),
        Copies(P.Copies.size()), Grids(P.Grids.size()), Views(P.Views.size()),
        Shares(P.Shares.size()), InputShares(P.InputShares.size()) {}
  void restore(Plan &P) const {
    P.Words.resize(Words);
    P.Holes.resize(Holes);
    P.Terms.resize(Terms);
    P.Copies.resize(Copies);
    P.Grids.resize(Grids);
    P.Views.resize(Views);
    P.Shares.resize(Shares);
    P.InputShares.resize(InputShares);
  }
  size_t Words, Holes, Terms, Copies, Grids, Views, Shares, InputShares;
};
} // namespace

bool Planner::isOneInt(const WordPlan &W, OneIntWord &Out) const {
  if (W.Kind == WordKind::Int) {
    Out.Int = W.Input;
    return true;
  }
  if (W.Kind != WordKind::Block || W.Input != NoIndex || W.List.Count != 1)
    return false;
  const HolePlan &H = P.Holes[W.List.First];
  bool Alike = H.Sum[0] == H.Sum[1] && W.Bits[0] == W.Bits[1] &&
               W.Address[0] == W.Address[1];
  if (!Alike || H.Terms.Count != 1)
    return false;
  const IntTerm &T = P.Terms[H.Terms.First];
  Out = {0,
         T.Word,
         T.Factor,
         H.Sum[0],
         W.Bits[0],
         W.Address[0],
         H.Bits == program::Width::W32 ? UINT32_MAX : UINT64_MAX,
         H.Shift,
         H.Place};
  return true;
}

/// Finds the words that ints change or that differ between the copies.
void Planner::findChanging() {
  Now.Changing.First = sizeOf(P.Changing);
  Now.OneInts.First = sizeOf(P.OneInts);
  for (uint32_t I = Now.Words.First; I < P.Words.size(); ++I) {
    const WordPlan &W = P.Words[I];
    bool OfInput = W.Kind == WordKind::Block && W.Input != NoIndex &&
                   !W.List.Count && W.Bits[0] == W.Bits[1];
    OneIntWord One;
    if (OfInput)
      continue;
    if (!isOneInt(W, One)) {
      P.Changing.push_back(I);
      continue;
    }
    One.Word = I;
    P.OneInts.push_back(One);
  }
  Now.Changing.Count = sizeOf(P.Changing) - Now.Changing.First;
  Now.OneInts.Count = sizeOf(P.OneInts) - Now.OneInts.First;
}

/// Runs `Fill`, which describes the submission, for each copy.
template <class Fill> Status Planner::describe(Fill F) {
  for (Copy = 0; Copy < (Now.NamesCopies ? 2 : 1); ++Copy) {
    Sizes Before(P);
    PassFirst = sizeOf(P.Words);
    Out = SubmissionDesc();
    Out.Timed = L.Times && L.Devices[Now.Device]->facts().Clock;
    GOLDY_TRY(F());
    Out.Words = sizeOf(P.Words) - PassFirst;
    Out.Memories = sizeOf(L.Inputs);
    if (Copy == 1)
      Before.restore(P);
    Described[Copy] = std::move(Out);
  }
  Now.Parts = sizeOf(Described[0].Parts);
  Now.Words.Count = sizeOf(P.Words) - Now.Words.First;
  Now.Copies.Count = sizeOf(P.Copies) - Now.Copies.First;
  Now.Grids.Count = sizeOf(P.Grids) - Now.Grids.First;
  Now.Views.Count = sizeOf(P.Views) - Now.Views.First;
  Now.Shares.Count = sizeOf(P.Shares) - Now.Shares.First;
  Now.InputShares.Count = sizeOf(P.InputShares) - Now.InputShares.First;
  findChanging();
  Now.Uses.Count = sizeOf(P.Uses) - Now.Uses.First;
  return Status();
}

/// The slots that a part names.
void Planner::useSlots(const program::Part &X) {
  if (const program::Launch *Launch = std::get_if<program::Launch>(&X))
    useRefs(Launch->Refs);
  if (const program::Fill *F = std::get_if<program::Fill>(&X))
    useRefs(F->Refs);
  if (const program::Copy *C = std::get_if<program::Copy>(&X)) {
    use(Slots[static_cast<size_t>(C->Src)], false);
    use(Slots[static_cast<size_t>(C->Dst)], true);
  }
}

void Planner::useRefs(const std::vector<program::Ref> &Refs) {
  for (const program::Ref &R : Refs)
    use(Slots[static_cast<size_t>(R.Slot)], R.How != program::Use::Read);
}

Status Planner::submit(const program::Submit &X, uint32_t Number,
                       const Place &At) {
  P.Steps[Number].Which = sizeOf(P.Submits);
  begin(static_cast<uint32_t>(X.Device));
  Now.StepPoint = P.SubmitSteps++;
  GOLDY_TRY(reachAll(X, At));
  for (const program::Part &Y : X.Parts)
    useSlots(Y);
  GOLDY_TRY(describe([&] { return parts(X, At); }));
  return prepareLater(Number);
}

Status Planner::parts(const program::Submit &X, const Place &At) {
  Now.OwnParts = X.Parts.size() > 1;
  for (size_t I = 0; I < X.Parts.size(); ++I) {
    size_t Before = Out.Parts.size();
    GOLDY_TRY(part(X.Parts[I], {&At, "parts", I}));
    if (Out.Parts.size() > Before)
      namePart(X.Parts[I]);
    Now.OwnParts &= Out.Parts.size() == I + 1; // none that has nothing to do
  }
  return Status();
}

/// Names the part that was described last, once for all copies.
void Planner::name(uint32_t Number, const std::string &Name) {
  if (!L.Times || Copy)
    return;
  P.PartNames.push_back({Number, Name});
  ++Now.Names.Count;
}

void Planner::namePart(const program::Part &X) {
  if (const program::Launch *Launch = std::get_if<program::Launch>(&X))
    name(PartNumber, Launch->Name);
  else if (const program::Fill *F = std::get_if<program::Fill>(&X))
    name(PartNumber, std::holds_alternative<program::Entry>(F->Function)
                         ? std::get<program::Entry>(F->Function).Name
                         : "ready");
  else
    name(PartNumber,
         std::holds_alternative<program::Copy>(X) ? "copy" : "words");
}

Status Planner::part(const program::Part &X, const Place &At) {
  PartNumber = static_cast<uint32_t>(At.Index);
  if (const program::Fill *F = std::get_if<program::Fill>(&X))
    return fill(*F, At);
  if (const program::Words *W = std::get_if<program::Words>(&X))
    words(*W);
  else if (const program::Copy *C = std::get_if<program::Copy>(&X))
    copy(*C, At);
  else
    return launch(std::get<program::Launch>(X), At);
  return Status();
}

void Planner::words(const program::Words &X) {
  Part Words;
  Words.Kind = PartKind::Words;
  Words.Uses.push_back(useOf(namedBy(L, X.Where), false));
  for (const Named &N : Slots)
    Words.Uses.push_back(useOf(N, true));
  for (size_t I = 0; I < Fixed.size(); ++I)
    Words.Uses.push_back(useOf(Fixed[I], FixedWritten[I]));
  Out.Parts.push_back(std::move(Words));
}

//===-- Copies and moves --------------------------------------------------===//

/// An end's offset: a constant, or a word of the run.
EndPlan Planner::end(const Named &Where, const program::Offset &O,
                     bool Source) {
  EndPlan Out;
  Out.Where = Where;
  WordPlan Sum;
  Sum.Kind = WordKind::Sum;
  Sum.Source = Source;
  Sum.List.First = sizeOf(P.Terms);
  Number Constant = 0;
  bool Moves = false;
  for (const program::Term<program::Value> &T : O) {
    PlanValue V = value(T.What);
    Moves |= V.isInt();
    P.Terms.push_back({V.Word, V.Constant[0], T.Factor});
    Constant = program::wrapMulAdd(Constant, V.Constant[0], T.Factor);
  }
  if (!Moves) {
    // Exact and inside, as the check has seen.
    P.Terms.resize(Sum.List.First);
    Out.Start = static_cast<uint64_t>(Constant);
    return Out;
  }
  Sum.List.Count = sizeOf(P.Terms) - Sum.List.First;
  Out.Word = addWord(Sum);
  return Out;
}

/// Whether a run must look: an end moves, an input may be too short, or two
/// inputs be one buffer.
bool Planner::needsCheck(const CopyCheck &C) const {
  for (const EndPlan *E : {&C.Src, &C.Dst})
    if (E->Word != NoIndex ||
        (E->Where.Input != NoIndex && E->Start + C.Length > E->Where.Bytes))
      return true;
  return C.Src.Where.Input != NoIndex && C.Dst.Where.Input != NoIndex;
}

void Planner::copy(const program::Copy &X, const Place &At) {
  CopyCheck C;
  C.Part = static_cast<uint32_t>(At.Index);
  C.Length = static_cast<uint64_t>(X.Length);
  C.Src = end(Slots[static_cast<size_t>(X.Src)], X.SrcOffset, true);
  C.Dst = end(Slots[static_cast<size_t>(X.Dst)], X.DstOffset, false);
  copyPart(C);
}

void Planner::copyPart(const CopyCheck &C) {
  Part Copy;
  Copy.Kind = PartKind::Copy;
  for (const EndPlan *E : {&C.Src, &C.Dst}) {
    MemoryUse U = useOf(E->Where, E == &C.Dst);
    U.Offset += E->Word == NoIndex ? E->Start : 0;
    U.Bytes = C.Length;
    Copy.Uses.push_back(U);
  }
  Copy.SrcWord = C.Src.Word;
  Copy.DstWord = C.Dst.Word;
  if (needsCheck(C))
    P.Copies.push_back(C);
  if (C.Length)
    Out.Parts.push_back(std::move(Copy));
}

Status Planner::move(const program::Move &X, uint32_t Number, const Place &At) {
  uint32_t Device = moveDevice(Desc, L, X);
  if (Device != NoIndex) {
    P.Steps[Number].Which = sizeOf(P.Submits);
    Status S = moveOn(Device, X, At);
    bool Stages =
        L.Devices[Device]->facts().Threads == 0 &&
        (S.code() == GOLDY_UNSUPPORTED || S.code() == GOLDY_OUT_OF_MEMORY);
    if (!Stages)
      return S;
  }
  P.Steps[Number].Kind = StepKind::Stage;
  P.Steps[Number].Which = sizeOf(P.Stages);
  stage(X);
  return Status();
}

Status Planner::moveOn(uint32_t Device, const program::Move &X,
                       const Place &At) {
  begin(Device);
  Named Src = namedBy(L, X.Src), Dst = namedBy(L, X.Dst);
  GOLDY_TRY(reach(Src, {&At, "src"}));
  GOLDY_TRY(reach(Dst, {&At, "dst"}));
  use(Src, false);
  use(Dst, true);
  GOLDY_TRY(describe([&]() -> Status {
    CopyCheck C;
    C.Length = static_cast<uint64_t>(X.Length);
    C.Src = end(Src, X.SrcOffset, true);
    C.Dst = end(Dst, X.DstOffset, false);
    copyPart(C);
    if (!Out.Parts.empty())
      name(NoIndex, "move");
    return Status();
  }));
  return prepareNow(At);
}

void Planner::stage(const program::Move &X) {
  begin(0);
  StagePlan Stage;
  CopyCheck &C = Stage.Ends;
  C.Length = static_cast<uint64_t>(X.Length);
  Named Src = namedBy(L, X.Src), Dst = namedBy(L, X.Dst);
  use(Src, false);
  use(Dst, true);
  C.Src = end(Src, X.SrcOffset, true);
  C.Dst = end(Dst, X.DstOffset, false);
  Stage.Words = {Now.Words.First, sizeOf(P.Words) - Now.Words.First};
  Stage.Uses = {Now.Uses.First, sizeOf(P.Uses) - Now.Uses.First};
  Stage.ReadsInts = Now.ReadsInts;
  P.Stages.push_back(Stage);
}
