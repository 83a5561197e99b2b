# Configuration of the lit suite: `cmake --build BUILD --target check-lit`.
import glob
import os
import shutil
import sys

import lit.formats
import lit.util

config.name = "goldy"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".goldy", ".gir", ".test"]
config.excludes = ["Inputs", "Conformance", "Package"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.goldy_build, "test")

config.environment["PATH"] = os.pathsep.join(
    [os.path.join(config.goldy_build, "bin"), config.llvm_tools, config.environment.get("PATH", "")])
config.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "detect_leaks=1")
config.substitutions.append(("%examples", os.path.join(config.goldy_source, "examples")))

venv = os.path.join(config.goldy_source, ".venv")
python = os.path.join(venv, "bin", "python3")
config.substitutions.append(("%python", python if os.path.exists(python) else sys.executable))

ptxas = shutil.which("ptxas", path=config.environment["PATH"] + os.pathsep + "/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
for slangc in glob.glob(os.path.join(venv, "lib", "python3*", "site-packages", "slangtorch", "bin", "slangc")):
    config.available_features.add("slangc")
    config.substitutions.append(("%slangc", slangc))
