//===- SanitizerTest.cpp - What is ordered and what is not ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cpu/Sanitizer.h"
#include "cpu/Shadow.h"
#include "cpu/Undetermined.h"

#include <catch2/catch.hpp>
#include <random>

using namespace goldy::rt;
using Kind = Shadow::Kind;

namespace {

/// All accesses so far, asked one by one.
struct Slow {
  bool Shared;
  struct Access {
    AccessRecord Who;
    Kind How;
    uint64_t First, End;
  };
  std::vector<Access> All;
  bool note(uint64_t At, uint32_t Bytes, Kind K, const AccessRecord &Now) {
    bool Found = false;
    for (const Access &A : All) {
      bool Ordered = A.Who.Group != Now.Group
                         ? !Shared
                         : A.Who.Item == Now.Item || A.Who.Epoch != Now.Epoch;
      bool Same =
          A.Who.Value == Now.Value && A.First == At && A.End == At + Bytes;
      bool Harmless = A.How == K && (K != Kind::Write || Same);
      Found |= A.First < At + Bytes && At < A.End && !Ordered && !Harmless;
    }
    All.push_back({Now, K, At, At + Bytes});
    return Found;
  }
};

WatchSite at(WatchSite::Kind K, uint32_t Line) {
  WatchSite S;
  S.What = K;
  S.File = "k.goldy";
  S.Line = Line;
  S.Column = 1;
  return S;
}

std::string heard;
void hear(void *, const char *Text, size_t Size) {
  heard.append(Text, Size);
  heard += '\n';
}

} // namespace

/// Random schedules, group by group, up to the first race. Values: how many
/// different ones are written; 0: each is another.
static void compareShadows(unsigned Values) {
  std::mt19937 Random(7);
  uint32_t Fresh = 0;
  for (unsigned Round = 0; Round < 4000; ++Round) {
    bool Shared = Round % 2;
    Shadow Quick(Shared);
    Slow Exact{Shared, {}};
    bool Raced = false;
    for (uint64_t Group = 0; Group < 3 && !Raced; ++Group)
      for (uint32_t Epoch = 0; Epoch < 3 && !Raced; ++Epoch)
        for (unsigned N = Random() % 4; N-- > 0 && !Raced;) {
          AccessRecord Now{Group, uint32_t(Random() % 3), Epoch, 1};
          uint32_t Value = Values ? Random() % Values : ++Fresh;
          Kind K = static_cast<Kind>(Random() % 8 < 5 ? 0 : 1 + Random() % 2);
          uint32_t Bytes = 1u << Random() % 3;
          uint64_t At = 1022 + Random() % 4 / Bytes * Bytes + (Bytes > 2) * 2;
          Now.Value = Value * 8 + static_cast<uint32_t>(At % 8) * 1000 + Bytes;
          bool Want = Exact.note(At, Bytes, K, Now);
          bool Got = bool(Quick.note(At, Bytes, K, Now));
          INFO("round " << Round);
          REQUIRE((Got == Want || (Values && Want)));
          Raced = Want;
        }
  }
}

TEST_CASE("a shadow finds a race exactly where there is one") {
  compareShadows(0);
}

/// A work-item's older write of another value, which its own later one hides,
/// may be passed over.
TEST_CASE("a shadow never finds more, if values are equal") {
  compareShadows(2);
  Shadow S(true);
  CHECK(!S.note(64, 4, Kind::Write, {0, 0, 0, 1, 9}));
  CHECK(!S.note(64, 4, Kind::Write, {0, 1, 0, 1, 9}));
  CHECK(!S.note(64, 4, Kind::Write, {1, 0, 0, 1, 9}));
  CHECK(S.note(64, 4, Kind::Write, {1, 0, 0, 1, 8}));
  CHECK(S.note(64, 4, Kind::Read, {1, 0, 0, 1, 0}));
}

TEST_CASE("values that are not known are not equal") {
  Shadow S(true);
  CHECK(!S.note(64, 4, Kind::Write, {0, 0, 0, 1, 0}));
  CHECK(S.note(64, 4, Kind::Write, {0, 1, 0, 1, 0}));
}

TEST_CASE("barriers that not all work-items of a group reach") {
  WatchedCode Code;
  Code.Name = "k";
  Code.WorkgroupSize = {2, 1, 1};
  Code.Kinds = SanitizeRace;
  Code.Sites = {at(WatchSite::Kind::Barrier, 3),
                at(WatchSite::Kind::Barrier, 5)};
  std::byte Block[32] = {};
  auto Finds = [&](std::vector<std::array<uint32_t, 3>> Arrivals) {
    Sanitizer S(Code, Block, {2, 1, 1});
    for (const std::array<uint32_t, 3> &A : Arrivals)
      Sanitizer::watch(&S, A[0], A[1], A[2], nullptr);
    heard.clear();
    return S.finish({hear, nullptr}).code() == GOLDY_FINDINGS;
  };
  CHECK(!Finds(
      {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 0}}));
  CHECK(Finds({{0, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  CHECK(heard == "k.goldy:3:1: error: work-item [3, 0, 0] reaches this "
                 "barrier, [2, 0, 0] of its group never does\nin kernel "
                 "`k`\n");
  CHECK(Finds({{0, 0, 0}, {0, 1, 1}}));
  CHECK(heard == "k.goldy:5:1: error: work-item [1, 0, 0] waits at this "
                 "barrier\nk.goldy:3:1: note: [0, 0, 0] of its group waits at "
                 "this one\nin kernel `k`\n");
}

TEST_CASE("many findings are counted, the first ones told") {
  WatchedCode Code;
  Code.Name = "k";
  Code.WorkgroupSize = {1, 1, 1};
  Code.Kinds = SanitizeBounds;
  for (uint32_t N = 0; N < 30; ++N)
    Code.Sites.push_back(at(WatchSite::Kind::Assume, N + 1));
  std::byte Block[32] = {};
  Sanitizer S(Code, Block, {1, 1, 1});
  uint32_t No = 0;
  for (uint32_t Time = 0; Time < 2; ++Time)
    for (uint32_t N = 0; N < 30; ++N)
      Sanitizer::watch(&S, 0, 0, N, &No);
  heard.clear();
  CHECK(S.finish({hear, nullptr}).message() ==
        "kernel `k`: the sanitizer has 20 findings and more; first: "
        "k.goldy:1:1: error: this does not hold for work-item [0, 0, 0]");
  CHECK(heard.find("k.goldy:20:1") != heard.npos);
  CHECK(heard.find("k.goldy:21:1") == heard.npos);
  CHECK(heard.find("in kernel `k`, 2 times") != heard.npos);
  CHECK(heard.find("in kernel `k`, not told, at other places: 20 failed "
                   "assumptions") != heard.npos);
}

TEST_CASE("findings of one kind leave room for the others") {
  Findings F;
  auto Tell = [&](Findings::Kind K, uint32_t Line) {
    if (F.count(K, Line, 0))
      F.tell(at(WatchSite::Kind::Read, Line), "wrong");
  };
  for (uint32_t Line = 1; Line <= 50; ++Line)
    Tell(Findings::Kind::Index, Line);
  for (uint32_t Line = 51; Line <= 56; ++Line)
    Tell(Findings::Kind::Race, Line);
  Tell(Findings::Kind::Undetermined, 60);
  heard.clear();
  F.print("k", {hear, nullptr});
  auto Told = [&](uint32_t Line) {
    return heard.find("k.goldy:" + std::to_string(Line) + ":1: error") !=
           heard.npos;
  };
  unsigned All = 0;
  for (uint32_t Line = 1; Line <= 60; ++Line)
    All += Told(Line);
  CHECK(All == Findings::Most);
  CHECK(Told(1));
  CHECK(Told(15));
  CHECK(!Told(16));
  CHECK(Told(54));
  CHECK(!Told(55));
  CHECK(Told(60));
  CHECK(heard.find("not told, at other places: 35 indices out of range, 2 data "
                   "races") != heard.npos);
  CHECK(F.summary("k").starts_with(
      "kernel `k`: the sanitizer has 27 findings and more; first: "));
}

TEST_CASE("a finding names the calls that lead to it") {
  Findings F;
  WatchSite S = at(WatchSite::Kind::Read, 3);
  for (uint32_t Line : {7, 9}) {
    SitePlace &Call = S.Calls.emplace_back();
    Call.File = "k.goldy";
    Call.Line = Line;
    Call.Column = 2;
  }
  CHECK(F.count(Findings::Kind::Index, 1, 0));
  F.tell(S, "wrong");
  heard.clear();
  F.print("k", {hear, nullptr});
  CHECK(heard == "k.goldy:3:1: error: wrong\nk.goldy:7:2: note: in a call "
                 "here\nk.goldy:9:2: note: in a call here\nin kernel `k`\n");
}

TEST_CASE("undetermined bytes are cut, cleared and copied") {
  Undetermined U;
  std::shared_ptr<const WatchSite> T = std::make_shared<WatchSite>();
  CHECK(!U.any());
  U.mark(100, 100, T);
  CHECK(U.any());
  CHECK(!U.find(0, 100));
  CHECK(U.find(0, 101).Where == T);
  CHECK(U.find(0, 101).First == 100);
  CHECK(U.find(150, 100).First == 150);
  CHECK(U.find(150, 100).End == 200);
  CHECK(U.find(199, 1).Where == T);
  CHECK(!U.find(200, 8));
  U.clear(140, 20);
  CHECK(!U.find(140, 20));
  CHECK(U.find(139, 1).Where == T);
  CHECK(U.find(160, 4).Where == T);
  U.clear(90, 20);
  CHECK(!U.find(100, 10));
  CHECK(U.find(110, 1).Where == T);
  U.copy(130, 1000, 40); // ten marked, twenty not, ten marked
  CHECK(U.find(1000, 10).Where == T);
  CHECK(!U.find(1010, 20));
  CHECK(U.find(1030, 10).Where == T);
  CHECK(!U.find(1040, 10));
  U.copy(140, 110, 20);
  CHECK(!U.find(110, 20));
  U.mark(150, 100, T);
  U.clear(0, 2000);
  CHECK(!U.any());
}
