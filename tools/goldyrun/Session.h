//===- Session.h - A file and what is run of it ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `run`, `bench` and `diff` share: everything up to work that can be run.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_SESSION_H
#define GOLDYRUN_SESSION_H

#include "Work.h"

#include <memory>

namespace goldyrun {

/// Appends all of stdin.
Exit readStdin(std::vector<unsigned char> &Out);

/// Loads FILE as an artifact (`-` is stdin, whose bytes go to `Stdin` unless
/// they are there already), trusted: the user named it. Source files are
/// refused with what to do.
Exit loadFile(const Options &O, std::vector<unsigned char> &Stdin,
              std::optional<goldy::Artifact> &Out);

class Session {
public:
  /// Reads FILE, then the same as below.
  Exit open(const Options &O);
  /// Checks all arguments, then reads them and binds. `From` outlives this.
  Exit open(const Options &O, const Source &From);
  /// Runs once and waits, no longer than --time-limit. A run that takes longer
  /// is an error, and this session cannot be used further; if the run goes on,
  /// what it uses stays until the process ends.
  Exit runOnce(RunTime &Out);
  /// Whether all that was wrong with the last run is what a sanitizer found:
  /// its work is done, and the session can be used further.
  bool onlyFindings() const { return OnlyFindings; }
  /// Whether a run took longer.
  bool exceeded() const { return !H || Exceeded; }
  /// Lets the device measure the runs from now on. `Timed` is false if it
  /// cannot.
  Exit measure(bool &Timed) { return H->Does->measure(Timed); }

  const Arguments &args() const { return *H->Does->Args; }
  const WorkFacts &facts() const { return H->Does->Facts; }

private:
  /// What a run uses.
  struct Held {
    Source Own; ///< outlives the work
    std::unique_ptr<Work> Does;
  };

  Exit runLimited(RunTime &Out);
  Exit exceed(const std::string &Said);
  Exit finish(const Attempt &A, RunTime &Out);

  std::unique_ptr<Held> H = std::make_unique<Held>();
  bool Exceeded = false, OnlyFindings = false;
  std::optional<Seconds> Limit;
};

} // namespace goldyrun

#endif
