//===- FuseKernels.cpp - Random kernels to be fused -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FuseCase.h"

using namespace goldy;
using namespace goldy::fusetest;

namespace {

class Maker {
public:
  explicit Maker(std::mt19937 &Random) : Random(Random) {}
  std::string body();

private:
  uint32_t below(uint32_t N) { return Random() % N; }
  template <size_t N> const char *oneOf(const char *const (&Of)[N]) {
    return Of[below(N)];
  }
  std::string index() {
    if (below(30) != 0)
      return oneOf({"i", "i", "j", "i as i32"});
    return oneOf({"i + 1", "i - 1", "n - 1 - i", "gpu::local_id().x", "2u32"});
  }
  std::string value() {
    switch (below(6)) {
    case 0:
      return "b[" + index() + "] * 3.0";
    case 1:
      return "-a[" + index() + "]";
    case 2:
      return "a[" + index() + "] - b[" + index() + "]";
    case 3:
      return "c[" + index() + "] / a[" + index() + "]";
    case 4:
      return "(a[" + index() + "] as i32) as f32";
    default:
      return "b[" + index() + "].min(c[" + index() + "])";
    }
  }
  std::string store() {
    return std::string(oneOf({"a", "b"})) + "[" + index() + "] = " + value() +
           ";\n";
  }

  std::mt19937 &Random;
};

std::string Maker::body() {
  std::string Inner = store();
  if (below(2))
    Inner += store();
  switch (below(9)) {
  case 0:
    return Inner;
  case 7:
    return store() + "if i >= n { return; }\n" + Inner;
  case 8:
    return store() + "if i < n {\n" + Inner + "if a[i] > 0.0 { return; }\n" +
           store() + "}\n";
  case 1:
    return "if i < n {\n" + Inner + "}\n";
  case 2:
    return "if i >= n { return; }\n" + Inner;
  case 3:
    return "if i < n {\n" + store() + "} else {\n" + store() + "}\n";
  case 4:
    return "for k in 0..3 {\nif i + k >= n { return; }\n" + Inner + "}\n";
  case 5:
    return "let q = a[i];\nif i < n && q > 0.0 {\n" + Inner + "}\n";
  default:
    return "if i < a.len() {\n" + Inner + "if i >= n { return; }\n" + store() +
           "}\n";
  }
}

} // namespace

std::string fusetest::randomKernel(std::mt19937 &Random,
                                   const std::string &Name) {
  return "#[goldy::compute(workgroup_size = [8, 1, 1])]\nfn " + Name +
         "(a: &mut [f32], b: &mut [f32], c: &[f32], n: u32) {\n"
         "let i = gpu::global_id().x;\n"
         "let j = gpu::workgroup_id().x * 8 + gpu::local_id().x;\n" +
         Maker(Random).body() + "}\n";
}
