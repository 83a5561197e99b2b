//===- Lower.h - One kernel as LLVM IR for NVPTX ----------------*- C++ -*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread runs one work-item. The kernel takes the parameter block by value;
// buffers are global pointers read from it, workgroup arrays shared memory that
// the group zeroes at entry. Control is lowered block by block: the structured
// IR needs no graph analysis. In three files: Lower.cpp (function, control),
// LowerMemory.cpp (places, loads, stores, atomics) and LowerValues.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_PTX_LOWER_H
#define GOLDYC_LIB_TARGET_PTX_LOWER_H

#include "PtxFloat.h"

#include "goldyc/Analysis/LinearIndex.h"
#include "goldyc/IR/IR.h"
#include "goldyc/Support/Diag.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace goldy::ptx {

/// Address spaces of NVPTX.
inline constexpr unsigned Global = 1, Shared = 3;

/// Groups of one warp that may share a block, 1 if they may not: their barriers
/// are the warp's. A multiprocessor holds twice as many warps as blocks.
uint32_t groupsOfBlock(const Function &F);

class Lowering {
public:
  /// `Beside`: groups that share a block (groupsOfBlock), else 1.
  Lowering(const Module &M, const Function &F, uint32_t Beside,
           llvm::Module &Out, DiagSink &Diags);
  /// Adds the kernel `Entry` to the module; false after a diagnostic.
  bool run(const std::string &Entry);
  /// After all passes: says how many groups are to share a multiprocessor.
  void limitRegisters();
  /// Bytes of all workgroup arrays.
  uint32_t workgroupBytes() const { return WorkgroupBytes; }

private:
  // --- Function and control
  bool checkParams();
  void createFunction(const std::string &Entry);
  void createSlots();
  void leaveOutsideGrid();
  void meet();
  void createWorkgroupArrays();
  void zeroWorkgroupMemory(llvm::GlobalVariable *Memory);
  void zeroWords(llvm::Value *Memory, llvm::Value *Thread, uint32_t First,
                 uint32_t Count);
  void zeroInLoop(llvm::Value *Memory, llvm::Value *Thread, uint32_t Threads);
  bool block(BlockId B);
  bool statement(InstId I);
  bool lowerIf(InstId I);
  bool lowerLoop(InstId I);
  bool lowerBlock(InstId I);
  void leave(llvm::BasicBlock *To);
  void breakIf(InstId I);
  llvm::BasicBlock *newBlock(const char *Name);
  bool unsupported(InstId I);

  // --- Memory
  struct Address {
    llvm::Value *Pointer;
    llvm::Align By;
  };
  Address address(const Place &P, InstId At);
  llvm::Value *base(const Place &P);
  llvm::Value *blockField(uint32_t Offset, llvm::Type *T);
  llvm::Value *table(TableId T);
  /// Runs `Body` under the guard, if there is one; its value, or zero.
  template <class Fn> llvm::Value *guarded(InstId I, llvm::Type *T, Fn Body);
  bool isPrivateFloat(const Place &P) const;
  llvm::Value *uniformWord(const Place &P);
  llvm::Value *load(InstId I);
  void store(InstId I);
  llvm::Value *atomic(InstId I);
  llvm::Value *atomicUpdate(InstId I, llvm::Value *Pointer);
  llvm::Value *atomicFloatAdd(llvm::Value *Pointer, llvm::Value *Addend);
  llvm::Value *length(InstId I);
  llvm::Value *layoutFact(InstId I);
  llvm::Value *imageExtent(InstId I);

  // --- Values
  llvm::Value *value(InstId I);
  llvm::Value *leaf(ValueId V);
  llvm::Value *select(InstId I);
  llvm::Value *construct(InstId I);
  llvm::Value *id(InstId I);
  llvm::Value *thread(uint64_t Axis);
  llvm::Value *blockId(uint64_t Axis);
  llvm::Value *groupId(uint64_t Axis);
  llvm::Value *groupCount(uint64_t Axis);
  llvm::Value *lanes(InstId I);
  llvm::Value *arithmetic(InstId I);
  llvm::Value *floatArithmetic(InstId I);
  llvm::Value *compare(InstId I);
  llvm::Value *bitOperation(InstId I);
  llvm::Value *shift(InstId I);
  llvm::Value *cast(InstId I);
  llvm::Value *extreme(InstId I);
  bool isNormal(ValueId V) const;
  bool isNanTest(ValueId V) const;
  llvm::Value *canonNan(llvm::Value *X);
  llvm::Value *flush(llvm::Value *X);
  llvm::Value *sreg(llvm::Intrinsic::ID Id);
  llvm::Value *get(ValueId V);
  llvm::Value *operand(InstId I, unsigned N) { return get(F.operand(I, N)); }
  llvm::Type *type(TypeId T);
  llvm::Type *memoryType(TypeId T);
  llvm::Align alignOf(const Place &P, const FlatPlace &Flat);
  llvm::Value *fromMemory(TypeId T, llvm::Value *V);
  llvm::Value *toMemory(TypeId T, llvm::Value *V);
  bool isFloat(ValueId V) const { return F.typeOf(V) == types::F32; }
  bool isSigned(ValueId V) const { return M.Types.isSigned(F.typeOf(V)); }

  const Module &M;
  const Function &F;
  const uint32_t Beside;
  llvm::Module &Out;
  DiagSink &Diags;
  llvm::IRBuilder<> B;
  PtxFloat Float;
  AbiLayout Abi;
  Structure Where;
  RelativeIndices Indices;
  llvm::Function *Kernel = nullptr;
  llvm::Value *Block = nullptr; ///< the parameter block
  std::map<std::pair<uint32_t, llvm::Type *>, llvm::Value *> BlockFields;
  /// By parameter and byte.
  std::map<std::pair<uint32_t, uint64_t>, llvm::Value *> UniformWords;
  SideMap<Inst, llvm::Value *> Values{nullptr};
  SideMap<Slot, llvm::Value *> Slots{nullptr};
  SideMap<WorkgroupArray, llvm::Value *> Arrays{nullptr};
  SideMap<ConstTable, llvm::Value *> Tables{nullptr};
  SideMap<Inst, llvm::BasicBlock *> BreakTo{nullptr}, ContinueTo{nullptr};
  InstId CurrentLoop; ///< whose continuing block is being lowered
  uint32_t WorkgroupBytes = 0;
};

} // namespace goldy::ptx

#endif
