//===- RunOrder.cpp - Runs that share memory, one after another -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runs in progress are a list through the callers' stacks.
//
//===----------------------------------------------------------------------===//
#include "cpu/RunOrder.h"

using namespace goldy::rt;

static bool conflict(const MemoryUse &A, const MemoryUse &B) {
  return A.Memory == B.Memory && (A.Written || B.Written) &&
         A.Offset < B.Offset + B.Bytes && B.Offset < A.Offset + A.Bytes;
}

static bool conflict(const SubmissionDesc &A, const SubmissionDesc &B) {
  for (const Part &P : A.Parts)
    for (const MemoryUse &Mine : P.Uses)
      for (const Part &Q : B.Parts)
        for (const MemoryUse &Theirs : Q.Uses)
          if (conflict(Mine, Theirs))
            return true;
  return false;
}

bool RunOrder::mustWait(const Turn &T) {
  for (const Turn *Other = T.Earlier; Other; Other = Other->Earlier)
    if (conflict(T.Desc, Other->Desc))
      return true;
  return false;
}

RunOrder::Turn::Turn(RunOrder &Order, const SubmissionDesc &Desc)
    : Order(Order), Desc(Desc) {
  std::unique_lock<std::mutex> Guard(Order.Lock);
  Earlier = Order.Latest;
  if (Earlier)
    Earlier->Later = this;
  Order.Latest = this;
  if (!Earlier)
    return;
  ++Order.Waiting;
  Order.Ended.wait(Guard, [&] { return !mustWait(*this); });
  --Order.Waiting;
}

RunOrder::Turn::~Turn() {
  std::lock_guard<std::mutex> Guard(Order.Lock);
  (Later ? Later->Earlier : Order.Latest) = Earlier;
  if (Earlier)
    Earlier->Later = Later;
  if (Order.Waiting)
    Order.Ended.notify_all();
}
