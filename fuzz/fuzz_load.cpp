//===- fuzz_load.cpp - Program descriptions loaded and run ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A description is loaded on the null driver and on the CPU and, where its work
// is bounded, run. It is read from an input with a mark or header, made of the
// input's bytes, or one of the programs of program.goldy with some places
// changed. Machine code is trusted only if it is, bit for bit, code of
// program.goldy; what is around it is anyone's. Loading never reads or writes
// anything but what the description names, and running neither: sanitizers
// watch.
//
//===----------------------------------------------------------------------===//
#include "ProgramMaker.h"
#include "goldy/program.hpp"
#include "program/Check.h"
#include "program/Text.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

using namespace goldy;
namespace program = goldy::program;
using program::Number;

namespace {

/// What is around the code under test has no excuse to fail.
template <class T> T must(Result<T> R) {
  if (!R) {
    std::fprintf(stderr, "fuzz_load: %s\n",
                 std::string(R.status().message()).c_str());
    std::abort();
  }
  return std::move(*R);
}

//===-- What is edited ----------------------------------------------------===//

struct Corpus {
  Device Cpu = must(Device::open("cpu"));
  std::vector<program::ProgramDesc> Programs;
  std::set<std::string> Code; ///< binaries of their images

  Corpus() {
    Artifact A = must(Artifact::load(GOLDY_FUZZ_PROGRAMS, GOLDY_LOAD_TRUSTED));
    for (size_t I = 0; I < goldy_artifact_program_count(A.get()); ++I)
      add(A, goldy_artifact_program_name(A.get(), I));
  }

  void add(const Artifact &A, goldy_text_t Name) {
    goldy_device_t *Devices[] = {Cpu.get()};
    ProgramDesc D = must(must(ProgramTemplate::open(
                                  A, std::string(Name.data, Name.size).c_str()))
                             .instantiate(A, Devices));
    std::string Why;
    if (!fromBytes(must(D.bytes()), Programs.emplace_back(), Why))
      std::abort();
    for (const program::Image &X : Programs.back().Images)
      Code.insert(X.Binary.Bytes);
  }

  bool vouchesFor(const program::ProgramDesc &P) const {
    for (const program::Image &X : P.Images)
      if (!X.Binary.Holes.empty() || !Code.contains(X.Binary.Bytes))
        return false;
    return true;
  }
};

const Corpus &corpus() {
  static const Corpus C;
  return C;
}

//===-- How much a run may do ---------------------------------------------===//

/// Judges from the text of a description, whatever a device does with it.
class Bounds {
public:
  explicit Bounds(const program::ProgramDesc &P) : P(P) {
    for (const program::Memory &M : P.Memories)
      if (const program::Alloc *A = std::get_if<program::Alloc>(&M))
        add(Bytes, A->Bytes, 2);
    for (const program::Input &I : P.Inputs)
      add(Bytes, I.Bytes, 1);
    add(Bytes, P.Ints, 16);
    steps(P.Steps, 1);
    for (Number Word : Counts)
      Runnable &= !Written.contains(Word) && !AnyWritten;
    Runnable &= Work <= 4000 && P.Ints <= 64;
  }
  bool loadable() const { return Bytes <= 1 << 19; }
  bool runnable() const { return loadable() && Runnable; }
  /// A word of the ints that says how often something is done.
  bool counts(Number Word) const { return Counts.contains(Word); }

private:
  static constexpr uint64_t Much = uint64_t(1) << 40;
  static void add(uint64_t &Sum, Number N, uint64_t Factor) {
    uint64_t M = N < 0 ? 0 : std::min<uint64_t>(static_cast<uint64_t>(N), Much);
    Sum = std::min(Much, Sum + M * Factor);
  }

  /// At most what `V` can be; words that count are at most 3.
  uint64_t most(const program::Value &V) {
    if (const program::Fixed *F = std::get_if<program::Fixed>(&V))
      return F->Value < 0
                 ? 0
                 : std::min<uint64_t>(static_cast<uint64_t>(F->Value), Much);
    if (const program::IntWord *W = std::get_if<program::IntWord>(&V)) {
      Counts.insert(W->Word);
      return 3;
    }
    return Much;
  }

  void writes(const program::Slot &S) {
    AnyWritten |= std::holds_alternative<program::IntsSlot>(S);
  }
  void part(const program::Launch &L, const program::Submit &S,
            uint64_t Times) {
    uint64_t Groups = 1;
    for (const program::Value &V : L.Groups)
      Groups = std::min(Much, Groups * (1 + most(V)));
    Work = std::min(Much, Work + Times * Groups);
    refs(L.Refs, S);
  }
  void part(const program::Fill &F, const program::Submit &S, uint64_t Times) {
    Work += Times;
    refs(F.Refs, S);
  }
  void part(const program::Copy &C, const program::Submit &S, uint64_t Times) {
    copy(C.Length, Times);
    if (C.Dst >= 0 && static_cast<size_t>(C.Dst) < S.Slots.size())
      writes(S.Slots[static_cast<size_t>(C.Dst)]);
  }
  void part(const program::Words &, const program::Submit &, uint64_t Times) {
    Work += Times;
  }
  void refs(const std::vector<program::Ref> &Refs, const program::Submit &S) {
    for (const program::Ref &R : Refs)
      if (R.How != program::Use::Read && R.Slot >= 0 &&
          static_cast<size_t>(R.Slot) < S.Slots.size())
        writes(S.Slots[static_cast<size_t>(R.Slot)]);
  }
  void copy(Number Length, uint64_t Times) {
    uint64_t Cost = 1;
    add(Cost, Length / 4096, 1);
    Work = std::min(Much, Work + Times * Cost);
  }

  void step(const program::Submit &S, uint64_t Times) {
    Work += Times;
    for (const program::Part &X : S.Parts)
      std::visit([&](const auto &Y) { part(Y, S, Times); }, X);
  }
  void step(const program::Move &M, uint64_t Times) {
    copy(M.Length, Times);
    writes(M.Dst);
  }
  void step(const program::Loop &L, uint64_t Times) {
    if (L.Trip)
      Written.insert(*L.Trip);
    for (const program::DerivedInt &D : L.Derived)
      Written.insert(D.Word);
    uint64_t Trips = most(L.Trips);
    Work = std::min(Much, Work + Times * Trips);
    steps(L.Body, std::min(Much, Times * Trips));
  }
  void steps(const std::vector<program::Step> &Steps, uint64_t Times) {
    for (const program::Step &S : Steps)
      if (Work < Much)
        std::visit([&](const auto &X) { step(X, std::min(Times, Much)); },
                   S.Kind);
  }

  const program::ProgramDesc &P;
  uint64_t Bytes = 0, Work = 0;
  bool Runnable = true, AnyWritten = false;
  std::set<Number> Counts, Written;
};

//===-- Loading and running -----------------------------------------------===//

/// Reads what a failure says.
bool good(goldy_status_t S) {
  Status Owned(S);
  volatile size_t Size = Owned.ok() ? 1 : Owned.message().size();
  if (Size == 0)
    std::abort();
  return Owned.ok();
}

int hostFunction(void *, const void *Block) {
  return Block == nullptr; // a failure code for a block that is not there
}

struct Run {
  Run(const program::ProgramDesc &P, const Bounds &B, const Device &D,
      program::InputBytes &In)
      : P(P), B(B), D(D), In(In) {}

  void take(goldy_program_t *Loaded) {
    makeFrame();
    for (unsigned N = 0; N < 3; ++N) {
      std::vector<goldy_program_point_t> Ends(P.Devices.size());
      size_t Count = 0;
      good(goldy_program_run(Loaded, &Frame, nullptr, 0, Ends.data(), &Count));
      if (Count > Ends.size())
        std::abort();
      for (Number &X : Ints)
        X += N;
    }
  }

private:
  void makeFrame() {
    for (const program::Input &I : P.Inputs) {
      uint64_t Bytes = static_cast<uint64_t>(I.Bytes) + (In.byte() & 63);
      goldy_buffer_t *Made = nullptr;
      if (!good(goldy_buffer_create(D.get(), Bytes, &Made)))
        std::abort();
      Buffers.emplace_back(Made);
      Raw.push_back(Buffers.back().get());
    }
    for (Number W = 0; W < P.Ints; ++W)
      Ints.push_back(B.counts(W) ? In.byte() & 1 : In.number());
    Frame.inputs = Raw.data();
    Frame.input_count = Raw.size();
    Frame.ints = Ints.data();
    Frame.int_count = Ints.size();
  }

  const program::ProgramDesc &P;
  const Bounds &B;
  const Device &D;
  program::InputBytes &In;
  std::vector<Buffer> Buffers;
  std::vector<goldy_buffer_t *> Raw;
  std::vector<Number> Ints;
  goldy_program_frame_t Frame{};
};

void loadOn(const program::ProgramDesc &P, const Device &D,
            program::InputBytes &In) {
  Bounds B(P);
  if (!B.loadable() || program::checkNumbers(P))
    return;
  std::vector<goldy_device_t *> Devices(P.Devices.size(), D.get());
  std::vector<uint64_t> Areas(3 * 8 * 16);
  std::vector<goldy_rail_end_t> Rails;
  for (int64_t Id = 0; Id < 8; ++Id) {
    uint64_t *At = &Areas[static_cast<size_t>(Id) * 48];
    Rails.push_back(
        {Id, {64, 64, 16}, {At, At + 16, At + 32}, hostFunction, nullptr});
  }
  goldy_program_machine_t Machine{Devices.data(), Devices.size(), Rails.data(),
                                  Rails.size()};
  goldy_program_callback_t Known[] = {{"f", hostFunction, nullptr},
                                      {"", hostFunction, nullptr}};
  uint32_t Flags = corpus().vouchesFor(P) ? uint32_t(GOLDY_LOAD_TRUSTED) : 0;
  goldy_program_options_t Options{sizeof Options, Flags, Known, 2};
  ProgramDesc Desc = must(ProgramDesc::decode(toBytes(P)));
  goldy_program_t *Loaded = nullptr;
  if (!good(goldy_program_load(Desc.get(), &Machine, &Options, &Loaded)))
    return;
  if (B.runnable())
    Run(P, B, D, In).take(Loaded);
  goldy_program_destroy(Loaded);
}

//===-- Inputs ------------------------------------------------------------===//

template <class T> std::optional<T> read(std::string_view Input) {
  T X;
  std::string Why;
  bool Good = Input.starts_with("#") ? fromText(Input, X, Why)
                                     : fromBytes(Input, X, Why);
  return Good ? std::optional<T>(std::move(X)) : std::nullopt;
}

/// One of the corpus with up to seven places changed.
program::ProgramDesc edited(program::InputBytes &In) {
  const std::vector<program::ProgramDesc> &All = corpus().Programs;
  program::ProgramDesc P = All[In.byte() % All.size()];
  for (unsigned N = In.byte() & 7; N; --N) {
    program::Editor Counter(~size_t(0), In);
    Counter.run(P);
    program::Editor(In.pair() % Counter.places(), In).run(P);
  }
  return P;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string_view Input(reinterpret_cast<const char *>(Data), Size);
  std::optional<program::ProgramDesc> P;
  program::InputBytes In(Data, Size);
  if (Input.starts_with(program::ProgramMark) || Input.starts_with("#")) {
    P = read<program::ProgramDesc>(Input);
  } else if (In.byte() & 3) {
    P = edited(In);
  } else {
    program::Maker(In).run(P.emplace());
  }
  if (!P)
    return 0;
  program::InputBytes Again = In;
  loadOn(*P, corpus().Cpu, In);
  // A null device records all that it is asked.
  loadOn(*P, must(Device::open("null")), Again);
  return 0;
}
