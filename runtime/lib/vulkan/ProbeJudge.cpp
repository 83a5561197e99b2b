//===- ProbeJudge.cpp - What a device should have answered ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference is the language's rule: the exact result rounded to 24 bits
// with unbounded exponent, zero of its sign below 2^-126. Sums, products,
// quotients and roots of f32 in double have more than twice the bits, so
// rounding them again is exact (S. Figueroa, "When is double rounding
// innocuous?"); the fused result is first rounded to odd.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Probe.h"

#include <bit>
#include <cmath>
#include <functional>

using namespace goldy::rt::vk;

namespace {

constexpr uint32_t SignBit = 0x80000000u;

float ofBits(uint32_t X) { return std::bit_cast<float>(X); }
uint32_t bitsOf(float X) { return std::bit_cast<uint32_t>(X); }

/// What images make of a quotient: subnormals are flushed, and so is 2^-126
/// where the exact value is less.
uint32_t flushedQuotient(uint32_t Q, uint32_t A, uint32_t B) {
  constexpr uint32_t Least = 0x00800000;
  uint32_t Size = Q & ~SignBit;
  bool Less = (A & ~SignBit) < (B & ~SignBit) - 0x3f000000u;
  return Size < Least || (Size == Least && Less) ? Q & SignBit : Q;
}

bool same(uint32_t Got, float Want) {
  return std::isnan(Want) ? std::isnan(ofBits(Got)) : Got == bitsOf(Want);
}

float byRule(double Exact) {
  if (Exact == 0 || !std::isfinite(Exact))
    return static_cast<float>(Exact);
  int Exponent = 0;
  double Significand = std::frexp(std::fabs(Exact), &Exponent);
  double Rounded =
      std::ldexp(std::nearbyint(std::ldexp(Significand, 24)), Exponent - 24);
  if (Rounded < 0x1p-126)
    return std::copysign(0.0f, static_cast<float>(Exact < 0 ? -1 : 1));
  float Result = Rounded >= 0x1p128 ? INFINITY : static_cast<float>(Rounded);
  return Exact < 0 ? -Result : Result;
}

/// The sum, rounded to odd: an inexact one has an odd last bit.
double oddSum(double A, double B) {
  double Sum = A + B;
  double Back = Sum - A, Error = (A - (Sum - Back)) + (B - Back);
  if (!std::isfinite(Sum) || Error == 0 || (std::bit_cast<uint64_t>(Sum) & 1))
    return Sum;
  return std::nextafter(Sum, Error > 0 ? INFINITY : -INFINITY);
}

bool isSubnormal(uint32_t X) {
  return (X & ~SignBit) != 0 && (X & ~SignBit) < 0x00800000;
}
float read(uint32_t X) { return ofBits(isSubnormal(X) ? X & SignBit : X); }

ProbeRow expectedBits(const ProbeCase &Case) {
  float A = read(Case[0]), B = read(Case[1]), C = read(Case[2]);
  double X = A, Y = B, Z = C;
  float Product = byRule(X * Y);
  const float Want[NumProbeResults] = {
      byRule(X + Y),
      byRule(X - Y),
      Product,
      byRule(X / Y),
      byRule(std::sqrt(X)),
      byRule(oddSum(X * Y, Z)),
      byRule(double(Product) + Z),
      A,
      A,
      A,
      A + 0.0f,
      A * 0.0f,
      0.0f - A,
      A - A,
      byRule(X / 3),
      byRule(X + Z),
      Product,
      X * Y == 0 ? Product + 0.0f : Product,
      static_cast<float>(Case[0]),
      static_cast<float>(static_cast<int32_t>(Case[0]))};
  ProbeRow Row;
  for (uint32_t R = 0; R < NumProbeResults; ++R)
    Row[R] = bitsOf(Want[R]);
  return Row;
}

class Random {
public:
  uint32_t word() {
    State = State * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(State >> 32);
  }
  /// A normal number with an exponent field in [Least, Most].
  uint32_t real(uint32_t Least, uint32_t Most) {
    uint32_t Exponent = Least + word() % (Most - Least + 1);
    return (word() & 0x807fffffu) | Exponent << 23;
  }

private:
  uint64_t State = 0x853c49e6748fea9bull;
};

constexpr uint32_t Edges[] = {
    0x00000000, 0x80000000, 0x00800000, 0x80800000, 0x00800001, 0x00ffffff,
    0x1f800000, 0x20000000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000,
    0xbf800000, 0x3f800001, 0x40000000, 0x40400000, 0x4b000000, 0x4b7fffff,
    0x7e800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000};

void addEdges(std::vector<ProbeCase> &Out) {
  uint32_t Turn = 0;
  for (uint32_t A : Edges)
    for (uint32_t B : Edges)
      Out.push_back({A, B, Edges[Turn++ % std::size(Edges)], 0});
}

/// Products and fused sums on both sides of 2^-126 by single last places.
void addBorder(std::vector<ProbeCase> &Out) {
  for (uint32_t Below = 0; Below < 24; ++Below)
    for (uint32_t Above = 0; Above < 24; ++Above) {
      uint32_t Sign = (Below + Above) % 2 ? SignBit : 0;
      Out.push_back({0x3f800000 - Below, (0x00800000 + Above) | Sign,
                     Above % 3 ? 0 : SignBit, 0});
      Out.push_back({0x3f000000 + Above, (0x01000000 - Below) | Sign, 0, 0});
    }
}

/// Quotients and roots whose rounding is as hard as it gets: their operands
/// come from results that lie halfway; and fused sums that cancel.
void addHard(std::vector<ProbeCase> &Out, Random &R) {
  for (unsigned N = 0; N < 2000; ++N) {
    double Half = 1 + (R.word() >> 9) * 0x1p-23 + 0x1p-24;
    uint32_t B = R.real(96, 158);
    float Dividend = static_cast<float>(Half * ofBits(B));
    Out.push_back({bitsOf(Dividend) + N % 3 - 1, B, R.real(1, 254), 0});
    float Square = static_cast<float>(Half * Half * (N % 2 ? 2 : 1));
    uint32_t Other = R.real(120, 134);
    float Cancels = -static_cast<float>(double(Square) * ofBits(Other));
    Out.push_back({bitsOf(Square), Other, bitsOf(Cancels), 0});
  }
}

/// Each operand subnormal in turn, beside values of every size.
void addSubnormal(std::vector<ProbeCase> &Out, Random &R) {
  constexpr uint32_t Numbers = 0x807fffff;
  for (unsigned N = 0; N < 1500; ++N) {
    uint32_t Tiny = R.word() & Numbers, Low = R.real(1, 40);
    uint32_t Any = R.real(1, 254), One = N % 2 ? 0x3f800000 : 0xbf800000;
    Out.push_back({Tiny, N % 8 ? Any : One, N % 3 ? Low : SignBit, 0});
    Out.push_back({N % 8 ? Any : One, Tiny, N % 3 ? Low : 0, 0});
    Out.push_back({R.real(40, 90), R.real(40, 90), Tiny, 0});
  }
}

} // namespace

std::vector<ProbeCase> goldy::rt::vk::probeCases() {
  std::vector<ProbeCase> Cases;
  Random R;
  addEdges(Cases);
  addBorder(Cases);
  addHard(Cases, R);
  for (unsigned N = 0; N < 3000; ++N) {
    Cases.push_back({R.real(1, 254), R.real(1, 254), R.real(1, 254), 0});
    Cases.push_back({R.real(118, 136), R.real(118, 136), R.real(118, 136), 0});
    Cases.push_back({R.real(56, 72), R.real(56, 72), R.real(1, 24), 0});
  }
  addSubnormal(Cases, R);
  while (Cases.size() % 64)
    Cases.push_back(Cases[Cases.size() % 7]);
  return Cases;
}

static const char *unfit(const ProbeRow &Got, const ProbeRow &Want) {
  for (uint32_t R : {Added, Subtracted, Multiplied}) {
    bool Settled =
        std::fabs(ofBits(Want[R])) > 0x1p-126f || std::isnan(ofBits(Want[R]));
    if (Settled && !same(Got[R], ofBits(Want[R])))
      return R == Multiplied ? "products" : "sums";
  }
  for (uint32_t R : {FromUnsigned, FromSigned})
    if (Got[R] != Want[R])
      return "conversions of integers";
  return nullptr;
}

namespace {

/// What is right so far.
struct Verdict {
  bool Sums = true, Div = true, Sqrt = true, Fma = true, FusedFolds = true;
  uint32_t switches() const {
    auto Bit = [](bool On, Switch S) {
      return uint32_t(On) << static_cast<uint32_t>(S);
    };
    return Bit(Sums && (!Fma || FusedFolds), Switch::Sums) |
           Bit(Div, Switch::Div) | Bit(Sqrt, Switch::Sqrt) |
           Bit(Fma, Switch::Fma);
  }
};

using IsRight = std::function<bool(uint32_t)>;

/// With a subnormal operand: images leave it to a device with both switches,
/// but flush it beside a 1.0, a -0.0 or, in a difference, a 0.0 that the driver
/// may know.
void judgeSubnormal(const IsRight &Right, Verdict &V) {
  for (uint32_t R : {Added, Subtracted, Multiplied, MultiplyAdd, PlusZero,
                     TimesZero, MinusSelf})
    V.Sums &= Right(R);
  V.Fma &= Right(Fused);
  for (uint32_t R : {FusedOne, FusedMinusZero, FusedZero})
    V.FusedFolds &= Right(R);
}

void judgeNormal(const ProbeCase &Case, const ProbeRow &Got,
                 const ProbeRow &Want, const IsRight &Right, Verdict &V) {
  auto RightQuotient = [&](uint32_t R, uint32_t Divisor) {
    return same(flushedQuotient(Got[R], Case[0], Divisor), ofBits(Want[R]));
  };
  for (uint32_t R :
       {Added, Subtracted, Multiplied, MultiplyAdd, TimesOne, PlusMinusZero,
        MinusZero, PlusZero, TimesZero, FromZero, MinusSelf})
    V.Sums &= Right(R);
  V.Div &=
      RightQuotient(Divided, Case[1]) && RightQuotient(Third, bitsOf(3.0f));
  V.Sqrt &= Right(Root);
  V.Fma &= Right(Fused);
  for (uint32_t R : {FusedOne, FusedMinusZero, FusedZero})
    V.FusedFolds &= Right(R);
}

} // namespace

uint32_t goldy::rt::vk::judgeProbe(std::span<const ProbeCase> Cases,
                                   std::span<const ProbeRow> Rows,
                                   std::string &Fault) {
  Verdict V;
  for (size_t N = 0; N < Cases.size(); ++N) {
    const ProbeRow &Got = Rows[N];
    ProbeRow Want = expectedBits(Cases[N]);
    auto Right = [&](uint32_t R) { return same(Got[R], ofBits(Want[R])); };
    const ProbeCase &C = Cases[N];
    if (isSubnormal(C[0]) || isSubnormal(C[1]) || isSubnormal(C[2])) {
      judgeSubnormal(Right, V);
      continue;
    }
    if (const char *What = unfit(Got, Want))
      Fault = std::string("its ") + What + " are not correctly rounded";
    judgeNormal(C, Got, Want, Right, V);
  }
  return V.switches();
}
