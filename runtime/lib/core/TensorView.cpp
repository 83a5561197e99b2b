//===- TensorView.cpp - What a tensor argument sees of its parent ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// *An element twice.* A written view has its axes of more than one element
// sorted by stride; each stride must exceed the distance from the first to the
// last element over the axes before it. That is enough for all elements to be
// different, and holds for whatever transpose, narrow and slicing with steps
// make of a dense array. Some strides that reach no element twice all the same,
// such as (2, 3) over (3, 2), are refused: telling them apart would cost a walk
// over all elements.
//
// *Two views.* They meet if the equation
//   sum of i_k * s_k  -  sum of j_k * t_k  =  offset of B - offset of A
// has a solution within the extents. The variables are tried from the greatest
// stride down, each only as far as the rest can make up for.
//
//===----------------------------------------------------------------------===//
#include "core/TensorView.h"

#include "core/Checked.h"

#include <algorithm>
#include <vector>

using namespace goldy::rt;

static constexpr uint32_t MaxRank = 4;

template <class Axis> static std::string listed(uint32_t Count, Axis Text) {
  std::string List;
  for (uint32_t A = 0; A < Count; ++A)
    List += (A ? ", " : "") + Text(A);
  return "[" + List + "]";
}

std::string TensorView::shape() const {
  return listed(Layout.rank,
                [&](uint32_t A) { return std::to_string(Layout.shape[A]); });
}

std::string goldy::rt::contractText(const std::vector<ContractDim> &Contract) {
  return listed(static_cast<uint32_t>(Contract.size()), [&](uint32_t A) {
    const ContractDim &D = Contract[A];
    return D.Form == ContractDim::Kind::Any     ? std::string("_")
           : D.Form == ContractDim::Kind::Exact ? std::to_string(D.Extent)
                                                : D.Name;
  });
}

// --- One view

static std::string axisText(uint32_t A) { return "axis " + std::to_string(A); }

/// Extents and strides become the layout's; axes of one element have no stride.
static std::string takeAxes(const goldy_tensor_view_t &V, bool Written,
                            TensorView &Out) {
  uint64_t Numel = 1;
  bool Empty = false;
  for (uint32_t A = 0; A < V.rank; ++A)
    Empty |= V.shape[A] == 0;
  for (uint32_t A = 0; A < V.rank; ++A) {
    std::optional<uint64_t> Product = checkedMul(Numel, V.shape[A]);
    if (V.shape[A] > UINT32_MAX || !Product || *Product > UINT32_MAX)
      return "the view has more than 4294967295 elements";
    Numel = *Product;
    if (V.strides[A] < 0)
      return axisText(A) + " has stride " + std::to_string(V.strides[A]) +
             "; strides are not negative";
    bool Moves = V.shape[A] > 1 && !Empty;
    if (Moves && V.strides[A] == 0 && Written)
      return axisText(A) +
             " has stride 0, and the kernel writes the tensor: every element "
             "along it would be one";
    if (Moves && V.strides[A] > int64_t(UINT32_MAX))
      return axisText(A) + " has stride " + std::to_string(V.strides[A]) +
             ", more than any parent has elements";
    Out.Layout.shape[A] = static_cast<uint32_t>(V.shape[A]);
    Out.Layout.strides[A] = Moves ? static_cast<uint32_t>(V.strides[A]) : 0;
  }
  Out.Layout.numel = static_cast<uint32_t>(Numel);
  return "";
}

static bool isDense(const goldy_tensor_layout &L) {
  uint64_t Dense = 1;
  for (uint32_t A = L.rank; A-- > 0;) {
    if (L.shape[A] > 1 && L.strides[A] != Dense)
      return L.numel == 0;
    Dense *= L.shape[A];
  }
  return true;
}

/// See "An element twice" above.
static bool reachesTwice(const goldy_tensor_layout &L) {
  std::vector<std::pair<uint64_t, uint64_t>> Axes; // stride, last index
  for (uint32_t A = 0; A < L.rank; ++A)
    if (L.shape[A] > 1)
      Axes.push_back({L.strides[A], L.shape[A] - 1});
  std::sort(Axes.begin(), Axes.end());
  uint64_t Reach = 0;
  for (const auto &[Stride, Last] : Axes) {
    if (Stride <= Reach)
      return true;
    Reach += Stride * Last;
  }
  return false;
}

std::string goldy::rt::checkView(const goldy_tensor_view_t *View,
                                 uint64_t Length, bool Written,
                                 TensorView &Out) {
  goldy_tensor_view_t All{1, 0, {Length, 1, 1, 1}, {1, 0, 0, 0}};
  const goldy_tensor_view_t &V = View ? *View : All;
  if (V.rank > MaxRank)
    return "rank " + std::to_string(V.rank) + ", a tensor has at most 4 axes";
  Out = TensorView();
  Out.Layout.rank = V.rank;
  std::fill_n(Out.Layout.shape, MaxRank, 1);
  std::string Why = takeAxes(V, Written, Out);
  if (!Why.empty())
    return Why;
  Out.Layout.flags = isDense(Out.Layout);
  if (Out.Layout.numel == 0)
    return "";
  uint64_t Last = 0; // four products of two u32 fit
  for (uint32_t A = 0; A < V.rank; ++A)
    Last += uint64_t(Out.Layout.shape[A] - 1) * Out.Layout.strides[A];
  std::optional<uint64_t> End = checkedAdd(V.offset, Last);
  if (!End || *End >= Length)
    return "the view of shape " + Out.shape() + " from element " +
           std::to_string(V.offset) + " on reaches beyond its parent of " +
           std::to_string(Length) + " elements";
  if (Written && reachesTwice(Out.Layout))
    return "its strides lead to one element more than once, and the kernel "
           "writes the tensor";
  Out.Offset = static_cast<uint32_t>(V.offset);
  Out.First = V.offset;
  Out.End = *End + 1;
  return "";
}

// --- Two views

namespace {

class Meeting {
public:
  Meeting(const TensorView &A, const TensorView &B) {
    add(A.Layout, 1);
    add(B.Layout, -1);
    std::sort(Axes.begin(), Axes.end(),
              [](const Axis &X, const Axis &Y) { return X.Stride > Y.Stride; });
    Least.resize(Axes.size() + 1);
    Most.resize(Axes.size() + 1);
    for (size_t N = Axes.size(); N-- > 0;) {
      Least[N] = Least[N + 1] + Axes[N].Stride * Axes[N].Lo;
      Most[N] = Most[N + 1] + Axes[N].Stride * Axes[N].Hi;
    }
  }
  bool exists(int64_t Sum) { return search(0, Sum); }

private:
  /// Stride * x with Lo <= x <= Hi.
  struct Axis {
    int64_t Stride, Lo, Hi;
  };

  void add(const goldy_tensor_layout &L, int64_t Sign) {
    for (uint32_t A = 0; A < L.rank; ++A) {
      if (L.shape[A] <= 1 || L.strides[A] == 0)
        continue;
      int64_t Stride = L.strides[A], Last = int64_t(L.shape[A]) - 1;
      int64_t Lo = Sign < 0 ? -Last : 0, Hi = Sign < 0 ? 0 : Last;
      std::vector<Axis>::iterator Same =
          std::find_if(Axes.begin(), Axes.end(),
                       [&](const Axis &X) { return X.Stride == Stride; });
      if (Same == Axes.end()) {
        Axes.push_back({Stride, Lo, Hi});
        continue;
      }
      Same->Lo += Lo;
      Same->Hi += Hi;
    }
  }

  static int64_t floorDiv(int64_t A, int64_t B) {
    return A / B - (A % B < 0 ? 1 : 0);
  }

  bool search(size_t N, int64_t Rest) {
    if (Rest < Least[N] || Rest > Most[N])
      return false;
    if (N == Axes.size())
      return true;
    const Axis &X = Axes[N];
    // Rest - Stride * x must lie within what the later axes can make.
    int64_t From = std::max(X.Lo, -floorDiv(Most[N + 1] - Rest, X.Stride));
    int64_t To = std::min(X.Hi, floorDiv(Rest - Least[N + 1], X.Stride));
    for (int64_t V = From; V <= To; ++V) {
      if (Steps++ > MaxSteps || search(N + 1, Rest - X.Stride * V))
        return true;
    }
    return false;
  }

  static constexpr unsigned MaxSteps = 4096;
  std::vector<Axis> Axes;
  std::vector<int64_t> Least, Most; ///< of the sums from axis N on
  unsigned Steps = 0;
};

} // namespace

bool goldy::rt::viewsMeet(const TensorView &A, const TensorView &B) {
  if (A.First >= B.End || B.First >= A.End)
    return false;
  return Meeting(A, B).exists(int64_t(B.Offset) - int64_t(A.Offset));
}
