//===- FakeCuda.h - Controls of the fake CUDA driver ----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library with the names of NVIDIA's driver that runs no kernel: device
// memory is host memory, filled with rubbish when it is allocated; fills and
// copies happen when the stream gets to them, never at once; launches are
// recorded. Every argument, lifetime, size and context is checked: what a real
// driver would take without a word, or crash on, ends the process with a
// message. So does whatever is alive when the process ends.
//
// GOLDY_CUDA_LIBRARY names the library to the runtime. Its devices come from
// GOLDY_FAKE_CUDA_DEVICES, compute capabilities such as "9.0,7.5" (default
// "9.0", `-` behind one closes it to computing, `!` takes its memory pools
// away), its version from GOLDY_FAKE_CUDA_VERSION (default 12040); with
// GOLDY_FAKE_CUDA_HOLD in the environment it begins held. Tests that load the
// library find these functions in it by name.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CTS_FAKECUDA_FAKECUDA_H
#define GOLDY_RUNTIME_CTS_FAKECUDA_FAKECUDA_H

#include <cstddef>
#include <cstdint>

extern "C" {

/// Forgets faults, calls and lines, lets go of what is held, and heals lost
/// devices.
void fakeCudaReset();
/// Devices and version as by the environment; NULL and 0 leave them.
void fakeCudaSetUp(const char *Devices, int Version);
/// From now on the `Nth` call that can fail (1: the next) gives `Result`;
/// counted are calls of `Symbol` alone unless it is NULL. Results that lose the
/// device are given by all calls after that too.
void fakeCudaFail(int Nth, int Result, const char *Symbol);
/// Calls that can fail since the last reset.
int fakeCudaCalls();
/// The symbol that was made to fail; "" if none was.
const char *fakeCudaFailed();
/// While held, no event comes to pass unless it is waited for by name.
void fakeCudaHold(bool Held);
/// The devices' clock counts so many nanoseconds at once. By itself it counts
/// 5000 for a kernel, 2000 for a fill, 3000 for a copy and 100 for an event.
void fakeCudaPass(uint64_t Ns);
/// From now on `Enter` and `Leave`, if they are not null, are called on the
/// calling thread around whatever a call does.
void fakeCudaAround(void (*Enter)(), void (*Leave)());
/// Objects, memory and retained contexts that are alive.
size_t fakeCudaAlive();
/// Kernels that ran since the last reset.
size_t fakeCudaKernels();
/// What the devices did since the last reset, a line each: "kernel NAME 4 1 1
/// at 0123abcd…" (the parameter block in hexadecimal), "fill 4 bytes", "copy 8
/// bytes", "copy 2097152 bytes by a kernel", "graph 3 nodes, 2 edges", "set
/// NAME" (a node's parameters).
size_t fakeCudaLineCount();
const char *fakeCudaLine(size_t Number);
}

#endif
