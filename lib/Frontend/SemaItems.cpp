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

void sema::suggest(DiagBuilder &D, std::string_view Name, Span Where,
                   const std::vector<std::string> &Candidates,
                   std::string_view Otherwise, std::string_view Prefix) {
  std::optional<std::string> Near;
  if (Name.size() > 1) // one letter is near to every other
    Near = nearest(Name, Candidates);
  if (!Near) {
    D.help(std::string(Otherwise));
    return;
  }
  std::string Meant = std::string(Prefix) + *Near;
  D.help("did you mean `" + Meant + "`?");
  if (Where.isValid())
    D.fix(Where, Meant);
}

std::string sema::qualified(const Context &C, uint32_t Module,
                            std::string_view Path) {
  const std::string &Outer = C.Tree.Modules[Module].Path;
  return (Outer.empty() ? "" : Outer + "::") + std::string(Path);
}

std::string sema::qualifiedName(const Context &C, const ast::Item &I) {
  return qualified(C, I.Module, I.Name.Text);
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
  for (size_t End = Name.find("::"); End != Name.npos;
       End = Name.find("::", End + 2))
    if (const bool *Read = findItem(C, C.ModuleNames, Name.substr(0, End));
        Read && !*Read)
      return true;
  const ast::Item *const *Hidden = findItem(C, C.HiddenItems, Name);
  if (!Hidden)
    return false;
  if ((*Hidden)->Form == ast::ItemForm::HostOnly)
    C.error(diag::G0230, Where)
            .note((*Hidden)->Where, "declared here and skipped")
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

using SeenNames = ItemTable<Span>;

/// Enters the name; false (reported) if it is taken.
template <class V>
bool declare(Context &C, ItemTable<V> &Names, const ast::Item &I, V Value,
             SeenNames &Seen) {
  auto [It, New] = Seen.try_emplace(qualifiedName(C, I), I.Name.Where);
  if (!New) {
    C.error(diag::G0202, I.Name.Where).note(It->second, "first here")
        << '`' << I.Name.Text << "` is declared twice";
    return false;
  }
  Names[It->first] = Value;
  return true;
}

void collectFunction(Context &C, const ast::Item &I, SeenNames &Values) {
  FunctionInfo F;
  F.Item = &I;
  const ast::Attribute *Compute = findAttribute(I, "goldy::compute");
  const ast::Attribute *Program = findAttribute(I, "goldy::program");
  F.IsKernel = Compute != nullptr;
  F.IsProgram = Program != nullptr;
  if (F.IsKernel && F.IsProgram)
    C.error(diag::G1111, Program->Where)
            .note(Compute->Where, "a kernel by this")
            .help("leave one of the two out")
        << "`" << I.Name.Text << "` cannot be both kernel and program";
  F.IsProgram &= !F.IsKernel;
  if (F.IsKernel && C.Options.IsPrelude)
    C.error(diag::G0227, Compute->Where).help("leave the attribute out")
        << "the prelude holds helpers only, not kernels";
  if (declare(C, C.FunctionNames, I, static_cast<uint32_t>(C.Functions.size()),
              Values))
    C.Functions.push_back(std::move(F));
}

void collectItem(Context &C, const ast::Item &I, SeenNames &Values,
                 SeenNames &TypesSeen) {
  switch (I.Form) {
  case ast::ItemForm::Const:
    if (declare(C, C.ConstNames, I, static_cast<uint32_t>(C.Consts.size()),
                Values))
      C.Consts.emplace_back().Item = &I;
    return;
  case ast::ItemForm::Struct:
    if (declare(C, C.StructNames, I, static_cast<uint32_t>(C.Structs.size()),
                TypesSeen))
      C.Structs.emplace_back().Item = &I;
    return;
  case ast::ItemForm::Function:
    return collectFunction(C, I, Values);
  case ast::ItemForm::Mod:
    declare(C, C.ModuleNames, I, I.Opens != 0, TypesSeen);
    return;
  case ast::ItemForm::HostOnly:
  case ast::ItemForm::Error:
    if (!I.Name.Text.empty())
      C.HiddenItems.try_emplace(qualifiedName(C, I), &I);
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
    return qualifiedName(C, *C.Functions[F].Item);
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
  SeenNames Values, TypesSeen;
  for (const ast::Item &I : C.Tree.Items)
    collectItem(C, I, Values, TypesSeen);
}

void sema::bindDefines(Context &C) {
  for (const auto &[Name, Text] : C.Options.Defines) {
    if (const uint32_t *Index = findItem(C, C.ConstNames, Name)) {
      C.Consts[*Index].Define = &Text;
      continue;
    }
    DiagBuilder D = C.error(diag::G0210, Span());
    D << "`-D " << Name << "`: there is no constant `" << Name << '`';
    suggest(D, Name, Span(), namesOf(C, C.ConstNames),
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
