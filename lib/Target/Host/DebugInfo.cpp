//===- DebugInfo.cpp - DWARF of one kernel's host code --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "DebugInfo.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <charconv>

using namespace goldy;
namespace dwarf = llvm::dwarf;

std::string DebugSources::pathOf(FileId F) const {
  const std::string &Name = Files->file(F).Name;
  for (size_t N = Prefixes.size(); N-- > 0;)
    if (Name.starts_with(Prefixes[N].first))
      return Prefixes[N].second + Name.substr(Prefixes[N].first.size());
  return Name;
}

/// True if `Slot` is `Name` or a part of it: `Name_0_1`.
static bool isPartName(std::string_view Slot, std::string_view Name) {
  if (!Slot.starts_with(Name))
    return false;
  Slot.remove_prefix(Name.size());
  return Slot.empty() ||
         (Slot[0] == '_' && Slot.find_first_not_of("_0123456789") == Slot.npos);
}

HostDebug::HostDebug(const Module &M, const Function &F,
                     const DebugSources &Sources, llvm::Module &LM,
                     bool Optimised)
    : M(M), F(F), Sources(Sources), C(LM.getContext()), DIB(LM),
      Home(F.Loc.File) {
  using llvm::DICompileUnit;
  using llvm::DISubprogram;
  LM.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 5);
  LM.addModuleFlag(llvm::Module::Warning, "Debug Info Version",
                   llvm::DEBUG_METADATA_VERSION);
  llvm::DIFile *File = file(Home);
  // Debuggers read expressions in the unit's language: C's are what buffers,
  // arrays and structs need.
  DIB.createCompileUnit(dwarf::DW_LANG_C11, File, Sources.Producer, Optimised,
                        "", 0, "", DICompileUnit::FullDebug, 0, true, false,
                        DICompileUnit::DebugNameTableKind::None);
  llvm::SmallVector<llvm::Metadata *, 8> Signature{nullptr};
  for (uint32_t N = 0; N < F.Params.size(); ++N)
    Signature.push_back(parameterType(N));
  DISubprogram::DISPFlags Flags = DISubprogram::SPFlagDefinition;
  if (Optimised)
    Flags |= DISubprogram::SPFlagOptimized;
  Kernel = DIB.createFunction(
      File, F.Name, "", File, lineOf(F.Loc),
      DIB.createSubroutineType(DIB.getOrCreateTypeArray(Signature)),
      lineOf(F.Loc), llvm::DINode::FlagPrototyped, Flags);
  for (const NamedLocal &L : Sources.Names->Locals)
    if (std::any_of(F.Slots.begin(), F.Slots.end(), [&](const Slot &S) {
          return S.Loc == L.Scope && isPartName(S.Name, L.Name);
        }))
      Shown.push_back(&L);
  // Scopes begin in different places, but for forms of one helper.
  std::sort(
      Shown.begin(), Shown.end(), [](const NamedLocal *A, const NamedLocal *B) {
        return std::pair(A->Scope.Begin, A) < std::pair(B->Scope.Begin, B);
      });
}

llvm::DIFile *HostDebug::file(FileId Id) {
  // IR text that was made by hand has no places.
  uint32_t Key = Id.isValid() ? Id.index() : ~0u;
  llvm::DIFile *&Known = Files[Key];
  if (!Known)
    Known = DIB.createFile(Id.isValid() ? Sources.pathOf(Id) : "<none>", "");
  return Known;
}

uint32_t HostDebug::lineOf(Span Where) const {
  return Where.isValid()
             ? Sources.Files->lineColumn(Where.File, Where.Begin).Line
             : 0;
}

// --- Places

/// The function whose text holds the place, its parameters' included: the
/// kernel if it is unknown.
llvm::DISubprogram *HostDebug::bodyOf(Span Where) {
  const std::vector<NamedBody> &Bodies = Sources.Names->Bodies;
  std::optional<uint32_t> Found;
  for (uint32_t N = 0; N < Bodies.size(); ++N)
    if (Bodies[N].Body.File == Where.File && Bodies[N].NameAt != F.Loc &&
        Where.Begin >= Bodies[N].NameAt.Begin &&
        Where.Begin < Bodies[N].Body.End &&
        (!Found || Bodies[N].Form == Calls.back().Form))
      Found = N;
  if (!Found)
    return Kernel;
  llvm::DISubprogram *&Helper = Helpers[*Found];
  if (Helper)
    return Helper;
  const NamedBody &Of = Bodies[*Found];
  llvm::DIFile *In = file(Of.Body.File);
  Helper =
      DIB.createFunction(In, Of.Name, "", In, lineOf(Of.NameAt),
                         DIB.createSubroutineType(DIB.getOrCreateTypeArray({})),
                         lineOf(Of.NameAt), llvm::DINode::FlagPrototyped,
                         llvm::DISubprogram::SPFlagDefinition |
                             llvm::DISubprogram::SPFlagLocalToUnit);
  return Helper;
}

/// The innermost scope of a variable around the place.
llvm::DIScope *HostDebug::scopeAt(Span Where, llvm::DIScope *Outer) {
  for (const NamedLocal *L : Shown) {
    if (L->Argument || L->Scope.File != Where.File ||
        Where.Begin < L->Scope.Begin || Where.Begin >= L->Scope.End)
      continue;
    llvm::DIScope *&Block = Blocks[{L, Outer}];
    if (!Block) {
      LineColumn At = Sources.Files->lineColumn(L->Scope.File, L->Scope.Begin);
      Block = DIB.createLexicalBlock(Outer, file(L->Scope.File), At.Line,
                                     At.Column);
    }
    Outer = Block;
  }
  return Outer;
}

/// Storing its parameters is part of a call, so that a breakpoint at a helper
/// finds them.
bool HostDebug::isInSignature(Span Where) const {
  for (const NamedBody &N : Sources.Names->Bodies)
    if (N.Body.File == Where.File && N.NameAt != F.Loc &&
        Where.Begin >= N.NameAt.Begin && Where.Begin < N.Body.Begin)
      return true;
  return false;
}

llvm::DILocation *HostDebug::place(Span Where) {
  if (!Where.isValid())
    return homeLine();
  if (!Calls.empty() && isInSignature(Where))
    return Calls.back().At;
  return placeInText(Where);
}

llvm::DILocation *HostDebug::placeInText(Span Where) {
  llvm::DISubprogram *Body = Calls.empty() ? Kernel : bodyOf(Where);
  bool Called = Body != Kernel;
  llvm::DIScope *Scope = scopeAt(Where, Body);
  if (Scope == Body && !Called && Where.File != Home) {
    llvm::DIScope *&Other = ScopeOfFile[Where.File.index()];
    if (!Other)
      Other = DIB.createLexicalBlockFile(Kernel, file(Where.File));
    Scope = Other;
  }
  LineColumn At = Sources.Files->lineColumn(Where.File, Where.Begin);
  return llvm::DILocation::get(C, At.Line, At.Column, Scope,
                               Called ? Calls.back().At : nullptr);
}

llvm::DILocation *HostDebug::kernelEnd() {
  for (const NamedBody &N : Sources.Names->Bodies)
    if (N.NameAt == F.Loc)
      return llvm::DILocation::get(
          C, lineOf({N.Body.File, N.Body.End - 1, N.Body.End}), 0, Kernel);
  return homeLine();
}

/// A call's place is its own, however many calls its line has.
llvm::DILocation *HostDebug::callPlace(Span Where) {
  llvm::DILocation *At = place(Where);
  return llvm::DILocation::getDistinct(C, At->getLine(), At->getColumn(),
                                       At->getScope(), At->getInlinedAt());
}

llvm::DILocation *HostDebug::homeLine() {
  return llvm::DILocation::get(C, lineOf(F.Loc), 0, Kernel);
}

// --- Types

llvm::DIType *HostDebug::type(TypeId T, DebugMemory In) {
  llvm::DIType *&Known = Types[{T.index(), In}];
  if (!Known)
    Known = make(T, In);
  return Known;
}

llvm::DIType *HostDebug::make(TypeId T, DebugMemory In) {
  return M.Types.memberCount(T) ? aggregate(T, In) : scalar(T, In);
}

llvm::DIType *HostDebug::scalar(TypeId T, DebugMemory In) {
  switch (M.Types.kind(T)) {
  case TypeKind::Bool:
    return DIB.createBasicType("bool", In == DebugMemory::Private ? 8 : 32,
                               dwarf::DW_ATE_boolean);
  case TypeKind::F32:
    return DIB.createBasicType("f32", 32, dwarf::DW_ATE_float);
  case TypeKind::F16:
    return DIB.createBasicType("f16", 16, dwarf::DW_ATE_float);
  case TypeKind::I8:
    return DIB.createBasicType("i8", 8, dwarf::DW_ATE_signed);
  case TypeKind::I16:
    return DIB.createBasicType("i16", 16, dwarf::DW_ATE_signed);
  case TypeKind::I32:
    return DIB.createBasicType("i32", 32, dwarf::DW_ATE_signed);
  case TypeKind::I64:
    return DIB.createBasicType("i64", 64, dwarf::DW_ATE_signed);
  case TypeKind::BF16: // debuggers know no such float: its bits
    return DIB.createBasicType("bf16", 16, dwarf::DW_ATE_unsigned);
  default:
    return DIB.createBasicType(
        ("u" + llvm::Twine(M.Types.layout(T).Size * 8)).str(),
        M.Types.layout(T).Size * 8, dwarf::DW_ATE_unsigned);
  }
}

llvm::DIType *HostDebug::member(llvm::StringRef Name, llvm::DIType *T,
                                uint64_t OffsetBits) {
  return DIB.createMemberType(Kernel ? Kernel->getFile() : file(Home), Name,
                              file(Home), 0, T->getSizeInBits(), 0, OffsetBits,
                              llvm::DINode::FlagZero, T);
}

llvm::DIType *HostDebug::structure(llvm::StringRef Name,
                                   llvm::ArrayRef<llvm::Metadata *> Members,
                                   uint64_t Bits) {
  return DIB.createStructType(file(Home), Name, file(Home), 0, Bits, 0,
                              llvm::DINode::FlagZero, nullptr,
                              DIB.getOrCreateArray(Members));
}

llvm::DIType *HostDebug::aggregate(TypeId T, DebugMemory In) {
  const Type &Node = M.Types[T];
  uint64_t Bits = M.Types.layout(T).Size * 8;
  if (Node.Kind == TypeKind::Array)
    return DIB.createArrayType(Bits, 0, type(Node.Element, In),
                               DIB.getOrCreateArray({DIB.getOrCreateSubrange(
                                   0, int64_t(Node.Count))}));
  bool Struct = Node.Kind == TypeKind::Struct;
  constexpr const char *Components[] = {"x", "y", "z", "w"};
  llvm::SmallVector<llvm::Metadata *, 8> Members;
  for (uint32_t N = 0; N < M.Types.memberCount(T); ++N)
    Members.push_back(member(
        Struct ? llvm::StringRef(M.Types.structure(Node.Struct).Fields[N].Name)
               : llvm::StringRef(Components[N]),
        type(M.Types.memberType(T, N), In), M.Types.memberOffset(T, N) * 8));
  std::string Name =
      Struct ? M.Types.structure(Node.Struct).Name : M.Types.name(T);
  return structure(Name, Members, Bits);
}

/// What a resource's variable shows: where its first element is, and how many
/// elements there are.
llvm::DIType *HostDebug::resource(const Param &P) {
  TypeId Written = P.Type;
  for (const NamedElements &E : Sources.Names->Elements)
    if (E.Where == P.Loc)
      Written = E.Type;
  llvm::DIType *Element = type(Written, DebugMemory::Shared);
  llvm::DIType *Address = DIB.createPointerType(Element, 64);
  if (P.Kind == ParamKind::Uniform)
    return Address;
  llvm::Metadata *Members[] = {
      member("data", Address, 0),
      member("len", type(types::U32, DebugMemory::Shared), 64)};
  return structure(("[" + Element->getName() + "]").str(), Members, 128);
}

llvm::DIType *HostDebug::parameterType(uint32_t Number) {
  const Param &P = F.Params[Number];
  return P.Kind == ParamKind::Scalar ? type(P.Type, DebugMemory::Private)
                                     : resource(P);
}

// --- Variables

llvm::DILocalVariable *HostDebug::parameter(uint32_t Number) {
  const Param &P = F.Params[Number];
  return DIB.createParameterVariable(Kernel, P.Name, Number + 1,
                                     file(P.Loc.File), lineOf(P.Loc),
                                     parameterType(Number), true);
}

void HostDebug::parameterValue(uint32_t Number, llvm::Value *V,
                               llvm::BasicBlock *AtEnd) {
  DIB.insertDbgValueIntrinsic(V, parameter(Number), DIB.createExpression(),
                              homeLine(), AtEnd);
}

void HostDebug::declareParameter(uint32_t Number, llvm::AllocaInst *At,
                                 llvm::BasicBlock *In) {
  DIB.insertDeclare(At, parameter(Number), DIB.createExpression(), homeLine(),
                    In);
}

void HostDebug::declareShared(llvm::StringRef Name, TypeId T, Span Where,
                              llvm::AllocaInst *At, llvm::BasicBlock *In) {
  llvm::DILocalVariable *V = DIB.createAutoVariable(
      Kernel, Name, file(Where.isValid() ? Where.File : Home), lineOf(Where),
      type(T, DebugMemory::Shared), true);
  DIB.insertDeclare(At, V, DIB.createExpression({dwarf::DW_OP_deref}),
                    homeLine(), In);
}

void HostDebug::declareArgument(llvm::StringRef Name, ArgumentCode Is,
                                Span Where, llvm::AllocaInst *At,
                                llvm::BasicBlock *In) {
  llvm::DILocation *Here = placeInText(Where);
  bool Array = Is.Base.Kind == BaseKind::Workgroup;
  llvm::DILocalVariable *&V =
      Arguments[{Here->getScope(), Is.Number, Is.bits()}];
  if (!V)
    V = DIB.createParameterVariable(
        Here->getScope(), Name, Is.Number + 1, file(Where.File), lineOf(Where),
        Array ? type(F.WorkgroupArrays[WorkgroupId(Is.Base.Index)].Type,
                     DebugMemory::Shared)
              : parameterType(Is.Base.Index),
        true);
  llvm::SmallVector<uint64_t, 1> Ops;
  if (Array)
    Ops.push_back(dwarf::DW_OP_deref);
  DIB.insertDeclare(At, V, DIB.createExpression(Ops), Here, In);
}

const NamedLocal *HostDebug::local(const Slot &S) const {
  const NamedLocal *Found = nullptr;
  for (const NamedLocal *L : Shown)
    if (L->Scope == S.Loc && isPartName(S.Name, L->Name) &&
        (!Found || L->Name.size() > Found->Name.size()))
      Found = L;
  return Found;
}

llvm::DILocation *HostDebug::localPlace(const NamedLocal &L) {
  return place({L.Scope.File, L.Scope.Begin, L.Scope.Begin});
}

/// Follows the numbers in the slot's name through the variable's type. Arrays
/// on the way are either all left in the slot or all taken apart.
bool HostDebug::partsOf(const NamedLocal &L, const Slot &S,
                        std::vector<Part> &Out) {
  std::string_view Path = std::string_view(S.Name).substr(L.Name.size());
  uint64_t Elements = 1;
  TypeId Leaf = S.Type;
  for (; M.Types.kind(Leaf) == TypeKind::Array; Leaf = M.Types[Leaf].Element)
    Elements *= M.Types[Leaf].Count;
  bool KeepsArrays = Elements != 1;
  std::vector<uint64_t> Starts{0};
  TypeId T = L.Type;
  while (M.Types.memberCount(T)) {
    if (KeepsArrays && M.Types.kind(T) == TypeKind::Array) {
      std::vector<uint64_t> More;
      for (uint64_t Start : Starts)
        for (uint32_t N = 0; N < M.Types[T].Count; ++N)
          More.push_back(Start + M.Types.memberOffset(T, N) * 8);
      Starts = std::move(More);
      T = M.Types[T].Element;
      continue;
    }
    if (Path.empty())
      return false;
    uint32_t Number = 0;
    Path.remove_prefix(1);
    std::from_chars_result End =
        std::from_chars(Path.data(), Path.data() + Path.size(), Number);
    Path.remove_prefix(static_cast<size_t>(End.ptr - Path.data()));
    if (Number >= M.Types.memberCount(T))
      return false;
    for (uint64_t &Start : Starts)
      Start += M.Types.memberOffset(T, Number) * 8;
    T = M.Types.memberType(T, Number);
  }
  if (!Path.empty() || T != Leaf || Starts.size() != Elements)
    return false;
  uint64_t Bits = type(T, DebugMemory::Private)->getSizeInBits();
  uint64_t Apart =
      T == types::Bool && KeepsArrays ? 32 : M.Types.layout(T).Size * 8;
  for (uint64_t N = 0; N < Starts.size(); ++N)
    Out.push_back({Starts[N], N * Apart, Bits});
  return true;
}

void HostDebug::declareSlot(const NamedLocal &L, const Slot &S,
                            llvm::DILocation *Where, llvm::AllocaInst *At,
                            bool Indirect, llvm::BasicBlock *In) {
  constexpr size_t MaxParts = 256;
  std::vector<Part> Parts;
  bool Whole = S.Type == L.Type;
  bool Split = !Whole && partsOf(L, S, Parts) && Parts.size() <= MaxParts;
  // What is in too many pieces is shown by itself, under the slot's name.
  std::string Name = Whole || Split ? L.Name : S.Name;
  llvm::DILocalVariable *&V = Variables[{&L, Where->getScope(), Name}];
  if (!V && L.Argument && (Whole || Split))
    V = DIB.createParameterVariable(Where->getScope(), Name, L.Argument,
                                    file(L.Where.File), lineOf(L.Where),
                                    type(L.Type, DebugMemory::Private), true);
  else if (!V)
    V = DIB.createAutoVariable(
        Where->getScope(), Name, file(L.Where.File), lineOf(L.Where),
        type(Whole || Split ? L.Type : S.Type, DebugMemory::Private), true);
  llvm::SmallVector<uint64_t, 8> Start;
  if (Indirect)
    Start.push_back(dwarf::DW_OP_deref);
  if (!Split) {
    DIB.insertDeclare(At, V, DIB.createExpression(Start), Where, In);
    return;
  }
  for (const Part &P : Parts) {
    llvm::SmallVector<uint64_t, 8> Ops = Start;
    if (P.InSlot)
      Ops.append({dwarf::DW_OP_plus_uconst, P.InSlot / 8});
    Ops.append({dwarf::DW_OP_LLVM_fragment, P.InWhole, P.Bits});
    DIB.insertDeclare(At, V, DIB.createExpression(Ops), Where, In);
  }
}
