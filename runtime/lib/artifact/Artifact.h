//===- Artifact.h - A verified artifact -----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loader turns a file into these structs after checking every offset,
// size, index, enumerator and cross-reference; nothing above looks at the
// FlatBuffer again. Names are copied, code and texts are views of the file.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_ARTIFACT_ARTIFACT_H
#define GOLDY_RUNTIME_ARTIFACT_ARTIFACT_H

#include "artifact/File.h"
#include "core/Status.h"
#include "program/Template.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The C interface hands out pointers to these; `Element` and the fields point
/// into the same artifact.
struct goldy_type {
  goldy_type_kind_t Kind = GOLDY_TYPE_VOID;
  const goldy_type *Element = nullptr;
  uint32_t Count = 0; ///< Vector, Array
  uint64_t Size = 0, Stride = 0;
  uint32_t Align = 1;
  uint32_t Depth = 0; ///< 0 for scalars
  std::string Name;   ///< Struct
  struct Field {
    std::string Name;
    const goldy_type *Type = nullptr;
    uint64_t Offset = 0;
  };
  std::vector<Field> Fields;
};

namespace goldy::rt {

enum class ImageFormat : uint8_t { HostBlob, Spirv, Ptx };

/// What --sanitize asked for, as bits; the file has the same.
enum SanitizeBits : uint8_t {
  SanitizeBounds = 1,
  SanitizeRace = 2,
  SanitizeUninit = 4
};

/// A place in the text; no line: unknown.
struct SitePlace {
  std::string File, Text;
  uint32_t Line = 0, Column = 0;
};

/// A place of watched code (schemas/artifact.fbs).
struct WatchSite : SitePlace {
  enum class Kind : uint8_t {
    Read,
    Write,
    Atomic,
    Barrier,
    Collective,
    Assume,
    Copy
  };
  enum class Memory : uint8_t { None, Param, Workgroup, Private };
  struct Index {
    uint64_t Stride = 0;
    uint32_t Extent = 0; ///< 0: the resource's own length
    bool Signed = false;
  };
  Kind What = Kind::Read;
  Memory In = Memory::None;
  uint32_t Base = 0, Bytes = 0;
  uint64_t Offset = 0;
  std::vector<Index> Indices;
  std::string Name;
  std::vector<SitePlace> Calls; ///< the innermost first
};

/// Of host code, for debuggers: an ELF object, and where in it, ascending, the
/// 64-bit words are that count from the code's start. Empty: there is none.
struct ImageDebug {
  std::span<const std::byte> Object;
  std::vector<uint32_t> Addresses;
};

/// Host code for one work-item under a debugger (goldy_host_abi.h). No code:
/// there is none.
struct ItemCode {
  std::span<const std::byte> Code;
  uint64_t EntryOffset = 0, ScratchBytes = 0;
  ImageDebug Debug;
};

struct Image {
  std::string Arch;
  ImageFormat Format = ImageFormat::HostBlob;
  std::vector<std::string> Features;
  std::span<const std::byte> Code;
  std::string Entry;
  uint64_t EntryOffset = 0, ScratchBytes = 0;
  uint32_t WorkgroupBytes = 0, PushConstantBytes = 0;
  bool BlockBehindAddress = false;
  uint32_t WordBindings = 0; ///< 0: buffers by address
  uint32_t Switches = 0;     ///< Spirv: runtime switches that it reads, as bits
  /// Threads of a group that is dispatched, if it stands for several of the
  /// kernel's, else zeros.
  std::array<uint32_t, 3> Threads{};
  /// The kernel's groups along x for which a dispatched one stands.
  uint32_t GroupsAtOnce = 1;
  ImageDebug Debug; ///< host code
  ItemCode Item;    ///< host code
  /// Spirv: SpecIds and values that differ from the image's own. Not in the
  /// file: what a kernel was created with.
  std::vector<std::pair<uint32_t, uint32_t>> Specs;
  uint8_t Sanitize = 0; ///< SanitizeBits; HostBlob
  std::vector<WatchSite> Sites;
};

struct SpecConstant {
  std::string Name;
  uint32_t Id = 0;
  goldy_type_kind_t Type = GOLDY_TYPE_U32;
  uint64_t Value = 0;
  bool Settable = false; ///< by SPIR-V images
};

/// One axis of a tensor's shape contract.
struct ContractDim {
  enum class Kind : uint8_t { Any, Exact, Symbol } Form = Kind::Any;
  uint32_t Extent = 0; ///< Exact
  std::string Name;    ///< Symbol: equal names are equal extents
};

struct Param {
  std::string Name;
  goldy_param_kind_t Kind = GOLDY_PARAM_SCALAR;
  const goldy_type *Type = nullptr;
  goldy_access_t Access = GOLDY_READ;
  uint32_t Offset = 0, Size = 0; ///< in the block
  bool UniformRead = false;
  std::optional<uint64_t> Baked; ///< scalars: what images hold
  /// Tensors that have one: as many axes as the rank, at most 4.
  std::optional<std::vector<ContractDim>> Contract;
};

struct Kernel {
  std::string Name;
  std::vector<Param> Params;
  std::array<uint32_t, 3> WorkgroupSize{1, 1, 1};
  uint32_t WorkgroupBytes = 0;
  uint32_t LayoutTableOffset = 0, BaseWordsOffset = 0, BlockSize = 0;
  std::string_view Definition, Slang;
  std::vector<Image> Images;
  std::vector<SpecConstant> Specs;

  /// Threads of a group that is dispatched.
  const std::array<uint32_t, 3> &threadsOf(const Image &I) const {
    return I.Threads[0] ? I.Threads : WorkgroupSize;
  }
};

struct Artifact {
  std::unique_ptr<File> Backing;
  bool Trusted = false;
  std::vector<goldy_type> Types;
  std::vector<Kernel> Kernels;
  std::vector<program::ProgramTemplate> Programs; ///< checked

  const program::ProgramTemplate *findProgram(std::string_view Name) const;
  const Kernel *find(std::string_view Name) const;
  /// The description that `goldyrun info` prints; made at the first call.
  const std::string &json() const;

  /// The FlatBuffer's own copy where the file's bytes were not aligned.
  std::vector<uint64_t> AlignedTables;
  const void *Root = nullptr; ///< schema::Artifact, verified

private:
  mutable std::once_flag JsonOnce;
  mutable std::string Json;
};

/// Limits that the loader keeps; over one is GOLDY_LIMIT.
namespace limits {
inline constexpr uint64_t FileBytes = uint64_t(64) << 30;
inline constexpr uint64_t TableBytes = uint64_t(256) << 20;
inline constexpr uint32_t NameBytes = 1024;
inline constexpr uint32_t FlagBytes = 65536;
inline constexpr uint32_t Tables = 2000000;
inline constexpr uint64_t AllNameBytes = uint64_t(64) << 20;
inline constexpr uint32_t Kernels = 65536;
inline constexpr uint32_t Programs = 65536;
inline constexpr uint32_t Types = 65536;
inline constexpr uint32_t TypeDepth = 16;
inline constexpr uint32_t Params = 1024;
inline constexpr uint32_t Images = 256;
inline constexpr uint32_t Specs = 1000;
inline constexpr uint32_t BlockBytes = 65536;
inline constexpr uint32_t WorkgroupBytes = 1 << 20;
inline constexpr uint64_t ScratchBytes = uint64_t(1) << 30;
inline constexpr uint32_t PushConstantBytes = 256;
inline constexpr uint32_t DebugAddresses = 256;
/// Elements of the array of word blocks.
inline constexpr uint32_t WordBindings = 1 << 16;
inline constexpr uint32_t Sites = 1 << 20;
inline constexpr uint32_t SiteBytes = 1 << 20;
inline constexpr uint32_t SiteIndices = 64;
inline constexpr uint32_t SiteCalls = 64;
inline constexpr uint32_t LineBytes = 65536;
} // namespace limits

/// The format versions that this library reads, and the kernel ABI it speaks.
inline constexpr uint32_t LeastFormatVersion = 1, NewestFormatVersion = 1;
inline constexpr uint32_t KernelAbiVersion = 1;

/// Verifies all of `Backing` and decodes it. On failure nothing is made.
Status loadArtifact(std::unique_ptr<File> Backing, bool Trusted,
                    std::shared_ptr<const Artifact> &Out);

} // namespace goldy::rt

#endif
