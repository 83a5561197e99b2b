//===- Writer.cpp - The `.gdy` file
//----------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blob offsets count from the file's start, so they depend on the size of the
// FlatBuffer that holds them. Its size does not depend on their values (they
// are inline structs), so it is built twice: once to be measured, once to be
// kept.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Artifact/Writer.h"

#include "TypeExport.h"
#include "artifact_generated.h"
#include "program/Bytes.h"

#include <cassert>
#include <cstring>

using namespace goldy;
namespace fb = flatbuffers;

namespace {

constexpr uint64_t BlobAlign = 64;

template <class A, class B> constexpr bool sameNumber(A X, B Y) {
  return static_cast<int>(X) == static_cast<int>(Y);
}
static_assert(sameNumber(TypeKind::BF16, schema::TypeKind::BF16) &&
              sameNumber(TypeKind::I64, schema::TypeKind::I64) &&
              sameNumber(TypeKind::Struct, schema::TypeKind::Struct) &&
              sameNumber(ParamKind::Image, schema::ParamKind::Image) &&
              sameNumber(Access::ReadWrite, schema::Access::ReadWrite) &&
              sameNumber(FpMode::Fast, schema::FpMode::Fast) &&
              sameNumber(BoundsMode::Unchecked,
                         schema::BoundsMode::Unchecked) &&
              sameNumber(WatchSite::Kind::Copy, schema::SiteKind::Copy) &&
              sameNumber(WatchSite::Memory::Private,
                         schema::SiteMemory::Private));

/// Blobs in the order they were first named; equal bytes are stored once.
class BlobArea {
public:
  /// The place of `Bytes`, which must outlive this object.
  schema::Blob place(std::string_view Bytes) {
    if (Bytes.empty())
      return schema::Blob(0, 0);
    auto [It, New] = Offsets.try_emplace(Bytes, End);
    if (New) {
      Order.push_back(Bytes);
      End += (Bytes.size() + BlobAlign - 1) / BlobAlign * BlobAlign;
    }
    return schema::Blob(Start + It->second, Bytes.size());
  }
  /// Forgets all blobs; the area starts at `NewStart` from now on.
  void restart(uint64_t NewStart) {
    *this = BlobArea();
    Start = NewStart;
  }
  uint64_t fileEnd() const { return Start + End; }
  void append(std::vector<uint8_t> &File) const {
    for (std::string_view B : Order) {
      File.resize((File.size() + BlobAlign - 1) / BlobAlign * BlobAlign);
      File.insert(File.end(), B.begin(), B.end());
    }
    File.resize(fileEnd());
  }

private:
  uint64_t Start = 0, End = 0;
  std::map<std::string_view, uint64_t> Offsets;
  std::vector<std::string_view> Order;
};

class FileBuilder {
public:
  explicit FileBuilder(const ArtifactInput &Input)
      : In(Input), M(*Input.Definition), Types(exportTypes(Input)) {
    for (const program::ProgramTemplate &P : In.Programs)
      Templates.push_back(program::toBytes(P));
  }

  std::vector<uint8_t> build() {
    buildTables(0);
    uint64_t Size = B.GetSize();
    Blobs.restart((Size + BlobAlign - 1) / BlobAlign * BlobAlign);
    uint64_t FileSize = placeAll();
    B.Clear();
    buildTables(FileSize);
    assert(B.GetSize() == Size && "blob offsets changed the FlatBuffer's size");
    std::vector<uint8_t> File(B.GetBufferPointer(),
                              B.GetBufferPointer() + Size);
    Blobs.append(File);
    return File;
  }

private:
  static std::string_view textOf(const std::vector<uint8_t> &Bytes) {
    return {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()};
  }

  /// Places an image's blobs, in the order that they have in the file.
  void place(const Image &I) {
    Blobs.place(textOf(I.Bytes));
    Blobs.place(textOf(I.Debug.Bytes));
    if (I.Item) {
      Blobs.place(textOf(I.Item->Bytes));
      Blobs.place(textOf(I.Item->Debug.Bytes));
    }
  }

  uint64_t placeAll() {
    for (const KernelRecord &K : In.Kernels) {
      Blobs.place(K.DefinitionText);
      Blobs.place(K.CanonicalSlang);
      for (const Image &I : K.Images)
        place(I);
    }
    for (const std::string &T : Templates)
      Blobs.place(T);
    return Blobs.fileEnd();
  }

  fb::Offset<schema::Type> type(TypeId T) {
    const Type &Node = M.Types[T];
    Layout L = M.Types.layout(T);
    std::vector<fb::Offset<schema::Field>> Fields;
    fb::Offset<fb::String> Name;
    if (Node.Kind == TypeKind::Struct) {
      const StructType &S = M.Types.structure(Node.Struct);
      for (uint32_t I = 0; I < S.Fields.size(); ++I)
        Fields.push_back(schema::CreateField(
            B, B.CreateString(S.Fields[I].Name),
            Types.Number.at(S.Fields[I].Type), M.Types.memberOffset(T, I)));
      Name = B.CreateString(S.Name);
    }
    bool HasElement =
        Node.Kind == TypeKind::Vector || Node.Kind == TypeKind::Array;
    return schema::CreateType(
        B, static_cast<schema::TypeKind>(Node.Kind),
        HasElement ? Types.Number.at(Node.Element) : 0,
        HasElement ? Node.Count : 0, Name,
        Fields.empty() ? fb::Offset<fb::Vector<fb::Offset<schema::Field>>>()
                       : B.CreateVector(Fields),
        L.Size, L.Align, M.Types.stride(T));
  }

  fb::Offset<schema::Param> param(const KernelRecord &K, const AbiLayout &Abi,
                                  uint32_t I) {
    const Param &P = M.Functions[K.Kernel].Params[I];
    fb::Offset<fb::Vector<fb::Offset<schema::ContractDim>>> Contract;
    if (P.Contract)
      Contract = contract(*P.Contract);
    fb::Offset<fb::String> Origins;
    if (I < K.Origins.size() && !K.Origins[I].empty())
      Origins = B.CreateString(K.Origins[I]);
    return schema::CreateParam(
        B, B.CreateString(P.Name), static_cast<schema::ParamKind>(P.Kind),
        Types.Number.at(P.Type), static_cast<schema::Access>(P.Acc),
        Abi.Params[I].Offset, Abi.Params[I].Size,
        I < K.UniformRead.size() && K.UniformRead[I],
        I < K.Baked.size() && K.Baked[I].has_value(),
        I < K.Baked.size() ? K.Baked[I].value_or(0) : 0, Contract, Origins,
        I < K.Dependence.size()
            ? static_cast<schema::IndexForm>(K.Dependence[I].Form)
            : schema::IndexForm::Other,
        I < K.Dependence.size() ? K.Dependence[I].Axes : 0);
  }

  fb::Offset<fb::Vector<fb::Offset<schema::ContractDim>>>
  contract(const std::vector<ContractDim> &Dims) {
    std::vector<fb::Offset<schema::ContractDim>> List;
    for (const ContractDim &D : Dims) {
      bool Symbol = D.Form == ContractDim::Kind::Symbol;
      List.push_back(schema::CreateContractDim(
          B, static_cast<schema::DimForm>(D.Form), D.Extent,
          Symbol ? B.CreateString(D.Name) : fb::Offset<fb::String>()));
    }
    return B.CreateVector(List);
  }

  fb::Offset<schema::SpecConstant> spec(uint32_t Number, bool Settable) {
    const SpecConstant &S = M.Specs[SpecId(Number)];
    return schema::CreateSpecConstant(
        B, B.CreateString(S.Name), Number,
        static_cast<schema::TypeKind>(M.Types.kind(S.Type)), S.Default,
        Settable);
  }

  fb::Offset<fb::Vector<fb::Offset<schema::SpecConstant>>>
  specs(const KernelRecord &K) {
    if (M.Specs.empty())
      return {};
    std::vector<bool> Used = usedSpecs(M, K.Kernel);
    std::vector<fb::Offset<schema::SpecConstant>> List;
    for (uint32_t I = 0; I < M.Specs.size(); ++I)
      List.push_back(spec(I, Used[I] && !K.SpecsFixed));
    return B.CreateVector(List);
  }

  static schema::ImageFormat format(const Image &I) {
    if (I.Format == "spirv")
      return schema::ImageFormat::Spirv;
    if (I.Format == "ptx")
      return schema::ImageFormat::Ptx;
    assert(I.Format == "x86-blob" && "unknown image format");
    return schema::ImageFormat::HostBlob;
  }

  fb::Offset<schema::SitePlace> place(const SitePlace &P) {
    fb::Offset<fb::String> File = B.CreateSharedString(P.File);
    fb::Offset<fb::String> Text = B.CreateSharedString(P.Text);
    return schema::CreateSitePlace(B, File, P.Line, P.Column, Text);
  }

  fb::Offset<schema::Site> site(const WatchSite &S) {
    std::vector<schema::SiteIndex> Indices;
    for (const WatchSite::Index &X : S.Indices)
      Indices.emplace_back(X.Stride, X.Extent, X.Signed);
    fb::Offset<fb::Vector<const schema::SiteIndex *>> List;
    if (!Indices.empty())
      List = B.CreateVectorOfStructs(Indices);
    // Few files and lines, many sites.
    fb::Offset<fb::String> Name = B.CreateSharedString(S.Name);
    fb::Offset<fb::String> File = B.CreateSharedString(S.File);
    fb::Offset<fb::String> Text = B.CreateSharedString(S.Text);
    std::vector<fb::Offset<schema::SitePlace>> Each;
    for (const SitePlace &P : S.Calls)
      Each.push_back(place(P));
    fb::Offset<fb::Vector<fb::Offset<schema::SitePlace>>> Calls;
    if (!Each.empty())
      Calls = B.CreateVector(Each);
    return schema::CreateSite(B, static_cast<schema::SiteKind>(S.What),
                              static_cast<schema::SiteMemory>(S.In), S.Base,
                              S.Offset, S.Bytes, List, Name, File, S.Line,
                              S.Column, Text, Calls);
  }

  fb::Offset<schema::HostDebug> debug(const DebugObject &D) {
    if (D.Bytes.empty())
      return {};
    schema::Blob Where = Blobs.place(textOf(D.Bytes));
    return schema::CreateHostDebug(B, &Where, B.CreateVector(D.Addresses));
  }

  fb::Offset<schema::ItemCode> item(const std::optional<ItemCode> &I) {
    if (!I)
      return {};
    fb::Offset<schema::HostDebug> Debug = debug(I->Debug);
    schema::Blob Where = Blobs.place(textOf(I->Bytes));
    return schema::CreateItemCode(B, &Where, I->EntryOffset, I->ScratchBytes,
                                  Debug);
  }

  fb::Offset<schema::Image> image(const Image &I) {
    std::vector<fb::Offset<schema::Feature>> Features;
    for (const std::string &F : I.Features)
      Features.push_back(schema::CreateFeature(B, B.CreateString(F)));
    fb::Offset<fb::String> Arch = B.CreateString(I.Arch);
    bool HasEntry = format(I) != schema::ImageFormat::HostBlob;
    fb::Offset<fb::String> Entry =
        HasEntry ? B.CreateString(I.Entry) : fb::Offset<fb::String>();
    fb::Offset<fb::Vector<fb::Offset<schema::Feature>>> List =
        B.CreateVector(Features);
    fb::Offset<fb::Vector<uint8_t>> Switches =
        I.Switches.empty() ? fb::Offset<fb::Vector<uint8_t>>()
                           : B.CreateVector(I.Switches);
    schema::Blob Where = Blobs.place(textOf(I.Bytes));
    fb::Offset<schema::HostDebug> Debug = debug(I.Debug);
    fb::Offset<schema::ItemCode> Item = item(I.Item);
    schema::Extent Threads(I.Threads[0], I.Threads[1], I.Threads[2]);
    bool Coarsened = I.GroupsAtOnce > 1;
    fb::Offset<fb::Vector<fb::Offset<schema::Site>>> Sites;
    if (I.Sanitize) {
      std::vector<fb::Offset<schema::Site>> Each;
      for (const WatchSite &S : I.Sites)
        Each.push_back(site(S));
      Sites = B.CreateVector(Each);
    }
    return schema::CreateImage(
        B, Arch, format(I), List, &Where, Entry, I.EntryOffset, I.ScratchBytes,
        I.WorkgroupBytes, I.PushConstantBytes, I.BlockBehindAddress,
        I.WordBindings, Switches, Coarsened ? &Threads : nullptr,
        Coarsened ? I.GroupsAtOnce : 0, I.Sanitize, Sites, Debug, Item);
  }

  fb::Offset<schema::Kernel> kernel(const KernelRecord &K) {
    const Function &F = M.Functions[K.Kernel];
    AbiLayout Abi = abiLayout(M, F);
    std::vector<fb::Offset<schema::Param>> Params;
    for (uint32_t I = 0; I < F.Params.size(); ++I)
      Params.push_back(param(K, Abi, I));
    schema::Blob Definition = Blobs.place(K.DefinitionText);
    schema::Blob Slang = Blobs.place(K.CanonicalSlang);
    std::vector<fb::Offset<schema::Image>> Images;
    for (const Image &I : K.Images)
      Images.push_back(image(I));
    fb::Offset<fb::String> Name = B.CreateString(F.Name);
    fb::Offset<fb::String> Doc =
        F.Doc.empty() ? fb::Offset<fb::String>() : B.CreateString(F.Doc);
    fb::Offset<fb::Vector<fb::Offset<schema::Param>>> ParamList =
        B.CreateVector(Params);
    fb::Offset<fb::Vector<fb::Offset<schema::Image>>> ImageList =
        B.CreateVector(Images);
    fb::Offset<fb::Vector<fb::Offset<schema::SpecConstant>>> Specs = specs(K);
    fb::Offset<fb::String> Fusion;
    if (!K.FusionId.empty())
      Fusion = B.CreateString(K.FusionId);
    schema::Extent Size(F.WorkgroupSize[0], F.WorkgroupSize[1],
                        F.WorkgroupSize[2]);
    return schema::CreateKernel(
        B, Name, ParamList, &Size, definitionWorkgroupBytes(M, F),
        Abi.LayoutTableOffset, Abi.BaseWordsOffset, Abi.Size,
        F.Nondeterministic, Doc, &Definition, &Slang, ImageList, Specs, Fusion);
  }

  fb::Offset<schema::Source> source(const SourceRecord &S) {
    schema::Sha256 Hash;
    std::memcpy(&Hash, S.Sha256.data(), sizeof Hash);
    return schema::CreateSource(B, B.CreateString(S.Name), &Hash);
  }

  fb::Offset<fb::Vector<fb::Offset<schema::Program>>> programs() {
    if (In.Programs.empty())
      return {};
    std::vector<fb::Offset<schema::Program>> List;
    for (size_t I = 0; I < In.Programs.size(); ++I) {
      schema::Blob Where = Blobs.place(Templates[I]);
      List.push_back(schema::CreateProgram(
          B, B.CreateString(In.Programs[I].Name), &Where));
    }
    return B.CreateVector(List);
  }

  void buildTables(uint64_t FileSize) {
    std::vector<fb::Offset<schema::Source>> Sources;
    for (const SourceRecord &S : sortedSources(In))
      Sources.push_back(source(S));
    std::vector<fb::Offset<schema::Type>> TypeTables;
    for (TypeId T : Types.Types)
      TypeTables.push_back(type(T));
    std::vector<fb::Offset<schema::Kernel>> Kernels;
    for (const KernelRecord &K : In.Kernels)
      Kernels.push_back(kernel(K));
    fb::Offset<fb::String> Version = B.CreateString(In.CompilerVersion);
    fb::Offset<fb::String> Flags = B.CreateString(In.Flags);
    fb::Offset<fb::Vector<fb::Offset<schema::Source>>> SourceList =
        B.CreateVector(Sources);
    fb::Offset<fb::Vector<fb::Offset<schema::Type>>> TypeList =
        B.CreateVector(TypeTables);
    fb::Offset<fb::Vector<fb::Offset<schema::Kernel>>> KernelList =
        B.CreateVector(Kernels);
    fb::Offset<fb::Vector<fb::Offset<schema::Program>>> Programs = programs();
    B.FinishSizePrefixed(root(FileSize, Version, Flags, SourceList, TypeList,
                              KernelList, Programs),
                         schema::ArtifactIdentifier());
  }

  /// Written field by field with defaults kept, so that the size does not
  /// depend on values.
  fb::Offset<schema::Artifact>
  root(uint64_t FileSize, fb::Offset<fb::String> Version,
       fb::Offset<fb::String> Flags,
       fb::Offset<fb::Vector<fb::Offset<schema::Source>>> Sources,
       fb::Offset<fb::Vector<fb::Offset<schema::Type>>> TypeList,
       fb::Offset<fb::Vector<fb::Offset<schema::Kernel>>> Kernels,
       fb::Offset<fb::Vector<fb::Offset<schema::Program>>> Programs) {
    B.ForceDefaults(true);
    schema::ArtifactBuilder A(B);
    A.add_file_size(FileSize);
    A.add_format_version(ArtifactFormatVersion);
    A.add_kernel_abi_version(KernelAbiVersion);
    A.add_compiler_version(Version);
    A.add_flags(Flags);
    A.add_sources(Sources);
    A.add_types(TypeList);
    A.add_kernels(Kernels);
    if (!Programs.IsNull())
      A.add_programs(Programs);
    A.add_fp_mode(static_cast<schema::FpMode>(In.Fp));
    A.add_bounds_mode(static_cast<schema::BoundsMode>(M.Bounds));
    fb::Offset<schema::Artifact> Root = A.Finish();
    B.ForceDefaults(false);
    return Root;
  }

  const ArtifactInput &In;
  const Module &M;
  TypeExport Types;
  BlobArea Blobs;
  std::vector<std::string> Templates; ///< bytes of `In.Programs`
  fb::FlatBufferBuilder B;
};

} // namespace

std::vector<uint8_t> goldy::writeArtifact(const ArtifactInput &Input) {
  return FileBuilder(Input).build();
}
