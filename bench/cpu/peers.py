"""Implementations of the CPU suite beside ours: where each comes from, and how it is built and started."""
import ctypes.util
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Loaded by goldy-cpu-runner: name to source and flags. `vec-strict` is what the marks are set against.
NATIVES = {
    "cpp": ("Plain.cpp", ["-ffp-contract=off"]),
    "vec-strict": ("Vectors.cpp", ["-ffp-contract=off"]),
    "vec": ("Vectors.cpp", ["-ffp-contract=fast"]),
}
# By ISPC: name to options. Without fused operations it computes what ours does, like for like.
ISPCS = {"ispc": [], "ispc-strict": ["--opt=disable-fma"]}
INSIDE = [*NATIVES, "openblas", *ISPCS]
# Processes of their own, and what they cannot do.
OUTSIDE = ["pocl", "iree"]
CORES = {"x86-64-v2": "Nehalem", "x86-64-v3": "Haswell"}  # OpenBLAS's names for levels
ONLY = {"openblas": {"sgemm"}}
NOT = {"iree": {"mandel", "hist"}}


class Missing(Exception):
    """A peer that cannot run here, or not this kernel."""


def run(cmd, **more):
    if not shutil.which(str(cmd[0])):
        raise Missing(f"{cmd[0]} is not there")
    done = subprocess.run([str(c) for c in cmd], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode:
        raise Missing(f"{cmd[0]} failed: {done.stdout.strip()[-300:]}")
    return done.stdout


def does(name, kernel):
    return kernel in ONLY.get(name, {kernel}) and kernel not in NOT.get(name, set())


class Process:
    """A program that answers one JSON line a request."""

    def __init__(self, cmd, cpus, more_env=None):
        env = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}  # they may ask for an older core's kernels
        env.update(more_env or {})
        self.cmd = [str(c) for c in cmd]
        self.child = subprocess.Popen(self.cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True, env=env, preexec_fn=lambda: os.sched_setaffinity(0, cpus))

    def ask(self, line):
        try:
            self.child.stdin.write(line + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            pass  # the reason is in what it wrote
        answer = self.child.stdout.readline()
        if not answer:
            self.child.wait()
            why = self.child.stderr.read().strip().splitlines() or ["no reason given"]
            raise Missing(f"{pathlib.Path(self.cmd[0]).name} ended: {why[-1]}")
        answer = json.loads(answer)
        if "error" in answer:
            raise Missing(answer["error"])
        return answer

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def newer(out, deps):
    return out.exists() and all(d.stat().st_mtime <= out.stat().st_mtime for d in deps)


def shared(opt, out, sources, flags):
    """A shared library of `sources` for the wanted level."""
    if opt.prebuilt:
        if not out.exists():
            raise Missing(f"{out} is not there")
    elif not newer(out, [HERE / "Native.h", *sources]):
        arch = opt.arch or "native"
        run([opt.cxx, "-std=c++20", "-O3", f"-march={arch}", "-mprefer-vector-width=512", "-fno-math-errno", *flags,
             "-fPIC", "-shared", *sources, "-o", out])
    return str(out)


def openblas_library(opt):
    if opt.openblas:
        return opt.openblas
    if opt.python:
        script = "import pathlib, scipy_openblas32 as b; print(pathlib.Path(b.get_lib_dir()) / b.get_library(fullname=True))"
        found = subprocess.run([opt.python, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if found.returncode == 0:
            return found.stdout.strip()
    found = ctypes.util.find_library("openblas")
    if not found:
        raise Missing("no libopenblas (Debian's libopenblas0-pthread, or `utils/goldy bench cpu peers`)")
    return found


def openblas_version(path):
    """What the library says of itself, with the core whose kernels it took."""
    script = ("import ctypes, sys; b = ctypes.CDLL(sys.argv[1]); p = 'scipy_' if hasattr(b, 'scipy_openblas_get_config') else '';"
              "f = getattr(b, p + 'openblas_get_config'); f.restype = ctypes.c_char_p; print(f().decode())")
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS_")}
    return run([sys.executable, "-c", script, path], env=env).strip()


def ispc_objects(opt, name):
    own = ROOT / "build" / "peers" / "ispc" / "bin" / "ispc"
    tool = opt.ispc or shutil.which("ispc") or (own if own.exists() else None)
    if not tool:
        raise Missing("no ispc (--ispc PATH, or `utils/goldy bench cpu peers`)")
    out = opt.out / f"{name}-{opt.arch or 'native'}.o"
    target = {"x86-64-v2": "sse4-i32x4", "x86-64-v3": "avx2-i32x8", "x86-64-v4": "avx512skx-x16"}.get(opt.arch, "host")
    run([tool, "-O2", "--pic", f"--target={target}", *ISPCS[name], HERE / "kernels.ispc", "-o", out])
    return out


def library(opt, name):
    """The shared library of a peer that runs inside the runner."""
    out = opt.out / f"{name}-{opt.arch or 'native'}.so"
    if name == "openblas":
        os.environ["GOLDY_OPENBLAS"] = openblas_library(opt)
        return shared(opt, out, [HERE / "Blas.cpp"], [])
    if name in ISPCS:
        return shared(opt, out, [HERE / "Ispc.cpp", ispc_objects(opt, name)] if not opt.prebuilt else [], [])
    source, flags = NATIVES[name]
    return shared(opt, out, [HERE / source], flags)


def outside(opt, name, kernel, size, threads, cpus):
    """A peer's process for one kernel. Peers have one matrix product."""
    kernel = kernel.removesuffix("-plain")
    if name == "pocl":
        if opt.arch:
            raise Missing("it compiles for this machine, not for a level")
        program = pathlib.Path(opt.runner).with_name("goldy-cpu-opencl")
        if not program.exists():
            raise Missing(f"{program} is not there (OpenCL's headers and loader)")
        return Process([program, HERE / "kernels.cl", kernel, size], cpus, {"POCL_MAX_PTHREAD_COUNT": str(threads)})
    if not opt.python:
        raise Missing("no Python with iree-base-compiler, iree-base-runtime and numpy (`utils/goldy bench cpu peers`)")
    return Process([opt.python, HERE / "iree_peer.py", opt.out, kernel, size, threads, opt.arch or "host"], cpus)
