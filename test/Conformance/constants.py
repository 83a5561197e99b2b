"""Kernels of constants: every operation and every choice over all pairs of the values that compilers like to know.

What a driver knows when it compiles it folds, and some fold by value where the language has bits (-0.0 passes for 0.0). The
kernels are written here because they are long and regular.
"""
import itertools

import numpy as np

BITS = [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0x3F000000, 0x00000001, 0x7F800000, 0x7FC00000, 0x7F7FFFFF]
NAMES = ["0.0f32", "(-0.0f32)", "1.0f32", "(-1.0f32)", "2.0f32", "0.5f32", "f32::from_bits(1u32)", "f32::INFINITY", "f32::NAN", "f32::MAX"]
# As scalar arguments of goldyrun; the subnormal by the shortest decimal that reads as it.
ARGUMENTS = ["0.0", "-0.0", "1.0", "-1.0", "2.0", "0.5", "1e-45", "inf", "nan", "3.4028234663852886e38"]
INPUTS = BITS + [0xFF800000, 0x80000001, 0x00800000, 0x80800000, 0x80400000, 0x3EAAAAAB, 0x7FABCDEF]
PAIRS = [(a, b) for a, b in itertools.product(NAMES, NAMES) if a != b]
HALF = list(itertools.combinations(NAMES, 2))  # where the order shows nothing new
UNARY = ["-K", "gpu::abs(K)", "gpu::sqrt(K)", "gpu::floor(K)", "gpu::ceil(K)", "gpu::trunc(K)", "gpu::round(K)", "gpu::round_even(K)", "gpu::sign(K)",
         "gpu::fract(K)", "(K as i32 as f32)", "(K as u32 as f32)"]
BINARY = ["a + K", "a - K", "K - a", "a * K", "a / K", "K / a", "a % K", "K % a", "gpu::min(a, K)", "gpu::max(a, K)", "gpu::min(K, a)", "gpu::max(K, a)",
          "gpu::copysign(a, K)", "gpu::copysign(K, a)", "gpu::fma(a, K, a)", "gpu::fma(a, a, K)", "gpu::fma(K, K, a)", "gpu::select(a < K, a, K)",
          "gpu::select(K < a, K, a)", "gpu::select(a == K, K, a)", "gpu::select(a == K, a, K)", "gpu::clamp(a, K, 1.0)", "gpu::clamp(a, 0.0, K)",
          "gpu::select(c, K, -K)", "gpu::select(c, a, K)", "gpu::step(K, a)", "gpu::mix(a, K, 0.0)"]
# Two constants that meet at run time only: what one arm makes with the other.
MIXED = ["gpu::min(K, L)", "gpu::max(L, K)", "K + L", "K - L", "K * L", "K / L", "gpu::fma(K, L, K)", "gpu::copysign(K, L)", "K % L"]
SIGNED = ["0i32", "1i32", "-1i32", "2i32"]


def kernel(name, lines, parameters="", before=""):
    body = "\n".join(f"        o[{row}u32 * n + i] = {line};" for row, line in enumerate(lines))
    return f"""#[goldy::compute(workgroup_size = [64, 1, 1])]
fn {name}(x: &[f32], o: &mut [f32]{parameters}) {{
    let i = gpu::global_id().x;
    let n = x.len();
    if i < n {{
        let a = x[i];
        let c = a > 0.25;
{before}{body}
    }}
}}
"""


def parts(name, lines, most=90):
    """Kernels of at most so many lines: those of many hundreds take long to compile."""
    count = -(-len(lines) // most)
    for n in range(count):
        yield f"{name}_{n}" if count > 1 else name, lines[n * most:(n + 1) * most]


def choices():
    yield "selects", [f"gpu::select(c, {a}, {b})" for a, b in PAIRS]
    yield "branches", [f"if c {{ {a} }} else {{ {b} }}" for a, b in PAIRS]
    yield "matches", [f"match i % 3 {{ 0 => {a}, 1 => {b}, _ => {a} }}" for a, b in PAIRS]
    yield "words", [f"f32::from_bits(gpu::select(c, ({a}).to_bits(), ({b}).to_bits()))" for a, b in PAIRS]
    yield "stored", [f"{{ let mut v = {a}; let mut k = 0u32; while k < 2 {{ if a > (k as f32) {{ v = {b}; }} k += 1; }} v }}" for a, b in PAIRS]
    yield "arrays", [f"[{a}, {b}][gpu::select(c, 1u32, 0u32)]" for a, b in PAIRS]
    longs = ["0u64", "0x8000000000000000u64", "0x3ff0000000000000u64", "0xbff0000000000000u64"]
    yield "longs", [f"f32::from_bits((gpu::select(c, {a}, {b}) >> 32) as u32)" for a, b in itertools.permutations(longs, 2)]


def operations():
    yield "unary", [u.replace("K", f"gpu::select(c, {a}, {b})") for a, b in HALF for u in UNARY]
    yield "binary", [e.replace("K", k) for k in NAMES for e in BINARY]
    yield "folded", [e.replace("K", a).replace("L", b) for a, b in PAIRS for e in MIXED]
    yield "derived", [f"gpu::select(c, {a}, {b}) {op} {k}" for a, b in HALF for op in "+*/" for k in NAMES[:4]]
    yield "integers", [f"gpu::select(c, {a}, {b}) as f32 {t}" for a, b in itertools.permutations(SIGNED, 2) for t in ("", "* -1.0", "+ 0.0", "* 0.0")] + \
        ["-(c as i32 as f32)", "(-(c as i32)) as f32", "0.0 - (c as u32 as f32)", "(c as u32 as f32) * a", "gpu::abs(-(c as i32 as f32))"]


def known():
    """`K` is a scalar of the launch, or a specialisation constant."""
    lines = [e for e in BINARY] + UNARY + [f"gpu::select(c, K, {b})" for b in NAMES] + [f"gpu::select(c, {b}, K)" for b in NAMES]
    return lines + [e.replace("L", b) for b in NAMES for e in MIXED]


def write(folder):
    """The kernel files, in a folder of the caller's."""
    out = {}
    for file, kernels in (("constant_choices", choices()), ("constant_operations", operations())):
        out[file] = "".join(kernel(*part) for whole in kernels for part in parts(*whole))
    out["constant_scalars"] = kernel("scalars", known(), ", K: f32")
    out["constant_specs"] = "#[goldy::spec]\nconst K: f32 = -0.0;\n" + kernel("specs", known())
    for file, text in out.items():
        (folder / f"{file}.goldy").write_text(f"#![allow(non_snake_case)]\nuse goldy::gpu;\n\n{text}")
    return [folder / f"{file}.goldy" for file in out]


SPECS = [{"K": value} for value in ARGUMENTS[::2]]


def cases():
    x = np.array(INPUTS, np.uint32).view(np.float32)

    def case(file, name, lines, **more):
        return file, name, {"x": x, "o": np.zeros(len(lines) * len(x), np.float32), **more}, ["--over", len(x)], ["o"]

    for file, kernels in (("constant_choices", choices()), ("constant_operations", operations())):
        for whole in kernels:
            for name, lines in parts(*whole):
                yield case(file, name, lines)
    for value in ARGUMENTS:
        yield case("constant_scalars", "scalars", known(), K=value)
    yield case("constant_specs", "specs", known())
