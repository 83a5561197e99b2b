//===- Parse.cpp - Reading the text form of a description -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass by recursive descent over the lists of Fields.h. After its first
// failure the parser does nothing more.
//
//===----------------------------------------------------------------------===//
#include "program/Bytes.h"
#include "program/Fields.h"
#include "program/Numbers.h"
#include "program/Place.h"
#include "program/Text.h"

#include <type_traits>

using namespace goldy::program;

namespace {

bool isNameByte(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || C == '_' ||
         (C >= '0' && C <= '9');
}
int hexDigit(char C) {
  return C >= '0' && C <= '9'   ? C - '0'
         : C >= 'a' && C <= 'f' ? C - 'a' + 10
         : C >= 'A' && C <= 'F' ? C - 'A' + 10
                                : -1;
}

class Parser {
public:
  Parser(std::string_view Text, std::string &Why) : Text(Text), Why(Why) {}

  template <class T> void field(const char *Name, T &X) {
    if (Failed)
      return;
    if (!Bare && !fieldName(Name)) {
      fail("expected the field `" + std::string(Name) + "`" + got());
      return;
    }
    Place Here{At, Name};
    At = &Here;
    bool Saved = std::exchange(Bare, false);
    get(X);
    Bare = Saved;
    At = Here.Up;
    if (!Bare)
      Comma = accept(',') ? CommaState::Seen : CommaState::Missing;
  }
  template <class T, class D> void field(const char *Name, T &X, const D &) {
    if (Bare || word() == Name)
      field(Name, X);
  }

  template <class T> bool run(std::string_view Header, T &Out) {
    if (!header(Header))
      return false;
    Fields<T>::visit(*this, Out);
    skipBlanks();
    if (!Failed && Next != Text.size())
      fail("expected the end" + got());
    return !Failed;
  }

private:
  enum class CommaState : uint8_t { None, Seen, Missing };

  bool header(std::string_view Header) {
    skipBlanks();
    if (!accept(Header))
      return fail("expected `" + std::string(Header) +
                  std::to_string(FormatVersion) + ")]`");
    size_t Start = Next;
    Number Version = 0;
    get(Version);
    if (!Failed && Version != FormatVersion) {
      Next = Start;
      return fail("the form's version is " + std::to_string(Version) +
                  "; this library reads version " +
                  std::to_string(FormatVersion));
    }
    return expect(")]");
  }

  //===-- Characters ------------------------------------------------------===//

  bool fail(const std::string &What) {
    if (Failed)
      return false;
    Failed = true;
    size_t Line = 1, Start = 0;
    for (size_t I = 0; I < Next && I < Text.size(); ++I)
      if (Text[I] == '\n')
        ++Line, Start = I + 1;
    std::string Where = At ? At->text() : "";
    Why = "line " + std::to_string(Line) + ", column " +
          std::to_string(Next - Start + 1) + (Where.empty() ? "" : ", ") +
          Where + ": " + What;
    return false;
  }

  /// Blanks, line ends and comments from `//` to the line's end.
  void skipBlanks() {
    for (; Next < Text.size(); ++Next) {
      if (Text.substr(Next).starts_with("//"))
        Next = std::min(Text.find('\n', Next), Text.size());
      if (Next == Text.size() || std::string_view(" \t\r\n").find(Text[Next]) ==
                                     std::string_view::npos)
        return;
    }
  }
  bool accept(std::string_view Token) {
    skipBlanks();
    if (!Text.substr(Next).starts_with(Token))
      return false;
    Next += Token.size();
    return true;
  }
  bool accept(char C) { return accept(std::string_view(&C, 1)); }
  bool expect(std::string_view Token) {
    return !Failed && (accept(Token) ||
                       fail("expected `" + std::string(Token) + "`" + got()));
  }
  /// The name or number that follows, without taking it; empty if none does.
  std::string_view word() {
    skipBlanks();
    size_t End = Next;
    while (End < Text.size() && isNameByte(Text[End]))
      ++End;
    return Text.substr(Next, End - Next);
  }
  /// ", got …" for messages.
  std::string got() {
    std::string_view W = word().substr(0, 40);
    if (Next == Text.size())
      return ", got the end";
    return ", got `" + (W.empty() ? escapedByte() : std::string(W)) + "`";
  }
  std::string escapedByte() {
    unsigned char C = static_cast<unsigned char>(Text[Next]);
    if (C >= 0x20 && C < 0x7f)
      return std::string(1, Text[Next]);
    static constexpr char Hex[] = "0123456789abcdef";
    return std::string("\\x") + Hex[C >> 4] + Hex[C & 15];
  }

  //===-- Structure -------------------------------------------------------===//

  bool fieldName(std::string_view Name) {
    if (word() != Name)
      return false;
    if (Comma == CommaState::Missing)
      return expect(",");
    Next += Name.size();
    return expect(":");
  }
  template <class T> void structure(T &X) {
    if (!expect("{"))
      return;
    CommaState Saved = std::exchange(Comma, CommaState::None);
    Fields<T>::visit(*this, X);
    Comma = Saved;
    expect("}");
  }
  bool charge() {
    if (!Failed && ++Elements > MaxElements)
      fail("more than " + std::to_string(MaxElements) +
           " elements in all lists, the limit");
    return !Failed;
  }

  void get(Number &N) {
    skipBlanks();
    size_t Start = Next;
    bool Negative = accept("-");
    unsigned Base = accept("0x") ? 16 : 10;
    uint64_t U = 0;
    bool Any = false, Past = false;
    for (; Next < Text.size(); ++Next) {
      int D = hexDigit(Text[Next]);
      if (D < 0 || D >= static_cast<int>(Base))
        break;
      Any = true;
      Past = Past || U > (uint64_t(1) << 62) / Base;
      U = U * Base + static_cast<unsigned>(D);
    }
    Past = Past || U > (uint64_t(1) << 62) - !Negative;
    if (Any && !Past && (Next == Text.size() || !isNameByte(Text[Next]))) {
      N = Negative ? -static_cast<int64_t>(U) : static_cast<int64_t>(U);
      return;
    }
    Next = Start;
    fail(Any && Past ? "a number past 63 bits" : "expected a number" + got());
  }

  void get(std::string &S) {
    skipBlanks();
    if (!accept('"')) {
      fail("expected a text in quotes" + got());
      return;
    }
    while (Next < Text.size() && Text[Next] != '"' && character(S)) {
    }
    if (!Failed && Next < Text.size())
      ++Next;
    else
      fail("the text does not end");
  }
  bool character(std::string &S) {
    size_t Start = Next;
    char C = Text[Next++];
    if (C != '\\') {
      S += C;
      return true;
    }
    char E = Next < Text.size() ? Text[Next++] : 0;
    if (E == '"' || E == '\\')
      S += E;
    else if (E == 'n')
      S += '\n';
    else if (E == 'x' && Text.size() - Next >= 2 && hexDigit(Text[Next]) >= 0 &&
             hexDigit(Text[Next + 1]) >= 0) {
      S += static_cast<char>(16 * hexDigit(Text[Next]) +
                             hexDigit(Text[Next + 1]));
      Next += 2;
    } else {
      Next = Start;
      return fail("unknown escape");
    }
    return true;
  }

  /// `hex"…"` or a text.
  void bytes(std::string &S) {
    if (word() != "hex")
      return get(S);
    Next += 3;
    if (!expect("\""))
      return;
    for (;;) {
      skipBlanks();
      if (accept('"'))
        return;
      if (Text.size() - Next < 2 || hexDigit(Text[Next]) < 0 ||
          hexDigit(Text[Next + 1]) < 0) {
        fail("expected two hexadecimal digits or `\"`");
        return;
      }
      S += static_cast<char>(16 * hexDigit(Text[Next]) +
                             hexDigit(Text[Next + 1]));
      Next += 2;
    }
  }

  template <class T> void get(std::vector<T> &List) {
    if (!expect("["))
      return;
    const Place *Field = At;
    Place Here = *Field;
    Here.Index = 0;
    At = &Here;
    bool More = true;
    for (; More && !accept(']') && charge(); ++Here.Index) {
      get(List.emplace_back());
      More = accept(',');
      if (!More)
        expect("]");
    }
    At = Field;
  }
  template <class T, size_t N> void get(std::array<T, N> &List) {
    if (!expect("["))
      return;
    const Place *Field = At;
    Place Here = *Field;
    At = &Here;
    for (Here.Index = 0; Here.Index < N && !Failed; ++Here.Index) {
      if (Here.Index)
        expect(",");
      get(List[Here.Index]);
    }
    At = Field;
    accept(',');
    expect("]");
  }
  template <class T> void get(std::optional<T> &X) { get(X.emplace()); }

  template <class... A> void get(std::variant<A...> &X) {
    std::string_view W = word();
    if (!Failed && !(tryAlternative<A>(X, W) || ...))
      fail("expected " +
           (std::string() + ... + (std::string("`") + Named<A>::Name + "` ")) +
           "here" + got());
  }
  template <class T, class V> bool tryAlternative(V &X, std::string_view W) {
    if (W != Named<T>::Name)
      return false;
    Next += W.size();
    T &Y = X.template emplace<T>();
    if constexpr (std::is_enum_v<T>) {
      enumerator(Y);
      return true;
    } else {
      fieldsOf(Y);
      return true;
    }
  }
  template <class T> void fieldsOf(T &Y) {
    unsigned Count = fieldCount<T>();
    if (Count > 1) {
      get(Y);
    } else if (Count == 1) {
      bool Saved = std::exchange(Bare, true);
      Fields<T>::visit(*this, Y);
      Bare = Saved;
    }
  }
  static bool isNumberWord(std::string_view W) {
    return W.empty() || (W[0] >= '0' && W[0] <= '9');
  }
  /// A number, `int W`, or an operation: `add`, `mul_u32`.
  void get(ExpressionNode &X) {
    std::string_view W = word();
    if (isNumberWord(W))
      return get(X.emplace<Fixed>().Value);
    if (W != "int")
      return operation(X.emplace<Apply>(), W);
    Next += 3;
    get(X.emplace<IntWord>().Word);
  }
  void operation(Apply &X, std::string_view W) {
    for (size_t D = std::size(Enumerators<Domain>::Names); D-- > 0;) {
      std::string End =
          D ? std::string("_") + Enumerators<Domain>::Names[D] : std::string();
      if (!W.ends_with(End))
        continue;
      std::string_view Name = W.substr(0, W.size() - End.size());
      for (size_t O = 0; O < std::size(Enumerators<Op>::Names); ++O)
        if (Name == Enumerators<Op>::Names[O]) {
          X = {static_cast<Op>(O), static_cast<Domain>(D)};
          Next += W.size();
          return;
        }
    }
    fail("expected a number, `int` or an operation here" + got());
  }
  void get(Value &X) {
    std::string_view W = word();
    if (W == "int") {
      Next += 3;
      return get(X.emplace<IntWord>().Word);
    }
    if (isNumberWord(W))
      get(X.emplace<Fixed>().Value);
    else
      get(X.emplace<Leaf>());
  }
  template <class T> void get(Term<T> &X) {
    get(X.What);
    if (expect("*"))
      get(X.Factor);
  }
  template <class T> void get(Data<T> &X) {
    if (!accept('{'))
      return bytes(X.Bytes);
    CommaState Saved = std::exchange(Comma, CommaState::None);
    if (!fieldName("bytes")) {
      fail("expected the field `bytes`" + got());
      return;
    }
    bytes(X.Bytes);
    Comma = accept(',') ? CommaState::Seen : CommaState::Missing;
    field("holes", X.Holes, X.Holes);
    Comma = Saved;
    expect("}");
  }
  void get(Step &S) { get(S.Kind); }
  void get(Loop &L) {
    if (++Nesting > MaxDecodedNesting)
      fail("loops nest deeper than 16");
    else
      structure(L);
    --Nesting;
  }
  template <class E> void enumerator(E &X) {
    std::string_view W = word();
    for (size_t I = 0; I < std::size(Enumerators<E>::Names); ++I)
      if (W == Enumerators<E>::Names[I]) {
        X = static_cast<E>(I);
        Next += W.size();
        return;
      }
    std::string Names;
    for (const char *Name : Enumerators<E>::Names)
      Names += std::string("`") + Name + "` ";
    fail("expected " + Names + "here" + got());
  }
  template <class T> void get(T &X) {
    if (Failed)
      return;
    if constexpr (std::is_enum_v<T>)
      enumerator(X);
    else
      structure(X);
  }

  std::string_view Text;
  std::string &Why;
  const Place *At = nullptr;
  size_t Next = 0;
  uint64_t Elements = 0;
  unsigned Nesting = 0;
  CommaState Comma = CommaState::None;
  bool Bare = false; ///< the field of an alternative that has one only
  bool Failed = false;
};

} // namespace

bool goldy::program::fromText(std::string_view Text, ProgramDesc &Out,
                              std::string &Why) {
  return Parser(Text, Why).run(ProgramHeader, Out);
}
bool goldy::program::fromText(std::string_view Text, ProgramTemplate &Out,
                              std::string &Why) {
  return Parser(Text, Why).run(TemplateHeader, Out);
}
