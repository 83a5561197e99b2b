//===- ApiTemplate.cpp - C interface: templates ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading templates, finding them in artifacts, and views of what a caller
// gives to a program.
//
//===----------------------------------------------------------------------===//
#include "program/ProgramDesc.h"
#include "program/TemplateObject.h"

#include "core/Boundary.h"
#include "core/Objects.h"
#include "program/Bytes.h"
#include "program/Fields.h"
#include "program/Text.h"

using namespace goldy;
using namespace goldy::rt;

//===-- The object --------------------------------------------------------===//

static goldy_type_kind_t kindOf(program::Scalar S) {
  static constexpr goldy_type_kind_t Kinds[] = {
      GOLDY_TYPE_BOOL, GOLDY_TYPE_U32, GOLDY_TYPE_I32, GOLDY_TYPE_F32,
      GOLDY_TYPE_U64,  GOLDY_TYPE_I64, GOLDY_TYPE_U8,  GOLDY_TYPE_I8,
      GOLDY_TYPE_U16,  GOLDY_TYPE_I16, GOLDY_TYPE_F16, GOLDY_TYPE_BF16};
  return Kinds[static_cast<size_t>(S)];
}

static uint32_t scalarBytes(program::Scalar S) {
  program::ElementType T = S;
  return static_cast<uint32_t>(program::layoutsOf({&T, 1})[0].Size);
}

namespace {

/// Turns the types of a template into those of the C interface. All have their
/// place already, so pointers between them last.
class TypeMaker {
public:
  TypeMaker(const program::ProgramTemplate &T,
            const std::vector<program::TypeLayout> &Layouts,
            std::vector<goldy_type> &Out)
      : T(T), Layouts(Layouts), Out(Out) {}

  void run() {
    Out.resize(T.Types.size());
    for (size_t I = 0; I < Out.size(); ++I) {
      const program::TypeLayout &L = Layouts[I];
      Out[I].Size = static_cast<uint64_t>(L.Size);
      Out[I].Stride = static_cast<uint64_t>(L.Stride);
      Out[I].Align = static_cast<uint32_t>(L.Align);
      Out[I].Depth = L.Depth;
      std::visit([&](const auto &X) { make(X, Out[I]); }, T.Types[I]);
    }
  }

private:
  const goldy_type *at(program::Number N) const {
    return &Out[static_cast<size_t>(N)];
  }
  void make(program::Scalar S, goldy_type &Type) { Type.Kind = kindOf(S); }
  template <class X> void repeat(const X &From, goldy_type &Type) {
    Type.Element = at(From.Element);
    Type.Count = static_cast<uint32_t>(From.Count);
  }
  void make(const program::VectorType &V, goldy_type &Type) {
    Type.Kind = GOLDY_TYPE_VECTOR;
    repeat(V, Type);
  }
  void make(const program::ArrayType &A, goldy_type &Type) {
    Type.Kind = GOLDY_TYPE_ARRAY;
    repeat(A, Type);
  }
  void make(const program::StructType &S, goldy_type &Type) {
    Type.Kind = GOLDY_TYPE_STRUCT;
    Type.Name = S.Name;
    Type.Count = static_cast<uint32_t>(S.Fields.size());
    uint64_t At = 0;
    for (const program::TypeField &F : S.Fields) {
      const goldy_type *Part = at(F.Type);
      At = (At + Part->Align - 1) / Part->Align * Part->Align;
      Type.Fields.push_back({F.Name, Part, At});
      At += Part->Size;
    }
  }

  const program::ProgramTemplate &T;
  const std::vector<program::TypeLayout> &Layouts;
  std::vector<goldy_type> &Out;
};

} // namespace

goldy_program_template::goldy_program_template(program::ProgramTemplate T)
    : Template(std::move(T)), Layouts(program::layoutsOf(Template.Types)) {
  TypeMaker(Template, Layouts, Types).run();
  for (size_t I = 0; I < Template.Inputs.size(); ++I)
    if (Template.Inputs[I].Form != program::InputForm::Sized)
      Inputs.push_back(I);
  for (size_t I = 0; I < Template.Ints.size(); ++I)
    if (const program::NamedInt *N =
            std::get_if<program::NamedInt>(&Template.Ints[I])) {
      Ints.push_back(I);
      goldy_type &Type = IntTypes.emplace_back();
      Type.Kind = kindOf(N->Type);
      Type.Size = Type.Stride = Type.Align = scalarBytes(N->Type);
    }
}

//===-- Reading and writing -----------------------------------------------===//

template <class Reader>
static Status readTemplate(Reader Read, std::string_view Input,
                           goldy_program_template_t **Out) {
  program::ProgramTemplate T;
  std::string Why;
  if (!Read(Input, T, Why))
    return Status(GOLDY_INVALID_ARTIFACT, Why);
  if (std::optional<program::Refusal> R = program::check(T))
    return refusal(*R);
  *Out = new goldy_program_template(std::move(T));
  return Status();
}

goldy_status_t
goldy_program_template_decode(const void *data, size_t bytes,
                              goldy_program_template_t **out_template) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(data || bytes == 0);
    GOLDY_NEEDS(out_template);
    bool (*Read)(std::string_view, program::ProgramTemplate &, std::string &) =
        program::fromBytes;
    return readTemplate(Read, {static_cast<const char *>(data), bytes},
                        out_template);
  });
}

goldy_status_t
goldy_program_template_parse(const char *text, size_t bytes,
                             goldy_program_template_t **out_template) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(text || bytes == 0);
    GOLDY_NEEDS(out_template);
    bool (*Read)(std::string_view, program::ProgramTemplate &, std::string &) =
        program::fromText;
    return readTemplate(Read, {text, bytes}, out_template);
  });
}

void goldy_program_template_destroy(goldy_program_template_t *t) { delete t; }

goldy_status_t goldy_program_template_encode(goldy_program_template_t *t,
                                             goldy_text_t *out_bytes) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(t);
    GOLDY_NEEDS(out_bytes);
    t->Text = program::toBytes(t->Template);
    *out_bytes = {t->Text.data(), t->Text.size()};
    return Status();
  });
}

goldy_status_t goldy_program_template_print(goldy_program_template_t *t,
                                            goldy_text_t *out_text) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(t);
    GOLDY_NEEDS(out_text);
    t->Text = program::toText(t->Template);
    *out_text = {t->Text.data(), t->Text.size()};
    return Status();
  });
}

//===-- Programs of an artifact -------------------------------------------===//

size_t goldy_artifact_program_count(const goldy_artifact_t *artifact) {
  return artifact ? artifact->File->Programs.size() : 0;
}

goldy_text_t goldy_artifact_program_name(const goldy_artifact_t *artifact,
                                         size_t program) {
  if (program >= goldy_artifact_program_count(artifact))
    return {};
  const std::string &Name = artifact->File->Programs[program].Name;
  return {Name.data(), Name.size()};
}

static Status noProgram(const Artifact &File, const char *Name) {
  std::string Has;
  for (const program::ProgramTemplate &P : File.Programs)
    Has += (Has.empty() ? "`" : ", `") + P.Name + "`";
  std::string There = Has.empty() ? "it has none" : "it has " + Has;
  if (Name)
    return Status(GOLDY_NOT_FOUND, "the file has no program `" +
                                       std::string(Name) + "`; " + There);
  return Status(GOLDY_NOT_FOUND,
                "no program is named and the file has not exactly one; " +
                    There);
}

goldy_status_t
goldy_program_template_open(const goldy_artifact_t *artifact, const char *name,
                            goldy_program_template_t **out_template) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(artifact);
    GOLDY_NEEDS(out_template);
    const Artifact &File = *artifact->File;
    const program::ProgramTemplate *T = name ? File.findProgram(name)
                                        : File.Programs.size() == 1
                                            ? &File.Programs[0]
                                            : nullptr;
    if (!T)
      return noProgram(File, name);
    *out_template = new goldy_program_template(*T);
    return Status();
  });
}

//===-- What a caller gives -----------------------------------------------===//

goldy_template_info_t
goldy_program_template_info(const goldy_program_template_t *t) {
  if (!t)
    return {};
  return {t->Template.Name.c_str(), t->Template.Devices.size(),
          t->Inputs.size(), t->Ints.size()};
}

const char *goldy_program_template_device(const goldy_program_template_t *t,
                                          size_t index) {
  return t && index < t->Template.Devices.size()
             ? t->Template.Devices[index].c_str()
             : nullptr;
}

goldy_input_info_t
goldy_program_template_input(const goldy_program_template_t *t, size_t index) {
  if (!t || index >= t->Inputs.size())
    return {};
  const program::NamedInput &In = t->Template.Inputs[t->Inputs[index]];
  return {In.Name.c_str(),
          static_cast<size_t>(In.Device),
          In.Form == program::InputForm::Uniform ? GOLDY_INPUT_UNIFORM
                                                 : GOLDY_INPUT_SLICE,
          In.Type ? &t->Types[static_cast<size_t>(*In.Type)] : nullptr,
          In.How == program::Access::ReadOnly ? GOLDY_READ : GOLDY_READ_WRITE,
          static_cast<uint64_t>(In.Bytes)};
}

goldy_int_info_t goldy_program_template_int(const goldy_program_template_t *t,
                                            size_t index) {
  if (!t || index >= t->Ints.size())
    return {};
  const program::NamedInt &N =
      std::get<program::NamedInt>(t->Template.Ints[t->Ints[index]]);
  return {N.Name.c_str(), &t->IntTypes[index]};
}

goldy_text_t goldy_program_template_origin(const goldy_program_template_t *t,
                                           const char *message) {
  if (!t || !message)
    return {};
  std::string_view Where = program::originOf(t->Template, message);
  return {Where.data(), Where.size()};
}
