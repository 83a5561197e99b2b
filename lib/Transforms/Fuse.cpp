//===- Fuse.cpp - Several kernels become one ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Fuse.h"

#include "AddOnce.h"
#include "FusePlan.h"

#include "goldyc/IR/Rewriter.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Support/Sha256.h"

#include <algorithm>

using namespace goldy;

std::string_view goldy::fusionReasonName(FusionReason R) {
  switch (R) {
  case FusionReason::NoDefinition:
    return "no definition";
  case FusionReason::TensorBinding:
    return "tensor binding";
  case FusionReason::WorkgroupSize:
    return "workgroup size";
  case FusionReason::Grid:
    return "grid";
  case FusionReason::GridRank:
    return "grid rank";
  case FusionReason::Overlap:
    return "overlapping arguments";
  case FusionReason::Dependence:
    return "dependence";
  case FusionReason::BindingLimit:
    return "binding limit";
  case FusionReason::WorkgroupMemory:
    return "workgroup-memory limit";
  }
  return "";
}

// --- The plan

uint32_t FusePlan::stageOf(InstId I) const {
  return static_cast<uint32_t>(
      std::upper_bound(Ends.begin(), Ends.end(), I.index()) - Ends.begin());
}

const FusionTemporary *FusePlan::temporary(uint32_t Param) const {
  if (Fused.Params[Param].Kind != ParamKind::Buffer)
    return nullptr;
  for (const FusionTemporary &T : R.Temporaries)
    if (T.Argument == Params[Param].Argument)
      return &T;
  return nullptr;
}

std::string FusePlan::nameIn(uint32_t Stage, uint32_t Param) const {
  for (const StageParam &O : Params[Param].Origins)
    if (O.Stage == Stage)
      return Stages[Stage].Params[O.Param].Name;
  return Fused.Params[Param].Name;
}

// --- Identity

/// Arguments as the stages share them: numbers in the order in which they
/// occur.
static std::string argumentMap(const FusionRequest &R) {
  std::map<uint32_t, size_t> Numbers;
  auto NumberOf = [&](uint32_t Argument) {
    return std::to_string(
        Numbers.try_emplace(Argument, Numbers.size()).first->second);
  };
  std::string Text;
  for (const FusionStage &S : R.Stages) {
    for (size_t K = 0; K < S.Arguments.size(); ++K) {
      bool Baked = K < S.Baked.size() && S.Baked[K];
      Text +=
          Baked ? "=" + std::to_string(*S.Baked[K]) : NumberOf(S.Arguments[K]);
      Text += ',';
    }
    Text += ';';
  }
  for (const FusionTemporary &T : R.Temporaries)
    Text += NumberOf(T.Argument) + ":" +
            (T.LengthBits ? "=" + std::to_string(*T.LengthBits)
                          : NumberOf(T.Length)) +
            (T.Carried ? "c," : ",");
  return Text;
}

static std::string identity(const FusePlan &P) {
  Sha256 Hash;
  for (const FusionStage &S : P.R.Stages)
    Hash.update(moduleText(extractKernel(P.M, S.Kernel)));
  Hash.update(argumentMap(P.R));
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    Hash.update(std::to_string(P.shape().WorkgroupSize[Axis]) +
                (P.R.ManyGroups[Axis] ? "m" : "1"));
  Hash.update(P.M.Bounds == BoundsMode::Checked ? "checked" : "unchecked");
  Hash.update(P.M.Floats == FloatMode::Strict ? "strict" : "fast");
  return Sha256::hex(Hash.finish());
}

/// `fused_scale_bias_1a2b3c4d5e6f`: the first four stages, and the identity.
static std::string fusedName(const FusePlan &P, std::string_view Id) {
  std::string Name = "fused";
  for (uint32_t S = 0; S < P.R.Stages.size() && S < 4; ++S)
    Name += "_" + P.kernel(S).Name;
  for (char &C : Name)
    if (C == ':')
      C = '_';
  return Name + "_" + std::string(Id.substr(0, 12));
}

static std::string fusedDoc(const FusePlan &P) {
  std::string Doc;
  for (uint32_t S = 0; S < P.R.Stages.size(); ++S)
    Doc += (S ? ", then `" : "`") + P.kernel(S).Name + "`";
  return Doc + " in one kernel";
}

std::variant<FusedKernel, FusionRejection>
goldy::fuseKernels(Module &M, const FusionRequest &R, FusionUse Use) {
  FusePlan P(M, R);
  if (MaybeRejection Bad = checkStages(P))
    return *Bad;
  FusedKernel Out;
  prepareStages(P);
  composeStages(P);
  if (MaybeRejection Bad = checkAccesses(P, Out))
    return *Bad;
  Out.Id = identity(P);
  P.Fused.Name = fusedName(P, Out.Id);
  P.Fused.Doc = fusedDoc(P);
  forwardValues(P, Out);
  if (MaybeRejection Bad = checkFused(P))
    return *Bad;
  Out.Params = std::move(P.Params);
  if (Use == FusionUse::Try)
    return Out;
  Out.Kernel = addOnce(M, std::move(P.Fused));
  return Out;
}
