//===- Specialise.cpp - A kernel for given values of its scalars ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Specialise.h"

#include "AddOnce.h"

#include "goldyc/Support/Sha256.h"
#include "goldyc/Transforms/Bake.h"

#include <algorithm>

using namespace goldy;

std::string
goldy::variantName(std::string_view Kernel,
                   std::span<const std::optional<uint64_t>> Values) {
  Sha256 Hash;
  for (size_t K = 0; K < Values.size(); ++K)
    if (Values[K])
      Hash.update(std::to_string(K) + "=" + std::to_string(*Values[K]) + ";");
  return std::string(Kernel) + "_with_" +
         Sha256::hex(Hash.finish()).substr(0, 12);
}

FuncId goldy::specialise(Module &M, FuncId Kernel,
                         std::span<const std::optional<uint64_t>> Values) {
  if (std::none_of(
          Values.begin(), Values.end(),
          [](const std::optional<uint64_t> &V) { return V.has_value(); }))
    return Kernel;
  Function Variant = M.Functions[Kernel];
  Variant.Name = variantName(Variant.Name, Values);
  bakeParameters(Variant, Values);
  return addOnce(M, std::move(Variant));
}
