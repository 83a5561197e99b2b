//===- SemaContract.cpp - Shape contracts of tensor parameters
//--------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `#[tensor(shape = [dim, _, 128])]`: one entry an axis, `_` for any extent, a
// name for extents that are equal wherever the name stands in the kernel's
// contracts, a constant expression for an exact extent. A bare name is never a
// constant: one that a `const` has too is refused, since a reader would take
// it for the value.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

using namespace goldy;
using namespace goldy::sema;

namespace {

constexpr size_t MaxRank = 4;
constexpr const char *Form = "write `#[tensor(shape = [rows, _, 128])]`";

class ContractReader {
public:
  explicit ContractReader(Context &C) : C(C) {}
  std::optional<std::vector<ContractDim>> read(const ast::Attribute &A);

private:
  const ast::Expr *shape(const ast::Attribute &A);
  bool axis(ast::ExprId E, ContractDim &Out);
  bool name(const ast::Expr &X, ContractDim &Out);

  Context &C;
};

/// The list of extents; null, reported, if there is none.
const ast::Expr *ContractReader::shape(const ast::Attribute &A) {
  const ast::Expr *List = nullptr;
  for (const ast::AttributeArg &Arg : A.Args) {
    if (Arg.Key.Text != "shape") {
      C.error(diag::G0360, Arg.Where).help(Form)
          << "`tensor` takes `shape = […]` only";
      return nullptr;
    }
    if (List) {
      C.error(diag::G0202, Arg.Where).help("leave one out")
          << "`shape` is given twice";
      return nullptr;
    }
    if (Arg.Value && C[Arg.Value].Form == ast::ExprForm::Error)
      return nullptr;
    if (!Arg.Value || C[Arg.Value].Form != ast::ExprForm::ArrayLit) {
      C.error(diag::G0360, Arg.Where).help(Form)
          << "`shape` is a list of extents, one an axis";
      return nullptr;
    }
    List = &C[Arg.Value];
  }
  if (!List)
    C.error(diag::G0360, A.Where).help(Form)
        << "this contract states no `shape`";
  return List;
}

bool ContractReader::name(const ast::Expr &X, ContractDim &Out) {
  if (X.Name.Segments.size() != 1) {
    C.error(diag::G0360, X.Where).help(Form)
        << "an extent is `_`, a name, or a constant expression, found `"
        << pathText(X.Name) << '`';
    return false;
  }
  std::string_view Text = X.Name.Segments[0].Text;
  if (Text == "_")
    return true;
  if (C.ConstNames.count(Text)) {
    std::string Value = "{ " + std::string(Text) + " }";
    C.error(diag::G0360, X.Where)
            .help("write `" + Value +
                  "` for the constant's value, or another name for an extent "
                  "that is equal elsewhere")
        << "`" << Text << "` is a constant, and a name in a shape stands for "
        << "an extent of the arguments";
    return false;
  }
  Out.Form = ContractDim::Kind::Symbol;
  Out.Name = std::string(Text);
  return true;
}

bool ContractReader::axis(ast::ExprId E, ContractDim &Out) {
  const ast::Expr &X = C[E];
  if (X.Form == ast::ExprForm::Name)
    return name(X, Out);
  std::optional<uint32_t> N = resolveCount(C, E, "an extent of a shape");
  if (!N)
    return false;
  Out.Form = ContractDim::Kind::Exact;
  Out.Extent = *N;
  return true;
}

std::optional<std::vector<ContractDim>>
ContractReader::read(const ast::Attribute &A) {
  const ast::Expr *List = shape(A);
  if (!List)
    return std::nullopt;
  if (List->Kids.size() > MaxRank) {
    C.error(diag::G0360, List->Where).help("join axes that lie side by side")
        << "a shape of " << List->Kids.size()
        << " axes; a tensor has at most 4";
    return std::nullopt;
  }
  std::vector<ContractDim> Dims(List->Kids.size());
  bool Good = true;
  for (size_t I = 0; I < Dims.size(); ++I)
    Good &= axis(List->Kids[I], Dims[I]);
  return Good ? std::optional(Dims) : std::nullopt;
}

} // namespace

std::optional<std::vector<ContractDim>>
sema::resolveContract(Context &C, const ast::ParamNode &P, const Local &L,
                      bool IsKernel) {
  std::optional<std::vector<ContractDim>> Contract;
  const ast::Attribute *First = nullptr;
  for (const ast::Attribute &A : P.Attributes) {
    if (pathText(A.Name) != "tensor")
      continue;
    if (First) {
      C.error(diag::G0202, A.Where)
              .note(First->Where, "first here")
              .help("leave one out")
          << "a parameter has one shape contract";
      continue;
    }
    First = &A;
    if (C.Vars.isError(L.Type))
      continue;
    if (!L.IsTensor)
      C.error(diag::G0361, A.Where)
              .note(C.Tree[P.Type].Where, "this is its type")
              .help("take a `gpu::Tensor<T>`, or leave the contract out")
          << "`" << L.Name << "` is no tensor and has no shape";
    else if (!IsKernel)
      C.error(diag::G0361, A.Where).help("move it to the kernel's parameter")
          << "a shape contract in a helper: shapes are checked when a kernel's "
             "arguments are bound";
    else
      Contract = ContractReader(C).read(A);
  }
  return Contract;
}
