#!/usr/bin/env python3
"""CPU kernels beside the peers that are here, as ratios of one run.

  utils/goldy bench cpu [options]

Rounds interleave every implementation, in alternating order; a ratio is of two figures of one round, its verdict the 95 %
interval of the median over rounds. Ours and the native C++ references run in one process over the same memory; other
peers are processes that answer a line a request. A peer that is missing is named and left out.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import sys

from peers import CORES, HERE, INSIDE, OUTSIDE, ROOT, Missing, Process, does, library, openblas_version, outside, run

MARK_WORST = 1.4  # of ours ÷ vec-strict


def last_level_cache():
    """Bytes of the largest cache of CPU 0; 32 MiB where the system does not tell."""
    most = 0
    for size in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = size.read_text().strip()
        most = max(most, int(text[:-1]) * {"K": 1 << 10, "M": 1 << 20}[text[-1]])
    return most or 32 << 20


def rows(cache):
    """Name, kernel, size. Streaming sizes are the least powers of two whose bytes are at least four times the cache's."""
    def streaming(bytes_each):
        return 1 << math.ceil(math.log2(4 * cache / bytes_each))

    return [
        ("saxpy stream", "saxpy", streaming(8)),
        ("saxpy 2^14", "saxpy", 1 << 14),
        ("chain 2^22", "chain", 1 << 22),
        ("softmax 1024^2", "softmax", 1024),
        ("rmsnorm 2048x1024", "rmsnorm", 2048),
        ("sum stream", "sum", streaming(4)),
        ("sum 2^22", "sum", 1 << 22),
        ("sgemm 512", "sgemm", 512),
        ("sgemm 512, plain tiles", "sgemm-plain", 512),
        ("conv5 1024^2", "conv5", 1024),
        ("mandel 1024^2", "mandel", 1024),
        ("hist 2^22", "hist", 1 << 22),
        ("mix stream", "mix", streaming(8)),
        ("mix 2^22", "mix", 1 << 22),
        ("1000 dispatches n=384", "dispatch", 384),
    ]


def build_ours(opt, name, goldyc):
    out = opt.out / f"{name}.gdy"
    if not opt.prebuilt:
        run([goldyc, opt.source, "--target=host", "-o", out])
    if not out.exists():
        raise Missing(f"{out} is not there")
    return f"{out}@{opt.arch}" if opt.arch else str(out)


def cpus_of(opt, threads):
    """One thread runs on one CPU, so that nothing of it wanders."""
    allowed = sorted(os.sched_getaffinity(0)) if not opt.cpus else [int(c) for c in opt.cpus.split(",")]
    return set(allowed[-threads:])


def start(opt, kernel, size, threads, natives, said):
    """The implementations of a row: name to process. Tells once which are left out."""
    cpus = cpus_of(opt, threads)
    inside = {n: p for n, p in natives.items() if does(n, kernel)}
    core = {"OPENBLAS_CORETYPE": CORES[opt.arch]} if opt.arch in CORES else {}
    runner = Process([opt.runner, kernel, size, threads, *(f"{n}={p}" for n, p in inside.items())], cpus, core)
    found = {name: runner for name in inside}
    for name in [n for n in OUTSIDE if wanted(opt, n) and does(n, kernel)]:
        try:
            process = outside(opt, name, kernel, size, threads, cpus)
            said.setdefault(name, process.ask("version")["version"])
            found[name] = process
        except Missing as why:
            leave_out(name, why, said)
    return found


def wanted(opt, name):
    return not opt.peers or name in opt.peers.split(",")


def leave_out(name, why, said):
    if said.setdefault(name, f"left out: {why}") == f"left out: {why}":
        print(f"{name} is left out: {why}", file=sys.stderr)


def interval(ratios):
    """Median and the order statistics that hold the median with 95 %."""
    ratios = sorted(ratios)
    n = len(ratios)
    low, below = 0, 0.0
    while low < n // 2:
        below += math.comb(n, low) * 0.5**n
        if below > 0.025:
            break
        low += 1
    low = max(0, low - 1)
    return statistics.median(ratios), ratios[low], ratios[n - 1 - low]


def plan(seconds):
    """Runs that do not count, samples and runs a sample, for about 3 ms."""
    batch = max(1, math.ceil(20e-6 / seconds))
    samples = max(1, min(51, round(3e-3 / (seconds * batch))))
    return (0 if seconds > 0.02 else 1), samples, batch


def measure(opt, kernel, size, threads, natives, said):
    """For each implementation its figures by round, and its result beside the reference's."""
    processes = start(opt, kernel, size, threads, natives, said)
    reference = "vec-strict" if "vec-strict" in processes else next(iter(processes))
    checks, plans = {}, {}
    for name in list(processes):
        checks[name] = processes[name].ask(f"check {name} {reference}")
        processes[name].ask(f"time {name} 1 1 1")
        plans[name] = plan(processes[name].ask(f"time {name} 1 1 1")["seconds"])
    seen = {name: [] for name in processes}
    for turn in range(opt.rounds):
        order = list(processes)
        for name in order if turn % 2 == 0 else reversed(order):
            warm, samples, batch = plans[name]
            seen[name].append(processes[name].ask(f"time {name} {warm} {samples} {batch}")["seconds"])
    for process in set(processes.values()):
        process.end()
    return seen, checks


def text(ratio):
    middle, low, high = ratio
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def counts(row):
    """Launch costs are no kernel's speed, and a matrix product is once in the mean."""
    return "dispatch" not in row and "plain" not in row


def ratios(a, b):
    return interval([x / y for x, y in zip(a, b)])


def table(opt, threads, results, names):
    peers = [n for n in names if n not in ("ours", "vec-strict")]
    out = [f"{threads} thread{'s' if threads > 1 else ''}, {opt.rounds} rounds; [95 % interval of the median]",
           "",
           "| kernel | ours ms | ours ÷ vec-strict | " + " | ".join(f"{p} ÷ ours" for p in peers) + " |",
           "|---|---|---|" + "---|" * len(peers)]
    means = {}
    for row, seen in results:
        cells = [row, f"{statistics.median(seen['ours']) * 1e3:.4g}" if "ours" in seen else "-"]
        for name in ["vec-strict"] + peers:
            if name not in seen or "ours" not in seen:
                cells.append("-")
                continue
            r = ratios(seen["ours"], seen[name]) if name == "vec-strict" else ratios(seen[name], seen["ours"])
            slow = r[1] > MARK_WORST if name == "vec-strict" else r[2] < 1
            cells.append(f"**{text(r)}**" if slow else text(r))
            if counts(row):
                means.setdefault(name, []).append(r[0])
        out.append("| " + " | ".join(cells) + " |")
    cells = ["geometric mean", ""]
    for name in ["vec-strict"] + peers:
        cells.append(f"{statistics.geometric_mean(means[name]):.3f}" if name in means else "-")
    out.append("| " + " | ".join(cells) + " |")
    return "\n".join(out)


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", default=str(ROOT / "build" / "release"), help="where bin/goldyc and bin/goldy-cpu-runner are")
    p.add_argument("--goldyc", help="another goldyc for ours")
    p.add_argument("--runner", help="another goldy-cpu-runner")
    p.add_argument("--source", type=pathlib.Path, default=HERE / "kernels.goldy", help="another kernels.goldy")
    p.add_argument("--against", metavar="GOLDYC", help="a second goldyc, whose line is called before")
    p.add_argument("--kernels", help="rows whose name or kernel is one of these, by commas")
    p.add_argument("--peers", help="implementations beside ours, by commas")
    p.add_argument("--rounds", type=int, default=31)
    p.add_argument("--threads", default="1,2")
    p.add_argument("--arch", default="", help="x86-64-v2, -v3 or -v4: ours and the native references for that level")
    p.add_argument("--cache", type=int, metavar="MIB", help="take this for the size of the last-level cache")
    p.add_argument("--cpus", help="CPUs to run on, by commas")
    p.add_argument("--python", help="a Python with iree-base-compiler, iree-base-runtime, scipy-openblas32, numpy; else that of build/peers")
    p.add_argument("--openblas", help="an OpenBLAS library")
    p.add_argument("--ispc", default=os.environ.get("ISPC"), help="ISPC's compiler")
    p.add_argument("--cxx", default=os.environ.get("CXX", "clang++-19"))
    p.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "bench-cpu", help="where built references go")
    p.add_argument("--prebuilt", action="store_true", help="compile nothing: all is in --out")
    p.add_argument("--json", help="write every figure there")
    opt = p.parse_args()
    own = ROOT / "build" / "peers" / "bin" / "python"
    opt.python = opt.python or (str(own) if own.exists() else None)
    opt.goldyc = opt.goldyc or f"{opt.build}/bin/goldyc"
    opt.runner = opt.runner or f"{opt.build}/bin/goldy-cpu-runner"
    opt.out = opt.out.resolve()
    opt.out.mkdir(parents=True, exist_ok=True)
    return opt


def inside(opt, said):
    """What runs in one process: name to file."""
    found = {"ours": build_ours(opt, "ours", opt.goldyc)}
    if opt.against:
        found["before"] = build_ours(opt, "before", opt.against)
    for name in [n for n in INSIDE if wanted(opt, n)]:
        try:
            found[name] = library(opt, name)
            if name == "openblas":
                said[name] = openblas_version(os.environ["GOLDY_OPENBLAS"])
        except Missing as why:
            leave_out(name, why, said)
    return found


def judge(row, checks, reference):
    """Complains about results that are too far from the reference's. Contraction moves escape counts: no count is compared."""
    for name, c in checks.items():
        r = checks[reference]
        off = float(c["off"]) if "off" in c else abs(c["weighted"] - r["weighted"]) / r["scale"]
        if not off < 2e-3 and not ("mandel" in row and abs(c["weighted"] - r["weighted"]) < 1e-3 * r["scale"]) \
                and not (name == "iree" and "dispatch" in row):
            print(f"{row}: {name} differs from {reference}: {c} {r}", file=sys.stderr)


def main():
    opt = options()
    said = {}
    natives = inside(opt, said)
    chosen = [r for r in rows(opt.cache << 20 if opt.cache else last_level_cache()) if not opt.kernels or {r[0], r[1]} & set(opt.kernels.split(","))]
    everything = []
    for threads in [int(t) for t in opt.threads.split(",")]:
        results, names = [], []
        for row, kernel, size in chosen:
            seen, checks = measure(opt, kernel, size, threads, natives, said)
            judge(row, checks, "vec-strict" if "vec-strict" in checks else next(iter(checks)))
            results.append((row, seen))
            names += [n for n in seen if n not in names]
            everything.append({"row": row, "kernel": kernel, "n": size, "threads": threads, "seconds": seen, "checks": checks})
        order = ["ours", "before", *INSIDE, *OUTSIDE]
        print(table(opt, threads, results, sorted(names, key=order.index)), flush=True)
        print()
    for name, what in said.items():
        print(f"{name}: {what}  ")
    if opt.json:
        pathlib.Path(opt.json).write_text(json.dumps({"versions": said, "rows": everything}))


if __name__ == "__main__":
    try:
        main()
    except Missing as why:
        sys.exit(f"table.py: {why}")
