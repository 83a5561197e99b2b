//===- EmitRows.cpp - Rows of a group in step
//-------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass runs the statements of a region for one vector of each of its rows.
// What the plan calls a row's own is emitted once for each row, with that row
// selected: it has its own values, variables and place in the context. All
// else is emitted once and seen by all rows; so are masks, which depend on the
// column only. Statements on which rows disagree are emitted whole for one row
// after the other.
//
// Regions that do whole groups have no loops over rows and vectors. What they
// keep for each other has a home on the stack for each vector, which LLVM makes
// a register.
//
//===----------------------------------------------------------------------===//
#include "Emitter.h"

using namespace goldy;
using namespace llvm;

void HostEmitter::startPass(uint32_t R, Value *FirstY) {
  PassRows = Plan.Regions[R].Rows;
  Pass.resize(std::max<size_t>(Pass.size(), PassRows));
  for (unsigned N = 0; N < PassRows; ++N) {
    Pass[N].Y = B.CreateAdd(FirstY, B.getInt32(N), "y", true, true);
    Pass[N].Values.resize(hasRows() ? F.Insts.size() : 0);
  }
  selectRow(0);
}

/// Goes to vector `X` of each row, which may be a part of one of the plan.
void HostEmitter::startVectors(Value *X) {
  LocalFirst = B.CreateMul(X, B.getInt32(W), "local.x", true, true);
  if (W < Plan.Width) {
    Value *Parts = B.getInt32(Plan.Width / W);
    Sub = B.CreateMul(B.CreateURem(X, Parts), B.getInt32(W), "sub", true, true);
    X = B.CreateUDiv(X, Parts);
  }
  for (unsigned N = 0; N < PassRows; ++N) {
    Value *Row = B.CreateAdd(B.CreateMul(RowZ, B.getInt32(F.WorkgroupSize[1])),
                             Pass[N].Y);
    Row = B.CreateMul(Row, B.getInt32(Plan.VectorsPerRow), "row");
    Pass[N].Index = B.CreateAdd(Row, X);
  }
  selectRow(0);
}

void HostEmitter::selectRow(unsigned N) {
  Selected = N;
  RowY = Pass[N].Y;
  VectorIndex = Pass[N].Index;
}

/// A statement without statements within, for all rows of the pass.
void HostEmitter::inStep(InstId I) {
  if (!InStep)
    return instruction(I);
  unsigned Before = Emitted;
  forRows(Plan.OfRow[I], [&] { instruction(I); });
  Emitted = Before + 1;
}

/// Rows disagree: one after the other runs the statement, as if alone.
bool HostEmitter::rowByRow(InstId I) {
  Value *Lanes = Mask;
  bool Ends = true;
  InStep = false;
  for (unsigned N = 0; N < PassRows && Ends; ++N) {
    selectRow(N);
    Mask = Lanes;
    Ends = statement(I);
  }
  InStep = true;
  selectRow(0);
  Mask = Lanes;
  return Ends;
}

Value *&HostEmitter::valueOf(ValueId V) {
  bool Own = InRegion && hasRows() && Plan.OfRow[V];
  return Own ? Pass[Selected].Values[V.index()] : Values[V.index()];
}

AllocaInst *HostEmitter::homeOfSlot(SlotId S, llvm::Type *T) {
  unsigned Row = Plan.SlotOfRow[S] ? Selected : 0;
  AllocaInst *&Home =
      SlotHomes[{S.index(), FirstHome + Row * Plan.VectorsPerRow}];
  if (!Home)
    Home = entryAlloca(T, F.Slots[S].Name);
  return Home;
}

AllocaInst *HostEmitter::homeOfValue(ValueId V) {
  unsigned Row = Plan.OfRow[V] ? Selected : 0;
  AllocaInst *&Home =
      ValueHomes[{V.index(), FirstHome + Row * Plan.VectorsPerRow}];
  if (!Home)
    Home = entryAlloca(valueType(F.typeOf(V), Shapes->Value[V].isScalar()),
                       "kept");
  return Home;
}

/// Zeroes the slot in all vectors of the group.
void HostEmitter::clearHomes(SlotId S) {
  llvm::Type *T = valueType(F.Slots[S].Type, Shapes->OfSlot[S].isScalar());
  Selected = 0;
  for (FirstHome = 0; FirstHome < Plan.VectorsPerGroup; ++FirstHome)
    B.CreateStore(llvm::Constant::getNullValue(T), homeOfSlot(S, T));
}
