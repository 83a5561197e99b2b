//===- KernelWork.cpp - A kernel with its arguments and grid --------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cheap checks come before expensive work: options, then names, then files.
//
//===----------------------------------------------------------------------===//
#include "Work.h"

#include <cstdio>

using namespace goldyrun;

namespace {

class KernelWork : public Work {
public:
  Exit open(const Options &O, const goldy::Artifact &File);
  void attempt(std::optional<Seconds> Limit, Attempt &Out) override;
  Exit measure(bool &Timed) override {
    GOLDYRUN_TRY(bind(true));
    Timed = Measures;
    return Exit::Ok;
  }

private:
  Exit setGrid(const Options &O);
  Exit bind(bool Timed);
  void state();

  std::optional<goldy::Device> Device;
  std::optional<goldy::Kernel> Kernel;
  std::optional<goldy::Launch> Launch;
  bool Measures = false;
};

} // namespace

Exit KernelWork::setGrid(const Options &O) {
  if (!O.Over && !O.Groups)
    return fail(Exit::Usage, "no grid given",
                "give --over=N (work-items) or --groups=N");
  uint32_t *Out[3] = {&Facts.Grid.X, &Facts.Grid.Y, &Facts.Grid.Z};
  goldy_kernel_info_t K = Kernel->info();
  for (int D = 0; D < 3; ++D) {
    uint64_t N = O.Over ? (*O.Over)[D] : (*O.Groups)[D];
    uint64_t Size = K.workgroup_size[D];
    if (O.Over)
      N = N / Size + (N % Size != 0);
    if (N > UINT32_MAX)
      return fail(Exit::Input, std::to_string(N) + " groups along " + "xyz"[D] +
                                   ", the limit is 4294967295");
    *Out[D] = static_cast<uint32_t>(N);
    if (O.DebugItem && (*O.DebugItem)[D] >= N * Size)
      return fail(Exit::Input,
                  "`--debug-item`: the grid has " + std::to_string(N * Size) +
                      " work-items along " + "xyz"[D] + ", not " + "number " +
                      std::to_string((*O.DebugItem)[D]));
  }
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
static Exit readSpecs(const Options &O, const goldy::Artifact &File,
                      std::vector<goldy_spec_value_t> &Out) {
  size_t Kernel = kernelNumber(O, File);
  size_t Count = goldy_artifact_kernel_spec_count(File.get(), Kernel);
  for (const Assignment &A : O.Specs) {
    goldy_spec_info_t Found{};
    std::vector<std::string> Known;
    for (size_t I = 0; I < Count; ++I) {
      goldy_spec_info_t S = goldy_artifact_kernel_spec(File.get(), Kernel, I);
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

/// A name that is neither a kernel's nor a program's, in a file that has
/// programs. Others are for the loader to refuse.
static Exit findName(const Options &O, const goldy::Artifact &File) {
  size_t Programs = goldy_artifact_program_count(File.get());
  size_t Kernels = goldy_artifact_kernel_count(File.get());
  if (!O.Name || !Programs || kernelNumber(O, File) < Kernels)
    return Exit::Ok;
  std::vector<std::string> Known;
  auto Add = [&](goldy_text_t Name) {
    Known.emplace_back(Name.data, Name.size);
  };
  for (size_t I = 0; I < Programs; ++I)
    Add(goldy_artifact_program_name(File.get(), I));
  for (size_t I = 0; I < Kernels; ++I)
    Add(goldy_artifact_kernel_name(File.get(), I));
  std::string Near = didYouMean(*O.Name, Known), List;
  for (size_t I = 0; I < Programs; ++I)
    List += (List.empty() ? "" : ", ") + quoted(Known[I]);
  return fail(Exit::Input,
              quoted(O.File) + " has no program or kernel " + quoted(*O.Name),
              Near.empty() ? "its programs are " + List : Near);
}

static std::vector<Bound> paramsOf(const goldy::Kernel &K) {
  std::vector<Bound> Params(K.info().param_count);
  for (size_t I = 0; I < Params.size(); ++I)
    Params[I].Info = K.param(I);
  return Params;
}

/// What reports say.
void KernelWork::state() {
  goldy_kernel_info_t K = Kernel->info();
  goldy_device_info_t D = Device->info();
  Facts.Name = K.name;
  Facts.Image = K.arch;
  Facts.Device = D.name;
  Facts.Description = D.description;
  Facts.Threads = D.threads;
}

Exit KernelWork::open(const Options &O, const goldy::Artifact &File) {
  GOLDYRUN_TRY(findName(O, File));
  DeviceChoice On;
  On.Name = O.Device.value_or("cpu");
  GOLDYRUN_TRY(
      openDevice(O, On, O.Verb == "diff" ? "--devices" : "--device", Device));
  std::vector<goldy_spec_value_t> Specs;
  GOLDYRUN_TRY(readSpecs(O, File, Specs));
  goldy::Result<goldy::Kernel> K = goldy::Kernel::create(
      *Device, File, O.Name ? O.Name->c_str() : nullptr, Specs);
  if (!K)
    return fail(K.status());
  Kernel = std::move(*K);
  state();
  GOLDYRUN_TRY(setGrid(O));
  Args.emplace(Facts.title(), paramsOf(*Kernel));
  GOLDYRUN_TRY(Args->check(O.Arguments));
  GOLDYRUN_TRY(checkOutputs(O, *Args));
  const goldy::Device *Where = &*Device;
  GOLDYRUN_TRY(Args->load({&Where, 1}));
  GOLDYRUN_TRY(bind(false));
  if (!O.Verbose)
    return Exit::Ok;
  std::fprintf(stderr, "goldyrun: device %s (%s), kernel %s, image %s\n",
               Facts.Device.c_str(), Facts.Description.c_str(),
               Facts.Name.c_str(), Facts.Image.c_str());
  if (const char *Passed = Kernel->info().passed_over; *Passed)
    std::fprintf(stderr, "goldyrun: passed over: %s\n", Passed);
  return Exit::Ok;
}

Exit KernelWork::bind(bool Timed) {
  std::vector<goldy::Argument> List;
  for (const goldy_argument_t &A : Args->list())
    List.push_back(goldy::Argument(A));
  goldy::Result<goldy::Launch> L =
      Timed ? goldy::Launch::createTimed(*Kernel, Facts.Grid, List)
            : goldy::Launch::create(*Kernel, Facts.Grid, List);
  if (Timed && L.status().code() == GOLDY_UNSUPPORTED)
    return Exit::Ok;
  if (!L)
    return fail(L.status());
  Launch = std::move(*L);
  Measures = Timed;
  return Exit::Ok;
}

void KernelWork::attempt(std::optional<Seconds> Limit, Attempt &Out) {
  RunTime &T = Out.Time;
  T.StartNs = hostNs();
  goldy::Result<uint64_t> Point = Launch->submit();
  T.SubmittedNs = hostNs();
  if (!Point) {
    Out.Result = Point.takeStatus();
    T.DoneNs = T.SubmittedNs; // a launch with findings is done
    return;
  }
  Out.Result = Device->wait(*Point, remaining(Limit, T));
  T.DoneNs = hostNs();
  if (!Out.Result.ok() || !Measures)
    return;
  goldy::Result<goldy_time_span_t> Span = Launch->time(*Point);
  if (Span)
    T.Device = *Span;
  Out.Result = Span.takeStatus();
}

Exit goldyrun::openKernel(const Options &O, const goldy::Artifact &From,
                          std::unique_ptr<Work> &Out) {
  std::unique_ptr<KernelWork> W = std::make_unique<KernelWork>();
  GOLDYRUN_TRY(W->open(O, From));
  Out = std::move(W);
  return Exit::Ok;
}
