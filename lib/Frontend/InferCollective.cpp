//===- InferCollective.cpp - Calls that the whole group makes together
//---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a collective may stand, what its workgroup must be, and what its
// scratch array must hold. That the group reaches it as a whole is for the
// verifier. The prelude may use collectives in helpers, with a buffer
// parameter that stands for the scratch array.
//
//===----------------------------------------------------------------------===//
#include "Infer.h"

#include <bit>

using namespace goldy;
using namespace goldy::sema;

/// `::<N>`, if it is there, is the workgroup's extent along x.
bool Infer::extentSuits(ast::ExprId E) {
  const ast::Path &P = C[E].Name;
  if (P.GenericExprs.size() + P.GenericTypes.size() > 1 ||
      !P.GenericTypes.empty())
    return C.error(diag::G0305, C[E].Where)
               .help("write `::<" + std::to_string(F->WorkgroupSize[0]) +
                     ">`, or leave it out")
           << '`' << shownName(E) << "` takes one number in `::<…>`";
  if (P.GenericExprs.empty())
    return true;
  std::optional<uint32_t> N =
      resolveCount(C, P.GenericExprs[0], "the extent of a collective");
  if (!N || *N == F->WorkgroupSize[0])
    return N.has_value();
  return C.error(diag::G0333, C[E].Where)
             .help("the two are equal: leave `::<N>` out")
         << '`' << shownName(E) << "::<" << *N << ">` in a workgroup of "
         << F->WorkgroupSize[0] << " work-items";
}

/// The kernel's workgroup is a row of a power of two work-items.
bool Infer::groupSuits(ast::ExprId E) {
  if (C.Options.IsPrelude)
    return true;
  if (!F->IsKernel)
    return C.error(diag::G0225, C[E].Where)
               .help("call it in the kernel and pass its result to the helper")
           << '`' << shownName(E) << "` cannot stand in a helper";
  if (!extentSuits(E))
    return false;
  const std::array<uint32_t, 3> &Size = F->WorkgroupSize;
  if (Size[1] != 1 || Size[2] != 1)
    return C.error(diag::G0340, C[E].Where)
               .help("use the 1-D form, in a workgroup of size [N, 1, 1]")
           << '`' << shownName(E) << "` works along x only; this workgroup is "
           << Size[0] << " x " << Size[1] << " x " << Size[2];
  if (!std::has_single_bit(Size[0]))
    return C.error(diag::G0340, C[E].Where)
               .help("make it " + std::to_string(std::bit_ceil(Size[0])) +
                     " and give the work-items beyond the data a neutral value")
           << '`' << shownName(E) << "` takes a workgroup of a power of two, "
           << "found " << Size[0];
  return true;
}

bool Infer::scratchSuits(ast::ExprId E, ast::ExprId Arg, const Local &S) {
  if (C.Options.IsPrelude)
    return true;
  std::string Name(S.Name), Size = std::to_string(F->WorkgroupSize[0]);
  if (S.Kind != LocalKind::WorkgroupArray)
    return C.error(diag::G0341, C[Arg].Where)
               .note(S.Where, "a buffer, not a workgroup array")
               .help("declare `let mut s = gpu::workgroup_array::<f32, " +
                     Size + ">();` at the top level of the kernel")
           << "the scratch of `" << shownName(E)
           << "` is a workgroup array, found the buffer `" << Name << '`';
  TypeId T = C.Vars.knownType(S.Type);
  if (T && T != types::U32 && T != types::I32 && T != types::F32)
    return C.error(diag::G0341, C[Arg].Where)
               .note(S.Where, "declared here")
               .help("use an array of `u32`, `i32` or `f32`")
           << '`' << shownName(E)
           << "` works on `u32`, `i32` and `f32`, found `" << C.typeName(T)
           << '`';
  if (S.Extent < F->WorkgroupSize[0])
    return C.error(diag::G0341, C[Arg].Where)
               .note(S.Where, "declared here")
               .help("give it a length of " + Size)
           << "the scratch of `" << shownName(E)
           << "` holds a value of every work-item: `" << Name << "` has "
           << S.Extent << " of " << Size << " elements";
  return true;
}

/// Element type of the scratch array; the error type after a message.
Ty Infer::scratchElement(ast::ExprId E, ast::ExprId Arg) {
  std::optional<uint32_t> L = resourceOf(Arg);
  if (!L) {
    Ty T = infer(Arg);
    if (!C.Vars.isError(T))
      C.error(diag::G0341, C[Arg].Where)
              .help("pass the name of a workgroup array")
          << "the scratch of `" << shownName(E)
          << "` is a workgroup array, found a value of type `" << C.Vars.name(T)
          << '`';
    return C.Vars.error();
  }
  const Local S = F->Locals[*L];
  if (C.Vars.isError(S.Type) || !scratchSuits(E, Arg, S))
    return C.Vars.error();
  checkAccess(Arg, *L, Use::Update);
  return S.Type;
}

Ty Infer::callCollective(ast::ExprId E, const Builtin &B) {
  if (!groupSuits(E))
    return argumentsOnly(E);
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  if (E != Assigned && !C.Options.IsPrelude) {
    std::string Call = shownName(E);
    C.error(diag::G0342, C[E].Where)
            .help("write `let r = " + Call + "(…);` before this statement")
        << '`' << Call
        << "` is the whole value of a `let` or of an assignment, not a part of "
           "an expression";
    return argumentsOnly(E);
  }
  Ty Element = scratchElement(E, Kids[1]);
  coerce(Kids[0], Element);
  return Element;
}

void Infer::softmaxBuffer(ast::ExprId E, ast::ExprId Arg) {
  std::optional<uint32_t> L = resourceOf(Arg);
  Ty Found = L ? F->Locals[*L].Type : infer(Arg);
  if (C.Vars.isError(Found))
    return;
  bool Buffer = L && F->Locals[*L].Kind == LocalKind::Resource;
  if (!Buffer || C.Vars.knownType(Found) != types::F32) {
    C.error(diag::G0341, C[Arg].Where).help("take it as `&mut [f32]`")
        << '`' << shownName(E)
        << "` rewrites a buffer or tensor of `f32`, found "
        << (Buffer ? "elements of type `"
            : L    ? "a workgroup array of `"
                   : "a value of type `")
        << C.Vars.name(Found) << '`';
    return;
  }
  checkAccess(Arg, *L, Use::Update);
}

Ty Infer::callSoftmax(ast::ExprId E) {
  if (!groupSuits(E))
    return argumentsOnly(E);
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  softmaxBuffer(E, Kids[0]);
  coerce(Kids[1], C.Vars.known(types::U32));
  coerce(Kids[2], C.Vars.known(types::U32));
  Ty Element = scratchElement(E, Kids[3]);
  TypeId T = C.Vars.knownType(Element);
  if (T && T != types::F32)
    C.error(diag::G0341, C[Kids[3]].Where)
            .help("use a workgroup array of `f32`")
        << "the scratch of `" << shownName(E) << "` holds `f32`, found `"
        << C.typeName(T) << '`';
  return C.Vars.known(types::Void);
}

Ty Infer::callUniformLoad(ast::ExprId E) {
  if (!F->IsKernel && !C.Options.IsPrelude) {
    refuse(diag::G0225, C[E].Where,
           "`" + shownName(E) + "` cannot stand in a helper",
           "call it in the kernel and pass its result to the helper");
    return argumentsOnly(E);
  }
  const std::vector<ast::ExprId> &Kids = C[E].Kids;
  std::optional<uint32_t> L = resourceOf(Kids[0]);
  Ty Element = L ? F->Locals[*L].Type : infer(Kids[0]);
  bool Group = L && (F->Locals[*L].Kind == LocalKind::WorkgroupArray ||
                     C.Options.IsPrelude);
  if (!Group && !C.Vars.isError(Element)) {
    C.error(diag::G0341, C[Kids[0]].Where)
            .help(L ? "an element of a buffer that the kernel never writes is "
                      "uniform where its index is"
                    : "pass the name of a workgroup array and an index")
        << '`' << shownName(E) << "` reads a workgroup array, found "
        << (L ? "the buffer" : "a value of type") << " `"
        << (L ? std::string(F->Locals[*L].Name) : C.Vars.name(Element)) << '`';
    Element = C.Vars.error();
  }
  indexValue(Kids[1]);
  return Element;
}
