//===- RunFrame.cpp - What a run is given ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that is refused before the first step stands here; a run that is refused
// here is none.
//
//===----------------------------------------------------------------------===//
#include "program/Run.h"

#include "program/Numbers.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::rt;

static std::string inputText(size_t Number) {
  return "inputs[" + std::to_string(Number) + "]";
}

Status Runner::checkFrame() const {
  if (Frame.input_count != L.Inputs.size())
    return broken(LoadRule::InputCount, "inputs",
                  std::to_string(Frame.input_count) + " inputs instead of " +
                      std::to_string(L.Inputs.size()));
  if (Frame.int_count > L.Ints)
    return broken(LoadRule::IntCount, "ints",
                  std::to_string(Frame.int_count) + " ints, the program has " +
                      std::to_string(L.Ints));
  for (size_t I = 0; I < Frame.int_count; ++I)
    if (!program::isNumber(Frame.ints[I]))
      return broken(LoadRule::IntCount, "ints[" + std::to_string(I) + "]",
                    std::to_string(Frame.ints[I]));
  if (Frame.step_points && Frame.step_point_count != P.SubmitSteps)
    return broken(LoadRule::PointCount, "step_points",
                  std::to_string(Frame.step_point_count) +
                      " points, the program has " +
                      std::to_string(P.SubmitSteps) + " submit steps");
  for (size_t I = 0; I < Frame.input_count; ++I)
    GOLDY_TRY(checkInput(I));
  return checkWaits();
}

Status Runner::checkInput(size_t Number) const {
  const goldy_buffer_t *B = Frame.inputs[Number];
  const program::Input &In = L.Inputs[Number];
  size_t Device = static_cast<size_t>(In.Device);
  if (!B || B->Memory->Device != L.Devices[Device])
    return broken(LoadRule::InputDevice, inputText(Number),
                  (B ? "a buffer of `" + B->Memory->Device->facts().Name +
                           "`, of another device than"
                     : "NULL instead of a buffer of") +
                      " device " + std::to_string(Device) + " (`" +
                      L.deviceName(Device) + "`)");
  if (B->Memory->Bytes < static_cast<uint64_t>(In.Bytes))
    return broken(LoadRule::InputBytes, inputText(Number),
                  "a buffer of " + std::to_string(B->Memory->Bytes) +
                      " bytes instead of " + std::to_string(In.Bytes));
  return Status();
}

Status Runner::checkWaits() const {
  for (const goldy_program_point_t &W : Request.Waits) {
    if (W.device == GOLDY_PROGRAM_HOST)
      continue;
    if (W.device >= L.Devices.size())
      return broken(LoadRule::WaitGiven, "waits",
                    "device " + std::to_string(W.device) + " of " +
                        std::to_string(L.Devices.size()));
    uint64_t Last = L.Devices[W.device]->lastPoint();
    if (W.value > Last)
      return broken(LoadRule::WaitGiven, "waits",
                    "point " + std::to_string(W.value) + " of `" +
                        L.deviceName(W.device) + "`, whose last one is " +
                        std::to_string(Last));
  }
  return Status();
}

/// Waits for run n - 2 on the copies that this run uses, and for the caller's
/// points, unless they are of the only device, which is in order by itself.
Status Runner::waitBefore() {
  Copy = S.Runs % 2;
  Ints = L.ints(Copy);
  GOLDY_TRY(waitAll(S.OfCopies[Copy], 0));
  if (L.Devices.size() == 1 && P.Stages.empty())
    return Status();
  for (const goldy_program_point_t &W : Request.Waits)
    if (W.device != GOLDY_PROGRAM_HOST)
      if (Status R = wait(W.device, W.value); !R.ok())
        return failed(NoIndex, W.device, R);
  return Status();
}

/// The word that says how long an input is.
Number Runner::lengthOf(size_t Input) const {
  size_t Word = static_cast<size_t>(L.Inputs[Input].Length->Word);
  return Word < Frame.int_count ? Frame.ints[Word]
                                : intAt(static_cast<uint32_t>(Word));
}

Status Runner::checkLengths() const {
  for (size_t I = 0; I < L.Inputs.size(); ++I) {
    const std::optional<program::Length> &Length = L.Inputs[I].Length;
    if (!Length)
      continue;
    Number N = lengthOf(I);
    uint64_t Bytes = Frame.inputs[I]->Memory->Bytes;
    if (N < 0 || static_cast<uint64_t>(N) >
                     Bytes / static_cast<uint64_t>(Length->Stride))
      return broken(LoadRule::InputLength, inputText(I),
                    "int " + std::to_string(Length->Word) + " says " +
                        std::to_string(N) + " elements of " +
                        std::to_string(Length->Stride) + " bytes, of " +
                        std::to_string(Bytes));
  }
  return Status();
}

//===-- Inputs ------------------------------------------------------------===//

void Runner::takeAddress(size_t Device, size_t Number, MemoryId Id) {
  uint64_t Address = L.Devices[Device]->address(Id);
  S.InputMemories[Device][Number] = Id;
  if (S.InputAddresses[Device][Number] != Address)
    ++S.InputVersion;
  S.InputAddresses[Device][Number] = Address;
}

/// Whether no two inputs are one buffer; of many it is not looked at.
bool Runner::areDistinct() const {
  constexpr size_t Many = 64;
  if (S.Inputs.size() > Many)
    return false;
  for (size_t I = 0; I < S.Inputs.size(); ++I)
    for (size_t J = 0; J < I; ++J)
      if (S.Inputs[I] == S.Inputs[J])
        return false;
  return true;
}

Status Runner::takeInputs() {
  for (size_t I = 0; I < L.Inputs.size(); ++I) {
    S.Inputs[I] = Frame.inputs[I]->Memory;
    const Memory &M = *S.Inputs[I];
    size_t Device = static_cast<size_t>(L.Inputs[I].Device);
    const std::optional<program::Length> &Length = L.Inputs[I].Length;
    uint64_t Bytes = Length ? static_cast<uint64_t>(lengthOf(I)) *
                                  static_cast<uint64_t>(Length->Stride)
                            : M.Bytes;
    if (S.InputBytes[I] != Bytes)
      ++S.InputVersion;
    S.InputBytes[I] = Bytes;
    takeAddress(Device, I, M.Id);
  }
  S.Distinct = areDistinct();
  for (const auto &[Device, Number] : P.Borrowed)
    GOLDY_TRY(borrowInput(Device, Number));
  return Status();
}

Status Runner::borrowInput(uint32_t Device, uint32_t Number) {
  const Memory &M = *S.Inputs[Number];
  std::string Where = "`" + L.deviceName(Device) + "`: " + inputText(Number);
  if (M.Device->facts().Threads == 0)
    return broken(LoadRule::InputReached, Where,
                  "a buffer of `" + M.Device->facts().Name +
                      "`; move its bytes");
  void *Host = nullptr;
  Status R = M.Device->map(M.Id, Host);
  MemoryId Id{};
  if (R.ok())
    R = L.Devices[Device]->borrow(Host, std::max<uint64_t>(M.Bytes, 1), Id);
  if (!R.ok())
    return broken(R.code() == GOLDY_LOST ? LoadRule::RunLost
                                         : LoadRule::InputReached,
                  Where, R);
  takeAddress(Device, Number, Id);
  return Status();
}

/// Ends the borrows of this run; `release` waits for their work.
void Runner::returnInputs() {
  for (const auto &[Device, Number] : P.Borrowed) {
    MemoryId &Id = S.InputMemories[Device][Number];
    if (Id != MemoryId{})
      L.Devices[Device]->release(Id);
    Id = MemoryId{};
  }
  for (std::shared_ptr<Memory> &M : S.Inputs)
    M.reset();
}

/// From here on it is a run, whatever becomes of it.
void Runner::start() {
  ++S.Runs;
  if (L.Times)
    L.Times->clear();
  std::copy_n(Frame.ints, Frame.int_count, Ints);
  std::ranges::fill(S.OfCopies[Copy], 0);
  std::ranges::fill(S.Ends, 0);
  for (size_t I = 0; I < P.SubmitSteps && Frame.step_points; ++I)
    Frame.step_points[I] = {GOLDY_PROGRAM_HOST, 0};
  size_t Count = L.Devices.size();
  // Work that the caller started uses inputs too.
  for (size_t W = 0; W < P.Watches.size(); ++W)
    for (size_t D = 0; D < Count && P.Watches[W].Input != NoIndex; ++D)
      S.Wrote[0][W * Count + D] = S.Used[0][W * Count + D] =
          L.Devices[D]->lastPoint();
}
