//===- Bind.cpp - Checking arguments and filling the block ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one layer where arguments of launches are judged; drivers see valid
// input. Every message names kernel and parameter.
//
//===----------------------------------------------------------------------===//
#include "core/Checked.h"
#include "core/Objects.h"

#include <cstring>

using namespace goldy::rt;

namespace {

std::string quoted(const std::string &Name) { return "`" + Name + "`"; }

class Binder {
public:
  Binder(const LoadedKernel &Loaded, std::span<const goldy_argument_t> Args,
         goldy_launch &Out, Part &P)
      : Loaded(Loaded), K(*Loaded.Definition), Args(Args), Out(Out), P(P) {}

  Status run(goldy_grid_t Grid) {
    if (Args.size() != K.Params.size())
      return refuse("takes " + std::to_string(K.Params.size()) +
                    " arguments, got " + std::to_string(Args.size()));
    GOLDY_TRY(grid(Grid));
    P.Block.resize(K.BlockSize);
    std::memcpy(&P.Block[K.BaseWordsOffset + 12], Grid.groups, 12);
    for (size_t I = 0; I < Args.size(); ++I)
      GOLDY_TRY(argument(I));
    return overlaps();
  }

private:
  Status refuse(const std::string &Why,
                goldy_code_t Code = GOLDY_INVALID_ARGUMENT) const {
    return Status(Code, "kernel " + quoted(K.Name) + ": " + Why);
  }
  Status refuse(const Param &Param, const std::string &Why,
                goldy_code_t Code = GOLDY_INVALID_ARGUMENT) const {
    return refuse("parameter " + quoted(Param.Name) + ": " + Why, Code);
  }

  Status grid(goldy_grid_t Grid) {
    uint64_t Total = 1;
    for (int D = 0; D < 3; ++D) {
      P.Groups[D] = Grid.groups[D];
      Out.Empty |= Grid.groups[D] == 0;
    }
    for (int D = 0; D < 3 && !Out.Empty; ++D) {
      uint64_t N = Grid.groups[D];
      uint64_t Items = N * K.WorkgroupSize[D];
      if (Items > uint64_t(1) << 32)
        return refuse(std::to_string(Items) + " work-items along " + "xyz"[D] +
                          ", the limit is 4294967296: ids have 32 bits",
                      GOLDY_LIMIT);
      std::optional<uint64_t> Product = checkedMul(Total, N);
      if (!Product || *Product > uint64_t(1) << 48)
        return refuse("the grid has more than 2^48 groups, the limit",
                      GOLDY_LIMIT);
      Total = *Product;
    }
    if (!Out.Empty)
      P.Pieces = splitGrid(P.Groups, Loaded.Device->facts().MaxGroups);
    return Status();
  }

  Status argument(size_t I) {
    const Param &Param = K.Params[I];
    const goldy_argument_t &A = Args[I];
    switch (Param.Kind) {
    case GOLDY_PARAM_SCALAR:
      return scalar(Param, A);
    case GOLDY_PARAM_BUFFER:
      return buffer(I, Param, A);
    case GOLDY_PARAM_TENSOR:
      return refuse(Param, "tensors are not supported yet", GOLDY_UNSUPPORTED);
    case GOLDY_PARAM_UNIFORM:
      return refuse(Param, "uniforms are not supported yet", GOLDY_UNSUPPORTED);
    case GOLDY_PARAM_IMAGE:
      return refuse(Param, "images are not supported yet", GOLDY_UNSUPPORTED);
    }
    return refuse(Param, "unknown kind", GOLDY_INTERNAL);
  }

  Status scalar(const Param &Param, const goldy_argument_t &A) {
    if (A.buffer)
      return refuse(Param, "is a scalar, got a buffer");
    uint64_t Word = A.word;
    if (Param.Type->Kind == GOLDY_TYPE_BOOL)
      Word = (Word & UINT32_MAX) != 0;
    if (Param.Size == 4)
      Word &= UINT32_MAX;
    if (Param.Baked && Word != *Param.Baked)
      return refuse(Param,
                    "its value was baked in by `goldyc --bake`, and this "
                    "is another; leave the argument out, or compile "
                    "again");
    std::memcpy(&P.Block[Param.Offset], &Word, Param.Size);
    return Status();
  }

  Status buffer(size_t I, const Param &Param, const goldy_argument_t &A) {
    if (!A.buffer)
      return refuse(Param, "is a buffer, got a scalar");
    const std::shared_ptr<Memory> &M = A.buffer->Memory;
    if (M->Device != Loaded.Device)
      return refuse(Param, "the buffer belongs to another device");
    if (A.length > UINT32_MAX)
      return refuse(Param,
                    std::to_string(A.length) +
                        " elements, the limit is 4294967295",
                    GOLDY_LIMIT);
    if (A.offset % Param.Type->Align != 0)
      return refuse(Param,
                    "byte offset " + std::to_string(A.offset) +
                        " is not a multiple of the element's alignment " +
                        std::to_string(Param.Type->Align));
    std::optional<uint64_t> Bytes = checkedMul(A.length, Param.Type->Stride);
    if (!Bytes || !rangeFits(A.offset, *Bytes, M->Bytes))
      return refuse(Param, std::to_string(A.length) + " elements of " +
                               std::to_string(Param.Type->Stride) +
                               " bytes from byte " + std::to_string(A.offset) +
                               " on do not fit into the buffer of " +
                               std::to_string(M->Bytes) + " bytes");
    uint64_t Address = Loaded.Device->address(M->Id) + A.offset;
    uint32_t Length = static_cast<uint32_t>(A.length);
    std::memcpy(&P.Block[Param.Offset], &Address, 8);
    std::memcpy(&P.Block[Param.Offset + 8], &Length, 4);
    P.Uses.push_back({M->Id, A.offset, *Bytes, Param.Access != GOLDY_READ});
    UseParams.push_back(I);
    Out.Memories.push_back(M);
    return Status();
  }

  static bool overlap(const MemoryUse &A, const MemoryUse &B) {
    return A.Memory == B.Memory && A.Bytes && B.Bytes &&
           A.Offset < B.Offset + B.Bytes && B.Offset < A.Offset + A.Bytes;
  }
  static bool sameView(const MemoryUse &A, const MemoryUse &B) {
    return A.Offset == B.Offset && A.Bytes == B.Bytes;
  }

  Status overlaps() const {
    for (size_t I = 0; I < P.Uses.size(); ++I)
      for (size_t J = I + 1; J < P.Uses.size(); ++J)
        if (overlap(P.Uses[I], P.Uses[J]) &&
            (P.Uses[I].Written || P.Uses[J].Written))
          GOLDY_TRY(shared(I, J));
    return Status();
  }

  Status shared(size_t I, size_t J) const {
    const Param &A = K.Params[UseParams[I]], &B = K.Params[UseParams[J]];
    std::string Both =
        "parameters " + quoted(A.Name) + " and " + quoted(B.Name);
    if (!sameView(P.Uses[I], P.Uses[J]))
      return refuse(Both + ": their views overlap and " +
                    quoted(P.Uses[I].Written ? A.Name : B.Name) +
                    " is written; bind the same view or disjoint ones");
    if (A.UniformRead || B.UniformRead)
      return refuse(Both + ": barriers rely on " +
                    quoted(A.UniformRead ? A.Name : B.Name) +
                    " not being written; bind different buffers");
    return Status();
  }

  const LoadedKernel &Loaded;
  const Kernel &K;
  std::span<const goldy_argument_t> Args;
  goldy_launch &Out;
  Part &P;
  std::vector<size_t> UseParams; ///< parameter of each use
};

} // namespace

Status goldy::rt::bindLaunch(const LoadedKernel &Kernel,
                             std::span<const goldy_argument_t> Arguments,
                             goldy_grid_t Grid, goldy_launch &Out,
                             SubmissionDesc &Desc) {
  Part P;
  P.Image = Kernel.Id;
  P.BaseOffset = Kernel.Definition->BaseWordsOffset;
  GOLDY_TRY(Binder(Kernel, Arguments, Out, P).run(Grid));
  Desc.Parts.push_back(std::move(P));
  return Status();
}

const Image *goldy::rt::chooseImage(const Kernel &K,
                                    const DeviceFacts &Device) {
  for (const std::string &Arch : Device.Arches)
    for (const Image &I : K.Images)
      if (I.Arch == Arch || Arch == "*")
        return &I;
  return nullptr;
}
