//===- ApiArtifact.cpp - C interface: artifacts and types -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of what the loader has verified.
//
//===----------------------------------------------------------------------===//
#include "core/Boundary.h"
#include "core/Objects.h"

using namespace goldy::rt;

static Status makeArtifact(std::unique_ptr<File> Backing, uint32_t Flags,
                           goldy_artifact_t **Out) {
  std::unique_ptr<goldy_artifact> A = std::make_unique<goldy_artifact>();
  GOLDY_TRY(
      loadArtifact(std::move(Backing), Flags & GOLDY_LOAD_TRUSTED, A->File));
  *Out = A.release();
  return Status();
}

static Status checkFlags(uint32_t Flags) {
  if (Flags & ~uint32_t(GOLDY_LOAD_TRUSTED))
    return Status(GOLDY_INVALID_ARGUMENT,
                  "unknown bits in `flags`: " + std::to_string(Flags));
  return Status();
}

goldy_status_t goldy_artifact_load_file(const char *path, uint32_t flags,
                                        goldy_artifact_t **out_artifact) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(path);
    GOLDY_NEEDS(out_artifact);
    GOLDY_TRY(checkFlags(flags));
    std::unique_ptr<File> Backing;
    GOLDY_TRY(File::map(path, Backing));
    Status S = makeArtifact(std::move(Backing), flags, out_artifact);
    return S.ok() ? std::move(S)
                  : Status(S.code(),
                           "`" + std::string(path) + "`: " + S.message());
  });
}

goldy_status_t goldy_artifact_load_memory(const void *data, size_t bytes,
                                          uint32_t flags,
                                          goldy_artifact_t **out_artifact) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(data || bytes == 0);
    GOLDY_NEEDS(out_artifact);
    GOLDY_TRY(checkFlags(flags));
    return makeArtifact(
        File::borrow({static_cast<const std::byte *>(data), bytes}), flags,
        out_artifact);
  });
}

void goldy_artifact_destroy(goldy_artifact_t *artifact) { delete artifact; }

static goldy_text_t textOf(std::string_view S) { return {S.data(), S.size()}; }

goldy_text_t goldy_artifact_json(const goldy_artifact_t *artifact) {
  try {
    return artifact ? textOf(artifact->File->json()) : goldy_text_t{};
  } catch (const std::exception &) {
    return {};
  }
}

size_t goldy_artifact_kernel_count(const goldy_artifact_t *artifact) {
  return artifact ? artifact->File->Kernels.size() : 0;
}

static const Kernel *kernelAt(const goldy_artifact_t *A, size_t Number) {
  return A && Number < A->File->Kernels.size() ? &A->File->Kernels[Number]
                                               : nullptr;
}

goldy_text_t goldy_artifact_kernel_name(const goldy_artifact_t *artifact,
                                        size_t kernel) {
  const Kernel *K = kernelAt(artifact, kernel);
  return K ? textOf(K->Name) : goldy_text_t{};
}

goldy_text_t goldy_artifact_kernel_definition(const goldy_artifact_t *artifact,
                                              size_t kernel) {
  const Kernel *K = kernelAt(artifact, kernel);
  return K ? textOf(K->Definition) : goldy_text_t{};
}

goldy_text_t goldy_artifact_kernel_slang(const goldy_artifact_t *artifact,
                                         size_t kernel) {
  const Kernel *K = kernelAt(artifact, kernel);
  return K ? textOf(K->Slang) : goldy_text_t{};
}

size_t goldy_artifact_kernel_spec_count(const goldy_artifact_t *artifact,
                                        size_t kernel) {
  const Kernel *K = kernelAt(artifact, kernel);
  return K ? K->Specs.size() : 0;
}

goldy_spec_info_t goldy_artifact_kernel_spec(const goldy_artifact_t *artifact,
                                             size_t kernel, size_t index) {
  const Kernel *K = kernelAt(artifact, kernel);
  if (!K || index >= K->Specs.size())
    return {};
  const SpecConstant &S = K->Specs[index];
  return {S.Name.c_str(), S.Id, S.Type, S.Value, S.Settable};
}

goldy_type_kind_t goldy_type_kind(const goldy_type_t *type) {
  return type ? type->Kind : GOLDY_TYPE_VOID;
}
uint64_t goldy_type_size(const goldy_type_t *type) {
  return type ? type->Size : 0;
}
uint64_t goldy_type_stride(const goldy_type_t *type) {
  return type ? type->Stride : 0;
}
uint32_t goldy_type_align(const goldy_type_t *type) {
  return type ? type->Align : 0;
}
const char *goldy_type_name(const goldy_type_t *type) {
  return type ? type->Name.c_str() : "";
}
uint32_t goldy_type_count(const goldy_type_t *type) {
  return type ? type->Count : 0;
}
const goldy_type_t *goldy_type_element(const goldy_type_t *type) {
  return type ? type->Element : nullptr;
}
goldy_field_t goldy_type_field(const goldy_type_t *type, uint32_t index) {
  if (!type || index >= type->Fields.size())
    return {};
  const goldy_type::Field &F = type->Fields[index];
  return {F.Name.c_str(), F.Type, F.Offset};
}
