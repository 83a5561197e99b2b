//===- fuzz_artifact.cpp - The loader on any bytes
//-------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What loads is read whole: description, texts, types, and every kernel is
// made on the null device, which takes any image and runs nothing. Byte 0 of
// the input shifts the file's alignment.
//
//===----------------------------------------------------------------------===//
#include "goldy/program.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace goldy;

static uint64_t walkType(const goldy_type_t *T) {
  uint64_t Sum = goldy_type_size(T) + goldy_type_stride(T) +
                 std::strlen(goldy_type_name(T));
  if (goldy_type_element(T))
    Sum += walkType(goldy_type_element(T));
  return Sum;
}

static uint64_t walkKernel(const Device &D, const Artifact &A, size_t I) {
  std::string Name(A.kernelName(I));
  Result<Kernel> K = Kernel::create(D, A, Name.c_str());
  if (!K)
    return K.status().message().size();
  goldy_kernel_info_t Info = K->info();
  uint64_t Sum = std::strlen(Info.arch);
  for (size_t P = 0; P < Info.param_count; ++P)
    Sum += walkType(K->param(P).type);
  return Sum;
}

static uint64_t walkProgram(const Device &D, const Artifact &A, size_t I) {
  goldy_text_t Name = goldy_artifact_program_name(A.get(), I);
  Result<ProgramTemplate> T =
      ProgramTemplate::open(A, std::string(Name.data, Name.size).c_str());
  if (!T)
    return T.status().message().size();
  goldy_template_info_t Info = T->info();
  uint64_t Sum = std::strlen(Info.name);
  for (size_t P = 0; P < Info.input_count; ++P)
    if (const goldy_type_t *Type = T->input(P).type)
      Sum += walkType(Type);
  for (size_t P = 0; P < Info.int_count; ++P)
    Sum += walkType(T->intInfo(P).type);
  std::vector<goldy_device_t *> Devices(std::min<size_t>(Info.device_count, 8),
                                        D.get());
  return Sum + T->instantiate(A, Devices).status().message().size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  static Result<Device> D = Device::open("null");
  if (Size == 0)
    return 0;
  size_t Shift = Data[0] & 7;
  std::vector<unsigned char> Bytes(Shift);
  Bytes.insert(Bytes.end(), Data + 1, Data + Size);
  Result<Artifact> A =
      Artifact::load(std::span(Bytes.data() + Shift, Size - 1));
  volatile uint64_t Sum = 0;
  if (!A) {
    Sum = A.status().message().size();
    return 0;
  }
  Sum = A->json().size();
  for (size_t I = 0; I < A->kernelCount() && I < 100; ++I) {
    for (char C : A->kernelDefinition(I))
      Sum = Sum + static_cast<unsigned char>(C);
    Sum = Sum + walkKernel(*D, *A, I);
  }
  size_t Programs = goldy_artifact_program_count(A->get());
  for (size_t I = 0; I < Programs && I < 100; ++I)
    Sum = Sum + walkProgram(*D, *A, I);
  return 0;
}
