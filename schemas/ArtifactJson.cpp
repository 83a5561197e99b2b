//===- ArtifactJson.cpp - An artifact described as JSON
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the tables in schema order.
//
//===----------------------------------------------------------------------===//
#include "ArtifactJson.h"

#include "JsonWriter.h"
#include "program/Fields.h"

using namespace goldy::schema;
namespace program = goldy::program;

namespace {

constexpr const char *ScalarNames[] = {
    "()", "bool", "u32", "i32", "f32",      "u64",      "i64",
    "u8", "i8",   "u16", "i16", "gpu::f16", "gpu::bf16"};
constexpr const char *ParamKinds[] = {"scalar", "buffer", "tensor", "uniform",
                                      "image"};
constexpr const char *Accesses[] = {"read", "write", "read_write"};
constexpr const char *Formats[] = {"x86-blob", "spirv", "ptx"};
constexpr const char *FpModes[] = {"strict", "contract", "fast"};
constexpr const char *BoundsModes[] = {"checked", "unchecked"};

std::string_view view(const flatbuffers::String *S) {
  return S ? S->string_view() : std::string_view();
}

template <class T> uint32_t sizeOf(const T *Vector) {
  return Vector ? Vector->size() : 0;
}

std::string vectorName(TypeKind Component, uint32_t Count) {
  std::string Base = Component == TypeKind::F32   ? "gpu::Float"
                     : Component == TypeKind::I32 ? "gpu::Int"
                     : Component == TypeKind::U32 ? "gpu::UInt"
                                                  : "gpu::Bool";
  return Base + std::to_string(Count);
}

class Describer {
public:
  Describer(const Artifact &A,
            std::span<const program::ProgramTemplate> Programs)
      : A(A), Programs(Programs) {}

  std::string run() {
    J.open('{');
    provenance();
    J.open("structs", '[');
    for (uint32_t I = 0; I < sizeOf(A.types()); ++I)
      if (A.types()->Get(I)->kind() == TypeKind::Struct)
        structure(I);
    J.close(']');
    J.open("kernels", '[');
    for (uint32_t I = 0; I < sizeOf(A.kernels()); ++I)
      kernel(*A.kernels()->Get(I));
    J.close(']');
    if (!Programs.empty()) {
      J.open("programs", '[');
      for (const program::ProgramTemplate &P : Programs)
        program(P);
      J.close(']');
    }
    J.close('}');
    return J.take();
  }

private:
  void provenance() {
    J.number("format_version", A.format_version());
    J.number("kernel_abi_version", A.kernel_abi_version());
    J.text("compiler", view(A.compiler_version()));
    J.text("flags", view(A.flags()));
    J.text("fp", FpModes[static_cast<int>(A.fp_mode())]);
    J.text("bounds", BoundsModes[static_cast<int>(A.bounds_mode())]);
    J.open("sources", '[');
    for (uint32_t I = 0; I < sizeOf(A.sources()); ++I) {
      const Source &S = *A.sources()->Get(I);
      J.separate();
      J.open('{', true);
      J.text("name", view(S.name()));
      J.text("sha256", hex(*S.sha256()));
      J.close('}');
    }
    J.close(']');
  }

  static std::string hex(const Sha256 &Hash) {
    std::string Text;
    for (uint8_t B : *Hash.bytes()) {
      Text += "0123456789abcdef"[B >> 4];
      Text += "0123456789abcdef"[B & 15];
    }
    return Text;
  }

  void structure(uint32_t Number) {
    const Type &T = *A.types()->Get(Number);
    J.separate();
    J.open('{');
    J.text("name", view(T.name()));
    J.number("size", T.size());
    J.number("align", T.align());
    J.number("stride", T.stride());
    J.open("fields", '[');
    for (uint32_t I = 0; I < sizeOf(T.fields()); ++I) {
      const Field &F = *T.fields()->Get(I);
      J.separate();
      J.open('{', true);
      J.text("name", view(F.name()));
      J.text("type", typeName(A, F.type()));
      J.number("offset", F.offset());
      J.number("size", A.types()->Get(F.type())->size());
      J.close('}');
    }
    J.close(']');
    J.close('}');
  }

  void extent(std::string_view Key, const Extent &E) {
    J.open(Key, '[', true);
    for (uint32_t N : {E.x(), E.y(), E.z()}) {
      J.separate();
      J.raw(std::to_string(N));
    }
    J.close(']');
  }

  /// "x", "xy", "plane xy"; "same" where all work-items have one index.
  static std::string dependence(const Param &P) {
    static constexpr const char *Forms[] = {"none", "", "plane ", "other"};
    std::string Text = Forms[static_cast<int>(P.dependence())];
    for (unsigned Axis = 0; Axis < 3; ++Axis)
      if (P.dependence_axes() & 1u << Axis)
        Text += "xyz"[Axis];
    return Text.empty() ? "same" : Text;
  }

  void param(const Param &P) {
    const Type &T = *A.types()->Get(P.type());
    J.separate();
    J.open('{', true);
    J.text("name", view(P.name()));
    J.text("kind", ParamKinds[static_cast<int>(P.kind())]);
    J.text("type", typeName(A, P.type()));
    J.text("access", Accesses[static_cast<int>(P.access())]);
    J.number("offset", P.offset());
    J.number("size", P.size());
    if (P.kind() != ParamKind::Scalar)
      J.number("stride", T.stride());
    if (P.kind() != ParamKind::Scalar && P.kind() != ParamKind::Uniform)
      J.text("dependence", dependence(P));
    if (P.uniform_read())
      J.boolean("uniform_read", true);
    if (P.baked())
      J.number("baked_bits", P.baked_bits());
    if (P.contract())
      contract(P);
    if (P.origins())
      J.text("origins", view(P.origins()));
    J.close('}');
  }

  void spec(const SpecConstant &S) {
    J.separate();
    J.open('{', true);
    J.text("name", view(S.name()));
    J.number("id", S.id());
    J.text("type", ScalarNames[static_cast<int>(S.type())]);
    J.number("bits", S.value());
    J.boolean("settable", S.settable());
    J.close('}');
  }

  /// `["rows", "_", "8"]`.
  void contract(const Param &P) {
    J.open("contract", '[');
    for (const ContractDim *D : *P.contract()) {
      J.separate();
      J.quote(D->form() == DimForm::Any     ? "_"
              : D->form() == DimForm::Exact ? std::to_string(D->extent())
                                            : std::string(view(D->name())));
    }
    J.close(']');
  }

  void image(const Image &I) {
    J.separate();
    J.open('{', true);
    J.text("arch", view(I.arch()));
    J.text("format", Formats[static_cast<int>(I.format())]);
    J.number("bytes", I.blob()->size());
    if (I.format() == ImageFormat::HostBlob) {
      J.number("entry_offset", I.entry_offset());
      J.number("scratch_bytes", I.scratch_bytes());
    } else {
      J.text("entry", view(I.entry()));
    }
    J.number("workgroup_bytes", I.workgroup_bytes());
    if (I.format() == ImageFormat::Spirv) {
      J.number("push_constant_bytes", I.push_constant_bytes());
      J.boolean("block_behind_address", I.block_behind_address());
      J.number("word_bindings", I.word_bindings());
    }
    J.open("features", '[', true);
    for (uint32_t N = 0; N < sizeOf(I.features()); ++N) {
      J.separate();
      J.quote(view(I.features()->Get(N)->name()));
    }
    J.close(']');
    if (sizeOf(I.switches())) {
      J.open("switches", '[', true);
      for (uint32_t N = 0; N < sizeOf(I.switches()); ++N) {
        J.separate();
        J.raw(std::to_string(I.switches()->Get(N)));
      }
      J.close(']');
    }
    if (I.sanitize()) {
      J.number("sanitize", I.sanitize());
      J.number("sites", sizeOf(I.sites()));
    }
    if (I.threads())
      extent("threads", *I.threads());
    if (I.groups_at_once())
      J.number("groups_at_once", I.groups_at_once());
    if (I.debug())
      J.number("debug_bytes", I.debug()->object()->size());
    if (I.item()) {
      J.number("item_bytes", I.item()->code()->size());
      J.number("item_debug_bytes", I.item()->debug()->object()->size());
    }
    J.close('}');
  }

  void kernel(const Kernel &K) {
    J.separate();
    J.open('{');
    J.text("name", view(K.name()));
    if (K.doc())
      J.text("doc", view(K.doc()));
    extent("workgroup_size", *K.workgroup_size());
    J.number("workgroup_bytes", K.workgroup_bytes());
    J.boolean("nondeterministic", K.nondeterministic());
    if (K.fusion())
      J.text("fusion", view(K.fusion()));
    J.open("params", '[');
    for (uint32_t I = 0; I < sizeOf(K.params()); ++I)
      param(*K.params()->Get(I));
    J.close(']');
    J.open("block", '{', true);
    J.number("size", K.block_size());
    J.number("layout_table", K.layout_table_offset());
    J.number("base_words", K.base_words_offset());
    J.close('}');
    J.number("definition_bytes", K.definition()->size());
    J.number("slang_bytes", K.slang()->size());
    if (sizeOf(K.specs())) {
      J.open("specs", '[');
      for (uint32_t I = 0; I < sizeOf(K.specs()); ++I)
        spec(*K.specs()->Get(I));
      J.close(']');
    }
    J.open("images", '[');
    for (uint32_t I = 0; I < sizeOf(K.images()); ++I)
      image(*K.images()->Get(I));
    J.close(']');
    J.close('}');
  }

  template <class E> static const char *nameOf(E X) {
    return program::Enumerators<E>::Names[static_cast<size_t>(X)];
  }

  void input(const program::ProgramTemplate &P, const program::NamedInput &In) {
    if (In.Form == program::InputForm::Sized)
      return;
    J.separate();
    J.open('{', true);
    J.text("name", In.Name);
    J.text("form", nameOf(In.Form));
    if (In.Type)
      J.text("type", program::typeName(P.Types, *In.Type));
    J.text("access", nameOf(In.How));
    J.text("device", P.Devices[static_cast<size_t>(In.Device)]);
    J.number("bytes", static_cast<uint64_t>(In.Bytes));
    J.close('}');
  }

  /// What a caller gives, and how much there is of the rest.
  void program(const program::ProgramTemplate &P) {
    J.separate();
    J.open('{');
    J.text("name", P.Name);
    J.open("devices", '[', true);
    for (const std::string &D : P.Devices) {
      J.separate();
      J.quote(D);
    }
    J.close(']');
    J.open("inputs", '[');
    for (const program::NamedInput &In : P.Inputs)
      input(P, In);
    J.close(']');
    J.open("ints", '[');
    for (const program::TemplateInt &I : P.Ints)
      if (const program::NamedInt *N = std::get_if<program::NamedInt>(&I)) {
        J.separate();
        J.open('{', true);
        J.text("name", N->Name);
        J.text("type", nameOf(N->Type));
        J.close('}');
      }
    J.close(']');
    kernelsOf(P);
    J.number("steps", P.Steps.size());
    J.close('}');
  }

  void kernelsOf(const program::ProgramTemplate &P) {
    J.open("kernels", '[', true);
    for (const program::TemplateImage &I : P.Images)
      if (!I.Kernel.empty()) {
        J.separate();
        J.quote(I.Kernel);
      }
    J.close(']');
  }

  const Artifact &A;
  std::span<const program::ProgramTemplate> Programs;
  JsonWriter J;
};

} // namespace

std::string goldy::schema::typeName(const Artifact &A, uint32_t Number) {
  // Arrays of arrays nest to the right: `[[f32; 2]; 3]`. Parts have smaller
  // numbers, so the loop ends.
  std::string Before, After;
  while (A.types()->Get(Number)->kind() == TypeKind::Array) {
    const Type &T = *A.types()->Get(Number);
    Before += '[';
    After = "; " + std::to_string(T.count()) + "]" + After;
    Number = T.element();
  }
  const Type &T = *A.types()->Get(Number);
  std::string Core;
  if (T.kind() == TypeKind::Struct)
    Core = T.name()->str();
  else if (T.kind() == TypeKind::Vector)
    Core = vectorName(A.types()->Get(T.element())->kind(), T.count());
  else
    Core = ScalarNames[static_cast<int>(T.kind())];
  return Before + Core + After;
}

std::string goldy::schema::artifactJson(
    const Artifact &A, std::span<const program::ProgramTemplate> Programs) {
  return Describer(A, Programs).run();
}
