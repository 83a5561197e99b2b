//===- BindAbi.cpp - From descriptors to the kernel ABI -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All pointers into storage buffers become physical ones by a change of the
// storage class in their types; what follows from a variable (access chains,
// loads, atomics) then needs no change but alignments.
//
//===----------------------------------------------------------------------===//
#include "BindAbi.h"

#include "Interface.h"
#include "SpirvImage.h"

#include <algorithm>
#include <map>
#include <set>

namespace goldy::foreign {

namespace {

constexpr uint32_t AlignedMask = 2;

template <class E> constexpr uint32_t word(E Value) {
  return static_cast<uint32_t>(Value);
}

class Rewriter {
public:
  Rewriter(SpirvModule &M, const Function &F, const AbiLayout &Abi,
           const ShaderInterface &I)
      : M(M), F(F), Abi(Abi), I(I), Behind(Abi.Size > 128) {}
  /// False with `Why` if the code does with a buffer what cannot be followed.
  bool run(std::string &Why);

private:
  using Code = std::vector<Instruction>;
  Id global(spv::Op Opcode, Words Operands);
  Id type(spv::Op Opcode, Words Operands);
  Id constant(uint32_t Value);
  Id pointerTo(spv::StorageClass Class, Id To) {
    return type(spv::Op::OpTypePointer, {word(Class), To});
  }
  void decorate(Id Target, spv::Decoration D, Words More = {});
  void makePhysical();
  void dropVariables();
  void declareBlock();
  void addMember(uint32_t Offset, Id Type);
  void declareIds();
  uint32_t emit(Code &To, spv::Op Opcode, Id Type, Words Operands);
  Id loadWord(Code &To, uint32_t Member);
  Id loadMember(Code &To, uint32_t Member, Id Type, Id Result);
  void memberPointer(Code &To, uint32_t Member, Id Type, Id Result);
  void rewriteFunctions(std::string &Why);
  void rewrite(Instruction In, Code &To, std::string &Why);
  void rewriteChain(Instruction In, Code &To, std::string &Why);
  void rewritePushChain(Instruction In, Code &To, std::string &Why);
  void addAlignment(Instruction &In);
  void startIds(Code &To);
  uint32_t alignmentOf(Id Pointee) const;
  const BoundBuffer *bufferOf(Id Variable, uint32_t *Number = nullptr) const;
  bool isPhysical(Id Pointer) const;

  SpirvModule &M;
  const Function &F;
  const AbiLayout &Abi;
  const ShaderInterface &I;
  bool Behind;
  Id Uint = 0, BlockStruct = 0, BlockVariable = 0;
  std::vector<std::pair<uint32_t, Id>> Members; ///< offset and type
  std::map<Id, Id> TypeOfId;                    ///< of values in functions
  /// Input variables of ids that depend on the base words, and their stand-in.
  struct IdVariable {
    spv::BuiltIn BuiltIn;
    Id Input, Private;
  };
  std::vector<IdVariable> Ids;
};

Id Rewriter::global(spv::Op Opcode, Words Operands) {
  M[Section::Globals].push_back({Opcode, std::move(Operands)});
  return M[Section::Globals].back().result();
}

/// A type that may be there already; it is unique then.
Id Rewriter::type(spv::Op Opcode, Words Operands) {
  for (const Instruction &G : M[Section::Globals])
    if (G.is(Opcode) && std::equal(G.Operands.begin() + 1, G.Operands.end(),
                                   Operands.begin(), Operands.end()))
      return G.result();
  Operands.insert(Operands.begin(), M.newId());
  return global(Opcode, std::move(Operands));
}

Id Rewriter::constant(uint32_t Value) {
  for (const Instruction &G : M[Section::Globals])
    if (G.is(spv::Op::OpConstant) && G.Operands[0] == Uint &&
        G.Operands[2] == Value)
      return G.result();
  return global(spv::Op::OpConstant, {Uint, M.newId(), Value});
}

void Rewriter::decorate(Id Target, spv::Decoration D, Words More) {
  Words Operands = {Target, word(D)};
  Operands.insert(Operands.end(), More.begin(), More.end());
  M[Section::Annotations].push_back({spv::Op::OpDecorate, std::move(Operands)});
}

const BoundBuffer *Rewriter::bufferOf(Id Variable, uint32_t *Number) const {
  for (uint32_t N = 0; N < I.Buffers.size(); ++N)
    if (I.Buffers[N].Variable == Variable) {
      if (Number)
        *Number = N;
      return &I.Buffers[N];
    }
  return nullptr;
}

void Rewriter::makePhysical() {
  for (Instruction &G : M[Section::Globals])
    if (G.is(spv::Op::OpTypePointer) &&
        G.Operands[1] == word(spv::StorageClass::StorageBuffer))
      G.Operands[1] = word(spv::StorageClass::PhysicalStorageBuffer);
  M[Section::MemoryModel].front().Operands[0] =
      word(spv::AddressingModel::PhysicalStorageBuffer64);
  M.addCapability(spv::Capability::PhysicalStorageBufferAddresses);
  M[Section::Extensions].push_back(
      {spv::Op::OpExtension, literalWords("SPV_KHR_physical_storage_buffer")});
}

/// Buffers and pushed scalars, with all that is said of them.
void Rewriter::dropVariables() {
  std::set<Id> Gone;
  for (const BoundBuffer &B : I.Buffers)
    Gone.insert(B.Variable);
  if (I.PushVariable)
    Gone.insert(I.PushVariable);
  auto About = [&Gone](const Instruction &A) {
    bool Targets = A.is(spv::Op::OpDecorate) || A.is(spv::Op::OpName);
    return Targets && Gone.count(A.Operands[0]);
  };
  std::erase_if(M[Section::Annotations], About);
  std::erase_if(M[Section::Debug], About);
  std::erase_if(M[Section::Globals], [&Gone](const Instruction &G) {
    return G.is(spv::Op::OpVariable) && Gone.count(G.result());
  });
  Words &Entry = M[Section::EntryPoints].front().Operands;
  size_t Interface =
      2 + literalText(std::span(Entry).subspan(2)).size() / 4 + 1;
  Entry.erase(std::remove_if(Entry.begin() + Interface, Entry.end(),
                             [&Gone](Id V) { return Gone.count(V) != 0; }),
              Entry.end());
}

void Rewriter::addMember(uint32_t Offset, Id Type) {
  Members.emplace_back(Offset, Type);
}

/// Members: an address and a length for each buffer, the scalars, base and
/// count words. What nobody reads is left out.
void Rewriter::declareBlock() {
  Uint = type(spv::Op::OpTypeInt, {32, 0});
  uint32_t Next = 0;
  for (const BoundBuffer &B : I.Buffers) {
    uint32_t At = Abi.Params[Next++].Offset;
    addMember(At,
              pointerTo(spv::StorageClass::PhysicalStorageBuffer, B.Struct));
    addMember(At + 8, Uint);
  }
  for (const PushedScalar &S : I.Scalars)
    addMember(Abi.Params[Next++].Offset, S.Type);
  for (uint32_t N = 0; N < 6; ++N)
    addMember(Abi.BaseWordsOffset + 4 * N, Uint);
  BlockStruct = M.newId();
  Words Operands = {BlockStruct};
  for (size_t N = 0; N < Members.size(); ++N) {
    Operands.push_back(Members[N].second);
    M[Section::Annotations].push_back(
        {spv::Op::OpMemberDecorate,
         {BlockStruct, static_cast<uint32_t>(N), word(spv::Decoration::Offset),
          Members[N].first}});
  }
  global(spv::Op::OpTypeStruct, Operands);
  decorate(BlockStruct, spv::Decoration::Block);
  Id Pushed = BlockStruct;
  if (Behind) {
    Id Address =
        pointerTo(spv::StorageClass::PhysicalStorageBuffer, BlockStruct);
    Pushed = M.newId();
    global(spv::Op::OpTypeStruct, {Pushed, Address});
    M[Section::Annotations].push_back(
        {spv::Op::OpMemberDecorate,
         {Pushed, 0, word(spv::Decoration::Offset), 0}});
    decorate(Pushed, spv::Decoration::Block);
  }
  BlockVariable = M.newId();
  global(spv::Op::OpVariable,
         {pointerTo(spv::StorageClass::PushConstant, Pushed), BlockVariable,
          word(spv::StorageClass::PushConstant)});
  M[Section::EntryPoints].front().Operands.push_back(BlockVariable);
}

void Rewriter::declareIds() {
  std::vector<std::pair<Id, spv::BuiltIn>> Found;
  for (const Instruction &A : M[Section::Annotations])
    if (A.is(spv::Op::OpDecorate) &&
        A.Operands[1] == word(spv::Decoration::BuiltIn))
      for (spv::BuiltIn B :
           {spv::BuiltIn::NumWorkgroups, spv::BuiltIn::WorkgroupId,
            spv::BuiltIn::GlobalInvocationId})
        if (A.Operands[2] == word(B))
          Found.emplace_back(A.Operands[0], B);
  for (const std::pair<Id, spv::BuiltIn> &V : Found) {
    Id Vector = type(spv::Op::OpTypeVector, {Uint, 3});
    Id Private = M.newId();
    global(spv::Op::OpVariable, {pointerTo(spv::StorageClass::Private, Vector),
                                 Private, word(spv::StorageClass::Private)});
    M[Section::EntryPoints].front().Operands.push_back(Private);
    Ids.push_back({V.second, V.first, Private});
  }
}

uint32_t Rewriter::emit(Code &To, spv::Op Opcode, Id Type, Words Operands) {
  Id Result = M.newId();
  Operands.insert(Operands.begin(), {Type, Result});
  To.push_back({Opcode, std::move(Operands)});
  return Result;
}

void Rewriter::memberPointer(Code &To, uint32_t Member, Id Type, Id Result) {
  Id Base = BlockVariable;
  spv::StorageClass Class = spv::StorageClass::PushConstant;
  if (Behind) {
    Id Address =
        pointerTo(spv::StorageClass::PhysicalStorageBuffer, BlockStruct);
    Id Where = emit(To, spv::Op::OpAccessChain,
                    pointerTo(spv::StorageClass::PushConstant, Address),
                    {BlockVariable, constant(0)});
    Base = emit(To, spv::Op::OpLoad, Address, {Where});
    Class = spv::StorageClass::PhysicalStorageBuffer;
  }
  Id Pointer = pointerTo(Class, Type);
  TypeOfId[Result] = Pointer;
  To.push_back(
      {spv::Op::OpAccessChain, {Pointer, Result, Base, constant(Member)}});
}

Id Rewriter::loadMember(Code &To, uint32_t Member, Id Type, Id Result) {
  Id Pointer = M.newId();
  memberPointer(To, Member, Type, Pointer);
  Words Operands = {Type, Result, Pointer};
  if (Behind)
    Operands.insert(Operands.end(), {AlignedMask, alignmentOf(Type)});
  To.push_back({spv::Op::OpLoad, std::move(Operands)});
  return Result;
}

Id Rewriter::loadWord(Code &To, uint32_t Member) {
  return loadMember(To, Member, Uint, M.newId());
}

bool Rewriter::isPhysical(Id Pointer) const {
  std::map<Id, Id>::const_iterator T = TypeOfId.find(Pointer);
  const Instruction *G = T == TypeOfId.end() ? nullptr : M.global(T->second);
  return G && G->is(spv::Op::OpTypePointer) &&
         G->Operands[1] == word(spv::StorageClass::PhysicalStorageBuffer);
}

/// Of its largest scalar: blocks are laid out as `scalar`.
uint32_t Rewriter::alignmentOf(Id Pointee) const {
  const Instruction *G = M.global(Pointee);
  if (!G)
    return 4;
  switch (G->Opcode) {
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return G->Operands[1] / 8;
  case spv::Op::OpTypePointer:
    return 8;
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
  case spv::Op::OpTypeArray:
  case spv::Op::OpTypeRuntimeArray:
    return alignmentOf(G->Operands[1]);
  case spv::Op::OpTypeStruct: {
    uint32_t Most = 1;
    for (size_t N = 1; N < G->Operands.size(); ++N)
      Most = std::max(Most, alignmentOf(G->Operands[N]));
    return Most;
  }
  default:
    return 4;
  }
}

/// Physical loads and stores say their alignment.
void Rewriter::addAlignment(Instruction &In) {
  bool Load = In.is(spv::Op::OpLoad);
  Id Pointer = In.Operands[Load ? 2 : 0];
  if (!isPhysical(Pointer))
    return;
  size_t Mask = Load ? 3 : 2;
  uint32_t Alignment = alignmentOf(M.global(TypeOfId.at(Pointer))->Operands[2]);
  if (In.Operands.size() <= Mask) {
    In.Operands.insert(In.Operands.end(), {AlignedMask, Alignment});
  } else if (!(In.Operands[Mask] & AlignedMask)) {
    size_t After = Mask + 1; // Volatile, the only lower bit, has no operand
    In.Operands[Mask] |= AlignedMask;
    In.Operands.insert(In.Operands.begin() + After, Alignment);
  }
}

void Rewriter::rewritePushChain(Instruction In, Code &To, std::string &Why) {
  const Instruction *Index =
      In.Operands.size() == 4 ? M.global(In.Operands[3]) : nullptr;
  if (!Index || !Index->is(spv::Op::OpConstant)) {
    Why = "pushed scalars are indexed";
    return;
  }
  uint32_t Number = static_cast<uint32_t>(I.Buffers.size() * 2);
  for (const PushedScalar &S : I.Scalars) {
    if (S.Member == Index->Operands[2])
      return memberPointer(To, Number, S.Type, In.Operands[1]);
    ++Number;
  }
  Why = "a pushed scalar is not found";
}

void Rewriter::rewriteChain(Instruction In, Code &To, std::string &Why) {
  uint32_t Number = 0;
  Id Base = In.Operands[2];
  if (Base == I.PushVariable && Base)
    return rewritePushChain(std::move(In), To, Why);
  if (const BoundBuffer *B = bufferOf(Base, &Number)) {
    Id Pointer = pointerTo(spv::StorageClass::PhysicalStorageBuffer, B->Struct);
    In.Operands[2] = loadMember(To, 2 * Number, Pointer, M.newId());
  }
  for (const IdVariable &V : Ids)
    if (V.Input == Base) {
      In.Operands[2] = V.Private;
      In.Operands[0] = pointerTo(spv::StorageClass::Private, Uint);
    }
  To.push_back(std::move(In));
}

void Rewriter::rewrite(Instruction In, Code &To, std::string &Why) {
  uint32_t Number = 0;
  switch (In.Opcode) {
  case spv::Op::OpAccessChain:
  case spv::Op::OpInBoundsAccessChain:
    return rewriteChain(std::move(In), To, Why);
  case spv::Op::OpArrayLength:
    if (!bufferOf(In.Operands[2], &Number)) {
      Why = "the length of a buffer is asked for through a pointer";
      return;
    }
    loadMember(To, 2 * Number + 1, Uint, In.Operands[1]);
    return;
  case spv::Op::OpLoad:
    for (const IdVariable &V : Ids)
      if (V.Input == In.Operands[2])
        In.Operands[2] = V.Private;
    addAlignment(In);
    break;
  case spv::Op::OpStore:
    addAlignment(In);
    break;
  case spv::Op::OpCopyMemory:
    if (isPhysical(In.Operands[0]) || isPhysical(In.Operands[1]))
      Why = "a buffer's memory is copied as a whole";
    break;
  default:
    for (Id Used : In.Operands)
      if (In.is(spv::Op::OpFunctionCall) && bufferOf(Used))
        Why = "a buffer is passed to a function";
    break;
  }
  To.push_back(std::move(In));
}

/// The ids as the ABI means them, at the entry's start.
void Rewriter::startIds(Code &To) {
  Id Vector = Ids.empty() ? 0 : type(spv::Op::OpTypeVector, {Uint, 3});
  uint32_t Base = static_cast<uint32_t>(Members.size()) - 6;
  for (const IdVariable &V : Ids) {
    bool Count = V.BuiltIn == spv::BuiltIn::NumWorkgroups;
    Id Axes[3];
    for (uint32_t A = 0; A < 3; ++A) {
      Axes[A] = loadWord(To, Base + (Count ? 3 : 0) + A);
      if (V.BuiltIn == spv::BuiltIn::GlobalInvocationId)
        Axes[A] = emit(To, spv::Op::OpIMul, Uint,
                       {Axes[A], constant(F.WorkgroupSize[A])});
    }
    Id Value = emit(To, spv::Op::OpCompositeConstruct, Vector,
                    {Axes[0], Axes[1], Axes[2]});
    if (!Count)
      Value = emit(To, spv::Op::OpIAdd, Vector,
                   {Value, emit(To, spv::Op::OpLoad, Vector, {V.Input})});
    To.push_back({spv::Op::OpStore, {V.Private, Value}});
  }
}

void Rewriter::rewriteFunctions(std::string &Why) {
  Code Old = std::move(M[Section::Functions]), New;
  for (const Instruction &In : Old)
    if (In.result() && In.resultType())
      TypeOfId[In.result()] = In.resultType();
  Id Entry = M[Section::EntryPoints].front().Operands[1];
  bool AtStart = false;
  for (Instruction &In : Old) {
    if (In.is(spv::Op::OpFunction))
      AtStart = In.result() == Entry;
    bool Head = In.is(spv::Op::OpFunction) || In.is(spv::Op::OpLabel) ||
                In.is(spv::Op::OpVariable) ||
                In.is(spv::Op::OpFunctionParameter);
    if (AtStart && !Head) {
      startIds(New);
      AtStart = false;
    }
    rewrite(std::move(In), New, Why);
  }
  M[Section::Functions] = std::move(New);
}

bool Rewriter::run(std::string &Why) {
  makePhysical();
  dropVariables();
  declareBlock();
  declareIds();
  rewriteFunctions(Why);
  return Why.empty();
}

std::vector<Param>
parametersOf(const ShaderInterface &I,
             const std::function<Span(std::string_view)> &PlaceOf) {
  std::vector<Param> Params;
  for (const BoundBuffer &B : I.Buffers) {
    Param &P = Params.emplace_back();
    P.Name = B.Name;
    P.Kind = ParamKind::Buffer;
    P.Type = B.Element;
    P.Acc = B.Acc;
    P.Loc = PlaceOf(B.Name);
  }
  for (const PushedScalar &S : I.Scalars) {
    Param &P = Params.emplace_back();
    P.Name = S.Name;
    P.Type = S.Scalar;
    P.Loc = PlaceOf(S.Name);
  }
  return Params;
}

} // namespace

bool bindToAbi(SpirvModule &M, Module &Types, Function &F,
               const std::function<Span(std::string_view)> &PlaceOf,
               DiagSink &Diags) {
  std::optional<std::array<uint32_t, 3>> Size = workgroupSize(M);
  if (!Size)
    return Diags.report(diag::G1007, F.Loc).help("write it in numbers")
           << "kernel `" << F.Name << "` does not say its workgroup size";
  F.WorkgroupSize = *Size;
  std::optional<ShaderInterface> I =
      readInterface(M, Types.Types, F, PlaceOf, Diags);
  if (!I)
    return false;
  F.Params = parametersOf(*I, PlaceOf);
  std::string Why;
  AbiLayout Abi = abiLayout(Types, F);
  if (Rewriter(M, F, Abi, *I).run(Why))
    return true;
  return Diags.report(diag::G1020, F.Loc)
             .help("use the buffers by name, element by element")
         << "kernel `" << F.Name
         << "` cannot be fitted to the kernel ABI: " << Why;
}

} // namespace goldy::foreign
