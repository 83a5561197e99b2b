//===- CommandWords.cpp - The command words of the null device ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "null/CommandWords.h"

#include "core/Checked.h"

#include <cstring>

using namespace goldy::rt;

static constexpr uint64_t WordBytes = 8;

Status CommandWords::refuse(const std::string &Why) const {
  return Status(GOLDY_INVALID_ARGUMENT,
                "command words: byte " + std::to_string(Start) + ": " + Why);
}

Status CommandWords::take(uint64_t &Out) {
  if (!rangeFits(At, WordBytes, Bytes.size()))
    return refuse("the command does not end before the words do");
  std::memcpy(&Out, Bytes.data() + At, WordBytes);
  At += WordBytes;
  return Status();
}

Status CommandWords::next(Command &Out) {
  Out = Command();
  Start = At;
  if (At == Bytes.size())
    return Status();
  uint64_t Word = 0;
  GOLDY_TRY(take(Word));
  if (Word > static_cast<uint64_t>(Kind::Fill))
    return refuse("there is no command " + std::to_string(Word));
  Out.What = static_cast<Kind>(Word);
  if (Out.What == Kind::Note)
    return take(Out.Number);
  return Out.What == Kind::Fill ? fill(Out) : Status();
}

Status CommandWords::fill(Command &Out) {
  uint64_t Use = 0, Offset = 0, Size = 0, Value = 0;
  for (uint64_t *Operand : {&Use, &Offset, &Size, &Value})
    GOLDY_TRY(take(*Operand));
  if (Use == 0 || Use >= Uses.size() || !Uses[Use].Written)
    return refuse("memory " + std::to_string(Use) +
                  " is none that the words may write");
  if (!rangeFits(Offset, Size, Uses[Use].Bytes))
    return refuse(std::to_string(Size) + " bytes from byte " +
                  std::to_string(Offset) + " on are not within memory " +
                  std::to_string(Use));
  if (Value > UINT8_MAX)
    return refuse(std::to_string(Value) + " is no byte");
  Out.Where = Uses[Use];
  Out.Where.Offset += Offset;
  Out.Where.Bytes = Size;
  Out.Value = static_cast<uint8_t>(Value);
  return Status();
}
