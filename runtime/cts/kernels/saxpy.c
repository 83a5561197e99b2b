/* y[i] = a * x[i] + y[i]; workgroup size 256. Part of goldyc, under the Apache
 * License v2.0 with LLVM Exceptions. */
#include "goldy_host_abi.h"

struct block {
  const float *x;
  uint32_t x_length, zero0;
  float *y;
  uint32_t y_length, zero1;
  float a;
};

int32_t kernel(const void *block, const goldy_group_range *range,
               void *scratch) {
  const struct block *b = (const struct block *)block;
  for (uint64_t g = range->first; g < range->end; ++g)
    for (uint32_t l = 0; l < 256; ++l) {
      uint64_t i = g * 256 + l;
      if (i < b->y_length)
        b->y[i] = b->a * (i < b->x_length ? b->x[i] : 0.0f) + b->y[i];
    }
  return 0;
}
