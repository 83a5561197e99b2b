//===- LanesText.cpp - The lane plan as comments on IR text
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After each instruction: where it runs (`group`, `region N`), the shape of
// its value, how it accesses memory, how its control diverges, and whether it
// is kept in the context. A summary of the regions follows the function.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Analysis/Lanes.h"

#include "LanesWords.h"
#include "goldyc/IR/Text.h"

#include <sstream>

using namespace goldy;

namespace {

std::string shapeText(const LaneValue &V) {
  switch (V.Shape) {
  case LaneShape::Uniform:
    return "uniform";
  case LaneShape::Strided:
    return "strided(" + std::to_string(V.Stride) + ", align " +
           std::to_string(V.Align) + ")";
  case LaneShape::Varying:
    return "varying";
  }
  return {};
}

const char *accessText(LaneAccess A) {
  switch (A) {
  case LaneAccess::Broadcast:
    return "broadcast";
  case LaneAccess::Contiguous:
    return "contiguous";
  case LaneAccess::Strided:
    return "strided access";
  case LaneAccess::Gather:
    return "gather";
  }
  return "";
}

const char *atomicText(LaneAtomic A) {
  return A == LaneAtomic::OneForAll ? "one for all lanes" : "in lane order";
}

const char *interleaveText(InterleaveReason Why) {
  switch (Why) {
  case InterleaveReason::Gains:
    return "estimated to gain";
  case InterleaveReason::Order:
    return "memory in order";
  case InterleaveReason::Stream:
    return "short code from memory to memory";
  case InterleaveReason::NoGain:
    return "more would not gain";
  case InterleaveReason::Row:
    return "a row does not divide into more";
  case InterleaveReason::Rows:
    return "groups have several rows";
  case InterleaveReason::Tile:
    return "rows and registers share what they load";
  case InterleaveReason::Follows:
    return "as where rows share";
  case InterleaveReason::LaneByLane:
    return "something goes lane by lane";
  case InterleaveReason::Array:
    return "there are private arrays";
  case InterleaveReason::Divides:
    return "wider ones would often be divided";
  case InterleaveReason::Large:
    return "more would be too much code";
  }
  return "";
}

void append(std::string &Text, std::string_view Word) {
  if (!Text.empty() && !Word.empty())
    Text += ", ";
  Text += Word;
}

std::string contextText(const ContextPlace &P) {
  if (P.InRegisters)
    return "kept in registers";
  return P.Bytes ? "context " + std::to_string(P.Offset) : std::string();
}

void appendVersions(std::string &Text, const LanePlan &Plan, InstId I) {
  if (uint32_t V = Plan.VersionAt[I])
    append(Text, "version " + std::to_string(V - 1));
  for (size_t V = 0; V < Plan.Versions.size(); ++V) {
    for (InstId Leaving : Plan.Versions[V].Together)
      if (Leaving == I)
        append(Text, "none alone in version " + std::to_string(V));
    for (const auto &[Cond, Outcome] : Plan.Versions[V].Outcomes)
      if (Cond == I)
        append(Text, (Outcome ? "true in version " : "false in version ") +
                         std::to_string(V));
  }
  if (Plan.Unrolled[I])
    append(Text, "unrolled " + std::to_string(Plan.Unrolled[I]) +
                     (Plan.AlwaysUnrolled[I] ? " times" : " times there"));
}

bool isTaken(const LanePlan &Plan, InstId I) {
  uint32_t R = Plan.RegionOf[I];
  return R != NoRegion && Plan.Regions[R].takes(I);
}

std::string commentOf(const Function &F, const LanePlan &Plan, InstId I) {
  const Inst &N = F.Insts[I];
  std::string Text;
  if (opInfo(N.Opcode).Effects == Effect::Leaf)
    return Text;
  uint32_t R = Plan.RegionOf[I];
  append(Text, R == NoRegion ? "group" : "region " + std::to_string(R));
  if (Plan.OnceARun[I])
    append(Text, "or once for a run of groups");
  if (N.Type != types::Void)
    append(Text, shapeText(Plan.Vector.Value[I]));
  if (N.Where && N.Opcode != Op::Len)
    append(Text, accessText(Plan.Access[I]));
  if (int32_t Words = Plan.Distance[I])
    append(Text, Words == -1
                     ? "reversed"
                     : "shuffled, " + std::to_string(Words) + " words apart");
  if (isAtomic(N.Opcode))
    append(Text, atomicText(Plan.Atomic[I]));
  if (Plan.ScalarIndex[I])
    append(Text, "index a lane");
  if (isTaken(Plan, I))
    append(Text, "taken by all that run");
  else if (Plan.Vector.Divergent[I])
    append(Text, "divergent");
  if (R != NoRegion && Plan.Regions[R].Split.Guard == I)
    append(Text, "passed untested by a row's first vectors");
  if (Plan.Vector.Partial[I])
    append(Text, "partial");
  if (Plan.HasDivergentExit[I])
    append(Text, "lanes leave");
  if (Plan.PerRow[I] && R != NoRegion && Plan.Regions[R].Rows > 1)
    append(Text, "row by row");
  if (Plan.Strips[I].Step)
    append(Text, "mostly together");
  append(Text, contextText(Plan.ContextOfValue[I]));
  appendVersions(Text, Plan, I);
  return Text;
}

void versions(std::ostream &Out, const Function &F, const LanePlan &Plan) {
  for (size_t V = 0; V < Plan.Versions.size(); ++V) {
    const LaneVersion &Version = Plan.Versions[V];
    Out << "// version " << V << ": " << Version.Guards.size()
        << " branches that all lanes pass if";
    for (size_t T = 0; T < Version.Tests.size(); ++T)
      Out << (T ? ", " : " ") << laneTestText(F, Version.Tests[T]);
    for (uint32_t Param : Version.Near)
      Out << ", " << F.Params[Param].Name << ".len() <= " << MaxNear;
    Out << "\n";
  }
}

void registers(std::ostream &Out, const LanePlan &Plan,
               const LaneInterleave &By) {
  Out << "registers a vector: " << By.Registers << " of " << Plan.Machine
      << " lanes (" << interleaveText(By.Why) << "; " << By.Operations
      << " operations, " << By.Latency << " cycles of latency, " << By.Live
      << " values alive, " << By.Percent << "% of the time)\n";
}

void summary(std::ostream &Out, const Function &F, const LanePlan &Plan) {
  Out << "// lanes: " << Plan.Width
      << ", vectors a group: " << Plan.VectorsPerGroup
      << ", context: " << Plan.ContextBytes
      << " bytes, regions: " << Plan.Regions.size()
      << (Plan.Joins ? ", groups side by side are one" : "") << "\n";
  for (uint32_t I = 0; I < F.Slots.size(); ++I) {
    SlotId S(I);
    Out << "// slot " << I;
    if (!F.Slots[S].Name.empty())
      Out << " `" << F.Slots[S].Name << "`";
    Out << ": " << shapeText(Plan.Vector.OfSlot[S]);
    if (Plan.GroupSlot[S])
      Out << ", one a group";
    std::string Where = contextText(Plan.ContextOfSlot[S]);
    Out << (Where.empty() ? "" : ", ") << Where << "\n";
  }
  for (uint32_t A = 0; A < F.WorkgroupArrays.size(); ++A)
    if (!Plan.Zeroed[WorkgroupId(A)])
      Out << "// array `" << F.WorkgroupArrays[WorkgroupId(A)].Name
          << "`: not zeroed, a group writes all of it first\n";
  for (size_t R = 0; R < Plan.Regions.size(); ++R) {
    const LaneRegion &Region = Plan.Regions[R];
    Out << "// region " << R << ": " << Region.Insts.size() << " statements, "
        << Region.Again.size() << " computed again, " << Region.Reads.size()
        << " read from and " << Region.Keeps.size() << " kept in the context";
    if (F.WorkgroupSize[1] > 1 || Region.Whole)
      Out << ", rows a pass: " << Region.Rows << " of " << F.WorkgroupSize[1]
          << " (" << laneRowsText(Region.WhyRows) << ")";
    if (Region.Items < F.WorkgroupSize[0])
      Out << ", local_id.x < " << Region.Items << " only";
    if (Region.Width < Plan.Width)
      Out << ", lanes: " << Region.Width;
    Out << (Region.ByRegister ? ", register by register" : "")
        << (Region.Cold ? ", seldom runs" : "") << "\n";
    if (!Region.Cold && Region.Items == F.WorkgroupSize[0]) {
      Out << "// region " << R << ": ";
      registers(Out, Plan, Region.Interleave);
    }
  }
}

} // namespace

std::string goldy::lanesText(const Module &M, FuncId Kernel,
                             const LaneMachine &On) {
  const Function &F = M.Functions[Kernel];
  LanePlan Plan = planLanes(M, F, On);
  std::ostringstream Out;
  if (!Plan.Refused.empty()) {
    Out << "// not planned: " << Plan.Refused << "\n";
    return Out.str();
  }
  TextOptions Options;
  Options.Comment = [&](const Function &, InstId I) {
    return commentOf(F, Plan, I);
  };
  printFunction(Out, M, F, Options);
  summary(Out, F, Plan);
  versions(Out, F, Plan);
  return Out.str();
}
