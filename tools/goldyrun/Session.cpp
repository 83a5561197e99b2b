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

#include <chrono>
#include <cstdio>

using namespace goldyrun;

static bool endsWith(const std::string &S, const char *Tail) {
  return std::string_view(S).ends_with(Tail);
}

static Exit readStdin(std::vector<unsigned char> &Out) {
  unsigned char Block[65536];
  while (size_t N = std::fread(Block, 1, sizeof Block, stdin))
    Out.insert(Out.end(), Block, Block + N);
  return std::ferror(stdin) ? fail(Exit::Input, "cannot read stdin") : Exit::Ok;
}

Exit goldyrun::loadFile(const Options &O, std::vector<unsigned char> &Stdin,
                        std::optional<goldy::Artifact> &Out) {
  for (const char *Source : {".goldy", ".tosa", ".gdyt", ".slang"})
    if (endsWith(O.File, Source))
      return fail(Exit::Missing,
                  quoted(O.File) + " is source, and compiling it here is not "
                                   "supported yet",
                  "run goldyc " + O.File + " -o OUT.gdy first");
  if (O.File == "-") {
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

Exit Session::openDevice(const Options &O) {
  goldy::DeviceOptions D{O.Threads, O.Arch.empty() ? nullptr : O.Arch.c_str()};
  goldy::Result<goldy::Device> Opened =
      goldy::Device::open(O.Device.c_str(), D);
  if (Opened) {
    Device = std::move(*Opened);
    return Exit::Ok;
  }
  const goldy::Status &S = Opened.status();
  goldy_code_t Code = S.code();
  if (Code == GOLDY_NOT_FOUND || Code == GOLDY_INVALID_ARGUMENT)
    return fail(Exit::Usage, "`--device`: " + S.message());
  if (Code == GOLDY_UNSUPPORTED) // the machine cannot run --arch
    return fail(Exit::Missing, S.message());
  return fail(S);
}

Exit Session::setGrid(const Options &O) {
  if (!O.Over && !O.Groups)
    return fail(Exit::Usage, "no grid given",
                "give --over=N (work-items) or --groups=N");
  uint32_t *Out[3] = {&Groups.X, &Groups.Y, &Groups.Z};
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
  }
  return Exit::Ok;
}

/// Names of outputs are checked before anything runs.
Exit Session::checkOutputs(const Options &O) const {
  const Bound *Unused = nullptr;
  for (const Assignment &A : O.Save)
    GOLDYRUN_TRY(Args->findBuffer("--save", A.first, Unused));
  for (const std::string &Name : O.Print)
    GOLDYRUN_TRY(Args->findBuffer("--print", Name, Unused));
  for (const Assignment &A : O.Expect)
    GOLDYRUN_TRY(Args->findBuffer("--expect", A.first, Unused));
  return Exit::Ok;
}

Exit Session::open(const Options &O) {
  GOLDYRUN_TRY(loadFile(O, Stdin, File));
  GOLDYRUN_TRY(openDevice(O));
  goldy::Result<goldy::Kernel> K =
      goldy::Kernel::create(*Device, *File, O.Name ? O.Name->c_str() : nullptr);
  if (!K)
    return fail(K.status());
  Kernel = std::move(*K);
  GOLDYRUN_TRY(setGrid(O));
  Args.emplace(*Kernel);
  GOLDYRUN_TRY(Args->check(O.Arguments));
  GOLDYRUN_TRY(checkOutputs(O));
  GOLDYRUN_TRY(Args->load(*Device));
  std::vector<goldy::Argument> List;
  for (const goldy_argument_t &A : Args->list())
    List.push_back(goldy::Argument(A));
  goldy::Result<goldy::Launch> L = goldy::Launch::create(*Kernel, Groups, List);
  if (!L)
    return fail(L.status());
  Launch = std::move(*L);
  if (O.Verbose)
    std::fprintf(stderr, "goldyrun: device %s (%s), kernel %s, image %s\n",
                 device().name, device().description, kernel().name,
                 kernel().arch);
  return Exit::Ok;
}

Exit Session::runOnce(uint64_t &OutNs) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point Start = Clock::now();
  goldy::Result<uint64_t> Point = Launch->submit();
  if (!Point)
    return fail(Point.status());
  goldy::Status Done = Device->wait(*Point);
  OutNs = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - Start)
          .count());
  return Done.ok() ? Exit::Ok : fail(Done);
}
