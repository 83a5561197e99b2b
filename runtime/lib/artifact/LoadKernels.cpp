//===- LoadKernels.cpp - Verifying a file: kernels and images -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameter block follows from the parameters, so its offsets are computed
// here and must be what the file says.
//
//===----------------------------------------------------------------------===//
#include "artifact/Loader.h"
#include "core/Checked.h"
#include "core/Utf8.h"

#include <algorithm>

using namespace goldy::rt;

template <class T, class Get>
static bool unique(const std::vector<T> &Items, Get Name) {
  std::vector<std::string_view> Names;
  for (const T &I : Items)
    Names.push_back(Name(I));
  std::sort(Names.begin(), Names.end());
  return std::adjacent_find(Names.begin(), Names.end()) == Names.end();
}

static Status within(const std::string &Where, Status S) {
  return S.ok() ? std::move(S) : Status(S.code(), Where + ": " + S.message());
}

Status Loader::textBlob(const schema::Blob &B, const char *What,
                        std::string_view &Text) {
  std::span<const std::byte> View;
  GOLDY_TRY(blob(B, What, View));
  Text = {reinterpret_cast<const char *>(View.data()), View.size()};
  // Kernels may share a text; different texts do not overlap, so together
  // they are no longer than the file, and neither is this loop.
  if (!SeenTexts.insert({B.offset(), B.size()}).second)
    return Status();
  if (B.size() > TextBudget)
    return invalid(std::string(What) + ": texts overlap");
  TextBudget -= B.size();
  return isUtf8(Text) ? Status()
                      : invalid(std::string(What) + ": the text is not UTF-8");
}

Status Loader::kernels() {
  uint32_t Count = Root->kernels() ? Root->kernels()->size() : 0;
  if (Count > limits::Kernels)
    return overLimit("kernels", Count, limits::Kernels);
  Out.Kernels.resize(Count);
  for (uint32_t I = 0; I < Count; ++I) {
    const schema::Kernel &K = *Root->kernels()->Get(I);
    GOLDY_TRY(name(K.name(), "a kernel", Out.Kernels[I].Name));
    GOLDY_TRY(within("kernel `" + Out.Kernels[I].Name + "`",
                     kernel(K, Out.Kernels[I])));
  }
  if (!unique(Out.Kernels,
              [](const Kernel &K) { return std::string_view(K.Name); }))
    return invalid("two kernels of one name");
  return Status();
}

Status Loader::kernel(const schema::Kernel &K, Kernel &Kernel) {
  const schema::Extent &Size = *K.workgroup_size();
  uint64_t X = Size.x(), Y = Size.y(), Z = Size.z();
  if (X == 0 || Y == 0 || Z == 0 || X > 1024 || Y > 1024 || Z > 64 ||
      X * Y * Z > 1024)
    return invalid("workgroup size " + std::to_string(X) + " x " +
                   std::to_string(Y) + " x " + std::to_string(Z) +
                   " is not allowed");
  Kernel.WorkgroupSize = {Size.x(), Size.y(), Size.z()};
  if (K.workgroup_bytes() > limits::WorkgroupBytes)
    return overLimit("workgroup memory in bytes", K.workgroup_bytes(),
                     limits::WorkgroupBytes);
  Kernel.WorkgroupBytes = K.workgroup_bytes();
  GOLDY_TRY(text(K.doc(), "the doc comment", limits::AllNameBytes));
  GOLDY_TRY(textBlob(*K.definition(), "definition", Kernel.Definition));
  GOLDY_TRY(textBlob(*K.slang(), "slang", Kernel.Slang));
  GOLDY_TRY(params(K, Kernel));
  GOLDY_TRY(block(K, Kernel));
  GOLDY_TRY(specs(K, Kernel));
  return images(K, Kernel);
}

Status Loader::specs(const schema::Kernel &K, Kernel &Kernel) {
  uint32_t Count = K.specs() ? K.specs()->size() : 0;
  if (Count > limits::Specs)
    return overLimit("specialisation constants", Count, limits::Specs);
  Kernel.Specs.resize(Count);
  for (uint32_t I = 0; I < Count; ++I) {
    const schema::SpecConstant &S = *K.specs()->Get(I);
    SpecConstant &Spec = Kernel.Specs[I];
    GOLDY_TRY(name(S.name(), "a specialisation constant", Spec.Name));
    if (S.type() < schema::TypeKind::Bool || S.type() > schema::TypeKind::F32 ||
        S.id() >= limits::Specs || (I && S.id() <= Kernel.Specs[I - 1].Id) ||
        S.value() > (S.type() == schema::TypeKind::Bool ? 1 : UINT32_MAX))
      return invalid("specialisation constant `" + Spec.Name +
                     "`: type, number or value is not allowed");
    Spec.Id = S.id();
    Spec.Type = static_cast<goldy_type_kind_t>(S.type());
    Spec.Value = S.value();
    Spec.Settable = S.settable();
  }
  if (!unique(Kernel.Specs,
              [](const SpecConstant &S) { return std::string_view(S.Name); }))
    return invalid("two specialisation constants of one name");
  return Status();
}

Status Loader::params(const schema::Kernel &K, Kernel &Kernel) {
  uint32_t Count = K.params() ? K.params()->size() : 0;
  if (Count > limits::Params)
    return overLimit("parameters", Count, limits::Params);
  Kernel.Params.resize(Count);
  for (uint32_t I = 0; I < Count; ++I) {
    const schema::Param &P = *K.params()->Get(I);
    Param &Param = Kernel.Params[I];
    GOLDY_TRY(name(P.name(), "a parameter", Param.Name));
    GOLDY_TRY(within("parameter `" + Param.Name + "`", param(P, Param)));
  }
  if (!unique(Kernel.Params,
              [](const Param &P) { return std::string_view(P.Name); }))
    return invalid("two parameters of one name");
  return Status();
}

Status Loader::param(const schema::Param &P, Param &Param) {
  if (P.kind() > schema::ParamKind::MAX || P.access() > schema::Access::MAX)
    return invalid("unknown kind or access");
  bool Axes = P.dependence() == schema::IndexForm::Own ||
              P.dependence() == schema::IndexForm::Plane;
  if (P.dependence() > schema::IndexForm::MAX ||
      P.dependence_axes() > (Axes ? 7 : 0))
    return invalid("unknown dependence");
  Param.Type = typeAt(P.type(), static_cast<uint32_t>(Out.Types.size()));
  if (!Param.Type)
    return invalid("there is no type " + std::to_string(P.type()));
  GOLDY_TRY(charge(Param.Type->Name.size()));
  Param.Kind = static_cast<goldy_param_kind_t>(P.kind());
  Param.Access = static_cast<goldy_access_t>(P.access());
  Param.UniformRead = P.uniform_read();
  if (Param.Kind == GOLDY_PARAM_SCALAR &&
      (Param.Type->Depth != 0 || Param.Type->Size < 4 ||
       Param.Access != GOLDY_READ))
    return invalid("a scalar is a readable value of 4 or 8 bytes");
  bool Float4 = Param.Type->Kind == GOLDY_TYPE_VECTOR &&
                Param.Type->Count == 4 &&
                Param.Type->Element->Kind == GOLDY_TYPE_F32;
  if (Param.Kind == GOLDY_PARAM_IMAGE &&
      (!Float4 || Param.Access != GOLDY_WRITE))
    return invalid("an image is write-only and holds four floats an element");
  if (Param.Kind == GOLDY_PARAM_UNIFORM && Param.Access != GOLDY_READ)
    return invalid("a uniform block is read-only");
  if (Param.UniformRead && Param.Kind != GOLDY_PARAM_BUFFER &&
      Param.Kind != GOLDY_PARAM_TENSOR)
    return invalid("only a buffer or tensor can be a uniform read");
  if (P.contract())
    GOLDY_TRY(contract(P, Param));
  Param.Offset = P.offset();
  Param.Size = P.size();
  return baked(P, Param);
}

Status Loader::baked(const schema::Param &P, Param &Param) {
  if (!P.baked())
    return P.baked_bits() ? invalid("a baked value without its mark")
                          : Status();
  if (Param.Kind != GOLDY_PARAM_SCALAR)
    return invalid("only a scalar is baked");
  bool Bool = Param.Type->Kind == GOLDY_TYPE_BOOL;
  uint64_t Most = Bool ? 1 : Param.Type->Size == 4 ? UINT32_MAX : UINT64_MAX;
  if (P.baked_bits() > Most)
    return invalid("a baked value wider than its type");
  Param.Baked = P.baked_bits();
  return Status();
}

Status Loader::contract(const schema::Param &P, Param &Param) {
  if (Param.Kind != GOLDY_PARAM_TENSOR)
    return invalid("only a tensor has a shape contract");
  if (P.contract()->size() > 4)
    return invalid("a shape contract of more than 4 axes");
  Param.Contract.emplace();
  for (const schema::ContractDim *D : *P.contract()) {
    if (D->form() > schema::DimForm::MAX)
      return invalid("unknown form of an extent");
    ContractDim Dim;
    Dim.Form = static_cast<ContractDim::Kind>(D->form());
    Dim.Extent = D->extent();
    bool Symbol = Dim.Form == ContractDim::Kind::Symbol;
    if (Symbol)
      GOLDY_TRY(name(D->name(), "an extent", Dim.Name));
    if ((!Symbol && D->name()) ||
        (Dim.Form != ContractDim::Kind::Exact && Dim.Extent))
      return invalid("facts of another form of extent");
    Param.Contract->push_back(std::move(Dim));
  }
  return Status();
}

static uint32_t sizeInBlock(const Param &P) {
  switch (P.Kind) {
  case GOLDY_PARAM_SCALAR:
    return static_cast<uint32_t>(P.Type->Size);
  case GOLDY_PARAM_TENSOR:
    return 24;
  case GOLDY_PARAM_UNIFORM:
    return 8;
  case GOLDY_PARAM_BUFFER:
  case GOLDY_PARAM_IMAGE:
    return 16;
  }
  return 16;
}

Status Loader::block(const schema::Kernel &K, Kernel &Kernel) {
  uint32_t At = 0;
  for (const Param &P : Kernel.Params) {
    uint32_t Size = sizeInBlock(P);
    uint32_t Align = P.Kind == GOLDY_PARAM_SCALAR ? Size : 8;
    At = (At + Align - 1) / Align * Align;
    if (P.Offset != At || P.Size != Size)
      return invalid("parameter `" + P.Name +
                     "` is not where the block's rule has it");
    At += Size;
  }
  At = (At + 7) / 8 * 8;
  Kernel.LayoutTableOffset = At;
  Kernel.BaseWordsOffset = At + 8;
  Kernel.BlockSize = At + 32;
  if (K.layout_table_offset() != Kernel.LayoutTableOffset ||
      K.base_words_offset() != Kernel.BaseWordsOffset ||
      K.block_size() != Kernel.BlockSize)
    return invalid("the parameter block is not as its rule has it");
  if (Kernel.BlockSize > limits::BlockBytes)
    return overLimit("the parameter block in bytes", Kernel.BlockSize,
                     limits::BlockBytes);
  return Status();
}

Status Loader::images(const schema::Kernel &K, Kernel &Kernel) {
  uint32_t Count = K.images() ? K.images()->size() : 0;
  if (Count > limits::Images)
    return overLimit("images", Count, limits::Images);
  Kernel.Images.resize(Count);
  for (uint32_t I = 0; I < Count; ++I) {
    const schema::Image &Source = *K.images()->Get(I);
    Image &Image = Kernel.Images[I];
    GOLDY_TRY(name(Source.arch(), "an image", Image.Arch));
    GOLDY_TRY(within("image `" + Image.Arch + "`",
                     image(Source, Kernel.BlockSize, Image)));
    GOLDY_TRY(
        within("image `" + Image.Arch + "`", threads(Source, Kernel, Image)));
    GOLDY_TRY(
        within("image `" + Image.Arch + "`", sites(Source, Kernel, Image)));
  }
  if (!unique(Kernel.Images,
              [](const Image &I) { return std::string_view(I.Arch); }))
    return invalid("two images of one arch");
  return Status();
}

Status Loader::image(const schema::Image &I, uint32_t BlockSize, Image &Image) {
  if (I.format() > schema::ImageFormat::MAX)
    return invalid("unknown format");
  Image.Format = static_cast<ImageFormat>(I.format());
  GOLDY_TRY(blob(*I.blob(), "code", Image.Code));
  if (Image.Code.empty())
    return invalid("no code");
  for (uint32_t N = 0; I.features() && N < I.features()->size(); ++N) {
    std::string Feature;
    GOLDY_TRY(name(I.features()->Get(N)->name(), "a feature", Feature));
    if (!Image.Features.empty() && Image.Features.back() >= Feature)
      return invalid("features are not sorted");
    Image.Features.push_back(std::move(Feature));
  }
  if (I.workgroup_bytes() > limits::WorkgroupBytes)
    return overLimit("workgroup memory in bytes", I.workgroup_bytes(),
                     limits::WorkgroupBytes);
  Image.WorkgroupBytes = I.workgroup_bytes();
  bool Host = Image.Format == ImageFormat::HostBlob;
  if (!Host)
    GOLDY_TRY(name(I.entry(), "the entry", Image.Entry));
  GOLDY_TRY(Host ? hostImage(I, Image) : deviceImage(I, BlockSize, Image));
  if (!Host && (I.debug() || I.item()))
    return invalid("facts of host code on another format");
  if (I.debug())
    GOLDY_TRY(debug(*I.debug(), Image.Debug));
  if (I.item())
    GOLDY_TRY(item(*I.item(), Image.Item));
  Image.EntryOffset = I.entry_offset();
  Image.ScratchBytes = I.scratch_bytes();
  Image.PushConstantBytes = I.push_constant_bytes();
  Image.BlockBehindAddress = I.block_behind_address();
  Image.WordBindings = I.word_bindings();
  for (uint32_t N = 0; I.switches() && N < I.switches()->size(); ++N)
    if (I.switches()->Get(N) < 32)
      Image.Switches |= 1u << I.switches()->Get(N);
  return Status();
}

Status Loader::threads(const schema::Image &I, const Kernel &Kernel,
                       Image &Image) {
  if (!I.threads() && !I.groups_at_once())
    return Status();
  if (Image.Format == ImageFormat::HostBlob)
    return invalid("host code with facts of another format");
  if (!I.threads() || !I.groups_at_once())
    return invalid("threads without groups at once, or the other way");
  Image.Threads = {I.threads()->x(), I.threads()->y(), I.threads()->z()};
  Image.GroupsAtOnce = I.groups_at_once();
  uint32_t Beside = Image.Threads[0] / Kernel.WorkgroupSize[0];
  for (int A = 0; A < 3; ++A)
    if (Image.Threads[A] != Kernel.WorkgroupSize[A] * (A ? 1 : Beside) ||
        !Image.Threads[A] || Image.Threads[A] > 1024)
      return invalid(std::to_string(Image.Threads[A]) + " threads along " +
                     "xyz"[A] + ", the workgroup has " +
                     std::to_string(Kernel.WorkgroupSize[A]) + " work-items");
  if (Image.GroupsAtOnce % Beside != 0 || Image.GroupsAtOnce > 1024 * 8)
    return invalid(std::to_string(Image.GroupsAtOnce) + " groups at once, " +
                   std::to_string(Beside) + " side by side");
  return Status();
}

Status Loader::hostImage(const schema::Image &I, const Image &Image) {
  if (I.entry() || I.push_constant_bytes() || I.block_behind_address() ||
      I.word_bindings())
    return invalid("host code with facts of another format");
  if (I.entry_offset() >= Image.Code.size())
    return invalid("the entry at " + std::to_string(I.entry_offset()) +
                   " lies outside the code of " +
                   std::to_string(Image.Code.size()) + " bytes");
  if (I.scratch_bytes() > limits::ScratchBytes)
    return overLimit("scratch in bytes", I.scratch_bytes(),
                     limits::ScratchBytes);
  return Status();
}

/// The object itself is for debuggers: only where words are written is checked.
Status Loader::debug(const schema::HostDebug &D, ImageDebug &Debug) {
  GOLDY_TRY(blob(*D.object(), "debug information", Debug.Object));
  uint32_t Count = D.addresses() ? D.addresses()->size() : 0;
  if (Debug.Object.empty() || Count == 0)
    return invalid("debug information without an object or its addresses");
  if (Count > limits::DebugAddresses)
    return overLimit("addresses of debug information", Count,
                     limits::DebugAddresses);
  for (uint32_t N = 0; N < Count; ++N) {
    uint32_t At = D.addresses()->Get(N);
    if (At % 8 != 0 || uint64_t(At) + 8 > Debug.Object.size() ||
        (N && At <= Debug.Addresses.back()))
      return invalid("the addresses of its debug information are not ascending "
                     "words of the object");
    Debug.Addresses.push_back(At);
  }
  return Status();
}

Status Loader::item(const schema::ItemCode &I, ItemCode &Item) {
  GOLDY_TRY(blob(*I.code(), "code of a work-item", Item.Code));
  if (I.entry_offset() >= Item.Code.size())
    return invalid("the entry at " + std::to_string(I.entry_offset()) +
                   " lies outside the work-item's code of " +
                   std::to_string(Item.Code.size()) + " bytes");
  if (I.scratch_bytes() > limits::ScratchBytes)
    return overLimit("scratch of a work-item's code in bytes",
                     I.scratch_bytes(), limits::ScratchBytes);
  Item.EntryOffset = I.entry_offset();
  Item.ScratchBytes = I.scratch_bytes();
  return debug(*I.debug(), Item.Debug);
}

Status Loader::deviceImage(const schema::Image &I, uint32_t BlockSize,
                           const Image &Image) {
  if (I.entry_offset() || I.scratch_bytes())
    return invalid("facts of host code on another format");
  for (uint32_t N = 0; I.switches() && N < I.switches()->size(); ++N)
    if (I.switches()->Get(N) >= 32 ||
        (N && I.switches()->Get(N) <= I.switches()->Get(N - 1)))
      return invalid("its switches are not ascending numbers below 32");
  bool Spirv = Image.Format == ImageFormat::Spirv;
  if (Spirv && Image.Code.size() % 4 != 0)
    return invalid("SPIR-V of " + std::to_string(Image.Code.size()) +
                   " bytes, not whole words");
  if (!Spirv && (I.push_constant_bytes() || I.block_behind_address()))
    return invalid("push constants on PTX");
  if (!Spirv && I.word_bindings())
    return invalid("bindings on PTX");
  if (I.word_bindings() > limits::WordBindings)
    return overLimit("word bindings", I.word_bindings(), limits::WordBindings);
  if (I.push_constant_bytes() > limits::PushConstantBytes)
    return overLimit("push constants in bytes", I.push_constant_bytes(),
                     limits::PushConstantBytes);
  uint32_t Pushed = I.block_behind_address() ? 8 : BlockSize;
  if (Spirv && I.push_constant_bytes() != Pushed)
    return invalid(std::to_string(I.push_constant_bytes()) +
                   " bytes of push constants, the parameter block takes " +
                   std::to_string(Pushed));
  return Status();
}
