# Configuration of the lit suite: `cmake --build BUILD --target check-lit`.
import glob
import os
import re
import shutil
import subprocess
import sys

import lit.formats
import lit.util

config.name = "goldy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".goldy", ".gir", ".test", ".slang", ".comp"]
config.excludes = ["Inputs", "Conformance", "Package"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.goldy_build, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.goldy_build, "bin"), config.llvm_tools, config.environment.get("PATH", "")])
config.environment["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + os.path.join(config.test_source_root, "lsan-suppressions.txt")
config.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "detect_leaks=1")
config.substitutions.append(("%examples", os.path.join(config.goldy_source, "examples")))

venv = os.path.join(config.goldy_source, ".venv")
python = os.path.join(venv, "bin", "python3")
config.substitutions.append(("%python", python if os.path.exists(python) else sys.executable))

devices = subprocess.run([os.path.join(config.goldy_build, "bin", "goldyrun"), "devices"], capture_output=True, text=True).stdout
if re.search(r"^vulkan: (?!unavailable)", devices, re.M):
    config.available_features.add("vulkan")
elif os.environ.get("GOLDY_REQUIRE_VULKAN"):
    lit_config.fatal("GOLDY_REQUIRE_VULKAN is set, and there is no Vulkan device")

# utils/goldy builds them; a tree that builds a few tools only has them not.
for tool in ("goldy-frames", "goldy-mlp", "goldy-roots", "goldy-sort"):
    if os.path.exists(os.path.join(config.goldy_build, "bin", tool)):
        config.available_features.add(tool)

fake_cuda = os.path.join(config.goldy_build, "lib", "libgoldy-fake-cuda.so")
if os.path.exists(fake_cuda):
    config.available_features.add("fake-cuda")
    config.substitutions.append(("%fake-cuda", fake_cuda))

# Where processes may not be traced, a gdb that is there is of no use.
if shutil.which("gdb"):
    traced = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "--args", "/bin/true"], capture_output=True, text=True)
    if "exited normally" in traced.stdout:
        config.available_features.add("gdb")

lldb = shutil.which("lldb-19") or shutil.which("lldb")
if lldb:
    traced = subprocess.run([lldb, "-b", "-x", "-o", "run", "--", "/bin/true"], capture_output=True, text=True)
    if "exited with status = 0" in traced.stdout:
        config.available_features.add("lldb")
        config.substitutions.append(("%lldb", lldb))

for tool in ("ptxas", "cuobjdump"):
    path = shutil.which(tool, path=config.environment["PATH"] + os.pathsep + "/usr/local/cuda/bin")
    if path:
        config.available_features.add(tool)
        config.substitutions.append(("%" + tool, path))
for slangc in glob.glob(os.path.join(venv, "lib", "python3*", "site-packages", "slangtorch", "bin", "slangc")):
    config.available_features.add("slangc")
    config.substitutions.append(("%slangc", slangc))
# Tests run outside of the project's folder, so they are told where the wheel of utils/goldy setup has Slang's library.
slang = glob.glob(os.path.join(venv, "lib", "python3*", "site-packages", "slangtorch", "bin", "libslang-compiler.so*"))
if os.environ.get("GOLDY_REQUIRE_SLANG") and not slang:
    lit_config.fatal("GOLDY_REQUIRE_SLANG is set, and .venv has no Slang library")
if slang:
    config.available_features.add("slang")
    config.environment["GOLDY_SLANG_PATH"] = slang[0]
if glob.glob("/usr/local/cuda/lib*/libnvrtc.so.*"):
    config.available_features.add("nvrtc")
