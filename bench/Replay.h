//===- Replay.h - Many tiny launches, run again and again -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A submission of launches of one group, each after the one before it, each
// with a word of its own: as it was, and with every tenth word changed.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_REPLAY_H
#define GOLDY_BENCH_REPLAY_H

#include "LaunchBench.h"
#include "core/Driver.h"

namespace goldy::bench {

class Replay {
public:
  static constexpr uint32_t Launches = 1000, ChangeEach = 10;

  /// `One` is a launch; its word of 4 bytes lies at `WordOffset` of its block.
  Replay(rt::Driver &D, const rt::SubmissionDesc &One, uint32_t WordOffset)
      : D(D), Words(Launches) {
    rt::SubmissionDesc Desc;
    Desc.Parts.resize(Launches, One.Parts[0]);
    for (uint32_t N = 0; N < Launches; ++N)
      Desc.Slots.push_back({N, WordOffset, 4, N});
    Desc.Words = Launches;
    need(D.prepare(std::move(Desc), Id), "prepare");
  }
  ~Replay() { D.releaseSubmission(Id); }
  Replay(const Replay &) = delete;
  Replay &operator=(const Replay &) = delete;

  void run() {
    need(D.run(Id, {Words, {}}, Point), "run");
    started();
    need(D.wait(Point, GOLDY_FOREVER), "wait");
  }
  void runChanged() {
    ++Turn;
    for (uint32_t N = Turn % ChangeEach; N < Launches; N += ChangeEach)
      Words[N] = Turn;
    run();
  }

private:
  rt::Driver &D;
  std::vector<uint64_t> Words;
  rt::SubmissionId Id{};
  uint64_t Point = 0;
  uint32_t Turn = 0;
};

} // namespace goldy::bench

#endif
