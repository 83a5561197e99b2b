//===- Template.cpp - A program before its devices are known --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists stand in the same order in both forms, so numbers stay as they are.
//
//===----------------------------------------------------------------------===//
#include "program/Template.h"

#include "program/Check.h"
#include "program/Fields.h"
#include "program/Numbers.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace goldy::program;

//===-- Types -------------------------------------------------------------===//

static Number scalarBytes(Scalar S) {
  static constexpr uint8_t Bytes[] = {4, 4, 4, 4, 8, 8, 1, 1, 2, 2, 2, 2};
  return Bytes[static_cast<size_t>(S)];
}

/// As the language writes it.
static std::string scalarName(Scalar S) {
  bool Narrow = S == Scalar::F16 || S == Scalar::BF16;
  return std::string(Narrow ? "gpu::" : "") +
         Enumerators<Scalar>::Names[static_cast<size_t>(S)];
}

static std::optional<Number> roundUp(std::optional<Number> X, Number To) {
  std::optional<Number> Sum = X ? exactAdd(*X, To - 1) : std::nullopt;
  return Sum ? std::optional<Number>(*Sum / To * To) : std::nullopt;
}

namespace {

/// Layouts of types from the first on, each from those before it.
class LayoutRule {
public:
  explicit LayoutRule(std::span<const TypeLayout> Known) : Known(Known) {}

  bool of(const ElementType &T, TypeLayout &Out) const {
    if (const Scalar *S = std::get_if<Scalar>(&T)) {
      Number Bytes = scalarBytes(*S);
      Out = {Bytes, Bytes, Bytes, 0};
      return true;
    }
    if (const VectorType *V = std::get_if<VectorType>(&T)) {
      const TypeLayout *E = find(V->Element);
      return E && E->Depth == 0 && E->Size == 4 && V->Count >= 2 &&
             V->Count <= 4 && repeat(*E, V->Count, Out);
    }
    if (const ArrayType *A = std::get_if<ArrayType>(&T)) {
      const TypeLayout *E = find(A->Element);
      return E && A->Count >= 1 && A->Count <= UINT32_MAX &&
             repeat(*E, A->Count, Out);
    }
    return fields(std::get<StructType>(T), Out);
  }

private:
  const TypeLayout *find(Number Type) const {
    return Type >= 0 && static_cast<size_t>(Type) < Known.size()
               ? &Known[static_cast<size_t>(Type)]
               : nullptr;
  }
  static bool finish(std::optional<Number> Size, Number Align, unsigned Depth,
                     TypeLayout &Out) {
    std::optional<Number> Stride = roundUp(Size, Align);
    if (!Stride || Depth > limits::Nesting)
      return false;
    Out = {*Size, Align, *Stride, Depth};
    return true;
  }
  static bool repeat(const TypeLayout &E, Number Count, TypeLayout &Out) {
    return finish(exactMul(E.Stride, Count), E.Align, E.Depth + 1, Out);
  }
  bool fields(const StructType &S, TypeLayout &Out) const {
    std::set<std::string_view> Names;
    std::optional<Number> End = 0;
    Number Align = 1;
    unsigned Depth = 0;
    for (const TypeField &F : S.Fields) {
      const TypeLayout *E = find(F.Type);
      if (!E || F.Name.empty() || !Names.insert(F.Name).second)
        return false;
      End = roundUp(End, E->Align);
      End = End ? exactAdd(*End, E->Size) : End;
      Align = std::max(Align, E->Align);
      Depth = std::max(Depth, E->Depth);
    }
    return !S.Fields.empty() && !S.Name.empty() &&
           finish(roundUp(End, Align), Align, Depth + 1, Out);
  }

  std::span<const TypeLayout> Known;
};

} // namespace

std::vector<TypeLayout>
goldy::program::layoutsOf(std::span<const ElementType> Types) {
  std::vector<TypeLayout> Out;
  for (const ElementType &T : Types) {
    TypeLayout L;
    if (!LayoutRule(Out).of(T, L))
      break;
    Out.push_back(L);
  }
  return Out;
}

static std::string vectorName(Scalar Component, Number Count) {
  std::string Base = Component == Scalar::F32   ? "gpu::Float"
                     : Component == Scalar::I32 ? "gpu::Int"
                     : Component == Scalar::U32 ? "gpu::UInt"
                                                : "gpu::Bool";
  return Base + std::to_string(Count);
}

std::string goldy::program::typeName(std::span<const ElementType> Types,
                                     Number Type) {
  std::string Before, After;
  const ElementType *T = &Types[static_cast<size_t>(Type)];
  while (const ArrayType *A = std::get_if<ArrayType>(T)) {
    Before += '[';
    After = "; " + std::to_string(A->Count) + "]" + After;
    T = &Types[static_cast<size_t>(A->Element)];
  }
  std::string Core;
  if (const StructType *S = std::get_if<StructType>(T))
    Core = S->Name;
  else if (const VectorType *V = std::get_if<VectorType>(T))
    Core = vectorName(std::get<Scalar>(Types[static_cast<size_t>(V->Element)]),
                      V->Count);
  else
    Core = scalarName(std::get<Scalar>(*T));
  return Before + Core + After;
}

//===-- Descriptions ------------------------------------------------------===//

ProgramDesc
goldy::program::instantiate(const ProgramTemplate &T,
                            std::span<const std::string> Archs,
                            std::span<const std::string_view> Binaries) {
  assert(Archs.size() == T.Devices.size() && "one arch a device");
  assert(Binaries.size() == T.Images.size() && "one binary an image");
  ProgramDesc P;
  P.Devices.assign(Archs.begin(), Archs.end());
  P.Memories = T.Memories;
  for (size_t I = 0; I < T.Images.size(); ++I) {
    std::string_view Bytes =
        T.Images[I].Kernel.empty() ? CallbacksMark : Binaries[I];
    P.Images.push_back({T.Images[I].Device, {std::string(Bytes), {}}});
  }
  for (const NamedInput &In : T.Inputs) {
    P.Inputs.push_back({In.Device, In.Bytes, std::nullopt});
    if (In.Size) // memory from a pool may be longer than the temporary
      P.Inputs.back().Length = {*In.Size, 1};
  }
  P.Ints = static_cast<Number>(T.Ints.size());
  std::vector<TypeLayout> Layouts = layoutsOf(T.Types);
  for (size_t W = 0; W < T.Ints.size(); ++W)
    if (const LengthInt *L = std::get_if<LengthInt>(&T.Ints[W])) {
      size_t In = static_cast<size_t>(L->Input);
      size_t Type = static_cast<size_t>(*T.Inputs[In].Type);
      P.Inputs[In].Length = {static_cast<Number>(W), Layouts[Type].Stride};
    }
  P.Steps = T.Steps;
  return P;
}

std::string_view goldy::program::originOf(const ProgramTemplate &T,
                                          std::string_view Message) {
  const StepOrigin *Best = nullptr;
  for (const StepOrigin &O : T.Origins)
    if (Message.starts_with(O.Place) &&
        (!Best || O.Place.size() > Best->Place.size()))
      Best = &O;
  return Best ? std::string_view(Best->Where) : std::string_view();
}
