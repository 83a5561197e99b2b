#!/usr/bin/env python3
"""The polynomials of lib/Prelude/math.goldy: minimax (Remez exchange) fits, rounded to f32 one after the other.

  coefficients.py [NAME…]      needs the package mpmath

A fit minimises the largest weighted error of sum c[k] v^k over an interval. Coefficients are rounded to f32 from the lowest
on, and the rest is fitted again after each rounding. Prints the coefficients and the largest error, as a power of two.
"""
import struct
import sys

from mpmath import mp, mpf

mp.dps = 40
GRID = 1500


def f32(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def shortest(x):
    for digits in range(1, 12):
        text = f"{float(x):.{digits}g}"
        if f32(mpf(text)) == x:
            return text
    return repr(float(x))


def horner(c, v):
    r = mpf(0)
    for k in reversed(c):
        r = r * v + k
    return r


def remez(g, w, skip, n, lo, hi):
    """n coefficients of v^skip … v^(skip+n-1) for the values g with weights w on a grid; returns them and the error."""
    vs = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * i / (GRID - 1)) for i in range(GRID)]
    gs, ws = [g(v) for v in vs], [w(v) for v in vs]
    powers = [[v ** (skip + k) for k in range(n)] for v in vs]
    at = [round(i * (GRID - 1) / n) for i in range(n + 1)]
    best = None
    for _ in range(25):
        rows = [[ws[i] * p for p in powers[i]] + [(-1) ** j] for j, i in enumerate(at)]
        sol = mp.lu_solve(mp.matrix(rows), mp.matrix([ws[i] * gs[i] for i in at]))
        c = list(sol)[:n]
        err = [ws[i] * (sum(a * p for a, p in zip(c, powers[i])) - gs[i]) for i in range(GRID)]
        worst = max(abs(e) for e in err)
        if best is None or worst < best[1]:
            best = (c, worst)
        peaks = []
        for i in range(GRID):  # the largest of each run of one sign
            if peaks and (err[i] > 0) == (err[peaks[-1]] > 0):
                if abs(err[i]) > abs(err[peaks[-1]]):
                    peaks[-1] = i
            else:
                peaks.append(i)
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(err[peaks[0]]) < abs(err[peaks[-1]]) else -1)
        if len(peaks) < n + 1 or peaks == at:
            break
        at = peaks
    return best


def fit(g, w, n, lo, hi):
    done = []
    for k in range(n):
        c, _ = remez(lambda v: g(v) - horner(done, v), w, k, n - k, mpf(lo), mpf(hi))
        done.append(f32(c[0]))
    vs = [mpf(lo) + (mpf(hi) - mpf(lo)) * i / 4000 for i in range(4001)]
    return done, max(abs(w(v) * (horner(done, v) - g(v))) for v in vs)


def taylor_rest(f, first, lead):
    """(f(r) - sum of `first` terms) / r^lead, by its series near zero."""
    series = mp.taylor(f, 0, 24)

    def g(r):
        if abs(r) < mpf("0.05"):
            return sum(series[k] * r ** (k - lead) for k in range(lead, 25))
        return (f(r) - sum(series[k] * r ** k for k in range(first))) / r ** lead
    return g


def odd(f):
    """(f(r) - r) / r^3 as a function of z = r^2."""
    series = mp.taylor(f, 0, 31)

    def g(z):
        if z < mpf("0.01"):
            return sum(series[2 * k + 3] * z ** k for k in range(14))
        r = mp.sqrt(z)
        return (f(r) - r) / r ** 3
    return g


def odd_weight(f):
    return lambda z: mp.sqrt(z) ** 3 / f(mp.sqrt(z)) if z > 0 else mpf(0)


def even(f, lead, first):
    series = mp.taylor(f, 0, 30)

    def g(z):
        if z < mpf("0.01"):
            return sum(series[2 * k + lead] * z ** k for k in range((30 - lead) // 2))
        r = mp.sqrt(z)
        return (f(r) - sum(series[k] * r ** k for k in range(0, first, 2))) / r ** lead
    return g


def over(f, lead):
    return lambda r: r ** lead / f(r) if r != 0 else mpf(0)


def power_rest(z):
    if z < mpf("1e-6"):
        return mpf(3) / 5 + z * 3 / 7 + z * z / 3
    s = mp.sqrt(z)
    return (3 * mp.atanh(s) / s - 3 - z) / z ** 2


half_ln2 = mp.log(2) / 2 + mpf("0.0005")
root = mp.sqrt(2)
quarter = mp.pi / 4 + mpf("0.0005")

FITS = {
    # exp(r) = 1 + r + r^2 P(r)
    "exp": lambda n=5: fit(taylor_rest(mp.exp, 2, 2), lambda r: r ** 2 / mp.exp(r), n, -half_ln2, half_ln2),
    # log(1 + f) = f - f^2 / 2 + f^3 P(f)
    "log": lambda n=9: fit(taylor_rest(lambda f: mp.log(1 + f), 3, 3), over(lambda f: mp.log(1 + f), 3), n, 1 / root - 1, root - 1),
    # sin(r) = r + r^3 P(r^2), cos(r) = 1 - r^2 / 2 + r^4 P(r^2), tan(r) = r + r^3 P(r^2)
    "sin": lambda n=3: fit(odd(mp.sin), odd_weight(mp.sin), n, 0, quarter ** 2),
    "cos": lambda n=3: fit(even(mp.cos, 4, 4), lambda z: z ** 2 / mp.cos(mp.sqrt(z)), n, 0, quarter ** 2),
    "tan": lambda n=7: fit(odd(mp.tan), odd_weight(mp.tan), n, 0, quarter ** 2),
    # atan(t) = t + t^3 P(t^2), asin(x) = x + x^3 P(x^2)
    "atan": lambda n=9: fit(odd(mp.atan), odd_weight(mp.atan), n, 0, 1),
    "asin": lambda n=6: fit(odd(mp.asin), odd_weight(mp.asin), n, 0, mpf(1) / 4),
    # sinh(r) = r + r^3 P(r^2), cosh(r) = 1 + r^2 / 2 + r^4 P(r^2)
    "sinh": lambda n=3: fit(odd(mp.sinh), odd_weight(mp.sinh), n, 0, half_ln2 ** 2),
    "cosh": lambda n=2: fit(even(mp.cosh, 4, 4), lambda z: z ** 2 / mp.cosh(mp.sqrt(z)), n, 0, half_ln2 ** 2),
    # erf(x) = x + x P(x^2) below 0.921875
    "erf": lambda n=7: fit(lambda z: (mp.erf(mp.sqrt(z)) / mp.sqrt(z) if z > 0 else 2 / mp.sqrt(mp.pi)) - 1,
                           lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)) if z > 0 else mp.sqrt(mp.pi) / 2, n, 0, mpf("0.921875") ** 2),
    # erf(x) = 1 - exp(-x P(x)) above
    "erfc": lambda n=7: fit(lambda x: -mp.log(mp.erfc(x)) / x, lambda x: x * mp.erfc(x), n, mpf("0.921875"), mpf("4.0")),
    # the logarithm behind pow: log(m) = (2 / 3) s (3 + z + z^2 P(z)) with s = (m - 1) / (m + 1), z = s^2
    "power": lambda n=3: fit(power_rest, lambda z: z * z / 3, n, 0, ((root - 1) / (root + 1)) ** 2),
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FITS:
        name, _, count = name.partition(":")
        c, e = FITS[name](int(count)) if count else FITS[name]()
        print(f"{name}: 2^{float(mp.log(e, 2)):.1f}  " + ", ".join(shortest(x) for x in c))
