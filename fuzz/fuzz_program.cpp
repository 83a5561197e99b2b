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
#include "program/Bytes.h"
#include "program/Check.h"
#include "program/Derived.h"
#include "program/Fields.h"
#include "program/Text.h"

#include <cstdlib>
#include <type_traits>

using namespace goldy::program;

namespace {

/// Makes values of the bytes; zeros follow them.
class Maker {
public:
  Maker(const uint8_t *Data, size_t Size) : Data(Data), Size(Size) {}
  template <class T> void field(const char *, T &X) { make(X); }
  template <class T, class D> void field(const char *, T &X, const D &) {
    make(X);
  }
  template <class T> void run(T &X) { Fields<T>::visit(*this, X); }

private:
  uint8_t byte() { return Size ? (--Size, *Data++) : 0; }

  /// Mostly indices and small sizes, sometimes a power of two or its
  /// neighbour, and 2^62, which is no number.
  void make(Number &N) {
    uint8_t B = byte();
    if (B < 0xc0) {
      N = B < 0x80 ? B & 7 : Number(B - 0x7f) * 8;
      return;
    }
    Number Power = Number(1) << std::min(B & 63, 62);
    N = byte() & 1 ? Power - 1 : Power;
    if (byte() & 1)
      N = -N;
  }
  void make(std::string &S) {
    S.assign(byte(), '\0');
    if (!S.empty())
      S[byte() % S.size()] = static_cast<char>(byte());
  }
  template <class T> void make(std::vector<T> &List) {
    for (unsigned N = byte() & 7; N && Size && Budget; --N, --Budget)
      make(List.emplace_back());
  }
  template <class T, size_t N> void make(std::array<T, N> &List) {
    for (T &X : List)
      make(X);
  }
  template <class T> void make(std::optional<T> &X) {
    if (byte() & 1)
      make(X.emplace());
  }
  template <class... A> void make(std::variant<A...> &X) {
    alternative(X, byte() % sizeof...(A), std::index_sequence_for<A...>());
  }
  template <class V, size_t... I>
  void alternative(V &X, size_t Number, std::index_sequence<I...>) {
    ((Number == I ? make(X.template emplace<I>()) : void()), ...);
  }
  void make(Step &S) { make(S.Kind); }
  void make(Loop &L) {
    if (++Nesting <= MaxDecodedNesting)
      Fields<Loop>::visit(*this, L);
    --Nesting;
  }
  void make(Expression &E) {
    for (unsigned N = byte() & 31; N && Size && Budget; --N, --Budget)
      make(E.emplace_back());
  }
  template <class T> void make(T &X) {
    if constexpr (std::is_enum_v<T>)
      X = static_cast<T>(byte() % std::size(Enumerators<T>::Names));
    else
      Fields<T>::visit(*this, X);
  }

  const uint8_t *Data;
  size_t Size;
  unsigned Nesting = 0, Budget = 2000;
};

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
    Maker(Data + 1, Size - 1).run(T);
    if (!checkNumbers(T))
      comesBack(T);
    judge(T);
    return 0;
  }
  std::optional<ProgramDesc> P;
  if (Input.starts_with(ProgramMark) || Input.starts_with("#"))
    P = read<ProgramDesc>(Input);
  else
    Maker(Data, Size).run(P.emplace());
  if (!P)
    return 0;
  if (!checkNumbers(*P))
    comesBack(*P);
  judge(*P);
  return 0;
}
