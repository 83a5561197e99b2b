//===- Sides.cpp - What runs a program: a device, or the oracle -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Sides.h"
#include "../../tools/goldy-interp/Input.h"
#include "../../tools/goldy-interp/Source.h"
#include "goldyc/Interp/Program.h"
#include "goldyc/Transforms/Collectives.h"
#include "goldyc/Transforms/ExpandMath.h"
#include "goldyc/Verify/Verify.h"

#include <sstream>

using namespace frames;
using goldy::Result;
using goldy::Status;

namespace {

bool good(const Status &S, std::string &Why) {
  if (!S.ok())
    Why = S.message();
  return S.ok();
}

//===-- Devices -----------------------------------------------------------===//

/// What is under way in one slot.
struct InFlight {
  goldy::Frame Values;
  std::vector<std::optional<goldy::Buffer>> Buffers; ///< by parameter
  std::vector<size_t> BufferOf;                      ///< aliases resolved
  std::optional<std::string> Refused;
};

class DeviceSide : public Side {
public:
  DeviceSide(std::string Name, const std::vector<Parameter> &Params)
      : Side(std::move(Name)), Params(Params) {}
  bool load(const goldy::Artifact &A, const goldy::ProgramTemplate &T,
            std::string &Why);
  bool addSlot(const goldy::ProgramTemplate &T, std::string &Why);
  bool start(size_t Slot, const Frame &F, std::string &Why) override;
  bool finish(size_t Slot, Outcome &Out, std::string &Why) override;

private:
  bool open(const std::string &Name, std::string &Why);
  bool giveBuffer(InFlight &S, size_t I, const Frame &F, std::string &Why);
  bool setAll(InFlight &S, const Frame &F, std::string &Why);

  std::vector<goldy::Device> Opened;
  std::vector<goldy_device_t *> Devices; ///< of the program
  std::optional<goldy::Program> P;
  const std::vector<Parameter> &Params;
  std::vector<InFlight> Slots;
};

bool DeviceSide::open(const std::string &Name, std::string &Why) {
  std::istringstream Parts(Name);
  std::string Driver, Arch, Threads;
  std::getline(Parts, Driver, '.');
  std::getline(Parts, Arch, '.');
  std::getline(Parts, Threads, '.');
  goldy::DeviceOptions Options;
  Options.Arch = Arch.empty() ? nullptr : Arch.c_str();
  Options.Threads = static_cast<uint32_t>(std::atoi(Threads.c_str()));
  Result<goldy::Device> D = goldy::Device::open(Driver.c_str(), Options);
  if (!D)
    return good(D.status(), Why);
  Opened.push_back(std::move(*D));
  return true;
}

bool DeviceSide::load(const goldy::Artifact &A, const goldy::ProgramTemplate &T,
                      std::string &Why) {
  std::istringstream Names(Name);
  for (std::string One; std::getline(Names, One, '+');)
    if (!open(One, Why))
      return false;
  for (size_t I = 0; I < T.info().device_count; ++I)
    Devices.push_back(Opened[I % Opened.size()].get());
  Result<goldy::ProgramDesc> Desc = T.instantiate(A, Devices);
  if (!Desc)
    return good(Desc.status(), Why);
  goldy_program_machine_t On{};
  On.devices = Devices.data();
  On.device_count = Devices.size();
  Result<goldy::Program> Made = goldy::Program::load(*Desc, On, true);
  if (!Made)
    return good(Made.status(), Why);
  P.emplace(std::move(*Made));
  return true;
}

bool DeviceSide::addSlot(const goldy::ProgramTemplate &T, std::string &Why) {
  Result<goldy::Frame> F = goldy::Frame::create(T, *P, Devices);
  if (!F)
    return good(F.status(), Why);
  Slots.push_back({std::move(*F), {}, {}, std::nullopt});
  Slots.back().Buffers.resize(Params.size());
  Slots.back().BufferOf.resize(Params.size());
  return true;
}

bool DeviceSide::giveBuffer(InFlight &S, size_t I, const Frame &F,
                            std::string &Why) {
  S.BufferOf[I] = F[I].Alias.value_or(I);
  if (S.BufferOf[I] != I)
    return true;
  goldy_buffer_t *Made = nullptr;
  if (!good(Status(goldy_buffer_create(Devices[Params[I].Device],
                                       F[I].Bytes.size(), &Made)),
            Why))
    return false;
  S.Buffers[I].emplace(Made);
  return good(S.Buffers[I]->write(F[I].Bytes), Why);
}

/// Ints come before inputs, both in the template's order.
bool DeviceSide::setAll(InFlight &S, const Frame &F, std::string &Why) {
  size_t Ints = 0, Inputs = 0;
  for (size_t I = 0; I < Params.size(); ++I) {
    Status Done =
        Params[I].IsBuffer
            ? S.Values.setInput(Inputs++, S.Buffers[S.BufferOf[I]]->get())
            : Status(goldy_frame_set_int(S.Values.get(), Ints++, Params[I].Kind,
                                         F[I].Bits));
    if (!good(Done, Why))
      return false;
  }
  return true;
}

bool DeviceSide::start(size_t Slot, const Frame &F, std::string &Why) {
  InFlight &S = Slots[Slot];
  for (size_t I = 0; I < Params.size(); ++I)
    if (Params[I].IsBuffer && !giveBuffer(S, I, F, Why))
      return false;
  if (!setAll(S, F, Why))
    return false;
  Status Ran = S.Values.run();
  S.Refused.reset();
  if (!Ran.ok())
    S.Refused = std::string(Ran.message());
  if (Ran.ok() || Ran.code() == GOLDY_INVALID_ARGUMENT)
    return true;
  return good(Ran, Why);
}

bool DeviceSide::finish(size_t Slot, Outcome &Out, std::string &Why) {
  InFlight &S = Slots[Slot];
  if (!good(S.Values.wait(), Why))
    return false;
  Out.Refused = S.Refused.has_value();
  Out.Message = S.Refused.value_or("");
  Out.Buffers.assign(Params.size(), {});
  for (size_t I = 0; I < Params.size(); ++I) {
    if (!Params[I].IsBuffer || S.BufferOf[I] != I)
      continue;
    Out.Buffers[I].resize(S.Buffers[I]->bytes());
    if (!good(S.Buffers[I]->read(Out.Buffers[I]), Why))
      return false;
  }
  return true;
}

//===-- The oracle --------------------------------------------------------===//

class OracleSide : public Side {
public:
  OracleSide(goldy::Definitions D, const std::vector<Parameter> &Params,
             size_t Slots)
      : Side("oracle"), Source(std::move(D)), Params(Params), Left(Slots) {}
  bool choose(const std::string &Program, std::string &Why);
  bool start(size_t Slot, const Frame &F, std::string &Why) override;
  bool finish(size_t Slot, Outcome &Out, std::string &) override {
    Out = std::move(Left[Slot]);
    return true;
  }

private:
  goldy::Definitions Source;
  const std::vector<Parameter> &Params;
  std::vector<Outcome> Left;
  const goldy::prog::Program *Program = nullptr;
  std::optional<goldy::ProgramOracle> Oracle;
};

bool OracleSide::choose(const std::string &Name, std::string &Why) {
  for (const goldy::prog::Program &P : Source.Programs)
    if (P.Name == Name)
      Program = &P;
  if (Program)
    Oracle.emplace(Source.Kernels, *Program);
  else
    Why = "the source has no program `" + Name + "`";
  return Program != nullptr;
}

bool OracleSide::start(size_t Slot, const Frame &F, std::string &Why) {
  Outcome &Out = Left[Slot];
  Out.Buffers.assign(Params.size(), {});
  for (size_t I = 0; I < F.size(); ++I)
    Out.Buffers[I] = F[I].Bytes;
  std::vector<goldy::InterpArgument> Args;
  for (const goldy::prog::Parameter &A : Program->Params)
    for (size_t I = 0; I < Params.size(); ++I)
      if (Params[I].Name == A.Name)
        Args.push_back({F[I].Bits, Out.Buffers[F[I].Alias.value_or(I)]});
  std::optional<goldy::InterpFault> Fault = Oracle->run(Args);
  Out.Refused = Fault.has_value();
  Out.Message = Fault ? Fault->Message : "";
  if (!Fault || Fault->Form == goldy::InterpFault::Kind::Fault)
    return true;
  Why = Fault->Message;
  return false;
}

} // namespace

std::unique_ptr<Side> frames::deviceSide(const std::string &Name,
                                         const goldy::Artifact &A,
                                         const goldy::ProgramTemplate &T,
                                         const std::vector<Parameter> &Params,
                                         size_t Slots, std::string &Why) {
  std::unique_ptr<DeviceSide> S = std::make_unique<DeviceSide>(Name, Params);
  if (!S->load(A, T, Why))
    return nullptr;
  for (size_t I = 0; I < Slots; ++I)
    if (!S->addSlot(T, Why))
      return nullptr;
  return S;
}

std::unique_ptr<Side> frames::oracleSide(const std::string &File,
                                         const std::string &Program,
                                         const std::vector<Parameter> &Params,
                                         size_t Slots, std::string &Why) {
  goldy::SourceManager SM;
  std::optional<goldy::FileId> Id = goldy::readInput(File, "", SM, Why);
  if (!Id)
    return nullptr;
  goldy::DiagSink Diags;
  std::optional<goldy::Definitions> D =
      goldy::readSource(*Id, goldy::CommandLine(), SM, Diags);
  std::optional<goldy::VerifiedModule> M;
  if (D)
    M = goldy::verify(std::move(D->Kernels), Diags);
  if (!M) {
    Why = "`" + File + "` has errors";
    return nullptr;
  }
  D->Kernels = std::move(*M).take();
  goldy::expandSoftmax(D->Kernels);
  goldy::expandPublished(D->Kernels);
  std::unique_ptr<OracleSide> S =
      std::make_unique<OracleSide>(std::move(*D), Params, Slots);
  return S->choose(Program, Why) ? std::move(S) : nullptr;
}
