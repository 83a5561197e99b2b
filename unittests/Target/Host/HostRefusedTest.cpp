//===- HostRefusedTest.cpp - What the host emitter refuses
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Blob.h"
#include "goldyc/Analysis/Lanes.h"
#include "goldyc/IR/Builder.h"
#include "goldyc/Target/Host/Emit.h"
#include "goldyc/Target/LLVM/Machine.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace goldy;

namespace {

/// The object that LLVM makes of IR text.
llvm::SmallVector<char, 0> object(const char *Text) {
  std::string Error;
  MachineOptions O;
  O.Triple = "x86_64-unknown-linux-gnu";
  O.Cpu = "x86-64-v3";
  O.PositionIndependent = true;
  std::unique_ptr<llvm::TargetMachine> TM = createMachine(O, Error);
  REQUIRE(TM);
  llvm::LLVMContext C;
  llvm::SMDiagnostic Why;
  std::unique_ptr<llvm::Module> M = llvm::parseAssemblyString(Text, Why, C);
  REQUIRE(M);
  M->setTargetTriple(O.Triple);
  M->setDataLayout(TM->createDataLayout());
  llvm::SmallVector<char, 0> Out;
  REQUIRE(emitMachineCode(*M, *TM, false, Out, Error));
  return Out;
}

BlobError refusal(const char *Text) {
  llvm::SmallVector<char, 0> O = object(Text);
  Blob Out;
  BlobError Why;
  CHECK_FALSE(makeBlob({O.data(), O.size()}, "k", Out, Why));
  return Why;
}

/// A kernel at level Legal with one operation on an f32.
std::string complaint(Op O, const char *Arch) {
  Module M;
  M.Level = IRLevel::Legal;
  Function F;
  F.Name = "k";
  F.Kind = FuncKind::Kernel;
  F.WorkgroupSize = {64, 1, 1};
  F.Params.push_back(
      {"y", ParamKind::Buffer, types::F32, Access::ReadWrite, false, Span()});
  F.Params.push_back(
      {"a", ParamKind::Scalar, types::F32, Access::Read, false, Span()});
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  ValueId V = B.op(O, {B.param(1)});
  PathElement At;
  At.Index = B.id(Op::GlobalId, 0);
  ValueId In = B.op(Op::Lt, {At.Index, B.len({BaseKind::Param, 0})});
  B.store(B.place({BaseKind::Param, 0}, {At}), V, In);
  M.Functions.push(std::move(F));
  DiagSink Diags;
  std::optional<VerifiedModule> Good = verify(std::move(M), Diags);
  REQUIRE(Good);
  std::optional<Image> I =
      emitHost(*Good, FuncId(0), Arch, HostOutput::Blob, EmitOptions(), Diags);
  if (I)
    return "";
  REQUIRE(Diags.diagnostics().size() == 1);
  return diagCodeName(Diags.diagnostics()[0].Code) + ": " +
         Diags.diagnostics()[0].Message;
}

} // namespace

TEST_CASE("a blob takes constants and switch tables") {
  llvm::SmallVector<char, 0> O = object(R"(
define float @k(i32 %n, float %x) {
  switch i32 %n, label %d [ i32 0, label %a i32 1, label %b
                            i32 2, label %c i32 3, label %e ]
a:
  %p = fmul float %x, 3.0
  ret float %p
b:
  %q = fadd float %x, 5.0
  ret float %q
c:
  ret float 7.5
e:
  %r = fdiv float %x, 2.5
  ret float %r
d:
  ret float 1.25
})");
  Blob Out;
  BlobError Why;
  REQUIRE(makeBlob({O.data(), O.size()}, "k", Out, Why));
  CHECK(Out.Bytes.size() > 64);
  CHECK(Out.EntryOffset == 0);
}

TEST_CASE("a blob refuses what it would need from outside") {
  BlobError E = refusal("declare float @sinf(float)\n"
                        "define float @k(float %x) {\n"
                        "  %y = call float @sinf(float %x)\n"
                        "  ret float %y\n}\n");
  CHECK(E.What == BlobError::Kind::Symbol);
  CHECK(E.Text == "sinf");
  E = refusal("@g = internal global i32 5\n"
              "define i32 @k() {\n  %v = load volatile i32, ptr @g\n"
              "  ret i32 %v\n}\n");
  CHECK(E.What == BlobError::Kind::Section);
  E = refusal("define i32 @other() {\n  ret i32 1\n}\n");
  CHECK(E.What == BlobError::Kind::Symbol);
  CHECK(E.Text == "k");
}

TEST_CASE("damaged objects are refused") {
  llvm::SmallVector<char, 0> O = object("define i32 @k() {\n  ret i32 1\n}\n");
  for (size_t N : {size_t(0), size_t(10), O.size() / 2}) {
    Blob Out;
    BlobError Why;
    CHECK_FALSE(makeBlob({O.data(), N}, "k", Out, Why));
    CHECK(Why.What == BlobError::Kind::Object);
  }
}

TEST_CASE("operations that a level lacks are named") {
  CHECK(complaint(Op::Floor, "x86-64-v2").empty());
  CHECK(complaint(Op::Floor, "x86-64-v1") ==
        "G0673: `gpu::floor` has no host code in this form; expected a "
        "legalised operation");
  CHECK(complaint(Op::Floor, "x86-64-v9") ==
        "G0675: host level `x86-64-v9` is unknown; expected `x86-64-v1` to "
        "`x86-64-v4`");
}

TEST_CASE("a barrier in divergent control cannot be planned") {
  Module M;
  Function F;
  F.Kind = FuncKind::Kernel;
  F.WorkgroupSize = {64, 1, 1};
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  ValueId C = B.op(Op::Lt, {B.id(Op::LocalId, 0), B.u32(5)});
  InstId If = B.createIf(C, false);
  B.setBlock(F.Insts[If].Blocks[0]);
  B.barrier();
  LanePlan Plan = planLanes(M, F, 8);
  CHECK(Plan.Refused == "the condition around a barrier is not uniform");
  CHECK(Plan.RefusedAt == If);
}

TEST_CASE("a debug object is the object with places for addresses") {
  llvm::SmallVector<char, 0> O =
      object("@t = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]\n"
             "define i32 @k(i64 %i) {\n"
             "  %p = getelementptr i32, ptr @t, i64 %i\n"
             "  %v = load i32, ptr %p\n"
             "  ret i32 %v\n"
             "}\n");
  Blob Flat;
  BlobError Why;
  REQUIRE(makeBlob({O.data(), O.size()}, "k", Flat, Why));
  REQUIRE(Flat.Placed.size() == 2);
  DebugObject Debug = makeDebugObject({O.data(), O.size()}, Flat);
  REQUIRE(Debug.Bytes.size() == O.size());
  REQUIRE(Debug.Addresses.size() == 2);
  std::vector<uint64_t> Found, Expected;
  for (uint32_t At : Debug.Addresses) {
    uint64_t Word;
    std::memcpy(&Word, Debug.Bytes.data() + At, sizeof Word);
    Found.push_back(Word);
    std::memset(Debug.Bytes.data() + At, 0, sizeof Word);
  }
  for (const auto &[Section, Offset] : Flat.Placed)
    Expected.push_back(Offset);
  CHECK(Found == Expected);
  CHECK(std::memcmp(Debug.Bytes.data(), O.data(), O.size()) == 0);
}

TEST_CASE("LLVM has the options that are set") {
  object("define void @k() { ret void }");
  auto &Options = llvm::cl::getRegisteredOptions();
  for (const char *Name : {"cgpp-huge-func", "disable-lsr"}) {
    INFO(Name);
    REQUIRE(Options.count(Name));
  }
  CHECK(*static_cast<llvm::cl::opt<unsigned> *>(Options["cgpp-huge-func"]) ==
        0);
  CHECK(*static_cast<llvm::cl::opt<bool> *>(Options["disable-lsr"]));
}
