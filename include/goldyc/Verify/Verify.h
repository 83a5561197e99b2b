//===- Verify.h - The numbered rules of well-formed IR
//----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only the verifier makes a VerifiedModule, and every emitter demands one.
// Contract, fuzzed: verified input gives output or a diagnostic, never an
// assertion. Rules are numbered V1, V2 … (one file a topic in lib/Verify),
// each with a negative test named by its number. Two kinds of findings:
// structural rules (a module the front end would never make: G05xx, only IR
// text and passes can break them) and program rules (barrier uniformity,
// limits of the language) that point at the user's own source.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_VERIFY_VERIFY_H
#define GOLDYC_VERIFY_VERIFY_H

#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

#include <memory>
#include <optional>

namespace goldy {

class VerifiedModule {
public:
  const Module &operator*() const { return *M; }
  const Module *operator->() const { return M.get(); }
  /// Gives the module back for further passes; the token is spent.
  Module take() && { return std::move(*M); }

private:
  friend std::optional<VerifiedModule> verify(Module M, DiagSink &Diags);
  explicit VerifiedModule(Module Mod)
      : M(std::make_unique<Module>(std::move(Mod))) {}
  std::unique_ptr<Module> M;
};

/// Checks all rules for the module's level; reports every violation.
std::optional<VerifiedModule> verify(Module M, DiagSink &Diags);

/// Structural rules alone, for pass managers (--verify-each). On failure
/// `Why` holds the printed instruction and the rule.
bool isWellFormed(const Module &M, std::string &Why);

/// Bytes of workgroup memory that a kernel's arrays take, each aligned to 16.
/// The module must be well-formed.
uint64_t workgroupBytes(const Module &M, const Function &Kernel);

/// Reports and returns false if a kernel needs more workgroup memory than the
/// target of this name has.
bool checkWorkgroupMemory(const Module &M, const Function &Kernel,
                          std::string_view Target, uint64_t LimitBytes,
                          DiagSink &Diags);

} // namespace goldy

#endif
