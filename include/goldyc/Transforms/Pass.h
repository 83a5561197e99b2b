//===- Pass.h - Passes and the pass manager
//---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_PASS_H
#define GOLDYC_TRANSFORMS_PASS_H

#include "goldyc/IR/IR.h"
#include "goldyc/IR/WatchSites.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Transforms/BoundsReport.h"
#include "goldyc/Transforms/Capabilities.h"
#include "goldyc/Transforms/Coarsen.h"
#include "goldyc/Transforms/Inline.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace goldy {

enum class PassResult : uint8_t { Unchanged, Changed, Failed };

/// Counts rewrites; passes ask before each one (--fuel=N bisects).
class Fuel {
public:
  explicit Fuel(uint64_t Limit = ~uint64_t(0)) : Left(Limit) {}
  bool use() {
    if (Left == 0)
      return false;
    --Left;
    return true;
  }

private:
  uint64_t Left;
};

struct PassContext {
  DiagSink &Diags;
  const Capabilities &Caps;
  Fuel &RewriteFuel;
  BoundsReport *Bounds = nullptr; ///< filled by the bounds passes if wanted
  uint32_t ItemsPerThread = 1;    ///< for coarsen: 1, 2, 4, 8, CoarsenByCost
  CoarsenReport *Coarsening = nullptr;     ///< filled by coarsen if wanted
  uint8_t Sanitize = SanitizeAll;          ///< for sanitize
  std::vector<WatchSite> *Sites = nullptr; ///< filled by sanitize if wanted
  /// Slots that nothing reads are for a debugger: dce leaves stores into them.
  bool KeepsSlots = false;
  CallMarks Marks = CallMarks::None; ///< that inline leaves
};

/// One transformation. `name()` is its flag and its file's name.
class Pass {
public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  virtual PassResult run(Module &M, PassContext &Context) = 0;
};

struct PassEntry {
  std::string_view Name;
  std::string_view
      Doc; ///< one sentence: does what, wants before, enables after
  std::unique_ptr<Pass> (*Create)();
};
/// From Passes.def, in no particular order.
const std::vector<PassEntry> &allPasses();
std::unique_ptr<Pass> createPass(std::string_view Name);

struct PassObserver {
  std::function<void(std::string_view Pass, const Module &)> Before, After;
  bool VerifyEach = false; ///< well-formed after each pass, else assert with IR
};

/// Runs passes by name in order; false if one failed (diagnostics say why).
bool runPasses(Module &M, const std::vector<std::string_view> &Names,
               PassContext &Context, const PassObserver &Observer = {});

/// The passes that bring a verified definition to level Legal for a target,
/// in order (the driver's pipeline prints the same list). OptLevel 0..3.
/// `Coarsens`: a thread may do several work-items, where the target has
/// threads. `Sanitizes`: with `sanitize`.
std::vector<std::string_view> legalisationPasses(const Capabilities &Caps,
                                                 unsigned OptLevel,
                                                 bool Coarsens = false,
                                                 bool Sanitizes = false);

} // namespace goldy

#endif
