//===- Sample.h - Programs made by hand, for tests ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_PROGRAMDESC_SAMPLE_H
#define GOLDYC_UNITTESTS_PROGRAMDESC_SAMPLE_H

#include "goldyc/ProgramDesc/Build.h"

namespace goldy::prog {

/// A program over one module, and ways to add to both.
struct Sample {
  Module M;
  Program P;
  Sample() {
    P.Name = "p";
    P.Devices = {"device"};
  }
  ExprId u32(uint32_t V) { return P.Exprs.u32(V); }
  /// A kernel of groups of 64 with these parameters.
  FuncId kernel(std::string Name, std::vector<Param> Params) {
    Function F;
    F.Name = std::move(Name);
    F.Kind = FuncKind::Kernel;
    F.WorkgroupSize = {64, 1, 1};
    F.Params = std::move(Params);
    return M.Functions.push(std::move(F));
  }
  static Param read(TypeId T = types::U32) {
    return {"r", ParamKind::Buffer, T, Access::Read, false, {}, {}, {}};
  }
  static Param write(TypeId T = types::U32) {
    return {"w", ParamKind::Buffer, T, Access::ReadWrite, false, {}, {}, {}};
  }
  static Param value(TypeId T) {
    return {"v", ParamKind::Scalar, T, Access::Read, false, {}, {}, {}};
  }
  ExprId scalar(std::string Name, TypeId T) {
    uint32_t Index = static_cast<uint32_t>(P.Params.size());
    P.Params.push_back({std::move(Name), T, {}, {}});
    return P.Exprs.param(Index, T);
  }
  BufferId buffer(std::string Name, BufferKind Kind, ExprId Count = {},
                  uint32_t Device = 0) {
    Buffer B;
    B.Name = Name;
    B.Kind = Kind;
    B.Element = types::U32;
    B.Device = Device;
    B.Count = Count;
    B.Param = static_cast<uint32_t>(P.Params.size());
    if (Kind == BufferKind::Input)
      B.Count = P.Exprs.length(B.Param);
    BufferId Id = P.Buffers.push(B);
    if (Kind == BufferKind::Input)
      P.Params.push_back({std::move(Name), types::U32, Id, {}});
    return Id;
  }
  Step dispatch(FuncId Kernel, std::vector<Argument> Args, ExprId N,
                uint32_t Device = 0) {
    Dispatch D;
    D.Kernel = Kernel;
    D.Args = std::move(Args);
    D.Over.Size = {N, u32(1), u32(1)};
    D.Device = Device;
    return {D};
  }
  Loop loop(ExprId Lo, ExprId Hi, bool Inclusive, ExprId By, TypeId T) {
    Loop L;
    L.Var = static_cast<uint32_t>(P.Vars.size());
    P.Vars.push_back({"i", T, {}});
    L.Lo = Lo;
    L.Hi = Hi;
    L.Inclusive = Inclusive;
    L.By = By;
    return L;
  }
};

} // namespace goldy::prog

#endif
