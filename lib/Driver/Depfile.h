//===- Depfile.h - Make rules ---------------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_DRIVER_DEPFILE_H
#define GOLDYC_LIB_DRIVER_DEPFILE_H

#include <string>
#include <vector>

namespace goldy::driver {

/// `targets: prerequisites`, wrapped, with make's characters quoted as gcc
/// does. `Phony` adds an empty rule for each prerequisite but the first, so
/// that a removed file does not stop make. `AsWritten`: the targets are the
/// user's own (-MT) and stay as they are, as with gcc.
std::string makeRule(const std::vector<std::string> &Targets,
                     const std::vector<std::string> &Prerequisites, bool Phony,
                     bool AsWritten = false);

} // namespace goldy::driver

#endif
