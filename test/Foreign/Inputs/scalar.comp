#version 460
#extension GL_EXT_scalar_block_layout : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 8) in;
layout(binding = 0, scalar) readonly buffer In { vec3 v[]; };
layout(binding = 1) buffer Out { float o[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    o[i] = subgroupAdd(v[i].x + v[i].z) * 0.0 + v[i].y;
}
