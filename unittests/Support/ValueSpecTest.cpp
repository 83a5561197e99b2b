//===- ValueSpecTest.cpp - Values on the command line, .npy files
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/ValueSpec.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>

using namespace goldy;

namespace {

std::string whyNot(std::string_view Text) {
  std::string Why;
  REQUIRE_FALSE(parseValueSpec(Text, Why));
  return Why;
}

std::vector<uint32_t> words(const npy::Array &A) {
  std::vector<uint32_t> Out(A.Data.size() / 4);
  std::memcpy(Out.data(), A.Data.data(), Out.size() * 4);
  return Out;
}

std::vector<uint32_t> made(std::string_view Text) {
  std::string Why;
  std::optional<ValueSpec> S = parseValueSpec(Text, Why);
  INFO(Why);
  REQUIRE(S);
  std::optional<npy::Array> A = makeArray(*S, Why);
  REQUIRE(A);
  return words(*A);
}

uint64_t bitsOf(std::string_view Text, Scalar S) {
  std::string Why;
  std::optional<uint64_t> Bits = scalarFromText(Text, S, Why);
  INFO(Text << " " << Why);
  REQUIRE(Bits);
  return *Bits;
}

std::optional<npy::Array> decodeText(const std::string &Text,
                                     std::string &Why) {
  return npy::decode(std::as_bytes(std::span(Text.data(), Text.size())), Why);
}

/// A version 1 file with this dictionary and data.
std::string fileWith(const std::string &Dictionary, const std::string &Data) {
  std::string Out = "\x93NUMPY";
  Out += '\1';
  Out += '\0';
  Out += static_cast<char>(Dictionary.size() & 0xff);
  Out += static_cast<char>(Dictionary.size() >> 8);
  return Out + Dictionary + Data;
}

std::string refusal(const std::string &Dictionary) {
  std::string Why;
  CHECK_FALSE(decodeText(fileWith(Dictionary, ""), Why));
  return Why;
}

} // namespace

TEST_CASE("numbers are read into the type's bits") {
  CHECK(bitsOf("2.5", Scalar::F32) == 0x40200000);
  CHECK(bitsOf("-0", Scalar::F32) == 0x80000000);
  CHECK(bitsOf("nan", Scalar::F32) == 0x7fc00000);
  CHECK(bitsOf("-inf", Scalar::F32) == 0xff800000);
  CHECK(bitsOf("1e-45", Scalar::F32) == 1);
  CHECK(bitsOf("1e-60", Scalar::F32) == 0);
  std::string Why;
  CHECK_FALSE(scalarFromText("1e60", Scalar::F32, Why));
  CHECK(Why == "`1e60` is out of range for f32");
  CHECK(bitsOf("0x10", Scalar::F32) == 0x41800000);
  CHECK(bitsOf("0xffffffff", Scalar::U32) == 0xffffffff);
  CHECK(bitsOf("-1", Scalar::I32) == 0xffffffff);
  CHECK(bitsOf("-128", Scalar::I8) == 0x80);
  CHECK(bitsOf("true", Scalar::Bool) == 1);
  CHECK(bitsOf("1.0", Scalar::F16) == 0x3c00);
  CHECK(bitsOf("65504", Scalar::F16) == 0x7bff);
  CHECK_FALSE(scalarFromText("65520", Scalar::F16, Why));
  CHECK(bitsOf("6e-8", Scalar::F16) == 1);
  CHECK(bitsOf("1.0", Scalar::BF16) == 0x3f80);
  CHECK_FALSE(scalarFromText("-1", Scalar::U32, Why));
  CHECK(Why == "`-1` is out of range for u32");
  CHECK_FALSE(scalarFromText("2.5", Scalar::U32, Why));
  CHECK(Why == "`2.5` is no u32");
  CHECK_FALSE(scalarFromText("4294967296", Scalar::U32, Why));
  CHECK_FALSE(scalarFromText("99999999999999999999", Scalar::U64, Why));
}

TEST_CASE("generated buffers") {
  CHECK(made("u32[3]=1,2,3") == std::vector<uint32_t>{1, 2, 3});
  CHECK(made("f32[2,2]=1.5") == std::vector<uint32_t>(4, 0x3fc00000));
  CHECK(made("i32[3]:iota") == std::vector<uint32_t>{0, 1, 2});
  CHECK(made("f32[3]:iota") ==
        std::vector<uint32_t>{0, 0x3f800000, 0x40000000});
  // The first outputs of PCG32 for seed 42 on stream 54.
  CHECK(made("u32[3]:random:42") ==
        std::vector<uint32_t>{0xa15c02b7, 0x7b47f409, 0xba1d3330});
  CHECK(made("u32[0]=0").empty());
}

TEST_CASE("values that are refused say why") {
  CHECK(whyNot("") == "the value is missing");
  CHECK(whyNot("u32[2]=1,2,3") ==
        "the shape has 2 elements, but 3 values are listed");
  CHECK(whyNot("f64[2]=1") == "unknown element type `f64`");
  CHECK(whyNot("u32[99999999999,9999]=1") ==
        "shape `[99999999999,9999]` is too large");
  CHECK(whyNot("u32[3]") ==
        "expected `=VALUES`, `:iota` or `:random:SEED` after the shape");
  CHECK(
      whyNot("@x.npy[slice=1]") ==
      "unknown view `slice`, expected transpose, narrow, broadcast or offset");
  CHECK(whyNot("hello") == "`hello` is no number, `true`, `false`, "
                           "`@file.npy`, `TYPE[SHAPE]=…` or `&PARAM`");
}

TEST_CASE("views compose in the order written") {
  std::string Why;
  std::optional<ValueSpec> S = parseValueSpec(
      "@x.npy[transpose=1,0][narrow=0:1:2][broadcast=4,_,_]", Why);
  REQUIRE(S);
  CHECK(S->Text == "x.npy");
  StridedView V = wholeView({3, 5});
  REQUIRE(applyViews(S->Views, V, Why));
  CHECK(V.Offset == 1);
  CHECK(V.Shape == std::vector<uint64_t>{4, 2, 3});
  CHECK(V.Strides == std::vector<uint64_t>{0, 1, 5});
  V = wholeView({2});
  CHECK_FALSE(applyViews(S->Views, V, Why));
}

TEST_CASE("a structured .npy round-trips with its offsets") {
  npy::DType Pair{npy::Kind::Struct, 12, {}};
  Pair.Fields.push_back({"a", npy::floatType(4), {}, 0});
  Pair.Fields.push_back({"n", npy::uintType(2), {2}, 6});
  std::vector<std::byte> Data(24, std::byte{7});
  std::string Path = (std::filesystem::temp_directory_path() /
                      "goldy-structured-roundtrip.npy")
                         .string();
  std::string Why;
  std::vector<uint64_t> Shape{2};
  REQUIRE(npy::writeFile(Path, Pair, Shape, Data, Why));
  std::optional<npy::Array> Back = npy::readFile(Path, Why);
  std::filesystem::remove(Path);
  INFO(Why);
  REQUIRE(Back);
  CHECK(Back->Type == Pair);
  CHECK(Back->Shape == Shape);
  CHECK(Back->Data == Data);
  CHECK(npy::descr(Pair) == "[('a', '<f4'), ('', '|V2'), ('n', '<u2', (2,)), "
                            "('', '|V2')]");
}

TEST_CASE(".npy files that are refused are named") {
  std::string Why;
  CHECK_FALSE(decodeText("", Why));
  CHECK(Why == "is not a .npy file");
  CHECK(refusal("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}") ==
        "holds Python objects (`|O`), which are not supported");
  CHECK(refusal("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}") ==
        "is in Fortran order; save it in C order (`numpy.ascontiguousarray`)");
  CHECK(refusal("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}") ==
        "holds big-endian elements (`>f4`); convert them to little-endian "
        "first");
  CHECK(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}") ==
        "holds 0 bytes of data where its shape needs 4");
  CHECK(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': "
                "(99999999999, 99999999)}") ==
        "states a shape that is too large");
  CHECK(refusal("{'descr': '<f4', 'shape': (1,)}") ==
        "has a malformed .npy header");
  CHECK(refusal(std::string(3000, '(')) == "has a malformed .npy header");
  CHECK(refusal("{'descr': [('a', '<f4', (99999999999,99999999))], "
                "'fortran_order': False, 'shape': (1,)}") ==
        "has an element type that is too large");
}
