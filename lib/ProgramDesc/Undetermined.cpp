//===- Undetermined.cpp - Tells the sanitizer of temporaries --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A temporary holds nothing when a run starts. Each gets a kernel of one
// work-item that touches no memory and says so where the temporary was
// declared, and a run begins with them:
//
//   fn gpu::undetermined::turn::t_2(t: &mut [f32]) { ir::watch(0u32); }
//
// As the first steps use all temporaries, none shares storage with another.
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Builder.h"
#include "goldyc/ProgramDesc/Build.h"

using namespace goldy;
using namespace goldy::prog;

static FuncId kernelFor(const Program &P, BufferId Id, Module &M) {
  const Buffer &X = P.Buffers[Id];
  Function F;
  F.Name = "gpu::undetermined::" + P.Name + "::" + X.Name + "_" +
           std::to_string(Id.index());
  F.Kind = FuncKind::Kernel;
  F.Loc = X.Loc;
  Param T;
  T.Name = X.Name;
  T.Kind = ParamKind::Buffer;
  T.Type = X.Element;
  T.Acc = Access::ReadWrite;
  F.Params.push_back(std::move(T));
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  B.setLoc(X.Loc);
  ValueId Site[] = {B.u32(0)};
  B.opTyped(Op::Watch, types::Void, Site);
  return M.Functions.push(std::move(F));
}

void prog::tellUndetermined(Program &P, Module &M) {
  std::vector<Step> First;
  for (uint32_t I = 0; I < P.Buffers.size(); ++I) {
    BufferId Id(I);
    const Buffer &X = P.Buffers[Id];
    if (X.Kind != BufferKind::Temporary)
      continue;
    Dispatch D;
    D.Kernel = kernelFor(P, Id, M);
    D.Args.push_back({Id, ExprId(), X.Loc});
    ExprId One = P.Exprs.u32(1);
    D.Over = {Grid::Kind::Groups, {One, One, One}, 1, X.Loc};
    D.Device = X.Device;
    D.Loc = X.Loc;
    First.push_back({std::move(D)});
  }
  P.Steps.insert(P.Steps.begin(), std::make_move_iterator(First.begin()),
                 std::make_move_iterator(First.end()));
}
