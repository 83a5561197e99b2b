//===- Operations.cpp - What is swept ---===//
//
// Part of goldyc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first 65,536 samples are all pairs of edges, in an order in which any
// first part of them is spread over all. Later ones are hashed words in eight
// zones.
//
//===----------------------------------------------------------------------===//
#include "Operations.h"

#include <cstring>

namespace goldy::sweep {
namespace {

const Operation Table[] = {
    {"add", "f32", "x + y", twinAdd, 2},
    {"sub", "f32", "x - y", twinSub, 2},
    {"mul", "f32", "x * y", twinMul, 2},
    {"div", "f32", "x / y", twinDiv, 2},
    {"rem", "f32", "x % y", twinRem, 2},
    {"sqrt", "f32", "gpu::sqrt(x)", twinSqrt},
    {"fma", "f32", "gpu::fma(x, y, z)", twinFma, 3},
    {"mul_add", "f32", "x * y + z", twinMulAdd, 3},
    {"min", "f32", "gpu::min(x, y)", twinMin, 2},
    {"max", "f32", "gpu::max(x, y)", twinMax, 2},
    {"clamp", "f32", "gpu::clamp(x, y, z)", twinClamp, 3},
    {"neg", "f32", "-x", twinNeg},
    {"abs", "f32", "gpu::abs(x)", twinAbs},
    {"copysign", "f32", "gpu::copysign(x, y)", twinCopysign, 2},
    {"sign", "f32", "gpu::sign(x)", twinSign},
    {"floor", "f32", "gpu::floor(x)", twinFloor},
    {"ceil", "f32", "gpu::ceil(x)", twinCeil},
    {"trunc", "f32", "gpu::trunc(x)", twinTrunc},
    {"round", "f32", "gpu::round(x)", twinRound},
    {"round_even", "f32", "gpu::round_even(x)", twinRoundEven},
    {"fract", "f32", "gpu::fract(x)", twinFract},
    {"compare", "u32",
     "(x < y) as u32 + (x <= y) as u32 * 2 + (x > y) as u32 * 4 + "
     "(x >= y) as u32 * 8 + (x == y) as u32 * 16 + (x != y) as u32 * 32",
     twinCompare, 2},
    {"to_u32", "u32", "x as u32", twinToU32},
    {"to_i32", "i32", "x as i32", twinToI32},
    {"to_u64", "u64", "x as u64", twinToU64},
    {"to_i64", "i64", "x as i64", twinToI64},
    {"to_f16", "gpu::f16", "x", twinToF16},
    {"to_bf16", "gpu::bf16", "x", twinToBF16},
    {"from_u32", "f32", "s.x as f32", twinFromU32},
    {"from_i32", "f32", "(s.x as i32) as f32", twinFromI32},
    {"from_u64", "f32", "(s.x as u64 | (s.y as u64) << 32) as f32", twinFromU64,
     2},
    {"from_i64", "f32", "((s.x as u64 | (s.y as u64) << 32) as i64) as f32",
     twinFromI64, 2},
    {"from_f16", "f32", "edges[n & 65535]", twinFromF16, 1, "gpu::f16"},
    {"from_bf16", "f32", "edges[n & 65535]", twinFromBF16, 1, "gpu::bf16"},
    {"exp", "f32", "gpu::exp(x)"},
    {"exp2", "f32", "gpu::exp2(x)"},
    {"exp_m1", "f32", "gpu::exp_m1(x)"},
    {"log", "f32", "gpu::log(x)"},
    {"log2", "f32", "gpu::log2(x)"},
    {"log10", "f32", "gpu::log10(x)"},
    {"ln_1p", "f32", "gpu::ln_1p(x)"},
    {"pow", "f32", "gpu::pow(x, y)", nullptr, 2},
    {"powi", "f32", "gpu::powi(x, (s.y as i32) >> (s.z & 31))", nullptr, 3},
    {"rsqrt", "f32", "gpu::rsqrt(x)"},
    {"sin", "f32", "gpu::sin(x)"},
    {"cos", "f32", "gpu::cos(x)"},
    {"tan", "f32", "gpu::tan(x)"},
    {"asin", "f32", "gpu::asin(x)"},
    {"acos", "f32", "gpu::acos(x)"},
    {"atan", "f32", "gpu::atan(x)"},
    {"atan2", "f32", "gpu::atan2(x, y)", nullptr, 2},
    {"sinh", "f32", "gpu::sinh(x)"},
    {"cosh", "f32", "gpu::cosh(x)"},
    {"tanh", "f32", "gpu::tanh(x)"},
    {"erf", "f32", "gpu::erf(x)"},
    {"mix", "f32", "gpu::mix(x, y, z)", nullptr, 3},
    {"step", "f32", "gpu::step(x, y)", nullptr, 2},
    {"smoothstep", "f32", "gpu::smoothstep(x, y, z)", nullptr, 3},
    {"length", "f32", "gpu::length(gpu::float3(x, y, z))", nullptr, 3},
    {"distance", "f32", "gpu::distance(gpu::float2(x, y), gpu::float2(y, z))",
     nullptr, 3},
    {"dot", "f32", "gpu::dot(gpu::float3(x, y, z), gpu::float3(y, z, x))",
     nullptr, 3},
    {"cross", "f32", "gpu::cross(gpu::float3(x, y, z), gpu::float3(z, x, y)).x",
     nullptr, 3},
    {"normalize", "f32", "gpu::normalize(gpu::float3(x, y, z)).x", nullptr, 3},
};

constexpr const char *Head = R"(use goldy::gpu;

#[goldy::gpu]
struct Sample {
    x: u32,
    y: u32,
    z: u32,
}

fn hash(n: u32) -> u32 {
    let a = (n ^ (n >> 16)) * 0x7feb352d;
    let b = (a ^ (a >> 15)) * 0x846ca68b;
    b ^ (b >> 16)
}

/// `bits` with the exponent field replaced.
fn with_exponent(bits: u32, field: u32) -> u32 {
    (bits & 0x807fffff) | (field << 23)
}

/// `bits` with another exponent within 12 of that of 1.0.
fn moderate(bits: u32) -> u32 {
    with_exponent(bits, 115 + (bits >> 5) % 25)
}

fn sample(edges: &[u32], n: u32) -> Sample {
    let h = hash(n);
    let a = hash(h ^ 0x68bc21eb);
    let b = hash(h ^ 0x02e5be93);
    let c = hash(h ^ 0x967a889b);
    let mut s = Sample { x: a, y: b, z: c };
    let near = h >> 29;
    if n < 65536 {
        let pair = (n * 40503) & 65535;
        s.x = edges[pair >> 8];
        s.y = edges[pair & 255];
        s.z = edges[h & 255];
    } else if h % 8 == 1 {
        // Products beside 2^-126; a third operand of their size.
        let field = 1 + (a >> 8) % 125;
        s.x = with_exponent(a, field);
        s.y = with_exponent(b, 126 + near / 3 - field);
        s.z = with_exponent(c, 1 + (c >> 10) % 3);
    } else if h % 8 == 2 {
        // Cancellation, in a sum and in a sum with a product.
        s.x = moderate(a);
        s.y = gpu::select((h & 8) == 0, (s.x ^ 0x80000000) + near - 4, moderate(b));
        s.z = ((f32::from_bits(s.x) * f32::from_bits(s.y)).to_bits() ^ 0x80000000) + near - 3;
    } else if h % 8 == 3 {
        // Few significant bits: halfway products.
        s.x = moderate(a) & 0xfffff800;
        s.y = moderate(b) & 0xffffe000;
        s.z = moderate(c) & 0xffff0000;
    } else if h % 8 == 4 {
        // Halfway sums: operands 20 to 27 places apart.
        let field = 60 + (a >> 8) % 100;
        s.x = with_exponent(a, field);
        s.y = with_exponent(b & 0xfff00000, field - 20 - near);
        s.z = with_exponent(c & 0xfff80000, 2 * field - 147 - near);
        if 2 * field < 160 {
            s.z = c;
        }
    } else if h % 8 == 5 {
        s.x = moderate(a);
        s.y = moderate(b);
        s.z = moderate(c);
    } else if h % 8 == 6 {
        // Quotients and roots beside a float.
        s.y = moderate(b);
        let q = gpu::select((h & 8) == 0, moderate(c), s.y);
        s.x = (f32::from_bits(s.y) * f32::from_bits(q)).to_bits() + near - 4;
    } else if h % 8 == 7 {
        // Subnormal and least normal numbers.
        s.x = a & 0x81ffffff;
        s.y = gpu::select((h & 8) == 0, b & 0x80ffffff, moderate(b));
        s.z = c & 0x80ffffff;
    }
    s
}
)";

void append(std::string &Text, const std::string &Name, const char *Reads,
            const char *Result, const std::string &Body) {
  Text += "\n#[goldy::compute(workgroup_size = [256, 1, 1])]\nfn op_" + Name +
          "(edges: &[" + Reads + "], o: &mut [" + Result +
          "], first: u32) {\n    let i = gpu::global_id().x;\n" + Body + "}\n";
}

void addBothSigns(std::vector<uint32_t> &Out, uint32_t Bits) {
  Out.push_back(Bits);
  Out.push_back(Bits ^ 0x80000000u);
}

} // namespace

uint32_t Operation::bytes() const {
  return std::strstr(Result, "64") ? 8 : std::strstr(Result, "16") ? 2 : 4;
}

std::span<const Operation> operations() { return Table; }

std::string kernelText() {
  std::string Text = Head;
  for (const Operation &O : Table) {
    std::string Body = "    if i < o.len() {\n        let n = first + i;\n";
    if (!O.Reads) {
      Body += "        let s = sample(edges, n);\n";
      for (unsigned K = 0; K < O.Takes; ++K)
        if (std::string(O.Value).find("s.") == std::string::npos || K == 0) {
          std::string Letter(1, "xyz"[K]);
          Body += "        let " + Letter + " = f32::from_bits(s." + Letter +
                  ");\n";
        }
    }
    Body += std::string("        o[i] = ") + O.Value + ";\n    }\n";
    append(Text, O.Name, O.Reads ? O.Reads : "u32", O.Result, Body);
  }
  append(Text, OperandsKernel, "u32", "u32",
         "    if i < o.len() / 3 {\n        let s = sample(edges, first + i);\n"
         "        o[3 * i] = s.x;\n        o[3 * i + 1] = s.y;\n"
         "        o[3 * i + 2] = s.z;\n    }\n");
  return Text;
}

std::vector<uint32_t> edges() {
  std::vector<uint32_t> Out;
  for (uint32_t Bits :
       {0x00000000u, 0x00000001u, 0x00400000u, 0x007fffffu, 0x00800000u,
        0x00800001u, 0x00ffffffu, 0x01000000u, 0x7f000000u, 0x7f7fffffu,
        0x7f800000u, 0x7f800001u, 0x7fabcdefu, 0x7fc00000u, 0x7fffffffu,
        0x1f800000u, 0x1fffffffu, 0x20000000u, 0x20000001u, 0x33000000u,
        0x33800000u, 0x34000000u, 0x3effffffu, 0x3f000000u, 0x3f000001u,
        0x3f7ffffeu, 0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x3f800002u,
        0x3fbfffffu, 0x3fc00000u, 0x3fc00001u, 0x40000000u, 0x40200000u,
        0x40400000u, 0x40490fdbu, 0x3fc90fdbu, 0x3f490fdbu, 0x402df854u,
        0x3f317218u, 0x41b17218u, 0x42b17218u, 0x42b17217u, 0x42aeac50u,
        0x42fc0000u, 0x43000000u, 0x4affffffu, 0x4b000000u, 0x4b000001u,
        0x4b7fffffu, 0x4b800000u, 0x4b800001u, 0x4effffffu, 0x4f000000u,
        0x4f7fffffu, 0x4f800000u, 0x5effffffu, 0x5f000000u, 0x5f7fffffu,
        0x5f800000u, 0x387fffffu, 0x38800000u, 0x477fe000u, 0x477fefffu,
        0x477ff000u, 0x33ffffffu, 0x7f7f7fffu, 0x7f7f8000u, 0x3eaaaaabu,
        0x3dcccccdu, 0x0da24260u})
    addBothSigns(Out, Bits);
  // Both sides of powers of two, as many as there is room for.
  for (uint32_t N = 0; Out.size() + 2 <= NumEdges; ++N) {
    uint32_t Field = 1 + N * 37 % 253;
    addBothSigns(Out, (Field << 23) + N % 3 - 1);
  }
  Out.resize(NumEdges);
  return Out;
}

} // namespace goldy::sweep
