//===- Optimise.cpp - Fusion and variants in a unit's programs ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Optimise.h"

#include "Remarks.h"
#include "goldyc/ProgramDesc/Build.h"
#include "goldyc/Transforms/FuseProgram.h"

#include <algorithm>
#include <map>

using namespace goldy;
using driver::remark;

namespace {

std::string quoted(std::string_view Name) {
  return "`" + std::string(Name) + "`";
}

std::string listed(const std::vector<std::string> &Names) {
  std::string Text;
  for (size_t K = 0; K < Names.size(); ++K)
    Text += (K == 0 ? "" : K + 1 == Names.size() ? " and " : ", ") + Names[K];
  return Text;
}

Diagnostic remarkOf(const Module &M, const prog::Program &P,
                    const FusedRegion &R) {
  std::vector<std::string> Stages, Gone;
  for (FuncId Stage : R.Stages)
    Stages.push_back(quoted(M.Functions[Stage].Name));
  for (prog::BufferId B : R.Vanished)
    Gone.push_back(quoted(P.Buffers[B].Name));
  std::string Text =
      listed(Stages) + " are fused as " + quoted(M.Functions[R.Kernel].Name);
  if (R.NeedsApart)
    Text += " where inputs do not overlap";
  if (R.NeedsFits)
    Text += std::string(R.NeedsApart ? " and" : " where") +
            " no plane has more than 2^32 elements";
  Diagnostic D = remark(R.Where.front(), std::move(Text), "fuse");
  if (!Gone.empty())
    D.Notes.push_back({Span(), listed(Gone) +
                                   (Gone.size() == 1 ? " lives" : " live") +
                                   " in registers only"});
  for (const std::string &Each : R.Forwarded)
    D.Notes.push_back({Span(), "forwarded: " + quoted(Each)});
  return D;
}

Diagnostic remarkOf(const FusionStop &S) {
  Diagnostic D =
      remark(S.Why.LaterWhere,
             "not fused, " + std::string(fusionReasonName(S.Why.Reason)) +
                 ": " + S.Why.Why,
             "fuse");
  if (S.Why.EarlierWhere.isValid())
    D.Notes.push_back({S.Why.EarlierWhere, "the earlier stage"});
  return D;
}

Diagnostic remarkOf(const Module &M, const VariantUse &V) {
  return remark(V.Where,
                quoted(M.Functions[V.Kernel].Name) + " has a variant for " +
                    quoted(V.Values) + ", " +
                    quoted(M.Functions[V.Variant].Name),
                "specialise");
}

/// Dispatches of a kernel whose images hold baked values get a copy without.
void keepLive(prog::Program &P, Module &M, const DriverOptions &O,
              std::map<FuncId, FuncId> &Copies) {
  forEachStep(P.Steps, [&](prog::Step &S) {
    prog::Dispatch *D = std::get_if<prog::Dispatch>(&S.Kind);
    if (!D)
      return;
    std::string Name = M.Functions[D->Kernel].Name;
    if (std::none_of(
            O.Bakes.begin(), O.Bakes.end(),
            [&](const DriverOptions::Bake &B) { return B.Kernel == Name; }))
      return;
    FuncId &Live = Copies[D->Kernel];
    if (!Live) {
      Function Copy = M.Functions[D->Kernel];
      do
        Copy.Name += "_live";
      while (M.find(Copy.Name));
      Live = M.Functions.push(std::move(Copy));
    }
    D->Kernel = Live;
  });
}

} // namespace

void driver::optimisePrograms(CompileUnit &Unit, Module &M,
                              const DriverOptions &O) {
  std::map<FuncId, FuncId> Copies; ///< without baked values, by original
  for (prog::Program &P : Unit.Programs) {
    ProgramReport Report;
    if (O.fuses())
      fuseProgram(P, M, Report);
    if (O.specialises())
      specialiseProgram(P, M, Report);
    keepLive(P, M, O, Copies);
    for (const auto &[Original, Copy] : Copies)
      Unit.Made.set(Copy, {Original, {}, {}});
    if (O.Sanitize & SanitizeUninit)
      prog::tellUndetermined(P, M);
    for (const FusedRegion &R : Report.Regions)
      Unit.FusedKernels.set(R.Kernel, {R.Id, R.Origins});
    for (const FusedRegion &R : Report.Regions)
      Unit.Made.set(R.Kernel, {FuncId(), {}, R.Request});
    for (const VariantUse &V : Report.Variants)
      Unit.Made.set(V.Variant, {V.Kernel, V.Bits, {}});
    for (const FusedRegion &R : Report.Regions)
      Unit.FuseRemarks.push_back(remarkOf(M, P, R));
    for (const FusionStop &S : Report.Stops)
      Unit.FuseRemarks.push_back(remarkOf(S));
    for (const VariantUse &V : Report.Variants)
      Unit.VariantRemarks.push_back(remarkOf(M, V));
  }
}
