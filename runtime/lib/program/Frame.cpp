//===- Frame.cpp - What a caller gives to runs of a program ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a run would refuse by number is refused here by name.
//
//===----------------------------------------------------------------------===//
#include "program/Frame.h"

#include "cpu/Findings.h"
#include "cpu/Undetermined.h"
#include "program/Derived.h"
#include "program/Fields.h"
#include "program/Numbers.h"

using namespace goldy;
using namespace goldy::rt;
using goldy::program::InputForm;
using goldy::program::NamedInput;
using goldy::program::Number;

namespace {
struct StatusDestroyer {
  void operator()(goldy_status_t S) const { goldy_status_destroy(S); }
};
} // namespace

goldy_frame::goldy_frame(const goldy_program_template &From,
                         goldy_program_t *Program,
                         std::span<goldy_device_t *const> On)
    : Object(From.Template), Ends(On.size()), Program(shared(Program)),
      Buffers(From.Template.Inputs.size()), Ints(From.Template.Ints.size()) {
  for (goldy_device_t *D : On)
    Devices.push_back(*D);
  for (goldy_buffer &B : Buffers)
    Inputs.push_back(&B);
}

goldy_frame::~goldy_frame() {
  // A device that fails says so at its next call.
  Status Ignored = wait(GOLDY_FOREVER);
}

Status goldy_frame::fail(goldy_code_t Code, const std::string &What) const {
  return Status(Code, "program `" + T.Name + "`: " + What);
}

/// What a function of the C interface gave, as one of this program.
template <class What>
Status goldy_frame::told(goldy_status_t Given, What Prefix) const {
  if (!Given)
    return Status();
  std::unique_ptr<goldy_status, StatusDestroyer> S(Given);
  return fail(goldy_status_code(Given), Prefix() + goldy_status_message(Given));
}

//===-- Setting -----------------------------------------------------------===//

Status goldy_frame::inputFault(const NamedInput &In, uint64_t Bytes) const {
  std::string Name = "input `" + In.Name + "`";
  if (Bytes < static_cast<uint64_t>(In.Bytes))
    return fail(GOLDY_INVALID_ARGUMENT,
                Name + ": a buffer of " + std::to_string(Bytes) +
                    " bytes where at least " + std::to_string(In.Bytes) +
                    " are needed");
  if (!In.Type)
    return Status();
  uint64_t Stride = strideOf(In), Count = Bytes / Stride;
  std::string Type = "`" + program::typeName(T.Types, *In.Type) + "`";
  if (Bytes % Stride != 0)
    return fail(GOLDY_INVALID_ARGUMENT,
                Name + ": " + std::to_string(Bytes) +
                    " bytes are no whole number of elements of " + Type);
  if (In.Form == InputForm::Uniform && Count != 1)
    return fail(GOLDY_INVALID_ARGUMENT, Name + ": is one value of " + Type +
                                            ", got " + std::to_string(Count));
  if (Count > UINT32_MAX)
    return fail(GOLDY_LIMIT, Name + ": " + std::to_string(Count) +
                                 " elements, the limit is 4294967295");
  return Status();
}

Status goldy_frame::setInput(size_t Index, const goldy_buffer &Buffer) {
  const NamedInput &In = T.Inputs[Object.Inputs[Index]];
  size_t Device = static_cast<size_t>(In.Device);
  if (Buffer.Memory->Device != Devices[Device].Driver)
    return fail(GOLDY_INVALID_ARGUMENT,
                "input `" + In.Name + "`: a buffer of device `" +
                    Buffer.Memory->Device->facts().Name + "` where one of `" +
                    T.Devices[Device] + "` (`" +
                    Devices[Device].Driver->facts().Name + "`) is needed");
  GOLDY_TRY(inputFault(In, Buffer.Memory->Bytes));
  Buffers[Object.Inputs[Index]].Memory = Buffer.Memory;
  return Status();
}

Status goldy_frame::setView(size_t Index, const goldy_buffer &Buffer,
                            uint64_t Offset, uint64_t Bytes) {
  if (Offset != 0 || Bytes != Buffer.Memory->Bytes)
    return fail(GOLDY_INVALID_ARGUMENT,
                "input `" + T.Inputs[Object.Inputs[Index]].Name +
                    "`: " + std::to_string(Bytes) + " bytes from byte " +
                    std::to_string(Offset) + " of a buffer of " +
                    std::to_string(Buffer.Memory->Bytes) +
                    "; an input of a program is a whole buffer");
  return setInput(Index, Buffer);
}

/// How a word holds a value of `Type` with the bits `Bits`.
static uint64_t wordOf(goldy_type_kind_t Type, uint64_t Bits) {
  uint32_t Low = static_cast<uint32_t>(Bits);
  switch (Type) {
  case GOLDY_TYPE_BOOL:
    return Low != 0;
  case GOLDY_TYPE_I32:
    return static_cast<uint64_t>(int64_t(static_cast<int32_t>(Low)));
  case GOLDY_TYPE_U32:
  case GOLDY_TYPE_F32:
    return Low;
  default:
    return Bits;
  }
}

Status goldy_frame::setInt(size_t Index, goldy_type_kind_t Type,
                           uint64_t Bits) {
  size_t Word = Object.Ints[Index];
  const program::NamedInt &N = std::get<program::NamedInt>(T.Ints[Word]);
  if (Type != Object.IntTypes[Index].Kind)
    return fail(
        GOLDY_INVALID_ARGUMENT,
        "`" + N.Name + "` is `" +
            program::Enumerators<program::Scalar>::Names[static_cast<size_t>(
                N.Type)] +
            "`, got a value of another type");
  uint64_t Value = wordOf(Type, Bits);
  if (!program::isNumber(static_cast<Number>(Value)))
    return fail(GOLDY_INVALID_ARGUMENT,
                "`" + N.Name + "`: the value is not in -2^62 to 2^62 - 1, " +
                    "which the numbers of programs are");
  Ints[Word] = Value;
  return Status();
}

//===-- What the frame computes -------------------------------------------===//

/// Lengths and overlaps of the buffers that were given.
void goldy_frame::measure() {
  for (size_t W = 0; W < Ints.size(); ++W) {
    if (const program::LengthInt *L =
            std::get_if<program::LengthInt>(&T.Ints[W])) {
      size_t In = static_cast<size_t>(L->Input);
      Ints[W] = Buffers[In].Memory->Bytes / strideOf(T.Inputs[In]);
    } else if (const program::OverlapInt *O =
                   std::get_if<program::OverlapInt>(&T.Ints[W])) {
      const Memory &A = *Buffers[static_cast<size_t>(O->A)].Memory;
      const Memory &B = *Buffers[static_cast<size_t>(O->B)].Memory;
      Ints[W] = &A == &B && A.Bytes > 0;
    }
  }
}

Status goldy_frame::derive() {
  for (const program::DerivedInt &D : T.Derived) {
    program::Evaluation E = program::evaluate(D, Ints);
    if (!E.ok())
      return fail(GOLDY_INVALID_ARGUMENT, program::evaluationError(D, E, Ints));
    if (!program::isNumber(static_cast<Number>(E.Value)))
      return fail(GOLDY_INVALID_ARGUMENT,
                  (D.Origin.empty() ? "int " + std::to_string(D.Word)
                                    : "`" + D.Origin + "`") +
                      ": the value is not in -2^62 to 2^62 - 1");
    Ints[static_cast<size_t>(D.Word)] = E.Value;
  }
  return Status();
}

/// What messages call the size of a temporary, whose bytes are in a word.
std::string goldy_frame::sizeName(size_t Word) const {
  for (const program::DerivedInt &D : T.Derived)
    if (static_cast<size_t>(D.Word) == Word && !D.Origin.empty())
      return "a temporary's size (`" + D.Origin + "`): ";
  return "a temporary's size: ";
}

/// Memory for a sized input: what the program's frames share, or more.
Status goldy_frame::serve(size_t Input) {
  const NamedInput &In = T.Inputs[Input];
  size_t Word = static_cast<size_t>(*In.Size);
  Number Bytes = static_cast<Number>(Ints[Word]);
  goldy_buffer &B = Buffers[Input];
  if (Bytes < 0)
    return fail(GOLDY_INVALID_ARGUMENT,
                sizeName(Word) + std::to_string(Bytes) + " bytes");
  uint64_t Needs =
      std::max(static_cast<uint64_t>(Bytes), static_cast<uint64_t>(In.Bytes));
  std::shared_ptr<Memory> Common;
  {
    std::lock_guard<std::mutex> Lock(Program->ServedGuard);
    Common = Program->Served[Input];
    if (!Common || Common->Bytes < Needs) {
      GOLDY_TRY(allocate(Input, Needs, Common));
      Program->Served[Input] = Common;
    }
  }
  if (B.Memory == Common)
    return Status();
  // Work of the run before may still use what there was.
  GOLDY_TRY(wait(GOLDY_FOREVER));
  B.Memory = std::move(Common);
  return Status();
}

Status goldy_frame::allocate(size_t Input, uint64_t Bytes,
                             std::shared_ptr<Memory> &Out) {
  const NamedInput &In = T.Inputs[Input];
  goldy_buffer_t *Made = nullptr;
  GOLDY_TRY(told(goldy_buffer_create(&Devices[static_cast<size_t>(In.Device)],
                                     Bytes, &Made),
                 [&] { return sizeName(static_cast<size_t>(*In.Size)); }));
  Out = Made->Memory;
  goldy_buffer_destroy(Made);
  return Status();
}

//===-- Running -----------------------------------------------------------===//

Status goldy_frame::run(std::span<const goldy_program_point_t> Waits) {
  for (size_t I : Object.Inputs)
    if (!Buffers[I].Memory)
      return fail(GOLDY_INVALID_ARGUMENT,
                  "input `" + T.Inputs[I].Name + "` was not set");
  measure();
  GOLDY_TRY(derive());
  for (size_t I = 0; I < T.Inputs.size(); ++I)
    if (T.Inputs[I].Form == InputForm::Sized)
      GOLDY_TRY(serve(I));
  goldy_program_frame_t Frame{};
  Frame.inputs = Inputs.data();
  Frame.input_count = Inputs.size();
  Frame.ints = reinterpret_cast<const int64_t *>(Ints.data());
  Frame.int_count = Ints.size();
  EndCount = 0;
  goldy_status_t S = goldy_program_run(Program.get(), &Frame, Waits.data(),
                                       Waits.size(), Ends.data(), &EndCount);
  Status Result = told(S, [&] {
    std::string Where(program::originOf(T, goldy_status_message(S)));
    return Where.empty() ? Where : Where + ": ";
  });
  bool Ended = Result.ok() || Result.code() == GOLDY_FINDINGS;
  Status Outputs = determinedOutputs(Ended);
  return Result.ok() ? std::move(Outputs) : std::move(Result);
}

/// What a copy has brought into a buffer of the caller's and nothing has
/// written since is a finding of --sanitize=uninit. The caller may do with its
/// buffers what it likes, so the next run knows nothing of it.
Status goldy_frame::determinedOutputs(bool Tell) const {
  Undetermined &U = Undetermined::memory();
  Status First;
  for (size_t I = 0; I < T.Inputs.size() && U.any(); ++I) {
    const Memory &M = *Buffers[I].Memory;
    if (T.Inputs[I].Form == InputForm::Sized || !M.Device->facts().Threads)
      continue;
    uint64_t Address = M.Device->address(M.Id);
    Undetermined::Stretch X = U.find(Address, M.Bytes);
    if (!X)
      continue;
    if (Tell) {
      Status Found =
          fail(GOLDY_FINDINGS, "output `" + T.Inputs[I].Name + "`: bytes " +
                                   std::to_string(X.First - Address) + " to " +
                                   std::to_string(X.End - 1 - Address) +
                                   " are undetermined when the run ends");
      M.Device->tellFinding(
          Findings::withNote("error: " + Found.message(), *X.Where));
      if (First.ok())
        First = std::move(Found);
    }
    U.clear(Address, M.Bytes);
  }
  return First;
}

Status goldy_frame::wait(uint64_t TimeoutNs) {
  for (size_t I = 0; I < EndCount; ++I)
    GOLDY_TRY(told(goldy_program_wait(Program.get(), Ends[I], TimeoutNs),
                   [] { return std::string(); }));
  return Status();
}
