//===- Transfer.cpp - Bytes between the host and device memory ------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "cuda/Transfer.h"

#include <algorithm>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

Transfer::~Transfer() {
  empty(Up);
  empty(Down);
}

void Transfer::empty(Ring &R) {
  for (Stage &S : R.Stages) {
    if (S.Copied)
      D.cu().EventDestroy(S.Copied);
    if (S.Memory)
      D.cu().MemFreeHost(S.Memory);
  }
}

Status Transfer::ready(Stage &S) {
  if (!S.Memory) {
    void *Memory = nullptr;
    GOLDY_TRY(
        D.check(D.cu().MemHostAlloc(&Memory, StageBytes, 0), "cuMemHostAlloc"));
    S.Memory = static_cast<std::byte *>(Memory);
  }
  if (!S.Copied)
    GOLDY_TRY(D.check(D.cu().EventCreate(&S.Copied, EventDisableTiming),
                      "cuEventCreate"));
  return S.Busy ? copied(S) : Status();
}

/// A copy of `S` was put into the stream.
Status Transfer::copying(Stage &S) {
  Status Marked =
      D.check(D.cu().EventRecord(S.Copied, D.stream()), "cuEventRecord");
  S.Busy = Marked.ok();
  if (!S.Busy) // the copy must not outlive this call unmarked
    (void)D.check(D.cu().StreamSynchronize(D.stream()), "cuStreamSynchronize");
  return Marked;
}

Status Transfer::copied(Stage &S) {
  GOLDY_TRY(D.check(D.cu().EventSynchronize(S.Copied), "cuEventSynchronize"));
  S.Busy = false;
  return Status();
}

Status Transfer::write(DevicePointer To, std::span<const std::byte> Data) {
  std::lock_guard<std::mutex> Lock(Up.Mutex);
  for (uint64_t Done = 0; Done < Data.size();) {
    Stage &S = Up.next();
    GOLDY_TRY(ready(S));
    uint64_t Bytes = std::min<uint64_t>(StageBytes, Data.size() - Done);
    std::memcpy(S.Memory, Data.data() + Done, Bytes);
    GOLDY_TRY(
        D.check(D.cu().MemcpyHtoDAsync(To + Done, S.Memory, Bytes, D.stream()),
                "cuMemcpyHtoDAsync"));
    GOLDY_TRY(copying(S));
    Done += Bytes;
  }
  return Status();
}

/// Asks for a piece ahead of the one that is being emptied.
Status Transfer::read(DevicePointer From, std::span<std::byte> Out) {
  if (Out.empty())
    return Status();
  std::lock_guard<std::mutex> Lock(Down.Mutex);
  uint64_t Asked = 0;
  auto Ask = [&](Stage &S) -> Status {
    GOLDY_TRY(ready(S));
    uint64_t Bytes = std::min<uint64_t>(StageBytes, Out.size() - Asked);
    GOLDY_TRY(D.check(
        D.cu().MemcpyDtoHAsync(S.Memory, From + Asked, Bytes, D.stream()),
        "cuMemcpyDtoHAsync"));
    Asked += Bytes;
    return copying(S);
  };
  GOLDY_TRY(Ask(Down.Stages[0]));
  for (uint64_t Done = 0, Turn = 0; Done < Out.size(); ++Turn) {
    if (Asked < Out.size())
      GOLDY_TRY(Ask(Down.Stages[(Turn + 1) % 2]));
    Stage &S = Down.Stages[Turn % 2];
    GOLDY_TRY(copied(S));
    uint64_t Bytes = std::min<uint64_t>(StageBytes, Out.size() - Done);
    std::memcpy(Out.data() + Done, S.Memory, Bytes);
    Done += Bytes;
  }
  return Status();
}
