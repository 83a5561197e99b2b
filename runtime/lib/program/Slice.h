//===- Slice.h - One kernel of an artifact for one architecture -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an image of a description holds: an artifact file of one kernel with one
// image and all that the file says about it, so a device that loads it checks
// it as it checks any artifact.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_SLICE_H
#define GOLDY_RUNTIME_PROGRAM_SLICE_H

#include "artifact/Artifact.h"

namespace goldy::rt {

/// The file of kernel number `Kernel` of `A` with its image number `Image`.
/// Provenance, types, definition and Slang text stay. Equal slices are equal
/// bytes.
std::string artifactSlice(const Artifact &A, size_t Kernel, size_t Image);

} // namespace goldy::rt

#endif
