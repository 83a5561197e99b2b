#version 460
#extension GL_GOOGLE_include_directive : require
#include "value.glsl"
layout(local_size_x = 4) in;
layout(binding = 0) writeonly buffer Y { uint y[]; };
void main() {
    y[gl_GlobalInvocationID.x] = value();
}
