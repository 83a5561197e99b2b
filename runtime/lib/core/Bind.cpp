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
#include "core/LayoutTables.h"
#include "core/Objects.h"
#include "core/Parts.h"
#include "core/TensorView.h"

#include <algorithm>
#include <cstring>
#include <map>

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
    P.Uses.reserve(Args.size() + 1);
    Out.Memories.reserve(Args.size() + 1);
    for (size_t I = 0; I < Args.size(); ++I)
      GOLDY_TRY(argument(I));
    GOLDY_TRY(contracts());
    GOLDY_TRY(overlaps());
    return layoutTable();
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
    if (Out.Empty)
      return Status();
    std::array<uint32_t, 3> Dispatched = P.Groups;
    Dispatched[0] = (P.Groups[0] - 1) / Loaded.Chosen->GroupsAtOnce + 1;
    eachPiece(Dispatched, Loaded.Device->facts().MaxGroups,
              [&](const GridPiece &Piece) { P.Pieces.push_back(Piece); });
    return Status();
  }

  Status argument(size_t I) {
    const Param &Param = K.Params[I];
    const goldy_argument_t &A = Args[I];
    switch (Param.Kind) {
    case GOLDY_PARAM_SCALAR:
      return scalar(Param, A);
    case GOLDY_PARAM_BUFFER:
      return buffer(Param, A);
    case GOLDY_PARAM_TENSOR:
      return tensor(I, Param, A);
    case GOLDY_PARAM_UNIFORM:
      return uniform(Param, A);
    case GOLDY_PARAM_IMAGE:
      return image(I, Param, A);
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

  /// The elements that an argument names, which go into the block.
  Status elements(const Param &Param, const goldy_argument_t &A) {
    const std::shared_ptr<Memory> &M = A.buffer->Memory;
    if (M->Device != Loaded.Device)
      return refuse(Param, "the buffer belongs to another device");
    if (A.length > UINT32_MAX)
      return refuse(Param,
                    std::to_string(A.length) +
                        " elements, the limit is 4294967295",
                    GOLDY_LIMIT);
    if (A.offset % viewAlign(Param) != 0)
      return refuse(Param, "byte offset " + std::to_string(A.offset) +
                               " is not a multiple of the view's alignment " +
                               std::to_string(viewAlign(Param)));
    std::optional<uint64_t> Bytes = checkedMul(A.length, Param.Type->Stride);
    if (!Bytes || !rangeFits(A.offset, *Bytes, M->Bytes))
      return refuse(Param, std::to_string(A.length) + " elements of " +
                               std::to_string(Param.Type->Stride) +
                               " bytes from byte " + std::to_string(A.offset) +
                               " on do not fit into the buffer of " +
                               std::to_string(M->Bytes) + " bytes");
    uint64_t Address = Loaded.Device->address(M->Id) + A.offset;
    std::memcpy(&P.Block[Param.Offset], &Address, 8);
    Out.Memories.push_back(M);
    return Status();
  }

  /// Of elements [First, End).
  void use(const Param &Param, const goldy_argument_t &A, uint64_t First,
           uint64_t End) {
    uint64_t Stride = Param.Type->Stride;
    P.Uses.push_back({A.buffer->Memory->Id, A.offset + First * Stride,
                      (End - First) * Stride, Param.Access != GOLDY_READ});
  }

  /// All elements, one after the other.
  Status whole(const Param &Param, const goldy_argument_t &A,
               const char *What) {
    if (!A.buffer)
      return refuse(Param, std::string("is ") + What + ", got a scalar");
    if (A.view)
      return refuse(Param, std::string("is ") + What + ", got a tensor view");
    GOLDY_TRY(elements(Param, A));
    use(Param, A, 0, A.length);
    return Status();
  }

  void putLength(const Param &Param, const goldy_argument_t &A) {
    uint32_t Length = static_cast<uint32_t>(A.length);
    std::memcpy(&P.Block[Param.Offset + 8], &Length, 4);
  }

  Status buffer(const Param &Param, const goldy_argument_t &A) {
    GOLDY_TRY(whole(Param, A, "a buffer"));
    putLength(Param, A);
    return Status();
  }

  Status uniform(const Param &Param, const goldy_argument_t &A) {
    if (A.buffer && A.length != 1)
      return refuse(Param, "is one value, got " + std::to_string(A.length) +
                               " elements");
    return whole(Param, A, "a uniform block");
  }

  Status image(size_t I, const Param &Param, const goldy_argument_t &A) {
    uint32_t Width = static_cast<uint32_t>(A.word);
    uint32_t Height = static_cast<uint32_t>(A.word >> 32);
    if (A.buffer && A.length != uint64_t(Width) * Height)
      return refuse(Param, "is an image of " + std::to_string(Width) + " x " +
                               std::to_string(Height) + " elements, got " +
                               std::to_string(A.length));
    if (A.buffer && A.offset % 16 != 0)
      return refuse(Param, "byte offset " + std::to_string(A.offset) +
                               " is not a multiple of 16");
    GOLDY_TRY(whole(Param, A, "an image"));
    std::memcpy(&P.Block[Param.Offset + 8], &Width, 4);
    std::memcpy(&P.Block[Param.Offset + 12], &Height, 4);
    P.Images.push_back({static_cast<uint32_t>(I), P.Uses.back().Memory,
                        A.offset, Width, Height});
    return Status();
  }

  Status tensor(size_t I, const Param &Param, const goldy_argument_t &A) {
    if (!A.buffer)
      return refuse(Param, "is a tensor, got a scalar");
    GOLDY_TRY(elements(Param, A));
    putLength(Param, A);
    TensorView View;
    std::string Why =
        checkView(A.view, A.length, Param.Access != GOLDY_READ, View);
    if (!Why.empty())
      return refuse(Param, Why);
    std::memcpy(&P.Block[Param.Offset + 16], &View.Offset, 4);
    Layouts.push_back(View.Layout);
    use(Param, A, View.First, View.End);
    Tensors.push_back({I, View});
    return Status();
  }

  // --- Contracts

  Status contracts() {
    for (const TensorSeen &T : Tensors)
      if (K.Params[T.Param].Contract)
        GOLDY_TRY(contract(K.Params[T.Param], T.View));
    return Status();
  }

  /// Where the name of an extent stood first, and what it was there.
  struct Extent {
    std::string Param;
    uint32_t Value = 0;
  };

  Status contract(const Param &Param, const TensorView &View) {
    const std::vector<ContractDim> &Dims = *Param.Contract;
    std::string Both = "; its shape is " + View.shape() +
                       ", the contract says " + contractText(Dims);
    if (View.Layout.rank != Dims.size())
      return refuse(Param, "rank " + std::to_string(View.Layout.rank) +
                               ", expected rank " +
                               std::to_string(Dims.size()) + Both);
    for (uint32_t A = 0; A < Dims.size(); ++A) {
      uint32_t Got = View.Layout.shape[A], Wanted = Dims[A].Extent;
      std::string From;
      if (Dims[A].Form == ContractDim::Kind::Any)
        continue;
      if (Dims[A].Form == ContractDim::Kind::Symbol) {
        Extent &Named =
            Extents.try_emplace(Dims[A].Name, Extent{Param.Name, Got})
                .first->second;
        Wanted = Named.Value;
        From = " as in parameter " + quoted(Named.Param);
      }
      if (Got != Wanted)
        return refuse(Param, "axis " + std::to_string(A) + " has extent " +
                                 std::to_string(Got) + ", expected " +
                                 std::to_string(Wanted) + From + Both);
    }
    return Status();
  }

  // --- Views that overlap

  static bool overlap(const MemoryUse &A, const MemoryUse &B) {
    return A.Memory == B.Memory && A.Bytes && B.Bytes &&
           A.Offset < B.Offset + B.Bytes && B.Offset < A.Offset + A.Bytes;
  }
  /// What a use is of.
  struct ViewSeen {
    size_t Param = 0;
    uint64_t Start = 0; ///< byte of its memory where element 0 of View lies
    TensorView View;
  };
  /// Each argument that is no scalar has a use.
  ViewSeen seen(size_t Use) const {
    size_t I = 0;
    for (;; ++I)
      if (K.Params[I].Kind != GOLDY_PARAM_SCALAR && Use-- == 0)
        break;
    for (const TensorSeen &T : Tensors)
      if (T.Param == I)
        return {I, Args[I].offset, T.View};
    return {I, Args[I].offset, wholeView(Args[I].length)};
  }
  /// Index i is one element through both.
  bool sameView(size_t I, size_t J) const {
    const MemoryUse &A = P.Uses[I], &B = P.Uses[J];
    if (A.Offset != B.Offset || A.Bytes != B.Bytes)
      return false;
    TensorView X = seen(I).View, Y = seen(J).View;
    return (X.isContiguous() && Y.isContiguous()) ||
           std::memcmp(&X.Layout, &Y.Layout, sizeof X.Layout) == 0;
  }
  /// False if no element of one is an element of the other.
  bool meet(size_t I, size_t J) const {
    ViewSeen X = seen(I), Y = seen(J);
    uint64_t Stride = K.Params[X.Param].Type->Stride;
    if (Stride != K.Params[Y.Param].Type->Stride ||
        X.Start % Stride != Y.Start % Stride)
      return true;
    TensorView A = X.View, B = Y.View;
    uint64_t Least = std::min(X.Start, Y.Start);
    for (auto [View, Start] :
         {std::pair(&A, X.Start), std::pair(&B, Y.Start)}) {
      uint64_t Shift = (Start - Least) / Stride;
      View->First += Shift;
      View->End += Shift;
      if (View->Offset + Shift > UINT32_MAX)
        return true;
      View->Offset += static_cast<uint32_t>(Shift);
    }
    return viewsMeet(A, B);
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
    const Param &A = K.Params[seen(I).Param], &B = K.Params[seen(J).Param];
    std::string Both =
        "parameters " + quoted(A.Name) + " and " + quoted(B.Name);
    bool Same = sameView(I, J);
    if (!Same && !meet(I, J))
      return Status();
    for (const Param *Fixed : {&A, &B})
      if (Fixed->Kind == GOLDY_PARAM_UNIFORM ||
          Fixed->Kind == GOLDY_PARAM_IMAGE)
        return refuse(Both + ": " + quoted(Fixed->Name) + " is " +
                      (Fixed->Kind == GOLDY_PARAM_IMAGE ? "an image"
                                                        : "a uniform block") +
                      " and shares no memory that is written; bind another "
                      "view");
    if (!Same)
      return refuse(Both + ": their views overlap and " +
                    quoted(P.Uses[I].Written ? A.Name : B.Name) +
                    " is written; bind the same view or disjoint ones");
    if (A.UniformRead || B.UniformRead)
      return refuse(Both + ": barriers rely on " +
                    quoted(A.UniformRead ? A.Name : B.Name) +
                    " not being written; bind different buffers");
    return Status();
  }

  // --- Layouts

  Status layoutTable() {
    if (Layouts.empty())
      return Status();
    std::shared_ptr<Memory> Table;
    GOLDY_TRY(Loaded.Layouts->find(Loaded.Device, Layouts, Table));
    uint64_t Address = Loaded.Device->address(Table->Id);
    std::memcpy(&P.Block[K.LayoutTableOffset], &Address, 8);
    P.Uses.push_back({Table->Id, 0, Table->Bytes, false});
    Out.Memories.push_back(std::move(Table));
    return Status();
  }

  const LoadedKernel &Loaded;
  const Kernel &K;
  std::span<const goldy_argument_t> Args;
  goldy_launch &Out;
  Part &P;
  struct TensorSeen {
    size_t Param = 0;
    TensorView View;
  };
  std::vector<TensorSeen> Tensors;          ///< in order
  std::vector<goldy_tensor_layout> Layouts; ///< of the tensors, in order
  std::map<std::string, Extent> Extents;    ///< by name, of contracts
};

} // namespace

uint64_t goldy::rt::viewAlign(const Param &P) {
  const goldy_type &T = *P.Type;
  if (P.Kind == GOLDY_PARAM_UNIFORM)
    return 16;
  bool Whole = T.Kind == GOLDY_TYPE_VECTOR && (T.Count == 2 || T.Count == 4) &&
               T.Element->Size == 4;
  return Whole ? T.Size : T.Align;
}

Status goldy::rt::bindLaunch(const LoadedKernel &Kernel,
                             std::span<const goldy_argument_t> Arguments,
                             goldy_grid_t Grid, goldy_launch &Out,
                             SubmissionDesc &Desc) {
  return bindPart(Kernel, Arguments, Grid, Out, Desc.Parts.emplace_back());
}

Status goldy::rt::bindPart(const LoadedKernel &Kernel,
                           std::span<const goldy_argument_t> Arguments,
                           goldy_grid_t Grid, goldy_launch &Out, Part &P) {
  P.Image = Kernel.Id;
  P.BaseOffset = Kernel.Definition->BaseWordsOffset;
  return Binder(Kernel, Arguments, Out, P).run(Grid);
}

std::vector<const Image *> goldy::rt::imagesFor(const Kernel &K,
                                                const DeviceFacts &Device) {
  std::vector<const Image *> Images;
  for (const std::string &Arch : Device.Arches)
    for (const Image &I : K.Images)
      if (I.Arch == Arch || Arch == "*")
        Images.push_back(&I);
  return Images;
}
