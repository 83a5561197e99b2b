//===- GraphBuilder.h - A submission's parts as a graph -------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An edge stands between two parts only if they share bytes of which one is
// written.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_GRAPHBUILDER_H
#define GOLDY_RUNTIME_CUDA_GRAPHBUILDER_H

#include "core/Driver.h"
#include "cuda/Code.h"
#include "cuda/CopyKernel.h"
#include "cuda/RunEvents.h"

namespace goldy::rt::cuda {

/// The address of a memory of the driver's.
using AddressOf = DevicePointer (*)(MemoryId);
/// The code of an image of the driver's.
using CodeOf = const Code &(*)(ImageId);

/// A launch that words of the run are written into.
struct VariableLaunch {
  uint32_t Part;
  std::vector<Slot> Slots;
  std::vector<GraphNode> Nodes; ///< of its pieces
  std::vector<std::byte> Block; ///< what they hold
  bool Known = true;            ///< false after an update that failed
};

/// A fill or a copy that a run says the place of.
struct VariableMove {
  uint32_t Part;
  GraphNode Node;
  bool ByKernel; ///< of CopyKernel
  DevicePointer Into = 0, Out = 0;
  bool Known = true;
};

/// A graph that is ready to start. No start of it is pending when it is
/// destroyed, and the context is current.
struct ReadyGraph {
  explicit ReadyGraph(const Api &Cu) : Cu(Cu) {}
  ~ReadyGraph();
  ReadyGraph(const ReadyGraph &) = delete;
  ReadyGraph &operator=(const ReadyGraph &) = delete;

  const Api &Cu;
  Graph Plan = nullptr; ///< names the nodes of Work
  GraphExec Work = nullptr;
  std::vector<VariableLaunch> Launches;
  std::vector<VariableMove> Moves;
  bool Apart = true;           ///< made for memories that are different ones
  std::vector<uint64_t> Words; ///< that all nodes hold, if Current
  bool Current = false;
  std::vector<GraphNode> Stamps; ///< that record a timed run's events
};

/// What parts refer to.
struct PartSources {
  AddressOf Address;
  CodeOf Image;
  CopyKernel &Copies;
  const std::array<uint64_t, 3> &MaxGroups;
};

/// Whether `P` cannot be put into a graph before a run is known.
bool needsRun(const Part &P);
/// Where a fill or a copy of a run goes to and comes from.
void placesOf(const Part &P, const PartSources &From, const RunInput &Input,
              DevicePointer &Into, DevicePointer &Out);
MemsetNodeParams fillOf(const Part &P, DevicePointer Into);
Copy3D copyOf(const Part &P, DevicePointer Into, DevicePointer Out);

/// `Timed`: what the graph records at first, or null. `Input`: the run that the
/// graph is made for; null if no part needs one. `Apart`: its memories are
/// different ones; if not, each part waits for the one before it.
Status buildGraph(Device &D, const SubmissionDesc &Desc,
                  const PartSources &From, const RunEvents *Timed,
                  const RunInput *Input, bool Apart,
                  std::unique_ptr<ReadyGraph> &Out);

/// Sets the nodes that differ for a run. False `Fits` if the graph cannot take
/// it: a grid of another number of pieces, memory of another kind.
Status updateGraph(Device &D, const SubmissionDesc &Desc,
                   const PartSources &From, const RunInput &Input,
                   ReadyGraph &To, bool &Fits);

/// A piece's launch. The driver copies `Block`, whose base words are written,
/// within the call; `Value` must live as long.
KernelNodeParams launchOf(const Part &P, const GridPiece &Piece, const Code &C,
                          std::vector<std::byte> &Block, void *&Value);

} // namespace goldy::rt::cuda

#endif
