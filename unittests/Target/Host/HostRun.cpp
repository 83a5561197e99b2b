//===- HostRun.cpp - Runs host code beside the interpreter
//------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostRun.h"

#include "goldyc/Frontend/Parser.h"
#include "goldyc/Frontend/Sema.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <goldy_host_abi.h>
#include <immintrin.h>
#include <sys/mman.h>

namespace goldy::test {

Arg buffer(Words W) { return {std::move(W), 0, -1}; }
Arg scalar(uint32_t Bits) { return {{}, Bits, -1}; }
Arg floatScalar(float F) { return scalar(std::bit_cast<uint32_t>(F)); }
Arg sameAs(int Argument) { return {{}, 0, Argument}; }

Words words(size_t N, uint32_t Seed) {
  Words W(N);
  for (uint32_t &X : W) {
    Seed = Seed * 1664525u + 1013904223u;
    X = Seed ^ (Seed >> 15);
  }
  return W;
}

Words floats(size_t N, uint32_t Seed) {
  Words W = words(N, Seed);
  for (uint32_t &X : W)
    X = std::bit_cast<uint32_t>(static_cast<float>(X >> 8) * 0x1p-23f - 1);
  return W;
}

std::vector<std::string> levels() {
  std::vector<std::string> All;
  for (char L = '1'; L <= nativeHostArch().back(); ++L)
    All.push_back(std::string("x86-64-v") + L);
  return All;
}

static std::string messages(const DiagSink &Diags) {
  std::string Text;
  for (const Diagnostic &D : Diags.diagnostics()) {
    Text += diagCodeName(D.Code) + ": " + D.Message + "\n";
    for (const DiagNote &N : D.Notes)
      Text += "  note: " + N.Text + "\n";
  }
  return Text;
}

static Module parsed(const std::string &Text, const Defines &D) {
  SourceManager SM;
  FileId File = SM.add("kernel.goldy", Text);
  DiagSink Diags;
  SemaOptions Options;
  Options.Defines = D;
  std::optional<Module> M;
  if (isIRText(Text))
    M = parseIRText(SM, File, Diags);
  else
    M = lowerToIR(SM, parseFile(SM, File, Diags), Options, Diags);
  INFO(messages(Diags));
  REQUIRE(M);
  return std::move(*M);
}

static VerifiedModule verified(Module M) {
  DiagSink Diags;
  std::optional<VerifiedModule> V = verify(std::move(M), Diags);
  INFO(messages(Diags));
  REQUIRE(V);
  return std::move(*V);
}

Module legal(const std::string &Text, const std::string &Arch,
             unsigned OptLevel, const Defines &D) {
  Module M = verified(parsed(Text, D)).take();
  const Capabilities *Caps = capabilitiesFor(Arch);
  REQUIRE(Caps);
  DiagSink Diags;
  Fuel Unlimited;
  PassContext Context{Diags, *Caps, Unlimited};
  bool Good = runPasses(M, legalisationPasses(*Caps, OptLevel), Context);
  INFO(messages(Diags));
  REQUIRE(Good);
  return M;
}

Image compile(Module Legal, const std::string &Arch, HostOutput Output) {
  VerifiedModule V = verified(std::move(Legal));
  DiagSink Diags;
  std::optional<Image> I =
      emitHost(V, V->kernels()[0], Arch, Output, EmitOptions(), Diags);
  INFO(messages(Diags));
  REQUIRE(I);
  return std::move(*I);
}

namespace {
/// Executable pages that hold one blob.
class Mapping {
public:
  explicit Mapping(const std::vector<uint8_t> &Bytes) : Size(Bytes.size()) {
    At = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(At != MAP_FAILED);
    std::memcpy(At, Bytes.data(), Size);
    REQUIRE(mprotect(At, Size, PROT_READ | PROT_EXEC) == 0);
  }
  ~Mapping() { munmap(At, Size); }
  Mapping(const Mapping &) = delete;
  goldy_host_kernel entry(uint64_t Offset) const {
    return reinterpret_cast<goldy_host_kernel>(static_cast<char *>(At) +
                                               Offset);
  }

private:
  void *At;
  size_t Size;
};

/// Flush-to-zero and denormals-are-zero while it lives.
struct FloatState {
  unsigned Saved = _mm_getcsr();
  FloatState() { _mm_setcsr(0x1f80u | 0x8040u); }
  ~FloatState() { _mm_setcsr(Saved); }
};

Words &bufferOf(std::vector<Arg> &Args, size_t I) {
  return Args[I].SameAs >= 0 ? Args[Args[I].SameAs].Buffer : Args[I].Buffer;
}
} // namespace

std::vector<Words> runHost(const Module &M, const Image &I,
                           std::array<uint32_t, 3> Groups,
                           std::vector<Arg> Args, unsigned Parts) {
  uint64_t All = uint64_t(Groups[0]) * Groups[1] * Groups[2];
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;
  for (unsigned P = 0; P < Parts; ++P)
    Ranges.push_back({All * P / Parts, All * (P + 1) / Parts});
  return runGroups(M, I, Groups, std::move(Ranges), std::move(Args));
}

std::vector<Words> runGroups(const Module &M, const Image &I,
                             std::array<uint32_t, 3> Groups,
                             std::vector<std::pair<uint64_t, uint64_t>> Ranges,
                             std::vector<Arg> Args) {
  const Function &F = M.Functions[M.kernels()[0]];
  AbiLayout Abi = abiLayout(M, F);
  std::vector<uint64_t> Block(Abi.Size / 8 + 1);
  for (size_t N = 0; N < F.Params.size(); ++N) {
    char *At = reinterpret_cast<char *>(Block.data()) + Abi.Params[N].Offset;
    if (F.Params[N].Kind == ParamKind::Scalar) {
      std::memcpy(At, &Args[N].Scalar, 4);
      continue;
    }
    Words &Buffer = bufferOf(Args, N);
    uint64_t Address = reinterpret_cast<uint64_t>(Buffer.data());
    uint32_t Length = static_cast<uint32_t>(Buffer.size() * 4 /
                                            M.Types.stride(F.Params[N].Type));
    std::memcpy(At, &Address, 8);
    std::memcpy(At + 8, &Length, 4);
  }
  Mapping Code(I.Bytes);
  void *Scratch = std::aligned_alloc(64, (I.ScratchBytes + 127) / 64 * 64);
  std::memset(Scratch, 0xa5, I.ScratchBytes);
  FloatState Flushing;
  for (auto [First, End] : Ranges) {
    goldy_group_range Range{
        {Groups[0], Groups[1], Groups[2]}, 0, First, End, nullptr, 0};
    REQUIRE(Code.entry(I.EntryOffset)(Block.data(), &Range, Scratch) == 0);
  }
  std::free(Scratch);
  std::vector<Words> Result;
  for (size_t N = 0; N < Args.size(); ++N)
    if (F.Params[N].Kind != ParamKind::Scalar)
      Result.push_back(bufferOf(Args, N));
  return Result;
}

static std::vector<Words> runOracle(const Module &M,
                                    std::array<uint32_t, 3> Groups,
                                    std::vector<Arg> Args) {
  std::vector<InterpArgument> Arguments;
  const Function &F = M.Functions[M.kernels()[0]];
  for (size_t N = 0; N < Args.size(); ++N) {
    bool Scalar = F.Params[N].Kind == ParamKind::Scalar;
    std::span<uint32_t> W = bufferOf(Args, N);
    Arguments.push_back({Args[N].Scalar, Scalar ? std::span<std::byte>()
                                                : std::as_writable_bytes(W)});
  }
  std::optional<InterpFault> Why =
      interpret(M, M.kernels()[0], Groups, Arguments);
  INFO((Why ? Why->Message : ""));
  REQUIRE(!Why);
  std::vector<Words> Result;
  for (size_t N = 0; N < Args.size(); ++N)
    if (F.Params[N].Kind != ParamKind::Scalar)
      Result.push_back(bufferOf(Args, N));
  return Result;
}

static void compare(const std::vector<Words> &Got,
                    const std::vector<Words> &Want) {
  for (size_t N = 0; N < Want.size(); ++N)
    for (size_t I = 0; I < Want[N].size(); ++I)
      if (Got[N][I] != Want[N][I]) {
        INFO("buffer " << N << ", word " << I);
        CHECK(Got[N][I] == Want[N][I]);
        return;
      }
}

std::vector<Words> checkKernel(const std::string &Text,
                               std::array<uint32_t, 3> Groups,
                               const std::vector<Arg> &Args,
                               const std::vector<unsigned> &OptLevels,
                               const Defines &D) {
  std::vector<Words> Want = runOracle(parsed(Text, D), Groups, Args);
  for (const std::string &Arch : levels())
    for (unsigned OptLevel : OptLevels) {
      INFO(Arch << " -O" << OptLevel);
      Module M = legal(Text, Arch, OptLevel, D);
      INFO(moduleText(M));
      Image I = compile(legal(Text, Arch, OptLevel, D), Arch);
      compare(runHost(M, I, Groups, Args), Want);
      compare(runHost(M, I, Groups, Args, 3), Want);
    }
  return Want;
}

} // namespace goldy::test
