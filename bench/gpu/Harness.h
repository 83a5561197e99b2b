//===- Harness.h - Kernels of artifacts, checked and timed ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sample is one prepared submission of many steps, each of which waits for
// the one before it, as launches of a stream do. Its time is that from the call
// until a polling host sees the end, less the same of a submission that does
// nothing, divided by the steps. Every kernel computes its result once before
// it is timed, over an output of NaNs, and the result is compared.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_BENCH_GPU_HARNESS_H
#define GOLDY_BENCH_GPU_HARNESS_H

#include "../Inputs.h"
#include "../LaunchBench.h"
#include "core/Objects.h"

#include <cmath>
#include <memory>
#include <regex>

namespace goldy::bench {

/// Extents of the cases; the small ones are for devices in software.
struct Sizes {
  uint32_t LogCopy = 28, LogVector = 26, Rows = 8192, Matrix = 4096,
           Image = 4096, CostGroups = 132 * 8;
  bool Small = false;
  static Sizes small();
};

/// Elements `First` to `First + Count` of a buffer of four-byte elements.
goldy_argument_t view(const Buffer &B, uint64_t First, uint64_t Count);
goldy_argument_t word(uint32_t Value);
goldy_argument_t word(float Value);

/// Launches and fills that become one submission.
class Steps {
public:
  explicit Steps(rt::Driver &D) : Driver(D) {}
  /// Stops the program if the launch cannot be bound.
  void launch(goldy_kernel_t *K, std::vector<goldy_argument_t> Arguments,
              goldy_grid_t Grid);
  void fill(const Buffer &B, uint64_t Bytes, uint8_t Value);
  rt::SubmissionDesc takeDesc() { return std::move(Desc); }
  rt::Driver &driver() { return Driver; }

private:
  rt::Driver &Driver;
  rt::SubmissionDesc Desc;
  std::vector<std::unique_ptr<goldy_launch>> Bound;
};

/// A submission that can be run many times.
class Prepared {
public:
  explicit Prepared(Steps &S);
  ~Prepared() { Driver.releaseSubmission(Id); }
  Prepared(const Prepared &) = delete;
  Prepared &operator=(const Prepared &) = delete;
  /// Microseconds from the call until polling shows the end.
  double run();

private:
  rt::Driver &Driver;
  rt::SubmissionId Id{};
};

/// One kernel doing one benchmark's work.
struct Case {
  std::string Group = "kernel";
  std::string Name;             ///< "saxpy 2^26", as the peers call it
  std::string Kernel;           ///< its name in the artifact
  double Bytes = 0, Ops = 0;    ///< of a step: the fewest moved, the operations
  double SampleMs = 3;          ///< of work in a sample
  uint32_t Samples = 30;        ///< timed; four before them are not
  uint32_t Ring = 1;            ///< inputs that the steps rotate through
  double Tolerance = 0;         ///< the largest error that passes
  std::function<void()> Before; ///< makes inputs
  std::function<void(Steps &, goldy_kernel_t *, uint32_t Turn)> Step;
  std::function<double()> Error; ///< after one step of turn 0; may be empty
};

class Bench {
public:
  /// Stops the program if device or files cannot be had.
  Bench(const char *DeviceName, std::span<const std::string> Files, Sizes S);

  /// Times `C` once for each file that has its kernel.
  void run(const Case &C);
  /// Only cases whose "name kernel" matches are run.
  void only(const std::string &Pattern) { Only = std::regex(Pattern); }
  bool allPassed() const { return Passed; }

  /// Puts the floats of `seed` into [0, Count) of `B`.
  void fillFloats(const Buffer &B, uint64_t Count, uint32_t Seed);
  void fillBytes(const Buffer &B, uint64_t Count);
  std::vector<float> floats(const Buffer &B, uint64_t Count,
                            uint64_t First = 0) const;
  std::vector<uint32_t> words(const Buffer &B, uint64_t Count) const;

  Sizes Size;
  Device D;
  Buffer X, Y, Z; ///< 2^LogCopy elements each
  Buffer W;       ///< 2^20 elements: weights, bins, partial results

private:
  struct File {
    std::string Stem;
    Artifact A;
  };
  Kernel need(const char *Name) const;
  void timed(const Case &C, const File &F, goldy_kernel_t *K);
  void check(const Case &C, goldy_kernel_t *K, double &Error);
  rt::Driver &driver() { return *D.get()->Driver; }
  void once(const std::function<void(Steps &)> &Add);

  std::vector<File> Files;
  std::vector<Kernel> Fills; ///< of floats, of bytes
  std::regex Only{""};
  double EmptyUs = 0; ///< of a submission that does nothing
  bool Passed = true;
};

/// The largest error seen; a NaN is infinite.
struct Worst {
  double Of = 0;
  void see(double E) {
    Of = std::max(Of, std::isnan(E) ? INFINITY : std::fabs(E));
  }
};

/// Groups of `Size` work-items for `Count`, along x.
inline goldy_grid_t over(uint64_t Count, uint32_t Size = 256) {
  return {{static_cast<uint32_t>((Count + Size - 1) / Size), 1, 1}};
}

// The cases.
void elementwiseCases(Bench &B);
void rowCases(Bench &B);
void computeCases(Bench &B);
void costCases(Bench &B);

} // namespace goldy::bench

#endif
