//===- Registry.cpp - The drivers of this build ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line a driver. Drivers that are named by the command line but are not
// part of this build stand here too, so that asking for one is answered by
// name.
//
//===----------------------------------------------------------------------===//
#include "core/Driver.h"

using namespace goldy::rt;

static constexpr DriverEntry Entries[] = {
    {"cpu", "the machine's processor: x86-64-v1 to x86-64-v4, all threads",
     openCpu, nullptr},
#ifdef GOLDY_HAS_VULKAN
    {"vulkan", "Vulkan 1.3 devices with buffer addresses", openVulkan,
     listVulkan},
#else
    {"vulkan", "not part of this build", nullptr, nullptr},
#endif
    {"cuda", "CUDA devices of compute capability 8.0 and later", openCuda,
     listCuda},
    {"null", "records what it is asked and runs no kernel", openNull, nullptr},
};

std::span<const DriverEntry> goldy::rt::driverEntries() { return Entries; }
