//===- TemplateObject.h - The object behind a template's handle -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A checked template with what a caller sees of it: types as the C interface
// has them, and the inputs and ints that have names.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_PROGRAM_TEMPLATEOBJECT_H
#define GOLDY_RUNTIME_PROGRAM_TEMPLATEOBJECT_H

#include "goldy/program.h"

#include "artifact/Artifact.h"
#include "program/Template.h"

struct goldy_program_template {
  /// `T` keeps the rules of templates.
  explicit goldy_program_template(goldy::program::ProgramTemplate T);
  goldy_program_template(const goldy_program_template &) = delete;
  goldy_program_template &operator=(const goldy_program_template &) = delete;

  const goldy::program::ProgramTemplate Template;
  std::vector<goldy_type> IntTypes; ///< of `Ints`
  std::vector<goldy_type> Types;    ///< by number
  std::vector<size_t> Inputs;       ///< numbers of those with names
  std::vector<size_t> Ints;         ///< words of those with names
  std::vector<goldy::program::TypeLayout> Layouts; ///< by number of the type
  std::string Text;                                ///< what was given last
};

#endif
