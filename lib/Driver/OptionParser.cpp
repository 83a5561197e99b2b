//===- OptionParser.cpp - From words to DriverOptions ---------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The grammar of options is in Options.td; this file gives the values their
// meaning. LLVM's Option library does the splitting, the help text and the
// nearest name of an unknown option.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Driver/Options.h"
#include "goldyc/Transforms/Pass.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Option/Option.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <charconv>

using namespace goldy;

namespace {

enum OptionId : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "goldyc/Driver/Options.inc"
#undef OPTION
};

#define PREFIX(NAME, VALUE)                                                    \
  constexpr llvm::StringLiteral NAME##_init[] = VALUE;                         \
  constexpr llvm::ArrayRef<llvm::StringLiteral> NAME(                          \
      NAME##_init, std::size(NAME##_init) - 1);
#include "goldyc/Driver/Options.inc"
#undef PREFIX

using namespace llvm::opt;
constexpr OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "goldyc/Driver/Options.inc"
#undef OPTION
};

class Table : public GenericOptTable {
public:
  Table() : GenericOptTable(InfoTable) {}
};

/// Splits `a,b` and drops empty parts.
std::vector<std::string> listOf(llvm::StringRef Text) {
  llvm::SmallVector<llvm::StringRef, 4> Parts;
  Text.split(Parts, ',', -1, false);
  return std::vector<std::string>(Parts.begin(), Parts.end());
}

template <class T> void addOnce(std::vector<T> &To, const T &Value) {
  if (std::find(To.begin(), To.end(), Value) == To.end())
    To.push_back(Value);
}

class Reader {
public:
  Reader(const InputArgList &Args, DriverOptions &O, DiagSink &Diags)
      : Args(Args), O(O), Diags(Diags) {}
  void read();

private:
  DiagBuilder bad(std::string_view Option, std::string_view Value) {
    DiagBuilder D = Diags.report(diag::G0703, Span());
    D << "`" << Value << "` is not a value of `" << Option << "`";
    return D;
  }
  std::string value(unsigned Id) { return Args.getLastArgValue(Id).str(); }
  void number(unsigned Id, std::string_view Option, uint64_t Max,
              uint64_t &Out);
  template <class T>
  void choice(unsigned Id, std::string_view Option, T &Out,
              std::initializer_list<std::pair<std::string_view, T>> Choices);
  void refuseLater();
  void readDeviceMap();
  void readSanitize();
  void refuseEmpty();
  void readTargets();
  void readKinds();
  void readDefines();
  void readValues();
  void readFloats();
  void readDebug();
  void readWarnings();
  void readWarning(std::string_view W);
  std::string warningName(std::string_view W);
  void readRemarks();
  void readTopics(std::string_view Text);
  void readInspection();
  void checkPassName(const std::string &Name, std::string_view Option,
                     std::vector<std::string> More);
  void readDeps();
  void readRest();
  void checkTogether();
  bool hasArch(std::string_view Arch) const {
    return std::find(O.Archs.begin(), O.Archs.end(), Arch) != O.Archs.end();
  }

  const InputArgList &Args;
  DriverOptions &O;
  DiagSink &Diags;
};

void Reader::number(unsigned Id, std::string_view Option, uint64_t Max,
                    uint64_t &Out) {
  const Arg *A = Args.getLastArg(Id);
  if (!A)
    return;
  std::string_view Text = A->getValue();
  std::from_chars_result R =
      std::from_chars(Text.data(), Text.data() + Text.size(), Out);
  if (R.ec != std::errc() || R.ptr != Text.data() + Text.size() || Out > Max)
    bad(Option, Text)
        .help("expected a number from 0 to " + std::to_string(Max));
}

template <class T>
void Reader::choice(
    unsigned Id, std::string_view Option, T &Out,
    std::initializer_list<std::pair<std::string_view, T>> Choices) {
  const Arg *A = Args.getLastArg(Id);
  if (!A)
    return;
  std::string List;
  for (const std::pair<std::string_view, T> &C : Choices) {
    if (C.first == A->getValue()) {
      Out = C.second;
      return;
    }
    List += (List.empty() ? "expected `" : ", `") + std::string(C.first) + "`";
  }
  bad(Option, A->getValue()).help(List);
}

std::string spelling(const Arg *A) {
  std::string S = A->getSpelling().str();
  while (!S.empty() && S.back() == '=')
    S.pop_back();
  return S;
}

void Reader::refuseLater() {
  for (const Arg *A : Args)
    if (A->getOption().matches(OPT_Later))
      Diags.report(diag::G0702, Span()).help("leave the option out")
          << "`" << spelling(A) << "` is not supported yet";
}

/// Options whose value names something: without a value they would mean nothing
/// and be passed over.
void Reader::refuseEmpty() {
  for (const Arg *A : Args) {
    bool Names = false;
    for (unsigned Id :
         {OPT_o, OPT_out_dir_EQ, OPT_emit_EQ, OPT_target_EQ, OPT_kernel_EQ,
          OPT_program_EQ, OPT_device_map_EQ, OPT_save_temps_EQ, OPT_dump_dir_EQ,
          OPT_I, OPT_MF, OPT_MT, OPT_print_EQ, OPT_explain_EQ,
          OPT_print_before_EQ, OPT_print_after_EQ, OPT_stop_after_EQ,
          OPT_sanitize_EQ})
      Names |= A->getOption().matches(Id);
    if (!Names || A->getNumValues() == 0)
      continue;
    std::string_view Value = A->getValue();
    if (Value.find_first_not_of(',') == std::string_view::npos)
      Diags.report(diag::G0701, Span())
          << "`" << spelling(A) << "` needs a value";
  }
}

void Reader::readTargets() {
  std::vector<std::string> Names;
  for (const std::string &Value : Args.getAllArgValues(OPT_target_EQ))
    for (const std::string &Name : listOf(Value))
      Names.push_back(Name);
  O.TargetsGiven = !Names.empty();
  if (Names.empty())
    Names = {"host", "spirv", "ptx"};
  for (const std::string &Name : Names) {
    std::vector<std::string> Archs = archsOfTarget(Name);
    for (const std::string &Arch : Archs)
      addOnce(O.Archs, Arch);
    if (!Archs.empty())
      continue;
    bool Later = Name.starts_with("cubin-") || Name == "arm64";
    if (Later) {
      Diags.report(diag::G0702, Span())
          << "target `" << Name << "` is not supported yet";
      continue;
    }
    std::vector<std::string> Known;
    for (const TargetName &T : targetNames())
      Known.emplace_back(T.Name);
    std::optional<std::string> Near = nearest(Name, Known);
    bad("--target", Name)
        .help(Near ? "did you mean `" + *Near + "`?"
                   : "`goldyc --print=targets` lists them");
  }
}

void Reader::readKinds() {
  std::vector<std::string> Known;
  for (const EmitKindInfo &K : emitKinds())
    Known.emplace_back(K.Name);
  for (const std::string &Value : Args.getAllArgValues(OPT_emit_EQ))
    for (const std::string &Name : listOf(Value)) {
      std::vector<std::string>::iterator I =
          std::find(Known.begin(), Known.end(), Name);
      if (I != Known.end()) {
        addOnce(O.Kinds, emitKinds()[I - Known.begin()].Kind);
      } else {
        std::optional<std::string> Near = nearest(Name, Known);
        bad("--emit", Name)
            .help(Near ? "did you mean `" + *Near + "`?"
                       : "`goldyc --help` lists the kinds");
      }
    }
  if (O.Kinds.empty())
    O.Kinds = {EmitKind::Artifact};
}

static bool isName(std::string_view Text) {
  auto Letter = [](unsigned char C) { return isalpha(C) || C == '_'; };
  return !Text.empty() && Letter(Text[0]) &&
         std::all_of(Text.begin(), Text.end(),
                     [&](unsigned char C) { return Letter(C) || isdigit(C); });
}

void Reader::readDeviceMap() {
  for (const std::string &Value : Args.getAllArgValues(OPT_device_map_EQ))
    for (const std::string &Name : listOf(Value)) {
      bool Twice = std::find(O.DeviceMap.begin(), O.DeviceMap.end(), Name) !=
                   O.DeviceMap.end();
      if (Twice || !isName(Name))
        Diags.report(diag::G1119, Span()).help("write `--device-map=host,gpu`")
            << "`" << Name << "` in `--device-map` "
            << (Twice ? "is named twice" : "is no name of a device");
      O.DeviceMap.push_back(Name);
    }
}

void Reader::readDefines() {
  for (const std::string &Value : Args.getAllArgValues(OPT_D)) {
    size_t Equals = Value.find('=');
    if (Equals == std::string::npos || Equals == 0)
      bad("-D", Value).help("expected `-D NAME=VALUE`");
    else
      O.Defines.emplace_back(Value.substr(0, Equals), Value.substr(Equals + 1));
  }
}

void Reader::readValues() {
  for (const std::string &Value : Args.getAllArgValues(OPT_spec_EQ)) {
    size_t Equals = Value.find('=');
    if (Equals == std::string::npos || Equals == 0)
      bad("--spec", Value).help("expected `--spec NAME=VALUE`");
    else
      O.Specs.emplace_back(Value.substr(0, Equals), Value.substr(Equals + 1));
  }
  for (const std::string &Value : Args.getAllArgValues(OPT_bake_EQ)) {
    size_t Equals = Value.find('='), Colon = Value.rfind(':', Equals);
    if (Equals == std::string::npos || Colon == std::string::npos ||
        Colon == 0 || Colon + 1 == Equals)
      bad("--bake", Value).help("expected `--bake KERNEL:PARAM=VALUE`");
    else
      O.Bakes.push_back({Value.substr(0, Colon),
                         Value.substr(Colon + 1, Equals - Colon - 1),
                         Value.substr(Equals + 1)});
  }
}

std::string Reader::warningName(std::string_view W) {
  std::vector<std::string> Known;
  for (const DiagInfo &I : allDiagInfos())
    if (!I.Name.empty())
      addOnce(Known, std::string(I.Name));
  if (std::find(Known.begin(), Known.end(), W) == Known.end()) {
    DiagBuilder D = Diags.report(diag::G0703, Span());
    D << "there is no warning `" << W << "`";
    std::optional<std::string> Near = nearest(W, Known);
    D.help(Near ? "did you mean `" + *Near + "`?"
                : "`goldyc --print=warnings` lists them");
  }
  return std::string(W);
}

void Reader::readWarning(std::string_view W) {
  if (W == "all")
    O.Warnings.All = true;
  else if (W == "error")
    O.Warnings.AsErrors = true;
  else if (W.starts_with("error="))
    O.Warnings.Errors.insert(warningName(W.substr(6)));
  else if (W.starts_with("no-"))
    O.Warnings.Disabled.insert(warningName(W.substr(3)));
  else
    O.Warnings.Enabled.insert(warningName(W));
}

void Reader::readWarnings() {
  for (const std::string &W : Args.getAllArgValues(OPT_W))
    readWarning(W);
  O.Warnings.None = Args.hasArg(OPT_w);
  uint64_t Limit = O.ErrorLimit;
  number(OPT_error_limit_EQ, "--error-limit", 1000000, Limit);
  O.ErrorLimit = static_cast<unsigned>(Limit);
  choice<DiagFormat>(OPT_diagnostics_format_EQ, "--diagnostics-format",
                     O.Format,
                     {{"text", DiagFormat::Text},
                      {"json", DiagFormat::Json},
                      {"sarif", DiagFormat::Sarif}});
  choice<ColorMode>(OPT_color_EQ, "--color", O.Color,
                    {{"auto", ColorMode::Auto},
                     {"always", ColorMode::Always},
                     {"never", ColorMode::Never}});
  O.VerifyDiagnostics = Args.hasArg(OPT_verify_diagnostics);
  if (O.VerifyDiagnostics) // every expectation must get its chance
    O.ErrorLimit = 0;
}

void Reader::checkPassName(const std::string &Name, std::string_view Option,
                           std::vector<std::string> More) {
  for (const PassEntry &P : allPasses())
    More.emplace_back(P.Name);
  if (std::find(More.begin(), More.end(), Name) != More.end())
    return;
  std::optional<std::string> Near = nearest(Name, More);
  bad(Option, Name)
      .help(Near ? "did you mean `" + *Near + "`?"
                 : "`goldyc --print=passes` lists the passes");
}

void Reader::readInspection() {
  static const std::vector<std::string> What = {
      "targets", "passes", "pipeline", "warnings", "ops", "limits", "slang"};
  for (const std::string &Value : Args.getAllArgValues(OPT_print_EQ))
    for (const std::string &P : listOf(Value)) {
      if (std::find(What.begin(), What.end(), P) == What.end())
        bad("--print", P)
            .help("expected `targets`, `passes`, `pipeline`, "
                  "`warnings`, `ops`, `limits` or `slang`");
      addOnce(O.Prints, P);
    }
  for (const std::string &Value : Args.getAllArgValues(OPT_explain_EQ))
    for (const std::string &Code : listOf(Value))
      O.Explains.push_back(Code);
  for (const std::string &Value : Args.getAllArgValues(OPT_print_before_EQ))
    for (const std::string &P : listOf(Value)) {
      checkPassName(P, "--print-before", {"all"});
      O.PrintBefore.push_back(P);
    }
  for (const std::string &Value : Args.getAllArgValues(OPT_print_after_EQ))
    for (const std::string &P : listOf(Value)) {
      checkPassName(P, "--print-after", {"all"});
      O.PrintAfter.push_back(P);
    }
  O.PrintChanged = Args.hasArg(OPT_print_changed);
  O.VerifyEach = Args.hasArg(OPT_verify_each);
  O.StopAfter = value(OPT_stop_after_EQ);
  if (!O.StopAfter.empty())
    checkPassName(O.StopAfter, "--stop-after", {"parse", "lower", "verify"});
  number(OPT_fuel_EQ, "--fuel", ~uint64_t(0), O.Fuel);
  if (Args.hasArg(OPT_save_temps) || Args.hasArg(OPT_save_temps_EQ))
    O.SaveTemps = value(OPT_save_temps_EQ);
  O.DumpDir = value(OPT_dump_dir_EQ);
  if (Args.hasArg(OPT_time_passes))
    O.Times = TimeReport::Text;
  choice<TimeReport>(OPT_time_passes_EQ, "--time-passes", O.Times,
                     {{"json", TimeReport::Json}});
}

void Reader::readDeps() {
  O.DepsOnly = Args.hasArg(OPT_M);
  O.DepsToo = Args.hasArg(OPT_MD);
  O.PhonyDeps = Args.hasArg(OPT_MP);
  O.DepFile = value(OPT_MF);
  O.DepTargets = Args.getAllArgValues(OPT_MT);
  bool Asked = O.DepsOnly || O.DepsToo ||
               std::find(O.Kinds.begin(), O.Kinds.end(), EmitKind::Deps) !=
                   O.Kinds.end();
  for (const char *Name : {"-MF", "-MT", "-MP"}) {
    bool Given = std::string_view(Name) == "-MF"   ? !O.DepFile.empty()
                 : std::string_view(Name) == "-MT" ? !O.DepTargets.empty()
                                                   : O.PhonyDeps;
    if (Given && !Asked)
      Diags.report(diag::G0712, Span()).help("add `-MD` or `-M`")
          << "`" << Name << "` says how to write a make rule, but none is "
          << "asked for";
  }
}

void Reader::readRest() {
  O.Inputs = Args.getAllArgValues(OPT_INPUT);
  O.SearchDirs = Args.getAllArgValues(OPT_I);
  for (const std::string &Input : Args.getAllArgValues(OPT_DASH_DASH))
    O.Inputs.push_back(Input);
  std::vector<std::string> Outputs = Args.getAllArgValues(OPT_o);
  if (!Outputs.empty())
    O.Output = Outputs.back();
  O.OutDir = value(OPT_out_dir_EQ);
  for (const std::string &Value : Args.getAllArgValues(OPT_kernel_EQ))
    for (const std::string &Name : listOf(Value))
      addOnce(O.Kernels, Name);
  for (const std::string &Value : Args.getAllArgValues(OPT_program_EQ))
    for (const std::string &Name : listOf(Value))
      addOnce(O.Programs, Name);
  readDeviceMap();
  O.Check = Args.hasArg(OPT_check);
  uint64_t Level = O.OptLevel, Threads = 0;
  number(OPT_O, "-O", 3, Level);
  number(OPT_j, "-j", 4096, Threads);
  O.OptLevel = static_cast<unsigned>(Level);
  O.Jobs = static_cast<unsigned>(Threads);
  choice<BoundsMode>(
      OPT_bounds_EQ, "--bounds", O.Bounds,
      {{"checked", BoundsMode::Checked}, {"unchecked", BoundsMode::Unchecked}});
  readFloats();
  readDebug();
  choice<uint32_t>(
      OPT_coarsen_EQ, "--coarsen", O.ItemsPerThread,
      {{"auto", CoarsenByCost}, {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}});
  choice<bool>(OPT_via_EQ, "--via", O.ViaSlang,
               {{"own", false}, {"slang", true}});
  O.Validate = Args.hasArg(OPT_validate);
  O.VersionJson = value(OPT_version_EQ) == "json";
  O.Version = Args.hasArg(OPT_version) || O.VersionJson;
  if (Args.hasArg(OPT_version_EQ) && !O.VersionJson)
    bad("--version", value(OPT_version_EQ)).help("expected `json`");
  O.Help = Args.hasArg(OPT_help);
}

void Reader::readRemarks() {
  choice<FuseMode>(OPT_fuse_EQ, "--fuse", O.Fuse,
                   {{"auto", FuseMode::Auto},
                    {"off", FuseMode::Off},
                    {"report", FuseMode::Report}});
  O.RemarkFuse = O.Fuse == FuseMode::Report;
  for (const std::string &Name : Args.getAllArgValues(OPT_R)) {
    if (Name == "fuse")
      O.RemarkFuse = true;
    else if (Name == "specialise")
      O.RemarkSpecialise = true;
    else if (Name == "vectorise" || Name.starts_with("vectorise="))
      readTopics(std::string_view(Name).substr(9));
    else
      bad("-R", Name).help("expected `fuse`, `specialise` or `vectorise`");
  }
}

/// `=loop,access` behind -Rvectorise, or nothing.
void Reader::readTopics(std::string_view Text) {
  O.RemarkVectorise = true;
  if (Text.empty())
    return;
  std::string All;
  for (unsigned N = 0; N < NumLaneTopics; ++N)
    All += (N == 0                  ? "`"
            : N + 1 < NumLaneTopics ? ", `"
                                    : " or `") +
           std::string(laneTopicName(static_cast<LaneTopic>(N))) + "`";
  for (const std::string &Name : listOf(llvm::StringRef(Text.substr(1)))) {
    unsigned N = 0;
    while (N < NumLaneTopics &&
           laneTopicName(static_cast<LaneTopic>(N)) != Name)
      ++N;
    if (N == NumLaneTopics)
      bad("-Rvectorise", Name).help("expected " + All);
    else
      O.VectoriseTopics.push_back(static_cast<LaneTopic>(N));
  }
}

/// What is watched is code for the host, whose indices are checked: out of
/// range they are told, and do nothing.
void Reader::readSanitize() {
  for (const std::string &Value : Args.getAllArgValues(OPT_sanitize_EQ))
    for (const std::string &Name : listOf(Value)) {
      uint8_t Bit = Name == "bounds"   ? SanitizeBounds
                    : Name == "race"   ? SanitizeRace
                    : Name == "uninit" ? SanitizeUninit
                    : Name == "all"
                        ? SanitizeBounds | SanitizeRace | SanitizeUninit
                        : 0;
      if (!Bit)
        bad("--sanitize", Name)
            .help("expected `bounds`, `race`, `uninit` or `all`");
      O.Sanitize |= Bit;
    }
  if (!O.Sanitize)
    return;
  O.Bounds = BoundsMode::Checked;
  if (!O.TargetsGiven)
    O.Archs = archsOfTarget("x86-64-v2");
  O.TargetsGiven = true;
  for (const std::string &Arch : O.Archs)
    if (!isHostArch(Arch)) {
      Diags.report(diag::G0712, Span())
              .help("use `--target=host`, or leave out `--target`")
          << "`--sanitize` watches code for the host, and `--target` asks for `"
          << Arch << "`";
      return;
    }
}

void Reader::readFloats() {
  if (value(OPT_fp_EQ) == "contract")
    Diags.report(diag::G0702, Span()).help("use `--fp=fast`, which contracts")
        << "`--fp=contract` is not supported by itself";
  else
    choice<FloatMode>(
        OPT_fp_EQ, "--fp", O.Floats,
        {{"strict", FloatMode::Strict}, {"fast", FloatMode::Fast}});
}

void Reader::readDebug() {
  O.DebugInfo = Args.hasArg(OPT_g);
  for (const std::string &Value :
       Args.getAllArgValues(OPT_remap_path_prefix_EQ)) {
    size_t Equals = Value.find('=');
    if (Equals == 0 || Equals == Value.npos)
      bad("--remap-path-prefix", Value).help("expected `FROM=TO`");
    else
      O.PathPrefixes.push_back(
          {Value.substr(0, Equals), Value.substr(Equals + 1)});
  }
}

void Reader::checkTogether() {
  if (O.ViaSlang && O.TargetsGiven && hasArch("vulkan1.1"))
    Diags.report(diag::G0712, Span())
            .help("use `--target=vulkan1.3`, or leave out `--via=slang`")
        << "`--via=slang` has no code for `vulkan1.1`";
  if (!O.Output.empty() && !O.OutDir.empty())
    Diags.report(diag::G0712, Span()) << "`-o` and `--out-dir` exclude each "
                                         "other";
  if (O.DepsOnly && O.DepsToo)
    Diags.report(diag::G0712, Span()) << "`-M` and `-MD` exclude each other";
}

void Reader::read() {
  refuseLater();
  refuseEmpty();
  readTargets();
  readKinds();
  readDefines();
  readValues();
  readWarnings();
  readRemarks();
  readInspection();
  readDeps();
  readRest();
  readSanitize();
  checkTogether();
}

/// `@FILE` words become the words in FILE, recursively.
bool expandResponseFiles(llvm::SmallVectorImpl<const char *> &Words,
                         llvm::BumpPtrAllocator &Memory, DiagSink &Diags) {
  llvm::cl::ExpansionContext Context(Memory, llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error E = Context.expandResponseFiles(Words)) {
    Diags.report(diag::G0711, Span())
        << "response file: " << llvm::toString(std::move(E));
    return false;
  }
  for (const char *Word : Words)
    if (Word && Word[0] == '@' && Word[1]) {
      Diags.report(diag::G0711, Span()) << "cannot read the response file `"
                                        << std::string_view(Word + 1) << "`";
      return false;
    }
  return true;
}

} // namespace

DriverOptions goldy::parseOptions(const std::vector<std::string> &Words,
                                  DiagSink &Diags) {
  DriverOptions O;
  llvm::SmallVector<const char *, 32> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(Word.c_str());
  llvm::BumpPtrAllocator Memory;
  if (!expandResponseFiles(Argv, Memory, Diags))
    return O;
  Table Options;
  unsigned MissingIndex = 0, MissingCount = 0;
  InputArgList Args = Options.ParseArgs(Argv, MissingIndex, MissingCount);
  if (MissingCount)
    Diags.report(diag::G0701, Span())
        << "`" << std::string_view(Args.getArgString(MissingIndex))
        << "` needs a value";
  for (const Arg *A : Args.filtered(OPT_UNKNOWN)) {
    std::string Text = A->getAsString(Args), Near;
    std::string Name = Text.substr(0, Text.find('='));
    unsigned Distance = Options.findNearest(Text, Near);
    DiagBuilder D = Diags.report(diag::G0700, Span());
    D << "unknown option `" << Name << "`";
    if (Distance <= std::max<size_t>(1, Name.size() / 3))
      D.help("did you mean `" + Near + "`?");
    else
      D.help("`goldyc --help` lists all options");
  }
  Reader(Args, O, Diags).read();
  return O;
}

std::string goldy::optionsHelp() {
  std::string Text;
  llvm::raw_string_ostream Out(Text);
  Table Options;
  Options.printHelp(Out, "goldyc [options] FILE…",
                    "compiles kernels for CPUs, Vulkan and CUDA", false, false);
  return Text;
}
