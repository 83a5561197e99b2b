#!/usr/bin/env python3
"""The network of this example: trains it, and says what its answers must be.

  model.py make DIR [--images=N]    writes w1, b1, w2, b2, images and labels as .npy
  model.py check DIR                compares probabilities.npy with numpy

The images are ten digits in 8 x 8 pixels, shifted, with noise. Sums are made in the order in which the kernel makes them, in single
precision; softmax is made in double precision.
"""
import argparse
import pathlib
import sys

import numpy as np

DIGITS = ("0110100110010110", "0010011000100111", "1110000101101111", "1110011000011110", "1010101011110010",
          "1111111000011110", "0110100011110110", "1111001001000100", "1111011010010110", "0110111100010110")
INPUTS, HIDDEN, CLASSES = 64, 32, 10


def images(count, rng):
    """(images, the digit of each)"""
    labels = rng.integers(0, CLASSES, count)
    glyphs = np.array([[int(c) for c in d] for d in DIGITS], np.float32).reshape(-1, 4, 4)
    out = np.zeros((count, 8, 8), np.float32)
    for image, label in zip(out, labels):
        top, left = rng.integers(0, 5, 2)
        image[top:top + 4, left:left + 4] = glyphs[label]
    out += rng.normal(0, 0.15, out.shape).astype(np.float32)
    return np.rint(out.clip(0, 1) * 255).astype(np.uint8).reshape(count, INPUTS), labels


def values(x):
    """Bytes as the host gives them to the network."""
    return x.astype(np.float32) / np.float32(255)


def train(rng, steps=2000, size=128, rate=0.15):
    """Plain descent along the gradient of the cross entropy."""
    w1, w2 = (rng.normal(0, (2 / n) ** 0.5, (n, m)) for n, m in ((INPUTS, HIDDEN), (HIDDEN, CLASSES)))
    b1, b2 = np.zeros(HIDDEN), np.zeros(CLASSES)
    for _ in range(steps):
        pixels, labels = images(size, rng)
        x = values(pixels)
        hidden = np.maximum(x @ w1 + b1, 0)
        slope = softmax(hidden @ w2 + b2)
        slope[np.arange(size), labels] -= 1
        slope *= rate / size
        back = (slope @ w2.T) * (hidden > 0)
        w2 -= hidden.T @ slope
        b2 -= slope.sum(0)
        w1 -= x.T @ back
        b1 -= back.sum(0)
    return [a.astype(np.float32) for a in (w1, b1, w2, b2)]


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def dense(x, w, b):
    """`x w + b` in single precision, the products added one after the other."""
    total = np.zeros((len(x), w.shape[1]), np.float32)
    for k in range(w.shape[0]):
        total = total + x[:, k:k + 1] * w[k]
    return total + b


def make(folder, count):
    rng = np.random.default_rng(8)
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in zip(("w1", "b1", "w2", "b2"), train(rng)):
        np.save(folder / f"{name}.npy", value)
    x, labels = images(count, np.random.default_rng(9))
    np.save(folder / "images.npy", x)
    np.save(folder / "labels.npy", labels.astype(np.uint32))


def check(folder):
    x, labels, w1, b1, w2, b2, got = (np.load(folder / f"{name}.npy") for name in ("images", "labels", "w1", "b1", "w2", "b2", "probabilities"))
    want = softmax(dense(np.maximum(dense(values(x), w1, b1), np.float32(0)), w2, b2).astype(np.float64))
    got = got.reshape(want.shape)
    worst = np.abs(got - want).max()
    right = (got.argmax(1) == labels).mean()
    print(f"{len(x)} images, {100 * right:.1f} % recognised, largest difference from numpy {worst:.1e}")
    return 0 if worst <= 1e-6 and right >= 0.85 else 1


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("what", choices=("make", "check"))
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("--images", type=int, default=1000)
    opt = p.parse_args()
    if opt.what == "check":
        return check(opt.folder)
    make(opt.folder, opt.images)
    return 0


if __name__ == "__main__":
    sys.exit(main())
