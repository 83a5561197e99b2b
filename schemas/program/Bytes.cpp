//===- Bytes.cpp - Descriptions as bytes ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two visitors over the lists of Fields.h. The decoder goes on with empty
// values after its first failure and does nothing more.
//
//===----------------------------------------------------------------------===//
#include "program/Bytes.h"

#include "program/Fields.h"
#include "program/Numbers.h"
#include "program/Place.h"

#include <cstring>
#include <type_traits>

using namespace goldy::program;

namespace {

template <class V> inline constexpr unsigned SumSize = 0;
template <class... A>
inline constexpr unsigned SumSize<std::variant<A...>> = sizeof...(A);

//===-- Encoding ----------------------------------------------------------===//

class Encoder {
public:
  explicit Encoder(std::string_view Mark) : Out(Mark) {
    for (unsigned I = 0; I < 4; ++I)
      Out += static_cast<char>(FormatVersion >> (8 * I));
  }
  template <class T> void field(const char *, const T &X) { put(X); }
  template <class T, class D> void field(const char *, const T &X, const D &) {
    put(X);
  }
  template <class T> std::string run(const T &X) {
    Fields<T>::visit(*this, X);
    return std::move(Out);
  }

private:
  void natural(uint64_t N) {
    for (; N >= 0x80; N >>= 7)
      Out += static_cast<char>(N | 0x80);
    Out += static_cast<char>(N);
  }
  void put(const Number &N) {
    natural(static_cast<uint64_t>(N) << 1 ^ static_cast<uint64_t>(N >> 63));
  }
  void put(const std::string &S) {
    natural(S.size());
    Out += S;
  }
  template <class T> void put(const std::vector<T> &List) {
    natural(List.size());
    for (const T &X : List)
      put(X);
  }
  template <class T, size_t N> void put(const std::array<T, N> &List) {
    for (const T &X : List)
      put(X);
  }
  template <class T> void put(const std::optional<T> &X) {
    Out += static_cast<char>(X.has_value());
    if (X)
      put(*X);
  }
  template <class... A> void put(const std::variant<A...> &X) {
    Out += static_cast<char>(X.index());
    std::visit([this](const auto &Y) { this->put(Y); }, X);
  }
  void put(const Value &X) {
    const Leaf *L = std::get_if<Leaf>(&X);
    Out += static_cast<char>(X.index() + (L ? L->index() : 0));
    if (L)
      std::visit([this](const auto &Y) { this->put(Y); }, *L);
    else if (const IntWord *I = std::get_if<IntWord>(&X))
      put(*I);
    else
      put(std::get<Fixed>(X));
  }
  void put(const Step &S) { put(S.Kind); }
  template <class T> void put(const T &X) {
    if constexpr (std::is_enum_v<T>)
      Out += static_cast<char>(X);
    else
      Fields<T>::visit(*this, X);
  }

  std::string Out;
};

//===-- Decoding ----------------------------------------------------------===//

class Decoder {
public:
  Decoder(std::string_view Bytes, std::string &Why) : Bytes(Bytes), Why(Why) {}

  template <class T> void field(const char *Name, T &X) {
    Place Here{At, Name};
    At = &Here;
    get(X);
    At = Here.Up;
  }
  template <class T, class D> void field(const char *Name, T &X, const D &) {
    field(Name, X);
  }

  template <class T> bool run(std::string_view Mark, const char *What, T &Out) {
    if (!header(Mark, What))
      return false;
    Fields<T>::visit(*this, Out);
    if (!Failed && Next != Bytes.size())
      fail(std::to_string(Bytes.size() - Next) +
           " bytes follow the description");
    return !Failed;
  }

private:
  bool header(std::string_view Mark, const char *What) {
    if (!Bytes.starts_with(Mark))
      return fail(std::string("not ") + What + ": the mark `" +
                  std::string(Mark) + "` is missing");
    Next = 4;
    if (Bytes.size() < 8)
      return fail("the version is cut off");
    uint32_t Version = 0;
    for (unsigned I = 0; I < 4; ++I, ++Next)
      Version |= uint32_t(static_cast<unsigned char>(Bytes[Next])) << (8 * I);
    if (Version == FormatVersion)
      return true;
    Next = 4;
    return fail("the format's version is " + std::to_string(Version) +
                "; this library reads version " +
                std::to_string(FormatVersion));
  }

  bool fail(const std::string &What) {
    if (!Failed) {
      std::string Where = At ? At->text() : "";
      Why = "byte " + std::to_string(Next) + (Where.empty() ? "" : ", ") +
            Where + ": " + What;
    }
    Failed = true;
    return false;
  }

  bool byte(unsigned char &Out) {
    if (Failed)
      return false;
    if (Next == Bytes.size())
      return fail("the bytes end here");
    Out = static_cast<unsigned char>(Bytes[Next++]);
    return true;
  }

  /// At most 63 bits.
  bool natural(uint64_t &Out) {
    size_t Start = Next;
    uint64_t N = 0;
    for (unsigned Shift = 0;; Shift += 7) {
      unsigned char B = 0;
      if (!byte(B))
        return false;
      N |= uint64_t(B & 0x7f) << Shift;
      if (B < 0x80) {
        if (B == 0 && Shift)
          return refuseAt(Start, "a number that is not in its shortest form");
        break;
      }
      if (Shift == 56)
        return refuseAt(Start, "a number of more than 63 bits");
    }
    Out = N;
    return true;
  }
  bool refuseAt(size_t Start, const std::string &What) {
    Next = Start;
    return fail(What);
  }

  /// A count of things that take a byte or more each.
  bool count(uint64_t &Out, const char *What) {
    size_t Start = Next;
    if (!natural(Out))
      return false;
    if (Out <= Bytes.size() - Next)
      return true;
    return refuseAt(Start, std::to_string(Out) + " " + What + " where " +
                               std::to_string(Bytes.size() - Next) +
                               " bytes are left");
  }

  void get(Number &N) {
    uint64_t U = 0;
    if (natural(U))
      N = static_cast<int64_t>(U >> 1) ^ -static_cast<int64_t>(U & 1);
  }
  void get(std::string &S) {
    uint64_t N = 0;
    if (!count(N, "bytes"))
      return;
    S = Bytes.substr(Next, N);
    Next += N;
  }
  template <class T> void get(std::vector<T> &List) {
    uint64_t N = 0;
    if (!count(N, "elements"))
      return;
    const Place *Field = At;
    Place Here = *Field;
    At = &Here;
    for (Here.Index = 0; Here.Index < N && charge(); ++Here.Index)
      get(List.emplace_back());
    At = Field;
  }
  template <class T, size_t N> void get(std::array<T, N> &List) {
    const Place *Field = At;
    Place Here = *Field;
    At = &Here;
    for (Here.Index = 0; Here.Index < N; ++Here.Index)
      get(List[Here.Index]);
    At = Field;
  }
  bool charge() {
    if (!Failed && ++Elements > MaxElements)
      fail("more than " + std::to_string(MaxElements) +
           " elements in all lists, the limit");
    return !Failed;
  }
  template <class T> void get(std::optional<T> &X) {
    unsigned char B = 0;
    if (!byte(B))
      return;
    if (B > 1) {
      refuseAt(Next - 1, "expected 0 or 1, got " + std::to_string(B));
      return;
    }
    if (B)
      get(X.emplace());
  }
  bool tag(unsigned char &Out, unsigned Count, const char *What) {
    if (!byte(Out))
      return false;
    return Out < Count || refuseAt(Next - 1, std::string("unknown ") + What +
                                                 " " + std::to_string(Out));
  }
  template <class... A> void get(std::variant<A...> &X) {
    unsigned char B = 0;
    if (tag(B, sizeof...(A), "alternative"))
      alternative(X, B, std::index_sequence_for<A...>());
  }
  template <class V, size_t... I>
  void alternative(V &X, unsigned Number, std::index_sequence<I...>) {
    ((Number == I ? get(X.template emplace<I>()) : void()), ...);
  }
  void get(Value &X) {
    constexpr unsigned Own = SumSize<Value> - 1;
    unsigned char B = 0;
    if (!tag(B, Own + SumSize<Leaf>, "alternative"))
      return;
    if (B >= Own)
      alternative(X.emplace<Leaf>(), B - Own,
                  std::make_index_sequence<SumSize<Leaf>>());
    else if (B == 0)
      get(X.emplace<Fixed>());
    else
      get(X.emplace<IntWord>());
  }
  void get(Step &S) { get(S.Kind); }
  void get(Loop &L) {
    if (++Nesting > MaxDecodedNesting)
      fail("loops nest deeper than 16");
    else
      Fields<Loop>::visit(*this, L);
    --Nesting;
  }
  template <class T> void get(T &X) {
    if constexpr (std::is_enum_v<T>) {
      unsigned char B = 0;
      if (tag(B, std::size(Enumerators<T>::Names), "value"))
        X = static_cast<T>(B);
    } else {
      Fields<T>::visit(*this, X);
    }
  }

  std::string_view Bytes;
  std::string &Why;
  const Place *At = nullptr;
  size_t Next = 0;
  uint64_t Elements = 0;
  unsigned Nesting = 0;
  bool Failed = false;
};

} // namespace

std::string goldy::program::toBytes(const ProgramDesc &P) {
  return Encoder(ProgramMark).run(P);
}
std::string goldy::program::toBytes(const ProgramTemplate &T) {
  return Encoder(TemplateMark).run(T);
}
bool goldy::program::fromBytes(std::string_view Bytes, ProgramDesc &Out,
                               std::string &Why) {
  return Decoder(Bytes, Why).run(ProgramMark, "a program description", Out);
}
bool goldy::program::fromBytes(std::string_view Bytes, ProgramTemplate &Out,
                               std::string &Why) {
  return Decoder(Bytes, Why).run(TemplateMark, "a program template", Out);
}
