//===- TimeLimit.h - Work that may take too long --------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neither a thread of the CPU device nor a kernel of a GPU can be stopped from
// outside. What exceeds its time is left behind, with all that it uses, and
// ends with the process.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDYRUN_TIMELIMIT_H
#define GOLDYRUN_TIMELIMIT_H

#include <chrono>
#include <functional>

namespace goldyrun {

using Seconds = std::chrono::duration<double>;

/// Does `Work` on a thread of its own and waits until it is done, or for `Most`
/// and a little: what keeps the time itself is to come first. False: it is left
/// behind, and nothing that it uses may be destroyed.
bool finishesWithin(Seconds Most, std::function<void()> Work);

/// Something goes on that is left behind, so that the process ends by leave().
void leaveBehind();

/// Returns from `main` with `Code`; at once, without destroying anything, if
/// something was left behind.
int leave(int Code);

} // namespace goldyrun

#endif
