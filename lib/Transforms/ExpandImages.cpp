//===- ExpandImages.cpp - Images where the target has none ----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element (x, y) is written if x is below the width and y below the height,
// the words behind the image's address in the block (`gpu::dim`). Where the
// target has no images, the parameter becomes a buffer of rows, whose element
// is number y * width + x; its entry in the block stays that of the image.
//
//===----------------------------------------------------------------------===//
#include "RewritePass.h"

namespace goldy {
namespace {

class ImageExpander : public PassRewriter {
public:
  ImageExpander(Module &M, const Function &Src, PassContext &Context)
      : PassRewriter(M, Src, Context),
        Stays(Context.Caps.Images && !Src.WordsBinding) {
    for (Param &P : Dst.Params)
      if (P.Kind == ParamKind::Image && !Stays) {
        P.Kind = ParamKind::Buffer;
        P.ExpandedFrom = ParamKind::Image;
        Changed = true;
      }
  }

protected:
  InstId visit(InstId I) override {
    const Inst &N = Src.Insts[I];
    bool IsImage =
        N.Opcode == Op::Store &&
        Src.Places[N.Where].Base.Kind == BaseKind::Param &&
        Src.Params[Src.Places[N.Where].Base.Index].Kind == ParamKind::Image;
    return IsImage ? store(I) : copy(I);
  }

private:
  /// A negative index is beyond every extent.
  ValueId unsignedIndex(const PathElement &E) {
    ValueId V = E.isDynamic() ? map(E.Index) : B.u32(E.Member);
    return Dst.typeOf(V) == types::I32 ? B.cast(V, types::U32) : V;
  }
  ValueId extent(const PlaceBase &Base, uint32_t Axis) {
    ValueId Operands[] = {B.ref(Base), B.u32(Axis)};
    return B.opTyped(Op::Dim, types::U32, Operands);
  }

  InstId store(InstId I) {
    const Place &P = Src.Places[Src.Insts[I].Where];
    bool Checked = M.Bounds == BoundsMode::Checked;
    if (Stays && !(Checked && spend()))
      return copy(I);
    ValueId X = unsignedIndex(P.Path[0]), Y = unsignedIndex(P.Path[1]);
    ValueId Width = extent(P.Base, 0);
    ValueId Guard = Src.guard(I) ? map(Src.guard(I)) : ValueId();
    if (Checked) {
      ValueId InRow = B.op(Op::Lt, {X, Width});
      ValueId InColumn = B.op(Op::Lt, {Y, extent(P.Base, 1)});
      ValueId Inside = B.op(Op::And, {InRow, InColumn});
      Guard = Guard ? B.op(Op::And, {Guard, Inside}) : Inside;
    }
    if (Stays)
      return copyAccess(I, B.place(P.Base, {{X, 0}, {Y, 0}}), Guard);
    ValueId Number = B.op(Op::Add, {B.op(Op::Mul, {Y, Width}), X});
    return copyAccess(I, B.place(P.Base, {{Number, 0}}), Guard);
  }

  bool Stays; ///< images stay images
};

class ExpandImagesPass : public Pass {
public:
  std::string_view name() const override { return "expand-images"; }
  PassResult run(Module &M, PassContext &Context) override {
    return rewriteFunctions<ImageExpander>(M, Context);
  }
};

} // namespace

std::unique_ptr<Pass> createExpandImagesPass() {
  return std::make_unique<ExpandImagesPass>();
}

} // namespace goldy
