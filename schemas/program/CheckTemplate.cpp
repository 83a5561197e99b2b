//===- CheckTemplate.cpp - Rules of program templates ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What templates have beyond descriptions: names, types, and what the frame
// writes. The rest is checked in the description that the template becomes,
// with names in place of archs and images without bytes.
//
//===----------------------------------------------------------------------===//
#include "program/Checker.h"

#include "program/Fields.h"

#include <set>

using namespace goldy::program;

namespace {

class TemplateChecker {
public:
  explicit TemplateChecker(const ProgramTemplate &T) : T(T) {}

  std::optional<Refusal> run() {
    if (names() && types() && inputs() && ints() && derived())
      return std::nullopt;
    return std::move(Found);
  }

private:
  bool fail(Rule R, const Place &At, const std::string &What) {
    Found = refusalAt(R, At, What);
    return false;
  }
  bool names();
  bool name(std::set<std::string> &Known, const std::string &Name,
            const Place &At);
  bool types();
  bool inputs();
  bool input(const NamedInput &In, const Place &At);
  bool ints();
  bool length(const LengthInt &L, const Place &At);
  bool overlap(const OverlapInt &O, const Place &At);
  bool derived();
  bool derivedInt(const DerivedInt &D, const Place &At);
  const NamedInput *inputAt(Number N) const {
    return N >= 0 && static_cast<size_t>(N) < T.Inputs.size()
               ? &T.Inputs[static_cast<size_t>(N)]
               : nullptr;
  }
  bool isWord(Number N) const {
    return N >= 0 && static_cast<size_t>(N) < T.Ints.size();
  }

  const ProgramTemplate &T;
  std::optional<Refusal> Found;
  std::vector<bool> Written; ///< by word: by the frame or as a derived int
  std::set<Number> Measured; ///< inputs that have a length
};

} // namespace

bool TemplateChecker::name(std::set<std::string> &Known,
                           const std::string &Name, const Place &At) {
  if (!Name.empty() && Known.insert(Name).second)
    return true;
  return fail(Rule::TemplateNames, At,
              Name.empty() ? "no name" : "`" + Name + "` again");
}

bool TemplateChecker::names() {
  std::set<std::string> Devices, Arguments;
  for (size_t I = 0; I < T.Devices.size(); ++I)
    if (!name(Devices, T.Devices[I], {nullptr, "devices", I}))
      return false;
  for (size_t I = 0; I < T.Inputs.size(); ++I) {
    const NamedInput &In = T.Inputs[I];
    Place At{nullptr, "inputs", I};
    if (In.Form == InputForm::Sized && In.Name.empty())
      continue;
    if (In.Form == InputForm::Sized)
      return fail(Rule::TemplateNames, At,
                  "a sized input with the name `" + In.Name + "`");
    if (!name(Arguments, In.Name, At))
      return false;
  }
  for (size_t I = 0; I < T.Ints.size(); ++I)
    if (const NamedInt *N = std::get_if<NamedInt>(&T.Ints[I]))
      if (!name(Arguments, N->Name, {nullptr, "ints", I}))
        return false;
  return true;
}

bool TemplateChecker::types() {
  size_t Good = layoutsOf(T.Types).size();
  return Good == T.Types.size() ||
         fail(Rule::TemplateTypes, {nullptr, "types", Good},
              "not a type over those before it");
}

bool TemplateChecker::input(const NamedInput &In, const Place &At) {
  bool Sized = In.Form == InputForm::Sized;
  if (In.Type &&
      (*In.Type < 0 || static_cast<size_t>(*In.Type) >= T.Types.size()))
    return fail(Rule::TemplateInputs, {&At, "type"},
                "type " + std::to_string(*In.Type) + " of " +
                    std::to_string(T.Types.size()));
  if (In.Form == InputForm::Uniform && !In.Type)
    return fail(Rule::TemplateInputs, At, "a uniform without a type");
  if (Sized != In.Size.has_value())
    return fail(Rule::TemplateInputs, At,
                Sized ? "a sized input without a size"
                      : "a size on `" + In.Name + "`");
  if (In.Size && !isWord(*In.Size))
    return fail(Rule::TemplateInputs, {&At, "size"},
                "int " + std::to_string(*In.Size) + " of " +
                    std::to_string(T.Ints.size()));
  return true;
}

bool TemplateChecker::inputs() {
  for (size_t I = 0; I < T.Inputs.size(); ++I)
    if (!input(T.Inputs[I], {nullptr, "inputs", I}))
      return false;
  return true;
}

bool TemplateChecker::length(const LengthInt &L, const Place &At) {
  const NamedInput *In = inputAt(L.Input);
  std::string What = "the length of input " + std::to_string(L.Input);
  if (!In)
    return fail(Rule::TemplateInts, At,
                What + " of " + std::to_string(T.Inputs.size()));
  if (In->Form != InputForm::Slice || !In->Type)
    return fail(Rule::TemplateInts, At,
                What + ", which is no slice with a type");
  return Measured.insert(L.Input).second ||
         fail(Rule::TemplateInts, At, What + " again");
}

bool TemplateChecker::overlap(const OverlapInt &O, const Place &At) {
  for (Number N : {O.A, O.B}) {
    const NamedInput *In = inputAt(N);
    if (!In || In->Form == InputForm::Sized)
      return fail(Rule::TemplateInts, At,
                  "input " + std::to_string(N) +
                      (In ? ", which is sized"
                          : " of " + std::to_string(T.Inputs.size())));
  }
  return true;
}

bool TemplateChecker::ints() {
  for (size_t I = 0; I < T.Ints.size(); ++I) {
    Place At{nullptr, "ints", I};
    if (const NamedInt *N = std::get_if<NamedInt>(&T.Ints[I])) {
      if (N->Type > Scalar::I64)
        return fail(Rule::TemplateInts, At,
                    std::string("`") +
                        Enumerators<Scalar>::Names[size_t(N->Type)] + "`");
    } else if (const LengthInt *L = std::get_if<LengthInt>(&T.Ints[I])) {
      if (!length(*L, At))
        return false;
    } else if (const OverlapInt *O = std::get_if<OverlapInt>(&T.Ints[I])) {
      if (!overlap(*O, At))
        return false;
    }
    Written.push_back(!std::holds_alternative<HiddenInt>(T.Ints[I]));
  }
  return true;
}

bool TemplateChecker::derivedInt(const DerivedInt &D, const Place &At) {
  Number Words = static_cast<Number>(T.Ints.size());
  std::string What = "int " + std::to_string(D.Word);
  if (!isWord(D.Word))
    return fail(Rule::DerivedWord, {&At, "word"},
                What + " of " + std::to_string(Words));
  if (std::optional<Checker::ExpressionFault> F =
          Checker::expressionFault(D.Is, Words))
    return fail(F->Broken, {&At, "is", F->Node}, F->What);
  if (Written[static_cast<size_t>(D.Word)])
    return fail(Rule::DerivedOrder, {&At, "word"},
                What + ", which is written already");
  for (size_t I = 0; I < D.Is.size(); ++I)
    if (const IntWord *W = std::get_if<IntWord>(&D.Is[I]))
      if (!Written[static_cast<size_t>(W->Word)])
        return fail(Rule::DerivedOrder, {&At, "is", I},
                    "int " + std::to_string(W->Word) +
                        ", which is not written before");
  Written[static_cast<size_t>(D.Word)] = true;
  return true;
}

bool TemplateChecker::derived() {
  for (size_t I = 0; I < T.Derived.size(); ++I)
    if (!derivedInt(T.Derived[I], {nullptr, "derived", I}))
      return false;
  return true;
}

std::optional<Refusal> goldy::program::check(const ProgramTemplate &T) {
  if (std::optional<Refusal> R = checkNumbers(T))
    return R;
  if (std::optional<Refusal> R = TemplateChecker(T).run())
    return R;
  std::vector<std::string_view> Binaries(T.Images.size());
  return check(instantiate(T, T.Devices, Binaries));
}
