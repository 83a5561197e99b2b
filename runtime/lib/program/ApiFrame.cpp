//===- ApiFrame.cpp - C interface: frames ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names are looked up once, by goldy_frame_find_*; all else goes by number.
//
//===----------------------------------------------------------------------===//
#include "program/Frame.h"

#include "core/Boundary.h"

#include <algorithm>

using namespace goldy::rt;

goldy_status_t goldy_frame_create(const goldy_program_template_t *t,
                                  goldy_program_t *program,
                                  goldy_device_t *const *devices, size_t count,
                                  goldy_frame_t **out_frame) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(t);
    GOLDY_NEEDS(program);
    GOLDY_NEEDS(devices || count == 0);
    GOLDY_NEEDS(out_frame);
    for (size_t I = 0; I < count; ++I)
      GOLDY_NEEDS(devices[I]);
    const goldy::program::ProgramTemplate &T = t->Template;
    goldy_program_counts_t Has = goldy_program_counts(program);
    if (count != T.Devices.size() || Has.devices != count ||
        Has.inputs != T.Inputs.size() || Has.ints != T.Ints.size())
      return Status(GOLDY_INVALID_ARGUMENT,
                    "program `" + T.Name +
                        "`: the template, the loaded program and the devices "
                        "do not belong together");
    {
      std::lock_guard<std::mutex> Lock(program->ServedGuard);
      program->Served.resize(T.Inputs.size());
    }
    *out_frame = new goldy_frame(*t, program, {devices, count});
    return Status();
  });
}

namespace {
/// What a frame is made from; goes when the frame is there.
struct Parts {
  goldy_program_template_t *Template = nullptr;
  goldy_program_desc_t *Desc = nullptr;
  goldy_program_t *Program = nullptr;
  Parts() = default;
  Parts(const Parts &) = delete;
  Parts &operator=(const Parts &) = delete;
  ~Parts() {
    goldy_program_destroy(Program);
    goldy_program_desc_destroy(Desc);
    goldy_program_template_destroy(Template);
  }
};
} // namespace

goldy_status_t goldy_frame_load(const goldy_artifact_t *artifact,
                                const char *name,
                                goldy_device_t *const *devices, size_t count,
                                goldy_frame_t **out_frame) {
  Parts P;
  goldy_status_t Failed =
      goldy_program_template_open(artifact, name, &P.Template);
  if (!Failed)
    Failed = goldy_program_instantiate(P.Template, artifact, devices, count,
                                       &P.Desc);
  if (!Failed) {
    goldy_program_machine_t On = {devices, count, nullptr, 0};
    goldy_program_options_t Options = {sizeof Options, GOLDY_LOAD_TRUSTED,
                                       nullptr, 0};
    Failed = goldy_program_load(P.Desc, &On, &Options, &P.Program);
  }
  if (!Failed)
    Failed =
        goldy_frame_create(P.Template, P.Program, devices, count, out_frame);
  return Failed;
}

void goldy_frame_destroy(goldy_frame_t *frame) { delete frame; }

static Status find(const goldy_frame &F, const char *Name, const char *What,
                   const std::vector<std::string> &Names, size_t &Out) {
  std::vector<std::string>::const_iterator At = std::ranges::find(Names, Name);
  if (At != Names.end()) {
    Out = static_cast<size_t>(At - Names.begin());
    return Status();
  }
  std::string List;
  for (const std::string &N : Names)
    List += (List.empty() ? "`" : ", `") + N + "`";
  return Status(GOLDY_NOT_FOUND,
                "program `" + F.Object.Template.Name + "` has no " + What +
                    " `" + Name + "`; " +
                    (List.empty() ? "it has none" : "it has " + List));
}

goldy_status_t goldy_frame_find_input(const goldy_frame_t *frame,
                                      const char *name, size_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    GOLDY_NEEDS(name);
    GOLDY_NEEDS(out_index);
    std::vector<std::string> Names;
    for (size_t I : frame->Object.Inputs)
      Names.push_back(frame->Object.Template.Inputs[I].Name);
    return find(*frame, name, "input", Names, *out_index);
  });
}

goldy_status_t goldy_frame_find_int(const goldy_frame_t *frame,
                                    const char *name, size_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    GOLDY_NEEDS(name);
    GOLDY_NEEDS(out_index);
    std::vector<std::string> Names;
    for (size_t I : frame->Object.Ints)
      Names.push_back(
          std::get<goldy::program::NamedInt>(frame->Object.Template.Ints[I])
              .Name);
    return find(*frame, name, "int", Names, *out_index);
  });
}

static Status inList(const char *What, size_t Index, size_t Count) {
  return Index < Count
             ? Status()
             : Status(GOLDY_INVALID_ARGUMENT,
                      std::string(What) + " " + std::to_string(Index) + " of " +
                          std::to_string(Count));
}

goldy_status_t goldy_frame_set_input(goldy_frame_t *frame, size_t index,
                                     goldy_buffer_t *buffer) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    GOLDY_NEEDS(buffer);
    GOLDY_TRY(inList("input", index, frame->Object.Inputs.size()));
    return frame->setInput(index, *buffer);
  });
}

goldy_status_t goldy_frame_set_view(goldy_frame_t *frame, size_t index,
                                    goldy_buffer_t *buffer, uint64_t offset,
                                    uint64_t bytes) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    GOLDY_NEEDS(buffer);
    GOLDY_TRY(inList("input", index, frame->Object.Inputs.size()));
    return frame->setView(index, *buffer, offset, bytes);
  });
}

goldy_status_t goldy_frame_set_int(goldy_frame_t *frame, size_t index,
                                   goldy_type_kind_t type, uint64_t bits) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    GOLDY_TRY(inList("int", index, frame->Object.Ints.size()));
    return frame->setInt(index, type, bits);
  });
}

goldy_status_t goldy_frame_run(goldy_frame_t *frame,
                               const goldy_program_point_t *waits,
                               size_t wait_count, goldy_program_point_t *ends,
                               size_t *end_count) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    GOLDY_NEEDS(waits || wait_count == 0);
    Status S = frame->run({waits, wait_count});
    if (ends)
      std::copy_n(frame->Ends.begin(), frame->EndCount, ends);
    if (end_count)
      *end_count = frame->EndCount;
    return S;
  });
}

goldy_status_t goldy_frame_wait(goldy_frame_t *frame, uint64_t timeout_ns) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(frame);
    return frame->wait(timeout_ns);
  });
}
