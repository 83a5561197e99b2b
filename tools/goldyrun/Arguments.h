//===- Arguments.h - Arguments of a kernel from the command line ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In two steps: `check` sees that every parameter has a value of its form and
// every name exists; only then `load` reads files and makes buffers.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_ARGUMENTS_H
#define GOLDYRUN_ARGUMENTS_H

#include "Layout.h"
#include "Options.h"

namespace goldyrun {

/// A parameter, the value it was given, and what it is bound to.
struct Bound {
  goldy_param_info_t Info{};
  goldy::ValueSpec Spec;
  bool Given = false;
  uint64_t Word = 0;                   ///< scalars
  std::optional<goldy::Buffer> Buffer; ///< owners only, not `&x`
  goldy::View View;                    ///< of a tensor: its parent
  goldy::StridedView Seen;             ///< tensors: what is seen of `View`
  goldy_tensor_view_t Tensor{};        ///< the same, as it is bound
  goldy::npy::DType Type;              ///< how its elements are saved
  std::vector<uint64_t> Shape;         ///< ditto
  bool Ready = false;                  ///< buffers: `View` is set
  bool Optional = false; ///< a scalar that is 0 where it is not given
  bool Whole = false;    ///< a buffer that takes no view of another
  size_t Device = 0;     ///< number of the device whose memory it is in
  bool isTensor() const { return Info.kind == GOLDY_PARAM_TENSOR; }
};

class Arguments {
public:
  /// `Owner` stands in messages: "kernel `saxpy`".
  Arguments(std::string Owner, std::vector<Bound> Params)
      : Owner(std::move(Owner)), Params(std::move(Params)) {}
  /// Every parameter is given, once, in the form that its kind wants.
  Exit check(const std::vector<Assignment> &Given);
  /// Reads and generates data, makes buffers on `Devices`, which parameters
  /// name by number.
  Exit load(std::span<const goldy::Device *const> Devices);
  std::vector<goldy_argument_t> list() const;

  /// The buffer parameter `Name`, for an option; prints what is wrong.
  Exit findBuffer(const std::string &Option, const std::string &Name,
                  const Bound *&Out) const;
  /// Its present contents.
  Exit read(const Bound &B, goldy::npy::Array &Out) const;
  const std::vector<Bound> &all() const { return Params; }
  /// The parameters that the kernel writes, in order.
  std::vector<const Bound *> written() const;
  /// Bytes that the buffers of all parameters hold, views counted once each.
  uint64_t bytesTouched() const;

private:
  Bound *find(const std::string &Name);
  std::vector<std::string> names() const;
  Exit assign(const Assignment &A);
  Exit checkScalar(Bound &B);
  Exit checkBuffer(Bound &B);
  Exit loadBuffer(Bound &B);
  Exit loadBytes(Bound &B, goldy::npy::Array &A);
  Exit setExtents(Bound &B, const std::vector<uint64_t> &Shape);
  Exit loadAlias(Bound &B, unsigned Depth);
  Exit view(Bound &B);
  Exit resolve(Bound &B, unsigned Depth);

  std::string Owner;
  std::vector<Bound> Params;
  std::vector<const goldy::Device *> Devices;
};

} // namespace goldyrun

#endif
