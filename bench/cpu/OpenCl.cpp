//===- OpenCl.cpp - The suite on an OpenCL device -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// usage: goldy-cpu-opencl kernels.cl KERNEL N
//
// Builds the kernel for the first CPU device and answers `time NAME WARM
// SAMPLES BATCH` and `check NAME REFERENCE` as goldy-cpu-runner does, except
// that a check only gives the digest of its own result. One run is what a
// program does: enqueue, and finish. `version` tells who made the driver.
//
//===----------------------------------------------------------------------===//
#define CL_TARGET_OPENCL_VERSION 120
#include "Work.h"

#include <CL/cl.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace {

constexpr uint32_t NormCols = 1024, Groups = 256, HistGroups = 16;

[[noreturn]] void stop(const std::string &Why) {
  std::printf("{\"error\":\"%s\"}\n", Why.c_str());
  std::exit(1);
}
void need(cl_int Code, const char *What) {
  if (Code != CL_SUCCESS)
    stop(std::string(What) + " gave " + std::to_string(Code));
}

/// A scalar argument, or with Buffer >= 0 a buffer.
struct Arg {
  int Buffer = -1;
  uint32_t Bits = 0;
};
Arg buffer(int I) { return {I}; }
Arg word(uint32_t Bits) { return {-1, Bits}; }

/// How a kernel of kernels.cl is enqueued.
struct Shape {
  const char *Kernel;
  std::vector<Arg> Args;
  size_t Global[2], Local[2];
};

Shape shapeOf(const std::string &Name, uint32_t N) {
  size_t Line = (size_t(N) + 255) / 256 * 256;
  Arg X = buffer(0), Y = buffer(1), Z = buffer(2);
  if (Name == "saxpy" || Name == "dispatch")
    return {"saxpy",
            {X, Y, word(std::bit_cast<uint32_t>(0.001f)), word(N)},
            {Line, 1},
            {256, 1}};
  if (Name == "chain")
    return {"chain", {X, Y, word(N)}, {Line, 1}, {256, 1}};
  if (Name == "mix")
    return {"mix_words", {X, Y, word(N)}, {Line, 1}, {256, 1}};
  if (Name == "softmax")
    return {"softmax", {X, Y, word(N)}, {size_t(N) * 256, 1}, {256, 1}};
  if (Name == "rmsnorm")
    return {
        "rmsnorm", {X, Y, Z, word(NormCols)}, {size_t(N) * 256, 1}, {256, 1}};
  if (Name == "sum")
    return {"sum",
            {X, Y, word(uint32_t(Line / (Groups * 256)))},
            {Groups * 256, 1},
            {256, 1}};
  if (Name == "hist")
    return {"hist",
            {X, Y, word(uint32_t(Line / (HistGroups * 256)))},
            {HistGroups * 256, 1},
            {256, 1}};
  if (Name == "sgemm")
    return {"sgemm", {X, Y, Z, word(N)}, {N, N}, {16, 16}};
  if (Name == "conv5")
    return {"conv5", {X, Y, Z, word(N), word(N)}, {N, N}, {256, 1}};
  if (Name == "mandel")
    return {"mandel", {X, word(N), word(N), word(256)}, {N, N}, {256, 1}};
  stop("no kernel " + Name);
}

class Peer {
public:
  Peer(const std::string &File, const Work &W, uint32_t N)
      : W(W), N(N), S(shapeOf(W.Name, N)) {
    open();
    build(File);
    fill();
    bind();
  }
  void answer(const std::string &Line) {
    std::istringstream In(Line);
    std::string Verb, Name;
    unsigned Warm = 1, Samples = 1, Batch = 1;
    In >> Verb >> Name;
    if (Verb == "version")
      std::printf("{\"version\":\"%s\"}\n", Version.c_str());
    else if (Verb == "time" && In >> Warm >> Samples >> Batch)
      std::printf("{\"seconds\":%.9g}\n",
                  secondsOf([this] { once(); }, Warm, Samples, Batch));
    else if (Verb == "check")
      check();
    else
      stop("no request " + Verb);
    std::fflush(stdout);
  }

private:
  void open() {
    cl_platform_id Platform = nullptr;
    need(clGetPlatformIDs(1, &Platform, nullptr), "clGetPlatformIDs");
    need(clGetDeviceIDs(Platform, CL_DEVICE_TYPE_CPU, 1, &Device, nullptr),
         "clGetDeviceIDs");
    char Text[256] = "", Driver[128] = "";
    clGetDeviceInfo(Device, CL_DEVICE_NAME, sizeof Text, Text, nullptr);
    clGetDeviceInfo(Device, CL_DRIVER_VERSION, sizeof Driver, Driver, nullptr);
    Version = std::string(Text) + ", driver " + Driver;
    cl_int Code = 0;
    Context = clCreateContext(nullptr, 1, &Device, nullptr, nullptr, &Code);
    need(Code, "clCreateContext");
    Queue = clCreateCommandQueue(Context, Device, 0, &Code);
    need(Code, "clCreateCommandQueue");
  }
  void build(const std::string &File) {
    std::ifstream In(File);
    std::string Source{std::istreambuf_iterator<char>(In), {}};
    const char *Text = Source.c_str();
    size_t Size = Source.size();
    cl_int Code = 0;
    Program = clCreateProgramWithSource(Context, 1, &Text, &Size, &Code);
    need(Code, "clCreateProgramWithSource");
    need(clBuildProgram(Program, 1, &Device, "", nullptr, nullptr),
         "clBuildProgram");
    Kernel = clCreateKernel(Program, S.Kernel, &Code);
    need(Code, "clCreateKernel");
  }
  void fill() {
    for (uint64_t Bytes : W.Sizes(N)) {
      void *P = std::aligned_alloc(4096, (Bytes + 4095) / 4096 * 4096);
      if (!P)
        stop("out of memory");
      Data.Bytes.push_back(P);
    }
    W.Fill(Data, N);
  }
  void bind() {
    for (size_t I = 0; I < Data.Bytes.size(); ++I) {
      cl_int Code = 0;
      Buffers.push_back(clCreateBuffer(Context,
                                       CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                       W.Sizes(N)[I], Data.Bytes[I], &Code));
      need(Code, "clCreateBuffer");
    }
    cl_uint Index = 0;
    for (const Arg &A : S.Args)
      need(A.Buffer >= 0
               ? clSetKernelArg(Kernel, Index++, sizeof(cl_mem),
                                &Buffers[size_t(A.Buffer)])
               : clSetKernelArg(Kernel, Index++, sizeof A.Bits, &A.Bits),
           "clSetKernelArg");
  }

  void once() {
    if (std::string(W.Name) == "hist") {
      cl_uint Zero = 0;
      need(clEnqueueFillBuffer(Queue, Buffers[1], &Zero, sizeof Zero, 0, 1024,
                               0, nullptr, nullptr),
           "clEnqueueFillBuffer");
    }
    for (int I = 0; I < W.Launches; ++I)
      need(clEnqueueNDRangeKernel(Queue, Kernel, 2, nullptr, S.Global, S.Local,
                                  0, nullptr, nullptr),
           "clEnqueueNDRangeKernel");
    need(clFinish(Queue), "clFinish");
    if (W.After)
      W.After(Data); // memory of a CPU device is the host's
  }

  void check() {
    W.Fill(Data, N);
    once();
    Digest D = digest(resultOf(W, Data, N));
    std::printf("{\"sum\":%.9g,\"weighted\":%.9g,\"scale\":%.9g,"
                "\"hash\":\"%016llx\"}\n",
                D.Sum, D.Weighted, D.Scale,
                static_cast<unsigned long long>(D.Hash));
  }

  const Work &W;
  uint32_t N;
  Shape S;
  Memory Data;
  std::string Version;
  cl_device_id Device = nullptr;
  cl_context Context = nullptr;
  cl_command_queue Queue = nullptr;
  cl_program Program = nullptr;
  cl_kernel Kernel = nullptr;
  std::vector<cl_mem> Buffers;
};

} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 4) {
    std::fputs("usage: goldy-cpu-opencl kernels.cl KERNEL N\n", stderr);
    return 2;
  }
  const Work *W = findWork(Argv[2]);
  if (!W)
    stop(std::string("no kernel ") + Argv[2]);
  Peer P(Argv[1], *W, uint32_t(std::atol(Argv[3])));
  for (std::string Line; std::getline(std::cin, Line);)
    P.answer(Line);
  return 0;
}
