//===- SlangLibrary.cpp - Slang's own compiler, loaded at run time --------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests are made without optimisation: with it the library asks for a
// companion that the wheels lack. Its own text outputs end with a counted NUL.
// Floats are compiled in precise mode; what that leaves open is closed by
// SpirvImage.cpp and by NVRTC's --fmad=false.
//
//===----------------------------------------------------------------------===//
#include "goldyc/Foreign/SlangLibrary.h"

#include <charconv>
#include <dlfcn.h>
#include <mutex>

using namespace goldy;

namespace {

// Numbers of the interface.
constexpr int TargetNone = 1, TargetSpirv = 6, TargetPtx = 18;
constexpr int LanguageSlang = 1, StageCompute = 6, FloatPrecise = 2;
constexpr int NoOptimization = 0;

/// Versions whose interface and output are known to be right.
constexpr unsigned Year = 2026, LeastRelease = 12;

} // namespace

/// The functions of the library that are called, by their exported names.
struct SlangLibrary::Functions {
  void *Handle = nullptr;
  std::string Path, Version;
  void *Session = nullptr;
  std::mutex Lock;

  const char *(*spGetBuildTagString)();
  void *(*spCreateSession)(const char *);
  void *(*spCreateCompileRequest)(void *);
  void (*spDestroyCompileRequest)(void *);
  int (*spProcessCommandLineArguments)(void *, const char *const *, int);
  void (*spSetCodeGenTarget)(void *, int);
  void (*spSetTargetFloatingPointMode)(void *, int, int);
  void (*spSetTargetForceGLSLScalarBufferLayout)(void *, int, bool);
  void (*spSetOptimizationLevel)(void *, int);
  void (*spAddSearchPath)(void *, const char *);
  void (*spAddPreprocessorDefine)(void *, const char *, const char *);
  int (*spFindCapability)(void *, const char *);
  void (*spAddTargetCapability)(void *, int, int);
  int (*spAddTranslationUnit)(void *, int, const char *);
  void (*spAddTranslationUnitSourceStringSpan)(void *, int, const char *,
                                               const char *, const char *);
  int (*spAddEntryPoint)(void *, int, const char *, int);
  int (*spCompile)(void *);
  const char *(*spGetDiagnosticOutput)(void *);
  const void *(*spGetEntryPointCode)(void *, int, size_t *);
  int (*spGetDependencyFileCount)(void *);
  const char *(*spGetDependencyFilePath)(void *, int);

  bool load(const std::string &From, std::string &Why);
  bool checkVersion(std::string &Why);
};

bool SlangLibrary::Functions::load(const std::string &From, std::string &Why) {
  Handle = ::dlopen(From.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!Handle) {
    Why = ::dlerror();
    return false;
  }
  Path = From;
  auto Find = [&](const char *Name, auto &Function) {
    void *Address = ::dlsym(Handle, Name);
    if (!Address && Why.empty())
      Why = "it has no function `" + std::string(Name) + "`";
    Function =
        reinterpret_cast<std::remove_reference_t<decltype(Function)>>(Address);
  };
#define FIND(NAME) Find(#NAME, NAME)
  FIND(spGetBuildTagString);
  FIND(spCreateSession);
  FIND(spCreateCompileRequest);
  FIND(spDestroyCompileRequest);
  FIND(spProcessCommandLineArguments);
  FIND(spSetCodeGenTarget);
  FIND(spSetTargetFloatingPointMode);
  FIND(spSetTargetForceGLSLScalarBufferLayout);
  FIND(spSetOptimizationLevel);
  FIND(spAddSearchPath);
  FIND(spAddPreprocessorDefine);
  FIND(spFindCapability);
  FIND(spAddTargetCapability);
  FIND(spAddTranslationUnit);
  FIND(spAddTranslationUnitSourceStringSpan);
  FIND(spAddEntryPoint);
  FIND(spCompile);
  FIND(spGetDiagnosticOutput);
  FIND(spGetEntryPointCode);
  FIND(spGetDependencyFileCount);
  FIND(spGetDependencyFilePath);
#undef FIND
  return Why.empty() && checkVersion(Why);
}

/// The tag is the year, the release and perhaps more: `2026.14.1`.
bool SlangLibrary::Functions::checkVersion(std::string &Why) {
  Version = spGetBuildTagString();
  unsigned TagYear = 0, Release = 0;
  const char *End = Version.data() + Version.size();
  std::from_chars_result R = std::from_chars(Version.data(), End, TagYear);
  if (R.ptr != End && *R.ptr == '.')
    std::from_chars(R.ptr + 1, End, Release);
  if (TagYear == Year && Release >= LeastRelease)
    return true;
  Why = "it is version `" + Version + "`, and goldyc takes " +
        std::to_string(Year) + "." + std::to_string(LeastRelease) +
        " and later of that year";
  return false;
}

SlangLibrary::SlangLibrary() : F(std::make_unique<Functions>()) {}
SlangLibrary::~SlangLibrary() = default;
const std::string &SlangLibrary::version() const { return F->Version; }
const std::string &SlangLibrary::path() const { return F->Path; }

SlangLibrary *SlangLibrary::get(DiagSink &Diags) {
  static std::mutex Lock;
  static SlangLibrary *Loaded = nullptr; // lives as long as the process
  static std::string FailedPath, Why;
  std::lock_guard<std::mutex> Guard(Lock);
  if (Loaded)
    return Loaded;
  if (FailedPath.empty())
    for (const std::string &Path : slangLibraryCandidates()) {
      std::unique_ptr<SlangLibrary> L(new SlangLibrary);
      if (std::string Reason; !L->F->load(Path, Reason)) {
        if (FailedPath.empty())
          FailedPath = Path, Why = Reason;
        continue;
      }
      L->F->Session = L->F->spCreateSession(nullptr);
      if (L->F->Session)
        return Loaded = L.release();
      FailedPath = Path, Why = "it makes no session";
    }
  constexpr const char *Help =
      "`pip install --no-deps slangtorch==1.3.22` in the Python environment "
      "`.venv` or that of `python3` brings it, or name the library with the "
      "variable `GOLDY_SLANG_PATH`";
  if (FailedPath.empty())
    Diags.report(diag::G1010, Span()).help(Help)
        << "this needs Slang's library, which was not found";
  else
    Diags.report(diag::G1011, Span()).help(Help)
        << "Slang's library `" << FailedPath << "` cannot be used: " << Why;
  return nullptr;
}

namespace {

/// One request and its end.
class Compilation {
public:
  Compilation(SlangLibrary::Functions &F, const SlangRequest &Request)
      : F(F), Request(Request), R(F.spCreateCompileRequest(F.Session)) {}
  ~Compilation() { F.spDestroyCompileRequest(R); }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;
  SlangResult run();

private:
  void setTarget();
  void setOptions();
  void addSources();
  void takeMessages(SlangResult &Out);
  void takeCode(SlangResult &Out);
  bool takeCode(int Entry, std::vector<uint8_t> &Code);

  SlangLibrary::Functions &F;
  const SlangRequest &Request;
  void *R;
  std::vector<int> Entries;
};

void Compilation::setTarget() {
  bool Ptx = Request.Output == SlangOutput::Ptx;
  F.spSetCodeGenTarget(R, Ptx                                    ? TargetPtx
                          : Request.Output == SlangOutput::Spirv ? TargetSpirv
                                                                 : TargetNone);
  F.spSetTargetFloatingPointMode(R, 0, FloatPrecise);
  F.spSetTargetForceGLSLScalarBufferLayout(R, 0, true);
  F.spSetOptimizationLevel(R, NoOptimization);
  if (Ptx) { // "sm_90a" is asked for as 9.0
    std::string Name = "cuda_sm_" + Request.Arch.substr(3, 1) + "_" +
                       Request.Arch.substr(4, 1);
    F.spAddTargetCapability(R, 0, F.spFindCapability(F.Session, Name.c_str()));
  }
}

void Compilation::setOptions() {
  std::vector<const char *> Words = {"-enable-machine-readable-diagnostics"};
  std::string Nvrtc;
  if (Request.Output == SlangOutput::Ptx) {
    Nvrtc = nvrtcLibrary();
    Words.insert(Words.end(),
                 {"-nvrtc-path", Nvrtc.c_str(), "-Xnvrtc", "--fmad=false"});
  }
  F.spProcessCommandLineArguments(R, Words.data(),
                                  static_cast<int>(Words.size()));
  for (const std::string &Path : Request.SearchPaths)
    F.spAddSearchPath(R, Path.c_str());
  for (const std::pair<std::string, std::string> &M : Request.Macros)
    F.spAddPreprocessorDefine(R, M.first.c_str(), M.second.c_str());
}

void Compilation::addSources() {
  int Unit = F.spAddTranslationUnit(R, LanguageSlang, "goldy_unit");
  for (const SlangSource &S : Request.Sources)
    F.spAddTranslationUnitSourceStringSpan(
        R, Unit, S.Name.c_str(), S.Text.data(), S.Text.data() + S.Text.size());
  for (const std::string &Name : Request.Entries)
    Entries.push_back(F.spAddEntryPoint(R, Unit, Name.c_str(), StageCompute));
}

void Compilation::takeMessages(SlangResult &Out) {
  Out.Messages = parseSlangMessages(F.spGetDiagnosticOutput(R));
  for (const SlangMessage &M : Out.Messages)
    Out.Good &= M.Level != Severity::Error;
  if (!Out.Good) // there is no program then, and the library does not look
    return;
  for (int I = 0, N = F.spGetDependencyFileCount(R); I < N; ++I)
    Out.FilesRead.emplace_back(F.spGetDependencyFilePath(R, I));
}

bool Compilation::takeCode(int Entry, std::vector<uint8_t> &Code) {
  size_t Size = 0;
  const void *Bytes = F.spGetEntryPointCode(R, Entry, &Size);
  if (!Bytes)
    return false;
  Code.assign(static_cast<const uint8_t *>(Bytes),
              static_cast<const uint8_t *>(Bytes) + Size);
  while (Request.Output == SlangOutput::Ptx && !Code.empty() && !Code.back())
    Code.pop_back();
  return !Code.empty();
}

void Compilation::takeCode(SlangResult &Out) {
  if (Request.Output == SlangOutput::Check)
    return;
  for (int Entry : Entries)
    Out.Good &= takeCode(Entry, Out.Code.emplace_back());
}

SlangResult Compilation::run() {
  SlangResult Out;
  setTarget();
  setOptions();
  addSources();
  Out.Good = F.spCompile(R) >= 0;
  takeMessages(Out);
  if (Out.Good)
    takeCode(Out);
  return Out;
}

} // namespace

SlangResult SlangLibrary::compile(const SlangRequest &Request) {
  std::lock_guard<std::mutex> Guard(F->Lock);
  return Compilation(*F, Request).run();
}
