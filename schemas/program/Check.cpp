//===- Check.cpp - The rules of program descriptions ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk over a description's lists. Numbers, counts and nesting come first:
// all later arithmetic rests on them.
//
//===----------------------------------------------------------------------===//
#include "program/Checker.h"

#include "program/Fields.h"
#include "program/Numbers.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <type_traits>

using namespace goldy::program;

static constexpr RuleInfo Rules[] = {
#define RULE(Name, Number, Class, Sentence)                                    \
  {Number, RuleClass::Class, Sentence},
#include "program/Rules.def"
#undef RULE
};

const RuleInfo &goldy::program::ruleInfo(Rule R) {
  return Rules[static_cast<size_t>(R)];
}

bool Checker::fail(Rule R, const Place &At, const std::string &What) {
  if (Found)
    return false;
  std::string Text = At.text(), Message = Text;
  if (Now && Now->Device >= 0 &&
      static_cast<size_t>(Now->Device) < P.Devices.size()) {
    size_t D = static_cast<size_t>(Now->Device);
    bool Known = On && D < On->Devices.size();
    Message += ", device " + std::to_string(D) + " (`" +
               (Known ? On->Devices[D].Name : P.Devices[D]) + "`)";
  }
  Message += (Message.empty() ? "" : ": ") + What + "; rule " +
             ruleInfo(R).Number + ": " + ruleInfo(R).Sentence;
  Found = Refusal{R, Text, Message};
  return false;
}

//===-- Numbers, counts, nesting ------------------------------------------===//

namespace {

/// Visits every number of a description.
class NumberWalk {
public:
  template <class T> void field(const char *Name, const T &X) {
    Place Here{At, Name};
    At = &Here;
    walk(X);
    At = Here.Up;
  }
  template <class T, class D>
  void field(const char *Name, const T &X, const D &) {
    field(Name, X);
  }

  bool Bad = false;
  Rule Broken{};
  Number Value = 0;
  std::string Where;

private:
  void refuse(Rule R, Number N) {
    if (Bad)
      return;
    Bad = true;
    Broken = R;
    Value = N;
    Where = At->text();
  }
  void walk(const Number &N) {
    if (!isNumber(N))
      refuse(Rule::NumberRange, N);
  }
  void walk(const std::string &) {}
  template <class T> void walk(const std::vector<T> &List) { all(List); }
  template <class T, size_t N> void walk(const std::array<T, N> &List) {
    all(List);
  }
  template <class List> void all(const List &L) {
    const Place *Field = At;
    Place Here = *Field;
    Here.Index = 0;
    At = &Here;
    for (const typename List::value_type &X : L) {
      if (Bad)
        break;
      walk(X);
      ++Here.Index;
    }
    At = Field;
  }
  template <class T> void walk(const std::optional<T> &X) {
    if (X)
      walk(*X);
  }
  template <class... A> void walk(const std::variant<A...> &X) {
    std::visit([this](const auto &Y) { this->walk(Y); }, X);
  }
  void walk(const Step &S) {
    if (++Steps > limits::Steps)
      refuse(Rule::StepLimit, static_cast<Number>(limits::Steps + 1));
    else
      walk(S.Kind);
  }
  void walk(const Loop &L) {
    if (++Nesting > limits::Nesting)
      refuse(Rule::NestingLimit, static_cast<Number>(Nesting));
    else
      Fields<Loop>::visit(*this, L);
    --Nesting;
  }
  template <class T> void walk(const T &X) {
    if constexpr (!std::is_enum_v<T>)
      Fields<T>::visit(*this, X);
  }

  const Place *At = nullptr;
  uint64_t Steps = 0;
  unsigned Nesting = 0;
};

} // namespace

Refusal goldy::program::refusalAt(Rule R, const Place &At,
                                  const std::string &What) {
  std::string Where = At.text();
  return {R, Where,
          Where + (Where.empty() ? "" : ": ") + What + "; rule " +
              ruleInfo(R).Number + ": " + ruleInfo(R).Sentence};
}

template <class T> static std::optional<Refusal> numbersOf(const T &X) {
  if (X.Images.size() > limits::Images)
    return refusalAt(Rule::ImageLimit, {nullptr, "images"},
                     std::to_string(X.Images.size()) + " images");
  NumberWalk Walk;
  Fields<T>::visit(Walk, X);
  if (!Walk.Bad)
    return std::nullopt;
  const char *What = Walk.Broken == Rule::StepLimit      ? "step number "
                     : Walk.Broken == Rule::NestingLimit ? "a loop at depth "
                                                         : "the number ";
  return refusalAt(Walk.Broken, {nullptr, Walk.Where.c_str()},
                   What + std::to_string(Walk.Value));
}

std::optional<Refusal> goldy::program::checkNumbers(const ProgramDesc &P) {
  return numbersOf(P);
}
std::optional<Refusal> goldy::program::checkNumbers(const ProgramTemplate &T) {
  return numbersOf(T);
}

bool Checker::numbers() {
  Found = checkNumbers(P);
  return !Found;
}

//===-- Devices and rails -------------------------------------------------===//

/// The level of "x86-64-v3" is 3; 0 for other archs.
static unsigned x86Level(std::string_view Arch) {
  bool Is = Arch.size() == 9 && Arch.starts_with("x86-64-v") &&
            Arch[8] >= '1' && Arch[8] <= '4';
  return Is ? static_cast<unsigned>(Arch[8] - '0') : 0;
}

/// The features of "arm64+bf16+sve"; none for other archs.
static std::optional<std::set<std::string_view>>
armFeatures(std::string_view Arch) {
  if (!Arch.starts_with("arm64"))
    return std::nullopt;
  std::string_view Rest = Arch.substr(5);
  std::set<std::string_view> Features;
  while (Rest.starts_with("+")) {
    size_t End = std::min(Rest.find('+', 1), Rest.size());
    Features.insert(Rest.substr(1, End - 1));
    Rest = Rest.substr(End);
  }
  if (!Rest.empty())
    return std::nullopt;
  return Features;
}

static bool armRuns(std::string_view Own, std::string_view Code) {
  std::optional<std::set<std::string_view>> Has = armFeatures(Own),
                                            Needs = armFeatures(Code);
  return Has && Needs && std::ranges::includes(*Has, *Needs);
}

bool goldy::program::runsCode(std::span<const std::string> Archs,
                              const std::string &Code) {
  return std::ranges::any_of(Archs, [&](const std::string &Own) {
    bool Level = x86Level(Code) && x86Level(Code) <= x86Level(Own);
    return Own == Code || Own == "*" || Level || armRuns(Own, Code);
  });
}

bool Checker::devices() {
  if (!On)
    return true;
  Place List{nullptr, "devices"};
  if (On->Devices.size() != P.Devices.size())
    return fail(Rule::DeviceCount, List,
                "the description is for " + std::to_string(P.Devices.size()) +
                    " devices, got " + std::to_string(On->Devices.size()));
  for (size_t I = 0; I < P.Devices.size(); ++I) {
    const MachineDevice &D = On->Devices[I];
    if (runsCode(D.Archs, P.Devices[I]))
      continue;
    std::string Has;
    for (const std::string &Arch : D.Archs)
      Has += (Has.empty() ? "`" : ", `") + Arch + "`";
    return fail(Rule::DeviceArch, {nullptr, "devices", I},
                "`" + D.Name + "` does not run code of `" + P.Devices[I] +
                    "`; it runs " + (Has.empty() ? "none" : Has));
  }
  return true;
}

bool Checker::rails() {
  if (On)
    for (const RailEnd &R : On->Rails)
      RailEnds.emplace(R.Id, &R);
  for (size_t I = 0; I < P.Memories.size(); ++I) {
    const Rail *R = std::get_if<Rail>(&P.Memories[I]);
    if (R && On && !RailEnds.contains(R->Id))
      return fail(Rule::RailGiven, {nullptr, "memory", I},
                  "rail " + std::to_string(R->Id));
  }
  return true;
}

//===-- Memory, images, inputs --------------------------------------------===//

bool Checker::allocation(const Alloc &A, size_t Number, const Place &At) {
  Owner = Number;
  Where = Context::Init;
  if (!index(A.Device, P.Devices.size(), "devices", {&At, "device"}) ||
      !size(A.Bytes, {&At, "bytes"}))
    return false;
  Place Init{&At, "init"};
  if (A.Init.Bytes.size() > static_cast<uint64_t>(A.Bytes))
    return fail(Rule::InitRange, Init,
                std::to_string(A.Init.Bytes.size()) +
                    " bytes for a memory of " + std::to_string(A.Bytes));
  if (!holes(A.Init, Init))
    return false;
  notePointers(Number, A.Init);
  return true;
}

bool Checker::memories() {
  Names.resize(P.Memories.size());
  Others.resize(P.Memories.size());
  for (size_t I = 0; I < P.Memories.size(); ++I)
    if (const Alloc *A = std::get_if<Alloc>(&P.Memories[I]))
      if (!allocation(*A, I, {nullptr, "memory", I}))
        return false;
  return true;
}

bool Checker::images() {
  Where = Context::Image;
  for (size_t I = 0; I < P.Images.size(); ++I) {
    Place At{nullptr, "images", I};
    Owner = I;
    if (!index(P.Images[I].Device, P.Devices.size(), "devices",
               {&At, "device"}) ||
        !holes(P.Images[I].Binary, {&At, "binary"}))
      return false;
  }
  return true;
}

bool Checker::inputs() {
  for (size_t I = 0; I < P.Inputs.size(); ++I) {
    Place At{nullptr, "inputs", I};
    if (!index(P.Inputs[I].Device, P.Devices.size(), "devices",
               {&At, "device"}) ||
        !size(P.Inputs[I].Bytes, {&At, "bytes"}))
      return false;
  }
  Place Ints{nullptr, "ints"};
  if (!size(P.Ints, Ints))
    return false;
  return exactMul(P.Ints, 8) ||
         fail(Rule::NegativeSize, Ints,
              std::to_string(P.Ints) + " words of 8 bytes");
}

bool Checker::run() {
  return numbers() && devices() && rails() && memories() && images() &&
         inputs() && lengths() && steps(P.Steps, {nullptr, "steps"}, 0) &&
         initAddresses();
}

std::optional<Refusal> goldy::program::check(const ProgramDesc &P,
                                             const Machine *On) {
  Checker C(P, On);
  C.run();
  return C.take();
}
