//===- Instantiate.cpp - C interface: templates and their devices ---------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A description names one arch a device. Every kernel that the template puts on
// the device has an image of that arch or, but for Vulkan, where archs differ
// in how kernels reach memory, of one that stands behind it on the device's
// list.
//
//===----------------------------------------------------------------------===//
#include "program/ProgramDesc.h"
#include "program/Slice.h"
#include "program/TemplateObject.h"

#include "core/Boundary.h"
#include "core/Objects.h"

#include <algorithm>

using namespace goldy;
using namespace goldy::rt;

//===-- Choosing images ---------------------------------------------------===//

namespace {

constexpr size_t None = ~size_t(0);

class Chooser {
public:
  Chooser(const program::ProgramTemplate &T, const Artifact &File)
      : T(T), File(File), Chosen(T.Images.size(), None),
        Kernels(T.Images.size(), None) {}

  /// Finds the kernel of every image of the template.
  Status findKernels() {
    for (size_t I = 0; I < T.Images.size(); ++I) {
      if (!isKernel(I))
        continue;
      const Kernel *K = File.find(T.Images[I].Kernel);
      if (!K)
        return Status(GOLDY_NOT_FOUND, "images[" + std::to_string(I) +
                                           "]: the file has no kernel `" +
                                           T.Images[I].Kernel + "`");
      Kernels[I] = static_cast<size_t>(K - File.Kernels.data());
    }
    return Status();
  }

  /// Chooses arch and images of device `Number`, which has `Facts`.
  Status chooseFor(size_t Number, const DeviceFacts &Facts) {
    for (const std::string &Arch : candidates(Number, Facts))
      if (fits(Number, Facts, Arch)) {
        Archs.push_back(leastArch(Number, Facts, Arch));
        return Status();
      }
    return Status(GOLDY_UNSUPPORTED,
                  "devices[" + std::to_string(Number) + "]: `" + Facts.Name +
                      "` runs " + listed(Facts.Arches) +
                      ", and no one of them is an arch that all kernels of `" +
                      T.Devices[Number] + "` have an image for");
  }

  program::ProgramDesc make() const {
    std::vector<std::string> Slices;
    for (size_t I = 0; I < T.Images.size(); ++I)
      Slices.push_back(isKernel(I) ? artifactSlice(File, Kernels[I], Chosen[I])
                                   : std::string());
    std::vector<std::string_view> Binaries(Slices.begin(), Slices.end());
    return program::instantiate(T, Archs, Binaries);
  }

private:
  /// Or a table of host functions.
  bool isKernel(size_t Image) const { return !T.Images[Image].Kernel.empty(); }
  bool isKernelOf(size_t Image, size_t Device) const {
    return isKernel(Image) &&
           static_cast<size_t>(T.Images[Image].Device) == Device;
  }

  static std::string listed(const std::vector<std::string> &Names) {
    std::string Text;
    for (const std::string &N : Names)
      Text += (Text.empty() ? "`" : ", `") + N + "`";
    return Text.empty() ? "nothing" : Text;
  }

  /// The archs to try, best first. A device that takes any arch is tried with
  /// those of its first kernel.
  std::vector<std::string> candidates(size_t Number,
                                      const DeviceFacts &Facts) const {
    if (Facts.Arches != std::vector<std::string>{"*"})
      return Facts.Arches;
    std::vector<std::string> Names;
    for (size_t I = 0; I < T.Images.size() && Names.empty(); ++I)
      if (isKernelOf(I, Number))
        for (const Image &Im : File.Kernels[Kernels[I]].Images)
          Names.push_back(Im.Arch);
    return Names.empty() ? Facts.Arches : Names;
  }

  bool fits(size_t Number, const DeviceFacts &Facts, const std::string &Arch) {
    for (size_t I = 0; I < T.Images.size(); ++I) {
      if (!isKernelOf(I, Number))
        continue;
      Chosen[I] = imageFor(File.Kernels[Kernels[I]], Facts, Arch);
      if (Chosen[I] == None)
        return false;
    }
    return true;
  }

  /// What the images that were chosen for a device need, which may be less than
  /// `Arch`: the first of their archs on the device's list. Without images the
  /// list's last.
  std::string leastArch(size_t Number, const DeviceFacts &Facts,
                        const std::string &Arch) const {
    size_t First = None;
    bool Any = false;
    for (size_t I = 0; I < T.Images.size(); ++I) {
      if (!isKernelOf(I, Number))
        continue;
      Any = true;
      const std::string &Own = File.Kernels[Kernels[I]].Images[Chosen[I]].Arch;
      size_t At = static_cast<size_t>(std::ranges::find(Facts.Arches, Own) -
                                      Facts.Arches.begin());
      First = std::min(First, At);
    }
    if (!Any)
      return Facts.Arches.empty() ? Arch : Facts.Arches.back();
    return First < Facts.Arches.size() ? Facts.Arches[First] : Arch;
  }

  /// The best image of `K` that code of `Arch` may stand beside.
  static size_t imageFor(const Kernel &K, const DeviceFacts &Facts,
                         const std::string &Arch) {
    std::vector<std::string>::const_iterator From =
        std::ranges::find(Facts.Arches, Arch);
    std::vector<std::string> Names{Arch};
    if (From != Facts.Arches.end() && !Arch.starts_with("vulkan"))
      Names.assign(From, Facts.Arches.end());
    for (const std::string &Name : Names)
      for (size_t N = 0; N < K.Images.size(); ++N)
        if (K.Images[N].Arch == Name)
          return N;
    return None;
  }

  const program::ProgramTemplate &T;
  const Artifact &File;
  std::vector<std::string> Archs;
  std::vector<size_t> Chosen, Kernels; ///< of each image: in the file
};

} // namespace

goldy_status_t goldy_program_instantiate(const goldy_program_template_t *t,
                                         const goldy_artifact_t *artifact,
                                         goldy_device_t *const *devices,
                                         size_t count,
                                         goldy_program_desc_t **out_desc) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(t);
    GOLDY_NEEDS(artifact);
    GOLDY_NEEDS(devices || count == 0);
    GOLDY_NEEDS(out_desc);
    const program::ProgramTemplate &T = t->Template;
    if (count != T.Devices.size())
      return Status(GOLDY_INVALID_ARGUMENT,
                    "the template is for " + std::to_string(T.Devices.size()) +
                        " devices, got " + std::to_string(count));
    Chooser C(T, *artifact->File);
    GOLDY_TRY(C.findKernels());
    for (size_t I = 0; I < count; ++I) {
      if (!devices[I])
        return Status(GOLDY_INVALID_ARGUMENT,
                      "device " + std::to_string(I) + " is NULL");
      GOLDY_TRY(C.chooseFor(I, devices[I]->Driver->facts()));
    }
    std::unique_ptr<goldy_program_desc> D =
        std::make_unique<goldy_program_desc>();
    D->Desc = C.make();
    *out_desc = D.release();
    return Status();
  });
}
