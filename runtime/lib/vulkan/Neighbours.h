//===- Neighbours.h - Which work-items exchange values --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Images may hold a form of a group's reductions whose lower levels are
// shuffles within a subgroup (switches 4 and 5 of the file format). It is right
// where subgroups have one size that is known before the pipeline is made, all
// their lanes are in use, and consecutive work-items lie in consecutive lanes.
// Vulkan lets a pipeline ask for the first two and says nothing of the last,
// so a device is asked by a run.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_NEIGHBOURS_H
#define GOLDY_RUNTIME_VULKAN_NEIGHBOURS_H

#include "vulkan/Memory.h"
#include "vulkan/Pipeline.h"

#include <span>

namespace goldy::rt::vk {

/// The size that pipelines can count on, 32 where there is a choice; Width 0 if
/// none.
Subgroups chooseSubgroups(const PhysicalDevice &P);

/// What one work-item of the run tells: local ids that it received.
using NeighbourRow = std::array<uint32_t, 7>;
/// True if aligned blocks of `Block` (8 or 32) exchange values as images
/// expect; `Rows` of groups of `GroupSize` work-items.
bool neighboursMeet(std::span<const NeighbourRow> Rows, uint32_t GroupSize,
                    uint32_t Block);

/// Leaves in `Out` what the device has shown. Once a process for each device
/// and driver; GOLDY_DEVICE_SWITCHES=none leaves none.
Status measureNeighbours(Device &D, MemoryPool &Pool, Subgroups &Out);

} // namespace goldy::rt::vk

#endif
