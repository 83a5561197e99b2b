//===- Meta.cpp - `--emit=meta`
//----------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The description is made from the written file, by the function that the
// runtime uses too: what `goldyc` says of a kernel is what `goldyrun` reads.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Artifact/Writer.h"

#include "ArtifactJson.h"

using namespace goldy;

std::string goldy::metaJson(const ArtifactInput &Input) {
  std::vector<uint8_t> File = writeArtifact(Input);
  return schema::artifactJson(*schema::GetSizePrefixedArtifact(File.data()),
                              Input.Programs);
}
