//===- ExpandMath.cpp - Published functions become calls
//--------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which functions are needed is known before the first is copied, so that they
// stand in the order of the operations, whatever the kernel's order of use is.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/ExpandMath.h"

#include "goldyc/IR/Rewriter.h"
#include "goldyc/Prelude/Prelude.h"
#include "goldyc/Transforms/Pass.h"

#include <array>
#include <map>

namespace goldy {
namespace {

/// Handles of the functions by operation; invalid for other operations.
using ByOp = std::array<FuncId, NumOps>;

/// `gpu::exp` is the function `exp` of the prelude.
std::string_view nameOf(Op O) {
  std::string_view Name = opInfo(O).Mnemonic;
  Name.remove_prefix(std::string_view("gpu::").size());
  return Name;
}

bool uses(const Function &F, std::array<bool, NumOps> &Used) {
  bool Any = false;
  for (const Inst &I : F.Insts)
    if (isPublished(I.Opcode))
      Any = Used[static_cast<unsigned>(I.Opcode)] = true;
  return Any;
}

/// Puts what is needed of the prelude in front of a module's functions.
class Importer {
public:
  explicit Importer(Module &M) : M(M) {}

  ByOp import(const std::array<bool, NumOps> &Used) {
    ByOp Result;
    for (unsigned O = 0; O < NumOps; ++O)
      if (Used[O])
        Result[O] = add(nameOf(static_cast<Op>(O)));
    putInFront();
    return Result;
  }

private:
  /// The function's handle; what it calls is shared with the others.
  FuncId add(std::string_view Name) {
    const Module &From = mathFunction(Name);
    SideMap<Function, FuncId> NewId;
    for (uint32_t I = 0; I < From.Functions.size(); ++I) {
      const Function &F = From.Functions[FuncId(I)];
      auto [At, New] = Imported.try_emplace(F.Name);
      if (New)
        At->second = Functions.push(copy(F, NewId));
      NewId.set(FuncId(I), At->second);
    }
    assert(From.find(Name) && "the prelude lacks a published function");
    return NewId[From.find(Name)];
  }

  static Function copy(const Function &F,
                       const SideMap<Function, FuncId> &NewId) {
    Function Copy = F;
    Copy.Name = "goldy::math::" + Copy.Name;
    for (Inst &I : Copy.Insts)
      if (I.Callee)
        I.Callee = NewId[I.Callee];
    return Copy;
  }

  void putInFront() {
    uint32_t Shift = Functions.size();
    for (Function &F : M.Functions) {
      for (Inst &I : F.Insts)
        if (I.Callee)
          I.Callee = FuncId(I.Callee.index() + Shift);
      Functions.push(std::move(F));
    }
    M.Functions = std::move(Functions);
  }

  Module &M;
  Arena<Function> Functions;
  std::map<std::string, FuncId> Imported;
};

class CallMaker : public Rewriter {
public:
  CallMaker(Module &M, const Function &Src, const ByOp &Functions)
      : Rewriter(M, Src), Functions(Functions) {}

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    if (!isPublished(N.Opcode))
      return copy(I);
    std::vector<ValueId> Args;
    for (ValueId V : Src.operands(I))
      Args.push_back(map(V));
    ValueId Result =
        M.Types.kind(N.Type) == TypeKind::Vector
            ? onVector(N, Args)
            : B.call(Functions[static_cast<unsigned>(N.Opcode)], Args);
    if (N.Name)
      B.setName(Result, Src.nameOf(I));
    return Result;
  }

private:
  ValueId onVector(const Inst &N, const std::vector<ValueId> &Args) {
    std::vector<ValueId> Parts;
    for (uint32_t C = 0; C < M.Types[N.Type].Count; ++C) {
      std::vector<ValueId> Members;
      for (ValueId V : Args) {
        bool IsVector = M.Types.kind(Dst.typeOf(V)) == TypeKind::Vector;
        Members.push_back(IsVector ? B.extract(V, C) : V);
      }
      Parts.push_back(
          B.call(Functions[static_cast<unsigned>(N.Opcode)], Members));
    }
    return B.construct(N.Type, Parts);
  }

  const ByOp &Functions;
};

/// `scaled_sum` and `split_sum` of the prelude as one operation.
class SumFuser : public Rewriter {
public:
  using Rewriter::Rewriter;

protected:
  InstId visit(InstId I) override {
    if (Src.Insts[I].Opcode != Op::Add)
      return copy(I);
    ValueId A = Src.operand(I, 0), C = Src.operand(I, 1);
    if (Src.Insts[A].Opcode == Op::Mul)
      return fused(A, map(Src.operand(A, 1)), C);
    // (a * high + c) + a * low
    ValueId Upper = Src.operand(A, 0);
    ValueId Factor =
        B.op(Op::Add, {map(Src.operand(Upper, 1)), map(Src.operand(C, 1))});
    return fused(Upper, Factor, Src.operand(A, 1));
  }

private:
  ValueId fused(ValueId Product, ValueId Factor, ValueId Addend) {
    return B.op(Op::Fma, {map(Src.operand(Product, 0)), Factor, map(Addend)});
  }
};

class ExpandMathPass : public Pass {
public:
  std::string_view name() const override { return "expand-math"; }
  PassResult run(Module &M, PassContext &Context) override {
    bool Fuses = Context.Caps.FusedFma && Context.Caps.FlushesSubnormals;
    return expandPublished(M, Fuses) ? PassResult::Changed
                                     : PassResult::Unchanged;
  }
};

} // namespace

bool expandPublished(Module &M, bool Fuses) {
  std::array<bool, NumOps> Used{};
  std::vector<bool> Users;
  bool Any = false;
  for (const Function &F : M.Functions) {
    Users.push_back(uses(F, Used));
    Any |= Users.back();
  }
  if (!Any)
    return false;
  ByOp Functions = Importer(M).import(Used);
  uint32_t Shift = M.Functions.size() - static_cast<uint32_t>(Users.size());
  for (uint32_t I = 0; I < Users.size(); ++I)
    if (Users[I]) {
      Function &F = M.Functions[FuncId(I + Shift)];
      F = CallMaker(M, F, Functions).run();
    }
  if (Fuses)
    for (std::string_view Sum :
         {"goldy::math::scaled_sum", "goldy::math::split_sum"})
      if (FuncId F = M.find(Sum))
        M.Functions[F] = SumFuser(M, M.Functions[F]).run();
  return true;
}

std::unique_ptr<Pass> createExpandMathPass() {
  return std::make_unique<ExpandMathPass>();
}

} // namespace goldy
