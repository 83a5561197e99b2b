//===- LanesForms.h - Values as sums, and tests on their extremes ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of ids, counters of loops and values that are known before, followed as
// whole numbers to which the values of the program are equal modulo 2^32. Their
// extremes over lanes and loops are sums of what is known before; a test asks
// that they are within the type's range, so that they are equal, and that a
// comparison holds for them. Private to Analysis.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ANALYSIS_LANESFORMS_H
#define GOLDYC_LIB_ANALYSIS_LANESFORMS_H

#include "goldyc/Analysis/Lanes.h"

#include <map>
#include <optional>

namespace goldy {

/// Constant + Σ factor * value + Lane * lane + Σ factor * counter.
struct Form {
  int64_t Constant = 0, Lane = 0;
  std::map<ValueId, int64_t> Values;
  std::map<InstId, int64_t> Counters; ///< by loop

  void add(const Form &X, int64_t By) {
    Constant += By * X.Constant;
    Lane += By * X.Lane;
    for (const auto &[V, K] : X.Values)
      Values[V] += By * K;
    for (const auto &[L, K] : X.Counters)
      Counters[L] += By * K;
  }
  bool isConstant() const {
    return Lane == 0 && Values.empty() && Counters.empty();
  }
  /// One value as it is, the same in all lanes.
  bool isValue() const {
    return Constant == 0 && Lane == 0 && Counters.empty() &&
           Values.size() == 1 && Values.begin()->second == 1;
  }
  bool isSmall() const {
    constexpr int64_t MaxFactor = 1 << 20;
    auto Small = [](int64_t K) { return K >= -MaxFactor && K <= MaxFactor; };
    bool All = Constant >= -(int64_t(1) << 40) &&
               Constant <= (int64_t(1) << 40) && Small(Lane);
    for (const auto &[V, K] : Values)
      All &= Small(K);
    for (const auto &[L, K] : Counters)
      All &= Small(K);
    return All && Values.size() + Counters.size() <= 8;
  }
};

/// A loop whose counter goes from Low to High in steps.
struct Counted {
  Form Low, High;
  SlotId Slot;
  uint64_t Trips = 0; ///< 0: not known here
};

/// Of the values in statements of one list, and the tests asked for so far.
class LaneForms {
public:
  /// Constants of tests by their values and factors: the least is the
  /// strictest.
  using TestMap = std::map<std::map<ValueId, int64_t>, int64_t>;

  /// The statements from index `From` on are followed.
  LaneForms(const Function &F, const Structure &S, const LanePlan &Plan,
            const std::vector<InstId> &List, size_t From)
      : F(F), S(S), Plan(Plan), List(List), From(From) {}

  /// Asks for tests under which the comparison has the outcome in all lanes and
  /// repetitions. False if there are none; of tests, those remain then that
  /// counted() has asked for.
  bool compare(ValueId Cond, bool Outcome);
  /// What counts the loop, or null. May ask for tests.
  const Counted *counted(InstId Loop);
  /// Within the statements taken, or about to be.
  bool isInside(InstId I) const;
  const TestMap &tests() const { return Tests; }

private:
  static bool isWord(TypeId T) { return T == types::U32 || T == types::I32; }
  std::optional<Form> form(ValueId V, unsigned Depth = 12);
  std::optional<Form> made(ValueId V, unsigned Depth);
  std::optional<Form> counter(InstId Load);
  std::optional<Form> leaf(ValueId V) const;
  std::optional<Counted> makeCounted(InstId Loop);
  bool isLoadOf(ValueId V, SlotId Slot) const;
  bool isBeforeStep(InstId Load) const;
  ValueId startOf(InstId Loop, InstId Step, SlotId Slot) const;
  std::optional<Form> lastOf(ValueId Cond, ValueId Next, SlotId Slot,
                             int64_t By);
  static std::pair<int64_t, int64_t> rangeOf(TypeId T);
  bool ranges(const Form &X, TypeId T);
  bool rangesTest(const Form &X, int64_t Low, int64_t High);
  std::optional<Form> extreme(Form X, bool Most);
  bool test(const Form &X);

  const Function &F;
  const Structure &S;
  const LanePlan &Plan;
  const std::vector<InstId> &List;
  size_t From;
  std::map<InstId, std::optional<Counted>> Loops;
  TestMap Tests;
};

/// Scalar tests in front of a version.
inline constexpr size_t MaxTests = 12;

} // namespace goldy

#endif
