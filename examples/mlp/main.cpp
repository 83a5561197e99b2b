// Tells digits apart: reads a network and images, runs the program `classify`
// over all images, and writes what it thinks of each. While a device works on
// one run, the host prepares the images of the next. Part of goldyc, under the
// Apache License v2.0 with LLVM Exceptions.
//
//   mlp mlp.gdy DIR [DEVICE]     DIR as model.py makes it; DEVICE: cpu, vulkan,
//   cuda
#include "Npy.h"
#include "goldy/frame.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

constexpr size_t RunImages = 128, Pixels = 64, Classes = 10;

void need(const goldy::Status &S) {
  if (S.ok())
    return;
  std::fprintf(stderr, "mlp: %s\n", std::string(S.message()).c_str());
  std::exit(1);
}

template <class T> T need(goldy::Result<T> R) {
  if (!R)
    need(R.status());
  return std::move(*R);
}

template <class T>
std::vector<T> load(const std::string &Path, const char *Descr) {
  std::vector<T> Out;
  if (!readNpy(Path, Descr, Out)) {
    std::fprintf(stderr, "mlp: `%s` is no array of %s\n", Path.c_str(), Descr);
    std::exit(1);
  }
  return Out;
}

/// What one run in flight uses. Two of them take turns.
struct Stage {
  goldy::Frame Frame;
  goldy::Buffer Images, Probabilities;
  std::optional<size_t> Run; ///< the run whose work may still go on
};

class Classifier {
public:
  Classifier(const char *File, const std::string &Dir, const char *DeviceName);
  /// The probabilities of all images, in the order of classes.
  std::vector<float> run(const std::vector<uint8_t> &Images);

private:
  void addStage();
  void fill(Stage &S, const std::vector<uint8_t> &Images, size_t Run);
  void drain(Stage &S, std::vector<float> &Out);

  goldy::Device Device;
  goldy::Artifact Artifact;
  goldy::ProgramTemplate Template;
  goldy::Program Program;
  std::vector<std::pair<const char *, goldy::Buffer>> Weights;
  std::vector<Stage> Stages;
};

goldy::Program loaded(const goldy::Device &D, const goldy::Artifact &A,
                      const goldy::ProgramTemplate &T) {
  goldy_device_t *Devices[] = {D.get()};
  goldy::ProgramDesc Desc = need(T.instantiate(A, Devices));
  return need(goldy::Program::load(Desc, {Devices, 1, nullptr, 0}, true));
}

Classifier::Classifier(const char *File, const std::string &Dir,
                       const char *DeviceName)
    : Device(need(goldy::Device::open(DeviceName))),
      Artifact(need(goldy::Artifact::load(File))),
      Template(need(goldy::ProgramTemplate::open(Artifact, "classify"))),
      Program(loaded(Device, Artifact, Template)) {
  for (const char *Name : {"w1", "b1", "w2", "b2"})
    Weights.emplace_back(
        Name,
        need(Device.bufferOf(load<float>(Dir + "/" + Name + ".npy", "<f4"))));
  addStage();
  addStage();
}

void Classifier::addStage() {
  goldy_device_t *Devices[] = {Device.get()};
  Stage S{need(goldy::Frame::create(Template, Program, Devices)),
          need(Device.buffer(RunImages * Pixels * sizeof(float))),
          need(Device.buffer(RunImages * Classes * sizeof(float))),
          std::nullopt};
  need(S.Frame.set("images", S.Images));
  need(S.Frame.set("probabilities", S.Probabilities));
  for (const auto &[Name, Buffer] : Weights)
    need(S.Frame.set(Name, Buffer));
  Stages.push_back(std::move(S));
}

/// The host's part of a run: bytes become values of 0 to 1. Images that are not
/// there are black.
void Classifier::fill(Stage &S, const std::vector<uint8_t> &Images,
                      size_t Run) {
  std::vector<float> Values(RunImages * Pixels);
  for (size_t I = 0; I < Values.size(); ++I) {
    size_t At = Run * Values.size() + I;
    Values[I] = At < Images.size() ? static_cast<float>(Images[At]) / 255 : 0;
  }
  need(S.Images.write(Values));
}

/// Waits for the run of the stage and takes its results.
void Classifier::drain(Stage &S, std::vector<float> &Out) {
  if (!S.Run)
    return;
  need(S.Frame.wait());
  size_t First = *S.Run * RunImages * Classes;
  size_t Count = std::min(Out.size() - First, RunImages * Classes);
  need(S.Probabilities.read(std::span(Out).subspan(First, Count)));
  S.Run.reset();
}

std::vector<float> Classifier::run(const std::vector<uint8_t> &Images) {
  size_t Count = Images.size() / Pixels;
  std::vector<float> Out(Count * Classes);
  for (size_t Run = 0; Run * RunImages < Count; ++Run) {
    Stage &S = Stages[Run % 2];
    drain(S, Out); // run - 2; run - 1 may be at work until the next turn
    fill(S, Images, Run);
    need(S.Frame.run());
    S.Run = Run;
  }
  for (Stage &S : Stages)
    drain(S, Out);
  return Out;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 3 || Argc > 4)
    return std::fputs("usage: mlp mlp.gdy DIR [DEVICE]\n", stderr), 2;
  std::string Dir = Argv[2];
  std::vector<uint8_t> Images = load<uint8_t>(Dir + "/images.npy", "|u1");
  Classifier C(Argv[1], Dir, Argc == 4 ? Argv[3] : "cpu");
  std::vector<float> Out = C.run(Images);
  if (!writeNpy(Dir + "/probabilities.npy", Out, Images.size() / Pixels))
    return std::fputs("mlp: cannot write probabilities.npy\n", stderr), 1;
  std::printf("%zu images\n", Images.size() / Pixels);
  return 0;
}
