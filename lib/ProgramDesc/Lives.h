//===- Lives.h - Which temporaries share storage --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_PROGRAMDESC_LIVES_H
#define GOLDYC_LIB_PROGRAMDESC_LIVES_H

#include "goldyc/ProgramDesc/Program.h"

namespace goldy::prog {

/// Calls `Visit(BufferId)` for each buffer that the step itself names; of a
/// loop its flag.
template <class F> void forEachBuffer(const Step &S, F Visit) {
  auto Arguments = [&](const std::vector<Argument> &Args) {
    for (const Argument &A : Args)
      if (A.Buffer)
        Visit(A.Buffer);
  };
  if (const Dispatch *D = std::get_if<Dispatch>(&S.Kind))
    return Arguments(D->Args);
  if (const HostCall *H = std::get_if<HostCall>(&S.Kind))
    return Arguments(H->Args);
  if (const Copy *C = std::get_if<Copy>(&S.Kind)) {
    Visit(C->Src);
    Visit(C->Dst);
  } else if (const Loop *L = std::get_if<Loop>(&S.Kind); L && L->Stop) {
    Visit(L->Stop->Flag);
  }
}

/// A piece of storage and the temporaries that lie in it, one after another.
struct Storage {
  uint32_t Device = 0;
  ExprId Count;    ///< elements, the same of all
  uint64_t Stride; ///< bytes an element, the same of all
  std::vector<BufferId> Buffers;
};

/// Storage of all temporaries that some step names, in the order of first use.
/// Two share if they have one device, count and stride, and no step lies
/// between the first and last use of both, in either branch of a choice that
/// holds all uses of one. A use inside a loop lasts for all of
/// the outermost loop, as the next trip may read what this one left.
std::vector<Storage> shareStorage(const Program &P, const Module &M);

} // namespace goldy::prog

#endif
