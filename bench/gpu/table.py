#!/usr/bin/env python3
"""The table of a run: ours beside the best peer and the limit of the machine.

  table.py FILE... [--all]

The files hold JSON lines of goldy-gpu-bench and of peers' programs (other lines, and a word and a tab before a line, are passed
over). `group` is "kernel", "limit" or "cost"; a kernel's `impl` begins with "goldy" or names a peer. Ratios are peer / ours and
limit / ours: 1 is as fast, more is faster. --all prints every one of our rows, not only the best of a device.
"""
import argparse
import json
import re

ORDER = ["copy", "saxpy", "chain", "softmax", "rmsnorm", "sum", "sgemm", "conv5", "hist", "mandel"]
# Rounds to fewer bits than f32, or skips what is compared.
NOT_PEERS = re.compile(r"TF32|plain stream|cudaMemcpyAsync|memcpy node|copy_")
STRICT = re.compile(r"fmad=false|no contraction")


def read(files):
    rows = {}
    for name in files:
        for line in open(name):
            at = line.find("{")
            try:
                row = json.loads(line[at:]) if at >= 0 else {}
            except ValueError:
                continue
            if "us" in row and "kernel" in row:
                rows.setdefault((row["group"], row["kernel"], row["impl"]), row)
    return list(rows.values())


def limits(rows):
    """Bytes and operations a microsecond that the machine reaches, by what a kernel does."""

    def most(pattern, key):
        return max((r[key] for r in rows if r["group"] == "limit" and re.fullmatch(pattern, r["kernel"]) and not NOT_PEERS.search(r["impl"])), default=None)

    copy, triad, reads = most(r"copy 2\^28", "TBps"), most(r"triad.*", "TBps"), most(r"read 1024.*", "TBps")
    fma, separate = most("fp32 fma", "Tops"), most(r"fp32 mul\+add", "Tops")
    moved = {"copy": copy, "saxpy": triad, "chain": copy, "softmax": copy, "rmsnorm": copy, "sum": reads, "conv5": copy, "hist": reads}

    def of(kernel, row):
        first = kernel.split()[0]
        if "hot" in kernel or kernel.endswith("2^16"):
            return None
        if first == "sgemm":
            rate = separate if "strict" in kernel else fma
            return row["Tops"] * row["us"] / rate if rate else None
        return row["TBps"] * row["us"] / moved[first] if moved.get(first) else None

    return of


def us(value):
    return "" if value is None else f"{value:.2f}" if value < 100 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def ratio(a, b):
    return "" if not a or not b else f"{a / b:.3f}"


def peers_of(rows, kernel):
    strict = kernel.endswith(" strict")
    of = [r for r in rows if r["kernel"] == kernel.removesuffix(" strict") and not r["impl"].startswith("goldy") and not NOT_PEERS.search(r["impl"])]
    return [r for r in of if STRICT.search(r["impl"])] if strict else of


def best(rows):
    return min(rows, key=lambda r: r["us"], default=None)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("files", nargs="+")
    p.add_argument("--all", action="store_true")
    opt = p.parse_args()
    rows = read(opt.files)
    ours = [r for r in rows if r["impl"].startswith("goldy ") and r["group"] == "kernel"]
    devices = sorted({r["impl"].split()[1] for r in ours})
    limit = limits(rows)
    kernels = sorted({r["kernel"] for r in ours}, key=lambda k: (ORDER.index(k.split()[0]) if k.split()[0] in ORDER else 99, [int(n) if n.isdigit() else n for n in re.split(r"(\d+)", k)]))
    head = ["kernel", "limit µs", "best peer µs", "best Vulkan peer µs"]
    for d in devices:
        head += [f"{d} µs", "peer / ours", "limit / ours"] + (["Vulkan peer / ours"] if d.startswith("vulkan") else [])
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for k in kernels:
        peers = peers_of(rows, k)
        peer, vulkan = best(peers), best([r for r in peers if r["impl"].startswith("vulkan")])
        bound = limit(k, next(r for r in ours if r["kernel"] == k))
        cells = [k, us(bound), f"{us(peer['us'])} ({peer['impl']})" if peer else "", us(vulkan["us"]) if vulkan else ""]
        for d in devices:
            mine = best([r for r in ours if r["kernel"] == k and r["impl"].split()[1] == d])
            cells += [f"{us(mine['us'])} ({mine['impl'].split(' ', 2)[2]})" if mine else ""]
            cells += [ratio(peer and peer["us"], mine and mine["us"]), ratio(bound, mine and mine["us"])]
            if d.startswith("vulkan"):
                cells += [ratio(vulkan and vulkan["us"], mine and mine["us"])]
        print("| " + " | ".join(cells) + " |")
    costs = [r for r in rows if r["group"] == "cost"]
    if costs:
        print("\n| operation | " + " | ".join(f"{d}, 10^12 a second | to mul" for d in devices) + " |\n|" + "---|" * (1 + 2 * len(devices)))
        rate = {(r["kernel"], r["impl"].split()[1]): r["Tops"] for r in costs}
        for op in dict.fromkeys(r["kernel"] for r in costs):
            cells = [op]
            for d in devices:
                cells += [f"{rate[op, d]:.3f}", ratio(rate[op, d], rate.get(("f32 mul", d)))] if (op, d) in rate else ["", ""]
            print("| " + " | ".join(cells) + " |")
    if opt.all:
        print()
        for r in sorted(ours, key=lambda r: (kernels.index(r["kernel"]), r["us"])):
            print(f"{r['kernel']:24} {r['us']:10.2f} µs  {r['impl']}")


if __name__ == "__main__":
    main()
