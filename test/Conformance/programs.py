"""Programs: what a run leaves on each device against the interpreter, which reads the source and runs its steps one after the other.

A case is (file, program, inputs, outputs, runs). Each is compiled with and without fusion, and without optimisation.
"""
import itertools

import numpy as np

# How the description is made; none may change a bit.
FLAGS = {"unfused": ["--fuse=off"], "fused": ["--fuse=auto"], "plain": ["-O0"], "spread": ["--device-map=left,right"]}
SIZES = [0, 1, 63, 257, 4099]
NUMBERS = [0, 1, 2, 3, 7, 31, 32, 33, 65535, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFF9, 1000003, 0xDEADBEEF]
BODY = np.dtype([("place", "<f4", (3,)), ("mass", "<f4"), ("seen", "<u4", (3,)), ("live", "<u4")])


def floats(n, seed):
    x = np.random.default_rng(seed).uniform(-4, 4, n).astype(np.float32)
    x[seed % 5::37] = np.float32(-0.0)
    x[seed % 7::41] = np.float32(2e-39)
    return x


def words(n, seed):
    return np.random.default_rng(seed).integers(0, 1 << 32, n, dtype=np.uint32)


def stale(n, kind=np.float32):
    return np.full(n, 0xCDCDCDCD, np.uint32).view(kind)


def step_cases():
    for n in SIZES:
        x = floats(n, n + 1)
        yield "steps", "chain", {"x": x, "y": stale(n), "n": n, "f": 0.75}, ["y"], 1
        yield "steps", "neighbours", {"x": x, "y": stale(n), "n": n}, ["y"], 2
        yield "steps", "in_place", {"x": x, "y": stale(n), "n": n}, ["x", "y"], 3
        yield "steps", "grids", {"x": floats(2 * n, n + 2), "y": stale(n), "n": n}, ["y"], 1
        yield "steps", "total", {"x": x, "y": stale(1), "n": n}, ["y"], 2
        yield "steps", "deep", {"x": x, "y": stale(n), "n": n}, ["y"], 2
        yield "steps", "lengths", {"x": x, "y": stale(max(n - 3, 0))}, ["y"], 1
    n = 513
    yield "steps", "chain", {"x": floats(n, 3), "y": "&x", "n": n, "f": -1.5}, ["x"], 2
    yield "steps", "neighbours", {"x": floats(n, 4), "y": "&x", "n": n}, ["x"], 2
    yield "steps", "alike", {"x": floats(n, 5), "y": stale(n), "z": stale(n), "n": n}, ["y", "z"], 2
    yield "steps", "alike", {"x": floats(n, 5), "y": stale(n), "z": "&y", "n": n}, ["y"], 2
    yield "steps", "alike", {"x": floats(n, 5), "y": "&x", "z": stale(n), "n": n}, ["x", "z"], 2
    yield "steps", "alike", {"x": floats(n, 5), "y": "&x", "z": "&x", "n": n}, ["x"], 2
    yield "steps", "chain", {"x": floats(40, 6), "y": stale(70), "n": 60, "f": 2.0}, ["y"], 1  # beyond the end of `x`


def loop_cases():
    for n, a, b in ((0, 3, 3), (5, 0, 4), (70, 4, 5), (33, 6, 2)):
        yield "loops", "nested", {"y": words(n, 7), "n": n, "a": a, "b": b}, ["y"], 2
    for lo, hi in ((0, 0), (-4, 3), (2147483646, 2147483647), (-2147483648, -2147483644), (5, -5)):
        yield "loops", "edges", {"y": words(40, 8), "n": 40, "lo": lo, "hi": hi}, ["y"], 1
    for n, rounds in ((1, 5), (100, 0), (257, 9)):
        yield "loops", "turns", {"x": words(n, 9), "y": stale(n, np.uint32), "n": n, "rounds": rounds}, ["y"], 3
    for n, levels in ((1000, 12), (1, 3), (0, 4), (77, 33)):
        yield "loops", "halves", {"y": words(1000, 10), "n": n, "levels": levels}, ["y"], 1
    for first, limit in ((3, 10), (0, 10), (9, 4), (256, 5), (1, 0)):
        yield "loops", "stopped", {"y": words(7, 11), "first": first, "limit": limit}, ["y"], 3
    for first in (0, 2, 300, 0x80000001):
        yield "loops", "stopped_within", {"y": words(9, 12), "flag": np.array([first, 5, 6], np.uint32), "outer": 5, "limit": 7}, ["y", "flag"], 2


def copy_cases():
    for n, count in ((4, 0), (6, 5), (9, 7)):
        yield "copies", "ends", {"x": words(9, 11), "y": words(20, 12), "n": n, "count": count}, ["y"], 2
    for length in (19, 64, 100):
        yield "copies", "fixed", {"x": words(length, 13), "y": words(max(length, 64), 14)}, ["y"], 2
    for rows, width in ((0, 9), (1, 1), (7, 33), (12, 0), (3, 256)):
        yield "copies", "moving", {"x": words(rows * width, 15), "y": words(rows * width, 16), "rows": rows, "width": width}, ["y"], 2
    for n in (0, 1, 5):
        yield "copies", "tiles", {"x": words(4 * n * n, 17), "y": words(4 * n * n, 18), "n": n}, ["y"], 1
    for runs in (1, 2, 3, 6, 7):
        for program in ("kept", "kept_twice"):
            yield "copies", program, {"x": words(90, 19), "y": words(110, 20), "v": runs}, ["y"], runs
    for start, to, count in ((0, 10, 10), (10, 0, 10), (0, 0, 0), (20, 20, 0), (5, 13, 7)):
        yield "copies", "onto", {"y": words(20, 21), "from": start, "to": to, "count": count}, ["y"], 1
    yield "copies", "onto_fixed", {"y": words(20, 21), "from": 0, "to": 8}, ["y"], 1
    yield "copies", "past_fixed", {"x": words(8, 21), "y": words(20, 22), "from": 0, "to": 12}, ["y"], 1
    yield "copies", "past", {"x": words(8, 21), "y": words(20, 22), "from": 8, "to": 20, "count": 0}, ["y"], 1


def number_cases():
    rng = np.random.default_rng(23)
    pairs = [*itertools.product((0, 1, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF), repeat=2), *(tuple(int(v) for v in rng.choice(NUMBERS, 2)) for _ in range(12))]
    signed = lambda v: v - (1 << 32 if v >> 31 else 0)
    for a, b in pairs:
        yield "numbers", "unsigned", {"o": stale(21, np.uint32), "a": a, "b": b}, ["o"], 1
        yield "numbers", "signed", {"o": stale(21, np.uint32), "a": signed(a), "b": signed(b)}, ["o"], 1
    for a, b in pairs[::5]:
        yield "numbers", "trips", {"o": stale(24, np.uint32), "a": a, "b": signed(b)}, ["o"], 2
    for f, b, u, i in (("nan", "true", 1 << 61, -1), ("-0.0", "false", (1 << 62) - 1, -1 << 62), ("1e-45", "true", 5, 1 << 60), ("inf", "true", 1 << 32, -1 << 32)):
        yield "numbers", "through", {"o": stale(7, np.uint32), "f": f, "b": b, "u": u, "i": i}, ["o"], 1
    for w, h, d in ((1, 1, 1), (5, 3, 2), (0, 4, 4), (4, 0, 1), (2, 3, 0), (9, 2, 7)):
        yield "numbers", "boxes", {"o": words(400, 24), "w": w, "h": h, "d": d}, ["o"], 1
    for h in (1, 33000):
        yield "numbers", "tall", {"o": words(1000, 25), "h": h}, ["o"], 1


def element_cases():
    for n in SIZES[:-1]:
        yield "elements", "small", {"x": floats(n, n + 3) * np.float32(90), "o": stale(n), "n": n}, ["o"], 2
        body = np.frombuffer(words(n * 8, 26).tobytes(), BODY).copy()
        body["place"], body["mass"] = floats(3 * n, 27).reshape(n, 3), floats(n, 28)
        yield "elements", "bodies", {"b": body, "o": np.zeros(n, BODY), "rounds": 3}, ["b", "o"], 2
        yield "elements", "vectors", {"v": floats(4 * n, 29).reshape(n, 4), "o": stale(4 * n).reshape(n, 4)}, ["o"], 1
        yield "elements", "histogram", {"x": words(n, 30), "o": stale(17, np.uint32)}, ["o"], 2


# Random frames for goldy-frames: how each parameter is drawn (test/Frames/Frames.h).
FRAMES = {
    "steps": {"chain": "n=0..700 f=-3..3 x=n y=n", "neighbours": "n=0..700 x=n y=n", "in_place": "n=0..500 x=n y=n", "grids": "n=0..500 x=2*n y=n",
              "alike": ("n=0..500 x=n y=n z=n", "n=0..500 x=n y=n z=&y", "n=0..500 x=n y=&x z=n"), "total": "n=0..700 x=n y=1", "deep": "n=0..500 x=n y=n", "lengths": "x=0..400 y=0..400"},
    "loops": {"nested": "n=0..90 a=0..4 b=0..5 y=n", "edges": "n=0..90 lo=-9..9 hi=-9..9 y=n", "turns": "n=0..300 rounds=0..6 x=n y=n",
              "halves": "n=0..400 levels=0..12 y=n", "stopped": "first=0..9 limit=0..9 y=7", "stopped_within": "outer=0..5 limit=0..6 y=9 flag=3..5"},
    "copies": {"fixed": "x=10..90 y=60..90", "moving": "rows=0..9 width=0..40 x=0..400 y=0..400", "tiles": "n=0..4 x=0..90 y=0..90",
               "kept": "v=0..9 x=0..120 y=100..120", "kept_twice": "v=0..9 x=0..120 y=100..120", "ends": "n=0..9 count=0..9 x=8..12 y=8..20", "past": ("from=0..20 to=0..20 count=0..20 x=0..40 y=0..40", "from=0..20 to=0..20 count=0..9 x=40 y=&x"),
               "past_fixed": "from=0..20 to=0..20 x=0..40 y=0..40", "onto": "from=0..20 to=0..20 count=0..9 y=0..40", "onto_fixed": "from=0..20 to=0..20 y=10..40"},
    "numbers": {"unsigned": "a=0..4294967295 b=0..4294967295 o=21", "signed": "a=-2147483648..2147483647 b=-40..40 o=21",
                "trips": "a=0..4294967295 b=-2147483648..2147483647 o=24", "boxes": "w=0..9 h=0..9 d=0..9 o=400", "tall": "h=0..300 o=900"},
    "elements": {"small": "n=0..300 x=n o=n", "bodies": "rounds=0..4 b=0..60 o=60..70", "vectors": "v=0..90 o=0..90", "histogram": "x=0..900 o=1..40"},
}


def frames(file):
    """(program, how its parameters are drawn)"""
    for program, how in FRAMES[file].items():
        for one in how if isinstance(how, tuple) else (how,):
            yield program, one


def cases():
    return itertools.chain(step_cases(), loop_cases(), copy_cases(), number_cases(), element_cases())


def refused():
    """(file, program, inputs, words of both messages): refused at the step."""
    x, y = words(20, 31), words(30, 32)
    for start, to, count in ((21, 0, 0), (0, 31, 0), (15, 0, 6), (0, 25, 6), (0xFFFFFFFF, 0, 2), (0, 0xFFFFFFFE, 3), (1, 1, 0xFFFFFFFF)):
        yield "copies", "past", {"x": x, "y": y, "from": start, "to": to, "count": count}
    for start, to in ((13, 0), (0, 23), (0xFFFFFFF8, 0), (0x80000000, 0x80000000)):
        yield "copies", "past_fixed", {"x": x, "y": y, "from": start, "to": to}
    for n, count in ((3, 0), (5, 6), (5, 10)):
        yield "copies", "ends", {"x": x, "y": y, "n": n, "count": count}
    for start, to, count in ((0, 0, 1), (3, 4, 2), (9, 5, 5)):
        yield "copies", "onto", {"y": y, "from": start, "to": to, "count": count}
    for start, to in ((0, 0), (3, 10), (9, 2)):
        yield "copies", "onto_fixed", {"y": y, "from": start, "to": to}
    yield "copies", "past", {"x": x, "y": "&x", "from": 0, "to": 3, "count": 5}
    yield "loops", "stopped_within", {"y": y, "flag": words(2, 33), "outer": 1, "limit": 3}
