//===- fuzz_program.cpp - Program descriptions from any bytes -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An input that begins with a mark or a header is read as it is. Any other one
// makes a description by the lists of fields: every choice of an alternative, a
// count or a number takes bytes of the input, so mutations are descriptions
// too. What was read or made is checked, encoded and printed, and must come
// back.
//
//===----------------------------------------------------------------------===//
#include "ProgramMaker.h"
#include "program/Bytes.h"
#include "program/Check.h"
#include "program/Derived.h"
#include "program/Text.h"

#include <cstdlib>

using namespace goldy::program;

namespace {

void require(bool Holds) {
  if (!Holds)
    std::abort();
}

template <class T> void comesBack(const T &X) {
  T Y, Z;
  std::string Why, Bytes = toBytes(X), Text = toText(X);
  require(fromBytes(Bytes, Y, Why) && Y == X && toBytes(Y) == Bytes);
  require(fromText(Text, Z, Why) && Z == X && toText(Z) == Text);
}

void judge(const ProgramDesc &P) {
  Machine M;
  for (const std::string &Arch : P.Devices)
    M.Devices.push_back({"device", {"*", Arch}, Arch.size() == 3});
  for (Number Id = 0; Id < 8; ++Id)
    M.Rails.push_back({Id, {64, 64, 16}});
  std::optional<Refusal> R = check(P, &M);
  if (!check(P))
    checkConstantHoles(P);
  if (R)
    require(R->Message.starts_with(R->Place) && !R->Message.empty());
}

void judge(const ProgramTemplate &T) {
  if (std::optional<Refusal> R = check(T)) {
    require(R->Message.starts_with(R->Place) && !R->Message.empty());
    return;
  }
  std::vector<uint64_t> Ints(T.Ints.size(), 1000);
  for (const DerivedInt &D : T.Derived) {
    Evaluation E = evaluate(D, Ints);
    if (E.ok())
      Ints[static_cast<size_t>(D.Word)] = E.Value;
    else
      require(!evaluationError(D, E, Ints).empty());
  }
}

template <class T> std::optional<T> read(std::string_view Input) {
  T X;
  std::string Why;
  bool Text = Input.starts_with("#");
  if (Text ? fromText(Input, X, Why) : fromBytes(Input, X, Why)) {
    require(Text || toBytes(X) == Input);
    return X;
  }
  require(Why.starts_with(Text ? "line " : "byte "));
  return std::nullopt;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Input(reinterpret_cast<const char *>(Data), Size);
  if (Input.starts_with(TemplateMark) || Input.starts_with(TemplateHeader)) {
    if (std::optional<ProgramTemplate> T = read<ProgramTemplate>(Input)) {
      comesBack(*T);
      judge(*T);
    }
    return 0;
  }
  if (Input.starts_with("T")) {
    ProgramTemplate T;
    InputBytes In(Data + 1, Size - 1);
    Maker(In).run(T);
    if (!checkNumbers(T))
      comesBack(T);
    judge(T);
    return 0;
  }
  std::optional<ProgramDesc> P;
  InputBytes In(Data, Size);
  if (Input.starts_with(ProgramMark) || Input.starts_with("#"))
    P = read<ProgramDesc>(Input);
  else
    Maker(In).run(P.emplace());
  if (!P)
    return 0;
  if (!checkNumbers(*P))
    comesBack(*P);
  judge(*P);
  return 0;
}
