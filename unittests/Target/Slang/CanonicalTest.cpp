//===- CanonicalTest.cpp - Golden texts of canonical Slang
//-----------------===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SlangTest.h"

using namespace goldy;
using namespace goldy::test;

TEST_CASE("canonical: saxpy, the text of the design") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [256, 1, 1])]
fn saxpy(x: &[f32], y: &mut [f32], a: f32) {
    let i = gpu::global_id().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}
)") ==
        R"([goldy_compute]
[numthreads(256, 1, 1)]
void cs_main(BufRO<float> x, Scattered<float> y, float a, ThreadId _goldy_gid) {
    uint i = _goldy_gid.x;
    if (i < y.len()) {
        y[i] = a * x[i] + y[i];
    }
}
)");
}

TEST_CASE(
    "canonical: a tree sum: workgroup array, barriers, builtins in order") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [256, 1, 1])]
fn tree(x: &[f32], out: gpu::Scattered<f32>) {
    let mut scratch = gpu::workgroup_array::<f32, 256>();
    let lane = gpu::local_id().x;
    scratch[lane] = x[gpu::global_id().x];
    gpu::workgroup_barrier();
    let mut width = 1;
    while width < 256 {
        if lane % (2 * width) == 0 {
            scratch[lane] += scratch[lane + width];
        }
        gpu::workgroup_barrier();
        width *= 2;
    }
    if lane == 0 {
        out[gpu::workgroup_id().x] = scratch[0];
    }
}
)") ==
        R"(groupshared float scratch[256];

[goldy_compute]
[numthreads(256, 1, 1)]
void cs_main(BufRO<float> x, Scattered<float> out, ThreadId _goldy_gid, GroupThreadId _goldy_lid, GroupId _goldy_wid) {
    uint lane = _goldy_lid.x;
    scratch[lane] = x[_goldy_gid.x];
    AllMemoryBarrierWithGroupSync();
    uint width = 1u;
    while (width < 256u) {
        if (goldy_rem(lane, 2u * width) == 0u) {
            scratch[lane] += scratch[lane + width];
        }
        AllMemoryBarrierWithGroupSync();
        width *= 2u;
    }
    if (lane == 0u) {
        out[_goldy_wid.x] = scratch[0u];
    }
}
)");
}

TEST_CASE(
    "canonical: structs and helpers stand before the entry, callees first") {
  CHECK(canonical(R"(#[goldy::gpu]
struct Color { r: f32, g: f32, v: gpu::Float3, p: [f32; 2], alpha: u32, on: bool }
fn luma(c: Color) -> f32 { 0.25 * c.r + 0.5 * c.v.y }
fn byte(v: f32) -> u32 {
    if v < 0.0 { return 0; }
    (v * 255.0 + 0.5) as u32
}
fn unused(v: f32) -> f32 { v }
fn store(to: &mut [u32], i: u32, v: u32) { to[i] = v; }
fn add_up(s: &[f32], from: u32) -> f32 { s[from] + s[from + 1] + gpu::global_id().x as f32 }
#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(c: &[Color], o: &mut [u32], y: &mut [f32]) {
    let i = gpu::global_id().x;
    if i < c.len() {
        let color = c[i];
        y[i] = luma(color) + c[i].p[1];
        store(o, i, byte(color.r) | byte(color.g) << 8);
        y[i] = add_up(y, i);
    }
}
)") ==
        R"(struct Color {
    float r;
    float g;
    float3 v;
    float p[2];
    uint alpha;
    bool on;
}

float luma(Color c) {
    Color c_1 = c;
    return 0.25 * c_1.r + 0.5 * c_1.v.y;
}

uint byte(float v) {
    if (v < 0.0) {
        return 0u;
    }
    return goldy_to_uint(v * 255.0 + 0.5);
}

void store(Scattered<uint> to, uint i, uint v) {
    to[i] = v;
}

float add_up(BufRO<float> s, uint from, ThreadId _goldy_gid) {
    return s[from] + s[from + 1u] + float(_goldy_gid.x);
}

[goldy_compute]
[numthreads(64, 1, 1)]
void cs_main(BufRO<Color> c, Scattered<uint> o, Scattered<float> y, ThreadId _goldy_gid) {
    uint i = _goldy_gid.x;
    if (i < c.len()) {
        Color color = c[i];
        y[i] = luma(color) + c[i].p[1];
        store(o, i, byte(color.r) | byte(color.g) << 8);
        y[i] = add_up(y.ro(), i, _goldy_gid);
    }
}
)");
}

TEST_CASE("canonical: control flow") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [64, 1, 1])]
fn control(y: &mut [u32], n: u32, m: i32) {
    let i = gpu::global_id().x;
    let mut c = 0;
    while c < n {
        c += 1;
        if c == 3 { continue; }
        if c > 10 { break; }
        y[c] = i;
    }
    'rows: for r in 0..n {
        for q in (0..=m).step_by(3) {
            if q == 7 { continue 'rows; }
            if q == 9 { break 'rows; }
            y[r] += q as u32;
        }
    }
    let kind = if i == 0 { 1 } else if i < 10 { 2 } else { 3 };
    's: {
        if kind == 2 { break 's; }
        y[0] = kind;
    }
    match i { 0 => y[1] = 1, 1 | 2 => y[2] = 2, 3..=9 => { y[3] = 3; } _ => {} }
    loop {
        c -= 1;
        if c == 0 { return; }
        y[c] = y[c + 1];
        for k in 0..=7 { if k == c { continue; } y[k] = c; }
    }
}
)") ==
        R"([goldy_compute]
[numthreads(64, 1, 1)]
void cs_main(Scattered<uint> y, uint n, int m, ThreadId _goldy_gid) {
    uint i = _goldy_gid.x;
    uint c = 0u;
    while (c < n) {
        c += 1u;
        if (c == 3u) {
            continue;
        }
        if (c > 10u) {
            break;
        }
        y[c] = i;
    }
    outer:
    for (uint r = 0u; r < n; r++) {
        next:
        while (true) {
            bool q_more = 0 <= m;
            for (int q = 0; q_more; q_more = uint(m - q) >= 3u, q += 3) {
                if (q == 7) {
                    break next;
                }
                if (q == 9) {
                    break outer;
                }
                y[r] += uint(q);
            }
            break;
        }
    }
    uint v;
    if (i == 0u) {
        v = 1u;
    } else {
        uint v_1;
        if (i < 10u) {
            v_1 = 2u;
        } else {
            v_1 = 3u;
        }
        v = v_1;
    }
    uint kind = v;
    while (true) {
        if (kind == 2u) {
            break;
        }
        y[0u] = kind;
        break;
    }
    if (i == 0u) {
        y[1u] = 1u;
    } else if (i == 1u || i == 2u) {
        y[2u] = 2u;
    } else if (i >= 3u && i <= 9u) {
        y[3u] = 3u;
    }
    while (true) {
        c -= 1u;
        if (c == 0u) {
            return;
        }
        y[c] = y[c + 1u];
        for (uint k = 0u; k <= 7u; k++) {
            if (k == c) {
                continue;
            }
            y[k] = c;
        }
    }
}
)");
}

TEST_CASE("canonical: operators with as few parentheses as Slang needs") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [8, 8, 1])]
fn ops(u: &mut [u32], s: &mut [i32], f: &mut [f32], b: &mut [bool], k: u32, on: bool) {
    let id = gpu::global_id();
    let i = id.y * gpu::num_workgroups().x + id.x;
    let a = u[i];
    let z = s[i];
    let x = f[i];
    u[0] = a / k + a % k + a / 3 - (a - (k - 1)) * 2;
    u[1] = (a << k) >> 3 | a & 7 ^ !k;
    s[2] = z / -1 + z % 2 - -z + (z >> 4) * i32::MIN;
    f[3] = -x * 0.1 + 0.5 / x - (x + 1.5) % 2.0 + f32::INFINITY;
    f[4] = x.min(2.0).max(-0.0).mul_add(x, 3.0).sqrt().abs();
    u[5] = x as u32 + z as u32 + on as u32 + x.to_bits();
    s[6] = (x as i32).max(z) + a.count_ones() as i32;
    b[7] = on && (x < 1.0 || !(a == 3)) && !(x >= 2.0);
    f[8] = gpu::select(x < 0.0, x.floor(), gpu::round(x)) + a as f32;
}
)") ==
        R"([goldy_compute]
[numthreads(8, 8, 1)]
void cs_main(Scattered<uint> u, Scattered<int> s, Scattered<float> f, Scattered<bool> b, uint k, bool on, ThreadId _goldy_gid) {
    uint i = _goldy_gid.y * goldy_num_groups().x + _goldy_gid.x;
    uint a = u[i];
    int z = s[i];
    float x = f[i];
    u[0u] = goldy_div(a, k) + goldy_rem(a, k) + a / 3u - (a - (k - 1u)) * 2u;
    u[1u] = goldy_shl(a, k) >> 3 | a & 7u ^ ~k;
    s[2u] = goldy_div(z, -1) + z % 2 - -z + (z >> 4) * int(0x80000000u);
    f[3u] = -x * asfloat(0x3dcccccdu) + 0.5 / x - goldy_rem(x + 1.5, 2.0) + asfloat(0x7f800000u);
    f[4u] = abs(sqrt(goldy_fma(goldy_max(goldy_min(x, 2.0), asfloat(0x80000000u)), x, 3.0)));
    u[5u] = goldy_to_uint(x) + uint(z) + uint(on) + asuint(x);
    s[6u] = max(goldy_to_int(x), z) + int(countbits(a));
    b[7u] = on && (x < 1.0 || a != 3u) && !(x >= 2.0);
    f[8u] = (x < 0.0 ? floor(x) : goldy_round(x)) + float(a);
}
)");
}

TEST_CASE(
    "canonical: reads stay in front of the writes that would change them") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [64, 1, 1])]
fn order(u: &mut [u32], s: &mut [i32], f: &mut [f32]) {
    let i = gpu::global_id().x;
    let old = gpu::atomic_add(u, 0, 5);
    gpu::atomic_max(s, 1, -3);
    u[9] = u[1] + gpu::atomic_compare_exchange(u, 3, 1, 2) + old;
    let mut t = [0.0; 4];
    t[i & 3] = f[i];
    let mut n = 1;
    u[2] = n + { n += 1; n };
    f[2] = t[0] + { t[0] = 1.0; t[0] };
}
)") ==
        R"([goldy_compute]
[numthreads(64, 1, 1)]
void cs_main(Scattered<uint> u, Scattered<int> s, Scattered<float> f, ThreadId _goldy_gid) {
    uint i = _goldy_gid.x;
    uint old = u.atomic_add(0u, 5u);
    s.atomic_max(1u, -3);
    uint t0 = u[1u];
    uint t1 = u.atomic_compare_exchange(3u, 1u, 2u);
    u[9u] = t0 + t1 + old;
    float t[4] = {};
    t[i & 3u] = f[i];
    uint n = 1u;
    uint t2 = n;
    n += 1u;
    u[2u] = t2 + n;
    float t3 = t[0];
    t[0] = 1.0;
    f[2u] = t3 + t[0];
}
)");
}

TEST_CASE("canonical: names that Slang keeps for itself get a number") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(float: &mut [f32], out: f32, goldy_x: u32) {
    let uint = gpu::global_id().x;
    let x = float[uint];
    let x = x + out;
    let class = goldy_x;
    { let x = x * 2.0; float[class] = x; }
    float[uint] = x;
}
)") ==
        R"([goldy_compute]
[numthreads(64, 1, 1)]
void cs_main(Scattered<float> float_1, float out, uint u_goldy_x, ThreadId _goldy_gid) {
    uint uint_1 = _goldy_gid.x;
    float x = float_1[uint_1];
    float x_1 = x + out;
    float x_2 = x_1 * 2.0;
    float_1[u_goldy_x] = x_2;
    float_1[uint_1] = x_1;
}
)");
}

TEST_CASE("canonical: an access beyond an array by a constant vanishes") {
  CHECK(canonical(R"(#[goldy::compute(workgroup_size = [64, 1, 1])]
fn k(y: &mut [f32], h: &mut [u32]) {
    let mut s = gpu::workgroup_array::<u32, 9>();
    let mut t = [1.0; 2];
    t[2] = 2.0;
    y[0] = t[1] + t[3];
    h[0] = gpu::atomic_add(s, 9, 1) + s[1];
}
)") == R"(groupshared uint s[9];

[goldy_compute]
[numthreads(64, 1, 1)]
void cs_main(Scattered<float> y, Scattered<uint> h) {
    float t[2] = {1.0, 1.0};
    y[0u] = t[1] + 0.0;
    h[0u] = 0u + s[1u];
}
)");
}
