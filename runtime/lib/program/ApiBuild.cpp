//===- ApiBuild.cpp - C interface: building descriptions ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each C structure is turned into its value first and added whole, so a call
// that fails leaves the description as it was.
//
//===----------------------------------------------------------------------===//
#include "program/ProgramDesc.h"

#include "core/Boundary.h"

using namespace goldy;
using namespace goldy::rt;

//===-- From C structures to values ---------------------------------------===//

static Status wrong(const std::string &What, int64_t Got,
                    const std::string &Expected) {
  return Status(GOLDY_INVALID_ARGUMENT, What + ": expected " + Expected +
                                            ", got " + std::to_string(Got));
}

/// `Value` is one of 0 to `Last`.
template <class E>
static Status enumerator(const char *What, int Value, int Last, E &Out) {
  if (Value < 0 || Value > Last)
    return wrong(What, Value, "0 to " + std::to_string(Last));
  Out = static_cast<E>(Value);
  return Status();
}

static Status convert(const goldy_program_value_t &V, program::Leaf &Out) {
  switch (V.kind) {
  case GOLDY_VALUE_ADDRESS:
    Out = program::Address{V.number, V.device};
    return Status();
  case GOLDY_VALUE_HANDLE:
    Out = program::Handle{V.number};
    return Status();
  case GOLDY_VALUE_ENTRY:
    if (!V.name)
      return nullArgument("name");
    Out = program::Entry{V.number, V.name};
    return Status();
  case GOLDY_VALUE_READY:
    Out = program::Ready{V.number};
    return Status();
  case GOLDY_VALUE_FIXED:
  case GOLDY_VALUE_INT:
    break;
  }
  return wrong("a leaf's kind", V.kind, "2 to 5");
}

static Status convert(const goldy_program_value_t &V, program::Value &Out) {
  if (V.kind == GOLDY_VALUE_FIXED) {
    Out = program::Fixed{V.number};
    return Status();
  }
  if (V.kind == GOLDY_VALUE_INT) {
    Out = program::IntWord{V.number};
    return Status();
  }
  if (V.kind < GOLDY_VALUE_FIXED || V.kind > GOLDY_VALUE_READY)
    return wrong("a value's kind", V.kind, "0 to 5");
  return convert(V, Out.emplace<program::Leaf>());
}

template <class T>
static Status convert(const goldy_program_sum_t &S,
                      std::vector<program::Term<T>> &Out) {
  GOLDY_NEEDS(S.terms || S.count == 0);
  for (size_t I = 0; I < S.count; ++I) {
    program::Term<T> &Term = Out.emplace_back();
    GOLDY_TRY(convert(S.terms[I].value, Term.What));
    Term.Factor = S.terms[I].factor;
  }
  return Status();
}

template <class T>
static Status convert(const goldy_program_data_t &D, program::Data<T> &Out) {
  GOLDY_NEEDS(D.bytes || D.size == 0);
  GOLDY_NEEDS(D.holes || D.hole_count == 0);
  if (D.size)
    Out.Bytes.assign(static_cast<const char *>(D.bytes), D.size);
  for (size_t I = 0; I < D.hole_count; ++I) {
    const goldy_program_hole_t &H = D.holes[I];
    if (H.bits != 32 && H.bits != 64)
      return wrong("a hole's bits", H.bits, "32 or 64");
    program::Hole<T> &Hole = Out.Holes.emplace_back();
    Hole.At = H.at;
    Hole.Bits = H.bits == 32 ? program::Width::W32 : program::Width::W64;
    GOLDY_TRY(convert(H.terms, Hole.Terms));
    Hole.Add = H.add;
    Hole.Shift = H.shift;
  }
  return Status();
}

static program::View convert(const goldy_program_view_t &V) {
  return {V.memory, V.offset, V.length};
}

static Status convert(const goldy_program_slot_t &S, program::Slot &Out) {
  switch (S.kind) {
  case GOLDY_SLOT_MEMORY:
    Out = convert(S.view);
    return Status();
  case GOLDY_SLOT_INPUT:
    Out = program::InputSlot{S.input};
    return Status();
  case GOLDY_SLOT_INTS:
    Out = program::IntsSlot{};
    return Status();
  }
  return wrong("a slot's kind", S.kind, "0 to 2");
}

static Status convert(const goldy_program_ref_t *Refs, size_t Count,
                      std::vector<program::Ref> &Out) {
  GOLDY_NEEDS(Refs || Count == 0);
  for (size_t I = 0; I < Count; ++I) {
    program::Ref &R = Out.emplace_back();
    R.Slot = Refs[I].slot;
    R.At = Refs[I].at;
    GOLDY_TRY(enumerator("a ref's use", Refs[I].use, 2, R.How));
  }
  return Status();
}

static Status convert(const goldy_program_value_t (&From)[3],
                      std::array<program::Value, 3> &Out) {
  for (size_t I = 0; I < 3; ++I)
    GOLDY_TRY(convert(From[I], Out[I]));
  return Status();
}

//===-- Lists of the description ------------------------------------------===//

template <class List, class T>
static void append(List &L, T Item, int64_t *Index) {
  L.push_back(std::move(Item));
  if (Index)
    *Index = static_cast<int64_t>(L.size()) - 1;
}

goldy_status_t goldy_program_desc_add_device(goldy_program_desc_t *desc,
                                             const char *arch,
                                             int64_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(arch);
    append(desc->Desc.Devices, std::string(arch), out_index);
    return Status();
  });
}

goldy_status_t
goldy_program_desc_add_memory(goldy_program_desc_t *desc,
                              const goldy_program_memory_t *memory,
                              int64_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(memory);
    program::Alloc A;
    A.Device = memory->device;
    GOLDY_TRY(enumerator("a memory's kind", memory->kind, 2, A.Kind));
    A.Bytes = memory->bytes;
    GOLDY_TRY(convert(memory->init, A.Init));
    if (memory->copies != 1 && memory->copies != 2)
      return wrong("a memory's copies", memory->copies, "1 or 2");
    A.Count = memory->copies == 2 ? program::Copies::Two : program::Copies::One;
    append(desc->Desc.Memories, std::move(A), out_index);
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_rail(goldy_program_desc_t *desc,
                                           int64_t rail, goldy_rail_area_t area,
                                           int64_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    program::Rail R;
    R.Id = rail;
    GOLDY_TRY(enumerator("a rail's area", area, 2, R.Which));
    append(desc->Desc.Memories, R, out_index);
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_image(goldy_program_desc_t *desc,
                                            int64_t device,
                                            const goldy_program_data_t *binary,
                                            int64_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(binary);
    program::Image I;
    I.Device = device;
    GOLDY_TRY(convert(*binary, I.Binary));
    append(desc->Desc.Images, std::move(I), out_index);
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_input(goldy_program_desc_t *desc,
                                            int64_t device, int64_t bytes,
                                            int64_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    append(desc->Desc.Inputs, program::Input{device, bytes, {}}, out_index);
    return Status();
  });
}

goldy_status_t goldy_program_desc_set_length(goldy_program_desc_t *desc,
                                             int64_t input, int64_t word,
                                             int64_t stride) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    if (input < 0 || static_cast<size_t>(input) >= desc->Desc.Inputs.size())
      return wrong("an input", input,
                   "one of " + std::to_string(desc->Desc.Inputs.size()));
    desc->Desc.Inputs[static_cast<size_t>(input)].Length = {word, stride};
    return Status();
  });
}

goldy_status_t goldy_program_desc_set_ints(goldy_program_desc_t *desc,
                                           int64_t words) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    desc->Desc.Ints = words;
    return Status();
  });
}

//===-- Submits -----------------------------------------------------------===//

static Status needsSubmit(const goldy_program_desc_t *D) {
  GOLDY_NEEDS(D);
  return D->Submit ? Status()
                   : Status(GOLDY_INVALID_ARGUMENT, "no submit is open");
}
static Status needsNoSubmit(const goldy_program_desc_t *D) {
  GOLDY_NEEDS(D);
  return D->Submit ? Status(GOLDY_INVALID_ARGUMENT, "a submit is open")
                   : Status();
}

goldy_status_t goldy_program_desc_begin_submit(goldy_program_desc_t *desc,
                                               int64_t device) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsNoSubmit(desc));
    desc->Submit.emplace().Device = device;
    return Status();
  });
}

goldy_status_t goldy_program_desc_end_submit(goldy_program_desc_t *desc) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    program::Step &S = desc->steps().emplace_back();
    S.Kind = std::move(*desc->Submit);
    desc->Submit.reset();
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_slot(goldy_program_desc_t *desc,
                                           const goldy_program_slot_t *slot,
                                           int64_t *out_index) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    GOLDY_NEEDS(slot);
    program::Slot S;
    GOLDY_TRY(convert(*slot, S));
    append(desc->Submit->Slots, S, out_index);
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_fixed(goldy_program_desc_t *desc,
                                            goldy_program_view_t view,
                                            goldy_access_t access) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    if (access != GOLDY_READ && access != GOLDY_READ_WRITE)
      return wrong("the access", access, "GOLDY_READ or GOLDY_READ_WRITE");
    desc->Submit->Fixed.push_back(
        {convert(view), access == GOLDY_READ ? program::Access::ReadOnly
                                             : program::Access::ReadWrite});
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_words(goldy_program_desc_t *desc,
                                            goldy_program_view_t view) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    desc->Submit->Parts.push_back(program::Words{convert(view)});
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_fill(goldy_program_desc_t *desc,
                                           const goldy_program_fill_t *fill) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    GOLDY_NEEDS(fill);
    program::Fill F;
    GOLDY_TRY(convert(fill->function, F.Function));
    GOLDY_TRY(convert(fill->params, F.Params));
    GOLDY_TRY(convert(fill->refs, fill->ref_count, F.Refs));
    desc->Submit->Parts.push_back(std::move(F));
    return Status();
  });
}

goldy_status_t goldy_program_desc_add_copy(goldy_program_desc_t *desc,
                                           const goldy_program_copy_t *copy) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    GOLDY_NEEDS(copy);
    program::Copy C;
    C.Src = copy->src;
    GOLDY_TRY(convert(copy->src_offset, C.SrcOffset));
    C.Dst = copy->dst;
    GOLDY_TRY(convert(copy->dst_offset, C.DstOffset));
    C.Length = copy->length;
    desc->Submit->Parts.push_back(std::move(C));
    return Status();
  });
}

goldy_status_t
goldy_program_desc_add_launch(goldy_program_desc_t *desc,
                              const goldy_program_launch_t *launch) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsSubmit(desc));
    GOLDY_NEEDS(launch);
    GOLDY_NEEDS(launch->name);
    program::Launch L;
    L.Image = launch->image;
    L.Name = launch->name;
    GOLDY_TRY(convert(launch->params, L.Params));
    GOLDY_TRY(convert(launch->refs, launch->ref_count, L.Refs));
    GOLDY_TRY(convert(launch->groups, L.Groups));
    GOLDY_TRY(convert(launch->threads, L.Threads));
    GOLDY_TRY(convert(launch->shared, L.Shared));
    desc->Submit->Parts.push_back(std::move(L));
    return Status();
  });
}

//===-- Moves and loops ---------------------------------------------------===//

goldy_status_t goldy_program_desc_add_move(goldy_program_desc_t *desc,
                                           const goldy_program_move_t *move) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsNoSubmit(desc));
    GOLDY_NEEDS(move);
    program::Move M;
    GOLDY_TRY(convert(move->src, M.Src));
    GOLDY_TRY(convert(move->src_offset, M.SrcOffset));
    GOLDY_TRY(convert(move->dst, M.Dst));
    GOLDY_TRY(convert(move->dst_offset, M.DstOffset));
    M.Length = move->length;
    desc->steps().push_back({std::move(M)});
    return Status();
  });
}

goldy_status_t goldy_program_desc_begin_loop(goldy_program_desc_t *desc,
                                             const goldy_program_loop_t *loop) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsNoSubmit(desc));
    GOLDY_NEEDS(loop);
    if (desc->Loops.size() == program::limits::Nesting)
      return Status(GOLDY_LIMIT, "loops nest more than 16 deep, the limit");
    program::Loop L;
    GOLDY_TRY(convert(loop->trips, L.Trips));
    if (loop->has_trip)
      L.Trip = loop->trip;
    if (loop->flag) {
      L.Stop.emplace().At = loop->flag_at;
      GOLDY_TRY(convert(*loop->flag, L.Stop->Where));
    }
    desc->Loops.push_back(std::move(L));
    return Status();
  });
}

static Status convert(const goldy_program_node_t &N,
                      program::ExpressionNode &Out) {
  switch (N.kind) {
  case GOLDY_NODE_NUMBER:
    Out = program::Fixed{N.number};
    return Status();
  case GOLDY_NODE_INT:
    Out = program::IntWord{N.number};
    return Status();
  case GOLDY_NODE_OP:
    break;
  default:
    return wrong("a node's kind", N.kind, "0 to 2");
  }
  program::Apply &A = Out.emplace<program::Apply>();
  GOLDY_TRY(enumerator("an operation", N.op, GOLDY_OP_CAST, A.What));
  return enumerator("a domain", N.domain, GOLDY_DOMAIN_I64, A.In);
}

goldy_status_t
goldy_program_desc_add_derived(goldy_program_desc_t *desc,
                               const goldy_program_derived_t *derived) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(desc);
    GOLDY_NEEDS(derived);
    GOLDY_NEEDS(derived->nodes || derived->count == 0);
    if (desc->Submit || desc->Loops.empty())
      return Status(GOLDY_INVALID_ARGUMENT,
                    desc->Submit ? "a submit is open" : "no loop is open");
    program::DerivedInt D;
    D.Word = derived->word;
    if (derived->origin)
      D.Origin = derived->origin;
    for (size_t I = 0; I < derived->count; ++I)
      GOLDY_TRY(convert(derived->nodes[I], D.Is.emplace_back()));
    desc->Loops.back().Derived.push_back(std::move(D));
    return Status();
  });
}

goldy_status_t goldy_program_desc_end_loop(goldy_program_desc_t *desc) {
  return guarded([&]() -> Status {
    GOLDY_TRY(needsNoSubmit(desc));
    if (desc->Loops.empty())
      return Status(GOLDY_INVALID_ARGUMENT, "no loop is open");
    // The step is made first: nothing is lost when there is no memory for it.
    size_t Outer = desc->Loops.size() - 1;
    std::vector<program::Step> &List =
        Outer ? desc->Loops[Outer - 1].Body : desc->Desc.Steps;
    List.emplace_back().Kind = std::move(desc->Loops.back());
    desc->Loops.pop_back();
    return Status();
  });
}
