//===- ValueSpec.cpp - PARAM=VALUE on the command line
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Support/ValueSpec.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace goldy {
namespace {

constexpr uint64_t MaxElements = uint64_t(1) << 40;

struct ScalarFacts {
  std::string_view Name;
  uint32_t Bytes; ///< in a buffer
  npy::Kind Form;
};
constexpr ScalarFacts Facts[] = {
    {"bool", 4, npy::Kind::UInt}, {"u8", 1, npy::Kind::UInt},
    {"i8", 1, npy::Kind::Int},    {"u16", 2, npy::Kind::UInt},
    {"i16", 2, npy::Kind::Int},   {"u32", 4, npy::Kind::UInt},
    {"i32", 4, npy::Kind::Int},   {"u64", 8, npy::Kind::UInt},
    {"i64", 8, npy::Kind::Int},   {"f16", 2, npy::Kind::Float},
    {"bf16", 2, npy::Kind::UInt}, {"f32", 4, npy::Kind::Float},
};
const ScalarFacts &facts(Scalar S) { return Facts[static_cast<size_t>(S)]; }
bool isFloat(Scalar S) {
  return S == Scalar::F16 || S == Scalar::BF16 || S == Scalar::F32;
}

std::string quoted(std::string_view Text) {
  return "`" + std::string(Text) + "`";
}

bool parseCount(std::string_view Text, uint64_t &Out) {
  std::from_chars_result R =
      std::from_chars(Text.data(), Text.data() + Text.size(), Out);
  return !Text.empty() && R.ec == std::errc() &&
         R.ptr == Text.data() + Text.size();
}

std::vector<std::string_view> split(std::string_view Text, char Separator) {
  std::vector<std::string_view> Out;
  for (;;) {
    size_t At = Text.find(Separator);
    Out.push_back(Text.substr(0, At));
    if (At == std::string_view::npos)
      return Out;
    Text.remove_prefix(At + 1);
  }
}

/// Sign and the digits after it (and after `0x`).
struct NumberText {
  bool Negative = false, Hex = false;
  std::string_view Digits;
};
NumberText numberText(std::string_view Text) {
  NumberText N;
  if (!Text.empty() && (Text[0] == '-' || Text[0] == '+')) {
    N.Negative = Text[0] == '-';
    Text.remove_prefix(1);
  }
  if (Text.size() > 2 && Text[0] == '0' && (Text[1] | 32) == 'x') {
    N.Hex = true;
    Text.remove_prefix(2);
  }
  N.Digits = Text;
  return N;
}

template <class Float> bool readFloat(const NumberText &N, Float &Out) {
  if (N.Digits.empty() || N.Digits[0] == '-' || N.Digits[0] == '+')
    return false;
  const char *End = N.Digits.data() + N.Digits.size();
  std::from_chars_result R = std::from_chars(
      N.Digits.data(), End, Out,
      N.Hex ? std::chars_format::hex : std::chars_format::general);
  if (R.ptr != End)
    return false;
  if (R.ec == std::errc::result_out_of_range) {
    // Too large or too small for the type: decide by the wider type.
    long double Wide = 0;
    R = std::from_chars(N.Digits.data(), End, Wide,
                        N.Hex ? std::chars_format::hex
                              : std::chars_format::general);
    bool Tiny = R.ec == std::errc() ? Wide < 1.0L
                                    : N.Digits.find("e-") != N.Digits.npos ||
                                          N.Digits.find("E-") != N.Digits.npos;
    Out = Tiny ? Float(0) : std::numeric_limits<Float>::infinity();
  } else if (R.ec != std::errc()) {
    return false;
  }
  if (N.Negative)
    Out = -Out;
  return true;
}

std::optional<uint64_t> floatFromText(std::string_view Text, Scalar S) {
  NumberText N = numberText(Text);
  float F = 0;
  if (!readFloat(N, F))
    return std::nullopt;
  uint32_t Bits = std::bit_cast<uint32_t>(F);
  if (F != F) // `nan` has one spelling, whatever the library makes of it
    Bits = 0x7fc00000u | (N.Negative ? 0x80000000u : 0u);
  if (S == Scalar::F32)
    return Bits;
  return S == Scalar::F16 ? halfFromFloatBits(Bits) : bfloatFromFloatBits(Bits);
}

bool isInfinite(uint64_t Bits, Scalar S) {
  uint64_t Infinity = S == Scalar::F32   ? 0x7f800000u
                      : S == Scalar::F16 ? 0x7c00u
                                         : 0x7f80u;
  uint64_t Magnitude = S == Scalar::F32 ? 0x7fffffffu : 0x7fffu;
  return (Bits & Magnitude) == Infinity;
}

/// Inclusive range of an integer element.
bool fitsInteger(bool Negative, uint64_t Magnitude, Scalar S) {
  unsigned Width = S == Scalar::Bool ? 1 : 8 * facts(S).Bytes;
  if (facts(S).Form == npy::Kind::UInt)
    return (!Negative || Magnitude == 0) &&
           (Width == 64 || Magnitude >> Width == 0);
  return Magnitude <= (uint64_t(1) << (Width - 1)) - (Negative ? 0 : 1);
}

std::optional<uint64_t> integerFromText(std::string_view Text, Scalar S,
                                        std::string &Why) {
  NumberText N = numberText(Text);
  uint64_t Magnitude = 0;
  const char *End = N.Digits.data() + N.Digits.size();
  std::from_chars_result R =
      std::from_chars(N.Digits.data(), End, Magnitude, N.Hex ? 16 : 10);
  bool TooLarge = R.ec == std::errc::result_out_of_range;
  if (N.Digits.empty() || R.ptr != End || (R.ec != std::errc() && !TooLarge)) {
    Why = quoted(Text) + " is no " + std::string(scalarName(S));
    return std::nullopt;
  }
  if (TooLarge || !fitsInteger(N.Negative, Magnitude, S)) {
    Why = quoted(Text) + " is out of range for " + std::string(scalarName(S));
    return std::nullopt;
  }
  uint64_t Bits = N.Negative ? ~Magnitude + 1 : Magnitude;
  uint32_t Width = 8 * facts(S).Bytes;
  return Width == 64 ? Bits : Bits & ((uint64_t(1) << Width) - 1);
}

/// `[name=list]` after a path or parameter.
bool parseView(std::string_view Text, ViewStep &Out, std::string &Why) {
  size_t Equals = Text.find('=');
  std::string_view Name = Text.substr(0, Equals);
  std::string_view Rest =
      Equals == Text.npos ? std::string_view() : Text.substr(Equals + 1);
  char Separator = ',';
  if (Name == "transpose") {
    Out.Form = ViewStep::Kind::Transpose;
  } else if (Name == "narrow") {
    Out.Form = ViewStep::Kind::Narrow;
    Separator = ':';
  } else if (Name == "broadcast") {
    Out.Form = ViewStep::Kind::Broadcast;
  } else if (Name == "offset") {
    Out.Form = ViewStep::Kind::Offset;
  } else {
    Why = "unknown view " + quoted(Name) +
          ", expected transpose, narrow, broadcast or offset";
    return false;
  }
  for (std::string_view Item : split(Rest, Separator)) {
    uint64_t Number = ViewStep::KeepAxis;
    bool Keep = Item == "_" && Out.Form == ViewStep::Kind::Broadcast;
    if (!Keep && !parseCount(Item, Number)) {
      Why = "malformed view " + quoted(Text);
      return false;
    }
    Out.Numbers.push_back(Number);
  }
  size_t Want = Out.Form == ViewStep::Kind::Narrow   ? 3
                : Out.Form == ViewStep::Kind::Offset ? 1
                                                     : Out.Numbers.size();
  if (Out.Numbers.size() == Want)
    return true;
  Why = "malformed view " + quoted(Text);
  return false;
}

/// Takes `[…]` suffixes off the end of `Text`, in the order written.
bool parseViews(std::string_view &Text, std::vector<ViewStep> &Out,
                std::string &Why) {
  while (!Text.empty() && Text.back() == ']') {
    size_t Open = Text.rfind('[');
    if (Open == Text.npos)
      return true;
    ViewStep Step;
    if (!parseView(Text.substr(Open + 1, Text.size() - Open - 2), Step, Why))
      return false;
    Out.insert(Out.begin(), std::move(Step));
    Text = Text.substr(0, Open);
  }
  return true;
}

bool parseShape(std::string_view Text, std::vector<uint64_t> &Out,
                std::string &Why) {
  uint64_t Count = 1;
  for (std::string_view Item : split(Text, ',')) {
    uint64_t Extent = 0;
    if (!parseCount(Item, Extent)) {
      Why = "malformed shape " + quoted("[" + std::string(Text) + "]");
      return false;
    }
    if (Extent != 0 && Count > MaxElements / Extent) {
      Why = "shape " + quoted("[" + std::string(Text) + "]") + " is too large";
      return false;
    }
    Count *= Extent;
    Out.push_back(Extent);
  }
  return true;
}

uint64_t elementCount(const std::vector<uint64_t> &Shape) {
  uint64_t N = 1;
  for (uint64_t Extent : Shape)
    N *= Extent;
  return N;
}

bool parseContents(std::string_view Text, ValueSpec &Out, std::string &Why) {
  constexpr std::string_view Random = ":random:";
  if (Text == ":iota") {
    Out.Form = ValueSpec::Kind::Iota;
    return true;
  }
  if (Text.starts_with(Random)) {
    Out.Form = ValueSpec::Kind::Random;
    if (parseCount(Text.substr(Random.size()), Out.Seed))
      return true;
    Why = "malformed seed " + quoted(Text.substr(Random.size()));
    return false;
  }
  if (Text.empty() || Text[0] != '=') {
    Why = "expected `=VALUES`, `:iota` or `:random:SEED` after the shape";
    return false;
  }
  for (std::string_view Item : split(Text.substr(1), ',')) {
    Out.Items.emplace_back(Item);
    if (!scalarFromText(Item, Out.Element, Why))
      return false;
  }
  Out.Form =
      Out.Items.size() == 1 ? ValueSpec::Kind::Fill : ValueSpec::Kind::List;
  uint64_t Count = elementCount(Out.Shape);
  if (Out.Items.size() == 1 || Out.Items.size() == Count)
    return true;
  Why = "the shape has " + std::to_string(Count) + " elements, but " +
        std::to_string(Out.Items.size()) + " values are listed";
  return false;
}

/// `f32[16,4]…`: true if the text has that form at all.
bool parseGenerated(std::string_view Text, ValueSpec &Out, std::string &Why,
                    bool &Good) {
  size_t Open = Text.find('[');
  size_t Close = Text.find(']');
  if (Open == Text.npos || Close == Text.npos || Close < Open)
    return false;
  std::optional<Scalar> Element = scalarNamed(Text.substr(0, Open));
  if (!Element) {
    Why = "unknown element type " + quoted(Text.substr(0, Open));
    Good = false;
    return true;
  }
  Out.Element = *Element;
  std::string_view Shape = Text.substr(Open + 1, Close - Open - 1);
  std::string_view Contents = Text.substr(Close + 1);
  Good = (Shape.empty() || parseShape(Shape, Out.Shape, Why)) &&
         parseViews(Contents, Out.Views, Why) &&
         parseContents(Contents, Out, Why);
  return true;
}

/// PCG32, output XSH-RR.
class Pcg32 {
public:
  explicit Pcg32(uint64_t Seed) {
    next();
    State += Seed;
    next();
  }
  uint32_t next() {
    uint64_t Old = State;
    State = Old * 6364136223846793005u + Increment;
    uint32_t Shifted = static_cast<uint32_t>(((Old >> 18) ^ Old) >> 27);
    return std::rotr(Shifted, static_cast<int>(Old >> 59));
  }

private:
  static constexpr uint64_t Increment = 54u << 1 | 1u;
  uint64_t State = 0;
};

uint64_t narrowFloat(float F, Scalar S) {
  uint32_t Bits = std::bit_cast<uint32_t>(F);
  return S == Scalar::F32   ? Bits
         : S == Scalar::F16 ? halfFromFloatBits(Bits)
                            : bfloatFromFloatBits(Bits);
}

uint64_t randomBits(Pcg32 &Generator, Scalar S) {
  uint32_t Word = Generator.next();
  if (S == Scalar::Bool)
    return Word & 1;
  if (!isFloat(S))
    return Word;
  return narrowFloat(static_cast<float>(Word >> 8) * 0x1p-23f - 1.0f, S);
}

uint64_t iotaBits(uint64_t I, Scalar S) {
  if (S == Scalar::Bool)
    return I != 0;
  return isFloat(S) ? narrowFloat(static_cast<float>(I), S) : I;
}

void putBits(std::byte *At, uint64_t Bits, uint32_t Bytes) {
  std::memcpy(At, &Bits, Bytes);
}

bool transpose(const ViewStep &Step, StridedView &V, std::string &Why) {
  StridedView Old = V;
  std::vector<bool> Used(Old.Shape.size());
  bool Good = Step.Numbers.size() == Old.Shape.size();
  for (size_t I = 0; Good && I < Step.Numbers.size(); ++I) {
    uint64_t Axis = Step.Numbers[I];
    Good = Axis < Used.size() && !Used[Axis];
    if (!Good)
      break;
    Used[Axis] = true;
    V.Shape[I] = Old.Shape[Axis];
    V.Strides[I] = Old.Strides[Axis];
  }
  if (!Good)
    Why = "transpose must name each of the " +
          std::to_string(Old.Shape.size()) + " axes once";
  return Good;
}

bool narrow(const ViewStep &Step, StridedView &V, std::string &Why) {
  uint64_t Axis = Step.Numbers[0], Start = Step.Numbers[1],
           Length = Step.Numbers[2];
  if (Axis >= V.Shape.size()) {
    Why = "narrow names axis " + std::to_string(Axis) + " of " +
          std::to_string(V.Shape.size());
    return false;
  }
  if (Start > V.Shape[Axis] || Length > V.Shape[Axis] - Start) {
    Why = "narrow goes past the end of axis " + std::to_string(Axis) +
          ", which has " + std::to_string(V.Shape[Axis]) + " elements";
    return false;
  }
  V.Offset += Start * V.Strides[Axis];
  V.Shape[Axis] = Length;
  return true;
}

/// Aligns the new shape with the old one at the last axis, as NumPy does.
bool broadcast(const ViewStep &Step, StridedView &V, std::string &Why) {
  size_t Rank = Step.Numbers.size(), OldRank = V.Shape.size();
  StridedView Old = V;
  bool Good = Rank >= OldRank;
  V.Shape.assign(Rank, 1);
  V.Strides.assign(Rank, 0);
  for (size_t I = 0; Good && I < Rank; ++I) {
    bool Present = I + OldRank >= Rank;
    uint64_t Have = Present ? Old.Shape[I + OldRank - Rank] : 1;
    uint64_t Stride = Present ? Old.Strides[I + OldRank - Rank] : 0;
    uint64_t Want = Step.Numbers[I];
    if (Want == ViewStep::KeepAxis)
      Want = Have;
    Good = Want == Have || Have == 1;
    V.Shape[I] = Want;
    V.Strides[I] = Want == Have ? Stride : 0;
  }
  if (!Good)
    Why = "broadcast only repeats axes of extent 1";
  return Good;
}

bool offset(const ViewStep &Step, StridedView &V, std::string &Why) {
  if (V.Shape.size() != 1 || Step.Numbers[0] > V.Shape[0]) {
    Why = "offset goes past the end";
    return false;
  }
  V.Offset += Step.Numbers[0] * V.Strides[0];
  V.Shape[0] -= Step.Numbers[0];
  return true;
}

} // namespace

std::optional<Scalar> scalarNamed(std::string_view Name) {
  for (size_t I = 0; I < std::size(Facts); ++I)
    if (Facts[I].Name == Name)
      return static_cast<Scalar>(I);
  return std::nullopt;
}

std::string_view scalarName(Scalar S) { return facts(S).Name; }
uint32_t scalarBytes(Scalar S) { return facts(S).Bytes; }
npy::DType scalarDType(Scalar S) { return {facts(S).Form, facts(S).Bytes, {}}; }

std::optional<uint64_t> scalarFromText(std::string_view Text, Scalar S,
                                       std::string &Why) {
  if (Text == "true" || Text == "false") {
    if (S == Scalar::Bool)
      return Text == "true";
    Why = quoted(Text) + " is no " + std::string(scalarName(S));
    return std::nullopt;
  }
  if (!isFloat(S))
    return integerFromText(Text, S, Why);
  std::optional<uint64_t> Bits = floatFromText(Text, S);
  bool Word = Text.find_first_of("iInN") != Text.npos; // inf, nan
  bool TooLarge = Bits && !Word && isInfinite(*Bits, S);
  if (!Bits || TooLarge)
    Why = quoted(Text) + (TooLarge ? " is out of range for " : " is no ") +
          std::string(scalarName(S));
  return TooLarge ? std::nullopt : Bits;
}

std::optional<ValueSpec> parseValueSpec(std::string_view Text,
                                        std::string &Why) {
  ValueSpec Out;
  if (Text.empty()) {
    Why = "the value is missing";
    return std::nullopt;
  }
  if (Text[0] == '@' || Text[0] == '&') {
    Out.Form = Text[0] == '@' ? ValueSpec::Kind::File : ValueSpec::Kind::Alias;
    Text.remove_prefix(1);
    if (!parseViews(Text, Out.Views, Why))
      return std::nullopt;
    Out.Text = Text;
    if (!Text.empty())
      return Out;
    Why = Out.Form == ValueSpec::Kind::File ? "the file's name is missing"
                                            : "the parameter's name is missing";
    return std::nullopt;
  }
  bool Good = true;
  if (parseGenerated(Text, Out, Why, Good))
    return Good ? std::optional<ValueSpec>(std::move(Out)) : std::nullopt;
  Out.Text = Text;
  std::string Ignored;
  if (Text == "true" || Text == "false" || floatFromText(Text, Scalar::F32))
    return Out;
  if (numberText(Text).Hex && integerFromText(Text, Scalar::U64, Ignored))
    return Out;
  Why = quoted(Text) + " is no number, `true`, `false`, `@file.npy`, "
                       "`TYPE[SHAPE]=…` or `&PARAM`";
  return std::nullopt;
}

std::optional<std::pair<std::string, std::string>>
splitAssignment(std::string_view Text) {
  size_t Equals = Text.find('=');
  if (Equals == Text.npos || Equals == 0)
    return std::nullopt;
  return std::pair(std::string(Text.substr(0, Equals)),
                   std::string(Text.substr(Equals + 1)));
}

std::optional<npy::Array> makeArray(const ValueSpec &S, std::string &Why) {
  if (S.Form == ValueSpec::Kind::File) {
    std::optional<npy::Array> A = npy::readFile(S.Text, Why);
    if (!A)
      Why = quoted(S.Text) + " " + Why;
    return A;
  }
  uint32_t Bytes = scalarBytes(S.Element);
  uint64_t Count = elementCount(S.Shape);
  npy::Array Out{scalarDType(S.Element), S.Shape, {}};
  Out.Data.resize(Count * Bytes);
  Pcg32 Generator(S.Seed);
  uint64_t Fill = 0;
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t Bits = Fill;
    if (S.Form == ValueSpec::Kind::Iota)
      Bits = iotaBits(I, S.Element);
    else if (S.Form == ValueSpec::Kind::Random)
      Bits = randomBits(Generator, S.Element);
    else if (S.Form == ValueSpec::Kind::List || I == 0) {
      std::optional<uint64_t> Item = scalarFromText(S.Items[I], S.Element, Why);
      if (!Item)
        return std::nullopt;
      Bits = Fill = *Item;
    }
    putBits(Out.Data.data() + I * Bytes, Bits, Bytes);
  }
  return Out;
}

std::vector<std::byte> elementsInOrder(const StridedView &V,
                                       std::span<const std::byte> Parent,
                                       uint64_t ElementBytes) {
  std::vector<uint64_t> At(V.Shape.size());
  uint64_t Count = elementCount(V.Shape), From = V.Offset;
  std::vector<std::byte> Out(Count * ElementBytes);
  for (uint64_t N = 0; N < Count; ++N) {
    std::copy_n(Parent.begin() + static_cast<ptrdiff_t>(From * ElementBytes),
                ElementBytes,
                Out.begin() + static_cast<ptrdiff_t>(N * ElementBytes));
    for (size_t A = At.size(); A-- > 0;) { // the next index, last axis first
      From += V.Strides[A];
      if (++At[A] < V.Shape[A])
        break;
      From -= V.Strides[A] * V.Shape[A];
      At[A] = 0;
    }
  }
  return Out;
}

StridedView wholeView(const std::vector<uint64_t> &Shape) {
  StridedView V;
  V.Shape = Shape;
  V.Strides.resize(Shape.size());
  uint64_t Stride = 1;
  for (size_t I = Shape.size(); I-- > 0;) {
    V.Strides[I] = Stride;
    Stride *= Shape[I];
  }
  return V;
}

bool applyViews(const std::vector<ViewStep> &Steps, StridedView &V,
                std::string &Why) {
  for (const ViewStep &Step : Steps) {
    bool Good = Step.Form == ViewStep::Kind::Transpose ? transpose(Step, V, Why)
                : Step.Form == ViewStep::Kind::Narrow  ? narrow(Step, V, Why)
                : Step.Form == ViewStep::Kind::Broadcast
                    ? broadcast(Step, V, Why)
                    : offset(Step, V, Why);
    if (!Good)
      return false;
  }
  return true;
}

std::optional<std::array<uint64_t, 3>> parseGrid(std::string_view Text,
                                                 std::string &Why) {
  std::array<uint64_t, 3> Out{1, 1, 1};
  std::vector<std::string_view> Items = split(Text, ',');
  bool Good = Items.size() <= 3;
  for (size_t I = 0; Good && I < Items.size(); ++I)
    Good = parseCount(Items[I], Out[I]) && Out[I] <= 0xffffffffu;
  if (Good)
    return Out;
  Why = "malformed grid " + quoted(Text) + ", expected up to three numbers";
  return std::nullopt;
}

uint16_t halfFromFloatBits(uint32_t Bits) {
  uint32_t Sign = Bits >> 16 & 0x8000u;
  uint32_t Magnitude = Bits & 0x7fffffffu;
  if (Magnitude > 0x7f800000u)
    return static_cast<uint16_t>(Sign | 0x7e00u);
  if (Magnitude >= 0x47800000u) // 2^16 and more, infinity included
    return static_cast<uint16_t>(Sign | 0x7c00u);
  // Drop `Shift` bits of the significand with the hidden bit in place.
  uint32_t Exponent = Magnitude >> 23;
  uint32_t Significand = Magnitude & 0x7fffffu;
  uint32_t Shift = 13, Base = 0;
  if (Exponent >= 113) {
    Base = (Exponent - 112) << 10;
  } else {
    Shift = 126 - Exponent;
    Significand |= 0x800000u;
    if (Exponent < 102) // below half of the least subnormal
      return static_cast<uint16_t>(Sign);
  }
  uint32_t Kept = Base + (Significand >> Shift);
  uint32_t Rest = Significand & ((1u << Shift) - 1), Half = 1u << (Shift - 1);
  if (Rest > Half || (Rest == Half && (Kept & 1)))
    ++Kept;
  return static_cast<uint16_t>(Sign | Kept);
}

uint16_t bfloatFromFloatBits(uint32_t Bits) {
  if ((Bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((Bits >> 16 & 0x8000u) | 0x7fc0u);
  uint32_t Rounded = Bits + 0x7fffu + (Bits >> 16 & 1);
  return static_cast<uint16_t>(Rounded >> 16);
}

} // namespace goldy
