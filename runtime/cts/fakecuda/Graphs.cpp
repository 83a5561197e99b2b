//===- Graphs.cpp - Graphs and their launches -----------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the nodes that may come next the last one is taken, so that an edge that
// is missing shows. A launch keeps the parameters that its nodes have at that
// moment.
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include "cuda/CopyKernel.h"

#include <algorithm>
#include <cstring>

using namespace fake;

namespace {

enum class Does { Kernel, Fill, Copy, Record, Nothing };

struct FakeGraph;

struct FakeNode : Object {
  static constexpr const char *KindName = "a graph node";
  FakeGraph *In = nullptr;
  Does What = Does::Nothing;
  std::vector<size_t> After; ///< numbers of nodes
  // Kernel.
  FakeFunction *Kernel = nullptr;
  std::array<unsigned, 3> Grid{};
  std::vector<std::byte> Block;
  FakeEvent *Mark = nullptr; ///< of a record
  // Fill and copy.
  DevicePointer From = 0, To = 0;
  uint64_t Bytes = 0;
  unsigned char Value = 0;
};

struct FakeGraph : Object {
  static constexpr const char *KindName = "a graph";
  std::vector<std::unique_ptr<FakeNode>> Nodes;
  size_t Edges = 0;
};

struct FakeExec : Object {
  static constexpr const char *KindName = "an executable graph";
  FakeGraph *Of = nullptr;
  std::vector<FakeNode> Nodes;
  int Running = 0;
};

std::string hex(const std::vector<std::byte> &Bytes) {
  static const char Digits[] = "0123456789abcdef";
  std::string Text;
  for (std::byte B : Bytes) {
    Text += Digits[static_cast<unsigned>(B) >> 4];
    Text += Digits[static_cast<unsigned>(B) & 15];
  }
  return Text;
}

/// The runtime's own kernels, which are the only ones that do something here.
constexpr std::string_view CopyEntry = "goldyrt_copy",
                           ShiftedEntry = "goldyrt_copy_shifted";

void copyByKernel(const FakeNode &N, const FakeStream &In) {
  CopyBlock B;
  std::memcpy(&B, N.Block.data(), sizeof B);
  uint64_t Threads = uint64_t(N.Grid[0]) * N.Kernel->Workgroup[0];
  bool IsShifted = N.Kernel->Name == ShiftedEntry;
  if (B.To % 16 || (B.From % 16 != 0) != IsShifted || B.Before > 15 ||
      B.Behind > 15)
    violation("a copy that is not in vectors of 16 bytes");
  if (Threads < B.Vectors || N.Grid[1] != 1 || N.Grid[2] != 1)
    violation("a copy with less threads than vectors");
  uint64_t Bytes = B.Before + 16 * B.Vectors + B.Behind;
  DevicePointer From = B.From - B.Before, To = B.To - B.Before;
  checkRange(From, Bytes, &In);
  checkRange(To, Bytes, &In);
  std::memcpy(bytesOf(To), bytesOf(From), Bytes);
  note("copy " + std::to_string(Bytes) + " bytes by a kernel");
}

void performKernel(const FakeNode &N, const FakeStream &In) {
  --N.Kernel->In->Running;
  if (N.Kernel->Name == CopyEntry || N.Kernel->Name == ShiftedEntry) {
    state().ClockNs += CopyNs;
    return copyByKernel(N, In);
  }
  state().ClockNs += KernelNs;
  ++state().Kernels;
  note("kernel " + N.Kernel->Name + " " + std::to_string(N.Grid[0]) + " " +
       std::to_string(N.Grid[1]) + " " + std::to_string(N.Grid[2]) + " at " +
       hex(N.Block));
}

void perform(const FakeNode &N, const FakeStream &In) {
  switch (N.What) {
  case Does::Nothing:
    return;
  case Does::Record:
    return N.Mark->pass();
  case Does::Kernel:
    return performKernel(N, In);
  case Does::Fill:
    state().ClockNs += FillNs;
    checkRange(N.To, N.Bytes, &In);
    std::memset(bytesOf(N.To), N.Value, N.Bytes);
    return note("fill " + std::to_string(N.Bytes) + " bytes");
  case Does::Copy:
    state().ClockNs += CopyNs;
    checkRange(N.From, N.Bytes, &In);
    checkRange(N.To, N.Bytes, &In);
    std::memcpy(bytesOf(N.To), bytesOf(N.From), N.Bytes);
    return note("copy " + std::to_string(N.Bytes) + " bytes");
  }
}

void performAll(const std::vector<FakeNode> &Nodes, const FakeStream &In) {
  std::vector<bool> Done(Nodes.size(), false);
  for (size_t Left = Nodes.size(); Left;) {
    size_t Next = Nodes.size();
    while (Next--) {
      const std::vector<size_t> &After = Nodes[Next].After;
      if (!Done[Next] && std::all_of(After.begin(), After.end(),
                                     [&](size_t N) { return Done[N]; }))
        break;
    }
    perform(Nodes[Next], In);
    Done[Next] = true;
    --Left;
  }
}

/// A new node of `G` behind others, and its handle in `Out`.
FakeNode &addNode(GraphNode *Out, Graph G, const GraphNode *After, size_t Num) {
  FakeGraph &In = get<FakeGraph>(G);
  if (!Out || (Num && !After))
    violation("NULL instead of nodes");
  FakeNode &N = *In.Nodes.emplace_back(std::make_unique<FakeNode>());
  N.Kind = FakeNode::KindName;
  N.Owner = currentContext();
  N.In = &In;
  for (size_t I = 0; I < Num; ++I) {
    const FakeNode *Before = &get<FakeNode>(After[I]);
    size_t Number = 0;
    while (Number < In.Nodes.size() && In.Nodes[Number].get() != Before)
      ++Number;
    if (Number == In.Nodes.size())
      violation("a dependency of another graph");
    if (std::count(N.After.begin(), N.After.end(), Number))
      violation("a dependency that is given twice");
    N.After.push_back(Number);
  }
  In.Edges += Num;
  *Out = reinterpret_cast<GraphNode>(&N);
  return N;
}

void setKernel(FakeNode &N, const KernelNodeParams &P) {
  FakeFunction &F = get<FakeFunction>(P.Kernel);
  if (!F.In->Alive)
    violation("a function of a module that was unloaded");
  if (P.SharedBytes || P.Extra || !P.Params || !P.Params[0])
    violation("parameters that this driver does not know");
  for (int A = 0; A < 3; ++A) {
    if (P.Block[A] != F.Workgroup[A])
      violation("a block of another size than the entry's .reqntid");
    if (P.Grid[A] == 0 ||
        (A ? P.Grid[A] > unsigned(MaxGridYZ) : P.Grid[A] > 0x7fffffffu))
      violation("a grid that is empty or over a limit");
    N.Grid[A] = P.Grid[A];
  }
  N.What = Does::Kernel;
  N.Kernel = &F;
  const std::byte *Block = static_cast<const std::byte *>(P.Params[0]);
  N.Block.assign(Block, Block + F.BlockBytes);
}

void setFill(FakeNode &N, const MemsetNodeParams &P, fake::Context C) {
  if (C != currentContext())
    violation("a context that is not current");
  if (P.ElementBytes != 1 || P.Height != 1 || !P.Width || P.Value > 255)
    violation("not one row of bytes");
  checkRange(P.To, P.Width, nullptr);
  N.What = Does::Fill;
  N.To = P.To;
  N.Bytes = P.Width;
  N.Value = static_cast<unsigned char>(P.Value);
}

void checkEnd(const CopyEnd &E, uint64_t Bytes) {
  if (E.MemoryType != MemoryTypeDevice || E.XBytes || E.Y || E.Z || E.Lod ||
      E.Host || E.Array || E.Reserved || E.Pitch < Bytes)
    violation("an end of a copy that is not plain device memory");
  checkRange(E.Device, Bytes, nullptr);
}

void setCopy(FakeNode &N, const Copy3D &P, fake::Context C) {
  if (C != currentContext())
    violation("a context that is not current");
  if (!P.WidthBytes || P.Height != 1 || P.Depth != 1)
    violation("not one row of bytes");
  checkEnd(P.From, P.WidthBytes);
  checkEnd(P.To, P.WidthBytes);
  N.What = Does::Copy;
  N.From = P.From.Device;
  N.To = P.To.Device;
  N.Bytes = P.WidthBytes;
}

/// An executable graph keeps the kind of memory that a node was made for.
bool sameKind(DevicePointer A, DevicePointer B) {
  return isRegistered(A) == isRegistered(B);
}

void setEvent(FakeNode &N, Event E) {
  FakeEvent &Mark = get<FakeEvent>(E);
  if (!Mark.Measures)
    violation("an event that measures no time");
  N.What = Does::Record;
  N.Mark = &Mark;
}

/// The launches and records of a node are under way until it is performed.
void start(const FakeNode &N, FakeStream &In) {
  if (N.What == Does::Record && !N.Mark->Alive)
    violation("an event that was destroyed");
  if (N.What == Does::Record)
    N.Mark->ask(In);
  if (N.What != Does::Kernel)
    return;
  if (!N.Kernel->In->Alive)
    violation("a function of a module that was unloaded");
  ++N.Kernel->In->Running;
}

/// The executable graph's own copy of a node.
FakeNode &nodeOf(FakeExec &Exec, GraphNode Handle, Does What) {
  FakeNode &N = get<FakeNode>(Handle);
  if (N.In != Exec.Of || N.What != What)
    violation("not such a node of this graph");
  size_t Number = 0;
  while (Exec.Of->Nodes[Number].get() != &N)
    ++Number;
  return Exec.Nodes[Number];
}

} // namespace

namespace goldy::rt::cuda {

Result cuLaunchKernel(Function F, unsigned GroupsX, unsigned GroupsY,
                      unsigned GroupsZ, unsigned SizeX, unsigned SizeY,
                      unsigned SizeZ, unsigned SharedBytes, Stream S,
                      void **Params, void **Extra) {
  FAKE_CALL(cuLaunchKernel, Context, true);
  FakeStream &In = get<FakeStream>(S);
  FakeNode N;
  setKernel(N, {F,
                {GroupsX, GroupsY, GroupsZ},
                {SizeX, SizeY, SizeZ},
                SharedBytes,
                Params,
                Extra});
  start(N, In);
  In.Work.push_back([N, &In] { perform(N, In); });
  return Success;
}

Result cuGraphCreate(Graph *Out, unsigned Flags) {
  FAKE_CALL(cuGraphCreate, Context, true);
  if (Flags)
    violation("flags must be 0");
  make<FakeGraph>(Out);
  return Success;
}

Result cuGraphDestroy(Graph G) {
  Call C("cuGraphDestroy", Needs::Context, false);
  FakeGraph &Gone = get<FakeGraph>(G);
  for (std::unique_ptr<FakeNode> &N : Gone.Nodes)
    N->Alive = false;
  died(Gone);
  return C.result();
}

Result cuGraphAddKernelNode(GraphNode *Out, Graph G, const GraphNode *After,
                            size_t NumAfter, const KernelNodeParams *Params) {
  FAKE_CALL(cuGraphAddKernelNode, Context, true);
  setKernel(addNode(Out, G, After, NumAfter), *Params);
  return Success;
}

Result cuGraphAddMemsetNode(GraphNode *Out, Graph G, const GraphNode *After,
                            size_t NumAfter, const MemsetNodeParams *Params,
                            fake::Context C) {
  FAKE_CALL(cuGraphAddMemsetNode, Context, true);
  setFill(addNode(Out, G, After, NumAfter), *Params, C);
  return Success;
}

Result cuGraphAddMemcpyNode(GraphNode *Out, Graph G, const GraphNode *After,
                            size_t NumAfter, const Copy3D *Params,
                            fake::Context C) {
  FAKE_CALL(cuGraphAddMemcpyNode, Context, true);
  setCopy(addNode(Out, G, After, NumAfter), *Params, C);
  return Success;
}

Result cuGraphAddEmptyNode(GraphNode *Out, Graph G, const GraphNode *After,
                           size_t NumAfter) {
  FAKE_CALL(cuGraphAddEmptyNode, Context, true);
  addNode(Out, G, After, NumAfter);
  return Success;
}

Result cuGraphAddEventRecordNode(GraphNode *Out, Graph G,
                                 const GraphNode *After, size_t NumAfter,
                                 Event E) {
  FAKE_CALL(cuGraphAddEventRecordNode, Context, true);
  setEvent(addNode(Out, G, After, NumAfter), E);
  return Success;
}

Result cuGraphInstantiateWithFlags(GraphExec *Out, Graph G,
                                   unsigned long long Flags) {
  FAKE_CALL(cuGraphInstantiateWithFlags, Context, true);
  if (Flags)
    violation("flags that this driver does not know");
  FakeGraph &Of = get<FakeGraph>(G);
  FakeExec &E = make<FakeExec>(Out);
  E.Of = &Of;
  for (const std::unique_ptr<FakeNode> &N : Of.Nodes)
    E.Nodes.push_back(*N);
  note("graph " + std::to_string(E.Nodes.size()) + " nodes, " +
       std::to_string(Of.Edges) + " edges");
  return Success;
}

Result cuGraphUpload(GraphExec E, Stream S) {
  FAKE_CALL(cuGraphUpload, Context, true);
  get<FakeExec>(E);
  get<FakeStream>(S);
  return Success;
}

Result cuGraphExecKernelNodeSetParams(GraphExec E, GraphNode Handle,
                                      const KernelNodeParams *Params) {
  FAKE_CALL(cuGraphExecKernelNodeSetParams, Context, true);
  FakeNode &N = nodeOf(get<FakeExec>(E), Handle, Does::Kernel);
  setKernel(N, *Params);
  note("set " + N.Kernel->Name);
  return Success;
}

Result cuGraphExecMemsetNodeSetParams(GraphExec E, GraphNode Handle,
                                      const MemsetNodeParams *Params,
                                      fake::Context C) {
  FAKE_CALL(cuGraphExecMemsetNodeSetParams, Context, true);
  FakeNode &N = nodeOf(get<FakeExec>(E), Handle, Does::Fill);
  if (!sameKind(N.To, Params->To))
    return InvalidValue;
  setFill(N, *Params, C);
  note("set fill");
  return Success;
}

Result cuGraphExecMemcpyNodeSetParams(GraphExec E, GraphNode Handle,
                                      const Copy3D *Params, fake::Context C) {
  FAKE_CALL(cuGraphExecMemcpyNodeSetParams, Context, true);
  FakeNode &N = nodeOf(get<FakeExec>(E), Handle, Does::Copy);
  if (!sameKind(N.To, Params->To.Device) ||
      !sameKind(N.From, Params->From.Device))
    return InvalidValue;
  setCopy(N, *Params, C);
  note("set copy");
  return Success;
}

Result cuGraphExecEventRecordNodeSetEvent(GraphExec E, GraphNode Handle,
                                          Event Recorded) {
  FAKE_CALL(cuGraphExecEventRecordNodeSetEvent, Context, true);
  setEvent(nodeOf(get<FakeExec>(E), Handle, Does::Record), Recorded);
  return Success;
}

Result cuGraphLaunch(GraphExec E, Stream S) {
  FAKE_CALL(cuGraphLaunch, Context, true);
  FakeExec &Exec = get<FakeExec>(E);
  FakeStream &In = get<FakeStream>(S);
  for (const FakeNode &N : Exec.Nodes)
    start(N, In);
  ++Exec.Running;
  In.Work.push_back([&Exec, &In, Nodes = Exec.Nodes] {
    performAll(Nodes, In);
    --Exec.Running;
  });
  return Success;
}

Result cuGraphExecDestroy(GraphExec E) {
  Call C("cuGraphExecDestroy", Needs::Context, false);
  FakeExec &Gone = get<FakeExec>(E);
  if (Gone.Running)
    violation("a launch of it is under way");
  died(Gone);
  return C.result();
}

} // namespace goldy::rt::cuda
