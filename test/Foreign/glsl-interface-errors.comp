#version 460
// What has no place in the kernel ABI is refused by name.
// RUN: goldyc --verify-diagnostics %s
layout(local_size_x = 64) in;
layout(binding = 0) buffer Y { float y[]; };
layout(binding = 1) uniform U { vec4 scale; } u; //~ G1005: `u` of kernel `glsl_interface_errors` is a uniform buffer
layout(binding = 2, rgba32f) uniform image2D picture; //~ G1005: `picture` of kernel `glsl_interface_errors` is an image
layout(binding = 3) buffer Head { uint count; uint rest[]; } list; //~ G1005: `list` of kernel `glsl_interface_errors` is
layout(binding = 4) buffer Wide { vec3 wide[]; }; //~ G1005: `wide` of kernel `glsl_interface_errors` is
layout(binding = 5) coherent buffer Flags { uint flags[]; }; //~ G1005: `flags` of kernel `glsl_interface_errors` is
layout(push_constant) uniform Push { vec2 by; } push; //~ G1005: `by` of kernel `glsl_interface_errors` is pushed and no scalar
void main() {
    uint i = gl_GlobalInvocationID.x;
    y[i] = u.scale.x + imageLoad(picture, ivec2(0)).x + float(list.rest[i]) + wide[i].x + float(flags[i]) + push.by.x;
}
