//===- Plan.h - What a run of a loaded program does -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Load makes a plan of a description's steps, once; runs read it and write
// nothing in it. It is plain data: lists, and ranges of them.
//
// A run has one table of 64-bit words. A submission takes the words of its
// range, and each has a recipe: what is known at load, by copy, and terms over
// the run's ints and inputs. What a recipe cannot promise (ends inside their
// buffers, grids that devices have) is a check beside it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_PLAN_H
#define GOLDY_RUNTIME_PROGRAM_PLAN_H

#include "core/Driver.h"
#include "program/Program.h"

namespace goldy::rt {

using program::Number;

/// Elements of a list of the plan.
struct Range {
  uint32_t First = 0, Count = 0;
  uint32_t end() const { return First + Count; }
};

/// What is known at load, for each copy of memory in two copies.
template <class T> using ByCopy = std::array<T, 2>;

/// `Factor` times a word of the ints, or times `Value` if `Word` is NoIndex.
struct IntTerm {
  uint32_t Word = NoIndex;
  Number Value = 0;
  Number Factor = 1;
};

/// A number that a step needs.
struct PlanValue {
  uint32_t Word = NoIndex; ///< of the ints; NoIndex: `Constant`
  ByCopy<Number> Constant{};
  bool isInt() const { return Word != NoIndex; }
};

/// A hole that reads ints.
struct HolePlan {
  Range Terms;          ///< in Plan::Terms, all of ints
  ByCopy<Number> Sum{}; ///< of its other terms and its `Add`
  uint8_t Shift = 0;
  program::Width Bits = program::Width::W64;
  uint8_t Place = 0; ///< bit of the word where it begins
};

enum class WordKind : uint8_t {
  Block, ///< `Bits`, holes, and an address
  Sum,   ///< the exact sum of `Terms`, an offset
  Int    ///< word `Int` of the ints
};

/// The recipe of a word of a run.
struct WordPlan {
  WordKind Kind = WordKind::Block;
  bool Source = false; ///< Sum: an offset of a source
  Range List;          ///< Block: in Plan::Holes; Sum: in Plan::Terms
  /// Block: the input whose address is added; Int: the word of the ints.
  uint32_t Input = NoIndex;
  uint32_t Part = 0, At = 0;  ///< where it goes, for messages
  ByCopy<uint64_t> Bits{};    ///< Block: constants
  ByCopy<uint64_t> Address{}; ///< Block: that is added without an input
};

/// What most words are that change: one hole of one int, alike in all copies,
/// or an int. A short form of a WordPlan, which it has to be refused by.
struct OneIntWord {
  uint32_t Word = 0; ///< in Plan::Words
  uint32_t Int = 0;  ///< of the ints
  Number Factor = 1, Sum = 0;
  uint64_t Bits = 0, Address = 0, Mask = UINT64_MAX;
  uint8_t Shift = 0, Place = 0;
};

/// A buffer that a step names, or a view of it.
struct Named {
  uint32_t Memory = NoIndex; ///< in Loaded::Memories
  uint32_t Input = NoIndex;  ///< else
  uint64_t Offset = 0;       ///< of the view
  uint64_t Bytes = 0;        ///< of the view; of an input, that it has at least
};

/// An end of a copy or a move.
struct EndPlan {
  Named Where;
  uint32_t Word = NoIndex; ///< of the run, the offset; NoIndex: `Start`
  uint64_t Start = 0;
};

/// Ends that a run must look at.
struct CopyCheck {
  uint32_t Part = NoIndex; ///< NoIndex: a move
  EndPlan Src, Dst;
  uint64_t Length = 0;
};

/// Geometry that reads ints.
struct GridCheck {
  uint32_t Part = 0;
  std::array<PlanValue, 3> Groups, Threads;
  PlanValue Shared;
  std::array<uint32_t, 3> Group{}; ///< the kernel's threads of one
};

/// Elements of a kernel's buffer that a run must look at.
struct ViewCheck {
  uint32_t Part = 0, Param = 0;
  Named Where;
  uint32_t OffsetWord = NoIndex; ///< of the run, an address; else `Offset`
  uint64_t Offset = 0;           ///< bytes from the view's first
  uint32_t LengthWord = NoIndex; ///< of the run; else `Length`
  uint64_t Length = 0;           ///< elements
  uint64_t Stride = 1, Align = 1;
  const char *Name = ""; ///< of the parameter, in its image
  bool Written = false;
  bool Alone = false; ///< shares nothing that is written, not even as one view
  bool isConstant() const {
    return OffsetWord == NoIndex && LengthWord == NoIndex;
  }
};
/// Elements that were found to lie inside what is named.
struct Reached {
  uint64_t Offset = 0; ///< bytes from the view's first
  uint64_t Length = 0; ///< elements
};
/// Two of a launch, of which one is written, that may share a byte in a run.
struct ShareCheck {
  ViewCheck A, B;
};
/// Whether two views of one buffer share a byte, one of them written, and are
/// not the same.
bool viewsShare(const ViewCheck &A, Reached OfA, const ViewCheck &B,
                Reached OfB);
std::string shareFault(const ViewCheck &A, const ViewCheck &B);
/// Whether the elements lie in `Bytes` bytes; a view's stride is below 2^31.
bool viewFits(const ViewCheck &V, Reached R, uint64_t Bytes);
std::string viewFault(const ViewCheck &V, Reached R, uint64_t Bytes);
/// Empty, or why no device has that geometry for a kernel whose groups have
/// `Kernel` threads.
std::string gridFault(const std::array<Number, 3> &Groups,
                      const std::array<Number, 3> &Threads, Number Shared,
                      const std::array<uint32_t, 3> &Kernel);

/// Memory or an input that several devices use, or a device and the host: the
/// host waits for one before another begins.
struct Watched {
  uint32_t Memory = NoIndex, Input = NoIndex;
};
struct WatchedUse {
  uint32_t Which = 0; ///< in Plan::Watches
  bool Written = false;
};

enum class StepKind : uint8_t {
  Submit, ///< a submission, also one that stands for a move
  Stage,  ///< a move that the host does
  Loop
};

/// Of a program that is timed: what a part of a submission is.
struct PartName {
  uint32_t Part = NoIndex; ///< of the step; NoIndex: a move
  std::string Name;        ///< of the function; "copy", "words", "move"
};

struct SubmitPlan {
  uint32_t Device = 0;
  uint32_t StepPoint = NoIndex; ///< number of the submit step; NoIndex: a move
  Range Words;                  ///< in Plan::Words, and of the run's table
  Range Copies, Grids, Views;   ///< checks
  Range Shares;                 ///< of one buffer
  Range InputShares;            ///< of two inputs, which may be one buffer
  Range Uses;                   ///< in Plan::Uses
  ByCopy<uint32_t> Prepared{NoIndex, NoIndex}; ///< in Loaded::Submissions
  bool ReadsInts = false;
  bool NamesCopies = false; ///< memory in two copies, or the ints
  bool OwnParts = false;    ///< several parts, each the step's of its number
  /// Its words that more than inputs change: in Plan::OneInts, and the others
  /// in Plan::Changing.
  Range OneInts, Changing;
  uint32_t Parts = 0; ///< of its submission
  Range Names;        ///< of them, in Plan::PartNames; if the program is timed
  uint32_t Join = NoIndex;   ///< in Plan::Joins, that it is part of
  uint32_t Joined = NoIndex; ///< in Loaded::JoinedSteps, if so
};

/// Neighbouring submit steps of a device, prepared as one submission: nothing
/// between them can be seen. Each keeps its words, checks and messages.
struct JoinPlan {
  uint32_t Device = 0;
  Range Submits; ///< in Plan::Submits; as many steps follow one another
  Range Words;   ///< of all of them
  ByCopy<uint32_t> Prepared{NoIndex, NoIndex}; ///< in Loaded::Submissions
  bool NamesCopies = false;                    ///< one of them does
  /// The words of all are evaluated in one go: none has checks, but for inputs
  /// that are one buffer. `All` has them.
  bool Plain = true;
  SubmitPlan All;
};

struct StagePlan {
  Range Words;
  CopyCheck Ends;
  Range Uses;
  bool ReadsInts = false;
};

struct LoopPlan {
  PlanValue Trips;
  uint32_t Trip = NoIndex;      ///< word of the ints
  uint32_t FlagWatch = NoIndex; ///< NoIndex: no flag
  Named Flag;
  uint64_t FlagAt = 0; ///< byte of the view
  std::vector<program::DerivedInt> Derived;
};

/// Steps in the order of the description, a loop before its body.
struct StepPlan {
  StepKind Kind = StepKind::Submit;
  uint32_t Which = 0;    ///< in Plan::Submits, Stages, Loops
  uint32_t Next = 0;     ///< the step behind it and its body
  uint32_t Up = NoIndex; ///< the loop around it
  uint32_t Number = 0;   ///< in the list that it stands in
};

struct Plan {
  std::vector<StepPlan> Steps;
  std::vector<SubmitPlan> Submits;
  std::vector<JoinPlan> Joins;
  std::vector<StagePlan> Stages;
  std::vector<LoopPlan> Loops;
  std::vector<WordPlan> Words;
  std::vector<OneIntWord> OneInts;
  std::vector<uint32_t> Changing; ///< in Words
  std::vector<HolePlan> Holes;
  std::vector<IntTerm> Terms;
  std::vector<CopyCheck> Copies;
  std::vector<GridCheck> Grids;
  std::vector<ViewCheck> Views;
  std::vector<ShareCheck> Shares, InputShares;
  std::vector<Watched> Watches;
  std::vector<WatchedUse> Uses;
  std::vector<PartName> PartNames;
  bool WatchesInputs = false;
  uint32_t IntsWatch = NoIndex; ///< the ints' in Watches, if work uses them
  uint32_t SubmitSteps = 0;
  /// Devices, and inputs of other devices that they name.
  std::vector<std::pair<uint32_t, uint32_t>> Borrowed;

  /// "steps[2].body[0]".
  std::string placeOf(uint32_t Step) const;
};

template <class T>
std::span<const T> elements(const std::vector<T> &List, Range R) {
  return std::span<const T>(List).subspan(R.First, R.Count);
}

} // namespace goldy::rt

#endif
