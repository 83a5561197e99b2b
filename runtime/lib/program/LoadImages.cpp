//===- LoadImages.cpp - The images of a loaded program --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An image is an artifact of one kernel and is verified as any file is, once
// its holes are filled. One image of each device may stand for the host
// functions that load is given.
//
//===----------------------------------------------------------------------===//
#include "program/Load.h"

using namespace goldy;
using namespace goldy::rt;
using program::Place;

static Status loadSlice(goldy_program &L, bool Trusted, ProgramImage &Out) {
  LoadedKernel &K = Out.Kernel;
  GOLDY_TRY(loadArtifact(File::borrow(std::as_bytes(std::span(Out.Bytes))),
                         Trusted, K.File));
  if (K.File->Kernels.size() != 1)
    return Status(GOLDY_INVALID_ARTIFACT,
                  "the slice has " + std::to_string(K.File->Kernels.size()) +
                      " kernels instead of one");
  K.Device = L.Devices[Out.Device];
  K.Definition = &K.File->Kernels[0];
  return loadKernel(K, {});
}

static bool isMark(const std::vector<char> &Bytes) {
  return std::string_view(Bytes.data(), Bytes.size()) == program::CallbacksMark;
}

static Status loadImage(const program::Image &I, bool Trusted, goldy_program &L,
                        const Place &At) {
  std::unique_ptr<ProgramImage> Out = std::make_unique<ProgramImage>();
  Out->Device = static_cast<uint32_t>(I.Device);
  Out->Bytes.resize(I.Binary.Bytes.size());
  GOLDY_TRY(fillLeaves(L, I.Binary, 0, Out->Device, {&At, "binary"},
                       std::span(Out->Bytes)));
  Out->Callbacks = isMark(Out->Bytes);
  if (!Out->Callbacks)
    if (Status S = loadSlice(L, Trusted, *Out); !S.ok())
      return refusedBy(L, Out->Device, LoadRule::ImageTaken, At.text(), S);
  L.Images.push_back(std::move(Out));
  return Status();
}

Status goldy::rt::loadImages(const program::ProgramDesc &Desc, bool Trusted,
                             goldy_program &L) {
  for (size_t I = 0; I < Desc.Images.size(); ++I)
    GOLDY_TRY(loadImage(Desc.Images[I], Trusted, L, {nullptr, "images", I}));
  return Status();
}

//===-- Functions ---------------------------------------------------------===//

const Callback *goldy::rt::findCallback(const goldy_program &L,
                                        const std::string &Name) {
  for (const Callback &C : L.Callbacks)
    if (C.Name == Name)
      return &C;
  return nullptr;
}

Status goldy::rt::findFunction(const goldy_program &L, Number Image,
                               const std::string &Name, const Place &At) {
  const ProgramImage &I = *L.Images[static_cast<size_t>(Image)];
  if (I.Callbacks && !findCallback(L, Name))
    return broken(LoadRule::CallbackGiven,
                  "`" + L.deviceName(I.Device) + "`: " + At.text(),
                  "no host function `" + Name + "` is given");
  if (I.Callbacks || I.Kernel.Definition->Name == Name)
    return Status();
  return broken(LoadRule::FunctionThere,
                "`" + L.deviceName(I.Device) + "`: " + At.text(),
                "image " + std::to_string(Image) + " has no function `" + Name +
                    "`; it has `" + I.Kernel.Definition->Name + "`");
}

Status goldy::rt::checkLeaf(const goldy_program &L, const program::Leaf &Leaf,
                            const Place &At) {
  const program::Entry *E = std::get_if<program::Entry>(&Leaf);
  return E ? findFunction(L, E->Image, E->Name, At) : Status();
}
