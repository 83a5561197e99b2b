//===- Options.cpp - The command line of goldyrun -------------------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of options: name, how its value comes, and what it sets. Options
// that belong to later features stand in a second table, so that they are
// refused by name.
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include "goldyc/Support/ValueSpec.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace goldyrun;

namespace {

enum class Takes : uint8_t { Nothing, Value, MaybeValue };

struct OptionEntry {
  const char *Name;
  Takes Form;
  Exit (*Set)(Options &O, const std::string &Option, const std::string &Value);
};

Exit badValue(const std::string &Option, const std::string &Value,
              const std::string &Expected) {
  return fail(Exit::Usage, quoted(Option) + ": expected " + Expected +
                               ", got " + quoted(Value));
}

Exit parseNumber(const std::string &Option, const std::string &Text,
                 uint64_t Least, uint64_t Most, uint64_t &Out) {
  const char *End = Text.data() + Text.size();
  std::from_chars_result R = std::from_chars(Text.data(), End, Out);
  if (R.ec != std::errc() || R.ptr != End || Out < Least || Out > Most)
    return badValue(Option, Text,
                    "a number from " + std::to_string(Least) + " to " +
                        std::to_string(Most));
  return Exit::Ok;
}

Exit parseTolerance(const std::string &Option, const std::string &Text,
                    std::optional<double> &Out) {
  double Number = 0;
  const char *End = Text.data() + Text.size();
  std::from_chars_result R = std::from_chars(Text.data(), End, Number);
  if (R.ec != std::errc() || R.ptr != End || !(Number >= 0) ||
      !std::isfinite(Number))
    return badValue(Option, Text, "a number that is not negative");
  Out = Number;
  return Exit::Ok;
}

Exit parseAssignment(const std::string &Option, const std::string &Text,
                     const char *Form, std::vector<Assignment> &Out) {
  std::optional<Assignment> A = goldy::splitAssignment(Text);
  if (!A || A->second.empty())
    return badValue(Option, Text, Form);
  Out.push_back(*A);
  return Exit::Ok;
}

Exit setGrid(const std::string &Option, const std::string &Text,
             std::optional<std::array<uint64_t, 3>> &Out) {
  std::string Why;
  Out = goldy::parseGrid(Text, Why);
  return Out ? Exit::Ok : fail(Exit::Usage, quoted(Option) + ": " + Why);
}

std::vector<std::string> listOf(const std::string &V) {
  std::vector<std::string> List;
  for (size_t From = 0; From <= V.size();) {
    size_t Comma = std::min(V.find(',', From), V.size());
    List.push_back(V.substr(From, Comma - From));
    From = Comma + 1;
  }
  return List;
}

/// X, X,Y or X,Y,Z; what is left out is 0.
Exit setDebugItem(Options &O, const std::string &Option, const std::string &V) {
  std::vector<std::string> Parts = listOf(V);
  if (Parts.size() > 3)
    return badValue(Option, V, "X[,Y[,Z]]");
  O.DebugItem.emplace();
  for (size_t A = 0; A < Parts.size(); ++A) {
    uint64_t N = 0;
    GOLDYRUN_TRY(parseNumber(Option, Parts[A], 0, UINT32_MAX, N));
    (*O.DebugItem)[A] = static_cast<uint32_t>(N);
  }
  return Exit::Ok;
}

Exit setTimeLimit(Options &O, const std::string &Option, const std::string &V) {
  constexpr double Least = 1e-6, Most = 1e6;
  std::optional<double> Number;
  if (parseTolerance(Option, V, Number) != Exit::Ok)
    return Exit::Usage;
  if (*Number < Least || *Number > Most)
    return badValue(Option, V, "seconds from 0.000001 to 1000000");
  O.TimeLimit = Seconds(*Number);
  return Exit::Ok;
}

Exit setThreads(Options &O, const std::string &Option, const std::string &V) {
  uint64_t N = 0;
  GOLDYRUN_TRY(parseNumber(Option, V, 1, 1024, N));
  O.Threads = static_cast<uint32_t>(N);
  return Exit::Ok;
}

Exit parseDevice(const std::string &Option, const std::string &V,
                 DeviceChoice &Out) {
  DeviceChoice D{V, V.substr(0, V.find_first_of("@/")), "", 0};
  size_t At = V.find('@'), Slash = V.find('/');
  if (At < Slash)
    D.Arch = V.substr(At + 1, Slash == V.npos ? V.npos : Slash - At - 1);
  bool Empty = D.Name.empty() || (At < Slash && D.Arch.empty());
  bool Behind = At != V.npos && Slash < At;
  if (Empty || Behind)
    return badValue(Option, V, "NAME[@ARCH][/THREADS]");
  if (Slash != V.npos) {
    uint64_t N = 0;
    GOLDYRUN_TRY(parseNumber(Option, V.substr(Slash + 1), 1, 1024, N));
    D.Threads = static_cast<uint32_t>(N);
  }
  if (D.Threads && D.Name != "cpu")
    return fail(Exit::Usage, quoted(Option) + ": " + quoted(V) +
                                 ": only `cpu` takes a number of threads");
  if (D.isOracle() && !D.Arch.empty())
    return fail(Exit::Usage, quoted(Option) + ": " + quoted(V) +
                                 ": `interp` runs no image and takes no arch");
  Out = D;
  return Exit::Ok;
}

Exit setDevices(Options &O, const std::string &Option, const std::string &V) {
  for (const std::string &One : listOf(V))
    GOLDYRUN_TRY(parseDevice(Option, One, O.Devices.emplace_back()));
  return Exit::Ok;
}

/// `cpu,cuda`, or with names of the program's devices: `host=cpu,gpu=cuda`.
Exit setDeviceMap(Options &O, const std::string &Option, const std::string &V) {
  for (const std::string &One : listOf(V)) {
    size_t Equals = One.find('=');
    bool Named = Equals != One.npos;
    std::pair<std::string, DeviceChoice> &Entry = O.DeviceMap.emplace_back();
    if (Named && Equals == 0)
      return badValue(Option, One, "[NAME=]DEVICE");
    Entry.first = Named ? One.substr(0, Equals) : "";
    GOLDYRUN_TRY(parseDevice(Option, Named ? One.substr(Equals + 1) : One,
                             Entry.second));
    if (Entry.second.isOracle())
      return fail(Exit::Usage,
                  quoted(Option) +
                      ": `interp` is no device that loads programs");
  }
  return Exit::Ok;
}

Exit setStats(Options &O, const std::string &Option, const std::string &V) {
  if (!V.empty() && V != "json" && V != "text")
    return badValue(Option, V, "`text` or `json`");
  O.Stats = V == "json" ? StatsForm::Json : StatsForm::Text;
  return Exit::Ok;
}

using Text = const std::string &;
constexpr OptionEntry Table[] = {
    {"--over", Takes::Value,
     [](Options &O, Text N, Text V) { return setGrid(N, V, O.Over); }},
    {"--groups", Takes::Value,
     [](Options &O, Text N, Text V) { return setGrid(N, V, O.Groups); }},
    {"--device", Takes::Value,
     [](Options &O, Text, Text V) { return O.Device = V, Exit::Ok; }},
    {"--devices", Takes::Value, setDevices},
    {"--device-map", Takes::Value, setDeviceMap},
    {"--source", Takes::Value,
     [](Options &O, Text, Text V) { return O.SourceFile = V, Exit::Ok; }},
    {"--kernels", Takes::Value,
     [](Options &O, Text, Text V) { return O.Kernels = V, Exit::Ok; }},
    {"--arch", Takes::Value,
     [](Options &O, Text, Text V) { return O.Arch = V, Exit::Ok; }},
    {"--threads", Takes::Value, setThreads},
    {"--debug-item", Takes::Value, setDebugItem},
    {"--spec", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseAssignment(N, V, "NAME=VALUE", O.Specs);
     }},
    {"--save", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseAssignment(N, V, "PARAM=FILE", O.Save);
     }},
    {"--print", Takes::Value,
     [](Options &O, Text, Text V) { return O.Print.push_back(V), Exit::Ok; }},
    {"--expect", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseAssignment(N, V, "PARAM=VALUE", O.Expect);
     }},
    {"--max-ulp", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseNumber(N, V, 0, UINT32_MAX, O.MaxUlp);
     }},
    {"--rtol", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseTolerance(N, V, O.RelativeTolerance);
     }},
    {"--atol", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseTolerance(N, V, O.AbsoluteTolerance);
     }},
    {"--runs", Takes::Value,
     [](Options &O, Text N, Text V) {
       return parseNumber(N, V, 1, UINT32_MAX, O.Runs);
     }},
    {"--time-limit", Takes::Value, setTimeLimit},
    {"--stats", Takes::MaybeValue, setStats},
    {"--trace", Takes::Value,
     [](Options &O, Text, Text V) { return O.TraceFile = V, Exit::Ok; }},
    {"--program-text", Takes::Nothing,
     [](Options &O, Text, Text) { return O.ProgramText = true, Exit::Ok; }},
    {"--json", Takes::Nothing,
     [](Options &O, Text, Text) { return O.Json = true, Exit::Ok; }},
    {"--verbose", Takes::Nothing,
     [](Options &O, Text, Text) { return O.Verbose = true, Exit::Ok; }},
    {"-v", Takes::Nothing,
     [](Options &O, Text, Text) { return O.Verbose = true, Exit::Ok; }},
    {"--help", Takes::Nothing,
     [](Options &O, Text, Text) { return O.Help = true, Exit::Ok; }},
    {"-h", Takes::Nothing,
     [](Options &O, Text, Text) { return O.Help = true, Exit::Ok; }},
    {"--version", Takes::Nothing,
     [](Options &O, Text, Text) { return O.Version = true, Exit::Ok; }},
};

constexpr const char *Verbs[] = {"run",    "bench",   "info",
                                 "verify", "devices", "diff"};
constexpr const char *LaterVerbs[] = {"agent"};

template <class List> bool contains(const List &L, const std::string &Name) {
  for (const char *Entry : L)
    if (Name == Entry)
      return true;
  return false;
}

Exit unknownOption(const std::string &Name) {
  std::vector<std::string> Known;
  for (const OptionEntry &E : Table)
    Known.push_back(E.Name);
  return fail(Exit::Usage, "unknown option " + quoted(Name),
              didYouMean(Name, Known));
}

class Parser {
public:
  Parser(const std::vector<std::string> &Words, Options &Out)
      : Words(Words), Out(Out) {}

  Exit run() {
    bool OptionsEnded = false;
    for (; At < Words.size(); ++At) {
      const std::string &W = Words[At];
      if (!OptionsEnded && W == "--")
        OptionsEnded = true;
      else if (!OptionsEnded && W.size() > 1 && W[0] == '-')
        GOLDYRUN_TRY(option(W));
      else
        GOLDYRUN_TRY(positional(W));
    }
    return Exit::Ok;
  }

private:
  Exit option(const std::string &Word) {
    size_t Equals = Word.find('=');
    std::string Name = Word.substr(0, Equals);
    bool HasValue = Equals != Word.npos;
    std::string Value = HasValue ? Word.substr(Equals + 1) : "";
    for (const OptionEntry &E : Table) {
      if (Name != E.Name)
        continue;
      if (E.Form == Takes::Nothing && HasValue)
        return fail(Exit::Usage, quoted(Name) + " takes no value");
      if (E.Form == Takes::Value && !HasValue) {
        if (At + 1 == Words.size())
          return fail(Exit::Usage, quoted(Name) + " needs a value");
        Value = Words[++At];
      }
      return E.Set(Out, Name, Value);
    }
    return unknownOption(Name);
  }

  Exit positional(const std::string &Word) {
    if (++Positionals == 1 && contains(Verbs, Word)) {
      Out.Verb = Word;
      return Exit::Ok;
    }
    if (Positionals == 1 && contains(LaterVerbs, Word))
      return fail(Exit::Usage,
                  "the verb " + quoted(Word) + " is not supported yet");
    if (Out.File.empty() && Out.Verb != "devices") {
      Out.File = Word;
      return Exit::Ok;
    }
    if (std::optional<Assignment> A = goldy::splitAssignment(Word)) {
      Out.Arguments.push_back(*A);
      return Exit::Ok;
    }
    if (Out.Name || Out.Verb == "devices")
      return fail(Exit::Usage, "unexpected " + quoted(Word),
                  "arguments are written PARAM=VALUE");
    Out.Name = Word;
    return Exit::Ok;
  }

  const std::vector<std::string> &Words;
  Options &Out;
  size_t At = 0;
  unsigned Positionals = 0;
};

} // namespace

/// `diff` compares all that is written, on devices of its own list.
static Exit checkDebugItem(const Options &O) {
  if (O.Verb != "run")
    return fail(Exit::Usage, "`--debug-item` belongs to `run`");
  if ((O.Device && *O.Device != "cpu") || !O.DeviceMap.empty())
    return fail(Exit::Usage, "`--debug-item` runs on `cpu` only");
  return Exit::Ok;
}

static Exit checkDiff(const Options &O) {
  if (O.Device || !O.Arch.empty())
    return fail(Exit::Usage, "`diff` takes --devices, not --device and --arch",
                "as in --devices=cpu@x86-64-v2,vulkan");
  if (O.Devices.size() < 2)
    return fail(Exit::Usage,
                "`diff` needs two devices or more, got " +
                    std::to_string(O.Devices.size()),
                "as in --devices=interp,cpu,vulkan; goldyrun devices lists "
                "those of this machine");
  bool Outputs = !O.Save.empty() || !O.Print.empty() || !O.Expect.empty();
  if (Outputs || O.Stats != StatsForm::None)
    return fail(Exit::Usage,
                "`diff` takes no --save, --print, --expect or --stats",
                "use `run` to see results, `bench` for times");
  if (O.MaxUlp || O.RelativeTolerance || O.AbsoluteTolerance)
    return fail(Exit::Usage, "`diff` compares every bit and takes no tolerance",
                "use `run` with --expect and --max-ulp");
  return Exit::Ok;
}

/// `verify` runs nothing.
static Exit checkVerify(const Options &O) {
  for (const DeviceChoice &D : O.Devices)
    if (D.isOracle())
      return fail(Exit::Usage,
                  "`--devices`: `interp` is no device that loads programs");
  return Exit::Ok;
}

Exit goldyrun::parseOptions(const std::vector<std::string> &Words,
                            Options &Out) {
  GOLDYRUN_TRY(Parser(Words, Out).run());
  if (Out.Help || Out.Version || Out.Verb == "devices")
    return Exit::Ok;
  if (Out.File.empty())
    return fail(Exit::Usage, "no file given", "see goldyrun --help");
  if (Out.Over && Out.Groups)
    return fail(Exit::Usage, "`--over` and `--groups` exclude each other");
  if (Out.Json && Out.Verb == "run")
    return fail(Exit::Usage, "`--json` belongs to `bench`, `devices`, `diff`",
                "for the times of a run: --stats=json");
  if (!Out.TraceFile.empty() && Out.Verb != "run")
    return fail(Exit::Usage, "`--trace` belongs to `run`");
  if (Out.TimeLimit && (Out.Verb == "info" || Out.Verb == "verify"))
    return fail(Exit::Usage, "`--time-limit` belongs to `run`, `bench`, `diff`",
                quoted(Out.Verb) + " runs nothing");
  if (Out.Device && !Out.DeviceMap.empty())
    return fail(Exit::Usage,
                "`--device` and `--device-map` exclude each other");
  bool Runs = Out.Verb == "run" || Out.Verb == "bench";
  if (!Out.DeviceMap.empty() && !Runs)
    return fail(Exit::Usage, "`--device-map` belongs to `run` and `bench`");
  if (!Out.Kernels.empty() && !Runs && Out.Verb != "diff")
    return fail(Exit::Usage, "`--kernels` belongs to `run`, `bench`, `diff`");
  if (!Out.SourceFile.empty() && Out.Verb != "diff")
    return fail(Exit::Usage, "`--source` belongs to `diff`");
  if (Out.DebugItem)
    GOLDYRUN_TRY(checkDebugItem(Out));
  if (Out.Verb == "diff")
    return checkDiff(Out);
  if (Out.ProgramText && Out.Verb != "info")
    return fail(Exit::Usage, "`--program-text` belongs to `info`");
  if (Out.Verb == "verify")
    return checkVerify(Out);
  if (!Out.Devices.empty())
    return fail(Exit::Usage, "`--devices` belongs to `diff` and `verify`",
                "one device to run on: --device=" + Out.Devices[0].Text);
  for (size_t I = 0; I < Out.Save.size(); ++I)
    for (size_t J = 0; J < I; ++J)
      if (Out.Save[I].second == Out.Save[J].second)
        return fail(Exit::Usage, "two outputs would be written to " +
                                     quoted(Out.Save[I].second));
  return Exit::Ok;
}

const char *goldyrun::helpText() {
  return R"(usage: goldyrun [VERB] FILE [NAME] [PARAM=VALUE...] [options]

verbs
  run       run a kernel or a program once, or --runs times (default)
  bench     run it repeatedly and print min, median and 95th percentile
  info      print all that the file says about itself, as JSON; with --device also
            which images that device takes, and why
  verify    check the file: an artifact or a program description
  devices   list devices
  diff      run on several devices and compare every bit of what is written

FILE is a .gdy file, - is stdin, or a description or template of a program, .gdyp
(bytes) or .gdyt (text); NAME a program or a kernel, if the file has several. A
program has its grids itself; a description's parameters are input0.. and int0..

values
  2.5  -1  true  nan  inf  0x1p-3         scalars
  @in.npy                                 a NumPy file
  f32[16,4]=0  u32[3]=1,2,3               a fill, a list
  f32[16]:iota  f32[1024]:random:SEED     0, 1, 2...; PCG32
  &x  &x[offset=1]                        the buffer of parameter x, or a view

options
  --over=N[,M[,K]]      work-items of the grid, rounded up to whole groups
  --groups=X[,Y[,Z]]    groups of the grid
  --device=NAME         cpu (default), vulkan[:N], cuda[:N], null
  --device-map=D[,D...] for the devices of a program, in order or NAME=D, each
                        NAME[@ARCH][/THREADS]; --device stands for all of them
  --source=FILE.goldy   diff: the source of a program, for its device interp
  --kernels=FILE.gdy    where the kernels of a template (.gdyt) are
  --devices=D,D[,D...]  verify: the devices of a program description, in order;
                        diff: devices to compare, the first is the reference;
                        each NAME[@ARCH][/THREADS], as in cpu@x86-64-v2/4;
                        interp is the interpreter of the language
  --arch=ARCH           take the image of this arch, not the best (x86-64-v2)
  --debug-item=X[,Y,Z]  for a debugger: run this work-item in code that shows its
                        variables (goldyc -g); results stay the same
  --threads=N           CPU threads, default one a hardware thread
  --spec NAME=VALUE     value of a specialisation constant
  --save PARAM=FILE     write a buffer as .npy, - is stdout
  --print PARAM         print a buffer
  --expect PARAM=VALUE  compare a buffer; exit 1 if it differs
  --max-ulp=N --rtol=R --atol=A
                        tolerances of --expect for floats; default every bit
  --runs=N              runs; arguments keep what each run leaves
  --time-limit=S        seconds that each run may take, else exit 1
  --stats[=json]        times and sizes, on stderr
  --trace=FILE          when host and device did what, for ui.perfetto.dev
  --program-text        info: the text form of a program
  --json                bench, devices, diff: JSON
  -v, --verbose         say which device and image run
  --version  --help

exit codes: 0 success, 1 errors in input or results (diff: a difference), 2 bad
usage, 3 internal error, 4 a needed library or device is missing
)";
}
