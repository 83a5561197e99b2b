//===- Interface.cpp - What a shader binds --------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Interface.h"

#include <algorithm>
#include <tuple>

namespace goldy::foreign {

namespace {

class Reader {
public:
  Reader(const SpirvModule &M, TypeTable &Types, const Function &F,
         const std::function<Span(std::string_view)> &PlaceOf, DiagSink &Diags)
      : M(M), Types(Types), F(F), PlaceOf(PlaceOf), Diags(Diags) {}
  std::optional<ShaderInterface> run();

private:
  bool variable(const Instruction &I);
  bool buffer(const Instruction &I, Id Struct);
  bool pushed(const Instruction &I, Id Struct);
  bool refuse(const std::string &Name, std::string_view What, std::string Help);
  std::string nameOf(Id Variable, Id Struct) const;
  Access accessOf(Id Variable, Id Struct) const;
  TypeId typeOf(Id Type);
  TypeId scalar(const Instruction &I) const;
  TypeId structure(const Instruction &I);
  TypeId array(const Instruction &I);
  bool sameLayout(const Instruction &I, TypeId T);

  const SpirvModule &M;
  TypeTable &Types;
  const Function &F;
  const std::function<Span(std::string_view)> &PlaceOf;
  DiagSink &Diags;
  ShaderInterface Out;
};

bool Reader::refuse(const std::string &Name, std::string_view What,
                    std::string Help) {
  Span Where = PlaceOf(Name);
  return Diags.report(diag::G1005, Where.isValid() ? Where : F.Loc)
             .help(std::move(Help))
         << "`" << Name << "` of kernel `" << F.Name << "` is " << What
         << ", which has no place in the kernel ABI";
}

/// A block without an instance name is known by its member's.
std::string Reader::nameOf(Id Variable, Id Struct) const {
  std::string Name = M.name(Variable);
  if (Name.empty() && Struct)
    Name = M.memberName(Struct, 0);
  // Slang puts the entry's own parameters into a struct of this name.
  constexpr std::string_view Entry = "entryPointParams.";
  if (Name.starts_with(Entry))
    Name.erase(0, Entry.size());
  return Name.empty() ? "unnamed" : Name;
}

Access Reader::accessOf(Id Variable, Id Struct) const {
  auto Has = [&](spv::Decoration D) {
    return M.decoration(Variable, D) || M.memberDecoration(Struct, 0, D);
  };
  return Has(spv::Decoration::NonWritable)   ? Access::Read
         : Has(spv::Decoration::NonReadable) ? Access::Write
                                             : Access::ReadWrite;
}

TypeId Reader::scalar(const Instruction &I) const {
  uint32_t Bits = I.Operands[1];
  if (I.is(spv::Op::OpTypeFloat))
    return Bits == 32 ? types::F32 : Bits == 16 ? types::F16 : TypeId();
  bool Signed = I.Operands[2];
  switch (Bits) {
  case 8:
    return Signed ? types::I8 : types::U8;
  case 16:
    return Signed ? types::I16 : types::U16;
  case 32:
    return Signed ? types::I32 : types::U32;
  default:
    return Signed ? types::I64 : types::U64;
  }
}

TypeId Reader::array(const Instruction &I) {
  TypeId Element = typeOf(I.Operands[1]);
  const Instruction *Count = M.global(I.Operands[2]);
  bool Fits = Element.isValid() && Count && Count->is(spv::Op::OpConstant) &&
              M.decoration(I.result(), spv::Decoration::ArrayStride) ==
                  Types.stride(Element);
  return Fits ? Types.array(Element, Count->Operands[2]) : TypeId();
}

TypeId Reader::structure(const Instruction &I) {
  StructType S;
  S.Name = M.name(I.result());
  if (S.Name.empty())
    S.Name = "Element";
  for (uint32_t N = 0; N + 1 < I.Operands.size(); ++N) {
    TypeId T = typeOf(I.Operands[N + 1]);
    std::string Name = M.memberName(I.result(), N);
    if (!T.isValid() || Types.isStorageOnly(T))
      return TypeId();
    S.Fields.push_back(
        {Name.empty() ? "m" + std::to_string(N) : Name, T, Span()});
  }
  if (S.Fields.empty())
    return TypeId();
  TypeId T = Types.structType(Types.addStruct(std::move(S)));
  return sameLayout(I, T) ? T : TypeId();
}

bool Reader::sameLayout(const Instruction &I, TypeId T) {
  for (uint32_t N = 0; N + 1 < I.Operands.size(); ++N)
    if (M.memberDecoration(I.result(), N, spv::Decoration::Offset) !=
        Types.memberOffset(T, N))
      return false;
  return true;
}

/// The type with the same bytes; invalid if there is none.
TypeId Reader::typeOf(Id Type) {
  const Instruction *I = M.global(Type);
  if (!I)
    return TypeId();
  switch (I->Opcode) {
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return scalar(*I);
  case spv::Op::OpTypeVector: {
    TypeId Element = typeOf(I->Operands[1]);
    bool Fits =
        Element == types::U32 || Element == types::I32 || Element == types::F32;
    return Fits ? Types.vector(Element, I->Operands[2]) : TypeId();
  }
  case spv::Op::OpTypeArray:
    return array(*I);
  case spv::Op::OpTypeStruct:
    return structure(*I);
  default:
    return TypeId();
  }
}

bool Reader::buffer(const Instruction &I, Id Struct) {
  BoundBuffer B;
  B.Variable = I.result();
  B.Struct = Struct;
  B.Name = nameOf(B.Variable, Struct);
  B.Set = M.decoration(B.Variable, spv::Decoration::DescriptorSet).value_or(0);
  B.Binding = M.decoration(B.Variable, spv::Decoration::Binding).value_or(0);
  B.Acc = accessOf(B.Variable, Struct);
  const Instruction *Block = M.global(Struct);
  const Instruction *Array =
      Block && Block->is(spv::Op::OpTypeStruct) && Block->Operands.size() == 2
          ? M.global(Block->Operands[1])
          : nullptr;
  if (!Array || !Array->is(spv::Op::OpTypeRuntimeArray))
    return refuse(B.Name, "no array of run-time size alone",
                  "give each array a storage buffer of its own, as in `buffer "
                  "X { float x[]; };`");
  for (spv::Decoration D :
       {spv::Decoration::Coherent, spv::Decoration::Volatile})
    if (M.decoration(B.Variable, D) || M.memberDecoration(Struct, 0, D))
      return refuse(
          B.Name, D == spv::Decoration::Coherent ? "`coherent`" : "`volatile`",
          "use atomics to talk to other workgroups");
  B.Element = typeOf(Array->Operands[1]);
  if (!B.Element.isValid() ||
      M.decoration(Array->result(), spv::Decoration::ArrayStride) !=
          Types.stride(B.Element))
    return refuse(B.Name, "an array of elements of another type or layout",
                  "elements are scalars, vectors of 32-bit components, and "
                  "structs and arrays of them, laid out as `scalar`");
  Out.Buffers.push_back(std::move(B));
  return true;
}

bool Reader::pushed(const Instruction &I, Id Struct) {
  Out.PushVariable = I.result();
  const Instruction *Block = M.global(Struct);
  for (uint32_t N = 0; Block && N + 1 < Block->Operands.size(); ++N) {
    PushedScalar S;
    S.Member = N;
    S.Type = Block->Operands[N + 1];
    S.Name = M.memberName(Struct, N);
    S.Offset =
        M.memberDecoration(Struct, N, spv::Decoration::Offset).value_or(0);
    S.Scalar = typeOf(S.Type);
    if (!S.Scalar.isValid() || !Types.isScalar(S.Scalar))
      return refuse(S.Name.empty() ? nameOf(I.result(), 0) : S.Name,
                    "pushed and no scalar of 32 or 64 bits",
                    "push scalars, and put the rest into a storage buffer");
    Out.Scalars.push_back(std::move(S));
  }
  return true;
}

bool Reader::variable(const Instruction &I) {
  const Instruction *Pointer = M.global(I.Operands[0]);
  if (!Pointer)
    return true;
  Id Struct = Pointer->Operands[2];
  switch (static_cast<spv::StorageClass>(I.Operands[2])) {
  case spv::StorageClass::StorageBuffer:
    return buffer(I, Struct);
  case spv::StorageClass::PushConstant:
    return pushed(I, Struct);
  case spv::StorageClass::Input: // checked by the validator: builtins only
  case spv::StorageClass::Private:
  case spv::StorageClass::Workgroup:
    return true;
  case spv::StorageClass::Uniform:
    return refuse(nameOf(I.result(), Struct), "a uniform buffer",
                  "push scalars (in Slang: `uniform` parameters of the entry), "
                  "or read a storage buffer");
  default:
    return refuse(nameOf(I.result(), 0), "an image, a texture or a sampler",
                  "use a storage buffer");
  }
}

std::optional<ShaderInterface> Reader::run() {
  bool Good = true;
  for (const Instruction &I : M[Section::Globals])
    if (I.is(spv::Op::OpVariable))
      Good &= variable(I);
  if (!Good)
    return std::nullopt;
  std::sort(Out.Buffers.begin(), Out.Buffers.end(),
            [](const BoundBuffer &A, const BoundBuffer &B) {
              return std::tie(A.Set, A.Binding) < std::tie(B.Set, B.Binding);
            });
  std::sort(Out.Scalars.begin(), Out.Scalars.end(),
            [](const PushedScalar &A, const PushedScalar &B) {
              return A.Offset < B.Offset;
            });
  for (size_t N = 1; N < Out.Buffers.size(); ++N)
    if (Out.Buffers[N].Set == Out.Buffers[N - 1].Set &&
        Out.Buffers[N].Binding == Out.Buffers[N - 1].Binding) {
      refuse(Out.Buffers[N].Name,
             "bound where `" + Out.Buffers[N - 1].Name + "` is",
             "give each buffer a binding of its own");
      return std::nullopt;
    }
  return std::move(Out);
}

} // namespace

std::optional<ShaderInterface>
readInterface(const SpirvModule &M, TypeTable &Types, const Function &F,
              const std::function<Span(std::string_view)> &PlaceOf,
              DiagSink &Diags) {
  return Reader(M, Types, F, PlaceOf, Diags).run();
}

} // namespace goldy::foreign
