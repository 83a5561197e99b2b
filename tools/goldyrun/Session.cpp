//===- Session.cpp - A file, a device, a kernel with its arguments --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cheap checks come before expensive work: options, then names, then files.
//
//===----------------------------------------------------------------------===//
#include "Session.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace goldyrun;

static bool endsWith(const std::string &S, const char *Tail) {
  return std::string_view(S).ends_with(Tail);
}

Exit goldyrun::readStdin(std::vector<unsigned char> &Out) {
  unsigned char Block[65536];
  while (size_t N = std::fread(Block, 1, sizeof Block, stdin))
    Out.insert(Out.end(), Block, Block + N);
  return std::ferror(stdin) ? fail(Exit::Input, "cannot read stdin") : Exit::Ok;
}

Exit goldyrun::loadFile(const Options &O, std::vector<unsigned char> &Stdin,
                        std::optional<goldy::Artifact> &Out) {
  for (const char *Program : {".gdyt", ".gdyp"})
    if (endsWith(O.File, Program))
      return fail(Exit::Missing,
                  quoted(O.File) + " is a program description, and running one "
                                   "is not supported yet",
                  "goldyrun verify " + O.File + " checks it");
  for (const char *Source : {".goldy", ".tosa", ".slang"})
    if (endsWith(O.File, Source))
      return fail(Exit::Missing,
                  quoted(O.File) + " is source, and compiling it here is not "
                                   "supported yet",
                  "run goldyc " + O.File + " -o OUT.gdy first");
  if (O.File == "-") {
    if (Stdin.empty())
      GOLDYRUN_TRY(readStdin(Stdin));
    goldy::Result<goldy::Artifact> A = goldy::Artifact::load(Stdin);
    if (!A)
      return fail(A.status());
    Out = std::move(*A);
    return Exit::Ok;
  }
  goldy::Result<goldy::Artifact> A = goldy::Artifact::load(O.File.c_str());
  if (!A)
    return fail(A.status());
  Out = std::move(*A);
  return Exit::Ok;
}

/// What `gpu::debug` says goes beside the messages.
static void printDebug(void *, const char *Line, size_t Size) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(Size), Line);
}

Exit Session::openDevice(const Options &O) {
  goldy::DeviceOptions D{O.Threads, O.Arch.empty() ? nullptr : O.Arch.c_str(),
                         printDebug};
  goldy::Result<goldy::Device> Opened =
      goldy::Device::open(O.Device.value_or("cpu").c_str(), D);
  if (Opened) {
    H->Device = std::move(*Opened);
    return Exit::Ok;
  }
  const goldy::Status &S = Opened.status();
  goldy_code_t Code = S.code();
  if (Code == GOLDY_NOT_FOUND || Code == GOLDY_INVALID_ARGUMENT)
    return fail(Exit::Usage,
                (O.Verb == "diff" ? "`--devices`: " : "`--device`: ") +
                    S.message());
  if (Code == GOLDY_UNSUPPORTED) // the machine cannot run --arch
    return fail(Exit::Missing, S.message());
  return fail(S);
}

Exit Session::setGrid(const Options &O) {
  if (!O.Over && !O.Groups)
    return fail(Exit::Usage, "no grid given",
                "give --over=N (work-items) or --groups=N");
  uint32_t *Out[3] = {&Groups.X, &Groups.Y, &Groups.Z};
  goldy_kernel_info_t K = kernel();
  for (int D = 0; D < 3; ++D) {
    uint64_t N = O.Over ? (*O.Over)[D] : (*O.Groups)[D];
    uint64_t Size = K.workgroup_size[D];
    if (O.Over)
      N = N / Size + (N % Size != 0);
    if (N > UINT32_MAX)
      return fail(Exit::Input, std::to_string(N) + " groups along " + "xyz"[D] +
                                   ", the limit is 4294967295");
    *Out[D] = static_cast<uint32_t>(N);
  }
  return Exit::Ok;
}

/// Names of outputs are checked before anything runs.
Exit Session::checkOutputs(const Options &O) const {
  const Bound *Unused = nullptr;
  for (const Assignment &A : O.Save)
    GOLDYRUN_TRY(H->Args->findBuffer("--save", A.first, Unused));
  for (const std::string &Name : O.Print)
    GOLDYRUN_TRY(H->Args->findBuffer("--print", Name, Unused));
  for (const Assignment &A : O.Expect)
    GOLDYRUN_TRY(H->Args->findBuffer("--expect", A.first, Unused));
  return Exit::Ok;
}

/// The number of the kernel that runs; the count if there is none.
static size_t kernelNumber(const Options &O, const goldy::Artifact &File) {
  size_t Count = goldy_artifact_kernel_count(File.get()), N = 0;
  for (; O.Name && N < Count; ++N) {
    goldy_text_t Name = goldy_artifact_kernel_name(File.get(), N);
    if (std::string_view(Name.data, Name.size) == *O.Name)
      break;
  }
  return N;
}

static goldy::Scalar scalarOfSpec(goldy_type_kind_t Kind) {
  return Kind == GOLDY_TYPE_BOOL  ? goldy::Scalar::Bool
         : Kind == GOLDY_TYPE_I32 ? goldy::Scalar::I32
         : Kind == GOLDY_TYPE_F32 ? goldy::Scalar::F32
                                  : goldy::Scalar::U32;
}

/// --spec, with the types that the file states.
Exit Session::readSpecs(const Options &O,
                        std::vector<goldy_spec_value_t> &Out) const {
  size_t Kernel = kernelNumber(O, *File);
  size_t Count = goldy_artifact_kernel_spec_count(File->get(), Kernel);
  for (const Assignment &A : O.Specs) {
    goldy_spec_info_t Found{};
    std::vector<std::string> Known;
    for (size_t I = 0; I < Count; ++I) {
      goldy_spec_info_t S = goldy_artifact_kernel_spec(File->get(), Kernel, I);
      Known.push_back(S.name);
      if (A.first == S.name)
        Found = S;
    }
    std::string Option = quoted("--spec " + A.first + "=" + A.second) + ": ";
    if (!Found.name)
      return fail(Exit::Input,
                  Option + "there is no specialisation constant of this name",
                  Known.empty() ? "the kernel has none"
                                : didYouMean(A.first, Known));
    std::string Why;
    std::optional<uint64_t> Bits =
        goldy::scalarFromText(A.second, scalarOfSpec(Found.type), Why);
    if (!Bits)
      return fail(Exit::Input, Option + Why);
    Out.push_back({Found.name, *Bits});
  }
  return Exit::Ok;
}

Exit Session::open(const Options &O) {
  GOLDYRUN_TRY(loadFile(O, H->Stdin, H->Own));
  return open(O, *H->Own);
}

Exit Session::open(const Options &O, const goldy::Artifact &FromFile) {
  File = &FromFile;
  Limit = O.TimeLimit;
  GOLDYRUN_TRY(openDevice(O));
  std::vector<goldy_spec_value_t> Specs;
  GOLDYRUN_TRY(readSpecs(O, Specs));
  goldy::Result<goldy::Kernel> K = goldy::Kernel::create(
      *H->Device, *File, O.Name ? O.Name->c_str() : nullptr, Specs);
  if (!K)
    return fail(K.status());
  H->Kernel = std::move(*K);
  GOLDYRUN_TRY(setGrid(O));
  H->Args.emplace(*H->Kernel);
  GOLDYRUN_TRY(H->Args->check(O.Arguments));
  GOLDYRUN_TRY(checkOutputs(O));
  GOLDYRUN_TRY(H->Args->load(*H->Device));
  GOLDYRUN_TRY(bind(false));
  if (O.Verbose) {
    std::fprintf(stderr, "goldyrun: device %s (%s), kernel %s, image %s\n",
                 device().name, device().description, kernel().name,
                 kernel().arch);
    if (*kernel().passed_over)
      std::fprintf(stderr, "goldyrun: passed over: %s\n", kernel().passed_over);
  }
  return Exit::Ok;
}

Exit Session::bind(bool Timed) {
  std::vector<goldy::Argument> List;
  for (const goldy_argument_t &A : args().list())
    List.push_back(goldy::Argument(A));
  goldy::Result<goldy::Launch> L =
      Timed ? goldy::Launch::createTimed(*H->Kernel, Groups, List)
            : goldy::Launch::create(*H->Kernel, Groups, List);
  if (Timed && L.status().code() == GOLDY_UNSUPPORTED)
    return Exit::Ok;
  if (!L)
    return fail(L.status());
  H->Launch = std::move(*L);
  Measures = Timed;
  return Exit::Ok;
}

Exit Session::measure(bool &Timed) {
  GOLDYRUN_TRY(bind(true));
  Timed = Measures;
  return Exit::Ok;
}

uint64_t goldyrun::hostNs() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch())
          .count());
}

/// One run, of no session's own: it may outlive it.
void Session::attempt(Held &H, bool Measures, std::optional<Seconds> Limit,
                      Attempt &Out) {
  RunTime &T = Out.Time;
  T.StartNs = hostNs();
  goldy::Result<uint64_t> Point = H.Launch->submit();
  T.SubmittedNs = hostNs();
  if (!Point) {
    Out.Result = Point.takeStatus();
    return;
  }
  uint64_t Most = GOLDY_FOREVER, Spent = T.SubmittedNs - T.StartNs;
  if (Limit) {
    Most = static_cast<uint64_t>(Limit->count() * 1e9);
    Most -= std::min(Most, Spent);
  }
  Out.Result = H.Device->wait(*Point, Most);
  T.DoneNs = hostNs();
  if (!Out.Result.ok() || !Measures)
    return;
  goldy::Result<goldy_time_span_t> Span = H.Launch->time(*Point);
  if (Span)
    T.Device = *Span;
  Out.Result = Span.takeStatus();
}

Exit Session::runOnce(RunTime &Out) {
  if (Limit)
    return runLimited(Out);
  Attempt A;
  attempt(*H, Measures, Limit, A);
  Out = A.Time;
  return A.Result.ok() ? Exit::Ok : fail(A.Result);
}

Exit Session::runLimited(RunTime &Out) {
  std::shared_ptr<Attempt> A = std::make_shared<Attempt>();
  bool Done = finishesWithin(
      *Limit, [A, Uses = H.get(), Timed = Measures, Most = Limit] {
        attempt(*Uses, Timed, Most, *A);
      });
  if (!Done)
    return exceed("the submit did not return");
  if (A->Result.code() == GOLDY_TIMEOUT) {
    leaveBehind();
    return exceed(A->Result.message());
  }
  Out = A->Time;
  Exceeded =
      Seconds(static_cast<double>(Out.DoneNs - Out.StartNs) / 1e9) > *Limit;
  if (A->Result.ok() && Exceeded)
    return exceed("it is done now");
  return A->Result.ok() ? Exit::Ok : fail(A->Result);
}

Exit Session::exceed(const std::string &Said) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.9g", Limit->count());
  std::string Message = "kernel " + quoted(kernel().name) + " on device " +
                        quoted(device().name) +
                        ": the run exceeded `--time-limit=" + Text +
                        "`: " + Said;
  if (Exceeded)
    return fail(Exit::Input, Message);
  (void)H.release(); // in use until the process ends
  return fail(Exit::Input, Message,
              "no device can be told to stop; the kernel ends with this "
              "process");
}
