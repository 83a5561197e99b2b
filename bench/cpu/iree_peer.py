#!/usr/bin/env python3
"""The suite by IREE's llvm-cpu back end: iree_peer.py FOLDER KERNEL N THREADS CPU

Answers the lines of goldy-cpu-opencl. Kernels are linalg on tensors, compiled for CPU (`host`, or a name of LLVM) and kept in FOLDER; storage of
the result is passed in, for saxpy the very memory of `y`, so that it moves as many bytes as the others. A dispatch is one
operation of a hundred kept apart by barriers of the optimiser; the figure is scaled to a thousand. Run it by a Python that has
iree-base-compiler, iree-base-runtime and numpy; `version` also tells what calling an empty function costs, which is in
every figure.
"""
import hashlib
import importlib.metadata
import json
import pathlib
import statistics
import subprocess
import sys
import time

import iree.runtime as rt
import numpy as np

NORM_COLS = 1024
CHAIN_OPS = 100


def stop(why):
    print(json.dumps({"error": why}), flush=True)
    sys.exit(1)


def hashed(count, seed=0):
    i = np.arange(count, dtype=np.uint32) + np.uint32(seed)
    i ^= i >> np.uint32(16)
    i *= np.uint32(0x7FEB352D)
    i ^= i >> np.uint32(15)
    i *= np.uint32(0x846CA68B)
    return i ^ i >> np.uint32(16)


def floats(count, seed, scale=1, offset=0):
    r = (hashed(count, seed) >> np.uint32(8)).astype(np.float32) * np.float32(1 / 8388608) - np.float32(1)
    return r * np.float32(scale) + np.float32(offset)


def const(names):
    return "".join(f"  %{n} = arith.constant {v} : {t}\n" for n, v, t in names)


def elementwise(shape, ins, body, result, kind="f32", name="r", maps=None):
    """One linalg.generic over `ins` (name: type) of as many parallel loops as the shape has axes."""
    axes = ", ".join(f"d{i}" for i in range(len(shape)))
    same = f"affine_map<({axes}) -> ({axes})>"
    out = f"tensor<{'x'.join(map(str, shape))}x{kind}>"
    listed = [(maps or {}).get(n, same) for n in ins] + [same]
    loops = ", ".join(['"parallel"'] * len(shape))
    arguments = ", ".join([f"%e{i}: {kind}" for i in range(len(ins))] + [f"%old: {kind}"])
    return (f"  %{name}_s = tensor.empty() : {out}\n"
            f"  %{name} = linalg.generic {{indexing_maps = [{', '.join(listed)}], "
            f"iterator_types = [{loops}]}} "
            f"ins({', '.join('%' + n for n in ins)} : {', '.join(ins.values())}) outs(%{name}_s : {out}) {{\n"
            f"  ^bb0({arguments}):\n{body}    linalg.yield %{result} : {kind}\n  }} -> {out}\n")


def function(arguments, result, body, value="r"):
    listed = ", ".join(f"%{n}: {t}" for n, t in arguments.items())
    return (f"func.func @f({listed}, %out: {result} {{iree.abi.output = 0 : index}}) -> {result} {{\n"
            f"{body}  return %{value} : {result}\n}}\nfunc.func @nothing() {{\n  return\n}}\n")


def saxpy_body(x, y):
    return f"    %m = arith.mulf %{x}, %a : f32\n    %v = arith.addf %m, %{y} : f32\n"


def saxpy(n):
    t = f"tensor<{n}xf32>"
    body = const([("a", "1.0e-3", "f32")]) + elementwise([n], {"x": t, "y": t}, saxpy_body("e0", "e1"), "v")
    return function({"x": t, "y": t}, t, body), [floats(n, 1), floats(n, 2)], 1


def dispatch(n):
    t = f"tensor<{n}xf32>"
    body = const([("a", "1.0e-3", "f32")])
    current = "y"
    for i in range(CHAIN_OPS):
        last = i == CHAIN_OPS - 1
        name = "r" if last else f"d{i}"
        body += elementwise([n], {"x": t, current: t}, saxpy_body("e0", "e1"), "v", name=name)
        if not last:
            body += f"  %{name}b = util.optimization_barrier %{name} : {t}\n"
            current = f"{name}b"
    return function({"x": t, "y": t}, t, body), [floats(n, 1), floats(n, 2)], (n,)


def chain(n):
    t = f"tensor<{n}xf32>"
    names = [("two", "2.0", "f32"), ("one", "1.0", "f32"), ("half", "0.5", "f32"), ("c", "0.79788456", "f32"),
             ("d", "0.044715", "f32"), ("low", "-0.1", "f32"), ("high", "2.0", "f32")]
    steps = [("m", "mulf %e0, %two"), ("y", "addf %m, %one"), ("q", "mulf %d, %y"), ("q2", "mulf %q, %y"),
             ("q3", "mulf %q2, %y"), ("p", "addf %y, %q3"), ("u", "mulf %c, %p")]
    body = "".join(f"    %{n} = arith.{op} : f32\n" for n, op in steps) + "    %t = math.tanh %u : f32\n"
    steps = [("t1", "addf %one, %t"), ("h", "mulf %half, %y"), ("g", "mulf %h, %t1"), ("g1", "maximumf %g, %low"),
             ("g2", "minimumf %g1, %high")]
    body += "".join(f"    %{n} = arith.{op} : f32\n" for n, op in steps)
    return function({"x": t}, t, const(names) + elementwise([n], {"x": t}, body, "g2")), [floats(n, 1)], (n,)


def softmax(n):
    t = f"tensor<{n}x{n}xf32>"
    body = (f"  %e = tensor.empty() : {t}\n"
            f"  %r = linalg.softmax dimension(1) ins(%x : {t}) outs(%e : {t}) -> {t}\n")
    return function({"x": t}, t, body), [floats(n * n, 1).reshape(n, n)], (n, n)


def rmsnorm(n):
    c = NORM_COLS
    t, row, line = f"tensor<{n}x{c}xf32>", f"tensor<{n}xf32>", f"tensor<{c}xf32>"
    both, first, last = (f"affine_map<(d0, d1) -> ({x})>" for x in ("d0, d1", "d0", "d1"))
    body = const([("zero", "0.0", "f32"), ("cols", f"{float(c)}", "f32"), ("eps", "1.0e-5", "f32"), ("one", "1.0", "f32")])
    body += (f"  %se = tensor.empty() : {row}\n"
             f"  %s0 = linalg.fill ins(%zero : f32) outs(%se : {row}) -> {row}\n"
             f"  %s = linalg.generic {{indexing_maps = [{both}, {first}], iterator_types = [\"parallel\", \"reduction\"]}} "
             f"ins(%x : {t}) outs(%s0 : {row}) {{\n  ^bb0(%e: f32, %o: f32):\n    %q = arith.mulf %e, %e : f32\n"
             f"    %v = arith.addf %o, %q : f32\n    linalg.yield %v : f32\n  }} -> {row}\n")
    steps = ["%m = arith.divf %e1, %cols", "%p = arith.addf %m, %eps", "%w = math.sqrt %p", "%i = arith.divf %one, %w",
             "%u = arith.mulf %e0, %i", "%v = arith.mulf %u, %e2"]
    body += elementwise([n, c], {"x": t, "s": row, "g": line}, "".join(f"    {s} : f32\n" for s in steps), "v",
                        maps={"s": first, "g": last})
    return function({"x": t, "g": line}, t, body), [floats(n * c, 1).reshape(n, c), floats(c, 2)], (n, c)


def sum_of(n):
    t = f"tensor<{n}xf32>"
    body = const([("zero", "0.0", "f32")])
    body += ("  %e = tensor.empty() : tensor<f32>\n"
             "  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>\n"
             "  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], "
             f"iterator_types = [\"reduction\"]}} ins(%x : {t}) outs(%z : tensor<f32>) {{\n  ^bb0(%v: f32, %o: f32):\n"
             "    %w = arith.addf %o, %v : f32\n    linalg.yield %w : f32\n  } -> tensor<f32>\n")
    return function({"x": t}, "tensor<f32>", body), [floats(n, 1, 0.5, 0.5)], ()


def sgemm(n):
    t = f"tensor<{n}x{n}xf32>"
    body = const([("zero", "0.0", "f32")])
    body += (f"  %e = tensor.empty() : {t}\n  %z = linalg.fill ins(%zero : f32) outs(%e : {t}) -> {t}\n"
             f"  %r = linalg.matmul ins(%a, %b : {t}, {t}) outs(%z : {t}) -> {t}\n")
    return function({"a": t, "b": t}, t, body), [floats(n * n, 1).reshape(n, n), floats(n * n, 2).reshape(n, n)], (n, n)


def conv5(n):
    t, p = f"tensor<{n}x{n}xf32>", f"tensor<{n + 4}x{n + 4}xf32>"
    body = const([("zero", "0.0", "f32")])
    body += (f"  %p = tensor.pad %x low[2, 2] high[2, 2] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield %zero : f32\n"
             f"  }} : {t} to {p}\n  %e = tensor.empty() : {t}\n"
             f"  %z = linalg.fill ins(%zero : f32) outs(%e : {t}) -> {t}\n"
             f"  %r = linalg.conv_2d ins(%p, %k : {p}, tensor<5x5xf32>) outs(%z : {t}) -> {t}\n")
    return function({"x": t, "k": "tensor<5x5xf32>"}, t, body), [floats(n * n, 1).reshape(n, n), floats(25, 2).reshape(5, 5)], (n, n)


def mix(n):
    t = f"tensor<{n}xi32>"
    names = [("c16", 16, "i32"), ("c13", 13, "i32"), ("m1", 0x85EBCA6B - 2**32, "i32"), ("m2", 0xC2B2AE35 - 2**32, "i32")]
    names += [(f"r{i}", i, "i32") for i in range(4)]
    body, h = "", "e0"
    for i in range(4):
        for step, (op, with_) in enumerate([("shrui", "c16"), ("muli", "m1"), ("shrui", "c13"), ("muli", "m2"),
                                            ("shrui", "c16"), ("addi", f"r{i}")]):
            name = f"v{i}_{step}"
            body += f"    %{name}{'s' if op == 'shrui' else ''} = arith.{op} %{h}, %{with_} : i32\n"
            if op == "shrui":
                body += f"    %{name} = arith.xori %{h}, %{name}s : i32\n"
            h = name
    return function({"x": t}, t, const(names) + elementwise([n], {"x": t}, body, h, kind="i32")), [hashed(n).view(np.int32)], (n,)


# Name to a function of the size that gives source, inputs, and the shape of the result or which input's memory it takes.
KERNELS = {"saxpy": saxpy, "dispatch": dispatch, "chain": chain, "softmax": softmax, "rmsnorm": rmsnorm, "sum": sum_of,
           "sgemm": sgemm, "conv5": conv5, "mix": mix}


def compiled(folder, name, source, cpu):
    flags = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", f"--iree-llvmcpu-target-cpu={cpu}"]
    key = hashlib.sha1((source + str(flags)).encode()).hexdigest()[:12]
    out = pathlib.Path(folder) / f"iree-{name}-{key}.vmfb"
    if not out.exists():
        text = out.with_suffix(".mlir")
        text.write_text(source)
        tool = pathlib.Path(sys.executable).with_name("iree-compile")
        done = subprocess.run([tool, *flags, text, "-o", out], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            stop("iree-compile failed: " + done.stderr[-300:])
    return out


class Peer:
    def __init__(self, folder, name, n, threads, cpu):
        if name not in KERNELS:
            stop("no natural form on tensors")
        source, self.inputs, self.result = KERNELS[name](n)
        self.scale = 1000 / CHAIN_OPS if name == "dispatch" else 1
        self.words = name == "mix"
        if threads > 1:
            rt.flags.parse_flags(f"--task_topology_group_count={threads}")
        self.config = rt.Config("local-sync" if threads == 1 else "local-task")
        module = rt.VmModule.mmap(self.config.vm_instance, str(compiled(folder, name, source, cpu)))
        self.context = rt.VmContext(self.config.vm_instance, [*self.config.default_vm_modules, module])
        self.function, self.nothing = module.lookup_function("f"), module.lookup_function("nothing")
        self.fill()

    def fill(self):
        arrays = [rt.asdevicearray(self.config.device, a) for a in self.inputs]
        if isinstance(self.result, int):
            self.out = arrays[self.result]
        else:
            self.out = rt.asdevicearray(self.config.device, np.zeros(self.result, self.inputs[0].dtype))
        self.arguments = rt.VmVariantList(len(arrays) + 1)
        for a in [*arrays, self.out]:
            self.arguments.push_ref(a._buffer_view)

    def once(self):
        self.context.invoke(self.function, self.arguments, rt.VmVariantList(1))

    def seconds(self, once, warm, samples, batch):
        for _ in range(warm):
            once()
        seen = []
        for _ in range(samples):
            start = time.perf_counter()
            for _ in range(batch):
                once()
            seen.append((time.perf_counter() - start) / batch)
        return statistics.median(seen)

    def empty(self):
        nothing = rt.VmVariantList(0)
        return self.seconds(lambda: self.context.invoke(self.nothing, nothing, rt.VmVariantList(1)), 100, 101, 100)

    def check(self):
        self.fill()
        self.once()
        v = self.out.to_host().reshape(-1)
        v = (v.view(np.uint32) if self.words else v).astype(np.float64)
        weights = np.arange(v.size) % 7 + 1
        return {"sum": v.sum(), "weighted": (v * weights).sum(), "scale": (np.abs(v) * weights).sum()}

    def answer(self, line):
        verb, *rest = line.split()
        if verb == "version":
            version = importlib.metadata.version("iree-base-runtime")
            return {"version": f"runtime {version}; an empty call {self.empty() * 1e6:.2f} us"}
        if verb == "time":
            return {"seconds": self.seconds(self.once, *map(int, rest[1:])) * self.scale}
        if verb == "check":
            return self.check()
        return {"error": f"no request {verb}"}


def main():
    folder, name, n, threads, cpu = sys.argv[1:]
    peer = Peer(folder, name, int(n), int(threads), cpu)
    for line in sys.stdin:
        print(json.dumps(peer.answer(line)), flush=True)


if __name__ == "__main__":
    main()
