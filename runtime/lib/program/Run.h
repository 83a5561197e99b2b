//===- Run.h - A run of a loaded program ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing here allocates, but for messages of refusals and for borrows of
// inputs that another device names.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_RUN_H
#define GOLDY_RUNTIME_PROGRAM_RUN_H

#include "program/LoadRules.h"
#include "program/Loaded.h"

namespace goldy::rt {

/// What a caller gives a run, and where it is told.
struct RunRequest {
  const goldy_program_frame_t *Frame = nullptr;
  std::span<const goldy_program_point_t> Waits;
  goldy_program_point_t *Ends = nullptr; ///< room for as many as devices
  size_t EndCount = 0;                   ///< set by the run
};

class Runner {
public:
  Runner(goldy_program &L, RunRequest &Request)
      : L(L), P(L.Plan), S(L.State), Request(Request), Frame(*Request.Frame) {}
  /// One run, when the one before it has returned.
  Status run();

private:
  // RunFrame.cpp: before the first step.
  Status checkFrame() const;
  Status checkInput(size_t Number) const;
  Status checkLengths() const;
  Number lengthOf(size_t Input) const;
  Status checkWaits() const;
  Status takeInputs();
  void takeAddress(size_t Device, size_t Number, MemoryId Id);
  bool areDistinct() const;
  Status borrowInput(uint32_t Device, uint32_t Number);
  void returnInputs();
  Status waitBefore();
  void start();

  // Run.cpp.
  Status locked();
  Status steps(uint32_t First, uint32_t End);
  Status loop(uint32_t Step, const LoopPlan &X);
  Status derived(uint32_t Step, const LoopPlan &X);
  Status flag(uint32_t Step, const LoopPlan &X, bool &Goes);
  void determinedFlag(uint32_t Step, const LoopPlan &X);
  Status submit(uint32_t Step, uint32_t Which);
  Status evaluate(uint32_t Step, uint32_t Which);
  Status freshWords(uint32_t Step, uint64_t &Evaluated, const SubmitPlan &X);
  Status run(uint32_t Step, Range Submits, uint32_t Prepared,
             const RunInput &Input, uint64_t &Point);
  Status start(uint32_t Step, const SubmitPlan &X, uint64_t &Point);
  void note(const SubmitPlan &X, uint64_t Point);
  void noteEnd(uint32_t Device, bool NamesCopies, uint64_t Point);
  Status stage(uint32_t Step, const StagePlan &X);
  /// Where the host reaches memory of a CPU or of its own; 0: nowhere.
  uint64_t hostAddress(const Named &N, uint64_t At) const;
  Status moveBytes(uint32_t Step, const StagePlan &X);
  Status readBytes(const Named &N, uint64_t At, std::span<std::byte> Out);
  Status writeBytes(const Named &N, uint64_t At,
                    std::span<const std::byte> From);
  void tellEnds();

  // RunJoined.cpp: steps that were prepared as one.
  bool isJoined(const SubmitPlan &X) const {
    return X.Join != NoIndex && !Frame.step_points;
  }
  Status joined(uint32_t Step, const JoinPlan &X);
  bool evaluateAll(uint32_t Step, const JoinPlan &X);
  Status startJoined(uint32_t Step, const JoinPlan &X);
  Status startSeparately(uint32_t Step, const JoinPlan &X, uint32_t Count);
  Status joinedFailed(uint32_t Step, const JoinPlan &X, uint32_t Part,
                      const Status &Why);
  Status prepareSeparate(const SubmitPlan &X, uint32_t &Number);

  // RunWords.cpp: words and what they must keep.
  Status words(uint32_t Step, uint32_t Device, Range Words);
  Status word(uint32_t Step, uint32_t Device, uint32_t Number);
  bool oneInt(const OneIntWord &W);
  Status block(uint32_t Step, uint32_t Device, const WordPlan &W,
               uint64_t &Out);
  Status sum(uint32_t Step, const WordPlan &W, uint64_t &Out);
  Reached reached(const SubmitPlan &X, const ViewCheck &V) const;
  Status view(uint32_t Step, const SubmitPlan &X, const ViewCheck &V);
  Status share(uint32_t Step, const SubmitPlan &X, const ShareCheck &C);
  Status copy(uint32_t Step, uint32_t FirstWord, const CopyCheck &C);
  Status end(uint32_t Step, const CopyCheck &C, const EndPlan &E,
             uint64_t Start) const;
  uint64_t startOf(uint32_t FirstWord, const EndPlan &E) const;
  const void *identity(const Named &N) const;
  bool overlap(const CopyCheck &C, uint64_t Src, uint64_t Dst) const;
  Status grid(uint32_t Step, const SubmitPlan &X, const GridCheck &G);
  Number number(const PlanValue &V) const;
  Number intAt(uint32_t Word) const;
  uint64_t bytesOf(const Named &N) const {
    return N.Input != NoIndex ? S.InputBytes[N.Input] : N.Bytes;
  }

  // RunOrder of devices: waits of the host.
  Status wait(uint32_t Device, uint64_t Point);
  Status waitAll(const std::vector<uint64_t> &Points, size_t First);
  Status waitAliased(uint32_t But);
  /// For what the host, or device `But`, does with a watched thing.
  Status waitFor(uint32_t Watch, bool Writes, uint32_t But = NoIndex);
  Status waitInts() {
    return P.IntsWatch == NoIndex ? Status() : waitFor(P.IntsWatch, false);
  }
  size_t copyOf(uint32_t Watch) const {
    const Watched &W = P.Watches[Watch];
    return W.Memory != NoIndex && L.Memories[W.Memory].Copies.size() == 2 ? Copy
                                                                          : 0;
  }

  std::string place(uint32_t Step, uint32_t Part = NoIndex) const;
  std::string place(uint32_t Step, uint32_t Part, uint32_t Device) const;
  /// What a device says of a step, or with NoIndex before one. `Part` of the
  /// step, if that is known.
  Status failed(uint32_t Step, uint32_t Device, const Status &Why,
                uint32_t Part = NoIndex) const;
  /// Findings about a step, whose work is done, wait for the end of the run.
  Status putAside(Status Failure);

  goldy_program &L;
  const Plan &P;
  RunState &S;
  RunRequest &Request;
  const goldy_program_frame_t Frame; ///< its lists are read before the first
                                     ///< step only, but for `step_points`
  size_t Copy = 0;
  uint64_t *Ints = nullptr;
  Status Found; ///< GOLDY_FINDINGS of the first step that has some
};

} // namespace goldy::rt

#endif
