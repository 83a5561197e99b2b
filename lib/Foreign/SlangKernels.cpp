//===- SlangKernels.cpp - Kernels written in Slang ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `[goldy_compute]` kernel says its parameters in the words of goldy.slang,
// which are laid out as the kernel ABI wants them. So a wrapper that takes the
// parameter block and computes the ids is all it needs: as push constants on
// Vulkan, as the by-value parameter on CUDA. A `[shader("compute")]` kernel
// binds as it likes; its SPIR-V is fitted to the ABI afterwards (BindAbi.h).//
//===----------------------------------------------------------------------===//
#include "BindAbi.h"
#include "Opaque.h"
#include "SlangScan.h"

#include <charconv>
#include <filesystem>
#include <map>

#include <fmt/format.h>

using namespace goldy;
using namespace goldy::foreign;
namespace fs = std::filesystem;

namespace {

constexpr std::string_view WrapperName = "<wrapper>";

/// From Slang's names to the IR's types; structs by the file's own
/// declarations.
class TypeReader {
public:
  TypeReader(Module &M, const SlangScan &Scan) : M(M), Scan(Scan) {}
  /// Invalid if the type has no place in the ABI.
  TypeId read(const std::string &Name);

private:
  TypeId structure(const SlangStruct &S);
  TypeId field(const SlangVariable &V);
  Module &M;
  const SlangScan &Scan;
  std::map<std::string, TypeId> Known;
};

TypeId scalarNamed(std::string_view Name) {
  static const std::map<std::string_view, TypeId> Names = {
      {"uint", types::U32},     {"uint32_t", types::U32},
      {"int", types::I32},      {"int32_t", types::I32},
      {"float", types::F32},    {"float32_t", types::F32},
      {"bool", types::Bool},    {"uint64_t", types::U64},
      {"int64_t", types::I64},  {"uint8_t", types::U8},
      {"int8_t", types::I8},    {"uint16_t", types::U16},
      {"int16_t", types::I16},  {"half", types::F16},
      {"float16_t", types::F16}};
  std::map<std::string_view, TypeId>::const_iterator I = Names.find(Name);
  return I == Names.end() ? TypeId() : I->second;
}

TypeId TypeReader::read(const std::string &Name) {
  if (TypeId T = scalarNamed(Name); T.isValid())
    return T;
  if (std::map<std::string, TypeId>::iterator I = Known.find(Name);
      I != Known.end())
    return I->second;
  if (Name.size() > 1 && Name.back() >= '2' && Name.back() <= '4') {
    TypeId Element = scalarNamed(Name.substr(0, Name.size() - 1));
    if (Element == types::U32 || Element == types::I32 || Element == types::F32)
      return M.Types.vector(Element, static_cast<uint32_t>(Name.back() - '0'));
  }
  Known[Name] = TypeId(); // a struct that holds itself has no layout
  for (const SlangStruct &S : Scan.Structs)
    if (S.Name == Name && S.Plain)
      return Known[Name] = structure(S);
  return TypeId();
}

TypeId TypeReader::field(const SlangVariable &V) {
  TypeId T = read(V.Type);
  for (size_t I = V.Extents.size(); T.isValid() && I-- > 0;) {
    const std::string &Text = V.Extents[I];
    uint32_t N = 0;
    std::from_chars_result R =
        std::from_chars(Text.data(), Text.data() + Text.size(), N);
    bool Number = R.ptr == Text.data() + Text.size() && N > 0;
    T = Number ? M.Types.array(T, N) : TypeId();
  }
  return T;
}

TypeId TypeReader::structure(const SlangStruct &S) {
  StructType Out;
  Out.Name = S.Name;
  Out.Where = S.Where;
  for (const SlangVariable &V : S.Fields) {
    TypeId T = field(V);
    if (!T.isValid() || M.Types.isStorageOnly(T))
      return TypeId();
    Out.Fields.push_back({V.Name, T, V.Where});
  }
  return Out.Fields.empty() ? TypeId()
                            : M.Types.structType(M.Types.addStruct(Out));
}

/// What the wrapper passes for a parameter that is no part of the block; empty
/// for others.
std::string idArgument(const SlangVariable &V) {
  auto Whole = [](std::string_view Name) -> std::string_view {
    return Name == "ThreadId" || Name == "SV_DispatchThreadID"     ? "goldy_gid"
           : Name == "GroupThreadId" || Name == "SV_GroupThreadID" ? "goldy_lid"
           : Name == "GroupId" || Name == "SV_GroupID"             ? "goldy_wid"
           : Name == "SV_GroupIndex" ? "goldy_index"
                                     : "";
  };
  if (!V.Semantic.empty()) {
    std::string_view Id = Whole(V.Semantic);
    if (Id.empty() || Id == "goldy_index" || V.Type == "uint3")
      return std::string(Id);
    std::string_view Axes = V.Type == "uint2" ? ".xy" : ".x";
    return std::string(Id) + std::string(Axes);
  }
  std::string_view Id = Whole(V.Type);
  return Id.empty() ? "" : "{" + std::string(Id) + "}";
}

/// Relative to the current directory if it lies there.
std::string shownPath(const std::string &Path) {
  std::error_code Error;
  fs::path Here = fs::current_path(Error);
  std::string Short = fs::path(Path).lexically_proximate(Here).string();
  return Error || Short.starts_with("..") ? Path : Short;
}

class SlangReader {
public:
  SlangReader(SourceManager &SM, FileId File, const OpaqueOptions &Options,
              DiagSink &Diags)
      : SM(SM), File(File), Diags(Diags),
        Scan(scanSlang(SM.file(File).Text, File)), Types(Unit.Kernels, Scan) {
    Unit.Options = Options;
  }
  std::optional<OpaqueUnit> run();

private:
  bool declare(const SlangKernel &K);
  std::optional<std::array<uint32_t, 3>> size(const SlangKernel &K);
  bool parameter(const SlangKernel &K, const SlangVariable &V, Param &P);
  std::string arguments(const SlangKernel &K, const Function &F) const;
  std::string block(const SlangKernel &K, const Function &F) const;
  std::string wrapper(const SlangKernel &K, const Function &F) const;
  bool compile();
  SlangRequest request() const;
  Span place(std::string_view Wanted) const;
  bool finish(const SlangKernel &K, const std::vector<uint8_t> &Code);

  SourceManager &SM;
  FileId File;
  DiagSink &Diags;
  SlangScan Scan;
  OpaqueUnit Unit;
  TypeReader Types;
  std::vector<std::string> Wrappers, Entries; ///< by number of the kernel
};

bool SlangReader::parameter(const SlangKernel &K, const SlangVariable &V,
                            Param &P) {
  P.Name = V.Name;
  P.Loc = V.Where;
  bool Read = V.Type == "BufRO<" + V.Element + ">";
  bool Write = V.Type == "Scattered<" + V.Element + ">";
  P.Kind = Read || Write ? ParamKind::Buffer : ParamKind::Scalar;
  P.Acc = Write ? Access::ReadWrite : Access::Read;
  P.Type = Types.read(Read || Write ? V.Element : V.Type);
  bool Fits = P.Type.isValid() && V.Extents.empty() && V.Semantic.empty() &&
              (V.Modifier.empty() || V.Modifier == "in");
  if (P.Kind == ParamKind::Scalar)
    Fits &= P.Type.isValid() && Unit.Kernels.Types.isScalar(P.Type);
  if (Fits)
    return true;
  std::string Written = V.Modifier.empty() ? V.Type : V.Modifier + " " + V.Type;
  return Diags.report(diag::G1005, V.Where)
             .help("use `BufRO<T>`, `Scattered<T>`, `uint`, `int`, `float`, "
                   "`bool`, `ThreadId`, `GroupThreadId` or `GroupId`")
         << "parameter `" << V.Name << "` of `" << K.Name << "` is `" << Written
         << "`, which has no place in the kernel ABI";
}

std::optional<std::array<uint32_t, 3>> SlangReader::size(const SlangKernel &K) {
  std::array<uint32_t, 3> Size{};
  for (size_t I = 0; K.HasSize && I < 3; ++I) {
    const std::string &Text = K.Size[I];
    std::from_chars_result R =
        std::from_chars(Text.data(), Text.data() + Text.size(), Size[I]);
    if (R.ec == std::errc() && R.ptr == Text.data() + Text.size())
      continue;
    return Diags.report(diag::G1007, K.Where)
               .help("write it in numbers: `[numthreads(256, 1, 1)]`")
           << "the workgroup size of `" << K.Name << "` has `" << Text
           << "` where a number is expected";
  }
  if (K.HasSize)
    return Size;
  return Diags.report(diag::G1007, K.Where)
             .help("add `[numthreads(256, 1, 1)]`")
         << "kernel `" << K.Name << "` does not say its workgroup size";
}

/// What the kernel is called with; the block is read through `goldy`.
std::string SlangReader::arguments(const SlangKernel &K,
                                   const Function &F) const {
  std::string Text;
  uint32_t Next = 0;
  for (const SlangVariable &V : K.Params) {
    Text += Text.empty() ? "" : ", ";
    if (std::string Id = idArgument(V); !Id.empty()) {
      Text += Id;
      continue;
    }
    const Param &P = F.Params[Next];
    if (P.Kind == ParamKind::Buffer)
      Text += fmt::format("{{GOLDY.p{0}, GOLDY.p{0}_length, 0u}}", Next);
    else
      Text += fmt::format("GOLDY.p{}{}", Next,
                          P.Type == types::Bool ? " != 0u" : "");
    ++Next;
  }
  return Text;
}

/// The block as a struct. Its members are scalars: an aggregate in a block has
/// another type than its like in a variable, and would be copied for each use.
std::string SlangReader::block(const SlangKernel &K, const Function &F) const {
  std::string Text = "struct goldy_params_" + K.Name + " {\n";
  uint32_t Next = 0;
  for (const SlangVariable &V : K.Params) {
    if (!idArgument(V).empty())
      continue;
    const Param &P = F.Params[Next];
    if (P.Kind == ParamKind::Buffer)
      Text += fmt::format("    uint64_t p{0};\n    uint p{0}_length;\n"
                          "    uint p{0}_zero;\n",
                          Next);
    else
      Text += fmt::format("    {} p{};\n",
                          P.Type == types::Bool ? "uint" : V.Type, Next);
    ++Next;
  }
  return Text + "    uint64_t layouts;\n    uint base_x;\n    uint base_y;\n"
                "    uint base_z;\n    uint groups_x;\n    uint groups_y;\n"
                "    uint groups_z;\n};\n";
}

/// The block, and entries that hand its parts on: as push constants, or behind
/// a pushed address, for Vulkan; as the by-value parameter for CUDA.
std::string SlangReader::wrapper(const SlangKernel &K,
                                 const Function &F) const {
  std::string Arguments = arguments(K, F);
  auto Entry = [&](std::string_view Kind, std::string_view Given) {
    return fmt::format(
        "[shader(\"compute\")]\n[numthreads({1}, {2}, {3})]\n"
        "void goldy_{5}_{0}({4}uint3 goldy_lid : SV_GroupThreadID, "
        "uint3 goldy_group : SV_GroupID, uint goldy_index : SV_GroupIndex) "
        "{{\n    uint3 goldy_wid = goldy_group + uint3(GOLDY.base_x, "
        "GOLDY.base_y, GOLDY.base_z);\n"
        "    goldy_groups = uint3(GOLDY.groups_x, GOLDY.groups_y, "
        "GOLDY.groups_z);\n"
        "    uint3 goldy_gid = goldy_wid * uint3({1}u, {2}u, {3}u) + "
        "goldy_lid;\n    {0}({6});\n}}\n",
        K.Name, F.WorkgroupSize[0], F.WorkgroupSize[1], F.WorkgroupSize[2],
        Given, Kind, Arguments);
  };
  auto Through = [](std::string Text, std::string_view Block) {
    for (size_t At; (At = Text.find("GOLDY.")) != Text.npos;)
      Text.replace(At, 6, Block);
    return Text;
  };
  std::string Type = "goldy_params_" + K.Name, Pushed = "goldy_push_" + K.Name;
  bool Behind = abiLayout(Unit.Kernels, F).Size > 128;
  std::string Vulkan =
      Behind ? fmt::format("struct {0}_t {{\n    {1}* block;\n}};\n"
                           "[[vk::push_constant]] {0}_t {0};\n",
                           Pushed, Type)
             : fmt::format("[[vk::push_constant]] {} {};\n", Type, Pushed);
  return block(K, F) + Vulkan +
         Through(Entry("vulkan", ""), Pushed + (Behind ? ".block->" : ".")) +
         Through(Entry("cuda", "uniform " + Type + " goldy, "), "goldy.");
}

bool SlangReader::declare(const SlangKernel &K) {
  for (const Function &F : Unit.Kernels.Functions)
    if (F.Name == K.Name)
      return Diags.report(diag::G1008, K.Where).note(F.Loc, "the first is here")
             << "two kernels are named `" << K.Name << "`";
  if (!K.Goldy) { // its parameters come from its SPIR-V
    addKernel(Unit.Kernels, K.Name, {}, {1, 1, 1}, K.Where);
    Wrappers.emplace_back();
    Entries.push_back(K.Name);
    return true;
  }
  std::optional<std::array<uint32_t, 3>> Size = size(K);
  bool Good = Size.has_value();
  std::vector<Param> Params;
  for (const SlangVariable &V : K.Params) {
    if (!idArgument(V).empty())
      continue;
    Params.emplace_back();
    Good &= parameter(K, V, Params.back());
  }
  if (!Good)
    return false;
  FuncId Id =
      addKernel(Unit.Kernels, K.Name, std::move(Params), *Size, K.Where);
  const Function &F = Unit.Kernels.Functions[Id];
  Wrappers.push_back(wrapper(K, F));
  Entries.push_back("goldy_vulkan_" + K.Name);
  return checkKernel(F, Diags);
}

SlangRequest SlangReader::request() const {
  SlangRequest R;
  R.Sources = Unit.Sources;
  R.Entries = Entries;
  R.SearchPaths = {Unit.Options.Directory};
  R.Macros = Unit.Options.Macros;
  R.Output = SlangOutput::Spirv;
  return R;
}

/// The first word of that name.
Span SlangReader::place(std::string_view Wanted) const {
  for (const SlangToken &T : slangTokens(SM.file(File).Text, File))
    if (T.Spelling == Wanted)
      return T.Where;
  return Span();
}

bool SlangReader::finish(const SlangKernel &K,
                         const std::vector<uint8_t> &Code) {
  FuncId Id = Unit.Kernels.find(K.Name);
  Function &F = Unit.Kernels.Functions[Id];
  std::string Why = "it is no SPIR-V";
  auto Invalid = [&]() -> bool {
    return Diags.report(diag::G1021, K.Where)
           << "the SPIR-V that Slang's compiler made of `" << K.Name
           << "` is not valid: " << Why;
  };
  std::optional<SpirvModule> M = SpirvModule::read(wordsOf(Code));
  if (!M)
    return Invalid();
  cleanModule(*M, K.Name);
  if (!K.Goldy &&
      (!bindToAbi(
           *M, Unit.Kernels, F,
           [this](std::string_view Wanted) { return place(Wanted); }, Diags) ||
       !checkKernel(F, Diags)))
    return false;
  std::optional<Image> I = makeSpirvImage(*M, abiLayout(Unit.Kernels, F),
                                          Unit.Options.OptLevel, Why);
  if (!I)
    return Invalid();
  OpaqueKernel Kernel;
  Kernel.Spirv = std::move(*I);
  Kernel.Wrapper = Wrappers[Id.index()];
  Kernel.PtxEntry = K.Goldy ? "goldy_cuda_" + K.Name : "";
  Unit.Code.push_back(std::move(Kernel));
  return true;
}

bool SlangReader::compile() {
  SlangLibrary *Slang = SlangLibrary::get(Diags);
  if (!Slang)
    return false;
  bool AnyGoldy = false;
  std::string Wrapper;
  for (const SlangKernel &K : Scan.Kernels)
    AnyGoldy |= K.Goldy;
  for (const std::string &W : Wrappers)
    Wrapper += W;
  if (AnyGoldy)
    Unit.Sources.push_back({"goldy.slang", std::string(Unit.Options.Prelude)});
  Unit.Sources.push_back({SM.file(File).Name, SM.file(File).Text});
  if (AnyGoldy)
    Unit.Sources.push_back({std::string(WrapperName), Wrapper});
  SlangResult R = Slang->compile(request());
  if (!reportSlang(SM, File, R, Unit.Options.Directory, Diags))
    return false;
  for (const std::string &Name : R.FilesRead)
    if (Name != SM.file(File).Name && Name != "goldy.slang" &&
        Name != WrapperName)
      Unit.FilesRead.push_back(shownPath(Name));
  bool Good = true;
  for (size_t I = 0; I < Scan.Kernels.size(); ++I)
    Good &= finish(Scan.Kernels[I], R.Code[I]);
  return Good;
}

std::optional<OpaqueUnit> SlangReader::run() {
  if (Scan.Kernels.empty())
    return Diags.report(diag::G1004, Span{File, 0, 0})
               .help("write `[goldy_compute]` and `[numthreads(256, 1, 1)]` "
                     "over a function of return type `void`")
           << "`" << SM.file(File).Name << "` holds no kernel";
  bool Good = true;
  for (const SlangKernel &K : Scan.Kernels)
    Good &= declare(K);
  if (!Good || !compile())
    return std::nullopt;
  return std::move(Unit);
}

} // namespace

std::optional<OpaqueUnit> foreign::readSlang(SourceManager &SM, FileId File,
                                             const OpaqueOptions &Options,
                                             DiagSink &Diags) {
  return SlangReader(SM, File, Options, Diags).run();
}

std::optional<Image> goldy::opaquePtx(const OpaqueUnit &Unit, FuncId Kernel,
                                      const std::string &Arch,
                                      DiagSink &Diags) {
  const Function &F = Unit.Kernels.Functions[Kernel];
  const OpaqueKernel &K = Unit.Code[Kernel.index()];
  if (K.PtxEntry.empty())
    return Diags.report(diag::G1006, F.Loc)
               .help("`[goldy_compute]` kernels in Slang have PTX; or use "
                     "`--target=spirv`")
           << "kernel `" << F.Name << "` has no code for " << Arch
           << ": it is opaque and binds as Vulkan does";
  if (nvrtcLibrary().empty())
    return Diags.report(diag::G1012, Span())
               .help("install NVIDIA's CUDA toolkit, or name the library with "
                     "the variable `GOLDY_NVRTC_PATH`")
           << "PTX of the opaque kernel `" << F.Name
           << "` needs NVRTC, which was not found";
  SlangLibrary *Slang = SlangLibrary::get(Diags);
  if (!Slang)
    return std::nullopt;
  SlangRequest R;
  R.Sources = Unit.Sources;
  R.Entries = {K.PtxEntry};
  R.SearchPaths = {Unit.Options.Directory};
  R.Macros = Unit.Options.Macros;
  R.Output = SlangOutput::Ptx;
  R.Arch = Arch;
  SlangResult Result = Slang->compile(R);
  for (const SlangMessage &M : Result.Messages)
    if (M.Level == Severity::Error)
      Diags.report(diag::G1000, F.Loc)
          << "as PTX, `" << F.Name << "` is refused: " << M.Text;
  if (!Result.Good || Result.Code.empty())
    return std::nullopt;
  Image I;
  I.Arch = Arch;
  I.Format = "ptx";
  I.Bytes = std::move(Result.Code[0]);
  I.Entry = K.PtxEntry;
  I.WorkgroupBytes = K.Spirv.WorkgroupBytes;
  return I;
}
