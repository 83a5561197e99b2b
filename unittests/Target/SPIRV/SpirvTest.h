//===- SpirvTest.h - What the SPIR-V tests share ----------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel under construction in legal form, and its way through the verifier
// and the emitter. The emitter runs the SPIR-V validator on every module, so
// an image is a validated image.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_SPIRV_SPIRVTEST_H
#define GOLDYC_UNITTESTS_TARGET_SPIRV_SPIRVTEST_H

#include "goldyc/IR/Builder.h"
#include "goldyc/Target/SPIRV/Emit.h"

#include <catch2/catch.hpp>

namespace goldy::test {

/// One kernel `k` at level Legal, built in place.
struct Kernel {
  Module M;
  Function F;
  Builder B{M, F};

  Kernel(std::initializer_list<Param> Params,
         std::array<uint32_t, 3> Size = {64, 1, 1}) {
    M.Level = IRLevel::Legal;
    F.Name = "k";
    F.Kind = FuncKind::Kernel;
    F.WorkgroupSize = Size;
    F.Params.assign(Params.begin(), Params.end());
    F.Body = B.newBlock();
    B.setBlock(F.Body);
  }
  Kernel(const Kernel &) = delete;

  PlaceId at(uint32_t Param, ValueId Index) {
    PathElement E;
    E.Index = Index;
    return B.place({BaseKind::Param, Param}, {E});
  }
  PlaceId inGroup(WorkgroupId A, ValueId Index) {
    PathElement E;
    E.Index = Index;
    return B.place({BaseKind::Workgroup, A.index()}, {E});
  }
  ValueId gid() { return B.id(Op::GlobalId, 0); }
  ValueId inside(uint32_t Param, ValueId Index) {
    return B.op(Op::Lt, {Index, B.len({BaseKind::Param, Param})});
  }
  /// Runs `Body` with the builder in block `Block`, then comes back.
  template <class T> void in(BlockId Block, T Body) {
    BlockId Outer = B.block();
    B.setBlock(Block);
    Body();
    B.setBlock(Outer);
  }
  template <class T> InstId ifThen(ValueId Cond, T Body) {
    InstId I = B.createIf(Cond, false);
    in(F.Insts[I].Blocks[0], Body);
    return I;
  }

  std::optional<VerifiedModule> verified() {
    M.Functions.push(F);
    DiagSink Sink;
    std::optional<VerifiedModule> V = verify(std::move(M), Sink);
    for (const Diagnostic &D : Sink.diagnostics())
      UNSCOPED_INFO(D.Message);
    return V;
  }
  /// Verifies and emits; fails the test with the messages otherwise.
  Image emit(unsigned OptLevel = 2) {
    std::optional<VerifiedModule> V = verified();
    REQUIRE(V);
    DiagSink Sink;
    EmitOptions Options;
    Options.OptLevel = OptLevel;
    std::optional<Image> I = emitSpirv(*V, FuncId(0), Options, Sink);
    for (const Diagnostic &D : Sink.diagnostics())
      UNSCOPED_INFO(D.Message);
    REQUIRE(I);
    return *I;
  }
  std::string text(unsigned OptLevel = 2) {
    return disassembleSpirv(emit(OptLevel));
  }
};

inline Param buffer(std::string Name, TypeId T, Access A) {
  Param P;
  P.Name = std::move(Name);
  P.Kind = ParamKind::Buffer;
  P.Type = T;
  P.Acc = A;
  return P;
}
inline Param scalar(std::string Name, TypeId T) {
  Param P;
  P.Name = std::move(Name);
  P.Type = T;
  P.Acc = Access::Read;
  return P;
}

inline size_t count(std::string_view Text, std::string_view What) {
  size_t N = 0;
  for (size_t At = Text.find(What); At != Text.npos;
       At = Text.find(What, At + What.size()))
    ++N;
  return N;
}
inline bool has(std::string_view Text, std::string_view What) {
  return Text.find(What) != Text.npos;
}

} // namespace goldy::test

#endif
