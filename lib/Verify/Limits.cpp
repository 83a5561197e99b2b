//===- Limits.cpp - Limits of the language
//----------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V61 workgroup size · V62 workgroup memory · V63 size after expansion · V64
// private values. The limits of one target are asked for by name.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "goldyc/Analysis/Structure.h"
#include "goldyc/Verify/Verify.h"

namespace goldy {

uint64_t workgroupBytes(const Module &M, const Function &Kernel) {
  uint64_t Bytes = 0;
  for (const WorkgroupArray &A : Kernel.WorkgroupArrays)
    Bytes = (Bytes + 15) / 16 * 16 + M.Types.layout(A.Type).Size;
  return Bytes;
}

/// The array that takes the most, to point at.
static Span largestArray(const Module &M, const Function &Kernel) {
  uint64_t Largest = 0;
  Span Where = Kernel.Loc;
  for (const WorkgroupArray &A : Kernel.WorkgroupArrays)
    if (uint64_t Size = M.Types.layout(A.Type).Size; Size > Largest) {
      Largest = Size;
      Where = A.Loc;
    }
  return Where;
}

bool checkWorkgroupMemory(const Module &M, const Function &Kernel,
                          std::string_view Target, uint64_t Limit,
                          DiagSink &Diags) {
  uint64_t Bytes = workgroupBytes(M, Kernel);
  if (Bytes <= Limit)
    return true;
  return Diags.report(diag::G0652, largestArray(M, Kernel))
             .help("make the arrays smaller, or use one array for several "
                   "purposes with a barrier between the uses")
         << "kernel `" << Kernel.Name << "` uses " << Bytes
         << " bytes of workgroup memory, but " << Target << " has " << Limit;
}

namespace verifier {
namespace {

bool checkSize(const Function &F, Reporter &R) {
  const std::array<uint32_t, 3> &S = F.WorkgroupSize;
  uint64_t Product = 1;
  for (uint32_t Axis : S)
    Product = Axis && Product > (uint64_t(1) << 31) / Axis ? uint64_t(1) << 31
                                                           : Product * Axis;
  if (Product > 1024)
    return R.sink().report(diag::G0650, F.Loc)
           << "workgroup size " << S[0] << " x " << S[1] << " x " << S[2]
           << " has " << Product << " work-items, the limit is 1024";
  if (S[2] > 64)
    return R.sink().report(diag::G0650, F.Loc)
           << "workgroup size is " << S[2] << " along z, the limit is 64";
  return true;
}

bool checkMemory(const Module &M, const Function &F, Reporter &R) {
  constexpr uint64_t Most = 1 << 20, Portable = 32 << 10;
  if (!checkWorkgroupMemory(M, F, "no target", Most, R.sink()))
    return false;
  uint64_t Bytes = workgroupBytes(M, F);
  if (Bytes > Portable)
    R.sink().report(diag::G0653, largestArray(M, F))
        << "kernel `" << F.Name << "` uses " << Bytes
        << " bytes of workgroup memory, some targets have " << Portable;
  return true;
}

bool checkPrivate(const Module &M, const Function &F, Reporter &R) {
  bool Good = true;
  auto Check = [&](TypeId T, Span Where, const std::string &What) {
    uint64_t Count = scalarCount(M.Types, T);
    if (Count <= MaxPrivateScalars)
      return;
    Good = R.sink()
               .report(diag::G0657, Where)
               .help("use a buffer or a workgroup array")
           << What << " holds " << Count << " numbers, the limit is "
           << MaxPrivateScalars;
  };
  for (const Slot &S : F.Slots)
    Check(S.Type, S.Loc, "variable `" + S.Name + "`");
  for (const Inst &I : F.Insts)
    Check(I.Type, I.Loc, "value of type `" + M.Types.name(I.Type) + "`");
  return Good;
}

} // namespace

bool checkLimits(const Module &M, const Function &F, Reporter &R) {
  constexpr uint64_t MaxExpandedSize = 1 << 20;
  bool Good = checkPrivate(M, F, R);
  if (F.Kind != FuncKind::Kernel)
    return Good;
  Good &= checkSize(F, R);
  Good &= checkMemory(M, F, R);
  if (expandedSize(M, F) <= MaxExpandedSize)
    return Good;
  return R.sink().report(diag::G0655, F.Loc)
         << "kernel `" << F.Name << "` has more than " << MaxExpandedSize
         << " operations once its helpers are expanded";
}

} // namespace verifier
} // namespace goldy
