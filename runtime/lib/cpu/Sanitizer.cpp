//===- Sanitizer.cpp - What a watched launch is found at ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code calls `watch`, through which no exception may go: when memory runs out
// the books are closed and the launch goes on unwatched.
//
//===----------------------------------------------------------------------===//
#include "cpu/Sanitizer.h"

#include "cpu/Undetermined.h"
#include "goldy_host_abi.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace goldy::rt;
using SiteKind = WatchSite::Kind;
using Memory = WatchSite::Memory;

static uint64_t indexBits(const WatchSite::Index &I, uint32_t Word) {
  return I.Signed && Word >> 31 ? ~uint64_t(0) : Word;
}

/// `s[#]` with the indices in place.
static std::string nameOf(const WatchSite &S, const uint32_t *Words) {
  std::string Text;
  size_t Next = 0;
  for (char C : S.Name) {
    if (C != '#' || Next == S.Indices.size()) {
      Text += C;
      continue;
    }
    uint32_t Word = Words[Next];
    Text += S.Indices[Next++].Signed
                ? std::to_string(static_cast<int32_t>(Word))
                : std::to_string(Word);
  }
  return Text;
}

/// The array or parameter alone.
static std::string baseName(const WatchSite &S) {
  return S.Name.substr(0, S.Name.find_first_of("[."));
}

static const char *pastOf(Shadow::Kind K) {
  return K == Shadow::Kind::Read    ? "read"
         : K == Shadow::Kind::Write ? "written"
                                    : "changed by an atomic operation";
}

static Shadow::Kind shadowKind(SiteKind K) {
  return K == SiteKind::Read    ? Shadow::Kind::Read
         : K == SiteKind::Write ? Shadow::Kind::Write
                                : Shadow::Kind::Atomic;
}

WatchedCode WatchedCode::of(const Kernel &K, const Image &I) {
  WatchedCode C;
  C.Name = K.Name;
  C.Params = K.Params;
  for (const Param &P : K.Params)
    C.ElementBytes.push_back(P.Kind == GOLDY_PARAM_SCALAR ? 0 : P.Type->Stride);
  C.WorkgroupSize = K.WorkgroupSize;
  C.LayoutTableOffset = K.LayoutTableOffset;
  C.Kinds = I.Sanitize;
  C.Sites = I.Sites;
  return C;
}

// --- The launch

template <class T> static T wordAt(const std::byte *At) {
  T Value;
  std::memcpy(&Value, At, sizeof Value);
  return Value;
}

Sanitizer::Sanitizer(const WatchedCode &Code, const std::byte *Block,
                     const std::array<uint32_t, 3> &Groups)
    : Code(Code), Groups(Groups) {
  const std::byte *Table = reinterpret_cast<const std::byte *>(
      static_cast<uintptr_t>(wordAt<uint64_t>(Block + Code.LayoutTableOffset)));
  for (size_t N = 0; N < Code.Params.size(); ++N) {
    Resources.push_back(
        read(Code.Params[N], Code.ElementBytes[N], Block, Table));
    if (Resources.back().Tensor)
      Table += sizeof(goldy_tensor_layout);
  }
  findShared();
  Epochs.resize(Code.WorkgroupSize[0] * Code.WorkgroupSize[1] *
                Code.WorkgroupSize[2]);
}

Sanitizer::Resource Sanitizer::read(const Param &P, uint64_t ElementBytes,
                                    const std::byte *Block,
                                    const std::byte *Table) const {
  Resource R;
  if (P.Kind == GOLDY_PARAM_SCALAR)
    return R;
  const std::byte *At = Block + P.Offset;
  R.Address = wordAt<uint64_t>(At);
  R.ElementBytes = ElementBytes;
  R.Length = P.Kind == GOLDY_PARAM_UNIFORM ? 1 : wordAt<uint32_t>(At + 8);
  R.Count = R.Length;
  R.Image = P.Kind == GOLDY_PARAM_IMAGE;
  if (R.Image)
    R.Height = wordAt<uint32_t>(At + 12);
  R.Tensor = P.Kind == GOLDY_PARAM_TENSOR;
  if (!R.Tensor)
    return R;
  goldy_tensor_layout L = wordAt<goldy_tensor_layout>(Table);
  R.Offset = wordAt<uint32_t>(At + 16);
  R.Rank = std::min(L.rank, 4u);
  R.Count = L.numel;
  std::copy_n(L.shape, 4, R.Shape);
  std::copy_n(L.strides, 4, R.Strides);
  return R;
}

/// What no parameter writes cannot be raced for: nothing is kept of it.
void Sanitizer::findShared() {
  auto Bytes = [](const Resource &R) {
    return R.ElementBytes * R.Length * (R.Image ? R.Height : 1);
  };
  for (Resource &R : Resources)
    for (size_t N = 0; N < Resources.size(); ++N) {
      const Resource &W = Resources[N];
      bool Written = Code.Params[N].Kind != GOLDY_PARAM_SCALAR &&
                     Code.Params[N].Access != GOLDY_READ;
      R.Meets |= Written && R.Address < W.Address + Bytes(W) &&
                 W.Address < R.Address + Bytes(R);
    }
}

void Sanitizer::watch(void *Self, uint64_t Group, uint32_t Item, uint32_t Site,
                      const uint32_t *Words) {
  Sanitizer &S = *static_cast<Sanitizer *>(Self);
  if (S.OutOfMemory)
    return;
  try {
    S.take(Group, Item, Site, Words);
  } catch (const std::bad_alloc &) {
    S.OutOfMemory = true;
  }
}

void Sanitizer::take(uint64_t Number, uint32_t Item, uint32_t Site,
                     const uint32_t *Words) {
  if (Site >= Code.Sites.size() || Item >= Epochs.size())
    return;
  if (Group != Number)
    startGroup(Number);
  const WatchSite &S = Code.Sites[Site];
  AccessRecord Now{Number, Item, Epochs[Item], Site + 1};
  switch (S.What) {
  case SiteKind::Collective:
    if (S.In == Memory::Param) {
      const Resource &R = Resources[S.Base];
      Undetermined::memory().mark(R.Address, R.Length * R.ElementBytes,
                                  std::make_shared<WatchSite>(S));
      return;
    }
    [[fallthrough]];
  case SiteKind::Barrier:
    arrive(Now, S);
    return;
  case SiteKind::Copy:
    copied(S, Words[0]);
    return;
  case SiteKind::Assume:
    if (asks(SanitizeBounds) && !Words[0] &&
        Found.count(Findings::Kind::Assume, Now.Site, 0))
      Found.tell(S, "this does not hold for work-item " + itemText(Now));
    return;
  default:
    access(Now, S, Words);
  }
}

Status Sanitizer::finish(const DebugListener &To) {
  if (Group && !OutOfMemory)
    endGroup();
  if (!Found.empty() && To.Call)
    Found.print(Code.Name, To);
  if (OutOfMemory)
    return Status(GOLDY_OUT_OF_MEMORY,
                  "kernel `" + Code.Name +
                      "`: no memory left for what the sanitizer remembers; "
                      "the launch is done, but it was not watched to its end");
  return Found.empty() ? Status()
                       : Status(GOLDY_FINDINGS, Found.summary(Code.Name));
}

// --- Groups and barriers

void Sanitizer::startGroup(uint64_t Number) {
  if (Group)
    endGroup();
  Group = Number;
  std::fill(Epochs.begin(), Epochs.end(), 0);
  Barriers.clear();
  LastCollective = 0;
  if (AnyMark)
    std::fill(Marks.begin(), Marks.end(), 0);
  AnyMark = false;
}

/// All work-items have come to as many barriers.
void Sanitizer::endGroup() {
  if (!asks(SanitizeRace) || Barriers.empty())
    return;
  for (uint32_t Item = 0; Item < Epochs.size(); ++Item) {
    if (Epochs[Item] == Barriers.size())
      continue;
    const AccessRecord &First = Barriers[Epochs[Item]];
    AccessRecord Absent{*Group, Item, 0, 0};
    if (Found.count(Findings::Kind::Barrier, First.Site, 0))
      Found.tell(Code.Sites[First.Site - 1],
                 "work-item " + itemText(First) + " reaches this barrier, " +
                     itemText(Absent) + " of its group never does");
    return;
  }
}

void Sanitizer::arrive(const AccessRecord &Now, const WatchSite &S) {
  uint32_t Epoch = ++Epochs[Now.Item];
  if (Barriers.size() < Epoch) {
    Barriers.push_back(Now);
  } else if (const AccessRecord &First = Barriers[Epoch - 1];
             First.Site != Now.Site && asks(SanitizeRace) &&
             Found.count(Findings::Kind::Barrier, Now.Site, First.Site)) {
    Found.tell(S, "work-item " + itemText(Now) + " waits at this barrier",
               &Code.Sites[First.Site - 1],
               itemText(First) + " of its group waits at this one");
  }
  if (S.What != SiteKind::Collective || Epoch <= LastCollective ||
      !asks(SanitizeUninit))
    return;
  // The first one in the new phase, which nobody has used yet.
  LastCollective = Epoch;
  AnyMark = true;
  uint64_t End = uint64_t(S.Base) + S.Bytes;
  if (Marks.size() < End)
    Marks.resize(End);
  std::fill(Marks.begin() + S.Base, Marks.begin() + static_cast<int64_t>(End),
            Now.Site);
}

// --- Accesses

void Sanitizer::access(const AccessRecord &Now, const WatchSite &S,
                       const uint32_t *Words) {
  if (!inRange(Now, S, Words))
    return;
  if (S.In == Memory::Private)
    return;
  uint64_t Byte = byteOf(S, Words);
  if (asks(SanitizeUninit))
    determined(Now, S, Byte, Words);
  if (asks(SanitizeRace))
    ordered(Now, S, Byte, Words);
}

uint64_t Sanitizer::limitOf(const WatchSite &S, size_t Index) const {
  if (uint32_t Extent = S.Indices[Index].Extent)
    return Extent;
  const Resource &R = Resources[S.Base];
  return R.Image && Index == 1 ? R.Height : R.Count;
}

bool Sanitizer::inRange(const AccessRecord &Now, const WatchSite &S,
                        const uint32_t *Words) {
  for (size_t N = 0; N < S.Indices.size(); ++N) {
    uint64_t Limit = limitOf(S, N);
    if (indexBits(S.Indices[N], Words[N]) < Limit)
      continue;
    if (!asks(SanitizeBounds) ||
        !Found.count(Findings::Kind::Index, Now.Site, 0))
      return false;
    const char *What = S.What == SiteKind::Read    ? "read of `"
                       : S.What == SiteKind::Write ? "write of `"
                                                   : "atomic operation on `";
    std::string Bound =
        S.Indices[N].Extent || (S.In != Memory::Param) ? "an array of "
        : Resources[S.Base].Image ? (N ? "the height is " : "the width is ")
                                  : "the length is ";
    Found.tell(S, std::string("index out of range: ") + What +
                      nameOf(S, Words) + "`, " + Bound + std::to_string(Limit) +
                      ", by work-item " + itemText(Now));
    return false;
  }
  return true;
}

uint64_t Sanitizer::elementOf(const Resource &R, uint32_t Index) const {
  if (!R.Tensor)
    return Index;
  uint64_t Element = R.Offset;
  for (uint32_t Axis = R.Rank; Axis-- > 0 && R.Shape[Axis];) {
    Element += uint64_t(Index % R.Shape[Axis]) * R.Strides[Axis];
    Index /= R.Shape[Axis];
  }
  return Element;
}

/// Address of a buffer's byte; of workgroup memory its number.
uint64_t Sanitizer::byteOf(const WatchSite &S, const uint32_t *Words) const {
  uint64_t Byte = S.Offset;
  size_t First = 0;
  if (S.In == Memory::Param) {
    const Resource &R = Resources[S.Base];
    Byte += R.Address;
    if (!S.Indices.empty() && S.Indices[0].Extent == 0) {
      uint64_t Element = R.Image ? uint64_t(Words[1]) * R.Length + Words[0]
                                 : elementOf(R, Words[0]);
      Byte += Element * S.Indices[0].Stride;
      First = R.Image ? 2 : 1;
    }
  } else {
    Byte += S.Base;
  }
  for (size_t N = First; N < S.Indices.size(); ++N)
    Byte += Words[N] * S.Indices[N].Stride;
  return Byte;
}

/// From the start of parameter 0. What is undetermined there is so here, and
/// the elements behind stay as they were.
void Sanitizer::copied(const WatchSite &S, uint64_t Count) {
  const Resource &From = Resources[0], &To = Resources[S.Base];
  Count = std::min<uint64_t>({Count, From.Length, To.Length});
  if (asks(SanitizeUninit))
    Undetermined::memory().copy(From.Address, To.Address,
                                Count * To.ElementBytes);
}

void Sanitizer::determined(const AccessRecord &Now, const WatchSite &S,
                           uint64_t Byte, const uint32_t *Words) {
  if (S.In == Memory::Param)
    return determinedIn(Now, S, Byte, Words);
  if (!AnyMark || Byte >= Marks.size())
    return;
  std::vector<uint32_t>::iterator First =
      Marks.begin() + static_cast<int64_t>(Byte);
  std::vector<uint32_t>::iterator Last =
      First +
      static_cast<int64_t>(std::min<uint64_t>(S.Bytes, Marks.size() - Byte));
  std::vector<uint32_t>::iterator Mark =
      std::find_if(First, Last, [](uint32_t M) { return M != 0; });
  if (Mark == Last)
    return;
  const WatchSite &Since = Code.Sites[*Mark - 1];
  if (S.What != SiteKind::Write &&
      Found.count(Findings::Kind::Undetermined, Now.Site, *Mark))
    Found.tell(S,
               "read of `" + nameOf(S, Words) +
                   "`, which is undetermined, by work-item " + itemText(Now),
               &Since, "since this used `" + baseName(S) + "` as its scratch");
  std::fill(First, Last, 0);
}

void Sanitizer::determinedIn(const AccessRecord &Now, const WatchSite &S,
                             uint64_t Address, const uint32_t *Words) {
  Undetermined &U = Undetermined::memory();
  if (!U.any())
    return;
  Undetermined::Stretch Since;
  if (S.What != SiteKind::Write)
    Since = U.find(Address, S.Bytes);
  if (Since && Found.count(Findings::Kind::Undetermined, Now.Site, 0))
    Found.tell(S,
               "read of `" + nameOf(S, Words) +
                   "`, which is undetermined, by work-item " + itemText(Now),
               Since.Where.get(), Findings::temporaryNote(*Since.Where));
  if (S.What != SiteKind::Read)
    U.clear(Address, S.Bytes);
}

/// Equal for the same value in the same bytes; 0 if the code does not tell it.
static uint32_t valueOf(const WatchSite &S, uint64_t Byte,
                        const uint32_t *Words) {
  if (S.Bytes > GOLDY_MOST_WATCHED_VALUE_BYTES)
    return 0;
  uint32_t Value = Words[S.Indices.size()] * 0x9e3779b1u +
                   static_cast<uint32_t>(Byte) * 0x85ebca6bu + S.Bytes;
  return Value ? Value : 1;
}

void Sanitizer::ordered(AccessRecord Now, const WatchSite &S, uint64_t Byte,
                        const uint32_t *Words) {
  bool Param = S.In == Memory::Param;
  if (Param && !Resources[S.Base].Meets)
    return;
  Shadow::Kind K = shadowKind(S.What);
  if (K == Shadow::Kind::Write)
    Now.Value = valueOf(S, Byte, Words);
  Shadow::Conflict C = (Param ? Buffers : Arrays).note(Byte, S.Bytes, K, Now);
  if (!C || !Found.count(Findings::Kind::Race, Now.Site, C.Earlier.Site))
    return;
  const WatchSite &Other = Code.Sites[C.Earlier.Site - 1];
  bool OneGroup = C.Earlier.Group == Now.Group;
  std::string Why =
      OneGroup ? " of the same group, with no barrier between" : "";
  if (!OneGroup)
    Why = " of group " + groupText(C.Earlier.Group) + ", and groups " +
          "have no order";
  std::string Here = "data race on `" + nameOf(S, Words) + "`: " + pastOf(K) +
                     " by work-item " + itemText(Now) +
                     (OneGroup ? "" : " of group " + groupText(Now.Group));
  std::string There =
      std::string(pastOf(C.Was)) + " here" +
      (baseName(Other) != baseName(S) ? " as `" + baseName(Other) + "`" : "") +
      " by work-item " + itemText(C.Earlier) + Why;
  Found.tell(S, Here, &Other, There);
}

// --- Text

std::string Sanitizer::groupText(uint64_t Number) const {
  uint64_t X = Groups[0], Y = Groups[1];
  return "[" + std::to_string(Number % X) + ", " +
         std::to_string(Number / X % Y) + ", " +
         std::to_string(Number / X / Y) + "]";
}

/// The global id.
std::string Sanitizer::itemText(const AccessRecord &R) const {
  const std::array<uint32_t, 3> &Size = Code.WorkgroupSize;
  uint64_t X = Groups[0], Y = Groups[1];
  uint64_t Id[3] = {R.Group % X * Size[0] + R.Item % Size[0],
                    R.Group / X % Y * Size[1] + R.Item / Size[0] % Size[1],
                    R.Group / X / Y * Size[2] + R.Item / Size[0] / Size[1]};
  return "[" + std::to_string(Id[0]) + ", " + std::to_string(Id[1]) + ", " +
         std::to_string(Id[2]) + "]";
}
