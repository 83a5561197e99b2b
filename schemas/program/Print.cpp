//===- Print.cpp - The text form of a description -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fits stands on one line. That is tried first: the attempt stops at the
// line's end, so every value is walked a bounded number of times.
//
//===----------------------------------------------------------------------===//
#include "program/Bytes.h"
#include "program/Fields.h"
#include "program/Place.h"
#include "program/Text.h"

#include <algorithm>
#include <type_traits>

using namespace goldy::program;

namespace {

constexpr size_t LineWidth = 100, HexLine = 32;

/// Elements that get a comment with their place, when on lines of their own.
template <class T>
inline constexpr bool Located =
    std::is_same_v<T, Memory> || std::is_same_v<T, Image> ||
    std::is_same_v<T, TemplateImage> || std::is_same_v<T, Step> ||
    std::is_same_v<T, Part> || std::is_same_v<T, Slot>;

class Printer {
public:
  template <class T> void field(const char *Name, const T &X) {
    if (Overflow)
      return;
    Place Here{At, Name};
    At = &Here;
    if (!Bare)
      begin(), Out.append(Name).append(": ");
    bool Saved = std::exchange(Bare, false);
    value(X);
    Bare = Saved;
    At = Here.Up;
  }
  template <class T, class D>
  void field(const char *Name, const T &X, const D &Default) {
    if (Bare || !(X == Default))
      field(Name, X);
  }

  template <class T> std::string run(std::string_view Header, const T &X) {
    Out.append(Header).append(std::to_string(FormatVersion)).append(")]");
    Fields<T>::visit(*this, X);
    Out += ",\n";
    return std::move(Out);
  }

private:
  /// Before a field or an element: what parts it from the one before, and the
  /// line that it begins.
  void begin() {
    if (!First)
      Out += ',';
    if (!Inline)
      newLine();
    else
      Out += ' ';
    First = false;
  }
  void newLine() {
    Out += '\n';
    Out.append(2 * Depth, ' ');
    LineStart = Out.size() - 2 * Depth;
  }
  size_t width() const { return Out.size() - LineStart; }

  /// Prints `Body` between brackets on this line if it fits, else over lines.
  template <class F> void bracketed(char Open, char Close, F Body) {
    if (Overflow)
      return;
    bool Outermost = !Inline;
    size_t Start = Out.size();
    if (Outermost)
      Inline = true;
    inlined(Open, Close, Body);
    Overflow = Overflow || width() > LineWidth;
    if (!Outermost)
      return;
    Inline = false;
    if (!std::exchange(Overflow, false))
      return;
    Out.resize(Start);
    bool Saved = std::exchange(First, true);
    Out += Open;
    ++Depth;
    Body();
    Out += ',';
    --Depth;
    newLine();
    Out += Close;
    First = Saved;
  }
  template <class F> void inlined(char Open, char Close, F &Body) {
    bool Saved = std::exchange(First, true);
    Out += Open;
    Body();
    if (!First && Open == '{')
      Out += ' ';
    Out += Close;
    First = Saved;
  }

  void value(const Number &N) { Out += std::to_string(N); }
  void value(const std::string &S) {
    Out += '"';
    for (char C : S)
      escaped(static_cast<unsigned char>(C));
    Out += '"';
  }
  void escaped(unsigned char C) {
    static constexpr char Hex[] = "0123456789abcdef";
    if (C == '"' || C == '\\')
      (Out += '\\') += static_cast<char>(C);
    else if (C == '\n')
      Out += "\\n";
    else if (C < 0x20 || C >= 0x7f)
      ((Out += "\\x") += Hex[C >> 4]) += Hex[C & 15];
    else
      Out += static_cast<char>(C);
  }

  /// `hex"0000803f 01000000"`, 32 bytes a line if there are more.
  void bytes(const std::string &S) {
    static constexpr char Hex[] = "0123456789abcdef";
    if (Inline && S.size() > HexLine) {
      Overflow = true;
      return;
    }
    Out += "hex\"";
    ++Depth;
    for (size_t I = 0; I < S.size(); ++I) {
      if (S.size() > HexLine && I % HexLine == 0)
        newLine();
      else if (I && I % 4 == 0)
        Out += ' ';
      unsigned char C = static_cast<unsigned char>(S[I]);
      (Out += Hex[C >> 4]) += Hex[C & 15];
    }
    --Depth;
    if (S.size() > HexLine)
      newLine();
    Out += '"';
  }

  template <class T> void element(const T &X, size_t Number) {
    if (Overflow)
      return;
    Place Here{At->Up, At->Field, Number};
    const Place *Field = std::exchange(At, &Here);
    if constexpr (Located<T>)
      if (!Inline) {
        if (!First)
          Out += ',';
        First = true;
        newLine();
        Out += "// " + Here.text();
      }
    if (Inline && First)
      First = false; // no blank behind `[`
    else
      begin();
    value(X);
    At = Field;
  }
  template <class List> void list(const List &L) {
    if (L.empty()) {
      Out += "[]";
      return;
    }
    bracketed('[', ']', [&] {
      size_t Number = 0;
      for (const typename List::value_type &X : L) {
        element(X, Number++);
        if (Overflow)
          break;
      }
    });
  }
  template <class T> void value(const std::vector<T> &L) { list(L); }
  template <class T, size_t N> void value(const std::array<T, N> &L) {
    list(L);
  }
  template <class T> void value(const std::optional<T> &X) {
    if (X)
      value(*X);
  }
  template <class... A> void value(const std::variant<A...> &X) {
    std::visit([this](const auto &Y) { this->alternative(Y); }, X);
  }
  template <class T> void alternative(const T &X) {
    Out += Named<T>::Name;
    if constexpr (std::is_enum_v<T>) {
      Out += ' ';
      value(X);
    } else {
      fieldsOf(X);
    }
  }
  template <class T> void fieldsOf(const T &X) {
    unsigned Count = fieldCount<T>();
    if (Count == 0)
      return;
    Out += ' ';
    if (Count > 1)
      return value(X);
    bool Saved = std::exchange(Bare, true);
    Fields<T>::visit(*this, X);
    Bare = Saved;
  }
  void value(const Value &X) {
    if (const Leaf *L = std::get_if<Leaf>(&X))
      return value(*L);
    if (const IntWord *I = std::get_if<IntWord>(&X))
      Out += "int " + std::to_string(I->Word);
    else
      value(std::get<Fixed>(X).Value);
  }
  void value(const ExpressionNode &X) {
    if (const IntWord *I = std::get_if<IntWord>(&X))
      Out += "int " + std::to_string(I->Word);
    else if (const Fixed *F = std::get_if<Fixed>(&X))
      value(F->Value);
    else
      operation(std::get<Apply>(X));
  }
  void operation(const Apply &X) {
    value(X.What);
    if (X.In == Domain::Exact)
      return;
    Out += '_';
    value(X.In);
  }
  template <class T> void value(const Term<T> &X) {
    value(X.What);
    Out += " * " + std::to_string(X.Factor);
  }
  template <class T> void value(const Data<T> &X) {
    if (X.Holes.empty())
      return bytes(X.Bytes);
    bracketed('{', '}', [&] {
      begin();
      Out += "bytes: ";
      bytes(X.Bytes);
      field("holes", X.Holes);
    });
  }
  void value(const Step &S) { value(S.Kind); }
  template <class T> void value(const T &X) {
    if constexpr (std::is_enum_v<T>)
      Out += Enumerators<T>::Names[static_cast<size_t>(X)];
    else
      bracketed('{', '}', [&] { Fields<T>::visit(*this, X); });
  }

  std::string Out;
  const Place *At = nullptr;
  size_t LineStart = 0;
  unsigned Depth = 0;
  bool Inline = false, Overflow = false;
  bool First = true; ///< of the fields or elements of what is open
  bool Bare = false; ///< the field of an alternative that has one only
};

} // namespace

std::string goldy::program::toText(const ProgramDesc &P) {
  return Printer().run(ProgramHeader, P);
}
std::string goldy::program::toText(const ProgramTemplate &T) {
  return Printer().run(TemplateHeader, T);
}
