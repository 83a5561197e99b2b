//===- Result.cpp - CUresult to Status ------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place that knows what CUresults mean. Codes that this runtime's calls
// cannot give are faults of the driver or ours.
//
//===----------------------------------------------------------------------===//
#include "cuda/Result.h"

#include <new>
#include <span>

using namespace goldy::rt;
using namespace goldy::rt::cuda;

namespace {
struct Meaning {
  cuda::Result Result;
  goldy_code_t Code;
  const char *Words;
};
constexpr Meaning Meanings[] = {
    {OutOfMemory, GOLDY_OUT_OF_MEMORY, "out of memory"},
    {LaunchOutOfResources, GOLDY_LIMIT,
     "the kernel needs more registers or threads than the device has"},
    {StubLibrary, GOLDY_UNAVAILABLE,
     "the library is the toolkit's stub, not a driver"},
    {NeedsNewerDriver, GOLDY_UNAVAILABLE, "the driver is too old"},
    {DeviceUnavailable, GOLDY_UNAVAILABLE,
     "the device is taken by another process or closed to computing"},
    {NoDevice, GOLDY_UNAVAILABLE, "no CUDA device was found"},
    {InvalidDevice, GOLDY_UNAVAILABLE, "there is no such device"},
    {NotLicensed, GOLDY_UNAVAILABLE, "the device needs a licence"},
    {OperatingSystem, GOLDY_UNAVAILABLE,
     "the operating system refused; the driver's kernel module may be "
     "missing"},
    {NotPermitted, GOLDY_UNAVAILABLE, "not permitted"},
    {SystemNotReady, GOLDY_UNAVAILABLE,
     "the machine's services for its devices are not running"},
    {DriverMismatch, GOLDY_UNAVAILABLE,
     "the library and the kernel module are of different versions"},
    {CompatNotSupported, GOLDY_UNAVAILABLE,
     "this device does not take a library newer than its driver"},
    {MpsConnectionFailed, GOLDY_UNAVAILABLE, "no connection to MPS"},
    {MpsServerNotReady, GOLDY_UNAVAILABLE, "MPS is not ready"},
    {MpsMaxClients, GOLDY_UNAVAILABLE, "MPS has too many clients"},
    {MpsMaxConnections, GOLDY_UNAVAILABLE, "MPS has too many connections"},
    {NoBinaryForGpu, GOLDY_UNSUPPORTED,
     "the device does not run code of this arch"},
    {UnsupportedPtxVersion, GOLDY_UNSUPPORTED,
     "the PTX is newer than the driver"},
    {NoJitCompiler, GOLDY_UNSUPPORTED,
     "the driver's PTX compiler was not found"},
    {JitDisabled, GOLDY_UNSUPPORTED, "the driver's PTX compiler is off"},
    {NotSupported, GOLDY_UNSUPPORTED, "not supported"},
    {HostMemoryRegistered, GOLDY_UNSUPPORTED,
     "the memory of the host is borrowed already"},
    {InvalidPtx, GOLDY_INVALID_ARTIFACT, "the driver refuses the PTX"},
    {InvalidImage, GOLDY_INVALID_ARTIFACT, "the driver refuses the image"},
    {NotFound, GOLDY_INVALID_ARTIFACT, "not found"},
};
/// After these the context gives nothing but errors.
constexpr Meaning Losses[] = {
    {EccUncorrectable, GOLDY_LOST, "an uncorrectable memory error"},
    {NvlinkUncorrectable, GOLDY_LOST, "an uncorrectable NVLink error"},
    {Contained, GOLDY_LOST, "a contained hardware error"},
    {IllegalAddress, GOLDY_LOST, "a kernel used an illegal address"},
    {LaunchTimeout, GOLDY_LOST, "a kernel ran past the system's time limit"},
    {ContextIsDestroyed, GOLDY_LOST, "the context was destroyed"},
    {Assert, GOLDY_LOST, "a kernel's assertion failed"},
    {HardwareStackError, GOLDY_LOST, "a kernel broke its stack"},
    {IllegalInstruction, GOLDY_LOST, "a kernel ran an illegal instruction"},
    {MisalignedAddress, GOLDY_LOST, "a kernel used a misaligned address"},
    {InvalidAddressSpace, GOLDY_LOST,
     "a kernel used an address in the wrong space"},
    {InvalidPc, GOLDY_LOST, "a kernel jumped nowhere"},
    {LaunchFailed, GOLDY_LOST, "a kernel failed"},
    {TensorMemoryLeak, GOLDY_LOST, "a kernel left tensor memory behind"},
    {MpsRpcFailure, GOLDY_LOST, "MPS failed"},
    {MpsClientTerminated, GOLDY_LOST, "MPS ended this client"},
    {ExternalDevice, GOLDY_LOST, "another device failed"},
    {Unknown, GOLDY_LOST, "an unknown error"},
};

const Meaning *find(std::span<const Meaning> List, Result R) {
  for (const Meaning &M : List)
    if (M.Result == R)
      return &M;
  return nullptr;
}
} // namespace

bool cuda::losesDevice(Result R) { return find(Losses, R) != nullptr; }

Status cuda::fromResult(Result R, const char *Call) noexcept {
  if (R == Success)
    return Status();
  const Meaning *M = find(Meanings, R);
  if (!M)
    M = find(Losses, R);
  goldy_code_t Code = M ? M->Code : GOLDY_INTERNAL;
  try {
    return Status(Code, std::string(Call) + ": " +
                            (M ? M->Words : "an unexpected result") +
                            " (CUresult " + std::to_string(R) + ")");
  } catch (const std::bad_alloc &) { // what fits without memory
    return Status(Code, "CUresult " + std::to_string(R));
  }
}
