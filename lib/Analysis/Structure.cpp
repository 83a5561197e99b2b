//===- Structure.cpp - Where an instruction stands
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain walks over the tree of blocks.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Structure.h"

#include <algorithm>

namespace goldy {

void forEachInst(const Function &F, BlockId B,
                 const std::function<void(InstId)> &Visit) {
  forEachOf(F, F.Blocks[B].Insts, Visit);
}

void forEachWithin(const Function &F, InstId Owner,
                   const std::function<void(InstId)> &Visit) {
  for (BlockId B : F.Insts[Owner].Blocks)
    if (B)
      forEachInst(F, B, Visit);
}

void forEachOf(const Function &F, const std::vector<InstId> &List,
               const std::function<void(InstId)> &Visit) {
  for (InstId I : List) {
    Visit(I);
    forEachWithin(F, I, Visit);
  }
}

void forEachInst(const Function &F, const std::function<void(InstId)> &Visit) {
  if (F.Body)
    forEachInst(F, F.Body, Visit);
}

/// True if something within `B` leaves `Target` by a Break or BreakIf.
static bool leaves(const Function &F, BlockId B, InstId Target) {
  bool Found = false;
  forEachInst(F, B, [&](InstId I) {
    Found |= F.Insts[I].Opcode == Op::Break && F.Insts[I].Target == Target;
  });
  return Found;
}

static bool instFallsThrough(const Function &F, InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::Break:
  case Op::Continue:
  case Op::Return:
    return false;
  case Op::If:
    return !N.Blocks[1] || fallsThrough(F, N.Blocks[0]) ||
           fallsThrough(F, N.Blocks[1]);
  case Op::Block:
    return fallsThrough(F, N.Blocks[0]) || leaves(F, N.Blocks[0], I);
  case Op::Loop: {
    bool ConditionalEnd =
        N.Blocks[1] && !F.Blocks[N.Blocks[1]].Insts.empty() &&
        F.Insts[F.Blocks[N.Blocks[1]].Insts.back()].Opcode == Op::BreakIf;
    return ConditionalEnd || leaves(F, N.Blocks[0], I);
  }
  default:
    return true;
  }
}

bool fallsThrough(const Function &F, BlockId B) {
  for (InstId I : F.Blocks[B].Insts)
    if (!instFallsThrough(F, I))
      return false;
  return true;
}

uint64_t expandedSize(const Module &M, const Function &F) {
  // Callees have smaller handles, so one sweep upwards has every size.
  std::vector<uint64_t> Sizes;
  auto SizeOf = [&](const Function &G) {
    uint64_t Size = 0;
    forEachInst(G, [&](InstId I) {
      const Inst &N = G.Insts[I];
      bool Known = N.Opcode == Op::Call && N.Callee.index() < Sizes.size();
      Size += Known ? Sizes[N.Callee.index()] : 1;
      Size = std::min<uint64_t>(Size, uint64_t(1) << 40);
    });
    return Size;
  };
  for (const Function &G : M.Functions) {
    if (&G == &F)
      break;
    Sizes.push_back(SizeOf(G));
  }
  return SizeOf(F);
}

Structure::Structure(const Function &F) {
  std::function<void(BlockId)> Walk = [&](BlockId B) {
    for (InstId I : F.Blocks[B].Insts) {
      Holder.set(I, B);
      for (BlockId Inner : F.Insts[I].Blocks)
        if (Inner) {
          Owner.set(Inner, I);
          Walk(Inner);
        }
    }
  };
  Walk(F.Body);
}

bool Structure::contains(BlockId Outer, InstId I) const {
  BlockId B = Holder[I];
  while (B && B != Outer) {
    InstId Up = Owner[B];
    B = Up ? Holder[Up] : BlockId();
  }
  return B == Outer;
}

} // namespace goldy
