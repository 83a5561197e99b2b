//===- PtxTest.h - What the PTX tests share ---------------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel under construction in legal form, and its way through the verifier
// and the emitter. Every emitted text goes through ptxas for sm_80 and sm_90
// where that program is installed.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_UNITTESTS_TARGET_PTX_PTXTEST_H
#define GOLDYC_UNITTESTS_TARGET_PTX_PTXTEST_H

#include "goldyc/IR/Builder.h"
#include "goldyc/Target/PTX/Emit.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <unistd.h>

namespace goldy::test {

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

/// Runs ptxas on the text; true also where there is none.
inline bool assembles(const std::string &Text, const std::string &Arch) {
#ifdef GOLDY_PTXAS
  std::string Name = std::string(P_tmpdir) + "/goldy-XXXXXX";
  int File = mkstemp(Name.data());
  REQUIRE(File >= 0);
  close(File);
  std::ofstream(Name) << Text;
  std::string Command =
      std::string(GOLDY_PTXAS) + " -arch=" + Arch + " -o /dev/null " + Name;
  int Result = std::system(Command.c_str());
  std::remove(Name.c_str());
  return Result == 0;
#else
  return true;
#endif
}

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
  template <class T> void in(BlockId Block, T Body) {
    BlockId Outer = B.block();
    B.setBlock(Block);
    Body();
    B.setBlock(Outer);
  }
  template <class T> void ifThen(ValueId Cond, T Body) {
    InstId I = B.createIf(Cond, false);
    in(F.Insts[I].Blocks[0], Body);
  }

  VerifiedModule verified() {
    Module Copy = M;
    Copy.Functions.push(F);
    DiagSink Sink;
    std::optional<VerifiedModule> V = verify(std::move(Copy), Sink);
    for (const Diagnostic &D : Sink.diagnostics())
      UNSCOPED_INFO(D.Message);
    REQUIRE(V);
    return std::move(*V);
  }
  Image image(const VerifiedModule &V, std::string_view Arch,
              unsigned OptLevel) {
    DiagSink Sink;
    EmitOptions Options;
    Options.OptLevel = OptLevel;
    std::optional<Image> I = emitPtx(V, FuncId(0), Arch, Options, Sink);
    for (const Diagnostic &D : Sink.diagnostics())
      UNSCOPED_INFO(D.Message);
    REQUIRE(I);
    return *I;
  }
  /// The text for sm_80, after ptxas took it for sm_80 and sm_90, and the
  /// sm_90a text for its own.
  std::string text(unsigned OptLevel = 2) {
    VerifiedModule V = verified();
    Image Portable = image(V, "sm_80", OptLevel);
    std::string Text(Portable.Bytes.begin(), Portable.Bytes.end());
    INFO(Text);
    CHECK(assembles(Text, "sm_80"));
    CHECK(assembles(Text, "sm_90"));
    Image Hopper = image(V, "sm_90a", OptLevel);
    CHECK(assembles({Hopper.Bytes.begin(), Hopper.Bytes.end()}, "sm_90a"));
    return Text;
  }
};

} // namespace goldy::test

#endif
