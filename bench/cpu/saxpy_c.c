/* The loop that saxpy is measured against. Part of goldyc, under the Apache
 * License v2.0 with LLVM Exceptions. */
#include <stddef.h>

void saxpy_c(size_t n, float a, const float *restrict x, float *restrict y) {
  for (size_t i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i];
}
