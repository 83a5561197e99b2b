//===- Clock.cpp - The device's clock on the host's -----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Clock.h"

#include "core/RunTimes.h"

using namespace goldy::rt;
using namespace goldy::rt::vk;

Status vk::readTicks(Device &D, VkQueryPool Pool, std::span<uint64_t> Out) {
  return D.check(D.vk().GetQueryPoolResults(
                     D.handle(), Pool, 0, static_cast<uint32_t>(Out.size()),
                     Out.size_bytes(), Out.data(), sizeof Out[0],
                     VK_QUERY_RESULT_64_BIT),
                 "vkGetQueryPoolResults");
}

/// The bits that the device's counter has.
static uint64_t tickMask(const Device &D) {
  uint32_t Bits = D.physical().TimestampBits;
  return Bits >= 64 ? UINT64_MAX : (uint64_t(1) << Bits) - 1;
}

namespace {
/// A pool of one query, destroyed when work submitted by then is done.
struct OneQuery {
  Device &D;
  VkQueryPool Pool = VK_NULL_HANDLE;
  ~OneQuery() {
    if (Pool)
      D.later([Owner = &D, Pool = Pool] {
        Owner->vk().DestroyQueryPool(Owner->handle(), Pool, nullptr);
      });
  }
  Status make() {
    VkQueryPoolCreateInfo Info{};
    Info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    Info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    Info.queryCount = 1;
    return D.check(D.vk().CreateQueryPool(D.handle(), &Info, nullptr, &Pool),
                   "vkCreateQueryPool");
  }
};
} // namespace

Status Clock::start() {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (IsSet)
    return Status();
  OneQuery Query{D};
  GOLDY_TRY(Query.make());
  GOLDY_TRY(set(Query.Pool));
  IsSet = true;
  return Status();
}

Status Clock::set(VkQueryPool Pool) {
  OwnedCommands C(D);
  GOLDY_TRY(C.begin(0));
  D.vk().CmdResetQueryPool(C.buffer(), Pool, 0, 1);
  D.vk().CmdWriteTimestamp(C.buffer(), VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                           Pool, 0);
  GOLDY_TRY(C.end());
  constexpr int Looks = 8;
  for (int N = 0; N < Looks; ++N)
    GOLDY_TRY(look(Pool, C.buffer()));
  return Status();
}

Status Clock::look(VkQueryPool Pool, VkCommandBuffer Write) {
  uint64_t Point = 0, Ticks = 0, Before = goldy::rt::steadyNs();
  GOLDY_TRY(D.submit(Write, Point));
  GOLDY_TRY(D.wait(Point, UINT64_MAX));
  uint64_t Half = (goldy::rt::steadyNs() - Before) / 2;
  GOLDY_TRY(readTicks(D, Pool, {&Ticks, 1}));
  if (Half < ErrorNs) {
    ErrorNs = Half;
    BaseNs = Before + Half;
    BaseTicks = Ticks & tickMask(D);
  }
  return Status();
}

uint64_t Clock::steadyNs(uint64_t Ticks, uint64_t NotBeforeNs) const {
  double Period = D.physical().Properties.limits.timestampPeriod;
  uint64_t Mask = tickMask(D), Turn = Mask / 4;
  // Where the counter stood, at the earliest: a quarter of a turn is left for
  // the error of the pair and for clocks that run apart.
  int64_t Passed = static_cast<int64_t>(NotBeforeNs - BaseNs);
  int64_t Least =
      static_cast<int64_t>(static_cast<double>(Passed) / Period) -
      static_cast<int64_t>(std::min<uint64_t>(Turn, uint64_t(1) << 62));
  uint64_t Beyond = (Ticks - BaseTicks - static_cast<uint64_t>(Least)) & Mask;
  int64_t Since = static_cast<int64_t>(static_cast<uint64_t>(Least) + Beyond);
  return BaseNs + static_cast<uint64_t>(static_cast<int64_t>(
                      static_cast<double>(Since) * Period));
}
