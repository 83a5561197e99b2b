"""Random programs: dispatches, copies and loops in any order over few buffers, so that every pair of neighbours is met that fusion has to judge.

What a program leaves is determined: temporaries are written whole before anything else, and a kernel whose work-items look at others' elements gets buffers
that cannot be one.
"""
import random

KERNELS = """use goldy::gpu;

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn start(y: &mut [u32], v: u32) {
    let i = gpu::global_id().x;
    if i < y.len() {
        y[i] = i * 2654435761 + v;
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn mix_up(a: &[u32], b: &[u32], y: &mut [u32], n: u32, v: u32) {
    let i = gpu::global_id().x;
    if i < n {
        y[i] = (a[i] * 2654435761 + b[i]) ^ v;
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn add(x: &[u32], y: &mut [u32], n: u32) {
    let i = gpu::global_id().x;
    if i >= n {
        return;
    }
    y[i] = y[i] + x[i] * 3;
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn twice(x: &[u32], y: &mut [u32], z: &mut [u32], v: u32) {
    let i = gpu::global_id().x;
    if i < y.len() {
        y[i] = x[i] + v;
        z[i] = x[i] - v;
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn steps(x: &[u32], y: &mut [u32], n: u32, k: u32) {
    let i = gpu::global_id().x;
    if i < n {
        let mut v = x[i];
        for j in 0..k {
            if v % 3 == 0 {
                break;
            }
            v = v * 5 + j;
        }
        y[i] = v;
    }
}

#[goldy::compute(workgroup_size = [32, 1, 1])]
fn narrow(x: &[u32], y: &mut [u32], n: u32) {
    let i = gpu::global_id().x;
    if i < n {
        y[i] = x[i] ^ (x[i] >> 7);
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn floats(x: &[u32], y: &mut [u32], n: u32, f: f32) {
    let i = gpu::global_id().x;
    if i < n {
        y[i] = ((x[i] >> 9) as f32 * f + 0.3).to_bits();
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn shift(x: &[u32], y: &mut [u32], n: u32) {
    let i = gpu::global_id().x;
    if i < n {
        y[i] = x[(i + 1) % n] + x[i];
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn reverse(x: &[u32], y: &mut [u32], n: u32) {
    let i = gpu::global_id().x;
    if i < n {
        y[n - 1 - i] = x[i] + 1;
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn sums(x: &[u32], y: &mut [u32], n: u32) {
    let mut s = gpu::workgroup_array::<u32, 64>();
    let i = gpu::global_id().x;
    let v = if i < n { x[i] } else { 0 };
    let all = gpu::workgroup_sum::<64>(v, s);
    if i < n {
        y[i] = all ^ v;
    }
}

#[goldy::compute(workgroup_size = [64, 1, 1])]
fn count(x: &[u32], y: &mut [u32], n: u32) {
    let i = gpu::global_id().x;
    if i < n {
        gpu::atomic_add(y, x[i] % n, i);
    }
}
"""


class Writer:
    def __init__(self, rng, aliased):
        self.rng, self.aliased, self.lines, self.depth, self.vars = rng, aliased, [], 1, []
        self.inputs = ["x", "y", "z"]
        self.temporaries = [f"t{i}" for i in range(rng.randint(0, 4))]
        self.owned = [f"s{i}" for i in range(rng.randint(0, 2))]
        self.written = ["y", "z"] + self.temporaries + self.owned

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def any(self, written=False, apart=()):
        """A buffer that is none of `apart`, whatever the caller gives."""
        some = self.written if written else self.written + ["x"]
        far = [b for b in some if b not in apart and not (self.aliased and b in self.inputs and set(apart) & set(self.inputs))]
        return self.rng.choice(far) if far else None

    def number(self):
        r = self.rng.random()
        if self.vars and r < 0.4:
            v = self.rng.choice(self.vars)
            return self.rng.choice((v, f"{v} * 3 + 1", f"n - {v}", f"({v} << 3) ^ m"))
        return self.rng.choice(("m", "n", "7", "0", str(self.rng.randint(0, 1 << 32) % (1 << 32)), "x.len() * 2", "m + 5"))

    def grid(self):
        return self.rng.choice((".over_1d(n)",) * 6 + (".over_1d(n / 2)", ".over_1d(n + 5)", ".groups([n / 64 + 1, 1, 1])", ".over_1d(m * 40)"))

    def dispatch(self):
        kind = self.rng.choice(("mix_up",) * 4 + ("add",) * 2 + ("twice", "steps", "narrow", "floats") * 2 + ("shift", "reverse", "sums", "count", "start"))
        y = self.any(written=True)
        n = self.rng.choice(("n", "n", "n", "n / 2", "m * 30"))
        if kind in ("shift", "reverse", "sums", "count"):
            x = self.any(apart=(y,))
            if x is None:
                return
            args = f"{x}, {y}, n"
        elif kind == "mix_up":
            args = f"{self.any()}, {self.any()}, {y}, {n}, {self.number()}"
        elif kind == "twice":
            z = self.any(written=True, apart=(y,))
            if z is None:
                return
            args = f"{self.any()}, {y}, {z}, {self.number()}"
        elif kind == "steps":
            args = f"{self.any()}, {y}, {n}, {self.rng.choice(('m', '3', '0'))}"
        elif kind == "floats":
            args = f"{self.any()}, {y}, {n}, {self.rng.choice(('1.5', '-0.0', '1.0e-39', '3.0'))}"
        elif kind == "start":
            args = f"{y}, {self.number()}"
        else:
            args = f"{self.any()}, {y}, {n}"
        self.line(f"{kind}({args}){self.grid()};")

    def copy(self):
        y = self.any(written=True)
        x = self.any(apart=(y,))
        if x:
            offset, count = self.rng.choice((("0", "n"), ("n / 4", "n / 2"), ("0", "n / 2"), ("n - n / 3", "n / 3")))
            self.line(f"gpu::copy({x}, {offset}, {y}, {self.rng.choice(('0', offset))}, {count});")

    def loop(self):
        v = f"i{len(self.vars)}"
        self.line(f"for {v} in {self.rng.choice(('0..m', '1..3', 'm..4', '0..2', '(0..7).step_by(3)'))} {{")
        self.vars.append(v)
        self.depth += 1
        for _ in range(self.rng.randint(1, 4)):
            self.statement()
        self.vars.pop()
        self.depth -= 1
        self.line("}")

    def statement(self):
        r = self.rng.random()
        if r < 0.1 and len(self.vars) < 2:
            self.loop()
        elif r < 0.18:
            self.copy()
        else:
            self.dispatch()

    def program(self, name):
        for t in self.temporaries:
            self.line(f"let {t} = gpu::temporary::<u32>(n);")
        for s in self.owned:
            if self.rng.random() < 0.5:
                self.line("#[two_copies]")
            self.line(f"let {s} = gpu::buffer::<u32, 512>();")
        for number, t in enumerate(self.temporaries):
            self.line(f"start({t}, {number}).over_1d(n);")
        for _ in range(self.rng.randint(3, 14)):
            self.statement()
        return f"#[goldy::program]\nfn {name}(x: &[u32], y: &mut [u32], z: &mut [u32], n: u32, m: u32) {{\n" + "\n".join(self.lines) + "\n}\n"


def write(path, seed, count):
    """Writes a file of programs; how the parameters of each are drawn."""
    text, frames = [KERNELS], {}
    for number in range(count):
        rng = random.Random(f"{seed}.{number}")
        aliased = rng.random() < 0.3
        name = f"p{seed}_{number}"
        text.append(Writer(rng, aliased).program(name))
        both = rng.choice(("y=&x z=n", "y=n z=&y", "y=n z=&x", "y=&x z=&x")) if aliased else "y=n z=n"
        frames[name] = f"n=0..300 m=0..4 x=n {both}"
    path.write_text("\n".join(text))
    return frames
