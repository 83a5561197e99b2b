//===- Comparison.cpp - One kernel on every device against the oracle -----===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Comparison.h"

#include "Inputs.h"
#include "goldy/goldy.h"
#include "goldyc/Driver/Driver.h"
#include "goldyc/IR/Text.h"
#include "goldyc/Interp/Interp.h"
#include "goldyc/Support/Diag.h"
#include "goldyc/Transforms/Collectives.h"
#include "goldyc/Transforms/ExpandMath.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>

namespace goldy::fuzz {
namespace {

constexpr uint32_t GroupsOfRun[] = {3, 1, 8};
constexpr uint64_t StepLimit = 20'000'000;

/// Throws nothing; keeps the message of the first call that failed.
class Checked {
public:
  bool operator()(goldy_status_t S) {
    if (!S)
      return true;
    if (Message.empty())
      Message = goldy_status_message(S);
    goldy_status_destroy(S);
    return false;
  }
  std::string Message;
};

struct DeviceCloser {
  void operator()(goldy_device_t *D) const { goldy_device_destroy(D); }
};
struct ArtifactCloser {
  void operator()(goldy_artifact_t *A) const { goldy_artifact_destroy(A); }
};
struct KernelCloser {
  void operator()(goldy_kernel_t *K) const { goldy_kernel_destroy(K); }
};
struct BufferCloser {
  void operator()(goldy_buffer_t *B) const { goldy_buffer_destroy(B); }
};

std::map<std::string, std::unique_ptr<goldy_device_t, DeviceCloser>> &
openDevices() {
  static std::map<std::string, std::unique_ptr<goldy_device_t, DeviceCloser>>
      Open;
  return Open;
}

goldy_device_t *openDevice(const Contender &C, Checked &Must) {
  std::unique_ptr<goldy_device_t, DeviceCloser> &Known =
      openDevices()[C.Device + C.Arch + std::to_string(C.Threads)];
  if (!Known) {
    goldy_device_options_t Options{};
    Options.size = sizeof Options;
    Options.threads = C.Threads;
    Options.arch = C.Arch.c_str();
    goldy_device_t *D = nullptr;
    if (Must(goldy_device_create(C.Device.c_str(), &Options, &D)))
      Known.reset(D);
  }
  return Known.get();
}

bool opens(const Contender &C) {
  Checked Must;
  return openDevice(C, Must) != nullptr;
}

goldy_tensor_view_t viewOf(const InterpTensor &T) {
  goldy_tensor_view_t V{};
  V.rank = T.Rank;
  V.offset = T.Offset;
  for (unsigned A = 0; A < T.Rank; ++A) {
    V.shape[A] = T.Shape[A];
    V.strides[A] = static_cast<int64_t>(T.Strides[A]);
  }
  return V;
}

/// What a kernel runs on and leaves: one entry a parameter.
using Values = std::vector<Input>;

class Run {
public:
  Run(const std::string &Artifact, const Contender &C, Values &Data,
      uint32_t Groups)
      : Artifact(Artifact), C(C), Data(Data), Groups(Groups) {}
  /// False with a message if the device failed.
  bool run() {
    goldy_device_t *Device = openDevice(C, Must);
    return Device && load(Device) && fill(Device) && launch(Device) &&
           readBack();
  }
  Checked Must;

private:
  bool load(goldy_device_t *Device) {
    goldy_artifact_t *A = nullptr;
    goldy_kernel_t *K = nullptr;
    if (!Must(goldy_artifact_load_memory(Artifact.data(), Artifact.size(),
                                         GOLDY_LOAD_TRUSTED, &A)))
      return false;
    File.reset(A);
    if (!Must(goldy_kernel_create(Device, A, nullptr, &K)))
      return false;
    Kernel.reset(K);
    return true;
  }
  bool fill(goldy_device_t *Device) {
    for (const Input &I : Data) {
      goldy_argument_t Argument{};
      Argument.word = I.Bits;
      if (I.Again) {
        Argument = Arguments[*I.Again];
      } else if (I.IsBuffer) {
        if (!makeBuffer(Device, I))
          return false;
        Argument.buffer = Buffers.back().get();
        Argument.length = I.Bytes.size() / I.Stride;
      }
      if (I.View)
        Argument.view = &Views.emplace_back(viewOf(*I.View));
      Arguments.push_back(Argument);
    }
    return true;
  }
  bool makeBuffer(goldy_device_t *Device, const Input &I) {
    goldy_buffer_t *B = nullptr;
    if (!Must(goldy_buffer_create(Device, I.Bytes.size(), &B)))
      return false;
    Buffers.emplace_back(B);
    return Must(goldy_buffer_write(B, 0, I.Bytes.data(), I.Bytes.size()));
  }
  bool launch(goldy_device_t *Device) {
    uint64_t Point = 0;
    return Must(goldy_kernel_launch(Kernel.get(), Arguments.data(),
                                    Arguments.size(), {{Groups, 1, 1}},
                                    &Point)) &&
           Must(goldy_device_wait(Device, Point, 600'000'000'000));
  }
  bool readBack() {
    size_t Next = 0;
    for (Input &I : Data)
      if (I.IsBuffer && !I.Again &&
          !Must(goldy_buffer_read(Buffers[Next++].get(), 0, I.Bytes.data(),
                                  I.Bytes.size())))
        return false;
    return true;
  }

  const std::string &Artifact;
  const Contender &C;
  Values &Data;
  uint32_t Groups;
  std::unique_ptr<goldy_artifact_t, ArtifactCloser> File;
  std::unique_ptr<goldy_kernel_t, KernelCloser> Kernel;
  std::vector<std::unique_ptr<goldy_buffer_t, BufferCloser>> Buffers;
  std::vector<goldy_argument_t> Arguments;
  std::deque<goldy_tensor_view_t> Views; ///< that arguments point to
};

std::string words(const Input &I, size_t At) {
  std::ostringstream Out;
  uint64_t Element = At / I.Stride;
  Out << "element " << Element << ":" << std::hex;
  for (uint64_t B = 0; B < I.Stride; B += 4) {
    uint32_t Word = 0;
    for (uint64_t K = 0; K < 4 && B + K < I.Stride; ++K)
      Word |= std::to_integer<uint32_t>(I.Bytes[Element * I.Stride + B + K])
              << (8 * K);
    Out << " 0x" << Word;
  }
  return Out.str();
}

/// The first difference, or empty.
std::string difference(const Values &Got, const Values &Want) {
  for (size_t P = 0; P < Want.size(); ++P)
    for (size_t B = 0; B < Want[P].Bytes.size(); ++B)
      if (Got[P].Bytes[B] != Want[P].Bytes[B])
        return "`" + Want[P].Name + "` " + words(Got[P], B) + ", interpreter " +
               words(Want[P], B);
  return "";
}

class Comparer {
public:
  Comparer(const std::string &File, const std::vector<Contender> &Against,
           const std::vector<std::string> &Flags)
      : File(File), Against(Against), Flags(Flags) {}

  Verdict run() {
    if (!compile("own") || !readDefinition())
      return {Outcome::Refused, Why};
    std::string Found;
    for (uint32_t Number = 0; Number < std::size(GroupsOfRun) && Found.empty();
         ++Number) {
      if (!interpretIt(Number))
        return {Outcome::Refused, Why};
      for (const Contender &C : Against)
        Found += contend(C, Number);
    }
    return {Found.empty() ? Outcome::Equal : Outcome::Different, Found};
  }

private:
  bool compile(const std::string &Via);
  bool readDefinition();
  bool interpretIt(uint32_t Number);
  std::string contend(const Contender &C, uint32_t Number);

  const std::string &File;
  const std::vector<Contender> &Against;
  const std::vector<std::string> &Flags;
  std::map<std::string, std::string> Artifacts; ///< by Via
  std::optional<Module> Definition;             ///< of the kernel, by itself
  Values Start, Want; ///< of the run that is under way
  std::string Why;
};

bool Comparer::compile(const std::string &Via) {
  std::string Targets;
  for (const Contender &C : Against)
    if (C.Via == Via && C.Threads == 1)
      Targets += (Targets.empty() ? "" : ",") +
                 std::string(C.Device == "cuda" ? "ptx-" : "") + C.Arch;
  std::vector<std::string> Args{File, "-w", "-o", "-",
                                "--target=" +
                                    (Targets.empty() ? "host" : Targets)};
  if (Via != "own")
    Args.push_back("--via=" + Via);
  Args.insert(Args.end(), Flags.begin(), Flags.end());
  std::ostringstream Out, Err;
  if (runGoldyc(Args, Out, Err) == 0) {
    Artifacts[Via] = Out.str();
    return true;
  }
  Why = Err.str();
  return false;
}

bool Comparer::readDefinition() {
  const std::string &Bytes = Artifacts["own"];
  Checked Must;
  goldy_artifact_t *A = nullptr;
  if (!Must(goldy_artifact_load_memory(Bytes.data(), Bytes.size(),
                                       GOLDY_LOAD_TRUSTED, &A))) {
    Why = Must.Message;
    return false;
  }
  std::unique_ptr<goldy_artifact_t, ArtifactCloser> Owner(A);
  goldy_text_t Text = goldy_artifact_kernel_definition(A, 0);
  SourceManager SM;
  DiagSink Diags;
  FileId Id = SM.add("definition", std::string(Text.data, Text.size));
  Definition = parseIRText(SM, Id, Diags);
  if (!Definition) {
    Why = "the definition in the artifact does not parse";
    return false;
  }
  expandSoftmax(*Definition);
  expandPublished(*Definition);
  return true;
}

bool Comparer::interpretIt(uint32_t Number) {
  FuncId K = Definition->kernels().front();
  uint32_t Groups = GroupsOfRun[Number];
  Start = makeInputs(*Definition, Definition->Functions[K], Groups, Number);
  Want = Start;
  std::vector<InterpArgument> Arguments;
  for (Input &I : Want)
    Arguments.push_back(
        {I.Bits, I.Again ? Want[*I.Again].Bytes : I.Bytes, I.View});
  std::optional<InterpFault> Fault =
      interpret(*Definition, K, {Groups, 1, 1}, Arguments, {StepLimit});
  if (Fault)
    Why = "interpreter: " + Fault->Message;
  return !Fault;
}

std::string Comparer::contend(const Contender &C, uint32_t Number) {
  std::string Who = C.Device + " " + C.Arch +
                    (C.Via == "own" ? "" : " via " + C.Via) +
                    (C.Threads > 1 ? ", two threads" : "") + ", run " +
                    std::to_string(Number) + ": ";
  if (!Artifacts.count(C.Via) && !compile(C.Via))
    return Who + Why + "\n";
  Values Got = Start;
  Run R(Artifacts[C.Via], C, Got, GroupsOfRun[Number]);
  if (!R.run())
    return Who + R.Must.Message + "\n";
  std::string Where = difference(Got, Want);
  return Where.empty() ? "" : Who + Where + "\n";
}

} // namespace

void closeDevices() { openDevices().clear(); }

std::vector<Contender> contenders(bool WithSlang,
                                  const std::vector<std::string> &Only) {
  std::vector<Contender> Found;
  for (const char *Level : {"v1", "v2", "v3", "v4"})
    Found.push_back({"cpu", std::string("x86-64-") + Level, "own"});
  std::erase_if(Found, [](const Contender &C) { return !opens(C); });
  if (!Found.empty()) {
    Found.push_back(Found.back());
    Found.back().Threads = 2;
  }
  Found.push_back({"vulkan", "vulkan1.3", "own"});
  Found.push_back({"vulkan", "vulkan1.1", "own"});
  if (WithSlang)
    Found.push_back({"vulkan", "vulkan1.3", "slang"});
  Found.push_back({"cuda", "sm_80", "own"});
  std::erase_if(Found, [&](const Contender &C) {
    bool Wanted = Only.empty() || std::ranges::count(Only, C.Arch);
    return !Wanted || !opens(C);
  });
  return Found;
}

Verdict compareKernel(const std::string &File,
                      const std::vector<Contender> &Against,
                      const std::vector<std::string> &Flags) {
  return Comparer(File, Against, Flags).run();
}

} // namespace goldy::fuzz
