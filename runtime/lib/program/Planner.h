//===- Planner.h - From the steps of a description to a plan --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the steps. A submission that names memory in two copies is
// described twice, once a copy: the first pass makes the recipes and checks of
// its words, the second one the same again, which are dropped. PlanSteps.cpp
// walks, PlanWords.cpp makes words of holes, refs and values, PlanLaunch.cpp
// holds parameter blocks against kernels, PlanWatch.cpp finds what several
// devices use, PlanJoin.cpp prepares submissions and joins those of neighbours.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_PLANNER_H
#define GOLDY_RUNTIME_PROGRAM_PLANNER_H

#include "program/Load.h"

#include <set>

namespace goldy::rt {

/// Eight bytes of a block that a ref or an address fills, or a hole.
struct Placed {
  enum class Kind : uint8_t { Ref, Address, Hole } What = Kind::Hole;
  uint32_t At = 0, Bytes = 8;
  size_t Ref = 0; ///< Ref: its number
  Named Where;    ///< Ref, Address
  bool Written = false;
  uint32_t Word = NoIndex; ///< of the run, if ints change it; else `Offset`
  uint64_t Offset = 0;     ///< Ref, Address: bytes from the view's first
  bool Taken = false;      ///< a kernel's parameter takes it
};

/// Memory and inputs that need the host to wait, found before the walk.
class WatchFinder {
public:
  WatchFinder(const program::ProgramDesc &Desc, goldy_program &L);
  /// Fills the plan's list of them.
  void run();
  /// The number in Plan::Watches; NoIndex: not watched.
  uint32_t of(const Named &N) const;

private:
  static constexpr uint32_t Nobody = NoIndex, Several = NoIndex - 1,
                            Host = NoIndex - 2;
  void steps(const std::vector<program::Step> &List);
  void submit(const program::Submit &S);
  void use(const program::Slot &S, uint32_t Device);
  void useMemory(Number Memory, uint32_t Device);
  static void note(uint32_t &Who, uint32_t Device);

  const program::ProgramDesc &Desc;
  goldy_program &L;
  std::vector<uint32_t> MemoryUser, InputUser; ///< a device, or one of above
  std::vector<uint32_t> MemoryWatch, InputWatch;
};

/// The device that a move's copy runs on; NoIndex: the host does it.
uint32_t moveDevice(const program::ProgramDesc &Desc, const goldy_program &L,
                    const program::Move &M);

/// The buffer that a slot names.
Named namedBy(const goldy_program &L, const program::Slot &S);

class Planner {
public:
  Planner(const program::ProgramDesc &Desc, goldy_program &L)
      : Desc(Desc), L(L), P(L.Plan), Watches(Desc, L) {}
  Status run();

private:
  using Place = program::Place;
  using Values = program::Data<program::Value>;
  using ValueHole = program::Hole<program::Value>;

  // PlanSteps.cpp.
  Status steps(const std::vector<program::Step> &List, const Place &Field,
               uint32_t Up);
  Status step(const program::Step &S, uint32_t Number, const Place &At);
  Status loop(const program::Loop &X, uint32_t Number, const Place &At);
  Status move(const program::Move &X, uint32_t Number, const Place &At);
  Status moveOn(uint32_t Device, const program::Move &X, const Place &At);
  void stage(const program::Move &X);
  Status submit(const program::Submit &X, uint32_t Number, const Place &At);
  Status reachAll(const program::Submit &X, const Place &At);
  Status reach(const Named &N, const Place &At);
  void begin(uint32_t Device);
  void use(const Named &N, bool Written);
  void useSlots(const program::Part &X);
  void useRefs(const std::vector<program::Ref> &Refs);
  void findChanging();
  bool isOneInt(const WordPlan &W, OneIntWord &Out) const;
  template <class Fill> Status describe(Fill F);
  Status parts(const program::Submit &X, const Place &At);
  Status part(const program::Part &X, const Place &At);
  void name(uint32_t Number, const std::string &Name);
  void namePart(const program::Part &X);
  void words(const program::Words &X);
  void copy(const program::Copy &X, const Place &At);
  void copyPart(const CopyCheck &C);
  EndPlan end(const Named &Where, const program::Offset &O, bool Source);
  bool needsCheck(const CopyCheck &C) const;

  // PlanJoin.cpp.
  Status prepare(uint32_t Device, SubmissionDesc Given, uint32_t &Number);
  Status prepareNow(const Place &At);
  bool joins() const;
  Status prepareLater(uint32_t Step);
  Status prepareWaiting();
  Status prepareGroup();
  Status prepareJoined(JoinPlan &J);
  Status prepareSeparately();

  // PlanLaunch.cpp.
  Status refuse(LoadRule R, const Place &At, const std::string &What) const;
  Status fill(const program::Fill &X, const Place &At);
  Status launch(const program::Launch &X, const Place &At);
  Status hostLaunch(const program::Launch &X, const Place &At);
  Status call(HostFunction Function, void *User, const std::string &Name,
              const Values &Params, const std::vector<program::Ref> &Refs,
              const Place &At);
  Status grid(const program::Launch &X, const std::array<uint32_t, 3> &Group,
              Part &Part, bool &Empty, const Place &At);
  Status gridLeaves(const program::Launch &X, const Place &At) const;
  Status constantGrid(const GridCheck &G, Part &Part, bool &Empty,
                      const Place &At);
  void runGrid(const GridCheck &G, Part &Part);
  Status kernelParams(const Kernel &K, Part &Part, const Place &At);
  Status baked(const Param &Param, const Part &Part, const Place &At);
  Status buffer(const Kernel &K, size_t Number, Part &Part, const Place &At);
  Status length(const Param &Param, const Part &Part, ViewCheck &V,
                const Place &At);
  Status view(const ViewCheck &V, const Place &At);
  Status nothingElse(const Kernel &K, const Place &At);
  Placed *placedAt(uint32_t At);
  MemoryUse useOf(const ViewCheck &V) const;
  Status share(const ViewCheck &A, const ViewCheck &B, const Place &At);
  Status shares(const Place &At);

  // PlanWords.cpp.
  PlanValue value(const program::Value &V);
  uint32_t addWord(const WordPlan &W);
  MemoryUse useOf(const Named &N, bool Written) const;
  HolePlan holePlan(const ValueHole &H, const program::Address *Without);
  Status constantHole(const HolePlan &H, std::span<char> Under, size_t Copy,
                      const Place &At);
  Status block(const Values &D, const std::vector<program::Ref> &Refs,
               size_t Bytes, Part &Out, const Place &At);
  Status leaves(const Values &D, const Place &At) const;
  Status ref(const Values &D, size_t Number, const program::Ref &R,
             std::span<const size_t> Holes, Part &Out, const Place &At);
  Status hole(const Values &D, size_t Number, Part &Out, const Place &At);
  Status addressHole(const ValueHole &H, const program::Address &A, Part &Out);
  void put(const WordPlan &W, uint32_t Bytes, Placed X, Part &Out);
  ByCopy<uint64_t> addressOf(const Named &N) const;

  const program::ProgramDesc &Desc;
  goldy_program &L;
  Plan &P;
  WatchFinder Watches;
  std::set<std::pair<uint32_t, uint32_t>> BorrowedInputs;
  // The submission that is described.
  SubmitPlan Now;
  std::vector<Named> Slots, Fixed;
  std::vector<bool> FixedWritten;
  SubmissionDesc Out;
  ByCopy<SubmissionDesc> Described; ///< the second if the step names copies
  size_t Copy = 0;                  ///< of this pass
  uint32_t PassFirst = 0;           ///< in Plan::Words
  std::vector<uint32_t> SeenUses; ///< by watched thing: in Plan::Uses, its last
  uint32_t PartNumber = 0;        ///< in the description
  std::vector<ViewCheck> Reaches; ///< of the launch\'s buffers
  std::vector<Placed> Places;     ///< of the block that was made last, by `At`
  /// Submit steps that are described and not yet prepared; more than one are
  /// neighbours that join.
  struct WaitingStep {
    uint32_t Step = 0, Which = 0; ///< in Plan::Steps, in Plan::Submits
    ByCopy<SubmissionDesc> Desc;
  };
  std::vector<WaitingStep> Waiting;
  uint32_t WaitingParts = 0;
};

} // namespace goldy::rt

#endif
