#!/usr/bin/env python3
"""The interpreter against compiled code: the same bits for every kernel, size and level that this machine can run.

  run.py --build DIR [--devices cpu,vulkan,vulkan1.1,cuda,slang | sanitized] [--filter RE] [--jobs N] [--quick] [--validated] [--items]
         [--only kernels|programs] [--frames N [--random N] [--seed N]] [--flags "-O3 --bounds=unchecked"]

Each kernel of kernels/ is compiled once for what the devices take, such as x86-64-v1 … v4 and vulkan1.3, run by goldy-interp from its retained definition
and by goldyrun at every level of this machine with 1 and with 2 threads, at the best with 3 too, on the Vulkan device, which gets the small sizes, and on
the CUDA device, for sm_90a too where it has that.
`vulkan1.1` is the Vulkan device used as one of Vulkan 1.1, with images of that arch. With --validated, Vulkan's runs are under the
Khronos validation layer with synchronisation validation, and any message is a failure.
`slang` is the Vulkan device with what Slang's compiler made of the kernels (--via=slang).
Each program of programs/ is compiled unfused, fused and with -O0; goldy-interp runs its source. Some are refused at a step: by all.
`sanitized`, which stands alone, is the CPU with what --sanitize made: the same bits, and no finding.
Inputs are made here, deterministically. A level that the machine lacks is named and skipped; v1 and v2 must have run. So is a
Vulkan or CUDA device, unless GOLDY_REQUIRE_VULKAN or GOLDY_REQUIRE_CUDA is set, and Slang's library, unless GOLDY_REQUIRE_SLANG is set.
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import constants
import programs
import random_programs

HERE = pathlib.Path(__file__).resolve().parent
LEVELS = ["x86-64-v1", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
THREADS = (1, 2)
MORE_THREADS = (3,)  # at the best level
# Files compiled more than once: what the flags give must be equal too.
VARIANTS = {"bounds": ("-O0", "-O3"), "matmul": ("-O0", "-O3", "--bounds=unchecked")}
SIZES = [0, 1, 255, 256, 257, 1000003]
# Files whose kernels stay in range, and so are watched for bounds too; most others go beyond on purpose.
IN_RANGE = {"collatz", "copies", "elements", "few_items", "float_ops", "float_sums", "grid_ids", "group_size", "histogram", "integer_ops", "math", "matmul", "saxpy",
            "transpose", "tree_sizes", "tree_sum"}
VULKAN_SIZES = [0, 1, 255, 257]  # software devices are slow
SLANG_SIZES = [1, 257]
# Kernel files that Slang's compiler cannot have yet, and why: goldyc must refuse them in these words.
SLANG_CANNOT = {}
# With the device's own exact operations, and with sequences for all of them.
VULKAN_WAYS = [("vulkan", {}), ("vulkan.sequences", {"GOLDY_DEVICE_SWITCHES": "none"})]
OLD_VULKAN = ("vulkan1.1", {"GOLDY_VULKAN_VERSION": "1.1"})
VALIDATION = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation", "VK_LOADER_DEBUG": "layer",
              "VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"}
FLOAT_EDGES = [0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00800001,
               0x00400000, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3F800001, 0x3F7FFFFF, 0x40000000, 0x3FC00000,
               0x40200000, 0xC0200000, 0x3EFFFFFF, 0x4B000000, 0x4B000001, 0x4AFFFFFF, 0x4B7FFFFF, 0x4B800001, 0x4EFFFFFF,
               0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
               0xFFC00000, 0x7F800001, 0x7FABCDEF, 0xFF812345, 0x1F800000, 0x20000000, 0x1FFFFFFF, 0x00FFFFFF, 0x40490FDB,
               0x7E800000, 0x01000000, 0x80C00000, 0x0DA24260, 0x33800000]
INT_EDGES = [0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFFE,
             0xFFFFFFE0, 0x12345678, 0xDEADBEEF, 0x0000FFFF, 0x00010000]


def uniform(n, seed):
    bits = np.random.default_rng(seed).integers(0, 1 << 24, n, dtype=np.uint32)
    return (bits.astype(np.float32) / np.float32(1 << 23) - np.float32(1)).astype(np.float32)


def words(n, seed):
    return np.random.default_rng(seed).integers(0, 1 << 32, n, dtype=np.uint32)


def pairs(edges, extra_seed):
    a = np.array(list(itertools.product(edges, edges)), np.uint32)
    return np.concatenate([a, words(4096, extra_seed).reshape(-1, 2)])


WIDE_EDGES = [0, 1, 2, 3, 5, 31, 32, 33, 62, 63, 64, 65, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 0x100000001, 0x1FFFFFFFF,
              0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFF00000000,
              0xFFFFFFFF00000001, 0x123456789ABCDEF0, 0xFEDCBA9876543210, 0x0000FFFF0000FFFF, 10000000000, 0xFFFFFFFF80000000]


def wide_words(n, seed):
    return np.random.default_rng(seed).integers(0, 1 << 64, n, dtype=np.uint64)


def wide_pairs():
    a = np.array(list(itertools.product(WIDE_EDGES, WIDE_EDGES)), np.uint64)
    r = wide_words(4096, 36).reshape(-1, 2)
    r[:, 1] >>= np.arange(len(r), dtype=np.uint64) % np.uint64(64)  # divisors of all sizes
    return np.concatenate([a, r, r[:, ::-1]])


def halfway():
    """Integers at, just below and just above the middle of two neighbouring f32, of both parities and signs."""
    exponents = np.arange(24, 64, dtype=np.uint64)
    top = np.uint64(1) << exponents
    half = np.uint64(1) << (exponents - np.uint64(24))
    near = [top + half * np.uint64(k) + np.uint64(d) for k in (0, 1, 2, 3) for d in (0, 1)] + [top - np.uint64(1), top + half - np.uint64(1)]
    all_of = np.concatenate(near)
    return np.concatenate([all_of, np.uint64(0) - all_of])


def ceil_div(a, b):
    return -(-a // b)


# Values of the specialisation constants of a file, other than their defaults.
SPECS = {"constant_specs": constants.SPECS}
SPECS["spec_constants"] = [{"COUNT": 0, "STEP": 2147483647, "SCALE": "-inf", "SMALL": "-1e-40", "TWICE": "true"},
                           {"COUNT": 9, "STEP": -2147483648, "SCALE": "3e-39", "SMALL": "1e-38", "TWICE": "false"},
                           {"COUNT": 1, "SCALE": "nan", "SMALL": "0"}]


# Each case: kernel file, kernel, inputs by size, grid, outputs.
def sized_cases(n):
    poison = np.uint32(0xCDCDCDCD)
    side = 1 if n <= 1 else (int(n ** 0.5) if n > 300 else 16)
    rows, cols = (0, 0) if n == 0 else (ceil_div(n, side), side)
    yield "saxpy", "saxpy", {"x": uniform(n, 1), "y": uniform(n, 2), "a": 2.5}, ["--over", n], ["y"]
    yield "transpose", "transpose", {"x": uniform(rows * cols, 3), "y": np.full(rows * cols, poison).view(np.float32), "rows": rows, "cols": cols}, \
        ["--over", cols, rows], ["y"]
    yield "tree_sum", "tree_sum", {"x": uniform(n, 4), "partial": np.full(ceil_div(n, 256), poison).view(np.float32)}, ["--over", n], ["partial"]
    few = max(n, 1)
    yield "few_items", "halves", {"x": uniform(n, 14), "o": np.full(n, poison).view(np.float32)}, ["--over", n], ["o"]
    for kernel, size in (("odd", 96), ("rows_of_few", 256), ("left_in_the_middle", 64)):
        groups = ceil_div(min(few, 10007), size)
        sizes = {"n": 3} if kernel == "left_in_the_middle" else {}
        data = words(groups * size, 15)
        yield "few_items", kernel, {"x": data.view(np.int32) if kernel == "rows_of_few" else data,
                                    "o": np.full(groups * size, poison).view(np.int32 if kernel == "rows_of_few" else np.uint32), **sizes}, \
            ["--groups", groups], ["o"]
    yield "histogram", "histogram", {"x": words(n, 5), "bins": np.zeros(64, np.uint32)}, ["--over", n], ["bins"]
    particle = np.dtype([("mass", "<f4"), ("position", "<f4", (3,)), ("flags", "<u4"),
                         ("inner", [("lo", "<u4"), ("pair", "<f4", (2,))]), ("alive", "<u4"), ("charge", "<i4")])
    m = min(n, 100003)
    yield "struct_readback", "struct_readback", {"p": words(m * particle.itemsize // 4, 6).view(particle), "o": np.full(m * 10, poison)}, ["--over", m], ["o"]
    yield "collatz", "collatz", {"x": words(n, 7), "o": np.full(n, poison)}, ["--over", n], ["o"]
    k = min(n, 20011)
    solid = np.dtype([("quad", "<f4", (4,)), ("inner", [("pair", "<f4", (2,)), ("v", "<i4", (3,))]), ("w", "<u4", (4,))])
    yield "vectors", "vectors", {"x": words(k, 25), "f": np.concatenate([uniform(k, 26), pairs(FLOAT_EDGES, 27)[:, 0].copy().view(np.float32)[:64]]),
                                 "b": np.frombuffer(uniform(13 * k, 28).tobytes(), solid), "o": np.full(k, poison)}, ["--over", k], ["b", "o"]
    block = np.dtype([("scale", "<f4"), ("shift", "<f4", (3,)), ("on", "<u4"), ("inner", [("lo", "<u4"), ("pair", "<f4", (2,))]), ("taps", "<i4", (5,))])
    yield "blocks", "blocks", {"p": words(13, 20 + n % 7).view(block), "v": words(3, 21).view(np.int32), "f": words(1, 22) % 2, "x": words(k, 23),
                               "o": np.full(k, poison)}, ["--over", k], ["o"]
    wide, high = (0, 5) if n == 0 else (min(n, 300), 1 + n % 61)
    for kernel in "picture", "backdrop":
        yield "blocks", kernel, {"x": words(4096, 24), "img": np.full((high, wide, 4), poison).view(np.float32)}, ["--over", wide + 9, high + 3], ["img"]
    yield "tables", "tables", {"x": words(k, 19) >> np.uint32(k % 30), "o": np.full(k, poison), "n": k % 5}, ["--over", k], ["o"]
    yield "control_flow", "control_flow", {"x": words(k, 8), "o": np.full(k, poison)}, ["--over", k], ["o"]
    body = np.dtype([("v", "<f4", (3,)), ("inner", [("m", "<f4", (3,)), ("n", "<u4")]), ("tail", "<u4", (5,)), ("on", "<u4")])
    h = ceil_div(min(n, 10007), 40) * 40
    state = np.zeros(h, body)
    state["v"], state["inner"]["m"] = uniform(3 * h, 12).reshape(h, 3), uniform(3 * h, 13).reshape(h, 3)
    state["inner"]["n"], state["tail"], state["on"] = words(h, 14), words(5 * h, 15).reshape(h, 5), words(h, 16) % 3
    yield "aggregates", "aggregates", {"x": words(h, 17), "b": state, "f": np.full(4 * h, poison).view(np.float32), "o": np.full(h, poison),
                                       "flags": words(h, 18) % 2, "up": "true" if h % 80 else "false"}, ["--over", h], ["b", "f", "o", "flags"]
    yield "float_atomics", "float_histogram", {"x": words(k, 26), "bins": np.zeros(24, np.float32)}, ["--over", k], ["bins"]
    yield "atomics", "counts", {"x": words(k, 30) >> np.uint32(k % 9), "o": np.zeros(33, np.uint32), "total": np.zeros(6, np.int32), "per": 1 + k % 4}, ["--over", k], ["o", "total"]
    for w, h in {(side, ceil_div(k, side)), (97, 5), (16, 16), (3, 2)}:
        yield "versions", "stencil", {"x": uniform(w * h, 31), "z": np.full(w * h, poison).view(np.float32), "w": w, "h": h}, ["--over", w + n % 3, h + 1], ["z"]
        yield "versions", "square", {"x": uniform(w * h, 33), "z": np.full(w * h, poison).view(np.float32), "w": w, "h": h}, ["--over", w + n % 3, h + 1], ["z"]
    for w, start, end, far in ((k, 0, 7, 5), (k // 2, 2, 4, -9), (2**32 - 2, 2**32 - 40, 2**32 - 30, 2**31 - 3), (40, 5, 5, -2**31)):
        yield "versions", "ways", {"x": words(k, 32), "o": np.full(k, poison), "w": w, "from": start, "to": end, "far": far}, ["--over", k], ["o"]
    pair, point = np.dtype([("a", "<f4"), ("b", "<u4")]), np.dtype([(c, "<f4") for c in "xyzw"])
    for short in (0, 1, 7) if k > 7 else ():
        points, shorts = uniform(4 * (k - short), 34).view(point), words(2 * k, 35) >> np.uint32(12)
        yield "strides", "apart", {"p": (words(2 * k, 36) >> np.uint32(3)).view(pair), "q": points, "x": shorts, "o": np.full(k, poison).view(np.float32), "n": k + short}, ["--over", k], ["o"]
        yield "strides", "reversed", {"x": shorts, "o": np.full(k, poison), "b": np.full(k - short, 3, np.int32), "n": k - short}, ["--over", k], ["o", "b"]
    m = min(n, 257)
    yield "spec_constants", "specialised", {"x": uniform(m, 27), "y": np.full(3 * m, poison).view(np.float32), "n": 17}, ["--over", m], ["y"]
    groups = ceil_div(min(n, 10007), 64)
    yield "collectives", "reductions", {"x": uniform(n, 20), "u": words(n, 21), "i": words(n, 22).view(np.int32), "f": np.full(4 * groups, poison).view(np.float32),
                                        "o": np.full(8 * groups, poison)}, ["--groups", groups], ["f", "o"]
    for width, count in ((7, 7), (32, 32), (100, 90)) if n in (1, 257) else ():
        rows = uniform(width * (1 + n // 8), 28) * 9
        rows[:width] = -np.inf
        rows[width:2 * width:3], rows[2 * width + 1:2 * width + 2], rows[3 * width + 2:3 * width + 3] = -np.inf, np.inf, np.nan
        yield "collectives", "softmax_rows", {"x": rows[:len(rows) - width // 3].copy(), "width": width, "count": count}, ["--groups", 1 + n // 8], ["x"]
    yield "collectives", "one_item", {"x": words(min(n, 300), 23).view(np.float32), "y": np.full(3 * min(n, 300), poison).view(np.float32)}, ["--groups", min(n, 300)], ["y"]
    yield "collectives", "widest", {"x": uniform(n, 24), "y": np.full(min(n, 2048), poison).view(np.float32)}, ["--groups", ceil_div(min(n, 2048), 1024)], ["y"]
    yield "collectives", "uniform", {"x": words(n, 25), "o": np.full(groups * 64, poison), "n": 9}, ["--groups", groups], ["o"]
    yield from row_cases(min(n, 300))
    yield from warp_cases(min(n, 3000))
    yield from interleaved_cases(n)
    yield from whole_rows_cases(n)
    if n:
        yield "control_flow", "regions", {"x": words(k, 9), "o": np.full(k, poison), "n": 5}, ["--groups", ceil_div(k, 72)], ["o"]


def row_cases(n):
    """One view for several parameters, and one for each; rows cut off and whole."""
    rows = ceil_div(n, 64)
    x, y = uniform(512 * rows, 60 + n), np.full(512 * rows, 0xCDCDCDCD, np.uint32)
    if n % 2:
        x, y = x[:len(x) - 100], y[:len(y) - 70]
    apart = y.view(np.float32)
    for g, to in ((uniform(512, 61), apart), (uniform(512, 61), "&x"), (uniform(300, 62), apart), ("&x", apart)):
        yield "rows", "normed", {"x": x, "g": g, "y": to}, ["--groups", rows], ["y"]
    yield "rows", "normed", {"x": x[:512], "g": uniform(512, 63), "y": "&g"}, ["--groups", min(rows, 1)], ["y"]
    for to in (apart, "&x"):
        yield "rows", "softmax", {"x": x * 9, "y": to}, ["--groups", rows], ["y"]
    for kernel, size in (("phases", 64), ("running", 576)):
        for to in (np.full(rows * size, 0xCDCDCDCD, np.uint32), "&x"):
            yield "rows", kernel, {"x": words(rows * size - n % 3, 64), "y": to}, ["--groups", rows], ["y"]


def warp_cases(n):
    """Groups of one warp: as many as fill blocks of eight, and not."""
    groups = ceil_div(n, 32)
    yield "rows", "warps", {"x": words(128 * groups, 67), "y": words(128 * groups, 68)}, ["--groups", f"{groups},2"], ["y"]
    for to in (np.zeros(64 * groups, np.float32), "&x"):
        yield "rows", "warp_softmax", {"x": uniform(64 * groups, 69) * 9, "y": to, "n": max(groups - 1, 1)}, ["--groups", groups], ["y"]


def whole_rows_cases(n):
    """Rows that are as long as a vector of many registers, shorter, and divided in its last quarter."""
    for cols, m in ((n, 7), (256, 411), (1000, 130), (1024, 3)) if 0 < n <= 1025 else ():
        full = np.full(3 * cols + 2048, 0xCDCDCDCD, np.uint32)
        for kernel in ("inplace", "guarded", "even", "handed", "first_of", "two_trees", "written_on"):
            groups = np.zeros(3 * (512 if kernel == "guarded" else 256), np.uint32)
            arrays = {"x": words(3 * cols + 2048, 96 + m), "y": full, "o": groups, "n": cols, "m": m}
            yield "whole_rows", kernel, arrays, ["--groups", 3], ["y", "o"]
    for trips in range(10) if n == 256 else ():
        arrays = {"x": words(1024, 97), "y": np.zeros(768, np.uint32), "o": np.zeros(768, np.uint32), "n": trips, "m": trips // 2}
        yield "whole_rows", "levels", arrays, ["--groups", 3], ["y", "o"]


def interleaved_cases(n):
    """Rows that divide into vectors of several registers, and rows that do not; lanes absent behind a barrier."""
    for cols in (n, 1024, 1000, 63) if 0 < n <= 1024 else ():
        x = uniform(3 * cols, 90)
        x[::17], x[5::23] = np.float32(np.nan), np.float32(-np.inf)
        yield "interleaved", "strips", {"x": x[:len(x) - n % 2], "y": poison_floats(3 * cols), "cols": cols}, ["--groups", 3], ["y"]
    if n <= 5000:
        yield "interleaved", "columns", {"x": uniform(7 * n + 3, 91), "y": poison_floats(n), "rows": 7}, ["--over", n], ["y"]
        yield "interleaved", "orbits", {"x": uniform(n, 92) * 2, "y": np.full(n, 0xCDCDCDCD, np.uint32), "most": 50}, ["--groups", 1 + ceil_div(n, 256)], ["y"]
        for most in (0, 1, 40):
            yield "interleaved", "leaving", {"x": words(n, 94 + most), "y": np.full(n, 0xCDCDCDCD, np.uint32), "most": most}, ["--over", n], ["y"]
        yield "interleaved", "crossing", {"x": words(n + 9, 93), "y": np.full(n, 0xCDCDCDCD, np.uint32), "n": n * 2 // 3}, ["--over", n], ["y"]


def quotient_cases():
    """Every edge by every edge, and random bits."""
    edges = np.array(FLOAT_EDGES, np.uint32)
    row = np.resize(edges, ceil_div(len(edges), 8) * 8)
    x = np.concatenate([np.tile(row, len(edges)), words(4096, 65)]).view(np.float32)
    y = np.concatenate([np.repeat(edges, len(row) // 8), words(512, 66)]).view(np.float32)
    yield "rows", "quotients", {"x": x, "y": y, "o": np.zeros(len(x), np.float32)}, ["--over", len(y)], ["o"]


def bounds_cases():
    """Offsets, strides and counts that wrap, are zero or lie beyond every length."""
    poison = np.full(300, 0xCDCDCDCD, np.uint32)
    flags = itertools.cycle(("", "-O0", "-O3"))
    for off, stride, n in ((0, 1, 9), (3, 2, 64), (0xFFFFFFF0, 1, 40), (0x80000000, 0x80000000, 5), (5, 0xFFFFFFFF, 300), (0, 0, 0), (0xFFFFFFFF, 3, 0xFFFFFFFF)):
        yield "bounds" + next(flags), "offsets", {"x": words(300, 40), "o": poison, "off": off, "stride": stride, "n": n}, ["--groups", 5], ["o"]
    for w, h, off in ((32, 8, 0), (16, 9, -5), (-1, 5, 0), (2147483647, 2147483647, -2147483648), (0, 0, 40)):
        yield "bounds" + next(flags), "signed", {"x": words(300, 41), "o": poison, "w": w, "h": h, "off": off}, ["--groups", 2, 2], ["o"]
    for n, rows in ((0, 301), (7, 301), (300, 301), (0xFFFFFFFF, 301), (5, 40)):
        yield "bounds" + next(flags), "assumed", {"x": words(300, 42), "rows": words(rows, 43) % 310, "o": poison, "n": n}, ["--groups", 5], ["o"]
    for m, n, k in ((64, 64, 32), (65, 70, 17), (1, 200, 3), (0, 5, 9)):
        flag = next(flags) if m else "--bounds=unchecked"
        yield "matmul" + flag, "matmul", {"a": uniform(m * k, 44), "b": uniform(k * n, 45), "c": poison_floats(m * n), "m": m, "n": n, "k": k}, \
            ["--groups", ceil_div(n, 64), ceil_div(m, 64)], ["c"]


def tile_cases():
    """Sizes of whole tiles and others; buffers that end early, which selects the copies with checks."""
    for n, short in ((32, 0), (64, 0), (64, 9), (40, 0), (4, 0)):
        groups = ceil_div(n, 32)
        yield "tiles", "tiles", {"a": uniform(n * n - 4 * short, 50).reshape(-1, 4), "b": uniform(n * n - 4 * short, 51).reshape(-1, 4), "c": poison_floats(n * n).reshape(-1, 4),
                                 "d": poison_floats(n * n - short), "n": n}, ["--groups", groups, groups], ["c", "d"]
    for n, short in ((36, 0), (37, 30), (7, 0), (1, 0)):
        yield "tiles", "panels", {"a": uniform(n * n - short, 70), "b": uniform(n * n - short, 71), "c": poison_floats(n * n - short), "d": poison_floats(n * n), "n": n}, \
            ["--groups", ceil_div(n, 32), ceil_div(n, 12)], ["c", "d"]
    for n, short in ((32, 0), (32, 100), (16, 0)):
        yield "tiles", "squares", {"a": uniform(n * n - short, 72), "b": uniform(n * n - short, 73), "c": poison_floats(n * n - short), "n": n}, \
            ["--groups", n // 16, n // 16], ["c"]
    for n in (64, 200, 257):
        yield "tiles", "moves", {"x": words(4 * n, 52).view(np.float32).reshape(-1, 4), "p": poison_floats(4 * n).reshape(-1, 4), "q": uniform(4 * n, 53).reshape(-1, 4),
                                 "u": np.full((n, 2), 7, np.uint32), "o": np.full(4 * n - 3, 9, np.uint32)}, ["--groups", ceil_div(n, 64)], ["p", "q", "u", "o"]
    filters = np.dtype([("at", "<f4", (25,)), ("scale", "<f4", (4,)), ("k", "<u4")])
    for w, h, short in ((48, 20, 0), (37, 9, 0), (37, 9, 40), (1, 1, 0), (5, 0, 0)):
        f = np.concatenate([uniform(29, 54), np.array([w % 26], np.uint32).view(np.float32)])
        yield "tiles", "filter", {"x": uniform(max(w * h - short, 0), 55), "f": f.view(filters), "z": poison_floats(w * h), "w": w, "h": h}, \
            ["--groups", ceil_div(w, 16), max(ceil_div(h, 4), 1)], ["z"]
    for n, groups in ((5000, 3), (3, 2), (0, 1)):
        yield "tiles", "counts", {"x": words(4 * n, 56).reshape(-1, 4), "bins": np.zeros(64, np.uint32)}, ["--groups", groups], ["bins"]


def pass_cases():
    """Groups of several rows; buffers that end early select the copies with checks."""
    for n, short in ((0, 0), (1, 0), (9, 0), (40, 0), (40, 90)):
        yield "passes", "branches", {"x": uniform(384 - short, 80), "y": uniform(n * 16, 81), "o": poison_floats(384 - short), "n": n}, ["--groups", 3], ["o"]
        yield "passes", "loops", {"x": words(n * 8 + 8, 82), "o": np.full(288 - short, 7, np.uint32), "n": n}, ["--groups", 3], ["o"]
    for rounds, short in ((0, 0), (1, 0), (7, 0), (7, 50)):
        for kernel, size in (("kept", 64), ("tails", 80), ("small", 16)):
            yield "passes", kernel, {"x": uniform(4 * size - short, 83), "o": poison_floats(4 * size - short), "rounds": rounds}, ["--groups", 4], ["o"]
    for n, short in ((1, 0), (16, 0), (33, 0), (40, 70), (64, 0)):
        groups = ceil_div(n, 16)
        yield "passes", "product", {"a": uniform(max(n * n - short, 1), 84), "b": uniform(max(n * n - short, 1), 85), "c": poison_floats(n * n - short), "n": n}, \
            ["--groups", groups, groups], ["c"]
        for kernel in ("uneven", "lines"):
            yield "passes", kernel, {"x": uniform(512 - short, 86), "o": poison_floats(512 - short), "n": n % 5}, ["--groups", 2], ["o"]
        yield "passes", "whole", {"x": uniform(128 - short, 87), "o": poison_floats(128 - short), "n": n % 7}, ["--groups", 2], ["o"]
    for off in (0, 3, 0xFFFFFFF3, 0xFFFFFFE8, 0xFFFFFF00, 0x80000000):
        for n in (0, 1, 9):
            yield "passes", "wrapped", {"x": uniform(160, 88), "w": uniform(61, 89), "o": poison_floats(256), "n": n, "off": off}, ["--groups", 2], ["o"]
    for n, length in ((1, 160), (9, 160), (9, 61)):
        yield "passes", "parts", {"x": uniform(length, 88), "w": uniform(61, 89), "o": poison_floats(256), "n": n}, ["--groups", 2], ["o"]


def split_cases():
    """No vector of a row passes, some, one in part, all; ids below zero and ones that wrap."""
    top = 2 ** 32
    for start, n in ((0, 0), (0, 1), (0, 33), (0, 64), (0, 100), (0, 160), (0, top - 1), (top - 40, 16), (top - 40, top - 1), (top - 200, top - 100), (5, 5), (7, 90)):
        yield "splits", "first", {"x": words(640, 100), "o": np.full(640, 9, np.uint32), "from": start, "n": n}, ["--groups", "2,2"], ["o"]
        yield "splits", "leaves", {"x": uniform(256, 101), "o": poison_floats(256), "from": start, "n": n}, ["--groups", 2], ["o"]
        yield "splits", "shared", {"x": words(192, 102), "o": np.zeros(192, np.uint32), "from": start, "n": n}, ["--groups", 2], ["o"]
    for start, n in ((0, -1), (0, 63), (0, 70), (100, -90), (100, 28), (-2 ** 31, 5), (-2 ** 31 + 60, 2 ** 31 - 1), (2 ** 31 - 1, -2 ** 31 + 70), (0, 2 ** 31 - 1)):
        yield "splits", "signed", {"x": words(192, 103).view(np.int32), "o": np.full(192, 9, np.int32), "from": start, "n": n}, ["--groups", 3], ["o"]


def with_nans(n, seed, at):
    """Floats, with NaN of all kinds and infinities at the places that `at` names: indices, or a step."""
    odd = np.array([0x7f800001, 0xffc00000, 0x7fc12345, 0xff800001, 0x7f800000, 0xff800000, 0x7fc00000], np.uint32)
    bits = uniform(n, seed).view(np.uint32).copy()
    for k, i in enumerate(range(0, n, at) if isinstance(at, int) else [i for i in at if i < n]):
        bits[i] = odd[(k + seed) % len(odd)]
    return bits.view(np.float32)


def stream_cases():
    """Rows with every rest; NaN in no lane, the first and last of a register and a vector, several, all."""
    places = ([], [0], [31], [15, 16], [3, 8, 20], 1, [40], [63, 64, 127], 7, [199])
    for k, n in enumerate((0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 47, 63, 64, 65, 95, 100, 127, 128, 129, 160, 191, 199, 200, 255, 256, 257, 300)):
        at = places[k % len(places)]
        yield "streams", "axpy", {"x": with_nans(300, 110, at), "y": with_nans(300, 111, at), "a": 0.5, "n": n}, ["--groups", 2], ["y"]
    for k, at in enumerate(places):
        for n in (200, 256):
            yield "streams", "axpy", {"x": with_nans(n, 112 + k, at), "y": uniform(n, 113), "a": -3.0, "n": n}, ["--groups", 5], ["y"]
        yield "streams", "two", {"x": with_nans(230, 114 + k, at), "y": poison_floats(230), "z": np.zeros(230, np.uint32), "n": 197 + k}, ["--groups", 5], ["y", "z"]
        yield "streams", "again", {"x": with_nans(256, 115 + k, at), "y": poison_floats(256), "n": 170 + 10 * k}, ["--groups", 2], ["y"]
        yield "streams", "shifted", {"x": with_nans(330, 116 + k, at), "y": poison_floats(256 + 7 * k), "k": k}, ["--groups", 5], ["y"]


def keeping_cases():
    """Whole buffers and short ones; views that are one, and all, some and none of the lanes that leave."""
    for n, short in ((0, 0), (9, 0), (9, 70)):
        yield "keeping", "of_rows", {"x": np.abs(uniform(576 - short, 95)), "o": poison_floats(1024 - short), "n": n}, ["--groups", "1,2"], ["o"]
        for most in (512, 279, 3):
            yield "keeping", "of_registers", {"x": uniform(4608 - short, 96), "o": poison_floats(1024 - short), "n": n, "m": 7, "most": most}, ["--groups", 4], ["o"]
        for most in (-2, 0, 0.99, 2):
            yield "keeping", "of_leavers", {"x": uniform(256 - short, 97), "o": poison_floats(256 - short), "n": n, "most": most}, ["--groups", 2], ["o"]
        for m in (0, 250, 256):
            yield "keeping", "of_counts", {"y": words(256 - short, 98), "c": np.zeros(256 - short, np.uint32), "n": 256, "m": m}, ["--groups", 4], ["c"]
    for n, m, at in ((7, 150, 3), (0, 384, 9), (0, 384, 0), (2, 384, 1), (40, 300, 2)):
        yield "keeping", "of_loops", {"x": words(384, 101), "o": np.zeros(384, np.uint32), "n": n, "m": m, "at": at}, ["--groups", 3], ["o"]
    for n, short in ((0, 0), (1, 0), (9, 0), (9, 300)):
        yield "keeping", "of_atomics", {"x": uniform(13824 - short, 106), "o": np.zeros(1024, np.uint32), "h": np.zeros(2048 - short, np.uint32), "n": n}, ["--groups", 2], ["o", "h"]
    for kernel in ("of_columns", "of_halves", "of_all"):
        for n in (0, 7, 90, 200):
            yield "keeping", kernel, {"x": words(400, 100), "o": np.zeros(1000, np.uint32), "n": n}, ["--groups", 3], ["o"]
    for n, m in ((0, 0), (1, 1), (3, 0), (3, 1), (4, 2), (9, 3)):
        yield "keeping", "of_repeats", {"x": words(200, 102), "o": np.zeros(128, np.uint32), "n": n, "m": m}, ["--groups", 1], ["o"]
    for to in (np.zeros(200, np.uint32), np.zeros(193, np.uint32), "&x"):
        yield "keeping", "of_views", {"x": words(200, 99), "y": to, "o": np.zeros(200, np.uint32)}, ["--groups", 40], ["y", "o"]


def tree_cases():
    """Trees that are left at their first, a middle and no level; steps and ends that divide them."""
    for at, rounds in ((32, 1), (8, 1), (1, 3), (99, 2), (11, 3), (3, 2)):
        yield "trees", "left_early", {"x": words(128, 104), "o": np.zeros(128, np.uint32), "at": at, "rounds": rounds}, ["--groups", 2], ["o"]
    for n in (4, 5, 6):
        for kernel in ("by_old_value", "to_old_value"):
            yield "trees", kernel, {"x": words(128, 105), "o": np.zeros(128, np.uint32), "n": n}, ["--groups", 2], ["o"]


def poison_floats(n):
    return np.full(n, 0xCDCDCDCD, np.uint32).view(np.float32)


def tensor_cases():
    """Views by their suffix. Arrays are the parents, poisoned where a view does not reach."""
    def f(*shape, seed=20):
        return uniform(int(np.prod(shape)), seed).reshape(shape)
    # x and y differ in shape, so that in range for one is out of range for another.
    views = [((7, 5), ""), ((5, 7), "[transpose=1,0]"), ((9, 8), "[narrow=0:1:7][narrow=1:2:5]"), ((35,), ""), ((70,), "[offset=35]"), ((), ""), ((0, 4), ""),
             ((3, 4, 5), "[transpose=2,0,1]"), ((2, 3, 4, 5), "[transpose=3,1,2,0]"), ((2, 3, 4, 5), "[narrow=2:1:2][transpose=0,3,1,2]"),
             ((6, 1, 8), "[narrow=2:7:1]"), ((129, 3), "[transpose=1,0]"), ((4, 64), "[narrow=1:0:33]"), ((1, 40), "[transpose=1,0]")]
    reads = views + [((5,), "[broadcast=7,_]"), ((1, 5), "[broadcast=4,3,_]"), ((4, 1), "[broadcast=2,_,8]"), ((), "[broadcast=3,4]")]
    for n, (x, y) in enumerate(itertools.product(reads, views)):
        if n % 5 and x != y:
            continue  # every pairing would take minutes and tell no more
        w = views[n % len(views)]
        yield "tensors", "any_shape", {"x": (f(*x[0]), x[1]), "y": (f(*y[0], seed=21), y[1]), "w": (words(int(np.prod(w[0])), 22).reshape(w[0]), w[1]),
                                       "o": np.zeros(4 * 320, np.uint32)}, ["--over", 300], ["x", "y", "w", "o"]
    for rows, cols in ((1, 1), (4, 16), (16, 16), (33, 7), (0, 3), (5, 0)):
        r, c = f"{rows}", f"{cols}"
        plain = {"scale": (f(), ""), "bias": (f(rows), ""), "x": (f(rows, cols), ""), "y": (f(rows, cols, seed=23), ""), "z": (f(2, rows, 3), ""),
                 "w": (f(2, 1, rows, cols), "")}
        turned = {"scale": (f(9), "[narrow=0:4:1][broadcast=1,_][narrow=0:0:1]"), "bias": (f(1), f"[broadcast={r}]"), "x": (f(cols, rows), "[transpose=1,0]"),
                  "y": (f(rows, cols + 3, seed=23), f"[narrow=1:2:{c}]"), "z": (f(3, rows, 2), "[transpose=2,1,0]"), "w": (f(rows, 1, cols, 2), "[transpose=3,1,0,2]")}
        turned["scale"] = (f(), "")
        for args in (plain, turned, {**plain, "x": turned["x"]}, {**plain, "w": turned["w"]}):
            yield "tensors", "contracts", args, ["--over", rows * cols + 5], ["y", "w"]
        if rows > 16 or cols > 16:
            continue
        for x, y, s in (((f(rows, cols), ""), (f(cols, rows), ""), (f(rows), "")),
                        ((f(cols, rows), "[transpose=1,0]"), (f(rows, cols), "[transpose=1,0]"), (f(rows, 3), "[narrow=1:1:1]"))):
            yield "tensors", "tiles", {"x": x, "y": y, "sums": s}, ["--groups", 1], ["y", "sums"]
    cell = np.dtype([("a", "<f4"), ("b", "<u4", (2,))])
    for s, v, n, on in (("", "", "", ""), ("[transpose=1,0]", "[transpose=1,0]", "[narrow=0:3:30]", "[broadcast=8,_]")):
        yield "tensors", "elements", {"s": (words(3 * 48, 24).view(cell).reshape(6, 8), s), "v": (f(8, 6, 3), v), "n": (words(40, 25), n),
                                      "on": ((words(6, 26) % 2), on)}, ["--over", 64], ["s", "n"]


def coarsened_cases():
    """Grids and groups that no factor of --coarsen divides, and control flow that the work-items of a thread share or do not."""
    for grid in ((1, 1, 1), (7, 3, 2), (5, 1, 9)):
        total = 30 * grid[0] * grid[1] * grid[2]
        yield "coarsened", "ids", {"o": np.zeros(4 * total, np.uint32)}, ["--groups", *grid], ["o"]
    for n in (0, 4, 30):
        yield "coarsened", "exits", {"x": words(64 * 7, 50 + n) >> 7, "o": np.full(64 * 7, 0xCDCDCDCD, np.uint32), "bins": np.zeros(16, np.uint32), "n": n}, \
            ["--groups", 7], ["o", "bins"]
        yield "coarsened", "shared", {"x": uniform(64 * 3, 51), "y": poison_floats(64 * 3), "n": n}, ["--groups", 1, 3], ["y"]
    for n in (0, 1, 250, 256, 700, 768):
        yield "coarsened", "guards", {"x": uniform(n + n % 3, 52), "o": poison_floats(768), "n": n}, ["--groups", 3], ["o"]
        for m in (3, 12, 150):
            yield "coarsened", "returns", {"x": uniform(n + 1, 53), "o": poison_floats(768 - n % 7), "n": n, "m": m}, ["--groups", 6], ["o"]
    for d in (0, 3, 64):
        yield "coarsened", "ends", {"x": words(600, 54), "y": words(761, 55), "o": np.zeros(763, np.uint32), "d": d}, ["--groups", 3], ["o"]
    for w, h in ((1, 1), (16, 32), (37, 21)):
        yield "coarsened", "plane", {"x": uniform(w * h, 56), "o": poison_floats(w * h), "w": w, "h": h}, ["--groups", 3, 2], ["o"]
    for n in (255, 256, 700):
        yield "coarsened", "choices", {"x": words(n, 57) >> 5, "o": np.zeros(768, np.uint32), "bins": np.zeros(16, np.uint32)}, \
            ["--groups", 1, 1, 3], ["o", "bins"]


def edge_cases():
    yield from coarsened_cases()
    for grid in ((70000, 2, 1), (3, 70000, 2), (2, 3, 70000)):  # past 65,535 groups along one axis
        total = grid[0] * grid[1] * grid[2]
        yield "grid_ids", "grid_ids", {"o": np.zeros(2 * total, np.uint32), "total": total}, ["--groups", *grid], ["o"]
    few = np.where(words(256, 31) % 4 == 0, words(256, 32), words(256, 33) % 70).astype(np.uint32)
    yield "group_structs", "group_structs", {"x": uniform(256, 30), "u": few, "f": np.zeros(6 * 256, np.float32), "o": np.zeros(8 * 256, np.uint32)}, \
        ["--groups", 4], ["f", "o"]
    yield from tile_cases()
    yield from pass_cases()
    yield from split_cases()
    yield from stream_cases()
    yield from keeping_cases()
    yield from tree_cases()
    for kernel, size in (("small", 64), ("row", 32)):
        yield "group_size", kernel, {"o": np.zeros(3 * size, np.uint32)}, ["--groups", 3], ["o"]
    f = pairs(FLOAT_EDGES, 10)
    a, b = f[:, 0].copy().view(np.float32), f[:, 1].copy().view(np.float32)
    c = np.roll(a, 17)
    n = len(a)
    yield "float_ops", "float_ops", {"x": a, "y": b, "z": c, "o": np.zeros(21 * n, np.float32)}, ["--over", n], ["o"]
    yield "float_ops", "identities", {"x": a, "o": np.zeros(9 * n, np.float32)}, ["--over", n], ["o"]
    yield "float_ops", "float_words", {"x": a, "y": b, "o": np.zeros(9 * n, np.uint32)}, ["--over", n], ["o"]
    yield "float_ops", "group_floats", {"x": a, "y": b, "o": np.zeros(6 * n, np.float32), "w": np.zeros(3 * n, np.uint32)}, ["--over", n], ["o", "w"]
    yield "float_sums", "float_sums", {"x": a, "y": b, "z": b, "o": np.zeros(2 * n, np.float32)}, ["--over", n], ["y", "z", "o"]
    # Around 2^-126, where rounding and flushing meet: products with every last place.
    border = np.arange(0x3F7FFF00, 0x3F800100, dtype=np.uint32).view(np.float32)
    tiny = np.arange(0x00800000, 0x00800020, dtype=np.uint32).view(np.float32)
    bx, by = (v.ravel().astype(np.float32) for v in np.meshgrid(border, tiny))
    yield "float_ops", "float_ops", {"x": bx, "y": by, "z": -by, "o": np.zeros(21 * len(bx), np.float32)}, ["--over", len(bx)], ["o"]
    # All 16-bit patterns, and every f32 that lies near a boundary of the narrow floats.
    h = np.arange(65536, dtype=np.uint16)
    wide = np.repeat(np.arange(0, 1 << 32, 1 << 13, dtype=np.uint64), 3)[:3 * 8192 * 64] + np.tile(np.array([0, 1, (1 << 13) - 1], np.uint64), 8192 * 64)
    x = np.concatenate([wide.astype(np.uint32)[::7], words(8191, 19), np.array(FLOAT_EDGES, np.uint32)]).view(np.float32)
    yield "narrow", "floats", {"h": h.view(np.float16), "b": np.roll(h, 1), "x": x, "wide": np.zeros(2 * 65536, np.uint32), "h2": np.zeros(65536, np.float16),
                               "b2": np.zeros(65536, np.uint16), "xh": np.zeros(len(x), np.float16), "xb": np.zeros(len(x), np.uint16), "sum": np.zeros(65536, np.float16)}, \
        ["--over", len(x)], ["wide", "h2", "b2", "xh", "xb", "sum"]
    for n in (1, 7, 40, 1000):
        raw = words(4 * n, 20).view(np.uint8)
        yield "narrow", "integers", {"a": raw[:n].copy(), "b": raw[n:2 * n].view(np.int8).copy(), "c": words(n, 21).astype(np.uint16), "d": words(n, 22).view(np.uint16)[:n].view(np.int16).copy(),
                                     "k": words(n, 23), "o": np.zeros(n, np.uint32), "ob": np.full(n, 0xCD, np.uint8), "oc": np.full(n, 0x4D, np.int8),
                                     "od": np.full(n, 0xCDCD, np.uint16), "oe": np.full(n, 0x4D4D, np.int16)}, ["--over", n], ["o", "ob", "oc", "od", "oe"]
    rows = f.reshape(-1)[:len(f) * 2 // 64 * 64]
    yield "collectives", "reductions", {"x": rows.view(np.float32), "u": rows, "i": rows.view(np.int32), "f": np.zeros(len(rows) // 16, np.float32),
                                        "o": np.zeros(len(rows) // 8, np.uint32)}, ["--groups", len(rows) // 64], ["f", "o"]
    for size in (2, 4, 8, 16, 32, 128, 256, 512):
        some = rows[:len(rows) // size * size][:4096]
        yield "tree_sizes", f"tree_{size}", {"x": some.view(np.float32), "u": np.roll(some, 3), "f": np.zeros(6 * len(some) // size, np.float32),
                                             "o": np.zeros(len(some), np.uint32)}, ["--groups", len(some) // size], ["f", "o"]
    w = wide_pairs()
    p, q = w[:, 0].copy(), w[:, 1].copy()
    yield "wide", "wide_unsigned", {"x": p, "y": q, "o": np.zeros(17 * len(p), np.uint64)}, ["--over", len(p)], ["o"]
    yield "wide", "wide_signed", {"x": p.view(np.int64), "y": q.view(np.int64), "o": np.zeros(15 * len(p), np.int64)}, ["--over", len(p)], ["o"]
    v = np.concatenate([p, halfway()])
    x = np.resize(np.concatenate([np.array(FLOAT_EDGES, np.uint32), np.arange(0x3F000000, 0x60000000, 65521, dtype=np.uint32),
                                  np.arange(0xBF000000, 0xE0000000, 65521, dtype=np.uint32)]), len(v)).view(np.float32)
    yield "wide", "wide_casts", {"x": v, "f": x, "o": np.zeros(5 * len(v), np.uint32), "w": np.zeros(6 * len(v), np.uint64)}, ["--over", len(v)], ["o", "w"]
    entry = np.dtype({"names": ["key", "count", "low", "tail"], "formats": ["<u4", "<u8", "<i8", ("<u8", (2,))], "offsets": [0, 8, 16, 24], "itemsize": 40})
    m = 64 * 40
    rows = np.zeros(m, entry)
    rows["key"], rows["count"], rows["low"], rows["tail"] = words(m, 31), wide_words(m, 32), wide_words(m, 33).view(np.int64), wide_words(2 * m, 34).reshape(m, 2)
    for step in (-3000000001, 7, 5000000000):
        yield "wide", "wide_places", {"e": rows, "x": wide_words(m, 35), "o": np.zeros(m, np.uint64), "seed": 0xDEADBEEF12345678, "step": step, "n": 3}, ["--over", m], ["e", "o"]
    # Division where the quotient is about to change, for divisors of every size.
    d = words(8192, 27) >> (words(8192, 28) % 32)
    d[d == 0] = 1
    q = words(8192, 29).astype(np.uint64) % (0xFFFFFFFF // d.astype(np.uint64) + 1)
    n = np.concatenate([(q * d + np.uint64(k)).astype(np.uint32) for k in (0xFFFFFFFF, 0, 1)])
    i = np.concatenate([pairs(INT_EDGES, 11), np.stack([n, np.tile(d, 3)], 1)])
    u, v = i[:, 0].copy(), i[:, 1].copy()
    for divisor in (0, 1, 2, 3, 7, 15, 16, 17, 641, 65535, 65537, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF):
        yield "integer_ops", "one_divisor", {"x": u, "o": np.zeros(6 * len(u), np.uint32), "d": divisor, "from": 0xFFFFFF00}, ["--over", len(u)], ["o"]
    yield "integer_ops", "unsigned_ops", {"x": u, "y": v, "o": np.zeros(17 * len(u), np.uint32)}, ["--over", len(u)], ["o"]
    yield "integer_ops", "signed_ops", {"x": u.view(np.int32), "y": v.view(np.int32), "o": np.zeros(14 * len(u), np.int32)}, ["--over", len(u)], ["o"]
    yield from math_cases()


def math_zones():
    """Borders of exponents, of the functions' own cases, near multiples of pi / 2, and words."""
    exponents = np.arange(256, dtype=np.int64) << 23
    borders = np.array([0x42B17217, 0xC2AEAC50, 0x42B2D4FC, 0x42FC0000, 0xC2FC0000, 0x43000000, 0x3F6C0000, 0x43400000, 0x3EB17218, 0x3F317218,
                        0x3F3504F3, 0x3FB504F3, 0x41200000, 0x40800000, 0x33000000, 0xC1A00000, 0x3F490FDB, 0x7E967699], np.int64)
    turns = (np.concatenate([np.arange(1, 130), 2.0 ** np.arange(7, 120)]) * np.pi / 2).astype(np.float32).view(np.uint32).astype(np.int64)
    near = np.concatenate([exponents, borders, turns])[:, None] + np.arange(-2, 3)
    both = np.concatenate([near, near + (1 << 31)]).ravel() % (1 << 32)
    return np.concatenate([both.astype(np.uint32), np.array(FLOAT_EDGES, np.uint32), words(1021, 40)]).view(np.float32)


def math_cases():
    yield "math", "folded", {"o": np.zeros(60, np.float32)}, ["--groups", 1], ["o"]
    x = math_zones()
    n = len(x)
    for kernel, outputs in (("exponentials", 4), ("hyperbolic", 4), ("logarithms", 4), ("circular", 3)):
        yield "math", kernel, {"x": x, "o": np.zeros(outputs * n, np.float32)}, ["--over", n], ["o"]
    f = pairs(FLOAT_EDGES, 41)
    a, b = f[:, 0].copy().view(np.float32), f[:, 1].copy().view(np.float32)
    near = (1 + uniform(2000, 42) * np.float32(0.01)).astype(np.float32)
    a, b = np.concatenate([a, near]), np.concatenate([b, uniform(2000, 43) * np.float32(20000)])
    m = len(a)
    e = np.concatenate([np.arange(-40, 41), words(m - 81, 44).view(np.int32) >> (np.arange(m - 81) % 32)]).astype(np.int32)
    yield "math", "inverse", {"x": a, "y": b, "o": np.zeros(4 * m, np.float32)}, ["--over", m], ["o"]
    yield "math", "inverse", {"x": x, "y": np.roll(x, 1), "o": np.zeros(4 * n, np.float32)}, ["--over", n], ["o"]
    yield "math", "powers", {"x": a, "y": b, "e": e, "o": np.zeros(2 * m, np.float32)}, ["--over", m], ["o"]


class Failed(Exception):
    pass


class OutOfRange(Exception):
    """The interpreter says that the kernel breaks the promise of --bounds=unchecked: there is nothing to compare."""


BROKEN_PROMISE = "an access that was promised to be in range is not"


def flags_of(opt, file):
    """What a file, `stem` or `stem` and its variant's flag, is compiled with: the interpreter and all devices take the same."""
    stem, variant = re.fullmatch(r"(\w+)(-.*)?", file).groups()
    watched = [f"--sanitize={'bounds,' if stem in IN_RANGE else ''}race,uninit"] if opt.sanitized else []
    return [*opt.flags, *watched, *([variant] if variant else [])]


def call(cmd, **env):
    run = subprocess.run([str(c) for c in cmd], capture_output=True, text=True, timeout=300, env={**os.environ, **env})
    if run.returncode:
        raise Failed(f"{pathlib.Path(str(cmd[0])).name} exits {run.returncode}: {run.stderr.strip()[:400]}")
    if "VK_INSTANCE_LAYERS" in env:
        check_validation(run.stdout + run.stderr)
    return run


def check_validation(log):
    if 'Insert instance layer "VK_LAYER_KHRONOS_validation"' not in log:
        raise Failed("the validation layer was not loaded")
    found = re.search(r".*(Validation (Error|Warning|Performance)|VUID-|SYNC-HAZARD).*", log)
    if found:
        raise Failed(f"validation: {found[0][:400]}")


def command(tool, artifact, kernel, inputs, grid, outputs, folder, tag):
    cmd = [tool, artifact, kernel]
    for name, value in inputs.items():
        array, view = value if isinstance(value, tuple) else (value, "")
        cmd.append(f"{name}=@{folder / name}.npy{view}" if isinstance(array, np.ndarray) else f"{name}={array}")
    cmd.append(f"{grid[0]}=" + ",".join(str(g) for g in grid[1:]))
    for name in outputs:
        cmd += ["--save", f"{name}={folder / (name + '.' + tag)}.npy"]
    return cmd


def compare(got_file, want_file):
    got, want = np.load(got_file), np.load(want_file)
    unit = f"u{got.dtype.itemsize if got.dtype.itemsize <= 8 and not got.dtype.names else 4}"
    g, w = got.reshape(-1).view(unit), want.reshape(-1).view(unit)
    if got.shape != want.shape:
        raise Failed(f"shape {got.shape}, the interpreter has {want.shape}")
    bad = np.nonzero(g != w)[0]
    if bad.size:
        raise Failed(f"element {bad[0]} is 0x{g[bad[0]]:08x}, the interpreter has 0x{w[bad[0]]:08x}; {bad.size} of {g.size} differ")


def with_items(hosts, grid):
    """`--debug-item=last` becomes a number of the grid; an empty grid has no item."""
    sizes = [int(n) for n in ",".join(str(g) for g in grid[1:]).split(",")]
    last = [f"--debug-item={max(sizes[0] - 1, 0)}"]
    items = [[o for o in options if not o.startswith("--debug-item")] +
             ([] if 0 in sizes else last if "--debug-item=last" in options else [o for o in options if o.startswith("--debug-item")])
             for _, options, _ in hosts]
    return [(name, options, env) for (name, _, env), options in zip(hosts, items)]


def run_case(case, opt, artifacts, hosts):
    """`hosts`: (name, goldyrun options, environment) of what the case runs on."""
    file, kernel, inputs, grid, outputs = case
    hosts = with_items(hosts, grid)
    done = collections.Counter()
    with tempfile.TemporaryDirectory() as t:
        folder = pathlib.Path(t)
        for name, value in inputs.items():
            array = value[0] if isinstance(value, tuple) else value
            if isinstance(array, np.ndarray):
                np.save(folder / f"{name}.npy", array)
        try:
            call(command(opt.bin / "goldy-interp", artifacts[file], kernel, inputs, grid, outputs, folder, "interp"))
        except Failed as e:
            if BROKEN_PROMISE in str(e) and "--bounds=unchecked" in flags_of(opt, file):
                raise OutOfRange
            raise
        for tag, options, env in hosts:
            made = artifacts.get(f"{file} via {tag}", artifacts[file])
            call(command(opt.bin / "goldyrun", made, kernel, inputs, grid, outputs, folder, tag) + options, **env)
            for name in outputs:
                try:
                    compare(folder / f"{name}.{tag}.npy", folder / f"{name}.interp.npy")
                except Failed as e:
                    raise Failed(f"{tag}, {name}: {e}")
            done[tag] += 1
        compare_all = lambda tag: [compare(folder / f"{name}.{tag}.npy", folder / f"{name}.interp.npy") for name in outputs]
        own = [h for h in hosts if h[0] != "slang"]
        done.update(baked_runs(case, opt, own, folder, compare_all))
        done.update(specialised_runs(case, opt, artifacts, own, folder, compare_all))
    return done


def baked_runs(case, opt, hosts, folder, compare_all):
    """Scalars folded into the kernel and left out of the command line: the same bits as live ones."""
    file, kernel, inputs, grid, outputs = case
    live = {name: value for name, value in inputs.items() if isinstance(value, (np.ndarray, tuple)) or str(value).startswith("&")}
    scalars = {name: value for name, value in inputs.items() if name not in live}
    if not scalars or max(int(n) for g in grid[1:] for n in str(g).split(",")) > 4096:
        return {}
    baked = folder / "baked.gdy"
    source = opt.sources[re.match(r"\w+", file)[0]]
    call([opt.bin / "goldyc", source, *flags_of(opt, file), f"--kernel={kernel}", f"--target={opt.targets}", "-o", baked] +
         [f"--bake={kernel}:{name}={value}" for name, value in scalars.items()])
    for tag, options, env in hosts:
        call(command(opt.bin / "goldyrun", baked, kernel, live, grid, outputs, folder, f"baked.{tag}") + options, **env)
        compare_all(f"baked.{tag}")
    return collections.Counter(tag for tag, _, _ in hosts)


def specialised_runs(case, opt, artifacts, hosts, folder, compare_all):
    """Other values of specialisation constants: given to goldyc for all devices, and to goldyrun for those that take them."""
    file, kernel, inputs, grid, outputs = case
    done = collections.Counter()
    for number, values in enumerate(SPECS.get(file, ())):
        options = [f"--spec={name}={value}" for name, value in values.items()]
        variant = folder / f"variant{number}.gdy"
        call([opt.bin / "goldyc", opt.sources[file], f"--target={opt.targets}", "-o", variant, *opt.flags] + options)
        call(command(opt.bin / "goldy-interp", variant, kernel, inputs, grid, outputs, folder, "interp"))
        for tag, host, env in hosts:
            call(command(opt.bin / "goldyrun", variant, kernel, inputs, grid, outputs, folder, f"variant.{tag}") + host, **env)
            compare_all(f"variant.{tag}")
            done[tag] += 1
            if tag in ("vulkan", "vulkan1.1"):
                call(command(opt.bin / "goldyrun", artifacts[file], kernel, inputs, grid, outputs, folder, f"specialised.{tag}") + host + options, **env)
                compare_all(f"specialised.{tag}")
                done[tag] += 1
    return done


def hosts_of_flag(flag, hosts):
    """Fused programs run everywhere; those that are spread on pairs of devices; the others at the least level, at the best one with the most threads, and once
    on each device."""
    cpu = [h for h in hosts if h[0].startswith("x86")]
    gpu = [h for h in hosts if h[0] in ("vulkan", "cuda")]
    if flag == "spread":
        names = (["cpu"] if cpu else []) + [h[0] for h in gpu]
        return [(f"{a}+{b}", [f"--device-map={a},{b}"], {}) for a, b in itertools.product(names, names)]
    if flag == "fused" or len(cpu) < 2:
        return hosts
    return [cpu[0], cpu[-1]] + gpu


def is_aliased(values):
    """A program over several devices takes no parameters that are one buffer."""
    return any(str(value).startswith("&") for value in values)


def save_inputs(inputs, folder):
    for name, value in inputs.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)


def run_program(case, opt, artifacts, hosts):
    file, program, inputs, outputs, runs = case
    done = collections.Counter()
    with tempfile.TemporaryDirectory() as t:
        folder = pathlib.Path(t)
        save_inputs(inputs, folder)
        call(command(opt.bin / "goldy-interp", opt.programs[file], program, inputs, ("--runs", runs), outputs, folder, "interp"))
        for flag in programs.FLAGS:
            if flag == "spread" and is_aliased(inputs.values()):
                continue
            for tag, options, env in hosts_of_flag(flag, hosts):
                made = artifacts[f"{file} {flag}"]
                call(command(opt.bin / "goldyrun", made, program, inputs, ("--runs", runs), outputs, folder, tag) + options, **env)
                for name in outputs:
                    try:
                        compare(folder / f"{name}.{tag}.npy", folder / f"{name}.interp.npy")
                    except Failed as e:
                        raise Failed(f"{flag}, {tag}, {name}: {e}")
                done[tag] += 1
    return done


def run_refused(case, opt, artifacts, hosts):
    """The interpreter and every device refuse the run at its step."""
    file, program, inputs = case
    done = collections.Counter()
    with tempfile.TemporaryDirectory() as t:
        folder = pathlib.Path(t)
        save_inputs(inputs, folder)
        tools = [("interp", opt.bin / "goldy-interp", opt.programs[file], [], {})]
        tools += [(tag, opt.bin / "goldyrun", artifacts[f"{file} fused"], options, env) for tag, options, env in hosts_of_flag("refused", hosts)]
        for tag, tool, made, options, env in tools:
            cmd = command(tool, made, program, inputs, ("--runs", 1), [], folder, tag) + options
            run = subprocess.run([str(c) for c in cmd], capture_output=True, text=True, timeout=300, env={**os.environ, **env})
            if run.returncode <= 0 or "error: " not in run.stderr:
                raise Failed(f"{tag} exits {run.returncode}, expected a refusal: {run.stderr.strip()[:400]}")
            done[tag] += tag != "interp"
    return done


def cpu_hosts(devices):
    """The levels of this machine; none if one that every machine has is missing."""
    best = re.search(r"x86-64-v([1-4])", devices)
    levels = LEVELS[:int(best[1])] if best else []
    print(f"levels of this machine: {', '.join(levels)}; missing: {', '.join(sorted(set(LEVELS) - set(levels))) or 'none'}")
    if not {"x86-64-v1", "x86-64-v2"} <= set(levels):
        print("x86-64-v1 and v2 must run everywhere")
        return []
    counts = [(level, threads) for level in levels for threads in THREADS] + [(levels[-1], threads) for threads in MORE_THREADS]
    return [(f"{level}.{threads}", [f"--arch={level}", f"--threads={threads}"], {}) for level, threads in counts]


def item_hosts(devices):
    """One work-item in the code for debuggers."""
    best = re.search(r"x86-64-v([1-4])", devices)
    return [(f"{level}.item.{item}", [f"--arch={level}", f"--debug-item={item}"], {})
            for level in dict.fromkeys(("x86-64-v1", LEVELS[int(best[1]) - 1])) for item in ("0", "last")]


def vulkan_hosts(devices, asked, validated):
    found = re.search(r"^vulkan: (?!unavailable)(.*)$", devices, re.M)
    print(f"vulkan: {found[1] if found else 'no device'}")
    ways = (VULKAN_WAYS if "vulkan" in asked else []) + ([OLD_VULKAN] if "vulkan1.1" in asked else [])
    layers = VALIDATION if validated else {}
    return [(tag, ["--device=vulkan"], env | layers) for tag, env in ways] if found else []


def cuda_hosts(devices):
    found = re.search(r"^cuda: (?!unavailable)(.*)$", devices, re.M)
    print(f"cuda: {found[1] if found else 'no device'}")
    if not found:
        return []
    hosts = [("cuda", ["--device=cuda"], {})]
    if "capability 9.0" in found[1]:
        hosts.append(("cuda.sm_80", ["--device=cuda", "--arch=sm_80"], {}))
    return hosts


def slang_hosts(opt, folder, artifacts):
    """Compiles all kernels through Slang's compiler; the files that it has, or None on a failure."""
    there, good = [], True
    for source in opt.sources.values():
        made = folder / f"{source.stem}.slang.gdy"
        cmd = [opt.bin / "goldyc", source, "--via=slang", "--target=vulkan1.3", "-o", made]
        run = subprocess.run([str(c) for c in cmd], capture_output=True, text=True, timeout=300, cwd=HERE.parent.parent)
        if run.returncode == 4 and not os.environ.get("GOLDY_REQUIRE_SLANG"):
            print("slang: not run: its library was not found")
            return []
        reason = SLANG_CANNOT.get(source.stem)
        if (run.returncode == 0) == bool(reason) or (reason and reason not in run.stderr):
            print(f"FAIL {source.stem} through Slang: {run.stderr.strip()[:600] or 'is no longer refused'}")
            good = False
            continue
        if reason:
            print(f"slang: {source.stem} is refused: {reason}")
            continue
        artifacts[f"{source.stem} via slang"] = made
        there.append(source.stem)
    print(f"slang: {len(there)} kernel files")
    return there if good else None


def run_frames(opt, folder, hosts):
    """Every program over many random frames in one process; the digests, by program, or None after a difference."""
    sides = ["oracle"] + [f"cpu.{name}" for name in ("x86-64-v1.2", "x86-64-v3.1") if any(h[0] == name for h in hosts)]
    gpu = [tag for tag in ("vulkan", "cuda") if any(h[0] == tag for h in hosts)]
    pairs = ["oracle", "cpu+cpu"] + [pair for tag in gpu for pair in (f"cpu+{tag}", f"{tag}+cpu")]
    for source in opt.programs.values():
        if source.parent != folder:
            shutil.copy(source, folder / source.name)
    digests, good = collections.defaultdict(set), True
    for name, flags, on in (("one device", [f for f in programs.FLAGS if f != "spread"], sides + gpu), ("spread", ["spread"], pairs)):
        lines = [f"{folder}/{file}.{flag}.gdy {program} {how}" for file in opt.programs for flag in flags for program, how in programs.frames(file)
                 if re.search(opt.filter, program) and not (flag == "spread" and is_aliased(how.split("=")))]
        (folder / "frames").write_text("\n".join(lines) + "\n")
        cmd = [opt.bin / "goldy-frames", f"--list={folder}/frames", f"--runs={opt.frames}", "--devices=" + ",".join(on)]
        run = subprocess.run(cmd, capture_output=True, text=True, timeout=1200)
        for file, frames, digest in re.findall(r"/(\w+)\.\w+\.gdy ([^:]+): .* digest (\w+)", run.stdout):
            digests[file, frames].add(digest)
        for line in run.stdout.splitlines():
            if line.startswith("FAIL"):
                print(line.replace(f"{folder}/", ""))
        good = good and run.returncode == 0
        print(f"frames, {name}: {len(lines)} programs, {opt.frames} runs each on {', '.join(on)}: {run.stdout.splitlines()[-1] if run.stdout else run.stderr}")
    apart = [key for key, found in digests.items() if len(found) > 1]
    print(f"frames: {len(digests)} programs, {len(apart)} differ between their forms")
    return good and not apart and bool(digests)


def case_name(run, case):
    if run is run_case:
        return f"{case[1]} {' '.join(str(g) for g in case[3])}"
    return f"{case[1]} " + " ".join(f"{name}={value.shape if isinstance(value, np.ndarray) else value}" for name, value in case[2].items())


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--build", required=True)
    p.add_argument("--devices", default="cpu,vulkan,cuda,slang")
    p.add_argument("--filter", default="", help="kernels and programs whose name it is found in")
    p.add_argument("--only", choices=("kernels", "programs"))
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("--flags", default="", help="for goldyc, with every kernel (--bounds=unchecked: cases that index out of range are not run)")
    p.add_argument("--quick", action="store_true", help="without the largest size; each third program")
    p.add_argument("--items", action="store_true", help="on the CPU: kernels with -g, by the code of one work-item (--debug-item)")
    p.add_argument("--frames", type=int, default=0, metavar="N", help="instead: N random frames of every program on all devices, by goldy-frames")
    p.add_argument("--random", type=int, default=24, metavar="N", help="random programs beside those of programs/, for --frames")
    p.add_argument("--seed", type=int, default=1, help="of random programs")
    p.add_argument("--validated", action="store_true", help="Vulkan under the validation layer")
    opt = p.parse_args()
    opt.bin = pathlib.Path(opt.build).resolve() / "bin"
    opt.flags = opt.flags.split()
    if opt.frames:
        opt.only = "programs"
    devices = call([opt.bin / "goldyrun", "devices"]).stdout
    asked = opt.devices.split(",")
    opt.sanitized = asked == ["sanitized"]
    cpu = cpu_hosts(devices) if "cpu" in asked else [("sanitized", [], {})] if opt.sanitized else []
    if opt.items and cpu:
        opt.only = "kernels"
        opt.flags.append("-g")
        cpu = item_hosts(devices)
    vulkan = vulkan_hosts(devices, asked, opt.validated)
    cuda = cuda_hosts(devices) if "cuda" in asked else []
    if "cpu" in asked and not cpu:
        return 1
    for name, hosts in (("vulkan", vulkan), ("cuda", cuda)):
        if {name, f"{name}1.1"} & set(asked) and not hosts and (os.environ.get(f"GOLDY_REQUIRE_{name.upper()}") or not (cpu or vulkan or cuda)):
            print(f"the {name} device must run")
            return 1
    of_device = {"cpu": LEVELS, "sanitized": ["x86-64-v2"], "vulkan": ["vulkan1.3"], "slang": ["vulkan1.3"], "vulkan1.1": ["vulkan1.1"],
                 "cuda": ["ptx-sm_80", "ptx-sm_90a"] if cuda else []}
    opt.targets = ",".join(dict.fromkeys(target for name, some in of_device.items() if name in asked for target in some))
    with tempfile.TemporaryDirectory() as t:
        artifacts = {}
        own = pathlib.Path(t) / "kernels"
        own.mkdir()
        kernels = [*sorted((HERE / "kernels").glob("*.goldy")), *constants.write(own)]
        opt.sources = {source.stem: source for source in kernels if opt.only != "programs"}
        opt.programs = {source.stem: source for source in sorted((HERE / "programs").glob("*.goldy")) if opt.only != "kernels"}
        if opt.frames and opt.random:
            made = pathlib.Path(t) / "random.goldy"
            programs.FRAMES["random"] = random_programs.write(made, opt.seed, opt.random)
            opt.programs["random"] = made

        def has_wanted(source):
            return any(re.search(opt.filter, name) for name in re.findall(r"fn (\w+)", source.read_text()))

        opt.sources = {stem: source for stem, source in opt.sources.items() if has_wanted(source)}
        opt.programs = {stem: source for stem, source in opt.programs.items() if opt.frames or has_wanted(source)}
        builds = [(source, flag) for source in opt.sources.values() for flag in ("", *VARIANTS.get(source.stem, ()))]

        def build(job):
            source, flag = job
            made = artifacts[source.stem + flag] = pathlib.Path(t) / f"{source.stem}{flag}.gdy"
            call([opt.bin / "goldyc", source, *flags_of(opt, source.stem + flag), "--verify-each", f"--target={opt.targets}", "-o", made])

        def build_program(job):
            source, flag = job
            made = artifacts[f"{source.stem} {flag}"] = pathlib.Path(t) / f"{source.stem}.{flag}.gdy"
            call([opt.bin / "goldyc", source, *flags_of(opt, source.stem), *programs.FLAGS[flag], "-w", f"--target={opt.targets}", "-o", made])

        with concurrent.futures.ThreadPoolExecutor(opt.jobs) as pool:
            list(pool.map(build, builds))
            list(pool.map(build_program, itertools.product(opt.programs.values(), programs.FLAGS)))
        if opt.frames:
            return 0 if run_frames(opt, pathlib.Path(t), cpu + vulkan + cuda) else 1
        files = slang_hosts(opt, pathlib.Path(t), artifacts) if "slang" in asked and vulkan else []
        if files is None:
            return 1

        def through_slang(case):
            return [("slang", ["--device=vulkan"], {})] if case[0] in files else []

        cases = [(c, cpu + vulkan + cuda + through_slang(c)) for c in itertools.chain(edge_cases(), quotient_cases(), bounds_cases(), tensor_cases(), constants.cases())]
        for n in SIZES[:-1] if opt.quick or opt.sanitized else SIZES:
            for c in sized_cases(n):
                cases.append((c, cpu + cuda + (vulkan if n in VULKAN_SIZES else []) + (through_slang(c) if n in SLANG_SIZES else [])))
        cases = [(run_case, c, hosts) for c, hosts in cases if c[0] in artifacts]
        every = 3 if opt.quick else 1
        cases += [(run_program, c, cpu + vulkan + cuda) for c in itertools.islice(programs.cases(), 0, None, every) if c[0] in opt.programs]
        cases += [(run_refused, c, cpu + vulkan + cuda) for c in itertools.islice(programs.refused(), 0, None, every) if c[0] in opt.programs]
        cases = [(run, c, hosts) for run, c, hosts in cases if hosts and re.search(opt.filter, c[1])]
        runs, failed, outside = collections.Counter(), 0, 0

        def one(job):
            run, case, hosts = job
            try:
                return job, run(case, opt, artifacts, hosts), None
            except OutOfRange:
                return job, None, None
            except (Failed, subprocess.TimeoutExpired) as e:
                return job, {}, str(e)

        with concurrent.futures.ThreadPoolExecutor(opt.jobs) as pool:
            for job, done, why in pool.map(one, cases):
                runs.update(done or {})
                outside += done is None
                if why:
                    failed += 1
                    print(f"FAIL {case_name(*job[:2])}: {why}", flush=True)
    passed = sum(runs.values())
    if outside:
        print(f"{outside} cases index out of range, which the interpreter says; they were not run")
    counts = pathlib.Path(opt.build) / "test-counts"
    counts.mkdir(exist_ok=True)
    (counts / "conformance").write_text(f"{passed}\n")
    for tag in sorted(runs):
        print(f"  {tag}: {runs[tag]} runs")
    print(f"conformance: {passed} runs equal the interpreter, {failed} kernels failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
