/* Element (x, y) of the image becomes (u.red, x, y, u.add.z). Workgroup size
 * 8 x 8. Part of goldyc, under the Apache License v2.0 with LLVM Exceptions. */
#include "goldy_host_abi.h"

struct block {
  float *image;
  uint32_t width, height;
  const float *u; /* red, add */
};

int32_t kernel(const void *block, const goldy_group_range *range,
               void *scratch) {
  const struct block *b = (const struct block *)block;
  (void)scratch;
  for (uint64_t g = range->first; g < range->end; ++g)
    for (uint32_t l = 0; l < 64; ++l) {
      uint32_t x = (uint32_t)(g % range->count[0]) * 8 + l % 8;
      uint32_t y = (uint32_t)(g / range->count[0]) * 8 + l / 8;
      if (x >= b->width || y >= b->height)
        continue;
      float *o = b->image + 4 * ((uint64_t)y * b->width + x);
      o[0] = b->u[0];
      o[1] = (float)x;
      o[2] = (float)y;
      o[3] = b->u[3];
    }
  return 0;
}
