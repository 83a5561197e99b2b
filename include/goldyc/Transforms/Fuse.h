//===- Fuse.h - Several kernels become one --------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches that follow one another are stages of one kernel if every work-item
// may run all of them before another one has begun: all stages have one grid,
// and memory that one stage writes and another touches is touched by all of
// them at the work-item's own index only. What holds, what is refused and why:
// docs/Fusion.md.
//
// Arguments are numbers that the caller gives: equal numbers are the same
// buffer, or the same scalar value, and then they share one parameter.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TRANSFORMS_FUSE_H
#define GOLDYC_TRANSFORMS_FUSE_H

#include "goldyc/IR/IR.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace goldy {

/// One launch.
struct FusionStage {
  FuncId Kernel;
  std::vector<uint32_t> Arguments; ///< one a parameter
  /// Scalars that are constants, one a parameter or none at all: bits,
  /// zero-extended.
  std::vector<std::optional<uint64_t>> Baked;
  uint32_t Grid = 0; ///< equal numbers: as many groups along every axis
  /// The kernel is another compiler's: the module knows its parameters only.
  bool Opaque = false;
  Span Loc; ///< of the launch
};

/// A buffer that nobody but the stages touches, with undefined contents before
/// them. It becomes registers if its accesses allow that.
struct FusionTemporary {
  uint32_t Argument = 0;
  /// Its elements: an argument that is a u32, or a constant.
  uint32_t Length = 0;
  std::optional<uint64_t> LengthBits;
  /// The stages run several times and may read what an earlier time wrote: it
  /// stays unless each read is certainly behind a write of the same time.
  bool Carried = false;
};

struct FusionRequest {
  std::vector<FusionStage> Stages; ///< in order, at least one
  /// Axes along which the grid may have more than one group.
  std::array<bool, 3> ManyGroups{true, true, true};
  std::vector<FusionTemporary> Temporaries;
  /// Whether two different buffers may share bytes; none: never.
  std::function<bool(uint32_t, uint32_t)> MayOverlap;
  /// For a debugger, of a module whose variables are slots: they stay, with the
  /// marks of calls.
  bool KeepsSlots = false;
};

enum class FusionReason : uint8_t {
  NoDefinition,
  TensorBinding,
  WorkgroupSize,
  Grid,
  GridRank,
  Overlap,
  Dependence,
  BindingLimit,
  WorkgroupMemory
};
/// As messages and reports write it: `grid rank`.
std::string_view fusionReasonName(FusionReason R);

/// At most so many buffers, uniforms and images, and so much workgroup memory:
/// what every device has.
inline constexpr uint32_t MaxFusedBindings = 16;
inline constexpr uint64_t MaxFusedWorkgroupBytes = 32 * 1024;

/// Why the stages stay apart, and the two places that say so.
struct FusionRejection {
  FusionReason Reason = FusionReason::Dependence;
  uint32_t Earlier = 0, Later = 0; ///< stages
  Span EarlierWhere, LaterWhere;
  std::string Why; ///< lower case, no full stop, names in backquotes
};

/// A parameter of a stage.
struct StageParam {
  uint32_t Stage = 0, Param = 0;
  friend bool operator==(const StageParam &, const StageParam &) = default;
};

struct FusedParam {
  uint32_t Argument = 0;
  /// Whose parameter it was, in order; empty for a temporary's length.
  std::vector<StageParam> Origins;
};

/// A constant or an argument.
struct FusionNumber {
  std::optional<uint64_t> Bits;
  uint32_t Argument = 0;
  friend auto operator<=>(const FusionNumber &, const FusionNumber &) = default;
};

struct FusedKernel {
  FuncId Kernel;
  std::vector<FusedParam> Params;
  /// Buffers whose every load has become the value that was stored or loaded
  /// before.
  std::vector<StageParam> Forwarded;
  std::vector<uint32_t> Vanished; ///< temporaries that are registers now
  /// Pairs of arguments that must share no byte, or results may change.
  std::vector<std::pair<uint32_t, uint32_t>> Apart;
  /// Widths and heights whose products must be at most 2^32, or results may
  /// change; at least one of the two is an argument.
  std::vector<std::pair<FusionNumber, FusionNumber>> Fits;
  /// 64 hexadecimal digits: of the stages' definitions, how their arguments are
  /// shared, constants, workgroup size and modes. Equal ids, equal kernels.
  std::string Id;
};

enum class FusionUse : uint8_t {
  Add, ///< the kernel becomes a function of the module, if it is none yet
  Try  ///< only says what would come of it; FusedKernel::Kernel is invalid
};
/// Fuses, or says why not. A rejection leaves the module as it was.
std::variant<FusedKernel, FusionRejection>
fuseKernels(Module &M, const FusionRequest &Request,
            FusionUse Use = FusionUse::Add);

} // namespace goldy

#endif
