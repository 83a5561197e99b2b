//===- ApiKernel.cpp - C interface: kernels and launches ------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch is bound once into a prepared submission and run any number of
// times.
//
//===----------------------------------------------------------------------===//
#include "core/Boundary.h"
#include "core/Objects.h"

#include "core/SpirvCheck.h"
#include <set>
#include <string_view>

using namespace goldy::rt;

static std::string listNames(const std::vector<Kernel> &Kernels) {
  constexpr size_t Most = 16;
  std::string Names;
  for (size_t I = 0; I < Kernels.size() && I < Most; ++I)
    Names += (I ? ", `" : "`") + Kernels[I].Name + "`";
  return Kernels.size() > Most ? Names + ", …" : Names;
}

static Status findKernel(const Artifact &A, const char *Name,
                         const Kernel *&Out) {
  if (A.Kernels.empty())
    return Status(GOLDY_NOT_FOUND, "the artifact has no kernels");
  if (!Name && A.Kernels.size() > 1)
    return Status(GOLDY_INVALID_ARGUMENT,
                  "the artifact has several kernels, name one of " +
                      listNames(A.Kernels));
  Out = Name ? A.find(Name) : &A.Kernels[0];
  if (!Out)
    return Status(GOLDY_NOT_FOUND, "the artifact has no kernel `" +
                                       std::string(Name) + "`; it has " +
                                       listNames(A.Kernels));
  return Status();
}

static Status noImage(const Kernel &K, const DeviceFacts &Device) {
  std::string Arches;
  for (const Image &I : K.Images)
    Arches += (Arches.empty() ? "" : ", ") + I.Arch;
  std::string Takes;
  for (const std::string &A : Device.Arches)
    Takes += (Takes.empty() ? "" : ", ") + A;
  return Status(GOLDY_UNSUPPORTED,
                "kernel `" + K.Name + "` has no image for device `" +
                    Device.Name + "`, which takes " + Takes +
                    "; the file has " + (Arches.empty() ? "none" : Arches));
}

static const SpecConstant *findSpec(const Kernel &K, std::string_view Name) {
  for (const SpecConstant &S : K.Specs)
    if (S.Name == Name)
      return &S;
  return nullptr;
}

static Status setSpec(const Kernel &K, const goldy_spec_value_t &Value,
                      Image &I) {
  std::string Where = "kernel `" + K.Name + "`: ";
  if (!Value.name)
    return nullArgument("specs: a name");
  const SpecConstant *S = findSpec(K, Value.name);
  if (!S)
    return Status(GOLDY_NOT_FOUND, Where +
                                       "there is no specialisation constant `" +
                                       Value.name + "`");
  Where += "specialisation constant `" + S->Name + "`: ";
  if (Value.bits > (S->Type == GOLDY_TYPE_BOOL ? 1 : UINT32_MAX))
    return Status(GOLDY_INVALID_ARGUMENT,
                  Where + "the value is wider than its type");
  bool Settable = S->Settable && I.Format == ImageFormat::Spirv;
  if (!Settable && Value.bits != S->Value)
    return Status(GOLDY_INVALID_ARGUMENT,
                  Where + "its value is fixed in the image for " + I.Arch +
                      "; compile with `goldyc --spec " + S->Name +
                      "=VALUE` for another");
  if (Settable)
    I.Specs.push_back({S->Id, static_cast<uint32_t>(Value.bits)});
  return Status();
}

static Status specialise(const Kernel &K,
                         std::span<const goldy_spec_value_t> Specs, Image &I) {
  std::set<std::string_view> Given;
  for (const goldy_spec_value_t &Value : Specs) {
    GOLDY_TRY(setSpec(K, Value, I));
    if (!Given.insert(Value.name).second)
      return Status(GOLDY_INVALID_ARGUMENT,
                    "kernel `" + K.Name + "`: specialisation constant `" +
                        Value.name + "`: two values given");
  }
  return Status();
}

static Status loadChosen(LoadedKernel &L,
                         std::span<const goldy_spec_value_t> Specs) {
  const DeviceFacts &Facts = L.Device->facts();
  if (L.Chosen->Format != ImageFormat::Spirv && !L.File->Trusted)
    return Status(GOLDY_UNTRUSTED,
                  "kernel `" + L.Definition->Name +
                      "`: its image is machine code, and the artifact was not "
                      "loaded with GOLDY_LOAD_TRUSTED");
  if (L.Chosen->Format == ImageFormat::Spirv && !L.File->Trusted)
    GOLDY_TRY(checkSpirv(*L.Definition, *L.Chosen));
  if (L.Chosen->WorkgroupBytes > Facts.MaxWorkgroupBytes)
    return Status(GOLDY_LIMIT, "kernel `" + L.Definition->Name + "`: " +
                                   std::to_string(L.Chosen->WorkgroupBytes) +
                                   " bytes of workgroup memory, the device's "
                                   "limit is " +
                                   std::to_string(Facts.MaxWorkgroupBytes));
  if (Specs.empty())
    return L.Device->loadImage(*L.Definition, *L.Chosen, L.Id);
  Image Specialised = *L.Chosen;
  GOLDY_TRY(specialise(*L.Definition, Specs, Specialised));
  return L.Device->loadImage(*L.Definition, Specialised, L.Id);
}

Status goldy::rt::loadKernel(LoadedKernel &L,
                             std::span<const goldy_spec_value_t> Specs) {
  const DeviceFacts &Facts = L.Device->facts();
  std::vector<const Image *> Images = imagesFor(*L.Definition, Facts);
  for (const Image *I : Images) {
    L.Chosen = I;
    Status S = loadChosen(L, Specs);
    if (S.code() != GOLDY_UNSUPPORTED)
      return S;
    L.PassedOver += (L.PassedOver.empty() ? "" : "; ") + S.message();
  }
  return Images.empty() ? noImage(*L.Definition, Facts)
                        : Status(GOLDY_UNSUPPORTED, L.PassedOver);
}

static Status createKernel(goldy_device_t *Device, goldy_artifact_t *Artifact,
                           const char *Name,
                           std::span<const goldy_spec_value_t> Specs,
                           goldy_kernel_t **Out) {
  std::shared_ptr<LoadedKernel> L = std::make_shared<LoadedKernel>();
  L->Device = Device->Driver;
  L->Layouts = Device->Layouts;
  L->File = Artifact->File;
  GOLDY_TRY(findKernel(*L->File, Name, L->Definition));
  GOLDY_TRY(loadKernel(*L, Specs));
  *Out = new goldy_kernel{std::move(L)};
  return Status();
}

goldy_status_t goldy_kernel_create(goldy_device_t *device,
                                   goldy_artifact_t *artifact, const char *name,
                                   goldy_kernel_t **out_kernel) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(device);
    GOLDY_NEEDS(artifact);
    GOLDY_NEEDS(out_kernel);
    return createKernel(device, artifact, name, {}, out_kernel);
  });
}

goldy_status_t goldy_kernel_create_specialised(goldy_device_t *device,
                                               goldy_artifact_t *artifact,
                                               const char *name,
                                               const goldy_spec_value_t *specs,
                                               size_t count,
                                               goldy_kernel_t **out_kernel) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(device);
    GOLDY_NEEDS(artifact);
    GOLDY_NEEDS(out_kernel);
    if (!specs && count)
      return nullArgument("specs");
    return createKernel(device, artifact, name, {specs, count}, out_kernel);
  });
}

void goldy_kernel_destroy(goldy_kernel_t *kernel) { delete kernel; }

goldy_kernel_info_t goldy_kernel_info(const goldy_kernel_t *kernel) {
  if (!kernel)
    return {};
  const Kernel &K = *kernel->Loaded->Definition;
  return {K.Name.c_str(),
          {K.WorkgroupSize[0], K.WorkgroupSize[1], K.WorkgroupSize[2]},
          K.WorkgroupBytes,
          K.Params.size(),
          kernel->Loaded->Chosen->Arch.c_str(),
          kernel->Loaded->PassedOver.c_str()};
}

goldy_param_info_t goldy_kernel_param(const goldy_kernel_t *kernel,
                                      size_t index) {
  if (!kernel || index >= kernel->Loaded->Definition->Params.size())
    return {};
  const Param &P = kernel->Loaded->Definition->Params[index];
  return {P.Name.c_str(), P.Kind,          P.Access,
          P.Type,         P.Baked ? 1 : 0, P.Baked.value_or(0)};
}

namespace {
struct KeptRoom {
  std::vector<std::shared_ptr<Memory>> Memories;
  SubmissionDesc Desc;
};
thread_local KeptRoom Kept;
} // namespace

OnceRoom::OnceRoom() : Desc(std::move(Kept.Desc)) {
  if (Desc.Parts.empty())
    Desc.Parts.emplace_back();
  Launch.Memories = std::move(Kept.Memories);
}

OnceRoom::~OnceRoom() {
  Launch.Memories.clear();
  Kept.Memories = std::move(Launch.Memories);
  if (Desc.Parts.empty())
    return;
  Part &P = Desc.Parts.front();
  P.Uses.clear();
  P.Pieces.clear();
  P.Block.clear();
  P.Images.clear();
  Kept.Desc = std::move(Desc);
}

static Status describeLaunch(goldy_kernel_t *Kernel,
                             const goldy_argument_t *Arguments, size_t Count,
                             goldy_grid_t Grid, bool Timed, goldy_launch &Out,
                             SubmissionDesc &Desc) {
  if (!Kernel)
    return nullArgument("kernel");
  if (!Arguments && Count)
    return nullArgument("arguments");
  Out.Kernel = Kernel->Loaded;
  Out.Timed = Timed;
  const DeviceFacts &Facts = Out.Kernel->Device->facts();
  if (Timed && !Facts.Clock)
    return Status(GOLDY_UNSUPPORTED,
                  "kernel `" + Out.Kernel->Definition->Name +
                      "`: the device `" + Facts.Name +
                      "` cannot measure times; make a launch that is not "
                      "timed and measure on the host");
  Desc.Timed = Timed;
  return bindPart(*Out.Kernel, {Arguments, Count}, Grid, Out,
                  Desc.Parts.front());
}

static Status submitLaunch(goldy_launch &L, uint64_t &OutPoint) {
  static constexpr RunInput Nothing{};
  Driver &Device = *L.Kernel->Device;
  if (!L.Empty)
    return Device.run(L.Id, Nothing, OutPoint);
  OutPoint = Device.lastPoint();
  return Status();
}

static Status makeLaunch(goldy_kernel_t *Kernel,
                         const goldy_argument_t *Arguments, size_t Count,
                         goldy_grid_t Grid, bool Timed, goldy_launch_t **Out) {
  if (!Out)
    return nullArgument("out_launch");
  std::unique_ptr<goldy_launch> L = std::make_unique<goldy_launch>();
  SubmissionDesc Desc;
  Desc.Parts.emplace_back();
  GOLDY_TRY(describeLaunch(Kernel, Arguments, Count, Grid, Timed, *L, Desc));
  if (!L->Empty)
    GOLDY_TRY(L->Kernel->Device->prepare(std::move(Desc), L->Id));
  *Out = L.release();
  return Status();
}

goldy_status_t goldy_launch_create(goldy_kernel_t *kernel,
                                   const goldy_argument_t *arguments,
                                   size_t count, goldy_grid_t grid,
                                   goldy_launch_t **out_launch) {
  return guarded([&] {
    return makeLaunch(kernel, arguments, count, grid, false, out_launch);
  });
}

goldy_status_t goldy_launch_create_timed(goldy_kernel_t *kernel,
                                         const goldy_argument_t *arguments,
                                         size_t count, goldy_grid_t grid,
                                         goldy_launch_t **out_launch) {
  return guarded([&] {
    return makeLaunch(kernel, arguments, count, grid, true, out_launch);
  });
}

goldy_status_t goldy_launch_time(goldy_launch_t *launch, uint64_t point,
                                 goldy_time_span_t *out_span) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(launch);
    GOLDY_NEEDS(out_span);
    if (!launch->Timed)
      return Status(GOLDY_INVALID_ARGUMENT,
                    "the launch is not timed; make it with "
                    "goldy_launch_create_timed");
    std::vector<PartTime> Times(1);
    if (!launch->Empty)
      GOLDY_TRY(launch->Kernel->Device->times(launch->Id, point, Times));
    *out_span = {Times.front().BeginNs, Times.front().EndNs};
    return Status();
  });
}

void goldy_launch_destroy(goldy_launch_t *launch) { delete launch; }

goldy_status_t goldy_launch_submit(goldy_launch_t *launch,
                                   uint64_t *out_point) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(launch);
    GOLDY_NEEDS(out_point);
    return submitLaunch(*launch, *out_point);
  });
}

goldy_status_t goldy_kernel_launch(goldy_kernel_t *kernel,
                                   const goldy_argument_t *arguments,
                                   size_t count, goldy_grid_t grid,
                                   uint64_t *out_point) {
  return guarded([&]() -> Status {
    GOLDY_NEEDS(out_point);
    OnceRoom R;
    GOLDY_TRY(describeLaunch(kernel, arguments, count, grid, false, R.Launch,
                             R.Desc));
    Driver &Device = *kernel->Loaded->Device;
    if (!R.Launch.Empty)
      return Device.runOnce(R.Desc, *out_point);
    *out_point = Device.lastPoint();
    return Status();
  });
}
