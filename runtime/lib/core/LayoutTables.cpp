//===- LayoutTables.cpp - Layout tables of launches on a device -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/LayoutTables.h"

#include <cstring>

using namespace goldy::rt;

static_assert(sizeof(goldy_tensor_layout) == 48);

Status LayoutTables::find(const std::shared_ptr<Driver> &Device,
                          std::span<const goldy_tensor_layout> Layouts,
                          std::shared_ptr<Memory> &Out) {
  std::vector<uint32_t> Words(Layouts.size_bytes() / sizeof(uint32_t));
  std::memcpy(Words.data(), Layouts.data(), Layouts.size_bytes());
  std::lock_guard<std::mutex> Guard(Lock);
  std::erase_if(Known,
                [](const auto &Entry) { return Entry.second.expired(); });
  Out = Known[Words].lock();
  if (Out)
    return Status();
  std::shared_ptr<Memory> Made = std::make_shared<Memory>();
  Made->Device = Device;
  GOLDY_TRY(Device->allocate(Layouts.size_bytes(), Made->Id));
  Made->Bytes = Layouts.size_bytes();
  GOLDY_TRY(Device->write(Made->Id, 0, std::as_bytes(Layouts)));
  Known[Words] = Made;
  Out = std::move(Made);
  return Status();
}
