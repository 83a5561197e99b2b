//===- Check.h - The rules of program descriptions ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What load checks before it makes anything. A description may come from
// anyone: any value of the types is judged, in time and memory in proportion to
// its size. The first rule that is broken is reported.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_CHECK_H
#define GOLDY_SCHEMAS_PROGRAM_CHECK_H

#include "program/Program.h"
#include "program/Template.h"

#include <span>

namespace goldy::program {

enum class Rule : uint8_t {
#define RULE(Name, Number, Class, Sentence) Name,
#include "program/Rules.def"
#undef RULE
};

enum class RuleClass : uint8_t { Invalid, Refused, Limit };

struct RuleInfo {
  const char *Number; ///< "P12"
  RuleClass Class;
  const char *Sentence;
};
const RuleInfo &ruleInfo(Rule R);
inline constexpr unsigned RuleCount = 0
#define RULE(Name, Number, Class, Sentence) +1
#include "program/Rules.def"
#undef RULE
    ;

/// A broken rule.
struct Refusal {
  Rule Broken{};
  std::string Place; ///< "steps[2].body[0].parts[1]"; empty: the whole
  /// With place, device, what stands there, and the rule's number and sentence.
  std::string Message;
};

/// A device that a description is to be loaded on.
struct MachineDevice {
  std::string Name; ///< "cuda:0", for messages
  /// Archs whose code it runs; "*" is any. Levels below an x86-64 level and
  /// fewer features of an arm64 arch are understood.
  std::vector<std::string> Archs;
  bool HandleOnly = false; ///< its work names memory by handle, not by address
};

/// This machine's end of a rail.
struct RailEnd {
  Number Id = 0;
  /// Bytes of each area, by the number of `Area`; both copies of the rail.
  std::array<Number, 3> Bytes{};
};

struct Machine {
  std::vector<MachineDevice> Devices; ///< device i of the description is [i]
  std::vector<RailEnd> Rails;         ///< ids are unique
};

/// True if a device of the archs `Archs` runs code of the arch `Code`.
bool runsCode(std::span<const std::string> Archs, const std::string &Code);

/// The first rule that `P` breaks, or none. Without a machine the rules of
/// devices and rails are left out, and memory of a rail may be of any size. The
/// value of holes is not looked at: load checks it when it fills them.
std::optional<Refusal> check(const ProgramDesc &P, const Machine *On = nullptr);

/// The part of `check` that comes first and that the writers of bytes and text
/// rest on: numbers of 63 bits (P1), and the limits P50 to P52.
std::optional<Refusal> checkNumbers(const ProgramDesc &P);
std::optional<Refusal> checkNumbers(const ProgramTemplate &T);

/// The first hole of constants alone whose value meets a set bit (rule P11), in
/// a description that `check` takes. Load comes to the same hole and refuses it
/// then.
std::optional<Refusal> checkConstantHoles(const ProgramDesc &P);

/// The first rule that a template breaks, or none: its own (P60 to P64), and
/// the rules of descriptions that do not need images and a machine.
std::optional<Refusal> check(const ProgramTemplate &T);

/// Limits of `check`, the rules P50 to P54.
namespace limits {
inline constexpr uint64_t Steps = 1000000, Nesting = 16, Images = 65536;
inline constexpr uint64_t ExpressionNodes = 4096, ExpressionDepth = 16;
/// Times that a submit names a memory, times the memories that the first bytes
/// of it point to, over all submits.
inline constexpr uint64_t Pointers = uint64_t(1) << 28;
} // namespace limits

} // namespace goldy::program

#endif
