//===- ProgramDescTest.cpp - Descriptions through the C interface ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function builds what the text form says; calls that break their
// contract change nothing; the check takes opened devices.
//
//===----------------------------------------------------------------------===//
#include "goldy/program.hpp"

#include <catch2/catch.hpp>
#include <functional>

using namespace goldy;

namespace {

ProgramDesc make() {
  Result<ProgramDesc> P = ProgramDesc::create();
  REQUIRE(P);
  return std::move(*P);
}
void good(goldy_status_t S) {
  Status Owned(S);
  INFO(Owned.message());
  CHECK(Owned.ok());
}
void bad(goldy_status_t S, const std::string &Message) {
  Status Owned(S);
  CHECK(Owned.code() == GOLDY_INVALID_ARGUMENT);
  CHECK(Owned.message() == Message);
}

constexpr const char *Expected = R"(#![goldy::program(3)]
devices: ["x86-64-v1", "sm_80"],
memory: [
  Alloc { device: 1, kind: device, bytes: 64,
          init: { bytes: hex"00000000 00000000",
                  holes: [{ at: 0, width: W64, terms: [Handle 0 * 1, Entry { image: 0, name: "f" } * 2] }] },
          copies: Two },
  Alloc { device: 0, kind: host, bytes: 32 },
  Rail { rail: 5, area: inbound },
],
images: [{ device: 1, binary: "code" }],
inputs: [{ device: 1, bytes: 128, length: { word: 1, stride: 4 } }],
ints: 3,
steps: [
  Submit {
    device: 1,
    parts: [
      Words { memory: 0, offset: 0, length: 4 },
      Fill { fill: Ready 5, params: hex"" },
      Copy { src: 1, src_offset: [int 1 * 8], dst: 0, length: 8 },
      Launch {
        image: 0, name: "k",
        params: { bytes: hex"00000000 00000000 00000000",
                  holes: [{ at: 8, width: W32, terms: [Address { memory: 0, on: 1 } * 1], add: 4, shift: 32 }] },
        refs: [{ slot: 1, at: 0, use: write }],
        groups: [int 0, 2, 1], threads: [32, 1, 1], shared: 16,
      },
    ],
    slots: [Memory { memory: 0, offset: 8, length: 8 }, Input 0],
    fixed: [{ view: { memory: 0, offset: 0, length: 64 }, access: read_write },
            { view: { memory: 1, offset: 0, length: 32 }, access: read_only }],
  },
  Loop {
    trips: 4, trip: 2, flag: { slot: Memory { memory: 1, offset: 0, length: 32 }, at: 3 },
    derived: [{ word: 1, is: [int 2, -3, mul_i32, cast], origin: "-3 * i" }, { word: 0, is: [1] }],
    body: [Loop { trips: 0, body: [] },
           Move { src: Ints, src_offset: [int 2 * -8, 24 * 1], dst: Memory { memory: 1, offset: 0, length: 32 }, length: 8 }],
  },
],
)";

void addLists(goldy_program_desc_t *P) {
  int64_t I = -1;
  good(goldy_program_desc_add_device(P, "x86-64-v1", nullptr));
  good(goldy_program_desc_add_device(P, "sm_80", &I));
  CHECK(I == 1);
  goldy_program_term_t Pointers[] = {times(ProgramValue::handle(0), 1),
                                     times(ProgramValue::entry(0, "f"), 2)};
  goldy_program_hole_t Hole{0, 64, sum(Pointers), 0, 0};
  goldy_program_memory_t M{1, GOLDY_MEMORY_DEVICE, 64,
                           data({"\0\0\0\0\0\0\0\0", 8}, {&Hole, 1}), 2};
  good(goldy_program_desc_add_memory(P, &M, &I));
  CHECK(I == 0);
  M = {0, GOLDY_MEMORY_HOST, 32, {}, 1};
  good(goldy_program_desc_add_memory(P, &M, nullptr));
  good(goldy_program_desc_add_rail(P, 5, GOLDY_RAIL_INBOUND, &I));
  CHECK(I == 2);
  goldy_program_data_t Code = data("code");
  good(goldy_program_desc_add_image(P, 1, &Code, &I));
  CHECK(I == 0);
  good(goldy_program_desc_add_input(P, 1, 128, &I));
  CHECK(I == 0);
  good(goldy_program_desc_set_length(P, 0, 1, 4));
  good(goldy_program_desc_set_ints(P, 3));
}

void addLaunch(goldy_program_desc_t *P) {
  goldy_program_term_t Place = times(ProgramValue::address(0, 1), 1);
  goldy_program_hole_t Hole{8, 32, sum({&Place, 1}), 4, 32};
  goldy_program_ref_t Ref{1, 0, GOLDY_USE_WRITE};
  std::string Params(12, '\0');
  goldy_program_launch_t L{
      0,
      "k",
      data(Params, {&Hole, 1}),
      &Ref,
      1,
      {ProgramValue::intWord(0), ProgramValue(2), ProgramValue(1)},
      {ProgramValue(32), ProgramValue(1), ProgramValue(1)},
      ProgramValue(16)};
  good(goldy_program_desc_add_launch(P, &L));
}

void addSubmit(goldy_program_desc_t *P) {
  good(goldy_program_desc_begin_submit(P, 1));
  int64_t I = -1;
  goldy_program_slot_t Slot = memorySlot({0, 8, 8});
  good(goldy_program_desc_add_slot(P, &Slot, nullptr));
  Slot = inputSlot(0);
  good(goldy_program_desc_add_slot(P, &Slot, &I));
  CHECK(I == 1);
  good(goldy_program_desc_add_fixed(P, {0, 0, 64}, GOLDY_READ_WRITE));
  good(goldy_program_desc_add_fixed(P, {1, 0, 32}, GOLDY_READ));
  good(goldy_program_desc_add_words(P, {0, 0, 4}));
  goldy_program_fill_t Fill{ProgramValue::ready(5), {}, nullptr, 0};
  good(goldy_program_desc_add_fill(P, &Fill));
  goldy_program_term_t Row = times(ProgramValue::intWord(1), 8);
  goldy_program_copy_t Copy{1, sum({&Row, 1}), 0, {}, 8};
  good(goldy_program_desc_add_copy(P, &Copy));
  addLaunch(P);
  good(goldy_program_desc_end_submit(P));
}

void addLoop(goldy_program_desc_t *P) {
  goldy_program_slot_t Flag = memorySlot({1, 0, 32});
  goldy_program_loop_t Loop{ProgramValue(4), 1, 2, &Flag, 3};
  good(goldy_program_desc_begin_loop(P, &Loop));
  goldy_program_node_t Nodes[] = {node::word(2), node::number(-3),
                                  node::op(GOLDY_OP_MUL, GOLDY_DOMAIN_I32),
                                  node::op(GOLDY_OP_CAST)};
  goldy_program_derived_t Derived{1, Nodes, 4, "-3 * i"};
  good(goldy_program_desc_add_derived(P, &Derived));
  goldy_program_node_t One = node::number(1);
  Derived = {0, &One, 1, nullptr};
  good(goldy_program_desc_add_derived(P, &Derived));
  Loop = {ProgramValue(0), 0, 0, nullptr, 0};
  good(goldy_program_desc_begin_loop(P, &Loop));
  good(goldy_program_desc_end_loop(P));
  goldy_program_term_t From[] = {times(ProgramValue::intWord(2), -8),
                                 times(24, 1)};
  goldy_program_move_t Move{intsSlot(), sum(From), Flag, {}, 8};
  good(goldy_program_desc_add_move(P, &Move));
  good(goldy_program_desc_end_loop(P));
}

std::string text(ProgramDesc &P) {
  Result<std::string_view> T = P.text();
  REQUIRE(T.status().message() == "");
  return std::string(*T);
}

} // namespace

TEST_CASE("descriptions are built part by part") {
  ProgramDesc P = make();
  addLists(P.get());
  addSubmit(P.get());
  addLoop(P.get());
  Result<ProgramDesc> Q = ProgramDesc::parse(Expected);
  REQUIRE(Q.status().message() == "");
  CHECK(text(P) == text(*Q));
  CHECK(P == *Q);
  Result<std::string_view> Bytes = P.bytes();
  REQUIRE(Bytes);
  Result<ProgramDesc> R = ProgramDesc::decode(*Bytes);
  REQUIRE(R);
  CHECK(*R == P);
  good(goldy_program_desc_set_ints(R->get(), 4));
  CHECK_FALSE(*R == P);
  CHECK(P.check().message() == "");
}

TEST_CASE("building refuses what C can get wrong and changes nothing") {
  ProgramDesc P = make();
  addLists(P.get());
  std::string Before = text(P);
  goldy_program_desc_t *D = P.get();
  bad(goldy_program_desc_add_device(D, nullptr, nullptr),
      "`arch` must not be NULL");
  bad(goldy_program_desc_add_device(nullptr, "x", nullptr),
      "`desc` must not be NULL");
  goldy_program_memory_t M{0, GOLDY_MEMORY_DEVICE, 8, {}, 3};
  bad(goldy_program_desc_add_memory(D, &M, nullptr),
      "a memory's copies: expected 1 or 2, got 3");
  M.copies = 1;
  M.kind = goldy_memory_kind_t(3);
  bad(goldy_program_desc_add_memory(D, &M, nullptr),
      "a memory's kind: expected 0 to 2, got 3");
  goldy_program_term_t Term = times(1, 1);
  goldy_program_hole_t Hole{0, 64, sum({&Term, 1}), 0, 0};
  goldy_program_data_t Data = data("12345678", {&Hole, 1});
  bad(goldy_program_desc_add_image(D, 0, &Data, nullptr),
      "a leaf's kind: expected 2 to 5, got 0");
  Hole.bits = 16;
  bad(goldy_program_desc_add_image(D, 0, &Data, nullptr),
      "a hole's bits: expected 32 or 64, got 16");
  Data.holes = nullptr;
  bad(goldy_program_desc_add_image(D, 0, &Data, nullptr),
      "`D.holes || D.hole_count == 0` must not be NULL");
  bad(goldy_program_desc_add_rail(D, 0, goldy_rail_area_t(-1), nullptr),
      "a rail's area: expected 0 to 2, got -1");
  bad(goldy_program_desc_end_submit(D), "no submit is open");
  bad(goldy_program_desc_end_loop(D), "no loop is open");
  goldy_program_derived_t Derived{0, nullptr, 0, nullptr};
  bad(goldy_program_desc_add_derived(D, &Derived), "no loop is open");
  bad(goldy_program_desc_set_length(D, 7, 0, 4),
      "an input: expected one of 1, got 7");
  bad(goldy_program_desc_add_words(D, {0, 0, 0}), "no submit is open");
  CHECK(text(P) == Before);
}

TEST_CASE("what is open must be closed in order") {
  ProgramDesc P = make();
  goldy_program_desc_t *D = P.get();
  goldy_program_loop_t Loop{ProgramValue(1), 0, 0, nullptr, 0};
  goldy_text_t Text{};
  good(goldy_program_desc_begin_loop(D, &Loop));
  bad(goldy_program_desc_encode(D, &Text), "a loop is open");
  goldy_program_node_t Node = node::op(goldy_program_op_t(16));
  goldy_program_derived_t Derived{0, &Node, 1, nullptr};
  bad(goldy_program_desc_add_derived(D, &Derived),
      "an operation: expected 0 to 15, got 16");
  Node = node::op(GOLDY_OP_ADD, goldy_program_domain_t(5));
  bad(goldy_program_desc_add_derived(D, &Derived),
      "a domain: expected 0 to 4, got 5");
  Node.kind = goldy_program_node_kind_t(3);
  bad(goldy_program_desc_add_derived(D, &Derived),
      "a node's kind: expected 0 to 2, got 3");
  Derived.nodes = nullptr;
  bad(goldy_program_desc_add_derived(D, &Derived),
      "`derived->nodes || derived->count == 0` must not be NULL");
  good(goldy_program_desc_begin_submit(D, 0));
  bad(goldy_program_desc_print(D, &Text), "a submit is open");
  bad(goldy_program_desc_check(D, nullptr), "a submit is open");
  bad(goldy_program_desc_begin_submit(D, 0), "a submit is open");
  bad(goldy_program_desc_begin_loop(D, &Loop), "a submit is open");
  bad(goldy_program_desc_end_loop(D), "a submit is open");
  bad(goldy_program_desc_add_fixed(D, {0, 0, 0}, GOLDY_WRITE),
      "the access: expected GOLDY_READ or GOLDY_READ_WRITE, got 1");
  good(goldy_program_desc_end_submit(D));
  for (int I = 1; I < 16; ++I)
    good(goldy_program_desc_begin_loop(D, &Loop));
  Status Deep(goldy_program_desc_begin_loop(D, &Loop));
  CHECK(Deep.code() == GOLDY_LIMIT);
  for (int I = 0; I < 16; ++I)
    good(goldy_program_desc_end_loop(D));
  Status S = P.check();
  CHECK(S.code() == GOLDY_INVALID_ARGUMENT);
  CHECK(S.message() == "steps[0].body[0].device: 0 is not one of the 0 "
                       "devices; rule P4: an index lies inside its list");
}

TEST_CASE("a description is checked against opened devices") {
  ProgramDesc P = make();
  addLists(P.get());
  addSubmit(P.get());
  Result<Device> Cpu = Device::open("cpu"), Null = Device::open("null");
  REQUIRE(Cpu);
  REQUIRE(Null);
  goldy_device_t *Devices[] = {Cpu->get(), Null->get()};
  goldy_rail_end_t Rail{5, {16, 16, 8}, {}, nullptr, nullptr};
  goldy_program_machine_t M{Devices, 2, &Rail, 1};
  CHECK(P.check(M).message() == "");
  M.rail_count = 0;
  CHECK(P.check(M).message() ==
        "memory[2]: rail 5; rule P27: a rail is one of this machine's");
  M.rail_count = 1;
  Devices[1] = Cpu->get();
  CHECK(P.check(M).message().starts_with(
      "devices[1]: `cpu` does not run code of `sm_80`"));
  M.device_count = 1;
  CHECK(P.check(M).code() == GOLDY_INVALID_ARGUMENT);
  goldy_rail_end_t Twice[] = {Rail, Rail};
  M = {Devices, 2, Twice, 2};
  CHECK(P.check(M).message() == "rail 5 is given twice");
}

TEST_CASE("classes of refusals") {
  Result<ProgramDesc> P = ProgramDesc::parse(R"(#![goldy::program(3)]
devices: ["vulkan1.1"],
memory: [Alloc { device: 0, kind: device, bytes: 8,
                 init: { bytes: hex"01000000 00000000", holes: [{ at: 0, width: W64, terms: [Address { memory: 0, on: 0 } * 1] }] } }],
steps: [Submit { device: 0, parts: [], fixed: [{ view: { memory: 0, offset: 0, length: 8 }, access: read_only }] }])");
  REQUIRE(P.status().message() == "");
  CHECK(P->check().message() == "");
  Result<Device> Null = Device::open("null");
  goldy_device_t *Devices[] = {Null->get()};
  Status Refused = P->check({Devices, 1, nullptr, 0});
  CHECK(Refused.code() == GOLDY_UNSUPPORTED);
  CHECK(Refused.message() ==
        "memory[0].init.holes[0].terms[0]: the address of memory 0 on `null`, "
        "which names memory by handle only; rule P43: an address is of memory "
        "that its device addresses");
  Result<ProgramDesc> Bits = ProgramDesc::parse(R"(#![goldy::program(3)]
devices: ["sm_80"],
images: [{ device: 0, binary: { bytes: hex"01000000", holes: [{ at: 0, width: W32, terms: [], add: 1 }] } }],
steps: [])");
  CHECK(Bits->check().message() ==
        "images[0].binary.holes[0]: the value 1 over set bits; rule P11: a "
        "hole's value meets no set bit of the bytes under it");
  ProgramDesc Wide = make();
  good(goldy_program_desc_set_ints(Wide.get(), INT64_MAX));
  CHECK(Wide.bytes().status().message().ends_with(
      "rule P1: every number has 63 bits"));
  CHECK(ProgramDesc::decode("GDYP").status().code() == GOLDY_INVALID_ARTIFACT);
  CHECK(ProgramDesc::parse("x").status().code() == GOLDY_INVALID_ARTIFACT);
}
