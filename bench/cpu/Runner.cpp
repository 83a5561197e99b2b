//===- Runner.cpp - Times implementations on the same memory --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-cpu-runner KERNEL N THREADS NAME=FILE...
//
// FILE is a shared library that exports nativeSuite (it must have a '/' in it
// and end in .so) or an artifact of kernels.goldy, FILE.gdy[@ARCH][#KERNEL].
// All run in this process; natives and the first artifact, and artifacts of
// one ARCH, over the same bytes. Then, one JSON line for each line of stdin:
//   time NAME WARM SAMPLES BATCH   the median of SAMPLES, each the mean of
//                             BATCH runs, after WARM runs that do not count
//   check NAME REFERENCE      one run of each over fresh inputs: the digest of
//                             NAME's elements, and their greatest difference
//                             from REFERENCE's, relative to the greatest there
//
//===----------------------------------------------------------------------===//
#include "Work.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iostream>
#include <map>
#include <sstream>

using namespace goldy;

namespace {

[[noreturn]] void stop(const std::string &Why) {
  std::printf("{\"error\":\"%s\"}\n", Why.c_str());
  std::exit(1);
}

template <class T> T need(goldy::Result<T> R) {
  if (!R)
    stop(R.status().message());
  return std::move(*R);
}
void need(Status S) {
  if (!S.ok())
    stop(S.message());
}

/// A device, and the kernel's data in its memory.
struct Place {
  Device Dev;
  Memory Data;

  Place(Device D, const Work &W, uint64_t N) : Dev(std::move(D)) {
    for (uint64_t Bytes : W.Sizes(N)) {
      Data.Buffers.push_back(need(Dev.buffer(Bytes)));
      Data.Bytes.push_back(need(Data.Buffers.back().map()));
      need(Data.Buffers.back().unmap()); // host memory stays where it is
    }
    W.Fill(Data, N);
  }
};

struct Implementation {
  Place *Where;
  std::function<void()> Once;
  bool Native; ///< runs on the SpinPool
};

class Runner {
public:
  Runner(const Work &W, uint32_t N, unsigned Threads)
      : W(W), N(N), Threads(Threads), Pool(Threads) {}

  void add(const std::string &Name, std::string File) {
    if (File.ends_with(".so"))
      Known[Name] = native(File);
    else
      Known[Name] = ours(File);
  }
  void answer(const std::string &Line) {
    std::istringstream In(Line);
    std::string Verb, Name;
    In >> Verb >> Name;
    if (!Known.count(Name))
      stop("no implementation " + Name);
    if (Verb == "time") {
      unsigned Warm = 1, Samples = 1, Batch = 1;
      In >> Warm >> Samples >> Batch;
      time(Known.at(Name), Warm, Samples, Batch);
    } else if (Verb == "check") {
      std::string Reference;
      In >> Reference;
      if (!Known.count(Reference))
        stop("no implementation " + Reference);
      check(Known.at(Name), Reference);
    } else {
      stop("no request " + Verb);
    }
    std::fflush(stdout);
  }

private:
  Place *place(const std::string &Arch) {
    std::unique_ptr<Place> &P = Places[Arch];
    if (!P)
      P = std::make_unique<Place>(
          need(Device::open("cpu",
                            {Threads, Arch.empty() ? nullptr : Arch.c_str()})),
          W, N);
    if (!First)
      First = P.get();
    return P.get();
  }

  Implementation native(const std::string &File) {
    void *Library = dlopen(File.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!Library)
      stop(dlerror());
    auto Get = reinterpret_cast<const NativeSuite *(*)()>(
        dlsym(Library, "nativeSuite"));
    if (!Get)
      stop(File + " does not export nativeSuite");
    Place *P = First ? First : place("");
    return {P,
            [this, P, Suite = Get()] {
              W.Native(*Suite, Pool, P->Data, int64_t(N));
            },
            true};
  }

  Implementation ours(std::string File) {
    std::string Entry = W.Entry, Arch;
    if (size_t At = File.find('#'); At != std::string::npos) {
      Entry = File.substr(At + 1);
      File.resize(At);
    }
    if (size_t At = File.find('@'); At != std::string::npos) {
      Arch = File.substr(At + 1);
      File.resize(At);
    }
    Place *P = place(Arch);
    Files.push_back(need(Artifact::load(File.c_str())));
    Kernels.push_back(
        need(Kernel::create(P->Dev, Files.back(), Entry.c_str())));
    std::vector<Argument> Args = W.Arguments(P->Data, N);
    auto L = std::make_shared<Launch>(
        need(Launch::create(Kernels.back(), W.Groups(N), Args)));
    return {P,
            [this, P, L] {
              if (W.Before)
                W.Before(P->Data);
              uint64_t Point = 0;
              for (int I = 0; I < W.Launches; ++I)
                Point = need(L->submit());
              need(P->Dev.wait(Point));
              if (W.After)
                W.After(P->Data);
            },
            false};
  }

  void wake(const Implementation &I) {
    if (I.Native)
      Pool.wake();
  }

  void time(const Implementation &I, unsigned Warm, unsigned Samples,
            unsigned Batch) {
    wake(I);
    double Seconds = secondsOf(I.Once, Warm, Samples, Batch);
    Pool.sleep();
    std::printf("{\"seconds\":%.9g}\n", Seconds);
  }

  std::vector<double> result(const Implementation &I) {
    Memory &M = I.Where->Data;
    W.Fill(M, N);
    wake(I);
    I.Once();
    Pool.sleep();
    return resultOf(W, M, N);
  }

  void check(const Implementation &I, const std::string &Reference) {
    std::vector<double> &Want = References[Reference];
    if (Want.empty())
      Want = result(Known.at(Reference));
    std::vector<double> Got = result(I);
    double Most = 0, Off = 0;
    for (size_t E = 0; E < Got.size(); ++E) {
      Most = std::max(Most, std::fabs(Want[E]));
      double D = std::fabs(Got[E] - Want[E]);
      Off = D <= Off ? Off : D; // a NaN stays
    }
    Digest D = digest(Got);
    std::printf("{\"sum\":%.9g,\"weighted\":%.9g,\"scale\":%.9g,"
                "\"hash\":\"%016llx\",\"off\":\"%.3g\"}\n",
                D.Sum, D.Weighted, D.Scale,
                static_cast<unsigned long long>(D.Hash),
                Most > 0 ? Off / Most : Off);
  }

  const Work &W;
  uint32_t N;
  unsigned Threads;
  SpinPool Pool;
  std::map<std::string, std::unique_ptr<Place>> Places;
  Place *First = nullptr;
  std::vector<Artifact> Files;
  std::vector<Kernel> Kernels;
  std::map<std::string, Implementation> Known;
  std::map<std::string, std::vector<double>> References; ///< their results
};

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 5) {
    std::fputs("usage: goldy-cpu-runner KERNEL N THREADS NAME=FILE...\n",
               stderr);
    return 2;
  }
  const Work *W = findWork(Argv[1]);
  if (!W)
    stop(std::string("no kernel ") + Argv[1]);
  Runner R(*W, uint32_t(std::atol(Argv[2])), unsigned(std::atoi(Argv[3])));
  for (int I = 4; I < Argc; ++I) {
    std::string Text = Argv[I];
    size_t At = Text.find('=');
    if (At == std::string::npos)
      stop("expected NAME=FILE, got " + Text);
    R.add(Text.substr(0, At), Text.substr(At + 1));
  }
  for (std::string Line; std::getline(std::cin, Line);)
    R.answer(Line);
  return 0;
}
