//===- DebugInfo.h - DWARF of one kernel's host code ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One compile unit with one subprogram, the kernel. An instruction's place is
// its span's first line; code of helpers keeps the helper's own lines. Vectors
// are structs of x, y, z, w, and a buffer is a struct of its address and its
// length.
//
// A bool is one byte in private memory and one word elsewhere: types come in
// two forms.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_HOST_DEBUGINFO_H
#define GOLDYC_LIB_TARGET_HOST_DEBUGINFO_H

#include "goldyc/IR/IR.h"
#include "goldyc/Target/DebugSources.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Instructions.h"

#include <map>

namespace goldy {

enum class DebugMemory : uint8_t { Private, Shared };

class HostDebug {
public:
  /// Makes the kernel's subprogram for `Fn`. `Optimised`: variables may be
  /// missing, and places are out of order.
  HostDebug(const Module &M, const Function &F, const DebugSources &Sources,
            llvm::Module &LM, bool Optimised);
  void attach(llvm::Function &Fn) { Fn.setSubprogram(Kernel); }
  /// Where an expression or statement stands; invalid: the kernel's own line.
  llvm::DILocation *place(Span Where);
  /// The kernel's closing brace.
  llvm::DILocation *kernelEnd();
  /// What follows is a helper's of this form, called at `Where`, until the end.
  void enterCall(Span Where, llvm::StringRef Form) {
    Calls.push_back({callPlace(Where), Form.str()});
  }
  void leaveCall() { Calls.pop_back(); }
  void leaveAllCalls() { Calls.clear(); }
  /// The variable whose slot has this span and name, or null.
  const NamedLocal *local(const Slot &S) const;
  /// Where it is known, in the call that is being emitted.
  llvm::DILocation *localPlace(const NamedLocal &L);
  /// Declares the part of a variable that a slot of its span and type, whose
  /// name tells the part, holds at `At`; `Indirect`: where `At` says.
  void declareSlot(const NamedLocal &L, const Slot &S, llvm::DILocation *Where,
                   llvm::AllocaInst *At, bool Indirect, llvm::BasicBlock *In);
  /// A resource of the helper that is being emitted; `At` is what the kernel's
  /// own parameter or array has.
  void declareArgument(llvm::StringRef Name, ArgumentCode Is, Span Where,
                       llvm::AllocaInst *At, llvm::BasicBlock *In);
  void declareParameter(uint32_t Number, llvm::AllocaInst *At,
                        llvm::BasicBlock *In);
  /// A variable of the whole kernel; `At` holds its address.
  void declareShared(llvm::StringRef Name, TypeId T, Span Where,
                     llvm::AllocaInst *At, llvm::BasicBlock *In);
  /// From `At` on the value is that of scalar parameter `Number`.
  void parameterValue(uint32_t Number, llvm::Value *V, llvm::BasicBlock *AtEnd);
  /// The type of a variable that holds parameter `Number`.
  llvm::DIType *parameterType(uint32_t Number);
  llvm::DIType *type(TypeId T, DebugMemory In);
  llvm::DIBuilder &builder() { return DIB; }
  llvm::DISubprogram *kernel() { return Kernel; }
  llvm::DIFile *file(FileId F);
  uint32_t lineOf(Span Where) const;
  void finish() { DIB.finalize(); }

private:
  llvm::DIType *make(TypeId T, DebugMemory In);
  llvm::DIType *scalar(TypeId T, DebugMemory In);
  llvm::DIType *aggregate(TypeId T, DebugMemory In);
  llvm::DIType *structure(llvm::StringRef Name,
                          llvm::ArrayRef<llvm::Metadata *> Members,
                          uint64_t Bits);
  llvm::DIType *member(llvm::StringRef Name, llvm::DIType *T,
                       uint64_t OffsetBits);
  llvm::DIType *resource(const Param &P);
  llvm::DILocalVariable *parameter(uint32_t Number);
  /// Bits of a whole variable that a slot's bits are.
  struct Part {
    uint64_t InWhole, InSlot, Bits;
  };
  bool partsOf(const NamedLocal &L, const Slot &S, std::vector<Part> &Out);
  llvm::DISubprogram *bodyOf(Span Where);
  llvm::DIScope *scopeAt(Span Where, llvm::DIScope *Outer);
  llvm::DILocation *callPlace(Span Where);
  bool isInSignature(Span Where) const;
  llvm::DILocation *placeInText(Span Where);
  llvm::DILocation *homeLine();

  const Module &M;
  const Function &F;
  const DebugSources &Sources;
  llvm::LLVMContext &C;
  llvm::DIBuilder DIB;
  std::map<uint32_t, llvm::DIFile *> Files;
  std::map<uint32_t, llvm::DIScope *> ScopeOfFile;
  std::map<std::pair<uint32_t, DebugMemory>, llvm::DIType *> Types;
  FileId Home; ///< the kernel's file
  llvm::DISubprogram *Kernel = nullptr;
  std::vector<const NamedLocal *> Shown; ///< of slots, outer ones first
  std::map<uint32_t, llvm::DISubprogram *> Helpers; ///< by number of the body
  std::map<std::pair<const NamedLocal *, llvm::DIScope *>, llvm::DIScope *>
      Blocks;
  std::map<std::tuple<const NamedLocal *, llvm::DIScope *, std::string>,
           llvm::DILocalVariable *>
      Variables;
  /// Of helpers' resources, by scope, number and ArgumentCode.
  std::map<std::tuple<llvm::DIScope *, uint32_t, uint32_t>,
           llvm::DILocalVariable *>
      Arguments;
  struct Call {
    llvm::DILocation *At;
    std::string Form; ///< NamedBody::Form
  };
  std::vector<Call> Calls; ///< that are being emitted
};

} // namespace goldy

#endif
