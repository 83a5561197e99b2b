//===- Frame.h - What a caller gives to runs of a program -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two lists go to every run: a buffer an input, a word an int. Setting writes
// into them; a run fills in what the frame computes. From the second run on
// nothing is allocated unless a temporary grows.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_FRAME_H
#define GOLDY_RUNTIME_PROGRAM_FRAME_H

#include "goldy/frame.h"

#include "core/Objects.h"
#include "program/Loaded.h"
#include "program/TemplateObject.h"

#include <deque>

struct goldy_frame {
  goldy_frame(const goldy_program_template &T, goldy_program_t *Program,
              std::span<goldy_device_t *const> Devices);
  ~goldy_frame();

  goldy::rt::Status setInput(size_t Index, const goldy_buffer &Buffer);
  /// Refuses a view of a part of a buffer.
  goldy::rt::Status setView(size_t Index, const goldy_buffer &Buffer,
                            uint64_t Offset, uint64_t Bytes);
  goldy::rt::Status setInt(size_t Index, goldy_type_kind_t Type, uint64_t Bits);
  goldy::rt::Status run(std::span<const goldy_program_point_t> Waits);
  goldy::rt::Status wait(uint64_t TimeoutNs);

  const goldy_program_template Object; ///< its own copy
  /// Points that the last run's work ends at, the first EndCount of them.
  std::vector<goldy_program_point_t> Ends;
  size_t EndCount = 0;

private:
  const goldy::program::ProgramTemplate &T = Object.Template;

  goldy::rt::Status fail(goldy_code_t Code, const std::string &What) const;
  template <class What>
  goldy::rt::Status told(goldy_status_t Given, What Prefix) const;
  goldy::rt::Status inputFault(const goldy::program::NamedInput &In,
                               uint64_t Bytes) const;
  void measure();
  goldy::rt::Status derive();
  goldy::rt::Status serve(size_t Input);
  goldy::rt::Status allocate(size_t Input, uint64_t Bytes,
                             std::shared_ptr<goldy::rt::Memory> &Out);
  goldy::rt::Status determinedOutputs(bool Tell) const;
  std::string sizeName(size_t Word) const;
  /// Bytes of an element of an input with a type.
  uint64_t strideOf(const goldy::program::NamedInput &In) const {
    return static_cast<uint64_t>(
        Object.Layouts[static_cast<size_t>(*In.Type)].Stride);
  }

  struct Release {
    void operator()(goldy_program_t *P) const { P->release(); }
  };
  static goldy_program_t *shared(goldy_program_t *P) {
    ++P->Owners;
    return P;
  }
  std::unique_ptr<goldy_program_t, Release> Program;
  std::vector<goldy_device> Devices;
  std::deque<goldy_buffer> Buffers; ///< by input; without memory: not set
  std::vector<goldy_buffer_t *> Inputs;
  std::vector<uint64_t> Ints;
};

#endif
