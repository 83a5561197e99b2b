//===- ProgramWork.cpp - A program with its frame and devices -------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A description has no names, so it gets a template that does: input0, input1,
// … of bytes and int0, int1, … of 64 bits, which may be left out.
//
//===----------------------------------------------------------------------===//
#include "Work.h"

#include "goldy/frame.hpp"
#include "program/Bytes.h"

#include <algorithm>
#include <cstdio>
#include <map>

using namespace goldyrun;
namespace program = goldy::program;

namespace {

/// Descriptions with more ints can be verified but not run from here.
constexpr program::Number MaxUnnamedInts = 65536;

class ProgramWork : public Work {
public:
  Exit open(const Options &O, const Source &From);
  void attempt(std::optional<Seconds> Limit, Attempt &Out) override;
  /// A program that was loaded without is loaded anew: its own memory begins
  /// with its first bytes.
  Exit measure(bool &Timed) override;

private:
  Exit findTemplate(const Options &O, const Source &From);
  Exit describe(const goldy::ProgramDesc &From);
  Exit openDevices(const Options &O);
  Exit chooseDevices(const Options &O, std::vector<DeviceChoice> &Out) const;
  Exit namedDevice(const std::string &Name, size_t &Out) const;
  Exit load(bool Timed);
  Exit failLoad(const goldy::Status &S) const;
  std::vector<Bound> params() const;
  Exit bind();
  void state();
  goldy::Status measured(RunTime &T);
  size_t partOf(const goldy_program_time_t &T);

  const Source *From = nullptr;
  std::optional<goldy::ProgramTemplate> Template;
  const goldy::ProgramDesc *Given = nullptr; ///< FILE is a description
  std::vector<goldy::Device> Opened;
  std::vector<size_t> DeviceOf; ///< of the template's: in `Opened`
  std::optional<goldy::ProgramDesc> Made;
  std::optional<goldy::Program> Loaded;
  bool IsTimed = false;
  std::optional<goldy::Frame> Frame;
  std::map<const char *, size_t> PartOf; ///< by the place that the program told
};

} // namespace

//===-- The program -------------------------------------------------------===//

/// Names for what a description takes.
Exit ProgramWork::describe(const goldy::ProgramDesc &From) {
  goldy_text_t Bytes{};
  goldy::Status S(goldy_program_desc_encode(From.get(), &Bytes));
  program::ProgramDesc D;
  std::string Why;
  if (!S.ok() || !program::fromBytes({Bytes.data, Bytes.size}, D, Why))
    return fail(Exit::Input, S.ok() ? Why : S.message());
  if (D.Ints > MaxUnnamedInts)
    return fail(Exit::Input, std::to_string(D.Ints) + " ints, the limit is " +
                                 std::to_string(MaxUnnamedInts));
  program::ProgramTemplate T;
  T.Name = "description";
  for (size_t I = 0; I < D.Devices.size(); ++I)
    T.Devices.push_back(std::to_string(I));
  for (size_t I = 0; I < D.Inputs.size(); ++I)
    T.Inputs.push_back({"input" + std::to_string(I),
                        D.Inputs[I].Device,
                        program::InputForm::Slice,
                        std::nullopt,
                        program::Access::ReadWrite,
                        D.Inputs[I].Bytes,
                        {}});
  for (program::Number I = 0; I < D.Ints; ++I)
    T.Ints.push_back(
        program::NamedInt{"int" + std::to_string(I), program::Scalar::I64});
  goldy::Result<goldy::ProgramTemplate> Read =
      goldy::ProgramTemplate::decode(program::toBytes(T));
  if (!Read)
    return fail(Exit::Input, Read.status().message());
  Template = std::move(*Read);
  Given = &From;
  return Exit::Ok;
}

Exit ProgramWork::findTemplate(const Options &O, const Source &From) {
  if (From.Program && O.Name)
    return fail(Exit::Usage,
                quoted(O.File) + " is one program and takes no name");
  if (From.Program) {
    if (const goldy::ProgramDesc *D =
            std::get_if<goldy::ProgramDesc>(&*From.Program))
      return describe(*D);
    std::string Bytes =
        program::toBytes(std::get<program::ProgramTemplate>(*From.Program));
    goldy::Result<goldy::ProgramTemplate> T =
        goldy::ProgramTemplate::decode(Bytes);
    if (!T)
      return fail(Exit::Input, quoted(O.File) + ": " + T.status().message());
    Template = std::move(*T);
    return Exit::Ok;
  }
  goldy::Result<goldy::ProgramTemplate> T = goldy::ProgramTemplate::open(
      *From.Artifact, O.Name ? O.Name->c_str() : nullptr);
  if (!T)
    return fail(T.status());
  Template = std::move(*T);
  return Exit::Ok;
}

//===-- Devices -----------------------------------------------------------===//

Exit ProgramWork::namedDevice(const std::string &Name, size_t &Out) const {
  std::vector<std::string> Known;
  for (size_t I = 0; I < Template->info().device_count; ++I)
    Known.push_back(Template->device(I));
  Out = static_cast<size_t>(std::ranges::find(Known, Name) - Known.begin());
  if (Out < Known.size())
    return Exit::Ok;
  return fail(Exit::Usage,
              "`--device-map`: " + Facts.title() + " has no device " +
                  quoted(Name),
              didYouMean(Name, Known));
}

Exit ProgramWork::chooseDevices(const Options &O,
                                std::vector<DeviceChoice> &Out) const {
  size_t Count = Template->info().device_count;
  DeviceChoice One;
  One.Text = One.Name = O.Device.value_or("cpu");
  Out.assign(Count, O.DeviceMap.empty() ? One : DeviceChoice());
  for (size_t I = 0; I < O.DeviceMap.size(); ++I) {
    size_t At = I;
    if (!O.DeviceMap[I].first.empty())
      GOLDYRUN_TRY(namedDevice(O.DeviceMap[I].first, At));
    else if (At >= Count)
      return fail(Exit::Usage, "`--device-map`: " + Facts.title() + " has " +
                                   std::to_string(Count) +
                                   (Count == 1 ? " device" : " devices") +
                                   ", got " +
                                   std::to_string(O.DeviceMap.size()));
    if (!Out[At].Name.empty())
      return fail(Exit::Usage, "`--device-map`: two devices for " +
                                   quoted(Template->device(At)));
    Out[At] = O.DeviceMap[I].second;
  }
  for (size_t I = 0; I < Count; ++I)
    if (Out[I].Name.empty())
      return fail(Exit::Usage, "`--device-map`: no device for " +
                                   quoted(Template->device(I)));
  return Exit::Ok;
}

/// Each device once, however often it is named.
Exit ProgramWork::openDevices(const Options &O) {
  std::vector<DeviceChoice> Choices;
  GOLDYRUN_TRY(chooseDevices(O, Choices));
  std::string Option = O.Verb == "diff"      ? "--devices"
                       : O.DeviceMap.empty() ? "--device"
                                             : "--device-map";
  std::vector<std::string> Texts;
  for (const DeviceChoice &D : Choices) {
    size_t At =
        static_cast<size_t>(std::ranges::find(Texts, D.Text) - Texts.begin());
    DeviceOf.push_back(At);
    if (At < Texts.size())
      continue;
    std::optional<goldy::Device> One;
    GOLDYRUN_TRY(openDevice(O, D, Option, One));
    Opened.push_back(std::move(*One));
    Texts.push_back(D.Text);
  }
  return Exit::Ok;
}

//===-- Loading and binding -----------------------------------------------===//

/// A message about a step says where the user wrote it. It may begin with the
/// device that refuses.
Exit ProgramWork::failLoad(const goldy::Status &S) const {
  std::string Message = S.message();
  size_t Step = Message.find("steps[");
  goldy_text_t Where{};
  if (Step != Message.npos)
    Where =
        goldy_program_template_origin(Template->get(), Message.c_str() + Step);
  return fail(S, Where.size
                     ? "the step is at " + std::string(Where.data, Where.size)
                     : "");
}

Exit ProgramWork::load(bool Timed) {
  std::vector<goldy_device_t *> Handles;
  for (size_t I : DeviceOf)
    Handles.push_back(Opened[I].get());
  if (!Given) {
    goldy::Result<goldy::ProgramDesc> D =
        Template->instantiate(*From->Artifact, Handles);
    if (!D)
      return fail(D.status());
    Made = std::move(*D);
    Given = &*Made;
  }
  goldy_program_machine_t Machine{Handles.data(), Handles.size(), nullptr, 0};
  Frame.reset();
  Loaded.reset();
  goldy::Result<goldy::Program> P =
      goldy::Program::load(*Given, Machine, true, {}, Timed);
  if (!P)
    return failLoad(P.status());
  Loaded = std::move(*P);
  IsTimed = Timed;
  goldy::Result<goldy::Frame> F =
      goldy::Frame::create(*Template, *Loaded, Handles);
  if (!F)
    return fail(F.status());
  Frame = std::move(*F);
  return Exit::Ok;
}

/// Inputs, then ints, as the arguments of a kernel.
std::vector<Bound> ProgramWork::params() const {
  goldy_template_info_t Info = Template->info();
  std::vector<Bound> Params;
  for (size_t I = 0; I < Info.input_count; ++I) {
    goldy_input_info_t In = Template->input(I);
    Bound &B = Params.emplace_back();
    bool Uniform = In.form == GOLDY_INPUT_UNIFORM;
    B.Info = {In.name,   Uniform ? GOLDY_PARAM_UNIFORM : GOLDY_PARAM_BUFFER,
              In.access, In.type,
              0,         0};
    B.Device = In.device;
    B.Whole = true;
  }
  for (size_t I = 0; I < Info.int_count; ++I) {
    goldy_int_info_t Int = Template->intInfo(I);
    Params.emplace_back().Optional = Given;
    Params.back().Info = {Int.name, GOLDY_PARAM_SCALAR, GOLDY_READ, Int.type, 0,
                          0};
  }
  return Params;
}

Exit ProgramWork::bind() {
  size_t Inputs = Template->info().input_count, Number = 0;
  for (const Bound &B : Args->all()) {
    goldy::Status S;
    if (Number < Inputs)
      S = Frame->setInput(Number, B.View.Handle);
    else
      S = goldy::Status(goldy_frame_set_int(
          Frame->get(), Number - Inputs, goldy_type_kind(B.Info.type), B.Word));
    ++Number;
    if (!S.ok())
      return fail(S);
  }
  return Exit::Ok;
}

/// What reports say.
void ProgramWork::state() {
  for (const goldy::Device &D : Opened) {
    goldy_device_info_t Info = D.info();
    std::string Comma = Facts.Device.empty() ? "" : ", ";
    Facts.Device += Comma + Info.name;
    Facts.Description += Comma + Info.description;
    Facts.Threads = std::max(Facts.Threads, Info.threads);
  }
  Facts.Submits = Loaded->counts().submits;
}

/// The arch that each device's code is for.
static std::string archsOf(const goldy::ProgramDesc &Desc) {
  goldy_text_t Bytes{};
  goldy::Status S(goldy_program_desc_encode(Desc.get(), &Bytes));
  program::ProgramDesc D;
  std::string Why, List;
  if (!S.ok() || !program::fromBytes({Bytes.data, Bytes.size}, D, Why))
    return "";
  for (const std::string &Arch : D.Devices)
    List += (List.empty() ? "" : ", ") + Arch;
  return List;
}

Exit ProgramWork::open(const Options &O, const Source &Of) {
  Facts.IsProgram = true;
  From = &Of;
  GOLDYRUN_TRY(findTemplate(O, Of));
  Facts.Name = Template->info().name;
  if (O.Over || O.Groups)
    return fail(Exit::Usage, Facts.title() + " sets its grids itself",
                "leave --over and --groups out");
  if (!O.Specs.empty())
    return fail(Exit::Usage,
                "`--spec`: " + Facts.title() +
                    " holds the values of specialisation constants",
                "goldyc --spec sets them");
  GOLDYRUN_TRY(openDevices(O));
  Args.emplace(Facts.title(), params());
  GOLDYRUN_TRY(Args->check(O.Arguments));
  GOLDYRUN_TRY(checkOutputs(O, *Args));
  bool Measures = O.Stats != StatsForm::None || !O.TraceFile.empty();
  GOLDYRUN_TRY(load(O.Verb == "run" && Measures));
  std::vector<const goldy::Device *> Devices;
  for (size_t I : DeviceOf)
    Devices.push_back(&Opened[I]);
  GOLDYRUN_TRY(Args->load(Devices));
  GOLDYRUN_TRY(bind());
  state();
  Facts.Image = archsOf(*Given);
  if (O.Verbose)
    std::fprintf(stderr, "goldyrun: device %s (%s), program %s, image %s\n",
                 Facts.Device.c_str(), Facts.Description.c_str(),
                 Facts.Name.c_str(), Facts.Image.c_str());
  return Exit::Ok;
}

Exit ProgramWork::measure(bool &Timed) {
  if (!IsTimed) {
    GOLDYRUN_TRY(load(true));
    GOLDYRUN_TRY(bind());
  }
  Timed = Loaded->counts().clocks > 0;
  return Exit::Ok;
}

size_t ProgramWork::partOf(const goldy_program_time_t &T) {
  auto [At, IsNew] = PartOf.try_emplace(T.place, Facts.Parts.size());
  if (!IsNew)
    return At->second;
  goldy_text_t Where = goldy_program_template_origin(Template->get(), T.place);
  std::string Device = T.device == GOLDY_PROGRAM_HOST
                           ? "host"
                           : Opened[DeviceOf[T.device]].info().name;
  Facts.Parts.push_back({T.place, T.name, {Where.data, Where.size}, Device});
  return At->second;
}

/// From the first begin to the last end on devices, and each part's span.
goldy::Status ProgramWork::measured(RunTime &T) {
  if (!Loaded->counts().clocks)
    return goldy::Status();
  goldy::Result<std::vector<goldy_program_time_t>> Times = Loaded->times();
  if (!Times)
    return Times.takeStatus();
  for (const goldy_program_time_t &X : *Times) {
    T.Parts.push_back({partOf(X), X.span});
    if (X.device == GOLDY_PROGRAM_HOST)
      continue;
    if (!T.Device)
      T.Device = X.span;
    T.Device->begin_ns = std::min(T.Device->begin_ns, X.span.begin_ns);
    T.Device->end_ns = std::max(T.Device->end_ns, X.span.end_ns);
  }
  return goldy::Status();
}

void ProgramWork::attempt(std::optional<Seconds> Limit, Attempt &Out) {
  RunTime &T = Out.Time;
  T.StartNs = hostNs();
  Out.Result = Frame->run();
  T.SubmittedNs = hostNs();
  bool HasFindings = Out.Result.code() == GOLDY_FINDINGS; // it went on
  if (!Out.Result.ok() && !HasFindings)
    return;
  goldy::Status Waited = Frame->wait(remaining(Limit, T));
  T.DoneNs = hostNs();
  if (Waited.ok())
    Waited = measured(T);
  if (!HasFindings || !Waited.ok())
    Out.Result = std::move(Waited);
}

Exit goldyrun::openProgram(const Options &O, const Source &From,
                           std::unique_ptr<Work> &Out) {
  std::unique_ptr<ProgramWork> W = std::make_unique<ProgramWork>();
  GOLDYRUN_TRY(W->open(O, From));
  Out = std::move(W);
  return Exit::Ok;
}
