//===- Entry.cpp - Self-contained bit-exact Slang
//--------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text in order: the parameter block, the helpers that are needed, tables,
// workgroup arrays, the entry. The block has the layout of abiLayout(): push
// constants where it fits, else the push constant is its address.
//
//===----------------------------------------------------------------------===//
#include "Printer.h"

#include <fmt/format.h>

namespace goldy::slang {

namespace {

struct Helper {
  std::string_view Name, Text;
  std::string_view Needs[3];
};

/// In an order that has each after what it needs.
constexpr Helper Helpers[] = {
    {"goldy_add",
     "float goldy_add(float a, float b) {\n"
     "    return spirv_asm {\n"
     "        %r:$$float = OpFAdd $a $b;\n"
     "        OpDecorate %r NoContraction;\n"
     "        result:$$float = OpCopyObject %r;\n"
     "    };\n"
     "}\n",
     {}},
    {"goldy_sub",
     "float goldy_sub(float a, float b) {\n"
     "    return spirv_asm {\n"
     "        %r:$$float = OpFSub $a $b;\n"
     "        OpDecorate %r NoContraction;\n"
     "        result:$$float = OpCopyObject %r;\n"
     "    };\n"
     "}\n",
     {}},
    {"goldy_mul",
     "float goldy_mul(float a, float b) {\n"
     "    return spirv_asm {\n"
     "        %r:$$float = OpFMul $a $b;\n"
     "        OpDecorate %r NoContraction;\n"
     "        result:$$float = OpCopyObject %r;\n"
     "    };\n"
     "}\n",
     {}},
    {"goldy_div",
     "float goldy_div(float a, float b) {\n"
     "    return spirv_asm {\n"
     "        %r:$$float = OpFDiv $a $b;\n"
     "        OpDecorate %r NoContraction;\n"
     "        result:$$float = OpCopyObject %r;\n"
     "    };\n"
     "}\n",
     {}},
    {"goldy_round_even",
     "float goldy_round_even(float a) {\n"
     "    return spirv_asm {\n"
     "        result:$$float = OpExtInst glsl450 RoundEven $a;\n"
     "    };\n"
     "}\n",
     {}},
    {"goldy_neg",
     "float goldy_neg(float a) {\n"
     "    return asfloat(asuint(a) ^ 0x80000000u);\n"
     "}\n",
     {}},
    {"goldy_abs",
     "float goldy_abs(float a) {\n"
     "    return asfloat(asuint(a) & 0x7fffffffu);\n"
     "}\n",
     {}},
    {"goldy_copysign",
     "float goldy_copysign(float a, float b) {\n"
     "    return asfloat(asuint(a) & 0x7fffffffu | asuint(b) & "
     "0x80000000u);\n"
     "}\n",
     {}},
    {"goldy_order",
     "int64_t goldy_order(uint64_t a) { return int64_t(a ^ "
     "0x8000000000000000ull); }\n",
     {}},
    {"goldy_canon_nan",
     "float goldy_canon_nan(float a) {\n"
     "    return asfloat(select((asuint(a) & 0x7fffffffu) > 0x7f800000u, "
     "0x7fc00000u, asuint(a)));\n"
     "}\n",
     {}},
    {"goldy_flush",
     "float goldy_flush(float a) {\n"
     "    return asfloat(select((asuint(a) & 0x7f800000u) == 0u, "
     "asuint(a) & 0x80000000u, asuint(a)));\n"
     "}\n",
     {}},
    {"goldy_neg_int", "int goldy_neg_int(int a) {\n    return 0 - a;\n}\n", {}},
    {"goldy_neg_long",
     "int64_t goldy_neg_long(int64_t a) {\n    return 0ll - a;\n}\n",
     {}},
    {"goldy_abs_int",
     "int goldy_abs_int(int a) {\n"
     "    return select(a < 0, 0 - a, a);\n"
     "}\n",
     {}},
    {"goldy_leading_zeros",
     "uint goldy_leading_zeros(uint a) {\n"
     "    return select(a == 0u, 32u, 31u - firstbithigh(a));\n"
     "}\n",
     {}},
    {"goldy_trailing_zeros",
     "uint goldy_trailing_zeros(uint a) {\n"
     "    return select(a == 0u, 32u, firstbitlow(a));\n"
     "}\n",
     {}},
    {"goldy_rotate_left",
     "uint goldy_rotate_left(uint a, uint n) {\n"
     "    return a << (n & 31u) | a >> (0u - n & 31u);\n"
     "}\n",
     {}},
    {"goldy_rotate_right",
     "uint goldy_rotate_right(uint a, uint n) {\n"
     "    return a >> (n & 31u) | a << (0u - n & 31u);\n"
     "}\n",
     {}},
    {"goldy_add_word",
     "void goldy_add_word(__ref uint word, float by, out uint old) {\n"
     "    uint seen = word;\n"
     "    while (true) {\n"
     "        float a = goldy_flush(asfloat(seen)), b = goldy_flush(by);\n"
     "        uint sum = asuint(goldy_canon_nan(goldy_flush(goldy_add(a, "
     "b))));\n"
     "        bool zeros = ((asuint(a) | asuint(b)) & 0x7fffffffu) == 0u;\n"
     "        sum = select(zeros, asuint(a) & asuint(b), sum);\n"
     "        InterlockedCompareExchange(word, seen, sum, old);\n"
     "        if (old == seen) {\n"
     "            break;\n"
     "        }\n"
     "        seen = old;\n"
     "    }\n"
     "}\n",
     {"goldy_add", "goldy_canon_nan", "goldy_flush"}}};

/// What stands on CUDA for helpers in SPIR-V assembly.
struct CudaForm {
  std::string_view Name, Function;
};
constexpr CudaForm CudaForms[] = {{"goldy_add", "__fadd_rn"},
                                  {"goldy_sub", "__fsub_rn"},
                                  {"goldy_mul", "__fmul_rn"},
                                  {"goldy_div", "__fdiv_rn"},
                                  {"goldy_round_even", "rintf"}};

/// The helper's text, its body replaced where CUDA has a form of its own.
std::string helperText(const Helper &H, bool Cuda) {
  for (const CudaForm &C : CudaForms)
    if (Cuda && C.Name == H.Name)
      return std::string(H.Text.substr(0, H.Text.find('\n'))) +
             "\n    __target_switch {\n    case cuda:\n        "
             "__intrinsic_asm \"" +
             std::string(C.Function) + "\";\n    }\n}\n";
  return std::string(H.Text);
}

class EntryText {
public:
  EntryText(const Module &M, FuncId Kernel, SlangEntryFor For, DiagSink &Diags)
      : M(M), Kernel(Kernel), F(M.Functions[Kernel]), Diags(Diags),
        Cuda(For == SlangEntryFor::Cuda), Abi(abiLayout(M, F)),
        BehindAddress(!Cuda && Abi.Size > 128) {}
  std::optional<SlangEntry> run();

private:
  bool check() const;
  std::string block(const Printer &P) const;
  std::string helpers();
  std::string tables() const;
  std::string arrays(const Printer &P) const;
  std::string zeroing(const Printer &P) const;
  std::string signature() const;
  bool hasFloat() const;

  const Module &M;
  FuncId Kernel;
  const Function &F;
  DiagSink &Diags;
  bool Cuda;
  AbiLayout Abi;
  bool BehindAddress;
  Shared S;
  std::vector<std::string> Arrays;
  std::string Name;
};

} // namespace

bool EntryText::check() const {
  for (const Param &P : F.Params) {
    if (P.Kind == ParamKind::Buffer || P.Kind == ParamKind::Uniform ||
        P.Kind == ParamKind::Image ||
        (P.Kind == ParamKind::Scalar && M.Types.isScalar(P.Type)))
      continue;
    Diags.report(diag::G0685, P.Loc).help("use slices and scalars")
        << "parameter `" << P.Name << "` of `" << F.Name
        << "` cannot be written as Slang yet";
    return false;
  }
  for (const WorkgroupArray &A : F.WorkgroupArrays) {
    if (M.Types.isScalar(M.Types[A.Type].Element))
      continue;
    Diags.report(diag::G0685, A.Loc).help("use an array of scalars")
        << "workgroup array `" << A.Name << "` of `"
        << M.Types.name(M.Types[A.Type].Element)
        << "` cannot be written as Slang yet";
    return false;
  }
  return true;
}

bool EntryText::hasFloat() const {
  for (const Inst &I : F.Insts)
    if (I.Type == types::F32)
      return true;
  return false;
}

std::string EntryText::block(const Printer &P) const {
  std::string Images, Text = "struct GoldyParams {\n";
  auto Add = [&Text](std::string_view Type, std::string_view Name) {
    Text += fmt::format("    {} {};\n", Type, Name);
  };
  for (uint32_t N = 0; N < F.Params.size(); ++N) {
    std::string Name = P.paramName(N);
    if (F.Params[N].Kind == ParamKind::Scalar) {
      TypeId T = F.Params[N].Type;
      Add(T == types::Bool ? "uint" : scalarOrStruct(M, S, T), Name);
      continue;
    }
    bool Stays = F.Params[N].Kind == ParamKind::Image;
    if (Stays)
      Images += fmt::format(
          "[[vk::binding({}, 0)]] [[vk::image_format(\"rgba32f\")]]\n"
          "RWTexture2D<float4> {};\n\n",
          N, Name);
    if (F.Params[N].bound() == ParamKind::Image) {
      Add("uint64_t", (Stays ? "goldy_at_" : "") + Name);
      Add("uint", "goldy_width_" + Name);
      Add("uint", "goldy_height_" + Name);
      continue;
    }
    Add("uint64_t", Name);
    if (F.Params[N].Kind == ParamKind::Uniform)
      continue;
    Add("uint", "goldy_len_" + Name);
    Add("uint", "goldy_zero_" + Name);
    if (F.Params[N].bound() != ParamKind::Tensor)
      continue;
    Add("uint", "goldy_offset_" + Name);
    Add("uint", "goldy_none_" + Name);
  }
  Add("uint64_t", "goldy_layouts");
  for (char Axis : {'x', 'y', 'z'})
    Add("uint", fmt::format("goldy_base_{}", Axis));
  for (char Axis : {'x', 'y', 'z'})
    Add("uint", fmt::format("goldy_count_{}", Axis));
  Text += "};\n";
  if (Cuda)
    return Images + Text + "\n";
  Text.insert(0, Images);
  if (!BehindAddress)
    return Text + "[[vk::push_constant]] GoldyParams goldy;\n\n";
  return Text + "struct GoldyPush {\n    uint64_t params;\n};\n"
                "[[vk::push_constant]] GoldyPush goldy_push;\n\n";
}

std::string EntryText::helpers() {
  for (const Helper &H : Helpers)
    if (S.Needed.count(H.Name))
      for (std::string_view Needed : H.Needs)
        if (!Needed.empty())
          S.Needed.emplace(Needed);
  std::string Text;
  for (const Helper &H : Helpers)
    if (S.Needed.count(H.Name))
      Text += helperText(H, Cuda) + "\n";
  return Text;
}

std::string EntryText::tables() const {
  std::string Text;
  for (uint32_t N = 0; N < M.Tables.size(); ++N) {
    const ConstTable &T = M.Tables[TableId(N)];
    Text += fmt::format("static const {} = {{",
                        declared(M, S, T.Type, S.Tables[N]));
    TypeId Element = M.Types[T.Type].Element;
    for (size_t I = 0; I < T.Bits.size(); ++I) {
      Text += I ? ", " : "";
      Text += Element == types::F32
                  ? floatBits(static_cast<uint32_t>(T.Bits[I]))
                  : integerLiteral(M.Types.kind(Element), T.Bits[I]);
    }
    Text += "};\n\n";
  }
  return Text;
}

std::string EntryText::arrays(const Printer &P) const {
  std::string Text;
  for (uint32_t N = 0; N < Arrays.size(); ++N) {
    TypeId T = F.WorkgroupArrays[WorkgroupId(N)].Type;
    std::string Declared = declared(M, S, T, Arrays[N]);
    if (P.floatAsWords(N))
      Declared.replace(0, 5, "uint");
    Text += "groupshared " + Declared + ";\n";
  }
  return Text.empty() ? Text : Text + "\n";
}

/// Every thread clears its share, then the group meets.
std::string EntryText::zeroing(const Printer &P) const {
  std::string Text;
  uint32_t Size = F.WorkgroupSize[0] * F.WorkgroupSize[1] * F.WorkgroupSize[2];
  for (uint32_t N = 0; N < Arrays.size(); ++N) {
    TypeId T = F.WorkgroupArrays[WorkgroupId(N)].Type;
    TypeId Element = M.Types[T].Element;
    std::string_view Zero = P.floatAsWords(N)        ? "0u"
                            : Element == types::F32  ? "0.0"
                            : Element == types::Bool ? "false"
                            : Element == types::I32  ? "0"
                                                     : "0u";
    Text += fmt::format(
        "    for (uint goldy_i = goldy_index; goldy_i < {}u; goldy_i += {}u) "
        "{{\n        {}[goldy_i] = {};\n    }}\n",
        M.Types[T].Count, Size, Arrays[N], Zero);
  }
  return Text.empty() ? Text : Text + "    AllMemoryBarrierWithGroupSync();\n";
}

std::string EntryText::signature() const {
  std::string Text = fmt::format(
      "[shader(\"compute\")]\n[numthreads({0}, {1}, {2})]\nvoid {3}({4}uint3 "
      "goldy_lid : SV_GroupThreadID, uint3 goldy_group : SV_GroupID, uint "
      "goldy_index : SV_GroupIndex) {{\n",
      F.WorkgroupSize[0], F.WorkgroupSize[1], F.WorkgroupSize[2], Name,
      Cuda ? "uniform GoldyParams goldy, " : "");
  if (hasFloat() && !Cuda)
    Text += fmt::format("    spirv_asm {{\n"
                        "        OpCapability RoundingModeRTE;\n"
                        "        OpCapability SignedZeroInfNanPreserve;\n"
                        "        OpExtension \"SPV_KHR_float_controls\";\n"
                        "        OpExecutionMode ${0} 4462 32;\n"
                        "        OpExecutionMode ${0} 4461 32;\n"
                        "    }};\n",
                        Name);
  if (BehindAddress)
    // Its members are read by `.`: Slang refuses `goldy->n < goldy->m`.
    Text += "    GoldyParams* goldy = (GoldyParams*)goldy_push.params;\n";
  Text += fmt::format(
      "    uint3 goldy_wid = goldy_group + uint3({0}goldy_base_x, "
      "{0}goldy_base_y, {0}goldy_base_z);\n"
      "    uint3 goldy_gid = goldy_wid * uint3({1}u, {2}u, {3}u) + "
      "goldy_lid;\n",
      S.Block, F.WorkgroupSize[0], F.WorkgroupSize[1], F.WorkgroupSize[2]);
  return Text;
}

std::optional<SlangEntry> EntryText::run() {
  if (M.Level != IRLevel::Legal) {
    Diags.report(diag::G0685, F.Loc).help("legalise it for `slang` first")
        << "`" << F.Name << "` is no legal form";
    return std::nullopt;
  }
  if (!check())
    return std::nullopt;
  // Slang finds no entry that is named like one of its own functions.
  Name = "goldy_kernel_" + S.Global.take(F.Name);
  S.Block = "goldy.";
  for (const ConstTable &T : M.Tables)
    S.Tables.push_back(S.Global.take(T.Name.empty() ? "table" : T.Name));
  for (const WorkgroupArray &A : F.WorkgroupArrays)
    Arrays.push_back(S.Global.take(A.Name.empty() ? "shared" : A.Name));
  Instance Only{Kernel, std::vector<std::string>(F.Params.size()), Name};
  std::vector<Effects> NoCallees(M.Functions.size());
  Printer P(M, Only, Form::Entry, S, Arrays, NoCallees, Diags);
  std::optional<std::vector<Line>> Lines = P.body();
  if (!Lines)
    return std::nullopt;
  return SlangEntry{block(P) + helpers() + tables() + arrays(P) + signature() +
                        zeroing(P) + joined(*Lines, 1) + "}\n",
                    Name};
}

} // namespace goldy::slang

namespace goldy {

std::optional<SlangEntry> emitSlangEntry(const VerifiedModule &M, FuncId Kernel,
                                         DiagSink &Diags, SlangEntryFor For) {
  return slang::EntryText(*M, Kernel, For, Diags).run();
}

} // namespace goldy
