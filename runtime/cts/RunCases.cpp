//===- RunCases.cpp - Conformance cases: what a run brings ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memories of the run, ends of copies and grids from words, memory of the host,
// host functions and command words. Submissions are prepared once and run many
// times, nobody waits between: what a run brings never reaches another.
//
//===----------------------------------------------------------------------===//
#include "CaseParts.h"

#include <cstring>
#include <thread>

using namespace goldy::cts;
using namespace goldy::rt;

namespace {

/// A submission that is prepared for as long as this lives.
class Prepared {
public:
  Prepared(Check &C, SubmissionDesc Desc)
      : C(C), D(*C.Device->Driver),
        Good(C.ok(D.prepare(std::move(Desc), Id).release(), "prepare")) {}
  ~Prepared() {
    if (Good)
      D.releaseSubmission(Id);
  }
  void run(std::vector<uint64_t> Words, std::vector<goldy_buffer_t *> Buffers) {
    std::vector<MemoryId> Memories;
    for (goldy_buffer_t *B : Buffers)
      Memories.push_back(B->Memory->Id);
    runWith(Words, Memories);
  }
  void runWith(const std::vector<uint64_t> &Words,
               const std::vector<MemoryId> &Memories) {
    uint64_t Point = 0;
    if (Good && C.ok(D.run(Id, {Words, Memories}, Point).release(), "run"))
      Last = Point;
  }
  bool wait() {
    return Good && C.ok(D.wait(Last, GOLDY_FOREVER).release(), "wait");
  }

private:
  Check &C;
  Driver &D;
  SubmissionId Id{};
  uint64_t Last = 0;
  bool Good;
};

std::vector<unsigned char> pattern(size_t Bytes, unsigned Seed) {
  std::vector<unsigned char> Out(Bytes);
  for (size_t I = 0; I < Bytes; ++I)
    Out[I] = static_cast<unsigned char>((I * 2654435761u + Seed * 977u) >> 13);
  return Out;
}

uint64_t addressOf(const Check &C, goldy_buffer_t *B) {
  return C.Device->Driver->address(B->Memory->Id);
}

} // namespace

// Fills bytes 3..6 of the first memory, copies its bytes 1..12 to bytes 5..16
// of the second, whichever they are.
static void runsBringMemories(Check &C) {
  constexpr size_t Bytes = 40, Count = 5;
  Fixture F(C, "saxpy");
  goldy_buffer_t *B[Count];
  std::vector<unsigned char> Want[Count];
  for (size_t I = 0; I < Count; ++I) {
    B[I] = F.buffer(Bytes);
    Want[I] = pattern(Bytes, static_cast<unsigned>(I));
    if (F.Good)
      fill(C, B[I], Want[I]);
  }
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Part Fill, Copy;
  Fill.Kind = PartKind::Fill;
  Fill.Value = 0x5a;
  Fill.Uses = {brought(0, 3, 4, true)};
  Copy.Kind = PartKind::Copy;
  Copy.Uses = {brought(0, 1, 12, false), brought(1, 5, 12, true)};
  Desc.Parts = {Fill, Copy};
  Desc.Memories = 3; // of which no part uses the last
  Prepared P(C, std::move(Desc));
  for (size_t I = 0; I < 60; ++I) {
    size_t From = I * 7 % Count, To = (From + 1 + I % (Count - 1)) % Count;
    P.runWith({}, {B[From]->Memory->Id, B[To]->Memory->Id, MemoryId{}});
    std::fill_n(Want[From].begin() + 3, 4, 0x5a);
    std::copy_n(Want[From].begin() + 1, 12, Want[To].begin() + 5);
  }
  if (!P.wait())
    return;
  for (size_t I = 0; I < Count; ++I)
    same(C, contents<unsigned char>(C, B[I]), Want[I],
         "buffer " + std::to_string(I));
}

/// y += a x, for x, y and a of the run; a copy of y follows it.
static void launchesOf(Check &C, const char *Kernel) {
  constexpr uint32_t N = 1000, Count = 4;
  Fixture F(C, Kernel);
  goldy_buffer_t *B[Count], *Log = F.buffer(4 * N);
  std::vector<float> Want[Count], WantLog(N);
  for (uint32_t I = 0; I < Count; ++I) {
    B[I] = F.buffer(4 * N);
    Want[I] = std::vector<float>(N, static_cast<float>(I + 1));
    if (F.Good)
      fill(C, B[I], Want[I]);
  }
  goldy_launch Keep;
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Part Copy = copyPart(B[0], 0, Log, 0, 4 * N);
  Copy.Uses[0] = brought(1, 0, 4 * N, false);
  Desc.Parts = {launchPart(C, F, {view(B[0], N), view(B[1], N), word(0)},
                           {{4, 1, 1}}, Keep),
                Copy};
  Desc.Parts[0].Uses = {brought(0, 0, AllBytes, false),
                        brought(1, 0, AllBytes, true)};
  Desc.Slots = {{0, 0, 8, 0}, {0, 16, 8, 1}, {0, 32, 4, 2}};
  Desc.Words = 3;
  Desc.Memories = 2;
  Prepared P(C, std::move(Desc));
  for (uint32_t I = 0; I < 40; ++I) {
    uint32_t X = I % Count, Y = (X + 1 + I / Count % (Count - 1)) % Count;
    float A = static_cast<float>(I % 3) - 1;
    uint32_t Bits = 0;
    std::memcpy(&Bits, &A, 4);
    P.run({addressOf(C, B[X]), addressOf(C, B[Y]), Bits}, {B[X], B[Y]});
    for (uint32_t E = 0; E < N; ++E)
      WantLog[E] = Want[Y][E] += A * Want[X][E];
  }
  if (!P.wait())
    return;
  for (uint32_t I = 0; I < Count; ++I)
    same(C, contents<float>(C, B[I]), Want[I], "buffer " + std::to_string(I));
  same(C, contents<float>(C, Log), WantLog, "the copy");
}
static void runsBringMemoriesToLaunches(Check &C) { launchesOf(C, "saxpy"); }
static void runsBringMemoriesByAddress(Check &C) { launchesOf(C, "far"); }

// The same memory twice, and one that a part names: every order that the parts
// have is kept.
static void runsBringMemoryThatIsNamed(Check &C) {
  constexpr uint64_t Bytes = uint64_t(1) << 20;
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(Bytes), *B = F.buffer(Bytes),
                 *Named = F.buffer(Bytes);
  if (!F.Good)
    return;
  auto Copy = [&](MemoryUse From, MemoryUse To) {
    Part P;
    P.Kind = PartKind::Copy;
    P.Uses = {From, To};
    return P;
  };
  constexpr uint64_t Half = Bytes / 2;
  SubmissionDesc Desc;
  Part First = fillPart(A, 0, Bytes, 1);
  First.Uses[0] = brought(0, 0, Bytes, true);
  Part Second = fillPart(A, 0, Bytes, 2);
  Second.Uses[0] = brought(1, 0, Bytes, true);
  Desc.Parts = {First,
                Second,
                fillPart(Named, 0, Half, 3),
                Copy(brought(0, 0, Half, false), use(Named, Half, Half, true)),
                fillPart(Named, 0, Half, 4),
                Copy(use(Named, Half, Half, false), brought(1, 0, Half, true)),
                Copy(brought(0, 0, 64, false), brought(1, 128, 64, true))};
  Desc.Memories = 2;
  Prepared P(C, std::move(Desc));
  struct Try {
    goldy_buffer_t *First, *Second;
  };
  for (const Try &T :
       {Try{A, B}, Try{A, A}, Try{Named, B}, Try{A, Named}, Try{Named, Named},
        Try{B, A}, Try{Named, Named}, Try{B, B}}) {
    std::vector<unsigned char> Own[3], Zero(Bytes, 0);
    std::vector<goldy_buffer_t *> All = {A, B, Named};
    for (size_t I = 0; I < 3; ++I) {
      Own[I] = Zero;
      fill(C, All[I], Zero);
    }
    auto Of = [&](goldy_buffer_t *Buffer) -> unsigned char * {
      return Own[std::find(All.begin(), All.end(), Buffer) - All.begin()]
          .data();
    };
    unsigned char *X = Of(T.First), *Y = Of(T.Second), *Z = Of(Named);
    std::memset(X, 1, Bytes);
    std::memset(Y, 2, Bytes);
    std::memset(Z, 3, Half);
    std::memcpy(Z + Half, X, Half);
    std::memset(Z, 4, Half);
    std::memcpy(Y, Z + Half, Half);
    std::memcpy(Y + 128, X, 64);
    P.run({}, {T.First, T.Second});
    if (!P.wait())
      return;
    for (size_t I = 0; I < 3; ++I)
      same(C, contents<unsigned char>(C, All[I]), Own[I],
           "buffer " + std::to_string(I));
  }
}

/// Copies of `Bytes` within memory of `All`, from and to where the runs say.
static void movingCopies(Check &C, uint64_t All, uint64_t Bytes,
                         const std::vector<std::array<uint64_t, 2>> &Ends) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *A = F.buffer(All), *B = F.buffer(All);
  if (!F.Good)
    return;
  std::vector<unsigned char> Wants[2] = {pattern(All, 1), pattern(All, 2)};
  fill(C, A, Wants[0]);
  fill(C, B, Wants[1]);
  constexpr uint64_t SrcStart = 5, DstStart = 9;
  SubmissionDesc Desc;
  Part There = copyPart(A, SrcStart, B, DstStart, Bytes);
  There.SrcWord = 0;
  There.DstWord = 1;
  Part Fixed = copyPart(B, 0, A, 0, Bytes), Back = fillPart(B, 3, 2, 0x77);
  Fixed.SrcWord = 1;
  Desc.Parts = {There, Fixed, Back};
  Desc.Words = 2;
  Prepared P(C, std::move(Desc));
  for (const std::array<uint64_t, 2> &E : Ends) {
    P.run({E[0], E[1]}, {});
    auto At = [](std::vector<unsigned char> &In, uint64_t Offset) {
      return In.begin() + static_cast<long>(Offset);
    };
    std::copy_n(At(Wants[0], SrcStart + E[0]), Bytes,
                At(Wants[1], DstStart + E[1]));
    std::copy_n(At(Wants[1], E[1]), Bytes, Wants[0].begin());
    std::fill_n(At(Wants[1], 3), 2, 0x77);
  }
  if (!P.wait())
    return;
  std::string What = std::to_string(Bytes) + " bytes: ";
  same(C, contents<unsigned char>(C, A), Wants[0], What + "a");
  same(C, contents<unsigned char>(C, B), Wants[1], What + "b");
}

static void runsMoveCopies(Check &C) {
  movingCopies(C, 300, 0, {{0, 0}, {295, 291}});
  for (uint64_t Bytes : {1, 4, 15, 16, 60})
    movingCopies(C, 300, Bytes,
                 {{0, 0}, {1, 0}, {1, 0}, {64, 3}, {7, 100}, {200, 200}});
  for (uint64_t Bytes : {uint64_t(300) << 10, uint64_t(3) << 20})
    movingCopies(
        C, Bytes + 300, Bytes,
        {{0, 0}, {11, 7}, {0, 12}, {16, 12}, {17, 13}, {200, 190}, {4, 0}});
}

/// What `ids` leaves: six words a work-item, of which it counts up the last.
static void addIds(std::vector<uint32_t> &To,
                   const std::array<uint32_t, 3> &N) {
  uint64_t Groups = uint64_t(N[0]) * N[1] * N[2];
  for (uint64_t G = 0; G < Groups; ++G)
    for (uint32_t L = 0; L < 2; ++L) {
      uint32_t *O = &To[6 * (2 * G + L)];
      O[4] = static_cast<uint32_t>(G % N[0]);
      O[0] = 2 * O[4] + L;
      O[1] = static_cast<uint32_t>(G / N[0] % N[1]);
      O[2] = static_cast<uint32_t>(G / N[0] / N[1]);
      O[3] = N[0] * 1000003 + N[1] * 1009 + N[2];
      O[5] += 1;
    }
}

static void runsSizeGrids(Check &C) {
  constexpr uint64_t Most = 70001 * 2;
  Fixture F(C, "ids");
  goldy_buffer_t *Out = F.buffer(4 * 6 * 2 * Most);
  goldy_launch Keep;
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Desc.Parts = {launchPart(C, F, {view(Out, 6 * 2 * Most)}, {{1, 1, 1}}, Keep)};
  Desc.Parts[0].Pieces.clear();
  Desc.Parts[0].GroupWords = {2, 0, 1};
  Desc.Words = 3;
  Prepared P(C, std::move(Desc));
  std::vector<uint32_t> Want(6 * 2 * Most);
  for (const std::array<uint32_t, 3> &N :
       std::vector<std::array<uint32_t, 3>>{{3, 2, 4},
                                            {3, 2, 4},
                                            {0, 2, 2},
                                            {5, 0, 1},
                                            {5, 1, 0},
                                            {0, 0, 0},
                                            {1, 1, 1},
                                            {70001, 2, 1},
                                            {2, 70001, 1},
                                            {7, 1, 1},
                                            {1, 2, 65536},
                                            {2, 1, 3},
                                            {0, 1, 1}}) {
    P.run({N[1], N[2], N[0]}, {});
    addIds(Want, N);
  }
  if (P.wait())
    same(C, contents<uint32_t>(C, Out), Want, "word ");
}

// y += x for as many groups of 256 as the run says, with a fixed axis.
static void gridsByAddress(Check &C) {
  constexpr uint32_t Group = 256, N = 20 * Group;
  Fixture F(C, "far");
  goldy_buffer_t *X = F.buffer(4 * N), *Y = F.buffer(4 * N);
  goldy_launch Keep;
  if (!F.Good)
    return;
  fill(C, X, std::vector<float>(N, 1));
  constexpr uint32_t One = 0x3f800000;
  SubmissionDesc Desc;
  Desc.Parts = {
      launchPart(C, F, {view(X, N), view(Y, N), word(One)}, {{1, 1, 1}}, Keep)};
  Desc.Parts[0].Pieces.clear();
  Desc.Parts[0].GroupWords[0] = 0;
  Desc.Words = 1;
  Prepared P(C, std::move(Desc));
  std::vector<float> Want(N);
  for (uint32_t Groups : {4, 0, 1, 20, 20, 7, 0, 0, 3}) {
    P.run({Groups}, {});
    for (uint32_t E = 0; E < Groups * Group; ++E)
      Want[E] += 1;
  }
  if (P.wait())
    same(C, contents<float>(C, Y), Want, "y");
}

// Two threads add to a memory that both bring, each by a submission of its own:
// no sum is lost.
static void runsOfThreadsKeepOrder(Check &C) {
  constexpr uint32_t N = 4000, Rounds = 40;
  Fixture F(C, "saxpy");
  goldy_buffer_t *X = F.buffer(4 * N), *Y = F.buffer(4 * N);
  if (!F.Good)
    return;
  fill(C, X, std::vector<float>(N, 1));
  constexpr uint32_t One = 0x3f800000;
  goldy_launch Keep[2];
  SubmissionDesc Descs[2];
  for (int T = 0; T < 2; ++T) {
    Descs[T].Parts = {launchPart(C, F, {view(X, N), view(Y, N), word(One)},
                                 {{(N + 255) / 256, 1, 1}}, Keep[T])};
    Descs[T].Parts[0].Uses[1] = brought(0, 0, AllBytes, true);
    Descs[T].Memories = 1;
  }
  Check Own[2] = {{C.DeviceName, C.Device}, {C.DeviceName, C.Device}};
  std::thread Threads[2];
  for (int T = 0; T < 2; ++T)
    Threads[T] = std::thread([&, T] {
      Prepared P(Own[T], std::move(Descs[T]));
      for (uint32_t I = 0; I < Rounds; ++I)
        P.run({}, {Y});
      P.wait();
    });
  for (int T = 0; T < 2; ++T) {
    Threads[T].join();
    C.that(Own[T].failure().empty(), Own[T].failure());
  }
  same(C, contents<float>(C, Y), std::vector<float>(N, 2 * Rounds), "y");
}

//===----------------------------------------------------------------------===//
// Memory of the host
//===----------------------------------------------------------------------===//

// Copies between a borrow and a buffer, to and from any byte, once as memory
// that a part names, once as one that runs bring.
static void hostMemoryIsBorrowed(Check &C) {
  constexpr size_t Bytes = 9000, Start = 13, Size = 8500;
  Fixture F(C, "saxpy");
  goldy_buffer_t *B = F.buffer(Size);
  if (!F.Good)
    return;
  Driver &D = *C.Device->Driver;
  std::vector<unsigned char> Host = pattern(Bytes, 3), Want = Host;
  MemoryId Id{};
  if (!C.ok(D.borrow(Host.data() + Start, Size, Id).release(), "borrow"))
    return;
  {
    SubmissionDesc Desc;
    Part Out = copyPart(B, 1, B, 1000, 700), Mark = fillPart(B, 0, 5, 0xee);
    Out.Uses[0].Memory = Mark.Uses[0].Memory = Id;
    Part Back = copyPart(B, 900, B, 4001, 2003);
    Back.Uses[1] = brought(0, 4001, 2003, true);
    Desc.Parts = {Out, Mark, Back};
    Desc.Memories = 1;
    Prepared P(C, std::move(Desc));
    P.runWith({}, {Id});
    if (P.wait()) {
      std::vector<unsigned char> Other(Size);
      std::copy_n(Want.begin() + Start + 1, 700, Other.begin() + 1000);
      std::fill_n(Want.begin() + Start, 5, 0xee);
      std::copy_n(Other.begin() + 900, 2003, Want.begin() + Start + 4001);
      same(C, contents<unsigned char>(C, B), Other, "buffer");
      same(C, Host, Want, "host");
    }
  }
  std::vector<unsigned char> Got(Size);
  C.ok(D.read(Id, 0, std::as_writable_bytes(std::span(Got))).release(), "read");
  C.that(std::equal(Got.begin(), Got.end(), Host.begin() + Start), "read");
  const unsigned char New[3] = {1, 2, 3};
  C.ok(D.write(Id, 10, std::as_bytes(std::span(New))).release(), "write");
  D.release(Id);
  std::copy_n(New, 3, Want.begin() + Start + 10);
  same(C, Host, Want, "host after a write");
}

static void hostMemoryIsBound(Check &C) {
  constexpr uint32_t N = 1000;
  Fixture F(C, "saxpy");
  goldy_buffer_t *Y = F.buffer(4 * N);
  goldy_launch Keep;
  if (!F.Good)
    return;
  Driver &D = *C.Device->Driver;
  std::vector<float> Host(N, 3);
  MemoryId Id{};
  if (!C.ok(D.borrow(Host.data(), 4 * N, Id).release(), "borrow"))
    return;
  constexpr uint32_t Two = 0x40000000;
  {
    SubmissionDesc Desc;
    Desc.Parts = {launchPart(C, F, {view(Y, N), view(Y, N), word(Two)},
                             {{4, 1, 1}}, Keep)};
    Desc.Parts[0].Uses[0] = brought(0, 0, 4 * N, false);
    Desc.Slots = {{0, 0, 8, 0}};
    Desc.Words = Desc.Memories = 1;
    Prepared P(C, std::move(Desc));
    P.runWith({D.address(Id)}, {Id});
    P.wait();
    std::fill(Host.begin(), Host.end(), 4.0f);
    P.runWith({D.address(Id)}, {Id});
    P.wait();
  }
  D.release(Id);
  same(C, contents<float>(C, Y), std::vector<float>(N, 14), "y");
}

//===----------------------------------------------------------------------===//
// Host functions and command words
//===----------------------------------------------------------------------===//

namespace {
struct Called {
  goldy_buffer_t *Buffer = nullptr;
  std::vector<uint64_t> Seen;
  int Result = 0;
};
} // namespace

static int notes(void *User, const void *Block) {
  Called &To = *static_cast<Called *>(User);
  uint64_t Words[2];
  std::memcpy(Words, Block, sizeof Words);
  unsigned char Byte = 0;
  goldy_status_destroy(goldy_buffer_read(To.Buffer, 0, &Byte, 1));
  To.Seen.insert(To.Seen.end(), {Words[0], Words[1], Byte});
  return To.Result;
}

// A call between two fills sees the first; one that fails ends the run.
static void hostFunctionsAreCalled(Check &C) {
  Fixture F(C, "saxpy");
  Called To{F.buffer(16), {}, 0};
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Part Call;
  Call.Kind = PartKind::Call;
  Call.Function = notes;
  Call.User = &To;
  Call.Name = "notes";
  Call.Uses = {use(To.Buffer, 0, 16, true)};
  Call.Block.resize(16, std::byte(1));
  Desc.Parts = {fillPart(To.Buffer, 0, 16, 7), Call,
                fillPart(To.Buffer, 0, 16, 9)};
  Desc.Slots = {{1, 8, 8, 0}};
  Desc.Words = 1;
  Driver &D = *C.Device->Driver;
  SubmissionId Id{};
  uint64_t Point = 0;
  if (std::strcmp(C.DeviceName, "cpu") != 0) {
    C.refused(D.prepare(std::move(Desc), Id).release(), GOLDY_UNSUPPORTED,
              "calls no functions of the host");
    return;
  }
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return;
  constexpr uint64_t Ones = 0x0101010101010101;
  for (uint64_t Word : {uint64_t(5), ~uint64_t(0)})
    C.ok(D.run(Id, {{&Word, 1}, {}}, Point).release(), "run");
  same(C, To.Seen, {Ones, 5, 7, Ones, ~uint64_t(0), 7}, "seen");
  same(C, contents<unsigned char>(C, To.Buffer),
       std::vector<unsigned char>(16, 9), "byte ");
  uint64_t Word = 0;
  To.Result = 77;
  uint32_t Failed = NoIndex;
  C.refused(D.run(Id, {{&Word, 1}, {}, &Failed}, Point).release(),
            GOLDY_INTERNAL, "`notes` returned 77");
  same(C, std::vector<uint32_t>{Failed}, {1}, "failed part ");
  To.Result = GOLDY_LIMIT;
  C.refused(D.run(Id, {{&Word, 1}, {}}, Point).release(), GOLDY_LIMIT,
            "`notes`");
  same(C, contents<unsigned char>(C, To.Buffer),
       std::vector<unsigned char>(16, 7), "byte after a failure ");
  D.releaseSubmission(Id);
}

namespace {
/// Runs a submission on the memory of the one that calls it.
struct Nested {
  Driver *Device;
  SubmissionId Inner;
  uint64_t Word = 0;
};
} // namespace

static int runsInner(void *User, const void *Block) {
  Nested &N = *static_cast<Nested *>(User);
  uint64_t Before = 0, After = 0, Point = 0;
  std::memcpy(&Before, Block, 8);
  uint64_t Inner = Before + 1;
  goldy_status_t S = N.Device->run(N.Inner, {{&Inner, 1}, {}}, Point).release();
  goldy_code_t Code = goldy_status_code(S);
  goldy_status_destroy(S);
  std::memcpy(&After, Block, 8);
  return After == Before ? static_cast<int>(Code) : GOLDY_INTERNAL;
}

static void hostFunctionsStartRuns(Check &C) {
  if (std::strcmp(C.DeviceName, "cpu") != 0)
    return hostFunctionsAreCalled(C);
  Fixture F(C, "saxpy");
  Called To{F.buffer(16), {}, 0};
  if (!F.Good)
    return;
  Driver &D = *C.Device->Driver;
  SubmissionDesc InnerDesc, OuterDesc;
  Part Call;
  Call.Kind = PartKind::Call;
  Call.Function = notes;
  Call.User = &To;
  Call.Uses = {use(To.Buffer, 0, 16, true)};
  Call.Block.resize(16);
  InnerDesc.Parts = {Call};
  InnerDesc.Slots = {{0, 0, 8, 0}};
  InnerDesc.Words = 1;
  Nested N{&D, {}};
  if (!C.ok(D.prepare(std::move(InnerDesc), N.Inner).release(), "prepare"))
    return;
  Call.Function = runsInner;
  Call.User = &N;
  OuterDesc.Parts = {Call};
  OuterDesc.Slots = {{0, 0, 8, 0}};
  OuterDesc.Words = 1;
  {
    Prepared P(C, std::move(OuterDesc));
    P.run({40}, {});
    P.run({50}, {});
  }
  D.releaseSubmission(N.Inner);
  same(C, To.Seen, {41, 0, 0, 51, 0, 0}, "seen");
}

static void commandWordsAreTaken(Check &C) {
  Fixture F(C, "saxpy");
  goldy_buffer_t *Words = F.buffer(64), *To = F.buffer(16);
  if (!F.Good)
    return;
  SubmissionDesc Desc;
  Part P;
  P.Kind = PartKind::Words;
  P.Uses = {brought(0, 0, AllBytes, false), use(To, 2, 8, true)};
  Desc.Parts = {P};
  Desc.Memories = 1;
  Driver &D = *C.Device->Driver;
  SubmissionId Id{};
  uint64_t Point = 0;
  if (std::strcmp(C.DeviceName, "null") != 0) {
    C.refused(D.prepare(std::move(Desc), Id).release(), GOLDY_UNSUPPORTED,
              "takes no command words");
    return;
  }
  if (!C.ok(D.prepare(std::move(Desc), Id).release(), "prepare"))
    return;
  auto Run = [&](std::vector<uint64_t> Commands) {
    fill(C, Words, Commands);
    return D.run(Id, {{}, {&Words->Memory->Id, 1}}, Point).release();
  };
  C.ok(Run({1, 77, 2, 1, 3, 4, 0xab, 0}), "run");
  std::vector<unsigned char> Want(16);
  std::fill_n(Want.begin() + 5, 4, 0xab);
  same(C, contents<unsigned char>(C, To), Want, "byte ");
  goldy_code_t Invalid = GOLDY_INVALID_ARGUMENT;
  C.refused(Run({1, 77, 3, 0, 0, 0, 0, 0}), Invalid,
            "byte 16: there is no command 3");
  C.refused(Run({2, 0, 0, 1, 0}), Invalid, "memory 0 is none");
  C.refused(Run({2, 2, 0, 1, 0}), Invalid, "memory 2 is none");
  C.refused(Run({2, 1, 5, 4, 0}), Invalid, "4 bytes from byte 5 on");
  C.refused(Run({2, 1, 0, 4, 256}), Invalid, "256 is no byte");
  C.refused(Run({1, 0, 1, 0, 1, 0, 2, 1}), Invalid, "does not end");
  same(C, contents<unsigned char>(C, To), Want, "byte after refusals ");
  D.releaseSubmission(Id);
}

std::vector<Case> goldy::cts::runCases() {
  return {
      {"runs-bring-memories", runsBringMemories},
      {"runs-bring-memory-that-is-named", runsBringMemoryThatIsNamed},
      {"runs-bring-memories-to-launches", runsBringMemoriesToLaunches, true},
      {"runs-bring-memories-by-address", runsBringMemoriesByAddress, true},
      {"runs-of-threads-keep-order", runsOfThreadsKeepOrder, true},
      {"runs-move-copies", runsMoveCopies},
      {"runs-size-grids", runsSizeGrids, true},
      {"runs-size-grids-by-address", gridsByAddress, true},
      {"host-memory-is-borrowed", hostMemoryIsBorrowed},
      {"host-memory-is-bound", hostMemoryIsBound, true},
      {"host-functions-are-called", hostFunctionsAreCalled},
      {"host-functions-start-runs", hostFunctionsStartRuns},
      {"command-words-are-taken", commandWordsAreTaken}};
}
