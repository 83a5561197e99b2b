//===- CHeader.cpp - `--emit=cheader`: launches in C ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C has no namespaces: all names start with the file's. Buffers come as
// buffer, byte offset and length in elements; tensors so too, for the parent,
// and with the view of it; uniform blocks without a length, images with width
// and height instead.
//
//===----------------------------------------------------------------------===//
#include "HeaderNames.h"
#include "TypeExport.h"

using namespace goldy;

namespace {

class CWriter {
public:
  CWriter(const ArtifactInput &In, std::string_view Stem)
      : In(In), M(withPlainNames(*In.Definition)), Types(M.Types),
        Prefix(std::string(Stem) + "_"),
        Guard("GOLDY_GENERATED_" + std::string(Stem) + "_H") {}

  std::string run() {
    Out = "/* Made by goldyc. */\n#ifndef " + Guard + "\n#define " + Guard +
          "\n\n#include <assert.h>\n#include <goldy/goldy.h>\n#include "
          "<stddef.h>\n#include <stdint.h>\n#include <string.h>\n";
    Out += "\n/* Defined by what --emit=embed gives. */\nextern const unsigned "
           "char " +
           Prefix + "gdy[];\nextern const size_t " + Prefix + "gdy_size;\n";
    for (TypeId T : exportTypes(In).Types)
      if (Types.kind(T) == TypeKind::Struct)
        structure(T);
    for (const KernelRecord &K : In.Kernels)
      if (!K.Internal)
        kernel(M.Functions[K.Kernel], In.Definition->Functions[K.Kernel].Name);
    Out += "\n#endif\n";
    return std::move(Out);
  }

private:
  void structure(TypeId T) {
    const StructType &S = Types.structure(Types[T].Struct);
    std::string Name = Prefix + S.Name;
    Out += "\ntypedef struct " + Name + " {\n";
    for (const StructField &F : S.Fields)
      Out += "  " + declarationInC(Types, F.Type, headerName(F.Name), Prefix) +
             ";\n";
    Out += "} " + Name + ";\nstatic_assert(sizeof(" + Name +
           ") == " + std::to_string(Types.layout(T).Size) + ", \"" + Name +
           "\");\n";
    for (uint32_t I = 0; I < S.Fields.size(); ++I)
      Out += "static_assert(offsetof(" + Name + ", " +
             headerName(S.Fields[I].Name) +
             ") == " + std::to_string(Types.memberOffset(T, I)) + ", \"" +
             Name + "." + S.Fields[I].Name + "\");\n";
  }

  std::string parameter(const Param &P) const {
    std::string Name = headerName(P.Name);
    if (P.Kind == ParamKind::Scalar)
      return std::string(scalarInC(Types.kind(P.Type))) + " " + Name;
    std::string Start =
        "goldy_buffer_t *" + Name + ", uint64_t " + P.Name + "_offset";
    if (P.Kind == ParamKind::Uniform)
      return Start;
    if (P.Kind == ParamKind::Image)
      return Start + ", uint32_t " + P.Name + "_width, uint32_t " + P.Name +
             "_height";
    return Start + ", uint64_t " + P.Name + "_length" +
           (P.Kind == ParamKind::Tensor
                ? ", const goldy_tensor_view_t *" + P.Name + "_view"
                : "");
  }

  std::string fill(const Param &P, size_t Number) const {
    std::string Slot = "  goldy_args[" + std::to_string(Number) + "]";
    std::string Name = headerName(P.Name);
    if (P.Kind == ParamKind::Scalar)
      return "  memcpy(&goldy_args[" + std::to_string(Number) + "].word, &" +
             Name + ", sizeof " + Name + ");\n";
    std::string Text = Slot + ".buffer = " + Name + ";\n" + Slot +
                       ".offset = " + P.Name + "_offset;\n" + Slot +
                       ".length = ";
    if (P.Kind == ParamKind::Uniform)
      return Text + "1;\n";
    if (P.Kind != ParamKind::Image)
      return Text + P.Name + "_length;\n" +
             (P.Kind == ParamKind::Tensor
                  ? Slot + ".view = " + P.Name + "_view;\n"
                  : "");
    return Text + "(uint64_t)" + P.Name + "_width * " + P.Name + "_height;\n" +
           Slot + ".word = " + P.Name + "_width | (uint64_t)" + P.Name +
           "_height << 32;\n";
  }

  void kernel(const Function &F, const std::string &Path) {
    std::string Name = Prefix + F.Name, Count = std::to_string(F.Params.size());
    Out += "\n" + docLines(F.Doc, "//");
    Out += "#define " + Name + "_name \"" + Path + "\"\n";
    for (int D = 0; D < 3; ++D)
      Out += "#define " + Name + "_workgroup_" + "xyz"[D] + " " +
             std::to_string(F.WorkgroupSize[D]) + "u\n";
    Out +=
        "static inline GOLDY_MUST_USE goldy_status_t " + Name +
        "_launch(\n    goldy_kernel_t *goldy_kernel, goldy_grid_t goldy_grid";
    for (const Param &P : F.Params)
      Out += ",\n    " + parameter(P);
    Out +=
        ",\n    uint64_t *out_goldy_point) {\n  goldy_argument_t goldy_args[" +
        (F.Params.empty() ? "1" : Count) +
        "];\n  memset(goldy_args, 0, sizeof goldy_args);\n";
    for (size_t I = 0; I < F.Params.size(); ++I)
      Out += fill(F.Params[I], I);
    Out += "  return goldy_kernel_launch(goldy_kernel, goldy_args, " + Count +
           ", goldy_grid,\n                             out_goldy_point);\n}\n";
  }

  const ArtifactInput &In;
  const Module M;
  const TypeTable &Types;
  std::string Prefix, Guard, Out;
};

} // namespace

std::string goldy::cHeader(const ArtifactInput &Input, std::string_view Stem) {
  return CWriter(Input, identifierFrom(Stem)).run();
}
