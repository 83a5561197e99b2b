//===- RuleTest.cpp - One broken module for each structural rule
//------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test breaks the sample kernel in one way and expects the rule's number.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("the sample is sound") {
  Sample S;
  CHECK(S.problems().empty());
  std::string Why;
  CHECK(isWellFormed(S.M, Why));
}

TEST_CASE("V1: types are finite") {
  Sample S;
  SECTION("a struct holds itself") {
    StructId Id = S.M.Types.addStruct({"P", {}, {}});
    TypeId T = S.M.Types.structType(Id);
    S.M.Types.structure(Id).Fields.push_back({"again", T, {}});
  }
  SECTION("a vector of five") { S.M.Types.vector(types::F32, 5); }
  SECTION("a vector of bool") { S.M.Types.vector(types::Bool, 2); }
  SECTION("an array of nothing") { S.M.Types.array(types::F32, 0); }
  SECTION("an array of void") { S.M.Types.array(types::Void, 3); }
  SECTION("a member that is not there") { S.M.Types.array(TypeId(999), 3); }
  SECTION("an empty struct") {
    S.M.Types.structType(S.M.Types.addStruct({"E", {}, {}}));
  }
  SECTION("a struct that is not there") { S.M.Types.structType(StructId(7)); }
  SECTION("too many bytes") { S.M.Types.array(types::U32, 0x80000000u); }
  SECTION("doubling structs") {
    TypeId T = types::U32;
    for (int I = 0; I < 40; ++I) {
      StructType Pair{"S" + std::to_string(I), {}, {}};
      Pair.Fields = {{"a", T, {}}, {"b", T, {}}};
      T = S.M.Types.structType(S.M.Types.addStruct(Pair));
    }
  }
  CHECK(S.violates(1));
}

TEST_CASE("V2: functions have names of their own") {
  Sample S;
  S.helper().Name = GENERATE("k", "");
  CHECK(S.violates(2));
}

TEST_CASE("V3: signatures") {
  Sample S;
  SECTION("a kernel's result") { S.kernel().ReturnType = types::F32; }
  SECTION("a result that is not there") { S.helper().ReturnType = TypeId(); }
  SECTION("a narrow result") { S.helper().ReturnType = types::U8; }
  SECTION("a scalar of a narrow type") {
    S.kernel().Params[2].Type = types::F16;
  }
  SECTION("a buffer of nothing") { S.kernel().Params[0].Type = types::Void; }
  SECTION("a kernel's struct by value") {
    S.kernel().Params[2].Type = S.M.Types.vector(types::F32, 2);
  }
  SECTION("a kernel's workgroup parameter") {
    S.kernel().Params[0].Workgroup = true;
  }
  SECTION("an empty workgroup") { S.kernel().WorkgroupSize[1] = 0; }
  CHECK(S.violates(3));
}

TEST_CASE("V5: tables") {
  Sample S;
  ConstTable T{"T", S.M.Types.array(types::U32, 3), {1, 2}, {}};
  SECTION("too few values") {}
  SECTION("no array") { T.Type = types::U32; }
  SECTION("no type") { T.Type = TypeId(); }
  S.M.Tables.push(T);
  CHECK(S.violates(5));
}

TEST_CASE("V6: slots and workgroup arrays") {
  Sample S;
  SECTION("a narrow slot") { S.kernel().Slots[S.Scalar].Type = types::U8; }
  SECTION("a slot without type") { S.kernel().Slots[S.Scalar].Type = TypeId(); }
  SECTION("a scalar workgroup array") {
    S.kernel().WorkgroupArrays[WorkgroupId(0)].Type = types::F32;
  }
  SECTION("a helper's workgroup array") {
    S.helper().WorkgroupArrays.push({"w", S.M.Types.array(types::F32, 4), {}});
  }
  CHECK(S.violates(6));
}

TEST_CASE("V10: handles are in range") {
  Sample S;
  Function &F = S.kernel();
  SECTION("operands outside the pool") { S.at(S.Cond).NumOperands = 9999; }
  SECTION("an operand") { F.OperandPool[0] = ValueId(5000); }
  SECTION("an invalid operand") { F.OperandPool[0] = ValueId(); }
  SECTION("a type") { S.at(S.Cond).Type = TypeId(77); }
  SECTION("a name") { S.at(S.Cond).Name = 77; }
  SECTION("a place") { S.at(S.Load).Where = PlaceId(77); }
  SECTION("a base") { F.Places[S.at(S.Load).Where].Base.Index = 77; }
  SECTION("an index") {
    F.Places[S.at(S.Load).Where].Path[0].Index = ValueId(5000);
  }
  SECTION("a block") { S.at(S.If).Blocks[1] = BlockId(77); }
  SECTION("a target") { S.at(S.Break).Target = InstId(5000); }
  SECTION("a callee") { S.at(S.Call).Callee = FuncId(77); }
  SECTION("a body") { F.Body = BlockId(); }
  SECTION("an instruction of a block") {
    F.Blocks[F.Body].Insts.push_back(InstId(5000));
  }
  CHECK(S.violates(10));
}

TEST_CASE("V11: operands come before") {
  Sample S;
  Function &F = S.kernel();
  SECTION("an operand") { F.OperandPool[S.at(S.Cond).FirstOperand] = S.Load; }
  SECTION("an instruction is its own operand") {
    F.OperandPool[S.at(S.Cond).FirstOperand] = S.Cond;
  }
  SECTION("an index") { F.Places[S.at(S.Load).Where].Path[0].Index = S.Store; }
  SECTION("a target") { S.at(S.Break).Target = S.BreakIf; }
  CHECK(S.violates(11));
}

TEST_CASE("V12: one place for everything") {
  Sample S;
  Function &F = S.kernel();
  std::vector<InstId> &Body = F.Blocks[F.Body].Insts;
  SECTION("placed twice") { Body.push_back(S.Barrier); }
  SECTION("not placed") { Body.pop_back(); }
  SECTION("a leaf in a block") { Body.push_back(F.Insts[S.For].Var); }
  SECTION("a block with two owners") {
    S.at(S.For).Blocks[0] = S.at(S.If).Blocks[0];
  }
  SECTION("a block in itself") { S.at(S.Loop).Blocks[0] = F.Body; }
  CHECK(S.violates(12));
}

TEST_CASE("V13: handles grow in program order") {
  Sample S;
  std::vector<InstId> &Body = S.kernel().Blocks[S.kernel().Body].Insts;
  std::swap(Body.back(), Body[Body.size() - 2]);
  CHECK(S.violates(13));
}

TEST_CASE("V14: values are used where they are visible") {
  Sample S;
  Function &F = S.kernel();
  SECTION("out of a branch") {
    F.OperandPool[S.at(S.PrivateStore).FirstOperand] = S.Load;
  }
  SECTION("a loop's variable behind the loop") {
    F.OperandPool[S.at(S.BreakIf).FirstOperand] = S.at(S.For).Var;
  }
  SECTION("a loop's body in its continuing block") {
    Builder B(S.M, F);
    B.setBlock(F.Body);
    InstId Loop = B.createLoop(true);
    B.setBlock(F.Insts[Loop].Blocks[0]);
    ValueId V = B.op(Op::Eq, {B.u32(1), B.u32(1)});
    B.setBlock(F.Insts[Loop].Blocks[1]);
    B.breakIf(V);
  }
  CHECK(S.violates(14));
}

TEST_CASE("V20 to V27: operands and results") {
  Sample S;
  Function &F = S.kernel();
  Builder B(S.M, F);
  B.setBlock(F.Body);
  SECTION("V20: too few operands") {
    S.at(S.Cond).NumOperands = 1;
    CHECK(S.violates(20));
  }
  SECTION("V20: a guard without operand") {
    S.at(S.Load).Flags = FlagGuarded;
    CHECK(S.violates(20));
  }
  SECTION("V21: operands of two types") {
    ValueId V[] = {B.u32(1), B.i32(1)};
    B.opTyped(Op::Add, types::U32, V);
    CHECK(S.violates(21));
  }
  SECTION("V21: operations that do not take the type") {
    ValueId F1[] = {B.f32Bits(0), B.f32Bits(0)}, U1[] = {B.u32(0)};
    ValueId B2[] = {B.boolean(true), B.boolean(true)};
    auto [O, T, Operands] =
        GENERATE_COPY(table<Op, TypeId, std::vector<ValueId>>(
            {{Op::And, types::F32, {F1[0], F1[1]}},
             {Op::Add, types::Bool, {B2[0], B2[1]}},
             {Op::Lt, types::Bool, {B2[0], B2[1]}},
             {Op::Sqrt, types::U32, {U1[0]}},
             {Op::Abs, types::U32, {U1[0]}},
             {Op::Shl, types::F32, {F1[0], U1[0]}},
             {Op::Cast, types::Bool, {U1[0]}},
             {Op::Cast, types::F32, {B2[0]}},
             {Op::Select, types::U32, {U1[0], U1[0], U1[0]}},
             {Op::ToBits, types::U32, {U1[0]}},
             {Op::CountOnes, types::U32, {F1[0]}}}));
    B.opTyped(O, T, Operands);
    CHECK(S.violates(21));
  }
  SECTION("V21: a condition that is no bool") {
    F.OperandPool[S.at(S.If).FirstOperand] = S.Id;
    CHECK(S.violates(21));
  }
  SECTION("V22: the result's type") {
    S.at(S.Cond).Type = types::U32;
    CHECK(S.violates(22));
  }
  SECTION("V23: a constant that does not fit") {
    auto [T, Bits] = GENERATE(table<TypeId, uint64_t>(
        {{types::Bool, 2}, {types::U32, uint64_t(1) << 32}}));
    B.constant(T, Bits);
    CHECK(S.violates(23));
  }
  SECTION("V23: a parameter that is no scalar") {
    Inst I;
    I.Opcode = Op::ParamValue;
    I.Type = types::F32;
    I.Imm = GENERATE(0u, 9u);
    B.append(I, {});
    CHECK(S.violates(23));
  }
  SECTION("V24: an id's component") {
    S.at(S.Id).Imm = 3;
    CHECK(S.violates(24));
  }
  SECTION("V24: a member's number") {
    ValueId Pair[] = {B.u32(0), B.u32(0)};
    ValueId V[] = {B.construct(S.M.Types.vector(types::U32, 2), Pair)};
    B.opTyped(Op::Extract, types::U32, V, 2);
    CHECK(S.violates(24));
  }
  SECTION("V25: a guard that is no bool") {
    InstId I = B.load(B.place({BaseKind::Param, 0}, {{S.Id, 0}}), B.u32(1));
    REQUIRE(I.isValid());
    CHECK(S.violates(25));
  }
  SECTION("V25: a guard on something else") {
    S.at(S.Cond).Flags = FlagGuarded;
    CHECK(S.violates(25));
  }
  SECTION("V26: arguments") {
    SECTION("number") { S.at(S.Call).NumOperands = 0; }
    SECTION("type") { F.OperandPool[S.at(S.Call).FirstOperand] = S.Id; }
    SECTION("a kernel is no callee") { S.at(S.Call).Callee = FuncId(1); }
    SECTION("a resource is wanted") {
      S.helper().Params.push_back(
          parameter("b", ParamKind::Buffer, types::F32));
      ValueId Args[] = {B.f32Bits(0), B.f32Bits(0)};
      B.call(FuncId(0), Args);
    }
    SECTION("a resource with less access") {
      S.helper().Params.push_back(
          parameter("b", ParamKind::Buffer, types::F32, Access::ReadWrite));
      ValueId Args[] = {B.f32Bits(0), B.ref({BaseKind::Param, 0})};
      B.call(FuncId(0), Args);
    }
    CHECK(S.violates(26));
  }
  SECTION("V27: an operand without value") {
    F.OperandPool[S.at(S.BreakIf).FirstOperand] = S.For;
    CHECK(S.violates(27));
  }
}

TEST_CASE("V30 to V34: places") {
  Sample S;
  Function &F = S.kernel();
  Builder B(S.M, F);
  B.setBlock(F.Body);
  Place &P = F.Places[S.at(S.Load).Where];
  SECTION("V30: a path that does not fit") {
    SECTION("too short") { P.Path.clear(); }
    SECTION("too long") { P.Path.push_back({{}, 0}); }
    SECTION("another type") { P.Type = types::U32; }
    SECTION("no place") { S.at(S.Load).Where = {}; }
    SECTION("a place on something else") {
      S.at(S.Cond).Where = S.at(S.Load).Where;
    }
    CHECK(S.violates(30));
  }
  SECTION("V31: an index that is no integer of 32 bits") {
    P.Path[0].Index = B.boolean(true);
    F.Places[S.at(S.Load).Where].Path[0].Index = S.Cond;
    CHECK(S.violates(31));
  }
  SECTION("V32: the type of a loaded or stored value") {
    SECTION("load") { S.at(S.Load).Type = types::U32; }
    SECTION("store") { F.OperandPool[S.at(S.Store).FirstOperand] = S.Id; }
    SECTION("atomic on a float") {
      ValueId V[] = {B.f32Bits(0)};
      B.atomic(Op::AtomicAdd, B.place({BaseKind::Param, 1}, {{S.Id, 0}}), V);
    }
    CHECK(S.violates(32));
  }
  SECTION("V33: what the base admits") {
    SECTION("a store into a read-only buffer") {
      F.Places[S.at(S.Store).Where].Base.Index = 0;
    }
    SECTION("a load from a write-only buffer") {
      F.Params[0].Acc = Access::Write;
    }
    SECTION("a store into a table") {
      S.M.Tables.push({"T", S.M.Types.array(types::F32, 2), {0, 0}, {}});
      B.store(B.place({BaseKind::Table, 0}, {{S.Id, 0}}), B.f32Bits(0));
    }
    SECTION("a place in a scalar parameter") {
      B.load(B.place({BaseKind::Param, 2}));
    }
    SECTION("an atomic on a slot") {
      SlotId U = B.slot("u", types::U32);
      B.atomic(Op::AtomicLoad, B.slotPlace(U), {});
    }
    CHECK(S.violates(33));
  }
  SECTION("V34: the length of something that has none") {
    B.len({BaseKind::Slot, S.Scalar.index()});
    CHECK(S.violates(34));
  }
}

TEST_CASE("V40 to V45: control") {
  Sample S;
  Function &F = S.kernel();
  Builder B(S.M, F);
  B.setBlock(F.Body);
  SECTION("V40: blocks that are missing or too many") {
    SECTION("missing") {
      Inst I;
      I.Opcode = Op::Block;
      B.append(I, {});
    }
    SECTION("too many") { S.at(S.For).Blocks[1] = B.newBlock(); }
    SECTION("on a value") { S.at(S.Cond).Blocks[0] = B.newBlock(); }
    CHECK(S.violates(40));
  }
  SECTION("V41: targets") {
    SECTION("none") { S.at(S.Break).Target = {}; }
    SECTION("not around it") { S.at(S.Break).Target = S.For; }
    SECTION("no statement") { S.at(S.Break).Target = S.Cond; }
    SECTION("continue of a block") {
      InstId Block = B.createBlock();
      B.setBlock(F.Insts[Block].Blocks[0]);
      B.continueTo(Block);
    }
    CHECK(S.violates(41));
  }
  SECTION("V42: continuing blocks") {
    B.setBlock(S.at(S.Loop).Blocks[1]);
    SECTION("something follows break_if") { B.barrier(); }
    SECTION("break") { B.breakTo(S.Loop); }
    SECTION("return") { B.ret(); }
    SECTION("break_if elsewhere") {
      B.setBlock(F.Body);
      B.breakIf(B.boolean(true));
    }
    CHECK(S.violates(42));
  }
  SECTION("V43: for") {
    SECTION("step") { S.at(S.For).Imm = 0; }
    SECTION("bounds") { F.OperandPool[S.at(S.For).FirstOperand] = S.Cond; }
    SECTION("no variable") {
      InstId Other = B.createFor(B.u32(0), B.u32(1), 1, false);
      F.Insts[Other].Var = {};
    }
    SECTION("another's variable") {
      InstId Other = B.createFor(B.u32(0), B.u32(1), 1, false);
      F.Insts[Other].Var = S.at(S.For).Var;
    }
    CHECK(S.violates(43));
  }
  SECTION("V44: results") {
    SECTION("a value from a kernel") { B.ret(B.f32Bits(0)); }
    SECTION("no value from a helper") {
      S.helper().Blocks[S.helper().Body].Insts.pop_back();
      S.helper()
          .Insts[S.helper().Insts.handleAt(S.helper().Insts.size() - 1)] = {};
    }
    CHECK(S.violates(44));
  }
  SECTION("V45: a barrier in a helper") {
    Builder HB(S.M, S.helper());
    HB.setBlock(S.helper().Body);
    HB.barrier();
    CHECK(S.violates(45));
  }
}

TEST_CASE("V15: statements nest 1000 deep at most") {
  Sample S;
  Builder B(S.M, S.kernel());
  B.setBlock(S.kernel().Body);
  for (int I = 0; I < 100000; ++I) {
    InstId Block = B.createBlock();
    B.setBlock(S.kernel().Insts[Block].Blocks[0]);
  }
  CHECK(S.problems().find("nested more than 1000") != std::string::npos);
}
