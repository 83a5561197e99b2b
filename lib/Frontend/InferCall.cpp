//===- InferCall.cpp - Calls of helpers and builtins
//------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A method is the builtin of its name with the receiver as first argument.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

#include <array>

using namespace goldy;
using namespace goldy::sema;
using ast::ExprForm;

/// How messages name the callee.
std::string Infer::shownName(ast::ExprId E) const {
  const ast::Expr &X = C[E];
  if (X.Form == ExprForm::MethodCall)
    return "." + std::string(X.Member.Text);
  return pathText(X.Name);
}

/// Infers the arguments for their own faults; the call itself is in error.
Ty Infer::argumentsOnly(ast::ExprId E) {
  for (ast::ExprId Kid : C[E].Kids)
    if (!resourceOf(Kid))
      infer(Kid);
  return C.Vars.error();
}

bool Infer::arity(ast::ExprId E, std::string_view Name, size_t Expected) {
  size_t Found = C[E].Kids.size();
  bool IsMethod = C[E].Form == ExprForm::MethodCall;
  if (Found == Expected)
    return true;
  size_t Shown = Expected - IsMethod;
  C.error(diag::G0305, C[E].Where)
          .help(Found < Expected ? "add what is missing" : "leave some out")
      << '`' << Name << "` takes " << Shown
      << (Shown == 1 ? " argument" : " arguments") << ", found "
      << Found - IsMethod;
  argumentsOnly(E);
  return false;
}

Ty Infer::replaceScalar(Ty T, TypeId Scalar) {
  if (!isVector(T))
    return C.Vars.isError(T) ? T : C.Vars.known(Scalar);
  uint32_t Count = C.M.Types[C.Vars.knownType(T)].Count;
  return C.Vars.known(C.M.Types.vector(Scalar, Count));
}

Ty Infer::inferCall(ast::ExprId E) {
  const ast::Path &P = C[E].Name;
  if (P.Segments.empty())
    return argumentsOnly(E);
  if (std::string_view Gpu = gpuName(P); !Gpu.empty())
    return callGpu(E, Gpu);
  std::string Name = pathText(P);
  if (Name == "f32::from_bits")
    return callFromBits(E);
  if (P.Segments.size() == 2 && P.Segments[0].Text == "ir")
    return callRaw(E);
  const uint32_t *Index = findItem(C, C.FunctionNames, Name);
  return Index ? callFunction(E, *Index) : unknownCall(E);
}

/// For functions that Rust finds in a scalar type, as in `f32::max(a, b)`.
static std::string typeCallHelp(const ast::Path &P) {
  if (P.Segments.size() != 2)
    return "";
  std::string_view Type = P.Segments[0].Text, Name = P.Segments[1].Text;
  bool Scalar = Type == "f32" || Type == "u32" || Type == "i32" ||
                Type == "bool" || Type == "u64" || Type == "i64";
  if (!Scalar)
    return "";
  if (Name == "from" || Name == "try_from")
    return "convert it: `x as " + std::string(Type) + "`";
  if (Name == "default" || Name == "new")
    return "write the value itself";
  if (findBuiltin(Name) >= 0)
    return "write `gpu::" + std::string(Name) + "`, or the method `." +
           std::string(Name) + "`";
  return "";
}

Ty Infer::unknownCall(ast::ExprId E) {
  std::string Name = pathText(C[E].Name);
  if (reportHidden(C, Name, C[E].Name.Where))
    return argumentsOnly(E);
  if (int L = lookup(Name); L >= 0 && C.Vars.isError(F->Locals[L].Type))
    return argumentsOnly(E); // its declaration is in error already
  int Row = findBuiltin(Name);
  if (Row >= 0 &&
      builtin(static_cast<uint32_t>(Row)).Kind == BuiltinKind::Refused)
    return callBuiltin(E, static_cast<uint32_t>(Row));
  DiagBuilder D = C.error(diag::G0213, C[E].Name.Where);
  D << "there is no function `" << Name << '`';
  if (Row >= 0)
    D.help("write `gpu::" + Name + "`").fix(C[E].Name.Where, "gpu::" + Name);
  else if (std::string Help = typeCallHelp(C[E].Name); !Help.empty())
    D.help(Help);
  else if (findItem(C, C.StructNames, Name))
    D.help("a struct is made with its fields: `" + Name + " { … }`");
  else
    suggest(D, Name, C[E].Name.Where, namesOf(C, C.FunctionNames),
            "call a helper `fn` of this file, or a function `gpu::…`");
  return argumentsOnly(E);
}

// --- Helpers

Ty Infer::callFunction(ast::ExprId E, uint32_t Callee) {
  const FunctionInfo &Of = C.Functions[Callee];
  std::string_view Name = Of.Item->Name.Text;
  if (Of.IsKernel || Of.IsProgram) {
    C.error(diag::G0216, C[E].Name.Where)
            .help("move the shared part into a helper `fn`")
        << (Of.IsKernel ? "kernel `" : "program `") << Name
        << "` cannot be called from here";
    return argumentsOnly(E);
  }
  F->Calls.push_back({Callee, C[E].Where});
  if (!arity(E, Name, Of.Item->Params.size()))
    return C.Vars.error();
  C.Calls.set(E, {CallTarget::Function, Callee, Op::Add, {}});
  for (uint32_t I = 0; I < Of.NumParams; ++I) {
    const Local Param = Of.Locals[I]; // the table of a recursive call moves
    if (Param.Kind == LocalKind::Resource)
      resourceArgument(C[E].Kids[I], Param);
    else
      coerce(C[E].Kids[I], Param.Type);
  }
  return C.Vars.known(Of.Return);
}

void Infer::resourceArgument(ast::ExprId Arg, const Local &Param) {
  std::optional<uint32_t> L = resourceOf(Arg);
  if (!L) {
    Ty T = infer(Arg);
    if (!C.Vars.isError(T) && !C.Vars.isError(Param.Type))
      C.error(diag::G0300, C[Arg].Where).note(Param.Where, "passed to this")
          << "expected the name of a "
          << (Param.IsTensor ? "tensor" : "buffer or workgroup array")
          << " of `" << C.Vars.name(Param.Type) << "`, found a value of type `"
          << C.Vars.name(T) << '`';
    return;
  }
  const Local &Given = F->Locals[*L];
  if (C.Vars.isError(Given.Type) || C.Vars.isError(Param.Type))
    return;
  if (Given.IsImage != Param.IsImage) {
    C.error(diag::G0300, C[Arg].Where).note(Param.Where, "passed to this")
        << "expected " << (Param.IsImage ? "an image" : "a buffer")
        << ", found " << (Given.IsImage ? "an image" : "a buffer");
    return;
  }
  if (Given.IsTensor != Param.IsTensor) {
    const char *Wanted = Param.IsTensor ? "a tensor" : "a buffer";
    C.error(diag::G0300, C[Arg].Where)
            .note(Param.Where, "passed to this")
            .help(Param.IsTensor ? "take it as `&[T]` or `&mut [T]` there"
                                 : "take it as `gpu::Tensor<T>` there")
        << "expected the name of " << Wanted << ", found "
        << (Given.IsTensor                            ? "the tensor `"
            : Given.Kind == LocalKind::WorkgroupArray ? "the workgroup array `"
                                                      : "the buffer `")
        << Given.Name << '`';
    return;
  }
  if (!C.Vars.unify(Given.Type, Param.Type)) {
    C.error(diag::G0300, C[Arg].Where).note(Param.Where, "passed to this")
        << "expected elements of type `" << C.Vars.name(Param.Type)
        << "`, found `" << C.Vars.name(Given.Type) << '`';
    return;
  }
  checkAccess(Arg, *L,
              Param.Acc == Access::Read    ? Use::Read
              : Param.Acc == Access::Write ? Use::Write
                                           : Use::Update);
}

// --- Builtins

/// Functions of programs, and what other languages call ours.
bool Infer::refuseForeign(ast::ExprId E, std::string_view Name) {
  static constexpr std::array<std::string_view, 4> OfPrograms = {
      "temporary", "buffer", "copy", "host_call"};
  for (std::string_view P : OfPrograms)
    if (P == Name)
      return refuse(diag::G0229, C[E].Name.Where,
                    "`gpu::" + std::string(Name) + "` belongs to programs",
                    "a kernel takes its buffers as parameters; steps between "
                    "kernels stand in a `#[goldy::program]`"),
             true;
  static constexpr std::array<std::array<std::string_view, 2>, 16> Ours = {{
      {"barrier", "workgroup_barrier()"},
      {"syncthreads", "workgroup_barrier()"},
      {"sync_threads", "workgroup_barrier()"},
      {"storage_barrier", "workgroup_barrier()"},
      {"memory_barrier", "workgroup_barrier()"},
      {"group_barrier", "workgroup_barrier()"},
      {"thread_id", "local_id()"},
      {"thread_idx", "local_id()"},
      {"block_id", "workgroup_id()"},
      {"block_idx", "workgroup_id()"},
      {"block_dim", "workgroup_size()"},
      {"grid_dim", "num_workgroups()"},
      {"lerp", "mix(a, b, t)"},
      {"mad", "fma(a, b, c)"},
      {"saturate", "clamp(x, 0.0, 1.0)"},
      {"popcount", "count_ones(x)"},
  }};
  for (const std::array<std::string_view, 2> &Pair : Ours)
    if (Pair[0] == Name)
      return refuse(diag::G0213, C[E].Name.Where,
                    "there is no function `gpu::" + std::string(Name) + "`",
                    "write `gpu::" + std::string(Pair[1]) + "`"),
             true;
  return false;
}

Ty Infer::callGpu(ast::ExprId E, std::string_view Name) {
  if (int Row = findBuiltin(Name); Row >= 0)
    return callBuiltin(E, static_cast<uint32_t>(Row));
  if (Name.size() > 3) {
    std::string Type(Name);
    bool IsUInt = Name.starts_with("uint");
    if (IsUInt)
      Type.replace(0, 2, "UI");
    else
      Type[0] = static_cast<char>(Type[0] - 'a' + 'A');
    bool Lower = Name[0] >= 'a' && Name[0] <= 'z';
    if (TypeId V = Lower ? vectorTypeByName(C, Type) : TypeId())
      return callVector(E, V);
  }
  if (refuseForeign(E, Name))
    return argumentsOnly(E);
  DiagBuilder D = C.error(diag::G0213, C[E].Name.Where);
  D << "there is no function `gpu::" << Name << '`';
  std::vector<std::string> Known = builtinNames(false);
  for (std::string_view V : {"float2", "float3", "float4", "int2", "int3",
                             "int4", "uint2", "uint3", "uint4"})
    Known.emplace_back(V);
  if (vectorTypeByName(C, Name)) {
    std::string Made(Name);
    for (char &Letter : Made)
      Letter = static_cast<char>(Letter | 0x20);
    D.help("a vector is made by `gpu::" + Made + "(…)`");
  } else {
    suggest(D, Name, C[E].Name.Where, Known,
            "write it as a helper `fn` of the functions that there are",
            "gpu::");
  }
  return argumentsOnly(E);
}

Ty Infer::callVector(ast::ExprId E, TypeId Vector) {
  C.Calls.set(E, {CallTarget::Vector, 0, Op::Add, Vector});
  if (!arity(E, shownName(E), C.M.Types[Vector].Count))
    return C.Vars.error();
  for (ast::ExprId Kid : C[E].Kids)
    coerce(Kid, C.Vars.known(C.M.Types[Vector].Element));
  return C.Vars.known(Vector);
}

Ty Infer::callFromBits(ast::ExprId E) {
  if (!arity(E, "f32::from_bits", 1))
    return C.Vars.error();
  coerce(C[E].Kids[0], C.Vars.known(types::U32));
  C.Calls.set(E, {CallTarget::RawOp, 0, Op::FromBits, types::F32});
  return C.Vars.known(types::F32);
}

/// `ir::op(…)`: the prelude's way to operations that only legalisation makes.
Ty Infer::callRaw(ast::ExprId E) {
  std::string Name = pathText(C[E].Name);
  if (!C.Options.IsPrelude) {
    C.error(diag::G0226, C[E].Name.Where)
            .help("use the operators and `gpu::` functions")
        << "`" << Name << "` belongs to the prelude only";
    return argumentsOnly(E);
  }
  for (unsigned N = 0; N < NumOps; ++N) {
    Op O = static_cast<Op>(N);
    const OpInfo &Info = opInfo(O);
    if (Info.Mnemonic != Name || Info.Effects != Effect::Pure)
      continue;
    if (!arity(E, Name, Info.MinOperands))
      return C.Vars.error();
    Ty T = infer(C[E].Kids[0]);
    for (size_t I = 1; I < C[E].Kids.size(); ++I)
      coerce(C[E].Kids[I], T);
    TypeId Result = O == Op::RawFloatToInt ? types::I32
                    : O == Op::NumberBits  ? types::U32
                                           : TypeId();
    if (Result || Info.Rule == TypeRule::SameFloat)
      C.Vars.unify(T, C.Vars.known(types::F32));
    C.Calls.set(E, {CallTarget::RawOp, 0, O, Result});
    later(&Infer::checkOperands, E);
    return Result ? C.Vars.known(Result) : T;
  }
  C.error(diag::G0213, C[E].Name.Where)
          .help("`--print=ops` lists the operations")
      << "there is no operation `" << Name << '`';
  return argumentsOnly(E);
}

Ty Infer::callBuiltin(ast::ExprId E, uint32_t Row) {
  const Builtin &B = builtin(Row);
  C.Calls.set(E, {CallTarget::Builtin, Row, B.Opcode, {}});
  if (B.Kind >= BuiltinKind::Later)
    return callLater(E, B);
  if (!arity(E, shownName(E), B.Arguments))
    return C.Vars.error();
  switch (B.Kind) {
  case BuiltinKind::Id:
  case BuiltinKind::GroupSize:
    return C.Vars.known(C.M.Types.vector(types::U32, 3));
  case BuiltinKind::SharedArray:
    return refuse(diag::G0224, C[E].Where,
                  "a workgroup array is declared by a `let` at the top level "
                  "of a kernel",
                  "write `let mut s = gpu::workgroup_array::<f32, 256>();` "
                  "there");
  case BuiltinKind::Barrier:
    return callBarrier(E);
  case BuiltinKind::Assume:
    coerce(C[E].Kids[0], C.Vars.known(types::Bool));
    return C.Vars.known(types::Void);
  case BuiltinKind::Debug:
    return callDebug(E);
  case BuiltinKind::Atomic:
    return callAtomic(E, B);
  case BuiltinKind::Collective:
    return callCollective(E, B);
  case BuiltinKind::Softmax:
    return callSoftmax(E);
  case BuiltinKind::UniformLoad:
    return callUniformLoad(E);
  case BuiltinKind::BitCount:
  case BuiltinKind::Rotate:
  case BuiltinKind::ToBits:
    return callBits(E, B);
  case BuiltinKind::Length:
  case BuiltinKind::Distance:
  case BuiltinKind::Dot:
  case BuiltinKind::Cross:
  case BuiltinKind::Normalize:
    return callVectorFunction(E, B);
  case BuiltinKind::Select:
    return callSelect(E);
  default:
    return callElementwise(E, B);
  }
}

Ty Infer::callBarrier(ast::ExprId E) {
  if (!F->IsKernel && !C.Options.IsPrelude)
    return refuse(diag::G0225, C[E].Where, "a barrier cannot stand in a helper",
                  "put the barrier into the kernel, around the call");
  return C.Vars.known(types::Void);
}

Ty Infer::callDebug(ast::ExprId E) {
  infer(C[E].Kids[0]);
  later(&Infer::checkDebug, E);
  return C.Vars.known(types::Void);
}

/// True if the operand is known to be of no type that the function takes: told
/// at once, so that nothing follows from its result.
bool Infer::refusesOperand(ast::ExprId E, const Builtin &B, Ty T) {
  TypeId Known = C.Vars.knownType(T);
  if (C.Vars.kind(T) == TyKind::Integer && B.Operands == Domain::Float)
    Known = types::I32;
  if (!Known || domainHolds(B.Operands, C.M.Types.scalarOf(Known)))
    return false;
  refuseOperand(E, B.Operands, C.Vars.name(T), Known);
  for (size_t I = 1; I < C[E].Kids.size(); ++I)
    infer(C[E].Kids[I]);
  return true;
}

Ty Infer::callElementwise(ast::ExprId E, const Builtin &B) {
  Ty T = infer(C[E].Kids[0]);
  if (refusesOperand(E, B, T))
    return C.Vars.error();
  Ty Others = B.Kind == BuiltinKind::Powi ? C.Vars.known(types::I32) : T;
  for (size_t I = 1; I < C[E].Kids.size(); ++I)
    coerce(C[E].Kids[I], Others);
  later(&Infer::checkOperands, E);
  return T;
}

Ty Infer::callBits(ast::ExprId E, const Builtin &B) {
  Ty T = infer(C[E].Kids[0]);
  later(&Infer::checkOperands, E);
  if (B.Kind != BuiltinKind::Rotate)
    return replaceScalar(T, types::U32);
  Ty Amount = infer(C[E].Kids[1]);
  bool OfVectors = isVector(T) && isVector(Amount);
  Ty Expected =
      OfVectors ? replaceScalar(T, types::U32) : C.Vars.known(types::U32);
  if (!C.Vars.unify(Amount, Expected))
    mismatch(C[E].Kids[1], Expected, Amount);
  return T;
}

Ty Infer::callVectorFunction(ast::ExprId E, const Builtin &B) {
  Ty T = infer(C[E].Kids[0]);
  for (size_t I = 1; I < C[E].Kids.size(); ++I)
    coerce(C[E].Kids[I], T);
  if (C.Vars.isError(T))
    return T;
  TypeId V = C.Vars.knownType(T);
  bool IsVector = isVector(T) && C.M.Types[V].Element == types::F32;
  bool Fits =
      IsVector && (B.Kind != BuiltinKind::Cross || C.M.Types[V].Count == 3);
  if (!Fits)
    return refuse(diag::G0327, C[C[E].Kids[0]].Where,
                  "`" + shownName(E) + "` takes " +
                      (B.Kind == BuiltinKind::Cross ? "`gpu::Float3`"
                                                    : "a float vector") +
                      ", found `" + C.Vars.name(T) + "`",
                  "make one with `gpu::float3(x, y, z)`");
  bool GivesVector =
      B.Kind == BuiltinKind::Cross || B.Kind == BuiltinKind::Normalize;
  return GivesVector ? T : C.Vars.known(types::F32);
}

Ty Infer::callSelect(ast::ExprId E) {
  coerce(C[E].Kids[0], C.Vars.known(types::Bool));
  Ty T = infer(C[E].Kids[1]);
  return valueOf(T, coerce(C[E].Kids[2], T));
}

Ty Infer::callLater(ast::ExprId E, const Builtin &B) {
  std::string Verb = B.Kind == BuiltinKind::Refused
                         ? "is not part of the language"
                         : "is not supported yet";
  Span Where =
      C[E].Form == ExprForm::MethodCall ? C[E].Member.Where : C[E].Name.Where;
  refuse(B.Code, Where, "`" + shownName(E) + "` " + Verb, std::string(B.Help));
  return argumentsOnly(E);
}

// --- Atomics

/// Whether the elements suit the operation; else reported.
bool Infer::atomicElement(ast::ExprId E, const Builtin &B, uint32_t L) {
  const Local &V = F->Locals[L];
  TypeId T = C.Vars.knownType(V.Type);
  if (!T || T == types::U32 || T == types::I32)
    return true;
  Span Where = C[C[E].Kids[0]].Where;
  if (T != types::F32 || B.Opcode != Op::AtomicAdd)
    return C.error(diag::G0328, Where).help("use a buffer of `u32` or `i32`")
           << '`' << shownName(E) << "` works on `u32` and `i32`, found `"
           << C.typeName(T) << '`';
  if (F->IsKernel && !F->Nondeterministic)
    return floatAtomicNeedsMark(C, C[E].Where);
  F->FloatAtomics.push_back(C[E].Where); // of helpers: who calls them decides
  return true;
}

Ty Infer::callAtomic(ast::ExprId E, const Builtin &B) {
  std::optional<uint32_t> L = resourceOf(C[E].Kids[0]);
  if (!L) {
    Ty T = infer(C[E].Kids[0]);
    if (!C.Vars.isError(T))
      C.error(diag::G0328, C[C[E].Kids[0]].Where)
              .help("the first argument is the name of a `&mut [u32]`")
          << '`' << shownName(E)
          << "` works on a buffer or workgroup array, found `" << C.Vars.name(T)
          << '`';
  } else if (!C.Vars.isError(F->Locals[*L].Type)) {
    if (!atomicElement(E, B, *L))
      return argumentsOnly(E);
    checkAccess(C[E].Kids[0], *L,
                B.Opcode == Op::AtomicLoad    ? Use::Read
                : B.Opcode == Op::AtomicStore ? Use::Write
                                              : Use::Update);
  }
  Ty Element = L ? F->Locals[*L].Type : C.Vars.error();
  indexValue(C[E].Kids[1]);
  for (size_t I = 2; I < C[E].Kids.size(); ++I)
    coerce(C[E].Kids[I], Element);
  if (B.Opcode == Op::AtomicStore)
    return C.Vars.known(types::Void);
  if (B.Opcode != Op::AtomicLoad && E != Discarded && L &&
      !C.Vars.isError(Element))
    F->OldValueUses.push_back({C[E].Where, shownName(E)});
  return Element;
}

// --- Methods

Ty Infer::inferLength(ast::ExprId E) {
  if (!arity(E, ".len", 1))
    return C.Vars.error();
  C.Calls.set(E, {CallTarget::Length, 0, Op::Len, {}});
  return C.Vars.known(types::U32);
}

/// `.dim(axis)` and `.rank()` of a tensor.
Ty Infer::inferShapeFact(ast::ExprId E) {
  bool IsDim = C[E].Member.Text == "dim";
  if (!arity(E, IsDim ? ".dim" : ".rank", IsDim ? 2 : 1))
    return C.Vars.error();
  if (IsDim)
    coerce(C[E].Kids[1], C.Vars.known(types::U32));
  C.Calls.set(E, {IsDim ? CallTarget::Dim : CallTarget::Rank,
                  0,
                  IsDim ? Op::Dim : Op::Rank,
                  {}});
  return C.Vars.known(types::U32);
}

Ty Infer::methodOfResource(ast::ExprId E, const Local &Of) {
  std::string_view Name = C[E].Member.Text;
  if (Name == "len" && !Of.IsImage)
    return inferLength(E);
  if (Of.IsTensor && (Name == "dim" || Name == "rank"))
    return inferShapeFact(E);
  std::string Shown(Of.Name);
  std::string Help =
      Of.IsImage ? "an image has elements to write, `" + Shown + "[id.xy] = v`"
      : Of.IsTensor ? "a tensor has `.len()`, `.dim(axis)`, `.rank()` and "
                      "elements, `" +
                          Shown + "[i]`"
                    : "a buffer has `.len()` and elements, `" + Shown + "[i]`";
  refuse(diag::G0215, C[E].Member.Where,
         "`" + Shown + "` has no method `" + std::string(Name) + "`", Help);
  return argumentsOnly(E);
}

Ty Infer::inferMethod(ast::ExprId E) {
  const ast::Expr &X = C[E];
  std::string_view Name = X.Member.Text;
  if (std::optional<uint32_t> L = resourceOf(X.Kids[0]))
    return methodOfResource(E, F->Locals[*L]);
  int Row = findBuiltin(Name);
  bool IsMethod = Row >= 0 && builtin(Row).isMethod();
  if (IsMethod)
    return callBuiltin(E, static_cast<uint32_t>(Row));
  Ty Receiver = infer(X.Kids[0]);
  if (Name == "len" && C.Vars.kind(Receiver) == TyKind::Array)
    return inferLength(E);
  for (size_t I = 1; I < X.Kids.size(); ++I)
    infer(X.Kids[I]);
  return C.Vars.isError(Receiver) ? Receiver : unknownMethod(E, Receiver);
}

/// Methods of Rust's numbers that have another form here.
static std::string_view foreignMethodHelp(std::string_view Name) {
  if (Name.starts_with("wrapping_"))
    return "integers wrap: use the plain operator";
  if (Name == "signum")
    return "use `.sign()`";
  if (Name == "rem_euclid")
    return "write `((x % n) + n) % n`";
  if (Name.ends_with("_zeros") || Name.ends_with("_ones"))
    return "the methods are `.count_ones()`, `.leading_zeros()`, "
           "`.trailing_zeros()`";
  if (Name == "iter" || Name == "iter_mut" || Name == "into_iter")
    return "loop over indices: `for i in 0..x.len() { … }`";
  if (Name == "clone" || Name == "copied")
    return "values are copied by themselves: leave the call out";
  return {};
}

Ty Infer::unknownMethod(ast::ExprId E, Ty Receiver) {
  std::string_view Name = C[E].Member.Text;
  DiagBuilder D = C.error(diag::G0215, C[E].Member.Where);
  D << "`" << C.Vars.name(Receiver) << "` has no method `" << Name << '`';
  std::string_view Help = foreignMethodHelp(Name);
  std::vector<std::string> Known = builtinNames(true);
  Known.emplace_back("len");
  if (!Help.empty())
    D.help(std::string(Help));
  else
    suggest(D, Name, C[E].Member.Where, Known,
            "call a helper with the value as its argument");
  return C.Vars.error();
}
