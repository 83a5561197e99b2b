//===- TypeExport.h - The types that kernels show to their callers
//---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module's type table holds whatever the compiler met; a file lists only the
// types that parameters use, each after those it is made of, in the order of
// first use.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ARTIFACT_TYPEEXPORT_H
#define GOLDYC_LIB_ARTIFACT_TYPEEXPORT_H

#include "goldyc/Artifact/Writer.h"

#include <map>

namespace goldy {

struct TypeExport {
  std::vector<TypeId> Types;         ///< parts before wholes
  std::map<TypeId, uint32_t> Number; ///< position in `Types`
};

/// Types of all parameters of all kernels of the input.
TypeExport exportTypes(const ArtifactInput &Input);

/// Per specialisation constant: the kernel, or a helper of it, reads it.
std::vector<bool> usedSpecs(const Module &M, FuncId Kernel);

/// Bytes of the definition's workgroup arrays.
uint32_t definitionWorkgroupBytes(const Module &M, const Function &F);

/// The input's sources, sorted by name and hash, without repetition.
std::vector<SourceRecord> sortedSources(const ArtifactInput &Input);

} // namespace goldy

#endif
