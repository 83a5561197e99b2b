#!/usr/bin/env python3
"""Instructions that goldyc runs for each kernel of the CPU suite, host target, counted by callgrind.

  utils/goldy bench compile --instructions [--against GOLDYC] [--kernels a,b] [--build DIR]

Each kernel is compiled alone, with the functions that it calls; what starting costs is in every figure, and stands alone in
the first row. The figures do not depend on the machine's load.
"""
import argparse
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def pieces(source):
    """Name to source of each kernel alone."""
    items = re.split(r"\n\n(?=///|#\[|fn )", source)
    kernel = re.compile(r"#\[goldy::compute.*\nfn (\w+)")
    common = [i for i in items if not kernel.search(i)]
    return {kernel.search(i)[1]: "\n\n".join(common + [i]) for i in items if kernel.search(i)}


def instructions(goldyc, arguments):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", goldyc, *arguments],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{goldyc} {' '.join(arguments)} failed: {done.stderr[-500:]}")
    return int(found[1])


def stripped(program, to):
    """A copy without debug information, whose newer forms valgrind cannot read."""
    subprocess.run(["strip", "-o", to, program], check=True)
    return to


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--instructions", action="store_true", help=argparse.SUPPRESS)  # how bench/compile/run came here
    p.add_argument("--build", default=str(ROOT / "build" / "release"))
    p.add_argument("--goldyc", help="another goldyc than that of --build")
    p.add_argument("--against", metavar="GOLDYC", help="a goldyc to compare with")
    p.add_argument("--source", type=pathlib.Path, default=ROOT / "bench" / "cpu" / "kernels.goldy")
    p.add_argument("--kernels", help="only these, by commas")
    opt = p.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not here")
    named = [opt.goldyc or f"{opt.build}/bin/goldyc"] + ([opt.against] if opt.against else [])
    wanted = set(opt.kernels.split(",")) if opt.kernels else None
    print("| kernel | million instructions |" + (" before | ratio |" if opt.against else ""))
    print("|---|---|" + ("---|---|" if opt.against else ""))
    ratios = []

    def row(name, arguments):
        counts = [instructions(c, arguments) for c in compilers]
        cells = [f"{c / 1e6:.1f}" for c in counts]
        if opt.against:
            cells.append(f"{counts[0] / counts[1]:.3f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        return counts

    totals = [0] * len(named)
    with tempfile.TemporaryDirectory() as t:
        compilers = [stripped(c, f"{t}/goldyc{i}") for i, c in enumerate(named)]
        row("(start)", ["--version"])
        for name, text in pieces(opt.source.read_text()).items():
            if wanted and name not in wanted:
                continue
            alone = pathlib.Path(t) / f"{name}.goldy"
            alone.write_text(text)
            counts = row(name, [str(alone), "--target=host", "-j", "1", "-o", f"{t}/out.gdy"])
            totals = [a + b for a, b in zip(totals, counts)]
            ratios += [counts[0] / counts[1]] if opt.against else []
    sums = " | ".join(f"{c / 1e6:.1f}" for c in totals)
    print(f"| all | {sums} |" + (f" {totals[0] / totals[1]:.3f} |" if opt.against else ""))
    if ratios:
        print(f"\ngeometric mean of the ratios {statistics.geometric_mean(ratios):.3f}, worst {max(ratios):.3f}")


if __name__ == "__main__":
    main()
