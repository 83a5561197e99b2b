#!/usr/bin/env python3
"""Runs the acceptance cases and holds the result against the list of expected failures.

  accept.py RUN.PY --build DIR [run.py options, such as --device=vulkan]

test/accept-expected-failures.txt names, a line each, the cases whose feature comes with a later issue. A failure that is
not listed fails, and so does a listed case that passes. `NAME @vulkan` names a case that is expected to fail on that device
alone.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "test" / "accept-expected-failures.txt"


def listed(device):
    """Names of the cases that are expected to fail on `device`."""
    names = set()
    for line in LIST.read_text("utf-8").splitlines():
        name, _, only = line.split("#")[0].strip().partition(" @")
        if name and only in ("", device):
            names.add(name.strip())
    return names


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("runner")
    p.add_argument("--build", required=True)
    p.add_argument("--device", default="cpu")
    opt, rest = p.parse_known_args()
    tools = pathlib.Path(opt.build).resolve() / "bin"
    cmd = [sys.executable, opt.runner, "--goldyc", str(tools / "goldyc"), "--goldyrun", str(tools / "goldyrun"),
           f"--device={opt.device}", *rest]
    run = subprocess.run(cmd, capture_output=True, text=True)
    total = re.search(r"^(\d+) passed, (\d+) failed$", run.stdout, re.M)
    if not total or int(total[1]) + int(total[2]) == 0:
        sys.stderr.write(run.stdout + run.stderr)
        print("accept: the runner did not finish")
        return 1
    why = dict(re.findall(r"^FAIL (\S+?)(?: \[assumes [^\]]*\])?: (.*)$", run.stdout, re.M))
    expected = listed(opt.device)
    if rest:  # a filtered run says nothing about the cases that it left out
        expected &= set(why)
    bad = 0
    for name in sorted(set(why) - expected):
        bad += 1
        print(f"FAIL {name}: {why[name]}")
    for name in sorted(expected - set(why)):
        bad += 1
        print(f"UNEXPECTED PASS {name}: take it off {LIST.relative_to(ROOT)}")
    print(f"accept: {total[1]} passed, {len(expected & set(why))} expected failures, {bad} unexpected results")
    counts = pathlib.Path(opt.build) / "test-counts"
    counts.mkdir(exist_ok=True)
    (counts / f"accept-{opt.device}").write_text(total[1] + "\n")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
