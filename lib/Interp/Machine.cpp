//===- Machine.cpp - Runs decoded kernels
//----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel without barriers runs its work-items to the end one after the
// other in one frame. With barriers every item of a group has a frame of its
// own and runs up to the barrier; the group goes on when all have come to the
// same one.
//
//===----------------------------------------------------------------------===//
#include "Code.h"
#include "Semantics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

namespace goldy::interp {
namespace {

constexpr uint64_t MaxGroupBytes = uint64_t(1) << 30;
constexpr uint64_t MaxGroupItems = 1024;
constexpr uint64_t Undetermined = 0xdeadbeef;

enum class Stop : uint8_t { Ended, AtBarrier, Faulted };

struct Item {
  uint64_t *R = nullptr; ///< frame
  uint32_t At = 0;       ///< next step
  uint32_t Local[3] = {}, Group[3] = {};
};

/// A value of `gpu::debug` and the work-item that it is of.
struct Saying {
  std::array<uint32_t, 3> At;
  std::string Text;
};

/// As a literal of the language, a float by its shortest digits.
std::string scalarText(TypeKind Kind, uint64_t Bits) {
  switch (Kind) {
  case TypeKind::Bool:
    return Bits ? "true" : "false";
  case TypeKind::I32:
    return std::to_string(static_cast<int32_t>(Bits));
  case TypeKind::I64:
    return std::to_string(static_cast<int64_t>(Bits));
  case TypeKind::F32: {
    float F = std::bit_cast<float>(static_cast<uint32_t>(Bits));
    if (std::isnan(F))
      return "nan";
    char Text[32];
    return std::string(Text, std::to_chars(Text, Text + sizeof Text, F).ptr);
  }
  default:
    return std::to_string(Bits);
  }
}

class Machine {
public:
  Machine(const Code &C, const Function &Kernel, std::array<uint32_t, 3> Groups,
          const InterpOptions &Options)
      : C(C), Kernel(Kernel), Groups(Groups), StepsLeft(Options.StepLimit),
        Limited(Options.StepLimit != 0), Shared(C.SharedCells),
        Options(Options) {}
  std::optional<InterpFault> run();

private:
  bool prepare();
  bool runGroup(const uint32_t (&Group)[3]);
  bool runItems();
  bool meet();
  void combine(const Step &S);
  void exchange(const Step &S);
  void startItem(Item &I);
  Stop resume(Item &I);

  bool locate(const Access &A, const uint64_t *R, uint64_t &At) const;
  bool permitted(const Access &A, const uint64_t *R, uint64_t &At, Item &I);
  uint64_t read(const Access &A, uint64_t At, TypeKind Kind,
                const uint64_t *R) const;
  void write(const Access &A, uint64_t At, TypeKind Kind, uint64_t *R,
             uint64_t Bits);
  bool load(const Step &S, Item &I);
  bool store(const Step &S, Item &I);
  bool atomic(const Step &S, Item &I);
  uint64_t id(const Step &S, const Item &I) const;
  bool forBegin(const Step &S, uint64_t *R) const;
  bool forNext(const Step &S, uint64_t *R) const;
  bool checked(const Step &S, Item &I);
  bool fail(std::string Message, const Item &I, Span Where);
  bool repeat(const Step &S, const Item &I);
  void debug(const Step &S, const Item &I);
  void sayAll();

  const Code &C;
  const Function &Kernel;
  std::array<uint32_t, 3> Groups;
  uint64_t StepsLeft;
  bool Limited;
  std::vector<uint64_t> Shared;
  std::vector<uint64_t> Frames;
  std::vector<Item> Items;
  bool Faulted = false;
  InterpFault Why;
  const InterpOptions &Options;
  std::vector<Saying> Said;
};

bool Machine::fail(std::string Message, const Item &I, Span Where) {
  std::string At;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    uint64_t Global =
        uint64_t(I.Group[Axis]) * Kernel.WorkgroupSize[Axis] + I.Local[Axis];
    At += (Axis ? ", " : "") + std::to_string(Global);
  }
  Faulted = true;
  Why = {InterpFault::Kind::Fault,
         std::move(Message) + " in work-item (" + At + ")", Where};
  return false;
}

// --- Memory

/// Where an access lies in its space; false if an index is out of range.
bool Machine::locate(const Access &A, const uint64_t *R, uint64_t &At) const {
  At = A.Constant;
  for (const Index &X : A.Indices) {
    uint64_t Value = R[X.Cell];
    bool Negative = X.IsSigned && (Value >> 31) != 0;
    if (Negative || Value >= X.Extent)
      return false;
    if (X.Tensor != ~0u)
      Value = C.Tensors[X.Tensor].element(Value);
    At += Value * X.Stride;
  }
  return true;
}

/// True if the access takes place. A broken promise is a fault.
bool Machine::permitted(const Access &A, const uint64_t *R, uint64_t &At,
                        Item &I) {
  if (A.Guarded && R[A.Guard] == 0)
    return false;
  if (locate(A, R, At))
    return true;
  if (!A.Forgiving)
    fail("an access that was promised to be in range is not", I,
         C.Steps[I.At].Where);
  return false;
}

/// Bytes that a scalar takes in a buffer.
size_t storedBytes(TypeKind Kind) {
  switch (Kind) {
  case TypeKind::U64:
  case TypeKind::I64:
    return 8;
  case TypeKind::U8:
  case TypeKind::I8:
    return 1;
  case TypeKind::U16:
  case TypeKind::I16:
  case TypeKind::F16:
  case TypeKind::BF16:
    return 2;
  default:
    return 4;
  }
}

uint64_t Machine::read(const Access &A, uint64_t At, TypeKind Kind,
                       const uint64_t *R) const {
  if (A.Where == Space::Frame)
    return R[At];
  if (A.Where == Space::Shared)
    return A.Table ? A.Table[At] : Shared[At];
  uint64_t Bits = 0;
  std::memcpy(&Bits, A.Bytes + At, storedBytes(Kind));
  return widened(Kind, Bits);
}

void Machine::write(const Access &A, uint64_t At, TypeKind Kind, uint64_t *R,
                    uint64_t Bits) {
  if (A.Where == Space::Frame) {
    R[At] = Bits;
    return;
  }
  if (A.Where == Space::Shared) {
    Shared[At] = Bits;
    return;
  }
  Bits = narrowed(Kind, Bits);
  std::memcpy(A.Bytes + At, &Bits, storedBytes(Kind));
}

bool Machine::load(const Step &S, Item &I) {
  const Access &A = C.Accesses[S.Extra];
  uint64_t At = 0;
  if (permitted(A, I.R, At, I)) {
    for (size_t L = 0; L < A.Leaves.size(); ++L)
      I.R[S.Dst + L] = read(A, At + A.Leaves[L].Offset, A.Leaves[L].Kind, I.R);
    return true;
  }
  std::fill_n(I.R + S.Dst, A.Leaves.size(), 0);
  return !Faulted;
}

bool Machine::store(const Step &S, Item &I) {
  const Access &A = C.Accesses[S.Extra];
  uint64_t At = 0;
  if (!permitted(A, I.R, At, I))
    return !Faulted;
  for (size_t L = 0; L < A.Leaves.size(); ++L)
    write(A, At + A.Leaves[L].Offset, A.Leaves[L].Kind, I.R, I.R[S.A + L]);
  return true;
}

/// What an atomic operation leaves in memory.
uint64_t atomicResult(const Step &S, uint64_t Old, uint64_t A, uint64_t B) {
  switch (S.Opcode) {
  case Op::AtomicAdd:
    return evaluate(Op::Add, S.Kind, Old, A, 0);
  case Op::AtomicMin:
    return evaluate(Op::Min, S.Kind, Old, A, 0);
  case Op::AtomicMax:
    return evaluate(Op::Max, S.Kind, Old, A, 0);
  case Op::AtomicAnd:
    return evaluate(Op::And, S.Kind, Old, A, 0);
  case Op::AtomicOr:
    return evaluate(Op::Or, S.Kind, Old, A, 0);
  case Op::AtomicXor:
    return evaluate(Op::Xor, S.Kind, Old, A, 0);
  case Op::AtomicExchange:
  case Op::AtomicStore:
    return A;
  case Op::AtomicCompareExchange:
    return Old == A ? B : Old;
  default:
    return Old;
  }
}

bool Machine::atomic(const Step &S, Item &I) {
  const Access &A = C.Accesses[S.Extra];
  uint64_t At = 0, Old = 0;
  if (permitted(A, I.R, At, I)) {
    At += A.Leaves[0].Offset;
    Old = read(A, At, S.Kind, I.R);
    write(A, At, S.Kind, I.R, atomicResult(S, Old, I.R[S.A], I.R[S.B]));
  }
  if (S.Opcode != Op::AtomicStore)
    I.R[S.Dst] = Old;
  return !Faulted;
}

// --- Steps

uint64_t Machine::id(const Step &S, const Item &I) const {
  uint32_t Axis = static_cast<uint32_t>(S.Count);
  switch (S.Opcode) {
  case Op::LocalId:
    return I.Local[Axis];
  case Op::WorkgroupId:
    return I.Group[Axis];
  case Op::NumWorkgroups:
    return Groups[Axis];
  case Op::WorkgroupSize:
    return Kernel.WorkgroupSize[Axis];
  default:
    return static_cast<uint32_t>(I.Group[Axis] * Kernel.WorkgroupSize[Axis] +
                                 I.Local[Axis]);
  }
}

/// `a >= b` runs nothing (`a > b` for `..=`).
bool Machine::forBegin(const Step &S, uint64_t *R) const {
  uint64_t Lo = R[S.A], Hi = R[S.B];
  bool Empty = S.Inclusive ? evaluate(Op::Gt, S.Kind, Lo, Hi, 0)
                           : evaluate(Op::Ge, S.Kind, Lo, Hi, 0);
  R[S.Dst] = Lo;
  return !Empty;
}

/// No wrap at the type's maximum: what is left is compared with the step.
bool Machine::forNext(const Step &S, uint64_t *R) const {
  uint64_t Left = evaluate(Op::Sub, S.Kind, R[S.B], R[S.Dst], 0);
  if (S.Inclusive ? Left < S.Count : Left <= S.Count)
    return false;
  R[S.Dst] = evaluate(Op::Add, S.Kind, R[S.Dst], S.Count, 0);
  return true;
}

bool Machine::checked(const Step &S, Item &I) {
  uint64_t A = I.R[S.A], B = I.R[S.B];
  if (const char *Broken = brokenPromise(S.Opcode, S.Kind, A, B))
    return fail(Broken, I, S.Where);
  I.R[S.Dst] = evaluate(S.Opcode, S.Kind, A, B, 0);
  return true;
}

bool Machine::repeat(const Step &S, const Item &I) {
  if (!Limited)
    return true;
  if (StepsLeft == 0)
    return fail("the limit of loop repetitions is reached", I, S.Where);
  --StepsLeft;
  return true;
}

Stop Machine::resume(Item &I) {
  uint64_t *R = I.R;
  for (;;) {
    const Step &S = C.Steps[I.At];
    bool Good = true;
    switch (S.What) {
    case Do::Evaluate:
      R[S.Dst] = evaluate(S.Opcode, S.Kind, R[S.A], R[S.B], R[S.C]);
      break;
    case Do::Checked:
      Good = checked(S, I);
      break;
    case Do::Convert:
      R[S.Dst] = convert(S.Kind, S.ToKind, R[S.A]);
      break;
    case Do::Copy:
      if (S.Count == 1)
        R[S.Dst] = R[S.A];
      else
        std::copy_n(R + S.A, S.Count, R + S.Dst);
      break;
    case Do::Id:
      R[S.Dst] = id(S, I);
      break;
    case Do::Dim:
      R[S.Dst] = R[S.A] < 4 ? C.Tensors[S.Extra].Shape[R[S.A]] : 1;
      break;
    case Do::Load:
      Good = load(S, I);
      break;
    case Do::Store:
      Good = store(S, I);
      break;
    case Do::Atomic:
      Good = atomic(S, I);
      break;
    case Do::Debug:
      debug(S, I);
      break;
    case Do::Barrier:
    case Do::Collective:
      return Stop::AtBarrier;
    case Do::Jump:
      Good = S.Extra > I.At || repeat(S, I);
      I.At = S.Extra - 1;
      break;
    case Do::JumpIf:
      I.At = R[S.A] ? S.Extra - 1 : I.At;
      break;
    case Do::JumpUnless:
      I.At = R[S.A] ? I.At : S.Extra - 1;
      break;
    case Do::ForBegin:
      I.At = forBegin(S, R) ? I.At : S.Extra - 1;
      break;
    case Do::ForNext:
      if (forNext(S, R)) {
        Good = repeat(S, I);
        I.At = S.Extra - 1;
      }
      break;
    case Do::End:
      return Stop::Ended;
    }
    if (!Good)
      return Stop::Faulted;
    ++I.At;
  }
}

// --- Debug output

void Machine::debug(const Step &S, const Item &I) {
  if (!Options.Debug)
    return;
  std::array<uint32_t, 3> At;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    At[Axis] = I.Group[Axis] * Kernel.WorkgroupSize[Axis] + I.Local[Axis];
  const uint32_t Cells[] = {S.A, S.B, S.C, S.Dst};
  std::string Text = S.Count > 1 ? "(" : "";
  for (uint64_t N = 0; N < S.Count; ++N)
    Text += (N ? ", " : "") + scalarText(S.Kind, I.R[Cells[N]]);
  Said.push_back({At, Text + (S.Count > 1 ? ")" : "")});
}

void Machine::sayAll() {
  // Equal keys stay in the order in which they were said.
  std::multimap<std::array<uint32_t, 3>, const std::string *> Sorted;
  for (const Saying &S : Said)
    Sorted.emplace(std::array{S.At[2], S.At[1], S.At[0]}, &S.Text);
  for (const auto &[At, Text] : Sorted)
    Options.Debug(Kernel.Name + " [" + std::to_string(At[2]) + ", " +
                  std::to_string(At[1]) + ", " + std::to_string(At[0]) +
                  "]: " + *Text);
}

// --- Groups

bool Machine::prepare() {
  uint64_t Count = 1;
  for (uint32_t Extent : Kernel.WorkgroupSize)
    Count = std::min<uint64_t>(Count * Extent, MaxGroupItems + 1);
  uint64_t FrameCount = C.HasBarrier ? Count : 1;
  bool Fits = FrameCount * (C.Frame.size() + 1) <= MaxGroupBytes / 8;
  if (Count == 0 || Count > MaxGroupItems || !Fits) {
    Why = {InterpFault::Kind::Unsupported,
           "a workgroup of this size is not supported by the interpreter",
           Kernel.Loc};
    return false;
  }
  Frames.reserve(FrameCount * C.Frame.size());
  for (uint64_t I = 0; I < FrameCount; ++I)
    Frames.insert(Frames.end(), C.Frame.begin(), C.Frame.end());
  Items.resize(Count);
  for (uint64_t I = 0; I < Count; ++I) {
    uint64_t X = Kernel.WorkgroupSize[0], Y = Kernel.WorkgroupSize[1];
    Items[I].R = Frames.data() + (C.HasBarrier ? I * C.Frame.size() : 0);
    Items[I].Local[0] = static_cast<uint32_t>(I % X);
    Items[I].Local[1] = static_cast<uint32_t>(I / X % Y);
    Items[I].Local[2] = static_cast<uint32_t>(I / X / Y);
  }
  return true;
}

void Machine::startItem(Item &I) {
  I.At = 0;
  for (const auto &[First, Count] : C.Variables)
    std::fill_n(I.R + First, Count, 0);
}

/// Lets every item run up to a barrier or its end, then checks that all came
/// to the same one.
bool Machine::meet() {
  for (Item &I : Items)
    if (resume(I) == Stop::Faulted)
      return false;
  const Item *Waiting = nullptr;
  for (const Item &I : Items)
    if (C.Steps[I.At].What != Do::End && !Waiting)
      Waiting = &I;
  for (const Item &I : Items)
    if (Waiting && I.At != Waiting->At)
      return fail("a barrier that only part of the group reaches", *Waiting,
                  C.Steps[Waiting->At].Where);
  if (!Waiting)
    return true;
  if (const Step &S = C.Steps[Waiting->At]; S.What == Do::Collective)
    exchangesLanes(S.Opcode) ? exchange(S) : combine(S);
  for (Item &I : Items)
    ++I.At;
  return true;
}

/// Level s combines item l, a multiple of 2^(s+1), with item l + 2^s, in that
/// order. What the scratch array holds afterwards is not determined: something
/// that no kernel can have meant.
void Machine::combine(const Step &S) {
  Op Operation = S.Opcode == Op::WorkgroupSum   ? Op::Add
                 : S.Opcode == Op::WorkgroupMax ? Op::Max
                                                : Op::Min;
  std::vector<uint64_t> Values;
  for (const Item &I : Items)
    Values.push_back(I.R[S.A]);
  for (size_t Distance = 1; Distance < Values.size(); Distance *= 2)
    for (size_t L = 0; L + Distance < Values.size(); L += 2 * Distance)
      Values[L] =
          evaluate(Operation, S.Kind, Values[L], Values[L + Distance], 0);
  for (Item &I : Items)
    I.R[S.Dst] = Values[0];
  std::fill_n(Shared.begin() + S.B, S.Count, Undetermined);
}

/// Count is the bit of the other work-item's id, or the size of a block.
void Machine::exchange(const Step &S) {
  std::vector<uint64_t> Values;
  for (const Item &I : Items)
    Values.push_back(I.R[S.A]);
  for (Item &I : Items) {
    uint32_t Own = I.Local[0], Count = static_cast<uint32_t>(S.Count);
    uint32_t From =
        S.Opcode == Op::LaneFirst ? Own & ~(Count - 1) : Own ^ Count;
    I.R[S.Dst] = From < Values.size() ? Values[From] : Undetermined;
  }
}

bool Machine::runItems() {
  for (Item &I : Items) {
    startItem(I);
    if (!C.HasBarrier && resume(I) == Stop::Faulted)
      return false;
  }
  if (!C.HasBarrier)
    return true;
  while (C.Steps[Items[0].At].What != Do::End)
    if (!meet())
      return false;
  return true;
}

bool Machine::runGroup(const uint32_t (&Group)[3]) {
  std::fill(Shared.begin(), Shared.end(), 0);
  for (Item &I : Items)
    std::copy_n(Group, 3, I.Group);
  return runItems();
}

std::optional<InterpFault> Machine::run() {
  bool Good = prepare();
  uint32_t Group[3];
  for (Group[2] = 0; Good && Group[2] < Groups[2]; ++Group[2])
    for (Group[1] = 0; Good && Group[1] < Groups[1]; ++Group[1])
      for (Group[0] = 0; Good && Group[0] < Groups[0]; ++Group[0])
        Good = runGroup(Group);
  sayAll();
  if (Good)
    return std::nullopt;
  return Why;
}

/// The host's default floating point environment for as long as it lives:
/// nearest even, no flushing.
class DefaultFloats {
public:
  DefaultFloats() {
    std::fegetenv(&Saved);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&Saved); }

private:
  std::fenv_t Saved;
};

} // namespace

std::optional<InterpFault> runGrid(const Code &C, const Function &Kernel,
                                   std::array<uint32_t, 3> Groups,
                                   const InterpOptions &Options) {
  DefaultFloats Environment;
  return Machine(C, Kernel, Groups, Options).run();
}

} // namespace goldy::interp

std::optional<goldy::InterpFault>
goldy::interpret(const Module &M, FuncId Kernel, std::array<uint32_t, 3> Groups,
                 std::span<const InterpArgument> Arguments,
                 const InterpOptions &Options) {
  const Function &F = M.Functions[Kernel];
  InterpFault Why;
  std::optional<interp::Code> C = interp::decode(M, F, Arguments, Why);
  if (!C)
    return Why;
  return interp::runGrid(*C, F, Groups, Options);
}
