//===- Memory.h - Device memory in pieces of large blocks -----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vulkan allocates rarely and in large blocks; buffers are pieces of them. A
// block is one VkDeviceMemory under one VkBuffer, mapped for good where the
// host can see it. On devices without addresses a block has one that is a name
// only. Pieces are multiples of 256 bytes at addresses that are multiples of
// 256, which satisfies every alignment that kernels, copies and descriptors ask
// for. The first fitting gap is taken; neighbours merge.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_VULKAN_MEMORY_H
#define GOLDY_RUNTIME_VULKAN_MEMORY_H

#include "vulkan/Device.h"

#include <array>
#include <map>

namespace goldy::rt::vk {

/// What a piece is for. Buffer: kernels' data. Upload: written by the host,
/// read once by the device. Readback: written by the device, read by the host.
enum class MemoryKind : uint8_t { Buffer, Upload, Readback };
inline constexpr size_t NumMemoryKinds = 3;

/// Whether the host sees all of the device's own memory, so that kernels' data
/// loses nothing by lying where the host writes it.
bool hostSeesDevice(const VkPhysicalDeviceMemoryProperties &P);

/// Kinds of memory that plain buffers and images do not live in.
inline constexpr VkMemoryPropertyFlags StrangeMemory =
    VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
    VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
    VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;

struct MemoryBlock {
  VkDeviceMemory Memory = VK_NULL_HANDLE;
  VkBuffer Buffer = VK_NULL_HANDLE;
  uint64_t Address = 0;
  std::byte *Mapped = nullptr; ///< null if the host cannot see it
  bool Cached = false;         ///< reading it on the host is fast
  uint64_t Size = 0;
  std::map<uint64_t, uint64_t> Gaps; ///< offset to bytes
  uint64_t Used = 0;
};

/// A piece of a block. Copies name the same piece; its owner frees it once.
struct Allocation {
  MemoryBlock *Block = nullptr;
  uint64_t Offset = 0;
  uint64_t Bytes = 0; ///< rounded up

  explicit operator bool() const { return Block; }
  uint64_t address() const { return Block->Address + Offset; }
  VkBuffer buffer() const { return Block->Buffer; }
  std::byte *mapped() const {
    return Block->Mapped ? Block->Mapped + Offset : nullptr;
  }
};

class MemoryPool {
public:
  explicit MemoryPool(Device &D);
  ~MemoryPool();

  /// `Bytes` may be 0. GOLDY_OUT_OF_MEMORY. Contents are undefined.
  Status allocate(MemoryKind Kind, uint64_t Bytes, Allocation &Out);
  /// Memory of the host's, which stays its owner's, as memory of the device.
  /// GOLDY_UNSUPPORTED, GOLDY_OUT_OF_MEMORY.
  Status borrow(void *Host, uint64_t Bytes, Allocation &Out);
  /// No pending work may use it.
  void free(Allocation &A);
  /// Of one piece.
  uint64_t maxBytes() const { return MaxBytes; }

private:
  using Blocks = std::vector<std::unique_ptr<MemoryBlock>>;
  Status addBlock(MemoryKind Kind, uint64_t Bytes, MemoryBlock *&Out);
  Status makeBlock(MemoryKind Kind, uint64_t Bytes, MemoryBlock &Out);
  Status bind(MemoryKind Kind, MemoryBlock &B, uint64_t Bytes, bool Visible);
  uint64_t addressOf(VkBuffer Buffer, uint64_t Bytes);
  Status importPages(std::byte *First, uint64_t Bytes, MemoryBlock &Out);
  Status hostType(const void *First, uint32_t Allowed, uint32_t &Out);
  bool freeBorrowed(const MemoryBlock *B);
  Status takeMemory(MemoryKind Kind, const VkMemoryRequirements &Needs,
                    uint32_t &Type, VkDeviceMemory &Out);
  void destroyBlock(MemoryBlock &B);
  struct Wish {
    VkMemoryPropertyFlags Needed, Wanted, Preferred, Unwanted;
  };
  const Wish &wish(MemoryKind Kind) const;
  bool fits(MemoryKind Kind, uint32_t Allowed, uint32_t Type) const;
  uint32_t chooseType(MemoryKind Kind, uint32_t Allowed) const;
  uint64_t heapBytes(MemoryKind Kind) const;
  uint64_t blockBytes(MemoryKind Kind) const;

  Device &D;
  VkPhysicalDeviceMemoryProperties Properties{};
  bool MapBuffers = false;
  uint64_t MaxBytes = 0;
  std::mutex Mutex; ///< of all below
  uint64_t NextName = uint64_t(1) << 32;
  std::array<Blocks, NumMemoryKinds> Of;
  Blocks Borrowed; ///< pages of the host
};

} // namespace goldy::rt::vk

#endif
