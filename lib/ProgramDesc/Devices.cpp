//===- Devices.cpp - Programs over several devices ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer has its content on one or several devices at a time: on its own at
// first, on another once it was copied there, on one alone after a write. The
// walk follows that through the steps. At the head of a loop that writes a
// buffer, the content is on the device where the body first needs it, on every
// way to there, and so it is behind the loop.
//
//===----------------------------------------------------------------------===//
#include "Lives.h"
#include "goldyc/ProgramDesc/Build.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// Whether a step writes a buffer that it names.
bool writesBuffer(const Program &P, const Module &M, const Step &S,
                  BufferId B) {
  if (const Dispatch *D = std::get_if<Dispatch>(&S.Kind)) {
    for (size_t I = 0; I < D->Args.size(); ++I)
      if (D->Args[I].Buffer == B &&
          M.Functions[D->Kernel].Params[I].Acc != Access::Read)
        return true;
    return false;
  }
  if (const Copy *C = std::get_if<Copy>(&S.Kind))
    return C->Dst == B;
  return std::holds_alternative<HostCall>(S.Kind) &&
         (P.Buffers[B].Kind != BufferKind::Input ||
          P.Buffers[B].Acc != Access::Read);
}

/// The device that a step runs on; a loop's flag is read where it lies.
uint32_t deviceOf(const Program &P, const Step &S) {
  if (const Dispatch *D = std::get_if<Dispatch>(&S.Kind))
    return D->Device;
  if (const Copy *C = std::get_if<Copy>(&S.Kind))
    return C->Device;
  if (const HostCall *H = std::get_if<HostCall>(&S.Kind))
    return H->Device;
  const Loop *L = std::get_if<Loop>(&S.Kind);
  return L && L->Stop ? P.Buffers[L->Stop->Flag].Device : 0;
}

class Placer {
public:
  Placer(Program &P, const Module &M) : P(P), M(M) {}
  void run();

private:
  using State = std::vector<std::vector<bool>>; ///< by buffer and device
  using Places = std::map<BufferId, uint32_t>;

  std::vector<Step> steps(const std::vector<Step> &List, State &Now);
  void step(Step S, State &Now, std::vector<Step> &Out);
  void loop(Loop L, State &Now, std::vector<Step> &Out);
  void choice(Choice C, State &Now, std::vector<Step> &Out);
  Places meetings(const Step &Of) const;
  void meet(const Places &At, State &Now, std::vector<Step> &Out, Span Loc);
  void need(BufferId B, uint32_t Device, State &Now, std::vector<Step> &Out,
            Span Loc);
  BufferId mirror(BufferId B, uint32_t Device);
  void rename(Step &S, uint32_t Device);

  Program &P;
  const Module &M;
  std::map<std::pair<BufferId, uint32_t>, BufferId> Mirrors;
};

BufferId Placer::mirror(BufferId B, uint32_t Device) {
  if (P.Buffers[B].Device == Device)
    return B;
  auto [It, New] = Mirrors.try_emplace({B, Device});
  if (New) {
    Buffer Copy = P.Buffers[B];
    Copy.Name += "_on_" + P.Devices[Device];
    Copy.Kind = BufferKind::Temporary;
    Copy.TwoCopies = false;
    Copy.Device = Device;
    It->second = P.Buffers.push(std::move(Copy));
  }
  return It->second;
}

/// Copies the content to the device unless it is there.
void Placer::need(BufferId B, uint32_t Device, State &Now,
                  std::vector<Step> &Out, Span Loc) {
  std::vector<bool> &On = Now[B.index()];
  if (On[Device])
    return;
  uint32_t From = P.Buffers[B].Device;
  if (!On[From])
    From = static_cast<uint32_t>(std::find(On.begin(), On.end(), true) -
                                 On.begin());
  Copy C;
  C.Src = mirror(B, From);
  C.Dst = mirror(B, Device);
  C.SrcOffset = C.DstOffset = P.Exprs.u32(0);
  C.Count = P.Buffers[B].Count;
  C.Device = Device;
  C.Loc = Loc;
  Out.push_back({C});
  On[Device] = true;
}

void Placer::rename(Step &S, uint32_t Device) {
  auto Arguments = [&](std::vector<Argument> &Args) {
    for (Argument &A : Args)
      if (A.Buffer)
        A.Buffer = mirror(A.Buffer, Device);
  };
  if (Dispatch *D = std::get_if<Dispatch>(&S.Kind)) {
    Arguments(D->Args);
  } else if (HostCall *H = std::get_if<HostCall>(&S.Kind)) {
    Arguments(H->Args);
  } else if (Copy *C = std::get_if<Copy>(&S.Kind)) {
    C->Src = mirror(C->Src, Device);
    C->Dst = mirror(C->Dst, Device);
  }
}

Span locOf(const Step &S) {
  return std::visit([](const auto &K) { return K.Loc; }, S.Kind);
}

void Placer::step(Step S, State &Now, std::vector<Step> &Out) {
  if (Loop *L = std::get_if<Loop>(&S.Kind))
    return loop(std::move(*L), Now, Out);
  if (Choice *C = std::get_if<Choice>(&S.Kind))
    return choice(std::move(*C), Now, Out);
  uint32_t Device = deviceOf(P, S);
  std::vector<BufferId> Written;
  forEachBuffer(S, [&](BufferId B) {
    need(B, Device, Now, Out, locOf(S));
    if (writesBuffer(P, M, S, B))
      Written.push_back(B);
  });
  for (BufferId B : Written) {
    std::fill(Now[B.index()].begin(), Now[B.index()].end(), false);
    Now[B.index()][Device] = true;
  }
  rename(S, Device);
  Out.push_back(std::move(S));
}

/// Of each buffer that is written inside, the device of its first use; of a
/// flag, its own.
Placer::Places Placer::meetings(const Step &Of) const {
  Places First, Meet;
  std::vector<Step> Whole{Of};
  forEachStep(std::as_const(Whole), [&](const Step &S) {
    const Loop *L = std::get_if<Loop>(&S.Kind);
    if (L && L->Stop)
      First[L->Stop->Flag] = P.Buffers[L->Stop->Flag].Device;
    forEachBuffer(S, [&](BufferId B) {
      First.try_emplace(B, deviceOf(P, S));
      if (writesBuffer(P, M, S, B))
        Meet[B] = 0;
    });
  });
  for (auto &[B, Device] : Meet)
    Device = First.at(B);
  return Meet;
}

void Placer::meet(const Places &At, State &Now, std::vector<Step> &Out,
                  Span Loc) {
  for (const auto &[B, Device] : At) {
    need(B, Device, Now, Out, Loc);
    std::fill(Now[B.index()].begin(), Now[B.index()].end(), false);
    Now[B.index()][Device] = true;
  }
}

void Placer::loop(Loop L, State &Now, std::vector<Step> &Out) {
  Places At = meetings({L});
  meet(At, Now, Out, L.Loc);
  if (L.Stop)
    need(L.Stop->Flag, P.Buffers[L.Stop->Flag].Device, Now, Out, L.Loc);
  State Inside = Now;
  L.Body = steps(L.Body, Inside);
  meet(At, Inside, L.Body, L.Loc);
  Out.push_back({std::move(L)});
}

void Placer::choice(Choice C, State &Now, std::vector<Step> &Out) {
  Places At = meetings({C});
  State Then = Now, Else = Now;
  C.Then = steps(C.Then, Then);
  meet(At, Then, C.Then, C.Loc);
  C.Else = steps(C.Else, Else);
  meet(At, Else, C.Else, C.Loc);
  for (const auto &[B, Device] : At)
    Now[B.index()] = Then[B.index()];
  Out.push_back({std::move(C)});
}

std::vector<Step> Placer::steps(const std::vector<Step> &List, State &Now) {
  std::vector<Step> Out;
  for (const Step &S : List)
    step(S, Now, Out);
  return Out;
}

void Placer::run() {
  uint32_t Count = P.Buffers.size();
  State Now(Count, std::vector<bool>(P.Devices.size()));
  for (uint32_t I = 0; I < Count; ++I) {
    const Buffer &B = P.Buffers[BufferId(I)];
    bool Anywhere = B.Kind == BufferKind::Temporary;
    std::fill(Now[I].begin(), Now[I].end(), Anywhere);
    Now[I][B.Device] = true;
  }
  P.Steps = steps(P.Steps, Now);
  for (uint32_t I = 0; I < Count; ++I) {
    BufferId B(I);
    if (P.Buffers[B].Kind != BufferKind::Temporary)
      need(B, P.Buffers[B].Device, Now, P.Steps, P.Loc);
  }
}

} // namespace

void prog::placeBuffers(Program &P, const Module &M) {
  if (P.Devices.size() > 1)
    Placer(P, M).run();
}

void prog::spreadOverDevices(Program &P,
                             const std::vector<std::string> &Names) {
  if (P.Devices != std::vector<std::string>{"device"})
    return;
  P.Devices = Names;
  uint32_t Next = 0, Count = static_cast<uint32_t>(Names.size());
  forEachStep(P.Steps, [&](Step &S) {
    if (Dispatch *D = std::get_if<Dispatch>(&S.Kind))
      D->Device = Next++ % Count;
    if (Copy *C = std::get_if<Copy>(&S.Kind))
      C->Device = Next++ % Count;
  });
}
