//===- ApiProgramDesc.cpp - C interface: descriptions as a whole ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes, text, equality and the check. ApiBuild.cpp builds.
//
//===----------------------------------------------------------------------===//
#include "program/ProgramDesc.h"

#include "core/Boundary.h"
#include "core/Objects.h"
#include "program/Bytes.h"
#include "program/Text.h"

#include <set>

using namespace goldy;
using namespace goldy::rt;

Status goldy::rt::refusal(const program::Refusal &R) {
  switch (program::ruleInfo(R.Broken).Class) {
  case program::RuleClass::Refused:
    return Status(GOLDY_UNSUPPORTED, R.Message);
  case program::RuleClass::Limit:
    return Status(GOLDY_LIMIT, R.Message);
  case program::RuleClass::Invalid:
    break;
  }
  return Status(GOLDY_INVALID_ARGUMENT, R.Message);
}

Status goldy::rt::needsClosed(const goldy_program_desc &D) {
  if (!D.Submit && D.Loops.empty())
    return Status();
  return Status(GOLDY_INVALID_ARGUMENT,
                D.Submit ? "a submit is open" : "a loop is open");
}

goldy_status_t goldy_program_desc_create(goldy_program_desc_t **out_desc) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(out_desc);
    *out_desc = new goldy_program_desc;
    return Status();
  });
}

void goldy_program_desc_destroy(goldy_program_desc_t *desc) { delete desc; }

template <class Reader>
static Status readInto(Reader Read, const char *Data, size_t Bytes,
                       goldy_program_desc_t **Out) {
  std::unique_ptr<goldy_program_desc> D =
      std::make_unique<goldy_program_desc>();
  std::string Why;
  if (!Read(std::string_view(Data, Bytes), D->Desc, Why))
    return Status(GOLDY_INVALID_ARTIFACT, Why);
  *Out = D.release();
  return Status();
}

goldy_status_t goldy_program_desc_decode(const void *data, size_t bytes,
                                         goldy_program_desc_t **out_desc) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(data || bytes == 0);
    GOLDY_NEEDS(out_desc);
    bool (*Read)(std::string_view, program::ProgramDesc &, std::string &) =
        program::fromBytes;
    return readInto(Read, static_cast<const char *>(data), bytes, out_desc);
  });
}

goldy_status_t goldy_program_desc_parse(const char *text, size_t bytes,
                                        goldy_program_desc_t **out_desc) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(text || bytes == 0);
    GOLDY_NEEDS(out_desc);
    bool (*Read)(std::string_view, program::ProgramDesc &, std::string &) =
        program::fromText;
    return readInto(Read, text, bytes, out_desc);
  });
}

template <class Writer>
static Status write(Writer Write, goldy_program_desc &D, goldy_text_t &Out) {
  GOLDY_TRY(needsClosed(D));
  if (std::optional<program::Refusal> R = program::checkNumbers(D.Desc))
    return refusal(*R);
  D.Text = Write(D.Desc);
  Out = {D.Text.data(), D.Text.size()};
  return Status();
}

goldy_status_t goldy_program_desc_encode(goldy_program_desc_t *desc,
                                         goldy_text_t *out_bytes) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(out_bytes);
    return write(
        [](const program::ProgramDesc &P) { return program::toBytes(P); },
        *desc, *out_bytes);
  });
}

goldy_status_t goldy_program_desc_print(goldy_program_desc_t *desc,
                                        goldy_text_t *out_text) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(out_text);
    return write(
        [](const program::ProgramDesc &P) { return program::toText(P); }, *desc,
        *out_text);
  });
}

int goldy_program_desc_equal(const goldy_program_desc_t *a,
                             const goldy_program_desc_t *b) {
  return a == b || (a && b && a->Desc == b->Desc);
}

Status goldy::rt::machineOf(const program::ProgramDesc &P,
                            const goldy_program_machine_t &M,
                            program::Machine &Out) {
  GOLDY_NEEDS(M.devices || M.device_count == 0);
  GOLDY_NEEDS(M.rails || M.rail_count == 0);
  for (size_t I = 0; I < M.device_count; ++I) {
    if (!M.devices[I])
      return Status(GOLDY_INVALID_ARGUMENT,
                    "device " + std::to_string(I) + " is NULL");
    const DeviceFacts &F = M.devices[I]->Driver->facts();
    // Kernels for this arch take buffers as descriptors.
    bool HandleOnly = I < P.Devices.size() && P.Devices[I] == "vulkan1.1";
    Out.Devices.push_back({F.Name, F.Arches, HandleOnly});
  }
  std::set<int64_t> Ids;
  for (size_t I = 0; I < M.rail_count; ++I) {
    const goldy_rail_end_t &R = M.rails[I];
    if (!Ids.insert(R.id).second)
      return Status(GOLDY_INVALID_ARGUMENT,
                    "rail " + std::to_string(R.id) + " is given twice");
    Out.Rails.push_back({R.id, {R.bytes[0], R.bytes[1], R.bytes[2]}});
  }
  return Status();
}

goldy_status_t
goldy_program_desc_check(const goldy_program_desc_t *desc,
                         const goldy_program_machine_t *machine) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_TRY(needsClosed(*desc));
    program::Machine M;
    if (machine)
      GOLDY_TRY(machineOf(desc->Desc, *machine, M));
    std::optional<program::Refusal> R =
        program::check(desc->Desc, machine ? &M : nullptr);
    if (!R)
      R = program::checkConstantHoles(desc->Desc);
    return R ? refusal(*R) : Status();
  });
}
