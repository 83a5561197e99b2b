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
  std::vector<VariableLaunch> Variables;
  std::vector<GraphNode> Stamps; ///< that record a timed run's events
};

/// What parts refer to.
struct PartSources {
  AddressOf Address;
  CodeOf Image;
  CopyKernel &Copies;
};

/// `Timed`: what the graph records at first, or null.
Status buildGraph(Device &D, const SubmissionDesc &Desc,
                  const PartSources &From, const RunEvents *Timed,
                  std::unique_ptr<ReadyGraph> &Out);

/// A piece's launch. The driver copies `Block`, whose base words are written,
/// within the call; `Value` must live as long.
KernelNodeParams launchOf(const Part &P, const GridPiece &Piece, const Code &C,
                          std::vector<std::byte> &Block, void *&Value);

} // namespace goldy::rt::cuda

#endif
