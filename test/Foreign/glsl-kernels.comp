#version 460
#extension GL_EXT_scalar_block_layout : require
// A .comp file is one kernel, named after the file: storage buffers by set and binding, then pushed scalars.
// RUN: goldyc %s --validate -o %t.gdy && goldyrun info %t.gdy | FileCheck %s
// RUN: goldyrun verify %t.gdy
// RUN: goldyc %s -O0 --emit=spirv-asm | FileCheck %s --check-prefix=SPIRV

struct Particle {
    vec3 position;
    uint flags;
};

layout(local_size_x = 64) in;
layout(set = 0, binding = 1, scalar) readonly buffer In { Particle p[]; };
layout(set = 0, binding = 0) buffer Out { float v[]; } y;
layout(push_constant) uniform Push {
    float a;
    uint first;
};
shared float partial[64];

// CHECK: "name": "Particle",
// CHECK-NEXT: "size": 16,
// CHECK: "name": "glsl_kernels",
// CHECK-NEXT: "workgroup_size": [64, 1, 1],
// CHECK: {"name": "y", "kind": "buffer", "type": "f32", "access": "read_write", "offset": 0, "size": 16, "stride": 4, "dependence": "other"},
// CHECK-NEXT: {"name": "p", "kind": "buffer", "type": "Particle", "access": "read", "offset": 16, "size": 16, "stride": 16, "dependence": "other"},
// CHECK-NEXT: {"name": "a", "kind": "scalar", "type": "f32", "access": "read", "offset": 32, "size": 4},
// CHECK-NEXT: {"name": "first", "kind": "scalar", "type": "u32", "access": "read", "offset": 36, "size": 4}
// CHECK: "definition_bytes": 0,
// CHECK: "arch": "vulkan1.3", {{.*}}"entry": "glsl_kernels", "workgroup_bytes": 256, "push_constant_bytes": 72
// SPIRV: OpMemoryModel PhysicalStorageBuffer64 GLSL450
// SPIRV-NOT: OpVariable {{.*}} StorageBuffer
void main() {
    uint i = gl_GlobalInvocationID.x;
    partial[gl_LocalInvocationIndex] = i < p.length() ? p[i].position.y * a : 0.0;
    barrier();
    if (i < y.v.length())
        y.v[i] += partial[63 - gl_LocalInvocationIndex] + float(first + gl_NumWorkGroups.x);
}
