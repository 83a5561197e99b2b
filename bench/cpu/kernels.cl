// The suite as an OpenCL programmer writes it: a work-item an element, guards where a grid may overhang, groups of 256 with
// local memory and barriers for rows, sums and tiles.

__kernel void saxpy(__global const float *x, __global float *y, float a, uint n) {
  uint i = get_global_id(0);
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__kernel void chain(__global const float *x, __global float *z, uint n) {
  uint i = get_global_id(0);
  if (i >= n)
    return;
  float y = x[i] * 2.0f + 1.0f;
  float t = tanh(0.79788456f * (y + 0.044715f * y * y * y));
  z[i] = clamp(0.5f * y * (1.0f + t), -0.1f, 2.0f);
}

// In all work-items of the group the sum (or the greatest) of their values.
float group_sum(__local float *s, float v) {
  uint l = get_local_id(0);
  s[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 128; k > 0; k >>= 1) {
    if (l < k)
      s[l] += s[l + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float all = s[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

float group_max(__local float *s, float v) {
  uint l = get_local_id(0);
  s[l] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 128; k > 0; k >>= 1) {
    if (l < k)
      s[l] = fmax(s[l], s[l + k]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float all = s[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return all;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void softmax(__global const float *x, __global float *z, uint cols) {
  __local float s[256];
  size_t base = get_group_id(0) * (size_t)cols;
  float most = -INFINITY, sum = 0;
  for (uint i = get_local_id(0); i < cols; i += 256)
    most = fmax(most, x[base + i]);
  most = group_max(s, most);
  for (uint i = get_local_id(0); i < cols; i += 256) {
    float e = exp(x[base + i] - most);
    z[base + i] = e;
    sum += e;
  }
  float scale = 1.0f / group_sum(s, sum);
  for (uint i = get_local_id(0); i < cols; i += 256)
    z[base + i] *= scale;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void rmsnorm(__global const float *x, __global const float *g, __global float *z, uint cols) {
  __local float s[256];
  size_t base = get_group_id(0) * (size_t)cols;
  float sum = 0;
  for (uint i = get_local_id(0); i < cols; i += 256)
    sum += x[base + i] * x[base + i];
  float scale = 1.0f / sqrt(group_sum(s, sum) / (float)cols + 0.00001f);
  for (uint i = get_local_id(0); i < cols; i += 256)
    z[base + i] = x[base + i] * scale * g[i];
}

// Each group adds up per * 256 elements.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sum(__global const float *x, __global float *partial, uint per) {
  __local float s[256];
  size_t base = get_group_id(0) * (size_t)per * 256 + get_local_id(0);
  float sum = 0;
  for (uint i = 0; i < per; ++i)
    sum += x[base + i * 256];
  sum = group_sum(s, sum);
  if (get_local_id(0) == 0)
    partial[get_group_id(0)] = sum;
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void sgemm(__global const float *a, __global const float *b, __global float *c, uint n) {
  __local float ta[16][16], tb[16][16];
  uint lx = get_local_id(0), ly = get_local_id(1), col = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint t = 0; t < n; t += 16) {
    ta[ly][lx] = a[row * n + t + lx];
    tb[ly][lx] = b[(t + ly) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k)
      sum = fma(ta[ly][k], tb[k][lx], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}

__kernel void conv5(__global const float *x, __global const float *k, __global float *z, int w, int h) {
  int i = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      if (y + dy >= 0 && y + dy < h && i + dx >= 0 && i + dx < w)
        sum += x[(y + dy) * w + i + dx] * k[(dy + 2) * 5 + dx + 2];
  z[y * w + i] = sum;
}

__kernel void mandel(__global int *z, uint w, uint h, int most) {
  uint i = get_global_id(0), y = get_global_id(1);
  float cr = -2.0f + 3.0f * (float)i / (float)w, ci = -1.5f + 3.0f * (float)y / (float)h;
  float a = 0, b = 0;
  int n = 0;
  while (n < most && a * a + b * b < 4.0f) {
    float t = a * a - b * b + cr;
    b = 2.0f * a * b + ci;
    a = t;
    ++n;
  }
  z[y * w + i] = n;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void hist(__global const uint *x, __global uint *bins, uint per) {
  __local uint own[256];
  uint l = get_local_id(0);
  size_t base = get_group_id(0) * (size_t)per * 256 + l;
  own[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = 0; i < per; ++i)
    atomic_inc(&own[x[base + i * 256] & 255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[l], own[l]);
}

// Not `mix`: that is a function of OpenCL.
__kernel void mix_words(__global const uint *x, __global uint *z, uint n) {
  uint i = get_global_id(0);
  if (i >= n)
    return;
  uint h = x[i];
  for (uint r = 0; r < 4; ++r) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    h += r;
  }
  z[i] = h;
}
