//===- Printer.cpp - IR as text in the kernel language
//---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints any module, also a malformed one (handles that lead nowhere become
// `<invalid>`), since verifier messages quote instructions. The grammar is in
// docs/IR.md; TextParser.cpp reads it back.
//
//===----------------------------------------------------------------------===//
#include "TextNames.h"
#include "goldyc/IR/Text.h"

#include <bit>
#include <charconv>
#include <sstream>

using namespace goldy;

namespace {

constexpr const char *Invalid = "<invalid>";

std::string floatText(uint32_t Bits) {
  switch (Bits) {
  case 0x7f800000u:
    return "f32::INFINITY";
  case 0xff800000u:
    return "f32::NEG_INFINITY";
  case 0x7fc00000u:
    return "f32::NAN";
  default:
    break;
  }
  char Buffer[40];
  if ((Bits & 0x7f800000u) == 0x7f800000u) {
    std::snprintf(Buffer, sizeof Buffer, "f32::from_bits(0x%08x)", Bits);
    return Buffer;
  }
  std::to_chars_result R =
      std::to_chars(Buffer, Buffer + sizeof Buffer, std::bit_cast<float>(Bits));
  std::string Text(Buffer, R.ptr);
  if (Text.find_first_of(".e") == Text.npos)
    Text += ".0";
  return Text + "f32";
}

std::string constantText(const Module &M, TypeId T, uint64_t Bits) {
  switch (M.Types.contains(T) ? M.Types.kind(T) : TypeKind::Void) {
  case TypeKind::Bool:
    return Bits ? "true" : "false";
  case TypeKind::U32:
    return std::to_string(static_cast<uint32_t>(Bits)) + "u32";
  case TypeKind::I32:
    return std::to_string(static_cast<int32_t>(Bits)) + "i32";
  case TypeKind::U64:
    return std::to_string(Bits) + "u64";
  case TypeKind::I64:
    return std::to_string(static_cast<int64_t>(Bits)) + "i64";
  case TypeKind::F32:
    return floatText(static_cast<uint32_t>(Bits));
  default:
    return Invalid;
  }
}

/// How an operation is written.
enum class Form : uint8_t { Call, Binary, Prefix, Own };

Form formOf(Op O) {
  switch (O) {
  case Op::Neg:
  case Op::Not:
    return Form::Prefix;
  case Op::Cast:
  case Op::Construct:
  case Op::Extract:
  case Op::Load:
  case Op::Store:
  case Op::Len:
  case Op::Call:
    return Form::Own;
  default:
    break;
  }
  std::string_view Mnemonic = opInfo(O).Mnemonic;
  return Mnemonic.find("::") == Mnemonic.npos ? Form::Binary : Form::Call;
}

class FunctionPrinter {
public:
  FunctionPrinter(std::ostream &Out, const Module &M, const Function &F,
                  const TextOptions &Options)
      : Out(Out), M(M), F(F), Options(Options), Names(M, F), Types(M.Types) {}
  void print();
  /// The head of a control instruction, or the whole instruction.
  std::string text(InstId I) const;

private:
  void header();
  void declarations();
  void block(BlockId B, unsigned Indent);
  void instruction(InstId I, unsigned Indent);
  void controlBlocks(InstId I, unsigned Indent);
  std::ostream &indent(unsigned Indent) {
    return Out << std::string(4 * Indent, ' ');
  }

  std::string paramText(uint32_t Index) const;
  std::string typeName(TypeId T) const {
    return M.Types.contains(T) ? Types.name(T) : Invalid;
  }
  std::string baseText(const PlaceBase &B) const;
  std::string placeText(PlaceId P) const;
  std::string memberText(TypeId T, uint32_t Member) const;
  std::string valueText(ValueId V) const;
  std::string operandText(const Inst &I, unsigned N) const;
  std::string listText(const Inst &I, size_t First) const;
  std::string body(InstId I) const;
  std::string ownForm(const Inst &I) const;
  std::string constructText(const Inst &I) const;
  std::string memoryText(InstId I) const;
  std::string controlHead(InstId I) const;
  std::string loopHead(const Inst &I) const;
  std::string jumpText(const Inst &I, const char *Keyword) const;
  /// The range in the pool, or nothing if it lies outside.
  std::span<const ValueId> operandsOf(const Inst &I) const {
    bool Inside =
        uint64_t(I.FirstOperand) + I.NumOperands <= F.OperandPool.size();
    return Inside ? F.operands(I) : std::span<const ValueId>();
  }

  std::ostream &Out;
  const Module &M;
  const Function &F;
  const TextOptions &Options;
  TextNames Names;
  TextTypeNames Types;
};

std::string FunctionPrinter::baseText(const PlaceBase &B) const {
  switch (B.Kind) {
  case BaseKind::Param:
    return B.Index < F.Params.size() ? Names.param(B.Index) : Invalid;
  case BaseKind::Workgroup:
    return B.Index < F.WorkgroupArrays.size() ? Names.workgroup(B.Index)
                                              : Invalid;
  case BaseKind::Slot:
    return B.Index < F.Slots.size() ? Names.slot(B.Index) : Invalid;
  case BaseKind::Table:
    return B.Index < M.Tables.size() ? M.Tables[TableId(B.Index)].Name
                                     : Invalid;
  }
  return Invalid;
}

/// `.x`, `.field` or `[3]`.
std::string FunctionPrinter::memberText(TypeId T, uint32_t Member) const {
  TypeKind K = M.Types.contains(T) ? M.Types.kind(T) : TypeKind::Array;
  if (K == TypeKind::Vector && Member < 4)
    return std::string(".") + "xyzw"[Member];
  if (K == TypeKind::Struct && Member < M.Types.memberCount(T))
    return "." + M.Types.structure(M.Types[T].Struct).Fields[Member].Name;
  return "[" + std::to_string(Member) + "]";
}

std::string FunctionPrinter::placeText(PlaceId P) const {
  if (!F.Places.contains(P))
    return Invalid;
  const Place &N = F.Places[P];
  std::string Text = baseText(N.Base);
  // The type at each step tells how its member is written.
  Place Prefix;
  Prefix.Base = N.Base;
  for (const PathElement &E : N.Path) {
    if (E.isDynamic())
      Text += "[" + valueText(E.Index) + "]";
    else if (N.Base.Kind == BaseKind::Param && N.Base.Index < F.Params.size() &&
             Prefix.Path.size() < leadingIndices(F, N.Base))
      Text += "[" + std::to_string(E.Member) + "]";
    else
      Text += memberText(Prefix.Path.empty() ? baseType(M, F, N.Base)
                                             : placeType(M, F, Prefix),
                         E.Member);
    Prefix.Path.push_back(E);
  }
  return Text;
}

std::string FunctionPrinter::valueText(ValueId V) const {
  if (!F.Insts.contains(V))
    return Invalid;
  const Inst &I = F.Insts[V];
  switch (I.Opcode) {
  case Op::Const:
    return constantText(M, I.Type, I.Imm);
  case Op::ParamValue:
    return I.Imm < F.Params.size() ? Names.param(static_cast<uint32_t>(I.Imm))
                                   : Invalid;
  case Op::Ref:
    return placeText(I.Where);
  case Op::SpecConst:
    return "ir::spec::<" + typeName(I.Type) + ">(" + std::to_string(I.Imm) +
           ")";
  case Op::DeviceSwitch:
    return "ir::device_switch(" + std::to_string(I.Imm) + ")";
  default:
    return Names.value(V).empty() ? Invalid : Names.value(V);
  }
}

std::string FunctionPrinter::operandText(const Inst &I, unsigned N) const {
  std::span<const ValueId> Operands = operandsOf(I);
  return N < Operands.size() ? valueText(Operands[N]) : Invalid;
}

/// Operands from `First` on, by comma.
std::string FunctionPrinter::listText(const Inst &I, size_t First) const {
  std::string Text;
  std::span<const ValueId> Operands = operandsOf(I);
  for (size_t N = First; N < Operands.size(); ++N)
    Text += (N > First ? ", " : "") + valueText(Operands[N]);
  return Text;
}

std::string FunctionPrinter::constructText(const Inst &I) const {
  TypeKind K = M.Types.contains(I.Type) ? M.Types.kind(I.Type) : TypeKind::Void;
  if (K == TypeKind::Vector) {
    std::string Name = typeName(I.Type); // gpu::Float3 makes gpu::float3
    for (size_t C = 5; C < Name.size(); ++C)
      if (Name[C] >= 'A' && Name[C] <= 'Z')
        Name[C] = static_cast<char>(Name[C] + 32);
    return Name + "(" + listText(I, 0) + ")";
  }
  std::span<const ValueId> Operands = operandsOf(I);
  if (K == TypeKind::Struct) {
    std::string Text = typeName(I.Type) + " {";
    for (size_t N = 0; N < Operands.size(); ++N)
      Text += (N ? ", " : " ") +
              memberText(I.Type, static_cast<uint32_t>(N)).substr(1) + ": " +
              valueText(Operands[N]);
    return Text + " }";
  }
  bool Repeated = Operands.size() > 2;
  for (ValueId V : Operands)
    Repeated = Repeated && V == Operands[0];
  if (Repeated)
    return "[" + valueText(Operands[0]) + "; " +
           std::to_string(Operands.size()) + "]";
  return "[" + listText(I, 0) + "]";
}

/// Load, store and atomics, with their guard if they have one.
std::string FunctionPrinter::memoryText(InstId Id) const {
  const Inst &I = F.Insts[Id];
  std::string Where = placeText(I.Where);
  bool Guarded = I.Flags & FlagGuarded;
  if (!Guarded && I.Opcode == Op::Load)
    return Where;
  if (!Guarded && I.Opcode == Op::Store)
    return Where + " = " + operandText(I, 0);
  std::string Name(opInfo(I.Opcode).Mnemonic);
  if (Guarded)
    Name = "ir::" + (Name.starts_with("gpu::") ? Name.substr(5) : Name) + "_if";
  std::string Text = Name + "(";
  std::span<const ValueId> Operands = operandsOf(I);
  if (Guarded)
    Text += (Operands.empty() ? Invalid : valueText(Operands.back())) + ", ";
  Text += Where;
  size_t Count = Operands.size() - (Guarded && !Operands.empty() ? 1 : 0);
  for (size_t N = 0; N < Count; ++N)
    Text += ", " + valueText(Operands[N]);
  return Text + ")";
}

std::string FunctionPrinter::ownForm(const Inst &I) const {
  switch (I.Opcode) {
  case Op::Cast:
    return operandText(I, 0) + " as " + typeName(I.Type);
  case Op::Construct:
    return constructText(I);
  case Op::Extract: {
    std::span<const ValueId> Operands = operandsOf(I);
    bool Known = !Operands.empty() && F.Insts.contains(Operands[0]);
    return operandText(I, 0) +
           memberText(Known ? F.typeOf(Operands[0]) : TypeId(),
                      static_cast<uint32_t>(I.Imm));
  }
  case Op::Len:
    return placeText(I.Where) + ".len()";
  default: // Call
    return (M.Functions.contains(I.Callee) ? M.Functions[I.Callee].Name
                                           : std::string(Invalid)) +
           "(" + listText(I, 0) + ")";
  }
}

/// What stands after `let name: type =`, or before the `;`.
std::string FunctionPrinter::body(InstId Id) const {
  const Inst &I = F.Insts[Id];
  if (accessesPlace(I.Opcode))
    return memoryText(Id);
  std::string Mnemonic(opInfo(I.Opcode).Mnemonic);
  if (I.Opcode >= Op::GlobalId && I.Opcode <= Op::WorkgroupSize)
    return Mnemonic + (I.Imm < 3 ? std::string(".") + "xyz"[I.Imm] : Invalid);
  switch (formOf(I.Opcode)) {
  case Form::Own:
    return ownForm(I);
  case Form::Binary:
    return operandText(I, 0) + " " + Mnemonic + " " + operandText(I, 1);
  case Form::Prefix: {
    std::string Operand = operandText(I, 0);
    bool Digit = Operand[0] == '-' || (Operand[0] >= '0' && Operand[0] <= '9');
    return (I.Opcode == Op::Neg ? "-" : "!") +
           (Digit ? "(" + Operand + ")" : Operand);
  }
  case Form::Call:
    break;
  }
  return Mnemonic + "(" + listText(I, 0) + ")";
}

std::string FunctionPrinter::jumpText(const Inst &I,
                                      const char *Keyword) const {
  bool Known = F.Insts.contains(I.Target) && !Names.label(I.Target).empty();
  return std::string(Keyword) + " " +
         (Known ? Names.label(I.Target) : std::string(Invalid));
}

std::string FunctionPrinter::loopHead(const Inst &I) const {
  std::string Unroll;
  if (I.Unroll == UnrollFull)
    Unroll = "#[unroll] ";
  else if (I.Unroll != 0)
    Unroll = "#[unroll(" + std::to_string(I.Unroll) + ")] ";
  if (I.Opcode == Op::Loop)
    return Unroll + "loop";
  std::string Range = operandText(I, 0) +
                      (I.Flags & FlagInclusive ? "..=" : "..") +
                      operandText(I, 1);
  if (I.Imm != 1)
    Range = "(" + Range + ").step_by(" + std::to_string(I.Imm) + ")";
  return Unroll + "for " + valueText(I.Var) + " in " + Range;
}

std::string FunctionPrinter::controlHead(InstId Id) const {
  const Inst &I = F.Insts[Id];
  switch (I.Opcode) {
  case Op::If:
    return "if " + operandText(I, 0);
  case Op::Loop:
  case Op::For:
    return loopHead(I);
  case Op::Block:
    return "";
  case Op::Break:
    return jumpText(I, "break");
  case Op::Continue:
    return jumpText(I, "continue");
  case Op::Return:
    return I.NumOperands ? "return " + operandText(I, 0) : "return";
  default:
    return body(Id);
  }
}

std::string FunctionPrinter::text(InstId Id) const {
  if (!F.Insts.contains(Id))
    return Invalid;
  const Inst &I = F.Insts[Id];
  Effect E = opInfo(I.Opcode).Effects;
  if (E == Effect::Leaf)
    return valueText(Id);
  if (E == Effect::Control)
    return controlHead(Id);
  if (I.Type == types::Void)
    return body(Id);
  return "let " + valueText(Id) + ": " + typeName(I.Type) + " = " + body(Id);
}

void FunctionPrinter::controlBlocks(InstId Id, unsigned Indent) {
  const Inst &I = F.Insts[Id];
  const char *Second = I.Opcode == Op::If ? " else {" : " continuing {";
  for (unsigned N = 0; N < 2; ++N) {
    if (!I.Blocks[N])
      continue;
    if (N == 1)
      Out << Second << '\n';
    block(I.Blocks[N], Indent + 1);
    indent(Indent) << '}';
  }
  Out << '\n';
}

void FunctionPrinter::instruction(InstId Id, unsigned Indent) {
  indent(Indent);
  if (!F.Insts.contains(Id)) {
    Out << Invalid << ";\n";
    return;
  }
  const std::string &Label = Names.label(Id);
  if (!Label.empty())
    Out << Label << ": ";
  std::string Text = text(Id);
  bool HoldsBlocks = F.Insts[Id].Blocks[0].isValid();
  Out << Text << (!HoldsBlocks ? ";" : Text.empty() ? "{" : " {");
  std::string Comment = Options.Comment ? Options.Comment(F, Id) : "";
  if (!Comment.empty())
    Out << " // " << Comment;
  Out << '\n';
  if (HoldsBlocks)
    controlBlocks(Id, Indent);
}

void FunctionPrinter::block(BlockId B, unsigned Indent) {
  if (!F.Blocks.contains(B))
    return;
  for (InstId I : F.Blocks[B].Insts)
    instruction(I, Indent);
}

/// What stands before a parameter: `#[workgroup]`, its shape contract, and
/// what the caller binds where a pass has expanded that.
std::string attributesText(const Param &P) {
  std::string Text = P.Workgroup ? "#[workgroup] " : "";
  if (P.Contract) {
    Text += "#[tensor(shape = [";
    for (size_t A = 0; A < P.Contract->size(); ++A) {
      const ContractDim &D = (*P.Contract)[A];
      Text += A ? ", " : "";
      Text += D.Form == ContractDim::Kind::Any     ? "_"
              : D.Form == ContractDim::Kind::Exact ? std::to_string(D.Extent)
                                                   : D.Name;
    }
    Text += "])] ";
  }
  if (P.ExpandedFrom)
    Text += *P.ExpandedFrom == ParamKind::Tensor ? "#[expanded(tensor)] "
                                                 : "#[expanded(image)] ";
  return Text;
}

std::string FunctionPrinter::paramText(uint32_t Index) const {
  const Param &P = F.Params[Index];
  std::string T = typeName(P.Type);
  std::string Text = attributesText(P);
  Text += Names.param(Index) + ": ";
  switch (P.Kind) {
  case ParamKind::Scalar:
    return Text + T;
  case ParamKind::Uniform:
    return Text + "&" + T;
  case ParamKind::Image:
    return Text + "gpu::DirectSpatial<" + T + ">";
  case ParamKind::Buffer:
    if (P.Acc == Access::Write)
      return Text + "gpu::Scattered<" + T + ">";
    return Text + (P.Acc == Access::Read ? "&[" : "&mut [") + T + "]";
  case ParamKind::Tensor:
    break;
  }
  const char *Suffix = P.Acc == Access::Read    ? ""
                       : P.Acc == Access::Write ? "Write"
                                                : "Mut";
  return Text + "gpu::Tensor" + Suffix + "<" + T + ">";
}

void printDoc(std::ostream &Out, const std::string &Doc) {
  if (Doc.empty())
    return;
  size_t At = 0;
  for (;;) {
    size_t End = Doc.find('\n', At);
    std::string Line = Doc.substr(At, End - At);
    std::erase(Line, '\r');
    Out << (Line.empty() ? "///" : "/// ") << Line << '\n';
    if (End == Doc.npos)
      return;
    At = End + 1;
  }
}

void FunctionPrinter::header() {
  printDoc(Out, F.Doc);
  if (F.Kind == FuncKind::Kernel)
    Out << "#[goldy::compute(workgroup_size = [" << F.WorkgroupSize[0] << ", "
        << F.WorkgroupSize[1] << ", " << F.WorkgroupSize[2] << "]"
        << (F.Nondeterministic ? ", nondeterministic" : "")
        << (F.WordsBinding ? ", binding = words" : "") << ")]\n";
  Out << "fn " << F.Name << '(';
  for (uint32_t I = 0; I < F.Params.size(); ++I)
    Out << (I ? ", " : "") << paramText(I);
  Out << ')';
  if (F.ReturnType != types::Void)
    Out << " -> " << typeName(F.ReturnType);
}

void FunctionPrinter::declarations() {
  for (uint32_t I = 0; I < F.WorkgroupArrays.size(); ++I) {
    TypeId T = F.WorkgroupArrays[WorkgroupId(I)].Type;
    bool Array = M.Types.contains(T) && M.Types.kind(T) == TypeKind::Array;
    indent(1) << "let mut " << Names.workgroup(I)
              << " = gpu::workgroup_array::<";
    if (Array)
      Out << typeName(M.Types[T].Element) << ", " << M.Types[T].Count;
    else
      Out << Invalid;
    Out << ">();\n";
  }
  for (uint32_t I = 0; I < F.Slots.size(); ++I)
    indent(1) << "let mut " << Names.slot(I) << ": "
              << typeName(F.Slots[SlotId(I)].Type) << ";\n";
}

void FunctionPrinter::print() {
  header();
  Out << " {\n";
  declarations();
  block(F.Body, 1);
  Out << "}\n";
}

void printStruct(std::ostream &Out, const Module &M, StructId S,
                 const TextTypeNames &Types) {
  Out << "#[goldy::gpu]\nstruct " << Types.structure(S) << " {\n";
  for (const StructField &Field : M.Types.structure(S).Fields)
    Out << "    " << Field.Name << ": " << Types.name(Field.Type) << ",\n";
  Out << "}\n";
}

void printTable(std::ostream &Out, const Module &M, const ConstTable &T,
                const TextTypeNames &Types) {
  Out << "const " << T.Name << ": " << Types.name(T.Type) << " = [";
  TypeId Element = M.Types[T.Type].Element;
  for (size_t I = 0; I < T.Bits.size(); ++I)
    Out << (I ? ", " : "") << constantText(M, Element, T.Bits[I]);
  Out << "];\n";
}

void printSpec(std::ostream &Out, const Module &M, const SpecConstant &S) {
  Out << "#[goldy::spec]\nconst " << S.Name << ": " << M.Types.name(S.Type)
      << " = " << constantText(M, S.Type, S.Default) << ";\n";
}

} // namespace

void goldy::printFunction(std::ostream &Out, const Module &M, const Function &F,
                          const TextOptions &Options) {
  FunctionPrinter(Out, M, F, Options).print();
}

void goldy::printModule(std::ostream &Out, const Module &M,
                        const TextOptions &Options) {
  TextTypeNames Types(M.Types);
  std::string Facts;
  auto Add = [&](bool Holds, const char *Word) {
    if (Holds)
      Facts += (Facts.empty() ? "" : ", ") + std::string(Word);
  };
  Add(M.Level == IRLevel::Legal, "legal");
  Add(M.Bounds == BoundsMode::Unchecked, "unchecked");
  Add(M.Floats == FloatMode::Fast, "fast");
  Out << "#![goldy::ir";
  if (!Facts.empty())
    Out << '(' << Facts << ')';
  Out << "]\n";
  for (uint32_t I = 0; I < M.Types.structCount(); ++I) {
    Out << '\n';
    printStruct(Out, M, StructId(I), Types);
  }
  if (!M.Specs.empty())
    Out << '\n';
  for (const SpecConstant &S : M.Specs)
    printSpec(Out, M, S);
  if (!M.Tables.empty())
    Out << '\n';
  for (const ConstTable &T : M.Tables)
    printTable(Out, M, T, Types);
  for (const Function &F : M.Functions) {
    Out << '\n';
    printFunction(Out, M, F, Options);
  }
}

std::string goldy::moduleText(const Module &M) {
  std::ostringstream Out;
  printModule(Out, M);
  return Out.str();
}

std::string goldy::instText(const Module &M, const Function &F, InstId I) {
  std::ostringstream Out;
  TextOptions None;
  return FunctionPrinter(Out, M, F, None).text(I);
}
