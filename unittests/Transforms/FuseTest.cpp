//===- FuseTest.cpp - What is fused, what is refused, and the bits --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FuseCase.h"

#include "goldyc/IR/Text.h"
#include "goldyc/Transforms/Specialise.h"

#include <catch2/catch.hpp>

#include <cstring>

using namespace goldy;
using namespace goldy::fusetest;

namespace {

const char *Attribute = "#[goldy::compute(workgroup_size = [16, 1, 1])]\n";

std::string kernel(const std::string &Signature, const std::string &Body) {
  return Attribute + ("fn " + Signature + " {\n") +
         "let i = gpu::global_id().x;\n" + Body + "\n}\n";
}

std::string scale() {
  return kernel("scale(x: &[f32], y: &mut [f32], n: u32)",
                "if i < n { y[i] = x[i] * 0.5; }");
}

/// x -> t -> y over 40 work-items that say they are `N`.
Chain chainOf(std::vector<Launch> Launches, uint32_t N, size_t X, size_t T,
              size_t Y) {
  Chain C;
  C.Launches = std::move(Launches);
  C.Scalars = {{"n", N}, {"m", T}};
  C.Buffers = {{"x", randomBytes(X, 1)},
               {"t", randomBytes(T, 2)},
               {"y", randomBytes(Y, 3)}};
  C.Groups = {3, 1, 1};
  return C;
}

const FusedKernel &fused(const std::variant<FusedKernel, FusionRejection> &R) {
  if (const FusionRejection *Bad = std::get_if<FusionRejection>(&R))
    INFO(Bad->Why);
  REQUIRE(std::holds_alternative<FusedKernel>(R));
  return std::get<FusedKernel>(R);
}

const FusionRejection &
rejected(const std::variant<FusedKernel, FusionRejection> &R) {
  REQUIRE(std::holds_alternative<FusionRejection>(R));
  return std::get<FusionRejection>(R);
}

std::string textOf(const Module &M, FuncId F) {
  std::ostringstream Out;
  printFunction(Out, M, M.Functions[F]);
  return Out.str();
}

size_t count(const std::string &Text, const std::string &What) {
  size_t Count = 0;
  for (size_t At = Text.find(What); At != Text.npos;
       At = Text.find(What, At + 1))
    ++Count;
  return Count;
}

} // namespace

TEST_CASE("a value takes the way of registers, and the store stays") {
  Module M =
      compile(scale() + kernel("bias(x: &[f32], y: &mut [f32], n: u32)",
                               "if i >= n { return; }\ny[i] = x[i] + 1.0;"));
  // Guards that say more and less than the lengths.
  for (uint32_t N : {0u, 5u, 40u, 48u, 0xffffffffu})
    for (size_t T : {0u, 3u, 40u, 60u}) {
      Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"bias", {"t", "y", "n"}}},
                        N, 45, T, 41);
      const FusedKernel K = fused(checkChain(M, C));
      CHECK(K.Forwarded == std::vector<StageParam>{{0, 1}, {1, 0}});
      CHECK(K.Vanished.empty());
      std::string Text = textOf(M, K.Kernel);
      CHECK(count(Text, "k0_y[") == 1);
      CHECK(count(Text, "if ") == 1);
      CHECK(K.Apart.size() == 3);
    }
}

TEST_CASE("a temporary vanishes, with its length as a range") {
  Module M =
      compile(scale() + kernel("bias(x: &[f32], y: &mut [f32], n: u32)",
                               "if i < n { y[i] = x[i] + x.len() as f32; }"));
  for (uint32_t N : {0u, 5u, 40u, 0xffffffffu})
    for (size_t T : {0u, 3u, 40u}) {
      Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"bias", {"t", "y", "n"}}},
                        N, 45, T, 41);
      C.Temporaries = {{"t", "m"}};
      C.Carried = true;
      const FusedKernel K = fused(checkChain(M, C));
      CHECK(K.Vanished.size() == 1);
      CHECK(K.Params.size() == 4); // x, n, y and the length
    }
}

TEST_CASE("a temporary that is read under another condition") {
  std::string Second = kernel("bias(x: &[f32], y: &mut [f32], k: u32)",
                              "if i < k { y[i] = x[i] + 1.0; }");
  Module M = compile(scale() + Second);
  Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"bias", {"t", "y", "k"}}}, 48,
                    48, 48, 48);
  C.Scalars["k"] = 30;
  C.Temporaries = {{"t", "m"}};
  // Each read has its write, only not provably so: a variable holds it.
  CHECK(fused(checkChain(M, C)).Vanished.size() == 1);
  // Of an earlier time around a loop, it would not be undefined.
  C.Carried = true;
  CHECK(fused(checkChain(M, C)).Vanished.empty());
}

TEST_CASE("a return ends its stage only") {
  Module M = compile(
      kernel("first(a: &mut [f32], n: u32)",
             "for k in 0..3 { if i >= n + k { return; } a[i] = 1.0 + (k as "
             "f32); }") +
      kernel("second(b: &mut [f32], m: u32)",
             "if i >= m { return; }\nb[i] = 2.0;"));
  for (uint32_t N : {0u, 9u, 40u}) {
    Chain C =
        chainOf({{"first", {"x", "n"}}, {"second", {"y", "m"}}}, N, 44, 30, 50);
    fused(checkChain(M, C));
  }
}

TEST_CASE("elements narrower than their values") {
  for (const char *T : {"u8", "i8", "u16", "i16", "u32", "i32"}) {
    std::string Wide = T[0] == 'u' ? "u32" : "i32", Element = T;
    Module M = compile(
        kernel("make(x: &[" + Wide + "], t: &mut [" + Element + "], n: u32)",
               "if i < n { t[i] = x[i]; }") +
        kernel("use_it(t: &[" + Element + "], y: &mut [" + Wide + "], n: u32)",
               "if i < n { y[i] = t[i] + 1; }"));
    INFO(Element);
    Chain C = chainOf({{"make", {"x", "t", "n"}}, {"use_it", {"t", "y", "n"}}},
                      48, 48, 48, 48);
    CHECK(fused(checkChain(M, C)).Forwarded.size() == 2);
    // As many elements as the variable says.
    C.Temporaries = {{"t", "m"}};
    C.Scalars["m"] = 48 * 4 /
                     (Element.ends_with("8")    ? 1
                      : Element.ends_with("16") ? 2
                                                : 4);
    CHECK(fused(checkChain(M, C)).Vanished.size() == 1);
  }
}

TEST_CASE("halves stay in memory") {
  for (const char *T : {"gpu::f16", "gpu::bf16"}) {
    std::string Element = T;
    Module M =
        compile(kernel("make(x: &[f32], t: &mut [" + Element + "], n: u32)",
                       "if i < n { t[i] = x[i] * 1.1; }") +
                kernel("use_it(t: &[" + Element + "], y: &mut [f32], n: u32)",
                       "if i < n { y[i] = -t[i]; }"));
    Chain C = chainOf({{"make", {"x", "t", "n"}}, {"use_it", {"t", "y", "n"}}},
                      48, 48, 48, 48);
    C.Temporaries = {{"t", "m"}};
    const FusedKernel K = fused(checkChain(M, C));
    CHECK(K.Forwarded.empty());
    CHECK(K.Vanished.empty());
  }
}

TEST_CASE("bool elements and NaNs of both kinds") {
  Module M = compile(
      kernel("make(x: &[f32], t: &mut [bool], n: u32)",
             "if i < n { t[i] = x[i] > 0.25; }") +
      kernel("use_it(t: &[bool], x: &[f32], y: &mut [f32], n: u32)",
             "if i < n { y[i] = gpu::select(t[i], -(x[i] - x[i]), x[i]); }") +
      kernel("again(y: &[f32], z: &mut [u32], n: u32)",
             "if i < n { z[i] = (-y[i]).to_bits(); }"));
  Chain C = chainOf({{"make", {"x", "t", "n"}},
                     {"use_it", {"t", "x", "y", "n"}},
                     {"again", {"y", "z", "n"}}},
                    48, 48, 48, 48);
  C.Buffers["z"] = randomBytes(48, 4);
  C.Temporaries = {{"t", "m"}};
  CHECK(fused(checkChain(M, C)).Vanished.size() == 1);
}

TEST_CASE("stages with barriers and arrays of their own") {
  std::string Sum = kernel("total(x: &[f32], y: &mut [f32])",
                           "let mut s = gpu::workgroup_array::<f32, 16>();\n"
                           "let t = gpu::workgroup_sum::<16>(x[i], s);\n"
                           "y[i] = x[i] / t + s[gpu::local_id().x];");
  Module M = compile(scale() + Sum);
  Chain C = chainOf({{"scale", {"x", "t", "n"}},
                     {"total", {"t", "y"}},
                     {"total", {"y", "z"}}},
                    30, 48, 48, 48);
  C.Buffers["z"] = randomBytes(48, 4);
  const FusedKernel K = fused(checkChain(M, C));
  const Function &F = M.Functions[K.Kernel];
  REQUIRE(F.WorkgroupArrays.size() == 2);
  CHECK(F.WorkgroupArrays[WorkgroupId(0)].Name == "k1_s");
  CHECK(F.WorkgroupArrays[WorkgroupId(1)].Name == "k2_s");
}

TEST_CASE("a condition behind what others see") {
  std::string Text =
      kernel("first(x: &[f32], y: &mut [f32], n: u32)",
             "let mut s = gpu::workgroup_array::<f32, 16>();\n"
             "s[gpu::local_id().x] = x[i];\ngpu::workgroup_barrier();\n"
             "let v = s[15 - gpu::local_id().x];\nif i >= n { return; }\n"
             "y[i] = v * 2.0;\nif v > 0.5 { return; }\nif i < n { y[i] = v + "
             "1.0; }") +
      kernel("second(x: &[f32], y: &mut [f32], n: u32)",
             "if i < n { y[i] = x[i] + 1.0; }");
  Module M = compile(Text);
  for (uint32_t N : {0u, 20u, 40u, 48u}) {
    Chain C = chainOf({{"first", {"x", "t", "n"}}, {"second", {"t", "y", "n"}}},
                      N, 48, 48, 48);
    fused(checkChain(M, C));
    C.Temporaries = {{"t", "m"}};
    CHECK(fused(checkChain(M, C)).Vanished.size() == 1);
    // Each read is behind the first write of the stage before.
    C.Carried = true;
    fused(checkChain(M, C));
  }
}

TEST_CASE("a buffer that stages rewrite") {
  Module M = compile(kernel("twice(y: &mut [f32], n: u32)",
                            "if i < n { y[i] = y[i] * 2.0; }"));
  Chain C = chainOf(
      {{"twice", {"y", "n"}}, {"twice", {"y", "n"}}, {"twice", {"y", "m"}}}, 40,
      4, 20, 48);
  const FusedKernel K = fused(checkChain(M, C));
  CHECK(K.Params.size() == 3);
  CHECK(M.Functions[K.Kernel].Params[0].Name == "k0_y");
}

TEST_CASE("equal requests give one kernel") {
  Module M = compile(scale());
  Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"scale", {"t", "y", "n"}}}, 4,
                    4, 4, 4);
  const FusedKernel A = fused(checkChain(M, C));
  uint32_t Size = M.Functions.size();
  const FusedKernel B = fused(checkChain(M, C));
  CHECK(A.Id == B.Id);
  CHECK(A.Kernel == B.Kernel);
  CHECK(M.Functions.size() == Size);
  C.Launches[1].Arguments[2] = "m";
  CHECK(fused(checkChain(M, C)).Id != A.Id);
}

// --- Rejections

namespace {

FusionReason reasonFor(const std::string &Text, std::vector<Launch> Launches,
                       std::array<uint32_t, 3> Groups = {3, 1, 1}) {
  Module M = compile(Text);
  Chain C = chainOf(std::move(Launches), 40, 48, 48, 48);
  C.Groups = Groups;
  uint32_t Size = M.Functions.size();
  FusionRejection R = rejected(fuseKernels(M, requestOf(M, C)));
  CHECK(M.Functions.size() == Size);
  CHECK(R.Earlier <= R.Later);
  CHECK(!R.Why.empty());
  return R.Reason;
}

} // namespace

TEST_CASE("an index that is not the work-item's own") {
  for (const char *Index :
       {"i + 1", "n - 1 - i", "i * 2", "i / 2", "gpu::local_id().x", "n",
        "3u32", "i ^ 1", "gpu::workgroup_id().x * 8 + gpu::local_id().x"}) {
    INFO(Index);
    CHECK(reasonFor(scale() + kernel("other(t: &[f32], y: &mut [f32], n: u32)",
                                     std::string("if i < n { y[i] = t[") +
                                         Index + "]; }"),
                    {{"scale", {"x", "t", "n"}}, {"other", {"t", "y", "n"}}}) ==
          FusionReason::Dependence);
    // Read by the first, written by the second.
    CHECK(reasonFor(scale() + kernel("other(t: &[f32], y: &mut [f32], n: u32)",
                                     std::string("if i < n { y[i] = t[") +
                                         Index + "]; }"),
                    {{"other", {"t", "y", "n"}}, {"scale", {"x", "t", "n"}}}) ==
          FusionReason::Dependence);
  }
}

TEST_CASE("the own index in other words") {
  for (const char *Index :
       {"gpu::workgroup_id().x * 16 + gpu::local_id().x", "(i + n) - n",
        "(i as i32) as u32", "(i << 1) - i"}) {
    INFO(Index);
    Module M =
        compile(scale() + kernel("other(t: &[f32], y: &mut [f32], n: u32)",
                                 std::string("let mut k = 0; k = ") + Index +
                                     "; if i < n { y[i] = t[k]; }"));
    Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"other", {"t", "y", "n"}}},
                      40, 48, 48, 48);
    CHECK(fused(checkChain(M, C)).Forwarded.size() == 2);
  }
}

TEST_CASE("fewer id axes than the grid has") {
  std::string Text = scale();
  std::vector<Launch> Two = {{"scale", {"x", "t", "n"}},
                             {"scale", {"t", "y", "n"}}};
  CHECK(reasonFor(Text, Two, {3, 2, 1}) == FusionReason::GridRank);
  CHECK(reasonFor(Text, Two, {3, 1, 2}) == FusionReason::GridRank);
}

TEST_CASE("other workgroup sizes, grids, tensors and foreign kernels") {
  std::string Other = "#[goldy::compute(workgroup_size = [8, 1, 1])]\n"
                      "fn other(t: &[f32], y: &mut [f32], n: u32) {\n"
                      "let i = gpu::global_id().x;\nif i < n { y[i] = t[i]; "
                      "}\n}\n";
  std::vector<Launch> Two = {{"scale", {"x", "t", "n"}},
                             {"other", {"t", "y", "n"}}};
  CHECK(reasonFor(scale() + Other, Two) == FusionReason::WorkgroupSize);
  CHECK(reasonFor(scale() + kernel("other(t: gpu::Tensor<f32>, y: &mut [f32], "
                                   "n: u32)",
                                   "if i < n { y[i] = t[i]; }"),
                  Two) == FusionReason::TensorBinding);
  Module M = compile(scale());
  Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"scale", {"t", "y", "n"}}}, 4,
                    4, 4, 4);
  FusionRequest R = requestOf(M, C);
  R.Stages[1].Grid = 1;
  CHECK(rejected(fuseKernels(M, R)).Reason == FusionReason::Grid);
  R.Stages[1].Grid = 0;
  R.Stages[0].Opaque = true;
  CHECK(rejected(fuseKernels(M, R)).Reason == FusionReason::NoDefinition);
}

TEST_CASE("arguments that may overlap") {
  Module M = compile(scale());
  Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"scale", {"t", "y", "n"}}}, 4,
                    4, 4, 4);
  FusionRequest R = requestOf(M, C);
  R.MayOverlap = [](uint32_t A, uint32_t B) { return true; };
  FusionRejection Bad = rejected(fuseKernels(M, R));
  CHECK(Bad.Reason == FusionReason::Overlap);
  // x and t are of one stage alone, but the next one touches t too.
  std::vector<std::pair<uint32_t, uint32_t>> Asked;
  R.MayOverlap = [&](uint32_t A, uint32_t B) {
    Asked.emplace_back(A, B);
    return false;
  };
  CHECK(fused(fuseKernels(M, R)).Apart == Asked);
}

TEST_CASE("too many bindings, too much workgroup memory") {
  std::string Body, Signature = "many(";
  for (int K = 0; K < 9; ++K) {
    Signature += "b" + std::to_string(K) + ": &mut [f32], ";
    Body += "b" + std::to_string(K) + "[i] = 1.0;\n";
  }
  Chain C;
  C.Groups = {2, 1, 1};
  C.Launches = {{"many", {}}, {"many", {}}};
  for (int K = 0; K < 18; ++K) {
    std::string Name(1, static_cast<char>('a' + K));
    C.Buffers[Name] = randomBytes(32, 1);
    C.Launches[K / 9].Arguments.push_back(Name);
  }
  Module M = compile(kernel(Signature + ")", Body));
  CHECK(rejected(fuseKernels(M, requestOf(M, C))).Reason ==
        FusionReason::BindingLimit);
  CHECK(reasonFor(kernel("big(y: &mut [f32])",
                         "let mut s = gpu::workgroup_array::<f32, 4100>();\n"
                         "s[gpu::local_id().x] = 1.0;\n"
                         "gpu::workgroup_barrier();\ny[i] = s[3];"),
                  {{"big", {"x"}}, {"big", {"y"}}}) ==
        FusionReason::WorkgroupMemory);
}

TEST_CASE("atomics at the own index are kept, at others refused") {
  std::string Text = kernel("count(c: &mut [u32], x: &[u32], n: u32)",
                            "if i < n { gpu::atomic_add(c, i, x[i]); }") +
                     kernel("use_it(c: &[u32], y: &mut [u32], n: u32)",
                            "if i < n { y[i] = c[i]; }") +
                     kernel("bins(c: &mut [u32], x: &[u32], n: u32)",
                            "if i < n { gpu::atomic_add(c, x[i] & 7, 1); }");
  Module M = compile(Text);
  Chain C = chainOf({{"count", {"t", "x", "n"}},
                     {"count", {"t", "x", "n"}},
                     {"use_it", {"t", "y", "n"}}},
                    40, 48, 48, 48);
  // Only what both read, x.
  CHECK(fused(checkChain(M, C)).Forwarded ==
        std::vector<StageParam>{{0, 1}, {1, 1}});
  CHECK(reasonFor(Text,
                  {{"bins", {"t", "x", "n"}}, {"use_it", {"t", "y", "n"}}}) ==
        FusionReason::Dependence);
}

TEST_CASE("stages that print") {
  std::string Text = kernel("say(x: &[f32], y: &mut [f32], n: u32)",
                            "if i < n { gpu::debug(x[i]); y[i] = x[i]; }");
  CHECK(reasonFor(Text, {{"say", {"x", "t", "n"}}, {"say", {"t", "y", "n"}}}) ==
        FusionReason::Dependence);
  Module M = compile(scale() + Text);
  Chain C = chainOf({{"scale", {"x", "t", "n"}}, {"say", {"t", "y", "n"}}}, 40,
                    48, 48, 48);
  fused(checkChain(M, C));
}

// --- Two axes

namespace {

std::string planes(const std::string &Name, const std::string &Guard,
                   const std::string &Index, const std::string &Value) {
  return "#[goldy::compute(workgroup_size = [4, 4, 1])]\nfn " + Name +
         "(a: &[f32], b: &mut [f32], w: u32, h: u32) {\n"
         "let x = gpu::global_id().x;\nlet y = gpu::global_id().y;\n" +
         Guard + " b[" + Index + "] = " + Value + "; }\n}\n";
}

Chain planeChain(uint32_t W, uint32_t H) {
  Chain C = chainOf(
      {{"first", {"x", "t", "w", "h"}}, {"second", {"t", "y", "w", "h"}}}, 0,
      96, 96, 96);
  C.Scalars = {{"w", W}, {"h", H}, {"l", 96}};
  C.Groups = {3, 2, 1};
  return C;
}

} // namespace

TEST_CASE("rows of a plane") {
  const char *Both = "if x < w && y < h {";
  std::string First = planes("first", Both, "y * w + x", "a[y * w + x] * 2.0");
  for (const char *Guard :
       {Both, "if y >= h || x >= w { return; }\n{", "if y < h { if x < w {"}) {
    std::string End = std::string(Guard).ends_with("w {") ? " }" : "";
    std::string Second =
        planes("second", Guard, "x + w * y", "a[w * y + x] + 1.0");
    if (!End.empty())
      Second.insert(Second.rfind('}'), End);
    Module M = compile(First + Second);
    for (uint32_t W : {0u, 5u, 12u, 20u, 0x80000000u})
      for (uint32_t H : {1u, 7u, 8u, 30u}) {
        const FusedKernel K = fused(checkChain(M, planeChain(W, H)));
        CHECK(K.Fits.size() == 1);
        CHECK(K.Forwarded.size() == 2);
        Chain C = planeChain(W, H);
        C.Temporaries = {{"t", "l"}};
        C.Carried = true;
        CHECK(fused(checkChain(M, C)).Vanished.size() == 1);
      }
  }
}

TEST_CASE("rows of a plane that may be others'") {
  std::string First =
      planes("first", "if x < w && y < h {", "y * w + x", "a[y * w + x] * 2.0");
  auto Reason = [&](const char *Guard, const char *Index) {
    Module M = compile(First + planes("second", Guard, "y * w + x",
                                      std::string("a[") + Index + "] + 1.0"));
    Chain C = planeChain(12, 8);
    return rejected(fuseKernels(M, requestOf(M, C))).Reason;
  };
  CHECK(Reason("if y < h {", "y * w + x") == FusionReason::Dependence);
  CHECK(Reason("if x < w {", "y * w + x") == FusionReason::Dependence);
  CHECK(Reason("if x < h && y < w {", "y * w + x") == FusionReason::Dependence);
  CHECK(Reason("if x < w && y < h {", "x * h + y") == FusionReason::Dependence);
  CHECK(Reason("if x < w && y < h {", "y * w + x + 1") ==
        FusionReason::Dependence);
  CHECK(Reason("if x < w && y < h {", "x") == FusionReason::GridRank);
}

TEST_CASE("a plane of constant size needs no promise") {
  std::string Text = planes("first", "if x < 12 && y < 8 {", "y * 12 + x",
                            "a[y * 12 + x] * 2.0") +
                     planes("second", "if x < 10 && y < 8 {", "y * 12 + x",
                            "a[y * 12 + x] + 1.0");
  Module M = compile(Text);
  CHECK(fused(checkChain(M, planeChain(12, 8))).Fits.empty());
}

// --- Specialisation

TEST_CASE("variants are shared, and the original stays") {
  Module M = compile(scale());
  FuncId K = M.find("scale");
  std::vector<std::optional<uint64_t>> None(3), Ten(3), Eleven(3);
  Ten[2] = 10;
  Eleven[2] = 11;
  CHECK(specialise(M, K, None) == K);
  FuncId A = specialise(M, K, Ten), B = specialise(M, K, Eleven);
  CHECK(A != B);
  CHECK(specialise(M, K, Ten) == A);
  CHECK(M.Functions.size() == 3);
  CHECK(textOf(M, A).find("10u32") != std::string::npos);
  CHECK(M.Functions[A].Params.size() == 3);
  CHECK(textOf(M, K).find("10u32") == std::string::npos);
}

TEST_CASE("names that a user has taken are not taken for the compiler's") {
  std::vector<std::optional<uint64_t>> Ten(3);
  Ten[2] = 10;
  Module First = compile(scale());
  FuncId Variant = specialise(First, First.find("scale"), Ten);
  std::string Name = First.Functions[Variant].Name;
  Module M = compile(scale() + kernel(Name + "(x: &[f32], y: &mut [f32], "
                                             "n: u32)",
                                      "y[i] = 9.0;"));
  FuncId Made = specialise(M, M.find("scale"), Ten);
  CHECK(M.Functions[Made].Name == Name + "_");
  CHECK(textOf(M, Made).find("10u32") != std::string::npos);
  CHECK(specialise(M, M.find("scale"), Ten) == Made);
}
