//===- Types.h - What the CUDA driver's functions take --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles, structures and numbers of the driver's binary interface, as far as
// this runtime uses them, under names of our own: Debian has no package with
// NVIDIA's header (docs/decisions). The names that the header uses stand
// behind each; where it is installed, a test compares sizes, offsets and values
// (unittests/Runtime/CudaTypesTest.cpp).
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_TYPES_H
#define GOLDY_RUNTIME_CUDA_TYPES_H

#include <cstddef>
#include <cstdint>

namespace goldy::rt::cuda {

// CUdevice, CUdeviceptr, and handles that point to the driver's own.
using DeviceOrdinal = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Pool = struct PoolObject *;
using Graph = struct GraphObject *;
using GraphNode = struct GraphNodeObject *;
using GraphExec = struct GraphExecObject *;

/// CUresult. Result.cpp says what each means.
enum Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  StubLibrary = 34,
  NeedsNewerDriver = 36,
  DeviceUnavailable = 46,
  NoDevice = 100,
  InvalidDevice = 101,
  NotLicensed = 102,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  EccUncorrectable = 214,
  InvalidPtx = 218,
  NvlinkUncorrectable = 220,
  NoJitCompiler = 221,
  UnsupportedPtxVersion = 222,
  JitDisabled = 223,
  Contained = 226,
  OperatingSystem = 304,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  Assert = 710,
  HostMemoryRegistered = 712,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  TensorMemoryLeak = 721,
  NotPermitted = 800,
  NotSupported = 801,
  SystemNotReady = 802,
  DriverMismatch = 803,
  CompatNotSupported = 804,
  MpsConnectionFailed = 805,
  MpsRpcFailure = 806,
  MpsServerNotReady = 807,
  MpsMaxClients = 808,
  MpsMaxConnections = 809,
  MpsClientTerminated = 810,
  ExternalDevice = 911,
  Unknown = 999,
};

/// CUdevice_attribute.
enum Attribute : int {
  MaxThreadsPerBlock = 1,
  MaxBlockDimX = 2, ///< then Y and Z
  MaxGridDimX = 5,  ///< then Y and Z
  MaxSharedMemoryPerBlock = 8,
  ComputeMode = 20,
  CapabilityMajor = 75,
  CapabilityMinor = 76,
  MemoryPoolsSupported = 115,
};
/// CU_COMPUTEMODE_PROHIBITED, a value of ComputeMode.
inline constexpr int ComputeProhibited = 2;

/// CUjit_option.
enum JitOption : int { JitErrorLog = 5, JitErrorLogBytes = 6 };

/// Flags of cuStreamCreate and cuEventCreate.
inline constexpr unsigned StreamNonBlocking = 1;
inline constexpr unsigned EventBlockingSync = 1, EventDisableTiming = 2;

/// CUDA_KERNEL_NODE_PARAMS_v1: what the functions without a version take.
struct KernelNodeParams {
  Function Kernel;
  unsigned Grid[3];
  unsigned Block[3];
  unsigned SharedBytes;
  void **Params;
  void **Extra;
};

/// CUDA_MEMSET_NODE_PARAMS.
struct MemsetNodeParams {
  DevicePointer To;
  size_t Pitch;
  unsigned Value;
  unsigned ElementBytes;
  size_t Width; ///< in elements
  size_t Height;
};

/// CU_MEMHOSTREGISTER_DEVICEMAP.
inline constexpr unsigned HostRegisterDeviceMap = 2;

/// CU_MEMORYTYPE_DEVICE.
inline constexpr int MemoryTypeDevice = 2;

/// CUDA_MEMCPY3D: one end, then the other, then the extent.
struct CopyEnd {
  size_t XBytes, Y, Z, Lod;
  int MemoryType;
  void *Host;
  DevicePointer Device;
  void *Array, *Reserved;
  size_t Pitch, Height;
};
struct Copy3D {
  CopyEnd From, To;
  size_t WidthBytes, Height, Depth;
};

/// CUmemPoolProps.
struct PoolProps {
  int AllocationType; ///< PoolPinned
  int HandleTypes;
  int LocationType; ///< PoolOnDevice
  int LocationId;
  void *Security;
  size_t MaxSize;
  unsigned short Usage;
  unsigned char Reserved[54];
};
inline constexpr int PoolPinned = 1, PoolOnDevice = 1;
/// CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, whose value is a uint64_t.
inline constexpr int PoolReleaseThreshold = 4;

} // namespace goldy::rt::cuda

#endif
