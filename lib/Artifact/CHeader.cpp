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
// and height instead. A program has a function that loads it, a struct of what
// its runs are given, and functions that set that and run.
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
          "\n\n#include <assert.h>\n#include <goldy/" +
          (In.Programs.empty() ? "goldy" : "frame") +
          ".h>\n#include <stddef.h>\n#include <stdint.h>\n#include "
          "<string.h>\n";
    Out += "\n/* Defined by what --emit=embed gives. */\nextern const unsigned "
           "char " +
           Prefix + "gdy[];\nextern const size_t " + Prefix + "gdy_size;\n";
    for (TypeId T : exportTypes(In).Types)
      if (Types.kind(T) == TypeKind::Struct)
        structure(T);
    for (const KernelRecord &K : In.Kernels)
      if (!K.Internal)
        kernel(M.Functions[K.Kernel], In.Definition->Functions[K.Kernel].Name);
    for (const program::ProgramTemplate &P : In.Programs)
      programOf(P);
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

  //===-- Programs --------------------------------------------------------===//

  bool isTaken(const std::string &Name) const {
    for (const KernelRecord &K : In.Kernels)
      if (M.Functions[K.Kernel].Name == Name)
        return true;
    for (uint32_t I = 0; I < Types.structCount(); ++I)
      if (Types.structure(StructId(I)).Name == Name + "_args")
        return true;
    return false;
  }

  void programOf(const program::ProgramTemplate &P) {
    std::string Name =
        Prefix + programHeaderName(In.Programs, P, [&](const std::string &N) {
          return isTaken(N);
        });
    Out += "\n#define " + Name + "_name \"" + P.Name + "\"\n";
    loadOf(P, Name);
    bool Any = argumentsOf(P, Name);
    std::string Given =
        Any ? ", const " + Name + "_args *goldy_args" : std::string();
    if (Any)
      setOf(P, Name);
    Out += "static inline GOLDY_MUST_USE goldy_status_t " + Name +
           "_run(\n    goldy_frame_t *goldy_frame" + Given + ") {\n";
    if (Any)
      Out += "  goldy_status_t goldy_failed = " + Name +
             "_set(goldy_frame, goldy_args);\n  if (goldy_failed)\n    return "
             "goldy_failed;\n";
    Out += "  return goldy_frame_run(goldy_frame, NULL, 0, NULL, NULL);\n}\n";
  }

  /// One parameter a device, in the template's order.
  void loadOf(const program::ProgramTemplate &P, const std::string &Name) {
    std::string Devices, Parameters;
    for (const std::string &D : P.Devices) {
      std::string Device = headerName(identifierFrom(D));
      Parameters += ",\n    goldy_device_t *" + Device;
      Devices += (Devices.empty() ? "" : ", ") + Device;
    }
    Out += "static inline GOLDY_MUST_USE goldy_status_t " + Name +
           "_load(\n    const goldy_artifact_t *goldy_artifact" + Parameters +
           ",\n    goldy_frame_t **out_goldy_frame) {\n  goldy_device_t "
           "*goldy_devices[] = {" +
           Devices + "};\n  return goldy_frame_load(goldy_artifact, " + Name +
           "_name, goldy_devices, " + std::to_string(P.Devices.size()) +
           ",\n                          out_goldy_frame);\n}\n";
  }

  template <class Fn>
  void forEachInput(const program::ProgramTemplate &P, const Fn &Visit) const {
    size_t Number = 0;
    for (const program::NamedInput &X : P.Inputs)
      if (X.Form != program::InputForm::Sized)
        Visit(Number++, X);
  }
  template <class Fn>
  void forEachInt(const program::ProgramTemplate &P, const Fn &Visit) const {
    size_t Number = 0;
    for (const program::TemplateInt &I : P.Ints)
      if (const program::NamedInt *N = std::get_if<program::NamedInt>(&I))
        Visit(Number++, *N);
  }

  /// False if a run is given nothing: C has no empty structs.
  bool argumentsOf(const program::ProgramTemplate &P, const std::string &Name) {
    std::string Members;
    forEachInput(P, [&](size_t, const program::NamedInput &X) {
      Members += "  goldy_buffer_t *" + headerName(X.Name) + "; /* " +
                 (X.How == program::Access::ReadOnly ? "read" : "written") +
                 (X.Form == program::InputForm::Uniform ? ", one value" : "") +
                 " */\n";
    });
    forEachInt(P, [&](size_t, const program::NamedInt &N) {
      Members += "  " + scalarInC(N.Type) + " " + headerName(N.Name) + ";\n";
    });
    if (!Members.empty())
      Out += "/* Whole buffers and numbers, for each run. */\ntypedef struct " +
             Name + "_args {\n" + Members + "} " + Name + "_args;\n";
    return !Members.empty();
  }

  void setOf(const program::ProgramTemplate &P, const std::string &Name) {
    Out += "static inline GOLDY_MUST_USE goldy_status_t " + Name +
           "_set(\n    goldy_frame_t *goldy_frame, const " + Name +
           "_args *goldy_args) {\n  goldy_status_t goldy_failed = NULL;\n"
           "  uint64_t goldy_bits;\n";
    forEachInput(P, [&](size_t Number, const program::NamedInput &X) {
      Out += "  if (!goldy_failed)\n    goldy_failed = goldy_frame_set_input("
             "goldy_frame, " +
             std::to_string(Number) + ", goldy_args->" + headerName(X.Name) +
             ");\n";
    });
    forEachInt(P, [&](size_t Number, const program::NamedInt &N) {
      std::string Value = "goldy_args->" + headerName(N.Name);
      Out += "  goldy_bits = 0;\n  memcpy(&goldy_bits, &" + Value +
             ", sizeof " + Value +
             ");\n  if (!goldy_failed)\n    goldy_failed = "
             "goldy_frame_set_int(goldy_frame, " +
             std::to_string(Number) + ", " + std::string(kindInC(N.Type)) +
             ", goldy_bits);\n";
    });
    Out += "  (void)goldy_bits;\n  return goldy_failed;\n}\n";
  }

  static std::string_view kindInC(program::Scalar S) {
    static constexpr std::string_view Kinds[] = {
        "GOLDY_TYPE_BOOL", "GOLDY_TYPE_U32", "GOLDY_TYPE_I32",
        "GOLDY_TYPE_F32",  "GOLDY_TYPE_U64", "GOLDY_TYPE_I64",
        "GOLDY_TYPE_U8",   "GOLDY_TYPE_I8",  "GOLDY_TYPE_U16",
        "GOLDY_TYPE_I16",  "GOLDY_TYPE_F16", "GOLDY_TYPE_BF16"};
    return Kinds[static_cast<size_t>(S)];
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
