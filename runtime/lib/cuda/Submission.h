//===- Submission.h - A prepared submission as a graph --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts are nodes of a CUDA graph that is made once. Parameter blocks are the
// kernels' by-value parameters, so a run whose words differ from those of the
// run before it updates the nodes that take them, in place; runs that are under
// way keep what they were started with. The first run of a lone launch is
// started as it is: a graph of one node costs three launches to make, and is
// faster to start and to wait for from then on.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_SUBMISSION_H
#define GOLDY_RUNTIME_CUDA_SUBMISSION_H

#include "core/Driver.h"
#include "cuda/Code.h"

namespace goldy::rt::cuda {

/// The address of a memory of the driver's.
using AddressOf = DevicePointer (*)(MemoryId);
/// The code of an image of the driver's.
using CodeOf = const Code &(*)(ImageId);

class Submission {
public:
  Submission(Device &D, SubmissionDesc Desc, AddressOf Address, CodeOf Image)
      : D(D), Desc(std::move(Desc)), Address(Address), Image(Image) {}
  /// No run is pending.
  ~Submission();

  Status prepare();
  Status run(std::span<const uint64_t> Words, uint64_t &Point);

private:
  /// A launch that words of the run are written into.
  struct Variable {
    uint32_t Part;
    std::vector<Slot> Slots;
    std::vector<GraphNode> Nodes; ///< of its pieces
    std::vector<std::byte> Block; ///< what they hold
    bool Known = true;            ///< false after an update that failed
  };
  class Builder;
  Status build();
  void unbuild();
  Status launchAlone(std::span<const uint64_t> Words);
  Status update(Variable &V, std::span<const uint64_t> Words);

  Device &D;
  SubmissionDesc Desc;
  AddressOf Address;
  CodeOf Image;
  bool Alone = false;   ///< one launch of one piece that was not run yet
  Graph Plan = nullptr; ///< names the nodes of Work
  GraphExec Work = nullptr;
  std::mutex Mutex; ///< of all above but Desc, and of Variables
  std::vector<Variable> Variables;
};

} // namespace goldy::rt::cuda

#endif
