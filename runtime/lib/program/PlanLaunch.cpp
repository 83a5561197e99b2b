//===- PlanLaunch.cpp - Launches, calls and their blocks ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block is held against the kernel that reads it: addresses come from refs
// and from addresses of memory only, and the elements that a kernel may reach
// through them lie in what the step names, at load where numbers are constant,
// else at the step. So a description from anyone reaches no other memory.
//
//===----------------------------------------------------------------------===//
#include "program/Planner.h"

#include "core/Checked.h"

#include <algorithm>
#include <cstring>

using namespace goldy;
using namespace goldy::rt;
using program::Place;

template <class T> static uint32_t sizeOf(const std::vector<T> &List) {
  return static_cast<uint32_t>(List.size());
}

Status Planner::refuse(LoadRule R, const Place &At,
                       const std::string &What) const {
  return broken(R, onDevice(At.text(), L.deviceName(Now.Device)), What);
}

//===-- Functions of the host ---------------------------------------------===//

Status Planner::call(HostFunction Function, void *User, const std::string &Name,
                     const Values &Params,
                     const std::vector<program::Ref> &Refs, const Place &At) {
  Part Call;
  Call.Kind = PartKind::Call;
  Call.Function = Function;
  Call.User = User;
  Call.Name = Name;
  GOLDY_TRY(block(Params, Refs, 0, Call, At));
  for (const Placed &X : Places)
    if (X.What == Placed::Kind::Ref)
      Call.Uses.push_back(useOf(X.Where, X.Written));
  for (size_t I = 0; I < Fixed.size(); ++I)
    Call.Uses.push_back(useOf(Fixed[I], FixedWritten[I]));
  Out.Parts.push_back(std::move(Call));
  return Status();
}

Status Planner::fill(const program::Fill &X, const Place &At) {
  if (const program::Ready *R = std::get_if<program::Ready>(&X.Function)) {
    const RailEnd &End = *findRail(L, R->Rail);
    return call(End.Ready, End.User, "ready of rail " + std::to_string(R->Rail),
                X.Params, X.Refs, At);
  }
  const program::Entry &E = std::get<program::Entry>(X.Function);
  GOLDY_TRY(findFunction(L, E.Image, E.Name, At));
  if (!L.Images[static_cast<size_t>(E.Image)]->Callbacks)
    return refuse(LoadRule::PartTaken, At,
                  "a fill of `" + E.Name +
                      "`, which is a kernel; launch it instead");
  const Callback &C = *findCallback(L, E.Name);
  return call(C.Function, C.User, C.Name, X.Params, X.Refs, At);
}

//===-- Grids -------------------------------------------------------------===//

std::string goldy::rt::gridFault(const std::array<Number, 3> &Groups,
                                 const std::array<Number, 3> &Threads,
                                 Number Shared,
                                 const std::array<uint32_t, 3> &Kernel) {
  uint64_t Total = 1;
  for (size_t D = 0; D < 3; ++D) {
    std::string Axis(1, "xyz"[D]);
    if (Threads[D] != Number(Kernel[D]))
      return std::to_string(Threads[D]) + " threads along " + Axis +
             ", the kernel's groups have " + std::to_string(Kernel[D]);
    if (Groups[D] < 0 || Groups[D] > UINT32_MAX)
      return std::to_string(Groups[D]) + " groups along " + Axis;
    uint64_t N = static_cast<uint64_t>(Groups[D]);
    if (N * Kernel[D] > uint64_t(1) << 32)
      return std::to_string(N * Kernel[D]) + " work-items along " + Axis +
             ", the limit is 4294967296";
    std::optional<uint64_t> Product = checkedMul(Total, N);
    if (!Product || *Product > uint64_t(1) << 48)
      return "more than 2^48 groups";
    Total = *Product;
  }
  return Shared == 0 ? ""
                     : std::to_string(Shared) + " bytes of workgroup memory";
}

static bool readsInts(const GridCheck &G) {
  bool Reads = G.Shared.isInt();
  for (size_t D = 0; D < 3; ++D)
    Reads |= G.Groups[D].isInt() || G.Threads[D].isInt();
  return Reads;
}

/// A grid of constants, in pieces; `Empty` if it has no groups.
Status Planner::constantGrid(const GridCheck &G, Part &Part, bool &Empty,
                             const Place &At) {
  std::array<Number, 3> Groups, Threads;
  for (size_t D = 0; D < 3; ++D) {
    Groups[D] = G.Groups[D].Constant[Copy];
    Threads[D] = G.Threads[D].Constant[Copy];
  }
  std::string Why =
      gridFault(Groups, Threads, G.Shared.Constant[Copy], G.Group);
  if (!Why.empty())
    return refuse(LoadRule::KernelGroup, At, Why);
  for (size_t D = 0; D < 3; ++D) {
    Part.Groups[D] = static_cast<uint32_t>(Groups[D]);
    Empty |= Groups[D] == 0;
  }
  std::array<uint32_t, 3> Dispatched = Part.Groups;
  Dispatched[0] = Empty ? 0 : (Part.Groups[0] - 1) / Part.GroupsAtOnce + 1;
  if (!Empty)
    Part.Pieces =
        splitGrid(Dispatched, L.Devices[Now.Device]->facts().MaxGroups);
  return Status();
}

/// A grid that a run knows. A constant axis stays one if others are ints.
void Planner::runGrid(const GridCheck &G, Part &Part) {
  for (size_t D = 0; D < 3; ++D) {
    Part.Groups[D] = static_cast<uint32_t>(G.Groups[D].Constant[Copy]);
    if (G.Groups[D].isInt()) {
      WordPlan W;
      W.Kind = WordKind::Int;
      W.Input = G.Groups[D].Word;
      Part.GroupWords[D] = addWord(W);
    }
  }
  P.Grids.push_back(G);
}

Status Planner::gridLeaves(const program::Launch &X, const Place &At) const {
  for (const std::array<program::Value, 3> *Sizes : {&X.Groups, &X.Threads})
    for (const program::Value &V : *Sizes)
      if (const program::Leaf *Leaf = std::get_if<program::Leaf>(&V))
        GOLDY_TRY(checkLeaf(L, *Leaf, At));
  const program::Leaf *Leaf = std::get_if<program::Leaf>(&X.Shared);
  return Leaf ? checkLeaf(L, *Leaf, At) : Status();
}

Status Planner::grid(const program::Launch &X,
                     const std::array<uint32_t, 3> &Group, Part &Part,
                     bool &Empty, const Place &At) {
  GOLDY_TRY(gridLeaves(X, At));
  GridCheck G;
  G.Part = PartNumber;
  G.Group = Group;
  for (size_t D = 0; D < 3; ++D) {
    G.Groups[D] = value(X.Groups[D]);
    G.Threads[D] = value(X.Threads[D]);
  }
  G.Shared = value(X.Shared);
  if (!readsInts(G))
    return constantGrid(G, Part, Empty, At);
  runGrid(G, Part);
  return Status();
}

//===-- Launches ----------------------------------------------------------===//

Status Planner::launch(const program::Launch &X, const Place &At) {
  const ProgramImage &I = *L.Images[static_cast<size_t>(X.Image)];
  GOLDY_TRY(findFunction(L, X.Image, X.Name, At));
  if (I.Callbacks)
    return hostLaunch(X, At);
  Part Launch;
  bool Empty = false;
  const Kernel &K = *I.Kernel.Definition;
  Launch.Image = I.Kernel.Id;
  Launch.BaseOffset = K.BaseWordsOffset;
  Launch.GroupsAtOnce = I.Kernel.Chosen->GroupsAtOnce;
  size_t Bytes = X.Params.Bytes.size();
  if (Bytes < K.LayoutTableOffset || Bytes > K.BlockSize)
    return refuse(LoadRule::BlockSize, At,
                  std::to_string(Bytes) + " bytes, kernel `" + K.Name +
                      "` takes " + std::to_string(K.LayoutTableOffset) +
                      " to " + std::to_string(K.BlockSize));
  GOLDY_TRY(grid(X, K.WorkgroupSize, Launch, Empty, At));
  if (Empty)
    return Status();
  GOLDY_TRY(block(X.Params, X.Refs, K.BlockSize, Launch, At));
  GOLDY_TRY(kernelParams(K, Launch, At));
  std::memset(&Launch.Block[K.BaseWordsOffset], 0, 12);
  std::memcpy(&Launch.Block[K.BaseWordsOffset + 12], Launch.Groups.data(), 12);
  Out.Parts.push_back(std::move(Launch));
  return Status();
}

/// A call is of one group of one thread.
Status Planner::hostLaunch(const program::Launch &X, const Place &At) {
  program::Value One = program::Fixed{1}, None = program::Fixed{0};
  bool Single = X.Shared == None;
  for (size_t D = 0; D < 3; ++D)
    Single &= X.Groups[D] == One && X.Threads[D] == One;
  if (!Single)
    return refuse(LoadRule::PartTaken, At,
                  "host function `" + X.Name +
                      "` is called once, for one group of one thread");
  const Callback &C = *findCallback(L, X.Name);
  return call(C.Function, C.User, C.Name, X.Params, X.Refs, At);
}

Placed *Planner::placedAt(uint32_t At) {
  std::vector<Placed>::iterator X =
      std::ranges::lower_bound(Places, At, {}, &Placed::At);
  return X != Places.end() && X->At == At ? &*X : nullptr;
}

Status Planner::kernelParams(const Kernel &K, Part &Part, const Place &At) {
  Reaches.clear();
  for (size_t I = 0; I < K.Params.size(); ++I)
    switch (K.Params[I].Kind) {
    case GOLDY_PARAM_SCALAR:
      GOLDY_TRY(baked(K.Params[I], Part, At));
      break;
    case GOLDY_PARAM_BUFFER:
    case GOLDY_PARAM_UNIFORM:
      GOLDY_TRY(buffer(K, I, Part, At));
      break;
    case GOLDY_PARAM_TENSOR:
    case GOLDY_PARAM_IMAGE:
      return refuse(LoadRule::PartTaken, At,
                    "parameter `" + K.Params[I].Name + "` of kernel `" +
                        K.Name + "` is " +
                        (K.Params[I].Kind == GOLDY_PARAM_IMAGE ? "an image"
                                                               : "a tensor") +
                        ", which programs do not pass");
    }
  GOLDY_TRY(nothingElse(K, At));
  return shares(At);
}

/// A baked scalar's constant is the one in the image.
Status Planner::baked(const Param &Param, const Part &Part, const Place &At) {
  if (!Param.Baked)
    return Status();
  uint64_t Word = 0;
  std::memcpy(&Word, &Part.Block[Param.Offset], Param.Size);
  if (!placedAt(Param.Offset) && Word == *Param.Baked)
    return Status();
  return refuse(LoadRule::PartTaken, At,
                "parameter `" + Param.Name +
                    "`: its value was baked into the image as " +
                    std::to_string(*Param.Baked));
}

Status Planner::buffer(const Kernel &K, size_t Number, Part &Part,
                       const Place &At) {
  const Param &Param = K.Params[Number];
  std::string Name = "parameter `" + Param.Name + "`";
  Placed *X = placedAt(Param.Offset);
  if (!X || X->What == Placed::Kind::Hole)
    return refuse(LoadRule::BlockAddress, At, Name + " has neither");
  X->Taken = true;
  bool Writes = Param.Access != GOLDY_READ;
  if (Writes && !X->Written)
    return refuse(LoadRule::WriteNamed, At,
                  Name + " is written, and is named to be read");
  ViewCheck V;
  V.Part = PartNumber;
  V.Param = static_cast<uint32_t>(Number);
  V.Where = X->Where;
  V.OffsetWord = X->Word;
  V.Offset = X->Offset;
  V.Length = 1;
  V.Stride = std::max<uint64_t>(Param.Type->Stride, 1);
  V.Align = viewAlign(Param);
  V.Name = Param.Name.c_str();
  V.Written = Writes;
  V.Alone = Param.UniformRead || Param.Kind == GOLDY_PARAM_UNIFORM;
  if (Param.Kind == GOLDY_PARAM_BUFFER)
    GOLDY_TRY(length(Param, Part, V, At));
  Part.Uses.push_back(useOf(V));
  Reaches.push_back(V);
  return view(V, At);
}

/// What a view reaches for sure, else all that is named.
MemoryUse Planner::useOf(const ViewCheck &V) const {
  MemoryUse U = useOf(V.Where, V.Written);
  if (V.isConstant()) {
    U.Offset += V.Offset;
    U.Bytes = V.Length * V.Stride;
  }
  return U;
}

Status Planner::length(const Param &Param, const Part &Part, ViewCheck &V,
                       const Place &At) {
  uint32_t Length = 0, Zero = 0;
  std::memcpy(&Length, &Part.Block[Param.Offset + 8], 4);
  std::memcpy(&Zero, &Part.Block[Param.Offset + 12], 4);
  V.Length = Length;
  if (Placed *X = placedAt(Param.Offset + 8)) {
    if (X->What != Placed::Kind::Hole || X->Bytes != 4)
      return refuse(LoadRule::BlockLength, At,
                    "parameter `" + Param.Name + "`: 8 bytes at its length");
    X->Taken = true;
    V.LengthWord = X->Word;
  }
  if (Zero || placedAt(Param.Offset + 12))
    return refuse(LoadRule::BlockLength, At,
                  "parameter `" + Param.Name + "`: the word behind its length");
  return Status();
}

bool goldy::rt::viewFits(const ViewCheck &V, Reached R, uint64_t Bytes) {
  return (V.Where.Offset + R.Offset) % V.Align == 0 &&
         rangeFits(R.Offset, R.Length * V.Stride, Bytes);
}

std::string goldy::rt::viewFault(const ViewCheck &V, Reached R,
                                 uint64_t Bytes) {
  return "parameter `" + std::string(V.Name) +
         "`: " + std::to_string(R.Length) + " elements of " +
         std::to_string(V.Stride) + " bytes from byte " +
         std::to_string(static_cast<int64_t>(R.Offset)) + " of " +
         std::to_string(Bytes) + ", aligned to " + std::to_string(V.Align);
}

/// Judged now if the run changes nothing, else kept for the run.
Status Planner::view(const ViewCheck &V, const Place &At) {
  Reached R{V.Offset, V.Length};
  if (V.isConstant() && viewFits(V, R, V.Where.Bytes))
    return Status();
  if (V.isConstant() && V.Where.Input == NoIndex)
    return refuse(LoadRule::ViewInside, At, viewFault(V, R, V.Where.Bytes));
  P.Views.push_back(V);
  return Status();
}

//===-- Buffers that share bytes ------------------------------------------===//

bool goldy::rt::viewsShare(const ViewCheck &A, Reached OfA, const ViewCheck &B,
                           Reached OfB) {
  uint64_t FirstA = A.Where.Offset + OfA.Offset,
           FirstB = B.Where.Offset + OfB.Offset;
  uint64_t EndA = FirstA + OfA.Length * A.Stride,
           EndB = FirstB + OfB.Length * B.Stride;
  if (FirstA >= EndB || FirstB >= EndA || FirstA == EndA || FirstB == EndB)
    return false;
  bool Same = FirstA == FirstB && EndA == EndB && A.Stride == B.Stride;
  return !Same || A.Alone || B.Alone;
}

std::string goldy::rt::shareFault(const ViewCheck &A, const ViewCheck &B) {
  return "parameters `" + std::string(A.Name) + "` and `" + B.Name +
         "`: their views overlap and `" + (A.Written ? A.Name : B.Name) +
         "` is written; bind the same view or disjoint ones";
}

/// Two views of one memory or input are judged now if they are constant; any
/// two inputs may be one buffer in a run.
Status Planner::share(const ViewCheck &A, const ViewCheck &B, const Place &At) {
  bool One = A.Where.Memory == B.Where.Memory && A.Where.Input == B.Where.Input;
  bool Inputs = A.Where.Input != NoIndex && B.Where.Input != NoIndex;
  if (!(A.Written || B.Written) || !(One || Inputs))
    return Status();
  if (!One)
    P.InputShares.push_back({A, B});
  else if (!A.isConstant() || !B.isConstant())
    P.Shares.push_back({A, B});
  else if (viewsShare(A, {A.Offset, A.Length}, B, {B.Offset, B.Length}))
    return refuse(LoadRule::ViewsShare, At, shareFault(A, B));
  return Status();
}

Status Planner::shares(const Place &At) {
  for (size_t I = 0; I < Reaches.size(); ++I)
    for (size_t J = I + 1; J < Reaches.size(); ++J)
      GOLDY_TRY(share(Reaches[I], Reaches[J], At));
  return Status();
}

/// Every ref and address is some buffer's, and no other hole is outside the
/// scalars.
Status Planner::nothingElse(const Kernel &K, const Place &At) {
  for (const Placed &X : Places) {
    if (X.Taken)
      continue;
    std::string Where = "at byte " + std::to_string(X.At) + " of kernel `" +
                        K.Name + "`'s block";
    if (X.What != Placed::Kind::Hole)
      return refuse(LoadRule::BlockAddress, At,
                    "an address " + Where + ", where no buffer is");
    std::vector<Param>::const_iterator After =
        std::ranges::upper_bound(K.Params, X.At, {}, &Param::Offset);
    if (After == K.Params.begin() || (After - 1)->Kind != GOLDY_PARAM_SCALAR ||
        X.At + X.Bytes > (After - 1)->Offset + (After - 1)->Size)
      return refuse(LoadRule::BlockLength, At,
                    "a hole " + Where + ", where no scalar is");
  }
  return Status();
}
