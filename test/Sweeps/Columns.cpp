//===- Columns.cpp - Who computes the operations ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables and the largest result are on the device from the start; one
// launch and one copy a batch.
//
//===----------------------------------------------------------------------===//
#include "Columns.h"

#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Transforms/Collectives.h"
#include "goldyc/Transforms/ExpandMath.h"

#include <map>

namespace goldy::sweep {
namespace {

constexpr uint32_t GroupSize = 256;

/// All 16-bit patterns.
std::vector<uint16_t> patterns() {
  std::vector<uint16_t> Out(65536);
  for (uint32_t N = 0; N < Out.size(); ++N)
    Out[N] = static_cast<uint16_t>(N);
  return Out;
}

class DeviceColumn : public Column {
public:
  DeviceColumn(Device D, const Artifact &Kernels, Buffer Edges, Buffer Patterns)
      : D(std::move(D)), Kernels(Kernels), Edges(std::move(Edges)),
        Patterns(std::move(Patterns)) {}

  std::string prepare(const std::string &Name, bool WithPatterns) override {
    Result<Kernel> Made = Kernel::create(D, Kernels, ("op_" + Name).c_str());
    if (!Made)
      return Made.status().message();
    K.emplace(std::move(*Made));
    Table = WithPatterns ? View{Patterns.get(), 0, 65536}
                         : View{Edges.get(), 0, NumEdges};
    return "";
  }

  std::string run(uint32_t First, uint32_t Bytes,
                  std::span<std::byte> Out) override {
    if (!Results || Results->bytes() < Out.size()) {
      Results.reset();
      Result<Buffer> Made = D.buffer(Out.size());
      if (!Made)
        return Made.status().message();
      Results.emplace(std::move(*Made));
    }
    uint64_t Count = Out.size() / Bytes;
    Result<uint64_t> Point =
        K->launch(K->over(static_cast<uint32_t>(Count)),
                  {Table, View{Results->get(), 0, Count}, First});
    if (!Point)
      return Point.status().message();
    if (Status S = D.wait(*Point); !S.ok())
      return S.message();
    return Results->read(Out).message();
  }

  std::string description() const override { return D.info().description; }

private:
  Device D;
  const Artifact &Kernels;
  Buffer Edges, Patterns;
  std::optional<Buffer> Results;
  std::optional<Kernel> K;
  View Table;
};

class InterpreterColumn : public Column {
public:
  explicit InterpreterColumn(const Artifact &Kernels) : Kernels(Kernels) {}

  std::string prepare(const std::string &Name, bool WithPatterns) override {
    std::vector<uint32_t> Words = edges();
    std::vector<uint16_t> Halves = patterns();
    std::span<const std::byte> From = WithPatterns
                                          ? std::as_bytes(std::span(Halves))
                                          : std::as_bytes(std::span(Words));
    Table.assign(From.begin(), From.end());
    for (size_t I = 0; I < Kernels.kernelCount(); ++I)
      if (Kernels.kernelName(I) == "op_" + Name)
        return parse(Kernels.kernelDefinition(I));
    return "the artifact has no kernel for `" + Name + "`";
  }

  std::string run(uint32_t First, uint32_t Bytes,
                  std::span<std::byte> Out) override {
    uint32_t Count = static_cast<uint32_t>(Out.size() / Bytes);
    std::vector<InterpArgument> Arguments(3);
    Arguments[0].Bytes = Table;
    Arguments[1].Bytes = Out;
    Arguments[2].Bits = First;
    std::optional<InterpFault> Fault =
        interpret(*M, M->kernels().front(),
                  {(Count + GroupSize - 1) / GroupSize, 1, 1}, Arguments, {});
    return Fault ? Fault->Message : "";
  }

  std::string description() const override { return "the interpreter"; }

private:
  std::string parse(std::string_view Text) {
    SourceManager SM;
    DiagSink Diags;
    M = parseIRText(SM, SM.add("definition", std::string(Text)), Diags);
    if (!M)
      return "a definition in the artifact does not parse";
    expandSoftmax(*M);
    expandPublished(*M);
    return "";
  }

  const Artifact &Kernels;
  std::optional<Module> M;
  std::vector<std::byte> Table;
};

} // namespace

Result<std::unique_ptr<Column>> openColumn(const char *Name, const char *Arch,
                                           const Artifact &Kernels) {
  DeviceOptions Options;
  Options.Arch = Arch;
  Result<Device> D = Device::open(Name, Options);
  if (!D)
    return D.takeStatus();
  Result<Buffer> Edges = D->bufferOf(edges());
  if (!Edges)
    return Edges.takeStatus();
  Result<Buffer> Patterns = D->bufferOf(patterns());
  if (!Patterns)
    return Patterns.takeStatus();
  std::unique_ptr<Column> C = std::make_unique<DeviceColumn>(
      std::move(*D), Kernels, std::move(*Edges), std::move(*Patterns));
  C->Name = Arch ? Arch : Name;
  return C;
}

std::unique_ptr<Column> interpreterColumn(const Artifact &Kernels) {
  std::unique_ptr<Column> C = std::make_unique<InterpreterColumn>(Kernels);
  C->Name = "interpreter";
  return C;
}

} // namespace goldy::sweep
