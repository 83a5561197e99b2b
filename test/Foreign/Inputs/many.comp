#version 460
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) readonly buffer B { uint b[]; };
layout(binding = 2) readonly buffer C { uint c[]; };
layout(binding = 3) readonly buffer D { uint d[]; };
layout(binding = 4) readonly buffer E { uint e[]; };
layout(binding = 5) readonly buffer F { uint f[]; };
layout(binding = 6) buffer O { uint o[]; };
layout(push_constant) uniform Push { uint n; uint64_t big; };

uint six(uint i) {
    if (i >= a.length())
        return 0;
    return a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + gl_LocalInvocationID.x;
}

void main() {
    uint i = gl_WorkGroupID.x * 4 + gl_LocalInvocationID.x;
    atomicAdd(o[i], six(i) + n + uint(big >> 32));
}
