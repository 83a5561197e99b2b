//===- LoadFixture.h - Programs that are loaded and run -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests write a description as text, whose images are names of kernels made by
// hand (cts/kernels): `saxpy` (x at byte 0, y at 16, a at 32) and `probe` (out
// at 0, spin at 16).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_UNITTESTS_PROGRAM_LOADFIXTURE_H
#define GOLDY_UNITTESTS_PROGRAM_LOADFIXTURE_H

#include "core/Objects.h"
#include "goldy/program.h"
#include "null/FaultyDriver.h"
#include "null/NullDriver.h"
#include "program/ProgramDesc.h"

#include <string>
#include <vector>

namespace goldy::rt {

/// A status that is taken from C.
struct Told {
  goldy_code_t Code = GOLDY_OK;
  std::string Message;
  Told() = default;
  explicit Told(goldy_status_t S)
      : Code(goldy_status_code(S)), Message(goldy_status_message(S)) {
    goldy_status_destroy(S);
  }
};

/// A driver of the machine behind one that can be made to fail.
struct TestDevice {
  explicit TestDevice(const std::string &Name);
  std::string Arch = "x86-64-v1"; ///< of the code that it gets
  std::shared_ptr<FaultyDriver> Faults;
  goldy_device Device;
  Driver &driver() { return *Faults; }
  std::unique_ptr<goldy_buffer> buffer(uint64_t Bytes);
  /// With the bytes of `Values`.
  template <class T>
  std::unique_ptr<goldy_buffer> bufferOf(const std::vector<T> &Values) {
    std::unique_ptr<goldy_buffer> B = buffer(Values.size() * sizeof(T));
    (void)B->Memory->Device
        ->write(B->Memory->Id, 0, std::as_bytes(std::span(Values)))
        .ok();
    return B;
  }
};

/// A null device whose record can be read, behind faults.
struct Recorded : TestDevice {
  Recorded() : TestDevice("null") {
    std::unique_ptr<NullDriver> Real = std::make_unique<NullDriver>("*");
    Null = Real.get();
    Faults = std::make_shared<FaultyDriver>(std::move(Real));
    Device.Driver = Faults;
  }
  NullDriver *Null = nullptr;

  /// The lines since `mark` of these kinds.
  std::vector<std::string> lines(std::vector<std::string> Kinds) {
    std::vector<std::string> All = Null->record(), Out;
    for (size_t I = Marked; I < All.size(); ++I)
      for (const std::string &K : Kinds)
        if (All[I].starts_with(K))
          Out.push_back(All[I]);
    return Out;
  }
  void mark() { Marked = Null->record().size(); }
  size_t Marked = 0;
};

template <class T> std::vector<T> valuesOf(const goldy_buffer &B) {
  std::vector<T> Values(B.Memory->Bytes / sizeof(T));
  (void)B.Memory->Device
      ->read(B.Memory->Id, 0, std::as_writable_bytes(std::span(Values)))
      .ok();
  return Values;
}

/// The description of `Text` for devices of these archs (of as many as there
/// are), with images in place of names.
goldy_program_desc described(const std::string &Text,
                             const std::vector<std::string> &Archs = {});

/// The devices here that run code: `cpu`, and `vulkan` if there is one.
const std::vector<std::string> &workingDevices();

struct TestProgram {
  goldy_program_t *P = nullptr;
  TestProgram() = default;
  TestProgram(const TestProgram &) = delete;
  ~TestProgram() { goldy_program_destroy(P); }

  std::vector<goldy_program_callback_t> Callbacks;
  std::vector<goldy_rail_end_t> Rails;
  bool Trusted = true, Timed = false;
  /// Anew; what was loaded before goes first.
  Told load(const goldy_program_desc &D, std::vector<TestDevice *> Devices);
  Told load(const std::string &Text, std::vector<TestDevice *> Devices) {
    std::vector<std::string> Archs;
    for (TestDevice *D : Devices)
      Archs.push_back(D->Arch);
    return load(described(Text, Archs), std::move(Devices));
  }

  std::vector<goldy_program_point_t> Waits, Ends, Points;
  bool WaitsAfter = false; ///< for the work of a run
  bool AsksPoints = true;  ///< of the steps
  Told run(std::vector<goldy_buffer *> Inputs, std::vector<int64_t> Ints = {});
};

} // namespace goldy::rt

#endif
