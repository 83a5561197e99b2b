//===- NullDriver.cpp - The device that only records ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is real, fills and copies happen, launches are recorded and change
// nothing. Names are small numbers in the order of creation.
//
//===----------------------------------------------------------------------===//
#include "null/NullDriver.h"

#include "core/Parts.h"
#include "null/CommandWords.h"

#include <cstring>
#include <new>

using namespace goldy::rt;

using Guard = std::lock_guard<std::mutex>;

template <class Id> static std::string number(Id I) {
  return std::to_string(static_cast<uint64_t>(I));
}

static std::string triple(const std::array<uint32_t, 3> &Numbers) {
  std::string Text;
  for (uint32_t N : Numbers)
    Text += " " + std::to_string(N);
  return Text;
}

NullDriver::NullDriver(std::string Arch, uint64_t MaxGroups) {
  Facts.Name = "null";
  Facts.Description = "records what it is asked and runs no kernel";
  Facts.Arches = {Arch.empty() ? "*" : std::move(Arch)};
  Facts.MaxBufferBytes = uint64_t(1) << 40;
  Facts.MaxGroups = {MaxGroups, MaxGroups, MaxGroups};
  Facts.MaxWorkgroupBytes = 1 << 20;
  Facts.Clock = true;
}

/// Releasing never fails: without memory the line is lost.
void NullDriver::noteEnd(const char *What, uint64_t Number) noexcept {
  try {
    note(What + std::to_string(Number));
  } catch (const std::bad_alloc &) {
  }
}

Status NullDriver::allocate(uint64_t Bytes, MemoryId &Out) {
  std::unique_ptr<HostMemory> M = HostMemory::create(Bytes);
  if (!M)
    return Status(GOLDY_OUT_OF_MEMORY, "no memory for a buffer of " +
                                           std::to_string(Bytes) + " bytes");
  Guard Lock(Mutex);
  MemoryId Made{++Last};
  note("allocate " + number(Made) + " " + std::to_string(Bytes));
  Memories.emplace(Made, std::move(M));
  Out = Made;
  return Status();
}

Status NullDriver::borrow(void *Host, uint64_t Bytes, MemoryId &Out) {
  std::unique_ptr<HostMemory> M = HostMemory::borrow(Host, Bytes);
  if (!M)
    return Status(GOLDY_OUT_OF_MEMORY, "no memory to borrow a buffer");
  Guard Lock(Mutex);
  MemoryId Made{++Last};
  note("borrow " + number(Made) + " " + std::to_string(Bytes));
  Memories.emplace(Made, std::move(M));
  Out = Made;
  return Status();
}

void NullDriver::release(MemoryId Memory) {
  Guard Lock(Mutex);
  noteEnd("release ", static_cast<uint64_t>(Memory));
  Memories.erase(Memory);
}

uint64_t NullDriver::address(MemoryId Memory) const {
  Guard Lock(Mutex);
  return reinterpret_cast<uintptr_t>(memory(Memory).data());
}

Status NullDriver::write(MemoryId Memory, uint64_t Offset,
                         std::span<const std::byte> Data) {
  Guard Lock(Mutex);
  note("write " + number(Memory) + " " + std::to_string(Offset) + " " +
       std::to_string(Data.size()));
  if (!Data.empty())
    std::memcpy(memory(Memory).data() + Offset, Data.data(), Data.size());
  return Status();
}

Status NullDriver::read(MemoryId Memory, uint64_t Offset,
                        std::span<std::byte> Data) {
  Guard Lock(Mutex);
  note("read " + number(Memory) + " " + std::to_string(Offset) + " " +
       std::to_string(Data.size()));
  if (!Data.empty())
    std::memcpy(Data.data(), memory(Memory).data() + Offset, Data.size());
  return Status();
}

Status NullDriver::map(MemoryId Memory, void *&Out) {
  Guard Lock(Mutex);
  note("map " + number(Memory));
  Out = memory(Memory).data();
  return Status();
}

Status NullDriver::unmap(MemoryId Memory) {
  Guard Lock(Mutex);
  note("unmap " + number(Memory));
  return Status();
}

Status NullDriver::loadImage(const Kernel &K, const Image &I, ImageId &Out) {
  Guard Lock(Mutex);
  ImageId Made{++Last};
  note("load " + number(Made) + " " + K.Name + " " + I.Arch);
  Images.emplace(Made, K.Name);
  Out = Made;
  return Status();
}

void NullDriver::releaseImage(ImageId Image) {
  Guard Lock(Mutex);
  noteEnd("unload ", static_cast<uint64_t>(Image));
  Images.erase(Image);
}

Status NullDriver::prepare(SubmissionDesc Desc, SubmissionId &Out) {
  for (const Part &P : Desc.Parts)
    if (P.Kind == PartKind::Call)
      return refuseHostParts(Desc, Facts.Name);
  Guard Lock(Mutex);
  SubmissionId Made{++Last};
  note("prepare " + number(Made) + " " + std::to_string(Desc.Parts.size()));
  Submissions[Made].Desc = std::move(Desc);
  Out = Made;
  return Status();
}

Status NullDriver::run(SubmissionId Submission, const RunInput &Input,
                       uint64_t &Point) {
  Guard Lock(Mutex);
  note("run " + number(Submission));
  Prepared &Asked = Submissions.at(Submission);
  for (const Part &P : Asked.Desc.Parts)
    GOLDY_TRY(runPart(P, Input));
  Point = ++Points;
  if (Asked.Desc.Timed)
    Asked.Times.keep(Point, measure(Asked.Desc));
  return Status();
}

Status NullDriver::runPart(const Part &P, const RunInput &Input) {
  switch (P.Kind) {
  case PartKind::Launch:
    launch(P, Input);
    return Status();
  case PartKind::Fill:
    fill(P.Uses[0], memoryOf(P.Uses[0], Input), P.Value);
    return Status();
  case PartKind::Copy:
    copy(P, Input);
    return Status();
  case PartKind::Words:
    return words(P, Input);
  case PartKind::Call:
    break;
  }
  return Status(GOLDY_INTERNAL, "unknown part");
}

void NullDriver::launch(const Part &P, const RunInput &Input) {
  std::vector<GridPiece> Pieces = P.Pieces;
  if (hasGridWords(P))
    Pieces = splitGrid(dispatchedGroups(groupsOf(P, Input), P.GroupsAtOnce),
                       Facts.MaxGroups);
  for (const GridPiece &G : Pieces)
    note("launch " + Images.at(P.Image) + triple(G.Groups) +
         (Pieces.size() > 1 ? " at" + triple(G.Base) : ""));
}

void NullDriver::fill(const MemoryUse &U, MemoryId Of, uint8_t Value) {
  note("fill " + number(Of) + " " + std::to_string(Value));
  if (U.Bytes)
    std::memset(memory(Of).data() + U.Offset, Value, U.Bytes);
}

void NullDriver::copy(const Part &P, const RunInput &Input) {
  MemoryId From = memoryOf(P.Uses[0], Input), To = memoryOf(P.Uses[1], Input);
  uint64_t Bytes = P.Uses[0].Bytes;
  note("copy " + number(From) + " " + number(To) + " " + std::to_string(Bytes));
  if (Bytes)
    std::memcpy(memory(To).data() + offsetOf(P, 1, Input),
                memory(From).data() + offsetOf(P, 0, Input), Bytes);
}

Status NullDriver::words(const Part &P, const RunInput &Input) {
  std::vector<MemoryUse> Uses = P.Uses;
  for (MemoryUse &U : Uses) {
    U.Memory = memoryOf(U, Input);
    U.Bytes = std::min(U.Bytes, memory(U.Memory).size() - U.Offset);
  }
  CommandWords Next(
      {memory(Uses[0].Memory).data() + Uses[0].Offset, Uses[0].Bytes}, Uses);
  for (CommandWords::Command C; true;) {
    GOLDY_TRY(Next.next(C));
    switch (C.What) {
    case CommandWords::Kind::End:
      return Status();
    case CommandWords::Kind::Note:
      note("word " + std::to_string(C.Number));
      break;
    case CommandWords::Kind::Fill:
      fill(C.Where, C.Where.Memory, C.Value);
      break;
    }
  }
}

std::vector<PartTime> NullDriver::measure(const SubmissionDesc &Desc) {
  std::vector<PartTime> Times;
  for (size_t I = 0; I < Desc.Parts.size(); ++I) {
    Times.push_back({ClockNs, ClockNs + PartNs});
    ClockNs += PartNs;
  }
  return Times;
}

Status NullDriver::times(SubmissionId Submission, uint64_t Point,
                         std::vector<PartTime> &Out) {
  Guard Lock(Mutex);
  return Submissions.at(Submission).Times.find(Point, Out);
}

void NullDriver::releaseSubmission(SubmissionId Submission) {
  Guard Lock(Mutex);
  noteEnd("discard ", static_cast<uint64_t>(Submission));
  Submissions.erase(Submission);
}

uint64_t NullDriver::lastPoint() const {
  Guard Lock(Mutex);
  return Points;
}

Status NullDriver::wait(uint64_t Point, uint64_t) {
  Guard Lock(Mutex);
  note("wait " + std::to_string(Point));
  return Status();
}

std::vector<std::string> NullDriver::record() const {
  Guard Lock(Mutex);
  return Lines;
}

Status goldy::rt::openNull(const DeviceOptions &Options,
                           std::unique_ptr<Driver> &Out) {
  Out = std::make_unique<NullDriver>(Options.Arch);
  return Status();
}
