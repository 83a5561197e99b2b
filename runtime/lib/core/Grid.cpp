//===- Grid.cpp - A grid in pieces that a device takes --------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels add the piece's base to the ids that the device counts, and take the
// number of groups from the parameter block, so pieces are not seen.
//
//===----------------------------------------------------------------------===//
#include "core/Parts.h"

using namespace goldy::rt;

std::vector<GridPiece>
goldy::rt::splitGrid(std::array<uint32_t, 3> Groups,
                     const std::array<uint64_t, 3> &Most) {
  std::vector<GridPiece> Pieces;
  eachPiece(Groups, Most, [&](const GridPiece &P) { Pieces.push_back(P); });
  return Pieces;
}

Status goldy::rt::refuseHostParts(const SubmissionDesc &Desc,
                                  const std::string &Device) {
  for (const Part &P : Desc.Parts) {
    if (P.Kind == PartKind::Call)
      return Status(GOLDY_UNSUPPORTED,
                    "device `" + Device + "` calls no functions of the host");
    if (P.Kind == PartKind::Words)
      return Status(GOLDY_UNSUPPORTED,
                    "device `" + Device + "` takes no command words");
  }
  return Status();
}

Status Driver::runOnce(SubmissionDesc &Desc, uint64_t &Point) {
  struct Prepared {
    Driver &Of;
    SubmissionId Id{};
    ~Prepared() {
      if (Id != SubmissionId{})
        Of.releaseSubmission(Id);
    }
  } P{*this};
  GOLDY_TRY(prepare(std::move(Desc), P.Id));
  return run(P.Id, {}, Point);
}
