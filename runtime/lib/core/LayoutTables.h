//===- LayoutTables.h - Layout tables of launches on a device -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch with tensors names a table of their layouts in device memory. Equal
// tables are one, as long as some launch uses it; nothing writes them after
// they are made.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CORE_LAYOUTTABLES_H
#define GOLDY_RUNTIME_CORE_LAYOUTTABLES_H

#include "core/Objects.h"

#include <goldy_host_abi.h>

#include <map>
#include <mutex>

namespace goldy::rt {

class LayoutTables {
public:
  /// The table of these layouts on `Device`, which must be the same at every
  /// call. May be called from several threads at once.
  Status find(const std::shared_ptr<Driver> &Device,
              std::span<const goldy_tensor_layout> Layouts,
              std::shared_ptr<Memory> &Out);

private:
  std::mutex Lock;
  std::map<std::vector<uint32_t>, std::weak_ptr<Memory>> Known;
};

} // namespace goldy::rt

#endif
