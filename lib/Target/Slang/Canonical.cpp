//===- Canonical.cpp - Canonical Slang of one kernel
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text in order: structs, constant tables, workgroup arrays, helpers, the
// entry `cs_main`. All that the kernel reaches, in declaration order, and
// nothing else.
//
//===----------------------------------------------------------------------===//
#include "Printer.h"
#include "goldyc/Target/TensorLayout.h"

#include <fmt/format.h>
#include <optional>

namespace goldy::slang {

std::string_view idName(unsigned Kind) {
  static constexpr std::string_view Names[] = {"_goldy_gid", "_goldy_lid",
                                               "_goldy_wid"};
  return Names[Kind];
}

namespace {

class CanonicalText {
public:
  CanonicalText(const Module &M, FuncId Kernel, DiagSink &Diags)
      : M(M), Kernel(Kernel), F(M.Functions[Kernel]), Diags(Diags),
        AllEffects(moduleEffects(M)), UsedStructs(M.Types.structCount()),
        UsedTables(M.Tables.size()) {}
  std::optional<std::string> run();

private:
  bool checkParams(const Function &Of);
  void findInstances(FuncId Of, const std::vector<std::string> &Bound);
  std::string boundName(const Function &Of, InstId Call, uint32_t Arg,
                        const std::vector<std::string> &Bound) const;
  void useType(TypeId T);
  void useTypesOf(const Function &Of);
  void takeNames();
  std::string structText(StructId Id) const;
  std::string tableText(TableId Id) const;
  std::string specText(uint32_t Number) const;
  std::optional<std::string> functionText(const Instance &I);
  std::string paramText(const Function &Of, const Param &P,
                        std::string_view Name) const;
  std::string signature(const Instance &I, const Printer &P) const;

  const Module &M;
  FuncId Kernel;
  const Function &F;
  DiagSink &Diags;
  std::vector<Effects> AllEffects;
  std::vector<bool> UsedStructs, UsedTables;
  Shared S;
  std::vector<std::string> Arrays;
  std::vector<Instance> Instances; ///< callees first, the kernel last
  std::string ArrayText;
};

} // namespace

bool CanonicalText::checkParams(const Function &Of) {
  for (const Param &P : Of.Params) {
    if (!P.ExpandedFrom)
      continue;
    Diags.report(diag::G0685, P.Loc)
            .help("canonical Slang is made from the definition")
        << "parameter `" << P.Name
        << "`: expanded resources cannot be written as Slang yet";
    return false;
  }
  return true;
}

/// The workgroup array that argument `Arg` of a call names, else empty.
std::string
CanonicalText::boundName(const Function &Of, InstId Call, uint32_t Arg,
                         const std::vector<std::string> &Bound) const {
  const Inst &N = Of.Insts[Call];
  if (!M.Functions[N.Callee].Params[Arg].Workgroup)
    return "";
  const PlaceBase &Base = Of.Places[Of.Insts[Of.operand(Call, Arg)].Where].Base;
  return Base.Kind == BaseKind::Workgroup ? Arrays[Base.Index]
                                          : Bound[Base.Index];
}

void CanonicalText::findInstances(FuncId Id,
                                  const std::vector<std::string> &Bound) {
  std::string Key = instanceKey(Id, Bound);
  if (S.Instances.count(Key))
    return;
  const Function &Of = M.Functions[Id];
  for (uint32_t N = 0; N < Of.Insts.size(); ++N) {
    const Inst &I = Of.Insts[InstId(N)];
    if (I.Opcode != Op::Call)
      continue;
    std::vector<std::string> Inner;
    for (uint32_t A = 0; A < I.NumOperands; ++A)
      Inner.push_back(boundName(Of, InstId(N), A, Bound));
    findInstances(I.Callee, Inner);
  }
  useTypesOf(Of);
  std::string Wanted = Of.Name;
  for (const std::string &Name : Bound)
    Wanted += Name.empty() ? "" : "_" + Name;
  std::string Name = Id == Kernel ? "cs_main" : S.Global.take(Wanted);
  S.Instances[Key] = Name;
  Instances.push_back({Id, Bound, Name});
}

void CanonicalText::useType(TypeId T) {
  const Type &Ty = M.Types[T];
  if (Ty.Kind == TypeKind::Array || Ty.Kind == TypeKind::Vector)
    return useType(Ty.Element);
  if (Ty.Kind != TypeKind::Struct || UsedStructs[Ty.Struct.index()])
    return;
  UsedStructs[Ty.Struct.index()] = true;
  for (const StructField &Field : M.Types.structure(Ty.Struct).Fields)
    useType(Field.Type);
}

void CanonicalText::useTypesOf(const Function &Of) {
  useType(Of.ReturnType);
  for (const Param &P : Of.Params)
    useType(P.Type);
  for (const Slot &Slot : Of.Slots)
    useType(Slot.Type);
  for (const Inst &I : Of.Insts)
    useType(I.Type);
  for (const Place &P : Of.Places)
    if (P.Base.Kind == BaseKind::Table)
      UsedTables[P.Base.Index] = true;
}

void CanonicalText::takeNames() {
  for (uint32_t N = 0; N < M.Types.structCount(); ++N)
    S.Structs.push_back(S.Global.takeType(M.Types.structure(StructId(N)).Name));
  for (const ConstTable &T : M.Tables)
    S.Tables.push_back(S.Global.take(T.Name.empty() ? "table" : T.Name));
  for (const SpecConstant &C : M.Specs)
    S.Specs.push_back(S.Global.take(C.Name));
  for (const WorkgroupArray &A : F.WorkgroupArrays) {
    Arrays.push_back(S.Global.take(A.Name.empty() ? "shared" : A.Name));
    S.Extents[Arrays.back()] = M.Types[A.Type].Count;
  }
}

std::string CanonicalText::structText(StructId Id) const {
  std::string Text = fmt::format("struct {} {{\n", S.Structs[Id.index()]);
  for (const StructField &Field : M.Types.structure(Id).Fields)
    Text += "    " + declared(M, S, Field.Type, fieldName(Field.Name)) + ";\n";
  return Text + "}\n\n";
}

std::string CanonicalText::specText(uint32_t Number) const {
  const SpecConstant &C = M.Specs[SpecId(Number)];
  std::string Value = C.Type == types::F32
                          ? floatLiteral(static_cast<uint32_t>(C.Default))
                          : integerLiteral(M.Types.kind(C.Type), C.Default);
  return fmt::format("[vk::constant_id({})]\nconst {} = {};\n", Number,
                     declared(M, S, C.Type, S.Specs[Number]), Value);
}

std::string CanonicalText::tableText(TableId Id) const {
  const ConstTable &T = M.Tables[Id];
  std::string Text = fmt::format("static const {} = {{",
                                 declared(M, S, T.Type, S.Tables[Id.index()]));
  TypeId Element = M.Types[T.Type].Element;
  for (size_t N = 0; N < T.Bits.size(); ++N) {
    Text += N ? ", " : "";
    Text += Element == types::F32
                ? floatLiteral(static_cast<uint32_t>(T.Bits[N]))
                : integerLiteral(M.Types.kind(Element), T.Bits[N]);
  }
  return Text + "};\n\n";
}

std::string CanonicalText::paramText(const Function &Of, const Param &P,
                                     std::string_view Name) const {
  if (P.Kind == ParamKind::Scalar || P.Kind == ParamKind::Uniform)
    return declared(M, S, P.Type, Name);
  if (P.Kind == ParamKind::Image)
    return fmt::format("DirectSpatial<{}> {}", scalarOrStruct(M, S, P.Type),
                       Name);
  return fmt::format("{}<{}> {}", P.Acc == Access::Read ? "BufRO" : "Scattered",
                     scalarOrStruct(M, S, P.Type), Name);
}

std::string CanonicalText::signature(const Instance &I,
                                     const Printer &P) const {
  const Function &Of = M.Functions[I.Function];
  std::string Params;
  bool HasLayouts = false;
  auto Add = [&Params](std::string_view Text) {
    Params += Params.empty() ? "" : ", ";
    Params += Text;
  };
  for (uint32_t N = 0; N < Of.Params.size(); ++N)
    if (I.Bound[N].empty()) {
      Add(paramText(Of, Of.Params[N], P.paramName(N)));
      bool Layout = Of.Params[N].Kind == ParamKind::Tensor;
      HasLayouts |= Layout;
      if (Layout && Of.Kind == FuncKind::Helper)
        Add(fmt::format("GoldyTensorLayout {}", P.layoutName(N)));
    }
  static constexpr std::string_view Types[] = {"ThreadId", "GroupThreadId",
                                               "GroupId"};
  for (unsigned Kind = 0; Kind < 3; ++Kind)
    if (AllEffects[I.Function.index()].Ids[Kind])
      Add(fmt::format("{} {}", Types[Kind], idName(Kind)));
  if (HasLayouts && Of.Kind == FuncKind::Kernel)
    Add(fmt::format("BufRO<GoldyTensorLayout> {}", LayoutsName));
  std::string Result = scalarOrStruct(M, S, Of.ReturnType);
  if (M.Types.kind(Of.ReturnType) == TypeKind::Array)
    Result = declared(M, S, Of.ReturnType, "");
  std::erase(Result, ' ');
  return fmt::format("{} {}({}) {{\n", Result, I.Name, Params);
}

std::optional<std::string> CanonicalText::functionText(const Instance &I) {
  bool Entry = I.Function == Kernel;
  Printer P(M, I, Form::Canonical, S, Entry ? Arrays : decltype(Arrays)(),
            AllEffects, Diags);
  std::optional<std::vector<Line>> Lines = P.body();
  if (!Lines)
    return std::nullopt;
  std::string Text;
  if (Entry)
    Text =
        fmt::format("[goldy_compute]\n[numthreads({}, {}, {})]\n",
                    F.WorkgroupSize[0], F.WorkgroupSize[1], F.WorkgroupSize[2]);
  Text += signature(I, P) + joined(*Lines, 1) + "}\n";
  if (!Entry)
    return Text + "\n";
  for (uint32_t A = 0; A < F.WorkgroupArrays.size(); ++A) {
    TypeId T = F.WorkgroupArrays[WorkgroupId(A)].Type;
    std::string Declared = declared(M, S, T, Arrays[A]);
    if (P.floatAsWords(A))
      Declared.replace(0, 5, "uint"); // atomics want integers
    ArrayText += "groupshared " + Declared + ";\n";
  }
  ArrayText += ArrayText.empty() ? "" : "\n";
  return Text;
}

std::optional<std::string> CanonicalText::run() {
  takeNames();
  findInstances(Kernel, std::vector<std::string>(F.Params.size()));
  std::string Functions;
  for (const Instance &I : Instances) {
    if (!checkParams(M.Functions[I.Function]))
      return std::nullopt;
    std::optional<std::string> Text = functionText(I);
    if (!Text)
      return std::nullopt;
    Functions += *Text;
  }
  std::string Head;
  for (uint32_t N : S.UsedSpecs)
    Head += specText(N);
  Head += Head.empty() ? "" : "\n";
  for (uint32_t N = 0; N < UsedStructs.size(); ++N)
    if (UsedStructs[N])
      Head += structText(StructId(N));
  for (uint32_t N = 0; N < UsedTables.size(); ++N)
    if (UsedTables[N])
      Head += tableText(TableId(N));
  return Head + ArrayText + Functions;
}

/// The layout of a tensor parameter: an element of the kernel's hidden
/// parameter, or the helper's own.
std::string Printer::layoutName(uint32_t Param) const {
  if (F.Kind == FuncKind::Kernel)
    return fmt::format("{}[{}]", LayoutsName, tensorNumber(F, Param));
  return LayoutNames[Param];
}

/// What subscripts the parent: a tensor's index becomes the parent's element,
/// by the function for its contract's rank.
Expr Printer::subscript(const PlaceBase &Base, Expr Index) {
  const Param &P = F.Params[Base.Index];
  if (P.Kind != ParamKind::Tensor)
    return Index;
  std::string Name = "goldy_element";
  if (P.Contract && P.Contract->size() < 4)
    Name += std::to_string(P.Contract->size());
  Expr Layout = atom(layoutName(Base.Index));
  return call(Name, {&Layout, &Index});
}

/// `y[i].field[2].x`: the buffer's element by its subscript, then the rest.
Expr Printer::canonicalPlace(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  if (P.Base.Kind != BaseKind::Param)
    return slotOrArrayPlace(P);
  Expr E = atom(ParamNames[P.Base.Index]);
  if (F.Params[P.Base.Index].Kind == ParamKind::Uniform) {
    appendPath(E, F.Params[P.Base.Index].Type, P, 0);
    return E;
  }
  if (F.Params[P.Base.Index].Kind == ParamKind::Image)
    return imagePlace(P);
  const PathElement &First = P.Path[0];
  Expr Index = subscript(P.Base, First.isDynamic()
                                     ? use(First.Index)
                                     : atom(fmt::format("{}u", First.Member)));
  E.Text += "[" + Index.Text + "]";
  E.Strength = Prec::Postfix;
  E.Reads = Index.Reads;
  appendPath(E, F.Params[P.Base.Index].Type, P, 1);
  return E;
}

/// `img[uint2(x, y)]`: the element, in both forms.
Expr Printer::imagePlace(const Place &P) {
  Expr E = atom(ParamNames[P.Base.Index]);
  std::string At;
  for (unsigned Axis = 0; Axis < 2; ++Axis) {
    const PathElement &Step = P.Path[Axis];
    Expr Index = Step.isDynamic() ? use(Step.Index)
                                  : atom(fmt::format("{}u", Step.Member));
    At += (Axis ? ", " : "") + Index.Text;
    E.Reads.add(Index.Reads);
  }
  E.Text += "[uint2(" + At + ")]";
  E.Strength = Prec::Postfix;
  return E;
}

/// A store to a part of a buffer's element goes through its address: by the
/// subscript it would write the whole element.
bool Printer::canonicalMember(InstId I) {
  const Place &P = F.Places[F.Insts[I].Where];
  if (P.Base.Kind != BaseKind::Param || P.Path.size() < 2 ||
      leadingIndices(F, P.Base) != 1 || F.Params[P.Base.Index].Workgroup)
    return false;
  std::string Name = ParamNames[P.Base.Index];
  const PathElement &First = P.Path[0];
  Expr V = use(F.operand(I, 0));
  Expr Index = First.isDynamic() ? useAtom(First.Index)
                                 : atom(fmt::format("{}u", First.Member));
  if (First.isDynamic() && F.typeOf(First.Index) == types::I32)
    Index = call("uint", {&Index});
  if (F.Params[P.Base.Index].Kind == ParamKind::Tensor) {
    std::string Element = Local.take(fmt::format("t{}", Temporaries++));
    statement(
        fmt::format("uint {} = {};", Element, subscript(P.Base, Index).Text));
    Index = atom(Element);
  }
  Expr At = atom(fmt::format("(*{}.at({}))", Name, Index.Text));
  appendPath(At, F.Params[P.Base.Index].Type, P, 1);
  flush(U.Writes[I]);
  line(fmt::format("if ({} < {}.len()) {{", Index.Text, Name));
  line(fmt::format("    {} = {};", At.Text, V.Text));
  statement("}");
  return true;
}

/// Methods of Scattered, which know the length.
void Printer::canonicalBufferAtomic(InstId I) {
  const Inst &N = F.Insts[I];
  const Place &P = F.Places[N.Where];
  if (P.Path.size() != 1 || F.Params[P.Base.Index].Workgroup ||
      (P.Type == types::F32 && N.Opcode != Op::AtomicAdd)) {
    unsupported(I, "this atomic operation");
    return;
  }
  std::string_view Method = opInfo(N.Opcode).Mnemonic;
  Method.remove_prefix(std::string_view("gpu::").size());
  Expr E = atom(ParamNames[P.Base.Index]);
  Expr Index = P.Path[0].isDynamic()
                   ? use(P.Path[0].Index)
                   : atom(fmt::format("{}u", P.Path[0].Member));
  E.Text += fmt::format(".{}({}", Method, subscript(P.Base, Index).Text);
  for (ValueId V : F.arguments(I))
    E.Text += ", " + use(V).Text;
  E.Text += ")";
  E.Strength = Prec::Postfix;
  flush(U.Writes[I]);
  if (N.Type == types::Void || U.Count[I] == 0)
    return statement(E.Text + ";");
  declare(I, E);
}

} // namespace goldy::slang

namespace goldy {

std::optional<std::string> emitSlang(const VerifiedModule &M, FuncId Kernel,
                                     DiagSink &Diags) {
  return slang::CanonicalText(*M, Kernel, Diags).run();
}

} // namespace goldy
