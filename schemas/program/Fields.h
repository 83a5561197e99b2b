//===- Fields.h - The fields of a description, listed once ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encoder, decoder, printer, parser and the check of numbers walk a description
// by these lists, so a field is added in one place. A visitor has
//
//   field(Name, X)     a field that the text form always shows
//   field(Name, X, D)  one that the text form leaves out when it is D
//
// for every field, in the order of the format. Names are those of the text
// form and of the paths in messages. Alternatives of a sum are numbered in the
// order of their variant; their names are in `Named`.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_SCHEMAS_PROGRAM_FIELDS_H
#define GOLDY_SCHEMAS_PROGRAM_FIELDS_H

#include "program/Program.h"
#include "program/Template.h"

#include <span>

namespace goldy::program {

/// The list of a struct's fields: `visit(V, X)`, where X may be const.
template <class T> struct Fields;
/// Name of a sum's alternative.
template <class T> struct Named;
/// Names of an enumeration's values, by number.
template <class E> struct Enumerators;

#define GOLDY_FIELDS(Type, ...)                                                \
  template <> struct Fields<Type> {                                            \
    template <class V, class S> static void visit(V &F, S &X) { __VA_ARGS__; } \
  }
#define GOLDY_NAMED(Type, Text)                                                \
  template <> struct Named<Type> {                                             \
    static constexpr const char *Name = Text;                                  \
  }
#define GOLDY_ENUM(Type, ...)                                                  \
  template <> struct Enumerators<Type> {                                       \
    static constexpr const char *Names[] = {__VA_ARGS__};                      \
  }

GOLDY_ENUM(Width, "W32", "W64");
GOLDY_ENUM(Copies, "One", "Two");
GOLDY_ENUM(MemoryKind, "device", "host", "host_visible");
GOLDY_ENUM(Area, "outbound", "inbound", "counts");
GOLDY_ENUM(Use, "read", "write", "unordered");
GOLDY_ENUM(Access, "read_only", "read_write");

GOLDY_ENUM(Op, "add", "sub", "mul", "div", "div_ceil", "mod", "shl", "shr",
           "and", "or", "xor", "min", "max", "eq", "lt", "cast");
GOLDY_ENUM(Domain, "exact", "u32", "i32", "u64", "i64");
GOLDY_ENUM(Scalar, "bool", "u32", "i32", "f32", "u64", "i64", "u8", "i8", "u16",
           "i16", "f16", "bf16");
GOLDY_ENUM(InputForm, "slice", "uniform", "sized");

GOLDY_NAMED(Address, "Address");
GOLDY_NAMED(Handle, "Handle");
GOLDY_NAMED(Entry, "Entry");
GOLDY_NAMED(Ready, "Ready");
GOLDY_NAMED(Alloc, "Alloc");
GOLDY_NAMED(Rail, "Rail");
GOLDY_NAMED(View, "Memory");
GOLDY_NAMED(InputSlot, "Input");
GOLDY_NAMED(IntsSlot, "Ints");
GOLDY_NAMED(Words, "Words");
GOLDY_NAMED(Fill, "Fill");
GOLDY_NAMED(Copy, "Copy");
GOLDY_NAMED(Launch, "Launch");
GOLDY_NAMED(Submit, "Submit");
GOLDY_NAMED(Move, "Move");
GOLDY_NAMED(Loop, "Loop");
GOLDY_NAMED(Scalar, "Scalar");
GOLDY_NAMED(VectorType, "Vector");
GOLDY_NAMED(ArrayType, "Array");
GOLDY_NAMED(StructType, "Struct");
GOLDY_NAMED(NamedInt, "Param");
GOLDY_NAMED(HiddenInt, "Hidden");
GOLDY_NAMED(LengthInt, "Length");
GOLDY_NAMED(OverlapInt, "Overlap");

GOLDY_FIELDS(Address, F.field("memory", X.Memory), F.field("on", X.On));
GOLDY_FIELDS(Handle, F.field("memory", X.Memory));
GOLDY_FIELDS(Entry, F.field("image", X.Image), F.field("name", X.Name));
GOLDY_FIELDS(Ready, F.field("rail", X.Rail));
GOLDY_FIELDS(Fixed, F.field("value", X.Value));
GOLDY_FIELDS(IntWord, F.field("word", X.Word));

template <class T> struct Fields<Term<T>> {
  template <class V, class S> static void visit(V &F, S &X) {
    F.field("value", X.What);
    F.field("factor", X.Factor);
  }
};
template <class T> struct Fields<Hole<T>> {
  template <class V, class S> static void visit(V &F, S &X) {
    F.field("at", X.At);
    F.field("width", X.Bits);
    F.field("terms", X.Terms);
    F.field("add", X.Add, Number(0));
    F.field("shift", X.Shift, Number(0));
  }
};
template <class T> struct Fields<Data<T>> {
  template <class V, class S> static void visit(V &F, S &X) {
    F.field("bytes", X.Bytes);
    F.field("holes", X.Holes, std::vector<Hole<T>>());
  }
};

GOLDY_FIELDS(Alloc, F.field("device", X.Device), F.field("kind", X.Kind),
             F.field("bytes", X.Bytes), F.field("init", X.Init, Data<Leaf>()),
             F.field("copies", X.Count, Copies::One));
GOLDY_FIELDS(Rail, F.field("rail", X.Id), F.field("area", X.Which));
GOLDY_FIELDS(Image, F.field("device", X.Device), F.field("binary", X.Binary));
GOLDY_FIELDS(Length, F.field("word", X.Word), F.field("stride", X.Stride));
GOLDY_FIELDS(Input, F.field("device", X.Device), F.field("bytes", X.Bytes),
             F.field("length", X.Length, std::optional<Length>()));
GOLDY_FIELDS(View, F.field("memory", X.Memory), F.field("offset", X.Offset),
             F.field("length", X.Length));
GOLDY_FIELDS(InputSlot, F.field("input", X.Which));
template <> struct Fields<IntsSlot> {
  template <class V, class S> static void visit(V &, S &) {}
};
GOLDY_FIELDS(Ref, F.field("slot", X.Slot), F.field("at", X.At),
             F.field("use", X.How));
GOLDY_FIELDS(Words, F.field("view", X.Where));
GOLDY_FIELDS(Fill, F.field("fill", X.Function), F.field("params", X.Params),
             F.field("refs", X.Refs, std::vector<Ref>()));
GOLDY_FIELDS(Copy, F.field("src", X.Src),
             F.field("src_offset", X.SrcOffset, Offset()),
             F.field("dst", X.Dst),
             F.field("dst_offset", X.DstOffset, Offset()),
             F.field("length", X.Length));
GOLDY_FIELDS(Launch, F.field("image", X.Image), F.field("name", X.Name),
             F.field("params", X.Params),
             F.field("refs", X.Refs, std::vector<Ref>()),
             F.field("groups", X.Groups), F.field("threads", X.Threads),
             F.field("shared", X.Shared, Value()));
GOLDY_FIELDS(FixedMemory, F.field("view", X.Where), F.field("access", X.How));
GOLDY_FIELDS(Submit, F.field("device", X.Device), F.field("parts", X.Parts),
             F.field("slots", X.Slots, std::vector<Slot>()),
             F.field("fixed", X.Fixed, std::vector<FixedMemory>()));
GOLDY_FIELDS(Move, F.field("src", X.Src),
             F.field("src_offset", X.SrcOffset, Offset()),
             F.field("dst", X.Dst),
             F.field("dst_offset", X.DstOffset, Offset()),
             F.field("length", X.Length));
GOLDY_FIELDS(Apply, F.field("op", X.What), F.field("in", X.In));
GOLDY_FIELDS(DerivedInt, F.field("word", X.Word), F.field("is", X.Is),
             F.field("origin", X.Origin, std::string()));
GOLDY_FIELDS(Flag, F.field("slot", X.Where), F.field("at", X.At));
GOLDY_FIELDS(Loop, F.field("trips", X.Trips),
             F.field("trip", X.Trip, std::optional<Number>()),
             F.field("flag", X.Stop, std::optional<Flag>()),
             F.field("derived", X.Derived, std::vector<DerivedInt>()),
             F.field("body", X.Body));
GOLDY_FIELDS(ProgramDesc, F.field("devices", X.Devices),
             F.field("memory", X.Memories, std::vector<Memory>()),
             F.field("images", X.Images, std::vector<Image>()),
             F.field("inputs", X.Inputs, std::vector<Input>()),
             F.field("ints", X.Ints, Number(0)), F.field("steps", X.Steps));

GOLDY_FIELDS(VectorType, F.field("element", X.Element),
             F.field("count", X.Count));
GOLDY_FIELDS(ArrayType, F.field("element", X.Element),
             F.field("count", X.Count));
GOLDY_FIELDS(TypeField, F.field("name", X.Name), F.field("type", X.Type));
GOLDY_FIELDS(StructType, F.field("name", X.Name), F.field("fields", X.Fields));
GOLDY_FIELDS(TemplateImage, F.field("device", X.Device),
             F.field("kernel", X.Kernel, std::string()));
GOLDY_FIELDS(NamedInput, F.field("name", X.Name, std::string()),
             F.field("device", X.Device),
             F.field("form", X.Form, InputForm::Slice),
             F.field("type", X.Type, std::optional<Number>()),
             F.field("access", X.How, Access::ReadWrite),
             F.field("bytes", X.Bytes, Number(0)),
             F.field("size", X.Size, std::optional<Number>()));
GOLDY_FIELDS(NamedInt, F.field("name", X.Name), F.field("type", X.Type));
template <> struct Fields<HiddenInt> {
  template <class V, class S> static void visit(V &, S &) {}
};
GOLDY_FIELDS(LengthInt, F.field("input", X.Input));
GOLDY_FIELDS(OverlapInt, F.field("a", X.A), F.field("b", X.B));
GOLDY_FIELDS(StepOrigin, F.field("place", X.Place), F.field("where", X.Where));
GOLDY_FIELDS(ProgramTemplate, F.field("name", X.Name),
             F.field("devices", X.Devices),
             F.field("types", X.Types, std::vector<ElementType>()),
             F.field("memory", X.Memories, std::vector<Memory>()),
             F.field("images", X.Images, std::vector<TemplateImage>()),
             F.field("inputs", X.Inputs, std::vector<NamedInput>()),
             F.field("ints", X.Ints, std::vector<TemplateInt>()),
             F.field("derived", X.Derived, std::vector<DerivedInt>()),
             F.field("origins", X.Origins, std::vector<StepOrigin>()),
             F.field("steps", X.Steps));

#undef GOLDY_FIELDS
#undef GOLDY_NAMED
#undef GOLDY_ENUM

/// How many fields `T` has.
struct FieldCounter {
  template <class T> void field(const char *, T &) { ++Count; }
  template <class T, class D> void field(const char *, T &, const D &) {
    ++Count;
  }
  unsigned Count = 0;
};
template <class T> unsigned fieldCount() {
  FieldCounter Counter;
  T X;
  Fields<T>::visit(Counter, X);
  return Counter.Count;
}

} // namespace goldy::program

#endif
