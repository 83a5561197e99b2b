//===- Arguments.cpp - Arguments of a kernel from the command line --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages name kernel and parameter, what was expected and what was given.
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include <functional>
#include <numeric>

using namespace goldyrun;
namespace npy = goldy::npy;
using SpecKind = goldy::ValueSpec::Kind;

static Exit refuse(const Bound &B, const std::string &Why,
                   const std::string &Help = "") {
  return fail(Exit::Input, "parameter " + quoted(B.Info.name) + ": " + Why,
              Help);
}

static bool isScalar(const Bound &B) {
  return B.Info.kind == GOLDY_PARAM_SCALAR;
}

/// Bytes from one element to the next. A parameter of no type is of bytes.
static uint64_t strideOf(const Bound &B) {
  return B.Info.type ? goldy_type_stride(B.Info.type) : 1;
}
static ElementForm formOf(const Bound &B) {
  if (B.Info.type)
    return elementForm(B.Info.type);
  ElementForm Bytes;
  Bytes.Type = npy::uintType(1);
  return Bytes;
}
static std::string typeOf(const Bound &B) {
  return B.Info.type ? typeName(B.Info.type) : "u8";
}

Bound *Arguments::find(const std::string &Name) {
  for (Bound &B : Params)
    if (B.Info.name == Name)
      return &B;
  return nullptr;
}

std::vector<std::string> Arguments::names() const {
  std::vector<std::string> Names;
  for (const Bound &B : Params)
    Names.push_back(B.Info.name);
  return Names;
}

static std::string listOf(const std::vector<std::string> &Names) {
  std::string List;
  for (const std::string &N : Names)
    List += (List.empty() ? "" : ", ") + quoted(N);
  return List;
}

Exit Arguments::assign(const Assignment &A) {
  Bound *B = find(A.first);
  if (!B) {
    std::string Near = didYouMean(A.first, names());
    return fail(Exit::Input, Owner + " has no parameter " + quoted(A.first),
                !Near.empty()    ? Near
                : Params.empty() ? "it has none"
                                 : "it has " + listOf(names()));
  }
  if (B->Given)
    return refuse(*B, "two values given");
  std::string Why;
  std::optional<goldy::ValueSpec> Spec = goldy::parseValueSpec(A.second, Why);
  if (!Spec)
    return refuse(*B, Why);
  B->Spec = *Spec;
  B->Given = true;
  return isScalar(*B) ? checkScalar(*B) : checkBuffer(*B);
}

Exit Arguments::check(const std::vector<Assignment> &Given) {
  for (const Assignment &A : Given)
    GOLDYRUN_TRY(assign(A));
  std::vector<std::string> Missing;
  for (Bound &B : Params)
    if (!B.Given && B.Info.baked)
      B.Word = B.Info.baked_bits;
    else if (!B.Given && !B.Optional)
      Missing.push_back(B.Info.name);
  if (Missing.empty())
    return Exit::Ok;
  return fail(Exit::Input, Owner + ": no value for " + listOf(Missing),
              "give " + Missing.front() + "=VALUE; see goldyrun --help");
}

Exit Arguments::checkScalar(Bound &B) {
  goldy::Scalar Type = *scalarOf(B.Info.type);
  std::string Name(goldy::scalarName(Type));
  if (B.Spec.Form != SpecKind::Number)
    return refuse(B, "is a scalar of type `" + Name + "`, got a buffer",
                  "give a number, as in " + std::string(B.Info.name) + "=2");
  std::string Why;
  std::optional<uint64_t> Word = goldy::scalarFromText(B.Spec.Text, Type, Why);
  if (!Word)
    return refuse(B, Why);
  B.Word = *Word;
  return Exit::Ok;
}

Exit Arguments::checkBuffer(Bound &B) {
  std::string Type = typeOf(B);
  if (B.Spec.Form == SpecKind::Number)
    return refuse(B,
                  std::string(B.isTensor() ? "is a tensor" : "is a buffer") +
                      " of `" + Type + "`, got the number " +
                      quoted(B.Spec.Text),
                  "give @FILE.npy, " + Type + "[N]=VALUE, or &OTHER");
  bool Alias = B.Spec.Form == SpecKind::Alias;
  for (const goldy::ViewStep &S : B.Spec.Views)
    if (!B.isTensor() && (!Alias || S.Form != goldy::ViewStep::Kind::Offset))
      return refuse(B, "is a buffer, and views need a tensor parameter",
                    "`&OTHER[offset=N]` is the one view of a buffer");
  if (!Alias)
    return Exit::Ok;
  if (B.Whole && !B.Spec.Views.empty())
    return refuse(B, "an input of a program is a whole buffer",
                  "give &" + B.Spec.Text + " or a buffer of its own");
  const Bound *Other = find(B.Spec.Text);
  if (!Other)
    return refuse(B, "there is no parameter " + quoted(B.Spec.Text),
                  didYouMean(B.Spec.Text, names()));
  if (B.Info.kind == GOLDY_PARAM_IMAGE)
    return refuse(B, "an image shares its elements with no other parameter",
                  "give @FILE.npy or f32[HEIGHT,WIDTH,4]=0");
  if (Other == &B || isScalar(*Other))
    return refuse(B, "`&" + B.Spec.Text + "` does not name another buffer");
  return Exit::Ok;
}

/// A buffer with the bytes of `A`.
Exit Arguments::loadBytes(Bound &B, npy::Array &A) {
  goldy::Result<goldy::Buffer> Made = Devices[B.Device]->bufferOf(A.Data);
  if (!Made)
    return fail(Made.status());
  B.Buffer = std::move(*Made);
  B.View = {B.Buffer->get(), 0, A.Data.size() / strideOf(B)};
  B.Type = A.Type;
  B.Shape = A.Shape;
  B.Ready = true;
  return Exit::Ok;
}

Exit Arguments::loadBuffer(Bound &B) {
  std::string Why;
  std::optional<npy::Array> A = goldy::makeArray(B.Spec, Why);
  if (!A)
    return refuse(B, Why);
  if (!B.Info.type)
    return loadBytes(B, *A);
  uint64_t Count = 0;
  Why = adopt(*A, B.Info.type, Count);
  if (!Why.empty())
    return refuse(B, Why);
  if (B.Info.kind == GOLDY_PARAM_UNIFORM && Count != 1)
    return refuse(B, "is one value of `" + typeName(B.Info.type) + "`, got " +
                         std::to_string(Count));
  GOLDYRUN_TRY(setExtents(B, A->Shape));
  GOLDYRUN_TRY(loadBytes(B, *A));
  if (!B.isTensor())
    return Exit::Ok;
  size_t Axes = B.Shape.size() - elementForm(B.Info.type).Axes.size();
  B.Seen = goldy::wholeView({B.Shape.begin(), B.Shape.begin() + Axes});
  return view(B);
}

/// Applies the suffixes to what is seen already.
Exit Arguments::view(Bound &B) {
  std::string Why;
  if (!goldy::applyViews(B.Spec.Views, B.Seen, Why))
    return refuse(B, Why);
  size_t Rank = B.Seen.Shape.size();
  if (Rank > 4)
    return refuse(B, "rank " + std::to_string(Rank) +
                         ", a tensor has at most 4 axes");
  B.Tensor.rank = static_cast<uint32_t>(Rank);
  B.Tensor.offset = B.Seen.Offset;
  for (size_t A = 0; A < Rank; ++A) {
    B.Tensor.shape[A] = B.Seen.Shape[A];
    B.Tensor.strides[A] = static_cast<int64_t>(B.Seen.Strides[A]);
  }
  std::vector<uint64_t> Axes = elementForm(B.Info.type).Axes;
  B.Shape = B.Seen.Shape;
  B.Shape.insert(B.Shape.end(), Axes.begin(), Axes.end());
  return Exit::Ok;
}

/// An image's width and height go with its view.
Exit Arguments::setExtents(Bound &B, const std::vector<uint64_t> &Shape) {
  if (B.Info.kind != GOLDY_PARAM_IMAGE)
    return Exit::Ok;
  if (Shape.size() != 3 || Shape[0] > UINT32_MAX || Shape[1] > UINT32_MAX)
    return refuse(B,
                  "is an image, got " + std::to_string(Shape.size()) +
                      (Shape.size() == 1 ? " axis" : " axes"),
                  "give the shape [height, width, 4], as in " +
                      std::string(B.Info.name) + "=f32[480,640,4]=0");
  B.Word = Shape[1] | Shape[0] << 32;
  return Exit::Ok;
}

Exit Arguments::loadAlias(Bound &B, unsigned Depth) {
  Bound &Other = *find(B.Spec.Text);
  if (Depth > Params.size())
    return refuse(B, "its `&` leads back to itself");
  GOLDYRUN_TRY(resolve(Other, Depth + 1));
  if (Devices[B.Device] != Devices[Other.Device])
    return refuse(B, quoted(Other.Info.name) + " is memory of another device");
  uint64_t OtherStride = strideOf(Other), Stride = strideOf(B);
  if (B.isTensor()) {
    if (Stride != OtherStride)
      return refuse(
          B, "elements of `" + typeOf(B) + "` are expected, those of " +
                 quoted(Other.Info.name) + " are `" + typeOf(Other) + "`");
    ElementForm E = formOf(B);
    B.View = Other.View;
    B.Type = E.Type;
    B.Seen = Other.Seen;
    if (!Other.isTensor())
      B.Seen = goldy::wholeView(
          {Other.Shape.begin(), Other.Shape.end() - E.Axes.size()});
    B.Ready = true;
    return view(B);
  }
  uint64_t First = 0;
  for (const goldy::ViewStep &S : B.Spec.Views) {
    if (S.Numbers[0] > Other.View.Length - First)
      return refuse(B, "offset " + std::to_string(S.Numbers[0]) +
                           " is past the end of " + quoted(Other.Info.name) +
                           ", which has " + std::to_string(Other.View.Length) +
                           " elements");
    First += S.Numbers[0];
  }
  uint64_t Bytes = (Other.View.Length - First) * OtherStride;
  if (Bytes % Stride != 0)
    return refuse(
        B, std::to_string(Bytes) + " bytes of " + quoted(Other.Info.name) +
               " are not a whole number of elements of `" + typeOf(B) + "`");
  B.View = {Other.View.Handle, Other.View.Offset + First * OtherStride,
            Bytes / Stride};
  ElementForm E = formOf(B);
  bool Same = First == 0 && E.Type == Other.Type && Stride == OtherStride &&
              !Other.isTensor();
  B.Type = E.Type;
  B.Shape = {B.View.Length};
  B.Shape.insert(B.Shape.end(), E.Axes.begin(), E.Axes.end());
  if (Same)
    B.Shape = Other.Shape;
  B.Ready = true;
  return Exit::Ok;
}

Exit Arguments::resolve(Bound &B, unsigned Depth) {
  if (B.Ready || isScalar(B))
    return Exit::Ok;
  return B.Spec.Form == SpecKind::Alias ? loadAlias(B, Depth) : loadBuffer(B);
}

Exit Arguments::load(std::span<const goldy::Device *const> On) {
  Devices.assign(On.begin(), On.end());
  for (Bound &B : Params)
    GOLDYRUN_TRY(resolve(B, 0));
  return Exit::Ok;
}

std::vector<goldy_argument_t> Arguments::list() const {
  std::vector<goldy_argument_t> List;
  for (const Bound &B : Params)
    List.push_back({B.View.Handle, B.View.Offset, B.View.Length, B.Word,
                    B.isTensor() ? &B.Tensor : nullptr});
  return List;
}

Exit Arguments::findBuffer(const std::string &Option, const std::string &Name,
                           const Bound *&Out) const {
  for (const Bound &B : Params)
    if (B.Info.name == Name) {
      Out = &B;
      return isScalar(B) ? fail(Exit::Input, quoted(Option) + ": parameter " +
                                                 quoted(Name) + " is a scalar")
                         : Exit::Ok;
    }
  return fail(Exit::Input,
              quoted(Option) + ": " + Owner + " has no parameter " +
                  quoted(Name),
              didYouMean(Name, names()));
}

Exit Arguments::read(const Bound &B, npy::Array &Out) const {
  Out.Type = B.Type;
  Out.Shape = B.Shape;
  uint64_t Stride = strideOf(B);
  Out.Data.resize(B.View.Length * Stride);
  goldy::Status S(goldy_buffer_read(B.View.Handle, B.View.Offset,
                                    Out.Data.data(), Out.Data.size()));
  if (!S.ok())
    return fail(S);
  if (B.isTensor())
    Out.Data = goldy::elementsInOrder(B.Seen, Out.Data, Stride);
  return Exit::Ok;
}

std::vector<const Bound *> Arguments::written() const {
  std::vector<const Bound *> Out;
  for (const Bound &B : Params)
    if (!isScalar(B) && B.Info.access != GOLDY_READ)
      Out.push_back(&B);
  return Out;
}

uint64_t Arguments::bytesTouched() const {
  uint64_t Bytes = 0;
  for (const Bound &B : Params) {
    if (isScalar(B))
      continue;
    uint64_t Count = B.View.Length;
    if (B.isTensor())
      Count = std::accumulate(B.Seen.Shape.begin(), B.Seen.Shape.end(),
                              uint64_t(1), std::multiplies<uint64_t>());
    uint64_t Once = Count * strideOf(B);
    Bytes += B.Info.access == GOLDY_READ_WRITE ? 2 * Once : Once;
  }
  return Bytes;
}
