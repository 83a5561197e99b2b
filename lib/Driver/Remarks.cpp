//===- Remarks.cpp - What was done, in the form of messages ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Remarks.h"

#include <algorithm>

using namespace goldy;

namespace {

/// One remark with the architectures that it holds on.
struct SharedRemark {
  LaneRemark Remark;
  std::vector<std::string_view> Archs;
};

class KernelRemarks {
public:
  KernelRemarks(const DriverOptions &O, const Function &F) : O(O), F(F) {}

  void add(std::string_view Arch, const LaneReport &R) {
    Archs.push_back(Arch);
    if (wants(LaneTopic::Summary))
      Out.push_back(driver::remark(
          F.Loc, "`" + F.Name + "` on " + std::string(Arch) + ": " + R.Summary,
          "vectorise"));
    for (const LaneRemark &Remark : R.Remarks)
      share(Remark, Arch);
  }

  std::vector<Diagnostic> finish() {
    auto Key = [](const SharedRemark &S) {
      const Span &W = S.Remark.Where;
      return std::tuple(W.isValid() ? W.File.index() + 1 : 0, W.Begin, W.End,
                        S.Remark.Topic, S.Remark.Text);
    };
    std::sort(All.begin(), All.end(),
              [&](const SharedRemark &A, const SharedRemark &B) {
                return Key(A) < Key(B);
              });
    for (const SharedRemark &S : All)
      Out.push_back(message(S));
    return std::move(Out);
  }

private:
  bool wants(LaneTopic T) const {
    return O.VectoriseTopics.empty() ||
           std::find(O.VectoriseTopics.begin(), O.VectoriseTopics.end(), T) !=
               O.VectoriseTopics.end();
  }

  /// Loops, rows and versions are told in any case, of the rest what costs.
  bool isTold(const LaneRemark &R) const {
    return R.Topic != LaneTopic::Summary && wants(R.Topic) &&
           (R.Costs || R.Topic == LaneTopic::Loop ||
            R.Topic == LaneTopic::Rows || R.Topic == LaneTopic::Version ||
            !O.VectoriseTopics.empty());
  }

  void share(const LaneRemark &Remark, std::string_view Arch) {
    if (!isTold(Remark))
      return;
    for (SharedRemark &S : All)
      if (S.Remark == Remark) {
        S.Archs.push_back(Arch);
        return;
      }
    All.push_back({Remark, {Arch}});
  }

  Diagnostic message(const SharedRemark &S) const {
    std::string Text = S.Remark.Text;
    if (S.Archs.size() < Archs.size())
      for (const std::string_view &Arch : S.Archs)
        Text +=
            (&Arch == S.Archs.data() ? ", on " : " and ") + std::string(Arch);
    Diagnostic D = driver::remark(S.Remark.Where, std::move(Text), "vectorise");
    for (const LaneNote &N : S.Remark.Notes)
      D.Notes.push_back({N.Where, N.Text});
    return D;
  }

  const DriverOptions &O;
  const Function &F;
  std::vector<std::string_view> Archs;
  std::vector<SharedRemark> All;
  std::vector<Diagnostic> Out;
};

} // namespace

Diagnostic driver::remark(Span Where, std::string Message,
                          std::string_view Option) {
  Diagnostic D;
  D.Level = Severity::Note;
  D.Where = Where;
  D.Message = std::move(Message) + " [-R" + std::string(Option) + "]";
  return D;
}

std::vector<Diagnostic>
driver::laneRemarks(const CompileUnit &Unit, const DriverOptions &O,
                    std::span<const KernelJob> Jobs,
                    std::span<const KernelResult> Results) {
  std::vector<Diagnostic> All;
  for (FuncId K : Unit.Kernels) {
    const Function &F = (*Unit.Definition)->Functions[K];
    if (!F.Loc.isValid())
      continue; // copies, made for programs
    KernelRemarks Own(O, F);
    for (size_t I = 0; I < Jobs.size(); ++I)
      if (Jobs[I].Kernel == K && Results[I].Lanes)
        Own.add(Jobs[I].Arch, *Results[I].Lanes);
    for (Diagnostic &D : Own.finish())
      All.push_back(std::move(D));
  }
  return All;
}
