//===- TextTest.cpp - IR text round trip
//-----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/IR/Text.h"
#include "goldyc/IR/Builder.h"

#include <catch2/catch.hpp>
#include <sstream>

using namespace goldy;

namespace {

std::optional<Module> parse(const std::string &Text, std::string &Messages) {
  SourceManager SM;
  FileId File = SM.add("test.goldy", Text);
  DiagSink Diags;
  std::optional<Module> M = parseIRText(SM, File, Diags);
  std::ostringstream Out;
  for (const Diagnostic &D : Diags.diagnostics()) {
    LineColumn At = SM.lineColumn(File, D.Where.Begin);
    Out << At.Line << ":" << At.Column << ": " << diagCodeName(D.Code) << ": "
        << D.Message << "\n";
  }
  Messages = Out.str();
  return M;
}

/// The text is in printed form: printing what was parsed gives it back.
void checkRoundTrip(const std::string &Text) {
  std::string Messages;
  std::optional<Module> M = parse(Text, Messages);
  INFO(Messages);
  REQUIRE(M);
  CHECK(moduleText(*M) == Text);
}

/// What the parser says about a kernel with this body.
std::string complaint(const std::string &Body) {
  std::string Messages;
  std::optional<Module> M =
      parse("#![goldy::ir]\n#[goldy::compute(workgroup_size = [1, 1, 1])]\n"
            "fn k(x: &mut [f32], a: f32) {\n" +
                Body + "\n}\n",
            Messages);
  CHECK_FALSE(M);
  return Messages;
}

} // namespace

TEST_CASE("saxpy is printed as it was parsed") {
  checkRoundTrip(R"(#![goldy::ir]

/// y = a x + y
///
///  indented
#[goldy::compute(workgroup_size = [256, 1, 1])]
fn saxpy(x: &[f32], y: &mut [f32], a: f32) {
    let i: u32 = gpu::global_id().x;
    let v0: u32 = y.len();
    let v1: bool = i < v0;
    if v1 {
        let v2: f32 = x[i];
        let v3: f32 = a * v2;
        let v4: f32 = y[i];
        let v5: f32 = v3 + v4;
        y[i] = v5;
    }
}
)");
}

TEST_CASE("every statement form is printed as it was parsed") {
  checkRoundTrip(R"(#![goldy::ir(legal, unchecked)]

#[goldy::gpu]
struct Inner {
    w: [gpu::Float2; 3],
}

#[goldy::gpu]
struct P {
    a: f32,
    v: gpu::Float3,
    n: Inner,
    b: u32,
}

#[goldy::spec]
const TILE: u32 = 8u32;
#[goldy::spec]
const SCALE: f32 = 0.5f32;

const TABLE: [i32; 2] = [-1i32, 2147483647i32];

fn helper(x: f32, #[workgroup] s: &mut [f32], b: &[P]) -> f32 {
    let v0: f32 = s[0];
    let v1: f32 = b[2u32].v.y;
    return v1;
}

fn nothing() {
    return;
}

#[goldy::compute(workgroup_size = [8, 4, 2], nondeterministic)]
fn k(x: &[P], y: gpu::Scattered<f32>, #[tensor(shape = [d, _, 4])] t: gpu::Tensor<f32>, u: &P, c: &mut [u32], n: &mut [u8], h: &[gpu::f16]) {
    let mut s = gpu::workgroup_array::<f32, 256>();
    let mut acc: f32;
    let mut p: P;
    let mut a: [f32; 4];
    nothing();
    let i: u32 = gpu::local_id().y;
    let v0: f32 = helper(1.5f32, s, x);
    let v1: f32 = u.v.z;
    let v2: gpu::Float3 = gpu::float3(v0, v1, -0.0f32);
    let v3: f32 = v2.z;
    let v4: [f32; 4] = [v3; 4];
    let v5: [f32; 2] = [v3, v0];
    let v6: f32 = v4[3];
    a = v4;
    a[1] = f32::NAN;
    a[i] = f32::from_bits(0xffc00001);
    let v7: u32 = s.len();
    let v8: i32 = TABLE[i];
    let v9: f32 = v8 as f32;
    let v10: f32 = -v9;
    let v11: f32 = -(1.0f32);
    let v12: i32 = !v8;
    let v13: f32 = f32::from_bits(5u32);
    let v14: u32 = ir::spec::<u32>(0) + v7;
    let v15: bool = true == false;
    let v16: f32 = ir::load_if(v15, x[v14].n.w[1].x);
    ir::store_if(v15, y[i], v16);
    let v17: u32 = gpu::atomic_add(c[i], 1u32);
    let v18: u32 = ir::atomic_compare_exchange_if(v15, c[0u32], 1u32, v17);
    gpu::atomic_store(c[i], 18446744073709551615u64);
    'l0: loop {
        #[unroll(4)] for j in 0u32..v14 {
            if v15 {
                break 'l0;
            } else {
            }
        }
        #[unroll] for j_1 in (0i32..=v8).step_by(3) {
        }
    } continuing {
        ir::break_if(v15);
    }
    'l1: {
        'l2: for v19 in 0u32..10u32 {
            continue 'l2;
        }
        break 'l1;
    }
    {
        gpu::assume(v15);
    }
    gpu::workgroup_barrier();
    let v20: u32 = gpu::select(v15, 1u32, 4294967295u32);
    let v21: f32 = gpu::fma(1e-45f32, 3.4028235e+38f32, f32::NEG_INFINITY);
    let v22: f32 = ir::flush(v21);
    let v23: i32 = -2147483648i32 - v8;
    let v24: u32 = n[i];
    n[i] = v24;
    let v25: f32 = ir::load_if(v15, h[i]);
    return;
}
)");
}

TEST_CASE("names that clash or have no text form are made unique") {
  Module M;
  Function F;
  F.Name = "k";
  F.Kind = FuncKind::Kernel;
  F.Params.push_back(
      {"v1", ParamKind::Scalar, types::F32, Access::Read, false, Span()});
  Builder B(M, F);
  F.Body = B.newBlock();
  B.setBlock(F.Body);
  B.slot("", types::F32);
  B.slot("loop", types::F32);
  for (const char *Name : {"", "a.b", "a_b", "v7", "", "a_b"}) {
    ValueId V = B.op(Op::Abs, {B.param(0)});
    B.setName(V, Name);
  }
  M.Functions.push(std::move(F));
  std::string Text = moduleText(M);
  CHECK(Text == R"(#![goldy::ir]

#[goldy::compute(workgroup_size = [1, 1, 1])]
fn k(v1: f32) {
    let mut s: f32;
    let mut loop_: f32;
    let v0: f32 = gpu::abs(v1);
    let a_b: f32 = gpu::abs(v1);
    let a_b_1: f32 = gpu::abs(v1);
    let v2: f32 = gpu::abs(v1);
    let v3: f32 = gpu::abs(v1);
    let a_b_2: f32 = gpu::abs(v1);
}
)");
  checkRoundTrip(Text);
}

TEST_CASE("structs of one name are told apart") {
  Module M;
  for (TypeId T : {types::Bool, types::U32}) {
    StructType S;
    S.Name = "P";
    S.Fields.push_back({"flag", T, Span()});
    M.Types.structType(M.Types.addStruct(std::move(S)));
  }
  Function F;
  F.Name = "h";
  Builder B(M, F);
  F.Body = B.newBlock();
  B.slot("p", M.Types.structType(StructId(1)));
  M.Functions.push(std::move(F));
  std::string Text = moduleText(M);
  CHECK(Text.find("struct P_1 {\n    flag: u32,") != Text.npos);
  CHECK(Text.find("let mut p: P_1;") != Text.npos);
  checkRoundTrip(Text);
}

TEST_CASE("annotations stand behind their lines") {
  std::string Messages;
  std::optional<Module> M =
      parse("#![goldy::ir]\nfn h() {\nreturn;\n}\n", Messages);
  REQUIRE(M);
  TextOptions Options;
  Options.Comment = [](const Function &, InstId) { return "here"; };
  std::ostringstream Out;
  printFunction(Out, *M, M->Functions[FuncId(0)], Options);
  CHECK(Out.str() == "fn h() {\n    return; // here\n}\n");
}

TEST_CASE("the header is recognised behind comments") {
  CHECK(isIRText("#![goldy::ir]"));
  CHECK(isIRText("// RUN: x\n\n#![goldy::ir(legal)]"));
  CHECK_FALSE(isIRText("#![allow(unused)]\n#![goldy::ir]"));
  CHECK_FALSE(isIRText(""));
}

TEST_CASE("malformed text is refused where it is wrong") {
  CHECK(complaint("let v: u32 = a;") ==
        "4:15: G0902: expected an operator or `as`, found `;`\n");
  CHECK(complaint("let v: u32 = a + a;") ==
        "4:14: G0905: `v` is declared as `u32`, but the operation gives "
        "`f32`\n");
  CHECK(complaint("let v: f32 = a + b;") == "4:18: G0903: unknown name `b`\n");
  CHECK(complaint("let v: f32 = a + 1;") ==
        "4:18: G0902: the literal `1` has no type suffix\n");
  CHECK(complaint("let a: f32 = a + a;") ==
        "4:5: G0904: `a` is already defined here\n");
  CHECK(complaint("let v: u32 = 1u32 + 4294967296u32;") ==
        "4:21: G0906: `4294967296u32` does not fit its type\n");
  CHECK(complaint("let v: u32 = 1u32 + -1u32;") ==
        "4:21: G0906: `-1u32` does not fit its type\n");
  CHECK(complaint("x = 1.0f32;") == "4:3: G0908: a buffer must be indexed\n");
  CHECK(complaint("x[0].y = 1.0f32;") ==
        "4:6: G0903: `f32` has no member `y`\n");
  CHECK(complaint("break;") == "4:6: G0908: there is no enclosing loop\n");
  CHECK(complaint("loop { let mut s: f32; }") ==
        "4:16: G0908: variables are declared at the top level of the "
        "function\n");
  CHECK(complaint("let v: f32 = gpu::fma(a, a);") ==
        "4:22: G0902: `gpu::fma` takes 3 operands, found 2\n");
  CHECK(complaint("let v: f32 = gpu::gamma(a);") ==
        "4:14: G0903: unknown operation `gpu::gamma`\n");
  CHECK(complaint("gpu::sqrt(a);") ==
        "4:1: G0908: the operation's value needs a name: `let v: f32 = …`\n");
  CHECK(complaint("let v: [[f32; 4294967295]; 9] = a as f32;") ==
        "4:9: G0907: the type describes more than 4 GiB\n");
  CHECK(complaint("let v: f32 = \x01;") ==
        "4:14: G0901: unknown character `\x01` in IR text\n");
  std::string Deep;
  for (int I = 0; I < 2000; ++I)
    Deep += "{";
  CHECK(complaint(Deep) == "4:1001: G0907: blocks are nested too deeply\n");
  std::string Messages;
  CHECK_FALSE(parse("#![goldy::ir]\nfn \xff", Messages));
  CHECK(Messages == "2:4: G0901: the text is not valid UTF-8\n");
}

TEST_CASE("types that double at every step are refused") {
  std::string Text = "#![goldy::ir]\n#[goldy::gpu]\nstruct S0 { a: u32 }\n";
  for (int I = 1; I < 30; ++I) {
    std::string Inner = "S" + std::to_string(I - 1);
    Text += "#[goldy::gpu]\nstruct S" + std::to_string(I) + " { a: " + Inner +
            ", b: " + Inner + " }\n";
  }
  std::string Messages;
  CHECK_FALSE(parse(Text, Messages));
  CHECK(Messages == "29:8: G0907: struct `S13` describes too much\n");
}
