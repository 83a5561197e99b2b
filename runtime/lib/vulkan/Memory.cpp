//===- Memory.cpp - Device memory in pieces of large blocks ---------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the host sees all of the device's memory, kernels' data lies there and
// the host writes it directly. Elsewhere it goes to memory that is the device's
// alone: the part that the host sees is small. Uploads prefer device memory
// that the host can write.
//
//===----------------------------------------------------------------------===//
#include "vulkan/Memory.h"

#include "core/Checked.h"
#include "vulkan/Result.h"

#include <algorithm>

using namespace goldy::rt;
using namespace goldy::rt::vk;

static constexpr uint64_t Grain = 256, MiB = uint64_t(1) << 20;

namespace {
constexpr VkMemoryPropertyFlags Local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags Host =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags Cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;

} // namespace

bool vk::hostSeesDevice(const VkPhysicalDeviceMemoryProperties &P) {
  uint64_t Largest = 0;
  bool Sees = false;
  for (uint32_t T = 0; T < P.memoryTypeCount; ++T) {
    VkMemoryPropertyFlags Flags = P.memoryTypes[T].propertyFlags;
    uint64_t Size = P.memoryHeaps[P.memoryTypes[T].heapIndex].size;
    if (!(Flags & Local) || (Flags & StrangeMemory) || Size < Largest)
      continue;
    Sees = (Sees && Size == Largest) || (Flags & Host) == Host;
    Largest = Size;
  }
  return Sees;
}

const MemoryPool::Wish &MemoryPool::wish(MemoryKind Kind) const {
  static constexpr Wish Wishes[NumMemoryKinds] = {
      {0, Local, 0, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
      {Host, Local, 0, Cached},
      {Host, Cached, 0, Local},
  };
  static constexpr Wish Seen = {Local, Local | Host, Cached, 0};
  return Kind == MemoryKind::Buffer && MapBuffers
             ? Seen
             : Wishes[static_cast<size_t>(Kind)];
}

bool MemoryPool::fits(MemoryKind Kind, uint32_t Allowed, uint32_t Type) const {
  VkMemoryPropertyFlags Needed = wish(Kind).Needed;
  VkMemoryPropertyFlags Flags = Properties.memoryTypes[Type].propertyFlags;
  return (Allowed >> Type & 1) && (Flags & Needed) == Needed &&
         !(Flags & StrangeMemory);
}

/// The type that fits best: wanted properties count most, then preferred ones,
/// then the absence of unwanted ones, then the size of the heap.
uint32_t MemoryPool::chooseType(MemoryKind Kind, uint32_t Allowed) const {
  const Wish &W = wish(Kind);
  uint32_t Best = 0;
  std::array<uint64_t, 5> BestScore{};
  for (uint32_t T = 0; T < Properties.memoryTypeCount; ++T) {
    VkMemoryPropertyFlags Flags = Properties.memoryTypes[T].propertyFlags;
    std::array<uint64_t, 5> Score = {
        fits(Kind, Allowed, T), (Flags & W.Wanted) == W.Wanted,
        (Flags & W.Preferred) == W.Preferred, (Flags & W.Unwanted) == 0,
        Properties.memoryHeaps[Properties.memoryTypes[T].heapIndex].size};
    if (Score > BestScore) {
      Best = T;
      BestScore = Score;
    }
  }
  return Best;
}

MemoryPool::MemoryPool(Device &D) : D(D) {
  D.vk().GetPhysicalDeviceMemoryProperties(D.physical().Handle, &Properties);
  // What a driver calls its largest allocation is less than what it gives.
  MapBuffers = D.physical().MayMapBuffers && hostSeesDevice(Properties);
  MaxBytes = heapBytes(MemoryKind::Buffer);
  // Older devices do not say how large a buffer may be.
  if (uint64_t Most = D.physical().Properties13.maxBufferSize)
    MaxBytes = std::min(MaxBytes, Most);
  MaxBytes -= Grain;
}

MemoryPool::~MemoryPool() {
  for (Blocks &Kind : Of)
    for (std::unique_ptr<MemoryBlock> &B : Kind)
      destroyBlock(*B);
  for (std::unique_ptr<MemoryBlock> &B : Borrowed)
    destroyBlock(*B);
}

uint64_t MemoryPool::heapBytes(MemoryKind Kind) const {
  uint32_t Type = chooseType(Kind, ~0u);
  return Properties.memoryHeaps[Properties.memoryTypes[Type].heapIndex].size;
}

uint64_t MemoryPool::blockBytes(MemoryKind Kind) const {
  uint64_t Usual = Kind == MemoryKind::Buffer ? 64 * MiB : 4 * MiB;
  return std::max(std::min(Usual, heapBytes(Kind) / 16) / Grain * Grain, Grain);
}

static bool takeGap(MemoryBlock &B, uint64_t Bytes, Allocation &Out) {
  for (auto Gap = B.Gaps.begin(); Gap != B.Gaps.end(); ++Gap) {
    auto [Offset, Size] = *Gap;
    if (Size < Bytes)
      continue;
    if (Size > Bytes)
      B.Gaps.emplace(Offset + Bytes, Size - Bytes);
    B.Gaps.erase(Gap);
    B.Used += Bytes;
    Out = {&B, Offset, Bytes};
    return true;
  }
  return false;
}

Status MemoryPool::allocate(MemoryKind Kind, uint64_t Bytes, Allocation &Out) {
  std::optional<uint64_t> Padded =
      checkedAlign(std::max<uint64_t>(Bytes, 1), Grain);
  if (!Padded || *Padded > MaxBytes)
    return Status(GOLDY_OUT_OF_MEMORY, std::to_string(Bytes) +
                                           " bytes; one piece of this "
                                           "device's memory has at most " +
                                           std::to_string(MaxBytes));
  std::lock_guard<std::mutex> Lock(Mutex);
  for (std::unique_ptr<MemoryBlock> &B : Of[static_cast<size_t>(Kind)])
    if (takeGap(*B, *Padded, Out))
      return Status();
  MemoryBlock *New = nullptr;
  GOLDY_TRY(addBlock(Kind, *Padded, New));
  takeGap(*New, *Padded, Out);
  return Status();
}

/// A block of the usual size, or one for a large piece alone. When memory is
/// short the usual size shrinks to what is needed.
Status MemoryPool::addBlock(MemoryKind Kind, uint64_t Bytes,
                            MemoryBlock *&Out) {
  struct NewBlock {
    MemoryPool &Pool;
    std::unique_ptr<MemoryBlock> Block = std::make_unique<MemoryBlock>();
    ~NewBlock() {
      if (Block)
        Pool.destroyBlock(*Block);
    }
  } New{*this};
  uint64_t Usual = blockBytes(Kind);
  bool Alone = Bytes > Usual / 4;
  Blocks &Kinds = Of[static_cast<size_t>(Kind)];
  Kinds.reserve(Kinds.size() + 1);
  Status S = makeBlock(Kind, Alone ? Bytes : Usual, *New.Block);
  if (S.code() == GOLDY_OUT_OF_MEMORY && !Alone) {
    destroyBlock(*New.Block);
    S = makeBlock(Kind, Bytes, *New.Block);
  }
  if (!S.ok())
    return S;
  Out = New.Block.get();
  Kinds.push_back(std::move(New.Block));
  return S;
}

/// `OfHost`: for memory of the host that the device borrows.
static Status makeBuffer(Device &D, uint64_t Bytes, bool OfHost, VkBuffer &Out,
                         VkMemoryRequirements &Needs) {
  VkExternalMemoryBufferCreateInfo External{};
  External.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  External.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  VkBufferCreateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  Info.pNext = OfHost ? &External : nullptr;
  Info.size = Bytes;
  Info.usage =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
      VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  if (D.physical().hasAddresses())
    Info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  GOLDY_TRY(D.check(D.vk().CreateBuffer(D.handle(), &Info, nullptr, &Out),
                    "vkCreateBuffer"));
  D.vk().GetBufferMemoryRequirements(D.handle(), Out, &Needs);
  return Status();
}

/// `Host`: the pages that it is, or null.
static Status makeMemory(Device &D, uint64_t Bytes, uint32_t Type, void *Host,
                         VkDeviceMemory &Out) {
  VkImportMemoryHostPointerInfoEXT Import{};
  Import.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT;
  Import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
  Import.pHostPointer = Host;
  VkMemoryAllocateFlagsInfo Flags{};
  Flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  Flags.pNext = Host ? &Import : nullptr;
  Flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo Info{};
  Info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  Info.pNext = D.physical().hasAddresses() ? &Flags : Flags.pNext;
  Info.allocationSize = Bytes;
  Info.memoryTypeIndex = Type;
  return D.check(D.vk().AllocateMemory(D.handle(), &Info, nullptr, &Out),
                 "vkAllocateMemory");
}

/// The buffer's address, or a name in its place.
uint64_t MemoryPool::addressOf(VkBuffer Buffer, uint64_t Bytes) {
  if (!D.physical().hasAddresses()) {
    uint64_t Name = NextName;
    NextName += (Bytes / Grain + 2) * Grain;
    return Name;
  }
  VkBufferDeviceAddressInfo Where{};
  Where.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  Where.buffer = Buffer;
  return D.vk().GetBufferDeviceAddress(D.handle(), &Where);
}

Status MemoryPool::bind(MemoryKind Kind, MemoryBlock &B, uint64_t Bytes,
                        bool Visible) {
  GOLDY_TRY(D.check(D.vk().BindBufferMemory(D.handle(), B.Buffer, B.Memory, 0),
                    "vkBindBufferMemory"));
  B.Address = addressOf(B.Buffer, Bytes);
  if (!Visible)
    return Status();
  void *Mapped = nullptr;
  Status S = D.check(
      D.vk().MapMemory(D.handle(), B.Memory, 0, VK_WHOLE_SIZE, 0, &Mapped),
      "vkMapMemory");
  if (S.ok())
    B.Mapped = static_cast<std::byte *>(Mapped);
  // Kernels' data can be copied.
  bool Needed = Kind != MemoryKind::Buffer || S.code() != GOLDY_OUT_OF_MEMORY;
  return Needed ? std::move(S) : Status();
}

/// What the host writes or reads may lie in any memory that it sees: when the
/// heap that fits best is full (a window of 256 MiB on some devices), the next
/// one is taken. Kernels' data is not put where the device reads it slowly.
Status MemoryPool::takeMemory(MemoryKind Kind,
                              const VkMemoryRequirements &Needs, uint32_t &Type,
                              VkDeviceMemory &Out) {
  uint32_t Left = Needs.memoryTypeBits;
  if (!fits(Kind, Left, chooseType(Kind, Left)))
    return Status(GOLDY_UNSUPPORTED, "the device has no memory for buffers");
  Status S;
  do {
    Type = chooseType(Kind, Left);
    S = makeMemory(D, Needs.size, Type, nullptr, Out);
    Left &= ~(uint32_t(1) << Type);
  } while (S.code() == GOLDY_OUT_OF_MEMORY &&
           (Kind != MemoryKind::Buffer || MapBuffers) &&
           fits(Kind, Left, chooseType(Kind, Left)));
  return S;
}

/// `Out` may hold parts after a failure.
Status MemoryPool::makeBlock(MemoryKind Kind, uint64_t Bytes,
                             MemoryBlock &Out) {
  VkMemoryRequirements Needs{};
  uint32_t Type = 0;
  // Room to move the first piece to a multiple of the grain.
  GOLDY_TRY(makeBuffer(D, Bytes + Grain, false, Out.Buffer, Needs));
  GOLDY_TRY(takeMemory(Kind, Needs, Type, Out.Memory));
  VkMemoryPropertyFlags Flags = Properties.memoryTypes[Type].propertyFlags;
  bool Seen = Kind != MemoryKind::Buffer || MapBuffers;
  GOLDY_TRY(bind(Kind, Out, Bytes, Seen && (Flags & Host) == Host));
  Out.Size = Bytes;
  Out.Cached = Flags & Cached;
  Out.Gaps.emplace((Grain - Out.Address % Grain) % Grain, Bytes);
  return Status();
}

void MemoryPool::destroyBlock(MemoryBlock &B) {
  if (B.Buffer)
    D.vk().DestroyBuffer(D.handle(), B.Buffer, nullptr);
  if (B.Memory)
    D.vk().FreeMemory(D.handle(), B.Memory, nullptr);
  B = MemoryBlock();
}

/// Puts a gap back and merges it with its neighbours. Without memory to note it
/// the gap stays unused until the block goes.
static void returnGap(MemoryBlock &B, uint64_t Offset, uint64_t Bytes) {
  B.Used -= Bytes;
  auto Next = B.Gaps.lower_bound(Offset);
  if (Next != B.Gaps.end() && Next->first == Offset + Bytes) {
    Bytes += Next->second;
    Next = B.Gaps.erase(Next);
  }
  if (Next != B.Gaps.begin()) {
    auto Before = std::prev(Next);
    if (Before->first + Before->second == Offset) {
      Before->second += Bytes;
      return;
    }
  }
  try {
    B.Gaps.emplace(Offset, Bytes);
  } catch (const std::bad_alloc &) {
  }
}

//===----------------------------------------------------------------------===//
// Memory of the host
//===----------------------------------------------------------------------===//

/// A kind of memory that these pages can be and that the host sees.
Status MemoryPool::hostType(const void *First, uint32_t Allowed,
                            uint32_t &Out) {
  VkMemoryHostPointerPropertiesEXT Can{};
  Can.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT;
  GOLDY_TRY(D.check(D.vk().GetMemoryHostPointerPropertiesEXT(
                        D.handle(),
                        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                        First, &Can),
                    "vkGetMemoryHostPointerPropertiesEXT"));
  Allowed &= Can.memoryTypeBits;
  for (Out = 0; Out < Properties.memoryTypeCount; ++Out) {
    VkMemoryPropertyFlags Flags = Properties.memoryTypes[Out].propertyFlags;
    if ((Allowed >> Out & 1) && (Flags & Host) == Host &&
        !(Flags & StrangeMemory))
      return Status();
  }
  return Status(GOLDY_UNSUPPORTED,
                "the device takes this memory of the host as none that both "
                "see");
}

Status MemoryPool::importPages(std::byte *First, uint64_t Bytes,
                               MemoryBlock &Out) {
  VkMemoryRequirements Needs{};
  uint32_t Type = 0;
  GOLDY_TRY(makeBuffer(D, Bytes, true, Out.Buffer, Needs));
  if (Needs.size > Bytes)
    return Status(GOLDY_UNSUPPORTED,
                  "a buffer of the device is larger than the pages");
  GOLDY_TRY(hostType(First, Needs.memoryTypeBits, Type));
  GOLDY_TRY(makeMemory(D, Bytes, Type, First, Out.Memory));
  GOLDY_TRY(bind(MemoryKind::Buffer, Out, Bytes, false));
  Out.Mapped = First;
  Out.Size = Out.Used = Bytes;
  Out.Cached = true;
  return Status();
}

/// The pages that hold the bytes are imported, so that bytes may begin and end
/// anywhere.
Status MemoryPool::borrow(void *Host, uint64_t Bytes, Allocation &Out) {
  uint64_t Align = D.physical().HostMemoryAlign;
  if (!Align)
    return Status(GOLDY_UNSUPPORTED,
                  "the device does not reach memory of the host");
  uint64_t At = reinterpret_cast<uintptr_t>(Host);
  uint64_t Before = At % Align;
  uint64_t Pages = (Before + Bytes + Align - 1) / Align * Align;
  std::lock_guard<std::mutex> Lock(Mutex);
  Borrowed.reserve(Borrowed.size() + 1);
  std::unique_ptr<MemoryBlock> B = std::make_unique<MemoryBlock>();
  Status S = importPages(static_cast<std::byte *>(Host) - Before, Pages, *B);
  if (!S.ok()) {
    destroyBlock(*B);
    return S;
  }
  Out = {B.get(), Before, Bytes};
  Borrowed.push_back(std::move(B));
  return S;
}

bool MemoryPool::freeBorrowed(const MemoryBlock *B) {
  auto Place = std::find_if(Borrowed.begin(), Borrowed.end(),
                            [&](const std::unique_ptr<MemoryBlock> &Here) {
                              return Here.get() == B;
                            });
  if (Place == Borrowed.end())
    return false;
  destroyBlock(**Place);
  Borrowed.erase(Place);
  return true;
}

void MemoryPool::free(Allocation &A) {
  if (!A)
    return;
  std::lock_guard<std::mutex> Lock(Mutex);
  MemoryBlock *B = A.Block;
  if (freeBorrowed(B)) {
    A = Allocation();
    return;
  }
  returnGap(*B, A.Offset, A.Bytes);
  A = Allocation();
  if (B->Used)
    return;
  // One whole empty block of the usual size stays for the next caller.
  bool Whole = !B->Gaps.empty() && B->Gaps.begin()->second == B->Size;
  for (Blocks &Kind : Of) {
    auto Place = std::find_if(Kind.begin(), Kind.end(),
                              [&](const std::unique_ptr<MemoryBlock> &Here) {
                                return Here.get() == B;
                              });
    if (Place == Kind.end())
      continue;
    auto OtherEmpty = [&](const std::unique_ptr<MemoryBlock> &Here) {
      return Here.get() != B && Here->Used == 0;
    };
    MemoryKind K = static_cast<MemoryKind>(&Kind - Of.data());
    if (Whole && B->Size == blockBytes(K) &&
        std::none_of(Kind.begin(), Kind.end(), OtherEmpty))
      return;
    destroyBlock(*B);
    Kind.erase(Place);
    return;
  }
}
