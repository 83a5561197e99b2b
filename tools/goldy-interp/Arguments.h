//===- Arguments.h - Arguments from the command line ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_TOOLS_GOLDY_INTERP_ARGUMENTS_H
#define GOLDYC_TOOLS_GOLDY_INTERP_ARGUMENTS_H

#include "goldyc/IR/IR.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Support/ValueSpec.h"

namespace goldy {

/// The arguments of one launch, owning their data.
class Arguments {
public:
  Arguments(const Module &M, const Function &Kernel) : M(M), Kernel(Kernel) {}
  /// Takes `PARAM=VALUE` texts in any order. On failure `Why` says what is
  /// wrong.
  bool bind(const std::vector<std::string> &Assignments, std::string &Why);
  const std::vector<InterpArgument> &values() const { return Values; }
  /// The buffer of a parameter as it is now.
  std::optional<npy::Array> current(const std::string &Param,
                                    std::string &Why) const;
  /// Writes the buffer of a parameter as it is now.
  bool save(const std::string &Param, const std::string &Path,
            std::string &Why) const;

private:
  bool parse(const std::vector<std::string> &Assignments, std::string &Why);
  bool bindOne(uint32_t Index, std::string &Why);
  bool bindScalar(const ValueSpec &S, uint32_t Index, std::string &Why);
  bool bindArray(const ValueSpec &S, uint32_t Index, std::string &Why);
  bool bindView(const ValueSpec &S, uint32_t Index, std::string &Why);
  bool bindAlias(const ValueSpec &S, uint32_t Index, std::string &Why);
  std::optional<uint32_t> paramNamed(const std::string &Name,
                                     std::string &Why) const;

  const Module &M;
  const Function &Kernel;
  std::vector<std::optional<ValueSpec>> Specs;
  std::vector<npy::Array> Arrays; ///< one a parameter; empty for scalars
  std::vector<StridedView> Seen;  ///< of the arrays, by tensors
  std::vector<InterpArgument> Values;
};

} // namespace goldy

#endif
