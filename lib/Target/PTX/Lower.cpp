//===- Lower.cpp - Function and control -----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Lower.h"
#include "Registers.h"

#include "goldyc/Analysis/Phases.h"
#include "goldyc/Analysis/Structure.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace goldy::ptx {

Lowering::Lowering(const Module &M, const Function &F, uint32_t Beside,
                   llvm::Module &Out, DiagSink &Diags)
    : M(M), F(F), Beside(Beside), Out(Out), Diags(Diags), B(Out.getContext()),
      Float(B), Abi(abiLayout(M, F)), Where(F), Indices(F, Where) {}

bool Lowering::run(const std::string &Entry) {
  if (!checkParams())
    return false;
  createFunction(Entry);
  BasicBlock *Body = newBlock("body");
  B.SetInsertPoint(B.CreateBr(Body));
  createSlots();
  B.SetInsertPoint(Body);
  leaveOutsideGrid();
  createWorkgroupArrays();
  if (!block(F.Body))
    return false;
  if (!B.GetInsertBlock()->getTerminator())
    B.CreateRetVoid();
  return true;
}

bool Lowering::checkParams() {
  bool Good = true;
  for (const Param &P : F.Params) {
    if (P.Kind == ParamKind::Buffer || P.Kind == ParamKind::Uniform ||
        (P.Kind == ParamKind::Scalar && M.Types.isScalar(P.Type)))
      continue;
    Good = Diags.report(diag::G0681, P.Loc)
           << "parameter `" << P.Name
           << "` has a kind or type that PTX code does not support yet";
  }
  return Good;
}

// --- Function

static void annotate(llvm::Module &Out, llvm::Function *Fn, const char *Key,
                     Metadata *Value) {
  LLVMContext &C = Out.getContext();
  Metadata *Fields[] = {ValueAsMetadata::get(Fn), MDString::get(C, Key), Value};
  Out.getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(MDNode::get(C, Fields));
}

static Metadata *number(LLVMContext &C, uint32_t N) {
  return ValueAsMetadata::get(ConstantInt::get(llvm::Type::getInt32Ty(C), N));
}

void Lowering::createFunction(const std::string &Entry) {
  LLVMContext &C = Out.getContext();
  llvm::Type *Bytes = ArrayType::get(B.getInt8Ty(), Abi.Size);
  FunctionType *T =
      FunctionType::get(B.getVoidTy(), {PointerType::get(C, 0)}, false);
  Kernel = llvm::Function::Create(T, GlobalValue::ExternalLinkage, Entry, Out);
  Kernel->setCallingConv(CallingConv::PTX_Kernel);
  Kernel->addFnAttr(Attribute::NoUnwind);
  Kernel->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
  Kernel->addParamAttr(0, Attribute::getWithByValType(C, Bytes));
  Kernel->addParamAttr(0, Attribute::getWithAlignment(C, Align(8)));
  Block = Kernel->getArg(0);
  Metadata *First[] = {number(C, 1)};
  annotate(Out, Kernel, "grid_constant", MDNode::get(C, First));
  static const char *const Axes[] = {"reqntidx", "reqntidy", "reqntidz"};
  for (unsigned Axis = 0; Axis != 3; ++Axis)
    annotate(Out, Kernel, Axes[Axis],
             number(C, F.WorkgroupSize[Axis] * (Axis ? 1 : Beside)));
  B.SetInsertPoint(newBlock("entry"));
}

void Lowering::limitRegisters() {
  unsigned Threads = Beside;
  for (uint32_t Size : F.WorkgroupSize)
    Threads *= Size;
  unsigned Groups = Beside > 1 ? groupsForAllWarps(*Kernel, Threads)
                               : wantedGroups(*Kernel, Threads, WorkgroupBytes);
  if (Groups)
    annotate(Out, Kernel, "minctasm", number(B.getContext(), Groups));
}

BasicBlock *Lowering::newBlock(const char *Name) {
  return BasicBlock::Create(Out.getContext(), Name, Kernel);
}

/// Locals; a scalar starts as zero, which costs nothing once it is promoted.
void Lowering::createSlots() {
  for (uint32_t N = 0; N < F.Slots.size(); ++N) {
    TypeId T = F.Slots[SlotId(N)].Type;
    bool Scalar = M.Types.memberCount(T) == 0;
    uint64_t Size = M.Types.layout(T).Size;
    llvm::Type *Memory = T == types::F32 ? B.getInt32Ty()
                         : Scalar        ? memoryType(T)
                                         : ArrayType::get(B.getInt8Ty(), Size);
    AllocaInst *A = B.CreateAlloca(Memory);
    Align By(M.Types.layout(T).Align);
    A->setAlignment(By);
    if (Scalar)
      B.CreateAlignedStore(Constant::getNullValue(Memory), A, By);
    Slots.set(SlotId(N), A);
  }
}

/// Whether an array is loaded from or stored to.
static std::vector<bool> usedArrays(const goldy::Function &F) {
  std::vector<bool> Used(F.WorkgroupArrays.size(), false);
  for (const goldy::Block &B : F.Blocks)
    for (InstId I : B.Insts) {
      const Inst &N = F.Insts[I];
      bool Shared =
          N.Where && F.Places[N.Where].Base.Kind == BaseKind::Workgroup;
      if (Shared && N.Opcode != Op::Len)
        Used[F.Places[N.Where].Base.Index] = true;
    }
  return Used;
}

uint32_t groupsOfBlock(const goldy::Function &F) {
  constexpr uint32_t Warp = 32, Groups = 8;
  if (F.WorkgroupSize != std::array<uint32_t, 3>{Warp, 1, 1})
    return 1;
  for (bool Used : usedArrays(F))
    if (Used)
      return 1;
  bool Meets = false, Others = false;
  forEachInst(F, [&](InstId I) {
    Op O = F.Insts[I].Opcode;
    bool Meeting = opInfo(O).Effects == Effect::Sync;
    Meets |= Meeting;
    Others |= Meeting && O != Op::Barrier && O != Op::LaneExchange &&
              O != Op::LaneFirst;
  });
  return Meets && !Others ? Groups : 1;
}

/// Of groups that share a block some may be past the grid's end.
void Lowering::leaveOutsideGrid() {
  if (Beside == 1)
    return;
  BasicBlock *Inside = newBlock("inside"), *Outside = newBlock("outside");
  B.CreateCondBr(B.CreateICmpULT(groupId(0), groupCount(0)), Inside, Outside);
  B.SetInsertPoint(Outside);
  B.CreateRetVoid();
  B.SetInsertPoint(Inside);
}

/// A barrier of the group.
void Lowering::meet() {
  if (Beside > 1)
    B.CreateIntrinsic(B.getVoidTy(), Intrinsic::nvvm_bar_warp_sync,
                      {B.getInt32(~0u)});
  else
    B.CreateIntrinsic(B.getVoidTy(), Intrinsic::nvvm_barrier0, {});
}

/// All arrays that the kernel uses are one piece of shared memory, each
/// aligned to 16 bytes.
void Lowering::createWorkgroupArrays() {
  std::vector<bool> Used = usedArrays(F);
  SmallVector<uint64_t, 4> Offsets;
  uint64_t Bytes = 0;
  for (uint32_t N = 0; N < F.WorkgroupArrays.size(); ++N) {
    Offsets.push_back(Bytes);
    TypeId T = F.WorkgroupArrays[WorkgroupId(N)].Type;
    Bytes += Used[N] ? alignTo(M.Types.layout(T).Size, 16) : 0;
  }
  if (Bytes == 0)
    return;
  WorkgroupBytes = static_cast<uint32_t>(Bytes);
  llvm::Type *T = ArrayType::get(B.getInt8Ty(), Bytes);
  GlobalVariable *Memory = new GlobalVariable(
      Out, T, /*isConstant=*/false, GlobalValue::InternalLinkage,
      UndefValue::get(T), "workgroup", nullptr, GlobalValue::NotThreadLocal,
      Shared);
  Memory->setAlignment(Align(16));
  for (uint32_t N = 0; N < F.WorkgroupArrays.size(); ++N)
    Arrays.set(WorkgroupId(N),
               B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Memory, Offsets[N]));
  zeroWorkgroupMemory(Memory);
}

/// for (w = thread; w < words; w += threads) memory[w] = 0; then a barrier,
/// unless the kernel meets at one before it looks. Few words a thread are
/// stored without a loop.
void Lowering::zeroWorkgroupMemory(GlobalVariable *Memory) {
  constexpr uint32_t MostStores = 4;
  const std::array<uint32_t, 3> &Size = F.WorkgroupSize;
  Value *X = sreg(Intrinsic::nvvm_read_ptx_sreg_tid_x);
  Value *Y = sreg(Intrinsic::nvvm_read_ptx_sreg_tid_y);
  Value *Z = sreg(Intrinsic::nvvm_read_ptx_sreg_tid_z);
  Value *Row = B.CreateAdd(B.CreateMul(Z, B.getInt32(Size[1])), Y);
  Value *Thread = Size[1] * Size[2] == 1
                      ? X
                      : B.CreateAdd(B.CreateMul(Row, B.getInt32(Size[0])), X);
  uint32_t Threads = Size[0] * Size[1] * Size[2], Words = WorkgroupBytes / 4;
  if (divideCeil(Words, Threads) <= MostStores)
    for (uint32_t First = 0; First < Words; First += Threads)
      zeroWords(Memory, Thread, First, std::min(Threads, Words - First));
  else
    zeroInLoop(Memory, Thread, Threads);
  if (!meetsBeforeArrays(F))
    B.CreateIntrinsic(B.getVoidTy(), Intrinsic::nvvm_barrier0, {});
}

/// Words from `First` on, one of each of the first `Count` threads.
void Lowering::zeroWords(Value *Memory, Value *Thread, uint32_t First,
                         uint32_t Count) {
  const std::array<uint32_t, 3> &Size = F.WorkgroupSize;
  BasicBlock *Done = nullptr;
  if (Count < Size[0] * Size[1] * Size[2]) {
    BasicBlock *Step = newBlock("zero.step");
    Done = newBlock("zero.done");
    B.CreateCondBr(B.CreateICmpULT(Thread, B.getInt32(Count)), Step, Done);
    B.SetInsertPoint(Step);
  }
  Value *Start = B.CreateConstInBoundsGEP1_64(B.getInt32Ty(), Memory, First);
  B.CreateAlignedStore(B.getInt32(0),
                       B.CreateGEP(B.getInt32Ty(), Start, Thread), Align(4));
  if (!Done)
    return;
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
}

void Lowering::zeroInLoop(Value *Memory, Value *Thread, uint32_t Threads) {
  BasicBlock *Before = B.GetInsertBlock();
  BasicBlock *Test = newBlock("zero.test"), *Step = newBlock("zero.step");
  BasicBlock *Done = newBlock("zero.done");
  B.CreateBr(Test);
  B.SetInsertPoint(Test);
  PHINode *Word = B.CreatePHI(B.getInt32Ty(), 2);
  Word->addIncoming(Thread, Before);
  B.CreateCondBr(B.CreateICmpULT(Word, B.getInt32(WorkgroupBytes / 4)), Step,
                 Done);
  B.SetInsertPoint(Step);
  B.CreateAlignedStore(B.getInt32(0), B.CreateGEP(B.getInt32Ty(), Memory, Word),
                       Align(4));
  Word->addIncoming(B.CreateAdd(Word, B.getInt32(Threads)), Step);
  B.CreateBr(Test);
  B.SetInsertPoint(Done);
}

// --- Control

bool Lowering::block(BlockId Id) {
  for (InstId I : F.Blocks[Id].Insts)
    if (!statement(I))
      return false;
  return true;
}

/// Ends the current basic block with a jump, unless it has ended.
void Lowering::leave(BasicBlock *To) {
  if (!B.GetInsertBlock()->getTerminator())
    B.CreateBr(To);
}

bool Lowering::statement(InstId I) {
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If:
    return lowerIf(I);
  case Op::Loop:
    return lowerLoop(I);
  case Op::Block:
    return lowerBlock(I);
  case Op::Break:
    leave(BreakTo[N.Target]);
    return true;
  case Op::Continue:
    leave(ContinueTo[N.Target]);
    return true;
  case Op::BreakIf:
    breakIf(I);
    return true;
  case Op::Return:
    B.CreateRetVoid();
    return true;
  case Op::Barrier:
    meet();
    return true;
  case Op::LaneExchange:
  case Op::LaneFirst:
    Values.set(I, lanes(I));
    return true;
  case Op::Store:
    store(I);
    return true;
  case Op::Load:
    Values.set(I, load(I));
    return true;
  case Op::WorkgroupUniformLoad:
    B.CreateIntrinsic(B.getVoidTy(), Intrinsic::nvvm_barrier0, {});
    Values.set(I, load(I));
    B.CreateIntrinsic(B.getVoidTy(), Intrinsic::nvvm_barrier0, {});
    return true;
  default:
    break;
  }
  bool Known = isAtomic(N.Opcode) || isPure(N.Opcode);
  Value *V = !Known ? nullptr : isAtomic(N.Opcode) ? atomic(I) : value(I);
  Values.set(I, V);
  return V || unsupported(I);
}

bool Lowering::unsupported(InstId I) {
  const Inst &N = F.Insts[I];
  return Diags.report(diag::G0680, N.Loc)
         << "`" << opInfo(N.Opcode).Mnemonic << "` has no form in PTX code";
}

bool Lowering::lowerIf(InstId I) {
  const Inst &N = F.Insts[I];
  BasicBlock *Then = newBlock("then"), *After = newBlock("endif");
  BasicBlock *Else = N.Blocks[1] ? newBlock("else") : After;
  B.CreateCondBr(operand(I, 0), Then, Else);
  B.SetInsertPoint(Then);
  if (!block(N.Blocks[0]))
    return false;
  leave(After);
  if (N.Blocks[1]) {
    B.SetInsertPoint(Else);
    if (!block(N.Blocks[1]))
      return false;
    leave(After);
  }
  B.SetInsertPoint(After);
  return true;
}

bool Lowering::lowerLoop(InstId I) {
  const Inst &N = F.Insts[I];
  BasicBlock *Body = newBlock("loop"), *After = newBlock("endloop");
  BasicBlock *Next = N.Blocks[1] ? newBlock("next") : Body;
  BreakTo.set(I, After);
  ContinueTo.set(I, Next);
  B.CreateBr(Body);
  B.SetInsertPoint(Body);
  if (!block(N.Blocks[0]))
    return false;
  leave(Next);
  if (N.Blocks[1]) {
    InstId Outer = CurrentLoop;
    CurrentLoop = I;
    B.SetInsertPoint(Next);
    if (!block(N.Blocks[1]))
      return false;
    leave(Body);
    CurrentLoop = Outer;
  }
  B.SetInsertPoint(After);
  return true;
}

/// The loop repeats from a block of its own, so that what follows is empty.
void Lowering::breakIf(InstId I) {
  BasicBlock *Again = newBlock("again");
  B.CreateCondBr(operand(I, 0), BreakTo[CurrentLoop], Again);
  B.SetInsertPoint(Again);
}

bool Lowering::lowerBlock(InstId I) {
  BasicBlock *After = newBlock("endblock");
  BreakTo.set(I, After);
  if (!block(F.Insts[I].Blocks[0]))
    return false;
  leave(After);
  B.SetInsertPoint(After);
  return true;
}

} // namespace goldy::ptx
