//===- HeaderNames.h - Names and types in generated headers ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel's names are Rust's, so one may be a keyword of C or C++.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_ARTIFACT_HEADERNAMES_H
#define GOLDYC_LIB_ARTIFACT_HEADERNAMES_H

#include "goldyc/IR/IR.h"
#include "goldyc/IR/ScalarNames.h"

#include "program/Template.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace goldy {

/// `Name`, with `_` behind it if it is a keyword of C11 or C++20.
std::string headerName(std::string_view Name);

/// A path as a plain name: `blur_rows` for `blur::rows`.
std::string plainName(std::string Path);

/// The name of a program's struct or functions: its plain name, with `_` behind
/// it as long as `IsTaken`. A module's program gives way to one of the file,
/// and to earlier ones.
std::string
programHeaderName(const std::vector<program::ProgramTemplate> &All,
                  const program::ProgramTemplate &P,
                  const std::function<bool(const std::string &)> &IsTaken);

/// A program's scalar in C.
std::string scalarInC(program::Scalar S);

/// The module with plain names for its structs and kernels: `blur_rows` for
/// `blur::rows`, `_` added where that is taken. Handles stay what they are.
Module withPlainNames(const Module &M);

/// The C++ type of an element: scalars, `std::array` for vectors and arrays,
/// the struct's name.
std::string typeInCpp(const TypeTable &Types, TypeId T);

/// `float v[3]`: a declaration in C.
std::string declarationInC(const TypeTable &Types, TypeId T,
                           const std::string &Name,
                           const std::string &StructPrefix);

/// The doc comment as comment lines with `Prefix`; empty without one.
std::string docLines(std::string_view Doc, std::string_view Prefix);

} // namespace goldy

#endif
