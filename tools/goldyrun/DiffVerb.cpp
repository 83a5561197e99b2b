//===- DiffVerb.cpp - goldyrun diff ---------------------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The devices run one after the other, each with arguments of its own made from
// the same words. What the kernel writes is compared with what the first device
// wrote; only its results are kept. A device that exceeds --time-limit has
// none: the first one of those that do not is compared with.
//
//===----------------------------------------------------------------------===//
#include "Difference.h"
#include "Oracle.h"
#include "Print.h"
#include "Verbs.h"

#include "JsonWriter.h"

#include <cinttypes>
#include <cstdio>

using namespace goldyrun;
namespace npy = goldy::npy;

namespace {

struct ArgumentReport {
  std::string Name;
  Difference Found;
};

struct DeviceReport {
  std::string Choice, Description, Image; ///< the interpreter: no image
  std::vector<ArgumentReport> Arguments;  ///< the reference: none
  bool Exceeded = false;                  ///< the time limit
  bool equal() const {
    if (Exceeded)
      return false;
    for (const ArgumentReport &A : Arguments)
      if (A.Found.Different)
        return false;
    return true;
  }
};

/// One device's run.
struct Outcome {
  DeviceReport Report;
  std::vector<std::string> Names; ///< of what was written
  std::vector<npy::Array> Written;
};

} // namespace

/// The options of a `run` on this device alone.
static Options optionsFor(const Options &O, const DeviceChoice &D) {
  Options One = O;
  One.Device = D.isOracle() ? "null" : D.Name;
  One.Arch = D.Arch;
  if (D.Threads)
    One.Threads = D.Threads;
  if (D.isOracle())
    One.Specs.clear(); // its definition takes them all
  return One;
}

static Exit readWritten(Session &S, const Options &O,
                        std::vector<npy::Array> &Out) {
  RunTime Once;
  for (uint64_t I = 0; I < (O.Runs ? O.Runs : 1); ++I)
    GOLDYRUN_TRY(S.runOnce(Once));
  for (const Bound *B : S.args().written()) {
    Out.emplace_back();
    GOLDYRUN_TRY(S.args().read(*B, Out.back()));
  }
  return Exit::Ok;
}

static Exit runOn(const Options &O, const DeviceChoice &D, const Source &From,
                  Outcome &Out) {
  Session S;
  if (D.isOracle() && From.runsProgram(O))
    GOLDYRUN_TRY(checkProgramSource(O, From));
  GOLDYRUN_TRY(S.open(optionsFor(O, D), From));
  for (const Bound *B : S.args().written())
    Out.Names.push_back(B->Info.name);
  if (Out.Names.empty())
    return fail(Exit::Input, S.facts().title() +
                                 " writes no argument, so there is nothing to "
                                 "compare");
  if (D.isOracle()) {
    Out.Report.Description = "the interpreter";
    return runOracle(O, S, From, Out.Written, Out.Report.Exceeded);
  }
  Out.Report.Description = S.facts().Description;
  Out.Report.Image = S.facts().Image;
  Exit X = readWritten(S, O, Out.Written);
  Out.Report.Exceeded = S.exceeded();
  return X;
}

/// Fills the report of `Got` against the reference.
static Exit compare(const Outcome &Want, Outcome &Got) {
  for (size_t I = 0; I < Want.Written.size(); ++I) {
    const npy::Array &G = Got.Written[I], &W = Want.Written[I];
    if (!(G.Type == W.Type) || G.Shape != W.Shape)
      return fail(Exit::Internal, quoted(Got.Names[I]) + " on " +
                                      quoted(Got.Report.Choice) +
                                      " has another type or shape than on " +
                                      quoted(Want.Report.Choice));
    Got.Report.Arguments.push_back({Got.Names[I], differenceOf(G, W)});
  }
  return Exit::Ok;
}

static std::string valueText(const FirstDifference &F, uint64_t Bits,
                             bool WithBits) {
  return scalarText(F.Type, reinterpret_cast<const std::byte *>(&Bits),
                    WithBits);
}

static std::string differenceText(const ArgumentReport &A,
                                  const std::string &Reference) {
  const FirstDifference &F = *A.Found.First;
  return "  " + quoted(A.Name) + F.Place + ": got " +
         valueText(F, F.Got, true) + ", " + Reference + " has " +
         valueText(F, F.Want, true) + " (element " + std::to_string(F.Element) +
         ", " + std::to_string(A.Found.Different) + " of " +
         std::to_string(A.Found.Elements) + " differ)\n";
}

/// Null if no device had results.
static const DeviceReport *
referenceOf(const std::vector<DeviceReport> &Devices) {
  for (const DeviceReport &D : Devices)
    if (!D.Exceeded)
      return &D;
  return nullptr;
}

static std::string asText(const std::vector<DeviceReport> &Devices) {
  std::string Text;
  const DeviceReport *Reference = referenceOf(Devices);
  for (const DeviceReport &D : Devices) {
    Text += D.Choice + ": " + D.Description;
    if (!D.Image.empty())
      Text += ", image " + D.Image;
    Text += D.Exceeded        ? ": exceeded the time limit\n"
            : &D == Reference ? ": the reference\n"
            : D.equal()       ? ": equal\n"
                              : ": differs\n";
    for (const ArgumentReport &A : D.Arguments)
      if (A.Found.First)
        Text += differenceText(A, Reference->Choice);
  }
  return Text;
}

static std::string hex(uint64_t Bits) {
  char Text[24];
  std::snprintf(Text, sizeof Text, "0x%" PRIx64, Bits);
  return Text;
}

static void putFirst(goldy::schema::JsonWriter &J, const FirstDifference &F) {
  J.open("first", '{', true);
  J.number("element", F.Element);
  J.text("place", F.Place);
  J.text("got", valueText(F, F.Got, false));
  J.text("got_bits", hex(F.Got));
  J.text("expected", valueText(F, F.Want, false));
  J.text("expected_bits", hex(F.Want));
  J.close('}');
}

static void putDevice(goldy::schema::JsonWriter &J, const DeviceReport &D) {
  J.open('{');
  J.text("device", D.Choice);
  J.text("description", D.Description);
  if (!D.Image.empty())
    J.text("image", D.Image);
  J.boolean("equal", D.equal());
  if (D.Exceeded)
    J.boolean("exceeded", true);
  J.open("arguments", '[');
  for (const ArgumentReport &A : D.Arguments) {
    J.separate();
    J.open('{');
    J.text("name", A.Name);
    J.number("elements", A.Found.Elements);
    J.number("different", A.Found.Different);
    if (A.Found.First)
      putFirst(J, *A.Found.First);
    J.close('}');
  }
  J.close(']');
  J.close('}');
}

static std::string asJson(const std::vector<DeviceReport> &Devices) {
  goldy::schema::JsonWriter J;
  J.open('{');
  if (const DeviceReport *Reference = referenceOf(Devices))
    J.text("reference", Reference->Choice);
  J.open("devices", '[');
  for (const DeviceReport &D : Devices) {
    J.separate();
    putDevice(J, D);
  }
  J.close(']');
  J.close('}');
  return J.take();
}

static Exit runAll(const Options &O, std::vector<DeviceReport> &Reports) {
  Source From;
  GOLDYRUN_TRY(readSource(O, From));
  std::optional<Outcome> Reference;
  for (const DeviceChoice &D : O.Devices) {
    Outcome One;
    One.Report.Choice = D.Text;
    Exit X = runOn(O, D, From, One);
    if (X != Exit::Ok)
      std::fprintf(stderr, "goldyrun: note: on device `%s`\n", D.Text.c_str());
    if (X != Exit::Ok && !One.Report.Exceeded)
      return X;
    if (Reference && !One.Report.Exceeded)
      GOLDYRUN_TRY(compare(*Reference, One));
    Reports.push_back(One.Report);
    if (!Reference && !One.Report.Exceeded)
      Reference = std::move(One);
  }
  return Exit::Ok;
}

Exit goldyrun::diffVerb(const Options &O) {
  std::vector<DeviceReport> Reports;
  GOLDYRUN_TRY(runAll(O, Reports));
  std::string Text = O.Json ? asJson(Reports) : asText(Reports);
  if (std::fputs(Text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    return fail(Exit::Input, "cannot write to stdout");
  for (const DeviceReport &R : Reports)
    if (!R.equal())
      return Exit::Input;
  return Exit::Ok;
}
