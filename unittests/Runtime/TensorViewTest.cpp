//===- TensorViewTest.cpp - Views against a walk over their elements ------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/TensorView.h"

#include <catch2/catch.hpp>

#include <cstring>

#include <random>
#include <set>

using namespace goldy::rt;

namespace {

/// Every element that a view reaches, as often as it does.
std::multiset<uint64_t> elements(const TensorView &V) {
  std::multiset<uint64_t> All;
  const goldy_tensor_layout &L = V.Layout;
  for (uint32_t N = 0; N < L.numel; ++N) {
    uint64_t Rest = N, At = V.Offset;
    for (int A = 3; A >= 0; --A) {
      At += Rest % L.shape[A] * L.strides[A];
      Rest /= L.shape[A];
    }
    All.insert(At);
  }
  return All;
}

goldy_tensor_view_t randomView(std::mt19937 &Random) {
  goldy_tensor_view_t V{};
  V.rank = Random() % 5;
  V.offset = Random() % 12;
  for (uint32_t A = 0; A < V.rank; ++A) {
    V.shape[A] = Random() % 16 ? 1 + Random() % 4 : 0;
    V.strides[A] = static_cast<int64_t>(Random() % 9);
  }
  return V;
}

constexpr uint64_t Parent = 64;

} // namespace

TEST_CASE("all of a parent, found without checking") {
  for (uint64_t Length : {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(1000),
                          uint64_t(UINT32_MAX)}) {
    TensorView Checked, All = wholeView(Length);
    REQUIRE(checkView(nullptr, Length, true, Checked).empty());
    CHECK(std::memcmp(&All.Layout, &Checked.Layout, sizeof All.Layout) == 0);
    CHECK(All.Offset == Checked.Offset);
    CHECK(All.First == Checked.First);
    CHECK(All.End == Checked.End);
  }
}

TEST_CASE("a good view reaches its parent only, a written one nothing twice") {
  std::mt19937 Random(1);
  unsigned Good = 0, Written = 0;
  for (int N = 0; N < 20000; ++N) {
    goldy_tensor_view_t Asked = randomView(Random);
    TensorView V;
    if (!checkView(&Asked, Parent, false, V).empty())
      continue;
    ++Good;
    std::multiset<uint64_t> All = elements(V);
    CHECK(All.size() == V.Layout.numel);
    if (!All.empty()) {
      CHECK(*All.begin() == V.First);
      CHECK(*All.rbegin() + 1 == V.End);
      CHECK(V.End <= Parent);
    }
    bool Dense = true;
    uint64_t Next = V.Offset;
    for (uint64_t E : All)
      Dense &= E == Next++;
    // Elements in ascending order are not yet logical neighbours.
    if (V.isContiguous())
      CHECK(Dense);
    if (!checkView(&Asked, Parent, true, V).empty())
      continue;
    ++Written;
    CHECK(std::set<uint64_t>(All.begin(), All.end()).size() == All.size());
  }
  CHECK(Good > 3000);
  CHECK(Written > 1000);
}

TEST_CASE("views that do not fit are refused") {
  TensorView V;
  goldy_tensor_view_t View{2, 1, {3, 4}, {5, 1}};
  CHECK(checkView(&View, 15, true, V).empty());
  CHECK(checkView(&View, 14, true, V).find("beyond its parent of 14") !=
        std::string::npos);
  View.strides[0] = -5;
  CHECK(checkView(&View, 15, false, V).find("stride -5") != std::string::npos);
  View = {1, ~uint64_t(0), {2}, {1}};
  CHECK_FALSE(checkView(&View, 15, false, V).empty());
  View = {4, 0, {65536, 65536, 65536, 65536}, {0, 0, 0, 0}};
  CHECK(checkView(&View, 15, false, V).find("more than 4294967295") !=
        std::string::npos);
  View = {2, 0, {uint64_t(1) << 40, 0}, {1, 1}};
  CHECK_FALSE(checkView(&View, 15, false, V).empty());
  // No elements: nothing is reached, wherever it starts.
  View = {2, 99, {4, 0}, {1, 1}};
  CHECK(checkView(&View, 15, true, V).empty());
  CHECK(V.Offset == 0);
  CHECK(V.isContiguous());
  // One element along an axis: its stride means nothing.
  View = {2, 14, {1, 1}, {INT64_MAX, 0}};
  CHECK(checkView(&View, 15, true, V).empty());
  View = {5, 0, {}, {}};
  CHECK(checkView(&View, 15, false, V) ==
        "rank 5, a tensor has at most 4 axes");
  View = {2, 0, {2, 3}, {1, 1}};
  CHECK_FALSE(checkView(&View, 15, true, V).empty());
  CHECK(checkView(nullptr, 15, true, V).empty());
  CHECK(V.shape() == "[15]");
}

TEST_CASE("two views meet exactly if they have an element in common") {
  std::mt19937 Random(2);
  unsigned Apart = 0, Near = 0;
  for (int N = 0; N < 20000; ++N) {
    goldy_tensor_view_t A = randomView(Random), B = randomView(Random);
    TensorView X, Y;
    if (!checkView(&A, Parent, false, X).empty() ||
        !checkView(&B, Parent, false, Y).empty())
      continue;
    std::multiset<uint64_t> Of = elements(X);
    bool Common = false;
    for (uint64_t E : elements(Y))
      Common |= Of.count(E) != 0;
    CHECK(viewsMeet(X, Y) == Common);
    CHECK(viewsMeet(Y, X) == Common);
    bool Ranges = X.First < Y.End && Y.First < X.End;
    Apart += !Common && Ranges;
    Near += Common;
  }
  CHECK(Apart > 100);
  CHECK(Near > 500);
  // The two halves of every row.
  goldy_tensor_view_t Left{2, 0, {1000, 512}, {1024, 1}},
      Right{2, 512, {1000, 512}, {1024, 1}};
  TensorView X, Y;
  CHECK(checkView(&Left, 1024000, true, X).empty());
  CHECK(checkView(&Right, 1024000, true, Y).empty());
  CHECK_FALSE(viewsMeet(X, Y));
}
