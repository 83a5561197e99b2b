//===- FloatRangesTest.cpp - What a number may be anywhere ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranges by hand, and random kernels run by the interpreter on arguments of all
// kinds: every value that it stores lies in the value's range.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/FloatRanges.h"

#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Verify/Verify.h"

#include <catch2/catch.hpp>

#include <bit>
#include <limits>
#include <random>
#include <sstream>

using namespace goldy;

namespace {

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr uint32_t Items = 128;

/// fn k(x: &[f32], y: &[f32], z: &[u32], r: &mut [f32], q: &mut [u32])
Module parsed(const std::string &Body) {
  SourceManager SM;
  FileId File = SM.add(
      "t", "#![goldy::ir]\n#[goldy::compute(workgroup_size = [64, 1, 1])]\n"
           "fn k(x: &[f32], y: &[f32], z: &[u32], r: &mut [f32], "
           "q: &mut [u32]) {\n" +
               Body + "\n}\n");
  DiagSink Diags;
  std::optional<Module> M = parseIRText(SM, File, Diags);
  for (const Diagnostic &D : Diags.diagnostics())
    UNSCOPED_INFO(SM.lineColumn(File, D.Where.Begin).Line << D.Message);
  UNSCOPED_INFO(Body);
  REQUIRE(M);
  std::string Why;
  bool Sound = isWellFormed(*M, Why);
  UNSCOPED_INFO(Why);
  REQUIRE(Sound);
  return std::move(*M);
}

ValueId named(const Function &F, std::string_view Name) {
  for (uint32_t I = 0; I < F.Insts.size(); ++I)
    if (F.nameOf(InstId(I)) == Name)
      return InstId(I);
  FAIL("no value " << Name);
  return {};
}

const Function &kernel(const Module &M) { return M.Functions[M.kernels()[0]]; }

struct Case {
  Module M;
  FloatRanges Ranges;
  explicit Case(const std::string &Body)
      : M(parsed(Body)), Ranges(M, kernel(M)) {}
  FloatRange of(std::string_view Name) const {
    return Ranges.of(named(kernel(M), Name));
  }
  Interval integer(std::string_view Name) const {
    return Ranges.integer(named(kernel(M), Name));
  }
};

// --- Random kernels

/// Lines of straight code, choices and loops; `f` floats, `u` and `s` integers.
class Writer {
public:
  explicit Writer(uint32_t Seed) : Generator(Seed) {}
  std::string body();
  std::vector<std::string> Floats, Unsigned, Signed;

private:
  uint32_t below(uint32_t N) { return static_cast<uint32_t>(Generator()) % N; }
  std::string any(const std::vector<std::string> &From) {
    // Rather a late one.
    size_t Late = std::min<size_t>(From.size(), 6);
    return From[From.size() - 1 - below(below(3) ? Late : From.size())];
  }
  std::string fresh(const char *Kind) { return Kind + std::to_string(++Count); }
  std::string define(std::vector<std::string> &To, const char *Type,
                     const std::string &What);
  std::string number();
  void floatLine();
  void choiceLine();
  std::string condition(const std::string &A, const std::string &B);
  void integerLine();
  void loopLines();

  std::mt19937 Generator;
  std::ostringstream Out;
  unsigned Count = 0;
};

std::string Writer::define(std::vector<std::string> &To, const char *Type,
                           const std::string &What) {
  std::string Name = fresh(Type);
  Out << "let " << Name << ": " << Type << " = " << What << ";\n";
  To.push_back(Name);
  return Name;
}

/// A constant, often one that matters.
std::string Writer::number() {
  static const uint32_t Words[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x42b00000, 0xc2ae0000,
      0x3fb8aa3b, 0x4f000000, 0xcf000000, 0x00800000, 0x80800000, 0x00000001,
      0x807fffff, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
      0x4b400000, 0x5f800000, 0x20000000, 0x1fffffff, 0x3f000000, 0xbf317218};
  uint32_t Word = below(3) ? Words[below(std::size(Words))]
                           : static_cast<uint32_t>(Generator());
  return define(Floats, "f32",
                "f32::from_bits(" + std::to_string(Word) + "u32)");
}

void Writer::floatLine() {
  static const char *const One[] = {"gpu::abs",  "gpu::neg",       "gpu::floor",
                                    "gpu::ceil", "gpu::trunc",     "gpu::round",
                                    "gpu::sqrt", "gpu::round_even"};
  static const char *const Two[] = {"gpu::min", "gpu::max", "gpu::copysign"};
  static const char *const Infix[] = {" + ", " - ", " * ", " / ", " % "};
  std::string A = any(Floats), B = any(Floats), C = any(Floats);
  std::string What;
  switch (below(10)) {
  case 0: {
    uint32_t Which = below(std::size(One));
    What = Which == 1 ? "-" + A : One[Which] + ("(" + A + ")");
    break;
  }
  case 1:
  case 2:
    What = Two[below(std::size(Two))] + ("(" + A + ", " + B + ")");
    break;
  case 3:
    What = "gpu::fma(" + A + ", " + B + ", " + C + ")";
    break;
  case 4:
    What = any(below(2) ? Signed : Unsigned) + " as f32";
    break;
  case 5:
    What = "f32::from_bits(" + any(Unsigned) + ")";
    break;
  case 6:
    What = A + " * " + A;
    break;
  case 7: // a clamp
    define(Floats, "f32", "gpu::max(" + A + ", " + number() + ")");
    What = "gpu::min(" + Floats.back() + ", " + number() + ")";
    break;
  default:
    What = A + Infix[below(std::size(Infix))] + B;
  }
  define(Floats, "f32", What);
}

std::string Writer::condition(const std::string &A, const std::string &B) {
  static const char *const Signs[] = {" < ",  " <= ", " > ",
                                      " >= ", " == ", " != "};
  std::vector<std::string> Dropped;
  return define(Dropped, "bool", A + Signs[below(std::size(Signs))] + B);
}

void Writer::choiceLine() {
  std::string A = any(Floats), B = below(2) ? number() : any(Floats);
  std::string Condition = condition(A, B);
  std::vector<std::string> Dropped;
  if (below(3) == 0)
    Condition = define(Dropped, "bool",
                       Condition + (below(2) ? " & " : " | ") +
                           condition(below(2) ? A : any(Floats), number()));
  if (below(3) == 0)
    Condition = define(Dropped, "bool", "!" + Condition);
  std::string First = below(4) ? A : any(Floats);
  std::string Second = below(2) ? B : below(2) ? A : any(Floats);
  if (below(2))
    std::swap(First, Second);
  define(Floats, "f32",
         "gpu::select(" + Condition + ", " + First + ", " + Second + ")");
}

void Writer::integerLine() {
  static const char *const Infix[] = {" + ", " - ", " * ", " & ",
                                      " | ", " ^ ", " / ", " % "};
  bool Wants = below(2);
  std::vector<std::string> &Kind = Wants ? Signed : Unsigned;
  const char *Type = Wants ? "i32" : "u32";
  std::string A = any(Kind), What;
  switch (below(6)) {
  case 0:
    What = any(Floats) + " as " + Type;
    break;
  case 1:
    What = any(Wants ? Unsigned : Signed) + " as " + Type;
    break;
  case 2:
    What = A + (below(2) ? " << " : " >> ") + std::to_string(below(32)) + "u32";
    break;
  case 3:
    What =
        A + Infix[below(std::size(Infix))] + std::to_string(below(300)) + Type;
    break;
  case 4:
    define(Unsigned, "u32", "gpu::to_bits(" + any(Floats) + ")");
    return;
  default:
    What = A + Infix[below(std::size(Infix))] + any(Kind);
  }
  define(Kind, Type, What);
}

/// Three rounds of a variable, and what it holds then.
void Writer::loopLines() {
  std::string Slot = fresh("m"), Counter = fresh("c"), Label = fresh("'l");
  Out << "let mut " << Slot << ": f32;\n"
      << Slot << " = " << any(Floats) << ";\n"
      << "let mut " << Counter << ": u32;\n"
      << Counter << " = 0u32;\n"
      << Label << ": loop {\n";
  std::vector<std::string> Before = Floats, BeforeUnsigned = Unsigned,
                           BeforeSigned = Signed;
  std::string At = define(Unsigned, "u32", Counter);
  std::vector<std::string> Dropped;
  std::string Ends = define(Dropped, "bool", At + " >= 3u32");
  Out << "if " << Ends << " {\nbreak " << Label << ";\n}\n";
  define(Floats, "f32", Slot);
  for (unsigned N = 0; N < 3; ++N)
    below(3) ? floatLine() : below(2) ? choiceLine() : integerLine();
  Out << Slot << " = " << any(Floats) << ";\n";
  std::string Next = define(Dropped, "u32", At + " + 1u32");
  Out << Counter << " = " << Next << ";\n}\n";
  Floats = Before;
  Unsigned = BeforeUnsigned;
  Signed = BeforeSigned;
  define(Floats, "f32", Slot);
}

std::string Writer::body() {
  std::vector<std::string> Dropped;
  Out << "let i: u32 = gpu::global_id().x;\n";
  define(Floats, "f32", "x[i]");
  define(Floats, "f32", "y[i]");
  define(Unsigned, "u32", "z[i]");
  define(Signed, "i32", Unsigned[0] + " as i32");
  for (unsigned N = 0; N < 16; ++N)
    switch (below(8)) {
    case 0:
    case 1:
      choiceLine();
      break;
    case 2:
    case 3:
      integerLine();
      break;
    case 4:
      loopLines();
      break;
    default:
      floatLine();
    }
  auto Store = [&](const std::string &To, const std::vector<std::string> &All) {
    for (size_t N = 0; N < All.size(); ++N) {
      std::string Start =
          define(Dropped, "u32", std::to_string(N * Items) + "u32 + i");
      Out << To << "[" << Start << "] = " << All[N] << ";\n";
    }
  };
  Store("r", Floats);
  for (std::string &Name : Signed)
    define(Unsigned, "u32", Name + " as u32");
  Store("q", Unsigned);
  return Out.str();
}

/// Bits of every kind.
uint32_t argument(std::mt19937 &Generator) {
  static const uint32_t Words[] = {
      0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
      0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x42aeac50, 0xc2aeac50,
      0x4f000000, 0xcf000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
      0x7fc00000, 0xffc00001, 0x7f800001, 0x4b000001, 0x3effffff, 0x3f000001};
  uint32_t Word = static_cast<uint32_t>(Generator());
  switch (Generator() % 4) {
  case 0:
    return Words[Word % std::size(Words)];
  case 1: // near one
    return (Word & 0x807fffffu) | (112 + Word % 30) << 23;
  case 2:
    return Word % 1000;
  default:
    return Word;
  }
}

struct Run {
  std::vector<uint32_t> X, Y, Z, R, Q;
  std::span<std::byte> bytes(std::vector<uint32_t> &V) {
    return std::as_writable_bytes(std::span(V));
  }
  Run(const Module &M, uint32_t Seed, size_t Floats, size_t Words)
      : X(Items), Y(Items), Z(Items), R(Floats * Items), Q(Words * Items) {
    std::mt19937 Generator(Seed);
    for (uint32_t N = 0; N < Items; ++N) {
      X[N] = argument(Generator);
      Y[N] = argument(Generator);
      Z[N] = argument(Generator);
    }
    InterpArgument Arguments[5];
    std::vector<uint32_t> *Buffers[] = {&X, &Y, &Z, &R, &Q};
    for (unsigned N = 0; N < 5; ++N)
      Arguments[N].Bytes = bytes(*Buffers[N]);
    std::optional<InterpFault> Fault =
        interpret(M, M.kernels()[0], {Items / 64, 1, 1}, Arguments);
    INFO((Fault ? Fault->Message : ""));
    REQUIRE(!Fault);
  }
};

} // namespace

TEST_CASE("every value lies in its range") {
  unsigned Narrow = 0, All = 0;
  for (uint32_t Seed = 1; Seed <= 400; ++Seed) {
    Writer W(Seed);
    std::string Body = W.body();
    Module M = parsed(Body);
    const Function &F = kernel(M);
    FloatRanges Ranges(M, F);
    Run Got(M, Seed, W.Floats.size(), W.Unsigned.size());
    for (size_t N = 0; N < W.Floats.size(); ++N) {
      FloatRange Range = Ranges.of(named(F, W.Floats[N]));
      ++All;
      Narrow += !(Range == FloatRange::any());
      for (uint32_t Item = 0; Item < Items; ++Item)
        if (uint32_t Bits = Got.R[N * Items + Item]; !Range.contains(Bits)) {
          INFO(Body);
          FAIL("seed " << Seed << ": " << W.Floats[N] << " is 0x" << std::hex
                       << Bits << " outside " << Range.Lo << " to "
                       << Range.Hi);
        }
    }
    for (size_t N = 0; N < W.Unsigned.size(); ++N) {
      Interval Range = Ranges.integer(named(F, W.Unsigned[N]));
      for (uint32_t Item = 0; Item < Items; ++Item)
        if (uint32_t Word = Got.Q[N * Items + Item];
            Word < Range.Lo || Word > Range.Hi) {
          INFO(Body);
          FAIL("seed " << Seed << ": " << W.Unsigned[N] << " is " << Word
                       << " outside " << Range.Lo << " to " << Range.Hi);
        }
    }
  }
  // Not by knowing nothing.
  CHECK(Narrow > All / 2);
}

TEST_CASE("outcomes of comparisons are what they are") {
  unsigned Decided = 0;
  for (uint32_t Seed = 1; Seed <= 400; ++Seed) {
    Writer W(Seed);
    Module M = parsed(W.body());
    const Function &F = kernel(M);
    FloatRanges Ranges(M, F);
    Module Constant = M;
    Function &Changed = Constant.Functions[Constant.kernels()[0]];
    for (uint32_t N = 0; N < F.Insts.size(); ++N) {
      Inst &I = Changed.Insts[InstId(N)];
      if (I.Opcode < Op::Eq || I.Opcode > Op::Ge)
        continue;
      if (std::optional<bool> Always = Ranges.outcome(InstId(N))) {
        ++Decided;
        // 0 == 0, or 0 != 0, of integers: the same whatever is compared.
        ValueId Zero = named(F, W.Unsigned[0]);
        I.Opcode = *Always ? Op::Eq : Op::Ne;
        Changed.OperandPool[I.FirstOperand] = Zero;
        Changed.OperandPool[I.FirstOperand + 1] = Zero;
      }
    }
    Run A(M, Seed, W.Floats.size(), W.Unsigned.size());
    Run B(Constant, Seed, W.Floats.size(), W.Unsigned.size());
    CHECK(A.R == B.R);
    CHECK(A.Q == B.Q);
  }
  CHECK(Decided > 100);
}

TEST_CASE("an exponential of a clamped argument") {
  Case K(R"(
    let i: u32 = gpu::global_id().x;
    let a: f32 = x[i];
    let low: f32 = gpu::max(a, -87.0f32);
    let v: f32 = gpu::min(low, 88.0f32);
    let scaled: f32 = v * 1.442695f32;
    let k: f32 = gpu::round_even(scaled);
    let whole: i32 = k as i32;
    let biased: i32 = whole + 127i32;
    let shifted: i32 = biased << 23u32;
    let word: u32 = shifted as u32;
    let power: f32 = f32::from_bits(word);
    let product: f32 = power * v;
    r[i] = product;)");
  CHECK(K.of("a") == FloatRange::any());
  CHECK(K.of("v").isWithin(-87, 88));
  CHECK(K.of("k").isWithin(-126, 127));
  CHECK(K.integer("biased") == Interval{1, 254});
  CHECK(K.of("power") == FloatRange::numbers(0x1p-126f, 0x1p127f));
  CHECK(!K.of("product").MayNan);
  CHECK(K.of("product").Hi == Infinity);
}

TEST_CASE("loops grow without an end") {
  Case K(R"(
    let i: u32 = gpu::global_id().x;
    let mut most: f32;
    let mut sum: f32;
    most = -1.0f32;
    sum = 0.0f32;
    'l: loop {
      let a: f32 = x[i];
      let before: f32 = most;
      let after: f32 = gpu::max(before, a);
      most = after;
      let one: f32 = sum;
      let next: f32 = one + 1.0f32;
      sum = next;
      let ends: bool = next > 100.0f32;
      if ends {
        break 'l;
      }
    }
    let at: f32 = most;
    let counted: f32 = sum;
    r[i] = at;
    r[i] = counted;)");
  CHECK(K.of("at").isWithin(-1, Infinity)); // never a NaN
  CHECK(K.of("counted").isWithin(0, Infinity));
}

TEST_CASE("choices and what their conditions say") {
  Case K(R"(
    let i: u32 = gpu::global_id().x;
    let a: f32 = x[i];
    let small: bool = a < 1.0f32;
    let first: f32 = gpu::select(small, a, 1.0f32);
    let second: f32 = gpu::select(small, 1.0f32, a);
    let large: bool = a >= 0.0f32;
    let both: bool = small & large;
    let unit: f32 = gpu::select(both, a, 0.5f32);
    let word: u32 = gpu::to_bits(unit);
    r[i] = first;
    r[i] = second;
    q[i] = word;)");
  CHECK(K.of("first").isWithin(-Infinity, 1));
  CHECK(K.of("second").MayNan);
  CHECK(K.of("second").Lo == 1);
  // Subnormals are compared as zero, of any sign.
  CHECK(K.of("unit").MaySubnormal);
  CHECK(K.of("unit").contains(0x80000001u));
  CHECK(!K.of("unit").contains(0x80800001u));
}

TEST_CASE("arithmetic that a device may do otherwise says nothing") {
  Module M = parsed(R"(
    let i: u32 = gpu::global_id().x;
    let a: f32 = x[i];
    let v: f32 = gpu::max(a, 1.0f32);
    r[i] = v;)");
  M.Floats = FloatMode::Fast;
  FloatRanges Ranges(M, kernel(M));
  CHECK(Ranges.of(named(kernel(M), "v")) == FloatRange::any());
}
