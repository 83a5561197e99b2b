//===- FaultyDriver.cpp - A device whose calls fail on demand -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every method that gives a Status asks `enter` first.
//
//===----------------------------------------------------------------------===//
#include "null/FaultyDriver.h"

using namespace goldy::rt;

const char *goldy::rt::callName(DriverCall Call) {
  constexpr const char *Names[] = {"allocate", "write",     "read",    "map",
                                   "unmap",    "loadImage", "prepare", "run",
                                   "times",    "wait",      "borrow"};
  return Names[static_cast<size_t>(Call)];
}

void FaultyDriver::failAt(uint64_t N, goldy_code_t With,
                          std::optional<DriverCall> Of) {
  FailingCall = N;
  Code = With;
  Kind = Of;
  Calls = 0;
  Failed.reset();
  Lost = false;
}

Status FaultyDriver::enter(DriverCall Call) {
  bool Counts = !Kind || *Kind == Call;
  if (Lost)
    return Status(GOLDY_LOST, std::string(callName(Call)) +
                                  ": the device was lost at " +
                                  callName(*Failed));
  if (!Counts || ++Calls != FailingCall)
    return Status();
  Failed = Call;
  Lost = Code == GOLDY_LOST;
  return Status(Code, std::string(callName(Call)) + ": made to fail");
}

Status FaultyDriver::made(Status S) {
  Alive += S.ok();
  return S;
}

Status FaultyDriver::allocate(uint64_t Bytes, MemoryId &Out) {
  GOLDY_TRY(enter(DriverCall::Allocate));
  return made(Real->allocate(Bytes, Out));
}
Status FaultyDriver::borrow(void *Host, uint64_t Bytes, MemoryId &Out) {
  GOLDY_TRY(enter(DriverCall::Borrow));
  return made(Real->borrow(Host, Bytes, Out));
}
void FaultyDriver::release(MemoryId Memory) {
  --Alive;
  Real->release(Memory);
}
Status FaultyDriver::write(MemoryId Memory, uint64_t Offset,
                           std::span<const std::byte> Data) {
  GOLDY_TRY(enter(DriverCall::Write));
  return Real->write(Memory, Offset, Data);
}
Status FaultyDriver::read(MemoryId Memory, uint64_t Offset,
                          std::span<std::byte> Data) {
  GOLDY_TRY(enter(DriverCall::Read));
  return Real->read(Memory, Offset, Data);
}
Status FaultyDriver::map(MemoryId Memory, void *&Out) {
  GOLDY_TRY(enter(DriverCall::Map));
  return Real->map(Memory, Out);
}
Status FaultyDriver::unmap(MemoryId Memory) {
  GOLDY_TRY(enter(DriverCall::Unmap));
  return Real->unmap(Memory);
}
Status FaultyDriver::loadImage(const Kernel &K, const Image &I, ImageId &Out) {
  GOLDY_TRY(enter(DriverCall::LoadImage));
  return made(Real->loadImage(K, I, Out));
}
void FaultyDriver::releaseImage(ImageId Image) {
  --Alive;
  Real->releaseImage(Image);
}
Status FaultyDriver::prepare(SubmissionDesc Desc, SubmissionId &Out) {
  GOLDY_TRY(enter(DriverCall::Prepare));
  return made(Real->prepare(std::move(Desc), Out));
}
Status FaultyDriver::run(SubmissionId Submission, const RunInput &Input,
                         uint64_t &Point) {
  GOLDY_TRY(enter(DriverCall::Run));
  return Real->run(Submission, Input, Point);
}
void FaultyDriver::releaseSubmission(SubmissionId Submission) {
  --Alive;
  Real->releaseSubmission(Submission);
}
Status FaultyDriver::times(SubmissionId Submission, uint64_t Point,
                           std::vector<PartTime> &Out) {
  GOLDY_TRY(enter(DriverCall::Times));
  return Real->times(Submission, Point, Out);
}
Status FaultyDriver::wait(uint64_t Point, uint64_t TimeoutNs) {
  GOLDY_TRY(enter(DriverCall::Wait));
  return Real->wait(Point, TimeoutNs);
}
