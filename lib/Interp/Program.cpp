//===- Program.cpp - Runs programs by the letter --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "goldyc/Interp/Program.h"
#include "Semantics.h"

#include <algorithm>
#include <cstring>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// What the temporaries of one run may take together.
constexpr uint64_t MaxTemporaryBytes = uint64_t(1) << 32;

std::string quoted(const std::string &Name) { return "`" + Name + "`"; }

/// One run.
class ProgramRun {
public:
  ProgramRun(const Module &M, const Program &P,
             const std::map<std::string, InterpHostFunction> &HostFunctions,
             std::span<const InterpArgument> Arguments,
             const InterpOptions &Options)
      : M(M), P(P), HostFunctions(HostFunctions), Arguments(Arguments),
        Options(Options), Memory(P.Buffers.size()), Vars(P.Vars.size()),
        Trips(Options.StepLimit) {}

  bool bind(std::vector<std::vector<std::vector<std::byte>>> &Owned,
            uint64_t Number);
  bool steps(const std::vector<Step> &Steps);
  InterpFault Why;

private:
  bool fail(Span Where, std::string Message,
            InterpFault::Kind Form = InterpFault::Kind::Fault);
  TypeKind kindOf(TypeId Type) const { return M.Types.kind(Type); }

  uint64_t value(ExprId E);
  uint64_t computed(const Expr &X);
  uint64_t operation(const Expr &X);
  __int128 number(ExprId E);
  __int128 stepOf(const Loop &L);

  bool makeTemporary(BufferId B, uint64_t Number);
  std::vector<InterpArgument> argumentsOf(const std::vector<Argument> &List);
  bool step(const Dispatch &D);
  bool step(const Copy &C);
  bool step(const HostCall &H);
  bool step(const Loop &L);
  bool step(const Choice &C) { return steps(C.Else); }
  bool goesOn(const Loop &L, bool &Stopped);

  const Module &M;
  const Program &P;
  const std::map<std::string, InterpHostFunction> &HostFunctions;
  std::span<const InterpArgument> Arguments;
  const InterpOptions &Options;
  std::vector<std::span<std::byte>> Memory; ///< by buffer
  std::vector<std::vector<std::byte>> Temporaries;
  uint64_t TemporaryBytes = 0;
  std::vector<uint64_t> Vars; ///< bits
  /// What expressions are until a loop variable changes.
  std::vector<std::optional<uint64_t>> Known;
  uint64_t Trips; ///< that are left, where there is a limit
};

bool ProgramRun::fail(Span Where, std::string Message, InterpFault::Kind Form) {
  Why = {Form, std::move(Message), Where};
  return false;
}

// --- Expressions

Op operationOf(ExprOp O) {
  switch (O) {
  case ExprOp::Add:
    return Op::Add;
  case ExprOp::Sub:
    return Op::Sub;
  case ExprOp::Mul:
    return Op::Mul;
  case ExprOp::Div:
    return Op::Div;
  case ExprOp::Rem:
    return Op::Rem;
  case ExprOp::Shl:
    return Op::Shl;
  case ExprOp::Shr:
    return Op::Shr;
  case ExprOp::And:
    return Op::And;
  case ExprOp::Or:
    return Op::Or;
  case ExprOp::Xor:
    return Op::Xor;
  case ExprOp::Min:
    return Op::Min;
  default:
    return Op::Max;
  }
}

uint64_t ProgramRun::operation(const Expr &X) {
  uint64_t L = value(X.L), R = value(X.R);
  return interp::evaluate(operationOf(X.Op), kindOf(X.Type), L, R, 0);
}

uint64_t ProgramRun::computed(const Expr &X) {
  switch (X.Op) {
  case ExprOp::Const:
    return X.Bits;
  case ExprOp::Param:
    return Arguments[X.Index].Bits;
  case ExprOp::Var:
    return Vars[X.Index];
  case ExprOp::Length:
    return Arguments[X.Index].Bytes.size() /
           M.Types.stride(P.Params[X.Index].Type);
  case ExprOp::Cast:
    return interp::convert(kindOf(P.Exprs[X.L].Type), kindOf(X.Type),
                           value(X.L));
  default:
    return operation(X);
  }
}

uint64_t ProgramRun::value(ExprId E) {
  if (Known.empty())
    Known.resize(P.Exprs.size());
  if (!Known[E.index()])
    Known[E.index()] = computed(P.Exprs[E]);
  return *Known[E.index()];
}

/// The number that an integer is.
__int128 ProgramRun::number(ExprId E) {
  uint64_t Bits = value(E);
  TypeId Type = P.Exprs[E].Type;
  return Type == types::I32   ? __int128(static_cast<int32_t>(Bits))
         : Type == types::I64 ? __int128(static_cast<int64_t>(Bits))
                              : __int128(Bits);
}

/// A step that is computed is read without sign, and 0 as 1.
__int128 ProgramRun::stepOf(const Loop &L) {
  uint64_t Bits = value(L.By);
  if (P.Exprs[L.By].Type == types::I32)
    Bits = static_cast<uint32_t>(Bits);
  return Bits ? Bits : 1;
}

// --- Memory

bool ProgramRun::makeTemporary(BufferId B, uint64_t Number) {
  const Buffer &T = P.Buffers[B];
  uint64_t Bytes = value(T.Count) * M.Types.stride(T.Element);
  TemporaryBytes += Bytes;
  if (Bytes > MaxTemporaryBytes || TemporaryBytes > MaxTemporaryBytes)
    return fail(T.Loc,
                quoted(T.Name) + " takes more memory than the interpreter "
                                 "gives temporaries",
                InterpFault::Kind::Unsupported);
  std::byte Poison = static_cast<std::byte>(0xcd ^ Number * 0x35);
  Temporaries.emplace_back(Bytes, Poison);
  Memory[B.index()] = Temporaries.back();
  return true;
}

bool ProgramRun::bind(std::vector<std::vector<std::vector<std::byte>>> &Owned,
                      uint64_t Number) {
  if (Arguments.size() != P.Params.size())
    return fail(P.Loc,
                quoted(P.Name) + " takes " + std::to_string(P.Params.size()) +
                    " arguments, got " + std::to_string(Arguments.size()),
                InterpFault::Kind::Argument);
  for (uint32_t I = 0; I < P.Buffers.size(); ++I) {
    const Buffer &B = P.Buffers[BufferId(I)];
    if (B.Kind == BufferKind::Input)
      Memory[I] = Arguments[B.Param].Bytes;
    else if (B.Kind == BufferKind::Owned)
      Memory[I] = Owned[I][Number % Owned[I].size()];
    else if (!makeTemporary(BufferId(I), Number))
      return false;
  }
  return true;
}

std::vector<InterpArgument>
ProgramRun::argumentsOf(const std::vector<Argument> &List) {
  std::vector<InterpArgument> Out(List.size());
  for (size_t I = 0; I < List.size(); ++I) {
    if (List[I].Buffer)
      Out[I].Bytes = Memory[List[I].Buffer.index()];
    else
      Out[I].Bits = value(List[I].Value);
  }
  return Out;
}

// --- Steps

bool ProgramRun::step(const Dispatch &D) {
  const Function &Kernel = M.Functions[D.Kernel];
  std::array<uint32_t, 3> Groups{};
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    uint64_t Size = value(D.Over.Size[Axis]);
    if (D.Over.Form == Grid::Kind::Items) {
      uint64_t Items = Kernel.WorkgroupSize[Axis];
      Size = Size / Items + (Size % Items != 0);
    }
    if (Size == 0)
      return true;
    Groups[Axis] = static_cast<uint32_t>(Size);
  }
  std::optional<InterpFault> Fault =
      interpret(M, D.Kernel, Groups, argumentsOf(D.Args), Options);
  if (Fault)
    Why = *Fault;
  return !Fault;
}

bool ProgramRun::step(const Copy &C) {
  uint64_t Stride = M.Types.stride(P.Buffers[C.Src].Element);
  uint64_t Count = value(C.Count);
  auto End = [&](BufferId B, ExprId Offset) {
    return std::pair(Memory[B.index()], value(Offset));
  };
  std::span<std::byte> Bytes[2];
  const std::pair<std::span<std::byte>, uint64_t> Ends[2] = {
      End(C.Src, C.SrcOffset), End(C.Dst, C.DstOffset)};
  for (unsigned I = 0; I < 2; ++I) {
    uint64_t Length = Ends[I].first.size() / Stride, At = Ends[I].second;
    if (At > Length || Count > Length - At)
      return fail(C.Loc, "a copy of " + std::to_string(Count) +
                             " elements at " + std::to_string(At) +
                             " is past the end of " +
                             quoted(P.Buffers[I ? C.Dst : C.Src].Name) +
                             ", which has " + std::to_string(Length));
    Bytes[I] = Ends[I].first.subspan(At * Stride, Count * Stride);
  }
  if (Count == 0)
    return true;
  if (Bytes[0].data() < Bytes[1].data() + Bytes[1].size() &&
      Bytes[1].data() < Bytes[0].data() + Bytes[0].size())
    return fail(C.Loc, "the ends of a copy share bytes");
  std::memcpy(Bytes[1].data(), Bytes[0].data(), Bytes[0].size());
  return true;
}

bool ProgramRun::step(const HostCall &H) {
  auto Found = HostFunctions.find(H.Name);
  if (Found == HostFunctions.end())
    return fail(H.Loc, "there is no host function " + quoted(H.Name),
                InterpFault::Kind::Argument);
  if (int Result = Found->second(argumentsOf(H.Args)))
    return fail(H.Loc, "the host function " + quoted(H.Name) + " gave " +
                           std::to_string(Result));
  return true;
}

/// Reads the stop flag and counts the trip.
bool ProgramRun::goesOn(const Loop &L, bool &Stopped) {
  if (L.Stop) {
    const Buffer &B = P.Buffers[L.Stop->Flag];
    std::span<std::byte> Bytes = Memory[L.Stop->Flag.index()];
    uint64_t Stride = M.Types.stride(B.Element), At = value(L.Stop->Index);
    if (At >= Bytes.size() / Stride)
      return fail(L.Loc, "element " + std::to_string(At) +
                             " of the stop flag is past the end of " +
                             quoted(B.Name));
    Stopped = Bytes[At * Stride] == std::byte(0);
  }
  if (Stopped || Options.StepLimit == 0)
    return true;
  if (Trips == 0)
    return fail(L.Loc, "the limit of loop repetitions is reached");
  --Trips;
  return true;
}

bool ProgramRun::step(const Loop &L) {
  __int128 Lo = number(L.Lo), Hi = number(L.Hi), By = stepOf(L);
  bool Wide = M.Types.bits(P.Vars[L.Var].Type) == 64;
  bool Stopped = false;
  for (__int128 V = Lo; V < Hi || (L.Inclusive && V == Hi); V += By) {
    if (!goesOn(L, Stopped) || Stopped)
      return Stopped;
    Vars[L.Var] = Wide ? static_cast<uint64_t>(V) : static_cast<uint32_t>(V);
    Known.clear();
    if (!steps(L.Body))
      return false;
  }
  return true;
}

bool ProgramRun::steps(const std::vector<Step> &Steps) {
  for (const Step &Next : Steps)
    if (!std::visit([this](const auto &S) { return step(S); }, Next.Kind))
      return false;
  return true;
}

} // namespace

ProgramOracle::ProgramOracle(const Module &M, const Program &P)
    : M(M), P(P), Owned(P.Buffers.size()) {
  for (uint32_t I = 0; I < P.Buffers.size(); ++I) {
    const Buffer &B = P.Buffers[BufferId(I)];
    if (B.Kind != BufferKind::Owned)
      continue;
    uint64_t Bytes = P.Exprs[B.Count].Bits * M.Types.stride(B.Element);
    Owned[I].assign(B.TwoCopies ? 2 : 1, std::vector<std::byte>(Bytes));
  }
}

void ProgramOracle::setHostFunction(const std::string &Name,
                                    InterpHostFunction Function) {
  HostFunctions[Name] = std::move(Function);
}

std::optional<InterpFault>
ProgramOracle::run(std::span<const InterpArgument> Arguments,
                   const InterpOptions &Options) {
  ProgramRun Run(M, P, HostFunctions, Arguments, Options);
  uint64_t Number = Runs++;
  if (Run.bind(Owned, Number) && Run.steps(P.Steps))
    return std::nullopt;
  return Run.Why;
}
