//===- Frames.cpp - Random frames of a program ----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Frames.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

using namespace frames;

namespace {

/// SplitMix64.
class Random {
public:
  Random(uint64_t Seed, uint64_t Run)
      : State(Seed * 0x9e3779b97f4a7c15 ^ Run * 0xd1342543de82ef95) {}
  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
    return Z ^ Z >> 31;
  }
  /// A whole number of the range.
  int64_t whole(double Lo, double Hi) {
    uint64_t Count = static_cast<uint64_t>(Hi - Lo) + 1;
    return static_cast<int64_t>(Lo) + static_cast<int64_t>(next() % Count);
  }
  float between(double Lo, double Hi) {
    double Unit = static_cast<double>(next() >> 11) * 0x1p-53;
    return static_cast<float>(Lo + Unit * (Hi - Lo));
  }

private:
  uint64_t State;
};

bool numberOf(std::string_view Text, double &Out) {
  auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Out);
  return Error == std::errc() && End == Text.data() + Text.size();
}

/// Floats of all kinds, mostly of use; other types are bits.
uint32_t word(goldy_type_kind_t Kind, Random &R) {
  uint64_t Bits = R.next();
  uint32_t Word = static_cast<uint32_t>(Bits);
  if (Kind != GOLDY_TYPE_F32 && Kind != GOLDY_TYPE_VECTOR)
    return Word;
  switch (Bits >> 59) {
  case 0: // any bits: infinities, NaNs, subnormals
    return Word;
  case 1:
    return Word & 0x80000000;
  case 2: // near a subnormal
    return (Word & 0x80ffffff) | 0x00400000;
  default:
    return std::bit_cast<uint32_t>(R.between(-8, 8));
  }
}

std::vector<std::byte> content(const Parameter &P, uint64_t Count, Random &R) {
  std::vector<std::byte> Bytes(Count * P.Stride);
  for (size_t At = 0; At < Bytes.size(); At += 4) {
    uint32_t Word = word(P.Kind, R);
    std::memcpy(&Bytes[At], &Word, std::min<size_t>(4, Bytes.size() - At));
  }
  return Bytes;
}

uint64_t scalar(const Parameter &P, const Spec &S, Random &R) {
  if (P.Kind == GOLDY_TYPE_F32)
    return std::bit_cast<uint32_t>(R.between(S.Lo, S.Hi));
  if (P.Kind == GOLDY_TYPE_BOOL)
    return R.next() & 1;
  uint64_t Bits = static_cast<uint64_t>(R.whole(S.Lo, S.Hi));
  bool Wide = P.Kind == GOLDY_TYPE_U64 || P.Kind == GOLDY_TYPE_I64;
  return Wide ? Bits : static_cast<uint32_t>(Bits);
}

std::optional<size_t> named(const std::vector<Parameter> &Params,
                            const std::string &Name) {
  for (size_t I = 0; I < Params.size(); ++I)
    if (Params[I].Name == Name)
      return I;
  return std::nullopt;
}

Spec specOf(const Parameter &P, const Specs &How) {
  auto Found = How.find(P.Name);
  if (Found != How.end())
    return Found->second;
  Spec Usual;
  Usual.Hi = P.IsBuffer ? 300 : 64;
  return Usual;
}

} // namespace

bool frames::addSpec(const std::string &Text, Specs &Out, std::string &Why) {
  size_t At = Text.find('=');
  std::string Value = At == Text.npos ? "" : Text.substr(At + 1);
  Spec &S = Out[Text.substr(0, At)];
  size_t Dots = Value.find(".."), Times = Value.find('*');
  bool Good = !Value.empty();
  if (Good && Value[0] == '&') {
    S.Alias = Value.substr(1);
  } else if (Dots != Value.npos) {
    Good = numberOf(Value.substr(0, Dots), S.Lo) &&
           numberOf(Value.substr(Dots + 2), S.Hi) && S.Lo <= S.Hi;
  } else if (Times != Value.npos) {
    Good = numberOf(Value.substr(0, Times), S.Lo);
    S.Named = Value.substr(Times + 1);
  } else if (!numberOf(Value, S.Lo)) {
    S.Lo = 1;
    S.Named = Value;
  } else {
    S.Hi = S.Lo;
  }
  if (!Good)
    Why = "expected NAME=LO..HI, NAME=NUMBER, NAME=[NUMBER*]NAME or "
          "NAME=&NAME, found `" +
          Text + "`";
  return Good;
}

std::vector<Parameter> frames::parametersOf(const goldy::ProgramTemplate &T) {
  std::vector<Parameter> Out;
  for (size_t I = 0; I < T.info().int_count; ++I)
    Out.push_back(Parameter{T.intInfo(I).name, false,
                            goldy_type_kind(T.intInfo(I).type), 0});
  for (size_t I = 0; I < T.info().input_count; ++I) {
    const goldy_type_t *Type = T.input(I).type;
    Out.push_back({T.input(I).name, true,
                   Type ? goldy_type_kind(Type) : GOLDY_TYPE_U8,
                   Type ? goldy_type_stride(Type) : 1, T.input(I).device});
  }
  return Out;
}

bool frames::drawFrame(const std::vector<Parameter> &Params, const Specs &How,
                       uint64_t Seed, uint64_t Run, Frame &Out,
                       std::string &Why) {
  Random R(Seed, Run);
  Out.assign(Params.size(), {});
  for (const auto &[Name, S] : How)
    for (const std::string *Other : {&Name, &S.Named, &S.Alias})
      if (!Other->empty() && !named(Params, *Other)) {
        Why = "the program has no parameter `" + *Other + "`";
        return false;
      }
  for (size_t I = 0; I < Params.size(); ++I) {
    const Parameter &P = Params[I];
    Spec S = specOf(P, How);
    if (!P.IsBuffer) {
      Out[I].Bits = scalar(P, S, R);
      continue;
    }
    if (!S.Alias.empty()) {
      Out[I].Alias = named(Params, S.Alias);
      continue;
    }
    uint64_t Count =
        S.Named.empty()
            ? static_cast<uint64_t>(R.whole(S.Lo, S.Hi))
            : static_cast<uint64_t>(S.Lo) * Out[*named(Params, S.Named)].Bits;
    Out[I].Bytes = content(P, Count, R);
  }
  return true;
}
