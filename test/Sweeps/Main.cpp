//===- Main.cpp - goldy-sweep ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first CPU level is the oracle: every other column must give its bits, and
// it those of the twins. Batches keep memory small whatever the count. Ends
// with 1 if anything differs.
//
//===----------------------------------------------------------------------===//
#include "Columns.h"

#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <thread>

using namespace goldy;
using namespace goldy::sweep;

namespace {

constexpr char Usage[] =
    "usage: goldy-sweep [SAMPLES] [--devices=NAME[@SAMPLES],…] [--ops=REGEX]\n"
    "                   [--artifact=FILE]\n"
    "       goldy-sweep --print-kernels\n"
    "Computes every operation over SAMPLES operands (1e6), borders first, and\n"
    "compares the bits. Devices: cpu (the oracle, every level that the "
    "machine\n"
    "has), vulkan, vulkan:N, cuda, interpreter; default: all that are there,\n"
    "interpreter@1e5.\n";

constexpr uint64_t MostSamples = 1ull << 32, BatchSize = 1 << 22;

struct Request {
  std::string Name;
  uint64_t Limit = ~0ull;
};

struct Settings {
  uint64_t Samples = 1000000;
  std::vector<Request> Devices;
  std::string Operations = ".*", Artifact;
};

/// What one column does to one operation.
struct Outcome {
  uint64_t Compared = 0, Different = 0, First = 0;
  uint64_t Got = 0, Want = 0;
  std::string Failure;

  void note(uint64_t Sample, uint64_t G, uint64_t W) {
    if (!Different++ || Sample < First)
      First = Sample, Got = G, Want = W;
  }
  void take(const Outcome &O) {
    if (O.Different && (!Different || O.First < First))
      First = O.First, Got = O.Got, Want = O.Want;
    Compared += O.Compared;
    Different += O.Different;
  }
};

/// "1e7" or "10000000"; 0 if it is neither.
uint64_t countOf(const std::string &Text) {
  char *End = nullptr;
  double Value = std::strtod(Text.c_str(), &End);
  bool Good = !Text.empty() && !*End && Value >= 1 && Value <= MostSamples;
  return Good ? static_cast<uint64_t>(Value) : 0;
}

bool readDevices(const std::string &List, Settings &S) {
  for (size_t At = 0; At <= List.size();) {
    size_t End = std::min(List.find(',', At), List.size());
    std::string Item = List.substr(At, End - At);
    size_t Cut = std::min(Item.find('@'), Item.size());
    Request R{Item.substr(0, Cut)};
    if (Cut < Item.size() && !(R.Limit = countOf(Item.substr(Cut + 1))))
      return false;
    S.Devices.push_back(R);
    At = End + 1;
  }
  return true;
}

bool readArgument(const std::string &Arg, Settings &S) {
  size_t Cut = Arg.find('=');
  std::string Name = Arg.substr(0, Cut);
  std::string Value = Cut == Arg.npos ? "" : Arg.substr(Cut + 1);
  if (Name == "--devices")
    return readDevices(Value, S);
  if (Name == "--ops")
    S.Operations = Value;
  else if (Name == "--artifact")
    S.Artifact = Value;
  else
    return (S.Samples = countOf(Arg)) != 0;
  return !Value.empty();
}

using Columns = std::vector<std::unique_ptr<Column>>;

/// Adds what `R` names; why that failed, or empty.
std::string open(const Request &R, const Artifact &Kernels, Columns &Out) {
  size_t Before = Out.size();
  std::string Why;
  auto Add = [&](const char *Device, const char *Arch) {
    Result<std::unique_ptr<Column>> C = openColumn(Device, Arch, Kernels);
    if (C)
      Out.push_back(std::move(*C));
    else
      Why = C.status().message();
  };
  if (R.Name == "interpreter")
    Out.push_back(interpreterColumn(Kernels));
  else if (R.Name != "cpu")
    Add(R.Name.c_str(), nullptr);
  else
    for (const char *Level :
         {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64-v1"})
      Add("cpu", Level);
  for (size_t N = Before; N < Out.size(); ++N)
    Out[N]->Limit = R.Limit;
  return Out.size() > Before ? "" : Why;
}

uint64_t element(std::span<const std::byte> Data, uint64_t At, uint32_t Bytes) {
  uint64_t Value = 0;
  std::memcpy(&Value, Data.data() + At * Bytes, Bytes);
  return Value;
}

class Sweep {
public:
  Sweep(const Settings &S, Columns All) : S(S), All(std::move(All)) {}
  /// Exit status.
  int run();

private:
  void header() const;
  void operation(const Operation &O);
  bool prepare(const Operation &O);
  void batch(const Operation &O, uint64_t First, uint64_t Count);
  void compare(Outcome &Into, uint64_t First, std::span<const std::byte> Want,
               uint32_t Bytes);
  void twins(const Operation &O, uint64_t First,
             std::span<const std::byte> Got);
  void row(const Operation &O, double Seconds);
  Operands operands(const Operation &O, uint64_t Sample);

  const Settings &S;
  Columns All;
  std::vector<Outcome> Outcomes; ///< by column; the last one is the twin's
  std::vector<std::byte> Want, Got, Words;
  uint64_t Wrong = 0, Failed = 0, Rows = 0;
};

void Sweep::header() const {
  for (const std::unique_ptr<Column> &C : All)
    std::printf("%s: %s\n", C->Name.c_str(), C->description().c_str());
  std::printf("%-12s %10s", "operation", "samples");
  for (const std::unique_ptr<Column> &C : All)
    std::printf(" %11s", C == All.front() ? "(oracle)" : C->Name.c_str());
  std::printf(" %11s %8s\n", "twin", "s");
}

/// False if the oracle cannot compute it; others are left out of the row.
bool Sweep::prepare(const Operation &O) {
  for (size_t N = 0; N < All.size(); ++N)
    Outcomes[N].Failure = All[N]->prepare(O.Name, O.Reads != nullptr);
  return Outcomes[0].Failure.empty();
}

/// Slices on all of the host's threads.
template <class Fn> void inSlices(uint64_t Count, Outcome &Into, Fn Do) {
  unsigned Threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Outcome> Parts(Threads);
  std::vector<std::thread> Running;
  for (unsigned T = 0; T < Threads; ++T)
    Running.emplace_back([&, T] {
      for (uint64_t N = Count * T / Threads; N < Count * (T + 1) / Threads; ++N)
        Do(N, Parts[T]);
    });
  for (std::thread &T : Running)
    T.join();
  for (const Outcome &P : Parts)
    Into.take(P);
}

void Sweep::compare(Outcome &Into, uint64_t First,
                    std::span<const std::byte> Result, uint32_t Bytes) {
  Into.Compared += Result.size() / Bytes;
  if (std::memcmp(Result.data(), Want.data(), Result.size()) == 0)
    return;
  for (uint64_t N = 0; N < Result.size() / Bytes; ++N)
    if (uint64_t G = element(Result, N, Bytes), W = element(Want, N, Bytes);
        G != W)
      Into.note(First + N, G, W);
}

void Sweep::twins(const Operation &O, uint64_t First,
                  std::span<const std::byte> Result) {
  uint32_t Bytes = O.bytes();
  uint64_t Count = Result.size() / Bytes;
  Outcome &Into = Outcomes.back();
  Into.Compared += Count;
  if (!O.Reads) {
    Words.resize(Count * sizeof(Operands));
    Into.Failure = All[0]->prepare(OperandsKernel, false);
    if (Into.Failure.empty())
      Into.Failure = All[0]->run(static_cast<uint32_t>(First), 4, Words);
    Outcomes[0].Failure = All[0]->prepare(O.Name, false);
  }
  inSlices(Count, Into, [&](uint64_t N, Outcome &Part) {
    Operands X{static_cast<uint32_t>(First + N)};
    if (!O.Reads)
      std::memcpy(&X, Words.data() + N * sizeof X, sizeof X);
    uint64_t Exact = O.Exact(X), Had = element(Result, N, Bytes);
    if (Exact != Had)
      Part.note(First + N, Had, Exact);
  });
}

void Sweep::batch(const Operation &O, uint64_t First, uint64_t Count) {
  uint32_t Bytes = O.bytes(), Start = static_cast<uint32_t>(First);
  Want.resize(Count * Bytes);
  Outcomes[0].Failure = All[0]->run(Start, Bytes, Want);
  Outcomes[0].Compared += Count;
  if (!Outcomes[0].Failure.empty())
    return;
  for (size_t N = 1; N < All.size(); ++N) {
    Outcome &Into = Outcomes[N];
    if (!Into.Failure.empty() || First >= All[N]->Limit)
      continue;
    Got.resize(std::min(Count, All[N]->Limit - First) * Bytes);
    Into.Failure = All[N]->run(Start, Bytes, Got);
    if (Into.Failure.empty())
      compare(Into, First, Got, Bytes);
  }
  if (O.Exact)
    twins(O, First, Want);
}

void Sweep::operation(const Operation &O) {
  std::chrono::steady_clock::time_point Start =
      std::chrono::steady_clock::now();
  Outcomes.assign(All.size() + 1, {});
  uint64_t Count = O.Reads ? std::min<uint64_t>(S.Samples, 65536) : S.Samples;
  if (prepare(O))
    for (uint64_t First = 0; First < Count; First += BatchSize)
      batch(O, First, std::min(BatchSize, Count - First));
  std::chrono::duration<double> Took = std::chrono::steady_clock::now() - Start;
  row(O, Took.count());
}

Operands Sweep::operands(const Operation &O, uint64_t Sample) {
  Operands X{static_cast<uint32_t>(Sample)};
  if (O.Reads || !All[0]->prepare(OperandsKernel, false).empty())
    return X;
  std::span<std::byte> Bytes = std::as_writable_bytes(std::span(&X, 1));
  std::string Why = All[0]->run(static_cast<uint32_t>(Sample), 4, Bytes);
  return Why.empty() ? X : Operands();
}

void Sweep::row(const Operation &O, double Seconds) {
  std::printf("%-12s %10" PRIu64, O.Name, Outcomes[0].Compared);
  for (size_t N = 0; N < Outcomes.size(); ++N) {
    const Outcome &Of = Outcomes[N];
    bool None = N == All.size() && !O.Exact;
    if (None)
      std::printf(" %11s", "-");
    else if (!Of.Failure.empty())
      std::printf(" %11s", "failed");
    else
      std::printf(" %11" PRIu64, Of.Different);
  }
  std::printf(" %8.1f\n", Seconds);
  for (size_t N = 0; N < Outcomes.size(); ++N) {
    const Outcome &Of = Outcomes[N];
    const char *Who = N < All.size() ? All[N]->Name.c_str() : "twin";
    Failed += !Of.Failure.empty();
    Wrong += Of.Different;
    if (!Of.Failure.empty())
      std::printf("  %s: %s\n", Who, Of.Failure.c_str());
    if (!Of.Different)
      continue;
    Operands X = operands(O, Of.First);
    std::printf("  %s: sample %" PRIu64 " (0x%08x, 0x%08x, 0x%08x) gives "
                "0x%" PRIx64 ", expected 0x%" PRIx64 "\n",
                Who, Of.First, X.X, X.Y, X.Z, Of.Got, Of.Want);
  }
  std::fflush(stdout);
  ++Rows;
}

int Sweep::run() {
  header();
  std::regex Chosen(S.Operations);
  for (const Operation &O : operations())
    if (std::regex_match(O.Name, Chosen))
      operation(O);
  std::printf("%" PRIu64 " operations, %" PRIu64 " differences, %" PRIu64
              " failures\n",
              Rows, Wrong, Failed);
  return Wrong || Failed || !Rows;
}

std::string besideProgram() {
  std::error_code Error;
  std::filesystem::path Program =
      std::filesystem::read_symlink("/proc/self/exe", Error);
  return Program.parent_path() / "goldy-sweep.gdy";
}

int sweepAll(Settings S) {
  if (S.Artifact.empty())
    S.Artifact = besideProgram();
  Result<Artifact> Kernels = Artifact::load(S.Artifact.c_str());
  if (!Kernels) {
    std::fprintf(stderr, "%s\n", Kernels.status().message().c_str());
    return 1;
  }
  bool Asked = !S.Devices.empty();
  if (!Asked)
    S.Devices = {{"cpu"}, {"vulkan"}, {"cuda"}, {"interpreter", 100000}};
  Columns All;
  for (const Request &R : S.Devices) {
    std::string Why = open(R, *Kernels, All);
    bool Needed = Asked || R.Name == "cpu";
    if (!Why.empty())
      std::fprintf(stderr, "%s: %s\n", R.Name.c_str(), Why.c_str());
    if (!Why.empty() && Needed)
      return 1;
  }
  if (All.front()->Name.find("x86-64") == std::string::npos) {
    std::fprintf(stderr, "the first device is the oracle: name `cpu` first\n");
    return 2;
  }
  return Sweep(S, std::move(All)).run();
}

} // namespace

int main(int Argc, char **Argv) {
  Settings S;
  for (int N = 1; N < Argc; ++N) {
    if (std::strcmp(Argv[N], "--print-kernels") == 0)
      return std::fputs(kernelText().c_str(), stdout) < 0;
    if (!readArgument(Argv[N], S)) {
      std::fputs(Usage, stderr);
      return 2;
    }
  }
  return sweepAll(std::move(S));
}
