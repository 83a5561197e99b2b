//===- Legalise.cpp - Dispatch, memory, and the pass
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bool in memory is a 32-bit word of which any non-zero value is true. In the
// legal form that is visible: resources, workgroup arrays and scalar
// parameters have u32 where they had bool, a load compares with zero and a
// store writes 0 or 1. Private slots keep bool. The narrow floats are u16
// there, converted by integer code; narrow integers stay, every target has
// their loads and stores.
//
//===----------------------------------------------------------------------===//
#include "Legaliser.h"

#include "goldyc/Analysis/Structure.h"

using namespace goldy;

Legaliser::Legaliser(Module &M, const Function &Src, const Capabilities &Caps,
                     std::map<TypeId, TypeId> &WordTypes)
    : Rewriter(M, Src), Caps(Caps), Ranges(M, Src),
      Facts(analyseFloats(Src, &Caps, &Ranges)), WordTypes(WordTypes) {
  for (Param &P : Dst.Params)
    P.Type = wordType(P.Type);
  for (WorkgroupArray &A : Dst.WorkgroupArrays)
    A.Type = wordType(A.Type);
  forEachInst(Src, [&](InstId I) {
    const Inst &N = Src.Insts[I];
    if (N.Opcode == Op::If && saysFused(Src.operand(I, 0)))
      forEachInst(Src, N.Blocks[0], [&](InstId In) { Fused.set(In, true); });
  });
}

/// The condition of `unroll` for code with the device's own fma.
bool Legaliser::saysFused(ValueId Condition) const {
  if (Src.Insts[Condition].Opcode != Op::And)
    return false;
  uint32_t Seen = 0;
  for (ValueId V : Src.operands(Condition))
    if (Src.Insts[V].Opcode == Op::DeviceSwitch)
      Seen |= 1u << Src.Insts[V].Imm;
  return Seen == (1u << static_cast<uint32_t>(DeviceSwitch::Fma) |
                  1u << static_cast<uint32_t>(DeviceSwitch::Sums));
}

InstId Legaliser::visit(InstId I) {
  if (!Started)
    convertBoolParams();
  uint32_t Before = Dst.Insts.size();
  InstId New = rewrite(I);
  if (New && New.index() >= Before && !Dst.isConst(New))
    Dst.Insts[New].Name = Src.Insts[I].Name;
  return New;
}

void Legaliser::convertBoolParams() {
  Started = true;
  for (uint32_t I = 0; I < Src.Insts.size(); ++I) {
    const Inst &N = Src.Insts[InstId(I)];
    if (N.Opcode != Op::ParamValue || N.Type != types::Bool)
      continue;
    ValueId Word = B.param(static_cast<uint32_t>(N.Imm));
    setMapping(InstId(I), B.op(Op::Ne, {Word, B.u32(0)}));
  }
}

InstId Legaliser::rewrite(InstId I) {
  const Inst &N = Src.Insts[I];
  if (isComparison(N.Opcode))
    return rewriteCompare(I);
  if (accessesPlace(N.Opcode))
    return memory(I);
  if (N.Opcode == Op::Len)
    return memory(I);
  if (isCollective(N.Opcode))
    return collective(I);
  if (N.Opcode == Op::Debug)
    return debug(I);
  if (N.Opcode == Op::Watch && Caps.Target != TargetKind::Host)
    return {};
  if (N.Opcode == Op::Select)
    return select(I);
  if (N.Opcode == Op::ToBits)
    return toBits(I);
  if (N.Opcode == Op::NumberBits)
    return bits(map(Src.operand(I, 0)));
  if (N.Opcode == Op::Cast)
    return cast(I);
  if (N.Type == types::F32)
    return rewriteFloat(I);
  if (M.Types.isInteger(N.Type))
    return rewriteInteger(I);
  return copy(I);
}

// --- Memory

TypeId Legaliser::wordType(TypeId T) {
  Type Old = M.Types[T];
  switch (Old.Kind) {
  case TypeKind::Bool:
    return types::U32;
  case TypeKind::F16:
  case TypeKind::BF16:
    return types::U16;
  case TypeKind::Vector:
    return M.Types.vector(wordType(Old.Element), Old.Count);
  case TypeKind::Array:
    return M.Types.array(wordType(Old.Element), Old.Count);
  case TypeKind::Struct: {
    auto [Known, New] = WordTypes.try_emplace(T, T);
    if (New) {
      TypeId Words = wordStruct(Old.Struct);
      WordTypes[T] = Words;
      return Words;
    }
    return Known->second;
  }
  default:
    return T;
  }
}

TypeId Legaliser::wordStruct(StructId S) {
  StructType Words = M.Types.structure(S);
  bool Changed = false;
  for (StructField &Field : Words.Fields) {
    TypeId Word = wordType(Field.Type);
    Changed |= Word != Field.Type;
    Field.Type = Word;
  }
  if (!Changed)
    return M.Types.structType(S);
  return M.Types.structType(M.Types.addStruct(std::move(Words)));
}

PlaceId Legaliser::legalPlace(PlaceId Old) {
  PlaceId New = mapPlace(Old);
  Place &P = Dst.Places[New];
  if (P.Base.Kind == BaseKind::Param || P.Base.Kind == BaseKind::Workgroup)
    P.Type = P.Path.empty() ? baseType(M, Dst, P.Base) : placeType(M, Dst, P);
  return New;
}

InstId Legaliser::memory(InstId I) {
  const Inst &Old = Src.Insts[I];
  PlaceId P = legalPlace(Old.Where);
  bool Loads = Old.Opcode == Op::Load || Old.Opcode == Op::WorkgroupUniformLoad;
  if (Loads && Old.Type == types::Bool && Dst.Places[P].Type == types::U32)
    return boolLoad(I, P);
  if (Old.Opcode == Op::Load && isNarrowFloat(Src.Places[Old.Where].Type))
    return narrowLoad(I, P);
  std::vector<ValueId> Operands;
  for (ValueId V : Src.arguments(I))
    Operands.push_back(storedValue(I, V));
  if (ValueId Guard = Src.guard(I))
    Operands.push_back(map(Guard));
  Inst New = Old;
  New.Where = P;
  return B.append(New, Operands);
}

InstId Legaliser::boolLoad(InstId I, PlaceId P) {
  ValueId Guard = Src.guard(I);
  ValueId Word = Src.Insts[I].Opcode == Op::WorkgroupUniformLoad
                     ? B.uniformLoad(P)
                     : B.load(P, Guard ? map(Guard) : ValueId());
  return B.op(Op::Ne, {Word, B.u32(0)});
}

bool Legaliser::isNarrowFloat(TypeId T) {
  return T == types::F16 || T == types::BF16;
}

InstId Legaliser::narrowLoad(InstId I, PlaceId P) {
  bool Half = Src.Places[Src.Insts[I].Where].Type == types::F16;
  ValueId Guard = Src.guard(I);
  ValueId Stored = B.load(P, Guard ? map(Guard) : ValueId());
  return fromBits(expand(Half ? "f32_from_f16" : "f32_from_bf16", {Stored}));
}

/// What a store or atomic of the source writes, as memory holds it.
ValueId Legaliser::storedValue(InstId I, ValueId Old) {
  const Place &P = Src.Places[Src.Insts[I].Where];
  bool Private = P.Base.Kind == BaseKind::Slot;
  if (Src.typeOf(Old) == types::Bool && !Private)
    return boolToInteger(map(Old), types::U32);
  if (Src.typeOf(Old) != types::F32)
    return map(Old);
  if (isNarrowFloat(P.Type))
    return expand(P.Type == types::F16 ? "f16_from_f32" : "bf16_from_f32",
                  {bits(canonical(Old))});
  bool Seen = Facts.ofMemory(P.Base).value_or(MayCopiedNan) & MayCopiedNan;
  return Seen ? canonical(Old) : map(Old);
}

/// Its operand goes through memory.
InstId Legaliser::collective(InstId I) {
  const Inst &Old = Src.Insts[I];
  ValueId V = Src.operand(I, 0);
  ValueId Args[] = {Old.Type == types::F32 ? canonical(V) : map(V),
                    map(Src.operand(I, 1))};
  return B.opTyped(Old.Opcode, Old.Type, Args);
}

/// The bits of a NaN can be seen here too.
InstId Legaliser::debug(InstId I) {
  if (!Caps.DebugOutput)
    return {};
  std::vector<ValueId> Parts;
  for (ValueId V : Src.operands(I))
    Parts.push_back(Src.typeOf(V) == types::F32 ? canonical(V) : map(V));
  return B.opTyped(Op::Debug, types::Void, Parts);
}

// --- Choice and bits

/// The float whose bits a word is.
ValueId Legaliser::withoutBits(ValueId Old) const {
  return Src.Insts[Old].Opcode == Op::ToBits ? Src.operand(Old, 0) : Old;
}

/// Whether the choice takes the less or the greater of the values that its
/// condition compares, or that one's bits.
bool Legaliser::choosesByOrder(InstId I) const {
  InstId Condition = Src.operand(I, 0);
  while (Src.Insts[Condition].Opcode == Op::Not)
    Condition = Src.operand(Condition, 0);
  Op O = Src.Insts[Condition].Opcode;
  if (!isOrder(O) || Src.typeOf(Src.operand(Condition, 0)) != types::F32)
    return false;
  auto Same = [&](ValueId X, ValueId Y) {
    return X == Y || (Src.isConst(X) && Src.isConst(Y) &&
                      Src.Insts[X].Imm == Src.Insts[Y].Imm);
  };
  ValueId X = Src.operand(Condition, 0), Y = Src.operand(Condition, 1);
  ValueId A = withoutBits(Src.operand(I, 1));
  ValueId C = withoutBits(Src.operand(I, 2));
  return (Same(X, A) && Same(Y, C)) || (Same(X, C) && Same(Y, A));
}

/// Whether any NaN may stand for the one that a choice gives: nobody sees its
/// bits, or they are canonical where they are seen.
bool Legaliser::mayLoseNan(InstId Choice, ValueId Nan) {
  if (Src.Insts[Choice].Type != types::F32)
    return false;
  constexpr uint8_t Kept = MayCopiedNan | MayCanonicalNan;
  return hidesNan(Choice) || !((Facts.Value[Nan] | Facts.Value[Choice]) & Kept);
}

/// NVIDIA's compiler makes a minimum of a comparison and a choice of its
/// operands, and that loses a NaN's bits: the condition asks for it apart.
ValueId Legaliser::conditionOf(InstId I) {
  InstId Condition = Src.operand(I, 0);
  ValueId New = map(Condition);
  if (!Caps.LosesNan || !choosesByOrder(I))
    return New;
  bool Negated = false;
  for (; Src.Insts[Condition].Opcode == Op::Not; Negated = !Negated)
    Condition = Src.operand(Condition, 0);
  // A comparison with a NaN is false.
  ValueId Unordered = withoutBits(Src.operand(I, Negated ? 1 : 2));
  if (Src.typeOf(Unordered) != types::F32 || !Facts.mayNan(Unordered) ||
      mayLoseNan(I, Unordered))
    return New;
  ValueId Nan = isNan(map(Unordered));
  return Negated ? B.op(Op::Or, {New, Nan})
                 : B.op(Op::And, {New, B.op(Op::Not, {Nan})});
}

InstId Legaliser::select(InstId I) {
  if (Src.Insts[I].Type == types::U32)
    return B.select(conditionOf(I), map(Src.operand(I, 1)),
                    map(Src.operand(I, 2)));
  if (Src.Insts[I].Type != types::F32)
    return copy(I);
  bool Joins = (Facts.Value[I] & MayCopiedNan) && !hidesNan(I);
  ValueId A = Src.operand(I, 1), C = Src.operand(I, 2);
  return B.select(conditionOf(I), Joins ? canonical(A) : map(A),
                  Joins ? canonical(C) : map(C));
}

/// Whether of the word only its highest bit is used.
bool Legaliser::givesSignOnly(InstId I) {
  auto IsSign = [&](ValueId V) {
    return Src.isConst(V) && Src.Insts[V].Imm == 0x80000000u;
  };
  auto Masks = [&](InstId User) {
    return Src.Insts[User].Opcode == Op::And &&
           Src.typeOf(User) == types::U32 &&
           (IsSign(Src.operand(User, 0)) || IsSign(Src.operand(User, 1)));
  };
  if (SizeSeen.empty()) {
    SizeSeen.resize(Src.Insts.size());
    for (uint32_t N = 0; N < Src.Insts.size(); ++N)
      if (!Masks(InstId(N)))
        for (ValueId V : Src.operands(InstId(N)))
          SizeSeen[V.index()] = true;
  }
  return !SizeSeen[I.index()];
}

InstId Legaliser::toBits(InstId I) {
  ValueId Of = Src.operand(I, 0);
  bool AnyNan = Caps.FreshNansPositive && givesSignOnly(I);
  return bits(AnyNan ? map(Of) : canonical(Of));
}

// --- The pass

static Function legalise(Module &M, const Function &F, const Capabilities &Caps,
                         std::map<TypeId, TypeId> &WordTypes) {
  Function Legal = Legaliser(M, F, Caps, WordTypes).run();
  return hideZeros(M, replaceMissingIntegers(M, std::move(Legal), Caps), Caps);
}

Function goldy::legaliseFunction(Module &M, const Function &F,
                                 const Capabilities &Caps) {
  std::map<TypeId, TypeId> WordTypes;
  return legalise(M, F, Caps, WordTypes);
}

/// With --fp=fast a device's own operations are good enough.
static Capabilities allowedBy(FloatMode Mode, Capabilities Caps) {
  if (Mode == FloatMode::Fast && Caps.Target == TargetKind::Spirv)
    Caps.FlushesSubnormals = Caps.ExactDiv = Caps.ExactSqrt = Caps.FusedFma =
        Caps.RoundKeepsRule = true;
  return Caps;
}

namespace {

/// One warning a kernel and target.
void warnOfDebug(const Function &F, PassContext &Context) {
  InstId First;
  forEachInst(F, [&](InstId I) {
    if (F.Insts[I].Opcode == Op::Debug && !First)
      First = I;
  });
  if (First && !Context.Caps.DebugOutput)
    Context.Diags.report(diag::G0611, F.Insts[First].Loc)
            .help("it prints in the interpreter and on the CPU")
        << "`gpu::debug` prints nothing on " << Context.Caps.Arch;
}

class LegalisePass : public Pass {
public:
  std::string_view name() const override { return "legalise"; }
  PassResult run(Module &M, PassContext &Context) override {
    std::map<TypeId, TypeId> WordTypes;
    Capabilities Caps = allowedBy(M.Floats, Context.Caps);
    Arena<Function> Legal;
    for (const Function &F : M.Functions)
      if (F.Kind == FuncKind::Kernel) {
        warnOfDebug(F, Context);
        Legal.push(legalise(M, F, Caps, WordTypes));
      }
    M.Functions = std::move(Legal);
    M.Level = IRLevel::Legal;
    return PassResult::Changed;
  }
};

} // namespace

std::unique_ptr<Pass> goldy::createLegalisePass() {
  return std::make_unique<LegalisePass>();
}
