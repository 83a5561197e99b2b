//===- CppHeader.cpp - `--emit=header`: typed launches in C++ -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One struct a GPU struct, one struct a kernel or program; layouts are
// asserted, so that a compiler with other ideas of them refuses the header.
//
//===----------------------------------------------------------------------===//
#include "HeaderNames.h"
#include "TypeExport.h"

#include "goldyc/IR/ScalarNames.h"

#include <algorithm>

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
          "#include <goldy/" +
          (In.Programs.empty() ? "goldy" : "frame") +
          ".hpp>\n#include <span>\n#include <utility>\n";
    embedded();
    for (TypeId T : exportTypes(In).Types)
      if (Types.kind(T) == TypeKind::Struct)
        structure(T);
    for (const KernelRecord &K : In.Kernels)
      if (!K.Internal)
        kernel(M.Functions[K.Kernel], In.Definition->Functions[K.Kernel].Name);
    for (const program::ProgramTemplate &P : In.Programs)
      programOf(P);
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
    std::string Name = kernelName(F);
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

  //===-- Programs --------------------------------------------------------===//

  static bool isMember(const std::string &Name,
                       std::initializer_list<const char *> Members) {
    return std::find(Members.begin(), Members.end(), Name) != Members.end();
  }
  bool isKernel(const std::string &Name) const {
    return std::any_of(In.Kernels.begin(), In.Kernels.end(),
                       [&](const KernelRecord &K) {
                         return M.Functions[K.Kernel].Name == Name;
                       });
  }
  /// With `_` behind it if a struct of that name could not have its members.
  std::string kernelName(const Function &F) const {
    std::string Name = F.Name;
    while (isMember(Name, {"kernel", "kernel_name", "launch", "over", "prepare",
                           "workgroup_size"}) ||
           (Name != F.Name && isKernel(Name)))
      Name += '_';
    return headerName(Name);
  }
  std::string programName(const program::ProgramTemplate &P) const {
    return headerName(
        programHeaderName(In.Programs, P, [&](const std::string &Name) {
          return isMember(Name, {"frame", "prepare", "program_name", "run",
                                 "wait"}) ||
                 isKernel(Name);
        }));
  }

  std::string structName(const std::string &Path) const {
    for (uint32_t I = 0; I < Types.structCount(); ++I)
      if (In.Definition->Types.structure(StructId(I)).Name == Path)
        return headerName(Types.structure(StructId(I)).Name);
    return headerName(plainName(Path));
  }

  template <class Repeated>
  std::string arrayOf(const program::ProgramTemplate &P,
                      const Repeated &R) const {
    return "std::array<" + elementOf(P, R.Element) + ", " +
           std::to_string(R.Count) + ">";
  }
  std::string elementOf(const program::ProgramTemplate &P,
                        program::Number Type) const {
    const program::ElementType &T = P.Types[static_cast<size_t>(Type)];
    if (const program::Scalar *S = std::get_if<program::Scalar>(&T))
      return scalarInC(*S);
    if (const program::VectorType *V = std::get_if<program::VectorType>(&T))
      return arrayOf(P, *V);
    if (const program::ArrayType *A = std::get_if<program::ArrayType>(&T))
      return arrayOf(P, *A);
    return structName(std::get<program::StructType>(T).Name);
  }

  std::string inputOf(const program::ProgramTemplate &P,
                      const program::NamedInput &X) const {
    std::string Const = X.How == program::Access::ReadOnly ? "const " : "";
    std::string Element = X.Type ? elementOf(P, *X.Type) : "unsigned char";
    return "goldy::ViewOf<" + Const + Element + "> " + headerName(X.Name);
  }

  void programOf(const program::ProgramTemplate &P) {
    std::string Name = programName(P);
    Out += "\nstruct " + Name + " {\n  static constexpr const char " +
           "*program_name = \"" + P.Name + "\";\n  goldy::Frame frame;\n\n";
    Out += "  static goldy::Result<" + Name +
           "> prepare(const goldy::Artifact &goldy_artifact";
    std::string Handles;
    for (const std::string &D : P.Devices) {
      std::string Device = headerName(identifierFrom(D));
      Out += ",\n      const goldy::Device &" + Device;
      Handles += (Handles.empty() ? "" : ", ") + Device + ".get()";
    }
    Out += ") {\n    goldy_device_t *goldy_devices[] = {" + Handles +
           "};\n    goldy::Result<goldy::Frame> goldy_frame =\n        "
           "goldy::Frame::load(goldy_artifact, program_name, goldy_devices);\n"
           "    if (!goldy_frame)\n      return goldy_frame.takeStatus();\n"
           "    return " +
           Name + "{std::move(*goldy_frame)};\n  }\n";
    runOf(P);
    Out += "  goldy::Status wait(uint64_t timeout_ns = GOLDY_FOREVER) {\n"
           "    return frame.wait(timeout_ns);\n  }\n};\n";
  }

  /// Inputs first, then numbers, each in the program's order.
  void runOf(const program::ProgramTemplate &P) {
    std::string Parameters, Inputs, Ints;
    auto Add = [&](const std::string &Parameter, const std::string &Name,
                   std::string &List) {
      Parameters += (Parameters.empty() ? "" : ",\n      ") + Parameter;
      List += (List.empty() ? "" : ", ") + Name;
    };
    for (const program::NamedInput &X : P.Inputs)
      if (X.Form != program::InputForm::Sized)
        Add(inputOf(P, X), headerName(X.Name), Inputs);
    for (const program::TemplateInt &I : P.Ints)
      if (const program::NamedInt *N = std::get_if<program::NamedInt>(&I))
        Add((N->Type == program::Scalar::Bool ? "bool" : scalarInC(N->Type)) +
                " " + headerName(N->Name),
            headerName(N->Name), Ints);
    Out += "  goldy::Status run(" + Parameters +
           ") {\n    return this->frame.run({" + Inputs + "}, {" + Ints +
           "});\n  }\n";
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
