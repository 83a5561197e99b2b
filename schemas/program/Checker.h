//===- Checker.h - The walk that checks a description ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in the order of the description; the rules that need the whole come
// last. CheckParts.cpp holds what is the same everywhere (indices, views,
// holes, values, offsets), CheckSteps.cpp the steps, CheckOrder.cpp the rules
// of order. Every function returns false after the first broken rule.
//
// What the rules ask of a step ("does it fix memory 3 whole?") is kept in
// tables by memory that carry the number of the step that wrote them, so
// nothing is cleared from one step to the next.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_CHECKER_H
#define GOLDY_SCHEMAS_PROGRAM_CHECKER_H

#include "program/Check.h"
#include "program/Place.h"

#include <unordered_map>
#include <unordered_set>

namespace goldy::program {

/// `What` stands at `At` and breaks `R`.
Refusal refusalAt(Rule R, const Place &At, const std::string &What);

/// Where a leaf or a value stands, which decides what may stand there.
enum class Context : uint8_t { Image, Init, Step, Trips };

class Checker {
public:
  Checker(const ProgramDesc &P, const Machine *On) : P(P), On(On) {}
  bool run();
  bool numbers();
  std::optional<Refusal> take() { return std::move(Found); }

  /// What is wrong with an expression over `Words` ints (CheckDerived.cpp).
  struct ExpressionFault {
    Rule Broken;
    size_t Node; ///< Place::NoIndex: the whole
    std::string What;
  };
  static std::optional<ExpressionFault> expressionFault(const Expression &E,
                                                        Number Words);

private:
  bool fail(Rule R, const Place &At, const std::string &What);

  // Check.cpp: the lists of the description.
  bool devices();
  bool rails();
  bool memories();
  bool allocation(const Alloc &A, size_t Number, const Place &At);
  bool images();
  bool inputs();

  // CheckDerived.cpp.
  bool lengths();
  bool derived(const std::vector<DerivedInt> &List, const Place &Loop);

  // CheckParts.cpp.
  bool index(Number N, size_t Count, const char *List, const Place &At);
  bool size(Number N, const Place &At);
  bool view(const View &V, const Place &At);
  bool slot(const Slot &S, const Place &At);
  bool leaf(const Leaf &L, const Place &At);
  bool value(const Value &V, const Place &At);
  bool offset(const Offset &O, const Place &At);
  bool constantOffset(const Offset &O, const Place &At,
                      std::optional<Number> &Out);
  template <class T> bool holes(const Data<T> &D, const Place &At);
  template <class T> bool holeShapes(const Data<T> &D, const Place &At);
  bool holeTerm(const Leaf &L, const Place &At) { return leaf(L, At); }
  bool holeTerm(const Value &V, const Place &At) { return value(V, At); }
  /// Bytes of a memory; none for a rail's area of unknown size.
  std::optional<Number> memoryBytes(Number Memory) const;
  /// Bytes of a slot; none for an input, which may be larger than it must.
  std::optional<Number> slotBytes(const Slot &S) const;
  bool coversWhole(const View &V) const;

  // CheckSteps.cpp.
  struct End {
    const Slot &Where;
    const Offset &Terms;
    Place At;                    ///< of the offset
    std::optional<Number> Start; ///< bytes; none: reads an int
  };
  bool steps(const std::vector<Step> &List, const Place &At, unsigned Nesting);
  bool submit(const Submit &S, const Place &At);
  bool move(const Move &M, const Place &At);
  bool loop(const Loop &L, const Place &At, unsigned Nesting);
  bool flag(const Flag &F, const Place &At);
  bool part(const Part &X, const Place &At);
  bool words(const Words &W, const Place &At);
  bool fill(const Fill &F, const Place &At);
  bool copy(const Copy &C, const Place &At);
  bool launch(const Launch &L, const Place &At);
  bool geometry(const Launch &L, const Place &At);
  bool geometryRange(const std::array<Value, 3> &Sizes, Number Least,
                     Number Most, const Place &At, const char *Field);
  bool params(const Data<Value> &D, const std::vector<Ref> &Refs,
              const Place &At);
  bool refs(const std::vector<Ref> &Refs, const Data<Value> &D,
            const Place &At);
  bool ends(End &Src, End &Dst, Number Length, const Place &At);
  bool endRange(End &E, Number Length);
  bool overlap(const End &Src, const End &Dst, Number Length) const;
  bool imageDevice(Number Image, const Place &At);
  bool useSlot(Number Slot, bool Unordered, const Place &At);
  bool slotUses(const Submit &S, const Place &At);

  // CheckOrder.cpp.
  void nameMemory(const View &V, bool Fixes);
  bool address(const Address &A, const Place &At);
  bool handle(const Handle &H, const Place &At);
  void notePointers(size_t Memory, const Data<Leaf> &Init);
  bool namesPointers(Number Memory, const Place &At);
  bool submitOrder(const Submit &S, const Place &At);
  bool initAddresses();

  const ProgramDesc &P;
  const Machine *On;
  std::optional<Refusal> Found;

  /// What the step being checked does with a memory.
  struct Naming {
    uint64_t Named = 0, Whole = 0, Fixed = 0; ///< the number of the step
    uint64_t Pointers = 0;                    ///< P35 is done for the step
  };
  std::vector<Naming> Names;               ///< by memory
  std::vector<std::vector<size_t>> Others; ///< by memory: what init points to
  std::unordered_set<uint64_t> FixedWhole; ///< key(device, memory), any submit
  std::unordered_map<Number, const RailEnd *> RailEnds; ///< by id

  Context Where = Context::Step;
  size_t Owner = 0;            ///< number of the image or memory being checked
  const Submit *Now = nullptr; ///< the submit being checked
  const Flag *LoopFlag = nullptr;
  uint64_t StepNumber = 0, PointerWork = 0;
  std::vector<uint8_t> SlotUse; ///< of `Now`: 1 ordered, 2 unordered
};

/// `Sum` of an offset's terms if none reads an int.
enum class SumState : uint8_t { Constant, ReadsInt, Past };
SumState sumOffset(const Offset &O, Number &Sum);

} // namespace goldy::program

#endif
