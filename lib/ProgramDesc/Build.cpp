//===- Build.cpp - Templates of programs ----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatches, copies and host calls of one device that follow one another are
// one submission, which the device retains; loops and moves end it. What a part
// needs of a run, lengths and values, stands as holes that read ints.
//
//===----------------------------------------------------------------------===//
#include "goldyc/ProgramDesc/Build.h"

#include "Ints.h"
#include "Lives.h"

#include <bit>
#include <cstring>

using namespace goldy;
using namespace goldy::prog;
using program::Number;

namespace {

class TemplateBuilder {
public:
  TemplateBuilder(const Program &P, const Module &M, const SourceManager *SM)
      : P(P), M(M), SM(SM), I(P, T) {}
  program::ProgramTemplate run();

private:
  using Steps = std::vector<program::Step>;

  // Types, memory, images.
  Number typeOf(TypeId Type);
  Number addType(program::ElementType Type);
  void inputs();
  void owned();
  void temporaries();
  void sized(const Storage &S);
  program::Slot wholeMemory(Number Memory, Number Bytes);
  Number image(uint32_t Device, std::string Kernel);

  // Steps.
  void step(const Dispatch &D, Steps &Out);
  void step(const Copy &C, Steps &Out);
  void step(const HostCall &H, Steps &Out);
  void step(const Loop &L, Steps &Out);
  void step(const Choice &C, Steps &Out);
  void keepApart();
  program::Expression tooWide(ExprId Width, ExprId Height);
  Steps steps(const std::vector<Step> &List);
  Steps body(const std::vector<Step> &List, const Steps &Before);
  void origins(const Steps &Made, size_t FirstStep, size_t FirstPart, Span Loc);
  program::Submit &submit(Steps &Out, uint32_t Device);
  Number slotOf(program::Submit &S, BufferId B);
  program::Flag flag(const StopFlag &F);
  program::Value groups(const Grid &G, unsigned Axis, uint32_t Size);
  bool isNothing(const program::Launch &L) const;

  // Parts.
  void copyBytes(const Copy &C, Number Bytes, program::Submit &S);
  void copyByKernel(const Copy &C, program::Submit &S);
  program::Offset offset(BufferId B, ExprId Elements);
  void argument(program::Submit &S, program::Launch &L, uint32_t At,
                const Argument &A, bool Written);
  void buffer(program::Submit &S, program::Launch &L, uint32_t At, BufferId B,
              bool Written);
  void scalar(program::Launch &L, uint32_t At, ExprId E);
  void write(program::Launch &L, uint32_t At, uint32_t Bytes, uint64_t Bits);
  void hole(program::Launch &L, uint32_t At, Number Word, program::Width Width,
            Number Factor = 1);
  void moves(const Copy &C, Steps &Out);

  uint64_t strideOf(BufferId B) const {
    return M.Types.stride(P.Buffers[B].Element);
  }

  const Program &P;
  const Module &M;
  const SourceManager *SM;    ///< null: origins are left out
  std::string Path = "steps"; ///< of the list that is being made
  program::ProgramTemplate T;
  Ints I;
  std::map<TypeId, Number> Types;
  std::map<BufferId, program::Slot> Where;
  std::map<std::pair<uint32_t, std::string>, Number> Images;
};

//===-- Types, memory, images ---------------------------------------------===//

Number TemplateBuilder::addType(program::ElementType Type) {
  T.Types.push_back(std::move(Type));
  return static_cast<Number>(T.Types.size() - 1);
}

program::Scalar storedScalar(TypeKind K) {
  switch (K) {
  case TypeKind::Bool:
    return program::Scalar::Bool;
  case TypeKind::I32:
    return program::Scalar::I32;
  case TypeKind::F32:
    return program::Scalar::F32;
  case TypeKind::U64:
    return program::Scalar::U64;
  case TypeKind::I64:
    return program::Scalar::I64;
  case TypeKind::U8:
    return program::Scalar::U8;
  case TypeKind::I8:
    return program::Scalar::I8;
  case TypeKind::U16:
    return program::Scalar::U16;
  case TypeKind::I16:
    return program::Scalar::I16;
  case TypeKind::F16:
    return program::Scalar::F16;
  case TypeKind::BF16:
    return program::Scalar::BF16;
  default:
    return program::Scalar::U32;
  }
}

Number TemplateBuilder::typeOf(TypeId Type) {
  std::map<TypeId, Number>::iterator It = Types.find(Type);
  if (It != Types.end())
    return It->second;
  const goldy::Type &X = M.Types[Type];
  program::ElementType Made = storedScalar(X.Kind);
  if (X.Kind == TypeKind::Vector)
    Made = program::VectorType{typeOf(X.Element), X.Count};
  if (X.Kind == TypeKind::Array)
    Made = program::ArrayType{typeOf(X.Element), X.Count};
  if (X.Kind == TypeKind::Struct) {
    program::StructType S;
    S.Name = M.Types.structure(X.Struct).Name;
    for (const StructField &F : M.Types.structure(X.Struct).Fields)
      S.Fields.push_back({F.Name, typeOf(F.Type)});
    Made = std::move(S);
  }
  return Types[Type] = addType(std::move(Made));
}

void TemplateBuilder::inputs() {
  for (uint32_t N = 0; N < P.Params.size(); ++N) {
    BufferId B = P.Params[N].Buffer;
    if (!B)
      continue;
    program::NamedInput In;
    In.Name = P.Params[N].Name;
    In.Device = P.Buffers[B].Device;
    if (P.Buffers[B].Uniform)
      In.Form = program::InputForm::Uniform;
    In.Type = typeOf(P.Buffers[B].Element);
    In.How = P.Buffers[B].Acc == Access::Read ? program::Access::ReadOnly
                                              : program::Access::ReadWrite;
    Number Input = static_cast<Number>(T.Inputs.size());
    Where[B] = program::InputSlot{Input};
    I.setInput(N, Input);
    T.Inputs.push_back(std::move(In));
  }
}

program::Slot TemplateBuilder::wholeMemory(Number Memory, Number Bytes) {
  return program::View{Memory, 0, Bytes};
}

/// Memory that the host reads before each trip is where it can.
std::vector<bool> flagsOf(const Program &P) {
  std::vector<bool> Flags(P.Buffers.size());
  forEachStep(P.Steps, [&](const Step &S) {
    const Loop *L = std::get_if<Loop>(&S.Kind);
    if (L && L->Stop)
      Flags[L->Stop->Flag.index()] = true;
  });
  return Flags;
}

void TemplateBuilder::owned() {
  std::vector<bool> Flags = flagsOf(P);
  for (uint32_t N = 0; N < P.Buffers.size(); ++N) {
    BufferId B(N);
    const Buffer &X = P.Buffers[B];
    if (X.Kind != BufferKind::Owned)
      continue;
    program::Alloc A;
    A.Device = X.Device;
    A.Kind = Flags[N] ? program::MemoryKind::HostVisible
                      : program::MemoryKind::Device;
    A.Bytes = static_cast<Number>(*P.Exprs.constantBits(X.Count) * strideOf(B));
    A.Count = X.TwoCopies ? program::Copies::Two : program::Copies::One;
    Where[B] = wholeMemory(static_cast<Number>(T.Memories.size()), A.Bytes);
    T.Memories.push_back(std::move(A));
  }
}

void TemplateBuilder::sized(const Storage &S) {
  program::NamedInput In;
  In.Device = S.Device;
  In.Form = program::InputForm::Sized;
  In.Size = std::get<program::IntWord>(
                I.exact(S.Count, {fixed(static_cast<Number>(S.Stride)),
                                  applied(program::Op::Mul)}))
                .Word;
  program::InputSlot Slot{static_cast<Number>(T.Inputs.size())};
  T.Inputs.push_back(std::move(In));
  for (BufferId B : S.Buffers)
    Where[B] = Slot;
}

/// Of constant size: memory of the program, whatever it held before.
void TemplateBuilder::temporaries() {
  for (const Storage &S : shareStorage(P, M)) {
    std::optional<uint64_t> Count = P.Exprs.constantBits(S.Count);
    if (!Count) {
      sized(S);
      continue;
    }
    program::Alloc A;
    A.Device = S.Device;
    A.Bytes = static_cast<Number>(*Count * S.Stride);
    for (BufferId B : S.Buffers)
      Where[B] = wholeMemory(static_cast<Number>(T.Memories.size()), A.Bytes);
    T.Memories.push_back(std::move(A));
  }
}

Number TemplateBuilder::image(uint32_t Device, std::string Kernel) {
  auto [It, New] = Images.try_emplace({Device, Kernel},
                                      static_cast<Number>(T.Images.size()));
  if (New)
    T.Images.push_back({Device, std::move(Kernel)});
  return It->second;
}

//===-- Blocks ------------------------------------------------------------===//

void TemplateBuilder::write(program::Launch &L, uint32_t At, uint32_t Bytes,
                            uint64_t Bits) {
  for (uint32_t B = 0; B < Bytes; ++B)
    L.Params.Bytes[At + B] = static_cast<char>(Bits >> (8 * B));
}

void TemplateBuilder::hole(program::Launch &L, uint32_t At, Number Word,
                           program::Width Width, Number Factor) {
  program::Hole<program::Value> H;
  H.At = At;
  H.Bits = Width;
  H.Terms.push_back({program::IntWord{Word}, Factor});
  L.Params.Holes.push_back(std::move(H));
}

/// A word that a caller gives has 63 bits; what may have 64 goes in by halves.
void TemplateBuilder::scalar(program::Launch &L, uint32_t At, ExprId E) {
  const Expr &X = P.Exprs[E];
  bool Wide = X.Type == types::U64 || X.Type == types::I64;
  if (X.Op == ExprOp::Const)
    return write(L, At, Wide ? 8 : 4, X.Bits);
  if (!Wide)
    return hole(L, At, I.word(E), program::Width::W32);
  if (X.Op == ExprOp::Param)
    return hole(L, At, I.word(E), program::Width::W64);
  hole(L, At, I.half(E, false), program::Width::W32);
  hole(L, At + 4, I.half(E, true), program::Width::W32);
}

void TemplateBuilder::buffer(program::Submit &S, program::Launch &L,
                             uint32_t At, BufferId B, bool Written) {
  L.Refs.push_back(
      {slotOf(S, B), At, Written ? program::Use::Write : program::Use::Read});
  if (!P.Buffers[B].Uniform) // a block is its address alone
    scalar(L, At + 8, P.Buffers[B].Count);
}

void TemplateBuilder::argument(program::Submit &S, program::Launch &L,
                               uint32_t At, const Argument &A, bool Written) {
  if (A.Buffer)
    buffer(S, L, At, A.Buffer, Written);
  else
    scalar(L, At, A.Value);
}

//===-- Submissions -------------------------------------------------------===//

/// The submission that the next part joins.
program::Submit &TemplateBuilder::submit(Steps &Out, uint32_t Device) {
  if (!Out.empty())
    if (program::Submit *Last = std::get_if<program::Submit>(&Out.back().Kind);
        Last && Last->Device == Device)
      return *Last;
  program::Submit S;
  S.Device = Device;
  Out.push_back({std::move(S)});
  return std::get<program::Submit>(Out.back().Kind);
}

Number TemplateBuilder::slotOf(program::Submit &S, BufferId B) {
  const program::Slot &Wanted = Where.at(B);
  for (size_t N = 0; N < S.Slots.size(); ++N)
    if (S.Slots[N] == Wanted)
      return static_cast<Number>(N);
  S.Slots.push_back(Wanted);
  return static_cast<Number>(S.Slots.size() - 1);
}

program::Value TemplateBuilder::groups(const Grid &G, unsigned Axis,
                                       uint32_t Size) {
  if (G.Form == Grid::Kind::Groups || Size == 1)
    return I.value(G.Size[Axis]);
  return I.exact(G.Size[Axis], {fixed(Size), applied(program::Op::DivCeil)});
}

bool TemplateBuilder::isNothing(const program::Launch &L) const {
  for (const program::Value &V : L.Groups)
    if (V == program::Value(program::Fixed{0}))
      return true;
  return false;
}

void TemplateBuilder::step(const Dispatch &D, Steps &Out) {
  const Function &F = M.Functions[D.Kernel];
  program::Launch L;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    L.Groups[Axis] = groups(D.Over, Axis, F.WorkgroupSize[Axis]);
    L.Threads[Axis] = program::Fixed{F.WorkgroupSize[Axis]};
  }
  if (isNothing(L))
    return;
  L.Shared = program::Fixed{0};
  L.Image = image(D.Device, F.Name);
  L.Name = F.Name;
  program::Submit &S = submit(Out, D.Device);
  AbiLayout Abi = abiLayout(M, F);
  L.Params.Bytes.assign(Abi.Size, '\0');
  for (size_t N = 0; N < D.Args.size(); ++N)
    argument(S, L, Abi.Params[N].Offset, D.Args[N],
             F.Params[N].Acc != Access::Read);
  S.Parts.push_back(std::move(L));
}

//===-- Copies ------------------------------------------------------------===//

program::Offset TemplateBuilder::offset(BufferId B, ExprId Elements) {
  program::Value V = I.value(Elements);
  Number Stride = static_cast<Number>(strideOf(B));
  if (program::Fixed *F = std::get_if<program::Fixed>(&V)) {
    if (F->Value == 0)
      return {};
    return {{program::Fixed{F->Value * Stride}, 1}};
  }
  return {{V, Stride}};
}

void TemplateBuilder::copyBytes(const Copy &C, Number Bytes,
                                program::Submit &S) {
  program::Copy Made;
  Made.Src = slotOf(S, C.Src);
  Made.SrcOffset = offset(C.Src, C.SrcOffset);
  Made.Dst = slotOf(S, C.Dst);
  Made.DstOffset = offset(C.Dst, C.DstOffset);
  Made.Length = Bytes;
  S.Parts.push_back(std::move(Made));
}

/// `gpu::copy_u32(src, dst, n)` on views of `n` units.
void TemplateBuilder::copyByKernel(const Copy &C, program::Submit &S) {
  uint64_t Stride = strideOf(C.Src);
  uint32_t Unit = copyUnit(M, P.Buffers[C.Src].Element);
  const Function &F = M.Functions[findCopyKernel(M, Unit)];
  program::Launch L;
  program::Expression Units;
  if (Stride != Unit) // a length has 32 bits: 2^32 or more are not exact
    Units = {fixed(static_cast<Number>(Stride / Unit)),
             applied(program::Op::Mul),
             fixed(30),
             applied(program::Op::Shl),
             fixed(30),
             applied(program::Op::Shr)};
  Number Count = std::get<program::IntWord>(I.exact(C.Count, Units)).Word;
  program::Expression Groups{program::IntWord{Count}, fixed(F.WorkgroupSize[0]),
                             applied(program::Op::DivCeil)};
  L.Groups = {
      program::IntWord{I.derived(std::move(Groups), exprText(P, C.Count))},
      program::Fixed{1}, program::Fixed{1}};
  L.Threads = {program::Fixed{F.WorkgroupSize[0]}, program::Fixed{1},
               program::Fixed{1}};
  L.Shared = program::Fixed{0};
  L.Image = image(C.Device, F.Name);
  L.Name = F.Name;
  AbiLayout Abi = abiLayout(M, F);
  L.Params.Bytes.assign(Abi.Size, '\0');
  for (bool Dst : {false, true}) {
    uint32_t At = Abi.Params[Dst].Offset;
    BufferId B = Dst ? C.Dst : C.Src;
    program::Value Elements = I.value(Dst ? C.DstOffset : C.SrcOffset);
    if (const program::IntWord *W = std::get_if<program::IntWord>(&Elements))
      hole(L, At, W->Word, program::Width::W64, static_cast<Number>(Stride));
    else
      write(L, At, 8,
            static_cast<uint64_t>(std::get<program::Fixed>(Elements).Value) *
                Stride);
    L.Refs.push_back(
        {slotOf(S, B), At, Dst ? program::Use::Write : program::Use::Read});
    hole(L, At + 8, Count, program::Width::W32);
  }
  hole(L, Abi.Params[2].Offset, Count, program::Width::W32);
  S.Parts.push_back(std::move(L));
}

void TemplateBuilder::step(const Copy &C, Steps &Out) {
  if (P.Buffers[C.Src].Device != P.Buffers[C.Dst].Device)
    return moves(C, Out);
  std::optional<uint64_t> Count = P.Exprs.constantBits(C.Count);
  if (Count == 0)
    return;
  program::Submit &S = submit(Out, C.Device);
  if (Count)
    copyBytes(C, static_cast<Number>(*Count * strideOf(C.Src)), S);
  else
    copyByKernel(C, S);
}

/// A move has a constant length. One of `n` elements is a move of each power of
/// two in `n`, from the largest: a loop of one trip or none around it.
void TemplateBuilder::moves(const Copy &C, Steps &Out) {
  Number Stride = static_cast<Number>(strideOf(C.Src));
  program::Move Made;
  Made.Src = Where.at(C.Src);
  Made.Dst = Where.at(C.Dst);
  if (std::optional<uint64_t> Count = P.Exprs.constantBits(C.Count)) {
    Made.Length = static_cast<Number>(*Count) * Stride;
    if (Made.Length)
      Out.push_back({std::move(Made)});
    return;
  }
  Number Word = I.word(C.Count);
  std::string Origin = exprText(P, C.Count);
  for (Number Bit = 31; Bit >= 0; --Bit) {
    program::Expression Has{program::IntWord{Word}, fixed(Bit),
                            applied(program::Op::Shr), fixed(1),
                            applied(program::Op::And)};
    program::Expression Before{program::IntWord{Word}, fixed(Bit + 1),
                               applied(program::Op::Shr), fixed(Bit + 1),
                               applied(program::Op::Shl)};
    program::Value At = program::IntWord{I.derived(std::move(Before), Origin)};
    Made.SrcOffset = Made.DstOffset = {{At, Stride}};
    Made.Length = Stride << Bit;
    program::Loop Once;
    Once.Trips = program::IntWord{I.derived(std::move(Has), Origin)};
    Once.Body.push_back({Made});
    Out.push_back({std::move(Once)});
  }
}

//===-- Host calls, loops, choices ----------------------------------------===//

/// The block of a host function: each argument at its alignment, as a kernel's.
void TemplateBuilder::step(const HostCall &H, Steps &Out) {
  program::Launch L;
  L.Groups.fill(program::Fixed{1});
  L.Threads.fill(program::Fixed{1});
  L.Shared = program::Fixed{0};
  L.Image = image(H.Device, "");
  L.Name = H.Name;
  program::Submit &S = submit(Out, H.Device);
  for (const Argument &A : H.Args) {
    TypeId Type = A.Buffer ? types::Void : P.Exprs[A.Value].Type;
    bool Wide = A.Buffer || Type == types::U64 || Type == types::I64;
    uint32_t Align = Wide ? 8 : 4, Size = A.Buffer ? 16 : Align;
    size_t At = (L.Params.Bytes.size() + Align - 1) / Align * Align;
    L.Params.Bytes.resize(At + Size, '\0');
    bool Written = A.Buffer && (P.Buffers[A.Buffer].Kind != BufferKind::Input ||
                                P.Buffers[A.Buffer].Acc != Access::Read);
    argument(S, L, static_cast<uint32_t>(At), A, Written);
  }
  S.Parts.push_back(std::move(L));
}

program::Flag TemplateBuilder::flag(const StopFlag &F) {
  Number Index = static_cast<Number>(*P.Exprs.constantBits(F.Index));
  return {Where.at(F.Flag), Index * static_cast<Number>(strideOf(F.Flag))};
}

void TemplateBuilder::step(const Loop &L, Steps &Out) {
  program::Loop Made;
  Made.Trips = I.trips(L);
  if (const program::Fixed *N = std::get_if<program::Fixed>(&Made.Trips);
      N && N->Value <= 0)
    return;
  I.enterLoop(L);
  if (L.Stop)
    Made.Stop = flag(*L.Stop);
  Made.Body = body(L.Body, Out);
  I.leaveLoop(Made);
  if (!Made.Body.empty() || Made.Stop)
    Out.push_back({std::move(Made)});
}

/// 1 if the product is above 2^32: the width is above 2^32 / height.
program::Expression TemplateBuilder::tooWide(ExprId Width, ExprId Height) {
  program::Expression Is{fixed(Number(1) << 32)};
  auto Add = [&](const program::Expression &More) {
    Is.insert(Is.end(), More.begin(), More.end());
  };
  Add(I.nodes(Height));
  Add({fixed(1), applied(program::Op::Max), applied(program::Op::Div)});
  Add(I.nodes(Width));
  Is.push_back(applied(program::Op::Lt));
  return Is;
}

void TemplateBuilder::step(const Choice &C, Steps &Out) {
  constexpr size_t Most = 64; // nodes, far below what an expression may have
  program::Expression Apart{fixed(0)};
  auto OrElse = [&](const program::Expression &More) {
    if (Apart.size() > Most)
      Apart = {program::IntWord{I.derived(std::move(Apart), "apart")}};
    Apart.insert(Apart.end(), More.begin(), More.end());
    Apart.push_back(applied(program::Op::Or));
  };
  for (const std::pair<BufferId, BufferId> &Pair : C.Apart) {
    Number A = std::get<program::InputSlot>(Where.at(Pair.first)).Which;
    Number B = std::get<program::InputSlot>(Where.at(Pair.second)).Which;
    OrElse({program::IntWord{I.overlap(A, B)}});
  }
  for (const std::pair<ExprId, ExprId> &Pair : C.Fits)
    OrElse(tooWide(Pair.first, Pair.second));
  Apart.push_back(fixed(0));
  Apart.push_back(applied(program::Op::Eq));
  Number Yes = I.derived(std::move(Apart), "apart");
  Number No = I.derived(
      {program::IntWord{Yes}, fixed(0), applied(program::Op::Eq)}, "not apart");
  for (bool Then : {true, false}) {
    program::Loop Once;
    Once.Trips = program::IntWord{Then ? Yes : No};
    Once.Body = body(Then ? C.Then : C.Else, Out);
    if (!Once.Body.empty())
      Out.push_back({std::move(Once)});
  }
}

/// Parts of the last step, if it is a submission.
static size_t partsOf(const std::vector<program::Step> &List) {
  const program::Submit *S =
      List.empty() ? nullptr : std::get_if<program::Submit>(&List.back().Kind);
  return S ? S->Parts.size() : 0;
}

TemplateBuilder::Steps TemplateBuilder::steps(const std::vector<Step> &List) {
  Steps Out;
  for (const Step &Next : List) {
    size_t Steps = Out.size(), Parts = partsOf(Out);
    std::visit(
        [&](const auto &S) {
          step(S, Out);
          origins(Out, Steps, Parts, S.Loc);
        },
        Next.Kind);
  }
  return Out;
}

/// The steps in a loop that comes behind `Before`.
TemplateBuilder::Steps TemplateBuilder::body(const std::vector<Step> &List,
                                             const Steps &Before) {
  std::string Outer = Path;
  Path += "[" + std::to_string(Before.size()) + "].body";
  Steps Out = steps(List);
  Path = Outer;
  return Out;
}

/// Says that the user wrote at `Loc` the steps from `FirstStep` on, and of the
/// step before it the parts from `FirstPart` on.
void TemplateBuilder::origins(const Steps &Made, size_t FirstStep,
                              size_t FirstPart, Span Loc) {
  if (!SM || !Loc.isValid())
    return;
  const std::string &Name = SM->file(Loc.File).Name;
  LineColumn At = SM->lineColumn(Loc.File, Loc.Begin);
  std::string Where = Name.substr(Name.find_last_of("/\\") + 1) + ":" +
                      std::to_string(At.Line) + ":" + std::to_string(At.Column);
  auto Place = [&](size_t Step) {
    return Path + "[" + std::to_string(Step) + "]";
  };
  if (FirstStep && FirstStep == Made.size())
    for (size_t N = FirstPart; N < partsOf(Made); ++N)
      T.Origins.push_back(
          {Place(FirstStep - 1) + ".parts[" + std::to_string(N) + "]", Where});
  for (size_t N = FirstStep; N < Made.size(); ++N)
    T.Origins.push_back({Place(N), Where});
}

/// Inputs with a copy on another device, which does not see what is written
/// through another input of the same buffer.
static std::vector<bool> mirroredInputs(const Program &P) {
  std::vector<bool> Mirrored(P.Buffers.size());
  forEachStep(P.Steps, [&](const Step &S) {
    const Copy *C = std::get_if<Copy>(&S.Kind);
    if (C && P.Buffers[C->Src].Device != P.Buffers[C->Dst].Device)
      Mirrored[C->Src.index()] = Mirrored[C->Dst.index()] = true;
  });
  return Mirrored;
}

/// Refuses runs where two inputs of one device are one buffer, one of them is
/// written and one has a copy elsewhere: a shift by -1 is not exact.
void TemplateBuilder::keepApart() {
  std::vector<bool> Mirrored = mirroredInputs(P);
  std::vector<BufferId> Inputs;
  for (const Parameter &A : P.Params)
    if (A.Buffer)
      Inputs.push_back(A.Buffer);
  for (size_t J = 0; J < Inputs.size(); ++J)
    for (size_t I1 = 0; I1 < J; ++I1) {
      const Buffer &A = P.Buffers[Inputs[I1]], &B = P.Buffers[Inputs[J]];
      bool Seen = Mirrored[Inputs[I1].index()] || Mirrored[Inputs[J].index()];
      if (A.Device != B.Device || !Seen ||
          (A.Acc == Access::Read && B.Acc == Access::Read))
        continue;
      Number Overlap =
          I.overlap(std::get<program::InputSlot>(Where.at(Inputs[I1])).Which,
                    std::get<program::InputSlot>(Where.at(Inputs[J])).Which);
      I.derived({fixed(0), fixed(0), program::IntWord{Overlap},
                 applied(program::Op::Sub), applied(program::Op::Shl)},
                A.Name + " and " + B.Name +
                    ", one buffer in a program of several devices");
    }
}

program::ProgramTemplate TemplateBuilder::run() {
  T.Name = P.Name;
  T.Devices = P.Devices;
  inputs();
  if (P.Devices.size() > 1)
    keepApart();
  owned();
  temporaries();
  T.Steps = steps(P.Steps);
  return std::move(T);
}

} // namespace

program::ProgramTemplate prog::buildTemplate(const Program &P, const Module &M,
                                             const SourceManager *SM) {
  return TemplateBuilder(P, M, SM).run();
}
