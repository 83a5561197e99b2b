//===- SemaItems.cpp - Items of a file and their attributes
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects structs, constants and functions by name, checks attributes, binds
// -D options and finds cycles of calls.
//
//===----------------------------------------------------------------------===//
#include "SemaContext.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::sema;

ast::ExprId Context::strip(ast::ExprId E) const {
  while (Tree[E].Form == ast::ExprForm::Paren)
    E = Tree[E].Kids[0];
  return E;
}

ast::ExprId Context::onlyValue(ast::ExprId Block) const {
  const ast::BlockNode &Node = Tree[Tree[Block].Body];
  bool Plain = Node.Stmts.empty() && !Tree[Block].Label;
  return Plain ? Node.Tail : ast::ExprId();
}

std::string_view sema::gpuName(const ast::Path &P) {
  size_t N = P.Segments.size();
  if (N == 2 && P.Segments[0].Text == "gpu")
    return P.Segments[1].Text;
  if (N == 3 && P.Segments[0].Text == "goldy" && P.Segments[1].Text == "gpu")
    return P.Segments[2].Text;
  return {};
}

std::string sema::pathText(const ast::Path &P) {
  std::string Text;
  for (const ast::Ident &S : P.Segments) {
    if (!Text.empty())
      Text += "::";
    Text += S.Text;
  }
  return Text;
}

void sema::suggest(DiagBuilder &D, std::string_view Name,
                   const std::vector<std::string> &Candidates,
                   std::string_view Otherwise, std::string_view Prefix) {
  std::optional<std::string> Near;
  if (Name.size() > 1) // one letter is near to every other
    Near = nearest(Name, Candidates);
  D.help(Near ? "did you mean `" + std::string(Prefix) + *Near + "`?"
              : std::string(Otherwise));
}

bool sema::checkItemDepth(Context &C, unsigned Depth, const ast::Ident &Name) {
  if (Depth <= MaxItemDepth)
    return true;
  if (!C.DepthReported)
    C.error(diag::G0619, Name.Where).help("join some of the steps into one")
        << "`" << Name.Text << "` needs more than " << MaxItemDepth
        << " others, one through the other";
  C.DepthReported = true;
  return false;
}

bool sema::reportHidden(Context &C, std::string_view Name, Span Where) {
  std::map<std::string_view, const ast::Item *>::const_iterator It =
      C.HiddenItems.find(Name);
  if (It == C.HiddenItems.end())
    return false;
  if (It->second->Form == ast::ItemForm::HostOnly)
    C.error(diag::G0230, Where)
            .note(It->second->Where, "declared here and skipped")
        << '`' << Name << "` is an item for the host";
  return true;
}

namespace {

const ast::Attribute *findAttribute(const ast::Item &I, std::string_view Name) {
  for (const ast::Attribute &A : I.Attributes)
    if (pathText(A.Name) == Name)
      return &A;
  return nullptr;
}

/// Enters the name; false (reported) if it is taken.
bool declare(Context &C, std::map<std::string_view, uint32_t> &Names,
             const ast::Ident &Name, uint32_t Index,
             std::map<std::string_view, Span> &Seen) {
  auto [It, New] = Seen.try_emplace(Name.Text, Name.Where);
  if (!New) {
    C.error(diag::G0202, Name.Where).note(It->second, "first here")
        << '`' << Name.Text << "` is declared twice";
    return false;
  }
  Names[Name.Text] = Index;
  return true;
}

void refuseProgram(Context &C, const ast::Item &I, const ast::Attribute &A) {
  C.error(diag::G0609, A.Where)
          .help("dispatch the kernels from the host, or move the program into "
                "a file of its own")
      << "program `" << I.Name.Text << "` is refused: programs are not "
      << "supported yet";
}

void collectFunction(Context &C, const ast::Item &I,
                     std::map<std::string_view, Span> &Values) {
  FunctionInfo F;
  F.Item = &I;
  const ast::Attribute *Compute = findAttribute(I, "goldy::compute");
  const ast::Attribute *Program = findAttribute(I, "goldy::program");
  F.IsKernel = Compute != nullptr;
  F.IsProgram = Program != nullptr;
  if (Program)
    refuseProgram(C, I, *Program);
  if (F.IsKernel && C.Options.IsPrelude)
    C.error(diag::G0227, Compute->Where).help("leave the attribute out")
        << "the prelude holds helpers only, not kernels";
  if (declare(C, C.FunctionNames, I.Name,
              static_cast<uint32_t>(C.Functions.size()), Values))
    C.Functions.push_back(std::move(F));
}

void collectModule(Context &C, const ast::Item &I) {
  C.ModuleNames[I.Name.Text] = I.Where;
  C.error(diag::G0607, I.Where).help("copy the helpers into this file")
      << "`mod " << I.Name.Text << ";` is refused: modules are not supported "
      << "yet";
}

void collectItem(Context &C, const ast::Item &I,
                 std::map<std::string_view, Span> &Values,
                 std::map<std::string_view, Span> &TypesSeen) {
  switch (I.Form) {
  case ast::ItemForm::Const:
    if (declare(C, C.ConstNames, I.Name, static_cast<uint32_t>(C.Consts.size()),
                Values))
      C.Consts.emplace_back().Item = &I;
    return;
  case ast::ItemForm::Struct:
    if (declare(C, C.StructNames, I.Name,
                static_cast<uint32_t>(C.Structs.size()), TypesSeen))
      C.Structs.emplace_back().Item = &I;
    return;
  case ast::ItemForm::Function:
    return collectFunction(C, I, Values);
  case ast::ItemForm::Mod:
    return collectModule(C, I);
  case ast::ItemForm::HostOnly:
  case ast::ItemForm::Error:
    if (!I.Name.Text.empty())
      C.HiddenItems.try_emplace(I.Name.Text, &I);
    return;
  case ast::ItemForm::Use:
    return;
  }
}

// --- Cycles of calls

struct CycleFinder {
  Context &C;
  std::vector<uint8_t> State; ///< 0 new, 1 on the path, 2 done
  std::vector<CallEdge> Path;
  std::vector<unsigned> Depth; ///< of calls below a function, itself included

  void report(const CallEdge &Closing) {
    std::string Chain;
    bool On = false;
    for (const CallEdge &E : Path) {
      On |= E.Callee == Closing.Callee;
      if (On)
        Chain += "`" + name(E.Callee) + "` calls ";
    }
    C.error(diag::G0212, Closing.Where)
            .help("write a loop, with an array as its stack if one is needed")
        << "recursion is refused: " << Chain << '`' << name(Closing.Callee)
        << '`';
  }
  std::string name(uint32_t F) const {
    return std::string(C.Functions[F].Item->Name.Text);
  }
  void visit(const CallEdge &Edge) {
    uint32_t F = Edge.Callee;
    if (State[F] == 2)
      return;
    if (State[F] == 1)
      return report(Edge);
    State[F] = 1;
    Path.push_back(Edge);
    unsigned Below = 0;
    if (checkItemDepth(C, static_cast<unsigned>(Path.size()),
                       C.Functions[F].Item->Name))
      for (const CallEdge &E : C.Functions[F].Calls) {
        visit(E);
        Below = std::max(Below, Depth[E.Callee]);
      }
    Depth[F] = Below + 1;
    checkItemDepth(C, Depth[F], C.Functions[F].Item->Name);
    Path.pop_back();
    State[F] = 2;
  }
};

} // namespace

void sema::collectItems(Context &C) {
  std::map<std::string_view, Span> Values, TypesSeen;
  for (const ast::Item &I : C.Tree.Items)
    collectItem(C, I, Values, TypesSeen);
}

void sema::bindDefines(Context &C) {
  for (const auto &[Name, Text] : C.Options.Defines) {
    std::map<std::string_view, uint32_t>::const_iterator It =
        C.ConstNames.find(Name);
    if (It != C.ConstNames.end()) {
      C.Consts[It->second].Define = &Text;
      continue;
    }
    DiagBuilder D = C.error(diag::G0210, Span());
    D << "`-D " << Name << "`: there is no constant `" << Name << '`';
    suggest(D, Name, keysOf(C.ConstNames),
            "`-D` names a scalar `const` of the file");
  }
}

void sema::checkRecursion(Context &C) {
  CycleFinder Finder{C,
                     std::vector<uint8_t>(C.Functions.size()),
                     {},
                     std::vector<unsigned>(C.Functions.size())};
  for (uint32_t F = 0; F < C.Functions.size(); ++F)
    Finder.visit({F, C.Functions[F].Item->Name.Where});
}

/// Marks what the function reaches by calls.
static void markReached(const Context &C, uint32_t F, std::vector<bool> &Seen) {
  if (Seen[F])
    return;
  Seen[F] = true;
  for (const CallEdge &E : C.Functions[F].Calls)
    markReached(C, E.Callee, Seen);
}

bool sema::floatAtomicNeedsMark(Context &C, Span Where) {
  return C.error(diag::G0330, Where)
             .help("write `#[goldy::compute(.., nondeterministic)]`, or sum in "
                   "a fixed order")
         << "`gpu::atomic_add` on `f32` depends on the order of work-items: "
         << "the kernel must be marked `nondeterministic`";
}

void sema::checkSchedules(Context &C) {
  std::vector<bool> ByAny(C.Functions.size()), ByStrict(C.Functions.size());
  for (uint32_t F = 0; F < C.Functions.size(); ++F)
    if (C.Functions[F].IsKernel) {
      markReached(C, F, ByAny);
      if (!C.Functions[F].Nondeterministic)
        markReached(C, F, ByStrict);
    }
  for (uint32_t F = 0; F < C.Functions.size(); ++F)
    for (Span Where : C.Functions[F].FloatAtomics)
      if (ByStrict[F])
        floatAtomicNeedsMark(C, Where);
  for (uint32_t F = 0; F < C.Functions.size(); ++F)
    for (const OldValueUse &U : C.Functions[F].OldValueUses)
      if (ByStrict[F] || !ByAny[F])
        C.error(diag::G0322, U.Where)
                .help("mark the kernel `nondeterministic` if that is meant")
            << "which work-item gets which old value of `" << U.Name
            << "` depends on the schedule";
}
