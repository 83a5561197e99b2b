//===- Lives.cpp - Which temporaries share storage ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lives.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::prog;

namespace {

constexpr uint64_t Never = ~uint64_t(0);

struct Life {
  uint64_t First = Never, Last = 0;
};

/// First and last use of each buffer, in numbers of steps of the top level.
std::vector<Life> livesOf(const Program &P) {
  std::vector<Life> Lives(P.Buffers.size());
  for (uint64_t I = 0; I < P.Steps.size(); ++I) {
    auto Use = [&](const Step &S) {
      forEachBuffer(S, [&](BufferId B) {
        Life &L = Lives[B.index()];
        L.First = std::min(L.First, I);
        L.Last = I;
      });
    };
    Use(P.Steps[I]);
    if (const Loop *L = std::get_if<Loop>(&P.Steps[I].Kind))
      forEachStep(L->Body, Use);
    if (const Choice *C = std::get_if<Choice>(&P.Steps[I].Kind)) {
      forEachStep(C->Then, Use);
      forEachStep(C->Else, Use);
    }
  }
  return Lives;
}

} // namespace

std::vector<Storage> prog::shareStorage(const Program &P, const Module &M) {
  std::vector<Life> Lives = livesOf(P);
  std::vector<BufferId> Order;
  for (uint32_t I = 0; I < P.Buffers.size(); ++I)
    if (P.Buffers[BufferId(I)].Kind == BufferKind::Temporary &&
        Lives[I].First != Never)
      Order.push_back(BufferId(I));
  std::sort(Order.begin(), Order.end(), [&](BufferId A, BufferId B) {
    return std::pair(Lives[A.index()].First, A) <
           std::pair(Lives[B.index()].First, B);
  });
  std::vector<Storage> All;
  std::map<std::tuple<uint32_t, ExprId, uint64_t>, std::vector<size_t>> Alike;
  for (BufferId B : Order) {
    const Buffer &X = P.Buffers[B];
    uint64_t Stride = M.Types.stride(X.Element);
    std::vector<size_t> &Candidates = Alike[{X.Device, X.Count, Stride}];
    std::vector<size_t>::iterator Free =
        std::find_if(Candidates.begin(), Candidates.end(), [&](size_t S) {
          BufferId Latest = All[S].Buffers.back();
          return Lives[Latest.index()].Last < Lives[B.index()].First;
        });
    if (Free != Candidates.end()) {
      All[*Free].Buffers.push_back(B);
      continue;
    }
    Candidates.push_back(All.size());
    All.push_back({X.Device, X.Count, Stride, {B}});
  }
  return All;
}
