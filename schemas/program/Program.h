//===- Program.h - Descriptions of programs of steps ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is memory and code on the devices of one machine and the steps of
// a run: submissions, moves, loops. Its description is a plain value. One part
// refers to another by its number in the description's lists and never by a
// pointer, so descriptions are copied, compared and sent as they are. What only
// the loading process knows (an address, a function) stands in the bytes as a
// hole, as does what changes from run to run.
//
// The types state no rule by themselves: any value can be written down,
// encoded and printed. Rules.def lists the rules, Check.h checks them.
// docs/programs.md tells how the parts work together.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_PROGRAM_H
#define GOLDY_SCHEMAS_PROGRAM_PROGRAM_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace goldy::program {

/// Every number of a description has 63 bits: NumberMin to NumberMax. Numbers
/// of list elements ("device", "memory" …) count from 0.
using Number = int64_t;
inline constexpr Number NumberMin = -(Number(1) << 62);
inline constexpr Number NumberMax = (Number(1) << 62) - 1;

//===-- What a loading process fills in -----------------------------------===//

/// Where a memory starts for work of a device that fixes the memory whole. Of
/// memory in two copies, the copy of the run.
struct Address {
  Number Memory = 0; ///< in ProgramDesc::Memories
  Number On = 0;     ///< in ProgramDesc::Devices: who uses the address
  bool operator==(const Address &) const = default;
};

/// The driver's own object for a memory. Of memory in two copies, the copy of
/// the run.
struct Handle {
  Number Memory = 0; ///< in ProgramDesc::Memories
  bool operator==(const Handle &) const = default;
};

/// What compiled code calls a function of an image by: on the host an address,
/// on a GPU a function object.
struct Entry {
  Number Image = 0; ///< in ProgramDesc::Images
  std::string Name; ///< of the function in the image
  bool operator==(const Entry &) const = default;
};

/// The address of the `ready` function of this machine's end of a rail.
struct Ready {
  Number Rail = 0; ///< the rail's id, any number
  bool operator==(const Ready &) const = default;
};

/// A word that is known once the program is loaded.
using Leaf = std::variant<Address, Handle, Entry, Ready>;

/// A number that the description itself states.
struct Fixed {
  Number Value = 0;
  bool operator==(const Fixed &) const = default;
};

/// A word of the run's ints, as it is when the step that needs it runs.
struct IntWord {
  Number Word = 0; ///< below ProgramDesc::Ints
  bool operator==(const IntWord &) const = default;
};

/// A word that is known when the step that needs it runs.
using Value = std::variant<Fixed, IntWord, Leaf>;

/// `What` times `Factor`, one summand of a hole or of an offset.
template <class T> struct Term {
  T What;
  Number Factor = 1;
  bool operator==(const Term &) const = default;
};

/// Bits of a hole.
enum class Width : uint8_t { W32, W64 };

/// A place in bytes that takes a value. The value is the sum of all terms and
/// `Add`, in 63-bit arithmetic that wraps; as a 64-bit word in two's complement
/// it is shifted right by `Shift`, zeros coming in at the top, and its low bits
/// are ORed into the little-endian word at `At`. A set bit of the value over a
/// set bit of the bytes is refused (Numbers.h: fillHole).
template <class T> struct Hole {
  Number At = 0; ///< bytes from the start; the word lies within the bytes
  Width Bits = Width::W64;
  std::vector<Term<T>> Terms;
  Number Add = 0;
  Number Shift = 0; ///< bits, 0 to 62
  bool operator==(const Hole &) const = default;
};

/// Bytes with holes that share no byte. The bytes hold a hole's constant bits.
template <class T> struct Data {
  std::string Bytes;
  std::vector<Hole<T>> Holes;
  bool operator==(const Data &) const = default;
};

//===-- Memory, images, inputs --------------------------------------------===//

/// How many copies of a memory there are. Run n uses copy n mod 2 of `Two`,
/// once the work of run n - 2 is done.
enum class Copies : uint8_t { One, Two };

/// Where memory lies: `Device` is the device's own, `Host` the host's,
/// `HostVisible` the device's with the host able to reach it.
enum class MemoryKind : uint8_t { Device, Host, HostVisible };

/// Memory that is made when the program is loaded.
struct Alloc {
  Number Device = 0; ///< in ProgramDesc::Devices
  MemoryKind Kind = MemoryKind::Device;
  Number Bytes = 0; ///< 0 or more
  /// The first bytes, at most `Bytes`; the rest is zero. Written into every
  /// copy with the words of that copy.
  Data<Leaf> Init;
  Copies Count = Copies::One;
  bool operator==(const Alloc &) const = default;
};

/// Parts of a rail's end: bytes that it sends, bytes that it receives, and the
/// counts that number the transfers.
enum class Area : uint8_t { Outbound, Inbound, Counts };

/// One area of this machine's end of a rail: host memory that the program
/// borrows.
struct Rail {
  Number Id = 0; ///< the rail's id, any number
  Area Which = Area::Outbound;
  bool operator==(const Rail &) const = default;
};

using Memory = std::variant<Alloc, Rail>;

/// What an image's bytes are, alone, if the image is the table of host
/// functions that load is given. Functions of it are called by name.
inline constexpr std::string_view CallbacksMark = "GDYC";

/// Code for one device. Images are loaded in the order of the list.
struct Image {
  Number Device = 0; ///< in ProgramDesc::Devices
  /// What the device's driver loads: a slice of an artifact with its metadata;
  /// or CallbacksMark.
  Data<Leaf> Binary;
  bool operator==(const Image &) const = default;
};

/// A word of the ints that says how long an input is. A run whose word is
/// negative, or more elements than the input's bytes hold, is refused.
struct Length {
  Number Word = 0;   ///< below ProgramDesc::Ints
  Number Stride = 1; ///< bytes an element; 1 or more
  bool operator==(const Length &) const = default;
};

/// A buffer that every run brings.
struct Input {
  Number Device = 0; ///< in ProgramDesc::Devices
  Number Bytes = 0;  ///< that it has at least; 0 or more
  std::optional<program::Length> Length;
  bool operator==(const Input &) const = default;
};

//===-- What steps name ---------------------------------------------------===//

/// Bytes of a memory. Of memory in two copies, those of the run's copy.
struct View {
  Number Memory = 0; ///< in ProgramDesc::Memories
  Number Offset = 0; ///< bytes; the view lies within the memory
  Number Length = 0; ///< bytes
  bool operator==(const View &) const = default;
};

/// An input of the run, whole.
struct InputSlot {
  Number Which = 0; ///< in ProgramDesc::Inputs
  bool operator==(const InputSlot &) const = default;
};

/// The run's ints, whole: 8 bytes a word of host memory.
struct IntsSlot {
  bool operator==(const IntsSlot &) const = default;
};

/// A buffer that a step names.
using Slot = std::variant<View, InputSlot, IntsSlot>;

/// How work uses a slot. Unordered work takes part in no order.
enum class Use : uint8_t { Read, Write, Unordered };

/// The 8 bytes at `At` of a part's parameters hold an offset into the buffer of
/// a slot, whose address is added.
struct Ref {
  Number Slot = 0; ///< in Submit::Slots
  Number At = 0;   ///< bytes from the parameters' start
  Use How = Use::Read;
  bool operator==(const Ref &) const = default;
};

/// An offset in bytes: the exact sum of the terms, which hold no Leaf.
using Offset = std::vector<Term<Value>>;

//===-- Derived ints ------------------------------------------------------===//

/// An operation on whole numbers. Division truncates towards zero, `Mod` has
/// the sign of the dividend; x / 0 is x and x mod 0 is 0. `DivCeil` rounds the
/// quotient up. `Eq` and `Lt` give 1 or 0. `Cast` takes one operand, the others
/// two.
enum class Op : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  DivCeil,
  Mod,
  Shl,
  Shr,
  And,
  Or,
  Xor,
  Min,
  Max,
  Eq,
  Lt,
  Cast
};

/// What an operation computes in. `Exact`: operands and result are numbers of
/// 63 bits, a shift's amount is 0 to 62; anything else ends the evaluation.
/// Of the others, operands are converted to the type first and the result wraps
/// (a shift's amount modulo the bits), so a word holds the type's value, 32-bit
/// ones extended by their sign or by zeros; MIN / -1 is MIN.
enum class Domain : uint8_t { Exact, U32, I32, U64, I64 };

struct Apply {
  Op What = Op::Add;
  Domain In = Domain::Exact;
  bool operator==(const Apply &) const = default;
};

/// An expression, operands before their operation: `int 0, 4, mul` is word 0
/// times 4. At most limits::ExpressionNodes nodes, at most
/// limits::ExpressionDepth values that wait for their operation at once.
using ExpressionNode = std::variant<Fixed, IntWord, Apply>;
using Expression = std::vector<ExpressionNode>;

/// A word of the ints that is computed from others (Derived.h: evaluate).
struct DerivedInt {
  Number Word = 0; ///< below ProgramDesc::Ints: the one that is written
  Expression Is;
  std::string Origin; ///< for messages: what the user wrote, may be empty
  bool operator==(const DerivedInt &) const = default;
};

//===-- Parts of a submission ---------------------------------------------===//

/// Command words that the device's driver understands, from memory.
struct Words {
  View Where;
  bool operator==(const Words &) const = default;
};

/// A call of a function in place: an Entry or a Ready.
struct Fill {
  Leaf Function;
  Data<Value> Params; ///< a multiple of 4 bytes
  std::vector<Ref> Refs;
  bool operator==(const Fill &) const = default;
};

/// `Length` bytes from one slot of the submission to another. An end in memory
/// whose offset reads no int is set when the program is loaded.
struct Copy {
  Number Src = 0; ///< in Submit::Slots
  Offset SrcOffset;
  Number Dst = 0; ///< in Submit::Slots
  Offset DstOffset;
  Number Length = 0; ///< bytes, 0 or more
  bool operator==(const Copy &) const = default;
};

/// A launch of a function of an image.
struct Launch {
  Number Image = 0;      ///< in ProgramDesc::Images
  std::string Name;      ///< of the function in the image
  Data<Value> Params;    ///< the parameter block; a multiple of 4 bytes
  std::vector<Ref> Refs; ///< into `Params`
  std::array<Value, 3>
      Groups; ///< 0 to 2^32 - 1 along x, y, z; a 0 does nothing
  std::array<Value, 3> Threads; ///< of a group along x, y, z
  Value Shared; ///< bytes of workgroup memory beyond the image's
  bool operator==(const Launch &) const = default;
};

using Part = std::variant<Words, Fill, Copy, Launch>;

//===-- Steps -------------------------------------------------------------===//

/// What a buffer that a step fixes may be used for.
enum class Access : uint8_t { ReadOnly, ReadWrite };

/// Memory that every run of a step uses: prepared work holds its address.
struct FixedMemory {
  View Where;
  Access How = Access::ReadWrite;
  bool operator==(const FixedMemory &) const = default;
};

/// Parts that take effect in order on one device, as one submission.
struct Submit {
  Number Device = 0; ///< in ProgramDesc::Devices
  std::vector<Part> Parts;
  std::vector<Slot> Slots; ///< each is named by a ref or a copy
  std::vector<FixedMemory> Fixed;
  bool operator==(const Submit &) const = default;
};

/// `Length` bytes from one buffer to another, between any two of the devices.
struct Move {
  Slot Src;
  Offset SrcOffset;
  Slot Dst;
  Offset DstOffset;
  Number Length = 0; ///< bytes, 0 or more
  bool operator==(const Move &) const = default;
};

/// A byte that ends a loop when it is 0.
struct Flag {
  Slot Where;
  Number At = 0; ///< byte of the slot's buffer
  bool operator==(const Flag &) const = default;
};

struct Step;

/// `Body`, `Trips` times; never for 0 or less. Before each trip, `Stop` is read
/// when there is one, the trip's number from 0 is stored into a word of the
/// ints, and then `Derived` are computed in their order. An expression that
/// cannot be computed refuses the run there.
struct Loop {
  Value Trips;
  std::optional<Number> Trip; ///< below ProgramDesc::Ints
  std::optional<Flag> Stop;
  std::vector<DerivedInt> Derived;
  std::vector<Step> Body; ///< loops nest at most 16 deep
  bool operator==(const Loop &) const;
};

struct Step {
  std::variant<Submit, Move, Loop> Kind;
  bool operator==(const Step &) const = default;
};
inline bool Loop::operator==(const Loop &) const = default;

//===-- The description ---------------------------------------------------===//

struct ProgramDesc {
  /// The arch that each device's code is for: `x86-64-v1` to `-v4`,
  /// `arm64[+FEATURE]…`, `sm_90a`, `vulkan1.3` …
  std::vector<std::string> Devices;
  std::vector<Memory> Memories;
  std::vector<Image> Images;
  std::vector<Input> Inputs;
  /// 64-bit words of the run's ints, host memory in two copies. The frame
  /// writes the first of them, loops and steps may write others.
  Number Ints = 0;
  std::vector<Step> Steps;
  bool operator==(const ProgramDesc &) const = default;
};

} // namespace goldy::program

#endif
