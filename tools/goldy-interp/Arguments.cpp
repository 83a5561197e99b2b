//===- Arguments.cpp - A kernel's arguments from the command line
//----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"
#include "goldyc/Support/Diag.h"

#include <algorithm>
#include <cstring>

using namespace goldy;

static std::string quoted(const std::string &Text) { return "`" + Text + "`"; }

static std::optional<Scalar> scalarOf(const Module &M, TypeId T) {
  std::string Name = M.Types.name(T);
  return scalarNamed(Name.starts_with("gpu::") ? Name.substr(5) : Name);
}

/// The NumPy type of an element and the axes that it adds to a shape.
static npy::DType numpyType(const Module &M, TypeId T,
                            std::vector<uint64_t> &Axes) {
  TypeKind K = M.Types.kind(T);
  if (K == TypeKind::Vector || K == TypeKind::Array) {
    Axes.push_back(M.Types[T].Count);
    return numpyType(M, M.Types[T].Element, Axes);
  }
  if (K != TypeKind::Struct)
    return scalarDType(*scalarOf(M, T));
  npy::DType Out{npy::Kind::Struct, M.Types.stride(T), {}};
  for (uint32_t I = 0; I < M.Types.memberCount(T); ++I) {
    npy::Field F;
    F.Name = M.Types.structure(M.Types[T].Struct).Fields[I].Name;
    F.Offset = M.Types.memberOffset(T, I);
    F.Type = numpyType(M, M.Types.memberType(T, I), F.Shape);
    Out.Fields.push_back(std::move(F));
  }
  return Out;
}

/// A buffer of bools may come as bytes.
static void widenBools(npy::Array &A) {
  std::vector<std::byte> Words(A.Data.size() * 4);
  for (size_t I = 0; I < A.Data.size(); ++I)
    Words[4 * I] = A.Data[I];
  A.Type = npy::uintType(4);
  A.Data = std::move(Words);
}

std::optional<uint32_t> Arguments::paramNamed(const std::string &Name,
                                              std::string &Why) const {
  std::vector<std::string> Names;
  for (uint32_t I = 0; I < Kernel.Params.size(); ++I) {
    if (Kernel.Params[I].Name == Name)
      return I;
    Names.push_back(Kernel.Params[I].Name);
  }
  Why = quoted(Kernel.Name) + " has no parameter " + quoted(Name);
  if (std::optional<std::string> Near = nearest(Name, Names))
    Why += ", did you mean " + quoted(*Near) + "?";
  return std::nullopt;
}

bool Arguments::parse(const std::vector<std::string> &Assignments,
                      std::string &Why) {
  Specs.resize(Kernel.Params.size());
  for (const std::string &Text : Assignments) {
    std::optional<std::pair<std::string, std::string>> Parts =
        splitAssignment(Text);
    if (!Parts) {
      Why = "expected PARAM=VALUE, found " + quoted(Text);
      return false;
    }
    std::optional<uint32_t> Index = paramNamed(Parts->first, Why);
    if (!Index)
      return false;
    if (Specs[*Index]) {
      Why = "parameter " + quoted(Parts->first) + " is given twice";
      return false;
    }
    Specs[*Index] = parseValueSpec(Parts->second, Why);
    if (!Specs[*Index]) {
      Why = quoted(Parts->first) + ": " + Why;
      return false;
    }
  }
  return true;
}

bool Arguments::bindScalar(const ValueSpec &S, uint32_t Index,
                           std::string &Why) {
  std::optional<Scalar> T = scalarOf(M, Kernel.Params[Index].Type);
  if (!T || S.Form != ValueSpec::Kind::Number) {
    Why = "expected a value of type " +
          quoted(M.Types.name(Kernel.Params[Index].Type));
    return false;
  }
  std::optional<uint64_t> Bits = scalarFromText(S.Text, *T, Why);
  Values[Index].Bits = Bits.value_or(0);
  return Bits.has_value();
}

bool Arguments::bindArray(const ValueSpec &S, uint32_t Index,
                          std::string &Why) {
  const Param &P = Kernel.Params[Index];
  if (!S.Views.empty() && P.Kind != ParamKind::Tensor) {
    Why = "a view needs a tensor parameter";
    return false;
  }
  std::optional<npy::Array> A = makeArray(S, Why);
  if (!A)
    return false;
  if (P.Type == types::Bool && A->Type == npy::boolType())
    widenBools(*A);
  std::vector<uint64_t> Axes;
  npy::DType Want = numpyType(M, P.Type, Axes);
  if (A->Type != Want) {
    Why = "expected elements of " + npy::descr(Want) + ", found " +
          npy::descr(A->Type);
    return false;
  }
  size_t Rank = A->Shape.size();
  bool Fits = Rank >= Axes.size() &&
              std::equal(Axes.begin(), Axes.end(),
                         A->Shape.end() - static_cast<long>(Axes.size()));
  if (!Fits) {
    Why = "the last axes must be those of " + quoted(M.Types.name(P.Type));
    return false;
  }
  if (P.Kind == ParamKind::Image) {
    if (Rank != 3 || A->Shape[0] > UINT32_MAX || A->Shape[1] > UINT32_MAX) {
      Why = "an image has the shape [height, width, 4]";
      return false;
    }
    Values[Index].Extent = {static_cast<uint32_t>(A->Shape[1]),
                            static_cast<uint32_t>(A->Shape[0])};
  }
  Arrays[Index] = std::move(*A);
  Values[Index].Bytes = Arrays[Index].Data;
  if (P.Kind != ParamKind::Tensor)
    return true;
  const std::vector<uint64_t> &Shape = Arrays[Index].Shape;
  Seen[Index] =
      wholeView({Shape.begin(), Shape.end() - static_cast<long>(Axes.size())});
  return bindView(S, Index, Why);
}

/// Applies the suffixes to what is seen already.
bool Arguments::bindView(const ValueSpec &S, uint32_t Index, std::string &Why) {
  StridedView &V = Seen[Index];
  if (!applyViews(S.Views, V, Why))
    return false;
  if (V.Shape.size() > 4) {
    Why = "rank " + std::to_string(V.Shape.size()) +
          ", a tensor has at most 4 axes";
    return false;
  }
  InterpTensor T;
  T.Rank = static_cast<uint32_t>(V.Shape.size());
  T.Offset = V.Offset;
  std::copy(V.Shape.begin(), V.Shape.end(), T.Shape.begin());
  std::copy(V.Strides.begin(), V.Strides.end(), T.Strides.begin());
  Values[Index].Tensor = T;
  return true;
}

bool Arguments::bindAlias(const ValueSpec &S, uint32_t Index,
                          std::string &Why) {
  std::optional<uint32_t> Other = paramNamed(S.Text, Why);
  if (!Other)
    return false;
  bool Tensor = Kernel.Params[Index].Kind == ParamKind::Tensor;
  if (!S.Views.empty() && !Tensor) {
    Why = "an offset view is not supported by the interpreter";
    return false;
  }
  bool Bound = Specs[*Other] && *Other != Index &&
               Specs[*Other]->Form != ValueSpec::Kind::Alias &&
               Kernel.Params[*Other].Kind != ParamKind::Scalar;
  bool Alike = Bound &&
               Kernel.Params[*Other].Type == Kernel.Params[Index].Type &&
               Kernel.Params[*Other].Kind == Kernel.Params[Index].Kind;
  if (!Alike) {
    Why = quoted(S.Text) + " is no buffer of the same element type";
    return false;
  }
  if (Values[*Other].Bytes.data() == nullptr && !bindOne(*Other, Why))
    return false;
  Arrays[Index].Type = Arrays[*Other].Type;
  Arrays[Index].Shape = Arrays[*Other].Shape;
  Values[Index].Bytes = Values[*Other].Bytes;
  Values[Index].Extent = Values[*Other].Extent;
  if (!Tensor)
    return true;
  std::vector<uint64_t> Axes;
  numpyType(M, Kernel.Params[Index].Type, Axes);
  const std::vector<uint64_t> &Shape = Arrays[Index].Shape;
  Seen[Index] = Kernel.Params[*Other].Kind == ParamKind::Tensor
                    ? Seen[*Other]
                    : wholeView({Shape.begin(),
                                 Shape.end() - static_cast<long>(Axes.size())});
  return bindView(S, Index, Why);
}

bool Arguments::bindOne(uint32_t Index, std::string &Why) {
  const ValueSpec &S = *Specs[Index];
  if (Kernel.Params[Index].Kind == ParamKind::Scalar)
    return bindScalar(S, Index, Why);
  if (S.Form == ValueSpec::Kind::Alias)
    return bindAlias(S, Index, Why);
  if (S.Form != ValueSpec::Kind::Number)
    return bindArray(S, Index, Why);
  Why = "expected a buffer of " +
        quoted(M.Types.name(Kernel.Params[Index].Type)) + ", found a number";
  return false;
}

bool Arguments::bind(const std::vector<std::string> &Assignments,
                     std::string &Why) {
  if (!parse(Assignments, Why))
    return false;
  for (uint32_t I = 0; I < Specs.size(); ++I)
    if (!Specs[I]) {
      Why = "parameter " + quoted(Kernel.Params[I].Name) + " is not given";
      return false;
    }
  Values.resize(Specs.size());
  Arrays.resize(Specs.size());
  Seen.resize(Specs.size());
  for (uint32_t I = 0; I < Specs.size(); ++I) {
    bool Done = Values[I].Bytes.data() != nullptr;
    if (!Done && !bindOne(I, Why)) {
      Why = quoted(Kernel.Params[I].Name) + ": " + Why;
      return false;
    }
  }
  return true;
}

std::optional<npy::Array> Arguments::current(const std::string &Param,
                                             std::string &Why) const {
  std::optional<uint32_t> Index = paramNamed(Param, Why);
  if (!Index)
    return std::nullopt;
  if (Kernel.Params[*Index].Kind == ParamKind::Scalar) {
    Why = quoted(Param) + " is no buffer";
    return std::nullopt;
  }
  std::span<std::byte> Bytes = Values[*Index].Bytes;
  if (Kernel.Params[*Index].Kind == ParamKind::Tensor) {
    const StridedView &V = Seen[*Index];
    TypeId T = Kernel.Params[*Index].Type;
    npy::Array Out{Arrays[*Index].Type, V.Shape,
                   elementsInOrder(V, Bytes, M.Types.stride(T))};
    numpyType(M, T, Out.Shape);
    return Out;
  }
  return npy::Array{
      Arrays[*Index].Type, Arrays[*Index].Shape, {Bytes.begin(), Bytes.end()}};
}

bool Arguments::save(const std::string &Param, const std::string &Path,
                     std::string &Why) const {
  std::optional<npy::Array> A = current(Param, Why);
  if (!A)
    return false;
  if (npy::writeFile(Path, A->Type, A->Shape, A->Data, Why))
    return true;
  Why = quoted(Path) + " " + Why;
  return false;
}
