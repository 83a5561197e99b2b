//===- Lanes.h - The lane plan: how a kernel becomes vector code
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host target runs W work-items of one row (adjacent in x) per vector.
// The plan says for every value how it varies over those lanes, for every
// statement under what mask and in which region it runs, and for every value
// that outlives a region its context slot. The emitter transcribes the plan;
// --emit=lanes prints it as comments on IR text.
//
// *Live lanes.* Lanes that leave a loop or block wait at its end; lanes that
// continue wait at the loop's continuing block. A statement is divergent
// relative to a block around it if some lanes that entered the block, and are
// still in it, do not run the statement.
//
// *Scope of a slot.* The innermost block that holds all its accesses and
// writes it before it reads it; else the body. Only lanes that run the scope
// see the slot, so divergence outside does not matter: the counter of a loop
// inside `if i < n` is one scalar.
//
// *Regions.* A statement that holds a barrier, or a uniform exit from one that
// does with a barrier still to come, runs once per group. So do group-uniform
// values, loads and stores of slots that stand directly in such statements.
// Maximal runs of the rest are regions: loops over rows and vectors.
//
// *Reductions* end a region, whose last statement they are: there every item
// stores its value into the scratch array. The tree over it runs once per group
// right after.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_ANALYSIS_LANES_H
#define GOLDYC_ANALYSIS_LANES_H

#include "goldyc/Analysis/Structure.h"
#include "goldyc/IR/IR.h"

#include <algorithm>
#include <string>

namespace goldy {

/// How a value varies over the lanes of one vector. Only lane-uniformity is
/// meant here: local_id.y is Uniform.
enum class LaneShape : uint8_t {
  Uniform, ///< one scalar
  Strided, ///< first + lane * Stride (integers); Stride 1 is contiguous
  Varying  ///< a vector
};
struct LaneValue {
  LaneShape Shape = LaneShape::Varying;
  int64_t Stride = 0; ///< Strided
  /// Uniform and Strided integers: lane 0's value is a multiple of it (a power
  /// of two, at most MaxLaneAlign).
  uint32_t Align = 1;
  bool isScalar() const { return Shape != LaneShape::Varying; }
  friend bool operator==(const LaneValue &, const LaneValue &) = default;
};
inline constexpr uint32_t MaxLaneAlign = 1u << 16;

/// Lanes of the smallest vectors. Fewer work-items run one after the other.
inline constexpr unsigned MinLanes = 4;

/// How a memory access is done over the lanes.
enum class LaneAccess : uint8_t { Broadcast, Contiguous, Strided, Gather };

/// How an atomic is done over the lanes. Which lane comes first is nobody's
/// business, but old values have to fit one order.
enum class LaneAtomic : uint8_t {
  InLaneOrder, ///< one after the other, lane 0 first
  OneForAll    ///< one place, nobody wants the old value: the lanes' values are
               ///< joined before they are put there
};

/// Whose agreement makes a value uniform.
/// Column: work-items of a group that differ in local_id.y only.
enum class LaneScope : uint8_t { Vector, Group, Column };

/// The shapes of one function at one scope. Only Vector has Strided ones.
struct LaneShapes {
  SideMap<Inst, LaneValue> Value;
  SideMap<Slot, LaneValue> OfSlot;
  /// If and BreakIf: the condition varies. Break, Continue, Return: some live
  /// lanes of the target (the function) do not take it.
  SideMap<Inst, bool> Divergent{false};
  /// Stores to slots: divergent relative to the slot's scope.
  SideMap<Inst, bool> Partial{false};
};

/// Where slots live; see "Scope of a slot" above.
struct SlotScope {
  BlockId Scope;
  bool WrittenFirst = false; ///< never read before it is written in its scope
  std::vector<InstId> Accesses; ///< in program order
};
SideMap<Slot, SlotScope> slotScopes(const Module &M, const Function &F,
                                    const Structure &S);

/// `Width` lanes (a power of two).
LaneShapes analyseLanes(const Module &M, const Function &F, const Structure &S,
                        const SideMap<Slot, SlotScope> &Scopes, LaneScope Scope,
                        unsigned Width);

/// Loads of workgroup arrays that stand behind a barrier in its own list of
/// statements, and before their work-item writes the array: those that name one
/// element give one value.
SideMap<Inst, bool> settledLoads(const Function &F);

/// One lane agrees with itself: all values and slots are uniform.
LaneShapes shapesOfOneLane(const Function &F);

/// What a group runs in order, once per group.
struct GroupItem {
  enum class Kind : uint8_t {
    Scalar,  ///< one instruction on scalars: value, slot load or store
    Control, ///< If, Loop, Block, or an exit, with uniform conditions
    Barrier,
    Region
  };
  Kind What = Kind::Scalar;
  InstId Inst;         ///< all but Region
  uint32_t Region = 0; ///< Region
};

/// Why a region does the rows of a group in the passes that it does.
enum class RowsReason : uint8_t {
  OneRow,    ///< groups have no other
  Shared,    ///< rows have loads or values in common, made once for a pass
  Waits,     ///< one row's chain of operations would wait for itself
  Registers, ///< the whole group, whose context stays in registers
  // One row a pass:
  NoLoop,  ///< there is no loop in which rows have something in common
  Enough,  ///< rows have little in common, and work enough of their own
  Leaves,  ///< work-items leave from here, or meet
  Ordered, ///< atomics
  Array,   ///< a private array in memory
  Checked, ///< the copy with checks, and what only one work-item a time may do
  Large    ///< more rows would not fit in registers, or be too much code
};

/// A loop by lowered `for` that lanes leave at different times only if they
/// are at different distances from its limit: `Counter` starts Strided by 1.
struct LaneTrips {
  uint32_t Step = 0; ///< of the counter; 0: no such loop
  SlotId Counter;
  ValueId Limit; ///< uniform, does not change
  bool Inclusive = false;
};

/// Why a vector is as many registers as it is.
enum class InterleaveReason : uint8_t {
  Gains,      ///< the estimate says that more registers are faster
  Order,      ///< loops read rows of memory in order with them
  Stream,     ///< short code between loads and stores, no loops
  NoGain,     ///< or that they are not
  Row,        ///< a row has no more lanes, or does not divide into them
  Rows,       ///< groups of several rows run rows together instead
  Tile,       ///< beside rows in step: what rows and registers load is shared
  Follows,    ///< straight code does as many as rows in step elsewhere
  LaneByLane, ///< atomics, collectives, debug output
  Array,      ///< private arrays
  Divides,    ///< wider vectors would often be divided by where lanes are
  Large       ///< more would be too much code
};
struct LaneInterleave {
  unsigned Registers = 1; ///< of a vector: 1, 2, 4, 8 or 16
  InterleaveReason Why = InterleaveReason::NoGain;
  /// Estimates for vectors of one register: operations of a trip of the
  /// costliest loop (or of the code without loops), the cycles that each trip
  /// waits for the one before, values alive at once.
  unsigned Operations = 0, Latency = 0, Live = 0;
  unsigned Size = 0; ///< operations of all the code
  /// Estimated cycles a register of lanes, in percent of one register's.
  unsigned Percent = 100;
};

/// The region's only choice between lanes, one that the first vectors of a row
/// make alike: all lanes pass as long as `Id` is less than `Bound`.
struct RowSplit {
  InstId Guard; ///< an If without else; invalid: there is none
  bool Outcome = true;
  ValueId Id, Bound;
  bool Inclusive = false; ///< or equal
  /// What computes `Id` from a vector's first lane, in order, itself included.
  std::vector<ValueId> Chain;
};

/// Statements that run for each vector of the group before anything else does.
struct LaneRegion {
  std::vector<InstId> Insts;
  /// In the second form of a first choice, which has checks that the first one
  /// does not need: seldom run.
  bool Cold = false;
  /// Values of other regions that are computed again here, in order.
  std::vector<ValueId> Again;
  /// Values of other regions read from the context here.
  std::vector<ValueId> Reads;
  /// Values computed here and kept in the context for later regions.
  std::vector<ValueId> Keeps;
  /// Slots in the context that are accessed, or written, here.
  std::vector<SlotId> ContextSlots, ContextWrites;
  /// Group-uniform slots accessed here: each vector starts from the value at
  /// the region's start, the last one with live lanes gives the value after.
  std::vector<SlotId> UniformSlots, UniformWrites;
  /// Group-level statements (invalid: the function) that lanes leave from
  /// here, and those that lanes may have left before.
  std::vector<InstId> Exits, Absent;
  /// Rows, adjacent in y, that run it in step; a divisor of the rows of a
  /// group.
  uint32_t Rows = 1;
  RowsReason WhyRows = RowsReason::OneRow;
  /// All vectors of the group are one pass, each with code of its own.
  bool Whole = false;
  LaneInterleave Interleave;
  /// Lanes of a vector here, at most LanePlan::Width; both are powers of two.
  /// What is kept of a vector of LanePlan::Width lanes is kept once for all the
  /// vectors of which that consists here.
  unsigned Width = 1;
  /// A vector's registers are done one after the other all the same.
  bool ByRegister = false;
  /// Work-items of a row that do anything: those whose local_id.x is less.
  uint32_t Items = 0;
  /// Ifs that all of those take.
  std::vector<InstId> Taken;
  bool takes(InstId If) const {
    return std::find(Taken.begin(), Taken.end(), If) != Taken.end();
  }
  RowSplit Split;
};

/// A place in the per-group context: `Offset` bytes from the context's start,
/// one element (vector or scalar) per vector of the group.
struct ContextPlace {
  uint64_t Offset = 0;
  uint32_t Bytes = 0; ///< per vector; 0: not in the context
  /// No memory is needed: all regions with an access are Whole.
  bool InRegisters = false;
};

/// Holds if Constant + Σ factor * value is not negative, as whole numbers: u32
/// and i32 values of the first lane, as their types say.
struct LaneTest {
  std::vector<std::pair<ValueId, int64_t>> Values;
  int64_t Constant = 0;
};

/// Statements of one list that are there twice: where the tests hold, in all
/// lanes and repetitions the comparisons have these outcomes.
struct LaneVersion {
  InstId From, To; ///< inclusive
  std::vector<LaneTest> Tests;
  std::vector<std::pair<ValueId, bool>> Outcomes;
  std::vector<InstId> Guards; ///< divergent Ifs that are uniform or gone there
  /// Loops and Blocks that lanes leave elsewhere, but never alone there.
  std::vector<InstId> Together;
  /// Buffers of unrolled loads, which must have at most MaxNear elements:
  /// elements with near indices are near in memory then.
  std::vector<uint32_t> Near;
};

/// Elements that near ones are apart, at most; and the longest buffer in which
/// no sum that wraps leads from one element to another as if it were near.
inline constexpr int32_t NearDistance = 1 << 16;
inline constexpr uint32_t MaxNear = uint32_t(0) - NearDistance;

inline constexpr uint32_t NoRegion = ~0u;

struct LanePlan {
  unsigned Width = 1; ///< of the widest region
  /// Lanes of one register: a vector is Width / Machine of them, interleaved.
  unsigned Machine = 1;
  unsigned MachineRegisters = 16; ///< vector registers that the machine has
  bool MachineFuses = true;       ///< it has fused multiply-add
  LaneShapes Vector, Group;
  LaneShapes Column; ///< of groups with several rows
  /// Control statements that rows of a pass run one after the other.
  SideMap<Inst, bool> PerRow{false};
  /// What each row of a pass does for itself; the rest is done once.
  SideMap<Inst, bool> OfRow{false};
  SideMap<Slot, bool> SlotOfRow{false};
  SideMap<Slot, SlotScope> Scopes;
  SideMap<Inst, LaneTrips> Strips; ///< of loops with divergent ends
  SideMap<Inst, LaneAccess> Access{LaneAccess::Gather};
  /// Strided accesses, the distance in words if it is small: plain accesses and
  /// shuffles do them, where all lanes take part. 0: no such access.
  SideMap<Inst, int32_t> Distance{0};
  SideMap<Inst, LaneAtomic> Atomic{LaneAtomic::InLaneOrder};
  /// Values that an operand or an index names.
  SideMap<Inst, bool> Used{false};
  /// Atomics whose index each lane computes for itself, out of memory.
  SideMap<Inst, bool> ScalarIndex{false};
  /// Control statements that a divergent exit crosses or ends in.
  SideMap<Inst, bool> HasDivergentExit{false};
  /// Control statements that run once per group.
  SideMap<Inst, bool> GroupLevel{false};
  /// Ifs between two forms of all the group's work.
  SideMap<Inst, bool> FirstChoice{false};
  /// The body's first choice, if greater ids of groups only make it fail.
  SideMap<Inst, bool> OnceARun{false};
  /// Groups side by side in x do together what one long group would do: their
  /// only region sees of a work-item nothing but its global id.
  bool Joins = false;
  /// Of placed instructions; NoRegion for what runs once per group.
  SideMap<Inst, uint32_t> RegionOf{NoRegion};
  std::vector<LaneRegion> Regions;
  SideMap<Block, std::vector<GroupItem>> Items; ///< of group-level blocks
  SideMap<Inst, ContextPlace> ContextOfValue;
  SideMap<Slot, ContextPlace> ContextOfSlot;
  /// Slots that a group keeps in one scalar.
  SideMap<Slot, bool> GroupSlot{false};
  /// Group-level statements (invalid: the function) whose later regions must
  /// know which lanes have left: one word a lane, zero at the target's entry.
  std::vector<std::pair<InstId, ContextPlace>> ExitFlags;
  std::vector<LaneVersion> Versions;
  /// By the first statement: the version's index plus 1.
  SideMap<Inst, uint32_t> VersionAt{0};
  /// Loops that are unrolled in the copy that the tests select.
  SideMap<Inst, uint32_t> Unrolled{0};
  /// Of those, loops so small that they are unrolled in all but narrow code.
  SideMap<Inst, bool> AlwaysUnrolled{false};
  /// Workgroup arrays that are zeroed for each group.
  SideMap<WorkgroupArray, bool> Zeroed{true};
  uint64_t ContextBytes = 0; ///< multiple of 64
  uint32_t VectorsPerRow = 1, VectorsPerGroup = 1;
  /// Not empty: the kernel cannot be planned (a barrier in control flow that
  /// this analysis cannot prove uniform), and where.
  std::string Refused;
  InstId RefusedAt;

  /// Some region is a stream, of which choices of NaN are a great part.
  bool hasStreams() const {
    for (const LaneRegion &R : Regions)
      if (R.Interleave.Why == InterleaveReason::Stream && R.Width > Machine)
        return true;
    return false;
  }
};

/// Plan of a legal kernel (no calls, no For, scalar values) for vectors of
/// `Width` lanes.
/// `PerItem`: a group does at its level only what its control statements hang
/// on, so that a work-item does the rest of its statements in order.
LanePlan planLanes(const Module &M, const Function &F, unsigned Width,
                   bool PerItem = false);

/// Fills the plan's fields on atomics; wants those on accesses.
void planAtomics(const Function &F, const Structure &S, LanePlan &Plan);

/// Decides rows a pass and registers a vector of groups with several rows, and
/// what stays in registers between regions; wants all but contexts' offsets.
void planRows(const Module &M, const Function &F, const Structure &S,
              LanePlan &Plan);

/// Fills the regions' widths and items; wants the contexts, and how many
/// registers make a vector.
void planItems(const Function &F, LanePlan &Plan);

/// Fills LanePlan::Zeroed; wants the regions.
void planArrays(const Module &M, const Function &F, LanePlan &Plan);

/// Fills LanePlan::OnceARun; wants FirstChoice.
void planRuns(const Function &F, LanePlan &Plan);

/// Fills LanePlan::Joins; wants everything else.
void planJoins(const Function &F, LanePlan &Plan);

/// Fills the plan's versions; wants everything else.
void planVersions(const Function &F, const Structure &S, LanePlan &Plan);

/// Fills LaneRegion::Split; wants everything else.
void planSplits(const Function &F, LanePlan &Plan);

/// The machine's vectors.
struct LaneMachine {
  unsigned Lanes = 4;      ///< 32-bit elements of a register
  unsigned Registers = 16; ///< how many there are
  bool Fuses = true;       ///< it has fused multiply-add
};
/// The plan for a good number of lanes, of registers interleaved too.
LanePlan planLanes(const Module &M, const Function &F, const LaneMachine &On);

/// The rule of cost, for each region; `Plan` is for vectors of one register.
std::vector<LaneInterleave> chooseInterleave(const Module &M, const Function &F,
                                             const LanePlan &Plan,
                                             const LaneMachine &On);
/// Finds LanePlan::Strips.
void findTrips(const Function &F, const Structure &S, LanePlan &Plan);

/// A good number of lanes for the kernel on a machine with `MaxWidth` lanes:
/// fewer when a row is narrower or divides better.
unsigned chooseWidth(const Function &F, unsigned MaxWidth);

/// IR text of the kernel with the plan as comments (--emit=lanes).
std::string lanesText(const Module &M, FuncId Kernel, const LaneMachine &On);

} // namespace goldy

#endif
