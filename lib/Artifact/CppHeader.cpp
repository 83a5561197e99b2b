//===- CppHeader.cpp - `--emit=header`: typed launches in C++ -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One struct a GPU struct, one struct a kernel; layouts are asserted, so that
// a compiler with other ideas of them refuses the header.
//
//===----------------------------------------------------------------------===//
#include "HeaderNames.h"
#include "TypeExport.h"

using namespace goldy;

namespace {

class CppWriter {
public:
  CppWriter(const ArtifactInput &In, std::string_view Stem)
      : In(In), M(withPlainNames(*In.Definition)), Types(M.Types), Stem(Stem) {}

  std::string run() {
    std::string Guard = "GOLDY_GENERATED_" + Stem + "_HPP";
    Out = "// Made by goldyc.\n#ifndef " + Guard + "\n#define " + Guard +
          "\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n"
          "#include <goldy/goldy.hpp>\n#include <span>\n#include <utility>\n";
    embedded();
    for (TypeId T : exportTypes(In).Types)
      if (Types.kind(T) == TypeKind::Struct)
        structure(T);
    for (const KernelRecord &K : In.Kernels)
      kernel(M.Functions[K.Kernel], In.Definition->Functions[K.Kernel].Name);
    Out += "\n} // namespace " + headerName(Stem) + "\n\n#endif\n";
    return std::move(Out);
  }

private:
  /// For programs that link what `--emit=embed` gives.
  void embedded() {
    std::string Symbol = Stem + "_gdy";
    Out += "\nextern \"C\" const unsigned char " + Symbol +
           "[];\nextern \"C\" const size_t " + Symbol + "_size;\n\nnamespace " +
           headerName(Stem) +
           " {\n\n/// The embedded artifact.\ninline std::span<const unsigned "
           "char> embedded() {\n  return {" +
           Symbol + ", " + Symbol + "_size};\n}\n";
  }

  void structure(TypeId T) {
    const StructType &S = Types.structure(Types[T].Struct);
    std::string Name = headerName(S.Name);
    Layout L = Types.layout(T);
    Out += "\nstruct " + Name + " {\n";
    for (const StructField &F : S.Fields)
      Out += "  " + typeInCpp(Types, F.Type) + " " + headerName(F.Name) + ";\n";
    Out += "};\nstatic_assert(sizeof(" + Name +
           ") == " + std::to_string(L.Size) + " && alignof(" + Name +
           ") == " + std::to_string(L.Align) + ");\n";
    for (uint32_t I = 0; I < S.Fields.size(); ++I)
      Out += "static_assert(offsetof(" + Name + ", " +
             headerName(S.Fields[I].Name) +
             ") == " + std::to_string(Types.memberOffset(T, I)) + ");\n";
  }

  std::string parameter(const Param &P) const {
    if (P.Kind == ParamKind::Scalar)
      return (P.Type == types::Bool
                  ? "bool"
                  : std::string(scalarInC(Types.kind(P.Type)))) +
             " " + headerName(P.Name);
    if (P.Kind == ParamKind::Image)
      return "goldy::ImageView " + headerName(P.Name);
    std::string Const = P.Acc == Access::Read ? "const " : "";
    const char *Form =
        P.Kind == ParamKind::Tensor ? "goldy::TensorOf<" : "goldy::ViewOf<";
    return Form + Const + typeInCpp(Types, P.Type) + "> " + headerName(P.Name);
  }

  void kernel(const Function &F, const std::string &Path) {
    std::string Name = headerName(F.Name);
    Out += "\n" + docLines(F.Doc, "///") + "struct " + Name + " {\n";
    Out += "  static constexpr const char *kernel_name = \"" + Path + "\";\n";
    Out += "  static constexpr uint32_t workgroup_size[3] = {" +
           std::to_string(F.WorkgroupSize[0]) + ", " +
           std::to_string(F.WorkgroupSize[1]) + ", " +
           std::to_string(F.WorkgroupSize[2]) +
           "};\n  goldy::Kernel kernel;\n\n";
    Out +=
        "  static goldy::Result<" + Name +
        "> prepare(const goldy::Device &device,\n      const goldy::Artifact "
        "&artifact) {\n    goldy::Result<goldy::Kernel> k =\n        "
        "goldy::Kernel::create(device, artifact, kernel_name);\n    if (!k)\n"
        "      return k.takeStatus();\n    return " +
        Name + "{std::move(*k)};\n  }\n";
    Out +=
        "  goldy::Grid over(uint32_t n, uint32_t m = 1, uint32_t k = 1) const "
        "{\n    return kernel.over(n, m, k);\n  }\n";
    launch(F);
    Out += "};\n";
  }

  void launch(const Function &F) {
    Out += "  goldy::Result<uint64_t> launch(goldy::Grid goldy_grid";
    for (const Param &P : F.Params)
      Out += ",\n      " + parameter(P);
    Out += ") const {\n    return kernel.launch(goldy_grid, {";
    for (size_t I = 0; I < F.Params.size(); ++I)
      Out += (I ? ", " : "") + headerName(F.Params[I].Name);
    Out += "});\n  }\n";
  }

  const ArtifactInput &In;
  const Module M;
  const TypeTable &Types;
  std::string Stem, Out;
};

} // namespace

std::string goldy::cppHeader(const ArtifactInput &Input,
                             std::string_view Stem) {
  return CppWriter(Input, identifierFrom(Stem)).run();
}
