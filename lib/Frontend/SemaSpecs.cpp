//===- SemaSpecs.cpp - Specialisation constants
//----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant marked `#[goldy::spec]` is a value of the IR where a kernel
// computes with it. Where its value is needed to go on, in an array's length, a
// workgroup's size, another constant, a pattern or a factor, it is *fixed*:
// from then on it is a constant like others, everywhere in the file.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

using namespace goldy;
using namespace goldy::sema;

bool sema::isSpec(const ConstInfo &K) {
  for (const ast::Attribute &A : K.Item->Attributes)
    if (pathText(A.Name) == "goldy::spec")
      return true;
  return false;
}

static bool takesSpec(TypeId T) {
  return T == types::Bool || T == types::U32 || T == types::I32 ||
         T == types::F32;
}

void sema::bindSpecs(Context &C) {
  std::map<std::string, ConstInfo *> Known;
  std::vector<std::string> Names;
  for (ConstInfo &K : C.Consts)
    if (isSpec(K)) {
      Names.push_back(qualifiedName(C, *K.Item));
      Known[Names.back()] = &K;
    }
  for (const auto &[Name, Text] : C.Options.Specs) {
    std::map<std::string, ConstInfo *>::iterator It = Known.find(Name);
    if (It != Known.end()) {
      It->second->Define = &Text;
      It->second->DefinedBy = "--spec";
      continue;
    }
    DiagBuilder D = C.error(diag::G0210, Span());
    D << "`--spec " << Name << "`: there is no specialisation constant `"
      << Name << '`';
    suggest(D, Name, Span(), Names,
            "`--spec` names a `const` marked `#[goldy::spec]`");
  }
}

void sema::declareSpecs(Context &C) {
  for (ConstInfo &K : C.Consts) {
    if (!isSpec(K) || K.State != ResolveState::Done)
      continue;
    const ast::Ident &Name = K.Item->Name;
    if (!takesSpec(K.Type)) {
      C.error(diag::G0343, Name.Where)
              .help("leave `#[goldy::spec]` out: `-D` sets the constant when "
                    "compiling")
          << "specialisation constant `" << Name.Text << "` has type `"
          << C.typeName(K.Type) << "`, expected `u32`, `i32`, `f32` or `bool`";
      continue;
    }
    if (C.M.Specs.size() >= MaxSpecs) {
      C.error(diag::G0343, Name.Where)
              .help("leave `#[goldy::spec]` out of those that `-D` can set")
          << "a file has at most " << MaxSpecs << " specialisation constants";
      return;
    }
    K.Spec = SpecId(C.M.Specs.size());
    C.M.Specs.push({qualifiedName(C, *K.Item), K.Type, K.Bits, Name.Where});
  }
}
