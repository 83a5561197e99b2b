//===- FuseProgram.cpp - Fusion in programs -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps are planned twice: with inputs that may overlap and any width,
// which gives steps that are right in any run, and with those that hold what a
// Choice asks for. Where the two differ, a Choice holds both.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Transforms/FuseProgram.h"

#include <algorithm>
#include <map>
#include <set>

using namespace goldy;
using namespace goldy::prog;

namespace {

/// More stages are not tried: they take time to compile and rarely share more.
constexpr size_t MaxStages = 16;
/// Kernels of the same stages that differ by their constants; others take them
/// as arguments.
constexpr size_t MaxAlike = 16;

using Steps = std::vector<prog::Step>;

/// What has to hold in a run for steps to be right, as Choice has it.
struct Needs {
  std::set<std::pair<BufferId, BufferId>> Apart;
  std::set<std::pair<ExprId, ExprId>> Fits;
  bool any() const { return !Apart.empty() || !Fits.empty(); }
  friend bool operator==(const Needs &, const Needs &) = default;
  void add(const Needs &More) {
    Apart.insert(More.Apart.begin(), More.Apart.end());
    Fits.insert(More.Fits.begin(), More.Fits.end());
  }
};

// --- What a program says of a dispatch

/// Numbers for equal arguments and equal grids, over the whole program.
class Numbers {
public:
  explicit Numbers(const Program &P) : P(P) {}
  uint32_t argument(const Argument &A) const {
    return A.Buffer ? A.Buffer.index() * 2 : value(A.Value);
  }
  uint32_t value(ExprId E) const { return E.index() * 2 + 1; }
  std::optional<BufferId> buffer(uint32_t Argument) const {
    if (Argument % 2)
      return std::nullopt;
    return BufferId(Argument / 2);
  }
  Argument back(uint32_t Number) const {
    Argument A;
    if (Number % 2)
      A.Value = ExprId(Number / 2);
    else
      A.Buffer = BufferId(Number / 2);
    return A;
  }
  /// Groups along an axis, if they are a constant.
  std::optional<uint64_t> groups(const Dispatch &D, const Function &Kernel,
                                 unsigned Axis) const;
  uint32_t grid(const Dispatch &D, const Function &Kernel);

private:
  const Program &P;
  std::map<std::vector<uint64_t>, uint32_t> Grids;
};

std::optional<uint64_t> Numbers::groups(const Dispatch &D,
                                        const Function &Kernel,
                                        unsigned Axis) const {
  std::optional<uint64_t> Size = P.Exprs.constantBits(D.Over.Size[Axis]);
  if (!Size || D.Over.Form == Grid::Kind::Groups)
    return Size;
  uint64_t Width = Kernel.WorkgroupSize[Axis];
  return (*Size + Width - 1) / Width;
}

uint32_t Numbers::grid(const Dispatch &D, const Function &Kernel) {
  std::vector<uint64_t> Key;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    if (std::optional<uint64_t> Constant = groups(D, Kernel, Axis)) {
      Key.insert(Key.end(), {0, *Constant});
      continue;
    }
    bool Groups = D.Over.Form == Grid::Kind::Groups;
    Key.insert(Key.end(), {Groups ? 1 : 1 + Kernel.WorkgroupSize[Axis],
                           D.Over.Size[Axis].index()});
  }
  return Grids.try_emplace(std::move(Key), Grids.size()).first->second;
}

// --- One plan

/// What fusing a list of dispatches gave.
struct Region {
  size_t Count = 1; ///< dispatches; one is not fused
  FusionRequest Request;
  FusedKernel Kernel;
};

class Planner {
public:
  /// `Choosing`: needs are noted; else what has needs stays as it is.
  Planner(Program &P, Module &M, bool Choosing, ProgramReport &Report)
      : P(P), M(M), Choosing(Choosing), Report(Report), Number(P) {
    countUses();
  }
  Steps plan(const Steps &List, bool InLoop);
  /// Of what was planned since the last call.
  Needs takeNeeds() { return std::exchange(Wanted, {}); }

private:
  void countUses();
  const Dispatch *dispatchAt(const Steps &List, size_t At) const;
  FusionStage stageOf(const Dispatch &D, bool Bakes);
  FusionRequest requestFor(const Steps &List, size_t At, size_t Count,
                           bool InLoop, bool Bakes);
  void addKernel(Region &R, const Steps &List, size_t At, bool InLoop);
  void addTemporaries(FusionRequest &R, const Steps &List, size_t At,
                      size_t Count, bool InLoop) const;
  bool isFixed(ExprId E) const;
  bool canChoose(const Needs &N) const;
  Region regionAt(const Steps &List, size_t At, bool InLoop);
  prog::Step fusedStep(const Steps &List, size_t At, Region &R);
  Needs needsOf(const FusedKernel &K);
  ExprId number(const FusionNumber &N);
  void record(const Steps &List, size_t At, const Region &R, const Needs &Has);
  bool areInputs(uint32_t A, uint32_t B) const;

  Program &P;
  Module &M;
  bool Choosing;
  ProgramReport &Report;
  Numbers Number;
  std::map<BufferId, size_t> Uses; ///< mentions in all steps
  Needs Wanted;
  std::map<std::vector<FuncId>, std::set<FuncId>> Made; ///< by stages
};

void Planner::countUses() {
  forEachStep(P.Steps, [&](const prog::Step &S) {
    forEachBuffer(S, [&](BufferId B) { ++Uses[B]; });
  });
}

const Dispatch *Planner::dispatchAt(const Steps &List, size_t At) const {
  return At < List.size() ? std::get_if<Dispatch>(&List[At].Kind) : nullptr;
}

/// Memory of the program itself is apart from all else.
bool Planner::areInputs(uint32_t A, uint32_t B) const {
  std::optional<BufferId> X = Number.buffer(A), Y = Number.buffer(B);
  return X && Y && P.Buffers[*X].Kind == BufferKind::Input &&
         P.Buffers[*Y].Kind == BufferKind::Input;
}

FusionStage Planner::stageOf(const Dispatch &D, bool Bakes) {
  FusionStage S;
  S.Kernel = D.Kernel;
  S.Loc = D.Loc;
  S.Grid = Number.grid(D, M.Functions[D.Kernel]);
  for (const Argument &A : D.Args) {
    S.Arguments.push_back(Number.argument(A));
    bool Constant = Bakes && !A.Buffer;
    S.Baked.push_back(Constant ? P.Exprs.constantBits(A.Value) : std::nullopt);
  }
  return S;
}

/// The same in all trips of all loops.
bool Planner::isFixed(ExprId E) const {
  for (uint32_t V = 0; V < P.Vars.size(); ++V)
    if (P.Exprs.uses(E, V))
      return false;
  return true;
}

/// What has to hold can be seen when the run starts.
bool Planner::canChoose(const Needs &N) const {
  return std::all_of(N.Fits.begin(), N.Fits.end(),
                     [&](const std::pair<ExprId, ExprId> &F) {
                       return isFixed(F.first) && isFixed(F.second);
                     });
}

/// Temporaries that only these dispatches name.
void Planner::addTemporaries(FusionRequest &R, const Steps &List, size_t At,
                             size_t Count, bool InLoop) const {
  std::map<BufferId, size_t> Here;
  for (size_t K = At; K < At + Count; ++K)
    forEachBuffer(List[K], [&](BufferId B) { ++Here[B]; });
  for (const std::pair<const BufferId, size_t> &E : Here) {
    const Buffer &B = P.Buffers[E.first];
    if (B.Kind != BufferKind::Temporary || E.second != Uses.at(E.first) ||
        !isFixed(B.Count) || P.Exprs[B.Count].Type != types::U32)
      continue;
    R.Temporaries.push_back({E.first.index() * 2, Number.value(B.Count),
                             P.Exprs.constantBits(B.Count), InLoop});
  }
}

FusionRequest Planner::requestFor(const Steps &List, size_t At, size_t Count,
                                  bool InLoop, bool Bakes) {
  FusionRequest R;
  for (size_t K = At; K < At + Count; ++K)
    R.Stages.push_back(stageOf(*dispatchAt(List, K), Bakes));
  const Dispatch &First = *dispatchAt(List, At);
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    std::optional<uint64_t> Groups =
        Number.groups(First, M.Functions[First.Kernel], Axis);
    R.ManyGroups[Axis] = !Groups || *Groups > 1;
  }
  addTemporaries(R, List, At, Count, InLoop);
  if (!Choosing)
    R.MayOverlap = [this](uint32_t A, uint32_t B) { return areInputs(A, B); };
  return R;
}

/// As many dispatches as can be one.
Region Planner::regionAt(const Steps &List, size_t At, bool InLoop) {
  Region Best;
  for (size_t Count = 2; Count <= MaxStages; ++Count) {
    const Dispatch *Last = dispatchAt(List, At + Count - 1);
    if (!Last || Last->Device != dispatchAt(List, At)->Device)
      break;
    FusionRequest R = requestFor(List, At, Count, InLoop, true);
    std::variant<FusedKernel, FusionRejection> Result =
        fuseKernels(M, R, FusionUse::Try);
    if (FusionRejection *Bad = std::get_if<FusionRejection>(&Result)) {
      if (Choosing)
        Report.Stops.push_back({R.Stages[Bad->Earlier].Kernel,
                                R.Stages[Bad->Later].Kernel, std::move(*Bad)});
      break;
    }
    Needs Has = needsOf(std::get<FusedKernel>(Result));
    if (Choosing ? !canChoose(Has) : Has.any())
      break;
    Best = {Count, std::move(R), std::move(std::get<FusedKernel>(Result))};
  }
  if (Best.Count > 1)
    addKernel(Best, List, At, InLoop);
  return Best;
}

void Planner::addKernel(Region &R, const Steps &List, size_t At, bool InLoop) {
  std::vector<FuncId> Stages;
  for (const FusionStage &S : R.Request.Stages)
    Stages.push_back(S.Kernel);
  std::set<FuncId> &Alike = Made[Stages];
  if (Alike.size() >= MaxAlike) {
    FusionRequest Open = requestFor(List, At, R.Count, InLoop, false);
    std::variant<FusedKernel, FusionRejection> Result =
        fuseKernels(M, Open, FusionUse::Try);
    FusedKernel *K = std::get_if<FusedKernel>(&Result);
    if (K && needsOf(*K) == needsOf(R.Kernel))
      R.Request = std::move(Open);
  }
  R.Kernel = std::get<FusedKernel>(fuseKernels(M, R.Request));
  Alike.insert(R.Kernel.Kernel);
}

std::string originsOf(const Module &M, const FusionRequest &R,
                      const std::vector<StageParam> &Of) {
  std::string Text;
  for (const StageParam &O : Of) {
    const Function &K = M.Functions[R.Stages[O.Stage].Kernel];
    Text += (Text.empty() ? "" : " ") + std::to_string(O.Stage) + ":" + K.Name +
            "." + K.Params[O.Param].Name;
  }
  return Text;
}

void Planner::record(const Steps &List, size_t At, const Region &R,
                     const Needs &Has) {
  FusedRegion New;
  New.Kernel = R.Kernel.Kernel;
  New.Id = R.Kernel.Id;
  New.Request = R.Request;
  New.Request.MayOverlap = nullptr;
  New.NeedsApart = !Has.Apart.empty();
  New.NeedsFits = !Has.Fits.empty();
  for (size_t K = 0; K < R.Count; ++K) {
    New.Stages.push_back(R.Request.Stages[K].Kernel);
    New.Where.push_back(dispatchAt(List, At + K)->Loc);
  }
  for (const FusedParam &Each : R.Kernel.Params)
    New.Origins.push_back(originsOf(M, R.Request, Each.Origins));
  for (const StageParam &Each : R.Kernel.Forwarded)
    New.Forwarded.push_back(originsOf(M, R.Request, {Each}));
  for (uint32_t Each : R.Kernel.Vanished)
    New.Vanished.push_back(*Number.buffer(Each));
  Report.Regions.push_back(std::move(New));
}

ExprId Planner::number(const FusionNumber &N) {
  if (N.Bits)
    return P.Exprs.u32(static_cast<uint32_t>(*N.Bits));
  return Number.back(N.Argument).Value;
}

Needs Planner::needsOf(const FusedKernel &K) {
  Needs Result;
  for (const std::pair<uint32_t, uint32_t> &A : K.Apart)
    if (areInputs(A.first, A.second))
      Result.Apart.emplace(*Number.buffer(A.first), *Number.buffer(A.second));
  for (const std::pair<FusionNumber, FusionNumber> &F : K.Fits)
    Result.Fits.emplace(number(F.first), number(F.second));
  return Result;
}

prog::Step Planner::fusedStep(const Steps &List, size_t At, Region &R) {
  Dispatch D = *dispatchAt(List, At);
  D.Kernel = R.Kernel.Kernel;
  D.Args.clear();
  for (const FusedParam &Each : R.Kernel.Params)
    D.Args.push_back(Number.back(Each.Argument));
  Needs Own = needsOf(R.Kernel);
  // What has none is in the other plan too.
  if (Own.any() || !Choosing)
    record(List, At, R, Own);
  Wanted.add(Own);
  return {std::move(D)};
}

Steps Planner::plan(const Steps &List, bool InLoop) {
  Steps Out;
  for (size_t At = 0; At < List.size();) {
    if (dispatchAt(List, At)) {
      Region R = regionAt(List, At, InLoop);
      Out.push_back(R.Count == 1 ? List[At] : fusedStep(List, At, R));
      At += R.Count;
      continue;
    }
    Out.push_back(List[At++]);
    if (Loop *L = std::get_if<Loop>(&Out.back().Kind))
      L->Body = plan(L->Body, true);
  }
  return Out;
}

// --- Both plans

/// The steps from one top-level step to another as the two plans have them.
/// Pieces are runs of dispatches, and single other steps.
struct Piece {
  Steps Sure, Chosen;
  Needs Wanted;
};

std::vector<Steps> piecesOf(const Steps &List) {
  std::vector<Steps> Pieces;
  bool InRun = false;
  for (const prog::Step &S : List) {
    bool IsDispatch = std::holds_alternative<Dispatch>(S.Kind);
    if (!IsDispatch || !InRun)
      Pieces.emplace_back();
    Pieces.back().push_back(S);
    InRun = IsDispatch;
  }
  return Pieces;
}

/// Joined from the first piece that wants a choice to the last.
Steps joined(std::vector<Piece> Pieces, Span Loc) {
  auto Wants = [](const Piece &X) { return X.Wanted.any(); };
  std::vector<Piece>::iterator First =
      std::find_if(Pieces.begin(), Pieces.end(), Wants);
  std::vector<Piece>::iterator End =
      std::find_if(Pieces.rbegin(), Pieces.rend(), Wants).base();
  Steps Out;
  Choice C;
  C.Loc = Loc;
  Needs All;
  for (std::vector<Piece>::iterator X = Pieces.begin(); X != Pieces.end();
       ++X) {
    bool Inside = First != Pieces.end() && X >= First && X < End;
    Steps &Sure = Inside ? C.Else : Out;
    std::move(X->Sure.begin(), X->Sure.end(), std::back_inserter(Sure));
    if (!Inside)
      continue;
    std::move(X->Chosen.begin(), X->Chosen.end(), std::back_inserter(C.Then));
    All.add(X->Wanted);
    if (std::next(X) != End)
      continue;
    C.Apart.assign(All.Apart.begin(), All.Apart.end());
    C.Fits.assign(All.Fits.begin(), All.Fits.end());
    Out.push_back({std::move(C)});
  }
  return Out;
}

} // namespace

void goldy::fuseProgram(Program &P, Module &M, ProgramReport &Report) {
  Planner Sure(P, M, false, Report), Choosing(P, M, true, Report);
  std::vector<Piece> Pieces;
  for (const Steps &List : piecesOf(P.Steps)) {
    Piece New;
    New.Sure = Sure.plan(List, false);
    New.Chosen = Choosing.plan(List, false);
    New.Wanted = Choosing.takeNeeds();
    Pieces.push_back(std::move(New));
  }
  P.Steps = joined(std::move(Pieces), P.Loc);
}
