//===- CopyKernels.cpp - Copies whose count a run knows -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One work-item an element of 1, 2, 4 or 8 bytes:
//
//   fn gpu::copy_u32(src: &[u32], dst: &mut [u32], n: u32) {
//       let i = gpu::global_id().x;
//       if i < n { dst[i] = src[i]; }
//   }
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Builder.h"
#include "goldyc/ProgramDesc/Build.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::prog;

namespace {

TypeId elementOf(uint32_t Unit) {
  return Unit == 1   ? types::U8
         : Unit == 2 ? types::U16
         : Unit == 4 ? types::U32
                     : types::U64;
}

std::string nameOf(uint32_t Unit) {
  return "gpu::copy_u" + std::to_string(Unit * 8);
}

Function copyKernel(Module &M, uint32_t Unit) {
  Function F;
  F.Name = nameOf(Unit);
  F.Kind = FuncKind::Kernel;
  F.WorkgroupSize = {256, 1, 1};
  F.Doc = "Copies `n` elements, for `gpu::copy` with a count that a run knows.";
  TypeId Element = elementOf(Unit);
  F.Params.push_back(
      {"src", ParamKind::Buffer, Element, Access::Read, false, {}, {}, {}});
  F.Params.push_back({"dst",
                      ParamKind::Buffer,
                      Element,
                      Access::ReadWrite,
                      false,
                      {},
                      {},
                      {}});
  F.Params.push_back(
      {"n", ParamKind::Scalar, types::U32, Access::Read, false, {}, {}, {}});
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  ValueId Id = B.id(Op::GlobalId, 0);
  InstId If = B.createIf(B.op(Op::Lt, {Id, B.param(2)}), false);
  B.setBlock(F.Insts[If].Blocks[0]);
  auto Place = [&](uint32_t Param) {
    return B.place({BaseKind::Param, Param}, {{Id, 0}});
  };
  B.store(Place(1), B.load(Place(0)));
  return F;
}

} // namespace

uint32_t prog::copyUnit(const Module &M, TypeId Element) {
  return std::min<uint32_t>(M.Types.layout(Element).Align, 8);
}

FuncId prog::findCopyKernel(const Module &M, uint32_t Unit) {
  return M.find(nameOf(Unit));
}

bool prog::isCopyKernel(const Function &F) {
  return F.Name.starts_with("gpu::copy_u");
}

void prog::addCopyKernels(const Program &P, Module &M) {
  forEachStep(P.Steps, [&](const Step &S) {
    const Copy *C = std::get_if<Copy>(&S.Kind);
    if (!C || P.Exprs.constantBits(C->Count))
      return;
    uint32_t Unit = copyUnit(M, P.Buffers[C->Src].Element);
    if (!findCopyKernel(M, Unit))
      M.Functions.push(copyKernel(M, Unit));
  });
}
