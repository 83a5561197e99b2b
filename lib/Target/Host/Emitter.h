//===- Emitter.h - Transcribes a lane plan into LLVM IR
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One class in files by topic: EmitKernel.cpp (entry, group loop, group-level
// statements), EmitRegions.cpp (rows and vectors, contexts), EmitControl.cpp
// (masks and control flow within a vector), EmitValues.cpp, EmitMemory.cpp,
// EmitAtomics.cpp, EmitVersions.cpp. Private to Target/Host.
//
// *Values.* A value that the plan calls uniform or strided is a scalar, that
// of lane 0; others are <W x T>. A bool vector is a *mask*: <W x i1> on v4,
// where it lives in a mask register, else <W x i32> of 0 and -1, which is what
// compares give and blends take; <W x i1> would be repacked at every block.
//
// *The current mask* is null while all W lanes are known to run, else a mask
// that is never empty where statements with effects are emitted: every piece
// of code behind a divergent condition is skipped when no lane wants it. So
// scalar loads, stores and loops need no test of their own.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_EMITTER_H
#define GOLDYC_LIB_TARGET_HOST_EMITTER_H

#include "DebugInfo.h"
#include "goldyc/Analysis/Lanes.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Target/LLVM/OpaqueFloat.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace goldy {

/// Byte offsets within the scratch memory of one thread.
struct ScratchLayout {
  std::vector<uint64_t> WorkgroupArrays;
  uint64_t WorkgroupBytes = 0; ///< rounded to 64
  uint64_t Context = 0;
  std::map<uint32_t, uint64_t>
      BigSlots; ///< private arrays too big for the stack
  uint64_t Total = 0;
};

class HostEmitter {
public:
  /// `Level` is 1..4. `Lines`: for -g, else null.
  HostEmitter(const Module &M, const Function &F, const LanePlan &Plan,
              unsigned Level, llvm::Module &LM, DiagSink &Diags,
              HostDebug *Lines = nullptr);
  /// Emits the entry function `Name`; false after a diagnostic.
  bool run(llvm::StringRef Name);
  /// The same for an item's entry (goldy_host_abi.h), from a plan of one lane
  /// that is made for it.
  bool runItem(llvm::StringRef Name);
  const ScratchLayout &scratch() const { return Layout; }

private:
  using Value = llvm::Value;
  using BasicBlock = llvm::BasicBlock;

  /// What is emitted from now on belongs to the statement, or to none: that is
  /// the kernel's own line, as debuggers stop in code of no line.
  void at(InstId I) {
    if (Lines)
      B.SetCurrentDebugLocation(Lines->place(Shows ? F.Insts[I].Loc : Span()));
  }
  void atNoStatement() {
    if (Lines)
      B.SetCurrentDebugLocation(Lines->place(Span()));
  }

  // --- EmitKernel.cpp
  void layOutScratch();
  void createFunction(llvm::StringRef Name);
  void loadParams();
  void loadLayouts(const AbiLayout &Abi);
  void groupLoop();
  void findAxes();
  void firstGroup(Value *First);
  void nextGroup();
  void enterGroup();
  void zeroBytes(Value *Start, uint64_t Bytes);
  void groupBlock(BlockId B);
  void groupItem(const GroupItem &Item);
  void groupControl(InstId I);
  void groupIf(InstId I);
  // EmitRun.cpp
  void askForRun(Value *First, Value *End);
  void choiceOfRun(BlockId Body);
  InstId runChoice() const;
  void askForJoin();
  void startTurn();
  Value *vectorsOfTurn(uint32_t OfGroup);
  void groupLoopStatement(InstId I);
  void groupBlockStatement(InstId I);
  void clearExitFlags(InstId Target);
  llvm::AllocaInst *entryAlloca(llvm::Type *T, const llvm::Twine &Name);
  BasicBlock *newBlock(const llvm::Twine &Name);
  /// Branches to `To` if the block has no terminator yet.
  void branchTo(BasicBlock *To);
  /// A loop that counts `Count` times; `Body` gets the i32 counter.
  template <class Fn>
  llvm::BranchInst *countedLoop(uint32_t Count, const Fn &Body);
  /// The same from `First` on, as long as the counter is less than `End`, in
  /// steps that end there.
  template <class Fn>
  llvm::BranchInst *countedLoop(Value *First, Value *End, const Fn &Body,
                                uint32_t Step = 1);

  /// The same over vectors of a row, which `Body` finds started. Counts lanes,
  /// which addresses take as they are.
  template <class Fn>
  llvm::BranchInst *loopOfVectors(Value *From, Value *To, const Fn &Body);

  // --- EmitRegions.cpp
  void region(uint32_t R);
  void markRegion(bool On);
  void allRows(uint32_t R);
  void regionRow(uint32_t R);
  void vectorOfRegion(uint32_t R, Value *Mask);
  /// Where the context says which lanes have left, and a copy of that.
  using ExitFlags = std::vector<std::pair<Value *, llvm::AllocaInst *>>;
  ExitFlags enterExits(const LaneRegion &Region, BasicBlock *Leave);
  bool dropAbsent(const LaneRegion &Region);
  bool presentLanes(const LaneRegion &Region, Value *Lanes, BasicBlock *Leave);
  void giveSlots(const LaneRegion &Region, Value *Lanes, BasicBlock *Leave);
  void clearSlots(uint32_t R);
  Value *lanesLeft(Value *At);
  void enterVector(const LaneRegion &Region);
  void enterSlot(SlotId S);
  void readKept(ValueId V);
  void clearSlot(SlotId S);
  void leaveVector(const LaneRegion &Region);
  void slotsOfVector(uint32_t R);
  Value *slotFromContext(SlotId S);
  void slotToContext(SlotId S, Value *V);
  bool sharesSlot(SlotId S) const;
  void giveSlot(SlotId S);
  std::vector<SlotId> slotsToGive(const LaneRegion &Region) const;
  void giveAtExit(const LaneRegion &Region, InstId Left);
  Value *tailMask(unsigned Lanes);
  /// Where the vector has something of this type.
  Value *contextAddress(const ContextPlace &P, llvm::Type *T);
  /// Of vectors in scratch memory, which is aligned to 64.
  uint64_t vectorAlign() const { return std::min(W * 4, 64u); }
  void keepValue(ValueId V);

  // --- EmitRows.cpp
  /// A row of the pass, which runs in step with the others.
  struct PassRow {
    Value *Y = nullptr;          ///< local_id.y
    Value *Index = nullptr;      ///< of the row's vector, in the group
    std::vector<Value *> Values; ///< what differs from row to row
    SideMap<Slot, llvm::AllocaInst *> Slots{nullptr};
  };
  void startPass(uint32_t R, Value *FirstY);
  void startVectors(Value *X);
  void selectRow(unsigned N);
  bool hasRows() const { return PassRows > 1; }
  /// For each row of the pass if `Own`, else once.
  template <class Fn> void forRows(bool Own, const Fn &Visit);
  /// The same in step; else for the selected row.
  template <class Fn> void rowsInStep(bool Own, const Fn &Visit) {
    if (InStep)
      forRows(Own, Visit);
    else
      Visit();
  }
  void inStep(InstId I);
  bool rowByRow(InstId I);
  Value *&valueOf(ValueId V);
  llvm::AllocaInst *homeOfSlot(SlotId S, llvm::Type *T);
  llvm::AllocaInst *homeOfValue(ValueId V);
  void clearHomes(SlotId S);

  // --- EmitItem.cpp
  void itemRegion(uint32_t R);
  void regionEndsAt(InstId Next, llvm::DILocation *Outer);
  void atRegionEnd() {
    if (OneItem && Shows)
      B.SetCurrentDebugLocation(RegionEnd);
  }
  void others(uint32_t R, Value *From, Value *To);
  void standAt(Value *Item);
  void outlineOthers();
  void shareSlots();
  void argumentMark(InstId I, SlotId S);
  bool callMark(InstId I, SlotId S);
  void noteSlot(SlotId S);
  void noteArray(SlotId S, Value *Address);
  void showParams();
  void showSlots();
  llvm::AllocaInst *shownAddress(Value *Address, const llvm::Twine &Name);

  // --- EmitControl.cpp
  /// Joins the masks of paths that meet.
  struct MaskJoin {
    llvm::AllocaInst *Lanes = nullptr;
    bool Any = false; ///< some path arrived
    bool Same = true; ///< all with the mask `First`
    Value *First = nullptr;
  };
  /// An enclosing statement that can be left.
  struct Frame {
    InstId Target; ///< invalid: the function
    BasicBlock *Leave = nullptr, *Repeat = nullptr;
    llvm::AllocaInst *Live = nullptr;    ///< loops with divergent exits
    llvm::AllocaInst *Waiting = nullptr; ///< lanes that have continued
    MaskJoin *Rejoin = nullptr;          ///< when lanes leave for farther out
    llvm::AllocaInst *Left = nullptr;    ///< exit flags of a group-level target
    const LaneRegion *Of = nullptr;      ///< of group-level targets: the region
    bool Together = false; ///< loops that all lanes leave as lane 0 does
    bool Waits = false;    ///< some lanes continue before others
    Value *Some = nullptr; ///< a mask of the trip that is not empty
    bool SomeLeft = false; ///< nor is that of the trip's end
  };
  MaskJoin startJoin();
  void arrive(MaskJoin &J, Value *Mask);
  Value *joined(MaskJoin &J);
  void findExits();
  /// The end of a block that is jumped to when no lane is left.
  struct Remainder {
    BasicBlock *End = nullptr;
    MaskJoin After;
  };
  /// Emits statements from index `From`; false if their end is not reached.
  bool statements(const std::vector<InstId> &List, size_t From = 0);
  bool statement(InstId I);
  bool worthCopy(const std::vector<InstId> &List, size_t From) const;
  void skipIfEmpty(Remainder &Rest);
  void leaveIfEmpty(Frame &Loop);
  bool endOfRest(Remainder &Rest, bool Ends);
  bool versionedRest(const std::vector<InstId> &List, size_t From);
  bool ifStatement(InstId I);
  bool uniformIf(InstId I, Value *Cond);
  bool divergentIf(InstId I);
  void predicatedIf(InstId I, Value *Cond);
  bool versionedIf(InstId I, Value *Cond);
  bool maskedIf(InstId I, Value *Cond);
  bool isCheap(BlockId B, unsigned &Budget) const;
  bool mayVersion() const;
  bool worthVersions(InstId I) const;
  void branch(BlockId B, Value *Mask, MaskJoin &After, BasicBlock *Join);
  bool loopStatement(InstId I);
  /// `Together`: all lanes leave it as lane 0 does.
  bool loopCopy(InstId I, bool Together);
  void loopBody(InstId I, Frame &Loop);
  void loopEnd(InstId I, Frame &Loop, BasicBlock *Header, Value *Entry);
  Frame *loopOf(const std::vector<InstId> &List);
  void breakIf(InstId I, Frame &Loop, BasicBlock *Header);
  bool blockStatement(InstId I);
  bool exitStatement(InstId I);
  Frame &frameOf(InstId Target);
  Value *andMask(Value *A, Value *B); ///< null: all lanes
  Value *andNotMask(Value *A, Value *B);
  Value *anyLane(Value *Mask);
  Value *allLanes(Value *Mask);
  Value *laneBits(Value *Mask); ///< bit l is lane l, of a word of 32 or more
  Value *foldedBits(Value *Lanes, llvm::Instruction::BinaryOps Fold);
  std::pair<Value *, Value *> halves(Value *V);
  Value *together(Value *Low, Value *High);
  /// Remembers scalar tests for a mask that compares a vector's neighbours.
  void noteTests(InstId I, Value *Lanes);
  Value *fullMask();
  Value *emptyMask() { return llvm::Constant::getNullValue(MaskTy); }

  // --- EmitSplit.cpp
  void splitRow(uint32_t R, Value *Full);
  static bool keepsNothing(const LaneRegion &Region);
  void splitStream(uint32_t R, Value *Full);
  Value *times(Value *N, unsigned By);
  void maskedVector(uint32_t R);
  Value *vectorsThatPass(const RowSplit &S, Value *Full, unsigned Lanes);

  // --- EmitVersions.cpp
  size_t versionedRun(const std::vector<InstId> &List, size_t From);
  void runOf(const std::vector<InstId> &List, size_t From, size_t To);
  Value *passes(const LaneVersion &Version);
  Value *holds(const LaneTest &Test);
  Value *uniformPart(ValueId Cond, unsigned Depth = 10);
  bool unrolledLoop(InstId I);
  bool staysTogether(InstId Statement) const;

  // --- EmitLanes.cpp
  void setLanes(unsigned Lanes);
  void wideVector(uint32_t R);
  void redoneIfDivided(uint32_t R);
  void narrowVectors(uint32_t R, Value *First);
  void shareContextSlots(const LaneRegion &Region);
  bool mayNarrow() const { return Narrow && Clean; }
  void noteEffect(InstId I);
  bool isControl(InstId I) const;
  Value *movedLane(const LaneValue &Shape, Value *First, bool Back);
  Value *tripsAgree(const LaneTrips &T);
  Value *firstLane(ValueId Compare);
  bool touchesMemory(InstId Loop) const;
  bool loopTogether(InstId I);

  // --- EmitValues.cpp
  void instruction(InstId I);
  Value *pureValue(InstId I);
  Value *operation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *integerOperation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *floatOperation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *bitOperation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *compareOperation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *castOperation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *notOperation(const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *selectOperation(llvm::ArrayRef<Value *> Ops);
  Value *idValue(const Inst &N);
  Value *lenValue(const Inst &N);
  llvm::Value *imageExtent(InstId I);
  // EmitDebug.cpp
  void debug(InstId I);
  llvm::Value *debugBits(ValueId V);
  // EmitWatch.cpp
  void loadWatcher();
  void watch(InstId I);
  Value *watchedItem();
  Value *watchedGroup();
  Value *leaf(const Inst &N);
  Value *canonicalNan(Value *X);
  /// A * C + D rounded once, without the instruction.
  Value *fmaByDoubles(Value *A, Value *C, Value *D);
  Value *flush(Value *X);
  Value *count(Value *N);
  Value *mulHi(Value *A, Value *C, bool Signed);
  Value *notLegal(InstId I);
  /// The scalar of a uniform or strided value.
  Value *scalar(ValueId V);
  /// The vector of any value.
  Value *vector(ValueId V);
  Value *splat(Value *Scalar);
  Value *asMask(Value *I1Vector); ///< <W x i1> to a mask
  Value *asI1(Value *Mask);       ///< and back
  Value *steps(int64_t Stride);   ///< <0, k, 2k, …>
  void define(InstId I, Value *V);

  // --- EmitDivision.cpp
  Value *divideOperation(InstId I, const Inst &N, llvm::ArrayRef<Value *> Ops);
  Value *divideNeighbours(const Inst &N, Value *First, ValueId Divisor);
  Value *divideLanes(const Inst &N, Value *X, ValueId Divisor);
  Value *quotient(Value *X, ValueId Divisor, bool Signed);
  Value *reciprocal(Value *Divisor);
  Value *doubleOf(Value *X, double Plus);
  Value *magnitude(Value *X);

  // --- EmitMemory.cpp
  /// Where an access goes and under which condition.
  struct Access {
    InstId Inst;
    LaneAccess Kind = LaneAccess::Gather;
    FlatPlace Flat;
    Value *Base = nullptr;
    bool Buffer = false;
    bool LaneArray = false; ///< private array of vectors: [element][lane]
    TypeId Type;
    Value *Guard = nullptr;  ///< uniform: i1
    Value *Mask = nullptr;   ///< lanes that access; null: all W
    bool MaskVaries = false; ///< Mask may be empty: a varying guard
  };
  Access describe(InstId I);
  void load(InstId I);
  void store(InstId I);
  void loadSlot(InstId I, SlotId S);
  void storeSlot(InstId I, SlotId S);
  Value *loadLanes(const Access &A);
  Value *loadBroadcast(const Access &A);
  Value *loadContiguous(const Access &A);
  bool isNear(const Access &A) const;
  Value *loadPlain(const Access &A, Value *Address, Value *Mask);
  void storeLanes(const Access &A, Value *V);
  void storeBroadcast(const Access &A, ValueId V);
  void storeContiguous(const Access &A, Value *V);
  void storeVector(const Access &A, Value *V);
  Value *gather(const Access &A, Value *Mask);
  Value *gatherWords(const Access &A, Value *Which);
  void scatter(const Access &A, Value *V, Value *Mask);
  /// Address of lane 0; `SignExtend` for an index that has wrapped below 0.
  Value *firstAddress(const Access &A, bool SignExtend);
  Value *laneAddresses(const Access &A);
  bool isRegular(const Access &A);
  Value *maskedGather(const Access &A, Value *Lanes);
  Value *gatherRegisters(Value *Base, Value *Index, Value *Lanes,
                         uint8_t Scale);
  Value *laneOffsets32(const Access &A);
  bool mayWrap(const Access &A);
  Value *wraps(const Access &A);
  Value *wrapped(const Access &A, Value *First);
  Value *lanesBeforeWrap(const Access &A);
  Value *lastLane(Value *Mask);
  Value *slotStorage(SlotId S);
  /// Of the slot in one vector.
  uint64_t slotBytes(SlotId S) const {
    return M.Types.layout(F.Slots[S].Type).Size *
           (Shapes->OfSlot[S].isScalar() ? 1 : W);
  }
  llvm::Type *memoryType(TypeId T);
  llvm::Type *memoryVector(TypeId T);
  llvm::Align memoryAlign(TypeId T);
  int64_t memorySize(TypeId T);
  Value *fromMemory(TypeId T, Value *V);
  Value *toMemory(TypeId T, Value *V);
  llvm::GlobalVariable *table(uint32_t Index);

  // --- EmitStrided.cpp
  Value *loadStrided(const Access &A);
  void storeReversed(const Access &A, Value *V);
  Value *loadApart(const Access &A);
  Value *lowestAddress(const Access &A);
  Value *staysInRange(const Access &A);

  // --- EmitMasked.cpp
  bool hasMaskedMoves(llvm::Type *Vector) const;
  bool hasScatters(llvm::Type *Vector) const;
  Value *maskWords(Value *Lanes);
  Value *addressOrSpare(Value *Lanes, unsigned Lane, Value *Address,
                        Value *Spare);
  Value *loadLaneByLane(llvm::Type *T, llvm::Align Alignment, Value *Lanes,
                        llvm::function_ref<Value *(unsigned)> Address);
  void storeLaneByLane(Value *V, llvm::Align Alignment, Value *Lanes,
                       llvm::function_ref<Value *(unsigned)> Address);
  Value *gatherEach(llvm::Type *T, Value *Addresses, llvm::Align Alignment,
                    Value *Lanes);
  void scatterEach(Value *V, Value *Addresses, llvm::Align Alignment,
                   Value *Lanes);

  // --- EmitAtomics.cpp
  /// What the lanes of an atomic need: one of three forms of the address, and
  /// scalars or spilled vectors.
  struct AtomicLanes {
    Value *First = nullptr; ///< of lane 0; others `Step` bytes apart
    int64_t Step = 0;
    llvm::AllocaInst *Offsets = nullptr;   ///< of the base, 32 bits each
    llvm::AllocaInst *Addresses = nullptr; ///< 64 bits each
    llvm::SmallVector<Value *, 2> Inputs;
    llvm::AllocaInst *Old = nullptr; ///< null: nobody wants it
  };
  void atomic(InstId I);
  AtomicLanes spillAtomic(const Access &A, const Inst &N);
  void atomicLane(const Access &A, const Inst &N, const AtomicLanes &L,
                  Value *Lane);
  Value *valueOfLane(ValueId V, unsigned Lane);
  Value *addressOfLane(const Access &A, unsigned Lane);
  void everyLane(const Access &A, const Inst &N, const AtomicLanes &L);
  void everyLaneOr(const Access &A, const Inst &N, const AtomicLanes &L);
  void lanesInMask(const Access &A, const Inst &N, const AtomicLanes &L);
  void atomicOfAll(const Access &A, const Inst &N);
  static uint32_t neutral(const Inst &N, TypeId T);
  Value *joinLanes(const Inst &N, TypeId T, Value *V);
  Value *atomicOne(const Access &A, const Inst &N, Value *Address,
                   llvm::ArrayRef<Value *> Ops);
  Value *privateAtomic(const Inst &N, TypeId T, Value *Address,
                       llvm::ArrayRef<Value *> Ops);
  Value *floatAtomicAdd(Value *Address, Value *V);
  llvm::AllocaInst *spill(Value *V);

  // --- EmitCollectives.cpp
  void collective(InstId I);
  Value *tree(const Inst &N, Value *Array);
  Value *subtree(const Inst &N, llvm::FixedVectorType *Vector, Value *First,
                 uint32_t Vectors);
  Value *combineNeighbours(const Inst &N, Value *A, Value *C);
  Value *combine(const Inst &N, Value *A, Value *C);

  // --- Types
  llvm::Type *scalarType(TypeId T);
  llvm::Type *valueType(TypeId T, bool Scalar);
  bool isBool(TypeId T) const { return T == types::Bool; }

  const Module &M;
  const Function &F;
  const LanePlan &Plan;
  unsigned Level;
  unsigned W;         ///< lanes of the vectors that are emitted now
  LaneShapes OneLane; ///< all uniform
  /// Of vectors of W lanes: the plan's, or OneLane.
  const LaneShapes *Shapes = nullptr;
  llvm::Module &LM;
  DiagSink &Diags;
  HostDebug *Lines;
  llvm::LLVMContext &C;
  llvm::IRBuilder<> B;
  OpaqueFloat Float;
  llvm::Type *I1, *I8, *I32, *I64, *F32, *Ptr;
  llvm::Type *I1Vec, *I32Vec, *I64Vec, *F32Vec, *MaskTy;

  llvm::Function *Fn = nullptr;
  llvm::Value *Block = nullptr, *Range = nullptr, *Scratch = nullptr;
  /// Function and its first argument, null if the launch has no sanitizer.
  llvm::Value *Watch = nullptr, *Watcher = nullptr;
  ScratchLayout Layout;
  std::vector<Value *> Values;      ///< by instruction
  std::vector<Value *> ParamValues; ///< scalar, or buffer's address
  std::vector<Value *> ParamLengths;
  /// By whether it is a word of the table (else of the block) and its byte.
  std::map<std::pair<bool, uint32_t>, Value *> LayoutWords;
  SideMap<Inst, Value *> LayoutValues{nullptr};
  Value *GroupCount[3] = {}, *GroupId[3] = {};
  unsigned Axes = 1; ///< of a group's id that anything asks for, x first
  llvm::AllocaInst *GroupAt[3] = {}, *GroupsLeft = nullptr;
  BasicBlock *GroupEnd = nullptr;
  Value *RunPasses = nullptr; ///< all groups of the call pass the first choice
  /// A turn of the loop over groups (EmitRun.cpp).
  struct GroupTurn {
    Value *MayJoin = nullptr; ///< i1: several groups may; null: never
    Value *Groups = nullptr;  ///< i32: how many it takes
    bool Joined = false;      ///< what is emitted is for all of them
  };
  GroupTurn Turn;
  std::map<uint32_t, std::pair<BasicBlock *, BasicBlock *>> GroupTargets;

  SideMap<Slot, llvm::AllocaInst *> GroupSlots{nullptr}, VectorSlots{nullptr},
      NextSlots{nullptr};
  SideMap<Slot, Value *> ArrayContext{nullptr};
  /// While narrow code is emitted: scalars of the context before its vector.
  SideMap<Slot, Value *> SharedStarts{nullptr};
  /// VectorSlots of other numbers of lanes than W.
  std::map<unsigned, SideMap<Slot, llvm::AllocaInst *>> SlotsOfWidth;
  BasicBlock *Narrow = nullptr; ///< does the vector that is emitted again
  bool Clean = false;           ///< nothing of it has been written yet
  bool InNarrow = false;        ///< in code for parts of a vector
  bool MaskedOnly = false;      ///< no copies for all lanes
  /// First lane in the plan's vector of what is a part of it; null: 0.
  Value *Sub = nullptr;
  const LaneRegion *RegionNow = nullptr;
  bool InRegion = false;
  std::vector<PassRow> Pass;
  unsigned PassRows = 1, Selected = 0;
  bool InStep = false;    ///< statements are for all rows of the pass
  uint32_t FirstHome = 0; ///< in Whole regions: the vector of the first row
  /// By slot or value, and vector of the group.
  std::map<std::pair<uint32_t, uint32_t>, llvm::AllocaInst *> SlotHomes,
      ValueHomes;
  Value *LocalFirst = nullptr; ///< local_id.x of lane 0
  Value *RowY = nullptr, *RowZ = nullptr, *VectorIndex = nullptr;

  const RowSplit *Passing = nullptr; ///< all lanes pass its guard
  Value *Mask = nullptr;             ///< the current mask; null: all lanes
  bool Partial = false; ///< a mask is not asked whether all lanes are in it
  /// Masks for which scalars say whether all or any lanes are in them.
  llvm::DenseMap<Value *, std::pair<Value *, Value *>> Tests;
  std::vector<Frame> Frames;
  SideMap<Inst, bool> PassesOut{false};
  SideMap<Inst, bool> Waits{false}; ///< loops that some lanes continue early
  /// Of one lane nobody leaves alone.
  bool passesOut(InstId I) const { return W > 1 && PassesOut[I]; }
  bool leavesApart(InstId I) const { return W > 1 && Plan.HasDivergentExit[I]; }
  int32_t distanceOf(InstId I) const { return W > 1 ? Plan.Distance[I] : 0; }
  /// The version whose copy for passed tests is emitted, and its outcomes.
  const LaneVersion *Chosen = nullptr;
  std::map<ValueId, bool> Outcomes;
  unsigned Versions = 0; ///< nesting of versioned code
  unsigned Emitted = 0;  ///< instructions of the IR, copies counted
  std::map<uint32_t, llvm::GlobalVariable *> Tables;
  llvm::GlobalVariable *Zeros = nullptr; ///< what lanes out of a mask read
  llvm::AllocaInst *Sink = nullptr;      ///< where they write

  bool OneItem = false;                  ///< an item's entry
  bool Shows = true;                     ///< what is emitted has lines
  Value *Item = nullptr;                 ///< its number
  llvm::DILocation *RegionEnd = nullptr; ///< where it goes behind a region
  /// Where it goes behind the statement that is emitted: code that joins what
  /// it has parted belongs there, since a debugger comes to it from either way.
  llvm::DILocation *Following = nullptr;
  /// Of the item, while others have theirs in VectorSlots, and the other way.
  SideMap<Slot, llvm::AllocaInst *> ItemSlots{nullptr};
  /// Holders of the addresses of arrays that have no fixed place.
  SideMap<Slot, llvm::AllocaInst *> ItemArrays{nullptr};
  /// What debuggers are shown of parameters and workgroup arrays, by number.
  std::vector<llvm::AllocaInst *> ParamHomes, ArrayHomes;
  SideMap<Slot, llvm::DILocation *> SlotPlaces{nullptr}; ///< first access
  /// What becomes a function of its own, and where it is called.
  struct OthersCode {
    std::vector<BasicBlock *> Blocks;
    llvm::DebugLoc CalledAt;
  };
  std::vector<OthersCode> OthersCodes;
  bool Failed = false;
};

template <class Fn> void HostEmitter::forRows(bool Own, const Fn &Visit) {
  for (unsigned N = 0; N < (Own ? PassRows : 1); ++N) {
    selectRow(N);
    Visit();
  }
  selectRow(0);
}

template <class Fn>
llvm::BranchInst *HostEmitter::countedLoop(uint32_t Count, const Fn &Body) {
  if (Count == 1) {
    Body(B.getInt32(0));
    return nullptr;
  }
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Loop = newBlock("count"), *After = newBlock("counted");
  B.CreateBr(Loop);
  B.SetInsertPoint(Loop);
  llvm::PHINode *I = B.CreatePHI(I32, 2, "i");
  I->addIncoming(B.getInt32(0), Before);
  Body(I);
  Value *Next = B.CreateAdd(I, B.getInt32(1), "next", true, true);
  I->addIncoming(Next, B.GetInsertBlock());
  llvm::BranchInst *Latch =
      B.CreateCondBr(B.CreateICmpULT(Next, B.getInt32(Count)), Loop, After);
  B.SetInsertPoint(After);
  return Latch;
}

template <class Fn>
llvm::BranchInst *HostEmitter::countedLoop(Value *First, Value *End,
                                           const Fn &Body, uint32_t Step) {
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Loop = newBlock("count"), *After = newBlock("counted");
  B.CreateCondBr(B.CreateICmpULT(First, End), Loop, After);
  B.SetInsertPoint(Loop);
  llvm::PHINode *I = B.CreatePHI(I32, 2, "i");
  I->addIncoming(First, Before);
  Body(I);
  Value *Next = B.CreateAdd(I, B.getInt32(Step), "next", true, Step == 1);
  I->addIncoming(Next, B.GetInsertBlock());
  llvm::BranchInst *Latch =
      B.CreateCondBr(B.CreateICmpULT(Next, End), Loop, After);
  B.SetInsertPoint(After);
  return Latch;
}

template <class Fn>
llvm::BranchInst *HostEmitter::loopOfVectors(Value *From, Value *To,
                                             const Fn &Body) {
  Value *Lanes = B.getInt32(W);
  return countedLoop(
      B.CreateMul(From, Lanes, "", true), B.CreateMul(To, Lanes, "", true),
      [&](Value *Lane) {
        startVectors(B.CreateExactUDiv(Lane, Lanes));
        Body();
      },
      W);
}

} // namespace goldy

#endif
