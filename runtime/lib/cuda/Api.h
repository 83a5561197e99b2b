//===- Api.h - The functions of the CUDA driver ---------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of our own, filled from `libcuda.so.1` when a device is asked for, or
// from the library that GOLDY_CUDA_LIBRARY names. The symbols are those of CUDA
// 11.4, which every later driver keeps; a symbol without a version takes the
// first version's structures.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_CUDA_API_H
#define GOLDY_RUNTIME_CUDA_API_H

#include "core/Status.h"
#include "cuda/Types.h"

#include <memory>

namespace goldy::rt::cuda {

/// X(name here, symbol, parameters). All return Result.
#define GOLDY_CUDA_FUNCTIONS(X)                                                \
  X(DriverGetVersion, cuDriverGetVersion, (int *Version))                      \
  X(Init, cuInit, (unsigned Flags))                                            \
  X(DeviceGetCount, cuDeviceGetCount, (int *Count))                            \
  X(DeviceGet, cuDeviceGet, (DeviceOrdinal * Out, int Number))                 \
  X(DeviceGetName, cuDeviceGetName, (char *Out, int Bytes, DeviceOrdinal D))   \
  X(DeviceGetAttribute, cuDeviceGetAttribute,                                  \
    (int *Out, Attribute A, DeviceOrdinal D))                                  \
  X(DeviceTotalMem, cuDeviceTotalMem_v2, (size_t *Out, DeviceOrdinal D))       \
  X(PrimaryCtxRetain, cuDevicePrimaryCtxRetain,                                \
    (Context * Out, DeviceOrdinal D))                                          \
  X(PrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceOrdinal D))        \
  X(CtxPushCurrent, cuCtxPushCurrent_v2, (Context C))                          \
  X(CtxPopCurrent, cuCtxPopCurrent_v2, (Context * Out))                        \
  X(StreamCreate, cuStreamCreate, (Stream * Out, unsigned Flags))              \
  X(StreamDestroy, cuStreamDestroy_v2, (Stream S))                             \
  X(StreamQuery, cuStreamQuery, (Stream S))                                    \
  X(StreamSynchronize, cuStreamSynchronize, (Stream S))                        \
  X(EventCreate, cuEventCreate, (Event * Out, unsigned Flags))                 \
  X(EventDestroy, cuEventDestroy_v2, (Event E))                                \
  X(EventRecord, cuEventRecord, (Event E, Stream S))                           \
  X(EventQuery, cuEventQuery, (Event E))                                       \
  X(EventSynchronize, cuEventSynchronize, (Event E))                           \
  X(EventElapsedTime, cuEventElapsedTime,                                      \
    (float *Milliseconds, Event Start, Event End))                             \
  X(MemPoolCreate, cuMemPoolCreate, (Pool * Out, const PoolProps *Props))      \
  X(MemPoolDestroy, cuMemPoolDestroy, (Pool P))                                \
  X(MemPoolSetAttribute, cuMemPoolSetAttribute,                                \
    (Pool P, int Attribute, void *Value))                                      \
  X(MemPoolTrimTo, cuMemPoolTrimTo, (Pool P, size_t Keep))                     \
  X(MemAllocFromPoolAsync, cuMemAllocFromPoolAsync,                            \
    (DevicePointer * Out, size_t Bytes, Pool P, Stream S))                     \
  X(MemFreeAsync, cuMemFreeAsync, (DevicePointer P, Stream S))                 \
  X(MemAlloc, cuMemAlloc_v2, (DevicePointer * Out, size_t Bytes))              \
  X(MemFree, cuMemFree_v2, (DevicePointer P))                                  \
  X(MemHostAlloc, cuMemHostAlloc, (void **Out, size_t Bytes, unsigned Flags))  \
  X(MemFreeHost, cuMemFreeHost, (void *P))                                     \
  X(MemHostRegister, cuMemHostRegister_v2,                                     \
    (void *P, size_t Bytes, unsigned Flags))                                   \
  X(MemHostUnregister, cuMemHostUnregister, (void *P))                         \
  X(MemHostGetDevicePointer, cuMemHostGetDevicePointer_v2,                     \
    (DevicePointer * Out, void *P, unsigned Flags))                            \
  X(MemsetD8Async, cuMemsetD8Async,                                            \
    (DevicePointer To, unsigned char Value, size_t Bytes, Stream S))           \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                     \
    (DevicePointer To, const void *From, size_t Bytes, Stream S))              \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                     \
    (void *To, DevicePointer From, size_t Bytes, Stream S))                    \
  X(ModuleLoadDataEx, cuModuleLoadDataEx,                                      \
    (Module * Out, const void *Text, unsigned NumOptions, JitOption *Options,  \
     void **Values))                                                           \
  X(ModuleUnload, cuModuleUnload, (Module M))                                  \
  X(ModuleGetFunction, cuModuleGetFunction,                                    \
    (Function * Out, Module M, const char *Name))                              \
  X(LaunchKernel, cuLaunchKernel,                                              \
    (Function F, unsigned GroupsX, unsigned GroupsY, unsigned GroupsZ,         \
     unsigned SizeX, unsigned SizeY, unsigned SizeZ, unsigned SharedBytes,     \
     Stream S, void **Params, void **Extra))                                   \
  X(GraphCreate, cuGraphCreate, (Graph * Out, unsigned Flags))                 \
  X(GraphDestroy, cuGraphDestroy, (Graph G))                                   \
  X(GraphAddKernelNode, cuGraphAddKernelNode,                                  \
    (GraphNode * Out, Graph G, const GraphNode *After, size_t NumAfter,        \
     const KernelNodeParams *Params))                                          \
  X(GraphAddMemsetNode, cuGraphAddMemsetNode,                                  \
    (GraphNode * Out, Graph G, const GraphNode *After, size_t NumAfter,        \
     const MemsetNodeParams *Params, Context C))                               \
  X(GraphAddMemcpyNode, cuGraphAddMemcpyNode,                                  \
    (GraphNode * Out, Graph G, const GraphNode *After, size_t NumAfter,        \
     const Copy3D *Params, Context C))                                         \
  X(GraphAddEmptyNode, cuGraphAddEmptyNode,                                    \
    (GraphNode * Out, Graph G, const GraphNode *After, size_t NumAfter))       \
  X(GraphAddEventRecordNode, cuGraphAddEventRecordNode,                        \
    (GraphNode * Out, Graph G, const GraphNode *After, size_t NumAfter,        \
     Event E))                                                                 \
  X(GraphInstantiate, cuGraphInstantiateWithFlags,                             \
    (GraphExec * Out, Graph G, unsigned long long Flags))                      \
  X(GraphUpload, cuGraphUpload, (GraphExec E, Stream S))                       \
  X(GraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams,              \
    (GraphExec E, GraphNode N, const KernelNodeParams *Params))                \
  X(GraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams,              \
    (GraphExec E, GraphNode N, const MemsetNodeParams *Params, Context C))     \
  X(GraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams,              \
    (GraphExec E, GraphNode N, const Copy3D *Params, Context C))               \
  X(GraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent,      \
    (GraphExec E, GraphNode N, Event Recorded))                                \
  X(GraphLaunch, cuGraphLaunch, (GraphExec E, Stream S))                       \
  X(GraphExecDestroy, cuGraphExecDestroy, (GraphExec E))

/// What cuDriverGetVersion gives at least: 1000 * major + 10 * minor.
inline constexpr int LeastVersion = 11040;

struct Api {
#define GOLDY_CUDA_MEMBER(Name, Symbol, Params) Result(*Name) Params = nullptr;
  GOLDY_CUDA_FUNCTIONS(GOLDY_CUDA_MEMBER)
#undef GOLDY_CUDA_MEMBER
  int Version = 0;

  /// Opens the library, fills the table and starts the driver.
  /// GOLDY_UNAVAILABLE says what is missing or too old. The library stays open
  /// until the process ends.
  static Status load(std::shared_ptr<const Api> &Out);
};

/// "12.4" of 12040.
std::string versionText(int Version);

} // namespace goldy::rt::cuda

#endif
