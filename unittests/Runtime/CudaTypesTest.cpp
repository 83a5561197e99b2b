//===- CudaTypesTest.cpp - Our CUDA declarations against NVIDIA's ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where NVIDIA's header is installed, sizes, offsets, values and the versions
// of symbols are compared with those of runtime/lib/cuda; elsewhere
// nothing is left to compare.
//
//===----------------------------------------------------------------------===//
#include "cuda/Api.h"

#include <catch2/catch.hpp>

#if __has_include(<cuda.h>)
#include <cuda.h>

using namespace goldy::rt::cuda;

#define SAME_FIELD(Ours, Field, Theirs, Name)                                  \
  static_assert(offsetof(Ours, Field) == offsetof(Theirs, Name))
#define SAME_VALUE(Ours, Theirs)                                               \
  static_assert(static_cast<int>(Ours) == static_cast<int>(Theirs))

static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr));
static_assert(sizeof(DeviceOrdinal) == sizeof(CUdevice));
static_assert(sizeof(Result) == sizeof(CUresult));

static_assert(sizeof(KernelNodeParams) == sizeof(CUDA_KERNEL_NODE_PARAMS_v1));
SAME_FIELD(KernelNodeParams, Grid, CUDA_KERNEL_NODE_PARAMS_v1, gridDimX);
SAME_FIELD(KernelNodeParams, Block, CUDA_KERNEL_NODE_PARAMS_v1, blockDimX);
SAME_FIELD(KernelNodeParams, SharedBytes, CUDA_KERNEL_NODE_PARAMS_v1,
           sharedMemBytes);
SAME_FIELD(KernelNodeParams, Params, CUDA_KERNEL_NODE_PARAMS_v1, kernelParams);
SAME_FIELD(KernelNodeParams, Extra, CUDA_KERNEL_NODE_PARAMS_v1, extra);

static_assert(sizeof(MemsetNodeParams) == sizeof(CUDA_MEMSET_NODE_PARAMS));
SAME_FIELD(MemsetNodeParams, Value, CUDA_MEMSET_NODE_PARAMS, value);
SAME_FIELD(MemsetNodeParams, ElementBytes, CUDA_MEMSET_NODE_PARAMS,
           elementSize);
SAME_FIELD(MemsetNodeParams, Width, CUDA_MEMSET_NODE_PARAMS, width);
SAME_FIELD(MemsetNodeParams, Height, CUDA_MEMSET_NODE_PARAMS, height);

static_assert(sizeof(Copy3D) == sizeof(CUDA_MEMCPY3D));
SAME_FIELD(Copy3D, From.Device, CUDA_MEMCPY3D, srcDevice);
SAME_FIELD(Copy3D, From.MemoryType, CUDA_MEMCPY3D, srcMemoryType);
SAME_FIELD(Copy3D, From.Height, CUDA_MEMCPY3D, srcHeight);
SAME_FIELD(Copy3D, To.XBytes, CUDA_MEMCPY3D, dstXInBytes);
SAME_FIELD(Copy3D, To.Device, CUDA_MEMCPY3D, dstDevice);
SAME_FIELD(Copy3D, To.Pitch, CUDA_MEMCPY3D, dstPitch);
SAME_FIELD(Copy3D, WidthBytes, CUDA_MEMCPY3D, WidthInBytes);
SAME_FIELD(Copy3D, Depth, CUDA_MEMCPY3D, Depth);

static_assert(sizeof(PoolProps) == sizeof(CUmemPoolProps));
SAME_FIELD(PoolProps, LocationType, CUmemPoolProps, location.type);
SAME_FIELD(PoolProps, LocationId, CUmemPoolProps, location.id);
SAME_FIELD(PoolProps, MaxSize, CUmemPoolProps, maxSize);
SAME_FIELD(PoolProps, Reserved, CUmemPoolProps, reserved);
SAME_VALUE(PoolPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME_VALUE(PoolOnDevice, CU_MEM_LOCATION_TYPE_DEVICE);
SAME_VALUE(PoolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
SAME_VALUE(MemoryTypeDevice, CU_MEMORYTYPE_DEVICE);
SAME_VALUE(StreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME_VALUE(EventBlockingSync, CU_EVENT_BLOCKING_SYNC);
SAME_VALUE(EventDisableTiming, CU_EVENT_DISABLE_TIMING);
SAME_VALUE(JitErrorLog, CU_JIT_ERROR_LOG_BUFFER);
SAME_VALUE(JitErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);

SAME_VALUE(MaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME_VALUE(MaxBlockDimX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SAME_VALUE(MaxBlockDimX + 2, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
SAME_VALUE(MaxGridDimX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME_VALUE(MaxGridDimX + 2, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
SAME_VALUE(MaxSharedMemoryPerBlock,
           CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME_VALUE(ComputeMode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
SAME_VALUE(ComputeProhibited, CU_COMPUTEMODE_PROHIBITED);
SAME_VALUE(CapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME_VALUE(CapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME_VALUE(MemoryPoolsSupported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);

SAME_VALUE(OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
SAME_VALUE(StubLibrary, CUDA_ERROR_STUB_LIBRARY);
SAME_VALUE(DeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
SAME_VALUE(NoDevice, CUDA_ERROR_NO_DEVICE);
SAME_VALUE(NotLicensed, CUDA_ERROR_DEVICE_NOT_LICENSED);
SAME_VALUE(InvalidImage, CUDA_ERROR_INVALID_IMAGE);
SAME_VALUE(NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
SAME_VALUE(EccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
SAME_VALUE(InvalidPtx, CUDA_ERROR_INVALID_PTX);
SAME_VALUE(NvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE);
SAME_VALUE(NoJitCompiler, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
SAME_VALUE(UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME_VALUE(JitDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
SAME_VALUE(OperatingSystem, CUDA_ERROR_OPERATING_SYSTEM);
SAME_VALUE(NotFound, CUDA_ERROR_NOT_FOUND);
SAME_VALUE(NotReady, CUDA_ERROR_NOT_READY);
SAME_VALUE(IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
SAME_VALUE(LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
SAME_VALUE(LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
SAME_VALUE(ContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
SAME_VALUE(Assert, CUDA_ERROR_ASSERT);
SAME_VALUE(HardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
SAME_VALUE(IllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
SAME_VALUE(MisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
SAME_VALUE(InvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
SAME_VALUE(InvalidPc, CUDA_ERROR_INVALID_PC);
SAME_VALUE(LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
SAME_VALUE(NotPermitted, CUDA_ERROR_NOT_PERMITTED);
SAME_VALUE(NotSupported, CUDA_ERROR_NOT_SUPPORTED);
SAME_VALUE(SystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
SAME_VALUE(DriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
SAME_VALUE(CompatNotSupported, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE);
SAME_VALUE(MpsConnectionFailed, CUDA_ERROR_MPS_CONNECTION_FAILED);
SAME_VALUE(MpsMaxConnections, CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED);
SAME_VALUE(Unknown, CUDA_ERROR_UNKNOWN);

/// Number and sizes of parameters of two functions are the same.
template <class F, class G> constexpr bool sameCall = false;
template <class... A, class... B>
constexpr bool sameCall<Result (*)(A...), CUresult (*)(B...)> =
    sizeof...(A) == sizeof...(B) && ((sizeof(A) == sizeof(B)) && ...);

TEST_CASE("our CUDA declarations are NVIDIA's") {
#define SAME_CALL(Name, Symbol, Params)                                        \
  static_assert(sameCall<decltype(Api::Name), decltype(&Symbol)>, #Symbol);
  GOLDY_CUDA_FUNCTIONS(SAME_CALL)
  SUCCEED("compared when this was compiled");
}
#endif
