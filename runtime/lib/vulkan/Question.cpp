//===- Question.cpp - A small kernel that a device is asked with ----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/Question.h"

#include "vulkan/Result.h"
#include "vulkan/Submission.h"
#include "vulkan/Transfer.h"

#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

namespace {

// Two buffers, the layout table's address, base words and numbers of groups.
constexpr uint32_t OutputOffset = 16, TableOffset = 32, BaseOffset = 40,
                   BlockBytes = 64;

/// What a question needs on the device; released in the end.
struct Run {
  Device &D;
  MemoryPool &Pool;
  Pipeline Code{};
  BufferMemory Input{}, Output{};
  ~Run() {
    destroyPipeline(D, Code);
    Pool.free(Input.Piece);
    Pool.free(Output.Piece);
  }
};

Status makeCode(Run &R, const Question &Q) {
  Kernel K;
  K.Name = Q.Name;
  K.WorkgroupSize = {Q.GroupSize, 1, 1};
  K.Params.resize(2);
  K.Params[0].Kind = K.Params[1].Kind = GOLDY_PARAM_BUFFER;
  K.Params[1].Offset = OutputOffset;
  K.LayoutTableOffset = TableOffset;
  K.BaseWordsOffset = BaseOffset;
  K.BlockSize = BlockBytes;
  Image I;
  I.Arch = "vulkan1.1";
  I.Format = ImageFormat::Spirv;
  I.Code = std::as_bytes(Q.Code);
  I.Entry = Q.Name;
  I.PushConstantBytes = BlockBytes;
  I.WordBindings = 3;
  I.Switches = Q.Switches;
  I.Features = Q.Features;
  return makePipeline(R.D, VK_NULL_HANDLE, K, I, Q.Settings, R.Code);
}

template <class Id, class T> Id idOf(T &Object) {
  return static_cast<Id>(reinterpret_cast<uintptr_t>(&Object));
}

SubmissionDesc describe(Run &R, const Question &Q) {
  Part P;
  P.Image = idOf<ImageId>(R.Code);
  P.Groups = {Q.Groups, 1, 1};
  P.Pieces = {{{0, 0, 0}, P.Groups}};
  P.BaseOffset = BaseOffset;
  P.Block.resize(BlockBytes);
  uint32_t At = 0;
  for (BufferMemory *M : {&R.Input, &R.Output}) {
    uint64_t Address = M->Piece.address();
    std::memcpy(&P.Block[At], &Address, sizeof Address);
    P.Uses.push_back({idOf<MemoryId>(*M), 0, M->Bytes, M == &R.Output});
    At += OutputOffset;
  }
  SubmissionDesc Desc;
  Desc.Parts.push_back(std::move(P));
  return Desc;
}

Status launch(Run &R, const Question &Q) {
  Clock NoTimes(R.D);
  Submission S(R.D, R.Pool, NoTimes, R.Input.Piece, describe(R, Q));
  struct Drain {
    Device &D;
    ~Drain() { D.drain(); }
  } Pending{R.D};
  uint64_t Point = 0;
  GOLDY_TRY(S.prepare());
  GOLDY_TRY(S.run({}, Point));
  return R.D.wait(Point, UINT64_MAX);
}

} // namespace

DeviceKey vk::keyOf(const PhysicalDevice &P) {
  DeviceKey Key;
  std::memcpy(Key.data(), P.Properties11.deviceUUID, VK_UUID_SIZE);
  std::memcpy(Key.data() + VK_UUID_SIZE, P.Properties11.driverUUID,
              VK_UUID_SIZE);
  return Key;
}

Status vk::ask(Device &D, MemoryPool &Pool, const Question &Q,
               std::span<const std::byte> Input, std::span<std::byte> Answers) {
  Transfer Bytes(D, Pool);
  Run R{D, Pool};
  R.Input.Bytes = Input.size();
  R.Output.Bytes = Answers.size();
  GOLDY_TRY(makeCode(R, Q));
  GOLDY_TRY(Pool.allocate(MemoryKind::Buffer, Input.size(), R.Input.Piece));
  GOLDY_TRY(Pool.allocate(MemoryKind::Buffer, Answers.size(), R.Output.Piece));
  GOLDY_TRY(Bytes.write(R.Input.Piece, 0, Input));
  GOLDY_TRY(launch(R, Q));
  return Bytes.read(R.Output.Piece, 0, Answers);
}
