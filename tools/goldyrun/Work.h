//===- Work.h - What a session runs ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's launch on one device, or a program with its frame on several. Once
// open, both are run, waited for and measured alike.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_WORK_H
#define GOLDYRUN_WORK_H

#include "Arguments.h"
#include "Source.h"

namespace goldyrun {

/// A part of a program's step, or a move.
struct PartFacts {
  std::string Place;  ///< "steps[2].body[0].parts[1]"
  std::string Name;   ///< of the function, "copy", "move"
  std::string Where;  ///< in the user's source; may be empty
  std::string Device; ///< as opened, or "host"
};
struct PartSpan {
  size_t Part = 0; ///< in WorkFacts::Parts
  goldy_time_span_t Span{};
};

/// One run, in nanoseconds of the host's monotonic clock.
struct RunTime {
  uint64_t StartNs = 0, SubmittedNs = 0, DoneNs = 0;
  std::optional<goldy_time_span_t> Device; ///< of timed work, if there was some
  std::vector<PartSpan> Parts; ///< of a timed program, as they were started
};
uint64_t hostNs();

/// What became of a run.
struct Attempt {
  RunTime Time;
  goldy::Status Result;
};

/// What reports say of the work.
struct WorkFacts {
  bool IsProgram = false;
  std::string Name;             ///< of the kernel or program
  std::string Image;            ///< arch of the image; several with commas
  std::string Device;           ///< as opened; several with commas
  std::string Description;      ///< of the devices
  uint32_t Threads = 0;         ///< of a CPU device; else 0
  goldy::Grid Grid;             ///< of a kernel
  size_t Submits = 0;           ///< of a program: its submit steps
  std::vector<PartFacts> Parts; ///< of a program: that were measured
  /// "kernel `saxpy`"
  std::string title() const;
};

class Work {
public:
  virtual ~Work();
  /// Runs once and waits, no longer than `Limit`.
  virtual void attempt(std::optional<Seconds> Limit, Attempt &Out) = 0;
  /// Lets the device measure the runs from now on; false if it cannot.
  virtual Exit measure(bool &Timed) = 0;

  std::optional<Arguments> Args;
  WorkFacts Facts;

protected:
  /// `Limit` less what passed since `T.StartNs`, for a wait.
  static uint64_t remaining(std::optional<Seconds> Limit, const RunTime &T);
};

/// Opens the device `D`; `Option` is what named it, for messages.
Exit openDevice(const Options &O, const DeviceChoice &D,
                const std::string &Option, std::optional<goldy::Device> &Out);
/// That --save, --print and --expect name buffers.
Exit checkOutputs(const Options &O, const Arguments &Args);

/// Each checks all arguments, then reads them and binds. `From` outlives the
/// work.
Exit openKernel(const Options &O, const goldy::Artifact &From,
                std::unique_ptr<Work> &Out); // KernelWork.cpp
Exit openProgram(const Options &O, const Source &From,
                 std::unique_ptr<Work> &Out); // ProgramWork.cpp

} // namespace goldyrun

#endif
