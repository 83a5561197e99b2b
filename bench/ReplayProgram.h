//===- ReplayProgram.h - Many tiny launches as a program ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launches of Replay.h as a program, each with its scalar from an int of
// the frame: in one submit step, or each in a step of its own. It works on the
// memory that the others work on: where that lies makes a tenth on some GPUs.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_REPLAYPROGRAM_H
#define GOLDY_BENCH_REPLAYPROGRAM_H

#include "Replay.h"
#include "core/Objects.h"
#include "goldy/program.hpp"
#include "program/Bytes.h"
#include "program/Slice.h"

#include <cstring>

namespace goldy::bench {

enum class StepsOf { All, Each }; ///< what a submit step holds

class ReplayProgram {
public:
  /// A kernel with saxpy's block; its inputs have `Elements` elements.
  ReplayProgram(Device &D, const Buffer &X, const Buffer &Y,
                std::span<const uint8_t> File, const char *Kernel,
                const std::string &Arch, uint32_t Elements,
                StepsOf Steps = StepsOf::All)
      : D(D), Inputs{X.get(), Y.get()}, Ints(Replay::Launches) {
    std::string Bytes =
        program::toBytes(described(File, Kernel, Arch, Elements, Steps));
    ProgramDesc Desc = need(ProgramDesc::decode(Bytes), "decode");
    goldy_device_t *Devices[] = {D.get()};
    P.emplace(
        need(Program::load(Desc, {Devices, 1, nullptr, 0}, true), "load"));
  }

  void run() {
    need(P->run({Inputs, 2, Ints.data(), Ints.size(), nullptr, 0}), "run");
    started();
    need(
        goldy_device_wait(D.get(), D.get()->Driver->lastPoint(), GOLDY_FOREVER),
        "wait");
  }
  void runChanged() {
    ++Turn;
    for (uint32_t N = Turn % Replay::ChangeEach; N < Ints.size();
         N += Replay::ChangeEach)
      Ints[N] = Turn;
    run();
  }

private:
  static std::string slice(std::span<const uint8_t> File, const char *Kernel,
                           const std::string &Arch) {
    std::shared_ptr<const rt::Artifact> A;
    need(rt::loadArtifact(rt::File::borrow(std::as_bytes(File)), true, A),
         "artifact");
    for (size_t K = 0; K < A->Kernels.size(); ++K)
      for (size_t I = 0; I < A->Kernels[K].Images.size(); ++I)
        if (A->Kernels[K].Name == Kernel &&
            A->Kernels[K].Images[I].Arch == Arch)
          return rt::artifactSlice(*A, K, I);
    stop("artifact", std::string("no ") + Kernel + " for " + Arch);
  }

  static program::Launch launch(const char *Kernel, uint32_t Elements,
                                uint32_t Number) {
    constexpr uint32_t BlockBytes = 72, OffsetOfY = 16, OffsetOfA = 32;
    program::Launch L;
    L.Name = Kernel;
    L.Params.Bytes.assign(BlockBytes, 0);
    std::memcpy(&L.Params.Bytes[8], &Elements, 4);
    std::memcpy(&L.Params.Bytes[OffsetOfY + 8], &Elements, 4);
    L.Params.Holes.push_back({OffsetOfA,
                              program::Width::W32,
                              {{program::IntWord{Number}, 1}},
                              0,
                              0});
    L.Refs = {{0, 0, program::Use::Read}, {1, OffsetOfY, program::Use::Write}};
    L.Groups = {program::Fixed{1}, program::Fixed{1}, program::Fixed{1}};
    L.Threads = {program::Fixed{256}, program::Fixed{1}, program::Fixed{1}};
    L.Shared = program::Fixed{0};
    return L;
  }

  static program::ProgramDesc described(std::span<const uint8_t> File,
                                        const char *Kernel,
                                        const std::string &Arch,
                                        uint32_t Elements, StepsOf Steps) {
    program::ProgramDesc P;
    P.Devices = {Arch};
    P.Images = {{0, {slice(File, Kernel, Arch), {}}}};
    P.Inputs = {{0, 4 * Elements, {}}, {0, 4 * Elements, {}}};
    P.Ints = Replay::Launches;
    program::Submit S;
    S.Slots = {program::InputSlot{0}, program::InputSlot{1}};
    for (uint32_t N = 0; N < Replay::Launches; ++N) {
      S.Parts.push_back(launch(Kernel, Elements, N));
      if (Steps == StepsOf::Each) {
        P.Steps.push_back({S});
        S.Parts.clear();
      }
    }
    if (Steps == StepsOf::All)
      P.Steps = {{S}};
    return P;
  }

  Device &D;
  goldy_buffer_t *Inputs[2];
  std::vector<int64_t> Ints;
  std::optional<Program> P;
  uint32_t Turn = 0;
};

} // namespace goldy::bench

#endif
