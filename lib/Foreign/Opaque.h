//===- Opaque.h - What both languages of opaque kernels share ---*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_FOREIGN_OPAQUE_H
#define GOLDYC_LIB_FOREIGN_OPAQUE_H

#include "SpirvImage.h"
#include "goldyc/Foreign/Opaque.h"

namespace goldy::foreign {

/// Adds a kernel with an empty body.
FuncId addKernel(Module &M, std::string Name, std::vector<Param> Params,
                 std::array<uint32_t, 3> Size, Span Where);

/// Refuses workgroups that no target has, and parameters of one name.
bool checkKernel(const Function &F, DiagSink &Diags);

/// The span of a place that another compiler names by line and column (from 1,
/// in characters); to the end of the word that begins there if `EndColumn`
/// says no more.
Span spanAt(const SourceFile &File, FileId Id, uint32_t Line, uint32_t Column,
            uint32_t EndLine, uint32_t EndColumn);

std::optional<OpaqueUnit> readSlang(SourceManager &SM, FileId File,
                                    const OpaqueOptions &Options,
                                    DiagSink &Diags);
std::optional<OpaqueUnit> readGlsl(SourceManager &SM, FileId File,
                                   const OpaqueOptions &Options,
                                   DiagSink &Diags);

std::vector<uint32_t> wordsOf(const std::vector<uint8_t> &Bytes);

} // namespace goldy::foreign

#endif
