//===- Npy.cpp - NumPy's .npy files in and out
//-----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header of a .npy file is a Python dictionary literal. It is read into a
// small tree of literals first (strings, integers, names, sequences), and the
// tree is then judged; so every malformed header has one way to fail.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/Npy.h"

#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace goldy::npy {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are little-endian in memory and in files");

constexpr char Magic[] = "\x93NUMPY";
constexpr size_t MagicSize = 6;
constexpr unsigned MaxNesting = 32;
constexpr uint64_t MaxBytes = uint64_t(1) << 48;

/// A Python literal. Keys of a dictionary stand before their values.
struct Literal {
  enum class Kind : uint8_t { String, Integer, Name, Sequence, Dictionary };
  Kind Form = Kind::Name;
  std::string Text;
  uint64_t Number = 0;
  std::vector<Literal> Items;
  bool isString() const { return Form == Kind::String; }
  bool isSequence() const { return Form == Kind::Sequence; }
};

class LiteralReader {
public:
  explicit LiteralReader(std::string_view Text) : Text(Text) {}
  bool read(Literal &Out) {
    return value(Out, 0) && (skipSpace(), At == Text.size());
  }

private:
  void skipSpace() {
    while (At < Text.size() && (Text[At] == ' ' || Text[At] == '\n' ||
                                Text[At] == '\t' || Text[At] == '\r'))
      ++At;
  }
  bool eat(char C) {
    skipSpace();
    if (At >= Text.size() || Text[At] != C)
      return false;
    ++At;
    return true;
  }
  char peek() {
    skipSpace();
    return At < Text.size() ? Text[At] : '\0';
  }
  bool value(Literal &Out, unsigned Depth) {
    if (Depth > MaxNesting)
      return false;
    char C = peek();
    if (C == '\'' || C == '"')
      return string(Out);
    if (C >= '0' && C <= '9')
      return integer(Out);
    if (C == '(' || C == '[')
      return sequence(Out, Depth, C == '(' ? ')' : ']');
    if (C == '{')
      return dictionary(Out, Depth);
    return name(Out);
  }
  bool string(Literal &Out) {
    Out.Form = Literal::Kind::String;
    char Quote = Text[At++];
    while (At < Text.size() && Text[At] != Quote) {
      if (Text[At] == '\\' && ++At >= Text.size())
        return false;
      Out.Text += Text[At++];
    }
    return At++ < Text.size();
  }
  bool integer(Literal &Out) {
    Out.Form = Literal::Kind::Integer;
    for (; At < Text.size() && Text[At] >= '0' && Text[At] <= '9'; ++At) {
      if (Out.Number > (MaxBytes - 9) / 10)
        return false;
      Out.Number = Out.Number * 10 + static_cast<uint64_t>(Text[At] - '0');
    }
    if (At < Text.size() && Text[At] == 'L')
      ++At;
    return true;
  }
  bool name(Literal &Out) {
    Out.Form = Literal::Kind::Name;
    while (At < Text.size() && ((Text[At] >= 'a' && Text[At] <= 'z') ||
                                (Text[At] >= 'A' && Text[At] <= 'Z')))
      Out.Text += Text[At++];
    return !Out.Text.empty();
  }
  bool sequence(Literal &Out, unsigned Depth, char Close) {
    Out.Form = Literal::Kind::Sequence;
    ++At;
    while (!eat(Close)) {
      if (!value(Out.Items.emplace_back(), Depth + 1))
        return false;
      if (!eat(',') && peek() != Close)
        return false;
    }
    return true;
  }
  bool dictionary(Literal &Out, unsigned Depth) {
    Out.Form = Literal::Kind::Dictionary;
    ++At;
    while (!eat('}')) {
      if (!value(Out.Items.emplace_back(), Depth + 1) || !eat(':') ||
          !value(Out.Items.emplace_back(), Depth + 1))
        return false;
      if (!eat(',') && peek() != '}')
        return false;
    }
    return true;
  }

  std::string_view Text;
  size_t At = 0;
};

bool multiply(uint64_t A, uint64_t B, uint64_t &Product) {
  if (A != 0 && B > MaxBytes / A)
    return false;
  Product = A * B;
  return true;
}

/// The product of all extents and `Size`, if it stays below the cap.
bool totalBytes(std::span<const uint64_t> Shape, uint64_t Size,
                uint64_t &Bytes) {
  Bytes = Size;
  for (uint64_t Extent : Shape)
    if (Extent == 0)
      return (Bytes = 0), true;
  for (uint64_t Extent : Shape)
    if (!multiply(Bytes, Extent, Bytes))
      return false;
  return true;
}

bool shapeFrom(const Literal &L, std::vector<uint64_t> &Shape) {
  if (L.Form == Literal::Kind::Integer) {
    Shape = {L.Number};
    return true;
  }
  if (!L.isSequence() || L.Items.size() > MaxNesting)
    return false;
  for (const Literal &Item : L.Items) {
    if (Item.Form != Literal::Kind::Integer)
      return false;
    Shape.push_back(Item.Number);
  }
  return true;
}

std::string refusedLetter(char Letter, const std::string &Text) {
  switch (Letter) {
  case 'O':
    return "holds Python objects (`" + Text + "`), which are not supported";
  case 'c':
    return "holds complex numbers (`" + Text + "`), which are not supported";
  case 'S':
  case 'U':
  case 'a':
    return "holds strings (`" + Text + "`), which are not supported";
  case 'M':
  case 'm':
    return "holds dates or durations (`" + Text + "`), which are not supported";
  default:
    return "has the unknown element type `" + Text + "`";
  }
}

Kind kindOf(char Letter) {
  switch (Letter) {
  case 'b':
    return Kind::Bool;
  case 'i':
    return Kind::Int;
  case 'u':
    return Kind::UInt;
  case 'f':
    return Kind::Float;
  default:
    return Kind::Opaque;
  }
}

bool simpleType(const std::string &Text, DType &Out, std::string &Why) {
  size_t At = 0;
  char Order = '|';
  if (At < Text.size() && std::strchr("<>=|", Text[At]))
    Order = Text[At++];
  char Letter = At < Text.size() ? Text[At++] : '\0';
  uint64_t Size = 0;
  size_t FirstDigit = At;
  for (; At < Text.size() && Text[At] >= '0' && Text[At] <= '9'; ++At)
    if ((Size = Size * 10 + static_cast<uint64_t>(Text[At] - '0')) > MaxBytes)
      break;
  if (Letter == '?')
    Letter = 'b', Size = 1;
  if (!Letter || !std::strchr("biufV", Letter)) {
    Why = refusedLetter(Letter, Text);
    return false;
  }
  bool Plain = At == Text.size() && At > FirstDigit;
  bool Widths = Letter == 'V'   ? Size >= 1
                : Letter == 'b' ? Size == 1
                : Letter == 'f'
                    ? Size == 2 || Size == 4 || Size == 8
                    : Size == 1 || Size == 2 || Size == 4 || Size == 8;
  if ((Text != "?" && !Plain) || !Widths) {
    Why = "has the unknown element type `" + Text + "`";
    return false;
  }
  if (Order == '>' && Size > 1 && Letter != 'V') {
    Why = "holds big-endian elements (`" + Text +
          "`); convert them to little-endian first";
    return false;
  }
  Out = {kindOf(Letter), Size, {}};
  return true;
}

bool typeFrom(const Literal &L, DType &Out, unsigned Depth, std::string &Why);

/// One field of a structured type; adds its bytes to `Out.Size`.
bool fieldFrom(const Literal &L, DType &Out, unsigned Depth, std::string &Why) {
  if (!L.isSequence() || L.Items.size() < 2 || L.Items.size() > 3) {
    Why = "has a malformed structured element type";
    return false;
  }
  Field F;
  const Literal *Name = &L.Items[0];
  if (Name->isSequence() && Name->Items.size() == 2) // (title, name)
    Name = &Name->Items[1];
  if (!Name->isString() || !typeFrom(L.Items[1], F.Type, Depth + 1, Why) ||
      (L.Items.size() == 3 && !shapeFrom(L.Items[2], F.Shape))) {
    if (Why.empty())
      Why = "has a malformed structured element type";
    return false;
  }
  F.Name = Name->Text;
  F.Offset = Out.Size;
  uint64_t Bytes = 0;
  if (!totalBytes(F.Shape, F.Type.Size, Bytes) || Bytes > MaxBytes - Out.Size) {
    Why = "has an element type that is too large";
    return false;
  }
  Out.Size += Bytes;
  if (!(F.Name.empty() && F.Type.Form == Kind::Opaque))
    Out.Fields.push_back(std::move(F));
  return true;
}

bool typeFrom(const Literal &L, DType &Out, unsigned Depth, std::string &Why) {
  if (L.isString())
    return simpleType(L.Text, Out, Why);
  if (!L.isSequence() || L.Items.empty() || Depth > MaxNesting) {
    Why = "has a malformed element type";
    return false;
  }
  Out = {Kind::Struct, 0, {}};
  for (const Literal &Item : L.Items)
    if (!fieldFrom(Item, Out, Depth, Why))
      return false;
  return true;
}

/// What the header's dictionary says.
struct Header {
  DType Type;
  std::vector<uint64_t> Shape;
};

bool headerFrom(const Literal &L, Header &Out, std::string &Why) {
  bool HasType = false, HasShape = false, HasOrder = false;
  if (L.Form == Literal::Kind::Dictionary)
    for (size_t I = 0; I + 1 < L.Items.size(); I += 2) {
      const Literal &Key = L.Items[I], &Value = L.Items[I + 1];
      if (Key.Text == "descr") {
        HasType = true;
        if (!typeFrom(Value, Out.Type, 0, Why))
          return false;
      } else if (Key.Text == "fortran_order") {
        HasOrder = Value.Text == "False";
        if (Value.Text == "True") {
          Why = "is in Fortran order; save it in C order "
                "(`numpy.ascontiguousarray`)";
          return false;
        }
      } else if (Key.Text == "shape") {
        HasShape = Value.isSequence() && shapeFrom(Value, Out.Shape);
      }
    }
  if (HasType && HasShape && HasOrder)
    return true;
  Why = "has a malformed .npy header";
  return false;
}

/// The dictionary's text and where the data starts; empty if malformed.
std::optional<std::pair<std::string_view, size_t>>
headerText(std::string_view File, std::string &Why) {
  if (File.size() < MagicSize + 4 ||
      File.substr(0, MagicSize) != std::string_view(Magic, MagicSize)) {
    Why = "is not a .npy file";
    return std::nullopt;
  }
  unsigned Version = static_cast<unsigned char>(File[MagicSize]);
  if (Version < 1 || Version > 3) {
    Why = "has .npy version " + std::to_string(Version) +
          "; versions 1 to 3 are read";
    return std::nullopt;
  }
  size_t LengthBytes = Version == 1 ? 2 : 4;
  size_t Start = MagicSize + 2 + LengthBytes;
  size_t Length = 0;
  for (size_t I = LengthBytes; I-- > 0 && Start <= File.size();)
    Length = Length << 8 | static_cast<unsigned char>(File[MagicSize + 2 + I]);
  if (Start > File.size() || Length > File.size() - Start) {
    Why = "ends within its header";
    return std::nullopt;
  }
  return std::pair(File.substr(Start, Length), Start + Length);
}

std::string quoted(const std::string &Text) {
  std::string Out = "'";
  for (char C : Text) {
    if (C == '\'' || C == '\\')
      Out += '\\';
    Out += C;
  }
  return Out + "'";
}

std::string shapeText(std::span<const uint64_t> Shape) {
  std::string Out = "(";
  for (size_t I = 0; I < Shape.size(); ++I)
    Out += (I ? ", " : "") + std::to_string(Shape[I]);
  return Out + (Shape.size() == 1 ? ",)" : ")");
}

std::string paddingDescr(uint64_t Bytes) {
  return "('', '|V" + std::to_string(Bytes) + "')";
}

std::string structDescr(const DType &T) {
  std::string Out = "[";
  uint64_t End = 0;
  const char *Separator = "";
  for (const Field &F : T.Fields) {
    if (F.Offset > End) {
      Out += Separator + paddingDescr(F.Offset - End);
      Separator = ", ";
    }
    Out += Separator + ("(" + quoted(F.Name)) + ", " + descr(F.Type);
    if (!F.Shape.empty())
      Out += ", " + shapeText(F.Shape);
    Out += ")";
    Separator = ", ";
    End = F.Offset + fieldBytes(F);
  }
  if (T.Size > End)
    Out += Separator + paddingDescr(T.Size - End);
  return Out + "]";
}

} // namespace

uint64_t fieldBytes(const Field &F) {
  uint64_t Bytes = F.Type.Size;
  for (uint64_t Extent : F.Shape)
    Bytes *= Extent;
  return Bytes;
}

uint64_t Array::count() const {
  uint64_t N = 1;
  for (uint64_t Extent : Shape)
    N *= Extent;
  return N;
}

std::string descr(const DType &T) {
  if (T.Form == Kind::Struct)
    return structDescr(T);
  const char *Letter = T.Form == Kind::Bool    ? "b"
                       : T.Form == Kind::Int   ? "i"
                       : T.Form == Kind::UInt  ? "u"
                       : T.Form == Kind::Float ? "f"
                                               : "V";
  const char *Order = T.Size == 1 || T.Form == Kind::Opaque ? "|" : "<";
  return std::string("'") + Order + Letter + std::to_string(T.Size) + "'";
}

std::optional<Array> decode(std::span<const std::byte> File, std::string &Why) {
  std::string_view Text(reinterpret_cast<const char *>(File.data()),
                        File.size());
  std::optional<std::pair<std::string_view, size_t>> Found =
      headerText(Text, Why);
  if (!Found)
    return std::nullopt;
  Literal Dictionary;
  if (!LiteralReader(Found->first).read(Dictionary)) {
    Why = "has a malformed .npy header";
    return std::nullopt;
  }
  Header H;
  if (!headerFrom(Dictionary, H, Why))
    return std::nullopt;
  uint64_t Bytes = 0;
  if (!totalBytes(H.Shape, H.Type.Size, Bytes)) {
    Why = "states a shape that is too large";
    return std::nullopt;
  }
  uint64_t Present = File.size() - Found->second;
  if (Present != Bytes) {
    Why = "holds " + std::to_string(Present) + " bytes of data where its " +
          "shape needs " + std::to_string(Bytes);
    return std::nullopt;
  }
  std::span<const std::byte> Data = File.subspan(Found->second);
  return Array{
      std::move(H.Type), std::move(H.Shape), {Data.begin(), Data.end()}};
}

std::optional<Array> readFile(const std::string &Path, std::string &Why) {
  std::error_code Error;
  if (std::filesystem::is_directory(Path, Error)) {
    Why = "is a directory";
    return std::nullopt;
  }
  std::ifstream In(Path, std::ios::binary | std::ios::ate);
  if (!In) {
    Why = std::string("cannot be read: ") + std::strerror(errno);
    return std::nullopt;
  }
  std::streamoff Size = In.tellg();
  std::vector<std::byte> Bytes(Size < 0 ? 0 : static_cast<size_t>(Size));
  In.seekg(0);
  if (Size < 0 || !In.read(reinterpret_cast<char *>(Bytes.data()), Size)) {
    Why = "cannot be read";
    return std::nullopt;
  }
  return decode(Bytes, Why);
}

std::string encodeHeader(const DType &T, std::span<const uint64_t> Shape) {
  std::string Body = "{'descr': " + descr(T) +
                     ", 'fortran_order': False, 'shape': " + shapeText(Shape) +
                     ", }";
  bool Ascii = true;
  for (char C : Body)
    Ascii = Ascii && static_cast<signed char>(C) >= 0;
  size_t LengthBytes = Ascii && Body.size() < 0xff00 ? 2 : 4;
  size_t Fixed = MagicSize + 2 + LengthBytes;
  Body.append(63 - (Fixed + Body.size()) % 64, ' ');
  Body += '\n';
  std::string Out(Magic, MagicSize);
  Out += static_cast<char>(!Ascii ? 3 : LengthBytes == 2 ? 1 : 2);
  Out += '\0';
  for (size_t I = 0; I < LengthBytes; ++I)
    Out += static_cast<char>(Body.size() >> (8 * I) & 0xff);
  return Out + Body;
}

bool writeFile(const std::string &Path, const DType &T,
               std::span<const uint64_t> Shape, std::span<const std::byte> Data,
               std::string &Why) {
  std::string Header = encodeHeader(T, Shape);
  std::error_code Error;
  Why.clear();
  // A pipe or device is written in place: it cannot be replaced.
  bool InPlace = std::filesystem::exists(Path, Error) &&
                 !std::filesystem::is_regular_file(Path, Error);
  std::string Aside = InPlace ? Path : Path + ".tmp";
  std::ofstream Out(Aside, std::ios::binary | std::ios::trunc);
  Out.write(Header.data(), static_cast<std::streamsize>(Header.size()));
  Out.write(reinterpret_cast<const char *>(Data.data()),
            static_cast<std::streamsize>(Data.size()));
  Out.close();
  if (!Out)
    Why = std::string("cannot be written: ") + std::strerror(errno);
  else if (!InPlace)
    std::filesystem::rename(Aside, Path, Error);
  if (Out && !InPlace && Error)
    Why = "cannot be written: " + Error.message();
  bool Good = Why.empty();
  if (!Good && !InPlace)
    std::filesystem::remove(Aside, Error);
  return Good;
}

} // namespace goldy::npy
