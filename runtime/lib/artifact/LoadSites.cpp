//===- LoadSites.cpp - Verifying a file: places of watched code -----------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "artifact/Loader.h"

using namespace goldy::rt;

Status Loader::sites(const schema::Image &I, const Kernel &Kernel,
                     Image &Image) {
  uint32_t Count = I.sites() ? I.sites()->size() : 0;
  if (!I.sanitize())
    return Count ? invalid("sites of code that is not watched") : Status();
  if (Image.Format != ImageFormat::HostBlob || I.sanitize() > 7)
    return invalid("only host code is watched, for findings below 8");
  if (Count > limits::Sites)
    return overLimit("sites", Count, limits::Sites);
  Image.Sanitize = I.sanitize();
  Image.Sites.resize(Count);
  for (uint32_t N = 0; N < Count; ++N)
    GOLDY_TRY(site(*I.sites()->Get(N), Kernel, Image.Sites[N]));
  return Status();
}

template <class T> Status Loader::place(const T &P, SitePlace &Out) {
  Out.Line = P.line();
  Out.Column = P.column();
  GOLDY_TRY(name(P.file(), "the file of a site", Out.File));
  GOLDY_TRY(text(P.text(), "the line of a site", limits::LineBytes));
  if (P.text())
    Out.Text = P.text()->str();
  return Status();
}

Status Loader::site(const schema::Site &S, const Kernel &Kernel,
                    WatchSite &Site) {
  if (S.kind() > schema::SiteKind::MAX || S.memory() > schema::SiteMemory::MAX)
    return invalid("a site of unknown kind or memory");
  Site.What = static_cast<WatchSite::Kind>(S.kind());
  Site.In = static_cast<WatchSite::Memory>(S.memory());
  Site.Base = S.base();
  Site.Bytes = S.bytes();
  Site.Offset = S.offset();
  bool Access = Site.What <= WatchSite::Kind::Atomic;
  bool Scratch = Site.What == WatchSite::Kind::Collective;
  bool Param = Site.In == WatchSite::Memory::Param;
  bool Copy = Site.What == WatchSite::Kind::Copy;
  bool Fits = Access    ? Site.In != WatchSite::Memory::None
              : Copy    ? Param && Site.Base > 0
              : Scratch ? Param || Site.In == WatchSite::Memory::Workgroup
                        : Site.In == WatchSite::Memory::None;
  if (!Fits)
    return invalid("a site whose memory is none of its kind");
  if (Param && (Site.Base >= Kernel.Params.size() ||
                Kernel.Params[Site.Base].Kind == GOLDY_PARAM_SCALAR))
    return invalid("a site in parameter " + std::to_string(Site.Base) +
                   ", which is no resource");
  if (Copy && Kernel.Params[0].Kind != GOLDY_PARAM_BUFFER)
    return invalid("a site that copies from parameter 0, which is no buffer");
  if (!Param && Site.Base > limits::SiteBytes)
    return overLimit("the place of a site", Site.Base, limits::SiteBytes);
  if (Site.Bytes > limits::SiteBytes)
    return overLimit("the bytes of a site", Site.Bytes, limits::SiteBytes);
  if (S.name() && S.name()->size())
    GOLDY_TRY(name(S.name(), "a site", Site.Name));
  GOLDY_TRY(place(S, Site));
  uint32_t Calls = S.calls() ? S.calls()->size() : 0;
  if (Calls > limits::SiteCalls)
    return overLimit("calls of a site", Calls, limits::SiteCalls);
  Site.Calls.resize(Calls);
  for (uint32_t N = 0; N < Calls; ++N)
    GOLDY_TRY(place(*S.calls()->Get(N), Site.Calls[N]));
  return indices(S, Kernel, Site);
}

/// Only a parameter's own length is left to the launch.
Status Loader::indices(const schema::Site &S, const Kernel &Kernel,
                       WatchSite &Site) {
  uint32_t Count = S.indices() ? S.indices()->size() : 0;
  if (Count > limits::SiteIndices)
    return overLimit("indices of a site", Count, limits::SiteIndices);
  uint32_t Leading = 0;
  if (Site.In == WatchSite::Memory::Param &&
      Site.What <= WatchSite::Kind::Atomic)
    switch (Kernel.Params[Site.Base].Kind) {
    case GOLDY_PARAM_BUFFER:
    case GOLDY_PARAM_TENSOR:
      Leading = 1;
      break;
    case GOLDY_PARAM_IMAGE:
      Leading = 2;
      break;
    default:
      break;
    }
  for (uint32_t N = 0; N < Count; ++N) {
    const schema::SiteIndex &I = *S.indices()->Get(N);
    if ((N < Leading) != (I.extent() == 0) || I.is_signed() > 1)
      return invalid("index " + std::to_string(N) +
                     " of a site has not the extent that it needs");
    Site.Indices.push_back({I.stride(), I.extent(), I.is_signed() != 0});
  }
  return Count < Leading ? invalid("a site with too few indices") : Status();
}
