//===- ApiProgram.cpp - C interface: loading and running ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what C can get wrong, then the check of the description, load, run.
//
//===----------------------------------------------------------------------===//
#include "core/Boundary.h"
#include "program/Load.h"
#include "program/ProgramDesc.h"
#include "program/Run.h"

#include <algorithm>
#include <set>

using namespace goldy;
using namespace goldy::rt;

static Status takeCallbacks(const goldy_program_options_t &O,
                            goldy_program &L) {
  GOLDY_NEEDS(O.callbacks || O.callback_count == 0);
  std::set<std::string> Names;
  for (size_t I = 0; I < O.callback_count; ++I) {
    const goldy_program_callback_t &C = O.callbacks[I];
    if (!C.name || !C.function)
      return nullArgument("callbacks: a name or function");
    if (!Names.insert(C.name).second)
      return Status(GOLDY_INVALID_ARGUMENT, "host function `" +
                                                std::string(C.name) +
                                                "` is given twice");
    L.Callbacks.push_back({C.name, C.function, C.user});
  }
  return Status();
}

static Status takeOptions(const goldy_program_options_t *O, goldy_program &L,
                          bool &Trusted) {
  if (!O)
    return Status();
  if (O->size < sizeof(goldy_program_options_t))
    return Status(GOLDY_INVALID_ARGUMENT,
                  "`options->size` must be sizeof(goldy_program_options_t)");
  if (O->flags & ~(uint32_t(GOLDY_LOAD_TRUSTED) | GOLDY_PROGRAM_TIMED))
    return Status(GOLDY_INVALID_ARGUMENT, "unknown bits in `options->flags`: " +
                                              std::to_string(O->flags));
  Trusted = O->flags & GOLDY_LOAD_TRUSTED;
  if (O->flags & GOLDY_PROGRAM_TIMED)
    L.Times = std::make_unique<ProgramTimes>(L);
  return takeCallbacks(*O, L);
}

/// The devices and rails of a machine that the check took.
static Status takeMachine(const goldy_program_machine_t &M, goldy_program &L) {
  for (size_t I = 0; I < M.device_count; ++I)
    L.Devices.push_back(M.devices[I]->Driver);
  for (size_t I = 0; I < M.rail_count; ++I) {
    const goldy_rail_end_t &R = M.rails[I];
    RailEnd End;
    End.Id = R.id;
    for (size_t A = 0; A < 3; ++A) {
      if (!R.areas[A] && R.bytes[A])
        return nullArgument("rails: an area");
      End.Bytes[A] = static_cast<uint64_t>(R.bytes[A]);
      End.Areas[A] = static_cast<std::byte *>(R.areas[A]);
    }
    End.Ready = R.ready;
    End.User = R.user;
    if (!R.ready)
      return nullArgument("rails: ready");
    L.Rails.push_back(End);
  }
  return Status();
}

static Status load(const goldy_program_desc_t &D,
                   const goldy_program_machine_t &M,
                   const goldy_program_options_t *Options,
                   goldy_program_t **Out) {
  GOLDY_TRY(needsClosed(D));
  std::unique_ptr<goldy_program> L = std::make_unique<goldy_program>();
  program::Machine On;
  GOLDY_TRY(machineOf(D.Desc, M, On));
  bool Trusted = false;
  GOLDY_TRY(takeOptions(Options, *L, Trusted));
  GOLDY_TRY(takeMachine(M, *L));
  if (std::optional<program::Refusal> R = program::check(D.Desc, &On))
    return refusal(*R);
  GOLDY_TRY(loadProgram(D.Desc, Trusted, *L));
  *Out = L.release();
  return Status();
}

goldy_status_t goldy_program_load(const goldy_program_desc_t *desc,
                                  const goldy_program_machine_t *machine,
                                  const goldy_program_options_t *options,
                                  goldy_program_t **out_program) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(machine);
    GOLDY_NEEDS(out_program);
    return load(*desc, *machine, options, out_program);
  });
}

void goldy_program_destroy(goldy_program_t *program) {
  if (program)
    program->release();
}

goldy_program_counts_t goldy_program_counts(const goldy_program_t *program) {
  if (!program)
    return {};
  auto Measures = [&](const std::shared_ptr<Driver> &D) {
    return program->Times && D->facts().Clock;
  };
  size_t Clocks = static_cast<size_t>(std::count_if(
      program->Devices.begin(), program->Devices.end(), Measures));
  return {program->Devices.size(), program->Inputs.size(), program->Ints,
          program->Plan.SubmitSteps, Clocks};
}

goldy_status_t goldy_program_plan(goldy_program_t *program,
                                  goldy_text_t *out_text) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(program);
    GOLDY_NEEDS(out_text);
    std::lock_guard<std::mutex> Lock(program->PlanMutex);
    if (program->PlanText.empty())
      program->PlanText = planText(*program);
    *out_text = {program->PlanText.data(), program->PlanText.size()};
    return Status();
  });
}

goldy_status_t goldy_program_run(goldy_program_t *program,
                                 const goldy_program_frame_t *frame,
                                 const goldy_program_point_t *waits,
                                 size_t wait_count, goldy_program_point_t *ends,
                                 size_t *end_count) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(program);
    GOLDY_NEEDS(frame);
    GOLDY_NEEDS(waits || wait_count == 0);
    GOLDY_NEEDS(frame->inputs || frame->input_count == 0);
    GOLDY_NEEDS(frame->ints || frame->int_count == 0);
    RunRequest Request;
    Request.Frame = frame;
    Request.Waits = {waits, wait_count};
    Request.Ends = ends;
    Status S = Runner(*program, Request).run();
    if (end_count)
      *end_count = Request.EndCount;
    return S;
  });
}

static Status times(goldy_program &L, goldy_program_time_t *Out,
                    size_t Capacity, size_t &Count, size_t *LeftOut) {
  if (!L.Times)
    return Status(GOLDY_INVALID_ARGUMENT,
                  "the program is not timed; load it with GOLDY_PROGRAM_TIMED");
  if (L.State.Running.load() == std::this_thread::get_id())
    return Status(GOLDY_INVALID_ARGUMENT, "this thread runs the program");
  std::lock_guard<std::mutex> Lock(L.State.Mutex);
  GOLDY_TRY(L.Times->finish());
  const std::vector<TimedSpan> &Spans = L.Times->spans();
  for (size_t I = 0; I < std::min(Capacity, Spans.size()); ++I) {
    const TimedSpan &S = Spans[I];
    const char *Name =
        S.Named == NoIndex ? "move" : L.Plan.PartNames[S.Named].Name.c_str();
    Out[I] = {L.Times->placeOf(S).c_str(),
              Name,
              S.Device,
              {S.Time.BeginNs, S.Time.EndNs}};
  }
  Count = Spans.size();
  if (LeftOut)
    *LeftOut = L.Times->leftOut();
  return Status();
}

goldy_status_t goldy_program_times(goldy_program_t *program,
                                   goldy_program_time_t *times, size_t capacity,
                                   size_t *out_count, size_t *out_left_out) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(program);
    GOLDY_NEEDS(times || capacity == 0);
    GOLDY_NEEDS(out_count);
    return ::times(*program, times, capacity, *out_count, out_left_out);
  });
}

goldy_status_t goldy_program_wait(goldy_program_t *program,
                                  goldy_program_point_t point,
                                  uint64_t timeout_ns) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(program);
    if (point.device == GOLDY_PROGRAM_HOST)
      return Status();
    if (point.device >= program->Devices.size())
      return Status(GOLDY_INVALID_ARGUMENT, "the program has no device " +
                                                std::to_string(point.device));
    Driver &Device = *program->Devices[point.device];
    if (point.value > Device.lastPoint())
      return Status(GOLDY_INVALID_ARGUMENT,
                    "point " + std::to_string(point.value) +
                        " was never given; the last one is " +
                        std::to_string(Device.lastPoint()));
    return Device.wait(point.value, timeout_ns);
  });
}
