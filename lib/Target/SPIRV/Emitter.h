//===- Emitter.h - One kernel to one SPIR-V module ---------------*- C++
//-*-===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Transcribes a legalised kernel. The parts: Interface.cpp (parameter block,
// ids, workgroup arrays), Operations.cpp (pure operations), Memory.cpp (loads,
// stores, atomics, barriers), Control.cpp (structured control flow), Emit.cpp
// (the whole), Tools.cpp (SPIRV-Tools), WordMemory.cpp (buffers as words).
//
// Booleans are OpTypeBool as values and in private variables and 32-bit words
// in every other memory. Mutable locals stay function variables; SPIRV-Tools'
// ssa-rewrite promotes them. Buffers are reached by 64-bit addresses, so the
// module uses the Vulkan memory model: without it plain accesses through
// pointers cannot take part in a barrier. For vulkan1.1, and for kernels that
// are bound as words, buffers are elements of one array of word blocks instead
// and the memory model is GLSL450.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYC_LIB_TARGET_SPIRV_EMITTER_H
#define GOLDYC_LIB_TARGET_SPIRV_EMITTER_H

#include "ModuleBuilder.h"

#include "goldyc/Target/SPIRV/Emit.h"

namespace goldy::spirv {

/// The core limit of push constants in bytes.
inline constexpr uint32_t MaxPushConstants = 128;
/// What Vulkan 1.3 devices are taken to offer (design: 32 KiB).
inline constexpr uint32_t MaxWorkgroupBytes = 32768;

class Emitter {
public:
  Emitter(const Module &M, const Function &F, const EmitOptions &Options,
          DiagSink &Diags)
      : M(M), F(F), Options(Options), Diags(Diags),
        InWords(Options.Arch == "vulkan1.1" || F.WordsBinding),
        B(InWords ? ModuleForm::Logical : ModuleForm::Addressed), C(B),
        Abi(abiLayout(M, F)) {}
  /// Empty after a diagnostic.
  std::optional<Image> run();

private:
  // --- Emit.cpp
  bool checkLimits();
  void scan();
  Image makeImage(Words Binary) const;
  /// The type of a value; 0 after a diagnostic for one that the target lacks.
  Id typeId(TypeId T, Span Where);
  bool isVector(TypeId T) const { return M.Types.kind(T) == TypeKind::Vector; }
  /// The type in memory other than private variables.
  Id storedTypeId(TypeId T, Span Where) {
    return T == types::Bool ? B.u32Type() : typeId(T, Where);
  }
  /// "operation not legalised": reports once and gives 0.
  Id unsupported(InstId I);
  Id unsupportedType(TypeId T, Span Where);

  // --- Interface.cpp
  bool declareBlock();
  Id blockWord(uint32_t Member);
  Id loadBlockMember(uint32_t Member);
  void declareImage(uint32_t Param);
  bool isImageStore(InstId I) const {
    const Inst &N = F.Insts[I];
    return N.Opcode == Op::Store &&
           F.Places[N.Where].Base.Kind == BaseKind::Param &&
           F.Params[F.Places[N.Where].Base.Index].Kind == ParamKind::Image;
  }
  Id imageStore(InstId I);
  Id imageIndex(const Place &P, unsigned Axis);
  Id imageExtent(InstId I);
  Id bufferStart(uint32_t Param) { return blockWord(FirstMember[Param]); }
  Id bufferLength(uint32_t Param) {
    return blockWord(FirstMember[Param] + (InWords ? 2 : 1));
  }
  void declareWords();
  std::string_view archName() const {
    return Options.Arch.empty() ? "vulkan1.3" : Options.Arch;
  }
  Id scalarParam(uint32_t Param);
  Id builtin(spv::BuiltIn Which, uint32_t Axis);
  Id builtinVariable(spv::BuiltIn Which, Id Type);
  Id localIndex();
  Id workgroupId(uint32_t Axis);
  Id globalId(uint32_t Axis);
  Id localId(uint32_t Axis);
  Id deviceSwitch(uint32_t Number);
  Id length(const Inst &I);
  Id layoutFact(InstId I);
  Id loadLayoutWord(uint32_t Byte);
  bool declareWorkgroupArrays();
  void zeroWorkgroupArrays();
  void zeroOne(Id Variable, Id Element, uint32_t Count, Id Index);
  void zeroLoop(Id Variable, Id Element, uint32_t Count, Id Index);
  void storeZero(Id Variable, Id Element, Id Index);
  uint32_t groupSize() const {
    return F.WorkgroupSize[0] * F.WorkgroupSize[1] * F.WorkgroupSize[2];
  }

  // --- Operations.cpp
  Id value(ValueId V);
  Id pure(InstId I);
  Id constant(TypeId T, uint64_t Bits, Span Where);
  Id specConstant(SpecId S, Span Where);
  Id lanes(InstId I);
  Id arithmetic(InstId I, spv::Op OnInt, spv::Op OnFloat);
  Id bitwise(InstId I, spv::Op OnInt, spv::Op OnBool);
  Id compare(InstId I);
  Id intUnary(InstId I, spv::Op Opcode);
  Id extended(InstId I, uint32_t Instruction);
  Id signedChoice(InstId I, uint32_t OnSigned, uint32_t OnUnsigned);
  Id negate(InstId I);
  Id absolute(InstId I);
  Id copysign(InstId I);
  Id notOf(InstId I);
  Id select(InstId I);
  Id construct(InstId I);
  Id rawBinary(InstId I, spv::Op OnSigned, spv::Op OnUnsigned);
  Id rotate(InstId I, bool Left);
  Id mulHigh(InstId I);
  Id leadingZeros(InstId I);
  Id trailingZeros(InstId I);
  Id cast(InstId I);
  Id integerCast(TypeId From, TypeId To, Id V);
  Id canonNan(Id V);
  Id flush(Id V);
  Id bits(Id V);
  Id fromBits(Id V);
  Id asBool(Id Word);
  Id asWord(Id Boolean);
  Id binary(spv::Op O, Id Type, Id L, Id R) { return C.value(O, Type, {L, R}); }
  Id selectId(Id Type, Id Cond, Id Then, Id Else) {
    return C.value(spv::Op::OpSelect, Type, {Cond, Then, Else});
  }
  TypeId operandType(InstId I) const { return F.typeOf(F.operand(I, 0)); }
  Id operand(InstId I, unsigned N) { return value(F.operand(I, N)); }

  // --- Memory.cpp
  /// How a value is kept in memory: as it is, as a 32-bit word, or narrow.
  enum class Form : uint8_t {
    Plain,
    BoolWord,
    FloatWord,
    IntWord, ///< an i32 as a u32
    Narrow,
    TwoWords,  ///< a 64-bit integer, the word of its low half and `High`
    PartOfWord ///< an 8- or 16-bit element in a word, from bit `Shift`
  };
  struct Address {
    Id Pointer = 0;
    Id Stored = 0; ///< type of what is in memory
    TypeId Type;   ///< type of the value
    Form As = Form::Plain;
    spv::StorageClass Class = spv::StorageClass::Function;
    Id Shift = 0;        ///< PartOfWord
    Id High = 0;         ///< TwoWords
    bool Shared = false; ///< PartOfWord: others may write the word meanwhile
  };
  /// The type of an 8- or 16-bit element, with the capability to access it.
  Id narrowType(TypeId T);
  Id toStored(const Address &A, Id V);
  Id fromStored(const Address &A, Id V);
  /// Pointer 0 after a diagnostic.
  Address address(InstId I);
  bool wantsWord(InstId I) const;
  Address byteAddress(InstId I, const Place &P);
  Address chainAddress(InstId I, const Place &P);

  // --- WordMemory.cpp
  Address wordAddress(InstId I, const Place &P);
  Id wordPointer(Id Element, Id Index, bool Early = false);
  Id loadPart(const Address &A);
  void storePart(const Address &A, Id V);
  Id loadTwo(const Address &A);
  void storeTwo(const Address &A, Id V);
  Id loadBlockWord(uint32_t Member);

  Words accessOperands(const Address &A) const;
  Id loadFrom(const Address &A);
  void storeTo(const Address &A, Id V);
  Id memory(InstId I);
  Id unguarded(InstId I);
  Id atomicOperand(InstId I, unsigned N);
  Id atomic(InstId I, const Address &A);
  Id sumOfWords(Id Left, Id Right);
  Id atomicFloatAdd(const Address &A, Id Addend);
  Form workgroupForm(uint32_t Array, TypeId Element) const;
  void barrier();
  Id slotVariable(SlotId S, Span Where);
  Id tableVariable(TableId T, Span Where);
  static bool isSignallingNan(TypeId T, uint64_t Bits);

  // --- Control.cpp
  struct Construct {
    InstId Inst;
    bool IsLoop = false;
    Id Header = 0, Merge = 0, Continue = 0; ///< labels
    bool MergeReached = false, ContinueReached = false;
    bool InContinuing = false; ///< emitting the loop's Blocks[1]
  };
  void block(BlockId B);
  void statement(InstId I);
  void ifElse(InstId I);
  void merge(Id Label, bool Reached);
  bool leave(Id To);
  bool isLive() const { return C.isOpen() && !Dead && !Failed; }
  void loop(InstId I);
  void breakable(InstId I);
  void breakTo(InstId I);
  void continueTo(InstId I);
  void breakIf(InstId I);
  void returnFrom(InstId I);
  /// The construct that an exit may leave or repeat from here, or null.
  Construct *exitTarget(InstId Target, bool Continue);
  void unstructured(InstId I);

  const Module &M;
  const Function &F;
  const EmitOptions &Options;
  DiagSink &Diags;
  const bool InWords; ///< buffers are elements of an array of word blocks
  ModuleBuilder B;
  Body C;
  AbiLayout Abi;

  bool HasFloat = false, HasBarrier = false, WritesBuffer = false;
  bool HasDeviceAtomic = false, Failed = false;
  bool HasBytes = false, HasShorts = false; ///< narrow buffer elements

  SideMap<Inst, Id> Values{0};
  std::map<Id, Id> WordOf;                 ///< floats made of integers
  SideMap<Inst, bool> LoadsForBits{false}; ///< f32 loads whose bits are wanted
  SideMap<Slot, Id> SlotVariables{0};
  SideMap<WorkgroupArray, Id> WorkgroupVariables{0};
  /// f32 arrays with atomics: kept as words.
  SideMap<WorkgroupArray, bool> FloatAsWords{false};
  std::vector<Id> WorkgroupElements; ///< stored element type of each array
  SideMap<ConstTable, Id> TableVariables{0};
  SideMap<SpecConstant, Id> Specs{0};
  std::map<uint32_t, Id> Images;      ///< variables, by parameter
  Words Texel;                        ///< floats of the element being stored
  std::vector<uint32_t> FirstMember;  ///< per parameter, in the block
  uint32_t TableMember = 0;           ///< address of the layout table
  std::map<uint32_t, Id> LayoutWords; ///< by byte of the table
  uint32_t BaseMember = 0; ///< first of the base words; counts follow
  std::vector<ModuleBuilder::Member> Members;
  std::vector<std::string> MemberNames;
  std::vector<Id> MemberValues;
  bool BehindAddress = false;
  Id WordsVariable = 0; ///< the array of word blocks
  uint32_t WordBindings = 0;
  Id BlockType = 0, BlockPointer = 0, FarBlock = 0;
  std::map<uint32_t, Id> BoolParams;
  std::map<std::pair<spv::BuiltIn, uint32_t>, Id> Builtins;
  std::map<spv::BuiltIn, Id> BuiltinVectors;
  std::set<uint32_t> Switches; ///< runtime switches in use
  bool HasShuffle = false;
  std::vector<Construct> Constructs;
  bool Dead = false; ///< the open block is there for its structure only
  uint32_t WorkgroupBytes = 0;
};

/// Runs SPIRV-Tools over a module: optimises for the level (never a pass that
/// folds floats), validates for Vulkan 1.3 or, `InWords`, 1.1. Empty, with the
/// tool's words in `Why`, when the module is refused.
std::optional<Words> finishBinary(Words Binary, unsigned OptLevel, bool InWords,
                                  std::string &Why);

} // namespace goldy::spirv

#endif
