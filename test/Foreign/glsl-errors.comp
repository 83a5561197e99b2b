#version 460
// glslang's errors at the user's lines; it names no column, so the named word of the line is shown.
// RUN: goldyc --verify-diagnostics %s
// RUN: not goldyc %s 2>&1 | FileCheck %s
layout(local_size_x = 64) in;
layout(binding = 0) buffer Y { float y[]; };
void main() {
    y[gl_GlobalInvocationID.x] = nowhere; //~ G1002: `nowhere`: undeclared identifier
    // CHECK: glsl-errors.comp:[[@LINE-1]]:34: error[G1002]: `nowhere`: undeclared identifier
}
