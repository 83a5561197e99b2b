//===- WordBindings.cpp - Buffers as elements of a descriptor array -------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "vulkan/WordBindings.h"

#include "vulkan/Submission.h"

#include <algorithm>
#include <cstring>

using namespace goldy::rt;
using namespace goldy::rt::vk;

/// Offsets of descriptors are multiples of it on every device.
static constexpr uint64_t DescriptorAlign = 256;

static const Pipeline *wordImage(const Part &P) {
  if (P.Kind != PartKind::Launch)
    return nullptr;
  const Pipeline *Image =
      reinterpret_cast<const Pipeline *>(static_cast<uintptr_t>(P.Image));
  return Image->WordBindings ? Image : nullptr;
}

void WordSets::clear() {
  if (Pool)
    D.vk().DestroyDescriptorPool(D.handle(), Pool, nullptr);
  Pool = VK_NULL_HANDLE;
}

Status WordSets::reset(std::span<const Part> Parts) {
  clear();
  uint32_t Sets = 0, Descriptors = 0;
  for (const Part &P : Parts)
    if (const Pipeline *Image = wordImage(P)) {
      ++Sets;
      Descriptors += Image->WordBindings;
    }
  if (!Sets)
    return Status();
  VkDescriptorPoolSize Size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, Descriptors};
  VkDescriptorPoolCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  Info.maxSets = Sets;
  Info.poolSizeCount = 1;
  Info.pPoolSizes = &Size;
  return D.check(D.vk().CreateDescriptorPool(D.handle(), &Info, nullptr, &Pool),
                 "vkCreateDescriptorPool");
}

namespace {
/// Where a view begins: the descriptor, and the first word in it.
struct Binding {
  VkDescriptorBufferInfo Info{};
  uint32_t FirstWord = 0;
};
} // namespace

/// `Bytes` from byte `Offset` of the piece on, as whole words.
static Binding bindingAt(const Allocation &A, uint64_t Offset, uint64_t Bytes) {
  uint64_t First = A.Offset + Offset;
  uint64_t Start = First / DescriptorAlign * DescriptorAlign;
  uint64_t Words = std::max<uint64_t>((First - Start + Bytes + 3) / 4, 1);
  return {{A.buffer(), Start, 4 * Words},
          static_cast<uint32_t>((First - Start) / 4)};
}

static const Allocation &memoryOf(const MemoryUse &Use) {
  return reinterpret_cast<const BufferMemory *>(
             static_cast<uintptr_t>(Use.Memory))
      ->Piece;
}

/// The memory that the address in the block is of: that of the `K`-th resource,
/// unless a word of the run named another one. A tensor's address may lie
/// before the bytes that are used, that of an empty view just behind them.
static const MemoryUse *useAt(std::span<const MemoryUse> Uses, uint32_t K,
                              uint64_t Address) {
  auto End = [](const MemoryUse &U) { return U.Offset + U.Bytes; };
  auto Offset = [&](const MemoryUse &U) {
    return Address - memoryOf(U).address();
  };
  if (Offset(Uses[K]) <= End(Uses[K]))
    return &Uses[K];
  for (const MemoryUse &U : Uses)
    if (Offset(U) < std::max<uint64_t>(End(U), 1))
      return &U;
  return nullptr;
}

/// From the address that the block has for the `K`-th resource to the end of
/// what the part uses there.
static Status bindingOf(std::span<const MemoryUse> Uses, uint32_t K,
                        uint64_t Address, uint64_t MaxRange, Binding &Out) {
  const MemoryUse *Use = useAt(Uses, K, Address);
  if (!Use)
    return Status(GOLDY_INVALID_ARGUMENT,
                  "the address of resource " + std::to_string(K) +
                      " is in no memory that the part uses");
  const Allocation &A = memoryOf(*Use);
  uint64_t Offset = Address - A.address();
  uint64_t Bytes = Use->Offset + Use->Bytes - Offset;
  if ((A.Offset + Offset) % 4)
    return Status(GOLDY_UNSUPPORTED,
                  "the view from byte " + std::to_string(Offset) +
                      " on starts within a word; a kernel that is bound as "
                      "words takes views of whole words");
  Out = bindingAt(A, Offset, Bytes);
  if (Out.Info.range > MaxRange)
    return Status(GOLDY_LIMIT,
                  "a view of " + std::to_string(Bytes) +
                      " bytes, a descriptor of the device reaches " +
                      std::to_string(MaxRange));
  return Status();
}

uint32_t vk::firstBlockWord(const Allocation &Blocks, uint64_t Offset) {
  return bindingAt(Blocks, 0, 0).FirstWord + static_cast<uint32_t>(Offset / 4);
}

static void putAddress(std::span<std::byte> Block, uint32_t Offset,
                       uint32_t Element, uint32_t FirstWord) {
  uint32_t Words[2] = {Element, FirstWord};
  std::memcpy(&Block[Offset], Words, sizeof Words);
}

Status WordSets::make(std::span<const MemoryUse> Uses, const Pipeline &Image,
                      std::span<std::byte> Block, const Allocation &Blocks,
                      const Allocation &Spare, VkDescriptorSet &Out) {
  uint64_t MaxRange = D.physical().Properties.limits.maxStorageBufferRange;
  std::vector<VkDescriptorBufferInfo> Infos;
  std::vector<uint32_t> Offsets = Image.AddressOffsets;
  if (Image.HasTensors)
    Offsets.push_back(Image.LayoutTableOffset);
  for (uint32_t K = 0; K < Offsets.size(); ++K) {
    uint64_t Address = 0;
    std::memcpy(&Address, &Block[Offsets[K]], 8);
    Binding B;
    GOLDY_TRY(bindingOf(Uses, K, Address, MaxRange, B));
    putAddress(Block, Offsets[K], K, B.FirstWord);
    Infos.push_back(B.Info);
  }
  if (!Image.HasTensors)
    Infos.push_back(bindingAt(Spare, 0, 4).Info);
  if (Image.BlockBehindAddress)
    Infos.push_back(bindingAt(Blocks, 0, Blocks.Bytes).Info);
  VkDescriptorSetAllocateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  Info.descriptorPool = Pool;
  Info.descriptorSetCount = 1;
  Info.pSetLayouts = &Image.SetLayout;
  GOLDY_TRY(D.check(D.vk().AllocateDescriptorSets(D.handle(), &Info, &Out),
                    "vkAllocateDescriptorSets"));
  VkWriteDescriptorSet Write{};
  Write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  Write.dstSet = Out;
  Write.descriptorCount = static_cast<uint32_t>(Infos.size());
  Write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  Write.pBufferInfo = Infos.data();
  D.vk().UpdateDescriptorSets(D.handle(), 1, &Write, 0, nullptr);
  return Status();
}
