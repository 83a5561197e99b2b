// The suite as an ISPC programmer writes it: foreach over elements, a program instance a lane. Exported functions take the
// ranges of Native.h.

export void ispc_saxpy(uniform int64 begin, uniform int64 end, uniform float a, const uniform float x[], uniform float y[]) {
  foreach (i = begin ... end)
    y[i] = a * x[i] + y[i];
}

export void ispc_chain(uniform int64 begin, uniform int64 end, const uniform float x[], uniform float z[]) {
  foreach (i = begin ... end) {
    float y = x[i] * 2.0f + 1.0f;
    float t = 0.79788456f * (y + 0.044715f * y * y * y);
    z[i] = clamp(y - y / (exp(2.0f * t) + 1.0f), -0.1f, 2.0f);
  }
}

export void ispc_softmax(uniform int64 begin, uniform int64 end, uniform int64 cols, const uniform float x[], uniform float z[]) {
  for (uniform int64 row = begin; row < end; ++row) {
    uniform int64 base = row * cols;
    float most = x[base], sum = 0.0f;
    foreach (i = base ... base + cols)
      most = max(most, x[i]);
    uniform float top = reduce_max(most);
    foreach (i = base ... base + cols) {
      float e = exp(x[i] - top);
      z[i] = e;
      sum += e;
    }
    uniform float scale = 1.0f / reduce_add(sum);
    foreach (i = base ... base + cols)
      z[i] *= scale;
  }
}

export void ispc_rmsnorm(uniform int64 begin, uniform int64 end, uniform int64 cols, const uniform float x[],
                         const uniform float g[], uniform float z[]) {
  for (uniform int64 row = begin; row < end; ++row) {
    uniform int64 base = row * cols;
    float sum = 0.0f;
    foreach (i = 0 ... cols)
      sum += x[base + i] * x[base + i];
    uniform float scale = 1.0f / sqrt(reduce_add(sum) / (uniform float)cols + 0.00001f);
    foreach (i = 0 ... cols)
      z[base + i] = x[base + i] * scale * g[i];
  }
}

export uniform float ispc_sum(uniform int64 begin, uniform int64 end, const uniform float x[]) {
  float sum = 0.0f;
  foreach (i = begin ... end)
    sum += x[i];
  return reduce_add(sum);
}

// Four rows at a time share the loads of b.
export void ispc_sgemm(uniform int64 begin, uniform int64 end, uniform int64 n, const uniform float a[], const uniform float b[],
                       uniform float c[]) {
  for (uniform int64 i = begin; i < end; i += 4) {
    foreach (j = 0 ... n) {
      float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
      for (uniform int64 k = 0; k < n; ++k) {
        float v = b[k * n + j];
        s0 += a[i * n + k] * v;
        s1 += a[(i + 1) * n + k] * v;
        s2 += a[(i + 2) * n + k] * v;
        s3 += a[(i + 3) * n + k] * v;
      }
      c[i * n + j] = s0;
      c[(i + 1) * n + j] = s1;
      c[(i + 2) * n + j] = s2;
      c[(i + 3) * n + j] = s3;
    }
  }
}

export void ispc_conv5(uniform int64 begin, uniform int64 end, uniform int64 w, uniform int64 h, const uniform float x[],
                       const uniform float k[], uniform float z[]) {
  for (uniform int64 y = begin; y < end; ++y) {
    foreach (i = 0 ... w) {
      float sum = 0.0f;
      for (uniform int64 dy = -2; dy <= 2; ++dy)
        if (y + dy >= 0 && y + dy < h)
          for (uniform int64 dx = -2; dx <= 2; ++dx)
            if (i + dx >= 0 && i + dx < w)
              sum += x[(y + dy) * w + i + dx] * k[(dy + 2) * 5 + dx + 2];
      z[y * w + i] = sum;
    }
  }
}

export void ispc_mandel(uniform int64 begin, uniform int64 end, uniform int64 w, uniform int64 h, uniform int32 most,
                        uniform int32 z[]) {
  for (uniform int64 y = begin; y < end; ++y) {
    uniform float ci = -1.5f + 3.0f * (uniform float)y / (uniform float)h;
    foreach (i = 0 ... w) {
      float cr = -2.0f + 3.0f * (float)i / (float)w;
      float a = 0.0f, b = 0.0f;
      int32 n = 0;
      while (n < most && a * a + b * b < 4.0f) {
        float t = a * a - b * b + cr;
        b = 2.0f * a * b + ci;
        a = t;
        ++n;
      }
      z[y * w + i] = n;
    }
  }
}

// Each program instance has bins of its own.
export void ispc_hist(uniform int64 begin, uniform int64 end, const uniform unsigned int32 x[], uniform unsigned int32 bins[]) {
  uniform unsigned int32 own[256 * programCount];
  for (uniform int32 b = 0; b < 256 * programCount; ++b)
    own[b] = 0;
  foreach (i = begin ... end)
    ++own[(x[i] & 255) * programCount + programIndex];
  for (uniform int32 b = 0; b < 256; ++b)
    for (uniform int32 lane = 0; lane < programCount; ++lane)
      bins[b] += own[b * programCount + lane];
}

export void ispc_mix(uniform int64 begin, uniform int64 end, const uniform unsigned int32 x[], uniform unsigned int32 z[]) {
  foreach (i = begin ... end) {
    unsigned int32 h = x[i];
    for (uniform unsigned int32 round = 0; round < 4; ++round) {
      h ^= h >> 16;
      h *= 0x85ebca6b;
      h ^= h >> 13;
      h *= 0xc2b2ae35;
      h ^= h >> 16;
      h += round;
    }
    z[i] = h;
  }
}
