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

/// Times are numbers of steps of the top level, where each branch of a choice
/// counts its own steps, one branch behind the other.
struct Interval {
  uint64_t First = Never, Last = 0;
  void add(uint64_t Time) {
    First = std::min(First, Time);
    Last = std::max(Last, Time);
  }
  bool meets(const Interval &O) const {
    return First <= O.Last && O.First <= Last;
  }
};

struct Life {
  Interval Steps; ///< of the top level, by index
  /// Uses in the branches of a choice; all there are if Steps is that choice.
  Interval Branches[2];
  /// One interval, or for a temporary of one choice up to two.
  std::vector<Interval> Times;
  bool meets(const Life &O) const {
    return std::any_of(Times.begin(), Times.end(), [&](const Interval &A) {
      return std::any_of(O.Times.begin(), O.Times.end(),
                         [&](const Interval &B) { return A.meets(B); });
    });
  }
};

class LifeFinder {
public:
  explicit LifeFinder(const Program &P) : P(P), Lives(P.Buffers.size()) {}
  std::vector<Life> run();

private:
  template <class F> void forEachUse(const Step &S, F Visit) {
    forEachBuffer(S, Visit);
    auto Inner = [&](const Step &In) { forEachBuffer(In, Visit); };
    if (const Loop *L = std::get_if<Loop>(&S.Kind))
      forEachStep(L->Body, Inner);
    if (const Choice *C = std::get_if<Choice>(&S.Kind)) {
      forEachStep(C->Then, Inner);
      forEachStep(C->Else, Inner);
    }
  }
  void visit(uint64_t Index, const Step &S);
  void finish(Life &L) const;

  const Program &P;
  std::vector<Life> Lives;
  std::vector<Interval> TimesOf; ///< of each step of the top level
  uint64_t Now = 0;
};

void LifeFinder::visit(uint64_t Index, const Step &S) {
  Interval Times{Now, Now};
  forEachUse(S, [&](BufferId B) { Lives[B.index()].Steps.add(Index); });
  if (const Choice *C = std::get_if<Choice>(&S.Kind))
    for (unsigned Branch = 0; Branch < 2; ++Branch)
      for (const Step &In : Branch == 0 ? C->Then : C->Else) {
        forEachUse(In, [&](BufferId B) {
          Lives[B.index()].Branches[Branch].add(Now);
        });
        Times.add(Now++);
      }
  TimesOf.push_back(Times);
  ++Now;
}

void LifeFinder::finish(Life &L) const {
  if (L.Steps.First == Never)
    return;
  if (L.Steps.First != L.Steps.Last ||
      !std::holds_alternative<Choice>(P.Steps[L.Steps.First].Kind)) {
    L.Times = {{TimesOf[L.Steps.First].First, TimesOf[L.Steps.Last].Last}};
    return;
  }
  for (const Interval &Branch : L.Branches)
    if (Branch.First != Never)
      L.Times.push_back(Branch);
}

std::vector<Life> LifeFinder::run() {
  for (uint64_t I = 0; I < P.Steps.size(); ++I)
    visit(I, P.Steps[I]);
  for (Life &L : Lives)
    finish(L);
  return std::move(Lives);
}

} // namespace

std::vector<Storage> prog::shareStorage(const Program &P, const Module &M) {
  std::vector<Life> Lives = LifeFinder(P).run();
  std::vector<BufferId> Order;
  for (uint32_t I = 0; I < P.Buffers.size(); ++I)
    if (P.Buffers[BufferId(I)].Kind == BufferKind::Temporary &&
        !Lives[I].Times.empty())
      Order.push_back(BufferId(I));
  std::sort(Order.begin(), Order.end(), [&](BufferId A, BufferId B) {
    return std::pair(Lives[A.index()].Times[0].First, A) <
           std::pair(Lives[B.index()].Times[0].First, B);
  });
  std::vector<Storage> All;
  std::map<std::tuple<uint32_t, ExprId, uint64_t>, std::vector<size_t>> Alike;
  for (BufferId B : Order) {
    const Buffer &X = P.Buffers[B];
    uint64_t Stride = M.Types.stride(X.Element);
    std::vector<size_t> &Candidates = Alike[{X.Device, X.Count, Stride}];
    std::vector<size_t>::iterator Free =
        std::find_if(Candidates.begin(), Candidates.end(), [&](size_t S) {
          return std::none_of(All[S].Buffers.rbegin(), All[S].Buffers.rend(),
                              [&](BufferId Other) {
                                return Lives[Other.index()].meets(
                                    Lives[B.index()]);
                              });
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
