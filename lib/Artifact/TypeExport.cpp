//===- TypeExport.cpp - The types that kernels show to their callers
//-------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depth-first over members; the IR's types have no cycles.
//
//===----------------------------------------------------------------------===//
#include "TypeExport.h"

#include <algorithm>
#include <tuple>

using namespace goldy;

static void addType(const TypeTable &Types, TypeId T, TypeExport &Out) {
  if (Out.Number.count(T))
    return;
  const Type &Node = Types[T];
  if (Node.Kind == TypeKind::Vector || Node.Kind == TypeKind::Array)
    addType(Types, Node.Element, Out);
  if (Node.Kind == TypeKind::Struct)
    for (const StructField &F : Types.structure(Node.Struct).Fields)
      addType(Types, F.Type, Out);
  Out.Number.emplace(T, static_cast<uint32_t>(Out.Types.size()));
  Out.Types.push_back(T);
}

TypeExport goldy::exportTypes(const ArtifactInput &Input) {
  TypeExport Out;
  const Module &M = *Input.Definition;
  for (const KernelRecord &K : Input.Kernels)
    for (const Param &P : M.Functions[K.Kernel].Params)
      addType(M.Types, P.Type, Out);
  return Out;
}

static void markSpecs(const Module &M, FuncId F, std::vector<bool> &Seen,
                      std::vector<bool> &Used) {
  if (Seen[F.index()])
    return;
  Seen[F.index()] = true;
  for (const Inst &I : M.Functions[F].Insts) {
    if (I.Opcode == Op::SpecConst)
      Used[I.Imm] = true;
    if (I.Opcode == Op::Call)
      markSpecs(M, I.Callee, Seen, Used);
  }
}

std::vector<bool> goldy::usedSpecs(const Module &M, FuncId Kernel) {
  std::vector<bool> Seen(M.Functions.size()), Used(M.Specs.size());
  markSpecs(M, Kernel, Seen, Used);
  return Used;
}

uint32_t goldy::definitionWorkgroupBytes(const Module &M, const Function &F) {
  uint64_t Bytes = 0;
  for (const WorkgroupArray &A : F.WorkgroupArrays)
    Bytes = (Bytes + 15) / 16 * 16 + M.Types.layout(A.Type).Size;
  return static_cast<uint32_t>(Bytes);
}

std::vector<SourceRecord> goldy::sortedSources(const ArtifactInput &Input) {
  std::vector<SourceRecord> S = Input.Sources;
  auto Less = [](const SourceRecord &A, const SourceRecord &B) {
    return std::tie(A.Name, A.Sha256) < std::tie(B.Name, B.Sha256);
  };
  auto Equal = [](const SourceRecord &A, const SourceRecord &B) {
    return A.Name == B.Name && A.Sha256 == B.Sha256;
  };
  std::sort(S.begin(), S.end(), Less);
  S.erase(std::unique(S.begin(), S.end(), Equal), S.end());
  return S;
}
