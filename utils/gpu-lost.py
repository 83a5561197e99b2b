#!/usr/bin/env python3
"""A kernel that writes where no memory is loses the CUDA device: goldyrun says so, with the call's name, and ends by itself.

  gpu-lost.py --build DIR

Afterwards the device opens again, and a right kernel gives the right values.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

WILD = """use goldy::gpu;

#[goldy::compute(workgroup_size = [32, 1, 1])]
fn wild(y: &mut [u32], at: u32) {
    y[gpu::global_id().x + at] = 1u32;
}
"""


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", required=True)
    tools = pathlib.Path(p.parse_args().build).resolve() / "bin"

    def run(*cmd):
        return subprocess.run([str(c) for c in cmd], capture_output=True, text=True, timeout=120)

    with tempfile.TemporaryDirectory() as t:
        source, file = pathlib.Path(t) / "wild.goldy", pathlib.Path(t) / "wild.gdy"
        source.write_text(WILD, "utf-8")
        made = run(tools / "goldyc", source, "--target=ptx", "--bounds=unchecked", "-o", file)
        if made.returncode:
            sys.exit(f"goldyc: {made.stderr}")
        lost = run(tools / "goldyrun", file, "y=u32[32]=0", "at=4000000000", "--over=32", "--device=cuda")
        print(f"exit {lost.returncode}: {lost.stderr.strip()}")
        if lost.returncode not in (1, 3) or "illegal address" not in lost.stderr or "cu" not in lost.stderr:
            sys.exit("the device was not lost with a message")
        good = run(tools / "goldyrun", file, "y=u32[32]=0", "at=0", "--over=32", "--device=cuda", "--expect", "y=u32[32]=1")
        if good.returncode:
            sys.exit(f"afterwards: exit {good.returncode}: {good.stderr}")
    print("afterwards the device works")
    return 0


if __name__ == "__main__":
    sys.exit(main())
