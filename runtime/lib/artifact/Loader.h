//===- Loader.h - Checks of a file, piece by piece ------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the files that check the parts of an artifact. Each check names
// the part it refuses. A Loader lives for one load.
//
//===----------------------------------------------------------------------===//
#ifndef GOLDY_RUNTIME_ARTIFACT_LOADER_H
#define GOLDY_RUNTIME_ARTIFACT_LOADER_H

#include "artifact/Artifact.h"
#include "artifact_generated.h"

#include <set>
#include <utility>

namespace goldy::rt {

class Loader {
public:
  explicit Loader(Artifact &Out)
      : Out(Out), Bytes(Out.Backing->bytes()), TextBudget(Bytes.size()) {}
  Status run();

private:
  Status tables();              // Load.cpp: the FlatBuffer itself
  Status provenance();          // Load.cpp
  Status types();               // LoadTypes.cpp
  Status type(uint32_t Number); // LoadTypes.cpp
  Status aggregate(const schema::Type &T, goldy_type &Type);
  Status structure(const schema::Type &T, goldy_type &Type);
  Status programs(); // LoadPrograms.cpp
  Status program(const schema::Program &P, program::ProgramTemplate &Template);
  Status kernels(); // LoadKernels.cpp
  Status kernel(const schema::Kernel &K, Kernel &Kernel);
  Status params(const schema::Kernel &K, Kernel &Kernel);
  Status param(const schema::Param &P, Param &Param);
  Status baked(const schema::Param &P, Param &Param);
  Status specs(const schema::Kernel &K, Kernel &Kernel);
  Status contract(const schema::Param &P, Param &Param);
  Status block(const schema::Kernel &K, Kernel &Kernel);
  Status images(const schema::Kernel &K, Kernel &Kernel);
  Status image(const schema::Image &I, uint32_t BlockSize, Image &Image);
  Status hostImage(const schema::Image &I, const Image &Image);
  Status sites(const schema::Image &I, const Kernel &Kernel,
               Image &Image); // LoadSites.cpp
  Status site(const schema::Site &S, const Kernel &Kernel, WatchSite &Site);
  template <class T> Status place(const T &P, SitePlace &Out);
  Status indices(const schema::Site &S, const Kernel &Kernel, WatchSite &Site);
  Status debug(const schema::HostDebug &D, ImageDebug &Debug);
  Status item(const schema::ItemCode &I, ItemCode &Item);
  Status threads(const schema::Image &I, const Kernel &Kernel, Image &Image);
  Status deviceImage(const schema::Image &I, uint32_t BlockSize,
                     const Image &Image);

  /// Copies a name: 1 to NameBytes bytes of UTF-8 without control characters,
  /// within the budget of the whole file.
  Status name(const flatbuffers::String *S, const char *What,
              std::string &Name);
  Status charge(uint64_t NameBytes);
  Status text(const flatbuffers::String *S, const char *What, uint64_t Most);
  Status blob(const schema::Blob &B, const std::string &What,
              std::span<const std::byte> &View);
  Status textBlob(const schema::Blob &B, const char *What,
                  std::string_view &Text);
  const goldy_type *typeAt(uint32_t Number, uint32_t End) const {
    return Number < End ? &Out.Types[Number] : nullptr;
  }

  Artifact &Out;
  std::span<const std::byte> Bytes;
  const schema::Artifact *Root = nullptr;
  uint64_t TablesEnd = 0;
  uint64_t NameBudget = limits::AllNameBytes;
  uint64_t TextBudget, ProgramBudget = Bytes.size();
  std::set<std::pair<uint64_t, uint64_t>> SeenTexts; ///< offset, size
  std::set<std::string_view> KernelNames;            ///< for programs
};

/// Refusals that name their limit.
Status invalid(std::string Message);
Status overLimit(const std::string &What, uint64_t Size, uint64_t Limit);

} // namespace goldy::rt

#endif
