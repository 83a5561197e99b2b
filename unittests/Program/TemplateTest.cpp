//===- TemplateTest.cpp - Rules of templates ------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sample's template keeps all rules; each test breaks one.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include <catch2/catch.hpp>

using namespace goldy::program;

template <class F>
static void breaks(Rule Broken, const std::string &Start, F Spoil) {
  ProgramTemplate T = sampleTemplate();
  Spoil(T);
  std::optional<Refusal> R = check(T);
  INFO(Start);
  REQUIRE(R);
  INFO(R->Message);
  CHECK(R->Broken == Broken);
  CHECK(R->Message.starts_with(Start));
  CHECK(R->Message.ends_with(ruleInfo(Broken).Sentence));
}

TEST_CASE("the sample's template keeps every rule") {
  std::optional<Refusal> R = check(sampleTemplate());
  CHECK((R ? R->Message : "") == "");
  ProgramTemplate T = sampleTemplate();
  T.Images[0].Device = 2;
  CHECK(check(T)->Place == "images[0].device");
}

TEST_CASE("numbers of a template are checked before anything else") {
  breaks(Rule::NumberRange, "types[1].count: the number",
         [](ProgramTemplate &T) {
           std::get<VectorType>(T.Types[1]).Count = NumberMax + 1;
         });
}

TEST_CASE("P60 names of a template are its own") {
  auto Names = [](const char *Start, auto Spoil) {
    breaks(Rule::TemplateNames, Start, Spoil);
  };
  Names("devices[1]: `host` again",
        [](ProgramTemplate &T) { T.Devices[1] = "host"; });
  Names("devices[0]: no name", [](ProgramTemplate &T) { T.Devices[0] = ""; });
  Names("inputs[1]: `x` again",
        [](ProgramTemplate &T) { T.Inputs[1].Name = "x"; });
  Names("inputs[0]: no name",
        [](ProgramTemplate &T) { T.Inputs[0].Name = ""; });
  Names("inputs[2]: a sized input with the name `t`",
        [](ProgramTemplate &T) { T.Inputs[2].Name = "t"; });
  Names("ints[2]: `n` again",
        [](ProgramTemplate &T) { T.Ints[2] = NamedInt{"n", Scalar::U32}; });
  Names("ints[0]: `p` again",
        [](ProgramTemplate &T) { T.Ints[0] = NamedInt{"p", Scalar::U32}; });
  Names("ints[0]: no name", [](ProgramTemplate &T) { T.Ints[0] = NamedInt{}; });
}

TEST_CASE("P61 types are of earlier types") {
  auto Type = [](size_t I, ElementType X) {
    breaks(Rule::TemplateTypes, "types[" + std::to_string(I) + "]: not a type",
           [&](ProgramTemplate &T) { T.Types[I] = X; });
  };
  Type(1, VectorType{1, 4});
  Type(1, VectorType{-1, 4});
  Type(1, VectorType{0, 5});
  Type(1, VectorType{0, 1});
  Type(2, VectorType{1, 2});
  Type(2, ArrayType{0, 0});
  Type(2, ArrayType{0, Number(1) << 32});
  Type(2, ArrayType{2, 1});
  Type(3, StructType{"P", {}});
  Type(3, StructType{"", {{"a", 0}}});
  Type(3, StructType{"P", {{"a", 0}, {"a", 0}}});
  Type(3, StructType{"P", {{"", 0}}});
  Type(3, StructType{"P", {{"a", 3}}});
  breaks(Rule::TemplateTypes, "types[20]: not a type", [](ProgramTemplate &T) {
    for (Number I = 4; I <= 20; ++I)
      T.Types.push_back(ArrayType{I == 4 ? 0 : I - 1, 1});
  });
}

TEST_CASE("layouts follow the rule of buffers") {
  std::vector<ElementType> Types{
      Scalar::Bool,
      Scalar::U64,
      Scalar::F16,
      VectorType{0, 3},
      StructType{"S", {{"h", 2}, {"v", 3}, {"d", 1}, {"t", 2}}},
      ArrayType{4, 2}};
  std::vector<TypeLayout> L = layoutsOf(Types);
  REQUIRE(L.size() == 6);
  CHECK(L[0].Size == 4);
  CHECK(L[1].Align == 8);
  CHECK(L[2].Stride == 2);
  CHECK(L[3].Size == 12);
  CHECK(L[3].Align == 4);
  CHECK(L[4].Size == 32); // h 0, v 4, d 16, t 24
  CHECK(L[4].Align == 8);
  CHECK(L[5].Stride == 64);
  CHECK(L[5].Depth == 3);
  CHECK(typeName(Types, 0) == "bool");
  CHECK(typeName(Types, 2) == "gpu::f16");
  CHECK(typeName(Types, 3) == "gpu::Bool3");
  CHECK(typeName(Types, 5) == "[S; 2]");
}

TEST_CASE("P62 inputs have types and sizes as their form has it") {
  auto Input = [](const char *Start, auto Spoil) {
    breaks(Rule::TemplateInputs, Start, Spoil);
  };
  Input("inputs[0].type: type 4 of 4",
        [](ProgramTemplate &T) { T.Inputs[0].Type = 4; });
  Input("inputs[1]: a uniform without a type",
        [](ProgramTemplate &T) { T.Inputs[1].Type.reset(); });
  Input("inputs[2]: a sized input without a size",
        [](ProgramTemplate &T) { T.Inputs[2].Size.reset(); });
  Input("inputs[0]: a size on `x`",
        [](ProgramTemplate &T) { T.Inputs[0].Size = 4; });
  Input("inputs[2].size: int 6 of 6",
        [](ProgramTemplate &T) { T.Inputs[2].Size = 6; });
}

TEST_CASE("P63 ints that the frame writes") {
  auto Int = [](const char *Start, size_t Word, TemplateInt X) {
    breaks(Rule::TemplateInts, Start,
           [&](ProgramTemplate &T) { T.Ints[Word] = X; });
  };
  Int("ints[0]: `u8`", 0, NamedInt{"n", Scalar::U8});
  Int("ints[3]: the length of input 3 of 3", 3, LengthInt{3});
  Int("ints[3]: the length of input 1, which is no slice", 3, LengthInt{1});
  Int("ints[3]: the length of input 0 again", 1, LengthInt{0});
  Int("ints[5]: input 2, which is sized", 5, OverlapInt{0, 2});
  Int("ints[5]: input -1 of 3", 5, OverlapInt{-1, 0});
}

TEST_CASE("P64 derived ints rest on what is written before") {
  auto Derived = [](const char *Start, auto Spoil) {
    breaks(Rule::DerivedOrder, Start, Spoil);
  };
  Derived("derived[0].word: int 0, which is written already",
          [](ProgramTemplate &T) { T.Derived[0].Word = 0; });
  Derived("derived[1].word: int 4, which is written already",
          [](ProgramTemplate &T) { T.Derived.push_back(T.Derived[0]); });
  Derived("derived[0].is[0]: int 1, which is not written before",
          [](ProgramTemplate &T) { T.Derived[0].Is[0] = IntWord{1}; });
  Derived("derived[0].is[0]: int 4, which is not written before",
          [](ProgramTemplate &T) { T.Derived[0].Is[0] = IntWord{4}; });
  breaks(Rule::DerivedWord, "derived[0].word: int 6 of 6",
         [](ProgramTemplate &T) { T.Derived[0].Word = 6; });
  breaks(Rule::ExpressionForm, "derived[0].is: 2 values",
         [](ProgramTemplate &T) { T.Derived[0].Is.pop_back(); });
}

TEST_CASE("a message about a step says where it was written") {
  ProgramTemplate T = sampleTemplate();
  CHECK(originOf(T, "steps[0].parts[1].groups[0]: 3") == "mlp.goldy:12:5");
  CHECK(originOf(T, "steps[0].parts[12]: no") == "");
  CHECK(originOf(T, "steps[1].body[0].parts[0], device 1") == "mlp.goldy:15:9");
  CHECK(originOf(T, "steps[1].body[1]") == "mlp.goldy:14:5");
  CHECK(originOf(T, "steps[10]") == "");
  CHECK(originOf(T, "inputs[0]") == "");
}
