//===- RulesTest.cpp - Rules of the types ---------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sample keeps all rules; each test breaks one, in each of its ways. The
// table of docs/programs.md names these tests.
//
//===----------------------------------------------------------------------===//
#include "Sample.h"

#include <catch2/catch.hpp>

using namespace goldy::program;

namespace {
Alloc &alloc(ProgramDesc &P, size_t I) {
  return std::get<Alloc>(P.Memories[I]);
}
Launch &launch(ProgramDesc &P) {
  return std::get<Launch>(submitAt(P, {0}).Parts[1]);
}
Copy &copyPart(ProgramDesc &P) {
  return std::get<Copy>(submitAt(P, {0}).Parts[2]);
}
Fill &fill(ProgramDesc &P) {
  return std::get<Fill>(submitAt(P, {1, 0}).Parts[0]);
}
View &view(Slot &S) { return std::get<View>(S); }
constexpr const char *Gpu = ", device 1 (`cuda:0`)";
std::string part(unsigned I) {
  return "steps[0].parts[" + std::to_string(I) + "]";
}
} // namespace

TEST_CASE("the sample keeps every rule") {
  Machine M = sampleMachine();
  std::optional<Refusal> R = check(sample(), &M);
  CHECK((R ? R->Message : "") == "");
  R = check(sample());
  CHECK((R ? R->Message : "") == "");
  R = checkConstantHoles(sample());
  CHECK((R ? R->Message : "") == "");
  CHECK_FALSE(check(ProgramDesc()));
}

TEST_CASE("P1 every number has 63 bits") {
  refuses(Rule::NumberRange, "inputs[0].bytes: the number 4611686018427387904",
          [](ProgramDesc &P) { P.Inputs[0].Bytes = NumberMax + 1; });
  refuses(Rule::NumberRange,
          "steps[0].parts[1].params.holes[0].terms[1].factor: the number "
          "-4611686018427387905",
          [](ProgramDesc &P) {
            launch(P).Params.Holes[0].Terms[1].Factor = NumberMin - 1;
          });
  refuses(Rule::NumberRange, "steps[1].body[2].flag.at: ", [](ProgramDesc &P) {
    loopAt(P, {1, 2}).Stop->At = INT64_MIN;
  });
}

TEST_CASE("P2 there are as many devices as the description has") {
  refusesOn(Rule::DeviceCount,
            "devices: the description is for 2 devices, got 1",
            [](Machine &M) { M.Devices.pop_back(); });
  refusesOn(Rule::DeviceCount,
            "devices: the description is for 2 devices, got 3",
            [](Machine &M) { M.Devices.push_back(M.Devices[0]); });
}

TEST_CASE("P3 each device runs code of the description's arch") {
  refusesOn(Rule::DeviceArch,
            "devices[0]: `cpu` does not run code of `x86-64-v2`; it runs "
            "`x86-64-v1`",
            [](Machine &M) { M.Devices[0].Archs = {"x86-64-v1"}; });
  refusesOn(Rule::DeviceArch, "devices[1]: ", [](Machine &M) {
    M.Devices[1].Archs = {"sm_90", "x86-64-v4"};
  });
}

TEST_CASE("P3 levels and features of archs") {
  auto Runs = [](std::vector<std::string> Own, const std::string &Code) {
    return runsCode(Own, Code);
  };
  CHECK(Runs({"x86-64-v3"}, "x86-64-v1"));
  CHECK(Runs({"x86-64-v3"}, "x86-64-v3"));
  CHECK_FALSE(Runs({"x86-64-v3"}, "x86-64-v4"));
  CHECK_FALSE(Runs({"x86-64-v4"}, "x86-64-v5"));
  CHECK_FALSE(Runs({"x86-64-v4"}, "x86-64-v0"));
  CHECK_FALSE(Runs({"x86-64-v4"}, "x86-64"));
  CHECK(Runs({"arm64+bf16+sve"}, "arm64"));
  CHECK(Runs({"arm64+bf16+sve"}, "arm64+sve"));
  CHECK(Runs({"arm64+bf16+sve"}, "arm64+sve+bf16"));
  CHECK_FALSE(Runs({"arm64+bf16"}, "arm64+sve"));
  CHECK_FALSE(Runs({"arm64"}, "arm64e"));
  CHECK_FALSE(Runs({"x86-64-v4"}, "arm64"));
  CHECK(Runs({"*"}, "anything"));
  CHECK_FALSE(Runs({}, "sm_80"));
}

TEST_CASE("P4 an index lies inside its list") {
  auto Index = [](const std::string &Start, auto Spoil) {
    refuses(Rule::IndexRange, Start, Spoil);
  };
  Index("memory[1].device: 2 is not one of the 2 devices",
        [](ProgramDesc &P) { alloc(P, 1).Device = 2; });
  Index("images[0].device: -1 is not",
        [](ProgramDesc &P) { P.Images[0].Device = -1; });
  Index("inputs[1].device: ", [](ProgramDesc &P) { P.Inputs[1].Device = 9; });
  Index("steps[0].device: 2 is",
        [](ProgramDesc &P) { submitAt(P, {0}).Device = 2; });
  Index("memory[0].init.holes[0].terms[0]: 5 is not one of the 5 memories",
        [](ProgramDesc &P) {
          alloc(P, 0).Init.Holes[0].Terms[0].What = Address{5, 1};
        });
  Index("memory[0].init.holes[0].terms[0]: 2 is not one of the 2 devices",
        [](ProgramDesc &P) {
          alloc(P, 0).Init.Holes[0].Terms[0].What = Address{1, 2};
        });
  Index("images[1].binary.holes[0].terms[0]: 2 is not one of the 2 images",
        [](ProgramDesc &P) {
          P.Images[1].Binary.Holes[0].Terms[0].What = Entry{2, "f"};
        });
  Index(part(1) + ".image" + Gpu + ": 2 is not one of the 2 images",
        [](ProgramDesc &P) { launch(P).Image = 2; });
  Index(part(1) + ".params.holes[1].terms[0]" + Gpu + ": -3 is",
        [](ProgramDesc &P) {
          launch(P).Params.Holes[1].Terms[0].What = Leaf(Handle{-3});
        });
  Index(std::string("steps[0].slots[0].memory") + Gpu,
        [](ProgramDesc &P) { view(submitAt(P, {0}).Slots[0]).Memory = 5; });
  Index(std::string("steps[0].slots[1]") + Gpu +
            ": 2 is not one of the 2 inputs",
        [](ProgramDesc &P) { submitAt(P, {0}).Slots[1] = InputSlot{2}; });
  Index(std::string("steps[0].fixed[0].memory") + Gpu,
        [](ProgramDesc &P) { submitAt(P, {0}).Fixed[0].Where.Memory = 5; });
  Index(part(0) + ".view.memory" + Gpu, [](ProgramDesc &P) {
    std::get<Words>(submitAt(P, {0}).Parts[0]).Where.Memory = 7;
  });
  Index("steps[2].src: -1 is",
        [](ProgramDesc &P) { moveAt(P, {2}).Src = InputSlot{-1}; });
  Index("steps[1].flag.slot.memory: ",
        [](ProgramDesc &P) { view(loopAt(P, {1}).Stop->Where).Memory = 5; });
  Index("steps[1].body[0].parts[1].fill, device 0 (`cpu`): 2 is",
        [](ProgramDesc &P) {
          std::get<Fill>(submitAt(P, {1, 0}).Parts[1]).Function = Entry{2, "g"};
        });
}

TEST_CASE("P5 a size is 0 or more") {
  auto Size = [](const std::string &Start, auto Spoil) {
    refuses(Rule::NegativeSize, Start, Spoil);
  };
  Size("memory[1].bytes: the size -1",
       [](ProgramDesc &P) { alloc(P, 1).Bytes = -1; });
  Size("inputs[0].bytes: ", [](ProgramDesc &P) { P.Inputs[0].Bytes = -8; });
  Size("ints: the size -1", [](ProgramDesc &P) { P.Ints = -1; });
  Size("ints: 576460752303423488 words of 8 bytes", // 2^59: 2^62 bytes
       [](ProgramDesc &P) { P.Ints = Number(1) << 59; });
  Size(std::string("steps[0].slots[3].length") + Gpu,
       [](ProgramDesc &P) { view(submitAt(P, {0}).Slots[3]).Length = -8; });
  ProgramDesc P = sample();
  P.Ints = (Number(1) << 59) - 1;
  CHECK_FALSE(check(P));
}

TEST_CASE("P6 first bytes lie within their memory") {
  refuses(Rule::InitRange, "memory[4].init: 33 bytes for a memory of 32",
          [](ProgramDesc &P) { alloc(P, 4).Init.Bytes.assign(33, 'x'); });
  ProgramDesc P = sample();
  alloc(P, 4).Init.Bytes.assign(32, 'x');
  CHECK_FALSE(check(P));
}

TEST_CASE("P7 a view lies within its memory") {
  auto Outside = [](const std::string &Start, auto Spoil) {
    refuses(Rule::ViewRange, Start, Spoil);
  };
  Outside(std::string("steps[0].slots[3]") + Gpu +
              ": 8 bytes from byte 25 of memory 4, which has 32",
          [](ProgramDesc &P) { view(submitAt(P, {0}).Slots[3]).Offset = 25; });
  Outside(std::string("steps[0].slots[3]") + Gpu,
          [](ProgramDesc &P) { view(submitAt(P, {0}).Slots[3]).Offset = -1; });
  Outside(std::string("steps[0].slots[3]") + Gpu, [](ProgramDesc &P) {
    view(submitAt(P, {0}).Slots[3]).Offset = NumberMax;
  });
  Outside(part(0) + ".view" + Gpu, [](ProgramDesc &P) {
    std::get<Words>(submitAt(P, {0}).Parts[0]).Where.Length = 33;
  });
  Outside("steps[1].body[1].dst: 65 bytes from byte 64 of memory 2",
          [](ProgramDesc &P) { view(moveAt(P, {1, 1}).Dst).Length = 65; });
  Outside("steps[1].flag.slot: ", [](ProgramDesc &P) {
    view(loopAt(P, {1}).Stop->Where).Length = 129;
  });
  // A rail's size is the machine's.
  ProgramDesc P = sample();
  submitAt(P, {1, 0}).Fixed.push_back({{3, 16, 1}, Access::ReadOnly});
  Machine M = sampleMachine();
  CHECK(check(P, &M)->Broken == Rule::ViewRange);
  CHECK_FALSE(check(P));
}

TEST_CASE("P8 a hole lies within its bytes") {
  auto Outside = [](const std::string &Start, Number At) {
    refuses(Rule::HoleRange, Start,
            [&](ProgramDesc &P) { alloc(P, 0).Init.Holes[0].At = At; });
  };
  Outside("memory[0].init.holes[0]: 8 bytes at byte 9 of 16", 9);
  Outside("memory[0].init.holes[0]: 8 bytes at byte -1 of 16", -1);
  Outside("memory[0].init.holes[0]: ", NumberMax);
  Outside("memory[0].init.holes[0]: ", NumberMin);
  refuses(Rule::HoleRange, part(1) + ".params.holes[2]" + Gpu,
          [](ProgramDesc &P) { launch(P).Params.Holes[2].At = 29; });
}

TEST_CASE("P9 a hole's shift is 0 to 62") {
  for (Number Shift : {Number(-1), Number(63), NumberMax})
    refuses(Rule::HoleShift, "images[1].binary.holes[0]: shift ",
            [&](ProgramDesc &P) { P.Images[1].Binary.Holes[0].Shift = Shift; });
  ProgramDesc P = sample();
  P.Images[1].Binary.Holes[0].Shift = 62;
  CHECK_FALSE(check(P));
}

TEST_CASE("P10 two holes of one bytes share no byte") {
  refuses(Rule::HoleOverlap,
          part(1) + ".params.holes[2]" + Gpu + ": shares byte 11 with holes[1]",
          [](ProgramDesc &P) { launch(P).Params.Holes[2].At = 11; });
  refuses(Rule::HoleOverlap,
          part(1) + ".params.holes[1]" + Gpu + ": shares byte 7 with holes[0]",
          [](ProgramDesc &P) { launch(P).Params.Holes[1].At = 7; });
  refuses(Rule::HoleOverlap, part(1) + ".params.holes[1]" + Gpu,
          [](ProgramDesc &P) { launch(P).Params.Holes[1].At = 0; });
}

TEST_CASE("P11 a hole's value meets no set bit") {
  ProgramDesc P = sample();
  launch(P).Params.Holes[2].Add = 3; // 7 over 3
  CHECK_FALSE(check(P));
  std::optional<Refusal> R = checkConstantHoles(P);
  REQUIRE(R);
  CHECK(R->Message == "steps[0].parts[1].params.holes[2]: the value 7 over set "
                      "bits; rule P11: a hole's value meets no set bit of the "
                      "bytes under it");
  P = sample();
  alloc(P, 4).Init = {"\1", {}};
  alloc(P, 4).Init.Bytes.resize(8);
  alloc(P, 4).Init.Holes = {{0, Width::W64, {}, 2, 0}};
  CHECK_FALSE(checkConstantHoles(P));
  alloc(P, 4).Init.Holes = {{0, Width::W64, {}, 2, 1}};
  CHECK(checkConstantHoles(P)->Place == "memory[4].init.holes[0]");
  P = sample();
  P.Images[1].Binary.Holes.push_back({8, Width::W32, {}, 1, 0});
  CHECK(checkConstantHoles(P)->Place == "images[1].binary.holes[1]");
  P = sample();
  fill(P).Params.Bytes[0] = 1;
  fill(P).Params.Holes.push_back({0, Width::W32, {{Fixed{3}, 5}}, 0, 0});
  CHECK(checkConstantHoles(P)->Place ==
        "steps[1].body[0].parts[0].params.holes[1]");
}

TEST_CASE("P14 a word of the ints that is read is one of them") {
  auto Past = [](const std::string &Start, auto Spoil) {
    refuses(Rule::IntRange, Start, Spoil);
  };
  Past(part(1) + ".params.holes[0].terms[1]" + Gpu + ": int 4 of 4",
       [](ProgramDesc &P) {
         launch(P).Params.Holes[0].Terms[1].What = IntWord{4};
       });
  Past(part(1) + ".groups[0]" + Gpu + ": int -1 of 4",
       [](ProgramDesc &P) { launch(P).Groups[0] = IntWord{-1}; });
  Past(part(1) + ".threads[2]" + Gpu,
       [](ProgramDesc &P) { launch(P).Threads[2] = IntWord{4}; });
  Past(part(1) + ".shared" + Gpu,
       [](ProgramDesc &P) { launch(P).Shared = IntWord{NumberMax}; });
  Past("steps[1].trips: int 9 of 4",
       [](ProgramDesc &P) { loopAt(P, {1}).Trips = IntWord{9}; });
  Past("steps[1].body[1].src_offset[0]: int 4", [](ProgramDesc &P) {
    moveAt(P, {1, 1}).SrcOffset[0].What = IntWord{4};
  });
  Past(part(2) + ".src_offset[0]" + Gpu,
       [](ProgramDesc &P) { copyPart(P).SrcOffset[0].What = IntWord{4}; });
}

TEST_CASE("P15 the word of a loop's trips is one of the ints") {
  for (Number Word : {Number(-1), Number(4), NumberMax})
    refuses(Rule::TripRange, "steps[1].trip: int " + std::to_string(Word),
            [&](ProgramDesc &P) { loopAt(P, {1}).Trip = Word; });
}

TEST_CASE("P16 a loop's flag is a byte of its slot") {
  auto Past = [](const std::string &Start, auto Spoil) {
    refuses(Rule::FlagRange, Start, Spoil);
  };
  Past("steps[1].flag: byte 128 of 128",
       [](ProgramDesc &P) { loopAt(P, {1}).Stop->At = 128; });
  Past("steps[1].flag: byte -1 of 128",
       [](ProgramDesc &P) { loopAt(P, {1}).Stop->At = -1; });
  Past("steps[1].flag: byte 32 of 32",
       [](ProgramDesc &P) { loopAt(P, {1}).Stop = Flag{IntsSlot{}, 32}; });
  Past("steps[1].flag: byte -1",
       [](ProgramDesc &P) { loopAt(P, {1}).Stop = Flag{InputSlot{0}, -1}; });
  // How long an input is, only the run knows.
  ProgramDesc P = sample();
  loopAt(P, {1}).Stop = Flag{InputSlot{0}, 1 << 20};
  CHECK_FALSE(check(P));
}

TEST_CASE("P17 parameters are whole 32-bit words") {
  refuses(Rule::ParamWords, part(1) + ".params" + Gpu + ": 33 bytes",
          [](ProgramDesc &P) { launch(P).Params.Bytes.resize(33); });
  refuses(Rule::ParamWords, "steps[1].body[0].parts[0].params, device 0",
          [](ProgramDesc &P) { fill(P).Params.Bytes.resize(18); });
}

TEST_CASE("P18 a fill's function is an entry or a ready") {
  refuses(Rule::FillFunction, "steps[1].body[0].parts[0].fill",
          [](ProgramDesc &P) { fill(P).Function = Address{3, 0}; });
  refuses(Rule::FillFunction, "steps[1].body[0].parts[0].fill",
          [](ProgramDesc &P) { fill(P).Function = Handle{3}; });
}

TEST_CASE("P19 a ref or copy names a slot of its submit") {
  refuses(Rule::SlotNumber, part(1) + ".refs[1]" + Gpu + ": slot 4 of 4",
          [](ProgramDesc &P) { launch(P).Refs[1].Slot = 4; });
  refuses(Rule::SlotNumber, part(2) + ".src" + Gpu,
          [](ProgramDesc &P) { copyPart(P).Src = -1; });
  refuses(Rule::SlotNumber, part(2) + ".dst" + Gpu,
          [](ProgramDesc &P) { copyPart(P).Dst = 4; });
  refuses(Rule::SlotNumber, "steps[1].body[0].parts[0].refs[0]",
          [](ProgramDesc &P) { fill(P).Refs[0].Slot = 1; });
}

TEST_CASE("P20 every slot is named by a ref or a copy") {
  refuses(Rule::SlotUnused,
          std::string("steps[0].slots[4]") + Gpu + ": nothing names it",
          [](ProgramDesc &P) { submitAt(P, {0}).Slots.push_back(IntsSlot{}); });
  refuses(Rule::SlotUnused, std::string("steps[0].slots[3]") + Gpu,
          [](ProgramDesc &P) { launch(P).Refs.pop_back(); });
}

TEST_CASE("P21 a slot of an unordered ref has no other use") {
  refuses(Rule::SlotUnordered,
          part(2) + ".dst" + Gpu +
              ": slot 0 is used both unordered and in order",
          [](ProgramDesc &P) { launch(P).Refs[0].How = Use::Unordered; });
  refuses(Rule::SlotUnordered, part(1) + ".refs[1]" + Gpu,
          [](ProgramDesc &P) { launch(P).Refs[1].Slot = 0; });
}

TEST_CASE("P22 a copy's or move's length is 0 or more") {
  refuses(Rule::CopyLength, part(2) + ".length" + Gpu + ": the length -1",
          [](ProgramDesc &P) { copyPart(P).Length = -1; });
  refuses(Rule::CopyLength, "steps[2].length: ", [](ProgramDesc &P) {
    moveAt(P, {2}).Length = NumberMin;
  });
}

TEST_CASE("P23 an offset holds no leaf") {
  refuses(Rule::OffsetLeaf, part(2) + ".src_offset[0]" + Gpu,
          [](ProgramDesc &P) {
            copyPart(P).SrcOffset[0].What = Leaf(Address{1, 1});
          });
  refuses(Rule::OffsetLeaf, "steps[2].dst_offset[0]: ", [](ProgramDesc &P) {
    moveAt(P, {2}).DstOffset[0].What = Leaf(Ready{7});
  });
}

TEST_CASE("P24 an offset of constants is exact") {
  Number Half = Number(1) << 61;
  auto Past = [](Offset O) {
    refuses(Rule::OffsetExact, "steps[2].dst_offset: the sum of the terms",
            [&](ProgramDesc &P) { moveAt(P, {2}).DstOffset = O; });
  };
  Past({{Fixed{Number(1) << 31}, Number(1) << 31}});             // 2^62
  Past({{Fixed{Number(1) << 32}, Number(1) << 32}});             // 2^64
  Past({{Fixed{Half}, 1}, {Fixed{Half}, 1}, {Fixed{-Half}, 1}}); // partial sum
  Past({{Fixed{NumberMin}, -1}});
  // One that reads an int is the run's to judge.
  ProgramDesc P = sample();
  moveAt(P, {2}).DstOffset = {{Fixed{Half}, 2}, {IntWord{0}, 1}};
  CHECK_FALSE(check(P));
  moveAt(P, {2}).DstOffset = {{Fixed{Half}, 1}, {Fixed{-Half}, 1}};
  CHECK_FALSE(check(P));
}

TEST_CASE("P25 an end that reads no int lies within its slot") {
  auto Outside = [](const std::string &Start, auto Spoil) {
    refuses(Rule::EndRange, Start, Spoil);
  };
  Outside("steps[2].dst_offset: 25 bytes from byte 8 of 32",
          [](ProgramDesc &P) { moveAt(P, {2}).Length = 25; });
  Outside("steps[2].dst_offset: 24 bytes from byte -1 of 32",
          [](ProgramDesc &P) { moveAt(P, {2}).DstOffset = {{Fixed{1}, -1}}; });
  Outside("steps[2].src_offset: 24 bytes from byte -1",
          [](ProgramDesc &P) { moveAt(P, {2}).SrcOffset = {{Fixed{-1}, 1}}; });
  Outside("steps[2].src_offset: 24 bytes from byte " +
              std::to_string(NumberMax),
          [](ProgramDesc &P) {
            moveAt(P, {2}).SrcOffset = {{Fixed{NumberMax}, 1}};
          });
  Outside(part(2) + ".dst_offset" + Gpu + ": 241 bytes from byte 16 of 256",
          [](ProgramDesc &P) { copyPart(P).Length = 241; });
  Outside("steps[1].body[1].dst_offset: ",
          [](ProgramDesc &P) { moveAt(P, {1, 1}).Length = 33; });
  // An input may be longer than it must.
  ProgramDesc P = sample();
  moveAt(P, {2}).SrcOffset = {{Fixed{1 << 20}, 1}};
  CHECK_FALSE(check(P));
}

TEST_CASE("P26 the two ends of a copy or move share no byte") {
  auto Both = [](Slot Src, Offset From, Slot Dst, Offset To, Number Length) {
    ProgramDesc P = sample();
    stepAt(P, {2}).Kind = Move{Src, From, Dst, To, Length};
    std::optional<Refusal> R = check(P);
    if (R) {
      CHECK(R->Broken == Rule::EndOverlap);
      CHECK(R->Message.starts_with("steps[2]: "));
    }
    return R.has_value();
  };
  View Low{1, 0, 40}, High{1, 24, 40};
  CHECK(Both(Low, {}, Low, {}, 1));
  CHECK_FALSE(Both(Low, {}, Low, {}, 0));
  CHECK(Both(Low, {{Fixed{8}, 1}}, High, {}, 17));
  CHECK_FALSE(Both(Low, {{Fixed{8}, 1}}, High, {}, 16));
  CHECK(Both(High, {}, Low, {{Fixed{8}, 1}}, 17));
  CHECK_FALSE(Both(Low, {{IntWord{0}, 1}}, Low, {}, 40));
  CHECK(Both(IntsSlot{}, {}, IntsSlot{}, {{Fixed{8}, 1}}, 9));
  CHECK_FALSE(Both(IntsSlot{}, {}, IntsSlot{}, {{Fixed{8}, 1}}, 8));
  CHECK(Both(InputSlot{0}, {{Fixed{100}, 1}}, InputSlot{0}, {}, 101));
  CHECK_FALSE(Both(InputSlot{0}, {}, InputSlot{1}, {}, 8));
  CHECK_FALSE(Both(View{0, 0, 40}, {}, Low, {}, 40));
  // One area of a rail under two numbers.
  ProgramDesc P = sample();
  P.Memories.push_back(Rail{7, Area::Counts});
  stepAt(P, {2}).Kind = Move{View{3, 0, 16}, {}, View{5, 8, 8}, {}, 8};
  CHECK_FALSE(check(P));
  stepAt(P, {2}).Kind = Move{View{3, 0, 16}, {}, View{5, 0, 8}, {}, 8};
  CHECK(check(P)->Broken == Rule::EndOverlap);
  refuses(Rule::EndOverlap, part(2) + Gpu + ": 8 bytes",
          [](ProgramDesc &Q) { copyPart(Q) = Copy{1, {}, 1, {}, 8}; });
}

TEST_CASE("P27 a rail is one of this machine's") {
  refusesOn(Rule::RailGiven, "memory[3]: rail 7",
            [](Machine &M) { M.Rails[0].Id = 8; });
  refuses(Rule::RailGiven,
          "steps[1].body[0].parts[0].fill, device 0 (`cpu`): "
          "ready of rail 6",
          [](ProgramDesc &P) { fill(P).Function = Ready{6}; });
}

TEST_CASE("P28 a ref's 8 bytes lie within the parameters") {
  for (Number At : {Number(25), Number(-1), NumberMax})
    refuses(Rule::RefRange,
            part(1) + ".refs[1]" + Gpu + ": byte " + std::to_string(At) +
                " of 32",
            [&](ProgramDesc &P) { launch(P).Refs[1].At = At; });
}

TEST_CASE("P40 a function is of an image of the step's device") {
  refuses(Rule::ImageDevice,
          part(1) + ".image" + Gpu + ": image 0 is for device 0",
          [](ProgramDesc &P) { launch(P).Image = 0; });
  refuses(Rule::ImageDevice, "steps[1].body[0].parts[1].fill, device 0",
          [](ProgramDesc &P) {
            std::get<Fill>(submitAt(P, {1, 0}).Parts[1]).Function =
                Entry{1, "g"};
          });
}

TEST_CASE("P41 constant geometry is one that devices have") {
  auto Geometry = [](const std::string &Start, auto Spoil) {
    refuses(Rule::Geometry, part(1) + Start, Spoil);
  };
  Geometry(std::string(".groups[1]") + Gpu + ": -1 is not 0 to 4294967295",
           [](ProgramDesc &P) { launch(P).Groups[1] = Fixed{-1}; });
  Geometry(".groups[0]", [](ProgramDesc &P) {
    launch(P).Groups[0] = Fixed{Number(1) << 32};
  });
  Geometry(".threads[0]",
           [](ProgramDesc &P) { launch(P).Threads[0] = Fixed{0}; });
  Geometry(".threads[2]",
           [](ProgramDesc &P) { launch(P).Threads[2] = Fixed{1025}; });
  Geometry(".shared", [](ProgramDesc &P) { launch(P).Shared = Fixed{-1}; });
  ProgramDesc P = sample();
  launch(P).Groups = {Fixed{0}, Fixed{UINT32_MAX}, IntWord{3}};
  CHECK_FALSE(check(P));
}

TEST_CASE("P42 two refs of one part share no byte") {
  refuses(Rule::RefOverlap,
          part(1) + ".refs[1]" + Gpu + ": shares byte 20 with refs[0]",
          [](ProgramDesc &P) { launch(P).Refs[1].At = 20; });
}

TEST_CASE("P50 a description has at most 1000000 steps") {
  ProgramDesc P;
  P.Steps.resize(1000000, Step{Move{IntsSlot{}, {}, IntsSlot{}, {}, 0}});
  CHECK_FALSE(check(P));
  P.Steps.push_back(Step{Loop{Fixed{1}, {}, {}, {}, {}}});
  std::optional<Refusal> R = check(P);
  REQUIRE(R);
  CHECK(R->Message == "steps[1000000]: step number 1000001; rule P50: a "
                      "description has at most 1000000 steps");
  CHECK(ruleInfo(R->Broken).Class == RuleClass::Limit);
}

TEST_CASE("P51 loops nest at most 16 deep") {
  ProgramDesc P;
  for (int I = 0; I < 16; ++I)
    P.Steps = {Step{Loop{Fixed{1}, {}, {}, {}, std::move(P.Steps)}}};
  CHECK_FALSE(check(P));
  P.Steps = {Step{Loop{Fixed{1}, {}, {}, {}, std::move(P.Steps)}}};
  std::optional<Refusal> R = check(P);
  REQUIRE(R);
  CHECK(R->Broken == Rule::NestingLimit);
  CHECK(R->Message.starts_with("steps[0].body[0].body[0]"));
}

TEST_CASE("P52 a description has at most 65536 images") {
  ProgramDesc P;
  P.Devices = {"sm_80"};
  P.Images.resize(65536);
  CHECK_FALSE(check(P));
  P.Images.resize(65537);
  CHECK(check(P)->Broken == Rule::ImageLimit);
}
