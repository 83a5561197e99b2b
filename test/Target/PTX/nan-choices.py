"""Machine code has no FMNMX.NAN, which gives one NaN for all, where a NaN that a program gave may be chosen.

nan-choices.py GOLDYC PTXAS CUOBJDUMP FOLDER: the kernels of constants of the conformance corpus, and every form of choice by order between
a loaded value and a constant in which a NaN leads to the value. FMNMX.NAN of numbers is right, so the corpus goes without its clamps.
"""
import pathlib
import re
import subprocess
import sys

goldyc, ptxas, cuobjdump, folder = sys.argv[1:]
folder = pathlib.Path(folder)
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Conformance"))
import constants  # noqa: E402

CONDITIONS = ["K < a", "a > K", "a < K", "K >= a", "a <= K", "a >= K"]
CHOICES = ["gpu::select(C, K, a)", "gpu::select(!(C), a, K)", "if C { K } else { a }", "if !(C) { a } else { K }",
           "{ let mut v = a; if C { v = K; } v }", "{ let mut v = K; if !(C) { v = a; } v }",
           "f32::from_bits(gpu::select(C, (K).to_bits(), a.to_bits()))", "f32::from_bits(if !(C) { a.to_bits() } else { (K).to_bits() })",
           "-gpu::select(C, K, a)", "gpu::abs(gpu::select(C, K, a))", "gpu::select(a == 3.0, a * 2.0, gpu::select(C, K, a))"]


def forms():
    for index, constant in enumerate(constants.NAMES):
        lines = [choice.replace("C", condition).replace("K", constant) for choice in CHOICES for condition in CONDITIONS]
        yield constants.kernel(f"forms_{index}", lines)


def machine_code(source, kernel, level):
    ptx, cubin = folder / f"{kernel}.ptx", folder / f"{kernel}.cubin"
    subprocess.run([goldyc, str(source), f"--kernel={kernel}", "--target=ptx-sm_90a", "--emit=ptx", f"-O{level}", "-o", str(ptx)], check=True)
    subprocess.run([ptxas, "-arch=sm_90a", str(ptx), "-o", str(cubin)], check=True)
    return subprocess.run([cuobjdump, "-sass", str(cubin)], check=True, capture_output=True, text=True).stdout


def check(source, levels):
    wrong = 0
    for kernel in re.findall(r"^fn (\w+)\(", source.read_text(), re.M):
        for level in levels:
            found = len(re.findall(r"FMNMX\S*\.NAN", machine_code(source, kernel, level)))
            print(f"{kernel} -O{level}: {found}")
            wrong += found
    return wrong


folder.mkdir(parents=True, exist_ok=True)
constants.write(folder)
for path in folder.glob("constant_*.goldy"):
    kept = [line for line in path.read_text().splitlines() if "gpu::clamp(" not in line]
    path.write_text("\n".join(kept) + "\n")
own = folder / "forms.goldy"
own.write_text("use goldy::gpu;\n" + "".join(forms()))
bad = check(own, [0, 2]) + sum(check(path, [2]) for path in sorted(folder.glob("constant_*.goldy")))
print("wrong:", bad)
sys.exit(bad != 0)
