//===- FuseOption.cpp - --fuse of goldy-opt -------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FuseOption.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <ostream>

using namespace goldy;

namespace {

std::string trimmed(std::string_view Text) {
  while (!Text.empty() && Text.front() == ' ')
    Text.remove_prefix(1);
  while (!Text.empty() && Text.back() == ' ')
    Text.remove_suffix(1);
  return std::string(Text);
}

std::vector<std::string> split(std::string_view Text, char At) {
  std::vector<std::string> Parts;
  while (true) {
    size_t End = std::min(Text.find(At), Text.size());
    Parts.push_back(trimmed(Text.substr(0, End)));
    if (End == Text.size())
      return Parts;
    Text.remove_prefix(End + 1);
  }
}

class RequestReader {
public:
  RequestReader(const Module &M, const FuseOption &O) : M(M), O(O) {}
  std::optional<FusionRequest> read();
  std::string Error;
  std::vector<std::string> Names; ///< of the arguments, by number

private:
  uint32_t numberOf(const std::string &Name);
  bool readStage(const std::string &Text);
  bool readArgument(FusionStage &S, const std::string &Text);
  bool readTemporary(const std::string &Text);
  bool bits(const std::string &Text, uint64_t &Out);
  bool fail(std::string Message) {
    Error = std::move(Message);
    return false;
  }

  const Module &M;
  const FuseOption &O;
  FusionRequest R;
};

uint32_t RequestReader::numberOf(const std::string &Name) {
  std::vector<std::string>::iterator It =
      std::find(Names.begin(), Names.end(), Name);
  if (It == Names.end())
    It = Names.insert(It, Name);
  return static_cast<uint32_t>(It - Names.begin());
}

bool RequestReader::bits(const std::string &Text, uint64_t &Out) {
  std::from_chars_result Read =
      std::from_chars(Text.data() + 1, Text.data() + Text.size(), Out, 16);
  if (Read.ec == std::errc() && Read.ptr == Text.data() + Text.size())
    return true;
  return fail("`" + Text + "` is no constant");
}

bool RequestReader::readArgument(FusionStage &S, const std::string &Text) {
  S.Baked.emplace_back();
  S.Arguments.push_back(0);
  if (Text.starts_with("=")) {
    S.Baked.back() = 0;
    return bits(Text, *S.Baked.back());
  }
  S.Arguments.back() = numberOf(Text);
  return true;
}

bool RequestReader::readStage(const std::string &Text) {
  size_t Open = Text.find('(');
  if (Open == Text.npos || !Text.ends_with(")"))
    return fail("`" + Text + "` is not `kernel(argument, ..)`");
  FusionStage S;
  std::string Name = trimmed(Text.substr(0, Open));
  S.Kernel = M.find(Name);
  if (!S.Kernel || M.Functions[S.Kernel].Kind != FuncKind::Kernel)
    return fail("there is no kernel `" + Name + "`");
  S.Loc = M.Functions[S.Kernel].Loc;
  for (const std::string &Argument :
       split(std::string_view(Text).substr(Open + 1, Text.size() - Open - 2),
             ','))
    if (!readArgument(S, Argument))
      return false;
  if (S.Arguments.size() != M.Functions[S.Kernel].Params.size())
    return fail("`" + Name + "` has another number of parameters");
  R.Stages.push_back(std::move(S));
  return true;
}

bool RequestReader::readTemporary(const std::string &Text) {
  std::vector<std::string> Parts = split(Text, ':');
  if (Parts.size() < 2 || Parts.size() > 3 ||
      (Parts.size() == 3 && Parts[2] != "carried"))
    return fail("`" + Text + "` is not `buffer:length[:carried]`");
  FusionTemporary T;
  T.Argument = numberOf(Parts[0]);
  T.Carried = Parts.size() == 3;
  if (Parts[1].starts_with("=")) {
    T.LengthBits = 0;
    if (!bits(Parts[1], *T.LengthBits))
      return false;
  } else {
    T.Length = numberOf(Parts[1]);
  }
  R.Temporaries.push_back(T);
  return true;
}

std::optional<FusionRequest> RequestReader::read() {
  for (const std::string &Stage : split(O.Stages, ';'))
    if (!readStage(Stage))
      return std::nullopt;
  for (const std::string &Temporary : O.Temporaries)
    if (!readTemporary(Temporary))
      return std::nullopt;
  for (unsigned Axis = 0; Axis < 3; ++Axis)
    R.ManyGroups[Axis] = O.Axes.find("xyz"[Axis]) != std::string::npos;
  R.MayOverlap = [this](uint32_t A, uint32_t B) {
    std::string One = Names[A] + ":" + Names[B],
                Two = Names[B] + ":" + Names[A];
    return std::any_of(
        O.Overlaps.begin(), O.Overlaps.end(),
        [&](const std::string &P) { return P == One || P == Two; });
  };
  return R;
}

void print(const Module &M, const FusionRequest &R, const FusedKernel &K,
           const std::vector<std::string> &Names, std::ostream &Out) {
  const Function &F = M.Functions[K.Kernel];
  Out << "fused as " << F.Name << '\n';
  for (size_t P = 0; P < K.Params.size(); ++P) {
    Out << "  " << F.Params[P].Name << " is " << Names[K.Params[P].Argument];
    for (const StageParam &O : K.Params[P].Origins) {
      const Function &Stage = M.Functions[R.Stages[O.Stage].Kernel];
      Out << ' ' << O.Stage << ':' << Stage.Name << '.'
          << Stage.Params[O.Param].Name;
    }
    Out << '\n';
  }
  for (const StageParam &O : K.Forwarded)
    Out << "  forwarded " << O.Stage << ':'
        << M.Functions[R.Stages[O.Stage].Kernel].Params[O.Param].Name << '\n';
  for (uint32_t A : K.Vanished)
    Out << "  vanished " << Names[A] << '\n';
  for (const std::pair<uint32_t, uint32_t> &A : K.Apart)
    Out << "  apart " << Names[A.first] << ' ' << Names[A.second] << '\n';
}

} // namespace

bool goldy::runFuseOption(Module &M, const FuseOption &O, std::ostream &Out) {
  RequestReader Reader(M, O);
  std::optional<FusionRequest> R = Reader.read();
  if (!R) {
    Out << "goldy-opt: " << Reader.Error << '\n';
    return false;
  }
  std::variant<FusedKernel, FusionRejection> Result = fuseKernels(M, *R);
  if (const FusionRejection *Bad = std::get_if<FusionRejection>(&Result))
    Out << "not fused, " << fusionReasonName(Bad->Reason) << ", stages "
        << Bad->Earlier << " and " << Bad->Later << ": " << Bad->Why << '\n';
  else
    print(M, *R, std::get<FusedKernel>(Result), Reader.Names, Out);
  return true;
}
