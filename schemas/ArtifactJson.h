//===- ArtifactJson.h - An artifact described as JSON
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `goldyc --emit=meta` and `goldyrun info` print the same text: it is made
// from the FlatBuffer by this one function. The caller has verified it.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_ARTIFACTJSON_H
#define GOLDY_SCHEMAS_ARTIFACTJSON_H

#include "artifact_generated.h"

#include "program/Template.h"

#include <span>
#include <string>

namespace goldy::schema {

/// One JSON object, two-space indentation, a final line end. Offsets of blobs
/// are left out: they say nothing about the kernels. `Programs` are the file's,
/// decoded and checked; there is no list of them if there are none.
std::string artifactJson(const Artifact &A,
                         std::span<const program::ProgramTemplate> Programs);

/// The language's name of type `Number` of the file: `f32`, `gpu::Float3`,
/// `[f32; 4]`, `P`.
std::string typeName(const Artifact &A, uint32_t Number);

} // namespace goldy::schema

#endif
