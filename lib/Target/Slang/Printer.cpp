//===- Printer.cpp - Values and statements as Slang text
//-------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Printer.h"
#include "goldyc/IR/ScalarNames.h"

#include <algorithm>
#include <fmt/format.h>

namespace goldy::slang {

/// A longer expression is put into a variable.
static constexpr size_t LongestExpression = 100;

std::string joined(const std::vector<Line> &Lines, unsigned Indent) {
  std::string Text;
  for (const Line &L : Lines)
    Text += std::string((L.Indent + Indent) * 4, ' ') + L.Text + "\n";
  return Text;
}

static std::string_view scalarName(TypeKind K) {
  switch (K) {
  case TypeKind::Void:
    return "void";
  case TypeKind::Bool:
    return "bool";
  case TypeKind::U32:
    return "uint";
  case TypeKind::I32:
    return "int";
  default:
    return scalarInC(K);
  }
}

std::string scalarOrStruct(const Module &M, const Shared &S, TypeId T) {
  const Type &Ty = M.Types[T];
  if (Ty.Kind == TypeKind::Struct)
    return S.Structs[Ty.Struct.index()];
  if (Ty.Kind != TypeKind::Vector)
    return std::string(scalarName(Ty.Kind));
  std::string_view Element = scalarName(M.Types.kind(Ty.Element));
  return Element.empty() ? "" : fmt::format("{}{}", Element, Ty.Count);
}

std::string declared(const Module &M, const Shared &S, TypeId T,
                     std::string_view Name) {
  std::string Extents;
  for (; M.Types.kind(T) == TypeKind::Array; T = M.Types[T].Element)
    Extents += fmt::format("[{}]", M.Types[T].Count);
  return fmt::format("{} {}{}", scalarOrStruct(M, S, T), Name, Extents);
}

std::string instanceKey(FuncId F, const std::vector<std::string> &Bound) {
  std::string Key = std::to_string(F.index());
  for (const std::string &Name : Bound)
    Key += "," + Name;
  return Key;
}

Printer::Printer(const Module &M, const Instance &Which, Form As, Shared &S,
                 std::vector<std::string> Arrays,
                 const std::vector<Effects> &AllEffects, DiagSink &Diags)
    : M(M), F(M.Functions[Which.Function]), Which(Which), As(As), S(S),
      AllEffects(AllEffects), Diags(Diags), U(analyseUses(M, F, AllEffects)),
      Local(S.Global), WorkgroupNames(std::move(Arrays)) {
  for (uint32_t P = 0; P < F.Params.size(); ++P)
    ParamNames.push_back(Which.Bound[P].empty() ? Local.take(F.Params[P].Name)
                                                : Which.Bound[P]);
  for (uint32_t P = 0; P < F.Params.size(); ++P)
    LayoutNames.push_back(F.Params[P].Kind == ParamKind::Tensor
                              ? Local.take(F.Params[P].Name + "_layout")
                              : "");
  for (const Inst &I : F.Insts) {
    if (!isAtomic(I.Opcode))
      continue;
    const Place &P = F.Places[I.Where];
    if (P.Base.Kind == BaseKind::Workgroup && P.Type == types::F32)
      FloatWords.insert(P.Base.Index);
  }
}

std::optional<std::vector<Line>> Printer::body() {
  Sequence Body = block(F.Body);
  if (Failed)
    return std::nullopt;
  return std::move(Body.Lines);
}

Expr Printer::unsupported(InstId I, std::string_view What) {
  if (!Failed)
    Diags.report(diag::G0685, F.Insts[I].Loc)
            .help("choose the other outputs with `--emit` and `--target`")
        << What << " in `" << F.Name << "` cannot be written as Slang yet";
  Failed = true;
  return atom("0");
}

std::string Printer::typeText(TypeId T, Span Where) {
  std::string Text = scalarOrStruct(M, S, T);
  if (Text.empty() && !Failed) {
    Diags.report(diag::G0685, Where)
            .help("choose the other outputs with `--emit` and `--target`")
        << "type `" << M.Types.name(T) << "` in `" << F.Name
        << "` cannot be written as Slang yet";
    Failed = true;
  }
  return Text;
}

std::string Printer::declaration(TypeId T, std::string_view Name) {
  TypeId Element = T;
  while (M.Types.kind(Element) == TypeKind::Array)
    Element = M.Types[Element].Element;
  typeText(Element, F.Loc);
  return declared(M, S, T, Name);
}

// --- Values
// -------------------------------------------------------------------

Expr Printer::constant(TypeId T, uint64_t Bits) {
  uint32_t Word = static_cast<uint32_t>(Bits);
  Expr E = atom(T != types::F32         ? integerLiteral(M.Types.kind(T), Bits)
                : As == Form::Canonical ? floatLiteral(Word)
                                        : floatBits(Word));
  if (E.Text[0] == '-')
    E.Strength = Prec::Unary;
  return E;
}

std::string Printer::baseName(const PlaceBase &Base) const {
  return Base.Kind == BaseKind::Param ? ParamNames[Base.Index]
                                      : WorkgroupNames[Base.Index];
}

Expr Printer::fresh(ValueId V) {
  const Inst &N = F.Insts[V];
  if (N.Opcode == Op::Const) {
    typeText(N.Type, N.Loc);
    return constant(N.Type, N.Imm);
  }
  if (N.Opcode == Op::ParamValue) {
    std::string Name = ParamNames[N.Imm];
    if (As == Form::Canonical)
      return atom(Name);
    if (F.Params[N.Imm].Type != types::Bool)
      return atom(S.Block + Name);
    Expr Word = atom(S.Block + Name), Zero = atom("0u");
    return binary("!=", Prec::Equality, Word, Zero);
  }
  if (N.Opcode == Op::Ref) {
    return atom(baseName(F.Places[N.Where].Base));
  }
  if (N.Opcode == Op::SpecConst) {
    S.UsedSpecs.insert(static_cast<uint32_t>(N.Imm));
    return atom(S.Specs[N.Imm]);
  }
  return Values[V];
}

Expr Printer::useInit(ValueId V) {
  std::erase(Kept, V);
  return fresh(V);
}

Expr Printer::use(ValueId V) {
  Expr E = useInit(V);
  if (!E.Braces)
    return E;
  declare(V, E);
  return Values[V];
}

Expr Printer::useAtom(ValueId V) {
  Expr E = use(V);
  if (E.Strength == Prec::Atom && !E.Reads.any())
    return E;
  if (F.isConst(V))
    return E;
  declare(V, E);
  return Values[V];
}

std::string Printer::declareName(InstId I) {
  std::string_view Own = F.nameOf(I);
  return Local.take(Own.empty() ? fmt::format("t{}", Temporaries++)
                                : std::string(Own));
}

/// Puts a value into a variable that stands for it from now on.
void Printer::declare(InstId I, const Expr &E) {
  std::string Name = declareName(I);
  statement(
      fmt::format("{} = {};", declaration(F.Insts[I].Type, Name), E.Text));
  Values.set(I, atom(Name));
}

void Printer::define(InstId I, Expr E) {
  const Inst &N = F.Insts[I];
  uint32_t Count = U.Count[I];
  if (Count == 0)
    return;
  bool Once = Count == 1 && !U.OtherBlock[I];
  if (!F.nameOf(I).empty())
    return declare(I, E);
  bool Cheap = (N.Opcode >= Op::GlobalId && N.Opcode <= Op::Len) &&
               As == Form::Canonical;
  if (Cheap || (E.Strength == Prec::Atom && !E.Reads.any() && !E.Braces)) {
    Values.set(I, std::move(E));
    return;
  }
  if (!Once || E.Text.size() > LongestExpression)
    return declare(I, E);
  Values.set(I, std::move(E));
  Kept.push_back(I);
}

/// Puts kept expressions that read what is about to be written into variables.
void Printer::flush(const Touched &Written) {
  std::vector<InstId> Now;
  for (InstId I : Kept)
    if (Values[I].Reads.meets(Written))
      Now.push_back(I);
  for (InstId I : Now) {
    std::erase(Kept, I);
    declare(I, Values[I]);
  }
}

// --- Statements
// ---------------------------------------------------------------

void Printer::line(std::string Text) { Out->Lines.push_back({0, Text}); }

void Printer::statement(std::string Text) {
  line(std::move(Text));
  ++Out->Statements;
  Out->OnlyIf = false;
}

void Printer::splice(const Sequence &Inner, unsigned Extra) {
  for (const Line &L : Inner.Lines)
    Out->Lines.push_back({L.Indent + Extra, L.Text});
}

void Printer::declareSlots(InstId I) {
  for (SlotId Slot : U.DeclareBefore[I]) {
    std::string Name = Local.take(F.Slots[Slot].Name);
    SlotNames.set(Slot, Name);
    statement(declaration(F.Slots[Slot].Type, Name) + ";");
  }
}

void Printer::inst(InstId I) {
  declareSlots(I);
  const Inst &N = F.Insts[I];
  switch (N.Opcode) {
  case Op::If:
    return ifElse(I);
  case Op::Loop:
    return loop(I);
  case Op::For:
    return forLoop(I);
  case Op::Block:
    return breakable(I);
  case Op::Break:
    return exit(N.Target, false);
  case Op::Continue:
    return exit(N.Target, true);
  case Op::BreakIf: {
    Expr Condition = use(F.operand(I, 0));
    line(fmt::format("if ({}) {{", Condition.Text));
    line("    break;");
    return statement("}");
  }
  case Op::Return:
    statement(N.NumOperands ? "return " + use(F.operand(I, 0)).Text + ";"
                            : std::string("return;"));
    Out->Ends = true;
    return;
  case Op::Assume: {
    Expr Fact = use(F.operand(I, 0));
    return statement(fmt::format("goldy_assume({});", Fact.Text));
  }
  case Op::Debug:
    return debug(I);
  case Op::Watch: // of the host
    return;
  case Op::Barrier:
    flush(U.Writes[I]);
    return statement("AllMemoryBarrierWithGroupSync();");
  case Op::Store:
    return store(I);
  case Op::Load:
    return load(I);
  case Op::WorkgroupUniformLoad:
    return uniformLoad(I);
  case Op::Call:
    return callHelper(I);
  default:
    break;
  }
  if (isAtomic(N.Opcode))
    return atomic(I);
  if (!isPure(N.Opcode)) {
    unsupported(I, opInfo(N.Opcode).Mnemonic);
    return;
  }
  if (U.Count[I] != 0)
    define(I, operation(I));
}

template <class T> void Printer::guarded(InstId I, T Body) {
  ValueId Guard = F.guard(I);
  if (!Guard)
    return Body();
  Expr Condition = use(Guard);
  Sequence Inner, *Outer = Out;
  Out = &Inner;
  Body();
  Out = Outer;
  line(fmt::format("if ({}) {{", Condition.Text));
  splice(Inner);
  statement("}");
}

/// A constant index beyond an array: Slang refuses it, the language reads zero
/// and writes nothing.
bool Printer::neverInRange(InstId I) const {
  const Place &P = F.Places[F.Insts[I].Where];
  TypeId At = P.Base.Kind == BaseKind::Param ? F.Params[P.Base.Index].Type
                                             : baseType(M, F, P.Base);
  for (size_t N = leadingIndices(F, P.Base); N < P.Path.size(); ++N) {
    const PathElement &Step = P.Path[N];
    const Type &T = M.Types[At];
    bool Constant = !Step.isDynamic() || F.isConst(Step.Index);
    uint64_t Index = Step.isDynamic() ? F.Insts[Step.Index].Imm : Step.Member;
    if (T.Kind == TypeKind::Array && Constant && Index >= T.Count)
      return true;
    At = T.Kind == TypeKind::Struct ? M.Types.memberType(At, Step.Member)
                                    : T.Element;
  }
  return false;
}

/// What stands for the value of an access that never takes place.
Expr Printer::zero(TypeId T) {
  if (M.Types.isScalar(T))
    return constant(T, 0);
  Expr E = atom("{}");
  E.Braces = true;
  return E;
}

void Printer::store(InstId I) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  if (neverInRange(I))
    return;
  if (U.Declares[I]) {
    SlotId Slot(P.Base.Index);
    Expr V = useInit(F.operand(I, 0));
    std::string Name = Local.take(F.Slots[Slot].Name);
    SlotNames.set(Slot, Name);
    return statement(
        fmt::format("{} = {};", declaration(P.Type, Name), V.Text));
  }
  if (As == Form::Entry && isImage(P))
    return entryImageStore(I);
  if (As == Form::Canonical && canonicalMember(I))
    return;
  Expr V = use(F.operand(I, 0));
  Expr At = place(I);
  flush(U.Writes[I]);
  guarded(I, [&] {
    if (!V.Updates.empty() && V.Updates == At.Text && !F.guard(I))
      return statement(
          fmt::format("{} {}= {};", At.Text, V.UpdateOp, V.UpdateBy));
    statement(fmt::format("{} = {};", At.Text, stored(I, V)));
  });
}

/// The legal form stores an element's four floats one after another; an image
/// takes them together, with the last.
void Printer::entryImageStore(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  Texel += (Texel.empty() ? "" : ", ") + use(F.operand(I, 0)).Text;
  if (P.Path.size() < 3 || P.Path[2].Member != 3)
    return;
  std::string All = std::exchange(Texel, "");
  Expr At = imagePlace(P);
  flush(U.Writes[I]);
  guarded(I, [&] { statement(fmt::format("{} = float4({});", At.Text, All)); });
}

void Printer::debug(InstId I) {
  std::string Parts;
  for (ValueId V : F.operands(I))
    Parts += (Parts.empty() ? "" : ", ") + use(V).Text;
  statement(fmt::format("goldy_debug({});", Parts));
}

void Printer::load(InstId I) {
  if (U.Count[I] == 0)
    return;
  if (neverInRange(I))
    return define(I, zero(F.Insts[I].Type));
  Expr At = place(I);
  if (!F.guard(I))
    return define(I, loaded(I, std::move(At)));
  TypeId T = F.Insts[I].Type;
  Expr V = loaded(I, std::move(At));
  Expr Guard = use(F.guard(I));
  std::string Name = declareName(I);
  statement(fmt::format("{} = {};", declaration(T, Name), constant(T, 0).Text));
  line(fmt::format("if ({}) {{", Guard.Text));
  line(fmt::format("    {} = {};", Name, V.Text));
  statement("}");
  Values.set(I, atom(Name));
}

/// The second barrier keeps what was read from before it.
void Printer::uniformLoad(InstId I) {
  flush(U.Writes[I]);
  statement("AllMemoryBarrierWithGroupSync();");
  load(I);
  flush(U.Writes[I]);
  statement("AllMemoryBarrierWithGroupSync();");
}

/// True where the bits in memory are a `uint` that stands for the value.
bool Printer::keptAsWord(const Place &P, bool Atomic) const {
  if (P.Base.Kind == BaseKind::Workgroup)
    return P.Type == types::F32 && FloatWords.count(P.Base.Index);
  if (P.Base.Kind == BaseKind::Param && As == Form::Entry)
    return P.Type == types::Bool || (P.Type == types::F32 && Atomic);
  return false;
}

/// The function of goldy.slang between a narrow float's bits and its value.
static std::string_view narrowFloat(TypeId T, bool Load) {
  if (T == types::F16)
    return Load ? "goldy_from_f16" : "goldy_to_f16";
  if (T == types::BF16)
    return Load ? "goldy_from_bf16" : "goldy_to_bf16";
  return "";
}

Expr Printer::loaded(InstId I, Expr At) {
  const Place &P = F.Places[F.Insts[I].Where];
  Expr V = At;
  if (std::string_view Convert = narrowFloat(P.Type, true); !Convert.empty()) {
    V = call(Convert, {&At});
  } else if (M.Types.isStorageOnly(P.Type)) {
    V = call(scalarName(M.Types.kind(F.Insts[I].Type)), {&At});
  } else if (!keptAsWord(P, false)) {
    V.LoadedFrom = At.Text;
  } else if (P.Type == types::F32) {
    V = call("asfloat", {&At});
  } else {
    Expr Zero = atom("0u");
    V = binary("!=", Prec::Equality, At, Zero);
  }
  V.Reads.add(touchedBy(F, P));
  return V;
}

std::string Printer::stored(InstId I, const Expr &V) {
  const Place &P = F.Places[F.Insts[I].Where];
  if (std::string_view Convert = narrowFloat(P.Type, false); !Convert.empty())
    return call(Convert, {&V}).Text;
  if (M.Types.isStorageOnly(P.Type))
    return call(scalarName(M.Types.kind(P.Type)), {&V}).Text;
  if (!keptAsWord(P, false))
    return V.Text;
  return P.Type == types::F32 ? call("asuint", {&V}).Text
                              : V.as(Prec::LogicalOr) + " ? 1u : 0u";
}

static std::string_view interlocked(Op O) {
  switch (O) {
  case Op::AtomicMin:
    return "InterlockedMin";
  case Op::AtomicMax:
    return "InterlockedMax";
  case Op::AtomicAnd:
    return "InterlockedAnd";
  case Op::AtomicOr:
  case Op::AtomicLoad:
    return "InterlockedOr";
  case Op::AtomicXor:
    return "InterlockedXor";
  case Op::AtomicAdd:
    return "InterlockedAdd";
  default:
    return "InterlockedExchange";
  }
}

/// The statement; `Old` names the variable that takes the old value.
std::string Printer::atomicCall(InstId I, const Expr &At,
                                const std::string &Old) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  bool Float = keptAsWord(P, true);
  auto Operand = [&](unsigned Which) {
    Expr V = use(F.operand(I, Which));
    return Float ? call("asuint", {&V}).Text : V.Text;
  };
  if (Float && N.Opcode == Op::AtomicAdd) {
    std::string By = use(F.operand(I, 0)).Text;
    needHelper("goldy_add_word");
    return fmt::format("goldy_add_word({}, {}, {});", At.Text, By, Old);
  }
  if (N.Opcode == Op::AtomicCompareExchange) {
    std::string Expected = Operand(0), New = Operand(1);
    return fmt::format("InterlockedCompareExchange({}, {}, {}, {});", At.Text,
                       Expected, New, Old);
  }
  std::string By = N.Opcode == Op::AtomicLoad
                       ? std::string(P.Type == types::I32 ? "0" : "0u")
                       : Operand(0);
  return fmt::format("{}({}, {}, {});", interlocked(N.Opcode), At.Text, By,
                     Old);
}

void Printer::atomic(InstId I) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  if (neverInRange(I)) {
    if (N.Type != types::Void)
      define(I, zero(N.Type));
    return;
  }
  bool InHelper =
      P.Base.Kind == BaseKind::Param && F.Params[P.Base.Index].Workgroup;
  if (InHelper && P.Type == types::F32) {
    unsupported(I, "an f32 atomic on a helper's workgroup array");
    return;
  }
  if (As == Form::Canonical && P.Base.Kind == BaseKind::Param && !InHelper)
    return canonicalBufferAtomic(I);
  Expr At = place(I);
  bool Float = keptAsWord(P, true);
  std::string Old = Local.take(fmt::format("t{}", Temporaries++));
  std::string Call = atomicCall(I, At, Old);
  flush(U.Writes[I]);
  statement(fmt::format("{} {} = 0{};",
                        Float ? "uint" : typeText(P.Type, N.Loc), Old,
                        Float || P.Type == types::U32 ? "u" : ""));
  guarded(I, [&] { statement(Call); });
  if (N.Type == types::Void || U.Count[I] == 0)
    return;
  Expr V = atom(Old);
  if (Float)
    V = call("asfloat", {&V});
  if (F.nameOf(I).empty() && !Float)
    Values.set(I, V);
  else
    declare(I, V);
}

bool Printer::isWordArray(ValueId Ref) const {
  const PlaceBase &Base = F.Places[F.Insts[Ref].Where].Base;
  return Base.Kind == BaseKind::Workgroup && FloatWords.count(Base.Index);
}

/// A buffer that may be written goes to a helper that reads it.
bool Printer::narrowsAccess(ValueId V, const Param &To) const {
  if (F.Insts[V].Opcode != Op::Ref)
    return false;
  const PlaceBase &Base = F.Places[F.Insts[V].Where].Base;
  return Base.Kind == BaseKind::Param && To.Acc == Access::Read &&
         F.Params[Base.Index].Acc != Access::Read;
}

void Printer::callHelper(InstId I) {
  const Inst &N = F.Insts[I];
  const Function &Callee = M.Functions[N.Callee];
  const Effects &Does = AllEffects[N.Callee.index()];
  std::vector<std::string> Bound;
  Expr E = atom("");
  E.Reads = Does.Reads;
  auto Add = [&E](std::string_view Text) {
    E.Text += E.Text.empty() ? "" : ", ";
    E.Text += Text;
  };
  for (uint32_t A = 0; A < N.NumOperands; ++A) {
    Expr Argument = use(F.operand(I, A));
    if (Callee.Params[A].Workgroup && isWordArray(F.operand(I, A)))
      Argument = unsupported(I, "passing on an array with f32 atomics");
    Bound.push_back(Callee.Params[A].Workgroup ? Argument.Text : "");
    if (Callee.Params[A].Workgroup)
      continue;
    if (narrowsAccess(F.operand(I, A), Callee.Params[A]))
      Argument.Text += ".ro()";
    Add(Argument.Text);
    E.Reads.add(Argument.Reads);
    if (Callee.Params[A].Kind == ParamKind::Tensor)
      Add(layoutName(F.Places[F.Insts[F.operand(I, A)].Where].Base.Index));
  }
  for (unsigned Kind = 0; Kind < 3; ++Kind)
    if (Does.Ids[Kind])
      Add(idName(Kind));
  E.Text = S.Instances[instanceKey(N.Callee, Bound)] + "(" + E.Text + ")";
  E.Strength = Prec::Postfix;
  if (!U.Writes[I].any() && N.Type != types::Void)
    return define(I, std::move(E));
  flush(U.Writes[I]);
  if (N.Type == types::Void || U.Count[I] == 0)
    return statement(E.Text + ";");
  declare(I, E);
}

/// Appends path elements from number `From` on; `At` is the type before them.
void Printer::appendPath(Expr &E, TypeId At, const Place &P, size_t From) {
  static constexpr std::string_view Components = "xyzw";
  for (size_t N = From; N < P.Path.size(); ++N) {
    const PathElement &Step = P.Path[N];
    const Type &T = M.Types[At];
    if (Step.isDynamic()) {
      Expr Index = use(Step.Index);
      E.Text += "[" + Index.Text + "]";
      E.Reads.add(Index.Reads);
    } else if (T.Kind == TypeKind::Array) {
      E.Text += fmt::format("[{}]", Step.Member);
    } else if (T.Kind == TypeKind::Vector) {
      E.Text += fmt::format(".{}", Components[Step.Member]);
    } else {
      E.Text +=
          "." + fieldName(M.Types.structure(T.Struct).Fields[Step.Member].Name);
    }
    At = T.Kind == TypeKind::Struct ? M.Types.memberType(At, Step.Member)
                                    : T.Element;
    E.Strength = Prec::Postfix;
  }
}

/// Places in slots, workgroup arrays and tables: the same in both forms.
Expr Printer::slotOrArrayPlace(const Place &P) {
  Expr E;
  switch (P.Base.Kind) {
  case BaseKind::Workgroup:
    E = atom(WorkgroupNames[P.Base.Index]);
    break;
  case BaseKind::Table:
    E = atom(S.Tables[P.Base.Index]);
    break;
  default:
    E = atom(SlotNames[SlotId(P.Base.Index)]);
    break;
  }
  appendPath(E, baseType(M, F, P.Base), P, 0);
  return E;
}

} // namespace goldy::slang
