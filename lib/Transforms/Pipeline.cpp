//===- Pipeline.cpp - The passes from a definition to the legal form
//--------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One list, in order. Bounds come after the cleaning passes, which make more
// indices provable, and before lower-for, which hides the ranges of loops, and
// expand-tensors, behind which an index is no longer the one that the program
// compares with a length. Small loops are copied out behind them, so that only
// the copy without checks grows. What loops do not change moves when the guards
// are there to move with it. The legal form wants nothing behind an exit, so
// dce runs at every level. Coarsening comes when a work-item's code is final,
// since everything before takes the workgroup for the logical one. A sanitizer
// looks at what the user wrote, so its pass stands before all that moves it.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/Pass.h"

namespace goldy {

std::vector<std::string_view> legalisationPasses(const Capabilities &Caps,
                                                 unsigned OptLevel,
                                                 bool Coarsens,
                                                 bool Sanitizes) {
  std::vector<std::string_view> List = {"bake", "expand-collectives",
                                        "expand-math", "inline"};
  auto Add = [&](std::initializer_list<std::string_view> More) {
    List.insert(List.end(), More);
  };
  if (Sanitizes)
    Add({"sanitize"});
  Add({"expand-images"});
  if (OptLevel >= 1)
    Add({"dce", "if-to-select", "mem-forward", "fold", "unroll", "mem-forward",
         "fold"});
  if (OptLevel >= 1 && Caps.Target == TargetKind::Host)
    Add({"unroll-trees"});
  Add({"scalarise"});
  if (OptLevel >= 1)
    Add({"if-to-select", "mem-forward", "fold", "cse"});
  Add({"dce", OptLevel >= 1 ? "bounds" : "bounds-each"});
  if (OptLevel >= 1 && Caps.UnrollsSmall)
    Add({"unroll-small", "mem-forward", "fold", "cse", "hoist-loads"});
  Add({"expand-tensors", "split-arrays", "lower-for", "legalise"});
  if (OptLevel >= 1)
    Add({"licm", "fold", "cse", "contract", "join-accesses"});
  if (OptLevel >= 1 && Caps.Target != TargetKind::Host)
    Add({"drop-barriers"});
  Add({"dce"});
  if (Coarsens && Caps.Target != TargetKind::Host) {
    Add({"coarsen"});
    if (OptLevel >= 1)
      Add({"cse"});
    Add({"dce"});
  }
  if (Caps.StructuredExits)
    Add({"structurise-exits"});
  return List;
}

} // namespace goldy
