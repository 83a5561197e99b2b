//===- Place.h - Where in a description something stands ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks keep a chain of places on the stack, one a field or a list's element,
// and make text of it only for a message: `steps[2].body[0].parts[1]`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_PLACE_H
#define GOLDY_SCHEMAS_PROGRAM_PLACE_H

#include <cstddef>
#include <string>

namespace goldy::program {

struct Place {
  const Place *Up = nullptr; ///< null: the description itself
  const char *Field = "";
  /// Number of an element of the list `Field`; NoIndex: the field itself.
  size_t Index = NoIndex;
  static constexpr size_t NoIndex = ~size_t(0);

  std::string text() const {
    std::string Above = Up ? Up->text() : "";
    if (!Above.empty() && *Field)
      Above += '.';
    Above += Field;
    return Index == NoIndex ? Above : Above + "[" + std::to_string(Index) + "]";
  }
};

} // namespace goldy::program

#endif
