//===- Main.cpp - goldy-opt: runs passes over IR text
//-----------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads IR text, verifies it, runs passes by name and prints the result. For
// pass tests and for bisecting with --fuel. Exit codes as goldyc's: 1 for
// errors in the input, 2 for bad usage.
//
//===----------------------------------------------------------------------===//
#include "FuseOption.h"

#include "goldyc/IR/Text.h"
#include "goldyc/Transforms/Capabilities.h"
#include "goldyc/Transforms/Pass.h"
#include "goldyc/Verify/Verify.h"

#include <bit>
#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

using namespace goldy;

namespace {

constexpr std::string_view Usage =
    "usage: goldy-opt [options] FILE\n"
    "  FILE                    IR text, `-` for standard input\n"
    "  --passes=A,B,...        passes in order; `legalisation` is the whole "
    "list\n"
    "  --target-arch=ARCH      what the target can do (default x86-64-v3)\n"
    "  --opt-level=N           0 to 3, for `legalisation` (default 2)\n"
    "  --bounds=checked|unchecked\n"
    "  --coarsen=auto|K        work-items a thread, for the pass `coarsen` "
    "(default 1)\n"
    "  --fuse=K(A,..);K(A,..)  fuse these launches before the passes; what "
    "came of it goes to stderr\n"
    "  --fuse-temporary=A:N[:carried], --fuse-axes=xyz, --fuse-overlap=A:B\n"
    "  --fuel=N                stop rewriting after N rewrites\n"
    "  --print-before-all      print the IR before each pass, to stderr\n"
    "  --print-after-changed   print the IR after each pass that changed it\n"
    "  --verify-each           check the IR after each pass\n"
    "  --no-verify             do not check the input\n";

struct Options {
  std::string Input, Arch = "x86-64-v3", Passes;
  FuseOption Fuse;
  BoundsMode Bounds = BoundsMode::Checked;
  uint64_t Fuel = ~uint64_t(0);
  uint64_t OptLevel = 2, Coarsen = 1;
  bool PrintBefore = false, PrintChanged = false, VerifyEach = false;
  bool Verify = true;
};

bool number(std::string_view Text, uint64_t &Out) {
  std::from_chars_result R =
      std::from_chars(Text.data(), Text.data() + Text.size(), Out);
  return R.ec == std::errc() && R.ptr == Text.data() + Text.size();
}

bool readCoarsen(std::string_view Text, uint64_t &Out) {
  if (Text == "auto")
    Out = CoarsenByCost;
  else
    return number(Text, Out) && std::has_single_bit(Out) && Out <= 8;
  return true;
}

bool valuedFuse(FuseOption &O, std::string_view Name, std::string_view Value) {
  if (Name == "--fuse")
    O.Stages = Value;
  else if (Name == "--fuse-temporary")
    O.Temporaries.emplace_back(Value);
  else if (Name == "--fuse-axes")
    O.Axes = Value;
  else if (Name == "--fuse-overlap")
    O.Overlaps.emplace_back(Value);
  else
    return false;
  return true;
}

bool valued(Options &O, std::string_view Name, std::string_view Value) {
  if (valuedFuse(O.Fuse, Name, Value))
    return true;
  if (Name == "--passes")
    O.Passes = Value;
  else if (Name == "--target-arch")
    O.Arch = Value;
  else if (Name == "--opt-level")
    return number(Value, O.OptLevel) && O.OptLevel <= 3;
  else if (Name == "--coarsen")
    return readCoarsen(Value, O.Coarsen);
  else if (Name == "--fuel")
    return number(Value, O.Fuel);
  else if (Name == "--bounds" && Value == "unchecked")
    O.Bounds = BoundsMode::Unchecked;
  else
    return Name == "--bounds" && Value == "checked";
  return true;
}

bool flag(Options &O, std::string_view Name) {
  if (Name == "--print-before-all")
    return O.PrintBefore = true;
  if (Name == "--print-after-changed")
    return O.PrintChanged = true;
  if (Name == "--verify-each")
    return O.VerifyEach = true;
  if (Name == "--no-verify")
    return !(O.Verify = false);
  return false;
}

bool parseOptions(int Argc, char **Argv, Options &O) {
  for (int K = 1; K < Argc; ++K) {
    std::string_view Arg = Argv[K];
    size_t Equals = Arg.find('=');
    bool Good = Arg == "-" || !Arg.starts_with("-") ? O.Input.empty()
                : Equals == Arg.npos
                    ? flag(O, Arg)
                    : valued(O, Arg.substr(0, Equals), Arg.substr(Equals + 1));
    if (!Good) {
      std::cerr << "goldy-opt: cannot use `" << Arg << "`\n" << Usage;
      return false;
    }
    if (Arg == "-" || !Arg.starts_with("-"))
      O.Input = Arg;
  }
  if (O.Input.empty())
    std::cerr << Usage;
  return !O.Input.empty();
}

std::optional<std::string> readInput(const std::string &Name) {
  if (Name == "-")
    return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream In(Name, std::ios::binary);
  if (!In) {
    std::cerr << "goldy-opt: cannot read `" << Name << "`\n";
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(In), {});
}

std::vector<std::string_view> splitPasses(const Options &O,
                                          const Capabilities &Caps) {
  std::vector<std::string_view> Names;
  std::string_view Rest = O.Passes;
  while (!Rest.empty()) {
    size_t Comma = std::min(Rest.find(','), Rest.size());
    std::string_view Name = Rest.substr(0, Comma);
    Rest.remove_prefix(std::min(Comma + 1, Rest.size()));
    if (Name != "legalisation") {
      Names.push_back(Name);
      continue;
    }
    for (std::string_view Each : legalisationPasses(
             Caps, static_cast<unsigned>(O.OptLevel), O.Coarsen != 1))
      Names.push_back(Each);
  }
  return Names;
}

PassObserver makeObserver(const Options &O, std::string &Last) {
  PassObserver Observer;
  Observer.VerifyEach = O.VerifyEach;
  if (O.PrintBefore)
    Observer.Before = [](std::string_view Name, const Module &M) {
      std::cerr << "// before " << Name << '\n' << moduleText(M);
    };
  if (O.PrintChanged)
    Observer.After = [&Last](std::string_view Name, const Module &M) {
      std::string Text = moduleText(M);
      if (Text == Last)
        return;
      std::cerr << "// after " << Name << '\n' << Text;
      Last = std::move(Text);
    };
  return Observer;
}

std::optional<Module> process(const Options &O, const SourceManager &SM,
                              FileId File, const Capabilities &Caps,
                              DiagSink &Diags) {
  std::optional<Module> M = parseIRText(SM, File, Diags);
  if (!M)
    return std::nullopt;
  if (O.Verify) {
    std::optional<VerifiedModule> Verified = verify(std::move(*M), Diags);
    if (!Verified)
      return std::nullopt;
    M = std::move(*Verified).take();
  }
  if (O.Bounds == BoundsMode::Unchecked)
    M->Bounds = BoundsMode::Unchecked;
  if (!O.Fuse.Stages.empty() && !runFuseOption(*M, O.Fuse, std::cerr))
    return std::nullopt;
  Fuel Fuel(O.Fuel);
  PassContext Context{Diags, Caps, Fuel};
  Context.ItemsPerThread = static_cast<uint32_t>(O.Coarsen);
  std::string Last = moduleText(*M);
  if (!runPasses(*M, splitPasses(O, Caps), Context, makeObserver(O, Last)))
    return std::nullopt;
  return M;
}

int run(const Options &O) {
  const Capabilities *Caps = capabilitiesFor(O.Arch);
  if (!Caps) {
    std::cerr << "goldy-opt: unknown target `" << O.Arch << "`\n";
    return 2;
  }
  std::optional<std::string> Text = readInput(O.Input);
  if (!Text)
    return 1;
  SourceManager SM;
  FileId File = SM.add(O.Input == "-" ? "<stdin>" : O.Input, std::move(*Text));
  DiagSink Diags;
  std::optional<Module> M = process(O, SM, File, *Caps, Diags);
  for (const Diagnostic &D : Diags.diagnostics())
    renderText(std::cerr, SM, D, false);
  if (!M)
    return 1;
  printModule(std::cout, *M);
  return 0;
}

} // namespace

int main(int Argc, char **Argv) {
  Options O;
  return parseOptions(Argc, Argv, O) ? run(O) : 2;
}
