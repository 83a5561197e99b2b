//===- ProgramMaker.h - Program descriptions of a fuzzer's bytes ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_FUZZ_PROGRAMMAKER_H
#define GOLDYC_FUZZ_PROGRAMMAKER_H

#include "program/Bytes.h"
#include "program/Fields.h"

#include <algorithm>
#include <type_traits>

namespace goldy::program {

/// The bytes of an input; zeros follow them.
class InputBytes {
public:
  InputBytes(const uint8_t *Data, size_t Size) : Data(Data), Size(Size) {}
  bool empty() const { return Size == 0; }
  uint8_t byte() { return Size ? (--Size, *Data++) : 0; }
  uint32_t pair() {
    uint32_t High = byte();
    return High << 8 | byte();
  }
  /// Mostly indices and small sizes, sometimes a power of two or its
  /// neighbour, and 2^62, which is no number.
  Number number() {
    uint8_t B = byte();
    if (B < 0xc0)
      return B < 0x80 ? B & 7 : Number(B - 0x7f) * 8;
    Number N = Number(1) << std::min(B & 63, 62);
    if (byte() & 1)
      --N;
    return byte() & 1 ? -N : N;
  }

private:
  const uint8_t *Data;
  size_t Size;
};

/// Makes values of an input by the lists of fields.
class Maker {
public:
  explicit Maker(InputBytes &In) : In(In) {}
  template <class T> void field(const char *, T &X) { make(X); }
  template <class T, class D> void field(const char *, T &X, const D &) {
    make(X);
  }
  template <class T> void run(T &X) { Fields<T>::visit(*this, X); }

  void make(Number &N) { N = In.number(); }
  void make(std::string &S) {
    S.assign(In.byte(), '\0');
    if (!S.empty())
      S[In.byte() % S.size()] = static_cast<char>(In.byte());
  }
  template <class T> void make(std::vector<T> &List) {
    makeList(List, In.byte() & 7);
  }
  void make(Expression &E) { makeList(E, In.byte() & 31); }
  template <class T, size_t N> void make(std::array<T, N> &List) {
    for (T &X : List)
      make(X);
  }
  template <class T> void make(std::optional<T> &X) {
    if (In.byte() & 1)
      make(X.emplace());
  }
  template <class... A> void make(std::variant<A...> &X) {
    alternative(X, In.byte() % sizeof...(A), std::index_sequence_for<A...>());
  }
  void make(Step &S) { make(S.Kind); }
  void make(Loop &L) {
    if (++Nesting <= MaxDecodedNesting)
      Fields<Loop>::visit(*this, L);
    --Nesting;
  }
  template <class T> void make(T &X) {
    if constexpr (std::is_enum_v<T>)
      X = static_cast<T>(In.byte() % std::size(Enumerators<T>::Names));
    else
      Fields<T>::visit(*this, X);
  }

private:
  template <class T> void makeList(std::vector<T> &List, unsigned N) {
    for (; N && !In.empty() && Budget; --N, --Budget)
      make(List.emplace_back());
  }
  template <class V, size_t... I>
  void alternative(V &X, size_t Number, std::index_sequence<I...>) {
    ((Number == I ? make(X.template emplace<I>()) : void()), ...);
  }

  InputBytes &In;
  unsigned Nesting = 0, Budget = 2000;
};

/// Changes one place of a description: a number, an enumerator, some bytes, an
/// alternative, or a list, which loses, doubles, swaps or gains an element.
/// Places are counted in the order of the fields.
class Editor {
public:
  /// `Target` no place: only counts.
  Editor(size_t Target, InputBytes &In) : Target(Target), In(In) {}
  size_t places() const { return Place; }

  template <class T> void field(const char *, T &X) { edit(X); }
  template <class T, class D> void field(const char *, T &X, const D &) {
    edit(X);
  }
  template <class T> void run(T &X) { Fields<T>::visit(*this, X); }

private:
  bool here() { return Place++ == Target; }

  void edit(Number &N) {
    if (!here())
      return;
    uint8_t How = In.byte();
    if (How < 0x40)
      N = static_cast<Number>(static_cast<uint64_t>(N) + (How & 1 ? 1 : -1));
    else
      N = In.number();
  }
  void edit(std::string &S) {
    if (!here())
      return;
    uint8_t How = In.byte();
    if (S.empty() || How < 0x20)
      S.append(1 + How % 8, static_cast<char>(In.byte()));
    else if (How < 0x40)
      S.resize(S.size() - 1 - In.pair() % S.size());
    else
      S[In.pair() % S.size()] ^= static_cast<char>(1 << (How & 7));
  }
  template <class T> void edit(std::vector<T> &List) {
    if (here())
      editList(List);
    else
      for (T &X : List)
        edit(X);
  }
  template <class T> void editList(std::vector<T> &List) {
    uint8_t How = In.byte() & 3;
    if (List.empty() || How == 0) {
      Maker(In).make(List.emplace_back());
      return;
    }
    size_t A = In.pair() % List.size(), B = In.pair() % List.size();
    if (How == 1)
      List.erase(List.begin() + static_cast<ptrdiff_t>(A));
    else if (How == 2)
      List.push_back(T(List[A]));
    else
      std::swap(List[A], List[B]);
  }
  template <class T, size_t N> void edit(std::array<T, N> &List) {
    for (T &X : List)
      edit(X);
  }
  template <class T> void edit(std::optional<T> &X) {
    if (here())
      Maker(In).make(X);
    else if (X)
      edit(*X);
  }
  template <class... A> void edit(std::variant<A...> &X) {
    if (here())
      Maker(In).make(X);
    else
      std::visit([this](auto &Y) { edit(Y); }, X);
  }
  void edit(Step &S) { edit(S.Kind); }
  template <class T> void edit(T &X) {
    if constexpr (!std::is_enum_v<T>)
      Fields<T>::visit(*this, X);
    else if (here())
      Maker(In).make(X);
  }

  size_t Place = 0, Target;
  InputBytes &In;
};

} // namespace goldy::program

#endif
